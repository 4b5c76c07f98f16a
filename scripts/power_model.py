# SPDX-License-Identifier: BSD-3-Clause
"""The power model of the `estimate` sensor: names of processors, their families, and the fit of a
server's idle and full-load watts. Shared by scripts/make-power-tables, which writes the C tables, and
bench/bench_e0.py, which evaluates it on servers that were not used for the fit. Only uses the Python standard library.
"""
import csv
import math
import pathlib
import re

DATA = pathlib.Path(__file__).resolve().parent / "power-tables"
KEY_MAX = 23  # bytes of a normalised name in the C table

# In the order of the family's number in the tables (enum wtl_cpu_family); unknown is 0.
FAMILIES = [
    "unknown", "netburst", "core", "penryn", "nehalem", "westmere", "sandybridge", "ivybridge", "haswell",
    "broadwell", "skylake", "cascadelake", "icelake", "sapphirerapids", "emeraldrapids", "graniterapids",
    "sierraforest", "intel-client", "k8", "k10", "bulldozer", "naples", "rome", "milan", "genoa", "turin",
    "amd-client", "neoverse-n1", "neoverse-v", "arm-small",
]
FAMILY = {name: number for number, name in enumerate(FAMILIES)}

NOISE = re.compile(r"\((?:r|tm)\)|®|™|\[.*?\]|\bwith .*|\bw/ .*|@.*|,.*")
WORDS = {"intel", "amd", "arm", "cpu", "processor", "xeon", "platinum", "gold", "silver", "bronze", "core", "eight-core",
         "quad-core", "six-core", "dell", "sku", "genuine", "ampere", "64-bit", "multi-core", "max", "quad",
         "dual-core", "apu", "gen", "0"}
COUNTS = re.compile(r"^\d+(?:-cores?|th|st|nd|rd)$")
VERSION = re.compile(r"^(.*\d[a-z]?)v(\d)$")


def normalise(name):
    """The key of a processor: "Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz" -> "e5-2620 v3". The same rules
    are in src/sensors/cpu_key.c; a test compares the two."""
    text = NOISE.sub(" ", name.lower())
    words = []
    for word in text.split():
        if word in WORDS or COUNTS.match(word):
            continue
        match = VERSION.match(word)
        words += [match[1], "v" + match[2]] if match else [word]
    return " ".join(words)


# Names that are not in the family lists, in the order in which they are tried.
RULES = [
    (r"^e[357]-\d{4}[a-z]* v(\d)", {"2": "ivybridge", "3": "haswell", "4": "broadwell", "5": "skylake", "6": "skylake"}),
    (r"^e[35]-\d{4}[a-z]*$", "sandybridge"),
    (r"^e7-(?:28|48|88)\d\d[a-z]*$", "westmere"),
    (r"^(?:[ewlx]|lc)?(?:56|36)\d\d$", "westmere"),
    (r"^(?:[ewlx]|lc|ec)(?:55|35|34|75|65)\d\d$", "nehalem"),
    (r"^(?:[elx]?(?:54|52|33|31|74)\d\d)$", "penryn"),
    (r"^(?:[elx]?(?:53|51|32|30|73)\d\d)$", "core"),
    (r"^70\d\d$|^71\d\d[mn]$|^pentium d", "netburst"),
    (r"^6[5-9]\d\dp(?:-[bc])?$", "graniterapids"),
    (r"^6[5-9]\d\de(?:\+)?$", "sierraforest"),
    (r"^(?:i[3579]|ultra|m[357])\b|^i[3579]-|^e-2\d\d\d|^e e-2|^63\d\dp$|^w-1|^pentium g|^celeron g", "intel-client"),
    (r"^[89]\d[01]\d[a-z]*$|^[3456]1\d\d[a-z]*$", "skylake"),
    (r"^[89]2\d\d[a-z]*$|^[3456]2\d\d[a-z]*$", "cascadelake"),
    (r"^83\d\d[a-z]*$|^[3456]3\d\d[a-z]*$|^d-[12]7\d\d[a-z]*$", "icelake"),
    (r"^84\d\d[a-z]*\+?$|^[3456]4\d\d[a-z]*\+?$", "sapphirerapids"),
    (r"^85\d\d[a-z]*\+?$|^[3456]5\d\d[a-z]*\+?$", "emeraldrapids"),
    (r"^epyc 7\d[0-9fh]1p?$", "naples"), (r"^epyc 7[0-9a-z]{2}2p?$", "rome"), (r"^epyc 7[0-9a-z]{2}3[px]?$", "milan"),
    (r"^epyc [89]\d{2}4[a-z]*$", "genoa"), (r"^epyc 9\d{2}5[a-z]*$", "turin"),
    (r"^epyc 4\d{2}[45][a-z]*$|^ryzen|^threadripper", "amd-client"),
    (r"^opteron (?:[28][34]\d\d|41\d\d|61\d\d)", "k10"),
    (r"^opteron (?:[34][23]\d\d|6[23]\d\d)", "bulldozer"),
    (r"^opteron [128]2\d\d|^opteron [128]\d\d$", "k8"),
    (r"^altra|^m\d+-\d\d$|^q\d+-\d\d$", "neoverse-n1"), (r"^grace|^neoverse-v", "neoverse-v"),
    (r"^cortex", "arm-small"),
]
RULES = [(re.compile(regex), family) for regex, family in RULES]


def family_by_rule(key):
    for regex, family in RULES:
        match = regex.search(key)
        if match:
            return family.get(match[1], "unknown") if isinstance(family, dict) else family
    return "unknown"


def read_csv(name):
    with open(DATA / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Cpus:
    """Known by name: family and TDP of one chip."""

    def __init__(self):
        self.family = {}
        for row in read_csv("cpu_family.csv"):
            self.family.setdefault(normalise(row["cpu"]), row["family"])
        self.tdp = {normalise(row["cpu"]): float(row["tdp_w"]) for row in read_csv("cpu_tdp.csv")}

    def family_of(self, key):
        return self.family.get(key) or family_by_rule(key)

    def tdp_of(self, key):
        return self.tdp.get(key)


VENDORS = {"hewlett": "hp", "hewlett-packard": "hp", "super": "supermicro", "fsas": "fujitsu"}


class Server:
    def __init__(self, row, cpus):
        self.key = normalise(row["cpu"])
        maker = re.split(r"[ ,]", row["vendor"].lower())[0]
        self.vendor = VENDORS.get(maker, maker)
        self.chips = int(row["chips"])
        self.cores = int(row["cores"]) / self.chips
        self.smt = int(row["threads_per_core"]) > 1
        self.ghz = float(row["mhz"]) / 1000
        self.memory = float(row["memory_gb"]) / self.chips
        self.year = int(row["year"])
        self.idle, self.full = float(row["idle_w"]), float(row["full_w"])
        self.family = cpus.family_of(self.key)
        self.tdp = cpus.tdp_of(self.key)


def servers(cpus):
    return [Server(row, cpus) for row in read_csv("spec_servers.csv")]


def within(value, low, high):
    return min(max(value, low), high)


# The regressors; each tier uses those that are known. The C code computes the same.
def features(s, tdp, family):
    x = [1.0, math.log(min(s.chips, 8)), math.log(within(s.cores, 1, 288) / 16),
         math.log(within(s.memory, 1, 1024) / 32), math.log(within(s.ghz, 1, 5) / 2.5), 1.0 if s.smt else 0.0]
    if tdp:
        x.append(math.log(within(s.tdp, 10, 600) / 120))
    if family:
        x += [1.0 if s.family == name else 0.0 for name in FAMILIES[1:]]
    return x


def solve(a, b):
    """Solve the symmetric positive definite system a x = b by Cholesky's method."""
    n = len(b)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            t = a[i][j] - sum(low[i][k] * low[j][k] for k in range(j))
            low[i][j] = math.sqrt(t) if i == j else t / low[j][j]
    y = [0.0] * n
    for i in range(n):
        y[i] = (b[i] - sum(low[i][k] * y[k] for k in range(i))) / low[i][i]
    for i in reversed(range(n)):
        y[i] = (y[i] - sum(low[k][i] * y[k] for k in range(i + 1, n))) / low[i][i]
    return y


class Fit:
    """Weighted ridge regression of the logarithm of watts per chip, idle and full, from which rows can be removed
    again without a second pass over the rest."""

    PLAIN, FAMILY_PULL = 0.05, 0.6

    def __init__(self, rows, tdp, family):
        self.tdp, self.family_known = tdp, family
        count = {}
        for s in rows:
            count[s.key] = count.get(s.key, 0) + 1
        self.count = count
        plain = 7 if tdp else 6
        n = plain + (len(FAMILIES) - 1 if family else 0)
        self.a = [[0.0] * n for _ in range(n)]
        for i in range(1, n):
            self.a[i][i] = self.FAMILY_PULL if i >= plain else self.PLAIN
        self.a[0][0] = 1e-6
        self.b = [[0.0] * n, [0.0] * n]
        for s in rows:
            self.add(s, 1.0)

    def usable(self, s):
        return not self.tdp or s.tdp is not None

    def add(self, s, sign):
        if not self.usable(s):
            return
        x = features(s, self.tdp, self.family_known)
        w = sign / math.sqrt(self.count[s.key])
        hot = [i for i, v in enumerate(x) if v]
        for i in hot:
            for j in hot:
                self.a[i][j] += w * x[i] * x[j]
            self.b[0][i] += w * x[i] * math.log(s.idle / s.chips)
            self.b[1][i] += w * x[i] * math.log(s.full / s.chips)

    def solve(self):
        return [solve(self.a, b) for b in self.b]


def predict(s, coefficients, tdp, family):
    """Logarithms of idle and full watts per chip."""
    x = features(s, tdp, family)
    return [sum(a * b for a, b in zip(x, c)) for c in coefficients]


# What each tier knows, from most to least. `model`: this processor is among the servers.
TIERS = [("model", True, True), ("model-notdp", False, True), ("tdp", True, True), ("family", False, True),
         ("tdp-only", True, False), ("generic", False, False)]
SHRINK = 1.0  # the weight, in vendors, of "this processor is like its family"


class Model:
    """The fitted model, and its errors on data that each tier has not seen."""

    def __init__(self, rows):
        self.rows = [s for s in rows if s.key]
        self.fits = {(tdp, family): Fit(self.rows, tdp, family)
                     for tdp in (True, False) for family in (True, False)}
        self.coefficients = {key: fit.solve() for key, fit in self.fits.items()}
        self.by_key = {}
        for s in self.rows:
            self.by_key.setdefault(s.key, []).append(s)

    def without(self, group, tdp, family):
        fit = self.fits[tdp, family]
        for s in group:
            fit.add(s, -1.0)
        coefficients = fit.solve()
        for s in group:
            fit.add(s, 1.0)
        return coefficients

    @staticmethod
    def residual(s, coefficients, tdp, family):
        p = predict(s, coefficients, tdp, family)
        return math.log(s.idle / s.chips) - p[0], math.log(s.full / s.chips) - p[1]

    def correction(self, others, coefficients, tdp):
        """The deviation of a processor's own servers from the regression: mean over vendors, shrunk towards 0."""
        vendors = {}
        for s in others:
            vendors.setdefault(s.vendor, []).append(self.residual(s, coefficients, tdp, True))
        n = len(vendors)
        return [sum(sum(r[i] for r in v) / len(v) for v in vendors.values()) / (n + SHRINK) for i in (0, 1)]

    def unseen(self, group_of, tdp, family, use_model=False):
        """[(server, error of ln idle, error of ln full)] with each group left out of the fit. With use_model only
        processors that have servers outside the group, corrected by these."""
        groups = {}
        for s in self.rows:
            groups.setdefault(group_of(s), []).append(s)
        out = []
        for group in groups.values():
            group = [s for s in group if not tdp or s.tdp]
            if not group:
                continue
            correction = [0.0, 0.0]
            if use_model:
                inside = {id(s) for s in group}
                others = [s for s in self.by_key[group[0].key] if id(s) not in inside]
                if not others:
                    continue
            coefficients = self.without(group, tdp, family)
            if use_model:
                correction = self.correction(others, coefficients, tdp)
            for s in group:
                r = self.residual(s, coefficients, tdp, family)
                out.append((s, r[0] - correction[0], r[1] - correction[1]))
        return out

    def tier_errors(self, tier):
        """Errors of a tier on substitutes for the user's machine: another vendor's server of a known processor; a
        processor never seen; a family never seen."""
        if tier == "model":
            # Processors without a TDP in the list use the regression without it.
            with_tdp = self.unseen(lambda s: (s.key, s.vendor), True, True, use_model=True)
            return with_tdp + [e for e in self.unseen(lambda s: (s.key, s.vendor), False, True, use_model=True)
                               if not e[0].tdp]
        tdp, family = {"tdp": (True, True), "family": (False, True), "tdp-only": (True, False),
                       "generic": (False, False)}[tier]
        return self.unseen((lambda s: s.key) if family else (lambda s: s.family), tdp, family)


def interpolate(points, x):
    for (a, y), (b, z) in zip(points, points[1:]):
        if x <= b:
            return y + (z - y) * (x - a) / (b - a)
    return points[-1][1]


GRID = [i / 10 for i in range(11)]


class Shapes:
    """(P(u) - idle) / (full - idle) of the measured hosts on GRID, one per host and way of loading it."""

    def __init__(self):
        runs = {}
        for row in read_csv("load_watts.csv"):
            runs.setdefault((row["host"], row["mode"]), {})[float(row["load"])] = float(row["watts"])
        self.of = {}
        self.dynamic = {}
        for (host, mode), watts in runs.items():
            points = sorted(watts.items())
            idle, full = points[0][1], points[-1][1]
            scaled = [(u, (w - idle) / (full - idle)) for u, w in points]
            self.of.setdefault(host, {})[mode] = [interpolate(scaled, u) for u in GRID]
            if host in ("xeon-10", "opteron-48"):
                self.dynamic.setdefault(host, []).append(full - idle)
        # How much the power above idle of programs that keep all cores busy differs from their median. The same factors
        # are used upwards: the benchmark of the table may be a light one.
        below = [d / sorted(v)[len(v) // 2] for v in self.dynamic.values() for d in v]
        self.work = sorted(below + [1 / f for f in below])

    def mean(self, hosts=None):
        """The curve: mean over hosts of the mean over their modes, made monotone and 1 at full load."""
        hosts = list(hosts or self.of)
        curve = []
        for i in range(len(GRID)):
            values = [sum(m[i] for m in self.of[h].values()) / len(self.of[h]) for h in hosts]
            curve.append(sum(values) / len(values))
        for i in range(1, len(curve)):
            curve[i] = max(curve[i], curve[i - 1])
        return [min(v, 1.0) for v in curve[:-1]] + [1.0]


# Additional power of machines compared with the tuned servers of the table at any load, as a fraction of the predicted
# idle watts, with weights: cards, disks, memory, fans and power supplies. Half of all machines are assumed to be like
# the table's, half like the four measured outside it (idle measured / idle predicted - 1; bench/bench_e0.py prints
# them). Four machines are few; without them the interval would be too narrow to be honest.
EQUIPMENT = [(0.0, 4.0), (0.54, 1.0), (0.94, 1.0), (2.34, 1.0), (2.37, 1.0)]
BARE = [(0.0, 1.0)]

BIN = 0.002


def histogram_quantiles(pairs, low, high):
    """Two weighted quantiles of many positive values, to within a bin's width."""
    bins = {}
    total = 0.0
    for value, weight in pairs:
        i = int(value / BIN)
        bins[i] = bins.get(i, 0.0) + weight
        total += weight
    run, out = 0.0, []
    for i in sorted(bins):
        run += bins[i]
        while len(out) < 2 and run >= (low, high)[len(out)] * total:
            out.append((i + len(out)) * BIN)
    return out if len(out) == 2 else out + [(max(bins) + 1) * BIN]


def weighted_quantile(pairs, p):
    pairs = sorted(pairs)
    total = sum(w for _, w in pairs)
    run = 0.0
    for value, weight in pairs:
        run += weight
        if run >= p * total:
            return value
    return pairs[-1][0]


def ratios(errors, curve, shapes, work, u, equipment):
    """(truth / shown, weight) at load u for servers with these errors of ln idle and ln full, whose loads have these
    shapes and whose programs draw `work` times the benchmark's power above idle."""
    i = round(u * 10)
    for e0, e1, share, weight in errors:
        idle, full = share, 1.0
        shown = idle + curve[i] * (full - idle)
        true_idle = idle * math.exp(e0)
        rise = max(full * math.exp(e1) - true_idle, 0.02)
        for shape in shapes:
            for factor in work:
                for extra, chance in equipment:
                    yield (true_idle + extra * share + shape[i] * factor * rise) / shown, weight * chance


def with_share(errors):
    """(e0, e1, shown idle / shown full, weight): servers of frequently published processors have less weight each."""
    count = {}
    for s, _, _ in errors:
        count[s.key] = count.get(s.key, 0) + 1
    return [(e0, e1, (s.idle * math.exp(-e0)) / (s.full * math.exp(-e1)), 1 / math.sqrt(count[s.key]))
            for s, e0, e1 in errors]


TAIL = 0.02  # on each side; 0.025 would cover 95 % in the sample but less outside it


def interval(errors, curve, shapes, work, equipment, tail=TAIL):
    """Ratios truth / shown that are valid at every load: the widest over all loads."""
    low, high = [], []
    errors = errors[::3]  # of neighbours in the list, which mostly have the same vendor
    for u in GRID:
        pair = histogram_quantiles(ratios(errors, curve, shapes, work, u, equipment), tail, 1 - tail)
        low.append(pair[0])
        high.append(pair[1])
    return min(low), max(high)


HOST_LOADS = [0.1, 0.3, 0.5, 0.7, 0.9]  # of a virtual machine host: unknown to its guests


def per_thread(s):
    threads = s.chips * s.cores * (2 if s.smt else 1)
    return s.idle / threads, s.full / threads


def median_per_thread(rows):
    """Weighted median of idle and full watts per hardware thread: a virtual CPU's share of its host's power."""
    count = {}
    for s in rows:
        count[s.key] = count.get(s.key, 0) + 1
    return [weighted_quantile([(per_thread(s)[i], 1 / math.sqrt(count[s.key])) for s in rows], 0.5) for i in (0, 1)]


def modern(rows):
    """Today's cloud hosts: servers with at least 16 threads published since 2017."""
    return [s for s in rows if s.year >= 2017 and s.chips * s.cores >= 8]


def vm_errors(rows, by_family):
    """Like Model.tier_errors() for the watts per thread of an unseen host."""
    groups = {}
    for s in rows if by_family else modern(rows):
        groups.setdefault(s.key if by_family else s.family, []).append(s)
    out = []
    for name, group in groups.items():
        if by_family:
            pool = [s for s in rows if s.family == group[0].family and s.key != name]
        else:
            pool = [s for s in modern(rows) if s.family != name]
        if not pool:
            continue
        idle, full = median_per_thread(pool)
        out += [(s, math.log(per_thread(s)[0] / idle), math.log(per_thread(s)[1] / full)) for s in group]
    return out


def vm_slope(curve):
    """A guest's load raises the power of a host at medium load: the curve's mean slope up to there."""
    return curve[5] / 0.5


def vm_ratios(errors, curve, shapes, work, u, equipment):
    for e0, e1, share, weight in errors:
        shown = share + vm_slope(curve) * u * (1.0 - share)
        true_idle = share * math.exp(e0)
        rise = max(math.exp(e1) - true_idle, 0.02)
        for shape in shapes:
            for factor in work:
                for host in HOST_LOADS:
                    slope = interpolate(list(zip(GRID, shape)), host) / host
                    for extra, chance in equipment:
                        yield (true_idle + extra * share + u * slope * factor * rise) / shown, weight * chance


def vm_interval(errors, curve, shapes, work, equipment, tail=TAIL):
    low, high = [], []
    errors = errors[::3]
    for u in GRID[::2]:
        pair = histogram_quantiles(vm_ratios(errors, curve, shapes, work, u, equipment), tail, 1 - tail)
        low.append(pair[0])
        high.append(pair[1])
    return min(low), max(high)
