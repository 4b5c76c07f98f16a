/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as text: see run_report.h. */
#include "report/cluster/run_report.h"

#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/whole.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/regions.h"
#include "report/table.h"

enum { CELL = 96 };

/* ---- text ---- */

/* "2", or "1 of 2" where one is unknown */
static char *nodes_cell(char *cell, const struct wtl_run_sum *sum)
{
    if (sum->unknown > 0)
        (void)snprintf(cell, CELL, "%zu of %zu", sum->nodes, sum->nodes + sum->unknown);
    else
        (void)snprintf(cell, CELL, "%zu", sum->nodes);
    return cell;
}

/* "251 (n07)" */
static char *node_cell(char *cell, double value, const char *node)
{
    char number[32];
    (void)snprintf(cell, CELL, "%s (%.40s)",
                   wtl_digits_value(number, sizeof number, value, fabs(value) / 200), node);
    return cell;
}

static void sum_row(struct wtl_table *table,
                    const char *name,
                    const struct wtl_run_sum *sum,
                    enum wtl_emphasis emphasis)
{
    char energy[CELL], power[CELL], least[CELL], median[CELL], most[CELL], nodes[CELL];
    const struct wtl_run_spread *per = &sum->per;
    const char *cells[] = {
        name,
        nodes_cell(nodes, sum),
        wtl_digits_energy(energy, CELL, &sum->energy),
        wtl_digits_value(power, sizeof power, sum->mean_w, fabs(sum->mean_w) / 200),
        per->nodes ? node_cell(least, per->min, per->min_node) : "",
        per->nodes ? node_cell(median, per->median, per->median_node) : "",
        per->nodes ? node_cell(most, per->max, per->max_node) : "",
        wtl_quality_word(sum->energy.quality, sum->energy.simulated)};
    wtl_table_row(table, emphasis, cells);
}

static int text_sums(FILE *out, const struct wtl_style *style, const struct wtl_run_report *report)
{
    static const struct wtl_column columns[] = {
        {"domain", false},    {"nodes", true},  {"energy [J]", true}, {"mean [W]", true},
        {"min (node)", true}, {"median", true}, {"max", true},        {"quality", false}};
    const struct wtl_run_totals *totals = report->totals;
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    wtl_table_spare(table, 5, 4);
    wtl_table_spare(table, 1, 3);
    wtl_table_spare(table, 4, 2);
    wtl_table_spare(table, 6, 2);
    wtl_table_spare(table, 3, 1);
    for (size_t i = 0; i < totals->domain_count; i++) {
        const struct wtl_run_domain_sum *domain = &totals->domains[i];
        char name[40];
        (void)snprintf(name, sizeof name, "%s%s", domain->in_total ? "+ " : "  ",
                       wattle_domain_name(domain->domain));
        sum_row(table, name, &domain->sum, WTL_PLAIN);
    }
    wtl_table_rule(table);
    if (totals->measured.nodes + totals->measured.unknown > 0)
        sum_row(table, "= total", &totals->measured, WTL_STRONG);
    if (totals->estimated.nodes > 0)
        sum_row(table, totals->measured.nodes ? "estimates" : "= total", &totals->estimated,
                totals->measured.nodes ? WTL_CAUTION : WTL_STRONG);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    return rc;
}

static int text_regions(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_run_report *report)
{
    static const struct wtl_column columns[] = {
        {"region", false},       {"nodes", true},         {"count", true},      {"node time", true},
        {"inclusive [J]", true}, {"exclusive [J]", true}, {"min (node)", true}, {"max", true}};
    const struct wtl_run_totals *totals = report->totals;
    if (totals->region_count == 0)
        return 0;
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    wtl_table_spare(table, 2, 4);
    wtl_table_spare(table, 1, 3);
    wtl_table_spare(table, 6, 2);
    wtl_table_spare(table, 7, 2);
    wtl_table_spare(table, 5, 1);
    for (size_t i = 0; i < totals->region_count; i++) {
        const struct wtl_run_region_sum *region = &totals->regions[i];
        const struct wtl_run_spread *per = &region->inclusive.per;
        char nodes[CELL], count[32], time[CELL], in[CELL], ex[CELL], least[CELL], most[CELL];
        bool outside = !region->name[0];
        (void)snprintf(count, sizeof count, "%llu", (unsigned long long)region->count);
        const char *cells[] = {outside ? "(outside all)" : region->name,
                               nodes_cell(nodes, &region->inclusive),
                               outside ? "" : count,
                               wtl_digits_time(time, sizeof time, region->union_s),
                               wtl_digits_energy(in, CELL, &region->inclusive.energy),
                               outside ? ""
                                       : wtl_digits_energy(ex, CELL, &region->exclusive.energy),
                               per->nodes ? node_cell(least, per->min, per->min_node) : "",
                               per->nodes ? node_cell(most, per->max, per->max_node) : ""};
        wtl_table_row(table,
                      region->estimated ? WTL_CAUTION
                      : outside         ? WTL_FAINT
                                        : WTL_PLAIN,
                      cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    return rc;
}

static void print_line(FILE *out,
                       const struct wtl_style *style,
                       const char *label,
                       const char *text)
{
    enum wtl_emphasis emphasis = label[0] == '!' ? WTL_CAUTION : WTL_PLAIN;
    wtl_print_paragraph(out, style, emphasis, WTL_TEXT_LABEL, label, text);
}

void wtl_run_alignment_text(enum wtl_run_aligned aligned,
                            uint64_t residual_ns,
                            char *text,
                            size_t size)
{
    char residual[32] = "unknown";
    if (residual_ns != WTL_RESIDUAL_UNKNOWN)
        (void)wtl_digits_time(residual, sizeof residual, (double)residual_ns * 1e-9);
    if (aligned == WTL_ALIGNED_SYNC)
        (void)snprintf(text, size, "by measured clock offsets between nodes, accurate to %s",
                       residual);
    else if (aligned == WTL_ALIGNED_REALTIME)
        (void)snprintf(text, size, "by the wall clocks of the nodes, whose agreement is %s",
                       residual);
    else
        (void)snprintf(text, size,
                       "not aligned: some nodes have no common clock; their start is taken as the "
                       "start of the run");
}

static void text_head(FILE *out, const struct wtl_style *style, const struct wtl_run_report *report)
{
    const struct wtl_run *run = report->run;
    char text[256], time[32];
    size_t count = wtl_run_node_count(run);
    uint64_t residual_ns;
    enum wtl_run_aligned aligned = wtl_run_alignment(run, &residual_ns);
    const char *id = wtl_run_id(run), *command = wtl_run_command_line(run);
    (void)snprintf(text, sizeof text, "%.100s%s%.60s", id[0] ? id : "no ID",
                   report->group ? ", nodes of ranks " : "", report->group ? report->group : "");
    print_line(out, style, "run", text);
    if (command[0])
        print_line(out, style, "command", command);
    (void)snprintf(text, sizeof text, "%zu, %s from first start to last end", count,
                   wtl_digits_time(time, sizeof time, report->totals->wall_s));
    print_line(out, style, "nodes", text);
    if (count < 2)
        return;
    wtl_run_alignment_text(aligned, residual_ns, text, sizeof text);
    print_line(out, style, aligned == WTL_ALIGNED_NOT ? "! ALIGNED" : "aligned", text);
}

static void text_total(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_run_totals *totals)
{
    if (totals->mixed || !totals->contains[0])
        return;
    print_line(out, style, "total contains", totals->contains);
    if (totals->excludes[0])
        print_line(out, style, "not measured", totals->excludes);
}

static void text_flags(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_run_report *report)
{
    for (size_t i = 0; i < report->totals->flags.count; i++) {
        const struct wtl_run_flag *flag = &report->totals->flags.items[i];
        char label[32], others[48] = "", text[512];
        (void)snprintf(label, sizeof label, "! %.24s", flag->flag.name);
        if (flag->nodes > 1)
            (void)snprintf(others, sizeof others, " and %zu other%s", flag->nodes - 1,
                           flag->nodes == 2 ? "" : "s");
        if (flag->first)
            (void)snprintf(text, sizeof text, "%.64s%s: %s", flag->first, others, flag->flag.text);
        print_line(out, style, label, flag->first ? text : flag->flag.text);
    }
}

static void text_refused(FILE *out, const struct wtl_style *style, const struct wtl_run *run)
{
    for (size_t i = 0; i < wtl_run_refused_count(run); i++) {
        const struct wtl_run_refused *refused = wtl_run_refused(run, i);
        char text[512];
        (void)snprintf(text, sizeof text, "%.200s: %.255s", refused->path, refused->why);
        print_line(out, style, "! REFUSED", text);
    }
}

static void text_foot(FILE *out, const struct wtl_style *style, const struct wtl_run_report *report)
{
    text_total(out, style, report->totals);
    text_flags(out, style, report);
    for (size_t i = 0; i < report->note_count; i++)
        print_line(out, style, "note", report->notes[i]);
    text_refused(out, style, report->run);
    for (size_t i = 0; i < report->written_count; i++)
        print_line(out, style, "written", report->written[i]);
}

static int text_run(FILE *out, const struct wtl_style *style, const struct wtl_run_report *report)
{
    (void)fputc('\n', out);
    text_head(out, style, report);
    (void)fputc('\n', out);
    int rc = text_sums(out, style, report);
    rc = rc < 0 ? rc : text_regions(out, style, report);
    text_foot(out, style, report);
    (void)fputc('\n', out);
    return rc;
}

int wtl_text_run_nodes(FILE *out, const struct wtl_style *style, const struct wtl_run *run)
{
    static const struct wtl_column columns[] = {
        {"node", false},    {"begin", true},    {"time", true},  {"energy [J]", true},
        {"mean [W]", true}, {"quality", false}, {"flags", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    wtl_table_spare(table, 1, 2);
    wtl_table_spare(table, 4, 1);
    for (size_t i = 0; i < wtl_run_node_count(run); i++) {
        const struct wtl_run_node *node = wtl_run_node(run, i);
        const struct wtl_run_row *row = node->row;
        char begin[CELL], time[CELL], energy[CELL] = "", power[CELL] = "", flags[128] = "";
        double begin_s = wtl_seconds_between(wtl_run_begin(run), node->begin_ns);
        const struct wtl_run_part *total = &row->total;
        if (total->channels > 0) {
            (void)wtl_digits_energy(energy, CELL, &total->energy);
            (void)wtl_digits_value(power, CELL, total->mean_w, fabs(total->mean_w) / 200);
        }
        for (uint32_t k = 0, at = 0; k < row->flag_count && at < sizeof flags - 32; k++)
            at += (uint32_t)snprintf(flags + at, sizeof flags - at, "%s%s", k ? " " : "",
                                     row->flags[k].name);
        const char *quality = total->channels
                                  ? wtl_quality_word(total->energy.quality, total->energy.simulated)
                                  : "no total";
        (void)snprintf(begin, sizeof begin, "+%.3f s", begin_s);
        const char *cells[] = {
            node->name,
            begin,
            wtl_digits_time(time, sizeof time, (double)(row->end_ns - row->begin_ns) * 1e-9),
            energy,
            power,
            quality,
            flags};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    return rc;
}

/* ---- all forms ---- */

static int print_json(FILE *out, const struct wtl_run_report *reports, size_t count)
{
    if (count == 1 && !reports[0].group)
        return wtl_json_print(out, wtl_json_run(&reports[0]));
    struct wtl_json all = wtl_json_document("wattle.reduce-groups/1"), list = wtl_json_array();
    for (size_t i = 0; i < count; i++)
        wtl_json_add(&list, wtl_json_run(&reports[i]));
    wtl_json_set(&all, "groups", wtl_json_done(&list));
    return wtl_json_print(out, wtl_json_done(&all));
}

int wtl_report_runs(FILE *out,
                    enum wtl_format format,
                    const struct wtl_run_report *reports,
                    size_t count,
                    const struct wtl_style *style,
                    struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_CSV)
        wtl_csv_runs(out, reports, count);
    else if (format == WTL_FORMAT_JSON)
        rc = print_json(out, reports, count);
    for (size_t i = 0; rc == 0 && format == WTL_FORMAT_TEXT && i < count; i++)
        rc = text_run(out, style, &reports[i]);
    return rc < 0 ? wtl_no_memory(err) : wtl_flush(out, err);
}
