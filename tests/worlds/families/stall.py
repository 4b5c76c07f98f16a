# SPDX-License-Identifier: BSD-3-Clause
"""Counters that stand still and catch up, fail to be read, are hidden from the user or contradict each other, at and
around the borders of the window. Energy that a total does not have must be said: in the text, in the document and in
what is read from the trace."""
import channels
import node
from laws import Violation

ENGINE = "real"
COST_S = 2.5

BEFORE, AT_START, MIDDLE, NEAR_END, AT_END = "before", "start", "middle", "near-end", "end"


def draw(rng):
    """Either a counter that stands still or fails for a while, or a machine that shows a part of itself only."""
    sockets = rng.choice((1, 1, 2))
    lines = [f"sockets {sockets}"] if sockets > 1 else []
    power = rng.choice(("60", "60", "40+60*square(t,0.4,0.5)"))
    lines += [f"power package={power}"]
    if rng.random() < 0.5:
        lines.append("power dram=8")
    # The registers of a second socket are found by the topology in sysfs, which is that of the real machine.
    views = ("powercap", "powercap", "msr", "powercap,msr") if sockets == 1 else ("powercap", "powercap,msr")
    lines.append(f"view {rng.choice(views)}")
    lines.append(f"interval {rng.choice(('10ms', '10ms', '50ms', 'default', '300ms', '1s'))}")
    if rng.random() < 0.2:
        lines.append("tick " + rng.choice(("10000", "50000")))
    lines.append(f"seed {rng.randrange(1, 1000000)}")
    if rng.random() < 0.2:
        lines.append("option --no-edges")
    lines += [f"length {rng.choice((0.2, 0.5, 1.0, 1.6))}"]
    if rng.random() < 0.4:
        return lines + parts(rng, sockets)
    domain = rng.choice(("package-0", "package-0", "dram-0", "package")) if "power dram=8" in lines else "package-0"
    kind = rng.choice(("stall", "stall", "stall", "eio", "vanish", "reset", "filtering"))
    where, milliseconds = rng.choice((BEFORE, AT_START, MIDDLE, NEAR_END, AT_END)), rng.choice((30, 120, 300, 700,
                                                                                                5000))
    return lines + [f"now {where} {kind}:{domain},for={milliseconds}ms"]


def parts(rng, sockets):
    """A machine of which something cannot be read, or whose counters contradict each other."""
    choices = ["fault permission:package", "power psys=30", "power psys=200", "power core=90", "power core=30"]
    if sockets == 2:
        choices += ["fault permission:package-1", "fault vanish:package-1@0s", "fault eio:package-1",
                    "fault permission:package-0"] * 2
    chosen = rng.choice(choices)
    extra = ["power dram=8"] if chosen == "fault permission:package" else []
    return extra + [chosen]


def command(s, sim):
    """The program: sleeps, and the fault at its place."""
    length = s.number("length", 0.5)
    where, _, fault = (s.one("now") or "none -").partition(" ")
    at = {AT_START: 0.02, MIDDLE: 0.5, NEAR_END: 0.9, AT_END: 0.999}.get(where)
    if at is None:
        return ["sleep", str(length)]
    kind, _, rest = fault.partition(",")
    word = f"fault={kind},{rest}" if rest else f"fault={kind}"
    return ["sh", "-c", f"sleep {at * length:.3f}; {sim} set {word} >/dev/null; sleep {(1 - at) * length:.3f}"]


def plan(s, sim):
    options = ["--format", "json", "--result", "r.json", "-o", "r.wtl"]
    if s.one("interval", "default") != "default":
        options += ["-i", s.one("interval")]
    options += s.all("option")
    where, _, fault = (s.one("now") or "none -").partition(" ")
    before = [{"set": [f"fault={fault}"]}] if where == BEFORE else []
    return [*before, {"run": ["@wattle", "run", *options, "--", *command(s, sim)]}, {"truth": "r.json"},
            *channels.again("r.wtl")]


def play(s, p):
    observation = node.play(p, s, plan(s, p.sim))
    channels.look(p, observation)
    return observation


def missing_sockets(s, document):
    """Law unflagged: a socket whose package is not in the total is named by a flag, or the energy is unknown."""
    psys = any(c["domain"] == "psys" and c["in_total"] for c in document["channels"])
    if psys or channels.flagged(document) or document["total"]["quality"] == "estimated":
        return []
    there = {c["index"] for c in document["channels"] if c["domain"] == "package" and c["in_total"]}
    wanted = int(s.one("sockets", "1"))
    if len(there) >= wanted:
        return []
    return [Violation("unflagged", "flags: packages of the total", document["total"]["contains"], f"{wanted} packages",
                      f"the machine has {wanted} packages, the total {len(there)} "
                      f"(\"{document['total']['contains']}\"); flags are {document['flags']}")]


def contradiction(document):
    """Law bound: a part does not draw more than the whole, or the result says that its counters contradict each
    other."""
    found, by_name = [], {c["name"]: c for c in document["channels"]}
    for channel in document["channels"]:
        whole = by_name.get(channel["within"] or "")
        if whole is None or None in (whole["energy_j"], channel["energy_j"]):
            continue
        room = 3 * (channels.half_width(whole) + channels.half_width(channel)) + 0.02 * whole["energy_j"]
        if channel["energy_j"] > whole["energy_j"] + room and not doubts(document):
            found.append(Violation("bound", f"{channels.place(channel)} within {whole['domain']}", channel["energy_j"],
                                   whole["energy_j"],
                                   f"{channel['name']} has {channel['energy_j']:.4g} J, {whole['name']}, which "
                                   f"contains it, {whole['energy_j']:.4g} J, "
                                   f"and no flag says so: {document['flags']}"))
    return found


def doubts(document):
    """Flags that speak of the sensors, not of the machine or of other programs."""
    silent = ("NOT ALONE", "EDGES LOST", "END LATE", "SLOW UPDATES", "SAMPLES", "THROTTLED", "CAPPED")
    return [f for f in document["flags"] if f not in silent]


def check(s, o):
    found = channels.statuses(o)
    document = o["document"]
    if document is None:
        return found
    return (found + channels.check(o, document) + missing_sockets(s, document) + contradiction(document)
            + channels.read_again(o, False))


def batch(pairs):
    """Law coverage of energies whose counters stood still or failed for a while."""
    return channels.coverage([o for s, o in pairs if s.one("now")], "energy_j with faults")
