/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON as records, streamed: objects or arrays at given paths are records, scalars their cells, named by their keys. Values of what
 * contains a record are cells of it, too, if they come before it. Text between documents is skipped, as loggers put dates there; in them
 * a missing comma, bracket or quote is an error, as values would be lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/formats/format_record.h"

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

int wtl_record_json_line(struct wtl_record *record, char *text, size_t n, struct wattle_error *err)
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
