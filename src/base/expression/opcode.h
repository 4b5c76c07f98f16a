/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of compiled expressions (expression.h). */
#ifndef WTL_BASE_OPCODE_H
#define WTL_BASE_OPCODE_H

/* Ordered by number of operands: none, one, two, three. */
enum wtl_opcode {
    OP_CONSTANT,
    OP_VARIABLE,
    OP_NEGATE,
    OP_NOT,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_LOG10,
    OP_SQRT,
    OP_ABS,
    OP_FLOOR,
    OP_CEIL,
    OP_STEP,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MAX,
    OP_MOD,
    OP_SELECT,
    OP_SQUARE,
    OP_CLAMP
};

/* Number of operands that an operation takes from the stack: 0 to 3. */
int wtl_opcode_operands(enum wtl_opcode code);

/* Replace the operands on top of the stack by the result. Returns the new top. */
double *wtl_opcode_apply(enum wtl_opcode code, double *top);

#endif
