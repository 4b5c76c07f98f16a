/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of "wattle pose calibrate" as wattle.calibrate/1 (docs/format/calibrate.md) and CSV, and its warnings. */
#define _GNU_SOURCE
#include "cli/pose/calibrate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text/figures.h"
#include "cli/documents.h"
#include "cli/run/idle.h"
#include "model/quality.h"
#include "report/result/run_nouns.h"

/* ---- warnings ---- */

__attribute__((format(printf, 3, 4))) static void warn(struct wtl_calibrate *to,
                                                       const char *name,
                                                       const char *format,
                                                       ...)
{
    va_list arguments;
    if (to->warnings_rc < 0 ||
        (to->warnings_rc = wtl_grow(&to->warnings, to->warning_count, sizeof *to->warnings)) < 0)
        return;
    struct wtl_calibrate_warning *warning = &to->warnings[to->warning_count++];
    warning->name = name;
    va_start(arguments, format);
    (void)vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
}

static void warn_of_cpus(struct wtl_calibrate *calibrate)
{
    if (calibrate->threads < calibrate->online)
        warn(calibrate, "FEWER_CPUS",
             "the loads use %u of %u CPUs (limited by affinity, cpuset or --threads): the whole "
             "machine can draw more than Pmax",
             calibrate->threads, calibrate->online);
    if (calibrate->threads > calibrate->online)
        warn(calibrate, "MORE_THREADS",
             "%u threads share %u CPUs: the benchmarks are designed for one thread per CPU",
             calibrate->threads, calibrate->online);
    if (calibrate->cpu_limit > 0 && calibrate->cpu_limit < calibrate->threads)
        warn(calibrate, "CPU_LIMIT",
             "the control group allows %s CPUs for %u threads: threads are paused, and power is "
             "lower than on a busy machine",
             WTL_IN_FIGURES(calibrate->cpu_limit, 4), calibrate->threads);
}

static void warn_of_machine(struct wtl_calibrate *calibrate)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    char names[200] = "";
    size_t used = 0;
    any = any ? any : calibrate->has_idle ? &calibrate->idle : NULL;
    if (any && any->total.quality == WATTLE_ESTIMATED)
        warn(calibrate, "ESTIMATED",
             "no sensor can be read: the bounds are estimated from CPU load, which is the same for "
             "all busy loops; see \"wattle doctor\" for how to measure");
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (load->count > 0 && load->count < 3 && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     load->name);
    }
    if (used)
        warn(calibrate, "FEW_RUNS",
             "%s: fewer than 3 valid runs, so the uncertainty of the bounds is unknown; use --runs "
             "3 or more",
             names);
    if (calibrate->busy_cpus > WTL_IDLE_CPUS)
        warn(calibrate, "NOT_IDLE",
             "the machine was not idle: other processes used %s CPUs and their power is "
             "included; calibrate again when it is idle",
             WTL_IN_FIGURES(calibrate->busy_cpus, 2));
}

/* Flags of a load's runs, once each, with how many runs have it. */
static void warn_of_flags(const struct wtl_calibrate_load *load, struct wtl_calibrate *to)
{
    for (size_t f = 0; f < load->repeat.mean.flag_count; f++) {
        const struct wtl_result_flag *flag = &load->repeat.mean.flags[f];
        size_t runs = 0;
        for (size_t i = 0; i < load->count; i++) {
            for (size_t k = 0; k < load->results[i].flag_count; k++)
                runs += strcmp(load->results[i].flags[k].name, flag->name) == 0;
        }
        warn(to, flag->name, "%s, %zu of %zu runs: %s", load->name, runs, load->count, flag->text);
    }
}

/* What drifted: power, or only the temperature. */
static void warn_of_drift(const struct wtl_calibrate_load *load, struct wtl_calibrate *to)
{
    size_t powers = 0, temperatures = 0;
    double steepest = 0, warmest = 0;
    for (size_t i = 0; i < load->count; i++) {
        const struct wtl_settling *s = &load->runs[i].settling;
        powers += s->power_drifts;
        temperatures += s->celsius_drifts && !s->power_drifts;
        if (s->power_drifts && fabs(s->power_per_min) > fabs(steepest))
            steepest = s->power_per_min;
        if (s->celsius_drifts && fabs(s->celsius_per_min) > fabs(warmest))
            warmest = s->celsius_per_min;
    }
    if (powers > 0)
        warn(to, "NOT_SETTLED",
             "%s: in %zu of %zu runs power was still drifting after --settle, by up to %+.2g %% "
             "per minute",
             load->name, powers, load->count, 100 * steepest);
    if (temperatures > 0)
        warn(to, "NOT_SETTLED",
             "%s: in %zu of %zu runs power was stable, but processor temperature was still "
             "drifting after --settle, by up to %+.2g degrees per minute",
             load->name, temperatures, load->count, warmest);
}

static void warn_of_load(const struct wtl_calibrate_load *load, struct wtl_calibrate *to)
{
    warn_of_drift(load, to);
    if (load->settled + load->drifted < load->count)
        warn(to, "SETTLING_UNKNOWN",
             "%s: %zu of %zu runs have too few readings to tell whether power was stable; use a "
             "longer --time",
             load->name, load->count - load->settled - load->drifted, load->count);
    if (load->dropped > 0)
        warn(to, "DROPPED", "%s: %u runs were discarded: %s", load->name, load->dropped,
             load->dropped_for);
    if (load->repeated)
        warn_of_flags(load, to);
}

int wtl_calibrate_warn(struct wtl_calibrate *calibrate)
{
    calibrate->warning_count = 0;
    warn_of_machine(calibrate);
    warn_of_cpus(calibrate);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++)
        warn_of_load(&calibrate->loads[i], calibrate);
    return calibrate->warnings_rc;
}

/* ---- a load ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
WTL_MEMBER_GET(settled)
{
    enum wtl_settling_state state = ((const struct wtl_calibrate_run *)of)->settling.state;
    ret->boolean = state == WTL_SETTLING_STEADY;
    ret->known = state != WTL_SETTLING_OPEN;
}

static const struct wtl_member of_run_result[] = {
    {"power_w", WTL_NUMBER_OR_NULL(struct wtl_result, total_w), .meaning = "of the total"},
    {"time_s", WTL_NUMBER_OR_NULL(struct wtl_result, wall_time_s), .meaning = "its window"},
    {"start_monotonic_ns", WTL_COUNT_AT(struct wtl_result, start_monotonic_ns),
     .meaning = "CLOCK_MONOTONIC"},
    {"end_monotonic_ns", WTL_COUNT_AT(struct wtl_result, end_monotonic_ns), .meaning = "likewise"},
    {"flags", WTL_NAMES_AT(struct wtl_result, flags, flag_count), .meaning = "names"},
    {.key = NULL}};
static const struct wtl_noun run_result = {"calibrate run result", of_run_result};

static const struct wtl_member of_run[] = {
    {"", WTL_PART_OF(struct wtl_calibrate_run, result, run_result)},
    {"waited_s", WTL_NUMBER_OR_NULL(struct wtl_calibrate_run, waited_s),
     .meaning = "time since the load was ready"},
    {"settled", WTL_MEMBER_BOOLEAN, .nullable = true, .get = settled,
     .meaning = "power was stable; null: too few readings"},
    {"drift_per_min", WTL_NUMBER_OR_NULL(struct wtl_calibrate_run, settling.power_per_min),
     .meaning = "of power, 0.01 = 1 %"},
    {"temperature_c", WTL_NUMBER_OR_NULL(struct wtl_calibrate_run, temperature_c),
     .meaning = "temperature of the hottest package"},
    {.key = NULL}};
static const struct wtl_noun run = {"calibrate run", of_run};

/* Of one item: the total, or a channel. */
struct power {
    const struct wtl_calibrate_load *load;
    const char *item;
    struct wtl_value_quality quality;
    bool measured;
    struct wtl_calibrate_power of;
};

static bool next_power(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_calibrate_load *load = of;
    size_t item = (*cursor)++;
    struct power power = {.load = load, .item = wtl_calibrate_item(load->calibrate, item)};
    if (!load->repeated || !power.item)
        return false;
    power.measured = wtl_calibrate_power_of(load->calibrate, load, item, &power.of);
    power.quality = (struct wtl_value_quality){
        true, wtl_result_is_simulated(wtl_calibrate_any(load->calibrate)), power.of.quality};
    wtl_value_copy(ret, &power, sizeof power);
    return true;
}

static const unsigned char quality_columns[] = {4, 5, 13}; /* in CSV */

static const struct wtl_member of_power[] = {
    {"item", WTL_TEXT_AT(struct power, item), .csv = 3, .meaning = "`total` or a channel"},
    {"", WTL_PART_AT(struct power, quality, wtl_noun_quality), .csv_all = quality_columns},
    {"power_w", WTL_NUMBER_OR_NULL(struct power, of.power_w), .csv = 6,
     .meaning = "mean over the runs"},
    {"half_w", WTL_NUMBER_OR_NULL(struct power, of.half_w), .csv = 7,
     .meaning = "half width of the 95 % interval over runs"},
    {"low_w", WTL_NUMBER_OR_NULL(struct power, of.low_w), .csv = 8,
     .meaning = "estimated: lower end of the 95 % interval of the true value"},
    {"high_w", WTL_NUMBER_OR_NULL(struct power, of.high_w), .csv = 9, .meaning = "upper end"},
    {"runs", WTL_SIZE_AT(struct power, of.runs), .not_json = true, .csv = 10},
    {.key = NULL}};
static const struct wtl_noun power_noun = {"calibrate power", of_power};

static const char *const bound_names[] = {"pmin", "pmax"};
#define AT_LOAD(KIND, member) WTL_##KIND##_AT(struct wtl_calibrate_load, member)

static const struct wtl_member of_load[] = {
    {"name", AT_LOAD(TEXT, name), .csv = 1, .csv_key = "load",
     .meaning = "`omp_serial`, ... as in [calibration.md](calibration.md)"},
    {"bound", WTL_WORD_AT(struct wtl_calibrate_load, of_pmax, bound_names), .csv = 2,
     .meaning = "`pmin` or `pmax`"},
    {"how", AT_LOAD(NAME, how), .csv = 12, .meaning = "what ran"},
    {"cannot_run", AT_LOAD(NAME, why), .nullable = true,
     .meaning = "why it did not run, and what to do"},
    {"dropped", AT_LOAD(UNSIGNED, dropped), .meaning = "number of discarded runs"},
    {"dropped_for", AT_LOAD(NAME, dropped_for), .nullable = true,
     .meaning = "why the last one was discarded"},
    {"settled", AT_LOAD(SIZE, settled), .csv = 11, .meaning = "number of runs with stable power"},
    {"power", WTL_MEMBER_LIST, .next = next_power, .of = &power_noun,
     .meaning = "means over the runs, below"},
    {"runs", WTL_LIST_AT(struct wtl_calibrate_load, runs, count, run), .meaning = "below"},
    {.key = NULL}};
static const struct wtl_noun load_noun = {"calibrate load", of_load};

static const struct wtl_member of_row[] = {
    {"", WTL_PART_OF(struct power, load, load_noun)},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &power_noun},
    {.key = NULL}};
const struct wtl_noun wtl_noun_calibrate_row = {"calibrate row", of_row};

/* ---- the document ---- */

struct bounds {
    const char *item;
    struct wtl_pose_bound pmin, pmax;
};

static bool next_bounds(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_calibrate *calibrate = of;
    struct bounds bounds;
    struct wtl_pose_bounds b;
    struct wattle_error none;
    while (wtl_calibrate_any(of) && (bounds.item = wtl_calibrate_item(calibrate, *cursor))) {
        if (wtl_calibrate_bounds(calibrate, (*cursor)++, &b, &none) < 0 ||
            !wtl_calibrate_sound(&b, none.text, sizeof none.text))
            continue;
        bounds.pmin = b.pmin;
        bounds.pmax = b.pmax;
        wtl_value_copy(ret, &bounds, sizeof bounds);
        return true;
    }
    return false;
}

static const struct wtl_member of_bounds[] = {
    {"item", WTL_TEXT_AT(struct bounds, item), .meaning = "`total` or a channel"},
    {"pmin_w", WTL_NUMBER_OR_NULL(struct bounds, pmin.power_w), .meaning = "Pmin"},
    {"pmin_half_w", WTL_NUMBER_OR_NULL(struct bounds, pmin.half_w),
     .meaning = "half width of the 95 % interval"},
    {"pmin_name", WTL_NAME_AT(struct bounds, pmin.name), .meaning = "the load"},
    {"pmax_w", WTL_NUMBER_OR_NULL(struct bounds, pmax.power_w), .meaning = "Pmax"},
    {"pmax_half_w", WTL_NUMBER_OR_NULL(struct bounds, pmax.half_w), .meaning = "likewise"},
    {"pmax_name", WTL_NAME_AT(struct bounds, pmax.name), .meaning = "the load"},
    {.key = NULL}};
static const struct wtl_noun bounds_noun = {"calibrate bounds", of_bounds};

#define AT(KIND, member) WTL_##KIND##_AT(struct wtl_calibrate, member)

static const struct wtl_member of_plan[] = {
    {"runs", AT(UNSIGNED, options.runs), .meaning = "number of runs per load"},
    {"time_s", AT(SECONDS, options.time_ns), .meaning = "duration of each run"},
    {"settle_s", AT(SECONDS, options.settle_ns), .meaning = "maximum wait for stable power"},
    {"seed", AT(COUNT, options.seed), .meaning = "seed of the random order"},
    {"about_s", AT(NUMBER, about_s), .nullable = true, .meaning = "expected duration"},
    {"most_s", AT(NUMBER, most_s), .nullable = true, .meaning = "maximum duration"},
    {.key = NULL}};
static const struct wtl_noun plan = {"calibrate plan", of_plan};

WTL_MEMBER_GET(any)
{
    wtl_value_noun(ret, wtl_calibrate_any(of));
}

static const struct wtl_member of_conditions[] = {
    {"cpu", AT(NAME, cpu), .nullable = true, .meaning = "model name of the processor"},
    {"cpus", AT(UNSIGNED, threads), .meaning = "threads per load"},
    {"cpus_online", AT(UNSIGNED, online), .meaning = "number of CPUs of the machine"},
    {"", WTL_MEMBER_PART, .get = any, .of = &wtl_noun_frequency},
    {"idle_w", AT(NUMBER, idle.total_w), .nullable = true,
     .meaning = "idle power of the total, after a trial of the loads and before the first run"},
    {"busy_cpus", AT(NUMBER, busy_cpus), .nullable = true,
     .meaning = "CPUs used by other processes at that time"},
    {.key = NULL}};
static const struct wtl_noun conditions = {"calibrate conditions", of_conditions};

static bool next_load(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_calibrate *calibrate = of;
    while (*cursor < WTL_CALIBRATE_LOADS && !calibrate->loads[*cursor].asked)
        ++*cursor;
    return wtl_next_struct(ret, cursor, calibrate->loads, WTL_CALIBRATE_LOADS,
                           sizeof *calibrate->loads);
}

static const struct wtl_member of_warning[] = {
    {"name", WTL_TEXT_AT(struct wtl_calibrate_warning, name),
     .meaning = "`ESTIMATED`, `FEW_RUNS`, `NOT_IDLE`, `FEWER_CPUS`, `MORE_THREADS`, `CPU_LIMIT`, "
                "`NOT_SETTLED`, `SETTLING_UNKNOWN`, `DROPPED`, and the flags of runs "
                "(`THROTTLED`, `CAPPED`, `NOT ALONE`, ...)"},
    {"text", WTL_NAME_AT(struct wtl_calibrate_warning, text), .meaning = "a sentence"},
    {.key = NULL}};
static const struct wtl_noun warning_noun = {"calibrate warning", of_warning};

static const struct wtl_member of_calibrate[] = {
    {"", WTL_MEMBER_PART, .get = any, .of = &wtl_noun_origin},
    {"conditions", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &conditions, .meaning = "below"},
    {"plan", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &plan, .meaning = "below"},
    {"loads", WTL_MEMBER_LIST, .next = next_load, .of = &load_noun,
     .meaning = "requested loads, below"},
    {"bounds", WTL_MEMBER_LIST, .next = next_bounds, .of = &bounds_noun,
     .meaning = "one per item whose Pmin and Pmax differ significantly, below"},
    {"file", AT(NAME, path), .meaning = "path of the stored calibration"},
    {"stored", AT(BOOLEAN, stored), .meaning = "it was"},
    {"not_stored", AT(NAME, not_stored), .nullable = true, .meaning = "why it was not stored"},
    {"warnings", WTL_LIST_AT(struct wtl_calibrate, warnings, warning_count, warning_noun),
     .meaning = "warnings, below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_calibrate = {"calibrate", of_calibrate};
/* NOLINTEND(bugprone-macro-parentheses) */

void wtl_calibrate_csv(const struct wtl_calibrate *calibrate, FILE *out)
{
    struct wtl_row_writer sheet;
    struct wtl_value item;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "wattle.calibrate/1", &wtl_noun_calibrate_row);
    sheet.digits = 7;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        for (size_t cursor = 0; next_power(&calibrate->loads[i], &cursor, &item);) {
            if (((const struct power *)item.noun)->measured)
                wtl_noun_csv_row(&sheet, columns, &wtl_noun_calibrate_row, item.noun);
        }
    }
    wtl_row_writer_end(&sheet);
}
