# SPDX-License-Identifier: BSD-3-Clause
"""Writes traces after docs/format/trace.md alone, so that a situation can have any window, rate, gap, region, task and
node in milliseconds, and its truth is a formula. Also the curves of power that such recordings follow."""
import bisect
import math
import struct

DOMAINS = ["node", "psys", "package", "core", "uncore", "dram", "gpu", "gpu_memory", "board", "psu", "network", "disk",
           "other"]
QUANTITIES = ["energy", "power", "cpu_time", "frequency", "temperature", "count", "bytes", "ratio", "power_limit"]
KINDS = ["counter", "gauge", "average"]
QUALITIES = ["measured", "derived", "estimated"]
GAPS = ["read failed", "stalled", "reset", "lost wrap", "suspended", "overrun", "damaged", "not sampled"]
ORIGIN_NS = 1_000_000_000_000
_MASK = (1 << 64) - 1


class Curve:
    """Power over time with its exact energy: "60", "square LOW HIGH PERIOD DUTY", "sine MEAN AMPLITUDE PERIOD",
    "steps T:W T:W ..." (from time T on W watts)."""

    def __init__(self, words):
        words = words.split()
        self.kind = words[0] if words[0].isalpha() else "flat"
        if self.kind == "steps":
            self.steps = sorted(tuple(float(x) for x in word.split(":")) for word in words[1:])
            self.times, self.sums = [t for t, _ in self.steps], [0.0]
            for (begin, watts), (end, _) in zip(self.steps, self.steps[1:]):
                self.sums.append(self.sums[-1] + watts * (end - begin))
        else:
            self.numbers = [float(x) for x in words[1 if words[0].isalpha() else 0:]]

    def energy(self, t):
        """Joules from time 0 to t."""
        if self.kind == "flat":
            return self.numbers[0] * t
        if self.kind == "square":
            low, high, period, duty = self.numbers
            n, rest = divmod(t, period)
            return n * period * (high * duty + low * (1 - duty)) + low * rest + (high - low) * min(rest, duty * period)
        if self.kind == "sine":
            mean, amplitude, period = self.numbers
            w = 2 * math.pi / period
            return mean * t + amplitude * (1 - math.cos(w * t)) / w
        i = max(bisect.bisect_right(self.times, t) - 1, 0)  # before the first step its power holds
        return self.sums[i] + self.steps[i][1] * (t - self.times[i])

    def between(self, a, b):
        return self.energy(b) - self.energy(a)

    def power(self, t):
        return self.between(t, t + 1e-7) / 1e-7

    def greatest(self):
        """The highest power it ever has."""
        if self.kind == "steps":
            return max(watts for _, watts in self.steps)
        return {"flat": lambda n: n[0], "square": lambda n: max(n[:2]), "sine": lambda n: n[0] + n[1]}[self.kind](
            self.numbers)


_TABLE = []
for _n in range(256):
    for _ in range(8):
        _n = (_n >> 1) ^ (0x82F63B78 if _n & 1 else 0)
    _TABLE.append(_n)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(d):
    """Of a difference modulo 2^64."""
    d = (d + (1 << 63) & _MASK) - (1 << 63)
    return (d << 1 ^ d >> 63) & _MASK


def text(words):
    data = words.encode()
    return struct.pack("<H", len(data)) + data


def _column(values):
    """Head, tokens and bits of a column: differences, split into one byte each, or 32 or 64 bits."""
    if not values:
        return b"", b"", b""
    tokens, bits = bytearray(), bytearray()
    for before, value in zip(values, values[1:]):
        u = zigzag(value - before)
        if u < 254:
            tokens.append(u)
        elif u < 1 << 32:
            tokens.append(254)
            bits += struct.pack("<I", u)
        else:
            tokens.append(255)
            bits += struct.pack("<Q", u)
    return bytes([1 | 4]) + varint(len(bits)) + varint(zigzag(values[0])) + varint(0), bytes(tokens), bytes(bits)


def _columns(columns):
    parts = [_column(c) for c in columns]
    heads, tokens, bits = (b"".join(p[i] for p in parts) for i in range(3))
    out = varint(2 * len(heads) + bool(tokens))
    if tokens:
        out += varint(len(tokens)) * 2
    return out + heads + tokens + bits


class Trace:
    """A trace under construction; `write` puts it into a file. Times are seconds since ORIGIN_NS."""

    def __init__(self, **meta):
        self.meta = {"wattle.version": "0.1.0", "run.target": "command", "run.command": "world", **meta}
        self.channels, self.groups, self.gaps, self.marks, self.tasks = [], [], [], [], []
        self.names, self.threads, self.processes, self.window_s = {}, [], [], None
        self.shift_ns, self.realtime_ns = 0, 1_790_000_000_000_000_000

    def ns(self, t):
        return ORIGIN_NS + self.shift_ns + round(t * 1e9)

    def channel(self, name, *, quantity="energy", kind="counter", scale=1 / 16384, modulus=0, refresh_s=0.0,
                window_s=0.0, max_w=0.0, quality="measured", total=True, primary=True, within="", label="", awake=True, relayed=False):
        sensor, place = name.split(":")
        words = place.rsplit("-", 1)
        domain = DOMAINS.index(words[0]) if words[0] in DOMAINS else 12
        flags = primary | total << 3 | relayed << 4 | (awake and domain == 2) << 6
        self.channels.append(struct.pack(
            "<IBBBBIiidQQQddd", len(self.channels), domain, QUANTITIES.index(quantity), KINDS.index(kind),
            QUALITIES.index(quality), flags, int(words[1]) if len(words) > 1 else 0, -1, scale, modulus,
            round(refresh_s * 1e9), round(window_s * 1e9), max_w, 0.0, 0.0)
            + text(name) + text(sensor) + text(within) + text("") + text(label))
        return len(self.channels) - 1

    def rows(self, channels, times, columns, edge=False):
        """Readings: `columns[c][row]` is a number of ticks or a raw value, or None where there is none."""
        self.groups.append((list(channels), [self.ns(t) for t in times], columns, edge))

    def gap(self, channel, begin, end, reason):
        self.gaps.append((channel, GAPS.index(reason), self.ns(begin), self.ns(end)))

    def window(self, start, end):
        """What was measured; without an end if the recorder was killed."""
        self.window_s = (start, end)

    def process(self, pid=4711, rank=-1, command="world"):
        self.processes.append(struct.pack("<IIiQ", len(self.processes), pid, rank, 0) + text(command))
        return len(self.processes) - 1

    def thread(self, process, name="", tid=None):
        number = len(self.threads)
        self.threads.append(struct.pack("<III", number, process, 4711 + number if tid is None else tid) + text(name))
        return number

    def name(self, words):
        return self.names.setdefault(words, len(self.names) + 1)

    def region(self, thread, name, begin, end):
        self.marks += [(self.ns(begin), thread, self.name(name), 0), (self.ns(end), thread, self.name(name), 1)]

    def mark(self, t, thread, name, kind):
        self.marks.append((self.ns(t), thread, self.name(name), kind))

    def task(self, t, thread, name, kind, value):
        """A mark of a task: kind 16 created, 17 begins, 18 leaves, 19 complete, 32 + s and 64 + s a state."""
        self.tasks.append((self.ns(t), thread, self.name(name) if name else 0, kind, value))

    def _blocks(self):
        yield 1, b"wattle trace" + struct.pack("<HH", 1, 0) + text("worlds"), 0, 0
        yield 2, _records(text(k) + text(str(v)) for k, v in self.meta.items()), 0, 0
        yield 3, _records(self.channels), 0, 0
        yield 4, _records(struct.pack("<IQ", c, 0) for c in range(len(self.channels))), 0, 0
        yield 5, _records(struct.pack("<III", n, edge, len(c)) + struct.pack(f"<{len(c)}I", *c)
                          for n, (c, _, _, edge) in enumerate(self.groups)), 0, 0
        last = max([self.ns(0)] + [times[-1] for _, times, _, _ in self.groups])
        yield 10, _records(struct.pack("<QQQ", t, t, t - ORIGIN_NS - self.shift_ns + self.realtime_ns)
                           for t in (self.ns(0), last)), 0, 0
        if self.window_s:
            yield 11, _records(struct.pack("<BQ", which, self.ns(t)) for which, t in enumerate(self.window_s)
                               if t is not None), 0, 0
        if self.gaps:
            yield 9, _records(struct.pack("<IIiQQ", c, r, 0, a, b) for c, r, a, b in self.gaps), 0, 0
        if self.names:
            yield 12, _records(struct.pack("<I", n) + text(w) for w, n in self.names.items()), 0, 0
            yield 13, _records(self.processes), 0, 0
            yield 14, _records(self.threads), 0, 0
        yield from self._samples()
        for kind, marks, width in ((7, self.marks, 4), (33, self.tasks, 5)):
            marks = sorted(marks, key=lambda m: m[0])
            for i in range(0, len(marks), 60000):
                part = marks[i:i + 60000]
                first = part[0][0]
                columns = [[m[0] - first for m in part]] + [[m[c] for m in part] for c in range(1, width)]
                yield kind, varint(len(part)) + _columns(columns), first, part[-1][0]

    def _samples(self):
        """Blocks of rows in the order of time, as a recorder writes them: no group more than 0.5 s ahead."""
        blocks = []
        for n, (channels, times, columns, _) in enumerate(self.groups):
            at, ordinal = 0, 0
            while at < len(times):
                to = min(max(bisect.bisect_right(times, times[at] + 500_000_000), at + 1), at + 4000)
                blocks.append((times[at], n, ordinal, _rows(n, ordinal, times[at:to], [c[at:to] for c in columns],
                                                           len(channels)), times[to - 1]))
                at, ordinal = to, ordinal + 1
        for first, _, _, payload, last in sorted(blocks, key=lambda b: b[:3]):
            yield 6, payload, first, last

    def write(self, path, cut=None):
        """Writes the file without index and footer, which `wattle repair` adds; `cut`: only so many of its bytes."""
        out = bytearray()
        for sequence, (kind, payload, first, last) in enumerate(self._blocks()):
            head = struct.pack("<4sBBIIQQI", b"\xf5WTL", kind, 0, len(payload), sequence, first, last, crc32c(payload))
            out += head + struct.pack("<I", crc32c(head)) + payload
        with open(path, "wb") as f:
            f.write(out[:cut])


def _records(items):
    return b"".join(struct.pack("<I", len(item)) + item for item in items)


def _rows(group, ordinal, times, columns, count):
    """The payload of a block of samples."""
    maps = [None if None not in c else c for c in columns]
    presence = b""
    if any(maps):
        presence = _bits(m is not None for m in maps)
        presence += b"".join(_bits(v is not None for v in m) for m in maps if m is not None)
    values = [[t - times[0] for t in times]] + [[v for v in c if v is not None] for c in columns]
    assert len(columns) == count
    return varint(group) + varint(ordinal) + varint(2 * len(times) + bool(presence)) + presence + _columns(values)


def _bits(flags):
    out = bytearray()
    for i, flag in enumerate(flags):
        if i % 8 == 0:
            out.append(0)
        out[-1] |= bool(flag) << i % 8
    return bytes(out)


class Counter:
    """A counter of energy as hardware shows it: it updates every `refresh` seconds, in whole units; in the stretches `stands`,
    (begin, end), it does not."""

    def __init__(self, curve, unit=1 / 16384, refresh=0.0009765625, phase=0.0, stands=()):
        self.curve, self.unit, self.refresh, self.phase, self.stands = curve, unit, refresh, phase, stands

    def shown(self, t):
        """Ticks that a reading at t shows."""
        t = next((begin for begin, end in self.stands if begin < t < end), t)
        updated = self.phase + math.floor((t - self.phase) / self.refresh + 1e-9) * self.refresh
        return math.floor(self.curve.energy(updated) / self.unit)


def counter_channel(trace, name, counter, times, polls=(), hidden=(), **more):
    """Adds a counter with its readings at `times`; `polls` are lists of times at which it was polled for its tick.
    Readings inside the stretches of `hidden`, (begin, end, reason), are absent."""
    c = trace.channel(name, scale=counter.unit, refresh_s=counter.refresh, **more)
    first = counter.shown(min([times[0]] + [p[0] for p in polls if p]))
    polled = sorted(t for poll in polls for t in poll)
    values, lost = _values(counter, times, first, hidden)
    if polled:
        after = max((h[1] for h in hidden), default=0)
        trace.rows([c], polled, [[counter.shown(t) - first - (lost if t > after else 0) for t in polled]], edge=True)
    for a, b, reason in hidden:
        trace.gap(c, max((t for t in times if t <= a), default=times[0]),
                  min((t for t in times if t >= b), default=times[-1]), reason)
    trace.rows([c], times, [values])
    return c


LOSING = ("stalled", "reset", "lost wrap")
UNCOUNTED = (*LOSING, "suspended")  # what a counter counted meanwhile is energy of an unknown time


def _values(counter, times, first, hidden):
    """Ticks since the first reading, absent in gaps and without what was counted in gaps that lose their energy; and
    how much that was."""
    values, lost, before, gap = [], 0, None, None
    for t in times:
        inside = next((h for h in hidden if h[0] < t < h[1]), None)
        if inside:
            gap = inside
            values.append(None)
            continue
        now = counter.shown(t) - first
        if gap and gap[2] in LOSING and before is not None:
            lost += now - before
        values.append(now - lost)
        before, gap = now, None
    return values, lost
