/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The turns: start a load, let power settle, measure, stop it. Each round runs all loads in a
 * different order, so that a drift of the machine favours none. The machine is measured as in
 * measure.h, and this code checks the energy so far thirty times: if it drifts
 * (analysis/compare/settling.h), the measurement is dropped and a new one starts.
 */
#define _GNU_SOURCE
#include "cli/pose/calibrate.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "cli/pose/load_process.h"
#include "cli/run/idle.h"
#include "report/digits.h"
#include "report/table.h"

static const uint64_t SECOND_NS = 1000 * 1000 * 1000, READY_NS = 60 * SECOND_NS,
                      LEAST_WARM_NS = 5 * SECOND_NS, ALIVE_NS = 500 * 1000 * 1000,
                      LEAST_INTERVAL_NS = 2 * 1000 * 1000, IDLE_NS = 3 * SECOND_NS;

/* A running measurement. */
struct stretch {
    struct wtl_calibrate *calibrate;
    struct wtl_load_process *process;
    const struct wtl_calibrate_load *load;
    uint64_t load_ns; /* when the load was ready */
    struct wtl_settling_part parts[WTL_SETTLING_PARTS];
    size_t count;
    double energy_j;      /* so far */
    uint64_t energy_ns;   /* up to here */
    double temperature_c; /* at the last reading */
    struct wtl_settling settling;
    enum wtl_wait end; /* WTL_WAIT_TIME: complete, or aborted */
    bool given_up;
};

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

/* ---- a stretch ---- */

static double hottest_of(const struct wtl_result *result)
{
    double hottest = NAN;
    for (size_t i = result->energy_count; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.quantity != WATTLE_TEMPERATURE ||
            c->channel.domain != WATTLE_DOMAIN_PACKAGE || c->summary.samples == 0)
            continue;
        hottest = fmax(hottest, (double)(int64_t)c->summary.last_value * c->channel.scale);
    }
    return hottest;
}

/* The next part, from the last reading to this one. A slow sensor without a new value adds no part. */
static void add_part(struct stretch *stretch, struct wtl_measurement *measurement, bool whole)
{
    struct wtl_result result;
    wtl_measurement_so_far(measurement, &result);
    uint64_t until_ns = result.until_ns, begun = stretch->energy_ns;
    double energy_j = wtl_result_energy_at(&result, until_ns).j;
    stretch->temperature_c = hottest_of(&result);
    if (result.total.count > 0 && until_ns > begun) {
        double length_s = (double)(until_ns - begun) * 1e-9;
        double middle_s = (double)(begun - stretch->load_ns) * 1e-9 + length_s / 2;
        stretch->parts[stretch->count++] =
            (struct wtl_settling_part){.time_s = middle_s,
                                       .power_w = (energy_j - stretch->energy_j) / length_s,
                                       .temperature_c = stretch->temperature_c};
        stretch->energy_j = energy_j;
        stretch->energy_ns = until_ns;
    }
    wtl_result_fini(&result);
    stretch->settling = wtl_settling_of(stretch->parts, stretch->count, whole);
}

/* ---- progress: one line that is overwritten on a terminal; otherwise one line per turn, as for a job log ---- */

char *wtl_calibrate_minutes(char *buf, size_t n, double seconds)
{
    if (seconds < 90)
        (void)snprintf(buf, n, "%.0f s", ceil(seconds));
    else
        (void)snprintf(buf, n, "%.0f min", ceil(seconds / 60));
    return buf;
}

static void calibrate_clear(const struct wtl_calibrate *calibrate)
{
    if (calibrate->progress)
        (void)fputs("\r\033[K", stderr);
}

/* Show the current step on a terminal, and clear it; power_w NaN = unknown. */
static void calibrate_show(const struct wtl_calibrate *calibrate,
                           const struct wtl_calibrate_load *load,
                           const char *what,
                           double power_w)
{
    char power[32], left[32];
    double about_s, most_s;
    if (!calibrate->progress)
        return;
    wtl_calibrate_time_left(calibrate, &about_s, &most_s);
    /* Time spent in the current turn. */
    uint64_t begun_ns = calibrate->turns_done ? calibrate->done_ns : calibrate->start_ns;
    uint64_t at_ns = wtl_world_monotonic(wtl_world_real());
    about_s = fmax(about_s - (double)(at_ns - begun_ns) * 1e-9, 1);
    (void)fprintf(stderr, "\r\033[K%zu of %zu: %s, %s", calibrate->turns_done + 1, calibrate->turns,
                  load->name, what);
    if (!isnan(power_w))
        (void)fprintf(stderr, ", %s W", wtl_digits_short(power, sizeof power, power_w));
    (void)fprintf(stderr, "; about %s left", wtl_calibrate_minutes(left, sizeof left, about_s));
}

/* A turn with a valid run is complete. */
static void calibrate_tell_turn(const struct wtl_calibrate *calibrate,
                                const struct wtl_calibrate_load *load)
{
    char power[32], left[32];
    double about_s, most_s;
    calibrate_clear(calibrate);
    if (calibrate->progress || calibrate->options.run.quiet)
        return;
    const struct wtl_calibrate_run *run = &load->runs[load->count - 1];
    wtl_calibrate_time_left(calibrate, &about_s, &most_s);
    (void)fprintf(stderr, "%zu of %zu: %s, %s W%s", calibrate->turns_done, calibrate->turns,
                  load->name,
                  wtl_digits_short(power, sizeof power, load->results[load->count - 1].total_w),
                  run->settling.state == WTL_SETTLING_DRIFTED ? ", not settled" : "");
    if (calibrate->turns_done < calibrate->turns)
        (void)fprintf(stderr, "; about %s left", wtl_calibrate_minutes(left, sizeof left, about_s));
    (void)fputc('\n', stderr);
}

/* ---- its measurement ---- */

static void attend(void *context, struct wtl_measurement *measurement)
{
    struct stretch *stretch = context;
    struct wtl_calibrate *calibrate = stretch->calibrate;
    const struct wtl_calibrate_options *o = &calibrate->options;
    uint64_t begun = now_ns(), settled_by = stretch->load_ns + o->settle_ns;
    stretch->energy_ns = begun;
    for (uint64_t i = 1; i <= WTL_SETTLING_PARTS && !stretch->given_up; i++) {
        bool whole = i == WTL_SETTLING_PARTS;
        stretch->end = wtl_load_process_wait(stretch->process, &calibrate->series.signals,
                                             begun + o->time_ns / WTL_SETTLING_PARTS * i, false);
        if (stretch->end != WTL_WAIT_TIME)
            return;
        add_part(stretch, measurement, whole);
        stretch->given_up =
            stretch->settling.state == WTL_SETTLING_DRIFTED && now_ns() < settled_by;
        calibrate_show(calibrate, stretch->load, "measuring",
                       stretch->count ? stretch->parts[stretch->count - 1].power_w : (double)NAN);
    }
}

/* Measure once while the load runs; sets *ret_result unless it was aborted or failed. */
static int measure_stretch(struct stretch *stretch,
                           struct wtl_result *ret_result,
                           struct wattle_error *err)
{
    struct wtl_trials *series = &stretch->calibrate->series;
    struct wtl_run_trace trace;
    struct wtl_result result = {0};
    series->measure.what.target.pid = stretch->load->hides_ranks ? 0 : stretch->process->child.pid;
    series->measure.attendant = (struct wtl_attendant){.attend = attend, .context = stretch};
    int rc = wtl_trials_measure(series, &result, &trace, err);
    if (rc < 0)
        return rc;
    wtl_run_trace_fini(&trace);
    stretch->temperature_c = hottest_of(&result);
    *ret_result = result;
    return 0;
}

/* ---- a turn ---- */

__attribute__((format(printf, 2, 3))) static int drop(struct wtl_calibrate_load *load,
                                                      const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(load->dropped_for, sizeof load->dropped_for, format, arguments);
    va_end(arguments);
    load->dropped++;
    return -EAGAIN;
}

/* A short message if the launcher's output is long and the remedy is known; else NULL. */
static const char *known_refusal(const char *words)
{
    if (strcasestr(words, "run as root"))
        return "mpirun does not run as root; calibrate as another user with access to the sensors, "
               "or use --launcher \"mpirun --allow-run-as-root -np %d\"";
    if (strcasestr(words, "not enough slots"))
        return "mpirun has fewer slots than ranks; use fewer --threads, or --launcher \"mpirun "
               "--use-hwthread-cpus -np %d\", or mpirun --oversubscribe";
    return NULL;
}

/* Record why a load ended early. */
static int drop_ended(struct wtl_calibrate_load *load, const struct wtl_load_process *process)
{
    char words[300];
    wtl_load_process_words(process, words, sizeof words);
    const char *known = known_refusal(words);
    if (known)
        return drop(load, "%s", known);
    for (char *c = words; *c; c++)
        *c = (char)((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
    int code = wtl_child_exit_code(&process->child);
    return drop(load, "ended early with status %d %s%s", code,
                words[0] ? "and printed: " : "and printed nothing", words);
}

/* Start the load and wait until it runs. Returns 0, -EAGAIN with the reason in dropped_for, or -EINTR. */
static int start(struct wtl_calibrate *calibrate,
                 struct wtl_calibrate_load *load,
                 struct wtl_load_process *process)
{
    struct wattle_error why = {""};
    int rc = wtl_load_process_start(process, load->argv, &calibrate->series.signals, &why);
    if (rc < 0)
        return drop(load, "%s", why.text);
    enum wtl_wait end = wtl_load_process_wait(process, &calibrate->series.signals,
                                              now_ns() + (load->says_ready ? READY_NS : ALIVE_NS),
                                              load->says_ready);
    if (end == WTL_WAIT_INTERRUPTED)
        return -EINTR;
    if (end == WTL_WAIT_PID_ENDED) {
        wtl_load_process_stop(process, &calibrate->series.signals);
        return drop_ended(load, process);
    }
    if (load->says_ready && !process->ready)
        return drop(load, "did not report that it is ready within %d s",
                    (int)(READY_NS / SECOND_NS));
    return 0;
}

/* Do as many threads or ranks run as requested? Returns 0, or -EAGAIN with the reason recorded. */
static int check_count(const struct wtl_calibrate *calibrate,
                       struct wtl_calibrate_load *load,
                       const char *line)
{
    static const char *const fields[] = {"threads", "ranks"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char field[16];
        (void)snprintf(field, sizeof field, " %s=", fields[i]);
        const char *at = strstr(line, field);
        unsigned long count = at ? strtoul(at + strlen(field), NULL, 10) : calibrate->threads;
        if (count != calibrate->threads)
            return drop(load, "%lu %s run, not %u%s", count, fields[i], calibrate->threads,
                        i ? "; check --launcher"
                          : "; check OMP_THREAD_LIMIT and OMP_DYNAMIC in the environment");
    }
    return 0;
}

/* Read the "ready" line of the load (wattle-load(1)): its field "how" and the number of threads. Returns 0,
 * or -EAGAIN with the reason recorded. */
static int read_ready(const struct wtl_calibrate *calibrate,
                      struct wtl_calibrate_load *load,
                      const struct wtl_load_process *process)
{
    static const char field[] = " how=\"";
    char line[512];
    if (!load->says_ready || !wtl_load_process_line(process, "ready", line, sizeof line))
        return 0;
    const char *how = strstr(line, field);
    if (how) {
        how += strlen(field);
        (void)snprintf(load->how, sizeof load->how, "%.*s", (int)strcspn(how, "\""), how);
    }
    return check_count(calibrate, load, line);
}

static bool has_gap(const struct wtl_result *result)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.flags & WATTLE_CHANNEL_IN_TOTAL && c->summary.unknown_ns > 0)
            return true;
    }
    return false;
}

/* Is the result comparable to the previous ones? Returns 0, or -EAGAIN with the reason recorded. */
static int check_result(const struct wtl_calibrate *calibrate,
                        struct wtl_calibrate_load *load,
                        const struct wtl_result *result)
{
    const struct wtl_result *first = wtl_calibrate_any(calibrate);
    first = first ? first : calibrate->has_idle ? &calibrate->idle : NULL;
    if (first && (strcmp(first->total.contains, result->total.contains) != 0 ||
                  first->total.quality != result->total.quality))
        return drop(load, "the sensors changed: now \"%s\" (%s)", result->total.contains,
                    wattle_quality_name(result->total.quality));
    if (!(result->total_w > 0) || has_gap(result))
        return drop(load, "a sensor had a gap or vanished, so the energy is unknown");
    return 0;
}

static int keep(struct wtl_calibrate *calibrate,
                struct wtl_calibrate_load *load,
                struct wtl_result *result,
                const struct wtl_calibrate_run *run)
{
    unsigned room = calibrate->options.runs;
    int rc = check_result(calibrate, load, result);
    if (rc < 0)
        return rc;
    if (!load->results)
        load->results = calloc(room, sizeof *load->results);
    if (!load->runs)
        load->runs = calloc(room, sizeof *load->runs);
    if (!load->results || !load->runs)
        return -ENOMEM;
    load->results[load->count] = *result;
    load->runs[load->count] = *run;
    load->runs[load->count].result = &load->results[load->count];
    load->count++;
    load->settled += run->settling.state == WTL_SETTLING_STEADY;
    load->drifted += run->settling.state == WTL_SETTLING_DRIFTED;
    return 0;
}

/* Measure stretches until one is stable or time is up. */
static int settle_and_measure(struct wtl_calibrate *calibrate,
                              struct wtl_calibrate_load *load,
                              struct wtl_load_process *process,
                              struct wattle_error *err)
{
    const struct wtl_calibrate_options *o = &calibrate->options;
    uint64_t load_ns = now_ns();
    uint64_t warm_ns = o->settle_ns < LEAST_WARM_NS ? o->settle_ns : LEAST_WARM_NS;
    calibrate_show(calibrate, load, "warming up", NAN);
    enum wtl_wait end =
        wtl_load_process_wait(process, &calibrate->series.signals, load_ns + warm_ns, false);
    while (end == WTL_WAIT_TIME) {
        struct stretch stretch = {.calibrate = calibrate,
                                  .process = process,
                                  .load = load,
                                  .load_ns = load_ns,
                                  .temperature_c = NAN,
                                  .end = WTL_WAIT_TIME};
        struct wtl_result result;
        struct wtl_calibrate_run run = {.waited_s = (double)(now_ns() - load_ns) * 1e-9};
        int rc = measure_stretch(&stretch, &result, err);
        if (rc < 0)
            return rc;
        end = stretch.end;
        run.settling = stretch.settling;
        run.temperature_c = stretch.temperature_c;
        if (end == WTL_WAIT_TIME && !stretch.given_up) {
            rc = keep(calibrate, load, &result, &run);
            if (rc < 0)
                wtl_result_fini(&result);
            return rc;
        }
        wtl_result_fini(&result);
    }
    if (end == WTL_WAIT_INTERRUPTED)
        return -EINTR;
    wtl_load_process_stop(process, &calibrate->series.signals);
    return drop_ended(load, process);
}

static int take_turn(struct wtl_calibrate *calibrate,
                     struct wtl_calibrate_load *load,
                     struct wattle_error *err)
{
    struct wtl_load_process process;
    size_t before = load->count;
    calibrate_show(calibrate, load, "starting", NAN);
    int rc = start(calibrate, load, &process);
    rc = rc < 0 ? rc : read_ready(calibrate, load, &process);
    if (rc == 0)
        rc = settle_and_measure(calibrate, load, &process, err);
    wtl_load_process_stop(&process, &calibrate->series.signals);
    calibrate->turns_done++;
    calibrate->done_ns = now_ns();
    if (load->count > before)
        calibrate_tell_turn(calibrate, load);
    if (rc != -EAGAIN)
        return rc;
    calibrate_clear(calibrate);
    if (!calibrate->options.run.quiet)
        wtl_print_sentence(stderr, "wattle pose calibrate: warning: %s: discarded a run: %s\n",
                           load->name, load->dropped_for);
    return 0;
}

/* ---- all turns ---- */

int wtl_calibrate_try(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    (void)err;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        struct wtl_calibrate_load *load = &calibrate->loads[i];
        struct wtl_load_process process;
        if (!wtl_calibrate_runs(load))
            continue;
        if (calibrate->progress)
            (void)fprintf(stderr, "\r\033[Ktrying %s", load->name);
        int rc = start(calibrate, load, &process);
        rc = rc < 0 ? rc : read_ready(calibrate, load, &process);
        wtl_load_process_stop(&process, &calibrate->series.signals);
        if (rc == -EINTR || wtl_trials_interrupted(&calibrate->series))
            return -EINTR;
        if (rc < 0) {
            static_assert(sizeof load->why >= sizeof load->dropped_for, "one for the other");
            memcpy(load->why, load->dropped_for, sizeof load->dropped_for);
            calibrate->turns -= calibrate->options.runs;
        }
        load->dropped = 0;
        load->dropped_for[0] = '\0';
    }
    calibrate_clear(calibrate);
    return 0;
}

static void set_measure(struct wtl_calibrate *calibrate)
{
    struct wtl_measure_options *measure = &calibrate->series.measure;
    uint64_t interval_ns = calibrate->options.time_ns / 100;
    measure->duration_ns = measure->delay_ns = measure->print_ns = 0;
    measure->what.trace_path = NULL;
    if (interval_ns < measure->what.interval_ns)
        measure->what.interval_ns =
            interval_ns < LEAST_INTERVAL_NS ? LEAST_INTERVAL_NS : interval_ns;
}

int wtl_calibrate_idle(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    struct wtl_trials *series = &calibrate->series;
    set_measure(calibrate);
    struct wtl_run_trace trace;
    uint64_t time_ns = calibrate->options.time_ns;
    series->measure.duration_ns = time_ns < IDLE_NS ? time_ns : IDLE_NS;
    int rc = wtl_trials_measure(series, &calibrate->idle, &trace, err);
    series->measure.duration_ns = 0;
    if (rc < 0)
        return rc;
    wtl_run_trace_fini(&trace);
    calibrate->has_idle = true;
    calibrate->busy_cpus = wtl_idle_busy_cpus(&calibrate->idle);
    if (wtl_trials_interrupted(series))
        return -EINTR;
    if (calibrate->idle.total.count == 0)
        return wtl_fail(err, -ENODEV,
                        "energy can neither be measured nor estimated; see \"wattle sensors\"");
    return 0;
}

/* The order of a round. */
static void shuffle(const struct wtl_calibrate *calibrate, unsigned round, size_t *order)
{
    uint64_t stream = wtl_random_bits(calibrate->options.seed, round);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        size_t place = (size_t)(wtl_random_uniform(stream, i) * (double)(i + 1));
        order[i] = order[place];
        order[place] = i;
    }
}

static int average(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    size_t measured = 0;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (load->count == 0)
            continue;
        if (wtl_repeat_of(load->results, load->count, &load->repeat) < 0)
            return wtl_no_memory(err);
        load->repeated = true;
        measured++;
    }
    return measured > 0 ? 0
                        : wtl_fail(err, -ENODATA,
                                   "all runs were discarded; see the warnings, or try --dry-run");
}

int wtl_calibrate_measure(struct wtl_calibrate *calibrate, struct wattle_error *err)
{
    size_t order[WTL_CALIBRATE_LOADS];
    int rc = 0;
    calibrate->start_ns = now_ns();
    for (unsigned round = 0; rc == 0 && round < calibrate->options.runs; round++) {
        shuffle(calibrate, round, order);
        for (size_t i = 0; i < WTL_CALIBRATE_LOADS && rc == 0; i++) {
            if (wtl_calibrate_runs(&calibrate->loads[order[i]]))
                rc = take_turn(calibrate, &calibrate->loads[order[i]], err);
        }
    }
    calibrate_clear(calibrate);
    if (rc == 0 && wtl_trials_interrupted(&calibrate->series))
        rc = -EINTR; /* while the last load was stopped */
    return rc < 0 ? rc : average(calibrate, err);
}

const struct wtl_result *wtl_calibrate_any(const struct wtl_calibrate *calibrate)
{
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        if (calibrate->loads[i].count > 0)
            return &calibrate->loads[i].results[0];
    }
    return NULL;
}
