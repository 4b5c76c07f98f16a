/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle tasks calibrate": measures the idle machine (P_Y), and with c = 1, 2, 4, ... threads of a load (P(c) = alpha + beta c), for each
 * channel, and stores them in calibration.conf as [tasks HOST CHANNEL].
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/tasks/task_platform.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/text/figures.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "cli/pose/calibrate.h"
#include "cli/pose/load_process.h"
#include "cli/run/idle.h"
#include "cli/run/trials.h"
#include "cli/settings.h"
#include "cli/verb.h"
#include "model/calibration/calibration.h"
#include "model/quality.h"
#include "model/statistics/quantile.h"
#include "model/statistics/student.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/table.h"

enum { LEVELS = 24, ROUNDS_MOST = 100, ITEMS = 65, NUMBER = 40, ENTRIES = 16 };
static const uint64_t SECOND_NS = 1000 * 1000 * 1000, LEAST_TIME_NS = 100 * 1000 * 1000,
                      READY_NS = 60ull * 1000 * 1000 * 1000;

struct calibrate {
    struct wtl_run_options run;
    uint64_t time_ns, settle_ns;
    unsigned threads, rounds;
    bool dry_run, force;
    const char *output;
    int format;

    struct wtl_trials series;
    char path[4096], program[4096];
    unsigned levels[LEVELS]; /* threads; 0 first */
    size_t level_count;
    /* Of each measurement, by item: the total, then channels. */
    double *power_w;         /* [rounds * levels][ITEMS] */
    size_t measured;         /* rows of it */
    struct wtl_result first; /* of the idle machine: names, quality */
    bool has_first;
    double busy_cpus; /* that other programs used while the idle machine was measured, most */
};

static const struct wtl_option options_table[] = {
    {'n', "dry-run", NULL, "show the plan, run nothing", WTL_SETS(struct calibrate, dry_run)},
    {'t', "time", "DUR", "measure each for DUR (default 5s)",
     WTL_TAKES_DURATION(struct calibrate, time_ns, 1)},
    {0, "settle", "DUR", "wait for DUR before each (default 2s)",
     WTL_TAKES_DURATION(struct calibrate, settle_ns, 0)},
    {'r', "runs", "N", "measure each N times (default 3)",
     WTL_TAKES_UNSIGNED(struct calibrate, rounds, 1, ROUNDS_MOST)},
    {0, "threads", "N", "most threads of the load (default: one per CPU)",
     WTL_TAKES_UNSIGNED(struct calibrate, threads, 1, 65536)},
    {'o', "output", "FILE", "store in FILE instead of your calibration.conf",
     WTL_TAKES_FILE(struct calibrate, output)},
    {'f', "force", NULL, "store it even if other programs run", WTL_SETS(struct calibrate, force)},
    WTL_RUN_OPTION_SENSOR(struct calibrate, run.sensors),
    WTL_OPTION_FORMAT(struct calibrate, format),
    {'q', "quiet", NULL, "print no warnings", WTL_SETS(struct calibrate, run.quiet)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* 0, 1, 2, 3, 4, 6, 8, 12, ... and the most. */
static void choose_levels(struct calibrate *c)
{
    unsigned level = 0;
    while (level < c->threads && c->level_count < LEVELS - 1) {
        c->levels[c->level_count++] = level;
        level += level < 4 ? 1 : level & (level - 1) ? level / 3 : level / 2;
    }
    c->levels[c->level_count++] = c->threads;
}

/* ---- measuring ---- */

static bool is_busy(const struct calibrate *c)
{
    return c->busy_cpus > WTL_IDLE_CPUS;
}

static const char *item_name(const struct calibrate *c, size_t item)
{
    return item == 0 ? "total" : c->first.channels[item - 1].channel.name;
}

static size_t item_count(const struct calibrate *c)
{
    return c->first.energy_count < ITEMS - 1 ? c->first.energy_count + 1 : ITEMS;
}

static double power_of(const struct calibrate *c, const struct wtl_result *result, size_t item)
{
    if (item == 0)
        return result->total_w;
    const struct wtl_result_channel *channel = wtl_result_find(result, item_name(c, item));
    return channel ? wtl_result_energy(channel).j / result->wall_time_s : (double)NAN;
}

static int measure(struct calibrate *c, unsigned level, struct wattle_error *err)
{
    struct wtl_run_trace trace;
    struct wtl_result result = {0};
    c->series.measure.duration_ns = c->time_ns;
    int rc = wtl_trials_measure(&c->series, &result, &trace, err);
    if (rc < 0)
        return rc;
    wtl_run_trace_fini(&trace);
    if (level == 0)
        c->busy_cpus = fmax(c->busy_cpus, wtl_idle_busy_cpus(&result));
    if (!c->has_first && result.total.count == 0)
        rc = wtl_fail(err, -ENODEV, "energy cannot be measured; see \"wattle sensors\"");
    if (wtl_trials_interrupted(&c->series))
        rc = -EINTR;
    bool keep = rc == 0 && !c->has_first;
    if (keep) {
        c->first = result;
        c->has_first = true;
    }
    for (size_t item = 0; rc == 0 && item < item_count(c); item++)
        c->power_w[c->measured * ITEMS + item] = power_of(c, &result, item);
    c->measured += rc == 0;
    if (!keep)
        wtl_result_fini(&result);
    return rc;
}

static int wait_load(struct calibrate *c, struct wtl_load_process *load, struct wattle_error *err)
{
    uint64_t now = wtl_world_monotonic(wtl_world_real());
    enum wtl_wait end = wtl_load_process_wait(load, &c->series.signals, now + READY_NS, true);
    if (end == WTL_WAIT_TIME && load->ready) {
        now = wtl_world_monotonic(wtl_world_real());
        end = wtl_load_process_wait(load, &c->series.signals, now + c->settle_ns, false);
    }
    if (end == WTL_WAIT_INTERRUPTED)
        return -EINTR;
    if (end == WTL_WAIT_TIME && load->ready)
        return 0;
    char words[300];
    wtl_load_process_words(load, words, sizeof words);
    return wtl_fail(err, -ECHILD, "%s does not run: %s", c->program, words);
}

static int measure_level(struct calibrate *c, unsigned level, struct wattle_error *err)
{
    char threads[16], life[32];
    char name[] = "fma", with[] = "--threads", limit[] = "--time";
    char *const argv[] = {c->program, name, with, threads, limit, life, NULL};
    struct wtl_load_process load;
    if (level == 0) {
        (void)usleep((useconds_t)(c->settle_ns / 1000 < 1000000 ? c->settle_ns / 1000 : 1000000));
        return measure(c, 0, err);
    }
    (void)snprintf(threads, sizeof threads, "%u", level);
    (void)snprintf(life, sizeof life, "%llus",
                   (unsigned long long)(c->settle_ns + c->time_ns) / SECOND_NS + 120);
    int rc = wtl_load_process_start(&load, argv, &c->series.signals, err);
    rc = rc < 0 ? rc : wait_load(c, &load, err);
    rc = rc < 0 ? rc : measure(c, level, err);
    wtl_load_process_stop(&load, &c->series.signals);
    return rc;
}

/* Up and down in turn, so that a drift favours none. */
static int measure_all(struct calibrate *c, struct wattle_error *err)
{
    for (unsigned round = 0; round < c->rounds; round++)
        for (size_t i = 0; i < c->level_count; i++) {
            size_t at = round % 2 ? c->level_count - 1 - i : i;
            int rc = measure_level(c, c->levels[at], err);
            if (rc < 0)
                return rc;
        }
    return 0;
}

static unsigned level_of(const struct calibrate *c, size_t row)
{
    size_t round = row / c->level_count, i = row % c->level_count;
    return c->levels[round % 2 ? c->level_count - 1 - i : i];
}

/* ---- the result ---- */

/* Of a level: its powers in all rounds; returns how many. */
static size_t powers_of(const struct calibrate *c, size_t item, unsigned level, double *power_w)
{
    size_t n = 0;
    for (size_t row = 0; row < c->measured; row++)
        if (level_of(c, row) == level && !isnan(c->power_w[row * ITEMS + item]))
            power_w[n++] = c->power_w[row * ITEMS + item];
    return n;
}

/* Of the total, or a channel. NaN = unknown. */
struct wtl_platform_found {
    const char *name;
    double idle_w, idle_half_w;
    double static_w, static_half_w; /* negative: what was measured cannot be */
    struct wtl_task_line line;
    double spread; /* the most that a round is off the median of its level */
};

struct wtl_platform_document {
    const char *node, *date, *path, *quality;
    bool simulated;
    unsigned threads, rounds;
    double busy_cpus; /* that other programs used while the idle machine was measured, most */
    const struct wtl_platform_found *found;
    size_t count;
};

/* The line goes through the medians of the levels, so that a round in which something else ran does not bend it; intervals come from
 * all rounds, so that they tell of it. */
static struct wtl_platform_found find(const struct calibrate *c, size_t item)
{
    double cores[LEVELS * ROUNDS_MOST] = {0}, power_w[LEVELS * ROUNDS_MOST] = {0};
    double levels[LEVELS], medians[LEVELS], sd = 0;
    size_t n = 0, lines = 0;
    struct wtl_platform_found found = {
        .name = item_name(c, item), .idle_w = (double)NAN, .idle_half_w = (double)NAN};
    for (size_t i = 0; i < c->level_count; i++) {
        size_t count = powers_of(c, item, c->levels[i], power_w + n);
        if (count == 0)
            continue;
        double mean_w = wtl_mean_sd(power_w + n, count, &sd);
        double median_w = wtl_median(power_w + n, count);
        for (size_t k = 0; k < count; k++)
            found.spread = fmax(found.spread, fabs(power_w[n + k] / median_w - 1));
        if (c->levels[i] == 0) {
            double t = count > 1 ? wtl_student_quantile(0.975, (double)count - 1) : (double)NAN;
            found.idle_w = median_w;
            found.idle_half_w = t * sd / sqrt((double)count) + fabs(mean_w - median_w);
            continue;
        }
        levels[lines] = c->levels[i];
        medians[lines++] = median_w;
        for (size_t k = 0; k < count; k++)
            cores[n++] = c->levels[i];
    }
    found.line = wtl_task_line_of(cores, power_w, n);
    struct wtl_task_line line = wtl_task_line_of(levels, medians, lines);
    found.line.alpha_half_w += fabs(line.alpha_w - found.line.alpha_w);
    found.line.beta_half_w += fabs(line.beta_w - found.line.beta_w);
    found.line.alpha_w = line.alpha_w;
    found.line.beta_w = line.beta_w;
    found.static_w = found.line.alpha_w - found.idle_w;
    found.static_half_w =
        hypot(isnan(found.idle_half_w) ? 0 : found.idle_half_w, found.line.alpha_half_w);
    return found;
}

static bool fill_entry(struct wtl_calibration_entry *entries,
                       size_t *count,
                       const char *key,
                       double value)
{
    char *text = NULL;
    if (isnan(value))
        return true;
    if (asprintf(&text, "%.7g", value) < 0)
        return false;
    entries[(*count)++] = (struct wtl_calibration_entry){key, text};
    return true;
}

static int fill_section(const struct calibrate *c,
                        size_t item,
                        struct wtl_calibration_section *section,
                        struct wtl_calibration_entry *entries,
                        const char *date)
{
    struct wtl_platform_found f = find(c, item);
    size_t count = 0;
    bool filled = fill_entry(entries, &count, "idle_w", f.idle_w) &&
                  fill_entry(entries, &count, "idle_half_w", f.idle_half_w) &&
                  fill_entry(entries, &count, "static_w", fmax(0, f.static_w)) &&
                  fill_entry(entries, &count, "static_half_w", f.static_half_w) &&
                  fill_entry(entries, &count, "alpha_w", f.line.alpha_w) &&
                  fill_entry(entries, &count, "core_w", f.line.beta_w) &&
                  fill_entry(entries, &count, "core_half_w", f.line.beta_half_w) &&
                  fill_entry(entries, &count, "spread", f.spread) &&
                  fill_entry(entries, &count, "threads", c->threads);
    char *texts[] = {strdup(date), strdup(wtl_result_quality_word(&c->first)),
                     strdup(wtl_result_is_simulated(&c->first) ? "yes" : "no")};
    static const char *const keys[] = {"date", "quality", "simulated"};
    for (size_t i = 0; i < 3; i++) {
        filled &= texts[i] != NULL;
        entries[count++] = (struct wtl_calibration_entry){keys[i], texts[i]};
    }
    *section = (struct wtl_calibration_section){
        "tasks", c->first.node ? c->first.node : c->first.host, item_name(c, item), entries, count};
    return filled ? 0 : -ENOMEM;
}

static int store(const struct calibrate *c, struct wattle_error *err)
{
    static struct wtl_calibration_entry entries[ITEMS][ENTRIES];
    struct wtl_calibration_section sections[ITEMS];
    char date[WTL_CALIBRATE_DATE];
    size_t n = item_count(c);
    int rc = 0;
    wtl_calibrate_date(c->first.start_realtime_ns, date);
    for (size_t item = 0; item < n; item++)
        rc |= fill_section(c, item, &sections[item], entries[item], date);
    rc = rc < 0 ? wtl_no_memory(err) : wtl_calibration_store(c->path, sections, n, err);
    for (size_t item = 0; item < n; item++)
        for (size_t i = 0; i < sections[item].count; i++)
            free((char *)(uintptr_t)sections[item].entries[i].value);
    return rc;
}

/* ---- the document "wattle.tasks-calibrate/1" ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define FOUND(kind, field)    kind(struct wtl_platform_found, field)
#define DOCUMENT(kind, field) kind(struct wtl_platform_document, field)

static const struct wtl_member of_found[] = {
    {"channel", FOUND(WTL_TEXT_AT, name), .meaning = "total, or a power channel"},
    {"idle_w", FOUND(WTL_NUMBER_OR_NULL, idle_w), .meaning = "P_Y: the idle machine"},
    {"idle_half_w", FOUND(WTL_NUMBER_OR_NULL, idle_half_w),
     .meaning = "half its 95 % interval; null: one round"},
    {"static_w", FOUND(WTL_NUMBER_OR_NULL, static_w),
     .meaning = "P_S: what it takes more as soon as anything runs; negative, something else ran, "
                "and 0 is stored"},
    {"static_half_w", FOUND(WTL_NUMBER_OR_NULL, static_half_w), .meaning = "likewise"},
    {"alpha_w", FOUND(WTL_NUMBER_OR_NULL, line.alpha_w), .meaning = "P(c) = alpha + core c"},
    {"core_w", FOUND(WTL_NUMBER_OR_NULL, line.beta_w), .meaning = "of each further busy core"},
    {"core_half_w", FOUND(WTL_NUMBER_OR_NULL, line.beta_half_w), .meaning = "likewise"},
    {"spread", FOUND(WTL_NUMBER_AT, spread), .unit = "",
     .meaning = "the most that a round is off the median of its number of threads: 0.05 = 5 %"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_platform_row = {"platform channel", of_found};

static const struct wtl_member of_document[] = {
    {"node", DOCUMENT(WTL_TEXT_OR_NULL, node), .meaning = "whose calibration this is"},
    {"date", DOCUMENT(WTL_TEXT_AT, date), .meaning = "when it was measured"},
    {"path", DOCUMENT(WTL_TEXT_AT, path), .meaning = "the file that it is stored in"},
    {"quality", DOCUMENT(WTL_TEXT_AT, quality), .meaning = "of the power"},
    {"simulated", DOCUMENT(WTL_BOOLEAN_AT, simulated), .meaning = "of a simulated node"},
    {"threads", DOCUMENT(WTL_UNSIGNED_AT, threads), .meaning = "most threads of the load"},
    {"runs", DOCUMENT(WTL_UNSIGNED_AT, rounds), .meaning = "rounds"},
    {"busy_cpus", DOCUMENT(WTL_NUMBER_OR_NULL, busy_cpus), .unit = "",
     .meaning = "that other programs used while the idle machine was measured"},
    {"channels", WTL_LIST_AT(struct wtl_platform_document, found, count, wtl_noun_platform_row),
     .meaning = "below"},
    {.key = NULL}};
/* NOLINTEND(bugprone-macro-parentheses) */
const struct wtl_noun wtl_noun_platform = {"calibration of tasks", of_document};

static int print_document(const struct calibrate *c)
{
    struct wtl_platform_found found[ITEMS];
    char date[WTL_CALIBRATE_DATE];
    const struct wtl_platform_document document = {.node = c->first.node ? c->first.node
                                                                         : c->first.host,
                                                   .date = date,
                                                   .path = c->path,
                                                   .quality = wtl_result_quality_word(&c->first),
                                                   .simulated = wtl_result_is_simulated(&c->first),
                                                   .threads = c->threads,
                                                   .rounds = c->rounds,
                                                   .busy_cpus = c->busy_cpus,
                                                   .found = found,
                                                   .count = item_count(c)};
    wtl_calibrate_date(c->first.start_realtime_ns, date);
    for (size_t item = 0; item < document.count; item++)
        found[item] = find(c, item);
    if (c->format == WTL_FORMAT_JSON)
        return wtl_json_print(
            stdout, wtl_noun_document("wattle.tasks-calibrate/1", &wtl_noun_platform, &document));
    struct wtl_row_writer sheet;
    size_t columns =
        wtl_noun_csv_begin(&sheet, stdout, "wattle.tasks-calibrate/1", &wtl_noun_platform_row);
    for (size_t item = 0; item < document.count; item++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_platform_row, &found[item]);
    wtl_row_writer_end(&sheet);
    return 0;
}

static int print_table(const struct calibrate *c)
{
    static const struct wtl_column columns[] = {{"channel", false},
                                                {"P_Y idle [W]", true},
                                                {"P_S [W]", true},
                                                {"per core [W]", true},
                                                {"spread", true}};
    struct wtl_style style = wtl_style_of(stdout);
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t item = 0; item < item_count(c); item++) {
        struct wtl_platform_found f = find(c, item);
        char idle[NUMBER], statics[NUMBER], core[NUMBER], spread[NUMBER];
        (void)snprintf(spread, sizeof spread, "%s %%", WTL_IN_FIGURES(100 * f.spread, 2));
        const char *cells[] = {
            item_name(c, item), wtl_digits_interval(idle, sizeof idle, f.idle_w, f.idle_half_w),
            wtl_digits_interval(statics, sizeof statics, f.static_w, f.static_half_w),
            wtl_digits_interval(core, sizeof core, f.line.beta_w, f.line.beta_half_w), spread};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, stdout, WTL_TEXT_INDENT, &style);
    wtl_table_destroy(table);
    wtl_print_sentence(stdout, "\n Stored in %s (%s)\n", c->path,
                       wtl_result_quality_word(&c->first));
    return rc;
}

static int print(const struct calibrate *c, struct wattle_error *err)
{
    bool below = false;
    int rc = c->format == WTL_FORMAT_TEXT ? print_table(c) : print_document(c);
    for (size_t item = 0; item < item_count(c); item++)
        below |= find(c, item).static_w < 0;
    if (below && !c->run.quiet)
        wtl_complain(&wtl_tasks_calibrate_command,
                     "warning: P_S cannot be negative, so 0 is stored where it is; repeat this "
                     "while nothing else runs, with a longer --time");
    if (is_busy(c) && !c->run.quiet)
        wtl_complain(&wtl_tasks_calibrate_command,
                     "warning: other programs used %s CPUs while the idle machine was measured",
                     WTL_IN_FIGURES(c->busy_cpus, 2));
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(stdout, err);
}

/* ---- the action ---- */

/* Is it another's machine, too? Asked before the first load, which takes much longer, and again when all is measured. */
static int check_busy(const struct calibrate *c, struct wattle_error *err)
{
    if (!is_busy(c) || c->force)
        return 0;
    return wtl_fail(err, -EBUSY,
                    "other programs used %s CPUs while the idle machine was measured: nothing was "
                    "stored; wait until they have ended, or use --force",
                    WTL_IN_FIGURES(c->busy_cpus, 2));
}

static int check(const struct calibrate *c, struct wattle_error *err)
{
    if (wtl_result_is_simulated(&c->first) && !c->output)
        return wtl_fail(err, -EINVAL,
                        "the sensors are simulated, so the result must not be stored in %s as this "
                        "machine's; choose a file with --output",
                        c->path);
    if (c->first.total.quality == WATTLE_ESTIMATED)
        return wtl_fail(
            err, -ENODEV,
            "power is only estimated here, from a formula: there is nothing to calibrate");
    return check_busy(c, err);
}

static int go(struct calibrate *c,
              const struct wtl_cli_settings *settings,
              struct wattle_error *err)
{
    char folder[4096];
    int rc = wtl_calibration_place(c->output, c->path, sizeof c->path, err);
    if (rc == 0 && !wtl_load_program_find(c->program, sizeof c->program, folder, sizeof folder))
        rc = wtl_fail(err, -ENOENT, "wattle-load not found; it is installed with wattle");
    if (rc == 0 && c->dry_run) {
        wtl_print_sentence(stdout,
                           "%zu powers, %u times each, for %s s: 0 to %u threads; stored in %s\n",
                           c->level_count, c->rounds, WTL_IN_FIGURES(1e-9 * (double)c->time_ns, 3),
                           c->threads, c->path);
        return wtl_flush(stdout, err);
    }
    rc = rc < 0 ? rc : wtl_trials_init(&c->series, &c->run, settings, err);
    c->power_w = calloc((size_t)c->rounds * LEVELS * ITEMS, sizeof *c->power_w);
    rc = rc == 0 && !c->power_w ? wtl_no_memory(err) : rc;
    c->series.measure.what.trace_path = NULL;
    if (rc == 0)
        rc = measure_level(c, 0, err);
    rc = rc < 0 ? rc : check(c, err);
    c->measured = 0;
    rc = rc < 0 ? rc : measure_all(c, err);
    rc = rc < 0 ? rc : check_busy(c, err);
    rc = rc < 0 ? rc : store(c, err);
    return rc < 0 ? rc : print(c, err);
}

static int run(int argc, char **argv)
{
    static struct calibrate c; /* too large for the stack */
    struct wtl_cli_settings settings;
    struct wtl_command_line line;
    struct wattle_error err = {""};
    c = (struct calibrate){.time_ns = 5 * SECOND_NS, .settle_ns = 2 * SECOND_NS, .rounds = 3};
    wtl_run_options_init(&c.run);
    c.run.command = &wtl_tasks_calibrate_command;
    if (wtl_cli_settings_load(&settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_tasks_calibrate_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    int status = wtl_run_options_configure(&c.run, settings.config) < 0
                     ? wtl_tasks_calibrate_command.usage_exit
                     : wtl_command_read(&wtl_tasks_calibrate_command, argc, argv, &c, &line);
    if (status == WTL_GO_ON && c.time_ns < LEAST_TIME_NS)
        status = wtl_usage(&wtl_tasks_calibrate_command, "--time must be at least 0.1s");
    if (status != WTL_GO_ON) {
        wtl_cli_settings_fini(&settings);
        return status;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    c.threads = c.threads ? c.threads : online > 0 ? (unsigned)online : 1;
    choose_levels(&c);
    int rc = go(&c, &settings, &err);
    if (rc == -EINTR)
        wtl_complain(&wtl_tasks_calibrate_command, "interrupted: nothing was stored");
    else if (rc < 0)
        wtl_complain(&wtl_tasks_calibrate_command, "%s", err.text);
    if (c.has_first)
        wtl_result_fini(&c.first);
    free(c.power_w);
    if (!c.dry_run)
        wtl_trials_fini(&c.series);
    wtl_cli_settings_fini(&settings);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_tasks_calibrate_command = {
    .verb = "tasks calibrate",
    .run = run,
    .operands = "",
    .summary = "measure what the machine takes whatever runs",
    .text =
        "Measures the idle machine (P_Y), and the power with 1, 2, ... threads of a load:\nP(c) = "
        "alpha + beta c, P_S = alpha - P_Y. Stores them for \"wattle tasks\". Nothing\nelse should "
        "run.\n",
    .options = options_table,
    .examples = "sudo wattle tasks calibrate\n"
                "wattle tasks calibrate --time 10s --threads 16 -o node.conf\n",
    .usage_exit = WTL_EXIT_USAGE,
};
