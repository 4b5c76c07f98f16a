/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of nodes between two times. Records that end between them count whole: from the sums of whole days, and from
 * the records of the rest. Of these, the ones that began before lose what they had used until then, and the ones that
 * end later add what they had used by then. Both are found by class of duration (column `span`): of a record that
 * overlaps a time and lasted at most N, the end is at most N later. Otherwise all records to this day would have to be
 * read, or one long job would make every search long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "jobs/database/schema.h"
#include "jobs/database/store_state.h"

struct search {
    const char *cluster;
    const char *const *nodes;
    size_t count;
    wtl_store_take_node_fn *take;
    void *arg;
};

/* The cluster is one parameter of all parts. */
static void filter(struct wtl_sql *sql, const struct search *search)
{
    if (!search->cluster || !*search->cluster)
        return;
    (void)fputs(" AND a.cluster = ", sql->out);
    if (sql->count == 0)
        wtl_sql_put(sql, wtl_sql_text(search->cluster));
    else
        (void)fputs("CAST($1 AS TEXT)", sql->out);
}

static void add_whole_rows(struct wtl_sql *sql,
                           const struct search *search,
                           int64_t from,
                           int64_t to)
{
    (void)fputs(" UNION ALL SELECT a.cluster, a.node, ", sql->out);
    wtl_schema_summands(sql->out, true, "a.");
    (void)fprintf(sql->out,
                  ", 0, 0.0 FROM job_node a WHERE a.step = '' AND a.at_ns >= %" PRId64
                  " AND a.at_ns < %" PRId64,
                  from, to);
    filter(sql, search);
}

static void add_whole(struct wtl_sql *sql, const struct search *search, int64_t from, int64_t to)
{
    int64_t first = from / WTL_DAY_NS + (from % WTL_DAY_NS > 0), end = to / WTL_DAY_NS;
    struct wtl_schema_days_list days = wtl_schema_days(first, end);
    for (size_t i = 0; i < days.count; i++) {
        (void)fprintf(sql->out,
                      " UNION ALL SELECT a.cluster, a.node, " WTL_SCHEMA_SUMS
                      ", 0, 0.0 FROM node_total a WHERE a.days = %" PRId64 " AND a.day >= %" PRId64
                      " AND a.day < %" PRId64,
                      days.parts[i].days, days.parts[i].first, days.parts[i].end);
        filter(sql, search);
    }
    if (first >= end) {
        add_whole_rows(sql, search, from, to);
        return;
    }
    if (from < first * WTL_DAY_NS)
        add_whole_rows(sql, search, from, first * WTL_DAY_NS);
    if (end * WTL_DAY_NS < to)
        add_whole_rows(sql, search, end * WTL_DAY_NS, to);
}

/* The energies of a record by kind, as far as they are in this part of its time; their interval is that of the whole record. */
static void put_kinds(struct wtl_sql *sql, const char *part, bool counted)
{
    static const char *const intervals[] = {WTL_SCHEMA_OPEN, WTL_SCHEMA_HALF_J,
                                            WTL_SCHEMA_SPREAD_J};
    static const char *const kinds[] = {WTL_SCHEMA_ESTIMATED_J, WTL_SCHEMA_ESTIMATED_LOW_J,
                                        WTL_SCHEMA_ESTIMATED_HIGH_J, WTL_SCHEMA_SIMULATED_J};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        (void)fputs(", ", sql->out);
        wtl_schema_put(sql->out, kinds[i], "a.");
        (void)fprintf(sql->out, " * %s", part);
    }
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        (void)fputs(", ", sql->out);
        wtl_schema_put(sql->out, counted ? "0" : intervals[i], "a.");
    }
}

/* Began before `from`, ended before `to`: counted whole already. */
static void add_early(struct wtl_sql *sql,
                      const struct search *search,
                      int span,
                      int64_t from,
                      int64_t to)
{
    int64_t longest = wtl_schema_span_ns(span);
    int64_t last = longest < to - from ? from + longest : to - 1;
    char before[100];
    (void)snprintf(before, sizeof before,
                   "(%" PRId64 " - a.begin_ns) / (a.end_ns - a.begin_ns) * -1", from);
    (void)fprintf(sql->out,
                  " UNION ALL SELECT a.cluster, a.node, 0, 0, 0, COALESCE(a.charged_j, 0) * %s, "
                  "0.0, 0.0, 0, 0, 0.0",
                  before);
    put_kinds(sql, before, true);
    (void)fprintf(
        sql->out,
        ", 1, COALESCE(a.charged_j, 0) * "
        "(a.end_ns - "
        "%" PRId64
        ") / (a.end_ns - a.begin_ns) FROM job_node a WHERE a.step = '' AND a.span = %d AND "
        "a.at_ns > %" PRId64 " AND a.at_ns <= %" PRId64 " AND a.begin_ns < %" PRId64
        " AND a.end_ns = a.at_ns",
        from, span, from, last, from);
    filter(sql, search);
}

/* Began before `to`, and ended at `to` or later: not counted yet. */
static void add_late(struct wtl_sql *sql,
                     const struct search *search,
                     int span,
                     int64_t from,
                     int64_t to)
{
    int64_t longest = wtl_schema_span_ns(span);
    int64_t last = longest < INT64_MAX - to ? to + longest : INT64_MAX;
    char within[200];
    (void)snprintf(within, sizeof within,
                   "(%" PRId64 " - CASE WHEN a.begin_ns > %" PRId64 " THEN a.begin_ns ELSE %" PRId64
                   " END) / (a.end_ns - a.begin_ns)",
                   to, from, from);
    (void)fprintf(
        sql->out,
        " UNION ALL SELECT a.cluster, a.node, 1, CASE WHEN a.charged_j IS NULL THEN 1 "
        "ELSE 0 END, CASE WHEN "
        "a.charged_j IS NOT NULL THEN a.lower_bound ELSE 0 END, COALESCE(a.charged_j, 0) * %s, "
        "0.0, 0.0, "
        "a.simulated, CASE WHEN a.quality = 'estimated' THEN 1 ELSE 0 END, 0.0",
        within);
    put_kinds(sql, within, false);
    (void)fprintf(sql->out,
                  ", 1, COALESCE(a.charged_j, 0) * %s FROM "
                  "job_node a WHERE a.step = '' AND a.span = %d AND a.at_ns >= %" PRId64
                  " AND a.at_ns <= %" PRId64 " AND a.begin_ns < %" PRId64 " AND a.end_ns = a.at_ns",
                  within, span, to, last, to);
    filter(sql, search);
}

static bool is_wanted(const struct search *search, const char *node)
{
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->nodes[i], node) == 0)
            return true;
    return search->count == 0;
}

static int take_node(void *arg, const struct wtl_sql_row *sql)
{
    const struct search *search = (const struct search *)arg;
    struct wtl_node_row row = {
        .cluster = wtl_sql_get_text(sql, 0),
        .node = wtl_sql_get_text(sql, 1),
        .records = wtl_sql_get_whole(sql, 2, 0),
        .records_unknown = wtl_sql_get_whole(sql, 3, 0),
        .records_lower = wtl_sql_get_whole(sql, 4, 0),
        .charged_j = wtl_sql_get_real(sql, 5),
        .simulated = wtl_sql_get_whole(sql, 6, 0) != 0,
        .estimated = wtl_sql_get_whole(sql, 7, 0) != 0,
        .records_cut = wtl_sql_get_whole(sql, 8, 0),
        .cut_j = wtl_sql_get_real(sql, 9),
        .kinds = {wtl_sql_get_real(sql, 10), wtl_sql_get_real(sql, 11), wtl_sql_get_real(sql, 12),
                  wtl_sql_get_real(sql, 13), wtl_sql_get_real(sql, 15), wtl_sql_get_real(sql, 16),
                  wtl_sql_get_whole(sql, 14, 0)},
    };
    if (row.records_unknown >= row.records)
        row.charged_j = NAN;
    return row.records > 0 && is_wanted(search, row.node) ? search->take(search->arg, &row) : 0;
}

int wtl_store_nodes_energy(struct wtl_store *store,
                           const char *cluster,
                           const char *const *nodes,
                           size_t count,
                           int64_t from_ns,
                           int64_t to_ns,
                           wtl_store_take_node_fn *take,
                           void *arg,
                           struct wattle_error *err)
{
    struct search search = {cluster, nodes, count, take, arg};
    struct wtl_sql sql;
    if (!store->sees_all)
        return wtl_fail(err, -EACCES,
                        "the energy of nodes is for members of wattle_admin, since it contains the "
                        "jobs of all users");
    if (from_ns < 0 || to_ns <= from_ns)
        return wtl_fail(err, -EINVAL, "the time must end after it begins");
    int rc = wtl_sql_start(&sql, err);
    if (rc < 0)
        return rc;
    (void)fputs(
        "SELECT cluster, node, SUM(jobs), SUM(jobs_unknown), SUM(jobs_lower), "
        "SUM(charged_j), SUM(simulated), SUM(estimated), "
        "SUM(cut), SUM(cut_j), SUM(estimated_j), SUM(estimated_low_j), "
        "SUM(estimated_high_j), SUM(simulated_j), SUM(jobs_open), SUM(half_j), SUM(spread_j) FROM "
        "(SELECT cluster, node, " WTL_SCHEMA_SUMS
        ", 0 AS cut, 0.0 AS cut_j FROM node_total WHERE 1 = 0",
        sql.out);
    add_whole(&sql, &search, from_ns, to_ns);
    for (int span = 0; wtl_schema_span_ns(span) > 0; span++) {
        add_early(&sql, &search, span, from_ns, to_ns);
        add_late(&sql, &search, span, from_ns, to_ns);
    }
    (void)fputs(") t GROUP BY cluster, node ORDER BY cluster, node", sql.out);
    return wtl_sql_finish(&sql, store, take_node, &search, NULL, err);
}
