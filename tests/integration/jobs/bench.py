# SPDX-License-Identifier: BSD-3-Clause
"""wattle jobs with a spool and a home of its own, and the lines of a test."""
import json
import os
import pathlib
import subprocess

import postgres

BUILD = pathlib.Path(os.environ["BUILD"])
WATTLE = os.environ["WATTLE"]
MADE = BUILD / "tests/integration/jobs/jobs_made_records"


class Tap:
    """Prints a line for each thing that is checked."""
    def __init__(self):
        self.count = self.failed = 0

    def __call__(self, holds, what):
        self.count += 1
        self.failed += not holds
        print(f"{'' if holds else 'not '}ok {self.count} - {what}", flush=True)
        return holds

    def end(self):
        """The exit status."""
        print(f"1..{self.count}")
        return self.failed > 0


ok = Tap()


class Bench:
    """A node: its spool, its home, and the password of postgres.py."""
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.spool = self.folder / "spool"
        self.env = {**os.environ, "WATTLE_JOBS_SPOOL": str(self.spool), "HOME": str(self.folder), "TZ": "UTC",
                    "PGPASSFILE": str(self.folder / "pgpass"), "WATTLE_SLURM_CLUSTER": "c0"}
        (self.folder / "pgpass").write_text(f"*:*:*:*:{postgres.PASSWORD}\n")
        os.chmod(self.folder / "pgpass", 0o600)

    def wattle(self, *arguments, status=0):
        run = subprocess.run([WATTLE, "jobs", *map(str, arguments)], capture_output=True, text=True, env=self.env,
                             check=False, timeout=600)
        if status is not None and run.returncode != status:
            print(f"# wattle jobs {' '.join(map(str, arguments))}: {run.returncode}\n# {run.stdout[:500]}\n# {run.stderr}")
            ok(False, f"wattle jobs {arguments[0]}: exit status {status}")
        return run

    def json(self, *arguments):
        return json.loads(self.wattle(*arguments, "--format", "json").stdout)

    def made(self, *arguments):
        return subprocess.run([MADE, self.spool, *map(str, arguments)], capture_output=True, text=True, check=True,
                              timeout=120).stdout.strip()
