# SPDX-License-Identifier: BSD-3-Clause
"""Known violations: wrong numbers that were found and are not mended yet (known.txt).

A row is "SIGNATURE SEEDS SENTENCE": the signature is FAMILY/LAW/WHERE, where * stands for any text; the seeds (1,5,9, or
* for laws over many situations) are those of the fixed set that show it. A violation of a virtual situation is known only
with its seed; in real time a seed may show it today and not tomorrow, so there the signature decides."""
import dataclasses
import os
import re

from situation import WrongInput

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.txt")


@dataclasses.dataclass
class Row:
    pattern: str
    seeds: str
    sentence: str
    seen: bool = False

    def covers(self, signature, seed, exact):
        if not re.fullmatch(".*".join(map(re.escape, self.pattern.split("*"))), signature):
            return False
        return not exact or self.seeds == "*" or str(seed) in self.seeds.split(",")


class Known:
    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def load(cls, path=FILE):
        rows = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for number, line in enumerate(f, 1):
                    words = line.split(None, 2)
                    if not words or words[0].startswith("#"):
                        continue
                    if len(words) < 3:
                        raise WrongInput(f"{path}, line {number}: a row is SIGNATURE SEEDS SENTENCE")
                    rows.append(Row(words[0], words[1], words[2].strip()))
        return cls(rows)

    def find(self, signature, seed, exact):
        """The row that covers it, marked as seen, or None."""
        for row in self.rows:
            if row.covers(signature, seed, exact):
                row.seen = True
                return row
        return None
