# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `wattle top` and the lines of `wattle run -I` over time, on a recorded host in virtual time: each energy is that up to its
own time, powers are ones that were drawn, while counters fail, stand still, or show too much or too little for a while.

    power DOMAIN CURVE            as in family regions; steps at multiples of the tick
    wrong high|low|word FOR-TIME  high, low AT UNTIL JOULES, or a word of script.tsv (!EIO, !gone, !stall) AT UNTIL
    every, sample, count          -i, --sample (-i of run) and -n
"""
import csv
import io
import json
import re

import host
from laws import Violation
from oracle.printed import claimed_digit

ENGINE = "virtual"
COST_S = 0.3
CHECK = 24
DIGITS = 1e-6
FAR_J = 1000      # beyond what a counter of these nodes can have counted in the time of a few readings
MISSING = re.compile(r"the energy of ([0-9.]+) s is missing")
LINE = re.compile(r"^ +([0-9.]+) s +(at least )?([0-9.]+) J(.*)$", re.M)


# ---- draw ----

def draw(rng):
    sample, tick = rng.choice([0.01, 0.05, 0.1, 0.1, 0.2, 0.7]), 0.001
    every, count = rng.choice([0.3, 0.5, 1.0, 2.0]), rng.choice([5, 9, 16])
    length = every * count
    lines = [f"every {every}", f"sample {sample}", f"count {count}", f"tick {tick}", f"power package-0 {power(rng, length)}"]
    if rng.random() < 0.3:
        lines.append(f"power package-1 {power(rng, length)}")
    kind, at = rng.choice(["none", "high", "high", "high", "low", "low", "!EIO", "!gone", "!stall"]), rng.uniform(0.5, length)
    if kind == "high":
        lasts, by = (rng.choice([1, 1, 2, 3, 6]) - 0.5) * sample, rng.choice([1, 5, 20, 60, 200, 50000])
    else:
        lasts, by = rng.choice([0.02, 0.1, 0.3, 0.48, 0.48 if kind == "low" else 1.4]), -rng.choice([1, 5, 40, 3000])
    if kind != "none":
        lines.append(f"wrong {kind} {at:.3f} {at + max(lasts, 0.004):.3f} {by}")
    return lines


def power(rng, length):
    """Flat, or changes at multiples of 10 ms."""
    at = [round(rng.uniform(0.2, length), 2) for _ in range(3)]
    steps = " ".join(f"{t}:{rng.choice([5, 30, 90, 200])}" for t in sorted({0, *at}))
    return rng.choice([f"{rng.choice([5, 40, 150])}", f"square 10 90 {rng.choice([0.2, 1.0, 3.0])} 0.5", f"steps {steps}"])


# ---- play ----

def wrong_of(s):
    """(kind, begin, end, joules) or None."""
    if not s.one("wrong"):
        return None
    kind, begin, end, by = s.one("wrong").split()
    return kind, float(begin), float(end), float(by)


def play(s, p):
    wrong, length = wrong_of(s), s.number("every") * s.number("count") + 3
    hidden = [] if wrong is None else [(wrong[1], wrong[2], wrong[0] if wrong[0].startswith("!") else wrong[3])]
    host.write(p.path("host"), [(name, curve, hidden if name == "package-0" else [], s.number("tick"))
                                for name, curve in host.curves(s)], length)
    options = ["--host", "host", "-n", s.one("count"), "-i", f"{s.one('every')}s", "--sample", f"{s.one('sample')}s"]
    o = {}
    for form, more in (("csv", ["-o", "top.wtl"]), ("json", [])):
        done = p.run([p.wattle, "top", *options, "--format", form, *more])
        o[form] = [done.status, done.out, done.err[-300:]]
    lines = p.run([p.wattle, "run", "-a", "--host", "host", "--duration", f"{s.number('every') * s.number('count')}s",
                   "-I", f"{s.one('every')}s", "-i", f"{s.one('sample')}s", "--format", "json", "--result", "r.json", "-o", "run.wtl"])
    o["lines"], o["run"] = [lines.status, lines.err], _document(p.read("r.json"))
    o["stats"] = _document(p.run([p.wattle, "stats", "--format", "json", "top.wtl"]).out)
    return o


def _document(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


# ---- laws ----

def check(s, o):
    wrong = [k for k in ("csv", "json", "lines") if o[k][0] != 0]
    if wrong or None in (o["run"], o["stats"]):
        return [Violation("crash", "top", [o[k][0] for k in ("csv", "json", "lines")], 0, f"{wrong}: {[o[k][-1][-200:] for k in wrong]}")]
    updates, found = [json.loads(line) for line in o["json"][1].splitlines()], []
    table = list(csv.DictReader(io.StringIO(o["csv"][1])))
    if len(updates) != int(s.number("count")):
        found.append(Violation("known", "updates", len(updates), s.one("count"), f"{len(updates)} updates"))
    for row in (r for r in table if r["what"] in ("total", "channel")):
        found += energy_of_row(s, row) + power_of_row(s, row)
    found += sums(table) + same(updates, table) + lines(s, o)
    for where, document in (("run", o["run"]), ("top's trace", o["stats"])):
        found += documents(s, document, where)
    return found


def of_domains(s, row):
    """The curves of a row: of its channel, or of all."""
    all_of = host.curves(s)
    return [c for name, c in all_of if row["what"] == "total" or row["name"].endswith(":" + name)]


def number(text):
    return float(text) if text else None


def joules(curves, begin, end):
    return sum(c.between(begin, end) for c in curves)


def begin_of(row):
    """When the measurement began, in seconds of the host."""
    return (int(row["time_ns"]) - host.REALTIME_NS) * 1e-9 - float(row["elapsed_s"])


def told_before_known(s, newest):
    """What a row may have too much or too little because its newest reading is a wrong one that nothing shows yet: one that the counter
    could have reached by counting (docs/dev/reliability.md). Others are not handed out."""
    wrong, most_w = wrong_of(s), sum(c.greatest() for _, c in host.curves(s))
    if wrong and wrong[0] == "!stall" and wrong[1] <= newest + 1e-6 and newest <= wrong[2] + 1e-6:
        return most_w * (newest - wrong[1])
    if wrong is None or wrong[0].startswith("!") or abs(wrong[3]) >= FAR_J:
        return 0.0
    if wrong[0] == "low" and -wrong[3] > most_w * (max(newest - wrong[1], 0) + s.number("sample")):
        return 0.0
    return abs(wrong[3]) if wrong[1] <= newest + 1e-6 and newest <= wrong[2] + 2 * s.number("sample") else 0.0


def energy_of_row(s, row):
    """Laws interval and unflagged: an energy belongs to its own time, and what it lacks is unknown and has a flag."""
    said, half, until = (number(row[k]) for k in ("energy_j", "interval_j", "until_s"))
    unknown, where = number(row["unknown_s"]) or 0.0, f"top {row['what']}"
    if said is None:
        return []
    curves, begin = of_domains(s, row), begin_of(row)
    true_j, most_w = joules(curves, begin, begin + until), sum(c.greatest() for c in curves)
    text = f"{row['name']} at {row['elapsed_s']} s: {said} +- {half} J up to {until} s, {unknown} s unknown ({row['flags']}); true {true_j:.6g} J"
    room = 3 * half + DIGITS * true_j + told_before_known(s, begin + until)
    found = []
    if unknown and not {"INCOMPLETE", "PARTIAL"} & set(row["flags"].split("; ")):
        found.append(Violation("unflagged", f"{where} flags", row["flags"], "INCOMPLETE", text))
    if not unknown <= until + 1e-9 or until > float(row["elapsed_s"]) + 1e-6:
        found.append(Violation("bound", f"{where} until_s", [unknown, until], row["elapsed_s"], text))
    if said > true_j + room:
        return found + [Violation("bound" if unknown else "unflagged" if wrong_of(s) else "interval", f"{where} too much", said, true_j, text)]
    if said < true_j - room - unknown * most_w:
        return found + [Violation("unflagged" if wrong_of(s) else "interval", f"{where} too little", said, true_j, text)]
    if wrong_of(s) is None and until < float(row["elapsed_s"]) - s.number("sample") - s.number("tick") - 0.02:
        found.append(Violation("known", f"{where} until_s", until, row["elapsed_s"], text))
    return found


def power_of_row(s, row):
    """Law order: a power is one that was drawn since the update before, to within an update of the counter."""
    said, until, wrong = number(row["power_w"]), number(row["until_s"]), wrong_of(s)
    if said is None or until is None:
        return []
    curves, newest, every = of_domains(s, row), begin_of(row) + until, s.number("every")
    span = max(every, s.number("sample")) + s.number("sample") + 20 * s.number("tick")
    # what is not known yet: a counter that has just stopped, or what it could have reached by counting
    if wrong and (wrong[0] == "!stall" or wrong[0] in ("high", "low") and abs(wrong[3]) < FAR_J) and \
            newest - span - s.number("sample") < wrong[2] + s.number("sample") and newest > wrong[1] - s.number("sample"):
        return []
    # what it may be a mean of: any stretch up to the newest reading that is no longer than two updates, and 20 updates of the counter
    short = max(20 * s.number("tick"), min(every, s.number("sample")))
    means = [joules(curves, newest - back - short, newest - back) / short for back in (k * span / 60 for k in range(61))]
    room = 1.5 * s.number("tick") / short * max(means) + 0.02 * max(means) + 0.05
    if min(means) - room <= said <= max(means) + room:
        return []
    return [Violation("order", f"top {row['what']} power_w", said, [min(means), max(means)],
                      f"{row['name']} at {row['elapsed_s']} s: {said} W up to {newest:.3f} s; {min(means):.5g}..{max(means):.5g} W were drawn in "
                      f"the {span:.3g} s before ({s.one('wrong') or 'nothing happened'})")]


def sums(table):
    """Law sum: in each update the total has the energy and the power of its channels."""
    found, updates = [], {}
    for row in table:
        updates.setdefault(row["elapsed_s"], []).append(row)
    for elapsed, rows in updates.items():
        total = [r for r in rows if r["what"] == "total"]
        parts = [r for r in rows if r["what"] == "channel"]
        for key in ("energy_j", "power_w"):
            each, said = [number(r[key]) for r in parts], number(total[0][key]) if total else None
            if said is None or None in each or len({r["until_s"] for r in rows if r["until_s"]}) > 1:
                continue
            if abs(sum(each) - said) > 2e-5 * abs(said) + 1e-6:
                found.append(Violation("sum", f"top {key}", said, each, f"at {elapsed} s: total {said}, channels {each}"))
        unknown = [number(r["unknown_s"]) or 0.0 for r in parts]
        if total and unknown and abs((number(total[0]["unknown_s"]) or 0.0) - max(unknown)) > 1e-6:
            found.append(Violation("sum", "top unknown_s", total[0]["unknown_s"], unknown, f"at {elapsed} s: {unknown} s of channels"))
    return found


def same(updates, table):
    """Law same-number: the CSV has the numbers of the JSON."""
    rows = {(round(float(r["elapsed_s"]), 3), r["what"] == "total" or r["name"]): r for r in table if r["what"] in ("total", "channel")}
    for update in updates:
        for key, one in ((True, update["total"]), *((c["name"], c) for c in update["channels"])):
            row = rows.get((round(update["elapsed_s"], 3), key))
            for column, want in (("energy_j", one["energy_j"]), ("until_s", one["until_s"]), ("interval_j", one["resolution_interval_j"]),
                                 ("power_w", (one["power"] or {}).get("w"))):
                said = number(row[column]) if row else None
                if (said is None) != (want is None) or said is not None and abs(said - want) > 0.006 * abs(want) + 1e-6:
                    return [Violation("same-number", f"top csv {column}", said, want, f"at {update['elapsed_s']} s: csv {said}, json {want}")]
    return []


def lines(s, o):
    """The lines of run -I: the energy up to the time that is printed."""
    begin, found = o["run"]["start_monotonic_ns"] * 1e-9 - 1000, []
    curves = [c for _, c in host.curves(s)]
    most_w, wrong = sum(c.greatest() for c in curves), wrong_of(s)
    printed = LINE.findall(o["lines"][1])
    if not printed and wrong is None:
        return [Violation("known", "run -I", o["lines"][1][-300:], "lines", "no line of -I")]
    for seconds, least, said, rest in printed:
        digit, until, said = claimed_digit(said), float(seconds), float(said)
        true_j = joules(curves, begin, begin + until)
        # the counter's last update may be up to one and a half of them old at either end
        room = (3 * s.number("tick") + claimed_digit(seconds)) * most_w + digit + 0.002 * said + told_before_known(s, begin + until)
        text = f"-I: \"{least}{said} J\" up to {until} s ({rest.strip()}), true {true_j:.6g} J; {s.one('wrong') or 'nothing happened'}"
        if said > true_j + room:
            found.append(Violation("unflagged" if wrong else "interval", "run -I too much", said, true_j, text))
        missing = MISSING.search(rest)
        if said < true_j - room - (float(missing[1]) * 1.1 + 0.01 if missing else 0.0) * most_w:
            found.append(Violation("unflagged" if wrong else "interval", "run -I too little", said, true_j, text))
    return found


def costs_nothing(s, begin, end):
    """Whether a wrong value is one that is too low by clearly more than what is counted between readings, well inside a time: what it was is
    known by the end."""
    kind, at, until, by = wrong_of(s)
    most_w = sum(c.greatest() for _, c in host.curves(s))
    return kind == "low" and begin < at - 0.2 and until + 0.6 < end and -by > 3 * most_w * (s.number("sample") + 2 * s.number("tick"))


def documents(s, document, where):
    """Laws interval and unflagged of a whole result."""
    found, begin = [], document["start_monotonic_ns"] * 1e-9 - 1000
    end = document["end_monotonic_ns"] * 1e-9 - 1000
    wrong = wrong_of(s)
    for channel in document["channels"]:
        curve = dict(host.curves(s)).get(channel["name"].partition(":")[2])
        said, half, unknown = channel["energy_j"], channel["resolution_interval_j"], channel["unknown_s"]
        if said is None or curve is None:
            continue
        true_j, place = curve.between(begin, end), f"{where} channels[package].energy_j"
        text = f"{where}: {channel['name']}: {said:.6g} +- {half:.3g} J, {unknown:.4g} s unknown; true {true_j:.6g} J; {s.one('wrong') or 'no fault'}"
        # wrong readings at the end that the counter could have reached have none after them that shows it
        room = 3 * half + DIGITS * true_j + told_before_known(s, end)
        if said > true_j + room:
            found.append(Violation("bound" if unknown else "unflagged" if wrong else "interval", f"{place} too much", said, true_j, text))
        elif said < true_j - room - unknown * curve.greatest():
            found.append(Violation("unflagged" if wrong else "interval", f"{place} too little", said, true_j, text))
        if unknown and (wrong is None or costs_nothing(s, begin, end)):
            found.append(Violation("known", f"{place} unknown", unknown, 0, text))
    return found
