/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases of a run: see phase.h. */
#include "analysis/phases/phase.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/phase_bounds.h"
#include "base/fail.h"
#include "base/grow.h"

static const char *const method_names[WTL_PHASE_METHOD_COUNT] = {[WTL_PHASE_FOCUS] = "focus",
                                                                 [WTL_PHASE_NP_FOCUS] = "np-focus",
                                                                 [WTL_PHASE_PELT] = "pelt",
                                                                 [WTL_PHASE_PAPER] = "paper"};

const char *wtl_phase_method_name(enum wtl_phase_method method)
{
    return (unsigned)method < WTL_PHASE_METHOD_COUNT ? method_names[method] : "?";
}

int wtl_phase_method_of(const char *name)
{
    for (int i = 0; i < WTL_PHASE_METHOD_COUNT; i++)
        if (strcmp(method_names[i], name) == 0)
            return i;
    return -ENOENT;
}

struct wtl_phase_options wtl_phase_options_default(void)
{
    return (struct wtl_phase_options){.method = WTL_PHASE_FOCUS,
                                      .false_alarms_per_row = 1e-6,
                                      .window = WTL_PHASE_GROWING,
                                      .relevance = WTL_PHASE_TOP,
                                      .top = WTL_PHASE_RANKS,
                                      .significance = 0.05};
}

double wtl_phase_seconds(const struct wtl_counter_rows *rows, const struct wtl_phase *phase)
{
    return (double)(wtl_counter_rows_end(rows, phase->last) -
                    wtl_counter_rows_begin(rows, phase->first)) *
           1e-9;
}

const char *wtl_phase_energy_problem(const struct wtl_phase *phase)
{
    /* Without any known power a sum of joules would be a zero that was not measured. */
    if (!(phase->known_s > 0))
        return "no power is known";
    return phase->is_unresolved ? "shorter than the sampling of power" : NULL;
}

bool wtl_phase_has_energy(const struct wtl_phase *phase)
{
    return !wtl_phase_energy_problem(phase);
}

int wtl_phase_bounds_add(struct wtl_phase_bounds *bounds, size_t first)
{
    if (wtl_grow(&bounds->list, bounds->count, sizeof *bounds->list) < 0)
        return -ENOMEM;
    bounds->list[bounds->count++] = (struct wtl_phase){.first = first, .letter = -1};
    return 0;
}

static bool differs(double a, double b)
{
    return isfinite(a) && isfinite(b) && (a < b || a > b);
}

/* Does any counter vary? */
static bool any_varies(const struct wtl_counter_rows *rows)
{
    for (size_t c = 0; c < rows->columns; c++)
        for (size_t k = 1; k < rows->rows; k++)
            if (differs(rows->rate[k * rows->columns + c], rows->rate[(k - 1) * rows->columns + c]))
                return true;
    return false;
}

static bool any_power(const struct wtl_counter_rows *rows)
{
    for (size_t k = 0; k < rows->rows; k++)
        if (isfinite(rows->power_w[k]))
            return true;
    return false;
}

static int check_options(const struct wtl_counter_rows *rows,
                         const struct wtl_phase_options *options,
                         struct wattle_error *err)
{
    if ((unsigned)options->method >= WTL_PHASE_METHOD_COUNT)
        return wtl_fail(err, -EINVAL, "unknown method of finding phases");
    if (rows->columns > WTL_ROW_COLUMNS)
        return wtl_fail(err, -E2BIG, "%zu counters are more than %d", rows->columns,
                        WTL_ROW_COLUMNS);
    if (options->top < 1 || options->top > WTL_ROW_COLUMNS)
        return wtl_fail(err, -EINVAL, "%u relevant counters: choose 1 to %d", options->top,
                        WTL_ROW_COLUMNS);
    if (!(options->significance > 0 && options->significance < 1))
        return wtl_fail(err, -EINVAL, "the significance must be between 0 and 1, e.g. 0.05");
    return 0;
}

static int check_rows(const struct wtl_counter_rows *rows,
                      const struct wtl_phase_options *options,
                      bool has_power,
                      struct wattle_error *err)
{
    if (options->method != WTL_PHASE_PAPER && rows->rows < WTL_PHASE_ROWS_MIN)
        return wtl_fail(err, -ENODATA,
                        "%zu rows are too few to tell phases from noise (at least %d); record for "
                        "longer, or at shorter intervals",
                        rows->rows, WTL_PHASE_ROWS_MIN);
    if (!any_varies(rows))
        return wtl_fail(err, -ENODATA,
                        "none of the %zu counters varies in these %zu rows; check with "
                        "\"wattle counters\" that they count here",
                        rows->columns, rows->rows);
    if (options->method == WTL_PHASE_PAPER && !has_power)
        return wtl_fail(err, -ENODATA,
                        "the power is unknown, and the paper's method needs it; use another "
                        "method, or record with a sensor");
    return 0;
}

static int find_bounds(const struct wtl_counter_rows *rows,
                       const struct wtl_phase_options *options,
                       struct wtl_phase_bounds *bounds,
                       struct wattle_error *err)
{
    if (options->method == WTL_PHASE_PAPER)
        return wtl_phase_find_paper(rows, options, bounds, err);
    if (options->method == WTL_PHASE_PELT)
        return wtl_phase_find_pelt(rows, options, bounds, err);
    int rc = wtl_phase_find_online(rows, options, bounds, err);
    return rc == 0 && options->method == WTL_PHASE_FOCUS
               ? wtl_phase_second_pass(rows, options, bounds, err)
               : rc;
}

int wtl_phases_find(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_list *ret_phases,
                    struct wattle_error *err)
{
    struct wtl_phase_bounds bounds = {0};
    bool has_power = any_power(rows);
    int rc = check_options(rows, options, err);
    if (rc == 0)
        rc = check_rows(rows, options, has_power, err);
    if (rc == 0)
        rc = find_bounds(rows, options, &bounds, err);
    if (rc == 0 && wtl_phases_fill(rows, options, &bounds) < 0)
        rc = wtl_no_memory_for(err, "the phases of %zu rows", rows->rows);
    if (rc < 0) {
        free(bounds.list);
        return rc;
    }
    *ret_phases = (struct wtl_phase_list){
        .list = bounds.list,
        .count = bounds.count,
        .method = options->method,
        .false_alarms_per_row =
            options->method == WTL_PHASE_PAPER ? NAN : options->false_alarms_per_row,
        .explained = wtl_phases_explained(rows, &bounds),
        .no_power = !has_power};
    return 0;
}

void wtl_phases_fini(struct wtl_phase_list *phases)
{
    free(phases->list);
    *phases = (struct wtl_phase_list){0};
}
