/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.ab/1" and the rows of its runs as CSV. Every field is always there. */
#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/flush.h"
#include "exchange/sheet.h"
#include "model/quality.h"
#include "report/json_value.h"
#include "report/report_ab.h"

static json_t *interval_of(const struct wtl_interval *ratio)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "value", wtl_json_number(ratio->value - 1));
    wtl_json_set(&o, "low", wtl_json_number(ratio->low - 1));
    wtl_json_set(&o, "high", wtl_json_number(ratio->high - 1));
    return wtl_json_done(&o);
}

static json_t *differences_of(const struct wtl_ab *ab, bool channels)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < ab->row_count; i++) {
        const struct wtl_ab_row *row = &ab->rows[i];
        if (row->is_channel != channels)
            continue;
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(channels ? row->name : wtl_metric_names[i]));
        wtl_json_set(&o, "unit", wtl_json_text(row->unit));
        wtl_json_set(&o, "a_mean", wtl_json_number(row->a));
        wtl_json_set(&o, "b_mean", wtl_json_number(row->b));
        wtl_json_set(&o, "change", interval_of(&row->ratio));
        wtl_json_set(&o, "pair_log_sd", wtl_json_number(row->sd));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *verdict_of(const struct wtl_ab *ab)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "kind", json_string(wtl_verdict_name(ab->verdict.kind)));
    wtl_json_set(&o, "text", wtl_json_text(ab->verdict.text));
    wtl_json_set(&o, "at_most", wtl_json_number(ab->verdict.at_most));
    wtl_json_set(&o, "more_pairs", wtl_json_number(ab->verdict.more_runs));
    return wtl_json_done(&o);
}

static json_t *floor_of(const struct wtl_ab *ab)
{
    if (ab->floor.pairs == 0)
        return json_null();
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "pairs", wtl_json_count(ab->floor.pairs));
    wtl_json_set(&o, "file", wtl_json_text(ab->floor_file));
    wtl_json_set(&o, "planned_pairs", wtl_json_number(ab->planned));
    for (int m = 0; m < WTL_METRIC_COUNT; m++) {
        struct wtl_json one = wtl_json_object();
        wtl_json_set(&one, "change", interval_of(&ab->floor.of[m].ratio));
        wtl_json_set(&one, "run_log_sd", wtl_json_number(ab->floor.of[m].log_sd));
        wtl_json_set(&o, wtl_metric_names[m], wtl_json_done(&one));
    }
    return wtl_json_done(&o);
}

static json_t *order_of(const struct wtl_ab *ab)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "drift_per_run", wtl_json_number(ab->drift.per_run));
    wtl_json_set(&o, "drift_p", wtl_json_number(ab->drift.p));
    wtl_json_set(&o, "second", interval_of(&ab->second));
    return wtl_json_done(&o);
}

static json_t *flags_of(const struct wtl_ab *ab)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < ab->flag_count; i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(ab->flags[i].name));
        wtl_json_set(&o, "runs_a", wtl_json_count(ab->flags[i].runs[0]));
        wtl_json_set(&o, "runs_b", wtl_json_count(ab->flags[i].runs[1]));
        wtl_json_set(&o, "runs_floor", wtl_json_count(ab->flags[i].runs[2]));
        wtl_json_set(&o, "text", wtl_json_text(ab->flags[i].text));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

/* ---- runs ---- */

/* Run i of the floor or of the pairs: who it was and when it came. */
struct place {
    const struct wtl_result *run;
    const char *side;
    size_t pair; /* from 1 */
    bool second;
};

static struct place place_of(const struct wtl_ab *ab, bool floor, size_t i)
{
    const struct wtl_result *runs = floor ? ab->floor_runs : ab->runs;
    bool b = i % 2, b_first = wtl_pairs_b_first(floor ? ~ab->seed : ab->seed, i / 2);
    return (struct place){.run = &runs[i],
                          .side = b && !floor ? "B" : "A",
                          .pair = i / 2 + 1,
                          .second = b != b_first};
}

static json_t *runs_of(const struct wtl_ab *ab, bool floor)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < 2 * (floor ? ab->floor_count : ab->count); i++) {
        struct place place = place_of(ab, floor, i);
        struct wtl_json o = wtl_json_object(), flags = wtl_json_array();
        wtl_json_set(&o, "pair", wtl_json_count(place.pair));
        wtl_json_set(&o, "side", json_string(place.side));
        wtl_json_set(&o, "second", json_boolean(place.second));
        for (int m = 0; m < WTL_METRIC_COUNT; m++)
            wtl_json_set(&o, wtl_metric_fields[m],
                         wtl_json_number(wtl_metric_of(place.run, (enum wtl_metric)m)));
        wtl_json_set(&o, "resolution_interval_j", wtl_json_number(place.run->energy.half_j));
        wtl_json_set(&o, "exit_code", json_integer(place.run->exit_code));
        wtl_json_set(&o, "start_monotonic_ns", wtl_json_count(place.run->start_monotonic_ns));
        wtl_json_set(&o, "end_monotonic_ns", wtl_json_count(place.run->end_monotonic_ns));
        for (size_t k = 0; k < place.run->flag_count; k++)
            wtl_json_add(&flags, wtl_json_text(place.run->flags[k].name));
        wtl_json_set(&o, "flags", wtl_json_done(&flags));
        wtl_json_set(&o, "trace", wtl_json_text(place.run->trace));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

json_t *wtl_json_ab(const struct wtl_ab *ab)
{
    static const char *const ends[] = {"answered", "enough", "interrupted", "failed"};
    struct wtl_json o = wtl_json_document("wattle.ab/1"), commands = wtl_json_array();
    const struct wtl_result *any = ab->count ? &ab->runs[0] : ab->floor_runs;
    bool total = any && any->total.count > 0;
    for (int side = 0; side < 2; side++)
        wtl_json_add(&commands, wtl_json_text(ab->command[side]));
    wtl_json_set(&o, "commands", wtl_json_done(&commands));
    wtl_json_set(&o, "host", wtl_json_text(any ? any->host : NULL));
    wtl_json_set_quality(&o, total, total ? any->total.quality : WATTLE_MEASURED,
                         any && wtl_result_is_simulated(any));
    wtl_json_set(&o, "contains", wtl_json_text(total ? any->total.contains : NULL));
    wtl_json_set(&o, "metric", json_string(wtl_metric_names[ab->metric]));
    wtl_json_set(&o, "resolve", wtl_json_number(ab->plan.resolve));
    wtl_json_set(&o, "least_pairs", wtl_json_count(ab->plan.least));
    wtl_json_set(&o, "most_pairs", wtl_json_count(ab->plan.most));
    wtl_json_set(&o, "seed", wtl_json_count(ab->seed));
    wtl_json_set(&o, "pairs", wtl_json_count(ab->count));
    wtl_json_set(&o, "end", json_string(ends[ab->end]));
    wtl_json_set(&o, "verdict", verdict_of(ab));
    wtl_json_set(&o, "differences", differences_of(ab, false));
    wtl_json_set(&o, "channels", differences_of(ab, true));
    wtl_json_set(&o, "noise_floor", floor_of(ab));
    wtl_json_set(&o, "order", order_of(ab));
    wtl_json_set(&o, "flags", flags_of(ab));
    wtl_json_set(&o, "runs", runs_of(ab, false));
    wtl_json_set(&o, "floor_runs", runs_of(ab, true));
    return wtl_json_done(&o);
}

void wtl_csv_ab(FILE *out, const struct wtl_ab *ab)
{
    static const char *const columns[] = {"phase",     "pair",        "side",   "second",
                                          "energy_j",  "wall_time_s", "mean_w", "edp_js",
                                          "exit_code", "trace"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct wtl_sheet sheet;
    wtl_sheet_begin(&sheet, out, WTL_SHEET_CSV, false, "wattle.ab/1");
    wtl_sheet_columns(&sheet, columns, COLUMNS);
    for (int floor = 1; floor >= 0; floor--) {
        for (size_t i = 0; i < 2 * (floor ? ab->floor_count : ab->count); i++) {
            struct place place = place_of(ab, floor, i);
            struct wtl_cell cells[COLUMNS] = {wtl_cell_text(floor ? "floor" : "pairs"),
                                              wtl_cell_count(place.pair), wtl_cell_text(place.side),
                                              wtl_cell_count(place.second)};
            for (int m = 0; m < WTL_METRIC_COUNT; m++)
                cells[4 + m] = wtl_cell_number(wtl_metric_of(place.run, (enum wtl_metric)m), 9);
            cells[8] = wtl_cell_number(place.run->exit_code, 9);
            cells[9] = wtl_cell_text(place.run->trace);
            wtl_sheet_row(&sheet, cells, COLUMNS);
        }
    }
    wtl_sheet_end(&sheet);
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
        return wtl_fail(err, rc, "not enough memory");
    return wtl_flush(out, err);
}
