/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs purge" and "wattle jobs anonymise": what a site no longer keeps. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_database.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/terminal/consent.h"
#include "jobs/job_time.h"

struct request {
    const char *database, *before;
    bool yes;
};

static const struct wtl_option options_table[] = {
    {0, "before", "TIME",
     "jobs that ended before TIME: 2026-11-26, or 90d ago\n(default: setting retention)",
     WTL_TAKES_TEXT(struct request, before)},
    {'y', "yes", NULL, "without asking", WTL_SETS(struct request, yes)},
    {0, "database", "URL", "sqlite:PATH or postgresql://HOST/NAME (default:\nwattle.conf)",
     WTL_TAKES_TEXT(struct request, database)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

typedef int forget_fn(struct wtl_store *store,
                      int64_t before_ns,
                      int64_t *ret_jobs,
                      struct wattle_error *err);

/* Nothing is removed because of a mistake in the file or on the command line. */
static int find_time(const struct wtl_config *config,
                     const char *before,
                     int64_t *ret_ns,
                     struct wattle_error *err)
{
    const char *retention = wtl_config_get(config, "jobs", "retention");
    int64_t now = wtl_jobs_now();
    const char *text = before ? before : retention;
    if (!text[0]) /* "" of --before is an error already */
        return wtl_fail(err, -EINVAL,
                        "which jobs? Give --before, or set \"retention\" in section [jobs]");
    if (wtl_job_time_parse_from(text, now, ret_ns) < 0)
        return wtl_fail(err, -EINVAL, "%s: \"%s\" is not a time, such as 2026-11-26 or 90d",
                        before ? "--before" : "setting [jobs] retention", text);
    if (*ret_ns > now)
        return wtl_fail(err, -EINVAL, "%s: \"%s\" is in the future",
                        before ? "--before" : "setting [jobs] retention", text);
    return 0;
}

/* What one of the two does. */
struct forgetting {
    const struct wtl_command *command;
    forget_fn *function;
    const char *question; /* "Remove" */
    const char *done;     /* "removed" */
};

/* It cannot be undone. */
static int ask(const struct forgetting *forgetting,
               struct wtl_store *store,
               int64_t before_ns,
               bool yes,
               struct wattle_error *err)
{
    char question[500], unasked[300], text[WTL_JOB_TIME_TEXT];
    int64_t jobs = 0;
    int rc = yes ? 0 : wtl_store_count(store, before_ns, &jobs, err);
    if (rc < 0 || yes)
        return rc;
    const char *time = wtl_job_time_print(before_ns, text);
    (void)snprintf(question, sizeof question,
                   "%s %" PRId64 " jobs that ended before %s in %s? It cannot be undone.",
                   forgetting->question, jobs, time, wtl_store_name(store));
    (void)snprintf(unasked, sizeof unasked,
                   "nothing was %s: %" PRId64
                   " jobs ended before this time; to do it without being asked, use --yes",
                   forgetting->done, jobs);
    return wtl_consent(false, question, unasked, err);
}

static int forget(const struct forgetting *forgetting, int argc, char **argv)
{
    const struct wtl_command *command = forgetting->command;
    struct wtl_command_line line;
    struct request request = {.database = NULL};
    struct wtl_cli_settings settings;
    struct wtl_store *store = NULL;
    struct wattle_error err = {""};
    int64_t before_ns = 0, jobs = 0;
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    if (request.before && wtl_job_time_parse_from(request.before, wtl_jobs_now(), &before_ns) < 0)
        return wtl_usage(command, "--before: \"%s\" is not a time, such as 2026-11-26 or 90d",
                         request.before);
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), &err);
    if (rc == 0) {
        rc = find_time(settings.config, request.before, &before_ns, &err);
        rc = rc < 0 ? rc
                    : wtl_jobs_database_open(settings.config, request.database, WTL_STORE_ADMIN,
                                             &store, &err);
        rc = rc < 0 ? rc : ask(forgetting, store, before_ns, request.yes, &err);
        rc = rc < 0 ? rc : forgetting->function(store, before_ns, &jobs, &err);
        if (rc == 0) {
            char text[WTL_JOB_TIME_TEXT];
            printf("%" PRId64 " jobs that ended before %s %s\n", jobs,
                   wtl_job_time_print(before_ns, text), forgetting->done);
        }
        wtl_store_close(store);
        wtl_cli_settings_fini(&settings);
    }
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

static int purge(int argc, char **argv)
{
    static const struct forgetting remove = {&wtl_jobs_purge_command, wtl_store_purge, "Remove",
                                             "removed"};
    return forget(&remove, argc, argv);
}

static int anonymise(int argc, char **argv)
{
    static const struct forgetting hide = {&wtl_jobs_anonymise_command, wtl_store_anonymise,
                                           "Remove users and names from", "made anonymous"};
    return forget(&hide, argc, argv);
}

const struct wtl_command wtl_jobs_purge_command = {
    .verb = "jobs purge",
    .run = purge,
    .operands = "",
    .summary = "remove old jobs from the database",
    .text = "Removes the records and sums of jobs that ended before a time. It cannot be undone,\n"
            "so it asks first; where there is no terminal it requires --yes.\n",
    .options = options_table,
    .examples = "wattle jobs purge --before 730d\n"
                "wattle jobs purge --before 730d --yes\n",
    .usage_exit = WTL_EXIT_USAGE,
};

const struct wtl_command wtl_jobs_anonymise_command = {
    .verb = "jobs anonymise",
    .run = anonymise,
    .operands = "",
    .summary = "remove users and programs from old jobs in the database",
    .text =
        "Of jobs that ended before a time, user, names, traces and problems are removed; energy,\n"
        "account, partition, nodes and ids stay, and with them the sums. Who has Slurm's\n"
        "accounting can still find the user by the id. It cannot be undone, so it asks first;\n"
        "where there is no terminal it requires --yes.\n",
    .options = options_table,
    .examples = "wattle jobs anonymise --before 90d\n",
    .usage_exit = WTL_EXIT_USAGE,
};
