#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of watching: CPU time of `wattle top` at its default interval, compared with top(1) and `wattle run -a`.

    bench_top.py [--build DIR] [--processes N] [--seconds S] [--rounds N]

Sleeping processes are added until the machine has N. Then each in turn, with output as lines to a pipe and on a
terminal of 120x40: user and system time of the program itself, in percent of one CPU, median and range over the
rounds. Prints results; asserts nothing.
"""
import argparse, fcntl, os, pty, resource, shutil, struct, subprocess, tempfile, termios, threading, time

from bench_spread import spread


def cpu_percent(argv, env, on_terminal):
    main, side = pty.openpty() if on_terminal else (None, None)
    if on_terminal:
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    out = side if on_terminal else subprocess.DEVNULL
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen(argv, env=env, stdin=side if on_terminal else subprocess.DEVNULL, stdout=out,
                             stderr=subprocess.DEVNULL)
    if on_terminal:
        os.close(side)
        threading.Thread(target=drain, args=(main,), daemon=True).start()
    child.wait()
    took, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 100 * used / took


def drain(fd):
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        os.close(fd)


def count_processes():
    return sum(name.isdigit() for name in os.listdir("/proc"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--processes", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    wattle, n = os.path.abspath(os.path.join(args.build, "bin/wattle")), str(args.seconds)
    os.chdir(tempfile.mkdtemp(prefix="wattle-bench-"))
    env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
    sleepers = [subprocess.Popen(["sleep", "100000"]) for _ in range(max(0, args.processes - count_processes()))]
    modes = {"wattle top, screen": ([wattle, "top", "-n", n], True),
             "wattle top, text": ([wattle, "top", "-b", "-n", n], False),
             "wattle top, json": ([wattle, "top", "--format", "json", "-n", n], False),
             "wattle top --no-processes": ([wattle, "top", "-b", "--no-processes", "-n", n], False),
             "wattle run -a (10 Hz, no looks)": ([wattle, "run", "-q", "-a", "--no-trace", "--duration", n + "s"], False)}
    if shutil.which("top"):
        modes["top -d 1, screen"] = (["top", "-d", "1", "-n", n], True)
        modes["top -b -d 1"] = (["top", "-b", "-d", "1", "-n", n], False)
    if shutil.which("htop"):
        modes["htop -d 10, screen"] = (["timeout", "-s", "INT", n, "htop", "-d", "10"], True)
    try:
        time.sleep(1)
        print(f"{count_processes()} processes, {os.cpu_count()} CPUs, a look each second, {args.rounds} rounds of {n} s")
        used = {name: [] for name in modes}
        for _ in range(args.rounds):
            for name, (argv, on_terminal) in modes.items():
                used[name].append(cpu_percent(argv, env, on_terminal))
        for name, values in used.items():
            print(f"{name:34s} {spread(values, 2, '% of a CPU')}")
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()


if __name__ == "__main__":
    main()
