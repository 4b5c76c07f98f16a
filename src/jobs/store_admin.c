/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and migrating the tables, and forgetting; see store.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

struct columns {
    bool has[128];
};

/* Which fields of a record the table has. */
static int take_column(void *arg, const struct wtl_sql_row *row)
{
    struct columns *columns = (struct columns *)arg;
    for (size_t i = 0; i < wtl_job_record_fields.count; i++)
        if (strcmp(wtl_sql_get_text(row, 0), wtl_job_record_fields.list[i].column) == 0)
            columns->has[i] = true;
    return 0;
}

static int script(struct wtl_store *store, void (*write)(FILE *, bool), struct wattle_error *err)
{
    const struct wtl_database_engine *engine = store->database->engine;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out)
        write(out, engine == &wtl_database_postgresql);
    int rc =
        out && fclose(out) == 0 ? engine->script(store->database, text, err) : wtl_no_memory(err);
    free(text);
    return rc;
}

/* Columns that a newer version has added to the records: unknown in the records that are there. */
static int add_columns(struct wtl_store *store, struct wattle_error *err)
{
    const struct wtl_database_engine *engine = store->database->engine;
    struct columns columns = {{false}};
    const struct wtl_sql_statement ask = {
        .text = engine == &wtl_database_postgresql
                    ? "SELECT column_name FROM information_schema.columns WHERE table_schema = "
                      "'wattle' AND "
                      "table_name = 'job_node'"
                    : "SELECT name FROM pragma_table_info('job_node')",
        .take = take_column,
        .arg = &columns,
    };
    int rc = engine->run(store->database, &ask, err);
    for (size_t i = 0; rc == 0 && i < wtl_job_record_fields.count; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = columns.has[i] ? NULL : open_memstream(&text, &size);
        if (columns.has[i])
            continue;
        if (!out)
            return wtl_no_memory(err);
        (void)fputs("ALTER TABLE job_node ADD COLUMN ", out);
        wtl_schema_column(out, &wtl_job_record_fields.list[i]);
        rc = fclose(out) == 0 ? engine->script(store->database, text, err) : wtl_no_memory(err);
        free(text);
    }
    return rc;
}

static int take_number(void *arg, const struct wtl_sql_row *row)
{
    *(int64_t *)arg = wtl_sql_get_whole(row, 0, 0);
    return 0;
}

static int find_version(struct wtl_store *store, int64_t *ret_version, struct wattle_error *err)
{
    const struct wtl_sql_statement ask = {.text = "SELECT value FROM meta WHERE name = 'version'",
                                          .take = take_number,
                                          .arg = ret_version};
    *ret_version = 0;
    return store->database->engine->run(store->database, &ask, err);
}

/* Everything but the records is made again from them, so that a migration is the same from every version. */
int wtl_store_migrate(struct wtl_store *store, int *ret_from, struct wattle_error *err)
{
    int64_t version = 0;
    int rc = wtl_store_begin(store, err);
    if (rc < 0)
        return rc;
    rc = script(store, wtl_schema_base, err);
    rc = rc < 0 ? rc : find_version(store, &version, err);
    if (rc == 0 && version < WTL_STORE_SCHEMA_VERSION) {
        rc = script(store, wtl_schema_drop, err);
        rc = rc < 0 ? rc : add_columns(store, err);
        rc = rc < 0 ? rc : script(store, wtl_schema_derive, err);
    }
    rc = wtl_store_end(store, rc, err);
    if (rc == 0 && ret_from)
        *ret_from = (int)version;
    return rc;
}

int wtl_store_schema_text(const char *engine, char **ret_text, struct wattle_error *err)
{
    bool postgresql = strcmp(engine, wtl_database_postgresql.name) == 0;
    size_t size;
    FILE *out = open_memstream(ret_text, &size);
    if (!out)
        return wtl_no_memory(err);
    (void)fputs("BEGIN;\n", out);
    wtl_schema_base(out, postgresql);
    wtl_schema_drop(out, postgresql);
    wtl_schema_derive(out, postgresql);
    (void)fputs("COMMIT;\n", out);
    if (fclose(out) == 0)
        return 0;
    free(*ret_text);
    return wtl_no_memory(err);
}

/* A statement with one time, $1. */
static int run_before(struct wtl_store *store,
                      const char *text,
                      int64_t before_ns,
                      int64_t *ret_changed,
                      struct wattle_error *err)
{
    const struct wtl_sql_value before = wtl_sql_whole(before_ns);
    const struct wtl_sql_statement statement = {
        .text = text, .values = &before, .count = 1, .ret_changed = ret_changed};
    return store->database->engine->run(store->database, &statement, err);
}

/*
 * Some jobs at a time, each in a transaction of its own: PostgreSQL keeps all versions of a row until its transaction
 * ends, and the rows of the sums change with each job. It can be interrupted, and nobody waits for long.
 */
#define SOME_JOBS(more)                                                                    \
    " (unit, cluster) IN (SELECT j.unit, j.cluster FROM job j WHERE j.at_ns < CAST($1 AS " \
    "BIGINT)" more " ORDER BY j.at_ns, j.unit, j.cluster LIMIT 300)"

struct forgetting {
    const char *records, *jobs, *rest; /* of some jobs; of records that are of no job */
};

static int forget_some(struct wtl_store *store,
                       const struct forgetting *forgetting,
                       int64_t before_ns,
                       int64_t *ret_jobs,
                       struct wattle_error *err)
{
    int rc = wtl_store_begin(store, err);
    if (rc < 0)
        return rc;
    rc = run_before(store, forgetting->records, before_ns, NULL, err);
    rc = rc < 0 ? rc : run_before(store, forgetting->jobs, before_ns, ret_jobs, err);
    return wtl_store_end(store, rc, err);
}

static int forget(struct wtl_store *store,
                  const struct forgetting *forgetting,
                  int64_t before_ns,
                  int64_t *ret_jobs,
                  struct wattle_error *err)
{
    int64_t jobs = 0, some = 0;
    int rc;
    do {
        rc = forget_some(store, forgetting, before_ns, &some, err);
        jobs += rc < 0 ? 0 : some;
    } while (rc == 0 && some > 0);
    rc = rc < 0 ? rc : run_before(store, forgetting->rest, before_ns, NULL, err);
    if (rc == 0)
        *ret_jobs = jobs;
    return rc;
}

int wtl_store_purge(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err)
{
    static const struct forgetting purge = {
        .records = "DELETE FROM job_node WHERE" SOME_JOBS(""),
        .jobs = "DELETE FROM job WHERE" SOME_JOBS(""),
        .rest = "DELETE FROM job_node WHERE at_ns < CAST($1 AS BIGINT) AND NOT EXISTS (SELECT 1 "
                "FROM job j WHERE "
                "j.unit = job_node.unit AND j.cluster = job_node.cluster)",
    };
    return forget(store, &purge, before_ns, ret_jobs, err);
}

#define NAMELESS \
    " SET user_name = 'anonymous', uid = NULL, name = '', trace = '', problem = '' WHERE"
#define NAMED " AND user_name <> 'anonymous'"

int wtl_store_anonymise(struct wtl_store *store,
                        int64_t before_ns,
                        int64_t *ret_jobs,
                        struct wattle_error *err)
{
    static const struct forgetting anonymise = {
        .records = "UPDATE job_node" NAMELESS SOME_JOBS(NAMED),
        .jobs = "UPDATE job" NAMELESS SOME_JOBS(NAMED),
        .rest = "UPDATE job_node" NAMELESS " at_ns < CAST($1 AS BIGINT)" NAMED,
    };
    return forget(store, &anonymise, before_ns, ret_jobs, err);
}
