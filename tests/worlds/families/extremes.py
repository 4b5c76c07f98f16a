# SPDX-License-Identifier: BSD-3-Clause
"""Minimum, maximum and deviation of power, and the power curve of a page, while other programs keep the processors
busy: constant power has no peaks, and a square has only those that the stated window can have."""
import base64
import bisect
import math
import re
import struct

import channels
import node
from laws import Violation

ENGINE = "real"
NEEDS_PAGE = True
COST_S = 4.0

PAGE = re.compile(r'<script type="application/json" id="wattle-report">(.*?)</script>', re.S)


def draw(rng):
    """Constant power or a square, at short intervals, with some busy loops beside it."""
    power = rng.choice(("60", "60", "150", "5", "50+square(t,0.5,0.06)*100", "40+square(t,0.5,0.5)*60",
                        "50+square(t,0.25,0.9)*50"))
    lines = [f"power package={power}"]
    if rng.random() < 0.3:
        lines.append("power dram=8")
    lines.append(f"interval {rng.choice(('10ms', '10ms', '1ms', '20ms', '50ms', 'default', '300ms'))}")
    if rng.random() < 0.35:
        lines.append("tick " + rng.choice(("10000", "50000", "5000", "1000")))
    if rng.random() < 0.15:
        lines.append("jitter 300")
    if rng.random() < 0.1:
        lines.append("bits 24")
    if rng.random() < 0.25:
        lines.append("fault "
                     + rng.choice(("stall:package@0.6s,for=80ms", "stall:package@0.7s,for=300ms", "eio,rate=0.05",
                                   "filtering:package@0s")))
    lines.append(f"load {rng.choice((0, 2, 3, 4))}")
    lines.append(f"seed {rng.randrange(1, 1000000)}")
    return lines + [f"program sleep {rng.choice((0.1, 0.3, 0.7, 1.2, 2.0))}"]


def plan(s, sim):
    """The run beside busy loops, its result, and page and document of its trace."""
    loops = [{"start": ["nice", "-n", "19", "sh", "-c", "while :; do :; done"], "as": f"loop{i}"}
             for i in range(int(s.one("load", "0")))]
    options = ["--format", "json", "--result", "r.json", "-o", "r.wtl"]
    if s.one("interval", "default") != "default":
        options += ["-i", s.one("interval")]
    return [*loops, {"run": ["@wattle", "run", *options, "--", "sh", "-c", f"SIM={sim}; {node.shell(s)}"]},
            *({"kill": f"loop{i}", "signal": 9} for i in range(len(loops))), {"truth": "r.json"},
            *channels.again("r.wtl"), {"run": ["@wattle", "report", "r.wtl", "-o", "page.html"]}]


def play(s, p):
    observation = node.play(p, s, plan(s, p.sim))
    channels.look(p, observation)
    found = PAGE.search(p.read("page.html") or "")
    page = node.load(found.group(1)) if found else None
    observation["page"] = {k: page[k]
                           for k in ("run", "times", "power", "distributions", "window_s", "gaps")} if page else None
    return observation


def square(expression):
    """(low, high, period, duty) of the powers that this family draws."""
    found = re.fullmatch(r"(\d+)\+square\(t,([\d.]+),([\d.]+)\)\*(\d+)", expression)
    if not found:
        watts = float(expression)
        return watts, watts, 1.0, 0.5
    low, period, duty, more = (float(x) for x in found.groups())
    return low, low + more, period, duty


def window_extremes(power, seconds):
    """Least and greatest mean of a square over any window of at least this length."""
    low, high, period, duty = power
    if high == low:
        return low, high

    def best(on, off, length):
        whole, rest = divmod(length, on + off)
        return (whole * on + min(rest, on)) / length

    on, off = period * duty, period * (1 - duty)
    lengths = [seconds * (1 + i / 50) for i in range(51)]
    most = max(best(on, off, x) for x in lengths)
    least = 1 - max(best(off, on, x) for x in lengths)
    return low + (high - low) * least, low + (high - low) * most


def powers(s):
    return {p.partition("=")[0]: square(p.partition("=")[2]) for p in s.all("power")}


def tick_s(s):
    return (s.number("tick", 976.5625) + 2 * s.number("jitter", 20)) / 1e6


def possible(s, channel):
    """Law order for min, max and deviation of one channel: what a window of the stated length can have, to within one
    update."""
    power = powers(s).get(channel["domain"])
    if power is None or channel["stat_window_ms"] is None or "filtering" in (s.one("fault") or ""):
        return []
    seconds = channel["stat_window_ms"] / 1e3
    share = 1.4 * tick_s(s) / seconds
    low, high = window_extremes(power, seconds)
    where = channels.place(channel)
    found = channels.extremes(channel, where, power[0], power[1], share)
    if not found:
        found = channels.extremes(channel, where, low, high, share, " over the stated window")
    sd, most = channel["sd_w"], (high - low) / 2 ** 0.5 + share * high  # a sample of two: their distance by the root of 2
    if sd is not None and sd > most:
        found.append(Violation("order", f"{where}.sd_w", sd, most,
                               f"{where}: sd {sd:.4g} W, at most {most:.4g} W are possible in {seconds:.3f} s"))
    return found


def floats(text):
    raw = base64.b64decode(text)
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def curve(s, o):
    """The power curve of the page: each value possible for its stretch, and the curve adds up to the energy."""
    found, page = [], o["page"]
    told = {c["name"]: c for c in page["run"]["channels"]}
    for series in page["power"]:
        channel = told.get(series["channel"])
        power = powers(s).get(channel["domain"]) if channel else None
        if power is None or series["stretch_s"] is None:
            continue
        found += values(s, series, power, channels.place(channel))
        found += area(page, series, channel) + same_extremes(s, page, series, channel)
    return found


def window_means(begins, ends, means, seconds):
    """Least and greatest mean of a curve over any stretch of this length that it knows all of; None: there is none."""
    joules, known, edges = [0.0], [0.0], [begins[0]]
    for begin, end, watts in zip(begins, ends, means):
        sure = 0.0 if math.isnan(watts) else end - begin
        joules.append(joules[-1] + (watts * sure if sure else 0.0))
        known.append(known[-1] + sure)
        edges.append(end)

    def at(values, t):
        i = min(max(bisect.bisect_right(edges, t) - 1, 0), len(edges) - 2)
        length = edges[i + 1] - edges[i]
        return values[i] + (values[i + 1] - values[i]) * min(max(t - edges[i], 0.0), length) / (length or 1.0)

    found = [(at(joules, t + seconds) - at(joules, t)) / seconds
             for t in sorted({t for e in edges for t in (e, e - seconds)})
             if edges[0] <= t and t + seconds <= edges[-1] and at(known, t + seconds) - at(known, t) > 0.999 * seconds]
    return (min(found), max(found)) if found else None


def same_extremes(s, page, series, channel):
    """The table and the curve: min..max of the table are means of the curve over the window that the table states."""
    if channel["min_w"] is None or not channel["stat_window_ms"] or s.one("fault"):
        return []
    axis, seconds = page["times"][series["time"]], channel["stat_window_ms"] / 1e3
    begins, means = floats(axis["begin"]), floats(series["mean"])
    if len(begins) < 2 or axis["end_s"] - begins[0] < 3 * seconds:
        return []
    of = window_means(begins, [*begins[1:], axis["end_s"]], means, seconds)
    longer = window_means(begins, [*begins[1:], axis["end_s"]], means, 1.5 * seconds)
    if not of or not longer:
        return []
    low, high = min(of[0], longer[0]), max(of[1], longer[1])
    # One update at each end of a window, and of the line that smooths them.
    room = 3 * tick_s(s) / seconds * high + 0.05
    if low - room <= channel["min_w"] and channel["max_w"] <= high + room:
        return []
    return [Violation("same-number", f"page power[{channels.place(channel)}] extremes",
                      [channel["min_w"], channel["max_w"]], [low, high],
                      f"the table has {channel['min_w']:.5g}..{channel['max_w']:.5g} W over {seconds:.3f} s, the curve "
                      f"{low:.5g}..{high:.5g} W over as long, +- {room:.3g}")]


def values(s, series, power, where):
    share = 1.4 * tick_s(s) / max(series["stretch_s"], tick_s(s))
    lowest, highest = window_extremes(power, series["stretch_s"])
    for name in ("min", "max"):
        for watts in floats(series[name]):
            if not math.isnan(watts) and not lowest * (1 - share) - 0.05 <= watts <= highest * (1 + share) + 0.05:
                return [Violation("order", f"page power[{where}].{name}", watts, [lowest, highest],
                                  f"page: {name} {watts:.5g} W over at least {series['stretch_s']:.4g} s; possible "
                                  f"are {lowest:.5g}..{highest:.5g} W "
                                  f"and {100 * share:.2g} % for one update")]
    for low, mean, high in zip(*(floats(series[k]) for k in ("min", "mean", "max"))):
        if not math.isnan(mean) and not low - 0.02 * abs(low) - 0.01 <= mean <= high + 0.02 * abs(high) + 0.01:
            return [Violation("order", f"page power[{where}].mean", mean, [low, high],
                              f"page: mean {mean:.5g} W outside of {low:.5g}..{high:.5g} W")]
    return []


def area(page, series, channel):
    """Mean power times the length of each stretch, inside the window, against the energy of the table."""
    axis, window = page["times"][series["time"]], page["window_s"]
    begins, means = floats(axis["begin"]), floats(series["mean"])
    if channel["energy_j"] is None or not window or channel["unknown_s"] or len(means) < 5:
        return []
    joules = known = 0.0
    for begin, end, watts in zip(begins, [*begins[1:], axis["end_s"]], means):
        inside = min(end, window[1]) - max(begin, window[0])
        if inside > 0 and not math.isnan(watts):
            joules, known = joules + inside * watts, known + inside
    if known < 0.98 * window[1]:
        return []
    joules *= window[1] / known
    room = 0.02 * channel["energy_j"] + 3 * channel["resolution_interval_j"] + 0.03
    if abs(joules - channel["energy_j"]) <= room:
        return []
    return [Violation("same-number", f"page power[{channels.place(channel)}] area", joules, channel["energy_j"],
                      f"page: the curve adds up to {joules:.5g} J, the table says {channel['energy_j']:.5g} J")]


def distribution(s, o):
    """Percentiles of the page: in order, and possible."""
    found = []
    told = {c["name"]: c for c in o["page"]["run"]["channels"]}
    for d in o["page"]["distributions"]:
        channel = told.get(d["channel"])
        power = powers(s).get(channel["domain"]) if channel else None
        if power is None or not d["share"]:
            continue
        points = [d[k] for k in ("p5_w", "p25_w", "p50_w", "p75_w", "p95_w")]
        share = 2.5 * tick_s(s) / max(d["stretch_s"], tick_s(s)) + 0.02
        if points != sorted(points):
            found.append(Violation("order", "page distributions[].p", points, sorted(points), f"percentiles {points}"))
        if points[0] < power[0] * (1 - share) - d["step_w"] or points[-1] > power[1] * (1 + share) + d["step_w"]:
            found.append(Violation("order", "page distributions[].p5..p95", [points[0], points[-1]], power[:2],
                                   f"page: 5 % to 95 % are {points[0]:.5g}..{points[-1]:.5g} W, the power was "
                                   f"{power[0]:.5g}..{power[1]:.5g} W"))
    return found


def page_numbers(o):
    """Law same-number: the table of the page is the result."""
    found = []
    told = {c["name"]: c for c in o["page"]["run"]["channels"]}
    for channel in o["document"]["channels"]:
        other = told.get(channel["name"], {})
        for field in ("energy_j", "resolution_interval_j", "mean_w", "min_w", "max_w", "sd_w", "unknown_s"):
            one, two = channel[field], other.get(field)
            if one != two and (one is None or two is None or abs(one - two) > 1e-6 * abs(one) + 1e-9):
                found.append(Violation("same-number", f"page {channels.place(channel)}.{field}", two, one,
                                       f"{channel['name']} {field}: run says {one}, the page {two}"))
    return found


def check(s, o):
    found = channels.statuses({**o, "steps": [x for x in o["steps"] if x.get("status") != -9]})
    document = o["document"]
    if document is None:
        return found
    found += channels.check(o, document) + channels.read_again(o)
    for channel in document["channels"]:
        found += possible(s, channel)
    if o["page"] is None:
        return found + [Violation("crash", "no page", None, None, "wattle report wrote no page with a document")]
    return found + curve(s, o) + distribution(s, o) + page_numbers(o)


def batch(pairs):
    """Law coverage under load."""
    return channels.coverage([o for s, o in pairs if not s.one("fault")], "energy_j under load")
