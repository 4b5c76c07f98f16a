/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may do what in PostgreSQL: a node's sender only inserts, and reads nothing; users see their own rows, and
 * coordinators those of their accounts, by the name with which they have connected; admins see all and remove. The
 * functions of the triggers run as the owner of the tables.
 */
#include "jobs/database/schema.h"

#define ROLE(name)                        \
    "DO $wattle$ BEGIN CREATE ROLE " name \
    " NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $wattle$;\n"

static const char *const protected_tables[] = {"job", "job_node", "user_total", "program_total",
                                               "node_user_total"};

static const char rights[] =
    "REVOKE ALL ON SCHEMA wattle FROM PUBLIC;\n"
    "REVOKE ALL ON ALL TABLES IN SCHEMA wattle FROM PUBLIC;\n"
    "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA wattle FROM PUBLIC;\n"
    "GRANT USAGE ON SCHEMA wattle TO wattle_sender, wattle_reader, wattle_admin;\n"
    "GRANT SELECT ON meta TO wattle_sender, wattle_reader;\n"
    "GRANT INSERT ON job_node, heartbeat TO wattle_sender;\n"
    "GRANT SELECT ON job, job_node, user_total, program_total, node_user_total TO wattle_reader;\n"
    "GRANT SELECT ON sender TO wattle_reader;\n"
    "GRANT ALL ON ALL TABLES IN SCHEMA wattle TO wattle_admin;\n"
    "GRANT EXECUTE ON FUNCTION wattle_bulk_add(), wattle_bulk_purge(BIGINT, BIGINT), "
    "wattle_bulk_anonymise(BIGINT, BIGINT) TO wattle_admin;\n"
    /* Without it every reader could read who coordinates what, and the policies below need it. */
    "ALTER TABLE coordinator ENABLE ROW LEVEL SECURITY;\n"
    "DROP POLICY IF EXISTS own ON coordinator;\n"
    "DROP POLICY IF EXISTS admin ON coordinator;\n"
    "CREATE POLICY own ON coordinator FOR SELECT TO wattle_reader USING (user_name = "
    "session_user);\n"
    "CREATE POLICY admin ON coordinator TO wattle_admin USING (true);\n"
    "GRANT SELECT ON coordinator TO wattle_reader;\n";

void wtl_schema_rights(FILE *out)
{
    (void)fputs(ROLE("wattle_sender") ROLE("wattle_reader") ROLE("wattle_admin"), out);
    (void)fputs(rights, out);
    for (size_t i = 0; i < sizeof protected_tables / sizeof *protected_tables; i++) {
        const char *table = protected_tables[i];
        (void)fprintf(
            out,
            "ALTER TABLE %s ENABLE ROW LEVEL SECURITY;\n"
            "DROP POLICY IF EXISTS own ON %s;\n"
            "DROP POLICY IF EXISTS admin ON %s;\n"
            "CREATE POLICY own ON %s FOR SELECT TO wattle_reader USING (user_name = session_user "
            "OR "
            "account IN (SELECT account FROM coordinator WHERE user_name = session_user));\n"
            "CREATE POLICY admin ON %s TO wattle_admin USING (true);\n",
            table, table, table, table, table);
    }
    (void)fputs("DROP POLICY IF EXISTS send ON job_node;\n"
                "CREATE POLICY send ON job_node FOR INSERT TO wattle_sender WITH CHECK (true);\n",
                out);
}
