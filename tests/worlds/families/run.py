# SPDX-License-Identifier: BSD-3-Clause
"""wattle run and stats: one command, in text, JSON and CSV, on a node whose power is an expression of time."""
import math

import channels
from laws import Violation
from oracle import against, expect
from oracle.power import Course

ENGINE = "real"
COST_S = 2.0
CHECK = 12
GREATEST_W = 250.0


def draw(rng):
    base, high = rng.choice([(50, 100), (5, 200), (30, 60)])
    late, early, rate = round(rng.uniform(0.05, 0.9), 2), round(rng.uniform(0.05, 0.5), 2), rng.choice([1, 3, 7])
    shape = rng.choice(["0", "0", f"square(t,{rng.choice([0.05, 0.2, 0.5])},{rng.choice([0.02, 0.06, 0.3])})",
                        f"(1+sin(2*pi*t*{rate}))/2", f"(t>{late})", f"(t<{early})"])
    lines = [f"seed {rng.randrange(1, 10**6)}", f"power package={base}+{high}*{shape}"]
    lines += [f"power core={0.3 * base:g}+{0.5 * high:g}*{shape}"] if rng.random() < 0.4 else []
    lines += [f"power dram={rng.choice(['5', f'3+{high / 10:g}*{shape}'])}"] if rng.random() < 0.5 else []
    lines += ["sockets 2"] if rng.random() < 0.3 else []
    if rng.random() < 0.3:
        lines.append(f"node --range-bits {rng.choice([16, 20, 22])}")
    if rng.random() < 0.4:
        lines.append(f"node --tick-us {rng.choice([1000, 10000, 20000, 100000])}")
    if rng.random() < 0.6:
        lines.append(f"interval {rng.choice(['1ms', '10ms', '100ms', '200ms', '1s', '10s'])}")
    return [*lines, f"sleep {rng.choice([0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 1.4])}"]


def play(s, p):
    argv = [p.sim, "run", "--seed", s.one("seed", "1"), "--log", p.path("log"), "--sockets", s.one("sockets", "1")]
    for power in s.all("power"):
        argv += ["--power", power]
    for option in s.all("node"):
        argv += option.split()
    argv += ["--", p.wattle, "run", "--format", "json", "--result", "result.json", "-o", "t.wtl"]
    argv += ["-i", s.one("interval")] if s.one("interval") else []
    done = p.run([*argv, "--", "sleep", s.one("sleep", "0.1")])
    o = {"status": done.status, "err": done.err[-500:], "result": p.read("result.json"), "log": p.read("log")}
    for name in ("text", "json", "csv"):
        stats = p.run([p.wattle, "stats", "--format", name, "t.wtl"])
        o[name] = stats.out if stats.status == 0 else None
    return o


def check(s, o):
    if o["status"] != 0 or not o["result"] or not o["log"]:
        return [Violation("crash", "run", o["status"], 0, f"no result: status {o['status']}: {o['err']}")]
    document = expect.load(o["result"])
    found = expect.check_run_document(document)
    if None in (o["text"], o["json"], o["csv"]):
        found.append(("crash", "stats", None, None, "stats of the trace has no result"))
    elif document["exit_code"] != 0:
        found.append(("same-number", "exit_code", document["exit_code"], 0, "the command succeeded"))
    else:
        stats = expect.load(o["json"])
        found += expect.check_run_document(stats, o["text"], o["csv"]) + expect.same_documents(document, stats)
    return [Violation(*f) for f in found + against_power(s, o, document)] + told(s, document)


def told(s, document):
    """Law known: nothing happens to the node, so that all its domains are there, with intervals that say something."""
    tick_s = tick_ns(s) * 1e-9
    if any("--range-bits" in option for option in s.all("node")):  # it may wrap more than once between two readings
        return channels.declared(s, document, math.inf)
    found = channels.declared(s, document, tick_s)
    for channel in document["channels"]:
        half, said = channel["resolution_interval_j"], channel["energy_j"]
        if said is None or document["wall_time_s"] < 10 * tick_s + 0.3:
            continue
        widest = 0.05 * said + (8 * tick_s + 0.02) * GREATEST_W
        if half > widest:
            found.append(Violation("known", f"{channels.place(channel)}.resolution_interval_j", half, widest,
                                   f"{channel['name']}: {said:.5g} +- {half:.3g} J, and nothing happened"))
    return found


def tick_ns(s):
    options = dict(option.split() for option in s.all("node"))
    return round(float(options.get("--tick-us", 976.5625)) * 1000)


def against_power(s, o, document):
    """Each channel against the node's power in its window."""
    found, begin, end = [], document["start_monotonic_ns"], document["end_monotonic_ns"]
    for channel in document["channels"]:
        course = Course.of_log(o["log"], f"{channel['domain']}-{channel['index']}")
        found += against.check_channel(channel, course, begin, end, update_ns=tick_ns(s))
    return found
