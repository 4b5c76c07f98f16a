#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: bench/bench_tasks.py [BUILD [ROUNDS [SECONDS]]]

The cost of tracing tasks: ns per mark (goal O7); then what a task takes longer at 10^5 and 10^6 tasks a second with
"wattle run --tasks" and with LTTng-UST (lttng-tools; user-space tracing into a session), beside the bare loop. The
three alternate; the least over the rounds (other load only adds) of the median batch of 1000 tasks, and of the mean, which has page faults and
whatever the consumer takes from the same CPUs.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
seconds = sys.argv[3] if len(sys.argv) > 3 else "1"
program = str(build / "bin/bench/bench_tasks")


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True, **more).stdout


def numbers(text):
    words = next(line for line in text.splitlines() if line.split(" ")[0] in ("bare", "wattle", "lttng")).split()
    return int(words[1]), [float(w) for w in words[2:]]


def lttng(home, rate, turns):
    env = {**os.environ, "LTTNG_HOME": home}
    run("lttng", "create", "bench", "--output", f"{home}/trace", env=env)
    run("lttng", "enable-channel", "-u", "c", "--subbuf-size", "1M", "--num-subbuf", "16", env=env)
    run("lttng", "enable-event", "-u", "-c", "c", "bench_tasks:*", env=env)
    run("lttng", "start", env=env)
    text = run(program, "lttng", rate, seconds, turns, env=env)
    run("lttng", "stop", env=env)
    run("lttng", "destroy", env=env)
    size = sum(f.stat().st_size for f in pathlib.Path(home, "trace").rglob("*") if f.is_file())
    shutil.rmtree(f"{home}/trace", ignore_errors=True)
    return text, size


print(run(program), end="")
with tempfile.TemporaryDirectory() as home:
    have = shutil.which("lttng-sessiond") and "lttng_ust" in run("nm", "-D", program)
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env={**os.environ, "LTTNG_HOME": home},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if have else None
    trace = f"{home}/t.wtl"
    for rate in ("1e5", "1e6"):
        results, sizes = {"bare": [], "wattle": [], "lttng": []}, {}
        turns = numbers(run(program, "bare", rate, 0.1))[0]
        for _ in range(rounds):
            results["bare"].append(numbers(run(program, "bare", rate, seconds, turns))[1])
            results["wattle"].append(numbers(run(build / "bin/wattle-sim", "run", "--", build / "bin/wattle", "run", "-q",
                                                 "--force", "--tasks", "--tasks-limit", "0", "-o", trace, "--",
                                                 program, "wattle", rate, seconds, turns))[1])
            sizes["wattle"] = os.stat(trace).st_size
            if daemon:
                text, sizes["lttng"] = lttng(home, rate, turns)
                results["lttng"].append(numbers(text)[1])
        bare = [min(r[i] for r in results["bare"]) for i in range(3)]
        print(f"{rate} tasks/s: bare {bare[0]:.0f} ns a task (mean {bare[1]:.0f})")
        for name in ("wattle", "lttng"):
            if results[name]:
                more = [min(r[i] for r in results[name]) - bare[i] for i in range(3)]
                size = sizes[name] / (float(rate) * float(seconds))
                print(f"  {name:6} + {more[0]:.1f} ns ({100 * more[0] / bare[0]:.2f} %), mean + {more[1]:.1f}, "
                      f"95 % + {more[2]:.1f}; {size:.1f} bytes a task in its files")
    if daemon:
        daemon.terminate()
        daemon.wait(20)
