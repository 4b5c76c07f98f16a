/* SPDX-License-Identifier: BSD-3-Clause */
/* What the requests of docs/format/page.md do. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "daemon/ledger_job_file.h"
#include "daemon/log.h"
#include "daemon/program/daemon_state.h"
#include "daemon/program/status.h"

static const uint64_t LOOK_NS =
    100000000; /* a request makes no look at /sys/fs/cgroup more often */

static const uint64_t LATE_NS = 1000000000; /* so long an epilog takes */

static void refuse(struct wtl_reply *reply, int rc, const struct wattle_error *err)
{
    bool missing = rc == -ENOENT || rc == -EBADMSG; /* damaged: it is not asked for again */
    wtl_reply_add(reply, "no %s %s",
                  rc == -EEXIST   ? "exists"
                  : missing       ? "missing"
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

/* Whole microjoules, exactly. */
static const char *joules(char *text, size_t n, int64_t uj)
{
    uint64_t size = uj < 0 ? 0 - (uint64_t)uj : (uint64_t)uj;
    (void)snprintf(text, n, "%s%llu.%06llu", uj < 0 ? "-" : "", (unsigned long long)size / 1000000,
                   (unsigned long long)size % 1000000);
    return text;
}

/* " CHARGED OTHERS IDLE UNATTRIBUTED" of a job whose energy is divided; of a device of it also " UNDIVIDED RULE". */
static const char *print_shares(char *text,
                                size_t n,
                                const struct wtl_ledger_job *job,
                                const struct wtl_ledger_job_channel *channel)
{
    char charged[32], others[32], idle[32], unattributed[32], undivided[32];
    const char *rule = wtl_ledger_job_device_rule(channel);
    bool known = isfinite(wtl_ledger_job_energy_j(job, channel)) &&
                 (rule[0] || strcmp(wtl_ledger_job_rule(job), "none") != 0);
    text[0] = '\0';
    if (job->terms.given)
        (void)snprintf(text, n, " %s %s %s %s",
                       known ? joules(charged, sizeof charged, channel->charged_uj) : "-",
                       joules(others, sizeof others, channel->others_uj),
                       joules(idle, sizeof idle, channel->idle_uj),
                       joules(unattributed, sizeof unattributed, channel->unattributed_uj));
    size_t used = strlen(text);
    if (job->terms.given && rule[0])
        (void)snprintf(text + used, n - used, " %s %s",
                       joules(undivided, sizeof undivided, channel->undivided_uj), rule);
    return text;
}

static bool print_channel(struct wtl_reply *reply,
                          const struct wtl_ledger_job *job,
                          const struct wtl_ledger_job_channel *channel)
{
    char energy[32], resolution[32], shares[200];
    double energy_j = wtl_ledger_job_energy_j(job, channel);
    (void)snprintf(energy, sizeof energy, isfinite(energy_j) ? "%.6f" : "-", energy_j);
    return wtl_reply_add(reply, "\n%s %s %.9f %s %d %s%s", channel->name, energy,
                         (double)wtl_ledger_job_unknown_ns(job, channel) * 1e-9,
                         number(resolution, sizeof resolution, 3, channel->resolution_j),
                         channel->in_total, channel->quality,
                         print_shares(shares, sizeof shares, job, channel));
}

/* Lines "key = value" about the job, for one that has begun with lines. */
static void print_facts(struct wtl_reply *reply, const struct wtl_ledger_job *job)
{
    const struct wtl_job_use *use = &job->use;
    if (!job->terms.given)
        return;
    wtl_reply_add(reply, "\nid = %s\nstate = %s\nboot = %s\nrule = %s", job->id,
                  wtl_ledger_job_state_word(job->state), job->boot_id, wtl_ledger_job_rule(job));
    if (wtl_ledger_job_uncounted(job)[0])
        wtl_reply_add(reply, "\nshare_counters = %s", wtl_ledger_job_uncounted(job));
    double half_j = wtl_ledger_job_share_half_j(job);
    if (isfinite(half_j))
        wtl_reply_add(reply, "\nshare_half_j = %.6f", half_j);
    if (job->terms.parent[0])
        wtl_reply_add(reply, "\nparent = %s", job->terms.parent);
    if (job->terms.gpus[0])
        wtl_reply_add(reply, "\ngpus = %s", job->terms.gpus);
    if (use->seen_ns > 0) {
        wtl_reply_add(reply, "\ncpu_s = %.9f", (double)use->cpu_ns * 1e-9);
        if (use->seen_ns < job->until_ns)
            wtl_reply_add(reply, "\nunseen_s = %.9f",
                          (double)(job->until_ns - use->seen_ns) * 1e-9);
        if (use->quiet_ns > 0 && use->quiet_ns < job->until_ns)
            wtl_reply_add(reply, "\ngone_s = %.9f", (double)(job->until_ns - use->quiet_ns) * 1e-9);
    }
    if (use->peak_bytes > 0)
        wtl_reply_add(reply, "\npeak_bytes = %llu", (unsigned long long)use->peak_bytes);
    if (job->fetched)
        wtl_reply_add(reply, "\nfetched = 1");
    if (job->terms.note[0])
        wtl_reply_add(reply, "\nnote = %s", job->terms.note);
}

/* Channels that belong to the total first: a reply has limited space. */
static void print_ended(struct wtl_reply *reply, const struct wtl_ledger_job *job)
{
    size_t left_out = 0, of_total = 0;
    wtl_reply_add(reply, "ok %.9f %.9f", (double)job->begin_realtime_ns * 1e-9,
                  (double)(job->until_ns - job->begin_ns) * 1e-9);
    print_facts(reply, job);
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

static void begin(struct wtl_daemon *daemon,
                  const struct wtl_request_line *request,
                  struct wtl_reply *reply)
{
    const struct wtl_job_terms *terms = request->terms.given ? &request->terms : NULL;
    struct wattle_error err = {""};
    (void)wtl_sampler_border(daemon->sampler); /* a sensor that hangs is seen by its age */
    (void)wtl_sampler_save(daemon->sampler);   /* as the job begins, so a next wattled continues */
    int rc = wtl_ledger_jobs_begin(daemon->jobs, request->job, terms,
                                   wtl_sampler_page(daemon->sampler), &err);
    if (rc < 0)
        refuse(reply, rc, &err);
    else
        wtl_reply_add(reply, "ok");
}

/* When a job had ended, by CLOCK_MONOTONIC; 0 = now, or a moment ago. */
static uint64_t ended_ns(const struct wtl_daemon *daemon, double ended_s)
{
    const struct wtl_world *world = daemon->options.world;
    uint64_t time_ns = wtl_world_monotonic(world);
    double late_ns = (double)world->ops->now_ns(world, CLOCK_REALTIME) - ended_s * 1e9;
    bool late = ended_s > 0 && late_ns > (double)LATE_NS && late_ns < (double)time_ns;
    return late ? time_ns - (uint64_t)late_ns : 0;
}

static void end(struct wtl_daemon *daemon,
                const struct wtl_request_line *request,
                struct wtl_reply *reply)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    uint64_t time_ns = ended_ns(daemon, request->terms.ended_s);
    (void)wtl_sampler_border(daemon->sampler);
    const struct wattle_page *page = wtl_sampler_page(daemon->sampler);
    int rc = time_ns > 0
                 ? wtl_ledger_jobs_end_late(daemon->jobs, request->job, time_ns, page, &job, &err)
                 : wtl_ledger_jobs_end(daemon->jobs, request->job, page, &job, &err);
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

/* Jobs that have ended and are not yet fetched. */
static void list_left(const struct wtl_daemon *daemon, struct wtl_reply *reply)
{
    const char *id;
    size_t left_out = 0;
    wtl_reply_add(reply, "ok");
    for (size_t i = 0; (id = wtl_ledger_jobs_left(daemon->jobs, i)); i++)
        left_out += !wtl_reply_add(reply, "\n%s", id);
    wtl_reply_more(reply, left_out, 0);
}

/* The open job of this ID, until now; NULL: it is not open. */
static const struct wtl_ledger_job *look_at_open(struct wtl_daemon *daemon, const char *id)
{
    const struct wtl_ledger_job *job;
    size_t i = 0;
    while ((job = wtl_ledger_jobs_at(daemon->jobs, i)) && strcmp(job->id, id) != 0)
        i++;
    if (!job)
        return NULL;
    (void)wtl_sampler_border(daemon->sampler);
    wtl_ledger_jobs_look(daemon->jobs, wtl_sampler_page(daemon->sampler));
    return job;
}

static void show(struct wtl_daemon *daemon, const char *id, struct wtl_reply *reply)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *running = look_at_open(daemon, id);
    struct wtl_ledger_job *job;
    if (running) {
        print_ended(reply, running);
        return;
    }
    int rc = wtl_ledger_jobs_load(daemon->jobs, id, &job, &err);
    if (rc < 0) {
        refuse(reply, rc, &err);
        return;
    }
    print_ended(reply, job);
    wtl_ledger_job_free(job);
}

static void take_fetched(struct wtl_daemon *daemon, const char *id, struct wtl_reply *reply)
{
    struct wattle_error err = {""};
    int rc = wtl_ledger_jobs_fetched(daemon->jobs, id, &err);
    if (rc < 0)
        refuse(reply, rc, &err);
    else
        wtl_reply_add(reply, "ok");
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
    if (request->terms.given)
        reply->most = WTL_REPLY_MAX;
    switch (request->verb) {
    case WTL_REQUEST_PAGE:
        lend(daemon, uid, request, reply);
        break;
    case WTL_REQUEST_STATUS:
        wtl_status_print(daemon, uid, reply);
        break;
    case WTL_REQUEST_BEGIN:
        begin(daemon, request, reply);
        break;
    case WTL_REQUEST_END:
        end(daemon, request, reply);
        break;
    case WTL_REQUEST_JOBS:
        list(daemon, reply);
        break;
    case WTL_REQUEST_LEFT:
        list_left(daemon, reply);
        break;
    case WTL_REQUEST_JOB:
        reply->most = WTL_REPLY_MAX;
        show(daemon, request->job, reply);
        break;
    case WTL_REQUEST_FETCHED:
        take_fetched(daemon, request->job, reply);
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
