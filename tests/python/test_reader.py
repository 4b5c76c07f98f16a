# SPDX-License-Identifier: BSD-3-Clause
"""The reader by itself: columns of every form, helpful errors, its API, and the same without numpy."""

import io
import math
import os
import random
import struct
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

from against_wattle import wattle
from scene import SOURCE, TRACES, Scene, file_block, main, record, seal, text, wattle_trace

GOOD = os.path.join(TRACES, "good", "version-1.0.wtl")
M64 = (1 << 64) - 1


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def zigzag(d):
    return (d << 1 ^ d >> 63) & M64


def signed(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


def encode(values, predictor, coder, k):
    """A column of these values according to the specification: (heads, tokens, bits)."""
    n = len(values)
    shift = max(k - 1 - ((n - 1).bit_length() if predictor == 3 else 0), 0) if k < 31 else 0
    b = 5
    base = b << shift
    if predictor == 0:
        residuals = [v - base for v in values]
    elif predictor == 1:
        residuals = [values[i] - values[i - 1] - base for i in range(1, n)]
    elif predictor == 2:
        b = signed(values[1] - values[0]) if n > 1 else 0
        residuals = [values[i] - 2 * values[i - 1] + values[i - 2] for i in range(2, n)]
    else:
        residuals = [values[i] - values[0] - i * base for i in range(1, n)]
    tokens, stream, at = bytearray(), 0, 0
    for u in (zigzag(signed(r)) for r in residuals):
        if coder == 0 and u >> k < 24:
            number, width = 1 << (u >> k) | (u & (1 << k) - 1) << (u >> k) + 1, (u >> k) + 1 + k
        elif coder == 0:
            number, width = 1 << 24 | u << 25, 89
        elif u >> k < 254:
            number, width = u & (1 << k) - 1, k
            tokens.append(u >> k)
        else:
            width = 32 if u < 1 << 32 else 64
            number = u
            tokens.append(254 if width == 32 else 255)
        stream |= number << at
        at += width
    bits = stream.to_bytes((at + 7) // 8, "little")
    head = bytes([predictor | coder << 2 | k << 3])
    head += varint(len(bits)) if coder else b""
    head += varint(zigzag(signed(values[0]))) if predictor else b""
    return head + varint(zigzag(b)), bytes(tokens), bits


def columns(parts):
    heads, tokens, bits = (b"".join(part) for part in zip(*parts))
    out = varint(len(heads) << 1 | bool(tokens))
    if tokens:
        out += varint(len(tokens)) * 2
    return out + heads + tokens + bits


class Columns(Scene):
    def test_every_form(self):
        """Every predictor with every coder and k, with small, large and decreasing numbers."""
        random_ = random.Random(1)
        checked = 0
        for predictor in range(4):
            for coder in range(2):
                for k in (0, 1, 7, 13, 30):
                    for spread in (0, 3, 1000, 1 << 31, 1 << 50, M64):
                        for n in (1, 2, 3, 70):
                            values = [random_.randrange(spread + 1) & M64 for _ in range(n)]
                            self.same(values, predictor, coder, k)
                            checked += 1
        self.assertEqual(checked, 960)

    def same(self, values, predictor, coder, k):
        payload = columns([encode(values, predictor, coder, k)] * 2)
        have = wattle_trace.numpy
        try:
            for module in {have, None}:
                wattle_trace.numpy = module
                reader = wattle_trace._Columns(payload, 0)
                for _ in range(2):
                    got = [int(v) for v in reader.next(len(values))]
                    self.assertEqual(got, values, (predictor, coder, k, module))
                with self.assertRaises(wattle_trace._Malformed):
                    reader.next(1)
        finally:
            wattle_trace.numpy = have

    def test_line_of_zeros(self):
        """k = 31: the residuals are all 0 and not stored."""
        for predictor, expected in ((0, [5] * 9), (1, [3 + 5 * i for i in range(9)]), (3, [3 + 5 * i for i in range(9)])):
            head = bytes([predictor | 31 << 3]) + (varint(zigzag(3)) if predictor else b"") + varint(zigzag(5))
            reader = wattle_trace._Columns(columns([(head, b"", b"")]), 0)
            self.assertEqual([int(v) for v in reader.next(9)], expected)


class Reader(Scene):
    def channel(self, id, name, quantity=0, kind=0, scale=1.0):
        data = struct.pack("<IBBBBIiidQQQddd", id, 2, quantity, kind, 0, 0, 0, -1, scale, 0, 1000, 0, 0, 0, 0)
        return record(data + b"".join(map(text, (name, "fake", "", "", ""))))

    def rows(self, times, *values):
        """A block of samples of group 0."""
        parts = [encode([t - times[0] for t in times], 1, 0, 3)] + [encode(v, 1, 0, 3) for v in values]
        return seal(6, varint(0) + varint(self.ordinal()) + varint(2 * len(times)) + columns(parts), 0, times[0], times[-1])

    def ordinal(self):
        self.next = getattr(self, "next", -1) + 1
        return self.next

    def write(self, name, *blocks):
        path = self.at(name)
        with open(path, "wb") as file:
            file.write(b"".join(blocks))
        return path

    def tables(self):
        channels = self.channel(0, "fake:package-0", scale=0.5) + self.channel(1, "fake:node-0", 1, 1)
        return seal(3, channels) + seal(5, record(struct.pack("<IIIII", 0, 0, 2, 0, 1)))

    def test_gaps(self):
        """A gap of each reason from 3 to 5 s: energy if a counter kept counting, and else unknown."""
        times = [10**9 * i for i in (1, 2, 3, 4, 6, 7, 8)]
        for reason, name in enumerate(wattle_trace.REASONS):
            gaps = b"".join(record(struct.pack("<IIiQQ", c, reason, 0, 4 * 10**9, 6 * 10**9)) for c in (0, 1))
            self.next = -1
            path = self.write("gap.wtl", file_block(), self.tables(), seal(9, gaps),
                              self.rows(times, [20 * (t // 10**9) for t in times], [10] * len(times)))
            with wattle_trace.open(path) as trace:
                lost = name in ("stalled", "reset", "lost wrap", "suspended", "implausible value")
                for channel, loses in (("fake:package-0", lost), ("fake:node-0", True)):
                    self.assertEqual(trace.unknown_s(channel), 2 if loses else 0, name)
                    self.assertEqual(math.isnan(trace.energy(channel)), loses, name)
                    self.assertEqual(trace.unknown_s(channel, 1, 4), 1 if loses else 0, name)
                    self.assertEqual(trace.unknown_s(channel, 0, 3), 0, name)
                    self.assertAlmostEqual(trace.energy(channel, 0, 3), 30)
                    self.assertAlmostEqual(trace.energy(channel, 5, 7), 20)
                if not lost:
                    self.assertAlmostEqual(trace.energy("fake:package-0"), 70)

    def test_gap_at_an_end(self):
        """Reads fail up to the end, or from the beginning: what a counter counted in that time is unknown."""
        for name, times in (("behind", (1, 2, 3, 4)), ("ahead", (6, 7, 8))):
            for reason, why in enumerate(wattle_trace.REASONS):
                gap = record(struct.pack("<IIiQQ", 0, reason, 0, 4 * 10**9, 6 * 10**9))
                self.next = -1
                path = self.write("end.wtl", file_block(), self.tables(), seal(9, gap),
                                  self.rows([10**9 * t for t in times], [20 * t for t in times], [10] * len(times)))
                with wattle_trace.open(path) as trace:
                    self.assertEqual(trace.unknown_s("fake:package-0"), 2, f"{name}: {why}")

    def test_energy_and_power(self):
        """20 ticks of half a joule per second, and a gauge that rises from 0 by 10 W per second."""
        times = [10**9 * i for i in range(1, 12)]
        ticks, watts = [20 * i for i in range(11)], [10 * i for i in range(11)]
        path = self.write("truth.wtl", file_block(), self.tables(), self.rows(times, ticks, watts))
        with wattle_trace.open(path) as trace:
            self.assertAlmostEqual(trace.energy("fake:package-0"), 100)
            self.assertAlmostEqual(trace.energy("fake:package-0", 0.25, 9.5), 92.5)
            self.assertAlmostEqual(trace.energy("fake:node-0"), 500)
            self.assertAlmostEqual(trace.energy("fake:node-0", 2, 4), 60)
            self.assertTrue(math.isnan(trace.energy("fake:package-0", 0, 11)))
            seconds, power = trace.power("fake:package-0")
            self.assertEqual(list(seconds), list(range(11)))
            self.assertTrue(math.isnan(power[0]))
            self.assertEqual(list(power[1:]), [10.0] * 10)
            self.assertEqual(list(trace.power("fake:package-0", every=3)[0]), [0, 3, 6, 9])
            self.assertEqual(list(trace.samples("fake:node-0", 2, 4)[1]), [20.0, 30.0, 40.0])
            self.assertIsNone(trace.window_s)

    def test_a_gap_is_no_power(self):
        times = [10**9 * i for i in range(1, 6)]
        gap = seal(9, record(struct.pack("<IIiQQ", 0, 4, 0, 2 * 10**9, 3 * 10**9)))
        path = self.write("gap.wtl", file_block(), self.tables(), gap, self.rows(times, [0, 1, 9, 10, 11], [5] * 5))
        with wattle_trace.open(path) as trace:
            power = trace.power("fake:package-0")[1]
            self.assertEqual([math.isnan(w) for w in power], [True, False, True, False, False])
            self.assertEqual([(g.channel, g.reason) for g in trace.gaps], [("fake:package-0", "suspended")])

    def test_a_standstill_is_no_energy(self):
        """10 W; the counter stands still from 2 to 4 s and catches up: what it then shows belongs to all that time."""
        times = [10**9 * i for i in range(1, 8)]
        path = self.write("stand.wtl", file_block(), self.tables(),
                          self.rows(times, [20 * i for i in (0, 1, 1, 1, 4, 5, 5)], [5] * 7))
        with wattle_trace.open(path) as trace:
            self.assertAlmostEqual(trace.energy("fake:package-0", 0, 5), 50)
            self.assertAlmostEqual(trace.energy("fake:package-0", 2, 3), 10)
            self.assertTrue(math.isnan(trace.energy("fake:package-0", 2, 6)))  # nothing shows that it counts again
    def test_tables_behind_samples(self):
        times = [10**9, 2 * 10**9]
        rows = self.rows(times, [0, 4], [7, 8])
        path = self.write("behind.wtl", file_block(), rows, self.tables())
        with wattle_trace.open(path) as trace:
            self.assertEqual([v for _, v in trace.raw("fake:node-0")], [7, 8])

    def test_grows(self):
        """refresh() and follow() return what is appended, incomplete blocks only once they are complete."""
        first, second = self.rows([10**9], [0], [1]), self.rows([2 * 10**9], [3], [2])
        path = self.write("live.wtl", file_block(), self.tables(), first, second[:50])
        with wattle_trace.open(path) as trace:
            self.assertEqual(len(trace.raw("fake:node-0")), 1)
            self.assertEqual(trace.unread_bytes, 50)
            seen = []
            for rows in trace.follow(poll_s=0.001, timeout_s=0.01):
                seen.append(list(map(int, rows.times_ns)))
                if len(seen) == 1:
                    with open(path, "ab") as file:
                        file.write(second[50:])
            self.assertEqual(seen, [[10**9], [2 * 10**9]])
            self.assertEqual(trace.damage, [])
            self.assertFalse(trace.refresh())

    def test_errors_help(self):
        with self.assertRaisesRegex(wattle_trace.TraceError, "No such file"):
            wattle_trace.open(self.at("nothing.wtl"))
        path = self.write("short.wtl", file_block(), self.tables())
        with wattle_trace.open(path) as trace:
            with self.assertRaisesRegex(wattle_trace.TraceError, "there are: fake:package-0, fake:node-0"):
                trace.samples("nonsense")
            with self.assertRaisesRegex(wattle_trace.TraceError, "wattle repair"):
                trace.summary

    def test_numbers_of_newer_versions(self):
        """An unknown kind is not interpreted, an unknown border of the window is skipped; wattle agrees."""
        window = seal(11, b"".join(record(struct.pack("<BQ", *row)) for row in ((0, 10**9), (7, 5), (1, 2 * 10**9))))
        tables = seal(3, self.channel(0, "fake:package-0") + self.channel(1, "fake:node-0", 1, 9))
        tables += seal(5, record(struct.pack("<IIIII", 0, 0, 2, 0, 1)))
        path = self.write("newer.wtl", file_block(1, 7), tables, window, self.rows([10**9, 2 * 10**9], [0, 4], [7, 8]))
        with wattle_trace.open(path) as trace:
            self.assertEqual(trace.window_s, 1.0)
            self.assertEqual([v for _, v in trace.raw("fake:node-0")], [7, 8])
            with self.assertRaisesRegex(wattle_trace.TraceError, "newer version"):
                trace.samples("fake:node-0")
        notes = wattle("export", "--comments", "--what", "gaps", path)
        self.assertIn("window_s: 1.000000000", notes)

    def test_regions(self):
        with wattle_trace.open(GOOD) as trace:
            regions = {r.name: r for r in trace.regions}
            self.assertEqual(set(regions), {"outer", "inner", "other"})
            self.assertEqual((regions["outer"].depth, regions["inner"].depth), (0, 1))
            self.assertEqual(regions["inner"].thread.tid, 100)
            for name, region in regions.items():
                self.assertAlmostEqual(region.duration * 1e9, trace.region_summary[name].thread_time_ns, delta=1)

    def test_program(self):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = wattle_trace.main([GOOD, self.at("nothing.wtl")])
        self.assertEqual(status, 1)
        self.assertIn("fake:package-0  35       357.568", out.getvalue())
        self.assertIn("No such file", err.getvalue())

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            with wattle_trace.open(GOOD) as trace, self.assertRaisesRegex(wattle_trace.TraceError, "python3-pandas"):
                trace.to_pandas()
            return
        with wattle_trace.open(GOOD) as trace:
            frame = trace.to_pandas("fake:package-0", "fake:node-0")
            self.assertIsInstance(frame, pandas.DataFrame)
            self.assertEqual(list(frame.columns), ["fake:package-0 [J]", "fake:node-0 [W]"])
            self.assertEqual(len(frame), 40)

    def test_without_numpy(self):
        """The whole trace, read by a python without numpy: the same summary, the same values."""
        code = ("import sys; sys.modules['numpy'] = None\n"
                "sys.path.insert(0, sys.argv[1])\nimport wattle_trace\nassert wattle_trace.numpy is None\n"
                "trace = wattle_trace.open(sys.argv[2])\n"
                "print([(c.name, trace.samples(c), trace.raw(c, True)) for c in trace.channels])")
        for name in ("kilohertz-1.0.wtl", "version-1.0.wtl"):
            path = os.path.join(TRACES, "good", name)
            done = subprocess.run([sys.executable, "-c", code, os.path.join(SOURCE, "python"), path],
                                  capture_output=True, text=True, timeout=60, check=True)
            with wattle_trace.open(path) as trace:
                ours = []
                for channel in trace.channels:
                    times, values = trace.samples(channel)
                    ours.append((channel.name, ([float(t) for t in times], [float(v) for v in values]),
                                 trace.raw(channel, True)))
            self.assertEqual(done.stdout.strip(), repr(ours))

    def test_example(self):
        """The example draws a picture if matplotlib is installed, else it says what is missing."""
        picture = self.at("power.png")
        example = os.path.join(SOURCE, "examples", "notebook", "plot_power.py")
        done = subprocess.run([sys.executable, example, GOOD, picture], capture_output=True, text=True, timeout=100,
                              env=dict(os.environ, MPLCONFIGDIR=self.folder), check=False)
        if done.returncode and "python3-matplotlib" in done.stderr:
            self.skipTest("matplotlib is not here")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(picture, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    main()
