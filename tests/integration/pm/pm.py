# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of pmlib: a wattle-pm on a wattled of a simulated node, sessions, and raw connections."""
import atexit
import os
import re
import signal
import socket
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../wattled"))
import wattled  # finds scene
import scene
from scene import BUILD, check, wait_for

PM = os.path.join(BUILD, "bin/wattle-pm")
SESSION = os.path.join(BUILD, "tests/integration/pm/pm_session")
CREATE, START, CONTINUE, STOP, GET, FINALIZE, INFO, LIST, STATUS, READ = range(10)


class Server:
    """A wattle-pm on any free port of the loopback, with lines of [pm] in its configuration."""

    def __init__(self, name, *settings, listen="127.0.0.1:0"):
        self.log, self.conf = f"{name}.log", f"{name}.conf"
        with open(self.conf, "w", encoding="ascii") as conf:
            conf.write("[pm]\n" + "".join(line + "\n" for line in settings))
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([PM, "--config", self.conf, "--listen", listen], stderr=log)
        atexit.register(self.process.kill)
        started = wait_for(lambda: self.process.poll() is not None or "serving" in self.said())
        ports = re.findall(r"on [\d.]+:(\d+)", self.said())
        if not check(started and ports, f"wattle-pm starts: {self.said()}"):
            sys.exit(1)
        self.port = int(ports[0])

    def said(self):
        with open(self.log, encoding="utf8") as log:
            return log.read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)

    def connect(self):
        link = socket.create_connection(("127.0.0.1", self.port), 120)
        link.settimeout(120)
        return link

    def ask(self, request):
        """The whole reply to a request, until the server closes."""
        with self.connect() as link:
            link.sendall(request)
            return read_all(link)

    def devices(self):
        reply = self.ask(ints(LIST))
        names, at = [], 4
        for _ in range(struct.unpack_from("i", reply)[0]):
            n = struct.unpack_from("i", reply, at)[0]
            names.append(reply[at + 4:at + 4 + n].decode())
            at += 4 + n
        return names

    def info(self, device):
        """(Hz, lines)"""
        return struct.unpack_from("ii", self.ask(ints(INFO) + text(device)))


def ints(*values):
    return struct.pack(f"{len(values)}i", *values)


def text(value):
    return ints(len(value)) + value.encode()


def read_all(link):
    data = b""
    try:
        while piece := link.recv(65536):
            data += piece
    except OSError:
        pass
    return data


def read_exactly(link, n):
    data = b""
    while len(data) < n:
        piece = link.recv(n - len(data))
        if not piece:
            break
        data += piece
    return data


def create(device, mask=b"\xff" * 16, aggregate=0, hz=0):
    return ints(CREATE) + text(device) + ints(hz, aggregate, len(mask)) + mask


def session(port, device, lines="0-127", aggregate=1, hz=0, seconds=0.5, sets=1, trace="power.prv", ip="127.0.0.1", **env):
    """The finished program, and its sets as (start_s, stop_s, samples, unknown, mean_w)."""
    run = subprocess.run([SESSION, ip, str(port), device, lines, str(aggregate), str(hz), str(seconds), str(sets), trace],
                         capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **env})
    rows = [line.split()[1:] for line in run.stdout.splitlines() if line.startswith("set ")]
    return run, [(float(a), float(b), int(n), int(u), float(w)) for a, b, n, u, w in rows]
