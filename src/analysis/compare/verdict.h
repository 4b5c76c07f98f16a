/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Verdict: the result of a comparison in plain words. There is no verdict below five runs per side
 * without a noise floor, if the caller gives a reason against it (another node, two estimates), or
 * on a difference below the resolution of the sensors in one run.
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
    WTL_VERDICT_SAME, /* no difference that matters */
    WTL_VERDICT_OPEN, /* inconclusive by these runs */
};

/* "less", "more", "same", "open", "none": of JSON and CSV. */
const char *wtl_verdict_name(enum wtl_verdict_kind kind);

/* The words of a quantity: "B uses 3 % less energy". */
struct wtl_verdict_words {
    const char *verb, *noun; /* "uses", "energy" */
};

extern const struct wtl_verdict_words wtl_verdict_words[WTL_METRIC_COUNT];

struct wtl_verdict_question {
    struct wtl_verdict_words words;
    double resolve;        /* the difference that matters, 0.01 = 1 % */
    double alpha;          /* 0.05, or what a correction for several comparisons leaves of it */
    const char *forbidden; /* why a verdict is not allowed; NULL = it is */
    double resolution; /* half width of the sensors' interval in one run of both sides, as a part
                              of the value; 0 = does not apply */
    double narrowest;  /* of a sequence: half width that the sensors leave to its ratio */
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

/* The verdict. comparison->ratio gets its interval, that of question->alpha. */
struct wtl_verdict wtl_verdict_of(struct wtl_comparison *comparison,
                                  const struct wtl_verdict_question *question);

/* The verdict on pairs that were checked as they arrived; question->alpha is that of the sequence. */
struct wtl_verdict wtl_verdict_of_sequence(const struct wtl_sequence *sequence,
                                           const struct wtl_verdict_question *question);

/*
 * Several comparisons that count together, n of them with their p (NaN ones are left out): the
 * alpha which each must be below so that all together give a false alarm in 5 % (S. Holm, A simple
 * sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979)).
 */
void wtl_verdict_alphas(const double *p, size_t n, double *ret_alpha);

#endif
