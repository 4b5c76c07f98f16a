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
#include "report/compare/json_change.h"
#include "report/compare/sides_report.h"
#include "report/compare/text_change.h"
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

static int print_text(FILE *out,
                      const struct wtl_check *check,
                      const struct wtl_check_rules *rules,
                      const struct wtl_style *style)
{
    static const char *const words[] = {"passed", "above", "", "cannot tell"};
    struct wtl_change change;
    int status = wtl_check_status(check, rules);
    if (wtl_change_of_check(check, &change) < 0)
        return -ENOMEM;
    int rc = wtl_text_change(out, style, &change);
    bool allowed = status == 0 && check->outcome == WTL_CHECK_UNKNOWN;
    wtl_text_note(out, style, status || allowed ? WTL_CAUTION : WTL_STRONG,
                  words[allowed ? 3 : status], "%s%s", check->clause,
                  allowed ? " (passed by --allow-unknown)" : "");
    wtl_text_change_energy(out, style, &change);
    rc = rc < 0 ? rc : wtl_text_change_end(out, style, &change);
    wtl_change_fini(&change);
    return rc;
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
    struct wtl_change all;
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
    {"mean", WTL_NUMBER_OR_NULL(struct side, mean), .meaning = "geometric, in `unit`"},
    {"sd", WTL_NUMBER_OR_NULL(struct side, sd), .meaning = "standard deviation over runs"},
    {"values", WTL_MEMBER_NUMBERS, .next = next_value, .meaning = "of each run"},
    {.key = NULL}};
static const struct wtl_noun side_noun = {"check side", of_side};

static const struct wtl_member of_check[] = {
    {"metric", WTL_TEXT_AT(struct document, metric), .meaning = "energy, time, power, edp"},
    {"unit", WTL_TEXT_AT(struct document, unit), .meaning = "of `mean`, `sd` and `values`"},
    {"limit", WTL_NUMBER_AT(struct document, limit),
     .meaning = "allowed change from the base: 0.02 is 2 %"},
    {"outcome", WTL_TEXT_AT(struct document, outcome),
     .meaning = "within, not above, above, unknown, as in wattle-check(1)"},
    {"status", WTL_COUNT_AT(struct document, status), .meaning = "the exit status: 0, 1, 3"},
    {"text", WTL_TEXT_AT(struct document, text), .meaning = "the outcome as a sentence"},
    {"change", WTL_OBJECT_AT(struct document, change, wtl_noun_interval),
     .meaning = "against the base: an interval of 90 %, each end a bound of 95 %"},
    {"p", WTL_NUMBER_OR_NULL(struct document, p),
     .meaning = "one-sided, of a change no greater than the limit"},
    {"shown", WTL_NUMBER_OR_NULL(struct document, shown),
     .meaning = "this number of runs would show a true change of this size to be above the limit "
                "in 4 of 5 cases"},
    {"base", WTL_OBJECT_AT(struct document, base, side_noun),
     .meaning = "the runs of the base, below"},
    {"now", WTL_OBJECT_AT(struct document, now, side_noun), .meaning = "those of now"},
    {"", WTL_PART_AT(struct document, all, wtl_noun_changes)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_check = {"check", of_check};
/* NOLINTEND(bugprone-macro-parentheses) */

static json_t *json_of(const struct wtl_check *check, const struct wtl_check_rules *rules)
{
    struct document document = {.metric = wtl_metric_names[check->metric],
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
    if (wtl_change_of_check(check, &document.all) < 0)
        return NULL;
    json_t *json = wtl_noun_document("wattle.check/1", &wtl_noun_check, &document);
    wtl_change_fini(&document.all);
    return json;
}

int wtl_report_check(FILE *out,
                     enum wtl_format format,
                     const struct wtl_check *check,
                     const struct wtl_check_rules *rules,
                     const struct wtl_style *style,
                     struct wattle_error *err)
{
    int rc = format == WTL_FORMAT_TEXT ? print_text(out, check, rules, style)
                                       : wtl_json_print(out, json_of(check, rules));
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
}
