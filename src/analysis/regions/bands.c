/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions over time: see bands.h. An instance becomes a band when it ends. When there are too many
 * bands, the distance and the length up to which neighbours of a line are merged grow until half of
 * them are gone.
 */
#include "analysis/regions/bands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "trace/id_map.h"
#include "trace/regions/event_labels.h"
#include "trace/regions/nesting.h"

enum { NAMES = 6 }; /* names counted per band; of more, those with the most time */

/* A band with the names merged into it. */
struct piece {
    uint64_t begin_ns, end_ns;
    uint64_t all_ns, ns[NAMES]; /* total time; time of each name */
    int32_t name[NAMES];        /* -1 = free */
};

/* One line: the bands of a thread at one depth. */
struct line {
    uint32_t thread, process, depth; /* ids of the trace */
    struct piece *bands;
    size_t count;
};

struct pass {
    struct wtl_trace_reader *reader;
    const struct wtl_band_limits *limits;
    struct wtl_bands *bands;
    struct line *lines; /* [limits->rows] */
    size_t line_count, band_count;
    struct wtl_id_map left_out; /* set of lines */
    struct wtl_id_map names;    /* maps strings */
    uint64_t events, event_step;
};

/* ---- bands ---- */

/* If there is no room for another name, it replaces the one with the least time and inherits that
 * time (A. Metwally and others, Efficient computation of frequent and top-k elements in data
 * streams, ICDT 2005): a name with most of the time is always kept. */
static void add_name(struct piece *piece, int32_t name, uint64_t ns)
{
    size_t least = 0;
    for (size_t i = 0; i < NAMES; i++) {
        if (piece->name[i] == name || piece->name[i] < 0) {
            piece->name[i] = name;
            piece->ns[i] += ns;
            return;
        }
        least = piece->ns[i] < piece->ns[least] ? i : least;
    }
    piece->name[least] = name;
    piece->ns[least] += ns;
}

static bool has_one_name(const struct piece *piece)
{
    return piece->name[1] < 0;
}

/* Should the next piece be merged into the band? Always if they overlap. */
static bool joins(const struct piece *last, const struct piece *next, uint64_t merged_ns)
{
    if (next->begin_ns < last->end_ns)
        return true;
    bool same = has_one_name(last) && has_one_name(next) && last->name[0] == next->name[0];
    return next->begin_ns - (same ? last->end_ns : last->begin_ns) < merged_ns &&
           (same || next->end_ns - last->begin_ns <= merged_ns);
}

static void join(struct piece *last, const struct piece *next)
{
    last->end_ns = next->end_ns > last->end_ns ? next->end_ns : last->end_ns;
    last->all_ns += next->all_ns;
    for (size_t i = 0; i < NAMES && next->name[i] >= 0; i++)
        add_name(last, next->name[i], next->ns[i]);
}

/* Merge the bands of a line. */
static void join_line(struct line *line, uint64_t merged_ns)
{
    size_t out = 0;
    for (size_t i = 1; i < line->count; i++) {
        struct piece *last = &line->bands[out], *band = &line->bands[i];
        if (joins(last, band, merged_ns))
            join(last, band);
        else
            line->bands[++out] = *band;
    }
    if (line->count)
        line->count = out + 1;
}

static void join_all(struct pass *pass)
{
    size_t before = pass->band_count, limit = before / 2;
    uint64_t first_ns = UINT64_MAX, last_ns = 0;
    for (size_t i = 0; i < pass->line_count; i++) {
        const struct line *line = &pass->lines[i];
        if (line->count && line->bands[0].begin_ns < first_ns)
            first_ns = line->bands[0].begin_ns;
        if (line->count && line->bands[line->count - 1].end_ns > last_ns)
            last_ns = line->bands[line->count - 1].end_ns;
    }
    /* What is closer than a thousandth of a pixel can be merged right away. */
    uint64_t *merged_ns = &pass->bands->merged_ns;
    if (*merged_ns == 0)
        *merged_ns = (last_ns - first_ns) / 1000000 + 1;
    do {
        *merged_ns *= 2;
        pass->band_count = 0;
        for (size_t i = 0; i < pass->line_count; i++) {
            join_line(&pass->lines[i], *merged_ns);
            pass->band_count += pass->lines[i].count;
        }
    } while (pass->band_count > limit && pass->band_count > pass->line_count &&
             *merged_ns < UINT64_MAX / 4);
}

/* A line of a thread that is not shown; counted once, however many bands it would have had. */
static int leave_out(struct pass *pass, uint32_t thread, uint32_t depth)
{
    uint32_t key = thread << 8 | (depth < 255 ? depth : 255);
    return wtl_id_map_index(&pass->left_out, key) < 0 ? -ENOMEM : 0;
}

/*
 * The line of a thread and depth: NULL with 0 if there is no room for it. Outer lines, which end
 * last, replace inner ones; since the maximum depth then only decreases, a dropped line does not
 * come back with half of its bands.
 */
static struct line *line_of(struct pass *pass, uint32_t thread, uint32_t depth, int *ret_code)
{
    struct line *deepest = &pass->lines[0];
    *ret_code = 0;
    for (size_t i = 0; i < pass->line_count; i++) {
        struct line *line = &pass->lines[i];
        if (line->thread == thread && line->depth == depth)
            return line;
        if (line->depth >= deepest->depth)
            deepest = line;
    }
    if (pass->line_count < pass->limits->rows) {
        deepest = &pass->lines[pass->line_count++];
    } else if (deepest->depth > depth) {
        *ret_code = leave_out(pass, deepest->thread, deepest->depth);
        pass->band_count -= deepest->count;
    } else {
        *ret_code = leave_out(pass, thread, depth);
        return NULL;
    }
    deepest->thread = thread; /* reuse the room for its bands */
    deepest->depth = depth;
    deepest->count = 0;
    return deepest;
}

static int add_band(struct pass *pass, struct line *line, const struct piece *band)
{
    if (line->count > 0 && joins(&line->bands[line->count - 1], band, pass->bands->merged_ns)) {
        join(&line->bands[line->count - 1], band);
        return 0;
    }
    if (wtl_grow(&line->bands, line->count, sizeof *line->bands) < 0)
        return -ENOMEM;
    line->bands[line->count++] = *band;
    if (++pass->band_count > pass->limits->bands)
        join_all(pass);
    return 0;
}

static int take_instance(void *context, const struct wtl_nesting_instance *instance)
{
    struct pass *pass = (struct pass *)context;
    int rc;
    struct line *line = line_of(pass, instance->thread, instance->depth, &rc);
    if (rc < 0 || !line)
        return rc;
    int64_t name = wtl_id_map_index(&pass->names, instance->name);
    if (name < 0)
        return -ENOMEM;
    uint64_t ns = instance->end_ns > instance->begin_ns ? instance->end_ns - instance->begin_ns : 0;
    struct piece band = {.begin_ns = instance->begin_ns, .end_ns = instance->end_ns, .all_ns = ns};
    for (size_t i = 0; i < NAMES; i++)
        band.name[i] = -1;
    add_name(&band, (int32_t)name, ns);
    return add_band(pass, line, &band);
}

/* ---- events ---- */

/* Keep every Nth; when there is no room, drop every second of them. */
static void add_event(struct pass *pass, const struct wtl_mark *mark)
{
    struct wtl_bands *bands = pass->bands;
    if (pass->events++ % pass->event_step != 0)
        return;
    if (bands->event_count == pass->limits->events) {
        for (size_t i = 0; 2 * i < bands->event_count; i++)
            bands->events[i] = bands->events[2 * i];
        bands->event_count = (bands->event_count + 1) / 2;
        pass->event_step *= 2;
        if ((pass->events - 1) % pass->event_step != 0)
            return;
    }
    if (bands->event_count < pass->limits->events)
        bands->events[bands->event_count++] = (struct wtl_band_event){
            .time_ns = mark->time_ns, .value = mark->value, .type = mark->name};
}

/* ---- the pass ---- */

static int read_marks(struct pass *pass, struct wattle_error *err)
{
    struct wtl_trace_window window;
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    wtl_trace_reader_window(pass->reader, &window);
    uint64_t end_ns = window.ended ? window.end_monotonic_ns : 0;
    struct wtl_nesting *nesting = wtl_nesting_create(0, end_ns, NULL, pass);
    int rc = nesting ? wtl_trace_marks_open(pass->reader, WTL_ALL_THREADS, &marks, err) : -ENOMEM;
    if (rc == 0) {
        wtl_nesting_tell_instances(nesting, take_instance);
        while (rc >= 0 && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0) {
            if (mark.kind == WTL_MARK_EVENT)
                add_event(pass, &mark);
            else
                rc = wtl_nesting_mark(nesting, &mark);
        }
        rc = rc < 0 ? rc : wtl_nesting_finish(nesting);
    }
    wtl_trace_marks_close(marks);
    wtl_nesting_destroy(nesting);
    return rc;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = (const struct line *)a, *y = (const struct line *)b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static void describe_row(const struct pass *pass, const struct line *line, struct wtl_band_row *row)
{
    const struct wtl_trace_thread *thread = wtl_trace_reader_thread(pass->reader, line->thread);
    const struct wtl_trace_process *process =
        thread ? wtl_trace_reader_process(pass->reader, thread->process) : NULL;
    const char *name = thread && thread->name && thread->name[0] ? thread->name
                       : process                                 ? process->command
                                                                 : NULL;
    *row = (struct wtl_band_row){.name = name && name[0] ? name : NULL,
                                 .pid = process ? process->pid : 0,
                                 .tid = thread ? thread->tid : 0,
                                 .rank = process ? process->rank : -1,
                                 .depth = line->depth};
}

/* The name with the most time. */
static struct wtl_band band_of(const struct piece *piece, size_t row)
{
    size_t most = 0;
    for (size_t i = 1; i < NAMES && piece->name[i] >= 0; i++)
        most = piece->ns[i] > piece->ns[most] ? i : most;
    double share = piece->all_ns ? (double)piece->ns[most] / (double)piece->all_ns : 1;
    return (struct wtl_band){.begin_ns = piece->begin_ns,
                             .end_ns = piece->end_ns,
                             .row = (uint32_t)row,
                             .name = piece->name[most],
                             .share = has_one_name(piece) ? 1 : (float)(share < 1 ? share : 0.999)};
}

/* Lines and names in the caller's form. */
static int describe(struct pass *pass)
{
    struct wtl_bands *bands = pass->bands;
    for (size_t i = 0; i < pass->line_count; i++) {
        const struct wtl_trace_thread *thread =
            wtl_trace_reader_thread(pass->reader, pass->lines[i].thread);
        pass->lines[i].process = thread ? thread->process : UINT32_MAX;
    }
    wtl_sort(pass->lines, pass->line_count, sizeof *pass->lines, compare_lines);
    bands->rows = calloc(pass->line_count + 1, sizeof *bands->rows);
    bands->bands = calloc(pass->band_count + 1, sizeof *bands->bands);
    bands->names = calloc((size_t)pass->names.count + 1, sizeof(char *));
    if (!bands->rows || !bands->bands || !bands->names)
        return -ENOMEM;
    bands->row_count = pass->line_count;
    bands->name_count = pass->names.count;
    bands->left_out = pass->left_out.count;
    for (size_t i = 0; i < pass->line_count; i++) {
        describe_row(pass, &pass->lines[i], &bands->rows[i]);
        for (size_t k = 0; k < pass->lines[i].count; k++)
            bands->bands[bands->band_count++] = band_of(&pass->lines[i].bands[k], i);
    }
    for (uint32_t i = 0; pass->names.slots && i <= pass->names.mask; i++) {
        const struct wtl_id_slot *slot = &pass->names.slots[i];
        const char *text = wtl_trace_reader_string(pass->reader, slot->id);
        if (slot->index_1)
            bands->names[slot->index_1 - 1] = text ? text : "?";
    }
    return 0;
}

static int name_events(struct pass *pass, struct wattle_error *err)
{
    struct wtl_event_labels labels = {.reader = pass->reader};
    struct wtl_bands *bands = pass->bands;
    if (bands->event_count == 0)
        return 0;
    int rc = wtl_event_labels_read(&labels, pass->reader, err);
    for (size_t i = 0; rc == 0 && i < bands->event_count; i++) {
        struct wtl_band_event *event = &bands->events[i];
        event->type_text = wtl_event_labels_type(&labels, event->type);
        event->value_text = wtl_event_labels_value(&labels, event->type, event->value);
    }
    wtl_event_labels_fini(&labels);
    return rc;
}

int wtl_bands_read(struct wtl_trace_reader *reader,
                   const struct wtl_band_limits *limits,
                   struct wtl_bands *ret_bands,
                   struct wattle_error *err)
{
    struct wtl_bands bands = {0};
    struct pass pass = {.reader = reader, .limits = limits, .bands = &bands, .event_step = 1};
    int rc = wtl_trace_reader_tables(reader, err);
    if (rc < 0)
        return rc;
    pass.lines = calloc(limits->rows + 1, sizeof *pass.lines);
    bands.events = calloc(limits->events + 1, sizeof *bands.events);
    rc = pass.lines && bands.events ? read_marks(&pass, err) : -ENOMEM;
    rc = rc < 0 ? rc : describe(&pass);
    rc = rc < 0 ? rc : name_events(&pass, err);
    bands.events_left_out = pass.events - bands.event_count;
    for (size_t i = 0; pass.lines && i < pass.line_count; i++)
        free(pass.lines[i].bands);
    free(pass.lines);
    free(pass.left_out.slots);
    free(pass.names.slots);
    if (rc < 0) {
        wtl_bands_fini(&bands);
        return rc == -ENOMEM ? wtl_no_memory_for(err, "the regions") : rc;
    }
    *ret_bands = bands;
    return 0;
}

void wtl_bands_fini(struct wtl_bands *bands)
{
    free(bands->names);
    free(bands->rows);
    free(bands->bands);
    free(bands->events);
    *bands = (struct wtl_bands){0};
}
