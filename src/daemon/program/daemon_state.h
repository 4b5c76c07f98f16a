/* SPDX-License-Identifier: BSD-3-Clause */
/* What wattled holds (daemon.h), for the files that implement it. */
#ifndef WTL_DAEMON_DAEMON_STATE_H
#define WTL_DAEMON_DAEMON_STATE_H

#include "daemon/health.h"
#include "daemon/ledger_jobs.h"
#include "daemon/pages.h"
#include "daemon/privilege.h"
#include "daemon/program/daemon.h"
#include "daemon/program/starter.h"

struct wtl_daemon {
    struct wtl_daemon_options options;
    struct wtl_daemon_settings settings; /* in force */
    char boot_id[40];
    struct wtl_starter *starter; /* outlives the sampler */
    struct wtl_sampler *sampler;
    struct wtl_work_counter counters; /* of the machine, for jobs; closed = none ... */
    struct wattle_error no_counters;  /* ... and why */
    struct wtl_ledger *ledger;
    struct wtl_server *server;
    struct wtl_policy *policy;
    struct wtl_ledger_jobs *jobs;
    struct wtl_pages *pages;
    struct wtl_health *health;
    struct wtl_privilege_report privilege;
    int signals; /* signalfd; -1 = none */
    bool sealed; /* pages: by a seal, else by their mode */
    bool ending;
    bool review_due;       /* a page is still to be replaced */
    char restart_for[128]; /* settings that have changed and need a restart; "" = none */
    bool reads;            /* somebody, as the log says */
    size_t full, coarse;   /* connections that read */
    size_t missing;    /* channels that an earlier wattled of this boot had, if all were wanted */
    size_t failing;    /* channels */
    int ledger_error;  /* of the last store; 0 = none */
    int job_error;     /* of the last checkpoint */
    int share_error;   /* of the file of the last look */
    uint64_t start_ns; /* CLOCK_MONOTONIC, as the rest: */
    uint64_t
        learn_until_ns; /* until then at full rate, so that the page knows how often counters tick; 0 = over */
    uint64_t watch_next_ns; /* ledger, policy, health */
    uint64_t look_ns;       /* at the policy, last */
    uint64_t share_next_ns; /* look at what jobs use */
    uint64_t checkpoint_next_ns;
};

/* Answer a request: server.h. */
void wtl_daemon_answer(void *context,
                       uid_t uid,
                       const struct wtl_request_line *request,
                       struct wtl_reply *reply);

/* Look at the batch system's jobs if the last look is so long ago, and take back what changed. */
void wtl_daemon_look(struct wtl_daemon *daemon, uint64_t least_ns);

/* Who may read has changed: replace pages, close connections. */
void wtl_daemon_review(struct wtl_daemon *daemon);

/* Sample at the rate that the present readers need. */
void wtl_daemon_adapt(struct wtl_daemon *daemon);

#endif
