/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs init": make the tables of a database, or bring them to this version. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/flush.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_database.h"
#include "cli/settings.h"

struct request {
    const char *database;
    bool print;
};

static const struct wtl_option options_table[] = {
    {0, "database", "URL", "sqlite:PATH or postgresql://HOST/NAME (default:\nwattle.conf)",
     WTL_TAKES_TEXT(struct request, database)},
    {0, "print", NULL, "print the SQL that makes them, and change nothing",
     WTL_SETS(struct request, print)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int print(const char *url, struct wattle_error *err)
{
    char *text = NULL;
    int rc = wtl_store_schema_text(strncmp(url, "sqlite:", 7) == 0 ? "sqlite" : "postgresql", &text,
                                   err);
    if (rc < 0)
        return rc;
    (void)fputs(text, stdout);
    free(text);
    return wtl_flush(stdout, err);
}

static int make(const struct wtl_config *config, const char *database, struct wattle_error *err)
{
    struct wtl_store *store = NULL;
    int from = 0, rc = wtl_jobs_database_open(config, database, WTL_STORE_ADMIN, &store, err);
    rc = rc < 0 ? rc : wtl_store_migrate(store, &from, err);
    if (rc == 0 && from == 0)
        printf("%s: tables made, version %d\n", wtl_store_name(store), WTL_STORE_SCHEMA_VERSION);
    else if (rc == 0 && from < WTL_STORE_SCHEMA_VERSION)
        printf("%s: brought from version %d to %d\n", wtl_store_name(store), from,
               WTL_STORE_SCHEMA_VERSION);
    else if (rc == 0)
        printf("%s: nothing to do, version %d\n", wtl_store_name(store), from);
    wtl_store_close(store);
    return rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_init_command;
    struct wtl_command_line line;
    struct request request = {.database = NULL};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), &err);
    if (rc == 0) {
        const char *url = request.database ? request.database
                                           : wtl_config_get(settings.config, "jobs", "database");
        rc = request.print ? print(url, &err) : make(settings.config, request.database, &err);
        wtl_cli_settings_fini(&settings);
    }
    if (rc < 0)
        wtl_complain(command, "%s", err.text);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_jobs_init_command = {
    .verb = "jobs init",
    .run = run,
    .operands = "",
    .summary = "make or update the tables of the database of jobs",
    .text =
        "Once for a new database, and after an update of wattle that says so, before the nodes\n"
        "are updated. In PostgreSQL, as a role that may create roles, this also makes the roles\n"
        "wattle_sender, wattle_reader and wattle_admin; --print is for a DBA who runs the SQL\n"
        "with psql. Records stay; sums are made again from them.\n",
    .options = options_table,
    .examples =
        "wattle jobs init --database sqlite:/var/lib/wattle/jobs.db\n"
        "wattle jobs init --print --database postgresql://db.example.org/wattle > wattle.sql\n",
    .usage_exit = WTL_EXIT_USAGE,
};
