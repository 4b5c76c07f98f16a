# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on a simulated node through the real wattled and its hooks: records in the spool, the database and every print
of them, held against the power between prolog and epilog, while wattled is killed, stopped or away for an epilog, hooks
are late, and counters stand still.

    at T start|stop|kill             wattled
    at T prolog|epilog ID whole|part a hook of Slurm's job ID
    at T begin|end ID exclusive|half|plain   a job of another batch system
    at T fault TEXT                  from now on
    at T read page|direct S          `wattle run` for S s, of a user through the page or of root from the sensors
"""
import csv
import io
import json
import os
import sys
import time

import printed_jobs as printed
from laws import Violation
from oracle.power import Power

ENGINE = "real"
COST_S = 6.0
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORDS = {"exclusive": ["--reserved", "1"], "half": ["--reserved", "0.5"], "plain": []}
USER = 65534
HOOK_S = 1.0  # the docs' limit after which a job that begins late is a lower bound


# ---- drawing ----

def draw(rng):
    power = rng.choice(["60", "100", "60+40*square(t,0.37,0.5)", "30+170*step(t-3)"])
    lines = [f"power package-0 {power}", "power dram-0 5", f"checkpoint {rng.choice([1, 60])}"]
    shape = rng.choice([_plain, _away, _away, _restarted, _stalled, _stalled, _after_stall, _readers, _late])
    return lines + [f"at {round(t, 2)} {what}" for t, what in [(0, "start"), *shape(rng)]]


def _plain(rng):
    way, other = rng.choice(["exclusive", "half", "plain"]), rng.choice(["half", "exclusive", "plain"])
    return [(0.6, f"begin a {way}"), (1.0, f"begin b {other}"), (1.6, "end b"), (1.61, f"begin c {other}"),
            (2.0 + rng.random(), "end c"), (3.2, "end a"),
            (3.2, "prolog 7 whole"), (3.9, "epilog 7 whole")]


def _away(rng):
    """wattled is away for the epilog of one job, and back before or after the prolog of the next, of another user."""
    back = rng.choice([2.2, 3.0, 3.6])
    steps = [(0.6, "prolog 1 whole"), (1.5, rng.choice(["kill", "stop"])), (1.7, "epilog 1 whole"), (back, "start"),
             (4.6, "epilog 2 whole")]
    return sorted(steps + [(rng.choice([2.0, 2.6]), "prolog 2 whole")])


def _restarted(rng):
    """Killed in mid-job, at any moment, also just after a begin."""
    at = rng.choice([0.75, 1.2, 1.9])
    return sorted([(0.6, "prolog 3 whole"), (at, rng.choice(["kill", "stop"])), (at + rng.choice([0.05, 0.6]), "start"),
                   (2.8, "epilog 3 whole"),
                   (2.8, "prolog 4 part"), (3.3, "epilog 4 part")])


def _stalled(rng):
    """The counter stands still from some time before an end until some time after it."""
    ahead = rng.choice([0.05, 0.2, 0.5])
    return [(0.6, "prolog 5 whole"),
            (2.3 - ahead, f"fault stall:package,for={int(1000 * ahead) + rng.choice([150, 600])}ms"),
            (2.3, "epilog 5 whole"),
            (2.32, "prolog 6 whole"), (4.0, "epilog 6 whole")]


def _after_stall(rng):
    kind = rng.choice(["reset:package", "eio:package,for=900ms", "vanish:package,for=900ms"])
    return [(0.6, "prolog 8 whole"), (1.8, f"fault {kind}"), (2.0, "epilog 8 whole"), (2.02, "prolog 9 whole"),
            (3.5, "epilog 9 whole")]


def _readers(rng):
    steps = [(0.6, "prolog 10 part"), (0.9, f"read page {rng.choice([0.2, 0.7])}"),
             (1.8, f"read direct {rng.choice([0.2, 0.7])}")]
    return steps + [(2.8, rng.choice(["kill", "stop"])), (2.9, "start"), (3.1, "read page 0.4"),
                    (4.0, "epilog 10 part")]


def _late(rng):
    """Epilog and prolog come seconds late, or twice, or one of them never."""
    return rng.choice([[(0.6, "epilog 11 whole"), (0.9, "prolog 12 whole"), (1.5, "prolog 12 whole"),
                        (2.3, "epilog 12 whole"), (2.6, "epilog 12 whole")],
                       [(0.6, "prolog 13 whole"), (1.9, "prolog 14 whole"), (2.8, "epilog 14 whole"),
                        (3.4, "epilog 13 whole")]])


# ---- playing ----

def plan(s, p):
    steps = []
    for line in s.all("at"):
        t, what, *more = line.split()
        step = {"t": float(t), "do": what}
        if what in ("prolog", "epilog"):
            user = {"SLURM_JOB_USER": "bob", "SLURM_JOB_UID": "1001"} if int(more[0]) % 2 == 0 else {}
            step.update(do="hook", word="begin" if what == "prolog" else "end", name=more[0], whole=more[1] == "whole",
                        env=user)
        elif what in ("begin", "end"):
            step.update(name=more[0], words=[*WORDS[more[1]], "--record"] if what == "begin" else ["--format", "json"])
        elif what == "fault":
            step["text"] = more[0]
        elif what == "read":
            steps += [{"t": float(t), "do": "ask", "words": ["allow", str(USER)]}]
            step.update(user=USER if more[0] == "page" else 0,
                        words=["run", "--format", "json", *([] if more[0] == "page" else ["--sensor", "powercap"]),
                               "--", "sleep", more[1]])
        steps.append(step)
    steps += [{"t": steps[-1]["t"] + 0.3, "do": "ask", "words": ["jobs", "end", "--left"]}]
    return {"wattle": p.wattle, "wattled": p.wattled, "sim": p.sim, "folder": p.folder, "steps": steps,
            "conf": [f"checkpoint = {s.one('checkpoint', '60')}s"]}


def play(s, p):
    os.chmod(p.folder, 0o755)
    with open(p.path("plan.json"), "w", encoding="utf-8") as f:
        json.dump(plan(s, p), f)
    t0 = time.monotonic_ns()
    words = [word for value in s.all("power") for word in ("--power", value.replace(" ", "=", 1))]
    for value in s.all("sim"):
        words += value.split()
    done = p.run([p.sim, "run", "--t0", str(t0), *words, "--", sys.executable, os.path.join(HERE, "node_jobs.py"),
                  p.path("plan.json"),
                  p.path("played.json")], timeout=120)
    text = p.read("played.json")
    return {"t0": t0, "status": done.status, "err": done.err[-1500:], "played": json.loads(text) if text else None}


# ---- laws ----

class Truth:
    def __init__(self, s, o):
        self.powers = {value.split(" ", 1)[0]: Power(value.split(" ", 1)[1]) for value in s.all("power")}
        self.t0, self.offset = o["t0"], o["played"]["realtime_ns"]

    def energy_j(self, domain, from_ns, to_ns):
        """Of an instant of CLOCK_MONOTONIC to another."""
        return self.powers[domain].energy_j((from_ns - self.t0) * 1e-9,
                                            (to_ns - self.t0) * 1e-9) if to_ns > from_ns else 0.0

    def most_w(self, domain):
        return max(float(self.powers[domain].at(k * 0.01)) for k in range(800))

    def monotonic(self, realtime_ns):
        return realtime_ns - self.offset


def check(s, o):
    if o["played"] is None or o["status"] != 0:
        return [Violation("crash", "node", o["status"], 0, f"the node ended with {o['status']}: {o['err'][-300:]}")]
    truth, played = Truth(s, o), o["played"]
    found = _hooks(played) + _database(played)
    for record in played["records"]:
        found += _record(truth, played, record)
    for step in played["steps"]:
        if step["do"] == "end" and step["status"] == 0:
            found += _ended(truth, step)
        if step["do"] == "read":
            found += _read(truth, step)
    return found


def _hooks(played):
    """Prologs and epilogs end with 0 within a second or so; wattled starts; jobs have one record."""
    found, count = [], {}
    for step in played["steps"]:
        if step["do"] == "hook" and (step["status"] != 0 or step["out"]):
            found.append(Violation("refusal", "hook", step["status"], 0,
                                   f"{step['word']} --slurm ended with {step['status']}, said {step['out'][:80]}"))
        if step["do"] == "start" and step["status"] != 0:
            found.append(Violation("crash", "wattled", step["status"], 0,
                                   f"wattled does not start: {played['log'][-300:]}"))
    for record in played["records"]:
        if record["energy_j"] is not None:
            count[record["unit"], record["step"]] = count.get((record["unit"], record["step"]), 0) + 1
    for (unit, _), n in count.items():
        if n > 1:
            found.append(Violation("sum", "records of a job", n, 1, f"job {unit} has {n} records with an energy"))
    return found


def _window(truth, record):
    return truth.monotonic(record["begin_ns"]), truth.monotonic(record["end_ns"])


def _record(truth, played, record):
    """Its energy is that of the window it states, and the window is that of prolog and epilog."""
    found = []
    if record["energy_j"] is None or not record.get("begin_ns") or not record.get("end_ns"):
        return found
    begin, end = _window(truth, record)
    for channel in record.get("channels") or []:
        found += _energy(truth, channel, begin, end, f"record of {record['job_id']}")
    hooks = {h["word"]: h for h in played["steps"] if h["do"] == "hook" and h["name"] == record["job_id"]}
    if "end" in hooks and end > hooks["end"]["after_ns"] + HOOK_S * 1e9:
        found += _outlasts(truth, played, record, hooks["end"], end)
    return found


def _outlasts(truth, played, record, epilog, end):
    """A job that is charged until long after its epilog, while another one runs."""
    others = [h for h in played["steps"] if h["do"] == "hook" and h["word"] == "begin" and h["name"] != record["job_id"]
              and epilog["before_ns"] < h["after_ns"] < end]
    charged, true_j = record["charged_j"], sum(truth.energy_j(d, _window(truth, record)[0], epilog["after_ns"])
                                               for d in truth.powers)
    if not others or charged is None or charged <= 1.1 * true_j + 1:
        return []
    return [Violation("interval", "charged after the epilog", charged, true_j,
                      f"job {record['job_id']} used {true_j:.2f} J until its epilog and is charged {charged:.2f} J "
                      f"until {(end - epilog['after_ns']) / 1e9:.2f} s "
                      f"after it, while job {others[0]['name']} ran (lower bound {record['lower_bound']}, rule "
                      f"{record['rule']}, problem {record['problem']})")]


def _energy(truth, channel, begin, end, what, late=0, slack_s=0.02):
    """A channel between two instants, each known to so many ns. `slack_s`: the stamps of a record are of the clock of
    the day."""
    domain = channel["name"].split(":", 1)[1]
    if domain not in truth.powers or channel["energy_j"] is None:
        return []
    least = truth.energy_j(domain, begin + late, end - late)
    most = truth.energy_j(domain, begin - late, end + late)
    said, half, unknown = channel["energy_j"], channel["resolution_j"], channel["unknown_s"] or 0
    slack = slack_s * truth.most_w(domain)
    half = 0.01 * truth.most_w(domain) if half is None else half
    text = (f"{what}: {channel['name']}: {said:.4f} +- {half:.4f} J with {unknown:.3f} s unknown of "
            f"{(end - begin) / 1e9:.3f} s; "
            f"true are {least:.4f} to {most:.4f} J")
    if said > most + 3 * half + slack:
        return [Violation("interval", "channel energy_j too much", said, most, text)]
    if said < least - 3 * half - slack - unknown * truth.most_w(domain):
        return [Violation("unflagged", "channel energy_j too little", said, least, text)]
    return []


def _ended(truth, step):
    """What `wattle jobs end` prints: parts and total."""
    job, found = json.loads(step["out"])["jobs"][0], []
    for c in job["channels"]:
        parts = [c[key] for key in ("charged_j", "others_j", "idle_j", "unattributed_j")]
        if None not in parts and c["energy_j"] is not None and abs(sum(parts) - c["energy_j"]) > 2e-6:
            found.append(Violation("sum", "end parts", sum(parts), c["energy_j"],
                                   f"{job['id']}: {c['name']}: parts {sum(parts)} J of {c['energy_j']} J"))
    known = [c["energy_j"] for c in job["channels"] if c["in_total"] and c["energy_j"] is not None]
    total = job["total"]["energy_j"]
    if known and (total is None or abs(sum(known) - total) > 1e-5):
        found.append(Violation("sum", "end total", total, sum(known),
                               f"{job['id']}: total {total} J, its channels {sum(known)} J"))
    end = step["before_ns"] + (step["after_ns"] - step["before_ns"]) // 2
    begin, half = end - int(job["elapsed_s"] * 1e9), (step["after_ns"] - step["before_ns"]) // 2
    for c in job["channels"]:
        found += _energy(truth, c, begin, end, f"end of {job['id']}", half)
    return found


def _read(truth, step):
    """`wattle run` beside wattled."""
    way = "page" if step["user"] else "direct"
    if step["status"] != 0:
        return [Violation("refusal", f"read {way}", step["status"], 0,
                          f"wattle run ({way}) ended with {step['status']}: {step['err'][-200:]}")]
    run, found = printed.document(step["err"][step["err"].find("{"):]), []
    if run is None:
        return [Violation("crash", f"read {way}", step["err"][-200:], "a document",
                          f"wattle run --format json ({way}) printed no document")]
    for c in run["channels"]:
        if step["user"] == 0 or c["sensor"] == "powercap":
            found += _same_way(c, way)
    for c in run["channels"]:
        channel = {"name": c["name"], "energy_j": c["energy_j"], "resolution_j": c.get("resolution_interval_j"),
                   "unknown_s": c.get("unknown_s")}
        found += _energy(truth, channel, run["start_monotonic_ns"], run["end_monotonic_ns"], f"run ({way})",
                         slack_s=0.0003)
    return found


def _same_way(c, way):
    """A reader of the page is told as much as one of the sensors."""
    if c["energy_j"] is None and not c.get("unknown_s"):
        return [Violation("refusal", f"read {way} unknown", None, "an energy",
                          f"{c['name']} has no energy ({way}), and no time of it is unknown")]
    return []


def _database(played):
    """The database and all that is printed of it have the numbers of the records."""
    asked, found = played["asked"], []
    for name, answer in asked.items():
        if answer["status"] != 0:
            found.append(Violation("crash", f"jobs {name.split()[0]}", answer["status"], 0,
                                   f"wattle jobs {name} ended with {answer['status']}: {answer['err'][-200:]}"))
    if found:
        return found
    listed = json.loads(asked["list json"]["out"])["jobs"]
    best = {}
    for r in played["records"]:
        if r["step"] == "" and (r["energy_j"] is not None or r["unit"] not in best):
            if r["unit"] not in best or best[r["unit"]]["energy_j"] is None:  # the first with an energy counts
                best[r["unit"]] = r
    for job in listed:
        found += _listed(asked, job, best.get(job["unit"]))
    if len(listed) != len(best):
        found.append(Violation("sum", "listed jobs", len(listed), len(best),
                               f"{len(best)} jobs have records, {len(listed)} are listed"))
    known = [j["charged_j"] for j in listed if j["charged_j"] is not None]
    total = json.loads(asked["report json"]["out"])["total"]
    if abs((total["charged_j"] or 0) - sum(known)) > 1e-6 * sum(known) + 1e-6:
        found.append(Violation("sum", "report total", total["charged_j"], sum(known),
                               f"report says {total['charged_j']} J, the jobs have {sum(known)} J"))
    return found + printed.report(asked["report text"]["out"], total)


def _listed(asked, job, record):
    if record is None:
        return []
    found = []
    for key in ("charged_j", "resolution_j", "unknown_s", "rule", "state"):
        a, b = job.get(key), record.get(key)
        if not (a == b or a == (b or None) or (isinstance(a, float) and isinstance(b, (int, float))
                                               and abs(a - b) <= 1e-9 * abs(b) + 1e-9)):
            found.append(Violation("same-number", f"list {key}", job.get(key), record.get(key),
                                   f"job {job['job']}: {key} is {job.get(key)} in the list, "
                                   f"{record.get(key)} in its record"))
    row = next((r for r in csv.DictReader(io.StringIO(asked["list csv"]["out"])) if r["unit"] == job["unit"]), {})
    if row.get("charged_j") not in (None, "") and abs(float(row["charged_j"]) - (job["charged_j"] or 0)) > 1e-6:
        found.append(Violation("same-number", "list csv", row["charged_j"], job["charged_j"],
                               f"job {job['job']}: {row['charged_j']} J in CSV, {job['charged_j']} J in JSON"))
    found += printed.listed(asked["list text"]["out"], job)
    shown = {form: asked.get(f"show {form} {job['job']}", {}).get("out", "") for form in ("json", "text")}
    return found + printed.shown({"json": printed.document(shown["json"]), "text": shown["text"]})
