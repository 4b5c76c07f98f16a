# SPDX-License-Identifier: BSD-3-Clause
"""From readings of a counter to energy, without a model of power: docs/format/trace.md (values, gaps), docs/dev/sim.md
(counters show floor(E(last tick) / unit), so a value is never more than what has flowed).

The bounds are hard: they hold for any course of the power between 0 and a stated maximum. Let x be a value shown at t,
and u the unit. Energy never decreases, so

- E(t) >= x u for every reading at or before t, and E(t) >= x u - max_w * (reading - t) for every later one;
- where a counter changed between two readings r and s, its tick came after r, so E(r) < x(s) u + q, and
  E(t) < x(s) u + q + max_w * max(0, t - r).

q is the quantum of the hardware: powercap shows microjoules, but counts in units of 2^-n J (wattle-sim(1), --unit-exp).

A counter that shows an older value than that of its last tick (a stall that ends between two ticks, filtering) needs
`age_ns`: its change may then be that much older than r.
"""
import dataclasses

import numpy as np


KEEPING = ("read failed", "overrun", "damaged", "not sampled", "device lost")  # a counter counts on (trace.md, gaps)


@dataclasses.dataclass
class Samples:
    """Readings of one counter in the order of time: ns, whole units since any origin, joules of a unit.

    read_ns is the half width of the time of a reading. breaks are indices i where it is unknown how much was counted
    between readings i and i + 1 (a reset, a wrap that may have been missed, a gap that loses energy).
    """
    times: np.ndarray
    values: np.ndarray
    unit_j: float
    read_ns: int = 0
    breaks: tuple = ()
    refresh_ns: int = 0
    quantum_j: float = 0.0

    @classmethod
    def of_trace(cls, trace, name, read_ns=0, quantum_j=2.0 ** -14):
        """The readings of a channel of a trace, with the gaps that lose energy as breaks; a larger quantum is safe."""
        channel = trace.channel(name)
        times, values = trace.series(channel.id)
        lost = [g for g in trace.gaps_of(channel.id) if g[0] not in KEEPING]
        breaks = set()
        for _, begin, end in lost:
            for i in np.nonzero((times[:-1] < end) & (times[1:] > begin))[0]:
                breaks.add(int(i))
        return cls(times, values, channel.scale, read_ns, tuple(sorted(breaks)), channel.refresh_ns,
                   max(quantum_j, channel.scale) + channel.scale)

    @classmethod
    def of_raw(cls, times, raw, unit_j, modulus, max_w, read_ns=0, refresh_ns=0):
        """Unwrap raw values: a difference modulo the range counts if the power, and no second wrap, is possible."""
        values, breaks = [0], []
        for i in range(1, len(raw)):
            grown, why = growth(int(raw[i - 1]), int(raw[i]), int(times[i]) - int(times[i - 1]), unit_j, modulus, max_w)
            values.append(values[-1] + grown)
            if why:
                breaks.append(i - 1)
        return cls(np.asarray(times, dtype=np.int64), np.array(values, dtype=np.int64), unit_j, read_ns, tuple(breaks),
                   refresh_ns)


def growth(before, after, time_ns, unit_j, modulus, max_w):
    """What a counter counted between two readings, and why that is unknown ("" if it is known)."""
    possible = max_w * time_ns * 1e-9 / unit_j + 1
    grown = (after - before) % modulus if modulus else after - before
    if modulus and possible >= modulus:
        return 0, "may have wrapped"
    if grown < 0 or grown > possible:
        return 0, "reset"
    return grown, ""


def segments(samples):
    """(first, last + 1) of the stretches of readings between breaks."""
    edges = [0] + [i + 1 for i in samples.breaks] + [len(samples.times)]
    return [(a, b) for a, b in zip(edges, edges[1:]) if b > a]


def at_bounds(samples, first, last, when, max_w, age_ns):
    """Bounds of the joules at an instant, from readings first to last - 1 (same origin as the values)."""
    times, values, unit = samples.times[first:last], samples.values[first:last], samples.unit_j
    late = np.maximum(0, times + samples.read_ns - when) * 1e-9
    low = np.max(values * unit - max_w * late)
    changed = np.nonzero(np.diff(values) > 0)[0]
    quantum = max(samples.quantum_j, unit)
    begun = times[changed] - samples.read_ns - age_ns
    high = values[changed + 1] * unit + quantum + max_w * np.maximum(0, when - begun) * 1e-9
    return float(low), float(np.min(high, initial=np.inf))


def energy_bounds(samples, from_ns, to_ns, max_w, age_ns=0):
    """(low, high) joules between two instants that contain the truth for any power from 0 to max_w.

    Time that no segment covers (before the first reading, after the last, across a break) may have had any power.
    """
    low, high, covered = 0.0, 0.0, 0
    for first, last in segments(samples):
        begin = max(from_ns, int(samples.times[first]))
        end = min(to_ns, int(samples.times[last - 1]))
        if end <= begin:
            continue
        low_begin, high_begin = at_bounds(samples, first, last, begin, max_w, age_ns)
        low_end, high_end = at_bounds(samples, first, last, end, max_w, age_ns)
        most = max_w * (end - begin) * 1e-9
        low += min(most, max(0.0, low_end - high_begin))
        high += min(most, max(0.0, high_end - low_begin))
        covered += end - begin
    return low, high + max_w * max(0, (to_ns - from_ns) - covered) * 1e-9


def ticks(samples, first, last, most_ns):
    """Points (ns, joules, half width ns) where a counter was seen to change: the middle of where its tick can be."""
    times, values = samples.times[first:last], samples.values[first:last]
    i = np.nonzero(np.diff(values) > 0)[0]
    begin = np.maximum(times[i], times[i + 1] - most_ns) if most_ns else times[i]
    return (begin + times[i + 1]) / 2, (values[i + 1] + 0.5) * samples.unit_j, (times[i + 1] - begin) / 2


def energy_best(samples, from_ns, to_ns):
    """Best estimate of the joules between two instants: a line through the ticks seen, split at the borders.

    None where a break or the end of the readings makes it unknown.
    """
    for first, last in segments(samples):
        if samples.times[first] > from_ns or samples.times[last - 1] < to_ns:
            continue
        when, joules, _ = ticks(samples, first, last, samples.refresh_ns)
        if len(when) < 2:
            return None
        return line(when, joules, to_ns) - line(when, joules, from_ns)
    return None


def line(when, joules, at):
    """A polygon, continued beyond its ends with the slope there."""
    if at < when[0]:
        return joules[0] + (joules[1] - joules[0]) / (when[1] - when[0]) * (at - when[0])
    if at > when[-1]:
        return joules[-1] + (joules[-1] - joules[-2]) / (when[-1] - when[-2]) * (at - when[-1])
    return float(np.interp(at, when, joules))


def stands(samples, longer_ns):
    """Stretches in which a counter was read and stood still: (from, to, next ns or None, joules caught up then)."""
    found, n, i = [], len(samples.times), 0
    while i < n:
        j = i
        while j + 1 < n and samples.values[j + 1] <= samples.values[j] and j not in samples.breaks:
            j += 1
        if samples.times[j] - samples.times[i] > longer_ns:
            more = j + 1 < n and j not in samples.breaks
            found.append((int(samples.times[i]), int(samples.times[j]), int(samples.times[j + 1]) if more else None,
                          float((samples.values[j + 1] - samples.values[j]) * samples.unit_j) if more else 0.0))
        i = j + 1
    return found
