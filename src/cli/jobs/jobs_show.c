/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs show": all that is known of a job, by node and step. */
#define _GNU_SOURCE
#include <errno.h>

#include "base/fail.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_records.h"

struct request {
    struct wtl_jobs_filter filter;
};

static const struct wtl_option options_table[] = {
    WTL_JOBS_OPTION_CLUSTER(struct request, filter),
    WTL_JOBS_OPTION_DATABASE(struct request, filter),
    WTL_OPTION_FORMAT(struct request, filter.format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int read_jobs(struct wtl_jobs_context *context,
                     struct wtl_jobs_show *show,
                     const struct wtl_job_query *query,
                     struct wattle_error *err)
{
    int rc = wtl_store_jobs(context->store, query, wtl_jobs_list_take, &show->jobs, err);
    if (rc == 0 && show->jobs.count > 0)
        rc = wtl_store_records(context->store, query, wtl_jobs_show_take, show, err);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

/* By the id that users type; else by the unit. */
static int find(struct wtl_jobs_context *context,
                struct wtl_jobs_show *show,
                const struct wtl_jobs_filter *filter,
                const char *id,
                struct wattle_error *err)
{
    struct wtl_job_query query = {.cluster = filter->cluster, .job_id = id};
    show->jobs.factors = &context->factors;
    show->jobs.currency = wtl_jobs_currency(context->settings.config);
    int rc = read_jobs(context, show, &query, err);
    if (rc == 0 && show->jobs.count == 0) {
        query = (struct wtl_job_query){.cluster = filter->cluster, .unit = id};
        rc = read_jobs(context, show, &query, err);
    }
    if (rc == 0 && show->jobs.count == 0)
        rc = wtl_fail(err, -ENOENT, "no job %s that you may see is in %s", id,
                      wtl_store_name(context->store));
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_show_command;
    struct wtl_command_line line;
    struct request request = {.filter = {.format = WTL_FORMAT_TEXT}};
    struct wtl_jobs_context context;
    struct wtl_jobs_show show = {.count = 0};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count != 1 || !line.words[0][0])
        return wtl_usage(command, "expected one ID");
    int rc = wtl_jobs_context_open(&context, request.filter.database, WTL_STORE_READ, &err);
    rc = rc < 0 ? rc : find(&context, &show, &request.filter, line.words[0], &err);
    rc = rc < 0 ? rc : wtl_jobs_show_print(&show, request.filter.format, stdout);
    if (rc < 0)
        wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
    wtl_jobs_show_fini(&show);
    wtl_jobs_context_fini(&context);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_jobs_show_command = {
    .verb = "jobs show",
    .run = run,
    .operands = "ID",
    .summary = "show all that is known of a job, by node and step",
    .text = "ID is the id of a job as Slurm prints it (12, 5_2, 8+1), of a run, or the unit of\n"
            "\"wattle jobs list --format csv\". Several jobs can have one id: all are shown.\n",
    .options = options_table,
    .examples = "wattle jobs show 4711\n"
                "wattle jobs show 5_2 --cluster c1 --format json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
