# SPDX-License-Identifier: BSD-3-Clause
"""Runs of many nodes: sums over nodes in `stats`, `reduce`, `report` and the CSV files of `reduce -o`, held against the
single traces and against the formulas; nodes that are missing, were killed, idle or stand out."""
import csv
import io
import json
import math
import os
import random

import recording
from laws import Violation

ENGINE = "virtual"
COST_S = 0.6
# Grubbs' two-sided critical values at 5 %, the first step of the generalized extreme Studentized deviate
CRITICAL = {3: 1.1543, 4: 1.4812, 5: 1.7150, 8: 2.1266, 30: 2.9085, 100: 3.3841}


def draw(rng):
    """Nodes with watts, clocks and windows; one of them may stand out, be killed or be missing."""
    n = rng.choice([2, 3, 4, 4, 5, 8, 30, 100])
    lines = [f"nodes {n}", f"length {rng.choice([1.0, 6.0])}", f"interval {rng.choice([0.02, 0.1])}",
             f"spread {rng.choice([0, 0, 0.001, 0.02])}", f"shift {rng.choice([0, 0, 0.4, 30])}",
             f"seed {rng.randrange(10000)}",
             f"curve {rng.choice(['45', '45', 'square 30 90 1 0.4'])}"]
    odd = rng.choice(["none", "none", "outlier", "outlier", "idle", "killed", "missing", "second"])
    lines.append(f"odd {odd} {rng.choice([85, 60]) if odd == 'outlier' else 15}")
    if rng.random() < 0.6:
        lines += [f"region solve {rng.choice([0.2, 0.203])} {rng.choice([0.6, 0.8071])}"]
        lines += ["region inner 0.3 0.4"] if rng.random() < 0.5 else []
    if rng.random() < 0.3:
        lines.append("gauge dram-0 7")
    return lines


def nodes(s):
    """For each node: name, curve of its package, begin of its window in the run, last sample if it was killed."""
    rng, n, out = random.Random(s.one("seed", "1")), int(s.number("nodes")), []
    odd, watts = (s.one("odd", "none") + " 15").split()[:2]
    for i in range(n):
        scale = 1 + s.number("spread", 0) * max(min(rng.gauss(0, 1), 2), -2)
        last = i == n - 1
        if last and odd in ("outlier", "idle"):
            scale *= float(watts) / 45
        words = s.one("curve", "45").split()
        if words[0] == "square":
            words[1:3] = [repr(float(w) * scale) for w in words[1:3]]
        else:
            words = [repr(float(words[0]) * scale)]
        begin = rng.uniform(0, s.number("shift", 0))
        out.append((f"n{i + 1}", recording.Curve(" ".join(words)), begin, last and odd == "killed"))
    return out


def play(s, p):
    folder = p.path("traces")
    os.makedirs(folder)
    single = {}
    for i, (name, curve, begin, killed) in enumerate(nodes(s)):
        path = os.path.join(folder, name + ".wtl")
        _write(s, path, name, i, curve, begin, killed)
        if not killed:
            p.run([p.wattle, "repair", path])
    if s.one("odd", "").startswith("second"):
        with open(os.path.join(folder, "n1.wtl"), "rb") as f, open(os.path.join(folder, "copy.wtl"), "wb") as g:
            g.write(f.read())
    for name, *_ in nodes(s)[:8] + nodes(s)[-1:]:
        done = p.run([p.wattle, "stats", "--format", "json", os.path.join(folder, name + ".wtl")])
        single[name] = _json(done)
    strict = p.run([p.wattle, "reduce", folder])
    o = {"single": single, "strict": [strict.status, strict.out[-500:], strict.err[-1000:]]}
    out = p.path("out")
    reduced = p.run([p.wattle, "reduce", "--partial", "-o", out, "--format", "json", folder])
    o["reduce"] = _json(reduced)
    o["files"] = {name: _sums(os.path.join(out, name)) for name in (sorted(os.listdir(out)) if os.path.isdir(out)
                                                                    else [])
                  if name.endswith(".csv")}
    for verb, name in (("stats", "stats"), ("report", "report")):
        o[name] = _json(p.run([p.wattle, verb, "--format", "json", folder]))
    o["run file"] = _json(p.run([p.wattle, "stats", "--format", "json", os.path.join(out, "run.wtl")]))
    return o


def _json(done):
    try:
        return json.loads(done.out)
    except ValueError:
        return {"failed": [done.status, done.err[-500:]]}


def _sums(path):
    """Joules and seconds by node of a CSV of reduce, and its number of rows."""
    with open(path, encoding="utf-8") as f:
        rows = list(csv.DictReader(io.StringIO(f.read())))
    joules, seconds = {}, {}
    for row in rows:
        if row["total_w"]:
            joules[row["node"]] = joules.get(row["node"], 0) + float(row["total_w"]) * float(row["seconds"])
        seconds[row["node"]] = seconds.get(row["node"], 0) + float(row["seconds"])
    return {"joules": joules, "seconds": seconds, "rows": len(rows)}


def _write(s, path, name, number, curve, begin, killed):
    """The trace of one node, with a clock of its own."""
    n, length, step = int(s.number("nodes")), s.number("length"), s.number("interval")
    listed = n + 1 if s.one("odd", "").startswith("missing") else n
    trace = recording.Trace(**{"run.id": "run-1", "node.name": name, "node.key": name, "host.name": name,
                               "job.nodes": f"n[1-{listed}]" if listed > 1 else "n1",
                               "sampler.interval_ns": round(step * 1e9)})
    trace.shift_ns = number * 77_000_000_000
    trace.realtime_ns += round(begin * 1e9)
    end = length * 0.6 if killed else length
    times = [step * (k - 1.5) for k in range(int(end / step) + (1 if killed else 5))]
    recording.counter_channel(trace, "powercap:package-0", recording.Counter(curve), times)
    for gauge in s.all("gauge"):
        place, watts = gauge.split()
        c = trace.channel("hwmon:" + place, quantity="power", kind="gauge", scale=1e-6)
        trace.rows([c], times, [[round(float(watts) * 1e6)] * len(times)])
    trace.window(0, None if killed else length)
    if s.all("region"):
        thread = trace.thread(trace.process())
        for region in s.all("region"):
            word, a, b = region.split()
            trace.region(thread, word, float(a) * length, min(float(b) * length, end))
    trace.write(path)


def _end(s, killed):
    """End of the window of a node: of one that was killed, its last sample."""
    step, length = s.number("interval"), s.number("length")
    return step * (int(length * 0.6 / step) - 1.5) if killed else length


def truth(s, node, a=0.0, b=None):
    """Joules of the total of a node."""
    _, curve, _, killed = node
    end = _end(s, killed)
    b = min(end, end if b is None else b)
    gauges = sum(float(g.split()[1]) for g in s.all("gauge"))
    return curve.between(a, b) + gauges * (b - a)


def check(s, o):
    out = []
    for verb in ("reduce", "stats", "report", "run file"):
        if "failed" in o[verb]:
            out.append(Violation("crash", verb, o[verb]["failed"], 0, f"{verb}: {o[verb]['failed']}"))
    if out:
        return out
    every = nodes(s)
    total = o["reduce"]["total"]["measured"]
    half = total["resolution_interval_j"] or 0
    sum_truth = sum(truth(s, n) for n in every)
    said = total["energy_j"] if total["energy_j"] is not None else total["known_j"]
    if abs(said - sum_truth) > 3 * half + 1e-6 * sum_truth:
        out.append(Violation("interval", "reduce total", said, sum_truth,
                             f"reduce: {said} +- {half} J, true {sum_truth} J"))
    return out + _same_totals(s, o) + _singles(s, o, every) + _missing(s, o) + _marks(s, o, every) + _files(s, o,
                                                                                                            every) \
        + _regions(s, o, every)


def _same_totals(s, o):
    """stats, report and the run file say what reduce says."""
    out, total = [], o["reduce"]["total"]["measured"]
    run = o["report"]["runs"][0]
    for where, one in (("stats", o["stats"]["total"]), ("run file", o["run file"]["total"]), ("report",
                                                                                              run["parts"][0])):
        for field in ("energy_j", "resolution_interval_j"):
            said, want = one[field], total[field]
            if (said is None) != (want is None) or said is not None and abs(said - want) > 1e-9 * abs(want) + 1e-9:
                out.append(Violation("same-number", f"{where} {field}", said, want,
                                     f"{where}: {field} {said}, reduce {want}"))
    by_node = sum(n["energy_j"] or 0 for n in o["reduce"]["nodes"])
    known = total["known_j"]
    if abs(by_node - known) > 1e-9 * known + 1e-9:
        out.append(Violation("sum", "reduce nodes", by_node, known, f"nodes add up to {by_node} J, known_j is {known}"))
    halves = math.sqrt(sum((n["resolution_interval_j"] or 0) ** 2 for n in o["reduce"]["nodes"]))
    said = total["resolution_interval_j"]
    # Half widths of gauges are the same on all nodes, so they add up.
    most = sum(n["resolution_interval_j"] or 0 for n in o["reduce"]["nodes"]) if s.all("gauge") else halves
    if said is not None and not halves * (1 - 1e-6) - 1e-9 <= said <= most * (1 + 1e-6) + 1e-9:
        out.append(Violation("sum", "reduce half width", total["resolution_interval_j"], halves,
                             f"half width {total['resolution_interval_j']}, of the nodes in quadrature {halves}"))
    domains = sum(d["known_j"] or 0 for d in o["reduce"]["domains"] if d["in_total"])
    if abs(domains - known) > 1e-9 * known + 1e-9:
        out.append(Violation("sum", "reduce domains", domains, known,
                             f"domains add up to {domains} J, the total is {known}"))
    return out


def _singles(s, o, every):
    """Each node has the numbers of its own trace, and the truth in its interval."""
    out, reduced = [], {n["name"]: n for n in o["reduce"]["nodes"]}
    shown = {n["name"]: n for n in o["report"]["runs"][0].get("nodes", [])}
    for node in every:
        name, one = node[0], o["single"].get(node[0])
        if one is None or "failed" in one or name not in reduced:
            continue
        for where, other in (("reduce node", reduced[name]), ("report node", shown.get(name))):
            for field in ("energy_j", "resolution_interval_j"):
                said, want = other and other[field], one["total"][field]
                if other and ((said is None) != (want is None) or said is not None
                              and abs(said - want) > 1e-9 * abs(want)):
                    out.append(Violation("same-number", f"{where} {field}", said, want,
                                         f"{name}: {where} {said}, stats {want}"))
        said, half, want = one["total"]["energy_j"], one["total"]["resolution_interval_j"], truth(s, node)
        if said is not None and abs(said - want) > 3 * half + 1e-6 * want:
            out.append(Violation("interval", "node total", said, want, f"{name}: {said} +- {half} J, true {want} J"))
        if node[3] and "UNFINISHED" not in {f["name"] for f in reduced[name]["flags"]}:
            out.append(Violation("unflagged", "killed node", [f["name"] for f in reduced[name]["flags"]], "UNFINISHED",
                                 f"{name} was killed, and has no flag"))
    return out


def _missing(s, o):
    """A node without a trace, and a second trace of a node, stop `reduce` and are named."""
    odd, out = s.one("odd", "none").split()[0], []
    status, _, err = o["strict"]
    name = f"n{int(s.number('nodes')) + 1}" if odd == "missing" else "copy.wtl"
    if odd in ("missing", "second"):
        if odd == "missing" and (status == 0 or name not in err):
            out.append(Violation("refusal", f"reduce {odd}", [status, err], name,
                                 f"{odd}: reduce exits {status}, {err}"))
        if odd == "missing" and name not in json.dumps(o["report"]["runs"][0]["absent"]):
            out.append(Violation("refusal", "report missing", o["report"]["runs"][0]["absent"], name,
                                 f"report does not name {name}"))
        if odd == "missing" and name not in json.dumps(o["stats"]["flag_texts"]) + json.dumps(o["stats"]["flags"]):
            out.append(Violation("refusal", "stats missing", o["stats"]["flags"], name,
                                 f"stats has a total without {name} and no flag: {o['stats']['flags']}"))
    elif status != 0:
        out.append(Violation("refusal", "reduce", status, 0, f"reduce exits {status}: {err}"))
    return out


def _marks(s, o, every):
    """Which nodes the report marks, by the rules that it states."""
    marks = {n["name"]: set(n["marks"]) for n in o["report"]["runs"][0].get("nodes", [])}
    out, odd = [], s.one("odd", "none").split()[0]
    length = s.number("length")
    powers = [truth(s, n) / length for n in every]
    median = sorted(powers)[len(powers) // 2]
    mean = sum(powers) / len(powers)
    sd = math.sqrt(sum((w - mean) ** 2 for w in powers) / (len(powers) - 1))
    last = every[-1][0]
    if odd == "outlier" and len(every) in CRITICAL and last in marks:
        deviate = (powers[-1] - mean) / sd
        unjudged = len(every) < 5 and o["report"]["runs"][0]["limits"]["outlier_nodes"] is None  # and says so
        if deviate > CRITICAL[len(every)] * 1.003 and "outlier" not in marks[last] and not unjudged:
            out.append(Violation("unflagged", "outlier", sorted(marks[last]), "outlier",
                                 f"{powers[-1]:.1f} W among {len(every)} nodes of {median:.1f} W (deviate "
                                 f"{deviate:.4f}, critical "
                                 f"{CRITICAL[len(every)]}) has no mark"))
    if odd == "idle" and len(every) > 2 and last in marks and powers[-1] < 0.57 * median and "idle" not in marks[last]:
        out.append(Violation("unflagged", "idle", sorted(marks[last]), "idle",
                             f"{powers[-1]:.1f} W of {median:.1f} W: no mark"))
    for name, found in marks.items():
        watts = next(w for w, n in zip(powers, every) if n[0] == name)
        if "outlier" in found and abs(watts / median - 1) < 0.009:
            out.append(Violation("refusal", "outlier", watts, median,
                                 f"{name}: {watts} W of {median} W is marked outlier"))
        if "idle" in found and watts > 0.62 * median and odd != "killed":
            out.append(Violation("refusal", "idle", watts, median, f"{name}: {watts} W of {median} W is marked idle"))
    return out


def _files(s, o, every):
    """Power times seconds of overall.csv is the energy of each node; tags and untagged are parts of it, split at their edges."""
    files, out = o["files"], []
    reduced = {n["name"]: n for n in o["reduce"]["nodes"]}
    overall = files.get("overall.csv")
    if not overall:
        return [Violation("refusal", "overall.csv", sorted(files), "overall.csv", "reduce -o wrote no overall.csv")]
    for name, joules in overall["joules"].items():
        node = reduced[name]
        want = node["energy_j"]
        slack = 3 * node["resolution_interval_j"] + 2e-4 * want + 0.01
        if abs(joules - want) > slack:
            out.append(Violation("same-number", "overall.csv joules", joules, want,
                                 f"{name}: overall.csv has {joules} J, reduce {want} J"))
        if abs(overall["seconds"][name] - (node["end_s"] - node["begin_s"])) > 1e-4:
            out.append(Violation("same-number", "overall.csv seconds", overall["seconds"][name],
                                 node["end_s"] - node["begin_s"],
                                 f"{name}: overall.csv covers {overall['seconds'][name]} s"))
    tags = [f for f in files if f.startswith("tag-")]
    names = {r.split()[0] for r in s.all("region")}
    if {f[4:-4] for f in tags} != names or bool(names) != ("untagged.csv" in files):
        out.append(Violation("refusal", "files of regions", sorted(files), sorted(names), f"files {sorted(files)}"))
    if "untagged.csv" in files and "tag-solve.csv" in files:
        parts = files["untagged.csv"]["rows"] + files["tag-solve.csv"]["rows"]
        if not overall["rows"] <= parts <= overall["rows"] + 2 * len(every):
            out.append(Violation("sum", "untagged.csv rows", parts, overall["rows"],
                                 f"untagged and solve have {parts} rows, overall {overall['rows']}"))
    return out


def _regions(s, o, every):
    """Joules of a region, in reduce, in report and in its CSV."""
    out, length = [], s.number("length")
    reduced = {r["region"]: r for r in o["reduce"]["regions"]}
    shown = {r["name"]: r for r in o["report"]["runs"][0]["regions"]}
    for word, a, b in (r.split() for r in s.all("region")):
        want = sum(truth(s, n, float(a) * length, float(b) * length) for n in every if not n[3] or float(b) < 0.55)
        one = reduced.get(word)
        if one is None:
            out.append(Violation("refusal", "reduce region", sorted(map(str, reduced)), word, f"no region {word}"))
            continue
        inclusive = one["inclusive"]
        said, half = inclusive["energy_j"], inclusive["resolution_interval_j"]
        if said is not None and not any(n[3] for n in every) and abs(said - want) > 3 * half + 1e-6 * want:
            out.append(Violation("interval", "reduce region inclusive", said, want,
                                 f"{word}: {said} +- {half} J, true {want} J"))
        if word in shown and said is not None and abs(shown[word]["energy_j"] - said) > 1e-9 * said:
            out.append(Violation("same-number", "report region", shown[word]["energy_j"], said,
                                 f"{word}: report, reduce {said}"))
        file = o["files"].get(f"tag-{word}.csv")
        if file and said is not None and not any(n[3] for n in every):  # of a killed node there is a part
            # Split at the edges by time between samples, where the power may jump.
            peak = sum(n[1].greatest() for n in every) + 10 * len(every)
            if abs(sum(file["joules"].values()) - want) > 0.5 * s.number("interval") * peak + 3 * half + 0.01:
                out.append(Violation("same-number", "tag csv joules", sum(file["joules"].values()), want,
                                     f"tag-{word}.csv has {sum(file['joules'].values())} J, the region {want} J"))
    return out
