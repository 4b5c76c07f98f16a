#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Read the traces of wattle in plain Python.

    import wattle_trace

    trace = wattle_trace.open("app.wtl")
    trace.metadata["host.name"]
    trace.channels                                   # list of Channel
    trace.summary["powercap:package-0"].energy_j     # as wattle printed it
    times, joules = trace.samples("powercap:package-0")
    times, watts = trace.power("powercap:package-0")
    for region in trace.regions: ...
    for gap in trace.gaps: ...

    python3 wattle_trace.py app.wtl                  # a short summary

Times are seconds since the start of the measured window (since the first sample if a trace has no
window); fields that end in _ns are nanoseconds of the recording clock. A value that could not be read
is NaN, never 0. A trace that is still growing is read with follow(), one that was cut off or damaged
is read as far as possible: see `complete` and `damage`.

Written only from docs/format/trace.md. Needs python3-zstandard; with numpy it is faster and samples()
and power() return arrays instead of lists; to_pandas() needs pandas.
"""

import array
import bisect
import builtins
import collections
import dataclasses
import math
import struct
import sys
import time

try:
    import numpy
except ImportError:
    numpy = None
try:
    import zstandard
except ImportError:
    zstandard = None

MAGIC = b"\xf5WTL"
SIGNATURE = b"wattle trace"
HEAD = struct.Struct("<4sBBIIQQII")
TRAILER = struct.Struct("<QQ8s")
LARGEST = 16777216
CHANNELS_MAX = GROUPS_MAX = 65536
COMPRESSED, NEEDED = 1, 128  # flags of blocks
M64 = (1 << 64) - 1

FILE, METADATA, CHANNELS, ORIGINS, GROUPS, SAMPLES, REGIONS, EVENTS, GAPS, CLOCKS = range(1, 11)
WINDOW, STRINGS, PROCESSES, THREADS, PYRAMID, INDEX, FOOTER = range(11, 18)
TASKS = 33
TASK_DETAIL = 21  # the kind of mark whose name is a number
TOTALS, SUMMARIES, REGION_SUMMARIES, PYRAMIDS = range(64, 68)

DOMAINS = ("node psys package core uncore dram gpu gpu_memory board psu network disk other").split()
QUANTITIES = ("energy power cpu_time frequency temperature count bytes ratio power_limit").split()
UNITS = ("J", "W", "s", "Hz", "C", "", "B", "", "W")
KINDS = ("counter", "gauge", "window average")
QUALITIES = ("measured", "derived", "estimated")
REASONS = ("read failed", "stalled", "reset", "lost wrap", "suspended", "overrun", "damaged", "not sampled",
           "implausible value", "device lost")
AWAKE = ("package", "dram", "psys", "node")  # domains that always draw power
STAND_REFRESHES = 3  # a counter of these domains that does not change for longer stands still
COUNTS_ON = ("read failed", "overrun", "damaged", "not sampled", "device lost")  # a counter's increase over such a gap is correct
MARKS = {0: "begin", 1: "end", 3: "thread end"}


class TraceError(Exception):
    """A trace cannot be read; the text says why and what to do."""


class _Malformed(Exception):
    """A block does not follow the format: it is skipped."""


def _named(names, number):
    return names[number] if number < len(names) else f"unknown ({number})"


# Checksums and numbers ---------------------------------------------------------------------------

_crc_table = []


def crc32c(data):
    """CRC-32C (RFC 3720) of bytes, two of them at a time."""
    if not _crc_table:
        small = []
        for i in range(256):
            for _ in range(8):
                i = i >> 1 ^ 0x82F63B78 * (i & 1)
            small.append(i)
        for i in range(65536):
            i = i >> 8 ^ small[i & 255]
            _crc_table.append(i >> 8 ^ small[i & 255])
        _crc_table.append(small)
    table, small = _crc_table, _crc_table[65536]
    crc = 0xFFFFFFFF
    pairs = array.array("H", data[: len(data) & ~1])
    if sys.byteorder == "big":
        pairs.byteswap()
    for pair in pairs:
        crc = crc >> 16 ^ table[(crc ^ pair) & 65535]
    if len(data) & 1:
        crc = crc >> 8 ^ small[(crc ^ data[-1]) & 255]
    return crc ^ 0xFFFFFFFF


def _varint(data, at):
    value = shift = 0
    while shift < 70:
        if at >= len(data):
            raise _Malformed("a number is cut off")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if value > M64:
                break
            return value, at
        shift += 7
    raise _Malformed("a number is too long")


def _unzigzag(u):
    return (u >> 1 ^ -(u & 1)) & M64


def _signed(v):
    return v - (1 << 64) if v >> 63 else v


def _decompress(data, size):
    if zstandard is None:
        raise TraceError("this trace is compressed: install the Debian package python3-zstandard")
    try:
        out = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    except zstandard.ZstdError as error:
        raise _Malformed(str(error)) from None
    if len(out) != size:
        raise _Malformed("decompressed length differs")
    return out


class _Fields:
    """Fields of a record, one after the other."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, layout):
        layout = "<" + layout
        end = self.at + struct.calcsize(layout)
        if end > len(self.data):
            raise _Malformed("a record is cut off")
        values = struct.unpack_from(layout, self.data, self.at)
        self.at = end
        return values

    def one(self, layout):
        return self.take(layout)[0]

    def ids(self, count):
        if count > CHANNELS_MAX:
            raise _Malformed("too many channels")
        return self.take(f"{count}I")

    def text(self):
        length = self.one("H")
        raw = bytes(self.data[self.at : self.at + length])
        if len(raw) != length or 0 in raw:
            raise _Malformed("a text is cut off or holds NUL")
        self.at += length
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise _Malformed("a text is not UTF-8") from None


def _records(payload):
    """The records of a table's payload, up to the first that does not follow the format."""
    at = 0
    while at < len(payload):
        if at + 4 > len(payload):
            raise _Malformed("a record is cut off")
        (length,) = struct.unpack_from("<I", payload, at)
        at += 4
        if at + length > len(payload):
            raise _Malformed("a record is cut off")
        yield _Fields(payload[at : at + length])
        at += length


# Columns -----------------------------------------------------------------------------------------


class _Columns:
    """The columns of a payload, taken one after the other with next()."""

    def __init__(self, data, at):
        size, at = _varint(data, at)
        count = stored = 0
        if size & 1:
            count, at = _varint(data, at)
            stored, at = _varint(data, at)
        tokens = at + (size >> 1)
        bits = tokens + stored
        if bits > len(data) or count > LARGEST or stored > count:
            raise _Malformed("columns are cut off")
        self.heads = data[at:tokens]
        self.tokens = data[tokens:bits]
        if stored < count:
            self.tokens = _decompress(bytes(self.tokens), count)
        self.bits = bytes(data[bits:]) + bytes(16)  # windows of 16 bytes never exceed the end
        self.end = len(self.bits) - 16
        self.head_at = self.token_at = self.bit_at = 0

    def next(self, n):
        """The n values of the next column, modulo 2^64: an array with numpy, else a list."""
        if n == 0:
            return []
        if self.head_at >= len(self.heads):
            raise _Malformed("a column is missing")
        form = self.heads[self.head_at]
        self.head_at += 1
        predictor, coder, k = form & 3, form >> 2 & 1, form >> 3
        size = first = 0
        if coder:
            size, self.head_at = _varint(self.heads, self.head_at)
        if predictor:
            first, self.head_at = _varint(self.heads, self.head_at)
        step, self.head_at = _varint(self.heads, self.head_at)
        first, step = _unzigzag(first), _unzigzag(step)
        skip = (0, 1, 2, 1)[predictor]
        count = max(n - skip, 0)
        if k == 31:
            if coder:
                raise _Malformed("a form that does not exist")
            residuals = [0] * count
        elif coder:
            residuals = self._split(count, k, size)
        else:
            residuals = self._rice(count, k)
        if predictor != 2 and k != 31:
            shift = k - 1 - ((n - 1).bit_length() if predictor == 3 else 0)
            step = step << max(shift, 0) & M64
        predict = _predict_numpy if numpy else _predict
        return predict(predictor, n, first, step, residuals)

    def _rice(self, count, k):
        """Residuals of coder 0, in zigzag."""
        bits, end = self.bits, self.end * 8
        at = self.bit_at * 8
        low = (1 << k) - 1
        out = []
        from_bytes = int.from_bytes
        for _ in range(count):
            byte = at >> 3
            window = from_bytes(bits[byte : byte + 12], "little") >> (at & 7)
            q = (window & -window).bit_length() - 1
            if q < 0 or q > 24 or at >= end:
                raise _Malformed("bits that are no number")
            if q < 24:
                out.append(q << k | window >> (q + 1) & low)
                at += q + 1 + k
            else:
                out.append(window >> 25 & M64)
                at += 89
        if at > end:
            raise _Malformed("bits are cut off")
        self.bit_at = (at + 7) >> 3
        return out

    def _split(self, count, k, size):
        """Residuals of coder 1, in zigzag."""
        tokens = self.tokens[self.token_at : self.token_at + count]
        if len(tokens) != count or self.bit_at + size > self.end:
            raise _Malformed("tokens are cut off")
        first = self.bit_at
        self.token_at += count
        self.bit_at += size
        if numpy and count:
            out, used = self._split_numpy(tokens, k, first)
        else:
            out, used = self._split_plain(tokens, k, first)
        if (used + 7) >> 3 != size:
            raise _Malformed("bits are cut off")
        return out

    def _split_plain(self, tokens, k, first):
        out = []
        bits, at = self.bits, first * 8
        for token in tokens:
            width = k if token < 254 else 32 << (token - 254)
            byte = at >> 3
            low = int.from_bytes(bits[byte : byte + 9], "little") >> (at & 7) & (1 << width) - 1
            out.append(low if token >= 254 else token << k | low)
            at += width
        return out, at - first * 8

    def _split_numpy(self, tokens, k, first):
        u64 = numpy.uint64
        token = numpy.frombuffer(bytes(tokens), numpy.uint8)
        width = numpy.full(len(token), k, numpy.int64)
        width[token == 254] = 32
        width[token == 255] = 64
        at = first * 8 + numpy.cumsum(width) - width
        used = int(at[-1] + width[-1]) - first * 8
        if first * 8 + used > self.end * 8:
            raise _Malformed("bits are cut off")
        data = numpy.frombuffer(self.bits, numpy.uint8)
        low = numpy.zeros(len(token), u64)
        for i in range(8):
            low |= data[(at >> 3) + i].astype(u64) << u64(8 * i)
        shift = (at & 7).astype(u64)
        low >>= shift
        # A 64-bit number may extend into a ninth byte.
        wide = (token == 255) & (shift > 0)
        low[wide] |= data[(at[wide] >> 3) + 8].astype(u64) << (u64(64) - shift[wide])
        out = token.astype(u64) << u64(k) | low & u64((1 << k) - 1)
        out[token == 254] = low[token == 254] & u64(0xFFFFFFFF)
        out[token == 255] = low[token == 255]
        return out, used


def _predict(predictor, n, first, step, residuals):
    """Values from residuals in zigzag, without numpy."""
    residuals = [_unzigzag(u) for u in residuals]
    if predictor == 0:
        return [(step + r) & M64 for r in residuals]
    values = [first]
    if predictor == 1:
        for r in residuals:
            values.append((values[-1] + step + r) & M64)
    elif predictor == 2:
        if n > 1:
            values.append((first + step) & M64)
        for r in residuals:
            values.append((2 * values[-1] - values[-2] + r) & M64)
    else:
        for i, r in enumerate(residuals, 1):
            values.append((first + i * step + r) & M64)
    return values


def _predict_numpy(predictor, n, first, step, residuals):
    """Values from residuals in zigzag; numpy's numbers are modulo 2^64 by themselves."""
    u64 = numpy.uint64
    u = numpy.asarray(residuals, dtype=u64)
    r = (u >> u64(1)) ^ (u64(0) - (u & u64(1)))
    if predictor == 0:
        return r + u64(step)
    values = numpy.empty(n, u64)
    values[0] = first
    if predictor == 1:
        values[1:] = u64(first) + numpy.cumsum(r + u64(step), dtype=u64)
    elif predictor == 3:
        values[1:] = u64(first) + numpy.arange(1, n, dtype=u64) * u64(step) + r
    elif n > 1:
        differences = numpy.cumsum(numpy.concatenate(([u64(step)], r)), dtype=u64)
        values[1:] = u64(first) + numpy.cumsum(differences, dtype=u64)
    return values


# Content of a trace ------------------------------------------------------------------------------


@dataclasses.dataclass
class Channel:
    """One number of one sensor. `scale` times a raw value is in `unit`."""

    id: int
    name: str
    sensor: str
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
    ratio_low: float
    ratio_high: float
    within: str
    location: str
    label: str
    unit: str
    first_raw: int = None

    @property
    def primary(self):
        """Primary for its domain and index; other channels cover the same part of the machine again."""
        return bool(self.flags & 1)

    @property
    def simulated(self):
        return bool(self.flags & 2)

    @property
    def quality_word(self):
        """The quality as wattle prints it: "simulated" for values of a simulated node, unless it is an estimate."""
        return "simulated" if self.simulated and self.quality != "estimated" else self.quality

    @property
    def in_total(self):
        """Energies of channels with this flag add up, without counting anything twice."""
        return bool(self.flags & 8)

    @property
    def understood(self):
        """Whether its values can be interpreted; else it comes from a newer version, and raw() has its numbers."""
        return self.kind in KINDS and not self.flags >> 16

    @property
    def is_counter(self):
        return self.kind == "counter"

    def stands(self, still_ns):
        """Must its counter be faulty if it stands still this long? What it counted in that time may show later."""
        return (self.is_energy and self.refresh_ns > 0 and self.quality != "estimated" and self.domain in AWAKE
                and still_ns > STAND_REFRESHES * self.refresh_ns)

    @property
    def is_energy(self):
        return self.is_counter and self.quantity == "energy" and self.understood


@dataclasses.dataclass
class Group:
    """Channels that are read together; `edge`: polls that look for a counter's tick."""

    id: int
    flags: int
    channels: list

    @property
    def edge(self):
        return bool(self.flags & 1)


@dataclasses.dataclass
class Rows:
    """The rows of one block of samples; values() gives those of one of the group's channels."""

    group: Group
    ordinal: int
    times_ns: list
    columns: list
    present: list

    def values(self, at, signed):
        """Raw values of the group's channel number `at`, with None for a reading that failed."""
        values = map(int, self.columns[at])
        if signed:
            values = map(_signed, values)
        here = self.present[at]
        return list(values) if here is None else [next(values) if h else None for h in here]

    def __len__(self):
        return len(self.times_ns)


@dataclasses.dataclass
class Gap:
    """A time without a trustworthy value: from the last good sample to the next good one."""

    channel: str
    reason: str
    errno: int
    begin: float
    end: float
    begin_ns: int
    end_ns: int


@dataclasses.dataclass
class Region:
    """A named part of one thread's time. `end` is None if it never ended; `balanced` is False if
    its thread ended before it."""

    name: str
    process: object
    thread: object
    depth: int
    begin: float
    end: float
    begin_ns: int
    end_ns: int
    balanced: bool = True

    @property
    def duration(self):
        return None if self.end is None else (self.end_ns - self.begin_ns) / 1e9


Mark = collections.namedtuple("Mark", "time_ns thread kind name")  # kind: begin, end, thread end
Event = collections.namedtuple("Event", "time_ns thread type value")
TaskMark = collections.namedtuple("TaskMark", "time_ns thread kind name value")
Clock = collections.namedtuple("Clock", "monotonic_ns boottime_ns realtime_ns")  # at the same instant
Process = collections.namedtuple("Process", "id pid rank start_ns command")
Thread = collections.namedtuple("Thread", "id process tid name")
Bucket = collections.namedtuple("Bucket", "begin_ns end_ns min_w max_w mean_w")  # of the pyramid
Block = collections.namedtuple("Block", "offset type flags length sequence first_ns last_ns")
Damage = collections.namedtuple("Damage", "offset length why")  # bytes of the file that are not a good block


@dataclasses.dataclass
class Summary:
    """The footer's summary of a channel over the window: docs/format/summaries.md. For counters other than
    energy `gained` is what they counted, in the unit of the channel."""

    channel: str
    energy_j: float
    resolution_interval_j: float
    mean_w: float
    min_w: float
    max_w: float
    sd_w: float
    stat_window_ns: int
    samples: int
    stale: int
    gaps: int
    gap_ns: int
    unknown_ns: int
    first_ns: int
    last_ns: int
    first_value: int
    last_value: int
    gap_reasons: list
    gained: float


@dataclasses.dataclass
class RegionEnergy:
    channel: str
    inclusive_j: float
    inclusive_interval_j: float
    exclusive_j: float
    exclusive_interval_j: float
    inclusive_interval_only: bool
    exclusive_interval_only: bool


@dataclasses.dataclass
class RegionSummary:
    """The footer's summary of a region's name; the name is empty for the time outside all regions."""

    name: str
    count: int
    thread_time_ns: int
    union_ns: int
    exclusive_union_ns: int
    unbalanced: int
    crossing: int
    energy: list


# The trace ---------------------------------------------------------------------------------------


def open(path):
    """Open a trace. Raises TraceError, which says what to do, if it is not one."""
    return Trace(path)


class Trace:
    """A trace: the recording of one node in one run."""

    def __init__(self, path):
        self.path = str(path)
        try:
            self._file = builtins.open(path, "rb")
        except OSError as error:
            raise TraceError(f"{path}: {error.strerror}") from None
        try:
            self._start()
        except Exception:
            self._file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._file.close()

    def __repr__(self):
        return f"<wattle trace {self.path!r}, {len(self.channels)} channels>"

    def _start(self):
        self.metadata, self.processes, self.threads = {}, {}, {}
        self.window_ns = [None, None]
        self.clocks, self.blocks, self.damage = [], [], []
        self.complete = False  # the footer has been read
        self.not_shown = 0  # blocks of a newer version that a reader must not ignore
        self._strings, self._channels, self._groups, self._origins = {}, {}, {}, {}
        self._samples, self._marks, self._events, self._tasks, self._pyramid = [], [], [], [], []
        self._gaps, self._lost, self._summaries, self._regions, self._totals = [], [], [], [], None
        self.version, self.program = None, ""
        self._end, self._next_ordinal = 0, {}
        self.refresh()
        if not self.version and not self._looks_damaged():
            raise TraceError(self._why_no_trace())
        self.version = self.version or (1, 0)

    def _looks_damaged(self):
        """Whether the first block is a damaged one rather than none."""
        head = self._head()
        if len(head) < 50 or any(block.offset == 0 for block in self.blocks):
            return False
        good = head.startswith(MAGIC) and crc32c(head[:34]) == HEAD.unpack_from(head)[8]
        if good:
            return head[4] == FILE and self._file.seek(0, 2) >= 38 + HEAD.unpack_from(head)[3]
        return head.startswith(MAGIC) or head[38:50] == SIGNATURE

    def _head(self):
        self._file.seek(0)
        return self._file.read(50)

    def _why_no_trace(self):
        head = self._head()
        if not head:
            return f"{self.path}: the file is empty; is its run still starting?"
        if not head.startswith(MAGIC):
            return f"{self.path}: this is no trace of wattle; their names end in .wtl"
        return f"{self.path}: its first block is cut off or damaged, so nothing can be said about the rest"

    # Blocks

    def refresh(self):
        """Read what has been written since; True if there was a new block."""
        self._file.seek(self._end)
        data = self._file.read()
        base, at, seen = self._end, 0, len(self.blocks)
        lost = None
        while at + HEAD.size <= len(data):
            magic, kind, flags, length, sequence, first, last, crc, head_crc = HEAD.unpack_from(data, at)
            if magic != MAGIC or crc32c(data[at : at + HEAD.size - 4]) != head_crc:
                lost = at if lost is None else lost
                at = data.find(MAGIC, at + 1)
                if at < 0:
                    at = max(len(data) - len(MAGIC) + 1, lost)
                    break
                continue
            if lost is not None:
                self.damage.append(Damage(base + lost, at - lost, "no block"))
                lost = None
            end = at + HEAD.size + length
            if end > len(data):
                break
            block = Block(base + at, kind, flags, length, sequence, first, last)
            self._last = end == len(data)
            self._take(block, data[at + HEAD.size : end], crc)
            at = end
        if lost is not None:  # nothing good after it so far: checked again with what follows
            at = lost
        self._end = base + at
        self.unread_bytes = len(data) - at
        self._settle()
        return len(self.blocks) > seen

    def _take(self, block, payload, crc):
        try:
            if block.length > LARGEST or crc32c(payload) != crc:
                raise _Malformed("the checksum differs")
            if block.flags & ~(COMPRESSED | NEEDED) or block.type not in self._takers and block.type != INDEX:
                self.not_shown += block.flags >> 7
                self.blocks.append(block)
                return
            if block.flags & COMPRESSED:
                if len(payload) < 4:
                    raise _Malformed("a compressed block is cut off")
                (size,) = struct.unpack_from("<I", payload)
                if size > LARGEST:
                    raise _Malformed("a compressed block is too long")
                payload = _decompress(payload[4:], size)
            if block.type != INDEX:
                self._takers[block.type](self, payload, block)
            self.blocks.append(block)
        except _Malformed as why:
            self.damage.append(Damage(block.offset, HEAD.size + block.length, str(why)))

    def _take_file(self, payload, block):
        fields = _Fields(payload)
        if block.offset or fields.one("12s") != SIGNATURE:
            return
        self.version = fields.take("HH")
        if self.version[0] != 1:
            major, minor = self.version
            raise TraceError(f"{self.path}: its format is {major}.{minor}, this program reads 1.x: get a newer one")
        self.program = fields.text()

    def _take_metadata(self, payload, _=None):
        for f in _records(payload):
            key, value = f.text(), f.text()
            if key not in self.metadata and len(self.metadata) >= 4096:
                raise _Malformed("too many keys")
            self.metadata[key] = value

    def _take_channels(self, payload, _=None):
        for f in _records(payload):
            (id,) = f.take("I")
            domain, quantity, kind, quality = f.take("BBBB")
            flags, index, sub, scale, modulus, refresh, window, *bounds = f.take("IiidQQQddd")
            name, sensor, within, location, label = [f.text() for _ in range(5)]
            readable = quantity < len(UNITS) and kind < len(KINDS) and not flags >> 16
            unit = UNITS[quantity] if readable else "?"
            words = (_named(DOMAINS, domain), _named(QUANTITIES, quantity), _named(KINDS, kind))
            if id >= CHANNELS_MAX or not 0 < scale < math.inf:
                raise _Malformed("a channel that cannot be")
            self._channels[id] = Channel(id, name, sensor, *words, _named(QUALITIES, quality), flags, index, sub,
                                         scale, modulus, refresh, window, *bounds, within, location, label, unit)

    def _take_origins(self, payload, _=None):
        for f in _records(payload):
            id, raw = f.take("IQ")
            self._origins[id] = raw

    def _take_groups(self, payload, _=None):
        for f in _records(payload):
            id, flags, count = f.take("III")
            ids = list(f.ids(count))
            if id >= GROUPS_MAX or not ids or max(ids) >= CHANNELS_MAX:
                raise _Malformed("a group that cannot be")
            if len(self._groups.setdefault(id, Group(id, flags, ids)).channels) != len(ids):
                raise _Malformed("a group that changes")

    def _take_gaps(self, payload, _=None):
        for f in _records(payload):
            self._gaps.append(self._gap(f))

    def _take_clocks(self, payload, _=None):
        for f in _records(payload):
            self.clocks.append(Clock(*f.take("QQQ")))

    def _take_window(self, payload, _=None):
        for f in _records(payload):
            which, at = f.take("BQ")
            if which < 2:
                self.window_ns[which] = at

    def _take_strings(self, payload, _=None):
        for f in _records(payload):
            id, words = f.one("I"), f.text()
            if id == 0:
                raise _Malformed("a string without number")
            self._strings[id] = words

    def _take_processes(self, payload, _=None):
        for f in _records(payload):
            process = Process(*f.take("IIiQ"), f.text())
            self.processes[process.id] = process

    def _take_threads(self, payload, _=None):
        for f in _records(payload):
            thread = Thread(*f.take("III"), f.text())
            self.threads[thread.id] = thread

    @staticmethod
    def _gap(f):
        gap = f.take("IIiQQ")
        if gap[0] >= CHANNELS_MAX or gap[1] >= 32:
            raise _Malformed("a gap that cannot be")
        return gap

    def _take_samples(self, payload, block):
        group, at = _varint(payload, 0)
        ordinal, at = _varint(payload, at)
        expected, last_ns = self._next_ordinal.get(group, (0, block.first_ns))
        if ordinal > expected:
            self._lost.append((group, last_ns, block.first_ns))
        self._next_ordinal[group] = (ordinal + 1, block.last_ns)
        self._samples.append((group, block, payload))

    def _take_regions(self, payload, block):
        self._marks.extend(self._mark_rows(payload, block, 4))

    def _take_events(self, payload, block):
        self._events.extend(self._mark_rows(payload, block, 4))

    def _take_tasks(self, payload, block):
        self._tasks.extend(self._mark_rows(payload, block, 5))

    @staticmethod
    def _mark_rows(payload, block, count):
        n, at = _varint(payload, 0)
        if not 1 <= n <= 65536:
            raise _Malformed("a wrong number of marks")
        columns = _Columns(payload, at)
        columns = [[int(v) for v in columns.next(n)] for _ in range(count)]
        return [((block.first_ns + t) & M64, *rest) for t, *rest in zip(*columns)]

    def _take_pyramid(self, payload, block):
        f = _Fields(payload)
        group, level, stretch_ns, before, channels, rows = f.take("IIQQII")
        ids = f.ids(channels)
        layout = "QQ" + "fff" * channels
        if rows * struct.calcsize("<" + layout) > len(payload):
            raise _Malformed("a pyramid is cut off")
        self._pyramid.append((group, level, stretch_ns, ids, [f.take(layout) for _ in range(rows)]))

    def _take_footer(self, payload, block):
        if len(payload) < TRAILER.size or TRAILER.unpack_from(payload, len(payload) - TRAILER.size)[0] != block.offset:
            return  # the file has been spliced: only its blocks count
        if not self._last:
            return
        at, sections, gaps = 0, [], []
        while at + 8 <= len(payload) - TRAILER.size:
            kind, _, length = struct.unpack_from("<HHI", payload, at)
            at += 8 + length
            if at > len(payload) - TRAILER.size:
                raise _Malformed("the footer is cut off")
            sections.append((kind, payload[at - length : at]))
        if at != len(payload) - TRAILER.size or payload[-8:] != b"wtlfoot\n":
            raise _Malformed("the footer has no trailer")
        for kind, body in sections:
            if kind in (METADATA, CHANNELS, ORIGINS, GROUPS, CLOCKS, WINDOW):
                self._takers[kind](self, body)  # blocks of these kinds may be damaged
            elif kind == GAPS:
                gaps = [self._gap(f) for f in _records(body)]
            elif kind == TOTALS:
                for f in _records(body):
                    self._totals = f.take("10Q")
            elif kind == SUMMARIES:
                self._summaries = [f.take("I6d10QI") for f in _records(body)]
            elif kind == REGION_SUMMARIES:
                self._regions = [self._region_summary(f) for f in _records(body)]
        self.clocks = sorted(set(self.clocks))
        if self._totals and len(gaps) == self._totals[6]:
            self._gaps = gaps  # all gaps
        self.complete = True

    @staticmethod
    def _region_summary(f):
        name, numbers, n = f.text(), f.take("6Q"), f.one("I")
        return name, numbers, [f.take("IBdddd") for _ in range(n)]

    _takers = {
        FILE: _take_file, METADATA: _take_metadata, CHANNELS: _take_channels, ORIGINS: _take_origins,
        GROUPS: _take_groups, SAMPLES: _take_samples, REGIONS: _take_regions, EVENTS: _take_events,
        GAPS: _take_gaps, CLOCKS: _take_clocks, WINDOW: _take_window, STRINGS: _take_strings,
        PROCESSES: _take_processes, THREADS: _take_threads, PYRAMID: _take_pyramid, FOOTER: _take_footer,
        TASKS: _take_tasks,
    }

    def _settle(self):
        """Resolve references to tables, which may come later in the file."""
        self.channels = [self._channels[i] for i in sorted(self._channels)]
        self.groups = [self._groups[i] for i in sorted(self._groups)]
        for id, raw in self._origins.items():
            if id in self._channels:
                self._channels[id].first_raw = raw

    # Times

    @property
    def zero_ns(self):
        """The time that counts as 0: the start of the window, else the first sample."""
        if self.window_ns[0] is not None:
            return self.window_ns[0]
        return min((block.first_ns for _, block, _ in self._samples), default=0)

    @property
    def window_s(self):
        """Length of the measured window in seconds; None if it has no end."""
        begin, end = self.window_ns
        return None if begin is None or end is None else (end - begin) / 1e9

    def seconds(self, time_ns):
        """Seconds since time 0 of a time of the recording clock."""
        return (time_ns - self.zero_ns) / 1e9

    def realtime_ns(self, time_ns):
        """Nanoseconds since 1970-01-01 UTC of a time of the recording clock; None without clock pairs."""
        if not self.clocks:
            return None
        before = [c for c in self.clocks if c.monotonic_ns <= time_ns]
        pair = before[-1] if before else self.clocks[0]
        return pair.realtime_ns + time_ns - pair.monotonic_ns

    # Channels and samples

    def channel(self, name):
        """The Channel with this name (a Channel is returned as it is)."""
        if isinstance(name, Channel):
            return name
        for channel in self.channels:
            if channel.name == name:
                return channel
        known = ", ".join(c.name for c in self.channels) or "none"
        raise TraceError(f"{self.path}: no channel {name!r}; there are: {known}")

    def _understood(self, name):
        channel = self.channel(name)
        if not channel.understood:
            raise TraceError(f"{channel.name}: its values are of a newer version; raw() has its numbers as they are")
        return channel

    def rows(self, edges=False):
        """Blocks of samples in file order, as Rows; with edges, also polls for a tick."""
        for id, block, payload in self._samples:
            group = self._groups.get(id)
            if group is not None and (edges or not group.edge):
                try:
                    yield _sample_rows(payload, block, group)
                except _Malformed as why:
                    self._spoilt(block, str(why))

    def _spoilt(self, block, why):
        if all(d.offset != block.offset for d in self.damage):
            self.damage.append(Damage(block.offset, HEAD.size + block.length, why))

    def raw(self, channel, edges=False):
        """Exact readings of a channel: [(time_ns, value or None)], counters as ticks since the first."""
        channel = self.channel(channel)
        out = []
        for rows in self.rows(edges):
            for at, id in enumerate(rows.group.channels):
                if id == channel.id:
                    signed = channel.understood and not channel.is_counter
                    out.extend(zip(map(int, rows.times_ns), rows.values(at, signed)))
        out.sort(key=lambda row: row[0])
        return out

    def samples(self, channel, begin=None, end=None):
        """Times in seconds and values in the unit of a channel, NaN for a reading that failed.

        Counters (energy) give the increase since their first reading. Only times from `begin` to
        `end` (seconds) if these are given.
        """
        channel = self._understood(channel)
        rows = self._between(self.raw(channel), begin, end)
        values = [math.nan if v is None else v * channel.scale for _, v in rows]
        return _arrays([self.seconds(t) for t, _ in rows], values)

    def power(self, channel, begin=None, end=None, every=None):
        """Times in seconds and watts: for an energy counter the mean since the previous sample.

        NaN if there is a gap between two samples, and at the first. `every` (seconds) takes the mean
        over at least this time, for counters that tick nearly as slowly as they were sampled.
        """
        channel = self.channel(channel)
        if not channel.is_energy:
            if channel.quantity != "power":
                raise TraceError(f"{channel.name} is of {channel.quantity}: use samples() for its values")
            return self.samples(channel, begin, end)
        gaps = sorted((g.begin_ns, g.end_ns) for g in self.gaps if g.channel == channel.name)
        times, watts, last, missing, gap = [], [], None, False, 0
        for time_ns, value in self.raw(channel):
            if value is None:
                missing = True
                times.append(time_ns)
                watts.append(math.nan)
                continue
            if last is not None and every and time_ns - last[0] < every * 1e9 and not missing:
                continue
            times.append(time_ns)
            while gap < len(gaps) and gaps[gap][1] <= (last[0] if last else time_ns):
                gap += 1
            broken = gap < len(gaps) and gaps[gap][0] < time_ns
            if last is None or missing or broken or time_ns == last[0]:
                watts.append(math.nan)
            else:
                watts.append((value - last[1]) * channel.scale * 1e9 / (time_ns - last[0]))
            last, missing = (time_ns, value), False
        rows = self._between(list(zip(times, watts)), begin, end)
        return _arrays([self.seconds(t) for t, _ in rows], [w for _, w in rows])

    def _counting(self, channel, rows):
        """Rows of (time_ns, value) without those in which the channel's counter stands still."""
        since, out = None, []
        for row in rows:
            if since is None or row[1] != since[1]:
                since = row
            if not channel.stands(row[0] - since[0]):
                out.append(row)
        return out

    def energy(self, channel, begin=None, end=None):
        """Joules of a channel between two times in seconds (the window by default), computed simply: interpolated
        between the samples around each border; if a counter stands still that cannot, between those around that time. NaN if it is not sampled, or a gap between these times lost
        energy (`unknown_s` returns how much of the time). `summary` is more precise for the window, and states its
        uncertainty."""
        channel = self._understood(channel)
        if self.unknown_s(channel, begin, end) > 0:
            return math.nan
        rows = [(t, v) for t, v in self.raw(channel) if v is not None]
        good = [(self.seconds(t), v * channel.scale) for t, v in self._counting(channel, rows)]
        begin = (0.0 if self.window_s is not None else good[0][0] if good else 0.0) if begin is None else begin
        end = self.window_s if end is None and self.window_s is not None else end
        end = good[-1][0] if end is None and good else end
        if len(good) < 2 or begin < good[0][0] or end > good[-1][0]:
            return math.nan
        if not channel.is_energy:
            joules, total = [(good[0][0], 0.0)], 0.0
            for (t0, v0), (t1, v1) in zip(good, good[1:]):
                total += (t1 - t0) * (v1 if channel.kind == "window average" else (v0 + v1) / 2)
                joules.append((t1, total))
            good = joules
        return _on_line(good, end) - _on_line(good, begin)

    def unknown_s(self, channel, begin=None, end=None):
        """Seconds between two times (the window by default; the whole trace if there is none) in which gaps lost
        the channel's energy: all gaps of a power sensor, and those of a counter that did not keep counting across them, or
        that was never read on one side of them."""
        channel = self.channel(channel)
        begin = (0.0 if self.window_s is not None else -math.inf) if begin is None else begin
        end = (math.inf if self.window_s is None else self.window_s) if end is None else end
        total, until, first, last = 0.0, begin, math.inf, -math.inf
        gaps = sorted((gap for gap in self.gaps if gap.channel == channel.name), key=lambda gap: gap.begin_ns)
        if channel.is_counter and any(gap.reason in COUNTS_ON for gap in gaps):
            read = [time_ns for time_ns, value in self.raw(channel, edges=True) if value is not None]
            first, last = (self.seconds(read[0]), self.seconds(read[-1])) if read else (first, last)
        for gap in gaps:
            parts = [(gap.begin, gap.end)]
            if channel.is_counter and gap.reason in COUNTS_ON:
                parts = [(gap.begin, min(gap.end, first)), (max(gap.begin, last), gap.end)]
            for from_s, to_s in parts:
                total += max(0.0, min(to_s, end) - max(from_s, until))
                until = max(until, to_s) if to_s > from_s else until
        return total

    def _between(self, rows, begin, end):
        low = -math.inf if begin is None else self.zero_ns + begin * 1e9
        high = math.inf if end is None else self.zero_ns + end * 1e9
        return [row for row in rows if low <= row[0] <= high]

    def to_pandas(self, *channels):
        """A DataFrame of samples: the index is seconds, with a column for each channel (all by default)."""
        try:
            import pandas
        except ImportError:
            raise TraceError("to_pandas() needs pandas: install the Debian package python3-pandas") from None
        columns = {}
        for channel in [self.channel(c) for c in channels] or self.channels:
            times, values = self.samples(channel)
            column = pandas.Series(values, pandas.Index(times, name="time_s"), name=f"{channel.name} [{channel.unit}]")
            columns[column.name] = column[~column.index.duplicated()]
        return pandas.DataFrame(columns)

    def follow(self, poll_s=0.25, timeout_s=None):
        """Yield Rows as they are written, from the beginning of the file, until the trace is complete.

        `timeout_s` stops it if nothing was written for that long. Do not call refresh() at the same time.
        """
        taken, quiet_s = 0, 0.0
        while True:
            while taken < len(self._samples):
                id, block, payload = self._samples[taken]
                if id not in self._groups and not self.complete:
                    break  # its table may still come
                taken += 1
                if id in self._groups and not self._groups[id].edge:
                    try:
                        yield _sample_rows(payload, block, self._groups[id])
                    except _Malformed as why:
                        self._spoilt(block, str(why))
            if self.complete or timeout_s is not None and quiet_s >= timeout_s:
                return
            if self.refresh():
                quiet_s = 0.0
            else:
                time.sleep(poll_s)
                quiet_s += poll_s

    # Gaps and marks

    def _name_of(self, channel):
        return self._channels[channel].name if channel in self._channels else f"channel {channel}"

    @property
    def gaps(self):
        """Times without a trustworthy value, by channel, as a list of Gap."""
        lost = [(c, 6, 0, begin, end) for id, begin, end in self._lost if id in self._groups
                for c in self._groups[id].channels]
        out = []
        for channel, reason, errno, begin, end in self._gaps + lost:
            out.append(Gap(self._name_of(channel), _named(REASONS, reason), errno,
                           self.seconds(begin), self.seconds(end), begin, end))
        return out

    @property
    def marks(self):
        """Begins and ends of regions in time order over all threads."""
        rows = sorted(self._marks, key=lambda row: row[0])
        return [Mark(t, thread, _named_mark(kind), self._strings.get(name, "")) for t, thread, name, kind in rows]

    @property
    def events(self):
        """Events in time order over all threads."""
        rows = sorted(self._events, key=lambda row: row[0])
        return [Event(t, thread, type, _signed(value)) for t, thread, type, value in rows]

    @property
    def tasks(self):
        """Marks of tasks and states (docs/format/trace.md has their kinds) in time order over all threads."""
        rows = sorted(self._tasks, key=lambda row: row[0])
        return [TaskMark(t, thread, kind, name if kind == TASK_DETAIL else self._strings.get(name, ""), value)
                for t, thread, name, kind, value in rows]

    @property
    def regions(self):
        """Parts of threads' time, each from a begin to its end, in the order of their begins."""
        open_, out = {}, []
        for mark in self.marks:
            stack = open_.setdefault(mark.thread, [])
            if mark.kind == "begin":
                region = self._region(mark, len(stack))
                stack.append(region)
                out.append(region)
            elif mark.kind == "end":
                for i in range(len(stack) - 1, -1, -1):
                    if stack[i].name == mark.name:
                        region = stack.pop(i)
                        region.end_ns, region.end = mark.time_ns, self.seconds(mark.time_ns)
                        break
            elif mark.kind == "thread end":
                for region in stack:
                    region.end_ns, region.end, region.balanced = mark.time_ns, self.seconds(mark.time_ns), False
                stack.clear()
        return out

    def _region(self, mark, depth):
        thread = self.threads.get(mark.thread)
        process = self.processes.get(thread.process) if thread else None
        return Region(mark.name, process, thread, depth, self.seconds(mark.time_ns), None, mark.time_ns, None)

    # Footer

    def _need_footer(self, what, left_out):
        if self.complete and self._totals and self._totals[9] >> left_out & 1:
            raise TraceError(f"{self.path}: no {what} in its footer, which would be too long with it; `wattle stats` "
                             "computes it")
        if not self.complete:
            raise TraceError(f"{self.path}: no {what}, for the trace has no footer: its run has not ended or was "
                             f"cut off; when it is over, `wattle repair {self.path}` adds what is missing")

    @property
    def summary(self):
        """Energy, mean power and more over the window, by channel name; needs a complete trace."""
        self._need_footer("summary", 1)
        out = {}
        for channel, *numbers, reasons in self._summaries:
            name = self._name_of(channel)
            gained, known = numbers[0], self._channels.get(channel)
            if known and not known.understood:
                continue
            if known and known.quantity not in ("energy", "power"):
                numbers[:2] = math.nan, math.nan
            words = [_named(REASONS, r) for r in range(32) if reasons >> r & 1]
            out[name] = Summary(name, *numbers, words, gained)
        return out

    @property
    def region_summary(self):
        """Energy and time by region name ("" is outside all regions); needs a complete trace."""
        self._need_footer("summary of regions", 0)
        out = {}
        for name, numbers, energies in self._regions:
            energy = [RegionEnergy(self._name_of(c), i, ii, e, ei, bool(flags & 1), bool(flags & 2))
                      for c, flags, i, ii, e, ei in energies]
            out[name] = RegionSummary(name, *numbers, energy)
        return out

    def pyramid(self, channel, level=0):
        """Power at a coarse resolution for plots, as a list of Bucket; empty if there is none."""
        channel = self.channel(channel)
        out = []
        for _, at_level, _, ids, rows in self._pyramid:
            if at_level == level and channel.id in ids:
                i = 2 + 3 * ids.index(channel.id)
                out.extend(Bucket(*row[:2], *row[i : i + 3]) for row in rows)
        return out


def _named_mark(kind):
    return MARKS.get(kind, f"unknown ({kind})")


def _on_line(points, at):
    """The value at a time, interpolated between the points around it."""
    i = min(max(bisect.bisect_left(points, (at,)), 1), len(points) - 1)
    (t0, v0), (t1, v1) = points[i - 1], points[i]
    return v1 if t1 == t0 else v0 + (v1 - v0) * (at - t0) / (t1 - t0)


def _arrays(times, values):
    return (numpy.array(times), numpy.array(values)) if numpy else (times, values)


def _sample_rows(payload, block, group):
    """Rows of a block of samples."""
    _, at = _varint(payload, 0)
    ordinal, at = _varint(payload, at)
    n, at = _varint(payload, at)
    with_presence, n = n & 1, n >> 1
    width = len(group.channels)
    if not 1 <= n <= 65536 or n * (width + 1) > 1048576:
        raise _Malformed("a wrong number of rows")
    present = [None] * width
    if with_presence:
        maps = payload[at : at + (width + 7) // 8]
        at += len(maps)
        for c in range(width):
            if len(maps) > c >> 3 and maps[c >> 3] >> (c & 7) & 1:
                bits = payload[at : at + (n + 7) // 8]
                if len(bits) != (n + 7) // 8:
                    raise _Malformed("presence is cut off")
                at += len(bits)
                present[c] = [bits[r >> 3] >> (r & 7) & 1 for r in range(n)]
    columns = _Columns(payload, at)
    times = [(block.first_ns + int(t)) & M64 for t in columns.next(n)]
    values = [columns.next(n if here is None else sum(here)) for here in present]
    return Rows(group, ordinal, times, values, present)


def _table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def _number(value, form):
    return "unknown" if value is None or math.isnan(value) else format(value, form)


def main(arguments):
    """Print a short summary of each trace."""
    status = 0
    for path in arguments or ["-h"]:
        if path in ("-h", "--help"):
            print("Usage: wattle_trace.py TRACE...\nPrints a short summary of traces of wattle.")
            continue
        try:
            with open(path) as trace:
                _print_summary(trace)
        except TraceError as error:
            print(f"wattle_trace.py: {error}", file=sys.stderr)
            status = 1
    return status


def _print_summary(trace):
    command = trace.metadata.get("run.command", "")
    print(f"{trace.path}: {command or 'no command'} on {trace.metadata.get('host.name', 'unknown host')}")
    began = trace.realtime_ns(trace.zero_ns)
    if began is not None:
        print("  began " + time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(began / 1e9)), end="")
    print(f", window {_number(trace.window_s, '.6f')} s, " + ("complete" if trace.complete else "without footer"))
    rows = [("channel", "samples", "energy [J]", "mean [W]", "quality")]
    for channel in trace.channels:
        if channel.quantity not in ("energy", "power"):
            continue
        if trace.complete and channel.name in trace.summary:
            s = trace.summary[channel.name]
            cells = (str(s.samples), f"{_number(s.energy_j, '.6g')} +- {_number(s.resolution_interval_j, '.2g')}",
                     _number(s.mean_w, ".5g"))
        else:
            cells = (str(sum(v is not None for _, v in trace.raw(channel))), "-", "-")
        rows.append((channel.name, *cells, channel.quality_word))
    _table(rows)
    print(f"  {len(trace.gaps)} gaps, {len(trace.marks)} marks of regions, {len(trace.events)} events", end="")
    print(f", {len(trace.damage)} damaged stretches" if trace.damage else "", end="")
    print(f", {trace.not_shown} blocks of a newer version that are not shown" if trace.not_shown else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
