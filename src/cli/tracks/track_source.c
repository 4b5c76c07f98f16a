/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as tracks: see track_source.h. The tables of nodes, processes and threads, and the range of time. */
#include "cli/tracks/track_source.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/version.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "cli/inputs.h"
#include "model/meta_key.h"
#include "report/cluster/run_report.h"

const char *wtl_track_text(struct wtl_track_source *source, const char *text)
{
    bool fresh;
    int id = wtl_string_set_add(&source->texts, text, &fresh);
    return id < 0 ? NULL : source->texts.texts[id - 1];
}

uint64_t wtl_track_time(const struct wtl_track_place *place, uint64_t node_ns)
{
    const struct wtl_track_source *source = place->source;
    int64_t time_ns = wtl_run_clock_time(place->clock, node_ns);
    if (time_ns <= source->begin_ns)
        return 0;
    time_ns = time_ns < source->end_ns ? time_ns : source->end_ns;
    return (uint64_t)time_ns - (uint64_t)source->begin_ns;
}

int wtl_track_add(struct wtl_track_source *source,
                  const struct wtl_track_record *record,
                  struct wattle_error *err)
{
    return wtl_track_sort_add(source->records, record, err);
}

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
    rc = rc < 0 ? rc : wtl_track_power(&place, choice, err);
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
