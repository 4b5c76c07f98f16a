/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Export of samples: the rows of all groups merged by time. An energy counter gives two columns,
 * joules since its first exported sample and the mean power since the previous one; all others give
 * one. Rows of edge polls are skipped. Across a gap the power is unknown.
 */
#include "exchange/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/sample_merge.h"
#include "model/reading.h"

/* A channel of the export. */
struct lane {
    const struct wattle_channel *channel;
    size_t column; /* its first cell */
    bool counter;  /* energy counter: two cells */
    bool started;
    bool absent; /* a value was missing since the last one: no power across it */
    uint64_t first, last, last_ns;
};

struct merge {
    struct wtl_export_run *run;
    struct lane *lanes; /* by channel id */
    size_t column_count;
    struct wtl_gap_walk gaps;
    struct wtl_cell *cells;
};

/* ---- columns ---- */

/* Values of a kind from a newer version have no unit. */
static const char *unit_of(const struct wattle_channel *channel)
{
    return wtl_channel_is_understood(channel) ? wattle_quantity_unit(channel->quantity) : "?";
}

const char *const wtl_sample_columns[] = {"time_s", "channel", "value", "unit", "power_w", NULL};

static int print_columns(struct merge *merge)
{
    struct wtl_export_run *run = merge->run;
    bool wide = !run->options->long_form;
    size_t most = 2 * run->channel_count + 5;
    char(*texts)[96] = calloc(most, sizeof *texts);
    const char **names = calloc(most, sizeof *names);
    size_t at = 1;
    if (!texts || !names) {
        free(texts);
        free(names);
        return -ENOMEM;
    }
    names[0] = "time_s";
    for (size_t i = 0; i < run->channel_count; i++) {
        struct lane *lane = &merge->lanes[run->channels[i]];
        lane->channel = &wtl_trace_reader_channel(run->reader, run->channels[i])->channel;
        lane->counter = lane->channel->kind == WATTLE_COUNTER &&
                        lane->channel->quantity == WATTLE_ENERGY &&
                        wtl_channel_is_understood(lane->channel);
        lane->column = at;
        const char *unit = unit_of(lane->channel);
        (void)snprintf(texts[at], sizeof *texts, unit[0] ? "%s [%s]" : "%s", lane->channel->name,
                       unit);
        names[at] = texts[at];
        at++;
        if (lane->counter) {
            (void)snprintf(texts[at], sizeof *texts, "%s [W]", lane->channel->name);
            names[at] = texts[at];
            at++;
        }
    }
    merge->column_count = wide ? at : 5;
    wtl_row_writer_note(&run->sheet, "time_s", "seconds since the start of the window");
    wtl_row_writer_note(&run->sheet, "J", "energy since the first row of the channel");
    wtl_row_writer_note(&run->sheet, "W",
                        "for energy: mean power since the previous row of the channel");
    wtl_row_writer_columns(&run->sheet, wide ? names : wtl_sample_columns, merge->column_count);
    free(texts);
    free(names);
    return 0;
}

/* ---- rows ---- */

/* Write the value of a channel to its one or two cells. */
static void make_cells(struct merge *merge,
                       uint32_t id,
                       uint64_t time_ns,
                       uint64_t value,
                       struct wtl_cell cells[2])
{
    struct lane *lane = &merge->lanes[id];
    const struct wattle_channel *channel = lane->channel;
    double power = NAN;
    if (!lane->started) {
        lane->first = value;
        lane->started = true;
    } else if (lane->counter && !lane->absent && time_ns > lane->last_ns &&
               !wtl_gap_walk_between(&merge->gaps, id, lane->last_ns, time_ns)) {
        double ticks = (double)(int64_t)(value - lane->last);
        power = ticks * channel->scale / (double)(time_ns - lane->last_ns) * 1e9;
    }
    if (!wtl_channel_is_understood(channel))
        cells[0] = wtl_cell_count(value); /* the raw value in the file */
    else if (channel->kind == WATTLE_COUNTER)
        cells[0] = wtl_cell_number((double)(int64_t)(value - lane->first) * channel->scale, 12);
    else
        cells[0] = wtl_cell_number(wtl_channel_value(channel, value), 12);
    cells[1] = wtl_cell_number(power, 6);
    lane->last = value;
    lane->last_ns = time_ns;
    lane->absent = false;
}

static void print_wide(struct merge *merge, const struct wtl_sample_row *row)
{
    uint64_t time_ns = row->time_ns;
    bool any = false;
    memset(merge->cells, 0, merge->column_count * sizeof *merge->cells);
    merge->cells[0] = wtl_cell_number(wtl_export_seconds(merge->run, time_ns), -9);
    for (size_t i = 0; i < row->column_count; i++) {
        const struct wtl_trace_column *column = &row->columns[i];
        struct lane *lane = &merge->lanes[column->channel];
        struct wtl_cell cells[2];
        if (!lane->channel)
            continue;
        any = true;
        if (column->missing && column->missing[row->row]) {
            lane->absent = true;
            continue;
        }
        make_cells(merge, column->channel, time_ns, column->values[row->row], cells);
        merge->cells[lane->column] = cells[0];
        if (lane->counter)
            merge->cells[lane->column + 1] = cells[1];
    }
    if (any)
        wtl_row_writer_row(&merge->run->sheet, merge->cells, merge->column_count);
}

static void print_long(struct merge *merge, const struct wtl_sample_row *row)
{
    uint64_t time_ns = row->time_ns;
    for (size_t i = 0; i < row->column_count; i++) {
        const struct wtl_trace_column *column = &row->columns[i];
        struct lane *lane = &merge->lanes[column->channel];
        struct wtl_cell value[2] = {{0}, {0}};
        if (!lane->channel)
            continue;
        if (column->missing && column->missing[row->row])
            lane->absent = true;
        else
            make_cells(merge, column->channel, time_ns, column->values[row->row], value);
        const struct wtl_cell cells[] = {
            wtl_cell_number(wtl_export_seconds(merge->run, time_ns), -9),
            wtl_cell_text(lane->channel->name), value[0], wtl_cell_text(unit_of(lane->channel)),
            value[1]};
        wtl_row_writer_row(&merge->run->sheet, cells, 5);
    }
}

static int print_rows(struct merge *merge, struct wattle_error *err)
{
    const struct wtl_export_run *run = merge->run;
    const struct wtl_trace_range range = {.begin_ns = run->begin_ns,
                                          .end_ns = run->end_ns,
                                          .channels = run->channels,
                                          .channel_count = run->channel_count};
    struct wtl_sample_merge samples;
    struct wtl_sample_row row;
    int rc = wtl_sample_merge_open(&samples, run->reader, &range, err);
    while (rc >= 0 && !wtl_export_broken(run) &&
           (rc = wtl_sample_merge_next(&samples, &row, err)) > 0) {
        if (run->options->long_form)
            print_long(merge, &row);
        else
            print_wide(merge, &row);
    }
    wtl_sample_merge_close(&samples);
    return rc < 0 ? rc : 0;
}

int wtl_export_samples(struct wtl_export_run *run, struct wattle_error *err)
{
    size_t channels = wtl_trace_reader_channel_count(run->reader);
    struct merge merge = {.run = run, .lanes = calloc(channels + 1, sizeof *merge.lanes)};
    int rc = merge.lanes ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : wtl_gap_walk_open(&merge.gaps, run->reader, err);
    rc = rc < 0 ? rc : print_columns(&merge);
    if (rc == 0 && !(merge.cells = calloc(merge.column_count, sizeof *merge.cells)))
        rc = -ENOMEM;
    rc = rc < 0 ? rc : print_rows(&merge, err);
    wtl_gap_walk_close(&merge.gaps);
    free(merge.cells);
    free(merge.lanes);
    return rc;
}
