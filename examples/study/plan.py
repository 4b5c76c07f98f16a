# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a study: an INI file, checked, and the cells that result from it.

    [study]
    applications = xsbench stream       ; each has a section below
    scales       = 1 2 4 8              ; ranks, nodes, threads: the meaning of {scale}
    variants     = packed spread        ; builds, topologies, placements: the third factor
    variant_key  = topology             ; its name in labels and tables
    repeats      = 5
    ...
    [application xsbench]
    command = xsbench --lookups {lookups}
    [variant packed]
    options = --bind-to core            ; {options} in `launch`
    [scale 4]
    lookups = 250000                    ; any name can be used in braces
"""
import configparser
import random
import re
import shlex
import string
from dataclasses import dataclass, field

SETTINGS = {  # of [study], with their defaults; None: required
    "applications": None, "scales": "1", "variants": "only", "variant_key": "variant", "repeats": "5", "warmup": "1",
    "seed": "1", "interval": "10ms", "sensor": "", "cooldown": "0", "idle": "0", "timeout": "0", "launch": "", "measure": "inside",
}
WORD = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,62}")


class PlanError(Exception):
    """An error message for the user."""


@dataclass(frozen=True)
class Cell:
    application: str
    scale: str
    variant: str
    repeat: int  # from 1; 0 = for warm-up
    command: tuple = field(compare=False)
    environment: tuple = field(compare=False)

    @property
    def name(self):
        """The name of its folder."""
        return f"{self.application}/{self.scale}/{self.variant}/{self.repeat}"

    @property
    def combination(self):
        return self.application, self.scale, self.variant


class Plan:
    def __init__(self, path):
        self.path = path
        self.ini = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=(";",), default_section="\0")
        self.ini.optionxform = str
        try:
            with open(path, encoding="utf-8") as file:
                self.text = file.read()
            self.ini.read_string(self.text, source=str(path))
        except (OSError, UnicodeDecodeError, configparser.Error) as error:
            raise PlanError(f"{path}: {' '.join(str(error).split())}") from None
        if "study" not in self.ini:
            raise PlanError(f"{path}: has no section [study]; examples/study/plan.ini shows one")
        self.study = dict(self.ini["study"])
        for name in self.study:
            if name not in SETTINGS:
                raise PlanError(f"{path}: [study] has no setting \"{name}\"; there are {', '.join(SETTINGS)}")
        for name, preset in SETTINGS.items():
            self.study.setdefault(name, preset)
        if not self.study["applications"]:
            raise PlanError(f"{path}: [study] must say applications = NAME ...")
        self.applications = self.words("applications")
        self.scales = self.words("scales")
        self.variants = self.words("variants")
        self.variant_key = self.words("variant_key")[0]
        self.repeats = self.number("repeats", 1)
        self.warmup = self.number("warmup", 0)
        self.seed = self.number("seed", 0)
        self.cooldown_s = self.seconds("cooldown")
        self.idle_s = self.seconds("idle")
        self.timeout_s = self.seconds("timeout")
        if self.study["measure"] not in ("inside", "outside"):
            raise PlanError(f"{path}: measure = {self.study['measure']}: expected inside (the launcher starts wattle on each node) "
                            "or outside (wattle starts the launcher, on one node)")
        self.check_sections()
        self.blocks = self.make_blocks()

    def words(self, name):
        words = self.study[name].split()
        bad = [word for word in words if not WORD.fullmatch(word)]
        if not words or bad or len(set(words)) != len(words):
            raise PlanError(f"{self.path}: {name} = {self.study[name]}: expected different words of letters, digits, \"_\", \"-\", "
                            "\"+\" and, not first, \".\"")
        return words

    def number(self, name, least):
        text = self.study[name]
        if not text.isdecimal() or int(text) < least or int(text) > 100000:
            raise PlanError(f"{self.path}: {name} = {text}: expected a whole number from {least} to 100000")
        return int(text)

    def seconds(self, name):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|h)?", self.study[name])
        if not found:
            raise PlanError(f"{self.path}: {name} = {self.study[name]}: expected a time, for example 10s or 500ms")
        return float(found[1]) * {"ms": 1e-3, "min": 60, "h": 3600}.get(found[2], 1)

    def check_sections(self):
        known = {"study", "set"}
        for kind, names in (("application", self.applications), ("scale", self.scales), ("variant", self.variants)):
            known |= {f"{kind} {name}" for name in names}
        for section in self.ini.sections():
            if section not in known:
                raise PlanError(f"{self.path}: section [{section}] belongs to nothing that [study] names")
        for name in self.applications:
            if not self.ini.get(f"application {name}", "command", fallback=""):
                raise PlanError(f"{self.path}: [application {name}] must say command = ...")

    def values_of(self, application, scale, variant, repeat):
        """Values that can be used in braces: [set], then application, scale, variant; later ones take precedence."""
        values = {"options": "", "launch": self.study["launch"]}
        for section in ("set", f"application {application}", f"scale {scale}", f"variant {variant}"):
            values.update(self.ini[section] if section in self.ini else {})
        values.update(application=application, scale=scale, variant=variant, repeat=str(repeat))
        return values

    def expand(self, text, values, depth=0):
        if depth > 8:
            raise PlanError(f"{self.path}: \"{text}\" names itself in braces")
        result = []
        try:
            for literal, name, form, conversion in string.Formatter().parse(text):
                result.append(literal)
                if name is None:
                    continue
                if name not in values or form or conversion:
                    raise PlanError(f"{self.path}: {{{name}}} in \"{text}\" is not known; put it into [set], or into the section of "
                                    "an application, scale or variant; a brace itself is written twice")
                result.append(self.expand(values[name], values, depth + 1))
        except ValueError as error:
            raise PlanError(f"{self.path}: \"{text}\": {error}; a brace itself is written twice") from None
        return "".join(result)

    def cell(self, application, scale, variant, repeat):
        values = self.values_of(application, scale, variant, repeat)
        try:
            command = tuple(shlex.split(self.expand(values["command"], values)))
            environment = tuple(shlex.split(self.expand(values.get("environment", ""), values)))
        except ValueError as error:
            raise PlanError(f"{self.path}: command of {application}: {error}") from None
        for pair in environment:
            if not re.match(r"[A-Za-z_][A-Za-z0-9_]*=", pair):
                raise PlanError(f"{self.path}: environment of {application}, {variant}: \"{pair}\": expected NAME=VALUE")
        return Cell(application, scale, variant, repeat, command, environment)

    def launch(self, cell):
        values = self.values_of(cell.application, cell.scale, cell.variant, cell.repeat)
        return shlex.split(self.expand(values["launch"], values))

    def make_blocks(self):
        """Each repeat is a block of all combinations in a separate random order, so that drift affects all equally."""
        rng = random.Random(self.seed)
        blocks = []
        for repeat in range(1, self.repeats + 1):
            block = [self.cell(a, s, v, repeat) for a in self.applications for s in self.scales for v in self.variants]
            rng.shuffle(block)
            blocks.append(block)
        return blocks

    def cells(self):
        return [cell for block in self.blocks for cell in block]
