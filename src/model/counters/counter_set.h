/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter set: a named list of events to count and of metrics derived from them, read from an INI file
 * (docs/format/counter-set.md). The order of the columns is that of their ids, from 0. Parsing is pure: which of the
 * sources exist on a machine is known to src/counters only. A trace contains the set in its metadata, so that reading it
 * needs no file.
 */
#ifndef WTL_MODEL_COUNTER_SET_H
#define WTL_MODEL_COUNTER_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

enum {
    WTL_COUNTER_COLUMNS = 64,
    WTL_COUNTER_METRICS = 32,
    WTL_COUNTER_NAME = 24,    /* of a column or a metric, with its NUL */
    WTL_COUNTER_SOURCE = 96,  /* the same of a source */
    WTL_COUNTER_FORMULA = 256 /* the same of a formula */
};

#define WTL_COUNTER_SET_DEFAULT "default"
#define WTL_COUNTER_SENSOR \
    "counters" /* of the channels: "counters:cpu_cycles-0", label "CPU_CYCLES" */

struct wtl_counter_column {
    char name[WTL_COUNTER_NAME];     /* "CPU_CYCLES": a letter, then letters, digits, _ */
    char source[WTL_COUNTER_SOURCE]; /* "perf:cycles", "net:sent_bytes" */
};

struct wtl_expression;

struct wtl_counter_metric {
    char name[WTL_COUNTER_NAME];
    char unit[WTL_COUNTER_NAME]; /* "" = none */
    char formula[WTL_COUNTER_FORMULA];
    struct wtl_expression *expression; /* owned by the set */
    size_t used_count;                 /* columns in the formula */
    unsigned char used[WTL_COUNTER_COLUMNS];
};

struct wtl_counter_set {
    char name[WTL_COUNTER_NAME + 8];
    char about[160];
    size_t column_count, metric_count;
    struct wtl_counter_column columns[WTL_COUNTER_COLUMNS];
    struct wtl_counter_metric metrics[WTL_COUNTER_METRICS];
};

/* Parse the text of a file; `file` is its name in messages, `name` that of the set. Returns 0; -EBADMSG with file, line
 * and remedy; -ENOMEM. On failure *ret_set holds nothing. wtl_counter_set_fini() frees it. */
int wtl_counter_set_parse(struct wtl_counter_set *ret_set,
                          const char *name,
                          const char *file,
                          const char *text,
                          size_t size,
                          struct wattle_error *err);
void wtl_counter_set_fini(struct wtl_counter_set *set);

/*
 * Load a set by its name, from the first of these folders that has it: counters/ in the user's folder of settings, in
 * /etc/wattle, in share/wattle beside the program. A name with a slash is a file. Returns 0; -ENOENT with the sets that
 * exist; as wtl_counter_set_parse(); or the reason why it cannot be read.
 */
int wtl_counter_set_load(struct wtl_counter_set *ret_set,
                         const struct wtl_world *world,
                         const char *name,
                         struct wattle_error *err);

/* Names of all sets that can be loaded by name, sorted, in one malloc'ed block of pointers and text: count, or -errno. */
int wtl_counter_set_names(const struct wtl_world *world, char ***ret_names);

/* Column with this name (case matters), or -1. */
int wtl_counter_set_column(const struct wtl_counter_set *set, const char *name);

/* The value of metric i from the amounts of all columns in the same time (NaN = unknown; for a gauge its mean), its
 * seconds, and joules (NaN = unknown). NaN when something that it uses is unknown, or the result is not finite. */
double wtl_counter_metric_value(const struct wtl_counter_set *set,
                                size_t i,
                                const double *amounts,
                                double time_s,
                                double energy_j);

/* Whether metric i depends on energy. */
bool wtl_counter_metric_uses_energy(const struct wtl_counter_set *set, size_t i);

/*
 * The texts of a trace's metadata, malloc'ed; NULL when out of memory.
 *   columns   "CPU_CYCLES=perf:cycles;INSTRUCTIONS=perf:instructions"   in the order of the ids
 *   metrics   "IPC=INSTRUCTIONS/CPU_CYCLES;J_per_s[W]=energy/time"
 */
char *wtl_counter_set_columns_text(const struct wtl_counter_set *set);
char *wtl_counter_set_metrics_text(const struct wtl_counter_set *set);

/* The set of these texts; `metrics` may be NULL. Returns 0, -EBADMSG or -ENOMEM. */
int wtl_counter_set_from_texts(struct wtl_counter_set *ret_set,
                               const char *name,
                               const char *columns,
                               const char *metrics,
                               struct wattle_error *err);

#endif
