/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of expressions. Nothing fails: undefined results are NaN or infinite, and comparisons and
 * logical operators give 0 or 1.
 */
#include "base/expression/opcode.h"

#include <math.h>

int wtl_opcode_operands(enum wtl_opcode code)
{
    if (code <= OP_VARIABLE)
        return 0;
    return code < OP_ADD ? 1 : code < OP_SELECT ? 2 : 3;
}

static double apply_one(enum wtl_opcode code, double x)
{
    switch (code) {
    case OP_NEGATE:
        return -x;
    case OP_NOT:
        return x == 0;
    case OP_SIN:
        return sin(x);
    case OP_COS:
        return cos(x);
    case OP_TAN:
        return tan(x);
    case OP_TANH:
        return tanh(x);
    case OP_EXP:
        return exp(x);
    case OP_LOG:
        return log(x);
    case OP_LOG10:
        return log10(x);
    case OP_SQRT:
        return sqrt(x);
    case OP_ABS:
        return fabs(x);
    case OP_FLOOR:
        return floor(x);
    case OP_CEIL:
        return ceil(x);
    default:
        return x >= 0; /* OP_STEP */
    }
}

/* Remainder with the sign of the divisor, so that it is a sawtooth on both sides of 0. */
static double modulo(double x, double y)
{
    return x - y * floor(x / y);
}

static double apply_logic(enum wtl_opcode code, double x, double y)
{
    switch (code) {
    case OP_LESS:
        return x < y;
    case OP_LESS_EQUAL:
        return x <= y;
    case OP_GREATER:
        return x > y;
    case OP_GREATER_EQUAL:
        return x >= y;
    case OP_EQUAL:
        return x == y;
    case OP_NOT_EQUAL:
        return x != y;
    case OP_AND:
        return (x != 0) & (y != 0);
    default:
        return (x != 0) | (y != 0); /* OP_OR */
    }
}

static double apply_two(enum wtl_opcode code, double x, double y)
{
    switch (code) {
    case OP_ADD:
        return x + y;
    case OP_SUBTRACT:
        return x - y;
    case OP_MULTIPLY:
        return x * y;
    case OP_DIVIDE:
        return x / y;
    case OP_POWER:
        return pow(x, y);
    case OP_MIN:
        return fmin(x, y);
    case OP_MAX:
        return fmax(x, y);
    case OP_MOD:
        return modulo(x, y);
    default:
        return apply_logic(code, x, y);
    }
}

static double apply_three(enum wtl_opcode code, double x, double y, double z)
{
    switch (code) {
    case OP_SELECT:
        return x != 0 ? y : z;
    case OP_SQUARE:
        return modulo(x, y) < y * z;
    default:
        return fmin(fmax(x, y), z); /* OP_CLAMP */
    }
}

double *wtl_opcode_apply(enum wtl_opcode code, double *top)
{
    switch (wtl_opcode_operands(code)) {
    case 1:
        top[0] = apply_one(code, top[0]);
        return top;
    case 2:
        top[-1] = apply_two(code, top[-1], top[0]);
        return top - 1;
    default:
        top[-2] = apply_three(code, top[-2], top[-1], top[0]);
        return top - 2;
    }
}
