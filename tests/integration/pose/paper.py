# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of the POSE paper: its Table 3 (examples/pose/table3.csv), and the printed Tables 1 and 4 to 8 (paper/*.csv)."""
import csv
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SRC = HERE.parent.parent.parent
EXAMPLES = SRC / "examples/pose"
WATTLE = os.environ.get("WATTLE", str(SRC / "build/bin/wattle"))
METRICS = {"Et3": "Et^3", "EDS": "EDS:1,{beta}", "EDD": "EDD:1,{beta}"}
INSIGHTS = {"energy_saved": "energy_saved", "metric_improvement": "metric_improvement",
            "min_speedup_outperform": "guaranteed_speedup", "worst_case_slowdown": "worst_slowdown",
            "speedup_dominate": "dominating_speedup"}
bad = 0


def check(holds, what):
    global bad
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    bad += not holds
    return holds


def rows_of(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return list(csv.DictReader(lines))


def codes():
    return rows_of(EXAMPLES / "table3.csv")


def powers():
    return rows_of(HERE / "paper/powers.csv")


def printed(table):
    return rows_of(HERE / f"paper/table{table}.csv")


def pose(*words):
    """The document of `wattle pose WORDS`; None if it fails, which is counted."""
    run = subprocess.run([WATTLE, "pose", *map(str, words), "--format", "json"], capture_output=True, text=True,
                         check=False, stdin=subprocess.DEVNULL, timeout=60)
    if run.returncode:
        check(False, f"wattle pose {' '.join(map(str, words))}: {run.returncode}: {run.stderr.strip()}")
        return None
    return json.loads(run.stdout)
