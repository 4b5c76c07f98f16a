/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs end": the energy of a job that began on this node. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_node.h"
#include "cli/jobs/node/node_record.h"
#include "cli/jobs/node/slurm_hook.h"
#include "cli/node/wattled_link.h"

struct request {
    enum wtl_format format;
    bool slurm, left;
};

static const struct wtl_option options_table[] = {
    {0, "slurm", NULL, "take the job from the environment of Slurm's Epilog;\nalways exit with 0",
     WTL_SETS(struct request, slurm)},
    {0, "left", NULL,
     "write the records of jobs that were cut when the node\nstopped, or that wattled did not hear "
     "had ended",
     WTL_SETS(struct request, left)},
    WTL_OPTION_FORMAT(struct request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* The record of a job that has a note, into the spool. */
static int record_job(const struct wtl_node_job_list *list, struct wattle_error *err)
{
    char request[80], reply[WTL_WATTLED_REPLY], *lines;
    const struct wtl_job_spool spool = wtl_node_spool();
    struct wtl_job_record record;
    wtl_job_record_init(&record);
    bool noted = wtl_node_record_take_note(&record, list->jobs->note);
    int rc = noted ? wtl_node_record_fill(&record, list) : 0;
    if (noted && rc == 0)
        rc = wtl_job_spool_append(&spool, &record, NULL, err);
    else if (rc < 0)
        (void)wtl_no_memory(err);
    wtl_job_record_fini(&record);
    if (rc < 0 || !noted)
        return rc;
    (void)snprintf(request, sizeof request, "fetched %.64s", list->jobs->id);
    return wtl_wattled_ask_within(request, WTL_WATTLED_BRACKET_MS, reply, &lines, err);
}

/* The answer to an `end` may be lost with wattled: the job has ended, and its record is still to be fetched. */
static bool ended_unfetched(const char *id,
                            char *reply,
                            char **lines,
                            struct wtl_node_job_list *list)
{
    char message[80];
    struct wattle_error err;
    (void)snprintf(message, sizeof message, "job %.64s", id);
    if (wtl_wattled_ask_within(message, WTL_WATTLED_BRACKET_MS, reply, lines, &err) < 0 ||
        wtl_node_job_list_parse_ended(list, id, *lines) < 0)
        return false;
    const struct wtl_node_job *job = list->jobs;
    return strcmp(job->state, "open") != 0 && job->fetched == 0 && job->note && job->note[0];
}

static int end(const char *id, enum wtl_format format, struct wattle_error *err)
{
    char message[256], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    if ((size_t)snprintf(message, sizeof message, "end %s\n", id) >= sizeof message)
        return wtl_fail(err, -EINVAL, "the ID of a job has at most 64 characters");
    int rc = wtl_wattled_ask_within(message, WTL_WATTLED_BRACKET_MS, reply, &lines, err);
    if (rc == 0)
        rc = wtl_node_job_list_parse_ended(&list, id, lines);
    else if (rc == -ENOENT && ended_unfetched(id, reply, &lines, &list))
        rc = 0;
    else {
        wtl_node_job_list_fini(&list);
        return rc;
    }
    if (rc == 0)
        rc = wtl_node_job_list_print(&list, format, stdout);
    if (rc == 0)
        rc = record_job(&list, err);
    else if (rc == -EBADMSG)
        (void)wtl_fail(err, rc,
                       "wattled on this node has another version; install the same version of "
                       "wattle and wattled");
    else
        (void)wtl_no_memory(err);
    wtl_node_job_list_fini(&list);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_end_command;
    struct wtl_command_line line;
    struct request request = {.format = WTL_FORMAT_TEXT};
    struct wattle_error err = {""};
    const char *id = NULL;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if ((request.slurm || request.left) && line.count > 0)
        return wtl_usage(command, "--slurm and --left take no ID");
    if (request.slurm)
        return wtl_slurm_hook_end();
    if (!request.left && (status = wtl_jobs_node_id(command, &line, &id)))
        return status;
    int rc = request.left ? wtl_slurm_hook_left(UINT64_MAX, &err) : end(id, request.format, &err);
    if (rc >= 0)
        return WTL_EXIT_OK;
    wtl_complain(command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

const struct wtl_command wtl_jobs_end_command = {
    .verb = "jobs end",
    .run = run,
    .operands = "[ID]",
    .summary = "end a batch job on this node and print its energy",
    .text = "For the epilog of a batch system, as root. Prints the energy of the whole node since\n"
            "\"wattle jobs begin\", the time that is missing from it, and the share of the job if\n"
            "that is known. A job that began with --record or --slurm gets a record in the spool\n"
            "of this node. Requires a running wattled(8).\n",
    .options = options_table,
    .examples = "wattle jobs end 4711\n"
                "wattle jobs end 4711 --format json\n"
                "wattle jobs end --slurm\n",
    .usage_exit = WTL_EXIT_USAGE,
};
