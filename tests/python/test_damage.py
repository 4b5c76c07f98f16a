# SPDX-License-Identifier: BSD-3-Clause
"""Damaged traces: never an unhandled exception, and the same valid blocks as in wattle."""

import os
import random

import against_wattle
from scene import TRACES, Scene, file_block, main, record, seal, text, wattle_trace

import struct


class Damage(Scene):
    def spoil(self, data, random_):
        """A few bits, a cut, or a hole, anywhere."""
        data = bytearray(data)
        what = random_.randrange(4)
        at = random_.randrange(len(data))
        if what == 0:
            for _ in range(random_.choice((1, 1, 3, 20))):
                data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
        elif what == 1:
            del data[at:]
        elif what == 2:
            del data[at : at + random_.randrange(1, 400)]
        else:
            data[at : at + 60] = bytes(random_.randrange(256) for _ in range(60))
        return bytes(data)

    def test_random(self):
        """Like wattle: both refuse the file, or both show the same."""
        random_ = random.Random(20260)
        refused = 0
        for name in ("good/version-1.0.wtl", "good/unknown-blocks.wtl", "good/kilohertz-1.0.wtl"):
            with open(os.path.join(TRACES, name), "rb") as file:
                whole = file.read()
            for i in range(12):
                path = self.at(f"{i}.wtl")
                with open(path, "wb") as file:
                    file.write(self.spoil(whole, random_))
                with self.subTest(f"{name} {i}"):
                    shown = against_wattle.wattle("export", "--what", "gaps", path, check=False)
                    if shown is None:
                        refused += 1
                        with self.assertRaises(wattle_trace.TraceError):
                            wattle_trace.open(path)
                    else:
                        self.same_as_wattle(path, 0)
        self.assertLess(refused, 20)

    def test_never_another_exception(self):
        """Many more files than wattle could be run on; everything is accessed."""
        random_ = random.Random(2)
        with open(os.path.join(TRACES, "good", "version-1.0.wtl"), "rb") as file:
            whole = file.read()
        read = 0
        for _ in range(600):
            path = self.at("x.wtl")
            with open(path, "wb") as file:
                file.write(self.spoil(whole, random_))
            read += self.look(path)
        self.assertGreater(read, 300)

    def test_good_checksums_bad_contents(self):
        """Invalid payloads with correct checksums."""
        random_ = random.Random(3)
        with open(os.path.join(TRACES, "good", "version-1.0.wtl"), "rb") as file:
            whole = file.read()
        with wattle_trace.open(os.path.join(TRACES, "good", "version-1.0.wtl")) as trace:
            blocks = trace.blocks
        for _ in range(400):
            out = []
            for i, b in enumerate(blocks):
                payload = bytearray(whole[b.offset + 38 : b.offset + 38 + b.length])
                if i and random_.randrange(4) == 0 and payload:
                    payload[random_.randrange(len(payload))] ^= 1 << random_.randrange(8)
                out.append(seal(b.type, bytes(payload), b.sequence, b.first_ns, b.last_ns, b.flags))
            path = self.at("x.wtl")
            with open(path, "wb") as file:
                file.write(b"".join(out))
            self.look(path)

    def look(self, path):
        """Everything that a trace offers; only TraceError may be raised."""
        try:
            with wattle_trace.open(path) as trace:
                for channel in (c for c in trace.channels if c.understood):
                    trace.samples(channel)
                    trace.energy(channel)
                    trace.pyramid(channel)
                    if channel.quantity in ("energy", "power"):
                        trace.power(channel)
                len(trace.gaps), len(trace.regions), len(trace.events)
                if trace.complete:
                    trace.summary, trace.region_summary
                trace.realtime_ns(trace.zero_ns)
                repr(trace)
            return True
        except wattle_trace.TraceError:
            return False

    def test_damage_after_the_footer(self):
        """A block of a complete trace that was damaged later is a gap, for wattle, too."""
        source = os.path.join(TRACES, "good", "version-1.0.wtl")
        with open(source, "rb") as file:
            data = bytearray(file.read())
        with wattle_trace.open(source) as trace:
            block = [b for b in trace.blocks if b.type == wattle_trace.SAMPLES][1]
            had = len(trace.gaps)
        data[block.offset + 60] ^= 16
        path = self.at("later.wtl")
        with open(path, "wb") as file:
            file.write(data)
        with wattle_trace.open(path) as trace:
            self.assertTrue(trace.complete)
            self.assertEqual(len(trace.gaps), had + 3)
            self.assertEqual({g.reason for g in trace.gaps}, {"read failed", "damaged"})
        self.same_as_wattle(path, 500)

    def test_resynchronises_at_any_cut(self):
        """Bytes before a block that begin like one."""
        noise = b"\xf5WTL" * 12 + bytes(range(200))
        metadata = seal(2, record(text("host.name") + text("n")), 1)
        path = self.at("noise.wtl")
        with open(path, "wb") as file:
            file.write(file_block() + noise + metadata)
        with wattle_trace.open(path) as trace:
            self.assertEqual(trace.metadata, {"host.name": "n"})
            self.assertEqual([d.length for d in trace.damage], [len(noise)])

    def test_malformed_record(self):
        """The content of a table before the first invalid record is kept, as in wattle."""
        good, last = record(text("host.name") + text("n")), record(text("run.id") + text("r"))
        for bad in (record(text("key")), record(b"\x09\x00ab"), b"\xff\x00\x00\x00ab", b"\x01"):
            path = self.at("table.wtl")
            with open(path, "wb") as file:
                file.write(file_block() + seal(2, good + bad + last, 1) + seal(12, record(b"\1\0\0\0" + text("s")) +
                                                                              record(bytes(4) + text("0")), 2))
            with wattle_trace.open(path) as trace:
                self.assertEqual(trace.metadata, {"host.name": "n"})
                self.assertEqual(trace._strings, {1: "s"})
                self.assertEqual(len(trace.damage), 2)
            self.same_as_wattle(path, 0)

    def test_longest_numbers(self):
        self.assertEqual(wattle_trace._varint(b"\xff" * 9 + b"\x01", 0), (2**64 - 1, 10))
        for bad in (b"\xff" * 9 + b"\x02", b"\xff" * 10 + b"\x01", b"\x80"):
            with self.assertRaises(wattle_trace._Malformed):
                wattle_trace._varint(bad, 0)
        self.assertEqual(wattle_trace.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(wattle_trace.crc32c(struct.pack("<I", 0)), wattle_trace.crc32c(bytes(4)))


if __name__ == "__main__":
    main()
