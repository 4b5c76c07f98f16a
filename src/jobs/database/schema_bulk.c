/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many rows at once in PostgreSQL: see wtl_schema_bulk(). Triggers cost some 0.5 ms a row, and only the owner of a table may switch them
 * off: so the work is in functions that run as the owner, each of which leaves everything as the triggers would have. The rows are in two
 * tables of their own meanwhile, empty outside of a transaction: an admin may write them, and what is in them is only ever data.
 */

#include "jobs/database/schema.h"
#include "jobs/database/schema_parts.h"
#include "jobs/record.h"

/* The columns of a record. */
static void put_columns(FILE *out, const char *prefix)
{
    for (size_t i = 0; i < wtl_job_record_fields.count; i++)
        (void)fprintf(out, "%s%s, ", prefix, wtl_job_record_fields.list[i].column);
    (void)fprintf(out, "%schannels, %sat_ns, %sspan", prefix, prefix, prefix);
}

void wtl_schema_copy(FILE *out)
{
    (void)fputs("COPY incoming (", out);
    for (size_t i = 0; i < wtl_job_record_fields.count; i++)
        (void)fprintf(out, "%s, ", wtl_job_record_fields.list[i].column);
    (void)fputs("channels) FROM STDIN", out);
}

static void begin_function(FILE *out, const char *head)
{
    (void)fprintf(
        out,
        "CREATE FUNCTION wattle_bulk_%s RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER\n"
        "    SET search_path = wattle, pg_temp SET work_mem = '64MB' AS $wattle$\n"
        "DECLARE wattle_n BIGINT; wattle_more BIGINT; wattle_bare BOOLEAN; BEGIN\n",
        head);
}

static void end_function(FILE *out, const char *value)
{
    (void)fprintf(out,
                  "    DELETE FROM incoming;\n"
                  "    DELETE FROM incoming_job;\n"
                  "    RETURN %s; END $wattle$;\n",
                  value);
}

static void switch_triggers(FILE *out, const char *word)
{
    (void)fprintf(out,
                  "    ALTER TABLE job_node %s TRIGGER USER;\n"
                  "    ALTER TABLE job %s TRIGGER USER;\n",
                  word, word);
}

/* Those that a trigger has to see: of jobs that are there already, and second ones of a node. */
static void add_records(FILE *out)
{
    begin_function(out, "add()");
    (void)fputs("    wattle_bare := pg_relation_size('incoming') > pg_relation_size('job_node');\n"
                "    UPDATE incoming SET at_ns = ",
                out);
    wtl_schema_at(out, "");
    (void)fputs(", span = ", out);
    wtl_schema_span(out, "begin_ns", "end_ns");
    (void)fputs(
        ";\n    ANALYZE incoming;\n"
        "    UPDATE incoming SET waits = true FROM (SELECT i.number, ROW_NUMBER() OVER (PARTITION "
        "BY i.unit, i.cluster, i.step, i.node ORDER BY i.number) AS nth, EXISTS (SELECT 1 FROM "
        "job_node r WHERE r.unit = i.unit AND r.cluster = i.cluster) AS there FROM incoming i) d "
        "WHERE d.number = incoming.number AND (d.nth > 1 OR d.there);\n",
        out);
    switch_triggers(out, "DISABLE");
    (void)fputs("    IF wattle_bare THEN\n", out);
    wtl_schema_drop_indexes(out, true);
    (void)fputs("    END IF;\n    INSERT INTO job_node (", out);
    put_columns(out, "");
    (void)fputs(") SELECT ", out);
    put_columns(out, "");
    (void)fputs(" FROM incoming WHERE NOT waits;\n    GET DIAGNOSTICS wattle_n = ROW_COUNT;\n    ",
                out);
    wtl_schema_jobs_of(out, "incoming_job", "incoming", " AND NOT waits");
    (void)fputs("    INSERT INTO job SELECT * FROM incoming_job;\n", out);
    wtl_schema_fold_from(out, "incoming_job", "incoming WHERE step = '' AND NOT waits", false,
                         true);
    (void)fputs("    IF wattle_bare THEN\n", out);
    wtl_schema_create_indexes(out);
    (void)fputs("    END IF;\n", out);
    switch_triggers(out, "ENABLE");
    (void)fputs("    INSERT INTO job_node (", out);
    put_columns(out, "");
    (void)fputs(") SELECT ", out);
    put_columns(out, "");
    (void)fputs(" FROM incoming WHERE waits ORDER BY number ON CONFLICT DO NOTHING;\n"
                "    GET DIAGNOSTICS wattle_more = ROW_COUNT;\n",
                out);
    end_function(out, "wattle_n + wattle_more");
}

#define SAME_RECORD                                                                          \
    "r.unit = i.unit AND r.cluster = i.cluster AND r.step = i.step AND r.node = i.node AND " \
    "r.boot_id = i.boot_id"

/* Up to wattle_most jobs that ended before a time, and their records; with the last of them, records of no job. */
static void choose(FILE *out, const char *named, const char *rest)
{
    (void)fprintf(out,
                  "    INSERT INTO incoming_job SELECT r.* FROM job r WHERE r.at_ns < "
                  "wattle_before%s ORDER BY r.at_ns, r.unit, r.cluster LIMIT wattle_most;\n"
                  "    GET DIAGNOSTICS wattle_n = ROW_COUNT;\n"
                  "    ANALYZE incoming_job;\n    INSERT INTO incoming (",
                  named);
    put_columns(out, "");
    (void)fputs(") SELECT ", out);
    put_columns(out, "r.");
    (void)fputs(" FROM incoming_job c JOIN job_node r ON r.unit = c.unit AND r.cluster = "
                "c.cluster;\n    IF wattle_n < wattle_most THEN INSERT INTO incoming (",
                out);
    put_columns(out, "");
    (void)fputs(") SELECT ", out);
    put_columns(out, "r.");
    (void)fprintf(out,
                  " FROM job_node r WHERE r.at_ns < wattle_before%s AND NOT EXISTS (SELECT 1 FROM "
                  "%s c WHERE c.unit = r.unit AND c.cluster = r.cluster); END IF;\n"
                  "    ANALYZE incoming;\n",
                  named, rest);
    switch_triggers(out, "DISABLE");
}

static void purge(FILE *out)
{
    begin_function(out, "purge(wattle_before BIGINT, wattle_most BIGINT)");
    choose(out, "", "job");
    wtl_schema_fold_from(out, "incoming_job", "incoming WHERE step = ''", false, false);
    (void)fputs("    DELETE FROM job_node r USING incoming i WHERE " SAME_RECORD ";\n"
                "    DELETE FROM job r USING incoming_job i WHERE r.unit = i.unit AND r.cluster = "
                "i.cluster;\n",
                out);
    switch_triggers(out, "ENABLE");
    end_function(out, "wattle_n");
}

static void anonymise(FILE *out)
{
    static const char *const staged[] = {"incoming", "incoming_job"};
    begin_function(out, "anonymise(wattle_before BIGINT, wattle_most BIGINT)");
    choose(out, WTL_SCHEMA_NAMED, "incoming_job");
    wtl_schema_fold_from(out, "incoming_job", "incoming WHERE step = ''", true, false);
    (void)fputs("    UPDATE job_node r" WTL_SCHEMA_NAMELESS " FROM incoming i WHERE " SAME_RECORD
                ";\n"
                "    UPDATE job r" WTL_SCHEMA_NAMELESS
                " FROM incoming_job i WHERE r.unit = i.unit AND r.cluster = i.cluster;\n",
                out);
    for (size_t i = 0; i < 2; i++)
        (void)fprintf(out, "    UPDATE %s SET user_name = 'anonymous', name = '';\n", staged[i]);
    wtl_schema_fold_from(out, "incoming_job", "incoming WHERE step = ''", true, true);
    switch_triggers(out, "ENABLE");
    end_function(out, "wattle_n");
}

void wtl_schema_bulk_drop(FILE *out)
{
    (void)fputs("DROP FUNCTION IF EXISTS wattle_bulk_add();\n"
                "DROP FUNCTION IF EXISTS wattle_bulk_purge(BIGINT, BIGINT);\n"
                "DROP FUNCTION IF EXISTS wattle_bulk_anonymise(BIGINT, BIGINT);\n"
                "DROP TABLE IF EXISTS incoming;\n"
                "DROP TABLE IF EXISTS incoming_job;\n",
                out);
}

void wtl_schema_bulk(FILE *out)
{
    (void)fputs("CREATE UNLOGGED TABLE incoming (LIKE job_node INCLUDING DEFAULTS, number BIGINT "
                "GENERATED ALWAYS AS IDENTITY, waits BOOLEAN NOT NULL DEFAULT false);\n"
                "CREATE UNLOGGED TABLE incoming_job (LIKE job INCLUDING DEFAULTS);\n",
                out);
    add_records(out);
    purge(out);
    anonymise(out);
}
