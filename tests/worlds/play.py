# SPDX-License-Identifier: BSD-3-Clause
"""What a family plays a situation with: the programs under test, a folder of its own, and commands with a time limit.
"""
import dataclasses
import os
import shutil
import signal
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Done:
    """A command that ended: exit status (-N: died of signal N; None: hung until its time limit), and what it wrote."""
    status: object
    out: str
    err: str
    argv: list


class Play:
    """Folder and programs of one play. Commands run with a private HOME and folder of seats, in which plays do not
    meet, and without variables that a program may ask: those of wattle, of launchers of jobs, a time zone."""
    INHERITED = ("PATH", "USER", "LOGNAME", "SHELL", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
                 "TSAN_OPTIONS", "GCOV_PREFIX", "GCOV_PREFIX_STRIP", "LLVM_PROFILE_FILE")

    def __init__(self, build, folder, source):
        self.build = os.path.abspath(build)
        self.source = os.path.abspath(source)
        self.folder = folder
        self.wattle = self.bin("wattle")
        self.wattled = self.bin("wattled")
        self.sim = self.bin("wattle-sim")
        self.commands = []
        self.environment = {k: v for k, v in os.environ.items() if k in self.INHERITED}
        home = os.path.join(folder, "home")
        os.makedirs(home, exist_ok=True)
        self.environment.update(HOME=home, LC_ALL="C.UTF-8", NO_COLOR="1", TMPDIR=folder,
                                WATTLE_SEATS=os.path.join(folder, "seats"))

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
            except BaseException:  # interrupted: do not wait for its end
                _kill_group(child.pid)
                raise

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


class Folder:
    """A temporary folder for plays. At its end it is removed, and all processes that were started with it as TMPDIR are
    killed, in whatever session they are: of a play that hung or was interrupted, nothing goes on."""
    open = []

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        short = len(tempfile.gettempdir()) < 50  # names of sockets have at most 107 bytes
        self.path = tempfile.mkdtemp(prefix=f"worlds-{self.name}.", dir=None if short else "/tmp")
        Folder.open.append(self)
        return self.path

    def __exit__(self, *_):
        kill_all_of(self.path)
        shutil.rmtree(self.path, ignore_errors=True)
        Folder.open.remove(self)


def kill_all_of(folder):
    """Kills all processes with this TMPDIR, and waits until they are gone."""
    until = time.monotonic() + 5
    while pids := _pids_of(folder):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        if time.monotonic() > until:
            break
        time.sleep(0.005)


def _pids_of(folder):
    wanted, pids = b"TMPDIR=" + os.fsencode(folder) + b"\0", []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    if wanted in f.read() + b"\0":
                        pids.append(int(name))
            except OSError:  # ended, or of another user
                pass
    return pids


def end_by_signal(number, _):
    """Handler of SIGTERM and SIGHUP: ends what is being played at once, then this process, with its clean-up."""
    signal.signal(number, signal.SIG_IGN)  # a second one does not disturb the clean-up
    for folder in Folder.open:
        kill_all_of(folder.path)
    raise SystemExit(128 + number)
