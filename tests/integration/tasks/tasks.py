# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of this folder: compile, run under "wattle run --tasks", read the marks."""
import collections
import csv
import glob
import io
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["BUILD"]
WATTLE = os.environ["WATTLE"]
HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(BUILD, "lib")
TOOL = os.path.join(LIB, "libwattle-ompt.so")
failed = []

Mark = collections.namedtuple("Mark", "time pid tid kind name value details counters")


def enter():
    """Change to an empty folder, without user settings; it is removed at the end."""
    folder = tempfile.mkdtemp(prefix="wattle-tasks.")
    for name in [n for n in os.environ if n.startswith(("WATTLE_", "OMP_", "LD_PRELOAD"))]:
        del os.environ[name]
    os.environ.update(HOME=folder, WATTLE_SEATS=os.path.join(folder, "seats"), OMP_DYNAMIC="false")
    os.chdir(folder)
    return folder


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def check(condition, what):
    print("ok" if condition else "not ok", "-", what)
    if not condition:
        failed.append(what)


def leave(folder):
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    if failed:
        print(len(failed), "failed")
    sys.exit(1 if failed else 0)


def need(*commands):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        if any(line.startswith("WATTLE_SANITIZE:") and not line.rstrip().endswith("=off") for line in cache):
            skip("a preloaded library comes before that of the sanitizer")
    if not os.path.exists(TOOL):
        skip("no libwattle-ompt.so")
    for command in commands:
        if not shutil.which(command):
            skip(f"no {command}")


def libomp():
    found = sorted(glob.glob("/usr/lib/llvm-*/lib/libomp.so.5") + glob.glob("/usr/lib/*-linux-gnu*/libomp.so.5") +
                   glob.glob("/usr/lib64/libomp.so*"))
    return found[0] if found else None


def build(compiler, source, out, *flags):
    done = subprocess.run([compiler, "-fopenmp", *flags, os.path.join(HERE, source), "-o", out], stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode and "omp" in done.stderr:
        skip(f"{compiler} -fopenmp does not work: {done.stderr[-200:]}")
    check(done.returncode == 0, f"{compiler} {source} compiles {done.stderr}")


def run(*command, options=("--tasks",), trace="t.wtl", env=None, timeout=100):
    """Run a command under wattle; the completed process with the output of both."""
    return subprocess.run([WATTLE, "run", "--force", "-s", "estimate", *options, "-o", trace, "--", *command],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False,
                          env={**os.environ, **(env or {})})


def read(trace="t.wtl"):
    """The marks of a trace as "wattle export" gives them, each with its details and counters."""
    done = subprocess.run([WATTLE, "export", "--what", "tasks", trace], stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        check(False, f"export of {trace}")
        return []
    marks, last, rows = [], {}, 0
    for row in csv.DictReader(line for line in io.StringIO(done.stdout) if not line.startswith("#")):
        value, rows = int(row["value"]), rows + 1
        if row["mark"] in ("detail", "counter"):
            of = last.get((row["pid"], row["tid"]))
            if of is not None:
                (of.details if row["mark"] == "detail" else of.counters).append((row["name"], value))
            continue
        mark = Mark(float(row["time_s"]), row["pid"], row["tid"], row["mark"], row["name"], value, [], [])
        last[(row["pid"], row["tid"])] = mark
        marks.append(mark)
    compare_reader(trace, rows)
    return marks


def compare_reader(trace, rows):
    """The reader in Python, if it can read compressed traces here, finds as many."""
    sys.path.insert(0, os.path.join(HERE, "../../../python"))
    import wattle_trace
    try:
        tasks = wattle_trace.Trace(trace).tasks
    except wattle_trace.TraceError as error:
        check("compressed" in str(error), f"python: {error}")
        return
    check(len(tasks) == rows, f"python: {len(tasks)} marks of {rows}")


def count(marks, kind, name=None):
    return sum(m.kind == kind and (name is None or m.name == name) for m in marks)


def types(marks, kind="create"):
    return dict(collections.Counter(m.name for m in marks if m.kind == kind))


def regions(marks):
    """Numbers of threads of each parallel region."""
    teams = collections.Counter((m.pid, m.value) for m in marks if m.kind == "enter parallel")
    return sorted(teams.values())


def balanced(marks):
    """Every task is created, runs and is done once; a resumed one was paused; states nest in each thread."""
    faults, state = [], {}
    stacks = collections.defaultdict(list)
    for m in marks:
        key, stack = (m.pid, m.value), stacks[(m.pid, m.tid)]
        if m.kind in ("create", "run", "pause", "done"):
            wanted = {"create": (None,), "run": ("create", "pause"), "pause": ("run",), "done": ("run", "create", "pause")}
            if state.get(key) not in wanted[m.kind]:
                faults.append(f"{m.kind} of {key} after {state.get(key)}")
            state[key] = m.kind
        elif m.kind.startswith("enter "):
            stack.append(m.kind[6:])
        elif m.kind.startswith("leave "):
            if not stack or stack.pop() != m.kind[6:]:
                faults.append(f"{m.kind} of {m.name}")
    faults += [f"{key} ends in {last}" for key, last in state.items() if last != "done"]
    return faults[:5]
