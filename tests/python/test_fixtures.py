# SPDX-License-Identifier: BSD-3-Clause
"""All kept traces and all recorded hosts: the reader agrees with wattle, and the footers agree with what
docs/format/summaries.md computes from the blocks."""

import glob
import json
import math
import os
import re
import struct
import subprocess

import against_wattle
import recompute
from scene import BUILD, HOSTS, TRACES, Scene, main, seal, wattle_trace

REFUSED = {"empty.wtl": "empty", "text.wtl": "no trace", "zeros.wtl": "no trace", "first-block.wtl": "cut off",
           "newer-major.wtl": "newer"}


class Fixtures(Scene):
    def test_good(self):
        traces = sorted(glob.glob(os.path.join(TRACES, "good", "*.wtl")))
        self.assertGreaterEqual(len(traces), 5)
        for path in traces:
            with self.subTest(path):
                self.same_as_wattle(path, 1000)
                with wattle_trace.open(path) as trace:
                    self.assertEqual(trace.damage, [])

    def test_broken(self):
        for path in sorted(glob.glob(os.path.join(TRACES, "broken", "*.wtl"))):
            name = os.path.basename(path)
            with self.subTest(name):
                if name in REFUSED:
                    self.assertIsNone(against_wattle.wattle("export", path, check=False))
                    with self.assertRaisesRegex(wattle_trace.TraceError, REFUSED[name]):
                        wattle_trace.open(path)
                else:
                    self.same_as_wattle(path, 30)

    def test_damage_is_counted(self):
        for name, stretches in (("flipped", 1), ("no-table", 2), ("cut-off", 0)):
            with wattle_trace.open(os.path.join(TRACES, "broken", name + ".wtl")) as trace:
                self.assertEqual(len(trace.damage), stretches, name)
                self.assertFalse(trace.complete)
                self.assertEqual(trace.unread_bytes > 0, name == "cut-off")

    def test_footers(self):
        """Also for the kept traces; earlier writers left out half a refresh at borders between samples, and the ends in min and max."""
        borders = re.compile(r" (energy_j|resolution_interval_j|mean_w|min_w|max_w|first_value|last_value): ")
        complete = 0
        for path in glob.glob(os.path.join(TRACES, "good", "*.wtl")):
            with wattle_trace.open(path) as trace:
                if not trace.complete:
                    continue
            complete += 1
            with self.subTest(path):
                self.assertEqual([line for line in recompute.differences(path)[0] if not borders.search(line)], [])
                with wattle_trace.open(path) as trace:
                    ours = recompute.Digest(trace).summaries()
                    for channel, *theirs in trace._summaries:
                        then, now = dict(zip(recompute.NAMES, theirs)), ours[channel]
                        if not math.isnan(then["energy_j"]):
                            self.assertLessEqual(abs(now["energy_j"] - then["energy_j"]), then["resolution_interval_j"] + 1e-9)
                        if not math.isnan(then["min_w"]):
                            self.assertTrue(now["min_w"] <= now["mean_w"] <= now["max_w"], (path, channel, now))
        self.assertGreaterEqual(complete, 3)

    def test_newer(self):
        """Channels whose values are not interpreted, blocks that are needed: shown, not computed with, and reported."""
        source = os.path.join(TRACES, "good", "version-1.0.wtl")
        cases = ((0, 7, 0), (0, 0, 1 << 16), (2, 1, 1 << 31), (2, 1, 0))
        for number, kind, flags in cases:
            with self.subTest(f"channel {number}, kind {kind}, flags {flags:#x}"):
                path = self.changed(source, number, kind, flags)
                against_wattle.wattle("repair", path)
                self.assertEqual(recompute.differences(path)[0], [])
                self.same_as_wattle(path, 500)
                with wattle_trace.open(path) as trace:
                    self.assertEqual(trace.not_shown, 2)
                    self.assertEqual(trace.channels[number].understood, flags == 0 and kind < 3)
                    self.assertEqual(trace.channels[number].name in trace.summary, trace.channels[number].understood)
                    if not trace.channels[number].understood:
                        with self.assertRaisesRegex(wattle_trace.TraceError, "newer"):
                            trace.samples(trace.channels[number])
                document = json.loads(against_wattle.wattle("stats", "--format", "json", path))
                self.assertIn("2 blocks", document["flag_texts"]["NOT_SHOWN"])

    def changed(self, source, number, kind, flags):
        """A copy without footer, a channel of another kind and flags, three blocks of a newer version."""
        path = self.at("newer.wtl")
        with wattle_trace.open(self.bare(source)) as trace, open(trace.path, "rb") as file:
            data = file.read()
            parts = []
            for b in trace.blocks:
                payload = bytearray(data[b.offset + 38 : b.offset + 38 + b.length])
                if b.type == wattle_trace.CHANNELS:
                    if b.flags & 1:
                        payload = bytearray(wattle_trace._decompress(bytes(payload[4:]), struct.unpack_from("<I", payload)[0]))
                        b = b._replace(flags=0)
                    record_at = 0
                    while struct.unpack_from("<I", payload, record_at + 4)[0] != number:
                        record_at += 4 + struct.unpack_from("<I", payload, record_at)[0]
                    payload[record_at + 10] = kind
                    struct.pack_into("<I", payload, record_at + 12, flags)
                parts.append(seal(b.type, bytes(payload), b.sequence, b.first_ns, b.last_ns, b.flags))
        parts[2:2] = [seal(99, b"x", flags=128), seal(2, b"x", flags=128 | 4), seal(98, b"x")]
        with open(path, "wb") as file:
            file.write(b"".join(parts))
        return path

    def test_footers_of_repaired(self):
        """Footers that wattle adds to the trace of a killed run."""
        values = 0
        for path in glob.glob(os.path.join(TRACES, "good", "*.wtl")) + [os.path.join(TRACES, "broken", "flipped.wtl")]:
            with self.subTest(path):
                copy = self.bare(path)
                against_wattle.wattle("repair", copy)
                differences, count = recompute.differences(copy)
                self.assertEqual(differences, [])
                values += count
        self.assertGreater(values, 400)


class Hosts(Scene):
    def test_all(self):
        hosts = sorted(os.path.basename(os.path.dirname(root)) for root in glob.glob(os.path.join(HOSTS, "*", "root")))
        self.assertGreaterEqual(len(hosts), 10)
        for host in hosts:
            with self.subTest(host):
                path = self.run_host(host)
                self.same_as_wattle(path, 15)
                self.assertEqual(recompute.differences(path)[0], [])
                self.stats_agree(path)

    def stats_agree(self, path):
        """The footer as shown by the reader, compared with `wattle stats`."""
        document = json.loads(against_wattle.wattle("stats", "--format", "json", path))
        with wattle_trace.open(path) as trace:
            for channel in document["channels"]:
                ours = trace.summary[channel["name"]]
                self.assertTrue(against_wattle.close(ours.gained, channel["energy_j"], 9))
                for name in ("energy_j", "resolution_interval_j", "mean_w", "min_w", "max_w", "sd_w"):
                    self.assertTrue(against_wattle.close(getattr(ours, name), channel[name], 9),
                                    (channel["name"], name, getattr(ours, name), channel[name]))
                for name in ("samples", "stale", "gaps"):
                    self.assertEqual(getattr(ours, name), channel[name])
                for name in ("gap", "unknown"):
                    self.assertAlmostEqual(getattr(ours, name + "_ns") / 1e9, channel[name + "_s"], places=9)
                self.assertEqual(ours.gap_reasons, channel["gap_reasons"])

    def test_many_rows(self):
        """A fast rate: columns of every kind, compressed tokens, gaps in the middle of blocks."""
        for host in ("faults", "spr-2s"):
            path = self.run_host(host, "-i", "2ms", duration="8s")
            self.same_as_wattle(path, 10000)
            self.assertEqual(recompute.differences(path)[0], [])


class Mixtures(Scene):
    """Any mixture of faults, as generated by unit/record/fault_mix."""

    def test_all(self):
        program = os.path.join(BUILD, "tests", "unit", "record", "test_record_fault_mix")
        if not os.access(program, os.X_OK):
            self.skipTest("the simulated node is not built")
        count = 150
        subprocess.run([program, "traces", self.folder, str(count)], check=True, timeout=100, stdout=subprocess.DEVNULL)
        traces, rules = glob.glob(self.at("*.wtl")), set()
        self.assertEqual(len(traces), count)
        for path in traces:
            with self.subTest(os.path.basename(path)):
                self.assertEqual(recompute.differences(path)[0], [])
            with wattle_trace.open(path) as trace:
                rules.update(*(tally.rules() for tally in recompute.digested(trace)))
        self.assertEqual(rules, {"leapt after the end", "stood after the end", "stands from the end on", "no tick after the end",
                                 "stood beside a loss", "lost at the start"})


if __name__ == "__main__":
    main()
