# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of wattled: a daemon in a folder of its own, requests to it, and a reader of its page."""
import atexit
import json
import mmap
import os
import pwd
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../run"))
import scene
from scene import BUILD, WATTLE, check, truth, wait_for

WATTLED = os.path.join(BUILD, "bin/wattled")
NOBODY, OTHER = 65534, 54321
HEADER, CHANNEL, SLOT = 256, 512, 320 + 22 * 64 * 32
LIVE, ENDED, RETIRED = 1, 2, 3


def need():
    scene.need_node()
    if os.geteuid() != 0:
        scene.skip("needs root, to become other users")
    try:
        pwd.getpwnam("daemon")
    except KeyError:
        scene.skip("needs a user \"daemon\", for wattled to become")


class Daemon:
    """A wattled whose folders are below `folder`, with lines of [wattled] in its configuration."""

    def __init__(self, folder, *settings, user="daemon", start=True):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        for name in (".", self.folder):
            os.chmod(name, 0o755)
        self.run_dir, self.state_dir = os.path.join(self.folder, "run"), os.path.join(self.folder, "state")
        self.path = os.path.join(self.run_dir, "socket")
        self.conf = os.path.join(self.folder, "wattle.conf")
        self.log = os.path.join(self.folder, "log")
        self.options = ["--user", user, "--run-dir", self.run_dir, "--state-dir", self.state_dir, "--config", self.conf]
        self.process = None
        self.configure(*settings)
        os.environ["WATTLE_SOCKET"] = self.path
        if start:
            self.start()

    def configure(self, *settings):
        with open(self.conf, "w", encoding="ascii") as conf:
            conf.write("[wattled]\n" + "".join(line + "\n" for line in settings))

    def command(self, *words, **kwargs):
        return subprocess.run([WATTLED, *self.options, *words], capture_output=True, text=True, timeout=60, check=False, **kwargs)

    def spawn(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([WATTLED, *self.options], stderr=log)
        atexit.register(self.process.kill)  # or else the node would stay as long as it

    def start(self):
        self.spawn()
        if not wait_for(self.answers, 60):
            check(False, f"wattled starts: {self.said()}")
            sys.exit(1)

    def answers(self):
        return self.process.poll() is None and self.ask("status").startswith("ok")

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(120)

    def said(self):
        with open(self.log, encoding="utf8", errors="replace") as log:
            return log.read()

    def connect(self, uid=0):
        """A connected socket of a user: the server sees who connects."""
        link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        link.settimeout(120)
        os.seteuid(uid)
        try:
            link.connect(self.path)
        finally:
            os.seteuid(0)
        return link

    def ask(self, request, uid=0):
        try:
            with self.connect(uid) as link:
                link.send(request.encode())
                return link.recv(5000).decode()
        except OSError as error:
            return f"(error: {error})"

    def status(self, key, uid=0):
        found = re.search(f"^{key} = (.*)$", self.ask("status", uid), re.M)
        return found and found[1]

    def open(self, uid=0):
        """(reply, Page or None)."""
        link = self.connect(uid)
        link.send(b"page 2")
        text, fds, _, _ = socket.recv_fds(link, 5000, 1)
        return text.decode(), Page(fds[0], link) if fds else link.close()


class Page:
    def __init__(self, fd, link):
        self.fd, self.link = fd, link
        self.map = mmap.mmap(fd, os.fstat(fd).st_size, prot=mmap.PROT_READ)
        self.count = struct.unpack_from("I", self.map, 24)[0]

    def names(self):
        table = [self.map[HEADER + i * CHANNEL:][:48] for i in range(self.count)]
        return [name.split(b"\0")[0].decode() for name in table]

    def header(self, form, offset):
        return struct.unpack_from(form, self.map, offset)[0]

    def state(self):
        return self.header("I", 36)

    def generation(self):
        return self.header("Q", 56)

    def age_s(self):
        return (time.monotonic_ns() - self.header("Q", 80)) / 1e9

    def read(self, i):
        """The complete copy of a channel as a dict."""
        at = HEADER + self.count * CHANNEL + i * SLOT
        while True:
            sequence = struct.unpack_from("Q", self.map, at)[0]
            values = struct.unpack_from("QddQQQdQQQQQII", self.map, at + 64 + 128 * (sequence & 1))
            if struct.unpack_from("Q", self.map, at)[0] == sequence:
                keys = ("time_ns", "energy_j", "variance", "unknown_ns", "changed_ns", "before_ns", "power_w", "power_ns",
                        "count", "raw", "raw_ns", "ticks", "status", "quality")
                return dict(zip(keys, values))

    def closed(self):
        """Has wattled closed the connection?"""
        return bool(select.select([self.link], [], [], 0)[0]) and self.link.recv(1, socket.MSG_PEEK) == b""

    def close(self):
        self.map.close()
        os.close(self.fd)
        self.link.close()


def fill(path):
    """A file that takes all space there is."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(fd, b"x" * 4096):
            pass
    except OSError:
        os.close(fd)


def wattle(*words, uid=0):
    become = ["setpriv", f"--reuid={uid}", "--clear-groups"] if uid else []
    return subprocess.run([*become, WATTLE, *words], capture_output=True, text=True, timeout=60, check=False)


class Job:
    """A job, and the instants that surround its begin and its end."""

    def __init__(self, name):
        self.name, self.before = name, time.monotonic_ns()
        run = wattle("jobs", "begin", name)
        self.began = time.monotonic_ns()
        check(run.returncode == 0, f"{name}: begin {run.stderr}")

    def end(self):
        ending = time.monotonic_ns()
        run = wattle("jobs", "end", self.name, "--format", "json")
        ended = time.monotonic_ns()
        if not check(run.returncode == 0, f"{self.name}: end {run.stderr}"):
            return []
        least, most = truth(self.began, ending), truth(self.before, ended)
        channels = json.loads(run.stdout)["jobs"][0]["channels"]
        check(len(channels) > 0, f"{self.name}: has channels")
        for c in channels:
            low, high, j = least[domain(c["name"])], most[domain(c["name"])], c["energy_j"]
            what = f"{self.name}: {c['name']}: {j} J +- {c['resolution_j']}, {c['unknown_s']} s unknown, truth {low:.3f} to {high:.3f} J"
            slack = 0.5 if c["resolution_j"] is None else c["resolution_j"]  # unknown: of DRAM's 5 W, soon after a start
            if c["unknown_s"] > 0:
                check(j is None or j <= high + slack, what)
            else:
                check(low - slack <= j <= high + slack, what)
        return channels


def domain(name):
    return name.split(":", 1)[1]


LONG_READ_NS = 20000000  # on a busy machine: a simulated sensor needs a CPU to answer


def same_energy(before, after, name, what):
    """The joules of a channel between two values of a page are what its counter has counted, in microjoules, and agree with truth
    between their times, which are known as well as reads are fast."""
    seen = after["energy_j"] - before["energy_j"]
    if after["raw"] >= before["raw"]:
        check(round(seen * 1e6) == after["raw"] - before["raw"], f"{what}: {name}: {seen:.6f} J from {before['raw']} to {after['raw']} uJ")
    first, last, name = before["changed_ns"], after["changed_ns"], domain(name)
    least = truth(first + LONG_READ_NS, max(last - LONG_READ_NS, first + LONG_READ_NS))[name]
    most = truth(first - LONG_READ_NS, min(last + LONG_READ_NS, time.monotonic_ns()))[name]
    return check(least <= seen <= most, f"{what}: {name}: {seen:.4f} J, truth {least:.4f} to {most:.4f} J")
