# SPDX-License-Identifier: BSD-3-Clause
"""Power of the simulated node and its exact energy: wattle-sim(1), EXPRESSIONS, and docs/dev/sim.md.

A `Power` is an expression of watts. A `Course` is what a node did over time: steps of load, frequency and expressions,
as `wattle-sim run --log FILE` and `wattle-sim log` write them. Both give the energy as the finite sum that the
documentation defines: power is constant within parts; a part ends at a step and, if the expression depends on t, at the
next line of a grid of 100 us, and has the value of the expression in the middle of its cell.
"""
import math
import re

import numpy as np

GRID_NS = 100_000
TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)"
                   r"|(<=|>=|==|!=|&&|\|\||[-+*/^()<>!?:,]))")
VARIABLES = ("t", "load", "f", "socket", "phases", "tasks", "busy", "gpu")


class Malformed(ValueError):
    """An expression outside of the language."""


def split(text):
    """The tokens of an expression: numbers as float, names and signs as text."""
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise Malformed(f"cannot read {text[at:]!r}")
        number, name, sign = found.groups()
        if number is not None and math.isinf(float(number)):
            raise Malformed(f"{number} is not a number")
        tokens.append(float(number) if number is not None else name or sign)
        at = found.end()
    return tokens


def square(t, period, duty):
    """1 in the first part (duty) of each period."""
    return np.where(np.mod(t / period, 1.0) < duty, 1.0, 0.0)


FUNCTIONS = {
    "sin": (1, np.sin), "cos": (1, np.cos), "tan": (1, np.tan), "tanh": (1, np.tanh), "exp": (1, np.exp),
    "log": (1, np.log), "log10": (1, np.log10), "sqrt": (1, np.sqrt), "abs": (1, np.abs), "floor": (1, np.floor),
    "ceil": (1, np.ceil), "min": (2, np.fmin), "max": (2, np.fmax), "mod": (2, np.mod),
    "clamp": (3, lambda x, low, high: np.fmin(np.fmax(x, low), high)),
    "step": (1, lambda x: np.where(x >= 0, 1.0, 0.0)), "square": (3, square),
}
BINARY = [
    {"||": lambda a, b: np.where((a != 0) | (b != 0), 1.0, 0.0)},
    {"&&": lambda a, b: np.where((a != 0) & (b != 0), 1.0, 0.0)},
    {"==": lambda a, b: np.where(a == b, 1.0, 0.0), "!=": lambda a, b: np.where(a != b, 1.0, 0.0)},
    {"<": lambda a, b: np.where(a < b, 1.0, 0.0), ">": lambda a, b: np.where(a > b, 1.0, 0.0),
     "<=": lambda a, b: np.where(a <= b, 1.0, 0.0), ">=": lambda a, b: np.where(a >= b, 1.0, 0.0)},
    {"+": np.add, "-": np.subtract},
    {"*": np.multiply, "/": np.divide},
]


class Parser:
    """Recursive descent over the tokens; methods return functions of the variables (a dict of numbers or arrays)."""

    def __init__(self, text):
        self.tokens = split(text)
        self.at = 0
        self.names = set()

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, sign=None):
        token = self.peek()
        if token is None or (sign is not None and token != sign):
            raise Malformed(f"expected {sign or 'a value'}, not {token!r}")
        self.at += 1
        return token

    def all(self):
        value = self.choice()
        if self.peek() is not None:
            raise Malformed(f"unexpected {self.peek()!r}")
        return value

    def choice(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take("?")
        yes = self.choice()
        self.take(":")
        no = self.choice()
        return lambda v: np.where(np.asarray(condition(v)) != 0, yes(v), no(v))

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while isinstance(self.peek(), str) and self.peek() in BINARY[level]:
            function = BINARY[level][self.take()]
            left = (lambda f, a, b: lambda v: f(a(v), b(v)))(function, left, self.binary(level + 1))
        return left

    def unary(self):
        if self.peek() == "-":
            self.take()
            inner = self.unary()
            return lambda v: np.negative(inner(v))
        if self.peek() == "+":
            self.take()
            return self.unary()
        if self.peek() == "!":
            self.take()
            inner = self.unary()
            return lambda v: np.where(np.asarray(inner(v)) == 0, 1.0, 0.0)
        return self.power()

    def power(self):
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        exponent = self.unary()
        return lambda v: np.power(np.asarray(base(v), dtype=float), exponent(v))

    def atom(self):
        token = self.take()
        if isinstance(token, float):
            return lambda v: token
        if token == "(":
            value = self.choice()
            self.take(")")
            return value
        if token in FUNCTIONS:
            return self.call(token)
        if token == "pi":
            return lambda v: math.pi
        if token in VARIABLES:
            self.names.add(token)
            return lambda v: v[token]
        raise Malformed(f"unexpected {token!r}")

    def call(self, name):
        count, function = FUNCTIONS[name]
        self.take("(")
        arguments = [self.choice()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.choice())
        self.take(")")
        if len(arguments) != count:
            raise Malformed(f"{name} takes {count} arguments, not {len(arguments)}")
        return lambda v: function(*[a(v) for a in arguments])


class Power:
    """An expression for the power of a domain, in watts."""

    def __init__(self, expression):
        self.text = str(expression)
        parser = Parser(self.text)
        self.value = parser.all()
        self.names = parser.names
        self.varies = "t" in parser.names

    def at(self, t, load=0.0, f=2.5, socket=0, **others):
        """Watts at t seconds (a number or an array); a negative or non-finite value counts as 0 (wattle-sim(1))."""
        t = np.asarray(t, dtype=float)
        values = dict({name: 0.0 for name in VARIABLES}, t=t, load=load, f=f, socket=float(socket), **others)
        with np.errstate(all="ignore"):
            watts = np.broadcast_to(np.asarray(self.value(values), dtype=float), t.shape)
        watts = np.where(np.isfinite(watts) & (watts > 0), watts, 0.0)
        return watts if watts.shape else float(watts)

    def course(self, load=0.0, f=2.5, socket=0, t0_ns=0):
        """A course without steps: this expression forever, from long before t = 0."""
        always = -(1 << 60)
        return Course(t0_ns, "x", socket, [(always, "x", self.text), (always, "load", load), (always, "f", f)])

    def energy_j(self, from_s, to_s, load=0.0, f=2.5, socket=0):
        """Joules between two times in seconds since t = 0."""
        return self.course(load, f, socket).energy_j(ns(from_s), ns(to_s))

    def extremes_w(self, window_s, from_s, to_s, load=0.0, f=2.5, socket=0):
        """The least and the greatest mean power of any window of this length within the interval."""
        return self.course(load, f, socket).extremes_w(ns(window_s), ns(from_s), ns(to_s))


def ns(seconds):
    """Seconds as whole nanoseconds."""
    return int(round(seconds * 1e9))


def parse_log(text):
    """Steps of a node from `--log FILE` or `wattle-sim log` (tabs), or its CSV: [(ns, what, value), ...]."""
    steps = []
    for line in text.splitlines():
        cells = line.split("\t", 2) if "\t" in line else line.split(",", 2)
        if len(cells) == 3 and cells[0].isdigit():
            value = cells[2]
            if "\t" not in line and value.startswith('"'):
                value = value[1:-1].replace('""', '"')
            steps.append((int(cells[0]), cells[1], value))
    return steps


def start_of(steps):
    """The instant at which the node began."""
    return min([when for when, what, _ in steps if what == "start"], default=steps[0][0])


class Course:
    """The power of one domain over time, from the steps of its node: [(ns, what, value), ...] in the order of time.

    `what` is the domain (value: expression), load, f or, for gpu-N, kernels-N (the variable gpu); others are ignored.
    Loads in a log have six digits, so where power depends on the load the energy is off by up to 5e-7 of that part.
    t0_ns is the instant of t = 0: --t0, else the start of the node. origin_ns is a line of the grid: the start of the
    node, not t = 0 (the pages do not say so; seen with --t0). Before the first step of the domain there is no power.
    """

    def __init__(self, t0_ns, domain, socket, steps, grid_ns=GRID_NS, origin_ns=None):
        self.t0_ns, self.grid_ns, self.domain, self.socket = t0_ns, grid_ns, domain, socket
        self.origin_ns = t0_ns if origin_ns is None else origin_ns
        self.times, self.states = [], []
        powers, state = {}, {"power": Power("0"), "load": 0.0, "f": 2.5, "gpu": 0.0}
        for when, what, value in sorted(steps, key=lambda step: step[0]):
            if what == domain:
                state["power"] = powers.setdefault(str(value), None) or Power(value)
                powers[str(value)] = state["power"]
            elif what in ("load", "f"):
                state[what] = float(value)
            elif what == "kernels-" + domain.rsplit("-", 1)[-1] and domain.startswith("gpu-"):
                state["gpu"] = float(value)
            else:
                continue
            if self.times and self.times[-1] == when:
                self.states[-1] = dict(state)
            else:
                self.times.append(when)
                self.states.append(dict(state))

    @classmethod
    def of_log(cls, text, domain, t0_ns=None, **more):
        """The course of a domain such as `package-1` (socket 1) from the text of a log."""
        steps = parse_log(text)
        start = start_of(steps)
        more.setdefault("origin_ns", start)
        number = domain.rsplit("-", 1)[-1]
        socket = int(number) if number.isdigit() else 0
        return cls(start if t0_ns is None else t0_ns, domain, socket, steps, **more)

    def watts(self, state, begin, end):
        """Parts of a piece without steps: edges in ns and the watts between them."""
        power = state["power"]
        values = {"load": state["load"], "f": state["f"], "gpu": state["gpu"], "socket": self.socket}
        if not power.varies:
            return [begin, end], [power.at(0.0, **values)]
        first = (begin - self.origin_ns) // self.grid_ns
        last = -((self.origin_ns - end) // self.grid_ns)
        lines = self.origin_ns + self.grid_ns * np.arange(first, last + 1, dtype=np.int64)
        middles = (lines[:-1] + self.grid_ns // 2 - self.t0_ns) * 1e-9
        edges = lines.copy()
        edges[0], edges[-1] = begin, end
        return edges, power.at(middles, **values)

    def parts(self, from_ns, to_ns):
        """Edges (n + 1 int64 ns) and watts (n) of the staircase between two instants."""
        edges, watts = [from_ns], []
        bounds = [from_ns] + [when for when in self.times if from_ns < when < to_ns] + [to_ns]
        for begin, end in zip(bounds, bounds[1:]):
            if end <= begin:
                continue
            index = np.searchsorted(self.times, begin, side="right") - 1
            if index < 0:
                piece, values = [begin, end], [0.0]
            else:
                piece, values = self.watts(self.states[index], begin, end)
            edges.extend(piece[1:])
            watts.extend(values)
        return np.array(edges, dtype=np.int64), np.array(watts, dtype=float)

    def energy_j(self, from_ns, to_ns):
        """Exact joules between two instants of CLOCK_MONOTONIC."""
        edges, watts = self.parts(int(from_ns), int(to_ns))
        return math.fsum(np.diff(edges) * watts) * 1e-9

    def mean_w(self, from_ns, to_ns):
        """Mean power between two instants."""
        return self.energy_j(from_ns, to_ns) / (to_ns - from_ns) * 1e9

    def reached(self, from_ns, to_ns):
        """Edges and the joules since from_ns at each of them."""
        edges, watts = self.parts(int(from_ns), int(to_ns))
        return edges, np.concatenate(([0.0], np.cumsum(np.diff(edges) * watts * 1e-9)))

    def extremes_w(self, window_ns, from_ns, to_ns):
        """The least and greatest mean power of any window of exactly this length inside [from, to].

        Exact but for rounding (1e-12 of the energy): the energy of a sliding window is piecewise linear, with corners
        only where one of its ends meets an edge of the staircase. A window as long as the interval or longer is the
        interval.
        """
        if window_ns >= to_ns - from_ns:
            mean = self.mean_w(from_ns, to_ns)
            return mean, mean
        edges, joules = self.reached(from_ns, to_ns)
        return slide(edges - from_ns, joules, window_ns)

    def extremes_at_least_w(self, window_ns, from_ns, to_ns, steps=32):
        """Bounds of the mean power of any window of at least this length inside [from, to].

        A window of two lengths or more is made of shorter ones, so lengths up to twice the window suffice. Lengths
        between those that are tried (window / steps apart) are allowed for: the bounds are outer ones, and at most
        (greatest - least power) / steps too wide.
        """
        if window_ns >= to_ns - from_ns:
            return self.extremes_w(window_ns, from_ns, to_ns)
        edges, joules = self.reached(from_ns, to_ns)
        edges = edges - from_ns
        lengths = [window_ns * (steps + i) / steps for i in range(steps + 1)]
        longest = float(to_ns - from_ns)
        lengths = [length for length in lengths if length < longest] + [min(lengths[-1], longest)]
        pairs = [slide(edges, joules, length) for length in lengths]
        with np.errstate(all="ignore"):
            watts = np.diff(joules) / np.diff(edges) * 1e9
        slack = (watts.max() - watts.min()) / steps if len(pairs) > 1 else 0.0
        exact = pairs[0]
        low, high = min(p[0] for p in pairs), max(p[1] for p in pairs)
        return max(watts.min(), min(exact[0], low - slack / 2)), min(watts.max(), max(exact[1], high + slack / 2))


def slide(edges, joules, window_ns):
    """The least and greatest mean power of windows of one length over a polygon of energy (edges in ns from 0)."""
    end = float(edges[-1])
    begins = np.concatenate((edges, edges - window_ns, [0.0, end - window_ns]))
    begins = begins[(begins >= 0) & (begins <= end - window_ns)]
    gained = np.interp(begins + window_ns, edges, joules) - np.interp(begins, edges, joules)
    return float(gained.min() / window_ns * 1e9), float(gained.max() / window_ns * 1e9)


def domains_of(text):
    """Names of the domains in the text of a log: those that it defines at the start of the node."""
    steps = parse_log(text)
    start = start_of(steps)
    return [what for when, what, _ in steps if when == start and what not in ("start", "load", "f")]
