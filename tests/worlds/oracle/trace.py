# SPDX-License-Identifier: BSD-3-Clause
"""A reader of traces, written from docs/format/trace.md alone (version 1.0); exports hide raw values and polls.

`read(path)` gives a `Trace` with channels, windows, gaps, rows of all groups, and marks of regions, events and tasks.
"""
import dataclasses
import struct

import numpy as np
import zstandard

DOMAINS = ("node", "psys", "package", "core", "uncore", "dram", "gpu", "gpu_memory", "board", "psu", "network", "disk",
           "other")
QUANTITIES = ("energy", "power", "cpu_time", "frequency", "temperature", "count", "bytes", "ratio", "power_limit")
KINDS = ("counter", "gauge", "window average")
QUALITIES = ("measured", "derived", "estimated")
REASONS = ("read failed", "stalled", "reset", "lost wrap", "suspended", "overrun", "damaged", "not sampled",
           "implausible value", "device lost")
MAGIC = b"\xf5WTL"
MASK = (1 << 64) - 1


@dataclasses.dataclass
class Channel:
    """A record of the table of channels; flags by name, scale in units of the quantity."""
    id: int
    name: str
    domain: str
    quantity: str
    kind: str
    quality: str
    flags: int
    index: int
    sub: int
    scale: float
    modulus: int
    refresh_ns: int
    window_ns: int
    max_w: float
    ratio: tuple
    sensor: str
    within: str
    location: str
    label: str
    first_raw: int = 0

    @property
    def primary(self):
        return bool(self.flags & 1)

    @property
    def simulated(self):
        return bool(self.flags & 2)

    @property
    def in_total(self):
        return bool(self.flags & 8)


@dataclasses.dataclass
class Trace:
    """The contents of a trace. rows: group -> [(times, {channel: (present, values)})], in the order of the file."""
    metadata: dict = dataclasses.field(default_factory=dict)
    channels: dict = dataclasses.field(default_factory=dict)
    origins: dict = dataclasses.field(default_factory=dict)
    groups: dict = dataclasses.field(default_factory=dict)
    gaps: list = dataclasses.field(default_factory=list)
    clocks: list = dataclasses.field(default_factory=list)
    start_ns: int = None
    end_ns: int = None
    strings: dict = dataclasses.field(default_factory=dict)
    processes: dict = dataclasses.field(default_factory=dict)
    threads: dict = dataclasses.field(default_factory=dict)
    rows: dict = dataclasses.field(default_factory=dict)
    marks: list = dataclasses.field(default_factory=list)
    damaged: int = 0
    complete: bool = False

    def channel(self, name):
        """The channel of this name, or the only one whose name ends in it."""
        found = [c for c in self.channels.values() if c.name == name] or \
                [c for c in self.channels.values() if c.name.endswith(name)]
        if len(found) != 1:
            raise KeyError(name)
        return found[0]

    def series(self, channel_id, polls=True):
        """Times and values (ticks or raw) of all good readings of a channel, in the order of time."""
        times, values = [], []
        for group, blocks in self.rows.items():
            flags, members = self.groups.get(group, (0, []))
            if channel_id not in members or (flags & 1 and not polls):
                continue
            for when, columns in blocks:
                present, column = columns[channel_id]
                times.append(when[present])
                values.append(column)
        if not times:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        times, values = np.concatenate(times), np.concatenate(values)
        order = np.argsort(times, kind="stable")
        return times[order], values[order]

    def gaps_of(self, channel_id):
        """[(reason, begin_ns, end_ns), ...] of a channel."""
        return [(reason, begin, end) for channel, reason, begin, end in self.gaps if channel == channel_id]


class Bytes:
    """A cursor over bytes."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def get(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text(self):
        length = self.get("H")
        self.at += length
        return bytes(self.data[self.at - length:self.at]).decode("utf-8", "replace")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & MASK

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


def unzigzag(u):
    return (u >> 1) ^ -(u & 1)


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def residuals(form, k, count, body, tokens):
    """The residuals of one column from its bits (an int) and tokens; returns them and the bits used."""
    out, at = [], 0
    bits = body
    for _ in range(count):
        if form & 4:
            token = tokens.get("B")
            if token < 254:
                u, used = token << k | (bits >> at) & ((1 << k) - 1), k
            elif token == 254:
                u, used = (bits >> at) & 0xFFFFFFFF, 32
            else:
                u, used = (bits >> at) & MASK, 64
        else:
            here = (bits >> at) & ((1 << 128) - 1)
            q = (here & -here).bit_length() - 1
            if q < 24:
                u, used = q << k | (here >> (q + 1)) & ((1 << k) - 1), q + 1 + k
            else:
                u, used = (here >> 25) & MASK, 89
        at += used
        out.append(unzigzag(u))
    return out, at


def column(heads, tokens, data, position, n):
    """One column of n values; returns it and the next byte of bits."""
    if n == 0:
        return [], position
    form = heads.get("B")
    predictor, k = form & 3, form >> 3
    coded = heads.varint() if form & 4 else None
    first = unzigzag(heads.varint()) if predictor else 0
    step = unzigzag(heads.varint())
    values = [[], [first], [first, first + step][:n], [first]][predictor]
    count = n - len(values)
    if k == 31:
        rest, used = [0] * count, 0
        shift = 0
    else:
        shift = max(0, k - 1 - (len(bin(n - 1)) - 2 if predictor == 3 and n > 1 else 0))
        limit = coded if coded is not None else min(len(data) - position, count * 12 + 16)
        rest, used = residuals(form, k, count, int.from_bytes(data[position:position + limit], "little"), tokens)
    base = step << shift if predictor != 2 else step
    for i, r in enumerate(rest, len(values)):
        if predictor == 0:
            values.append(base + r)
        elif predictor == 1:
            values.append(values[-1] + base + r)
        elif predictor == 2:
            values.append(2 * values[-1] - values[-2] + r)
        else:
            values.append(first + i * base + r)
    return [signed(v) for v in values], position + (coded if coded is not None else (used + 7) // 8)


def columns(cursor, counts):
    """The columns up to the end of a payload."""
    head = cursor.varint()
    tokens = b""
    if head & 1:
        number = cursor.varint()
        stored = cursor.varint()
    heads = Bytes(cursor.take(head >> 1))
    if head & 1:
        packed = bytes(cursor.take(stored))
        tokens = zstandard.ZstdDecompressor().decompress(packed, max_output_size=number) if stored < number else packed
    tokens = Bytes(tokens)
    data, position, out = bytes(cursor.data[cursor.at:]), 0, []
    for n in counts:
        values, position = column(heads, tokens, data, position, n)
        out.append(values)
    return out


def samples(trace, payload, first_ns):
    """A block of samples."""
    cursor = Bytes(payload)
    group, _ordinal, rows = cursor.varint(), cursor.varint(), cursor.varint()
    n, members = rows >> 1, trace.groups[group][1]
    present = {c: np.ones(n, dtype=bool) for c in members}
    if rows & 1:
        mapped = np.unpackbits(np.frombuffer(cursor.take((len(members) + 7) // 8), dtype=np.uint8), bitorder="little")
        for i, c in enumerate(members):
            if mapped[i]:
                bits = np.frombuffer(cursor.take((n + 7) // 8), dtype=np.uint8)
                present[c] = np.unpackbits(bits, bitorder="little")[:n].astype(bool)
    decoded = columns(cursor, [n] + [int(present[c].sum()) for c in members])
    times = np.array(decoded[0], dtype=np.int64) + first_ns
    values = {c: (present[c], np.array(v, dtype=np.int64)) for c, v in zip(members, decoded[1:])}
    trace.rows.setdefault(group, []).append((times, values))


def marks(trace, kind, payload, first_ns):
    """A block of regions (7), events (8), tasks (33): marks (ns, type of block, thread, ...) in the file's order."""
    cursor = Bytes(payload)
    n = cursor.varint()
    decoded = columns(cursor, [n] * {7: 4, 8: 4, 33: 5}[kind])
    for row in zip(*decoded):
        trace.marks.append((row[0] + first_ns, kind) + row[1:])


def records(payload):
    cursor = Bytes(payload)
    while cursor.at < len(payload):
        length = cursor.get("I")
        yield Bytes(cursor.take(length))


def named(names, number):
    return names[number] if number < len(names) else f"unknown {number}"


def channel_record(r):
    number = r.get("I")
    domain, quantity, kind, quality = r.get("BBBB")
    flags, index, sub, scale = r.get("I"), r.get("i"), r.get("i"), r.get("d")
    modulus, refresh, window = r.get("QQQ")
    max_w, low, high = r.get("ddd")
    name, sensor, within, location, label = (r.text() for _ in range(5))
    return Channel(number, name, named(DOMAINS, domain), named(QUANTITIES, quantity), named(KINDS, kind),
                   named(QUALITIES, quality), flags, index, sub, scale, modulus, refresh, window, max_w, (low, high),
                   sensor, within, location, label)


def table(trace, kind, payload):
    """One block of a table (types 2 to 5 and 9 to 14)."""
    for r in records(payload):
        if kind == 2:
            key = r.text()
            trace.metadata[key] = r.text()
        elif kind == 3:
            channel = channel_record(r)
            trace.channels[channel.id] = channel
        elif kind == 4:
            number = r.get("I")
            trace.origins[number] = r.get("Q")
        elif kind == 5:
            number, flags, count = r.get("III")
            trace.groups[number] = (flags, [r.get("I") for _ in range(count)])
        elif kind == 9:
            channel, reason, _errno = r.get("IIi")
            begin, end = r.get("QQ")
            trace.gaps.append((channel, named(REASONS, reason), begin, end))
        elif kind == 10:
            trace.clocks.append(r.get("QQQ"))
        elif kind == 11:
            which, when = r.get("BQ")
            if which == 0:
                trace.start_ns = when
            elif which == 1:
                trace.end_ns = when
        elif kind == 12:
            number = r.get("I")
            trace.strings[number] = r.text()
        elif kind == 13:
            number, pid, rank, start = r.get("IIiQ")
            trace.processes[number] = (pid, rank, start, r.text())
        elif kind == 14:
            number, process, tid = r.get("III")
            trace.threads[number] = (process, tid, r.text())


def blocks(data):
    """(type, first_ns, payload) of all good blocks; None for a damaged stretch."""
    at = 0
    while at + 38 <= len(data):
        magic, kind, flags, length, _seq, first, _last, crc, head_crc = struct.unpack_from("<4sBBIIQQII", data, at)
        if magic != MAGIC or crc32c(data[at:at + 34]) != head_crc:
            following = data.find(MAGIC, at + 1)
            yield None
            if following < 0:
                return
            at = following
            continue
        if at + 38 + length > len(data):
            return
        payload = data[at + 38:at + 38 + length]
        at += 38 + length
        if crc32c(payload) != crc:
            yield None
            continue
        if flags & 1:
            size = struct.unpack_from("<I", payload)[0]
            payload = zstandard.ZstdDecompressor().decompress(payload[4:], max_output_size=size) if size else b""
        yield kind, first, payload


def _crc_table():
    table_ = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table_.append(byte)
    return table_


CRC = _crc_table()


def crc32c(data):
    """CRC-32C of RFC 3720."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def read(path):
    """Read a trace, whole or cut off."""
    with open(path, "rb") as file:
        data = file.read()
    trace, waiting = Trace(), []
    for block in blocks(data):
        if block is None:
            trace.damaged += 1
            continue
        kind, first, payload = block
        if kind in (2, 3, 4, 5, 9, 10, 11, 12, 13, 14):
            table(trace, kind, payload)
        elif kind == 6:
            waiting.append((payload, first))
        elif kind in (7, 8, 33):
            marks(trace, kind, payload, first)
        elif kind == 17:
            trace.complete = True
    for payload, first in waiting:
        samples(trace, payload, first)
    for number, raw in trace.origins.items():
        if number in trace.channels:
            trace.channels[number].first_raw = raw
    return trace
