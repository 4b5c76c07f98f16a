/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over jobs. Whole days come from the tables of sums; what is left at both ends of the time, less than a day
 * each, from the jobs themselves. See store.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

static const char *const keys[WTL_STORE_GROUPS] = {
    [WTL_GROUP_USER] = "a.user_name",
    [WTL_GROUP_ACCOUNT] = "a.account",
    [WTL_GROUP_PROGRAM] = "a.name",
    [WTL_GROUP_PARTITION] = "a.partition_name",
    [WTL_GROUP_CLUSTER] = "a.cluster",
    [WTL_GROUP_NODE] = "a.node",
    [WTL_GROUP_ALL] = "''",
};

static bool is_time(enum wtl_store_group group)
{
    return group == WTL_GROUP_DAY || group == WTL_GROUP_WEEK || group == WTL_GROUP_MONTH;
}

static bool given(const char *text)
{
    return text && *text;
}

/* Where the rows of a query come from. */
struct sources {
    const char *sums; /* the table of sums; NULL = none has what the query asks for */
    int64_t days;     /* its shortest time */
    bool of_records;  /* what jobs are charged on nodes; else whole jobs */
    bool by_jobs;     /* the records are found by their jobs */
};

static struct wtl_sums_needs needs_of(const struct wtl_job_query *query, enum wtl_store_group group)
{
    return (struct wtl_sums_needs){
        .user = given(query->user) || group == WTL_GROUP_USER,
        .account = given(query->account) || group == WTL_GROUP_ACCOUNT,
        .partition = given(query->partition) || group == WTL_GROUP_PARTITION,
        .name = given(query->name) || group == WTL_GROUP_PROGRAM,
    };
}

static struct sources sources_of(const struct wtl_store *store,
                                 const struct wtl_job_query *query,
                                 enum wtl_store_group group)
{
    struct wtl_sums_needs needs = needs_of(query, group);
    bool known = given(query->user) || given(query->node); /* there are indexes for these */
    bool more = needs.partition || needs.name;
    if (group != WTL_GROUP_NODE && !given(query->node))
        return (struct sources){wtl_sql_sums(store, needs), 1, false, false};
    if (store->sees_all && !needs.user && !needs.account && !more)
        return (struct sources){"node_total", 1, true, false};
    if (known && !more && !is_time(group))
        return (struct sources){"node_user_total", WTL_SCHEMA_NODE_USER_DAYS, true, false};
    return (struct sources){NULL, 1, true, !known};
}

struct part {
    const struct wtl_job_query *query;
    enum wtl_store_group group;
    struct sources sources;
    size_t count;
};

static void start_part(struct wtl_sql *sql, struct part *part, const char *day)
{
    (void)fprintf(sql->out, "%sSELECT %s AS k, ", part->count++ ? " UNION ALL " : "",
                  is_time(part->group) ? day : keys[part->group]);
}

static const struct wtl_query_columns all_columns = {.partition = true,
                                                     .name = true}; /* if given */

/* There is no index of records for these conditions. */
static void put_jobs(struct wtl_sql *sql, const struct part *part, int64_t from_ns)
{
    (void)fputs(" AND (a.unit, a.cluster) IN (SELECT a.unit, a.cluster FROM job a WHERE 1 = 1",
                sql->out);
    wtl_sql_filter(sql, part->query, &all_columns);
    /* No record of a job is later than the job. From 0, too: in the order of time the jobs are beside each other. */
    (void)fprintf(sql->out, " AND a.at_ns >= %" PRId64 ")", from_ns);
}

static void put_node(struct wtl_sql *sql, const struct part *part)
{
    wtl_sql_filter(sql, part->query, &all_columns);
    if (!given(part->query->node))
        return;
    (void)fputs(" AND a.node = ", sql->out);
    wtl_sql_put(sql, wtl_sql_text(part->query->node));
}

static void add_days(struct wtl_sql *sql, struct part *part, const struct wtl_schema_days *days)
{
    start_part(sql, part, "a.day");
    (void)fprintf(sql->out,
                  WTL_SCHEMA_SUMS " FROM %s a WHERE a.days = %" PRId64 " AND a.day >= %" PRId64
                                  " AND a.day < %" PRId64,
                  part->sources.sums, days->days, days->first, days->end);
    put_node(sql, part);
}

static void add_records(struct wtl_sql *sql, struct part *part, int64_t from_ns, int64_t to_ns)
{
    bool by_jobs = part->sources.by_jobs;
    start_part(sql, part, "a.at_ns / " WTL_SQL_DAY_NS);
    wtl_schema_summands(sql->out, true, "a.");
    (void)fputs(" FROM job_node a WHERE a.step = ''", sql->out);
    put_node(sql, part);
    if (by_jobs)
        put_jobs(sql, part, from_ns);
    wtl_sql_between(sql, by_jobs ? "+a.at_ns" : "a.at_ns", from_ns, to_ns);
}

static void add_rows(struct wtl_sql *sql, struct part *part, int64_t from_ns, int64_t to_ns)
{
    if (part->sources.of_records) {
        add_records(sql, part, from_ns, to_ns);
        return;
    }
    start_part(sql, part, "a.at_ns / " WTL_SQL_DAY_NS);
    wtl_schema_summands(sql->out, false, "a.");
    const char *at = wtl_sql_from_jobs(sql, part->query);
    wtl_sql_filter(sql, part->query, &all_columns);
    wtl_sql_between(sql, at, from_ns, to_ns);
}

static void add_parts(struct wtl_sql *sql, struct part *part)
{
    int64_t from = part->query->from_ns, to = part->query->to_ns;
    int64_t days_of = part->sources.days, length = days_of * WTL_DAY_NS;
    int64_t first = (from / length + (from % length > 0)) * days_of;
    int64_t end = to > 0 ? to / length * days_of : WTL_SCHEMA_DAY_LAST;
    if (!part->sources.sums || first >= end) {
        add_rows(sql, part, from, to);
        return;
    }
    struct wtl_schema_days_list days = wtl_schema_days(first, end);
    if (is_time(part->group))
        days = (struct wtl_schema_days_list){{{1, first, end}}, 1};
    for (size_t i = 0; i < days.count; i++)
        add_days(sql, part, &days.parts[i]);
    if (from < first * WTL_DAY_NS)
        add_rows(sql, part, from, first * WTL_DAY_NS);
    if (to > 0 && end * WTL_DAY_NS < to)
        add_rows(sql, part, end * WTL_DAY_NS, to);
}

struct totals {
    wtl_store_take_total_fn *take;
    void *arg;
    enum wtl_store_group group;
    struct wtl_total_row row; /* of days, until the next week or month begins */
    char key[16];
};

/* The date of a day since 1970 (the algorithm of Howard Hinnant, civil_from_days). */
static void date_of(int64_t day, enum wtl_store_group group, char key[16])
{
    if (group == WTL_GROUP_WEEK)
        day -= (day + 3) % 7; /* 1970-01-01 was a Thursday */
    int64_t z = day + 719468, era = z / 146097, of_era = z - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), mp = (5 * of_year + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9;
    int64_t number = group == WTL_GROUP_MONTH ? 1 : of_year - (153 * mp + 2) / 5 + 1;
    year += era * 400 + (month <= 2);
    (void)snprintf(key, 16, "%04d-%02d-%02d", (int)(year % 10000), (int)(month % 100),
                   (int)(number % 100));
}

static int give(struct totals *totals)
{
    struct wtl_total_row row = totals->row;
    totals->row = (struct wtl_total_row){.key = NULL};
    if (row.jobs <= 0)
        return 0;
    if (row.jobs_unknown >= row.jobs)
        row.charged_j = NAN;
    return totals->take(totals->arg, &row);
}

static int take_total(void *arg, const struct wtl_sql_row *sql)
{
    struct totals *totals = (struct totals *)arg;
    char key[16] = "";
    bool time = is_time(totals->group);
    int rc = 0;
    if (time) {
        date_of(wtl_sql_get_whole(sql, 0, 0), totals->group, key);
        if (strcmp(key, totals->key) != 0)
            rc = give(totals);
        memcpy(totals->key, key, sizeof key);
    }
    struct wtl_total_row *row = &totals->row;
    row->key = time ? totals->key : wtl_sql_get_text(sql, 0);
    row->jobs += wtl_sql_get_whole(sql, 1, 0);
    row->jobs_unknown += wtl_sql_get_whole(sql, 2, 0);
    row->jobs_lower += wtl_sql_get_whole(sql, 3, 0);
    row->charged_j += wtl_sql_get_real(sql, 4);
    row->node_s += wtl_sql_get_real(sql, 5);
    row->cpu_s += wtl_sql_get_real(sql, 6);
    row->simulated |= wtl_sql_get_whole(sql, 7, 0) != 0;
    row->estimated |= wtl_sql_get_whole(sql, 8, 0) != 0;
    row->gpu_j += wtl_sql_get_real(sql, 9);
    row->kinds.estimated_j += wtl_sql_get_real(sql, 10);
    row->kinds.low_j += wtl_sql_get_real(sql, 11);
    row->kinds.high_j += wtl_sql_get_real(sql, 12);
    row->kinds.simulated_j += wtl_sql_get_real(sql, 13);
    row->kinds.open += wtl_sql_get_whole(sql, 14, 0);
    row->kinds.half_j += wtl_sql_get_real(sql, 15);
    row->kinds.spread_j += wtl_sql_get_real(sql, 16);
    return rc == 0 && !time ? give(totals) : rc;
}

int wtl_store_totals(struct wtl_store *store,
                     const struct wtl_job_query *query,
                     enum wtl_store_group group,
                     wtl_store_take_total_fn *take,
                     void *arg,
                     struct wattle_error *err)
{
    const struct wtl_job_query own = wtl_store_own(store, query);
    query = &own;
    struct part part = {query, group, sources_of(store, query, group), 0};
    struct totals totals = {.take = take, .arg = arg, .group = group};
    struct wtl_sql sql;
    if (given(query->unit) || given(query->job_id))
        return wtl_fail(err, -EINVAL, "sums are over jobs, not of one");
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    (void)fputs("SELECT k, SUM(jobs), SUM(jobs_unknown), SUM(jobs_lower), SUM(charged_j), "
                "SUM(node_s), SUM(cpu_s), "
                "SUM(simulated), SUM(estimated), SUM(gpu_j), SUM(estimated_j), "
                "SUM(estimated_low_j), SUM(estimated_high_j), SUM(simulated_j), SUM(jobs_open), "
                "SUM(half_j), SUM(spread_j) FROM (",
                sql.out);
    add_parts(&sql, &part);
    (void)fputs(") t GROUP BY k ORDER BY ", sql.out);
    (void)fputs(is_time(group) ? "1" : "5 DESC, 1", sql.out);
    if (query->limit > 0 && !is_time(group)) {
        (void)fputs(" LIMIT ", sql.out);
        wtl_sql_put(&sql, wtl_sql_whole((int64_t)query->limit));
    }
    rc = wtl_sql_finish(&sql, store, take_total, &totals, NULL, err);
    return rc == 0 && is_time(group) ? give(&totals) : rc;
}
