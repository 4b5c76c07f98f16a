/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions: where and how runs were measured (node, governor, limits, system, sampling), from the
 * metadata of their traces, and how two sides differ. Some differences forbid a verdict, since
 * it would be on the machine and not on the program. Others are worth a warning.
 */
#ifndef WTL_ANALYSIS_CONDITIONS_H
#define WTL_ANALYSIS_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

/* A difference between or within sides, also of one run each. */
struct wtl_condition_difference {
    char what[48];     /* "governor" */
    char a[64], b[64]; /* "performance"; "performance, powersave" when a side mixes; "unknown" */
    bool forbids;      /* a verdict */
};

struct wtl_conditions {
    struct wtl_condition_difference *differences; /* owned; those that forbid first */
    size_t count;
    bool node_unknown; /* for any run: also forbids a verdict */
};

/* Compare the traces of both sides, one open at a time. 0; -ENOMEM; what the reader said. */
int wtl_conditions_read(char *const *a_paths,
                        size_t a_n,
                        char *const *b_paths,
                        size_t b_n,
                        struct wtl_conditions *ret_conditions,
                        struct wattle_error *err);
void wtl_conditions_fini(struct wtl_conditions *conditions);

/* The first reason why a verdict is not allowed, as a sentence; false: no reason. */
bool wtl_conditions_forbid(const struct wtl_conditions *conditions, char *buf, size_t n);

#endif
