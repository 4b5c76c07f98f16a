/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power in an OTF2 archive as a table, and what its threads did as marks. Both are read from the text that otf2_text.h makes
 * of the archive.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "exchange/formats/long_table.h"
#include "exchange/import/unit.h"
#include "exchange/otf2/otf2_text.h"
#include "exchange/tracks/track_marks.h"
#include "trace/writer.h"

enum { DEPTH_MAX = 256 };

struct series {
    uint64_t node;
    char kind;
    char *name;   /* of its column; NULL = not read */
    size_t apart; /* bytes of it that tell it apart from others of the same name */
    struct wtl_meaning meaning;
    struct wtl_long_held held;
};

/* Names by their numbers in the archive. */
struct entry {
    uint64_t self, of; /* of: the process of a thread, the class of a region */
    char *name;
    uint32_t id; /* in the trace; UINT32_MAX = not yet */
    int64_t last_ns;
    uint64_t *tasks; /* thread: numbers of the tasks it is in */
    size_t depth, room;
};

struct entries {
    struct entry *items;
    size_t count, room, hint;
};

struct context {
    struct wtl_long_format format;
    int fd;
    const char *path;
    const char *node; /* the one to read; NULL = there is only one */
    struct entries nodes, processes, threads, regions;
    struct series *series;
    size_t series_count, series_room;
    bool has_first;
    uint64_t first_node, tasks;
    int64_t begin_ns, end_ns;
    bool scanned;
};

/* ---- names ---- */

static struct entry *find(struct entries *entries, uint64_t self)
{
    for (size_t i = 0; i < entries->count; i++) {
        size_t at = (entries->hint + i) % entries->count;
        if (entries->items[at].self == self) {
            entries->hint = at;
            return &entries->items[at];
        }
    }
    return NULL;
}

static int add_entry(struct entries *entries, uint64_t self, uint64_t of, const char *name)
{
    struct entry *known = find(entries, self);
    if (known)
        return 0;
    if (wtl_reserve(&entries->items, &entries->room, entries->count + 1, sizeof *entries->items) <
        0)
        return -ENOMEM;
    char *copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    entries->items[entries->count++] =
        (struct entry){.self = self, .of = of, .name = copy, .id = UINT32_MAX};
    return 0;
}

static void free_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->items[i].name);
        free(entries->items[i].tasks);
    }
    free(entries->items);
}

static void free_context(void *place)
{
    struct context *context = place;
    free_entries(&context->nodes);
    free_entries(&context->processes);
    free_entries(&context->threads);
    free_entries(&context->regions);
    for (size_t i = 0; i < context->series_count; i++)
        free(context->series[i].name);
    free(context->series);
    (void)close(context->fd);
    free(context);
}

/* ---- lines ---- */

/* The next number of a line; the rest is at *text. */
static uint64_t number(const char **text)
{
    uint64_t value = 0;
    int n = wtl_scan_u64(*text, strlen(*text), &value);
    *text += n > 0 ? n : 0;
    *text += **text == ' ';
    return value;
}

static const char *node_name(struct context *context, uint64_t node)
{
    const struct entry *entry = find(&context->nodes, node);
    return entry ? entry->name : "";
}

/* 0 = read it; 1 = of another node. */
static int check_node(struct context *context, uint64_t node, struct wattle_error *err)
{
    if (context->node && context->nodes.count > 1 &&
        strcmp(context->node, node_name(context, node)) != 0)
        return 1;
    if (!context->has_first)
        context->first_node = node;
    context->has_first = true;
    if (node == context->first_node || context->node)
        return 0;
    char first[64];
    (void)snprintf(first, sizeof first, "%.63s", node_name(context, context->first_node));
    return wtl_fail(err, -EBADMSG,
                    "%s has the power of several nodes (%s, %.63s), and a trace is of one machine; "
                    "choose one with --node, and import the others one by one",
                    context->path, first, node_name(context, node));
}

/* "COLUMN NODE KIND UNIT QUALITY NAME" */
static int take_column(struct context *context, const char *text, struct wattle_error *err)
{
    uint64_t column = number(&text), node = number(&text);
    struct series series = {.node = node, .kind = text[0]};
    static const struct {
        char kind;
        enum wtl_import_kind as;
    } kinds[] = {
        {WTL_OTF2_KIND_NEXT, WTL_IMPORT_AVERAGE}, {WTL_OTF2_KIND_LAST, WTL_IMPORT_AVERAGE},
        {WTL_OTF2_KIND_POINT, WTL_IMPORT_GAUGE},  {WTL_OTF2_KIND_COUNTER, WTL_IMPORT_COUNTER},
        {WTL_OTF2_KIND_DELTA, WTL_IMPORT_DELTA},  {WTL_OTF2_KIND_AUTO, WTL_IMPORT_AUTO}};
    text += strcspn(text, " ");
    text += *text == ' ';
    size_t n = strcspn(text, " ");
    char unit[16];
    (void)snprintf(unit, sizeof unit, "%.*s", (int)(n < 15 ? n : 15), text);
    text += n + (text[n] == ' ');
    const char *quality = text;
    text += strcspn(text, " ");
    text += *text == ' ';
    if (column < context->series_count)
        return 0;
    if (wtl_reserve_zeroed(&context->series, &context->series_room, (size_t)column + 1,
                           sizeof *context->series) < 0)
        return wtl_no_memory_for(err, "%s", context->path);
    const struct wtl_unit *known = wtl_unit_find(unit, strlen(unit));
    int rc = known ? check_node(context, node, err) : 1;
    if (rc < 0)
        return rc;
    if (rc == 0 && asprintf(&series.name, "%s [%s]", text, unit) < 0)
        return wtl_no_memory_for(err, "%s", context->path);
    for (size_t i = 0; rc == 0 && i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].kind == series.kind)
            series.meaning = wtl_meaning_of(known->quantity, unit, kinds[i].as);
    }
    series.meaning.simulated = strncmp(quality, "simulated ", 10) == 0;
    if (strncmp(quality, "estimated ", 10) == 0)
        series.meaning.quality = WATTLE_ESTIMATED;
    else if (strncmp(quality, "derived ", 8) == 0)
        series.meaning.quality = WATTLE_DERIVED;
    context->series[column] = series;
    context->series_count = (size_t)column + 1;
    return 0;
}

/* Series of the same name are told apart by a number. */
static int name_apart(struct context *context, struct series *series, struct wattle_error *err)
{
    size_t same = 0;
    for (const struct series *other = context->series; other < series; other++)
        same += other->name && strcmp(other->name + other->apart, series->name) == 0;
    if (same == 0)
        return 0;
    char *name = NULL;
    int n = asprintf(&name, "%zu %s", same + 1, series->name);
    if (n < 0)
        return wtl_no_memory_for(err, "%s", context->path);
    series->apart = (size_t)n - strlen(series->name);
    free(series->name);
    series->name = name;
    return 0;
}

/* "NS COLUMN VALUE" */
static int take_value(struct wtl_import_table *table,
                      struct context *context,
                      const char *text,
                      struct wattle_error *err)
{
    int64_t time_ns = context->begin_ns + (int64_t)number(&text);
    uint64_t column = number(&text);
    struct series *series = column < context->series_count ? &context->series[column] : NULL;
    if (!series || !series->name)
        return 0;
    const struct wtl_import_cell cell = wtl_cell_read(text, strlen(text), '.');
    if (series->kind == WTL_OTF2_KIND_NEXT)
        return wtl_long_hold(table, series->name, &series->meaning, &series->held, &cell, time_ns,
                             err);
    int rc = wtl_long_put(table, series->name, cell, &series->meaning, err);
    return rc < 0 ? rc : wtl_long_time(table, time_ns, err);
}

static int take_name(struct context *context, char *line, struct wattle_error *err)
{
    const char *text = line + 2;
    uint64_t self = number(&text), of = 0;
    struct entries *entries = line[0] == 'm'   ? &context->nodes
                              : line[0] == 'p' ? &context->processes
                              : line[0] == 't' ? &context->threads
                                               : &context->regions;
    if (line[0] != 'm')
        of = number(&text);
    return add_entry(entries, self, of, text) < 0 ? wtl_no_memory_for(err, "%s", context->path) : 0;
}

static int end(struct wtl_import_table *table, struct context *context, struct wattle_error *err)
{
    size_t known = 0;
    int rc = 0;
    for (size_t i = 0; i < context->series_count && rc == 0; i++) {
        struct series *series = &context->series[i];
        known += series->name != NULL;
        if (series->name && series->kind == WTL_OTF2_KIND_NEXT)
            rc = wtl_long_hold(table, series->name, &series->meaning, &series->held, NULL,
                               context->begin_ns + context->end_ns, err);
    }
    if (rc == 0 && known == 0)
        return wtl_fail(err, -ENODATA,
                        "%s: no power in this archive: no metric has the unit W or J",
                        context->path);
    context->scanned = true;
    (void)snprintf(table->machine, sizeof table->machine, "%.63s",
                   context->has_first ? node_name(context, context->first_node) : "");
    return rc;
}

static int take_line(struct wtl_import_table *table,
                     struct wtl_long_state *state,
                     char *line,
                     size_t n,
                     struct wattle_error *err)
{
    struct context *context = state->context;
    const char *text = line ? line + 2 : "";
    (void)n;
    if (!line)
        return end(table, context, err);
    if (strchr("mptr", line[0]))
        return context->scanned ? 0 : take_name(context, line, err);
    if (line[0] == 'v')
        return take_value(table, context, text, err);
    if (line[0] == 'c') {
        size_t before = context->series_count;
        int rc = take_column(context, text, err);
        bool fresh = rc == 0 && context->series_count > before;
        struct series *series = fresh ? &context->series[context->series_count - 1] : NULL;
        return series && series->name ? name_apart(context, series, err) : rc;
    }
    if (line[0] == 'w') {
        uint64_t column = number(&text);
        if (column < context->series_count)
            wtl_channel_traits_read(text, &context->series[column].meaning.traits);
    } else if (line[0] == 'z') {
        context->begin_ns = (int64_t)number(&text);
        table->time.epoch = WTL_EPOCH_1970;
    } else if (line[0] == 'l') {
        context->end_ns = (int64_t)number(&text);
    }
    return 0;
}

/* ---- marks ---- */

struct marking {
    struct context *context;
    struct wtl_trace_writer *writer;
    int64_t offset_ns;
};

static int add_thread(struct marking *marking, struct entry *thread)
{
    struct entry *process = find(&marking->context->processes, thread->of);
    int id;
    if (process && process->id == UINT32_MAX) {
        const char *rank = strncmp(process->name, "rank ", 5) == 0 ? process->name + 5 : "";
        uint64_t of_rank;
        bool ranked = *rank && wtl_parse_u64(rank, &of_rank) == 0 && of_rank < INT32_MAX;
        const struct wtl_trace_process about = {.rank = ranked ? (int32_t)of_rank : -1,
                                                .command = process->name};
        id = wtl_trace_writer_process(marking->writer, &about);
        if (id < 0)
            return id;
        process->id = (uint32_t)id;
    }
    const struct wtl_trace_thread about = {
        .process = process ? process->id : 0, .tid = (uint32_t)thread->self, .name = thread->name};
    id = process ? wtl_trace_writer_thread(marking->writer, &about) : -EBADMSG;
    if (id >= 0)
        thread->id = (uint32_t)id;
    return id < 0 ? id : 0;
}

/* A task gets a number when it begins. */
static uint64_t task_of(struct context *context, struct entry *thread, bool begins)
{
    if (!begins)
        return thread->depth > 0 ? thread->tasks[--thread->depth] : 0;
    if (thread->depth >= DEPTH_MAX ||
        wtl_reserve(&thread->tasks, &thread->room, thread->depth + 1, sizeof *thread->tasks) < 0)
        return 0;
    thread->tasks[thread->depth++] = ++context->tasks;
    return context->tasks;
}

/* "b NS THREAD REGION" */
static int put_border(struct marking *marking, const char *line)
{
    struct context *context = marking->context;
    const char *text = line + 2;
    int64_t time_ns = (int64_t)number(&text);
    struct entry *thread = find(&context->threads, number(&text));
    struct entry *region = find(&context->regions, number(&text));
    const bool begins = line[0] == 'b';
    int rc = 0;
    if (!thread || !region || region->of >= WTL_TRACK_CLASSES)
        return 0;
    if (thread->id == UINT32_MAX)
        rc = add_thread(marking, thread);
    if (rc == 0 && region->id == UINT32_MAX) {
        rc = wtl_trace_writer_string(marking->writer, region->name);
        region->id = rc > 0 ? (uint32_t)rc : UINT32_MAX;
    }
    if (rc < 0)
        return rc == -EBADMSG ? 0 : rc; /* a thread without a process: no marks */
    const enum wtl_track_class kind = (enum wtl_track_class)region->of;
    thread->last_ns = time_ns > thread->last_ns ? time_ns : thread->last_ns;
    const struct wtl_mark mark = {
        .time_ns = (uint64_t)(context->begin_ns + thread->last_ns + marking->offset_ns),
        .value = kind == WTL_TRACK_TASK ? task_of(context, thread, begins) : 0,
        .thread = thread->id,
        .name = region->id,
        .kind =
            (enum wtl_mark_kind)(begins ? wtl_track_begin_mark(kind) : wtl_track_end_mark(kind))};
    return wtl_trace_writer_marks(marking->writer, &mark, 1);
}

static int open_text(const struct context *context,
                     struct wtl_text_source **ret_source,
                     struct wattle_error *err)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", context->fd);
    return wtl_text_source_open(name, ret_source, err);
}

static int put_marks(struct wtl_import_table *table,
                     struct wtl_trace_writer *writer,
                     int64_t offset_ns,
                     struct wattle_error *err)
{
    const struct wtl_long_state *state = wtl_long_state_of(table);
    struct marking marking = {state->context, writer, offset_ns};
    struct wtl_text_source *source = NULL;
    char *line;
    size_t n;
    int rc = open_text(marking.context, &source, err);
    while (rc >= 0 && (rc = wtl_text_source_next(source, &line, &n, err)) > 0) {
        int status = line[0] == 'b' || line[0] == 'e' ? put_border(&marking, line) : 0;
        if (status < 0)
            rc = wtl_fail(err, status, "cannot write the trace: %s", wtl_strerror(status));
    }
    wtl_text_source_close(source);
    return rc;
}

int wtl_otf2_table_open(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_table_options *options,
                        struct wtl_import_table **ret_table,
                        struct wattle_error *err)
{
    struct context *context = calloc(1, sizeof *context);
    struct wtl_text_source *text = NULL;
    wtl_text_source_close(source); /* of the anchor file, which is not text */
    if (!context)
        return wtl_no_memory_for(err, "%s", path);
    context->fd = -1;
    context->path = path;
    context->node = options->part;
    context->format = (struct wtl_long_format){.name = "otf2",
                                               .what = "an OTF2 archive",
                                               .line = take_line,
                                               .context = context,
                                               .done = free_context};
    int rc = options->time
                 ? wtl_fail(err, -EINVAL, "--time cannot be used: an OTF2 archive states its times")
                 : 0;
    rc = rc < 0 ? rc : wtl_otf2_text(path, &context->fd, err);
    rc = rc < 0 ? rc : open_text(context, &text, err);
    if (rc < 0) {
        free_context(context);
        return rc;
    }
    rc = wtl_long_table_open(path, text, options, &context->format, ret_table, err);
    if (rc == 0)
        (*ret_table)->put_marks = put_marks;
    return rc;
}
