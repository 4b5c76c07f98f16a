/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs begin": wattled measures a job from now on. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/world/world.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_node.h"
#include "cli/jobs/node/node_record.h"
#include "cli/jobs/node/slurm_hook.h"
#include "cli/node/wattled_link.h"

struct request {
    const char *cgroup, *cpus, *gpus, *parent, *pid, *reserved, *user, *account, *name;
    bool record, slurm;
};

static const struct wtl_option options_table[] = {
    {0, "slurm", NULL, "take the job from the environment of Slurm's Prolog;\nalways exit with 0",
     WTL_SETS(struct request, slurm)},
    {0, "cgroup", "PATH", "the job's cgroup, as in /proc/PID/cgroup; it need not exist yet",
     WTL_TAKES_TEXT(struct request, cgroup)},
    {0, "pid", "PID", "the job is this process and its descendants",
     WTL_TAKES_TEXT(struct request, pid)},
    {0, "cpus", "LIST", "CPUs on which it runs, such as 0-3,8",
     WTL_TAKES_TEXT(struct request, cpus)},
    {0, "gpus", "LIST", "GPUs that are its own, such as 0,1 or nvml:gpu-0",
     WTL_TAKES_TEXT(struct request, gpus)},
    {0, "reserved", "PART", "part of the node that is reserved for it, 0 to 1",
     WTL_TAKES_TEXT(struct request, reserved)},
    {0, "parent", "ID", "it is a step of this job", WTL_TAKES_TEXT(struct request, parent)},
    {0, "record", NULL, "keep a record of it for the database of jobs",
     WTL_SETS(struct request, record)},
    {0, "user", "NAME", "its user, for the record", WTL_TAKES_TEXT(struct request, user)},
    {0, "account", "NAME", "its account, for the record", WTL_TAKES_TEXT(struct request, account)},
    {0, "name", "NAME", "its name, for the record", WTL_TAKES_TEXT(struct request, name)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END};

/* What is known of it when it begins, as its note: malloc'ed; NULL = none is wanted. */
static int make_note(const struct request *request,
                     const char *id,
                     char **ret_note,
                     struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    struct wtl_job_record record;
    struct utsname name;
    *ret_note = NULL;
    if (!request->record && !request->user && !request->account && !request->name)
        return 0;
    wtl_job_record_init(&record);
    record.kind = WTL_JOB_NODE;
    if (world->ops->uname(world, &name) == 0)
        (void)wtl_job_text_set(record.node, sizeof record.node, name.nodename);
    (void)wtl_job_text_set(record.job_id, sizeof record.job_id, id);
    (void)wtl_job_text_set(record.user, sizeof record.user, request->user);
    (void)wtl_job_text_set(record.account, sizeof record.account, request->account);
    (void)wtl_job_text_set(record.name, sizeof record.name, request->name);
    wtl_node_record_name_unit(&record, id,
                              (double)world->ops->now_ns(world, CLOCK_REALTIME) * 1e-9);
    int rc = wtl_node_record_note(&record, ret_note, err);
    wtl_job_record_fini(&record);
    return rc;
}

static int begin(const struct request *request, const char *id, struct wattle_error *err)
{
    char message[2100], reply[WTL_WATTLED_REPLY], *lines, *note;
    int rc = make_note(request, id, &note, err);
    if (rc < 0)
        return rc;
    const struct {
        const char *key, *value;
    } terms[] = {{"cgroup", request->cgroup},
                 {"pid", request->pid},
                 {"cpus", request->cpus},
                 {"gpus", request->gpus},
                 {"parent", request->parent},
                 {"reserved", request->reserved},
                 {"note", note}};
    size_t used = (size_t)snprintf(message, sizeof message, "begin %.100s", id);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        if (terms[i].value && used < sizeof message)
            used += (size_t)snprintf(message + used, sizeof message - used, "\n%s=%s", terms[i].key,
                                     terms[i].value);
    }
    if (note)
        wtl_node_record_rescue(id);
    free(note);
    if (used > 2048 || strlen(id) > 64)
        return wtl_fail(err, -EINVAL,
                        strlen(id) > 64 ? "the ID of a job has at most 64 characters"
                                        : "what is said about the job is longer than 2048 bytes");
    return wtl_wattled_ask_within(message, WTL_WATTLED_BRACKET_MS, reply, &lines, err);
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_begin_command;
    struct wtl_command_line line;
    struct request request = {.slurm = false};
    struct wattle_error err = {""};
    const char *id = NULL;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (request.slurm && line.count > 0)
        return wtl_usage(command, "--slurm takes the ID from the environment");
    if (request.slurm)
        return wtl_slurm_hook_begin(request.cgroup, request.reserved);
    if ((status = wtl_jobs_node_id(command, &line, &id)))
        return status;
    if (begin(&request, id, &err) == 0)
        return WTL_EXIT_OK;
    wtl_complain(command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

const struct wtl_command wtl_jobs_begin_command = {
    .verb = "jobs begin",
    .run = run,
    .operands = "[ID]",
    .summary = "begin to measure a batch job on this node",
    .text =
        "For the prolog of a batch system, as root. An ID has 1 to 64 characters of\n"
        "A-Z a-z 0-9 . _ + -, the first a letter or digit. Requires a running wattled(8).\n"
        "With a cgroup or a process, or a reserved part, the energy of the node is divided\n"
        "among its jobs. A job that has reserved all of the node and is alone gets all of it.\n",
    .options = options_table,
    .examples = "wattle jobs begin 4711\n"
                "wattle jobs begin 4711 --cgroup batch.slice/job4711 --reserved 0.25\n"
                "wattle jobs begin 4711 --reserved 0.25 --gpus 0,1\n"
                "wattle jobs begin 4711.0 --parent 4711 --cgroup batch.slice/job4711/step0\n"
                "wattle jobs begin --slurm\n",
    .usage_exit = WTL_EXIT_USAGE,
};
