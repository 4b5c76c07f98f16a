/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs and their records from the database; see store.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
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
                "a.unattributed_j, a.simulated, a.gpu_j, a.charged_low_j, a.charged_high_j, "
                "a.estimated, a.more_nodes, a.slurm_state, a.estimated_j, "
                "a.estimated_low_j, a.estimated_high_j, a.simulated_j, a.nodes_open, "
                "a.half_j, a.spread_j, a.spread_squares";

double wtl_job_half_j(double half_j, double spread_j, double spread_squares)
{
    /* Errors that are evenly distributed between their bounds: two standard deviations of their sum, which never exceeds the sum of the bounds. */
    return half_j - spread_j + fmin(spread_j, 2 / sqrt(3) * sqrt(spread_squares));
}

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
        .charged_low_j = wtl_sql_get_real(row, 38),
        .charged_high_j = wtl_sql_get_real(row, 39),
        .estimated = wtl_sql_get_whole(row, 40, 0) != 0,
        .slurm_state = wtl_sql_get_text(row, 42),
        .kinds = {wtl_sql_get_real(row, 43), wtl_sql_get_real(row, 44), wtl_sql_get_real(row, 45),
                  wtl_sql_get_real(row, 46),
                  wtl_job_half_j(wtl_sql_get_real(row, 48), wtl_sql_get_real(row, 49),
                                 wtl_sql_get_real(row, 50)),
                  wtl_sql_get_real(row, 49), wtl_sql_get_whole(row, 47, 0)},
    };
    job.nodes_seen += wtl_sql_get_whole(row, 41, 0);
    job.nodes_known += job.nodes_known > 0 ? wtl_sql_get_whole(row, 41, 0) : 0;
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

/* Where jobs are counted: a table of sums, of times of so many days. */
struct counts {
    const char *table;
    int64_t days;
    struct wtl_query_columns columns; /* if given */
};

/* Of a node, name and partition are not counted: there may be fewer. */
static struct counts counts_of(const struct wtl_store *store, const struct wtl_job_query *query)
{
    const struct wtl_sums_needs needs = {given(query->user), given(query->account),
                                         given(query->partition), given(query->name)};
    if (!given(query->node))
        return (struct counts){wtl_sql_sums(store, needs), 1, {.partition = true, .name = true}};
    if (store->sees_all && !needs.user && !needs.account)
        return (struct counts){"node_total", 1, {.partition = false}};
    return (struct counts){"node_user_total", WTL_SCHEMA_NODE_USER_DAYS, {.partition = false}};
}

/* How many jobs there are in the times of these sums that a query touches. */
static int count_jobs(struct wtl_store *store,
                      const struct wtl_job_query *query,
                      int64_t *ret_count,
                      struct wattle_error *err)
{
    const struct counts counts = counts_of(store, query);
    int64_t length = counts.days * WTL_DAY_NS;
    int64_t first = query->from_ns / length * counts.days;
    int64_t end =
        query->to_ns > 0 ? (query->to_ns / length + 1) * counts.days : WTL_SCHEMA_DAY_LAST;
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
                      counts.table, days.parts[i].days, days.parts[i].first, days.parts[i].end);
        wtl_sql_filter(&sql, query, &counts.columns);
        if (given(query->node)) {
            (void)fputs(" AND a.node = ", sql.out);
            wtl_sql_put(&sql, wtl_sql_text(query->node));
        }
        rc = wtl_sql_finish(&sql, store, add_number, ret_count, NULL, err);
    }
    return rc;
}

/*
 * Two ways to the jobs with the largest energy: walk down the index of energies until enough of them are in the query,
 * or sort all that are. The engines do not know which is shorter; the sums do, if the jobs of the query are as large as
 * others. Where they are not (a node for tests), the walk ends at some energy, and what is below it is sorted.
 */
struct walk {
    bool whole;       /* to the end, if need be */
    double down_to_j; /* or to there; NaN = no walk */
};

static int take_energy(void *arg, const struct wtl_sql_row *row)
{
    *(double *)arg = wtl_sql_get_real(row, 0);
    return 0;
}

/* The energy of the `steps`-th job of a walk; NaN: there are not as many. */
static int find_energy(struct wtl_store *store,
                       const struct wtl_job_query *walked,
                       int64_t steps,
                       double *ret_energy_j,
                       struct wattle_error *err)
{
    const struct wtl_query_columns columns = {.by = WTL_BY_ENERGY};
    struct wtl_sql sql;
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    *ret_energy_j = NAN;
    (void)fputs("SELECT a.charged_j FROM job a WHERE a.charged_j IS NOT NULL", sql.out);
    wtl_sql_filter(&sql, walked, &columns);
    (void)fputs(" ORDER BY a.charged_j DESC LIMIT 1 OFFSET ", sql.out);
    wtl_sql_put(&sql, wtl_sql_whole(steps));
    return wtl_sql_finish(&sql, store, take_energy, ret_energy_j, NULL, err);
}

static int find_walk(struct wtl_store *store,
                     const struct wtl_job_query *query,
                     int64_t matching,
                     struct walk *ret_walk,
                     struct wattle_error *err)
{
    const struct wtl_job_query walked = {.user = query->user,
                                         .account = given(query->user) ? NULL : query->account};
    int64_t all = 0;
    *ret_walk = (struct walk){false, NAN};
    if (query->limit == 0 || matching <= 0)
        return 0;
    int rc = count_jobs(store, &walked, &all, err);
    double expected = (double)query->limit * (double)all / (double)matching;
    if (rc < 0 || expected >= (double)matching)
        return rc;
    ret_walk->whole = all <= matching;
    if (ret_walk->whole)
        return 0;
    int64_t steps = (int64_t)fmin(4 * expected + 1000, (double)matching);
    rc = find_energy(store, &walked, steps, &ret_walk->down_to_j, err);
    ret_walk->whole = isnan(ret_walk->down_to_j);
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
    *ret_by = store->own_user[0] ? WTL_BY_USER : WTL_BY_OTHER;
    if (store->own_user[0]) /* it does not see how many jobs the others have */
        return 0;
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

/* A statement under construction: which jobs, and in which order. */
struct some {
    const struct wtl_job_query *query;
    enum order order;
    enum wtl_query_by by;
    double border_j; /* by the index: down to it; sorted: below it; NaN = all */
};

/* "+" keeps the engine from using an index for it. */
static void put_order(struct wtl_sql *sql, const struct some *some, const char *at)
{
    enum order order = some->order;
    if (order != NEWEST)
        (void)fprintf(sql->out, " AND a.charged_j IS %s", order == UNKNOWN ? "NULL" : "NOT NULL");
    if (!isnan(some->border_j)) {
        (void)fputs(order == BY_INDEX ? " AND a.charged_j >= " : " AND +a.charged_j < ", sql->out);
        wtl_sql_put(sql, wtl_sql_real(some->border_j));
    }
    (void)fputs(" ORDER BY ", sql->out);
    if (order == BY_INDEX)
        (void)fputs("a.charged_j DESC", sql->out);
    else
        (void)fprintf(sql->out, "%s%s DESC", order == SORTED ? "+a.charged_j DESC, +" : "", at);
}

static int select_some(struct wtl_store *store,
                       const struct some *some,
                       struct jobs *jobs,
                       struct wattle_error *err)
{
    const struct wtl_job_query *query = some->query;
    bool walk = some->order == BY_INDEX;
    struct wtl_query_columns columns = all_columns;
    struct wtl_sql sql;
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    (void)fputs(select_jobs, sql.out);
    /* What is sorted is only the keys: the rest of a row is looked up for those that are left. */
    bool keys = some->order == SORTED && query->limit > 0;
    if (keys)
        (void)fputs(" FROM job a WHERE (a.unit, a.cluster) IN (SELECT a.unit, a.cluster", sql.out);
    const char *at = "a.at_ns";
    if (walk)
        wtl_sql_walk_jobs(&sql, query);
    else
        at = wtl_sql_from_jobs(&sql, query);
    columns.by = walk ? WTL_BY_ENERGY : some->by;
    wtl_sql_filter(&sql, query, &columns);
    if (!walk)
        wtl_sql_between(&sql, at, query->from_ns, query->to_ns);
    put_order(&sql, some, at);
    if (query->limit > 0) {
        (void)fputs(" LIMIT ", sql.out);
        wtl_sql_put(&sql, wtl_sql_whole((int64_t)(query->limit - jobs->count)));
    }
    if (keys)
        (void)fputs(") ORDER BY a.charged_j DESC, a.at_ns DESC", sql.out);
    return wtl_sql_finish(&sql, store, take_job, jobs, NULL, err);
}

static bool wants_more(const struct wtl_job_query *query, const struct jobs *jobs)
{
    return query->limit == 0 || jobs->count < query->limit;
}

static int select_by_energy(struct wtl_store *store,
                            const struct wtl_job_query *query,
                            const struct walk *walk,
                            enum wtl_query_by by,
                            struct jobs *jobs,
                            struct wattle_error *err)
{
    struct some some = {query, BY_INDEX, by, walk->down_to_j};
    int rc = 0;
    if (walk->whole || !isnan(walk->down_to_j))
        rc = select_some(store, &some, jobs, err);
    some.order = SORTED;
    if (rc == 0 && !walk->whole && wants_more(query, jobs))
        rc = select_some(store, &some, jobs, err);
    some.order = UNKNOWN;
    some.border_j = NAN;
    if (rc == 0 && wants_more(query, jobs))
        rc = select_some(store, &some, jobs, err);
    return rc;
}

/* How the jobs of a query that names none are found; *ret_none: there are none. */
static int find_way(struct wtl_store *store,
                    const struct wtl_job_query *query,
                    struct walk *ret_walk,
                    enum wtl_query_by *ret_by,
                    bool *ret_none,
                    struct wattle_error *err)
{
    bool on_node = given(query->node);
    int64_t count = 0;
    *ret_by = WTL_BY_OTHER;
    if (on_node && !query->by_energy)
        return 0;
    int rc = count_jobs(store, query, &count, err);
    /* A record on a node may lack the user or the account of its job. */
    *ret_none = count <= 0 && !on_node;
    if (rc == 0 && query->by_energy)
        rc = find_walk(store, query, count, ret_walk, err);
    return rc < 0 || on_node || *ret_none || ret_walk->whole
               ? rc
               : find_rarest(store, query, ret_by, err);
}

int wtl_store_jobs(struct wtl_store *store,
                   const struct wtl_job_query *query,
                   wtl_store_take_job_fn *take,
                   void *arg,
                   struct wattle_error *err)
{
    const struct wtl_job_query own = wtl_store_own(store, query);
    query = &own;
    struct jobs jobs = {take, arg, 0};
    struct some newest = {query, NEWEST, WTL_BY_ANY, NAN};
    struct walk walk = {false, NAN};
    bool none = false;
    int rc = 0;
    if (!given(query->job_id) && !given(query->unit))
        rc = find_way(store, query, &walk, &newest.by, &none, err);
    if (rc < 0 || none)
        return rc;
    return query->by_energy ? select_by_energy(store, query, &walk, newest.by, &jobs, err)
                            : select_some(store, &newest, &jobs, err);
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
