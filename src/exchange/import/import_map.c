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
#include "exchange/import/import_words.h"
#include "exchange/import/target.h"

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
        column->meaning = (struct wtl_meaning){.sub = -1,
                                               .quality = before.quality,
                                               .simulated = before.simulated,
                                               .traits = before.traits};
        int rc = wtl_target_take(&column->meaning, equals + 1, err);
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

/* How values under one of wattle's names hold; stated: by the file. */
static enum wtl_import_kind own_kind(enum wattle_quantity quantity, enum wtl_import_kind stated)
{
    if (quantity == WATTLE_POWER && stated)
        return stated;
    return quantity == WATTLE_ENERGY ? WTL_IMPORT_COUNTER : WTL_IMPORT_GAUGE;
}

/* Watts that are allowed: by the file's notes, or by one of the names that wattle has for them. */
static bool is_limit(const struct wtl_meaning *meaning,
                     const struct wtl_meaning *stated,
                     const struct wtl_unit *unit)
{
    return unit->quantity == WATTLE_POWER &&
           ((stated->has_quantity && stated->quantity == WATTLE_POWER_LIMIT) ||
            strcmp(meaning->sensor, "limits") == 0 || strcmp(meaning->place, "power_limit") == 0);
}

/* The quantity: by the unit in the header, and by what the file's notes state. NULL: it has no unit, or no known one. */
static void take_own_unit(struct wtl_meaning *meaning,
                          const struct wtl_meaning *stated,
                          const struct wtl_unit *unit)
{
    if (!unit) {
        if (stated->has_quantity && !wattle_quantity_unit(stated->quantity)[0])
            meaning->quantity = stated->quantity;
        return;
    }
    meaning->quantity = is_limit(meaning, stated, unit) ? WATTLE_POWER_LIMIT : unit->quantity;
    (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", unit->name);
    meaning->has_unit = true;
}

/* Parse "powercap:package-0 [J]", as in wattle's exports: name, unit and everything else. */
static bool take_own_name(struct wtl_meaning *ret_meaning, const char *header)
{
    struct wtl_meaning meaning = {.has_quantity = true,
                                  .quantity = WATTLE_EVENTS,
                                  .quality = ret_meaning->quality, /* from the notes at the top */
                                  .simulated = ret_meaning->simulated,
                                  .traits = ret_meaning->traits};
    size_t n = strspn(header, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || n >= sizeof meaning.sensor || header[n] != ':')
        return false;
    memcpy(meaning.sensor, header, n);
    size_t used = wtl_target_read_place(&meaning, header + n + 1, true);
    const char *rest = header + n + 1 + used;
    size_t length = strlen(rest);
    bool unit = length > 3 && rest[0] == ' ' && rest[1] == '[' && rest[length - 1] == ']';
    if (used == 0 || (*rest && !unit))
        return false;
    take_own_unit(&meaning, ret_meaning, unit ? wtl_unit_find(rest + 2, length - 3) : NULL);
    meaning.kind = own_kind(meaning.quantity, ret_meaning->kind);
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

/* The words of the header, if nothing else says what it is, and who said it. */
static void settle_sources(struct wtl_import_column *column, const char *path, bool own)
{
    struct wtl_meaning *meaning = &column->meaning;
    bool stated = meaning->has_unit && column->asked;
    if (!own && !meaning->by_format)
        wtl_import_words_guess(column->header, path, meaning);
    if (stated || (column->asked && meaning->kind))
        meaning->doubt = NULL;
    column->unit_from = stated ? "option" : meaning->by_format ? "format" : "header";
    column->kind_from = column->asked && meaning->kind ? "option" : column->unit_from;
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
    settle_sources(column, file->path, own);
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
    wtl_target_print(&column->meaning, column->name, text, size);
}
