#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: bench/bench_e0.py

E0: how good is the estimate on servers it has not seen? Every error is computed with the group named in the line
left out of the regression. Coverage is that of the 95 % interval, built without the fold (of ten, by
processor) and without the measured host whose load shape is used as the truth. For comparison TDP x load, for the
processors whose TDP is known, with an interval made in the same way. Prints results; asserts nothing.

Limitation: the servers of the table were tuned for a benchmark. The lines at the end are three
machines that are not in it.
"""
import csv
import math
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import power_model as pm  # noqa: E402

FOLDS = 10
LOADS = (0.0, 0.2, 0.5, 0.8, 1.0)


def factor(values):
    """Median of |ln error| as a percentage."""
    return 100 * (math.exp(statistics.median(map(abs, values))) - 1)


def fold_of(server):
    return sum(server.key.encode()) % FOLDS


def truths(errors, shape, work, load):
    """(true / full-load prediction) of each server under one shape; servers in turn get one program each."""
    i = round(load * 10)
    for n, (e0, e1, share, _) in enumerate(errors):
        idle = share * math.exp(e0)
        yield idle + shape[i] * work[n % len(work)] * max(math.exp(e1) - idle, 0.02)


def evaluate(errors, shapes):
    """Per load: median error of the estimate against the truth, and coverage, over left-out folds and hosts."""
    rows = {load: ([], [0, 0]) for load in LOADS}
    for host, modes in shapes.of.items():
        curve = shapes.mean([h for h in shapes.of if h != host])
        rest = [s for h, m in shapes.of.items() if h != host for s in m.values()]
        for fold in range(FOLDS):
            held = pm.with_share([e for e in errors if fold_of(e[0]) == fold])
            train = pm.with_share([e for e in errors if fold_of(e[0]) != fold])[::4]
            if not held:
                continue
            low, high = pm.interval(train, curve, rest, shapes.work[::4], pm.EQUIPMENT)
            for load, (values, hits) in rows.items():
                for shape in modes.values():
                    for (_, _, share, _), truth in zip(held, truths(held, shape, shapes.work, load)):
                        ratio = truth / (share + curve[round(load * 10)] * (1 - share))
                        values.append(math.log(ratio))
                        hits[0] += low <= ratio <= high
                        hits[1] += 1
    return rows


def print_rows(name, errors, shapes):
    rows = evaluate(errors, shapes)
    every = [v for values, _ in rows.values() for v in values]
    hits = [sum(h[i] for _, h in rows.values()) for i in (0, 1)]
    parts = "  ".join(f"{100 * load:.0f}%: {factor(v):5.1f} {100 * h[0] / h[1]:5.1f}" for load, (v, h) in rows.items())
    print(f"{name:34} {len(errors):5} {factor(every):6.1f} {100 * hits[0] / hits[1]:7.1f}   {parts}")


def peer(model, shapes):
    """TDP x load x chips against the same truths. At load 0 it is zero, which has no ratio."""
    rows = [s for s in model.rows if s.tdp]
    print("\npeer: TDP x load, all processors of the machine; median |error| in %, of ln; wattle's tier 'model' beside")
    for load in LOADS:
        values = []
        for n, s in enumerate(rows):
            for modes in shapes.of.values():
                for shape in modes.values():
                    truth = s.idle + shape[round(load * 10)] * shapes.work[n % len(shapes.work)] * (s.full - s.idle)
                    values.append(math.log(truth / (s.tdp * s.chips * load)) if load else math.inf)
        inside = sum(abs(v) < math.log(1.5) for v in values) / len(values)
        shown = f"{factor(values):6.1f}" if load else "  shows 0 W"
        print(f"  load {load:3.1f}: {shown}   within a factor 1.5: {100 * inside:5.1f} %")


def shape_error(shapes):
    """Only the curve: each host's load steps against the mean of the other hosts, and against a line."""
    ours, line = [], []
    for host, modes in shapes.of.items():
        curve = shapes.mean([h for h in shapes.of if h != host])
        for shape in modes.values():
            for i in range(1, 10):
                ours.append(abs(curve[i] - shape[i]))
                line.append(abs(i / 10 - shape[i]))
    print("\nshape of power above idle, host left out, part of (full - idle): median and largest error over load steps")
    print(f"  mean of the other hosts {statistics.median(ours):.3f} {max(ours):.3f}   "
          f"straight line {statistics.median(line):.3f} {max(line):.3f}")


# Machines not in the table: name, processor, chips, cores, GHz, memory in GB (0 = unknown), SMT, measured idle and full
# watts (0 = unknown), and the source.
OUTSIDE = [
    ("2 x E5-2667 v3, node meter", "Intel Xeon E5-2667 v3", 2, 16, 3.2, 0, True, 171.0, 396.0),
    # Idle power of the next two was extrapolated from one and two busy cores: an upper bound.
    ("4 x Opteron 6172, wall meter", "AMD Opteron 6172", 4, 48, 2.1, 0, False, 386.0, 623.5),
    ("1 x 10-core Xeon 2.2 GHz, wall", "", 1, 10, 2.2, 0, True, 77.0, 133.9),
    ("Threadripper 1950X, wall plug", "AMD Ryzen Threadripper 1950X", 1, 16, 3.4, 0, True, 115.0, 285.0),
]


class Outside:
    def __init__(self, row, cpus):
        (self.name, cpu, self.chips, cores, self.ghz, memory, self.smt, self.idle, self.full) = row
        self.key = pm.normalise(cpu)
        self.cores = cores / self.chips
        self.memory = memory / self.chips if memory else 32.0
        self.family = cpus.family_of(self.key)
        self.tdp = cpus.tdp_of(self.key)


def outside(model, cpus):
    print("\noutside of the table (memory not told: 32 GB a chip): measured watts / predicted. The intervals allow for such\n"
          "machines because of these four (EQUIPMENT in power_model.py), so these are no test of them.")
    for row in OUTSIDE:
        s = Outside(row, cpus)
        tdp, family = bool(s.tdp), s.family != "unknown"
        idle, full = (math.exp(v) * s.chips for v in pm.predict(s, model.coefficients[tdp, family], tdp, family))
        texts = [f"{name} {seen:.0f} / {shown:.0f} = {seen / shown:.2f}" if seen else f"{name} not told"
                 for name, seen, shown in (("idle", s.idle, idle), ("full", s.full, full))]
        print(f"  {s.name:32} TDP {'known' if tdp else 'unknown':8} family {s.family:12} {', '.join(texts)}")


def main():
    cpus = pm.Cpus()
    model = pm.Model(pm.servers(cpus))
    shapes = pm.Shapes()
    print(f"E0: {len(model.rows)} servers, {len(shapes.of)} measured hosts; median |error| % and coverage % of the 95 % "
          "interval")
    print(f"{'tier, what was left out':34} {'n':>5} {'all':>6} {'covered':>7}   at load: error, covered")
    ids = lambda s: (s.key, id(s))  # noqa: E731
    print_rows("model, the server", model.unseen(ids, True, True, use_model=True), shapes)
    print_rows("model, the vendor's servers of it", model.tier_errors("model"), shapes)
    print_rows("tdp, the server", model.unseen(ids, True, True), shapes)
    print_rows("tdp, the processor model", model.tier_errors("tdp"), shapes)
    print_rows("family, the processor model", model.tier_errors("family"), shapes)
    print_rows("tdp-only, the family", model.tier_errors("tdp-only"), shapes)
    print_rows("generic, the family", model.tier_errors("generic"), shapes)
    peer(model, shapes)
    shape_error(shapes)
    outside(model, cpus)
    return 0


if __name__ == "__main__":
    csv.field_size_limit(1 << 20)
    sys.exit(main())
