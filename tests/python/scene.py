# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of the reader: paths, traces made for a test, and when to skip."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import against_wattle

wattle_trace = against_wattle.wattle_trace
SOURCE, WATTLE = against_wattle.SOURCE, against_wattle.WATTLE
SIM = os.environ.get("WATTLE_SIM", "wattle-sim")
BUILD = os.environ.get("BUILD", os.path.join(SOURCE, "build"))
EXAMPLES = os.path.join(BUILD, "bin", "examples")
TRACES = os.path.join(SOURCE, "tests", "traces")
HOSTS = os.path.join(SOURCE, "tests", "hosts")


class Scene(unittest.TestCase):
    """A test with its own folder."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="wattle-python-")
        self.addCleanup(shutil.rmtree, self.folder)

    def at(self, name):
        return os.path.join(self.folder, name)

    def run_host(self, host, *options, duration="5s"):
        """A trace of a recorded host, in virtual time."""
        path = self.at(host + ".wtl")
        folder = os.path.join(HOSTS, host)
        against_wattle.wattle("run", "-a", "-q", "--force", "--host", folder, "--duration", duration, "-o", path, *options)
        return path

    def run_here(self, name, *command, sim=None, options=()):
        """A trace of a command; with sim, on a simulated node with these powers."""
        path = self.at(name)
        line = [WATTLE, "run", "-q", *options, "-o", path, "--", *command]
        if sim is not None:
            line = [SIM, "run", *sim, "--", *line]
        done = subprocess.run(line, capture_output=True, timeout=100, check=False)
        if sim is not None and done.returncode == 125:
            self.skipTest("no simulated node here: " + done.stderr.decode(errors="replace").strip()[:200])
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def bare(self, path):
        """A copy without pyramid, index and footer, as left by a killed run."""
        copy = self.at("bare-" + os.path.basename(path))
        with wattle_trace.open(path) as trace, open(path, "rb") as file:
            data = file.read()
            last = (wattle_trace.PYRAMID, wattle_trace.INDEX, wattle_trace.FOOTER)
            kept = [data[b.offset : b.offset + 38 + b.length] for b in trace.blocks if b.type not in last]
        with open(copy, "wb") as file:
            file.write(b"".join(kept))
        return copy

    def same_as_wattle(self, path, least):
        """The reader's values equal wattle's exports, and there are at least this many."""
        differences, values = against_wattle.compare(path)
        self.assertEqual(differences, [])
        self.assertGreaterEqual(values, least)


def seal(type, payload, sequence=0, first=0, last=0, flags=0):
    """The bytes of a block."""
    head = struct.pack("<4sBBIIQQI", b"\xf5WTL", type, flags, len(payload), sequence, first, last,
                       wattle_trace.crc32c(payload))
    return head + struct.pack("<I", wattle_trace.crc32c(head)) + payload


def record(data):
    """A record of a table."""
    return struct.pack("<I", len(data)) + data


def text(words):
    data = words.encode()
    return struct.pack("<H", len(data)) + data


def file_block(major=1, minor=0):
    return seal(1, b"wattle trace" + struct.pack("<HH", major, minor) + text("test"))


def main():
    """Run the tests of the calling file; 77 where a trace cannot be read at all."""
    if wattle_trace.zstandard is None:
        print("SKIP: needs the Debian package python3-zstandard")
        sys.exit(77)
    program = unittest.main(exit=False, verbosity=2)
    sys.exit(0 if program.result.wasSuccessful() else 1)
