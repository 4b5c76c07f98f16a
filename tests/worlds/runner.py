# SPDX-License-Identifier: BSD-3-Clause
"""Draws, plays and checks situations, many at a time, and reports what breaks a law."""
import concurrent.futures
import ctypes
import importlib
import json
import multiprocessing
import os
import pkgutil
import random
import signal
import sys
import tempfile
import time
import traceback
from concurrent.futures.process import BrokenProcessPool

from known import Known
from laws import Violation
from play import Folder, Play, end_by_signal, kill_all_of
from situation import BadSituation, Situation, WrongInput

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
FIXED_SEEDS = {"virtual": 40, "real": 10}  # of a family that does not say how many (CHECK)
DEADLY = {4, 6, 7, 8, 11}  # SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV: no busy machine sends them
PLAYS = 3  # a violation in real time counts if it is there in each of so many plays
families_loaded = {}


def load_families():
    """All modules of families/, by name."""
    if not families_loaded:
        import families  # pylint: disable=import-outside-toplevel
        for module in pkgutil.iter_modules(families.__path__):
            if not module.name.startswith("_"):
                families_loaded[module.name] = importlib.import_module(f"families.{module.name}")
    return families_loaded


def fixed_seeds(name):
    """How many seeds of a family "worlds check" plays."""
    family = load_families()[name]
    return getattr(family, "CHECK", FIXED_SEEDS[family.ENGINE])


def seeds_of_part(count, part):
    """How many of the fixed seeds are played: at least one, if any."""
    return max(1, round(count * part)) if part and count else 0


def draw(name, seed):
    """The situation of this family and seed."""
    family = load_families()[name]
    rng = random.Random(f"{name}:{seed}")
    return Situation.of_lines(name, [f"engine {family.ENGINE}", *family.draw(rng)], name=f"{name}:{seed}")


def play_once(situation, build, folder):
    """(observation, violations, commands) of one play in an empty folder."""
    family = load_families()[situation.family]
    play = Play(build, folder, SOURCE)
    observation = family.play(situation, play)
    return observation, list(family.check(situation, observation)), play.commands


def play_in_temporary_folder(situation, build):
    with Folder(situation.family) as folder:
        return play_once(situation, build, folder)


def certain(violation):
    """Whether one play proves it: a program died of its own fault."""
    said = violation.said
    return violation.law == "crash" and type(said) is int and (-said in DEADLY or said - 128 in DEADLY)


def judge(situation, build, plays, known=Known([])):
    """(observation, violations): in real time those that every play shows, and those that need no proof:
    known ones, and crashes."""
    observation, violations, _ = play_in_temporary_folder(situation, build)
    if load_families()[situation.family].ENGINE != "real":
        return observation, violations
    old = [v for v in violations if known.find(v.signature(situation.family), None, False)]
    new = [v for v in violations if v not in old]
    for _ in range(plays - 1):
        if all(certain(v) for v in new):
            break
        _, again, _ = play_in_temporary_folder(situation, build)
        signatures = {v.signature(situation.family) for v in again}
        new = [v for v in new if certain(v) or v.signature(situation.family) in signatures]
    return observation, old + new


def work(job):
    """One job of the pool: [(name, seed or None, situation text)], all of one family. Returns rows for the report."""
    build, plays, known, items = job
    rows = []
    for name, seed, text in items:
        try:
            situation = Situation.parse(text, f"{name}:{seed}") if text else draw(name, seed)
            observation, violations = judge(situation, build, plays, known)
            rows.append((name, seed, situation, observation, violations, None))
        except Exception:  # a family that fails is reported like a violation
            rows.append((name, seed, None, None, [], traceback.format_exc()))
    return rows


def work_in_pool(job):
    """The same in a process of the pool, which ends with its play if it is told to end."""
    try:
        return work(job)
    except (SystemExit, KeyboardInterrupt):
        os._exit(143)


def begin_in_pool(parent):
    """A process of the pool ends with its parent, even if that is killed, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end_by_signal)
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(143)


class Report:
    """Counts, and prints what is new as soon as it is known."""

    def __init__(self, known, failed):
        self.known, self.failed = known, failed
        self.plays, self.new, self.old, self.broken = {}, [], [], 0
        self.pairs = {}
        self.found = []

    def add(self, rows):
        for name, seed, situation, observation, violations, broken in rows:
            self.plays[name] = self.plays.get(name, 0) + 1
            if broken:
                self.broken += 1
                print(f"BROKEN {name}:{seed}\n{broken}", flush=True)
                continue
            if hasattr(load_families()[name], "batch"):
                self.pairs.setdefault(name, []).append((situation, observation))
            self.violations(name, seed, situation, violations)

    def violations(self, name, seed, situation, violations):
        exact = load_families()[name].ENGINE != "real"
        for violation in violations:
            signature = violation.signature(name)
            self.found.append((signature, str(seed), " ".join(violation.text.split())))
            row = self.known.find(signature, seed, exact)
            (self.old if row else self.new).append((signature, seed, violation))
            if not row:
                print(f"VIOLATION {signature}  seed {seed}\n    {violation.text}", flush=True)
        if situation is not None and any(not self.known.find(v.signature(name), seed, exact) for v in violations):
            self.keep(name, seed, situation, violations)

    def keep(self, name, seed, situation, violations):
        """Writes a situation that breaks a law into the folder of those that failed."""
        try:
            os.makedirs(self.failed, exist_ok=True)
            with open(os.path.join(self.failed, f"{name}-{seed}.world"), "w", encoding="utf-8") as f:
                f.write("".join(f"# {v.law}: {v.text}\n".replace("\n", " ").strip() + "\n" for v in violations))
                f.write(situation.text())
        except OSError as error:
            print(f"worlds: {name}:{seed} is not kept: {error}", file=sys.stderr)

    def batches(self):
        for name, pairs in sorted(self.pairs.items()):
            self.violations(name, "*", None, load_families()[name].batch(pairs))

    def close(self, seconds):
        for name in sorted(self.plays):
            mine = [s for s, _, _ in self.new if s.startswith(name + "/")]
            old = [s for s, _, _ in self.old if s.startswith(name + "/")]
            print(f"{name:16} {self.plays[name]:6} situations  {len(set(old)):3} known  {len(set(mine)):3} new")
        print(f"{sum(self.plays.values())} situations in {seconds:.0f} s: "
              f"{len({s for s, _, _ in self.new})} new violations, {len({s for s, _, _ in self.old})} known, "
              f"{self.broken} broken", flush=True)
        return 1 if self.new or self.broken else 0


class Runner:
    def __init__(self, asked, families):
        self.asked, self.families = asked, families
        self.build = os.path.abspath(asked.build)
        self.failed = asked.failed or os.path.join(self.build, "tests", "worlds", "failed")
        self.jobs = asked.jobs or 4 * len(os.sched_getaffinity(0))
        self.plays = 1 if asked.once else PLAYS
        self.known = Known([]) if asked.plain else Known.load()

    def cannot_run(self, names):
        """Why nothing can be played here, or None; virtual families need no simulated node."""
        engines = {getattr(self.families.get(name.partition(":")[0]), "ENGINE", "real") for name in names}
        with Folder("first") as folder:
            play = Play(self.build, folder, SOURCE)
            if not os.path.exists(play.wattle):
                raise WrongInput(f"no wattle in {self.build}; build it, or name the build folder with --build")
            if engines == {"virtual"}:
                return None
            if not os.path.exists(play.sim):
                return "wattle-sim was not built (libfuse3 was missing)"
            done = play.run([play.sim, "run", "--", "true"], timeout=30)
        if done.status != 0:
            return f"the simulated node does not run here: {done.err.strip() or f'status {done.status}'}"
        return None

    def has_page(self):
        """Whether this wattle was built with the HTML page of its report, without which some families cannot ask."""
        trace = os.path.join(SOURCE, "tests", "traces", "good", "version-1.0.wtl")
        with tempfile.TemporaryDirectory(prefix="worlds-page.") as folder:
            play = Play(self.build, folder, SOURCE)
            done = play.run([play.wattle, "report", "-o", "page.html", trace])
        return "built without the HTML page" not in done.err

    def chosen(self, names):
        for name in names:
            if name not in self.families:
                raise WrongInput(f"unknown family \"{name}\"; families are {', '.join(sorted(self.families))}")
        chosen = names or sorted(self.families)
        without = [] if self.has_page() else [n for n in chosen if getattr(self.families[n], "NEEDS_PAGE", False)]
        if without:
            print(f"left out: {', '.join(without)} (this wattle was built without the HTML page)", flush=True)
        return [n for n in chosen if n not in without]

    def situation(self, word):
        """The situation of a file, or of FAMILY:SEED."""
        if os.path.exists(word):
            return self.of_file(word, word)
        name, _, seed = word.partition(":")
        if name not in self.families or not seed:
            raise WrongInput(f"\"{word}\" is neither a file nor FAMILY:SEED; families are "
                             f"{', '.join(sorted(self.families))}")
        return draw(name, seed)

    def of_file(self, path, name):
        """The situation in a file, of a family that exists."""
        with open(path, encoding="utf-8") as f:
            situation = Situation.parse(f.read(), name)
        if situation.family not in self.families:
            raise BadSituation(f"{name}: unknown family \"{situation.family}\"")
        return situation

    def batches_of_work(self, items):
        """Jobs for the pool: virtual situations in chunks, the slowest first."""
        jobs = []
        for name in dict.fromkeys(item[0] for item in items):
            mine = [item for item in items if item[0] == name]
            cost = self.families[name].COST_S
            size = max(1, min(50, int(1.0 / cost))) if cost < 0.5 else 1
            jobs += [(cost * size, (self.build, self.plays, self.known, mine[i:i + size]))
                     for i in range(0, len(mine), size)]
        return [job for _, job in sorted(jobs, key=lambda j: -j[0])]

    def play_all(self, jobs, report, deadline=None):
        """Feeds the pool from an iterable of jobs until it ends or the deadline has passed."""
        pending = set()
        jobs = iter(jobs)
        pool = concurrent.futures.ProcessPoolExecutor(self.jobs, initializer=begin_in_pool, initargs=(os.getpid(),))
        try:
            more = True
            while more or pending:
                while more and len(pending) < 2 * self.jobs and (deadline is None or time.monotonic() < deadline):
                    job = next(jobs, None)
                    if job is None:
                        more = False
                        break
                    pending.add(pool.submit(work_in_pool, job))
                if deadline is not None and time.monotonic() >= deadline:
                    more = False
                done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    report.add(future.result())
        except BrokenProcessPool:
            report.broken += 1
            self.end_pool(pool)
            print("BROKEN a process of the pool was killed; the situations that were not played yet are left out",
                  flush=True)
        except BaseException:
            print(f"interrupted after {sum(report.plays.values())} situations with {len(report.new)} new violations",
                  flush=True)
            self.end_pool(pool)
            raise
        pool.shutdown()

    @staticmethod
    def end_pool(pool):
        """Ends the processes of the pool, with what they play."""
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        for child in multiprocessing.active_children():
            child.join(10)

    def check(self, names):
        """The fixed seeds and the kept situations."""
        chosen = self.chosen(names)
        items = [(name, seed, None) for name in chosen
                 for seed in range(1, seeds_of_part(fixed_seeds(name), self.asked.part) + 1)]
        for file in sorted(os.listdir(os.path.join(HERE, "kept"))):
            if file.endswith(".world"):
                situation = self.of_file(os.path.join(HERE, "kept", file), f"kept/{file}")
                if situation.family in chosen:
                    items.append((situation.family, file[:-len(".world")], situation.text()))
        serial = [i for i in items if getattr(self.families[i[0]], "SERIAL", False)]
        report, start = Report(self.known, self.failed), time.monotonic()
        self.play_all(self.batches_of_work([i for i in items if i not in serial]), report)
        for job in self.batches_of_work(serial):
            report.add(work(job))
        return self.end(report, start)

    def fresh(self, names):
        """Other seeds each time, unless --seed says where to begin."""
        chosen = self.chosen(names)
        seed = self.asked.seed if self.asked.seed is not None else random.SystemRandom().randrange(10**6, 10**9)
        print(f"first seed {seed}", flush=True)
        report, start = Report(self.known, self.failed), time.monotonic()
        if self.asked.each is not None:
            items = [(name, seed + i, None) for name in chosen for i in range(self.asked.each)]
            self.play_all(self.batches_of_work(items), report)
        else:
            seconds = 180 if self.asked.seconds is None else self.asked.seconds
            self.play_all(self.endless(chosen, seed), report, start + seconds)
        return self.end(report, start)

    def endless(self, chosen, seed):
        """A job of each family in turn, each about as long as the others."""
        while True:
            for name in chosen:
                size = max(1, min(50, int(2.0 / self.families[name].COST_S)))
                yield self.build, self.plays, self.known, [(name, seed + i, None) for i in range(size)]
            seed += 50

    def end(self, report, start):
        report.batches()
        if not report.plays:
            print("worlds: no situation was played", file=sys.stderr)
            return 77
        if self.asked.found:
            with open(self.asked.found, "w", encoding="utf-8") as f:
                f.writelines(f"{signature} {seed} {text}\n" for signature, seed, text in sorted(report.found))
        if not self.asked.names and self.asked.verb == "check":
            for row in report.known.rows:
                family = self.families.get(row.pattern.partition("/")[0])
                if not row.seen and getattr(family, "ENGINE", None) != "real":  # which shows it today and not tomorrow
                    print(f"not seen: {row.pattern} ({row.sentence}); if it is mended, remove its row from known.txt")
        return report.close(time.monotonic() - start)

    def replay(self, names):
        status = 0
        for word in names:
            situation = self.situation(word)
            folder = self.asked.folder or tempfile.mkdtemp(prefix="worlds-replay.")
            os.makedirs(folder, exist_ok=True)
            try:
                observation, violations, commands = play_once(situation, self.build, os.path.abspath(folder))
            finally:
                kill_all_of(os.path.abspath(folder))
            print(situation.text())
            for argv in commands:
                print("$", " ".join(argv))
            print(json.dumps(observation, indent=1, default=str)[:4000])
            for violation in violations:
                status = 1
                print(f"VIOLATION {violation.signature(situation.family)}\n    {violation.text}")
            print(f"files: {folder}")
        return status

    def show(self, names):
        for word in names:
            print(self.situation(word).text(), end="")
        return 0


__all__ = ["Runner", "Report", "Violation", "load_families", "draw", "judge", "play_once"]
if __name__ == "__main__":
    sys.exit("run tests/worlds/worlds")
