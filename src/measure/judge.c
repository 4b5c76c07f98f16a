/* SPDX-License-Identifier: BSD-3-Clause */
/* The flags of a measurement from inside of a program: see judge.h. */
#define _GNU_SOURCE
#include "measure/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "counters/cputime.h"
#include "counters/flags.h"
#include "model/result.h"

#define NOT_CHECKED "NOT CHECKED"
#define UNCHECKED   "whether other processes used the machine meanwhile is not known: %s"

static double seconds_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

double wtl_judge_cpu_s(void)
{
    struct rusage own, children;
    (void)getrusage(RUSAGE_SELF, &own); /* these cannot fail */
    (void)getrusage(RUSAGE_CHILDREN, &children);
    return seconds_of(&own) + seconds_of(&children);
}

double wtl_judge_edges_lost(const struct wtl_selection *selection, struct wtl_session *session)
{
    double lost = 0;
    for (size_t i = 0; session && i < selection->recorded_count; i++) {
        if (selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL)
            lost += wtl_session_edges_lost(session, i);
    }
    return lost;
}

void wtl_judge_begin(struct wtl_judge *judge, const struct wtl_world *world)
{
    judge->world = world;
    wtl_governor_read(world, &judge->before);
}

static int fill(const struct wtl_judge_facts *facts, struct wtl_result *result)
{
    size_t count = facts->session ? facts->selection->recorded_count : 0;
    result->channels = calloc(count + 1, sizeof *result->channels);
    if (!result->channels)
        return -1;
    result->channel_count = count;
    for (size_t i = 0; i < count; i++) {
        result->channels[i].channel = facts->selection->channels[i];
        wtl_session_summary(facts->session, i, &result->channels[i].summary);
    }
    result->wall_time_s = (double)facts->window_ns * 1e-9;
    return wtl_result_total(result);
}

static int judge_all(const struct wtl_judge *judge,
                     const struct wtl_judge_facts *facts,
                     struct wtl_result *result)
{
    struct wtl_session_stats stats = {.sampler_cpu = -1};
    struct wtl_governor after;
    if (fill(facts, result) < 0)
        return -1;
    const struct wtl_result_channel *machine = wtl_result_find(result, WTL_CPUTIME_MACHINE);
    wtl_governor_read(judge->world, &after);
    if (facts->session)
        wtl_session_stats(facts->session, &stats);
    const struct wtl_flag_window window = {
        .tree_cpu_s = facts->tree_cpu_s,
        .own_cpu_s = NAN,
        .edges_lost = wtl_judge_edges_lost(facts->selection, facts->session),
        .suspended_ns = stats.suspended_ns,
        .before = &judge->before,
        .after = &after};
    int rc = wtl_flags_judge_result(&window, result);
    if (rc == 0 && (isnan(facts->tree_cpu_s) || !machine || isnan(machine->summary.energy_j)))
        rc = wtl_result_flag(result, NOT_CHECKED, UNCHECKED,
                             isnan(facts->tree_cpu_s)
                                 ? "not all processes of the job told what processor time is theirs"
                                 : "its processor time could not be read");
    return rc;
}

void wtl_judge_end(const struct wtl_judge *judge,
                   const struct wtl_judge_facts *facts,
                   struct wtl_trace_writer *writer)
{
    struct wtl_result result = wtl_result_unknown();
    char key[40];
    if (judge_all(judge, facts, &result) == 0) {
        for (size_t i = 0; i < result.flag_count; i++) {
            (void)snprintf(key, sizeof key, "flag.%s", result.flags[i].name);
            (void)wtl_trace_writer_meta(writer, key,
                                        result.flags[i].text); /* sticky: the end tells */
        }
    }
    wtl_result_fini(&result);
}

void wtl_judge_unchecked(struct wtl_trace_writer *writer, const char *why)
{
    char text[200];
    (void)snprintf(text, sizeof text, UNCHECKED, why);
    (void)wtl_trace_writer_meta(writer, "flag." NOT_CHECKED, text); /* sticky: the end tells */
}
