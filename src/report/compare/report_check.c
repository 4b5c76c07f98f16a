/* SPDX-License-Identifier: BSD-3-Clause */
/* A check as text and JSON: see report_check.h. */
#define _GNU_SOURCE
#include "report/compare/report_check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "model/quality.h"
#include "report/compare/sides_report.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"
#include "report/table.h"

int wtl_check_status(const struct wtl_check *check, const struct wtl_check_rules *rules)
{
    bool unknown = check->outcome == WTL_CHECK_UNKNOWN ||
                   (check->outcome == WTL_CHECK_NOT_ABOVE && rules->strict);
    if (check->outcome == WTL_CHECK_ABOVE)
        return 1;
    return unknown && !rules->allow_unknown ? 3 : 0;
}

static const char *const units[] = {"J", "s", "W", "J s"};

/* "123.4 +- 1.2 J in 10 runs", "0.5 (0.3..0.8) J, estimated in 10 runs" */
static void print_side(FILE *out,
                       const char *label,
                       const struct wtl_check *check,
                       const struct wtl_result *results,
                       size_t count)
{
    char text[512], mean[96];
    const struct wtl_spread *spread =
        results == check->base ? &check->base_spread : &check->run_spread;
    enum wattle_quality quality = WATTLE_MEASURED;
    bool simulated = false;
    double range[2];
    if (check->metric != WTL_METRIC_TIME)
        (void)wtl_results_quality(results, count, &quality, &simulated);
    wtl_metric_range(results, count, check->metric, range);
    bool plain = quality == WATTLE_MEASURED && !simulated;
    (void)snprintf(text, sizeof text, "%s %s%s%s in %zu run%s of %.300s",
                   quality == WATTLE_ESTIMATED
                       ? wtl_digits_estimate(mean, sizeof mean, spread->mean, range[0], range[1])
                       : wtl_digits_interval(mean, sizeof mean, spread->mean, spread->ci95),
                   units[check->metric], plain ? "" : ", ",
                   plain ? "" : wtl_quality_word(quality, simulated), count, count == 1 ? "" : "s",
                   results->command ? results->command : "an unknown command");
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, label, text);
}

static void print_flags(FILE *out, const struct wtl_style *style, const struct wtl_check *check)
{
    const struct wtl_result_flag *flag;
    size_t runs;
    for (size_t cursor = 0;
         wtl_side_flag_next(check->runs, check->run_count, &cursor, &flag, &runs);) {
        char label[40], text[320];
        (void)snprintf(label, sizeof label, "! %s", flag->name);
        (void)snprintf(text, sizeof text, "%zu of %zu runs; first: %s", runs, check->run_count,
                       flag->text);
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, label, text);
    }
}

static void print_text(FILE *out,
                       const struct wtl_check *check,
                       const struct wtl_check_rules *rules,
                       const struct wtl_style *style)
{
    static const char *const words[] = {"passed", "above", "", "cannot tell"};
    static const char prefix[] = "cannot tell: ";
    int status = wtl_check_status(check, rules);
    bool twice = status == 3 && strncmp(check->text, prefix, sizeof prefix - 1) == 0;
    (void)fputc('\n', out);
    print_side(out, "base", check, check->base, check->base_count);
    print_side(out, "now", check, check->runs, check->run_count);
    print_flags(out, style, check);
    wtl_print_paragraph(out, style, status ? WTL_CAUTION : WTL_STRONG, WTL_TEXT_LABEL,
                        words[status], check->text + (twice ? sizeof prefix - 1 : 0));
    (void)fputc('\n', out);
}

/* ---- JSON ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
struct side {
    const char *command, *host;
    struct wtl_value_quality quality;
    uint64_t n;
    double mean, sd;
    const struct wtl_result *results;
    enum wtl_metric metric;
};

struct document {
    const char *metric, *unit, *outcome, *text;
    double limit, p, shown;
    uint64_t status;
    struct wtl_interval change;
    struct side base, now;
};

static struct side side_of(const struct wtl_check *check, bool base)
{
    const struct wtl_result *results = base ? check->base : check->runs;
    const struct wtl_spread *spread = base ? &check->base_spread : &check->run_spread;
    struct side side = {.command = results[0].command,
                        .host = results[0].host,
                        .quality = {.simulated = wtl_result_is_simulated(&results[0])},
                        .n = base ? check->base_count : check->run_count,
                        .mean = spread->mean,
                        .sd = spread->sd,
                        .results = results,
                        .metric = check->metric};
    side.quality.quality = WATTLE_MEASURED;
    side.quality.known =
        wtl_results_quality(results, side.n, &side.quality.quality, &side.quality.simulated);
    return side;
}

static bool next_value(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct side *side = of;
    if (*cursor >= side->n)
        return false;
    wtl_value_number(ret, wtl_metric_of(&side->results[(*cursor)++], side->metric));
    return true;
}

static const struct wtl_member of_side[] = {
    {"command", WTL_TEXT_OR_NULL(struct side, command), .meaning = "that was measured"},
    {"host", WTL_TEXT_OR_NULL(struct side, host), .meaning = "name of the node"},
    {"", WTL_PART_AT(struct side, quality, wtl_noun_quality)},
    {"n", WTL_COUNT_AT(struct side, n), .meaning = "number of runs"},
    {"mean", WTL_NUMBER_OR_NULL(struct side, mean), .meaning = "in `unit`"},
    {"sd", WTL_NUMBER_OR_NULL(struct side, sd), .meaning = "standard deviation over runs"},
    {"values", WTL_MEMBER_NUMBERS, .next = next_value, .meaning = "of each run"},
    {.key = NULL}};
static const struct wtl_noun side_noun = {"check side", of_side};

static const struct wtl_member of_check[] = {
    {"metric", WTL_TEXT_AT(struct document, metric), .meaning = "energy, time, power, edp"},
    {"unit", WTL_TEXT_AT(struct document, unit), .meaning = "of `mean`, `sd` and `values`"},
    {"limit", WTL_NUMBER_AT(struct document, limit),
     .meaning = "how much more than the base is allowed: 0.02 is 2 %"},
    {"outcome", WTL_TEXT_AT(struct document, outcome),
     .meaning = "within, not above, above, unknown, as in wattle-check(1)"},
    {"status", WTL_COUNT_AT(struct document, status), .meaning = "the exit status: 0, 1, 3"},
    {"text", WTL_TEXT_AT(struct document, text), .meaning = "the outcome as a sentence"},
    {"change", WTL_OBJECT_AT(struct document, change, wtl_noun_interval),
     .meaning = "against the base: an interval of 90 %, each end a bound of 95 %"},
    {"p", WTL_NUMBER_OR_NULL(struct document, p),
     .meaning = "one-sided, of a change no greater than the limit"},
    {"shown", WTL_NUMBER_OR_NULL(struct document, shown),
     .meaning =
         "so many runs would show a true change of this to be above the limit in 4 of 5 cases"},
    {"base", WTL_OBJECT_AT(struct document, base, side_noun),
     .meaning = "the runs of the base, below"},
    {"now", WTL_OBJECT_AT(struct document, now, side_noun), .meaning = "those of now"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_check = {"check", of_check};
/* NOLINTEND(bugprone-macro-parentheses) */

static json_t *json_of(const struct wtl_check *check, const struct wtl_check_rules *rules)
{
    const struct document document = {.metric = wtl_metric_names[check->metric],
                                      .unit = units[check->metric],
                                      .limit = check->limit,
                                      .outcome = wtl_check_outcome_name(check->outcome),
                                      .status = (uint64_t)wtl_check_status(check, rules),
                                      .text = check->text,
                                      .change = check->change,
                                      .p = check->p,
                                      .shown = check->shown,
                                      .base = side_of(check, true),
                                      .now = side_of(check, false)};
    return wtl_noun_document("wattle.check/1", &wtl_noun_check, &document);
}

int wtl_report_check(FILE *out,
                     enum wtl_format format,
                     const struct wtl_check *check,
                     const struct wtl_check_rules *rules,
                     const struct wtl_style *style,
                     struct wattle_error *err)
{
    if (format == WTL_FORMAT_TEXT)
        print_text(out, check, rules, style);
    else if (wtl_json_print(out, json_of(check, rules)) < 0)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}
