/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions: a recursive descent parser, one function for each level of precedence, that emits postfix code
 * directly. Operations on constants are evaluated while compiling, so that "2*pi*50" costs one step. The
 * parser tracks the height of the stack, so the evaluator needs no checks.
 */
#include "base/expression/expression.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression/expression_code.h"
#include "base/fail.h"
#include "base/parse.h"

#define PI 3.14159265358979323846

struct parser {
    const char *text, *at;
    const char *const *variables;
    size_t variable_count;
    struct wtl_op ops[WTL_EXPRESSION_OPS];
    size_t count;
    unsigned height, nesting;
    struct wattle_error *err;
};

static const struct function {
    const char *name;
    enum wtl_opcode code;
    int arguments;
} functions[] = {
    {"sin", OP_SIN, 1},       {"cos", OP_COS, 1},     {"tan", OP_TAN, 1},
    {"tanh", OP_TANH, 1},     {"exp", OP_EXP, 1},     {"log", OP_LOG, 1},
    {"log10", OP_LOG10, 1},   {"sqrt", OP_SQRT, 1},   {"abs", OP_ABS, 1},
    {"floor", OP_FLOOR, 1},   {"ceil", OP_CEIL, 1},   {"step", OP_STEP, 1},
    {"min", OP_MIN, 2},       {"max", OP_MAX, 2},     {"mod", OP_MOD, 2},
    {"square", OP_SQUARE, 3}, {"clamp", OP_CLAMP, 3},
};

double wtl_expression_value(const struct wtl_expression *expression, const double *values)
{
    double stack[WTL_EXPRESSION_DEPTH + 1];
    double *top = stack; /* stack[0] is unused */
    const struct wtl_op *end = expression->ops + expression->count;

    for (const struct wtl_op *op = expression->ops; op < end; op++) {
        switch (op->code) {
        case OP_CONSTANT:
            *++top = op->constant;
            break;
        case OP_VARIABLE:
            *++top = values[op->variable];
            break;
        case OP_ADD:
            assert(top >= stack + 2); /* ensured by the compiler */
            top--;
            top[0] += top[1];
            break;
        case OP_MULTIPLY:
            assert(top >= stack + 2);
            top--;
            top[0] *= top[1];
            break;
        default:
            top = wtl_opcode_apply(op->code, top);
        }
    }
    assert(top == stack + 1); /* a program leaves one value */
    return *top;
}

static __attribute__((format(printf, 3, 4))) int refuse(struct parser *p,
                                                        const char *at,
                                                        const char *format,
                                                        ...)
{
    char reason[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args); /* truncated when too long */
    va_end(args);
    return wtl_fail(p->err, -EINVAL, "\"%.120s\": column %zu: %s", p->text,
                    (size_t)(at - p->text) + 1, reason);
}

static int too_large(struct parser *p)
{
    return wtl_fail(p->err, -EOVERFLOW,
                    "\"%.80s...\": column %zu: too long or too deeply nested (at most %d "
                    "operations, %d levels); simplify it",
                    p->text, (size_t)(p->at - p->text) + 1, WTL_EXPRESSION_OPS,
                    WTL_EXPRESSION_DEPTH);
}

/* Evaluate `code` now if all its operands are constants. */
static bool fold(struct parser *p, enum wtl_opcode code)
{
    size_t n = (size_t)wtl_opcode_operands(code);
    double operands[4];
    for (size_t i = 0; i < n; i++) {
        const struct wtl_op *op = &p->ops[p->count - n + i];
        if (op->code != OP_CONSTANT)
            return false;
        operands[i] = op->constant;
    }
    p->count -= n;
    p->ops[p->count++] = (struct wtl_op){OP_CONSTANT, 0, *wtl_opcode_apply(code, operands + n - 1)};
    return true;
}

static int emit(struct parser *p, enum wtl_opcode code, unsigned variable, double constant)
{
    unsigned n = (unsigned)wtl_opcode_operands(code);
    p->height = p->height - n + 1;
    if (n > 0 && fold(p, code))
        return 0;
    if (p->count >= WTL_EXPRESSION_OPS || p->height > WTL_EXPRESSION_DEPTH)
        return too_large(p);
    p->ops[p->count++] = (struct wtl_op){code, variable, constant};
    return 0;
}

static void skip_blank(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

/* Consume `token` if it is next. */
static bool accept_token(struct parser *p, const char *token)
{
    skip_blank(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int parse_choice(struct parser *p);

static int parse_number(struct parser *p)
{
    const char *start = p->at, *end = p->at;
    char digits[64];
    double value;
    while (is_digit(*end) || *end == '.')
        end++;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1;
        exponent += *exponent == '+' || *exponent == '-';
        if (is_digit(*exponent)) {
            end = exponent;
            while (is_digit(*end))
                end++;
        }
    }
    size_t n = (size_t)(end - start);
    if (n >= sizeof digits)
        return refuse(p, start, "a number with %zu digits is too long; shorten it", n);
    memcpy(digits, start, n);
    digits[n] = '\0';
    if (wtl_parse_double(digits, &value) < 0)
        return refuse(p, start, "'%s' is not a number", digits);
    p->at = end;
    return emit(p, OP_CONSTANT, 0, value);
}

static int parse_arguments(struct parser *p, const struct function *function, const char *at)
{
    if (!accept_token(p, "("))
        return refuse(p, p->at, "%s needs its %d argument%s in parentheses", function->name,
                      function->arguments, function->arguments > 1 ? "s" : "");
    for (int i = 0; i < function->arguments; i++) {
        if (i > 0 && !accept_token(p, ","))
            return refuse(p, at, "%s takes %d arguments, found %d", function->name,
                          function->arguments, i);
        int rc = parse_choice(p);
        if (rc < 0)
            return rc;
    }
    if (!accept_token(p, ")"))
        return refuse(p, p->at, "expected ')' after the %s of %s",
                      function->arguments > 1 ? "arguments" : "argument", function->name);
    return emit(p, function->code, 0, 0);
}

static int unknown_name(struct parser *p, const char *at, int n)
{
    char known[120] = "";
    size_t used = 0;
    for (size_t i = 0; i < p->variable_count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", p->variables[i]);
    return refuse(
        p, at, "unknown name '%.*s'; known names are %spi and functions such as sin, min, square",
        n, at, known);
}

static int parse_name(struct parser *p)
{
    const char *start = p->at;
    while (is_letter(*p->at) || is_digit(*p->at))
        p->at++;
    size_t n = (size_t)(p->at - start);
    for (size_t i = 0; i < p->variable_count; i++) {
        if (strlen(p->variables[i]) == n && memcmp(p->variables[i], start, n) == 0)
            return emit(p, OP_VARIABLE, (unsigned)i, 0);
    }
    if (n == 2 && memcmp(start, "pi", 2) == 0)
        return emit(p, OP_CONSTANT, 0, PI);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strlen(functions[i].name) == n && memcmp(functions[i].name, start, n) == 0)
            return parse_arguments(p, &functions[i], start);
    }
    return unknown_name(p, start, n < 40 ? (int)n : 40);
}

static int parse_primary(struct parser *p)
{
    skip_blank(p);
    if (is_digit(*p->at) || *p->at == '.')
        return parse_number(p);
    if (is_letter(*p->at))
        return parse_name(p);
    if (accept_token(p, "(")) {
        int rc = parse_choice(p);
        if (rc < 0)
            return rc;
        return accept_token(p, ")") ? 0 : refuse(p, p->at, "expected ')'");
    }
    if (!*p->at)
        return refuse(p, p->at, "missing value at the end");
    return refuse(p, p->at, "expected a value, found '%.1s'", p->at);
}

/* -x, !x and x^y; the exponent may itself have a sign. */
static int parse_unary(struct parser *p)
{
    if (++p->nesting > 2 * WTL_EXPRESSION_DEPTH)
        return too_large(p);
    int rc;
    skip_blank(p);
    bool minus = *p->at == '-', not = *p->at == '!' && p->at[1] != '=';
    if (minus || not || *p->at == '+') {
        p->at++;
        rc = parse_unary(p);
        if (rc == 0 && (minus || not ))
            rc = emit(p, minus ? OP_NEGATE : OP_NOT, 0, 0);
    } else {
        rc = parse_primary(p);
        if (rc == 0 && accept_token(p, "^")) {
            rc = parse_unary(p);
            if (rc == 0)
                rc = emit(p, OP_POWER, 0, 0);
        }
    }
    p->nesting--;
    return rc;
}

/* Binary operators, from the weakest up; longer tokens first. */
static const struct level {
    struct {
        const char *token;
        enum wtl_opcode code;
    } of[4];
} levels[] = {
    {{{"||", OP_OR}}},
    {{{"&&", OP_AND}}},
    {{{"==", OP_EQUAL}, {"!=", OP_NOT_EQUAL}}},
    {{{"<=", OP_LESS_EQUAL}, {"<", OP_LESS}, {">=", OP_GREATER_EQUAL}, {">", OP_GREATER}}},
    {{{"+", OP_ADD}, {"-", OP_SUBTRACT}}},
    {{{"*", OP_MULTIPLY}, {"/", OP_DIVIDE}}},
};

static int parse_level(struct parser *p, size_t level)
{
    if (level == sizeof levels / sizeof *levels)
        return parse_unary(p);
    int rc = parse_level(p, level + 1);
    while (rc == 0) {
        size_t i = 0;
        while (i < 4 && levels[level].of[i].token && !accept_token(p, levels[level].of[i].token))
            i++;
        if (i == 4 || !levels[level].of[i].token)
            return 0;
        rc = parse_level(p, level + 1);
        if (rc == 0)
            rc = emit(p, levels[level].of[i].code, 0, 0);
    }
    return rc;
}

static int parse_choice(struct parser *p)
{
    if (++p->nesting > 2 * WTL_EXPRESSION_DEPTH)
        return too_large(p);
    int rc = parse_level(p, 0);
    if (rc == 0 && accept_token(p, "?")) {
        rc = parse_choice(p);
        if (rc == 0 && !accept_token(p, ":"))
            rc = refuse(p, p->at, "expected ':' and the other value");
        if (rc == 0)
            rc = parse_choice(p);
        if (rc == 0)
            rc = emit(p, OP_SELECT, 0, 0);
    }
    p->nesting--;
    return rc;
}

static int keep(const struct parser *p, struct wtl_expression **ret_expression)
{
    size_t code = p->count * sizeof *p->ops, text = strlen(p->text) + 1;
    struct wtl_expression *expression = malloc(sizeof *expression + code + text);
    if (!expression)
        return wtl_fail(p->err, -ENOMEM, "out of memory");
    *expression = (struct wtl_expression){.count = p->count};
    expression->ops = (struct wtl_op *)(void *)(expression + 1);
    expression->text = (char *)expression->ops + code;
    memcpy(expression->ops, p->ops, code);
    memcpy(expression->text, p->text, text);
    for (size_t i = 0; i < p->count; i++) {
        if (p->ops[i].code == OP_VARIABLE)
            expression->uses |= 1u << p->ops[i].variable;
    }
    *ret_expression = expression;
    return 0;
}

int wtl_expression_compile(const char *text,
                           const char *const *variables,
                           size_t n,
                           struct wtl_expression **ret_expression,
                           struct wattle_error *err)
{
    if (n > WTL_EXPRESSION_VARIABLES)
        return wtl_fail(err, -EINVAL, "at most %d variables", WTL_EXPRESSION_VARIABLES);
    struct parser parser = {
        .text = text, .at = text, .variables = variables, .variable_count = n, .err = err};
    int rc = parse_choice(&parser);
    if (rc < 0)
        return rc;
    skip_blank(&parser);
    if (*parser.at)
        return refuse(&parser, parser.at, "expected an operator, found '%.1s'", parser.at);
    return keep(&parser, ret_expression);
}

void wtl_expression_destroy(struct wtl_expression *expression)
{
    free(expression);
}

bool wtl_expression_uses(const struct wtl_expression *expression, size_t i)
{
    return i < WTL_EXPRESSION_VARIABLES && (expression->uses >> i & 1);
}

const char *wtl_expression_text(const struct wtl_expression *expression)
{
    return expression->text;
}
