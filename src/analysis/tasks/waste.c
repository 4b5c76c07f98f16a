/* SPDX-License-Identifier: BSD-3-Clause */
/* Low activity at high power: see waste.h. */
#include "analysis/tasks/waste.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/bins.h"
#include "analysis/power/total_curve.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "model/reading.h"
#include "model/statistics/quantile.h"

enum { CELLS_MOST = 2048, CELLS_LEAST = 4, TICKS = 20 };

/* ---- the rule ---- */

/* The quantile of those values of which the other ones are large enough. NaN: there are none. */
static double quantile_where(const double *values,
                             const double *others,
                             double least,
                             size_t count,
                             double q,
                             double *scratch)
{
    size_t n = 0;
    assert(count == 0 || (values && others && scratch));
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]) && others[i] >= least)
            scratch[n++] = values[i];
    wtl_sort_numbers(scratch, n);
    return wtl_quantile_sorted(scratch, n, q);
}

static bool is_wasteful(const struct wtl_waste *waste, double power_w, double working)
{
    return power_w >= waste->rule.power * waste->full_w &&
           working <= waste->rule.activity * waste->full_threads;
}

static int compare(const void *a, const void *b)
{
    const struct wtl_waste_stretch *x = (const struct wtl_waste_stretch *)a;
    const struct wtl_waste_stretch *y = (const struct wtl_waste_stretch *)b;
    if (x->waiting_j != y->waiting_j)
        return x->waiting_j > y->waiting_j ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* The stretch of the cells from .. to. */
static int add_stretch(struct wtl_waste *waste,
                       uint64_t start_ns,
                       const double *power_w,
                       const double *working,
                       size_t from,
                       size_t to)
{
    double cell_s = (double)waste->cell_ns * 1e-9, threads = 0;
    struct wtl_waste_stretch stretch = {.begin_ns = start_ns + from * waste->cell_ns,
                                        .end_ns = start_ns + to * waste->cell_ns,
                                        .type = UINT32_MAX};
    for (size_t i = from; i < to; i++) {
        stretch.energy_j += power_w[i] * cell_s;
        threads += working[i];
    }
    stretch.mean_w = stretch.energy_j / (cell_s * (double)(to - from));
    stretch.working = threads / (double)(to - from);
    stretch.waiting_j = stretch.energy_j * (1 - stretch.working / waste->full_threads);
    if (wtl_grow(&waste->stretches, waste->count, sizeof *waste->stretches) < 0)
        return -ENOMEM;
    waste->stretches[waste->count++] = stretch;
    waste->time_s += cell_s * (double)(to - from);
    waste->energy_j += stretch.energy_j;
    waste->waiting_j += stretch.waiting_j;
    return 0;
}

int wtl_waste_judge(struct wtl_waste *waste,
                    uint64_t start_ns,
                    const double *power_w,
                    const double *working,
                    size_t cells)
{
    double *scratch = malloc((cells + 1) * sizeof *scratch);
    int rc = scratch ? 0 : -ENOMEM;
    if (rc < 0)
        return rc;
    waste->full_threads = quantile_where(working, working, 0, cells, 0.95, scratch);
    waste->full_w =
        quantile_where(power_w, working, 0.9 * waste->full_threads, cells, 0.5, scratch);
    free(scratch);
    if (!(waste->full_threads > 0)) {
        waste->problem = "no thread works in it";
        return 0;
    }
    if (!(waste->full_w > 0)) {
        waste->problem = "its power is unknown while most threads work";
        return 0;
    }
    assert(cells == 0 || (power_w && working));
    for (size_t i = 0, from = 0; rc == 0 && i <= cells; i++) {
        if (i < cells && is_wasteful(waste, power_w[i], working[i]))
            continue;
        rc = i > from ? add_stretch(waste, start_ns, power_w, working, from, i) : 0;
        from = i + 1;
    }
    if (rc < 0)
        return rc;
    wtl_sort(waste->stretches, waste->count, sizeof *waste->stretches, compare);
    waste->left_out = waste->count > WTL_WASTE_STRETCHES ? waste->count - WTL_WASTE_STRETCHES : 0;
    waste->count -= waste->left_out;
    return 0;
}

/* ---- what the threads did ---- */

struct cells {
    const struct wtl_activity_lanes *lanes;
    uint64_t start_ns;
    struct wtl_bins bins;
};

static int take_working(void *context, const struct wtl_piece *piece)
{
    struct cells *cells = (struct cells *)context;
    if (piece->end_ns > piece->begin_ns && piece->type < cells->lanes->type_count &&
        wtl_activity_type_works(&cells->lanes->types[piece->type]))
        wtl_bins_add(&cells->bins, ((double)piece->begin_ns - (double)cells->start_ns) * 1e-9,
                     ((double)piece->end_ns - (double)cells->start_ns) * 1e-9, 1);
    return 0;
}

/* Working threads of each cell. */
static int count_working(struct cells *cells, double *working, struct wattle_error *err)
{
    const struct wtl_activity_lanes *lanes = cells->lanes;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < lanes->thread_count; i++)
        rc = wtl_piece_store_walk(lanes->store, i, 0, UINT64_MAX, take_working, cells, err);
    for (size_t i = 0; i < cells->bins.count; i++)
        working[i] = cells->bins.integral[i] / cells->bins.cell_s;
    return rc;
}

struct most {
    const struct wtl_waste_stretch *stretch;
    uint64_t *time_ns; /* by type */
    size_t count;
};

static int take_waiting(void *context, const struct wtl_piece *piece)
{
    const struct most *most = (const struct most *)context;
    uint64_t from_ns =
        piece->begin_ns > most->stretch->begin_ns ? piece->begin_ns : most->stretch->begin_ns;
    uint64_t to_ns = piece->end_ns < most->stretch->end_ns ? piece->end_ns : most->stretch->end_ns;
    if (piece->type < most->count && to_ns > from_ns)
        most->time_ns[piece->type] += to_ns - from_ns;
    return 0;
}

/* What the threads of a stretch did most, except work. */
static int name_stretch(const struct wtl_activity_lanes *lanes,
                        struct wtl_waste_stretch *stretch,
                        struct wattle_error *err)
{
    struct most most = {stretch, calloc(lanes->type_count + 1, sizeof(uint64_t)),
                        lanes->type_count};
    int rc = most.time_ns ? 0 : wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < lanes->thread_count; i++)
        rc = wtl_piece_store_walk(lanes->store, i, stretch->begin_ns, stretch->end_ns, take_waiting,
                                  &most, err);
    assert(rc < 0 || most.time_ns);
    for (uint32_t i = 0; rc == 0 && i < lanes->type_count; i++)
        if (most.time_ns[i] > 0 && !wtl_activity_type_works(&lanes->types[i]) &&
            (stretch->type == UINT32_MAX || most.time_ns[i] > most.time_ns[stretch->type]))
            stretch->type = i;
    free(most.time_ns);
    return rc;
}

/* ---- the whole ---- */

/* Long enough for the slowest channel of the total. 0: there is no total. */
static uint64_t cell_length(const struct wtl_result *result, uint64_t whole_ns)
{
    uint64_t cell_ns = whole_ns / CELLS_MOST + 1;
    bool any = false;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wattle_channel *channel = &result->channels[i].channel;
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        uint64_t stretch_ns = wtl_channel_stretch_ns(channel);
        if (channel->refresh_ns > 0 && TICKS * channel->refresh_ns < stretch_ns)
            stretch_ns = TICKS * channel->refresh_ns;
        cell_ns = stretch_ns > cell_ns ? stretch_ns : cell_ns;
        any = true;
    }
    return any ? cell_ns : 0;
}

static int find_waste(struct wtl_trace_reader *reader,
                      const struct wtl_activity_lanes *lanes,
                      const struct wtl_result *result,
                      struct wtl_waste *waste,
                      size_t count,
                      struct wattle_error *err)
{
    double *power_w = calloc(count + 1, sizeof *power_w);
    double *working = calloc(count + 1, sizeof *working);
    struct cells cells = {.lanes = lanes,
                          .start_ns = result->start_monotonic_ns,
                          .bins = {.cell_s = (double)waste->cell_ns * 1e-9,
                                   .count = count,
                                   .integral = calloc(count + 1, sizeof(double)),
                                   .known_s = calloc(count + 1, sizeof(double))}};
    int rc =
        power_w && working && cells.bins.integral && cells.bins.known_s ? 0 : wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_total_curve_of(reader, result, cells.bins.cell_s, count, power_w, err);
    rc = rc < 0 ? rc : count_working(&cells, working, err);
    if (rc == 0 && wtl_waste_judge(waste, result->start_monotonic_ns, power_w, working, count) < 0)
        rc = wtl_no_memory(err);
    if (rc == -ENODATA) {
        waste->problem = "its power is unknown";
        rc = 0;
    }
    for (size_t i = 0; rc == 0 && i < waste->count; i++)
        rc = name_stretch(lanes, &waste->stretches[i], err);
    free(cells.bins.integral);
    free(cells.bins.known_s);
    free(power_w);
    free(working);
    return rc;
}

int wtl_waste_find(struct wtl_trace_reader *reader,
                   const struct wtl_activity_lanes *lanes,
                   const struct wtl_result *result,
                   const struct wtl_waste_rule *rule,
                   struct wtl_waste *ret_waste,
                   struct wattle_error *err)
{
    struct wtl_waste waste = {.rule = *rule};
    uint64_t whole_ns = result->end_monotonic_ns > result->start_monotonic_ns
                            ? result->end_monotonic_ns - result->start_monotonic_ns
                            : 0;
    waste.cell_ns = cell_length(result, whole_ns);
    size_t count = waste.cell_ns ? (size_t)(whole_ns / waste.cell_ns) : 0;
    int rc = 0;
    if (lanes->thread_count == 0)
        waste.problem = "no activity of threads was recorded";
    else if (lanes->by == WTL_BY_REGION)
        waste.problem = "no tasks were recorded: threads may work outside of regions";
    else if (waste.cell_ns == 0)
        waste.problem = "its power is unknown";
    else if (count < CELLS_LEAST)
        waste.problem = "it is too short for its sensors";
    else
        rc = find_waste(reader, lanes, result, &waste, count, err);
    if (rc < 0) {
        wtl_waste_fini(&waste);
        return rc;
    }
    *ret_waste = waste;
    return 0;
}

void wtl_waste_fini(struct wtl_waste *waste)
{
    free(waste->stretches);
    *waste = (struct wtl_waste){0};
}
