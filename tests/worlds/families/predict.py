# SPDX-License-Identifier: BSD-3-Clause
"""`wattle predict` with a model of known programs: the energy at the end, whether a run is known at all, and that
nothing is claimed that the stored runs do not show."""
import json
import random

import programs
from laws import Violation, coverage_floor

ENGINE = "virtual"
COST_S = 2.0
CHECK = 36
BASE = "idle:5 work:20 send:10 work:20 memory:12"


def draw(rng):
    """Stored runs of programs, and a run that is one of them, none of them, or could be two."""
    shape = rng.choice(["known", "known", "known", "unseen", "twins", "single", "transfer", "derived"])
    lines = [f"shape {shape}", f"seed {rng.randrange(1, 1000)}", f"noise {rng.choice([0.005, 0.01, 0.02])}",
             f"vary {rng.choice([0.0, 0.02, 0.05])}", f"stored {1 if shape == 'single' else rng.choice([3, 5])}",
             f"partial {rng.choice([20, 50, 50, 70])}"]
    lines += [f"program aa {BASE} mixed:{rng.choice([20, 40])} idle:6"]
    if shape == "twins":
        lines.append(f"program bb {BASE} other:{rng.choice([80, 200])} idle:6")
    elif shape != "single":
        lines.append("program cc idle:5 memory:30 send:5 memory:30 idle:10")
    if shape == "unseen":
        never = ["strange:20 other:15 strange:40 mixed:30", "strange:120", "other:10 mixed:10 other:60", "memory:133"]
        lines.append(f"test {rng.choice(never)}")
    return lines


def _phases(s, words, rng):
    """Phases of one run: each as long as stated, but for the variation of the program, in whole rows."""
    vary = s.number("vary", 0)
    return [(letter, max(round(seconds * (1 + rng.gauss(0, vary)) * 2) / 2, 1.0)) for letter,
            seconds in programs.parse(words)]


def _runs(s):
    """(file, phases, seed, command, factor, speed) of stored runs, then of the run to predict."""
    rng, out, number = random.Random(s.one("seed")), [], int(s.number("seed")) * 100
    stored = [v.partition(" ") for v in s.all("program")]
    for name, _, words in stored:
        for i in range(int(s.number("stored"))):
            out.append((f"{name}-{i}.wtl", _phases(s, words, rng), number + len(out), f"./{name}", 1.0, 1.0))
        if s.one("shape") == "transfer" and name == "cc":  # a kernel that ran on both platforms
            out.append((f"{name}-there.wtl", _phases(s, words, rng), number + len(out), f"./{name}", 1.6, 0.7))
    words = s.one("test", stored[0][2])
    other = s.one("shape") == "transfer"
    out.append(("test.wtl", _phases(s, words, rng), number + 99, "./test", 1.6 if other else 1.0, 0.7 if other
                else 1.0))
    return out


def play(s, p):
    runs, o = _runs(s), {}
    for file, phases, seed, command, factor, speed in runs:
        there = factor != 1.0
        programs.record(p.path(file), phases, seed=seed, noise=s.number("noise"), factor=factor, speed=speed,
                        command=command,
                        meter=file != "test.wtl" or s.one("shape") != "derived",
                        meta=[("cpu.model", "processor two" if there else "processor one")])
        p.run([p.wattle, "repair", p.path(file)])
    learned = p.run([p.wattle, "phases", "learn", "-o", p.path("m.model"), *(p.path(r[0]) for r in runs[:-1])])
    o["learn"] = [learned.status, learned.err[-300:]]
    for form in ("json", "text", "csv"):
        done = p.run([p.wattle, "predict", "--partial", f"{s.one('partial')}%", "--format", form, p.path("m.model"),
                      p.path("test.wtl")],
                     env={"COLUMNS": "200"})
        o[form] = [done.status, done.out, done.err[-300:]]
    return o


def truth(s):
    """Joules and seconds of the whole run."""
    _, phases, seed, _, factor, _ = _runs(s)[-1]
    curve, length = programs.curve(phases, seed, s.number("noise"), factor)
    return curve.energy(length), length


def _ends(s):
    """Joules of the stored runs, by program."""
    out = {}
    for _, phases, seed, command, factor, _ in _runs(s)[:-1]:
        if factor == 1.0:
            curve, length = programs.curve(phases, seed, s.number("noise"), factor)
            out.setdefault(command[2:], []).append(curve.energy(length))
    return out


def check(s, o):
    if o["json"][0] not in (0, 1):
        return [Violation("crash", "predict", o["json"][0], 0, o["json"][2])]
    if o["json"][0] == 1:
        return [] if s.one("shape") in ("transfer", "derived", "unseen") else [
            Violation("refusal", "predict", o["json"][2], "a prediction", o["json"][2])]
    d = json.loads(o["json"][1])
    joules, seconds = truth(s)
    out = _said(s, d, joules, seconds) + _known(s, d) + _candidates(s, d)
    return out + _so_far(s, d)


def _said(s, d, joules, seconds):
    """Energy and time at the end, with their intervals."""
    out, shape = [], s.one("shape")
    peak = max(w for w, _ in programs.LETTERS.values()) * 1.6
    for field, want, slack in (("energy", joules, peak * 1.0 + 0.01 * joules), ("time", seconds, 1.0)):
        unit = "j" if field == "energy" else "s"
        said, low, high = (d[f"{field}{end}_{unit}"] for end in ("", "_low", "_high"))
        if said is None:
            continue
        text = f"{shape}: {field} {said} ({low} .. {high}), true {want}; program {d['program']}, runs {d['runs']}"
        if shape == "single" and low is not None and high - low < 0.02 * said:
            out.append(Violation("refusal", f"{field} interval of one run", [low, high], None, text))
        if low is None:
            continue
        if not low <= said <= high:
            out.append(Violation("order", f"{field}", said, [low, high], text))
        half = max(high - said, said - low)
        # a run varies as the stored ones do
        if abs(said - want) > 3 * half + slack + 3 * s.number("vary", 0) * want:
            out.append(Violation("interval", f"{field} at the end", said, want, text))
        if shape == "transfer" and not want / 3 < said < want * 3:
            out.append(Violation("interval", f"{field} on another platform", said, want, text))
        if low < 0:
            out.append(Violation("bound", f"{field} low", low, 0, text))
    return out


def _known(s, d):
    """A program that is not in the model is unknown; one that is, is not called unknown for sure."""
    out, shape = [], s.one("shape")
    if shape == "unseen" and d["program"] is not None and d["known"] and (d["probability"] or 0) > 0.9:
        out.append(Violation("refusal", "unseen program", [d["program"], d["probability"]], None,
                             f"a program never seen is {d['program']} with probability {d['probability']}"))
    if shape == "unseen" and d["energy_j"] is not None and (d["unknown_probability"] or 0) > 0.5:
        out.append(Violation("refusal", "unseen energy", d["energy_j"], None,
                             f"{d['energy_j']} J for a run that is unknown"))
    if shape in ("known", "single") and not d["known"] and (d["unknown_probability"] or 0) > 0.99 and s.number("vary",
                                                                                                               0) == 0:
        out.append(Violation("refusal", "known program", d["unknown_probability"], "known",
                             f"a run of a stored program is unknown with {d['unknown_probability']}"))
    total = sum(c["probability"] for c in d["candidates"]) + (d["unknown_probability"] or 0)
    if d["unknown_probability"] is not None and len(d["candidates"]) < 8 and abs(total - 1) > 0.01:
        out.append(Violation("sum", "probabilities", total, 1, f"probabilities add up to {total}"))
    return out


def _candidates(s, d):
    """What may be two programs has the end of neither between them, and each of them its own."""
    out, ends, spread = [], _ends(s), 0.08 + 3 * s.number("vary", 0)
    stored = {k: [round(e) for e in v] for k, v in ends.items()}
    if d["energy_low_j"] is not None and d["reference"] is None and (d["unknown_probability"] or 0) > 0.051:
        out.append(Violation("coverage", "energy of an unknown run", d["energy_low_j"], None,
                             f"an interval of 95 %, though it is none of the model with {d['unknown_probability']}"))
    for c in d["candidates"]:
        if c["energy_low_j"] is not None and c["used"] < 2:
            out.append(Violation("refusal", "interval of one run", c["energy_low_j"], None, f"from one run: {c}"))
    if s.one("shape") != "twins":
        return out
    for c in d["candidates"]:
        near = min((abs(c["energy_j"] / e - 1) for e in ends[c["program"]]), default=0) if c["energy_j"] else 0
        if near > spread:
            out.append(Violation("separable", "energy of a candidate", c["energy_j"], stored,
                                 f"{c['energy_j']} J is the end of no run of {c['program']}: {stored}"))
    near = min(abs(d["energy_j"] / e - 1) for runs in ends.values() for e in runs) if d["energy_j"] else 0
    if near > spread and len([c for c in d["candidates"] if c["probability"] > 0.05]) > 1:
        out.append(Violation("separable", "energy of two candidates", d["energy_j"], stored,
                             f"{d['energy_j']} J is the end of no stored run: {ends}"))
    return out


def _so_far(s, d):
    """Energy and time so far are those of the part."""
    _, phases, seed, _, factor, _ = _runs(s)[-1]
    curve, length = programs.curve(phases, seed, s.number("noise"), factor)
    part = length * d["part"]
    out = []
    if abs(d["part"] - s.number("partial") / 100) > 1.0 / length + 1e-6:
        out.append(Violation("same-number", "part", d["part"], s.number("partial") / 100, f"part {d['part']}"))
    if d["done_j"] is not None and d["done_quality"] != "derived":
        want = curve.energy(d["done_s"])
        if abs(d["done_j"] - want) > 0.12 * curve.greatest() + 0.002 * want or abs(d["done_s"] - part) > 1.0:
            out.append(Violation("interval", "done_j", d["done_j"], want,
                                 f"so far {d['done_j']} J in {d['done_s']} s, true {want}"))
    if s.one("shape") == "derived" and d["done_j"] is not None and d["done_quality"] != "derived":
        out.append(Violation("estimate", "done_quality", d["done_quality"], "derived",
                             "an energy from counters is not called derived"))
    if d["measured_j"] is not None and d["energy_j"] is not None and d["energy_ratio"] is not None:
        if abs(d["energy_ratio"] - d["energy_j"] / d["measured_j"]) > 1e-6 * d["energy_ratio"]:
            out.append(Violation("same-number", "energy_ratio", d["energy_ratio"], d["energy_j"] / d["measured_j"],
                                 "predicted/measured"))
    if d["measured_j"] is not None:
        want = curve.energy(length)
        if abs(d["measured_j"] - want) > 0.002 * want + 0.2 * curve.greatest():
            out.append(Violation("interval", "measured_j", d["measured_j"], want,
                                 f"measured {d['measured_j']} J, true {want}"))
    return out


def batch(pairs):
    """Of runs of stored programs, few are called unknown; of those predicted, most ends lie in their interval."""
    unknown = known = hits = n = 0
    for s, o in pairs:
        if s.one("shape") != "known" or o["json"][0] != 0 or s.number("stored") < 3:
            continue
        d = json.loads(o["json"][1])
        known += 1
        unknown += (d["unknown_probability"] or 0) > 0.8
        if d["energy_low_j"] is not None:
            n += 1
            hits += d["energy_low_j"] - 110 <= truth(s)[0] <= d["energy_high_j"] + 110  # half a row of power
    out = []
    if known >= 10 and known - unknown < coverage_floor(known, 0.8):
        out.append(Violation("coverage", "known programs", f"{unknown} of {known} unknown", "at most 20 %",
                             f"{unknown} of {known} runs of stored programs are unknown with more than 80 %"))
    if n >= 10 and hits < coverage_floor(n, 0.95):
        out.append(Violation("coverage", "energy at the end", f"{hits} of {n}", coverage_floor(n, 0.95),
                             f"{hits} of {n} intervals hold the energy at the end"))
    return out
