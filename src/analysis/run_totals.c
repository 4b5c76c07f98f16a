/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the nodes of a run: see run_totals.h. Nodes are taken in the run's order, so that the bits of a
 * sum do not depend on the order in which traces were named. */
#define _GNU_SOURCE
#include "analysis/run_totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/whole.h"

static double wall_s(const struct wtl_run *run)
{
    return wtl_seconds_between(wtl_run_begin(run), wtl_run_end(run));
}

static double window_s(const struct wtl_run_row *row)
{
    return (double)(row->end_ns - row->begin_ns) * 1e-9;
}

/* ---- the total ---- */

static int sum_totals(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    struct wtl_run_sum *measured = &totals->measured, *estimated = &totals->estimated;
    const char *contains = NULL;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        const struct wtl_run_addend addend = wtl_run_part_addend(&row->total, window_s(row));
        bool model = addend.energy.quality == WATTLE_ESTIMATED;
        rc = wtl_run_sum_add(model ? estimated : measured, &addend, i);
        if (model || row->total.channels == 0)
            continue;
        totals->mixed |= contains && strcmp(contains, row->contains) != 0;
        contains = row->contains;
    }
    /* A node without a total is missing in the sum that speaks for the run. */
    if (measured->nodes == 0 && estimated->nodes > 0) {
        estimated->sum.unknown = measured->sum.unknown;
        measured->sum.unknown = 0;
    }
    wtl_run_sum_close(measured, false, wall_s(run));
    wtl_run_sum_close(estimated, false, wall_s(run));
    return rc;
}

/* ---- domains ---- */

static const struct wtl_run_domain *domain_of(const struct wtl_run_row *row,
                                              enum wattle_domain domain,
                                              bool estimated)
{
    for (uint32_t i = 0; i < row->domain_count; i++)
        if (row->domains[i].domain == domain && row->domains[i].estimated == estimated)
            return &row->domains[i];
    return NULL;
}

static int sum_domain(const struct wtl_run *run, struct wtl_run_domain_sum *sum)
{
    int rc = 0;
    sum->in_total = true;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        const struct wtl_run_domain *domain = domain_of(row, sum->domain, sum->estimated);
        if (!domain)
            continue;
        const struct wtl_run_addend addend = wtl_run_part_addend(&domain->part, window_s(row));
        sum->channels += domain->part.channels;
        sum->in_total &= domain->part.in_total;
        rc = wtl_run_sum_add(&sum->sum, &addend, i);
    }
    wtl_run_sum_close(&sum->sum, false, wall_s(run));
    return rc;
}

static int sum_domains(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    totals->domains = calloc(2 * (size_t)WATTLE_DOMAIN_COUNT, sizeof *totals->domains);
    int rc = totals->domains ? 0 : -ENOMEM;
    for (int estimated = 0; estimated < 2; estimated++) {
        for (int d = 0; rc == 0 && d < WATTLE_DOMAIN_COUNT; d++) {
            struct wtl_run_domain_sum *sum = &totals->domains[totals->domain_count];
            *sum = (struct wtl_run_domain_sum){.domain = (enum wattle_domain)d,
                                               .estimated = estimated == 1};
            rc = sum_domain(run, sum);
            totals->domain_count += sum->sum.nodes + sum->sum.unknown > 0;
        }
    }
    return rc;
}

/* ---- regions ---- */

/* A region of one node, and its place in the list of all. */
struct found {
    const struct wtl_run_region *region;
    size_t node, order;
    bool estimated;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *x = (const struct found *)a, *y = (const struct found *)b;
    int order = strcmp(x->region->name, y->region->name);
    order = order ? order : x->estimated - y->estimated;
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static struct found *list_regions(const struct wtl_run *run, size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < wtl_run_node_count(run); i++)
        count += wtl_run_node(run, i)->row->region_count;
    struct found *all = malloc((count + 1) * sizeof *all);
    count = 0;
    for (size_t i = 0; all && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        for (uint32_t k = 0; k < row->region_count; k++) {
            all[count] = (struct found){.region = &row->regions[k],
                                        .node = i,
                                        .order = count,
                                        .estimated = row->total.energy.quality == WATTLE_ESTIMATED};
            count++;
        }
    }
    if (all && count)
        wtl_sort(all, count, sizeof *all, compare_found);
    *ret_count = count;
    return all;
}

static int add_region(const struct found *found, struct wtl_run_region_sum *sum)
{
    const struct wtl_run_region *region = found->region;
    const struct wtl_run_addend inclusive = {.energy = region->inclusive,
                                             .time_s = (double)region->union_ns * 1e-9};
    const struct wtl_run_addend exclusive = {.energy = region->exclusive,
                                             .time_s = (double)region->exclusive_ns * 1e-9};
    int rc = wtl_run_sum_add(&sum->inclusive, &inclusive, found->node);
    return rc < 0 ? rc : wtl_run_sum_add(&sum->exclusive, &exclusive, found->node);
}

/* Those of one name and sort: all[0 .. n-1]. */
static int sum_region(const struct found *all, size_t n, struct wtl_run_region_sum *sum)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct wtl_run_region *region = all[i].region;
        sum->count += region->count;
        sum->unbalanced += region->unbalanced;
        sum->crossing += region->crossing;
        sum->thread_s += (double)region->thread_time_ns * 1e-9;
        sum->union_s += (double)region->union_ns * 1e-9;
        sum->exclusive_s += (double)region->exclusive_ns * 1e-9;
        rc = add_region(&all[i], sum);
    }
    wtl_run_sum_close(&sum->inclusive, sum->estimated, 0);
    wtl_run_sum_close(&sum->exclusive, sum->estimated, 0);
    return rc;
}

/* Sums with the place where their name first stood. */
struct placed {
    struct wtl_run_region_sum sum;
    size_t order;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = (const struct placed *)a, *y = (const struct placed *)b;
    int outside = (x->sum.name[0] != '\0') - (y->sum.name[0] != '\0');
    return outside ? outside : (x->order > y->order) - (x->order < y->order);
}

static int sum_regions(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    size_t count = 0, placed_count = 0;
    struct found *all = list_regions(run, &count);
    struct placed *placed = all ? calloc(count + 1, sizeof *placed) : NULL;
    int rc = placed ? 0 : -ENOMEM;
    for (size_t i = 0, n; rc == 0 && i < count; i += n) {
        for (n = 1; i + n < count && all[i + n].estimated == all[i].estimated &&
                    strcmp(all[i + n].region->name, all[i].region->name) == 0;)
            n++;
        struct placed *one = &placed[placed_count++];
        *one = (struct placed){.order = all[i].order};
        one->sum.name = all[i].region->name;
        one->sum.estimated = all[i].estimated;
        rc = sum_region(&all[i], n, &one->sum);
    }
    if (placed_count)
        wtl_sort(placed, placed_count, sizeof *placed, compare_placed);
    totals->regions = calloc(placed_count + 1, sizeof *totals->regions);
    if (!totals->regions)
        rc = -ENOMEM;
    for (size_t i = 0; rc == 0 && i < placed_count; i++)
        totals->regions[totals->region_count++] = placed[i].sum;
    free(placed);
    free(all);
    return rc;
}

/* ---- flags and the rest ---- */

static int sum_rest(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    struct wtl_run_sum mpi = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        rc = wtl_run_flags_add(&totals->flags, row->flags, row->flag_count, i);
        if (rc == 0 && !isnan(row->mpi_s))
            rc = wtl_run_spread_add(&mpi, row->mpi_s, i);
    }
    wtl_run_sum_close(&mpi, false, 0);
    totals->mpi_s = mpi.per;
    totals->wall_s = wall_s(run);
    return rc;
}

int wtl_run_totals_of(const struct wtl_run *run,
                      struct wtl_run_totals *ret_totals,
                      struct wattle_error *err)
{
    struct wtl_run_totals totals = {0};
    int rc = sum_totals(run, &totals);
    rc = rc < 0 ? rc : sum_domains(run, &totals);
    rc = rc < 0 ? rc : sum_regions(run, &totals);
    rc = rc < 0 ? rc : sum_rest(run, &totals);
    if (rc < 0) {
        wtl_run_totals_fini(&totals);
        return wtl_fail(err, rc, "not enough memory for the totals of %zu nodes",
                        wtl_run_node_count(run));
    }
    *ret_totals = totals;
    return 0;
}

void wtl_run_totals_fini(struct wtl_run_totals *totals)
{
    free(totals->domains);
    free(totals->regions);
    wtl_run_flags_fini(&totals->flags);
    *totals = (struct wtl_run_totals){0};
}

const struct wtl_run_sum *wtl_run_totals_sum(const struct wtl_run_totals *totals)
{
    return totals->measured.nodes > 0 || totals->estimated.nodes == 0 ? &totals->measured
                                                                      : &totals->estimated;
}
