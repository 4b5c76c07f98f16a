/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a comparison: see side_rows.h. */
#include "analysis/compare/side_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/metric.h"
#include "analysis/statistics/description.h"
#include "base/fail.h"
#include "base/grow.h"
#include "model/quality.h"

struct wtl_side_row *wtl_side_row_add(struct wtl_sides *sides,
                                      enum wtl_row_group group,
                                      const char *name,
                                      const char *quantity,
                                      const char *unit)
{
    struct wtl_side_row row = {.group = group,
                               .quantity = quantity,
                               .unit = unit,
                               .alpha = 0.05,
                               .a_range = {NAN, NAN},
                               .b_range = {NAN, NAN}};
    if (wtl_grow(&sides->rows, sides->count, sizeof *sides->rows) < 0)
        return NULL;
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    row.a = malloc(sides->a_n * sizeof *row.a);
    row.b = malloc(sides->b_n * sizeof *row.b);
    if (!row.a || !row.b) {
        free(row.a);
        free(row.b);
        return NULL;
    }
    for (size_t i = 0; i < sides->a_n; i++)
        row.a[i] = NAN;
    for (size_t i = 0; i < sides->b_n; i++)
        row.b[i] = NAN;
    sides->rows[sides->count] = row;
    return &sides->rows[sides->count++];
}

static size_t unknown_in(const double *values, size_t n)
{
    size_t unknown = 0;
    for (size_t i = 0; i < n; i++)
        unknown += isnan(values[i]) ? 1 : 0;
    return unknown;
}

static int count_outliers(const struct wtl_sides *sides, struct wtl_side_row *row)
{
    size_t most = sides->a_n > sides->b_n ? sides->a_n : sides->b_n;
    bool *marks = malloc(most * sizeof *marks + 1);
    if (!marks)
        return -ENOMEM;
    row->a_outliers = wtl_outliers(row->a, sides->a_n, marks);
    row->b_outliers = wtl_outliers(row->b, sides->b_n, marks);
    free(marks);
    return 0;
}

int wtl_side_row_compare(const struct wtl_sides *sides,
                         const struct wtl_sides_options *options,
                         struct wtl_side_row *row)
{
    size_t a = unknown_in(row->a, sides->a_n), b = unknown_in(row->b, sides->b_n);
    size_t number = (size_t)(row - sides->rows);
    struct wtl_groups groups = {.a = row->a,
                                .b = row->b,
                                .a_n = sides->a_n,
                                .b_n = sides->b_n,
                                .paired = sides->paired,
                                .estimated = row->quality == WATTLE_ESTIMATED,
                                .noise = {NAN, NAN},
                                .resolution = row->resolution};
    if (row->group == WTL_ROW_HEADLINE && number < 4)
        groups.noise = options->noise[number];
    row->drift = (struct wtl_drift){NAN, NAN};
    if (a + b > 0) {
        (void)snprintf(row->why, sizeof row->why, "%s is unknown in %zu of %zu runs of %s",
                       row->quantity, a ? a : b, a ? sides->a_n : sides->b_n, a ? "A" : "B");
        return 0;
    }
    int rc = wtl_compare(&groups, options->seed, options->resamples, &row->comparison);
    rc = rc < 0 ? rc : wtl_drift_of(row->a, sides->a_n, row->b, sides->b_n, &row->drift);
    return rc < 0 ? rc : count_outliers(sides, row);
}

/* ---- headline ---- */

static void trust(struct wtl_side_row *row, enum wattle_quality quality, bool simulated)
{
    row->quality = quality > row->quality ? quality : row->quality;
    row->simulated |= simulated;
}

/* Of the means of both sides, which are independent; NULL: of the total. */
static double resolution_of(const struct wtl_sides *sides, const char *a, const char *b)
{
    return hypot(wtl_mean_resolution(sides->a, sides->a_n, a),
                 wtl_mean_resolution(sides->b, sides->b_n, b));
}

static void fill_headline(struct wtl_side_row *row,
                          bool is_b,
                          enum wtl_metric metric,
                          const struct wtl_result *results,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (is_b ? row->b : row->a)[i] = wtl_metric_of(&results[i], metric);
        if (metric != WTL_METRIC_TIME && results[i].total.count > 0)
            trust(row, results[i].total.quality, wtl_result_is_simulated(&results[i]));
    }
    wtl_metric_range(results, n, metric, is_b ? row->b_range : row->a_range);
}

static int add_headline(struct wtl_sides *sides, const struct wtl_sides_options *options)
{
    static const struct {
        const char *name, *unit;
        enum wtl_metric metric;
    } rows[] = {{"time", "s", WTL_METRIC_TIME},
                {"energy", "J", WTL_METRIC_ENERGY},
                {"power", "W", WTL_METRIC_POWER},
                {"energy x time", "J s", WTL_METRIC_EDP}};
    for (int k = 0; k < 4; k++) {
        struct wtl_side_row *row =
            wtl_side_row_add(sides, WTL_ROW_HEADLINE, rows[k].name, rows[k].name, rows[k].unit);
        if (!row)
            return -ENOMEM;
        fill_headline(row, false, rows[k].metric, sides->a, sides->a_n);
        fill_headline(row, true, rows[k].metric, sides->b, sides->b_n);
        if (k > 0)
            row->resolution = resolution_of(sides, NULL, NULL);
        if (k > 0 && sides->totals_differ)
            (void)snprintf(row->why, sizeof row->why, "the totals contain different things");
        else if (wtl_side_row_compare(sides, options, row) < 0)
            return -ENOMEM;
    }
    sides->headline = sides->count;
    return 0;
}

/* ---- channels ---- */

/* The channel in another result: by name, else that of another sensor for the same domain. */
static const struct wtl_result_channel *counterpart(const struct wtl_result *result,
                                                    const struct wattle_channel *channel)
{
    const struct wtl_result_channel *found = wtl_result_find(result, channel->name);
    for (size_t i = 0; i < result->energy_count && !found; i++) {
        const struct wattle_channel *other = &result->channels[i].channel;
        bool primary = other->flags & channel->flags & WATTLE_CHANNEL_PRIMARY;
        if (primary && other->domain == channel->domain && other->index == channel->index &&
            other->sub == channel->sub)
            found = &result->channels[i];
    }
    return found;
}

static void fill_channel(struct wtl_side_row *row,
                         bool is_b,
                         const struct wtl_result *results,
                         size_t n,
                         const struct wattle_channel *channel,
                         bool power)
{
    double *values = is_b ? row->b : row->a, *range = is_b ? row->b_range : row->a_range;
    double sums[2] = {0, 0};
    bool estimated = false;
    for (size_t i = 0; i < n; i++) {
        const struct wtl_result_channel *one = counterpart(&results[i], channel);
        if (!one)
            continue;
        const struct wtl_energy energy = wtl_result_energy(one);
        values[i] = power ? one->summary.mean_w : energy.j;
        bool model = energy.quality == WATTLE_ESTIMATED;
        estimated |= model;
        sums[0] += model ? values[i] * energy.low_j / energy.j : values[i];
        sums[1] += model ? values[i] * energy.high_j / energy.j : values[i];
        trust(row, one->channel.quality, wtl_channel_is_simulated(&one->channel));
    }
    for (int end = 0; end < 2; end++)
        range[end] = estimated ? sums[end] / (double)n : (double)NAN;
}

static int add_channel(struct wtl_sides *sides,
                       const struct wtl_sides_options *options,
                       const struct wattle_channel *channel,
                       const char *other)
{
    char name[2 * WATTLE_NAME_MAX];
    bool same = strcmp(channel->name, other) == 0;
    (void)snprintf(name, sizeof name, "%s%s%s", channel->name, same ? "" : "/", same ? "" : other);
    for (int power = 0; power < 2; power++) {
        struct wtl_side_row *row = wtl_side_row_add(sides, WTL_ROW_CHANNEL, name,
                                                    power ? "power" : "energy", power ? "W" : "J");
        if (!row)
            return -ENOMEM;
        fill_channel(row, false, sides->a, sides->a_n, channel, power);
        fill_channel(row, true, sides->b, sides->b_n, channel, power);
        row->resolution = resolution_of(sides, channel->name, other);
        if (wtl_side_row_compare(sides, options, row) < 0)
            return -ENOMEM;
    }
    return 0;
}

static void append_name(char *list, size_t n, const char *name)
{
    size_t used = strlen(list);
    if (snprintf(list + used, n - used, used ? ", %s" : "%s", name) >= (int)(n - used))
        (void)snprintf(list + n - 4, 4, "...");
}

/* Channels of the first run of each side; one missing in a later run is unknown there. */
static int add_channels(struct wtl_sides *sides, const struct wtl_sides_options *options)
{
    const struct wtl_result *a = &sides->a[0], *b = &sides->b[0];
    for (size_t i = 0; i < a->energy_count; i++) {
        const struct wattle_channel *channel = &a->channels[i].channel;
        const struct wtl_result_channel *other = counterpart(b, channel);
        if (!other)
            append_name(sides->only_a, sizeof sides->only_a, channel->name);
        else if (add_channel(sides, options, channel, other->channel.name) < 0)
            return -ENOMEM;
    }
    for (size_t i = 0; i < b->energy_count; i++) {
        if (!counterpart(a, &b->channels[i].channel))
            append_name(sides->only_b, sizeof sides->only_b, b->channels[i].channel.name);
    }
    return 0;
}

int wtl_side_rows_add(struct wtl_sides *sides,
                      const struct wtl_sides_options *options,
                      struct wattle_error *err)
{
    int rc = add_headline(sides, options);
    rc = rc < 0 ? rc : add_channels(sides, options);
    if (rc < 0)
        return wtl_no_memory_for(err, "the comparison");
    const struct wtl_result *const none = !sides->a[0].energy_count   ? &sides->a[0]
                                          : !sides->b[0].energy_count ? &sides->b[0]
                                                                      : NULL;
    if (sides->count == sides->headline && none)
        return wtl_fail(err, -EINVAL, "%s has no channel of energy or power: %s",
                        none->trace ? none->trace : "a run",
                        none->cut_off
                            ? "its measurement was cut off before the first sample; leave it out"
                            : "no sensor was recorded; measure it again with one");
    if (sides->count == sides->headline)
        return wtl_fail(err, -EINVAL,
                        "A and B have no common channel of energy or power (A: %s; B: %s); measure "
                        "both with the same sensors",
                        sides->only_a[0] ? sides->only_a : "none",
                        sides->only_b[0] ? sides->only_b : "none");
    return 0;
}
