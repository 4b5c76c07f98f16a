# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of libwattle-mpi: the installed MPIs, programs built with them, traces and their content."""
import csv
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SRC, BUILD, WATTLE = os.environ["SRC"], os.environ["BUILD"], os.environ["WATTLE"]
HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = f"{BUILD}/lib/libwattle-mpi.so"
CALLS = 56  # of work.c and the same in Fortran, for each rank
RANK, RANKS, TIME_NS, MPI_CALLS = 0xFFFF0010, 0xFFFF0011, 0xFFFF0012, 0xFFFF0013
SYNC_OFFSET, SYNC_ERROR, SYNC_REFERENCE = 0xFFFF0001, 0xFFFF0002, 0xFFFF0003
FLAVOURS = [name for name in ("openmpi", "mpich") if shutil.which(f"mpirun.{name}") and shutil.which(f"mpicc.{name}")]
FOLDER = tempfile.mkdtemp(prefix="wattle-mpi-")

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WATTLE_QUIET="0")
for name in ("WATTLE_SPOOL", "WATTLE_OUTPUT", "LD_PRELOAD", "WATTLE_NODE", "WATTLE_JOB"):
    os.environ.pop(name, None)
failures = 0


def check(good, what):
    global failures
    print(("ok" if good else "not ok"), "-", what, flush=True)
    failures += not good
    return good


def same(got, wanted, what):
    return check(got == wanted, what if got == wanted else f"{what}: {got!r} and not {wanted!r}")


def done():
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(1 if failures else 0)


def need(condition, what):
    if not condition:
        print(f"skipped: {what}")
        shutil.rmtree(FOLDER, ignore_errors=True)
        sys.exit(77)


def made(flavour, source, *options, name=None, behind=()):
    """A program of this folder, or a library depending on the options; None if the compiler is not installed."""
    compiler = f"{'mpif90' if source.endswith('.f90') else 'mpicc'}.{flavour}"
    if not shutil.which(compiler):
        return None
    path = f"{FOLDER}/{name or source.partition('.')[0]}.{flavour}"
    made_by = subprocess.run([compiler, "-O1", *options, f"{HERE}/{source}", "-o", path, *behind],
                             capture_output=True, text=True)
    if made_by.returncode:
        print(f"# {compiler} {source}: {made_by.stderr.strip().splitlines()[:3]}")
        return None
    return path


def launch(flavour, ranks, command, preload=(TOOL,), **environment):
    """The words of a launcher's command line, with an environment only for the ranks."""
    if preload:
        environment["LD_PRELOAD"] = ":".join(preload)
    words = [f"mpirun.{flavour}", "-n", str(ranks)]
    if flavour == "openmpi":
        words[1:1] = ["--oversubscribe", "--bind-to", "none"]
    for name, value in environment.items():
        words += ["-x", f"{name}={value}"] if flavour == "openmpi" else ["-genv", name, value]
    return [*words, *command]


def run(words, timeout=60, cwd=None):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, cwd=cwd or FOLDER, check=False)


def traces(folder):
    return sorted(glob.glob(f"{folder}/*.wtl"))


def rows(trace, what):
    """The output of wattle export, as dictionaries."""
    out = subprocess.run([WATTLE, "export", "--what", what, trace], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))


def last_words(trace):
    """By process: the last value of each type of wattle's own events."""
    processes = {}
    for row in rows(trace, "events"):
        processes.setdefault(row["pid"], {})[int(row["type"])] = int(row["value"])
    return processes


def by_rank(trace):
    """The same by rank, of those that have one."""
    return {words[RANK]: words for words in last_words(trace).values() if RANK in words}


def regions(trace, name="MPI"):
    return [row for row in rows(trace, "regions") if row.get("region", row.get("name")) == name]
