/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of script.tsv: one row per line, three columns separated by tabs (time, path, value). The text is
 * copied once and split in place; rows point into the copy. A value is plain text, a ramp
 * ("100+50/s%4096~976us", optionally followed by a unit) or a word that begins with '!'.
 */
#include "base/world/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/whole.h"

#define RATE_MAX UINT64_C(10000000000000) /* keeps values that grow for 21 days within 64 bits */

static const struct {
    const char *word;
    enum wtl_script_kind kind;
    int error;
} words[] = {
    {"!ok", WTL_SCRIPT_CONTENT, 0},
    {"!stall", WTL_SCRIPT_STALL, 0},
    {"!gone", WTL_SCRIPT_FAILURE, ENOENT},
    {"!EIO", WTL_SCRIPT_FAILURE, EIO},
    {"!ENODEV", WTL_SCRIPT_FAILURE, ENODEV},
    {"!EACCES", WTL_SCRIPT_FAILURE, EACCES},
    {"!EPERM", WTL_SCRIPT_FAILURE, EPERM},
    {"!ENODATA", WTL_SCRIPT_FAILURE, ENODATA},
    {"!EINVAL", WTL_SCRIPT_FAILURE, EINVAL},
    {"!EAGAIN", WTL_SCRIPT_FAILURE, EAGAIN},
    {"!ETIMEDOUT", WTL_SCRIPT_FAILURE, ETIMEDOUT},
};

int wtl_script_ramp(const char *value, struct wtl_script_row *row)
{
    size_t n = strlen(value);
    uint64_t start, rate, modulus = 0, tick_ns = 0;
    int used = wtl_scan_u64(value, n, &start);
    if (used < 0 || (value[used] != '+' && value[used] != '-'))
        return -EINVAL;
    bool falls = value[used] == '-';
    const char *p = value + used + 1;
    used = wtl_scan_u64(p, strlen(p), &rate);
    if (used < 0 || strncmp(p + used, "/s", 2) != 0 || rate > RATE_MAX)
        return -EINVAL;
    p += used + 2;
    if (*p == '%' && !falls) {
        used = wtl_scan_u64(p + 1, strlen(p + 1), &modulus);
        if (used < 0 || modulus == 0)
            return -EINVAL;
        p += used + 1;
    }
    if (*p == '~') {
        if (wtl_parse_duration(p + 1, &tick_ns) < 0 || tick_ns == 0)
            return -EINVAL;
        p += strlen(p);
    }
    if (*p)
        return -EINVAL;
    row->kind = WTL_SCRIPT_RAMP;
    row->start = start;
    row->rate = rate;
    row->falls = falls;
    row->modulus = modulus;
    row->tick_ns = tick_ns;
    return 0;
}

/* Replace the escapes \n \t \\ in place. */
static int unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (*p == '\\') {
            p++;
            if (*p != 'n' && *p != 't' && *p != '\\')
                return -EINVAL;
            *to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : '\\';
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
    return 0;
}

/* A ramp, optionally followed by text. */
static int parse_number(char *value, struct wtl_script_row *row)
{
    char *behind = strchr(value, ' ');
    if (behind)
        *behind = '\0';
    int rc = wtl_script_ramp(value, row);
    if (behind && rc == 0)
        rc = unescape(behind + 1);
    else if (behind)
        *behind = ' ';
    if (rc == 0)
        row->text = behind ? behind + 1 : NULL;
    return rc;
}

static int parse_value(char *value, struct wtl_script_row *row)
{
    if (value[0] == '!') {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (strcmp(words[i].word, value) == 0) {
                row->kind = words[i].kind;
                row->error = words[i].error;
                return 0;
            }
        }
        return -EINVAL;
    }
    if (parse_number(value, row) == 0)
        return 0;
    row->kind = WTL_SCRIPT_TEXT;
    row->text = value;
    return unescape(value);
}

static int parse_line(char *line, struct wtl_script_row *row, struct wattle_error *err)
{
    char *path = strchr(line, '\t');
    char *value = path ? strchr(path + 1, '\t') : NULL;
    if (!value)
        return wtl_fail(err, -EBADMSG,
                        "script: line %u: expected time, path and value, separated by tabs",
                        row->line);
    *path++ = '\0';
    *value++ = '\0';
    if (wtl_parse_duration(line, &row->time_ns) < 0)
        return wtl_fail(err, -EBADMSG, "script: line %u: '%.32s' is not a time", row->line, line);
    if (path[0] != '/')
        return wtl_fail(err, -EBADMSG, "script: line %u: path must begin with '/'", row->line);
    row->path = path;
    if (parse_value(value, row) < 0)
        return wtl_fail(err, -EBADMSG, "script: line %u: value '%.40s' is not understood",
                        row->line, value);
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct wtl_script_row *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    if (order)
        return order;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int parse_lines(struct wtl_script *script, struct wattle_error *err)
{
    unsigned number = 0;
    char *next = script->text;
    while (next && *next) {
        char *line = next;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        struct wtl_script_row *row = &script->rows[script->count];
        *row = (struct wtl_script_row){.line = number};
        int rc = parse_line(line, row, err);
        if (rc < 0)
            return rc;
        script->count++;
    }
    return 0;
}

int wtl_script_parse(const char *text,
                     size_t n,
                     struct wtl_script *ret_script,
                     struct wattle_error *err)
{
    if (memchr(text, '\0', n))
        return wtl_fail(err, -EBADMSG, "script: contains a NUL byte");
    size_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    struct wtl_script script = {.rows = calloc(lines, sizeof *script.rows), .text = malloc(n + 1)};
    int rc = -ENOMEM;
    if (!script.rows || !script.text)
        goto fail;
    memcpy(script.text, text, n);
    script.text[n] = '\0';
    rc = parse_lines(&script, err);
    if (rc < 0)
        goto fail;
    if (script.count > 1)
        wtl_sort(script.rows, script.count, sizeof *script.rows, compare_rows);
    *ret_script = script;
    return 0;
fail:
    wtl_script_fini(&script);
    return rc;
}

void wtl_script_fini(struct wtl_script *script)
{
    free(script->rows);
    free(script->text);
    *script = (struct wtl_script){0};
}

static uint64_t ticked_at(const struct wtl_script_row *row, uint64_t time_ns)
{
    return row->tick_ns ? time_ns - (time_ns - row->time_ns) % row->tick_ns : time_ns;
}

static uint64_t ramp_at(const struct wtl_script_row *row, uint64_t ticked_ns)
{
    uint64_t dt = ticked_ns - row->time_ns;
    uint64_t s = dt / 1000000000u, ns = dt % 1000000000u, whole = row->rate / 1000000000u;
    uint64_t grown = row->rate * s + whole * ns + row->rate % 1000000000u * ns / 1000000000u;
    if (row->falls)
        return row->start > grown ? row->start - grown : 0;
    uint64_t value = row->start + grown;
    return row->modulus ? value % row->modulus : value;
}

struct wtl_script_state wtl_script_at(const struct wtl_script_row *rows,
                                      size_t count,
                                      uint64_t time_ns)
{
    struct wtl_script_state state = {.kind = WTL_SCRIPT_CONTENT};
    while (count > 0 && rows[count - 1].time_ns > time_ns)
        count--;
    /* A stall holds what the preceding rows showed when it began. */
    while (count > 0 && rows[count - 1].kind == WTL_SCRIPT_STALL)
        time_ns = rows[--count].time_ns;
    if (count == 0)
        return state;
    const struct wtl_script_row *row = &rows[count - 1];
    state.kind = row->kind;
    state.error = row->error;
    state.text = row->text;
    if (row->kind == WTL_SCRIPT_RAMP) {
        state.ticked_ns = ticked_at(row, time_ns);
        state.number = ramp_at(row, state.ticked_ns);
    }
    return state;
}
