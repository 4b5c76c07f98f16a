/* SPDX-License-Identifier: BSD-3-Clause */
/* The streaming detector of phases: see detector.h, and detector_parts.h for its steps. */
#include "analysis/phases/detector.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/detector_parts.h"
#include "base/fail.h"

/* Shortest phase, in rows. */
#define MIN_ROWS 4
/* Rows of the new phase before it is reported: one row in which everything stumbled is not a phase. */
#define MIN_AFTER 2
/* Series whose candidates are examined. */
#define CANDIDATES 4
/* Once so many rows are known, noise is learnt from every fourth block. */
#define KNOWN_ROWS 4096
/* After a step that was not confirmed, rows from which the CUSUMs count on. */
#define KEPT 128

struct wtl_detector_options wtl_detector_options_default(void)
{
    return (struct wtl_detector_options){.method = WTL_PHASE_FOCUS, .false_alarms_per_row = 1e-6};
}

/*
 * Calibrated on rows of one phase (docs/decisions/0038-phases.md): a
 * factor e fewer false alarms need 3.5 more, 15 columns 16 more than one.
 */
double wtl_detector_need(const struct wtl_detector_options *options, size_t columns)
{
    double one = 35 - 3.5 * (log(options->false_alarms_per_row) + 13.8);
    return fmax(12, one + 5.9 * log((double)columns));
}

static int check_options(size_t columns,
                         const struct wtl_detector_options *options,
                         struct wattle_error *err)
{
    if (columns < 1 || columns > WTL_DETECTOR_COLUMNS)
        return wtl_fail(err, -EINVAL, "%zu columns: phases are found in 1 to %d", columns,
                        WTL_DETECTOR_COLUMNS);
    if (options->method != WTL_PHASE_FOCUS && options->method != WTL_PHASE_NP_FOCUS)
        return wtl_fail(err, -EINVAL, "the method %s needs the whole recording; use focus",
                        wtl_phase_method_name(options->method));
    if (!(options->false_alarms_per_row > 0 && options->false_alarms_per_row < 1))
        return wtl_fail(err, -EINVAL,
                        "false alarms per row must be between 0 and 1, for example 1e-6");
    return 0;
}

int wtl_detector_create(size_t columns,
                        const struct wtl_detector_options *options,
                        struct wtl_detector **ret_detector,
                        struct wattle_error *err)
{
    struct wtl_detector *d;
    int rc = check_options(columns, options, err);
    if (rc < 0)
        return rc;
    d = calloc(1, sizeof *d);
    if (!d)
        return wtl_no_memory(err);
    d->options = *options;
    d->options.min_rows = options->min_rows ? options->min_rows : MIN_ROWS;
    d->columns = columns;
    d->series = options->method == WTL_PHASE_NP_FOCUS
                    ? WTL_DETECTOR_CUTS * columns
                    : columns + (columns < 4 ? 0 : WTL_DETECTOR_PROJECTIONS);
    for (int k = 1; k <= WTL_CUSUM_RECENT; k++)
        d->inverses[k] = 1.0 / k;
    d->need = d->need_known = wtl_detector_need(options, columns);
    d->ring = calloc(WTL_DETECTOR_RING * columns, sizeof *d->ring);
    d->sums = calloc(WTL_DETECTOR_RING * d->series, sizeof *d->sums);
    d->scratch = calloc(WTL_DETECTOR_RING + WTL_DETECTOR_BLOCK * columns, sizeof *d->scratch);
    bool wants = options->second_pass && options->method == WTL_PHASE_FOCUS;
    if (!d->ring || !d->sums || !d->scratch || (wants && wtl_detector_init_recent(d) < 0)) {
        wtl_detector_close(d);
        return wtl_no_memory(err);
    }
    *ret_detector = d;
    return 0;
}

void wtl_detector_close(struct wtl_detector *detector)
{
    if (!detector)
        return;
    free(detector->ring);
    free(detector->sums);
    free(detector->scratch);
    wtl_detector_fini_recent(detector);
    free(detector);
}

static void begin_phase(struct wtl_detector *d, uint64_t row)
{
    d->phase_begin = d->learnt_to = row;
    d->wait_until = 0;
    d->begun[d->begun_count++ % WTL_DETECTOR_BEGUN] = row;
    wtl_detector_feed_from(d, row);
}

void wtl_detector_restart(struct wtl_detector *d)
{
    d->rows = 0;
    d->begun_count = 0;
    memset(d->begun, 0, sizeof d->begun);
    if (d->whitened_rows > 0)
        begin_phase(d, 0);
    d->phase_begin = d->learnt_to = d->wait_until = 0;
}

void wtl_detector_reset(struct wtl_detector *d)
{
    for (size_t i = 0; i < d->columns; i++)
        d->column[i] = (struct wtl_detector_column){0};
    memset(d->common, 0, sizeof d->common);
    d->common_rows = d->whitened_rows = 0;
    wtl_detector_restart(d);
}

/* Rows of this phase after which the noise is learnt: from at most WTL_DETECTOR_BLOCK rows. */
static bool is_time_to_learn(const struct wtl_detector *d)
{
    uint64_t length = d->rows - d->phase_begin, fresh = d->rows - d->learnt_to;
    uint64_t enough = d->common_rows < KNOWN_ROWS ? WTL_DETECTOR_BLOCK : 4 * WTL_DETECTOR_BLOCK;
    return fresh >= enough || (length <= WTL_DETECTOR_BLOCK && length >= WTL_DETECTOR_LEARN &&
                               (length & (length - 1)) == 0);
}

/* An autocorrelation that is known from few rows may be larger, which makes all evidence larger; near 1 it is never known
 * well enough. */
static void raise_need(struct wtl_detector *d)
{
    double phi = 0;
    for (size_t i = 0; i < d->columns; i++)
        phi = fmax(phi, d->column[i].noise.phi);
    d->need = d->need_known *
              (1 + 0.8 * phi * phi * phi * phi + 3 * phi / sqrt(d->common_rows * (1 - phi)));
}

static void learn(struct wtl_detector *d)
{
    uint64_t first = d->learnt_to, kept = wtl_detector_oldest(d) + 1;
    if (d->rows - first > WTL_DETECTOR_BLOCK)
        first = d->rows - WTL_DETECTOR_BLOCK;
    bool differs = wtl_detector_learn(d, first, d->rows);
    raise_need(d);
    if (!differs)
        return;
    first = d->fed_from;
    if (d->rows > WTL_DETECTOR_RING && first < kept)
        first = kept;
    wtl_detector_feed_from(d, first);
}

/* The series with the most evidence of its own, other than those of `taken`; -1 = of none. */
static int next_series(const struct wtl_detector *d, uint64_t taken)
{
    int most = -1;
    for (size_t i = 0; i < d->series; i++)
        if (!(taken >> i & 1) && d->best[i] > WTL_DETECTOR_QUIET &&
            (most < 0 || d->best[i] > d->best[most]))
            most = (int)i;
    return most;
}

/* The best candidate of the strongest series, if its evidence over all series is enough. */
static bool find_candidate(const struct wtl_detector *d, uint64_t *ret_row)
{
    double most = 0;
    uint64_t oldest = wtl_detector_oldest(d) + 1, taken = 0;
    int series;
    for (int i = 0; i < CANDIDATES && (series = next_series(d, taken)) >= 0; i++) {
        uint64_t row = d->fed_from + (uint64_t)d->best_at[series];
        taken |= UINT64_C(1) << series;
        if (row <= oldest || row + MIN_AFTER > d->rows)
            continue;
        double evidence = wtl_detector_evidence(d, row);
        if (evidence > most) {
            most = evidence;
            *ret_row = row;
        }
    }
    return most >= d->need;
}

/* Whether the best of all series, each at its own time, could be enough. */
static bool could_be(const struct wtl_detector *d)
{
    size_t group = d->options.method == WTL_PHASE_NP_FOCUS ? WTL_DETECTOR_CUTS : 1;
    double sum = 0;
    for (size_t i = 0; i < d->series; i += group) {
        double best = d->best[i];
        for (size_t q = 1; q < group; q++)
            best = d->best[i + q] > best ? d->best[i + q] : best;
        sum += best > WTL_DETECTOR_QUIET ? best - WTL_DETECTOR_QUIET : 0;
    }
    return sum >= d->need;
}

/* A step that does not hold: look again when there is more to see, and forget what is long ago. */
static void put_off(struct wtl_detector *d, uint64_t row)
{
    d->wait_until = d->rows + 2 + (d->rows - row) / 8;
    if (d->rows - d->fed_from > 2 * KEPT)
        wtl_detector_feed_from(d, d->rows - KEPT);
}

/* A phase has begun with this row: whether it is a new one, and not the present one in another place. */
static int take_phase(struct wtl_detector *d, uint64_t row, size_t *ret_back)
{
    bool is_new = row - d->phase_begin >= d->options.min_rows;
    if (is_new && row - d->learnt_to >= WTL_DETECTOR_LEARN &&
        row - d->learnt_to <= WTL_DETECTOR_BLOCK)
        (void)wtl_detector_learn(d, d->learnt_to, row);
    begin_phase(d, row);
    if (is_new && ret_back)
        *ret_back = (size_t)(d->rows - 1 - row);
    return is_new;
}

static int judge_rows(struct wtl_detector *d, size_t *ret_back)
{
    uint64_t row = 0;
    if (could_be(d) && d->rows >= d->wait_until && find_candidate(d, &row)) {
        if (wtl_detector_confirm(d, row))
            return take_phase(d, wtl_detector_place(d, row), ret_back);
        put_off(d, row);
    }
    return wtl_detector_is_time_to_look(d) && wtl_detector_look_back(d, &row)
               ? take_phase(d, row, ret_back)
               : 0;
}

int wtl_detector_push(struct wtl_detector *d, const double *row, size_t *ret_back)
{
    memcpy(d->ring + (d->rows % WTL_DETECTOR_RING) * d->columns, row, d->columns * sizeof *row);
    d->rows++;
    if (d->whitened_rows > 0)
        wtl_detector_feed(d, d->rows - 1);
    uint64_t fed = d->rows - d->fed_from;
    if (is_time_to_learn(d))
        learn(d);
    else if (d->whitened_rows > 0 && fed <= WTL_DETECTOR_LEARN && (fed & (fed - 1)) == 0)
        wtl_detector_feed_from(d, d->fed_from); /* the level of a new phase becomes known */
    return d->whitened_rows > 0 ? judge_rows(d, ret_back) : 0;
}
