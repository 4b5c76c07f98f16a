# SPDX-License-Identifier: BSD-3-Clause
"""A machine without sensors: every verb that prints joules there prints an estimate. It has the interval of such
machines, not that of repeats, and the word, in text, documents and tables; and it is never added to joules of another
kind."""
import csv
import io
import re

import node
from laws import Violation

ENGINE = "real"
COST_S = 5.0

VERBS = ("run", "repeat", "sweep", "ab", "compare", "check", "jobs", "stats", "top", "start", "mixed", "pid", "all")
PLUS = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[+-]?\d+)?) \+- (\d[\d.]*(?:e[+-]?\d+)?)(?! s\b)")
JOULES = re.compile(r"(?<![\w.])\d[\d.]*(?:e[+-]?\d+)? [kmMGuµ]?J\b")


def draw(rng):
    """One verb, at one length."""
    verb = rng.choice(VERBS)
    lines = ["view cpufreq", "frequency 1.2-2.3", f"verb {verb}", f"length {rng.choice((0.1, 0.2, 0.5))}",
             f"repeat {rng.choice((2, 3, 5))}"]
    if verb in ("run", "repeat") and rng.random() < 0.5:
        lines.append("option " + rng.choice(("-v", "--work 100:image", "-v --work 1e6:flop")))
    return lines + [f"seed {rng.randrange(1, 1000000)}"]


def steps(s):
    """(name, words) of the commands of a verb; names ending in .json, .csv and .txt say what the output is."""
    sleep = ["sleep", s.one("length", "0.2")]
    n, more = s.one("repeat", "3"), " ".join(s.all("option")).split()
    run = ["run", "--no-trace"]
    made = [["run", "-q", "-o", f"{name}.wtl", "--", *sleep] for name in ("a", "b")]
    return {
        "run": [("run.txt", [*run, *more, "--", *sleep]), ("run.csv", [*run, "--format", "csv", "--", *sleep])],
        "repeat": [("run.txt", [*run, "-r", n, *more, "--", *sleep]),
                   ("run.json", [*run, "-r", n, "--format", "json", "--", *sleep]),
                   ("run.csv", [*run, "-r", n, "--format", "csv", "--", *sleep])],
        "sweep": [("sweep.txt", ["sweep", "--freq", "1.2GHz,2.3GHz", "-r", n, "-q", "-o", "sw1", "--", *sleep]),
                  ("sweep.json",
                   ["sweep", "--freq", "1.2GHz,2.3GHz", "-r", n, "-q", "--format", "json", "-o", "sw2", "--", *sleep])],
        "ab": [(f"ab.{kind}",
                ["ab", "--noise-pairs", "0", "--max-pairs", "5", "-q", "--format", word, "--", *sleep, "--", "sleep",
                 "0.05"])
               for kind, word in (("txt", "text"), ("json", "json"))],
        "compare": [(None, words) for words in made] + [("compare.txt", ["compare", "a.wtl", "b.wtl"]),
                                                        ("compare.json",
                                                         ["compare", "--format", "json", "a.wtl", "b.wtl"])],
        "check": [("save.txt", ["check", "-r", "5", "--save", "base.json", "--", *sleep]),
                  ("check.txt", ["check", "-r", "5", "--max", "+5%", "--against", "base.json", "--", *sleep]),
                  ("check.json",
                   ["check", "-r", "5", "--max", "+5%", "--against", "base.json", "--format", "json", "-q", "--",
                    *sleep])],
        "jobs": jobs(sleep),
        "mixed": jobs(sleep),
        "stats": [(None, words) for words in made]
            + [("stats.txt", ["stats", "a.wtl"]), ("stats.json", ["stats", "--format", "json", "a.wtl", "b.wtl"]),
                                                      ("stats.csv", ["stats", "--format", "csv", "a.wtl"])],
        "top": [("top.txt", ["top", "-n", "1"]), ("top.json", ["top", "-n", "1", "--format", "json"])],
        "pid": [("run.txt", ["run", "--no-trace", "-p", "@pid:busy", "--duration", "0.3s"]),
                ("run.json", ["run", "--no-trace", "--format", "json", "-p", "@pid:busy", "--duration", "0.3s"])],
        "all": [("run.txt", ["run", "--no-trace", "-a", "--duration", "0.3s"]),
                ("run.json", ["run", "--no-trace", "--format", "json", "-a", "--duration", "0.3s"])],
        "start": [(None, ["start", "-q", "-o", "a.wtl", "--watch", "@pid:busy"]), (None, ["mark", "one"]),
                  ("stop.txt", ["stop"]),
                  ("stats.txt", ["stats", "--regions", "a.wtl"])],
    }[s.one("verb")]


def jobs(sleep):
    return [(None, ["run", "--record", "-q", "-o", "j.wtl", "--", *sleep]), (None, ["--sleep"]), ("jobs.txt", ["jobs"]),
            ("jobs.json", ["jobs", "--format", "json"]), ("report.txt", ["jobs", "report"]),
            ("report.json", ["jobs", "report", "--format", "json"]),
            ("top.txt", ["jobs", "top"])]


def play(s, p):
    """The commands on a node without sensors; the reference is one run there. "mixed" first records a job of a node
    with a counter."""
    if s.one("verb") == "mixed":
        p.run([p.sim, "run", "--power", "package=50", "--", p.wattle, "run", "--record", "-q", "-o", "m.wtl", "--",
               "sleep", "0.3"])
    plan = [{"start": ["sleep", "30"], "as": "busy"},
            {"run": ["@wattle", "run", "--no-trace", "--format", "json", "--result", "reference.json", "--", "sleep",
                     "0.3"]}]
    names = []
    for name, words in steps(s):
        names.append((name, len(plan)))
        plan.append({"sleep": 0.7} if words == ["--sleep"]
                    else {"run": ["@wattle", *words], "env": {"COLUMNS": "120", "WATTLE_SESSION": "worlds"}})
    plan.append({"kill": "busy"})
    observation = node.play(p, s, plan)
    observation["reference"] = node.load(p.read("reference.json"))
    observation["names"] = names
    return observation


def texts(o):
    """(name, text) of what was printed; documents of `run` are on standard error."""
    for name, i in o["names"]:
        if name and i < len(o["steps"]):
            step = o["steps"][i]
            yield name, (step.get("out") or "").strip() or step.get("err") or ""


def line_of(name, line):
    """Which kind of line this is, without its numbers; lines of jobs begin with names that differ."""
    if name.startswith(("jobs", "report", "top")):
        return f"{name} joules"
    return f"{name}: " + re.sub(r"\s+", " ", re.sub(r"[\d.]+", "N", line.strip()))[:40]


def check_text(name, text):
    """Law estimate for text: no +- of repeats, and each number of joules has its interval or the word."""
    found, estimated = [], "estimat" in text.lower()
    for line in text.splitlines():
        if line.startswith(" ESTIMATED"):
            continue
        is_time = line.strip().startswith(("time", "Energy of", "wattle:", "settings"))
        plus = [] if is_time else PLUS.findall(line)
        if name.startswith("sweep"):
            plus = plus[1:]
        if plus:
            found.append(Violation("estimate", f"{name} +-", line.strip(), "no +-",
                                   f"{name}: an estimate with the +- of repeats alone: \"{line.strip()}\""))
        elif JOULES.search(line) and "estimat" not in line and "(" not in line and name.split(".")[0] not in ("top",):
            found.append(Violation("estimate", line_of(name, line), line.strip(), "the word or an interval",
                                   f"{name}: joules of an estimate without word and interval: \"{line.strip()}\""))
    if text and not estimated:
        found.append(Violation("estimate", f"{name} word", text[:200], "estimated",
                               f"{name}: the word \"estimated\" is nowhere"))
    return found


def energies(value):
    """Names and numbers of the energies of one object, and its interval."""
    numbers = {k: v for k, v in value.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    low = next((numbers[k] for k in ("low_j", "energy_low_j", "charged_low_j") if k in numbers), None)
    high = next((numbers[k] for k in ("high_j", "energy_high_j", "charged_high_j") if k in numbers), None)
    own = {k: v for k,
           v in numbers.items() if k.endswith("_j")
           and not re.search(r"low|high|interval|resolution|unattributed|edp", k) and v}
    return own, low, high


def walk(value, path, quality=None):
    """(path, object) of each object whose quality is estimated."""
    if isinstance(value, dict):
        quality = value.get("quality", quality)
        if quality == "estimated":
            yield path, value
        for key, inner in value.items():
            yield from walk(inner, f"{path}.{key}" if path else key, quality)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, path + "[]", quality)


def check_document(name, document, reference):
    """Law estimate for documents: an interval in the same object, at least half as wide as that of one run on this
    machine."""
    found, seen = [], set()
    total = reference["total"]
    wide = (total["high_j"] - total["low_j"]) / total["energy_j"]
    for path, value in walk(document, ""):
        if path in seen or path.startswith(("wattle", "idle")) or path.endswith("process"):
            continue
        own, low, high = energies(value)
        if not own:
            continue
        said = next(iter(own.values()))
        if low is None or high is None:
            seen.add(path)
            found.append(Violation("estimate", f"{name} {path}", own, "low and high",
                                   f"{name}: {path} has {own} of an estimate without an interval"))
        elif (high - low) / said < 0.5 * wide:
            seen.add(path)
            found.append(Violation("estimate", f"{name} {path} narrow", [low, high], wide * said,
                                   f"{name}: {path} has {said:.4g} J in {low:.4g}..{high:.4g}, an interval of "
                                   f"repeats; one run has {total['energy_j']:.4g} J "
                                   f"in {total['low_j']:.4g}..{total['high_j']:.4g}"))
    return found


def check_csv(name, text):
    """Law estimate for tables: low_j and high_j are there for each energy."""
    found = []
    for row in csv.DictReader(io.StringIO(text[text.find("run,"):] if "run," in text else "")):
        if row.get("quality") == "estimated" and row.get("energy_j") and not (row.get("low_j") and row.get("high_j")):
            found.append(Violation("estimate", f"{name} low_j", row["energy_j"], "low_j, high_j",
                                   f"{name}: {row['name']} {row['energy_j']} J without an interval"))
    return found[:1]


def mixed(o):
    """Law estimate: sums of a report do not add an estimate to other joules."""
    found = []
    for name, text in texts(o):
        if name != "report.txt":
            continue
        jobs_listed = node.load(dict(texts(o)).get("jobs.json")) or {}
        kinds = {j.get("quality"): j.get("energy_j") for j in jobs_listed.get("jobs", [])}
        if "estimated" in kinds and len(kinds) > 1:
            total = re.search(r"^total +\d+ +([\d.]+) J", text, re.M)
            both = sum(j.get("energy_j") or 0 for j in jobs_listed["jobs"])
            if total and abs(float(total.group(1)) - both) < 0.02 * both:
                found.append(Violation("estimate", "jobs report total", total.group(1), kinds,
                                       f"jobs report adds estimated and other joules to {total.group(1)} J: {kinds}"))
    return found


def check(s, o):
    found = []
    for step in o["steps"]:
        if step.get("status") is None or -16 < (step.get("status") or 0) < 0 and step["status"] not in (-15,):
            found.append(Violation("crash", "status", step.get("status"), 0, f"a step ended with {step.get('status')}"))
    reference = o["reference"]
    if reference is None or reference["total"]["quality"] != "estimated" or not reference["total"]["energy_j"]:
        return found + [Violation("refusal", "no estimate", None, "an estimate",
                                  "no estimate on a machine without sensors")]
    for name, text in texts(o):
        if name.endswith(".json"):
            document = node.load(text[text.find("{"):] if "{" in text else "")
            found += check_document(name, document, reference) if document else []
        elif name.endswith(".csv"):
            found += check_csv(name, text)
        elif s.one("verb") != "mixed":
            found += check_text(name, text)
    return found + (mixed(o) if s.one("verb") == "mixed" else [])
