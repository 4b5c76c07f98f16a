/* SPDX-License-Identifier: BSD-3-Clause */
/* From a job of this node's wattled to its record: see node_record.h. */
#define _GNU_SOURCE
#include "cli/jobs/node/node_record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/world/world.h"
#include "cli/jobs/jobs_spool.h"
#include "cli/node/wattled_link.h"

enum { NOTE_MAX = 1400, SWEEP_MS = 300, EPILOG_S = 60, SAY_S = 3600 };
static const int64_t PROLOG_NS = 1000000000; /* so long a batch system waits for it */
static const double GONE_S = 10;             /* an epilog follows the end of a job sooner */

/* ---- notes ---- */

/* The line of a copy without these texts; the channels are not part of it. */
static int make_line(const struct wtl_job_record *record,
                     int without,
                     char **ret_line,
                     size_t *ret_size,
                     struct wattle_error *err)
{
    struct wtl_job_record copy = *record;
    copy.channels = NULL;
    copy.channel_count = 0;
    if (without > 0)
        copy.name[0] = '\0';
    if (without > 1)
        copy.account[0] = copy.partition[0] = '\0';
    return wtl_job_record_line(&copy, ret_line, ret_size, err);
}

int wtl_node_record_note(const struct wtl_job_record *record,
                         char **ret_note,
                         struct wattle_error *err)
{
    char *line = NULL;
    size_t size = 0;
    for (int without = 0; without <= 2; without++) {
        int rc = make_line(record, without, &line, &size, err);
        if (rc < 0)
            return rc;
        size = strcspn(line, "\n");
        line[size] = '\0';
        if (size <= NOTE_MAX)
            break;
        if (without == 2) {
            free(line);
            line = NULL;
        } else {
            free(line);
        }
    }
    *ret_note = line;
    return line ? 0 : -EBADMSG;
}

bool wtl_node_record_take_note(struct wtl_job_record *record, const char *note)
{
    struct wtl_job_record from;
    struct wattle_error err;
    if (!note || wtl_job_record_parse(note, strlen(note), &from, &err) < 0)
        return false;
    wtl_job_record_fini(record);
    *record = from;
    return true;
}

void wtl_node_record_name_unit(struct wtl_job_record *record, const char *id, double begin_s)
{
    char text[100];
    (void)snprintf(text, sizeof text, "%s.%.0f", id, floor(begin_s));
    (void)wtl_job_text_set(record->unit, sizeof record->unit, text);
}

/* ---- energy ---- */

static double or_unknown(double value)
{
    return isfinite(value) ? value : (double)NAN;
}

static int fill_channel(struct wtl_job_record *record, const struct wtl_node_job_channel *from)
{
    struct wtl_job_channel *to;
    int rc = wtl_job_channel_add(record, &to);
    if (rc < 0)
        return rc;
    (void)wtl_job_text_set(to->name, sizeof to->name, from->name);
    (void)wtl_job_text_set(to->quality, sizeof to->quality, from->quality);
    to->energy_j = from->energy_j;
    to->resolution_j = from->resolution_j;
    to->unknown_s = from->unknown_s;
    to->share_j = from->charged_j;
    to->in_total = from->in_total;
    (void)wtl_job_text_set(to->rule, sizeof to->rule, from->rule);
    to->undivided_j = from->rule[0] ? from->undivided_j : (double)NAN;
    return 0;
}

static void fill_use(struct wtl_job_record *record, const struct wtl_node_job *job)
{
    record->begin_ns = (int64_t)llround(job->begin_s * 1e9);
    record->elapsed_ns = (int64_t)llround(job->elapsed_s * 1e9);
    record->end_ns = record->begin_ns + record->elapsed_ns;
    record->state = strcmp(job->state, "cut") == 0 ? WTL_JOB_CUT : WTL_JOB_ENDED;
    record->cpu_s = or_unknown(job->cpu_s);
    if (job->peak_bytes > 0 && job->peak_bytes < 9e18)
        record->max_rss_bytes = (int64_t)job->peak_bytes;
    if (job->boot_id[0])
        (void)wtl_job_text_set(record->boot_id, sizeof record->boot_id, job->boot_id);
}

/* A part of the total that wattled could not read (daemon/jobs/job_channels.h); NULL = none. */
static const char *unread_of(const struct wtl_node_job *job)
{
    static const char unread[] = "unread:";
    for (size_t i = 0; i < job->channel_count; i++)
        if (strncmp(job->channels[i].name, unread, sizeof unread - 1) == 0)
            return job->channels[i].name + sizeof unread - 1;
    return NULL;
}

static void explain(struct wtl_job_record *record, const struct wtl_node_job *job)
{
    char gone[100];
    const char *why = "", *unread = unread_of(job);
    if (isnan(record->energy_j))
        why =
            job->channel_count > 0 ? "no sensor was read during the job" : "wattled has no sensors";
    else if (unread) {
        (void)snprintf(gone, sizeof gone, "it lacks %.48s, which wattled could not read", unread);
        why = gone;
    } else if (strcmp(job->rule, "none") == 0)
        why = "the share of the job is unknown: its CPU time was never seen";
    else if (job->gone_s > GONE_S) {
        (void)snprintf(gone, sizeof gone,
                       "it includes the last %.0f s, in which no step of the job ran",
                       floor(job->gone_s));
        why = gone;
    }
    (void)wtl_job_text_set(record->problem, sizeof record->problem, why);
}

/* The share of the job, with the error of its counter and of the division. */
static void fill_charge(struct wtl_job_record *record, const struct wtl_node_job *job)
{
    double charged_j = job->total.charged_j, half_j = job->share_half_j + job->total.resolution_j;
    record->charged_j = charged_j;
    if (!isfinite(charged_j) || !isfinite(half_j))
        return;
    record->charged_low_j = fmax(charged_j - half_j, 0);
    record->charged_high_j = charged_j + half_j;
}

int wtl_node_record_fill(struct wtl_job_record *record, const struct wtl_node_job_list *list)
{
    const struct wtl_node_job *job = list->jobs;
    const struct wtl_node_job_channel *total = &job->total;
    bool unseen = job->unseen_s > 0 && strcmp(job->rule, "exclusive") != 0;
    int64_t asked_ns = record->begin_ns; /* of the note */
    fill_use(record, job);
    bool late = asked_ns > 0 && record->begin_ns - asked_ns > PROLOG_NS;
    record->energy_j = total->energy_j;
    record->resolution_j = total->resolution_j;
    record->unknown_s = total->unknown_s;
    fill_charge(record, job);
    if (job->gpus[0])
        (void)wtl_job_text_set(record->gpus, sizeof record->gpus, job->gpus);
    record->idle_j = total->idle_j;
    record->unattributed_j = total->unattributed_j;
    record->lower_bound = isfinite(total->energy_j) &&
                          (total->unknown_s > 0 || list->more_of_total > 0 || unseen ||
                           total->undivided_j > 0 || late || record->state == WTL_JOB_CUT);
    record->simulated = strcmp(total->quality, "simulated") == 0;
    (void)wtl_job_text_set(record->quality, sizeof record->quality, total->quality);
    (void)wtl_job_text_set(record->rule, sizeof record->rule,
                           strcmp(job->rule, "none") == 0 ? "" : job->rule);
    explain(record, job);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < job->channel_count && i < WTL_JOB_CHANNELS_MAX; i++)
        rc = fill_channel(record, &job->channels[i]);
    record->gpu_j = wtl_job_record_gpu_j(record);
    return rc;
}

/* ---- the spool ---- */

struct wtl_job_spool wtl_node_spool(void)
{
    static char folder[256];
    static uint64_t limit_bytes;
    struct wtl_cli_settings settings;
    struct wtl_jobs_spool_setting setting;
    struct wattle_error err;
    if (!folder[0]) { /* settings that are not valid must not lose a record */
        (void)snprintf(folder, sizeof folder, WTL_JOB_SPOOL_FOLDER);
        if (wtl_cli_settings_load(&settings, wtl_world_real(), &err) == 0) {
            if (wtl_jobs_spool_setting(settings.config, &setting, &err) == 0 &&
                strlen(setting.spool.folder) < sizeof folder) {
                (void)snprintf(folder, sizeof folder, "%s", setting.spool.folder);
                limit_bytes = setting.spool.limit_bytes;
            }
            wtl_cli_settings_fini(&settings);
        }
    }
    /* wattled forgets what is in the spool. */
    return (struct wtl_job_spool){.folder = folder, .limit_bytes = limit_bytes, .flushed = true};
}

bool wtl_node_record_may_log(void)
{
    char path[300];
    struct stat about;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
    (void)snprintf(path, sizeof path, "%s.said", wtl_node_spool().folder);
    if (lstat(path, &about) == 0 && now.tv_sec - about.st_mtime < SAY_S &&
        now.tv_sec >= about.st_mtime)
        return false;
    (void)unlink(path); /* without the file it is said again */
    FILE *out = fopen(path, "wxe");
    if (out)
        (void)fclose(out); /* it is empty */
    return true;
}

/* ---- what is left ---- */

static uint64_t clock_now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Its own epilog, which a step does not have, is about to write it. Not if the clock was set back: that could last. */
static bool is_fresh(const struct wtl_job_record *record, const struct wtl_node_job *job)
{
    double age_s = (double)clock_now_ns(CLOCK_REALTIME) * 1e-9 - job->begin_s - job->elapsed_s;
    return !record->step[0] && strcmp(job->state, "cut") != 0 && age_s >= 0 && age_s < EPILOG_S;
}

/* 1: its record is in the spool; 0: not yet, or it has none. fresh: also of a job that has just ended. */
static int fetch_now(const char *id, bool fresh, struct wattle_error *err)
{
    char request[80], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    struct wtl_job_record record;
    const struct wtl_job_spool spool = wtl_node_spool();
    (void)snprintf(request, sizeof request, "job %.64s", id);
    int rc = wtl_wattled_ask_within(request, SWEEP_MS, reply, &lines, err);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    wtl_job_record_init(&record);
    rc = wtl_node_job_list_parse_ended(&list, id, lines);
    bool wanted = rc == 0 && wtl_node_record_take_note(&record, list.jobs->note) &&
                  strcmp(list.jobs->state, "open") != 0 && list.jobs->fetched == 0 &&
                  (fresh || !is_fresh(&record, list.jobs));
    if (wanted)
        rc = wtl_node_record_fill(&record, &list);
    if (wanted && rc == 0)
        rc = wtl_job_spool_append(&spool, &record, NULL, err);
    wtl_job_record_fini(&record);
    wtl_node_job_list_fini(&list);
    if (rc < 0 || !wanted)
        return rc;
    (void)snprintf(request, sizeof request, "fetched %.64s", id);
    rc = wtl_wattled_ask_within(request, SWEEP_MS, reply, &lines, err); /* else it is sent twice */
    return rc < 0 ? rc : 1;
}

/* The same, one at a time. Where that takes long, a sweep leaves it to the next one. */
static int fetch(const char *id, bool fresh, struct wattle_error *err)
{
    const struct wtl_job_spool spool = wtl_node_spool();
    int turn = wtl_job_spool_turn(&spool, fresh ? WTL_NODE_TURN_MS : SWEEP_MS);
    int rc = turn == -EAGAIN && !fresh ? 0 : fetch_now(id, fresh, err);
    if (turn >= 0)
        (void)close(turn);
    return rc;
}

void wtl_node_record_rescue(const char *id)
{
    struct wattle_error err;
    (void)fetch(id, true, &err); /* without wattled it will not begin either */
}

/* As many as the reply has space for. */
static int sweep_some(uint64_t until_ns, struct wattle_error *err)
{
    char reply[WTL_WATTLED_REPLY], *lines, *id;
    int count = 0, rc = wtl_wattled_ask_within("left", SWEEP_MS, reply, &lines, err);
    if (rc < 0)
        return rc;
    while (rc >= 0 && (id = strsep(&lines, "\n")) && clock_now_ns(CLOCK_MONOTONIC) < until_ns) {
        if (!id[0] || strchr(id, ' '))
            continue;
        rc = fetch(id, false, err);
        count += rc > 0;
    }
    return rc < 0 ? rc : count;
}

int wtl_node_record_sweep(uint64_t until_ns, struct wattle_error *err)
{
    int count = 0, some;
    while ((some = sweep_some(until_ns, err)) > 0)
        count += some;
    return some < 0 ? some : count;
}
