/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table, lines of templates, and labelled values as records: see format_record.h. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/formats/format_record.h"
#include "exchange/import/import_words.h"

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

int wtl_record_table_line(struct wtl_record *record, char *text, size_t n, struct wattle_error *err)
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

int wtl_record_template_line(struct wtl_record *record,
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

int wtl_record_labels_line(struct wtl_record *record,
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
