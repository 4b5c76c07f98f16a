/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of a run's trace: see provenance.h. A failed write is the writer's sticky error,
 * reported once at the end, so the return values of single calls are ignored here. */
#define _GNU_SOURCE
#include "measure/provenance.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/secrets.h"
#include "counters/columns/counters.h"
#include "counters/machine.h"
#include "measure/counted.h"
#include "model/counters/counter_set.h"
#include "model/labels.h"
#include "model/meta_key.h"
#include "record/seat.h"

static void put_fact(struct wtl_trace_writer *writer, const char *key, const char *value)
{
    if (value)
        (void)wtl_trace_writer_meta(writer, key, value);
}

static void put_number(struct wtl_trace_writer *writer, const char *key, double value)
{
    char text[40];
    if (!isfinite(value))
        return;
    (void)snprintf(text, sizeof text, "%.17g", value);
    put_fact(writer, key, text);
}

static void put_integer(struct wtl_trace_writer *writer, const char *key, long long value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", value);
    put_fact(writer, key, text);
}

static void emit(void *context, const char *key, const char *value)
{
    put_fact(context, key, value);
}

/* What each sensor could not use, which explains missing domains. */
static void put_sensors(struct wtl_trace_writer *writer, const struct wtl_selection *selection)
{
    char key[64];
    for (size_t i = 0; i < selection->offer_count; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        if (offer->source.about[0]) {
            (void)snprintf(key, sizeof key, "sensor.%s.about", offer->driver->name);
            put_fact(writer, key, offer->source.about);
        }
        if (!offer->why.text[0] || offer->driver->flags & WTL_DRIVER_ACTIVITY)
            continue;
        (void)snprintf(key, sizeof key, "sensor.%s.note", offer->driver->name);
        put_fact(writer, key, offer->why.text);
        for (size_t k = 1; k < offer->source.note_count; k++) {
            (void)snprintf(key, sizeof key, "sensor.%s.note.%zu", offer->driver->name, k + 1);
            put_fact(writer, key, offer->source.notes[k].text);
        }
    }
}

/* The counter set, also if nothing of it can be counted. */
static void put_counters(struct wtl_trace_writer *writer, const struct wtl_measurement *m)
{
    const struct wtl_counter_set *set = m->options.target.counters;
    const struct wtl_source *source = wtl_measurement_counters(m);
    if (!set)
        return;
    put_integer(writer, WTL_META_COUNTERS_INTERVAL_NS, (long long)m->options.counters_interval_ns);
    if (source) {
        wtl_counters_describe(source, emit, writer);
        return;
    }
    put_fact(writer, WTL_META_COUNTERS_SET, set->name);
    for (size_t i = 0; i < m->selection->offer_count; i++) {
        if (m->selection->offers[i].driver == &wtl_driver_counters)
            put_fact(writer, WTL_META_COUNTERS_MISSING, m->selection->offers[i].why.text);
    }
}

static void put_labels(struct wtl_trace_writer *writer, const char *labels)
{
    char key[WTL_LABEL_KEY_MAX + 8];
    struct wtl_label label;
    for (const char *at = labels ? labels : ""; wtl_labels_next(&at, &label);) {
        (void)snprintf(key, sizeof key, WTL_META_LABELS "%s", label.key);
        put_fact(writer, key, label.value);
    }
}

static void put_job(struct wtl_trace_writer *writer, const struct wtl_world *world)
{
    static const char *const names[][2] = {{"SLURM_JOB_ID", WTL_META_JOB_ID},
                                           {"SLURM_STEP_ID", WTL_META_JOB_STEP},
                                           {"SLURM_JOB_NODELIST", WTL_META_JOB_NODES},
                                           {"OMP_NUM_THREADS", WTL_META_ENV_OMP_NUM_THREADS},
                                           {"OMP_PROC_BIND", WTL_META_ENV_OMP_PROC_BIND},
                                           {"OMP_PLACES", WTL_META_ENV_OMP_PLACES}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_fact(writer, names[i][1], world->ops->getenv(world, names[i][0]));
}

/* "2100000", "1200000-2100000:Userspace": what srun --cpu-freq puts into the environment; words stay words. */
static void parse_slurm(const char *text, double *ret_low_hz, double *ret_high_hz)
{
    uint64_t low, high;
    int used = wtl_scan_u64(text, strlen(text), &low), more = 0;
    if (used <= 0 || low < 100000)
        return;
    high = low;
    if (text[used] == '-')
        more = wtl_scan_u64(text + used + 1, strlen(text + used + 1), &high);
    if (more < 0 || high < low)
        return;
    *ret_low_hz = (double)low * 1e3;
    *ret_high_hz = (double)high * 1e3;
}

void wtl_measurement_control(const struct wtl_measurement_options *o,
                             char text[WTL_CONTROL_TEXT],
                             double *ret_low_hz,
                             double *ret_high_hz)
{
    const char *slurm = o->control ? NULL : o->world->ops->getenv(o->world, "SLURM_CPU_FREQ_REQ");
    *ret_low_hz = o->control_low_hz > 0 ? o->control_low_hz : (double)NAN;
    *ret_high_hz = o->control_high_hz > 0 ? o->control_high_hz : (double)NAN;
    (void)snprintf(text, WTL_CONTROL_TEXT, "%s", o->control ? o->control : "");
    if (!slurm || !slurm[0])
        return;
    (void)snprintf(text, WTL_CONTROL_TEXT, "srun --cpu-freq=%.200s", slurm);
    parse_slurm(slurm, ret_low_hz, ret_high_hz);
}

static void put_control(struct wtl_trace_writer *writer, const struct wtl_measurement_options *o)
{
    char text[WTL_CONTROL_TEXT];
    double low_hz, high_hz;
    wtl_measurement_control(o, text, &low_hz, &high_hz);
    if (text[0])
        put_fact(writer, WTL_META_CONTROL_ASKED, text);
    put_number(writer, WTL_META_CONTROL_LOW_HZ, low_hz);
    put_number(writer, WTL_META_CONTROL_HIGH_HZ, high_hz);
}

/* This program and its arguments, with secrets hidden. */
static void put_own_command(struct wtl_trace_writer *writer)
{
    char line[4096], shown[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        (void)close(fd); /* read only */
    if (got <= 0)
        return;
    (void)wtl_secrets_arguments(line, (size_t)got, shown, sizeof shown);
    put_fact(writer, WTL_META_RUN_COMMAND, shown);
}

/* Node and run: from the caller, else from the environment. */
static void put_node(struct wtl_trace_writer *writer, const struct wtl_measurement_options *o)
{
    const char *const said[][2] = {{WTL_META_NODE_NAME, o->node_name},
                                   {WTL_META_NODE_KEY, o->node_key},
                                   {WTL_META_RUN_ID, o->run_id}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (said[i][1] && said[i][1][0])
            put_fact(writer, said[i][0], said[i][1]);
    }
    if (!o->node_key)
        wtl_seat_describe(o->world, emit, writer);
    put_fact(writer, WTL_META_RUN_GROUPS,
             o->groups ? o->groups : o->world->ops->getenv(o->world, "WATTLE_GROUPS"));
}

void wtl_provenance_before(const struct wtl_measurement *m)
{
    const struct wtl_measurement_options *o = &m->options;
    struct wtl_trace_writer *writer = m->trace.writer;
    char folder[4096];
    if (!writer)
        return;
    put_fact(writer, WTL_META_WATTLE_VERSION, WATTLE_VERSION);
    put_node(writer, o);
    put_fact(writer, WTL_META_RUN_COMMAND, o->command_line);
    put_fact(writer, WTL_META_RUN_SERIES, o->series);
    if (o->inside && !o->command_line && !o->world->virtual_time)
        put_own_command(writer);
    put_fact(writer, WTL_META_RUN_DIRECTORY, getcwd(folder, sizeof folder));
    put_integer(writer, WTL_META_SAMPLER_INTERVAL_NS, (long long)o->interval_ns);
    put_fact(writer, WTL_META_RUN_SENSORS, o->sensors);
    put_number(writer, WTL_META_WORK_AMOUNT, o->work);
    put_fact(writer, WTL_META_WORK_UNIT, o->work_unit);
    put_fact(writer, WTL_META_TASKS_RECORDING, o->tasks);
    if (o->tasks)
        put_integer(writer, WTL_META_TASKS_LIMIT_BYTES, (long long)o->tasks_limit);
    put_labels(writer, o->labels);
    put_job(writer, o->world);
    put_control(writer, o);
    put_sensors(writer, m->selection);
    put_counters(writer, m);
    wtl_machine_describe(o->world, emit, writer);
}

static void put_governor_after(struct wtl_trace_writer *writer, const struct wtl_governor *after)
{
    if (after->governor[0])
        put_fact(writer, WTL_META_CPU_GOVERNOR ".after", after->governor);
    if (after->epp[0])
        put_fact(writer, WTL_META_CPU_EPP ".after", after->epp);
    if (after->turbo >= 0)
        put_integer(writer, WTL_META_CPU_TURBO ".after", after->turbo);
}

void wtl_provenance_flag(struct wtl_trace_writer *writer, const char *name, const char *text)
{
    char key[40];
    (void)snprintf(key, sizeof key, WTL_META_FLAGS "%s", name);
    put_fact(writer, key, text);
}

static void put_tasks(struct wtl_trace_writer *writer, const struct wtl_result *result)
{
    if (!result->tasks && result->task_marks == 0)
        return;
    put_integer(writer, WTL_META_TASKS_MARKS, (long long)result->task_marks);
    put_integer(writer, WTL_META_TASKS_COMPLETE, (long long)result->tasks_complete);
    put_integer(writer, WTL_META_TASKS_CUT, (long long)result->tasks_cut);
}

void wtl_provenance_after(const struct wtl_measurement *m, const struct wtl_result *result)
{
    struct wtl_trace_writer *writer = m->trace.writer;
    if (!writer)
        return;
    put_fact(writer, WTL_META_RUN_TARGET, result->target);
    if (result->exit_code >= 0)
        put_integer(writer, WTL_META_RUN_EXIT_CODE, result->exit_code);
    put_number(writer, WTL_META_PROCESS_CPU_S, result->cpu_s);
    put_number(writer, WTL_META_PROCESS_MAX_RSS_BYTES, result->max_rss_bytes);
    put_number(writer, WTL_META_PROCESS_ENERGY_SHARE_J, result->energy_share_j);
    put_number(writer, WTL_META_PROCESS_OTHERS_J, result->others_share_j);
    put_number(writer, WTL_META_PROCESS_IDLE_J, result->share_idle_j);
    put_number(writer, WTL_META_PROCESS_UNATTRIBUTED_J, result->unattributed_j);
    put_number(writer, WTL_META_PROCESS_SHARE_HALF_J, result->share_half_j);
    put_number(writer, WTL_META_PROCESS_GPU_SHARE_J, result->gpu_share_j);
    put_number(writer, WTL_META_PROCESS_GPU_OTHERS_J, result->gpu_others_j);
    put_number(writer, WTL_META_PROCESS_GPU_IDLE_J, result->gpu_idle_j);
    put_number(writer, WTL_META_PROCESS_GPU_NOBODY_J, result->gpu_unattributed_j);
    put_fact(writer, WTL_META_PROCESS_SHARE_QUALITY, wattle_quality_name(result->share_quality));
    put_fact(writer, WTL_META_PROCESS_SHARE_RULE, wtl_share_rule_names[result->share_rule]);
    put_fact(writer, WTL_META_PROCESS_SHARE_COUNTERS,
             result->share_counters[0] ? result->share_counters : NULL);
    for (size_t i = 0; i < result->flag_count; i++)
        wtl_provenance_flag(writer, result->flags[i].name, result->flags[i].text);
    put_integer(writer, WTL_META_SAMPLER_LATE_P50_NS, (long long)result->late_p50_ns);
    put_integer(writer, WTL_META_SAMPLER_LATE_P99_NS, (long long)result->late_p99_ns);
    put_integer(writer, WTL_META_SAMPLER_LATE_MAX_NS, (long long)result->late_max_ns);
    put_integer(writer, WTL_META_SAMPLER_MISSED, (long long)result->missed);
    put_integer(writer, WTL_META_SAMPLER_DROPPED, (long long)result->dropped);
    put_integer(writer, WTL_META_SAMPLER_CPU, result->sampler_cpu);
    put_number(writer, WTL_META_OWN_CPU_S, result->own_cpu_s);
    put_number(writer, WTL_META_OWN_ENERGY_J, result->own_j);
    put_number(writer, WTL_META_MACHINE_CPU_S, result->machine_cpu_s);
    const struct wtl_source *counters = wtl_measurement_counters(m);
    char list[2048], sentence[160];
    if (counters) {
        wtl_counters_multiplexed(counters, list, sizeof list, sentence, sizeof sentence);
        put_fact(writer, WTL_META_COUNTERS_MULTIPLEXED, list[0] ? list : NULL);
    }
    put_governor_after(writer, &m->after);
    put_tasks(writer, result);
}

void wtl_provenance_idle(struct wtl_trace_writer *writer, const struct wtl_result *result)
{
    if (!writer)
        return;
    put_number(writer, WTL_META_IDLE_BEFORE_W, result->idle_before_w);
    put_number(writer, WTL_META_IDLE_AFTER_W, result->idle_after_w);
    put_number(writer, WTL_META_IDLE_ABOVE_J, result->above_idle_j);
}
