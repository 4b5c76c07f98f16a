/* SPDX-License-Identifier: BSD-3-Clause */
/* The compiled form of an expression (expression.h), for analyses of it: postfix code. */
#ifndef WTL_BASE_EXPRESSION_CODE_H
#define WTL_BASE_EXPRESSION_CODE_H

#include <stdint.h>

#include "base/expression/expression.h"
#include "base/expression/opcode.h"

struct wtl_op {
    enum wtl_opcode code;
    unsigned variable;
    double constant;
};

struct wtl_expression {
    size_t count;
    uint32_t uses;      /* bit i: variable i */
    struct wtl_op *ops; /* leave one value on the stack, whose height never exceeds
                           WTL_EXPRESSION_DEPTH */
    char *text;
};

#endif
