/* SPDX-License-Identifier: BSD-3-Clause */
/* What the requests of docs/format/page.md do. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "daemon/log.h"
#include "daemon/program/daemon_state.h"
#include "daemon/program/status.h"

static const uint64_t LOOK_NS =
    100000000; /* a request makes no look at /sys/fs/cgroup more often */

static void refuse(struct wtl_reply *reply, int rc, const struct wattle_error *err)
{
    wtl_reply_add(reply, "no %s %s",
                  rc == -EEXIST   ? "exists"
                  : rc == -ENOENT ? "missing"
                  : rc == -EMFILE ? "busy"
                                  : "failed",
                  err->text);
}

static void lend(struct wtl_daemon *daemon,
                 uid_t uid,
                 const struct wtl_request_line *request,
                 struct wtl_reply *reply)
{
    if (request->version < WATTLE_PAGE_VERSION) {
        wtl_reply_add(
            reply,
            "no version this wattled has pages of version %d; install the same version of "
            "wattle",
            WATTLE_PAGE_VERSION);
        return;
    }
    wtl_daemon_look(daemon, LOOK_NS);
    wtl_pages_lend(daemon->pages, daemon->policy, uid, reply);
}

/* A number of a reply; "-": it is unknown. */
static const char *number(char *text, size_t n, int digits, double value)
{
    (void)snprintf(text, n, isfinite(value) ? "%.*g" : "-", digits, value);
    return text;
}

static bool print_channel(struct wtl_reply *reply,
                          const struct wtl_ledger_job *job,
                          const struct wtl_ledger_job_channel *channel)
{
    char energy[32], resolution[32];
    return wtl_reply_add(reply, "\n%s %s %.9f %s %d %s", channel->name,
                         number(energy, sizeof energy, 12, wtl_ledger_job_energy_j(job, channel)),
                         (double)wtl_ledger_job_unknown_ns(job, channel) * 1e-9,
                         number(resolution, sizeof resolution, 3, channel->resolution_j),
                         channel->in_total, channel->quality);
}

/* Channels that belong to the total first: a reply has limited space. */
static void print_ended(struct wtl_reply *reply, const struct wtl_ledger_job *job)
{
    size_t left_out = 0, of_total = 0;
    wtl_reply_add(reply, "ok %.9f %.9f", (double)job->begin_realtime_ns * 1e-9,
                  (double)(job->until_ns - job->begin_ns) * 1e-9);
    for (int rest = 0; rest < 2; rest++) {
        for (size_t i = 0; i < job->channel_count; i++) {
            const struct wtl_ledger_job_channel *channel = &job->channels[i];
            if (channel->in_total == (rest != 0))
                continue;
            bool fits = print_channel(reply, job, channel);
            left_out += !fits;
            of_total += !fits && channel->in_total;
        }
    }
    wtl_reply_more(reply, left_out, of_total);
}

static void begin(struct wtl_daemon *daemon, const char *id, struct wtl_reply *reply)
{
    struct wattle_error err = {""};
    (void)wtl_sampler_now(daemon->sampler);  /* a sensor that hangs is seen by its age */
    (void)wtl_sampler_save(daemon->sampler); /* as the job begins, so a next wattled continues */
    int rc = wtl_ledger_jobs_begin(daemon->jobs, id, wtl_sampler_page(daemon->sampler), &err);
    if (rc < 0)
        refuse(reply, rc, &err);
    else
        wtl_reply_add(reply, "ok");
}

static void end(struct wtl_daemon *daemon, const char *id, struct wtl_reply *reply)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    (void)wtl_sampler_now(daemon->sampler);
    int rc = wtl_ledger_jobs_end(daemon->jobs, id, wtl_sampler_page(daemon->sampler), &job, &err);
    if (rc < 0)
        refuse(reply, rc, &err);
    else
        print_ended(reply, job);
}

static void list(const struct wtl_daemon *daemon, struct wtl_reply *reply)
{
    const struct wtl_ledger_job *job;
    uint64_t time_ns = wtl_world_monotonic(daemon->options.world);
    size_t left_out = 0;
    wtl_reply_add(reply, "ok");
    for (size_t i = 0; (job = wtl_ledger_jobs_at(daemon->jobs, i)); i++)
        left_out +=
            !wtl_reply_add(reply, "\n%s %.9f %.9f", job->id, (double)job->begin_realtime_ns * 1e-9,
                           (double)(time_ns - job->begin_ns) * 1e-9);
    wtl_reply_more(reply, left_out, 0);
}

static void change_user(struct wtl_daemon *daemon, uid_t uid, bool allow, struct wtl_reply *reply)
{
    int rc = allow ? wtl_policy_allow(daemon->policy, uid) : wtl_policy_deny(daemon->policy, uid);
    if (rc < 0)
        wtl_reply_add(reply, "no failed cannot store the list of users in \"%s\": %s",
                      daemon->settings.run_dir, wtl_strerror(rc));
    else
        wtl_reply_add(reply, "ok");
    wtl_daemon_review(daemon);
}

static void reload(struct wtl_daemon *daemon, struct wtl_reply *reply)
{
    struct wattle_error err = {""};
    int rc = daemon->options.reload(daemon->options.context, daemon, &err);
    if (rc < 0)
        refuse(reply, rc, &err);
    else
        wtl_reply_add(reply, "ok");
}

void wtl_daemon_answer(void *context,
                       uid_t uid,
                       const struct wtl_request_line *request,
                       struct wtl_reply *reply)
{
    struct wtl_daemon *daemon = context;
    switch (request->verb) {
    case WTL_REQUEST_PAGE:
        lend(daemon, uid, request, reply);
        break;
    case WTL_REQUEST_STATUS:
        wtl_status_print(daemon, uid, reply);
        break;
    case WTL_REQUEST_BEGIN:
        begin(daemon, request->job, reply);
        break;
    case WTL_REQUEST_END:
        end(daemon, request->job, reply);
        break;
    case WTL_REQUEST_JOBS:
        list(daemon, reply);
        break;
    case WTL_REQUEST_ALLOW:
    case WTL_REQUEST_DENY:
        change_user(daemon, request->uid, request->verb == WTL_REQUEST_ALLOW, reply);
        break;
    case WTL_REQUEST_RELOAD:
        reload(daemon, reply);
        break;
    }
}
