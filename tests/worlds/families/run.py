# SPDX-License-Identifier: BSD-3-Clause
"""wattle run: energy, mean and total of a command on a node whose power is an expression of time."""
import json
import math

from laws import Violation, within

ENGINE = "real"
COST_S = 1.5
CHECK = 12


def draw(rng):
    lines = []
    base, high = rng.choice([(50, 100), (5, 200), (30, 60)])
    power = rng.choice([f"{base}", f"{base}+square(t,{rng.choice([0.05, 0.2, 0.5])},{rng.choice([0.01, 0.06, 0.1])})*{high}",
                        f"{high}+{base}*sin(2*pi*t*{rng.choice([1, 3, 7])})", f"t>{rng.uniform(0.3, 1):.2f} ? {high} : {base}",
                        f"t<{rng.uniform(0.1, 0.5):.2f} ? {high} : {base}"])
    lines.append(f"power package={power}")
    if rng.random() < 0.4:
        lines.append(f"power dram={rng.choice(['5', '3+square(t,0.1,0.05)*9'])}")
    if rng.random() < 0.3:
        lines.append("power core=20")
    if rng.random() < 0.3:
        lines.append("sockets 2")
    if rng.random() < 0.5:
        lines.append(f"interval {rng.choice(['1ms', '10ms', '100ms', '1s', '10s'])}")
    lines.append(f"sleep {rng.choice([0.02, 0.1, 0.3, 0.7, 1.0])}")
    return lines


def play(s, p):
    argv = [p.sim, "run", "--seed", s.one("seed", "1"), "--log", p.path("log")]
    for power in s.all("power"):
        argv += ["--power", power]
    if s.one("sockets"):
        argv += ["--sockets", s.one("sockets")]
    measure = [p.wattle, "run", "--format", "json", "--result", "r.json", "-o", "t.wtl"]
    if s.one("interval"):
        measure += ["-i", s.one("interval")]
    script = f'{" ".join(measure)} -- sleep {s.one("sleep", "0.1")}; read_window() {{ sed -nE "s/.*\\"$1\\": ([0-9]+),?/\\1/p" r.json; }}; ' \
             f'{p.sim} energy --format json --from $(read_window start_monotonic_ns) --to $(read_window end_monotonic_ns) >truth.json'
    done = p.run([*argv, "--", "sh", "-c", script])
    return {"status": done.status, "err": done.err[-500:], "result": _json(p.read("r.json")), "truth": _json(p.read("truth.json"))}


def _json(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def check(s, o):
    if o["status"] != 0 or not o["result"] or not o["truth"]:
        return [Violation("crash", "run", o["status"], 0, f"no result: status {o['status']}: {o['err']}")]
    found = []
    for channel in o["result"]["channels"]:
        truth = truth_of(o["truth"], channel)
        energy, half = channel["energy_j"], channel["resolution_interval_j"]
        if truth is None or energy is None:
            continue
        if half is None or not math.isfinite(half) or not within(truth, energy, half, 3):
            found.append(Violation("interval", f"channels[{channel['domain']}].energy_j", energy, truth,
                                   f"{channel['name']}: {energy:.6g} +- {half or math.nan:.2g} J, true {truth:.6g} J"))
    return found


def truth_of(truth, channel):
    name = channel["domain"] + "-" + str(channel["index"])
    for domain in truth.get("domains", []):
        if domain.get("name") == name or domain.get("domain") == name:
            return domain.get("energy_j")
    return None
