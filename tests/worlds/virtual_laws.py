# SPDX-License-Identifier: BSD-3-Clause
"""Laws of `wattle run` in virtual time where the situation is simple enough for a strict one: steady power, a long quiet
window, domains inside others, a counter that stood still at known times, regions."""
import math

from families import virtual_run as base
from laws import Violation

PATIENCE_S = 0.12  # a counter of 1 ms that stands for so long up to the end has stalled
WHOLE_S = 0.9      # and one that stands for so long inside the window


def of_channels(s, o, laws):
    """All violations of laws (s, channel, course, window) in the channels of a document."""
    document, found = o["result"], []
    t0_ns = base.t0_of(o)
    course_of = base.courses(s, t0_ns)
    window = document["start_monotonic_ns"], document["end_monotonic_ns"]
    for channel in document["channels"]:
        course = course_of(channel["domain"], channel["index"])
        if course is not None:
            found += [v for law in laws for v in law(s, channel, course, window)]
    return found


def greatest_and_least_w(course, begin_ns, end_ns):
    watts = course.parts(begin_ns, end_ns)[1]
    return watts.max(), watts.min()


def steady(s, channel, course, window):
    """Law steady: the power is the same before, in and after the window, so a tick at a border is split by time."""
    tick_s = base.tick_of(s, channel) * 1e-6
    around = int(3e9 * tick_s)
    high, low = greatest_and_least_w(course, window[0] - around, window[1] + around)
    said = channel["energy_j"]
    if s.all("fault") or s.all("costs") or high - low > 1e-9 * high or said is None or channel["unknown_s"]:
        return []
    if window[1] - window[0] < 3e9 * tick_s:
        return []
    true_j = course.energy_j(*window)
    jitter_s = max([20.0, *base.settings(s, channel, "jitter_us")]) * 1e-6
    allowed = high * (0.2 * tick_s + 4 * jitter_s) + 4 * 2.0 ** -base.unit_of(s, channel)
    if abs(said - true_j) <= allowed:
        return []
    return [Violation("steady", f"{base.place(channel)}.energy_j", said, true_j,
                      f"{channel['name']}: {said:.6g} J of {high:g} W, which never changes, true {true_j:.6g} J; borders "
                      f"that are split well are off by at most {allowed:.3g} J")]


def deviation(s, channel, course, window):
    """Law order: sd_w is the standard deviation of the power over stretches, in a window with many."""
    said, stretch_ns = channel["sd_w"], int((channel["stat_window_ms"] or 0) * 1e6)
    n = (window[1] - window[0]) // stretch_ns if stretch_ns else 0
    if s.all("fault") or s.all("costs") or n < 20:
        return []
    means = [course.mean_w(window[0] + k * stretch_ns, window[0] + (k + 1) * stretch_ns) for k in range(n)]
    mean = math.fsum(means) / n
    true_w = math.sqrt(math.fsum((m - mean) ** 2 for m in means) / (n - 1))
    if said is not None and abs(said - true_w) <= 0.2 * true_w + 0.03 * mean + 0.1:
        return []
    return [Violation("order", f"{base.place(channel)}.sd_w", said, true_w,
                      f"{channel['name']}: the power over {n} stretches of {stretch_ns * 1e-6:.4g} ms has the standard deviation "
                      f"{true_w:.4g} W, said {said}")]


def plateaus(s, channel, course, window):
    """Law order: a power that stays the same for two stretches has a whole stretch of its own, so max_w is at least the highest
    of these, and min_w at most the lowest, but for an update."""
    stretch_s, tick_s = (channel["stat_window_ms"] or 0) * 1e-3, base.tick_of(s, channel) * 1e-6
    longest_s = stretch_s + 2 * base.seconds_of(s.one("interval", "default")) + 4 * tick_s
    length, found = int(2e9 * longest_s), []
    if s.all("fault") or s.all("costs") or not stretch_s or None in (channel["min_w"], channel["max_w"]) or \
            length >= window[1] - window[0]:
        return []
    high, low = greatest_and_least_w(course, *window)
    least, most = course.extremes_w(length, *window)
    room = 1.5 * tick_s / stretch_s + 0.003
    for key, lasts, beyond in (("max_w", most > high * (1 - 1e-6), channel["max_w"] < most * (1 - room)),
                               ("min_w", least < low * (1 + 1e-6) + 1e-6, channel["min_w"] > least * (1 + room) + 0.01)):
        if lasts and beyond:
            found.append(Violation("order", f"{base.place(channel)}.{key} plateau", channel[key], [least, most],
                                   f"{channel['name']}: {key} {channel[key]:.6g} W; "
                                   f"{most if key == 'max_w' else least:.6g} W lasted "
                                   f"for {length * 1e-9:.3g} s and longer, stretches are of {stretch_s:.3g} s"))
    return found


def stalls(s, channel, window, t0_ns):
    """(begin, end) in ns of its stalls, as far as they lie in the window, and whether the window ends in them."""
    found = []
    for fault in s.all("fault"):
        kind, _, rest = fault.partition("@")
        if kind.partition(":")[0] != "stall" or "stall" not in base.faulty(s, channel):
            continue
        words = rest.split(",")
        begin = t0_ns + round(float(words[0]) * 1e9)
        lasts = [float(word[4:]) for word in words[1:] if word.startswith("for=")]
        end = begin + round(lasts[0] * 1e9) if lasts else window[1] + 1
        if window[0] < begin < window[1]:
            found.append((begin, min(end, window[1]), end > window[1]))
    return found


def listed(s, channel, course, window, t0_ns):
    """Law unflagged: a counter that stood still in the window for far longer than its updates take is listed with a gap."""
    if base.settings(s, channel, "tick_us") or base.seconds_of(s.one("interval", "default")) > 0.1:
        return []
    for begin, end, at_end in stalls(s, channel, window, t0_ns):
        lasts_s = (end - begin) * 1e-9
        if lasts_s < (PATIENCE_S if at_end else WHOLE_S) or greatest_and_least_w(course, begin, end)[1] < 20:
            continue
        where, reasons = f"{base.place(channel)}.gap_reasons", channel["gap_reasons"]
        if "stalled" not in reasons:
            return [Violation("unflagged", f"{where} {'at the end' if at_end else 'inside'}", reasons, "stalled",
                              f"{channel['name']}: it stood still for {lasts_s:.3g} s of the window, gaps for {reasons}")]
        if channel["gap_s"] < 0.8 * lasts_s - 0.02:
            return [Violation("unflagged", f"{base.place(channel)}.gap_s stalled", channel["gap_s"], lasts_s,
                              f"{channel['name']}: it stood still for {lasts_s:.3g} s of the window, "
                              f"{channel['gap_s']:.3g} s in gaps")]
    return []


def all_listed(s, o):
    """The same for all channels of a document."""
    t0_ns = base.t0_of(o)
    return of_channels(s, o, [lambda s, channel, course, window: listed(s, channel, course, window, t0_ns)])


def whole(s, o):
    """Law sum: the total is the energy of the whole, in which nothing is counted twice and nothing is left out: of psys, which
    contains packages and memory, or of these."""
    document = o["result"]
    course_of = base.courses(s, base.t0_of(o))
    window = document["start_monotonic_ns"], document["end_monotonic_ns"]
    domains = {name.partition("-")[0] for name in (power.partition(" ")[0] for power in s.all("power"))}
    sockets = int(s.pairs("machine").get("sockets", 1))
    said, half = document["total"]["energy_j"], document["total"]["resolution_interval_j"]
    if s.all("fault") or said is None or document["total"]["unknown_s"]:
        return []
    places = [(d, k) for d in sorted(domains & {"package", "dram"}) for k in range(sockets)]
    places = [("psys", 0)] if "psys" in domains else places
    true_j = math.fsum(course_of(*place).energy_j(*window) for place in places)
    if abs(said - true_j) <= 3 * half + 1e-9 * true_j:
        return []
    return [Violation("sum", "total.energy_j whole", said, true_j,
                      f"total {said:.6g} +- {half:.2g} J of {document['total']['channels']}; "
                      f"{' and '.join(f'{d}-{k}' for d, k in places)} had {true_j:.6g} J")]


def regions(s, o, documents):
    """Law interval or unflagged: a region that has a number has the right one."""
    found, result = [], o["result"]
    course_of = base.courses(s, base.t0_of(o))
    begin = result["start_monotonic_ns"]
    lines = {name: (float(a), float(b)) for name, a, b in (line.split() for line in s.all("region"))}
    counted = [c for c in result["channels"] if c["in_total"]]
    for where, document in documents:
        for region in (document or {}).get("regions") or []:
            part, at = region["inclusive"], lines.get(region["name"])
            if at is None or part["energy_j"] is None or region["doubt"] == "unknown":
                continue
            when = [begin + round(t * 1e9) for t in at]
            true_j = math.fsum(course_of(c["domain"], c["index"]).energy_j(*when) for c in counted)
            if abs(part["energy_j"] - true_j) > 3 * part["resolution_interval_j"] + 1e-6 * true_j:
                law = "unflagged" if s.all("fault") else "interval"
                found.append(Violation(law, f"{where} region", part["energy_j"], true_j,
                                       f"{region['name']}: {part['energy_j']:.5g} +- {part['resolution_interval_j']:.2g} J, true "
                                       f"{true_j:.5g} J"))
    return found


def error_in_half_widths(s, o):
    """The signed error of the first channel with an energy, in half widths of its interval; None if there is none."""
    document = o.get("result")
    if o["status"] != 0 or o["error"] or not document or not o["truth.txt"] or document.get("runs"):
        return None
    course_of = base.courses(s, base.t0_of(o))
    window = document["start_monotonic_ns"], document["end_monotonic_ns"]
    for channel in document["channels"]:
        course = course_of(channel["domain"], channel["index"])
        if course and channel["energy_j"] is not None and not channel["unknown_s"] and channel["resolution_interval_j"]:
            return (channel["energy_j"] - course.energy_j(*window)) / channel["resolution_interval_j"]
    return None
