# SPDX-License-Identifier: BSD-3-Clause
"""Settings of the machine that wattle changes: frequency, governor, turbo, power limits. Afterwards they are as before,
whatever ended the holder; what is said about them is true, also where a zone is switched off."""
import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# pylint: disable=wrong-import-position
import channels
import node
from laws import Violation

ENGINE = "real"
COST_S = 3.0

CPUS = "/sys/devices/system/cpu/cpu*/cpufreq/"
FILES = (CPUS + "scaling_governor", CPUS + "scaling_min_freq", CPUS + "scaling_max_freq", CPUS + "scaling_setspeed",
         CPUS + "boost",
         CPUS + "energy_performance_preference", "/sys/devices/system/cpu/cpufreq/boost",
         "/sys/devices/system/cpu/intel_pstate/no_turbo",
         "/sys/class/powercap/intel-rapl*/constraint_*_power_limit_uw",
         "/sys/class/powercap/intel-rapl*/constraint_*_time_window_us",
         "/sys/class/powercap/intel-rapl*/enabled")
ZONE = "/sys/class/powercap/intel-rapl:0/"
CPU0 = "/sys/devices/system/cpu/cpu0/cpufreq/"
ASKED = ("--freq 1.5GHz", "--freq min", "--freq 1.3-1.8GHz", "--governor performance", "--governor powersave",
         "--power-limit 90W",
         "--power-limit 120W:1s", "--power-limit 100W --freq 1.4GHz", "--freq max --governor userspace", "--turbo off",
         "--freq 9GHz",
         "--power-limit 100000W", "--governor nothing", "--freq 1.6GHz --turbo off --power-limit 80W")
BEFORE = (f"write {CPU0}scaling_governor powersave", f"write {CPU0}scaling_max_freq 1500000",
          f"write {CPU0}scaling_min_freq 2000000",
          f"write {ZONE}constraint_0_power_limit_uw 120000000", f"write {ZONE}constraint_0_time_window_us 3998720",
          f"write {ZONE}enabled 0")


def draw(rng):
    """What is asked, how it ends, and in which state the machine was."""
    lines = ["view powercap,cpufreq", "frequency 1.2-2.3", "power package=30+20*f*load+10*f"]
    if rng.random() < 0.3:
        lines.append("sockets 2")
    if rng.random() < 0.3:
        lines.append("sim --turbo 2.8")
    if rng.random() < 0.2:
        lines.append("driver " + rng.choice(("intel_pstate", "amd-pstate-epp")))
    elif rng.random() < 0.3:
        lines.append("sim --cpus-per-policy 2")
    lines += rng.sample(BEFORE, rng.choice((0, 1, 1, 2)))
    lines.append(f"asked {rng.choice(ASKED)}")
    lines.append("way "
                 + rng.choice(("hold", "run", "run", "sweep", "fails", "killed", "term", "both-killed", "meanwhile",
                               "background", "background-file", "repeat", "limit-sweep")))
    return lines + [f"seed {rng.randrange(1, 1000000)}"]


def snapshot(name):
    """A step that writes the present settings into a file."""
    return {"run": ["@python", os.path.abspath(__file__), name]}


def plan(s):
    """The state before, the settings, the state in between and after."""
    asked, way = s.one("asked", "").split(), s.one("way")
    hold, sleep = ["@wattle", "hold", *asked, "--"], ["sleep", "0.4"]
    run = ["@wattle", "run", *asked, "--format", "json", "--result", "r.json", "-o", "r.wtl"]
    writes = [line.split() for line in s.all("write")]
    begin = [*({"write": path, "text": text} for path, text in writes), snapshot("before.txt")]
    steps = {
        "hold": [{"run": [*hold, *sleep]}], "fails": [{"run": [*hold, "false"]}],
             "run": [{"run": [*run, "--", *sleep]}],
        "repeat": [{"run": [*run, "-r", "2", "--", *sleep]}],
        "sweep": [{"run": ["@wattle", "sweep", "-q", "--freq", "1.2GHz,1.8GHz", "-r", "2", "-o", "sw", "--", "sleep",
                           "0.1"]}],
        "limit-sweep": [{"run": ["@wattle", "sweep", "-q", "--power-limit", "60W,90W", "-r", "2", "-o", "sw",
                                 "--format", "json", "--", "sleep", "0.1"]}],
        "killed": [{"start": [*hold, "sleep", "3"], "as": "holder"}, {"sleep": 0.5}, snapshot("during.txt"),
                   {"kill": "holder", "signal": 9},
                   {"sleep": 0.7}],
        "term": [{"start": [*hold, "sleep", "3"], "as": "holder"}, {"sleep": 0.5}, snapshot("during.txt"),
                 {"kill": "holder", "signal": 15}],
        "both-killed": [{"start": [*hold, "sleep", "3"], "as": "holder"}, {"sleep": 0.5},
                        {"run": ["@python", os.path.abspath(__file__), "--guards", "@pid:holder"]},
                        {"kill": "holder", "signal": 9}, {"sleep": 0.2}, {"run": ["@wattle", "restore", "--list"]},
                        {"run": ["@wattle", "restore"]}],
        "meanwhile": [{"start": [*hold, "sleep", "0.8"], "as": "holder"}, {"sleep": 0.4},
                      {"write": ZONE + "constraint_1_power_limit_uw", "text": "170000000"}, {"wait": "holder"}],
        "background": [{"start": ["sleep", "3"], "as": "job"},
                       {"run": ["@wattle", "hold", *asked, "--pid", "@pid:job", "--background"]},
                       snapshot("during.txt"), {"wait": "job"}, {"sleep": 0.6}],
        "background-file": [{"start": ["sleep", "1.5"], "as": "job"},
                            {"run": ["sh", "-c", '"$@" >background.out 2>&1', "sh", "@wattle", "hold", *asked, "--pid",
                                     "@pid:job", "--background"]},
                            snapshot("during.txt"), {"wait": "job"}, {"sleep": 0.6}],
    }[way]
    after = [snapshot("after.txt"), {"run": ["@wattle", "restore", "--list"], "name": "list"}, {"truth": "r.json"}]
    return begin + steps + after


def play(s, p):
    p.environment["WATTLE_CONTROL_DIR"] = p.path("control")
    observation = node.play(p, s, plan(s))
    observation["document"] = node.load(p.read("r.json"))
    for name in ("before", "during", "after"):
        observation[name] = dict(line.split("=", 1) for line in (p.read(name + ".txt") or "").splitlines())
    return observation


def general(path):
    """A path without numbers."""
    return "".join("N" if c.isdigit() else c for c in path.rpartition("/")[2])


def came_back(s, o):
    """Law restored: each setting has its value from before."""
    found = []
    for path, value in o["before"].items():
        now = o["after"].get(path)
        if now == value or (s.one("way") == "meanwhile" and path == ZONE + "constraint_1_power_limit_uw"):
            continue
        found.append(Violation("restored", f"{s.one('way')} {general(path)}", now, value,
                               f"after {s.one('way')} with {s.one('asked')}: {path} is {now}, was {value}"))
    return found


def in_force(s, o):
    """Law refusal: a limit of a zone that is switched off is not in force, and that is said."""
    off = [path for path, value in o["before"].items() if path.endswith("/enabled") and value == "0"]
    document = o["document"]
    if not off:
        return []
    if document is None:
        return swept(s, o)
    found = []
    step = next((x for x in o["steps"] if "r.json" in str(x.get("argv", ""))), {})
    words = " ".join([*document["flags"], *document["flag_texts"].values(), step.get("err") or "",
                      *(x.get("err") or "" for x in o["steps"])]).lower()
    spoken = any(w in words for w in ("not in force", "disabled", "switched off", "not enforced", "not enabled"))
    if "--power-limit" in s.one("asked", "") and o["during"].get(off[0],
                                                                 "0") == "0" and not spoken and document.get("control"):
        found.append(Violation("refusal", "control: limit of a zone that is off", document["control"], "not in force",
                               f"{s.one('asked')} on a zone that is switched off: no word that it is not in force"))
    for activity in document["activity"]:
        if activity["name"].startswith("limits:package-0") and activity["mean"] is not None and not spoken:
            found.append(Violation("refusal", "activity[limits] of a zone that is off", activity["mean"], None,
                                   f"{activity['name']} says {activity['mean']} W are in force, but the zone is "
                                   f"switched off"))
            break
    return found


def swept(s, o):
    """The same for a sweep over power limits, which names a setting that is best."""
    if s.one("way") != "limit-sweep" or not any('"power_limit_w": 60' in (x.get("out") or "") for x in o["steps"]):
        return []
    words = " ".join((x.get("out") or "") + (x.get("err") or "") for x in o["steps"]).lower()
    if any(w in words for w in ("not in force", "disabled", "switched off", "not enforced", "not enabled")):
        return []
    return [Violation("refusal", "sweep: limit of a zone that is off", "points at 60 W and 90 W", "not in force",
                      "sweep --power-limit on a zone that is switched off: no word that the limits are not in force")]


def returns(s, o):
    """Law refusal: `--background` returns as soon as the settings are set, also if its output is a pipe."""
    if s.one("way") != "background":
        return []
    begin = next((i for i, x in enumerate(o["steps"]) if "pid" in x and "out" not in x), 0)
    step = o["steps"][begin + 1]
    seconds = (step["end_ns"] - step["begin_ns"]) / 1e9
    if step.get("status") != 0 or seconds < 2.7:
        return []
    return [Violation("refusal", "hold --background", seconds, "at once",
                      f"hold --background returned after {seconds:.1f} s, when the process had ended, because what "
                      f"holds the settings keeps the pipe open")]


def true_frequency(s, o):
    """Law interval for control: the achieved frequency lies in the range that was held."""
    control = (o["document"] or {}).get("control")
    if not control or control.get("achieved_hz") is None or control.get("high_hz") is None:
        return []
    if control["achieved_hz"] <= control["high_hz"] * 1.02:
        return []
    return [Violation("refusal", "control.achieved_hz", control["achieved_hz"], control["high_hz"],
                      f"achieved {control['achieved_hz'] / 1e9:.3f} GHz with {s.one('asked')}, at most "
                      f"{control['high_hz'] / 1e9:.3f} GHz were allowed")]


def check(s, o):
    found = channels.statuses({**o, "steps": [x for x in o["steps"] if x.get("status") not in (-9, -15, 137, 143)]},
                              fails=True)
    if not o["before"] or not o["after"]:
        return found + [Violation("crash", "no settings", None, None, f"the node shows no settings: {o['node']}")]
    found = [v for v in found if "status" not in v.where or v.said != 125] + came_back(s, o)
    listed = next((x.get("out") for x in reversed(o["steps"]) if "out" in x), "") or ""
    left = "open" in listed.lower() and "nothing" not in listed.lower() and "no " not in listed.lower()
    if left and not came_back(s, o):
        found.append(Violation("refusal", "restore --list", listed[:200], "nothing is open",
                               f"restore --list says {listed[:150]!r}, all is as before"))
    found += in_force(s, o) + returns(s, o)
    if o["document"] is not None:
        found += true_frequency(s, o) + channels.check(o, o["document"])
    return found


def guards_of(pid):
    """Kills, with signal 9, the other processes of `wattle` that use the same folder of journals, and prints how
    many."""
    mine, killed = os.environ["WATTLE_CONTROL_DIR"].encode(), 0
    for path in glob.glob("/proc/[0-9]*"):
        try:
            with open(path + "/comm", encoding="utf-8") as f:
                name = f.read().strip()
            with open(path + "/environ", "rb") as f:
                same = b"WATTLE_CONTROL_DIR=" + mine in f.read().split(b"\0")
        except OSError:
            continue
        if same and name.startswith("wattle") and name != "wattle-sim" and int(path.rpartition("/")[2]) != pid:
            os.kill(int(path.rpartition("/")[2]), 9)
            killed += 1
    print("killed", killed)


def main(argv):
    if argv[0] == "--guards":
        guards_of(int(argv[1]))
        return
    with open(argv[0], "w", encoding="utf-8") as out:
        for pattern in FILES:
            for path in sorted(glob.glob(pattern)):
                try:
                    with open(path, encoding="utf-8") as f:
                        out.write(f"{path}={f.read().strip()}\n")
                except OSError:
                    continue


if __name__ == "__main__":
    main(sys.argv[1:])
