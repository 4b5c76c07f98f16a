# SPDX-License-Identifier: BSD-3-Clause
"""What wattle prints, read back: the table of a run (docs/guide/reading-results.md), CSV (docs/format/csv.md)."""
import csv
import io
import re

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
ENERGY = rf"(?P<energy>{NUMBER})(?: \+- (?P<half>{NUMBER})| \((?P<low>{NUMBER})\.\.(?P<high>{NUMBER})\))?" \
         rf"|at least (?P<least>{NUMBER})|-|unknown"
ROW = re.compile(rf"^ (?P<mark>[+ ])(?P<indent> +)(?P<name>total|\S+:\S+)\s+(?:{ENERGY})\s+(?P<mean>{NUMBER}|-|unknown)"
                 rf"(?:\s+(?:(?P<min>{NUMBER})\.\.(?P<max>{NUMBER})|-))?(?:\s+(?P<quality>[a-z][a-z ]*))?$")
HEAD = re.compile(rf"^ Energy of (?P<what>.*) in (?P<time>{NUMBER})(?: \+- (?P<half>{NUMBER}))? (?P<unit>[a-z]+)"
                  r"(?:, mean of (?P<runs>\d+) runs)?")
UNKNOWN = (None, "", "-", "unknown")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
PREFIXES = {"": 1.0, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


def parse_text(text):
    """{channel: {energy, half, low, high, mean, min, max (texts or None), quality, in_total, depth}} of the table."""
    rows = {}
    for line in text.splitlines():
        found = ROW.match(line.rstrip())
        if found:
            row = found.groupdict()
            row["in_total"] = row.pop("mark") == "+"
            row["depth"] = len(row.pop("indent")) // 2
            rows[row.pop("name")] = row
    return rows


def paragraphs(text):
    """Lines of the output with their continuations (indented as deep as their text) joined."""
    joined = []
    for line in text.splitlines():
        if joined and line.startswith(" " * 16):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.rstrip())
    return joined


def parse_flags(text):
    """Names of the flags in the text, in its order: lines that begin with "!", but SAMPLES and what a table of regions says
    about itself, which are no flags."""
    found = re.findall(r"^ ! ([A-Z]+(?:[ _][A-Z]+)*)(?=\s|$)", text, re.MULTILINE)
    return [name for name in found if name not in ("SAMPLES", "REGIONS")]


def parse_head(text):
    """The first line: what was run, text of the time, its unit, number of runs; None if there is none."""
    for line in text.splitlines():
        found = HEAD.match(line)
        if found:
            return found.groupdict()
    return None


def parse_share(text):
    """Text of the joules of "this command", or None."""
    for line in paragraphs(text):
        found = re.match(rf"^ this command\s+({NUMBER}) J(?: \+- {NUMBER})? of the total", line)
        if found:
            return found.group(1)
    return None


def parse_csv(text):
    """Rows of a CSV document as dicts of texts; "" is unknown."""
    return list(csv.DictReader(io.StringIO(text)))


def quantity(text):
    """A number with a unit and prefix, if any ("12.3 ms", "4.5 kJ"), in plain units, and the size of its last digit."""
    found = re.match(rf"^({NUMBER})\s*([numkMGTPµ]?)([A-Za-z]*)$", text.strip())
    number, prefix, unit = found.groups()
    if text.strip().endswith("min"):
        factor = 60.0
    elif not unit and prefix:
        factor = SECONDS.get(prefix, 1.0)
    else:
        factor = PREFIXES[prefix]
    return float(number) * factor, last_digit(number) * factor


def last_digit(text):
    """The size of the last digit of a printed number: 0.01 for "1.50", 1 for "120"."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


def claimed_digit(text):
    """The size of the last digit that a number claims to know: zeros before the point may only fill places, "0" claims none."""
    mantissa = text.lower().partition("e")[0].lstrip("-")
    if "." in mantissa:
        return last_digit(text)
    digits = mantissa.rstrip("0")
    return last_digit(text) * 10.0 ** (len(mantissa) - len(digits)) if digits else float("inf")


def same(exact, text, digits=0.5):
    """Whether a printed number is the exact one rounded to its last digit.

    A number without a point may end in zeros that only fill places ("1200"), so there the last non-zero digit counts.
    """
    if exact is None or text in UNKNOWN:
        return exact is None and text in UNKNOWN
    size = last_digit(text)
    plain = text.lstrip("+-")
    if "." not in text and "e" not in text.lower() and plain.strip("0"):
        size *= 10.0 ** (len(plain) - len(plain.rstrip("0")))
    return abs(exact - float(text)) <= digits * size * (1 + 1e-6) + abs(exact) * 1e-12
