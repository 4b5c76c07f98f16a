/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as JSON: see run_report.h and docs/format/reduce.md. */
#include <math.h>

#include "base/whole.h"
#include "report/cluster/run_report.h"
#include "report/json_value.h"

static const char *aligned_name(enum wtl_run_aligned aligned)
{
    static const char *const names[] = {"not", "realtime", "sync"};
    return names[aligned];
}

static json_t *residual_of(uint64_t residual_ns)
{
    return residual_ns == WTL_RESIDUAL_UNKNOWN ? json_null() : wtl_json_count(residual_ns);
}

static const char *name_of(const struct wtl_run *run, size_t i)
{
    const struct wtl_run_node *node = wtl_run_node(run, i);
    return node ? node->name : NULL;
}

static const char *node_name(const void *context, size_t i)
{
    return name_of((const struct wtl_run *)context, i);
}

static void set_spread(struct wtl_json *o,
                       const struct wtl_run *run,
                       const struct wtl_run_spread *spread)
{
    if (!spread->nodes) {
        wtl_json_set(o, "per_node", json_null());
        return;
    }
    struct wtl_json per = wtl_json_object();
    wtl_json_set(&per, "mean_j", wtl_json_number(spread->mean));
    wtl_json_set(&per, "sd_j", wtl_json_number(spread->sd));
    wtl_json_set(&per, "min_j", wtl_json_number(spread->min));
    wtl_json_set(&per, "min_node", wtl_json_text(name_of(run, spread->min_node)));
    wtl_json_set(&per, "median_j", wtl_json_number(spread->median));
    wtl_json_set(&per, "median_node", wtl_json_text(name_of(run, spread->median_node)));
    wtl_json_set(&per, "max_j", wtl_json_number(spread->max));
    wtl_json_set(&per, "max_node", wtl_json_text(name_of(run, spread->max_node)));
    wtl_json_set(o, "per_node", wtl_json_done(&per));
}

static void set_sum(struct wtl_json *o, const struct wtl_run *run, const struct wtl_run_sum *sum)
{
    wtl_json_set_quality(o, true, sum->energy.quality, sum->energy.simulated);
    wtl_json_set(o, "nodes", wtl_json_count(sum->nodes));
    wtl_json_set(o, "unknown_nodes", wtl_json_count(sum->unknown));
    wtl_json_set_energy(o, &sum->energy);
    wtl_json_set(o, "known_j", wtl_json_number(sum->energy.known_j));
    wtl_json_set(o, "mean_w", wtl_json_number(sum->mean_w));
    wtl_json_set(o, "unknown_s", wtl_json_number(sum->unknown_s));
    wtl_json_set(o, "partial_nodes", wtl_json_count(sum->partial));
    set_spread(o, run, &sum->per);
}

static json_t *sum_of(const struct wtl_run *run, const struct wtl_run_sum *sum)
{
    if (sum->nodes + sum->unknown == 0)
        return json_null();
    struct wtl_json o = wtl_json_object();
    set_sum(&o, run, sum);
    return wtl_json_done(&o);
}

static json_t *run_of(const struct wtl_run_report *report)
{
    const struct wtl_run *run = report->run;
    struct wtl_json o = wtl_json_object();
    uint64_t residual_ns;
    enum wtl_run_aligned aligned = wtl_run_alignment(run, &residual_ns);
    wtl_json_set(&o, "id", wtl_json_text(wtl_run_id(run)[0] ? wtl_run_id(run) : NULL));
    wtl_json_set(&o, "command",
                 wtl_json_text(wtl_run_command_line(run)[0] ? wtl_run_command_line(run) : NULL));
    wtl_json_set(&o, "ranks", wtl_json_text(report->group));
    wtl_json_set(&o, "nodes", wtl_json_count(wtl_run_node_count(run)));
    wtl_json_set(&o, "begin_ns", json_integer(wtl_run_begin(run)));
    wtl_json_set(&o, "wall_time_s", wtl_json_number(report->totals->wall_s));
    wtl_json_set(&o, "aligned", wtl_json_text(aligned_name(aligned)));
    wtl_json_set(&o, "residual_ns", residual_of(residual_ns));
    return wtl_json_done(&o);
}

static json_t *total_of(const struct wtl_run_report *report)
{
    const struct wtl_run_totals *totals = report->totals;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "measured", sum_of(report->run, &totals->measured));
    wtl_json_set(&o, "estimated", sum_of(report->run, &totals->estimated));
    wtl_json_set(&o, "contains", wtl_json_text(totals->mixed ? NULL : totals->contains));
    wtl_json_set(&o, "excludes", wtl_json_text(totals->mixed ? NULL : totals->excludes));
    wtl_json_set(&o, "mixed", json_boolean(totals->mixed));
    return wtl_json_done(&o);
}

static json_t *domains_of(const struct wtl_run_report *report)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < report->totals->domain_count; i++) {
        const struct wtl_run_domain_sum *domain = &report->totals->domains[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "domain", wtl_json_text(wattle_domain_name(domain->domain)));
        wtl_json_set(&o, "in_total", json_boolean(domain->in_total));
        wtl_json_set(&o, "channels", wtl_json_count(domain->channels));
        set_sum(&o, report->run, &domain->sum);
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *regions_of(const struct wtl_run_report *report)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < report->totals->region_count; i++) {
        const struct wtl_run_region_sum *region = &report->totals->regions[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "region", region->name[0] ? wtl_json_text(region->name) : json_null());
        wtl_json_set(&o, "count", wtl_json_count(region->count));
        wtl_json_set(&o, "thread_s", wtl_json_number(region->thread_s));
        wtl_json_set(&o, "union_s", wtl_json_number(region->union_s));
        wtl_json_set(&o, "exclusive_s", wtl_json_number(region->exclusive_s));
        wtl_json_set(&o, "unbalanced", wtl_json_count(region->unbalanced));
        wtl_json_set(&o, "crossing", wtl_json_count(region->crossing));
        wtl_json_set(&o, "interval_only", json_boolean(region->inclusive.energy.interval_only));
        wtl_json_set(&o, "inclusive", sum_of(report->run, &region->inclusive));
        wtl_json_set(&o, "exclusive", sum_of(report->run, &region->exclusive));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *ranks_of(const struct wtl_run_row *row)
{
    struct wtl_json list = wtl_json_array();
    for (uint32_t i = 0; i < row->rank_count; i++)
        wtl_json_add(&list, json_integer(row->ranks[i]));
    return wtl_json_done(&list);
}

static json_t *node_of(const struct wtl_run *run, const struct wtl_run_node *node)
{
    const struct wtl_run_row *row = node->row;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(node->name));
    wtl_json_set(&o, "host", wtl_json_text(row->host[0] ? row->host : NULL));
    wtl_json_set(&o, "trace", wtl_json_text(node->path));
    wtl_json_set(&o, "begin_s",
                 wtl_json_number(wtl_seconds_between(wtl_run_begin(run), node->begin_ns)));
    wtl_json_set(&o, "end_s",
                 wtl_json_number(wtl_seconds_between(wtl_run_begin(run), node->end_ns)));
    wtl_json_set(&o, "aligned", wtl_json_text(aligned_name(node->clock.aligned)));
    wtl_json_set(&o, "residual_ns", residual_of(node->clock.residual_ns));
    const struct wtl_run_part *total = &row->total;
    const struct wtl_energy energy = wtl_run_part_addend(total, 0).energy;
    bool some = total->channels > 0;
    wtl_json_set_quality(&o, some, energy.quality, energy.simulated);
    wtl_json_set_energy(&o, &energy);
    wtl_json_set(&o, "mean_w", wtl_json_number(some ? total->mean_w : (double)NAN));
    wtl_json_set(&o, "unknown_s", wtl_json_number(some ? total->unknown_s : (double)NAN));
    wtl_json_set(&o, "contains", wtl_json_text(some ? row->contains : NULL));
    wtl_json_set(&o, "mpi_s", wtl_json_number(row->mpi_s));
    wtl_json_set(&o, "ranks", ranks_of(row));
    wtl_json_set(&o, "flags", wtl_json_node_flags(row->flags, row->flag_count));
    return wtl_json_done(&o);
}

json_t *wtl_json_run_nodes(const struct wtl_run *run)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < wtl_run_node_count(run); i++)
        wtl_json_add(&list, node_of(run, wtl_run_node(run, i)));
    return wtl_json_done(&list);
}

json_t *wtl_json_node_flags(const struct wtl_result_flag *flags, size_t count)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < count; i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(flags[i].name));
        wtl_json_set(&o, "text", wtl_json_text(flags[i].text));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

json_t *wtl_json_run_flags(const struct wtl_run_flags *flags,
                           const char *(*name)(const void *context, size_t node),
                           const void *context)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < flags->count; i++) {
        const struct wtl_run_flag *flag = &flags->items[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(flag->flag.name));
        wtl_json_set(&o, "nodes", wtl_json_count(flag->nodes));
        wtl_json_set(&o, "first_node",
                     wtl_json_text(flag->first == SIZE_MAX ? NULL : name(context, flag->first)));
        wtl_json_set(&o, "text", wtl_json_text(flag->flag.text));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *refused_of(const struct wtl_run *run)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < wtl_run_refused_count(run); i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "trace", wtl_json_text(wtl_run_refused(run, i)->path));
        wtl_json_set(&o, "why", wtl_json_text(wtl_run_refused(run, i)->why));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *texts_of(const char *const *texts, size_t count)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < count; i++)
        wtl_json_add(&list, wtl_json_text(texts[i]));
    return wtl_json_done(&list);
}

json_t *wtl_json_run(const struct wtl_run_report *report)
{
    struct wtl_json o = wtl_json_document("wattle.reduce/1"), missing = wtl_json_array();
    for (size_t i = 0; i < wtl_run_missing_count(report->run); i++)
        wtl_json_add(&missing, wtl_json_text(wtl_run_missing(report->run, i)));
    wtl_json_set(&o, "run", run_of(report));
    wtl_json_set(&o, "total", total_of(report));
    wtl_json_set(&o, "domains", domains_of(report));
    wtl_json_set(&o, "regions", regions_of(report));
    wtl_json_set(&o, "nodes", wtl_json_run_nodes(report->run));
    wtl_json_set(&o, "flags", wtl_json_run_flags(&report->totals->flags, node_name, report->run));
    wtl_json_set(&o, "refused", refused_of(report->run));
    wtl_json_set(&o, "missing", wtl_json_done(&missing));
    wtl_json_set(&o, "written", texts_of(report->written, report->written_count));
    wtl_json_set(&o, "notes", texts_of(report->notes, report->note_count));
    return wtl_json_done(&o);
}
