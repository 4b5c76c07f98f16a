# SPDX-License-Identifier: BSD-3-Clause
"""Recomputes the summaries of a footer from the blocks only, according to docs/format/summaries.md.

Only the comparison at the end uses the footer. Each part is compared with it value by
value: summaries of channels, times of regions, totals, the index, the pyramid.
"""

import dataclasses
import math
import os
import struct
import sys

SOURCE = os.environ.get("SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "python"))

import wattle_trace  # noqa: E402

NAN = math.nan
READ_FAILED, STALLED, RESET, LOST_WRAP, OVERRUN, DAMAGED, NOT_SAMPLED = 0, 1, 2, 3, 5, 6, 7
SUSPENDED, IMPLAUSIBLE, DEVICE_LOST = 4, 8, 9
AWAKE = "package", "dram", "psys", "node"
GREATEST_W = {"package": 3000, "dram": 1000, "psys": 30000, "node": 30000}  # where the channel states none


def stretch_ns(channel):
    refresh = channel.refresh_ns
    return 128 * refresh if 128 * refresh <= 250000000 else max(20 * refresh, 250000000)


class Pace:
    """How often a counter updates: the times of its values, in octaves."""

    def __init__(self):
        self.value = self.new = None
        self.again = False
        self.count = self.repeated = 0
        self.octaves = [[0, 0.0] for _ in range(32)]  # number and sum

    def add(self, at, value):
        if value == self.value:
            self.again = True
            return
        if self.new is not None and at > self.new:
            octave = self.octaves[min(max(((at - self.new) // 1000).bit_length() - 1, 0), 31)]
            octave[0], octave[1] = octave[0] + 1, octave[1] + at - self.new
            self.count, self.repeated = self.count + 1, self.repeated + self.again
        self.new = None if self.value is None else at
        self.value, self.again = value, False

    def stop(self):
        self.value = self.new = None

    def unclear(self):
        return self.count < 8 and (self.repeated > 0 or self.again)

    def near(self):
        """The octave of the median and those next to it."""
        middle, below = 0, self.octaves[0][0]
        while 2 * below < self.count and middle < 31:
            middle += 1
            below += self.octaves[middle][0]
        return self.octaves[max(middle - 1, 0) : middle + 2]

    def usual(self):
        """The mean time between new values of these octaves; 0: none."""
        number = sum(octave[0] for octave in self.near())
        return int(sum(octave[1] for octave in self.near()) / number) if number else 0

    def refresh(self, channel):
        claimed, repeated = channel.refresh_ns, (64 if channel.domain in AWAKE else 4 / 3) * self.repeated
        if not channel.is_energy or self.count < 8 or self.repeated < 3 or repeated < self.count:
            return claimed
        found, number = self.usual(), sum(octave[0] for octave in self.near())
        return found if 2 * found > 3 * claimed and 4 * number >= 3 * self.count else claimed


class Stand:
    """A counter shows the same value from one sample to another."""

    def __init__(self, now, before, lost):
        self.begin = self.to = now
        self.before, self.next, self.failed, self.lost = before and before[0], None, False, lost
        self.grown = max(0.0, now[1] - before[1]) if before else 0.0


def tick(before, at, refresh):
    """Between which times the tick of a new value came."""
    return max(before, at - refresh), at


def timed(a, b):
    """Whether two ticks are so far apart that the power between them is known."""
    return sum(b) / 2 - sum(a) / 2 >= 4 * math.hypot(a[1] - a[0], b[1] - b[0])


class Update:
    """The value of a counter at a border, and that of a later tick."""

    def __init__(self):
        self.shown = self.until = self.next = self.beyond = None
        self.lost = False

    def stand_ends(self, stand, at, now, broken, close, refresh=None, ended=False):
        """refresh: of the counter, at the start; None: at the end."""
        ahead = refresh is not None
        if self.next:
            if ahead and not ended and self.beyond is None and timed(tick(self.until, self.next[0], refresh), tick(stand.to[0], now[0], refresh)):
                self.beyond = Step(now, stand.to[0])
            return
        if stand.begin[0] <= at + close:
            self.shown, self.lost = stand, False
        self.until, self.lost = stand.to[0], self.lost or broken or stand.lost
        if broken or stand.to[0] + close >= at or ahead and now[0] > at:
            self.next = now


def covered(intervals):
    """The length of their union."""
    time, until = 0, 0
    for begin, end in sorted(intervals):
        time += max(0, end - max(begin, until))
        until = max(until, end)
    return time


@dataclasses.dataclass
class Step:
    """A sample with a higher value than the previous one."""

    at: tuple
    before: int
    left_out: float = 0.0  # part of its growth that is already in `unplaced`


class Tally:
    """One channel's samples, gaps and borders, in the order in which they are applied."""

    def __init__(self, channel, stat_ns=None):
        self.channel, self.counter = channel, channel.is_counter
        self.stat_ns = min(stretch_ns(channel), stretch_ns(channel) if stat_ns is None else stat_ns)  # older: shorter
        self.pace, self.renewed = Pace(), None
        self.start = self.end = self.origin = None
        self.last = self.previous = self.ahead = self.first = self.last_in = self.after = None
        self.segment, self.broken, self.last_is_edge = None, False, False
        self.samples = self.stale = self.gaps = self.reasons = 0
        self.in_gaps, self.lost = [], []  # intervals of the window
        self.lost_ahead = self.lost_until = self.losses = 0
        self.start_lost, self.end_lost, self.leaps = False, False, 0.0
        self.steps, self.counted_from, self.counted_to, self.unplaced = [], -math.inf, math.inf, 0.0
        self.ahead_samples = 0  # before the start, except polls
        self.stopped = self.stops = 0  # time without ticks, from the sample ahead to the last one, and from there on
        self.stand = self.stand_in = self.stand_out = self.failed_until = None
        self.update_in, self.update_out = Update(), Update()
        self.stretches, self.edges_before, self.edges_after = [], [], []
        self.shown_before = self.shown_after = self.watched = None
        self.opened = self.closed_from = None  # the end of a first stretch from the first sample on; the begin of the latest one
        self.was_slow, self.ends, self.stood, self.polled = False, [], 0, (0, 0)
        self.early, self.later = [], None  # samples just after the start, and the first one long after it
        self.recent, self.tick_value = [], None  # recent samples in the window; the value up to the first edge after it
        self.before_growth = self.at_growth = 0, None, None
        self.spaced_from, self.slow = None, 0.0
        self.grown_from, self.grows_in, self.step, self.surge = None, 0, 0.0, 0.0
        self.integral = self.variance = self.missed = 0.0
        self.covered, self.part = 0, None
        self.seen = []  # the first three different values of a gauge, but 0
        self.quantum = 0  # what all of them have in common

    def loses(self, reason):
        return not self.counter or reason not in (READ_FAILED, OVERRUN, DAMAGED, NOT_SAMPLED, DEVICE_LOST)

    def begin(self, at):
        self.start, self.last_is_edge, self.spaced_from, self.segment = at, False, None, None
        self.polled = max(self.stood, int(self.slow)), int(self.slow)
        if not self.counter and self.last and self.last[0] == at:
            self._place(self.last, False)

    def finish(self, at):
        self.end, self.last_is_edge = at, False
        if not self.counter and self.previous and self.last[0] > at and self.part:
            self.integral -= self.part[0]
            self.covered -= self.part[1]
            self._integrate(self.previous, self.last)
        if self.last_in and self.last[0] > at:
            self.after, self.last_in = self.last, self.previous

    def gap(self, reason, begin, end):
        loses = self.loses(reason)
        self.segment, self.last_is_edge = None, False
        if loses and self.after is None and end > begin:
            split = max(begin, min(self.last[0] if self.last else 0, end))
            self.stopped, self.stops = self.stopped + split - begin, self.stops + end - split
        self.broken = self.broken or loses
        self.failed_until = self.failed_until if loses else end
        if loses and self.origin and (self.start is None or end <= self.start):
            until = end - self.origin[0]
            self.edges_before = [edge for edge in self.edges_before if edge[0] > until]
            if self.shown_before and self.shown_before[0] <= until:
                self.shown_before = None
        if reason not in (READ_FAILED, SUSPENDED, OVERRUN, DAMAGED, NOT_SAMPLED, IMPLAUSIBLE, DEVICE_LOST):
            self.start_lost = self.start_lost or self.start is not None and begin < self.start < end
            self.end_lost = self.end_lost or self.end is not None and begin < self.end < end
        whole, begin = begin, max(begin, self.start) if self.start is not None else begin
        if self.start is None or end <= self.start:
            return
        end = min(end, self.end) if self.end is not None else end
        if self.end is not None and begin >= end:
            return
        goes_on = loses and self.start < whole == self.lost_until and self.reasons >> reason & 1
        self.gaps += not goes_on
        self.reasons |= 1 << reason
        if end <= begin:
            return
        begin_lost = begin
        if self.counter and loses:
            before = self.stand and whole < self.stand.begin[0]
            count, self.opened, self.closed_from = self.before_growth if before else self.at_growth
            del self.stretches[count:]
            self.before_growth = self.at_growth = count, self.opened, self.closed_from
            self.losses += not goes_on
            first = self._first_step_since(whole)
            if first is not None and self.steps[first].before < whole:
                whole = self.steps[first].before
                begin_lost = max(whole, self.start)
            self._leave_out_steps(whole, first)
        self.in_gaps.append((begin, end))
        if loses:
            before = covered(self.lost)
            self.lost.append((begin_lost, end))
            self.lost_ahead += covered(self.lost) - before if self.first is None else 0
            self.lost_until = max(self.lost_until, end)

    def sample(self, at, value, edge):
        if self.origin is None:
            self.origin = (at, value)
        elif at < self.last[0]:
            return
        if self.counter:
            x = float(wattle_trace._signed((value - self.origin[1]) & wattle_trace.M64))
        else:
            x = wattle_trace._signed(value) * self.channel.scale
            self.quantum = math.gcd(self.quantum, value)
            if value and value not in self.seen and len(self.seen) < 3:
                self.seen.append(value)
        now = (at, x)
        if self.last and not self.broken:
            self._pair(now, edge)
        self.stopped, self.stops = self.stopped + self.stops, 0
        if self.counter and self.broken and self.last and self.start is not None:
            begin, end = max(self.last[0], self.start), at if self.end is None else min(at, self.end)
            if end > begin:
                before = covered(self.lost)
                self.lost.append((begin, end))
                self.lost_ahead += covered(self.lost) - before if self.first is None else 0
        if self.counter:
            self._stand(now)
            if self.broken:
                self.pace.stop()
            if not edge:
                self.pace.add(*now)
        self._place(now, edge)
        self.previous, self.last = self.last, now
        if self.broken and self.counter and self.previous:
            if self._leave_out(self.previous[0], self.previous[1], now[1]) and self.steps and self.steps[-1].at[0] == at:
                self.steps[-1].left_out = now[1] - self.previous[1]
        self.last_is_edge, self.broken = edge, False

    def _first_step_since(self, at):
        """The first of the steps whose growth was counted after `at`, at least in part; None: none."""
        first = None
        for i in range(len(self.steps) - 1, 0, -1):
            if at >= self.steps[i].at[0]:
                break
            first = i
        return first

    def _leave_out_steps(self, begin, first):
        """The growth of these steps belongs to no known time; what was excluded before does not count twice."""
        steps = self.steps[first:] if first is not None else []
        for step in steps:
            self.unplaced -= step.left_out
            step.left_out = 0.0
        if steps and self._leave_out(begin, self.steps[first - 1].at[1], steps[-1].at[1]):
            for earlier, step in zip(self.steps[first - 1 :], steps):
                step.left_out = step.at[1] - earlier.at[1]

    def _leave_out(self, begin, low, high):
        """What was counted in a gap that loses energy belongs to no known time. True if `unplaced` includes it."""
        if self.start is None or high <= low or self.last[0] <= self.start or self.end is not None and begin >= self.end:
            return False
        if begin <= self.start:
            self.counted_from = max(self.counted_from, high)
        elif self.end is not None and self.last[0] > self.end:
            self.counted_to = min(self.counted_to, low)
        else:
            self.unplaced += high - low
            return True
        return False

    def _pair(self, now, edge):
        if not self.counter:
            if self.start is not None:
                self._integrate(self.last, now)
            return
        grown = now[1] > self.last[1]
        if grown and self.grown_from is not None:
            both = now[0] - self.grown_from
            self.grows_in = min(self.grows_in or both, both)
        self.grown_from = self.last[0] if grown else None
        if grown and self.previous and self.last[1] <= self.previous[1]:
            self.step = max(self.step, now[1] - self.last[1])
        since, refresh = now[0] - self.stand.begin[0], self.channel.refresh_ns
        slowly = self._ticks_slowly()
        if self.end is None and (slowly or not edge) and refresh and since > 0 and not self.stand.lost:
            taken = refresh if slowly and now[0] - self.last[0] < refresh else since + refresh
            self.surge = max(self.surge, (now[1] - self.last[1]) / taken)
        inside = self.start is not None and self.end is None
        if edge and self.last_is_edge and not inside:
            self._show(self.last, now)
            if now[1] != self.last[1]:
                self._edge(self.last, now)
        elif inside and not edge and not grown:
            self.stale += 1

    def _stand(self, now):
        grown = self.last is not None and now[1] > self.last[1]
        if self.last and not grown and not self.broken:
            self.stand.to = now
            return
        if self.last:
            self.stand.next = None if self.broken else now
            self.stand.failed = self.failed_until == now[0]
            polled = self.edges_before or self.shown_before
            doubtful = self.stand.lost or self.broken or not polled and self.ahead and self.stand.begin == self.first
            if self.start is not None and doubtful and grown and (self._stands(self.stand) or self._leapt(self.stand, now)):
                self.leaps += (now[1] - self.stand.begin[1]) ** 2
            close = self.channel.refresh_ns // 16
            if self.start is not None:
                self.update_in.stand_ends(self.stand, self.start, now, self.broken, close, self.channel.refresh_ns, self.end is not None)
            if self.end is not None and now[0] > self.end:
                self.update_out.stand_ends(self.stand, self.end, now, self.broken, close)
            if self.start is not None:
                self.stand_in = self.stand_in or self.stand
            if self.end is not None and now[0] > self.end:
                self.stand_out = self.stand_out or self.stand
        self.stand = Stand(now, self.last, self.broken)
        if self.end is None or not self.steps or self.steps[-1].at[0] <= self.end:
            self.steps = self.steps[-7:] + [Step(now, self.last[0] if self.last else 0)]

    def _show(self, a, b):
        if self.start is not None and (self.end is None or self.shown_after):
            return
        ta, tb, refresh = a[0] - self.origin[0], b[0] - self.origin[0], self.channel.refresh_ns
        stood = a[1] == b[1]
        self.stood = max(self.stood, b[0] - a[0]) if stood else self.stood
        latest, earliest = ta if stood else tb, max(tb - refresh, 0 if stood else ta)
        if stood and earliest > ta - refresh / 8:
            earliest = ta - refresh
        shown = (earliest + latest) / 2, b[1], (latest - earliest) / 2
        if self.start is None:
            self.shown_before = shown
        else:
            self.shown_after, self.watched = shown, (ta if stood else tb, tb)

    def _edge(self, a, b):
        ta, tb = a[0] - self.origin[0], b[0] - self.origin[0]
        at, width = (ta + tb) / 2, (tb - ta) / 2
        if width * 3 > self.channel.refresh_ns:
            self.spaced_from = None
            return
        if self.spaced_from is not None and at - self.spaced_from > 3 * self.channel.refresh_ns:
            self.slow = max(self.slow, at - self.spaced_from)
        self.spaced_from = at
        if self.start is None:
            self.edges_before = (self.edges_before + [(at, b[1], width)])[-4:]
        elif self.end is not None:
            self.tick_value = self.tick_value if self.edges_after else a[1]
            self.edges_after = (self.edges_after + [(at, b[1], width)])[:4]

    def _place(self, now, edge):
        if self.start is None:
            self.ahead_samples += not edge
            self.ahead, self.stopped, self.stops = now, 0, 0
        elif self.end is not None and now[0] > self.end:
            self.after = self.after or now
        else:
            since, refresh = now[0] - self.start, self.channel.refresh_ns
            if since <= 8 * refresh and len(self.early) < 8:
                self.early.append(now)
            if self.later is None and since >= 64 * refresh:
                self.later = now
            if edge:
                return
            self.first = self.first or now
            self.last_in = now
            self.samples += 1
            if not self.recent or now[0] - self.recent[-1][0] >= 64 * self.channel.refresh_ns:
                self.recent = self.recent[-1:] + [now]
            grown = self.last and now[1] > self.last[1]
            if grown:
                self.before_growth = len(self.stretches), self.opened, self.closed_from
            self._stretch(now, grown)
            if grown:
                self.at_growth = len(self.stretches), self.opened, self.closed_from

    def _stretch(self, now, grown):
        scale = self.channel.scale
        if not self.counter:
            self.stretches.append(now[1])
            return
        slow = self._stretch_refresh() > self.channel.refresh_ns > 0
        if slow and not self.was_slow:
            self.stretches, self.opened, self.closed_from = [], None, None
            self.before_growth = self.at_growth = 0, None, None
        self.was_slow = slow
        if self.segment and self._stands(self.stand):
            return
        if self.segment is None:
            self.segment, self.renewed, self.closed_from = now, now if grown else None, None
            return
        self.renewed = self.renewed or (now if grown else None)
        begin, least = self.renewed if slow else self.segment, self._stat_ns()
        over = begin and now[0] > begin[0] and now[0] - begin[0] >= least
        if over and not (self._counts_always() and self.pace.unclear()) and (grown or not slow):
            if not self.stretches and begin[0] == self.first[0]:
                self.opened = now
            self.closed_from = begin
            self.stretches.append((now[1] - begin[1]) * scale / (now[0] - begin[0]) * 1e9)
            self.segment, self.renewed = now, now if grown else None

    def _ends(self, start, end):
        """Powers of the first stretch from the start on, and of the last one up to the end."""
        powers, scale = [], self.channel.scale * 1e9
        if self.was_slow or self.start is None or self.end is None or not self.stretches:
            return powers
        if self.opened and not covered(self.in_gaps):
            powers.append((self.opened[1] - start[0], start[1], self.opened[0] - self.start))
        if self.closed_from and self.segment:
            powers.append((end[0] - self.closed_from[1], end[1], self.end - self.closed_from[0]))
        return [grown * scale / ns for grown, deviation, ns in powers if 1.96 * deviation <= 0.01 * grown]

    def _is_slow(self):
        return self.counter and self.channel.refresh_ns > 0 and self.pace.refresh(self.channel) > self.channel.refresh_ns

    def _stretch_refresh(self):
        """As samples show it, or else the polls before the start."""
        claimed, refresh = self.channel.refresh_ns, self.pace.refresh(self.channel)
        stood, whole = self.polled
        if refresh != claimed or not self._stands_for(stood):
            return refresh
        return whole if whole >= stood else max(stood, min(self.pace.usual(), 100 * claimed))

    def _stat_ns(self):
        refresh = self._stretch_refresh()
        if not self.counter or not refresh > self.channel.refresh_ns > 0:
            return self.stat_ns
        return 128 * refresh if 128 * refresh <= 250000000 else max(20 * refresh, 250000000)

    def _integrate(self, a, b):
        change, apart = b[1] - a[1], b[0] - a[0]
        off = change / 2
        if self.channel.kind == "window average":  # nothing is seen between two windows, and each reading has an age of its own
            unseen = max(apart - self.channel.window_ns, 0) + min(self.channel.refresh_ns, apart) / 2
            off = change * min(unseen / apart, 1) if apart else 0
            a = (a[0], b[1])
        low = max(a[0], self.start)
        high = b[0] if self.end is None else min(b[0], self.end)
        if high <= low:
            return
        seconds = (high - low) * 1e-9
        part = (_line(a, b, low) + _line(a, b, high)) / 2 * seconds
        self.integral += part
        self.part = (part, high - low)
        self.variance += (off * seconds) ** 2 / 3
        self.covered += high - low
        if self.channel.kind == "window average" and self.channel.window_ns and apart:
            part = self.channel.window_ns / self.channel.refresh_ns if self.channel.refresh_ns else 1
            self.missed += max((part if part < 0.99 else 1) * apart - self.channel.window_ns, 0) * (high - low) / apart

    # The borders

    def _across(self, behind):
        """Minimum power of the growth across a border, from the sample in the window next to it to the edge beyond."""
        edges, inside = (self.edges_after[:1], self.last_in) if behind else (self.edges_before[-1:], self.first)
        if not edges or not inside:
            return 0.0
        apart = abs(inside[0] - self.origin[0] - edges[0][0]) + self.channel.refresh_ns
        return abs(inside[1] - edges[0][1]) / apart

    def _unseen_power(self, outside, behind):
        """Deviation of an unobserved power: it may be that on either side, or across the border."""
        return max(abs(outside), self._mean_slope(), self._across(behind)) / math.sqrt(3)

    def _by_edges(self, edges, border, behind):
        e1, e2 = edges[0], edges[1]
        away, tick = border - e1[0], abs(e2[0] - e1[0])
        power = (e2[1] - e1[1]) / (e2[0] - e1[0])
        v1, v2, v3 = ((power * e[2]) ** 2 / 3 + self._grain() ** 2 / 12 for e in (e1, e2, edges[2] if len(edges) > 2 else e1))
        ahead, deviation, change = 0.0, power / 10, 0.0
        if len(edges) > 2:
            e3 = edges[2]
            change = power - (e3[1] - e2[1]) / (e3[0] - e2[0])
            ahead = min(1, (tick + abs(away)) / 2 / (abs(e3[0] - e1[0]) / 2))
            deviation = 1.7 * math.sqrt(max(0, change**2 - (v1 + 4 * v2 + v3) / tick**2))
        part = abs(away) / tick
        far = abs(away) / self._tick(edges) - 1
        deviation = math.hypot(deviation, min(max(far, 0), 1) * self._unseen_power(power + change * ahead, behind))
        v = v1 * (1 + part * (1 + ahead)) ** 2 + v2 * (part * (1 + 2 * ahead)) ** 2 + v3 * (part * ahead) ** 2
        x = e1[1] + (power + change * ahead) * away
        return x, math.sqrt(v + (away * deviation) ** 2)

    def _by_mean(self, edges, border, behind):
        e1, e2, e3, last = edges[0], edges[1], edges[2], edges[-1]
        tick, p = e1[0] - e2[0], (e1[1] - e2[1]) / (e1[0] - e2[0])
        v = [(p * e[2]) ** 2 / 3 + self._grain() ** 2 / 12 for e in (e1, e2, e3)]
        errors = (v[0] + 4 * v[1] + v[2]) / tick**2
        real = max(0, (p - (e2[1] - e3[1]) / (e2[0] - e3[0])) ** 2 - errors)
        power, away = (e1[1] - last[1]) / (e1[0] - last[0]), border - e1[0]
        part = abs(away / (e1[0] - last[0]))
        far = min(max(abs(away) / self._tick(edges) - 1, 0), 1) * self._unseen_power(power, behind)
        v1, v2 = ((power * e[2]) ** 2 / 3 + self._grain() ** 2 / 12 for e in (e1, last))
        variance = v1 * (1 + part) ** 2 + v2 * part**2 + away**2 * (4 * real + errors + far**2)
        return e1[1] + power * away, math.sqrt(variance)

    def _outside(self, shown, edges, behind):
        least = 2 * self.channel.refresh_ns
        if edges and abs(shown[0] - edges[0][0]) > least:
            return (shown[1] - edges[0][1]) / (shown[0] - edges[0][0])
        if len(edges) > 1:
            return (edges[0][1] - edges[-1][1]) / (edges[0][0] - edges[-1][0])
        at, x = (self.last[0] - self.origin[0], self.last[1]) if behind else (0, 0)
        return (shown[1] - x) / (shown[0] - at) if least < abs(shown[0] - at) < 50 * least else 0

    def _by_shown(self, shown, edges, border, behind):
        away = border - shown[0]
        power = 0 if behind and away > 0 else self._outside(shown, edges, behind)
        if power <= 0:
            power = self._mean_slope()
        v = (power * shown[2]) ** 2 / 3 + self._grain() ** 2 / 12
        return shown[1] + power * away, math.sqrt(v + away**2 * self._unseen_power(power, behind) ** 2)

    def _near(self, edges, border):
        return len(edges) > 1 and abs(border - edges[0][0]) <= 1.25 * self.channel.refresh_ns

    def _by_polls(self, edges, shown, border, behind):
        """`edges`: the nearest to the border first."""
        found, border = [], border - self.origin[0]
        if self.slow or self._is_slow():
            return None
        if len(edges) > 1:
            found.append(self._by_edges(edges, border, behind))
        if len(edges) > 2 and edges[0][2] > self.channel.refresh_ns / 40:
            found.append(self._by_mean(edges, border, behind))
        found = min(found, key=lambda f: f[1], default=None)
        if shown and not self._near(edges, border):
            by_shown = self._by_shown(shown, edges, border, behind)
            if not found:
                return by_shown
            if by_shown[1] < found[1]:
                return by_shown
            e1, e2 = edges[:2]
            within, out = self._mean_slope(), (e2[1] - e1[1]) / (e2[0] - e1[0])
            noise = found[1] ** 2
            if abs(within - out) < 0.1 * max(within, out):
                noise = 3 * (noise + by_shown[1] ** 2)
            found = self._spanning(found, by_shown[0] - found[0], noise)
        return found

    def _sides(self):
        return [[b[0] - a[0] for a, b in zip(edges, edges[1:])] for edges in (self.edges_before, self.edges_after)]

    def _tick(self, own):
        """The average distance of ticks on one side."""
        least = min([math.inf, *self._sides()[0], *self._sides()[1]])
        if least > 3 * self.channel.refresh_ns:
            least = self.channel.refresh_ns
        apart = abs(own[-1][0] - own[0][0]) if len(own) > 1 else least
        return apart / math.floor(apart / least + 0.5)

    def _pace(self, own):
        """(distance of ticks on one side, deviation of a single tick from these)."""
        tick, uneven = self._tick(own), 0.0
        for ticks in self._sides():
            for a, b in zip(ticks, ticks[1:]):
                if math.floor(a / tick + 0.5) == math.floor(b / tick + 0.5):
                    uneven = max(uneven, (a - b) ** 2)
        return tick, math.sqrt((own[0][2] ** 2 + own[-1][2] ** 2) / 3 + uneven * 4 / 6)

    def _last_tick(self):
        """(begin, its deviation, length) of the tick before the first edge after the end."""
        tick, deviation = self._pace(self.edges_after)
        return self.edges_after[0][0] - tick, deviation, tick

    def _first_tick(self):
        """(time, x, deviation of the time, length) of a tick after the start that an early sample shows."""
        near, (tick, deviation) = self.edges_before[-1], self._pace(self.edges_before)
        for at, x in self.early:
            ticks = math.floor((at - self.origin[0] - near[0]) / tick)
            age, sd = at - self.origin[0] - near[0] - ticks * tick, (1 + ticks) / 2 * deviation
            if ticks >= 1 and min(age, tick - age) >= max(tick / 16, 2 * sd):
                return near[0] + ticks * tick, x, sd, tick
        return None

    def _power_since(self, since, since_x, since_sd, tick):
        """For the window from a tick on, with its deviation; None if unknown."""
        if self.later:
            at, x, sd, stale = self.later[0] - self.origin[0] - tick / 2, self.later[1], 0.0, tick / math.sqrt(12)
        else:
            polls = self._by_polls(self.edges_after, self.shown_after, self.end or 0, True) if self.end else None
            if not polls:
                return None
            at, (x, sd), stale = self.end - self.origin[0], polls, 0.0
        if self.losses or at - since < tick:
            return None
        power = (x - since_x) / (at - since)
        return power, math.hypot(power * math.hypot(stale, since_sd), sd) / (at - since)

    def _doubt_start(self, x, deviation, border):
        """The power may have changed before the start, as a tick after it shows."""
        found = self._first_tick()
        if not found:
            return x, deviation
        at, then, sd, tick = found
        return self._doubt((x, deviation), border - self.origin[0], self.edges_before[:-3:-1], (at, then, sd),
                           self._power_since(at, then, sd, tick))

    def _power_up_to(self, begin, begin_sd, tick):
        """For the window up to the last tick, with its deviation; None if unknown."""
        x, sd = self._start_border(self.start)[:2]
        since, stale = self.start - self.origin[0], 0.0
        for at, value in self.recent:
            if begin - (at - self.origin[0]) >= 64 * self.channel.refresh_ns:
                x, sd, since, stale = value, 0.0, at - self.origin[0] - tick / 2, tick / math.sqrt(12)
        if self.losses or begin - since < tick:
            return None
        power = (self.tick_value - x) / (begin - since)
        return power, math.hypot(power * math.hypot(stale, begin_sd), sd) / (begin - since)

    def _doubt_end(self, x, deviation, border):
        """The power may have changed after the end, as the growth of the tick that contains it shows."""
        begin, begin_sd, tick = self._last_tick()
        return self._doubt((x, deviation), border - self.origin[0], self.edges_after[:2], (begin, self.tick_value, begin_sd),
                           self._power_up_to(begin, begin_sd, tick))

    def _doubt(self, found, border, edges, unseen, known):
        """`unseen`: (time, x, deviation of the time) of the tick on the other side of the border."""
        (x, deviation), (near, other), (at, then, at_sd) = found, edges, unseen
        since, even = border - at, (near[1] - then) / (near[0] - at)
        out = (other[1] - near[1]) / (other[0] - near[0])
        out_sd = math.sqrt(sum((out * e[2]) ** 2 / 3 + self._grain() ** 2 / 12 for e in edges)) / abs(other[0] - near[0])
        even_sd = math.sqrt((even * near[2]) ** 2 / 3 + 1 / 6 + (even * at_sd) ** 2) / abs(near[0] - at)
        so_inside = known and abs(known[0] - out) < 4 * math.hypot(known[1], out_sd)
        if so_inside and abs(even - out) < 4 * math.hypot(even_sd, out_sd):
            return found
        power, sd = known or (even, 0.0)
        by_in = then + power * since - x
        by_even = by_in if (since < 0) == (near[0] > at) else then + even * since - x
        beyond = min(abs(even - out), abs(even - power))
        burst = (even - out) * (even - power) > 0 and beyond > 4 * math.hypot(even_sd, math.hypot(sd, out_sd))
        apart = abs(by_in) if burst else min(abs(by_even), abs(by_in))
        noise = (power * at_sd) ** 2 + (sd * since) ** 2 + self._grain() ** 2 / 12 + deviation**2
        if by_even * by_in > 0:
            return self._spanning(found, apart, noise)
        return self._spanning(found, apart / 2, noise / 4)

    def _spanning(self, border, apart, noise):
        """Another method gives a different result: the interval covers both."""
        if apart**2 <= noise:
            return border
        return border[0], math.hypot(border[1], apart / math.sqrt(3))

    def _at_sample(self, sample, before):
        """Used up to a sample: it shows a tick half a refresh ago on average."""
        low, high, whole = self.first, self.later, self.losses == 0
        if not before:
            low, high = self.recent[0] if len(self.recent) > 1 else None, self.last_in
            whole = low and low[0] >= self.lost_until
        slope = (high[1] - low[1]) / (high[0] - low[0]) if whole and low and high and high[0] > low[0] else self._mean_slope()
        return sample[1] + slope * self.channel.refresh_ns / 2

    def _between(self, a, b, border, before, slope):
        stand = (self.stand_in if before else self.stand_out) or self.stand
        at, apart, refresh = border - self.origin[0], b[0] - a[0], self.channel.refresh_ns
        if apart < refresh and b[1] > a[1]:
            return b[1] + slope * (at - (a[0] + b[0] - 2 * self.origin[0]) / 2)
        if apart < refresh:
            return a[1] + slope * (at - sum(self._stand_tick(stand)) / 2)
        return _line(a, b, border) + (slope * refresh / 2 if b[1] > a[1] else 0)

    def _slope_up_to_end(self):
        """Up to the latest new value of the window, as far as the ticks of those kept tell it."""
        last, start = None, self.start if self.start is not None else self.origin[0]
        for step in reversed(self.steps):
            if self.losses or step.before < start:
                break
            if self.end is not None and step.at[0] > self.end:
                continue
            last = last or step
            low, high = self._step_tick(step), self._step_tick(last)
            if last is not step and timed(low, high):
                return (last.at[1] - step.at[1]) / (sum(high) / 2 - sum(low) / 2)
        return self._mean_slope()

    def _by_line(self, a, b, border, before):
        apart = max(b[0] - a[0], self.channel.refresh_ns)
        slope = (b[1] - a[1]) / apart if apart > 0 else 0
        near = min(abs(border - a[0]), abs(b[0] - border))
        if b[1] <= a[1] and not self.channel.refresh_ns and self.step > 0:
            return a[1], math.sqrt(self.step ** 2 / 3 + self._grain() ** 2 / 12)
        if b[1] <= a[1]:
            slope = self._mean_slope() if before else self._slope_up_to_end()
        x = self._between(a, b, border, before, slope)
        if slope <= 0 and apart <= self.channel.refresh_ns:
            slope = self._greatest_slope()
        return x, math.sqrt((slope * math.hypot(self._age(), near)) ** 2 / 3 + self._grain() ** 2 / 12)

    def _grain(self):
        """RAPL counts in steps of 2^-14 J, whatever unit powercap and perf show."""
        channel = self.channel
        rapl = channel.quantity == "energy" and self.counter and channel.sensor in ("powercap", "perf")
        return max(1.0, 2.0**-14 / channel.scale) if rapl else 1.0

    def _age(self):
        refresh = self.channel.refresh_ns
        if not refresh and not self.grows_in and self.grown_from is not None and self.channel.quantity == "energy":
            return self.last[0] - self.grown_from
        return max(self._stretch_refresh(), 2 * self.slow) if refresh else self.grows_in

    def _mean_slope(self):
        begin, end = self.ahead or self.first or (0, 0.0), self.after or self.last_in or (0, 0.0)
        apart = end[0] - begin[0] - self.stopped
        if self.stopped:
            apart = max(apart, self.channel.refresh_ns)
        return (end[1] - begin[1]) / apart if apart > 0 else 0

    def _greatest_slope(self):
        watts = max(self.stretches, default=0)
        slope, edges = max(self._mean_slope(), watts / self.channel.scale * 1e-9, self.surge), self.edges_before
        if len(edges) > 1:
            slope = max(slope, (edges[-1][1] - edges[0][1]) / (edges[-1][0] - edges[0][0]))
        return slope

    def _lag(self):
        return self._age() * self._greatest_slope() / math.sqrt(3)

    def _stands(self, stand):
        return self._stands_for(math.inf if stand.failed else stand.to[0] - stand.begin[0])

    def _counts_always(self):
        return self.channel.is_energy and self.channel.quality != "estimated" and self.channel.domain in AWAKE

    def _ticks_slowly(self):
        return self.counter and self.channel.is_energy and self.channel.refresh_ns > 10_000_000

    def _stands_for(self, still):
        return self._counts_always() and self.channel.refresh_ns > 0 and still > 3 * self.channel.refresh_ns

    def never_ticked(self):
        """It has shown the value of its first sample for longer than a working counter can."""
        return (self.counter and self.last is not None and not self.broken and self.last[1] == 0
                and self.stand.begin[0] == self.origin[0] and self._counts_always() and self.channel.refresh_ns > 0
                and self.stand.to[0] - self.stand.begin[0] > 20 * self.channel.refresh_ns)

    def _leapt(self, stand, now):
        """After a loss: it had not resumed counting when it showed the value of this standstill."""
        most = 1.5 * self._greatest_slope() * (now[0] - stand.begin[0] + self._age()) + 2
        return stand.lost and self._counts_always() and now[1] - stand.begin[1] > most

    def _by_stand(self, stand, border):
        at = max(border, stand.begin[0])
        if stand.next:
            x, step = _line(stand.begin, stand.next, at), stand.next[1] - stand.begin[1]
        else:
            before = stand.begin[0] if stand.before is None else stand.before
            x, step = stand.begin[1], self._greatest_slope() * (at - before + self.channel.refresh_ns)
        return x, math.sqrt(step**2 / 3 + self._grain() ** 2 / 12)

    def _stopped(self, stand, known=0.0):
        if stand.before is None or not self._counts_always():
            return 0.0
        return max(0.0, self._greatest_slope() * (stand.to[0] - stand.before) - known) / math.sqrt(3)

    def _unseen(self):
        """Polled before the start, or ticking slowly, and no tick was seen after the end."""
        polled = self.edges_before or self.shown_before or self._ticks_slowly()
        if self.end is None or self.edges_after or not polled:
            return 0.0
        return self._stopped(self.stand, self.stand.grown)

    def _stood_at_end(self):
        if not self.shown_after or not self._counts_always():
            return False
        refresh, (since, until) = self.channel.refresh_ns, self.watched
        grown = self._next_shown()[1] - self.shown_after[1]
        if self._stands_for(until - since):
            return grown > 0
        if not self.edges_after:
            return False
        e1, slope = self.edges_after[0], self._greatest_slope()
        if len(self.edges_after) > 1 and since - (self.end - self.origin[0]) > refresh:
            e2 = self.edges_after[1]
            slope = max(slope, (e2[1] - e1[1]) / (e2[0] - e1[0]))
        return grown > 3 * slope * (max(e1[0] - until, 0) + refresh) + 2

    def _next_shown(self):
        """Its value after it stood still at the end."""
        if not self.edges_after:
            return self.stand.begin
        return self.origin[0] + int(self.edges_after[0][0]), self.edges_after[0][1]

    def _update_at(self, update, at):
        """For a slow counter: its value at a border, if known, and the next one; else None."""
        shown, refresh = update.shown, self.channel.refresh_ns
        known = (self.channel.is_energy and refresh > 10_000_000 and shown and not update.lost and update.next and update.next[0] > at
                 and update.next[0] - update.until <= 2 * refresh and shown.begin[0] <= at + refresh // 16 and not self._stands(shown))
        return update if known else None

    def _stand_tick(self, stand):
        """Between which times the tick came that a stand shows."""
        low, origin = stand.to[0] - self.channel.refresh_ns, self.origin[0]
        if stand.before is not None:
            low = max(low, stand.before)
        return min(low, stand.begin[0]) - origin, stand.begin[0] - origin

    def _ticks_of(self, update):
        """The same for the shown value and the next one."""
        origin = self.origin[0]
        return self._stand_tick(update.shown), (max(update.until, update.next[0] - self.channel.refresh_ns) - origin, update.next[0] - origin)

    def _power_inside(self):
        """From the first to the last sample of the window; None if unknown."""
        low, high = self.first, self.last_in
        if not low or not high or self.losses or high[0] - low[0] <= 2 * self.channel.refresh_ns:
            return None
        return (high[1] - low[1]) / (high[0] - low[0])

    def _power_between(self):
        """For the window between the ticks next to its borders; None if unknown."""
        begin = self._update_at(self.update_in, self.start)
        finish = self.end is not None and self._update_at(self.update_out, self.end)
        if not begin or not finish or self.losses:
            return None
        low, high = sum(self._ticks_of(begin)[1]) / 2, sum(self._ticks_of(finish)[0]) / 2
        if high - low <= self.channel.refresh_ns / 2:
            return None
        return (finish.shown.begin[1] - begin.next[1]) / (high - low)

    def _step_tick(self, step):
        """Between which times the tick of a new value came."""
        at, origin = step.at[0], self.origin[0]
        return max(step.before, at - self.channel.refresh_ns) - origin, at - origin

    def _power_next_to(self, update, before):
        """Of the window next to a border, with its deviation; None if unknown."""
        whole, beyond = self._power_between(), update.beyond
        power = self._power_inside() if whole is None or whole < 0 else whole
        shown, next_ = self._ticks_of(update)
        if not before:
            early = [step for step in self.steps if step.before >= self.start and timed(self._step_tick(step), shown)]
            beyond = early[-1] if early else None
        if self.losses or beyond is None:
            return power, 0.0
        near, x = (next_, update.next[1]) if before else (shown, update.shown.begin[1])
        far = self._step_tick(beyond)
        apart = max(abs(sum(far) - sum(near)) / 2, 1)
        local = abs(beyond.at[1] - x) / apart
        deviation = local * math.hypot(far[1] - far[0], near[1] - near[0]) / math.sqrt(12) / apart
        if power is not None and power >= 0 and abs(local - power) <= 2 * deviation:
            return power, 0.0
        return local, deviation

    def _by_update(self, update, at, before):
        """(x, deviation, how far it may be below and above that); None if a tick was not seen."""
        if not self._update_at(update, at):
            return None
        (shown, next_), (power, power_sd), at = self._ticks_of(update), self._power_next_to(update, before), at - self.origin[0]
        low, high = update.shown.begin[1], update.next[1]
        tick = max((sum(next_) - sum(shown)) / 2, 1)
        slope, part = (high - low) / tick, max((at - sum(shown) / 2) / tick, 0)
        early, late = slope * max(shown[1] - at, 0), slope * max(at - (update.until - self.origin[0]), 0)
        even = x = min(low + part * (high - low), high + late)
        away = sum(next_) / 2 - at if before else at - sum(shown) / 2
        if power is not None and power >= 0 and away > 0:
            x = min(max(high - power * away if before else low + power * away, low), high)
        part = min(part, 1)
        stamps = slope / 2 * math.hypot((1 - part) * (shown[1] - shown[0]), part * (next_[1] - next_[0]))
        deviation = math.hypot(math.sqrt(stamps**2 / 3 + (power_sd * max(away, 0)) ** 2 + self._grain() ** 2 / 12), (even - x) / math.sqrt(3))
        return x, deviation, x - low + early + self._grain() / 2, high - x + late + self._grain() / 2

    def _start_border(self, start):
        stand = self.stand_in or self.stand
        near = self._near(self.edges_before[::-1], start - self.origin[0])
        if not near and self._stands(stand) and stand.next:
            return self._by_stand(stand, start)
        if self.start_lost and self.ahead:
            return self.ahead[1], 0.0
        found = self._by_update(self.update_in, start, True)
        if found:
            return found
        polls = self._by_polls(self.edges_before[::-1], self.shown_before, start, False)
        if polls and near:
            return self._doubt_start(*polls, start)
        if polls:
            return polls
        if self.ahead and (self.first or self.after):
            return self._by_line(self.ahead, self.first or self.after, start, True)
        return self._at_sample(self.ahead or self.first, True), self._lag()

    def _end_border(self, end):
        stand = self.stand_out or self.stand
        near, stands = self._near(self.edges_after, end - self.origin[0]), self._stands(stand)
        last = self.last_in or self.ahead
        if self.end_lost:
            return last[1], 0.0
        found = self._by_update(self.update_out, end, False)
        if found:
            return found
        if self._stood_at_end():
            x = _line(last, self._next_shown(), end)
            return x, math.sqrt((self._next_shown()[1] - self.shown_after[1]) ** 2 / 3 + self._grain() ** 2 / 12)
        if self.stand.begin[0] >= end and self._stands(self.stand):
            x, deviation = self._end_by_samples(end, stand)
            return x, math.hypot(deviation, self._stopped(self.stand))
        polls = self._by_polls(self.edges_after, self.shown_after, end, True)
        if polls and (near or not stands):
            next_tick = len(self.edges_after) > 1 and (not self.shown_after or self.shown_after[1] == self.tick_value)
            polls = self._doubt_end(*polls, end) if near or next_tick else polls
            return polls[0], math.hypot(polls[1], self._unseen())
        if self.lost_until >= end:
            return last[1], 0.0
        return self._end_by_samples(end, stand)

    def _end_by_samples(self, end, stand):
        last, stands = self.last_in or self.ahead, self._stands(stand)
        x, deviation = self._at_sample(last, False), self._lag()
        if stands:
            x, deviation = self._by_stand(stand, end)
        elif self.after:
            x, deviation = self._by_line(last, self.after, end, False)
        failed = self.failed_until is not None and self.stand.begin[0] <= self.failed_until
        if failed or not self.after and end > last[0]:
            return x, math.hypot(deviation, self._stopped(self.stand))
        return x, math.hypot(deviation, self._stopped(stand) if stands else self._unseen())

    def rules(self):
        """Which of the rules for a counter that has stopped apply."""
        if not self.counter or self.end is None or not (self.ahead or self.first) or not (self.last_in or self.after):
            return set()
        stood = self._stood_at_end()
        watched = stood and self.watched[1] - self.watched[0] > 3 * self.channel.refresh_ns
        stands = self.stand.begin[0] >= self.end and self._stands(self.stand)
        found = {"leapt after the end": stood and not watched, "stood after the end": watched,
                 "stands from the end on": not stood and stands, "no tick after the end": self._unseen() > 0,
                 "stood beside a loss": self.leaps > 0, "lost at the start": self.start_lost and self.ahead}
        return {name for name, applies in found.items() if applies}

    def _nothing(self, out):
        if self.end is not None:
            out["unknown_ns"] = self.end - self.start

    def _counter(self, out, start, end):
        if not (self.ahead or self.first) or not (self.last_in or self.after):
            self._nothing(out)
            return
        low, high = self._start_border(start), self._end_border(end)
        if self.ahead is None and self.first:
            out["unknown_ns"] += self.first[0] - start - self.lost_ahead
        if self.after is None and self.last_in:
            out["unknown_ns"] += end - max(self.last_in[0], self.lost_until)
        ticks = max(0.0, high[0] - low[0])
        counted = min(high[0], self.counted_to) - max(low[0], self.counted_from) - self.unplaced
        out["energy_j"] = max(0.0, counted) * self.channel.scale
        lags = math.sqrt(self.losses) * self._lag(), math.sqrt(self.leaps / 3)
        out["resolution_interval_j"] = 1.96 * math.hypot(low[1], high[1], *lags) * self.channel.scale
        (below, above), (later_below, later_above) = low[2:] or (0.0, 0.0), high[2:] or (0.0, 0.0)
        least = max(ticks - max(0.0, ticks - later_below - above), later_above + below) / 3
        out["resolution_interval_j"] = max(out["resolution_interval_j"], least * self.channel.scale)
        if high[0] < low[0]:
            most = self._greatest_slope() * (end - start) * self.channel.scale
            out["resolution_interval_j"] = max(out["resolution_interval_j"], most)
        if self.last[1] == 0 and self._counts_always():
            greatest = self.channel.max_w if self.channel.max_w > 0 else GREATEST_W[self.channel.domain]
            unshown = min((end - start) * 1e-9, self.channel.refresh_ns * 1e-9) * greatest
            if self._stands(self.stand):
                unshown = (end - start) * 1e-9 * greatest
            out["resolution_interval_j"] = max(out["resolution_interval_j"], unshown)
        out["first_value"] = (self.origin[1] + _round(low[0])) & wattle_trace.M64
        out["last_value"] = (out["first_value"] + _round(ticks)) & wattle_trace.M64
        known = (end - start - out["unknown_ns"]) * 1e-9
        out["mean_w"] = out["energy_j"] / known if known > 0 else NAN
        self.ends = self._ends(low, high)

    def _step(self):
        """In which a gauge shows its power, in its unit: two values show it only if it is a small part of them. Else what all of their
        decimals allow, up to 1 W."""
        small = len(self.seen) == 2 and self.quantum <= min(self.seen) // 4
        if self.seen and (len(self.seen) == 3 or small):
            return self.quantum
        step = 1
        while self.channel.quantity == "power" and self.quantum and self.quantum % (10 * step) == 0 and 10 * step <= 1 / self.channel.scale * (1 + 1e-9):
            step *= 10
        return step

    def _gauge(self, out, start, end):
        if not self.covered:
            self._nothing(out)
            return
        seconds = self.covered * 1e-9
        first = self.ahead or self.first
        last = self.last_in or first
        age = (self.channel.refresh_ns + self.channel.window_ns) * 1e-9
        for a, b in ((first, self.first), (last, self.after)):
            self.variance += ((b[1] - a[1]) * age) ** 2 / 3 if b else 0
        out["energy_j"], out["mean_w"] = self.integral, self.integral / seconds
        out["unknown_ns"] = end - start - self.covered
        out["first_value"] = _round(first[1] / self.channel.scale) & wattle_trace.M64
        out["last_value"] = _round(last[1] / self.channel.scale) & wattle_trace.M64
        out["resolution_interval_j"] = math.hypot(1.96 * math.sqrt(self.variance), self._step() * self.channel.scale / 2 * seconds)
        if self.missed * 1e-9 > 0.01 * seconds:  # read more rarely than its window is long
            seen, most = 3 * max(self.stretches), self.channel.max_w
            most = min(max(seen, most / 2), most) if most > 0 else seen
            missed = self.missed * 1e-9 * max(out["mean_w"], most - out["mean_w"])
            out["resolution_interval_j"] = math.hypot(out["resolution_interval_j"], missed)

    def summary(self):
        start, end = self.start, self.end
        if start is None and self.last:
            start = self.origin[0]
            self.ahead = (start, 0.0)
        if end is None and self.last:
            end, self.last_in = max(self.last[0], start), self.last
        out = {name: NAN for name in ("energy_j", "resolution_interval_j", "mean_w", "min_w", "max_w", "sd_w")}
        out.update(stat_window_ns=self._stat_ns(), samples=self.samples, stale=self.stale, gaps=self.gaps,
                   gap_ns=covered(self.in_gaps), unknown_ns=covered(self.lost), first_ns=self.origin[0] if self.origin else 0,
                   last_ns=self.last[0] if self.last else 0, first_value=0, last_value=0, gap_reasons=self.reasons)
        (self._counter if self.counter else self._gauge)(out, start, end)
        if self.counter and self.start is None and self.last and self.ahead_samples < 2:
            out["unknown_ns"] = end - start
        out["gap_ns"] = max(out["gap_ns"], out["unknown_ns"])
        if out["unknown_ns"] and out["unknown_ns"] >= end - start:
            return dict(out, energy_j=NAN, resolution_interval_j=NAN, mean_w=NAN)
        if self.stretches and (self.was_slow or not self.counter or self._stat_ns() <= self.stat_ns):
            n, mean = len(self.stretches), sum(self.stretches) / len(self.stretches)
            powers = [w for w in [*self.stretches, *self.ends, out["mean_w"]] if not math.isnan(w)]
            out["min_w"], out["max_w"] = min(powers), max(powers)
            if n > 1:
                square = sum(v * v for v in self.stretches) / n - mean * mean
                out["sd_w"] = math.sqrt(max(0, square) * n / (n - 1))
        return out


def _line(a, b, at):
    return b[1] if a[0] == b[0] else a[1] + (b[1] - a[1]) * ((at - a[0]) / (b[0] - a[0]))


def _round(x):
    return int(math.floor(abs(x) + 0.5)) * (1 if x >= 0 else -1)


class Digest:
    """Passes all blocks of a trace, in file order, to the tallies."""

    def __init__(self, trace):
        self.trace = trace
        self.tallies, self.told = {}, {}
        self.stat_ns = {channel: theirs[NAMES.index("stat_window_ns")] for channel, *theirs in trace._summaries}
        self.waiting, self.window, self.order = [], [None, None], []
        self.ordinals, self.rows, self.gaps, self.first_ns, self.last_ns = {}, 0, 0, wattle_trace.M64, 0
        self.missed = {}  # channel -> the last row without a value of it
        with open(trace.path, "rb") as file:
            for block in trace.blocks:
                if block.type in (wattle_trace.SAMPLES, wattle_trace.GAPS, wattle_trace.WINDOW) and not block.flags & 0x7E:
                    file.seek(block.offset + 38)
                    self._block(block, file.read(block.length))

    def _block(self, block, payload):
        if block.flags & 1:
            payload = wattle_trace._decompress(payload[4:], struct.unpack_from("<I", payload)[0])
        if block.type == wattle_trace.SAMPLES:
            self._samples(block, payload)
        elif block.type == wattle_trace.WINDOW:
            for which, at in [f.take("BQ") for f in wattle_trace._records(payload)]:
                self.window[which] = at
        else:
            for channel, reason, _, begin, end in [f.take("IIiQQ") for f in wattle_trace._records(payload)]:
                self._gap(channel, reason, begin, end)

    def _gap(self, *gap):
        self.gaps += 1
        if gap[0] in self.trace._channels and not self.trace._channels[gap[0]].understood:
            return
        if len(self.waiting) >= 1024:
            channel, _, _, end = self.waiting[0]
            self._due(channel, end)
        self.waiting.append(gap)
        self.order.append((None, gap))

    def _tally(self, channel):
        known = self.trace._channels.get(channel)
        if channel not in self.tallies and known and known.understood:
            self.tallies[channel], self.told[channel] = Tally(known, self.stat_ns.get(channel)), [False, False]
        return self.tallies.get(channel)

    def _borders(self, channel, at):
        tally, told = self._tally(channel), self.told[channel]
        for which, tell in ((0, tally.begin), (1, tally.finish)):
            if self.window[which] is not None and not told[which] and at > self.window[which]:
                tell(self.window[which])
                told[which] = True

    def _due(self, channel, at):
        kept = []
        for gap in self.waiting:
            if gap[0] == channel and gap[3] <= at:
                self._borders(channel, gap[3])
                self._tally(channel).gap(*gap[1:])
            else:
                kept.append(gap)
        self.waiting = kept

    def _samples(self, block, payload):
        id = wattle_trace._varint(payload, 0)[0]
        group = self.trace._groups.get(id)
        if group is None:
            return
        rows = wattle_trace._sample_rows(payload, block, group)
        expected, last = self.ordinals.get(id, (0, rows.times_ns[0]))
        if rows.ordinal > expected:
            for channel in group.channels:
                self._gap(channel, 6, last, rows.times_ns[0])
        self.ordinals[id] = (rows.ordinal + 1, rows.times_ns[-1])
        self.order.append((id, rows))
        self.rows += len(rows)
        self.first_ns, self.last_ns = min(self.first_ns, rows.times_ns[0]), max(self.last_ns, rows.times_ns[-1])
        for c, channel in enumerate(group.channels):
            tally = self._tally(channel)
            for at, value in zip(rows.times_ns, rows.values(c, False)) if tally else ():
                if value is None:
                    self.missed[channel] = at
                else:
                    if self.waiting:
                        self._due(channel, at)
                    self._borders(channel, at)
                    tally.sample(at, value, group.edge)

    def summaries(self):
        for channel, reason, begin, end in self.waiting:
            if self._tally(channel):
                self._borders(channel, end)
                self._tally(channel).gap(reason, begin, end)
        out = {}
        for channel in self.trace.channels:
            tally = self._tally(channel.id)
            if tally is None:
                continue
            self._borders(channel.id, wattle_trace.M64)
            self._cut_off(channel.id, tally)
            out[channel.id] = tally.summary()
        return out

    def _cut_off(self, channel, tally):
        """It had no values when the writer was killed, or had never ticked."""
        missed, seen = self.missed.get(channel, 0), tally.last[0] if tally.last else self.window[0]
        if self.window[0] is None or self.window[1] is not None:
            return
        end = max(missed, seen)
        never = tally.never_ticked() and end > self.window[0]
        if end == seen and not never:
            return
        stalled = tally.lost_until > seen and tally.reasons >> STALLED & 1
        self._borders(channel, end)
        since = tally.origin[0] if never else tally.lost_until if stalled else seen
        tally.finish(end)
        tally.gap(STALLED if stalled or never else READ_FAILED, since, end)


def digested(trace):
    """The tallies of a trace's channels."""
    digest = Digest(trace)
    digest.summaries()
    return digest.tallies.values()


class Regions:
    """Times of regions from the marks: which names are open, and which innermost, on which threads."""

    def __init__(self, trace):
        self.trace = trace
        self.window = self._window()
        self.stacks, self.stats, self.open, self.inner, self.on_since = {}, {}, {}, {}, {}
        self.tagged, self.outside_since, self.outside, self.stretches = 0, self.window[0], 0, 1
        last = 0
        for time_ns, thread, name, kind in sorted(trace._marks, key=lambda mark: mark[0]):
            self.mark(time_ns, thread, name, kind)
            last = time_ns
        for thread in list(self.stacks):
            self._end_all(thread, max(last, self.window[1]))
        if self.tagged == 0 and self.outside_since is not None:
            self.outside += max(0, self.window[1] - self.outside_since)

    def _window(self):
        blocks = [b for b in self.trace.blocks if b.type in (6, 7, 8) and not b.flags & 0x7E]
        blocks = [b for b in blocks if b.type == 6] or blocks
        start, end = self.trace.window_ns
        start = min((b.first_ns for b in blocks), default=1) if start is None else start
        return start, max((b.last_ns for b in blocks), default=start) if end is None else end

    def _clip(self, at):
        return min(max(at, self.window[0]), self.window[1])

    def _switch(self, table, key, at, on):
        """A set of times that is on while any thread is in it."""
        count = table.get(key, 0)
        table[key] = count + (1 if on else -1)
        if on and count == 0:
            self.on_since[id(table), key] = at
        elif not on and count == 1:
            since = self.on_since.pop((id(table), key))
            which = "union_ns" if table is self.open else "exclusive_union_ns"
            self._stat(key)[which] += self._clip(at) - self._clip(since)

    def _stat(self, name):
        return self.stats.setdefault(name, dict(count=0, thread_time_ns=0, union_ns=0, exclusive_union_ns=0,
                                                unbalanced=0, crossing=0))

    def _tag(self, at, on):
        before, self.tagged = self.tagged, self.tagged + (1 if on else -1)
        inside = self.window[0] <= at < self.window[1]
        if before == 0:
            self.outside += max(0, self._clip(at) - self.outside_since)
            if at <= self.window[0]:
                self.stretches = 0
        elif self.tagged == 0:
            self.outside_since = self._clip(at)
            self.stretches += at <= self.window[0] or inside

    def mark(self, at, thread, name, kind):
        stack = self.stacks.setdefault(thread, [])
        if kind == 3:
            self._end_all(thread, at)
        elif kind == 0:
            self._stat(name)
            top = stack[-1][0] if stack else None
            stack.append([name, at])
            if top is None:
                self._tag(at, True)
            if all(entry[0] != name for entry in stack[:-1]):
                self._switch(self.open, name, at, True)
            if top != name:
                self._switch(self.inner, name, at, True)
                if top is not None:
                    self._switch(self.inner, top, at, False)
        elif kind == 1:
            for i in range(len(stack) - 1, -1, -1):
                if stack[i][0] == name:
                    self._stat(name)["crossing"] += i != len(stack) - 1
                    self._end(stack, i, at)
                    return
            self._stat(name)["unbalanced"] += 1

    def _end_all(self, thread, at):
        stack = self.stacks[thread]
        while stack:
            self._stat(stack[-1][0])["unbalanced"] += 1
            self._end(stack, len(stack) - 1, at)

    def _end(self, stack, i, at):
        top = stack[-1][0]
        name, begin = stack.pop(i)
        stat = self._stat(name)
        stat["count"] += at >= self.window[0] and begin <= self.window[1]
        inside = [entry for entry in stack if entry[0] == name]
        if not inside:
            stat["thread_time_ns"] += self._clip(at) - self._clip(begin)
            self._switch(self.open, name, at, False)
        elif all(entry[0] != name for entry in stack[:i]):
            inside[-1][1] = begin
        if not stack or stack[-1][0] != top:
            if stack:
                self._switch(self.inner, stack[-1][0], at, True)
            self._switch(self.inner, top, at, False)
        if not stack:
            self._tag(at, False)


def _same(ours, theirs):
    if isinstance(ours, float):
        if math.isnan(ours) or math.isnan(theirs):
            return math.isnan(ours) and math.isnan(theirs)
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return ours == theirs


NAMES = ("energy_j resolution_interval_j mean_w min_w max_w sd_w stat_window_ns samples stale gaps gap_ns unknown_ns "
         "first_ns last_ns first_value last_value gap_reasons").split()


def differences(path):
    """(differences from the footer, number of values) of a complete trace."""
    bad, values = [], 0
    with wattle_trace.open(path) as trace:
        digest = Digest(trace)
        summaries = digest.summaries()
        numbers = [channel for channel, *_ in trace._summaries]
        if numbers != sorted(summaries):
            bad.append(f"{path}: summaries of {sorted(summaries)}, footer {numbers}")
        for channel, *theirs in trace._summaries:
            for name, value in zip(NAMES, theirs):
                values += 1
                if not _same(summaries[channel][name], value):
                    # the standard deviation of nearly equal values is only rounding error
                    near = name == "sd_w" and abs(summaries[channel][name] - value) < 1e-6 * abs(theirs[2])
                    if not near:
                        bad.append(f"{path}: {trace._name_of(channel)} {name}: {summaries[channel][name]!r}, "
                                   f"footer {value!r}")
        ours = (digest.rows, digest.first_ns, digest.last_ns, digest.gaps)
        good = [b for b in trace.blocks if b.type not in (wattle_trace.INDEX, wattle_trace.FOOTER)]
        types = sum({1 << b.type for b in good if b.type < 64})
        needed = sum(b.flags >> 7 for b in good)
        ours = (len(good), len(trace.damage), sum(d.length for d in trace.damage), *ours, types, needed, 0)
        values += 10
        if trace._totals != ours:
            bad.append(f"{path}: totals {ours}, footer {trace._totals}")
        bad += _regions(trace)
        values += 6 * len(trace._regions)
        bad += _index(trace)
        for group in trace.groups:
            worse, n = _pyramid(trace, group, digest.order)
            bad, values = bad + worse, values + n
    return bad, values


def _regions(trace):
    bad = []
    if not trace._regions:
        return [f"{trace.path}: marks without regions"] if trace._marks else []
    regions = Regions(trace)
    by_name = {}
    for id, stat in regions.stats.items():
        by_name[trace._strings.get(id, "?")] = tuple(stat.values())
    for name, theirs, _ in trace._regions:
        if name == "":
            ours = (regions.stretches, 0, regions.outside, regions.outside, 0, 0)
        else:
            ours = by_name.pop(name, None)
        if ours != theirs:
            bad.append(f"{trace.path}: region {name!r}: {ours}, footer {theirs}")
    return bad + [f"{trace.path}: region {name!r} is not in the footer" for name in by_name]


def _index(trace):
    """Each entry of the index covers the times of the blocks up to the next."""
    block = [b for b in trace.blocks if b.type == wattle_trace.INDEX][-1]
    with open(trace.path, "rb") as file:
        file.seek(block.offset + 38)
        payload = file.read(block.length)
    count, run = struct.unpack_from("<II", payload)
    entries = [struct.unpack_from("<QQQ", payload, 8 + 24 * i) for i in range(count)]
    blocks = [b for b in trace.blocks if b.offset < block.offset]
    bad = []
    for i, (offset, first, last) in enumerate(entries):
        part = blocks[i * run : (i + 1) * run]
        timed = [b for b in part if b.type in (6, 7, 8)]
        ours = (part[0].offset if part else None, min((b.first_ns for b in timed), default=wattle_trace.M64),
                max((b.last_ns for b in timed), default=0))
        if ours != (offset, first, last) and not trace.damage:
            bad.append(f"{trace.path}: index entry {i}: {ours}, file {(offset, first, last)}")
    return bad


class Pyramid:
    """The levels of a group's pyramid: buckets of stretches, buckets of buckets."""

    def __init__(self, channels):
        self.channels = channels
        self.levels, self.open = [[]], [None]

    def stretch(self, begin, end, powers, rows):
        seconds = (end - begin) * 1e-9
        parts = [None if p is None else [_f32(p), _f32(p), p * seconds, seconds] for p in powers]
        bucket = self._add(0, begin, end, parts)
        bucket["rows"] += rows
        if bucket["members"] >= 64 and bucket["rows"] >= 1024:
            self._close(0)

    def _add(self, level, begin, end, parts):
        if len(self.open) == level:
            self.levels.append([])
            self.open.append(None)
        bucket = self.open[level]
        if bucket is None:
            bucket = dict(begin=begin, members=0, rows=0, parts=[None] * len(self.channels))
            self.open[level] = bucket
        bucket["end"] = end
        bucket["members"] += 1
        for c, part in enumerate(parts):
            old = bucket["parts"][c]
            if part and old:
                bucket["parts"][c] = [min(old[0], part[0]), max(old[1], part[1]), old[2] + part[2], old[3] + part[3]]
            elif part:
                bucket["parts"][c] = list(part)
        return bucket

    def _close(self, level):
        bucket, self.open[level] = self.open[level], None
        if any(bucket["parts"]):
            values = [v for p in bucket["parts"] for v in ((p[0], p[1], _f32(p[2] / p[3])) if p else (NAN,) * 3)]
            self.levels[level].append((bucket["begin"], bucket["end"], *values))
        above = self._add(level + 1, bucket["begin"], bucket["end"], bucket["parts"])
        if above["members"] >= 8:
            self._close(level + 1)

    def finish(self):
        for level in range(16):
            if level < len(self.open) and self.open[level]:
                self._close(level)
            if len(self.levels[level]) <= 1:
                return self.levels[: level + 1]
        return self.levels


def _f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Stretches:
    """Converts rows of a group to stretches with the power of each channel, for a pyramid."""

    def __init__(self, group, channels, pyramid):
        self.columns = [(group.channels.index(c.id), c) for c in channels]
        self.stretch_ns = max(20 * c.refresh_ns or 20000000 for c in channels)
        self.gap = {c.id: (0, 0) for c in channels}
        self.pyramid, self.rows, self.held = pyramid, [], []

    def note_gap(self, channel, _, begin, end):
        """Gaps that come before the present rows and end after the stretch's begin are one."""
        if channel in self.gap:
            old = self.gap[channel]
            old = (begin, old[1]) if old[1] <= (self.rows[0][0] if self.rows else 0) else old
            self.gap[channel] = (old[0], max(old[1], end))
        for first, last, powers, _ in self.held:
            for k, (_, c) in enumerate(self.columns):
                if c.id == channel and end > first and begin < last:
                    powers[k] = None

    def take(self, block):
        columns = [block.values(i, not c.is_counter) for i, c in self.columns]
        for row in zip(block.times_ns, *columns):
            self.rows.append(row)
            if row[0] - self.rows[0][0] >= self.stretch_ns and len(self.rows) > 1:
                self._end(self.rows[0], row)
                self.rows = [row]

    def _end(self, first, last):
        powers = []
        for k, (_, c) in enumerate(self.columns, 1):
            begin, end = self.gap[c.id]
            if first[k] is None or last[k] is None or end > first[0] and begin < last[0]:
                powers.append(None)
            elif c.is_counter:
                powers.append((last[k] - first[k]) * c.scale / ((last[0] - first[0]) * 1e-9))
            else:
                inside = [row[k] * c.scale for row in self.rows[1:] if row[k] is not None]
                powers.append(sum(inside) / len(inside))
        self.held.append((first[0], last[0], powers, len(self.rows) - 1))
        if len(self.held) > 16:
            self.pyramid.stretch(*self.held.pop(0))

    def finish(self):
        """No more gaps can affect the last stretches."""
        for stretch in self.held:
            self.pyramid.stretch(*stretch)


def _same_bucket(ours, theirs):
    same = [x == y or x != x and y != y or math.isclose(x, y, rel_tol=2e-7) for x, y in zip(ours[2:], theirs[2:])]
    return ours[:2] == theirs[:2] and all(same)


def _pyramid(trace, group, order):
    """(differences, values) of a group's pyramid from its rows and the gaps, in file order."""
    channels = [trace._channels[id] for id in group.channels if id in trace._channels]
    channels = [c for c in channels if c.is_energy or c.quantity == "power" and c.understood and not c.is_counter]
    theirs, bad = {}, []
    for id, level, _, ids, rows in trace._pyramid:
        if id == group.id:
            theirs.setdefault(level, []).extend(rows)
            if list(ids) != [c.id for c in channels]:
                bad.append(f"{trace.path}: pyramid of group {id} has channels {ids}")
    if group.edge or not channels:
        return bad + ([f"{trace.path}: group {group.id} has a pyramid"] if theirs else []), 1
    pyramid = Pyramid(channels)
    stretches = Stretches(group, channels, pyramid)
    for id, what in order:
        if id is None:
            stretches.note_gap(*what)
        elif id == group.id:
            stretches.take(what)
    stretches.finish()
    ours = pyramid.finish()
    for level in range(max(len(ours), max(theirs, default=-1) + 1)):
        mine, there = ours[level] if level < len(ours) else [], theirs.get(level, [])
        if len(mine) != len(there) or not all(map(_same_bucket, mine, there)):
            bad.append(f"{trace.path}: pyramid of group {group.id}, level {level}: {len(mine)} rows {mine[:1]}, "
                       f"file {len(there)} rows {there[:1]}")
    return bad, sum(map(len, theirs.values()))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        found, count = differences(name)
        print(f"{name}: {count} values, {len(found)} differences")
        print("\n".join(found[:12]))
