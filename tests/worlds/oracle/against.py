# SPDX-License-Identifier: BSD-3-Clause
"""One channel of a result against the power that the simulated node really had (docs/format/json.md, channels).

`check_channel(channel, course, begin_ns, end_ns)` gives tuples (law, where, said, truth, text) as for `laws.Violation`.
"""

UNIT_J = 2.0 ** -14


def check_channel(c, course, begin_ns, end_ns, update_ns=976_563, unit_j=UNIT_J, part=1.0, widths=3.0):
    """Energy and min..max of a channel; part is its share of the domain (a core: 1 / cores)."""
    where = f"channels[{c['domain']}]"
    return check_energy(c, course, begin_ns, end_ns, where, part, widths) + \
        check_extremes(c, course, begin_ns, end_ns, update_ns, unit_j, where, part)


def check_energy(c, course, begin_ns, end_ns, where, part=1.0, widths=3.0):
    """Known energy within its half widths; of a window with unknown time, what the known time allows."""
    e, half, unknown = c["energy_j"], c["resolution_interval_j"] or 0.0, c["unknown_s"]
    if e is None or c["quality"] == "estimated":
        return []
    truth = part * course.energy_j(begin_ns, end_ns)
    watts = part * course.parts(begin_ns, end_ns)[1]
    room = widths * half + 1e-9 * (1 + truth)
    if unknown == 0:
        if abs(e - truth) > room:
            return [("interval", f"{where}.energy_j", e, truth, f"{c['name']}: {e} +- {half} J, true {truth} J")]
        return []
    low, high = truth - unknown * watts.max(), truth - unknown * watts.min()
    known = (end_ns - begin_ns) * 1e-9 - unknown
    low, high = max(low, known * watts.min()), min(high, known * watts.max())
    if not low - room <= e <= high + room:
        return [("interval", f"{where}.energy_j", e, f"{low}..{high}",
                 f"{c['name']}: {e} +- {half} J in {known} s of which the true energy is {low}..{high} J")]
    return []


def check_extremes(c, course, begin_ns, end_ns, update_ns, unit_j, where, part=1.0):
    """min and max are possible for a window of 20 updates (docs/guide/reading-results.md), but for its ticks."""
    if c["min_w"] is None or c["max_w"] is None or c["quality"] == "estimated":
        return []
    window = min(20 * update_ns, end_ns - begin_ns)
    low, high = (part * w for w in course.extremes_at_least_w(window, begin_ns, end_ns))
    slack = 0.06 * high + 2 * unit_j / (window * 1e-9)
    if c["min_w"] < low - slack or c["max_w"] > high + slack:
        return [("order", f"{where}.min_w", f"{c['min_w']}..{c['max_w']}", f"{low}..{high}",
                 f"{c['name']}: {c['min_w']}..{c['max_w']} W; any 20 updates together have {low}..{high} W")]
    return []
