# SPDX-License-Identifier: BSD-3-Clause
"""Plays a plan inside a simulated node, so that families can run several commands there and have the exact energies of
their windows.

As a module: `play(p, s, plan)` starts `wattle-sim run` as the situation says and returns what the steps of the plan
did. As a program it is the command of that node. A plan is a list of steps, each a dict with one of

    run     words of a command; it is waited for ("timeout", default 40 s), with "env"; its output is kept in the file
            "save"
    start   words of a command that goes on; "as" is its name for
    wait    for a started command ("timeout"), or
    kill    it ("signal", default 15)
    sleep   seconds
    set     names and values of `wattle-sim set`
    truth   a file with a document of wattle: the energies of all windows in it
    read    a file
    write   a file, "text" is written to it
    follow  the programs of the node: what they really used, five times a second from here on

Words @wattle, @sim and @python stand for the programs, @pid:NAME for the process id of a started command."""
import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.abspath(__file__)


def options(s):
    """Options of `wattle-sim run` of a situation: lines power, gpu, fault, view, sockets, tick, bits, unit, wander,
    sim."""
    words = []
    for key, option in (("power", "--power"), ("gpu", "--gpu"), ("fault", "--fault"), ("view", "--view"),
                        ("sockets", "--sockets"),
                        ("tick", "--tick-us"), ("bits", "--range-bits"), ("unit", "--unit-exp"), ("raw", "--raw0"),
                        ("jitter", "--jitter-us"), ("wander", "--wander"), ("seed", "--seed"),
                        ("frequency", "--frequency"),
                        ("driver", "--scaling-driver"), ("speed", "--speed"), ("cpu", "--cpu"), ("programs", "--programs")):
        for value in s.all(key):
            words += [option, value]
    for value in s.all("sim"):
        words += value.split()
    return words


def play(p, s, plan, timeout=90):
    """What the steps of a plan did, inside the node of a situation: a dict of steps, truth and the node's own
    status."""
    with open(p.path("plan.json"), "w", encoding="utf-8") as f:
        json.dump(plan, f)
    done = p.run([p.sim, "run", *options(s), "--", sys.executable, HERE, "plan.json", "played.json", p.wattle, p.sim],
                 timeout=timeout)
    text = p.read("played.json")
    played = json.loads(text) if text else {"steps": [], "truth": {}}
    played["node"] = {"status": done.status, "err": done.err[-2000:]}
    return played


def shell(s):
    """The command of a situation as words for a shell."""
    parts = []
    for line in s.all("program"):
        verb, _, rest = line.partition(" ")
        parts.append({"sleep": f"sleep {rest}", "set": f"$SIM set '{rest}' >/dev/null"}.get(verb, f"{verb} {rest}"))
    return "; ".join(parts) or "true"


def windows(document):
    """All (start, end) in nanoseconds of a document and of its runs."""
    found = []
    if isinstance(document, dict):
        start, end = document.get("start_monotonic_ns"), document.get("end_monotonic_ns")
        if isinstance(start, int) and isinstance(end, int) and end > start:
            found.append((start, end))
        for value in document.values():
            found += windows(value)
    elif isinstance(document, list):
        for value in document:
            found += windows(value)
    return found


def key(start, end):
    return f"{start}-{end}"


def truth_of(observation, document):
    """The exact joules of each domain in the window of a document; of repeats the mean over their windows. None if not
    known."""
    truth = observation["truth"]
    if document.get("runs"):
        parts = [truth_of(observation, run) for run in document["runs"]]
        if not parts or None in parts:
            return None
        return {domain: sum(part[domain] for part in parts) / len(parts) for domain in parts[0]}
    return truth.get(key(document.get("start_monotonic_ns"), document.get("end_monotonic_ns")))


def load(text):
    """A JSON document, or None if the text is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


class Inside:
    """Runs the steps."""

    def __init__(self, wattle, sim):
        self.wattle, self.sim = wattle, sim
        self.started = {}
        self.truth = {}
        self.programs, self.followed = [], threading.Event()

    def follow(self):
        """Until `followed` is set: when, and seconds of CPU time and joules of each program so far."""
        while not self.followed.wait(0.2):
            lines = self.run([self.sim, "programs"])["out"].splitlines()
            self.programs.append([time.monotonic_ns(), {w[0]: [float(w[1]), float(w[2])] for w in (line.split("\t") for line in lines) if len(w) > 2}])

    def words(self, argv):
        short = {"@wattle": self.wattle, "@sim": self.sim, "@python": sys.executable}
        return [str(self.started[w[5:]].pid) if str(w).startswith("@pid:") else short.get(w, str(w)) for w in argv]

    def run(self, argv, timeout=40, env=None):
        try:
            with subprocess.Popen(self.words(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True,
                                  errors="replace", start_new_session=True, env={**os.environ, **(env or {})}) as child:
                try:
                    out, err = child.communicate(timeout=timeout)
                    return {"status": child.returncode, "out": out, "err": err, "pid": child.pid}
                except subprocess.TimeoutExpired:
                    os.killpg(child.pid, signal.SIGKILL)
                    return {"status": None, "out": "", "err": "hung"}
        except OSError as error:
            return {"status": 127, "out": "", "err": str(error)}

    def energies(self, start, end):
        done = self.run([self.sim, "energy", "--from", start, "--to", end, "--format", "csv"])
        rows = csv.DictReader(io.StringIO(done["out"]))
        return {row["name"]: float(row["energy_j"]) for row in rows if row.get("energy_j")}

    def know(self, path):
        try:
            with open(path, encoding="utf-8") as f:
                document = load(f.read())
        except OSError:
            return {"status": 1, "document": None}
        for start, end in windows(document):
            self.truth[key(start, end)] = self.energies(start, end)
        return {"status": 0, "document": document}

    def start(self, step):
        out = open(step["as"] + ".out", "w", encoding="utf-8")
        err = open(step["as"] + ".err", "w", encoding="utf-8")
        self.started[step["as"]] = subprocess.Popen(self.words(step["start"]), stdin=subprocess.DEVNULL, stdout=out,
                                                    stderr=err,
                                                    start_new_session=True, env={**os.environ, **step.get("env", {})})
        return {"status": 0, "pid": self.started[step["as"]].pid}

    def end(self, name, timeout=20, sig=None):
        child = self.started[name]
        if sig is not None and child.poll() is None:
            child.send_signal(sig)
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return {"status": None, "out": "", "err": "hung"}
        texts = []
        for end in (".out", ".err"):
            with open(name + end, encoding="utf-8", errors="replace") as f:
                texts.append(f.read())
        return {"status": child.returncode, "out": texts[0], "err": texts[1]}

    @staticmethod
    def save(step, result):
        """Keeps what a command wrote in the file that the step names."""
        if "save" in step:
            with open(step["save"], "w", encoding="utf-8") as f:
                f.write(result["out"])
        return result

    def step(self, step):
        if "run" in step:
            return self.save(step, self.run(step["run"], step.get("timeout", 40), step.get("env")))
        if "start" in step:
            return self.start(step)
        if "wait" in step:
            return self.end(step["wait"], step.get("timeout", 20))
        if "kill" in step:
            return self.end(step["kill"], sig=step.get("signal", signal.SIGTERM))
        if "follow" in step:
            threading.Thread(target=self.follow).start()
            return {"status": 0}
        if "set" in step:
            return self.run([self.sim, "set", *step["set"]])
        if "truth" in step:
            return self.know(step["truth"])
        if "sleep" in step:
            time.sleep(step["sleep"])
            return {"status": 0}
        return self.file(step)

    @staticmethod
    def file(step):
        try:
            if "write" in step:
                with open(step["write"], "w", encoding="utf-8") as f:
                    f.write(step["text"])
                return {"status": 0}
            with open(step["read"], encoding="utf-8", errors="replace") as f:
                return {"status": 0, "out": f.read()}
        except OSError as error:
            return {"status": 1, "out": None, "err": str(error)}


def main():
    plan, played, wattle, sim = sys.argv[1:]
    with open(plan, encoding="utf-8") as f:
        steps = json.load(f)
    inside, results = Inside(wattle, sim), []
    try:
        for step in steps:
            begin = time.monotonic_ns()
            result = inside.step(step)
            results.append({**result, "begin_ns": begin, "end_ns": time.monotonic_ns()})
    finally:
        inside.followed.set()
        for child in inside.started.values():
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        with open(played, "w", encoding="utf-8") as f:
            json.dump({"steps": results, "truth": inside.truth, "programs": inside.programs,
                       "realtime_ns": time.time_ns() - time.monotonic_ns()}, f)


if __name__ == "__main__":
    main()
