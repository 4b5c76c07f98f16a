# SPDX-License-Identifier: BSD-3-Clause
"""Plays jobs inside a simulated node: the command of `wattle-sim run` for the family wattled.

    node_jobs.py PLAN PLAYED

PLAN is a JSON document: "wattle", "wattled", "sim" (paths), "folder", "conf" (lines of [wattled]), and "steps":
[{"t": s, "do": word, ...}, ...], which are done in this order, not before t seconds after the start. Steps: start,
stop, kill (wattled); hook (word, env); begin, end (name, words); fault (text); read (user, words); ask (words). What
each did, with the instants before and after it, goes to PLAYED."""
import json
import os
import signal
import subprocess
import sys
import time


class Node:
    def __init__(self, plan):
        self.plan, self.folder = plan, plan["folder"]
        self.daemon = None
        self.path = os.path.join(self.folder, "run", "socket")
        self.env = {**os.environ, "WATTLE_SOCKET": self.path, "WATTLE_JOBS_SPOOL": os.path.join(self.folder, "spool"),
                    "TZ": "UTC"}
        self.conf = os.path.join(self.folder, "wattle.conf")
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write("[wattled]\n" + "".join(line + "\n" for line in plan["conf"]))

    def options(self):
        return ["--user", "daemon", "--run-dir", os.path.join(self.folder, "run"), "--state-dir",
                os.path.join(self.folder, "state"),
                "--config", self.conf]

    def run(self, argv, env=None, timeout=60):
        try:
            done = subprocess.run(argv, env={**self.env, **(env or {})}, capture_output=True, text=True,
                                  errors="replace", timeout=timeout,
                                  check=False, stdin=subprocess.DEVNULL)
            return {"status": done.returncode, "out": done.stdout, "err": done.stderr[-20000:]}
        except subprocess.TimeoutExpired:
            return {"status": None, "out": "", "err": "timed out"}

    def start(self, _):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.daemon = subprocess.Popen([self.plan["wattled"], *self.options()], stderr=log, env=self.env)
        until = time.monotonic() + 30
        while time.monotonic() < until and self.daemon.poll() is None:
            if self.run([self.plan["wattled"], *self.options(), "--status"])["status"] in (0, 1):
                return {"status": 0}
            time.sleep(0.02)
        return {"status": 1, "err": "wattled does not start"}

    def leave(self, number):
        self.daemon.send_signal(number)
        return {"status": self.daemon.wait(30)}

    def hook(self, step):
        """A prolog or epilog."""
        base = {"SLURM_JOB_UID": "1000", "SLURM_JOB_USER": "alice", "SLURM_CLUSTER_NAME": "c1", "SLURMD_NODENAME": "n1",
                "SLURM_JOB_PARTITION": "p",
                "SLURM_JOB_RESTART_COUNT": "0", "SLURM_NODELIST": "n1", "SLURM_SCRIPT_CONTEXT": "epilog_slurmd",
                "SLURM_JOB_CPUS_PER_NODE": str(os.cpu_count() if step.get("whole") else 1),
                "SLURM_JOB_ID": step["name"]}
        return self.run([self.plan["wattle"], "jobs", step["word"], "--slurm"], env={**base, **step.get("env", {})})

    def do(self, step):
        wattle, word = self.plan["wattle"], step["do"]
        if word == "start":
            return self.start(step)
        if word in ("stop", "kill"):
            return self.leave(signal.SIGTERM if word == "stop" else signal.SIGKILL)
        if word == "hook":
            return self.hook(step)
        if word in ("begin", "end"):
            return self.run([wattle, "jobs", word, step["name"], *step["words"]])
        if word == "fault":
            return self.run([self.plan["sim"], "set", "fault=" + step["text"]])
        if word == "read":
            become = ["setpriv", f"--reuid={step['user']}", "--clear-groups"] if step["user"] else []
            return self.run([*become, wattle, *step["words"]])
        return self.run([wattle, *step["words"]])

    def play(self):
        zero, played = time.monotonic(), []
        for step in self.plan["steps"]:
            time.sleep(max(0, zero + step["t"] - time.monotonic()))
            before = time.monotonic_ns()
            said = self.do(step)
            played.append({**step, **said, "before_ns": before, "after_ns": time.monotonic_ns()})
        if self.daemon and self.daemon.poll() is None:
            self.leave(signal.SIGTERM)
        return played


def spool(folder):
    """All records that wait in the spool."""
    found, path = [], os.path.join(folder, "spool")
    for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
        if name == "current" or name.endswith(".closed"):
            with open(os.path.join(path, name), encoding="utf-8") as f:
                found += [json.loads(line.split(" ", 1)[1]) for line in f if " {" in line]
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        plan = json.load(f)
    node = Node(plan)
    played = {"steps": node.play(), "realtime_ns": time.time_ns() - time.monotonic_ns()}
    try:
        with open(os.path.join(plan["folder"], "log"), encoding="utf-8", errors="replace") as f:
            played["log"] = f.read()[-3000:]
    except OSError:
        played["log"] = ""
    played["records"] = spool(plan["folder"])
    url = "sqlite:" + os.path.join(plan["folder"], "jobs.db")
    played["asked"] = {}
    for name, words in (("send", ["send"]), ("list json", ["list", "--format", "json"]), ("list text", ["list"]),
                        ("list csv", ["list", "--format", "csv"]),
                        ("report json", ["report", "--format", "json"]), ("report text", ["report"]),
                        ("energy json", ["energy", "--format", "json"])):
        played["asked"][name] = node.run([plan["wattle"], "jobs", *words, "--database", url])
    for job in sorted({r["job_id"] for r in played["records"]}):
        for form in ("json", "text"):
            played["asked"][f"show {form} {job}"] = node.run([plan["wattle"], "jobs", "show", job, "--format", form,
                                                              "--database", url])
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        json.dump(played, f)


if __name__ == "__main__":
    main()
