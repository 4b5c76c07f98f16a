/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Change: how B differs from A, in the form that "wattle compare", "wattle ab" and "wattle check" share: time, energy, power
 * and energy x time, then channels and regions. Each verb has one method, which gives each change its one interval; the results of other
 * methods for the same runs are kept for --details and the documents.
 */
#ifndef WTL_ANALYSIS_CHANGE_H
#define WTL_ANALYSIS_CHANGE_H

#include "analysis/compare/ab.h"
#include "analysis/compare/check.h"
#include "analysis/compare/sides.h"

struct wtl_change_side {
    const char *name;              /* "A", "base" */
    const char *command;           /* NULL = unknown; borrowed */
    const struct wtl_result *runs; /* borrowed, or a copy that wtl_change_fini() frees */
    size_t n;
};

struct wtl_change_row {
    enum wtl_row_group group;
    const char *name, *unit;     /* "energy", "J"; borrowed */
    enum wattle_quality quality; /* of the weaker side; a time is measured */
    bool simulated;              /* on either side */
    bool decides;                /* there is a verdict on it */
    double range[2][2];          /* 95 % range of the mean of an estimate; else NaN */
    struct wtl_interval ratio;   /* B / A with the interval of the method that decides */
    double confidence;           /* of that interval */
    char why[96];                /* why it was not compared; "" = it was */
    struct wtl_comparison other; /* means, and other methods: its ratio is for one look, 95 % */
    const struct wtl_verdict *verdict; /* borrowed; NULL = none, or that of a check */
};

struct wtl_change {
    struct wtl_change_side sides[2];
    struct wtl_change_row *rows; /* owned: time, energy, power, energy x time, then the others */
    size_t count, headline;
    bool paired;
    const char *method,
        *coverage; /* "Welch's t test", "at least 95 % each (Holm)"; NULL: no interval */
    struct wtl_result *copies[2]; /* of results; owned */
};

/* Compute a change. The argument must outlive it. 0; -ENOMEM, with nothing to free. */
int wtl_change_of_sides(const struct wtl_sides *sides, struct wtl_change *ret_change);
int wtl_change_of_ab(const struct wtl_ab *ab, struct wtl_change *ret_change);
int wtl_change_of_check(const struct wtl_check *check, struct wtl_change *ret_change);
void wtl_change_fini(struct wtl_change *change);

/*
 * The verdicts of its rows as one text without the numbers that a table has: "B takes more time; energy: inconclusive (12 more
 * runs per side would resolve 1 %)". all: of each row that has one; else of time, energy and power, and of what decides. Is any given?
 */
bool wtl_change_verdicts(const struct wtl_change *change, bool all, char *buf, size_t n);

/* Is the row one of those that are printed without --details: time, energy, power, what decides, a region? */
bool wtl_change_is_short(const struct wtl_change *change, const struct wtl_change_row *row);

#endif
