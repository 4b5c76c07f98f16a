/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Within phases: the second pass, which sees both ends of a phase. From a first division it learns
 * the noise                                                                                       (second_noise.c),
 * finds the division of all its rows with the least cost                                         (second_divide.c),
 * and again with what the noise is like in that one; then tests each boundary against drift     (second_confirm.c).
 * Its rows are a stored recording, or the recent rows of the streaming detector (detector_recent.c).
 */
#ifndef WTL_ANALYSIS_SECOND_PASS_H
#define WTL_ANALYSIS_SECOND_PASS_H

#include "analysis/phases/phase_bounds.h"

enum {
    WTL_SECOND_SERIES = WTL_ROW_COLUMNS + 1, /* the counters, and power */
    WTL_SECOND_INVERSES = 512                /* lengths of phases for which `inverse` is kept */
};

struct wtl_second_pass {
    size_t rows, series, min_rows;
    /* Arrays of [rows * series], row by row. */
    double *x;       /* values without correlation between series; NaN = missing */
    double *white;   /* less phi times the one before, over the noise; outliers clipped */
    double *start;   /* what the first row of a phase says about its level */
    double *sum;     /* running sums of `white`, and one more row */
    double *room;    /* [rows + 1] */
    double *inverse; /* [INVERSES * series]: 1 / information about a level in so many rows */
    double *least;   /* [rows + 1]: cost of the best division up to a row */
    double *fixed;   /* [rows + 1]: what a phase that begins there costs at any length */
    size_t *from;    /* [rows + 1]: begin of its last phase */
    size_t *open;    /* [rows + 1]: candidates for that */
    size_t *begin;   /* [rows + 1]: first rows of the phases, begin[0] = 0; begin[count] = rows */
    size_t count;
    double phi[WTL_SECOND_SERIES], sd[WTL_SECOND_SERIES]; /* of a series; sd 0 = it does not vary */
    /* Evidence for a phase: squared change over its variance, over all series. */
    double penalty; /* of the division */
    double alone;   /* probability per row of a false boundary, where no other is found */
    double beside;  /* so much more for each other boundary */
    double
        raise; /* factor of the evidence, of wtl_second_noise(): more than 1 where the noise is not known well */
};

/* Room for so many rows; phi and sd unknown, raise 1. 0 or -ENOMEM. */
int wtl_second_init(struct wtl_second_pass *pass, size_t rows, size_t series);
void wtl_second_fini(struct wtl_second_pass *pass);

/* Evidence that noise exceeds with this probability. */
double wtl_second_evidence(double probability, size_t series);

/* `x` from what was measured to values without correlation between their noise, from differences, which do not see the phases. */
void wtl_second_prepare(struct wtl_second_pass *pass);
/* Autocorrelation and noise of each series about the levels of the present phases, `white` and `raise`. */
void wtl_second_noise(struct wtl_second_pass *pass);
/* The division of least cost. */
void wtl_second_divide(struct wtl_second_pass *pass);
/* Evidence that each boundary must have, of as many as there are. */
double wtl_second_need(const struct wtl_second_pass *pass);
/* Remove boundaries that may be drift, or chance. */
void wtl_second_confirm(struct wtl_second_pass *pass);

#endif
