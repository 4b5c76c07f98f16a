# SPDX-License-Identifier: BSD-3-Clause
"""wattle for Python, using the C library libwattle through ctypes; nothing needs to be built.

    import wattle

    wattle.init()                                   # not needed under "wattle run"
    with wattle.region("solve"):                    # a region of this thread
        ...
    @wattle.region("assemble")
    def assemble(): ...
    start = wattle.mark()
    ...
    print(wattle.total(start).energy_j, "J")        # during the run
    wattle.finalize()

    with wattle.open("app.wtl") as trace:           # the recorded trace
        print(trace.total().energy_j, [(r.name, r.total.inclusive_j) for r in trace.regions()])
        times_ns, watts = trace.samples("hwmon:psu-0")

    python3 -m wattle app.wtl                       # the same as text

The library is looked for at WATTLE_LIBRARY, then in the installation of this file, then by the loader.
Failures raise wattle.Error, an OSError with errno and libwattle's message; unknown values are NaN. Times are
nanoseconds of CLOCK_MONOTONIC (time.monotonic_ns()).

Threads: a region belongs to the thread that enters it, and each thread enters and leaves its own. asyncio: all tasks of a loop
share a thread, so a region that is open across an `await` contains whatever else the loop does in the meantime, and regions of
two tasks cross; use regions only around code without await. For this reason coroutine and generator functions
cannot be decorated. A child of os.fork() records its own regions into the same trace.
"""

import collections
import ctypes
import errno
import functools
import glob
import inspect
import math
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None

_u32, _u64, _size, _double, _int = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_double, ctypes.c_int
_text, _void = ctypes.c_char_p, ctypes.c_void_p
MARK_KINDS = ("begin", "end", "event", "thread end")


def _library_path():
    if os.environ.get("WATTLE_LIBRARY"):
        return os.environ["WATTLE_LIBRARY"]
    here = os.path.dirname(os.path.abspath(__file__))
    for place in ("../../../lib", "../../../lib/*", "../../../lib64", "../build/lib"):
        found = sorted(glob.glob(os.path.join(here, place, "libwattle.so.0")))
        if found:
            return found[0]
    return "libwattle.so.0"


try:
    _c = ctypes.CDLL(_library_path())
    # Region calls take less time than releasing the GIL.
    _quick = ctypes.PyDLL(_c._name)
except OSError as why:
    raise ImportError(f"wattle: libwattle cannot be loaded; WATTLE_LIBRARY may name it: {why}") from None


class Error(OSError):
    """A failed call of libwattle: errno, and strerror with the library's message."""


class _Err(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 512)]


class _Sized(ctypes.Structure):
    """Structures that begin with their size; Python code uses the other members."""

    def __init__(self):
        super().__init__(ctypes.sizeof(self))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n, _ in self._fields_[1:])})"


class Summary(_Sized):
    """What a channel or the total has used; see wattle_summary(3)."""
    _fields_ = [("size", _size), *((n, _double) for n in (
        "energy_j", "resolution_interval_j", "low_j", "high_j", "mean", "min", "max", "latest")),
        *((n, _u64) for n in ("window_ns", "stat_window_ns", "samples", "gaps", "gap_ns", "unknown_ns"))]


class RegionEnergy(_Sized):
    """Energy of a region; a non-zero *_unresolved means it was too short for the sampling."""
    _fields_ = [("size", _size), *((n, _double) for n in (
        "inclusive_j", "inclusive_interval_j", "exclusive_j", "exclusive_interval_j")),
        ("inclusive_unresolved", _int), ("exclusive_unresolved", _int)]


class _RegionSummary(_Sized):
    _fields_ = [("size", _size), ("name", _text), *((n, _u64) for n in (
        "count", "thread_time_ns", "union_ns", "exclusive_union_ns", "unbalanced", "crossing"))]


class _Gap(_Sized):
    _fields_ = [("size", _size), ("channel", _size), ("begin_ns", _u64), ("end_ns", _u64), ("reason", _text),
                ("error", _int)]


class _Channel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 48), ("sensor", ctypes.c_char * 16), ("within", ctypes.c_char * 48),
                ("location", ctypes.c_char * 160), ("label", ctypes.c_char * 32), ("domain", _int), ("index", _int),
                ("sub", _int), ("quantity", _int), ("kind", _int), ("quality", _int), ("flags", ctypes.c_uint),
                ("scale", _double), ("modulus", _u64), ("refresh_ns", _u64), ("window_ns", _u64), ("max_w", _double),
                ("ratio_low", _double), ("ratio_high", _double)]


class _Sample(ctypes.Structure):
    _fields_ = [("time_ns", _u64), ("raw", _u64), ("value", _double)]


class _TraceMark(ctypes.Structure):
    _fields_ = [("time_ns", _u64), ("value", _u64), ("name", _text), ("kind", _u32), ("type", _u32), ("thread", _u32),
                ("pid", _u32), ("tid", _u32), ("rank", ctypes.c_int32)]


class _Options(_Sized):
    _fields_ = [("size", _size), ("output", _text), ("sensors", _text), ("run_id", _text), ("groups", _text),
                ("interval_ns", _u64), ("wait_for_edges", _int), ("no_trace", _int), ("quiet", _int),
                ("err", ctypes.POINTER(_Err))]


class _Moment(ctypes.Structure):
    _fields_ = [("opaque", _u64 * 128)]


class _DomainEnergy(ctypes.Structure):
    _fields_ = [("name", _text), ("domain", _int), ("index", _int), ("quality", _int), ("flags", ctypes.c_uint),
                ("energy_j", _double), ("resolution_interval_j", _double), ("power_w", _double), ("window_ns", _u64),
                ("age_ns", _u64), ("unknown_ns", _u64), ("reserved", _u64 * 5)]


Energy = collections.namedtuple(
    "Energy", "name domain index quality flags energy_j resolution_interval_j power_w window_ns age_ns unknown_ns")
Channel = collections.namedtuple("Channel", "number name sensor within location label domain index sub quantity unit kind "
                                 "quality flags refresh_ns max_w")
Region = collections.namedtuple("Region", "number name count thread_time_ns union_ns exclusive_union_ns unbalanced "
                                "crossing total")
Gap = collections.namedtuple("Gap", "channel begin_ns end_ns reason error")
Mark = collections.namedtuple("Mark", "time_ns kind name type value thread pid tid rank")


def _declare():
    pointer = ctypes.POINTER
    signed = {  # the result type is int unless specified
        "wattle_region_id": (_u32, _text), "wattle_region_begin": (None, _u32), "wattle_region_end": (None, _u32),
        "wattle_event": (None, _u32, _u64), "wattle_recording": (_int,), "wattle_version_text": (_text,),
        "wattle_init": (_int, pointer(_Options)), "wattle_finalize": (_int,), "wattle_measuring": (_int,),
        "wattle_mark_now": (_int, pointer(_Moment)), "wattle_mark_region": (_int, pointer(_Moment)),
        "wattle_read": (_int, pointer(_Moment), pointer(_DomainEnergy), _size),
        "wattle_read_total": (_int, pointer(_Moment), pointer(_DomainEnergy)),
        "wattle_read_region": (_int, pointer(_DomainEnergy), _size),
        "wattle_trace_open": (_int, _text, pointer(_void), pointer(_Err)), "wattle_trace_close": (None, _void),
        "wattle_trace_refresh": (_int, _void, pointer(_Err)), "wattle_trace_is_complete": (_int, _void),
        "wattle_trace_damage_count": (_u64, _void), "wattle_trace_not_shown_count": (_u64, _void),
        "wattle_trace_metadata_at": (_int, _void, _size, pointer(_text), pointer(_text)),
        "wattle_trace_channel_count": (_size, _void), "wattle_trace_channel": (pointer(_Channel), _void, _size),
        "wattle_trace_window": (_int, _void, pointer(_u64), pointer(_u64)),
        "wattle_trace_summary": (_int, _void, _size, pointer(Summary), pointer(_Err)),
        "wattle_trace_total": (_int, _void, pointer(Summary), pointer(_text), pointer(_text), pointer(_Err)),
        "wattle_trace_region_count": (_int, _void, pointer(_Err)),
        "wattle_trace_region": (_int, _void, _size, pointer(_RegionSummary), pointer(_Err)),
        "wattle_trace_region_energy": (_int, _void, _size, _size, pointer(RegionEnergy), pointer(_Err)),
        "wattle_trace_region_total": (_int, _void, _size, pointer(RegionEnergy), pointer(_Err)),
        "wattle_trace_samples_open": (_int, _void, _size, _u64, _u64, pointer(_void), pointer(_Err)),
        "wattle_trace_samples_next": (_int, _void, pointer(_Sample), _size, pointer(_Err)),
        "wattle_trace_samples_close": (None, _void),
        "wattle_trace_gap_count": (_int, _void, pointer(_Err)),
        "wattle_trace_gap": (_int, _void, _size, pointer(_Gap), pointer(_Err)),
        "wattle_trace_marks_open": (_int, _void, pointer(_void), pointer(_Err)),
        "wattle_trace_marks_next": (_int, _void, pointer(_TraceMark), _size, pointer(_Err)),
        "wattle_trace_marks_close": (None, _void),
    }
    for name, (result, *arguments) in signed.items():
        for library in (_c, _quick) if name.startswith(("wattle_region", "wattle_event")) else (_c,):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    for name in ("domain", "quantity", "kind", "quality"):
        function = getattr(_c, f"wattle_{name}_name")
        function.restype, function.argtypes = _text, [_int]
    _c.wattle_quantity_unit.restype, _c.wattle_quantity_unit.argtypes = _text, [_int]


_declare()
__version__ = _c.wattle_version_text().decode()


def _str(text):
    """Names may be any bytes: invalid UTF-8 is decoded to surrogates, and encoded back unchanged."""
    return None if text is None else text.decode("utf-8", "surrogateescape")


def _bytes(text):
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


def _check(code, err=None):
    if code < 0:
        raise Error(-code, (err.text.decode(errors="replace") if err and err.text else "") or os.strerror(-code))
    return code


# ---- use from a program ----

_ids = {}


def region_id(name):
    """The id of a region's name, for begin() and end(); 0 if it is refused (empty, more than 255 bytes)."""
    found = _ids.get(name)
    if found is None:
        raw = _bytes(name)
        found = 0 if b"\0" in raw else _c.wattle_region_id(raw)
        if found:
            _ids[name] = found
    return found


def begin(region):
    """Begin a region, by name or id, on the calling thread."""
    _quick.wattle_region_begin(region if isinstance(region, int) else region_id(region))


def end(region):
    """End a region, by name or id, on the calling thread."""
    _quick.wattle_region_end(region if isinstance(region, int) else region_id(region))


class region:
    """A region for `with`, or around each call of a function. An object may be reused, nested and by all threads."""

    def __init__(self, name):
        if callable(name):
            raise TypeError('wattle.region needs a name: @wattle.region("name")')
        self.name = name
        self.id = region_id(name)

    def __enter__(self):
        _quick.wattle_region_begin(self.id)
        return self

    def __exit__(self, *_):
        _quick.wattle_region_end(self.id)
        return False

    def __call__(self, function):
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or \
                inspect.isasyncgenfunction(function):
            raise TypeError(f"wattle.region: {function.__name__} runs in pieces between others; put regions into it, "
                            "around what runs without await or yield")

        @functools.wraps(function)
        def wrapped(*arguments, **named):
            _quick.wattle_region_begin(self.id)
            try:
                return function(*arguments, **named)
            finally:
                _quick.wattle_region_end(self.id)
        return wrapped


def event(kind, value):
    """Record a user-defined event (kind below 0xffff0000) with a 64-bit value."""
    _quick.wattle_event(kind, value & 0xffffffffffffffff)


def recording():
    """Are the calls of this process being recorded?"""
    return _c.wattle_recording() != 0


def init(output=None, sensors=None, run_id=None, groups=None, interval=None, trace=True, quiet=False):
    """Start measuring this program's node, like wattle_init(3); interval in seconds. None means the setting from the
    environment, else the default. A second call changes nothing."""
    err = _Err()
    options = _Options()
    options.output, options.sensors, options.run_id, options.groups = map(_bytes, (output, sensors, run_id, groups))
    options.interval_ns = round(interval * 1e9) if interval else 0
    options.no_trace, options.quiet = int(not trace), int(quiet)
    options.err = ctypes.pointer(err)
    code = _c.wattle_init(ctypes.byref(options))
    if code != -errno.EALREADY:
        _check(code, err)


def finalize():
    """Stop measuring; the trace is complete."""
    _check(_c.wattle_finalize())


def measuring():
    """Does this process sample its node? Another one may do it for all."""
    return _c.wattle_measuring() != 0


def mark():
    """A moment, for read() and total() in this process."""
    moment = _Moment()
    _check(_c.wattle_mark_now(ctypes.byref(moment)))
    return moment


def _energy(row):
    return Energy(_str(row.name), _c.wattle_domain_name(row.domain).decode(), row.index,
                  _c.wattle_quality_name(row.quality).decode(), row.flags, row.energy_j, row.resolution_interval_j,
                  row.power_w, row.window_ns, row.age_ns, row.unknown_ns)


def _rows(call):
    n = _check(call(None, 0))
    rows = (_DomainEnergy * max(n, 1))()
    _check(call(rows, n))
    return [_energy(rows[i]) for i in range(n)]


def read(since=None):
    """What each channel has used since a mark() (None: since the start), a list of Energy."""
    moment = ctypes.byref(since) if since else None
    return _rows(lambda rows, n: _c.wattle_read(moment, rows, n))


def read_region():
    """The same since the begin of the innermost region that is open on this thread."""
    return _rows(_c.wattle_read_region)


def total(since=None):
    """The sum of what may be added up, since a mark() (None: since the start), an Energy."""
    row = _DomainEnergy()
    _check(_c.wattle_read_total(ctypes.byref(since) if since else None, ctypes.byref(row)))
    return _energy(row)


# ---- traces ----

def open(path):  # pylint: disable=redefined-builtin
    """Open a trace: complete, cut off, or still growing."""
    return Trace(path)


class Trace:
    """A trace. Channels are identified by number or name. One thread at a time."""

    def __init__(self, path):
        self._trace = _void()
        self._err = _Err()
        _check(_c.wattle_trace_open(os.fsencode(path), ctypes.byref(self._trace), self._err), self._err)

    def close(self):
        if self._trace:
            _c.wattle_trace_close(self._trace)
            self._trace = _void()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        return False

    def __del__(self):
        if getattr(self, "_trace", None):
            self.close()

    def _handle(self):
        if not self._trace:
            raise ValueError("wattle: the trace is closed")
        return self._trace

    def refresh(self):
        """Read what has been written since; returns the number of new blocks."""
        return _check(_c.wattle_trace_refresh(self._handle(), self._err), self._err)

    @property
    def complete(self):
        return _c.wattle_trace_is_complete(self._handle()) != 0

    @property
    def damage_count(self):
        return _c.wattle_trace_damage_count(self._handle())

    @property
    def metadata(self):
        found, key, value = {}, _text(), _text()
        while _c.wattle_trace_metadata_at(self._handle(), len(found), ctypes.byref(key), ctypes.byref(value)) == 0:
            found[_str(key.value)] = _str(value.value)
        return found

    @property
    def channels(self):
        found = []
        for i in range(_c.wattle_trace_channel_count(self._handle())):
            row = _c.wattle_trace_channel(self._trace, i)
            if row:
                c = row.contents
                found.append(Channel(
                    i, *map(_str, (c.name, c.sensor, c.within, c.location, c.label)),
                    _c.wattle_domain_name(c.domain).decode(), c.index, c.sub,
                    _c.wattle_quantity_name(c.quantity).decode(), _c.wattle_quantity_unit(c.quantity).decode(),
                    _c.wattle_kind_name(c.kind).decode(), _c.wattle_quality_name(c.quality).decode(), c.flags,
                    c.refresh_ns, c.max_w))
        return found

    def _number(self, channel):
        if isinstance(channel, int):
            return channel
        for one in self.channels:
            if one.name == channel:
                return one.number
        raise KeyError(f"no channel {channel!r}; there are {', '.join(c.name for c in self.channels)}")

    @property
    def window_ns(self):
        """(start, end) of the measurement; None if the trace was cut off."""
        start, stop = _u64(), _u64()
        code = _c.wattle_trace_window(self._handle(), ctypes.byref(start), ctypes.byref(stop))
        return (start.value, stop.value) if code == 0 else None

    def summary(self, channel):
        result = Summary()
        _check(_c.wattle_trace_summary(self._handle(), self._number(channel), ctypes.byref(result), self._err), self._err)
        return result

    def total(self):
        """The sum over the channels that may be added up; .contains and .excludes list them as text."""
        result, contains, excludes = Summary(), _text(), _text()
        _check(_c.wattle_trace_total(self._handle(), ctypes.byref(result), ctypes.byref(contains),
                                     ctypes.byref(excludes), self._err), self._err)
        result.contains, result.excludes = _str(contains.value), _str(excludes.value)
        return result

    def regions(self):
        """All regions, untagged (name "") first; total is its RegionEnergy, None if nothing may be added up."""
        found = []
        for i in range(_check(_c.wattle_trace_region_count(self._handle(), self._err), self._err)):
            row, energy = _RegionSummary(), RegionEnergy()
            _check(_c.wattle_trace_region(self._trace, i, ctypes.byref(row), self._err), self._err)
            code = _c.wattle_trace_region_total(self._trace, i, ctypes.byref(energy), self._err)
            if code != -errno.ENODATA:
                _check(code, self._err)
            found.append(Region(i, _str(row.name), row.count, row.thread_time_ns, row.union_ns, row.exclusive_union_ns,
                                row.unbalanced, row.crossing, energy if code == 0 else None))
        return found

    def region_energy(self, region_number, channel):
        result = RegionEnergy()
        _check(_c.wattle_trace_region_energy(self._handle(), region_number, self._number(channel),
                                             ctypes.byref(result), self._err), self._err)
        return result

    def samples(self, channel, begin_ns=0, end_ns=2**64 - 1):
        """(times in ns, values in the channel's unit) of the good readings: numpy arrays if available, else lists."""
        handle, chunk, times, values = _void(), (_Sample * 16384)(), [], []
        _check(_c.wattle_trace_samples_open(self._handle(), self._number(channel), begin_ns, end_ns,
                                            ctypes.byref(handle), self._err), self._err)
        try:
            while True:
                n = _check(_c.wattle_trace_samples_next(handle, chunk, len(chunk), self._err), self._err)
                if n == 0:
                    break
                if numpy:
                    rows = numpy.frombuffer(chunk, dtype=[("time", "u8"), ("raw", "u8"), ("value", "f8")], count=n)
                    times.append(rows["time"].copy())
                    values.append(rows["value"].copy())
                else:
                    times += [chunk[i].time_ns for i in range(n)]
                    values += [chunk[i].value for i in range(n)]
        finally:
            _c.wattle_trace_samples_close(handle)
        if not numpy:
            return times, values
        return (numpy.concatenate(times) if times else numpy.empty(0, "u8"),
                numpy.concatenate(values) if values else numpy.empty(0))

    def gaps(self):
        found = []
        for i in range(_check(_c.wattle_trace_gap_count(self._handle(), self._err), self._err)):
            row = _Gap()
            _check(_c.wattle_trace_gap(self._trace, i, ctypes.byref(row), self._err), self._err)
            found.append(Gap(row.channel, row.begin_ns, row.end_ns, _str(row.reason), row.error))
        return found

    def marks(self):
        """All begins, ends and events in time order, one by one; not valid after a refresh()."""
        handle, chunk = _void(), (_TraceMark * 1024)()
        _check(_c.wattle_trace_marks_open(self._handle(), ctypes.byref(handle), self._err), self._err)
        try:
            while True:
                self._handle()
                n = _check(_c.wattle_trace_marks_next(handle, chunk, len(chunk), self._err), self._err)
                if n == 0:
                    return
                for m in chunk[:n]:
                    kind = MARK_KINDS[m.kind] if m.kind < len(MARK_KINDS) else str(m.kind)
                    yield Mark(m.time_ns, kind, _str(m.name), m.type, m.value, m.thread, m.pid, m.tid, m.rank)
        finally:
            if self._trace:
                _c.wattle_trace_marks_close(handle)


def _main(paths):
    usage = "Usage: python3 -m wattle TRACE..."
    if paths and paths[0] in ("-h", "--help"):
        print(f"{usage}\n\nPrints the energy of traces and of their regions, read by libwattle. WATTLE_LIBRARY names the\n"
              "library where it is not found. Exit status: 0; 1 a trace cannot be read; 2 usage.\n\n"
              "Example:\n  python3 -m wattle app.wtl")
        return 0
    if not paths or paths[0].startswith("-"):
        print(f"{usage} (--help says more)", file=sys.stderr)
        return 2
    for path in paths:
        try:
            with open(path) as trace:
                total_j = trace.total()
                print(f"{path}: {total_j.energy_j:.4g} +- {total_j.resolution_interval_j:.2g} J, {total_j.contains}"
                      + (f"  INCOMPLETE: the energy of {total_j.unknown_ns * 1e-9:.3g} s is missing"
                         if total_j.unknown_ns else ""))
                for r in trace.regions():
                    name = r.name.encode("unicode_escape", "surrogateescape").decode() if r.name else "(outside of all)"
                    energy_j = r.total.inclusive_j if r.total else math.nan
                    print(f"  {name}: {energy_j:.4g} J in {r.union_ns * 1e-9:.4g} s, {r.count} times")
        except Error as why:
            print(f"wattle: {why.strerror}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
