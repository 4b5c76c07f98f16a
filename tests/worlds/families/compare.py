# SPDX-License-Identifier: BSD-3-Clause
"""`wattle compare` of two groups of runs whose energies are drawn from known distributions: what changed, by how much,
with which interval and verdict; the same in text, JSON and CSV."""
import csv
import io
import json
import math
import random
import re

import recording
from laws import Violation, too_few
from oracle import compare as oracle

ENGINE = "virtual"
COST_S = 0.4
QUANTITIES = ("time", "energy", "power")


def draw(rng):
    """Sizes of both sides, their spread and their true change; often none, and often hardly any."""
    n = rng.choice([1, 2, 3, 4, 5, 5, 8, 20])
    m = n if rng.random() < 0.7 else rng.choice([1, 4, 5, 20])
    shape = rng.choice(["lognormal", "lognormal", "lognormal", "outlier", "equal", "wide"])
    lines = [f"runs {n} {m}", f"shape {shape}", f"spread {rng.choice([0.002, 0.01, 0.03])}",
             f"change {rng.choice([0, 0, 0, 0.001, 0.01, -0.03, 0.1])}", f"seed {rng.randrange(100000)}",
             f"quality {rng.choice(['measured', 'measured', 'measured', 'measured', 'estimated'])}",
             f"order {rng.choice(['turns', 'turns', 'turns', 'blocks'])}"]
    if n == m and n > 1 and rng.random() < 0.3:
        lines.append("paired yes")
    return lines


def runs(s):
    """(time, power) of each run of side A and of side B. Energy and time vary; power is their quotient."""
    rng, spread, shape = random.Random(s.one("seed", "1")), s.number("spread"), s.one("shape")
    sides = []
    for side, n in enumerate(map(int, s.one("runs").split())):
        out = []
        for i in range(n):
            if shape == "equal":
                time, power = 1.0, 60.0
            else:
                time = math.exp(rng.gauss(0, spread))
                power = 60 * math.exp(rng.gauss(0, spread))
            if shape == "wide" and side == 0:  # rare long runs: arithmetic and geometric mean differ in order
                time *= 3.0 if i % 5 == 0 else 0.95
            if shape == "wide" and side == 1:
                time *= 1.25
            if shape == "outlier" and i == n - 1 and side == 1:
                time *= 1.5
            out.append((round(time, 6), power * (1 + (s.number("change") if side else 0))))
        sides.append(out)
    return sides


def play(s, p):
    groups, at = [], 1_790_000_000_000_000_000
    sides = runs(s)
    for side, letter in zip(sides, "ab"):
        groups.append([p.path(f"{letter}-{i}.wtl") for i in range(len(side))])
        for i, (time, power) in enumerate(side):
            turn = 2 * i + (letter == "b") if s.one("order") == "turns" else i + (100 if letter == "b" else 0)
            _write(s, groups[-1][i], time, power, at + turn * 5_000_000_000)
            p.run([p.wattle, "repair", groups[-1][i]])
    options = ["--paired"] if s.one("paired") == "yes" else []
    o = {}
    for form in ("json", "csv", "text"):
        done = p.run([p.wattle, "compare", *options, "--format", form, "--a", *groups[0], "--b", *groups[1]],
                     env={"COLUMNS": "200"})
        o[form] = [done.status, done.out, done.err[-500:]]
    return o


def _write(s, path, time, power, realtime):
    """A run of constant power on one node."""
    trace = recording.Trace(**{"node.name": "n1", "node.key": "n1", "host.name": "n1",
                               "run.id": path.rpartition("/")[2],
                               "sampler.interval_ns": 20000000})
    trace.realtime_ns = realtime
    c = trace.channel("meter:node-0", quantity="power", kind="gauge", scale=1e-9, quality=s.one("quality", "measured"))
    times = [-0.02 + 0.02 * k for k in range(int(time / 0.02) + 4)]
    trace.rows([c], times, [[round(power * 1e9)] * len(times)])
    trace.window(0, time)
    trace.write(path)


def values(s):
    """The runs' values of each quantity, for both sides."""
    return {"time": [[t for t, _ in side] for side in runs(s)],
            "energy": [[t * w for t, w in side] for side in runs(s)],
            "power": [[w for _, w in side] for side in runs(s)]}


def mean(x):
    return sum(x) / len(x)


def geometric(x):
    return math.exp(mean([math.log(v) for v in x]))


def check(s, o):
    if any(o[f][0] != 0 for f in o):
        return [Violation("crash", "compare", [o[f][0] for f in o], 0, o["json"][2])]
    d = json.loads(o["json"][1])
    changes = {c["name"]: c for c in d["changes"] if c["group"] == "headline"}
    out = []
    for name in QUANTITIES:
        out += _change(s, name, changes[name], values(s)[name])
    return out + _text(s, o["text"][1], changes) + _csv(o["csv"][1], d) + _sentences(s, o["text"][1], changes)


def _change(s, name, c, sides):
    """Means, change, interval and verdict of one quantity."""
    where, out = f"changes[{name if name == 'time' else 'energy'}]", []
    n, m = len(sides[0]), len(sides[1])
    a, b = geometric(sides[0]), geometric(sides[1])
    for field, truth in (("a_mean", a), ("b_mean", b)):
        if c[field] is not None and abs(c[field] - truth) > 2e-6 * truth:
            out.append(Violation("interval", f"{where}.{field}", c[field], truth,
                                 f"{name}: {field} {c[field]}, true {truth}"))
    change, truth = c["change"]["value"], geometric(sides[1]) / geometric(sides[0]) - 1
    if change is not None and abs(change - truth) > 4e-6:
        out.append(Violation("interval", f"{where}.change", change, truth, f"{name}: change {change}, true {truth}"))
    printed = b / a - 1
    if change is not None and change * printed < 0 and min(abs(change), abs(printed)) > 0.001:
        out.append(Violation("order", f"{where} sign of the means", change, printed,
                             f"{name}: means {a:.6g} and {b:.6g} ({100 * printed:+.2f} %), "
                             f"change {100 * change:+.2f} %"))
    low, high = c["change"]["low"], c["change"]["high"]
    if low is not None and not low - 1e-9 <= change <= high + 1e-9:
        out.append(Violation("order", f"{where}.change", change, [low, high],
                             f"{name}: {change} outside {low} .. {high}"))
    out += _narrow(s, name, c, sides, where)
    decided = c["verdict"] in ("less", "more", "same")
    if min(n, m) < 5 and decided:
        out.append(Violation("refusal", f"{where}.verdict", c["verdict"], "none",
                             f"{name}: a verdict from {n} and {m} runs"))
    if min(n, m) < 2 and low is not None:
        out.append(Violation("refusal", f"{where}.change interval", [low, high], None,
                             f"{name}: an interval from {n} and {m} runs"))
    if s.one("quality") == "estimated" and name != "time" and (decided or low is not None):
        out.append(Violation("estimate", f"{where}.verdict", [c["verdict"], low], "none",
                             f"{name}: an estimate has the verdict {c['verdict']}, interval from {low}"))
    if c["verdict"] == "less" and (change > 0 or high is not None and high >= 0) \
            or c["verdict"] == "more" and (change < 0 or low is not None and low <= 0):
        out.append(Violation("order", f"{where}.verdict", c["verdict"], [low, high],
                             f"{name}: {c['verdict']} with {low} .. {high}"))
    if c["verdict"] == "same" and low is not None and (low < -0.0101 or high > 0.0101):
        out.append(Violation("order", f"{where}.verdict same", [low, high], 0.01,
                             f"{name}: same, interval {low} .. {high}"))
    return out


def _narrow(s, name, c, sides, where):
    """Law interval: that of a change is not narrower than that of the t test on logarithms at 95 %, which Holm's rule widens."""
    low, high, pairs = c["change"]["low"], c["change"]["high"], s.one("paired") == "yes"
    if low is None or min(map(len, sides)) < 2:
        return []
    error = (oracle.paired if pairs else oracle.welch)(*sides)[1]
    _, least, most = oracle.interval(*sides, pairs=pairs)
    if error < 1e-5 or math.log1p(high) - math.log1p(low) >= 0.98 * (math.log1p(most) - math.log1p(least)):
        return []
    return [Violation("interval", f"{where}.change narrow", [low, high], [least, most],
                      f"{name}: change {low:.4g} .. {high:.4g}; the runs themselves allow {least:.4g} .. {most:.4g}")]


_ROW = re.compile(r"^ (time|energy|power) \[\w+\] +(\S+) +(\S+)(?: +([-+]?[0-9.]+) %)?"
                  r"(?: +([-+0-9.e]+) \.\. ([-+0-9.e]+) %)?",
                  re.M)


def _text(s, text, changes):
    """The table says the numbers of the JSON, in as many digits as it prints."""
    out, found = [], {m.group(1): m.groups()[1:] for m in _ROW.finditer(text)}
    for name in QUANTITIES:
        if name not in found:
            out.append(Violation("same-number", "text row", None, name, f"the text has no row for {name}:\n{text}"))
            continue
        if s.one("quality") == "estimated" and name != "time":
            continue
        a, b, change, low, high = found[name]
        c = changes[name]
        truth = [c["a_mean"], c["b_mean"], *(None if c["change"][k] is None else 100 * c["change"][k]
                                             for k in ("value", "low", "high"))]
        for said, value, what in zip((a, b, change, low, high), truth, ("a_mean", "b_mean", "change", "low", "high")):
            if said is None or not re.fullmatch(r"[-+]?[0-9.]+", said):
                continue
            digits = said.partition(".")[2]
            digit = 10.0 ** (-len(digits) if digits else len(said) - len(said.rstrip("0")))
            if value is None or abs(float(said) - value) > 0.51 * digit:
                out.append(Violation("same-number", f"text {what}", said, value, f"{name}: text {said}, json {value}"))
        if change is None and c["change"]["value"] is not None:
            out.append(Violation("same-number", "text change", None, truth[2],
                                 f"{name}: no change in the text:\n{text}"))
        if low is None and c["change"]["low"] is not None:
            out.append(Violation("same-number", "text interval", None, truth[3:],
                                 f"{name}: no interval in the text:\n{text}"))
    return out


def _csv(text, d):
    """Rows of the CSV are those of the JSON."""
    out, rows = [], {(r["group"], r["name"], r["quantity"]): r for r in csv.DictReader(io.StringIO(text))}
    for r in d["rows"]:
        row = rows.get((r["group"], r["name"], r["quantity"]))
        if row is None:
            out.append(Violation("same-number", "csv row", None, r["name"], f"csv has no row {r['name']}"))
            continue
        for column, truth in (("a_mean", r["a"]["mean"]), ("b_mean", r["b"]["mean"]), ("ratio", r["ratio"]["value"]),
                              ("ratio_low", r["ratio"]["low"]), ("ratio_high", r["ratio"]["high"]), ("p", r["p"])):
            said = float(row[column]) if row[column] else None
            if (said is None) != (truth is None) or truth is not None and abs(said - truth) > 1e-6 * abs(truth) + 1e-9:
                out.append(Violation("same-number", f"csv {column}", row[column], truth,
                                     f"{r['name']}: csv {column} {row[column]}, json {truth}"))
    for c in d["changes"]:
        row = next((r for r in d["rows"] if (r["group"], r["quantity"]) == (c["group"], c["name"])), None)
        for end in ("low", "high") if row else ():
            one, other = c["change"][end], row["ratio"][end]
            if (one is None) != (other is None) or one is not None and abs(one + 1 - other) > 1e-9 * max(other, 1):
                out.append(Violation("same-number", "changes and rows", one, other, f"{c['name']}: two intervals"))
    return out


def _sentences(s, text, changes):
    """What the verdict says in words is what the JSON says."""
    out, words = [], " ".join(text.split())
    if min(map(int, s.one("runs").split())) == 1 and "unknown" not in words:
        out.append(Violation("refusal", "text one run", "nothing", "variation unknown",
                             "one run a side, and no word of it"))
    for name, more, less in (("time", "B takes more time", "B takes less time"), ("energy", "B uses more energy",
                                                                                  "B uses less energy"),
                             ("power", "B draws more power", "B draws less power")):
        verdict = changes[name]["verdict"]
        for sentence, kind in ((more, "more"), (less, "less")):
            if (sentence.split(" ", 1)[1] in words) != (verdict == kind) and sentence in words:
                out.append(Violation("same-number", "text verdict", sentence, verdict,
                                     f"text says {sentence}, json {verdict}"))
    return out


def batch(pairs):
    """At most 5 % of sets of verdicts hold a false alarm, and 95 % of the intervals hold the true change."""
    quiet = sets = hits = n = 0
    for s, o in pairs:
        asked = (s.one("shape"), s.one("quality"), s.one("order"))
        if o["json"][0] != 0 or asked != ("lognormal", "measured", "turns"):
            continue
        changes = {c["name"]: c for c in json.loads(o["json"][1])["changes"] if c["group"] == "headline"}
        truth = {"time": 0.0, "energy": s.number("change"), "power": s.number("change")}
        if min(map(int, s.one("runs").split())) >= 5:
            sets += 1
            quiet += not any(c["verdict"] in ("less", "more") and truth.get(name, s.number("change")) == 0
                             for name, c in changes.items())
        c = changes["energy"]
        if c["change"]["low"] is not None:
            n += 1
            hits += c["change"]["low"] <= truth["energy"] <= c["change"]["high"]
    out = too_few(quiet, sets, "false alarms") if sets >= 30 else []
    return out + (too_few(hits, n, "change of energy") if n >= 30 else [])
