# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of this folder: compile, run under wattle, read the results."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SRC = os.environ["SRC"]
BUILD = os.environ["BUILD"]
WATTLE = os.environ["WATTLE"]
HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(BUILD, "lib")
failed = []


def enter():
    """Change to an empty folder, without user settings; it is removed at the end."""
    folder = tempfile.mkdtemp(prefix="wattle-bindings.")
    for name in [n for n in os.environ if n.startswith("WATTLE_")]:
        del os.environ[name]
    os.environ.update(HOME=folder, LD_LIBRARY_PATH=LIB, WATTLE_SEATS=os.path.join(folder, "seats"))
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


def sanitized():
    """Under sanitizers their library must come first, but a preloaded library or an interpreter precedes it."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        return any(line.startswith("WATTLE_SANITIZE:") and not line.rstrip().endswith("=off") for line in cache)


def build(compiler, source, out, *flags, link=("-lwattle",)):
    done = subprocess.run([compiler, *flags, f"-I{SRC}/include", os.path.join(HERE, source), "-o", out,
                           f"-L{LIB}", f"-Wl,-rpath,{LIB}", *link],
                          stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == 0, f"{compiler} {' '.join(flags)} {source} compiles {done.stderr}")
    return done.returncode == 0


def run(*command, trace="t.wtl", env=None, stdout=None):
    """Run a command under wattle; returns its status and the output of both."""
    return subprocess.run([WATTLE, "run", "-q", "--force", "-s", "estimate", "-o", trace, "--", *command],
                          stdout=stdout or subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
                          env={**os.environ, **(env or {})})


def regions(trace="t.wtl"):
    """{name: row} of the regions of a trace, with untagged as None."""
    done = subprocess.run([WATTLE, "stats", "--regions", "--format", "json", trace], stdout=subprocess.PIPE,
                          check=False)
    if done.returncode:
        return {}
    return {row["name"]: row for row in json.loads(done.stdout).get("regions", [])}
