/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Within the detector (detector.h). A row passes through these steps:
 *   each column: deviation from its level, less phi times the one before (AR(1) noise becomes white), over the noise,
 *     clipped                                                                                      (detector_feed.c)
 *   all columns together: correlation between their noise removed, and a few fixed projections added
 *   each of these series: the CUSUM of all window lengths (hull.h); the evidence is summed over series    (detector.c)
 *   where that is enough: tested again against drift and what autocorrelation is left         (detector_confirm.c)
 *   if it is asked for, every few rows: the recent rows are divided again                      (detector_recent.c)
 * What noise is like is learnt from rows of one phase at a time, and kept over phases              (detector_noise.c).
 */
#ifndef WTL_ANALYSIS_DETECTOR_PARTS_H
#define WTL_ANALYSIS_DETECTOR_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/phases/detector.h"
#include "analysis/phases/hull.h"
#include "analysis/phases/stored/second_pass.h"

enum {
    WTL_DETECTOR_RING = 1024,     /* rows that are kept: changes that take longer are drift */
    WTL_DETECTOR_LEARN = 32,      /* rows before anything is reported */
    WTL_DETECTOR_BLOCK = 256,     /* rows from which noise is learnt at once, in a long phase */
    WTL_DETECTOR_PROJECTIONS = 3, /* sum of all, two contrasts */
    WTL_DETECTOR_CUTS = 3,        /* np-focus: quartiles of each column */
    WTL_DETECTOR_SERIES = WTL_DETECTOR_CUTS * WTL_DETECTOR_COLUMNS,
    WTL_DETECTOR_BEGUN = 64 /* phases whose begins are kept */
};

/* Noise of a column. */
struct wtl_column_noise {
    double lagged,
        squares;     /* sums of products of residuals with the one before, and with themselves */
    double one, two; /* the same of differences to the last value, and to the one before it */
    double rows, blocks; /* learnt from */
    double phi;          /* autocorrelation, with a margin for what is not known */
    double sd;           /* of what is left without autocorrelation; > 0 */
    double inverse_sd;
};

struct wtl_detector_column {
    struct wtl_column_noise noise;
    double level;  /* about which deviations are taken; of this phase */
    double before; /* the last deviation */
    double centre; /* mean of its values in this phase */
    bool started;
};

struct wtl_detector {
    struct wtl_detector_options options;
    size_t columns, series;
    double need;          /* evidence for a phase, with what is known of the noise */
    double need_known;    /* the same once it is known well */
    uint64_t rows;        /* pushed */
    uint64_t phase_begin; /* row with which the phase began */
    uint64_t fed_from;    /* row from which the CUSUMs count */
    uint64_t learnt_to;   /* rows before this one have been learnt from */
    uint64_t wait_until;  /* no confirmation before this row: the last one failed */
    struct wtl_detector_column column[WTL_DETECTOR_COLUMNS];
    double common[WTL_DETECTOR_COLUMNS][WTL_DETECTOR_COLUMNS]; /* sums of products of residuals */
    double common_rows;
    double inverse[WTL_DETECTOR_COLUMNS][WTL_DETECTOR_COLUMNS]; /* of their Cholesky factor */
    double whiten[WTL_DETECTOR_COLUMNS][WTL_DETECTOR_COLUMNS];  /* that, scaled by own */
    double whitened_rows; /* from how many they were found; 0 = no noise is known yet */
    bool is_mixed[WTL_DETECTOR_COLUMNS]; /* the row of that matrix is not its diagonal alone */
    double inverses[WTL_CUSUM_RECENT + 1];
    double own[WTL_DETECTOR_COLUMNS];   /* spread of each series after that */
    double centre[WTL_DETECTOR_SERIES]; /* its mean in this phase */
    struct wtl_cusum cusum[WTL_DETECTOR_SERIES];
    double best[WTL_DETECTOR_SERIES], best_at[WTL_DETECTOR_SERIES];
    uint64_t begun
        [WTL_DETECTOR_BEGUN]; /* first rows of the last phases; the next one goes to begun_count % BEGUN */
    size_t begun_count;
    struct wtl_second_pass *recent; /* of the recent rows; NULL = none */
    double *ring;                   /* [RING * columns]: rows as pushed */
    double *sums;    /* [RING * series]: sum of each series since fed_from, with the row */
    double *scratch; /* [RING] */
};

/* Evidence of one series below this is what noise shows at any time. */
#define WTL_DETECTOR_QUIET 5.0
/* Values this many standard deviations away count as this many. */
#define WTL_DETECTOR_CLIP 3.0
#define WTL_DETECTOR_FAR  1e6

static inline const double *wtl_detector_row(const struct wtl_detector *d, uint64_t row)
{
    return d->ring + (row % WTL_DETECTOR_RING) * d->columns;
}

/* The first row that is still kept. */
static inline uint64_t wtl_detector_oldest(const struct wtl_detector *d)
{
    return d->rows > WTL_DETECTOR_RING ? d->rows - WTL_DETECTOR_RING : 0;
}

/* Start the CUSUMs with `row`, which is kept, and feed all rows from there on. */
void wtl_detector_feed_from(struct wtl_detector *d, uint64_t row);
/* Feed one row. */
void wtl_detector_feed(struct wtl_detector *d, uint64_t row);

/* Learn the noise from rows first .. end - 1, of one phase. True: it differs from what was known, so that the rows must be
 * fed again. */
bool wtl_detector_learn(struct wtl_detector *d, uint64_t first, uint64_t end);

/* Evidence of all series for a change before `row`, and after it is tested for drift. */
double wtl_detector_evidence(const struct wtl_detector *d, uint64_t row);
bool wtl_detector_confirm(const struct wtl_detector *d, uint64_t row);

/* The second pass over the recent rows. 0 or -ENOMEM. */
int wtl_detector_init_recent(struct wtl_detector *d);
void wtl_detector_fini_recent(struct wtl_detector *d);
bool wtl_detector_is_time_to_look(const struct wtl_detector *d);
/* True: a phase has begun with *ret_row after the present one. */
bool wtl_detector_look_back(struct wtl_detector *d, uint64_t *ret_row);

/* The most likely first row of the new phase, near `row`. */
uint64_t wtl_detector_place(struct wtl_detector *d, uint64_t row);

/* By the number of columns, method and rate of false alarms. */
double wtl_detector_need(const struct wtl_detector_options *options, size_t columns);

#endif
