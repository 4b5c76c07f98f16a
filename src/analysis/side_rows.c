/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a comparison: see side_rows.h. */
#include "analysis/side_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/outliers.h"
#include "base/fail.h"

struct wtl_side_row *wtl_side_row_add(struct wtl_sides *sides,
                                      enum wtl_row_group group,
                                      const char *name,
                                      const char *quantity,
                                      const char *unit)
{
    struct wtl_side_row row = {.group = group, .quantity = quantity, .unit = unit};
    struct wtl_side_row *grown = realloc(sides->rows, (sides->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sides->rows = grown;
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
    grown[sides->count] = row;
    return &grown[sides->count++];
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
                                .noise = {NAN, NAN}};
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

static double headline_value(const struct wtl_result *result, int which)
{
    const double values[] = {result->wall_time_s, result->total_j, result->total_w,
                             result->total_j * result->wall_time_s};
    return values[which];
}

static int add_headline(struct wtl_sides *sides, const struct wtl_sides_options *options)
{
    static const char *const names[][2] = {
        {"time", "s"}, {"energy", "J"}, {"power", "W"}, {"energy x time", "J s"}};
    for (int k = 0; k < 4; k++) {
        struct wtl_side_row *row =
            wtl_side_row_add(sides, WTL_ROW_HEADLINE, names[k][0], names[k][0], names[k][1]);
        if (!row)
            return -ENOMEM;
        for (size_t i = 0; i < sides->a_n; i++) {
            row->a[i] = headline_value(&sides->a[i], k);
            row->estimated |= k > 0 && sides->a[i].total.quality == WATTLE_ESTIMATED;
        }
        for (size_t i = 0; i < sides->b_n; i++) {
            row->b[i] = headline_value(&sides->b[i], k);
            row->estimated |= k > 0 && sides->b[i].total.quality == WATTLE_ESTIMATED;
        }
        if (k > 0 && sides->totals_differ)
            (void)snprintf(row->why, sizeof row->why, "the totals contain different things");
        else if (wtl_side_row_compare(sides, options, row) < 0)
            return -ENOMEM;
    }
    sides->headline = sides->count;
    return 0;
}

/* ---- channels ---- */

/* The channel in another result: by name, else what another sensor says of the same thing. */
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

static void fill_channel(double *values,
                         bool *estimated,
                         const struct wtl_result *results,
                         size_t n,
                         const struct wattle_channel *channel,
                         bool power)
{
    for (size_t i = 0; i < n; i++) {
        const struct wtl_result_channel *one = counterpart(&results[i], channel);
        if (!one)
            continue;
        values[i] = power ? one->summary.mean_w : one->summary.energy_j;
        *estimated |= one->channel.quality == WATTLE_ESTIMATED;
    }
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
        fill_channel(row->a, &row->estimated, sides->a, sides->a_n, channel, power);
        fill_channel(row->b, &row->estimated, sides->b, sides->b_n, channel, power);
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

/* Channels of the first run of each side; one that a later run has not is unknown there. */
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
        return wtl_fail(err, rc, "not enough memory to compare");
    if (sides->count == sides->headline)
        return wtl_fail(err, -EINVAL,
                        "A and B have no common channel of energy or power (A: %s; B: %s): measure "
                        "both with the same sensors",
                        sides->only_a[0] ? sides->only_a : "none",
                        sides->only_b[0] ? sides->only_b : "none");
    return 0;
}
