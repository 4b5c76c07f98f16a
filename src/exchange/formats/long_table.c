/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds rows from lines of single values: see long_table.h. */
#define _GNU_SOURCE
#include "exchange/formats/long_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"

struct value {
    size_t column;
    struct wtl_import_cell cell;
    int64_t time_ns, cover_ns; /* INT64_MIN = it has no time yet */
    uint64_t line;
};

/* Values that are kept to be sorted. */
enum { SORTED_MAX = 20000000 };

struct own {
    struct wtl_text_source *source;
    const struct wtl_long_format *format;
    struct wtl_long_state state;
    struct value *values; /* from the current lines, not in a row yet */
    size_t value_count;
    size_t timed, taken; /* number of them with a time; of these, in a row */
    struct wtl_import_cell *cells;
    int64_t cover_ns, first_ns, second_ns;
    uint64_t steps;
    bool covered, all_read;
    size_t given; /* of the sorted values */
    bool zero_given, ended;
    size_t hint; /* the column after the one found last */
};

static struct own *own_of(const struct wtl_import_table *table)
{
    return table->own;
}

void wtl_long_cover(struct wtl_import_table *table, int64_t cover_ns)
{
    own_of(table)->cover_ns = cover_ns;
}

const struct wtl_long_state *wtl_long_state_of(const struct wtl_import_table *table)
{
    return &own_of(table)->state;
}

uint64_t wtl_long_line(const struct wtl_import_table *table)
{
    return wtl_text_source_line(own_of(table)->source);
}

struct wtl_meaning wtl_meaning_of(enum wattle_quantity quantity,
                                  const char *unit,
                                  enum wtl_import_kind kind)
{
    struct wtl_meaning meaning = {
        .has_quantity = true, .quantity = quantity, .kind = kind, .sub = -1, .has_unit = unit[0]};
    (void)snprintf(meaning.unit, sizeof meaning.unit, "%s", unit);
    return meaning;
}

size_t wtl_long_split(char *text, char separator, char **words, size_t most)
{
    size_t n = 0;
    while (n < most) {
        if (!separator) {
            text += strspn(text, " \t");
            if (!*text)
                break;
        }
        words[n++] = text;
        bool angle = !separator && *text == '<' && strchr(text, '>');
        char *stop = separator ? strchr(text, separator)
                     : angle   ? strchr(text, '>') + 1
                               : text + strcspn(text, " \t");
        if (!stop || !*stop)
            break;
        *stop = '\0';
        text = stop + 1;
    }
    return n;
}

/* Lines come in the same order, so the next column is tried first. */
int wtl_long_find(const struct wtl_import_table *table, const char *name)
{
    struct own *own = own_of(table);
    size_t n = table->column_count;
    for (size_t i = 0; i < n; i++) {
        size_t at = (own->hint + i) % n;
        if (strcmp(table->headers[at].name, name) == 0) {
            own->hint = at + 1;
            return (int)at;
        }
    }
    return -ENOENT;
}

int wtl_long_put(struct wtl_import_table *table,
                 const char *name,
                 struct wtl_import_cell cell,
                 const struct wtl_meaning *meaning,
                 struct wattle_error *err)
{
    struct own *own = own_of(table);
    int column = wtl_long_find(table, name);
    if (column < 0 && own->state.scanning) {
        column = wtl_import_table_add(table, name, strlen(name), err);
        if (column < 0)
            return column;
        table->headers[column].meaning = *meaning;
    }
    if (column < 0)
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: \"%.60s\" was not there when first read; the file is changing",
                        table->path, (unsigned long long)wtl_long_line(table), name);
    if (own->state.scanning) {
        table->headers[column].any_value |= cell.form == WTL_CELL_GOOD;
        return 0;
    }
    if (wtl_grow(&own->values, own->value_count, sizeof *own->values) < 0)
        return wtl_no_memory_for(err, "%s", table->path);
    own->values[own->value_count++] =
        (struct value){(size_t)column, cell, INT64_MIN, 0, wtl_long_line(table)};
    return 0;
}

int wtl_long_time(struct wtl_import_table *table, int64_t time_ns, struct wattle_error *err)
{
    struct own *own = own_of(table);
    (void)err;
    if (own->state.scanning && own->steps < 2 && (own->steps == 0 || time_ns > own->first_ns)) {
        *(own->steps == 0 ? &own->first_ns : &own->second_ns) = time_ns;
        own->steps++;
    }
    for (size_t i = own->value_count; i > 0 && own->values[i - 1].time_ns == INT64_MIN; i--) {
        own->values[i - 1].time_ns = time_ns;
        own->values[i - 1].cover_ns = own->cover_ns;
    }
    own->timed = own->value_count;
    own->state.samples++;
    return 0;
}

int wtl_long_hold(struct wtl_import_table *table,
                  const char *name,
                  const struct wtl_meaning *meaning,
                  struct wtl_long_held *held,
                  const struct wtl_import_cell *next,
                  int64_t time_ns,
                  struct wattle_error *err)
{
    const struct wtl_import_cell none = {.form = WTL_CELL_EMPTY};
    int rc = 0;
    if (!held->any) /* but there is a column */
        rc = wtl_long_put(table, name, none, meaning, err);
    else if (time_ns > held->since_ns)
        rc = wtl_long_put(table, name, held->cell, meaning, err);
    if (rc == 0 && held->any && time_ns > held->since_ns) {
        wtl_long_cover(table, time_ns - held->since_ns);
        rc = wtl_long_time(table, time_ns, err);
    }
    held->any = next != NULL;
    held->cell = next ? *next : none;
    held->since_ns = time_ns;
    return rc;
}

bool wtl_long_is_cut(const struct wtl_import_table *table)
{
    return wtl_text_source_is_cut(own_of(table)->source);
}

void wtl_long_cut_off(struct wtl_import_table *table)
{
    struct wtl_import_note *note = wtl_import_table_note(table, "cut off");
    note->line = wtl_long_line(table);
    note->count = 1;
    (void)snprintf(note->text, sizeof note->text,
                   "the recording ends in the middle of a line or document, so it seems to be cut "
                   "off, and its last value may be wrong");
}

/* ---- rows ---- */

static bool is_same(const struct wtl_import_cell *a, const struct wtl_import_cell *b)
{
    return a->form == b->form && a->value.digits == b->value.digits &&
           a->value.exponent == b->value.exponent;
}

/* Do the values that were fetched contradict those of the row? Then they are a row of their own. */
static bool collides(const struct own *own)
{
    bool hit = false;
    for (size_t i = own->taken; i < own->timed && !hit; i++) {
        const struct wtl_import_cell *cell = &own->cells[own->values[i].column];
        hit = cell->form != WTL_CELL_EMPTY && !is_same(cell, &own->values[i].cell);
    }
    return hit;
}

/* Take the values of one time into the row. Two of one column in one line have no order: nothing says which is right. */
static int take_values(struct wtl_import_table *table, int64_t time_ns, struct wattle_error *err)
{
    struct own *own = own_of(table);
    for (; own->taken < own->timed && own->values[own->taken].time_ns == time_ns; own->taken++) {
        const struct value *value = &own->values[own->taken];
        struct wtl_import_cell *cell = &own->cells[value->column];
        if (cell->form != WTL_CELL_EMPTY && !is_same(cell, &value->cell))
            return wtl_fail(err, -EBADMSG,
                            "%s:%llu: \"%.60s\" has two values at one time; if the recording is of "
                            "several machines, separate them",
                            table->path, (unsigned long long)value->line,
                            table->headers[value->column].name);
        *cell = value->cell;
    }
    return 0;
}

/* Read lines up to one whose values have a time. 1, 0 at the end, -errno. */
static int fetch(struct wtl_import_table *table, struct wattle_error *err)
{
    struct own *own = own_of(table);
    char *line;
    size_t n;
    int rc = 0;
    own->value_count -= own->timed; /* those without a time wait for it */
    if (own->value_count && own->timed)
        memmove(own->values, own->values + own->timed, own->value_count * sizeof *own->values);
    own->timed = own->taken = 0;
    while (own->timed == 0 && (rc = wtl_text_source_next(own->source, &line, &n, err)) > 0) {
        rc = own->format->line(table, &own->state, line, n, err);
        if (rc < 0)
            return rc;
    }
    if (rc == 0 && own->timed == 0 && own->format->line && !own->ended) {
        own->ended = true; /* the end may complete what is pending */
        rc = own->format->line(table, &own->state, NULL, 0, err);
        if (rc < 0)
            return rc;
        if (own->format->ends_lines && wtl_text_source_is_cut(own->source))
            wtl_long_cut_off(table);
    }
    return own->timed > 0;
}

static void clear(struct wtl_import_table *table)
{
    struct own *own = own_of(table);
    for (size_t i = 0; i < table->column_count; i++)
        own->cells[i].form = WTL_CELL_EMPTY;
}

/* Counts were 0 at time 0. */
static void give_zero(struct wtl_import_table *table)
{
    struct own *own = own_of(table);
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->headers[i].any_value && table->headers[i].meaning.kind == WTL_IMPORT_DELTA)
            own->cells[i] = (struct wtl_import_cell){.form = WTL_CELL_GOOD};
    }
    own->zero_given = true;
}

static int by_time(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns)
                                    : (x->line > y->line) - (x->line < y->line);
}

/* Read all values, each with its time. */
static int read_all(struct wtl_import_table *table, struct wattle_error *err)
{
    struct own *own = own_of(table);
    char *line;
    size_t n;
    int rc;
    while ((rc = wtl_text_source_next(own->source, &line, &n, err)) > 0) {
        rc = own->format->line(table, &own->state, line, n, err);
        if (rc == 0 && own->value_count > SORTED_MAX)
            rc = wtl_fail(err, -E2BIG, "%s: more than %d values to be sorted; split the file",
                          table->path, SORTED_MAX);
        if (rc < 0)
            return rc;
    }
    rc = rc < 0 ? rc : own->format->line(table, &own->state, NULL, 0, err);
    wtl_sort(own->values, own->value_count, sizeof *own->values, by_time);
    own->all_read = true;
    return rc;
}

static int next_sorted(struct wtl_import_table *table,
                       struct wtl_import_row *ret_row,
                       struct wattle_error *err)
{
    struct own *own = own_of(table);
    int rc = own->all_read ? 0 : read_all(table, err);
    if (rc < 0 || own->given == own->value_count)
        return rc;
    const struct value *first = &own->values[own->given];
    ret_row->time_ns = first->time_ns;
    ret_row->line = first->line;
    for (; own->given < own->value_count; own->given++) {
        const struct value *value = &own->values[own->given];
        if (value->time_ns != first->time_ns || own->cells[value->column].form != WTL_CELL_EMPTY)
            break; /* twice at one time: a row of its own, which is refused */
        own->cells[value->column] = value->cell;
    }
    return 1;
}

static int next_row(struct wtl_import_table *table,
                    struct wtl_import_row *ret_row,
                    struct wattle_error *err)
{
    struct own *own = own_of(table);
    clear(table);
    *ret_row = (struct wtl_import_row){.cells = own->cells, .count = table->column_count};
    if (own->format->from_zero && !own->zero_given) {
        give_zero(table);
        return 1;
    }
    if (own->format->sorted)
        return next_sorted(table, ret_row, err);
    int rc = own->taken == own->timed ? fetch(table, err) : 1;
    if (rc <= 0)
        return rc;
    ret_row->time_ns = own->values[own->taken].time_ns;
    ret_row->cover_ns = own->values[own->taken].cover_ns;
    if (own->format->first && !own->covered && own->steps == 2)
        ret_row->cover_ns = own->second_ns - own->first_ns;
    own->covered = true;
    ret_row->line = wtl_long_line(table);
    do {
        rc = take_values(table, ret_row->time_ns, err);
        if (rc < 0 || own->taken < own->timed)
            return rc < 0 ? rc : 1; /* the line goes on at another time */
        rc = fetch(table, err);
    } while (rc > 0 && own->values[0].time_ns == ret_row->time_ns && !collides(own));
    return rc < 0 ? rc : 1;
}

static void close_long(struct wtl_import_table *table)
{
    struct own *own = own_of(table);
    if (!own)
        return;
    wtl_text_source_close(own->source);
    if (own->format->done)
        own->format->done(own->format->context);
    free(own->values);
    free(own->cells);
    free(own);
    table->own = NULL;
}

static const struct wtl_table_ops ops = {next_row, close_long};

/* ---- open ---- */

static void begin_state(struct own *own, uint64_t every_ns, bool scanning)
{
    own->state = (struct wtl_long_state){
        .every_ns = every_ns, .context = own->format->context, .scanning = scanning};
    own->timed = own->taken = own->value_count = 0;
    own->ended = false;
}

/* First pass: find all columns. */
static int scan(struct wtl_import_table *table, uint64_t every_ns, struct wattle_error *err)
{
    struct own *own = own_of(table);
    char *line;
    size_t n;
    int rc;
    begin_state(own, every_ns, true);
    while ((rc = wtl_text_source_next(own->source, &line, &n, err)) > 0) {
        rc = own->format->line(table, &own->state, line, n, err);
        if (rc < 0)
            return rc;
    }
    if (rc == 0)
        rc = own->format->line(table, &own->state, NULL, 0, err);
    if (rc == 0 && (table->column_count == 0 || own->state.samples == 0))
        return wtl_fail(err, -EBADMSG, "%s: not %s, or without values; give its format with --from",
                        table->path, own->format->what);
    begin_state(own, every_ns, false);
    return rc < 0 ? rc : wtl_text_source_rewind(own->source, err);
}

int wtl_long_table_open(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_table_options *options,
                        const struct wtl_long_format *format,
                        struct wtl_import_table **ret_table,
                        struct wattle_error *err)
{
    struct wtl_import_table *table = calloc(1, sizeof *table);
    struct own *own = calloc(1, sizeof *own);
    uint64_t every_ns = 0;
    int rc = 0;
    if (!table || !own) {
        free(table);
        free(own);
        wtl_text_source_close(source);
        if (format->done)
            format->done(format->context);
        return wtl_no_memory_for(err, "%s", path);
    }
    *table = (struct wtl_import_table){
        .ops = &ops,
        .path = path,
        .sensor = format->name,
        .own = own,
        .time = {.unit = WTL_TIME_S, .epoch = WTL_EPOCH_START, .point = '.'}};
    own->source = source;
    own->format = format;
    if (options->time && strncmp(options->time, "every:", 6) == 0)
        rc = wtl_parse_duration(options->time + 6, &every_ns);
    if (rc < 0 || (options->time && every_ns == 0 && !format->may_have_time))
        rc = wtl_fail(err, -EINVAL,
                      "--time: for %s only the time between rows is allowed, such as every:1s",
                      format->name);
    (void)snprintf(table->time_text, sizeof table->time_text, "%s",
                   options->time ? options->time : "fixed by the program");
    rc = rc < 0 ? rc : scan(table, every_ns, err);
    if (rc == 0 && !(own->cells = calloc(table->column_count + 1, sizeof *own->cells)))
        rc = wtl_no_memory_for(err, "%s", table->path);
    if (rc < 0)
        wtl_import_table_close(table);
    else
        *ret_table = table;
    return rc;
}
