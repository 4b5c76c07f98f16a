# SPDX-License-Identifier: BSD-3-Clause
"""What must hold of every number that wattle prints, and how a breach is written down."""
import dataclasses
import math

LAWS = {
    "interval": "a known energy lies within its interval, and never further off than three half widths",
    "reads": "an energy is not further off than two plain reads of the same counter at the borders may be",
    "coverage": "95 of 100 intervals hold the true value",
    "bias": "errors of many situations of one kind have no common sign",
    "spread": "errors of many situations of one kind are no larger than their intervals say",
    "steady": "of steady power an energy is right to a small part of an update: what is split at a border is split well",
    "unflagged": "no energy is lost or doubtful without unknown time and a flag",
    "known": "what a counter can tell is told: no unknown time, and no interval of half the energy, without a cause",
    "sum": "parts, idle and unattributed energy add up to the counter; a total is the sum of its channels",
    "same-number": "a number printed in two places is the same number",
    "order": "a mean lies between min and max, and both are possible for the stated window",
    "bound": "no bound lies beyond the total or what is physically possible",
    "estimate": "an estimate carries its interval and its quality wherever it is printed",
    "separable": "what cannot be told apart has no number",
    "repeat": "the interval of repeats is never narrower than that of one run",
    "restored": "the settings of the machine are afterwards as they were before",
    "refusal": "what cannot be answered is refused, and what is said is true",
    "crash": "no program dies of a signal, hangs or trips a sanitizer",
}


@dataclasses.dataclass(frozen=True)
class Violation:
    """One breach of a law. `where` names the place without numbers, so that it is the same in every play."""
    law: str
    where: str
    said: object
    truth: object
    text: str

    def __post_init__(self):
        if self.law not in LAWS:
            raise ValueError(f"unknown law \"{self.law}\"; laws are {', '.join(LAWS)}")

    def signature(self, family):
        return f"{family}/{self.law}/{self.where}".replace(" ", "-")


def within(truth, value, half_width, widths=3.0, slack=0.0):
    """Whether a truth lies within so many half widths of a value; `slack` is what the truth itself is uncertain by."""
    return abs(truth - value) <= widths * half_width + slack


def coverage_floor(n, share=0.95, chance=1e-4):
    """The least number of hits in n trials that a method with this coverage misses with less than this chance."""
    tail, k = 0.0, 0
    log_p, log_q = math.log(share), math.log1p(-share)
    while k <= n:
        tail += math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * log_p + (n - k) * log_q)
        if tail > chance:
            return k
        k += 1
    return n


def too_few(hits, n, where, share=0.95, chance=1e-4):
    """A list with one violation of "coverage" if so few intervals held the truth; else an empty list."""
    floor = coverage_floor(n, share, chance)
    if hits >= floor:
        return []
    return [Violation("coverage", where, f"{hits} of {n}", f"at least {floor} of {n}",
                      f"{hits} of {n} intervals hold the true value; a method of {100 * share:.0f} % has at least {floor}")]


def too_one_sided(errors, where, floor=0.15, chance_sd=5.0, least=20):
    """A list with one violation of "bias" if errors, in half widths of their intervals, have a common sign: their mean is
    beyond `floor` and beyond so many of its own standard errors."""
    n = len(errors)
    if n < least:
        return []
    mean = sum(errors) / n
    error = math.sqrt(sum((e - mean) ** 2 for e in errors) / (n - 1) / n)
    if abs(mean) <= max(floor, chance_sd * error):
        return []
    return [Violation("bias", where, mean, 0, f"errors of {n} energies are {mean:+.3g} +- {error:.2g} half widths in the mean")]


def too_spread(errors, where, least=20):
    """A list with one violation of "spread" if the rms of such errors is beyond that of uniform ones within the intervals,
    which are wider than normal ones."""
    n = len(errors)
    if n < least:
        return []
    rms, most = math.sqrt(sum(e * e for e in errors) / n), 0.62 * (1 + 3 / math.sqrt(n))
    if rms <= most:
        return []
    return [Violation("spread", where, rms, most, f"errors of {n} energies have an rms of {rms:.3g} half widths, 0.51 is what "
                                                  f"intervals of 95 % mean")]
