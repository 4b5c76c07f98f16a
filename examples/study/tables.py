# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a study from the traces of its runs: the output of "wattle stats" for each trace, of "wattle compare" for two
variants, and the page of "wattle report" for everything."""
import csv
import json
import math
import statistics
import subprocess
import sys
from dataclasses import dataclass

# Student's t for a two-sided interval of 95 %, by degrees of freedom from 1.
T95 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314,
       2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423)


class TableError(Exception):
    """An error message for the user."""


@dataclass
class Run:
    cell: object
    order: int
    folder: object
    traces: list
    time_s: float     # of the slowest node
    energy_j: float   # of all nodes; NaN: unknown for one of them
    half_j: float     # half width, 95 %, from the sensors' resolution
    quality: str      # measured, derived, estimated, simulated; "mixed": cannot be added up
    contains: str
    flags: list

    @property
    def nodes(self):
        return len(self.traces)

    @property
    def power_w(self):
        """Per node."""
        return self.energy_j / self.time_s / self.nodes


@dataclass
class Mean:
    n: int
    mean: float
    half: float  # of the 95 % interval of the mean over runs; NaN below 3 runs


@dataclass
class Study:
    plan: object
    runs: list
    combinations: dict  # (application, scale, variant): [Run]


def traces_of(folder):
    return sorted(path for path in folder.glob("*.wtl") if path.name != "run.wtl")


def number(value):
    return math.nan if value is None else float(value)


def ask(wattle, *words):
    """The JSON document that a command prints."""
    done = subprocess.run([wattle, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise TableError(f"{wattle} {' '.join(map(str, words[:3]))}: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return json.loads(done.stdout)


def node_of(wattle, trace):
    """The key of its node; the trace's own name if it has none."""
    done = subprocess.run([wattle, "export", "--what", "metadata", "--no-comments", trace], capture_output=True, text=True, check=False)
    metadata = {row[0]: row[1] for row in csv.reader(done.stdout.splitlines()) if len(row) == 2}
    return metadata.get("node.key") or metadata.get("host.name") or str(trace)


def read_run(wattle, cell, order, folder):
    traces = traces_of(folder)
    if not traces:
        raise TableError(f"{folder}: its traces are gone")
    nodes = [ask(wattle, "stats", "--format", "json", trace) for trace in traces]
    word = [node["total"]["quality"] or "unknown" for node in nodes]
    same = len(set(word)) == 1  # an estimate and a measurement cannot be added
    once = len(traces) == 1 or len({node_of(wattle, trace) for trace in traces}) == len(traces)
    halves = [number(node["total"]["resolution_interval_j"]) for node in nodes]
    return Run(cell, order, folder, traces, max(number(node["wall_time_s"]) for node in nodes),
               sum(number(node["total"]["energy_j"]) for node in nodes) if same and once else math.nan,
               math.sqrt(sum(half * half for half in halves)), word[0] if same else "mixed",
               nodes[0]["total"]["contains"] or "nothing", sorted({flag for node in nodes for flag in node["flags"]} | (set() if once else {"MEASURED TWICE"})))


def read(wattle, plan, finished):
    runs = [read_run(wattle, cell, order, finished[cell]) for order, cell in enumerate(plan.cells(), 1) if cell in finished]
    combinations = {}
    for a in plan.applications:
        for s in plan.scales:
            for v in plan.variants:
                found = [run for run in runs if run.cell.combination == (a, s, v)]
                if found:
                    combinations[a, s, v] = found
    return Study(plan, runs, combinations)


def mean_of(values, least=0.0):
    """With an interval that is no narrower than `least`: the same may be left open in each run, which their spread does not show."""
    n = len(values)
    t = T95[n - 2] if 2 <= n <= len(T95) + 1 else 1.96 + 2.5 / max(n - 1, 1)
    return Mean(n, statistics.fmean(values), max(t * statistics.stdev(values) / math.sqrt(n), least) if n >= 3 else math.nan)


def means_of(runs):
    half_j = math.sqrt(statistics.fmean(run.half_j**2 for run in runs))
    seconds = statistics.fmean(run.time_s for run in runs)
    least = {"time_s": 0.0, "energy_j": half_j, "power_w": half_j / seconds / runs[0].nodes}
    return {name: mean_of([getattr(run, name) for run in runs], least[name]) for name in least}


def cell_number(value):
    return "" if math.isnan(value) else f"{value:.9g}"


def run_rows(study, root):
    yield ["order", "application", "scale", study.plan.variant_key, "repeat", "nodes", "time_s", "energy_j", "resolution_interval_j",
           "power_per_node_w", "quality", "flags", "traces"]
    for run in study.runs:
        cell = run.cell
        yield [run.order, cell.application, cell.scale, cell.variant, cell.repeat, run.nodes, cell_number(run.time_s),
               cell_number(run.energy_j), cell_number(run.half_j), cell_number(run.power_w), run.quality, " ".join(run.flags),
               " ".join(str(trace.relative_to(root)) for trace in run.traces)]


def combination_rows(study):
    yield ["application", "scale", study.plan.variant_key, "runs", "nodes", "time_s", "time_ci95_s", "energy_j", "energy_ci95_j",
           "power_per_node_w", "power_per_node_ci95_w"]
    for (application, scale, variant), runs in study.combinations.items():
        means = means_of(runs)
        yield [application, scale, variant, len(runs), runs[0].nodes,
               *(cell_number(number) for mean in means.values() for number in (mean.mean, mean.half))]


def interval(mean):
    """The mean with the digits supported by its interval, at least two of the interval's."""
    if math.isnan(mean.mean):
        return "unknown"
    if math.isnan(mean.half):
        return f"{mean.mean:.4g}"
    digits = max(0, 1 - math.floor(math.log10(mean.half))) if mean.half > 0 else 3
    return f"{mean.mean:.{digits}f} +- {mean.half:.{digits}f}"


def align(rows):
    """Columns as wide as needed; the first three left-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(text.ljust(width) if i < 3 else text.rjust(width) for i, (text, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]


def verdict_rows(wattle, a, b):
    """(name, wattle's verdict) for time, energy and power. One node per run: compare takes traces."""
    try:
        rows = ask(wattle, "compare", "--format", "json", "--a", *(run.traces[0] for run in a), "--b", *(run.traces[0] for run in b))["rows"]
    except TableError as error:
        return [("", str(error))]
    return [(row["name"], row["verdict"]["text"] if row["verdict"] else row["why"] or "unknown") for row in rows
            if row["group"] == "headline" and row["name"] in ("time", "energy", "power")]


def verdicts(wattle, study):
    """The first variant against each of the others, where both have runs."""
    lines, first = [], study.plan.variants[0]
    for variant in study.plan.variants[1:]:
        table = []
        for application in study.plan.applications:
            for scale in study.plan.scales:
                a, b = (study.combinations.get((application, scale, v), []) for v in (first, variant))
                if not a or not b or any(run.nodes > 1 for run in a + b):
                    continue
                where = (application, scale)
                for name, said in verdict_rows(wattle, a, b):
                    table.append([*where, name, said])
                    where = ("", "")
        if table:
            widths = [max(len(row[i]) for row in table) for i in range(3)]
            lines += ["", f"{study.plan.variant_key}: {variant} (B) against {first} (A)",
                      *("  ".join([*(text.ljust(width) for text, width in zip(row, widths)), row[3]]) for row in table)]
    return lines


def flag_lines(study):
    counts = {}
    for run in study.runs:
        for flag in run.flags:
            counts[flag] = counts.get(flag, 0) + 1
    return [f"  {flag}: {n} of {len(study.runs)} runs" for flag, n in sorted(counts.items())]


def text(wattle, study, missing):
    key = study.plan.variant_key
    rows = [["application", "scale", key, "runs", "time [s]", "energy [J]", "power per node [W]"]]
    for (application, scale, variant), runs in study.combinations.items():
        means = means_of(runs)
        rows.append([application, scale, variant, str(len(runs)), *(interval(means[name]) for name in ("time_s", "energy_j", "power_w"))])
    quality = sorted({run.quality for run in study.runs})
    contains = sorted({run.contains for run in study.runs})
    lines = [f"{len(study.runs)} runs; means and their 95 % intervals over runs (from 3 runs on)",
             f"energy of {'; '.join(contains)} ({', '.join(quality)})", "", *align(rows), ""]
    if missing:
        lines.insert(1, f"{missing} runs of the plan are not finished: \"study status\" says why")
    lines[-1:] = verdicts(wattle, study)
    flags = flag_lines(study)
    if flags:
        lines += ["", "what speaks against these runs (wattle(1), flags):", *flags]
    return "\n".join(lines) + "\n"


def report(wattle, study, root, reference_w):
    """The page of all runs, from their folders, and two figures of it. 0, or 1 after reporting an error."""
    folders = [str(run.folder) for run in study.runs]
    line = [] if reference_w is None else ["--reference", f"{reference_w}W"]
    figures = {"report.html": ["-o"], "scaling.svg": ["--figure", "scaling", "--size", "130", "--plot"],
               "boxes.svg": ["--figure", "boxes", "--size", "120x90", "--plot"]}
    status = 0
    for name, words in figures.items():
        words = ["report", "--force", *([] if name == "scaling.svg" else line), *words, str(root / name)]
        done = subprocess.run([wattle, *words, *folders], capture_output=True, text=True, check=False)
        print(f"study: no {name}: {done.stderr.strip()}" if done.returncode else str(root / name),
              file=sys.stderr if done.returncode else sys.stdout)
        status |= done.returncode != 0
    return status
