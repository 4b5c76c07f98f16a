# SPDX-License-Identifier: BSD-3-Clause
"""Writes a recorded host after docs/format/host.md: a machine whose counters of powercap follow curves of recording.py, with values that
are wrong for a while. Time in it is virtual; its second 0 is t = 0 of the curves."""
import os

import recording

BASE_UJ = 40_000_000_000  # of the first counter; others begin at multiples, since two that show the same are one
REALTIME_NS = 1_767_225_600_000_000_000  # of t = 0: 2026-01-01
FOLDER = "/sys/devices/virtual/powercap/intel-rapl"


def pieces(curve, length):
    """[(begin, watts)] of a curve that is constant between them."""
    if curve.kind == "flat":
        return [(0.0, curve.numbers[0])]
    if curve.kind == "steps":
        return [(t, w) for t, w in curve.steps if t < length]
    low, high, period, duty = curve.numbers
    out = []
    for k in range(int(length / period) + 1):
        out += [(round(k * period, 6), high), (round(k * period + duty * period, 6), low)]
    return out


def rows(curve, wrong, tick, length, base_uj=BASE_UJ):
    """(time, value) for the script: a row at each change of the power and at both ends of each of `wrong`, (begin, end, joules or a word
    such as !EIO). Updates begin anew at each row, so changes are at multiples of the tick."""
    power = pieces(curve, length)
    ends = [t for begin, end, _ in wrong for t in (begin, end)]
    for at in sorted({t for t, _ in power} | set(ends)):
        off = next((by for begin, end, by in wrong if begin <= at < end), 0)
        if isinstance(off, str):
            if at in ends:
                yield at, off
            continue
        watts = next(w for t, w in reversed(power) if t <= at)
        yield at, f"{base_uj + round((curve.energy(at) + off) * 1e6)}+{round(watts * 1e6)}/s~{round(tick * 1e9)}ns"


def write(folder, counters, length):
    """A host with one socket for each of `counters`, (domain, Curve, wrong values, seconds between updates)."""
    files = {"about.md": "# worlds\n\nWritten for a test.\n"}
    info, script = [], []
    for number, (name, curve, wrong, tick) in enumerate(counters):
        place = f"{FOLDER}/intel-rapl:{number}"
        for file, text in (("name", name), ("max_energy_range_uj", "262143328850"), ("energy_uj", str(BASE_UJ * (number + 1))), ("enabled", "1"),
                           ("constraint_0_name", "long_term"), ("constraint_0_max_power_uw", "300000000")):
            files[f"root{place}/{file}"] = text + "\n"
        script += [f"{at!r}\t{place}/energy_uj\t{value}" for at, value in rows(curve, wrong, tick, length, BASE_UJ * (number + 1))]
        topology = f"root/sys/devices/system/cpu/cpu{number}/topology"
        files.update({f"{topology}/die_id": "0\n", f"{topology}/core_id": "0\n", f"{topology}/physical_package_id": f"{number}\n"})
        info.append(f"processor\t: {number}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 63\nmodel name\t: worlds\n"
                    f"stepping\t: 2\nflags\t\t: fpu tsc msr\n")
    files["root/proc/cpuinfo"] = "\n".join(info)
    for file in ("present", "online"):
        files[f"root/sys/devices/system/cpu/{file}"] = "0\n" if len(counters) == 1 else f"0-{len(counters) - 1}\n"
    files[f"root{FOLDER}/enabled"] = "1\n"
    files["script.tsv"] = "\n".join(script) + "\n"
    for path, text in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    powercap = os.path.join(folder, "root/sys/class/powercap")
    os.makedirs(powercap)
    os.symlink("../../devices/virtual/powercap/intel-rapl", os.path.join(powercap, "intel-rapl"))
    for number in range(len(counters)):
        os.symlink(f"../../devices/virtual/powercap/intel-rapl/intel-rapl:{number}", os.path.join(powercap, f"intel-rapl:{number}"))


def curves(s):
    """[(domain, Curve)] of lines "power DOMAIN CURVE"."""
    return [(name, recording.Curve(words)) for name, _, words in (v.partition(" ") for v in s.all("power"))]
