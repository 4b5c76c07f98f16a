# SPDX-License-Identifier: BSD-3-Clause
"""The ledger of wattled in virtual time: jobs that begin and end at any instant while counters stall, wrap and restart,
wattled is restarted or killed, and somebody looks. Each job's energy is held against the formula of the power, and its
parts against each other.

    job NAME BEGIN END WAY cpu=CPUS gone=S   WAY: exclusive, shared, half, plain (without terms); its cgroup is
                                             removed S s before END
    look NAME T                              what `job NAME` answers meanwhile
    stop A B, kill A B                       wattled does not run from A to B
    model IDLE_W ACTIVATION_W                a calibration of shares
"""
import json
import os

import numpy as np
from laws import Violation
from oracle.power import Power

ENGINE = "virtual"
COST_S = 0.3
ZERO_NS = 1000 * 10**9
RESERVED = {"exclusive": "1", "shared": "0", "half": "0.5", "plain": "plain"}
SURE_S = 0.35  # after its start wattled learns how often counters tick


# ---- drawing ----

def draw(rng):
    """Jobs, then faults at their borders: most of all over the end of one."""
    length = rng.choice([6, 15, 40])
    jobs = _jobs(rng, length)
    lines = [f"length {length}", f"idle {rng.choice([0.1, 1, 1, 1, 10])}", f"checkpoint {rng.choice([1, 5, 60, 60])}",
             f"seed {rng.randrange(1000)}", f"cpus {rng.choice([16, 64])}", f"system {rng.choice([0, 0.02, 0.5])}"]
    faults = _faults(rng, jobs, length)
    narrow = [32] if any("reset" in f for f in faults) else [32, 32, 32, 22,
                                                             18]  # of a narrow counter a restart may be a wrap
    ticks = [976.5625, 1000] if any("filtering" in f for f in faults) else [976.5625, 976.5625, 1000, 100, 5000]
    lines += [f"power package-0 {_power(rng)}"] + ([f"power dram-0 {rng.choice([3, 8])}"] if rng.random() < 0.3 else [])
    lines += [f"sim --range-bits=package={rng.choice(narrow)}", f"sim --tick-us={rng.choice(ticks)}"]
    if rng.random() < 0.3:
        lines.append(f"model {rng.choice([0, 20, 60, 200])} {rng.choice([0, 10])}")
    lines += [f"job {name} {begin} {end} {way} cpu={cpu} gone={gone}" for name, begin, end, way, cpu, gone in jobs]
    lines += faults + _restarts(rng, jobs, length)
    for name, begin, end, *_ in jobs:
        if rng.random() < 0.4:
            lines.append(f"look {name} {round(rng.uniform(begin, end), 4)}")
    return lines


def _power(rng):
    return rng.choice(["5", "100", "250", "60+40*square(t,7,0.5)", "10+300*square(t,3,0.1)", "2+120*square(t,0.7,0.5)",
                       f"40+160*step(t-{round(rng.uniform(1, 10), 3)})"])


def _jobs(rng, length):
    """(name, begin, end, way, cpus, gone): one after the other, nested, overlapping, or shorter than a sample."""
    kind = rng.choice(["chain", "chain", "nested", "overlap", "any"])
    begin, jobs = round(rng.uniform(0.5, 0.3 * length), 3), []
    for i in range(rng.choice([1, 2, 3, 5])):
        span = round(rng.choice([0.004, 0.05, 0.7, rng.uniform(0.5, 3), rng.uniform(1, 0.6 * length)]), 4)
        end = min(begin + span, length - 0.2)
        way = rng.choice(["exclusive", "exclusive", "shared", "shared", "half", "plain"])
        if end > begin:
            jobs.append((f"j{i}", round(begin, 4), round(end, 4), way, rng.choice([0, 0.3, 1, 1, 3]),
                         rng.choice([0, 0, 0.2])))
        if kind == "chain":
            begin = end + rng.choice([0.001, 0.001, 0.2, 1.3])
        elif kind == "nested":
            begin = begin + rng.uniform(0.05, 0.3) * span
        else:
            begin = rng.uniform(begin, end) if kind == "overlap" else rng.uniform(0.5, length - 1)
    return jobs


def _faults(rng, jobs, length):
    """At most two faults, mostly across the end or the begin of a job."""
    lines = []
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        _, begin, end, *_ = rng.choice(jobs)
        border = rng.choice([end, end, end, begin, rng.uniform(0.5, length)])
        ahead = rng.choice([0.0005, 0.003, 0.05, 0.4, 0.9, 2.5])
        lasts = ahead + rng.choice([0.0005, 0.02, 0.3, 1.5, 4])
        kind = rng.choice(["stall", "stall", "stall", "reset", "reset", "wrap-while-stalled", "wrap-while-stalled",
                           "eio", "vanish",
                           "filtering"])
        at = f"@{max(0.2, border - ahead):.4f}s" if kind != "filtering" else "@0s"  # it is on from boot
        lasts = lasts if kind != "filtering" else 1000
        lines.append(f"fault {kind}:package{at}" + ("" if kind in ("reset", "wrap-while-stalled")
                                                    else f",for={1000 * lasts:.1f}ms")
                     + (",rate=0.5" if kind == "eio" and rng.random() < 0.3 else ""))
    return lines


def _restarts(rng, jobs, length):
    if rng.random() < 0.65:
        return []
    _, begin, end, *_ = rng.choice(jobs)
    at = rng.choice([rng.uniform(begin, end), end - 0.05, end + 0.0004, begin - 0.01, begin + 0.01])
    back = at + rng.choice([0.01, 0.2, 1.5, 5])
    return [f"{rng.choice(['stop', 'kill'])} {max(0.4, at):.4f} {min(back, length - 0.1):.4f}"] if back > 0.4 else []


# ---- playing ----

class Job:
    """One `job` line."""

    def __init__(self, text):
        words = text.split()
        self.name, self.begin, self.end, self.way = words[0], float(words[1]), float(words[2]), words[3]
        more = dict(word.split("=") for word in words[4:])
        self.cpu, self.gone = float(more.get("cpu", 1)), float(more.get("gone", 0))


def jobs_of(s):
    return [Job(text) for text in s.all("job")]


def ns(seconds):
    return int(round(float(seconds) * 1e9))


def script(s, quiet=False):
    """What worlds-ledger reads. `quiet`: nobody looks, and there is no checkpoint."""
    lines = [f"sim {option}" for option in ["--seed=" + s.one("seed", "1"), *s.all("sim")]]
    for key in ("power", "fault"):
        lines += [f"sim --{key}={value.replace(' ', '=', 1) if key == 'power' else value}" for value in s.all(key)]
    lines += [f"{key} {s.one(key)}" for key in ("cpus", "system", "seed", "model") if s.one(key)]
    lines += [f"idle {ns(s.one('idle', 1))}", f"checkpoint {ns(1e9 if quiet else s.one('checkpoint', 60))}"]
    events = [(0, "start")]
    for job in jobs_of(s):
        alive = max(job.end - job.gone, job.begin) if job.gone else job.end + 1
        events.append((ns(job.begin), f"begin {job.name} {RESERVED[job.way]} {ns(job.begin)} {ns(alive)} {job.cpu}"))
        events.append((ns(job.end), f"end {job.name}"))
    for look in [] if quiet else s.all("look"):
        events.append((ns(look.split()[1]), f"show {look.split()[0]}"))
    for key in ("stop", "kill"):
        for value in s.all(key):
            events += [(ns(value.split()[0]), key), (ns(value.split()[1]), "start")]
    return "\n".join(lines + [f"at {when} {what}" for when, what in sorted(events, key=lambda e: e[0])]) + "\n"


def ledger(s, p, name, **how):
    folder = p.path(name)
    os.makedirs(folder)
    done = p.run([os.environ.get("WORLDS_LEDGER") or p.test_program("worlds-ledger"), folder], stdin=script(s, **how),
                 timeout=60)
    try:
        return {"status": done.status, "err": done.err[-500:],
                "events": [json.loads(line) for line in done.out.splitlines()]}
    except ValueError:
        return {"status": done.status, "err": done.err[-500:], "events": [], "text": done.out[-500:]}


def play(s, p):
    return {"as-is": ledger(s, p, "a"), "again": ledger(s, p, "b"), "quiet": ledger(s, p, "c", quiet=True)}


# ---- laws ----

class World:
    """The truth of a situation."""

    def __init__(self, s):
        self.powers = {value.split(" ", 1)[0]: Power(value.split(" ", 1)[1]) for value in s.all("power")}
        grid = np.linspace(0, max([s.number("length", 1), *[job.end for job in jobs_of(s)]]) + 1, 20001)
        self.most_w = {name: float(np.max(power.at(grid))) for name, power in self.powers.items()}
        tick = [float(o.split("=")[1]) for o in s.all("sim") if o.startswith("--tick-us=")]
        self.tick_s = (tick[-1] if tick else 976.5625) * 1e-6
        self.faults = s.all("fault")
        self.narrow = any("bits" in o and not o.endswith("32")
                          for o in s.all("sim"))  # a wrap at a step of power may look like a restart
        self.down = s.all("stop") + s.all("kill")

    def energy_j(self, channel, begin_ns, end_ns):
        return self.powers[channel].energy_j((begin_ns - ZERO_NS) * 1e-9, (end_ns - ZERO_NS) * 1e-9)


def domain(channel):
    return channel["name"].split(":", 1)[1]


def ended(observation):
    return {e["name"]: e for e in observation["events"] if e["what"] == "end" and "channels" in e}


def check(s, o):
    run, world = o["as-is"], World(s)
    if run["status"] != 0:
        return [Violation("crash", "worlds-ledger", run["status"], 0,
                          f"the ledger ended with {run['status']}: {run['err']}")]
    found = []
    for job in (e for e in run["events"] if "channels" in e):
        for c in job["channels"]:
            found += _truth(world, job, c) + _width(world, job, c)
    found += _refused(s, run) + _sums(s, run) + _nested(s, run) + _exclusive(s, run)
    found += _shares(s, world, run) + _idle(s, world, run) + _calibrated(s, world, run)
    return found + _same(o) + _quiet(world, o)


def _truth(world, job, c):
    """The energy of a job: the truth less what unknown time can have held."""
    true_j = world.energy_j(domain(c), job["begin_ns"], job["until_ns"])
    said, half, unknown_s = c["energy_j"], c["resolution_j"], c["unknown_ns"] * 1e-9
    elapsed_s = (job["until_ns"] - job["begin_ns"]) * 1e-9
    where = f"{job['what']} {'channel'}"
    text = (f"{job['name']} {c['name']} ({job['what']}): {said} +- {half} J with {unknown_s:.6f} of {elapsed_s:.6f} s "
            f"unknown; true are {true_j:.6f} J")
    if unknown_s > elapsed_s + 1e-6:
        return [Violation("bound", f"{where} unknown_s", unknown_s, elapsed_s,
                          "more time is unknown than there was: " + text)]
    if said is None:
        return []
    if half is None:  # of memory no greatest power is known
        return [] if domain(c).startswith("dram") else [
            Violation("estimate", f"{where} resolution_j", None, true_j, "an energy without an interval: " + text)]
    if said < 0:
        return [Violation("bound", f"{where} energy_j", said, true_j, "less than nothing: " + text)]
    if said > true_j + 3 * half + 1e-6:
        return [Violation("interval", f"{where} energy_j too much", said, true_j, text)]
    if said < true_j - 3 * half - unknown_s * world.most_w[domain(c)] - 1e-6:
        return [Violation("unflagged", f"{where} energy_j too little", said, true_j, text)]
    return []


def _width(world, job, c):
    """Without faults all is known, to a few ticks of the greatest power."""
    if world.faults or world.down or world.narrow or job["begin_ns"] - ZERO_NS < ns(SURE_S):
        return []
    elapsed_s = (job["until_ns"] - job["begin_ns"]) * 1e-9
    if c["energy_j"] is None or c["unknown_ns"]:
        return [Violation("refusal", f"{job['what']} unknown", c["unknown_ns"] * 1e-9, 0,
                          f"{job['name']} {c['name']}: {c['unknown_ns'] * 1e-9:.6f} of {elapsed_s:.6f} s are unknown "
                          f"though nothing happened")]
    return []


def _refused(s, run):
    """Requests that must succeed do, and what did not begin does not end."""
    begun, found = set(), []
    for e in run["events"]:
        if e["what"] == "begin" and e["problem"] == 0:
            begun.add(e["name"])
        if e["what"] == "end" and "channels" in e and e["name"] not in begun:
            found.append(Violation("refusal", "end", "ended", "never begun",
                                   f"{e['name']} ends though it has not begun"))
        if e["what"] == "end" and e.get("problem") == -2 and e["name"] in begun:
            found.append(Violation("refusal", "end", "unknown job", "begun",
                                   f"{e['name']} has begun and cannot end: {e['why']}"))
    return found


def _ways(s):
    return {job.name: job for job in jobs_of(s)}


def _sums(s, run):
    """charged + others + idle + unattributed = joules, to the microjoule; no more is charged than there is, and others are
    charged no less than nothing, unless the calibration knows a greater idle power than the machine has."""
    found, calibrated_w = [], float((s.one("model") or "0").split()[0])
    honest = calibrated_w <= min(float(np.min(Power(v.split(" ", 1)[1]).at(np.linspace(0, 50, 5001))))
                                 for v in s.all("power"))
    for e in (e for e in run["events"] if "channels" in e):
        if _ways(s)[e["name"]].way == "plain":
            continue
        for c in e["channels"]:
            parts = sum(c[key] for key in ("charged_uj", "others_uj", "idle_uj", "unattributed_uj"))
            if c["energy_j"] is not None and abs(parts - c["energy_j"] * 1e6) > 1.01:
                found.append(Violation("sum", f"{e['what']} parts", parts * 1e-6, c["energy_j"],
                                       f"{e['name']} {c['name']}: its parts are {parts * 1e-6} J, its energy is "
                                       f"{c['energy_j']} J"))
            most = max(0, c["energy_j"] or 0) * 1e6 + 1
            if honest and c["energy_j"] is not None and not -1 <= c["charged_uj"] <= most:
                found.append(Violation("bound", f"{e['what']} charged_j", c["charged_uj"] * 1e-6, c["energy_j"],
                                       f"{e['name']} {c['name']} is charged {c['charged_uj'] * 1e-6} J of "
                                       f"{c['energy_j']} J"))
            if honest and c["others_uj"] < -1:
                found.append(Violation("bound", f"{e['what']} others_j", c["others_uj"] * 1e-6, 0,
                                       f"{e['name']} {c['name']}: others are charged {c['others_uj'] * 1e-6} J in its time"))
    return found


def _overlap(a, b):
    return a["begin_ns"] < b["until_ns"] and b["begin_ns"] < a["until_ns"]


def _nested(s, run):
    """What the others are charged in a job's time is what they say, where they lie within it."""
    found, ways = [], _ways(s)
    jobs = [e for e in ended(run).values() if ways[e["name"]].way != "plain"]
    unfinished = [e["name"] for e in run["events"] if e["what"] == "begin" and e["problem"] == 0
                  and e["name"] not in ended(run)]
    for job in jobs:
        others = [e for e in jobs if e is not job and _overlap(e, job)]
        within = all(job["begin_ns"] <= e["begin_ns"] and e["until_ns"] <= job["until_ns"] for e in others)
        for i, c in enumerate(job["channels"] if within and others and not unfinished else []):
            charged = sum(e["channels"][i]["charged_uj"] for e in others)
            if c["others_uj"] != charged:
                found.append(Violation("sum", "others_j", c["others_uj"] * 1e-6, charged * 1e-6,
                                       f"{job['name']} {c['name']}: others are charged {c['others_uj'] * 1e-6} J in "
                                       f"its time; "
                                       f"they say {charged * 1e-6} J"))
    return found


def _exclusive(s, run):
    """A job that has reserved the node and is alone gets the counter."""
    found, ways = [], _ways(s)
    all_jobs = list(ended(run).values())
    begun = {e["name"] for e in run["events"] if e["what"] == "begin" and e["problem"] == 0}
    for job in all_jobs:
        alone = not any(_overlap(e, job) for e in all_jobs if e is not job) and begun <= set(ended(run))
        if not alone or ways[job["name"]].way != "exclusive":
            continue
        if any(c["energy_j"] for c in job["channels"]) and job["rule"] != "exclusive":
            found.append(Violation("refusal", "rule", job["rule"], "exclusive",
                                   f"{job['name']} has the node alone; its rule is {job['rule']}"))
        for c in job["channels"]:
            if c["energy_j"] is not None and abs(c["charged_uj"] - c["energy_j"] * 1e6) > 1.01:
                found.append(Violation("sum", "exclusive charged_j", c["charged_uj"] * 1e-6, c["energy_j"],
                                       f"{job['name']} {c['name']} has the node alone, uses {c['energy_j']} J and is "
                                       f"charged "
                                       f"{c['charged_uj'] * 1e-6} J"))
    return found


def _shares(s, world, run):
    """By CPU time: at a constant power each job pays for its part of the CPU time, look by look."""
    if world.faults or world.down or s.one("model") or any("t" in p.names for p in world.powers.values()):
        return []
    found, jobs, ended_jobs = [], [j for j in jobs_of(s) if j.way != "plain"], ended(run)
    if any(job.way != "shared" for job in jobs) or any(job.gone for job in jobs_of(s)):
        return []
    for job in (j for j in jobs if j.name in ended_jobs):
        e = ended_jobs[job.name]
        for c in e["channels"]:
            true_j = _cpu_share(s, jobs_of(s), job) * world.most_w[domain(c)]
            slack = (c["resolution_j"] or 0) * 3 + 0.04 * true_j + 0.05 * world.most_w[domain(c)]
            if e["rule"] != "none" and abs(c["charged_uj"] * 1e-6 - true_j) > slack:
                found.append(Violation("interval", "charged_j by CPU time", c["charged_uj"] * 1e-6, true_j,
                                       f"{job.name} {c['name']} is charged {c['charged_uj'] * 1e-6:.4f} J, its part "
                                       f"of the CPU time is "
                                       f"{true_j:.4f} J"))
    return found


def _idle(s, world, run):
    """Calibrated idle power is a baseline: it times time, less what is reserved, is idle energy."""
    idle_w, jobs = float((s.one("model") or "0").split()[0]), [j for j in jobs_of(s) if j.way != "plain"]
    least_w = sum(float(np.min(p.at(np.linspace(0, 50, 5001)))) for p in world.powers.values())
    if world.faults or world.down or not s.one("model") or idle_w > least_w or any(j.gone or j.way == "exclusive"
                                                                                   for j in jobs):
        return []
    found = []
    for job in (j for j in jobs if j.name in ended(run)):
        e = ended(run)[job.name]
        cuts = sorted({job.begin, job.end, *[t for j in jobs for t in (j.begin, j.end) if job.begin < t < job.end]})
        spans = [(b - a, sum(0.5 for j in jobs if j.way == "half" and j.begin <= a and b <= j.end)) for a,
                 b in zip(cuts, cuts[1:])]
        want = idle_w * sum(span * (1 - min(1, part)) for span, part in spans)
        said, slack = sum(c["idle_uj"] for c in e["channels"]) * 1e-6, 0.01 * want + 0.01 * idle_w * len(cuts)
        if e["rule"] != "none" and abs(said - want) > slack + sum(3 * (c["resolution_j"] or 1) for c in e["channels"]):
            found.append(Violation("sum", "idle_j", said, want,
                                   f"{job.name}: {said:.4f} J are idle; {idle_w} W that nobody reserved are "
                                   f"{want:.4f} J"))
    return found


def _calibrated(s, world, run):
    """With a calibration, and where nothing fails, the model divides all of a job's time, if the counter ticks as
    often as it claims: one that has no new value at a look is divided by CPU time."""
    if world.faults or world.down or not s.one("model") or world.tick_s > 1.001e-3:
        return []
    ways, found = _ways(s), []
    for name, e in ended(run).items():
        long = e["until_ns"] - e["begin_ns"] >= ns(0.05) and e["begin_ns"] - ZERO_NS >= ns(SURE_S)
        if long and ways[name].way != "plain" and not ways[name].gone and e["rule"] not in ("calibrated", "exclusive"):
            found.append(Violation("refusal", "rule of a calibration", e["rule"], "calibrated",
                                   f"{name} is divided by the rule {e['rule']}, although a calibration is there"))
    return found


def _cpu_share(s, jobs, job):
    """Seconds of the node that this job's part of the CPU time stands for."""
    cuts = sorted({job.begin, job.end, *[t for j in jobs for t in (j.begin, j.end, j.end + 1)
                                         if job.begin < t < job.end]})
    sum_s = 0.0
    for a, b in zip(cuts, cuts[1:]):
        used = sum(j.cpu for j in jobs if j.begin <= a and b <= j.end + 1)
        whole = used + s.number("system", 0)
        sum_s += (b - a) * job.cpu / whole if whole else 0
    return sum_s


def _same(o):
    """The same situation has the same numbers."""
    if o["as-is"]["events"] == o["again"]["events"]:
        return []
    first = next((a for a, b in zip(o["as-is"]["events"], o["again"]["events"]) if a != b), {})
    return [Violation("same-number", "second play", str(first)[:200], "the same",
                      f"a second play differs, first in {str(first)[:300]}")]


def _quiet(world, o):
    """Looking at a job changes nothing, but for the moment that a request takes: the next one may come later by it."""
    found, quiet = [], ended(o["quiet"])
    for name, job in ended(o["as-is"]).items():
        for a, b in zip(job["channels"], quiet.get(name, {"channels": []})["channels"]):
            if a["unknown_ns"] or b["unknown_ns"] or None in (a["energy_j"], b["energy_j"], a["resolution_j"],
                                                              b["resolution_j"]):
                continue
            moved_s = sum(abs(job[key] - quiet[name][key]) for key in ("begin_ns", "until_ns")) * 1e-9
            slack_j = 3 * (a["resolution_j"] + b["resolution_j"]) + moved_s * world.most_w[domain(a)]
            if abs(a["energy_j"] - b["energy_j"]) > slack_j + 1e-6:
                found.append(Violation("same-number", "look", a["energy_j"], b["energy_j"],
                                       f"{name} {a['name']}: {a['energy_j']} J with looks and checkpoints, "
                                       f"{b['energy_j']} J without"))
    return found
