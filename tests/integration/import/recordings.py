# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of recordings in the formats that wattle knows: JSON, exposition, blocks of text and tables, from the samples of tests/cli/import-formats.

Each function changes the lines of a recording in one way in which recordings go wrong. Where the result is a valid recording of another
content, which nothing in it contradicts, it sets `other_content`.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli", "import-formats"))
import samples  # noqa: E402

NUMBER = re.compile(r"(?<![\w.:/-])\d+\.\d+(?![\w.:/-])")
SAMPLES = list(samples.samples())


class Recording:
    def __init__(self, rng):
        self.rng = rng
        self.format, name, lines, self.options, self.truth, _ = rng.choice(SAMPLES)
        self.extension = os.path.splitext(name)[1]
        self.lines = list(lines)
        self.end = "\n"
        self.bytes_before = ""
        self.other_content = None
        self.renamed = False
        self.scale = None  # its unit is another one throughout
        # Lines with a value, apart from the first and last of them: what is done there is done in the middle.
        data = [i for i, line in enumerate(lines) if NUMBER.search(line) and " = " not in line and not line.startswith((" Average", "System:"))]
        self.data = data[2:-2] or data

    def text(self):
        return self.bytes_before + "\n".join(self.lines) + self.end

    def row(self):
        if not self.data:
            raise IndexError
        return self.rng.choice(self.data)

    def number(self, row):
        """A number with decimals in a line: a value, or a time."""
        return self.rng.choice(list(NUMBER.finditer(self.lines[row])))

    def replace(self, row, found, text):
        self.lines[row] = self.lines[row][:found.start()] + text + self.lines[row][found.end():]


def line_dropped(t):
    row = t.row()
    if t.lines[row][:19] in (t.lines[t.data[0]][:19], t.lines[t.data[-1]][:19]):  # the second of the first or the last sample
        t.other_content = "a recording in which one sensor begins a row later, or ends a row earlier"
    del t.lines[row]

def lines_dropped(t):
    first = t.row()
    del t.lines[first:min(first + t.rng.randrange(2, 12), t.data[-1])]

def line_twice(t):
    row = t.row()
    t.lines.insert(row, t.lines[row])

def line_later(t):
    """A line a few lines below its place."""
    row = t.row()
    t.lines.insert(row + t.rng.randrange(1, 4), t.lines.pop(row))

def line_cut(t):
    row = t.row()
    at = t.rng.randrange(1, len(t.lines[row]))
    t.renamed = t.format == "perf_totals"  # where a line is a sensor
    if t.lines[row][at - 1:at + 1].replace(".", "0").isdigit() and not set(t.lines[row][at:]) & set(", \t;|}"):
        t.other_content = "the last cell is another number"
    t.lines[row] = t.lines[row][:at]

def line_joined(t):
    row = t.row()
    t.lines[row:row + 2] = ["".join(t.lines[row:row + 2])]

def file_cut(t):
    last = t.lines[-1]
    t.lines[-1] = last[:t.rng.randrange(1, max(2, len(last)))]
    t.end = ""

def value_spike(t):
    row = t.row()
    found = t.number(row)
    t.replace(row, found, str(float(found.group()) * t.rng.choice((1e4, 1e6, 1e9))))

def value_negative(t):
    row = t.row()
    t.replace(row, t.number(row), "-88.5")

def value_word(t):
    row = t.row()
    t.replace(row, t.number(row), t.rng.choice(("nan", "N/A", "null", "[N/A]", "error", "0x1F", "", "-")))

def value_comma(t):
    row = t.row()
    found = t.number(row)
    t.replace(row, found, found.group().replace(".", ","))

def values_comma(t):
    t.lines = [NUMBER.sub(lambda m: m.group().replace(".", ","), line) for line in t.lines]

def value_unit(t):
    row = t.row()
    found = t.number(row)
    t.replace(row, found, found.group() + t.rng.choice((" kW", "mJ", " Wh", "k")))

def value_twice(t):
    row = t.row()
    found = t.number(row)
    t.replace(row, found, found.group() * 2)

UNITS = ("mW", "uW", "kW", "MW", "mJ", "kJ", "uJ", "Wh", "kWh")
UNIT = re.compile(r"(?<![A-Za-z])(Joules|Watts|Watt|mW|W|J|joules|watts)(?![A-Za-z])")

def unit_in_line(t):
    rows = [i for i in t.data if UNIT.search(t.lines[i])]
    row = t.rng.choice(rows)
    t.renamed = t.format == "prometheus"  # where a line is all of it
    t.lines[row] = UNIT.sub(t.rng.choice(UNITS), t.lines[row], count=1)

UNIT_IS_NAME = "wattsup", "turbostat"  # or a part of it, as in Pkg_J

def unit_everywhere(t):
    unit = t.rng.choice(UNITS)
    t.renamed = t.format in UNIT_IS_NAME
    t.lines = [UNIT.sub(unit, line) for line in t.lines]
    t.scale = {"mW": 1e-3, "uW": 1e-6, "kW": 1e3, "MW": 1e6, "mJ": 1e-3, "kJ": 1e3, "uJ": 1e-6, "Wh": 3600, "kWh": 3.6e6}[unit]

def unit_spelled(t):
    word = t.rng.choice(("joule", "watt", "JOULES", "WATTS", None))
    t.lines = [UNIT.sub(lambda m: word or m.group().lower(), line) for line in t.lines]
    t.renamed = t.format in UNIT_IS_NAME

def unit_absent(t):
    t.lines = [UNIT.sub("", line) for line in t.lines]
    t.renamed = t.format in UNIT_IS_NAME

def unit_changes(t):
    """Another unit from the middle on."""
    unit = t.rng.choice(UNITS)
    row = t.row()
    t.lines[row:] = [UNIT.sub(unit, line) for line in t.lines[row:]]

def numbers_change(t):
    """A thousand times as much from the middle on; times with decimals jump."""
    row = t.row()
    if t.format in ("perf_csv", "perf_text", "perf_json", "perf_totals"):
        t.other_content = "a thousand times the energy in a thousand times the time"
    t.lines[row:] = [NUMBER.sub(lambda m: str(float(m.group()) * 1000), line) for line in t.lines[row:]]

KEY = re.compile(r"(?i)joules_total|consumption|apower|counter-value|power\.draw|PkgWatt|energy-pkg|aenergy|PACKAGE_ENERGY|cpu_energy|Instantaneous|Package Power|CPU Power|VDD_IN|Watt")

def key_renamed(t):
    """What names the quantity has another name, everywhere."""
    t.renamed = True
    word = t.rng.choice(("wh_total", "charge", "limit", "budget_w", "reading"))
    t.lines = [KEY.sub(word, line) for line in t.lines]

def key_in_line(t):
    row = t.rng.choice([i for i in t.data if KEY.search(t.lines[i])])
    t.renamed = t.format == "perf_totals"  # where a line is a sensor
    t.lines[row] = KEY.sub(t.rng.choice(("wh_total", "limit")), t.lines[row])

def case_changed(t):
    upper = t.rng.random() < 0.5
    t.lines = [line.upper() if upper else line.lower() for line in t.lines]

def blanks(t):
    t.lines = [line + "  " for line in t.lines]

def line_ends(t):
    t.lines = [line + "\r" for line in t.lines]

def byte_order_mark(t):
    t.bytes_before = "\ufeff"

def comments(t):
    t.lines.insert(t.row(), t.rng.choice(("# restarted", "", "killed", "Segmentation fault (core dumped)")))

def appended(t):
    """The recording once more behind itself, as of a logger that was started twice."""
    t.lines += t.lines

def appended_later(t):
    t.lines += [re.sub(r"\b17672", "17673", line) for line in t.lines]

def interleaved(t):
    """Each line again with other values: a second machine."""
    t.lines = [x for line in t.lines for x in (line, NUMBER.sub(lambda m: f"{float(m.group()) * 1.7:.3f}", line))]

def label_added(t):
    """A second machine under a label that the format does not know."""
    def other(line):
        line = NUMBER.sub(lambda m: f"{float(m.group()) * 1.7:.3f}", line)
        return line.replace("{", '{host="b",', 1) if "{" in line else line
    t.lines = [x for line in t.lines for x in (line, other(line))]

def series_renumbered(t):
    """One line speaks of another socket, GPU or zone."""
    row = t.row()
    t.renamed = t.format == "prometheus"  # where a line is all of it
    t.lines[row] = re.sub(r"\bS0\b|intel-rapl:0\b|card0|, 0,", lambda m: m.group().replace("0", "7"), t.lines[row], count=1)

def reset(t):
    """A counter begins again."""
    if t.format not in ("kepler", "shelly", "energibridge", "power_gadget", "otf2_csv", "sh5util"):
        raise IndexError
    row = t.row()
    t.lines[row:] = [NUMBER.sub(lambda m: f"{float(m.group()) / 100:.4f}", line) for line in t.lines[row:]]

def clock_forward(t):
    row = t.row()
    t.lines[row:] = [re.sub(r"\b17672(\d{5})", lambda m: str(int("17672" + m.group(1)) + 7200), line).replace("T00:", "T02:").replace(" 00:", " 02:")
                     for line in t.lines[row:]]

def clock_back(t):
    row = t.row()
    t.lines[row:] = [re.sub(r"\b17672(\d{5})", lambda m: str(int("17672" + m.group(1)) - 7200), line) for line in t.lines[row:]]

def json_spread(t):
    """JSON over several lines is the same."""
    if t.extension == ".json":
        t.lines = [x for line in t.lines for x in line.replace(", ", ",\n").replace(",", ",\n").split("\n")]

def brackets_lost(t):
    row = t.row()
    t.lines[row] = t.lines[row].replace("}", "", 1).replace("]", "", 1)

def key_twice(t):
    """The same key twice in an object."""
    row = t.row()
    t.lines[row] = re.sub(r'("[a-z_-]+": ?)(\d+\.\d+)', r"\1\2, \g<1>99999.5", t.lines[row], count=1)

CHANGES = [f for n, f in list(globals().items()) if callable(f) and getattr(f, "__code__", None) and f.__code__.co_varnames[:1] == ("t",)]


def verdict(recording, about):
    """What the import says, against the truth: "right", "found", "other content", "SILENT"; with what is off."""
    got = {}
    for column in about["columns"]:
        if column["role"] == "channel" and column["quantity"] in ("energy", "power"):
            got[column["channel"].split(":")[1]] = column["energy_j"]
    def near(joules, truth):
        return joules is not None and abs(joules / truth - 1) <= 0.01
    named = about["format"] == recording.format  # else the channels have other names
    off = [(place, got.get(place), joules) for place, joules in recording.truth.items()
           if not (near(got.get(place), joules) if named else any(near(value, joules) for value in got.values()))]
    if not off:
        return "right", ""
    if about["faults"] or about["gaps"]:
        return "found", ""
    if recording.options:
        recording.other_content = "rows without times, and so of any number"
    if recording.scale and all(near(value, joules * recording.scale) for _, value, joules in off):
        recording.other_content = "a recording in another unit"
    if recording.renamed and all(value is None for _, value, _ in off):
        recording.other_content = "a recording of other sensors"  # no joules are claimed for those that it lacks
    return ("other content" if recording.other_content else "SILENT"), (about["format"], off)
