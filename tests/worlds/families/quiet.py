# SPDX-License-Identifier: BSD-3-Clause
"""wattle run in virtual time where nothing happens, so that laws are strict: long windows, slow counters, domains inside
others, repeats."""
import math

from families import virtual_run as base
from laws import Violation, too_few, too_one_sided, too_spread
from oracle import expect
import virtual_laws as strict

ENGINE = "virtual"
COST_S = 0.2
CHECK = 96
SLOW_US = (20000, 50000, 100000, 250000)


# ---- draw ----

def draw(rng):
    kind = rng.choice(("plateau", "slow", "slow", "burst", "burst", "burst", "whole", "repeat"))
    lines = {"plateau": plateau, "slow": slow, "burst": burst, "whole": nested, "repeat": repeats}[kind](rng)
    return [f"note {kind}", f"seed {rng.randrange(1, 10**6)}", f"start {rng.choice([0.3, 1.0])}", *lines]


def plateau(rng):
    """A load for a third of a window of many stretches."""
    length, third = rng.choice([8, 20]), rng.randrange(3)
    low, high = rng.choice([(20, 150), (60, 90), (2, 200)])
    begin, end = third * length / 3, (third + 1) * length / 3
    return [f"length {length}", f"interval {rng.choice(['10ms', '50ms'])}",
            f"power package {low}+{high}*(t>={begin:.4f} && t<{end:.4f})"]


def slow(rng):
    """A counter that updates slowly, of a power that never changes."""
    tick_us = rng.choice(SLOW_US)
    return [f"length {tick_us * 1e-6 * rng.uniform(4, 20):.6f}", f"interval {rng.choice(['default', '10ms', '100ms'])}",
            f"power package {rng.choice([3, 30, 200])}",
            f"counter package tick_us={tick_us} phase_us={rng.randrange(tick_us)} jitter_us=20"]


def burst(rng):
    """The same of a load that comes and goes about as often as the counter updates: where it was in an update at the border of
    the window is unknown."""
    tick_us = rng.choice(SLOW_US)
    period = tick_us * 1e-6 * rng.uniform(0.7, 3)
    return [f"length {tick_us * 1e-6 * rng.uniform(4, 20):.6f}", f"interval {rng.choice(['default', '10ms', '100ms'])}",
            f"power package 20+{rng.choice([100, 200])}"
            f"*square(t+{rng.uniform(0, period):.6f},{period:.6f},{rng.choice([0.2, 0.5, 0.8])})",
            f"counter package tick_us={tick_us} phase_us={rng.randrange(tick_us)} jitter_us=20"]


def nested(rng):
    """A platform, its packages, and what is in them."""
    sockets, shape = rng.choice([1, 1, 2]), rng.choice(["0", "square(t,0.3,0.5)", "(t<0.5)"])
    lines = [f"length {rng.choice([0.5, 1.5])}", f"machine sockets={sockets} view=powercap",
             f"power package 40+60*{shape}", f"power core 10+40*{shape}"]
    lines += ["power uncore 5"] if rng.random() < 0.5 else []
    lines += ["power dram 6"] if rng.random() < 0.7 else []
    if rng.random() < 0.7:
        lines.append(f"power psys {55 * sockets + 20}+{60 * sockets}*{shape}")
    return lines


def repeats(rng):
    return [f"length {rng.choice([0.05, 0.3])}", f"repeat {rng.choice([2, 3, 5])}", f"interval {rng.choice(['10ms', '50ms'])}",
            f"power package {rng.choice(['50', '30+100*square(t,0.21,0.5)'])}", "power dram 8"]


play = base.play


# ---- laws ----

def check(s, o):
    if s.one("repeat"):
        return check_repeats(s, o)
    found = base.check(s, o)
    if found and found[0].law == "crash":
        return found
    return found + strict.of_channels(s, o, [strict.steady, strict.deviation, strict.plateaus]) + strict.whole(s, o)


def check_repeats(s, o):
    """The means of a series, and each run of it."""
    if o["status"] != 0 or o["error"] or not (o["result"] or {}).get("runs"):
        return [Violation("crash", "worlds-virtual", o["status"], 0, f"status {o['status']}: {o['error'] or o['err']}")]
    document, t0_ns = o["result"], base.t0_of(o)
    course_of, found = base.courses(s, t0_ns), expect.check_run_document(document, None, o["result.csv"])
    for run in document["runs"]:
        for channel in run["channels"]:
            true_j = course_of(channel["domain"], channel["index"]).energy_j(run["start_monotonic_ns"], run["end_monotonic_ns"])
            half = channel["resolution_interval_j"]
            if channel["energy_j"] is not None and abs(channel["energy_j"] - true_j) > 3 * half:
                found.append(("interval", f"{base.place(channel)}.energy_j", channel["energy_j"], true_j,
                              f"{channel['name']}: {channel['energy_j']:.6g} +- {half:.2g} J, true {true_j:.6g} J"))
    return [Violation(*f) for f in found]


def batch(pairs):
    """Laws coverage, bias and spread for each kind."""
    errors = {}
    for s, o in pairs:
        error = strict.error_in_half_widths(s, o)
        if error is not None:
            errors.setdefault((s.one("note") or "kept").split()[0], []).append(error)
    found = []
    for kind, mine in sorted(errors.items()):
        found += too_few(sum(abs(e) <= 1 + 1e-9 for e in mine), len(mine), f"energy_j {kind}")
        found += too_one_sided(mine, f"energy_j {kind}") + too_spread([e for e in mine if math.isfinite(e)], f"energy_j {kind}")
    return found
