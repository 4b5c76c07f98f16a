# SPDX-License-Identifier: BSD-3-Clause
"""wattle run in virtual time with one counter that stands still, jumps or shows a wrong value at a known time, and regions
of a program around that time."""
import os

from families import virtual_run as base
import virtual_laws as strict

ENGINE = "virtual"
COST_S = 0.25
CHECK = 48


def draw(rng):
    kind = rng.choice(("inside", "inside", "end", "jump", "glitch"))
    lines = {"inside": inside, "end": at_end, "jump": jump, "glitch": glitch}[kind](rng)
    return [f"note {kind}", f"seed {rng.randrange(1, 10**6)}", "start 0.3", f"interval {rng.choice(['10ms', '50ms', 'default'])}",
            *lines]


def inside(rng):
    """It stands for longer than a second, and a load comes in that time only, in a region of its own."""
    at, lasts = rng.uniform(0.8, 1.5), rng.uniform(1.0, 1.4)
    a = at + rng.uniform(0.02, 0.4)
    b = a + rng.choice([0.05, 0.15, 0.3])
    return ["length 4", f"power package 50+150*(t>={a:.4f} && t<{b:.4f})", f"fault stall:package@{at:.4f},for={lasts:.4f}",
            "region before 0.1 0.7", f"region within {a:.4f} {b:.4f}", f"region after {at + lasts + 0.2:.4f} 3.9"]


def at_end(rng):
    """It stands from shortly before the end on."""
    length = rng.choice([1, 3])
    ahead = rng.choice([0.13, 0.16, 0.2, 0.24, 0.6])
    return [f"length {length}", f"power package {rng.choice(['40', '150', '30+100*square(t,0.2,0.5)'])}",
            f"fault stall:package@{length - ahead:.4f}{rng.choice(['', ',for=8'])}"]


def jump(rng):
    """It is suddenly far ahead, by what no machine uses in that time."""
    return ["length 3", f"power package {rng.choice([20, 90])}", f"counter package raw0={rng.choice([0, 5000000])}",
            f"fault jump:package@{rng.uniform(0.3, 2.7):.4f},by={rng.choice([30000, 100000])}"]


def glitch(rng):
    """It shows a value that is too low for a moment."""
    return ["length 3", f"power package {rng.choice([20, 90])}", f"counter package raw0={rng.choice([2000000, 900000000])}",
            f"fault jump:package@{rng.uniform(0.3, 2.7):.4f},for={rng.choice([0.004, 0.02])},by={rng.choice([-40, -1000000000])}"]


def play(s, p):
    o = base.play(s, p)
    if s.all("region") and o["result"]:
        done = p.run([p.wattle, "stats", "--regions", "--format", "json", "trace.wtl"], cwd=os.path.join(p.folder, "out", "s"))
        o["trace"] = base._json(done.out)  # pylint: disable=protected-access
    return o


def check(s, o):
    found = base.check(s, o)
    if found and found[0].law == "crash":
        return found
    return found + glitch_costs(s, o) + strict.all_listed(s, o) + strict.regions(s, o, [("run", o["result"]), ("stats", o.get("trace"))])


def glitch_costs(s, o):
    """Law steady: a wrong value for a moment, well inside the window, costs no energy: the next reading shows what it was."""
    if not s.one("note", "").startswith("glitch"):
        return []
    at_s = float(s.one("fault").partition("@")[2].split(",")[0])
    if not 0.2 < at_s < float(s.one("length")) - 0.2:
        return []
    return [Violation("steady", f"{base.place(channel)}.unknown_s glitch", channel["unknown_s"], 0,
                      f"{channel['name']}: {channel['unknown_s']:.3g} s are unknown for a glitch at {at_s:.3g} s")
            for channel in o["result"]["channels"] if channel["domain"] == "package" and channel["unknown_s"]]
