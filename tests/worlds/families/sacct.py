# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of Slurm's accounting in the database: what `wattle jobs import` believes of sacct's text, and that lists,
reports and sums of the database are sums of its rows, in every format.

    row JOBID|USER|ACCOUNT|BEGIN|ELAPSED|STATE|NNODES|CPUS|NODELIST|ENERGY   times in seconds after midnight
    record JSON                                                              a record of a node, from its spool
    columns raw|text                                                         ConsumedEnergyRaw or ConsumedEnergy
"""
import csv
import datetime
import io
import json
import os

import printed_jobs as printed
from laws import Violation

ENGINE = "virtual"
COST_S = 1.5
CHECK = 24
DAY = datetime.datetime(2026, 11, 3, tzinfo=datetime.timezone.utc)
NO_VALUE = "18446744073709551614"
UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
LIMIT_W = 18e3  # above it for a minute, an import has no energy (wattle-jobs-import(1))
LEAST_W, MOST_W = 2.0, 25e3  # per node, over minutes: nothing that runs Slurm draws less or more than this
HEADER = ("JobID|JobIDRaw|Cluster|User|UID|Account|Partition|Submit|Start|End|ElapsedRaw|State|ExitCode|NNodes|"
          "AllocCPUS|NodeList|{}|TotalCPU|JobName")


# ---- drawing ----

def draw(rng):
    """A day of jobs, each with something that has gone wrong elsewhere."""
    text = rng.random() < 0.5
    lines, number = [f"columns {'text' if text else 'raw'}", "setting " + rng.choice(["none", "none", "price"])], 100
    for _ in range(rng.choice([1, 2, 4, 12])):
        number += rng.choice([1, 1, 7])
        lines += [f"row {row}" for row in _job(rng, number, text)]
    for i in range(rng.choice([0, 0, 1, 3])):
        lines.append("record " + _record(rng, i))
    return lines


def _job(rng, number, text):
    nodes = rng.choice([1, 1, 2, 4, 96, 1000])
    begin, elapsed = rng.randrange(0, 80000), rng.choice([1, 60, 600, 600, 3601, 7200])
    who = rng.choice(["alice|physics", "alice|chem", "bob|physics", "carol|"])
    state = rng.choice(["COMPLETED"] * 6 + ["CANCELLED by 1000", "TIMEOUT", "FAILED", "NODE_FAIL", "REQUEUED",
                                            "RUNNING"])
    joules = _joules(rng, nodes, elapsed)
    first = rng.choice([1, 1, 1, 8])
    head = f"{who}|{begin}|{elapsed}|{state}"
    tail = f"{nodes}|{nodes * rng.choice([1, 64])}|{_list(nodes, first)}"
    job = rng.choice([f"{number}", f"{number}", f"{number}_{rng.randrange(9)}", f"{number}+1"])
    rows = [f"{job}|{head}|{tail}|{_write(rng, joules, text)}"]
    kind = rng.choice(["alone", "alone", "steps", "overlap", "twice"])
    if kind == "steps" and isinstance(joules, float):
        rows += [f"{job}.{step}|{head}|{tail}|{_write(rng, joules * part, text)}" for step,
                 part in (("batch", 0.5), ("0", rng.choice([0.3, 0.5, 1.5])))]
    if kind == "twice":
        later = begin + elapsed + 100
        rows.append(f"{job}|{who}|{later}|{elapsed}|COMPLETED|{tail}|{_write(rng, joules, text)}")
    return rows


def _list(nodes, first):
    return f"n{first}" if nodes == 1 else f"n[{first}-{first + nodes - 1}]"


def _joules(rng, nodes, elapsed):
    watts = rng.choice([90.5, 300.0, 300.0, 451.3, 0.25, 41e3, 150e3, None, None])
    if watts is None:
        return rng.choice(["", "0", NO_VALUE])
    return watts * nodes * elapsed


def _write(rng, joules, text):
    """As sacct writes it."""
    if isinstance(joules, str):
        return joules
    if not text:
        return f"{joules:.0f}"
    unit = rng.choice([u for u, size in UNITS.items() if joules >= size and (size == 1 or joules < 1e5 * size)] or [""])
    return f"{joules / UNITS[unit]:.2f}{unit}" if unit else f"{joules:.0f}"


def _record(rng, i):
    quality = rng.choice(["measured", "simulated", "estimated"])
    j = rng.choice([0, 5.25, 1234.5, 1e6])
    begin = int(DAY.timestamp() + rng.randrange(80000)) * 10**9
    more = rng.choice([{}, {"lower_bound": True, "unknown_s": 3.5}, {"resolution_j": 393.0}])
    return json.dumps({"schema": "wattle.job-record/1", "cluster": "c1", "unit": f"u{i}", "step": "",
                       "node": rng.choice(["n1", "n2"]),
                       "boot_id": "b", "kind": "job", "job_id": f"own{i}", "user": "alice", "account": "physics",
                       "name": "x",
                       "begin_ns": begin, "end_ns": begin + 600 * 10**9, "elapsed_ns": 600 * 10**9, "state": "ended",
                       "nodes": 1,
                       "energy_j": j, "charged_j": j, "rule": "exclusive", "quality": quality,
                       "simulated": quality == "simulated",
                       "version": "0.1", **more})


# ---- playing ----

def stamp(seconds):
    return (DAY + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


class Row:
    """One `row` line."""

    def __init__(self, text):
        self.job, self.user, self.account, begin, elapsed, self.state, *more = text.split("|")
        nodes, self.cpus, self.list, self.energy = more
        self.begin, self.elapsed, self.nodes = int(begin), int(elapsed), int(nodes)
        self.step = self.job.split(".", 1)[1] if "." in self.job else ""
        self.id = self.job.split(".", 1)[0]
        self.running = self.state == "RUNNING"

    def sacct(self):
        end = "Unknown" if self.running else stamp(self.begin + self.elapsed)
        return (f"{self.job}|{self.job}|c1|{self.user}|1000|{self.account}|p|{stamp(self.begin - 10)}|"
                f"{stamp(self.begin)}|{end}|{self.elapsed}|"
                f"{self.state}|0:0|{self.nodes}|{self.cpus}|{self.list}|{self.energy}|00:10:00|prog")

    def joules(self):
        """(J, half a unit of the last digit), or None: no value."""
        text = self.energy
        if text in ("", "0", NO_VALUE):
            return None
        unit = text[-1] if text[-1] in UNITS else ""
        digits = text[:-1] if unit else text
        fraction = len(digits.split(".")[1]) if "." in digits else 0
        return float(digits) * UNITS[unit], 0.5 * 10**-fraction * UNITS[unit]


def fnv(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


QUESTIONS = {"list": ["list"], "all": ["report", "--by", "all"], "user": ["report", "--by", "user"],
             "account": ["report", "--by", "account"],
             "node": ["report", "--by", "node"], "day": ["report", "--by", "day"], "energy": ["energy"], "top": ["top"]}


def play(s, p):
    """Import, send what nodes have, ask everything in three formats, anonymise, ask again."""
    url = "sqlite:" + p.path("jobs.db")
    env = {"TZ": "UTC"}
    name = "ConsumedEnergy" if s.one("columns") == "text" else "ConsumedEnergyRaw"
    with open(p.path("sacct.txt"), "w", encoding="utf-8") as f:
        f.write("\n".join([HEADER.format(name), *[Row(text).sacct() for text in s.all("row")]]) + "\n")
    o = {"init": p.run([p.wattle, "jobs", "init", "--database", url], env=env).status}
    imported = p.run([p.wattle, "jobs", "import", "--all", "--format", "json", "--database", url, "sacct.txt"], env=env)
    o["import"] = [imported.status, printed.document(imported.out), imported.err]
    again = p.run([p.wattle, "jobs", "import", "--format", "json", "--database", url, "sacct.txt"], env=env)
    o["import again"] = [again.status, printed.document(again.out), again.err]
    o["send"] = send(s, p, url, env)
    o["said"] = ask(p, url, env, QUESTIONS, ("json", "csv", "text"))
    o["shown"] = {job: ask(p, url, env, {"show": ["show", job]}, ("json", "text"))["show"]
                  for job in [j["job"] for j in (o["said"]["list"]["json"] or {"jobs": []})["jobs"]][:3]}
    o["anonymise"] = p.run([p.wattle, "jobs", "anonymise", "--yes", "--before", "2027-01-01", "--database", url], env=env).status
    o["anonymous"] = ask(p, url, env, {k: QUESTIONS[k] for k in ("all", "account", "node", "day")}, ("json",))
    return o


def send(s, p, url, env):
    if not s.all("record"):
        return [0, ""]
    spool = p.path("spool")
    os.makedirs(spool, 0o700)
    with open(os.path.join(spool, "current"), "w", encoding="utf-8") as f:
        f.writelines(f"{fnv(text)} {text}\n" for text in s.all("record"))
    done = p.run([p.wattle, "jobs", "send", "--database", url], env={**env, "WATTLE_JOBS_SPOOL": spool})
    return [done.status, done.err]


def ask(p, url, env, questions, formats):
    said = {}
    for name, words in questions.items():
        brief = name in ("list", "all", "show")  # the others share their printing
        period = [] if name == "show" else ["--from", "2026-11-01", "--to", "2026-12-01"]
        for form in formats if brief else formats[:1]:
            done = p.run([p.wattle, "jobs", *words, *period, "--database", url, "--format", form], env=env)
            value = {"json": printed.document, "csv": lambda t: list(csv.DictReader(io.StringIO(t))),
                     "text": str}[form](done.out)
            said.setdefault(name, {"status": done.status})[form] = value
            if done.status != 0:
                said[name]["err"] = done.err[-300:]
    return said


# ---- laws ----

def check(s, o):
    said = o["said"]
    for name, answer in said.items():
        if answer["status"] != 0 or answer["json"] is None:
            return [Violation("crash", f"jobs {name}", answer["status"], 0,
                              f"jobs {name} ended with {answer['status']}: {answer.get('err')}")]
    listed = said["list"]["json"]["jobs"]
    found = _import(s, o, listed) + _believed(s, o, listed) + _sums(said, listed) + _nodes(said, listed)
    found += _node_time(s, said, listed) + _mixed(s, said) + _formats(said, listed) + _texts(said, o)
    return found + _anonymous(said, o)


def runs(s):
    """Rows of each time that a job ran: {(id, begin): [row and its steps]}."""
    found = {}
    for row in (Row(text) for text in s.all("row")):
        found.setdefault((row.id, row.begin), []).append(row)
    return found


def expand(text):
    """Names of a list of nodes of these situations: "n8", "n[1-4]"."""
    if "[" not in text:
        return {text}
    first, last = text[2:-1].split("-")
    return {f"n{i}" for i in range(int(first), int(last) + 1)}


def is_shared(s, job):
    """Did another job run on one of its nodes at the same time, so that both have all of its energy?"""
    def end(row):
        return 10**9 if row.running else row.begin + row.elapsed
    others = [rows[0] for rows in runs(s).values() if not rows[0].step and rows[0].id != job.id]
    return any(min(end(o), end(job)) - max(o.begin, job.begin) > 1 and expand(o.list) & expand(job.list)
               for o in others)


def expected(s, rows):
    """What the rules of import make of a job: None (left out), or (J or None, half width, is a lower bound)."""
    job = rows[0]
    found = by_itself(rows)
    return (None, 0, False) if found and found[0] is not None and is_shared(s, job) else found


def by_itself(rows):
    """The same from its own rows."""
    job, steps = rows[0], rows[1:]
    if job.step or job.running:
        return None
    known = [r.joules() for r in steps if r.joules()]
    value = job.joules()
    if value is None:
        extern = [r.joules() for r in steps if r.step == "extern" and r.joules()]
        if known:
            return (*max(extern or known), not extern)
        return (None, 0, False)
    if len(known) > 1 and abs(sum(k[0] for k in known) - value[0]) <= 3 + 0.002 * value[0]:
        return (None, 0, False)
    watts = value[0] / max(job.elapsed, 1) / job.nodes
    if job.elapsed >= 60 and not LEAST_W <= watts <= LIMIT_W:
        return (None, 0, False)
    if watts > 1e5 or any(k[0] - k[1] > value[0] + value[1] for k in known):
        return (None, 0, False)
    return (*value, "NODE_FAIL" in job.state)


def is_vague(rows):
    """Are its steps together nearly the job, so that it may or may not be their sum?"""
    known, value = [r.joules()[0] for r in rows[1:] if r.joules()], rows[0].joules()
    if len(known) > 1 and rows[0].elapsed < 10:  # in whole seconds: one may have run after the other
        return True
    return value and len(known) > 1 and 0.001 * value[0] < abs(sum(known) - value[0]) <= 0.15 * value[0]


def _import(s, o, listed):
    status, document, err = o["import"]
    if status != 0 or document is None:
        return [Violation("crash", "jobs import", status, 0, f"jobs import ended with {status}: {err[-300:]}")]
    found, again = [], o["import again"][1]
    if again and again["added"]:
        found.append(Violation("same-number", "import again", again["added"], 0,
                               f"a second import of the same text adds {again['added']} jobs"))
    if o["send"][0] != 0:
        found.append(Violation("refusal", "jobs send", o["send"], 0, f"jobs send ended with {o['send']}"))
    count = sum(1 for rows in runs(s).values() if expected(s, rows) is not None)
    mine = [j for j in listed if j["kind"] == "slurm"]
    if len(mine) != count:
        found.append(Violation("sum", "listed jobs", len(mine), count,
                               f"{count} jobs have ended, {len(mine)} are listed"))
    return found


def _of(listed, row):
    begin_s = DAY.timestamp() + row.begin
    return next((j for j in listed if j["job"] == row.id and abs((j["begin_s"] or 0) - begin_s) < 1), None)


def _believed(s, o, listed):
    found = []
    doubted = json.dumps((o["import"][1] or {}).get("doubted", []))
    for rows in runs(s).values():
        job, want = _of(listed, rows[0]), expected(s, rows)
        if want is None or job is None or is_vague(rows):
            continue
        joules, half, lower = want
        said = job["charged_j"]
        about = f"job {rows[0].id}, \"{rows[0].energy}\" J on {rows[0].nodes} nodes in {rows[0].elapsed} s"
        if (said is None) != (joules is None) or (said is not None and abs(said - joules) > 1e-6 * joules + 0.001):
            found.append(Violation("interval", "imported charged_j", said, joules,
                                   f"{about}: listed with {said} J, by the rules {joules} J"))
        elif said is not None:
            found += _plain(job, rows[0], half, lower, about, doubted)
    return found


def _plain(job, row, half, lower, about, doubted):
    found, watts = [], job["charged_j"] / max(row.elapsed, 1) / row.nodes
    if job["lower_bound"] != lower:
        found.append(Violation("unflagged", "imported lower_bound", job["lower_bound"], lower,
                               f"{about}: lower bound is {job['lower_bound']}"))
    if half > 0.5 and (job["resolution_j"] or 0) < 0.99 * half:
        found.append(Violation("estimate", "imported resolution_j", job["resolution_j"], half,
                               f"{about} is known to {half} J, listed with {job['resolution_j']}"))
    if row.elapsed >= 60 and not LEAST_W <= watts <= MOST_W and row.id not in doubted:
        found.append(Violation("refusal", "implausible " + ("much" if watts > MOST_W else "little"),
                               f"{watts:.4g} W per node", "doubted",
                               f"{about}: {watts:.4g} W per node for {row.elapsed} s are believed without a word"))
    return found


def close(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-9 * max(abs(a), abs(b)) + 1e-6)


KINDS = ("measured", "estimated", "simulated")


def kinds_of(listed):
    """Joules of each kind: they are never added."""
    found = dict.fromkeys(KINDS, 0.0)
    for j in listed:
        kind = "estimated" if j["quality"] == "estimated" else "simulated" if j["simulated"] else "measured"
        found[kind] += j["charged_j"] or 0
    return found


def sum_of(listed):
    """The sum of jobs of one kind; None if none is known, or they are of several kinds."""
    known = [j["charged_j"] for j in listed if j["charged_j"] is not None]
    return sum(known) if known and sum(j > 0 for j in kinds_of(listed).values()) < 2 else None


def _sums(said, listed):
    """Reports add up to the jobs, and their rows to the total."""
    found = []
    known = [j["charged_j"] for j in listed if j["charged_j"] is not None]
    want, kinds = sum_of(listed), kinds_of(listed)
    for name in ("all", "user", "account", "node", "day"):
        report = said[name]["json"]
        total, rows = report["total"], report["rows"]
        if not close(total["charged_j"], want):
            found.append(Violation("sum", f"report by {name} charged_j", total["charged_j"], want,
                                   f"report --by {name}: {total['charged_j']} J in all, the jobs have {want} J"))
        mixed = want is None and known
        for kind in KINDS if mixed else ():
            both = (total[f"{kind}_j"] or 0, sum(r[f"{kind}_j"] or 0 for r in rows))
            if not close(both[0], kinds[kind]) or name != "all" and not close(both[1], kinds[kind]):
                found.append(Violation("sum", f"report by {name} {kind}_j", both, kinds[kind],
                                       f"report --by {name}: {kind} are {both} J, the jobs have {kinds[kind]} J"))
        parts = [r["charged_j"] for r in rows if r["charged_j"] is not None]
        if rows and name != "all" and not mixed and not close(sum(parts) if parts else None, total["charged_j"]):
            found.append(Violation("sum", f"report by {name} rows", sum(parts), total["charged_j"],
                                   f"report --by {name}: rows are {sum(parts)} J"))
        for key, value in (("jobs", len(listed)), ("jobs_unknown", len(listed) - len(known))):
            if total[key] != value:
                found.append(Violation("sum", f"report by {name} {key}", total[key], value,
                                       f"report --by {name}: {key} is {total[key]}, not {value}"))
        if total["charged_j"] is not None and not close(total["kwh"], total["charged_j"] / 3.6e6):
            found.append(Violation("same-number", "kwh", total["kwh"], total["charged_j"] / 3.6e6,
                                   f"{total['kwh']} kWh are not {total['charged_j']} J"))
    return found


def _nodes(said, listed):
    """`energy` over all of the time has the jobs' energies."""
    value, want = said["energy"]["json"]["total"]["charged_j"], sum_of(listed)
    if close(value, want):
        return []
    return [Violation("sum", "energy total", value, want, f"energy says {value} J, the jobs have {want} J")]


def _node_time(s, said, listed):
    """Node hours: of each job its time on each of its nodes."""
    want = sum(rows[0].elapsed * rows[0].nodes for rows in runs(s).values() if _of(listed, rows[0]))
    want += sum(j["elapsed_s"] or 0 for j in listed if j["kind"] != "slurm")
    found = []
    for name in ("all", "user", "account", "day"):
        value = said[name]["json"]["total"]["node_s"]
        if value is not None and abs(value - want) > 1e-6 * want + 1:
            found.append(Violation("sum", f"report by {name} node_s", value, want,
                                   f"report --by {name}: {value / 3600:.4f} node hours; time x nodes of the jobs are "
                                   f"{want / 3600:.4f}"))
    for rows in runs(s).values():
        job = _of(listed, rows[0])
        if job and job["nodes"] != rows[0].nodes:
            found.append(Violation("same-number", "imported nodes", job["nodes"], rows[0].nodes,
                                   f"job {rows[0].id} had {rows[0].nodes} nodes, "
                                   f"listed are {job['nodes']}"))
    return found


def _mixed(s, said):
    """Joules of different kinds: they have no sum, and what there is says so, in every format."""
    kinds = {json.loads(text)["quality"] for text in s.all("record") if json.loads(text)["charged_j"]}
    if any(j["kind"] == "slurm" and j["charged_j"] for j in said["list"]["json"]["jobs"]):
        kinds.add("measured")
    found = []
    for kind in kinds & {"simulated", "estimated"}:
        total = said["all"]["json"]["total"]
        if not total[kind]:
            found.append(Violation("estimate", f"report {kind}", total[kind], True,
                                   f"a sum with {kind} joules does not say so: {total}"))
        if kind[:7] not in said["all"]["text"]:
            found.append(Violation("estimate", f"report text {kind}", said["all"]["text"], kind,
                                   f"the report's text adds {kind} joules without a word"))
        if len(kinds) > 1 and total["charged_j"] is not None:
            found.append(Violation("estimate", "report adds kinds", sorted(kinds), "apart",
                                   f"joules that are {' and '.join(sorted(kinds))} are added: "
                                   f"{total['charged_j']} J"))
    return found


def _formats(said, listed):
    """CSV has the numbers of JSON."""
    found = []
    for row, job in zip(said["list"]["csv"], listed):
        for key in ("charged_j", "resolution_j", "nodes", "elapsed_s", "unknown_s", "cpu_s"):
            cell = row.get(key)
            value = float(cell) if cell else None
            if cell is not None and not close(value, job[key]):
                found.append(Violation("same-number", f"list csv {key}", value, job[key],
                                       f"job {job['job']}: {key} is {value} in CSV, {job[key]} in JSON"))
    return found


def _texts(said, o):
    found = printed.report(said["all"]["text"], said["all"]["json"]["total"])
    for job in said["list"]["json"]["jobs"][:30]:
        found += printed.listed(said["list"]["text"], job)
    for shown in o["shown"].values():
        found += printed.shown(shown)
    return found


def _anonymous(said, o):
    found = []
    for name, answer in o["anonymous"].items():
        before, after = said[name]["json"], answer["json"]
        if o["anonymise"] == 0 and before["total"] != after["total"]:
            found.append(Violation("sum", "anonymise", after["total"], before["total"],
                                   f"report --by {name} has another total after anonymise"))
        if o["anonymise"] == 0 and before["rows"] != after["rows"]:
            found.append(Violation("sum", "anonymise rows", after["rows"], before["rows"],
                                   f"report --by {name} has other rows after anonymise"))
    return found
