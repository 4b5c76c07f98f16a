/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as tracks: see track_source.h. The tables of nodes, processes and threads, and the range of time. */
#include "cli/export/track_source.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/version.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "cli/inputs.h"
#include "exchange/channel_traits.h"
#include "exchange/export.h"
#include "exchange/sample_merge.h"
#include "model/bound.h"
#include "model/meta_key.h"
#include "model/quality.h"
#include "model/reading.h"
#include "report/cluster/run_report.h"

/* ---- processes and threads ---- */

struct of_process {
    uint32_t process, thread;
};

static int compare(const void *a, const void *b)
{
    const struct of_process *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static int add_process(struct wtl_track_place *place,
                       const struct wtl_trace_process *process,
                       struct wattle_error *err)
{
    struct wtl_track_source *source = place->source;
    struct wtl_tracks *tracks = &source->tracks;
    const char *name = wtl_track_text(source, process->command ? process->command : "");
    if (!name || wtl_reserve(&tracks->processes, &source->process_room, tracks->process_count + 1,
                             sizeof *tracks->processes) < 0)
        return wtl_no_memory(err);
    tracks->processes[tracks->process_count++] = (struct wtl_track_process){
        .node = place->node, .rank = process->rank, .pid = process->pid, .name = name};
    return 0;
}

static int add_thread(struct wtl_track_place *place, uint32_t id, struct wattle_error *err)
{
    struct wtl_track_source *source = place->source;
    struct wtl_tracks *tracks = &source->tracks;
    const struct wtl_trace_thread *thread = wtl_trace_reader_thread(place->reader, id);
    const char *name = wtl_track_text(source, thread && thread->name ? thread->name : "");
    if (!name || wtl_reserve(&tracks->threads, &source->thread_room, tracks->thread_count + 1,
                             sizeof *tracks->threads) < 0)
        return wtl_no_memory(err);
    place->threads[id] = (uint32_t)tracks->thread_count;
    tracks->threads[tracks->thread_count++] =
        (struct wtl_track_thread){.process = (uint32_t)tracks->process_count - 1,
                                  .tid = thread ? thread->tid : 0,
                                  .name = name};
    return 0;
}

/* The threads of the node, by process. Processes without a thread are left out. */
static int add_threads(struct wtl_track_place *place, struct wattle_error *err)
{
    size_t count = wtl_trace_reader_thread_count(place->reader), known = 0;
    struct of_process *order = calloc(count + 1, sizeof *order);
    place->threads = malloc((count + 1) * sizeof *place->threads);
    place->thread_count = count;
    int rc = order && place->threads ? 0 : wtl_no_memory(err);
    assert(rc < 0 || (order && place->threads));
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct wtl_trace_thread *thread = wtl_trace_reader_thread(place->reader, i);
        place->threads[i] = UINT32_MAX;
        /* The description of a thread may be lost to damage. */
        if (thread && wtl_trace_reader_process(place->reader, thread->process))
            order[known++] = (struct of_process){thread->process, (uint32_t)i};
    }
    if (rc == 0)
        wtl_sort(order, known, sizeof *order, compare);
    for (size_t i = 0; rc == 0 && i < known; i++) {
        if (i == 0 || order[i].process != order[i - 1].process)
            rc = add_process(place, wtl_trace_reader_process(place->reader, order[i].process), err);
        rc = rc < 0 ? rc : add_thread(place, order[i].thread, err);
    }
    free(order);
    return rc;
}

/* ---- nodes ---- */

static unsigned cpus_of(const struct wtl_trace_reader *reader)
{
    const char *text = wtl_trace_reader_meta(reader, WTL_META_CPU_THREADS);
    uint64_t cpus;
    return text && wtl_parse_u64(text, &cpus) == 0 && cpus < 1u << 20 ? (unsigned)cpus : 0;
}

static void note_begin(struct wtl_track_source *source, const struct wtl_track_place *place)
{
    uint64_t realtime_ns, node_ns = wtl_run_clock_node(place->clock, source->begin_ns);
    if (!source->tracks.begin_realtime_ns &&
        wtl_trace_reader_realtime(place->reader, node_ns, &realtime_ns) == 0)
        source->tracks.begin_realtime_ns = realtime_ns;
}

/* ---- power ---- */

/*
 * Power as records. Viewers draw a value up to the next one, so that each value is given at the
 * begin of the time for which it holds: the mean power of a counter at the earlier of its two
 * readings, or over all the time that it stands still although it cannot. Where nothing is known a
 * record says so.
 */

struct lane {
    const struct wattle_channel *channel; /* NULL = not exported */
    uint32_t meter;
    bool started, known, absent, shown;
    uint64_t last, last_ns, changed_ns; /* changed_ns: of a counter, when it had this value first */
    bool is_held; /* a value from before the begin, which may still hold there */
    double held;
};

struct power {
    struct wtl_track_place *place;
    struct lane *lanes; /* by channel */
    struct wtl_gap_walk gaps;
};

static bool is_wanted(const struct wattle_channel *channel, bool by_name)
{
    return wtl_channel_is_understood(channel) &&
           (channel->quantity == WATTLE_POWER ||
            (channel->quantity == WATTLE_ENERGY && channel->kind == WATTLE_COUNTER) ||
            (by_name && channel->kind != WATTLE_COUNTER));
}

/* The number that channels of this name have on other nodes, or the next. */
static uint32_t number_of(const struct wtl_tracks *tracks, const char *name)
{
    uint32_t next = 0;
    for (size_t i = 0; i < tracks->meter_count; i++) {
        if (strcmp(tracks->meters[i].name, name) == 0)
            return tracks->meters[i].number;
        next = tracks->meters[i].number >= next ? tracks->meters[i].number + 1 : next;
    }
    return next;
}

static int add_meter(struct wtl_track_place *place,
                     const struct wattle_channel *channel,
                     struct wattle_error *err)
{
    struct wtl_track_source *source = place->source;
    struct wtl_tracks *tracks = &source->tracks;
    const char *unit =
        channel->quantity == WATTLE_ENERGY ? "W" : wattle_quantity_unit(channel->quantity);
    const struct wtl_channel_traits traits = wtl_channel_traits_of(channel);
    char words[WTL_TRAITS_SIZE];
    const char *name = wtl_track_text(source, channel->name);
    const char *shown =
        wtl_track_text(source, wtl_channel_traits_print(&traits, words, sizeof words));
    if (!name || !shown ||
        wtl_reserve(&tracks->meters, &source->meter_room, tracks->meter_count + 1,
                    sizeof *tracks->meters) < 0)
        return wtl_no_memory(err);
    tracks->meters[tracks->meter_count] =
        (struct wtl_track_meter){.node = place->node,
                                 .number = number_of(tracks, name),
                                 .name = name,
                                 .unit = unit,
                                 .about = wtl_channel_quality_word(channel),
                                 .traits = shown};
    tracks->meter_count++;
    source->losses.simulated = source->losses.simulated || wtl_channel_is_simulated(channel);
    source->losses.part_time = source->losses.part_time || wtl_seen_part(channel) < 1;
    source->losses.estimated = source->losses.estimated || channel->quality == WATTLE_ESTIMATED;
    return 0;
}

static int put_record(struct power *power,
                      struct lane *lane,
                      uint64_t time_ns,
                      double value,
                      struct wattle_error *err)
{
    const bool known = !isnan(value);
    const struct wtl_track_record record = {.time_ns = time_ns,
                                            .track = lane->meter,
                                            .kind = known ? WTL_TRACK_POWER : WTL_TRACK_NO_POWER,
                                            .value = known ? wtl_track_pack(value) : 0};
    lane->shown = true;
    return wtl_track_sort_add(power->place->source->records, &record, err);
}

/* From a time on the channel has this value; NaN = it is unknown. */
static int set_power(struct power *power,
                     struct lane *lane,
                     uint64_t time_ns,
                     double value,
                     struct wattle_error *err)
{
    const struct wtl_track_source *source = power->place->source;
    int64_t run_ns = wtl_run_clock_time(power->place->clock, time_ns);
    int rc = 0;
    if (isnan(value) && !lane->known)
        return 0;
    lane->known = !isnan(value);
    if (run_ns < source->begin_ns) {
        lane->is_held = lane->known;
        lane->held = value;
        return 0;
    }
    if (lane->is_held && run_ns > source->begin_ns)
        rc = put_record(power, lane, 0, lane->held, err);
    lane->is_held = false;
    if (rc < 0 || run_ns > source->end_ns || (run_ns == source->end_ns && lane->known))
        return rc;
    if (!lane->shown && run_ns > source->begin_ns)
        rc = put_record(power, lane, 0, NAN, err); /* viewers would draw 0 up to it */
    return rc < 0 ? rc : put_record(power, lane, wtl_track_time(power->place, time_ns), value, err);
}

/* Where the gap after the last value begins: not before that value. */
static uint64_t gap_begin(const struct power *power, const struct lane *lane, uint32_t id)
{
    const struct wtl_gap_reach *reach = &power->gaps.channels[id];
    uint64_t begin_ns = reach->at < reach->end ? power->gaps.gaps[reach->at].begin_ns : 0;
    return begin_ns > lane->last_ns ? begin_ns : lane->last_ns + 1;
}

/* A counter: its mean power since the reading before, if there is no gap in between. */
static int take_count(struct power *power,
                      struct lane *lane,
                      bool whole,
                      uint64_t time_ns,
                      uint64_t value,
                      struct wattle_error *err)
{
    double ticks = (double)(int64_t)(value - lane->last), mean_w = NAN;
    if (whole)
        mean_w = ticks * lane->channel->scale / (double)(time_ns - lane->last_ns) * 1e9;
    return lane->started ? set_power(power, lane, lane->last_ns, mean_w, err) : 0;
}

/* The mean of the time up to now. */
static int take_average(struct power *power,
                        struct lane *lane,
                        bool whole,
                        uint64_t time_ns,
                        uint64_t value,
                        struct wattle_error *err)
{
    const struct wattle_channel *channel = lane->channel;
    uint64_t window_ns = channel->window_ns < time_ns ? channel->window_ns : 0;
    uint64_t begin_ns = whole ? lane->last_ns : time_ns - window_ns;
    int rc = !whole && lane->started ? set_power(power, lane, lane->last_ns, NAN, err) : 0;
    begin_ns = lane->started && begin_ns < lane->last_ns ? lane->last_ns : begin_ns;
    return rc < 0 ? rc : set_power(power, lane, begin_ns, wtl_channel_value(channel, value), err);
}

static int take_value(struct power *power,
                      uint32_t id,
                      uint64_t time_ns,
                      uint64_t value,
                      struct wattle_error *err)
{
    struct lane *lane = &power->lanes[id];
    bool whole = lane->started && !lane->absent && time_ns > lane->last_ns &&
                 !wtl_gap_walk_between(&power->gaps, id, lane->last_ns, time_ns);
    int rc = 0;
    if (!lane->started || value != lane->last)
        lane->changed_ns = time_ns;
    /* What it shows next belongs to all the time that it stands still, not to that of one sample. */
    if (whole && wtl_stands_still(lane->channel, time_ns - lane->changed_ns))
        return 0;
    if (lane->channel->kind == WATTLE_COUNTER) {
        rc = take_count(power, lane, whole, time_ns, value, err);
    } else if (lane->channel->kind == WATTLE_WINDOW_AVERAGE) {
        rc = take_average(power, lane, whole, time_ns, value, err);
    } else {
        if (!whole && lane->started)
            rc = set_power(power, lane, gap_begin(power, lane, id), NAN, err);
        rc = rc < 0 ? rc
                    : set_power(power, lane, time_ns, wtl_channel_value(lane->channel, value), err);
    }
    lane->started = true;
    lane->absent = false;
    lane->last = value;
    lane->last_ns = time_ns;
    return rc;
}

static int take_row(struct power *power, const struct wtl_sample_row *row, struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < row->column_count && rc == 0; i++) {
        const struct wtl_trace_column *column = &row->columns[i];
        struct lane *lane = &power->lanes[column->channel];
        if (!lane->channel)
            continue;
        if (column->missing && column->missing[row->row])
            lane->absent = true;
        else
            rc = take_value(power, column->channel, row->time_ns, column->values[row->row], err);
    }
    return rc;
}

static int take_rows(struct power *power,
                     const uint32_t *ids,
                     size_t count,
                     struct wattle_error *err)
{
    const struct wtl_trace_range range = {
        .begin_ns = 0, .end_ns = UINT64_MAX, .channels = ids, .channel_count = count};
    struct wtl_sample_merge samples;
    struct wtl_sample_row row;
    int rc = wtl_sample_merge_open(&samples, power->place->reader, &range, err);
    while (rc >= 0 && (rc = wtl_sample_merge_next(&samples, &row, err)) > 0)
        rc = take_row(power, &row, err);
    wtl_sample_merge_close(&samples);
    /* After the last value nothing is known. */
    bool shown = false;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct lane *lane = &power->lanes[ids[i]];
        if (lane->channel && lane->started)
            rc = set_power(power, lane, lane->last_ns, NAN, err);
        shown = shown || lane->shown;
    }
    for (size_t i = 0; rc == 0 && shown && i < count; i++) {
        if (!power->lanes[ids[i]].shown)
            rc = put_record(power, &power->lanes[ids[i]], 0, NAN, err);
    }
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

/* The power of the node's channels: meters and records. */
static int track_power(struct wtl_track_place *place,
                       const struct wtl_track_choice *choice,
                       struct wattle_error *err)
{
    struct power power = {.place = place};
    uint32_t *ids = NULL;
    size_t count = 0, kept = 0, all = wtl_trace_reader_channel_count(place->reader);
    int rc = wtl_export_choose(place->reader, choice->channels, &ids, &count, err);
    if (rc < 0)
        return rc;
    power.lanes = calloc(all + 1, sizeof *power.lanes);
    rc = power.lanes ? wtl_gap_walk_open(&power.gaps, place->reader, err) : wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct wattle_channel *channel =
            &wtl_trace_reader_channel(place->reader, ids[i])->channel;
        if (!is_wanted(channel, choice->channels != NULL))
            continue;
        rc = add_meter(place, channel, err);
        assert(power.lanes);
        power.lanes[ids[i]].channel = channel;
        power.lanes[ids[i]].meter = (uint32_t)place->source->tracks.meter_count - 1;
        ids[kept++] = ids[i];
    }
    if (rc == 0 && kept > 0)
        rc = take_rows(&power, ids, kept, err);
    wtl_gap_walk_close(&power.gaps);
    free(power.lanes);
    free(ids);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

/* ---- all ---- */

static int add_node(struct wtl_track_source *source,
                    const struct wtl_run *run,
                    size_t i,
                    const struct wtl_track_choice *choice,
                    struct wattle_error *err)
{
    const struct wtl_run_node *node = wtl_run_node(run, i);
    struct wtl_track_place place = {.source = source,
                                    .clock = &node->clock,
                                    .node = (uint32_t)i,
                                    .first_process = source->tracks.process_count};
    int rc = wtl_run_node_open(run, i, &place.reader, err);
    if (rc < 0)
        return rc;
    const char *name = wtl_track_text(source, node->name);
    rc = name ? wtl_trace_reader_tables(place.reader, err) : wtl_no_memory(err);
    if (rc == 0) {
        source->tracks.nodes[i] = (struct wtl_track_node){
            .name = name, .cpus = cpus_of(place.reader), .clock_error_ns = node->clock.residual_ns};
        note_begin(source, &place);
        rc = add_threads(&place, err);
    }
    rc = rc < 0 ? rc : track_power(&place, choice, err);
    rc = rc < 0 ? rc : wtl_track_activities(&place, err);
    wtl_input_tell(source->command, node->name, place.reader);
    free(place.threads);
    wtl_trace_reader_close(place.reader);
    return rc;
}

static int choose_range(struct wtl_track_source *source,
                        const struct wtl_run *run,
                        const struct wtl_track_choice *choice,
                        struct wattle_error *err)
{
    int64_t begin_ns = wtl_run_begin(run), end_ns = wtl_run_end(run), value;
    source->begin_ns = begin_ns;
    source->end_ns = end_ns;
    if (choice->has_from && !__builtin_add_overflow(begin_ns, choice->from_ns, &value))
        source->begin_ns = value;
    if (choice->has_until && !__builtin_add_overflow(begin_ns, choice->until_ns, &value))
        source->end_ns = value;
    if (source->end_ns <= source->begin_ns)
        return wtl_fail(err, -ENODATA,
                        "the run lasts %.9f s, so nothing lies between --from and --until",
                        wtl_seconds_between(begin_ns, end_ns));
    source->tracks.length_ns = (uint64_t)source->end_ns - (uint64_t)source->begin_ns;
    return 0;
}

static void describe(struct wtl_track_source *source, const struct wtl_run *run)
{
    uint64_t residual_ns;
    enum wtl_run_aligned aligned = wtl_run_alignment(run, &residual_ns);
    const char *command = wtl_track_text(source, wtl_run_command_line(run));
    (void)snprintf(source->creator, sizeof source->creator, "wattle %s", WATTLE_VERSION);
    if (wtl_run_node_count(run) > 1)
        wtl_run_alignment_text(aligned, residual_ns, source->alignment, sizeof source->alignment);
    source->tracks.creator = source->creator;
    source->tracks.alignment = source->alignment;
    source->tracks.command = command ? command : "";
}

int wtl_track_source_open(struct wtl_track_source *source,
                          const struct wtl_command *command,
                          const struct wtl_run *run,
                          const struct wtl_track_choice *choice,
                          const char *folder,
                          struct wattle_error *err)
{
    size_t count = wtl_run_node_count(run);
    memset(source, 0, sizeof *source);
    source->folder = folder;
    source->command = command;
    int rc = choose_range(source, run, choice, err);
    if (rc == 0 && !(source->tracks.nodes = calloc(count + 1, sizeof *source->tracks.nodes)))
        rc = wtl_no_memory(err);
    source->tracks.node_count = count;
    rc = rc < 0 ? rc : wtl_track_sort_create(folder, 0, &source->records, err);
    if (rc == 0)
        describe(source, run);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_node(source, run, i, choice, err);
    rc = rc < 0 ? rc : wtl_track_name_events(source, err);
    return rc < 0 ? rc : wtl_track_pair_messages(source, err);
}

void wtl_track_source_fini(struct wtl_track_source *source)
{
    struct wtl_tracks *tracks = &source->tracks;
    wtl_track_sort_destroy(source->records);
    wtl_track_sort_destroy(source->sends);
    wtl_track_sort_destroy(source->receives);
    wtl_string_set_fini(&source->texts);
    free(tracks->nodes);
    free(tracks->processes);
    free(tracks->threads);
    free(tracks->meters);
    free(tracks->types);
    free(tracks->events);
    free(tracks->labels);
    memset(source, 0, sizeof *source);
}
