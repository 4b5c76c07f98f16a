#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Goal P1 beside a peer that shares no code with wattle: PELT (Killick, Fearnhead, Eckley 2012) in a page of numpy, its penalty
inflated by the long-run variance of the noise, on the rows that "bench_phases rows" prints.

  bench_phases_peer.py BENCH_PHASES [WORLDS]      30 worlds per cell

The autocorrelation is estimated from differences, which the phases do not spoil: of AR(1) noise those over two rows have
1 + phi times the variance of those over one. The factor of the penalty that is best for all cells is chosen here, knowing the truth:
it is what the peer could reach at best, not what a user would get."""
import subprocess
import sys

import numpy as np

FACTORS = (0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2)
MIN_ROWS = 3


def prepare(x):
    """Columns with noise of variance 1, and how much larger the variance of their means is than that of white noise."""
    one, two = (np.median((x[k:] - x[:-k]) ** 2, axis=0) / 0.455 for k in (1, 2))
    phi = float(np.clip(np.mean(two / one - 1), 0, 0.95))
    return x / np.sqrt(one / 2 / (1 - phi)), (1 + phi) / (1 - phi)


def pelt(x, penalty):
    """First rows of the phases after the first one."""
    n = len(x)
    sums = np.vstack([np.zeros(x.shape[1]), np.cumsum(x, axis=0)])
    least, origin, open_rows = np.full(n + 1, np.inf), np.zeros(n + 1, int), np.array([0])
    least[0] = -penalty
    for end in range(MIN_ROWS, n + 1):
        costs = least[open_rows] - ((sums[end] - sums[open_rows]) ** 2).sum(axis=1) / (end - open_rows)
        best = int(np.argmin(costs))
        least[end], origin[end] = costs[best] + penalty, open_rows[best]
        open_rows = open_rows[costs <= least[end]]
        if end >= 2 * MIN_ROWS - 1:
            open_rows = np.append(open_rows, end - MIN_ROWS + 1)
    found, end = [], n
    while origin[end] > 0:
        end = origin[end]
        found.insert(0, int(end))
    return found


def hits(truth, found, tolerance):
    """One to one, in order."""
    count, k = 0, 0
    for at in truth:
        while k < len(found) and found[k] < at - tolerance:
            k += 1
        if k < len(found) and found[k] <= at + tolerance:
            count, k = count + 1, k + 1
    return count


def worlds(stream):
    """(kind, tolerance, truth, found by focus, rows) of each world."""
    while head := stream.readline().strip():
        kind, tolerance, truth, found, rows = head.split("|")
        numbers = [[int(w) for w in words.split()] for words in (truth, found)]
        yield kind, int(tolerance), *numbers, np.array([stream.readline().split() for _ in range(int(rows))], float)


def main():
    command = [sys.argv[1], "rows", *(sys.argv[2:3] or ["30"])]
    cells = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bench:
        for kind, tolerance, truth, focus, rows in worlds(bench.stdout):
            x, inflation = prepare(rows)
            k, log_n = rows.shape[1], np.log(len(rows))
            base = inflation * (k + 2 * np.sqrt(k * log_n) + 2 * log_n)
            for name, found in [("focus", focus), *((f, pelt(x, f * base)) for f in FACTORS)]:
                cell = cells.setdefault(kind, {}).setdefault(name, np.zeros(3))
                cell += hits(truth, found, tolerance), len(found), len(truth)
    for kind, methods in cells.items():
        text = [f"{name} {2 * c[0] / (c[1] + c[2]):.3f} ({c[0] / max(c[1], 1):.3f}, {c[0] / c[2]:.3f})"
                for name, c in methods.items()]
        print(f"{kind}: F1 (precision, recall): " + "; ".join(text))


if __name__ == "__main__":
    main()
