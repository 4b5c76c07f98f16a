/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power in a Paraver trace as a table: a column for each event type and thread that has power. wattle's own files say up to
 * when each value holds, so that they become means over time; those of others are values at an instant.
 */
#define _GNU_SOURCE
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
#include "exchange/import/unit.h"
#include "exchange/paraver/paraver_power.h"
#include "exchange/tracks/paraver_names.h"

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
    struct wtl_paraver_own own;
    const char *node; /* the one to read; NULL = there is only one */
    unsigned first_node, second_node;
    bool lenient, begun;
    struct lane *lanes;
    size_t lane_count, lane_room;
    char *meters; /* "1.1.1 name, simulated\n..." of wattle's comments */
};

/* ---- what the file says about itself ---- */

void wtl_paraver_own_take(struct wtl_paraver_own *own, const char *line)
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

bool wtl_paraver_is_power(const struct wtl_paraver_names *names, uint32_t type)
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

static bool is_unknown(const struct wtl_paraver_own *own, struct wtl_paraver_field value)
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
        if (!wtl_paraver_is_power(&context->names, (uint32_t)type))
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
    wtl_paraver_own_take(&context->own, text);
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
