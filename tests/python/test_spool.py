# SPDX-License-Identifier: BSD-3-Clause
"""docs/format/spool.md by itself: a spool left by a killed run, decoded according to the text only, contains the
marks that `wattle repair` merges into the trace."""

import bisect
import glob
import os
import signal
import struct
import subprocess
import time

import against_wattle
from scene import EXAMPLES, WATTLE, Scene, main, wattle_trace

BEGIN, END, EVENT, VALUE, PAIR, THREAD, LAST = 1, 2, 3, 4, 5, 6, 7


class Spool:
    """The spool of one process: names by id, runs of threads."""

    def __init__(self, data):
        assert data[:8] == b"WTLSPOOL"
        self.version, self.header, self.chunk, self.clock, self.pid = struct.unpack_from("<5I", data, 8)
        self.lost, self.command = struct.unpack_from("<Q", data, 72)[0], data[120:152].split(b"\0")[0].decode()
        self.names, self.runs = {}, []
        for at in range(self.header, len(data) - self.chunk + 1, self.chunk):
            magic, kind, _ = struct.unpack_from("<3I", data, at)
            body = data[at + 64 : at + self.chunk]
            if magic == 0x434C5457 and kind == 2:
                self._names(body)
            elif magic == 0x434C5457 and kind == 1:
                self._records(body)

    def _names(self, body):
        at = 0
        while at + 8 <= len(body):
            id, length = struct.unpack_from("<II", body, at)
            if not id:
                return
            self.names[id] = body[at + 8 : at + 8 + length].decode()
            at += 8 + (length + 7) // 8 * 8

    def _records(self, body):
        run, waiting = None, None
        for at in range(0, len(body), 16):
            time_, word = struct.unpack_from("<QQ", body, at)
            kind, id = word >> 32, word & 0xFFFFFFFF
            if kind == VALUE and waiting:
                was, when, was_id = waiting
                if was == THREAD:
                    run = dict(tid=id, pairs=[(when, time_)], marks=[])
                    self.runs.append(run)
                elif was == EVENT:
                    run["marks"].append((when, "event", was_id, time_))
                else:
                    run["pairs"].append((when, time_))
                    if was == LAST:
                        run["marks"].append((when, "thread end", None, None))
            elif kind in (BEGIN, END):
                run["marks"].append((time_, "begin" if kind == BEGIN else "end", self.names[id], None))
            waiting = (kind, time_, id) if kind in (EVENT, PAIR, THREAD, LAST) else None

    def thread(self, tid):
        """(pairs, marks) of a thread: its runs by the ns of their first pair."""
        runs = sorted((r for r in self.runs if r["tid"] == tid), key=lambda r: r["pairs"][0][1])
        return [p for r in runs for p in r["pairs"]], [m for r in runs for m in r["marks"]]


def on_line(pairs, when):
    """CLOCK_MONOTONIC ns between the pairs around a time; None after the last."""
    i = bisect.bisect_right([p[0] for p in pairs], when)
    if i == len(pairs):
        return pairs[-1][1] if when == pairs[-1][0] else None
    (c0, n0), (c1, n1) = pairs[max(i - 1, 0)], pairs[max(i, 1)]
    return n0 + (n1 - n0) * (when - c0) / (c1 - c0)


class Spools(Scene):
    def leave(self):
        """A trace and its spool, from a killed run."""
        program = os.path.join(EXAMPLES, "nested")
        if not os.access(program, os.X_OK):
            self.skipTest("the examples are not built")
        path = self.at("killed.wtl")
        run = subprocess.Popen([WATTLE, "run", "-q", "-o", path, "--", program, "2", "200"], start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 120
            while not (self.marks(path) > 20 and os.path.getsize(path) > 1000):
                self.assertLess(time.monotonic(), end, "no marks came")
                time.sleep(0.1)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait(120)
        return path

    @staticmethod
    def marks(path):
        """Number of marks followed by a clock pair."""
        count = 0
        for name in glob.glob(path + ".d/run-*/*"):
            with open(name, "rb") as file:
                data = file.read()
            if data[:8] == b"WTLSPOOL":
                spool = Spool(data)
                for tid in {run["tid"] for run in spool.runs}:
                    pairs, marks = spool.thread(tid)
                    count += sum(not spool.clock or on_line(pairs, mark[0]) is not None for mark in marks)
        return count

    def test_as_in_the_trace(self):
        path = self.leave()
        files = glob.glob(path + ".d/run-*/[0-9]*")  # the energy page is next to them
        self.assertEqual(len(files), 1)
        with open(files[0], "rb") as file:
            spool = Spool(file.read())
        self.assertEqual((spool.version, spool.header, spool.chunk), (1, 4096, 65536))
        self.assertEqual((str(spool.pid), spool.command), (os.path.basename(files[0]), "nested"))
        self.assertEqual(spool.lost, 0)
        against_wattle.wattle("repair", path)
        exact = 0
        with wattle_trace.open(path) as trace:
            for thread in trace.threads.values():
                ours = [(m.time_ns, m.kind, m.name or None, None) for m in trace.marks if m.thread == thread.id]
                ours += [(e.time_ns, "event", e.type, e.value) for e in trace.events if e.thread == thread.id]
                pairs, theirs = spool.thread(thread.tid)
                ours.sort(key=lambda m: m[0])
                self.assertEqual(sorted(repr(m[1:]) for m in ours), sorted(repr(m[1:]) for m in theirs))
                for mine, other in zip(ours, sorted(theirs, key=lambda m: m[0])):
                    there = on_line(pairs, other[0]) if spool.clock else other[0]
                    if there is not None:
                        exact += 1
                        self.assertLessEqual(abs(mine[0] - there), 2)
        self.assertGreater(exact, 20)
        self.assertEqual(sum(len(run["marks"]) for run in spool.runs), len(trace.marks) + len(trace.events))


if __name__ == "__main__":
    main()
