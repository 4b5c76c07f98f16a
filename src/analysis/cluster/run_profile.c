/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of a run: its two passes, and the spread over nodes. See run_profile.h. */
#include "analysis/cluster/run_profile.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/profile_pass.h"
#include "analysis/statistics/description.h"
#include "base/fail.h"
#include "base/natural.h"
#include "base/whole.h"
#include "model/flag.h"

/* ---- nodes that stand out ---- */

/*
 * The rules, which every output format prints:
 *   idle       mean power below 60 % of the median node's, with three nodes or more;
 *   outlier    among the others, if they are five or more: beyond the generalized extreme Studentized deviate
 *              (description.h), and more than 1 % from their median;
 *   straggler  ends later than the median node by more than 3.5 robust standard deviations, 1 %
 *              of the run and two sample intervals; likewise for nodes that begin late.
 */

#define IDLE_PART   0.6
#define FAR_PART    0.01
#define LATE_SCALES 3.5
enum { FEWEST_NODES = 3 };

struct judge {
    struct wtl_run_profile *profile;
    double *values, *scratch; /* [nodes] */
    size_t *which;            /* [nodes]: the node that values[i] belongs to */
    bool *marked;
};

static bool counts(const struct wtl_profile_node *node)
{
    assert(node->parts[0]);
    return !isnan(node->parts[0]->mean_w) && !(node->marks & WTL_NODE_NOT_ADDED);
}

/* Mean powers of the nodes that count and have none of these marks. */
static size_t collect(struct judge *j, unsigned without)
{
    size_t n = 0;
    for (size_t i = 0; i < j->profile->node_count; i++) {
        const struct wtl_profile_node *node = &j->profile->nodes[i];
        if (!counts(node) || node->marks & without)
            continue;
        j->which[n] = i;
        j->values[n++] = node->parts[0]->mean_w;
    }
    return n;
}

static void mark_idle(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, 0);
    struct wtl_description all = wtl_describe(j->values, n);
    p->idle_below_w = n >= FEWEST_NODES ? IDLE_PART * all.median : (double)NAN;
    for (size_t i = 0; i < p->node_count; i++)
        if (counts(&p->nodes[i]) && p->nodes[i].parts[0]->mean_w < p->idle_below_w)
            p->nodes[i].marks |= WTL_NODE_IDLE;
}

static void mark_outliers(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, WTL_NODE_IDLE);
    p->outlier_nodes = n >= WTL_OUTLIERS_FEWEST ? (double)n : (double)NAN;
    (void)wtl_outliers(j->values, n, j->marked);
    for (size_t i = 0; i < n; i++)
        j->scratch[i] = j->values[i];
    double median = wtl_describe(j->scratch, n).median;
    for (size_t i = 0; i < n; i++)
        if (j->marked[i] && fabs(j->values[i] - median) > FAR_PART * fabs(median))
            p->nodes[j->which[i]].marks |= WTL_NODE_OUTLIER;
}

/* sign +1: nodes that end late; -1 with begins: nodes that begin late. */
static double mark_late(struct judge *j, bool begins, enum wtl_profile_mark mark)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = 0;
    for (size_t i = 0; i < p->node_count; i++) {
        double at = begins ? p->nodes[i].begin_s : p->nodes[i].end_s;
        if (!isnan(at))
            j->values[n++] = at;
    }
    struct wtl_description all = wtl_describe(j->values, n);
    if (n < FEWEST_NODES)
        return (double)NAN;
    double limit = LATE_SCALES * wtl_robust_scale(j->values, n, j->scratch);
    limit = fmax(limit, fmax(FAR_PART * p->length_s, 2 * p->interval_s));
    for (size_t i = 0; i < p->node_count; i++) {
        double at = begins ? p->nodes[i].begin_s : p->nodes[i].end_s;
        if (at - all.median > limit)
            p->nodes[i].marks |= mark;
    }
    return limit;
}

/* Minimum, middle and maximum of mean power. */
static void rank(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, 0);
    double median = NAN, nearest = INFINITY;
    for (size_t i = 0; i < n; i++)
        j->scratch[i] = j->values[i];
    median = wtl_describe(j->scratch, n).median;
    p->least = p->middle = p->most = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t at = j->which[i];
        double w = p->nodes[at].parts[0]->mean_w;
        if (p->least == SIZE_MAX || w < p->nodes[p->least].parts[0]->mean_w)
            p->least = at;
        if (p->most == SIZE_MAX || w > p->nodes[p->most].parts[0]->mean_w)
            p->most = at;
        if (fabs(w - median) < nearest) {
            nearest = fabs(w - median);
            p->middle = at;
        }
    }
}

static void describe(struct judge *j)
{
    struct wtl_run_profile *p = j->profile;
    size_t n = collect(j, 0);
    p->power = wtl_describe(j->values, n);
    n = collect(j, 0);
    for (size_t i = 0; i < n; i++)
        j->values[i] = p->nodes[j->which[i]].parts[0]->energy.j;
    p->energy = wtl_describe(j->values, n);
    n = 0;
    for (size_t i = 0; i < p->node_count; i++)
        if (!isnan(p->nodes[i].begin_s))
            j->values[n++] = p->nodes[i].end_s - p->nodes[i].begin_s;
    p->time = wtl_describe(j->values, n);
}

/* Find the nodes that stand out. */
static int profile_judge(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    size_t room = p->node_count + 1;
    struct judge j = {.profile = p,
                      .values = malloc(room * sizeof *j.values),
                      .scratch = malloc(room * sizeof *j.scratch),
                      .which = malloc(room * sizeof *j.which),
                      .marked = malloc(room * sizeof *j.marked)};
    bool there = j.values && j.scratch && j.which && j.marked;
    if (there) {
        mark_idle(&j);
        mark_outliers(&j);
        p->late_s = mark_late(&j, false, WTL_NODE_LATE_END);
        (void)mark_late(&j, true, WTL_NODE_LATE_BEGIN);
        rank(&j);
        describe(&j);
    }
    free(j.values);
    free(j.scratch);
    free(j.which);
    free(j.marked);
    return there ? 0 : -ENOMEM;
}

/* ---- the profile ---- */

enum { FEWEST_CELLS = 16 };

const char *wtl_profile_clock_name(enum wtl_profile_clock clock)
{
    static const char *const names[] = {"alone", "sync points", "realtime", "not aligned"};
    return (unsigned)clock < sizeof names / sizeof *names ? names[clock] : "?";
}

static void report_step(const struct wtl_profile_pass *pass, const char *step, size_t i)
{
    if (pass->options && pass->options->step)
        pass->options->step(pass->options->step_context, step, i, pass->profile->node_count);
}

/* ---- the grid ---- */

/* At least as long as the sample spacing, and as many as there is room for. */
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
    float *values = malloc((n + 1) * sizeof *values);
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
    pass->fine = (struct wtl_bins){.cell_s = p->fine_s,
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
    assert(curve->covered);
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

/* Mean powers of the nodes that are included in the sum of a part. */
static void describe_part(struct wtl_profile_pass *pass, size_t k)
{
    struct wtl_run_profile *p = pass->profile;
    size_t n = 0;
    for (size_t i = 0; i < p->node_count; i++)
        if (wtl_profile_adds(p, &p->nodes[i], k) && !isnan(p->nodes[i].parts[k]->energy.j))
            pass->column[n++] = p->nodes[i].parts[k]->mean_w;
    p->parts[k].node_w = wtl_describe(pass->column, n);
}

/* One value over all nodes that had the region. */
static struct wtl_description describe_stays(struct wtl_profile_pass *pass,
                                             const struct wtl_run_region_sum *sum,
                                             double (*value)(const struct wtl_run_region *))
{
    for (size_t i = 0; i < sum->stay_count; i++)
        pass->column[i] = value(sum->stays[i].region);
    return wtl_describe(pass->column, sum->stay_count);
}

static double joules_of(const struct wtl_run_region *region)
{
    return region->inclusive.j;
}

static double seconds_of(const struct wtl_run_region *region)
{
    return 1e-9 * (double)region->union_ns;
}

/* The middle of an interval divided by a time too short for the samples is not a power. */
static double watts_of(const struct wtl_run_region *region)
{
    return region->inclusive.interval_only ? (double)NAN : region->inclusive.j / seconds_of(region);
}

static void describe_regions(struct wtl_profile_pass *pass)
{
    for (size_t r = 0; r < pass->profile->region_count; r++) {
        struct wtl_profile_region *region = &pass->profile->regions[r];
        region->node_j = describe_stays(pass, region->sum, joules_of);
        region->node_w = describe_stays(pass, region->sum, watts_of);
        region->node_s = describe_stays(pass, region->sum, seconds_of);
    }
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

/* ---- from the totals ---- */

static enum wtl_profile_clock clock_of(const struct wtl_run *run, const struct wtl_run_node *node)
{
    if (wtl_run_node_count(run) < 2)
        return WTL_CLOCK_ALONE;
    return node->clock.aligned == WTL_ALIGNED_SYNC       ? WTL_CLOCK_SYNC
           : node->clock.aligned == WTL_ALIGNED_REALTIME ? WTL_CLOCK_REALTIME
                                                         : WTL_CLOCK_NONE;
}

static bool is_doubtful(const struct wtl_run_row *row)
{
    for (uint32_t f = 0; f < row->flag_count; f++)
        if (wtl_flag_is_of_trace(row->flags[f].name))
            return true;
    return false;
}

static void take_node(const struct wtl_run *run, size_t i, struct wtl_run_profile *p)
{
    const struct wtl_run_node *from = wtl_run_node(run, i);
    const struct wtl_run_row *row = from->row;
    struct wtl_profile_node *node = &p->nodes[i];
    uint64_t residual_ns = from->clock.residual_ns;
    bool timed = row->end_ns > row->begin_ns;
    double ranks_s = (double)row->rank_count * (double)(row->end_ns - row->begin_ns) * 1e-9;
    *node = (struct wtl_profile_node){
        .name = from->name,
        .row = row,
        .begin_s = timed ? wtl_seconds_between(wtl_run_begin(run), from->begin_ns) : (double)NAN,
        .end_s = timed ? wtl_seconds_between(wtl_run_begin(run), from->end_ns) : (double)NAN,
        .mpi_share = ranks_s > 0 ? row->mpi_s / ranks_s : (double)NAN,
        .clock = clock_of(run, from),
        .residual_s =
            residual_ns == WTL_RESIDUAL_UNKNOWN ? (double)NAN : 1e-9 * (double)residual_ns};
    if (is_doubtful(row))
        node->marks |= WTL_NODE_UNFINISHED;
    if (!wtl_run_totals_estimated(&p->totals) && row->total.channels > 0 &&
        row->total.energy.quality == WATTLE_ESTIMATED)
        node->marks |= WTL_NODE_NOT_ADDED;
    p->interval_s = fmax(p->interval_s, 1e-9 * (double)row->interval_ns);
}

/* The node's part of the same kind (measured or estimated), else of the other. */
static const struct wtl_run_part *own_part(const struct wtl_run_row *row,
                                           const struct wtl_profile_part *part)
{
    static const struct wtl_run_part none;
    const struct wtl_run_part *found = &none;
    for (uint32_t i = 0; i < row->part_count; i++)
        if (strcmp(row->parts[i].name, part->name) == 0) {
            found = &row->parts[i].part;
            if (row->parts[i].estimated == part->estimated)
                break;
        }
    return found;
}

/* A part that is measured on some nodes counts what was measured there. */
static void take_part(const struct wtl_run_domain_sum *sum, struct wtl_run_profile *p)
{
    size_t k = 1;
    while (k < p->part_count && strcmp(p->parts[k].name, sum->name) != 0)
        k++;
    if (k == WTL_PROFILE_PARTS || (k < p->part_count && sum->estimated))
        return;
    p->part_count += k == p->part_count;
    p->parts[k] = (struct wtl_profile_part){.name = sum->name,
                                            .within = sum->within,
                                            .domain = sum->domain,
                                            .estimated = sum->estimated,
                                            .in_total = sum->in_some_total,
                                            .sum = sum->sum,
                                            .in_total_j = sum->in_total_j};
}

static int take_regions(struct wtl_run_profile *p)
{
    bool estimated = wtl_run_totals_estimated(&p->totals);
    p->regions = calloc(WTL_PROFILE_REGIONS, sizeof *p->regions);
    for (size_t i = 0; p->regions && i < p->totals.region_count; i++) {
        const struct wtl_run_region_sum *sum = &p->totals.regions[i];
        if (sum->estimated != estimated)
            continue;
        if (p->region_count == WTL_PROFILE_REGIONS)
            p->regions_left_out++;
        else
            p->regions[p->region_count++].sum = sum;
    }
    return p->regions ? 0 : -ENOMEM;
}

static int take_totals(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    const struct wtl_run_sum *total = wtl_run_totals_sum(&p->totals);
    p->parts[0] = (struct wtl_profile_part){.name = "total",
                                            .within = "",
                                            .estimated = wtl_run_totals_estimated(&p->totals),
                                            .in_total = true,
                                            .sum = *total,
                                            .in_total_j = total->energy.known_j};
    p->part_count = 1;
    for (size_t i = 0; i < p->totals.part_count; i++)
        take_part(&p->totals.parts[i], p);
    for (size_t i = 0; i < p->node_count; i++) {
        take_node(pass->run, i, p);
        p->nodes[i].parts[0] = &p->nodes[i].row->total;
        for (size_t k = 1; k < p->part_count; k++)
            p->nodes[i].parts[k] = own_part(p->nodes[i].row, &p->parts[k]);
    }
    p->length_s = p->totals.wall_s;
    if (!(p->length_s > 0))
        return wtl_fail(pass->err, -ENODATA,
                        "nothing to show: none of the %zu trace%s covers any time", p->node_count,
                        p->node_count == 1 ? "" : "s");
    return take_regions(p);
}

/* ---- power over time ---- */

static int read_power(struct wtl_profile_pass *pass)
{
    struct wtl_run_profile *p = pass->profile;
    int rc = 0;
    for (size_t i = 0; i < p->node_count && rc == 0; i++) {
        report_step(pass, "power over time", i);
        rc = wtl_profile_power(pass, i);
    }
    if (rc < 0)
        return rc;
    report_step(pass, "spread over nodes", p->node_count);
    for (size_t k = 0; k < p->part_count; k++) {
        spread_over_nodes(pass, k);
        describe_part(pass, k);
    }
    finish_regions(pass);
    return describe_moments(pass);
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

int wtl_run_profile_read(const struct wtl_run *run,
                         const struct wtl_profile_options *options,
                         struct wtl_run_profile *ret_profile,
                         struct wattle_error *err)
{
    struct wtl_run_profile profile = {.node_count = wtl_run_node_count(run)};
    struct wtl_profile_pass pass = {
        .run = run, .options = options, .profile = &profile, .err = err};
    int rc = wtl_run_totals_of(run, &profile.totals, err);
    profile.nodes = calloc(profile.node_count + 1, sizeof *profile.nodes);
    profile.parts = calloc(WTL_PROFILE_PARTS, sizeof *profile.parts);
    if (rc == 0)
        rc = profile.nodes && profile.parts ? take_totals(&pass) : -ENOMEM;
    if (rc == 0) {
        choose_cells(&pass);
        rc = make_room(&pass);
        profile.node_w = pass.matrix[0];
    }
    rc = rc < 0 ? rc : profile_judge(&pass);
    if (rc == 0) {
        assert(pass.column && pass.weight && pass.weighted);
        describe_regions(&pass);
        rc = read_power(&pass);
    }
    pass_fini(&pass);
    if (rc < 0) {
        (void)(rc == -ENOMEM && wtl_no_memory_for(err, "%zu nodes", profile.node_count));
        wtl_run_profile_fini(&profile);
        return rc;
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
    for (size_t i = 0; i < profile->region_count; i++) {
        struct wtl_profile_region *region = &profile->regions[i];
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
    wtl_run_totals_fini(&profile->totals);
    *profile = (struct wtl_run_profile){0};
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
    double energy_j = ranked->node->parts[0]->energy.j;
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
