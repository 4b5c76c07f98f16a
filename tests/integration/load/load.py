# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of wattle-load: checks, and a running load."""
import json
import os
import subprocess
import sys
import time

SRC = os.environ.get("SRC", os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")))
BUILD = os.environ.get("BUILD", os.path.join(SRC, "build"))
LOAD = os.path.join(BUILD, "bin/wattle-load")
bad = 0


def check(holds, what):
    global bad
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    bad += not holds
    return holds


def same(got, want, what):
    return check(got == want, f"{what}: {got!r}" + ("" if got == want else f", not {want!r}"))


def finish():
    sys.exit(1 if bad else 0)


def start(*args, before=(), **options):
    """A load whose lines are JSON on stdout; before: a launcher."""
    return subprocess.Popen([*before, LOAD, *args, "--format", "json"], stdout=subprocess.PIPE, text=True, **options)


def line(load, event):
    """The next line, which must have this event; {} if there is none."""
    text = load.stdout.readline()
    fields = json.loads(text) if text else {}
    check(fields.get("event") == event, f"{' '.join(load.args[-5:])}: {event} {text.strip()}")
    return fields


def until(condition):
    """Whether it becomes true within 60 s: nothing here depends on the machine's speed."""
    for _ in range(1200):
        if condition():
            return True
        time.sleep(0.05)
    return False


def state(pid, thread=None):
    """As in ps; X if there is no such process."""
    try:
        with open(f"/proc/{pid}/task/{thread or pid}/stat") as stat:
            return stat.read().rsplit(") ", 1)[1][0]
    except OSError:
        return "X"


def gone(pid):
    return state(pid) in "XZ"
