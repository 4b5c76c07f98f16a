# SPDX-License-Identifier: BSD-3-Clause
"""Energies of stretches of a run, as the page of `wattle report --serve` answers them and as a page without a server finds
them in its curve, held against the formulas of the power; the whole run is held against `wattle stats`, and the curve of
the page against its own energy."""
import base64
import json
import math
import random
import re
import struct
import threading
import urllib.error
import urllib.request

import recording
from laws import Violation, too_few

ENGINE = "virtual"
NEEDS_PAGE = True
COST_S = 0.5


def draw(rng):
    """A run of one or two sockets: rates and borders where rules change."""
    tick = rng.choice([0.0009765625, 0.0009765625, 0.001, 0.0001, 0.01, 0.1])
    interval = rng.choice([0.001, 0.01, 0.01, 0.1, 1.0])
    length = rng.choice([0.3, 1.0, 5.5, 61.0]) if interval < 1 else rng.choice([10.0, 61.0])
    if interval == 0.001:
        length = min(length, 5.5)
    source = rng.choice(["trace", "trace", "trace", "import"])
    lines = [f"source {source}", f"length {length}", f"interval {interval}", f"tick {tick}",
             f"phase {round(rng.uniform(0, 1), 3)}", f"jitter {rng.choice([0, 0, 0.02, 0.3])}",
             f"polls {rng.choice([0, 0, 1])}", f"tail {rng.choice([0, 1.2])}",
             f"seed {rng.randrange(1000)}"]
    lines += [f"power package-{i} {_curve(rng, length)}" for i in range(rng.choice([1, 1, 2]))]
    if rng.random() < 0.3:
        lines.append(f"gauge dram-0 {rng.choice(['8', f'sine 8 3 {max(40 * interval, length / 2):.4f}'])}")
    if rng.random() < 0.35 and length >= 20 * interval and source == "trace":
        at = rng.uniform(0.1, 0.6) * length
        lines.append(f"gap {at:.4f} {at + rng.uniform(3 * interval, 0.25 * length):.4f} "
                     f"{rng.choice(['read-failed', 'reset', 'not-sampled', 'lost-wrap'])}")
    lines += [f"stretch {a} {b}" for a, b in _borders(rng, length, interval, tick)]
    if rng.random() < 0.3 and source == "trace" and length >= 20 * interval and not any("gap" in line for line in lines):
        at = rng.uniform(0.1, 0.6) * length
        what = rng.choice(["stand", "stand", "gap", "relayed"])
        end = at + rng.uniform(5 * interval, 0.25 * length)
        lines += {"stand": [f"stand {at:.4f} {min(end, at + 0.2):.4f}"], "gap": [f"gap {at:.4f} {end:.4f} suspended"],
                  "relayed": ["relayed yes"]}[what]
    return lines


def _curve(rng, length):
    """A power that is flat, in bursts, wavy or in steps."""
    return rng.choice([f"{rng.choice([5, 60, 180])}", f"square {rng.choice([5, 10, 40])} 90 "
                                                      f"{rng.choice([0.05, 0.5, 2])} 0.3",
                       f"sine 60 20 {rng.choice([0.2, 1, 10])}",
                       f"steps 0:40 {0.3 * length:.4f}:120 {0.7 * length:.4f}:30"])


def _borders(rng, length, interval, tick):
    """Stretches that meet ticks, lie inside one sample, cover everything, nothing or more than there is; and a
    partition of the whole, which must add up."""
    cuts = sorted(rng.uniform(0, length) for _ in range(4))
    out = [(0, length), (-1.0, length + 1.0), (length / 2, length + 2.0)]
    cuts = [0, *[round(c, 6) for c in cuts], length]
    out += list(zip(cuts, cuts[1:]))
    begin = rng.uniform(0, length)
    out += [(begin, begin + tick), (begin, begin + interval / 3), (begin, begin + 1e-6),
            (round(begin / tick) * tick, round(begin / tick) * tick + 10 * tick), (begin, begin)]
    out += [tuple(sorted((rng.uniform(0, length), rng.uniform(0, length)))) for _ in range(7)]
    return [(round(a, 7), round(b, 7)) for a, b in out]


def play(s, p):
    path = p.path("run.wtl")
    (_import if s.one("source") == "import" else _write)(s, p, path)
    stats = p.run([p.wattle, "stats", "--format", "json", path])
    report = p.run([p.wattle, "report", "--format", "json", path])
    try:
        page, stats_json = json.loads(report.out), json.loads(stats.out)
    except ValueError:
        return {"failed": [stats.status, stats.err[-500:], report.status, report.err[-500:]]}
    stretches = [tuple(map(float, v.split())) for v in s.all("stretch")]
    return {"stats": stats_json, "page": series(page, stretches),
            "stretches": serve(p, path, s.all("stretch"))}


def _times(s):
    """When the samples are: from just before the window to just after it."""
    rng, interval, length = random.Random(s.one("seed", "1")), s.number("interval"), s.number("length")
    jitter, t, out = s.number("jitter", 0) * interval, -s.number("phase", 0.5) * interval - interval, []
    while t < length + 3 * interval + s.number("tail", 0) * s.number("tick"):
        out.append(t + rng.uniform(0, jitter))
        t += interval
    return out


def _write(s, p, path):
    trace, length, tick = recording.Trace(), s.number("length"), s.number("tick")
    times = _times(s)
    polls = []
    if s.number("polls") and tick <= 0.01:
        n = min(int(3.5 * tick / 20e-6), 600)
        polls = [[at + k * 3.5 * tick / n for k in range(n)] for at in (-3.5 * tick - 1e-6, length + 1e-6)]
    hidden = [(float(a), float(b), r.replace("-", " ")) for a, b, r in map(str.split, s.all("gap"))]
    for name, curve in _powers(s, "power"):
        counter = recording.Counter(curve, refresh=tick, phase=s.number("phase", 0.5) * tick, stands=_stands(s))
        recording.counter_channel(trace, "powercap:" + name, counter, times, polls, hidden, relayed=s.one("relayed") == "yes")
    for name, curve in _powers(s, "gauge"):
        c = trace.channel("hwmon:" + name, quantity="power", kind="gauge", scale=1e-6, refresh_s=min(tick, 0.001))
        trace.rows([c], times, [[round(curve.power(t) * 1e6) for t in times]])
    trace.window(0, length)
    trace.write(path)
    p.run([p.wattle, "repair", path])


def _import(s, p, path):
    """The same as a table of another program: joules to the microjoule, watts to the microwatt."""
    times = [t for t in _import_times(s)]
    powers, gauges = _powers(s, "power"), _powers(s, "gauge")
    with open(p.path("run.csv"), "w", encoding="utf-8") as f:
        f.write(",".join(["time [s]"] + [f"{n} energy [J]" for n, _ in powers] + [f"{n} power [W]" for n, _ in gauges]))
        for t in times:
            row = [f"{t:.6f}"] + [f"{c.energy(t) + 7:.6f}" for _, c in powers] + [f"{c.power(t):.6f}" for _,
                                                                                  c in gauges]
            f.write("\n" + ",".join(row))
        f.write("\n")
    names = [("energy:J:counter", n, "energy [J]") for n, _ in powers]
    names += [("power:W:gauge", n, "power [W]") for n, _ in gauges]
    options = [w for what, n, unit in names for w in ("--column", f"{n} {unit}={n}:{what}")]
    p.run([p.wattle, "import", "--time", "time [s]:s:start", *options, p.path("run.csv"), "-o", path])


def _import_times(s):
    """Rows on the grid from 0 to the end of the run, which is a row."""
    interval, length = s.number("interval"), s.number("length")
    n = max(round(length / interval), 1)
    return [k * length / n for k in range(n + 1)]


def _powers(s, key):
    return [(name, recording.Curve(curve)) for name, _, curve in (v.partition(" ") for v in s.all(key))]


def serve(p, path, stretches):
    """What the served page answers for each stretch; an int is a status of HTTP."""
    child = p.start([p.wattle, "report", "--serve", path], stdout=-1, stderr=-2)
    limit = threading.Timer(60, child.kill)  # one that says nothing would be waited for without end
    limit.start()
    answers = []
    try:
        address = None
        for line in iter(child.stdout.readline, b""):
            found = re.search(rb"http://\S+/", line)
            if found:
                address = found.group().decode()
                break
        for stretch in stretches if address else []:
            answers.append(_ask(f"{address}energy/{stretch.replace(' ', '/')}"))
    finally:
        limit.cancel()
        p.stop(child)
        child.stdout.close()
    return answers


def _ask(url):
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return json.loads(answer.read())["channels"]
    except urllib.error.HTTPError as e:
        return e.code
    except (OSError, ValueError, KeyError) as e:
        return str(type(e).__name__)


def series(page, stretches):
    """The curve of the page as numbers, its energy inside the window and that of stretches, by channel."""
    axes = []
    for axis in page["times"]:
        begin = _floats(axis["begin"])
        axes.append((begin, begin[1:] + [axis["end_s"]]))
    out = []
    for one in page["power"]:
        begin, end = axes[one["time"]]
        low, mean, high = (_floats(one[k]) for k in ("min", "mean", "max"))
        window = page["window_s"] or page["span_s"]
        joules = covered = 0.0
        wrong = sum(not a <= b + 1e-3 * abs(b) or not b <= c + 1e-3 * abs(c) for a, b, c in zip(low, mean, high)
                    if not math.isnan(b))
        for a, b, w in zip(begin, end, mean):
            inside = max(min(b, window[1]) - max(a, window[0]), 0)
            if not math.isnan(w):
                joules, covered = joules + w * inside, covered + inside
        known = [w for w in mean if not math.isnan(w)]
        out.append({"channel": one["channel"], "joules": joules, "covered": covered, "disorder": wrong,
                    "longest": max((b - a for a, b in zip(begin, end)), default=0), "stretch_s": one["stretch_s"],
                    "least": min(known, default=None), "greatest": max(known, default=None),
                    "stretches": [_in_curve(list(zip(begin, end, low, mean, high)), one["stretch_s"],
                                            max(a, window[0]), min(b, window[1])) for a, b in stretches]})
    return out


def _in_curve(steps, shortest, a, b):
    """(joules, least, greatest, known seconds) of a stretch from the curve of a page: a step that a border divides has
    on either side what its least and its greatest power allow, which are means over `shortest` seconds (report.md)."""
    joules = least = greatest = known = 0.0
    for begin, end, low, mean, high in steps:
        share = min(end, b) - max(begin, a)
        if share <= 0 or math.isnan(mean):
            continue
        whole, rest = mean * (end - begin), end - begin - share
        joules, known = joules + mean * share, known + share
        if rest <= 1e-9 * (end - begin):
            least, greatest = least + whole, greatest + whole
        elif shortest is None or min(share, rest) >= shortest:
            least += max(low * share, whole - high * rest)
            greatest += min(high * share, whole - low * rest)
        else:
            greatest += whole
    return [joules, min(least, joules), max(greatest, joules), known]


def _floats(packed):
    data = base64.b64decode(packed)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def check(s, o):
    if "failed" in o:
        return [Violation("crash", "stats or report", o["failed"], 0, f"no document: {o['failed']}")]
    out = []
    curves = dict(_powers(s, "power") + _powers(s, "gauge"))
    stats = {c["name"]: c for c in o["stats"]["channels"]}
    stretches = [tuple(map(float, v.split())) for v in s.all("stretch")]
    if len(o["stretches"]) != len(stretches):
        return [Violation("crash", "serve", len(o["stretches"]), len(stretches), "the served page answers nothing")]
    for (a, b), answer in zip(stretches, o["stretches"]):
        if isinstance(answer, (int, str)):
            if b > a:
                out.append(Violation("refusal", "energy of a stretch", answer, "an energy", f"{a} .. {b}: {answer}"))
            continue
        out += _complete([c["channel"] for c in answer], curves, "stretch channels")
        for channel in answer:
            name = channel["channel"].partition(":")[2]
            out += _stretch(s, curves[name], a, b, channel, "dram" in name)
    out += _partition(s, o, stretches) + _whole(s, o, stretches, stats) + _page(s, o, curves, stats)
    return out


def _complete(names, curves, where):
    """Law known: an answer has all channels of the recording."""
    missing = sorted(set(curves) - {name.partition(":")[2] for name in names})
    return [Violation("known", where, names, missing, f"{where} {names}: without {missing}")] if missing else []


def _gaps(s):
    """Gaps as the recording has them: from the last good sample before to the first after."""
    times, out = _times(s), []
    for a, b, reason in (v.split() for v in s.all("gap")):
        begin = max((t for t in times if t <= float(a)), default=times[0])
        end = min((t for t in times if t >= float(b)), default=times[-1])
        out.append((begin, end, reason.replace("-", " ") in recording.UNCOUNTED))
    return out


def _stands(s):
    """Stretches in which the counters stand still."""
    return [tuple(map(float, value.split())) for value in s.all("stand")]


def _known(s, curve, a, b, gauge=False):
    """Joules of the part of a stretch that can be known, seconds that cannot, and the widest pause at a border. Only
    counters have gaps here."""
    imported = s.one("source") == "import"
    times = _import_times(s) if imported else _times(s)
    begin, end = max(a, times[0]), max(min(b, times[-1]), max(a, times[0]))
    joules, unknown, pause = curve.between(begin, end), (b - a) - (end - begin), 0.0
    for c, d, loses in () if imported or gauge else _gaps(s):
        inside = max(min(end, d) - max(begin, c), 0)
        if loses and inside > 0:
            joules -= curve.between(max(begin, c), min(end, d))
            unknown += inside
        pause = max(pause, d - c if c <= begin <= d or c <= end <= d else 0)
    return joules, unknown, pause


def _stretch(s, curve, a, b, channel, gauge):
    """Laws of one stretch of one channel."""
    where = f"stretch {'gauge' if gauge else 'counter'} energy_j"
    truth, unknown, pause = _known(s, curve, a, b, gauge)
    said, half = channel["energy_j"], channel["resolution_interval_j"]
    tick, interval = s.number("tick"), s.number("interval") * (1 + s.number("jitter", 0))
    text = f"{channel['channel']} {a} .. {b}: said {said} +- {half} J, unknown {channel['unknown_s']} s; " \
           f"true {truth:.6f} J, unknown {unknown:.6f} s"
    if said is None:
        lasting = b - a - unknown > 3 * (interval + tick)
        return [Violation("interval", where + " null", None, truth, text)] if lasting else []
    out = []
    if not all(isinstance(n, (int, float)) and math.isfinite(n) for n in (said, half, channel["unknown_s"])):
        return [Violation("interval", where + " finite", [said, half], truth, text)]
    step = (interval + tick) * (1.5 if s.one("source") == "import" else 1)  # its updates are unknown
    slack = 1e-6 + 2e-6 * abs(truth)
    if abs(channel["unknown_s"] - unknown) > 2 * step + 4 * tick + 1e-6:
        out.append(Violation("unflagged", where.replace("energy_j", "unknown_s"), channel["unknown_s"], unknown, text))
    elif abs(said - truth) > 3 * half + slack + abs(channel["unknown_s"] - unknown) * curve.greatest():
        out.append(Violation("interval", where, said, truth, text))
    if not gauge and pause == 0:
        out += _steady(s, curve, a, b, channel, text)
    pause = max([pause, *(d - c for c, d in _stands(s) if c <= a <= d or c <= b <= d)])
    widest = curve.greatest() * (2.5 * step + 2.5 * pause) + 8 / 16384 + (curve.greatest() * 2 * step if unknown else 0)
    widest += 0.5 * (b - a) if gauge else 0  # a table in whole watts, or a gauge whose step, of up to 1 W, is not seen
    whole = (a, b) == (0, s.number("length"))
    where += (" of the run" if whole else "") + (" with polls" if s.number("polls") and not gauge else "")
    if half > widest:
        out.append(Violation("bound", where.replace("energy_j", "half width"), half, widest,
                             f"{text}; two borders have at most {widest:.4g} J"))
    return out


def _steady(s, curve, a, b, channel, text):
    """Law steady: of a power that never changes, the energy between two samples or two updates, whichever are closer, is
    divided by time, also over a time in which the counter stood still."""
    times, tick = _times(s), s.number("tick")
    interval = s.number("interval") * (1 + s.number("jitter", 0))
    if curve.kind != "flat" or s.one("source") == "import" or channel["unknown_s"]:
        return []
    if a < times[0] + 2 * tick + 2 * interval or b > times[-1] - 2 * tick - 2 * interval:
        return []
    truth, close = curve.between(a, b), interval if s.all("stand") else min(tick, interval)
    allowed = 2.2 * curve.greatest() * close + 8 / 16384
    if abs(channel["energy_j"] - truth) <= allowed:
        return []
    return [Violation("steady", "stretch counter energy_j", channel["energy_j"], truth,
                      f"{text}; {curve.greatest():g} W that never change are known to {allowed:.3g} J")]


def _partition(s, o, stretches):
    """Lines 4 to 8 of the stretches divide the first one: they add up to it."""
    parts = [i for i in range(3, min(8, len(stretches)))]
    if len(parts) < 2 or stretches[parts[0]][0] != stretches[0][0] or stretches[parts[-1]][1] != stretches[0][1] \
            or any(stretches[i][1] != stretches[i + 1][0] for i in parts[:-1]):
        return []
    answers, out = [o["stretches"][i] for i in [0, *parts]], []
    if any(isinstance(a, (int, str)) for a in answers):
        return []
    for c, whole in enumerate(answers[0]):
        each = [a[c]["energy_j"] for a in answers[1:]]
        halves = [a[c]["resolution_interval_j"] for a in answers]
        if None in each or whole["energy_j"] is None or any(a[c]["unknown_s"] for a in answers):
            continue
        if abs(sum(each) - whole["energy_j"]) > 3 * math.hypot(*halves) + 1e-6:
            out.append(Violation("sum", "stretch energy_j", sum(each), whole["energy_j"],
                                 f"{whole['channel']}: adjacent stretches {each} J are not the whole, "
                                 f"{whole['energy_j']} J"))
    return out


def _whole(s, o, stretches, stats):
    """The stretch of the whole run is what `stats` prints."""
    if not stretches or stretches[0] != (0.0, s.number("length")) or isinstance(o["stretches"][0], (int, str)):
        return []
    out = []
    for channel in o["stretches"][0]:
        for field in ("energy_j", "resolution_interval_j", "unknown_s"):
            said, truth = channel[field], stats.get(channel["channel"], {}).get(field)
            if (said is None) != (truth is None) or said is not None and abs(said - truth) > 1e-9 + 1e-9 * abs(truth):
                out.append(Violation("same-number", f"stretch {field}", said, truth,
                                     f"{channel['channel']}: the whole stretch has {said}, stats {truth}"))
    return out


def _page(s, o, curves, stats):
    """The curve of the page: min <= mean <= max, powers that the curve has, and the energy below it."""
    out = _complete([one["channel"] for one in o["page"]], curves, "page power") + _complete(stats, curves, "stats")
    for one in o["page"] if not s.all("stand") else ():  # family extremes has pages of counters that stand still
        name, curve = one["channel"], curves[one["channel"].partition(":")[2]]
        out += _page_stretches(s, name, curve, one["stretches"])
        if one["disorder"]:
            out.append(Violation("order", "page power", one["disorder"], 0, f"{name}: min <= mean <= max fails"))
        top = curve.greatest() * 1.06 + 0.5
        if one["greatest"] is not None and one["greatest"] > top and s.number("length") > 20 * s.number("tick"):
            out.append(Violation("order", "page power mean", one["greatest"], top,
                                 f"{name}: the page draws a mean of {one['greatest']} W; it never exceeds "
                                 f"{curve.greatest()}"))
        if one["least"] is not None and one["least"] < -0.001:
            out.append(Violation("order", "page power negative", one["least"], 0, f"{name}: {one['least']} W"))
        if name not in stats:
            continue
        energy, half = stats[name]["energy_j"], stats[name]["resolution_interval_j"]
        missing = s.number("length") - stats[name]["unknown_s"] - one["covered"]
        if energy is None or s.all("gap"):
            continue
        if not math.isfinite(energy):
            out.append(Violation("interval", "stats energy_j finite", energy, None, f"{name}: {energy} J"))
        if missing > 0.1 * s.number("length") + 3 * one["longest"] + 4 * (s.number("interval") + s.number("tick")):
            out.append(Violation("known", "page power", one["covered"], s.number("length"),
                                 f"{name}: the curve covers {one['covered']:.4g} s of {s.number('length'):.4g} s"))
        slack = 3 * half + curve.greatest() * (abs(missing) + 2 * one["longest"]) + 1e-4 * energy
        if abs(one["joules"] - energy) > slack:
            out.append(Violation("same-number", "page power", one["joules"], energy,
                                 f"{name}: the curve of the page has {one['joules']:.4f} J, stats {energy:.4f} J"))
    return out


def _page_stretches(s, name, curve, answers):
    """A stretch of a page without a server lies within its bounds, but for what each border hides."""
    out, length = [], s.number("length")
    if "dram" in name:
        return []
    slack = 2 * curve.greatest() * (s.number("interval") * (1 + s.number("jitter", 0)) + s.number("tick")) + 8 / 16384
    for words, (joules, least, greatest, known) in zip(s.all("stretch"), answers):
        a, b = (min(max(float(x), 0), length) for x in words.split())
        truth = curve.between(a, b)
        if s.all("gap") or b - a - known > 1e-6 * length:
            continue
        slack_here = slack + 0.01 * truth
        if not least - slack_here <= truth <= greatest + slack_here:
            out.append(Violation("interval", "page stretch", [joules, least, greatest], truth,
                                 f"{name} {a} .. {b}: {joules:.4f} ({least:.4f}..{greatest:.4f}) J, true "
                                 f"{truth:.4f} J"))
    return out


def batch(pairs):
    """95 of 100 intervals of stretches of counters hold the truth; one stretch of each play, drawn at random."""
    hits = n = 0
    for s, o in pairs:
        curves = dict(_powers(s, "power"))
        for value, answer in list(zip(s.all("stretch"), o.get("stretches", [])))[-1:]:
            a, b = map(float, value.split())
            if isinstance(answer, (int, str)):
                continue
            for channel in answer[:1]:
                name = channel["channel"].partition(":")[2]
                if name not in curves or channel["energy_j"] is None or channel["unknown_s"]:
                    continue
                truth = _known(s, curves[name], a, b)[0]
                n += 1
                hits += abs(channel["energy_j"] - truth) <= channel["resolution_interval_j"] + 1e-6
    return too_few(hits, n, "stretch energy_j", chance=1e-6) if n >= 40 else []
