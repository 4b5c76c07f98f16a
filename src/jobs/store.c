/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening the store, inserting records and what nodes tell of themselves; see store.h. */
#define _GNU_SOURCE
#include "jobs/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/whole.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

static const struct wtl_database_engine *const engines[] = {&wtl_database_sqlite,
                                                            &wtl_database_postgresql};

struct versions {
    int64_t version, writes_from;
};

static int take_version(void *arg, const struct wtl_sql_row *row)
{
    struct versions *versions = (struct versions *)arg;
    if (strcmp(wtl_sql_get_text(row, 0), "version") == 0)
        versions->version = wtl_sql_get_whole(row, 1, 0);
    if (strcmp(wtl_sql_get_text(row, 0), "writes_from") == 0)
        versions->writes_from = wtl_sql_get_whole(row, 1, 0);
    return 0;
}

static int find_version(struct wtl_store *store, struct versions *ret, struct wattle_error *err)
{
    const struct wtl_sql_statement statement = {
        .text = "SELECT name, value FROM meta", .take = take_version, .arg = ret};
    *ret = (struct versions){0, 0};
    return store->database->engine->run(store->database, &statement, err);
}

static int refuse_version(const struct wtl_store *store,
                          const struct versions *found,
                          struct wattle_error *err)
{
    if (found->version > WTL_STORE_SCHEMA_VERSION)
        return wtl_fail(err, -EPROTO,
                        "the database %s was made by a newer wattle (version %" PRId64
                        " of its tables, "
                        "here %d); update wattle on this machine",
                        wtl_store_name(store), found->version, WTL_STORE_SCHEMA_VERSION);
    return wtl_fail(
        err, -ENODATA,
        "the database %s has the tables of an older wattle; run \"wattle jobs init\" once",
        wtl_store_name(store));
}

/* Who keeps the database may open any that is not newer, also one without tables. */
static int check_admin(struct wtl_store *store, struct wattle_error *err)
{
    struct versions found;
    int rc = find_version(store, &found, err);
    if (rc == -ENODATA)
        return 0;
    return rc < 0 || found.version <= WTL_STORE_SCHEMA_VERSION ? rc
                                                               : refuse_version(store, &found, err);
}

static int check_version(struct wtl_store *store,
                         enum wtl_store_access access,
                         struct wattle_error *err)
{
    struct versions found;
    bool writes = access == WTL_STORE_WRITE;
    int rc = find_version(store, &found, err);
    bool old = rc == -ENODATA || (rc == 0 && found.version < WTL_STORE_SCHEMA_VERSION);
    /* A file has no administrator. */
    if (old && writes && wtl_store_is_file(store))
        return wtl_store_migrate(store, NULL, err);
    if (rc == -ENODATA)
        return wtl_fail(err, rc,
                        "the database %s has no tables of wattle; run \"wattle jobs init\" once",
                        wtl_store_name(store));
    if (rc < 0 || found.version == WTL_STORE_SCHEMA_VERSION)
        return rc;
    return !old && writes && found.writes_from <= WTL_STORE_SCHEMA_VERSION
               ? 0
               : refuse_version(store, &found, err);
}

static int take_flag(void *arg, const struct wtl_sql_row *row)
{
    *(bool *)arg = wtl_sql_get_whole(row, 0, 0) != 0;
    return 0;
}

static int take_rights(void *arg, const struct wtl_sql_row *row)
{
    struct wtl_store *store = (struct wtl_store *)arg;
    const char *user = wtl_sql_get_text(row, 1);
    store->sees_all = wtl_sql_get_whole(row, 0, 0) != 0;
    if (!store->sees_all && strlen(user) < sizeof store->own_user)
        memcpy(store->own_user, user, strlen(user) + 1);
    return 0;
}

/* A file shows all that it has; in PostgreSQL it depends on the role. Who sends may not even ask who coordinates what. */
static int find_rights(struct wtl_store *store,
                       enum wtl_store_access access,
                       struct wattle_error *err)
{
    static const char rights[] =
        "SELECT CASE WHEN has_table_privilege('site_total', 'SELECT') THEN 1 ELSE 0 END, ";
    static const char no_user[] = "''";
    static const char own[] = "CASE WHEN EXISTS (SELECT 1 FROM coordinator WHERE user_name = "
                              "session_user) THEN '' ELSE CAST(session_user AS TEXT) END";
    char text[sizeof rights + sizeof own];
    (void)snprintf(text, sizeof text, "%s%s", rights, access == WTL_STORE_READ ? own : no_user);
    const struct wtl_sql_statement ask = {.text = text, .take = take_rights, .arg = store};
    store->sees_all = wtl_store_is_file(store);
    return store->sees_all ? 0 : store->database->engine->run(store->database, &ask, err);
}

struct wtl_job_query wtl_store_own(const struct wtl_store *store, const struct wtl_job_query *query)
{
    struct wtl_job_query own = *query;
    if (store->own_user[0] && !(own.user && *own.user))
        own.user = store->own_user;
    return own;
}

int wtl_store_sees(struct wtl_store *store,
                   const char *account,
                   bool *ret_all,
                   struct wattle_error *err)
{
    const struct wtl_sql_value value = wtl_sql_text(account);
    const struct wtl_sql_statement ask = {
        .text = "SELECT 1 FROM coordinator WHERE user_name = session_user AND account = CAST($1 AS "
                "TEXT)",
        .values = &value,
        .count = 1,
        .take = take_flag,
        .arg = ret_all};
    *ret_all = store->sees_all;
    return store->sees_all || !account || !*account
               ? 0
               : store->database->engine->run(store->database, &ask, err);
}

int wtl_store_open(const char *url,
                   enum wtl_store_access access,
                   struct wtl_store **ret_store,
                   struct wattle_error *err)
{
    const struct wtl_database_engine *engine = NULL;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        if (strncmp(url, engines[i]->prefix, strlen(engines[i]->prefix)) == 0)
            engine = engines[i];
    if (!engine)
        return wtl_fail(err, -EINVAL,
                        "the database must be given as sqlite:PATH or postgresql://HOST/DATABASE");
    struct wtl_store *store = calloc(1, sizeof *store);
    if (!store)
        return wtl_no_memory(err);
    int rc = engine->open(url, access, &store->database, err);
    if (rc == 0)
        rc =
            access == WTL_STORE_ADMIN ? check_admin(store, err) : check_version(store, access, err);
    rc = rc < 0 || access == WTL_STORE_ADMIN ? rc : find_rights(store, access, err);
    store->sees_all |= access == WTL_STORE_ADMIN;
    if (rc < 0)
        wtl_store_close(store);
    else
        *ret_store = store;
    return rc;
}

void wtl_store_close(struct wtl_store *store)
{
    if (!store)
        return;
    if (store->database)
        store->database->engine->close(store->database);
    free(store->insert);
    free(store);
}

const char *wtl_store_name(const struct wtl_store *store)
{
    return store->database->name;
}

bool wtl_store_is_file(const struct wtl_store *store)
{
    return store->database->engine == &wtl_database_sqlite;
}

int wtl_store_begin(struct wtl_store *store, struct wattle_error *err)
{
    const struct wtl_database_engine *engine = store->database->engine;
    bool file = wtl_store_is_file(store);
    int rc = engine->script(store->database, file ? "BEGIN IMMEDIATE" : "BEGIN", err);
    /* One writer at a time, as in SQLite: they add to the same sums, in any order, and would deadlock. */
    if (rc == 0 && !file)
        rc = engine->script(store->database, "SELECT pg_advisory_xact_lock(7727475)", err);
    return rc;
}

int wtl_store_end(struct wtl_store *store, int rc, struct wattle_error *err)
{
    const struct wtl_database_engine *engine = store->database->engine;
    if (rc == 0)
        rc = engine->script(store->database, "COMMIT", err);
    if (rc != 0)
        (void)engine->script(store->database, "ROLLBACK", NULL);
    return rc;
}

/* The values travel through casts, so that PostgreSQL knows their types. */
static int make_insert(char **ret_text, struct wattle_error *err)
{
    size_t size, n = wtl_job_record_fields.count;
    const struct wtl_job_field *fields = wtl_job_record_fields.list;
    FILE *out = open_memstream(ret_text, &size);
    if (!out)
        return wtl_no_memory(err);
    (void)fputs("INSERT INTO job_node (", out);
    for (size_t i = 0; i < n; i++)
        (void)fprintf(out, "%s, ", fields[i].column);
    (void)fputs("channels, at_ns, span) SELECT v.*, ", out);
    wtl_schema_at(out, "v.");
    (void)fputs(", ", out);
    wtl_schema_span(out, "v.begin_ns", "v.end_ns");
    (void)fputs(" FROM (SELECT ", out);
    for (size_t i = 0; i < n; i++)
        (void)fprintf(out, "CAST($%zu AS %s) AS %s, ", i + 1, wtl_schema_type(&fields[i]),
                      fields[i].column);
    (void)fprintf(out, "CAST($%zu AS TEXT) AS channels) v WHERE 1 = 1 ON CONFLICT DO NOTHING",
                  n + 1);
    if (fclose(out) == 0)
        return 0;
    free(*ret_text);
    *ret_text = NULL;
    return wtl_no_memory(err);
}

static struct wtl_sql_value value_of(const struct wtl_job_field *field,
                                     const struct wtl_job_record *record)
{
    int64_t whole;
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        return wtl_sql_text(wtl_job_text(field, record));
    case WTL_JOB_WORD:
        return wtl_sql_text(field->words[wtl_job_whole(field, record)]);
    case WTL_JOB_REAL:
        return wtl_sql_real(wtl_job_real(field, record));
    case WTL_JOB_FLAG:
        return wtl_sql_whole(wtl_job_whole(field, record));
    case WTL_JOB_WHOLE:
        break;
    }
    whole = wtl_job_whole(field, record);
    return whole == field->unknown ? (struct wtl_sql_value){.form = WTL_SQL_NULL}
                                   : wtl_sql_whole(whole);
}

int wtl_store_values_of(const struct wtl_job_record *record,
                        struct wtl_store_values *ret_values,
                        struct wattle_error *err)
{
    const size_t n = wtl_job_record_fields.count;
    int rc = wtl_job_record_check(record, err);
    *ret_values = (struct wtl_store_values){.count = n + 1};
    if (rc < 0)
        return rc;
    if (record->channel_count > 0 && wtl_job_channels_text(record, &ret_values->channels) < 0)
        return wtl_no_memory(err);
    for (size_t i = 0; i < n && i < WTL_STORE_VALUES - 1; i++)
        ret_values->list[i] = value_of(&wtl_job_record_fields.list[i], record);
    ret_values->list[n] = wtl_sql_text(ret_values->channels);
    return 0;
}

int wtl_store_put_one(struct wtl_store *store,
                      const struct wtl_job_record *record,
                      size_t *added,
                      struct wattle_error *err)
{
    struct wtl_store_values values;
    int64_t changed = 0;
    int rc = wtl_store_values_of(record, &values, err);
    rc = rc < 0 || store->insert ? rc : make_insert(&store->insert, err);
    if (rc < 0) {
        free(values.channels);
        return rc;
    }
    const struct wtl_sql_statement statement = {.text = store->insert,
                                                .values = values.list,
                                                .count = values.count,
                                                .ret_changed = &changed};
    rc = store->database->engine->run(store->database, &statement, err);
    free(values.channels);
    *added += rc == 0 && changed > 0;
    return rc;
}

int wtl_store_put(struct wtl_store *store,
                  const struct wtl_job_record *records,
                  size_t n,
                  size_t *ret_new,
                  struct wattle_error *err)
{
    size_t added = 0;
    int rc = wtl_store_begin(store, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = wtl_store_put_one(store, &records[i], &added, err);
    rc = wtl_store_end(store, rc, err);
    if (rc == 0 && ret_new)
        *ret_new = added;
    return rc;
}

int wtl_store_seen(struct wtl_store *store,
                   const struct wtl_store_sender *sender,
                   struct wattle_error *err)
{
    const struct wtl_sql_value values[] = {
        wtl_sql_text(sender->cluster),        wtl_sql_text(sender->node),
        wtl_sql_text(sender->version),        wtl_sql_whole(sender->backlog_records),
        wtl_sql_whole(sender->backlog_bytes), wtl_sql_whole(sender->oldest_ns),
        wtl_sql_whole(sender->refused),       wtl_sql_whole(sender->damaged),
        wtl_sql_whole(sender->rejected),
    };
    const struct wtl_sql_statement statement = {
        .text = "INSERT INTO heartbeat (cluster, node, version, backlog_records, backlog_bytes, "
                "oldest_ns, "
                "refused, damaged, rejected) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        .values = values,
        .count = sizeof values / sizeof *values,
    };
    return store->database->engine->run(store->database, &statement, err);
}

struct senders {
    wtl_store_take_sender_fn *take;
    void *arg;
};

static int take_sender(void *arg, const struct wtl_sql_row *row)
{
    const struct senders *senders = (const struct senders *)arg;
    const struct wtl_store_sender sender = {
        .cluster = wtl_sql_get_text(row, 0),
        .node = wtl_sql_get_text(row, 1),
        .version = wtl_sql_get_text(row, 2),
        .seen_ns = wtl_sql_get_whole(row, 3, 0),
        .backlog_records = wtl_sql_get_whole(row, 4, 0),
        .backlog_bytes = wtl_sql_get_whole(row, 5, 0),
        .oldest_ns = wtl_sql_get_whole(row, 6, 0),
        .refused = wtl_sql_get_whole(row, 7, 0),
        .damaged = wtl_sql_get_whole(row, 8, 0),
        .rejected = wtl_sql_get_whole(row, 9, 0),
    };
    return senders->take(senders->arg, &sender);
}

int wtl_store_senders(struct wtl_store *store,
                      wtl_store_take_sender_fn *take,
                      void *arg,
                      struct wattle_error *err)
{
    struct senders senders = {take, arg};
    const struct wtl_sql_statement statement = {
        .text = "SELECT cluster, node, version, seen_ns, backlog_records, backlog_bytes, "
                "oldest_ns, refused, "
                "damaged, rejected FROM sender ORDER BY cluster, node",
        .take = take_sender,
        .arg = &senders,
    };
    return store->database->engine->run(store->database, &statement, err);
}
