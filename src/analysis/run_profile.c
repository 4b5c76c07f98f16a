/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of a run: the order of its two passes, and the spread over nodes. See run_profile.h. */
#include "analysis/run_profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile_pass.h"
#include "base/fail.h"
#include "base/natural.h"
#include "base/whole.h"

enum { FEWEST_CELLS = 16 };

const char *wtl_profile_clock_name(enum wtl_profile_clock clock)
{
    static const char *const names[] = {"alone", "sync points", "realtime", "not aligned"};
    return (unsigned)clock < sizeof names / sizeof *names ? names[clock] : "?";
}

static void tell(const struct wtl_profile_pass *pass, const char *step, size_t i)
{
    if (pass->options && pass->options->step)
        pass->options->step(pass->options->step_context, step, i, pass->source->count);
}

/* ---- the grid ---- */

/* As long as the samples are apart at least, and as many as there is room for. */
static void choose_cells(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    size_t most = pass->options && pass->options->cells ? pass->options->cells : WTL_PROFILE_CELLS;
    size_t room = WTL_PROFILE_VALUES / (p->node_count * (p->part_count + WTL_PROFILE_FINE));
    double apart_s = fmax(p->interval_s, 1e-3);
    double wanted = fmin((double)most, p->length_s / apart_s);
    p->cells = wtl_whole_size(wanted, most);
    p->cells = p->cells > room ? room : p->cells;
    p->cells = p->cells < FEWEST_CELLS ? FEWEST_CELLS : p->cells;
    p->cell_s = p->length_s / (double)p->cells;
    p->fine_s = p->cell_s / WTL_PROFILE_FINE;
}

static float *floats(size_t n)
{
    float *values = malloc((n ? n : 1) * sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        values[i] = NAN;
    return values;
}

static int make_curve(struct wtl_profile_curve *curve, size_t cells)
{
    float **const rows[] = {&curve->sum,    &curve->mean, &curve->min, &curve->q1,
                            &curve->median, &curve->q3,   &curve->max};
    bool failed = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = floats(cells);
        failed |= !*rows[i];
    }
    curve->covered = calloc(cells + 1, sizeof *curve->covered);
    return failed || !curve->covered ? -ENOMEM : 0;
}

static int make_room(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    size_t fine = p->cells * WTL_PROFILE_FINE, longest = fine;
    longest = p->node_count > longest ? p->node_count : longest;
    bool failed = false;
    for (size_t k = 0; k < p->part_count; k++) {
        pass->matrix[k] = floats(p->node_count * p->cells);
        failed |= !pass->matrix[k] || make_curve(&p->parts[k].curve, p->cells) < 0;
    }
    pass->fine = (struct wtl_cells){.cell_s = p->fine_s,
                                    .count = fine,
                                    .integral = calloc(fine + 1, sizeof(double)),
                                    .known_s = calloc(fine + 1, sizeof(double))};
    pass->power = calloc(fine + 1, sizeof *pass->power);
    pass->column = calloc(longest + 1, sizeof *pass->column);
    pass->moments = floats(p->node_count * fine);
    for (size_t i = 0; i < p->region_count; i++) {
        struct wtl_profile_region *region = &p->regions[i];
        region->mean = floats(p->cells);
        region->min = floats(p->cells);
        region->max = floats(p->cells);
        region->inside = calloc(p->cells + 1, sizeof *region->inside);
        failed |= !region->mean || !region->min || !region->max || !region->inside;
    }
    pass->weight = calloc(p->region_count * p->cells + 1, sizeof *pass->weight);
    pass->weighted = calloc(p->region_count * p->cells + 1, sizeof *pass->weighted);
    failed |= !pass->fine.integral || !pass->fine.known_s || !pass->power || !pass->column ||
              !pass->moments || !pass->weight || !pass->weighted;
    return failed ? -ENOMEM : 0;
}

/* ---- over nodes ---- */

/* Sum and order statistics of one part in each cell. */
static void spread_over_nodes(struct wtl_profile_pass *pass, size_t part)
{
    struct wtl_run_profile *p = pass->profile;
    struct wtl_profile_curve *curve = &p->parts[part].curve;
    for (size_t k = 0; k < p->cells; k++) {
        size_t n = 0;
        for (size_t i = 0; i < p->node_count; i++) {
            float w = pass->matrix[part][i * p->cells + k];
            if (!isnan(w))
                pass->column[n++] = (double)w;
        }
        struct wtl_description d = wtl_describe(pass->column, n);
        curve->covered[k] = (uint32_t)n;
        curve->sum[k] = (float)(d.mean * (double)n);
        curve->mean[k] = (float)d.mean;
        curve->min[k] = (float)d.min;
        curve->q1[k] = (float)d.q1;
        curve->median[k] = (float)d.median;
        curve->q3[k] = (float)d.q3;
        curve->max[k] = (float)d.max;
    }
}

/* Energies of the nodes into that of the part. To the total each should give something, whether it has one or not. */
static int sum_part(struct wtl_profile_pass *pass, size_t k)
{
    struct wtl_run_profile *p = pass->profile;
    struct wtl_profile_part *part = &p->parts[k];
    size_t n = 0;
    int rc = 0;
    part->in_total_j = NAN;
    for (size_t i = 0; i < p->node_count && rc == 0; i++) {
        const struct wtl_profile_node *node = &p->nodes[i];
        const struct wtl_run_part *own = &node->parts[k];
        if (!(k == 0 && own->channels == 0) && !wtl_profile_adds(p, node, k))
            continue;
        const struct wtl_run_addend addend = wtl_run_part_addend(own, node->end_s - node->begin_s);
        rc = wtl_run_sum_add(&part->sum, &addend, i);
        if (isnan(addend.energy.j))
            continue;
        if (!isnan(own->in_total_j))
            part->in_total_j = (isnan(part->in_total_j) ? 0 : part->in_total_j) + own->in_total_j;
        pass->column[n++] = own->mean_w;
    }
    wtl_run_sum_close(&part->sum, false, 0);
    part->node_w = wtl_describe(pass->column, n);
    return rc;
}

/* One value of all nodes that are added. */
static struct wtl_description describe_stays(struct wtl_profile_pass *pass,
                                             const struct wtl_profile_region *region,
                                             double (*value)(const struct wtl_profile_stay *))
{
    size_t n = 0;
    for (size_t i = 0; i < region->stay_count; i++)
        if (!(pass->profile->nodes[region->stays[i].node].marks & WTL_NODE_NOT_ADDED))
            pass->column[n++] = value(&region->stays[i]);
    return wtl_describe(pass->column, n);
}

static double joules_of(const struct wtl_profile_stay *stay)
{
    return stay->energy.j;
}

/* The middle of an interval by a time that is too short for the samples is no power. */
static double watts_of(const struct wtl_profile_stay *stay)
{
    return stay->energy.interval_only ? (double)NAN : stay->energy.j / stay->union_s;
}

static double seconds_of(const struct wtl_profile_stay *stay)
{
    return stay->union_s;
}

/* As the total: measured nodes only where there are some. */
static int sum_region(const struct wtl_run_profile *p, struct wtl_profile_region *region)
{
    bool estimated = p->parts[0].quality == WATTLE_ESTIMATED;
    int rc = 0;
    for (size_t i = 0; i < region->stay_count && rc == 0; i++) {
        const struct wtl_profile_stay *stay = &region->stays[i];
        if (p->nodes[stay->node].marks & WTL_NODE_NOT_ADDED)
            continue;
        const struct wtl_run_addend addend = {.energy = stay->energy};
        rc = wtl_run_sum_add(&region->sum, &addend, stay->node);
        region->unresolved += stay->energy.interval_only;
        region->count += stay->count;
        region->union_s += stay->union_s;
    }
    wtl_run_sum_close(&region->sum, estimated, 0);
    region->nodes = region->sum.nodes + region->sum.unknown;
    return rc;
}

static int describe_regions(struct wtl_profile_pass *pass)
{
    int rc = 0;
    for (size_t r = 0; r < pass->profile->region_count && rc == 0; r++) {
        struct wtl_profile_region *region = &pass->profile->regions[r];
        rc = sum_region(pass->profile, region);
        region->node_j = describe_stays(pass, region, joules_of);
        region->node_w = describe_stays(pass, region, watts_of);
        region->node_s = describe_stays(pass, region, seconds_of);
        free(region->stays);
        region->stays = NULL;
    }
    return rc;
}

static void finish_regions(const struct wtl_profile_pass *pass)
{
    const struct wtl_run_profile *p = pass->profile;
    for (size_t r = 0; r < p->region_count; r++)
        for (size_t k = 0; k < p->cells; k++)
            if (pass->weight[r * p->cells + k] > 0)
                p->regions[r].mean[k] =
                    (float)(pass->weighted[r * p->cells + k] / pass->weight[r * p->cells + k]);
}

static int describe_moments(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    size_t n = 0, all = p->node_count * pass->fine.count;
    double *values = malloc((all + 1) * sizeof *values);
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < all; i++)
        if (!isnan(pass->moments[i]))
            values[n++] = (double)pass->moments[i];
    p->moments = wtl_describe(values, n);
    free(values);
    return 0;
}

/* ---- the passes ---- */

static int first_pass(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    int rc = 0;
    for (size_t i = 0; i < pass->source->count && rc == 0; i++) {
        tell(pass, "footers", i);
        rc = wtl_profile_facts(pass, i);
        if (rc == 0)
            rc = wtl_run_flags_add(&p->flags, p->nodes[i].flags, p->nodes[i].flag_count, i);
    }
    if (rc == 0 && pass->end_ns <= p->begin_ns)
        return wtl_fail(pass->err, -ENODATA,
                        "there is nothing to show: none of the %zu trace%s covers any time",
                        p->node_count, p->node_count == 1 ? "" : "s");
    if (rc < 0)
        return rc;
    p->length_s = wtl_seconds_between(p->begin_ns, pass->end_ns);
    for (size_t i = 0; i < p->node_count; i++) {
        struct wtl_profile_node *node = &p->nodes[i];
        node->begin_s += wtl_seconds_between(p->begin_ns, node->begin_ns); /* NaN stays */
        node->end_s += wtl_seconds_between(p->begin_ns, node->end_ns);
    }
    return 0;
}

static int second_pass(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    int rc = 0;
    for (size_t i = 0; i < p->node_count && rc == 0; i++) {
        tell(pass, "power over time", i);
        rc = wtl_profile_power(pass, i);
    }
    if (rc < 0)
        return rc;
    tell(pass, "spread over nodes", p->node_count);
    for (size_t k = 0; k < p->part_count && rc == 0; k++) {
        spread_over_nodes(pass, k);
        rc = sum_part(pass, k);
    }
    finish_regions(pass);
    return rc < 0 ? rc : describe_moments(pass);
}

static void pass_fini(struct wtl_profile_pass *pass)
{
    for (size_t k = 1; k < WTL_PROFILE_PARTS; k++)
        free(pass->matrix[k]);
    free(pass->fine.integral);
    free(pass->fine.known_s);
    free(pass->power);
    free(pass->column);
    free(pass->moments);
    free(pass->weight);
    free(pass->weighted);
}

int wtl_run_profile_read(const struct wtl_profile_source *source,
                         const struct wtl_profile_options *options,
                         struct wtl_run_profile *ret_profile,
                         struct wattle_error *err)
{
    struct wtl_run_profile profile = {.begin_ns = INT64_MAX, .node_count = source->count};
    struct wtl_profile_pass pass = {
        .source = source, .options = options, .profile = &profile, .err = err, .end_ns = INT64_MIN};
    profile.nodes = calloc(source->count + 1, sizeof *profile.nodes);
    profile.parts = calloc(WTL_PROFILE_PARTS, sizeof *profile.parts);
    int rc = profile.nodes && profile.parts ? first_pass(&pass) : -ENOMEM;
    if (rc == 0) {
        choose_cells(&pass);
        rc = make_room(&pass);
        profile.node_w = pass.matrix[0];
    }
    rc = rc < 0 ? rc : wtl_profile_judge(&pass);
    rc = rc < 0 ? rc : describe_regions(&pass);
    rc = rc < 0 ? rc : second_pass(&pass);
    pass_fini(&pass);
    if (rc < 0) {
        wtl_run_profile_fini(&profile);
        return rc == -ENOMEM ? wtl_fail(err, rc, "not enough memory for %zu nodes", source->count)
                             : rc;
    }
    *ret_profile = profile;
    return 0;
}

static void fini_curve(struct wtl_profile_curve *curve)
{
    free(curve->sum);
    free(curve->mean);
    free(curve->min);
    free(curve->q1);
    free(curve->median);
    free(curve->q3);
    free(curve->max);
    free(curve->covered);
}

void wtl_run_profile_fini(struct wtl_run_profile *profile)
{
    for (size_t i = 0; profile->nodes && i < profile->node_count; i++) {
        free(profile->nodes[i].name);
        free(profile->nodes[i].flags);
    }
    wtl_run_flags_fini(&profile->flags);
    for (size_t i = 0; i < profile->region_count; i++) {
        struct wtl_profile_region *region = &profile->regions[i];
        free(region->name);
        free(region->stays);
        free(region->mean);
        free(region->min);
        free(region->max);
        free(region->inside);
    }
    for (size_t k = 0; profile->parts && k < WTL_PROFILE_PARTS; k++)
        fini_curve(&profile->parts[k].curve);
    free(profile->nodes);
    free(profile->parts);
    free(profile->regions);
    free(profile->node_w);
    *profile = (struct wtl_run_profile){0};
}

bool wtl_profile_adds(const struct wtl_run_profile *profile,
                      const struct wtl_profile_node *node,
                      size_t k)
{
    const struct wtl_run_part *part = &node->parts[k];
    return !(node->marks & WTL_NODE_NOT_ADDED) && part->channels > 0 &&
           (part->energy.quality != WATTLE_ESTIMATED ||
            profile->parts[k].quality == WATTLE_ESTIMATED);
}

const struct wtl_profile_part *wtl_profile_part_find(const struct wtl_run_profile *profile,
                                                     const char *name)
{
    for (size_t k = 0; k < profile->part_count; k++)
        if (strcmp(profile->parts[k].name, name) == 0)
            return &profile->parts[k];
    return NULL;
}

/* ---- order ---- */

struct ranked {
    const struct wtl_profile_node *node;
    size_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct ranked *x = (const struct ranked *)a, *y = (const struct ranked *)b;
    int order = wtl_natural_compare(x->node->name, y->node->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static double energy_of(const struct ranked *ranked)
{
    double energy_j = ranked->node->parts[0].energy.j;
    return isnan(energy_j) ? -1 : energy_j;
}

static int by_joules(const void *a, const void *b)
{
    const struct ranked *x = (const struct ranked *)a, *y = (const struct ranked *)b;
    double of_x = energy_of(x), of_y = energy_of(y);
    return of_x != of_y ? (of_x > of_y) - (of_x < of_y) : by_name(a, b);
}

int wtl_profile_order(const struct wtl_run_profile *profile, bool by_energy, size_t *ret_order)
{
    struct ranked *ranks = malloc((profile->node_count + 1) * sizeof *ranks);
    if (!ranks)
        return -ENOMEM;
    for (size_t i = 0; i < profile->node_count; i++)
        ranks[i] = (struct ranked){&profile->nodes[i], i};
    wtl_sort(ranks, profile->node_count, sizeof *ranks, by_energy ? by_joules : by_name);
    for (size_t i = 0; i < profile->node_count; i++)
        ret_order[i] = ranks[i].index;
    free(ranks);
    return 0;
}
