# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of programs in phases, with counters and power that follow known letters; for phases and predictions."""
import random

import recording

COLUMNS = [("CPU_CYCLES", "perf:cycles"), ("INSTRUCTIONS", "perf:instructions"), ("CACHE_MISSES", "perf:cache-misses"),
           ("netSENTbyte", "net:sent_bytes")]
# watts, and events per second of each column
LETTERS = {
    "idle": (60, (2e7, 1e7, 1e3, 1e3)),
    "work": (180, (4e10, 8e10, 1e7, 1e4)),
    "memory": (150, (4e10, 1e10, 8e8, 1e4)),
    "send": (100, (1e10, 5e9, 5e6, 9e8)),
    "mixed": (130, (2e10, 4e10, 2e8, 2e8)),
    "other": (210, (5e10, 2e10, 6e7, 5e7)),
    "strange": (90, (3e9, 9e9, 9e7, 5e5)),
}


def parse(words):
    """Phases of a line "work:20 send:5.5"."""
    return [(letter, float(seconds)) for letter, seconds in (word.split(":") for word in words.split())]


def curve(phases, seed=0, noise=0.01, factor=1.0, row=0.5):
    """Power of a run: that of each letter, with noise from row to row."""
    rng, at, steps = random.Random(f"power:{seed}"), 0.0, []
    for letter, seconds in phases:
        end = at + seconds
        while at < end - 1e-9:
            steps.append((at, LETTERS[letter][0] * factor * (1 + rng.gauss(0, noise))))
            at = min(at + row, end)
    return recording.Curve("steps " + " ".join(f"{t!r}:{w!r}" for t, w in steps)), at


def record(path, phases, *, seed=0, noise=0.01, factor=1.0, speed=1.0, command="world", row=0.5, meter=True, meta=(),
           reading=0.1):
    """Writes the trace of a run. `factor` is of its power, `speed` of its counters: another platform. `reading`: seconds
    between two readings of the energy."""
    power, length = curve(phases, seed, noise, factor)
    trace = recording.Trace(**{
        "run.id": f"run-{seed}", "run.command": command, "node.name": "n1", "node.key": "n1", "host.name": "n1",
        "cpu.model": "processor one", "sampler.interval_ns": round(reading * 1e9), "counters.set": "paper",
        "counters.scope": "machine",
        "counters.columns": ";".join(f"{n}={s}" for n, s in COLUMNS), "counters.interval_ns": round(row * 1e9),
        **dict(meta)})
    trace.realtime_ns += seed * 1_000_000_000_000
    if meter:
        times = [reading * (k - 2) for k in range(int(length / reading) + 6)]
        recording.counter_channel(trace, "powercap:package-0", recording.Counter(power), times)
    rng, times, totals, columns = random.Random(f"counts:{seed}"), [0.0], [0.0] * len(COLUMNS), [[0] for _ in COLUMNS]
    while times[-1] < length - 1e-9:
        begin, end = times[-1], min(times[-1] + row, length)
        for c in range(len(COLUMNS)):
            rate = sum(LETTERS[letter][1][c] * inside for letter, inside in _within(phases, begin, end))
            totals[c] += rate * speed * max(1 + rng.gauss(0, noise), 0.1)
            columns[c].append(round(totals[c]))
        times.append(end)
    ids = [trace.channel(f"counters:{name.lower()}-0", quantity="count", scale=1.0, label=name, total=False,
                         awake=False)
           for name, _ in COLUMNS]
    trace.rows(ids, times, columns)
    trace.window(0, length)
    trace.write(path)
    return power, length


def _within(phases, begin, end):
    """(letter, seconds) of the phases in a stretch."""
    at, out = 0.0, []
    for letter, seconds in phases:
        inside = min(at + seconds, end) - max(at, begin)
        if inside > 0:
            out.append((letter, inside))
        at += seconds
    return out
