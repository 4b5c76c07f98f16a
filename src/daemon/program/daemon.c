/* SPDX-License-Identifier: BSD-3-Clause */
/* wattled: see daemon.h. Opening, the loop, closing; what requests do is in answers.c. */
#define _GNU_SOURCE
#include "daemon/program/daemon.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "daemon/folder.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/program/daemon_state.h"
#include "daemon/program/wattled_options.h"

enum { OPEN_S = 30 }; /* for opening the sensors, in all */
static const uint64_t WATCH_NS = 1000000000, WATCH_LEAST_NS = 100000000;
static const uint64_t SHARE_NS = 1000000000; /* between looks at what jobs use */
static const uint64_t LEARN_NS = 300000000;  /* several ticks of a filtered counter */

static uint64_t now_of(const struct wtl_daemon *daemon)
{
    return wtl_world_monotonic(daemon->options.world);
}

/* ---- readers ---- */

void wtl_daemon_adapt(struct wtl_daemon *daemon)
{
    const struct wtl_daemon_settings *settings = &daemon->settings;
    uint64_t wanted_ns = settings->idle_interval_ns;
    if (daemon->coarse > 0 && settings->coarse_interval_ns < wanted_ns)
        wanted_ns = settings->coarse_interval_ns;
    bool fast = daemon->full > 0 || daemon->learn_until_ns > 0;
    wanted_ns = fast ? settings->interval_ns : wtl_sampler_idle_ns(daemon->sampler, wanted_ns);
    wtl_sampler_pace(daemon->sampler, wanted_ns);
}

static void on_readers(void *context, size_t full, size_t coarse)
{
    struct wtl_daemon *daemon = context;
    bool comes = coarse > 0 && daemon->coarse == 0;
    daemon->full = full;
    daemon->coarse = coarse;
    if (daemon->ending)
        return;
    wtl_daemon_adapt(daemon);
    if (comes) /* what the page shows may be old */
        wtl_pages_hurry(daemon->pages);
}

static bool may_read(void *context, uid_t uid, enum wtl_presence presence)
{
    const struct wtl_daemon *daemon = context;
    enum wtl_grant grant = wtl_policy_grant(daemon->policy, uid);
    return presence == WTL_READS_COARSE ? grant != WTL_GRANT_NONE : grant == WTL_GRANT_FULL;
}

void wtl_daemon_review(struct wtl_daemon *daemon)
{
    int rc = wtl_pages_review(daemon->pages, daemon->policy);
    if (rc < 0 && !daemon->review_due)
        wtl_log(WTL_LOG_ERROR, "cannot replace the energy page: %s", wtl_strerror(rc));
    daemon->review_due = rc < 0;
    wtl_server_review(daemon->server);
}

void wtl_daemon_look(struct wtl_daemon *daemon, uint64_t least_ns)
{
    uint64_t time_ns = now_of(daemon);
    if (time_ns < daemon->look_ns + least_ns)
        return;
    daemon->look_ns = time_ns;
    if (wtl_policy_refresh(daemon->policy) || daemon->review_due)
        wtl_daemon_review(daemon);
}

/* ---- opening ---- */

static const struct wtl_server_ops server_ops = {wtl_daemon_answer, on_readers, may_read};

static int open_signals(struct wtl_daemon *daemon, struct wattle_error *err)
{
    sigset_t mask;
    (void)sigemptyset(&mask);
    (void)sigaddset(&mask, SIGTERM);
    (void)sigaddset(&mask, SIGINT);
    (void)sigaddset(&mask, SIGHUP);
    (void)signal(SIGPIPE, SIG_IGN); /* a log whose reader has ended does not end wattled, */
    (void)signal(SIGXFSZ, SIG_IGN); /* nor does a limit, which write() reports */
    daemon->signals = pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0
                          ? signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK)
                          : -1;
    return daemon->signals < 0
               ? wtl_fail(err, -errno, "cannot receive signals: %s", wtl_strerror(errno))
               : 0;
}

/* A read that the kernel does not return from cannot be given up from inside the process. */
static void on_alarm(int signal)
{
    static const char text[] =
        "wattled: error: a sensor has not answered for 30 s while it was opened; find it with "
        "\"wattle sensors\", and leave it out with sensors in section [wattled]\n";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1); /* it ends either way */
    _exit(WTL_WATTLED_FAILED);
}

static int open_sensors(struct wtl_daemon *daemon, struct wattle_error *err)
{
    (void)signal(SIGALRM, on_alarm);
    (void)alarm(OPEN_S);
    int rc = wtl_sampler_open(wtl_starter_world(daemon->starter), &daemon->settings,
                              &daemon->sampler, err);
    (void)alarm(0);
    wtl_starter_seal(daemon->starter);
    return rc;
}

/* Those of the machine, for shares of jobs: they rest until jobs share the node. */
static void open_counters(struct wtl_daemon *daemon)
{
    static const struct wtl_target whole = {.pid = 0};
    struct wattle_error *why = &daemon->no_counters;
    int rc = wtl_work_counter_open(&daemon->counters, daemon->options.world, &whole,
                                   WTL_COUNTED_MACHINE, false, why);
    if (rc == 0 && (rc = wtl_work_counter_rest(&daemon->counters, true)) < 0)
        wtl_work_counter_close(&daemon->counters);
    if (rc < 0 && !why->text[0])
        (void)wtl_fail(why, rc, "%s", wtl_strerror(rc));
    else if (rc == 0)
        why->text[0] = '\0';
}

/* What needs privileges. Nothing in the folders is opened with them: a name there may be replaced by wattled's user. */
static int open_first(struct wtl_daemon *daemon, struct wattle_error *err)
{
    const struct wtl_daemon_settings *settings = &daemon->settings;
    int rc = wtl_folder_prepare(settings->run_dir, 0755, settings->user, err);
    rc = rc < 0 || !settings->state_dir[0]
             ? rc
             : wtl_folder_prepare(settings->state_dir, 0750, settings->user, err);
    if (rc == 0)
        rc = wtl_starter_open(daemon->options.world, settings->user, &daemon->starter, err);
    rc = rc < 0 ? rc : open_sensors(daemon, err);
    if (rc == 0 && daemon->options.ret_lacks) {
        const char *lacks = wtl_sampler_selection(daemon->sampler)->lacks;
        (void)snprintf(*daemon->options.ret_lacks, sizeof *daemon->options.ret_lacks, "%s", lacks);
        if (lacks[0])
            return wtl_fail(err, -EAGAIN, "%s cannot be read", lacks);
    }
    if (rc == 0)
        open_counters(daemon);
    return rc;
}

/* Only here: whoever becomes another user loses it. */
static int end_with_waiting(const struct wtl_daemon *daemon, struct wattle_error *err)
{
    const pid_t waiting = daemon->options.waiting;
    if (waiting == 0)
        return 0;
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != waiting)
        return wtl_fail(err, -EAGAIN, "the process that started this one has ended");
    return 0;
}

/* In run_dir, as the user that wattled has become. */
static int open_run_dir(struct wtl_daemon *daemon, struct wattle_error *err)
{
    const struct wtl_daemon_settings *settings = &daemon->settings;
    struct wattle_error note = {""};
    char path[sizeof settings->run_dir + 8];
    bool created = false;
    (void)snprintf(path, sizeof path, "%s/socket", settings->run_dir);
    int rc = wtl_ledger_open(settings->run_dir, daemon->boot_id, &daemon->ledger, &created, &note);
    if (rc < 0)
        return wtl_fail(err, rc, "%s", note.text);
    if (note.text[0])
        wtl_log(WTL_LOG_WARNING, "%s", note.text);
    return wtl_server_open(path, &server_ops, daemon, &daemon->server, err);
}

/* A calibration of this node, if there is one for these sensors. */
static void set_share_model(struct wtl_daemon *daemon)
{
    struct wattle_error why = {""};
    struct wtl_share_model model;
    int rc = wtl_sampler_share_model(daemon->sampler, &model, &why);
    if (rc < 0 && rc != -ENOENT && why.text[0])
        wtl_log(WTL_LOG_WARNING, "%s", why.text);
    wtl_ledger_jobs_set_model(daemon->jobs, &model);
}

/* The rest belongs to that user as well. */
static int open_rest(struct wtl_daemon *daemon, struct wattle_error *err)
{
    const struct wtl_daemon_settings *settings = &daemon->settings;
    const char *state_dir = settings->state_dir[0] ? settings->state_dir : settings->run_dir;
    int rc = wtl_policy_create(daemon->options.world, settings, &daemon->policy);
    rc = rc < 0 ? wtl_no_memory_for(err, "the policy")
                : wtl_ledger_jobs_open(state_dir, settings->run_dir, daemon->boot_id,
                                       daemon->options.world, &daemon->jobs, err);
    rc = rc < 0 ? rc : wtl_sampler_start(daemon->sampler, daemon->ledger, daemon->boot_id, err);
    if (rc < 0)
        return rc;
    wtl_ledger_jobs_keep(daemon->jobs, settings->ended_jobs);
    wtl_ledger_jobs_watch(daemon->jobs, wtl_sampler_selection(daemon->sampler));
    if (daemon->counters.events.list)
        wtl_ledger_jobs_use(daemon->jobs, &daemon->counters);
    set_share_model(daemon);
    daemon->start_ns = now_of(daemon);
    daemon->health =
        wtl_health_create(wattle_page_count(wtl_sampler_page(daemon->sampler)), daemon->start_ns);
    rc = wtl_pages_create(daemon->sampler, daemon->ledger, &daemon->settings, &daemon->pages);
    if (rc < 0 || !daemon->health)
        return wtl_no_memory_for(err, "the pages");
    (void)wtl_sampler_page_fd(daemon->sampler, &daemon->sealed);
    if (!settings->sensors[0])
        daemon->missing = wtl_ledger_missing(daemon->ledger, wtl_sampler_page(daemon->sampler));
    if (daemon->missing > 0)
        wtl_log(WTL_LOG_WARNING,
                "%zu channels that were read before cannot be opened now; restart wattled once "
                "they can",
                daemon->missing);
    const char *lacks = wtl_sampler_selection(daemon->sampler)->lacks;
    if (lacks[0])
        wtl_log(WTL_LOG_WARNING,
                "the total lacks %s: present in this machine, but not read; energies of jobs are "
                "lower bounds until it can be read, which is tried again from time to time",
                lacks);
    daemon->checkpoint_next_ns = daemon->start_ns + settings->checkpoint_interval_ns;
    daemon->learn_until_ns = daemon->start_ns + LEARN_NS;
    return 0;
}

int wtl_daemon_open(const struct wtl_daemon_options *options,
                    struct wtl_daemon **ret_daemon,
                    struct wattle_error *err)
{
    struct wtl_daemon *daemon = calloc(1, sizeof *daemon);
    if (!daemon)
        return wtl_no_memory_for(err, "wattled");
    daemon->options = *options;
    daemon->settings = *options->settings;
    daemon->signals = -1;
    err->text[0] = '\0';
    int rc = (int)wtl_world_text(options->world, "/proc/sys/kernel/random/boot_id", daemon->boot_id,
                                 sizeof daemon->boot_id);
    rc = rc < 0 ? wtl_fail(err, rc, "cannot read the boot id of this node: %s; is /proc mounted?",
                           wtl_strerror(rc))
                : open_first(daemon, err);
    rc = rc < 0 ? rc : wtl_privilege_drop(daemon->settings.user, false, &daemon->privilege, err);
    rc = rc < 0 ? rc : end_with_waiting(daemon, err);
    rc = rc < 0 ? rc : open_signals(daemon, err); /* until here they end it: a sensor may hang */
    rc = rc < 0 ? rc : open_run_dir(daemon, err);
    rc = rc < 0 ? rc : open_rest(daemon, err);
    if (rc < 0) {
        wtl_daemon_close(daemon);
        return rc;
    }
    wtl_notify("READY=1");
    struct wattle_error why = {""};
    if (wtl_privilege_filter(&daemon->privilege, &why) < 0)
        wtl_log(WTL_LOG_WARNING, "%s", why.text);
    if (daemon->privilege.log[0])
        wtl_log(WTL_LOG_INFO, "%s", daemon->privilege.log);
    wtl_log(WTL_LOG_INFO, "shares of jobs %s hardware counters%s%s",
            daemon->no_counters.text[0] ? "do not use" : "use",
            daemon->no_counters.text[0] ? ": " : "", daemon->no_counters.text);
    if (!daemon->sealed)
        wtl_log(WTL_LOG_WARNING, "this kernel has no F_SEAL_FUTURE_WRITE (Linux 5.1): pages are "
                                 "protected by their mode alone");
    *ret_daemon = daemon;
    return 0;
}

void wtl_daemon_close(struct wtl_daemon *daemon)
{
    if (!daemon)
        return;
    daemon->ending = true;
    wtl_server_close(daemon->server);
    if (daemon->jobs && daemon->pages) {
        (void)wtl_sampler_now(daemon->sampler); /* else what was known before */
        wtl_ledger_jobs_look(daemon->jobs, wtl_sampler_page(daemon->sampler));
        wtl_ledger_jobs_flush(daemon->jobs);
        wtl_ledger_jobs_checkpoint(daemon->jobs, wtl_sampler_page(daemon->sampler));
    }
    wtl_pages_destroy(daemon->pages);
    wtl_ledger_jobs_close(daemon->jobs);
    wtl_work_counter_close(&daemon->counters);
    wtl_policy_destroy(daemon->policy);
    wtl_sampler_close(daemon->sampler);
    wtl_starter_close(daemon->starter);
    wtl_ledger_close(daemon->ledger);
    wtl_health_destroy(daemon->health);
    if (daemon->signals >= 0)
        (void)close(daemon->signals);
    free(daemon);
}

/* ---- the loop ---- */

/* One line when an error begins or ends. */
static void note_error(int *error, int rc, const char *what)
{
    rc = rc < 0 ? rc : 0;
    if (rc < 0 && rc != *error)
        wtl_log(WTL_LOG_ERROR, "cannot write %s: %s", what, wtl_strerror(rc));
    else if (rc == 0 && *error < 0)
        wtl_log(WTL_LOG_INFO, "%s can be written again", what);
    *error = rc;
}

/* Here, so that a reader that comes and goes all the time does not fill the log. */
static void note_readers(struct wtl_daemon *daemon)
{
    bool reads = daemon->full + daemon->coarse > 0;
    if (reads != daemon->reads)
        wtl_log(WTL_LOG_INFO,
                reads ? "the first reader connected" : "the last reader disconnected");
    daemon->reads = reads;
}

static void watch(struct wtl_daemon *daemon, uint64_t time_ns)
{
    note_readers(daemon);
    note_error(&daemon->ledger_error, wtl_sampler_save(daemon->sampler), "the ledger");
    note_error(&daemon->job_error, wtl_ledger_jobs_error(daemon->jobs), "the open jobs");
    note_error(&daemon->share_error, wtl_ledger_jobs_share_error(daemon->jobs),
               "the shares of the open jobs");
    daemon->failing = wtl_health_look(daemon->health, wtl_sampler_page(daemon->sampler), time_ns);
    wtl_daemon_look(daemon, 0);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Do what is due; returns when to come again. */
static uint64_t do_due(struct wtl_daemon *daemon)
{
    uint64_t time_ns = now_of(daemon);
    if (time_ns >= daemon->watch_next_ns) {
        watch(daemon, time_ns);
        uint64_t pause_ns = wtl_sampler_idle_ns(daemon->sampler, WATCH_NS);
        daemon->watch_next_ns = time_ns + (pause_ns > WATCH_LEAST_NS ? pause_ns : WATCH_LEAST_NS);
    }
    if (wtl_ledger_jobs_is_shared(daemon->jobs) && time_ns >= daemon->share_next_ns) {
        (void)wtl_sampler_now(daemon->sampler); /* energy and CPU time of one instant */
        wtl_ledger_jobs_look(daemon->jobs, wtl_sampler_page(daemon->sampler));
        daemon->share_next_ns = time_ns + SHARE_NS;
    }
    if (time_ns >= daemon->checkpoint_next_ns) {
        wtl_ledger_jobs_checkpoint(daemon->jobs, wtl_sampler_page(daemon->sampler));
        daemon->checkpoint_next_ns = time_ns + daemon->settings.checkpoint_interval_ns;
    }
    if (daemon->learn_until_ns > 0 && time_ns >= daemon->learn_until_ns) {
        daemon->learn_until_ns = 0;
        wtl_daemon_adapt(daemon);
    }
    bool slow = daemon->coarse > 0 && daemon->full == 0; /* else the newest reading is new enough */
    uint64_t next_ns = wtl_pages_publish(daemon->pages, time_ns, slow);
    if (daemon->learn_until_ns > 0)
        next_ns = earlier(next_ns, daemon->learn_until_ns);
    if (wtl_ledger_jobs_is_shared(daemon->jobs))
        next_ns = earlier(next_ns, daemon->share_next_ns);
    return earlier(next_ns, earlier(daemon->watch_next_ns, daemon->checkpoint_next_ns));
}

static void take_signals(struct wtl_daemon *daemon)
{
    struct signalfd_siginfo info;
    while (read(daemon->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        struct wattle_error err = {""};
        if (info.ssi_signo != SIGHUP)
            daemon->ending = true;
        else if (daemon->options.reload(daemon->options.context, daemon, &err) < 0)
            wtl_log(WTL_LOG_ERROR, "cannot reload the settings, so they did not change: %s",
                    err.text);
    }
}

void wtl_daemon_serve(struct wtl_daemon *daemon)
{
    struct pollfd fds[] = {{.fd = daemon->signals, .events = POLLIN},
                           {.fd = wtl_server_fd(daemon->server), .events = POLLIN}};
    wtl_daemon_adapt(daemon);
    while (!daemon->ending) {
        uint64_t next_ns = do_due(daemon), time_ns = now_of(daemon);
        uint64_t ms = next_ns > time_ns ? (next_ns - time_ns + 999999) / 1000000 : 0;
        if (poll(fds, sizeof fds / sizeof *fds, (int)earlier(ms, INT_MAX)) <= 0)
            continue;
        if (fds[0].revents)
            take_signals(daemon);
        if (fds[1].revents)
            wtl_server_serve(daemon->server);
    }
}
