/* SPDX-License-Identifier: BSD-3-Clause */
/* SQL under construction, with the conditions of a query; see store_state.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/parse.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

int wtl_sql_start(struct wtl_sql *sql, struct wattle_error *err)
{
    *sql = (struct wtl_sql){.text = NULL};
    sql->out = open_memstream(&sql->text, &sql->size);
    return sql->out ? 0 : wtl_no_memory(err);
}

void wtl_sql_put(struct wtl_sql *sql, struct wtl_sql_value value)
{
    static const char *const types[] = {"TEXT", "BIGINT", "DOUBLE PRECISION", "TEXT"};
    if (sql->count >= WTL_SQL_VALUES)
        return; /* the statement is then malformed, and refused by the database */
    sql->values[sql->count++] = value;
    (void)fprintf(sql->out, "CAST($%zu AS %s)", sql->count, types[value.form]);
}

int wtl_sql_finish(struct wtl_sql *sql,
                   struct wtl_store *store,
                   wtl_sql_take_fn *take,
                   void *arg,
                   int64_t *ret_changed,
                   struct wattle_error *err)
{
    if (fclose(sql->out) != 0) {
        free(sql->text);
        return wtl_no_memory(err);
    }
    const struct wtl_sql_statement statement = {.text = sql->text,
                                                .values = sql->values,
                                                .count = sql->count,
                                                .take = take,
                                                .arg = arg,
                                                .ret_changed = ret_changed};
    int rc = store->database->engine->run(store->database, &statement, err);
    free(sql->text);
    return rc;
}

/* hidden: so that no engine uses an index for it. */
static void equals(struct wtl_sql *sql, const char *column, const char *text, bool hidden)
{
    if (!text || !*text)
        return;
    (void)fprintf(sql->out, hidden ? " AND a.%s || '' = " : " AND a.%s = ", column);
    wtl_sql_put(sql, wtl_sql_text(text));
}

/* As typed, or Slurm's number. */
static void put_id(struct wtl_sql *sql, const char *id)
{
    uint64_t number;
    if (!id || !*id)
        return;
    (void)fputs(" AND (a.job_id = ", sql->out);
    wtl_sql_put(sql, wtl_sql_text(id));
    if (wtl_parse_u64(id, &number) == 0 && number <= INT64_MAX) {
        (void)fputs(" OR a.raw_job_id = ", sql->out);
        wtl_sql_put(sql, wtl_sql_whole((int64_t)number));
    }
    (void)fputs(")", sql->out);
}

/* May the index of a condition be used? */
static bool hidden(const struct wtl_query_columns *columns, enum wtl_query_by condition)
{
    return columns->by != WTL_BY_ANY && columns->by != condition;
}

static void put_kind(struct wtl_sql *sql,
                     const struct wtl_job_query *query,
                     const struct wtl_query_columns *columns)
{
    if (query->kind <= 0)
        return;
    enum wtl_job_kind kind = (enum wtl_job_kind)(query->kind - 1);
    equals(sql, "kind", wtl_job_kind_word(kind), hidden(columns, WTL_BY_KIND));
    if (kind != WTL_JOB_SLURM)
        (void)fputs(" AND a." WTL_SCHEMA_SELDOM_KIND, sql->out);
}

static void put_state(struct wtl_sql *sql,
                      const struct wtl_job_query *query,
                      const struct wtl_query_columns *columns)
{
    if (query->state <= 0)
        return;
    enum wtl_job_state state = (enum wtl_job_state)(query->state - 1);
    equals(sql, "state", wtl_job_state_word(state), hidden(columns, WTL_BY_STATE));
    if (state != WTL_JOB_ENDED)
        (void)fputs(" AND a." WTL_SCHEMA_SELDOM_STATE, sql->out);
}

void wtl_sql_filter(struct wtl_sql *sql,
                    const struct wtl_job_query *query,
                    const struct wtl_query_columns *columns)
{
    bool energy = columns->by == WTL_BY_ENERGY, user = query->user && *query->user;
    equals(sql, "cluster", query->cluster, columns->by != WTL_BY_ANY);
    equals(sql, "user_name", query->user, !energy && hidden(columns, WTL_BY_USER));
    equals(sql, "account", query->account, energy ? user : hidden(columns, WTL_BY_ACCOUNT));
    if (columns->partition)
        equals(sql, "partition_name", query->partition, hidden(columns, WTL_BY_PARTITION));
    if (columns->name)
        equals(sql, "name", query->name, hidden(columns, WTL_BY_NAME));
    put_kind(sql, query, columns);
    put_state(sql, query, columns);
    if (columns->ids) {
        equals(sql, "unit", query->unit, false);
        put_id(sql, query->job_id);
    }
}

/*
 * The conditions of the records `n` of the query's node, and of their jobs `a`. A node has two records of a job after a crash:
 * the later one counts. Almost no job has one, and then nothing is looked up.
 */
static void put_node(struct wtl_sql *sql, const struct wtl_job_query *query)
{
    (void)fputs(
        "a.unit = n.unit AND a.cluster = n.cluster "
        "AND n.step = '' AND (a.records = a.nodes_seen OR NOT EXISTS (SELECT 1 FROM job_node m "
        "WHERE m.unit = n.unit AND "
        "m.cluster = n.cluster AND m.step = '' AND m.node = n.node AND m.boot_id <> n.boot_id AND "
        "(m.at_ns > n.at_ns OR (m.at_ns = n.at_ns AND m.boot_id > n.boot_id)))) AND n.node = ",
        sql->out);
    wtl_sql_put(sql, wtl_sql_text(query->node));
    if (query->user &&
        *query->user) { /* it is in the index; a job's is that of any of its records that has one */
        (void)fputs(" AND n.user_name IN ('', ", sql->out);
        wtl_sql_put(sql, wtl_sql_text(query->user));
        (void)fputs(")", sql->out);
    }
}

const char *wtl_sql_from_jobs(struct wtl_sql *sql, const struct wtl_job_query *query)
{
    if (!query->node || !*query->node) {
        (void)fputs(" FROM job a WHERE 1 = 1", sql->out);
        return "a.at_ns";
    }
    /* CROSS: SQLite then keeps this order. */
    (void)fputs(" FROM job_node n CROSS JOIN job a WHERE ", sql->out);
    put_node(sql, query);
    return "n.at_ns";
}

void wtl_sql_walk_jobs(struct wtl_sql *sql, const struct wtl_job_query *query)
{
    bool on_node = query->node && *query->node;
    (void)fprintf(sql->out, " FROM job a WHERE %s",
                  on_node ? "EXISTS (SELECT 1 FROM job_node n WHERE " : "1 = 1");
    if (on_node)
        put_node(sql, query);
    wtl_sql_between(sql, on_node ? "+n.at_ns" : "+a.at_ns", query->from_ns, query->to_ns);
    (void)fputs(on_node ? ")" : "", sql->out);
}

/* Only the first two have users, and so rows for who does not see all. */
const char *wtl_sql_sums(const struct wtl_store *store, struct wtl_sums_needs needs)
{
    bool own = needs.user || !store->sees_all;
    if (needs.name)
        return own || needs.account || needs.partition ? "program_total" : "name_total";
    if (own || (needs.account && needs.partition))
        return "user_total";
    return needs.account ? "account_total" : "site_total";
}

void wtl_sql_between(struct wtl_sql *sql, const char *at, int64_t from_ns, int64_t to_ns)
{
    if (from_ns > 0) {
        (void)fprintf(sql->out, " AND %s >= ", at);
        wtl_sql_put(sql, wtl_sql_whole(from_ns));
    }
    if (to_ns > 0) {
        (void)fprintf(sql->out, " AND %s < ", at);
        wtl_sql_put(sql, wtl_sql_whole(to_ns));
    }
}
