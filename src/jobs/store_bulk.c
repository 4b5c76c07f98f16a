/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many records at once; see store.h. In SQLite the triggers are dropped and made again within the transaction: records of jobs that the
 * database does not have yet are inserted alone, and their jobs and sums follow from all of them together. Records of the other jobs, and
 * those that an earlier one of this bulk may have to give way to, wait until the triggers are back. A server inserts each by its triggers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

struct wtl_store_bulk {
    struct wtl_store *store;
    size_t added;
    bool no_triggers;
    int64_t last_job, last_record; /* row ids from before */
    char **waiting;                /* lines of records */
    size_t waiting_count;
};

static int take_number(void *arg, const struct wtl_sql_row *row)
{
    *(int64_t *)arg = wtl_sql_get_whole(row, 0, 0);
    return 0;
}

static int ask_number(struct wtl_store *store,
                      const char *text,
                      int64_t *ret_number,
                      struct wattle_error *err)
{
    const struct wtl_sql_statement ask = {.text = text, .take = take_number, .arg = ret_number};
    *ret_number = 0;
    return store->database->engine->run(store->database, &ask, err);
}

static void free_bulk(struct wtl_store_bulk *bulk)
{
    for (size_t i = 0; i < bulk->waiting_count; i++)
        free(bulk->waiting[i]);
    free(bulk->waiting);
    free(bulk);
}

int wtl_store_bulk_begin(struct wtl_store *store,
                         struct wtl_store_bulk **ret_bulk,
                         struct wattle_error *err)
{
    struct wtl_store_bulk *bulk = calloc(1, sizeof *bulk);
    if (!bulk)
        return wtl_no_memory(err);
    bulk->store = store;
    int rc = wtl_store_begin(store, err);
    if (rc < 0) {
        free_bulk(bulk);
        return rc;
    }
    bulk->no_triggers = wtl_store_is_file(store);
    if (bulk->no_triggers) {
        rc = ask_number(store, "SELECT MAX(rowid) FROM job", &bulk->last_job, err);
        rc = rc < 0 ? rc
                    : ask_number(store, "SELECT MAX(rowid) FROM job_node", &bulk->last_record, err);
        rc = rc < 0 ? rc : wtl_store_script(store, wtl_schema_drop_triggers, err);
    }
    if (rc < 0)
        return wtl_store_bulk_end(bulk, rc, NULL, err);
    *ret_bulk = bulk;
    return 0;
}

/* Does a trigger have to see it? */
static int must_wait(const struct wtl_store_bulk *bulk,
                     const struct wtl_job_record *record,
                     bool *ret_waits,
                     struct wattle_error *err)
{
    struct wtl_sql sql;
    int64_t found = 0;
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    (void)fputs("SELECT 1 FROM job_node r WHERE r.unit = ", sql.out);
    wtl_sql_put(&sql, wtl_sql_text(record->unit));
    (void)fputs(" AND r.cluster = ", sql.out);
    wtl_sql_put(&sql, wtl_sql_text(record->cluster));
    (void)fputs(" AND (r.rowid <= ", sql.out);
    wtl_sql_put(&sql, wtl_sql_whole(bulk->last_record));
    (void)fputs(" OR (r.step = ", sql.out);
    wtl_sql_put(&sql, wtl_sql_text(record->step));
    (void)fputs(" AND r.node = ", sql.out);
    wtl_sql_put(&sql, wtl_sql_text(record->node));
    (void)fputs(")) LIMIT 1", sql.out);
    rc = wtl_sql_finish(&sql, bulk->store, take_number, &found, NULL, err);
    *ret_waits = found != 0;
    return rc;
}

int wtl_store_bulk_put(struct wtl_store_bulk *bulk,
                       const struct wtl_job_record *record,
                       struct wattle_error *err)
{
    bool waits = false;
    size_t size;
    int rc = bulk->no_triggers ? must_wait(bulk, record, &waits, err) : 0;
    if (rc < 0 || !waits)
        return rc < 0 ? rc : wtl_store_put_one(bulk->store, record, &bulk->added, err);
    if (wtl_grow(&bulk->waiting, bulk->waiting_count, sizeof *bulk->waiting) < 0)
        return wtl_no_memory(err);
    rc = wtl_job_record_line(record, &bulk->waiting[bulk->waiting_count], &size, err);
    bulk->waiting_count += rc == 0;
    return rc;
}

/* Jobs and sums of what was inserted, and the triggers. */
static int settle(const struct wtl_store_bulk *bulk, struct wattle_error *err)
{
    const struct wtl_database_engine *engine = bulk->store->database->engine;
    char jobs[60], records[60], of_records[80], *text = NULL;
    const struct wtl_schema_rows rows = {.jobs = jobs, .records = records};
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return wtl_no_memory(err);
    (void)snprintf(jobs, sizeof jobs, "rowid > %" PRId64, bulk->last_job);
    (void)snprintf(records, sizeof records, "rowid > %" PRId64, bulk->last_record);
    (void)snprintf(of_records, sizeof of_records, " AND %s", records);
    wtl_schema_fill_jobs(out, of_records);
    wtl_schema_fold(out, &rows, true);
    wtl_schema_create_triggers(out, false);
    int rc =
        fclose(out) == 0 ? engine->script(bulk->store->database, text, err) : wtl_no_memory(err);
    free(text);
    return rc;
}

static int put_waiting(struct wtl_store_bulk *bulk, const char *line, struct wattle_error *err)
{
    struct wtl_job_record record;
    int rc = wtl_job_record_parse(line, strlen(line), &record, err);
    if (rc < 0)
        return rc;
    rc = wtl_store_put_one(bulk->store, &record, &bulk->added, err);
    wtl_job_record_fini(&record);
    return rc;
}

int wtl_store_bulk_end(struct wtl_store_bulk *bulk,
                       int rc,
                       size_t *ret_new,
                       struct wattle_error *err)
{
    if (rc == 0 && bulk->no_triggers)
        rc = settle(bulk, err);
    for (size_t i = 0; rc == 0 && i < bulk->waiting_count; i++)
        rc = put_waiting(bulk, bulk->waiting[i], err);
    rc = wtl_store_end(bulk->store, rc, err);
    if (rc == 0 && ret_new)
        *ret_new = bulk->added;
    free_bulk(bulk);
    return rc;
}

int wtl_store_has_job(struct wtl_store *store,
                      const struct wtl_job_record *record,
                      int64_t tolerance_ns,
                      bool *ret_has,
                      struct wattle_error *err)
{
    const struct wtl_query_columns columns = {.ids = true, .by = WTL_BY_OTHER};
    char number[32];
    struct wtl_job_query query = {.cluster = record->cluster, .job_id = record->job_id};
    struct wtl_sql sql;
    int64_t found = 0;
    if (record->raw_job_id > 0) {
        (void)snprintf(number, sizeof number, "%" PRIu64, record->raw_job_id);
        query.job_id = number;
    }
    query = wtl_store_own(store, &query);
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    (void)fputs("SELECT 1 FROM job a WHERE COALESCE(a.begin_ns, 0) <= ", sql.out);
    wtl_sql_put(&sql, wtl_sql_whole(record->end_ns + tolerance_ns));
    (void)fputs(" AND COALESCE(a.end_ns, 0) >= ", sql.out);
    wtl_sql_put(&sql, wtl_sql_whole(record->begin_ns - tolerance_ns));
    wtl_sql_filter(&sql, &query, &columns);
    (void)fputs(" LIMIT 1", sql.out);
    rc = wtl_sql_finish(&sql, store, take_number, &found, NULL, err);
    *ret_has = found != 0;
    return rc;
}
