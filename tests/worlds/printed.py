# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as they are printed: the table of `wattle run` and its CSV, against the JSON document of the same result."""
import csv
import decimal
import io
import re

from laws import Violation

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
ROW = re.compile(rf"^ [+ ] +(?P<name>total|[a-z_]+:[a-z_]+-\d+\S*) +(?P<energy>{NUMBER}|-)(?: \+- (?P<half>{NUMBER}))?"
                 rf"(?: \((?P<low>{NUMBER})\.\.(?P<high>{NUMBER})\))?(?P<rest>.*)$")
REST = re.compile(rf"^ +(?P<mean>{NUMBER}|-)(?: +(?:(?P<min>{NUMBER})\.\.(?P<max>{NUMBER})|-))? +(?P<quality>[a-z]+)")
FLAG = re.compile(r"^ ! ([A-Z][A-Z ]*[A-Z])", re.M)
CSV_NUMBERS = ("energy_j", "resolution_interval_j", "low_j", "high_j", "mean_w", "min_w", "max_w", "stat_window_ms",
               "samples",
               "gaps", "gap_s", "unknown_s")


def step_of(text):
    """One unit in the last place of a printed number; zeros at the end of a whole number may be no digits."""
    number = decimal.Decimal(text)
    if number and "." not in text:
        number = number.normalize()
    return float(decimal.Decimal(1).scaleb(number.as_tuple().exponent))


def rounds_to(text, value):
    """Whether a printed number is this value, rounded to the digits shown."""
    return value is not None and abs(float(text) - value) <= 1.0001 * step_of(text) * (0.5 if value else 1) + 1e-12


def table(text):
    """The rows of the table of a result: {name: {energy, half, mean, min, max, quality}} as texts or None."""
    rows = {}
    for line in text.splitlines():
        row = ROW.match(line)
        if not row or row["name"] in rows:
            continue
        rest = REST.match(row["rest"])
        rows[row["name"]] = {**row.groupdict(), **(rest.groupdict() if rest else {})}
    return rows


def text_against(text, document):
    """Law same-number for the table: each primary channel and the total, to the digits printed."""
    found, rows = [], table(text)
    total = dict(document["total"], name="total", domain="total")
    for channel in [*[c for c in document["channels"] if c["primary"]], total]:
        row, where = rows.get(channel["name"]), f"text {channel['domain']}"
        if row is None:
            if channel["energy_j"] is not None:
                found.append(Violation("same-number", f"{where} row", None, channel["energy_j"],
                                       f"{channel['name']} is not in the table"))
            continue
        for cell, key in (("energy", "energy_j"), ("mean", "mean_w"), ("min", "min_w"), ("max", "max_w")):
            found += cell_against(row.get(cell), channel.get(key), f"{where} {cell}", channel["name"])
    flags = [flag for flag in FLAG.findall(text) if flag != "SAMPLES"]  # a line about wattle itself, no flag
    if sorted(flags) != sorted(document["flags"]):
        found.append(Violation("same-number", "text flags", flags, document["flags"],
                               "the flags of text and JSON differ"))
    return found


def cell_against(cell, value, where, name):
    """A number that is printed is that of the document; "-" and nothing mean that there is none to print."""
    if cell in (None, "-", "0") or rounds_to(cell, value):  # 0: not one digit is supported
        return []
    return [Violation("same-number", where, cell, value, f"{name}: the table says {cell}, JSON {value}")]


def csv_against(text, document):
    """Law same-number for the CSV: each channel and the total, to the nine digits of its cells."""
    found = []
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
    for channel in [*document["channels"], dict(document["total"], name="total", domain="total")]:
        row = rows.get(channel["name"])
        if row is None:
            found.append(Violation("same-number", f"csv {channel['domain']} row", None, channel["name"],
                                   "a channel has no row"))
            continue
        for key in CSV_NUMBERS:
            value, cell = channel.get(key), row[key]
            if key not in channel:
                continue
            same = cell == "" if value is None else cell != "" and abs(float(cell) - value) <= 1e-8 * abs(value) + 1e-12
            if not same:
                found.append(Violation("same-number", f"csv {channel['domain']} {key}", cell, value,
                                       f"{channel['name']}.{key}: CSV says {cell or 'nothing'}, JSON {value}"))
    return found


def document_against(other, document, name, share=1e-9):
    """Law same-number for another document of the same window, such as that of `wattle stats`."""
    found = []
    others = {c["name"]: c for c in other["channels"]}
    for channel in [*document["channels"], dict(document["total"], name="total", domain="total")]:
        twin = other["total"] if channel["name"] == "total" else others.get(channel["name"])
        if twin is None:
            found.append(Violation("same-number", f"{name} {channel['domain']}", None, channel["name"],
                                   f"{name} lacks {channel['name']}"))
            continue
        for key in CSV_NUMBERS:
            value, said = channel.get(key), twin.get(key)
            if key not in channel or value == said:
                continue
            if None in (value, said) or abs(value - said) > share * max(abs(value), abs(said)):
                found.append(Violation("same-number", f"{name} {channel['domain']} {key}", said, value,
                                       f"{channel['name']}.{key}: {name} says {said}, wattle run {value}"))
    if sorted(other["flags"]) != sorted(document["flags"]):
        found.append(Violation("same-number", f"{name} flags", other["flags"], document["flags"],
                               f"flags of {name}: {', '.join(other['flags']) or 'none'}; "
                               f"of wattle run: {', '.join(document['flags']) or 'none'}"))
    return found
