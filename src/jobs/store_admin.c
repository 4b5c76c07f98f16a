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

int wtl_store_purge(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err)
{
    int64_t jobs = 0;
    int rc = wtl_store_begin(store, err);
    if (rc < 0)
        return rc;
    /* The records of a job go with it, and those that have none, such as steps, by their own time. */
    rc = run_before(
        store,
        "DELETE FROM job_node WHERE at_ns < CAST($1 AS BIGINT) AND NOT EXISTS (SELECT 1 FROM job j "
        "WHERE j.cluster = job_node.cluster AND j.unit = job_node.unit AND j.at_ns >= CAST($1 AS "
        "BIGINT))",
        before_ns, NULL, err);
    rc = rc < 0 ? rc
                : run_before(store, "DELETE FROM job WHERE at_ns < CAST($1 AS BIGINT)", before_ns,
                             &jobs, err);
    rc = wtl_store_end(store, rc, err);
    if (rc == 0)
        *ret_jobs = jobs;
    return rc;
}

#define NAMELESS                                                                                   \
    " SET user_name = 'anonymous', uid = NULL, name = '', trace = '', problem = '' WHERE at_ns < " \
    "CAST($1 AS BIGINT) AND user_name <> 'anonymous'"

int wtl_store_anonymise(struct wtl_store *store,
                        int64_t before_ns,
                        int64_t *ret_jobs,
                        struct wattle_error *err)
{
    int64_t jobs = 0;
    int rc = wtl_store_begin(store, err);
    if (rc < 0)
        return rc;
    rc = run_before(store, "UPDATE job_node" NAMELESS, before_ns, NULL, err);
    rc = rc < 0 ? rc : run_before(store, "UPDATE job" NAMELESS, before_ns, &jobs, err);
    rc = wtl_store_end(store, rc, err);
    if (rc == 0)
        *ret_jobs = jobs;
    return rc;
}
