/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a POSE subject from traces: see pose_traces.h. Time and energy cover the same window: that
 * of the run, which a channel's summary covers, or the union of the times in which the region was
 * open.
 */
#define _GNU_SOURCE
#include "analysis/pose/pose_traces.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/matching.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/nearest.h"
#include "base/text/figures.h"
#include "model/flag.h"
#include "model/result.h"

/* Missing energy below this fraction of the run causes a warning and goes into the interval; above
 * it, the energy of the code is unknown. */
static const double most_missing = 1e-3;

enum { FEW_RUNS = 3 };

/* One run: what the model needs. */
struct run {
    double t_s, e_j;
    double half_j; /* half width, 95 %; for an estimate including the error of its model; NaN =
                    * unknown */
    double low_j, high_j; /* interval of an estimate, 95 %; NaN = half_j on both sides */
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool is_in(const struct wtl_result_channel *channel)
{
    return channel->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
}

/* ---- which energy ---- */

static void list_channels(const struct wtl_result *result, size_t count, char *buf, size_t n)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < count && used < n; i++)
        used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? ", " : "",
                                 result->channels[i].channel.name);
}

static int refuse_nothing(const char *path, double whole_s, struct wattle_error *err)
{
    return wtl_fail(err, -ENODATA,
                    "%s: no energy counted in %s s; the sensor is too coarse for such a short "
                    "run, or has stopped (see \"wattle doctor\")",
                    path, WTL_IN_FIGURES(whole_s, 3));
}

static bool all_stand_still(const struct wtl_result *result)
{
    size_t still = 0;
    while (still < result->energy_count && result->channels[still].summary.amount <= 0)
        still++;
    return still == result->energy_count;
}

static int choose_energy(struct wtl_result *result,
                         const char *path,
                         const char *channel,
                         struct wattle_error *err)
{
    char there[200];
    if (result->energy_count == 0) {
        list_channels(result, result->channel_count, there, sizeof there);
        return wtl_fail(err, -ENODATA,
                        "%s: no energy or power channel was recorded%s%s; run \"wattle sensors\" "
                        "on the node to see its sensors",
                        path, *there ? ", only: " : "", there);
    }
    if (channel && strcmp(channel, "total") != 0) {
        struct wattle_error why = {""};
        int rc = wtl_result_total_named(result, channel, &why);
        return rc < 0 ? wtl_fail(err, rc == -ENOMEM ? rc : -ENODATA, "%s: %s", path, why.text) : 0;
    }
    if (result->total.count > 0)
        return 0;
    if (result->wall_time_s > 0 && all_stand_still(result))
        return refuse_nothing(path, result->wall_time_s, err);
    list_channels(result, result->energy_count, there, sizeof there);
    if (result->energy_count == 1)
        return wtl_fail(err, -ENODATA,
                        "%s: its energy channel may cover only part of the node, so there is no "
                        "total; select it with --channel %s",
                        path, there);
    return wtl_fail(err, -ENODATA,
                    "%s: its channels may contain each other, so there is no total; select one "
                    "with --channel: %s",
                    path, there);
}

/* ---- the whole run ---- */

/* The channel of the energy with the most missing, or the longest gaps. */
static const struct wtl_result_channel *worst_channel(const struct wtl_result *result)
{
    const struct wtl_result_channel *worst = NULL;
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (!is_in(c))
            continue;
        bool worse = worst && (c->summary.unknown_ns != worst->summary.unknown_ns
                                   ? c->summary.unknown_ns > worst->summary.unknown_ns
                                   : c->summary.gap_ns > worst->summary.gap_ns);
        if (!worst || worse)
            worst = c;
    }
    return worst;
}

static int refuse_gaps(const char *path,
                       const struct wtl_result_channel *channel,
                       double missing_s,
                       double whole_s,
                       struct wattle_error *err)
{
    return wtl_fail(err, -ENODATA,
                    "%s: %s has gaps of %s s in the run of %.6g s (%s %%), so the energy of "
                    "the code is unknown; see \"wattle stats\" for the reason, or select another "
                    "channel with --channel NAME",
                    path, channel->channel.name, WTL_IN_FIGURES(missing_s, 3), whole_s,
                    WTL_IN_FIGURES(100 * missing_s / whole_s, 2));
}

/* Gaps across which a counter kept counting, or that are too short to matter. */
static int warn_of_gaps(struct wtl_pose_subject *subject,
                        const struct wtl_result *result,
                        const char *path,
                        const struct wtl_result_channel *channel,
                        bool in_interval)
{
    const struct wtl_summary *s = &channel->summary;
    double gap_s = (double)s->gap_ns * 1e-9, missing_s = (double)s->unknown_ns * 1e-9;
    if (s->unknown_ns > 0)
        return wtl_pose_subject_flag(
            subject, "GAPS",
            "%.60s: the energy of %s s of %.6g s is missing from %s; the intervals %s",
            file_name(path), WTL_IN_FIGURES(missing_s, 3), result->wall_time_s,
            channel->channel.name,
            in_interval
                ? "include this"
                : "do not include this, as the accuracy of its sensor or estimate is unknown");
    if (s->gap_ns > 0)
        return wtl_pose_subject_flag(subject, "GAPS",
                                     "%.60s: %s has no readings over %s s of %.6g s; its counter "
                                     "kept counting, so the energy is known",
                                     file_name(path), channel->channel.name,
                                     WTL_IN_FIGURES(gap_s, 3), result->wall_time_s);
    return 0;
}

static int read_whole(struct wtl_pose_subject *subject,
                      const struct wtl_result *result,
                      const char *path,
                      struct run *ret_run,
                      struct wattle_error *err)
{
    const struct wtl_result_channel *worst = worst_channel(result);
    double whole_s = result->wall_time_s, half = result->energy.half_j;
    if (!(whole_s > 0) || !worst)
        return wtl_fail(err, -ENODATA, "%s: the run has no duration; it was cut off at the start",
                        path);
    double missing = (double)worst->summary.unknown_ns * 1e-9 / whole_s;
    if (isnan(result->energy.j) || missing > most_missing)
        return refuse_gaps(path, worst, isnan(result->energy.j) ? whole_s : missing * whole_s,
                           whole_s, err);
    if (!(result->energy.j > 0))
        return refuse_nothing(path, whole_s, err);
    if (subject->quality == WATTLE_ESTIMATED)
        half = (result->energy.high_j - result->energy.low_j) / 2;
    double more = missing * result->energy.j;
    *ret_run = (struct run){whole_s, result->energy.j, half + more, result->energy.low_j - more,
                            result->energy.high_j + more};
    return warn_of_gaps(subject, result, path, worst, !isnan(half));
}

/* ---- a region ---- */

static int say_no_region(const struct wtl_region_table *table,
                         const char *path,
                         const char *region,
                         struct wattle_error *err)
{
    char there[160] = "";
    const char *near = NULL;
    size_t used = 0;
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->rows[i].name;
        const char *pair[] = {near, *name ? name : NULL};
        near = wtl_nearest(region, pair, 2);
        if (*name && used < sizeof there)
            used += (size_t)snprintf(there + used, sizeof there - used, "%s%.40s", used ? ", " : "",
                                     name);
    }
    if (used == 0)
        return wtl_fail(
            err, -ENODATA,
            "%s: no region \"%.60s\": the program recorded no regions; see wattle_region(3)", path,
            region);
    return wtl_fail(err, -ENODATA, "%s: no region \"%.60s\"; available: %s%s%.60s%s", path, region,
                    there, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static int read_row(struct wtl_pose_subject *subject,
                    const struct wtl_region_row *row,
                    const char *path,
                    struct run *ret_run,
                    struct wattle_error *err)
{
    const struct wtl_energy *energy = &row->inclusive;
    if (isnan(energy->j))
        return wtl_fail(err, -ENODATA,
                        "%s: the energy of region \"%.60s\" is unknown because of gaps; see "
                        "\"wattle stats\", or select another sensor with --channel NAME",
                        path, row->name);
    if (!(row->union_s > 0) || !(energy->j > 0))
        return wtl_fail(err, -ENODATA,
                        "%s: region \"%.60s\" lasts %s s, too short to measure its energy; use "
                        "the whole run, or sample faster",
                        path, row->name, WTL_IN_FIGURES(row->union_s, 3));
    *ret_run = (struct run){row->union_s, energy->j, energy->half_j, (double)NAN, (double)NAN};
    int rc = 0;
    if (energy->interval_only)
        rc = wtl_pose_subject_flag(subject, "UNRESOLVED",
                                   "%.60s: the region is too short for the sampling interval; its "
                                   "energy is the middle of %s +- %s J",
                                   file_name(path), WTL_IN_FIGURES(energy->j, 3),
                                   WTL_IN_FIGURES(energy->half_j, 3));
    if (rc == 0 && row->unbalanced > 0)
        rc = wtl_pose_subject_flag(subject, "UNBALANCED",
                                   "%.60s: %llu begins or ends of the region have no counterpart",
                                   file_name(path), (unsigned long long)row->unbalanced);
    return rc;
}

static int read_region(struct wtl_pose_subject *subject,
                       const struct wtl_result *result,
                       const char *path,
                       struct run *ret_run,
                       struct wattle_error *err)
{
    struct wtl_region_table table;
    int rc = wtl_region_table_open(result, &table, err);
    if (rc < 0)
        return rc;
    size_t i = 0;
    while (i < table.count && strcmp(table.rows[i].name, subject->region) != 0)
        i++;
    rc = i == table.count || !*subject->region
             ? say_no_region(&table, path, subject->region, err)
             : read_row(subject, &table.rows[i], path, ret_run, err);
    wtl_region_table_close(&table);
    return rc;
}

/* ---- repeats ---- */

static bool texts_differ(const char *a, const char *b)
{
    return (a || b) && (!a || !b || strcmp(a, b) != 0);
}

static int check_repeat(struct wtl_pose_subject *subject,
                        const struct wtl_result *first,
                        const struct wtl_result *other,
                        struct wattle_error *err)
{
    char why[200];
    const char *a = first->trace, *b = other->trace;
    if (texts_differ(first->host, other->host))
        return wtl_fail(err, -EXDEV,
                        "%s and %s are not repeats: they are from the nodes \"%.40s\" and "
                        "\"%.40s\", which have different bounds",
                        a, b, first->host ? first->host : "unknown",
                        other->host ? other->host : "unknown");
    if (strcmp(first->total.contains, other->total.contains) != 0)
        return wtl_fail(err, -EXDEV,
                        "%s and %s are not repeats: the energy is that of \"%s\" and of \"%s\"; "
                        "select a common channel with --channel NAME",
                        a, b, first->total.contains, other->total.contains);
    if (first->total.quality != other->total.quality)
        return wtl_fail(err, -EXDEV, "%s and %s are not repeats: the energy is %s and %s", a, b,
                        wattle_quality_name(first->total.quality),
                        wattle_quality_name(other->total.quality));
    if (wtl_result_is_simulated(first) != wtl_result_is_simulated(other))
        return wtl_fail(err, -EXDEV, "%s and %s are not repeats: one of them is simulated", a, b);
    int rc = 0;
    if (texts_differ(first->command, other->command))
        rc = wtl_pose_subject_flag(
            subject, "COMMANDS",
            "%.50s ran \"%.40s\" but %.50s ran \"%.40s\": check that they are repeats",
            file_name(a), first->command ? first->command : "unknown", file_name(b),
            other->command ? other->command : "unknown");
    if (rc == 0 && first->host &&
        wtl_matching_differ(first, other, WTL_METRIC_TIME, why, sizeof why))
        rc = wtl_pose_subject_flag(subject, "CONDITIONS", "%s", why);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

/* ---- flags of a run ---- */

static int note_run(struct wtl_pose_subject *subject, const struct wtl_result *result)
{
    int rc = 0;
    if (result->exit_code > 0)
        rc = wtl_pose_subject_flag(subject, "FAILED",
                                   "%.60s: the command ended with status %d; it may not have done "
                                   "all of its work",
                                   file_name(result->trace), result->exit_code);
    for (size_t i = 0; rc == 0 && i < result->flag_count; i++) {
        /* Missing energy is reported above, for the channels that matter here. */
        if (strcmp(result->flags[i].name, WTL_FLAG_INCOMPLETE) != 0)
            rc = wtl_pose_subject_flag(subject, result->flags[i].name, "%.60s: %s",
                                       file_name(result->trace), result->flags[i].text);
    }
    return rc;
}

static int note_few_runs(struct wtl_pose_subject *subject)
{
    size_t n = subject->trace_count;
    return n >= FEW_RUNS
               ? 0
               : wtl_pose_subject_flag(
                     subject, "FEW_RUNS",
                     "run-to-run variation is unknown: %zu run%s, but three or more are required",
                     n, n == 1 ? "" : "s");
}

/* ---- public function ---- */

static int copy_text(char **place, const char *text)
{
    *place = text ? strdup(text) : NULL;
    return text && !*place ? -ENOMEM : 0;
}

/* Texts and paths, taken from the first trace. */
static int fill_texts(struct wtl_pose_subject *subject, char *const *paths, size_t count)
{
    const struct wtl_result *first = &subject->results[0];
    subject->traces = calloc(count, sizeof *subject->traces);
    int rc = subject->traces ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = copy_text(&subject->traces[i], paths[i]);
    rc = rc < 0 ? rc : copy_text(&subject->contains, first->total.contains);
    rc = rc < 0 ? rc : copy_text(&subject->group, first->host);
    return rc < 0
               ? rc
               : copy_text(&subject->label, first->command ? first->command : file_name(paths[0]));
}

/* Means, spread, and the sensors' resolution of the mean: ticks of runs are independent, the error
 * of an estimate's model is the same in all. */
static int fill_code(struct wtl_pose_subject *subject, const struct run *runs, size_t count)
{
    double *values = calloc(2 * count, sizeof *values);
    double squares = 0, sum = 0, low = 0, high = 0, n = (double)count;
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        values[i] = runs[i].t_s;
        values[count + i] = runs[i].e_j;
        squares += runs[i].half_j * runs[i].half_j;
        sum += runs[i].half_j;
        low += runs[i].low_j;
        high += runs[i].high_j;
    }
    int rc = wtl_pose_doubt_of_runs(values, values + count, count, &subject->code, &subject->doubt);
    subject->doubt.e_resolution_j =
        subject->quality == WATTLE_ESTIMATED ? sum / n : sqrt(squares) / n;
    subject->doubt.e_low_j = low / n; /* NaN unless estimated */
    subject->doubt.e_high_j = high / n;
    free(values);
    return rc;
}

static int read_runs(struct wtl_pose_subject *subject, struct run *runs, struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < subject->trace_count; i++) {
        const struct wtl_result *result = &subject->results[i];
        rc = check_repeat(subject, &subject->results[0], result, err);
        if (rc == 0)
            rc = subject->region ? read_region(subject, result, result->trace, &runs[i], err)
                                 : read_whole(subject, result, result->trace, &runs[i], err);
        rc = rc < 0 ? rc : note_run(subject, result);
    }
    return rc;
}

static int fill(struct wtl_pose_subject *subject,
                char *const *paths,
                size_t count,
                const char *channel,
                const char *region,
                struct wattle_error *err)
{
    int rc = wtl_run_results_read(paths, count, &subject->results, err);
    if (rc < 0)
        return rc;
    subject->trace_count = count;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = choose_energy(&subject->results[i], paths[i], channel, err);
    if (rc < 0)
        return rc;
    subject->quality = subject->results[0].total.quality;
    subject->simulated = wtl_result_is_simulated(&subject->results[0]);
    struct run *runs = calloc(count, sizeof *runs);
    rc = runs ? copy_text(&subject->region, region) : -ENOMEM;
    rc = rc < 0 ? rc : fill_texts(subject, paths, count);
    rc = rc < 0 ? rc : read_runs(subject, runs, err);
    rc = rc < 0 ? rc : fill_code(subject, runs, count);
    rc = rc < 0 ? rc : note_few_runs(subject);
    free(runs);
    return rc;
}

int wtl_pose_subject_of_traces(char *const *paths,
                               size_t count,
                               const char *channel,
                               const char *region,
                               struct wtl_pose_subject *ret_subject,
                               struct wattle_error *err)
{
    struct wtl_pose_subject subject = {.doubt = wtl_pose_doubt_unknown(),
                                       .code = {.pmin_w = (double)NAN, .pmax_w = (double)NAN},
                                       .origin = WTL_POSE_TRACE};
    if (count == 0)
        return wtl_fail(err, -EINVAL, "no trace to read");
    int rc = fill(&subject, paths, count, channel, region, err);
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "%zu traces", count);
    if (rc < 0)
        wtl_pose_subject_fini(&subject);
    else
        *ret_subject = subject;
    return rc;
}
