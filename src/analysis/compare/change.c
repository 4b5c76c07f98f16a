/* SPDX-License-Identifier: BSD-3-Clause */
/* The change from A to B, from what compare, ab and check found: see change.h. */
#include "analysis/compare/change.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/matching.h"
#include "base/grow.h"
#include "model/quality.h"

enum { SEED = 1 };
static const struct wtl_interval unknown = {(double)NAN, (double)NAN, (double)NAN};

static const struct {
    enum wtl_metric metric;
    const char *name, *unit;
} headline[] = {{WTL_METRIC_TIME, "time", "s"},
                {WTL_METRIC_ENERGY, "energy", "J"},
                {WTL_METRIC_POWER, "power", "W"},
                {WTL_METRIC_EDP, "energy x time", "J s"}};

static struct wtl_change_row *add_row(struct wtl_change *change)
{
    if (wtl_grow(&change->rows, change->count, sizeof *change->rows) < 0)
        return NULL;
    struct wtl_change_row *row = &change->rows[change->count++];
    *row = (struct wtl_change_row){.range = {{NAN, NAN}, {NAN, NAN}}, .ratio = unknown};
    return row;
}

/* The range of an estimate is that of the arithmetic mean: the same of the mean that is shown. */
static void move_ranges(struct wtl_change_row *row)
{
    const struct wtl_comparison *c = &row->other;
    for (int end = 0; end < 2; end++) {
        row->range[0][end] *= c->a_mean.value / c->a.mean;
        row->range[1][end] *= c->b_mean.value / c->b.mean;
    }
}

/* ---- compare ---- */

static void name_method(const struct wtl_sides *sides, struct wtl_change *change)
{
    const struct wtl_comparison *c = NULL;
    for (size_t i = 0; i < sides->count && !c; i++)
        c = sides->rows[i].why[0] ? NULL : &sides->rows[i].comparison;
    if (!c || c->basis == WTL_COMPARISON_BY_NOTHING)
        return;
    change->method = c->basis == WTL_COMPARISON_BY_NOISE ? "stored noise floor"
                     : sides->paired                     ? "Student's t test on pairs"
                                                         : "Welch's t test";
    change->coverage = sides->compared > 1 ? "at least 95 % each (Holm)" : "95 %";
}

int wtl_change_of_sides(const struct wtl_sides *sides, struct wtl_change *ret_change)
{
    struct wtl_change change = {.sides = {{"A", sides->a[0].command, sides->a, sides->a_n},
                                          {"B", sides->b[0].command, sides->b, sides->b_n}},
                                .headline = sides->headline,
                                .paired = sides->paired};
    for (size_t i = 0; i < sides->count; i++) {
        const struct wtl_side_row *from = &sides->rows[i];
        struct wtl_change_row *row = add_row(&change);
        if (!row) {
            wtl_change_fini(&change);
            return -ENOMEM;
        }
        row->group = from->group;
        row->name = from->name;
        row->unit = from->unit;
        row->quality = from->quality;
        row->simulated = from->simulated;
        row->decides = from->group == WTL_ROW_HEADLINE;
        row->confidence = 1 - from->alpha;
        row->verdict = row->decides ? &from->verdict : NULL;
        (void)memcpy(row->range[0], from->a_range, sizeof row->range[0]);
        (void)memcpy(row->range[1], from->b_range, sizeof row->range[1]);
        (void)snprintf(row->why, sizeof row->why, "%s", from->why);
        if (from->why[0])
            continue;
        row->other = from->comparison;
        row->ratio = from->comparison.ratio;
        move_ranges(row);
        row->other.ratio = wtl_comparison_ratio(&from->comparison, 0.05);
    }
    name_method(sides, &change);
    *ret_change = change;
    return 0;
}

/* ---- rows from the values of runs ---- */

static double channel_j(const struct wtl_result *result, const char *name)
{
    const struct wtl_result_channel *found = wtl_result_find(result, name);
    return found ? found->summary.amount : (double)NAN;
}

/* What a row is of: a metric, or the channel of that name. */
struct subject {
    enum wtl_metric metric;
    const char *channel;
};

static double value_of(const struct subject *subject, const struct wtl_result *run)
{
    return subject->channel ? channel_j(run, subject->channel)
                            : wtl_metric_of(run, subject->metric);
}

static void trust(struct wtl_change_row *row,
                  const struct subject *subject,
                  const struct wtl_result *run)
{
    const struct wtl_result_channel *channel =
        subject->channel ? wtl_result_find(run, subject->channel) : NULL;
    bool of_total = !subject->channel && subject->metric != WTL_METRIC_TIME && run->total.count > 0;
    if (!channel && !of_total)
        return;
    enum wattle_quality quality = channel ? channel->channel.quality : run->total.quality;
    row->quality = quality > row->quality ? quality : row->quality;
    row->simulated |=
        channel ? wtl_channel_is_simulated(&channel->channel) : wtl_result_is_simulated(run);
}

/* The values of both sides in one block, those of A first; *row gets their quality, and why they cannot be compared. */
static double *values_of(const struct wtl_change *change,
                         const struct subject *subject,
                         struct wtl_change_row *row)
{
    const struct wtl_change_side *sides = change->sides;
    double *values = malloc((sides[0].n + sides[1].n + 1) * sizeof *values);
    const char *two[2];
    bool of_total = !subject->channel && subject->metric != WTL_METRIC_TIME;
    size_t k = 0;
    for (int side = 0; side < 2 && values; side++) {
        size_t missing = 0;
        for (size_t i = 0; i < sides[side].n; i++, k++) {
            values[k] = value_of(subject, &sides[side].runs[i]);
            missing += isnan(values[k]) ? 1 : 0;
            trust(row, subject, &sides[side].runs[i]);
        }
        if (!subject->channel)
            wtl_metric_range(sides[side].runs, sides[side].n, subject->metric, row->range[side]);
        if (of_total &&
            wtl_matching_contents_differ(sides[0].runs, sides[0].n, sides[1].runs, sides[1].n, two))
            (void)snprintf(row->why, sizeof row->why, "the totals contain different things");
        if (missing > 0 && !row->why[0])
            (void)snprintf(row->why, sizeof row->why, "unknown in %zu of %zu runs of %s", missing,
                           sides[side].n, sides[side].name);
    }
    return values;
}

/* Compare by the methods of one look. 0 or -ENOMEM. */
static int fill_row(const struct wtl_change *change,
                    const struct subject *subject,
                    struct wtl_change_row *row)
{
    size_t a_n = change->sides[0].n, b_n = change->sides[1].n;
    double *values = values_of(change, subject, row);
    if (!values)
        return -ENOMEM;
    struct wtl_groups groups = {.a = values,
                                .b = values + a_n,
                                .a_n = a_n,
                                .b_n = b_n,
                                .paired = change->paired,
                                .estimated = row->quality == WATTLE_ESTIMATED,
                                .noise = {NAN, NAN}};
    if (subject->channel || subject->metric != WTL_METRIC_TIME)
        groups.resolution =
            hypot(wtl_mean_resolution(change->sides[0].runs, a_n, subject->channel),
                  wtl_mean_resolution(change->sides[1].runs, b_n, subject->channel));
    int rc = 0;
    if (!row->why[0])
        rc = wtl_compare(&groups, SEED, WTL_COMPARISON_RESAMPLES, &row->other);
    free(values);
    if (rc == 0 && !row->why[0])
        move_ranges(row);
    return rc;
}

static int add_headline(struct wtl_change *change)
{
    for (size_t i = 0; i < sizeof headline / sizeof *headline; i++) {
        const struct subject subject = {.metric = headline[i].metric};
        struct wtl_change_row *row = add_row(change);
        if (!row || fill_row(change, &subject, row) < 0)
            return -ENOMEM;
        row->name = headline[i].name;
        row->unit = headline[i].unit;
    }
    change->headline = change->count;
    return 0;
}

static struct wtl_change_row *row_of(struct wtl_change *change, enum wtl_metric metric)
{
    for (size_t i = 0; i < sizeof headline / sizeof *headline; i++) {
        if (headline[i].metric == metric)
            return &change->rows[i];
    }
    return NULL;
}

/* ---- ab ---- */

/* The results of A and of B, each in one array. */
static int copy_sides(const struct wtl_ab *ab, struct wtl_change *change)
{
    for (int side = 0; side < 2; side++) {
        struct wtl_result *copy = calloc(ab->count, sizeof *copy);
        if (!copy)
            return -ENOMEM;
        for (size_t i = 0; i < ab->count; i++)
            copy[i] = ab->runs[2 * i + (size_t)side];
        change->copies[side] = copy;
        change->sides[side] =
            (struct wtl_change_side){side ? "B" : "A", ab->command[side], copy, ab->count};
    }
    return 0;
}

static int add_channels(const struct wtl_ab *ab, struct wtl_change *change)
{
    for (size_t i = WTL_METRIC_COUNT; i < ab->row_count; i++) {
        const struct subject subject = {.channel = ab->rows[i].name};
        struct wtl_change_row *row = add_row(change);
        if (!row || fill_row(change, &subject, row) < 0)
            return -ENOMEM;
        row->group = WTL_ROW_CHANNEL;
        row->name = ab->rows[i].name;
        row->unit = ab->rows[i].unit;
        row->ratio = ab->rows[i].ratio;
        row->confidence = 0.95;
    }
    return 0;
}

int wtl_change_of_ab(const struct wtl_ab *ab, struct wtl_change *ret_change)
{
    struct wtl_change change = {.paired = true};
    int rc = copy_sides(ab, &change);
    rc = rc < 0 ? rc : add_headline(&change);
    for (int m = 0; m < WTL_METRIC_COUNT && rc == 0; m++) {
        struct wtl_change_row *row = row_of(&change, (enum wtl_metric)m);
        row->decides = m == (int)ab->metric;
        row->verdict = row->decides ? &ab->verdict : NULL;
        row->ratio = ab->rows[m].ratio;
        row->confidence = 0.95;
    }
    rc = rc < 0 ? rc : add_channels(ab, &change);
    if (rc < 0) {
        wtl_change_fini(&change);
        return rc;
    }
    if (ab->count > 1) {
        change.method = "sequential t test";
        change.coverage = "95 % at every look";
    }
    *ret_change = change;
    return 0;
}

/* ---- check ---- */

int wtl_change_of_check(const struct wtl_check *check, struct wtl_change *ret_change)
{
    static const double alpha = 0.1;
    struct wtl_change change = {
        .sides = {{"base", check->base[0].command, check->base, check->base_count},
                  {"now", check->runs[0].command, check->runs, check->run_count}}};
    if (add_headline(&change) < 0) {
        wtl_change_fini(&change);
        return -ENOMEM;
    }
    for (int m = 0; m < WTL_METRIC_COUNT; m++) {
        struct wtl_change_row *row = row_of(&change, (enum wtl_metric)m);
        row->decides = m == (int)check->metric;
        row->confidence = 1 - alpha;
        if (!row->why[0])
            row->ratio = wtl_comparison_ratio(&row->other, alpha);
    }
    if (check->base_count > 1 && check->run_count > 1) {
        change.method = "Welch's t test";
        change.coverage = "90 % (95 % at each end)";
    }
    *ret_change = change;
    return 0;
}

void wtl_change_fini(struct wtl_change *change)
{
    free(change->rows);
    free(change->copies[0]);
    free(change->copies[1]);
    *change = (struct wtl_change){.count = 0};
}

/* ---- words ---- */

bool wtl_change_is_short(const struct wtl_change *change, const struct wtl_change_row *row)
{
    size_t number = (size_t)(row - change->rows);
    bool only_one_decides = row->decides && !change->rows[0].decides;
    return number < 3 || only_one_decides || row->group == WTL_ROW_REGION;
}

static void append(char *buf, size_t n, const char *between, const char *text)
{
    size_t used = strlen(buf);
    (void)snprintf(buf + used, n - used, "%s%s", used ? between : "", text);
}

static bool has_reason(const struct wtl_change_row *row, const char *why)
{
    return row->verdict->kind == WTL_VERDICT_NONE && strcmp(row->verdict->clause, why) == 0;
}

/* Whether two rows are said in one clause: without a verdict for the same reason, or both inconclusive. */
static bool is_alike(const struct wtl_change_row *a, const struct wtl_change_row *b)
{
    return a->verdict->kind == WTL_VERDICT_OPEN ? b->verdict->kind == WTL_VERDICT_OPEN
                                                : has_reason(b, a->verdict->clause);
}

/* The clause of all rows like this one: "no verdict on time and energy: the governor differs", "time and energy: inconclusive (up to
 * 12 more runs per side would resolve 1 %)". */
static void append_alike(const struct wtl_change_row *const *rows,
                         size_t count,
                         const struct wtl_change_row *row,
                         char *buf,
                         size_t n)
{
    char text[700], names[200] = "";
    size_t with = 0, named = 0;
    const struct wtl_change_row *most =
        row; /* that would need most runs; not finite: no number would do */
    for (size_t i = 0; i < count; i++)
        with += is_alike(row, rows[i]) ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_alike(row, rows[i]))
            continue;
        append(names, sizeof names, ++named == with ? " and " : ", ", rows[i]->name);
        if (!(rows[i]->verdict->more_runs <= most->verdict->more_runs))
            most = rows[i];
    }
    const char *clause = most->verdict->clause, *more = strchr(clause, '(');
    bool all = with == count;
    if (row->verdict->kind == WTL_VERDICT_NONE)
        (void)snprintf(text, sizeof text, "no verdict%s%s: %s", all ? "" : " on ", all ? "" : names,
                       clause);
    else if (with == 1 || !more)
        (void)snprintf(text, sizeof text, "%s", clause);
    else
        (void)snprintf(text, sizeof text, "%s: inconclusive (%s%s", names,
                       isfinite(most->verdict->more_runs) ? "up to " : "", more + 1);
    append(buf, n, "; ", text);
}

bool wtl_change_verdicts(const struct wtl_change *change, bool all, char *buf, size_t n)
{
    const struct wtl_change_row *rows[sizeof headline / sizeof *headline];
    size_t count = 0;
    bool given = false;
    buf[0] = '\0';
    for (size_t i = 0; i < change->headline; i++) {
        const struct wtl_change_row *row = &change->rows[i];
        if (row->verdict && (all || wtl_change_is_short(change, row)))
            rows[count++] = row;
    }
    for (size_t i = 0; i < count; i++) {
        const struct wtl_verdict *verdict = rows[i]->verdict;
        bool alone = verdict->kind != WTL_VERDICT_NONE && verdict->kind != WTL_VERDICT_OPEN;
        bool said = false;
        for (size_t k = 0; k < i && !alone; k++)
            said |= is_alike(rows[i], rows[k]);
        given |= verdict->kind != WTL_VERDICT_NONE;
        if (alone)
            append(buf, n, "; ", verdict->clause);
        else if (!said)
            append_alike(rows, count, rows[i], buf, n);
    }
    return given;
}
