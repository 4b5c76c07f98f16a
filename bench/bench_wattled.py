#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of wattled on a simulated node: CPU time in percent of one core, and resident memory, at 1, 10 and 1000 Hz with 0, 1
and 64 readers, each reading the page 10 times a second.

    bench_wattled.py [--build DIR] [--seconds S]

Without readers, wattled samples at its idle interval (1 s, and 100 ms, the shortest). FUSE makes each reading of the node's
counters some 25 us, so `bare` is beside it: a loop that does nothing but wake at the rate and read the same files. Memory is
what belongs to the process alone (Pss without the files of the program). Needs root. Prints results; asserts nothing.
"""
import argparse
import glob
import mmap
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

READERS = (0, 1, 64)
RATES = (("1s", 1), ("100ms", 10), ("1ms", 1000))


def cpu_s(pid):
    """CPU time of all threads, in seconds, to the nanosecond."""
    total = 0
    for name in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(name, encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def memory_kb(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        rows = {line.split(":")[0]: int(line.split()[1]) for line in f if line.endswith("kB\n")}
    return rows["Rss"], rows["Private_Dirty"] + rows["Shared_Dirty"]


def read_loop(page, stop):
    while not stop.wait(0.1):
        page[256:8192]  # the channels' values are a few lines of this


def connect(path):
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    link.connect(path)
    link.send(b"page 2")
    _, fds, _, _ = socket.recv_fds(link, 4096, 1)
    page = mmap.mmap(fds[0], os.fstat(fds[0]).st_size, prot=mmap.PROT_READ)
    os.close(fds[0])
    return link, page


def measure(wattled, folder, interval, readers, seconds):
    idle = interval if interval != "1ms" else "100ms"
    path = os.path.join(folder, "wattle.conf")
    with open(path, "w", encoding="ascii") as conf:
        conf.write(f"[wattled]\ninterval = {interval}\nidle-interval = {idle}\nuser =\n")
    run = os.path.join(folder, "run")
    daemon = subprocess.Popen([wattled, "--config", path, "--run-dir", run, "--state-dir", folder], stderr=subprocess.DEVNULL)
    while not os.path.exists(os.path.join(run, "socket")):
        time.sleep(0.01)
    stop, links = threading.Event(), []
    for _ in range(readers):
        link, page = connect(os.path.join(run, "socket"))
        links.append(link)
        threading.Thread(target=read_loop, args=(page, stop), daemon=True).start()
    time.sleep(0.5)
    before, begin = cpu_s(daemon.pid), time.monotonic()
    time.sleep(seconds)
    percent = 100 * (cpu_s(daemon.pid) - before) / (time.monotonic() - begin)
    memory = memory_kb(daemon.pid)
    stop.set()
    for link in links:
        link.close()
    daemon.terminate()
    daemon.wait()
    return percent, memory


def bare(hertz, seconds):
    """Only wakes and reads the counters."""
    files = [os.open(name, os.O_RDONLY) for name in glob.glob("/sys/class/powercap/*/energy_uj")]
    clock, begin = time.thread_time(), time.monotonic()
    for n in range(int(hertz * seconds)):
        time.sleep(max(0, begin + n / hertz - time.monotonic()))
        for fd in files:
            os.pread(fd, 64, 0)
    return 100 * (time.thread_time() - clock) / (time.monotonic() - begin)


def inside(wattled, seconds):
    print("rate      readers   CPU %   of bare   resident kB   dirty kB")
    for interval, hertz in RATES:
        base = bare(hertz, seconds)
        for readers in READERS:
            with tempfile.TemporaryDirectory() as folder:
                percent, (rss, dirty) = measure(wattled, folder, interval, readers, seconds)
            rate = f"{hertz} Hz" if readers or hertz < 1000 else "10 Hz, idle"
            print(f"{rate:<12} {readers:>4} {percent:>7.3f} {percent / base:>9.2f} {rss:>13} {dirty:>10}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    programs = os.path.abspath(os.path.join(args.build, "bin"))
    if args.inside:
        inside(os.path.join(programs, "wattled"), args.seconds)
    else:
        sys.exit(subprocess.call([os.path.join(programs, "wattle-sim"), "run", "--", sys.executable, os.path.abspath(__file__),
                                  "--inside", "--build", args.build, "--seconds", str(args.seconds)]))


main()
