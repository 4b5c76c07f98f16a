/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle jobs send": records of the spool into the database. What the database does not take now is tried again later;
 * what no database takes is put aside, so that it does not hold up the rest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/random.h"
#include "base/signals.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_spool.h"
#include "report/table.h"

struct request {
    const char *database;
    uint64_t interval_ns;
    bool follow, once;
};

static const struct wtl_option options_table[] = {
    {0, "once", NULL, "send what is there, and exit (default)", WTL_SETS(struct request, once)},
    {0, "follow", NULL, "go on sending until stopped", WTL_SETS(struct request, follow)},
    {0, "interval", "DUR", "with --follow: look every DUR (default 60s)",
     WTL_TAKES_DURATION(struct request, interval_ns, UINT64_C(100000000))},
    {0, "database", "URL", "send to sqlite:PATH or postgresql://HOST/NAME\n(default: wattle.conf)",
     WTL_TAKES_TEXT(struct request, database)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

struct sending {
    const char *url;
    struct wtl_jobs_spool_setting spool;
    struct wtl_job_sender *sender;
    struct wtl_store *store;
    uint64_t sent, rejected;
    bool failing; /* said */
};

/* One by one, since a record among them is refused: that one is put aside. */
static int send_each(struct sending *sending,
                     const struct wtl_job_record *records,
                     size_t count,
                     struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = wtl_store_put(sending->store, &records[i], 1, NULL, err);
        if (rc != -EBADMSG)
            continue;
        sending->rejected++;
        rc = wtl_job_sender_reject(sending->sender, i, err->text, err);
    }
    return rc;
}

/* All that the spool has: 0 or -errno. Damaged databases and lost connections end it, and the next try opens anew. */
static int send_all(struct sending *sending, struct wattle_error *err)
{
    const struct wtl_job_record *records;
    size_t count;
    int rc = 1;
    while (rc > 0 && (rc = wtl_job_sender_next(sending->sender, &records, &count, err)) > 0) {
        uint64_t rejected = sending->rejected;
        int put = wtl_store_put(sending->store, records, count, NULL, err);
        if (put == -EBADMSG)
            put = send_each(sending, records, count, err);
        if (put == 0)
            put = wtl_job_sender_done(sending->sender, err);
        if (put < 0)
            return put;
        sending->sent += count - (sending->rejected - rejected);
    }
    return rc;
}

/* Tell the database how this node is doing, also if there is nothing to send: a silent node is one that cannot. */
static int report(struct sending *sending, struct wattle_error *err)
{
    struct wtl_job_spool_status status;
    char node[HOST_NAME_MAX + 1] = "";
    int rc = wtl_job_spool_status(&sending->spool.spool, &status, err);
    if (rc < 0)
        return rc;
    (void)gethostname(node, sizeof node - 1);
    const struct wtl_store_sender sender = {
        .cluster = sending->spool.cluster,
        .node = node,
        .version = WATTLE_VERSION,
        .backlog_records = (int64_t)status.records,
        .backlog_bytes = (int64_t)status.bytes,
        .oldest_ns = status.oldest_ns,
        .refused = (int64_t)status.refused,
        .damaged = (int64_t)status.damaged,
        .rejected = (int64_t)status.rejected,
    };
    return wtl_store_seen(sending->store, &sender, err);
}

static int try_once(struct sending *sending, struct wattle_error *err)
{
    int rc =
        sending->store ? 0 : wtl_store_open(sending->url, WTL_STORE_WRITE, &sending->store, err);
    rc = rc < 0 ? rc : send_all(sending, err);
    rc = rc < 0 ? rc : report(sending, err);
    if (rc < 0) {
        wtl_store_close(sending->store);
        sending->store = NULL;
    }
    return rc;
}

/* Wait; true if a signal came that ends us. */
static bool wait_for(struct wtl_signals *signals, uint64_t ns)
{
    struct pollfd poll_fd = {.fd = signals->fd, .events = POLLIN};
    (void)poll(&poll_fd, 1, ns / 1000000 > INT_MAX ? INT_MAX : (int)(ns / 1000000));
    return wtl_signals_ended(signals);
}

/* After failures longer and longer, up to five minutes, and not all nodes of a site at the same time. */
static uint64_t pause_after(uint64_t interval_ns, unsigned failures)
{
    const uint64_t second = 1000000000, most = 300 * second;
    uint64_t pause = failures > 0 ? second << (failures < 9 ? failures - 1 : 8) : interval_ns;
    pause = pause < most || failures == 0 ? pause : most;
    return pause / 2 +
           (uint64_t)((double)pause * wtl_random_uniform((uint64_t)getpid(), failures)) / 2 +
           (failures == 0 ? pause / 4 : 0);
}

static void say(struct sending *sending, int rc, const struct wattle_error *err)
{
    if (rc < 0 && !sending->failing)
        wtl_complain(&wtl_jobs_send_command, "%s; the records wait in %s", err->text,
                     sending->spool.spool.folder);
    if (rc == 0 && sending->failing)
        wtl_print_sentence(stderr,
                           "wattle jobs send: the database is back: %" PRIu64 " records sent\n",
                           sending->sent);
    sending->failing = rc < 0;
}

static int follow(struct sending *sending, uint64_t interval_ns)
{
    struct wtl_signals signals;
    struct wattle_error err = {""};
    unsigned failures = 0;
    if (wtl_signals_take(&signals) < 0) {
        wtl_complain(&wtl_jobs_send_command, "signals cannot be received");
        return WTL_EXIT_FAILED;
    }
    do {
        int rc = try_once(sending, &err);
        say(sending, rc, &err);
        sending->sent = rc < 0 ? sending->sent : 0;
        failures = rc < 0 ? failures + (failures < 100) : 0;
    } while (!wait_for(&signals, pause_after(interval_ns, failures)));
    wtl_signals_restore(&signals);
    return WTL_EXIT_OK;
}

static int send_now(struct sending *sending)
{
    struct wattle_error err = {""};
    int rc = try_once(sending, &err);
    say(sending, rc, &err);
    if (sending->rejected > 0)
        wtl_complain(&wtl_jobs_send_command,
                     "%" PRIu64 " records were refused by the database and are kept in %s/rejected",
                     sending->rejected, sending->spool.spool.folder);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_send_command;
    struct wtl_command_line line;
    struct request request = {.interval_ns = UINT64_C(60000000000)};
    struct sending sending = {.sent = 0};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    if (request.follow && request.once)
        return wtl_usage(command, "--once and --follow exclude each other");
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), &err);
    if (rc < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    sending.url =
        request.database ? request.database : wtl_config_get(settings.config, "jobs", "database");
    rc = wtl_jobs_spool_setting(settings.config, &sending.spool, &err);
    if (rc == 0 && !sending.url[0])
        rc = wtl_fail(
            &err, -EINVAL,
            "no database is set; set \"database\" in section [jobs] of %s, or give --database",
            wtl_config_system_path());
    rc = rc < 0 ? rc : wtl_job_sender_open(&sending.spool.spool, &sending.sender, &err);
    status = WTL_EXIT_FAILED;
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    else
        status = request.follow ? follow(&sending, request.interval_ns) : send_now(&sending);
    wtl_job_sender_close(sending.sender);
    wtl_store_close(sending.store);
    wtl_cli_settings_fini(&settings);
    return status;
}

const struct wtl_command wtl_jobs_send_command = {
    .verb = "jobs send",
    .run = run,
    .operands = "",
    .summary = "send this node's records of jobs to the database",
    .text =
        "Records that prologs and epilogs have left in the spool are inserted into the site's\n"
        "database, and removed from the spool when it has committed them. If the database\n"
        "cannot be reached, they wait. For a timer (wattle-jobs-send.timer) or, with --follow,\n"
        "a service. Exit status: 0 sent, 1 not all.\n",
    .options = options_table,
    .examples = "wattle jobs send\n"
                "wattle jobs send --follow --interval 5m\n",
    .usage_exit = WTL_EXIT_USAGE,
};
