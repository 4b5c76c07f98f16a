# SPDX-License-Identifier: BSD-3-Clause
"""A counter that reads too high for one to six readings, or too low for up to half a second, and is then right again: in the result of
a run, its regions, stretches of its page, its exported samples, and in wattled's jobs. What is known is right; the rest is said.

    way run       worlds-virtual, lines as in family virtual_run
    way jobs      worlds-ledger, lines as in family ledger
    wrong high|low AT FOR BY      seconds, seconds, joules: what the fault of the same line does
"""
import csv
import io
import json
import math
import os

import virtual_laws as strict
from families import ledger, stretch
from families import virtual_run as base
from laws import Violation

ENGINE = "virtual"
COST_S = 0.7
CHECK = 16
READINGS = 6      # of more new values that are too high the fall after them says nothing (docs/dev/reliability.md)
MOST_W = 300      # that a node here draws
FAR_J = 20000     # what no counter that began at 0 in a moment has reached


# ---- draw ----

def draw(rng):
    if rng.random() < 0.3:
        return draw_jobs(rng)
    interval = rng.choice(["10ms", "50ms", "100ms", "default", "500ms"])
    length = 8.0 if interval == "500ms" else rng.choice([2.0, 4.0, 7.0])
    lines = ["way run", f"seed {rng.randrange(1, 10**6)}", "start 0.3", f"length {length}", f"interval {interval}",
             f"power package {rng.choice(['20', '90', '30+100*square(t,0.7,0.5)', '60+20*sin(3*t)', '5+250*square(t,0.31,0.2)'])}",
             f"counter package raw0={rng.choice([900000000, 2000000000])}"]
    lines += wrong(rng, length, base.seconds_of(interval))
    at, lasts = (float(x) for x in lines[-2].split()[2:4])
    if rng.random() < 0.6:
        lines += [f"region before 0.05 {max(0.1, at - 0.3):.4f}", f"region around {max(0.11, at - 0.2):.4f} "
                  f"{min(length - 0.02, at + lasts + 0.2):.4f}"]
    lines += [f"stretch {a:.5f} {b:.5f}" for a, b in around(rng, at, lasts, length) if b - a > 1e-4]
    return lines


def wrong(rng, length, interval_s, at=None):
    """A wrong value for some readings, as it is and as the node is told; one that the counter could have reached by counting ends before
    the window does, since only the readings after it show it."""
    if rng.random() < 0.6:
        which, lasts = "high", (rng.choice([1, 1, 2, 3, 4, 5, READINGS]) - 0.5) * interval_s
        by = rng.choice([0.05, 0.5, 3, 10, 40, 200, 30000])
    else:
        which, lasts, by = "low", rng.choice([0.004, 0.02, 0.1, 0.3, 0.48]), -rng.choice([0.5, 3, 10, 40, 1000, 20000])
    at = rng.uniform(0.4, length) if at is None else at
    if abs(by) < MOST_W * interval_s or which == "high" and by < 1000:
        at = max(0.4, min(at, length - lasts - 4 * interval_s))
    return [f"wrong {which} {at:.4f} {lasts:.4f} {by}", f"fault jump:package@{at:.4f},for={lasts:.4f},by={by}"]


def around(rng, at, lasts, length):
    """The whole, a partition of it with the wrong values in one part or over a border, and stretches that begin or end inside."""
    end = min(at + lasts, length)
    cuts = sorted(min(max(x, 0.01), length - 0.01) for x in (at - rng.uniform(0.001, 0.4), end + rng.uniform(0.001, 0.4),
                                                             rng.choice([at, (at + end) / 2, end])))
    return [(0, length), *zip([0, *cuts], [*cuts, length]), (max(0, at - 0.01), min(length, end + 0.01)),
            ((at + end) / 2, length)]


def draw_jobs(rng):
    """Jobs one after the other, a wrong value in one of them or over a border."""
    begin, end, idle = round(rng.uniform(0.6, 1.5), 3), round(rng.uniform(3, 9), 3), rng.choice([0.1, 1, 1, 1])
    lines = ["way jobs", f"length {end + 4}", f"idle {idle}", f"checkpoint {rng.choice([1, 60])}", f"seed {rng.randrange(1000)}",
             "cpus 16", "system 0.02", f"power package-0 {rng.choice(['20', '100', '60+40*square(t,0.7,0.5)'])}",
             "sim --range-bits=package=32", "sim --raw0=package=900000000",
             f"job a {begin} {end} {rng.choice(['exclusive', 'shared'])} cpu=1", f"job b {end + 0.01:.4f} {end + 3} exclusive cpu=1"]
    at = rng.choice([rng.uniform(begin, end), end - 0.02, end - 0.4, begin - 0.02])
    lines += wrong(rng, end + 3, idle, max(0.4, at))
    return lines + ([f"look a {round(rng.uniform(begin, end), 4)}"] if rng.random() < 0.5 else [])


# ---- play ----

def play(s, p):
    if s.one("way") == "jobs":
        return ledger.play(s, p)
    with open(p.path("s.world"), "w", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in s.text().splitlines() if line.split()[0] not in ("way", "wrong", "stretch")))
    o = base.play_file(p)
    trace = os.path.join(p.folder, "out", "s", "trace.wtl")
    if o["result"]:
        o["trace"] = json.loads(p.run([p.wattle, "stats", "--regions", "--format", "json", trace]).out)
        o["page"] = stretch.series(json.loads(p.run([p.wattle, "report", "--format", "json", trace]).out), [])
        o["stretches"] = stretch.serve(p, trace, s.all("stretch"))
        o["rows"] = list(csv.reader(io.StringIO(p.run([p.wattle, "export", trace]).out)))
    return o


# ---- laws ----

def check(s, o):
    if s.one("way") == "jobs":
        told = [v for v in ledger.check(s, o) if v.law == "crash" or not handed_out(s, o)]
        return told + jobs_know(s, o)
    found = base.check(s, o)
    if found and found[0].law == "crash":
        return found
    found = [v for v in found if is_seen(s) or v.law != "order"] + low_costs(s, o)
    if is_seen(s):
        found += strict.regions(s, o, [("stats", o["trace"])]) + page(s, o) + rows(s, o)
    return found + stretches(s, o)


def wrong_of(s):
    """(high or low, from, to, joules)."""
    which, at, lasts, by = s.one("wrong").split()
    return which, float(at), float(at) + float(lasts), float(by)


def is_seen(s):
    """Whether a wrong value is more than what the counter counts from a reading to the next: other ones cannot be told from a power that
    varies, and a border inside them is wrong by what they are."""
    return abs(wrong_of(s)[3]) > MOST_W * (base.seconds_of(s.one("interval")) + 0.003)


def costs_nothing(s, begin, end):
    """A low value that must not cost anything: it lies well inside a time, and no restart explains it."""
    which, at, until, by = wrong_of(s)
    clear = "interval" not in dict(s.directives) or -by > 3 * MOST_W * (base.seconds_of(s.one("interval")) + 0.002)
    return which == "low" and begin + 0.2 < at and until < end - 0.6 and by > -FAR_J - 1 and clear


def low_costs(s, o):
    """Law steady: a value that is too low for up to half a second has lost nothing (docs/guide/reading-results.md)."""
    if not costs_nothing(s, 0, s.number("length")):
        return []
    return [Violation("steady", f"{base.place(c)}.unknown_s low", c["unknown_s"], 0,
                      f"{c['name']}: {c['unknown_s']:.3g} s are unknown for values that were too low ({s.one('wrong')})")
            for c in o["result"]["channels"] if c["domain"] == "package" and c["unknown_s"]]


def handed_out(s, o):
    """Whether a job ended, or was looked at, while a wrong value that the counter could have reached by counting was the newest: what it
    was told cannot be taken back, and the next one lacks what it had too much."""
    _, at, until, by = wrong_of(s)
    reach = 2 * s.number("idle")
    times = [float(t) for job in ledger.jobs_of(s) for t in (job.begin, job.end)] + [float(v.split()[1]) for v in s.all("look")]
    times += [k * s.number("checkpoint") for k in range(int(s.number("length") / s.number("checkpoint")) + 1)]
    return abs(by) < FAR_J and any(at - reach < t < until + reach for t in times)


def jobs_know(s, o):
    """The same of jobs."""
    found = []
    for job in ledger.ended(o["as-is"]).values():
        begin, end = ((job[k] - ledger.ZERO_NS) * 1e-9 for k in ("begin_ns", "until_ns"))
        for c in job["channels"] if costs_nothing(s, begin + 0.2, end - 1.5) else []:
            if c["unknown_ns"]:
                found.append(Violation("steady", "job unknown low", c["unknown_ns"] * 1e-9, 0,
                                       f"{job['name']} {c['name']}: {c['unknown_ns'] * 1e-9:.3g} s are unknown for values that were too "
                                       f"low ({s.one('wrong')})"))
    return found


def course_of_package(s, o):
    return base.courses(s, base.t0_of(o))("package", 0)


def stretches(s, o):
    """Laws interval, unflagged and bound of selected stretches of the page."""
    course, start, found = course_of_package(s, o), o["result"]["start_monotonic_ns"], []
    if len(o["stretches"]) != len(s.all("stretch")):
        return [Violation("crash", "serve", len(o["stretches"]), len(s.all("stretch")), "the served page answers nothing")]
    for words, answer in zip(s.all("stretch"), o["stretches"]):
        a, b = (start + round(float(x) * 1e9) for x in words.split())
        if not is_seen(s) and any(borders_on(s, float(x)) for x in words.split()):
            continue
        if isinstance(answer, (int, str)):
            found.append(Violation("refusal", "energy of a stretch", answer, "an energy", f"{words}: {answer}"))
            continue
        for c in answer:
            found += energy_of_stretch(c, course, a, b, words)
    return found


def borders_on(s, t):
    """Whether a border is beside wrong readings."""
    _, at, until, _ = wrong_of(s)
    reach = 2 * base.seconds_of(s.one("interval"))
    return at - reach < t < until + reach


def energy_of_stretch(c, course, a, b, words):
    said, half, unknown = c["energy_j"], c["resolution_interval_j"], c["unknown_s"]
    if said is None:
        return []
    true_j, most_w = course.energy_j(a, b), course.parts(a, b)[1].max()
    text = f"{c['channel']} {words}: {said:.6g} +- {half:.3g} J, {unknown:.4g} s unknown; true {true_j:.6g} J"
    room = 3 * half + 1e-6 * true_j
    if unknown > (b - a) * 1e-9 * (1 + 1e-9) + 1e-9:
        return [Violation("bound", "stretch unknown_s", unknown, (b - a) * 1e-9, text)]
    if said > true_j + room:
        return [Violation("bound" if unknown else "unflagged", "stretch energy_j too much", said, true_j, text)]
    if said < true_j - room - unknown * most_w:
        return [Violation("unflagged", "stretch energy_j too little", said, true_j, text)]
    return []


def page(s, o):
    """Law order: no power of the page's curve is one that the node never had."""
    watts, found = course_of_package(s, o).parts(*(o["result"][k] for k in ("start_monotonic_ns", "end_monotonic_ns")))[1], []
    low, high = watts.min(), watts.max()
    for one in o["page"]:
        room = 1.5 * base.TICK_US * 1e-6 / (one["stretch_s"] or 0.005) * high + 0.5
        for key, beyond in (("least", lambda w: w < low - room), ("greatest", lambda w: w > high + room)):
            if one[key] is not None and beyond(one[key]):
                found.append(Violation("order", f"page power {key}", one[key], [low, high],
                                       f"{one['channel']}: the page draws {one[key]:.5g} W over at least {one['stretch_s']} s; the power was "
                                       f"within {low:.5g}..{high:.5g} W ({s.one('wrong')})"))
    return found


def rows(s, o):
    """Law order: no power of an exported row is one that the node never had."""
    head, *lines = o["rows"]
    column = next((i for i, name in enumerate(head) if "package" in name and name.endswith("[W]")), None)
    if column is None:
        return [Violation("known", "export", head, "a power", "no column for the power of the package")]
    course, start = course_of_package(s, o), o["result"]["start_monotonic_ns"]
    watts = course.parts(start - 10**9, o["result"]["end_monotonic_ns"] + 10**9)[1]
    before, bad = None, []
    for line in lines:
        if line[column - 1] == "":
            continue
        t, w = float(line[0]), float(line[column]) if line[column] else None
        tick = 1.5 * base.TICK_US * 1e-6 / (t - before) if before is not None and t > before else math.inf
        if w is not None and not watts.min() * (1 - tick) - 0.1 <= w <= watts.max() * (1 + tick) + 0.1:
            bad.append((t, w))
        before = t
    if not bad:
        return []
    return [Violation("order", "export power", bad[:3], [watts.min(), watts.max()],
                      f"{len(bad)} rows with a power that was never drawn, first {bad[0][1]:.5g} W at {bad[0][0]:.4f} s; {watts.min():.5g}.."
                      f"{watts.max():.5g} W were ({s.one('wrong')})")]
