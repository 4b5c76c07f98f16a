# SPDX-License-Identifier: BSD-3-Clause
"""Totals of imported tables in which places contain others, or say so: the total has each joule once."""
import json
import math

from laws import Violation
from oracle import expect

ENGINE = "virtual"
COST_S = 0.1
CHECK = 40
STEP_S, LENGTH_S = 0.1, 20.0


def draw(rng):
    """Lines "place NAME WATTS [within PLACE]", power as "FIRST SECOND" half of the time each."""
    sockets, lines = rng.choice([1, 1, 2]), []

    def add(name, first, second, within=""):
        """Powers of two places are never the same, or one would be taken for the other."""
        lines.append(f"place {name} {first * rng.uniform(0.9, 1.1):.3f} {second * rng.uniform(0.9, 1.1):.3f} {within}".strip())

    for k in range(sockets):
        add(f"package-{k}", *rng.choice([(40, 60), (90, 150)]))
        if rng.random() < 0.5:
            add(f"core-{k}", 20, 30, f"package-{k}")
        if rng.random() < 0.6:
            add(f"dram-{k}", 5, 8)
    if rng.random() < 0.5:
        add("psys-0", 160 * sockets, 240 * sockets)
    for k in range(rng.choice([0, 1, 2])):
        add(f"gpu-{k}", 55, 200)
        if rng.random() < 0.6:
            add(f"gpu_memory-{k}", 15, 60, f"gpu-{k}")
    if rng.random() < 0.3:
        add("network-0", 12, 13)
    if rng.random() < 0.3:
        add("disk-0", 4, 9)
    if rng.random() < 0.2:
        add("node-0", 900 * sockets, 1500 * sockets)
    elif sockets == 1 and rng.random() < 0.2:  # a die that shows the counter of another one
        lines.append(lines[0].replace("package-0", "package-1"))
    return [*lines, f"kind {rng.choice(['counter', 'gauge'])}"]


class Place:
    """One line."""

    def __init__(self, text):
        words = text.split()
        self.name, self.first, self.second = words[0], float(words[1]), float(words[2])
        self.within = words[3] if len(words) > 3 else None
        self.domain = self.name.partition("-")[0]

    def watts(self, t):
        return self.first if t < LENGTH_S / 2 else self.second

    def joules(self, t):
        return self.first * min(t, LENGTH_S / 2) + self.second * max(t - LENGTH_S / 2, 0)


def places(s):
    return [Place(text) for text in s.all("place")]


def counted(s):
    """What a total has: the whole node, or the platform, or packages and memory; then devices that are in none of these. What
    is within something else is never added to it (reading-results, json.md)."""
    have = places(s)
    node = [p for p in have if p.domain == "node"]
    if node:
        return node
    psys = [p for p in have if p.domain == "psys"]
    host = psys or [p for p in have if p.domain in ("package", "dram") and not mirrors(p, have)]
    return host + [p for p in have if p.domain in ("gpu", "gpu_memory", "network", "disk") and not p.within]


def mirrors(place, have):
    """Whether it is the same as one before it."""
    before = have[:[p.name for p in have].index(place.name)]
    return any((p.first, p.second) == (place.first, place.second) for p in before)


def play(s, p):
    have, counter = places(s), s.one("kind") == "counter"
    unit = "J" if counter else "W"
    with open(p.path("t.csv"), "w", encoding="utf-8") as f:
        f.write(",".join(["time [s]", *(f"{x.name} [{unit}]" for x in have)]) + "\n")
        for k in range(round(LENGTH_S / STEP_S) + 1):
            t = k * STEP_S
            f.write(",".join([f"{t:.3f}", *(f"{1000 + x.joules(t) if counter else x.watts(t):.6f}" for x in have)]) + "\n")
    what = "energy:J:counter" if counter else "power:W:gauge"
    options = [word for x in have for word in ("--column", f"{x.name} [{unit}]={x.name}:{what}"
                                               + (f":within {x.within}" if x.within else ""))]
    done = p.run([p.wattle, "import", "--time", "time [s]:s:start", *options, "t.csv", "-o", "t.wtl"])
    stats = p.run([p.wattle, "stats", "--format", "json", "t.wtl"])
    text = p.run([p.wattle, "stats", "t.wtl"], env={"COLUMNS": "200"})
    try:
        return {"stats": json.loads(stats.out), "text": text.out}
    except ValueError:
        return {"failed": [done.status, done.err[-400:], stats.status, stats.err[-400:]]}


def check(s, o):
    if "failed" in o:
        return [Violation("crash", "stats", o["failed"], 0, f"no document: {o['failed']}")]
    document, truth = o["stats"], math.fsum(x.joules(LENGTH_S) for x in counted(s))
    found = [Violation(*f) for f in expect.check_total(document)]
    said, half = document["total"]["energy_j"], document["total"]["resolution_interval_j"]
    if said is None:
        return found + [Violation("known", "total.energy_j", None, truth, "no total of a table that has all its values")]
    if any(mirrors(x, places(s)) for x in places(s)) and document["flags"]:
        return found  # it may count twice what it says is in doubt
    if abs(said - truth) > 3 * half + 0.02 * truth:
        found.append(Violation("sum", "total.energy_j whole", said, truth,
                               f"total {said:.6g} +- {half:.2g} J of {document['total']['channels']}; "
                               f"{' and '.join(x.name for x in counted(s))} had {truth:.6g} J"))
    for channel in document["channels"]:
        place = next((x for x in places(s) if channel["name"].partition(":")[2] == x.name), None)
        if place and (channel["within"] or "").partition(":")[2] != (place.within or "") and place.within:
            found.append(Violation("same-number", "channels[].within", channel["within"], place.within,
                                   f"{channel['name']} is within {place.within}, said {channel['within']}"))
    return found
