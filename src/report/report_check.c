/* SPDX-License-Identifier: BSD-3-Clause */
/* A check as text and JSON: see report_check.h. */
#define _GNU_SOURCE
#include "report/report_check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/flush.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/json_value.h"
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

/* Each flag of the runs once. */
static void print_flags(FILE *out, const struct wtl_style *style, const struct wtl_check *check)
{
    for (size_t i = 0; i < check->run_count; i++) {
        const struct wtl_result *run = &check->runs[i];
        for (size_t k = 0; k < run->flag_count; k++) {
            char label[40], text[320];
            size_t runs = 0, first = check->run_count;
            for (size_t r = 0; r < check->run_count; r++) {
                for (size_t f = 0; f < check->runs[r].flag_count; f++) {
                    if (strcmp(check->runs[r].flags[f].name, run->flags[k].name) != 0)
                        continue;
                    runs++;
                    first = r < first ? r : first;
                }
            }
            if (first != i)
                continue;
            (void)snprintf(label, sizeof label, "! %s", run->flags[k].name);
            (void)snprintf(text, sizeof text, "%zu of %zu runs; first: %s", runs, check->run_count,
                           run->flags[k].text);
            wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, label, text);
        }
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

static json_t *side_of(const struct wtl_check *check, bool base)
{
    const struct wtl_result *results = base ? check->base : check->runs;
    size_t count = base ? check->base_count : check->run_count;
    const struct wtl_spread *spread = base ? &check->base_spread : &check->run_spread;
    struct wtl_json o = wtl_json_object(), values = wtl_json_array();
    enum wattle_quality quality = WATTLE_MEASURED;
    bool simulated = wtl_result_is_simulated(&results[0]);
    bool has_total = wtl_results_quality(results, count, &quality, &simulated);
    for (size_t i = 0; i < count; i++)
        wtl_json_add(&values, wtl_json_number(wtl_metric_of(&results[i], check->metric)));
    wtl_json_set(&o, "command", wtl_json_text(results[0].command));
    wtl_json_set(&o, "host", wtl_json_text(results[0].host));
    wtl_json_set_quality(&o, has_total, quality, simulated);
    wtl_json_set(&o, "n", wtl_json_count(count));
    wtl_json_set(&o, "mean", wtl_json_number(spread->mean));
    wtl_json_set(&o, "sd", wtl_json_number(spread->sd));
    wtl_json_set(&o, "values", wtl_json_done(&values));
    return wtl_json_done(&o);
}

static json_t *json_of(const struct wtl_check *check, const struct wtl_check_rules *rules)
{
    struct wtl_json o = wtl_json_document("wattle.check/1"), change = wtl_json_object();
    wtl_json_set(&change, "value", wtl_json_number(check->change.value));
    wtl_json_set(&change, "low", wtl_json_number(check->change.low));
    wtl_json_set(&change, "high", wtl_json_number(check->change.high));
    wtl_json_set(&o, "metric", json_string(wtl_metric_names[check->metric]));
    wtl_json_set(&o, "unit", json_string(units[check->metric]));
    wtl_json_set(&o, "limit", wtl_json_number(check->limit));
    wtl_json_set(&o, "outcome", json_string(wtl_check_outcome_name(check->outcome)));
    wtl_json_set(&o, "status", json_integer(wtl_check_status(check, rules)));
    wtl_json_set(&o, "text", wtl_json_text(check->text));
    wtl_json_set(&o, "change", wtl_json_done(&change));
    wtl_json_set(&o, "p", wtl_json_number(check->p));
    wtl_json_set(&o, "shown", wtl_json_number(check->shown));
    wtl_json_set(&o, "base", side_of(check, true));
    wtl_json_set(&o, "now", side_of(check, false));
    return wtl_json_done(&o);
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
        return wtl_fail(err, -ENOMEM, "not enough memory");
    return wtl_flush(out, err);
}
