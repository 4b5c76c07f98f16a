# SPDX-License-Identifier: BSD-3-Clause
"""Two programs on a simulated node with hardware counters: about the same CPU time, other instructions and cache misses, and a power that is
known for each. Shares are held against the joules that they really drew, and against what CPU time would have made of them."""
import os
import subprocess
import threading
import time

from scene import check

IDLE_W = 20
NODE = ["--power", f"package={IDLE_W}+programs", "--programs", "spin=30:2.5:0.1,walk=10:0.5:8,*=12:1:1"]
WORK = "while :; do i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; sleep $2; done"
JOBS = {"spin": ("60000", "0.4"), "walk": ("110000", "0.9")}
# Of the energy above idle: a busy machine gives the node uneven looks.
BOUND = 0.1


class Truth:
    """CPU seconds and joules of each program over time, asked of the node five times a second."""

    def __init__(self):
        self.list, self.ends = [], threading.Event()
        self.thread = threading.Thread(target=self.follow)
        self.thread.start()

    def follow(self):
        while not self.ends.wait(0.2):
            with open(os.environ["WATTLE_SIM_NODE"], "r+b", buffering=0) as f:
                f.write(b"programs")
                f.seek(0)
                rows = [line.split("\t") for line in f.read().decode().splitlines()[1:]]
            self.list.append((time.monotonic(), {name: (float(s), float(j)) for name, s, j in rows}))

    def at(self, time_s, name, column):
        (a, of_a), (b, of_b) = next((x, y) for x, y in zip(self.list, self.list[1:]) if y[0] >= time_s)
        part = max(0.0, (time_s - a) / (b - a))
        return of_a[name][column] + part * (of_b[name][column] - of_a[name][column])

    def between(self, begin_s, end_s, column):
        return {name: self.at(end_s, name, column) - self.at(begin_s, name, column) for name in (*JOBS, "*")}

    def end(self):
        time.sleep(0.5)
        self.ends.set()
        self.thread.join()


def calibrate():
    with open("cal.conf", "w", encoding="utf-8") as f:
        f.write(f"[shares {os.uname().nodename} total]\nidle_w = {IDLE_W}\nactivation_w = 0\nsmt_part = 1\n")
    os.environ["WATTLE_CALIBRATION"] = os.path.abspath("cal.conf")


def hurry(pid):
    """Where it may be: on a busy machine, the node looks at its programs and wattle at the counters when they should."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            os.setpriority(os.PRIO_PROCESS, int(task), -15)
        except OSError:
            pass


def prepare():
    """Shells whose names are those of the programs."""
    hurry(os.getppid())
    calibrate()
    with open("work", "w", encoding="utf-8") as f:
        f.write(WORK)
    for name in JOBS:
        if not os.path.islink(name):
            os.symlink("/bin/sh", name)


def start(name, cpu=None):
    """A loop of bursts; bound to a CPU."""
    bound = [] if cpu is None else ["taskset", "-c", str(cpu)]
    return subprocess.Popen([*bound, f"./{name}", "./work", *JOBS[name]])


def hold(what, name, share_j, truth, begin_s, end_s, half_j=None):
    """The share against the truth, against the same energy divided by CPU time, and against its own interval."""
    true_j, used_s = truth.between(begin_s, end_s, 1), truth.between(begin_s, end_s, 0)
    by_time_j = sum(true_j.values()) * used_s[name] / sum(used_s.values())
    error, by_time = (share_j - true_j[name]) / sum(true_j.values()), (by_time_j - true_j[name]) / sum(true_j.values())
    print(f"# {what} {name}: share {share_j:.2f} J, truth {true_j[name]:.2f} J ({error:+.1%}); by CPU time {by_time_j:.2f} J ({by_time:+.1%})")
    if half_j is not None:
        check(0 < half_j < 0.4 * share_j and abs(share_j - true_j[name]) <= half_j + 0.5, f"{what} {name}: +- {half_j:.2f} J holds")
    check(abs(error) < BOUND and abs(error) < abs(by_time) / 2, f"{what} {name}: its share is that of the counters, {error:+.1%} by {by_time:+.1%}")
