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

int wtl_store_script(struct wtl_store *store,
                     void (*write)(FILE *out, bool postgresql),
                     struct wattle_error *err)
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
    rc = wtl_store_script(store, wtl_schema_base, err);
    rc = rc < 0 ? rc : find_version(store, &version, err);
    if (rc == 0 && version < WTL_STORE_SCHEMA_VERSION) {
        rc = wtl_store_script(store, wtl_schema_drop, err);
        rc = rc < 0 ? rc : add_columns(store, err);
        rc = rc < 0 ? rc : wtl_store_script(store, wtl_schema_derive, err);
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

int wtl_store_count(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err)
{
    const struct wtl_sql_value before = wtl_sql_whole(before_ns);
    const struct wtl_sql_statement ask = {
        .text = "SELECT COUNT(*) FROM job WHERE at_ns < CAST($1 AS BIGINT)",
        .values = &before,
        .count = 1,
        .take = take_number,
        .arg = ret_jobs};
    return store->database->engine->run(store->database, &ask, err);
}

struct forgetting {
    const char *function; /* of a server: a call of it, for some jobs */
    /* Of a file: which rows, and what becomes of them. */
    const char *of_jobs, *of_rest, *change, *change_jobs;
    bool names_only; /* they stay, without users and names */
};

/* ---- a server ---- */

/* Jobs in a transaction: few enough that other writers, which wait for its end, do not time out. */
enum { AT_ONCE = 100000 };

static int forget_some(struct wtl_store *store,
                       const char *function,
                       int64_t before_ns,
                       int64_t *ret_jobs,
                       struct wattle_error *err)
{
    const struct wtl_sql_value values[] = {wtl_sql_whole(before_ns), wtl_sql_whole(AT_ONCE)};
    const struct wtl_sql_statement call = {
        .text = function, .values = values, .count = 2, .take = take_number, .arg = ret_jobs};
    int rc = wtl_store_begin(store, err);
    return rc < 0 ? rc
                  : wtl_store_end(store, store->database->engine->run(store->database, &call, err),
                                  err);
}

static int forget_in_parts(struct wtl_store *store,
                           const struct forgetting *forgetting,
                           int64_t before_ns,
                           int64_t *ret_jobs,
                           struct wattle_error *err)
{
    int64_t jobs = 0, some = AT_ONCE;
    int rc = 0;
    while (rc == 0 && some == AT_ONCE) {
        rc = forget_some(store, forgetting->function, before_ns, &some, err);
        jobs += rc < 0 ? 0 : some;
    }
    if (rc == 0)
        *ret_jobs = jobs;
    return rc;
}

/* ---- a file: all in one transaction, without the triggers ---- */

static const struct wtl_schema_rows chosen = {.jobs = "rowid IN (SELECT id FROM temp.chosen_job)",
                                              .records =
                                                  "rowid IN (SELECT id FROM temp.chosen_record)"};

static int choose(struct wtl_store *store,
                  const struct forgetting *forgetting,
                  int64_t before_ns,
                  struct wattle_error *err)
{
    const struct wtl_database_engine *engine = store->database->engine;
    int rc = engine->script(store->database,
                            "CREATE TEMP TABLE chosen_job (id INTEGER PRIMARY KEY); "
                            "CREATE TEMP TABLE chosen_record (id INTEGER PRIMARY KEY)",
                            err);
    rc = rc < 0 ? rc : run_before(store, forgetting->of_jobs, before_ns, NULL, err);
    /* CROSS: SQLite then keeps this order. */
    rc = rc < 0 ? rc
                : engine->script(store->database,
                                 "INSERT INTO temp.chosen_record SELECT r.rowid FROM "
                                 "temp.chosen_job c CROSS JOIN job j ON j.rowid = c.id CROSS JOIN "
                                 "job_node r ON r.unit = j.unit AND r.cluster = j.cluster",
                                 err);
    return rc < 0 ? rc : run_before(store, forgetting->of_rest, before_ns, NULL, err);
}

static int fold(struct wtl_store *store, bool names_only, bool add, struct wattle_error *err)
{
    struct wtl_schema_rows rows = chosen;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return wtl_no_memory(err);
    rows.names_only = names_only;
    wtl_schema_fold(out, &rows, add);
    int rc = fclose(out) == 0 ? store->database->engine->script(store->database, text, err)
                              : wtl_no_memory(err);
    free(text);
    return rc;
}

static int forget_at_once(struct wtl_store *store,
                          const struct forgetting *forgetting,
                          int64_t before_ns,
                          int64_t *ret_jobs,
                          struct wattle_error *err)
{
    const struct wtl_database_engine *engine = store->database->engine;
    const struct wtl_sql_statement change = {.text = forgetting->change_jobs,
                                             .ret_changed = ret_jobs};
    bool names_only = forgetting->names_only;
    int rc = wtl_store_begin(store, err);
    if (rc < 0)
        return rc;
    rc = wtl_store_script(store, wtl_schema_drop_triggers, err);
    rc = rc < 0 ? rc : choose(store, forgetting, before_ns, err);
    rc = rc < 0 ? rc : fold(store, names_only, false, err);
    rc = rc < 0 ? rc : engine->script(store->database, forgetting->change, err);
    rc = rc < 0 ? rc : engine->run(store->database, &change, err);
    if (rc == 0 && names_only)
        rc = fold(store, names_only, true, err);
    rc = rc < 0 ? rc : wtl_store_script(store, wtl_schema_create_triggers, err);
    rc = rc < 0 ? rc
                : engine->script(store->database,
                                 "DROP TABLE temp.chosen_job; DROP TABLE temp.chosen_record", err);
    return wtl_store_end(store, rc, err);
}

static int forget(struct wtl_store *store,
                  const struct forgetting *forgetting,
                  int64_t before_ns,
                  int64_t *ret_jobs,
                  struct wattle_error *err)
{
    return wtl_store_is_file(store) ? forget_at_once(store, forgetting, before_ns, ret_jobs, err)
                                    : forget_in_parts(store, forgetting, before_ns, ret_jobs, err);
}

#define OF_JOBS "INSERT INTO temp.chosen_job SELECT rowid FROM job WHERE at_ns < $1"
#define OF_REST \
    "INSERT OR IGNORE INTO temp.chosen_record SELECT rowid FROM job_node WHERE at_ns < $1"
#define CHOSEN_R " WHERE rowid IN (SELECT id FROM temp.chosen_record)"
#define CHOSEN_J " WHERE rowid IN (SELECT id FROM temp.chosen_job)"
#define OF_NO_JOB                                                                        \
    " AND NOT EXISTS (SELECT 1 FROM job j WHERE j.unit = job_node.unit AND j.cluster = " \
    "job_node.cluster)"

int wtl_store_purge(struct wtl_store *store,
                    int64_t before_ns,
                    int64_t *ret_jobs,
                    struct wattle_error *err)
{
    static const struct forgetting purge = {
        .function = "SELECT wattle_bulk_purge(CAST($1 AS BIGINT), CAST($2 AS BIGINT))",
        .of_jobs = OF_JOBS,
        .of_rest = OF_REST OF_NO_JOB,
        .change = "DELETE FROM job_node" CHOSEN_R,
        .change_jobs = "DELETE FROM job" CHOSEN_J,
    };
    return forget(store, &purge, before_ns, ret_jobs, err);
}

int wtl_store_anonymise(struct wtl_store *store,
                        int64_t before_ns,
                        int64_t *ret_jobs,
                        struct wattle_error *err)
{
    static const struct forgetting anonymise = {
        .function = "SELECT wattle_bulk_anonymise(CAST($1 AS BIGINT), CAST($2 AS BIGINT))",
        .of_jobs = OF_JOBS WTL_SCHEMA_NAMED,
        .of_rest = OF_REST WTL_SCHEMA_NAMED,
        .change = "UPDATE job_node" WTL_SCHEMA_NAMELESS CHOSEN_R,
        .change_jobs = "UPDATE job" WTL_SCHEMA_NAMELESS CHOSEN_J,
        .names_only = true,
    };
    return forget(store, &anonymise, before_ns, ret_jobs, err);
}
