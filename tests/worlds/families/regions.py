# SPDX-License-Identifier: BSD-3-Clause
"""Energies of regions: nested, on several threads, short and many, across gaps and borders of the window; in `stats` as
JSON and CSV, in `reduce`, `report` and `export`, and as the Python reader finds them."""
import bisect
import csv
import importlib.util
import io
import json
import math
import os
import random

import recording
from laws import Violation, too_few

ENGINE = "virtual"
COST_S = 0.3


def draw(rng):
    """Power, rate, and regions as lines "region THREAD NAME BEGIN END [COUNT PERIOD]"."""
    length = rng.choice([1.0, 5.5, 20.0])
    tick = rng.choice([0.0009765625, 0.001, 0.01, 0.1])
    interval = rng.choice([0.001, 0.01, 0.01, 0.1]) if length < 10 else rng.choice([0.01, 0.1, 1.0])
    threads = rng.choice([1, 1, 2, 4])
    lines = [f"length {length}", f"interval {interval}", f"tick {tick}", f"phase {rng.uniform(0, 1):.3f}",
             f"power package-0 {rng.choice(['60', 'square 10 90 0.5 0.3', 'square 40 90 0.05 0.5', 'sine 60 20 1'])}"]
    if rng.random() < 0.3:
        lines.append(f"power package-1 {rng.choice(['30', 'sine 40 20 0.3'])}")
    for thread in range(threads):
        lines += _thread(rng, thread, length, interval)
    if rng.random() < 0.3:
        at = rng.uniform(0.2, 0.7) * length
        lines.append(f"gap {at:.4f} {at + rng.uniform(3, 12) * interval:.4f} "
                     f"{rng.choice(['read-failed', 'not-sampled', 'reset', 'lost-wrap'])}")
    return lines


def _thread(rng, thread, length, interval):
    """An outer region with inner ones, or many short ones, or one beyond the borders of the window."""
    kind = rng.choice(["nested", "nested", "short", "beyond", "single", "edges"])
    a, b = sorted(rng.uniform(0.05, 0.95) * length for _ in range(2))
    if kind == "nested":
        c, d, e, f = sorted(rng.uniform(a, b) for _ in range(4))
        return [f"region {thread} outer {a:.6f} {b:.6f}", f"region {thread} inner {c:.6f} {d:.6f}",
                f"region {thread} {rng.choice(['inner', 'other', 'outer'])} {e:.6f} {f:.6f}"]
    if kind == "short":
        period = rng.choice([0.002, interval, 0.01, 0.0009765625])
        part = rng.choice([0.1, 0.5, 0.9])
        count = max(min(int((b - a) / period), 2000), 1)
        return [f"region {thread} short {a:.6f} {a + part * period:.9f} {count} {period}"]
    if kind == "beyond":
        return [f"region {thread} early {-interval:.6f} {a:.6f}",
                f"region {thread} late {b:.6f} {length + interval:.6f}"]
    if kind == "edges":
        k = rng.randrange(1, max(int(0.9 * length / interval), 2))
        return [f"region {thread} solve {k * interval:.6f} "
                f"{min(k + rng.choice([1, 2, 10]), length / interval) * interval:.6f}"]
    return [f"region {thread} solve {a:.6f} {b:.6f}"]


def visits(s):
    """(thread, name, begin, end) of every visit."""
    out = []
    for words in (v.split() for v in s.all("region")):
        begin, end = float(words[2]), float(words[3])
        count, period = (int(words[4]), float(words[5])) if len(words) > 5 else (1, 0.0)
        out += [(int(words[0]), words[1], round(begin + k * period, 9), round(end + k * period, 9))
                for k in range(count)]
    return [v for v in out if v[3] > v[2]]


def unite(stretches):
    """Disjoint stretches, in order, that cover the same time."""
    out = []
    for a, b in sorted(stretches):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        elif b > a:
            out.append([a, b])
    return out


def without(stretches, holes):
    """What is left of disjoint stretches."""
    out = []
    for a, b in stretches:
        at = a
        for c, d in holes:
            if d <= at or c >= b:
                continue
            if c > at:
                out.append([at, c])
            at = max(at, d)
        if at < b:
            out.append([at, b])
    return out


def truth(s):
    """For each name ("" = outside): (visits in the window, inclusive stretches, exclusive ones, thread seconds)."""
    length, every = s.number("length"), visits(s)
    cut = [(t, n, max(a, 0.0), min(b, length), a, b) for t, n, a, b in every]
    inside = [v for v in cut if v[3] >= v[2]]
    out = {}
    for name in sorted({v[1] for v in every}):
        mine = [v for v in inside if v[1] == name]
        inclusive = unite([v[2:4] for v in mine])
        exclusive, thread_s = [], 0.0
        for thread in {v[0] for v in mine}:
            on = unite([v[2:4] for v in mine if v[0] == thread])
            thread_s += sum(b - a for a, b in on)
            exclusive += _innermost([v for v in every if v[0] == thread], name, length)
        out[name] = (len(mine), inclusive, unite(exclusive), thread_s)
    tagged = unite([v[2:4] for v in inside])
    outside = without([[0.0, length]], tagged)
    out[""] = (len(outside), outside, outside, 0.0)
    return out


def _innermost(mine, name, length):
    """Stretches of a thread in which the innermost open region has this name; visits are properly nested."""
    marks = sorted([(a, 1, -b, n) for _, n, a, b in mine] + [(b, 0, -a, n) for _, n, a, b in mine])
    out, stack, since = [], [], None
    for t, begins, _, n in marks:
        if stack and stack[-1] == name:
            out.append([max(since, 0.0), min(t, length)])
        if begins:
            stack.append(n)
        elif n in stack:
            del stack[len(stack) - 1 - stack[::-1].index(n)]
        since = t
    return [x for x in out if x[1] > x[0]]


def play(s, p):
    path = p.path("run.wtl")
    write(s, path)
    bare = p.run([p.wattle, "stats", "--regions", "--format", "json", path])
    p.run([p.wattle, "repair", path])
    return {"bare": _json(bare), **printed(s, p, path)}


def write(s, path):
    """The trace of a situation, without a footer."""
    times = _times(s)
    trace = recording.Trace(**{"run.id": "r", "node.name": "n1", "node.key": "n1",
                               "sampler.interval_ns": round(s.number("interval") * 1e9)})
    hidden = [(float(a), float(b), r.replace("-", " ")) for a, b, r in map(str.split, s.all("gap"))]
    for name, curve in _powers(s):
        counter = recording.Counter(curve, refresh=s.number("tick"), phase=s.number("phase", 0) * s.number("tick"))
        recording.counter_channel(trace, "powercap:" + name, counter, times, (), hidden)
    process = trace.process()
    threads = [trace.thread(process) for _ in range(1 + max([v[0] for v in visits(s)], default=0))]
    # marks of one time in the order of the file: ends first, then outer begins before inner ones
    for thread, name, begin, end in sorted(visits(s), key=lambda v: (v[2], -v[3])):
        trace.region(threads[thread], name, begin, end)
    trace.marks.sort(key=lambda m: (m[0], m[3] == 0))
    trace.window(0, s.number("length"))
    trace.write(path)


def printed(s, p, path):
    """What is printed of the regions of a trace."""
    o = {"stats": _json(p.run([p.wattle, "stats", "--regions", "--format", "json", path]))}
    table = p.run([p.wattle, "stats", "--regions", "--format", "csv", path]).out
    o["csv"] = list(csv.DictReader(io.StringIO(table[table.find("run,region"):])))
    o["reduce"] = _json(p.run([p.wattle, "reduce", "--format", "json", path]))
    report = _json(p.run([p.wattle, "report", "--format", "json", path]))
    marks = p.run([p.wattle, "export", "--what", "regions", path]).out
    o["export"] = len([r for r in csv.DictReader(io.StringIO(marks)) if r["mark"] in ("begin", "end")])
    o["python"] = _python(p.source, path, _powers(s))
    o["report"] = {"regions": report.get("run", {}).get("regions")}
    return o


def _json(done):
    try:
        return json.loads(done.out)
    except ValueError:
        return {"failed": [done.status, done.err[-500:]]}


def _python(source, path, powers):
    """Regions and energies as the Python reader has them."""
    spec = importlib.util.spec_from_file_location("wattle_trace", os.path.join(source, "python", "wattle_trace.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.open(path) as trace:
        count = {}
        for region in trace.regions:
            entry = count.setdefault(region.name, [0, 0.0])
            entry[0] += 1
            entry[1] += region.duration
        energies = {}
        for name, _ in powers:
            channel = "powercap:" + name
            energies[name] = trace.summary[channel].energy_j
        return {"regions": count, "energies": energies, "window": trace.window_s}


def _times(s):
    step, length = s.number("interval"), s.number("length")
    tail = s.number("tick") * 1.2
    return [step * (k - 2 + s.number("phase", 0)) for k in range(int((length + tail) / step) + 6)]


def _powers(s):
    return [(name, recording.Curve(curve)) for name, _, curve in (v.partition(" ") for v in s.all("power"))]


def _joules(s, stretches):
    return sum(curve.between(a, b) for _, curve in _powers(s) for a, b in stretches)


def _lost(s, stretches):
    """Seconds of the stretches that lie in gaps which lose their energy."""
    out, times = 0.0, _times(s)
    for a, b, reason in (v.split() for v in s.all("gap")):
        if reason.replace("-", " ") in recording.LOSING:
            begin, end = times[bisect.bisect_right(times, float(a)) - 1], times[bisect.bisect_left(times, float(b))]
            out += sum(max(min(d, end) - max(c, begin), 0) for c, d in stretches)
    return out


def check(s, o):
    failed = [k for k in ("bare", "stats", "reduce") if "failed" in o[k]]
    if failed:
        return [Violation("crash", failed[0], o[failed[0]], 0, f"{failed[0]}: {o[failed[0]]}")]
    found = {r["name"] or "": r for r in o["stats"].get("regions", [])}
    expected, out = truth(s), []
    if not visits(s):
        return []
    if set(found) != set(expected):
        out.append(Violation("refusal", "names", sorted(found), sorted(expected),
                             f"regions {sorted(found)}, true {sorted(expected)}"))
    for name in set(found) & set(expected):
        out += _region(s, name, found[name], expected[name], o["stats"]["total"])
    return out + _sum(s, o, found, expected) + _same(s, o, found)


def _region(s, name, said, true, total):
    """Times, energies and doubts of one region."""
    out, where = [], "outside" if not name else "region"
    count, inclusive, exclusive, thread_s = true
    times = (("union_s", sum(b - a for a, b in inclusive)), ("exclusive_s", sum(b - a for a, b in exclusive)),
             ("thread_s", thread_s))
    for field, want in times:
        if abs(said[field] - want) > 1e-7 + 1e-9 * len(inclusive):
            out.append(Violation("interval", f"{where} {field}", said[field], want,
                                 f"{name}: {field} {said[field]}, true {want}"))
    if name and said["count"] != count:
        out.append(Violation("interval", f"{where} count", said["count"], count,
                             f"{name}: {said['count']} visits, true {count}"))
    for part, stretches in (("inclusive", inclusive), ("exclusive", exclusive)):
        energy, half = said[part]["energy_j"], said[part]["resolution_interval_j"]
        want, lost = _joules(s, stretches), _lost(s, stretches)
        text = f"{name or 'outside'} {part}: {energy} +- {half} J, true {want:.6f} J " \
               f"in {sum(b - a for a, b in stretches):.6f} s, " \
               f"{len(stretches)} stretches"
        if lost > 1e-6:
            if energy is not None and said["doubt"] != "unknown":
                out.append(Violation("unflagged", f"{where} {part}", energy, None,
                                     text + f"; {lost} s of it are lost in a gap"))
            continue
        if energy is None:
            if stretches and not s.all("gap"):
                out.append(Violation("interval", f"{where} {part} null", None, want, text))
            continue
        if abs(energy - want) > 3 * half + 1e-6 * want + 1e-9:
            out.append(Violation("interval", f"{where} {part}", energy, want, text))
        clear = len(_powers(s)) == 1 and abs(4 * half - energy) > 1e-6 * energy
        if clear and said[part]["interval_only"] != (4 * half > energy):
            out.append(Violation("refusal", f"{where} {part} interval_only", said[part]["interval_only"],
                                 4 * half > energy, text))
        out += _bound(s, where, part, energy, half, stretches, total, text)
    return out


def _bound(s, where, part, energy, half, stretches, total, text):
    """No interval beyond the whole run, nor beyond what borders can hide."""
    step = s.number("interval") + s.number("tick")
    gap = max([float(b) - float(a) for a, b, _ in map(str.split, s.all("gap"))],
              default=0.0) + step if s.all("gap") else 0.0
    peak = sum(c.greatest() for _, c in _powers(s))
    borders = 2 * len(stretches) * (step + gap) * peak * 1.5 + 16 / 16384
    if half > borders:
        return [Violation("bound", f"{where} {part}", half, borders,
                          text + f"; its borders hide at most {borders:.4g} J")]
    known = total["energy_j"]
    if known is not None and energy + half > known + 3 * total["resolution_interval_j"] + 2 * step * peak:
        return [Violation("bound", f"{where} {part} total", energy + half, known, text + f"; the run has {known} J")]
    return []


def _sum(s, o, found, expected):
    """Exclusive regions of one thread and the time outside are the whole run."""
    if len({v[0] for v in visits(s)}) != 1 or any(r["exclusive"]["energy_j"] is None for r in found.values()):
        return []
    total = o["stats"]["total"]
    said = sum(r["exclusive"]["energy_j"] for r in found.values())
    half = math.hypot(total["resolution_interval_j"] or 0, *(r["exclusive"]["resolution_interval_j"]
                                                             for r in found.values()))
    if total["energy_j"] is not None and abs(said - total["energy_j"]) > 3 * half + 1e-6 * said:
        return [Violation("sum", "exclusive regions", said, total["energy_j"],
                          f"exclusive regions and the time outside have {said} J, the run {total['energy_j']} J, half "
                          f"width {half}")]
    return []


def _same(s, o, found):
    """The same regions with and without a footer, and in every form."""
    out = []
    for where, regions in (("without footer", o["bare"]["regions"]), ("report", o["report"]["regions"] or [])):
        for r in regions:
            mine = found.get(r["name"] or "")
            if mine is None or any(r[k] != mine[k] for k in ("count", "union_s", "exclusive_s", "inclusive",
                                                             "exclusive")):
                out.append(Violation("same-number", where, r, mine, f"{where}: {r}; stats {mine}"))
    for row in o["csv"]:
        mine = found.get(row["region"], {})
        for column, want in (("count", mine.get("count")), ("union_s", mine.get("union_s")), ("thread_s",
                                                                                              mine.get("thread_s")),
                             ("inclusive_j", mine["inclusive"]["energy_j"]), ("exclusive_j",
                                                                              mine["exclusive"]["energy_j"]),
                             ("inclusive_interval_j", mine["inclusive"]["resolution_interval_j"])):
            said = float(row[column]) if row[column] else None
            if (said is None) != (want is None) or want is not None and abs(said - want) > 1e-6 * abs(want) + 1e-9:
                out.append(Violation("same-number", f"csv {column}", row[column], want,
                                     f"{row['region']}: csv {row[column]}, json {want}"))
    for r in o["reduce"]["regions"]:
        mine = found.get(r["region"] or "")
        for part in ("inclusive", "exclusive"):
            said, want = r[part] and r[part]["energy_j"], mine and mine[part]["energy_j"]
            if (said is None) != (want is None) or said is not None and abs(said - want) > 1e-9 * abs(want) + 1e-12:
                out.append(Violation("same-number", f"reduce {part}", said, want,
                                     f"{r['region']}: reduce {said}, stats {want}"))
    every = visits(s)
    if o["export"] != 2 * len(every):
        out.append(Violation("same-number", "export regions", o["export"], 2 * len(every),
                             f"{o['export']} marks exported"))
    for name in {v[1] for v in every}:
        n, seconds = o["python"]["regions"].get(name, (0, 0.0))
        want = [v for v in every if v[1] == name]
        if n != len(want) or abs(seconds - sum(v[3] - v[2] for v in want)) > 1e-6 * max(len(want), 1):
            out.append(Violation("same-number", "python regions", [n, seconds], len(want),
                                 f"{name}: python has {n} visits of {seconds} s"))
    for c in o["stats"]["channels"]:
        said = o["python"]["energies"].get(c["name"].partition(":")[2])
        want = c["energy_j"]
        if (said is None or said != said) != (want is None) or want is not None and abs(said - want) > 1e-9 * said:
            out.append(Violation("same-number", "python energy", said, c["energy_j"],
                                 f"{c['name']}: python {said}, stats {c['energy_j']}"))
    return out


def batch(pairs):
    """95 of 100 intervals of regions hold the truth."""
    return coverage(pairs, "region inclusive")


def coverage(pairs, where):
    """Law coverage of one region of each situation without gaps, drawn at random."""
    hits, n, rng = 0, 0, random.Random(1)
    for s, o in pairs:
        if "failed" in o["stats"] or s.all("gap"):
            continue
        expected = truth(s)
        regions = [r for r in o["stats"]["regions"] if r["name"] in expected and r["inclusive"]["energy_j"] is not None]
        if not regions:
            continue
        r = rng.choice(regions)
        n += 1
        off = abs(r["inclusive"]["energy_j"] - _joules(s, expected[r["name"]][1]))
        hits += off <= r["inclusive"]["resolution_interval_j"] + 1e-6
    return too_few(hits, n, where, chance=1e-6) if n >= 40 else []
