#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What energy accounting costs in Slurm, and how exact it is, under a real Slurm on simulated nodes: the measurements of Georgiou
et al. (ICDCN 2014), tables 1 to 4 and figures 2 to 6, again.

    bench_slurm.py [--rounds N] [--work S] [--scale K] [--steady S] [--only table1|steady|tables] [--picture FILE.png]
                   [--keep FOLDER]

Table 1: one computation (matrix products, both cores) in each mode: without accounting, and with begin and end only, sampling
(tasks and energy every second), and a profile, of the stock plugins rapl and pm_counters and of acct_gather_energy/wattle
(where it was built), five rounds in random order each. Run time and exact joules of the node, whose power depends on the load that
all its processes make; CPU time and memory over time of slurmd and slurmstepd; bytes and connections on the network. Differences
from the mode without accounting in the same round, as an equivalence test (two one-sided tests at 5 %): the smallest difference
that is excluded, and the one that five rounds would detect in four cases of five. --steady S adds jobs of S seconds that only
sleep: what slurmd and slurmstepd use between begin and end, and their memory over time.

Tables 2 to 4: jobs of three lengths, those of the paper divided by --scale, on nodes with known power: what Slurm says of a
sensor like the paper's board controller (which takes 70 s, likewise divided, to follow a step), of the exact counter through
stock plugins, and of wattle; |difference| / larger value, truncated to two digits, as the paper has it. --picture has the power
over time of a node and of a job of two nodes, from the profiles.

Prints results; asserts nothing. Needs root, Slurm, MariaDB, FUSE, a C compiler, h5py; gnuplot for the picture. Default: about 3
minutes; --rounds 20 --work 20 --scale 10 takes an hour.
"""
import argparse
import glob
import math
import os
import random
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests/integration/slurm"))
import cluster
from scene import BUILD, SIM, skip

os.environ.setdefault("WATTLE_SIM", SIM)

SECOND = 1e9
PLUGIN = f"{BUILD}/lib/slurm/acct_gather_energy_wattle.so"
LENGTHS = (("Linpack", 2657), ("IMB", 900), ("Stream", 130))
RISE = 70  # seconds that the paper's board controller took
T95 = {1: 6.314, 2: 2.920, 3: 2.353, 4: 2.132, 5: 2.015, 6: 1.943, 7: 1.895, 9: 1.833, 14: 1.761, 19: 1.729}
T80 = {1: 1.376, 2: 1.061, 3: 0.978, 4: 0.941, 5: 0.920, 6: 0.906, 7: 0.896, 9: 0.883, 14: 0.868, 19: 0.861}
# A node for each plugin: what its slurm.conf has in place of the cluster's.
NODES = {"none": "none", "rapl": "rapl", "pm": "pm_counters", "wattle": "wattle", "wattle2": "wattle", "bmc": "pm_counters",
         "bmc2": "pm_counters"}
WORK = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { N = 192 };
static long rounds;
static void *multiply(void *unused)
{
    double (*a)[N] = malloc(sizeof(double[N][N])), (*b)[N] = malloc(sizeof(double[N][N])), (*c)[N] = calloc(N, sizeof *c);
    for (int i = 0; i < N * N; i++)
        a[0][i] = i % 7, b[0][i] = i % 5;
    for (long r = 0; r < rounds; r++)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][k] * b[k][j];
    if (c[3][5] < 0)
        puts("negative");
    return unused;
}
static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
int main(int argc, char **argv)
{
    pthread_t other;
    rounds = argc > 1 ? atol(argv[1]) : 100;
    long long begin = now();
    pthread_create(&other, NULL, multiply, NULL);
    multiply(NULL);
    pthread_join(other, NULL);
    printf("%lld %lld %.9f\n", begin, now(), (double)clock() / CLOCKS_PER_SEC);
}
"""


def table(values, n):
    return values.get(n, values[max(k for k in values if k <= n)])


# ---- the cluster ----

def node_conf(kind, text):
    keys = {"AcctGatherEnergyType": f"acct_gather_energy/{kind}", "AcctGatherNodeFreq": "0" if kind == "none" else "1"}
    if kind == "none":
        keys["JobAcctGatherType"] = "jobacct_gather/none"
    lines = [line for line in text.splitlines() if line.split("=")[0] not in keys]
    return "\n".join(lines + [f"{key}={value}" for key, value in keys.items()]) + "\n"


def start_with_own_conf(start, kinds):
    """Node.start() that gives the slurmd of a node a slurm.conf of its own."""
    def own(node, name):
        if name == "slurmd":
            with open("/etc/slurm/slurm.conf", encoding="ascii") as file:
                text = file.read()
            with open(f"{node.base}/slurm.conf", "w", encoding="ascii") as file:
                file.write(node_conf(kinds[node.name], text))
            node.run("mount", "--bind", f"{node.base}/slurm.conf", "/etc/slurm/slurm.conf")
        return start(node, name) if name != "wattled" or kinds[node.name] == "wattle" else None
    return own


def make_cluster(names):
    kinds = {f"n{i + 1}": NODES[name] for i, name in enumerate(names)}
    cluster.Node.start = start_with_own_conf(cluster.Node.start, kinds)
    c = cluster.Cluster(
        nodes=len(names), power={"package": "60+40*load", "dram": "8", "node": "120+48*load"},
        sim=["--view", "powercap,msr,cray"],
        slurm=f"PluginDir={os.path.dirname(PLUGIN)}:{cluster.PLUGINS}\nAcctGatherProfileType=acct_gather_profile/hdf5\n"
              "AcctGatherEnergyType=acct_gather_energy/none\nDebugFlags=NO_CONF_HASH\nJobAcctGatherFrequency=task=0",
        files={"acct_gather.conf": f"ProfileHDF5Dir={os.path.abspath('profiles')}\nProfileHDF5Default=None\n"})
    c.at = dict(zip(names, c.nodes.values()))
    return c


def exact(node, begin_ns, end_ns):
    """Joules of each domain of a node: {"package": J, ...}."""
    return {name.split("-")[0]: joules for name, joules in node.truth(begin_ns, end_ns).items()}


# ---- costs ----

def cpu_s(pid):
    """CPU time of a process with all its threads, ended ones too: its CPU clock, as clock_getcpuclockid(3) names it."""
    return time.clock_gettime((~pid << 3) | 2)


def rss_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0


def network():
    with open("/proc/net/dev", encoding="ascii") as file:
        octets = sum(int(line.split()[1]) for line in file if line.strip().startswith("lo:"))
    with open("/proc/net/snmp", encoding="ascii") as file:
        keys, values = [line.split() for line in file if line.startswith("Tcp:")]
    return octets, int(dict(zip(keys, values))["ActiveOpens"])


class Watch:
    """slurmd and each slurmstepd of a node, 20 times a second. What a slurmstepd does in its last 50 ms is missed."""

    def __init__(self, node):
        slurmd = node.pids["slurmd"]
        self.slurmd, self.stop, self.cpu, self.rss = slurmd, threading.Event(), {}, []
        self.host = os.readlink(f"/proc/{slurmd}/ns/uts")  # each node has a name of its own
        self.slurmd_s, self.network = cpu_s(slurmd), network()
        self.thread = threading.Thread(target=self._loop)
        self.thread.start()

    def _steps(self):
        for path in glob.glob("/proc/[0-9]*/comm"):
            try:
                with open(path, encoding="ascii", errors="replace") as file:
                    if file.read().startswith("slurmstepd") and os.readlink(path.replace("comm", "ns/uts")) == self.host:
                        yield int(path.split("/")[2])
            except OSError:
                pass

    def _loop(self):
        while not self.stop.wait(0.05):
            rss = 0
            for pid in self._steps():
                try:
                    self.cpu[pid] = max(self.cpu.get(pid, 0), cpu_s(pid))
                    rss += rss_mb(pid)
                except OSError:
                    pass
            if rss:
                self.rss.append(rss)

    def end(self):
        self.stop.set()
        self.thread.join()
        octets, opened = network()
        return {"slurmd_ms": 1e3 * (cpu_s(self.slurmd) - self.slurmd_s), "slurmd_mb": rss_mb(self.slurmd),
                "stepd_ms": 1e3 * sum(self.cpu.values()), "stepd_first_mb": self.rss[min(3, len(self.rss) - 1)] if self.rss else 0,
                "stepd_max_mb": max(self.rss, default=0), "stepd_last_mb": self.rss[-3] if len(self.rss) > 3 else 0, "bytes": octets - self.network[0], "connections": opened - self.network[1]}


# ---- table 1 ----

def modes(names):
    yield "none", "none", []
    for name in names:
        if name in ("rapl", "pm", "wattle"):
            yield f"{name}, begin and end", name, ["--acctg-freq=task=0,energy=0"]
            yield f"{name}, sampling", name, ["--acctg-freq=task=1,energy=1"]
            yield f"{name}, profile", name, ["--acctg-freq=task=1,energy=1", "--profile=energy,task"]


def compute(c, node, options, work):
    watch = Watch(c.at[node])
    run = c.srun("-w", c.at[node].name, *options, *work)
    found = watch.end()
    if run.returncode != 0:
        raise cluster.Failed(f"srun: {run.stderr}")
    begin, end, cpu = run.stdout.split()
    begin, end = int(begin), int(end)
    truth = exact(c.at[node], begin, end)
    return {**found, "time_s": (end - begin) / SECOND, "cpu_s": float(cpu), "energy_j": truth["package"]}


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def equivalence(rows, base, key):
    """In percent: median difference, what is excluded at 5 %, what would be detected with a power of 80 %."""
    logs = [100 * math.log(row[key] / other[key]) for row, other in zip(rows, base)]
    n = len(logs)
    if n < 2:
        return logs[0], math.inf, math.inf
    mean = sum(logs) / n
    error = math.sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1) / n)
    reach = table(T95, n - 1) * error
    return median(logs), max(abs(mean - reach), abs(mean + reach)), (table(T95, n - 1) + table(T80, n - 1)) * error


def extra_ms(rows, base):
    """CPU time of slurmd and slurmstepd beyond that of a job without accounting: mean, and half its 90 % interval."""
    more = [sum(row[key] - other[key] for key in ("slurmd_ms", "stepd_ms")) for row, other in zip(rows, base)]
    mean, n = sum(more) / len(more), len(more)
    return mean, table(T95, n - 1) * math.sqrt(sum((x - mean) ** 2 for x in more) / (n - 1) / n) if n > 1 else math.inf


def table1(c, names, options):
    with open("work.c", "w", encoding="ascii") as file:
        file.write(WORK)
    subprocess.run(["cc", "-O2", "-pthread", "-o", "work", "work.c"], check=True)
    program = os.path.abspath("work")
    seconds = []
    for _ in range(3):
        seconds.append(float(subprocess.run([program, "200"], capture_output=True, text=True, check=True).stdout.split()[2]) / 2)
    work = [program, str(max(1, int(200 * options.work / median(seconds))))]
    found = {mode: [] for mode, _, _ in modes(names)}
    for _ in range(options.rounds):
        for mode, node, words in random.sample(list(modes(names)), len(found)):
            found[mode].append(compute(c, node, words, work))
    print(f"\nTable 1: {options.rounds} rounds of a computation of about {options.work:g} s on 2 threads; medians")
    print("mode                      time s    CPU s  energy J   slurmd ms/MB   slurmstepd ms/MB first..max   bytes  connections")
    for mode, rows in found.items():
        m = {key: median([row[key] for row in rows]) for key in rows[0]}
        print(f"{mode:24s} {m['time_s']:7.3f} {m['cpu_s']:8.3f} {m['energy_j']:9.2f} {m['slurmd_ms']:8.1f} {m['slurmd_mb']:5.1f} {m['stepd_ms']:11.1f} "
              f"{m['stepd_first_mb']:6.1f}..{m['stepd_max_mb']:.1f} {m['bytes']:14.0f} {m['connections']:8.0f}")
    print("\nDifference from none in the same round, % (median; larger ones are excluded at 5 %; detectable in 4 cases of 5)")
    print("mode                          time                        CPU time                      energy              CPU of slurmd, stepd")
    for mode, rows in found.items():
        if mode != "none":
            cells = ["%+6.2f excl. %6.2f det. %6.2f" % equivalence(rows, found["none"], key) for key in ("time_s", "cpu_s", "energy_j")]
            print(f"{mode:24s} {cells[0]}  {cells[1]}  {cells[2]}  {'%+6.1f +- %.1f ms' % extra_ms(rows, found['none'])}")


def steady(c, names, seconds):
    """Jobs that only sleep, on all nodes at once: what goes on between begin and end."""
    print(f"\nSteady cost: jobs of {seconds:g} s that sleep, one of each plugin at once")
    print("mode                      slurmd ms/s   slurmstepd ms/s   slurmstepd MB first..last, max")
    found = {}

    def sleep(mode, node, words):
        watch = Watch(c.at[node])
        run = c.as_user("alice", "timeout", f"{seconds + 60:.0f}", "srun", "-t90", "--mem=100", "-w", c.at[node].name, *words, "sleep",
                        str(seconds), timeout=seconds + 90)
        found[mode] = watch.end()
        if run.returncode != 0:
            print(f"{mode}: srun: {run.stderr}")

    for part in ("none", "begin and end", "sampling", "profile"):
        threads = [threading.Thread(target=sleep, args=each) for each in modes(names) if each[0].endswith(part)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for mode, _, _ in modes(names):
        m = found[mode]
        print(f"{mode:24s} {m['slurmd_ms'] / seconds:12.2f} {m['stepd_ms'] / seconds:17.2f} {m['stepd_first_mb']:17.1f}.."
              f"{m['stepd_last_mb']:.1f}, {m['stepd_max_mb']:.1f}")


# ---- tables 2 to 4 ----

def deviation(a, b):
    """As the paper prints it."""
    return math.floor(abs(a - b) / max(a, b) * 1e4 + 1e-9) / 100


def start_bmc(c, names, tau):
    for name in names:
        node = c.at[name]
        node.spawn("bmc", "/usr/bin/python3", os.path.join(HERE, "slurm/bmc.py"), f"{node.base}/bmc", str(tau))
        if not cluster.wait_for(lambda at=node: os.path.exists(f"log/{at.name}-bmc") and "ready" in at.said("bmc"), 20):
            raise cluster.Failed(f"{name}: {node.said('bmc')}")


def known_power(c, names):
    for name in names:
        c.at[name].run("wattle-sim", "set", "package=40", "dram=8", "node=120")


def run_jobs(c, kinds, seconds, *options):
    """A job on the nodes of each kind, at once, whose power rises when it starts: (job, truth per domain, instants)."""
    # set prints the instant of the step of power.
    script = ("echo job $SLURM_JOB_ID; wattle-sim set 'package=120+6*sin(2*pi*t/1.7)'; wattle-sim set 'node=320+20*sin(2*pi*t/1.7)'; "
              "sleep $1; wattle-sim set package=40; wattle-sim set node=120")
    found = {}

    def run(kind, names):
        where = ",".join(c.at[name].name for name in names)
        out = c.as_user("root", "timeout", f"{seconds + 60:.0f}", "srun", "-t90", "--mem=100", "-w", where, f"-N{len(names)}",
                        f"-n{len(names)}", "--acctg-freq=task=1,energy=1", *options, "sh", "-c", script, "-", f"{seconds:.3f}",
                        env={"WATTLE_SIM_NODE": "/sys/wattle-sim/node"}, timeout=seconds + 90)
        words = out.stdout.split()
        if out.returncode != 0 or len(words) < 6:
            raise cluster.Failed(f"srun: {out.stdout}{out.stderr}")
        times = [int(word) for word in words if word.isdigit() and int(word) > SECOND]
        found[kind] = (words[words.index("job") + 1], names, min(times), max(times))

    threads = [threading.Thread(target=run, args=item) for item in kinds.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(found) < len(kinds):
        raise cluster.Failed("a job failed: see above")
    return found


def tables(c, names, options):
    kinds = {"bmc": ["bmc", "bmc2"], "pm": ["pm"], "rapl": ["rapl"]}
    if "wattle" in names:
        kinds["wattle"] = ["wattle", "wattle2"]
    used = [name for group in kinds.values() for name in group]
    known_power(c, used)
    tau = RISE / options.scale / 3  # 95 % of a step after the rise
    start_bmc(c, ["bmc", "bmc2"], tau)
    print(f"\nTables 2 to 4: lengths of the paper / {options.scale:g}; the board controller rises in {RISE / options.scale:.2f} s")
    print("length            sensor         exact J   sacct J   deviation")
    for word, length in LENGTHS + (("profile", dict(LENGTHS)["IMB"]),):
        found = run_jobs(c, kinds, length / options.scale, *(["--profile=energy"] if word == "profile" else []))
        time.sleep(2)  # slurmdbd has the step
        for kind, (job, at, begin, end) in sorted(found.items()):
            joules = [exact(c.at[name], begin, end) for name in at]
            domains = ("package", "dram") if kind == "rapl" else ("node",)
            truth = sum(one[domain] for one in joules for domain in domains)
            rows = [row for row in c.sacct(job, "JobID,ConsumedEnergyRaw") if row["JobID"] == f"{job}.0"]
            shown = rows[0]["ConsumedEnergyRaw"] if rows else ""
            cell = f"{deviation(float(shown), truth):8.2f} %" if shown else " unknown"
            print(f"{word:8s} {length / options.scale:6.1f} s  {kind:5s} x{len(at)} {' + '.join(domains):14s} {truth:9.1f} "
                  f"{shown or '-':>9s} {cell}")
            if kind == "rapl":
                print(f"{'':26s} package + 4 dram: {sum(one['package'] + 4 * one['dram'] for one in joules):9.1f}: memory in units of "
                      "the package, as the plugin assumes, though this processor has smaller ones")
    return found


# ---- power over time ----

def curves(c, found, folder):
    """Files of power over time from the profiles, beside the exact power: {name: path}."""
    import h5py
    os.makedirs(folder, exist_ok=True)
    paths = {}
    for kind, (job, at, begin, end) in found.items():
        total = {}
        for name in at:
            for path in glob.glob(f"profiles/root/{job}_0_{c.at[name].name}.h5"):
                with h5py.File(path, "r") as file:
                    rows = file[f"{c.at[name].name}/Energy"][:]
                paths[name] = f"{folder}/{name}.dat"
                with open(paths[name], "w", encoding="ascii") as out:
                    for row in rows:
                        out.write(f"{row['ElapsedTime']} {row['Power']}\n")
                        total.setdefault(int(row["ElapsedTime"]), []).append(int(row["Power"]))
        paths[f"job-{kind}"] = f"{folder}/job-{kind}.dat"
        with open(paths[f"job-{kind}"], "w", encoding="ascii") as out:
            out.writelines(f"{t} {sum(all_nodes)}\n" for t, all_nodes in sorted(total.items()) if len(all_nodes) == len(at))
        node, step = c.at[at[0]], int(0.25 * SECOND)
        for domain in ("node", "package"):
            paths[f"exact-{kind}-{domain}"] = f"{folder}/exact-{kind}-{domain}.dat"
            with open(paths[f"exact-{kind}-{domain}"], "w", encoding="ascii") as out:
                for at_ns in range(begin, end - step, step):
                    joules = exact(node, at_ns, at_ns + step)
                    watts = (joules[domain] + (joules["dram"] if domain == "package" else 0)) / 0.25
                    out.write(f"{(at_ns + step / 2 - begin) / SECOND:.3f} {watts:.2f}\n")
    return paths


def picture(paths, output, scale):
    def line(name, title, style):
        return f"'{paths[name]}' with {style} title '{title}'" if name in paths and os.path.getsize(paths[name]) else None

    left = [line("exact-bmc-node", "node, exact", "lines lc rgb '#c0392b'"), line("bmc", "board controller, pm_counters", "steps lw 2 lc rgb 'black'"),
            line("pm", "exact counter, pm_counters", "points pt 7 ps 0.5 lc rgb '#7f8c8d'"),
            line("exact-rapl-package", "sockets and memory, exact", "lines lc rgb '#2980b9'"), line("rapl", "rapl", "points pt 6 lc rgb '#27ae60'"),
            line("wattle", "wattle", "points pt 2 lc rgb '#8e44ad'")]
    right = [line("job-bmc", "board controller, 2 nodes", "steps lw 2 lc rgb 'black'"), line("job-wattle", "wattle, 2 nodes", "linespoints pt 2 lc rgb '#8e44ad'")]
    plots = [", ".join(part for part in panel if part) for panel in (left, right)]
    text = f"set terminal pngcairo noenhanced size 1300,520 font 'DejaVu Sans,10'\nset output '{output}'\nset multiplot layout 1,2\n"
    for title, plot in zip((f"Power of a node (IMB / {scale:g})", "Power of a job"), plots):
        text += f"set title '{title}'\nset xlabel 'time since the start of the step [s]'\nset ylabel 'W'\nset yrange [0:*]\nset key bottom right\n"
        text += f"plot {plot}\n" if plot else ""
    subprocess.run(["gnuplot"], input=text, text=True, check=True)
    print(f"\npicture: {output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=float, default=1)
    parser.add_argument("--scale", type=float, default=100)
    parser.add_argument("--only", choices=("table1", "steady", "tables"))
    parser.add_argument("--steady", type=float, default=0)
    parser.add_argument("--picture")
    parser.add_argument("--keep")
    options = parser.parse_args()
    for name in ("picture", "keep"):
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    names = [name for name in NODES if "wattle" not in name or os.path.exists(PLUGIN)]

    def steps():
        os.mkdir("profiles")
        c = make_cluster(names)
        try:
            if options.only in (None, "table1"):
                table1(c, names, options)
            if options.steady:
                steady(c, names, options.steady)
            if options.only in (None, "tables"):
                found = tables(c, names, options)
                if options.picture:
                    if not shutil.which("gnuplot"):
                        skip("there is no gnuplot")
                    picture(curves(c, found, "curves"), options.picture, options.scale)
            if options.keep:
                shutil.copytree("profiles", options.keep, dirs_exist_ok=True)
        finally:
            c.stop()

    cluster.main(steps)


if __name__ == "__main__":
    main()
