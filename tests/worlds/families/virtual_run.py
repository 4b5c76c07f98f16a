# SPDX-License-Identifier: BSD-3-Clause
"""wattle run in virtual time: hard combinations of counters, loads, faults, lateness, windows and intervals."""
import json
import math
import os
import re

from laws import Violation, too_few
from oracle import against, expect
from oracle.power import Course, Power
from oracle.printed import last_digit

ENGINE = "virtual"
COST_S = 0.25
CHECK = 140
ALWAYS = -(1 << 60)
TICK_US = 976.5625
AT_LEAST = re.compile(r"^   total +at least (\S+)", re.M)
LOSING = ("vanish", "reset", "wrap-while-stalled", "eio", "stall")


# ---- draw ----

def draw(rng):
    return draw_steady(rng) if rng.random() < 0.2 else draw_hard(rng)


def draw_steady(rng):
    """Nothing happens: here an interval has no excuse."""
    lines = [f"seed {rng.randrange(1, 10**6)}", "start 0.05", f"length {rng.choice([0.05, 0.3, 1])}",
             f"power package {rng.choice([0.05, 0.3, 1, 3, 30, 150])}"]
    if rng.random() < 0.3:
        lines.append(f"power dram {rng.choice([0.05, 0.3, 2])}")
    if rng.random() < 0.3:
        lines.append(f"interval {rng.choice(['10ms', '50ms', '1s'])}")
    return lines


def draw_hard(rng):
    length = rng.choice([0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.5, 0.5, 1, 1, 2, 5, 20, 60])
    tick_us = rng.choice([TICK_US] * 7 + [1000, 10000, 20000, 100000])
    lines = [f"seed {rng.randrange(1, 10**6)}", f"start {rng.choice([0.05, 0.05, 0.3, 1.0])}", f"length {length}"]
    sockets = 2 if rng.random() < 0.3 else 1
    if sockets == 2 or rng.random() < 0.2:
        lines.append(f"machine sockets={sockets} view={rng.choice(['powercap,msr', 'powercap', 'msr'])}")
    if rng.random() < 0.6:
        lines.append(f"interval {rng.choice(['1ms', '5ms', '10ms', '50ms', '200ms', '1s', '10s'])}")
    lines += draw_powers(rng, length, tick_us)
    package = next(line for line in lines if line.startswith("power package"))
    watts = float(package.split()[2].split("+")[0]) + float(package.split("+")[1].split("*")[0]) / 2
    registers = lines[3:4] and lines[3].endswith("view=msr")  # all have one unit, and 32 bits
    lines += [line for line in draw_counters(rng, tick_us, sockets, length, watts)
              if not registers or "bits=" not in line and "unit_exp=" not in line]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        lines.append(draw_fault(rng, length, sockets))
    return lines + draw_costs(rng)


def draw_powers(rng, length, tick_us):
    """Package, with core inside it, and dram; loads meet the borders of the window, or lie within a tick of them."""
    idle = rng.choice([0.5, 5, 30, 60])
    high = rng.choice([20, 100, 250])
    off = rng.choice([0, 0, 1, -1, 0.4, -0.4]) * tick_us * 1e-6
    begin = rng.choice([0, 0, off, length / 2, -0.1])
    end = rng.choice([length, length + off, length / 2, length * 0.9, length + 1])
    period = rng.choice([0.004, 0.1, 0.25, 1.0])
    shape = rng.choice(["0", "1", f"(t>={begin:.7g} && t<{end:.7g})", f"(t<{begin:.7g} || t>={end:.7g})",
                        f"(t<{length / 3:.7g})",
                        f"(t>={2 * length / 3:.7g})", f"square(t,{period},{rng.choice([0.02, 0.1, 0.5])})",
                        f"(1+sin(2*pi*t/{period}))/2",
                        f"exp(-abs(t-{length / 2:.7g})/{rng.choice([0.001, 0.02, 0.3])})"])
    lines = [f"power package {idle}+{high}*{shape}"]
    if rng.random() < 0.4:
        lines.append(f"power core {idle / 2}+{high / 2}*{shape}")
    if rng.random() < 0.5:
        lines.append(f"power dram {rng.choice(['5', '0.3', f'2+{high / 10}*{shape}'])}")
    if rng.random() < 0.2:
        lines.append(f"step {rng.choice([0, length / 2, length * 0.95, length]):.7g} "
                     f"package={rng.choice([1, 45, 180])}")
    return lines


def draw_counters(rng, tick_us, sockets, length, watts):
    lines = []
    if tick_us != TICK_US or rng.random() < 0.3:
        lines.append(f"counter package tick_us={tick_us} jitter_us={rng.choice([0, 20, 200])}")
    if rng.random() < 0.25:
        lines.append(f"counter package bits={rng.choice([18, 20, 22, 24, 26])} raw0={rng.choice([0, 200000])}")
    elif rng.random() < 0.4:  # it wraps within the run, or just before or after it
        bits, units = rng.choice([26, 28, 32]), int(watts * rng.uniform(0.02, 1.3) * length * 16384)
        lines.append(f"counter package bits={bits} raw0={2**bits - min(max(units, 1), 2**26 - 1)}")
    if rng.random() < 0.1:
        lines.append(f"counter package unit_exp={rng.choice([8, 10, 16, 18])}")
    if sockets == 2 and rng.random() < 0.3:
        lines.append(f"counter package-1 tick_us={rng.choice([TICK_US, 10000, 100000])}")
    return lines


def draw_fault(rng, length, sockets):
    kind = rng.choice(LOSING)
    domain = rng.choice(["package", "package-0", "package-1" if sockets == 2 else "package"])
    at = rng.choice([-0.02, -0.002, 0, 0.0005, length * 0.3, length * 0.6, length - 0.001, length])
    text = f"fault {kind}:{domain}@{at:.7g}"
    if kind in ("stall", "vanish", "eio") and rng.random() < 0.8:
        text += f",for={rng.choice([0.003, 0.05, length * 0.1, length * 0.5, length * 2]):.7g}"
    if kind == "eio":
        text += f",rate={rng.choice([0.05, 0.5, 1])}"
    return text


def draw_costs(rng):
    return rng.choice([[]] * 4 + [["costs pread_ns=25000"],
                                  ["costs wait_p=0.05 wait_ns=4000000 preempt_p=0.0003 preempt_ns=3000000"],
                                  ["costs wait_p=0.5 wait_ns=4000000 preempt_p=0.02 preempt_ns=3000000"],
                                  ["costs late_ns=300000 tail_ns=100000"], ["costs preempt_p=0.1 preempt_ns=12000000"]])


# ---- play ----

def play(s, p):
    with open(p.path("s.world"), "w", encoding="utf-8") as f:
        f.write(s.text())
    return play_file(p)


def play_file(p):
    """The same of s.world, which is there."""
    done = p.run([p.test_program("worlds-virtual"), "out", "s.world"], timeout=120)
    o = {"status": done.status, "err": done.err[-400:], "error": p.read("out/s/error.txt")}
    for name in ("result.txt", "result.csv", "truth.txt", "warnings.txt"):
        o[name] = p.read(f"out/s/{name}")
    o["result"] = _json(p.read("out/s/result.json"))
    if o["result"]:
        stats = p.run([p.wattle, "stats", "--format", "json", "trace.wtl"], cwd=os.path.join(p.folder, "out", "s"))
        o["stats"], o["stats_err"] = _json(stats.out), stats.err[-400:]
    return o


def _json(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


# ---- truth ----

def courses(s, t0_ns):
    """{(domain, index or None): Course} of the powers and steps of a situation."""
    steps = []
    for value in s.all("step"):
        time, _, what = value.partition(" ")
        name, _, power = what.partition("=")
        steps.append((t0_ns + round(float(time) * 1e9), name.strip(), power))
    found = {}
    for value in s.all("power"):
        domain, _, expression = value.partition(" ")
        found[domain] = [(ALWAYS, domain, expression), (ALWAYS, "load", "0"),
                         *[x for x in steps if x[1] in (domain, "load")]]
    return lambda domain, index: _course(found, domain, index, t0_ns)


def _course(found, domain, index, t0_ns):
    name = f"{domain}-{index}" if f"{domain}-{index}" in found else domain
    return Course(t0_ns, name, index, found[name]) if name in found else None


def t0_of(o):
    return int(o["truth.txt"].split("\n", 1)[0].split()[-1])


def faulty(s, channel):
    """Kinds of the faults of a channel."""
    hits = []
    for fault in s.all("fault"):
        kind, _, where = fault.split("@")[0].split(",")[0].partition(":")
        if where in ("", channel["domain"], f"{channel['domain']}-{channel['index']}"):
            hits.append(kind)
    return hits


# ---- laws ----

def check(s, o):
    if o["status"] != 0 or o["error"]:
        return [Violation("crash", "worlds-virtual", o["status"], 0, f"status {o['status']}: {o['error'] or o['err']}")]
    document, found = o["result"], []
    course_of, t0_ns = courses(s, t0_of(o)), t0_of(o)
    window = document["start_monotonic_ns"], document["end_monotonic_ns"]
    truths = {}
    domains = {domain for domain, _, _ in (power.partition(" ") for power in s.all("power"))}
    missing = domains - {name for c in document["channels"] for name in (c["domain"], f"{c['domain']}-{c['index']}")}
    if missing and not s.all("fault"):
        found.append(Violation("known", "channels", [c["name"] for c in document["channels"]], sorted(missing),
                               f"the node has {', '.join(sorted(missing))}, the result has not"))
    found += [Violation(*f) for f in expect.check_numbers(document)]
    for channel in document["channels"]:
        course = course_of(channel["domain"], channel["index"])
        if course is None:
            continue
        truths[channel["name"]] = course.energy_j(*window)
        agree(o, channel, window, truths[channel["name"]])
        found += energy(s, channel, truths[channel["name"]], document) + lost(channel, course, window) + told(s, channel, course, window) + powers(s, channel, course, window, document)
        found += unknown(channel, document)
    if all(name in truths for name in document["total"]["channels"]) and truths:
        found += total(document, truths, s)
    found += at_least(document, truths, o["result.txt"])
    found += [Violation(*f) for f in expect.check_text(document, o["result.txt"]) + expect.check_csv(document, o["result.csv"])]
    if o["stats"] is None:
        return found + [Violation("crash", "stats", o["stats_err"], "a document",
                                  f"wattle stats does not read the trace: {o['stats_err']}")]
    return found + [Violation(*f) for f in expect.same_documents(document, o["stats"])]


def agree(o, channel, window, joules):
    """The node and the oracle are of one opinion; else the test itself is wrong."""
    wanted = f"{channel['domain']}-{channel['index']} {window[0]} {window[1]} "
    for line in o["truth.txt"].splitlines():
        if line.startswith(wanted):
            if abs(float(line.split()[-1]) - joules) > 1e-6 * joules + 1e-6:
                raise AssertionError(f"oracle {joules}, node {line}")
            return
    raise AssertionError(f"no truth for {wanted}")


def place(channel):
    return f"channels[{channel['domain']}]"


def energy(s, channel, true_j, document):
    """Laws interval, unflagged and bound of the energy of a channel."""
    said, half = channel["energy_j"], channel["resolution_interval_j"]
    where = f"{place(channel)}.energy_j"
    if said is None:
        return []
    if half is None or not math.isfinite(half) or half < 0:
        return [Violation("estimate", where, half, "an interval", f"{channel['name']}: {said:.6g} J, no interval")]
    room = 3 * half + 1e-9 * true_j
    if channel["unknown_s"]:
        if said > true_j + room:
            return [Violation("bound", where, said, true_j, f"{channel['name']}: {said:.6g} +- {half:.2g} J of a "
                              f"known part, all was {true_j:.6g} J")]
        return []
    if abs(said - true_j) <= room:
        return []
    kinds = faulty(s, channel)
    law = "unflagged" if kinds else "interval"
    doubts = ", ".join(document["flags"]) or "no flag"
    return [Violation(law, where, said, true_j, f"{channel['name']}: {said:.6g} +- {half:.2g} J, true {true_j:.6g} J "
                      f"({doubts}; "
                      f"{'after ' + ' and '.join(kinds) if kinds else 'no fault'})")]


def lost(channel, course, window):
    """Law unflagged for a channel with unknown time: what it lacks is no more than that time at the greatest power."""
    if channel["energy_j"] is None or not channel["unknown_s"]:
        return []
    found = against.check_energy(channel, course, *window, place(channel))
    return [Violation("unflagged", f"{place(channel)}.unknown_s", *f[2:]) for f in found]


def unknown(channel, document):
    """Unknown time has its flag, and fits into the window."""
    found = []
    seconds, flag = channel["unknown_s"], "INCOMPLETE" if channel["in_total"] else "PARTIAL"
    enough = {flag, "INCOMPLETE"} & set(document["flags"])
    if seconds and channel["primary"] and not enough:
        found.append(Violation("unflagged", "flags", document["flags"], flag,
                               f"{channel['name']}: {seconds:.3g} s unknown, not {flag}"))
    if seconds > document["wall_time_s"] * (1 + 1e-9) or channel["gap_s"] > document["wall_time_s"] * (1 + 1e-9):
        found.append(Violation("bound", f"{place(channel)}.unknown_s", seconds, document["wall_time_s"],
                               f"{channel['name']}: {seconds:.6g} s unknown, "
                               f"{channel['gap_s']:.6g} s in gaps, of a window of {document['wall_time_s']:.6g} s"))
    if seconds > channel["gap_s"] * (1 + 1e-9) + 1e-9:
        found.append(Violation("sum", f"{place(channel)}.gap_s", channel["gap_s"], seconds,
                               f"{channel['name']}: more time unknown than in gaps"))
    return found


GREATEST_W = 3000  # no power beyond it is believed of one domain, so that a wrap in less time than it needs is unambiguous


def seconds_of(text):
    """An interval of sampling in seconds; the default is at most 100 ms."""
    return 0.1 if text == "default" else float(text[:-2]) * 1e-3 if text.endswith("ms") else float(text[:-1])


def told(s, channel, course, window):
    """Law known: on a quiet node without faults, a counter whose wraps are unambiguous counts all the time."""
    pause_s = seconds_of(s.one("interval", "default")) + 2e-6 * tick_of(s, channel) + 0.3
    range_j = 2.0 ** (min([32.0, *settings(s, channel, "bits")]) - max([14.0, *settings(s, channel, "unit_exp")]))
    length_s = (window[1] - window[0]) * 1e-9
    if s.all("fault") or s.all("costs") or range_j < GREATEST_W * pause_s or length_s < 3e-6 * tick_of(s, channel):
        return []
    low_w, high_w = course.extremes_at_least_w(int(tick_of(s, channel) * 1e3), *window)
    if low_w < 1:  # so little power may look like a counter that stands still
        return []
    where, said, half = f"{place(channel)}.energy_j", channel["energy_j"], channel["resolution_interval_j"]
    if said is None or channel["unknown_s"] or channel["gaps"]:
        return [Violation("known", where, channel["gap_reasons"], "none", f"{channel['name']}: {said} J, {channel['unknown_s']:.3g} s "
                          f"unknown in {channel['gaps']} gaps ({', '.join(channel['gap_reasons'])}), and nothing happened")]
    if half > 8e-6 * tick_of(s, channel) * high_w + 0.01 * said:
        return [Violation("known", f"{place(channel)}.resolution_interval_j", half, said, f"{channel['name']}: {said:.5g} +- {half:.3g} J "
                          f"of a quiet counter with {high_w:.4g} W and updates of {tick_of(s, channel):.4g} us")]
    return []


def powers(s, channel, course, window, document):
    """Laws order and sum of mean, min and max, to within the updates that the documentation allows for."""
    found, mean, low, high = [], channel["mean_w"], channel["min_w"], channel["max_w"]
    stretch = channel["stat_window_ms"]
    known_s = document["wall_time_s"] - channel["unknown_s"]
    if mean is not None and channel["energy_j"] is not None and known_s > 0 and \
            abs(mean * known_s - channel["energy_j"]) > 1e-6 * channel["energy_j"] + 1e-9:
        found.append(Violation("sum", f"{place(channel)}.mean_w", mean, channel["energy_j"] / known_s,
                               f"{channel['name']}: mean {mean:.6g} W, energy by known time "
                               f"{channel['energy_j'] / known_s:.6g} W"))
    if low is None and high is None:
        return found
    if low is None or high is None or low > high:
        found.append(Violation("order", f"{place(channel)}.min_w", low, high,
                               f"{channel['name']}: min {low}, max {high}"))
        return found
    if stretch * 1e-3 > document["wall_time_s"] * (1 + 1e-9):
        found.append(Violation("order", f"{place(channel)}.stat_window_ms", stretch, 1e3 * document["wall_time_s"],
                               f"{channel['name']}: min..max over {stretch:.4g} ms of a window of "
                               f"{1e3 * document['wall_time_s']:.4g} ms"))
        return found
    room = 0.002 + 2e3 * max(TICK_US, tick_of(s, channel)) * 1e-6 / stretch
    suffix = disturbance(s, channel)
    if mean is not None and not channel["unknown_s"] and not low - room * high <= mean <= high * (1 + room):
        found.append(Violation("order", f"{place(channel)}.mean_w{suffix}", mean, [low, high],
                               f"{channel['name']}: mean {mean:.6g} W, min..max {low:.6g}..{high:.6g} W"))
    return found + extremes(s, channel, course, window) + reached(s, channel, course, window)


def extremes(s, channel, course, window):
    """Minimum and maximum are possible over the stated window, to within the updates at its ends (reading-results)."""
    stretch_ns = int(channel["stat_window_ms"] * 1e6)
    slow = stretch_ns >= 250000000  # the program knows that the counter is slow, and says so
    tick_ns = 1e3 * (max(TICK_US, tick_of(s, channel)) if slow else TICK_US)
    found, (least, most) = [], course.extremes_at_least_w(stretch_ns, *window)
    room = 1.4 * tick_ns / stretch_ns * most + 2.0 ** -unit_of(s, channel) / (stretch_ns * 1e-9)
    for key, said, beyond in (("min_w", channel["min_w"], channel["min_w"] < least - room),
                              ("max_w", channel["max_w"], channel["max_w"] > most + room)):
        if beyond:
            found.append(Violation("order", f"{place(channel)}.{key}{disturbance(s, channel)}", said, [least, most],
                                   f"{channel['name']}: {key} {said:.6g} W; over any "
                                   f"{stretch_ns * 1e-6:.3g} ms and longer, {least:.6g}..{most:.6g} W are possible"))
    return found


def reached(s, channel, course, window):
    """Minimum and maximum reach what lasts: stretches of at most `longest` cover the time, so that those that touch a
    time have all its energy, and those inside it no more."""
    if s.all("fault") or s.all("costs") or channel["unknown_s"]:
        return []
    interval_s = seconds_of(s.one("interval", "default"))
    longest = channel["stat_window_ms"] * 1e6 + 2e9 * interval_s + 4e3 * tick_of(s, channel)
    begin, end, found = window[0] + int(longest), window[1] - int(longest), []
    for stretches in (4, 8, 20):
        length = int(stretches * longest)
        if end - begin <= length:
            break
        least, most = course.extremes_w(length, begin, end)
        at_least = 0.98 * most * length / (length + 2 * longest)
        at_most = 1.02 * least * length / (length - 2 * longest)
        for key, beyond in (("max_w", channel["max_w"] < at_least), ("min_w", channel["min_w"] > at_most + 0.01)):
            if beyond and not found:
                found.append(Violation("order", f"{place(channel)}.{key} reached", channel[key], [at_most, at_least],
                                       f"{channel['name']}: {key} {channel[key]:.6g} W; for {length * 1e-9:.3g} s "
                                       f"{least:.6g} W, for others {most:.6g} W were drawn"))
    return found


def settings(s, channel, name):
    """Values that the counter of a channel is given for a setting."""
    values = []
    for value in s.all("counter"):
        domain, _, words = value.partition(" ")
        if domain in (channel["domain"], f"{channel['domain']}-{channel['index']}"):
            values += [float(w.partition("=")[2]) for w in words.split() if w.startswith(name + "=")]
    return values


def disturbance(s, channel):
    """What may have to do with a wrong power, as a part of its place."""
    if faulty(s, channel):
        return " after faults"
    if any("wait_p" in c or "preempt_p" in c for c in s.all("costs")):
        return " while busy"
    return " after faults of others" if s.all("fault") else ""


def tick_of(s, channel):
    """The longest tick that a channel may have, in us."""
    return max([TICK_US, *settings(s, channel, "tick_us")])


def unit_of(s, channel):
    """The exponent of the largest unit that a channel may have."""
    return min([14.0, *settings(s, channel, "unit_exp")])


def total(document, truths, s):
    """Laws sum and interval of the total."""
    found, said = [], document["total"]["energy_j"]
    parts = [c for c in document["channels"] if c["in_total"]]
    energies = [c["energy_j"] for c in parts]
    known = None not in energies
    if known != (said is not None) or known and abs(math.fsum(energies) - said) > 1e-9 * abs(said) + 1e-12:
        found.append(Violation("sum", "total.energy_j", said, energies, f"total {said}, channels {energies}"))
    half = document["total"]["resolution_interval_j"]
    if said is None or half is None:
        return found
    quadrature = math.sqrt(math.fsum(c["resolution_interval_j"] ** 2 for c in parts))
    if abs(half - quadrature) > 1e-6 * quadrature + 1e-12:
        found.append(Violation("sum", "total.resolution_interval_j", half, quadrature,
                               f"total +- {half}, channels in quadrature {quadrature}"))
    longest = max(c["unknown_s"] for c in parts)
    if abs(document["total"]["unknown_s"] - longest) > 1e-9:
        found.append(Violation("sum", "total.unknown_s", document["total"]["unknown_s"], longest,
                               "unknown time of the total is not that of its channels"))
    true_j = math.fsum(truths[c["name"]] for c in parts)
    if not longest and len(parts) > 1 and abs(said - true_j) > 3 * half + 1e-9 * true_j:
        law = "unflagged" if s.all("fault") else "interval"
        found.append(Violation(law, "total.energy_j", said, true_j, f"total {said:.6g} +- {half:.2g} J, true "
                               f"{true_j:.6g} J"))
    return found


def at_least(document, truths, text):
    """Law bound: a total of which a part is missing is "at least" so much, and was not less."""
    said = AT_LEAST.search(text)
    if not said or not all(name in truths for name in document["total"]["channels"]):
        return []
    true_j = math.fsum(truths[name] for name in document["total"]["channels"])
    if float(said[1]) <= true_j * (1 + 1e-9) + last_digit(said[1]):
        return []
    return [Violation("bound", "text total at least", said[1], true_j,
                      f"total at least {said[1]} J, true {true_j:.9g} J")]


# ---- many situations ----

def kind_of(s):
    """What a situation is mostly about: intervals must hold in each kind."""
    if s.all("fault"):
        return "faults"
    if any("wait_p" in c or "preempt_p" in c or "late_ns" in c for c in s.all("costs")):
        return "busy"
    if any("tick_us=1000" in c and "tick_us=1000 " not in c or "tick_us=2" in c for c in s.all("counter")):
        return "slow"
    return "quiet" if any("t" in Power(value.partition(" ")[2]).names for value in s.all("power")) else "steady"


def batch(pairs):
    """Law coverage for each kind of situation: one channel of each, since those of one window are late together."""
    hits, counts = {}, {}
    for s, o in pairs:
        document = o.get("result")
        if o["status"] != 0 or o["error"] or not document or not o["truth.txt"]:
            continue
        course_of = courses(s, t0_of(o))
        window = document["start_monotonic_ns"], document["end_monotonic_ns"]
        channels = [c for c in document["channels"] if c["energy_j"] is not None and not c["unknown_s"]
                    and course_of(c["domain"], c["index"])]
        if not channels:
            continue
        channel, kind = channels[0], kind_of(s)
        error = abs(channel["energy_j"] - course_of(channel["domain"], channel["index"]).energy_j(*window))
        counts[kind] = counts.get(kind, 0) + 1
        hits[kind] = hits.get(kind, 0) + (error <= channel["resolution_interval_j"] * (1 + 1e-9))
    return [v for kind, n in sorted(counts.items()) for v in too_few(hits[kind], n, f"energy_j {kind}")]
