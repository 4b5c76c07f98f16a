/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts of a citation: the metadata of its traces, as far as they agree, and their results. */
#ifndef WTL_REPORT_CITE_FACTS_H
#define WTL_REPORT_CITE_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/compare/repeat.h"
#include "model/result.h"
#include "trace/reader.h"

struct wtl_cite_fact {
    char *key, *value; /* value: of the first trace that has it */
    bool varies;       /* another trace has a different one, or none */
};

struct wtl_cite_facts {
    struct wtl_cite_fact *facts;
    size_t fact_count;
    struct wtl_result *results; /* [count] */
    size_t count;
    struct wtl_repeat repeat; /* of count >= 2 */
    bool edges;               /* all traces have polls for ticks */
};

int wtl_cite_facts_read(char *const *paths,
                        size_t count,
                        struct wtl_cite_facts *ret_facts,
                        struct wattle_error *err);
void wtl_cite_facts_fini(struct wtl_cite_facts *facts);

/* The fact, or NULL when no trace has it. */
const struct wtl_cite_fact *wtl_cite_fact(const struct wtl_cite_facts *facts, const char *key);

/* The value, "varying" when traces differ, NULL when none has it. */
const char *wtl_cite_value(const struct wtl_cite_facts *facts, const char *key);

#endif
