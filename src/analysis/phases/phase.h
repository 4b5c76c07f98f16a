/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases: stretches of a run in which the program behaves alike, found in the rows of its counters.
 *
 *     struct wtl_phase_options options = wtl_phase_options_default();
 *     if (wtl_phases_find(&rows, &options, &phases, err) == 0)
 *         for (size_t i = 0; i < phases.count; i++)
 *             ... phases.list[i].first, .last, .energy_j ...
 *     wtl_phases_fini(&phases);
 *
 * Phases cover all rows, in order, without overlap. Their energies add up to the energy of the rows.
 */
#ifndef WTL_ANALYSIS_PHASE_H
#define WTL_ANALYSIS_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/phases/counter_rows.h"

enum wtl_phase_method {
    WTL_PHASE_FOCUS, /* change of the mean, all window lengths at once, then a second pass; the default */
    WTL_PHASE_NP_FOCUS, /* change of the distribution */
    WTL_PHASE_PELT,     /* change of the mean, the best division of the whole recording */
    WTL_PHASE_PAPER,    /* which counters follow power (docs/papers.md, DNA-like phases) */
    WTL_PHASE_METHOD_COUNT
};

/* "focus", "np-focus", "pelt", "paper"; "?" out of range. The method for a name, or -ENOENT. */
const char *wtl_phase_method_name(enum wtl_phase_method method);
int wtl_phase_method_of(const char *name);

enum {
    WTL_PHASE_RANKS = 4,    /* counters of a letter */
    WTL_PHASE_ROWS_MIN = 32 /* fewest rows, except for the paper's method */
};

struct wtl_phase {
    size_t first, last;            /* rows, both included */
    uint16_t relevant;             /* bit i: the power follows column i */
    uint8_t rank[WTL_PHASE_RANKS]; /* columns by correlation with the power, strongest first */
    unsigned ranked;               /* ranks in use: fewer where fewer columns vary */
    bool is_short;                 /* too few rows to say which counters are relevant */
    bool is_unresolved;            /* no two readings of its power lie in it: see phase_energy.h */
    double
        at_uncertain_s; /* half width of the interval in which its begin may lie; 0 for the first */
    double mean_w;      /* of the part that is known; NaN = unknown */
    double energy_j;    /* of the part that is known: the sum of its rows */
    double energy_low_j,
        energy_high_j; /* with what uncertain borders may move and, of a trace, what
                                           the readings around them leave open; NaN = unknown */
    double known_s, length_s;
    int letter; /* index into an alphabet; -1 = none */
};

struct wtl_phase_list {
    struct wtl_phase *list;
    size_t count;
    enum wtl_phase_method method;
    double false_alarms_per_row; /* for which the thresholds hold; NaN: not stated by the method */
    double explained; /* R2: part of the variance of power between phases; NaN = unknown */
    bool no_power;    /* no power is known: found in the counters alone */
};

enum wtl_phase_window { WTL_PHASE_GROWING, WTL_PHASE_SLIDING };
enum wtl_phase_relevance { WTL_PHASE_TOP, WTL_PHASE_REGRESSION };

struct wtl_phase_options {
    enum wtl_phase_method method;
    double false_alarms_per_row; /* focus, np-focus, pelt: 1e-6 */
    size_t min_rows;             /* shortest phase; 0 = the method's own */
    /* The paper's method. */
    enum wtl_phase_window window;
    enum wtl_phase_relevance relevance;
    size_t window_rows;  /* n; 0 = columns + 2 */
    unsigned top;        /* k of WTL_PHASE_TOP: 4 */
    double significance; /* of WTL_PHASE_REGRESSION: 0.05 */
    bool keep_equal;     /* do not merge neighbours with the same set, or the same letter */
};

struct wtl_phase_options wtl_phase_options_default(void);

/*
 * Find the phases. Returns 0; -EINVAL for options that make no sense; -ENODATA for too few rows, or rows in which no
 * counter varies; -ENOMEM; with a message.
 */
int wtl_phases_find(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_list *ret_phases,
                    struct wattle_error *err);
/* Make one phase of neighbours with the same letter, with the energy and interval of all its rows; not for the paper's method,
 * which has its own rule. 0 or -ENOMEM. */
int wtl_phases_join(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_list *phases);
void wtl_phases_fini(struct wtl_phase_list *phases); /* accepts a zeroed list */

/* Length of n rows from `first` on, in seconds. */
double wtl_phase_seconds(const struct wtl_counter_rows *rows, const struct wtl_phase *phase);

/* Whether a phase has an energy that may be shown. Why not: "shorter than the sampling of power", ...; NULL: it has. */
bool wtl_phase_has_energy(const struct wtl_phase *phase);
const char *wtl_phase_energy_problem(const struct wtl_phase *phase);

#endif
