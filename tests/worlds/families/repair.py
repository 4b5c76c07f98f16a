# SPDX-License-Identifier: BSD-3-Clause
"""Recordings that were killed, and `wattle repair`: energy counts up to the last sample and nothing beyond it, a footer
follows from the blocks alone, and a file that was cut anywhere is read as far as it goes."""
import csv
import io
import json
import os
import random
import shutil
import struct
import time

import recording
from laws import Violation

ENGINE = "real"
COST_S = 4.0


def draw(rng):
    """A run on the simulated node that is killed after a while, or not; and where its file is cut."""
    return [f"interval {rng.choice([1, 10, 10, 100])}ms", f"length {rng.choice([2.9, 3.2])}",
            f"kill {rng.choice([0.0, 0.1, 1.2, 2.5, 2.7])}",
            f"power package-0 {rng.choice(['flat 60', 'sine 60 20 0.5', 'square 40 90 0.4 0.5'])}",
            f"cut {rng.uniform(0.05, 0.999):.4f}", f"cut {rng.uniform(0.5, 0.999):.4f}"]


def _expression(curve):
    """The curve in the words of wattle-sim."""
    words = curve.split()
    if words[0] == "sine":
        return f"{words[1]}+{words[2]}*sin(2*pi*t/{words[3]})"
    if words[0] == "square":
        low, high, period, duty = map(float, words[1:])
        assert duty == 0.5
        return f"{low}+{high - low}*(sin(2*pi*t/{period})>0)"
    return words[1]


def play(s, p):
    curve = s.one("power").partition(" ")[2]
    t0 = time.monotonic_ns()
    path = p.path("run.wtl")
    kill = s.number("kill")
    measure = f"{p.wattle} run -q -i {s.one('interval')} -o {path} -- sleep {s.one('length')}"
    script = f"{measure} & pid=$!; sleep {kill}; kill -9 $pid; sleep 0.2; true" if kill else measure
    done = p.run([p.sim, "run", "--t0", t0, "--power", f"package={_expression(curve)}", "--", "sh", "-c", script],
                 timeout=40)
    o = {"t0": t0, "sim": [done.status, done.err[-300:]]}
    if not os.path.exists(path):
        return o
    o["bare"] = _stats(p, path)
    o["last"] = _last(p, path)
    before = _bytes(path)
    repaired = p.run([p.wattle, "repair", path])
    o["repair"] = [repaired.status, repaired.out[-200:], repaired.err[-300:]]
    once = _bytes(path)
    o["kept"] = once[:len(before)] == before or not kill
    o["repaired"] = _stats(p, path)
    o["again"] = _again(p, once)
    o["complete same"] = once == before
    o["cut"] = [_cut(p, once, float(part)) for part in s.all("cut")]
    return o


def _bytes(path):
    with open(path, "rb") as f:
        return f.read()


def _stats(p, path):
    done = p.run([p.wattle, "stats", "--format", "json", path])
    try:
        return json.loads(done.out)
    except ValueError:
        return {"failed": [done.status, done.err[-300:]]}


def _last(p, path):
    """Time of the last exported sample, in seconds since the start."""
    rows = list(csv.DictReader(io.StringIO(p.run([p.wattle, "export", path]).out)))
    return float(rows[-1]["time_s"]) if rows else None


def _again(p, data):
    """Whether a footer that is cut off and added again has the same bytes."""
    if data[-8:] != b"wtlfoot\n":
        return "no footer"
    index = struct.unpack("<Q", data[-16:-8])[0]
    path = p.path("again.wtl")
    with open(path, "wb") as f:
        f.write(data[:index])
    p.run([p.wattle, "repair", path])
    return _bytes(path) == data


def _cut(p, data, part):
    """What remains of a file that is cut somewhere."""
    path = p.path("cut.wtl")
    with open(path, "wb") as f:
        f.write(data[:int(part * len(data))])
    bare = _stats(p, path)
    done = p.run([p.wattle, "repair", path])
    after = _stats(p, path)
    os.unlink(path)
    return {"part": part, "status": done.status, "bare": _brief(bare), "after": _brief(after)}


def _brief(stats):
    if "failed" in stats:
        return stats
    return {"energy_j": stats["total"]["energy_j"], "half": stats["total"]["resolution_interval_j"],
            "start": stats["start_monotonic_ns"], "end": stats["end_monotonic_ns"], "wall": stats["wall_time_s"],
            "unknown_s": stats["total"]["unknown_s"], "flags": stats["flags"]}


def check(s, o):
    if "bare" not in o:
        # killed before the trace existed, or no simulated node on this machine
        return []
    curve = recording.Curve(s.one("power").partition(" ")[2].replace("flat ", ""))
    out = []
    for where in ("bare", "repaired"):
        if "failed" in o[where]:
            return [] if s.number("kill") and s.number("kill") < 0.1 else [
                Violation("crash", where, o[where]["failed"], 0, f"stats of a killed run: {o[where]['failed']}")]
        out += _energy(s, o, curve, _brief(o[where]), where)
    a, b = _brief(o["bare"]), _brief(o["repaired"])
    for field in ("energy_j", "half", "start", "end", "wall", "unknown_s"):
        if a[field] != b[field]:
            out.append(Violation("same-number", f"repair {field}", b[field], a[field],
                                 f"{field} {a[field]} before repair, {b[field]} after"))
    if s.number("kill") and "UNFINISHED" not in b["flags"]:
        out.append(Violation("unflagged", "killed", b["flags"], "UNFINISHED",
                             f"a killed run has the flags {b['flags']}"))
    if not o["kept"] or not s.number("kill") and not o["complete same"]:
        out.append(Violation("restored", "blocks", "changed", "unchanged", "repair changed the blocks of the trace"))
    if o["again"] is not True:
        out.append(Violation("same-number", "footer", o["again"], True,
                             f"a footer added again is not the same: {o['again']}"))
    for one in o["cut"]:
        out += _cuts(s, o, curve, one)
    return out


def _energy(s, o, curve, one, where):
    """Energy from the start to the end that is stated, which is not after the last sample."""
    out = []
    if one["energy_j"] is None:
        if s.number("kill") == 0 or s.number("kill") > 2:  # a writer may be a second late
            out.append(Violation("unflagged", f"{where} energy", None, "known",
                                 f"{where}: no energy of a run of {one['wall']} s"))
        return out
    begin, end = one["start"] - o["t0"], (one["end"] or one["start"] + round(one["wall"] * 1e9)) - o["t0"]
    true = curve.between(begin / 1e9, end / 1e9)
    # the node knows powers in steps of 100 us, and what a read takes
    slack = curve.greatest() * 0.0002 + 1e-4 * true
    text = f"{where}: {one['energy_j']} +- {one['half']} J in {one['wall']} s, true {true:.6f} J, " \
           f"unknown {one['unknown_s']} s"
    if not one["unknown_s"] and abs(one["energy_j"] - true) > 3 * one["half"] + slack:
        out.append(Violation("interval", f"{where} energy_j", one["energy_j"], true, text))
    if s.number("kill") and o["last"] is not None and one["wall"] > max(o["last"], 0.02) + 1e-6 \
            and not one["unknown_s"]:  # polls just after the start are no exported samples
        out.append(Violation("bound", f"{where} end", one["wall"], o["last"],
                             f"{text}; the last sample is at {o['last']} s"))
    return out


def _cuts(s, o, curve, one):
    """A cut file has no more energy than the run had up to the end that it states."""
    out = []
    for where in ("bare", "after"):
        brief = one[where]
        if "failed" in brief:
            if brief["failed"][0] not in (0, 1):
                out.append(Violation("crash", "cut", brief["failed"], 1, f"cut at {one['part']}: {brief['failed']}"))
            continue
        if brief["start"] is not None and brief["energy_j"] is not None:
            out += [Violation(v.law, "cut " + v.where, v.said, v.truth, f"cut at {one['part']}: {v.text}")
                    for v in _energy(s, {**o, "last": None}, curve, brief, where)]
    failed = "failed" in one["bare"] or "failed" in one["after"]
    if not failed and one["bare"]["energy_j"] != one["after"]["energy_j"]:
        out.append(Violation("same-number", "cut energy_j", one["after"]["energy_j"], one["bare"]["energy_j"],
                             f"cut at {one['part']}: {one['bare']['energy_j']} J before repair, "
                             f"{one['after']['energy_j']} after"))
    return out
