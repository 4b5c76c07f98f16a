/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The activities in a Paraver trace as marks of a trace: regions, tasks and MPI calls from their events, waiting from the
 * states, other events as they are. The file is read once, and a state's end is written before what follows it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "exchange/import/text_source.h"
#include "exchange/paraver/paraver_power.h"
#include "exchange/tracks/paraver_names.h"
#include "exchange/tracks/track_marks.h"
#include "trace/own_event.h"

enum { DEPTH_MAX = 256, EVENTS_FIRST = 40000000, EVENTS_LAST = 40000999 };

/* What a thread is in. */
struct open_one {
    uint32_t type, name;
    uint64_t task;
};

struct thread {
    uint32_t id; /* in the trace; UINT32_MAX = not yet */
    int64_t state_end_ns;
    uint32_t state_name;
    int state; /* enum wattle_state; -1 = none */
    struct open_one *stack;
    size_t depth, room;
    int64_t last_ns;
};

struct context {
    const char *path;
    struct wtl_trace_writer *writer;
    int64_t offset_ns;
    struct wtl_paraver_head head;
    struct wtl_paraver_names names;
    struct wtl_paraver_own own;
    uint32_t *processes; /* by task; UINT32_MAX = not yet */
    struct thread *threads;
    uint64_t tasks;
    int rc;
};

/* ---- the trace's tables ---- */

static int add_thread(struct context *context, const struct wtl_paraver_record *record)
{
    size_t task = (size_t)(record->task - context->head.tasks);
    const size_t number = task - context->head.first_task[record->task->application - 1];
    char name[64];
    if (context->processes[task] == UINT32_MAX) {
        (void)snprintf(name, sizeof name, "%u.%zu", record->task->application, number + 1);
        const struct wtl_trace_process process = {.rank = (int32_t)number, .command = name};
        int id = wtl_trace_writer_process(context->writer, &process);
        if (id < 0)
            return id;
        context->processes[task] = (uint32_t)id;
    }
    (void)snprintf(name, sizeof name, "%u.%zu.%zu", record->task->application, number + 1,
                   record->thread - record->task->first + 1);
    const struct wtl_trace_thread thread = {
        .process = context->processes[task],
        .tid = (uint32_t)(record->thread - record->task->first) + 1,
        .name = name};
    int id = wtl_trace_writer_thread(context->writer, &thread);
    if (id >= 0)
        context->threads[record->thread].id = (uint32_t)id;
    return id < 0 ? id : 0;
}

static uint32_t name_of(struct context *context, const char *text)
{
    int id = wtl_trace_writer_string(context->writer, text);
    if (id < 0)
        context->rc = id;
    return id < 0 ? 0 : (uint32_t)id;
}

static void put(struct context *context,
                struct thread *thread,
                int64_t time_ns,
                unsigned kind,
                uint32_t name,
                uint64_t value)
{
    /* Marks of a thread come in the order of their times. */
    if (time_ns < thread->last_ns)
        time_ns = thread->last_ns;
    thread->last_ns = time_ns;
    const struct wtl_mark mark = {
        .time_ns = (uint64_t)(time_ns + context->offset_ns + context->own.begin_ns),
        .value = value,
        .thread = thread->id,
        .name = name,
        .kind = (enum wtl_mark_kind)kind};
    int rc = context->rc < 0 ? 0 : wtl_trace_writer_marks(context->writer, &mark, 1);
    if (rc < 0)
        context->rc = rc;
}

/* ---- states ---- */

static void end_state(struct context *context, struct thread *thread, int64_t time_ns)
{
    if (thread->state < 0)
        return;
    int64_t end_ns = thread->state_end_ns < time_ns ? thread->state_end_ns : time_ns;
    put(context, thread, end_ns, WATTLE_STATE_LEAVE + (unsigned)thread->state, thread->state_name,
        0);
    thread->state = -1;
}

/* Those that say that the thread waits. Running is what remains; MPI calls have events; in wattle's files all have. */
static int state_of(int64_t number)
{
    switch (number) {
    case 0:
        return WATTLE_STATE_IDLE;
    case 5:
        return WATTLE_STATE_SYNC;
    case 7:
        return WATTLE_STATE_JOIN;
    case 9:
        return WATTLE_STATE_LOCK;
    case 12:
        return WATTLE_STATE_IO;
    default:
        return -1;
    }
}

static void take_state(struct context *context,
                       struct thread *thread,
                       const struct wtl_paraver_record *record)
{
    const char *text = record->rest;
    struct wtl_paraver_field end = wtl_paraver_next(&text), number = wtl_paraver_next(&text);
    int64_t end_ns, state;
    if (context->own.wattle ||
        wtl_time_parse(end.text, end.length, &context->head.time, &end_ns) < 0 ||
        end_ns <= record->time_ns || !wtl_paraver_integer(number, &state) || state_of(state) < 0)
        return;
    const char *name = wtl_paraver_value_name(&context->names, 0, state);
    thread->state = state_of(state);
    thread->state_end_ns = end_ns;
    thread->state_name = name_of(context, name ? name : "state");
    put(context, thread, record->time_ns, WATTLE_STATE_ENTER + (unsigned)thread->state,
        thread->state_name, 0);
}

/* ---- events that begin and end something ---- */

/* The class of activity that events of a type begin and end; WTL_TRACK_CLASSES = they stay events. */
static enum wtl_track_class class_of(uint32_t type)
{
    if (type == WTL_PARAVER_FUNCTION)
        return WTL_TRACK_REGION;
    if (type >= WTL_PARAVER_MPI_PEER && type <= WTL_PARAVER_MPI_OTHER)
        return WTL_TRACK_MPI;
    if (type > WTL_PARAVER_CLASS && type < WTL_PARAVER_CLASS + WTL_TRACK_CLASSES)
        return (enum wtl_track_class)(type - WTL_PARAVER_CLASS);
    return WTL_TRACK_CLASSES;
}

static void put_end(struct context *context,
                    struct thread *thread,
                    int64_t time_ns,
                    const struct open_one *one)
{
    put(context, thread, time_ns, wtl_track_end_mark(class_of(one->type)), one->name, one->task);
}

static void take_begin(struct context *context,
                       struct thread *thread,
                       int64_t time_ns,
                       uint32_t type,
                       int64_t value)
{
    const struct wtl_paraver_type *known = wtl_paraver_type_find(&context->names, type);
    const char *name = known ? wtl_paraver_value_name(&context->names, known->block, value) : NULL;
    char number[48];
    if (thread->depth >= DEPTH_MAX)
        return;
    if (wtl_reserve(&thread->stack, &thread->room, thread->depth + 1, sizeof *thread->stack) < 0) {
        context->rc = -ENOMEM;
        return;
    }
    (void)snprintf(number, sizeof number, "%lu %lld", (unsigned long)type, (long long)value);
    struct open_one *one = &thread->stack[thread->depth++];
    *one = (struct open_one){.type = type, .name = name_of(context, name ? name : number)};
    if (class_of(type) == WTL_TRACK_TASK)
        one->task = ++context->tasks;
    put(context, thread, time_ns, wtl_track_begin_mark(class_of(type)), one->name, one->task);
}

/* 0 ends the last of its type; Extrae writes it for each end. */
static void take_end(struct context *context, struct thread *thread, int64_t time_ns, uint32_t type)
{
    size_t at = thread->depth;
    while (at > 0 && thread->stack[at - 1].type != type)
        at--;
    if (at == 0)
        return;
    put_end(context, thread, time_ns, &thread->stack[at - 1]);
    for (size_t i = at; i < thread->depth; i++)
        thread->stack[i - 1] = thread->stack[i];
    thread->depth--;
}

static void take_event(struct context *context,
                       struct thread *thread,
                       int64_t time_ns,
                       uint32_t type,
                       int64_t value)
{
    if (wtl_paraver_is_power(&context->names, type) || type >= WTL_EVENT_OWN ||
        (type >= EVENTS_FIRST && type <= EVENTS_LAST)) /* about Extrae itself */
        return;
    if (class_of(type) == WTL_TRACK_CLASSES)
        put(context, thread, time_ns, WTL_MARK_EVENT, type, (uint64_t)value);
    else if (value == 0)
        take_end(context, thread, time_ns, type);
    else
        take_begin(context, thread, time_ns, type, value);
}

/* ---- records ---- */

static bool has_activity(const struct context *context, const struct wtl_paraver_record *record)
{
    const char *text = record->rest;
    if (record->kind == '1')
        return !context->own.wattle;
    while (*text) {
        int64_t type;
        struct wtl_paraver_field field = wtl_paraver_next(&text);
        (void)wtl_paraver_next(&text);
        if (wtl_paraver_integer(field, &type) &&
            (type < 0 || type > UINT32_MAX ||
             !wtl_paraver_is_power(&context->names, (uint32_t)type)))
            return true;
    }
    return false;
}

static void take_record(struct context *context, const struct wtl_paraver_record *record)
{
    struct thread *thread = &context->threads[record->thread];
    const char *text = record->rest;
    if (!has_activity(context, record))
        return;
    if (thread->id == UINT32_MAX) {
        int rc = add_thread(context, record);
        if (rc < 0) {
            context->rc = rc;
            return;
        }
    }
    if (record->kind == '1' || record->time_ns >= thread->state_end_ns)
        end_state(context, thread, record->time_ns);
    if (record->kind == '1') {
        take_state(context, thread, record);
        return;
    }
    while (*text) {
        int64_t type, value;
        struct wtl_paraver_field name = wtl_paraver_next(&text), number = wtl_paraver_next(&text);
        if (wtl_paraver_integer(name, &type) && wtl_paraver_integer(number, &value) && type >= 0 &&
            type <= UINT32_MAX)
            take_event(context, thread, record->time_ns, (uint32_t)type, value);
    }
}

static int begin(struct context *context, const char *line, struct wattle_error *err)
{
    int rc = wtl_paraver_head_parse(&context->head, context->path, line, err);
    if (rc < 0)
        return rc;
    context->processes = malloc((context->head.task_count + 1) * sizeof *context->processes);
    context->threads = calloc(context->head.thread_count + 1, sizeof *context->threads);
    if (!context->processes || !context->threads)
        return wtl_no_memory_for(err, "%s", context->path);
    for (size_t i = 0; i < context->head.task_count; i++)
        context->processes[i] = UINT32_MAX;
    for (size_t i = 0; i < context->head.thread_count; i++) {
        context->threads[i].id = UINT32_MAX;
        context->threads[i].state = -1;
    }
    return 0;
}

/* What is still open ends with the file. */
static void end(struct context *context)
{
    for (size_t i = 0; i < context->head.thread_count; i++) {
        struct thread *thread = &context->threads[i];
        if (thread->id == UINT32_MAX)
            continue;
        end_state(context, thread, context->head.end_ns);
        while (thread->depth > 0)
            put_end(context, thread, context->head.end_ns, &thread->stack[--thread->depth]);
    }
}

static int read_all(struct context *context,
                    struct wtl_text_source *source,
                    struct wattle_error *err)
{
    struct wtl_paraver_record record;
    const char *why;
    char *line;
    size_t n;
    int rc;
    while (context->rc == 0 && (rc = wtl_text_source_next(source, &line, &n, err)) > 0) {
        if (!context->threads)
            rc = begin(context, line, err);
        else if (line[0] == '#')
            wtl_paraver_own_take(&context->own, line);
        else if (wtl_paraver_record_parse(&context->head, line, &record, &why) > 0)
            take_record(context, &record);
        if (rc < 0)
            return rc;
    }
    if (context->rc == 0 && context->threads)
        end(context);
    return context->rc < 0
               ? wtl_fail(err, context->rc, "cannot write the trace: %s", wtl_strerror(context->rc))
               : 0;
}

int wtl_paraver_marks(const char *path,
                      int64_t offset_ns,
                      struct wtl_trace_writer *writer,
                      struct wattle_error *err)
{
    struct context context = {.path = path, .writer = writer, .offset_ns = offset_ns};
    struct wtl_text_source *source = NULL;
    int rc = wtl_text_source_open(path, &source, err);
    rc = rc < 0 ? rc : wtl_paraver_names_read(&context.names, path, err);
    rc = rc < 0 ? rc : read_all(&context, source, err);
    for (size_t i = 0; context.threads && i < context.head.thread_count; i++)
        free(context.threads[i].stack);
    free(context.threads);
    free(context.processes);
    wtl_paraver_head_fini(&context.head);
    wtl_paraver_names_fini(&context.names);
    wtl_text_source_close(source);
    return rc;
}
