/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording of runs: see record_run.h. */
#define _GNU_SOURCE
#include "cli/run/record_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/standard_streams.h"
#include "base/whole.h"
#include "base/world/world.h"
#include "cli/jobs/jobs_database.h"
#include "cli/run/command_line.h"
#include "cli/run/user_name.h"
#include "model/quality.h"
#include "report/table.h"

static int64_t ns_of(double seconds)
{
    return isnan(seconds) || seconds < 0 ? -1 : wtl_whole_i64(seconds * 1e9);
}

/* The program without its folder; with its arguments if the user has configured this. */
static void set_name(struct wtl_job_record *record, const struct wtl_record_run *run)
{
    const char *slash = strrchr(run->argv[0], '/');
    char *line = strcmp(wtl_config_get(run->config, "jobs", "arguments"), "yes") == 0
                     ? wtl_command_line(run->argv)
                     : NULL;
    (void)wtl_job_text_set(record->name, sizeof record->name,
                           line    ? line
                           : slash ? slash + 1
                                   : run->argv[0]);
    free(line);
}

static void set_place(struct wtl_job_record *record, const struct wtl_result *result)
{
    struct utsname name;
    struct wtl_user_names users = {0};
    if (result->host || uname(&name) == 0)
        (void)wtl_job_text_set(record->node, sizeof record->node,
                               result->host ? result->host : name.nodename);
    (void)wtl_world_text(wtl_world_real(), "/proc/sys/kernel/random/boot_id", record->boot_id,
                         sizeof record->boot_id);
    record->uid = (int64_t)getuid();
    (void)wtl_job_text_set(record->user, sizeof record->user, wtl_user_name(&users, getuid()));
    wtl_user_names_fini(&users);
    record->node_cpus = sysconf(_SC_NPROCESSORS_ONLN) > 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 0;
}

/* The run id of a launcher, else one of our own; and a short one to type. */
static void set_id(struct wtl_job_record *record, const struct wtl_record_run *run)
{
    if (run->run_id[0])
        (void)wtl_job_text_set(record->unit, sizeof record->unit, run->run_id);
    else
        (void)snprintf(record->unit, sizeof record->unit, "%.64s-%lld-%d-%u", record->node,
                       (long long)record->begin_ns, (int)getpid(), run->number);
    const uint64_t hash = wtl_hash_text(record->unit);
    (void)snprintf(record->job_id, sizeof record->job_id, "r%08lx",
                   (unsigned long)((hash ^ hash >> 32) & 0xffffffff));
}

static int add_channel(struct wtl_job_record *record, const struct wtl_result_channel *of)
{
    struct wtl_job_channel *channel;
    const struct wtl_energy energy = wtl_result_energy(of);
    int rc = wtl_job_channel_add(record, &channel);
    if (rc < 0)
        return rc == -E2BIG ? 0 : rc; /* the total has all of them */
    (void)wtl_job_text_set(channel->name, sizeof channel->name, of->channel.name);
    (void)wtl_job_text_set(channel->domain, sizeof channel->domain,
                           wattle_domain_name(of->channel.domain));
    (void)wtl_job_text_set(channel->quality, sizeof channel->quality,
                           wtl_channel_quality_word(&of->channel));
    channel->energy_j = channel->share_j = isnan(energy.j) ? energy.known_j : energy.j;
    channel->resolution_j = isnan(energy.j) ? energy.known_half_j : energy.half_j;
    channel->unknown_s = 1e-9 * (double)of->summary.unknown_ns;
    channel->in_total = (of->channel.flags & WATTLE_CHANNEL_IN_TOTAL) != 0;
    return 0;
}

/* What "wattle run" prints: the energy of the node during the run. */
static void set_energy(struct wtl_job_record *record, const struct wtl_result *result)
{
    const struct wtl_energy *energy = &result->energy;
    const bool partly = isnan(energy->j) && !isnan(energy->known_j);
    record->energy_j = partly ? energy->known_j : energy->j;
    record->charged_j = record->energy_j;
    record->resolution_j = partly ? energy->known_half_j : energy->half_j;
    record->charged_low_j = energy->low_j; /* of an estimate; else NaN */
    record->charged_high_j = energy->high_j;
    record->unknown_s =
        isnan(record->energy_j) ? (double)NAN : 1e-9 * (double)result->total_unknown_ns;
    record->lower_bound = partly || (record->unknown_s > 0 && !isnan(record->energy_j));
    record->idle_j = result->share_idle_j;
    record->unattributed_j = result->unattributed_j;
    record->simulated = wtl_result_is_simulated(result);
    if (isnan(record->energy_j)) {
        (void)wtl_job_text_set(record->problem, sizeof record->problem,
                               result->flag_count > 0 ? result->flags[0].text
                                                      : "no sensor of energy; see wattle doctor");
        return;
    }
    (void)wtl_job_text_set(record->rule, sizeof record->rule, "node");
    (void)wtl_job_text_set(record->quality, sizeof record->quality,
                           wtl_result_quality_word(result));
}

/* Fill a record, which was initialised. 0 or -ENOMEM. */
static int record_run_fill(struct wtl_job_record *record,
                           const struct wtl_record_run *run,
                           const struct wtl_result *result)
{
    record->kind = WTL_JOB_RUN;
    record->state = result->cut_off ? WTL_JOB_CUT : WTL_JOB_ENDED;
    record->begin_ns = (int64_t)result->start_realtime_ns;
    record->elapsed_ns = ns_of(result->wall_time_s);
    record->end_ns = record->begin_ns + (record->elapsed_ns > 0 ? record->elapsed_ns : 0);
    record->submit_ns = record->begin_ns;
    record->exit_status = result->exit_code;
    record->cpu_s = result->cpu_s;
    record->max_rss_bytes =
        isnan(result->max_rss_bytes) ? -1 : wtl_whole_i64(result->max_rss_bytes);
    set_place(record, result);
    set_name(record, run);
    set_id(record, run);
    set_energy(record, result);
    if (result->trace) {
        char *path = realpath(result->trace, NULL);
        (void)wtl_job_text_set(record->trace, sizeof record->trace, path ? path : result->trace);
        free(path);
    }
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < result->energy_count; i++)
        rc = add_channel(record, &result->channels[i]);
    record->gpu_j = wtl_job_record_gpu_j(record);
    return rc;
}

static int store_all(const struct wtl_record_run *run,
                     const struct wtl_result *results,
                     size_t count,
                     struct wattle_error *err)
{
    struct wtl_store *store = NULL;
    char *url = NULL;
    int rc = wtl_jobs_user_url(run->config, true, &url, err);
    rc = rc < 0 ? rc : wtl_store_open(url, WTL_STORE_WRITE, &store, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct wtl_record_run one = *run;
        struct wtl_job_record record;
        one.number = (unsigned)i;
        wtl_job_record_init(&record);
        rc = record_run_fill(&record, &one, &results[i]);
        rc = rc < 0 ? wtl_no_memory(err) : wtl_store_put(store, &record, 1, NULL, err);
        wtl_job_record_fini(&record);
    }
    wtl_store_close(store);
    free(url);
    return rc;
}

/* The process that writes: nothing of ours stays open in it, so that nobody who waits for the end of our output waits for it. */
static void write_in_child(const struct wtl_record_run *run,
                           const struct wtl_result *results,
                           size_t count,
                           int answer)
{
    struct wattle_error err = {""};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && nothing >= 0; fd++)
        (void)dup2(nothing, fd);
    wtl_close_others(answer);
    (void)setsid();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)alarm(60); /* a file system that hangs */
    if (store_all(run, results, count, &err) < 0)
        (void)!write(answer, err.text, strlen(err.text));
    _exit(0);
}

static void warn(const char *why)
{
    wtl_print_sentence(stderr, "wattle run: warning: this run was not recorded: %s\n", why);
}

void wtl_record_run(const struct wtl_record_run *run,
                    const struct wtl_result *results,
                    size_t count)
{
    int ends[2];
    char why[sizeof((struct wattle_error *)0)->text + 1];
    if (count == 0 || pipe2(ends, O_CLOEXEC) < 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        write_in_child(run, results, count, ends[1]);
    }
    (void)close(ends[1]);
    if (child < 0)
        warn(wtl_strerror(errno));
    struct pollfd pipe = {.fd = ends[0], .events = POLLIN};
    if (child > 0 && poll(&pipe, 1, WTL_RECORD_WAIT_MS) > 0) {
        ssize_t n = read(ends[0], why, sizeof why - 1);
        if (n > 0) {
            why[n] = '\0';
            warn(why);
        }
        (void)waitpid(child, NULL, 0); /* it has closed its end: it is ending */
    }
    (void)close(ends[0]);
}
