# SPDX-License-Identifier: BSD-3-Clause
"""A situation: a small text, one directive a line ("key value"), from which a whole measurement can be replayed.

    family run
    engine real
    power package-0 60+20*sin(2*pi*t)
    program sleep 0.5

Keys may be repeated; "#" begins a comment. What the keys mean is up to the family that plays the situation."""


class WrongInput(ValueError):
    """Words, options or files that cannot be what was meant; says why."""


class BadSituation(WrongInput):
    """A text that is no situation; says which line and why."""


class Situation:
    """The directives of a situation, in order: a list of (key, value)."""

    def __init__(self, directives, name=""):
        self.directives = list(directives)
        self.name = name

    @classmethod
    def parse(cls, text, name=""):
        directives = []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            key, _, value = line.partition(" ")
            if not key.replace("-", "").replace("_", "").isalnum():
                raise BadSituation(f"{name or 'situation'}, line {number}: \"{key}\" is not a key")
            directives.append((key, value.strip()))
        situation = cls(directives, name)
        if situation.one("family") is None:
            raise BadSituation(f"{name or 'situation'}: no \"family\" line")
        return situation

    @classmethod
    def of_lines(cls, family, lines, name=""):
        return cls.parse("\n".join([f"family {family}", *lines]), name)

    @property
    def family(self):
        return self.one("family")

    def all(self, key):
        """Values of every line with this key."""
        return [value for k, value in self.directives if k == key]

    def one(self, key, default=None):
        """Value of the last line with this key."""
        values = self.all(key)
        return values[-1] if values else default

    def number(self, key, default=None):
        value = self.one(key)
        return default if value is None else float(value)

    def pairs(self, key):
        """The last line with this key, "a=1 b=2", as a dict of texts."""
        return dict(word.partition("=")[::2] for word in (self.one(key) or "").split())

    def text(self):
        return "".join(f"{key} {value}".rstrip() + "\n" for key, value in self.directives)
