# SPDX-License-Identifier: BSD-3-Clause
"""What jobs of one node may be charged: docs/guide/jobs.md, docs/guide/shares.md and docs/format/jobs.md.

The truth is the energy of the node between two instants by its formula. A job that has the node for itself is charged
all of it; jobs that share it are charged parts, and parts + idle + unattributed are the counter at every time.
"""
import math


def node_energy_j(courses, begin_ns, end_ns):
    """Joules of a node from the courses of the domains in its total."""
    return math.fsum(course.energy_j(begin_ns, end_ns) for course in courses)


def stretches(jobs):
    """[(begin_ns, end_ns, names of the jobs that run)] from {name: (begin_ns, end_ns)}."""
    instants = sorted({t for span in jobs.values() for t in span})
    return [(a, b, sorted(n for n, (begin, end) in jobs.items() if begin <= a and b <= end))
            for a, b in zip(instants, instants[1:])]


def limits_j(jobs, courses):
    """{name: (least, most)}: what a job may be charged if parts never exceed the counter: all of what it had for itself
    can be its own or idle, so the least is 0; the most is the energy of the node while it ran."""
    return {name: (0.0, node_energy_j(courses, begin, end)) for name, (begin, end) in jobs.items()}


def exclusive_j(jobs, courses):
    """{name: joules} of the jobs that no other job overlaps: all that the node used."""
    alone = {}
    for name, (begin, end) in jobs.items():
        if all(n == name or e <= begin or b >= end for n, (b, e) in jobs.items()):
            alone[name] = node_energy_j(courses, begin, end)
    return alone


def covered_j(jobs, courses):
    """Joules of the node in the time in which any job ran: charged + idle + unattributed of all of them together."""
    return math.fsum(node_energy_j(courses, a, b) for a, b, names in stretches(jobs) if names)


def proportional_j(jobs, courses, weights):
    """{name: joules} if each stretch is divided by constant weights (CPU seconds per second), nothing idle."""
    out = {name: 0.0 for name in jobs}
    for a, b, names in stretches(jobs):
        whole = math.fsum(weights[n] for n in names)
        for n in names:
            out[n] += node_energy_j(courses, a, b) * weights[n] / whole if whole > 0 else 0.0
    return out


def check_record(record, truth_j, half_widths=3.0):
    """Laws of one record (docs/format/jobs.md): tuples (law, where, said, truth, text); truth_j None: not known."""
    out, e, charged = [], record.get("energy_j"), record.get("charged_j")
    half = record.get("resolution_j") or 0.0
    if truth_j is not None and e is not None and not record.get("unknown_s") and abs(e - truth_j) > half_widths * half:
        out.append(("interval", "record.energy_j", e, truth_j, f"record of {e} +- {half} J, true {truth_j} J"))
    parts = [record.get("idle_j") or 0.0, record.get("unattributed_j") or 0.0]
    if e is not None and charged is not None and charged > e + half_widths * half - min(0.0, parts[1]):
        out.append(("bound", "record.charged_j", charged, e, f"charged {charged} J of {e} J"))
    if record.get("rule") == "exclusive" and e is not None and charged is not None and abs(charged - e) > 1e-6 * abs(e):
        out.append(("sum", "record.charged_j", charged, e, "an exclusive job is charged what its node used"))
    if record.get("unknown_s") and not record.get("lower_bound"):
        out.append(("unflagged", "record.lower_bound", record.get("lower_bound"), record["unknown_s"],
                    "energy is missing and the record does not say so"))
    return out


def check_records(records, counter_j, half_j, half_widths=3.0):
    """Jobs that share one interval: charged + idle + unattributed (each counted once by the caller) are the counter."""
    said = math.fsum(records)
    if abs(said - counter_j) > half_widths * half_j + 1e-9 * abs(counter_j):
        return [("sum", "records", said, counter_j, f"parts add up to {said} J, the counter has {counter_j} J")]
    return []
