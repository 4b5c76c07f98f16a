/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of many nodes as nouns: the document "wattle.reduce/1" and its rows as CSV. */
#include <math.h>
#include <string.h>

#include "base/whole.h"
#include "report/cluster/run_report.h"
#include "report/json_value.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const unsigned char quality_columns[] = {4, 5, 22}, energy_columns[] = {10, 11, 12, 13};
static const signed char energy_digits[] = {12, 6, 9, 9};

/* ---- sums ---- */

WTL_MEMBER_GET(spread_of)
{
    wtl_get_here(member, of, ret);
    ret->known = ((const struct wtl_run_spread *)ret->noun)->nodes > 0;
}

static const struct wtl_member of_spread[] = {
    {"mean_j", WTL_NUMBER_AT(struct wtl_run_spread, mean), .meaning = "of a node"},
    {"sd_j", WTL_NUMBER_OR_NULL(struct wtl_run_spread, sd),
     .meaning = "null for fewer than two nodes"},
    {"min_j", WTL_NUMBER_AT(struct wtl_run_spread, min), .csv = 15, .digits = 12,
     .meaning = "the least"},
    {"min_node", WTL_TEXT_AT(struct wtl_run_spread, min_node), .csv = 16, .meaning = "whose"},
    {"median_j", WTL_NUMBER_AT(struct wtl_run_spread, median), .csv = 17, .digits = 12,
     .meaning = "for an even number of nodes, the lower of the two middle values"},
    {"median_node", WTL_TEXT_AT(struct wtl_run_spread, median_node), .meaning = "whose"},
    {"max_j", WTL_NUMBER_AT(struct wtl_run_spread, max), .csv = 18, .digits = 12,
     .meaning = "the greatest"},
    {"max_node", WTL_TEXT_AT(struct wtl_run_spread, max_node), .csv = 19, .meaning = "whose"},
    {.key = NULL}};
static const struct wtl_noun spread = {"spread over nodes", of_spread};

#define SPREAD_AT(T, member) .get = spread_of, .offset = offsetof(T, member), .of = &spread

static const struct wtl_member of_known[] = {
    {"", WTL_MEMBER_PART, .get = wtl_get_energy_quality, .of = &wtl_noun_quality,
     .offset = offsetof(struct wtl_run_sum, energy), .csv_all = quality_columns},
    {"nodes", WTL_SIZE_AT(struct wtl_run_sum, nodes), .csv = 7,
     .meaning = "number of nodes with known energy"},
    {"unknown_nodes", WTL_SIZE_AT(struct wtl_run_sum, unknown), .csv = 20,
     .meaning = "number of nodes with unknown energy"},
    {"", WTL_PART_AT(struct wtl_run_sum, energy, wtl_noun_energy), .csv_all = energy_columns,
     .csv_digits = energy_digits},
    {"known_j", WTL_NUMBER_OR_NULL(struct wtl_run_sum, energy.known_j), .csv = 21, .digits = 12,
     .meaning = "energy of the known nodes, a lower bound of the sum; null if none is known"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run_known = {"energy over nodes", of_known};

static const struct wtl_member of_partial[] = {
    {"unknown_s", WTL_NUMBER_AT(struct wtl_run_sum, unknown_s), .csv = 23, .digits = -9,
     .meaning = "time whose energy is left out, maximum over nodes; always 0 for a region, which "
                "is unknown in that case"},
    {"partial_nodes", WTL_SIZE_AT(struct wtl_run_sum, partial),
     .meaning = "number of known nodes with such a time"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run_partial = {"partial nodes", of_partial};

static const struct wtl_member of_sum[] = {
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &wtl_noun_run_known},
    {"mean_w", WTL_NUMBER_OR_NULL(struct wtl_run_sum, mean_w), .csv = 14,
     .meaning =
         "energy over the time of the run, with the mean power of the node assumed for its unknown "
         "time; for a region, over the mean time that a node spent in it, times the nodes"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &wtl_noun_run_partial},
    {"per_node", WTL_MEMBER_OBJECT, .nullable = true, SPREAD_AT(struct wtl_run_sum, per),
     .meaning = "below; null if none is known"},
    {"", WTL_MEMBER_PART, SPREAD_AT(struct wtl_run_sum, per), .not_json = true},
    {"interval_only", WTL_BOOLEAN_AT(struct wtl_run_sum, energy.interval_only), .not_json = true,
     .csv = 24},
    {.key = NULL}};
static const struct wtl_noun sum_noun = {"sum over nodes", of_sum};

/* null: not a flag of a node. */
WTL_MEMBER_GET(sum_of)
{
    const struct wtl_run_sum *sum;
    wtl_get_here(member, of, ret);
    sum = ret->noun;
    ret->known = sum->nodes + sum->unknown > 0;
}
#define SUM_AT(T, member)                                                                      \
    .type = WTL_MEMBER_OBJECT, .nullable = true, .get = sum_of, .offset = offsetof(T, member), \
    .of = &sum_noun

/* If nodes have different sensors, no description applies to all of them. */
WTL_MEMBER_GET(words)
{
    wtl_get_text(member, of, ret);
    ret->known = !((const struct wtl_run_totals *)of)->mixed;
}
#define WORDS_AT(member)                                     \
    .type = WTL_MEMBER_TEXT, .nullable = true, .get = words, \
    .offset = offsetof(struct wtl_run_totals, member)

static const struct wtl_member of_total[] = {
    {"measured", SUM_AT(struct wtl_run_totals, measured),
     .meaning = "sum over nodes; null without such nodes"},
    {"estimated", SUM_AT(struct wtl_run_totals, estimated),
     .meaning = "likewise; never add it to the measured one"},
    {"contains", WORDS_AT(contains), .meaning = "in words"},
    {"excludes", WORDS_AT(excludes), .meaning = "what is left out"},
    {"mixed", WTL_BOOLEAN_AT(struct wtl_run_totals, mixed),
     .meaning = "the totals of the nodes contain different parts because their sensors differ"},
    {.key = NULL}};
static const struct wtl_noun total = {"total over nodes", of_total};

WTL_MEMBER_GET(domain_name)
{
    wtl_value_text(ret, wattle_domain_name(((const struct wtl_run_domain_sum *)of)->domain));
}

static const struct wtl_member of_domain[] = {
    {"domain", WTL_MEMBER_TEXT, .get = domain_name, .csv = 3, .csv_key = "name",
     .meaning = "as in wattle.run/1"},
    {"in_total", WTL_BOOLEAN_AT(struct wtl_run_domain_sum, in_total), .csv = 6,
     .meaning = "it is part of the total on every node"},
    {"channels", WTL_SIZE_AT(struct wtl_run_domain_sum, channels), .meaning = "their number"},
    {"", WTL_PART_AT(struct wtl_run_domain_sum, sum, sum_noun)},
    {.key = NULL}};
static const struct wtl_noun domain = {"domain over nodes", of_domain};

WTL_MEMBER_GET(region_name)
{
    const struct wtl_run_region_sum *region = of;
    wtl_value_text(ret, region->name[0] ? region->name : NULL);
}

static const struct wtl_member of_region[] = {
    {"region", WTL_MEMBER_TEXT, .nullable = true, .get = region_name, .csv = 3, .csv_key = "name",
     .meaning = "null: outside all regions"},
    {"count", WTL_COUNT_AT(struct wtl_run_region_sum, count), .csv = 8,
     .meaning = "number of visits"},
    {"thread_s", WTL_NUMBER_AT(struct wtl_run_region_sum, thread_s),
     .meaning = "summed over threads and nodes"},
    {"union_s", WTL_NUMBER_AT(struct wtl_run_region_sum, union_s), .csv = 9, .csv_key = "time_s",
     .digits = -9, .meaning = "time in which any thread of a node was inside; summed over nodes"},
    {"exclusive_s", WTL_NUMBER_AT(struct wtl_run_region_sum, exclusive_s),
     .meaning = "time in which it was the innermost region of any thread; likewise"},
    {"unbalanced", WTL_COUNT_AT(struct wtl_run_region_sum, unbalanced),
     .meaning = "begins without end, and ends without begin"},
    {"crossing", WTL_COUNT_AT(struct wtl_run_region_sum, crossing),
     .meaning = "visits that ended while not innermost"},
    {"interval_only", WTL_BOOLEAN_AT(struct wtl_run_region_sum, inclusive.energy.interval_only),
     .meaning = "too short for the sampling interval on some node"},
    {"inclusive", SUM_AT(struct wtl_run_region_sum, inclusive), .meaning = "a sum"},
    {"exclusive", SUM_AT(struct wtl_run_region_sum, exclusive), .meaning = "a sum"},
    {"", WTL_PART_AT(struct wtl_run_region_sum, inclusive, sum_noun), .not_json = true},
    {.key = NULL}};
static const struct wtl_noun region = {"region over nodes", of_region};

/* ---- nodes ---- */

static const char *const aligned_names[] = {"not", "realtime", "sync"};

WTL_MEMBER_GET(residual)
{
    wtl_get_u64(member, of, ret);
    ret->known = ret->count != WTL_RESIDUAL_UNKNOWN;
}
#define RESIDUAL_AT(T, member) \
    .type = WTL_MEMBER_INTEGER, .nullable = true, .get = residual, .offset = offsetof(T, member)

/* A total; without channels if there is none. */
WTL_MEMBER_GET(total_quality)
{
    const struct wtl_run_part *part = of;
    wtl_value_quality(ret, part->channels > 0, part->energy.quality, part->energy.simulated);
}

static const struct wtl_member of_part[] = {
    {"", WTL_MEMBER_PART, .get = total_quality, .of = &wtl_noun_quality,
     .csv_all = quality_columns},
    {"", WTL_PART_AT(struct wtl_run_part, energy, wtl_noun_energy), .csv_all = energy_columns,
     .csv_digits = energy_digits},
    {"mean_w", WTL_NUMBER_OR_NULL(struct wtl_run_part, mean_w), .csv = 14,
     .meaning = "mean power over the known time"},
    {"unknown_s", WTL_NUMBER_OR_NULL(struct wtl_run_part, unknown_s), .csv = 23, .digits = -9,
     .meaning = "time whose energy is left out"},
    {"interval_only", WTL_BOOLEAN_AT(struct wtl_run_part, energy.interval_only), .not_json = true,
     .csv = 24},
    {.key = NULL}};
static const struct wtl_noun part = {"total of a node", of_part};

struct node {
    const struct wtl_run_row *row;
    const char *name, *path, *host, *contains;
    double begin_s, end_s;
    enum wtl_run_aligned aligned;
    uint64_t residual_ns;
    struct wtl_run_part total;
};
_Static_assert(sizeof(struct node) <= sizeof((struct wtl_value *)0)->room, "a value has room");

static struct node node_of(const struct wtl_run *run, size_t i)
{
    const struct wtl_run_node *at = wtl_run_node(run, i);
    const struct wtl_run_row *row = at->row;
    struct node node = {.row = row,
                        .name = at->name,
                        .path = at->path,
                        .aligned = at->clock.aligned,
                        .residual_ns = at->clock.residual_ns,
                        .host = row->host[0] ? row->host : NULL,
                        .contains = row->total.channels > 0 ? row->contains : NULL,
                        .begin_s = wtl_seconds_between(wtl_run_begin(run), at->begin_ns),
                        .end_s = wtl_seconds_between(wtl_run_begin(run), at->end_ns),
                        .total = row->total};
    if (row->total.channels == 0) {
        node.total.energy = wtl_energy_unknown();
        node.total.mean_w = node.total.unknown_s = NAN;
    }
    return node;
}

static bool next_rank(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run_row *row = of;
    if (*cursor >= row->rank_count)
        return false;
    wtl_value_integer(ret, row->ranks[(*cursor)++], true);
    return true;
}

static const struct wtl_member of_row[] = {
    {"mpi_s", WTL_NUMBER_OR_NULL(struct wtl_run_row, mpi_s),
     .meaning = "time in MPI, over its ranks"},
    {"ranks", WTL_MEMBER_INTEGERS, .next = next_rank, .meaning = "MPI ranks that ran on it"},
    {"flags", WTL_LIST_AT(struct wtl_run_row, flags, flag_count, wtl_noun_flag),
     .meaning = "flags of its result: `name` and `text`"},
    {.key = NULL}};
static const struct wtl_noun row_noun = {"row of a node", of_row};

static const struct wtl_member of_node[] = {
    {"name", WTL_TEXT_AT(struct node, name), .meaning = "unique in the run"},
    {"host", WTL_TEXT_OR_NULL(struct node, host), .meaning = "host name in its trace"},
    {"trace", WTL_TEXT_AT(struct node, path), .meaning = "path"},
    {"begin_s", WTL_NUMBER_AT(struct node, begin_s),
     .meaning = "start of its window, relative to the start of the run"},
    {"end_s", WTL_NUMBER_AT(struct node, end_s), .meaning = "likewise"},
    {"aligned", WTL_WORD_AT(struct node, aligned, aligned_names),
     .meaning = "sync, realtime or not"},
    {"residual_ns", RESIDUAL_AT(struct node, residual_ns), .meaning = "maximum clock error"},
    {"", WTL_PART_AT(struct node, total, part)},
    {"contains", WTL_TEXT_OR_NULL(struct node, contains), .meaning = "what its total contains"},
    {"", WTL_PART_OF(struct node, row, row_noun)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run_node = {"node of a run", of_node};

json_t *wtl_json_run_nodes(const struct wtl_run *run)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        const struct node node = node_of(run, i);
        wtl_json_add(&list, wtl_noun_json(&wtl_noun_run_node, &node));
    }
    return wtl_json_done(&list);
}

/* ---- flags and missing traces ---- */

static const struct wtl_member of_flag[] = {
    {"name", WTL_CHARS_AT(struct wtl_run_flag, flag.name), .meaning = "as in wattle(1)"},
    {"nodes", WTL_SIZE_AT(struct wtl_run_flag, nodes), .meaning = "number of nodes with this flag"},
    {"first_node", WTL_TEXT_OR_NULL(struct wtl_run_flag, first),
     .meaning = "null: a flag of the run itself (INCOMPLETE, MIXED, ESTIMATES_LEFT_OUT, MISSING)"},
    {"text", WTL_CHARS_AT(struct wtl_run_flag, flag.text), .meaning = "a sentence"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_run_flag = {"flag of nodes", of_flag};

static const struct wtl_member of_refused[] = {
    {"trace", WTL_TEXT_AT(struct wtl_run_refused, path), .meaning = "path"},
    {"why", WTL_CHARS_AT(struct wtl_run_refused, why), .meaning = "why it is not in the run"},
    {.key = NULL}};
static const struct wtl_noun refused = {"refused trace", of_refused};

/* ---- the document ---- */

struct head {
    const char *id, *command, *ranks;
    size_t nodes;
    int64_t begin_ns;
    double wall_s;
    enum wtl_run_aligned aligned;
    uint64_t residual_ns;
};

static const struct wtl_run_report *report_of(const void *of)
{
    return of;
}

WTL_MEMBER_GET(head_of)
{
    const struct wtl_run *run = report_of(of)->run;
    struct head head = {.id = wtl_run_id(run)[0] ? wtl_run_id(run) : NULL,
                        .command = wtl_run_command_line(run)[0] ? wtl_run_command_line(run) : NULL,
                        .ranks = report_of(of)->group,
                        .nodes = wtl_run_node_count(run),
                        .begin_ns = wtl_run_begin(run),
                        .wall_s = report_of(of)->totals->wall_s};
    head.aligned = wtl_run_alignment(run, &head.residual_ns);
    wtl_value_copy(ret, &head, sizeof head);
}

WTL_MEMBER_GET(begin_ns)
{
    wtl_value_integer(ret, ((const struct head *)of)->begin_ns, true);
}

static const struct wtl_member of_head[] = {
    {"id", WTL_TEXT_OR_NULL(struct head, id), .meaning = "ID of the run"},
    {"command", WTL_TEXT_OR_NULL(struct head, command),
     .meaning = "null if it differs between nodes"},
    {"ranks", WTL_TEXT_OR_NULL(struct head, ranks), .meaning = "the group"},
    {"nodes", WTL_SIZE_AT(struct head, nodes), .meaning = "their number"},
    {"begin_ns", WTL_MEMBER_INTEGER, .get = begin_ns,
     .meaning = "start of the first node in the reference time of the run ([run.md](run.md))"},
    {"wall_time_s", WTL_NUMBER_AT(struct head, wall_s),
     .meaning = "time from there to the last end"},
    {"aligned", WTL_WORD_AT(struct head, aligned, aligned_names),
     .meaning = "sync, realtime or not: the worst of all nodes"},
    {"residual_ns", RESIDUAL_AT(struct head, residual_ns), .meaning = "maximum over nodes"},
    {.key = NULL}};
static const struct wtl_noun head_noun = {"head of a run", of_head};

static bool next_node(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run *run = report_of(of)->run;
    if (*cursor >= wtl_run_node_count(run))
        return false;
    const struct node node = node_of(run, (*cursor)++);
    wtl_value_copy(ret, &node, sizeof node);
    return true;
}

static bool next_refused(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run *run = report_of(of)->run;
    bool more = *cursor < wtl_run_refused_count(run);
    ret->noun = more ? wtl_run_refused(run, (*cursor)++) : NULL;
    return more;
}

static bool next_missing(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run *run = report_of(of)->run;
    bool more = *cursor < wtl_run_missing_count(run);
    ret->text = more ? wtl_run_missing(run, (*cursor)++) : NULL;
    return more;
}

static const struct wtl_member of_sums[] = {
    {"domains", WTL_LIST_AT(struct wtl_run_totals, domains, domain_count, domain),
     .meaning = "below; measured and estimated energy are separate entries"},
    {"regions", WTL_LIST_AT(struct wtl_run_totals, regions, region_count, region),
     .meaning = "below"},
    {.key = NULL}};
static const struct wtl_noun sums = {"sums of a run", of_sums};

static const struct wtl_member of_flags[] = {
    {"flags", WTL_LIST_AT(struct wtl_run_totals, flags.items, flags.count, wtl_noun_run_flag),
     .meaning = "flags of the results of the nodes, then of the run, below"},
    {.key = NULL}};
static const struct wtl_noun flags = {"flags of a run", of_flags};

static const struct wtl_member of_report[] = {
    {"run", WTL_MEMBER_OBJECT, .get = head_of, .of = &head_noun, .meaning = "below"},
    {"total", WTL_OBJECT_OF(struct wtl_run_report, totals, total), .meaning = "below"},
    {"", WTL_PART_OF(struct wtl_run_report, totals, sums)},
    {"nodes", WTL_MEMBER_LIST, .next = next_node, .of = &wtl_noun_run_node, .meaning = "below"},
    {"", WTL_PART_OF(struct wtl_run_report, totals, flags)},
    {"refused", WTL_MEMBER_LIST, .next = next_refused, .of = &refused,
     .meaning = "skipped files: `trace` and `why`"},
    {"missing", WTL_MEMBER_LIST, .next = next_missing,
     .meaning = "nodes of the job without a trace"},
    {"written", WTL_TEXTS_AT(struct wtl_run_report, written, written_count),
     .meaning = "paths of the files written"},
    {"notes", WTL_TEXTS_AT(struct wtl_run_report, notes, note_count),
     .meaning = "notes on the files"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_reduce = {"reduce", of_report};

json_t *wtl_json_run(const struct wtl_run_report *report)
{
    return wtl_noun_document("wattle.reduce/1", &wtl_noun_reduce, report);
}

/* ---- described here, printed in sequence ---- */

static const struct wtl_member of_run[] = {{"", WTL_MEMBER_PART, .of = &wtl_noun_run},
                                           {"nodes", WTL_MEMBER_LIST, .of = &wtl_noun_run_node,
                                            .when = "`wattle stats` of a run file",
                                            .meaning = "as in [reduce.md](reduce.md)"},
                                           {.key = NULL}};
const struct wtl_noun wtl_noun_run_of_nodes = {"run", of_run};

static const struct wtl_member of_run_document[] = {
    {"schema", WTL_MEMBER_TEXT, .meaning = "`wattle.run/1`"},
    {"wattle_version", WTL_MEMBER_TEXT, .meaning = "version of the program that printed it"},
    {"", WTL_MEMBER_PART, .of = &wtl_noun_run_of_nodes},
    {.key = NULL}};
static const struct wtl_noun run_document = {"run document with nodes", of_run_document};

static const struct wtl_member of_stats[] = {
    {"results", WTL_MEMBER_LIST, .of = &run_document,
     .meaning = "a `wattle.run/1` document for each trace"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_stats = {"stats", of_stats};

static const struct wtl_member of_reduce_document[] = {
    {"schema", WTL_MEMBER_TEXT, .meaning = "`wattle.reduce/1`"},
    {"wattle_version", WTL_MEMBER_TEXT, .meaning = "version of the program that printed it"},
    {"", WTL_MEMBER_PART, .of = &wtl_noun_reduce},
    {.key = NULL}};
static const struct wtl_noun reduce_document = {"reduce document", of_reduce_document};

static const struct wtl_member of_groups[] = {
    {"groups", WTL_MEMBER_LIST, .of = &reduce_document,
     .meaning = "a `wattle.reduce/1` document for each group of ranks"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_reduce_groups = {"groups", of_groups};

/* ---- CSV ---- */

/* A row for the total, a domain, a region or a node. */
struct row {
    const char *ranks, *what, *name;
    double time_s;
    const struct wtl_run_sum *sum;
    const struct wtl_run_domain_sum *domain;
    const struct wtl_run_region_sum *region;
    const struct wtl_run_part *total;
};

static const struct wtl_member of_csv[] = {
    {"ranks", WTL_TEXT_OR_NULL(struct row, ranks), .csv = 1},
    {"what", WTL_TEXT_AT(struct row, what), .csv = 2},
    {"name", WTL_TEXT_OR_NULL(struct row, name), .csv = 3},
    {"time_s", WTL_NUMBER_OR_NULL(struct row, time_s), .csv = 9, .digits = -9},
    {"", WTL_PART_OF(struct row, sum, sum_noun)},
    {"", WTL_PART_OF(struct row, domain, domain)},
    {"", WTL_PART_OF(struct row, region, region)},
    {"", WTL_PART_OF(struct row, total, part)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_reduce_row = {"reduce row", of_csv};

static void put_row(struct wtl_row_writer *sheet, size_t columns, const struct row row)
{
    wtl_noun_csv_row(sheet, columns, &wtl_noun_reduce_row, &row);
}

static void csv_run(struct wtl_row_writer *sheet,
                    size_t columns,
                    const struct wtl_run_report *report)
{
    const struct wtl_run_totals *totals = report->totals;
    const struct wtl_run_sum *sum[] = {&totals->measured, &totals->estimated};
    for (size_t i = 0; i < 2; i++)
        if (sum[i]->nodes + sum[i]->unknown > 0)
            put_row(sheet, columns,
                    (struct row){report->group, "total", "total", totals->wall_s, .sum = sum[i]});
    for (size_t i = 0; i < totals->domain_count; i++)
        put_row(sheet, columns,
                (struct row){report->group, "domain", NULL, (double)NAN,
                             .domain = &totals->domains[i]});
    for (size_t i = 0; i < totals->region_count; i++)
        put_row(sheet, columns,
                (struct row){report->group, "region", NULL, (double)NAN,
                             .region = &totals->regions[i]});
    for (size_t i = 0; i < wtl_run_node_count(report->run); i++) {
        const struct wtl_run_node *node = wtl_run_node(report->run, i);
        const struct wtl_run_row *row = node->row;
        put_row(sheet, columns,
                (struct row){report->group, "node", node->name,
                             (double)(row->end_ns - row->begin_ns) * 1e-9,
                             .total = row->total.channels > 0 ? &row->total : NULL});
    }
}
/* NOLINTEND(bugprone-macro-parentheses) */

void wtl_csv_runs(FILE *out, const struct wtl_run_report *reports, size_t count)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "reduce", &wtl_noun_reduce_row);
    for (size_t i = 0; i < count; i++)
        csv_run(&sheet, columns, &reports[i]);
    wtl_row_writer_end(&sheet);
}
