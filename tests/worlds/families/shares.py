# SPDX-License-Identifier: BSD-3-Clause
"""Shares of a command, a process, a control group and of all processes, beside other load: parts, idle and unattributed
energy are the counter, in documents and in text; idle is the calibrated power times the time; nothing is charged that
nobody used."""
import os
import re
import socket

import channels
import node
from laws import Violation

ENGINE = "real"
COST_S = 3.0

GROUPS = "/sys/fs/cgroup/unified", "/sys/fs/cgroup"
LINE = re.compile(r"this (?:command|process|cgroup|group)\s+(\S+) J of the total \(derived\); "
                  r"others (\S+) J, idle (\S+) J,\s+unattributed (\S+) J")
BUSY = "i=0; while [ $i -lt {n} ]; do i=$((i+1)); done"


def draw(rng):
    """One way to ask, with or without other load, calibrated or not."""
    lines = [f"way {rng.choice(('command', 'command', 'pid', 'cgroup', 'top', 'repeat'))}",
             f"power package={rng.choice(('60+40*load', '60+40*load', '60', '20+80*load'))}"]
    if rng.random() < 0.3:
        lines.append("power dram=8")
    if rng.random() < 0.25:
        lines.append("gpu model=a100,power=55")
    if rng.random() < 0.2:
        lines.append("fault "
                     + rng.choice(("stall:package-0@0.5s,for=0.3s", "vanish:package-0@0.8s", "reset:package-0@0.7s")))
    if rng.random() < 0.5:
        lines.append(f"idle {rng.choice((20, 60, 68, 100))}")
    lines += [f"load {rng.choice((0, 1, 3))}", f"work {rng.choice((0, 20000, 100000))}",
              f"length {rng.choice((0.2, 0.5))}"]
    return lines + [f"seed {rng.randrange(1, 1000000)}"]


def calibration(s):
    """A calibration whose idle power is the one that the situation states."""
    return f"[shares {socket.gethostname()} total]\nidle_w = {s.one('idle')}\nactivation_w = 0\nsimulated = yes\n"


def calibrate(p, text):
    """Stores a calibration where the user's own is."""
    folder = os.path.join(p.environment["HOME"], ".config", "wattle")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "calibration.conf"), "w", encoding="utf-8") as f:
        f.write(text)


def plan(s):
    """The question, inside the node, with its busy loops."""
    n = int(s.one("load", "0"))
    loops = [{"start": ["nice", "-n", "19", "sh", "-c", "while :; do :; done"], "as": f"loop{i}"} for i in range(n)]
    work = ["sh", "-c", BUSY.format(n=s.one("work", "0")) + f"; sleep {s.one('length', '0.3')}"]
    options = ["--no-trace", "--format", "json", "--result", "r.json"]
    way = s.one("way")
    if way == "top":
        idle = ["--idle", s.one("idle")] if s.one("idle") else []
        asked = [{"run": ["@wattle", "top", "-n", "3", "-i", "500ms", "--format", "json", "--processes", "100000",
                          *idle], "name": "top"}]
    elif way == "pid":
        asked = [{"start": work, "as": "job"}, {"run": ["@wattle", "run", *options, "-p", "@pid:job"]}, {"wait": "job"}]
    elif way == "cgroup":
        join = f"echo $$ > {s.name_of_group}/cgroup.procs; " + work[2]
        asked = [{"start": ["sh", "-c", join], "as": "job"},
                 {"run": ["@wattle", "run", *options, "--cgroup", s.name_of_group, "--duration", "0.6s"]},
                 {"kill": "job"}]
    else:
        again = ["-r", "3"] if way == "repeat" else []
        work[-1] += "; times"
        asked = [{"run": ["@wattle", "run", *options, *again, "--", *work]},
                 {"run": ["@wattle", "run", "-q", "-o", "t.wtl", "--", *work]},
                 {"run": ["@wattle", "stats", "--format", "json", "t.wtl"], "save": "t.json"},
                 {"run": ["@wattle", "stats", "t.wtl"], "env": {"COLUMNS": "200"}, "save": "t.txt"}]
    return [*loops, *asked, *({"kill": f"loop{i}", "signal": 9} for i in range(n)), {"truth": "r.json"}]


def group():
    """A new control group of version 2, or None."""
    for root in GROUPS:
        path = f"{root}/worlds-{os.getpid()}"
        if os.path.exists(f"{root}/cgroup.procs") and os.access(root, os.W_OK):
            try:
                os.mkdir(path)
                return path
            except OSError:
                continue
    return None


def play(s, p):
    """What was said; with a control group that exists for this play only."""
    s.name_of_group = group() if s.one("way") == "cgroup" else None
    if s.one("way") == "cgroup" and s.name_of_group is None:
        return {"steps": [], "truth": {}, "document": None, "skipped": "no control groups here"}
    if s.one("idle"):
        calibrate(p, calibration(s))
    try:
        observation = node.play(p, s, plan(s))
    finally:
        if s.name_of_group:
            try:
                os.rmdir(s.name_of_group)
            except OSError:
                pass
    observation["document"] = node.load(p.read("r.json"))
    observation["again"], observation["text"] = node.load(p.read("t.json")), p.read("t.txt")
    printed = [line for step in observation["steps"] for line in (step.get("out") or "").splitlines()]
    observation["top"] = [node.load(line) for line in printed if "wattle.top" in line]
    return observation


def parts(document):
    process = document["process"]
    return [process[k] for k in ("energy_share_j", "others_share_j", "idle_j", "unattributed_j")]


def idle(s, document):
    """Law sum: idle energy is the calibrated power times the time; the GPUs' idle energy is its own."""
    process = document["process"]
    if process.get("share_rule") != "calibrated" or process["idle_j"] is None:
        return []
    if document["total"]["unknown_s"] or document.get("runs"):
        return []
    truth = s.number("idle") * document["wall_time_s"] + (process["gpu_idle_j"] or 0)
    if abs(process["idle_j"] - truth) <= 0.02 * truth + 0.05:
        return []
    return [Violation("sum", "process.idle_j", process["idle_j"], truth,
                      f"idle {process['idle_j']:.5g} J; {s.one('idle')} W calibrated make {truth:.5g} J")]


def by_cpu_time(document):
    """Without a calibration the share is the energy by CPU time: that of the tree over that of the machine, which is in
    the document, too."""
    process, activity = document["process"], {a["name"]: a for a in document["activity"]}
    machine = (activity.get("cputime:node-0") or {}).get("sum")
    if process.get("share_rule") != "cpu_time" or not machine or document.get("runs"):
        return []
    if process["energy_share_j"] is None:
        return []
    cpu = [c for c in document["channels"] if c["in_total"] and c["domain"] != "gpu" and c["energy_j"] is not None]
    energy = sum(c["energy_j"] for c in cpu)
    truth, room = energy * min(1.0, process["cpu_s"] / machine), energy * 0.03 / machine
    said = process["energy_share_j"] - (process["gpu_share_j"] or 0)
    if abs(said - truth) <= room + 0.1 * truth:
        return []
    return [Violation("sum", "process.energy_share_j", said, truth,
                      f"share {said:.4g} J; {process['cpu_s']:.4g} of {machine:.4g} s of CPU time are {truth:.4g} J")]


def used(s, o, document):
    """Law same-number: the CPU time of a command is what its shell says; the activity of the machine is there."""
    found, machine = [], [a for a in document["activity"] if a["name"] == "cputime:node-0"]
    if not document.get("runs") and (not machine or not machine[0]["sum"]):
        found.append(Violation("known", "activity[cputime]", [a["name"] for a in document["activity"]], "cputime:node-0",
                               "a machine without CPU time among its activity"))
    lines = re.findall(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s", next((x.get("out") or "" for x in o["steps"] if "out" in x), ""))
    if s.one("way") != "command" or not lines:
        return found
    true_s = sum(60 * int(m) + float(sec) for line in lines for m, sec in (line[:2], line[2:]))
    said = document["process"]["cpu_s"]
    if said is None or abs(said - true_s) > 0.05 + 0.1 * true_s:
        found.append(Violation("same-number", "process.cpu_s", said, true_s,
                               f"the command used {true_s:.3g} s of CPU time, said {said}"))
    return found


def gpus(document):
    """Law sum: the parts of GPUs are the energy of the GPUs in the total."""
    process = document["process"]
    have = [c["energy_j"] for c in document["channels"] if c["in_total"] and c["domain"] == "gpu"]
    said = [process.get(k) for k in ("gpu_share_j", "gpu_others_j", "gpu_idle_j", "gpu_unattributed_j")]
    if not have or None in have or None in said:
        return []
    if abs(sum(said) - sum(have)) <= 1e-6 * sum(have) + 1e-6:
        return []
    return [Violation("sum", "process.gpu parts", sum(said), sum(have),
                      f"parts of GPUs add up to {sum(said):.6g} J of {sum(have):.6g} J")]


def in_text(o):
    """Law same-number: the line of shares in text is the document's, and adds up."""
    again, found = o["again"], LINE.search(o["text"] or "")
    if not again or not found or again.get("results"):
        return []
    said = [float(x) for x in found.groups()]
    told = parts(again)
    wrong = [(a, b) for a, b in zip(said, told) if b is None or abs(a - b) > 0.06 * max(1.0, abs(b) * 0.1)]
    if not wrong:
        return []
    return [Violation("same-number", "text shares", said, told, f"text says {said}, the document {told}")]


def top(o):
    """Law sum for `top`: processes, idle and unattributed are the total, and the listed processes no more than all of
    them."""
    found = []
    for update in o["top"]:
        shares, total = update.get("shares"), update["total"]
        if not shares:
            continue
        for name, whole in (("energy", total.get("energy_j")), ("power", (total.get("power") or {}).get("w"))):
            share = shares[name]
            pieces = [share[k] for k in ("processes", "idle", "unattributed")]
            if None in pieces or share["sum"] is None:
                continue
            if abs(sum(pieces) - share["sum"]) > 1e-6 * abs(share["sum"]) + 1e-6:
                found.append(Violation("sum", f"top shares.{name}.sum", share["sum"], sum(pieces),
                                       f"top: {pieces} add up to {sum(pieces)}, sum {share['sum']}"))
            if whole is not None and abs(share["sum"] - whole) > 1e-3 * abs(whole) + 1e-6:
                found.append(Violation("sum", f"top shares.{name} total", share["sum"], whole,
                                       f"top: shares of {name} {share['sum']:.6g}, total {whole:.6g}"))
        listed = sum(x["energy_j"] or 0 for x in update["processes"]) + shares["ended_energy_j"]
        every = shares["energy"]["processes"]
        if every is not None and update["process_count"] and len(update["processes"]) == update["process_count"] and \
                abs(listed - every) > 0.001 * abs(every) + 1e-3:
            found.append(Violation("sum", "top processes", listed, every,
                                   f"top: listed and ended processes have {listed:.5g} J, all together {every:.5g} J"))
    return found


def check(s, o):
    if o.get("skipped"):
        return []
    found = channels.statuses({**o, "steps": [x for x in o["steps"] if x.get("status") not in (-9, -15)]},
                              fails=s.one("way") == "top")
    found += top(o)
    document = o["document"]
    if document is None:
        return found
    found += channels.check(o, document) + used(s, o, document)
    for each in [document, *([o["again"]] if o["again"] and not o["again"].get("results") else [])]:
        found += idle(s, each) + by_cpu_time(each) + gpus(each) + channels.shares(each,
                                                                                  "stats process" if each is o["again"]
                                                                                  else "process")
        unused = each["process"].get("share_rule") not in ("calibrated", None)
        if unused and s.one("idle") and not s.one("fault") and s.one("way") != "repeat":
            found.append(Violation("refusal", "process.share_rule", each["process"]["share_rule"], "calibrated",
                                   "a calibration that is not used"))
    return found + in_text(o)
