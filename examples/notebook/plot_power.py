#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plot power over time, with regions and gaps, from a trace.

    wattle run -o app.wtl -- ./app
    python3 plot_power.py app.wtl power.png

In a notebook: copy the body of plot(), which is all that is needed. Needs python3-zstandard and
python3-matplotlib. wattle_trace.py is found in this source tree, else in the folder of this file.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import wattle_trace  # noqa: E402

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"]


def plot(trace, axes):
    """Power of the primary channels, over seconds since the start."""
    channels = [c for c in trace.channels if c.primary and (c.is_energy or c.quantity == "power")]
    for channel, colour in zip(channels, COLOURS * len(channels)):
        # Power over fewer than 20 ticks of a counter shows its ticking, not the machine.
        every = max(20 * channel.refresh_ns / 1e9, 0.02) if channel.is_energy else None
        times, watts = trace.power(channel, every=every)
        axes.step(times, watts, where="pre" if channel.is_energy else "mid", color=colour, lw=1.2, label=channel.name)
        for gap in trace.gaps:
            if gap.channel == channel.name:
                axes.axvspan(gap.begin, gap.end, color=colour, alpha=0.12, lw=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds since the start of the measurement")
    axes.set_ylabel("power [W]")
    if trace.window_s is not None:
        axes.axvspan(0, trace.window_s, color="0.5", alpha=0.08, lw=0, zorder=0)
    axes.legend(loc="upper left", frameon=False, fontsize=8)


def plot_regions(trace, axes):
    """A row for each thread, a bar for each region, inner ones narrower."""
    regions = [r for r in trace.regions if r.end is not None]
    names = sorted({r.name for r in regions})
    threads = sorted({r.thread.tid if r.thread else 0 for r in regions})
    for region in regions:
        row = threads.index(region.thread.tid if region.thread else 0)
        colour = COLOURS[names.index(region.name) % len(COLOURS)]
        height = 0.8 / (1 + region.depth)
        axes.broken_barh([(region.begin, region.duration)], (row - height / 2, height), color=colour, lw=0)
    for i, name in enumerate(names[:12]):
        axes.plot([], [], color=COLOURS[i % len(COLOURS)], lw=5, label=name)
    axes.set_yticks(range(len(threads)), [f"thread {tid}" for tid in threads], fontsize=8)
    axes.set_xlabel("seconds since the start of the measurement")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)


def main(path, picture):
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot_power.py: matplotlib is missing; install the Debian package python3-matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    with wattle_trace.open(path) as trace:
        rows = 2 if trace.regions else 1
        figure, axes = pyplot.subplots(rows, 1, sharex=True, squeeze=False, figsize=(9, 3 + 2 * rows),
                                       height_ratios=[2, 1][:rows], layout="constrained")
        plot(trace, axes[0][0])
        if rows == 2:
            plot_regions(trace, axes[1][0])
            axes[0][0].set_xlabel("")
        figure.suptitle(trace.metadata.get("run.command") or os.path.basename(path), fontsize=10)
        figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plot_power.py TRACE PICTURE.png")
    try:
        main(sys.argv[1], sys.argv[2])
    except wattle_trace.TraceError as error:
        sys.exit(f"plot_power.py: {error}")
