# SPDX-License-Identifier: BSD-3-Clause
"""How every bench prints repeated values, as bench_spread.h: the mean beside the median, and the 5 % and 95 % quantiles."""
import statistics


def spread(values, digits=2, unit=""):
    ordered = sorted(values)
    edge = len(ordered) // 20
    return (f"{statistics.median(ordered):8.{digits}f} {unit}  (mean {statistics.mean(ordered):.{digits}f}, "
            f"5 % {ordered[edge]:.{digits}f}, 95 % {ordered[-1 - edge]:.{digits}f})")
