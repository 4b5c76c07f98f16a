# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of `wattle run`: checks, a scratch folder, a simulated node and its exact joules.

A test is a program whose functions are selected by its first argument when it is started again inside
a node: `node(options, "function", ...)` there calls function(...). It ends with `main(outside, globals())`.
"""
import atexit
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TEST = os.path.abspath(sys.argv[0])
SRC = os.environ.get("SRC", os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
BUILD = os.environ.get("BUILD", os.path.join(SRC, "build"))
WATTLE = os.environ.get("WATTLE", os.path.join(BUILD, "bin/wattle"))
SIM = os.environ.get("WATTLE_SIM", os.path.join(BUILD, "bin/wattle-sim"))
SECOND = 1000000000
CPU = os.environ.get("WATTLE_TEST_CPU", "skylake-sp")  # the processor of simulated nodes
bad = 0


def check(holds, what):
    global bad
    print(f"{'ok' if holds else 'not ok'} - {what}", flush=True)
    bad += not holds
    return holds


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def sanitized():
    """True where the programs under test carry a sanitizer: it keeps what they free."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        return any(line.startswith("WATTLE_SANITIZE:") and not line.rstrip().endswith("=off") for line in cache)


def finish():
    sys.exit(1 if bad else 0)


def main(outside, functions):
    """Run the function named in the arguments, inside a node, or the test itself."""
    if len(sys.argv) > 1 and sys.argv[1] in functions:
        let_others_in()
        functions[sys.argv[1]](*[json.loads(a) for a in sys.argv[2:]])
    else:
        scratch()
        outside()
    finish()


def scratch():
    """An empty working folder with a HOME without settings; removed at the end."""
    folder = tempfile.mkdtemp(prefix="wattle-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    os.chdir(folder)
    for name in [n for n in os.environ if n.startswith("WATTLE_") and n != "WATTLE_SIM"]:
        del os.environ[name]
    os.environ.pop("XDG_CONFIG_HOME", None)
    os.environ.update(HOME=folder, LC_ALL="C", TZ="UTC", WATTLE=WATTLE, WATTLE_SIM=SIM)
    return folder


def let_others_in():
    """Where mounts are private, as in a node: other users can start the programs of a build below a folder that only root may
    enter, such as /root. That folder gets a layer with another mode."""
    for path in (SRC, BUILD):
        for closed in reversed(pathlib.Path(os.path.realpath(path)).parents):
            if os.geteuid() != 0 or os.stat(closed).st_mode & 0o001 or os.path.realpath(".").startswith(f"{closed}/"):
                continue
            with tempfile.TemporaryDirectory() as layer:
                subprocess.run(["mount", "-t", "tmpfs", "none", layer], check=True)
                os.mkdir(f"{layer}/upper", 0o755)
                os.chmod(f"{layer}/upper", 0o755)
                os.mkdir(f"{layer}/work")
                options = f"lowerdir={closed},upperdir={layer}/upper,workdir={layer}/work"
                done = subprocess.run(["mount", "-t", "overlay", "-o", options, "none", closed], stderr=subprocess.PIPE, text=True, check=False)
                subprocess.run(["umount", "-l", layer], check=True)
            if done.returncode == 0 and not os.path.exists(path):  # in another file system, which such a layer hides
                subprocess.run(["umount", closed], check=True)
            if not os.stat(closed).st_mode & 0o001:
                print(f"# {closed} stays closed to others {done.stderr.strip()}")


def need_node():
    status = subprocess.call([os.path.join(HERE, "../sim/can-simulate")])
    if status != 0:
        sys.exit(status)


def node(options, function, *args, folder=".", timeout=280):
    """Call a function of this test inside a simulated node, in a folder. Its failures count here."""
    global bad
    words = [json.dumps(a) for a in args]
    try:
        run = subprocess.run([SIM, "run", "--cpu", CPU, *options, "--", sys.executable, TEST, function, *words], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as late:
        check(False, f"node: not done in {timeout} s; it said: {(late.stdout or b'').decode(errors='replace')}")
        return
    status = "" if run.returncode in (0, 1) else f"not ok - node: status {run.returncode}\n"
    print(run.stdout + status, end="", flush=True)
    bad += run.returncode != 0


def side_by_side(function, cases, at_once=4):
    """function(case, folder) for all cases, several at once, each in an empty separate folder."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for future in [pool.submit(function, case, tempfile.mkdtemp(dir=".")) for case in cases]:
            future.result()


def measure(command, *options, result="r.json", trace="t.wtl", **kwargs):
    """Run `wattle run` to its end: (status, JSON document or None, stderr)."""
    for name in (result, trace):
        if name and os.path.exists(name):
            os.unlink(name)
    trace_options = ["-o", trace] if trace else ["--no-trace"]
    run = subprocess.run([WATTLE, "run", "--format", "json", "--result", result, *trace_options, *options,
                          *(["--", *command] if command else [])], stderr=subprocess.PIPE, text=True,
                         timeout=kwargs.pop("timeout", 100), check=False, **kwargs)
    return run.returncode, load(result), run.stderr


def load(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def stats(trace):
    """(status, document, stderr) of `wattle stats`."""
    run = subprocess.run([WATTLE, "stats", "--format", "json", trace], capture_output=True, text=True, timeout=60,
                         check=False)
    return run.returncode, json.loads(run.stdout) if run.returncode == 0 else None, run.stderr


def pauses(channel, trace="t.wtl"):
    """Times between successive samples of a channel: long where this machine was too busy to read in time."""
    export = subprocess.run([WATTLE, "export", "-c", channel["name"], trace], capture_output=True, text=True, timeout=60, check=False)
    rows = [line.split(",") for line in export.stdout.splitlines()[1:]]
    times = [float(row[0]) for row in rows if row[1]]
    return [after - before for before, after in zip(times, times[1:])]


def stats_text(trace, *options):
    return subprocess.run([WATTLE, "stats", *options, trace], capture_output=True, text=True, timeout=60, check=False).stdout


def truth(begin, end):
    """Exact joules of each domain between two instants, by name."""
    run = subprocess.run([SIM, "energy", "--from", str(begin), "--to", str(end), "--format", "json"], check=True,
                         capture_output=True, text=True, timeout=120)
    return {d["name"]: d["energy_j"] for d in json.loads(run.stdout)["domains"]}


def change(*words):
    """`wattle-sim set`, inside a node: a fault that a test begins itself comes when the test is ready for it, however slow the machine."""
    subprocess.run([SIM, "set", *words], check=True, stdout=subprocess.DEVNULL, timeout=120)


def domain(channel):
    return channel["name"].split(":", 1)[1]


def until(instant_ns, code=0):
    """A command that ends at an instant of CLOCK_MONOTONIC."""
    return [sys.executable, "-c", f"import sys, time\ntime.sleep(max(0, {instant_ns} - time.monotonic_ns()) / 1e9)\n"
            f"sys.exit({code})"]


def library():
    """The path of libwattle for programs in Python, or None: python cannot load a library with sanitizers."""
    path = os.path.join(BUILD, "lib/libwattle.so")
    load = [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", path]
    return path if subprocess.call(load, stderr=subprocess.DEVNULL) == 0 else None


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
