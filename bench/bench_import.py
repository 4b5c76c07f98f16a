#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Import and export compared with a plain awk pass over the same CSV, in the same run: samples per second, peak memory.

Usage: bench/bench_import.py [ROWS [CHANNELS]]      (200000 rows of 8 channels by default)

The awk pass sums each column, the minimum that reads every number. Each is run three times, interleaved;
the median counts. WATTLE is the program (build/bin/wattle).
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

from bench_spread import spread

WATTLE = os.environ.get("WATTLE", "build/bin/wattle")
ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
CHANNELS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
AWK = ["awk", "-F,", "NR > 1 {for (i = 2; i <= NF; i++) s[i] += $i} END {for (i in s) print i, s[i]}"]


def generate(path):
    state = 1
    with open(path, "w", encoding="ascii") as out:
        out.write("timestamp," + ",".join(f"gpu{i}_power_w" for i in range(CHANNELS)) + "\n")
        for row in range(ROWS):
            cells = []
            for channel in range(CHANNELS):
                state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                cells.append(f"{100 + 10 * channel + state % 20000 / 1000:.3f}")
            out.write(f"{1767225600 + row * 0.001:.3f}," + ",".join(cells) + "\n")


def run(command):
    """Seconds, and the peak resident memory in MiB as /proc shows it while the program runs."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
                peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
        except OSError:
            pass
        time.sleep(0.005)
    if child.returncode:
        sys.exit(f"bench_import: {command[0]} ended with {child.returncode}")
    return time.monotonic() - begin, peak / 1024


def main():
    with tempfile.TemporaryDirectory() as folder:
        csv, trace, back = (os.path.join(folder, name) for name in ("a.csv", "a.wtl", "b.csv"))
        generate(csv)
        samples = ROWS * CHANNELS
        print(f"{ROWS} rows x {CHANNELS} channels, {os.path.getsize(csv) / 2**20:.1f} MiB of CSV")
        commands = {"awk": [*AWK, csv],
                    "wattle import": [WATTLE, "import", "--force", "-o", trace, csv],
                    "wattle export": [WATTLE, "export", "--force", "-o", back, trace]}
        results = {name: [] for name in commands}
        for _ in range(3):
            for name, command in commands.items():
                results[name].append(run(command))
        for name, runs in results.items():
            seconds = statistics.median(r[0] for r in runs)
            print(f"{name:14} {samples / seconds / 1e6:8.2f} M samples/s   {spread([r[0] for r in runs], 3, 's')}   "
                  f"{max(r[1] for r in runs):7.1f} MiB")
        print(f"trace {os.path.getsize(trace) / samples:.2f} bytes a sample")


main()
