/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power in a Paraver trace as a table: a column for each event type and thread that has power. wattle's own files say up to
 * when each value holds, so that they become means over time; those of others are values at an instant. Its activities become marks.
 */
#define _GNU_SOURCE
#include "exchange/paraver/paraver_table.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "exchange/formats/long_table.h"
#include "exchange/import/text_source.h"
#include "exchange/import/unit.h"
#include "exchange/paraver/paraver_file.h"
#include "exchange/tracks/paraver_names.h"
#include "exchange/tracks/track_marks.h"
#include "trace/own_event.h"

/* Of wattle's own comments at the top. */
struct paraver_own {
    bool wattle;      /* it wrote the file: each power holds up to the next */
    bool pmlib;       /* its pmlib did: values at an instant, in microwatts */
    int64_t begin_ns; /* since 1970; 0 = unknown */
};

enum { LANES_MAX = 65536 };

/* A series of power. */
struct lane {
    uint32_t type;
    size_t thread;
    char *name; /* of its column */
    struct wtl_meaning meaning;
    struct wtl_long_held held; /* wattle's files */
};

struct context {
    struct wtl_long_format format;
    struct wtl_paraver_head head;
    struct wtl_paraver_names names;
    struct paraver_own own;
    const char *node; /* the one to read; NULL = there is only one */
    unsigned first_node, second_node;
    bool lenient, begun;
    struct lane *lanes;
    size_t lane_count, lane_room;
    char *meters; /* "1.1.1 name, simulated\n..." of wattle's comments */
};

/* ---- what the file says about itself ---- */

/* A comment line: does wattle say something about the file? */
static void paraver_own_take(struct paraver_own *own, const char *line)
{
    struct wtl_time_form form = {.unit = WTL_TIME_S, .epoch = WTL_EPOCH_1970, .point = '.'};
    int64_t ns;
    static const char power[] = "# power in mW, each value up to the next";
    static const char pmlib[] = "# power in uW; ";
    if (strncmp(line, power, sizeof power - 1) == 0)
        own->wattle = true;
    if (strncmp(line, pmlib, sizeof pmlib - 1) == 0)
        own->pmlib = true;
    if (strncmp(line, "# begin: ", 9) == 0 &&
        wtl_time_parse(line + 9, strspn(line + 9, "0123456789."), &form, &ns) == 0)
        own->begin_ns = ns;
}

/* Whether events of a type are power or energy: by its number, or by the unit or words of its name. */
static bool paraver_is_power(const struct wtl_paraver_names *names, uint32_t type)
{
    const struct wtl_paraver_type *known = wtl_paraver_type_find(names, type);
    if (type >= WTL_PARAVER_POWER_SUM && type <= WTL_PARAVER_POWER_LAST)
        return true;
    const char *bracket = known ? strrchr(known->name, '[') : NULL;
    const char *stop = bracket ? strchr(bracket, ']') : NULL;
    const struct wtl_unit *unit =
        stop ? wtl_unit_find(bracket + 1, (size_t)(stop - bracket) - 1) : NULL;
    return unit && (unit->quantity == WATTLE_POWER || unit->quantity == WATTLE_ENERGY);
}

/* ---- activities ---- */

/*
 * The activities in a Paraver trace as marks of a trace: regions, tasks and MPI calls from their events, waiting from the
 * states, other events as they are. The file is read once, and a state's end is written before what follows it.
 */

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

struct marks_context {
    const char *path;
    struct wtl_trace_writer *writer;
    int64_t offset_ns;
    struct wtl_paraver_head head;
    struct wtl_paraver_names names;
    struct paraver_own own;
    uint32_t *processes; /* by task; UINT32_MAX = not yet */
    struct thread *threads;
    uint64_t tasks;
    int rc;
};

/* ---- the trace's tables ---- */

static int add_thread(struct marks_context *context, const struct wtl_paraver_record *record)
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

static uint32_t name_of(struct marks_context *context, const char *text)
{
    int id = wtl_trace_writer_string(context->writer, text);
    if (id < 0)
        context->rc = id;
    return id < 0 ? 0 : (uint32_t)id;
}

static void write_mark(struct marks_context *context,
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

static void end_state(struct marks_context *context, struct thread *thread, int64_t time_ns)
{
    if (thread->state < 0)
        return;
    int64_t end_ns = thread->state_end_ns < time_ns ? thread->state_end_ns : time_ns;
    write_mark(context, thread, end_ns, WATTLE_STATE_LEAVE + (unsigned)thread->state,
               thread->state_name, 0);
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

static void take_state(struct marks_context *context,
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
    write_mark(context, thread, record->time_ns, WATTLE_STATE_ENTER + (unsigned)thread->state,
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

static void put_end(struct marks_context *context,
                    struct thread *thread,
                    int64_t time_ns,
                    const struct open_one *one)
{
    write_mark(context, thread, time_ns, wtl_track_end_mark(class_of(one->type)), one->name,
               one->task);
}

static void take_begin(struct marks_context *context,
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
    write_mark(context, thread, time_ns, wtl_track_begin_mark(class_of(type)), one->name,
               one->task);
}

/* 0 ends the last of its type; Extrae writes it for each end. */
static void take_end(struct marks_context *context,
                     struct thread *thread,
                     int64_t time_ns,
                     uint32_t type)
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

static void take_event(struct marks_context *context,
                       struct thread *thread,
                       int64_t time_ns,
                       uint32_t type,
                       int64_t value)
{
    if (paraver_is_power(&context->names, type) || type >= WTL_EVENT_OWN ||
        (type >= EVENTS_FIRST && type <= EVENTS_LAST)) /* about Extrae itself */
        return;
    if (class_of(type) == WTL_TRACK_CLASSES)
        write_mark(context, thread, time_ns, WTL_MARK_EVENT, type, (uint64_t)value);
    else if (value == 0)
        take_end(context, thread, time_ns, type);
    else
        take_begin(context, thread, time_ns, type, value);
}

/* ---- records ---- */

static bool has_activity(const struct marks_context *context,
                         const struct wtl_paraver_record *record)
{
    const char *text = record->rest;
    if (record->kind == '1')
        return !context->own.wattle;
    while (*text) {
        int64_t type;
        struct wtl_paraver_field field = wtl_paraver_next(&text);
        (void)wtl_paraver_next(&text);
        if (wtl_paraver_integer(field, &type) &&
            (type < 0 || type > UINT32_MAX || !paraver_is_power(&context->names, (uint32_t)type)))
            return true;
    }
    return false;
}

static void take_record(struct marks_context *context, const struct wtl_paraver_record *record)
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

static int begin(struct marks_context *context, const char *line, struct wattle_error *err)
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
static void end_marks(struct marks_context *context)
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

static int read_all(struct marks_context *context,
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
            paraver_own_take(&context->own, line);
        else if (wtl_paraver_record_parse(&context->head, line, &record, &why) > 0)
            take_record(context, &record);
        if (rc < 0)
            return rc;
    }
    if (context->rc == 0 && context->threads)
        end_marks(context);
    return context->rc < 0
               ? wtl_fail(err, context->rc, "cannot write the trace: %s", wtl_strerror(context->rc))
               : 0;
}

int wtl_paraver_marks(const char *path,
                      int64_t offset_ns,
                      struct wtl_trace_writer *writer,
                      struct wattle_error *err)
{
    struct marks_context context = {.path = path, .writer = writer, .offset_ns = offset_ns};
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

/* ---- power ---- */

static void free_context(void *place)
{
    struct context *context = place;
    for (size_t i = 0; i < context->lane_count; i++)
        free(context->lanes[i].name);
    free(context->lanes);
    free(context->meters);
    wtl_paraver_head_fini(&context->head);
    wtl_paraver_names_fini(&context->names);
    free(context);
}

/* "# 1.1.1 node: powercap:package-0, simulated" */
static void note_meter(struct context *context, const char *line)
{
    const char *name = strstr(line, ": ");
    char *all = NULL;
    if (!name || !line[1] || !strchr("0123456789", line[2]) || !strstr(name, ", "))
        return;
    if (asprintf(&all, "%s%.*s%s\n", context->meters ? context->meters : "",
                 (int)strcspn(line + 2, " "), line + 2, name + 1) < 0)
        return;
    free(context->meters);
    context->meters = all;
}

/* What the comments say of a thread: where its name begins, which ends with ", " and the quality; NULL = nothing. */
static const char *find_meter(const struct context *context,
                              const struct wtl_paraver_task *task,
                              size_t thread)
{
    char place[80];
    size_t number =
        (size_t)(task - context->head.tasks) - context->head.first_task[task->application - 1] + 1;
    int n = snprintf(place, sizeof place, "%u.%zu.%zu ", task->application, number,
                     thread - task->first + 1);
    for (const char *at = context->meters; at && *at; at += *at == '\n') {
        if (strncmp(at, place, (size_t)n) == 0)
            return at + n;
        at += strcspn(at, "\n");
    }
    return NULL;
}

static void take_quality(const char *meter, struct wtl_meaning *meaning)
{
    const char *word = meter ? strstr(meter, ", ") : NULL;
    word = word ? word + 2 : "";
    meaning->simulated = strncmp(word, "simulated", 9) == 0;
    if (strncmp(word, "estimated", 9) == 0)
        meaning->quality = WATTLE_ESTIMATED;
    else if (strncmp(word, "derived", 7) == 0)
        meaning->quality = WATTLE_DERIVED;
    word += strcspn(word, ",\n");
    if (strncmp(word, ", ", 2) == 0) {
        char traits[WTL_TRAITS_SIZE];
        (void)snprintf(traits, sizeof traits, "%.*s", (int)strcspn(word + 2, "\n"), word + 2);
        wtl_channel_traits_read(traits, &meaning->traits);
    }
}

/* ---- columns ---- */

static const char *node_name(const struct context *context, unsigned node)
{
    return node > 0 && node <= context->names.node_count ? context->names.nodes[node - 1] : "";
}

/* The name of the column: that of the type, or a word for pmlib's numbers; and the thread, if the file has several. */
static char *name_lane(const struct context *context,
                       uint32_t type,
                       const struct wtl_paraver_task *task,
                       size_t thread)
{
    const struct wtl_paraver_type *known = wtl_paraver_type_find(&context->names, type);
    char words[64], place[64] = "", *name = NULL;
    const char *label = known ? known->name : words;
    if (type == WTL_PARAVER_POWER_SUM)
        (void)snprintf(words, sizeof words, "sum [W]");
    else
        (void)snprintf(words, sizeof words, "line %lu [W]",
                       (unsigned long)(type - WTL_PARAVER_POWER));
    const char *meter = context->own.wattle ? find_meter(context, task, thread) : NULL;
    if (meter) /* many channels may share the last type */
        return asprintf(&name, "%.*s [W]", (int)strcspn(meter, ","), meter) < 0 ? NULL : name;
    if (context->own.wattle && strncmp(label, "Power ", 6) == 0)
        label += 6;
    else if (context->head.thread_count > 1)
        (void)snprintf(place, sizeof place, "%u.%td.%zu ", task->application,
                       task - context->head.tasks -
                           (ptrdiff_t)context->head.first_task[task->application - 1] + 1,
                       thread - task->first + 1);
    return asprintf(&name, "%s%s", place, label) < 0 ? NULL : name;
}

static void give_meaning(const struct context *context,
                         const struct wtl_paraver_task *task,
                         struct lane *lane)
{
    const bool pmlib = lane->type >= WTL_PARAVER_POWER_SUM && lane->type <= WTL_PARAVER_POWER_LAST;
    lane->meaning = (struct wtl_meaning){.sub = -1};
    if (context->own.wattle) {
        lane->meaning = wtl_meaning_of(WATTLE_POWER, "W", WTL_IMPORT_AVERAGE);
        take_quality(find_meter(context, task, lane->thread), &lane->meaning);
    } else if (pmlib) {
        lane->meaning = wtl_meaning_of(WATTLE_POWER, "W", WTL_IMPORT_GAUGE);
        lane->meaning.has_domain = lane->meaning.has_index = true;
        lane->meaning.domain = WATTLE_DOMAIN_OTHER;
        if (lane->type >= WTL_PARAVER_POWER)
            lane->meaning.index = (int)(lane->type - WTL_PARAVER_POWER);
        (void)snprintf(lane->meaning.place, sizeof lane->meaning.place, "%s",
                       lane->type == WTL_PARAVER_POWER_SUM ? "sum" : "line");
    }
}

/* The node whose power is read: that of the option, or the only one. */
static int check_node(struct wtl_import_table *table,
                      struct context *context,
                      const struct wtl_paraver_task *task,
                      struct wattle_error *err)
{
    const char *name = node_name(context, task->node);
    if (context->node && context->head.nodes > 1 && strcmp(context->node, name) != 0)
        return 1;
    if (context->first_node == 0)
        context->first_node = task->node;
    if (task->node == context->first_node || context->node)
        return 0;
    return wtl_fail(err, -EBADMSG,
                    "%s has the power of several nodes (%s, %s), and a trace is of one machine; "
                    "choose one with --node, and import the others one by one",
                    table->path, node_name(context, context->first_node), name);
}

/* The series of an event; NULL: of another node (*ret_rc 0), or failed. */
static struct lane *find_lane(struct wtl_import_table *table,
                              struct context *context,
                              const struct wtl_paraver_record *record,
                              uint32_t type,
                              int *ret_rc,
                              struct wattle_error *err)
{
    for (size_t i = 0; i < context->lane_count; i++) {
        if (context->lanes[i].type == type && context->lanes[i].thread == record->thread)
            return &context->lanes[i];
    }
    *ret_rc = check_node(table, context, record->task, err);
    if (*ret_rc) {
        *ret_rc = *ret_rc < 0 ? *ret_rc : 0;
        return NULL;
    }
    if (context->lane_count >= LANES_MAX)
        *ret_rc = wtl_fail(err, -E2BIG, "%s: more than %d series of power", table->path, LANES_MAX);
    else if (wtl_reserve(&context->lanes, &context->lane_room, context->lane_count + 1,
                         sizeof *context->lanes) < 0)
        *ret_rc = wtl_no_memory_for(err, "%s", table->path);
    if (*ret_rc < 0)
        return NULL;
    struct lane *lane = &context->lanes[context->lane_count];
    *lane = (struct lane){.type = type,
                          .thread = record->thread,
                          .name = name_lane(context, type, record->task, record->thread)};
    if (!lane->name) {
        *ret_rc = wtl_no_memory_for(err, "%s", table->path);
        return NULL;
    }
    give_meaning(context, record->task, lane);
    context->lane_count++;
    return lane;
}

/* ---- values ---- */

static int64_t absolute(const struct context *context, int64_t time_ns)
{
    return context->own.begin_ns + time_ns;
}

static bool is_unknown(const struct paraver_own *own, struct wtl_paraver_field value)
{
    int64_t integer;
    if (!(own->wattle || own->pmlib) || !wtl_paraver_integer(value, &integer))
        return false;
    return integer == (own->wattle ? WTL_PARAVER_UNKNOWN : WTL_PARAVER_UNKNOWN_UW);
}

static int take_value(struct wtl_import_table *table,
                      struct context *context,
                      const struct wtl_paraver_record *record,
                      struct lane *lane,
                      struct wtl_paraver_field value,
                      struct wattle_error *err)
{
    const struct wtl_paraver_type *known = wtl_paraver_type_find(&context->names, lane->type);
    struct wtl_import_cell cell = wtl_cell_read(value.text, value.length, '.');
    if (cell.form == WTL_CELL_GOOD)
        cell.value.exponent -= known ? known->decimals : context->own.pmlib ? 6 : 0;
    if (is_unknown(&context->own, value))
        cell = (struct wtl_import_cell){.form = WTL_CELL_NAN};
    if (!context->own.wattle) {
        int rc = wtl_long_put(table, lane->name, cell, &lane->meaning, err);
        return rc < 0 ? rc : wtl_long_time(table, absolute(context, record->time_ns), err);
    }
    return wtl_long_hold(table, lane->name, &lane->meaning, &lane->held, &cell,
                         absolute(context, record->time_ns), err);
}

static int take_events(struct wtl_import_table *table,
                       struct context *context,
                       const struct wtl_paraver_record *record,
                       struct wattle_error *err)
{
    const char *text = record->rest;
    int rc = 0;
    while (*text && rc == 0) {
        int64_t type;
        struct wtl_paraver_field name = wtl_paraver_next(&text), value = wtl_paraver_next(&text);
        if (!wtl_paraver_integer(name, &type) || type < 0 || type > UINT32_MAX)
            return wtl_fail(err, -EBADMSG, "%s:%llu: \"%.*s\" is not an event type", table->path,
                            (unsigned long long)wtl_long_line(table),
                            (int)(name.length < 30 ? name.length : 30), name.text);
        if (!paraver_is_power(&context->names, (uint32_t)type))
            continue;
        struct lane *lane = find_lane(table, context, record, (uint32_t)type, &rc, err);
        if (lane)
            rc = take_value(table, context, record, lane, value, err);
    }
    return rc;
}

/* ---- lines ---- */

static int end(struct wtl_import_table *table, struct context *context, struct wattle_error *err)
{
    int rc = 0;
    if (context->lane_count == 0)
        return wtl_fail(err, -ENODATA,
                        "%s: no power in this trace: no event type with the unit W or J in its "
                        ".pcf, and none of pmlib's (500000009 and on)",
                        table->path);
    for (size_t i = 0; i < context->lane_count && rc == 0 && context->own.wattle; i++)
        rc = wtl_long_hold(table, context->lanes[i].name, &context->lanes[i].meaning,
                           &context->lanes[i].held, NULL, absolute(context, context->head.end_ns),
                           err);
    context->begun = false;
    (void)snprintf(table->machine, sizeof table->machine, "%.63s",
                   node_name(context, context->first_node));
    return rc;
}

static int take_head(struct wtl_import_table *table,
                     struct context *context,
                     const char *text,
                     struct wattle_error *err)
{
    context->begun = true;
    wtl_paraver_head_fini(&context->head);
    return wtl_paraver_head_parse(&context->head, table->path, text, err);
}

static int take_comment(struct wtl_import_table *table, struct context *context, const char *text)
{
    paraver_own_take(&context->own, text);
    if (strncmp(text, "# wattle ", 9) == 0)
        (void)snprintf(table->program, sizeof table->program, "%.*s",
                       (int)strcspn(text + 2, ";") < 63 ? (int)strcspn(text + 2, ";") : 63,
                       text + 2);
    if (context->own.begin_ns)
        table->time.epoch = WTL_EPOCH_1970;
    if (context->own.wattle && context->lane_count == 0)
        note_meter(context, text);
    return 0;
}

static int take_line(struct wtl_import_table *table,
                     struct wtl_long_state *state,
                     char *text,
                     size_t n,
                     struct wattle_error *err)
{
    struct context *context = state->context;
    struct wtl_paraver_record record = {.kind = '\0'};
    const char *why = "";
    (void)n;
    if (!text)
        return end(table, context, err);
    if (!context->begun)
        return take_head(table, context, text, err);
    if (text[0] == '#')
        return take_comment(table, context, text);
    int rc = wtl_paraver_record_parse(&context->head, text, &record, &why);
    if (rc > 0)
        return record.kind == '2' ? take_events(table, context, &record, err) : 0;
    if (rc < 0 && context->lenient) {
        if (table->losses.short_rows++ == 0)
            table->losses.first_line = wtl_long_line(table);
        return 0;
    }
    return rc < 0 ? wtl_fail(err, rc, "%s:%llu: %s; skip such lines with --lenient", table->path,
                             (unsigned long long)wtl_long_line(table), why)
                  : 0;
}

static int put_marks(struct wtl_import_table *table,
                     struct wtl_trace_writer *writer,
                     int64_t offset_ns,
                     struct wattle_error *err)
{
    return wtl_paraver_marks(table->path, offset_ns, writer, err);
}

int wtl_paraver_table_open(const char *path,
                           struct wtl_text_source *source,
                           const struct wtl_table_options *options,
                           struct wtl_import_table **ret_table,
                           struct wattle_error *err)
{
    struct context *context = calloc(1, sizeof *context);
    int rc = context ? wtl_paraver_names_read(&context->names, path, err)
                     : wtl_no_memory_for(err, "%s", path);
    if (rc == 0 && options->time)
        rc = wtl_fail(err, -EINVAL, "--time cannot be used: a Paraver trace states its times");
    if (rc < 0) {
        if (context)
            free_context(context);
        wtl_text_source_close(source);
        return rc;
    }
    assert(context);
    context->node = options->part;
    context->lenient = options->lenient;
    context->format = (struct wtl_long_format){.name = "paraver",
                                               .what = "a Paraver trace",
                                               .line = take_line,
                                               .context = context,
                                               .done = free_context};
    rc = wtl_long_table_open(path, source, options, &context->format, ret_table, err);
    if (rc == 0)
        (*ret_table)->put_marks = put_marks;
    return rc;
}
