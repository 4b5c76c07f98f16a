#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: bench/bench_openmp.py [BUILD [ROUNDS]]

What an empty OpenMP task (three marks) and an empty parallel region of one thread (four marks) take without a tool, with
"wattle run --tasks" and with --tasks=summary, alternately; the least over the rounds and the spread of the rounds' means, and the ratio to no
tool: of the least, and the median of those of one round.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from bench_spread import spread

build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
here = pathlib.Path(__file__).resolve().parent
WAYS = {"no tool": None, "--tasks": ["--tasks"], "--tasks=summary": ["--tasks=summary"]}

with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/tasks"
    subprocess.run(["clang", "-O2", "-fopenmp", here / "openmp_tasks.c", "-o", program], check=True)
    env = {**os.environ, "WATTLE_SEATS": f"{folder}/seats"}
    found = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, options in WAYS.items():
            run = [] if options is None else [build / "bin/wattle", "run", "-q", "--force", "-s", "estimate", *options, "-o",
                                              f"{folder}/t.wtl", "--"]
            text = subprocess.run([*run, program, "1000000"], stdout=subprocess.PIPE, text=True, check=True, env=env).stdout
            found[way].append([float(word) for word in text.split()])
for way, rows in found.items():
    for i, what in enumerate(("task", "region")):
        ours, bare = [row[i] for row in rows], [row[i] for row in found["no tool"]]
        ratio = statistics.median(a / b for a, b in zip(ours, bare))
        print(f"{way:16} {what:6} least {min(ours):6.0f} ns ({min(ours) / min(bare):.2f} x), {spread(ours, 0, 'ns')}, {ratio:.2f} x in one round")
