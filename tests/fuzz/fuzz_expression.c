/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text: refused with a message, or compiled to something that can be evaluated. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"t", "load", "f"};
    static const double values[] = {1.5, 0.5, 2.0};
    struct wattle_error err = {""};
    struct wtl_expression *expression = NULL;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int rc = wtl_expression_compile(text, names, 3, &expression, &err);
    if (rc < 0 && (expression || !err.text[0]))
        abort();
    if (rc == 0) {
        volatile double value = wtl_expression_value(expression, values);
        (void)value; /* any value is fine, but reading it must be valid */
    }
    wtl_expression_destroy(expression);
    free(text);
    return 0;
}
