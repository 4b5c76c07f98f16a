/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as JSON: docs/format/compare.md. */
#include "report/compare/sides_report.h"

#include <math.h>

#include "model/quality.h"
#include "report/json_value.h"

static json_t *numbers(const double *values, size_t n)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < n; i++)
        wtl_json_add(&list, wtl_json_number(values[i]));
    return wtl_json_done(&list);
}

static json_t *interval(const struct wtl_interval *value)
{
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "value", wtl_json_number(value->value));
    wtl_json_set(&object, "low", wtl_json_number(value->low));
    wtl_json_set(&object, "high", wtl_json_number(value->high));
    return wtl_json_done(&object);
}

static json_t *group(const struct wtl_spread *spread,
                     const double *values,
                     size_t n,
                     size_t outliers,
                     bool known)
{
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "mean", wtl_json_number(known ? spread->mean : (double)NAN));
    wtl_json_set(&object, "sd", wtl_json_number(known ? spread->sd : (double)NAN));
    wtl_json_set(&object, "ci95", wtl_json_number(known ? spread->ci95 : (double)NAN));
    wtl_json_set(&object, "outliers", wtl_json_count(outliers));
    wtl_json_set(&object, "values", numbers(values, n));
    return wtl_json_done(&object);
}

static json_t *verdict(const struct wtl_side_row *row)
{
    const struct wtl_verdict *v = &row->verdict;
    struct wtl_json object = wtl_json_object();
    wtl_json_set(&object, "kind", wtl_json_text(wtl_verdict_name(v->kind)));
    wtl_json_set(&object, "text", wtl_json_text(v->text));
    wtl_json_set(&object, "alpha", wtl_json_number(row->alpha));
    wtl_json_set(&object, "at_most", wtl_json_number(v->at_most));
    wtl_json_set(&object, "more_runs", wtl_json_number(v->more_runs));
    return wtl_json_done(&object);
}

static void set_comparison(struct wtl_json *object, const struct wtl_comparison *c)
{
    static const char *const bases[] = {NULL, "runs", "noise floor"};
    struct wtl_json noise = wtl_json_object();
    wtl_json_set(&noise, "log_sd", wtl_json_number(c->noise.log_sd));
    wtl_json_set(&noise, "df", wtl_json_number(c->noise.df));
    wtl_json_set(object, "difference", interval(&c->difference));
    wtl_json_set(object, "ratio", interval(&c->ratio));
    wtl_json_set(object, "bootstrap", interval(&c->bootstrap));
    wtl_json_set(object, "basis", wtl_json_text(bases[c->basis]));
    wtl_json_set(object, "noise", wtl_json_done(&noise));
    wtl_json_set(object, "log_error", wtl_json_number(c->log_error));
    wtl_json_set(object, "df", wtl_json_number(c->df));
    wtl_json_set(object, "p", wtl_json_number(c->p));
    wtl_json_set(object, "detectable", wtl_json_number(c->detectable));
}

static json_t *row_value(const struct wtl_sides *sides, const struct wtl_side_row *row)
{
    static const char *const groups[] = {"headline", "channel", "region"};
    static const struct wtl_comparison none = {.difference = {NAN, NAN, NAN},
                                               .ratio = {NAN, NAN, NAN},
                                               .bootstrap = {NAN, NAN, NAN},
                                               .noise = {NAN, NAN},
                                               .log_error = NAN,
                                               .df = NAN,
                                               .p = NAN,
                                               .detectable = NAN};
    bool known = !row->why[0];
    struct wtl_json object = wtl_json_object(), drift = wtl_json_object();
    wtl_json_set(&object, "group", wtl_json_text(groups[row->group]));
    wtl_json_set(&object, "name", wtl_json_text(row->name));
    wtl_json_set(&object, "quantity", wtl_json_text(row->quantity));
    wtl_json_set(&object, "unit", wtl_json_text(row->unit));
    wtl_json_set_quality(&object, true, row->quality, row->simulated);
    wtl_json_set(&object, "why", wtl_json_text(known ? NULL : row->why));
    wtl_json_set(&object, "a",
                 group(&row->comparison.a, row->a, sides->a_n, row->a_outliers, known));
    wtl_json_set(&object, "b",
                 group(&row->comparison.b, row->b, sides->b_n, row->b_outliers, known));
    wtl_json_set(&object, "confidence", wtl_json_number(known ? 1 - row->alpha : (double)NAN));
    set_comparison(&object, known ? &row->comparison : &none);
    wtl_json_set(&drift, "p", wtl_json_number(known ? row->drift.p : (double)NAN));
    wtl_json_set(&drift, "per_run", wtl_json_number(known ? row->drift.per_run : (double)NAN));
    wtl_json_set(&drift, "allowed_p", wtl_json_number(known ? row->drift_allowed_p : (double)NAN));
    wtl_json_set(&object, "drift", wtl_json_done(&drift));
    wtl_json_set(&object, "verdict", row->group == WTL_ROW_HEADLINE ? verdict(row) : json_null());
    return wtl_json_done(&object);
}

static void add_flag(void *context, const struct wtl_result_flag *flag, size_t runs)
{
    struct wtl_json *flags = context, object = wtl_json_object();
    wtl_json_set(&object, "name", wtl_json_text(flag->name));
    wtl_json_set(&object, "text", wtl_json_text(flag->text));
    wtl_json_set(&object, "runs", wtl_json_count(runs));
    wtl_json_add(flags, wtl_json_done(&object));
}

static json_t *side_value(const struct wtl_result *results,
                          size_t n,
                          size_t dropped,
                          const char *only)
{
    struct wtl_json object = wtl_json_object(), traces = wtl_json_array(), flags = wtl_json_array();
    enum wattle_quality quality = WATTLE_MEASURED;
    bool simulated = wtl_result_is_simulated(&results[0]);
    bool has_total = wtl_results_quality(results, n, &quality, &simulated);
    for (size_t i = 0; i < n; i++)
        wtl_json_add(&traces, wtl_json_text(results[i].trace));
    wtl_side_flags(results, n, add_flag, &flags);
    wtl_json_set(&object, "command", wtl_json_text(results[0].command));
    wtl_json_set(&object, "host", wtl_json_text(results[0].host));
    wtl_json_set_quality(&object, has_total, quality, simulated);
    wtl_json_set(&object, "n", wtl_json_count(n));
    wtl_json_set(&object, "warm_up_dropped", wtl_json_count(dropped));
    wtl_json_set(&object, "contains",
                 wtl_json_text(results[0].total.count ? results[0].total.contains : NULL));
    wtl_json_set(&object, "only_here", wtl_json_text(only[0] ? only : NULL));
    wtl_json_set(&object, "flags", wtl_json_done(&flags));
    wtl_json_set(&object, "traces", wtl_json_done(&traces));
    return wtl_json_done(&object);
}

static json_t *conditions_value(const struct wtl_conditions *conditions)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; conditions && i < conditions->count; i++) {
        const struct wtl_condition_difference *d = &conditions->differences[i];
        struct wtl_json object = wtl_json_object();
        wtl_json_set(&object, "what", wtl_json_text(d->what));
        wtl_json_set(&object, "a", wtl_json_text(d->a));
        wtl_json_set(&object, "b", wtl_json_text(d->b));
        wtl_json_set(&object, "forbids", json_boolean(d->forbids));
        wtl_json_add(&list, wtl_json_done(&object));
    }
    return wtl_json_done(&list);
}

json_t *wtl_json_sides(const struct wtl_sides_report *report)
{
    const struct wtl_sides *sides = report->sides;
    struct wtl_json document = wtl_json_document("wattle.compare/1"), rows = wtl_json_array();
    for (size_t i = 0; i < sides->count; i++)
        wtl_json_add(&rows, row_value(sides, &sides->rows[i]));
    wtl_json_set(&document, "a", side_value(sides->a, sides->a_n, sides->a_dropped, sides->only_a));
    wtl_json_set(&document, "b", side_value(sides->b, sides->b_n, sides->b_dropped, sides->only_b));
    wtl_json_set(&document, "paired", json_boolean(sides->paired));
    wtl_json_set(&document, "resolve", wtl_json_number(report->resolve));
    wtl_json_set(&document, "confidence", wtl_json_number(0.95));
    wtl_json_set(&document, "compared", wtl_json_count(sides->compared));
    wtl_json_set(&document, "correction", wtl_json_text("holm"));
    wtl_json_set(&document, "one_after_the_other",
                 sides->order_known ? json_boolean(sides->apart) : json_null());
    wtl_json_set(&document, "overlap",
                 sides->order_known ? json_boolean(sides->overlap) : json_null());
    wtl_json_set(&document, "differences", conditions_value(report->conditions));
    wtl_json_set(&document, "rows", wtl_json_done(&rows));
    return wtl_json_done(&document);
}
