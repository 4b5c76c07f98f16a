/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs and their records from the database; see store.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"
#include "jobs/field.h"

static const struct wtl_query_columns all_columns = {true, true, true, WTL_BY_ANY};

/* The columns of struct wtl_job_row, in the order of take_job(). */
#define OF_LARGEST(column)                                                                      \
    "(SELECT r." column " FROM job_node r WHERE r.unit = a.unit AND r.cluster = a.cluster AND " \
    "r.step = '' AND r.max_rss_bytes = a.max_rss_bytes ORDER BY r.node LIMIT 1)"
static const char select_jobs[] =
    "SELECT a.cluster, a.unit, a.job_id, a.user_name, a.account, a.partition_name, a.name, a.rule, "
    "a.quality, "
    "a.trace, a.problem, a.raw_job_id, a.uid, a.kind, a.state, a.submit_ns, a.begin_ns, a.end_ns, "
    "a.elapsed_ns, "
    "a.exit_status, a.exit_signal, a.nodes, a.nodes_seen, a.nodes_known, a.nodes_lower, a.cpus, "
    "a.cpu_s, "
    "a.max_rss_bytes, " OF_LARGEST("max_rss_task") ", " OF_LARGEST(
        "node") ", a.energy_j, a.resolution_j, a.unknown_s, a.charged_j, a.idle_j, "
                "a.unattributed_j, a.simulated, a.gpu_j";

struct jobs {
    wtl_store_take_job_fn *take;
    void *arg;
    size_t count;
};

static enum wtl_job_kind kind_of(const char *word)
{
    for (int i = 0; i < WTL_JOB_KINDS; i++)
        if (strcmp(word, wtl_job_kind_word((enum wtl_job_kind)i)) == 0)
            return (enum wtl_job_kind)i;
    return WTL_JOB_NODE;
}

static enum wtl_job_state state_of(const char *word)
{
    for (int i = 0; i < WTL_JOB_STATES; i++)
        if (strcmp(word, wtl_job_state_word((enum wtl_job_state)i)) == 0)
            return (enum wtl_job_state)i;
    return WTL_JOB_UNKNOWN;
}

static int take_job(void *arg, const struct wtl_sql_row *row)
{
    struct jobs *jobs = (struct jobs *)arg;
    struct wtl_job_row job = {
        .cluster = wtl_sql_get_text(row, 0),
        .unit = wtl_sql_get_text(row, 1),
        .job_id = wtl_sql_get_text(row, 2),
        .user = wtl_sql_get_text(row, 3),
        .account = wtl_sql_get_text(row, 4),
        .partition = wtl_sql_get_text(row, 5),
        .name = wtl_sql_get_text(row, 6),
        .rule = wtl_sql_get_text(row, 7),
        .quality = wtl_sql_get_text(row, 8),
        .trace = wtl_sql_get_text(row, 9),
        .problem = wtl_sql_get_text(row, 10),
        .raw_job_id = (uint64_t)wtl_sql_get_whole(row, 11, 0),
        .uid = wtl_sql_get_whole(row, 12, -1),
        .kind = kind_of(wtl_sql_get_text(row, 13)),
        .state = state_of(wtl_sql_get_text(row, 14)),
        .submit_ns = wtl_sql_get_whole(row, 15, 0),
        .begin_ns = wtl_sql_get_whole(row, 16, 0),
        .end_ns = wtl_sql_get_whole(row, 17, 0),
        .elapsed_ns = wtl_sql_get_whole(row, 18, -1),
        .exit_status = wtl_sql_get_whole(row, 19, -1),
        .exit_signal = wtl_sql_get_whole(row, 20, -1),
        .nodes = wtl_sql_get_whole(row, 21, 0),
        .nodes_seen = wtl_sql_get_whole(row, 22, 0),
        .nodes_known = wtl_sql_get_whole(row, 23, 0),
        .lower_bound = wtl_sql_get_whole(row, 24, 0) > 0,
        .cpus = wtl_sql_get_whole(row, 25, 0),
        .cpu_s = wtl_sql_get_real(row, 26),
        .max_rss_bytes = wtl_sql_get_whole(row, 27, -1),
        .max_rss_task = wtl_sql_get_whole(row, 28, -1),
        .max_rss_node = wtl_sql_get_text(row, 29),
        .energy_j = wtl_sql_get_real(row, 30),
        .resolution_j = wtl_sql_get_real(row, 31),
        .unknown_s = wtl_sql_get_real(row, 32),
        .charged_j = wtl_sql_get_real(row, 33),
        .idle_j = wtl_sql_get_real(row, 34),
        .unattributed_j = wtl_sql_get_real(row, 35),
        .simulated = wtl_sql_get_whole(row, 36, 0) != 0,
        .gpu_j = wtl_sql_get_real(row, 37),
    };
    job.lower_bound |= job.nodes_known < job.nodes_seen || job.nodes_seen < job.nodes;
    jobs->count++;
    return jobs->take(jobs->arg, &job);
}

static int add_number(void *arg, const struct wtl_sql_row *row)
{
    *(int64_t *)arg += wtl_sql_get_whole(row, 0, 0);
    return 0;
}

static bool given(const char *text)
{
    return text && *text;
}

/* How many jobs there are in the whole days that a query touches. */
static int count_jobs(struct wtl_store *store,
                      const struct wtl_job_query *query,
                      int64_t *ret_count,
                      struct wattle_error *err)
{
    const struct wtl_query_columns columns = {.partition = true, .name = true}; /* if given */
    const struct wtl_sums_needs needs = {given(query->user), given(query->account),
                                         given(query->partition), given(query->name)};
    int64_t first = query->from_ns / WTL_DAY_NS;
    int64_t end = query->to_ns > 0 ? query->to_ns / WTL_DAY_NS + 1 : WTL_SCHEMA_DAY_LAST;
    struct wtl_schema_days_list days = wtl_schema_days(first, end);
    int rc = 0;
    *ret_count = 0;
    for (size_t i = 0; rc == 0 && i < days.count; i++) {
        struct wtl_sql sql;
        rc = wtl_sql_start(&sql, err);
        if (rc < 0)
            return rc;
        (void)fprintf(sql.out,
                      "SELECT SUM(a.jobs) FROM %s a WHERE a.days = %" PRId64
                      " AND a.day >= %" PRId64 " AND a.day < %" PRId64,
                      wtl_sql_sums(store, needs), days.parts[i].days, days.parts[i].first,
                      days.parts[i].end);
        wtl_sql_filter(&sql, query, &columns);
        rc = wtl_sql_finish(&sql, store, add_number, ret_count, NULL, err);
    }
    return rc;
}

/*
 * Two ways to the jobs with the largest energy: walk down the index of energies until enough of them are in the query,
 * or sort all that are. The engines do not know which is shorter; the sums per day do.
 */
static int by_energy_index(struct wtl_store *store,
                           const struct wtl_job_query *query,
                           int64_t matching,
                           bool *ret_index,
                           struct wattle_error *err)
{
    const struct wtl_job_query walked = {.user = query->user,
                                         .account = given(query->user) ? NULL : query->account};
    int64_t walk = 0;
    *ret_index = false;
    if (query->limit == 0)
        return 0;
    int rc = count_jobs(store, &walked, &walk, err);
    *ret_index = (double)query->limit * (double)walk / (double)matching < (double)matching;
    return rc;
}

/* The one condition of a query that the fewest jobs fulfil, if there are several with an index. */
static int find_rarest(struct wtl_store *store,
                       const struct wtl_job_query *query,
                       enum wtl_query_by *ret_by,
                       struct wattle_error *err)
{
    const struct wtl_job_query alone[] = {
        [WTL_BY_USER] = {.user = query->user},
        [WTL_BY_ACCOUNT] = {.account = query->account},
        [WTL_BY_PARTITION] = {.partition = query->partition},
        [WTL_BY_NAME] = {.name = query->name},
        [WTL_BY_KIND] = {.kind = query->kind == WTL_JOB_SLURM + 1 ? 0 : query->kind},
        [WTL_BY_STATE] = {.state = query->state == WTL_JOB_ENDED + 1 ? 0 : query->state},
    };
    int64_t fewest = INT64_MAX, count;
    int rc = 0;
    *ret_by = WTL_BY_OTHER;
    for (int by = WTL_BY_USER; rc == 0 && by < WTL_BY_OTHER; by++) {
        struct wtl_job_query one = alone[by];
        if (!given(one.user) && !given(one.account) && !given(one.partition) && !given(one.name) &&
            one.kind == 0 && one.state == 0)
            continue;
        one.from_ns = query->from_ns;
        one.to_ns = query->to_ns;
        rc = count_jobs(store, &one, &count, err);
        if (rc == 0 && count < fewest) {
            fewest = count;
            *ret_by = (enum wtl_query_by)by;
        }
    }
    return rc;
}

enum order { NEWEST, BY_INDEX, SORTED, UNKNOWN };

/* "+" keeps the engine from using an index for it. */
static void put_order(struct wtl_sql *sql, enum order order, const char *at)
{
    if (order != NEWEST)
        (void)fprintf(sql->out, " AND a.charged_j IS %s", order == UNKNOWN ? "NULL" : "NOT NULL");
    (void)fputs(" ORDER BY ", sql->out);
    if (order == BY_INDEX)
        (void)fputs("a.charged_j DESC", sql->out);
    else
        (void)fprintf(sql->out, "%s%s DESC", order == SORTED ? "+a.charged_j DESC, +" : "", at);
}

static int select_some(struct wtl_store *store,
                       const struct wtl_job_query *query,
                       enum order order,
                       enum wtl_query_by by,
                       struct jobs *jobs,
                       struct wattle_error *err)
{
    struct wtl_query_columns columns = all_columns;
    struct wtl_sql sql;
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    (void)fputs(select_jobs, sql.out);
    /* What is sorted is only the keys: the rest of a row is looked up for those that are left. */
    bool keys = order == SORTED && query->limit > 0;
    if (keys)
        (void)fputs(" FROM job a WHERE (a.unit, a.cluster) IN (SELECT a.unit, a.cluster", sql.out);
    const char *at = wtl_sql_from_jobs(&sql, query);
    columns.by = order == BY_INDEX ? WTL_BY_ENERGY : by;
    wtl_sql_filter(&sql, query, &columns);
    wtl_sql_between(&sql, order == BY_INDEX ? "+a.at_ns" : at, query->from_ns, query->to_ns);
    put_order(&sql, order, at);
    if (query->limit > 0) {
        (void)fputs(" LIMIT ", sql.out);
        wtl_sql_put(&sql, wtl_sql_whole((int64_t)(query->limit - jobs->count)));
    }
    if (keys)
        (void)fputs(") ORDER BY a.charged_j DESC, a.at_ns DESC", sql.out);
    return wtl_sql_finish(&sql, store, take_job, jobs, NULL, err);
}

static int select_jobs_of(struct wtl_store *store,
                          const struct wtl_job_query *query,
                          bool by_index,
                          enum wtl_query_by by,
                          struct jobs *jobs,
                          struct wattle_error *err)
{
    if (!query->by_energy)
        return select_some(store, query, NEWEST, by, jobs, err);
    int rc = select_some(store, query, by_index ? BY_INDEX : SORTED, by, jobs, err);
    if (rc == 0 && (query->limit == 0 || jobs->count < query->limit))
        rc = select_some(store, query, UNKNOWN, by, jobs, err);
    return rc;
}

int wtl_store_jobs(struct wtl_store *store,
                   const struct wtl_job_query *query,
                   wtl_store_take_job_fn *take,
                   void *arg,
                   struct wattle_error *err)
{
    struct jobs jobs = {take, arg, 0};
    enum wtl_query_by by = WTL_BY_ANY;
    bool by_index = false;
    int64_t matching = 0;
    int rc;
    if (given(query->job_id) || given(query->unit))
        return select_jobs_of(store, query, false, WTL_BY_ANY, &jobs, err);
    if (given(query->node))
        return select_jobs_of(store, query, false, WTL_BY_OTHER, &jobs, err);
    rc = count_jobs(store, query, &matching, err);
    if (rc < 0 || matching <= 0)
        return rc;
    rc = query->by_energy ? by_energy_index(store, query, matching, &by_index, err) : 0;
    rc = rc < 0 || by_index ? rc : find_rarest(store, query, &by, err);
    return rc < 0 ? rc : select_jobs_of(store, query, by_index, by, &jobs, err);
}

struct records {
    wtl_store_take_record_fn *take;
    void *arg;
    struct wattle_error *err;
};

static void take_field(const struct wtl_job_field *field,
                       const struct wtl_sql_row *row,
                       int column,
                       struct wtl_job_record *record)
{
    const char *text;
    switch (field->form) {
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
        (void)wtl_job_text_set((char *)record + field->offset, field->size,
                               wtl_sql_get_text(row, column));
        return;
    case WTL_JOB_WORD:
        text = wtl_sql_get_text(row, column);
        for (int i = 0; field->words[i]; i++)
            if (strcmp(field->words[i], text) == 0)
                wtl_job_set_whole(field, record, i);
        return;
    case WTL_JOB_REAL:
        wtl_job_set_real(field, record, wtl_sql_get_real(row, column));
        return;
    case WTL_JOB_WHOLE:
    case WTL_JOB_FLAG:
        break;
    }
    wtl_job_set_whole(field, record, wtl_sql_get_whole(row, column, field->unknown));
}

static int take_record(void *arg, const struct wtl_sql_row *row)
{
    struct records *records = (struct records *)arg;
    struct wtl_job_record record;
    int n = (int)wtl_job_record_fields.count;
    wtl_job_record_init(&record);
    for (int i = 0; i < n; i++)
        take_field(&wtl_job_record_fields.list[i], row, i, &record);
    const char *channels = wtl_sql_get_text(row, n);
    int rc = wtl_job_channels_parse(channels, strlen(channels), &record, records->err);
    if (rc == 0)
        rc = records->take(records->arg, &record);
    wtl_job_record_fini(&record);
    return rc;
}

int wtl_store_records(struct wtl_store *store,
                      const struct wtl_job_query *query,
                      wtl_store_take_record_fn *take,
                      void *arg,
                      struct wattle_error *err)
{
    const struct wtl_query_columns ids = {.ids = true};
    const struct wtl_job_query of_unit = {.cluster = query->cluster, .unit = query->unit};
    struct records records = {take, arg, err};
    bool unit = query->unit && *query->unit;
    struct wtl_sql sql;
    if (!unit && !(query->job_id && *query->job_id))
        return wtl_fail(err, -EINVAL, "the records of which job?");
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < wtl_job_record_fields.count; i++)
        (void)fprintf(sql.out, "%s r.%s", i ? "," : "SELECT", wtl_job_record_fields.list[i].column);
    (void)fputs(
        ", r.channels FROM job_node r WHERE (r.unit, r.cluster) IN (SELECT a.unit, a.cluster FROM ",
        sql.out);
    /* A job of which only steps are known has no row. */
    (void)fputs(unit ? "job_node a WHERE 1 = 1" : "job a WHERE 1 = 1", sql.out);
    wtl_sql_filter(&sql, unit ? &of_unit : query, &ids);
    (void)fputs(") ORDER BY r.cluster, r.unit, r.step, r.node, r.boot_id", sql.out);
    return wtl_sql_finish(&sql, store, take_record, &records, NULL, err);
}
