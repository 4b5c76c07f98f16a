/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over the nodes of a run: see run_totals.h. Nodes are added in the run's order, so that a sum
 * is bit-identical whatever the order in which traces were named. */
#define _GNU_SOURCE
#include "analysis/cluster/run_totals.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/text/figures.h"
#include "base/whole.h"
#include "model/flag.h"

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
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        const struct wtl_run_addend addend = wtl_run_part_addend(&row->total, window_s(row));
        bool model = addend.energy.quality == WATTLE_ESTIMATED;
        rc = wtl_run_sum_add(model ? estimated : measured, &addend, wtl_run_node(run, i)->name);
    }
    /* A node without a total is missing from the run's main sum. */
    if (measured->nodes == 0 && estimated->nodes > 0) {
        estimated->sum.unknown = measured->sum.unknown;
        measured->sum.unknown = 0;
    }
    wtl_run_sum_close(measured, false, wall_s(run));
    wtl_run_sum_close(estimated, false, wall_s(run));
    return rc;
}

/* What the summed totals contain, as text. */
static void find_words(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    bool estimated = wtl_run_totals_estimated(totals);
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        if (row->total.channels == 0 ||
            (row->total.energy.quality == WATTLE_ESTIMATED) != estimated)
            continue;
        totals->mixed |= totals->contains && strcmp(totals->contains, row->contains) != 0;
        totals->contains = totals->contains ? totals->contains : row->contains;
        totals->excludes = totals->excludes ? totals->excludes : row->excludes;
    }
    totals->contains = totals->contains ? totals->contains : "";
    totals->excludes = totals->excludes ? totals->excludes : "";
}

/* ---- domains and parts ---- */

/* The node's item of the same domain (or part) and kind; or NULL. */
static const struct wtl_run_domain *find_domain(const struct wtl_run_row *row,
                                                bool by_part,
                                                const struct wtl_run_domain_sum *like)
{
    const struct wtl_run_domain *list = by_part ? row->parts : row->domains;
    uint32_t count = by_part ? row->part_count : row->domain_count;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].estimated == like->estimated &&
            (by_part ? strcmp(list[i].name, like->name) == 0 : list[i].domain == like->domain))
            return &list[i];
    return NULL;
}

static int sum_domain(const struct wtl_run *run, bool by_part, struct wtl_run_domain_sum *sum)
{
    int rc = 0;
    sum->in_total = true;
    sum->in_total_j = NAN;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        const struct wtl_run_domain *domain = find_domain(row, by_part, sum);
        if (!domain)
            continue;
        const struct wtl_run_addend addend = wtl_run_part_addend(&domain->part, window_s(row));
        double in_total_j = domain->part.in_total_j;
        sum->name = sum->name ? sum->name : domain->name;
        sum->within = sum->within ? sum->within : domain->within;
        sum->channels += domain->part.channels;
        sum->in_total &= domain->part.in_total;
        sum->in_some_total |= domain->part.in_total_any;
        if (!isnan(addend.energy.j) && !isnan(in_total_j))
            sum->in_total_j = isnan(sum->in_total_j) ? in_total_j : sum->in_total_j + in_total_j;
        rc = wtl_run_sum_add(&sum->sum, &addend, wtl_run_node(run, i)->name);
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
            rc = sum_domain(run, false, sum);
            totals->domain_count += sum->sum.nodes + sum->sum.unknown > 0;
        }
    }
    return rc;
}

static bool has_part(const struct wtl_run_totals *totals, const struct wtl_run_domain *part)
{
    for (size_t i = 0; i < totals->part_count; i++)
        if (totals->parts[i].estimated == part->estimated &&
            strcmp(totals->parts[i].name, part->name) == 0)
            return true;
    return false;
}

static int sum_parts(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        for (uint32_t k = 0; rc == 0 && k < row->part_count; k++) {
            const struct wtl_run_domain *part = &row->parts[k];
            if (has_part(totals, part))
                continue;
            if (wtl_grow(&totals->parts, totals->part_count, sizeof *totals->parts) < 0)
                return -ENOMEM;
            struct wtl_run_domain_sum *sum = &totals->parts[totals->part_count++];
            *sum = (struct wtl_run_domain_sum){
                .name = part->name, .domain = part->domain, .estimated = part->estimated};
            rc = sum_domain(run, true, sum);
        }
    }
    return rc;
}

/* ---- regions ---- */

static int compare_stays(const void *a, const void *b)
{
    const struct wtl_run_stay *x = (const struct wtl_run_stay *)a;
    const struct wtl_run_stay *y = (const struct wtl_run_stay *)b;
    int order = strcmp(x->region->name, y->region->name);
    order = order ? order : x->estimated - y->estimated;
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static struct wtl_run_stay *list_regions(const struct wtl_run *run, size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < wtl_run_node_count(run); i++)
        count += wtl_run_node(run, i)->row->region_count;
    struct wtl_run_stay *all = malloc((count + 1) * sizeof *all);
    count = 0;
    for (size_t i = 0; all && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        for (uint32_t k = 0; k < row->region_count; k++) {
            all[count] =
                (struct wtl_run_stay){.region = &row->regions[k],
                                      .node = i,
                                      .order = count,
                                      .estimated = row->total.energy.quality == WATTLE_ESTIMATED};
            count++;
        }
    }
    if (all && count)
        wtl_sort(all, count, sizeof *all, compare_stays);
    *ret_count = count;
    return all;
}

static int add_stay(const struct wtl_run_stay *stay,
                    const char *node,
                    struct wtl_run_region_sum *sum)
{
    const struct wtl_run_region *region = stay->region;
    const struct wtl_run_addend inclusive = {.energy = region->inclusive,
                                             .time_s = (double)region->union_ns * 1e-9};
    const struct wtl_run_addend exclusive = {.energy = region->exclusive,
                                             .time_s = (double)region->exclusive_ns * 1e-9};
    sum->count += region->count;
    sum->unbalanced += region->unbalanced;
    sum->crossing += region->crossing;
    sum->unresolved += region->inclusive.interval_only;
    sum->thread_s += (double)region->thread_time_ns * 1e-9;
    sum->union_s += inclusive.time_s;
    sum->exclusive_s += exclusive.time_s;
    int rc = wtl_run_sum_add(&sum->inclusive, &inclusive, node);
    return rc < 0 ? rc : wtl_run_sum_add(&sum->exclusive, &exclusive, node);
}

static int sum_region(const struct wtl_run *run, struct wtl_run_region_sum *sum)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sum->stay_count; i++)
        rc = add_stay(&sum->stays[i], wtl_run_node(run, sum->stays[i].node)->name, sum);
    wtl_run_sum_close(&sum->inclusive, sum->estimated, 0);
    wtl_run_sum_close(&sum->exclusive, sum->estimated, 0);
    return rc;
}

/* Outside all regions first, then by first appearance of the name. */
static int compare_regions(const void *a, const void *b)
{
    const struct wtl_run_region_sum *x = (const struct wtl_run_region_sum *)a;
    const struct wtl_run_region_sum *y = (const struct wtl_run_region_sum *)b;
    int outside = (x->name[0] != '\0') - (y->name[0] != '\0');
    return outside ? outside
                   : (x->stays->order > y->stays->order) - (x->stays->order < y->stays->order);
}

static int sum_regions(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    size_t count = 0;
    struct wtl_run_stay *all = totals->stays = list_regions(run, &count);
    totals->regions = all ? calloc(count + 1, sizeof *totals->regions) : NULL;
    int rc = totals->regions ? 0 : -ENOMEM;
    for (size_t i = 0, n; rc == 0 && i < count; i += n) {
        for (n = 1; i + n < count && all[i + n].estimated == all[i].estimated &&
                    strcmp(all[i + n].region->name, all[i].region->name) == 0;)
            n++;
        struct wtl_run_region_sum *sum = &totals->regions[totals->region_count++];
        *sum = (struct wtl_run_region_sum){.name = all[i].region->name,
                                           .estimated = all[i].estimated,
                                           .stays = &all[i],
                                           .stay_count = n};
        rc = sum_region(run, sum);
    }
    if (rc == 0 && totals->region_count)
        wtl_sort(totals->regions, totals->region_count, sizeof *totals->regions, compare_regions);
    return rc;
}

/* ---- flags and the remaining sums ---- */

static int sum_rest(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_node *node = wtl_run_node(run, i);
        rc = wtl_run_flags_add(&totals->flags, node->row->flags, node->row->flag_count, node->name);
    }
    totals->wall_s = wall_s(run);
    return rc;
}

/* "n03, n04 and 2 more" */
static void list_missing(const struct wtl_run *run, char *text, size_t n)
{
    enum { SHOWN = 8, NAMED = 40 };
    size_t count = wtl_run_missing_count(run), at = 0, i = 0;
    text[0] = '\0';
    for (; i < count && i < SHOWN && at + NAMED + 16 < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s%.*s", i ? ", " : "", NAMED - 4,
                               wtl_run_missing(run, i));
    if (i < count)
        (void)snprintf(text + at, n - at, " and %zu more", count - i);
}

/* Flags of the run that none of its nodes has. */
static int flag_run(const struct wtl_run *run, struct wtl_run_totals *totals)
{
    struct wtl_run_flags *flags = &totals->flags;
    const struct wtl_run_sum *measured = &totals->measured, *estimated = &totals->estimated;
    size_t unknown = measured->unknown + estimated->unknown, missing = wtl_run_missing_count(run);
    char names[160];
    int rc = 0;
    if (unknown > 0)
        rc = wtl_run_flags_say(
            flags, unknown, WTL_FLAG_INCOMPLETE,
            "%zu of %zu nodes ha%s no total; the sum of the others, %.6g J, is a lower bound",
            unknown, wtl_run_node_count(run), unknown == 1 ? "s" : "ve",
            wtl_run_totals_sum(totals)->energy.known_j);
    if (rc == 0 && totals->mixed)
        rc = wtl_run_flags_say(
            flags, wtl_run_node_count(run), WTL_FLAG_MIXED,
            "the totals of the nodes contain different parts because their sensors differ");
    if (rc == 0 && measured->nodes > 0 && estimated->nodes > 0)
        rc = wtl_run_flags_say(flags, estimated->nodes, WTL_FLAG_ESTIMATES_LEFT_OUT,
                               "%zu node%s estimates only, %s J; not in the total",
                               estimated->nodes, estimated->nodes == 1 ? " has" : "s have",
                               WTL_IN_FIGURES(estimated->energy.known_j, 4));
    list_missing(run, names, sizeof names);
    if (rc == 0 && missing > 0)
        rc = wtl_run_flags_say(flags, missing, WTL_FLAG_MISSING,
                               "%zu node%s of the job ha%s no trace: %s", missing,
                               missing == 1 ? "" : "s", missing == 1 ? "s" : "ve", names);
    return rc;
}

int wtl_run_totals_of(const struct wtl_run *run,
                      struct wtl_run_totals *ret_totals,
                      struct wattle_error *err)
{
    struct wtl_run_totals totals = {0};
    int rc = sum_totals(run, &totals);
    find_words(run, &totals);
    rc = rc < 0 ? rc : sum_domains(run, &totals);
    rc = rc < 0 ? rc : sum_parts(run, &totals);
    rc = rc < 0 ? rc : sum_regions(run, &totals);
    rc = rc < 0 ? rc : sum_rest(run, &totals);
    rc = rc < 0 ? rc : flag_run(run, &totals);
    if (rc < 0) {
        wtl_run_totals_fini(&totals);
        *ret_totals = totals;
        return wtl_no_memory_for(err, "the totals of %zu nodes", wtl_run_node_count(run));
    }
    *ret_totals = totals;
    return 0;
}

void wtl_run_totals_fini(struct wtl_run_totals *totals)
{
    free(totals->domains);
    free(totals->parts);
    free(totals->regions);
    free(totals->stays);
    wtl_run_flags_fini(&totals->flags);
    *totals = (struct wtl_run_totals){0};
}

bool wtl_run_totals_estimated(const struct wtl_run_totals *totals)
{
    return totals->measured.nodes == 0 && totals->estimated.nodes > 0;
}

const struct wtl_run_sum *wtl_run_totals_sum(const struct wtl_run_totals *totals)
{
    return wtl_run_totals_estimated(totals) ? &totals->estimated : &totals->measured;
}
