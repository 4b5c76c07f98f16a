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

/* A value of a node, on its way into a spread. */
struct value {
    double value;
    size_t node;
};

struct values {
    struct value *items;
    size_t count, capacity;
};

static int add_value(struct values *values, double value, size_t node)
{
    if (values->count == values->capacity) {
        size_t room = values->capacity ? 2 * values->capacity : 8;
        struct value *grown = realloc(values->items, room * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        values->items = grown;
        values->capacity = room;
    }
    values->items[values->count++] = (struct value){.value = value, .node = node};
    return 0;
}

static int compare_values(const void *a, const void *b)
{
    const struct value *x = (const struct value *)a, *y = (const struct value *)b;
    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sorts the values. */
static struct wtl_run_spread spread_of(struct values *values)
{
    struct wtl_run_spread spread = {.nodes = values->count};
    double sum = 0, squares = 0;
    if (values->count == 0)
        return spread;
    for (size_t i = 0; i < values->count; i++)
        sum += values->items[i].value;
    spread.mean = sum / (double)values->count;
    for (size_t i = 0; i < values->count; i++)
        squares += (values->items[i].value - spread.mean) * (values->items[i].value - spread.mean);
    spread.sd = values->count > 1 ? sqrt(squares / (double)(values->count - 1)) : (double)NAN;
    wtl_sort(values->items, values->count, sizeof *values->items, compare_values);
    const struct value *first = &values->items[0], *last = &values->items[values->count - 1];
    const struct value *middle = &values->items[(values->count - 1) / 2];
    spread.min = first->value;
    spread.min_node = first->node;
    spread.median = middle->value;
    spread.median_node = middle->node;
    spread.max = last->value;
    spread.max_node = last->node;
    return spread;
}

/* What a node gives to a sum. */
struct share {
    double energy_j, half_j, low_j, high_j, time_s; /* time_s: of a region */
    bool estimated, simulated, derived;
};

/* A sum under construction. */
struct adding {
    struct wtl_run_sum *sum;
    struct values values;
    double squares, whole, time_s;
};

static int add_share(struct adding *adding, const struct share *share, size_t node)
{
    struct wtl_run_sum *sum = adding->sum;
    if (isnan(share->energy_j)) {
        sum->unknown++;
        return 0;
    }
    sum->nodes++;
    sum->simulated |= share->simulated;
    sum->derived |= share->derived;
    sum->energy_j += share->energy_j;
    adding->time_s += share->time_s;
    adding->squares += share->half_j * share->half_j;
    adding->whole += share->half_j;
    sum->low_j += share->estimated ? share->low_j : (double)NAN;
    sum->high_j += share->estimated ? share->high_j : (double)NAN;
    return add_value(&adding->values, share->energy_j, node);
}

/* whole: the half widths hold the error of a model. time_s: that mean power is over. */
static void close_sum(struct adding *adding, bool whole, double time_s)
{
    struct wtl_run_sum *sum = adding->sum;
    sum->half_j = whole ? adding->whole : sqrt(adding->squares);
    sum->per = spread_of(&adding->values);
    sum->mean_w = time_s > 0 ? sum->energy_j / time_s : (double)NAN;
    if (sum->nodes == 0)
        sum->energy_j = sum->half_j = sum->low_j = sum->high_j = sum->mean_w = NAN;
    free(adding->values.items);
    adding->values = (struct values){0};
}

static double wall_s(const struct wtl_run *run)
{
    return wtl_seconds_between(wtl_run_begin(run), wtl_run_end(run));
}

/* ---- the total ---- */

static int sum_totals(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    struct adding measured = {.sum = &totals->measured}, estimated = {.sum = &totals->estimated};
    const char *contains = NULL;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        bool model = row->has_total && row->quality == WATTLE_ESTIMATED;
        const struct share share = {.energy_j = row->has_total ? row->total_j : (double)NAN,
                                    .half_j = row->total_half_j,
                                    .low_j = row->total_low_j,
                                    .high_j = row->total_high_j,
                                    .estimated = model,
                                    .simulated = row->simulated,
                                    .derived = row->quality == WATTLE_DERIVED};
        rc = add_share(model ? &estimated : &measured, &share, i);
        if (model || !row->has_total)
            continue;
        totals->mixed |= contains && strcmp(contains, row->contains) != 0;
        contains = row->contains;
    }
    close_sum(&measured, false, wall_s(run));
    close_sum(&estimated, false, wall_s(run));
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
    struct adding adding = {.sum = &sum->sum};
    int rc = 0;
    sum->in_total = true;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_domain *domain =
            domain_of(wtl_run_node(run, i)->row, sum->domain, sum->estimated);
        if (!domain)
            continue;
        const struct share share = {.energy_j = domain->energy_j,
                                    .half_j = sqrt(domain->square_j2),
                                    .low_j = domain->low_j,
                                    .high_j = domain->high_j,
                                    .estimated = domain->estimated,
                                    .simulated = domain->simulated,
                                    .derived = domain->derived};
        sum->channels += domain->channels;
        sum->in_total &= domain->in_total;
        rc = add_share(&adding, &share, i);
    }
    close_sum(&adding, false, wall_s(run));
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
    bool estimated, simulated, derived;
    double low, high; /* estimated: the truth of the node's total by its estimate, 95 % */
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
                                        .low = row->total_low_j / row->total_j,
                                        .high = row->total_high_j / row->total_j,
                                        .estimated = row->quality == WATTLE_ESTIMATED,
                                        .simulated = row->simulated,
                                        .derived = row->quality == WATTLE_DERIVED};
            count++;
        }
    }
    if (all && count)
        wtl_sort(all, count, sizeof *all, compare_found);
    *ret_count = count;
    return all;
}

/* A model is wrong by a factor; too short for the sampling, a region has the interval of its ticks, from 0 on. */
static void set_range(struct share *share, const struct found *found)
{
    bool ticks = found->region->interval_only;
    double low = share->energy_j - share->half_j;
    share->low_j = ticks ? (low > 0 ? low : 0) : share->energy_j * found->low;
    share->high_j = ticks ? share->energy_j + share->half_j : share->energy_j * found->high;
}

static int add_region(const struct found *found, struct adding *inclusive, struct adding *exclusive)
{
    const struct wtl_run_region *region = found->region;
    struct share share = {.energy_j = region->inclusive_j,
                          .half_j = region->inclusive_half_j,
                          .time_s = (double)region->union_ns * 1e-9,
                          .estimated = found->estimated,
                          .simulated = found->simulated,
                          .derived = found->derived};
    set_range(&share, found);
    int rc = add_share(inclusive, &share, found->node);
    share.energy_j = region->exclusive_j;
    share.half_j = region->exclusive_half_j;
    set_range(&share, found);
    share.time_s = (double)region->exclusive_ns * 1e-9;
    return rc < 0 ? rc : add_share(exclusive, &share, found->node);
}

/* Those of one name and sort: all[0 .. n-1]. */
static int sum_region(const struct found *all, size_t n, struct wtl_run_region_sum *sum)
{
    struct adding inclusive = {.sum = &sum->inclusive}, exclusive = {.sum = &sum->exclusive};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct wtl_run_region *region = all[i].region;
        sum->count += region->count;
        sum->unbalanced += region->unbalanced;
        sum->crossing += region->crossing;
        sum->thread_s += (double)region->thread_time_ns * 1e-9;
        sum->union_s += (double)region->union_ns * 1e-9;
        sum->exclusive_s += (double)region->exclusive_ns * 1e-9;
        sum->interval_only |= region->interval_only;
        rc = add_region(&all[i], &inclusive, &exclusive);
    }
    close_sum(&inclusive, sum->estimated, inclusive.time_s / (double)inclusive.sum->nodes);
    close_sum(&exclusive, sum->estimated, exclusive.time_s / (double)exclusive.sum->nodes);
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

static int add_flag(struct wtl_run_totals *totals, const struct wtl_result_flag *flag, size_t node)
{
    for (size_t i = 0; i < totals->flag_count; i++) {
        if (strcmp(totals->flags[i].name, flag->name) == 0) {
            totals->flags[i].nodes++;
            return 0;
        }
    }
    struct wtl_run_flag *grown = realloc(totals->flags, (totals->flag_count + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    totals->flags = grown;
    grown[totals->flag_count++] =
        (struct wtl_run_flag){.name = flag->name, .text = flag->text, .nodes = 1, .first = node};
    return 0;
}

static int sum_rest(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    struct values mpi = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        for (uint32_t k = 0; rc == 0 && k < row->flag_count; k++)
            rc = add_flag(totals, &row->flags[k], i);
        if (rc == 0 && !isnan(row->mpi_s))
            rc = add_value(&mpi, row->mpi_s, i);
    }
    totals->mpi_s = spread_of(&mpi);
    totals->wall_s = wall_s(run);
    free(mpi.items);
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
    free(totals->flags);
    *totals = (struct wtl_run_totals){0};
}

const struct wtl_run_sum *wtl_run_totals_sum(const struct wtl_run_totals *totals)
{
    return totals->measured.nodes > 0 || totals->estimated.nodes == 0 ? &totals->measured
                                                                      : &totals->estimated;
}
