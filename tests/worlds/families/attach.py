# SPDX-License-Identifier: BSD-3-Clause
"""Measurements that begin while the machine already works: `run -p PID` of a busy process, of one that ends in the
middle or has ended, and `start`, `mark`, `stop` with stages of known power."""
import channels
import node
from laws import Violation
from oracle import expect

ENGINE = "real"
COST_S = 2.5


def draw(rng):
    """Either a process that steps the power of the node, or stages."""
    lines = ["power package=" + rng.choice(("50", "60+20*sin(2*pi*t)", "40+80*square(t,0.3,0.5)"))]
    if rng.random() < 0.4:
        lines.append("power dram=8")
    if rng.random() < 0.3:
        lines.append("tick " + rng.choice(("976.5625", "10000", "50000", "100000")))
    if rng.random() < 0.2:
        lines.append("gpu model=a100,power=55+100*square(t,0.5,0.5)")
    lines.append(f"interval {rng.choice(('default', '10ms', '50ms', '300ms'))}")
    lines.append(f"seed {rng.randrange(1, 1000000)}")
    lines += [f"option {o}" for o in ("--no-edges",) if rng.random() < 0.15]
    if rng.random() < 0.5:
        return lines + stages(rng)
    lines.append(f"way {rng.choice(('pid', 'pid', 'duration', 'ended', 'killed', 'short'))}")
    steps = [(rng.choice((0.05, 0.2, 0.5)), rng.choice((40, 120, 150))) for _ in range(rng.choice((1, 2, 3)))]
    for seconds, watts in steps:
        lines += [f"program set package={watts}", f"program sleep {seconds}"]
    return lines


def stages(rng):
    """Stages that each begin at a step of the power."""
    names = [rng.choice("abc") for _ in range(rng.choice((1, 2, 3, 4)))]
    lines = ["way stages"]
    for name in names:
        lines.append(f"stage {name} {rng.choice((40, 120, 90))} {rng.choice((0.05, 0.15, 0.4, 0.8))}")
    return lines + (["stage - 60 0.3"] if rng.random() < 0.4 else [])


def options(s):
    words = ["-o", "r.wtl"]
    if s.one("interval", "default") != "default":
        words += ["-i", s.one("interval")]
    return words + [word for option in s.all("option") for word in option.split()]


def plan_stages(s):
    """start, a mark for each stage at a step of the power, stop."""
    session = {"WATTLE_SESSION": "worlds"}
    steps = [{"run": ["@wattle", "start", "-q", "--watch", "@pid:watched", *options(s)], "env": session}]
    steps = [{"start": ["sleep", "60"], "as": "watched"}] + steps
    for stage in s.all("stage"):
        name, watts, seconds = stage.split()
        steps += [{"set": [f"package={watts}"]},
                  {"run": ["@wattle", "mark", "--end" if name == "-" else name], "env": session, "stage": name},
                  {"sleep": float(seconds)}]
    steps += [{"run": ["@wattle", "stop", "--format", "json"], "env": session, "save": "r.json"}, {"truth": "r.json"}]
    return steps + [{"run": ["@wattle", "stats", "--regions", "--format", "json", "r.wtl"]}, {"kill": "watched"}]


def plan_process(s, sim):
    """A process that steps the power, and a measurement of it."""
    way = s.one("way")
    command = ["sh", "-c", f"SIM={sim}; sleep 0.25; {node.shell(s)}" if way != "short" else "sleep 0.15"]
    run = ["@wattle", "run", *options(s), "--format", "json", "--result", "r.json", "-p", "@pid:job"]
    if way == "duration":
        run += ["--duration", "0.2s"]
    steps = [{"start": command, "as": "job"}, {"sleep": 0.1}]
    if way == "ended":
        steps.append({"wait": "job"})
    if way == "killed":
        steps += [{"start": run, "as": "wattle"}, {"sleep": 0.25}, {"kill": "job", "signal": 9}, {"wait": "wattle"}]
    else:
        steps += [{"run": run}, {"kill": "job"}]
    return steps + [{"truth": "r.json"}, *channels.again("r.wtl")]


def play(s, p):
    steps = plan_stages(s) if s.one("way") == "stages" else plan_process(s, p.sim)
    observation = node.play(p, s, steps)
    channels.look(p, observation)
    return observation


def stage_energies(s, o):
    """The stages of a measurement: known power times their time, to within the few milliseconds that a mark takes."""
    again = node.load(o["steps"][-2].get("out")) or {}
    regions = {r["name"]: r for r in again.get("regions", [])}
    asked, found = {}, []
    for stage in s.all("stage"):
        name, watts, seconds = stage.split()
        asked.setdefault(name, []).append((float(watts), float(seconds)))
    for name, parts in asked.items():
        if name == "-":
            continue
        if name not in regions:
            found.append(Violation("same-number", "regions", sorted(k or "" for k in regions), name,
                                   f"no region for the stage {name}"))
            continue
        found += stage_energy(regions[name], parts, bool(s.all("gpu")),
                              [p for p in s.all("power") if p.startswith("dram")])
    if o["document"] and again.get("channels"):
        found += [Violation(*f) for f in expect.same_documents(o["document"], again)]
    if o["document"] and again.get("regions"):
        found += whole(o["document"], again["regions"])
    return found


def stage_energy(region, parts, with_gpu, with_dram):
    inclusive, seconds = region["inclusive"], region["union_s"]
    if with_gpu or inclusive["energy_j"] is None or len({watts for watts, _ in parts}) > 1:
        return []
    truth = (parts[0][0] + (8 if with_dram else 0)) * seconds
    room = 3 * (inclusive["resolution_interval_j"] or 0) + 120 * 0.03 * len(parts)
    if abs(inclusive["energy_j"] - truth) <= room:
        return []
    return [Violation("interval", "regions[].inclusive.energy_j", inclusive["energy_j"], truth,
                      f"stage of {seconds:.3f} s at {parts[0][0]} W: {inclusive['energy_j']:.5g} +- "
                      f"{inclusive['resolution_interval_j']:.3g} J, "
                      f"true are {truth:.5g} J")]


def whole(document, regions):
    """Law sum: stages and the time outside of all are the total."""
    parts, total = [r["exclusive"]["energy_j"] for r in regions], document["total"]["energy_j"]
    if None in parts or total is None or any(r["exclusive"]["interval_only"] for r in regions):
        return []
    half = sum(r["exclusive"]["resolution_interval_j"] or 0 for r in regions)
    if abs(sum(parts) - total) <= max(1e-3 * total, 2 * half):
        return []
    return [Violation("sum", "regions[].exclusive", sum(parts), total,
                      f"stages and the rest add up to {sum(parts):.6g} J of {total:.6g} J")]


def window(s, o):
    """The window of a process ends when it ends, within a second."""
    document = o["document"]
    if s.one("way") != "killed" or document is None or document["end_monotonic_ns"] is None:
        return []
    killed = o["steps"][4]["begin_ns"]
    late = (document["end_monotonic_ns"] - killed) / 1e9
    if -0.02 <= late <= 1.0:
        return []
    return [Violation("interval", "end_monotonic_ns", late, 0,
                      f"the window ends {late:.3f} s after the process was killed")]


def check(s, o):
    way = s.one("way")
    ours = [x for x in o["steps"] if x.get("status") not in (-9, -15)]  # but for what a step killed
    found = channels.statuses({**o, "steps": ours}, fails=way in ("ended", "short"))
    if way in ("ended", "short"):
        return found + (ended(o) if way == "ended" else channels.check(o, o["document"]) if o["document"] else [])
    if o["document"] is None:
        return found
    found += [Violation("crash", "status", x["status"], 0, f"a step ended with {x['status']}: {x.get('err')}")
              for x in ours if x["status"] != 0 and not found]
    found += channels.check(o, o["document"]) + channels.declared(s, o["document"], tick_s(s)) + window(s, o)
    return found + channels.read_again(o) + (stage_energies(s, o) if way == "stages" else [])


def tick_s(s):
    return max([1000.0, *(float(tick) for tick in s.all("tick"))]) * 1e-6


def ended(o):
    """Law refusal: a process that has ended cannot be measured, and that is said."""
    if o["document"] is not None:
        return [Violation("refusal", "run -p", "a result", "no such process", "a result for a process that had ended")]
    answer = o["steps"][3]
    if answer["status"] == 0 or not answer["err"].strip():
        return [Violation("refusal", "run -p", answer["status"], "no such process",
                          f"run -p of a process that had ended: status {answer['status']}, \"{answer['err']}\"")]
    return []
