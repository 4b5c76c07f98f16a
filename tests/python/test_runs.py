# SPDX-License-Identifier: BSD-3-Clause
"""Fresh traces: of a simulated node with regions in threads, of killed runs, of a growing one."""

import json
import os
import signal
import subprocess
import time

import against_wattle
import recompute
from scene import EXAMPLES, HOSTS, WATTLE, Scene, main, wattle_trace


class Runs(Scene):
    def nested(self):
        program = os.path.join(EXAMPLES, "nested")
        if not os.access(program, os.X_OK):
            self.skipTest("the examples are not built")
        return program

    def check(self, path, least):
        self.same_as_wattle(path, least)
        self.assertEqual(recompute.differences(path)[0], [])

    def test_simulated_node_with_regions(self):
        """Counters with edges at the borders, regions in threads, and their energies."""
        path = self.run_here("sim.wtl", self.nested(), "3", "4", options=("-i", "5ms"),
                             sim=("--power", "package=60+40*load", "--power", "dram=7"))
        self.check(path, 400)
        with wattle_trace.open(path) as trace:
            self.assertTrue(any(group.edge for group in trace.groups))
            self.assertTrue(all(channel.simulated for channel in trace.channels if channel.is_energy))
            self.assertLessEqual({"load", "solve", "factor", "update"}, {r.name for r in trace.regions})
            self.assertTrue(all(r.end is not None and r.balanced for r in trace.regions))
            self.assertGreater(len(trace.events), 0)
            self.energies_agree(trace, path)

    def energies_agree(self, trace, path):
        """Linear interpolation between samples, which is all the reader does, compared with the better estimates."""
        for channel in trace.channels:
            if channel.is_energy:
                ours, theirs = trace.energy(channel), trace.summary[channel.name]
                # The two can differ by one sample at each border.
                times = [float(t) for t in trace.samples(channel)[0]]
                slack = 3 * theirs.resolution_interval_j + 2 * theirs.max_w * max(b - a for a, b in zip(times, times[1:]))
                self.assertLess(abs(ours - theirs.energy_j), slack, channel.name)
        document = json.loads(against_wattle.wattle("stats", "--regions", "--format", "json", path))
        total = {name for name in document["total"]["channels"]}
        for region in document["regions"]:
            ours = trace.region_summary[region["name"] or ""]
            self.assertEqual(ours.count, region["count"])
            self.assertTrue(against_wattle.close(ours.union_ns / 1e9, region["union_s"], 9))
            self.assertTrue(against_wattle.close(ours.exclusive_union_ns / 1e9, region["exclusive_s"], 9))
            joules = sum(e.inclusive_j for e in ours.energy if e.channel in total)
            self.assertTrue(against_wattle.close(joules, region["inclusive"]["energy_j"]))
            for e in ours.energy:
                whole = trace.summary[e.channel]
                for half in (e.inclusive_interval_j, e.exclusive_interval_j):
                    self.assertFalse(half > whole.energy_j + whole.resolution_interval_j, (region["name"], e))
        outside = trace.region_summary[""]
        inside = max((s for name, s in trace.region_summary.items() if name), key=lambda s: s.union_ns)
        self.assertLessEqual(outside.union_ns + inside.union_ns, trace.window_ns[1] - trace.window_ns[0])

    def test_killed(self):
        """kill -9 of wattle: what exists is read; after repair the footer agrees with the blocks."""
        path = self.at("killed.wtl")
        run = subprocess.Popen([WATTLE, "run", "-q", "-i", "2ms", "-o", path, "--", "sleep", "300"],
                               start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            self.wait_for(lambda: self.rows(path) > 50)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait(120)
        with wattle_trace.open(path) as trace:
            self.assertFalse(trace.complete)
            self.assertEqual(trace.damage, [])
            self.assertIsNone(trace.window_s)
            with self.assertRaises(wattle_trace.TraceError):
                trace.summary
        self.same_as_wattle(path, 100)
        against_wattle.wattle("repair", path)
        self.check(path, 100)

    def wait_for(self, what):
        end = time.monotonic() + 120
        while not what():
            self.assertLess(time.monotonic(), end, "it never came")
            time.sleep(0.05)

    @staticmethod
    def rows(path):
        try:
            with wattle_trace.open(path) as trace:
                return sum(len(rows) for rows in trace.rows())
        except wattle_trace.TraceError:
            return 0

    def test_follow(self):
        """A running measurement: rows arrive as they are written, each once, until the footer."""
        path = self.at("live.wtl")
        run = subprocess.Popen([WATTLE, "run", "-q", "-i", "5ms", "-o", path, "--", "sleep", "2.5"],
                               stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait, 120)
        self.wait_for(lambda: self.rows(path) > 0)
        live, channels = {}, 0
        with wattle_trace.open(path) as trace:
            self.assertFalse(trace.complete)
            for rows in trace.follow(poll_s=0.02, timeout_s=120):
                live.setdefault(rows.group.id, []).extend(map(int, rows.times_ns))
                channels = max(channels, len(trace.channels))
            self.assertTrue(trace.complete)
            self.assertEqual(trace.unread_bytes, 0)
        self.assertEqual(run.wait(120), 0)
        with wattle_trace.open(path) as trace:
            whole = {}
            for rows in trace.rows():
                whole.setdefault(rows.group.id, []).extend(map(int, rows.times_ns))
        self.assertEqual(live, whole)
        self.assertGreater(sum(map(len, live.values())), 100)
        self.check(path, 100)

    def test_absent_values_are_in_gaps(self):
        """The specification's rule for gaps: each absent value is inside one, or at its begin."""
        path = self.at("faults.wtl")
        against_wattle.wattle("run", "-a", "-q", "--host", os.path.join(HOSTS, "faults"), "--duration", "6s", "-o", path)
        absent = 0
        with wattle_trace.open(path) as trace:
            for channel in trace.channels:
                gaps = [g for g in trace.gaps if g.channel == channel.name]
                for time_ns, value in trace.raw(channel):
                    if value is None:
                        absent += 1
                        self.assertTrue(any(g.begin_ns <= time_ns < g.end_ns or g.begin_ns == time_ns for g in gaps))
                for gap in gaps:
                    self.assertLessEqual(gap.begin_ns, gap.end_ns)
        self.assertGreater(absent, 10)


if __name__ == "__main__":
    main()
