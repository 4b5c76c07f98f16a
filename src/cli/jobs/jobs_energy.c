/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs energy": what jobs used on a list of nodes between two times. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/host_list.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/documents.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_items.h"
#include "report/json_value.h"

enum { NODES_MAX = 100000 };

struct request {
    struct wtl_jobs_filter filter;
    const char *nodes;
};

static const struct wtl_option options_table[] = {
    {'w', "nodes", "LIST", "only these nodes, such as n[1-3,7],m1 (default\nall)",
     WTL_TAKES_TEXT(struct request, nodes)},
    {0, "from", "TIME", "from TIME on, as in \"wattle jobs list\" (default\n1d)",
     WTL_TAKES_TEXT(struct request, filter.from)},
    {0, "to", "TIME", "until TIME (default now)", WTL_TAKES_TEXT(struct request, filter.to)},
    WTL_JOBS_OPTION_CLUSTER(struct request, filter),
    WTL_JOBS_OPTION_DATABASE(struct request, filter),
    WTL_OPTION_FORMAT(struct request, filter.format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

struct node {
    char cluster[64], name[256];
    int64_t records, unknown, lower, cut;
    double charged_j, cut_j; /* charged_j: NaN also if it is of several kinds */
    double sum_j;            /* of all kinds */
    struct wtl_job_kinds kinds;
    bool simulated, estimated, has_none; /* has_none: no job is known on it */
};

struct energy {
    struct node *items;
    size_t count;
    struct node all;
    double spread_squares; /* of the nodes, whose errors by resolution are independent */
    int64_t from_ns, to_ns;
    const char *const *wanted; /* nodes */
    size_t wanted_count;       /* 0 = all */
    bool *covered;             /* is it one of the nodes of a job of which only the sum is known? */
};

static int add_node(struct energy *energy, const struct node *node)
{
    if (wtl_grow(&energy->items, energy->count, sizeof *energy->items) < 0)
        return -ENOMEM;
    energy->items[energy->count++] = *node;
    return 0;
}

static void add_kinds(struct wtl_job_kinds *sum, const struct wtl_job_kinds *kinds, double factor)
{
    sum->estimated_j += factor * kinds->estimated_j;
    sum->low_j += factor * kinds->low_j;
    sum->high_j += factor * kinds->high_j;
    sum->simulated_j += factor * kinds->simulated_j;
    sum->half_j += kinds->half_j; /* of a part, no less */
    sum->spread_j += kinds->spread_j;
    sum->open += kinds->open;
}

/* Of how many of these nodes is the list? *ret_all: of how many nodes it is; 0 = it is cut off. */
static size_t count_common(struct energy *energy, const char *list, size_t *ret_all)
{
    char **names = NULL;
    size_t n = 0, common = 0;
    *ret_all = 0;
    if (!wtl_host_list_is_valid(list) || strpbrk(list, "*?") ||
        wtl_host_list_expand(list, NODES_MAX, &names, &n) < 0)
        return 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < energy->wanted_count; k++) {
            bool same = strcmp(names[i], energy->wanted[k]) == 0;
            common += same;
            energy->covered[k] |= same;
        }
        free(names[i]);
    }
    free(names);
    *ret_all = n;
    return common;
}

/*
 * Is the row of a node that was asked for? Of imported jobs on several nodes only the sum is known: of these it becomes the share of
 * the nodes that were asked for, as if all had drawn the same.
 */
static bool share_of_several(struct energy *energy, struct node *node)
{
    if (energy->wanted_count == 0)
        return true;
    for (size_t i = 0; i < energy->wanted_count; i++) {
        if (strcmp(energy->wanted[i], node->name) == 0)
            return true;
    }
    if (!strpbrk(node->name, "[,"))
        return false;
    size_t all, common = count_common(energy, node->name, &all);
    if (all > 0 && common == 0)
        return false;
    double part = all > 0 ? (double)common / (double)all : (double)NAN;
    const struct wtl_job_kinds whole = node->kinds;
    node->kinds = (struct wtl_job_kinds){0};
    if (all > 0)
        add_kinds(&node->kinds, &whole, part);
    else
        node->unknown = node->records;
    node->charged_j = node->sum_j = node->cut_j = node->sum_j * part;
    node->cut = node->records;
    return true;
}

static int take(void *arg, const struct wtl_node_row *row)
{
    struct energy *energy = arg;
    struct node node = {.records = row->records,
                        .unknown = row->records_unknown,
                        .lower = row->records_lower,
                        .cut = row->records_cut,
                        .charged_j = row->charged_j,
                        .sum_j = row->charged_j,
                        .kinds = row->kinds,
                        .cut_j = row->cut_j,
                        .simulated = row->simulated,
                        .estimated = row->estimated};
    struct node *all = &energy->all;
    (void)snprintf(node.cluster, sizeof node.cluster, "%s", row->cluster ? row->cluster : "");
    (void)snprintf(node.name, sizeof node.name, "%s", row->node ? row->node : "");
    if (!share_of_several(energy, &node))
        return 0;
    all->records += node.records;
    all->unknown += node.unknown;
    all->lower += node.lower;
    all->cut += node.cut;
    all->simulated |= node.simulated;
    all->estimated |= node.estimated;
    if (!isnan(node.sum_j)) {
        all->sum_j = isnan(all->sum_j) ? node.sum_j : all->sum_j + node.sum_j;
        all->cut_j += isnan(node.cut_j) ? 0 : node.cut_j;
        add_kinds(&all->kinds, &node.kinds, 1);
        energy->spread_squares += node.kinds.spread_j * node.kinds.spread_j;
    }
    node.kinds.half_j = wtl_jobs_sum_of(node.sum_j, &node.kinds).kinds.half_j;
    if (wtl_jobs_is_mixed(node.sum_j, &node.kinds))
        node.charged_j = (double)NAN;
    return add_node(energy, &node);
}

/* ---- printed forms ---- */

static const struct node *node_of(const void *of)
{
    return of;
}

static void name_cell(const void *of, char *text, size_t n)
{
    (void)snprintf(text, n, "%s", node_of(of)->name[0] ? node_of(of)->name : "total");
}

static void count_cell(int64_t count, char *text, size_t n)
{
    text[0] = '\0';
    if (count)
        (void)snprintf(text, n, "%lld", (long long)count);
}

static void records_cell(const void *of, char *text, size_t n)
{
    (void)snprintf(text, n, "%lld", (long long)node_of(of)->records);
}

static void unknown_cell(const void *of, char *text, size_t n)
{
    count_cell(node_of(of)->unknown, text, n);
}

static void energy_cell(const void *of, char *text, size_t n)
{
    const struct node *node = of;
    if (node->has_none)
        (void)snprintf(text, n, "no jobs");
    else
        (void)wtl_jobs_kinds_cell(node->sum_j, &node->kinds, node->unknown + node->lower > 0, text,
                                  n);
}

static void kwh_cell(const void *of, char *text, size_t n)
{
    const struct node *node = of;
    text[0] = '\0';
    if (!isnan(node->charged_j))
        (void)wtl_jobs_kwh_cell(node->charged_j, wtl_jobs_sum_half_j(&node->kinds),
                                node->unknown + node->lower > 0, text, n);
}

static void cut_cell(const void *of, char *text, size_t n)
{
    const struct node *node = of;
    text[0] = '\0';
    if (node->cut > 0)
        (void)wtl_jobs_energy_cell(node->cut_j, (double)NAN, false, text, n);
}

WTL_MEMBER_GET(get_kwh)
{
    wtl_value_number(ret, node_of(of)->charged_j / 3.6e6);
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define COUNT_OF(field) \
    .type = WTL_MEMBER_INTEGER, .get = wtl_jobs_get_from_0, .offset = offsetof(struct node, field)
static const struct wtl_member of_node[] = {
    {"node", WTL_NAME_AT(struct node, name), .nullable = true, .csv = 1, .text = 1,
     .heading = "node", .left = true, .cell = name_cell, .meaning = "its name; null: the total"},
    {"cluster", WTL_NAME_AT(struct node, cluster), .nullable = true, .csv = 2, .text = 2,
     .heading = "cluster", .left = true, .meaning = "its cluster; null: none"},
    {"jobs", COUNT_OF(records), .csv = 3, .text = 3, .heading = "jobs", .cell = records_cell,
     .meaning = "jobs on it in that time"},
    {"jobs_unknown", COUNT_OF(unknown), .csv = 4, .text = 4, .heading = "unknown",
     .cell = unknown_cell, .meaning = "jobs whose energy is unknown, and left out"},
    {"jobs_lower", COUNT_OF(lower), .csv = 5, .meaning = "jobs whose energy is a lower bound"},
    {"charged_j", WTL_NUMBER_OR_NULL(struct node, charged_j), .csv = 6, .digits = 15, .text = 5,
     .heading = "energy", .cell = energy_cell,
     .meaning = "energy that jobs are charged; null: unknown, or of several kinds, which are not "
                "added"},
    {"half_j", WTL_NUMBER_OR_NULL(struct node, kinds.half_j), .csv = 16, .digits = 15,
     .meaning = "half width of the interval of what is measured, or simulated: the sum over the "
                "jobs of a node; in the total, nodes are independent but for what counters tell; "
                "null: none, it is of both kinds, or unknown for a job"},
    {"estimated_j", WTL_NUMBER_AT(struct node, kinds.estimated_j), .csv = 12, .digits = 15,
     .meaning = "what is estimated of it"},
    {"estimated_low_j", WTL_NUMBER_AT(struct node, kinds.low_j), .csv = 13, .digits = 15,
     .meaning = "lower end of its interval"},
    {"estimated_high_j", WTL_NUMBER_AT(struct node, kinds.high_j), .csv = 14, .digits = 15,
     .meaning = "its upper end"},
    {"simulated_j", WTL_NUMBER_AT(struct node, kinds.simulated_j), .csv = 15, .digits = 15,
     .meaning = "what is simulated of it"},
    {"kwh", .type = WTL_MEMBER_NUMBER, .unit = "kWh", .nullable = true, .get = get_kwh, .csv = 7,
     .text = 6, .heading = "kWh", .cell = kwh_cell, .meaning = "the same in kWh"},
    {"jobs_cut", COUNT_OF(cut), .csv = 8,
     .meaning = "jobs that begin before that time or end after it, or of which only the sum of "
                "several nodes is known"},
    {"cut_j", WTL_NUMBER_OR_NULL(struct node, cut_j), .csv = 9, .text = 7, .heading = "by overlap",
     .cell = cut_cell,
     .meaning = "the part of charged_j that is of those: by the share of their time within, as if "
                "their power had been constant, and of their nodes, as if all had drawn the same"},
    {"simulated", WTL_BOOLEAN_AT(struct node, simulated), .csv = 10,
     .meaning = "some of it is of a simulated sensor"},
    {"estimated", WTL_BOOLEAN_AT(struct node, estimated), .csv = 11,
     .meaning = "some of it is an estimate, of nodes without a sensor"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_node = {"node with jobs", of_node};

static const struct wtl_member of_energy[] = {
    {"from_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct energy, from_ns), .meaning = "from this time on, since 1970"},
    {"to_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct energy, to_ns), .meaning = "until this time"},
    {"nodes", WTL_LIST_AT(struct energy, items, count, wtl_noun_jobs_node), .meaning = "below"},
    {"total", WTL_OBJECT_AT(struct energy, all, wtl_noun_jobs_node), .meaning = "of all"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_energy = {"jobs energy", of_energy};
/* NOLINTEND(bugprone-macro-parentheses) */

static int print_text(const struct energy *energy, FILE *out)
{
    wtl_jobs_period_print("Energy of jobs", energy->from_ns, energy->to_ns, out);
    (void)fputs(":\n", out);
    int rc = wtl_jobs_table_print(&wtl_noun_jobs_node, energy->items, energy->count,
                                  sizeof *energy->items, &energy->all, NULL, out);
    wtl_jobs_sum_notes(energy->all.unknown + energy->all.lower > 0, false, out);
    if (energy->all.cut > 0)
        (void)fputs("by overlap: of jobs that begin before or end after this time, by the share of "
                    "their time within;\nof imported jobs on several nodes, by the share of these "
                    "nodes.\n",
                    out);
    wtl_jobs_kinds_notes(energy->all.simulated, energy->all.estimated,
                         isnan(energy->all.charged_j) && energy->all.sum_j > 0, out);
    (void)fputs("What nodes use between jobs is not in it.", out);
    if (energy->count > 1)
        (void)fputs(" Nodes of the same model can differ by 20 % and more\nfor the same work.",
                    out);
    (void)fputc('\n', out);
    return rc;
}

static int print(const struct energy *energy, enum wtl_format format, FILE *out)
{
    struct wtl_row_writer sheet;
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(
            out, wtl_noun_document("wattle.jobs-energy/1", &wtl_noun_jobs_energy, energy));
    if (format == WTL_FORMAT_TEXT)
        return print_text(energy, out);
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs energy", &wtl_noun_jobs_node);
    for (size_t i = 0; i < energy->count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_node, &energy->items[i]);
    return 0;
}

/* ---- the action ---- */

struct nodes {
    char **items;
    size_t count;
};

static int expand(const struct wtl_command *command, const char *list, struct nodes *ret_nodes)
{
    if (!wtl_host_list_is_valid(list) || strpbrk(list, "*?") || !list[0])
        return wtl_usage(command, "--nodes: \"%s\" is not a list of nodes such as n[1-3,7],m1",
                         list);
    if (wtl_host_list_expand(list, NODES_MAX, &ret_nodes->items, &ret_nodes->count) < 0) {
        wtl_complain(command, "out of memory");
        return WTL_EXIT_FAILED;
    }
    if (ret_nodes->count == NODES_MAX)
        return wtl_usage(command, "--nodes: more than %d nodes", NODES_MAX - 1);
    return 0;
}

/* Nodes that were asked for and have no record are said to have none. */
static int add_others(struct energy *energy, const struct nodes *nodes)
{
    int rc = 0;
    const size_t known = energy->count;
    for (size_t i = 0; rc == 0 && i < nodes->count; i++) {
        size_t k = 0;
        while (k < known && strcmp(energy->items[k].name, nodes->items[i]) != 0)
            k++;
        struct node none = {
            .charged_j = (double)NAN, .sum_j = (double)NAN, .cut_j = (double)NAN, .has_none = true};
        (void)snprintf(none.name, sizeof none.name, "%s", nodes->items[i]);
        rc = k < known || energy->covered[i] ? 0 : add_node(energy, &none);
    }
    return rc;
}

static int compute(struct wtl_jobs_context *context,
                   const struct wtl_jobs_filter *filter,
                   const struct nodes *nodes,
                   struct energy *energy,
                   struct wattle_error *err)
{
    int rc = wtl_jobs_context_open(context, filter->database, WTL_STORE_READ, err);
    if (rc < 0)
        return rc;
    energy->wanted = (const char *const *)nodes->items;
    energy->wanted_count = nodes->count;
    energy->covered = calloc(nodes->count + 1, sizeof *energy->covered);
    if (!energy->covered)
        return wtl_no_memory(err);
    rc = wtl_store_nodes_energy(context->store, filter->cluster, NULL, 0, energy->from_ns,
                                energy->to_ns, take, energy, err);
    struct wtl_job_kinds *kinds = &energy->all.kinds;
    kinds->half_j = wtl_job_half_j(kinds->half_j, kinds->spread_j, energy->spread_squares);
    kinds->half_j = wtl_jobs_sum_of(energy->all.sum_j, kinds).kinds.half_j;
    energy->all.charged_j =
        wtl_jobs_is_mixed(energy->all.sum_j, &energy->all.kinds) ? (double)NAN : energy->all.sum_j;
    if (rc == 0)
        rc = add_others(energy, nodes);
    energy->all.has_none = energy->all.records == 0;
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_energy_command;
    struct wtl_command_line line;
    struct request request = {.nodes = NULL};
    struct wtl_jobs_context context = {.store = NULL};
    struct energy energy = {.all = {.charged_j = (double)NAN, .sum_j = (double)NAN}};
    struct nodes nodes = {NULL, 0};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(command, "unexpected argument \"%s\"; give nodes with --nodes",
                         line.words[0]);
    status = wtl_jobs_filter_period(command, &request.filter, "1d", &energy.from_ns, &energy.to_ns);
    if (status == 0 && request.nodes)
        status = expand(command, request.nodes, &nodes);
    if (status == 0) {
        int rc = compute(&context, &request.filter, &nodes, &energy, &err);
        rc = rc < 0 ? rc : print(&energy, request.filter.format, stdout);
        if (rc < 0)
            wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
        status = rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
    }
    for (size_t i = 0; i < nodes.count; i++)
        free(nodes.items[i]);
    free(nodes.items);
    free(energy.items);
    free(energy.covered);
    wtl_jobs_context_fini(&context);
    return status;
}

const struct wtl_command wtl_jobs_energy_command = {
    .verb = "jobs energy",
    .run = run,
    .operands = "",
    .summary = "show the energy of jobs on nodes between two times",
    .text = "Jobs that begin before or end after this time count by the share of their time\n"
            "within it, and this part is printed beside.\n",
    .options = options_table,
    .examples = "wattle jobs energy --nodes n[1-3] --from today\n"
                "wattle jobs energy -w n1,n2 --from 2026-11-26T08:00 --to 2026-11-26T10:00\n",
    .usage_exit = WTL_EXIT_USAGE,
};
