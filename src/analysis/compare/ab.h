/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ab: two commands measured in pairs, and all that is said of it: the differences with intervals that
 * may be looked at after every pair, the noise floor of A against A, what the machine did meanwhile.
 */
#ifndef WTL_ANALYSIS_AB_H
#define WTL_ANALYSIS_AB_H

#include "analysis/compare/drift.h"
#include "analysis/compare/matching.h"
#include "analysis/compare/metric.h"
#include "analysis/compare/pairs.h"
#include "analysis/compare/verdict.h"

/* Pairs of A against A. Of each metric: what such pairs differ by. */
struct wtl_noise_floor {
    size_t pairs; /* 0 = there is none */
    struct {
        struct wtl_interval ratio; /* of A to itself: 1 should be in it */
        double log_sd;             /* of a single run's logarithm; NaN = unknown */
    } of[WTL_METRIC_COUNT];
};

/* A flag of runs, and in how many of them. */
struct wtl_ab_flag {
    char name[24];
    char text[200];   /* of the first run that had it */
    unsigned runs[3]; /* of A, of B, of the noise floor */
};

/* One row of the table of differences: a metric of the whole, or a channel's energy. */
struct wtl_ab_row {
    const char *name, *unit; /* borrowed */
    bool is_channel;
    double a, b;               /* means over the pairs */
    struct wtl_interval ratio; /* B / A */
    double sd;                 /* of a pair's log ratio */
    double floor_log_sd;       /* NaN: unknown */
};

enum wtl_ab_end {
    WTL_AB_ANSWERED,
    WTL_AB_ENOUGH,      /* as many pairs as there may be */
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
    char forbidden[200];        /* why there is none; "" = there may be one */
    double planned;             /* pairs, as the noise floor has it */
    struct wtl_drift drift;     /* of both sides over the order of the pairs */
    struct wtl_interval second; /* who runs second in a pair against who runs first, both A and B */
};

/* Of the runs of A against A: what the floor is. */
struct wtl_noise_floor wtl_noise_floor_of(const struct wtl_result *runs, size_t pairs);

/* Work out what follows from the runs. 0 or -ENOMEM. */
int wtl_ab_judge(struct wtl_ab *ab);

void wtl_ab_fini(struct wtl_ab *ab);

#endif
