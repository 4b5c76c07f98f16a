/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of a trace by window and region: see counter_table.h. */
#define _GNU_SOURCE
#include "analysis/counters/counter_table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_name.h"
#include "analysis/regions/region_rows.h"
#include "base/fail.h"
#include "base/parse.h"
#include "base/text/figures.h"
#include "model/meta_key.h"
#include "trace/blocks/footer_block.h"
#include "trace/regions/region_summary.h"

/* Copy the text after "NAME" and a sign in a list whose items are separated by semicolons and blanks. "" = not there. */
static void item_of(const char *list, const char *name, char sign, char *buf, size_t n)
{
    size_t length = strlen(name);
    buf[0] = '\0';
    while (list && *list) {
        size_t item = strcspn(list, ";");
        if (item > length && memcmp(list, name, length) == 0 && list[length] == sign) {
            const char *at = list + length + 1;
            at += *at == ' ';
            (void)snprintf(buf, n, "%.*s", (int)(list + item - at), at);
            return;
        }
        list += item + (list[item] == ';');
        list += strspn(list, " ");
    }
}

static double share_of(const struct wtl_counter_table *table, const char *name)
{
    char text[24];
    double share;
    item_of(wtl_trace_reader_meta(table->reader, WTL_META_COUNTERS_MULTIPLEXED), name, '=', text,
            sizeof text);
    if (!text[0])
        return 1;
    return wtl_parse_double(text, &share) == 0 && share >= 0 && share <= 1 ? share : (double)NAN;
}

/* The channel of a column in the result: by its sensor and label. */
static const struct wtl_result_channel *find(const struct wtl_result *result, const char *name)
{
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (strcmp(c->channel.sensor, WTL_COUNTER_SENSOR) == 0 &&
            strcmp(c->channel.label, name) == 0)
            return c;
    }
    return NULL;
}

/* In a trace that was cut off each channel is known up to its last sample: do so many seconds lack at the end that it cannot be
 * compared with others? */
static bool is_short(const struct wtl_result *result, const struct wtl_summary *summary)
{
    const double share = 0.01;
    double length_s = (double)(result->end_monotonic_ns - result->start_monotonic_ns) * 1e-9;
    return result->cut_off && summary->last_ns < result->end_monotonic_ns &&
           (double)(result->end_monotonic_ns - summary->last_ns) * 1e-9 > share * length_s;
}

static double energy_to_compare(const struct wtl_result *result)
{
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.flags & WATTLE_CHANNEL_IN_TOTAL && is_short(result, &c->summary))
            return NAN;
    }
    return result->energy.j;
}

/* Why the amount is unknown, for which there is a channel. */
static void explain_unknown(struct wtl_counter_info *column, const struct wtl_summary *summary)
{
    size_t used = (size_t)snprintf(column->why, sizeof column->why, "%s s are missing",
                                   WTL_IN_FIGURES((double)summary->unknown_ns * 1e-9, 3));
    const char *before = " (";
    for (unsigned k = 0; k < WTL_GAP_REASON_COUNT; k++) {
        if (!(summary->gap_reasons >> k & 1) || used >= sizeof column->why)
            continue;
        used += (size_t)snprintf(column->why + used, sizeof column->why - used, "%s%s", before,
                                 wtl_gap_reason_name((enum wtl_gap_reason)k));
        before = ", ";
    }
    if (*before == ',' && used < sizeof column->why)
        (void)snprintf(column->why + used, sizeof column->why - used, ")");
}

static void take_column(struct wtl_counter_table *table, const struct wtl_result *result, size_t i)
{
    struct wtl_counter_info *column = &table->columns[i];
    const char *name = table->set.columns[i].name;
    const struct wtl_result_channel *found = find(result, name);
    *column = (struct wtl_counter_info){.name = name,
                                        .source = table->set.columns[i].source,
                                        .amount = (double)NAN,
                                        .rate = (double)NAN,
                                        .share = 1};
    if (!found) {
        item_of(wtl_trace_reader_meta(table->reader, WTL_META_COUNTERS_MISSING), name, ':',
                column->why, sizeof column->why);
        return;
    }
    bool gauge = found->channel.kind != WATTLE_COUNTER;
    column->channel = &found->channel;
    column->share = share_of(table, name);
    column->amount = gauge ? found->summary.mean_w : found->summary.amount;
    /* What a reset or a pause has swallowed is in no sum. */
    if (!gauge && found->summary.unknown_ns > 0)
        column->amount = (double)NAN;
    if (!isfinite(column->amount) && found->summary.unknown_ns > 0)
        explain_unknown(column, &found->summary);
    if (!gauge && result->wall_time_s > 0)
        column->rate = column->amount / result->wall_time_s;
}

/* rough: of each column; NULL = none. */
static void evaluate(const struct wtl_counter_table *table,
                     const double *amounts,
                     const bool *rough,
                     double time_s,
                     double energy_j,
                     struct wtl_counter_value *values)
{
    const struct wtl_counter_set *set = &table->set;
    for (size_t i = 0; i < set->metric_count; i++) {
        const struct wtl_counter_metric *metric = &set->metrics[i];
        values[i] = (struct wtl_counter_value){
            .name = metric->name,
            .unit = metric->unit,
            .formula = metric->formula,
            .value = wtl_counter_metric_value(set, i, amounts, time_s, energy_j),
            .estimated = table->estimated && wtl_counter_metric_uses_energy(set, i)};
        for (size_t k = 0; rough && k < metric->used_count; k++)
            values[i].rough = values[i].rough || rough[metric->used[k]];
    }
}

static int take_window(struct wtl_counter_table *table, const struct wtl_result *result)
{
    double amounts[WTL_COUNTER_COLUMNS];
    size_t n = table->set.column_count;
    table->columns = calloc(n + 1, sizeof *table->columns);
    table->values = calloc(table->set.metric_count + 1, sizeof *table->values);
    if (!table->columns || !table->values)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        take_column(table, result, i);
        const struct wtl_result_channel *found = find(result, table->columns[i].name);
        bool comparable = found && !is_short(result, &found->summary);
        amounts[i] = comparable ? table->columns[i].amount : (double)NAN;
        if (!comparable)
            table->columns[i].rate = (double)NAN;
    }
    table->estimated = result->energy.quality == WATTLE_ESTIMATED;
    evaluate(table, amounts, NULL, result->wall_time_s, energy_to_compare(result), table->values);
    return 0;
}

/* ---- regions ---- */

static double energy_of(const struct wtl_region_row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].inclusive.j;
    }
    return NAN;
}

static int take_row(struct wtl_counter_table *table,
                    const struct wtl_region_summary *region,
                    double energy_j)
{
    struct wtl_counter_row *row = &table->rows[table->row_count];
    size_t n = table->set.column_count;
    bool rough[WTL_COUNTER_COLUMNS] = {false};
    assert(row);
    row->amounts = malloc((n + 1) * sizeof *row->amounts);
    row->values = calloc(table->set.metric_count + 1, sizeof *row->values);
    table->row_count++;
    char *name = strdup(region->name);
    row->name = name;
    if (!row->amounts || !row->values || !name)
        return -ENOMEM;
    row->time_s = (double)region->union_ns * 1e-9;
    row->energy_j = energy_j;
    row->column_count = n;
    row->metric_count = table->set.metric_count;
    for (size_t i = 0; i < n; i++) {
        const struct wattle_channel *channel = table->columns[i].channel;
        int id = channel ? wtl_trace_reader_find_channel(table->reader, channel->name) : -1;
        row->amounts[i] = NAN;
        for (size_t k = 0; id >= 0 && k < region->energy_count; k++) {
            if (region->channels[k] != (uint32_t)id)
                continue;
            row->amounts[i] = region->inclusive[k].j;
            rough[i] = region->inclusive[k].interval_only;
        }
        if (channel && channel->kind != WATTLE_COUNTER)
            row->amounts[i] /= row->time_s;
        else if (row->amounts[i] > table->columns[i].amount)
            row->amounts[i] =
                table->columns[i].amount; /* what was never counted was not counted here */
        rough[i] = rough[i] && row->amounts[i] > 0;
    }
    evaluate(table, row->amounts, rough, row->time_s, row->energy_j, row->values);
    return 0;
}

static int take_regions(struct wtl_counter_table *table,
                        const struct wtl_result *result,
                        struct wattle_error *err)
{
    struct wtl_footer_regions regions = {NULL, 0};
    struct wtl_region_row *energies = NULL;
    int count = wtl_region_rows(table->reader, result, &energies, err);
    int rc = count < 0 ? count : 0;
    if (count > 0)
        rc = wtl_region_sensor(table->reader, WTL_COUNTER_SENSOR, &regions, err);
    if (rc == 0 && regions.count > 0) {
        table->rows = calloc(regions.count, sizeof *table->rows);
        rc = table->rows ? 0 : wtl_no_memory(err);
    }
    for (size_t i = 0; i < regions.count && rc == 0; i++) {
        const struct wtl_region_summary *region = &regions.regions[i];
        rc = take_row(table, region, energy_of(energies, (size_t)count, region->name));
    }
    free(energies);
    wtl_footer_regions_fini(&regions);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

static int open_table(struct wtl_counter_table *table,
                      const struct wtl_result *result,
                      bool regions,
                      struct wattle_error *err)
{
    uint64_t interval_ns;
    struct wattle_error why = {""};
    /* The nodes of a run may have different sets. */
    int rc = table->reader || wtl_run_name_is_run(result->trace)
                 ? 0
                 : wtl_trace_reader_open(result->trace, &table->reader, err);
    if (rc < 0 || !table->reader)
        return rc;
    const struct wtl_trace_reader *reader = table->reader;
    const char *columns = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_COLUMNS);
    const char *interval = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_INTERVAL_NS);
    if (!columns)
        return 0;
    rc = wtl_counter_set_from_texts(&table->set,
                                    wtl_trace_reader_meta(reader, WTL_META_COUNTERS_SET), columns,
                                    wtl_trace_reader_meta(reader, WTL_META_COUNTERS_METRICS), &why);
    if (rc == -EBADMSG) {
        (void)snprintf(table->damaged, sizeof table->damaged, "%.390s", why.text);
        return 0;
    }
    if (rc < 0)
        return wtl_no_memory(err);
    table->scope = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_SCOPE);
    table->note = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_NOTE);
    if (interval && wtl_parse_u64(interval, &interval_ns) == 0 && interval_ns > 0)
        table->interval_s = (double)interval_ns * 1e-9;
    if (take_window(table, result) < 0)
        return wtl_no_memory(err);
    return regions ? take_regions(table, result, err) : 0;
}

int wtl_counter_table_open(const struct wtl_result *result,
                           struct wtl_trace_reader *reader,
                           bool regions,
                           struct wtl_counter_table *ret_table,
                           struct wattle_error *err)
{
    *ret_table = (struct wtl_counter_table){
        .interval_s = (double)NAN, .reader = reader, .borrowed = reader != NULL};
    int rc = result->trace ? open_table(ret_table, result, regions, err) : 0;
    if (rc < 0)
        wtl_counter_table_close(ret_table);
    return rc;
}

void wtl_counter_table_close(struct wtl_counter_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        free((char *)(uintptr_t)table->rows[i].name);
        free(table->rows[i].amounts);
        free(table->rows[i].values);
    }
    free(table->rows);
    free(table->columns);
    free(table->values);
    wtl_counter_set_fini(&table->set);
    if (!table->borrowed)
        wtl_trace_reader_close(table->reader);
    *table = (struct wtl_counter_table){.interval_s = (double)NAN};
}
