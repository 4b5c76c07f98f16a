/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of the total, and the heat map of nodes: see run_shares.h. */
#include "report/cluster/run_shares.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- shares ---- */

/* Does one sensor cover the whole total, with parts that are not added to it? */
static const struct wtl_profile_part *whole_of(const struct wtl_run_profile *p)
{
    const struct wtl_profile_part *found = NULL;
    size_t in_total = 0;
    for (size_t k = 1; k < p->part_count; k++) {
        if (!p->parts[k].in_total)
            continue;
        found = &p->parts[k];
        in_total++;
    }
    return in_total == 1 ? found : NULL;
}

static bool is_piece(const struct wtl_run_profile *p,
                     const struct wtl_profile_part *whole,
                     const struct wtl_profile_part *part)
{
    if (!whole)
        return part->in_total;
    bool inner = part != whole && !part->in_total &&
                 (!part->within[0] || strcmp(part->within, whole->name) == 0);
    return inner && part->sum.nodes == p->parts[0].sum.nodes;
}

size_t wtl_run_shares(const struct wtl_run_profile *p, struct wtl_run_share *ret_shares)
{
    const struct wtl_profile_part *whole = whole_of(p);
    double total = p->parts[0].sum.energy.j, sum = 0;
    size_t n = 0;
    if (!(total > 0))
        return 0;
    for (size_t k = 1; k < p->part_count; k++) {
        const struct wtl_profile_part *part = &p->parts[k];
        if (!is_piece(p, whole, part))
            continue;
        /* Without a sensor that covers everything: only nodes whose total includes the part. */
        double energy_j = whole ? part->sum.energy.j : part->in_total_j;
        if (isnan(energy_j))
            continue;
        ret_shares[n++] = (struct wtl_run_share){part->name, energy_j, energy_j / total, false};
        sum += energy_j;
    }
    if (whole && n == 0)
        ret_shares[n++] = (struct wtl_run_share){whole->name, total, 1, false};
    else if (total - sum > 1e-6 * total)
        ret_shares[n++] = (struct wtl_run_share){whole ? "rest" : "unknown part", total - sum,
                                                 (total - sum) / total, true};
    return n;
}

/* ---- heat ---- */

/* The mean of the known values of a row's nodes in the cells of a column. */
static float mean_of(const struct wtl_run_profile *p,
                     const struct wtl_run_heat *heat,
                     size_t row,
                     size_t column)
{
    size_t from = column * p->cells / heat->columns, to = (column + 1) * p->cells / heat->columns;
    double sum = 0;
    size_t n = 0;
    for (size_t i = heat->first[row]; i < heat->first[row + 1]; i++)
        for (size_t k = from; k < to; k++) {
            float w = p->node_w[heat->order[i] * p->cells + k];
            sum += isnan(w) ? 0 : (double)w;
            n += isnan(w) ? 0 : 1;
        }
    return n ? (float)(sum / (double)n) : NAN;
}

int wtl_run_heat_make(const struct wtl_run_profile *p,
                      bool by_energy,
                      size_t rows_most,
                      size_t columns_most,
                      struct wtl_run_heat *ret_heat)
{
    struct wtl_run_heat heat = {.low = NAN, .high = NAN};
    heat.rows = p->node_count < rows_most ? p->node_count : rows_most;
    heat.columns = p->cells < columns_most ? p->cells : columns_most;
    heat.first = malloc((heat.rows + 1) * sizeof *heat.first);
    heat.order = malloc((p->node_count + 1) * sizeof *heat.order);
    heat.power = malloc((heat.rows * heat.columns + 1) * sizeof *heat.power);
    if (!heat.first || !heat.order || !heat.power ||
        wtl_profile_order(p, by_energy, heat.order) < 0) {
        wtl_run_heat_fini(&heat);
        return -ENOMEM;
    }
    for (size_t r = 0; r <= heat.rows; r++)
        heat.first[r] = heat.rows ? r * p->node_count / heat.rows : 0;
    for (size_t r = 0; r < heat.rows; r++)
        for (size_t c = 0; c < heat.columns; c++) {
            float w = mean_of(p, &heat, r, c);
            heat.power[r * heat.columns + c] = w;
            heat.low = fminf(heat.low, w); /* ignores NaN */
            heat.high = fmaxf(heat.high, w);
        }
    *ret_heat = heat;
    return 0;
}

void wtl_run_heat_fini(struct wtl_run_heat *heat)
{
    free(heat->first);
    free(heat->order);
    free(heat->power);
    *heat = (struct wtl_run_heat){0};
}
