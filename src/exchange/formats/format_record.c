/* SPDX-License-Identifier: BSD-3-Clause */
/* From records to values with a time, as their format says: see format_record.h. */
#define _GNU_SOURCE
#include "exchange/formats/format_record.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "exchange/import/import_words.h"
#include "exchange/import/target.h"
#include "exchange/import/unit.h"

/* ---- cells ---- */

int wtl_record_add(struct wtl_record *record,
                   const char *name,
                   const char *text,
                   struct wattle_error *err)
{
    if (!name || !text || record->count == WTL_RECORD_CELLS)
        return wtl_fail(err, -E2BIG, "%s:%llu: the record is too large for format %s",
                        record->table->path, (unsigned long long)wtl_long_line(record->table),
                        record->format->name);
    record->cells[record->count++] = (struct wtl_record_cell){name, text};
    return 0;
}

const char *wtl_record_keep(struct wtl_record *record, const char *text, size_t n)
{
    if (n + 1 > WTL_RECORD_BYTES - record->used)
        return NULL;
    char *copy = record->bytes + record->used;
    memcpy(copy, text, n);
    copy[n] = '\0';
    record->used += n + 1;
    return copy;
}

/* The text of a cell, of the record or what contains it; NULL = none. The last one of its name is the nearest. */
static const char *cell_of(const struct wtl_record *record, const char *name)
{
    for (size_t i = record->count; i > 0; i--) {
        if (strcmp(record->cells[i - 1].name, name) == 0)
            return record->cells[i - 1].text;
    }
    return NULL;
}

/* ---- places ---- */

/* The number of a series: as written ("3", "S3", "GPU 3"), or in order of appearance. */
static int number_of(struct wtl_record *record, const char *cell, const char *text)
{
    uint64_t number;
    const char *zone =
        strstr(text, "intel-rapl:"); /* "/sys/class/powercap/intel-rapl:1:0" is in package 1 */
    if (zone && wtl_scan_u64(zone + 11, strlen(zone + 11), &number) > 0 && number < 100000)
        return (int)number;
    const char *digits = text + strcspn(text, "0123456789");
    size_t letters = (size_t)(digits - text);
    if (letters <= 7 &&
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz _-") >= letters &&
        wtl_parse_u64(digits, &number) == 0 && number < 100000)
        return (int)number;
    int place = 0;
    for (size_t i = 0; i < record->series_count; i++) {
        if (strcmp(record->series[i].cell, cell) != 0)
            continue;
        if (strcmp(record->series[i].text, text) == 0)
            return place;
        place++;
    }
    if (record->series_count < WTL_RECORD_SERIES) {
        (void)snprintf(record->series[record->series_count].cell, sizeof record->series[0].cell,
                       "%s", cell);
        (void)snprintf(record->series[record->series_count++].text, sizeof record->series[0].text,
                       "%s", text);
    }
    return place;
}

/* Replace "{cell}" by what the record says: a number after a "-", else a word. */
static void expand(struct wtl_record *record, const char *target, char *text, size_t size)
{
    size_t used = 0;
    char name[64];
    while (*target && used + 16 < size) {
        const char *stop = *target == '{' ? strchr(target, '}') : NULL;
        if (!stop) {
            text[used++] = *target++;
            continue;
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)(stop - target - 1), target + 1);
        const char *cell = cell_of(record, name);
        target = stop + 1;
        if (used > 0 && text[used - 1] == '-') {
            used +=
                (size_t)snprintf(text + used, 12, "%d", cell ? number_of(record, name, cell) : 0);
            continue;
        }
        bool unit = used > 0 && text[used - 1] == ':';
        for (const char *p = cell ? cell : ""; *p && used + 16 < size; p++)
            text[used++] = unit || isdigit((unsigned char)*p) ? *p
                           : isalpha((unsigned char)*p)       ? (char)tolower((unsigned char)*p)
                                                              : '_';
    }
    text[used] = '\0';
}

/* What a column means, and its name with what it is about. false: it is left out. */
static bool is_wanted(struct wtl_record *record,
                      const char *column,
                      char *name,
                      size_t size,
                      const char **ret_target)
{
    bool ignored;
    *ret_target = wtl_format_target(record->format, column, &ignored);
    if (!*ret_target && ignored)
        return false;
    int used = snprintf(name, size, "%.100s", column);
    for (size_t i = 0; i < record->format->split.count; i++) {
        const char *split = record->format->split.items[i], *text = cell_of(record, split);
        const char *dot = strrchr(split, '.');
        if (text && (size_t)used < size)
            used += snprintf(name + used, size - (size_t)used, " %.20s %.60s",
                             dot ? dot + 1 : split, text);
    }
    wtl_utf8_clean(name); /* as columns are named */
    return true;
}

static int meaning_of(struct wtl_record *record,
                      const char *column,
                      const char *target,
                      struct wtl_meaning *ret_meaning,
                      struct wattle_error *err)
{
    char text[200];
    *ret_meaning = (struct wtl_meaning){.sub = -1, .by_format = target != NULL};
    if (target) {
        expand(record, target, text, sizeof text);
        if (wtl_target_take(ret_meaning, text, NULL) == 0)
            return 0;
        return wtl_fail(
            err, -EBADMSG,
            "%s:%llu: format %s reads \"%.60s\" as \"%.60s\", which is no channel; correct %s",
            record->table->path, (unsigned long long)wtl_long_line(record->table),
            record->format->name, column, text, record->format->path);
    }
    char about[160] = "";
    size_t used = 0, parts = 0;
    for (size_t i = 0; i < record->format->split.count && used < sizeof about; i++) {
        const char *cell = cell_of(record, record->format->split.items[i]);
        used += cell ? (size_t)snprintf(about + used, sizeof about - used, "%s%.60s",
                                        parts ? "\n" : "", cell)
                     : 0;
        parts += cell != NULL;
    }
    wtl_import_words_guess(column, NULL, ret_meaning);
    if (parts > 0 && !ret_meaning->has_index) {
        ret_meaning->index =
            number_of(record, "", about); /* of several parts: in order of appearance */
        ret_meaning->has_index = true;
    }
    return 0;
}

/* ---- values ---- */

static bool is_energy(enum wattle_quantity quantity)
{
    return quantity == WATTLE_ENERGY || quantity == WATTLE_POWER;
}

int wtl_record_lose(struct wtl_record *record, const char *text, struct wattle_error *err)
{
    struct wtl_table_losses *losses = &record->table->losses;
    if (wtl_long_is_cut(record->table))
        return 0; /* which is noted at the end */
    if (!record->lenient)
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: \"%.60s\" is not as format %s has it, so it may be damaged; fix "
                        "the line, or leave out such lines with --lenient",
                        record->table->path, (unsigned long long)wtl_long_line(record->table), text,
                        record->format->name);
    if (record->state->scanning)
        return 0;
    losses->first_line = losses->first_line ? losses->first_line : wtl_long_line(record->table);
    losses->short_rows++;
    return 0;
}

static struct wtl_import_cell read_cell(const struct wtl_record *record, const char *text)
{
    char point = record->format->point ? record->format->point : '.';
    for (size_t i = 0; i < record->format->missing.count; i++) {
        if (strcmp(record->format->missing.items[i], text) == 0)
            return (struct wtl_import_cell){.form = WTL_CELL_NAN};
    }
    struct wtl_import_cell cell = wtl_cell_read(text, strlen(text), point);
    return record->format->thousands && cell.form == WTL_CELL_WORD
               ? wtl_cell_ungroup(text, strlen(text), point)
               : cell;
}

static int bad_cell(const struct wtl_record *record,
                    const char *column,
                    const char *text,
                    const char *what,
                    struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG,
                    "%s:%llu: column \"%.60s\": \"%.40s\" %s; fix the cell, skip the column with "
                    "--ignore, or record such cells as gaps "
                    "with --lenient",
                    record->table->path, (unsigned long long)wtl_long_line(record->table), column,
                    text, what);
}

/* A value belongs to the sample of the row, or begins the next one. */
static int begin_sample(struct wtl_record *record,
                        size_t column,
                        int64_t row_ns,
                        struct wattle_error *err)
{
    size_t room = column + 1;
    uint64_t every_ns = record->state->every_ns;
    if (room > record->seen_room) {
        size_t before = record->seen_room;
        if (wtl_reserve(&record->seen, &record->seen_room, room, 1) < 0)
            return wtl_no_memory_for(err, "%s", record->table->path);
        memset(record->seen + before, 0, record->seen_room - before);
    }
    if (record->seen[column] || !record->timed_rows) {
        memset(record->seen, 0, record->seen_room);
        record->time_ns = record->has_time ? row_ns : record->time_ns + (int64_t)every_ns;
        record->timed_rows = true;
    }
    record->seen[column] = 1;
    return 0;
}

/* Read a cell, with its unit if it has one. 1: it is a text in a column of no known meaning, to be left out. */
static int read_value(struct wtl_record *record,
                      const char *column,
                      const char *text,
                      struct wtl_meaning *meaning,
                      struct wtl_import_cell *ret_cell,
                      struct wattle_error *err)
{
    bool foreign = false;
    *ret_cell = read_cell(record, text);
    bool word = ret_cell->form == WTL_CELL_WORD;
    if (word)
        wtl_cell_with_unit(text, record->format->point, meaning, ret_cell, &foreign);
    if (ret_cell->form == WTL_CELL_GOOD && !foreign)
        foreign = meaning->unit_in_cells && !word;
    meaning->unit_in_cells = meaning->unit_in_cells || (word && ret_cell->form == WTL_CELL_GOOD);
    if (foreign && !record->lenient)
        return bad_cell(record, column, text, "is in another unit than its column", err);
    if (ret_cell->form != WTL_CELL_WORD)
        return ret_cell->form == WTL_CELL_EMPTY;
    if (!meaning->has_quantity)
        return 1;
    if (!record->lenient)
        return bad_cell(record, column, text, "is not a number", err);
    record->table->losses.words++;
    return 0;
}

/* Is a unit another one than that of the meaning, and one of them of energy or power? */
static bool contradicts(const char *text, const struct wtl_meaning *meaning)
{
    const struct wtl_unit *unit = wtl_unit_find(text, strlen(text));
    bool energy = is_energy(meaning->quantity) || (unit && is_energy(unit->quantity));
    return energy && !(unit && strcmp(unit->name, meaning->unit) == 0);
}

/* The unit in a cell of the record must be that of the column. A column that is named like a unit is a line that none of the templates
 * with a unit has matched. */
static int check_unit(struct wtl_record *record,
                      const char *column,
                      bool is_new,
                      const struct wtl_meaning *meaning,
                      struct wattle_error *err)
{
    const char *text = record->format->unit ? cell_of(record, record->format->unit) : NULL;
    bool by_name = is_new && record->format->key && record->format->shape == WTL_SHAPE_LINES;
    const struct wtl_unit *name = by_name ? wtl_unit_find(column, strlen(column)) : NULL;
    if (name && is_energy(name->quantity))
        return bad_cell(record, column, column, "is another unit than the format has", err);
    if (!text || (strcmp(text, record->unit) == 0 && strcmp(meaning->unit, record->unit_of) == 0))
        return 0; /* as before */
    if (contradicts(text, meaning))
        return bad_cell(record, column, text, "is another unit than the format has", err);
    (void)snprintf(record->unit, sizeof record->unit, "%.15s", strlen(text) < 16 ? text : "");
    (void)snprintf(record->unit_of, sizeof record->unit_of, "%s", meaning->unit);
    return 0;
}

static int put_value(struct wtl_record *record,
                     const char *column,
                     const char *text,
                     int64_t row_ns,
                     struct wattle_error *err)
{
    char name[256];
    const char *target;
    struct wtl_import_cell cell;
    struct wtl_meaning meaning = {.sub = -1};
    if (!is_wanted(record, column, name, sizeof name, &target))
        return 0;
    int at = wtl_long_find(record->table, name);
    int rc = at < 0 ? meaning_of(record, column, target, &meaning, err) : 0;
    struct wtl_meaning *of = at < 0 ? &meaning : &record->table->headers[at].meaning;
    rc = rc < 0 ? rc : check_unit(record, column, at < 0, of, err);
    if (rc < 0)
        return rc;
    rc = read_value(record, column, text, of, &cell, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    rc = wtl_long_put(record->table, name, cell, &meaning, err);
    record->puts++;
    at = rc < 0 ? rc : wtl_long_find(record->table, name);
    if (at < 0)
        return at;
    if (record->format->samples || !record->has_time)
        return begin_sample(record, (size_t)at, row_ns, err);
    record->time_ns = row_ns;
    return 0;
}

/* ---- times ---- */

/* The time of the record. 1, 0 = it has none, -EBADMSG. */
static int take_time(struct wtl_record *record, int64_t *ret_ns, struct wattle_error *err)
{
    char text[96] = "";
    const char *one = record->time_name[0][0] ? cell_of(record, record->time_name[0]) : NULL;
    const char *two = record->time_name[1][0] ? cell_of(record, record->time_name[1]) : NULL;
    if (!one || (record->time_name[1][0] && !two))
        return 0;
    (void)snprintf(text, sizeof text, "%.45s%s%.45s", one, two ? " " : "", two ? two : "");
    struct wtl_time_form *form = &record->form;
    int rc = form->unit == WTL_TIME_AUTO || form->epoch == WTL_EPOCH_AUTO
                 ? wtl_time_settle(text, strlen(text), form)
                 : 0;
    rc = rc < 0 ? rc : wtl_time_next(text, strlen(text), form, ret_ns);
    record->table->time = *form;
    if (rc == 0)
        return 1;
    if (record->lenient) {
        record->table->losses.bad_times++;
        return 0;
    }
    return wtl_fail(
        err, -EBADMSG,
        "%s:%llu: \"%.60s\" is not a time as format %s has it; choose another with --from",
        record->table->path, (unsigned long long)wtl_long_line(record->table), text,
        record->format->name);
}

/* "elapsed:ms": the time that the record covers; 0 = unknown. */
static int64_t cover_of(const struct wtl_record *record)
{
    char name[64];
    struct wtl_time_form form = {.unit = WTL_TIME_S};
    int64_t ns;
    (void)snprintf(name, sizeof name, "%s", record->format->cover ? record->format->cover : "");
    char *colon = strrchr(name, ':');
    if (!colon)
        return 0;
    *colon = '\0';
    for (int i = 1; wtl_time_unit_names[i]; i++) {
        if (strcmp(wtl_time_unit_names[i], colon + 1) == 0)
            form.unit = (enum wtl_time_unit)i;
    }
    const char *text = cell_of(record, name);
    return text && wtl_time_parse(text, strlen(text), &form, &ns) == 0 && ns > 0 ? ns : 0;
}

/* ---- records ---- */

static bool is_skipped(const struct wtl_record *record)
{
    char name[64];
    for (size_t i = 0; i < record->format->skip.count; i++) {
        const char *rule = record->format->skip.items[i], *equals = strchr(rule, '=');
        (void)snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - rule) : 0, rule);
        const char *text = equals ? cell_of(record, name) : NULL;
        if (text && wtl_glob(equals + 1, text))
            return true;
    }
    return false;
}

static bool is_label(const struct wtl_record *record, const char *name)
{
    const struct wtl_file_format *format = record->format;
    for (size_t i = 0; i < format->split.count; i++) {
        if (strcmp(format->split.items[i], name) == 0)
            return true;
    }
    return strcmp(name, record->time_name[0]) == 0 || strcmp(name, record->time_name[1]) == 0;
}

/* All values of the record. */
static int put_values(struct wtl_record *record, int64_t row_ns, struct wattle_error *err)
{
    const struct wtl_file_format *format = record->format;
    int rc = 0;
    if (format->key) {
        const char *key = cell_of(record, format->key), *value = cell_of(record, format->value);
        return key && value ? put_value(record, key, value, row_ns, err) : 0;
    }
    for (size_t i = record->own; i < record->count && rc == 0; i++) {
        if (!is_label(record, record->cells[i].name))
            rc = put_value(record, record->cells[i].name, record->cells[i].text, row_ns, err);
    }
    return rc;
}

/* The values that were put have this time, or wait for it. */
static int settle(struct wtl_record *record, bool timed, struct wattle_error *err)
{
    struct wtl_import_table *table = record->table;
    bool known = record->has_time || record->state->every_ns > 0;
    if (!known || (!timed && record->format->time_follows)) {
        record->waits = true;
        return 0;
    }
    table->seen_ns = record->time_ns > table->seen_ns ? record->time_ns : table->seen_ns;
    return wtl_long_time(table, record->time_ns, err);
}

int wtl_record_take(struct wtl_record *record, struct wattle_error *err)
{
    int64_t ns = record->time_ns, cover_ns = cover_of(record);
    if (is_skipped(record))
        return 0;
    int timed = take_time(record, &ns, err);
    if (timed < 0)
        return timed;
    record->has_time = record->has_time || timed > 0;
    if (timed == 0 && record->has_time && record->format->shape == WTL_SHAPE_TABLE)
        return 0; /* unreadable, and counted */
    int rc = put_values(record, ns, err);
    if (rc < 0)
        return rc;
    if (timed > 0 && !record->format->samples)
        record->time_ns = ns;
    if (cover_ns)
        wtl_long_cover(record->table, cover_ns);
    return settle(record, timed > 0, err);
}
