/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.compare/1" and its rows as CSV. */
#include "report/compare/sides_report.h"

#include <math.h>

#include "model/quality.h"
#include "report/compare/json_change.h"
#include "report/result/run_nouns.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* ---- sides ---- */

struct side {
    const struct wtl_result *results;
    size_t n, dropped;
    const char *command, *host, *contains, *only_here;
    struct wtl_value_quality quality;
};

static struct side side_of(const struct wtl_result *results,
                           size_t n,
                           size_t dropped,
                           const char *only)
{
    struct side side = {.results = results,
                        .n = n,
                        .dropped = dropped,
                        .command = results[0].command,
                        .host = results[0].host,
                        .contains = results[0].total.count ? results[0].total.contains : NULL,
                        .only_here = only[0] ? only : NULL};
    side.quality.simulated = wtl_result_is_simulated(&results[0]);
    side.quality.known =
        wtl_results_quality(results, n, &side.quality.quality, &side.quality.simulated);
    return side;
}

struct flag {
    const struct wtl_result_flag *flag;
    size_t runs;
};

static bool next_flag(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct side *side = of;
    struct flag flag;
    if (!wtl_side_flag_next(side->results, side->n, cursor, &flag.flag, &flag.runs))
        return false;
    wtl_value_copy(ret, &flag, sizeof flag);
    return true;
}

static const struct wtl_member of_flag[] = {
    {"", WTL_PART_OF(struct flag, flag, wtl_noun_flag)},
    {"runs", WTL_SIZE_AT(struct flag, runs), .meaning = "number of runs with it"},
    {.key = NULL}};
static const struct wtl_noun flag_noun = {"flag of a side", of_flag};

static const struct wtl_member of_side[] = {
    {"command", WTL_TEXT_OR_NULL(struct side, command), .meaning = "of the first run"},
    {"host", WTL_TEXT_OR_NULL(struct side, host), .meaning = "of the first run"},
    {"", WTL_PART_AT(struct side, quality, wtl_noun_quality)},
    {"n", WTL_SIZE_AT(struct side, n), .meaning = "runs, without those dropped"},
    {"warm_up_dropped", WTL_SIZE_AT(struct side, dropped),
     .meaning = "number of first runs left out"},
    {"contains", WTL_TEXT_OR_NULL(struct side, contains), .meaning = "content of the total"},
    {"only_here", WTL_TEXT_OR_NULL(struct side, only_here),
     .meaning = "names of channels missing on the other side"},
    {"flags", WTL_MEMBER_LIST, .next = next_flag, .of = &flag_noun, .meaning = "each once, below"},
    {"traces", WTL_TEXT_OF_EACH(struct side, results, n, struct wtl_result, trace),
     .meaning = "in the order of the runs"},
    {.key = NULL}};
static const struct wtl_noun side_noun = {"side", of_side};

/* ---- rows ---- */

struct group {
    const struct wtl_spread *spread;
    double geometric_mean;
    const double *values;
    size_t n, outliers;
};

struct row {
    const struct wtl_side_row *row, *numbers; /* numbers: all unknown where it was not compared */
    const struct wtl_side_row *verdict;       /* of the headline */
    const char *kind, *why, *text;
    double confidence;
    struct wtl_value_quality quality;
    struct group a, b;
};

static struct row row_of(const struct wtl_sides *sides, const struct wtl_side_row *row)
{
#define NO (double)NAN
    static const struct wtl_side_row unknown = {.comparison = {.a_mean = {NO, NO, NO},
                                                               .b_mean = {NO, NO, NO},
                                                               .a = {NO, NO, NO},
                                                               .b = {NO, NO, NO},
                                                               .difference = {NO, NO, NO},
                                                               .ratio = {NO, NO, NO},
                                                               .bootstrap = {NO, NO, NO},
                                                               .noise = {NO, NO},
                                                               .log_error = NO,
                                                               .df = NO,
                                                               .p = NO,
                                                               .detectable = NO},
                                                .drift = {NO, NO},
                                                .drift_allowed_p = NO,
                                                .alpha = NO};
#undef NO
    const struct wtl_side_row *numbers = row->why[0] ? &unknown : row;
    const struct wtl_comparison *c = &numbers->comparison;
    bool headline = row->group == WTL_ROW_HEADLINE;
    const char *why = row->why[0] ? row->why : NULL;
    return (struct row){.row = row,
                        .numbers = numbers,
                        .verdict = headline ? row : NULL,
                        .kind = headline ? wtl_verdict_name(row->verdict.kind) : NULL,
                        .why = why,
                        .text = headline ? row->verdict.text : why,
                        .confidence = 1 - numbers->alpha,
                        .quality = {true, row->simulated, row->quality},
                        .a = {&c->a, c->a_mean.value, row->a, sides->a_n, row->a_outliers},
                        .b = {&c->b, c->b_mean.value, row->b, sides->b_n, row->b_outliers}};
}

static const struct wtl_member of_group[] = {
    {"", WTL_PART_OF(struct group, spread, wtl_noun_spread)},
    {"geometric_mean", WTL_NUMBER_OR_NULL(struct group, geometric_mean),
     .meaning = "of the runs; `ratio` is that of these, `mean` and `difference` are arithmetic"},
    {"outliers", WTL_SIZE_AT(struct group, outliers), .meaning = "number of runs"},
    {"values", WTL_NUMBERS_AT(struct group, values, n), .meaning = "of each run"},
    {.key = NULL}};
static const struct wtl_noun group = {"group", of_group};

static const struct wtl_member of_noise[] = {
    {"log_sd", WTL_NUMBER_OR_NULL(struct wtl_noise, log_sd),
     .meaning = "standard deviation of the logarithm of a run; paired: of a pair's ratio"},
    {"df", WTL_NUMBER_OR_NULL(struct wtl_noise, df), .meaning = "its degrees of freedom"},
    {.key = NULL}};
static const struct wtl_noun noise = {"noise", of_noise};

static const struct wtl_member of_drift[] = {
    {"p", WTL_NUMBER_OR_NULL(struct wtl_side_row, drift.p), .meaning = "of no drift, two-sided"},
    {"per_run", WTL_NUMBER_OR_NULL(struct wtl_side_row, drift.per_run),
     .meaning = "the median change from one run to the next; 0.01 is 1 %"},
    {"allowed_p", WTL_NUMBER_OR_NULL(struct wtl_side_row, drift_allowed_p),
     .meaning = "of no difference, with a steady drift allowed for"},
    {.key = NULL}};
static const struct wtl_noun drift = {"drift", of_drift};

WTL_MEMBER_GET(kind)
{
    const struct wtl_side_row *row = of;
    bool headline = row->group == WTL_ROW_HEADLINE;
    wtl_value_text(ret, headline ? wtl_verdict_name(row->verdict.kind) : NULL);
}

static const struct wtl_member of_verdict[] = {
    {"kind", WTL_MEMBER_TEXT, .get = kind,
     .meaning = "less, more, same, open (inconclusive), none"},
    {"text", WTL_CHARS_AT(struct wtl_side_row, verdict.text), .meaning = "in words"},
    {"alpha", WTL_NUMBER_OR_NULL(struct wtl_side_row, alpha), .meaning = "`p` must be below it"},
    {"at_most", WTL_NUMBER_OR_NULL(struct wtl_side_row, verdict.at_most),
     .meaning = "same: no difference larger than this"},
    {"more_runs", WTL_NUMBER_OR_NULL(struct wtl_side_row, verdict.more_runs),
     .meaning = "open: further runs per side; null if more than a million"},
    {.key = NULL}};
static const struct wtl_noun verdict = {"verdict on a row", of_verdict};

static const unsigned char quality_columns[] = {5, 0, 23};
static const char *const groups[] = {"headline", "channel", "region"};
static const struct wtl_member of_what[] = {
    {"group", WTL_WORD_AT(struct wtl_side_row, group, groups), .csv = 1,
     .meaning = "headline, channel, region"},
    {"name", WTL_CHARS_AT(struct wtl_side_row, name), .csv = 2,
     .meaning = "the quantity; the channel, or `A's/B's` where they differ; the region"},
    {"quantity", WTL_TEXT_AT(struct wtl_side_row, quantity), .csv = 3,
     .meaning = "time, energy, power, energy x time"},
    {"unit", WTL_TEXT_AT(struct wtl_side_row, unit), .csv = 4, .meaning = "s, J, W, J s"},
    {.key = NULL}};
static const struct wtl_noun what = {"what is compared", of_what};

#define IN_CSV(column, field)                                                                \
    WTL_NUMBER_AT(struct wtl_side_row, comparison.field), .not_json = true, .csv = (column), \
                                                          .digits = 10

static const char *const bases[] = {NULL, "runs", "noise floor"};
static const struct wtl_member of_numbers[] = {
    {"difference", WTL_OBJECT_AT(struct wtl_side_row, comparison.difference, wtl_noun_interval),
     .meaning = "B - A of the arithmetic means in the unit, with an interval of 95 % by Welch's t "
                "(`paired`: "
                "Student's), not the one to quote"},
    {"ratio", WTL_OBJECT_AT(struct wtl_side_row, comparison.ratio, wtl_noun_interval),
     .meaning = "B / A of the geometric means. This is the interval of the change, that of the "
                "verdict, which the text prints"},
    {"bootstrap", WTL_OBJECT_AT(struct wtl_side_row, comparison.bootstrap, wtl_noun_interval),
     .meaning = "the same with an interval of 95 % by resampling runs; null below five runs per "
                "side"},
    {"basis", WTL_WORD_AT(struct wtl_side_row, comparison.basis, bases), .nullable = true,
     .meaning = "origin of the interval: runs, noise floor; null: run-to-run variation unknown"},
    {"noise", WTL_OBJECT_AT(struct wtl_side_row, comparison.noise, noise), .meaning = "below"},
    {"log_error", WTL_NUMBER_OR_NULL(struct wtl_side_row, comparison.log_error),
     .meaning = "standard error of the logarithm of the ratio"},
    {"df", WTL_NUMBER_OR_NULL(struct wtl_side_row, comparison.df),
     .meaning = "its degrees of freedom"},
    {"p", WTL_NUMBER_OR_NULL(struct wtl_side_row, comparison.p), .csv = 20, .digits = 10,
     .meaning = "two-sided, of the ratio 1"},
    {"detectable", WTL_NUMBER_OR_NULL(struct wtl_side_row, comparison.detectable),
     .meaning = "a difference of this size would be found with a power of 80 %"},
    {"drift", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &drift,
     .meaning = "over the order of the runs, below"},
    {"a_mean", IN_CSV(8, a.mean)},
    {"a_sd", IN_CSV(9, a.sd)},
    {"b_mean", IN_CSV(10, b.mean)},
    {"b_sd", IN_CSV(11, b.sd)},
    {"difference", IN_CSV(12, difference.value)},
    {"difference_low", IN_CSV(13, difference.low)},
    {"difference_high", IN_CSV(14, difference.high)},
    {"ratio", IN_CSV(15, ratio.value)},
    {"ratio_low", IN_CSV(16, ratio.low)},
    {"ratio_high", IN_CSV(17, ratio.high)},
    {"bootstrap_low", IN_CSV(18, bootstrap.low)},
    {"bootstrap_high", IN_CSV(19, bootstrap.high)},
    {"a_geometric_mean", IN_CSV(25, a_mean.value)},
    {"b_geometric_mean", IN_CSV(26, b_mean.value)},
    {.key = NULL}};
static const struct wtl_noun numbers = {"numbers of a comparison", of_numbers};

static const struct wtl_member of_row[] = {
    {"", WTL_PART_OF(struct row, row, what)},
    {"", WTL_PART_AT(struct row, quality, wtl_noun_quality), .csv_all = quality_columns},
    {"why", WTL_TEXT_OR_NULL(struct row, why),
     .meaning = "why it was not compared; then the numbers below are null"},
    {"a_n", WTL_SIZE_AT(struct row, a.n), .not_json = true, .csv = 6},
    {"b_n", WTL_SIZE_AT(struct row, b.n), .not_json = true, .csv = 7},
    {"a", WTL_OBJECT_AT(struct row, a, group), .meaning = "over the runs of A, below"},
    {"b", WTL_OBJECT_AT(struct row, b, group), .meaning = "of B"},
    {"confidence", WTL_NUMBER_OR_NULL(struct row, confidence), .csv = 24, .digits = 10,
     .meaning = "of the interval of `ratio`: 1 - `alpha` of the verdict, so that all verdicts "
                "together have at most 5 % false alarms; of rows without a verdict 0.95"},
    {"", WTL_PART_OF(struct row, numbers, numbers)},
    {"verdict", WTL_OBJECT_OF(struct row, verdict, verdict), .nullable = true,
     .meaning = "of the headline, below"},
    {"verdict", WTL_TEXT_AT(struct row, kind), .not_json = true, .csv = 21},
    {"text", WTL_TEXT_AT(struct row, text), .not_json = true, .csv = 22},
    {.key = NULL}};
const struct wtl_noun wtl_noun_compare_row = {"compare row", of_row};

/* ---- the document ---- */

static const struct wtl_member of_condition[] = {
    {"what", WTL_CHARS_AT(struct wtl_condition_difference, what), .meaning = "differs"},
    {"a", WTL_CHARS_AT(struct wtl_condition_difference, a), .meaning = "its value in A"},
    {"b", WTL_CHARS_AT(struct wtl_condition_difference, b), .meaning = "in B"},
    {"forbids", WTL_BOOLEAN_AT(struct wtl_condition_difference, forbids), .meaning = "a verdict"},
    {.key = NULL}};
static const struct wtl_noun condition = {"difference of conditions", of_condition};

struct document {
    const struct wtl_sides *sides;
    struct side a, b;
    double resolve, confidence;
    bool paired;
    int apart, overlap; /* -1: the traces do not tell */
    size_t compared;
    const char *correction;
    const struct wtl_condition_difference *differences;
    size_t difference_count;
    struct wtl_change change;
};

static bool next_row(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_sides *sides = ((const struct document *)of)->sides;
    if (*cursor >= sides->count)
        return false;
    const struct row row = row_of(sides, &sides->rows[(*cursor)++]);
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

static const struct wtl_member of_document[] = {
    {"a", WTL_OBJECT_AT(struct document, a, side_noun), .meaning = "a side, below"},
    {"b", WTL_OBJECT_AT(struct document, b, side_noun), .meaning = "the other"},
    {"paired", WTL_BOOLEAN_AT(struct document, paired),
     .meaning = "run i of A belongs to run i of B"},
    {"resolve", WTL_NUMBER_AT(struct document, resolve),
     .meaning = "the difference that matters; 0.01 is 1 %"},
    {"confidence", WTL_NUMBER_AT(struct document, confidence),
     .meaning = "0.95: at most 5 % false alarms over all verdicts together"},
    {"compared", WTL_SIZE_AT(struct document, compared),
     .meaning = "number of comparisons that share 5 % of false alarms"},
    {"correction", WTL_TEXT_AT(struct document, correction), .meaning = "how: `holm`"},
    {"one_after_the_other", WTL_SWITCH_OR_NULL(struct document, apart),
     .meaning = "all runs of one side began before those of the other; null: unknown"},
    {"overlap", WTL_SWITCH_OR_NULL(struct document, overlap),
     .meaning = "two runs overlap in time"},
    {"differences", WTL_LIST_AT(struct document, differences, difference_count, condition),
     .meaning = "of the conditions, below"},
    {"rows", WTL_MEMBER_LIST, .next = next_row, .of = &wtl_noun_compare_row,
     .meaning = "below; those of the headline first: time, energy, power, energy x time"},
    {"", WTL_PART_AT(struct document, change, wtl_noun_changes)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_compare = {"compare", of_document};
/* NOLINTEND(bugprone-macro-parentheses) */

json_t *wtl_json_sides(const struct wtl_sides_report *report)
{
    const struct wtl_sides *sides = report->sides;
    const struct wtl_conditions *conditions = report->conditions;
    struct document document = {.sides = sides,
                                .a = side_of(sides->a, sides->a_n, sides->a_dropped, sides->only_a),
                                .b = side_of(sides->b, sides->b_n, sides->b_dropped, sides->only_b),
                                .resolve = report->resolve,
                                .confidence = 0.95,
                                .paired = sides->paired,
                                .apart = sides->order_known ? sides->apart : -1,
                                .overlap = sides->order_known ? sides->overlap : -1,
                                .compared = sides->compared,
                                .correction = "holm",
                                .differences = conditions ? conditions->differences : NULL,
                                .difference_count = conditions ? conditions->count : 0};
    if (wtl_change_of_sides(sides, &document.change) < 0)
        return NULL;
    json_t *json = wtl_noun_document("wattle.compare/1", &wtl_noun_compare, &document);
    wtl_change_fini(&document.change);
    return json;
}

void wtl_csv_sides(FILE *out, const struct wtl_sides_report *report)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "compare", &wtl_noun_compare_row);
    for (size_t i = 0; i < report->sides->count; i++) {
        const struct row row = row_of(report->sides, &report->sides->rows[i]);
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_compare_row, &row);
    }
    wtl_row_writer_end(&sheet);
}
