/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs health": nodes that do not send, what waits or was lost on them, and how much energy is unknown. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/text/figures.h"
#include "cli/documents.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_items.h"
#include "report/json_value.h"

struct request {
    const char *database;
    uint64_t silent_ns;
    double unknown;
    enum wtl_format format;
};

static const struct wtl_option options_table[] = {
    {0, "silent", "DUR", "a node is silent after DUR (default 1h)",
     WTL_TAKES_DURATION(struct request, silent_ns, UINT64_C(1000000000))},
    {0, "unknown", "PERCENT",
     "the most jobs of the last day whose energy may be\nunknown (default 10%)",
     WTL_TAKES_PERCENT(struct request, unknown)},
    {0, "database", "URL", "ask sqlite:PATH or postgresql://HOST/NAME\n(default: wattle.conf)",
     WTL_TAKES_TEXT(struct request, database)},
    WTL_OPTION_FORMAT(struct request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

struct node {
    char cluster[64], name[256], version[32];
    int64_t seen_ns, oldest_ns, records, bytes, refused, damaged, rejected;
    bool silent, late; /* late: it sends, but records have waited for long */
};

struct health {
    struct node *items;
    size_t count;
    int64_t now_ns, silent_ns;
    int64_t silent, late, lost, rejected;   /* nodes, nodes, records, records */
    int64_t jobs, jobs_unknown, jobs_lower; /* of the last day */
    double most_unknown;
    bool healthy, partial; /* partial: jobs of others are not counted */
};

static int take(void *arg, const struct wtl_store_sender *sender)
{
    struct health *health = arg;
    struct node node = {
        .seen_ns = sender->seen_ns,
        .oldest_ns = sender->oldest_ns,
        .records = sender->backlog_records,
        .bytes = sender->backlog_bytes,
        .refused = sender->refused,
        .damaged = sender->damaged,
        .rejected = sender->rejected,
    };
    (void)snprintf(node.cluster, sizeof node.cluster, "%s", sender->cluster);
    (void)snprintf(node.name, sizeof node.name, "%s", sender->node);
    (void)snprintf(node.version, sizeof node.version, "%s", sender->version);
    node.silent = health->now_ns - node.seen_ns > health->silent_ns;
    node.late = !node.silent && node.records > 0 && node.oldest_ns > 0 &&
                health->now_ns - node.oldest_ns > health->silent_ns;
    health->silent += node.silent;
    health->late += node.late;
    health->lost += node.refused + node.damaged;
    health->rejected += node.rejected;
    if (wtl_grow(&health->items, health->count, sizeof *health->items) < 0)
        return -ENOMEM;
    health->items[health->count++] = node;
    return 0;
}

static int take_total(void *arg, const struct wtl_total_row *row)
{
    struct health *health = arg;
    health->jobs += row->jobs;
    health->jobs_unknown += row->jobs_unknown;
    health->jobs_lower += row->jobs_lower;
    return 0;
}

/* ---- printed forms ---- */

static const struct node *node_of(const void *of)
{
    return of;
}

static void seen_cell(const void *of, char *text, size_t n)
{
    int64_t now = wtl_jobs_now();
    char age[WTL_JOBS_CELL];
    (void)snprintf(text, n, "%s ago%s",
                   wtl_jobs_elapsed_cell(1e-9 * fmax(0, (double)(now - node_of(of)->seen_ns)), age,
                                         sizeof age),
                   node_of(of)->silent ? ", silent"
                   : node_of(of)->late ? ", late"
                                       : "");
}

static void count_cell(int64_t count, char *text, size_t n)
{
    text[0] = '\0';
    if (count > 0)
        (void)snprintf(text, n, "%" PRId64, count);
}

static void records_cell(const void *of, char *text, size_t n)
{
    count_cell(node_of(of)->records, text, n);
}

static void refused_cell(const void *of, char *text, size_t n)
{
    count_cell(node_of(of)->refused, text, n);
}

static void damaged_cell(const void *of, char *text, size_t n)
{
    count_cell(node_of(of)->damaged, text, n);
}

static void rejected_cell(const void *of, char *text, size_t n)
{
    count_cell(node_of(of)->rejected, text, n);
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define COUNT(T, field) \
    .type = WTL_MEMBER_INTEGER, .get = wtl_jobs_get_from_0, .offset = offsetof(T, field)
#define TIME(T, field) \
    .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time, .offset = offsetof(T, field)
static const struct wtl_member of_node[] = {
    {"node", WTL_CHARS_AT(struct node, name), .csv = 1, .text = 1, .heading = "node", .left = true,
     .meaning = "its name"},
    {"cluster", WTL_NAME_AT(struct node, cluster), .nullable = true, .csv = 2, .text = 2,
     .heading = "cluster", .left = true, .meaning = "its cluster; null: none"},
    {"version", WTL_CHARS_AT(struct node, version), .csv = 3, .text = 3, .heading = "wattle",
     .left = true, .meaning = "version of wattle on it"},
    {"seen_s", TIME(struct node, seen_ns), .csv = 4, .text = 4, .heading = "seen", .left = true,
     .cell = seen_cell, .meaning = "when it last sent, since 1970, by the clock of the database"},
    {"silent", WTL_BOOLEAN_AT(struct node, silent), .csv = 5,
     .meaning = "it has not sent for too long"},
    {"late", WTL_BOOLEAN_AT(struct node, late), .csv = 6,
     .meaning = "it has sent, but records have waited for too long"},
    {"waiting_records", COUNT(struct node, records), .csv = 7, .text = 5, .heading = "waiting",
     .cell = records_cell, .meaning = "records in its spool then"},
    {"waiting_bytes", COUNT(struct node, bytes), .csv = 8, .unit = "bytes",
     .meaning = "their size"},
    {"oldest_s", TIME(struct node, oldest_ns), .nullable = true, .csv = 9,
     .meaning = "end of the oldest of them, since 1970; null: none"},
    {"refused", COUNT(struct node, refused), .csv = 10, .text = 6, .heading = "refused",
     .cell = refused_cell,
     .meaning = "records lost because the spool was full or could not be written"},
    {"damaged", COUNT(struct node, damaged), .csv = 11, .text = 7, .heading = "damaged",
     .cell = damaged_cell, .meaning = "lines of the spool that were damaged, and skipped"},
    {"rejected", COUNT(struct node, rejected), .csv = 12, .text = 8, .heading = "rejected",
     .cell = rejected_cell,
     .meaning = "records that the database did not take, kept in the spool's file \"rejected\""},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_sender = {"node that sends", of_node};

static const struct wtl_member of_health[] = {
    {"healthy", WTL_BOOLEAN_AT(struct health, healthy),
     .meaning = "nothing below is a problem: exit status 0"},
    {"nodes", WTL_LIST_AT(struct health, items, count, wtl_noun_jobs_sender), .meaning = "below"},
    {"nodes_silent", COUNT(struct health, silent), .meaning = "number of nodes that are silent"},
    {"nodes_late", COUNT(struct health, late), .meaning = "number of nodes that are late"},
    {"records_lost", COUNT(struct health, lost), .meaning = "refused and damaged, of all nodes"},
    {"records_rejected", COUNT(struct health, rejected), .meaning = "rejected, of all nodes"},
    {"jobs", COUNT(struct health, jobs), .meaning = "jobs that ended in the last 24 hours"},
    {"jobs_unknown", COUNT(struct health, jobs_unknown),
     .meaning = "those whose energy is unknown"},
    {"jobs_lower", COUNT(struct health, jobs_lower),
     .meaning = "those whose energy is a lower bound"},
    {"partial", WTL_BOOLEAN_AT(struct health, partial),
     .meaning = "only your own jobs, and those of accounts that you coordinate, are counted"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_health = {"jobs health", of_health};
/* NOLINTEND(bugprone-macro-parentheses) */

static bool has_many_unknown(const struct health *health)
{
    return (double)health->jobs_unknown > health->most_unknown * (double)health->jobs;
}

static int print_text(const struct health *health, FILE *out)
{
    int rc = 0;
    if (health->count > 0)
        rc = wtl_jobs_table_print(&wtl_noun_jobs_sender, health->items, health->count,
                                  sizeof *health->items, NULL, NULL, out);
    else
        (void)fputs("No node has sent anything yet.\n", out);
    (void)fprintf(out,
                  "%" PRId64 " jobs ended in the last 24 hours; the energy of %" PRId64
                  " is unknown, of %" PRId64 " a lower bound.\n",
                  health->jobs, health->jobs_unknown, health->jobs_lower);
    if (has_many_unknown(health))
        (void)fprintf(out, "More are unknown than the %s %% that --unknown allows.\n",
                      WTL_IN_FIGURES(100 * health->most_unknown, 3));
    wtl_jobs_sum_notes(false, health->partial, out);
    if (health->lost > 0)
        (void)fprintf(out, "%" PRId64 " records are lost: see \"spool\" in wattle.conf(5).\n",
                      health->lost);
    (void)fputs(health->healthy ? "healthy\n" : "NOT healthy\n", out);
    return rc;
}

static int print(const struct health *health, enum wtl_format format, FILE *out)
{
    struct wtl_row_writer sheet;
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(
            out, wtl_noun_document("wattle.jobs-health/1", &wtl_noun_jobs_health, health));
    if (format == WTL_FORMAT_TEXT)
        return print_text(health, out);
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs health", &wtl_noun_jobs_sender);
    for (size_t i = 0; i < health->count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_sender, &health->items[i]);
    return 0;
}

/* ---- the action ---- */

static int compute(struct wtl_jobs_context *context,
                   const struct request *request,
                   struct health *health,
                   struct wattle_error *err)
{
    const struct wtl_job_query query = {.from_ns = health->now_ns - INT64_C(86400000000000)};
    int rc = wtl_jobs_context_open(context, request->database, WTL_STORE_READ, err);
    rc = rc < 0 ? rc : wtl_store_senders(context->store, take, health, err);
    bool all = true;
    rc = rc < 0 ? rc : wtl_store_sees(context->store, NULL, &all, err);
    health->partial = !all;
    rc = rc < 0 ? rc
                : wtl_store_totals(context->store, &query, WTL_GROUP_ALL, take_total, health, err);
    health->healthy = health->count > 0 &&
                      health->silent + health->late + health->lost + health->rejected == 0 &&
                      !has_many_unknown(health);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_health_command;
    struct wtl_command_line line;
    struct request request = {.silent_ns = UINT64_C(3600000000000), .unknown = 0.1};
    struct wtl_jobs_context context = {.store = NULL};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[0]);
    struct health health = {.now_ns = wtl_jobs_now(),
                            .silent_ns = request.silent_ns > INT64_MAX ? INT64_MAX
                                                                       : (int64_t)request.silent_ns,
                            .most_unknown = request.unknown};
    int rc = compute(&context, &request, &health, &err);
    rc = rc < 0 ? rc : print(&health, request.format, stdout);
    if (rc < 0)
        wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
    free(health.items);
    wtl_jobs_context_fini(&context);
    return rc < 0 || !health.healthy ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_jobs_health_command = {
    .verb = "jobs health",
    .run = run,
    .operands = "",
    .summary = "show silent nodes, backlogs and unknown energy",
    .text = "For monitoring. Exit status: 0 all is well; 1 a node is silent or late, records were\n"
            "lost or rejected, or the energy of too many jobs is unknown, or the database cannot\n"
            "be read; 2 usage error.\n",
    .options = options_table,
    .examples = "wattle jobs health\n"
                "wattle jobs health --silent 2h --unknown 5% --format json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
