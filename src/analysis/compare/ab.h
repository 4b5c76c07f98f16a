/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ab: two commands measured in pairs, and the result: the differences with intervals that are valid after
 * every pair, the noise floor of A against A, and what the machine did meanwhile.
 */
#ifndef WTL_ANALYSIS_AB_H
#define WTL_ANALYSIS_AB_H

#include "analysis/compare/drift.h"
#include "analysis/compare/matching.h"
#include "analysis/compare/metric.h"
#include "analysis/compare/pairs.h"
#include "analysis/compare/verdict.h"

/* Pairs of A against A, and their difference in each metric. */
struct wtl_noise_floor {
    size_t pairs; /* 0 = no noise floor */
    struct {
        struct wtl_interval ratio; /* of A to itself: should contain 1 */
        double log_sd;             /* of a single run's logarithm; NaN = unknown */
    } of[WTL_METRIC_COUNT];
};

/* A flag, and the number of runs that have it. */
struct wtl_ab_flag {
    char name[24];
    char text[200];   /* of the first run that had it */
    unsigned runs[3]; /* of A, of B, of the noise floor */
};

/* A row of the table of differences: a metric of the total, or the energy of a channel. */
struct wtl_ab_row {
    const char *name, *unit; /* borrowed */
    bool is_channel;
    double a, b;               /* wtl_mean_of_runs() over the pairs */
    struct wtl_interval ratio; /* B / A */
    double sd;                 /* of a pair's log ratio */
    double floor_log_sd;       /* NaN: unknown */
};

enum wtl_ab_end {
    WTL_AB_ANSWERED,
    WTL_AB_ENOUGH,      /* the maximum number of pairs */
    WTL_AB_INTERRUPTED, /* by a signal */
    WTL_AB_FAILED,      /* a command or wattle failed */
};

struct wtl_ab {
    /* What was asked for. */
    const char *command[2]; /* borrowed */
    enum wtl_metric metric;
    struct wtl_pairs_plan plan;
    uint64_t seed;
    unsigned warmup;
    uint64_t cooldown_ns;

    /* What was measured. */
    struct wtl_result *floor_runs; /* [2 * floor_count]; owned */
    size_t floor_count;            /* pairs */
    struct wtl_result *runs;       /* [2 * count]: A then B of each pair; owned */
    size_t count;                  /* pairs */
    struct wtl_noise_floor floor;  /* measured, or from floor_file */
    const char *floor_file;        /* NULL = measured now; borrowed */
    enum wtl_ab_end end;

    /* What follows: wtl_ab_judge(). */
    struct wtl_ab_row *rows; /* owned */
    size_t row_count;
    struct wtl_ab_flag *flags; /* owned */
    size_t flag_count;
    struct wtl_verdict verdict; /* of the metric */
    char forbidden[200];        /* why there is no verdict; "" = a verdict is allowed */
    double planned;             /* pairs, estimated from the noise floor */
    struct wtl_drift drift;     /* of both sides over the order of the pairs */
    struct wtl_interval second; /* the second run of a pair against the first */
};

/* The noise floor, from the runs of A against A. */
struct wtl_noise_floor wtl_noise_floor_of(const struct wtl_result *runs, size_t pairs);

/* Compute the result from the runs. 0 or -ENOMEM. */
int wtl_ab_judge(struct wtl_ab *ab);

void wtl_ab_fini(struct wtl_ab *ab);

#endif
