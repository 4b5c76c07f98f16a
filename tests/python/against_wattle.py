# SPDX-License-Identifier: BSD-3-Clause
"""Compares python/wattle_trace.py with wattle's own output for the same file, value by value."""

import csv
import io
import json
import math
import os
import subprocess
import sys

SOURCE = os.environ.get("SRC") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WATTLE = os.environ.get("WATTLE", "wattle")
sys.path.insert(0, os.path.join(SOURCE, "python"))

import wattle_trace  # noqa: E402


def wattle(*arguments, check=True):
    """Standard output of wattle; None if it failed and check is off."""
    run = subprocess.run([WATTLE, *arguments], capture_output=True, text=True, timeout=100, check=False)
    if run.returncode and check:
        raise AssertionError(f"wattle {' '.join(arguments)}: {run.stderr}")
    return None if run.returncode else run.stdout


def close(ours, theirs, digits=6):
    """Whether a number equals one printed with this many significant digits (None = unknown)."""
    if theirs is None or ours is None or math.isnan(ours):
        return theirs is None and (ours is None or math.isnan(ours))
    return abs(ours - theirs) <= 0.51 * 10.0 ** (1 - digits) * max(abs(ours), abs(theirs)) + 1e-12


def _number(cell):
    return None if cell == "" or cell is None else float(cell)


def _errno(cell):
    return cell or None


def exported(path, what, form, *options):
    """(notes, column names, rows of texts) of wattle export, the same from both forms."""
    text = wattle("export", "--comments", "--what", what, "--to", form, *options, path)
    if form == "json":
        document = json.loads(text)
        rows = [["" if cell is None else cell for cell in row] for row in document["rows"]]
        return document["notes"], document["columns"], rows
    notes = {}
    lines = text.splitlines(keepends=True)
    while lines and lines[0].startswith("#"):
        key, _, value = lines.pop(0)[1:].strip().partition(": ")
        notes[key] = value
    rows = list(csv.reader(io.StringIO("".join(lines))))
    return notes, rows[0], rows[1:]


def _seconds_ns(cell):
    """Exact nanoseconds of a cell with nine digits after the point (or of a number of JSON)."""
    return round(float(cell) * 1e9)


class Comparison:
    """Differences between the reader and wattle export on one trace."""

    def __init__(self, trace, path, form):
        self.trace, self.path, self.form = trace, str(path), form
        self.differences = []
        self.values = 0

    def differ(self, text):
        if len(self.differences) < 20:
            self.differences.append(f"{self.path} ({self.form}): {text}")

    def equal(self, what, ours, theirs):
        self.values += 1
        if ours != theirs:
            self.differ(f"{what}: {ours!r}, wattle {theirs!r}")

    def near(self, what, ours, theirs, digits=6):
        self.values += 1
        if not close(ours, theirs, digits):
            self.differ(f"{what}: {ours!r}, wattle {theirs!r}")

    def samples(self):
        _, columns, rows = exported(self.path, "samples", self.form, "--long")
        self.equal("columns", ["time_s", "channel", "value", "unit", "power_w"], columns)
        theirs = {}
        for time_s, channel, value, unit, power in rows:
            theirs.setdefault(channel, []).append((_seconds_ns(time_s), _number(value), unit, _number(power)))
        zero = self.trace.zero_ns
        for channel in self.trace.channels:
            ours = self.trace.raw(channel)
            power = [None] * len(ours)
            if channel.is_energy:
                power = [w for w in self.trace.power(channel)[1]]
            theirs_here = theirs.pop(channel.name, [])
            self.equal(f"rows of {channel.name}", len(ours), len(theirs_here))
            first = next((v for _, v in ours if v is not None), 0) if channel.is_counter and channel.understood else 0
            scale = channel.scale if channel.understood else 1
            for (time_ns, value), watts, (at, number, unit, power_w) in zip(ours, power, theirs_here):
                where = f"{channel.name} at {at / 1e9}"
                self.equal(f"time of {where}", time_ns - zero, at)
                self.near(where, None if value is None else (value - first) * scale, number)
                self.equal(f"unit of {where}", channel.unit, unit)
                self.near(f"power of {where}", watts, power_w)
        self.equal("other channels", [], sorted(theirs))

    def regions(self):
        _, _, rows = exported(self.path, "regions", self.form)
        self.equal("marks", len(self.trace.marks), len(rows))
        for mark, row in zip(self.trace.marks, rows):
            self.equal("mark", self._thread(mark) + [mark.kind, mark.name], self._cells(row))

    def events(self):
        _, _, rows = exported(self.path, "events", self.form)
        self.equal("events", len(self.trace.events), len(rows))
        for event, row in zip(self.trace.events, rows):
            self.equal("event", self._thread(event) + [str(event.type), str(event.value)], self._cells(row[:6]))  # without the texts of type and value

    def _thread(self, mark):
        thread = self.trace.threads.get(mark.thread)
        process = self.trace.processes.get(thread.process) if thread else None
        rank = "" if process is None or process.rank < 0 else str(process.rank)
        pid, tid = str(process.pid) if process else "", str(thread.tid) if thread else ""
        return [mark.time_ns - self.trace.zero_ns, pid, rank, tid]

    @staticmethod
    def _cells(row):
        return [_seconds_ns(row[0])] + [str(cell) for cell in row[1:]]

    def gaps(self):
        _, _, rows = exported(self.path, "gaps", self.form)
        names = {channel.name for channel in self.trace.channels}
        ours = [[g.begin_ns - self.trace.zero_ns, g.end_ns - self.trace.zero_ns, g.channel, g.reason,
                 os.strerror(g.errno) if g.errno else ""] for g in self.trace.gaps if g.channel in names]
        theirs = [[_seconds_ns(row[0]), _seconds_ns(row[1])] + row[2:] for row in rows]
        self.equal("gaps", sorted(ours), sorted(theirs))

    def metadata(self):
        _, _, rows = exported(self.path, "metadata", self.form)
        self.equal("metadata", self.trace.metadata, dict(rows))

    def notes(self):
        notes, _, _ = exported(self.path, "gaps", self.form)
        self.equal("zero", str(self.trace.zero_ns), notes.get("zero_monotonic_ns"))
        realtime = self.trace.realtime_ns(self.trace.zero_ns)
        self.equal("zero, realtime", None if realtime is None else str(realtime), notes.get("zero_realtime_ns"))
        end = self.trace.window_ns[1]
        self.equal("window", None if end is None else f"{self.trace.seconds(end):.9f}", notes.get("window_s"))

    def all(self):
        for part in (self.notes, self.metadata, self.gaps, self.regions, self.events, self.samples):
            part()
        return self.differences


def compare(path):
    """(differences, number of values compared) of a trace that wattle reads."""
    differences, values = [], 0
    with wattle_trace.open(path) as trace:
        for form in ("csv", "json"):
            comparison = Comparison(trace, path, form)
            differences += comparison.all()
            values += comparison.values
    return differences, values


if __name__ == "__main__":
    for name in sys.argv[1:]:
        found, count = compare(name)
        print(f"{name}: {count} values, {len(found)} differences")
        print("\n".join(found[:8]))
