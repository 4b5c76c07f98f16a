/* SPDX-License-Identifier: BSD-3-Clause */
/* The channels of a job: see job_channels.h. */
#define _GNU_SOURCE
#include "daemon/jobs/job_channels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "daemon/health.h"
#include "model/bound.h"
#include "model/quality.h"

static const uint64_t ANEW =
    UINT64_MAX; /* since_ns of a channel whose value went backwards: equal to none */

int wtl_page_values_take(struct wtl_page_values *values, const struct wattle_page *page)
{
    struct timespec now;
    size_t count = wattle_page_count(page);
    if (wtl_reserve(&values->list, &values->room, count + 1, sizeof *values->list) < 0)
        return -ENOMEM;
    values->page = page;
    values->count = count;
    for (size_t i = 0; i < count; i++) {
        int rc = wattle_page_read(page, i, &values->list[i].now);
        values->list[i].known = rc == 0 || rc == -ESTALE;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    values->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return 0;
}

void wtl_page_values_fini(struct wtl_page_values *values)
{
    free(values->list);
    *values = (struct wtl_page_values){.count = 0};
}

/* The time before an instant whose energy a channel's value may lack, or have too much: since that is known, the read of its sample, and
 * the tick before. */
static uint64_t doubt_ns(const struct wattle_page_channel *channel,
                         const struct wattle_page_now *now,
                         uint64_t time_ns)
{
    uint64_t known_ns = wtl_health_known_ns(channel, now);
    uint64_t age_ns = (time_ns > known_ns ? time_ns - known_ns : 0) + now->half_ns;
    uint64_t window_ns = channel->kind == WATTLE_WINDOW_AVERAGE ? channel->window_ns : 0;
    return age_ns + window_ns + channel->refresh_ns;
}

/* What a channel may have counted in that time, whose power was not seen: seen_w is what there was around it. NaN: nothing bounds it. */
static double doubt_j(const struct wattle_page_channel *channel, double seen_w, uint64_t ns)
{
    double power_w = wtl_assumed_power_w(seen_w, channel->max_w);
    return isfinite(power_w) ? power_w * (double)ns * 1e-9 + channel->scale / 2 : (double)NAN;
}

/* What a gauge that averages leaves open about the time since the job began; NaN: nothing bounds it. */
static double window_half_j(const struct wattle_page_channel *from, double mean_w, double seconds)
{
    const struct wattle_channel gauge = {.kind = (enum wattle_kind)from->kind,
                                         .refresh_ns = from->refresh_ns,
                                         .window_ns = from->window_ns,
                                         .max_w = from->max_w};
    double half_j = wtl_window_half_j(&gauge, fmax(mean_w, 0), seconds, 1);
    return isfinite(half_j) ? half_j : (double)NAN;
}

void wtl_job_channels_begin(struct wtl_ledger_job *job, const struct wtl_page_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        const struct wattle_page_channel *from = wtl_page_values_channel(values, i);
        const struct wattle_page_now *now = &values->list[i].now;
        struct wtl_ledger_job_channel *to = &job->channels[job->channel_count++];
        *to = (struct wtl_ledger_job_channel){.begin_j = (double)NAN,
                                              .until_j = (double)NAN,
                                              .begin_doubt_j = (double)NAN,
                                              .resolution_j = (double)NAN,
                                              .in_total = from->flags & WATTLE_CHANNEL_IN_TOTAL};
        if (values->list[i].known) {
            to->begin_j = to->until_j = now->energy_j;
            to->begin_unknown_ns = to->until_unknown_ns = now->unknown_ns;
            to->begin_doubt_ns = doubt_ns(from, now, job->begin_ns);
            to->begin_doubt_j = doubt_j(from, now->power_w, to->begin_doubt_ns);
            to->since_ns = now->since_ns;
        }
        memcpy(to->name, from->name, sizeof to->name);
        (void)snprintf(to->quality, sizeof to->quality, "%s",
                       wtl_quality_word((enum wattle_quality)from->quality,
                                        from->flags & WATTLE_CHANNEL_SIMULATED));
    }
}

static void add_unread(struct wtl_ledger_job *job, const char *place, size_t n)
{
    struct wtl_ledger_job_channel *to = &job->channels[job->channel_count++];
    *to = (struct wtl_ledger_job_channel){.begin_j = (double)NAN,
                                          .until_j = (double)NAN,
                                          .begin_doubt_j = (double)NAN,
                                          .resolution_j = (double)NAN,
                                          .in_total = true};
    (void)snprintf(to->name, sizeof to->name, WTL_JOB_UNREAD "%.*s", (int)n, place);
    (void)snprintf(to->quality, sizeof to->quality, "%s", wtl_quality_word(WATTLE_MEASURED, false));
    for (char *c = to->name; (c = strchr(c, ' '));) /* names are words */
        *c = '-';
}

void wtl_job_channels_lack(struct wtl_ledger_job *job, const char *lacks)
{
    size_t count = 1;
    for (const char *c = lacks; (c = strstr(c, ", ")); c += 2)
        count++;
    if (count > WTL_JOB_UNREAD_MAX) {
        add_unread(job, lacks, strlen(lacks));
        return;
    }
    while (*lacks) {
        size_t n = strcspn(lacks, ",");
        add_unread(job, lacks, n);
        lacks += n + (lacks[n] ? 2 : 0);
    }
}

/* Does a channel's value continue the one that the job has? A counter never counts down: its energy was lost. That of a
 * gauge may fall. */
static bool goes_on(struct wtl_ledger_job_channel *channel,
                    const struct wattle_page_channel *from,
                    const struct wattle_page_now *now)
{
    if (isnan(channel->begin_j) || now->since_ns != channel->since_ns)
        return false;
    if (from->kind != WATTLE_COUNTER || now->energy_j >= channel->until_j)
        return true;
    channel->since_ns = ANEW;
    return false;
}

size_t wtl_job_channel_find(const struct wtl_ledger_job_channel *channel,
                            const struct wtl_page_values *values,
                            size_t guess)
{
    for (size_t n = 0; n < values->count; n++) {
        size_t i = (guess + n) % values->count;
        if (strncmp(wtl_page_values_channel(values, i)->name, channel->name,
                    sizeof channel->name) == 0)
            return i;
    }
    return values->count;
}

bool wtl_job_channel_advance(const struct wtl_ledger_job *job,
                             struct wtl_ledger_job_channel *channel,
                             const struct wtl_page_values *values,
                             size_t i)
{
    const struct wattle_page_channel *from =
        i < values->count ? wtl_page_values_channel(values, i) : NULL;
    const struct wtl_page_value *value = &values->list[i];
    if (!from || !value->known || !goes_on(channel, from, &value->now)) {
        if (values->time_ns > job->until_ns)
            channel->until_unknown_ns += values->time_ns - job->until_ns;
        return false;
    }
    channel->until_j = value->now.energy_j;
    uint64_t unknown_ns = wtl_health_unknown_ns(values->page, i, &value->now, values->time_ns);
    channel->until_unknown_ns = value->now.unknown_ns + unknown_ns;
    double mean_w = values->time_ns > job->begin_ns ? (channel->until_j - channel->begin_j) * 1e9 /
                                                          (double)(values->time_ns - job->begin_ns)
                                                    : (double)NAN;
    double seconds = (double)(values->time_ns - job->begin_ns) * 1e-9;
    double half_j = window_half_j(from, mean_w, values->time_ns > job->begin_ns ? seconds : 0);
    double seen_w = fmax(value->now.power_w, mean_w); /* mean_w: that of the job until now */
    /* Just after the sampler's start no power had been seen when the job began: the job's own then bounds it. */
    double begin_j = isnan(channel->begin_doubt_j) && channel->begin_doubt_ns > 0
                         ? doubt_j(from, seen_w, channel->begin_doubt_ns)
                         : channel->begin_doubt_j;
    double doubt =
        begin_j + doubt_j(from, seen_w, doubt_ns(from, &value->now, values->time_ns - unknown_ns));
    double unknown_s = (double)(channel->until_unknown_ns - channel->begin_unknown_ns) * 1e-9;
    double off_j = value->now.off_w * fmax(seconds - unknown_s, 0);
    channel->resolution_j =
        isnan(half_j) || isnan(doubt) ? (double)NAN : hypot(fmax(doubt, half_j), off_j);
    return true;
}
