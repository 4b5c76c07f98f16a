/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meaning of columns: from options first, then from the format, then from the words of the
 * header; whatever is still open (unit, counter or not) is derived from the values when all have
 * been read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "exchange/import/import.h"
#include "exchange/import/import_ring.h"
#include "exchange/import/import_words.h"

/* ---- options ---- */

const char *wtl_import_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Do these n bytes ("COLUMN", "#3", "FILE::COLUMN" or a pattern) refer to this column? */
static bool is_meant(const struct wtl_import *import,
                     const struct wtl_import_column *column,
                     const char *text,
                     size_t n)
{
    char pattern[512], number[24];
    if (n >= sizeof pattern)
        return false;
    memcpy(pattern, text, n);
    pattern[n] = '\0';
    const char *name = pattern;
    char *colons = strstr(pattern, "::");
    if (colons) {
        *colons = '\0';
        name = colons + 2;
        const char *path = import->files[column->file].path;
        if (fnmatch(pattern, wtl_import_file_name(path), 0) != 0 && strcmp(pattern, path) != 0)
            return false;
    }
    (void)snprintf(number, sizeof number, "#%zu", column->number + 1);
    return strcmp(name, column->header) == 0 || strcmp(name, number) == 0 ||
           fnmatch(name, column->header, 0) == 0;
}

static bool any_meant(const struct wtl_import *import,
                      const struct wtl_import_column *column,
                      const char *const *list,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_meant(import, column, list[i], strlen(list[i])))
            return true;
    }
    return false;
}

static int word_of(const char *const *names, const char *text)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0)
            return i;
    }
    return -1;
}

/* An integer below 10^6 after a "-"; returns the bytes used, 0 if there is none. */
static size_t take_number(const char *text, int *ret)
{
    uint64_t value;
    int used = text[0] == '-' ? wtl_scan_u64(text + 1, strlen(text + 1), &value) : -EINVAL;
    if (used < 0 || value >= 1000000)
        return 0;
    *ret = (int)value;
    return (size_t)used + 1;
}

/* Parse "package-0", "core-0-3", "cpu_load-0" at the beginning of text: place, index and sub;
 * returns the bytes used, 0 if invalid. number: the "-0" is required. */
static size_t read_place(struct wtl_meaning *meaning, const char *text, bool number)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || n >= sizeof meaning->place)
        return 0;
    meaning->has_index = meaning->has_domain = true;
    meaning->index = 0;
    meaning->sub = -1;
    meaning->domain = WATTLE_DOMAIN_OTHER;
    memcpy(meaning->place, text, n);
    meaning->place[n] = '\0';
    for (int i = 0; i < WATTLE_DOMAIN_COUNT; i++) {
        if (strcmp(meaning->place, wattle_domain_name((enum wattle_domain)i)) == 0) {
            meaning->domain = (enum wattle_domain)i;
            meaning->place[0] = '\0';
            break;
        }
    }
    size_t index = take_number(text + n, &meaning->index);
    if (index == 0)
        return number ? 0 : n;
    return n + index + take_number(text + n + index, &meaning->sub);
}

/* "package-0", "core-0-3", "rapl/package-1", "cpu_load-0". */
static int take_place(struct wtl_meaning *meaning, char *text, struct wattle_error *err)
{
    char *slash = strchr(text, '/');
    if (slash) {
        *slash = '\0';
        if (strlen(text) >= sizeof meaning->sensor)
            return wtl_fail(err, -EINVAL, "--column: \"%s\" is too long for a sensor's name", text);
        (void)snprintf(meaning->sensor, sizeof meaning->sensor, "%s", text);
        text = slash + 1;
    }
    size_t used = read_place(meaning, text, false);
    if (used == 0 || text[used])
        return wtl_fail(err, -EINVAL,
                        "--column: \"%s\" is not a place; write a domain and a number such as "
                        "package-0, or a word of a-z, 0-9 and _ such as fan_speed-0",
                        text);
    return 0;
}

/* Parse one word after the place: a quantity, a kind, a quality or a unit, in any order. */
static int take_field(struct wtl_meaning *meaning, const char *text, struct wattle_error *err)
{
    if (strncmp(text, "within ", 7) == 0) {
        (void)snprintf(meaning->within, sizeof meaning->within, "%s", text + 7);
        return 0;
    }
    for (int i = 0; i < WATTLE_QUANTITY_COUNT; i++) {
        if (strcmp(text, wattle_quantity_name((enum wattle_quantity)i)) == 0) {
            meaning->quantity = (enum wattle_quantity)i;
            meaning->has_quantity = true;
            return 0;
        }
    }
    for (int i = 0; i < WATTLE_QUALITY_COUNT; i++) {
        if (strcmp(text, wattle_quality_name((enum wattle_quality)i)) == 0) {
            meaning->quality = (enum wattle_quality)i;
            return 0;
        }
    }
    int kind = word_of(wtl_import_kind_names, text);
    const struct wtl_unit *unit = wtl_unit_find(text, strlen(text));
    if (kind >= 0) {
        meaning->kind = (enum wtl_import_kind)kind;
        return 0;
    }
    if (!unit)
        return wtl_fail(err, -EINVAL,
                        "--column: \"%s\" is not a quantity (energy, power, cpu_time, frequency, "
                        "temperature, count, bytes, ratio, power_limit), unit (J, uJ, kWh, W, mW, "
                        "MHz, C, %%, s, B ...) or kind (counter, delta, gauge, average)",
                        text);
    (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", unit->name);
    meaning->has_unit = true;
    return 0;
}

int wtl_import_take_target(struct wtl_meaning *meaning,
                           const char *target,
                           struct wattle_error *err)
{
    char copy[160];
    if (snprintf(copy, sizeof copy, "%s", target) >= (int)sizeof copy)
        return wtl_fail(err, -EINVAL, "--column: \"%.40s..\" is too long", target);
    char *rest = copy, *word = strsep(&rest, ":");
    int rc = take_place(meaning, word, err);
    while (rc == 0 && (word = strsep(&rest, ":")) != NULL)
        rc = *word ? take_field(meaning, word, err) : 0;
    const struct wtl_unit *unit =
        meaning->has_unit ? wtl_unit_find(meaning->unit, strlen(meaning->unit)) : NULL;
    if (rc == 0 && unit && !meaning->has_quantity) {
        meaning->quantity = unit->quantity;
        meaning->has_quantity = true;
    }
    enum wattle_quantity asked =
        meaning->quantity == WATTLE_POWER_LIMIT ? WATTLE_POWER : meaning->quantity;
    if (rc == 0 && unit && unit->quantity != asked && unit->quantity != WATTLE_EVENTS)
        return wtl_fail(err, -EINVAL, "--column: \"%s\": %s is not a unit of %s", target,
                        unit->name, wattle_quantity_name(meaning->quantity));
    return rc;
}

/* "COLUMN=REST": split at the last "=" for which REST contains none. NULL if there is none. */
static const char *split_at(const char *text)
{
    return strrchr(text, '=');
}

static int apply_columns(struct wtl_import *import,
                         struct wtl_import_column *column,
                         bool *used,
                         struct wattle_error *err)
{
    const struct wtl_import_options *options = import->options;
    for (size_t i = 0; i < options->column_count; i++) {
        const char *equals = split_at(options->columns[i]);
        if (!equals)
            return wtl_fail(
                err, -EINVAL,
                "--column: \"%s\" has no \"=\"; write COLUMN=PLACE[:QUANTITY][:UNIT][:KIND]",
                options->columns[i]);
        if (!is_meant(import, column, options->columns[i], (size_t)(equals - options->columns[i])))
            continue;
        const struct wtl_meaning before = column->meaning;
        column->meaning = (struct wtl_meaning){
            .sub = -1, .quality = before.quality, .simulated = before.simulated};
        int rc = wtl_import_take_target(&column->meaning, equals + 1, err);
        if (rc < 0)
            return rc;
        column->asked = true;
        used[i] = true;
    }
    return 0;
}

static int apply_shifts(struct wtl_import *import,
                        struct wtl_import_column *column,
                        bool *used,
                        struct wattle_error *err)
{
    const struct wtl_import_options *options = import->options;
    for (size_t i = 0; i < options->shift_count; i++) {
        const char *equals = split_at(options->shifts[i]);
        char *end = NULL;
        long rows = equals ? strtol(equals + 1, &end, 10) : 0;
        if (!equals || end == equals + 1 || rows == 0 || labs(rows) > WTL_IMPORT_SHIFT_MAX ||
            (strcmp(end, "row") != 0 && strcmp(end, "rows") != 0))
            return wtl_fail(
                err, -EINVAL,
                "--shift: \"%s\" is not valid; write COLUMN=-1row, with at most %d rows",
                options->shifts[i], WTL_IMPORT_SHIFT_MAX);
        if (is_meant(import, column, options->shifts[i], (size_t)(equals - options->shifts[i]))) {
            column->shift = (int)rows;
            used[i] = true;
        }
    }
    return 0;
}

/* ---- columns ---- */

static void ignore(struct wtl_import_column *column, const char *why)
{
    column->role = WTL_ROLE_IGNORED;
    column->why = why;
}

/* Rows about different things would end up in one channel. */
static int check_series(const struct wtl_import *import,
                        const struct wtl_import_column *column,
                        const struct wtl_import_header *header,
                        struct wattle_error *err)
{
    if (!header->is_series || column->meaning.by_format || column->asked ||
        import->files[column->file].format ||
        any_meant(import, column, import->options->ignore, import->options->ignore_count))
        return 0;
    return wtl_fail(err, -EBADMSG,
                    "%s: the rows are about several things, by column \"%.60s\"; make channels of "
                    "them with --split '%.60s', or skip "
                    "the column with --ignore if they are not",
                    wtl_import_file_name(import->files[column->file].path), column->header,
                    column->header);
}

static void choose_role(const struct wtl_import *import,
                        struct wtl_import_column *column,
                        const struct wtl_import_header *header)
{
    const struct wtl_import_options *options = import->options;
    column->role = WTL_ROLE_CHANNEL;
    column->why = "";
    if (header->is_time)
        column->role = WTL_ROLE_TIME;
    else if (header->is_cover)
        column->role = WTL_ROLE_COVER;
    else if (header->is_label)
        ignore(column, "text");
    else if (header->left_out && !column->asked)
        ignore(column, "left out by the format");
    else if (any_meant(import, column, options->ignore, options->ignore_count))
        ignore(column, "--ignore");
    else if (options->only_count && !column->asked &&
             !any_meant(import, column, options->only, options->only_count))
        ignore(column, "not in --only");
}

/* Parse "powercap:package-0 [J]", as in wattle's exports: name, unit and everything else. */
static bool take_own_name(struct wtl_meaning *ret_meaning, const char *header)
{
    struct wtl_meaning meaning = {.has_quantity = true,
                                  .quantity = WATTLE_EVENTS,
                                  .quality = ret_meaning->quality, /* from the notes at the top */
                                  .simulated = ret_meaning->simulated};
    size_t n = strspn(header, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || n >= sizeof meaning.sensor || header[n] != ':')
        return false;
    memcpy(meaning.sensor, header, n);
    size_t used = read_place(&meaning, header + n + 1, true);
    const char *rest = header + n + 1 + used;
    size_t length = strlen(rest);
    bool unit = length > 3 && rest[0] == ' ' && rest[1] == '[' && rest[length - 1] == ']';
    if (used == 0 || (*rest && !unit))
        return false;
    const struct wtl_unit *known = unit ? wtl_unit_find(rest + 2, length - 3) : NULL;
    if (known) {
        bool limit = known->quantity == WATTLE_POWER && strcmp(meaning.sensor, "limits") == 0;
        meaning.quantity = limit ? WATTLE_POWER_LIMIT : known->quantity;
        (void)snprintf(meaning.unit, sizeof meaning.unit, "%s", known->name);
        meaning.has_unit = true;
    }
    meaning.kind = meaning.quantity == WATTLE_ENERGY ? WTL_IMPORT_COUNTER : WTL_IMPORT_GAUGE;
    *ret_meaning = meaning;
    return true;
}

/* In wattle's exports the power next to an energy is derived from it. */
static bool is_companion(const struct wtl_import *import, const struct wtl_import_column *column)
{
    if (import->column_count < 2 || column->meaning.quantity != WATTLE_POWER)
        return false;
    const struct wtl_import_column *before = column - 1;
    const struct wtl_meaning *a = &before->meaning, *b = &column->meaning;
    return before->file == column->file && a->quantity == WATTLE_ENERGY && a->domain == b->domain &&
           a->index == b->index && a->sub == b->sub && strcmp(a->place, b->place) == 0 &&
           strcmp(a->sensor, b->sensor) == 0;
}

static int room_for(struct wtl_import *import, size_t more, struct wattle_error *err)
{
    size_t need = import->column_count + more;
    if (wtl_reserve(&import->columns, &import->column_room, need, sizeof *import->columns) < 0)
        return wtl_no_memory_for(err, "%zu columns", need);
    return 0;
}

static int add_column(struct wtl_import *import,
                      struct wtl_import_file *file,
                      size_t number,
                      bool *used_columns,
                      bool *used_shifts,
                      struct wattle_error *err)
{
    const struct wtl_import_header *header = &file->table->headers[number];
    struct wtl_import_column *column = &import->columns[import->column_count];
    *column = (struct wtl_import_column){.file = (size_t)(file - import->files),
                                         .number = number,
                                         .meaning = header->meaning,
                                         .unit_from = "header",
                                         .unit_scale = 1,
                                         .stats = {.magnitude = -400, .places = -400}};
    column->header = strdup(header->name);
    if (!column->header)
        return wtl_no_memory_for(err, "columns");
    import->column_count++;
    bool own = take_own_name(&column->meaning, column->header);
    int rc = apply_columns(import, column, used_columns, err);
    rc = rc < 0 ? rc : apply_shifts(import, column, used_shifts, err);
    if (rc < 0)
        return rc;
    rc = check_series(import, column, header, err);
    if (rc < 0)
        return rc;
    choose_role(import, column, header);
    if (own && !column->asked && is_companion(import, column) && column->role == WTL_ROLE_CHANNEL)
        ignore(column, "derived from the energy column");
    if (column->asked && column->role != WTL_ROLE_IGNORED)
        column->role = WTL_ROLE_CHANNEL;
    bool stated = column->meaning.has_unit && column->asked;
    if (!own && !column->meaning.by_format)
        wtl_import_words_guess(column->header, file->path, &column->meaning);
    if (stated || (column->asked && column->meaning.kind))
        column->meaning.doubt = NULL;
    column->unit_from = stated ? "option" : column->meaning.by_format ? "format" : "header";
    column->kind_from = column->asked && column->meaning.kind ? "option" : column->unit_from;
    return 0;
}

/* An option that names a column which exists in no file is a mistake. */
static int check_used(const struct wtl_import *import,
                      const char *option,
                      const char *const *texts,
                      const bool *used,
                      size_t count,
                      struct wattle_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *equals = split_at(texts[i]);
        if (used[i] || !equals)
            continue;
        char name[128];
        const char **names = calloc(import->column_count + 1, sizeof *names);
        (void)snprintf(name, sizeof name, "%.*s", (int)(equals - texts[i]), texts[i]);
        for (size_t k = 0; names && k < import->column_count; k++)
            names[k] = import->columns[k].header;
        const char *near = names ? wtl_nearest(name, names, import->column_count) : NULL;
        int rc = wtl_fail(err, -EINVAL, "%s: no column \"%s\"%s%.60s%s", option, name,
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
        free(names);
        return rc;
    }
    return 0;
}

int wtl_import_add_columns(struct wtl_import *import,
                           struct wtl_import_file *file,
                           struct wattle_error *err)
{
    const struct wtl_import_options *options = import->options;
    bool *used_columns = calloc(options->column_count + 1, sizeof *used_columns);
    bool *used_shifts = calloc(options->shift_count + 1, sizeof *used_shifts);
    file->first_column = import->column_count;
    file->column_count = file->table->column_count;
    int rc = room_for(import, file->column_count, err);
    if (rc == 0 && (!used_columns || !used_shifts))
        rc = wtl_no_memory_for(err, "columns");
    for (size_t i = 0; rc == 0 && i < file->column_count; i++)
        rc = add_column(import, file, i, used_columns, used_shifts, err);
    if (rc == 0 && import->file_count == options->path_count) {
        /* Another file may already have it. */
        for (size_t i = 0; i < import->column_count; i++) {
            struct wtl_import_column copy = import->columns[i];
            (void)apply_columns(import, &copy, used_columns, NULL);
            (void)apply_shifts(import, &copy, used_shifts, NULL);
        }
        rc = check_used(import, "--column", options->columns, used_columns, options->column_count,
                        err);
        rc = rc < 0 ? rc
                    : check_used(import, "--shift", options->shifts, used_shifts,
                                 options->shift_count, err);
    }
    free(used_columns);
    free(used_shifts);
    return rc;
}

void wtl_import_target(const struct wtl_import_column *column, char *text, size_t size)
{
    const struct wtl_meaning *meaning = &column->meaning;
    const char *colon = strchr(column->name, ':');
    const char *place = colon ? colon + 1 : column->name;
    bool own = meaning->sensor[0] != '\0';
    (void)snprintf(text, size, "%s%s%s:%s%s%s:%s%s%s", own ? meaning->sensor : "", own ? "/" : "",
                   place, wattle_quantity_name(meaning->quantity), meaning->unit[0] ? ":" : "",
                   meaning->unit, meaning->kind ? wtl_import_kind_names[meaning->kind] : "gauge",
                   meaning->quality == WATTLE_MEASURED ? "" : ":",
                   meaning->quality == WATTLE_MEASURED ? ""
                                                       : wattle_quality_name(meaning->quality));
}
