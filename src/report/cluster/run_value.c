/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of many nodes as an object of the document: see run_document.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/cluster/run_document.h"
#include "report/cluster/run_report.h"
#include "report/cluster/run_shares.h"
#include "report/phases/phases_report.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_member of_description[] = {
    {"n", WTL_SIZE_AT(struct wtl_description, n), .meaning = "number of known values"},
    {"mean", WTL_NUMBER_OR_NULL(struct wtl_description, mean),
     .meaning = "mean of the known values"},
    {"sd", WTL_NUMBER_OR_NULL(struct wtl_description, sd), .meaning = "null for fewer than two"},
    {"min", WTL_NUMBER_OR_NULL(struct wtl_description, min), .meaning = "the least"},
    {"p5", WTL_NUMBER_OR_NULL(struct wtl_description, p5), .meaning = "percentile"},
    {"q1", WTL_NUMBER_OR_NULL(struct wtl_description, q1), .meaning = "quartile"},
    {"median", WTL_NUMBER_OR_NULL(struct wtl_description, median), .meaning = "median"},
    {"q3", WTL_NUMBER_OR_NULL(struct wtl_description, q3), .meaning = "quartile"},
    {"p95", WTL_NUMBER_OR_NULL(struct wtl_description, p95), .meaning = "percentile"},
    {"max", WTL_NUMBER_OR_NULL(struct wtl_description, max), .meaning = "the greatest"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_description = {"description", of_description};

#define DESCRIPTION(T, member) WTL_OBJECT_AT(T, member, wtl_noun_description)

/* The data of the run. */
struct content {
    const struct wtl_run_profile *profile;
    const struct wtl_run_facts *facts;
    const char *name, *contains, *least, *median, *most, *clock;
    bool details, has_network;
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1], *first_share;
    size_t share_count;
    double network_j, network_share, network_w;
    uint64_t ranks;
    struct wtl_description mpi;
    size_t *nodes; /* that are listed: their numbers */
    size_t node_count, nodes_left_out;
    struct wtl_run_heat heat[2];
};

static const struct content *content_of(const void *of)
{
    return of;
}

/* ---- parts ---- */

struct part {
    const struct wtl_profile_part *part;
    const char *domain, *within;
};

static const struct wtl_member of_part[] = {
    {"name", WTL_TEXT_AT(struct wtl_profile_part, name), WTL_VIA(struct part, part),
     .meaning = "`total`, `package`, .."},
    {"domain", WTL_TEXT_OR_NULL(struct part, domain), .meaning = "null: the total"},
    {"within", WTL_TEXT_OR_NULL(struct part, within), .meaning = "part that contains it"},
    {"in_total", WTL_BOOLEAN_AT(struct wtl_profile_part, in_total), WTL_VIA(struct part, part),
     .meaning = "part of the total of at least one node"},
    {"", WTL_PART_AT(struct wtl_profile_part, sum, wtl_noun_run_known), WTL_VIA(struct part, part)},
    {"", WTL_PART_AT(struct wtl_profile_part, sum, wtl_noun_run_partial),
     WTL_VIA(struct part, part)},
    {"in_total_j", WTL_NUMBER_OR_NULL(struct wtl_profile_part, in_total_j),
     WTL_VIA(struct part, part),
     .meaning = "share of it in the totals of the nodes; nodes whose total uses another sensor are "
                "left out"},
    {"node_w", DESCRIPTION(struct wtl_profile_part, node_w), WTL_VIA(struct part, part),
     .meaning = "summary of the mean power of each node"},
    {.key = NULL}};
static const struct wtl_noun part_noun = {"part of the machine", of_part};

static bool next_part(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run_profile *p = content_of(of)->profile;
    size_t k = (*cursor)++;
    if (k >= p->part_count)
        return false;
    const struct wtl_profile_part *at = &p->parts[k];
    const struct part part = {at, k ? wattle_domain_name(at->domain) : NULL,
                              at->within[0] ? at->within : NULL};
    wtl_value_copy(ret, &part, sizeof part);
    return true;
}

static const struct wtl_member of_share[] = {
    {"name", WTL_TEXT_AT(struct wtl_run_share, name), .meaning = "name of the part"},
    {"energy_j", WTL_NUMBER_AT(struct wtl_run_share, energy_j), .meaning = "energy of the part"},
    {"share", WTL_NUMBER_AT(struct wtl_run_share, share), .meaning = "share; all shares sum to 1"},
    {"derived", WTL_BOOLEAN_AT(struct wtl_run_share, rest),
     .meaning = "rest of a sensor that covers everything, or of nodes whose parts are unknown"},
    {.key = NULL}};
static const struct wtl_noun share = {"share of the total", of_share};

static bool next_unmeasured(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return wtl_next_word(ret, cursor, content_of(of)->profile->totals.excludes);
}

struct curve {
    const char *part;
    const struct wtl_profile_curve *of;
    size_t cells;
    const float *sum, *mean, *min, *q1, *median, *q3, *max;
};

static bool next_covered(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct curve *curve = of;
    bool more = *cursor < curve->cells;
    ret->number = more ? (double)curve->of->covered[(*cursor)++] : 0;
    return more;
}

static const struct wtl_member of_curve[] = {
    {"part", WTL_TEXT_AT(struct curve, part), .meaning = "its name"},
    {"sum", WTL_PACKED_AT(struct curve, sum, cells),
     .meaning =
         "W summed over the `covered` nodes, for each cell; unknown nodes are not counted as zero"},
    {"mean", WTL_PACKED_AT(struct curve, mean, cells), .meaning = "likewise"},
    {"min", WTL_PACKED_AT(struct curve, min, cells), .meaning = "likewise"},
    {"q1", WTL_PACKED_AT(struct curve, q1, cells), .meaning = "likewise"},
    {"median", WTL_PACKED_AT(struct curve, median, cells), .meaning = "likewise"},
    {"q3", WTL_PACKED_AT(struct curve, q3, cells), .meaning = "likewise"},
    {"max", WTL_PACKED_AT(struct curve, max, cells), .meaning = "likewise"},
    {"covered", WTL_MEMBER_PACKED, .next = next_covered, .meaning = "number of known nodes"},
    {.key = NULL}};
static const struct wtl_noun curve_noun = {"curve", of_curve};

static bool next_curve(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run_profile *p = content_of(of)->profile;
    size_t k = (*cursor)++;
    if (k >= (content_of(of)->details ? p->part_count : p->part_count > 0))
        return false;
    const struct wtl_profile_curve *c = &p->parts[k].curve;
    const struct curve curve = {p->parts[k].name, c,     p->cells,  c->sum, c->mean,
                                c->min,           c->q1, c->median, c->q3,  c->max};
    wtl_value_copy(ret, &curve, sizeof curve);
    return true;
}

/* ---- regions ---- */

/* Curves only of the regions with the most energy: each takes about ten KB. */
enum { REGION_CURVES = 24 };

struct region {
    const struct wtl_profile_region *region;
    const struct wtl_run_region_sum *sum;
    size_t cells;
    const float *mean, *min, *max; /* NULL: without */
};

static bool next_inside(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct region *region = of;
    bool more = *cursor < region->cells;
    ret->number = more ? (double)region->region->inside[(*cursor)++] : 0;
    return more;
}

WTL_MEMBER_GET(inside)
{
    ret->known = ((const struct region *)of)->mean != NULL;
}

static const char curves[] = "single run only, for the 24 with the most energy";
static const struct wtl_member of_region_sum[] = {
    {"name", WTL_TEXT_AT(struct wtl_run_region_sum, name), .meaning = "empty: outside all regions"},
    {"nodes", WTL_SIZE_AT(struct wtl_run_region_sum, stay_count),
     .meaning = "number of nodes with the region"},
    {"unknown_nodes", WTL_SIZE_AT(struct wtl_run_region_sum, inclusive.unknown),
     .meaning = "of these, nodes with unknown energy"},
    {"unresolved_nodes", WTL_SIZE_AT(struct wtl_run_region_sum, unresolved),
     .meaning = "of these, nodes whose energy is known only as an interval because the region is "
                "too short for the sampling interval"},
    {"count", WTL_COUNT_AT(struct wtl_run_region_sum, count), .meaning = "number of visits"},
    {"union_s", WTL_NUMBER_AT(struct wtl_run_region_sum, union_s),
     .meaning = "time in which it was open, summed over nodes"},
    {"", WTL_PART_AT(struct wtl_run_region_sum, inclusive.energy, wtl_noun_energy)},
    {"known_j", WTL_NUMBER_OR_NULL(struct wtl_run_region_sum, inclusive.energy.known_j),
     .meaning = "energy of the known nodes"},
    {.key = NULL}};
static const struct wtl_noun region_sum = {"sum of a region", of_region_sum};

static const struct wtl_member of_region[] = {
    {"", WTL_PART_OF(struct region, sum, region_sum)},
    {"node_j", DESCRIPTION(struct wtl_profile_region, node_j), WTL_VIA(struct region, region),
     .meaning = "summary over nodes"},
    {"node_w", DESCRIPTION(struct wtl_profile_region, node_w), WTL_VIA(struct region, region),
     .meaning = "summary without nodes known only as an interval"},
    {"node_s", DESCRIPTION(struct wtl_profile_region, node_s), WTL_VIA(struct region, region),
     .meaning = "likewise"},
    {"mean", WTL_PACKED_AT(struct region, mean, cells), .when = curves,
     .meaning = "power of the nodes while inside, weighted by the time inside"},
    {"min", WTL_PACKED_AT(struct region, min, cells), .when = curves,
     .meaning = "minimum over nodes that were inside for at least half of the cell"},
    {"max", WTL_PACKED_AT(struct region, max, cells), .when = curves, .meaning = "likewise"},
    {"inside", WTL_MEMBER_PACKED, .get = inside, .next = next_inside, .when = curves,
     .meaning = "number of nodes that were inside"},
    {.key = NULL}};
static const struct wtl_noun region_noun = {"region of a run", of_region};

static bool next_region(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run_profile *p = content_of(of)->profile;
    size_t more = 0, r = (*cursor)++;
    if (r >= p->region_count)
        return false;
    const struct wtl_profile_region *at = &p->regions[r];
    for (size_t i = 0; i < p->region_count; i++)
        more += p->regions[i].sum->inclusive.energy.j > at->sum->inclusive.energy.j;
    struct region region = {.region = at, .sum = at->sum, .cells = p->cells};
    if (content_of(of)->details && more < REGION_CURVES) {
        region.mean = at->mean;
        region.min = at->min;
        region.max = at->max;
    }
    wtl_value_copy(ret, &region, sizeof region);
    return true;
}

/* ---- nodes ---- */

struct node {
    const struct wtl_profile_node *node;
    const struct wtl_run_part *total;
    const struct wtl_run_row *row;
    const char *clock;
    size_t parts;
};

static bool next_mark(const void *of, size_t *cursor, struct wtl_value *ret)
{
    static const char *const names[] = {"idle",       "outlier",   "straggler",
                                        "late begin", "not added", "unfinished"};
    const struct wtl_profile_node *node = of;
    while (*cursor < sizeof names / sizeof *names) {
        ret->text = names[*cursor];
        if (node->marks >> (*cursor)++ & 1)
            return true;
    }
    return false;
}

static bool next_part_j(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct node *node = of;
    if (++*cursor >= node->parts)
        return false;
    ret->number = wtl_run_part_addend(node->node->parts[*cursor], 0).energy.j;
    return true;
}

WTL_MEMBER_GET(rank_count)
{
    wtl_value_count(ret, ((const struct wtl_run_row *)of)->rank_count);
}

#define OF_NODE  WTL_VIA(struct node, node)
#define OF_TOTAL WTL_VIA(struct node, total)
#define OF_ROW   WTL_VIA(struct node, row)

static const struct wtl_member of_node[] = {
    {"name", WTL_TEXT_AT(struct wtl_profile_node, name), OF_NODE, .meaning = "unique in the run"},
    {"marks", WTL_MEMBER_LIST, .next = next_mark, OF_NODE, .meaning = "below"},
    {"flags", WTL_LIST_AT(struct wtl_run_row, flags, flag_count, wtl_noun_flag), OF_ROW,
     .meaning = "flags of its result: `name` and `text`"},
    {"begin_s", WTL_NUMBER_OR_NULL(struct wtl_profile_node, begin_s), OF_NODE,
     .meaning = "start of its window"},
    {"end_s", WTL_NUMBER_OR_NULL(struct wtl_profile_node, end_s), OF_NODE, .meaning = "likewise"},
    {"", WTL_PART_AT(struct wtl_run_part, energy, wtl_noun_energy), OF_TOTAL},
    {"mean_w", WTL_NUMBER_OR_NULL(struct wtl_run_part, mean_w), OF_TOTAL,
     .meaning = "mean power of its total over the known time"},
    {"", WTL_MEMBER_PART, .get = wtl_get_energy_quality, OF_TOTAL, .of = &wtl_noun_quality,
     .offset = offsetof(struct wtl_run_part, energy)},
    {"part_j", WTL_MEMBER_NUMBERS, .next = next_part_j,
     .meaning = "energy of each part after the total"},
    {"power_w", DESCRIPTION(struct wtl_profile_node, power), OF_NODE,
     .meaning = "summary of the power of its total over time"},
    {"gap_s", WTL_NUMBER_OR_NULL(struct wtl_run_row, gap_s), OF_ROW,
     .meaning = "maximum over the channels of its total of the time in gaps"},
    {"unknown_s", WTL_NUMBER_OR_NULL(struct wtl_run_part, unknown_s), OF_TOTAL,
     .meaning = "time whose energy is left out of its total"},
    {"mpi_ranks", WTL_MEMBER_INTEGER, .get = rank_count, OF_ROW,
     .meaning = "number of ranks on it"},
    {"mpi_share", WTL_NUMBER_OR_NULL(struct wtl_profile_node, mpi_share), OF_NODE,
     .meaning = "share of their time in which any of their threads is inside MPI calls"},
    {"clock", WTL_TEXT_AT(struct node, clock), .meaning = "how its clock was aligned"},
    {"residual_s", WTL_NUMBER_OR_NULL(struct wtl_profile_node, residual_s), OF_NODE,
     .meaning = "maximum clock error"},
    {.key = NULL}};
static const struct wtl_noun node_noun = {"node of a report", of_node};

static bool next_node(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct content *content = of;
    if (*cursor >= content->node_count)
        return false;
    const struct wtl_profile_node *at = &content->profile->nodes[content->nodes[(*cursor)++]];
    const struct node node = {at, at->parts[0], at->row, wtl_profile_clock_name(at->clock),
                              content->profile->part_count};
    wtl_value_copy(ret, &node, sizeof node);
    return true;
}

WTL_MEMBER_GET(nodes_left_out)
{
    wtl_get_size(member, of, ret);
    ret->known = content_of(of)->details;
}

WTL_MEMBER_GET(if_details)
{
    ret->known = content_of(of)->details;
}

/* ---- heat ---- */

struct order {
    const char *by;
    const struct wtl_run_heat *heat;
    const struct wtl_profile_node *nodes;
    const float *power;
    size_t values;
};

static bool next_in_row(const void *of, size_t *cursor, struct wtl_value *ret, bool last)
{
    const struct order *order = of;
    size_t r = (*cursor)++;
    if (r >= order->heat->rows)
        return false;
    size_t at = last ? order->heat->first[r + 1] - 1 : order->heat->first[r];
    ret->text = order->nodes[order->heat->order[at]].name;
    return true;
}

static bool next_first(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_in_row(of, cursor, ret, false);
}

static bool next_last(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_in_row(of, cursor, ret, true);
}

static const struct wtl_member of_order[] = {
    {"by", WTL_TEXT_AT(struct order, by),
     .meaning = "name (natural order) or energy (lowest first)"},
    {"columns", WTL_SIZE_AT(struct wtl_run_heat, columns), WTL_VIA(struct order, heat),
     .meaning = "their number"},
    {"first", WTL_MEMBER_LIST, .next = next_first, .meaning = "first node of each row"},
    {"last", WTL_MEMBER_LIST, .next = next_last,
     .meaning =
         "last node of each row; with more than 512 nodes, a row is the mean of adjacent nodes"},
    {"power", WTL_PACKED_AT(struct order, power, values), .meaning = "W of a node, row by row"},
    {.key = NULL}};
static const struct wtl_noun order_noun = {"heat", of_order};

static bool next_order(const void *of, size_t *cursor, struct wtl_value *ret)
{
    size_t i = (*cursor)++;
    if (i >= 2)
        return false;
    const struct wtl_run_heat *heat = &content_of(of)->heat[i];
    const struct order order = {i ? "energy" : "name", heat, content_of(of)->profile->nodes,
                                heat->power, heat->rows * heat->columns};
    wtl_value_copy(ret, &order, sizeof order);
    return true;
}

/* ---- the rest ---- */

static bool next_network(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_run_profile *p = content_of(of)->profile;
    while (++*cursor < p->part_count) {
        const struct wtl_profile_part *part = &p->parts[*cursor];
        ret->text = part->name;
        if (part->domain == WATTLE_DOMAIN_NETWORK && !part->within[0])
            return true;
    }
    return false;
}

static const struct wtl_member of_network[] = {
    {"parts", WTL_MEMBER_LIST, .next = next_network, .meaning = "names"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct content, network_j), .meaning = "energy of these parts"},
    {"share", WTL_NUMBER_OR_NULL(struct content, network_share), .meaning = "share of the total"},
    {"node_w", WTL_NUMBER_OR_NULL(struct content, network_w), .meaning = "mean power of a node"},
    {.key = NULL}};
static const struct wtl_noun network = {"network", of_network};

WTL_MEMBER_GET(network_of)
{
    ret->known = content_of(of)->has_network;
}

static const struct wtl_member of_mpi[] = {
    {"ranks", WTL_COUNT_AT(struct content, ranks), .meaning = "their number"},
    {"share", DESCRIPTION(struct content, mpi),
     .meaning = "summary over nodes of the share of rank time inside MPI calls"},
    {.key = NULL}};
static const struct wtl_noun mpi = {"MPI over nodes", of_mpi};

WTL_MEMBER_GET(mpi_of)
{
    ret->known = content_of(of)->mpi.n > 0;
}

static const struct wtl_member of_extremes[] = {
    {"least", WTL_TEXT_OR_NULL(struct content, least), .meaning = "name of a node"},
    {"median", WTL_TEXT_OR_NULL(struct content, median), .meaning = "likewise"},
    {"most", WTL_TEXT_OR_NULL(struct content, most), .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun extremes = {"extremes", of_extremes};

static const struct wtl_member of_limits[] = {
    {"idle_below_w", WTL_NUMBER_OR_NULL(struct wtl_run_profile, idle_below_w),
     .meaning = "null for fewer than three nodes"},
    {"late_s", WTL_NUMBER_OR_NULL(struct wtl_run_profile, late_s), .meaning = "likewise"},
    {"outlier_nodes", WTL_NUMBER_OR_NULL(struct wtl_run_profile, outlier_nodes),
     .meaning = "number of nodes, idle ones left out, among which outliers were looked for; null: "
                "fewer than five, among which none can be told"},
    {.key = NULL}};
static const struct wtl_noun limits = {"limits of the marks", of_limits};

static const struct wtl_member of_alignment[] = {
    {"by", WTL_TEXT_AT(struct content, clock),
     .meaning = "the worst of alone, sync points, realtime, not aligned"},
    {"residual_s", WTL_NUMBER_OR_NULL(struct wtl_run_facts, residual_s),
     WTL_VIA(struct content, facts), .meaning = "maximum clock error of any node"},
    {.key = NULL}};
static const struct wtl_noun alignment = {"alignment", of_alignment};

static const struct wtl_member of_absent[] = {
    {"name", WTL_TEXT_AT(struct wtl_run_absent, name), .meaning = "name of a trace or node"},
    {"why", WTL_TEXT_OR_NULL(struct wtl_run_absent, why),
     .meaning = "why the trace is left out; null: a node of the job without a trace"},
    {.key = NULL}};
static const struct wtl_noun absent = {"absent node", of_absent};

static bool next_label(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_study_run *run = content_of(of)->facts->study;
    if (!run || *cursor >= run->label_count)
        return false;
    ret->key = run->labels[*cursor].key;
    ret->text = run->labels[(*cursor)++].value;
    return true;
}

WTL_MEMBER_GET(phases)
{
    const struct wtl_report_phases *phases = content_of(of)->facts->phases;
    wtl_value_noun(ret, phases && phases->study.count > 0 ? &phases->study : NULL);
}

WTL_MEMBER_GET(phases_problem)
{
    const struct wtl_report_phases *phases = content_of(of)->facts->phases;
    wtl_value_text(ret, phases ? phases->problem : NULL);
}

#define OF_PROFILE WTL_VIA(struct content, profile)
#define OF_FACTS   WTL_VIA(struct content, facts)

static const struct wtl_member of_run[] = {
    {"name", WTL_TEXT_OR_NULL(struct content, name), .meaning = "name of its folder or file"},
    {"run_id", WTL_TEXT_OR_NULL(struct wtl_run_facts, run_id), OF_FACTS,
     .meaning = "from the traces; empty if missing or different"},
    {"command", WTL_TEXT_OR_NULL(struct wtl_run_facts, command), OF_FACTS, .meaning = "likewise"},
    {"labels", WTL_MEMBER_MAP, .next = next_label,
     .meaning = "`label.KEY` of its first trace; without labels, `run` with its name"},
    {"begin_realtime_ns", WTL_COUNT_OR_NULL(struct wtl_run_facts, begin_realtime_ns), OF_FACTS,
     .meaning = "wall clock time of the start of the first node, since 1970"},
    {"node_count", WTL_SIZE_AT(struct wtl_run_profile, node_count), OF_PROFILE,
     .meaning = "number of traces"},
    {"time_s", WTL_NUMBER_OR_NULL(struct wtl_run_profile, length_s), OF_PROFILE,
     .meaning = "time from the first start to the last end"},
    {"interval_s", WTL_NUMBER_OR_NULL(struct wtl_run_profile, interval_s), OF_PROFILE,
     .meaning = "sampling interval of the slowest sampler"},
    {"cells", WTL_SIZE_AT(struct wtl_run_profile, cells), OF_PROFILE,
     .meaning = "number of cells of all curves"},
    {"cell_s", WTL_NUMBER_OR_NULL(struct wtl_run_profile, cell_s), OF_PROFILE,
     .meaning = "length of a cell"},
    {"fine_s", WTL_NUMBER_OR_NULL(struct wtl_run_profile, fine_s), OF_PROFILE,
     .meaning = "length of a *moment*, over which node power is averaged: a quarter of a cell"},
    {"parts", WTL_MEMBER_LIST, .next = next_part, .of = &part_noun,
     .meaning = "total, then each part of the machine; below"},
    {"breakdown", WTL_LIST_AT(struct content, first_share, share_count, share),
     .meaning = "breakdown of the total, below"},
    {"contains", WTL_TEXT_OR_NULL(struct content, contains),
     .meaning = "what the total of the first node contains"},
    {"not_measured", WTL_MEMBER_LIST, .next = next_unmeasured, .meaning = "likewise"},
    {"totals_differ", WTL_BOOLEAN_AT(struct wtl_run_profile, totals.mixed), OF_PROFILE,
     .meaning = "the totals of the nodes contain different parts"},
    {"curves", WTL_MEMBER_LIST, .next = next_curve, .of = &curve_noun,
     .meaning = "power over time of the parts; for several runs of the total only; below"},
    {"energy", DESCRIPTION(struct wtl_run_profile, energy), OF_PROFILE,
     .meaning = "summary over nodes of the energy of the total in J"},
    {"power", DESCRIPTION(struct wtl_run_profile, power), OF_PROFILE, .meaning = "mean W"},
    {"time", DESCRIPTION(struct wtl_run_profile, time), OF_PROFILE,
     .meaning = "length of the window in s"},
    {"moments", DESCRIPTION(struct wtl_run_profile, moments), OF_PROFILE,
     .meaning = "power of all nodes at all moments"},
    {"extremes", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &extremes,
     .meaning = "nodes by mean power, below; null if none is known"},
    {"limits", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &limits, OF_PROFILE,
     .meaning = "limits of the marks, below"},
    {"network", WTL_MEMBER_OBJECT, .nullable = true, .get = network_of, .of = &network,
     .meaning = "below; null: no sensor"},
    {"mpi", WTL_MEMBER_OBJECT, .nullable = true, .get = mpi_of, .of = &mpi,
     .meaning = "below; null: not measured"},
    {"alignment", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &alignment, .meaning = "below"},
    {"flags",
     WTL_LIST_AT(struct wtl_run_profile, totals.flags.items, totals.flags.count, wtl_noun_run_flag),
     OF_PROFILE,
     .meaning = "flags of the results of nodes, each once, then those of the run, as in "
                "[reduce.md](reduce.md)"},
    {"absent", WTL_LIST_AT(struct wtl_run_facts, absent, absent_count, absent), OF_FACTS,
     .meaning = "skipped or missing traces, below"},
    {"regions", WTL_MEMBER_LIST, .next = next_region, .of = &region_noun, .meaning = "below"},
    {"regions_left_out", WTL_COUNT_AT(struct wtl_run_profile, regions_left_out), OF_PROFILE,
     .meaning = "number of regions left out (256 are kept)"},
    {"nodes", WTL_MEMBER_LIST, .get = if_details, .next = next_node, .of = &node_noun,
     .when = "one run",
     .meaning =
         "at most 2048: outliers and nodes with flags first, then the others in order; below"},
    {"nodes_left_out", WTL_MEMBER_INTEGER, .get = nodes_left_out, .when = "one run",
     .offset = offsetof(struct content, nodes_left_out), .meaning = "number of nodes left out"},
    {"heat", WTL_MEMBER_LIST, .get = if_details, .next = next_order, .of = &order_noun,
     .when = "one run", .meaning = "nodes over time, sorted in two ways; below"},
    {"phases", WTL_MEMBER_OBJECT, .nullable = true, .get = phases, .of = &wtl_noun_phases,
     .meaning = "`wattle.phases/1` of all nodes, at most 64, as printed by `wattle phases --format "
                "json`; null: no counters were recorded, several runs, or `phases_problem`"},
    {"phases_problem", WTL_MEMBER_TEXT, .nullable = true, .get = phases_problem,
     .meaning = "why there are no phases although there are counters; null: there are, or no "
                "counters"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_report_run = {"run of a report", of_run};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- what is in it ---- */

/* The nodes listed: all if there are few; otherwise outliers, and as many others as fit. */
static int list_nodes(struct content *content)
{
    const struct wtl_run_profile *p = content->profile;
    size_t marked = 0, others = 0, room;
    content->nodes = malloc((p->node_count + 1) * sizeof *content->nodes);
    if (!content->nodes)
        return -ENOMEM;
    for (size_t i = 0; i < p->node_count; i++)
        marked += p->nodes[i].marks != 0 || p->nodes[i].row->flag_count > 0;
    marked = marked < WTL_RUN_NODE_ROWS ? marked : WTL_RUN_NODE_ROWS;
    room = WTL_RUN_NODE_ROWS - marked;
    for (size_t i = 0; i < p->node_count; i++) {
        bool extreme = i == p->least || i == p->middle || i == p->most;
        bool stands_out = p->nodes[i].marks != 0 || p->nodes[i].row->flag_count > 0;
        bool take = stands_out ? marked > 0 : extreme || others < room;
        if (!take)
            continue;
        if (stands_out)
            marked--;
        else
            others++;
        content->nodes[content->node_count++] = i;
    }
    content->nodes_left_out = p->node_count - content->node_count;
    return 0;
}

static const char *name_at(const struct wtl_run_profile *p, size_t i)
{
    return i < p->node_count ? p->nodes[i].name : NULL;
}

static void find_network(struct content *content)
{
    const struct wtl_run_profile *p = content->profile;
    struct wtl_value value;
    for (size_t cursor = 0; next_network(content, &cursor, &value);) {
        content->has_network = true;
        content->network_j += p->parts[cursor].sum.energy.j;
    }
    content->network_share = content->network_j / p->parts[0].sum.energy.j;
    content->network_w = content->facts->study ? content->facts->study->network_w : (double)NAN;
}

static int find_mpi(struct content *content)
{
    const struct wtl_run_profile *p = content->profile;
    double *values = malloc((p->node_count + 1) * sizeof *values);
    size_t n = 0;
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < p->node_count; i++) {
        content->ranks += p->nodes[i].row->rank_count;
        if (!isnan(p->nodes[i].mpi_share))
            values[n++] = p->nodes[i].mpi_share;
    }
    content->mpi = wtl_describe(values, n);
    free(values);
    return 0;
}

static int make_heat(struct content *content)
{
    const struct wtl_run_profile *p = content->profile;
    size_t rows = p->node_count < WTL_RUN_HEAT_ROWS ? p->node_count : WTL_RUN_HEAT_ROWS;
    size_t room = WTL_RUN_HEAT_CELLS / 2 / (rows ? rows : 1);
    int rc = wtl_run_heat_make(p, false, WTL_RUN_HEAT_ROWS, room, &content->heat[0]);
    return rc < 0 ? rc : wtl_run_heat_make(p, true, WTL_RUN_HEAT_ROWS, room, &content->heat[1]);
}

json_t *wtl_run_value(const struct wtl_run_profile *p,
                      const struct wtl_run_facts *facts,
                      bool details)
{
    enum wtl_profile_clock weakest = WTL_CLOCK_ALONE;
    for (size_t i = 0; i < p->node_count; i++)
        weakest = p->nodes[i].clock > weakest ? p->nodes[i].clock : weakest;
    struct content content = {.profile = p,
                              .facts = facts,
                              .name = facts->study ? facts->study->name : NULL,
                              .contains = p->totals.contains[0] ? p->totals.contains : NULL,
                              .least = name_at(p, p->least),
                              .median = name_at(p, p->middle),
                              .most = name_at(p, p->most),
                              .clock = wtl_profile_clock_name(weakest),
                              .details = details};
    content.share_count = wtl_run_shares(p, content.shares);
    content.first_share = content.shares;
    find_network(&content);
    int rc = find_mpi(&content);
    if (details) {
        rc = rc < 0 ? rc : list_nodes(&content);
        rc = rc < 0 ? rc : make_heat(&content);
    }
    json_t *value = rc < 0 ? NULL : wtl_noun_json(&wtl_noun_report_run, &content);
    free(content.nodes);
    wtl_run_heat_fini(&content.heat[0]);
    wtl_run_heat_fini(&content.heat[1]);
    return value;
}
