#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""O9: wattle run as a wrapper, compared with perf stat and bare execution, interleaved in one run.

    bench_wrapper.py [--build DIR] [--pairs N] [--seconds S] [--long-pairs N]

Start-up: the wall time that wrapping `true` adds, and the peak memory of the wrapper itself while it
wraps a `sleep` (VmHWM of its own image; wait4 would include the memory of this program). Then a
fixed computation of about S seconds, alternately bare and wrapped (in random order within a pair): the
mean of the log ratios with its 95 % interval, which is also the effect that this many pairs could
have detected. Prints results; asserts nothing.
"""
import argparse, math, os, random, shutil, statistics, subprocess, sys, tempfile, time

from bench_spread import spread

def run(argv, env):
    begin = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.execve(argv[0], argv, env)
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{argv}: status {status}")
    return took


def peak_kib(argv, env):
    """Peak resident memory of a program that has been running for a while; ends it."""
    child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    time.sleep(0.6)
    with open(f"/proc/{child.pid}/status") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    child.wait()
    return peak

def student95(n):
    table = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26, 15: 2.14, 20: 2.09, 30: 2.05}
    return table[max(k for k in table if k <= max(n, 2))]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--long-pairs", type=int, default=6)
    args = parser.parse_args()
    wattle = os.path.abspath(os.path.join(args.build, "bin/wattle"))
    true = shutil.which("true")
    os.chdir(tempfile.mkdtemp(prefix="wattle-bench-"))
    env = dict(os.environ)
    modes = {"bare": [true],
             "wattle run": [wattle, "run", "--force", "-o", "t.wtl", "--", true],
             "wattle run --no-trace": [wattle, "run", "--no-trace", "--", true]}
    perf = shutil.which("perf")
    if perf:
        modes["perf stat"] = [perf, "stat", "-e", "task-clock", true]
    times = {name: [] for name in modes}
    sleep = [shutil.which("sleep"), "1"]
    memory = {name: peak_kib([*argv[:-1], *sleep], env) for name, argv in modes.items()}
    for i in range(args.pairs + 3):
        for name in random.sample(list(modes), len(modes)):
            took = run(modes[name], env)
            if i >= 3:
                times[name].append(took)
    bare = statistics.median(times["bare"])
    for name in modes:
        t = [1e3 * seconds for seconds in times[name]]
        print(f"O9  {name:22s} true: {spread(t, 2, 'ms')}, adds {statistics.median(t) - 1e3 * bare:6.2f} ms, "
              f"peak {memory[name] / 1024:5.1f} MiB")
    # A fixed amount of work: the number of loops is determined once and is the same in every run.
    def command(loops):
        return [sys.executable, "-c", f"x=1.5\nfor i in range({loops}): x=x*1.0000001+1e-9"]
    took = run(command(2000000), env)
    loops = int(2000000 * args.seconds / took)
    wrapped = {"wattle run 10 Hz": ["-i", "100ms"], "wattle run 1 kHz": ["-i", "1ms"]}
    ratios = {name: [] for name in wrapped}
    for i in range(args.long_pairs):
        for name, options in wrapped.items():
            pair = {"bare": command(loops),
                    name: [wattle, "run", "--force", "-o", "t.wtl", *options, "--", *command(loops)]}
            t = {k: run(pair[k], env) for k in random.sample(list(pair), 2)}
            ratios[name].append(math.log(t[name] / t["bare"]))
    for name, r in ratios.items():
        half = student95(len(r)) * statistics.stdev(r) / math.sqrt(len(r))
        print(f"O9  {name:22s} computation of {args.seconds:g} s: {100 * statistics.mean(r):+.2f} % +- {100 * half:.2f} (95 %, {len(r)} pairs)")

main()
