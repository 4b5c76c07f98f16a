# SPDX-License-Identifier: BSD-3-Clause
"""The tables of numbers in docs/format/trace.md agree with the headers and the reader, and the keys of
its table of metadata with those that wattle writes."""

import os
import re

from scene import SOURCE, Scene, main, wattle_trace


def source(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


SPEC = source("docs", "format", "trace.md")


def enumerators(text, prefix):
    """{NAME: number} of an enum's members with a prefix, including shifts."""
    out = {}
    for name, number, shift in re.findall(rf"\b{prefix}(\w+)\s*=\s*(\d+)u?(?:\s*<<\s*(\d+))?", text):
        out[name] = int(number) << int(shift or 0)
    return out


def table(heading):
    """Rows of the table of the specification with this heading, as lists of cells."""
    lines = SPEC[SPEC.index("\n| " + heading) + 1 :].splitlines()
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def first_word(cell):
    return re.split(r"[:,]", cell)[0].strip()


class Numbers(Scene):
    def column(self, number):
        return [first_word(row[number]) for row in table("number | domain") if row[number]]

    def test_vocabularies(self):
        header = source("include", "wattle", "quantity.h")
        code = source("src", "model", "quantity.c")
        for column, names in enumerate((wattle_trace.DOMAINS, wattle_trace.QUANTITIES, wattle_trace.KINDS,
                                        wattle_trace.QUALITIES), 1):
            spec = self.column(column)
            self.assertEqual(spec, list(names))
            for number, name in enumerate(spec):
                constant = re.search(rf'\[(WATTLE_\w+)\]\s*=\s*"{name}"', code)
                self.assertTrue(constant, f"{name} has no constant")
                self.assertRegex(header, rf"\b{constant[1]} = {number}\b")
        for column, count in ((1, "DOMAIN"), (2, "QUANTITY"), (3, "KIND"), (4, "QUALITY")):
            self.assertRegex(header, rf"\bWATTLE_{count}_COUNT = {len(self.column(column))}\b")
        self.assertEqual([row[0] for row in table("number | domain")], [str(i) for i in range(13)])

    def test_units(self):
        code = source("src", "model", "quantity.c")
        names = dict(re.findall(r'\[(WATTLE_\w+)\]\s*=\s*"(\w*)"', code.split("units[")[0]))
        units = dict(re.findall(r'\[(WATTLE_\w+)\]\s*=\s*"(\w*)"', code.split("units[")[1].split("}")[0]))
        units = {names[constant]: unit for constant, unit in units.items()}
        for number, row in enumerate(table("number | domain")):
            if row[2]:
                unit = re.match(r"\w+(?:, (\w+))?", row[2])[1] or ""
                self.assertEqual(unit, units[first_word(row[2])], row[2])
                self.assertEqual(wattle_trace.UNITS[number], unit)

    def test_reasons(self):
        header = source("src", "model", "gap.h")
        rows = table("reason | meaning")
        for number, row in enumerate(rows):
            name = wattle_trace.REASONS[number]
            self.assertEqual(row[0], f"{number} {name}")
            self.assertRegex(header, rf"\bWTL_GAP_{name.upper().replace(' ', '_')} = {number}\b")
        self.assertRegex(header, rf"WTL_GAP_REASON_COUNT = {len(rows)}\b")

    def test_flags_of_channels(self):
        flags = enumerators(source("include", "wattle", "channel.h"), "WATTLE_CHANNEL_")
        line = SPEC[SPEC.index("Flags of a channel:") :].split("\n\n")[0]
        spec = {m[1].upper().replace(" ", "_"): 1 << int(m[0]) for m in re.findall(r"bit (\d+) \*([\w ]+)\*", line)}
        self.assertEqual(spec, flags)

    def test_blocks(self):
        types = enumerators(source("src", "trace", "blocks", "block.h"), "WTL_BLOCK_")
        spec = {}
        for row in table("type | holds"):
            for number, name in (row[:2], row[2:]):
                if number.isdigit():
                    spec[name.split(" (")[0]] = int(number)
        spec.pop("counters")  # reserved
        for name, number in spec.items():
            self.assertEqual(types[name.upper()], number)
            self.assertEqual(getattr(wattle_trace, name.upper()), number)
        self.assertEqual(types["TYPES"], sum(number < 32 for number in spec.values()) + 1)  # the others follow it
        sections = enumerators(source("src", "trace", "blocks", "block.h"), "WTL_SECTION_")
        for row in re.findall(r"^\| (6\d) (\w+) \|", SPEC, re.M):
            self.assertEqual(sections[row[1].upper()], int(row[0]))
        self.assertEqual(len(sections), 4)

    def test_keys_of_metadata(self):
        """Each key that a run writes is in the table, except `.after` and words of the machine's own."""
        keys = [k for row in table("key | value") for k in re.findall(r"`([^`]+)`", row[0])]
        last, patterns = "", []
        for key in keys:
            if key.startswith("."):
                key = last.rsplit(".", 1)[0].removesuffix(".late_p50_ns") + key
            last = key
            patterns.append(re.sub(r"[A-Z]+", ".+", re.escape(key)))
        known = re.compile("|".join(f"(?:{p})" for p in patterns))
        seen = set()
        for path in (self.run_host("xeon-2s-loaded"), self.run_host("laptop-tgl"), self.run_here("here.wtl", "true")):
            with wattle_trace.open(path) as trace:
                for key in trace.metadata:
                    seen.add(key)
                    self.assertTrue(known.fullmatch(key.removesuffix(".after")), f"{key} is not in the specification")
        self.assertGreater(len(seen), 30)


if __name__ == "__main__":
    main()
