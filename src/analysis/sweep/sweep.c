/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy against time at several settings: see sweep.h. */
#define _GNU_SOURCE
#include "analysis/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pose/pose_metric.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/text/figures.h"

#define ALPHA 0.05

int wtl_sweep_init(struct wtl_sweep *sweep, size_t settings, size_t blocks)
{
    sweep->setting_count = settings;
    sweep->blocks = blocks;
    sweep->settings = calloc(settings, sizeof *sweep->settings);
    sweep->time_s = malloc(settings * blocks * sizeof *sweep->time_s);
    if (!sweep->settings || !sweep->time_s)
        return -ENOMEM;
    for (size_t i = 0; i < settings * blocks; i++)
        sweep->time_s[i] = NAN;
    return 0;
}

static void curve_fini(struct wtl_sweep_curve *curve)
{
    free(curve->energy_j);
    free(curve->low_j);
    free(curve->high_j);
    free(curve->resolution);
}

void wtl_sweep_fini(struct wtl_sweep *sweep)
{
    for (size_t i = 0; i < sweep->curve_count; i++)
        curve_fini(&sweep->curves[i]);
    free(sweep->curves);
    free(sweep->flags);
    free(sweep->settings);
    free(sweep->time_s);
    *sweep = (struct wtl_sweep){0};
}

static struct wtl_sweep_curve *add_curve(struct wtl_sweep *sweep, const char *name)
{
    size_t n = sweep->setting_count * sweep->blocks;
    if (sweep->curve_count == WTL_SWEEP_CURVES ||
        wtl_grow(&sweep->curves, sweep->curve_count, sizeof *sweep->curves) < 0)
        return NULL;
    struct wtl_sweep_curve *curve = &sweep->curves[sweep->curve_count];
    *curve = (struct wtl_sweep_curve){
        .energy_j = malloc(n * sizeof(double)),
        .low_j = malloc(n * sizeof(double)),
        .high_j = malloc(n * sizeof(double)),
        .resolution = calloc(sweep->setting_count, sizeof(double)),
    };
    if (!curve->energy_j || !curve->low_j || !curve->high_j || !curve->resolution) {
        curve_fini(curve);
        return NULL;
    }
    (void)snprintf(curve->name, sizeof curve->name, "%s", name);
    for (size_t i = 0; i < n; i++)
        curve->energy_j[i] = curve->low_j[i] = curve->high_j[i] = NAN;
    sweep->curve_count++;
    return curve;
}

struct wtl_sweep_curve *wtl_sweep_curve(struct wtl_sweep *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->curve_count; i++) {
        if (!sweep->curves[i].is_total && strcmp(sweep->curves[i].name, name) == 0)
            return &sweep->curves[i];
    }
    return add_curve(sweep, name);
}

struct wtl_sweep_curve *wtl_sweep_total(struct wtl_sweep *sweep, const char *contains)
{
    for (size_t i = 0; i < sweep->curve_count; i++) {
        if (sweep->curves[i].is_total && strcmp(sweep->curves[i].contains, contains) == 0)
            return &sweep->curves[i];
    }
    struct wtl_sweep_curve *curve = add_curve(sweep, "total");
    if (!curve)
        return NULL;
    curve->is_total = true;
    (void)snprintf(curve->contains, sizeof curve->contains, "%s", contains);
    return curve;
}

int wtl_sweep_flag(struct wtl_sweep *sweep, const char *name)
{
    size_t i = 0;
    while (i < sweep->flag_count && strcmp(sweep->flags[i].name, name) != 0)
        i++;
    if (i == sweep->flag_count) {
        if (wtl_grow(&sweep->flags, sweep->flag_count, sizeof *sweep->flags) < 0)
            return -ENOMEM;
        sweep->flags[i] = (struct wtl_sweep_flag){.runs = 0};
        (void)snprintf(sweep->flags[i].name, sizeof sweep->flags[i].name, "%s", name);
        sweep->flag_count++;
    }
    sweep->flags[i].runs++;
    return 0;
}

static size_t count_runs(const struct wtl_sweep *sweep, const struct wtl_sweep_curve *curve)
{
    size_t runs = 0;
    for (size_t i = 0; i < sweep->setting_count * sweep->blocks; i++)
        runs += curve->energy_j[i] > 0;
    return runs;
}

/* Where sensors come or go, totals are not of the same: the one of most runs, first; the others are left out. */
static void choose_total(struct wtl_sweep *sweep)
{
    size_t most = 0, kept = 0;
    struct wtl_sweep_curve total = {.energy_j = NULL};
    for (size_t i = 0; i < sweep->curve_count; i++) {
        size_t runs = sweep->curves[i].is_total ? count_runs(sweep, &sweep->curves[i]) : 0;
        most = runs > most ? runs : most;
    }
    for (size_t i = 0; i < sweep->curve_count; i++) {
        struct wtl_sweep_curve *curve = &sweep->curves[i];
        size_t runs = curve->is_total ? count_runs(sweep, curve) : 0;
        if (!curve->is_total) {
            sweep->curves[kept++] = *curve;
        } else if (!total.energy_j && runs == most) {
            total = *curve;
        } else {
            sweep->other_totals += runs;
            curve_fini(curve);
        }
    }
    if (total.energy_j) {
        memmove(sweep->curves + 1, sweep->curves, kept * sizeof *sweep->curves);
        sweep->curves[0] = total;
        kept++;
    }
    sweep->curve_count = kept;
}

/* The runs of one curve without settings that were refused and blocks with a gap: dense numbers. */
struct table {
    size_t settings, blocks;
    size_t of[WTL_SWEEP_SETTINGS]; /* number in the sweep */
    double *time_s, *energy_j, *cost;
    double resolution[WTL_SWEEP_SETTINGS];
    double critical[2]; /* of ALPHA and half of it; 0 = not computed yet */
};

static void table_fini(struct table *table)
{
    free(table->time_s);
    free(table->energy_j);
    free(table->cost);
}

bool wtl_sweep_is_whole(const struct wtl_sweep *sweep,
                        const struct wtl_sweep_curve *curve,
                        size_t block)
{
    size_t settings = 0;
    for (size_t i = 0; i < sweep->setting_count; i++) {
        size_t at = block * sweep->setting_count + i;
        if (sweep->settings[i].refused[0])
            continue;
        settings++;
        if (!(sweep->time_s[at] > 0) || (curve && !(curve->energy_j[at] > 0)))
            return false;
    }
    return settings > 0;
}

static int table_fill(struct table *table,
                      const struct wtl_sweep *sweep,
                      const struct wtl_sweep_curve *curve)
{
    size_t k = sweep->setting_count, most = k * sweep->blocks;
    *table = (struct table){.time_s = malloc(most * sizeof(double)),
                            .energy_j = malloc(most * sizeof(double)),
                            .cost = malloc(most * sizeof(double))};
    if (!table->time_s || !table->energy_j || !table->cost)
        return -ENOMEM;
    for (size_t i = 0; i < k; i++) {
        if (!sweep->settings[i].refused[0])
            table->of[table->settings++] = i;
    }
    for (size_t b = 0; b < sweep->blocks; b++) {
        size_t at = table->blocks * table->settings;
        if (!wtl_sweep_is_whole(sweep, curve, b))
            continue;
        for (size_t i = 0; i < table->settings; i++) {
            size_t from = b * k + table->of[i];
            table->time_s[at + i] = sweep->time_s[from];
            table->energy_j[at + i] = curve ? curve->energy_j[from] : sweep->time_s[from];
        }
        table->blocks++;
    }
    for (size_t i = 0; i < table->settings && curve; i++)
        table->resolution[i] = curve->resolution[table->of[i]];
    return 0;
}

/* Groups are computed over the table's settings and given in the sweep's numbers. */
static void to_sweep_numbers(const struct table *table, struct wtl_best_group *group)
{
    const struct wtl_best_group dense = *group;
    memset(group->in, 0, sizeof group->in);
    for (size_t i = 0; i < WTL_SWEEP_SETTINGS; i++)
        group->mean[i] = NAN;
    for (size_t i = 0; i < table->settings; i++) {
        group->in[table->of[i]] = dense.in[i];
        group->mean[table->of[i]] = dense.mean[i];
    }
    group->best = table->of[dense.best];
}

static int find(struct table *table,
                const double *values,
                bool of_energy,
                double alpha,
                struct wtl_best_group *ret)
{
    struct wtl_sweep_costs costs = {.values = values,
                                    .blocks = table->blocks,
                                    .settings = table->settings,
                                    .resolution = of_energy ? table->resolution : NULL,
                                    .alpha = alpha,
                                    .critical = table->critical[alpha < ALPHA]};
    int rc = wtl_best_group_find(&costs, ret);
    if (rc == 0 && ret->df > 0)
        table->critical[alpha < ALPHA] = ret->critical;
    return rc;
}

static void compare_with_fastest(const struct wtl_sweep *sweep,
                                 const struct wtl_sweep_curve *curve,
                                 struct wtl_sweep_goal *goal)
{
    size_t best = goal->group.best, fastest = sweep->fastest;
    goal->slower = sweep->settings[best].time_s / sweep->settings[fastest].time_s - 1;
    goal->saves = 1 - curve->points[best].energy_j / curve->points[fastest].energy_j;
}

static struct wtl_sweep_goal *add_goal(struct wtl_sweep_curve *curve, const char *name)
{
    struct wtl_sweep_goal *goal = &curve->goals[curve->goal_count++];
    *goal = (struct wtl_sweep_goal){.known = false};
    (void)snprintf(goal->name, sizeof goal->name, "%s", name);
    return goal;
}

/* A goal that is a cost of energy and time. */
static int judge_metric(const struct wtl_sweep *sweep,
                        struct table *table,
                        struct wtl_sweep_curve *curve,
                        const char *name,
                        const struct wtl_pose_metric *metric)
{
    struct wtl_sweep_goal *goal = add_goal(curve, name);
    for (size_t i = 0; i < table->blocks * table->settings; i++)
        table->cost[i] = wtl_pose_metric_value(metric, table->energy_j[i], table->time_s[i]);
    goal->known = find(table, table->cost, true, ALPHA, &goal->group) == 0;
    if (goal->known) {
        to_sweep_numbers(table, &goal->group);
        compare_with_fastest(sweep, curve, goal);
    }
    return 0;
}

/*
 * Least energy among the settings that are at most `slowdown` slower than the fastest. A setting counts for the group if
 * it is not shown to be slower, and is left out if one that is certain to be fast enough needs less: each with half of
 * the chance of error, so that both hold with 95 %.
 */
static int judge_within(const struct wtl_sweep *sweep,
                        struct table *table,
                        struct wtl_sweep_curve *curve)
{
    struct wtl_best_group time, energy, *group;
    char name[32];
    (void)snprintf(name, sizeof name, "within %s%%", WTL_IN_FIGURES(100 * sweep->slowdown, 3));
    struct wtl_sweep_goal *goal = add_goal(curve, name);
    if (find(table, table->time_s, false, ALPHA / 2, &time) < 0 ||
        find(table, table->energy_j, true, ALPHA / 2, &energy) < 0)
        return 0;
    double limit = log1p(sweep->slowdown), slack = log1p(time.margin),
           margin = log1p(energy.margin);
    double least_sure = INFINITY, least = INFINITY;
    goal->known = true;
    group = &goal->group;
    *group = energy;
    group->size = 0;
    for (size_t i = 0; i < table->settings; i++) {
        double behind = log(time.mean[i] / time.mean[time.best]);
        bool sure = i == time.best || behind + slack <= limit;
        if (sure)
            least_sure = fmin(least_sure, energy.mean[i]);
        if (behind <= limit && energy.mean[i] < least) {
            least = energy.mean[i];
            group->best = i;
        }
    }
    for (size_t i = 0; i < table->settings; i++) {
        double behind = log(time.mean[i] / time.mean[time.best]);
        double sensors = M_SQRT2 * table->resolution[i];
        bool may = !(behind - slack > limit);
        group->in[i] =
            i == group->best || (may && !(log(energy.mean[i] / least_sure) > margin + sensors));
        group->size += group->in[i];
    }
    to_sweep_numbers(table, group);
    compare_with_fastest(sweep, curve, goal);
    return 0;
}

/* The range of an estimate: its model errs by the same factor in all runs, so that their spread says nothing of it. */
static void set_range_of_model(const struct wtl_sweep *sweep,
                               const struct wtl_sweep_curve *curve,
                               size_t setting,
                               struct wtl_sweep_point *point)
{
    double low = 0, high = 0;
    for (size_t b = 0; b < sweep->blocks; b++) {
        size_t at = b * sweep->setting_count + setting;
        if (!wtl_sweep_is_whole(sweep, curve, b))
            continue;
        low += curve->low_j[at] / curve->energy_j[at] / (double)curve->blocks;
        high += curve->high_j[at] / curve->energy_j[at] / (double)curve->blocks;
    }
    point->low_j = low * point->energy_j;
    point->high_j = high * point->energy_j;
}

/* Means with their intervals, and which settings no other one beats in both. */
static void judge_points(struct wtl_sweep *sweep,
                         const struct table *table,
                         struct wtl_sweep_curve *curve,
                         const struct wtl_best_group *energy)
{
    for (size_t i = 0; i < sweep->setting_count; i++)
        curve->points[i] = (struct wtl_sweep_point){NAN, NAN, NAN, NAN, false};
    for (size_t i = 0; i < table->settings; i++) {
        struct wtl_sweep_point *point = &curve->points[table->of[i]];
        point->energy_j = energy->mean[i];
        wtl_best_group_interval(energy, i, table->blocks, &point->low_j, &point->high_j);
        point->low_j -= energy->mean[i] * table->resolution[i];
        point->high_j += energy->mean[i] * table->resolution[i];
        if (curve->quality == WATTLE_ESTIMATED)
            set_range_of_model(sweep, curve, table->of[i], point);
        point->power_w = point->energy_j / sweep->settings[table->of[i]].time_s;
    }
    for (size_t i = 0; i < table->settings; i++) {
        size_t a = table->of[i];
        curve->points[a].pareto = true;
        for (size_t j = 0; j < table->settings; j++) {
            size_t b = table->of[j];
            double dt = sweep->settings[b].time_s - sweep->settings[a].time_s;
            double de = curve->points[b].energy_j - curve->points[a].energy_j;
            if (dt <= 0 && de <= 0 && (dt < 0 || de < 0))
                curve->points[a].pareto = false;
        }
    }
}

/* Lower envelope of the lines E + U t over U >= 0: faster and faster settings. */
static void judge_stages(const struct wtl_sweep *sweep,
                         const struct table *table,
                         struct wtl_sweep_curve *curve)
{
    size_t now = table->of[0];
    double from = 0;
    for (size_t i = 1; i < table->settings; i++) {
        size_t a = table->of[i];
        double de = curve->points[a].energy_j - curve->points[now].energy_j;
        double dt = sweep->settings[a].time_s - sweep->settings[now].time_s;
        if (de < 0 || (de == 0 && dt < 0))
            now = a;
    }
    curve->stage_count = 0;
    for (;;) {
        curve->stages[curve->stage_count++] = (struct wtl_sweep_stage){from, now};
        double next = INFINITY;
        size_t best = now;
        for (size_t i = 0; i < table->settings; i++) {
            size_t a = table->of[i];
            double faster = sweep->settings[now].time_s - sweep->settings[a].time_s;
            double more = curve->points[a].energy_j - curve->points[now].energy_j;
            double cross = more / faster;
            if (faster > 0 &&
                (cross < next ||
                 (cross == next && sweep->settings[a].time_s < sweep->settings[best].time_s))) {
                next = cross;
                best = a;
            }
        }
        if (best == now || curve->stage_count == WTL_SWEEP_SETTINGS)
            break;
        now = best;
        from = next;
    }
}

size_t wtl_sweep_best_with(const struct wtl_sweep_curve *curve, double watts)
{
    size_t at = 0;
    while (at + 1 < curve->stage_count && curve->stages[at + 1].from_w <= watts)
        at++;
    return curve->stages[at].setting;
}

static int judge_goals(struct wtl_sweep *sweep,
                       struct table *table,
                       struct wtl_sweep_curve *curve,
                       struct wattle_error *err)
{
    const struct wtl_sweep_setting *fastest = &sweep->settings[sweep->fastest];
    const struct {
        const char *name;
        struct wtl_pose_metric metric;
    } fixed[] = {
        {"energy", {.kind = WTL_POSE_ET_N, .n = 0}},
        {"EDP", {.kind = WTL_POSE_ET_N, .n = 1}},
        {"ED2P", {.kind = WTL_POSE_ET_N, .n = 2}},
        {"EDS",
         {.kind = WTL_POSE_EDS,
          .alpha = 1 / curve->points[sweep->fastest].energy_j,
          .beta = 1 / fastest->time_s}},
    };
    int rc = 0;
    curve->goal_count = 0;
    for (size_t i = 0; rc == 0 && i < sizeof fixed / sizeof *fixed; i++)
        rc = judge_metric(sweep, table, curve, fixed[i].name, &fixed[i].metric);
    rc = rc < 0 ? rc : judge_within(sweep, table, curve);
    if (rc == 0 && sweep->metric) {
        struct wtl_pose_metric metric;
        rc = wtl_pose_metric_parse(sweep->metric, &metric, err);
        if (rc < 0)
            return rc;
        rc = judge_metric(sweep, table, curve, sweep->metric, &metric);
        wtl_pose_metric_fini(&metric);
    }
    return rc;
}

static int judge_curve(struct wtl_sweep *sweep,
                       struct wtl_sweep_curve *curve,
                       struct wattle_error *err)
{
    struct table table;
    struct wtl_best_group energy;
    int rc = table_fill(&table, sweep, curve);
    curve->blocks = rc < 0 ? 0 : table.blocks;
    if (rc == 0 && curve->blocks > 0)
        rc = find(&table, table.energy_j, true, ALPHA, &energy);
    if (rc == 0 && curve->blocks > 0) {
        judge_points(sweep, &table, curve, &energy);
        for (size_t i = 0; curve->open[0] && i < sweep->setting_count; i++)
            curve->points[i].pareto = false;
        if (curve->quality == WATTLE_ESTIMATED || curve->open[0])
            curve->goal_count = curve->stage_count = 0; /* the model does not know the settings */
        else {
            judge_stages(sweep, &table, curve);
            rc = judge_goals(sweep, &table, curve, err);
        }
    }
    table_fini(&table);
    return rc;
}

/* Times of the whole blocks, with their intervals. */
static int judge_times(struct wtl_sweep *sweep)
{
    struct table table;
    struct wtl_best_group time;
    int rc = table_fill(&table, sweep, NULL);
    sweep->whole = rc < 0 ? 0 : table.blocks;
    sweep->measured = table.settings;
    if (rc == 0 && sweep->whole == 0)
        rc = -ENODATA;
    rc = rc < 0 ? rc : find(&table, table.time_s, false, ALPHA, &time);
    for (size_t i = 0; i < sweep->setting_count; i++)
        sweep->settings[i].time_s = sweep->settings[i].time_low_s = sweep->settings[i].time_high_s =
            NAN;
    for (size_t i = 0; rc == 0 && i < table.settings; i++) {
        struct wtl_sweep_setting *setting = &sweep->settings[table.of[i]];
        setting->time_s = time.mean[i];
        setting->runs = table.blocks;
        wtl_best_group_interval(&time, i, table.blocks, &setting->time_low_s,
                                &setting->time_high_s);
    }
    if (rc == 0)
        sweep->fastest = table.of[time.best];
    table_fini(&table);
    return rc;
}

int wtl_sweep_judge(struct wtl_sweep *sweep, struct wattle_error *err)
{
    int rc = judge_times(sweep);
    choose_total(sweep);
    if (rc == -ENODATA)
        return wtl_fail(err, rc, "no block is complete: not one in which every setting has a run");
    for (size_t i = 0; rc == 0 && i < sweep->curve_count; i++)
        rc = judge_curve(sweep, &sweep->curves[i], err);
    return rc;
}
