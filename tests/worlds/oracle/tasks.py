# SPDX-License-Identifier: BSD-3-Clause
"""Which types of task can be told apart, and what they cost: wattle-tasks(1) and docs/guide/task-model.md.

The model: in each interval between two readings, energy = P_Y seconds + P_S busy seconds + sum of P_j core seconds of
type j. A row of the matrix is an interval, a column what is looked for; the right side is joules.
"""
import numpy as np


def scaled(matrix):
    """The matrix with columns of length 1 (zero columns stay)."""
    matrix = np.asarray(matrix, dtype=float)
    length = np.linalg.norm(matrix, axis=0)
    return matrix / np.where(length > 0, length, 1.0)


def rank(matrix, tolerance=1e-9):
    """How many columns are independent."""
    values = np.linalg.svd(scaled(matrix), compute_uv=False)
    return int((values > tolerance * values[0]).sum()) if values.size and values[0] > 0 else 0


def told_apart(matrix, tolerance=1e-9):
    """Of each column, whether its power follows from the equations: no null vector of the matrix has a part in it."""
    unit = scaled(matrix)
    _, values, right = np.linalg.svd(unit, full_matrices=True)
    null = right[rank(matrix, tolerance):]
    apart = np.abs(null).max(axis=0, initial=0.0) < 1e-6
    return [bool(a) and bool(np.any(column)) for a, column in zip(apart, unit.T)]


def groups(matrix, tolerance=1e-9):
    """Sets of columns that hang together by a null vector: their powers are only known together, if at all."""
    unit = scaled(matrix)
    null = np.linalg.svd(unit, full_matrices=True)[2][rank(matrix, tolerance):]
    together = (np.abs(null.T @ null) > 1e-6) if len(null) else np.zeros((unit.shape[1],) * 2, dtype=bool)
    found, seen = [], set()
    for first in range(unit.shape[1]):
        if first in seen or not together[first].any():
            continue
        group, waiting = set(), [first]
        while waiting:
            member = waiting.pop()
            if member not in group:
                group.add(member)
                waiting.extend(np.nonzero(together[member])[0].tolist())
        seen |= group
        found.append(sorted(group))
    return found


def joint_known(matrix, columns, tolerance=1e-9):
    """Whether the energy of these columns together (the sum of power times seconds) follows from the equations."""
    matrix = np.asarray(matrix, dtype=float)
    weights = np.zeros(matrix.shape[1])
    weights[list(columns)] = matrix.sum(axis=0)[list(columns)]
    length = np.linalg.norm(matrix, axis=0)
    return rank(np.vstack((scaled(matrix), weights / np.where(length > 0, length, 1.0))), tolerance) == \
        rank(matrix, tolerance)


def separation(matrix, noise_j):
    """Standard error of the watts of each column, given the noise of a row in joules (inf: not told apart)."""
    matrix = np.asarray(matrix, dtype=float)
    known = told_apart(matrix)
    inverse = np.linalg.pinv(matrix.T @ matrix)
    return [noise_j * float(np.sqrt(max(0.0, inverse[i, i]))) if known[i] else np.inf for i in range(matrix.shape[1])]


def fit(matrix, joules):
    """Least squares in watts: (watts or None where not told apart, rest of each row in joules)."""
    matrix, joules = np.asarray(matrix, dtype=float), np.asarray(joules, dtype=float)
    watts = np.linalg.lstsq(matrix, joules, rcond=None)[0]
    known = told_apart(matrix)
    return [float(w) if k else None for w, k in zip(watts, known)], joules - matrix @ watts


def seconds(marks, bounds_ns):
    """The matrix of (interval x type) seconds from stretches (type, begin_ns, end_ns): (matrix, names of columns)."""
    names = sorted({name for name, _, _ in marks})
    matrix = np.zeros((len(bounds_ns) - 1, len(names)))
    for name, begin, end in marks:
        for row, (low, high) in enumerate(zip(bounds_ns, bounds_ns[1:])):
            matrix[row, names.index(name)] += max(0, min(end, high) - max(begin, low)) * 1e-9
    return matrix, names
