# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in the texts of `wattle jobs`, held against those of the same answer as JSON."""
import json
import re

from laws import Violation

NUMBER = re.compile(r"(at least )?(\d+(?:\.\d+)?) (mJ|J|kJ|MJ|GJ|TJ)\b"
                    r"(?: \+- (\d+(?:\.\d+)?)(?: (mJ|J|kJ|MJ|GJ|TJ))?)?")
SIZE = {"mJ": 1e-3, "J": 1.0, "kJ": 1e3, "MJ": 1e6, "GJ": 1e9, "TJ": 1e12}


def document(text):
    """A JSON document, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def joules(text):
    """[(J, half a unit of its last digit, says "at least", half width or None)] of the energies in a text."""
    found = []
    for least, digits, unit, half, half_unit in NUMBER.findall(text):
        decimals = len(digits.split(".")[1]) if "." in digits else len(digits.rstrip("0")) - len(digits)
        width = float(half) * SIZE[half_unit or unit] if half else None
        found.append((float(digits) * SIZE[unit], 0.5 * 10**-decimals * SIZE[unit], bool(least), width))
    return found


def line_of(text, word):
    return next((line for line in text.splitlines() if line.split() and line.split()[0] == word), None)


def energy(text, value, half, lower, where):
    """Law same-number for one energy in a text, and law estimate: an interval larger than the digits is printed."""
    found = joules(text or "")
    if value is None:
        return [] if not found else [Violation("same-number", f"{where} text", text, None,
                                               f"unknown in JSON, \"{text.strip()}\" in text")]
    if not found:
        return [Violation("same-number", f"{where} text", text, value,
                          f"no energy in \"{(text or '').strip()}\", {value} J in JSON")]
    said, digit, least, width = found[0]
    bad = []
    lost = 2 * digit if least else digit  # a lower bound is rounded down
    if least:  # it is the lower end of the interval
        value = max(value - (half or 0), 0)
        half = None
    if said > value + 1.001 * digit + 1e-9 * value or said < value - 1.001 * lost - 1e-9 * value:
        bad.append(Violation("same-number", f"{where} text", said, value, f"{said} J in text, {value} J in JSON"))
    if lower and not least and "+- ?" not in text:
        bad.append(Violation("same-number", f"{where} text at least", text, "at least",
                             f"a lower bound of {value} J is \"{text.strip()}\" in text"))
    if least and said > value + 1e-9 * value:
        bad.append(Violation("refusal", f"{where} text at least", said, value,
                             f"\"at least {said} J\" is not true of {value} J"))
    if half and width is None and half > max(12 * digit, 0.05 * value):
        bad.append(Violation("estimate", f"{where} text digits", said, half,
                             f"\"{text.strip()}\" hides that {value} J is known to {half} J"))
    return bad


def below(of, key, low):
    """How far the interval of a lower bound's estimate reaches below it; None: it has none, or is no lower bound."""
    return of[key] - of[low] if of["lower_bound"] and of.get(low) is not None and of[key] is not None else None


def resolution(job):
    return below(job, "charged_j", "charged_low_j") or (job["resolution_j"] if job["half_j"] is None else job["half_j"])


def report(text, total):
    line = line_of(text, "total")
    if line is None:
        return []
    kinds = [(total[kind], below(total, kind, "estimated_low_j") if kind == "estimated_j" else total["half_j"])
             for kind in ("measured_j", "simulated_j", "estimated_j") if total[kind]]
    if total["charged_j"] is None and kinds:  # several, which are listed
        return [v for said, (value, half) in zip(line.split(" + "), kinds)
                for v in energy(said, value, half, total["lower_bound"], "report total")]
    return energy(line, total["charged_j"], kinds[0][1] if len(kinds) == 1 else None, total["lower_bound"], "report total")


def listed(text, job):
    lines = [line for line in text.splitlines() if line.split() and line.split()[0] == job["job"]]
    if len(lines) != 1:
        return []  # several of this id, or more than the text lists
    return energy(lines[0], job["charged_j"], resolution(job), job["lower_bound"], "list")


def shown(answer):
    """The line "energy" of `show`, if the id has one job."""
    if not answer["json"] or len(answer["json"]["jobs"]) != 1:
        return []
    job = answer["json"]["jobs"][0]
    return energy(line_of(answer["text"], "energy"), job["charged_j"], resolution(job), job["lower_bound"], "show")
