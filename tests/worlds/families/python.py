# SPDX-License-Identifier: BSD-3-Clause
"""The Python reader of traces against `stats`, `export` and the formulas, on the recordings of the family stretch."""
import csv
import importlib.util
import io
import json
import math
import os

from families import stretch
from laws import Violation

ENGINE = "virtual"
COST_S = 1.4
CHECK = 10


def draw(rng):
    """A recording as in stretch, without tables of other programs half of the time."""
    return stretch.draw(rng)


def _reader(source):
    spec = importlib.util.spec_from_file_location("wattle_trace", os.path.join(source, "python", "wattle_trace.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _plain(x):
    """NaN as None, so that an observation is JSON."""
    return None if x is None or x != x else float(x)


def play(s, p):
    path = p.path("run.wtl")
    (stretch._import if s.one("source") == "import" else stretch._write)(s, p, path)
    stats = p.run([p.wattle, "stats", "--format", "json", path])
    table = p.run([p.wattle, "export", path])
    o = {"stats": json.loads(stats.out) if stats.status == 0 else {"failed": stats.err[-300:]}, "channels": {}}
    rows = list(csv.DictReader(io.StringIO(table.out)))
    with _reader(p.source).open(path) as trace:
        o["window_s"] = trace.window_s
        for name in trace.summary:
            times, values = trace.samples(name)
            _, watts = trace.power(name)
            known = [w for w in watts if w == w]
            one = trace.summary[name]
            o["channels"][name] = {
                "summary": [_plain(one.energy_j), _plain(one.resolution_interval_j)], "samples": len(times),
                "last": _plain(values[-1]), "first": _plain(values[0]),
                "watts": [_plain(min(known, default=None)), _plain(max(known, default=None))],
                "stretches": [[_plain(trace.energy(name, *map(float, v.split()))),
                               _plain(trace.unknown_s(name, *map(float, v.split())))]
                              for v in s.all("stretch")],
                "export": _exported(rows, name)}
    return o


def _exported(rows, name):
    """Number, first and last of the values that `export` prints for a channel."""
    column = next((k for k in (rows[0] if rows else {}) if k.startswith(name + " [")), None)
    values = [float(r[column]) for r in rows if r[column]] if column else []
    return [len(values), values[0] if values else None, values[-1] if values else None]


def check(s, o):
    if "failed" in o["stats"]:
        return [Violation("crash", "stats", o["stats"]["failed"], 0, o["stats"]["failed"])]
    out, curves = [], dict(stretch._powers(s, "power") + stretch._powers(s, "gauge"))
    stats = {c["name"]: c for c in o["stats"]["channels"]}
    if o["window_s"] is not None and abs(o["window_s"] - o["stats"]["wall_time_s"]) > 1e-9:
        out.append(Violation("same-number", "window_s", o["window_s"], o["stats"]["wall_time_s"],
                             f"window {o['window_s']} s"))
    out += stretch._complete(o["channels"], curves, "reader") + stretch._complete(stats, curves, "stats")
    for name, one in o["channels"].items():
        if name not in stats:
            continue
        curve, gauge = curves[name.partition(":")[2]], "dram" in name
        for said, field in zip(one["summary"], ("energy_j", "resolution_interval_j")):
            want = stats[name][field]
            if (said is None) != (want is None) or said is not None and abs(said - want) > 1e-9 * abs(want) + 1e-12:
                out.append(Violation("same-number", f"summary {field}", said, want,
                                     f"{name}: reader {said}, stats {want}"))
        count, first, last = one["export"]
        if count and one["last"] is not None and not s.all("gap"):
            # export counts from its first sample, the reader from the first poll
            if abs((last - first) - (one["last"] - one["first"])) > 1e-6 * abs(last) + 1e-9:
                out.append(Violation("same-number", "samples", [one["first"], one["last"]], [first, last],
                                     f"{name}: reader {one['first']} .. {one['last']}, export {first} .. {last}"))
        for value, (joules, unknown) in zip(s.all("stretch"), one["stretches"]):
            out += _stretch(s, curve, *map(float, value.split()), joules, unknown, gauge)
    return out


def _stretch(s, curve, a, b, joules, unknown, gauge):
    """Energy between two times: as interpolation between samples has it, and NaN where it is not known."""
    true, lost, pause = stretch._known(s, curve, a, b, gauge)
    kind = "gauge" if gauge else "counter"
    step = s.number("interval") * (1 + s.number("jitter", 0)) + s.number("tick")
    text = f"{kind} {a} .. {b}: reader {joules} J, unknown {unknown} s; true {true:.6f} J, unknown {lost:.6f} s"
    if joules is not None and lost > 2 * step + 4 * s.number("tick"):
        return [Violation("unflagged", f"energy {kind}", joules, None, text)]
    if joules is None:
        inside = lost < 1e-9 and b > a
        return [Violation("interval", f"energy {kind} nan", None, true, text)] if inside else []
    if lost == 0 and abs(joules - true) > curve.greatest() * (2.2 * step + 2 * pause) + 3 / 16384 + 1e-6 * abs(true):
        return [Violation("interval", f"energy {kind}", joules, true, text)]
    return []
