/* SPDX-License-Identifier: BSD-3-Clause */
/* What a compiled expression (expression.h) is made of, for those that look into it: postfix code. */
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
    struct wtl_op *ops; /* leave one value on the stack, which is never higher than
                           WTL_EXPRESSION_DEPTH */
    char *text;
};

#endif
