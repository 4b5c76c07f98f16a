/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of many nodes as an object of the document: see run_document.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/cluster/run_document.h"
#include "report/cluster/run_report.h"
#include "report/cluster/run_shares.h"
#include "report/json_value.h"
#include "report/packed.h"

json_t *wtl_run_description(const struct wtl_description *d)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "n", wtl_json_count(d->n));
    wtl_json_set(&o, "mean", wtl_json_number(d->mean));
    wtl_json_set(&o, "sd", wtl_json_number(d->sd));
    wtl_json_set(&o, "min", wtl_json_number(d->min));
    wtl_json_set(&o, "p5", wtl_json_number(d->p5));
    wtl_json_set(&o, "q1", wtl_json_number(d->q1));
    wtl_json_set(&o, "median", wtl_json_number(d->median));
    wtl_json_set(&o, "q3", wtl_json_number(d->q3));
    wtl_json_set(&o, "p95", wtl_json_number(d->p95));
    wtl_json_set(&o, "max", wtl_json_number(d->max));
    return wtl_json_done(&o);
}

static json_t *packed_counts(const uint32_t *values, size_t count)
{
    float *floats = malloc((count + 1) * sizeof *floats);
    for (size_t i = 0; floats && i < count; i++)
        floats[i] = (float)values[i];
    json_t *value = floats ? wtl_json_packed(floats, count) : NULL;
    free(floats);
    return value;
}

/* ---- parts ---- */

static json_t *part_of(const struct wtl_run_profile *p, size_t k)
{
    const struct wtl_profile_part *part = &p->parts[k];
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(part->name));
    wtl_json_set(&o, "domain",
                 wtl_json_text(k ? wattle_domain_name(part->domain) : (const char *)NULL));
    wtl_json_set(&o, "within", wtl_json_text(part->within[0] ? part->within : NULL));
    wtl_json_set(&o, "in_total", json_boolean(part->in_total));
    wtl_json_set_quality(&o, true, part->sum.energy.quality, part->sum.energy.simulated);
    wtl_json_set(&o, "nodes", wtl_json_count(part->sum.nodes));
    wtl_json_set(&o, "unknown_nodes", wtl_json_count(part->sum.unknown));
    wtl_json_set_energy(&o, &part->sum.energy);
    wtl_json_set(&o, "known_j", wtl_json_number(part->sum.energy.known_j));
    wtl_json_set(&o, "unknown_s", wtl_json_number(part->sum.unknown_s));
    wtl_json_set(&o, "partial_nodes", wtl_json_count(part->sum.partial));
    wtl_json_set(&o, "in_total_j", wtl_json_number(part->in_total_j));
    wtl_json_set(&o, "node_w", wtl_run_description(&part->node_w));
    return wtl_json_done(&o);
}

static json_t *breakdown_of(const struct wtl_run_profile *p)
{
    struct wtl_run_share shares[WTL_PROFILE_PARTS + 1];
    size_t count = wtl_run_shares(p, shares);
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < count; i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(shares[i].name));
        wtl_json_set(&o, "energy_j", wtl_json_number(shares[i].energy_j));
        wtl_json_set(&o, "share", wtl_json_number(shares[i].share));
        wtl_json_set(&o, "derived", json_boolean(shares[i].rest));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

/* "GPUs, network, disks" as a list. */
static json_t *words_of(const char *text)
{
    struct wtl_json list = wtl_json_array();
    char word[128];
    while (*text) {
        size_t n = strcspn(text, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)(n < 127 ? n : 127), text);
        wtl_json_add(&list, wtl_json_text(word));
        text += n;
        text += strspn(text, ", ");
    }
    return wtl_json_done(&list);
}

static json_t *curve_of(const struct wtl_run_profile *p, size_t k)
{
    const struct wtl_profile_curve *c = &p->parts[k].curve;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "part", wtl_json_text(p->parts[k].name));
    wtl_json_set(&o, "sum", wtl_json_packed(c->sum, p->cells));
    wtl_json_set(&o, "mean", wtl_json_packed(c->mean, p->cells));
    wtl_json_set(&o, "min", wtl_json_packed(c->min, p->cells));
    wtl_json_set(&o, "q1", wtl_json_packed(c->q1, p->cells));
    wtl_json_set(&o, "median", wtl_json_packed(c->median, p->cells));
    wtl_json_set(&o, "q3", wtl_json_packed(c->q3, p->cells));
    wtl_json_set(&o, "max", wtl_json_packed(c->max, p->cells));
    wtl_json_set(&o, "covered", packed_counts(c->covered, p->cells));
    return wtl_json_done(&o);
}

static void set_parts(struct wtl_json *o, const struct wtl_run_profile *p, bool details)
{
    struct wtl_json parts = wtl_json_array(), curves = wtl_json_array();
    for (size_t k = 0; k < p->part_count; k++) {
        wtl_json_add(&parts, part_of(p, k));
        if (details || k == 0)
            wtl_json_add(&curves, curve_of(p, k));
    }
    wtl_json_set(o, "parts", wtl_json_done(&parts));
    wtl_json_set(o, "breakdown", breakdown_of(p));
    wtl_json_set(o, "contains", wtl_json_text(p->totals.contains[0] ? p->totals.contains : NULL));
    wtl_json_set(o, "not_measured", words_of(p->totals.excludes));
    wtl_json_set(o, "totals_differ", json_boolean(p->totals.mixed));
    wtl_json_set(o, "curves", wtl_json_done(&curves));
}

/* ---- regions ---- */

static json_t *region_of(const struct wtl_run_profile *p,
                         const struct wtl_profile_region *region,
                         bool details)
{
    const struct wtl_run_region_sum *sum = region->sum;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(sum->name));
    wtl_json_set(&o, "nodes", wtl_json_count(sum->stay_count));
    wtl_json_set(&o, "unknown_nodes", wtl_json_count(sum->inclusive.unknown));
    wtl_json_set(&o, "unresolved_nodes", wtl_json_count(sum->unresolved));
    wtl_json_set(&o, "count", wtl_json_count(sum->count));
    wtl_json_set(&o, "union_s", wtl_json_number(sum->union_s));
    wtl_json_set_energy(&o, &sum->inclusive.energy);
    wtl_json_set(&o, "known_j", wtl_json_number(sum->inclusive.energy.known_j));
    wtl_json_set(&o, "node_j", wtl_run_description(&region->node_j));
    wtl_json_set(&o, "node_w", wtl_run_description(&region->node_w));
    wtl_json_set(&o, "node_s", wtl_run_description(&region->node_s));
    if (details) {
        wtl_json_set(&o, "mean", wtl_json_packed(region->mean, p->cells));
        wtl_json_set(&o, "min", wtl_json_packed(region->min, p->cells));
        wtl_json_set(&o, "max", wtl_json_packed(region->max, p->cells));
        wtl_json_set(&o, "inside", packed_counts(region->inside, p->cells));
    }
    return wtl_json_done(&o);
}

/* Curves of the regions with the most energy only: each is some ten KB. */
enum { REGION_CURVES = 24 };

static json_t *regions_of(const struct wtl_run_profile *p, bool details)
{
    struct wtl_json list = wtl_json_array();
    for (size_t r = 0; r < p->region_count; r++) {
        size_t more = 0;
        for (size_t i = 0; i < p->region_count; i++)
            more += p->regions[i].sum->inclusive.energy.j > p->regions[r].sum->inclusive.energy.j;
        wtl_json_add(&list, region_of(p, &p->regions[r], details && more < REGION_CURVES));
    }
    return wtl_json_done(&list);
}

/* ---- nodes ---- */

static json_t *marks_of(unsigned marks)
{
    static const char *const names[] = {"idle",       "outlier",   "straggler",
                                        "late begin", "not added", "unfinished"};
    struct wtl_json list = wtl_json_array();
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (marks >> i & 1)
            wtl_json_add(&list, wtl_json_text(names[i]));
    return wtl_json_done(&list);
}

static const struct wtl_noun node_flags = {
    "flags of a node",
    (const struct wtl_member[]){
        {"flags", WTL_LIST_AT(struct wtl_run_row, flags, flag_count, wtl_noun_flag)},
        {.key = NULL}}};
static const struct wtl_noun run_flags = {
    "flags of a profile", (const struct wtl_member[]){{"flags", WTL_LIST_AT(struct wtl_run_profile,
                                                                            totals.flags.items,
                                                                            totals.flags.count,
                                                                            wtl_noun_run_flag)},
                                                      {.key = NULL}}};

static json_t *list_in(const char *key, const struct wtl_noun *noun, const void *of)
{
    json_t *object = wtl_noun_json(noun, of), *list = json_incref(json_object_get(object, key));
    json_decref(object);
    return list;
}

static json_t *node_of(const struct wtl_run_profile *p, const struct wtl_profile_node *node)
{
    struct wtl_json o = wtl_json_object(), parts = wtl_json_array();
    const struct wtl_run_part *total = node->parts[0];
    for (size_t k = 1; k < p->part_count; k++)
        wtl_json_add(&parts, wtl_json_number(wtl_run_part_addend(node->parts[k], 0).energy.j));
    wtl_json_set(&o, "name", wtl_json_text(node->name));
    wtl_json_set(&o, "marks", marks_of(node->marks));
    wtl_json_set(&o, "flags", list_in("flags", &node_flags, node->row));
    wtl_json_set(&o, "begin_s", wtl_json_number(node->begin_s));
    wtl_json_set(&o, "end_s", wtl_json_number(node->end_s));
    wtl_json_set_energy(&o, &total->energy);
    wtl_json_set(&o, "mean_w", wtl_json_number(total->mean_w));
    wtl_json_set_quality(&o, true, total->energy.quality, total->energy.simulated);
    wtl_json_set(&o, "part_j", wtl_json_done(&parts));
    wtl_json_set(&o, "power_w", wtl_run_description(&node->power));
    wtl_json_set(&o, "gap_s", wtl_json_number(node->row->gap_s));
    wtl_json_set(&o, "unknown_s", wtl_json_number(total->unknown_s));
    wtl_json_set(&o, "mpi_ranks", wtl_json_count(node->row->rank_count));
    wtl_json_set(&o, "mpi_share", wtl_json_number(node->mpi_share));
    wtl_json_set(&o, "clock", wtl_json_text(wtl_profile_clock_name(node->clock)));
    wtl_json_set(&o, "residual_s", wtl_json_number(node->residual_s));
    return wtl_json_done(&o);
}

/* Those that are listed: all where they are few; else those that stand out, and as many others as there is room for. */
static void set_nodes(struct wtl_json *o, const struct wtl_run_profile *p)
{
    struct wtl_json list = wtl_json_array();
    size_t marked = 0, others = 0, shown = 0, room;
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
        wtl_json_add(&list, node_of(p, &p->nodes[i]));
        shown++;
    }
    wtl_json_set(o, "nodes", wtl_json_done(&list));
    wtl_json_set(o, "nodes_left_out", wtl_json_count(p->node_count - shown));
}

static json_t *name_at(const struct wtl_run_profile *p, size_t i)
{
    return wtl_json_text(i < p->node_count ? p->nodes[i].name : (const char *)NULL);
}

static void set_statistics(struct wtl_json *o, const struct wtl_run_profile *p)
{
    struct wtl_json rules = wtl_json_object(), ends = wtl_json_object();
    wtl_json_set(o, "energy", wtl_run_description(&p->energy));
    wtl_json_set(o, "power", wtl_run_description(&p->power));
    wtl_json_set(o, "time", wtl_run_description(&p->time));
    wtl_json_set(o, "moments", wtl_run_description(&p->moments));
    wtl_json_set(&ends, "least", name_at(p, p->least));
    wtl_json_set(&ends, "median", name_at(p, p->middle));
    wtl_json_set(&ends, "most", name_at(p, p->most));
    wtl_json_set(o, "extremes", wtl_json_done(&ends));
    wtl_json_set(&rules, "idle_below_w", wtl_json_number(p->idle_below_w));
    wtl_json_set(&rules, "late_s", wtl_json_number(p->late_s));
    wtl_json_set(o, "limits", wtl_json_done(&rules));
}

/* ---- network, MPI, clocks ---- */

static json_t *mpi_of(const struct wtl_run_profile *p)
{
    double *shares = malloc((p->node_count + 1) * sizeof *shares);
    uint64_t ranks = 0;
    size_t n = 0;
    for (size_t i = 0; shares && i < p->node_count; i++) {
        ranks += p->nodes[i].row->rank_count;
        if (!isnan(p->nodes[i].mpi_share))
            shares[n++] = p->nodes[i].mpi_share;
    }
    json_t *value = shares ? json_null() : NULL;
    if (shares && n > 0) {
        struct wtl_description d = wtl_describe(shares, n);
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "ranks", wtl_json_count(ranks));
        wtl_json_set(&o, "share", wtl_run_description(&d));
        value = wtl_json_done(&o);
    }
    free(shares);
    return value;
}

static json_t *network_of(const struct wtl_run_profile *p, const struct wtl_run_facts *facts)
{
    struct wtl_json o = wtl_json_object(), names = wtl_json_array();
    double energy_j = 0;
    for (size_t k = 1; k < p->part_count; k++) {
        if (p->parts[k].domain != WATTLE_DOMAIN_NETWORK || p->parts[k].within[0])
            continue;
        wtl_json_add(&names, wtl_json_text(p->parts[k].name));
        energy_j += p->parts[k].sum.energy.j;
    }
    bool any = json_array_size(names.json) > 0;
    wtl_json_set(&o, "parts", wtl_json_done(&names));
    wtl_json_set(&o, "energy_j", wtl_json_number(energy_j));
    wtl_json_set(&o, "share", wtl_json_number(energy_j / p->parts[0].sum.energy.j));
    wtl_json_set(&o, "node_w",
                 wtl_json_number(facts->study ? facts->study->network_w : (double)NAN));
    json_t *value = wtl_json_done(&o);
    if (any)
        return value;
    json_decref(value);
    return json_null();
}

static json_t *absent_of(const struct wtl_run_facts *facts)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < facts->absent_count; i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(facts->absent[i].name));
        wtl_json_set(&o, "why", wtl_json_text(facts->absent[i].why));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *labels_of(const struct wtl_study_run *run)
{
    struct wtl_json o = wtl_json_object();
    for (size_t i = 0; run && i < run->label_count; i++)
        wtl_json_set(&o, run->labels[i].key, wtl_json_text(run->labels[i].value));
    return wtl_json_done(&o);
}

static void set_clocks(struct wtl_json *o,
                       const struct wtl_run_profile *p,
                       const struct wtl_run_facts *facts)
{
    enum wtl_profile_clock weakest = WTL_CLOCK_ALONE;
    struct wtl_json clock = wtl_json_object();
    for (size_t i = 0; i < p->node_count; i++)
        weakest = p->nodes[i].clock > weakest ? p->nodes[i].clock : weakest;
    wtl_json_set(&clock, "by", wtl_json_text(wtl_profile_clock_name(weakest)));
    wtl_json_set(&clock, "residual_s", wtl_json_number(facts->residual_s));
    wtl_json_set(o, "alignment", wtl_json_done(&clock));
}

json_t *wtl_run_value(const struct wtl_run_profile *p,
                      const struct wtl_run_facts *facts,
                      bool details)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(facts->study ? facts->study->name : NULL));
    wtl_json_set(&o, "run_id", wtl_json_text(facts->run_id));
    wtl_json_set(&o, "command", wtl_json_text(facts->command));
    wtl_json_set(&o, "labels", labels_of(facts->study));
    wtl_json_set(&o, "begin_realtime_ns",
                 facts->begin_realtime_ns ? wtl_json_count(facts->begin_realtime_ns)
                                          : wtl_json_number((double)NAN));
    wtl_json_set(&o, "node_count", wtl_json_count(p->node_count));
    wtl_json_set(&o, "time_s", wtl_json_number(p->length_s));
    wtl_json_set(&o, "interval_s", wtl_json_number(p->interval_s));
    wtl_json_set(&o, "cells", wtl_json_count(p->cells));
    wtl_json_set(&o, "cell_s", wtl_json_number(p->cell_s));
    wtl_json_set(&o, "fine_s", wtl_json_number(p->fine_s));
    set_parts(&o, p, details);
    set_statistics(&o, p);
    wtl_json_set(&o, "network", network_of(p, facts));
    wtl_json_set(&o, "mpi", mpi_of(p));
    set_clocks(&o, p, facts);
    wtl_json_set(&o, "flags", list_in("flags", &run_flags, p));
    wtl_json_set(&o, "absent", absent_of(facts));
    wtl_json_set(&o, "regions", regions_of(p, details));
    wtl_json_set(&o, "regions_left_out", wtl_json_count(p->regions_left_out));
    if (details) {
        set_nodes(&o, p);
        wtl_json_set(&o, "heat", wtl_run_heat(p));
    }
    return wtl_json_done(&o);
}
