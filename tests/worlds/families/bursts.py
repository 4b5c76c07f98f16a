# SPDX-License-Identifier: BSD-3-Clause
"""Energies of regions that are entered many times and are far shorter than the sampling interval, with bursts of power just before or
after a border, and slow counters: in recordings, and of the real sampler in virtual time.

    source recorded|live          a trace that the oracle writes, or worlds-virtual
    burst PLACE                   where bursts are, for the reader
    length, interval, tick, phase, power, region: as in family regions
"""
import json
import math
import os

import recording
from families import regions as base
from laws import Violation
from situation import Situation

ENGINE = "virtual"
COST_S = 0.5
CHECK = 16
MOST_VISITS = 900  # of worlds-virtual
PLACES = "before-begin", "after-begin", "before-end", "after-end"


# ---- draw ----

def draw(rng):
    interval, tick = rng.choice([0.1, 0.1, 0.2, 0.5, 1.0]), rng.choice([0.0009765625, 0.0009765625, 0.01, 0.1, 0.1, 0.25])
    length = max(rng.choice([5.0, 12.0, 30.0]), 10 * interval)
    place = rng.choice(PLACES)
    source = rng.choice(["recorded", "recorded", "live"])
    if source == "live" and tick > 0.01:
        tick = 0.01  # its driver claims 1 ms: what that makes of slower counters is the subject of family quiet
    lines = [f"source {source}", f"burst {place}", f"length {length}", f"interval {interval}", f"tick {tick}",
             f"phase {rng.uniform(0, 1):.3f}", f"seed {rng.randrange(1, 10**6)}"]
    period = rng.choice([0.02, 0.05, 0.13, 0.37, interval / 2, interval, 0.99 * interval, 2.5 * interval])
    low, high = rng.choice([(10, 90), (20, 220), (40, 60), (5, 400)])
    burst = max(round(period * rng.choice([0.01, 0.05, 0.2]), 4), 0.0001)
    away = min(rng.choice([0, 0, 0.0001, 0.001]), round(0.1 * period, 4))
    lasts = round(rng.choice([0.1, 0.3, 0.6]) * (period - burst - 2 * away), 4)
    if rng.random() < 0.3:
        return lines + irregular(rng, length, (period, burst, away, lasts), (low, high), place)
    return lines + regular(rng, length, (round(max(period, length / MOST_VISITS * 2.2), 4), burst, away, lasts), (low, high), place)


def begins_after(place, burst, away, lasts):
    """The begin of a region, from the begin of its burst on."""
    return {"before-begin": burst + away, "after-begin": -away, "before-end": burst + away - lasts,
            "after-end": -away - lasts}[place]


def regular(rng, length, sizes, watts, place):
    """Visits in step with a square of power; perhaps with another region in the rest of each period, or one around all."""
    period, burst, away, lasts = sizes
    first = begins_after(place, burst, away, lasts) % period
    count = int((length - first) / period) - 1
    lines = [f"power package-0 square {watts[0]} {watts[1]} {period} {burst / period!r}",
             f"region 0 solve {first:.4f} {first + lasts:.4f} {count} {period}"]
    if rng.random() < 0.4:
        lines.append(f"region 0 rest {first + lasts:.4f} {first + period:.4f} {count} {period}")
    elif rng.random() < 0.4:
        lines.append(f"region 0 loop {first - 0.3 * first:.4f} {first + count * period:.4f}")
    return lines


def irregular(rng, length, sizes, watts, place):
    """A few visits with pauses of any length, each with its burst."""
    period, burst, away, lasts = sizes
    at, steps, lines = 0.1 + lasts, [f"0:{watts[0]}"], []
    while at + lasts + burst + 2 * away < length - 0.1 and len(lines) < 100:
        begin = at + begins_after(place, burst, away, lasts)
        steps += [f"{at:.6f}:{watts[1]}", f"{at + burst:.6f}:{watts[0]}"]
        lines.append(f"region 0 solve {begin:.6f} {begin + lasts:.6f}")
        at += 2 * lasts + burst + 2 * away + rng.uniform(0.1, 2) * period
    return [f"power package-0 steps {' '.join(steps)}", *lines]


# ---- play ----

def play(s, p):
    if s.one("source") == "recorded":
        return base.play(s, p)
    with open(p.path("s.world"), "w", encoding="utf-8") as f:
        f.write("\n".join(scene(s)) + "\n")
    done = p.run([p.test_program("worlds-virtual"), "out", "s.world"], timeout=120)
    path = os.path.join(p.folder, "out", "s", "trace.wtl")
    if done.status != 0 or not os.path.exists(path):
        return {"error": p.read("out/s/error.txt") or done.err[-400:]}
    o = base.printed(s, p, path)
    o["bare"], o["result"] = o["stats"], json.loads(p.read("out/s/result.json"))
    o["t0"] = int(p.read("out/s/truth.txt").split("\n", 1)[0].split()[-1])
    return o


def scene(s):
    """The same for worlds-virtual."""
    tick_us = s.number("tick") * 1e6
    lines = [f"seed {s.one('seed')}", "start 0.3", f"length {s.one('length')}", f"interval {round(s.number('interval') * 1e6)}us",
             f"counter package tick_us={tick_us} phase_us={s.number('phase') * tick_us:.3f} jitter_us=0"]
    for value in s.all("power"):
        name, _, words = value.partition(" ")
        curve = recording.Curve(words)
        if curve.kind == "steps":
            lines.append(f"power {name} {curve.steps[0][1]}")
            lines += [f"step {at} {name}={watts}" for at, watts in curve.steps[1:]]
        elif curve.kind == "square":
            low, high, period, duty = curve.numbers
            lines.append(f"power {name} {low}+{high - low}*square(t,{period},{duty!r})")
        else:
            lines.append(f"power {name} {curve.numbers[0]}")
    return lines + [f"region {name} {begin!r} {end!r}" for _, name, begin, end in base.visits(s)]


# ---- laws ----

def check(s, o):
    if "error" in o:
        return [Violation("crash", "worlds-virtual", o["error"], None, o["error"])]
    if o.get("t0", 0) != (o.get("result") or {}).get("start_monotonic_ns", 0):
        raise AssertionError("the window does not begin at t = 0")
    return base.check(as_long(s, o), o) + known(s, o) + whole(s, o)


def as_long(s, o):
    """The situation with the length that its window had: in virtual time it takes some microseconds to end it."""
    return s if "result" not in o else Situation([*s.directives, ("length", repr(o["result"]["wall_time_s"]))], s.name)


def known(s, o):
    """Law known: nothing happens, so that each region has an energy."""
    return [Violation("known", f"region {part}", region["doubt"], "an energy", f"{region['name']}: {region['doubt']}")
            for region in o["stats"]["regions"] for part in ("inclusive", "exclusive")
            if region["union_s"] > 0 and (region[part]["energy_j"] is None or region["doubt"] == "unknown")]


def whole(s, o):
    """Law sum: what is in no region is the total less the regions that none contains."""
    found = {r["name"]: r for r in o["stats"]["regions"]}
    total = o["stats"]["total"]
    parts = [r["exclusive"]["energy_j"] for r in found.values()]
    if None in parts or total["energy_j"] is None:
        return []
    said, half = math.fsum(parts), math.fsum(r["exclusive"]["resolution_interval_j"] for r in found.values())
    if abs(said - total["energy_j"]) <= half + total["resolution_interval_j"] + 1e-6 * said:
        return []
    return [Violation("sum", "regions and untagged", said, total["energy_j"],
                      f"regions and what is in none add up to {said:.6g} J, the run has {total['energy_j']:.6g} J; half widths add up to "
                      f"{half:.3g} J")]


def batch(pairs):
    """95 of 100 intervals hold the truth."""
    return base.coverage([(as_long(s, o), o) for s, o in pairs if "error" not in o], "region inclusive with bursts")
