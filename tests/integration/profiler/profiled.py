# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of the profiler: program.c, and its traces."""
import glob
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../run"))
import scene

PROGRAM = os.path.join(scene.BUILD, "tests/integration/profiler/program")


def program(words, env=None, cwd=None, timeout=200, command=()):
    """Run the program: (status, lines of stdout, stderr)."""
    run = subprocess.run([*command, PROGRAM, *words.split()], env={**os.environ, **(env or {})}, cwd=cwd, text=True,
                         capture_output=True, timeout=timeout, check=False)
    return run.returncode, run.stdout.splitlines(), run.stderr


def traces(folder="."):
    return sorted(glob.glob(os.path.join(folder, "*.wtl")))


def one_trace(folder="."):
    """The trace of a folder that should have one; otherwise None and a failed check."""
    found = traces(folder)
    scene.check(len(found) == 1, f"one trace: {found}")
    return found[0] if len(found) == 1 else None


def regions(trace):
    """Count of each region's occurrences by name, without the time outside all regions."""
    run = subprocess.run([scene.WATTLE, "stats", "--regions", "--format", "json", trace], capture_output=True,
                         text=True, timeout=60, check=False)
    scene.check(run.returncode == 0, f"stats {trace}: {run.stderr}")
    doc = json.loads(run.stdout) if run.returncode == 0 else {}
    return {r["name"]: r["count"] for r in doc.get("regions", []) if r["name"] is not None}
