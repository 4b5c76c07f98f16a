/* SPDX-License-Identifier: BSD-3-Clause */
/* Two groups of results compared: see sides.h. */
#include "analysis/compare/sides.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/matching.h"
#include "analysis/compare/metric.h"
#include "analysis/statistics/description.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/text/figures.h"
#include "base/whole.h"
#include "model/quality.h"

/* ---- rows ---- */

/* Append a row with room for the values of all runs, which are NaN. Valid until the next. NULL without
 * memory. */
static struct wtl_side_row *side_row_add(struct wtl_sides *sides,
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

/* Compare its values, or write the reason into row->why. 0 or -ENOMEM. */
static int side_row_compare(const struct wtl_sides *sides,
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
            side_row_add(sides, WTL_ROW_HEADLINE, rows[k].name, rows[k].name, rows[k].unit);
        if (!row)
            return -ENOMEM;
        fill_headline(row, false, rows[k].metric, sides->a, sides->a_n);
        fill_headline(row, true, rows[k].metric, sides->b, sides->b_n);
        if (k > 0)
            row->resolution = resolution_of(sides, NULL, NULL);
        if (k > 0 && sides->totals_differ)
            (void)snprintf(row->why, sizeof row->why, "the totals contain different things");
        else if (side_row_compare(sides, options, row) < 0)
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
        struct wtl_side_row *row = side_row_add(sides, WTL_ROW_CHANNEL, name,
                                                power ? "power" : "energy", power ? "W" : "J");
        if (!row)
            return -ENOMEM;
        fill_channel(row, false, sides->a, sides->a_n, channel, power);
        fill_channel(row, true, sides->b, sides->b_n, channel, power);
        row->resolution = resolution_of(sides, channel->name, other);
        if (side_row_compare(sides, options, row) < 0)
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

/* The headline and the channels that both have. 0; -EINVAL: no common channel; -ENOMEM. */
static int side_rows_add(struct wtl_sides *sides,
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

/* ---- regions ---- */

/* The regions that both sides have, as rows of their comparison: time and inclusive energy. */

/* The regions of the first run, two rows each: time, energy. */
static int add_rows(struct wtl_sides *sides, struct wattle_error *err)
{
    struct wtl_region_table table;
    int rc = wtl_region_table_open(&sides->a[0], &table, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < table.count && rc == 0; i++) {
        const char *name = table.rows[i].name[0] ? table.rows[i].name : "(outside)";
        if (!side_row_add(sides, WTL_ROW_REGION, name, "time", "s") ||
            !side_row_add(sides, WTL_ROW_REGION, name, "energy", "J"))
            rc = wtl_no_memory_for(err, "%zu regions", table.count);
    }
    wtl_region_table_close(&table);
    return rc;
}

/* Store one run's regions in their rows, and what the sensors leave open, squared. */
static void fill_run(struct wtl_sides *sides,
                     size_t first,
                     const struct wtl_region_table *table,
                     bool is_b,
                     size_t run,
                     double *squares)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct wtl_region_row *region = &table->rows[i];
        const char *name = region->name[0] ? region->name : "(outside)";
        for (size_t k = first; k < sides->count; k += 2) {
            struct wtl_side_row *time = &sides->rows[k], *energy = &sides->rows[k + 1];
            if (strncmp(time->name, name, sizeof time->name - 1) != 0)
                continue;
            (is_b ? time->b : time->a)[run] = region->union_s;
            (is_b ? energy->b : energy->a)[run] =
                region->inclusive.interval_only ? (double)NAN : region->inclusive.j;
            squares[k + 1] += region->inclusive.half_j * region->inclusive.half_j;
            if (region->inclusive.interval_only)
                (void)snprintf(energy->why, sizeof energy->why,
                               "too short for the sampling in a run of %s", is_b ? "B" : "A");
            break;
        }
    }
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static int fill_side(struct wtl_sides *sides, size_t first, bool is_b, struct wattle_error *err)
{
    const struct wtl_result *results = is_b ? sides->b : sides->a;
    size_t n = is_b ? sides->b_n : sides->a_n;
    double *squares = calloc(sides->count + 1, sizeof *squares);
    int rc = 0;
    if (!squares)
        return wtl_no_memory_for(err, "%zu regions", sides->count);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct wtl_region_table table;
        rc = wtl_region_table_open(&results[i], &table, err);
        if (rc < 0)
            break;
        fill_run(sides, first, &table, is_b, i, squares);
        wtl_region_table_close(&table);
    }
    for (size_t k = first; k < sides->count && rc == 0; k++) {
        struct wtl_side_row *row = &sides->rows[k];
        double part = sqrt(squares[k]) / sum_of(is_b ? row->b : row->a, n);
        row->resolution = isfinite(part) ? hypot(row->resolution, part) : row->resolution;
    }
    free(squares);
    return rc;
}

/* A region missing on a side is not merely unknown there. */
static bool is_absent(const double *time_s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isnan(time_s[i]))
            return false;
    }
    return true;
}

/* The energy of a region is a part of the total, with the same quality. */
static void trust_as_total(struct wtl_side_row *row, const struct wtl_side_row *energy)
{
    row->quality = energy->quality;
    row->simulated = energy->simulated;
    for (int end = 0; end < 2; end++) {
        row->a_range[end] =
            energy->a_range[end] / energy->comparison.a.mean * row->comparison.a.mean;
        row->b_range[end] =
            energy->b_range[end] / energy->comparison.b.mean * row->comparison.b.mean;
    }
}

/* Two rows for each region of A's first run that all runs have; the traces are opened one at a time.
 * A region too short to be resolved in any run has no energy. 0; -ENOMEM; what the reader said. */
static int side_regions_add(struct wtl_sides *sides,
                            const struct wtl_sides_options *options,
                            struct wattle_error *err)
{
    size_t first = sides->count;
    int rc = add_rows(sides, err);
    rc = rc < 0 ? rc : fill_side(sides, first, false, err);
    rc = rc < 0 ? rc : fill_side(sides, first, true, err);
    for (size_t k = first; k < sides->count && rc == 0; k++) {
        struct wtl_side_row *row = &sides->rows[k];
        if (is_absent(sides->rows[k - (k - first) % 2].b, sides->b_n))
            (void)snprintf(row->why, sizeof row->why, "B has no such region");
        if (!row->why[0] && side_row_compare(sides, options, row) < 0)
            rc = wtl_no_memory_for(err, "the regions");
        else if (strcmp(row->quantity, "energy") == 0)
            trust_as_total(row, &sides->rows[1]);
    }
    return rc;
}

/* ---- order ---- */

static int by_start(const void *left, const void *right)
{
    const struct wtl_result *a = left, *b = right;
    return (a->start_realtime_ns > b->start_realtime_ns) -
           (a->start_realtime_ns < b->start_realtime_ns);
}

static bool have_start(const struct wtl_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (results[i].start_realtime_ns == 0 || isnan(results[i].wall_time_s))
            return false;
    }
    return true;
}

static double end_of(const struct wtl_result *result)
{
    return (double)result->start_realtime_ns + result->wall_time_s * 1e9;
}

/* Did one group end before the other began? */
static bool is_before(const struct wtl_result *a,
                      size_t a_n,
                      const struct wtl_result *b,
                      size_t b_n)
{
    double last = 0, first = INFINITY;
    for (size_t i = 0; i < a_n; i++)
        last = fmax(last, (double)a[i].start_realtime_ns);
    for (size_t i = 0; i < b_n; i++)
        first = fmin(first, (double)b[i].start_realtime_ns);
    return last < first;
}

/* One millisecond of tolerance: clocks are adjusted, and windows end slightly late. */
static bool overlaps(const struct wtl_result *a, const struct wtl_result *b)
{
    return a != b && (double)a->start_realtime_ns + 1e6 < end_of(b) &&
           (double)b->start_realtime_ns + 1e6 < end_of(a);
}

static bool any_overlap(const struct wtl_result *a,
                        size_t a_n,
                        const struct wtl_result *b,
                        size_t b_n)
{
    for (size_t i = 0; i < a_n + b_n; i++) {
        const struct wtl_result *one = i < a_n ? &a[i] : &b[i - a_n];
        for (size_t k = 0; k < i; k++) {
            if (overlaps(one, k < a_n ? &a[k] : &b[k - a_n]))
                return true;
        }
    }
    return false;
}

static void find_order(struct wtl_sides *sides)
{
    const struct wtl_result *a = sides->a, *b = sides->b;
    size_t a_n = sides->a_n, b_n = sides->b_n;
    sides->order_known = have_start(a, a_n) && have_start(b, b_n);
    if (!sides->order_known || a_n + b_n < 3)
        return;
    sides->apart = is_before(a, a_n, b, b_n) || is_before(b, b_n, a, a_n);
    sides->overlap = any_overlap(a, a_n, b, b_n);
}

/* ---- warm-up ---- */

/* As many first runs as the rule finds in time or energy. */
static int warm_up_of(const struct wtl_result *results, size_t n, size_t *ret_count)
{
    double *values = malloc(n * sizeof *values + 1);
    if (!values)
        return -ENOMEM;
    size_t most = 0;
    for (int energy = 0; energy < 2; energy++) {
        for (size_t i = 0; i < n; i++)
            values[i] = energy ? results[i].energy.j : results[i].wall_time_s;
        size_t found = wtl_warm_up(values, n);
        most = found > most ? found : most;
    }
    free(values);
    *ret_count = most;
    return 0;
}

static int drop_warm_up(const struct wtl_result **results,
                        size_t *n,
                        const struct wtl_sides_options *options,
                        size_t *ret_dropped,
                        size_t *ret_left)
{
    size_t found = 0;
    int rc = warm_up_of(*results, *n, &found);
    if (rc < 0)
        return rc;
    size_t drop = options->warm_up_auto ? found : options->warm_up;
    if (drop > *n)
        drop = *n;
    *results += drop;
    *n -= drop;
    *ret_dropped = drop;
    *ret_left = drop > 0 ? 0 : found;
    return 0;
}

/* ---- verdicts ---- */

static const struct wtl_result *run_at(const struct wtl_sides *sides, size_t i)
{
    return i < sides->a_n ? &sides->a[i] : &sides->b[i - sides->a_n];
}

/* Estimates are made from load: their difference is of the model, not of energy. */
static void forbid_energy(struct wtl_sides *sides)
{
    char *buf = sides->energy_forbidden;
    size_t n = sizeof sides->energy_forbidden, runs = sides->a_n + sides->b_n;
    size_t with_total = 0, estimated = 0;
    const char *two[2];
    for (size_t i = 0; i < runs; i++) {
        const struct wtl_total *total = &run_at(sides, i)->total;
        if (total->count == 0)
            continue;
        with_total++;
        estimated += total->quality == WATTLE_ESTIMATED ? 1 : 0;
    }
    sides->totals_differ =
        wtl_matching_contents_differ(sides->a, sides->a_n, sides->b, sides->b_n, two);
    if (sides->totals_differ)
        (void)snprintf(buf, n, "the totals contain different things (%.80s; %.80s)", two[0],
                       two[1]);
    for (size_t i = 0; i < runs && !buf[0]; i++)
        (void)(wtl_matching_incomplete(run_at(sides, i), buf, n) ||
               wtl_matching_averages(run_at(sides, i), buf, n));
    if (with_total == 0)
        (void)snprintf(buf, n, "no total of energy");
    else if (estimated == with_total)
        (void)snprintf(buf, n, "the energy is estimated, not measured");
    else if (estimated > 0 && !sides->totals_differ)
        (void)snprintf(buf, n, "some runs are measured, others estimated");
}

static void forbid_all(struct wtl_sides *sides, const struct wtl_sides_options *options)
{
    char *buf = sides->forbidden;
    size_t n = sizeof sides->forbidden;
    if (options->forbidden)
        (void)snprintf(buf, n, "%s", options->forbidden);
    for (size_t i = 0; i < sides->a_n + sides->b_n && !buf[0]; i++)
        (void)wtl_matching_cut_off(run_at(sides, i), buf, n);
    for (size_t i = 1; i < sides->a_n + sides->b_n && !buf[0]; i++) {
        if (wtl_result_is_simulated(run_at(sides, i)) != wtl_result_is_simulated(&sides->a[0]))
            (void)snprintf(buf, n, "some runs are simulated and others are not");
    }
}

/* p with a steady drift allowed for, by the starts of the runs; NaN: they are not known. */
static int allow_drift(const struct wtl_sides *sides, struct wtl_side_row *row)
{
    row->drift_allowed_p = NAN;
    if (!sides->order_known || row->why[0])
        return 0;
    size_t n = sides->a_n + sides->b_n;
    double *when = malloc(n * sizeof *when);
    if (!when)
        return -ENOMEM;
    uint64_t first = sides->a[0].start_realtime_ns;
    for (size_t i = 0; i < n; i++)
        when[i] = (double)(int64_t)(run_at(sides, i)->start_realtime_ns - first) * 1e-9;
    row->drift_allowed_p =
        wtl_drift_allowed_p(row->a, when, sides->a_n, row->b, when + sides->a_n, sides->b_n);
    free(when);
    return 0;
}

/* If one side ran before the other, could a drift explain the difference? */
static bool may_be_drift(const struct wtl_sides *sides,
                         const struct wtl_side_row *row,
                         double alpha,
                         char *buf,
                         size_t n)
{
    if (!sides->apart || sides->paired || row->why[0] ||
        row->comparison.basis != WTL_COMPARISON_BY_RUNS)
        return false;
    if (row->drift.p < 0.05) {
        (void)snprintf(buf, n,
                       "the runs drift by %+.2g %% per run (p = %s) and one side ran before the "
                       "other; take turns (\"wattle ab\")",
                       100 * row->drift.per_run, WTL_IN_FIGURES(row->drift.p, 2));
        return true;
    }
    char with[40] = ""; /* runs without any scatter give no p */
    if (!isnan(row->drift_allowed_p))
        (void)snprintf(with, sizeof with, " (p = %s with drift)",
                       WTL_IN_FIGURES(row->drift_allowed_p, 2));
    (void)snprintf(buf, n,
                   "one side ran before the other, and a steady drift could explain the difference"
                   "%s; take turns (\"wattle ab\")",
                   with);
    return row->comparison.p < alpha && !(row->drift_allowed_p < alpha);
}

static void set_verdicts(struct wtl_sides *sides, const struct wtl_sides_options *options)
{
    static const enum wtl_metric metrics[] = {WTL_METRIC_TIME, WTL_METRIC_ENERGY, WTL_METRIC_POWER,
                                              WTL_METRIC_EDP};
    double p[4], alpha[4];
    double resolution = hypot(wtl_mean_resolution(sides->a, sides->a_n, NULL),
                              wtl_mean_resolution(sides->b, sides->b_n, NULL));
    for (size_t i = 0; i < sides->headline; i++) {
        const struct wtl_side_row *row = &sides->rows[i];
        bool counts = !row->why[0] && !(i > 0 && sides->energy_forbidden[0]);
        p[i] = counts ? row->comparison.p : (double)NAN;
        sides->compared += isnan(p[i]) ? 0 : 1;
    }
    wtl_verdict_alphas(p, sides->headline, alpha);
    for (size_t i = 0; i < sides->headline; i++) {
        struct wtl_side_row *row = &sides->rows[i];
        char drifts[200];
        struct wtl_verdict_question question = {.words = wtl_verdict_words[metrics[i]],
                                                .resolve = options->resolve,
                                                .alpha = alpha[i],
                                                .resolution = i == 0 ? 0 : resolution};
        if (sides->forbidden[0])
            question.forbidden = sides->forbidden;
        else if (i > 0 && sides->energy_forbidden[0])
            question.forbidden = sides->energy_forbidden;
        else if (row->why[0])
            question.forbidden = row->why;
        else if (may_be_drift(sides, row, alpha[i], drifts, sizeof drifts))
            question.forbidden = drifts;
        row->alpha = alpha[i];
        row->verdict = wtl_verdict_of(&row->comparison, &question);
    }
}

/* ---- all ---- */

static int check(const struct wtl_sides *sides, struct wattle_error *err)
{
    if (sides->a_n == 0 || sides->b_n == 0)
        return wtl_fail(err, -EINVAL, "no run of %s is left after the warm-up",
                        sides->a_n == 0 ? "A" : "B");
    if (sides->paired && sides->a_n != sides->b_n)
        return wtl_fail(err, -EINVAL,
                        "A has %zu runs and B %zu; --paired needs the same number on both sides",
                        sides->a_n, sides->b_n);
    return 0;
}

int wtl_sides_compare(struct wtl_result *a,
                      size_t a_n,
                      struct wtl_result *b,
                      size_t b_n,
                      const struct wtl_sides_options *options,
                      struct wtl_sides *ret_sides,
                      struct wattle_error *err)
{
    struct wtl_sides sides = {.a = a, .b = b, .a_n = a_n, .b_n = b_n, .paired = options->paired};
    if (!options->paired && have_start(a, a_n) && have_start(b, b_n)) {
        wtl_sort(a, a_n, sizeof *a, by_start);
        wtl_sort(b, b_n, sizeof *b, by_start);
    }
    int rc = drop_warm_up(&sides.a, &sides.a_n, options, &sides.a_dropped, &sides.a_warm_up);
    rc = rc < 0 ? rc
                : drop_warm_up(&sides.b, &sides.b_n, options, &sides.b_dropped, &sides.b_warm_up);
    rc = rc < 0 ? wtl_no_memory_for(err, "the comparison") : check(&sides, err);
    if (rc < 0)
        return rc;
    find_order(&sides);
    forbid_energy(&sides);
    rc = side_rows_add(&sides, options, err);
    if (rc == 0 && options->regions)
        rc = side_regions_add(&sides, options, err);
    for (size_t i = 0; i < sides.count && rc == 0; i++)
        rc = allow_drift(&sides, &sides.rows[i]);
    if (rc == 0) {
        forbid_all(&sides, options);
        set_verdicts(&sides, options);
        *ret_sides = sides;
    } else {
        wtl_sides_fini(&sides);
    }
    return rc;
}

void wtl_sides_fini(struct wtl_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++) {
        free(sides->rows[i].a);
        free(sides->rows[i].b);
    }
    free(sides->rows);
    *sides = (struct wtl_sides){0};
}
