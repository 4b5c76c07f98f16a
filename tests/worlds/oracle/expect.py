# SPDX-License-Identifier: BSD-3-Clause
"""What must hold within one document of a run: docs/format/json.md (wattle.run/1), docs/format/csv.md,
docs/guide/reading-results.md and docs/guide/shares.md.

`check_run_document(document, text, csv)` gives tuples (law, where, said, truth, text) as for `laws.Violation`.
"""
import json
import math

from oracle import printed
from oracle.printed import parse_csv, parse_text, same  # noqa: F401 (for families)

NEAR = 1e-6
T975 = {1: 12.7062, 2: 4.30265, 3: 3.18245, 4: 2.77645, 5: 2.57058, 6: 2.44691, 7: 2.36462, 8: 2.306, 9: 2.26216,
        10: 2.22814, 11: 2.20099, 12: 2.17881, 13: 2.16037, 14: 2.14479, 15: 2.13145, 16: 2.11991, 17: 2.10982,
        18: 2.10092, 19: 2.09302, 20: 2.08596, 24: 2.0639, 29: 2.04523, 39: 2.02269, 49: 2.00958, 99: 1.98422}
LOSING = {"stalled", "reset", "lost wrap", "suspended"}
AWAKE = ("package", "dram", "psys", "node")

COUNTERS = {"powercap", "perf", "msr", "cray"}  # drivers that only have counters of energy


def close(a, b, relative=NEAR, absolute=1e-9):
    return abs(a - b) <= relative * max(abs(a), abs(b)) + absolute


def load(text):
    """A JSON document; NaN and Infinity, which JSON does not have, become the texts of these names."""
    return json.loads(text, parse_constant=str)


def check_numbers(value, where="document"):
    """No NaN anywhere ("an unknown value is null, never NaN")."""
    if isinstance(value, dict):
        return [v for key, item in value.items() for v in check_numbers(item, key)]
    if isinstance(value, list):
        return [v for item in value for v in check_numbers(item, where + "[]")]
    wrong = value in ("NaN", "Infinity", "-Infinity") or isinstance(value, float) and not math.isfinite(value)
    return [("same-number", where, value, None, f"{where} is {value}, which JSON has no number for")] if wrong else []


def check_channel(c, wall_s, repeated=False):
    """One member of `channels`."""
    out, name, kind = [], c["name"], f"channels[{c['domain']}]"
    e, half, mean = c["energy_j"], c["resolution_interval_j"], c["mean_w"]
    if (e is None) != (half is None):
        out.append(("estimate", f"{kind}.resolution_interval_j", half, e, f"{name} has {e} J +- {half}"))
    if e is not None and e < 0 or half is not None and half < 0:
        out.append(("bound", f"{kind}.energy_j", e, 0, f"{name} has energy {e} +- {half}"))
    known = wall_s - c["unknown_s"]
    if not repeated and e is not None and mean is not None and known > 0 and not close(mean * known, e, 1e-5, 1e-7):
        out.append(("sum", f"{kind}.mean_w", mean, e / known, f"{name}: mean {mean} W for {e} J in {known} s"))
    if not -1e-9 <= c["unknown_s"] <= wall_s * (1 + NEAR) + 1e-9 and not repeated:
        out.append(("bound", f"{kind}.unknown_s", c["unknown_s"], wall_s, f"{name}: more unknown than the window"))
    if not repeated and (c["gaps"] == 0) != (not c["gap_reasons"]):
        out.append(("unflagged", f"{kind}.gaps", c["gaps"], c["gap_reasons"], f"{name}: gaps and reasons differ"))
    if c["stale"] > c["samples"]:
        out.append(("bound", f"{kind}.stale", c["stale"], c["samples"], f"{name}: more stale samples than samples"))
    return out + check_order(c, wall_s, kind) + check_estimate(c, kind)


def check_order(c, wall_s, kind):
    """min <= mean <= max, but for the updates that a stretch can have too many (128, or 20 of slow counters)."""
    low, mean, high, window = c["min_w"], c["mean_w"], c["max_w"], c["stat_window_ms"]
    if None in (low, mean, high) or not wall_s:
        return []
    known = max(wall_s - c["unknown_s"], 1e-9)
    slack = 3 * (c["resolution_interval_j"] or 0) / known + abs(mean) * (1 / 80 if window and window < 249 else 1 / 18)
    slack += 1e-4 / ((window or 100) * 1e-3)
    if low > high or mean < low - slack or mean > high + slack:
        return [("order", f"{kind}.min_w", f"{low}..{high}", mean,
                 f"{c['name']}: mean {mean} W is not within {low}..{high} W (slack {slack:.3g})")]
    return []


def check_estimate(c, kind):
    """An estimate has an interval that contains it."""
    if c["quality"] != "estimated" or c["energy_j"] is None:
        return []
    low, high = c["low_j"], c["high_j"]
    if low is None or high is None or not low <= c["energy_j"] <= high:
        return [("estimate", f"{kind}.low_j", f"{low}..{high}", c["energy_j"], f"estimate outside of its interval")]
    return []


def check_total(doc):
    """The total against its channels."""
    out, total = [], doc["total"]
    members = [c for c in doc["channels"] if c["in_total"]]
    if not members:
        return out
    energies = [c["energy_j"] for c in members]
    truth = None if None in energies else math.fsum(energies)
    said = total["energy_j"]
    if (said is None) != (truth is None) or truth is not None and not close(said, truth):
        out.append(("sum", "total.energy_j", said, truth, f"total {said} J, its channels have {truth} J"))
    if truth is not None and said is not None:
        # Counters are independent; gauges of one kind are off alike, so theirs add up. A document does not say which is which.
        half = math.sqrt(math.fsum(c["resolution_interval_j"] ** 2 for c in members))
        most = half if all(c.get("sensor", "powercap") in COUNTERS for c in members) else math.fsum(c["resolution_interval_j"] for c in members)
        said_half = total["resolution_interval_j"]
        if not half * (1 - 1e-4) - 1e-9 <= said_half <= most * (1 + 1e-4) + 1e-9:
            out.append(("sum", "total.resolution_interval_j", said_half, half,
                        "half width of the total is not that of its channels in quadrature, or between that and their sum where some are gauges"))
    if sorted(total["channels"]) != sorted(c["name"] for c in members):
        out.append(("sum", "total.channels", total["channels"], [c["name"] for c in members], "names of the total"))
    unknown = max(c["unknown_s"] for c in members)
    if not close(total["unknown_s"], unknown):
        out.append(("sum", "total.unknown_s", total["unknown_s"], unknown, "unknown time of the total"))
    for end in ("low_j", "high_j"):
        if total["quality"] == "estimated" and said is not None and all(c[end] is not None for c in members):
            truth = math.fsum(c[end] for c in members)
            if total[end] is None or not close(total[end], truth, 1e-5):
                out.append(("estimate", f"total.{end}", total[end], truth, "ends of estimates are added linearly"))
    return out


def check_products(doc):
    """Energy times time."""
    e, wall, out = doc["total"]["energy_j"], doc["wall_time_s"], []
    for name, truth in (("edp_js", lambda: e * wall), ("ed2p_js2", lambda: e * wall * wall)):
        if (doc[name] is None) != (e is None) or e is not None and not close(doc[name], truth(), 1e-6):
            out.append(("sum", name, doc[name], None if e is None else truth(), f"{name} of {e} J in {wall} s"))
    begin, end = doc["start_monotonic_ns"], doc["end_monotonic_ns"]
    if begin is not None and end is not None and not close((end - begin) * 1e-9, wall, 1e-9, 2e-9):
        out.append(("same-number", "wall_time_s", wall, (end - begin) * 1e-9, "wall time is not end - start"))
    return out


def check_process(doc):
    """Shares: rule 1 of docs/guide/shares.md, and each part within the total."""
    p, total, out = doc["process"], doc["total"], []
    parts = [p[k] for k in ("energy_share_j", "others_share_j", "idle_j", "unattributed_j")]
    e = total["energy_j"]
    known = [part for part in parts if part is not None]
    if e is None and total["channels"] and known:
        out.append(("unflagged", "process", known, None, f"parts {known} J of a total that is unknown, not null"))
    if None not in parts and e is not None and not close(math.fsum(parts), e, 1e-6, 1e-7):
        out.append(("sum", "process", math.fsum(parts), e, f"parts {parts} of the total {e} J"))
    for key in ("energy_share_j", "others_share_j", "idle_j"):
        if p[key] is not None and e is not None and not -1e-9 <= p[key] <= e * (1 + NEAR) + 1e-9 + \
                (0 if p["unattributed_j"] is None else max(0, -p["unattributed_j"])):
            out.append(("bound", f"process.{key}", p[key], e, f"{key} {p[key]} J of a total of {e} J"))
    return out


def check_flags(doc):
    """Unknown time has a flag, a flag has its sentence."""
    out, flags = [], doc["flags"]
    inside = [c["name"] for c in doc["channels"] if c["in_total"] and c["unknown_s"] > 0]
    outside = [c["name"] for c in doc["channels"] if not c["in_total"] and c["unknown_s"] > 0]
    # A part of the machine that is not read has no time, but a sentence of its own.
    unread = "but not read" in doc["flag_texts"].get("INCOMPLETE", "")
    if bool(inside) != ("INCOMPLETE" in flags) and not (unread and not inside):
        out.append(("unflagged", "flags[INCOMPLETE]", flags, inside, f"unknown time in {inside}, flags {flags}"))
    if outside and not inside and "PARTIAL" not in flags:
        out.append(("unflagged", "flags[PARTIAL]", flags, outside, f"unknown time in {outside}, flags {flags}"))
    for c in doc["channels"]:
        if LOSING & set(c["gap_reasons"]) and not c["unknown_s"] > 0 and c["domain"] in AWAKE:
            out.append(("unflagged", f"channels[{c['domain']}].unknown_s", c["unknown_s"], c["gap_reasons"],
                        f"{c['name']}: a gap that loses energy ({c['gap_reasons']}) without unknown time"))
    if sorted(flags) != sorted(doc["flag_texts"]):
        out.append(("unflagged", "flag_texts", sorted(doc["flag_texts"]), sorted(flags), "a sentence for each flag"))
    return out


def check_nesting(doc):
    """What is within a channel has no more energy than it, one by one and together, beyond three half widths."""
    out, names = [], {c["name"]: c for c in doc["channels"]}
    for outer in names.values():
        inner = [c for c in names.values() if c["within"] == outer["name"] and c["primary"]
                 and c["energy_j"] is not None and c["unknown_s"] == 0]
        if outer["energy_j"] is None or outer["unknown_s"] or not inner:
            continue
        whole = math.fsum(c["energy_j"] for c in inner)
        room = 3 * (outer["resolution_interval_j"] + math.fsum(c["resolution_interval_j"] for c in inner))
        if whole > outer["energy_j"] + room:
            out.append(("bound", f"channels[{outer['domain']}] within", whole, outer["energy_j"],
                        f"channels within {outer['name']} have {whole} J, itself {outer['energy_j']} J"))
    return out


def check_one(doc, physical=True):
    """All laws within one result (not repeats)."""
    out = []
    for c in doc["channels"]:
        out += check_channel(c, doc["wall_time_s"])
    out += check_total(doc) + check_products(doc) + check_process(doc) + check_flags(doc)
    return out + (check_nesting(doc) if physical else [])


def student(n):
    """97.5 % quantile of Student's t for n degrees of freedom (between rows of the table, of the row before)."""
    return T975[max(k for k in T975 if k <= n)]


def spread(values):
    """(mean, sd, half width of the 95 % interval of the mean) as `repeat` has them; None where undefined."""
    n = len(values)
    if not n or None in values:
        return None, None, None
    mean = math.fsum(values) / n
    if n < 2:
        return mean, None, None
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
    return mean, sd, student(n - 1) * sd / math.sqrt(n) if n > 2 else None


def resolution(halves):
    """What one run leaves open, of its half widths: the root of their mean square; 0 if unknown."""
    return math.sqrt(math.fsum(h * h for h in halves) / len(halves)) if halves and None not in halves else 0.0


def check_spread(said, values, where, least=0.0):
    """A spread against the runs that it is of; least: the interval of their mean is not below the resolution of one."""
    out, (mean, sd, half) = [], spread(values)
    for key, truth in (("mean", mean), ("sd", sd), ("ci95", None if half is None else max(half, least))):
        tolerance = 3e-4 if key == "ci95" and len(values) - 1 in T975 else 0.03 if key == "ci95" else 1e-6
        scale = max((abs(v) for v in values if v is not None), default=0.0)
        if (said[key] is None) != (truth is None) or truth is not None and \
                not close(said[key], truth, tolerance, 1e-9 + 1e-9 * scale):
            out.append(("repeat", f"{where}.{key}", said[key], truth, f"{where}.{key} of the runs {values}"))
    return out


def check_repeat(doc):
    """Means and spreads over runs; extremes over all runs; gaps are sums (docs/format/json.md, repeat)."""
    out, runs, repeat = [], doc["runs"], doc["repeat"]
    if "FAILED RUN" in doc["flags"] or "INTERRUPTED" in doc["flags"] or "MIXED RUNS" in doc["flags"]:
        return out
    if repeat["n"] != len(runs):
        out.append(("repeat", "repeat.n", repeat["n"], len(runs), "number of runs"))
    half = resolution([r["total"]["resolution_interval_j"] for r in runs])
    time_s = math.fsum(r["wall_time_s"] for r in runs) / len(runs) if runs else 1.0
    for key, of, least in (("wall_time_s", lambda r: r["wall_time_s"], 0), ("energy_j", lambda r: r["total"]["energy_j"], half),
                           ("mean_w", lambda r: r["total"]["mean_w"], half / time_s), ("edp_js", lambda r: r["edp_js"], half * time_s),
                           ("ed2p_js2", lambda r: r["ed2p_js2"], half * time_s**2), ("cpu_s", lambda r: r["process"]["cpu_s"], 0)):
        out += check_spread(repeat[key], [of(r) for r in runs], f"repeat.{key}", least)
    for c in doc["channels"]:
        mine = [[k for k in r["channels"] if k["name"] == c["name"]] for r in runs]
        if all(mine) and not repeat.get("passes"):
            out += check_repeat_channel(c, [m[0] for m in mine], repeat, time_s)
    return out


def check_repeat_channel(c, mine, repeat, time_s):
    """One channel of repeats against the same channel of each run."""
    out, kind = [], f"channels[{c['domain']}]"
    if c["name"] in repeat["channels"]:
        said = repeat["channels"][c["name"]]
        half = resolution([m["resolution_interval_j"] for m in mine])
        out += check_spread(said["energy_j"], [m["energy_j"] for m in mine], f"repeat.{kind}.energy_j", half)
        out += check_spread(said["mean_w"], [m["mean_w"] for m in mine], f"repeat.{kind}.mean_w", half / time_s)
        halves = [m["resolution_interval_j"] for m in mine]
        truth = None if None in halves else math.sqrt(math.fsum(h * h for h in halves) / len(halves))
        if truth is not None and (c["resolution_interval_j"] is None or not close(c["resolution_interval_j"], truth, 1e-4)):
            out.append(("repeat", f"{kind}.resolution_interval_j", c["resolution_interval_j"], truth,
                        f"{c['name']}: the resolution of repeats is that of one run (root mean square)"))
    for key, of in (("min_w", min), ("max_w", max)):
        values = [m[key] for m in mine if m[key] is not None]
        truth = of(values) if values else None
        if (c[key] is None) != (truth is None) or truth is not None and not close(c[key], truth):
            out.append(("repeat", f"{kind}.{key}", c[key], truth, f"{c['name']}: extremes are over all runs"))
    for key in ("samples", "gaps", "gap_s", "unknown_s"):
        truth = math.fsum(m[key] for m in mine)
        if not close(c[key], truth, 1e-6, 1e-8):
            out.append(("repeat", f"{kind}.{key}", c[key], truth, f"{c['name']}: {key} are sums over runs"))
    return out


def expected(doc, name):
    """What the row of a channel (or "total") must show: energy, half, low, high, mean, min, max, quality."""
    row = doc["total"] if name == "total" else next((c for c in doc["channels"] if c["name"] == name), None)
    if row is None:
        return None
    half = row["resolution_interval_j"]
    if "repeat" in doc:
        of_channel = doc["repeat"]["channels"].get(name, {}).get("energy_j")
        spreads = doc["repeat"]["energy_j"] if name == "total" else of_channel
        half = spreads["ci95"] if spreads else None
    known = [(c["energy_j"], c["resolution_interval_j"] or 0) for c in doc["channels"] if c["in_total"] and c["energy_j"] is not None]
    least = math.fsum(j for j, _ in known) - math.hypot(*(half_j for _, half_j in known))  # the lower end of what is known
    return {"least": max(least, 0), "energy": row["energy_j"], "half": half, "low": row["low_j"],
            "high": row["high_j"], "mean": row["mean_w"],
            "min": row.get("min_w"), "max": row.get("max_w"), "quality": row["quality"]}


def check_text(doc, text):
    """The table and flags of the text against the document."""
    out, rows = [], printed.parse_text(text)
    names = [c["name"] for c in doc["channels"]] + (["total"] if doc["total"]["channels"] else [])
    if not rows and all(c["energy_j"] is None for c in doc["channels"]):
        return []  # "energy unknown", in one line
    if not rows:
        return [("same-number", "text", None, names, "no table in the text")]
    for name in names:
        kind = "total" if name == "total" else name.split(":")[-1].rsplit("-", 1)[0]
        if name not in rows:
            out.append(("same-number", f"text {kind}", None, name, f"the text has no row of {name}"))
            continue
        out += check_text_row(rows[name], expected(doc, name), f"text {kind}")
    flags = printed.parse_flags(text)
    if flags != doc["flags"]:
        out.append(("same-number", "text flags", flags, doc["flags"], f"flags {flags} in text, {doc['flags']} in JSON"))
    head = printed.parse_head(text)
    if head and doc["wall_time_s"] is not None and head["unit"] in printed.SECONDS and \
            not same(doc["wall_time_s"] / printed.SECONDS[head["unit"]], head["time"]):
        out.append(("same-number", "text time", head["time"], doc["wall_time_s"], "time of the first line"))
    share = printed.parse_share(text)
    if share is not None and not same(doc["process"]["energy_share_j"], share):
        out.append(("same-number", "text this command", share, doc["process"]["energy_share_j"], "share of command"))
    return out


def check_text_row(row, truth, where):
    """One row: the same numbers, and no digits beyond the interval."""
    out = []
    if row["least"] is not None and not same(truth["least"], row["least"], 1.0):  # a lower bound is rounded down
        out.append(("same-number", f"{where} at least", row["least"], truth["least"], f"{where}: other least energy"))
    vague = truth["energy"] is not None and truth["half"] is not None and truth["energy"] < truth["half"]
    for key in ("energy", "half", "low", "high", "mean", "min", "max"):
        if row[key] == "0" and vague:  # not one digit is supported
            continue
        if row[key] is not None and not same(truth[key], row[key], 1.0 if key in ("half", "low", "high") else 0.5):
            out.append(("same-number", f"{where} {key}", row[key], truth[key], f"{where} {key}: {row[key]} in text"))
    if truth["quality"] == "estimated" and row["energy"] is not None and row["low"] is None:
        out.append(("estimate", f"{where} low", None, truth["low"], f"{where}: an estimate without its interval"))
    if row["energy"] is None and truth["energy"] is not None or row["energy"] is not None and truth["energy"] is None:
        out.append(("same-number", f"{where} energy", row["energy"], truth["energy"], f"{where}: known in one place"))
    if row["energy"] and truth["half"] and row["half"] and printed.claimed_digit(row["energy"]) < truth["half"] / 101:
        out.append(("interval", f"{where} digits", row["energy"], truth["half"], f"{where}: too many digits"))
    if row["quality"] and row["quality"] != truth["quality"]:
        out.append(("estimate", f"{where} quality", row["quality"], truth["quality"], f"{where}: another quality"))
    return out


CSV_NUMBERS = ("energy_j", "resolution_interval_j", "low_j", "high_j", "mean_w", "min_w", "max_w", "stat_window_ms",
               "samples", "gaps", "gap_s", "unknown_s")


def check_csv(doc, text):
    """Rows of the CSV of a run or of repeats against the document."""
    out = []
    runs = doc.get("runs") or [doc]
    rows = {(row["run"], row["name"]): row for row in printed.parse_csv(text)}
    for number, run in enumerate(runs, 1):
        for name in [c["name"] for c in run["channels"]] + ["total"]:
            row = rows.get((str(number), name))
            source = run["total"] if name == "total" else next(c for c in run["channels"] if c["name"] == name)
            kind = "total" if name == "total" else source["domain"]
            if row is None:
                if name != "total" or run["total"]["channels"]:
                    out.append(("same-number", f"csv {kind}", None, name, f"no row of {name} in run {number}"))
                continue
            out += check_csv_row(row, source, run, f"csv {kind}")
    return out


def check_csv_row(row, source, run, where):
    out = []
    for key in CSV_NUMBERS:
        if key not in source or (key == "unknown_s" and row[key] == ""):
            continue
        if not same(source[key], row[key], 1.0):
            out.append(("same-number", f"{where} {key}", row[key], source[key], f"{where}: {key} is {row[key]} in CSV"))
    if row["quality"] != (source["quality"] or ""):
        out.append(("same-number", f"{where} quality", row["quality"], source["quality"], f"{where}: quality in CSV"))
    if (row["simulates"] or None) != source["simulates"]:
        out.append(("same-number", f"{where} simulates", row["simulates"], source["simulates"], f"{where}: simulates"))
    if not same(run["wall_time_s"], row["wall_time_s"], 1.0):
        out.append(("same-number", f"{where} wall_time_s", row["wall_time_s"], run["wall_time_s"], "wall time in CSV"))
    if row["flags"] != "; ".join(run["flags"]):
        out.append(("same-number", f"{where} flags", row["flags"], run["flags"], f"{where}: flags in CSV"))
    return out


def check_run_document(doc, text=None, csv=None, physical=True):
    """Everything that holds within a document of `wattle run` or `wattle stats`, and between it, its text and its CSV.

    physical: the node draws in each channel what it draws within it (so that nesting can be checked).
    """
    out = check_numbers(doc)
    if "repeat" in doc:
        for run in doc["runs"]:
            out += check_one(run, physical)
        out += check_repeat(doc)
    else:
        out += check_one(doc, physical)
    if text is not None:
        out += check_text(doc, text)
    if csv is not None:
        out += check_csv(doc, csv)
    return out


def same_documents(first, second, relative=1e-9, where="stats"):
    """Two documents of the same measurement (`wattle run` and `wattle stats` of its trace) have the same numbers."""
    out = []
    others = {c["name"]: c for c in second["channels"]}
    for c in first["channels"]:
        if c["name"] not in others:
            out.append(("same-number", f"{where} {c['domain']}", None, c["name"], f"{where} has no {c['name']}"))
            continue
        for key in CSV_NUMBERS:
            out += differs(c[key], others[c["name"]][key], relative, f"{where} {c['domain']}.{key}")
    for key in ("energy_j", "resolution_interval_j", "mean_w", "unknown_s", "low_j", "high_j"):
        out += differs(first["total"][key], second["total"][key], relative, f"{where} total.{key}")
    for key in ("energy_share_j", "others_share_j", "idle_j", "unattributed_j"):
        out += differs(first["process"][key], second["process"][key], relative, f"{where} process.{key}")
    if first["flags"] != second["flags"]:
        out.append(("same-number", f"{where} flags", second["flags"], first["flags"], f"{where}: other flags"))
    return out


def differs(a, b, relative, where):
    if (a is None) != (b is None) or a is not None and not close(a, b, relative):
        return [("same-number", where, b, a, f"{where}: {b} instead of {a}")]
    return []
