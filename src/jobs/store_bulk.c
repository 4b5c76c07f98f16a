/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many records at once; see store.h. In SQLite the triggers are dropped and made again within the transaction: records of jobs that the
 * database does not have yet are inserted alone, and their jobs and sums follow from all of them together. Records of the other jobs, and
 * those that an earlier one of this bulk may have to give way to, wait until the triggers are back. A server gets them by COPY into a table
 * of its own, and does the same in a function (database/schema_bulk.c).
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
    bool is_file, copies;          /* copies: rows of a server are being sent */
    bool bare;                     /* without indexes: made again at the end */
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

/* Where more records come than there are, the indexes are made of all of them at the end. */
static int drop_indexes(struct wtl_store_bulk *bulk, size_t expected, struct wattle_error *err)
{
    int64_t there = 0;
    char text[100];
    (void)snprintf(text, sizeof text, "SELECT COUNT(*) FROM (SELECT 1 FROM job_node LIMIT %zu)",
                   expected);
    int rc = ask_number(bulk->store, text, &there, err);
    bulk->bare = rc == 0 && (size_t)there < expected;
    return rc == 0 && bulk->bare ? wtl_store_script(bulk->store, wtl_schema_drop_indexes, err) : rc;
}

int wtl_store_bulk_begin(struct wtl_store *store,
                         size_t expected,
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
    bulk->is_file = wtl_store_is_file(store);
    if (!bulk->is_file)
        rc = store->database->engine->script(store->database, "SET LOCAL statement_timeout = 0",
                                             err);
    if (bulk->is_file) {
        rc = ask_number(store, "SELECT MAX(rowid) FROM job", &bulk->last_job, err);
        rc = rc < 0 ? rc
                    : ask_number(store, "SELECT MAX(rowid) FROM job_node", &bulk->last_record, err);
        rc = rc < 0 ? rc : wtl_store_script(store, wtl_schema_drop_triggers, err);
        rc = rc < 0 ? rc : drop_indexes(bulk, expected, err);
    }
    if (rc < 0)
        return wtl_store_bulk_end(bulk, rc, NULL, 0, NULL, err);
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

/* A row of the server's own table. */
static int copy_record(struct wtl_store_bulk *bulk,
                       const struct wtl_job_record *record,
                       struct wattle_error *err)
{
    struct wtl_database *database = bulk->store->database;
    struct wtl_store_values values;
    int rc = wtl_store_values_of(record, &values, err);
    if (rc == 0 && !bulk->copies) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        if (out)
            wtl_schema_copy(out);
        rc = out && fclose(out) == 0 ? database->engine->copy_begin(database, text, err)
                                     : wtl_no_memory(err);
        bulk->copies = rc == 0;
        free(text);
    }
    rc = rc < 0 ? rc : database->engine->copy_row(database, values.list, values.count, err);
    free(values.channels);
    return rc;
}

int wtl_store_bulk_put(struct wtl_store_bulk *bulk,
                       const struct wtl_job_record *record,
                       struct wattle_error *err)
{
    bool waits = false;
    size_t size;
    if (!bulk->is_file)
        return copy_record(bulk, record, err);
    int rc = must_wait(bulk, record, &waits, err);
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
    if (bulk->bare)
        wtl_schema_create_indexes(out);
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

/* Everything that was put is in the tables, with what follows from it. */
static int add_all(struct wtl_store_bulk *bulk, int rc, struct wattle_error *err)
{
    const struct wtl_database_engine *engine = bulk->store->database->engine;
    int64_t added = 0;
    if (!bulk->is_file) {
        if (bulk->copies)
            rc = engine->copy_end(bulk->store->database, rc, err);
        if (rc == 0 && bulk->copies)
            rc = ask_number(bulk->store, "SELECT wattle_bulk_add()", &added, err);
        bulk->added += (size_t)added;
        bulk->copies = false;
        return rc;
    }
    rc = rc < 0 ? rc : settle(bulk, err);
    for (size_t i = 0; rc == 0 && i < bulk->waiting_count; i++)
        rc = put_waiting(bulk, bulk->waiting[i], err);
    return rc;
}

/* A job's row is made again from its records, and the sums follow by the triggers. */
static int doubt_one(struct wtl_store *store,
                     const struct wtl_store_doubt *doubt,
                     struct wattle_error *err)
{
    const struct wtl_sql_value values[] = {wtl_sql_text(doubt->unit), wtl_sql_text(doubt->cluster)};
    const struct wtl_sql_value changed[] = {wtl_sql_text(doubt->problem), values[0], values[1]};
    const struct wtl_database_engine *engine = store->database->engine;
    char *text = NULL;
    size_t size;
    const struct wtl_sql_statement change = {
        .text =
            "UPDATE job_node SET energy_j = NULL, charged_j = NULL, resolution_j = NULL, "
            "charged_low_j = NULL, charged_high_j = NULL, lower_bound = 0, problem = CAST($1 AS "
            "TEXT) WHERE unit = CAST($2 AS TEXT) AND cluster = CAST($3 AS TEXT) AND step = "
            "''" WTL_SQL_IMPORTED,
        .values = changed,
        .count = 3};
    const struct wtl_sql_statement forget_job = {
        .text = "DELETE FROM job WHERE unit = CAST($1 AS TEXT) AND cluster = CAST($2 AS TEXT)",
        .values = values,
        .count = 2};
    int rc = engine->run(store->database, &change, err);
    rc = rc < 0 ? rc : engine->run(store->database, &forget_job, err);
    FILE *out = rc < 0 ? NULL : open_memstream(&text, &size);
    if (rc < 0 || !out)
        return rc < 0 ? rc : wtl_no_memory(err);
    wtl_schema_fill_jobs(out, " AND unit = CAST($1 AS TEXT) AND cluster = CAST($2 AS TEXT)");
    rc = fclose(out) == 0 ? 0 : wtl_no_memory(err);
    if (rc == 0) {
        text[strcspn(text, ";")] = '\0';
        const struct wtl_sql_statement make_job = {.text = text, .values = values, .count = 2};
        rc = engine->run(store->database, &make_job, err);
    }
    free(text);
    return rc;
}

int wtl_store_bulk_end(struct wtl_store_bulk *bulk,
                       int rc,
                       const struct wtl_store_doubt *doubts,
                       size_t doubt_count,
                       size_t *ret_new,
                       struct wattle_error *err)
{
    rc = add_all(bulk, rc, err);
    for (size_t i = 0; rc == 0 && i < doubt_count; i++)
        rc = doubt_one(bulk->store, &doubts[i], err);
    rc = wtl_store_end(bulk->store, rc, err);
    if (rc == 0 && ret_new)
        *ret_new = bulk->added;
    free_bulk(bulk);
    return rc;
}

/* ---- what is there ---- */

struct stays {
    wtl_store_take_stay_fn *take;
    void *arg;
};

static int take_stay(void *arg, const struct wtl_sql_row *row)
{
    const struct stays *stays = arg;
    const struct wtl_store_stay stay = {
        .cluster = wtl_sql_get_text(row, 0),
        .unit = wtl_sql_get_text(row, 1),
        .job_id = wtl_sql_get_text(row, 2),
        .node = wtl_sql_get_text(row, 3),
        .raw_job_id = (uint64_t)wtl_sql_get_whole(row, 4, 0),
        .begin_ns = wtl_sql_get_whole(row, 5, 0),
        .end_ns = wtl_sql_get_whole(row, 6, 0),
        .is_run = wtl_sql_get_whole(row, 7, 0) != 0,
        .is_imported = wtl_sql_get_whole(row, 8, 0) != 0,
        .has_energy = wtl_sql_get_whole(row, 9, 0) != 0,
    };
    return stays->take(stays->arg, &stay);
}

int wtl_store_stays(struct wtl_store *store,
                    int64_t from_ns,
                    int64_t to_ns,
                    wtl_store_take_stay_fn *take,
                    void *arg,
                    struct wattle_error *err)
{
    struct stays stays = {take, arg};
    struct wtl_sql sql;
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    /* By class of duration, as in store_nodes.c. */
    for (int span = 0; wtl_schema_span_ns(span) > 0; span++) {
        int64_t longest = wtl_schema_span_ns(span);
        int64_t last = longest < INT64_MAX - to_ns ? to_ns + longest : INT64_MAX;
        (void)fprintf(
            sql.out,
            "%sSELECT a.cluster, a.unit, a.job_id, a.node, a.raw_job_id, a.begin_ns, a.end_ns, "
            "CASE WHEN a.kind = 'run' THEN 1 ELSE 0 END, CASE WHEN 1 = 1" WTL_SQL_IMPORTED
            " THEN 1 ELSE 0 END, CASE WHEN a.charged_j IS NULL THEN 0 ELSE 1 END FROM job_node a "
            "WHERE a.step = '' AND a.span = %d AND a.at_ns >= %" PRId64 " AND a.at_ns <= %" PRId64
            " AND COALESCE(a.begin_ns, 0) <= %" PRId64,
            span ? " UNION ALL " : "", span, from_ns, last, to_ns);
    }
    return wtl_sql_finish(&sql, store, take_stay, &stays, NULL, err);
}
