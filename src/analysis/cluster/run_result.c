/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a result from a trace: channels and summaries from the reader, the rest from metadata
 * (docs/format/trace.md lists the keys). The total is computed anew from the channels.
 */
#define _GNU_SOURCE
#include "analysis/cluster/run_result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "model/contradiction/contradiction.h"
#include "model/flag.h"
#include "model/labels.h"
#include "model/meta_key.h"

/* ---- metadata ---- */

static double meta_number(const struct wtl_trace_reader *reader, const char *key)
{
    const char *text = wtl_trace_reader_meta(reader, key);
    double value;
    return text && wtl_parse_double(text, &value) == 0 ? value : (double)NAN;
}

static uint64_t meta_count(const struct wtl_trace_reader *reader, const char *key)
{
    const char *text = wtl_trace_reader_meta(reader, key);
    uint64_t value;
    return text && wtl_parse_u64(text, &value) == 0 ? value : 0;
}

/* A small integer, or -1. */
static int meta_index(const struct wtl_trace_reader *reader, const char *key)
{
    const char *text = wtl_trace_reader_meta(reader, key);
    uint64_t value;
    return text && wtl_parse_u64(text, &value) == 0 && value <= INT32_MAX ? (int)value : -1;
}

static enum wattle_quality meta_quality(const struct wtl_trace_reader *reader, const char *key)
{
    const char *text = wtl_trace_reader_meta(reader, key);
    for (int i = 0; text && i < WATTLE_QUALITY_COUNT; i++) {
        if (strcmp(text, wattle_quality_name((enum wattle_quality)i)) == 0)
            return (enum wattle_quality)i;
    }
    return WATTLE_DERIVED;
}

/* Collects what this version knows as labels; others remain metadata. */
static void gather_labels(const struct wtl_trace_reader *reader, struct wtl_labels *labels)
{
    char pair[WTL_LABEL_KEY_MAX + WTL_LABEL_VALUE_MAX + 2];
    for (size_t i = 0; i < wtl_trace_reader_meta_count(reader); i++) {
        const char *key, *value;
        if (wtl_trace_reader_meta_at(reader, i, &key, &value) < 0 ||
            !wtl_meta_after(key, WTL_META_LABELS))
            continue;
        int n = snprintf(pair, sizeof pair, "%s=%s", wtl_meta_after(key, WTL_META_LABELS), value);
        if (n > 0 && (size_t)n < sizeof pair)
            (void)wtl_labels_set(labels, pair, NULL);
    }
}

static int fill_texts(const struct wtl_trace_reader *reader,
                      const char *path,
                      struct wtl_result *result)
{
    struct wtl_labels labels = {""};
    gather_labels(reader, &labels);
    const struct wtl_result_text texts[] = {
        {wtl_trace_reader_meta(reader, WTL_META_RUN_COMMAND), &result->command},
        {wtl_trace_reader_meta(reader, WTL_META_RUN_TARGET), &result->target},
        {wtl_trace_reader_meta(reader, WTL_META_WORK_UNIT), &result->work_unit},
        {wtl_trace_reader_meta(reader, WTL_META_TASKS_RECORDING), &result->tasks},
        {labels.text[0] ? labels.text : NULL, &result->labels},
        {wtl_trace_reader_meta(reader, WTL_META_HOST_NAME), &result->host},
        {wtl_trace_reader_meta(reader, WTL_META_CPU_MODEL), &result->cpu},
        {wtl_trace_reader_meta(reader, WTL_META_CPU_GOVERNOR), &result->governor},
        {wtl_trace_reader_meta(reader, WTL_META_CPU_EPP), &result->epp},
        {wtl_trace_reader_meta(reader, WTL_META_CONTROL_ASKED), &result->control},
        {path, &result->trace}};
    return wtl_result_texts(result, texts, sizeof texts / sizeof *texts);
}

static void fill_facts(const struct wtl_trace_reader *reader, struct wtl_result *result)
{
    result->exit_code = meta_index(reader, WTL_META_RUN_EXIT_CODE);
    result->cpu_s = meta_number(reader, WTL_META_PROCESS_CPU_S);
    result->machine_cpu_s = meta_number(reader, WTL_META_MACHINE_CPU_S);
    result->max_rss_bytes = meta_number(reader, WTL_META_PROCESS_MAX_RSS_BYTES);
    result->energy_share_j = meta_number(reader, WTL_META_PROCESS_ENERGY_SHARE_J);
    result->others_share_j = meta_number(reader, WTL_META_PROCESS_OTHERS_J);
    result->share_idle_j = meta_number(reader, WTL_META_PROCESS_IDLE_J);
    result->unattributed_j = meta_number(reader, WTL_META_PROCESS_UNATTRIBUTED_J);
    result->share_half_j = meta_number(reader, WTL_META_PROCESS_SHARE_HALF_J);
    result->gpu_share_j = meta_number(reader, WTL_META_PROCESS_GPU_SHARE_J);
    result->gpu_others_j = meta_number(reader, WTL_META_PROCESS_GPU_OTHERS_J);
    result->gpu_idle_j = meta_number(reader, WTL_META_PROCESS_GPU_IDLE_J);
    result->gpu_unattributed_j = meta_number(reader, WTL_META_PROCESS_GPU_NOBODY_J);
    result->share_rule =
        wtl_share_rule_of(wtl_trace_reader_meta(reader, WTL_META_PROCESS_SHARE_RULE));
    const char *counters = wtl_trace_reader_meta(reader, WTL_META_PROCESS_SHARE_COUNTERS);
    (void)snprintf(result->share_counters, sizeof result->share_counters, "%s",
                   counters ? counters : "");
    result->share_quality = meta_quality(reader, WTL_META_PROCESS_SHARE_QUALITY);
    result->idle_before_w = meta_number(reader, WTL_META_IDLE_BEFORE_W);
    result->idle_after_w = meta_number(reader, WTL_META_IDLE_AFTER_W);
    result->above_idle_j = meta_number(reader, WTL_META_IDLE_ABOVE_J);
    result->work = meta_number(reader, WTL_META_WORK_AMOUNT);
    result->task_marks = meta_count(reader, WTL_META_TASKS_MARKS);
    result->tasks_complete = meta_count(reader, WTL_META_TASKS_COMPLETE);
    result->tasks_cut = meta_count(reader, WTL_META_TASKS_CUT);
    result->own_cpu_s = meta_number(reader, WTL_META_OWN_CPU_S);
    result->own_j = meta_number(reader, WTL_META_OWN_ENERGY_J);
    result->interval_ns = meta_count(reader, WTL_META_SAMPLER_INTERVAL_NS);
    result->late_p50_ns = meta_count(reader, WTL_META_SAMPLER_LATE_P50_NS);
    result->late_p99_ns = meta_count(reader, WTL_META_SAMPLER_LATE_P99_NS);
    result->late_max_ns = meta_count(reader, WTL_META_SAMPLER_LATE_MAX_NS);
    result->missed = meta_count(reader, WTL_META_SAMPLER_MISSED);
    result->dropped = meta_count(reader, WTL_META_SAMPLER_DROPPED);
    const char *turbo = wtl_trace_reader_meta(reader, WTL_META_CPU_TURBO);
    result->turbo = turbo ? strcmp(turbo, "on") == 0 : -1;
    result->min_khz = meta_count(reader, WTL_META_CPU_MIN_KHZ);
    result->max_khz = meta_count(reader, WTL_META_CPU_MAX_KHZ);
    result->asked_low_hz = meta_number(reader, WTL_META_CONTROL_LOW_HZ);
    result->asked_high_hz = meta_number(reader, WTL_META_CONTROL_HIGH_HZ);
    result->sampler_cpu = meta_index(reader, WTL_META_SAMPLER_CPU);
}

/* ---- channels and window ---- */

static int fill_channels(struct wtl_trace_reader *reader,
                         struct wtl_result *result,
                         struct wattle_error *err)
{
    size_t count = wtl_trace_reader_channel_count(reader);
    result->channels = calloc(count + 1, sizeof *result->channels);
    if (!result->channels)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct wtl_result_channel *c = &result->channels[result->channel_count];
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, i);
        if (!channel)
            continue; /* lost to damage, which is flagged */
        c->channel = channel->channel;
        int rc = wtl_trace_reader_summary(reader, i, &c->summary, err);
        if (rc < 0)
            return rc;
        result->channel_count++;
    }
    return 0;
}

/* The window contains no time between samples: that is not an energy of 0. */
static void forget_energies(struct wtl_result *result)
{
    result->wall_time_s = NAN;
    for (size_t i = 0; i < result->channel_count; i++)
        result->channels[i].summary.amount = result->channels[i].summary.amount_half = NAN;
}

/* A measurement that was cut off ends with its last sample. */
static void fill_window(const struct wtl_trace_reader *reader, struct wtl_result *result)
{
    struct wtl_trace_window window;
    uint64_t first = 0, last = 0;
    wtl_trace_reader_window(reader, &window);
    (void)wtl_trace_reader_span(reader, &first, &last); /* 0 0 without samples */
    uint64_t start = window.started ? window.start_monotonic_ns : first;
    uint64_t end = window.ended ? window.end_monotonic_ns : last;
    if (end < start)
        end = start;
    result->cut_off = !window.ended;
    result->start_monotonic_ns = start;
    result->end_monotonic_ns = end;
    result->wall_time_s = start ? (double)(end - start) * 1e-9 : (double)NAN;
    if (!window.ended && end == start)
        forget_energies(result);
    if (wtl_trace_reader_realtime(reader, start, &result->start_realtime_ns) < 0)
        result->start_realtime_ns = 0;
}

/* ---- flags ---- */

int wtl_run_result_flag(const struct wtl_trace_reader *reader, struct wtl_result *result)
{
    struct wtl_trace_reader_status status;
    struct wtl_trace_window window;
    int rc = 0;
    wtl_trace_reader_status(reader, &status);
    wtl_trace_reader_window(reader, &window);
    if (!status.has_footer)
        rc = wtl_result_flag(result, WTL_FLAG_UNFINISHED,
                             "the trace has no footer: its measurement was cut off or is still "
                             "running; %s. \"wattle repair\" adds the footer",
                             window.ended ? "its window is complete"
                                          : "counted up to the last sample");
    else if (!window.ended)
        rc = wtl_result_flag(result, WTL_FLAG_UNFINISHED,
                             "the measurement was cut off; counted up to the last sample");
    if (rc == 0 && status.damaged > 0)
        rc = wtl_result_flag(result, WTL_FLAG_DAMAGED,
                             "%llu unreadable stretch%s of the file (%llu bytes) count as a gap",
                             (unsigned long long)status.damaged, status.damaged == 1 ? "" : "es",
                             (unsigned long long)status.damaged_bytes);
    if (rc == 0 && status.not_shown > 0)
        rc = wtl_result_flag(result, WTL_FLAG_NOT_SHOWN,
                             "%llu block%s of the file, written by a newer version, hold%s data "
                             "that this version cannot show; use a newer wattle",
                             (unsigned long long)status.not_shown, status.not_shown == 1 ? "" : "s",
                             status.not_shown == 1 ? "s" : "");
    return rc;
}

static int fill_flags(const struct wtl_trace_reader *reader, struct wtl_result *result)
{
    size_t count = wtl_trace_reader_meta_count(reader);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const char *key, *value;
        if (wtl_trace_reader_meta_at(reader, i, &key, &value) == 0 &&
            wtl_meta_after(key, WTL_META_FLAGS))
            rc = wtl_result_flag(result, wtl_meta_after(key, WTL_META_FLAGS), "%s", value);
    }
    return rc < 0 ? rc : wtl_run_result_flag(reader, result);
}

int wtl_run_result_read(struct wtl_trace_reader *reader,
                        const char *path,
                        struct wtl_result *ret_result,
                        struct wattle_error *err)
{
    struct wtl_result result = wtl_result_unknown();
    int rc = fill_texts(reader, path, &result);
    rc = rc < 0 ? rc : fill_channels(reader, &result, err);
    if (rc == 0) {
        fill_facts(reader, &result);
        fill_window(reader, &result);
        rc = wtl_result_total(&result);
        rc = rc < 0 ? rc : wtl_contradiction_flag(&result);
        rc = rc < 0 ? rc : fill_flags(reader, &result);
    }
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "%s", path);
    if (rc < 0)
        wtl_result_fini(&result);
    else
        *ret_result = result;
    return rc;
}
