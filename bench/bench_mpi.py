#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""libwattle-mpi: the paper's Table 2 on this machine, S3, and the cost of a call.

    bench_mpi.py [--build DIR] [--mpi openmpi|mpich] [--seconds S] [--repeats N] [--ranks 1,2,4,8,16] [--interval 560ms --interval 1ms]

Table 2: the same fixed-time program bare and under LD_PRELOAD=libwattle-mpi.so, interleaved in random order within a
repeat; wattle's time in MPI_Init and MPI_Finalize (which it prints: WATTLE_MPI_TIMES), the CPU time of its sampling threads
(collection), all of these as a share of the run time, and its memory in the rank that measures and in the others.
The paper: 0.4 % at 560 ms on 1024 nodes, init 2.7 to 3.3 ms, finalize 151 to 335 ms, 131 kB.
S3: the exponent e of finalize = c ranks^e, least squares over the logarithms; goal <= 0.15.
A call: median and mean of 200 blocks of 2000 calls on MPI_COMM_SELF, bare, with the library but without recording, and with a trace.
Prints results; asserts nothing.
"""
import argparse
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def launch(mpi, ranks, environment, words):
    line = [f"mpirun.{mpi}", "-n", str(ranks)]
    if mpi == "openmpi":
        line[1:1] = ["--oversubscribe", "--bind-to", "none"]
    for name, value in environment.items():
        line += ["-x", f"{name}={value}"] if mpi == "openmpi" else ["-genv", name, value]
    ran = subprocess.run([*line, *words], capture_output=True, text=True, timeout=600, check=False)
    if ran.returncode:
        sys.exit(f"{' '.join(line)}: {ran.stderr}")
    return ran.stdout + ran.stderr


def fixed(mpi, ranks, environment, program, seconds):
    """wattle's time in MPI_Init and MPI_Finalize by rank (ms; 0 without it), CPU time of threads other than the main ones over all ranks
    (ms), private KiB by rank."""
    out = launch(mpi, ranks, environment, [program, "fixed", str(seconds)])
    own = [list(map(float, pair)) for pair in re.findall(r"rank \d+: ([0-9.]+) ms in MPI_Init, ([0-9.]+) ms in MPI_Fin", out)]
    lines = [list(map(float, line)) for line in re.findall(r"^rank ([0-9.]+) ([0-9.]+) (-?[0-9.]+) (\d+)$", out, re.MULTILINE)]
    if len(lines) != ranks or len(own) != (ranks if environment else 0):
        sys.exit(f"bench_mpi: {len(lines)} and {len(own)} of {ranks} ranks have spoken:\n{out}")
    own = own or [[0, 0]]
    return {"init": max(o[0] for o in own), "init_least": min(o[0] for o in own), "finalize": max(o[1] for o in own),
            "finalize_least": min(o[1] for o in own), "program": max(line[1] for line in lines), "cpu": sum(line[2] for line in lines),
            "kib": sorted(line[3] for line in lines)}


def middle(runs, key):
    return statistics.median(key(run) if callable(key) else run[key] for run in runs)


def table2(args, program, folder):
    points = {}
    print(f"Table 2, {args.mpi}, {args.seconds:g} s of work, medians of {args.repeats}; load of the machine before: {os.getloadavg()[0]:.1f}")
    print("init, finalize: the slowest rank (the quickest), waiting for each other included; share: slowest init and finalize and "
          "all collection by the time of work")
    print(f"{'ranks':>5} {'interval':>8} {'init [ms]':>17} {'collection [ms]':>16} {'finalize [ms]':>17} {'share':>7} "
          f"{'in the run':>10} {'memory [KiB]':>13} {'others':>7}")
    for ranks in args.ranks:
        runs = {mode: [] for mode in ("bare", *args.intervals)}
        for repeat in range(args.repeats):
            for mode in random.sample(list(runs), len(runs)):
                out = f"{folder}/{ranks}-{mode}-{repeat}/"
                environment = {} if mode == "bare" else {"LD_PRELOAD": f"{args.build}/lib/libwattle-mpi.so", "WATTLE_QUIET": "1",
                                                         "WATTLE_MPI_TIMES": "1", "WATTLE_INTERVAL": mode, "WATTLE_OUTPUT": out}
                runs[mode].append(fixed(args.mpi, ranks, environment, program, args.seconds))
                shutil.rmtree(out, ignore_errors=True)
        bare = runs["bare"]
        points.setdefault("bare", []).append((ranks, middle(bare, "program")))
        for mode in args.intervals:
            each = runs[mode]
            cpu = middle(each, "cpu") - middle(bare, "cpu")
            init, finalize = middle(each, "init"), middle(each, "finalize")
            most = middle(each, lambda run: run["kib"][-1]) - middle(bare, lambda run: run["kib"][-1])
            least = middle(each, lambda run: run["kib"][0]) - middle(bare, lambda run: run["kib"][0])
            print(f"{ranks:5} {mode:>8} {init:8.2f} ({middle(each, 'init_least'):6.2f}) {cpu:16.2f} "
                  f"{finalize:8.2f} ({middle(each, 'finalize_least'):6.2f}) {(init + finalize + cpu) / args.seconds / 1e3:7.2%} "
                  f"{cpu / args.seconds / 1e3:10.3%} {most:+13.0f} {least:+7.0f}", flush=True)
            points.setdefault(mode, []).append((ranks, finalize, init, middle(each, "finalize_least"), middle(each, "program")))
    return points


def exponent(points, column):
    good = [(math.log(point[0]), math.log(point[column])) for point in points if point[column] > 0]
    if len(good) < 3:
        return "? (less than three points)"
    x, y = [p[0] for p in good], [p[1] for p in good]
    mean_x, mean_y = statistics.mean(x), statistics.mean(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in good) / sum((a - mean_x) ** 2 for a in x)
    rest = math.sqrt(sum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in good) / max(1, len(good) - 2))
    error = rest / math.sqrt(sum((a - mean_x) ** 2 for a in x))
    return f"{slope:+.2f} +- {error:.2f} "


def calls(args, program, folder):
    out = f"{folder}/calls/"
    library = f"{args.build}/lib/libwattle-mpi.so"
    modes = {"bare": {}, "preloaded, WATTLE_DISABLE=1": {"LD_PRELOAD": library, "WATTLE_DISABLE": "1"},
             "counted, no regions": {"LD_PRELOAD": library, "WATTLE_QUIET": "1", "WATTLE_OUTPUT": out, "WATTLE_MPI_REGIONS": "off"},
             "counted, regions from 20 us": {"LD_PRELOAD": library, "WATTLE_QUIET": "1", "WATTLE_OUTPUT": out},
             "every call a region": {"LD_PRELOAD": library, "WATTLE_QUIET": "1", "WATTLE_OUTPUT": out, "WATTLE_MPI_REGIONS": "all"}}
    found = {mode: {} for mode in modes}
    clock = []
    for _ in range(args.repeats):
        for mode in random.sample(list(modes), len(modes)):
            for line in launch(args.mpi, 1, modes[mode], [program, "calls"]).splitlines():
                if not line.startswith("call "):
                    continue
                _, name, *values = line.split()
                median_mean = [float(value) for value in values]
                (clock if name == "clock_gettime" else found[mode].setdefault(name, [])).append(median_mean)
            shutil.rmtree(out, ignore_errors=True)
    def typical(values, i):
        return statistics.median(value[i] for value in values)

    print(f"\nA call, {args.mpi}, ns, medians of {args.repeats}, of the median and the mean call; behind each what is added. "
          f"clock_gettime in the same program: {typical(clock, 0):.1f} ns (mean {typical(clock, 1):.1f})")
    for mode, names in found.items():
        cells = [f"{name} " + " mean ".join(f"{typical(values, i):7.1f} {typical(values, i) - typical(found['bare'][name], i):+7.1f}"
                                            for i in (0, 1)) for name, values in names.items()]
        print(f"  {mode:30} {'   '.join(cells)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"))
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--ranks", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 4, 8, 16])
    parser.add_argument("--interval", dest="intervals", action="append")
    args = parser.parse_args()
    args.intervals = args.intervals or ["560ms", "1ms"]
    args.build = os.path.abspath(args.build)
    if not shutil.which(f"mpicc.{args.mpi}") or not os.path.exists(f"{args.build}/lib/libwattle-mpi.so"):
        print(f"bench_mpi: skipped: needs mpicc.{args.mpi}, mpirun.{args.mpi} and {args.build}/lib/libwattle-mpi.so")
        return
    folder = tempfile.mkdtemp(prefix="wattle-bench-mpi-")
    program = f"{folder}/work"
    subprocess.run([f"mpicc.{args.mpi}", "-O2", f"{HERE}/bench_mpi_work.c", "-o", program], check=True)
    points = table2(args, program, folder)
    print(f"S3: MPI_Finalize, as the program sees it, grows as ranks^{exponent(points.pop('bare'), 1)} bare,")
    for mode, each in points.items():
        print(f"  at {mode} ranks^{exponent(each, 4)}; wattle's part, slowest rank: ranks^{exponent(each, 1)}; quickest: "
              f"ranks^{exponent(each, 3)}; init, slowest: ranks^{exponent(each, 2)}")
    calls(args, program, folder)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
