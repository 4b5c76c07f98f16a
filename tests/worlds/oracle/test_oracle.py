# SPDX-License-Identifier: BSD-3-Clause
"""The oracle against closed forms and examples computed by hand (python3 tests/worlds/oracle/test_oracle.py)."""
import copy
import math
import os
import random
import subprocess
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import channels  # noqa: E402
from oracle import compare, expect, ledger, printed, samples, tasks  # noqa: E402
from oracle.power import Course, Malformed, Power, parse_log  # noqa: E402
from play import Folder  # noqa: E402
from situation import Situation, WrongInput  # noqa: E402

MS = 1_000_000


class Expressions(unittest.TestCase):
    def value(self, text, expected, **more):
        self.assertAlmostEqual(Power(text).at(0.0, **more), expected, places=12, msg=text)

    def test_operators(self):
        for text, expected in (("1+2*3", 7), ("2*3^2", 18), ("2^3^2", 512), ("-2^2+10", 6), ("8/4/2", 1), ("5--3", 8),
                               ("1<2", 1), ("3>=3", 1), ("1||0&&0", 1), ("!0+1", 2), ("0?1:0?2:3", 3), ("1?2:3", 2),
                               ("mod(-7,3)", 2), ("clamp(9,1,3)", 3), ("step(0)", 1), ("min(2,max(3,1))", 2),
                               ("2*pi", 2 * math.pi), ("1e1+.5", 10.5), ("log10(100)", 2), ("square(7,2,0.6)", 1)):
            self.value(text, expected)

    def test_variables(self):
        self.value("60+40*load", 80, load=0.5)
        self.value("f*10+socket", 26, f=2.5, socket=1)

    def test_no_power(self):
        for text in ("-5", "0/0", "1/0", "log(0)", "sqrt(-1)"):
            self.value(text, 0)

    def test_refused(self):
        for text in ("", "2t", "sin 3", "a", "min(1)", "1?2", "2=3", "(1", "1 2", "1e400", "5%3"):
            with self.assertRaises(Malformed, msg=text):
                Power(text)


class Staircase(unittest.TestCase):
    def test_sine(self):
        got = Power("60+20*sin(2*pi*t)").energy_j(0, 0.25)
        self.assertAlmostEqual(got, 15 + 20 / (2 * math.pi), delta=1e-6)
        self.assertAlmostEqual(Power("60+20*sin(2*pi*t)").energy_j(0, 3), 180, delta=1e-9)

    def test_square_cut_by_borders(self):
        power = Power("10+90*square(t,0.01,0.3)")
        self.assertAlmostEqual(power.energy_j(0, 0.01), 0.37, places=12)
        self.assertAlmostEqual(power.energy_j(0.002, 0.0125), 0.105 + 90 * (0.001 + 0.0025), places=12)

    def test_middle_of_the_cell(self):
        self.assertAlmostEqual(Power("t>0.00005 ? 10 : 0").energy_j(0, 0.0001), 0.0, places=15)
        self.assertAlmostEqual(Power("t>0.00004 ? 10 : 0").energy_j(0, 0.0001), 0.001, places=15)
        self.assertAlmostEqual(Power("1000*t").energy_j(0, 0.00002), 0.05 * 0.00002, places=15)

    def test_additive(self):
        power, rng = Power("50+30*sin(40*t)+20*square(t,0.007,0.4)"), random.Random(1)
        cuts = sorted(rng.uniform(0, 0.2) for _ in range(20))
        parts = math.fsum(power.energy_j(a, b) for a, b in zip(cuts, cuts[1:]))
        self.assertAlmostEqual(parts, power.energy_j(cuts[0], cuts[-1]), places=12)

    def test_steps(self):
        log = "1000\tstart\t1\n1000\tpackage-0\t50\n1000\tload\t0\n" \
              "2001000\tpackage-0\t100+100*load\n3001000\tload\t0.5\n"
        course = Course.of_log(log, "package-0")
        self.assertAlmostEqual(course.energy_j(1000, 4001000), 0.1 + 0.1 + 0.15, places=12)
        self.assertEqual(parse_log('time_ns,what,value\n5,core-0,"a ""b"", c"\n'), [(5, "core-0", 'a "b", c')])

    def test_extremes(self):
        course = Power("10+90*square(t,0.1,0.1)").course()
        low, high = course.extremes_w(50 * MS, 0, 1000 * MS)
        self.assertAlmostEqual(low, 10, places=9)
        self.assertAlmostEqual(high, 28, places=9)
        whole = course.extremes_w(2000 * MS, 0, 1000 * MS)
        self.assertAlmostEqual(whole[0], 19, places=9)
        low, high = course.extremes_at_least_w(50 * MS, 0, 1000 * MS)
        self.assertLessEqual(low, 10)
        self.assertGreaterEqual(high, 28)

    def test_extremes_hold_all_windows(self):
        course, rng = Power("50+40*sin(60*t)*square(t,0.03,0.5)").course(), random.Random(2)
        low, high = course.extremes_w(20 * MS, 0, 200 * MS)
        low2, high2 = course.extremes_at_least_w(20 * MS, 0, 200 * MS)
        for _ in range(40):
            begin = rng.randrange(0, 180 * MS)
            self.assertTrue(low - 1e-9 <= course.mean_w(begin, begin + 20 * MS) <= high + 1e-9)
            end = rng.randrange(begin + 20 * MS, 200 * MS + 1)
            self.assertTrue(low2 - 1e-9 <= course.mean_w(begin, end) <= high2 + 1e-9)


def series(pairs, unit=1.0, **more):
    return samples.Samples(np.array([p[0] for p in pairs], dtype=np.int64) * MS,
                           np.array([p[1] for p in pairs], dtype=np.int64), unit, **more)


class Counters(unittest.TestCase):
    def test_bounds_by_hand(self):
        # 1 J units. Read 0 at 0 ms, 5 at 100, 10 at 200: E(0) in [0, 6), E(200) >= 10, < 11 + max_w * (200 - 100) ms.
        s = series([(0, 0), (100, 5), (200, 10)])
        low, high = samples.energy_bounds(s, 0, 200 * MS, 1000)
        self.assertAlmostEqual(low, 10 - 6)
        self.assertAlmostEqual(high, 11 + 100)
        low, high = samples.energy_bounds(s, 0, 200 * MS, 60)
        self.assertAlmostEqual(high, 12)  # no more than 60 W for 0.2 s

    def test_tick_across_the_border(self):
        # The tick with 8 J came between 9 and 11 ms; the border at 10 ms can be on either side of it.
        s = series([(0, 0), (1, 1), (9, 1), (11, 9), (19, 9), (21, 17)])
        low, high = samples.energy_bounds(s, 1 * MS, 10 * MS, 2000)
        self.assertLessEqual(low, 7)
        self.assertGreaterEqual(high, 9)

    def test_wrap(self):
        self.assertEqual(samples.growth(65530, 4, 10 * MS, 1.0, 65536, 2000), (10, ""))
        self.assertEqual(samples.growth(65530, 4, 60_000 * MS, 1.0, 65536, 2000)[1], "may have wrapped")
        self.assertEqual(samples.growth(1000, 0, 10 * MS, 1.0, 65536, 2000)[1], "reset")
        s = samples.Samples.of_raw(np.array([0, 10, 20]) * MS, [65530, 4, 14], 1.0, 65536, 2000)
        self.assertEqual(list(s.values), [0, 10, 20])

    def test_stall_and_catch_up(self):
        s = series([(0, 0), (10, 10), (20, 12), (30, 12), (40, 12), (50, 50), (60, 60)])
        self.assertEqual(samples.stands(s, 15 * MS), [(20 * MS, 40 * MS, 50 * MS, 38.0)])
        low, high = samples.energy_bounds(s, 10 * MS, 30 * MS, 3000)
        self.assertTrue(low <= 20 <= high)

    def test_break(self):
        s = series([(0, 0), (10, 10), (20, 11), (30, 21)], breaks=(1,))
        low, high = samples.energy_bounds(s, 0, 30 * MS, 1000)
        self.assertGreaterEqual(high, 30)
        self.assertLessEqual(low, 20)
        self.assertIsNone(samples.energy_best(s, 0, 30 * MS))

    def test_truth_is_within(self):
        rng = random.Random(3)
        for trial in range(20):
            unit, tick = rng.choice([1e-3, 0.05, 1.0]), rng.randrange(1, 20) * MS
            low, step, period = rng.uniform(5, 60), rng.uniform(0, 200), rng.uniform(0.005, 0.1)
            course = Power(f"{low}+{step}*square(t,{period},0.4)").course()
            most = 261.0
            times = sorted(rng.randrange(0, 300 * MS) for _ in range(40))
            values = [math.floor(course.energy_j(0, t // tick * tick) / unit) for t in times]
            s = samples.Samples(np.array(times), np.array(values), unit)
            begin, end = sorted(rng.sample(range(times[0], times[-1]), 2))
            low, high = samples.energy_bounds(s, begin, end, most)
            truth = course.energy_j(begin, end)
            self.assertTrue(low - 1e-9 <= truth <= high + 1e-9, (trial, low, truth, high))

    def test_best(self):
        s = series([(i, 50 * i) for i in range(100)], unit=1e-3)
        self.assertAlmostEqual(samples.energy_best(s, 20 * MS + 500000, 70 * MS), 49.5 * 0.05, places=9)


TABLE = """ Energy of ./solver in 12.0002 s:
   channel                 energy [J]  mean [W]  min..max [W]  quality
 + powercap:package-0  1234.57 +- 0.23    102.88       80..110  measured
     powercap:core-0    980.10 +- 0.19     81.68        61..89  measured
 + estimate:node-0  1.6 (0.6..9.4)         7      6.9..7.3  estimated
   total               1333.29 +- 0.24    111.11                measured
 this command    1200 J of the total by CPU time (estimated)
 ! NOT ALONE     the energy includes other processes
 ! RANKS WITHOUT WORD processes of the job
"""


class Printed(unittest.TestCase):
    def test_table(self):
        rows = printed.parse_text(TABLE)
        self.assertEqual(list(rows), ["powercap:package-0", "powercap:core-0", "estimate:node-0", "total"])
        self.assertEqual((rows["powercap:core-0"]["energy"], rows["powercap:core-0"]["max"]), ("980.10", "89"))
        self.assertEqual((rows["estimate:node-0"]["low"], rows["estimate:node-0"]["high"]), ("0.6", "9.4"))
        self.assertTrue(rows["powercap:package-0"]["in_total"] and not rows["powercap:core-0"]["in_total"])
        least = printed.parse_text("   total               at least 3.0064   unknown                simulated")["total"]
        self.assertEqual((least["least"], least["energy"], least["mean"]), ("3.0064", None, "unknown"))
        self.assertEqual(printed.parse_flags(TABLE), ["NOT ALONE", "RANKS WITHOUT WORD"])
        self.assertEqual(printed.parse_share(TABLE), "1200")
        self.assertEqual(printed.parse_head(TABLE)["time"], "12.0002")

    def test_same(self):
        for exact, text in ((1.2345, "1.23"), (1.235, "1.24"), (1204, "1200"), (None, ""), (None, "-"),
                            (1.1e2, "1.1e+02")):
            self.assertTrue(printed.same(exact, text), (exact, text))
        for exact, text in ((1.2345, "1.24"), (1260, "1200"), (None, "0"), (1.0, ""), (1.26e2, "1.1e+02")):
            self.assertFalse(printed.same(exact, text), (exact, text))

    def test_quantity(self):
        self.assertEqual(printed.quantity("4.5 kJ"), (4500.0, 100.0))
        self.assertAlmostEqual(printed.quantity("12.0 ms")[0], 0.012)


def document():
    """A right document of a run."""
    channel = {"name": "powercap:package-0", "domain": "package", "index": 0, "sub": None, "quality": "measured",
               "simulated": False, "simulates": None, "primary": True, "in_total": True, "within": None,
               "energy_j": 100.0, "resolution_interval_j": 0.03, "low_j": None, "high_j": None, "mean_w": 50.0,
               "min_w": 40.0,
               "max_w": 60.0, "sd_w": 1.0, "stat_window_ms": 125.0, "samples": 20, "stale": 0, "gaps": 0, "gap_s": 0.0,
               "unknown_s": 0.0,
               "gap_reasons": []}
    core = dict(channel, name="powercap:core-0", domain="core", in_total=False, within="powercap:package-0",
                energy_j=40.0, mean_w=20.0, min_w=10.0, max_w=30.0)
    dram = dict(channel, name="powercap:dram-0", domain="dram", energy_j=10.0, resolution_interval_j=0.04, mean_w=5.0,
                min_w=5.0, max_w=5.0)
    total = {"energy_j": 110.0, "resolution_interval_j": 0.05, "low_j": None, "high_j": None, "mean_w": 55.0,
             "unknown_s": 0.0, "quality": "measured", "simulated": False, "simulates": None,
             "channels": ["powercap:package-0", "powercap:dram-0"]}
    return {"wall_time_s": 2.0, "start_monotonic_ns": 10, "end_monotonic_ns": 2_000_000_010,
            "channels": [channel, core, dram], "total": total, "edp_js": 220.0, "ed2p_js2": 440.0, "flags": [],
            "flag_texts": {}, "process": {"energy_share_j": 60.0, "others_share_j": 30.0, "idle_j": 15.0,
                                          "unattributed_j": 5.0, "cpu_s": 1.0}}


RIGHT = """ Energy of x in 2.0 s:
   channel                 energy [J]  mean [W]  min..max [W]  quality
 + powercap:package-0  100.000 +- 0.030    50.000       40..60  measured
     powercap:core-0    40.000 +- 0.030     20.00       10..30  measured
 + powercap:dram-0      10.000 +- 0.040     5.000     5.0..5.0  measured
   total               110.000 +- 0.050     55.00                measured
"""


class Laws(unittest.TestCase):
    def laws(self, change, text=None):
        doc = document()
        change(doc)
        return {(v[0], v[1]) for v in expect.check_run_document(doc, text)}

    def test_right(self):
        self.assertEqual(expect.check_run_document(document(), RIGHT), [])

    def test_wrong_one_by_one(self):
        def put(path, value):
            def change(doc):
                for key in path[:-1]:
                    doc = doc[key]
                doc[path[-1]] = value
            return change
        for path, value, law in (
                (("total", "energy_j"), 111.0, "sum"), (("total", "resolution_interval_j"), 0.07, "sum"),
                (("channels", 0, "mean_w"), 51.0, "sum"), (("channels", 0, "min_w"), 52.0, "order"),
                (("channels", 0, "max_w"), 45.0, "order"), (("edp_js",), 221.0, "sum"),
                (("channels", 0, "unknown_s"), 0.5, "unflagged"), (("process", "idle_j"), 16.0, "sum"),
                (("process", "energy_share_j"), 160.0, "bound"), (("channels", 1, "energy_j"), 101.0, "bound"),
                (("channels", 0, "quality"), "estimated", "estimate"), (("flags",), ["NOT ALONE"], "unflagged"),
                (("total", "mean_w"), float("nan"), "same-number"),
                (("channels", 0, "gap_reasons"), ["reset"], "unflagged"),
                (("end_monotonic_ns",), 3_000_000_010, "same-number")):
            self.assertIn(law, {found for found, _ in self.laws(put(path, value))}, path)

    def test_text(self):
        for a, b in (("100.000", "100.100"), ("+- 0.040", "+- 0.048"), ("40..60", "40..62"), ("20.00 ", "20.20 "),
                     (" + powercap:dram-0", " + powercap:dram-1"), ("110.000 +- 0.050", "110.000000 +- 0.050")):
            found = expect.check_run_document(document(), RIGHT.replace(a, b))
            self.assertTrue(found, (a, b))

    def test_repeat(self):
        mean, sd, half = expect.spread([1.0, 2.0, 3.0])
        self.assertAlmostEqual((mean, sd)[0], 2.0)
        self.assertAlmostEqual(half, 4.30265 / math.sqrt(3), places=4)
        self.assertEqual(expect.spread([1.0, 2.0])[2], None)

    def test_same_documents(self):
        other = copy.deepcopy(document())
        self.assertEqual(expect.same_documents(document(), other), [])
        other["channels"][1]["max_w"] = 31.0
        self.assertEqual(len(expect.same_documents(document(), other)), 1)


class Channels(unittest.TestCase):
    """Results that lack something."""
    SITUATION = Situation.of_lines("attach", ["power package=50", "power core=20", "power dram=5"])

    def found(self, change, truth=True):
        doc, true_j = document(), {"package-0": 100.0, "core-0": 40.0, "dram-0": 10.0}
        for c in doc["channels"]:
            c.update(sensor="powercap", index=0)
        change(doc)
        o = {"truth": {"10-2000000010": true_j} if truth else {}}
        return {f"{v.law} {v.where}" for v in channels.check(o, doc) + channels.declared(self.SITUATION, doc)}

    def test_right(self):
        self.assertEqual(self.found(lambda doc: None), set())

    def test_no_channel(self):
        self.assertIn("known channels[dram]", self.found(lambda doc: doc["channels"].pop()))

    def test_no_energy(self):
        self.assertIn("known channels[core].energy_j",
                      self.found(lambda doc: doc["channels"][1].update(energy_j=None, mean_w=None)))

    def test_no_window(self):
        self.assertIn("known window", self.found(lambda doc: doc.update(start_monotonic_ns=None)))
        self.assertIn("known window", self.found(lambda doc: None, truth=False))

    def test_little_unknown(self):
        def change(doc):
            doc["channels"][0].update(energy_j=0.0, unknown_s=1e-6)
            doc["flags"].append("INCOMPLETE")
        self.assertIn("unflagged channels[powercap:package].unknown_s", self.found(change))


class Words(unittest.TestCase):
    def test_situation(self):
        for text in ("", "engine real\n", "family run\n\x00 x\n"):
            self.assertRaises(WrongInput, Situation.parse, text)

    def test_processes_of_a_play_end_with_it(self):
        with Folder("test") as folder:
            child = subprocess.Popen(["sleep", "100"], env={**os.environ, "TMPDIR": folder},
                                     start_new_session=True)
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(child.wait(5), -9)


class Models(unittest.TestCase):
    def test_told_apart(self):
        seconds = np.array([[1, 2, 1.0], [2, 4, 0.5], [3, 6, 0.2]])
        self.assertEqual(tasks.rank(seconds), 2)
        self.assertEqual(tasks.told_apart(seconds), [False, False, True])
        self.assertEqual(tasks.groups(seconds), [[0, 1]])
        self.assertTrue(tasks.joint_known(seconds, [0, 1]))
        watts, rest = tasks.fit(seconds, seconds @ [5, 7, 9])
        self.assertEqual(watts[:2], [None, None])
        self.assertAlmostEqual(watts[2], 9)
        self.assertAlmostEqual(float(np.abs(rest).max()), 0, places=9)

    def test_joint_is_not_always_known(self):
        # c = a + b in each interval: three powers hang together, and only all three together are known.
        seconds = np.array([[1, 2, 3.0], [2, 1, 3.0], [1, 1, 2.0]])
        self.assertEqual(tasks.groups(seconds), [[0, 1, 2]])
        self.assertFalse(tasks.joint_known(seconds, [0, 1]))
        self.assertTrue(tasks.joint_known(seconds, [0, 1, 2]))

    def test_seconds(self):
        marks = [("a", 0, 15 * MS), ("b", 5 * MS, 10 * MS), ("a", 0, 10 * MS)]
        matrix, names = tasks.seconds(marks, [0, 10 * MS, 20 * MS])
        self.assertEqual(names, ["a", "b"])
        np.testing.assert_allclose(matrix, [[0.02, 0.005], [0.005, 0]])

    def test_compare(self):
        self.assertAlmostEqual(compare.quantile(10), 2.228139, places=5)
        self.assertAlmostEqual(compare.quantile(2, 0.95), 4.302653, places=5)
        a, b = [1.0, 1.1, 0.9, 1.05], [2.0, 2.1, 1.9, 2.2]
        change, low, high = compare.interval(a, b)
        self.assertTrue(low < change < high and abs(change - compare.change(a, b)) < 1e-12)
        self.assertTrue(compare.signs_agree([1, 1, 10], [3, 3, 3]))  # both are of geometric means
        self.assertEqual([r for _, r in compare.holm([0.01, 0.04, 0.03])], [True, False, False])

    def test_ledger(self):
        courses = [Power("10").course(), Power("5").course()]
        jobs = {"a": (0, 2000 * MS), "b": (1000 * MS, 3000 * MS), "c": (4000 * MS, 5000 * MS)}
        self.assertEqual(ledger.exclusive_j(jobs, courses), {"c": 15.0})
        self.assertAlmostEqual(ledger.covered_j(jobs, courses), 60.0)
        parts = ledger.proportional_j(jobs, courses, {"a": 1, "b": 2, "c": 1})
        self.assertAlmostEqual(parts["a"], 20.0)
        self.assertAlmostEqual(sum(parts.values()), 60.0)
        self.assertTrue(ledger.check_record({"energy_j": 15.0, "charged_j": 15.0, "resolution_j": 0.1, "unknown_s": 1.0,
                                             "rule": "exclusive"}, 15.0))


if __name__ == "__main__":
    unittest.main()
