/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables as SQL; see schema.h. */
#include "jobs/database/schema.h"

#include <inttypes.h>
#include <string.h>

#include "jobs/database/schema_parts.h"
#include "jobs/record.h"
#include "jobs/store_access.h"

/* How the column of a job follows from its records. */
enum rule { SUM, MIN, MAX, SAME };

/* Energy of a node without a sensor: flagged in every sum that contains it. # as below. */
#define ESTIMATED "CASE WHEN #quality = 'estimated' AND #charged_j IS NOT NULL THEN 1 ELSE 0 END"

/* Nodes that a record is of, and its time on all of them. */
#define RECORD_NODES "COALESCE(#record_nodes, 1)"
#define NODE_S       "COALESCE(#elapsed_ns, #end_ns - #begin_ns, 0) * 1e-9 * " RECORD_NODES

/* A column of `job`: from an expression of `job_node`, where # stands for the prefix of its columns. */
static const struct column {
    const char *name, *type, *expression;
    enum rule rule;
} job_columns[] = {
    {"kind", "TEXT NOT NULL", "#kind", MAX},
    {"job_id", "TEXT NOT NULL", "#job_id", MAX},
    {"raw_job_id", "BIGINT", "#raw_job_id", MAX},
    {"user_name", "TEXT NOT NULL", "#user_name", MAX},
    {"uid", "BIGINT", "#uid", MAX},
    {"account", "TEXT NOT NULL", "#account", MAX},
    {"partition_name", "TEXT NOT NULL", "#partition_name", MAX},
    {"name", "TEXT NOT NULL", "#name", MAX},
    {"submit_ns", "BIGINT", "#submit_ns", MIN},
    {"begin_ns", "BIGINT", "#begin_ns", MIN},
    {"end_ns", "BIGINT", "#end_ns", MAX},
    {"elapsed_ns", "BIGINT", "#elapsed_ns", MAX},
    {"at_ns", "BIGINT NOT NULL", "#at_ns", MAX},
    {"state", "TEXT NOT NULL", "#state", MIN}, /* "cut" before "ended" before "unknown" */
    {"exit_status", "BIGINT", "#exit_status", MAX},
    {"exit_signal", "BIGINT", "#exit_signal", MAX},
    {"slurm_state", "TEXT NOT NULL", "#slurm_state", MAX},
    {"problem", "TEXT NOT NULL", "#problem", MAX},
    {"nodes", "BIGINT", "#nodes", MAX},
    {"records", "BIGINT NOT NULL", "1", SUM}, /* more than nodes_seen: a node has two */
    {"nodes_known", "BIGINT NOT NULL", "CASE WHEN #charged_j IS NULL THEN 0 ELSE 1 END", SUM},
    /* A node can have two records, of two boots: that one is unknown does not show in nodes_known. */
    {"nodes_lower", "BIGINT NOT NULL",
     "CASE WHEN #lower_bound <> 0 OR #charged_j IS NULL THEN 1 ELSE 0 END", SUM},
    /* Of a record of several nodes: those beside the one that it counts as. */
    {"more_nodes", "BIGINT NOT NULL", RECORD_NODES " - 1", SUM},
    {"node_s", "DOUBLE PRECISION NOT NULL", NODE_S, SUM},
    {"cpus", "BIGINT", "#cpus", SUM},
    {"cpu_s", "DOUBLE PRECISION", "#cpu_s", SUM},
    {"max_rss_bytes", "BIGINT", "#max_rss_bytes", MAX},
    {"energy_j", "DOUBLE PRECISION", "#energy_j", SUM},
    {"resolution_j", "DOUBLE PRECISION", "#resolution_j", SUM},
    {"unknown_s", "DOUBLE PRECISION", "#unknown_s", MAX},
    {"charged_j", "DOUBLE PRECISION", "#charged_j", SUM},
    {"idle_j", "DOUBLE PRECISION", "#idle_j", SUM},
    {"unattributed_j", "DOUBLE PRECISION", "#unattributed_j", SUM},
    {"charged_low_j", "DOUBLE PRECISION", "COALESCE(#charged_low_j, #charged_j)", SUM},
    {"charged_high_j", "DOUBLE PRECISION", "COALESCE(#charged_high_j, #charged_j)", SUM},
    {"gpu_j", "DOUBLE PRECISION", "#gpu_j", SUM},
    /* Of charged_j: what is not measured, on the nodes where it is not. */
    {"estimated_j", "DOUBLE PRECISION NOT NULL", WTL_SCHEMA_ESTIMATED_J, SUM},
    {"estimated_low_j", "DOUBLE PRECISION NOT NULL", WTL_SCHEMA_ESTIMATED_LOW_J, SUM},
    {"estimated_high_j", "DOUBLE PRECISION NOT NULL", WTL_SCHEMA_ESTIMATED_HIGH_J, SUM},
    {"simulated_j", "DOUBLE PRECISION NOT NULL", WTL_SCHEMA_SIMULATED_J, SUM},
    {"nodes_open", "BIGINT NOT NULL", WTL_SCHEMA_OPEN, SUM},
    {"half_j", "DOUBLE PRECISION NOT NULL", WTL_SCHEMA_HALF_J, SUM},
    {"spread_j", "DOUBLE PRECISION NOT NULL", WTL_SCHEMA_SPREAD_J, SUM},
    {"spread_squares", "DOUBLE PRECISION NOT NULL",
     "(" WTL_SCHEMA_SPREAD_J ") * (" WTL_SCHEMA_SPREAD_J ")", SUM},
    {"rule", "TEXT NOT NULL", "#rule", SAME},
    {"quality", "TEXT NOT NULL", "#quality", SAME},
    {"simulated", "BIGINT NOT NULL", "#simulated", MAX},
    {"estimated", "BIGINT NOT NULL", ESTIMATED, MAX},
    {"trace", "TEXT NOT NULL", "#trace", MAX},
};
enum { COLUMNS = sizeof job_columns / sizeof *job_columns };

/* Tables of sums: their key beside the days, of columns of `job` or `job_node`. */
enum { KEYS = 7 };
static const struct sums {
    const char *table, *from, *key[KEYS + 1], *indexes[3];
    size_t shortest; /* of the lengths below */
    bool led;        /* rows of its first key are beside each other, in place of those of a day */
} sums[] = {
    {"user_total",
     "job",
     {"cluster", "user_name", "account", "partition_name", "kind", "state"},
     {"user_name", "account"},
     0,
     false},
    {"program_total",
     "job",
     {"cluster", "user_name", "account", "partition_name", "name", "kind", "state"},
     {"user_name", "account", "name"},
     0,
     false},
    {"name_total", "job", {"cluster", "name", "kind", "state"}, {"name"}, 0, false},
    {"account_total", "job", {"cluster", "account", "kind", "state"}, {"account"}, 0, false},
    {"site_total", "job", {"cluster", "partition_name", "kind", "state"}, {NULL}, 0, false},
    {"node_total", "job_node", {"cluster", "node", "kind", "state"}, {NULL}, 0, false},
    /* Of a day it would have almost as many rows as there are records. */
    {"node_user_total",
     "job_node",
     {"user_name", "cluster", "account", "node", "kind", "state"},
     {"node"},
     1,
     true},
};
enum { SUMS = sizeof sums / sizeof *sums };

/* Lengths of the times that are added up. */
static const int64_t lengths[] = {1, 32, 1024};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* What is added up: of a job, and of a record. # as above. */
#define JOB_LOWER                                                                    \
    "#nodes_lower > 0 OR #nodes_known < #nodes_seen OR #nodes_seen + #more_nodes < " \
    "COALESCE(#nodes, 0)"
static const struct summand {
    const char *name, *type, *of_job, *of_record;
} summands[] = {
    {"jobs", "BIGINT", "1", "1"},
    {"jobs_unknown", "BIGINT", "CASE WHEN #nodes_known = 0 THEN 1 ELSE 0 END",
     "CASE WHEN #charged_j IS NULL THEN 1 ELSE 0 END"},
    {"jobs_lower", "BIGINT", "CASE WHEN #nodes_known > 0 AND (" JOB_LOWER ") THEN 1 ELSE 0 END",
     "CASE WHEN #charged_j IS NOT NULL THEN #lower_bound ELSE 0 END"},
    {"charged_j", "DOUBLE PRECISION", "COALESCE(#charged_j, 0)", "COALESCE(#charged_j, 0)"},
    {"node_s", "DOUBLE PRECISION", "#node_s", NODE_S},
    {"cpu_s", "DOUBLE PRECISION", "COALESCE(#cpu_s, 0)", "COALESCE(#cpu_s, 0)"},
    {"simulated", "BIGINT", "#simulated", "#simulated"},
    {"estimated", "BIGINT", "#estimated", ESTIMATED},
    {"gpu_j", "DOUBLE PRECISION", "COALESCE(#gpu_j, 0)", "COALESCE(#gpu_j, 0)"},
    /* Of charged_j: what is not measured. It is never added to the rest. */
    {"estimated_j", "DOUBLE PRECISION", "#estimated_j", WTL_SCHEMA_ESTIMATED_J},
    {"estimated_low_j", "DOUBLE PRECISION", "#estimated_low_j", WTL_SCHEMA_ESTIMATED_LOW_J},
    {"estimated_high_j", "DOUBLE PRECISION", "#estimated_high_j", WTL_SCHEMA_ESTIMATED_HIGH_J},
    {"simulated_j", "DOUBLE PRECISION", "#simulated_j", WTL_SCHEMA_SIMULATED_J},
    {"jobs_open", "BIGINT", "CASE WHEN #nodes_open > 0 THEN 1 ELSE 0 END", WTL_SCHEMA_OPEN},
    {"half_j", "DOUBLE PRECISION", "#half_j", WTL_SCHEMA_HALF_J},
    {"spread_j", "DOUBLE PRECISION", "#spread_j", WTL_SCHEMA_SPREAD_J},
};
enum { SUMMANDS = sizeof summands / sizeof *summands };

/* Of records: those without a step. The seldom ones: what almost no job is, so that no walk is long in vain. */
static const struct index {
    const char *name, *table, *columns, *where;
} indexes[] = {
    {"job_at", "job", "at_ns", NULL},
    {"job_user", "job", "user_name, at_ns", NULL},
    {"job_account", "job", "account, at_ns", NULL},
    {"job_name", "job", "name, at_ns", NULL},
    {"job_partition", "job", "partition_name, at_ns", NULL},
    {"job_job_id", "job", "job_id", NULL},
    {"job_raw", "job", "raw_job_id", NULL},
    {"job_state", "job", "state, at_ns", WTL_SCHEMA_SELDOM_STATE},
    {"job_kind", "job", "kind, at_ns", WTL_SCHEMA_SELDOM_KIND},
    {"job_charged", "job", "charged_j", NULL},
    {"job_user_charged", "job", "user_name, charged_j", NULL},
    {"job_account_charged", "job", "account, charged_j", NULL},
    {"job_node_at", "job_node", "at_ns", "step = ''"},
    /* With all that is needed to find the jobs of a node. */
    {"job_node_node", "job_node", "node, at_ns, unit, cluster, boot_id, user_name", "step = ''"},
    /* With all that is added up of the records of a user. */
    {"job_node_user", "job_node",
     "user_name, at_ns, node, cluster, kind, state, charged_j, lower_bound, elapsed_ns, begin_ns, "
     "end_ns, cpu_s, simulated, quality, gpu_j, charged_low_j, charged_high_j, record_nodes, "
     "resolution_j, step",
     "step = ''"},
    {"job_node_span", "job_node", "span, at_ns", "step = ''"},
};
enum { INDEXES = sizeof indexes / sizeof *indexes };

/* Durations of 64 s, 128 s, .. 2^24 s, and longer. */
enum { SPAN_FIRST = 6, SPANS = 20 };

int64_t wtl_schema_span_ns(int span)
{
    if (span < SPANS - 1)
        return (INT64_C(1) << (SPAN_FIRST + span)) * 1000000000;
    return span == SPANS - 1 ? INT64_MAX : 0;
}

void wtl_schema_span(FILE *out, const char *begin, const char *end)
{
    (void)fputs("CASE", out);
    for (int i = 0; i < SPANS - 1; i++)
        (void)fprintf(out, " WHEN COALESCE(%s - %s, 0) <= %" PRId64 " THEN %d", end, begin,
                      wtl_schema_span_ns(i), i);
    (void)fprintf(out, " ELSE %d END", SPANS - 1);
}

void wtl_schema_put(FILE *out, const char *expression, const char *prefix)
{
    for (; *expression; expression++) {
        if (*expression == '#')
            (void)fputs(prefix, out);
        else
            (void)fputc(*expression, out);
    }
}

static void add_days(struct wtl_schema_days_list *list, int64_t days, int64_t first, int64_t end)
{
    if (first < end)
        list->parts[list->count++] = (struct wtl_schema_days){days, first, end};
}

struct wtl_schema_days_list wtl_schema_days(int64_t first, int64_t end)
{
    struct wtl_schema_days_list list = {.count = 0};
    int64_t ends[LENGTHS];
    size_t k = 0;
    /* Up to the borders of longer times as long as one of them fits, and down again at the end. */
    for (; k + 1 < LENGTHS; k++) {
        int64_t longer = lengths[k + 1], up = (first + longer - 1) / longer * longer,
                down = end / longer * longer;
        if (up >= down)
            break;
        add_days(&list, lengths[k], first, up);
        ends[k] = end;
        first = up;
        end = down;
    }
    add_days(&list, lengths[k], first, end);
    while (k-- > 0) {
        add_days(&list, lengths[k], end, ends[k]);
        end = ends[k];
    }
    return list;
}

void wtl_schema_summands(FILE *out, bool of_record, const char *prefix)
{
    for (size_t i = 0; i < SUMMANDS; i++) {
        (void)fputs(i ? ", " : "", out);
        wtl_schema_put(out, of_record ? summands[i].of_record : summands[i].of_job, prefix);
        (void)fprintf(out, " AS %s", summands[i].name);
    }
}

void wtl_schema_at(FILE *out, const char *prefix)
{
    wtl_schema_put(out, "COALESCE(#end_ns, #begin_ns, #submit_ns, 0)", prefix);
}

const char *wtl_schema_type(const struct wtl_job_field *field)
{
    switch (field->form) {
    case WTL_JOB_REAL:
        return "DOUBLE PRECISION";
    case WTL_JOB_WHOLE:
    case WTL_JOB_FLAG:
        return "BIGINT";
    case WTL_JOB_TEXT:
    case WTL_JOB_KEY:
    case WTL_JOB_WORD:
        break;
    }
    return "TEXT";
}

void wtl_schema_column(FILE *out, const struct wtl_job_field *field)
{
    const char *type = wtl_schema_type(field);
    (void)fprintf(out, "%s %s", field->column, type);
    /* A number that no sum survives: PostgreSQL has NaN and infinity, and takes them for the largest. */
    if (field->form == WTL_JOB_REAL)
        (void)fprintf(out, " CHECK (%s BETWEEN -1e16 AND 1e16)", field->column);
    else if (field->form == WTL_JOB_FLAG)
        (void)fprintf(out, " NOT NULL DEFAULT 0 CHECK (%s IN (0, 1))", field->column);
    else if (field->form == WTL_JOB_WHOLE) /* a larger one makes all later sums overflow */
        (void)fprintf(out, " CHECK (%s BETWEEN %.0f AND %.0f)", field->column, field->lowest,
                      field->highest);
    else
        (void)fputs(" NOT NULL DEFAULT ''", out);
}

void wtl_schema_base(FILE *out, bool postgresql)
{
    if (postgresql)
        (void)fputs("CREATE SCHEMA IF NOT EXISTS wattle;\nSET search_path = wattle, pg_temp;\n",
                    out);
    (void)fputs("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BIGINT NOT NULL);\n"
                "CREATE TABLE IF NOT EXISTS job_node (\n",
                out);
    for (size_t i = 0; i < wtl_job_record_fields.count; i++) {
        (void)fputs("    ", out);
        wtl_schema_column(out, &wtl_job_record_fields.list[i]);
        (void)fputs(",\n", out);
    }
    (void)fputs("    channels TEXT NOT NULL DEFAULT '',\n"
                "    at_ns BIGINT NOT NULL DEFAULT 0,\n"
                "    span BIGINT NOT NULL DEFAULT 0,\n"
                "    PRIMARY KEY (unit, cluster, step, node, boot_id));\n"
                "CREATE TABLE IF NOT EXISTS sender (cluster TEXT NOT NULL, node TEXT NOT NULL, "
                "version TEXT NOT NULL,\n"
                "    seen_ns BIGINT NOT NULL, backlog_records BIGINT NOT NULL, backlog_bytes "
                "BIGINT NOT NULL,\n"
                "    oldest_ns BIGINT NOT NULL, refused BIGINT NOT NULL, damaged BIGINT NOT NULL,\n"
                "    rejected BIGINT NOT NULL, PRIMARY KEY (cluster, node));\n"
                "CREATE TABLE IF NOT EXISTS heartbeat (cluster TEXT NOT NULL, node TEXT NOT NULL,\n"
                "    version TEXT NOT NULL, backlog_records BIGINT NOT NULL, backlog_bytes BIGINT "
                "NOT NULL,\n"
                "    oldest_ns BIGINT NOT NULL, refused BIGINT NOT NULL, damaged BIGINT NOT NULL,\n"
                "    rejected BIGINT NOT NULL);\n",
                out);
    if (postgresql)
        (void)fputs("CREATE TABLE IF NOT EXISTS coordinator (user_name TEXT NOT NULL, account TEXT "
                    "NOT NULL,\n"
                    "    PRIMARY KEY (user_name, account));\n",
                    out);
}

/* Triggers: on which event of which table. */
static const char *const triggers[][3] = {
    {"record_comes", "job_node", "BEFORE INSERT"},  {"record_added", "job_node", "AFTER INSERT"},
    {"record_removed", "job_node", "AFTER DELETE"}, {"record_changed", "job_node", "AFTER UPDATE"},
    {"job_added", "job", "AFTER INSERT"},           {"job_changed", "job", "AFTER UPDATE"},
    {"job_removed", "job", "AFTER DELETE"},         {"node_seen", "heartbeat", "AFTER INSERT"},
};
enum { TRIGGERS = sizeof triggers / sizeof *triggers };

void wtl_schema_drop_triggers(FILE *out, bool postgresql)
{
    for (size_t i = 0; i < TRIGGERS; i++) {
        if (postgresql)
            (void)fprintf(out, "DROP FUNCTION IF EXISTS wattle_%s() CASCADE;\n", triggers[i][0]);
        else
            (void)fprintf(out, "DROP TRIGGER IF EXISTS %s;\n", triggers[i][0]);
    }
}

void wtl_schema_drop_indexes(FILE *out, bool postgresql)
{
    (void)postgresql;
    for (size_t i = 0; i < INDEXES; i++)
        (void)fprintf(out, "DROP INDEX IF EXISTS %s;\n", indexes[i].name);
    for (size_t i = 0; i < SUMS; i++)
        for (size_t k = 0; k < 3 && sums[i].indexes[k]; k++)
            (void)fprintf(out, "DROP INDEX IF EXISTS %s_%zu;\n", sums[i].table, k);
}

void wtl_schema_drop(FILE *out, bool postgresql)
{
    wtl_schema_drop_triggers(out, postgresql);
    if (postgresql)
        wtl_schema_bulk_drop(out);
    wtl_schema_drop_indexes(out, postgresql);
    (void)fputs("DROP TABLE IF EXISTS job;\n", out);
    for (size_t i = 0; i < SUMS; i++)
        (void)fprintf(out, "DROP TABLE IF EXISTS %s;\n", sums[i].table);
}

static void put_key(FILE *out, const struct sums *table, const char *prefix)
{
    for (size_t i = 0; table->key[i]; i++)
        (void)fprintf(out, ", %s%s", prefix, table->key[i]);
}

/* In SQLite the key is the table: a day's rows are beside each other, and there is one tree less to keep. */
static void create_sums(FILE *out, const struct sums *table, bool postgresql)
{
    (void)fprintf(out, "CREATE TABLE %s (days BIGINT NOT NULL, day BIGINT NOT NULL", table->table);
    for (size_t i = 0; table->key[i]; i++)
        (void)fprintf(out, ", %s TEXT NOT NULL", table->key[i]);
    for (size_t i = 0; i < SUMMANDS; i++)
        (void)fprintf(out, ", %s %s NOT NULL", summands[i].name, summands[i].type);
    (void)fprintf(out, ", PRIMARY KEY (%s%sdays, day", table->led ? table->key[0] : "",
                  table->led ? ", " : "");
    for (size_t i = table->led ? 1 : 0; table->key[i]; i++)
        (void)fprintf(out, ", %s", table->key[i]);
    (void)fputs(postgresql ? "));\n" : ")) WITHOUT ROWID;\n", out);
}

static void create_job(FILE *out)
{
    (void)fputs(
        "CREATE TABLE job (cluster TEXT NOT NULL, unit TEXT NOT NULL, nodes_seen BIGINT NOT NULL",
        out);
    for (size_t i = 0; i < COLUMNS; i++)
        (void)fprintf(out, ", %s %s", job_columns[i].name, job_columns[i].type);
    (void)fputs(", PRIMARY KEY (unit, cluster));\n", out);
}

/* A column of a job from all of its records. */
static void put_aggregate(FILE *out, const struct column *column)
{
    static const char *const functions[] = {"SUM(", "MIN(", "MAX("};
    if (column->rule == SAME) {
        (void)fprintf(
            out,
            "CASE WHEN COALESCE(MIN(NULLIF(%s, '')), '') = MAX(%s) THEN MAX(%s) ELSE 'mixed' END",
            column->name, column->name, column->name);
        return;
    }
    (void)fputs(functions[column->rule], out);
    wtl_schema_put(out, column->expression, "");
    (void)fputc(')', out);
}

/* And with one more of them. */
static void put_merge(FILE *out, const struct column *column)
{
    const char *name = column->name;
    (void)fprintf(out, "%s = ", name);
    if (column->rule == SUM)
        (void)fprintf(out, "COALESCE(job.%s + excluded.%s, job.%s, excluded.%s)", name, name, name,
                      name);
    else if (column->rule == SAME)
        (void)fprintf(out,
                      "CASE WHEN excluded.%s IN ('', job.%s) THEN job.%s WHEN job.%s = '' THEN "
                      "excluded.%s ELSE 'mixed' END",
                      name, name, name, name, name);
    else
        (void)fprintf(
            out,
            "CASE WHEN excluded.%s %c job.%s OR job.%s IS NULL THEN excluded.%s ELSE job.%s END",
            name, column->rule == MIN ? '<' : '>', name, name, name, name);
}

/* The sums of one length: of days from the rows, of longer times from shorter ones. */
static void fill_sums(FILE *out, const struct sums *table, size_t length)
{
    bool of_job = strcmp(table->from, "job") == 0;
    bool of_rows = length == table->shortest; /* else of the next shorter sums */
    const char *day = of_rows ? "at_ns / " WTL_SQL_DAY_NS : "day";
    (void)fprintf(out, "INSERT INTO %s (days, day", table->table);
    put_key(out, table, "");
    (void)fprintf(out, ", " WTL_SCHEMA_SUMS ") SELECT %" PRId64 ", %s - %s %% %" PRId64,
                  lengths[length], day, day, lengths[length]);
    put_key(out, table, "");
    for (size_t i = 0; i < SUMMANDS; i++) {
        (void)fputs(", SUM(", out);
        wtl_schema_put(out,
                       !of_rows ? summands[i].name
                       : of_job ? summands[i].of_job
                                : summands[i].of_record,
                       "");
        (void)fputc(')', out);
    }
    if (!of_rows)
        (void)fprintf(out, " FROM %s WHERE days = %" PRId64, table->table, lengths[length - 1]);
    else
        (void)fprintf(out, " FROM %s%s", table->from, of_job ? "" : " WHERE step = ''");
    (void)fprintf(out, " GROUP BY %s - %s %% %" PRId64, day, day, lengths[length]);
    put_key(out, table, "");
    (void)fputs(";\n", out);
}

void wtl_schema_jobs_of(FILE *out, const char *into, const char *from, const char *which)
{
    (void)fprintf(out, "INSERT INTO %s (cluster, unit, nodes_seen", into);
    for (size_t i = 0; i < COLUMNS; i++)
        (void)fprintf(out, ", %s", job_columns[i].name);
    (void)fputs(") SELECT cluster, unit, COUNT(DISTINCT node)", out);
    for (size_t i = 0; i < COLUMNS; i++) {
        (void)fputs(", ", out);
        put_aggregate(out, &job_columns[i]);
    }
    (void)fprintf(out, " FROM %s WHERE step = ''%s GROUP BY cluster, unit;\n", from, which);
}

/* Rows of jobs from their records; which: " AND .." = of some. */
static void fill_jobs(FILE *out, const char *which)
{
    wtl_schema_jobs_of(out, "job", "job_node", which);
}

void wtl_schema_fill_jobs(FILE *out, const char *which)
{
    fill_jobs(out, which);
}

static bool has_names(const struct sums *table)
{
    bool named = false;
    for (size_t i = 0; table->key[i]; i++)
        named |= strcmp(table->key[i], "user_name") == 0 || strcmp(table->key[i], "name") == 0;
    return named;
}

/* To what is there. */
static void put_conflict(FILE *out, const struct sums *table)
{
    (void)fputs(" ON CONFLICT (days, day", out);
    put_key(out, table, "");
    (void)fputs(") DO UPDATE SET ", out);
    for (size_t i = 0; i < SUMMANDS; i++)
        (void)fprintf(out, "%s%s = %s.%s + excluded.%s", i ? ", " : "", summands[i].name,
                      table->table, summands[i].name, summands[i].name);
}

/* The sums of days of one table, from rows "TABLE WHERE ..". */
static void select_days(FILE *out, const struct sums *table, const char *from)
{
    bool of_job = strcmp(table->from, "job") == 0;
    (void)fputs("SELECT at_ns / " WTL_SQL_DAY_NS " AS day", out);
    put_key(out, table, "");
    for (size_t i = 0; i < SUMMANDS; i++) {
        (void)fputs(", SUM(", out);
        wtl_schema_put(out, of_job ? summands[i].of_job : summands[i].of_record, "");
        (void)fprintf(out, ") AS %s", summands[i].name);
    }
    (void)fprintf(out, " FROM %s GROUP BY at_ns / " WTL_SQL_DAY_NS, from);
    put_key(out, table, "");
}

/* And from these the sums of one length. */
static void fold_length(FILE *out, const struct sums *table, int64_t length, bool add)
{
    (void)fprintf(out, "INSERT INTO %s (days, day", table->table);
    put_key(out, table, "");
    (void)fprintf(out, ", " WTL_SCHEMA_SUMS ") SELECT %" PRId64 ", day - day %% %" PRId64, length,
                  length);
    put_key(out, table, "");
    for (size_t i = 0; i < SUMMANDS; i++)
        (void)fprintf(out, ", %sSUM(%s)", add ? "" : "-", summands[i].name);
    (void)fprintf(out, " FROM folded WHERE 1 = 1 GROUP BY day - day %% %" PRId64, length);
    put_key(out, table, "");
    put_conflict(out, table);
}

static void drop_empty(FILE *out, const struct sums *table)
{
    (void)fprintf(out, "DELETE FROM %s WHERE jobs = 0;\n", table->table);
}

static void fold_table(FILE *out, const struct sums *table, const char *from, bool add)
{
    (void)fputs("CREATE TEMP TABLE folded AS ", out);
    select_days(out, table, from);
    (void)fputs(";\n", out);
    for (size_t k = table->shortest; k < LENGTHS; k++) {
        fold_length(out, table, lengths[k], add);
        (void)fputs(";\n", out);
    }
    (void)fputs("DROP TABLE temp.folded;\n", out);
    if (!add)
        drop_empty(out, table);
}

/* The lengths are rows of their own: one statement may write all of them. */
static void fold_in_server(FILE *out, const struct sums *table, const char *from, bool add)
{
    (void)fputs("    WITH folded AS MATERIALIZED (", out);
    select_days(out, table, from);
    (void)fputs(")", out);
    for (size_t k = table->shortest; k + 1 < LENGTHS; k++) {
        (void)fprintf(out, ", of_%" PRId64 " AS (", lengths[k]);
        fold_length(out, table, lengths[k], add);
        (void)fputs(")", out);
    }
    (void)fputc(' ', out);
    fold_length(out, table, lengths[LENGTHS - 1], add);
    (void)fputs(";\n", out);
    if (!add)
        drop_empty(out, table);
}

void wtl_schema_fold_from(FILE *out,
                          const char *jobs,
                          const char *records,
                          bool names_only,
                          bool add)
{
    for (size_t i = 0; i < SUMS; i++) {
        if (!names_only || has_names(&sums[i]))
            fold_in_server(out, &sums[i], strcmp(sums[i].from, "job") == 0 ? jobs : records, add);
    }
}

void wtl_schema_fold(FILE *out, const struct wtl_schema_rows *rows, bool add)
{
    char from[200];
    for (size_t i = 0; i < SUMS; i++) {
        bool of_job = strcmp(sums[i].from, "job") == 0;
        (void)snprintf(from, sizeof from, "%s WHERE %s(%s)", sums[i].from,
                       of_job ? "" : "step = '' AND ", of_job ? rows->jobs : rows->records);
        if (!rows->names_only || has_names(&sums[i]))
            fold_table(out, &sums[i], from, add);
    }
}

static void fill(FILE *out)
{
    fill_jobs(out, "");
    for (size_t i = 0; i < SUMS; i++)
        for (size_t k = sums[i].shortest; k < LENGTHS; k++)
            fill_sums(out, &sums[i], k);
}

/* Add a row, "NEW." or "OLD.", to the sums of one length, or take it away. */
static void count(FILE *out, const struct sums *table, int64_t length, const char *prefix, bool add)
{
    bool of_job = strcmp(table->from, "job") == 0;
    char day[120];
    (void)snprintf(day, sizeof day,
                   "%sat_ns / " WTL_SQL_DAY_NS " - %sat_ns / " WTL_SQL_DAY_NS " %% %" PRId64,
                   prefix, prefix, length);
    (void)fprintf(out, "    INSERT INTO %s (days, day", table->table);
    put_key(out, table, "");
    (void)fprintf(out, ", " WTL_SCHEMA_SUMS ") SELECT %" PRId64 ", %s", length, day);
    put_key(out, table, prefix);
    for (size_t i = 0; i < SUMMANDS; i++) {
        (void)fprintf(out, ", %s(", add ? "" : "-");
        wtl_schema_put(out, of_job ? summands[i].of_job : summands[i].of_record, prefix);
        (void)fputc(')', out);
    }
    if (of_job)
        (void)fputs(" WHERE 1 = 1", out);
    else
        (void)fprintf(out, " WHERE %sstep = ''", prefix);
    put_conflict(out, table);
    (void)fputs(";\n", out);
    if (add)
        return;
    (void)fprintf(out, "    DELETE FROM %s WHERE jobs = 0 AND days = %" PRId64 " AND day = %s",
                  table->table, length, day);
    for (size_t i = 0; table->key[i]; i++)
        (void)fprintf(out, " AND %s = %s%s", table->key[i], prefix, table->key[i]);
    (void)fputs(";\n", out);
}

static void count_all(FILE *out, const char *from, const char *prefix, bool add)
{
    for (size_t i = 0; i < SUMS; i++)
        for (size_t k = sums[i].shortest; k < LENGTHS && strcmp(sums[i].from, from) == 0; k++)
            count(out, &sums[i], lengths[k], prefix, add);
}

/*
 * A job is one record on a node. One that says only that wattled did not answer, also after a crash and so of another boot, gives
 * way to what wattled says later, and does not enter after it. Who sends may only insert: so the database does it.
 */
#define KNOWS_NOTHING(row) \
    row "energy_j IS NULL AND " row "charged_j IS NULL AND " row "state = 'unknown'"
#define SAME_JOB(row)    row "unit = NEW.unit AND " row "cluster = NEW.cluster"
#define SAME_RECORD(row) SAME_JOB(row) " AND " row "step = NEW.step AND " row "node = NEW.node"

/* Almost every record is the first one of its job on a node. */
static const char there_is_one[] = "EXISTS (SELECT 1 FROM job_node r WHERE " SAME_RECORD("r.") ")";

static void give_way(FILE *out, bool postgresql)
{
    static const char there[] = "EXISTS (SELECT 1 FROM job_node r WHERE " SAME_RECORD("r.");
    if (postgresql)
        (void)fprintf(out, "    IF NOT %s THEN RETURN NEW; END IF;\n", there_is_one);
    (void)fprintf(out,
                  postgresql
                      ? "    IF " KNOWS_NOTHING("NEW.") " AND %s) THEN RETURN NULL; END IF;\n"
                      : "    SELECT RAISE(IGNORE) WHERE " KNOWS_NOTHING("NEW.") " AND %s);\n",
                  there);
    (void)fprintf(
        out,
        "    DELETE FROM job WHERE NEW.step = '' AND " SAME_JOB("") " AND %s AND " KNOWS_NOTHING(
            "r.") ");\n"
                  "    DELETE FROM job_node WHERE " SAME_RECORD("") " AND " KNOWS_NOTHING(
                      "") ";\n    ",
        there);
    fill_jobs(out, " AND NEW.step = '' AND " SAME_JOB(
                       "") " AND NOT EXISTS (SELECT 1 FROM job j WHERE " SAME_JOB("j.") ")");
}

/* A record becomes part of its job. */
static void merge(FILE *out)
{
    (void)fputs("    INSERT INTO job (cluster, unit, nodes_seen", out);
    for (size_t i = 0; i < COLUMNS; i++)
        (void)fprintf(out, ", %s", job_columns[i].name);
    (void)fputs(
        ") SELECT NEW.cluster, NEW.unit, CASE WHEN EXISTS (SELECT 1 FROM job_node r WHERE "
        "r.cluster = "
        "NEW.cluster AND r.unit = NEW.unit AND r.step = '' AND r.node = NEW.node AND r.boot_id <> "
        "NEW.boot_id) THEN 0 ELSE 1 END",
        out);
    for (size_t i = 0; i < COLUMNS; i++) {
        (void)fputs(", ", out);
        wtl_schema_put(out, job_columns[i].expression, "NEW.");
    }
    (void)fputs(" WHERE NEW.step = '' ON CONFLICT (cluster, unit) DO UPDATE SET nodes_seen = "
                "job.nodes_seen + "
                "excluded.nodes_seen",
                out);
    for (size_t i = 0; i < COLUMNS; i++) {
        (void)fputs(", ", out);
        put_merge(out, &job_columns[i]);
    }
    (void)fputs(";\n", out);
}

/* The row of a node; the time is the database's, so that a wrong clock of a node does not hide its silence. */
static void see(FILE *out, bool postgresql)
{
    const char *now = postgresql
                          ? "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000000 AS BIGINT)"
                          : "CAST((julianday('now') - 2440587.5) * 86400000 AS BIGINT) * 1000000";
    static const char *const names[] = {"version", "backlog_records", "backlog_bytes", "oldest_ns",
                                        "refused", "damaged",         "rejected",      "seen_ns"};
    (void)fprintf(
        out,
        "    INSERT INTO sender (cluster, node, version, backlog_records, backlog_bytes, "
        "oldest_ns, "
        "refused, damaged, rejected, seen_ns) SELECT NEW.cluster, NEW.node, NEW.version, "
        "NEW.backlog_records, NEW.backlog_bytes, NEW.oldest_ns, NEW.refused, NEW.damaged, "
        "NEW.rejected, %s WHERE 1 = 1 ON CONFLICT (cluster, node) DO UPDATE SET ",
        now);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)fprintf(out, "%s%s = excluded.%s", i ? ", " : "", names[i], names[i]);
    (void)fputs(";\n    DELETE FROM heartbeat;\n", out);
}

static void trigger_body(FILE *out, size_t i, bool postgresql)
{
    const char *table = triggers[i][1], *event = strchr(triggers[i][2], ' ') + 1;
    bool records = strcmp(table, "job_node") == 0;
    if (triggers[i][2][0] == 'B') {
        give_way(out, postgresql);
        return;
    }
    if (strcmp(table, "heartbeat") == 0) {
        see(out, postgresql);
        return;
    }
    if (records && strcmp(event, "INSERT") == 0)
        merge(out);
    if (strcmp(event, "INSERT") != 0)
        count_all(out, table, "OLD.", false);
    if (strcmp(event, "DELETE") != 0)
        count_all(out, table, "NEW.", true);
}

static void create_trigger(FILE *out, size_t i, bool postgresql)
{
    if (postgresql)
        (void)fprintf(
            out,
            "CREATE FUNCTION wattle_%s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER\n"
            "    SET search_path = wattle, pg_temp AS $wattle$ BEGIN\n",
            triggers[i][0]);
    else
        (void)fprintf(out, "CREATE TRIGGER %s %s ON %s FOR EACH ROW%s%s BEGIN\n", triggers[i][0],
                      triggers[i][2], triggers[i][1], triggers[i][2][0] == 'B' ? " WHEN " : "",
                      triggers[i][2][0] == 'B' ? there_is_one : "");
    trigger_body(out, i, postgresql);
    if (postgresql)
        (void)fprintf(out,
                      "    RETURN %s; END $wattle$;\n"
                      "CREATE TRIGGER %s %s ON %s FOR EACH ROW EXECUTE FUNCTION wattle_%s();\n",
                      triggers[i][2][0] == 'B' ? "NEW" : "NULL", triggers[i][0], triggers[i][2],
                      triggers[i][1], triggers[i][0]);
    else
        (void)fputs("END;\n", out);
}

void wtl_schema_create_triggers(FILE *out, bool postgresql)
{
    for (size_t i = 0; i < TRIGGERS; i++)
        create_trigger(out, i, postgresql);
}

void wtl_schema_create_indexes(FILE *out)
{
    for (size_t i = 0; i < INDEXES; i++)
        (void)fprintf(out, "CREATE INDEX %s ON %s (%s)%s%s;\n", indexes[i].name, indexes[i].table,
                      indexes[i].columns, indexes[i].where ? " WHERE " : "",
                      indexes[i].where ? indexes[i].where : "");
    for (size_t i = 0; i < SUMS; i++)
        for (size_t k = 0; k < 3 && sums[i].indexes[k]; k++)
            (void)fprintf(out, "CREATE INDEX %s_%zu ON %s (%s, days, day);\n", sums[i].table, k,
                          sums[i].table, sums[i].indexes[k]);
}

void wtl_schema_derive(FILE *out, bool postgresql)
{
    (void)fputs("UPDATE job_node SET at_ns = ", out);
    wtl_schema_at(out, "");
    (void)fputs(", span = ", out);
    wtl_schema_span(out, "begin_ns", "end_ns");
    (void)fputs(" WHERE at_ns = 0;\n", out);
    create_job(out);
    for (size_t i = 0; i < SUMS; i++)
        create_sums(out, &sums[i], postgresql);
    fill(out);
    wtl_schema_create_indexes(out);
    wtl_schema_create_triggers(out, postgresql);
    if (postgresql) {
        wtl_schema_bulk(out);
        wtl_schema_rights(out);
    }
    (void)fprintf(out,
                  "DELETE FROM meta WHERE name IN ('version', 'writes_from');\n"
                  "INSERT INTO meta VALUES ('version', %d), ('writes_from', %d);\n",
                  WTL_STORE_SCHEMA_VERSION, WTL_SCHEMA_WRITES_FROM);
}
