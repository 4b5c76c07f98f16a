/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.sweep/1", and its points as CSV. Every field is always there. */
#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/flush.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"
#include "report/sweep/sweep_report.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* A curve, a point on it, a goal or a stage, with what they refer to. */
struct row {
    const struct wtl_sweep *sweep;
    const struct wtl_sweep_curve *curve;
    const struct wtl_sweep_setting *setting;
    const struct wtl_sweep_point *point;
    const struct wtl_sweep_goal *goal;
    double from_w;
    struct wtl_value_quality quality;
};

static const struct row *row_of(const void *of)
{
    return of;
}

static struct row curve_row(const struct wtl_sweep *sweep, size_t i)
{
    const struct wtl_sweep_curve *curve = &sweep->curves[i];
    return (struct row){
        .sweep = sweep, .curve = curve, .quality = {true, curve->simulated, curve->quality}};
}

/* ---- settings ---- */

static const struct wtl_member of_setting[] = {
    {"label", WTL_CHARS_AT(struct wtl_sweep_setting, label), .meaning = "such as `2.1 GHz`"},
    {"frequency", WTL_NAME_AT(struct wtl_sweep_setting, frequency), .nullable = true,
     .meaning = "as it was asked for; null: not part of the setting"},
    {"frequency_ghz", WTL_NUMBER_OR_NULL(struct wtl_sweep_setting, ghz), .unit = "GHz",
     .meaning = "null also for min and max"},
    {"power_limit_w", WTL_NUMBER_OR_NULL(struct wtl_sweep_setting, limit_w),
     .meaning = "of each package; null: not part of the setting"},
    {"threads", WTL_UNSIGNED_AT(struct wtl_sweep_setting, threads),
     .meaning = "in OMP_NUM_THREADS; 0: not part of the setting"},
    {"turbo", WTL_INT_AT(struct wtl_sweep_setting, turbo),
     .meaning = "1: on, -1: off, 0: not part of the setting"},
    {"refused", WTL_NAME_AT(struct wtl_sweep_setting, refused), .nullable = true,
     .meaning = "why it has no runs; null: it has"},
    {"runs", WTL_SIZE_AT(struct wtl_sweep_setting, runs), .meaning = "in whole blocks"},
    {"wall_time_s", WTL_NUMBER_OR_NULL(struct wtl_sweep_setting, time_s),
     .meaning = "geometric mean"},
    {"wall_time_low_s", WTL_NUMBER_OR_NULL(struct wtl_sweep_setting, time_low_s),
     .meaning = "95 % interval (Student, run-to-run variation of all settings)"},
    {"wall_time_high_s", WTL_NUMBER_OR_NULL(struct wtl_sweep_setting, time_high_s),
     .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun setting_noun = {"sweep setting", of_setting};

WTL_MEMBER_GET(label)
{
    const struct wtl_sweep_setting *setting = row_of(of)->setting;
    wtl_value_text(ret, setting ? setting->label : NULL);
}

/* ---- points ---- */

static bool next_point(const void *of, size_t *cursor, struct wtl_value *ret)
{
    struct row row = *row_of(of);
    while (*cursor < row.sweep->setting_count && row.sweep->settings[*cursor].refused[0])
        ++*cursor;
    if (*cursor >= row.sweep->setting_count || row.curve->blocks == 0)
        return false;
    row.setting = &row.sweep->settings[*cursor];
    row.point = &row.curve->points[*cursor];
    wtl_value_copy(ret, &row, sizeof row);
    ++*cursor;
    return true;
}

WTL_MEMBER_GET(in_group)
{
    const struct row *row = row_of(of);
    size_t i = (size_t)(row->setting - row->sweep->settings);
    const struct wtl_sweep_goal *goal = &row->curve->goals[0];
    wtl_value_bool(ret, row->curve->goal_count > 0 && goal->known && goal->group.in[i]);
}

#define POINT(field) WTL_NUMBER_OR_NULL(struct wtl_sweep_point, field), WTL_VIA(struct row, point)

static const struct wtl_member of_point[] = {
    {"setting", WTL_MEMBER_TEXT, .get = label, .csv = 2, .meaning = "its label"},
    {"energy_j", POINT(energy_j), .csv = 4, .meaning = "geometric mean of the whole blocks"},
    {"energy_low_j", POINT(low_j), .csv = 5,
     .meaning =
         "95 % interval (Student, and the sensors' resolution); of an estimate that of its model"},
    {"energy_high_j", POINT(high_j), .csv = 6, .meaning = "likewise"},
    {"mean_w", POINT(power_w), .csv = 7, .meaning = "energy by time"},
    {"pareto", WTL_BOOLEAN_AT(struct wtl_sweep_point, pareto), WTL_VIA(struct row, point), .csv = 8,
     .meaning = "no other setting needs less of time or energy and no more of the other"},
    {"least_energy", WTL_MEMBER_BOOLEAN, .get = in_group, .csv = 9,
     .meaning = "in the group that cannot be told from the least energy"},
    {.key = NULL}};
static const struct wtl_noun point_noun = {"sweep point", of_point};

/* ---- goals ---- */

static bool next_goal(const void *of, size_t *cursor, struct wtl_value *ret)
{
    struct row row = *row_of(of);
    while (*cursor < row.curve->goal_count && !row.curve->goals[*cursor].known)
        ++*cursor;
    if (*cursor >= row.curve->goal_count)
        return false;
    row.goal = &row.curve->goals[*cursor];
    row.setting = &row.sweep->settings[row.goal->group.best];
    wtl_value_copy(ret, &row, sizeof row);
    ++*cursor;
    return true;
}

static bool next_in_group(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct row *row = row_of(of);
    while (*cursor < row->sweep->setting_count && !row->goal->group.in[*cursor])
        ++*cursor;
    if (*cursor >= row->sweep->setting_count)
        return false;
    wtl_value_text(ret, row->sweep->settings[(*cursor)++].label);
    return true;
}

#define GOAL(field) WTL_NUMBER_OR_NULL(struct wtl_sweep_goal, field), WTL_VIA(struct row, goal)

static const struct wtl_member of_goal[] = {
    {"goal", WTL_CHARS_AT(struct wtl_sweep_goal, name), WTL_VIA(struct row, goal),
     .meaning = "energy, EDP, ED2P, EDS, `within 5%`, or the metric of --metric"},
    {"best", WTL_MEMBER_TEXT, .get = label, .meaning = "label of the setting with the least mean"},
    {"group", WTL_MEMBER_LIST, .next = next_in_group,
     .meaning = "labels of the settings that cannot be told from it; the truly best one is among "
                "them with at least 95 %"},
    {"slower", GOAL(slower),
     .meaning = "time of the best one against the fastest: 0.08 = 8 % more"},
    {"saves", GOAL(saves), .meaning = "energy against the fastest: 0.05 = 5 % less"},
    {"run_log_sd", GOAL(group.log_sd),
     .meaning = "standard deviation of a run's logarithm within its block; null below two blocks"},
    {"critical", GOAL(group.critical), .meaning = "Dunnett's one-sided critical value"},
    {.key = NULL}};
static const struct wtl_noun goal_noun = {"sweep goal", of_goal};

/* ---- stages ---- */

static bool next_stage(const void *of, size_t *cursor, struct wtl_value *ret)
{
    struct row row = *row_of(of);
    if (*cursor >= row.curve->stage_count)
        return false;
    row.from_w = row.curve->stages[*cursor].from_w;
    row.setting = &row.sweep->settings[row.curve->stages[*cursor].setting];
    wtl_value_copy(ret, &row, sizeof row);
    ++*cursor;
    return true;
}

static const struct wtl_member of_stage[] = {
    {"from_w", WTL_NUMBER_AT(struct row, from_w),
     .meaning = "from this power on, in addition to what the curve measures"},
    {"best", WTL_MEMBER_TEXT, .get = label,
     .meaning = "label of the setting with the least energy"},
    {.key = NULL}};
static const struct wtl_noun stage_noun = {"sweep stage", of_stage};

/* ---- curves, the document ---- */

static const struct wtl_member of_flag[] = {
    {"name", WTL_CHARS_AT(struct wtl_sweep_flag, name), .meaning = "as in wattle(1)"},
    {"runs", WTL_SIZE_AT(struct wtl_sweep_flag, runs), .meaning = "number of runs with it"},
    {.key = NULL}};
static const struct wtl_noun flag_noun = {"sweep flag", of_flag};

static const unsigned char quality_columns[] = {10, 0, 11};
static const struct wtl_member of_curve[] = {
    {"name", WTL_CHARS_AT(struct wtl_sweep_curve, name), WTL_VIA(struct row, curve),
     .meaning = "of the channel; `total`"},
    {"is_total", WTL_BOOLEAN_AT(struct wtl_sweep_curve, is_total), WTL_VIA(struct row, curve),
     .meaning = "the total of the run"},
    {"contains", WTL_NAME_AT(struct wtl_sweep_curve, contains), WTL_VIA(struct row, curve),
     .nullable = true, .meaning = "such as `package + dram of 2 sockets`"},
    {"excludes", WTL_NAME_AT(struct wtl_sweep_curve, excludes), WTL_VIA(struct row, curve),
     .nullable = true, .meaning = "parts of the node that it leaves out; null: none, or unknown"},
    {"partial", WTL_BOOLEAN_AT(struct wtl_sweep_curve, partial), WTL_VIA(struct row, curve),
     .meaning = "does not measure the whole node, so that its optimum leans to slow settings"},
    {"", WTL_PART_AT(struct row, quality, wtl_noun_quality)},
    {"blocks", WTL_SIZE_AT(struct wtl_sweep_curve, blocks), WTL_VIA(struct row, curve),
     .meaning = "whole ones, no run of which leaves out the energy of some time"},
    {"incomplete_runs", WTL_SIZE_AT(struct wtl_sweep_curve, lacking), WTL_VIA(struct row, curve),
     .meaning = "runs whose energy leaves out time"},
    {"points", WTL_MEMBER_LIST, .next = next_point, .of = &point_noun, .meaning = "below"},
    {"goals", WTL_MEMBER_LIST, .next = next_goal, .of = &goal_noun, .meaning = "below"},
    {"unmeasured", WTL_MEMBER_LIST, .next = next_stage, .of = &stage_noun,
     .meaning = "least energy as a function of constant power that the curve does not measure"},
    {.key = NULL}};
static const struct wtl_noun curve_noun = {"sweep curve", of_curve};

static bool next_curve(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_sweep *sweep = of;
    if (*cursor >= sweep->curve_count)
        return false;
    struct row row = curve_row(sweep, (*cursor)++);
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

WTL_MEMBER_GET(fastest)
{
    const struct wtl_sweep *sweep = of;
    wtl_value_text(ret, sweep->settings[sweep->fastest].label);
}

static const struct wtl_member of_sweep[] = {
    {"command", WTL_TEXT_OR_NULL(struct wtl_sweep, command), .meaning = "as typed"},
    {"seed", WTL_COUNT_AT(struct wtl_sweep, seed), .meaning = "of the random order"},
    {"blocks", WTL_SIZE_AT(struct wtl_sweep, blocks),
     .meaning = "asked for; each has every setting once"},
    {"whole_blocks", WTL_SIZE_AT(struct wtl_sweep, whole), .meaning = "in which no run is missing"},
    {"interrupted", WTL_BOOLEAN_AT(struct wtl_sweep, interrupted),
     .meaning = "ended before all blocks; `--resume` goes on"},
    {"slowdown", WTL_NUMBER_AT(struct wtl_sweep, slowdown),
     .meaning = "of the goal `within`: 0.05 = at most 5 % slower than the fastest"},
    {"fastest", WTL_MEMBER_TEXT, .get = fastest, .meaning = "label of the fastest setting"},
    {"settings", WTL_LIST_AT(struct wtl_sweep, settings, setting_count, setting_noun),
     .meaning = "below"},
    {"flags", WTL_LIST_AT(struct wtl_sweep, flags, flag_count, flag_noun),
     .meaning = "of the runs, also of those in blocks that are left out"},
    {"other_totals", WTL_SIZE_AT(struct wtl_sweep, other_totals),
     .meaning = "runs in which sensors were missing or added, so that their total is another one; "
                "not counted"},
    {"curves", WTL_MEMBER_LIST, .next = next_curve, .of = &curve_noun,
     .meaning = "one for each sensor, the total first; below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_sweep = {"sweep", of_sweep};

/* ---- CSV ---- */

WTL_MEMBER_GET(curve_name)
{
    wtl_value_text(ret, row_of(of)->curve->name);
}

static const unsigned char point_columns[] = {2, 4, 5, 6, 7, 8, 9};
static const struct wtl_member of_row[] = {
    {"sensor", WTL_MEMBER_TEXT, .get = curve_name, .csv = 1, .meaning = "name of the curve"},
    {"", WTL_PART_AT(struct row, sweep, point_noun), .csv_all = point_columns},
    {"wall_time_s", WTL_NUMBER_OR_NULL(struct wtl_sweep_setting, time_s),
     WTL_VIA(struct row, setting), .csv = 3, .meaning = "geometric mean"},
    {"", WTL_PART_AT(struct row, quality, wtl_noun_quality), .csv_all = quality_columns},
    {"partial", WTL_BOOLEAN_AT(struct wtl_sweep_curve, partial), WTL_VIA(struct row, curve),
     .csv = 12, .meaning = "does not measure the whole node"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_sweep_row = {"sweep row", of_row};
/* NOLINTEND(bugprone-macro-parentheses) */

json_t *wtl_json_sweep(const struct wtl_sweep *sweep)
{
    return wtl_noun_document("wattle.sweep/1", &wtl_noun_sweep, sweep);
}

void wtl_csv_sweep(FILE *out, const struct wtl_sweep *sweep)
{
    struct wtl_row_writer sheet;
    struct wtl_value value;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "wattle.sweep/1", &wtl_noun_sweep_row);
    for (size_t i = 0; i < sweep->curve_count; i++) {
        const struct row curve = curve_row(sweep, i);
        for (size_t cursor = 0; next_point(&curve, &cursor, &value);)
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_sweep_row, value.noun);
    }
    wtl_row_writer_end(&sheet);
}

void wtl_pose_table_sweep(FILE *out,
                          const struct wtl_sweep *sweep,
                          const struct wtl_sweep_curve *curve)
{
    (void)fprintf(out, "time_s,energy_j,energy_half_j,run,label\n");
    for (size_t b = 0; b < sweep->blocks; b++) {
        for (size_t i = 0; i < sweep->setting_count && wtl_sweep_is_whole(sweep, curve, b); i++) {
            size_t at = b * sweep->setting_count + i;
            double half = (curve->high_j[at] - curve->low_j[at]) / 2;
            if (sweep->settings[i].refused[0])
                continue;
            (void)fprintf(out, "%.9g,%.9g,", sweep->time_s[at], curve->energy_j[at]);
            if (isfinite(half))
                (void)fprintf(out, "%.9g", half);
            (void)fprintf(out, ",%zu,\"%s\"\n", b + 1, sweep->settings[i].label);
        }
    }
}

int wtl_report_sweep(FILE *out,
                     enum wtl_format format,
                     const struct wtl_sweep *sweep,
                     const struct wtl_style *style,
                     struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = wtl_text_sweep(out, style, sweep);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_json_sweep(sweep));
    else
        wtl_csv_sweep(out, sweep);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}
