/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file of a format as a table: JSON, rows of a table, lines of templates and labelled values become records (format_record.h), whose
 * values are the cells.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/formats/format_record.h"
#include "exchange/import/import_words.h"

/* ---- JSON ---- */

/*
 * Streamed: objects or arrays at given paths are records, scalars their cells, named by their keys. Values of what
 * contains a record are cells of it, too, if they come before it. Text between documents is skipped, as loggers put dates there; in them
 * a missing comma, bracket or quote is an error, as values would be lost.
 */

/* Is a path among those of the format: "." is a document that is an object. */
static bool is_record(const struct wtl_record *record, const char *path, bool or_around)
{
    bool is_array = record->levels[0].is_array;
    const char *word = record->format->record;
    size_t n = strlen(path);
    while (*word) {
        size_t length = strcspn(word, " ");
        bool whole = length == 1 && *word == '.';
        size_t compared = whole ? 0 : length;
        if (!(whole && is_array) && (compared == n || (or_around && compared > n)) &&
            strncmp(path, word, n) == 0)
            return true;
        word += length;
        word += strspn(word, " ");
    }
    return false;
}

static int malformed(const struct wtl_record *record, struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG,
                    "%s:%llu: not valid JSON; the recording may be cut off or damaged",
                    record->table->path, (unsigned long long)wtl_long_line(record->table));
}

/* Append a key or "[]" to the path. */
static int descend(struct wtl_record *record, struct wattle_error *err)
{
    size_t used = strlen(record->path);
    const struct wtl_json_level *level = record->depth ? &record->levels[record->depth - 1] : NULL;
    int n = 0;
    if (level && level->is_array)
        n = snprintf(record->path + used, sizeof record->path - used, "[]");
    else if (level)
        n = snprintf(record->path + used, sizeof record->path - used, "%s%s", used ? "." : "",
                     record->key);
    return n < 0 || (size_t)n >= sizeof record->path - used ? malformed(record, err) : 0;
}

static int open_level(struct wtl_record *record, bool is_array, struct wattle_error *err)
{
    if (record->depth == WTL_RECORD_DEPTH)
        return malformed(record, err);
    int rc = descend(record, err);
    record->levels[record->depth++] = (struct wtl_json_level){.is_array = is_array,
                                                              .cells = record->count,
                                                              .used = record->used,
                                                              .path = strlen(record->path)};
    record->json = WTL_JSON_BEGIN;
    return rc;
}

static int close_level(struct wtl_record *record, bool is_array, struct wattle_error *err)
{
    if (record->depth == 0 || record->levels[record->depth - 1].is_array != is_array ||
        (record->json != WTL_JSON_BEGIN && record->json != WTL_JSON_AFTER))
        return malformed(record, err);
    const struct wtl_json_level *level = &record->levels[record->depth - 1];
    int rc = 0;
    if (is_record(record, record->path, false)) {
        record->own = level->cells;
        rc = wtl_record_take(record, err);
    }
    if (is_record(record, record->path, true)) {
        record->count = level->cells;
        record->used = level->used;
    }
    record->depth--;
    struct wtl_json_level *above = record->depth ? &record->levels[record->depth - 1] : NULL;
    record->path[above ? above->path : 0] = '\0';
    if (above)
        above->index++;
    record->json = WTL_JSON_AFTER;
    return rc;
}

/* The name of a scalar: the path without brackets, its key or number. */
static const char *scalar_name(struct wtl_record *record)
{
    const struct wtl_json_level *level = &record->levels[record->depth - 1];
    char name[700];
    size_t used = 0;
    for (const char *p = record->path; *p; p++) {
        if (*p != '[' && *p != ']' && (used || *p != '.'))
            name[used++] = *p;
    }
    int n = level->is_array
                ? snprintf(name + used, sizeof name - used, "%s%zu", used ? "." : "", level->index)
                : snprintf(name + used, sizeof name - used, "%s%s", used ? "." : "", record->key);
    return wtl_record_keep(record, name, used + (size_t)n);
}

/* Between documents, after "[", "," in an array, or after ":". */
static bool wants_value(const struct wtl_record *record)
{
    bool is_array = record->depth > 0 && record->levels[record->depth - 1].is_array;
    return record->depth == 0 || record->json == WTL_JSON_VALUE ||
           (is_array && record->json <= WTL_JSON_NEXT);
}

/* May a bracket begin a document? Loggers write dates in brackets in front of objects. */
static bool begins(const struct wtl_record *record, char sign)
{
    return sign == '{' || (sign == '[' && strncmp(record->format->record, "[]", 2) == 0);
}

/* A comma or a colon. */
static int take_sign(struct wtl_record *record, char sign, struct wattle_error *err)
{
    bool good = sign == ',' ? record->json == WTL_JSON_AFTER : record->json == WTL_JSON_COLON;
    record->json = sign == ',' ? WTL_JSON_NEXT : WTL_JSON_VALUE;
    return good ? 0 : malformed(record, err);
}

static int take_scalar(struct wtl_record *record,
                       const char *text,
                       size_t n,
                       bool quoted,
                       struct wattle_error *err)
{
    struct wtl_json_level *level = &record->levels[record->depth - 1];
    if (!wants_value(record)) {
        if (n >= sizeof record->key || !quoted || record->json > WTL_JSON_NEXT)
            return malformed(record, err);
        memcpy(record->key, text, n);
        record->key[n] = '\0';
        record->json = WTL_JSON_COLON;
        return 0;
    }
    size_t used = record->used;
    const char *name = scalar_name(record);
    bool ignored = false;
    for (size_t i = 0; name && i < record->format->ignore.count; i++)
        ignored = ignored || wtl_glob(record->format->ignore.items[i], name);
    level->index++;
    record->json = WTL_JSON_AFTER;
    if (ignored) {
        record->used = used;
        return 0;
    }
    return wtl_record_add(record, name, wtl_record_keep(record, text, n), err);
}

/* A string from its opening quote; escapes other than of quotes are kept as they are. Returns its end, NULL = none. */
static char *take_string(struct wtl_record *record, char *p, int *ret_rc, struct wattle_error *err)
{
    char *begin = ++p, *to = p;
    while (*p && *p != '"') {
        if (*p == '\\' && (p[1] == '"' || p[1] == '\\' || p[1] == '/'))
            p++;
        *to++ = *p++;
    }
    if (!*p)
        return NULL;
    *ret_rc = take_scalar(record, begin, (size_t)(to - begin), true, err);
    return p + 1;
}

/* A sign, a string or a scalar. Returns its end; NULL: *ret_rc is an error. */
static char *take_token(struct wtl_record *record, char *p, int *ret_rc, struct wattle_error *err)
{
    if (*p == ',' || *p == ':') {
        *ret_rc = take_sign(record, *p++, err);
    } else if (*p == '{' || *p == '[') {
        *ret_rc = wants_value(record) ? open_level(record, *p == '[', err) : malformed(record, err);
        p++;
    } else if (*p == '}' || *p == ']') {
        *ret_rc = close_level(record, *p++ == ']', err);
    } else if (*p == '"') {
        p = take_string(record, p, ret_rc, err);
        if (!p && !wtl_long_is_cut(record->table))
            *ret_rc = malformed(record, err);
    } else {
        size_t length = strcspn(p, " \t\r,:{}[]\"");
        *ret_rc = take_scalar(record, p, length, false, err);
        p += length;
    }
    return *ret_rc < 0 ? NULL : p;
}

static int record_json_line(struct wtl_record *record,
                            char *text,
                            size_t n,
                            struct wattle_error *err)
{
    int rc = 0;
    bool expected = record->format->expect && wtl_glob(record->format->expect, text);
    if (record->depth == 0)
        record->puts = 0;
    (void)n;
    for (char *p = text; p && *p;) {
        if ((record->depth == 0 && !begins(record, *p)) || strchr(" \t\r", *p))
            p++;
        else
            p = take_token(record, p, &rc, err);
    }
    return rc == 0 && expected && record->depth == 0 && record->puts == 0
               ? wtl_record_lose(record, text, err)
               : rc;
}

/* ---- tables ---- */

/* Split a line in place; blanks around cells do not count. */
static size_t split(char *text, char separator, const char **cells, size_t most)
{
    size_t n = 0;
    while (n < most) {
        text += strspn(text, separator == '\t' ? " " : " \t");
        if (!*text && (separator == ' ' || n == 0))
            break;
        char *begin = text, *stop;
        if (*text == '"' && strchr(text + 1, '"')) {
            begin = text + 1;
            stop = strchr(begin, '"');
            *stop++ = '\0';
            stop += strcspn(stop, (char[2]){separator, '\0'});
        } else {
            stop = separator == ' ' ? text + strcspn(text, " \t")
                                    : text + strcspn(text, (char[2]){separator, '\0'});
        }
        bool more = *stop != '\0';
        *stop = '\0';
        for (size_t length = strlen(begin); length > 0 && strchr(" \t\r", begin[length - 1]);)
            begin[--length] = '\0';
        cells[n++] = begin;
        if (!more)
            break;
        text = stop + 1;
    }
    return n;
}

static bool is_header(const struct wtl_record *record, const char *text)
{
    for (size_t i = 0; i < record->format->know.count; i++) {
        if (wtl_glob(record->format->know.items[i], text))
            return true;
    }
    return false;
}

static int take_header(struct wtl_record *record, const char *text, struct wattle_error *err)
{
    text += *text == '#' ? 1 : 0;
    free(record->header);
    record->header = strdup(text);
    if (!record->header)
        return wtl_no_memory_for(err, "%s", record->table->path);
    record->width = split(record->header, record->separator, record->headers, WTL_RECORD_CELLS);
    return 0;
}

static char separator_of(const char *text)
{
    return strchr(text, '\t')  ? '\t'
           : strchr(text, ';') ? ';'
           : strchr(text, '|') ? '|'
           : strchr(text, ',') ? ','
                               : ' ';
}

/* Is the line a header, or before the first one? 1, 0 = a row, -errno. */
static int take_head(struct wtl_record *record,
                     const char *text,
                     size_t n,
                     struct wattle_error *err)
{
    const char *fixed = record->format->header;
    if (!record->separator && n)
        record->separator = separator_of(fixed ? fixed : text);
    int rc = 0;
    if (fixed && record->width == 0)
        rc = take_header(record, fixed, err);
    else if (!fixed && is_header(record, text))
        rc = take_header(record, text, err) < 0 ? -ENOMEM : 1;
    return rc != 0 ? rc : n == 0 || record->width == 0 || *text == '#';
}

/* 0; 1: the row is left out. */
static int check_width(struct wtl_record *record,
                       size_t count,
                       bool ragged,
                       struct wattle_error *err)
{
    struct wtl_table_losses *losses = &record->table->losses;
    if (count == record->width || (ragged && count < record->width))
        return 0;
    if (!record->lenient)
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: the row has %zu cells, but the header has %zu; fix the line, or "
                        "skip such rows with --lenient",
                        record->table->path, (unsigned long long)wtl_long_line(record->table),
                        count, record->width);
    *(count < record->width ? &losses->short_rows : &losses->long_rows) += 1;
    return 1;
}

/* Whether rows may end early: those of a sample tell its common values once, if a column says what each is about. */
static bool is_ragged(const struct wtl_record *record)
{
    const struct wtl_file_format *format = record->format;
    if (!format->samples || format->split.count == 0)
        return record->separator == ' ' || (format->samples && record->separator != ',');
    for (size_t i = 0; i < record->width; i++) {
        for (size_t k = 0; k < format->split.count; k++) {
            if (strcmp(record->headers[i], format->split.items[k]) == 0)
                return record->separator != ',';
        }
    }
    return false;
}

/* Output of another program in between. */
static bool is_foreign(const char *cell)
{
    return !isdigit((unsigned char)*cell) && *cell != '-';
}

/* The shapes: one line of the file, which may be modified. */
static int record_table_line(struct wtl_record *record,
                             char *text,
                             size_t n,
                             struct wattle_error *err)
{
    const char *cells[WTL_RECORD_CELLS];
    int rc = take_head(record, text, n, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    bool ragged = is_ragged(record);
    size_t count = split(text, record->separator, cells, WTL_RECORD_CELLS);
    if (ragged && count > 0 && is_foreign(cells[0]))
        return 0;
    if (count > 0 && count == record->width + 1 && !*cells[count - 1])
        count--;
    rc = check_width(record, count, ragged, err);
    record->count = record->own = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = wtl_record_add(record, record->headers[i], cells[i], err);
    return rc != 0 ? (rc < 0 ? rc : 0) : wtl_record_take(record, err);
}

/* ---- templates ---- */

/* The length of what "{name}" or the number "{name#}" takes from the text, up to the literal that follows it. */
static size_t hole_length(const char *text, bool number, bool grouped, const char *next)
{
    if (*text == '<' && strchr(text, '>')) /* "<not counted>" */
        return (size_t)(strchr(text, '>') + 1 - text);
    if (number)
        return isdigit((unsigned char)*text) || strchr("+-.", *text)
                   ? strspn(text, grouped ? "+-.0123456789eE," : "+-.0123456789eE")
                   : 0;
    if (*next == ' ')
        return strcspn(text, " \t");
    if (!*next || *next == '{')
        return strlen(text);
    char literal[32];
    (void)snprintf(literal, sizeof literal, "%.*s", (int)strcspn(next, "{ *"), next);
    const char *stop = *literal ? strstr(text, literal) : text + strlen(text);
    return stop ? (size_t)(stop - text) : 0;
}

/* Pass "*" over the text up to the literal after it; NULL = not found. */
static const char *match_any(const char *template, const char *text)
{
    char literal[64];
    (void)snprintf(literal, sizeof literal, "%.*s", (int)strcspn(template, "{*"), template);
    return *literal ? strstr(text, literal) : text + strlen(text);
}

/* Take a hole as a cell. Returns the end of its text, NULL = no match. */
static const char *match_hole(struct wtl_record *record,
                              const char *template,
                              const char *stop,
                              const char *text)
{
    struct wattle_error err;
    bool number = stop[-1] == '#';
    const char *name =
        wtl_record_keep(record, template + 1, (size_t)(stop - template) - 1 - number);
    size_t n = hole_length(text, number, record->format->thousands, stop + 1);
    bool empty = !number && stop[1] && stop[1] != ' ' && *text == stop[1];
    if ((n == 0 && !empty) ||
        wtl_record_add(record, name, wtl_record_keep(record, text, n), &err) < 0)
        return NULL;
    return text + n;
}

/* Match a template at the begin of a text and add its cells. Returns the end of what matched, NULL = no match. */
static const char *match(struct wtl_record *record, const char *template, const char *text)
{
    while (*template && text) {
        if (*template == ' ') {
            size_t blanks = strspn(text, " \t");
            if (!blanks && *text && template[1])
                return NULL;
            text += blanks;
            template ++;
        } else if (*template == '*') {
            template += strspn(template, "*");
            text = match_any(template, text);
        } else if (*template == '{') {
            const char *stop = strchr(template, '}');
            text = stop ? match_hole(record, template, stop, text) : NULL;
            template = stop ? stop + 1 : "";
        } else if (*template ++ != *text++) {
            return NULL;
        }
    }
    return text;
}

/* Apply one template, from this text on or wherever it matches. 1: it has matched, 0, -errno. */
static int apply(struct wtl_record *record,
                 const char *template,
                 bool repeats,
                 const char *text,
                 struct wattle_error *err)
{
    int any = 0;
    for (const char *p = text; *p;) {
        record->count = record->own = record->used = 0;
        const char *stop = match(record, template, p);
        bool hit = stop && (repeats || !*stop);
        int rc = hit ? wtl_record_take(record, err) : 0;
        if (rc < 0)
            return rc;
        any |= hit;
        if (!repeats)
            break;
        p = stop && stop > p ? stop : p + strcspn(p, " \t");
        p += strspn(p, " \t");
    }
    return any;
}

/* Must the format understand this line? */
static bool is_expected(const struct wtl_record *record, const char *text)
{
    const char *expect = record->format->expect;
    return *text != '\0' && *text != '#' && expect && wtl_glob(expect, text);
}

static void done(void *context)
{
    struct wtl_record *record = context;
    free(record->header);
    free(record->seen);
    free(record);
}

/* The shapes: one line of the file, which may be modified. */
static int record_template_line(struct wtl_record *record,
                                char *text,
                                size_t n,
                                struct wattle_error *err)
{
    const char *begin = text + strspn(text, " \t");
    bool done = false;
    (void)n;
    if (record->format->stop && wtl_glob(record->format->stop, begin))
        record->stopped = true;
    for (size_t i = 0; i < record->format->lines.count && !record->stopped; i++) {
        const char *template = record->format->lines.items[i];
        bool repeats = strncmp(template, "** ", 3) == 0;
        if (done && !repeats)
            continue;
        int rc = apply(record, template + (repeats ? 3 : 0), repeats, begin, err);
        if (rc < 0)
            return rc;
        done = done || (rc > 0 && !repeats);
    }
    return done || record->stopped || !is_expected(record, begin)
               ? 0
               : wtl_record_lose(record, begin, err);
}

/* ---- labels ---- */

/* name{label="value",...} number [time] */
static int take_exposition(struct wtl_record *record,
                           char *name,
                           char *brace,
                           struct wattle_error *err)
{
    char *p = brace;
    int rc = 0;
    if (*brace == '{') {
        *p++ = '\0';
        while (*p && *p != '}' && rc == 0) {
            char *label = p + strspn(p, ", "), *equals = strstr(label, "=\"");
            char *stop = equals ? strchr(equals + 2, '"') : NULL;
            if (!stop)
                return 0;
            *equals = *stop = '\0';
            rc = wtl_record_add(record, label, equals + 2, err);
            p = stop + 1;
        }
    }
    if (*p)
        *p++ = '\0';
    char *words[3];
    size_t n = wtl_long_split(p, '\0', words, 3);
    if (rc == 0 && n > 1)
        rc = wtl_record_add(record, "time", words[1], err);
    return rc < 0 || n == 0 ? rc : wtl_record_add(record, name, words[0], err);
}

/* name,tag=value,... field=number,... [time] */
static int take_influx(struct wtl_record *record, char *name, struct wattle_error *err)
{
    char *words[4], full[200];
    size_t n = wtl_long_split(name, '\0', words, 4);
    int rc = n > 2 ? wtl_record_add(record, "time", words[2], err) : 0;
    char *rest = words[0];
    const char *measurement = strsep(&rest, ",");
    for (char *tag; rc == 0 && (tag = strsep(&rest, ",")) != NULL;) {
        char *equals = strchr(tag, '=');
        if (equals) {
            *equals = '\0';
            rc = wtl_record_add(record, tag, equals + 1, err);
        }
    }
    rest = n > 1 ? words[1] : NULL;
    for (char *field; rc == 0 && rest && (field = strsep(&rest, ",")) != NULL;) {
        char *equals = strchr(field, '=');
        size_t length = equals ? strlen(equals) : 0;
        if (!equals)
            continue;
        *equals = '\0';
        if (length > 1 && (equals[length - 1] == 'i' || equals[length - 1] == 'u'))
            equals[length - 1] = '\0';
        int used = snprintf(full, sizeof full, "%.90s.%.90s", measurement, field);
        rc = wtl_record_add(record, wtl_record_keep(record, full, (size_t)used), equals + 1, err);
    }
    return rc;
}

/* The shapes: one line of the file, which may be modified. */
static int record_labels_line(struct wtl_record *record,
                              char *text,
                              size_t n,
                              struct wattle_error *err)
{
    if (n == 0 || *text == '#')
        return 0;
    record->count = record->own = record->used = 0;
    char *stop = text + strcspn(text, "{, ");
    int rc = *stop == ',' || (*stop == ' ' && strchr(stop, '='))
                 ? take_influx(record, text, err)
                 : take_exposition(record, text, stop, err);
    return rc < 0 ? rc : wtl_record_take(record, err);
}

/* ---- open ---- */

static int take_end(struct wtl_record *record, struct wattle_error *err)
{
    bool waits = record->waits && !record->has_time;
    bool open = record->depth > 0;
    record->form.any = false;
    record->form.midnight_ns = 0;
    record->count = record->own = record->used = record->depth = record->width = 0;
    record->path[0] = '\0';
    record->json = WTL_JSON_BEGIN;
    record->stopped = false;
    record->waits = record->has_time = record->timed_rows = false;
    record->time_ns = 0;
    record->series_count = 0;
    if (record->seen)
        memset(record->seen, 0, record->seen_room);
    if (waits)
        return wtl_fail(
            err, -EBADMSG,
            "%s: the recording has no times; give the time between rows, such as --time every:1s",
            record->table->path);
    if (open && !record->state->scanning)
        wtl_long_cut_off(record->table);
    return 0;
}

static int take_line(struct wtl_import_table *table,
                     struct wtl_long_state *state,
                     char *text,
                     size_t n,
                     struct wattle_error *err)
{
    struct wtl_record *record = state->context;
    record->table = table;
    record->state = state;
    if (!text)
        return take_end(record, err);
    switch (record->format->shape) {
    case WTL_SHAPE_LINES:
        return record_template_line(record, text, n, err);
    case WTL_SHAPE_JSON:
        return record_json_line(record, text, n, err);
    case WTL_SHAPE_LABELS:
        return record_labels_line(record, text, n, err);
    default:
        return record_table_line(record, text, n, err);
    }
}

/* "NAME[+NAME][:UNIT[:EPOCH]]". */
static void take_time_option(struct wtl_record *record, const char *text, const char *zone)
{
    char copy[160];
    (void)snprintf(copy, sizeof copy, "%s", text ? text : "");
    record->form.point = record->format->point;
    record->form.zone = zone;
    record->form.epoch = (enum wtl_time_epoch)wtl_import_take_suffix(copy, wtl_time_epoch_names);
    record->form.unit = (enum wtl_time_unit)wtl_import_take_suffix(copy, wtl_time_unit_names);
    char *plus = strchr(copy, '+');
    if (plus)
        *plus = '\0';
    (void)snprintf(record->time_name[0], sizeof record->time_name[0], "%.63s", copy);
    (void)snprintf(record->time_name[1], sizeof record->time_name[1], "%.63s",
                   plus ? plus + 1 : "");
}

int wtl_record_table_open(const char *path,
                          struct wtl_text_source *source,
                          const struct wtl_table_options *options,
                          const struct wtl_file_format *format,
                          struct wtl_import_table **ret_table,
                          struct wattle_error *err)
{
    struct wtl_record *record = calloc(1, sizeof *record);
    if (!record) {
        wtl_text_source_close(source);
        return wtl_no_memory_for(err, "%s", path);
    }
    record->format = format;
    record->lenient = options->lenient;
    record->separator = options->separator ? options->separator : format->separator;
    record->long_format = (struct wtl_long_format){.name = format->name,
                                                   .what = format->about,
                                                   .line = take_line,
                                                   .context = record,
                                                   .done = done,
                                                   .from_zero = format->from_zero,
                                                   .first = format->first,
                                                   .sorted = format->sorted,
                                                   .may_have_time = true,
                                                   .ends_lines = format->shape != WTL_SHAPE_JSON};
    bool own_time = options->time && strncmp(options->time, "every:", 6) != 0;
    take_time_option(record, own_time ? options->time : format->time, options->zone);
    return wtl_long_table_open(path, source, options, &record->long_format, ret_table, err);
}
