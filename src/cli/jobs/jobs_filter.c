/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that choose jobs: see jobs_filter.h. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_filter.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "base/world/world.h"
#include "jobs/job_time.h"

/* "any", then the words of the enums of record.h. */
/* In the order of enum wtl_job_kind and enum wtl_job_state. */
const char *const wtl_jobs_kind_names[] = {"any", "job", "slurm", "run", NULL};
const char *const wtl_jobs_state_names[] = {"any", "unknown", "ended", "cut", NULL};

static const int64_t NS = 1000000000;

int64_t wtl_jobs_now(void)
{
    const char *set = getenv("WATTLE_JOBS_NOW");
    uint64_t seconds;
    struct timespec now;
    if (set && wtl_parse_u64(set, &seconds) == 0 && seconds < INT64_MAX / (uint64_t)NS)
        return (int64_t)seconds * NS;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

static int take_time(const struct wtl_command *command,
                     const char *option,
                     const char *text,
                     int64_t now_ns,
                     int64_t *ret_ns)
{
    if (wtl_job_time_parse_from(text, now_ns, ret_ns) == 0)
        return 0;
    return wtl_usage(command,
                     "%s: \"%s\" is not a time such as 2026-11-26, 2026-11-26T10:00, today, month, "
                     "now, or 7d (ago)",
                     option, text);
}

int wtl_jobs_filter_period(const struct wtl_command *command,
                           const struct wtl_jobs_filter *filter,
                           const char *begin,
                           int64_t *ret_from_ns,
                           int64_t *ret_to_ns)
{
    const int64_t now_ns = wtl_jobs_now();
    int status = take_time(command, "--to", filter->to ? filter->to : "now", now_ns, ret_to_ns);
    if (status == 0)
        status =
            take_time(command, "--from", filter->from ? filter->from : begin, now_ns, ret_from_ns);
    if (status == 0 && *ret_from_ns >= *ret_to_ns)
        return wtl_usage(command, filter->from
                                      ? "--from must be before --to"
                                      : "--to is before the default period; give --from, too");
    return status;
}

int wtl_jobs_filter_query(const struct wtl_command *command,
                          const struct wtl_jobs_filter *filter,
                          const char *begin,
                          struct wtl_job_query *ret_query)
{
    *ret_query = (struct wtl_job_query){.cluster = filter->cluster,
                                        .user = filter->user,
                                        .account = filter->account,
                                        .partition = filter->partition,
                                        .name = filter->name,
                                        .node = filter->node,
                                        .kind = (int)filter->kind,
                                        .state = (int)filter->state};
    return wtl_jobs_filter_period(command, filter, begin, &ret_query->from_ns, &ret_query->to_ns);
}

int wtl_jobs_context_open(struct wtl_jobs_context *context,
                          const char *database,
                          enum wtl_store_access access,
                          struct wattle_error *err)
{
    *context = (struct wtl_jobs_context){.store = NULL};
    int rc = wtl_cli_settings_load(&context->settings, wtl_world_real(), err);
    rc = rc < 0 ? rc : wtl_jobs_factors(context->settings.config, &context->factors, err);
    return rc < 0 ? rc
                  : wtl_jobs_database_open(context->settings.config, database, access,
                                           &context->store, err);
}

void wtl_jobs_context_fini(struct wtl_jobs_context *context)
{
    wtl_store_close(context->store);
    wtl_factors_fini(&context->factors);
    if (context->settings.config)
        wtl_cli_settings_fini(&context->settings);
}
