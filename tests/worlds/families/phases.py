# SPDX-License-Identifier: BSD-3-Clause
"""`wattle phases` of runs whose letters, rates and watts are known: phases cover the run, their energies add up to the
counter, what differs grossly is not one phase or one letter, and every form says the same."""
import csv
import io
import json

import programs
from laws import Violation

ENGINE = "virtual"
COST_S = 0.4


def draw(rng):
    """A sequence of letters with lengths from a row to minutes."""
    letters = sorted(programs.LETTERS)
    rng.shuffle(letters)
    letters = letters[:rng.choice([2, 3, 5])]
    if "idle" not in letters and rng.random() < 0.7:
        letters.append("idle")
    words, before = [], None
    for _ in range(rng.choice([1, 3, 6, 12, 25])):
        letter = rng.choice([x for x in letters if x != before])
        words.append(f"{letter}:{rng.choice([0.5, 1.5, 5, 10, 20, 20, 40])}")
        before = letter
    return [f"phases {' '.join(words)}", f"row {rng.choice([0.1, 0.5, 0.5, 1.0])}",
            f"noise {rng.choice([0.001, 0.01, 0.05])}",
            f"method {rng.choice(['focus', 'focus', 'focus', 'np-focus', 'pelt', 'paper'])}",
            f"seed {rng.randrange(1, 1000)}", f"reading {rng.choice([0.1, 0.1, 0.1, 0.43, 1.1])}"]


def play(s, p):
    path = p.path("run.wtl")
    programs.record(path, programs.parse(s.one("phases")), seed=int(s.number("seed")), noise=s.number("noise"),
                    row=s.number("row"), reading=s.number("reading"))
    p.run([p.wattle, "repair", path])
    o = {}
    for form in ("json", "csv", "text"):
        done = p.run([p.wattle, "phases", "--method", s.one("method"), "--format", form, path], env={"COLUMNS": "200"})
        o[form] = [done.status, done.out, done.err[-500:]]
    o["stats"] = p.run([p.wattle, "stats", "--format", "json", path]).out
    return o


def check(s, o):
    true = programs.parse(s.one("phases"))
    length, row = sum(x for _, x in true), s.number("row")
    if o["json"][0] != 0:
        few = length / row < 40
        return [] if few and o["json"][0] == 1 else [Violation("crash", "phases", o["json"][0], 0, o["json"][2])]
    d = json.loads(o["json"][1])
    node = d["nodes"][0]
    if node["problem"]:
        return [] if length / row < 40 else [Violation("refusal", "phases", node["problem"], None, node["problem"])]
    curve, _ = programs.curve(true, int(s.number("seed")), s.number("noise"))
    return _cover(node, length, row) + _energies(node, o, curve, row, length, s.number("reading")) + _merged(s, d, node, true) + _forms(o,
                                                                                                                   node)


def _cover(node, length, row):
    """In order, without gaps, over all rows."""
    out, phases = [], node["phases"]
    for a, b in zip(phases, phases[1:]):
        if abs(a["end_s"] - b["begin_s"]) > 1e-9:
            out.append(Violation("sum", "phases gap", b["begin_s"], a["end_s"],
                                 f"phase {b['phase']} begins {b['begin_s']}, not {a['end_s']}"))
    if phases and (abs(phases[0]["begin_s"]) > row + 1e-6 or abs(phases[-1]["end_s"] - length) > row + 1e-6):
        out.append(Violation("sum", "phases cover", [phases[0]["begin_s"], phases[-1]["end_s"]], [0, length],
                             "phases do not cover the run"))
    return out


def _energies(node, o, curve, row, length, reading):
    """Each phase has the energy of its stretch; all have that of the run, as stats prints it."""
    out, total = [], json.loads(o["stats"])["total"]
    known = [p["energy_j"] for p in node["phases"] if p["energy_j"] is not None]
    if node["energy_j"] is not None and len(known) == len(node["phases"]) \
            and abs(sum(known) - node["energy_j"]) > 1e-6 * node["energy_j"]:
        out.append(Violation("sum", "phases energy_j", sum(known), node["energy_j"],
                             f"phases add up to {sum(known)}, node {node['energy_j']}"))
    # rows need not end with the window
    slack = 3 * total["resolution_interval_j"] + 1e-6 * total["energy_j"] \
        + 1.5 * curve.greatest() * abs(length - (node["phases"][-1]["end_s"] - node["phases"][0]["begin_s"]))
    if node["energy_j"] is not None and abs(node["energy_j"] - total["energy_j"]) > slack:
        out.append(Violation("same-number", "node energy_j", node["energy_j"], total["energy_j"],
                             f"phases have {node['energy_j']} J, stats {total['energy_j']} J"))
    for one in node["phases"]:
        if one["energy_j"] is None:
            if one["length_s"] > 2 * reading + 0.01:
                out.append(Violation("known", "phase energy_j", None, one["length_s"],
                                     f"{one['length_s']} s with readings every {reading} s: {one['energy_problem']}"))
            continue
        if one["length_s"] < reading - 1e-6:
            out.append(Violation("refusal", "phase energy_j", one["energy_j"], None,
                                 f"{one['length_s']} s with readings every {reading} s has {one['energy_j']} J"))
        truth = curve.between(one["begin_s"], min(one["end_s"], length))
        text = f"phase {one['begin_s']} .. {one['end_s']}: {one['energy_j']} " \
               f"({one['energy_low_j']} .. {one['energy_high_j']}) J, true {truth} J"
        low, high = one["energy_low_j"], one["energy_high_j"]
        # the power of the letters is known, but not what a reading's own time costs
        slack = 1e-3 * truth + 0.2
        if low is None or high is None or not low - slack <= truth <= high + slack:
            out.append(Violation("interval", "phase energy_j", one["energy_j"], truth, text))
        if low is not None and not low - 1e-6 <= one["energy_j"] <= high + 1e-6:
            out.append(Violation("order", "phase energy_j", one["energy_j"], [low, high], text))
        if high is not None and high > node["energy_j"] * (1 + 1e-6):
            out.append(Violation("bound", "phase energy_high_j", high, node["energy_j"],
                                 f"{text}; the run has {node['energy_j']} J"))
        product = (one["mean_w"] or 0) * one["known_s"]
        if product and abs(product - one["energy_j"]) > 1e-6 * one["energy_j"]:
            out.append(Violation("same-number", "phase mean_w", one["mean_w"], one["energy_j"] / one["known_s"], text))
    return out


def _apart(a, b):
    """Whether two letters differ in most counters by a factor of 2, and by 40 W."""
    far = sum(max(x, y) > 2 * min(x, y) for x, y in zip(programs.LETTERS[a][1], programs.LETTERS[b][1]))
    return far >= 3 and abs(programs.LETTERS[a][0] - programs.LETTERS[b][0]) >= 40


def _merged(s, d, node, true):
    """No phase and no letter holds ten rows each of two letters that are far apart."""
    if s.one("method") == "paper":  # its letters are not what counts, as its guide says
        return []
    out, at, spans, row = [], 0.0, [], s.number("row")
    for letter, seconds in true:
        spans.append((at, at + seconds, letter))
        at += seconds
    by_letter = {}
    for one in node["phases"]:
        inside = {}
        for a, b, letter in spans:
            shared = min(b, one["end_s"]) - max(a, one["begin_s"])
            if shared > 0:
                inside[letter] = inside.get(letter, 0) + shared
        for group, where in ((inside, "phase"),):
            out += _mixed(group, where, row, f"phase {one['begin_s']} .. {one['end_s']} s of {one['mean_w']} W")
        if one["letter"] and not one["short"]:
            main = max(inside, key=inside.get)
            if inside[main] > 0.9 * one["length_s"]:
                entry = by_letter.setdefault(one["letter"], {})
                entry[main] = entry.get(main, 0) + inside[main]
    for name, group in by_letter.items():
        out += _mixed(group, "letter", row, f"letter {name}")
    return out


def _mixed(group, where, row, text):
    names = [n for n, seconds in group.items() if seconds >= 10 * row]
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            if _apart(a, b):
                return [Violation("separable", where, sorted(names), "one", f"{text} holds {group[a]:.1f} s of {a} "
                                  f"({programs.LETTERS[a][0]} W) and {group[b]:.1f} s of {b} ({programs.LETTERS[b][0]} "
                                  f"W)")]
    return []


def _forms(o, node):
    """The CSV has the numbers of the JSON."""
    out, rows = [], list(csv.DictReader(io.StringIO(o["csv"][1])))
    if len(rows) != len(node["phases"]):
        return [Violation("same-number", "csv rows", len(rows), len(node["phases"]),
                          "csv and json have other numbers of phases")]
    for row, one in zip(rows, node["phases"]):
        for field in ("begin_s", "end_s", "length_s", "mean_w", "energy_j", "energy_low_j", "energy_high_j", "known_s"):
            said, truth = row[field], one[field]
            value = float(said) if said else None
            off = 0 if None in (value, truth) else abs(value - truth)
            if (value is None) != (truth is None) or off > 1e-6 * abs(truth or 0) + 1e-6:
                out.append(Violation("same-number", f"csv {field}", said, truth,
                                     f"phase {one['phase']}: csv {said}, json {truth}"))
        if (row["letter"] or None) != one["letter"]:
            out.append(Violation("same-number", "csv letter", row["letter"], one["letter"], f"phase {one['phase']}"))
    return out
