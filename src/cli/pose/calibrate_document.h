/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of "wattle pose calibrate" as wattle.calibrate/1 (docs/format/calibrate.md), and its warnings. */
#ifndef WTL_CLI_CALIBRATE_DOCUMENT_H
#define WTL_CLI_CALIBRATE_DOCUMENT_H

#include <jansson.h>

#include "cli/pose/calibrate.h"

/* A new reference; NULL without memory. With --dry-run it is the plan: nothing was measured. */
json_t *wtl_calibrate_document(const struct wtl_calibrate *calibrate);

/* What a reader must know, as far as it is known by now: "NOT_IDLE" and a sentence. */
typedef void wtl_calibrate_warn(void *context, const char *name, const char *text);
void wtl_calibrate_each_warning(const struct wtl_calibrate *calibrate,
                                wtl_calibrate_warn *warn,
                                void *context);

/* One that prints it as a paragraph. */
struct wtl_calibrate_printer {
    FILE *out;
    const struct wtl_style *style;
    int label; /* width of the labels */
};
void wtl_calibrate_print_warning(void *context, const char *name, const char *text);

#endif
