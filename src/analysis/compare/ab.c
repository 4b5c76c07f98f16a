/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from pairs of runs: see ab.h. */
#include "analysis/compare/ab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/statistics/student.h"

/* ---- the noise floor ---- */

struct wtl_noise_floor wtl_noise_floor_of(const struct wtl_result *runs, size_t pairs)
{
    struct wtl_noise_floor floor = {.pairs = pairs};
    for (int m = 0; m < WTL_METRIC_COUNT; m++) {
        struct wtl_sequence sequence = wtl_sequence_start((double)pairs, 0.05);
        for (size_t i = 0; i < pairs; i++)
            wtl_sequence_add(&sequence, log(wtl_metric_of(&runs[2 * i + 1], (enum wtl_metric)m) /
                                            wtl_metric_of(&runs[2 * i], (enum wtl_metric)m)));
        floor.of[m].ratio = wtl_sequence_ratio(&sequence);
        floor.of[m].log_sd = wtl_sequence_sd(&sequence) / sqrt(2);
    }
    return floor;
}

/* ---- rows ---- */

static double channel_j(const struct wtl_result *result, const char *name)
{
    const struct wtl_result_channel *found = wtl_result_find(result, name);
    return found ? found->summary.amount : (double)NAN;
}

static double value_of(const struct wtl_ab_row *row, int metric, const struct wtl_result *result)
{
    return row->is_channel ? channel_j(result, row->name)
                           : wtl_metric_of(result, (enum wtl_metric)metric);
}

/* Of the sensors, for the ratio of both means; NULL: of the total. */
static double resolution_of(const struct wtl_ab *ab, const char *channel)
{
    return 2 * wtl_mean_resolution(ab->runs, 2 * ab->count, channel); /* of half of the runs each */
}

static bool is_estimated(const struct wtl_ab *ab, const struct wtl_ab_row *row, int metric)
{
    for (size_t i = 0; i < 2 * ab->count; i++) {
        const struct wtl_result_channel *channel =
            row->is_channel ? wtl_result_find(&ab->runs[i], row->name) : NULL;
        bool total = !row->is_channel && metric != WTL_METRIC_TIME && ab->runs[i].total.count > 0;
        if (channel ? channel->channel.quality == WATTLE_ESTIMATED
                    : total && ab->runs[i].total.quality == WATTLE_ESTIMATED)
            return true;
    }
    return false;
}

/* values: room for those of A, then those of B. */
static void fill_row(const struct wtl_ab *ab, struct wtl_ab_row *row, int metric, double *values)
{
    struct wtl_sequence sequence = wtl_sequence_start(ab->planned, 0.05);
    for (size_t i = 0; i < ab->count; i++) {
        double a = value_of(row, metric, &ab->runs[2 * i]);
        double b = value_of(row, metric, &ab->runs[2 * i + 1]);
        values[i] = a;
        values[ab->count + i] = b;
        wtl_sequence_add(&sequence, a > 0 && b > 0 ? log(b / a) : (double)NAN);
    }
    row->a = wtl_mean_of_runs(values, ab->count).value;
    row->b = wtl_mean_of_runs(values + ab->count, ab->count).value;
    row->ratio = wtl_sequence_ratio(&sequence);
    if (row->is_channel || metric != WTL_METRIC_TIME)
        row->ratio =
            wtl_interval_widened(row->ratio, resolution_of(ab, row->is_channel ? row->name : NULL));
    if (is_estimated(ab, row, metric)) /* an interval over runs leaves out the error of the model */
        row->ratio.low = row->ratio.high = NAN;
    row->sd = wtl_sequence_sd(&sequence);
}

static int fill_rows(struct wtl_ab *ab)
{
    static const char *const names[] = {"energy", "time", "mean power", "energy x time"};
    static const char *const units[] = {"J", "s", "W", "J s"};
    size_t channels = ab->runs[0].energy_count;
    ab->rows = calloc(WTL_METRIC_COUNT + channels, sizeof *ab->rows);
    double *values = calloc(2 * ab->count, sizeof *values);
    if (!ab->rows || !values) {
        free(values);
        return -ENOMEM;
    }
    for (int m = 0; m < WTL_METRIC_COUNT; m++) {
        ab->rows[m] = (struct wtl_ab_row){
            .name = names[m], .unit = units[m], .floor_log_sd = ab->floor.of[m].log_sd};
        fill_row(ab, &ab->rows[m], m, values);
    }
    ab->row_count = WTL_METRIC_COUNT;
    for (size_t i = 0; i < channels; i++) {
        struct wtl_ab_row *row = &ab->rows[ab->row_count++];
        *row = (struct wtl_ab_row){.name = ab->runs[0].channels[i].channel.name,
                                   .unit = "J",
                                   .is_channel = true,
                                   .floor_log_sd = NAN};
        fill_row(ab, row, 0, values);
    }
    free(values);
    return 0;
}

/* ---- flags ---- */

static int count_flag(struct wtl_ab *ab, const struct wtl_result_flag *flag, int who)
{
    for (size_t i = 0; i < ab->flag_count; i++) {
        if (strcmp(ab->flags[i].name, flag->name) == 0) {
            ab->flags[i].runs[who]++;
            return 0;
        }
    }
    if (wtl_grow(&ab->flags, ab->flag_count, sizeof *ab->flags) < 0)
        return -ENOMEM;
    struct wtl_ab_flag *added = &ab->flags[ab->flag_count++];
    *added = (struct wtl_ab_flag){.runs = {0}};
    (void)snprintf(added->name, sizeof added->name, "%s", flag->name);
    (void)snprintf(added->text, sizeof added->text, "%s", flag->text);
    added->runs[who] = 1;
    return 0;
}

static int count_flags(struct wtl_ab *ab)
{
    for (size_t i = 0; i < 2 * (ab->floor_count + ab->count); i++) {
        bool floor = i < 2 * ab->floor_count;
        const struct wtl_result *run =
            floor ? &ab->floor_runs[i] : &ab->runs[i - 2 * ab->floor_count];
        for (size_t k = 0; k < run->flag_count; k++) {
            int rc = count_flag(ab, &run->flags[k], floor ? 2 : (int)(i % 2));
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* ---- order ---- */

static int fill_drift(struct wtl_ab *ab)
{
    double *values = malloc(2 * ab->count * sizeof *values);
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < 2 * ab->count; i++)
        values[i % 2 * ab->count + i / 2] = wtl_metric_of(&ab->runs[i], ab->metric);
    int rc = wtl_drift_of(values, ab->count, values + ab->count, ab->count, &ab->drift);
    free(values);
    return rc;
}

/* The second run of a pair against the first, without the difference of A and B: half the difference
 * between the pairs in which B was second and the others; Welch. */
static struct wtl_interval second_of(const struct wtl_ab *ab)
{
    struct wtl_interval none = {NAN, NAN, NAN};
    double n[2] = {0}, mean[2] = {0}, squares[2] = {0};
    for (size_t i = 0; i < ab->count; i++) {
        int b_first = wtl_pairs_b_first(ab->seed, i);
        double ratio = log(wtl_metric_of(&ab->runs[2 * i + 1], ab->metric) /
                           wtl_metric_of(&ab->runs[2 * i], ab->metric));
        double off = ratio - mean[b_first];
        n[b_first]++;
        mean[b_first] += off / n[b_first];
        squares[b_first] += off * (ratio - mean[b_first]);
    }
    if (n[0] < 2 || n[1] < 2)
        return none;
    double v0 = squares[0] / (n[0] - 1) / n[0], v1 = squares[1] / (n[1] - 1) / n[1];
    double df = (v0 + v1) * (v0 + v1) / (v0 * v0 / (n[0] - 1) + v1 * v1 / (n[1] - 1));
    double effect = (mean[0] - mean[1]) / 2, half = 0;
    if (v0 + v1 > 0)
        half = wtl_student_quantile(0.975, df) * sqrt(v0 + v1) / 2;
    return (struct wtl_interval){exp(effect), exp(effect - half), exp(effect + half)};
}

int wtl_ab_judge(struct wtl_ab *ab)
{
    struct wtl_pairs pairs = wtl_pairs_start(&ab->plan);
    ab->planned = wtl_pairs_planned(&ab->plan);
    ab->forbidden[0] = '\0';
    if (ab->count > 0)
        (void)wtl_matching_forbids(ab->runs, 2 * ab->count, ab->metric, ab->forbidden,
                                   sizeof ab->forbidden);
    for (size_t i = 0; i < ab->count; i++)
        wtl_pairs_add(&pairs, wtl_metric_of(&ab->runs[2 * i], ab->metric),
                      wtl_metric_of(&ab->runs[2 * i + 1], ab->metric));
    struct wtl_verdict_question question = {
        .words = wtl_verdict_words[ab->metric],
        .resolve = ab->plan.resolve,
        .alpha = 0.05,
        .forbidden = ab->forbidden[0] ? ab->forbidden : NULL,
        .resolution = wtl_metric_resolution(ab->runs, 2 * ab->count, ab->metric),
        .narrowest = ab->metric == WTL_METRIC_TIME ? 0 : resolution_of(ab, NULL)};
    ab->verdict = wtl_verdict_of_sequence(&pairs.sequence, &question);
    ab->second = (struct wtl_interval){NAN, NAN, NAN};
    ab->drift = (struct wtl_drift){.p = NAN, .per_run = NAN};
    int rc = ab->count > 0 ? fill_rows(ab) : 0;
    rc = rc < 0 ? rc : count_flags(ab);
    if (rc < 0 || ab->count == 0)
        return rc;
    ab->second = second_of(ab);
    return fill_drift(ab);
}

void wtl_ab_fini(struct wtl_ab *ab)
{
    for (size_t i = 0; i < 2 * ab->floor_count; i++)
        wtl_result_fini(&ab->floor_runs[i]);
    for (size_t i = 0; i < 2 * ab->count; i++)
        wtl_result_fini(&ab->runs[i]);
    free(ab->floor_runs);
    free(ab->runs);
    free(ab->rows);
    free(ab->flags);
    *ab = (struct wtl_ab){.count = 0};
}
