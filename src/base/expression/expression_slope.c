/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds of value and slope: see expression_slope.h. The slope is a bound of the difference quotient, so
 * jumps (step, floor, comparisons) are infinite slopes in one direction, and the rules are those for
 * differences: for a product f g, f(b) g(b) - f(a) g(a) = f(b) (g(b) - g(a)) + g(a) (f(b) - f(a)).
 */
#include "base/expression/expression_slope.h"

#include <math.h>

#include "base/expression/expression_code.h"

#define PI 3.14159265358979323846

static const struct wtl_span zero = {0, 0}, one = {1, 1};
static const struct wtl_span anything = {-INFINITY, INFINITY};

/* ---- spans ---- */

static struct wtl_span make(double low, double high)
{
    return (struct wtl_span){isnan(low) ? (double)-INFINITY : low,
                             isnan(high) ? (double)INFINITY : high};
}

static struct wtl_span hull(struct wtl_span a, struct wtl_span b)
{
    return (struct wtl_span){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static struct wtl_span negative(struct wtl_span a)
{
    return (struct wtl_span){-a.high, -a.low};
}

static struct wtl_span sum(struct wtl_span a, struct wtl_span b)
{
    return make(a.low + b.low, a.high + b.high);
}

static struct wtl_span difference(struct wtl_span a, struct wtl_span b)
{
    return sum(a, negative(b));
}

/* 0 * infinity is 0 here: the bound is never reached. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct wtl_span product(struct wtl_span a, struct wtl_span b)
{
    double p = times(a.low, b.low), q = times(a.low, b.high);
    double r = times(a.high, b.low), s = times(a.high, b.high);
    return (struct wtl_span){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))};
}

static bool has_zero(struct wtl_span a)
{
    return a.low <= 0 && a.high >= 0;
}

/* 1 / a for a span that does not contain 0. */
static struct wtl_span inverse(struct wtl_span a)
{
    return (struct wtl_span){1 / a.high, 1 / a.low};
}

/* The slope of a function that only jumps, always in the direction of its argument. */
static struct wtl_span jump(struct wtl_span slope)
{
    return (struct wtl_span){slope.low < 0 ? (double)-INFINITY : 0,
                             slope.high > 0 ? (double)INFINITY : 0};
}

/* The span of an increasing function of one argument. */
static struct wtl_span ends(double (*function)(double), struct wtl_span a)
{
    return make(function(a.low), function(a.high));
}

/* Whether a contains offset + k * period for an integer k. */
static bool meets(struct wtl_span a, double offset, double period)
{
    if (!(a.high - a.low < period) || fmax(fabs(a.low), fabs(a.high)) > 1e8)
        return true;
    double slack = 1e-7; /* of the argument reduction by pi */
    return offset + period * ceil((a.low - slack - offset) / period) <= a.high + slack;
}

static struct wtl_span sine(struct wtl_span a)
{
    double p = sin(a.low), q = sin(a.high);
    return (struct wtl_span){meets(a, -PI / 2, 2 * PI) ? -1 : fmin(p, q),
                             meets(a, PI / 2, 2 * PI) ? 1 : fmax(p, q)};
}

static struct wtl_span squared(struct wtl_span a)
{
    double p = a.low * a.low, q = a.high * a.high;
    return (struct wtl_span){has_zero(a) ? 0 : fmin(p, q), fmax(p, q)};
}

/* ---- functions of one argument ---- */

/* f(a), with the derivative within d. */
static struct wtl_slope smooth(struct wtl_slope a, struct wtl_span value, struct wtl_span d)
{
    return (struct wtl_slope){value, product(d, a.slope), a.defined};
}

static struct wtl_slope undefined(void)
{
    return (struct wtl_slope){anything, anything, false};
}

static struct wtl_slope constant(double value)
{
    return (struct wtl_slope){{value, value}, zero, !isnan(value)};
}

static struct wtl_slope negate(struct wtl_slope a)
{
    return (struct wtl_slope){negative(a.value), negative(a.slope), a.defined};
}

static struct wtl_slope logarithm(struct wtl_slope a, double scale)
{
    if (!(a.value.low > 0))
        return undefined();
    struct wtl_span s = {scale, scale};
    return smooth(a, product(s, ends(log, a.value)), product(s, inverse(a.value)));
}

static struct wtl_slope square_root(struct wtl_slope a)
{
    if (!(a.value.low >= 0))
        return undefined();
    struct wtl_span root = ends(sqrt, a.value);
    return smooth(a, root, (struct wtl_span){0.5 / root.high, 0.5 / root.low});
}

static struct wtl_slope absolute(struct wtl_slope a)
{
    if (a.value.low >= 0)
        return a;
    if (a.value.high <= 0)
        return negate(a);
    struct wtl_span value = {0, fmax(-a.value.low, a.value.high)};
    return (struct wtl_slope){value, hull(a.slope, negative(a.slope)), a.defined};
}

static struct wtl_slope whole(struct wtl_slope a, double (*function)(double))
{
    struct wtl_span value = ends(function, a.value);
    bool jumps = !(value.low == value.high);
    return (struct wtl_slope){value, jumps ? jump(a.slope) : zero, a.defined};
}

static struct wtl_slope tangent(struct wtl_slope a)
{
    if (meets(a.value, PI / 2, PI))
        return undefined();
    struct wtl_span value = ends(tan, a.value);
    return smooth(a, value, sum(one, squared(value)));
}

/* 1 where a is 0, else 0. */
static struct wtl_slope is_zero(struct wtl_slope a)
{
    if (!has_zero(a.value))
        return (struct wtl_slope){zero, zero, a.defined};
    if (a.value.low == a.value.high)
        return (struct wtl_slope){one, zero, a.defined};
    struct wtl_span slope = a.value.low >= 0    ? jump(negative(a.slope))
                            : a.value.high <= 0 ? jump(a.slope)
                                                : anything;
    return (struct wtl_slope){{0, 1}, slope, a.defined};
}

/* ---- functions of two ---- */

static struct wtl_slope add(struct wtl_slope a, struct wtl_slope b)
{
    return (struct wtl_slope){sum(a.value, b.value), sum(a.slope, b.slope), a.defined && b.defined};
}

static struct wtl_slope multiply(struct wtl_slope a, struct wtl_slope b)
{
    return (struct wtl_slope){product(a.value, b.value),
                              sum(product(a.value, b.slope), product(b.value, a.slope)),
                              a.defined && b.defined};
}

static struct wtl_slope divide(struct wtl_slope a, struct wtl_slope b)
{
    if (has_zero(b.value))
        return undefined();
    struct wtl_span part = inverse(b.value), value = product(a.value, part);
    return (struct wtl_slope){value, product(difference(a.slope, product(value, b.slope)), part),
                              a.defined && b.defined};
}

/* a > b, or a >= b. */
static struct wtl_slope greater(struct wtl_slope a, struct wtl_slope b, bool or_equal)
{
    bool defined = a.defined && b.defined;
    if (or_equal ? a.value.low >= b.value.high : a.value.low > b.value.high)
        return (struct wtl_slope){one, zero, defined};
    if (or_equal ? a.value.high < b.value.low : a.value.high <= b.value.low)
        return (struct wtl_slope){zero, zero, defined};
    return (struct wtl_slope){{0, 1}, jump(difference(a.slope, b.slope)), defined};
}

static struct wtl_slope equal(struct wtl_slope a, struct wtl_slope b)
{
    bool defined = a.defined && b.defined;
    if (a.value.low > b.value.high || a.value.high < b.value.low)
        return (struct wtl_slope){zero, zero, defined};
    if (a.value.low == a.value.high && b.value.low == b.value.high)
        return (struct wtl_slope){one, zero, defined};
    return (struct wtl_slope){{0, 1}, anything, defined};
}

/* The lesser of the two changes like one of them, or by an amount in between. */
static struct wtl_slope least(struct wtl_slope a, struct wtl_slope b)
{
    if (!a.defined || !b.defined)
        return undefined();
    if (a.value.high <= b.value.low)
        return a;
    if (b.value.high <= a.value.low)
        return b;
    struct wtl_span value = {fmin(a.value.low, b.value.low), fmin(a.value.high, b.value.high)};
    return (struct wtl_slope){value, hull(a.slope, b.slope), true};
}

static struct wtl_slope greatest(struct wtl_slope a, struct wtl_slope b)
{
    return negate(least(negate(a), negate(b)));
}

static struct wtl_slope modulo(struct wtl_slope a, struct wtl_slope b)
{
    struct wtl_slope times_b = whole(divide(a, b), floor);
    if (times_b.defined && times_b.value.low == times_b.value.high)
        return add(a, negate(multiply(times_b, b)));
    struct wtl_span value = hull(zero, b.value);
    return (struct wtl_slope){value, anything, times_b.defined};
}

/* a^c for a >= 0: value, and c a^(c - 1). */
static struct wtl_slope power_of_positive(struct wtl_slope a, double c)
{
    double low = a.value.low, high = a.value.high;
    if (c < 0 && low <= 0)
        return undefined();
    struct wtl_span value = {pow(c < 0 ? high : low, c), pow(c < 0 ? low : high, c)};
    struct wtl_span d = {pow(c < 1 ? high : low, c - 1), pow(c < 1 ? low : high, c - 1)};
    return smooth(a, value, product((struct wtl_span){c, c}, d));
}

/* The span of f(a) for an f that is monotonic, or monotonic on each side of 0. */
static struct wtl_span between(double at_low, double at_high, bool turns)
{
    return (struct wtl_span){turns ? 0 : fmin(at_low, at_high), fmax(at_low, at_high)};
}

/* a^c for an integer c and any a: value, and c a^(c - 1). The one of the two with the even exponent turns
 * at 0. */
static struct wtl_slope whole_power(struct wtl_slope a, double c)
{
    bool is_even = fmod(fabs(c), 2) < 0.5, at_zero = has_zero(a.value);
    double low = a.value.low, high = a.value.high;
    if (c < 0 && at_zero)
        return undefined();
    struct wtl_span value = between(pow(low, c), pow(high, c), at_zero && is_even);
    double d_low = c * pow(low, c - 1), d_high = c * pow(high, c - 1);
    return smooth(a, value, between(d_low, d_high, at_zero && !is_even && c > 1));
}

static struct wtl_slope power(struct wtl_slope a, struct wtl_slope b)
{
    double c = b.value.low;
    bool is_constant = b.value.low == b.value.high;
    if (!a.defined || !b.defined)
        return undefined();
    if (is_constant && c == 0)
        return constant(1);
    if (is_constant && a.value.low >= 0)
        return power_of_positive(a, c);
    if (is_constant && c == floor(c))
        return whole_power(a, c);
    if (!(a.value.low > 0))
        return undefined();
    struct wtl_slope exponent = multiply(b, logarithm(a, 1));
    struct wtl_span value = ends(exp, exponent.value);
    return smooth(exponent, value, value);
}

static struct wtl_slope choose(struct wtl_slope condition, struct wtl_slope a, struct wtl_slope b)
{
    struct wtl_slope holds = is_zero(is_zero(condition));
    if (!condition.defined)
        return undefined();
    if (holds.value.low == 1)
        return a;
    if (holds.value.high == 0)
        return b;
    struct wtl_span up = difference(a.value, b.value), slope = hull(a.slope, b.slope);
    bool may_rise = (holds.slope.high > 0 && up.high > 0) || (holds.slope.low < 0 && up.low < 0);
    bool may_fall = (holds.slope.high > 0 && up.low < 0) || (holds.slope.low < 0 && up.high > 0);
    return (struct wtl_slope){
        hull(a.value, b.value),
        {may_fall ? (double)-INFINITY : slope.low, may_rise ? (double)INFINITY : slope.high},
        a.defined && b.defined};
}

/* ---- the program ---- */

static struct wtl_slope apply_one(enum wtl_opcode code, struct wtl_slope a)
{
    struct wtl_span quarter = {a.value.low + PI / 2, a.value.high + PI / 2}, value;
    switch (code) {
    case OP_NEGATE:
        return negate(a);
    case OP_NOT:
        return is_zero(a);
    case OP_SIN:
        return smooth(a, sine(a.value), sine(quarter));
    case OP_COS:
        return smooth(a, sine(quarter), negative(sine(a.value)));
    case OP_TAN:
        return tangent(a);
    case OP_TANH:
        value = ends(tanh, a.value);
        return smooth(a, value, difference(one, squared(value)));
    case OP_EXP:
        value = ends(exp, a.value);
        return smooth(a, value, value);
    case OP_LOG:
        return logarithm(a, 1);
    case OP_LOG10:
        return logarithm(a, 1 / log(10));
    case OP_SQRT:
        return square_root(a);
    case OP_ABS:
        return absolute(a);
    case OP_FLOOR:
        return whole(a, floor);
    case OP_CEIL:
        return whole(a, ceil);
    default:
        return greater(a, constant(0), true); /* OP_STEP */
    }
}

static struct wtl_slope apply_logic(enum wtl_opcode code, struct wtl_slope a, struct wtl_slope b)
{
    switch (code) {
    case OP_LESS:
        return greater(b, a, false);
    case OP_LESS_EQUAL:
        return greater(b, a, true);
    case OP_GREATER:
        return greater(a, b, false);
    case OP_GREATER_EQUAL:
        return greater(a, b, true);
    case OP_EQUAL:
        return equal(a, b);
    case OP_NOT_EQUAL:
        return is_zero(equal(a, b));
    case OP_AND:
        return least(is_zero(is_zero(a)), is_zero(is_zero(b)));
    default: /* OP_OR */
        return greatest(is_zero(is_zero(a)), is_zero(is_zero(b)));
    }
}

static struct wtl_slope apply_two(enum wtl_opcode code, struct wtl_slope a, struct wtl_slope b)
{
    switch (code) {
    case OP_ADD:
        return add(a, b);
    case OP_SUBTRACT:
        return add(a, negate(b));
    case OP_MULTIPLY:
        return multiply(a, b);
    case OP_DIVIDE:
        return divide(a, b);
    case OP_POWER:
        return power(a, b);
    case OP_MIN:
        return least(a, b);
    case OP_MAX:
        return greatest(a, b);
    case OP_MOD:
        return modulo(a, b);
    default:
        return apply_logic(code, a, b);
    }
}

static struct wtl_slope apply_three(enum wtl_opcode code, const struct wtl_slope *of)
{
    switch (code) {
    case OP_SELECT:
        return choose(of[0], of[1], of[2]);
    case OP_CLAMP:
        return least(greatest(of[0], of[1]), of[2]);
    default: /* OP_SQUARE: jumps up and down */
        return (struct wtl_slope){{0, 1},
                                  anything,
                                  of[0].defined && of[1].defined && of[2].defined &&
                                      !has_zero(of[1].value)};
    }
}

/* Subnormal numbers that have lost most of their digits would give invalid bounds. */
static bool has_lost_digits(double value)
{
    return fpclassify(value) == FP_SUBNORMAL;
}

struct wtl_slope wtl_expression_slope(const struct wtl_expression *expression,
                                      const struct wtl_span *box,
                                      unsigned variable)
{
    struct wtl_slope stack[WTL_EXPRESSION_DEPTH + 1];
    struct wtl_slope *top = stack; /* stack[0] stays unused */
    for (size_t i = 0; i < expression->count; i++) {
        const struct wtl_op *op = &expression->ops[i];
        if (op->code == OP_CONSTANT) {
            *++top = constant(op->constant);
        } else if (op->code == OP_VARIABLE) {
            *++top =
                (struct wtl_slope){box[op->variable], op->variable == variable ? one : zero, true};
        } else {
            int n = wtl_opcode_operands(op->code);
            top -= n - 1;
            top[0] = n == 1   ? apply_one(op->code, top[0])
                     : n == 2 ? apply_two(op->code, top[0], top[1])
                              : apply_three(op->code, top);
            if (has_lost_digits(top[0].value.low) || has_lost_digits(top[0].value.high))
                top[0].defined = false;
        }
    }
    return *top;
}
