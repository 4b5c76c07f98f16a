/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Second pass: writes rows to the trace. Values are integers in units of 10^-places of the file's
 * unit, so that the trace has exactly what the file has. A cell without a value, a row missing from
 * a regular grid and a counter that fell are gaps with their reason.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/import/import.h"
#include "exchange/import/import_lane.h"
#include "exchange/import/import_words.h"
#include "model/bound.h"
#include "model/total.h"

struct output {
    struct wtl_import *import;
    struct wtl_trace_writer *writer; /* NULL = check only */
    struct wtl_import_lane *lanes;   /* by column */
    uint64_t *values;                /* values of a row */
    uint8_t *missing;
    uint64_t *last_ns;                /* by group: time of its last row */
    uint64_t *lost, *first_lost_line; /* by group: rows missing from the grid */
    uint64_t next_clocks_ns;
};

static uint64_t trace_time(const struct wtl_import *import, int64_t time_ns)
{
    return (uint64_t)(time_ns + import->offset_ns);
}

/* ---- tables ---- */

/* The channel of the place that contains this one. */
static void name_whole(const struct wtl_import *import,
                       const char *place,
                       char name[WATTLE_NAME_MAX])
{
    for (size_t i = 0; i < import->column_count && *place; i++) {
        const struct wtl_import_column *whole = &import->columns[i];
        const char *colon = strchr(whole->name, ':');
        if (whole->role == WTL_ROLE_CHANNEL && whole->primary && colon &&
            strcmp(colon + 1, place) == 0)
            memcpy(name, whole->name, WATTLE_NAME_MAX);
    }
}

static void fill_channel(const struct wtl_import *import,
                         const struct wtl_import_column *column,
                         struct wattle_channel *ret_channel)
{
    const struct wtl_import_file *file = &import->files[column->file];
    const struct wtl_meaning *meaning = &column->meaning;
    const char *colon = strchr(column->name, ':');
    struct wattle_channel channel = {.domain = meaning->domain,
                                     .index = meaning->index,
                                     .sub = meaning->sub,
                                     .quantity = meaning->quantity,
                                     .quality = meaning->quality,
                                     .scale = column->unit_scale * pow(10, -column->places)};
    if (column->places >= 0 && column->places <= 22) /* 10^-n is rounded, the division is more
                                                      * exact */
        channel.scale = column->unit_scale / pow(10, column->places);
    if (!meaning->has_domain)
        channel.domain = WATTLE_DOMAIN_OTHER;
    bool counter = meaning->kind == WTL_IMPORT_COUNTER || meaning->kind == WTL_IMPORT_DELTA;
    channel.kind = counter                               ? WATTLE_COUNTER
                   : meaning->kind == WTL_IMPORT_AVERAGE ? WATTLE_WINDOW_AVERAGE
                                                         : WATTLE_GAUGE;
    channel.modulus = counter ? column->modulus : 0;
    if (channel.kind == WATTLE_WINDOW_AVERAGE)
        channel.window_ns = (uint64_t)import->groups[column->group].step_ns;
    wtl_channel_traits_apply(&meaning->traits, &channel);
    if (column->primary)
        channel.flags = WATTLE_CHANNEL_PRIMARY;
    if (meaning->simulated)
        channel.flags |= WATTLE_CHANNEL_SIMULATED;
    memcpy(channel.name, column->name, sizeof channel.name);
    name_whole(import, meaning->within, channel.within);
    (void)snprintf(channel.sensor, sizeof channel.sensor, "%.*s",
                   colon ? (int)(colon - column->name) : 15, column->name);
    (void)snprintf(channel.label, sizeof channel.label, "%.31s", column->header);
    (void)snprintf(channel.location, sizeof channel.location, "%.120s column %zu", file->path,
                   column->number + 1);
    *ret_channel = channel;
}

/* With the flags of channels in the total, as in a measured trace. */
static int add_channels(struct output *output)
{
    struct wtl_import *import = output->import;
    struct wattle_channel *channels = malloc((import->column_count + 1) * sizeof *channels);
    struct wtl_total total;
    size_t count = 0;
    int rc = channels ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < import->column_count; i++)
        if (import->columns[i].role == WTL_ROLE_CHANNEL)
            fill_channel(import, &import->columns[i], &channels[count++]);
    if (rc == 0)
        wtl_total_choose(channels, count, &total);
    count = 0;
    for (size_t i = 0; rc >= 0 && i < import->column_count; i++) {
        if (import->columns[i].role != WTL_ROLE_CHANNEL)
            continue;
        rc = wtl_trace_writer_channel(output->writer, &channels[count++]);
        import->columns[i].channel = (uint32_t)rc;
    }
    free(channels);
    return rc;
}

static int add_tables(struct output *output)
{
    struct wtl_import *import = output->import;
    int rc = add_channels(output);
    for (size_t i = 0; rc >= 0 && i < import->group_count; i++) {
        struct wtl_import_group *group = &import->groups[i];
        uint32_t *ids = malloc((group->count + 1) * sizeof *ids);
        if (!ids)
            return -ENOMEM;
        for (size_t k = 0; k < group->count; k++)
            ids[k] = import->columns[group->columns[k]].channel;
        rc = wtl_trace_writer_group(output->writer, ids, group->count, 0);
        group->id = (uint32_t)rc;
        free(ids);
    }
    return rc < 0 ? rc : 0;
}

/* ---- gaps ---- */

static int put_gap(struct output *output,
                   size_t column,
                   enum wtl_gap_reason reason,
                   int error,
                   uint64_t begin_ns,
                   uint64_t end_ns)
{
    const struct wtl_gap gap = {.channel = output->import->columns[column].channel,
                                .reason = reason,
                                .error = error,
                                .begin_ns = begin_ns,
                                .end_ns = end_ns};
    output->import->gaps++;
    return output->writer ? wtl_trace_writer_gap(output->writer, &gap) : 0;
}

/* A good value ends the open gap. */
static int end_gap(struct output *output, size_t column, uint64_t time_ns)
{
    struct wtl_import_lane *lane = &output->lanes[column];
    if (!lane->is_gap)
        return 0;
    uint64_t begin_ns = lane->wrong_ns ? lane->wrong_ns : lane->last_ns;
    lane->is_gap = false;
    lane->wrong_ns = 0;
    lane->lost_until_ns = time_ns;
    return put_gap(output, column, lane->reason, lane->error, begin_ns, time_ns);
}

/* What happened between the last value and this time, by the recording's own words. Returns whether it had a gap there. */
static bool take_stated_gaps(const struct output *output, size_t number, uint64_t time_ns)
{
    const struct wtl_import *import = output->import;
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_table *table = import->files[column->file].table;
    struct wtl_import_lane *lane = &output->lanes[number];
    bool any = false;
    for (; table && lane->gap_at < table->gap_count; lane->gap_at++) {
        const struct wtl_import_gap *gap = &table->gaps[lane->gap_at];
        if (gap->column < column->number)
            continue;
        if (gap->column > column->number || trace_time(import, gap->begin_ns) >= time_ns)
            break;
        if (trace_time(import, gap->end_ns) <= lane->last_ns)
            continue;
        any = true;
        lane->error = lane->is_gap ? lane->error : 0;
        if (!lane->is_gap || wtl_gap_loses_energy(gap->reason, WATTLE_COUNTER))
            lane->reason = gap->reason;
        lane->is_gap = true;
        if (lane->last_ns == 0)
            lane->last_ns = gap->begin_ns > import->first_ns ? trace_time(import, gap->begin_ns)
                                                             : trace_time(import, import->first_ns);
        if (trace_time(import, gap->end_ns) > time_ns)
            break; /* it lasts beyond */
    }
    return any;
}

/* ---- values ---- */

/* Whether the trace has the sum of a column's values, or what its counter has counted. */
static bool is_count(const struct wtl_import_column *column)
{
    return column->meaning.kind == WTL_IMPORT_COUNTER || column->meaning.kind == WTL_IMPORT_DELTA;
}

/* Joules, or value x time, for the report. */
static void add_up(const struct output *output, size_t number, int64_t raw, uint64_t time_ns)
{
    const struct wtl_import_column *column = &output->import->columns[number];
    struct wtl_import_lane *lane = &output->lanes[number];
    double unit = column->unit_scale * pow(10, -column->places),
           dt_s = (double)(time_ns - lane->last_ns) * 1e-9;
    double mean = column->meaning.kind == WTL_IMPORT_AVERAGE
                      ? (double)raw
                      : ((double)raw + (double)lane->gauge_raw) / 2;
    if (is_count(column))
        lane->amount = (double)(lane->ticks - lane->left_out) * unit;
    else if (lane->any && !lane->is_gap)
        lane->amount += mean * unit * dt_s;
    if (lane->any && !lane->is_gap)
        lane->covered_s += dt_s;
    lane->gauge_raw = raw;
}

/* A hole in a gauge's readings, which are instants: a mean tells what it is of. */
static void open_pause(struct output *output, size_t number, uint64_t time_ns)
{
    const struct wtl_meaning *meaning = &output->import->columns[number].meaning;
    const struct wattle_channel channel = {.kind = WATTLE_GAUGE, .quantity = meaning->quantity};
    struct wtl_import_lane *lane = &output->lanes[number];
    const struct wtl_import_cell none = {.form = WTL_CELL_EMPTY};
    if (meaning->kind == WTL_IMPORT_GAUGE && lane->any && !lane->is_gap &&
        wtl_pause_between(&lane->pause, &channel, 0, lane->last_ns, time_ns))
        wtl_import_lane_miss(lane, &none, time_ns);
}

/* Write the value of a cell, with any gap before it. 1: it is off the curve of its counter, and missing. */
static int take_value(struct output *output,
                      size_t number,
                      const struct wtl_import_cell *cell,
                      uint64_t time_ns,
                      uint64_t *ret_value)
{
    const struct wtl_import_column *column = &output->import->columns[number];
    struct wtl_import_lane *lane = &output->lanes[number];
    int64_t raw;
    int rc = wtl_decimal_scaled(cell->value, column->places, &raw, NULL);
    if (rc < 0)
        return rc;
    enum wtl_import_kind kind = column->meaning.kind;
    if (kind == WTL_IMPORT_COUNTER && !wtl_import_lane_count(lane, column, raw, time_ns))
        return 1;
    if (kind == WTL_IMPORT_DELTA && (lane->any || output->import->groups[column->group].covered))
        lane->ticks += (uint64_t)raw;
    if (kind == WTL_IMPORT_COUNTER)
        wtl_course_note(&lane->trail, (int64_t)lane->ticks, time_ns);
    open_pause(output, number, time_ns);
    add_up(output, number, raw, time_ns);
    rc = end_gap(output, number, time_ns);
    if (rc == 0 && !lane->origin && kind == WTL_IMPORT_COUNTER && raw >= 0 && output->writer)
        rc = wtl_trace_writer_origin(output->writer, column->channel, (uint64_t)raw);
    lane->begin_ns = lane->begin_ns ? lane->begin_ns : time_ns;
    lane->origin = lane->any = true;
    lane->last_raw = raw;
    lane->last_ns = time_ns;
    output->import->samples++;
    *ret_value = is_count(column) ? lane->ticks : (uint64_t)raw;
    return rc;
}

/* ---- rows ---- */

static int put_row(struct output *output,
                   const struct wtl_import_group *group,
                   uint64_t time_ns,
                   bool any)
{
    output->last_ns[group - output->import->groups] = time_ns;
    if (!output->writer)
        return 0;
    int rc = wtl_trace_writer_row(output->writer, group->id, time_ns, output->values,
                                  any ? output->missing : NULL);
    /* A single group may have long blocks: they are smaller, and the order does not change. */
    if (rc == 0 && output->import->group_count > 1)
        rc = wtl_trace_writer_poll(output->writer, time_ns);
    return rc;
}

/* What is counted in each row was counted in the rows that are missing as well, and is lost: the next one has that of its own step. */
static int restart_counts(struct output *output,
                          const struct wtl_import_group *group,
                          uint64_t begin_ns)
{
    bool any = false;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < group->count; i++) {
        size_t column = group->columns[i];
        struct wtl_import_lane *lane = &output->lanes[column];
        bool counts = output->import->columns[column].meaning.kind == WTL_IMPORT_DELTA && lane->any;
        output->values[i] = counts ? lane->ticks : 0;
        output->missing[i] = !counts;
        if (!counts)
            continue;
        rc = put_gap(output, column, WTL_GAP_RESET, 0, lane->last_ns, begin_ns);
        lane->last_ns = begin_ns;
        any = true;
    }
    return rc < 0 || !any ? rc : put_row(output, group, begin_ns, true);
}

/* A row missing from the grid is a gap of all channels. */
static int check_grid(struct output *output, size_t number, uint64_t time_ns, uint64_t line)
{
    const struct wtl_import_group *group = &output->import->groups[number];
    uint64_t last_ns = output->last_ns[number];
    if (group->step_ns == 0 || last_ns == 0 ||
        time_ns - last_ns <= (uint64_t)group->step_ns * 3 / 2)
        return 0;
    if (!output->first_lost_line[number])
        output->first_lost_line[number] = line;
    output->lost[number] +=
        (time_ns - last_ns + (uint64_t)group->step_ns / 2) / (uint64_t)group->step_ns - 1;
    for (size_t i = 0; i < group->count; i++) {
        struct wtl_import_lane *lane = &output->lanes[group->columns[i]];
        bool counts = output->import->columns[group->columns[i]].meaning.kind == WTL_IMPORT_DELTA;
        if (lane->is_gap || !lane->any || counts)
            continue;
        lane->is_gap = true;
        lane->reason = WTL_GAP_NOT_SAMPLED;
        lane->error = 0;
    }
    return group->covered ? 0 : restart_counts(output, group, time_ns - (uint64_t)group->step_ns);
}

/* The first mean holds since the begin of its window: it is repeated there. */
static int put_first_window(struct output *output,
                            const struct wtl_import_group *group,
                            const struct wtl_import_row *row,
                            uint64_t time_ns)
{
    uint64_t begin_ns = time_ns - (uint64_t)row->cover_ns;
    bool any = false;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < group->count; i++) {
        const struct wtl_import_column *column = &output->import->columns[group->columns[i]];
        const struct wtl_import_cell *cell = &row->cells[column->number];
        int64_t raw = 0;
        bool mean = column->meaning.kind == WTL_IMPORT_AVERAGE && cell->form == WTL_CELL_GOOD;
        rc = mean ? wtl_decimal_scaled(cell->value, column->places, &raw, NULL) : 0;
        struct wtl_import_lane *lane = &output->lanes[group->columns[i]];
        double cover_s = mean ? (double)row->cover_ns * 1e-9 : 0;
        lane->amount += (double)raw * column->unit_scale * pow(10, -column->places) * cover_s;
        lane->covered_s += cover_s;
        output->values[i] = (uint64_t)raw;
        output->missing[i] = !mean;
        any = any || mean;
    }
    for (size_t i = 0; any && i < group->count; i++) {
        if (output->missing[i])
            wtl_import_lane_miss(&output->lanes[group->columns[i]],
                                 &(struct wtl_import_cell){.form = WTL_CELL_EMPTY}, begin_ns);
    }
    return rc < 0 || !any ? rc : put_row(output, group, begin_ns, true);
}

/* Energies of a row cover a time: repeat the previous values at its begin. */
static int put_cover(struct output *output,
                     const struct wtl_import_group *group,
                     const struct wtl_import_row *row,
                     uint64_t time_ns)
{
    uint64_t begin_ns = time_ns - (uint64_t)row->cover_ns;
    uint64_t last_ns = output->last_ns[group - output->import->groups];
    if (row->cover_ns <= 0 || (last_ns && begin_ns <= last_ns))
        return 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < group->count; i++) {
        struct wtl_import_lane *lane = &output->lanes[group->columns[i]];
        output->values[i] = lane->ticks;
        output->missing[i] = 0;
        if (lane->is_gap)
            lane->reason = WTL_GAP_RESET;
        rc = end_gap(output, group->columns[i], begin_ns);
        /* Between rows nothing was counted. */
        if (rc == 0 && lane->any && lane->last_ns == last_ns)
            rc = put_gap(output, group->columns[i], WTL_GAP_RESET, 0, last_ns, begin_ns);
        lane->last_ns = begin_ns;
        lane->any = true;
    }
    return rc < 0 ? rc : put_row(output, group, begin_ns, false);
}

/* A row without a count: what was counted since the previous row is lost, and counting restarts
 * here. */
static int pass_over(struct output *output, size_t column, uint64_t time_ns, size_t i)
{
    struct wtl_import_lane *lane = &output->lanes[column];
    int rc = lane->any ? put_gap(output, column, WTL_GAP_RESET, 0, lane->last_ns, time_ns) : 0;
    lane->any = true;
    lane->last_ns = time_ns;
    output->values[i] = lane->ticks;
    output->missing[i] = 0;
    return rc;
}

/* The value of a column, or that it is missing, into number i of the row. */
static int put_cell(struct output *output,
                    size_t column,
                    const struct wtl_import_row *row,
                    uint64_t time_ns,
                    size_t i)
{
    const struct wtl_import_cell *cell = &row->cells[output->import->columns[column].number];
    output->missing[i] = cell->form != WTL_CELL_GOOD;
    output->values[i] = 0;
    if (output->import->columns[column].meaning.kind != WTL_IMPORT_DELTA)
        (void)take_stated_gaps(output, column, time_ns);
    if (!output->missing[i]) {
        int rc = take_value(output, column, cell, time_ns, &output->values[i]);
        output->missing[i] = rc > 0;
        return rc < 0 ? rc : 0;
    }
    if (output->import->columns[column].meaning.kind == WTL_IMPORT_DELTA)
        return pass_over(output, column, time_ns, i);
    wtl_import_lane_miss(&output->lanes[column], cell, time_ns);
    return 0;
}

static int put_group(struct output *output, size_t number, const struct wtl_import_row *row)
{
    struct wtl_import *import = output->import;
    const struct wtl_import_group *group = &import->groups[number];
    uint64_t time_ns = trace_time(import, row->time_ns);
    bool any = false, any_missing = false;
    for (size_t i = 0; i < group->count; i++) {
        size_t at = import->columns[group->columns[i]].number;
        any = any || row->cells[at].form != WTL_CELL_EMPTY;
    }
    /* A row that only has values of other groups is not part of this one. */
    if (!any && import->group_count > 1)
        return 0;
    int rc = output->last_ns[number] == 0 && row->cover_ns > 0 && !group->covered
                 ? put_first_window(output, group, row, time_ns)
                 : check_grid(output, number, time_ns, row->line);
    if (group->covered)
        rc = rc < 0 ? rc : put_cover(output, group, row, time_ns);
    for (size_t i = 0; rc == 0 && i < group->count; i++) {
        rc = put_cell(output, group->columns[i], row, time_ns, i);
        any_missing = any_missing || output->missing[i];
    }
    return rc < 0 ? rc : put_row(output, group, time_ns, any_missing);
}

/* A clock pair at the beginning, at the end and every minute. */
static int put_clocks(struct output *output, uint64_t time_ns, bool last)
{
    if (!output->writer || !output->import->realtime || (!last && time_ns < output->next_clocks_ns))
        return 0;
    const struct wtl_clock_pair pair = {.monotonic_ns = time_ns, .realtime_ns = time_ns};
    output->next_clocks_ns = time_ns + 60000000000u;
    return wtl_trace_writer_clocks(output->writer, &pair);
}

static int put_rows(struct output *output, struct wattle_error *err)
{
    struct wtl_import *import = output->import;
    int rc = wtl_import_rewind(import, err);
    for (struct wtl_import_file *file;
         rc == 0 && (file = wtl_import_next(import, &rc, err)) != NULL;) {
        int status = put_clocks(output, trace_time(import, file->row.time_ns), false);
        for (size_t i = 0; status == 0 && i < import->group_count; i++) {
            if (&import->files[import->groups[i].file] == file)
                status = put_group(output, i, &file->row);
        }
        if (status == -ERANGE)
            rc = wtl_fail(err, status,
                          "%s:%llu: a number does not fit into 18 digits with the others of its "
                          "column; skip the column with --ignore",
                          file->path, (unsigned long long)file->row.line);
        else if (status < 0)
            rc = wtl_fail(err, status, "cannot write the trace: %s", wtl_strerror(status));
    }
    return rc;
}

static bool exceeds(uint64_t from_ns, uint64_t to_ns, double most_ns)
{
    return to_ns > from_ns && (double)(to_ns - from_ns) > most_ns;
}

/* A column that has values only in a part of its file, as of a sensor that came late: what is before and after is unknown. */
static int put_ends(struct output *output, size_t number)
{
    struct wtl_import *import = output->import;
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_file *file = &import->files[column->file];
    const struct wtl_import_lane *lane = &output->lanes[number];
    int64_t seen_ns = file->table ? file->table->seen_ns : 0;
    uint64_t first_ns = trace_time(import, file->first_ns),
             last_ns = trace_time(import, file->last_ns),
             end_ns = seen_ns > file->last_ns ? trace_time(import, seen_ns) : last_ns;
    double most_ns = 1.5e9 * column->stats.time_s /
                     (double)(column->stats.good > 1 ? column->stats.good - 1 : 1);
    if (!lane->begin_ns || lane->is_gap || most_ns <= 0 || import->groups[column->group].covered)
        return 0;
    bool late = exceeds(first_ns, lane->begin_ns, most_ns),
         early = exceeds(lane->last_ns, end_ns, most_ns);
    if (!late && !early)
        return 0;
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "not throughout", column->file, (int)number);
    fault->count = 1;
    (void)snprintf(fault->text, sizeof fault->text,
                   "has values for %.6g of the %.6g s of its file; the rest is recorded as a gap",
                   (double)(lane->last_ns - lane->begin_ns) * 1e-9,
                   (double)(end_ns - first_ns) * 1e-9);
    int rc = late ? put_gap(output, number, WTL_GAP_NOT_SAMPLED, 0, first_ns, lane->begin_ns) : 0;
    return rc == 0 && early && last_ns > lane->last_ns
               ? put_gap(output, number, WTL_GAP_NOT_SAMPLED, 0, lane->last_ns, last_ns)
               : rc;
}

/* Gaps that last to the end. */
static int end_gaps(struct output *output)
{
    struct wtl_import *import = output->import;
    uint64_t end_ns = trace_time(import, import->last_ns);
    int rc = 0;
    for (size_t i = 0; i < import->column_count && rc == 0; i++) {
        if (import->columns[i].role != WTL_ROLE_CHANNEL)
            continue;
        struct wtl_import_lane *lane = &output->lanes[i];
        if (lane->course.waits) { /* nothing follows that could tell a glitch from a reset */
            lane->reason = WTL_GAP_RESET;
            wtl_import_lane_take_back(lane);
        }
        rc = take_stated_gaps(output, i, end_ns) ? 0 : put_ends(output, i);
        rc = rc < 0 ? rc : end_gap(output, i, end_ns);
    }
    return rc;
}

/* Write the regions of a file as those of one thread. */
static int put_marks(struct output *output, const struct wtl_import_file *file)
{
    const struct wtl_import_table *table = file->table;
    struct wtl_trace_writer *writer = output->writer;
    const struct wtl_trace_process process = {.rank = -1,
                                              .start_ns =
                                                  trace_time(output->import, file->first_ns),
                                              .command = file->program};
    if (!writer || table->mark_count == 0)
        return 0;
    int rc = wtl_trace_writer_process(writer, &process);
    const struct wtl_trace_thread about = {.process = (uint32_t)rc, .name = ""};
    int thread = rc < 0 ? rc : wtl_trace_writer_thread(writer, &about);
    rc = thread < 0 ? thread : 0;
    for (size_t i = 0; i < table->mark_count && rc == 0; i++) {
        const struct wtl_import_mark *from = &table->marks[i];
        int name = wtl_trace_writer_string(writer, table->mark_names[from->name - 1]);
        if (name < 0)
            return name;
        const struct wtl_mark mark = {.time_ns = trace_time(output->import, from->time_ns),
                                      .thread = (uint32_t)thread,
                                      .name = (uint32_t)name,
                                      .kind = from->begin ? WTL_MARK_BEGIN : WTL_MARK_END};
        rc = wtl_trace_writer_marks(writer, &mark, 1);
    }
    return rc;
}

/* What formats with many threads stream. */
static int put_activities(struct output *output, struct wattle_error *err)
{
    const struct wtl_import *import = output->import;
    int rc = 0;
    for (size_t i = 0; i < import->file_count && rc == 0 && output->writer; i++) {
        struct wtl_import_table *table = import->files[i].table;
        if (table->put_marks)
            rc = table->put_marks(table, output->writer, import->offset_ns, err);
    }
    return rc;
}

static void tell_lost_rows(struct output *output)
{
    struct wtl_import *import = output->import;
    for (size_t i = 0; i < import->group_count; i++) {
        const struct wtl_import_group *group = &import->groups[i];
        if (output->lost[i] == 0 || group->covered)
            continue;
        struct wtl_import_fault *fault = wtl_import_fault(import, "missing rows", group->file, -1);
        fault->count = output->lost[i];
        fault->line = output->first_lost_line[i];
        (void)snprintf(fault->text, sizeof fault->text,
                       "%llu row%s missing from a grid of %.9g s, recorded as gaps",
                       (unsigned long long)output->lost[i], output->lost[i] == 1 ? " is" : "s are",
                       (double)group->step_ns * 1e-9);
    }
}

static int begin(struct output *output, struct wattle_error *err)
{
    struct wtl_import *import = output->import;
    size_t columns = import->column_count + 1, groups = import->group_count + 1;
    output->lanes = calloc(columns, sizeof *output->lanes);
    output->values = calloc(columns, sizeof *output->values);
    output->missing = calloc(columns, sizeof *output->missing);
    output->last_ns = calloc(groups, sizeof *output->last_ns);
    output->lost = calloc(groups, sizeof *output->lost);
    output->first_lost_line = calloc(groups, sizeof *output->first_lost_line);
    if (!output->lanes || !output->values || !output->missing || !output->last_ns ||
        !output->lost || !output->first_lost_line)
        return wtl_no_memory_for(err, "the import");
    for (size_t i = 0; i < import->column_count; i++) {
        const struct wtl_import_stats *stats = &import->columns[i].stats;
        output->lanes[i].rate = stats->time_s > 0 ? stats->rise_sum / stats->time_s : 0;
    }
    import->samples = import->gaps = 0;
    if (!output->writer)
        return 0;
    int rc = add_tables(output);
    rc = rc < 0
             ? rc
             : wtl_trace_writer_window_begin(output->writer, trace_time(import, import->first_ns));
    if (rc < 0)
        return wtl_fail(err, rc, "cannot write the trace: %s", wtl_strerror(rc));
    return 0;
}

static void tell_begins(struct wtl_import *import)
{
    for (size_t i = 0; import->realtime && i < import->file_count; i++) {
        struct wtl_import_file *file = &import->files[i];
        int64_t offset_ns = file->time.epoch == WTL_EPOCH_1970 ? 0 : import->offset_ns;
        wtl_time_print(file->first_ns + offset_ns, file->begin_text, sizeof file->begin_text);
    }
}

int wtl_import_write(struct wtl_import *import,
                     struct wtl_trace_writer *writer,
                     struct wattle_error *err)
{
    struct output output = {.import = import, .writer = writer};
    int rc = begin(&output, err);
    rc = rc < 0 ? rc : put_rows(&output, err);
    if (rc == 0) {
        uint64_t end_ns = trace_time(import, import->last_ns);
        int status = end_gaps(&output);
        for (size_t i = 0; i < import->file_count && status == 0; i++)
            status = put_marks(&output, &import->files[i]);
        rc = put_activities(&output, err);
        status = status < 0 ? status : put_clocks(&output, end_ns, true);
        if (status == 0 && writer)
            status = wtl_trace_writer_window_end(writer, end_ns);
        if (status < 0 && rc == 0)
            rc = wtl_fail(err, status, "cannot write the trace: %s", wtl_strerror(status));
        for (size_t i = 0; i < import->column_count; i++) {
            import->columns[i].amount = output.lanes[i].amount;
            import->columns[i].amount_s = output.lanes[i].covered_s;
        }
        tell_lost_rows(&output);
        tell_begins(import);
    }
    free(output.lanes);
    free(output.values);
    free(output.missing);
    free(output.last_ns);
    free(output.lost);
    free(output.first_lost_line);
    return rc;
}
