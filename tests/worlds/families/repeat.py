# SPDX-License-Identifier: BSD-3-Clause
"""Repeats of a command (`run -r N`): means, deviations and intervals of the document and of the text, recomputed from
the runs; the interval of the mean against the true mean and against the interval of one run."""
import math
import re

import channels
import node
from laws import Violation
from oracle import expect

ENGINE = "real"
COST_S = 4.0

TICKS = ("976.5625", "10000", "50000", "100000", "250000")
LINE = re.compile(r"^ *(\d+) +(\S+) +(\S+) +(\S+) +(-?\d+)\s*$", re.M)


def draw(rng):
    """Two to eight runs of a short program, often shorter than some updates of its counters."""
    lines = ["power package=" + rng.choice(("50", "30+100*square(t,0.2,0.5)", "40+30*sin(2*pi*t)", "80"))]
    if rng.random() < 0.6:
        lines.append("power dram=" + rng.choice(("8", "4+4*square(t,0.5,0.5)")))
    if rng.random() < 0.3:
        lines.append("power psys=140")
    if rng.random() < 0.5:
        lines.append("tick " + rng.choice(TICKS))
    elif lines[1:] and rng.random() < 0.5:
        lines.append(f"tick {lines[1].split()[1].partition('=')[0]}={rng.choice(TICKS[2:])}")
    if rng.random() < 0.2:
        lines += ["sockets 2"]
    if rng.random() < 0.15:
        lines.append(rng.choice(("fault stall:package-0@1s,for=0.3s", "fault eio,rate=0.1", "fault vanish:dram-0@1s",
                                 "fault reset:package-0@0.8s")))
    lines.append(f"repeat {rng.choice((2, 2, 3, 4, 5, 8))}")
    lines.append(f"interval {rng.choice(('default', '10ms', '50ms', '300ms'))}")
    lines += [f"option {o}" for o in ("--warmup 1", "--cooldown 100ms", "--no-edges", "--ignore-failure")
              if rng.random() < (0.3 if "edges" in o else 0.12)]
    lines.append(f"seed {rng.randrange(1, 1000000)}")
    length = rng.choice((0.03, 0.12, 0.25, 0.6))
    if rng.random() < 0.3:
        return lines + ["program set package=120", f"program sleep {length}", "program set package=40"]
    if rng.random() < 0.15:
        return lines + [f"program sleep {length}", "program exit 3"]
    return lines + [f"program sleep {length}"]


def batch(pairs):
    """Law coverage, with and without waiting for the updates at the borders of the window."""
    found = []
    for where, without in (("energy_j", False), ("energy_j --no-edges", True)):
        some = [o for s, o in pairs if ("--no-edges" in s.all("option")) == without and not s.one("fault")]
        found += channels.coverage(some, where)
    return found


def plan(s, sim):
    """The repeats as a document, as text of another series, and the traces of that series read again."""
    options = ["-r", s.one("repeat")]
    options += ["-i", s.one("interval")] if s.one("interval", "default") != "default" else []
    for option in s.all("option"):
        options += option.split()
    command = ["--", "sh", "-c", f"SIM={sim}; {node.shell(s)}"]
    stats = ["@wattle", "stats", "--format", "json"]
    traces = [f"t-{i}.wtl" for i in range(1, int(s.one("repeat")) + 1)]
    return [{"run": ["@wattle", "run", *options, "--no-trace", "--format", "json", "--result", "r.json", *command]},
            {"truth": "r.json"},
            {"run": ["@wattle", "run", *options, "-v", "-o", "t.wtl", "--result", "t.txt", *command]},
            {"run": stats + traces}]


def play(s, p):
    observation = node.play(p, s, plan(s, p.sim))
    observation["document"] = node.load(p.read("r.json"))
    observation["text"] = p.read("t.txt")
    return observation


def spread(values):
    """Mean, deviation and half width of the interval of the mean, as the documents define them."""
    n = len(values)
    mean = sum(values) / n
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1)) if n > 1 else None
    ci = expect.student(n - 1) * sd / math.sqrt(n) if n > 2 else None
    return {"mean": mean, "sd": sd, "ci95": ci}


def same(one, two, relative):
    if one is None or two is None:
        return one == two
    return abs(one - two) <= relative * max(abs(one), abs(two)) + 1e-9


def compare(said, values, where, resolution=0.0):
    """One spread of the document against the values of its runs; its interval may contain the resolution of one run, too."""
    found = []
    if None in values:
        if said.get("mean") is not None:
            found.append(Violation("sum", f"{where}.mean", said["mean"], None,
                                   f"{where}: a mean, yet unknown in one run"))
        return found
    for name, true in spread(values).items():
        if name == "ci95" and None not in (said.get(name), true) and true < said[name] <= 1.002 * (true + resolution):
            continue
        if not same(said.get(name), true, 2e-3 if name == "ci95" else 1e-6):
            found.append(Violation("sum", f"{where}.{name}", said.get(name), true,
                                   f"{where}.{name} says {said.get(name)}, the runs give {true}"))
    return found


def means(document):
    """The spreads of the document, against its runs."""
    runs, repeat = document["runs"], document["repeat"]
    found = []
    if repeat["n"] != len(runs):
        found.append(Violation("sum", "repeat.n", repeat["n"], len(runs), "number of runs"))
    if not runs or "MIXED RUNS" in document["flags"]:
        return found
    for key, of in (("energy_j", lambda r: r["total"]["energy_j"]), ("mean_w", lambda r: r["total"]["mean_w"])):
        found += compare(repeat[key], [of(r) for r in runs], f"repeat.{key}", expect.resolution_of(key, runs))
    found += compare(repeat["wall_time_s"], [r["wall_time_s"] for r in runs], "repeat.wall_time_s")
    for name, channel in repeat["channels"].items():
        of = [next((c for c in r["channels"] if c["name"] == name), {}) for r in runs]
        half = max((c.get("resolution_interval_j") or 0.0 for c in of), default=0.0)
        found += compare(channel["energy_j"], [c.get("energy_j") for c in of], "repeat.channels[].energy_j", half)
    for channel in document["channels"]:
        of = [c for r in runs for c in r["channels"] if c["name"] == channel["name"]]
        lows, highs = [c["min_w"] for c in of if c["min_w"] is not None], [c["max_w"] for c in of
                                                                           if c["max_w"] is not None]
        for field, true in (("min_w", min(lows, default=None)), ("max_w", max(highs, default=None)),
                            ("samples", sum(c["samples"] for c in of))):
            if not same(channel[field], true, 1e-6):
                found.append(Violation("sum", f"{channels.place(channel)}.{field} of repeats", channel[field], true,
                                       f"{channel['name']}.{field} says {channel[field]}, the runs give {true}"))
    return found


def digits(text):
    """Half of the last digit of a printed number."""
    _, _, fraction = text.partition(".")
    return 0.51 * 10.0 ** -len(fraction) if fraction else 0.51 * 10.0 ** (len(text) - len(text.rstrip("0")))


def table(o):
    """Law same-number: rows of the text against the documents of the traces of the same runs."""
    docs = node.load(next((step["out"] for step in o["steps"][3:4]), ""))
    rows = LINE.findall(o["text"] or "")
    if not docs or not rows:
        return []
    results = docs.get("results") or [docs]
    if len(rows) != len(results):
        return [Violation("same-number", "text rows", len(rows), len(results),
                          f"{len(rows)} rows of runs, {len(results)} traces")]
    found = []
    for row, result in zip(rows, results):
        for text, true, name in ((row[1], result["total"]["energy_j"], "energy"),
                                 (row[2], result["total"]["mean_w"], "power"),
                                 (row[3], result["wall_time_s"], "time")):
            try:
                said = float(text)
            except ValueError:
                said = None
            if said is None or true is None:
                if (said is None) != (true is None):
                    found.append(Violation("same-number", f"text row {name}", text, true,
                                           f"row says {text}, its trace {true}"))
            elif abs(said - true) > digits(text):
                found.append(Violation("same-number", f"text row {name}", text, true,
                                       f"row says {text}, its trace {true}"))
    return found


def check(s, o):
    found = channels.statuses(o, fails=any(line.startswith("exit") for line in s.all("program")))
    document = o["document"]
    if document is None:
        return found
    if document.get("runs"):
        found += means(document)
    return found + channels.check(o, document) + table(o)
