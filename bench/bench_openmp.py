#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: bench/bench_openmp.py [BUILD [ROUNDS]]

What an empty OpenMP task (three marks) and an empty parallel region of one thread (four marks) take without a tool, with
"wattle run --tasks" and with --tasks=summary, alternately; the least over the rounds, and the ratio to no tool.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
here = pathlib.Path(__file__).resolve().parent
WAYS = {"no tool": None, "--tasks": ["--tasks"], "--tasks=summary": ["--tasks=summary"]}

with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/tasks"
    subprocess.run(["clang", "-O2", "-fopenmp", here / "openmp_tasks.c", "-o", program], check=True)
    env = {**os.environ, "WATTLE_SEATS": f"{folder}/seats"}
    least = {}
    for _ in range(rounds):
        for way, options in WAYS.items():
            run = [] if options is None else [build / "bin/wattle", "run", "-q", "--force", "-s", "estimate", *options, "-o",
                                              f"{folder}/t.wtl", "--"]
            text = subprocess.run([*run, program, "1000000"], stdout=subprocess.PIPE, text=True, check=True, env=env).stdout
            least[way] = [min(a, b) for a, b in zip(map(float, text.split()), least.get(way, [1e9, 1e9]))]
for way, (task, region) in least.items():
    bare = least["no tool"]
    print(f"{way:16} task {task:6.0f} ns ({task / bare[0]:.1f} x)   region {region:6.0f} ns ({region / bare[1]:.1f} x)")
