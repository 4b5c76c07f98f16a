/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verdict: what a comparison allows to be said, in plain words. There is none below five runs a side
 * without a noise floor, none where the caller knows why not (another node, two estimates), and none
 * about less than the sensors resolve in one run.
 */
#ifndef WTL_ANALYSIS_VERDICT_H
#define WTL_ANALYSIS_VERDICT_H

#include <stddef.h>

#include "analysis/compare/comparison.h"
#include "analysis/compare/metric.h"
#include "analysis/compare/sequence.h"

enum wtl_verdict_kind {
    WTL_VERDICT_NONE, /* not given; the text says why */
    WTL_VERDICT_LESS, /* B less than A */
    WTL_VERDICT_MORE,
    WTL_VERDICT_SAME, /* no difference so large as was asked for */
    WTL_VERDICT_OPEN, /* cannot be told apart by these runs */
};

/* "less", "more", "same", "open", "none": of JSON and CSV. */
const char *wtl_verdict_name(enum wtl_verdict_kind kind);

/* Of what the verdict is: "B uses 3 % less energy". */
struct wtl_verdict_words {
    const char *verb, *noun; /* "uses", "energy" */
};

extern const struct wtl_verdict_words wtl_verdict_words[WTL_METRIC_COUNT];

struct wtl_verdict_question {
    struct wtl_verdict_words words;
    double resolve;        /* the difference that matters, 0.01 = 1 % */
    double alpha;          /* 0.05, or what a correction for several comparisons leaves of it */
    const char *forbidden; /* why there may be no verdict; NULL = there may */
    double resolution; /* half width of the sensors' interval in one run of both sides, as a part
                              of the value; 0 = does not apply */
};

struct wtl_verdict {
    enum wtl_verdict_kind kind;
    double change;    /* B against A: -0.031 = 3.1 % less */
    double low, high; /* its interval of 1 - alpha; NaN = unknown */
    double at_most;   /* SAME: no difference larger than this, of either sign; else NaN */
    double more_runs; /* OPEN: a side; INFINITY: beyond reason; NaN = unknown, or not OPEN */
    char text[320];
    char clause
        [200]; /* the same without the numbers of the change: "B uses less energy"; NONE: only why */
};

/* The verdict. comparison->ratio gets the interval that it is made from, that of question->alpha: a change has one. */
struct wtl_verdict wtl_verdict_of(struct wtl_comparison *comparison,
                                  const struct wtl_verdict_question *question);

/* Of pairs that were looked at as they came in; question->alpha is the sequence's own. */
struct wtl_verdict wtl_verdict_of_sequence(const struct wtl_sequence *sequence,
                                           const struct wtl_verdict_question *question);

/*
 * Several comparisons that count together, n of them with their p (NaN ones are left out): the
 * alpha which each must be below so that all together give a false alarm in 5 % (S. Holm, A simple
 * sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979)).
 */
void wtl_verdict_alphas(const double *p, size_t n, double *ret_alpha);

#endif
