/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The channels of a job follow the energy page. All that happens at one instant (a job that begins or ends, a look) sees the
 * same values of the page: they are taken once.
 */
#ifndef WTL_DAEMON_JOB_CHANNELS_H
#define WTL_DAEMON_JOB_CHANNELS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/page.h>

#include "daemon/ledger_job.h"

struct wtl_page_value {
    bool known; /* there is a value, new or not */
    struct wattle_page_now now;
};

/* Zeroed = none yet. */
struct wtl_page_values {
    const struct wattle_page *page;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    size_t count, room;
    struct wtl_page_value *list; /* [count], as the page's channels */
};

/* Of value i. */
static inline const struct wattle_page_channel *wtl_page_values_channel(
    const struct wtl_page_values *values,
    size_t i)
{
    const struct wattle_page_channel *channel = wattle_page_channel_at(values->page, i);
    assert(i < values->count && channel);
    return channel;
}

/* 0 or -ENOMEM. */
int wtl_page_values_take(struct wtl_page_values *values, const struct wattle_page *page);
void wtl_page_values_fini(struct wtl_page_values *values);

/* The channels of a job that begins with these values. One without a value is in the job as well: as unknown. */
void wtl_job_channels_begin(struct wtl_ledger_job *job, const struct wtl_page_values *values);

/* What the total should contain and wattled cannot read ("package-0, package-1"), as channels of a job without a value: its total is
 * then a lower bound for all of its time, also if a later wattled can read them. At most this many, else one for all. */
enum { WTL_JOB_UNREAD_MAX = 16 };
#define WTL_JOB_UNREAD "unread:"
void wtl_job_channels_lack(struct wtl_ledger_job *job, const char *lacks);

/* The number of a job's channel in the page, looked for from a guess on; values->count = it is not there. */
size_t wtl_job_channel_find(const struct wtl_ledger_job_channel *channel,
                            const struct wtl_page_values *values,
                            size_t guess);

/* Take a channel of the job, number i of the page, to these values. The time since its newest sample counts as unknown if reads fail
 * or hang. False: no value of it belongs to this job, and the time since the last is unknown. */
bool wtl_job_channel_advance(const struct wtl_ledger_job *job,
                             struct wtl_ledger_job_channel *channel,
                             const struct wtl_page_values *values,
                             size_t i);

#endif
