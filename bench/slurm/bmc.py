# SPDX-License-Identifier: BSD-3-Clause
"""A slow sensor in place of the node's exact one: bmc.py FOLDER TAU

Power as a board controller shows it: a first-order lag with time constant TAU (seconds) behind the node's own, in whole watts,
and its integral as energy, in the files of Cray's pm_counters, which Slurm's plugin of that name reads. Runs on a simulated
node, whose view it covers with FOLDER.
"""
import math
import os
import subprocess
import sys
import time

PLACE = "/sys/cray/pm_counters"


def put(path, text):
    """In place and of constant length: a reader sees the old or the new text, and no empty file."""
    with open(path, "r+" if os.path.exists(path) else "w", encoding="ascii") as file:
        file.write(text)


def main(folder, tau):
    with open(f"{PLACE}/energy", encoding="ascii", buffering=1) as sensor:
        def exact():
            sensor.seek(0)
            return float(sensor.read().split()[0])
        now, joules = time.monotonic(), exact()
        shown, total = None, joules
        os.makedirs(folder, exist_ok=True)
        with open(f"{PLACE}/power", encoding="ascii") as power:
            shown = float(power.read().split()[0])
        mounted = False
        last, window = now, []
        while True:
            # The sensor shows whole joules: power is that of the last half second.
            window = [(t, j) for t, j in window if t > now - 0.5] + [(now, joules)]
            (t0, j0), (t1, j1) = window[0], window[-1]
            real = (j1 - j0) / (t1 - t0) if t1 - t0 > 0.2 else shown
            shown += (real - shown) * (1 - math.exp(-(now - last) / tau))
            total += shown * (now - last)
            last = now
            stamp = int(time.time() * 1e6)
            put(f"{folder}/power", f"{round(shown):6d} W {stamp:20d} us\n")
            put(f"{folder}/energy", f"{int(total):12d} J {stamp:20d} us\n")
            if not mounted:
                for name in ("freshness", "generation", "startup", "version"):
                    put(f"{folder}/{name}", "1\n")
                subprocess.run(["mount", "--bind", folder, PLACE], check=True)
                mounted = True
                print("ready", flush=True)
            time.sleep(0.05)
            now, joules = time.monotonic(), exact()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
