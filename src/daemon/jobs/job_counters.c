/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "daemon/jobs/job_counters.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/log.h"

static const uint64_t REST_NS = 60000000000;

void wtl_job_counters_use(struct wtl_job_counters *counters, struct wtl_work_counter *machine)
{
    wtl_job_counters_fini(counters);
    counters->machine = machine;
}

void wtl_job_counters_fini(struct wtl_job_counters *counters)
{
    wtl_job_counters_rest(counters);
    free(counters->last);
    *counters = (struct wtl_job_counters){.machine = NULL};
}

void wtl_job_counters_rest(struct wtl_job_counters *counters)
{
    if (counters->counts)
        (void)wtl_work_counter_rest(counters->machine, true);
    counters->counts = false;
}

/* They are not needed any more: what cannot be read on, stays closed. */
static void give_up(struct wtl_job_counters *counters, int rc)
{
    wtl_log(WTL_LOG_WARNING, "jobs are divided without hardware counters: %s",
            wtl_work_counter_why(rc));
    wtl_job_counters_fini(counters);
}

/* From resting, or after others have used the hardware. False: not now. */
static bool begin(struct wtl_job_counters *counters, const struct wtl_cpu_times *times)
{
    if (counters->counts && counters->cpus == times->count)
        return true;
    if (times->now_ns < counters->rest_until_ns)
        return false;
    free(counters->last);
    counters->cpus = times->count;
    counters->last = calloc(times->count + 1, sizeof *counters->last);
    int rc = counters->last ? wtl_work_counter_rest(counters->machine, false) : -ENOMEM;
    counters->counts = rc == 0;
    if (rc < 0)
        give_up(counters, rc);
    return rc == 0;
}

/* Read them, and what each CPU did since the last time into since[cpus]. False: not now, or not any more. */
static bool read_all(struct wtl_job_counters *counters,
                     const struct wtl_cpu_times *times,
                     struct wtl_share_events *since)
{
    struct wtl_share_events all;
    int rc = wtl_work_counter_read(counters->machine, &all, NULL);
    if (rc == -EBUSY) {
        wtl_log(WTL_LOG_INFO, "hardware counters rest for a minute: %s", wtl_work_counter_why(rc));
        wtl_job_counters_rest(counters);
        counters->rest_until_ns = times->now_ns + REST_NS;
        return false;
    }
    if (rc < 0 && rc != -EAGAIN) {
        give_up(counters, rc);
        return false;
    }
    for (size_t c = 0; c < times->count; c++) {
        struct wtl_share_events now = wtl_work_counter_on(counters->machine, times->numbers[c]);
        since[c] = wtl_share_events_since(&now, &counters->last[c]);
        counters->last[c] = now;
    }
    return true;
}

void wtl_job_counters_begin(struct wtl_job_counters *counters, const struct wtl_cpu_times *times)
{
    if (!counters->machine || counters->counts || !begin(counters, times))
        return;
    struct wtl_share_events *since = calloc(times->count + 1, sizeof *since);
    if (since)
        (void)read_all(counters, times, since);
    free(since);
}

/* Job k has all that these CPUs do. */
static bool has_cpus(const struct wtl_job_set *set,
                     const struct wtl_share_job *entries,
                     size_t k,
                     size_t cpus)
{
    for (size_t i = 0; i < set->count; i++) {
        if (i == k || set->job_of[i] != i || set->gone[i])
            continue;
        for (size_t c = 0; c < cpus; c++) {
            if (entries[k].may_on[c] && entries[i].may_on[c])
                return false;
        }
    }
    return true;
}

/* May each job run on some of the CPUs only? */
static bool are_bound(const struct wtl_job_set *set, const struct wtl_share_job *entries)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->job_of[i] == i && !set->gone[i] && !entries[i].may_on)
            return false;
    }
    return set->count > 0;
}

static struct wtl_share_events sum_of(const struct wtl_share_events *since,
                                      const bool *may_on,
                                      size_t cpus)
{
    struct wtl_share_events sum = {.cycles = 0};
    for (size_t c = 0; c < cpus; c++) {
        if (!may_on[c])
            continue;
        sum.cycles += since[c].cycles;
        sum.instructions += since[c].instructions;
        sum.misses += since[c].misses;
    }
    return sum;
}

static void give(const struct wtl_job_set *set,
                 struct wtl_share_job *entries,
                 struct wtl_share_events *events,
                 const struct wtl_share_events *since,
                 size_t cpus)
{
    for (size_t i = 0; i < set->count; i++) {
        size_t of = set->job_of[i];
        if (of >= set->count || set->gone[of] || !has_cpus(set, entries, of, cpus))
            continue;
        events[i] = sum_of(since, entries[of].may_on, cpus);
        entries[i].events = &events[i];
    }
}

void wtl_job_counters_look(struct wtl_job_counters *counters,
                           const struct wtl_cpu_times *times,
                           const struct wtl_job_set *set,
                           struct wtl_share_job *entries,
                           struct wtl_share_events *events)
{
    if (!counters->machine)
        return;
    if (set->alone || !are_bound(set, entries)) {
        wtl_job_counters_rest(counters);
        return;
    }
    bool counted = counters->counts;
    if (!begin(counters, times))
        return;
    struct wtl_share_events *since = calloc(times->count + 1, sizeof *since);
    if (since && read_all(counters, times, since) && counted)
        give(set, entries, events, since, times->count);
    free(since);
}

enum wtl_job_uncounted wtl_job_counters_reason(const struct wtl_job_counters *counters,
                                               const struct wtl_job_set *set,
                                               const struct wtl_share_job *entries,
                                               size_t k)
{
    size_t of = set->job_of[k];
    if (entries[k].events)
        return WTL_JOB_LEARNING;
    if (!counters->machine)
        return WTL_JOB_NO_COUNTERS;
    if (!are_bound(set, entries))
        return WTL_JOB_ANYWHERE;
    if (!counters->counts)
        return WTL_JOB_NO_COUNTERS;
    return of < set->count && !has_cpus(set, entries, of, counters->cpus) ? WTL_JOB_SHARED_CPUS
                                                                          : WTL_JOB_LEARNING;
}
