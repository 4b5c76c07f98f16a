/* SPDX-License-Identifier: BSD-3-Clause */
/* Format files: see format.h. The keys are one table. */
#define _GNU_SOURCE
#include "exchange/formats/format.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/ini.h"
#include "base/fail.h"
#include "base/grow.h"
#include "exchange/import/target.h"

enum form { TEXT, LIST, FLAG, SHAPE, SIGN };

static const struct {
    const char *name;
    enum form form;
    size_t at;
} keys[] = {{"name", TEXT, offsetof(struct wtl_file_format, name)},
            {"about", TEXT, offsetof(struct wtl_file_format, about)},
            {"shape", SHAPE, offsetof(struct wtl_file_format, shape)},
            {"know", LIST, offsetof(struct wtl_file_format, know)},
            {"separator", SIGN, offsetof(struct wtl_file_format, separator)},
            {"decimal", SIGN, offsetof(struct wtl_file_format, point)},
            {"header", TEXT, offsetof(struct wtl_file_format, header)},
            {"time", TEXT, offsetof(struct wtl_file_format, time)},
            {"zone", TEXT, offsetof(struct wtl_file_format, zone)},
            {"expect", TEXT, offsetof(struct wtl_file_format, expect)},
            {"stop", TEXT, offsetof(struct wtl_file_format, stop)},
            {"cover", TEXT, offsetof(struct wtl_file_format, cover)},
            {"record", TEXT, offsetof(struct wtl_file_format, record)},
            {"key", TEXT, offsetof(struct wtl_file_format, key)},
            {"value", TEXT, offsetof(struct wtl_file_format, value)},
            {"unit", TEXT, offsetof(struct wtl_file_format, unit)},
            {"split", LIST, offsetof(struct wtl_file_format, split)},
            {"line", LIST, offsetof(struct wtl_file_format, lines)},
            {"column", LIST, offsetof(struct wtl_file_format, columns)},
            {"ignore", LIST, offsetof(struct wtl_file_format, ignore)},
            {"skip", LIST, offsetof(struct wtl_file_format, skip)},
            {"missing", LIST, offsetof(struct wtl_file_format, missing)},
            {"samples", FLAG, offsetof(struct wtl_file_format, samples)},
            {"time-follows", FLAG, offsetof(struct wtl_file_format, time_follows)},
            {"from-zero", FLAG, offsetof(struct wtl_file_format, from_zero)},
            {"first", FLAG, offsetof(struct wtl_file_format, first)},
            {"thousands", FLAG, offsetof(struct wtl_file_format, thousands)},
            {"sorted", FLAG, offsetof(struct wtl_file_format, sorted)},
            {"rest", FLAG, offsetof(struct wtl_file_format, rest)}};

static const char *const shapes[] = {"table", "lines", "json", "labels", NULL};
static const struct {
    const char *word;
    char sign;
} signs[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'},
             {"bar", '|'},   {"blank", ' '},     {"point", '.'}};

static void free_texts(struct wtl_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
}

void wtl_format_fini(struct wtl_file_format *format)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *place = (char *)format + keys[i].at;
        if (keys[i].form == TEXT)
            free(*(char **)place);
        else if (keys[i].form == LIST)
            free_texts((struct wtl_texts *)place);
    }
    free(format->path);
    *format = (struct wtl_file_format){.name = NULL};
}

static int bad(const struct wtl_ini *ini,
               struct wattle_error *err,
               const char *what,
               const char *word)
{
    return wtl_fail(err, -EBADMSG, "%s:%u: %s \"%.80s\"; see docs/format/import.md", ini->file,
                    ini->number, what, word);
}

static int store_text(char **place, const char *value)
{
    free(*place);
    *place = strdup(value);
    return *place ? 0 : -ENOMEM;
}

static int store_item(struct wtl_texts *texts, const char *value)
{
    size_t n = strlen(value);
    bool quoted = n > 1 && value[0] == '"' && value[n - 1] == '"'; /* keeps blanks at its ends */
    char *copy = quoted ? strndup(value + 1, n - 2) : strdup(value);
    if (!copy || wtl_grow(&texts->items, texts->count, sizeof *texts->items) < 0) {
        free(copy);
        return -ENOMEM;
    }
    texts->items[texts->count++] = copy;
    return 0;
}

static int store_sign(char *place, const char *value)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strcmp(signs[i].word, value) == 0) {
            *place = signs[i].sign;
            return 0;
        }
    }
    return -EINVAL;
}

static int store_shape(enum wtl_format_shape *place, const char *value)
{
    for (int i = 0; shapes[i]; i++) {
        if (strcmp(shapes[i], value) == 0) {
            *place = (enum wtl_format_shape)i;
            return 0;
        }
    }
    return -EINVAL;
}

/* Store the value of a key. 0, -EINVAL, -ENOMEM. */
static int store(char *place, enum form form, const char *value)
{
    switch (form) {
    case TEXT:
        return store_text((char **)place, value);
    case LIST:
        return store_item((struct wtl_texts *)place, value);
    case SIGN:
        return store_sign(place, value);
    case SHAPE:
        return store_shape((enum wtl_format_shape *)place, value);
    default:
        *(bool *)place = strcmp(value, "yes") == 0;
        return *(bool *)place || strcmp(value, "no") == 0 ? 0 : -EINVAL;
    }
}

/* A target with its cells in braces replaced by a number must be valid. */
static int check_target(const struct wtl_ini *ini, const char *text, struct wattle_error *err)
{
    const char *equals = strrchr(text, '=');
    char plain[200];
    size_t n = 0;
    struct wtl_meaning meaning = {.sub = -1};
    for (const char *p = equals ? equals + 1 : ""; *p && n + 2 < sizeof plain; p++) {
        if (*p == '{') {
            const char *stop = strchr(p, '}');
            if (!stop)
                return bad(ini, err, "unclosed brace in", text);
            bool first = n == 0 || plain[n - 1] == ' ';
            plain[n++] = first ? 'x' : '0';
            p = stop;
        } else {
            plain[n++] = *p;
        }
    }
    plain[n] = '\0';
    if (n == 0 || wtl_target_take(&meaning, plain, NULL) < 0 || !meaning.has_quantity ||
        meaning.kind == WTL_IMPORT_AUTO)
        return bad(ini, err, "a column needs PATTERN=PLACE:QUANTITY:UNIT:KIND, but this is", text);
    return 0;
}

static int take_pair(struct wtl_ini *ini,
                     const struct wtl_ini_line *line,
                     struct wtl_file_format *format,
                     struct wattle_error *err)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, line->name) != 0)
            continue;
        int rc = store((char *)format + keys[i].at, keys[i].form, line->value);
        if (rc == -ENOMEM)
            return wtl_no_memory_for(err, "%s", ini->file);
        if (rc < 0)
            return bad(ini, err, "invalid value", line->value);
        return strcmp(line->name, "column") == 0 ? check_target(ini, line->value, err) : 0;
    }
    return bad(ini, err, "unknown key", line->name);
}

static int check_whole(const struct wtl_file_format *format, struct wattle_error *err)
{
    const char *lacks = !format->name                                                  ? "name"
                        : !format->about                                               ? "about"
                        : format->know.count == 0                                      ? "know"
                        : format->columns.count == 0 && !format->rest                  ? "column"
                        : format->shape == WTL_SHAPE_LINES && format->lines.count == 0 ? "line"
                        : format->shape == WTL_SHAPE_JSON && !format->record           ? "record"
                        : !!format->key != !!format->value ? "key and value"
                                                           : NULL;
    if (format->name &&
        (strlen(format->name) > 15 ||
         format->name[strspn(format->name, "abcdefghijklmnopqrstuvwxyz0123456789_")]))
        return wtl_fail(err, -EBADMSG,
                        "%s: \"%.40s\" is not a name of at most 15 of a-z, 0-9 and _", format->path,
                        format->name);
    if (lacks)
        return wtl_fail(err, -EBADMSG, "%s: the format lacks \"%s\"; see docs/format/import.md",
                        format->path, lacks);
    return 0;
}

int wtl_format_parse(const char *path,
                     const char *text,
                     size_t size,
                     struct wtl_file_format *ret_format,
                     struct wattle_error *err)
{
    struct wtl_ini ini = wtl_ini_of(path, text, size);
    struct wtl_ini_line line;
    struct wtl_file_format format = {.path = strdup(path)};
    int rc = format.path ? 0 : wtl_no_memory_for(err, "%s", path);
    while (rc >= 0 && (rc = wtl_ini_next(&ini, &line, err)) > 0) {
        if (line.kind == WTL_INI_SECTION && strcmp(line.name, "format") != 0)
            rc = bad(&ini, err, "unknown section", line.name);
        else if (line.kind == WTL_INI_PAIR)
            rc = take_pair(&ini, &line, &format, err);
    }
    rc = rc < 0 ? rc : check_whole(&format, err);
    if (rc < 0)
        wtl_format_fini(&format);
    else
        *ret_format = format;
    return rc;
}

/* ---- all ---- */

static int add_file(struct wtl_formats *formats, const char *path, struct wattle_error *err)
{
    struct wtl_file_format format;
    char *text = NULL;
    size_t n = 0;
    int rc = wtl_ini_load(wtl_world_real(), path, &text, &n, err);
    if (rc == -ENOENT)
        return 0; /* by now */
    rc = rc < 0 ? rc : wtl_format_parse(path, text, n, &format, err);
    free(text);
    if (rc < 0 && rc != -ENOMEM)
        return store_item(&formats->broken, err->text) < 0 ? wtl_no_memory_for(err, "%s", path) : 0;
    if (rc < 0)
        return rc;
    if (wtl_format_find(formats, format.name)) {
        wtl_format_fini(&format);
        return 0;
    }
    if (wtl_grow(&formats->items, formats->count, sizeof *formats->items) < 0) {
        wtl_format_fini(&format);
        return wtl_no_memory_for(err, "%s", path);
    }
    formats->items[formats->count++] = format;
    return 0;
}

static int is_ini(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 4, ".ini") == 0;
}

int wtl_formats_add(struct wtl_formats *formats, const char *folder, struct wattle_error *err)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_ini, alphasort), rc = 0;
    if (n < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : wtl_fail(err, -errno, "%s: %s", folder, wtl_strerror(errno));
    for (int i = 0; i < n; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        rc = rc < 0 ? rc : add_file(formats, path, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

void wtl_formats_fini(struct wtl_formats *formats)
{
    for (size_t i = 0; i < formats->count; i++)
        wtl_format_fini(&formats->items[i]);
    free(formats->items);
    free_texts(&formats->broken);
    *formats = (struct wtl_formats){.items = NULL};
}

const struct wtl_file_format *wtl_format_find(const struct wtl_formats *formats, const char *name)
{
    for (size_t i = 0; name && i < formats->count; i++) {
        if (strcmp(formats->items[i].name, name) == 0)
            return &formats->items[i];
    }
    return NULL;
}

/* ---- recognition ---- */

bool wtl_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (*pattern == *text || *pattern == '?') {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool is_known(const struct wtl_file_format *format, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < format->know.count; i++) {
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = wtl_glob(format->know.items[i], lines[k]);
        if (!found)
            return false;
    }
    return true;
}

int wtl_format_recognise(const struct wtl_formats *formats,
                         const char *path,
                         const char *const *lines,
                         size_t count,
                         const struct wtl_file_format **ret_format,
                         struct wattle_error *err)
{
    *ret_format = NULL;
    for (size_t i = 0; i < formats->count; i++) {
        const struct wtl_file_format *format = &formats->items[i];
        if (!is_known(format, lines, count))
            continue;
        if (*ret_format)
            return wtl_fail(err, -ENOTUNIQ, "%s: may be of format %s or %s; choose one with --from",
                            path, (*ret_format)->name, format->name);
        *ret_format = format;
    }
    return 0;
}

const char *wtl_format_target(const struct wtl_file_format *format,
                              const char *column,
                              bool *ret_ignored)
{
    *ret_ignored = false;
    for (size_t i = 0; i < format->columns.count; i++) {
        const char *text = format->columns.items[i], *equals = strrchr(text, '=');
        char pattern[256];
        (void)snprintf(pattern, sizeof pattern, "%.*s", (int)(equals - text), text);
        if (wtl_glob(pattern, column))
            return equals + 1;
    }
    *ret_ignored = !format->rest;
    for (size_t i = 0; i < format->ignore.count; i++)
        *ret_ignored = *ret_ignored || wtl_glob(format->ignore.items[i], column);
    return NULL;
}
