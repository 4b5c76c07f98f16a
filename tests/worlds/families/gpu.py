# SPDX-License-Identifier: BSD-3-Clause
"""GPUs of a simulated node: counters that are slow, gauges that filter, average or look away, power that steps at the
borders of the window, GPUs that fail, several of them, repeats. The truth is that of the node for the very window of
the result."""
import re

import channels
import node
from laws import Violation

ENGINE = "real"
COST_S = 4.0

COUNTERS = ("a100", "h100", "v100", "gh200")
GAUGES = ("k40", "p100", "a100,no=energy", "h100,no=energy", "v100,no=energy", "gh200,no=energy",
          "h100,no=energy,no=instant")
FAULTS = ("vanish:gpu-0@{at}s", "vanish:gpu-0@{at}s,for=0.5s", "stall:gpu-0@{at}s,for=0.4s", "stall:gpu-0@{at}s",
          "reset:gpu-0@{at}s",
          "eio:gpu-0,rate=0.3", "eio:gpu-0@{at}s,for=0.3s", "mig:gpu-0@{at}s", "crash:gpu-0@{at}s",
          "permission:gpu-0@{at}s,for=0.4s")


def gpu(rng):
    """One GPU: a model, its power left to the steps of the program, sometimes with a slower counter."""
    model = rng.choice(COUNTERS if rng.random() < 0.5 else GAUGES)
    low = rng.choice((20, 55, 100))
    power = rng.choice((f"{low}", f"{low}", f"{low}+150*square(t,0.4,0.5)", f"{low}+80*square(t,0.1,0.25)",
                        f"{low}+100*sin(2*pi*t)^2"))
    return f"model={model},power={power}"


def program(rng, n_gpus):
    """Steps of the command: power of a GPU at logged instants, between sleeps."""
    shape = rng.choice(("constant", "busy-start", "busy-end", "busy", "burst", "late-drop"))
    total = rng.choice((0.15, 0.4, 0.9, 1.5, 2.5))
    which = rng.randrange(n_gpus)
    high, low = rng.choice((300, 400, 150)), rng.choice((20, 55))
    step = {"constant": [], "busy-start": [(0, high), (0.4, low)], "busy-end": [(0, low), (0.6, high)],
            "busy": [(0, high), (0.97, low)],
            "burst": [(0, low), (0.45, high), (0.55, low)], "late-drop": [(0, high), (0.9, low)]}[shape]
    lines, at = [], 0.0
    for share, watts in step:
        lines += [f"program sleep {(share - at) * total:.3f}"] if share > at else []
        lines.append(f"program set gpu-{which}={watts}")
        at = share
    return lines + [f"program sleep {(1 - at) * total:.3f}"]


def draw(rng):
    """A node with one or two GPUs; half of the windows begin or end in the middle of work."""
    two = rng.random() < 0.25
    gpus = [gpu(rng) for _ in range(2 if two else 1)]
    if rng.random() < 0.1:
        gpus[0] += ",mig=3"
    lines = ["power package=50"] + [f"gpu {g}" for g in gpus]
    if rng.random() < 0.4:
        lines.append(f"tick gpu-0={rng.choice((20000, 50000, 100000, 100000))}")
    if rng.random() < 0.25:
        lines.append("fault " + rng.choice(FAULTS).format(at=rng.choice((0, 0.6, 1.0, 1.4))))
    if rng.random() < 0.3:
        lines.append(f"before {rng.choice((150, 300, 400))}")
    lines.append(f"interval {rng.choice(('default', 'default', '10ms', '50ms', '250ms', '1s'))}")
    lines.append(f"target {rng.choice(('command', 'command', 'command', 'pid'))}")
    if rng.random() < 0.3 and lines[-1] == "target command":
        lines.append(f"repeat {rng.choice((2, 3, 4, 6))}")
    lines.append(f"seed {rng.randrange(1, 1000000)}")
    return lines + program(rng, len(gpus))


def plan(s, sim):
    """Steps inside the node: power before, the run, the truth, the trace read again."""
    options = ["--format", "json", "--result", "r.json", "-o", "r.wtl"]
    if s.one("interval", "default") != "default":
        options += ["-i", s.one("interval")]
    if s.one("repeat"):
        options += ["-r", s.one("repeat")]
    command = ["sh", "-c", f"SIM={sim}; {node.shell(s)}"]
    steps = [{"set": [f"gpu-0={s.one('before')}"]}, {"sleep": 0.4}] if s.one("before") else []
    if s.one("target") == "pid":
        command[-1] = "sleep 0.35; " + command[-1]
        steps += [{"start": command, "as": "job"}, {"sleep": 0.1},
                  {"run": ["@wattle", "run", *options, "-p", "@pid:job"]}, {"wait": "job"}]
    else:
        steps += [{"run": ["@wattle", "run", *options, "--", *command]}]
    steps += [{"truth": "r.json"}]
    if not s.one("repeat"):
        steps += channels.again("r.wtl")
    return steps


def play(s, p):
    observation = node.play(p, s, plan(s, p.sim))
    channels.look(p, observation)
    return observation


def gpus_in_total(s, o):
    """Law sum: each GPU that was there is in the total, or its absence is said."""
    document, n = o["document"], len(s.all("gpu"))
    has = [c for c in document["channels"] if c["domain"] == "gpu" and c["in_total"]]
    if len(has) >= n or channels.flagged(document) or s.one("fault"):
        return []
    if "GPUs" in (document["total"]["excludes"] or []):
        return []
    return [Violation("unflagged", "total.contains", document["total"]["contains"], f"{n} GPUs",
                      f"{n} GPUs, {len(has)} in the total, and neither a flag nor \"excludes\" says so")]


def greatest_w(s):
    """No GPU draws more than this at any time: steps of the program, or a base and an amplitude of at most 250 W together."""
    steps = [float(w) for line in s.all("program") + s.all("before") for w in re.findall(r"\d+(?:\.\d+)?$", line) if "sleep" not in line]
    return max([250.0, *steps])


def plain_reads(s, o):
    """Law reads: a counter read once at each border is at most one update old there, which bounds its error."""
    found, update_s = [], (s.pairs("tick").get("gpu-0") and float(s.pairs("tick")["gpu-0"]) * 1e-6) or 0.02
    if s.one("fault") or s.one("repeat"):
        return []
    document = o["document"]
    truth = o["truth"].get(f"{document['start_monotonic_ns']}-{document['end_monotonic_ns']}", {})
    for channel in document["channels"]:
        true_j, said = channels.true_joules(channel, truth), channel["energy_j"]
        if channel["domain"] != "gpu" or None in (true_j, said) or not counts(s, channel):
            continue
        allowed = 1.5 * update_s * greatest_w(s)
        if abs(said - true_j) > allowed:
            found.append(Violation("reads", "channels[gpu].energy_j", said, true_j,
                                   f"{channel['name']}: {said:.5g} J, true {true_j:.5g} J; "
                                   f"two plain reads are off by at most {allowed:.3g} J"))
    return found


def counts(s, channel):
    """Whether this GPU has a counter of energy."""
    lines = s.all("gpu")
    return channel["index"] < len(lines) and any(f"model={m},power" in lines[channel["index"]] for m in COUNTERS)


def zero_first(s, o):
    """Law known: a counter that reads 0 until its driver is ready counts from then on, or a gauge takes its place."""
    if not any("by=-" in fault for fault in s.all("fault")):
        return []
    gpus_ = [c for c in o["document"]["channels"] if c["domain"] == "gpu" and c["primary"]]
    most_s = 0.9 * o["document"]["wall_time_s"]
    if gpus_ and all(c["energy_j"] is not None and c["unknown_s"] < most_s for c in gpus_):
        return []
    return [Violation("known", "channels[gpu] zero first", [(c["energy_j"], c["unknown_s"]) for c in gpus_], "an energy",
                      f"a counter that reads 0 at first: energies {[c['energy_j'] for c in gpus_]}, unknown "
                      f"{[c['unknown_s'] for c in gpus_]} s of {o['document']['wall_time_s']:.3g} s")]


def check(s, o):
    found = channels.statuses(o)
    if o["document"] is None:
        return found
    if not s.one("fault"):
        found += [Violation("crash", "status", x["status"], 0, f"a step ended with {x['status']}: {x.get('err')}")
                  for x in o["steps"] if x["status"] != 0 and not found]
        found += channels.declared(s, o["document"], 0.1)
    found += zero_first(s, o)
    again = channels.read_again(o)
    if any("no=energy" in gpu or "k40" in gpu or "p100" in gpu for gpu in s.all("gpu")):
        # Repeats may all start at the same phase of a gauge: the interval of their mean is that of one run.
        again = [v for v in again if not v.where.startswith("repeat.")]
    return found + channels.check(o, o["document"]) + gpus_in_total(s, o) + plain_reads(s, o) + again


def batch(pairs):
    """Law coverage for the energy of GPUs over many situations without faults."""
    return channels.coverage([o for s, o in pairs if not s.one("fault")], "channels[gpu].energy_j",
                             lambda c: c["domain"] == "gpu")
