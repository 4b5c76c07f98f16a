/* SPDX-License-Identifier: BSD-3-Clause */
/* The degree of an expression: see expression_degree.h. Each operation computes its degree from those of
 * its operands. */
#include "base/expression/expression_degree.h"

#include <math.h>

#include "base/expression/expression_code.h"

enum shape {
    NONE,    /* not known to be homogeneous */
    DEGREE,  /* of degree h */
    NOTHING, /* 0, which is homogeneous of every degree */
};

struct degree {
    enum shape shape;
    double h;
    bool is_constant;
    double value; /* for a constant */
};

static const struct degree none = {NONE, 0, false, 0};

static struct degree of(double h)
{
    return (struct degree){isfinite(h) ? DEGREE : NONE, h, false, 0};
}

static struct degree constant(double value)
{
    enum shape shape = value == 0 ? NOTHING : isfinite(value) ? DEGREE : NONE;
    return (struct degree){shape, 0, true, value};
}

/* The common degree of both. */
static struct degree alike(struct degree a, struct degree b)
{
    if (a.shape == NONE || b.shape == NONE)
        return none;
    if (a.shape == NOTHING)
        return b.shape == NOTHING ? b : of(b.h);
    if (b.shape == NOTHING || fabs(a.h - b.h) <= 1e-12 * fabs(a.h)) /* 0.1 + 0.2 is 0.3 */
        return of(a.h);
    return none;
}

/* A result that is invariant under scaling if `a` is homogeneous: its sign, whether it is 0. */
static struct degree unscaled(struct degree a)
{
    return a.shape == NONE ? none : of(0);
}

static bool is_plain(struct degree a)
{
    return a.shape == NOTHING || (a.shape == DEGREE && a.h == 0);
}

static struct degree product(struct degree a, struct degree b, double sign)
{
    if (a.shape == NONE || b.shape == NONE || (b.shape == NOTHING && sign < 0))
        return none;
    if (a.shape == NOTHING || b.shape == NOTHING)
        return constant(0);
    return of(a.h + sign * b.h);
}

static struct degree power(struct degree a, struct degree b)
{
    if (is_plain(a) && is_plain(b))
        return of(0);
    return a.shape == DEGREE && b.is_constant ? of(a.h * b.value) : none;
}

static struct degree apply_one(enum wtl_opcode code, struct degree a)
{
    switch (code) {
    case OP_NEGATE:
    case OP_ABS:
        return a.shape == NONE ? none : (struct degree){a.shape, a.h, false, 0};
    case OP_SQRT:
        return a.shape == DEGREE ? of(a.h / 2) : a;
    case OP_STEP:
    case OP_NOT:
        return unscaled(a);
    default:
        return is_plain(a) ? of(0) : none;
    }
}

static struct degree apply_two(enum wtl_opcode code, struct degree a, struct degree b)
{
    switch (code) {
    case OP_MULTIPLY:
        return product(a, b, 1);
    case OP_DIVIDE:
        return product(a, b, -1);
    case OP_POWER:
        return power(a, b);
    case OP_AND:
    case OP_OR:
        return a.shape == NONE ? none : unscaled(b);
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MIN:
    case OP_MAX:
        return alike(a, b);
    case OP_MOD:
        return b.shape == NOTHING ? none : alike(a, b);
    default: /* comparisons */
        return unscaled(alike(a, b));
    }
}

static struct degree apply_three(enum wtl_opcode code, const struct degree *o)
{
    switch (code) {
    case OP_SELECT:
        return o[0].shape == NONE ? none : alike(o[1], o[2]);
    case OP_CLAMP:
        return alike(alike(o[0], o[1]), o[2]);
    default: /* OP_SQUARE */
        return is_plain(o[2]) ? unscaled(alike(o[0], o[1])) : none;
    }
}

double wtl_expression_degree(const struct wtl_expression *expression)
{
    struct degree stack[WTL_EXPRESSION_DEPTH + 1] = {{.shape = NONE}};
    struct degree *top = stack; /* stack[0] stays unused */
    for (size_t i = 0; i < expression->count; i++) {
        const struct wtl_op *op = &expression->ops[i];
        int n = wtl_opcode_operands(op->code);
        if (n == 0) {
            *++top = op->code == OP_CONSTANT ? constant(op->constant) : of(1);
            continue;
        }
        top -= n - 1;
        top[0] = n == 1   ? apply_one(op->code, top[0])
                 : n == 2 ? apply_two(op->code, top[0], top[1])
                          : apply_three(op->code, top);
    }
    return top->shape == DEGREE ? top->h : (double)NAN;
}
