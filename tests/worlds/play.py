# SPDX-License-Identifier: BSD-3-Clause
"""What a family plays a situation with: the programs under test, a folder of its own, and commands with a time limit."""
import dataclasses
import os
import signal
import subprocess


@dataclasses.dataclass
class Done:
    """A command that ended: exit status (-N: died of signal N; None: hung until its time limit), and what it wrote."""
    status: object
    out: str
    err: str
    argv: list


class Play:
    """Folder and programs of one play. Commands run with a private HOME and without wattle's own variables."""

    def __init__(self, build, folder, source):
        self.build = os.path.abspath(build)
        self.source = os.path.abspath(source)
        self.folder = folder
        self.wattle = self.bin("wattle")
        self.wattled = self.bin("wattled")
        self.sim = self.bin("wattle-sim")
        self.commands = []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("WATTLE_", "XDG_", "LC_", "LANG"))}
        home = os.path.join(folder, "home")
        os.makedirs(home, exist_ok=True)
        self.environment.update(HOME=home, LC_ALL="C.UTF-8", NO_COLOR="1", TMPDIR=folder)

    def bin(self, name):
        return os.path.join(self.build, "bin", name)

    def test_program(self, name):
        """A program of tests/worlds itself."""
        return os.path.join(self.build, "tests", "worlds", name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        """Contents of a file of the folder, or None."""
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return None

    def run(self, argv, timeout=60, env=None, cwd=None, stdin=None):
        """Runs a command to its end, or kills it and everything in its process group after `timeout` seconds."""
        argv = [str(word) for word in argv]
        self.commands.append(argv)
        with subprocess.Popen(argv, cwd=cwd or self.folder, env={**self.environment, **(env or {})}, text=True,
                              errors="replace", start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL) as child:
            try:
                out, err = child.communicate(stdin, timeout=timeout)
                return Done(child.returncode, out, err, argv)
            except subprocess.TimeoutExpired:
                _kill_group(child.pid)
                try:
                    out, err = child.communicate(timeout=5)
                except subprocess.TimeoutExpired:
                    out = err = ""
                return Done(None, out, err, argv)

    def start(self, argv, env=None, **kwargs):
        """Starts a command in a process group of its own; the family ends it (`stop`)."""
        argv = [str(word) for word in argv]
        self.commands.append(argv)
        return subprocess.Popen(argv, cwd=self.folder, env={**self.environment, **(env or {})}, start_new_session=True,
                                stdin=subprocess.DEVNULL, **kwargs)

    def stop(self, child, sig=signal.SIGTERM, timeout=10):
        """Ends a started command and waits for it; kills its group if it does not end in time."""
        if child.poll() is None:
            child.send_signal(sig)
        try:
            return child.wait(timeout)
        except subprocess.TimeoutExpired:
            _kill_group(child.pid)
            return child.wait(5)


def _kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
