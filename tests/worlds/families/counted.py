# SPDX-License-Identifier: BSD-3-Clause
"""Shares of two programs of known power on a node with hardware counters for each program, by `wattle run` and `wattle top`: parts add
up to the node's counter, and a share that is called one by counters is what the program really drew.

    idle W                        power of the node without programs, calibrated
    programs NAME=W:IPC:MISSES,...  wattle-sim run --programs
    job NAME LOOPS PAUSE          a loop of bursts of work
    asked NAME                    the one whose share is asked for
"""
import csv
import io
import os

import channels
import node
from families import shares
from laws import Violation

ENGINE = "real"
COST_S = 12.0
CHECK = 0      # integration/run/counter-shares plays one; fresh seeds only, 12 s each with nothing beside them
SERIAL = True  # the node looks at programs every 10 ms, and wattle at counters ten times a second
WORK = "while :; do i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; sleep $2; done\n"
WITHIN = 0.1   # of the truth, or of all that is above idle


# ---- draw ----

def draw(rng):
    """Two programs with about the same CPU time that differ in power, instructions and misses."""
    idle, hot, cold = rng.choice([10, 20, 60]), rng.choice([20, 30, 40]), rng.choice([5, 10])
    names = ["spin", "walk"]
    rng.shuffle(names)
    return [f"way {rng.choice(['command', 'command', 'pid', 'pid', 'top'])}", f"idle {idle}", f"power package={idle}+programs",
            f"programs {names[0]}={hot}:{rng.choice([2.5, 3])}:{rng.choice([0.1, 1])},{names[1]}={cold}:{rng.choice([0.5, 0.8])}:{rng.choice([8, 20])},*=12:1:1",
            f"job spin {rng.choice([40000, 60000])} {rng.choice([0.3, 0.4])}", f"job walk {rng.choice([80000, 110000])} {rng.choice([0.5, 0.9])}",
            f"asked {rng.choice(['spin', 'walk'])}", f"seconds {rng.choice([9, 11])}", f"seed {rng.randrange(1, 1000000)}"]


# ---- play ----

def plan(s):
    jobs = {name: [f"./{name}", "./work", loops, pause] for name, loops, pause in map(str.split, s.all("job"))}
    mine, way, seconds = s.one("asked"), s.one("way"), s.one("seconds")
    beside = [name for name in jobs if way != "command" or name != mine]
    steps = [{"follow": True}, *({"start": jobs[name], "as": name} for name in beside), {"sleep": 0.5}]
    options = ["--no-trace", "--format", "json", "--result", "r.json"]
    if way == "top":
        words = ["@wattle", "top", "--processes", "100000", "--format"]
        steps += [{"run": [*words, "json", "-i", "400ms", "-n", "45"]},  # it learns from the first 20 updates or more
                  {"run": [*words, "csv", "-i", "500ms", "-n", "4"], "save": "top.csv"}]
    elif way == "pid":
        steps.append({"run": ["@wattle", "run", *options, "-p", f"@pid:{mine}", "--duration", f"{seconds}s"]})
    else:
        steps.append({"run": ["@wattle", "run", *options, "--", "timeout", seconds, *jobs[mine]]})
    return [*steps, {"sleep": 0.5}, *({"kill": name, "signal": 9} for name in beside), {"truth": "r.json"}]


def play(s, p):
    shares.calibrate(p, f"{shares.calibration(s)}smt_part = 1\n")
    with open(p.path("work"), "w", encoding="utf-8") as f:
        f.write(WORK)
    for job in s.all("job"):
        os.symlink("/bin/sh", p.path(job.split()[0]))
    observation = node.play(p, s, plan(s))
    observation["document"] = node.load(p.read("r.json"))
    printed = [line for step in observation["steps"] for line in (step.get("out") or "").splitlines()]
    observation["top"] = [node.load(line) for line in printed if "wattle.top" in line]
    observation["csv"] = list(csv.DictReader(io.StringIO(p.read("top.csv") or "")))
    return observation


# ---- truth ----

def used(o, at_ns):
    """Joules of each program up to an instant."""
    for (a, of_a), (b, of_b) in zip(o["programs"], o["programs"][1:]):
        if a <= at_ns <= b:
            part = (at_ns - a) / (b - a)
            return {name: of_a.get(name, [0, 0])[1] + part * (of_b[name][1] - of_a.get(name, [0, 0])[1]) for name in of_b}
    return {}


def drew(o, name, begin_ns, end_ns):
    """Joules of a program between two instants; None if the node was not asked then."""
    a, b = used(o, begin_ns), used(o, end_ns)
    return b[name] - a.get(name, 0.0) if name in b and (a or begin_ns == 0) else None


# ---- laws ----

def check(s, o):
    found = channels.statuses({**o, "steps": [x for x in o["steps"] if x.get("status") not in (-9, -15)]}, fails=s.one("way") == "top")
    if s.one("way") == "top":
        return found + shares.top(o) + rows(o) + processes(s, o)
    document = o["document"]
    if document is None:
        return found
    return found + channels.check(o, document) + shares.idle(s, document) + share(s, o, document)


def right(share_j, true_j, slack_j, what, where):
    """Law interval: a share by counters is the truth, to a tenth."""
    if share_j is None or true_j is None or abs(share_j - true_j) <= WITHIN * true_j + slack_j:
        return []
    return [Violation("interval", where, share_j, true_j, f"{what}: {share_j:.4g} J by counters, it drew {true_j:.4g} J "
                      f"({100 * (share_j - true_j) / true_j:+.1f} %)")]


def share(s, o, document):
    process = document["process"]
    if process.get("share_rule") != "counters":
        return []
    true_j = drew(o, s.one("asked"), document["start_monotonic_ns"], document["end_monotonic_ns"])
    said, slack = process["energy_share_j"], 3 * (document["total"]["resolution_interval_j"] or 0)
    return right(said, true_j, slack, s.one("asked"), "process.energy_share_j by counters") + \
        far_off(said, true_j, slack + WITHIN * (said + process["others_share_j"]), s.one("asked"))


def far_off(share_j, true_j, most_j, what):
    """Law bound: it is off by no more than a tenth of the energy above idle (docs/guide/shares.md)."""
    if share_j is None or true_j is None or abs(share_j - true_j) <= most_j:
        return []
    return [Violation("bound", "process.energy_share_j by counters of all", share_j, true_j,
                      f"{what}: {share_j:.4g} J by counters, it drew {true_j:.4g} J; a tenth of all above idle is {most_j:.4g} J")]


def processes(s, o):
    """What each program gets from the first update by counters to the last."""
    known, found = [u for u in o["top"] if u and u["shares"] and u["shares"]["rule"] == "counters"], []
    if len(known) < 8:
        return []
    first, last = known[0], known[-1]
    when = [u["time_ns"] - o["realtime_ns"] - round((u["elapsed_s"] - u["total"]["until_s"]) * 1e9) for u in (first, last)]
    for name in ("spin", "walk"):
        each = [sum(p["energy_j"] or 0 for p in u["processes"] if p["name"] == name) for u in (first, last)]
        found += right(each[1] - each[0], drew(o, name, *when), 0.5, name, "top process energy_j by counters")
    return found


def rows(o):
    """Law sum: in each update of the CSV, processes, idle and unattributed are the total."""
    updates, found = {}, []
    for row in o["csv"]:
        updates.setdefault(row["elapsed_s"], []).append(row)
    for elapsed, mine in updates.items():
        total = next((r for r in mine if r["what"] == "total"), None)
        rest = {r["name"]: r for r in mine if r["what"] == "rest"}
        listed = [r for r in mine if r["what"] == "process"]
        for key in ("power_w", "energy_j"):
            parts = [rest[k][key] for k in ("processes", "idle", "unattributed") if k in rest]
            if total is None or len(parts) < 3 or "" in (total[key], *parts):
                continue
            said, whole = sum(map(float, parts)), float(total[key])
            if abs(said - whole) > 0.01 * abs(whole) + 0.01:
                found.append(Violation("sum", f"top csv rest {key}", said, whole, f"at {elapsed} s: {parts} are not {whole}"))
            each = sum(float(r[key]) for r in listed if r[key])
            if each > float(parts[0]) + 0.01 * abs(whole) + 0.02:
                found.append(Violation("sum", f"top csv processes {key}", each, parts[0], f"at {elapsed} s: listed processes have {each}, all {parts[0]}"))
    return found
