/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.ab/1" and the rows of its runs as CSV. Every field is always there. */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "model/quality.h"
#include "report/compare/json_change.h"
#include "report/compare/report_ab.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_ab *ab_of(const void *of)
{
    return of;
}

/* ---- differences ---- */

WTL_MEMBER_GET(change)
{
    wtl_change_of_ratio(
        ret, (const struct wtl_interval *)(const void *)((const char *)of + member->offset));
}
#define CHANGE_AT(T, member)                                            \
    .type = WTL_MEMBER_OBJECT, .get = change, .of = &wtl_noun_interval, \
    .offset = offsetof(T, member)

static const struct wtl_member of_difference[] = {
    {"name", WTL_TEXT_AT(struct wtl_ab_row, name), .meaning = "name of the metric or channel"},
    {"unit", WTL_TEXT_AT(struct wtl_ab_row, unit), .meaning = "unit of `a_mean` and `b_mean`"},
    {"a_mean", WTL_NUMBER_OR_NULL(struct wtl_ab_row, a),
     .meaning = "geometric mean over the pairs"},
    {"b_mean", WTL_NUMBER_OR_NULL(struct wtl_ab_row, b), .meaning = "likewise"},
    {"change", CHANGE_AT(struct wtl_ab_row, ratio), .meaning = "from A to B, an interval"},
    {"pair_log_sd", WTL_NUMBER_OR_NULL(struct wtl_ab_row, sd),
     .meaning = "standard deviation of a pair's log ratio"},
    {.key = NULL}};
static const struct wtl_noun difference = {"difference", of_difference};

static bool next_difference(const struct wtl_ab *ab,
                            bool channels,
                            size_t *cursor,
                            struct wtl_value *ret)
{
    while (*cursor < ab->row_count && ab->rows[*cursor].is_channel != channels)
        ++*cursor;
    if (*cursor >= ab->row_count)
        return false;
    struct wtl_ab_row row = ab->rows[*cursor];
    row.name = channels ? row.name : wtl_metric_names[*cursor];
    wtl_value_copy(ret, &row, sizeof row);
    ++*cursor;
    return true;
}

static bool next_metric(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_difference(of, false, cursor, ret);
}

static bool next_channel(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_difference(of, true, cursor, ret);
}

/* ---- verdict, noise floor, order, flags ---- */

WTL_MEMBER_GET(verdict_kind)
{
    wtl_value_text(ret, wtl_verdict_name(ab_of(of)->verdict.kind));
}

static const struct wtl_member of_verdict[] = {
    {"kind", WTL_MEMBER_TEXT, .get = verdict_kind,
     .meaning = "less, more (B than A), same, open, none"},
    {"text", WTL_NAME_AT(struct wtl_ab, verdict.text), .nullable = true, .meaning = "a sentence"},
    {"at_most", WTL_NUMBER_OR_NULL(struct wtl_ab, verdict.at_most),
     .meaning = "same: no difference larger than this"},
    {"more_pairs", WTL_NUMBER_OR_NULL(struct wtl_ab, verdict.more_runs),
     .meaning =
         "open: number of further pairs that would resolve `resolve`; null if unreasonably many"},
    {.key = NULL}};
static const struct wtl_noun verdict = {"verdict", of_verdict};

#define FLOOR(name, metric)                                                           \
    {                                                                                 \
        name, WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &floor_metric,            \
                                 .offset = offsetof(struct wtl_ab, floor.of[metric]), \
                                 .meaning = "of this metric"                          \
    }

/* Of one of floor.of[]: the offsets are from there. */
static const struct wtl_member of_floor_metric[] = {
    {"change", WTL_MEMBER_OBJECT, .get = change, .of = &wtl_noun_interval,
     .offset = offsetof(struct wtl_ab, floor.of[0].ratio) - offsetof(struct wtl_ab, floor.of[0]),
     .meaning = "of A against A, an interval"},
    {"run_log_sd", WTL_MEMBER_NUMBER, .nullable = true, .get = wtl_get_double,
     .offset = offsetof(struct wtl_ab, floor.of[0].log_sd) - offsetof(struct wtl_ab, floor.of[0]),
     .meaning = "standard deviation of a run's logarithm"},
    {.key = NULL}};
static const struct wtl_noun floor_metric = {"floor metric", of_floor_metric};

WTL_MEMBER_GET(get_floor)
{
    ret->known = ab_of(of)->floor.pairs > 0;
}

static const struct wtl_member of_floor[] = {
    {"pairs", WTL_SIZE_AT(struct wtl_ab, floor.pairs), .meaning = "of A against A"},
    {"file", WTL_TEXT_OR_NULL(struct wtl_ab, floor_file),
     .meaning = "file it was read from; null: measured"},
    {"planned_pairs", WTL_NUMBER_OR_NULL(struct wtl_ab, planned),
     .meaning = "expected number of pairs, at most `most_pairs`"},
    FLOOR("energy", WTL_METRIC_ENERGY),
    FLOOR("time", WTL_METRIC_TIME),
    FLOOR("power", WTL_METRIC_POWER),
    FLOOR("edp", WTL_METRIC_EDP),
    {.key = NULL}};
static const struct wtl_noun floor_noun = {"noise floor", of_floor};

static const struct wtl_member of_order[] = {
    {"drift_per_run", WTL_NUMBER_OR_NULL(struct wtl_ab, drift.per_run),
     .meaning = "median change of `metric` from a run of a side to its next (Sen's slope)"},
    {"drift_p", WTL_NUMBER_OR_NULL(struct wtl_ab, drift.p),
     .meaning = "of no drift, two-sided (Mann-Kendall test)"},
    {"second", CHANGE_AT(struct wtl_ab, second),
     .meaning = "the second run of a pair against the first: an interval (Welch, at one look)"},
    {.key = NULL}};
static const struct wtl_noun order = {"order", of_order};

static const struct wtl_member of_flag[] = {
    {"name", WTL_NAME_AT(struct wtl_ab_flag, name), .meaning = "as in wattle(1)"},
    {"runs_a", WTL_UNSIGNED_AT(struct wtl_ab_flag, runs[0]),
     .meaning = "number of runs of A with it"},
    {"runs_b", WTL_UNSIGNED_AT(struct wtl_ab_flag, runs[1]), .meaning = "of B"},
    {"runs_floor", WTL_UNSIGNED_AT(struct wtl_ab_flag, runs[2]), .meaning = "of the noise floor"},
    {"text", WTL_NAME_AT(struct wtl_ab_flag, text), .nullable = true,
     .meaning = "of the first run with it"},
    {.key = NULL}};
static const struct wtl_noun flag = {"ab flag", of_flag};

/* ---- runs ---- */

/* Run i of the floor or of the pairs: who it was and when it came. */
struct place {
    const struct wtl_result *run;
    const char *phase, *side, *trace;
    uint64_t pair; /* from 1 */
    bool second;
    double metrics[WTL_METRIC_COUNT];
    struct wtl_value_quality quality;
};

static struct place place_of(const struct wtl_ab *ab, bool floor, size_t i)
{
    const struct wtl_result *run = &(floor ? ab->floor_runs : ab->runs)[i];
    bool b = i % 2, b_first = wtl_pairs_b_first(floor ? ~ab->seed : ab->seed, i / 2);
    struct place place = {.run = run,
                          .phase = floor ? "floor" : "pairs",
                          .side = b && !floor ? "B" : "A",
                          .trace = run->trace,
                          .pair = i / 2 + 1,
                          .second = b != b_first};
    for (int m = 0; m < WTL_METRIC_COUNT; m++)
        place.metrics[m] = wtl_metric_of(run, (enum wtl_metric)m);
    place.quality.known =
        wtl_results_quality(run, 1, &place.quality.quality, &place.quality.simulated);
    return place;
}

static bool next_place(const struct wtl_ab *ab, bool floor, size_t *cursor, struct wtl_value *ret)
{
    if (*cursor >= 2 * (floor ? ab->floor_count : ab->count))
        return false;
    const struct place place = place_of(ab, floor, (*cursor)++);
    wtl_value_copy(ret, &place, sizeof place);
    return true;
}

static bool next_run(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_place(of, false, cursor, ret);
}

static bool next_floor_run(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_place(of, true, cursor, ret);
}

static const struct wtl_member of_run_facts[] = {
    {"resolution_interval_j", WTL_NUMBER_OR_NULL(struct wtl_result, energy.half_j),
     .meaning = "half width of the energy's 95 % interval"},
    {"energy_low_j", WTL_NUMBER_OR_NULL(struct wtl_result, energy.low_j),
     .meaning = "of an estimate: lower end of the 95 % interval of the true energy; null: no "
                "estimate, or unknown"},
    {"energy_high_j", WTL_NUMBER_OR_NULL(struct wtl_result, energy.high_j),
     .meaning = "its upper end"},
    {"exit_code", WTL_INT_AT(struct wtl_result, exit_code), .csv = 9, .meaning = "of the command"},
    {"start_monotonic_ns", WTL_COUNT_AT(struct wtl_result, start_monotonic_ns),
     .meaning = "CLOCK_MONOTONIC"},
    {"end_monotonic_ns", WTL_COUNT_AT(struct wtl_result, end_monotonic_ns), .meaning = "likewise"},
    {"flags", WTL_NAMES_AT(struct wtl_result, flags, flag_count), .meaning = "names"},
    {.key = NULL}};
static const struct wtl_noun run_facts = {"ab run facts", of_run_facts};

static const unsigned char quality_columns[] = {11, 0, 12};
static const struct wtl_member of_run[] = {
    {"phase", WTL_TEXT_AT(struct place, phase), .not_json = true, .csv = 1},
    {"pair", WTL_COUNT_AT(struct place, pair), .csv = 2, .meaning = "from 1"},
    {"side", WTL_TEXT_AT(struct place, side), .csv = 3, .meaning = "A, B"},
    {"second", WTL_BOOLEAN_AT(struct place, second), .csv = 4, .meaning = "ran second in its pair"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct place, metrics[WTL_METRIC_ENERGY]), .csv = 5,
     .meaning = "of the total"},
    {"wall_time_s", WTL_NUMBER_OR_NULL(struct place, metrics[WTL_METRIC_TIME]), .csv = 6,
     .meaning = "length of the window"},
    {"mean_w", WTL_NUMBER_OR_NULL(struct place, metrics[WTL_METRIC_POWER]), .csv = 7,
     .meaning = "mean power"},
    {"edp_js", WTL_NUMBER_OR_NULL(struct place, metrics[WTL_METRIC_EDP]), .unit = "J s", .csv = 8,
     .meaning = "energy x time"},
    {"", WTL_PART_OF(struct place, run, run_facts)},
    {"trace", WTL_TEXT_OR_NULL(struct place, trace), .csv = 10, .meaning = "path"},
    {"", WTL_PART_AT(struct place, quality, wtl_noun_quality), .csv_all = quality_columns},
    {.key = NULL}};
const struct wtl_noun wtl_noun_ab_run = {"ab run", of_run};

/* ---- the document ---- */

static bool next_command(const void *of, size_t *cursor, struct wtl_value *ret)
{
    ret->text = *cursor < 2 ? ab_of(of)->command[*cursor] : NULL;
    return (*cursor)++ < 2;
}

WTL_MEMBER_GET(any)
{
    const struct wtl_ab *ab = of;
    wtl_value_noun(ret, ab->count ? ab->runs : ab->floor_runs);
}

static const char *const ends[] = {"answered", "enough", "interrupted", "failed"};

static const struct wtl_member of_measured[] = {
    {"commands", WTL_MEMBER_LIST, .next = next_command, .meaning = "A and B"},
    {"", WTL_MEMBER_PART, .get = any, .of = &wtl_noun_origin},
    {"metric", WTL_WORD_AT(struct wtl_ab, metric, wtl_metric_names),
     .meaning = "the metric that decides: energy, time, power, edp"},
    {"resolve", WTL_NUMBER_AT(struct wtl_ab, plan.resolve),
     .meaning = "the difference that matters"},
    {"least_pairs", WTL_SIZE_AT(struct wtl_ab, plan.least), .meaning = "`--min-pairs`"},
    {"most_pairs", WTL_SIZE_AT(struct wtl_ab, plan.most), .meaning = "`--max-pairs`"},
    {"seed", WTL_COUNT_AT(struct wtl_ab, seed), .meaning = "of the random order"},
    {"pairs", WTL_SIZE_AT(struct wtl_ab, count), .meaning = "number of pairs measured"},
    {"end", WTL_WORD_AT(struct wtl_ab, end, ends),
     .meaning = "answered, enough (`most_pairs` reached), interrupted, failed"},
    {"verdict", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &verdict, .meaning = "below"},
    {"differences", WTL_MEMBER_LIST, .next = next_metric, .of = &difference,
     .meaning = "of each metric, below"},
    {"channels", WTL_MEMBER_LIST, .next = next_channel, .of = &difference,
     .meaning = "of each channel's energy"},
    {"noise_floor", WTL_MEMBER_OBJECT, .nullable = true, .get = get_floor, .of = &floor_noun,
     .meaning = "below"},
    {"order", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &order, .meaning = "below"},
    {"flags", WTL_LIST_AT(struct wtl_ab, flags, flag_count, flag), .meaning = "below"},
    {"runs", WTL_MEMBER_LIST, .next = next_run, .of = &wtl_noun_ab_run,
     .meaning = "A then B of each pair, below"},
    {"floor_runs", WTL_MEMBER_LIST, .next = next_floor_run, .of = &wtl_noun_ab_run,
     .meaning = "the same of the noise floor"},
    {.key = NULL}};
static const struct wtl_noun measured = {"ab measured", of_measured};

struct document {
    const struct wtl_ab *ab;
    struct wtl_change change;
};

static const struct wtl_member of_ab[] = {
    {"", WTL_PART_OF(struct document, ab, measured)},
    {"", WTL_PART_AT(struct document, change, wtl_noun_changes)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_ab = {"ab", of_ab};
/* NOLINTEND(bugprone-macro-parentheses) */

json_t *wtl_json_ab(const struct wtl_ab *ab)
{
    struct document document = {.ab = ab};
    if (ab->count > 0 && wtl_change_of_ab(ab, &document.change) < 0)
        return NULL;
    json_t *json = wtl_noun_document("wattle.ab/1", &wtl_noun_ab, &document);
    wtl_change_fini(&document.change);
    return json;
}

void wtl_csv_ab(FILE *out, const struct wtl_ab *ab)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "wattle.ab/1", &wtl_noun_ab_run);
    struct wtl_value run;
    for (int floor = 1; floor >= 0; floor--)
        for (size_t cursor = 0; next_place(ab, floor, &cursor, &run);)
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_ab_run, run.noun);
    wtl_row_writer_end(&sheet);
}

int wtl_report_ab(FILE *out,
                  enum wtl_format format,
                  const struct wtl_ab *ab,
                  const struct wtl_style *style,
                  struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = wtl_text_ab(out, style, ab);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_json_ab(ab));
    else
        wtl_csv_ab(out, ab);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}
