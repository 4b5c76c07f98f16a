#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of GPUs: CPU time of `wattle run --interval 10ms` and its wattle-gpu with 8 GPUs, compared with a bare loop of the same
reads (bench_gpu) that runs in turn with it; and the time of one read per vendor's library.

    bench_gpu.py [--build DIR] [--seconds S] [--rounds N] [--nvml FILE]

The libraries are fakes whose values are files in memory, unless --nvml names NVIDIA's own. In percent of a core, median and range over
the rounds. "library" is the CPU time of the calls as wattle-gpu counts it itself (request "cost"), in a conversation of the same
pace: NVML's counter is read every 20 ms, which is what it claims, AMD's every 10 ms. Prints results; asserts nothing.
"""
import argparse, os, shutil, subprocess, tempfile, time

from bench_spread import spread

GPU = {"energy_mj": "123456789", "power_mw": "300000", "average_mw": "300000", "instant_mw": "300000", "limit_mw": "700000",
       "utilization": "50", "memory": "85899345920 1000000", "clocks_mhz": "1980 2619", "temperature_c": "40", "reasons": "0",
       "mig": "0", "processes": "", "name": "NVIDIA H100 80GB HBM3"}
VALUES = {
    "rocm": ["devices 1", "version 7", "0.bdf 0xc100", "0.limit 560000000", "0.energy 655360"],
    "amdsmi": ["devices 1", "version 26 2 0", "record 7.0", "0.bdf 0xc100", "0.current 90", "0.energy 655360"],
    "8 amdsmi": ["devices 8", "version 26 2 0", "record 7.0",
                 *(line for i in range(8) for line in (f"{i}.bdf {0x2100 + 0x1000 * i:#x}", f"{i}.energy 655360"))],
    "ze": ["devices 1", "0.pci 0 3 0 0", "0.powers 1", "0.card 0", "0.power.0.domain 1", "0.power.0.energy 10000000"],
}


def make_gpus(folder, count):
    for i in range(count):
        os.makedirs(f"{folder}/{i}")
        facts = {**GPU, "uuid": f"GPU-0000000{i}-1111-2222-3333-444444444444", "pci": f"0000:{0x17 + 16 * i:02x}:00.0"}
        for name, text in facts.items():
            with open(f"{folder}/{i}/{name}", "w") as f:
                f.write(text + "\n")
    with open(f"{folder}/library", "w") as f:
        f.write("now\n")


def cpu_ns(pid):
    """Of all threads so far."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as f:
            total += int(f.read().split()[0])
    return total


def tree(pid):
    """{what: ns} of wattle and its wattle-gpu, which is named with its part of the work."""
    costs = {"wattle": cpu_ns(pid)}
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        children = f.read().split()
    for child in children:
        with open(f"/proc/{child}/comm") as f:
            if f.read().strip() == "wattle-gpu":
                costs[f"wattle-gpu {len(costs)}"] = cpu_ns(child)
    return costs


def run_cost(wattle, seconds, env):
    """Percent of a core: wattle, wattle-gpu (energy, then activity)."""
    child = subprocess.Popen([wattle, "run", "--interval", "10ms", "--no-trace", "--", "sleep", str(seconds + 4)], env=env,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(3)  # opened
    before, begin = tree(child.pid), time.monotonic()
    time.sleep(seconds)
    after, took = tree(child.pid), time.monotonic() - begin
    child.wait(60)
    return {what: (after[what] - ns) / took / 1e7 for what, ns in before.items()}


def helper_cost(helper, vendor, library, pace_s, seconds, env):
    """A conversation at that pace: percent of a core for wattle-gpu as a whole, and for the library's calls in it."""
    child = subprocess.Popen([helper, vendor, library], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(request, end):
        child.stdin.write(request + "\n")
        lines = []
        while not lines or not lines[-1].startswith(end):
            lines.append(child.stdout.readline())
        return lines

    rows = [row.split() for row in ask("list", ".") if row.startswith("channel ")]
    numbers = [row[1] for row in rows if "activity=yes" not in row and "spare=yes" not in row]

    def cost():
        facts = dict(word.split("=") for word in ask("cost", ".")[0].split()[1:])
        return {key: int(facts[key]) for key in ("library_ns", "cpu_ns")}

    before, begin = cost(), time.monotonic()
    for i in range(int(seconds / pace_s)):
        time.sleep(max(0, begin + pace_s * (i + 1) - time.monotonic()))
        ask("read " + " ".join(numbers), "=")
    after, took = cost(), time.monotonic() - begin
    child.stdin.close()
    child.wait(10)
    return [(after[key] - before[key]) / took / 1e7 for key in ("cpu_ns", "library_ns")]


def bare(program, vendor, library, pace_s, seconds, env):
    out = subprocess.run([program, vendor, library, str(seconds), str(pace_s * 1000)], env=env, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in out.split()]


def show(what, values):
    print(f"  {what:<58} {spread(values, 2, '%')}", flush=True)


def write_values(folder, name):
    path = f"{folder}/{name.replace(' ', '-')}"
    with open(path, "w") as f:
        f.write("\n".join(VALUES[name]) + "\n")
    return path


def eight(title, programs, vendor, library, pace_s, options, env):
    program, wattle, helper = programs
    rows = {}
    for _ in range(options.rounds):
        own = run_cost(wattle, options.seconds, env)
        main, helpers = own.pop("wattle"), sum(own.values())
        whole, inside = helper_cost(helper, vendor, library, pace_s, options.seconds, env)
        _, _, _, loop, idle = bare(program, vendor, library, pace_s, options.seconds, env)
        for what, value in {"wattle, all": main, "wattle-gpu in it, all": helpers, "wattle-gpu alone at that pace, all": whole,
                            "the library's calls in that": inside, "a bare loop of the same reads": loop, "a loop that only wakes up": idle,
                            "wattle and wattle-gpu, less the reads of the bare loop": main + helpers - (loop - idle)}.items():
            rows.setdefault(what, []).append(value)
    print(f"8 GPUs, {title}, in percent of a core:")
    for what, values in rows.items():
        show(what, values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nvml")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    programs = [f"{build}/bin/{name}" for name in ("bench/bench_gpu", "wattle", "wattle-gpu")]
    nvml, fakes = options.nvml or f"{build}/lib/wattle-sim/nvml.so", f"{build}/tests/gpu"
    amd = f"{fakes}/libfake_amdsmi.so"
    if not all(os.path.exists(path) for path in (*programs, nvml)):
        print("bench_gpu: needs bench_gpu, wattle, wattle-gpu and the fake NVML")
        return
    folder = tempfile.mkdtemp(prefix="wattle-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    try:
        make_gpus(f"{folder}/gpus", 8)
        plain = {key: value for key, value in os.environ.items() if not key.startswith("WATTLE_")}
        green = {**plain, "WATTLE_SIM_GPUS": f"{folder}/gpus", "WATTLE_NVML_LIBRARY": nvml}
        kind = "NVIDIA's library" if options.nvml else "fake NVML"
        eight(f"{kind}, every 20 ms", programs, "nvml", nvml, 0.02, options, green)
        if os.path.exists(amd):
            red = {**plain, "WATTLE_FAKE_GPU": write_values(folder, "8 amdsmi"), "WATTLE_ROCM_LIBRARY": amd}
            eight("fake AMD SMI, every 10 ms", programs, "rocm", amd, 0.01, options, red)
        print("one read in a row of many:")
        rows = [(kind, "nvml", nvml, green)]
        rows += [(f"fake {name}", vendor, f"{fakes}/libfake_{name}.so", {**plain, "WATTLE_FAKE_GPU": write_values(folder, name)})
                 for name, vendor in (("rocm", "rocm"), ("amdsmi", "rocm"), ("ze", "levelzero"))]
        for name, vendor, path, env in rows:
            if os.path.exists(path):
                count, wall_us, cpu_us, *_ = bare(programs[0], vendor, path, 0.01, 0.1, env)
                print(f"  {name}, {count:.0f} channels: {wall_us:.1f} us, CPU {cpu_us:.1f} us")
    finally:
        shutil.rmtree(folder)


main()
