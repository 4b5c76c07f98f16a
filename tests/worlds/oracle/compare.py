# SPDX-License-Identifier: BSD-3-Clause
"""A against B from the documents of single runs: docs/guide/comparing.md and docs/format/compare.md."""
import math

QUANTITIES = {
    "time": lambda d: d["wall_time_s"], "energy": lambda d: d["total"]["energy_j"],
    "power": lambda d: d["total"]["mean_w"], "energy x time": lambda d: d["edp_js"],
}


def values(documents, quantity):
    """One number of each run, in the order of the runs."""
    return [QUANTITIES[quantity](d) for d in documents]


def mean(numbers):
    return math.fsum(numbers) / len(numbers)


def variance(numbers):
    middle = mean(numbers)
    return math.fsum((x - middle) ** 2 for x in numbers) / (len(numbers) - 1)


def geometric(numbers):
    return math.exp(mean([math.log(x) for x in numbers]))


def change(a, b):
    """B / A - 1 of the geometric means: the change that is quoted ("of the geometric means, from A to B")."""
    return geometric(b) / geometric(a) - 1


def change_of_means(a, b):
    """B / A - 1 of the means that the columns A and B show: geometric ones, too ("A and B are geometric means")."""
    return geometric(b) / geometric(a) - 1


def signs_agree(a, b):
    """Whether the quoted change has the sign of the difference that the columns show (a reader expects it)."""
    return change(a, b) * change_of_means(a, b) >= 0


def tail(t, df):
    """P(T > t) of Student's t, by the incomplete beta function (continued fraction)."""
    x = df / (df + t * t)
    half = 0.5 * beta(df / 2, 0.5, x)
    return half if t >= 0 else 1 - half


def beta(a, b, x):
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 400):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            total *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return front * total


def quantile(df, confidence=0.95):
    """The t that the interval of this confidence has."""
    low, high = 0.0, 1e7
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * tail(middle, df) > 1 - confidence else (low, middle)
    return (low + high) / 2


def welch(a, b):
    """Difference of the means of logarithms, its standard error and degrees of freedom."""
    x, y = [math.log(v) for v in a], [math.log(v) for v in b]
    u, v = variance(x) / len(x), variance(y) / len(y)
    df = (u + v) ** 2 / (u * u / (len(x) - 1) + v * v / (len(y) - 1)) if u + v > 0 else len(x) + len(y) - 2
    return mean(y) - mean(x), math.sqrt(u + v), df


def paired(a, b):
    """The same for runs in pairs."""
    ratios = [math.log(y / x) for x, y in zip(a, b)]
    return mean(ratios), math.sqrt(variance(ratios) / len(ratios)), len(ratios) - 1


def interval(a, b, confidence=0.95, pairs=False):
    """(change, low, high) as fractions, by the t test on logarithms of this confidence."""
    middle, error, df = paired(a, b) if pairs else welch(a, b)
    reach = quantile(df, confidence) * error
    return math.expm1(middle), math.expm1(middle - reach), math.expm1(middle + reach)


def p_value(a, b, pairs=False):
    """Two-sided p of no change."""
    middle, error, df = paired(a, b) if pairs else welch(a, b)
    return 2 * tail(abs(middle) / error, df) if error > 0 else float(middle == 0)


def holm(ps, total=0.05):
    """Of each p, the alpha of its comparison in Holm's order and whether it is rejected."""
    order, out, open_ = sorted(range(len(ps)), key=lambda i: ps[i]), [None] * len(ps), True
    for position, i in enumerate(order):
        alpha = total / (len(ps) - position)
        open_ = open_ and ps[i] <= alpha
        out[i] = (alpha, open_)
    return out
