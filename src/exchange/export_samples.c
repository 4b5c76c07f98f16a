/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Export of samples. Each group of channels has its own times, so there is one iterator per group
 * and their rows are merged by time: one block per group is in memory. A counter of energy gives
 * two columns, joules since its first exported sample and the mean power since the one before; all
 * others one. Rows of edge polls are left out. Where a gap lies in between, the power is unknown.
 */
#include "exchange/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading.h"

/* A channel of the export. */
struct lane {
    const struct wattle_channel *channel;
    size_t column; /* of its first cell */
    bool counter;  /* of energy: two cells */
    bool started;
    bool absent; /* a value was missing since the last one: what lies between is not bridged */
    uint64_t first, last, last_ns;
    size_t gap, gap_end; /* its gaps that are not behind us, in the sorted list */
};

/* A group, and where in it we are. */
struct strand {
    struct wtl_trace_samples *samples;
    uint32_t *ids; /* its channels that are wanted */
    uint32_t group;
    struct wtl_trace_chunk chunk;
    size_t row;
    bool done;
};

struct merge {
    struct wtl_export_run *run;
    struct lane *lanes; /* by channel id */
    struct strand *strands;
    size_t strand_count, column_count;
    struct wtl_gap *gaps; /* by channel, then time */
    struct wtl_cell *cells;
};

static bool is_wanted(const struct wtl_export_run *run, uint32_t id)
{
    return bsearch(&id, run->channels, run->channel_count, sizeof id, wtl_export_compare_ids);
}

/* ---- gaps ---- */

static int compare_gaps(const void *a, const void *b)
{
    const struct wtl_gap *x = a, *y = b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int load_gaps(struct merge *merge, struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    int count = wtl_trace_reader_gaps(merge->run->reader, &gaps, err);
    if (count < 0)
        return count;
    size_t n = (size_t)count, channels = wtl_trace_reader_channel_count(merge->run->reader);
    merge->gaps = malloc((n + 1) * sizeof *merge->gaps);
    if (!merge->gaps)
        return -ENOMEM;
    if (n)
        memcpy(merge->gaps, gaps, n * sizeof *gaps);
    qsort(merge->gaps, n, sizeof *merge->gaps, compare_gaps);
    for (size_t i = 0; i < n; i++) {
        uint32_t id = merge->gaps[i].channel;
        if (id >= channels)
            continue;
        if (merge->lanes[id].gap_end == 0)
            merge->lanes[id].gap = i;
        merge->lanes[id].gap_end = i + 1;
    }
    return 0;
}

/* Is there a gap between two samples of a lane? Asked with rising times. */
static bool has_gap(const struct merge *merge, struct lane *lane, uint64_t from_ns, uint64_t to_ns)
{
    while (lane->gap < lane->gap_end && merge->gaps[lane->gap].end_ns <= from_ns)
        lane->gap++;
    return lane->gap < lane->gap_end && merge->gaps[lane->gap].begin_ns < to_ns;
}

/* ---- columns ---- */

/* Values of a newer version's kind have none. */
static const char *unit_of(const struct wattle_channel *channel)
{
    return wtl_channel_is_understood(channel) ? wattle_quantity_unit(channel->quantity) : "?";
}

static int print_columns(struct merge *merge)
{
    struct wtl_export_run *run = merge->run;
    bool wide = !run->options->long_form;
    size_t most = 2 * run->channel_count + 5;
    char(*texts)[96] = calloc(most, sizeof *texts);
    const char **names = calloc(most, sizeof *names);
    size_t at = 1;
    static const char *const long_columns[] = {"time_s", "channel", "value", "unit", "power_w"};
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
    wtl_sheet_note(&run->sheet, "time_s", "seconds since the start of the window");
    wtl_sheet_note(&run->sheet, "J", "energy since the channel's first row here");
    wtl_sheet_note(&run->sheet, "W", "of energy: mean power since the channel's row before");
    wtl_sheet_columns(&run->sheet, wide ? names : long_columns, merge->column_count);
    free(texts);
    free(names);
    return 0;
}

/* ---- strands ---- */

static int add_strand(struct merge *merge, uint32_t group, struct wattle_error *err)
{
    struct wtl_export_run *run = merge->run;
    const struct wtl_trace_group *about = wtl_trace_reader_group(run->reader, group);
    if (!about || about->flags & WTL_GROUP_EDGE)
        return 0;
    struct strand strand = {.group = group, .ids = malloc((about->count + 1) * sizeof *strand.ids)};
    size_t count = 0;
    if (!strand.ids)
        return -ENOMEM;
    for (size_t i = 0; i < about->count; i++) {
        if (is_wanted(run, about->channels[i]))
            strand.ids[count++] = about->channels[i];
    }
    struct wtl_trace_range range = {.begin_ns = run->begin_ns,
                                    .end_ns = run->end_ns,
                                    .channels = strand.ids,
                                    .channel_count = count,
                                    .no_edges = true};
    int rc = count ? wtl_trace_samples_open(run->reader, &range, &strand.samples, err) : 0;
    if (rc < 0 || count == 0) {
        free(strand.ids);
        return rc;
    }
    merge->strands[merge->strand_count++] = strand;
    return 0;
}

/* The next chunk of the strand's own group. 0 or -errno. */
static int fetch(struct strand *strand, struct wattle_error *err)
{
    int rc;
    do {
        rc = wtl_trace_samples_next(strand->samples, &strand->chunk, err);
    } while (rc > 0 && strand->chunk.group != strand->group);
    strand->row = 0;
    strand->done = rc <= 0;
    return rc < 0 ? rc : 0;
}

static int open_strands(struct merge *merge, struct wattle_error *err)
{
    size_t groups = wtl_trace_reader_group_count(merge->run->reader);
    merge->strands = calloc(groups + 1, sizeof *merge->strands);
    int rc = merge->strands ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < groups; i++)
        rc = add_strand(merge, (uint32_t)i, err);
    for (size_t i = 0; rc == 0 && i < merge->strand_count; i++)
        rc = fetch(&merge->strands[i], err);
    return rc;
}

static struct strand *earliest(const struct merge *merge)
{
    struct strand *found = NULL;
    uint64_t least = 0;
    for (size_t i = 0; i < merge->strand_count; i++) {
        struct strand *strand = &merge->strands[i];
        if (strand->done)
            continue;
        uint64_t time_ns = strand->chunk.time_ns[strand->row];
        if (!found || time_ns < least) {
            found = strand;
            least = time_ns;
        }
    }
    return found;
}

/* ---- rows ---- */

/* A value of a channel as its one or two cells. */
static void make_cells(const struct merge *merge,
                       struct lane *lane,
                       uint64_t time_ns,
                       uint64_t value,
                       struct wtl_cell cells[2])
{
    const struct wattle_channel *channel = lane->channel;
    double power = NAN;
    if (!lane->started) {
        lane->first = value;
        lane->started = true;
    } else if (lane->counter && !lane->absent && time_ns > lane->last_ns &&
               !has_gap(merge, lane, lane->last_ns, time_ns)) {
        double ticks = (double)(int64_t)(value - lane->last);
        power = ticks * channel->scale / (double)(time_ns - lane->last_ns) * 1e9;
    }
    if (!wtl_channel_is_understood(channel))
        cells[0] = wtl_cell_count(value); /* as it stands in the file */
    else if (channel->kind == WATTLE_COUNTER)
        cells[0] = wtl_cell_number((double)(int64_t)(value - lane->first) * channel->scale, 12);
    else
        cells[0] = wtl_cell_number(wtl_channel_value(channel, value), 12);
    cells[1] = wtl_cell_number(power, 6);
    lane->last = value;
    lane->last_ns = time_ns;
    lane->absent = false;
}

static void print_wide(struct merge *merge, const struct strand *strand)
{
    uint64_t time_ns = strand->chunk.time_ns[strand->row];
    bool any = false;
    memset(merge->cells, 0, merge->column_count * sizeof *merge->cells);
    merge->cells[0] = wtl_cell_number(wtl_export_seconds(merge->run, time_ns), -9);
    for (size_t i = 0; i < strand->chunk.column_count; i++) {
        const struct wtl_trace_column *column = &strand->chunk.columns[i];
        struct lane *lane = &merge->lanes[column->channel];
        struct wtl_cell cells[2];
        if (!lane->channel)
            continue;
        any = true;
        if (column->missing && column->missing[strand->row]) {
            lane->absent = true;
            continue;
        }
        make_cells(merge, lane, time_ns, column->values[strand->row], cells);
        merge->cells[lane->column] = cells[0];
        if (lane->counter)
            merge->cells[lane->column + 1] = cells[1];
    }
    if (any)
        wtl_sheet_row(&merge->run->sheet, merge->cells, merge->column_count);
}

static void print_long(struct merge *merge, const struct strand *strand)
{
    uint64_t time_ns = strand->chunk.time_ns[strand->row];
    for (size_t i = 0; i < strand->chunk.column_count; i++) {
        const struct wtl_trace_column *column = &strand->chunk.columns[i];
        struct lane *lane = &merge->lanes[column->channel];
        struct wtl_cell value[2] = {{0}, {0}};
        if (!lane->channel)
            continue;
        if (column->missing && column->missing[strand->row])
            lane->absent = true;
        else
            make_cells(merge, lane, time_ns, column->values[strand->row], value);
        const struct wtl_cell cells[] = {
            wtl_cell_number(wtl_export_seconds(merge->run, time_ns), -9),
            wtl_cell_text(lane->channel->name), value[0], wtl_cell_text(unit_of(lane->channel)),
            value[1]};
        wtl_sheet_row(&merge->run->sheet, cells, 5);
    }
}

static int print_rows(struct merge *merge, struct wattle_error *err)
{
    int rc = 0;
    for (struct strand *strand; rc == 0 && (strand = earliest(merge)) != NULL;) {
        if (merge->run->options->long_form)
            print_long(merge, strand);
        else
            print_wide(merge, strand);
        if (++strand->row == strand->chunk.rows) {
            if (wtl_export_broken(merge->run))
                break;
            rc = fetch(strand, err);
        }
    }
    return rc;
}

int wtl_export_samples(struct wtl_export_run *run, struct wattle_error *err)
{
    size_t channels = wtl_trace_reader_channel_count(run->reader);
    struct merge merge = {.run = run, .lanes = calloc(channels + 1, sizeof *merge.lanes)};
    int rc = merge.lanes ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : load_gaps(&merge, err);
    rc = rc < 0 ? rc : print_columns(&merge);
    if (rc == 0 && !(merge.cells = calloc(merge.column_count, sizeof *merge.cells)))
        rc = -ENOMEM;
    rc = rc < 0 ? rc : open_strands(&merge, err);
    rc = rc < 0 ? rc : print_rows(&merge, err);
    for (size_t i = 0; i < merge.strand_count; i++) {
        wtl_trace_samples_close(merge.strands[i].samples);
        free(merge.strands[i].ids);
    }
    free(merge.strands);
    free(merge.gaps);
    free(merge.cells);
    free(merge.lanes);
    return rc;
}
