/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of dialogues.tsv, and look-up. The text is copied once and split in place; rows point into the
 * copy. The text form of bytes is handled in dialogue_text.c. */
#define _GNU_SOURCE
#include "base/world/dialogue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/whole.h"
#include "base/world/dialogue_text.h"

/* "!ioctl 0xNUMBER ": the text after it, or NULL. */
static char *skip_number(char *text, uint64_t *ret_number)
{
    char number[24], again[24];
    size_t n = strcspn(text, " ");
    if (n >= sizeof number || text[n] != ' ')
        return NULL;
    memcpy(number, text, n);
    number[n] = '\0';
    if (wtl_parse_hex_u64(number, ret_number) < 0)
        return NULL;
    (void)snprintf(again, sizeof again, "0x%llx", (unsigned long long)*ret_number);
    return strcmp(number, again) == 0 ? text + n + 1 : NULL;
}

static bool is_request(char *text)
{
    uint64_t number;
    if (text[0] != '!')
        return text[0] && wtl_dialogue_is_plain(text, '\0');
    if (strcmp(text, "!open") == 0)
        return true;
    char *parts = strncmp(text, "!ioctl ", 7) == 0 ? skip_number(text + 7, &number) : NULL;
    return parts && wtl_dialogue_is_plain(parts, '|');
}

/* A decimal number up to `most`, ended by the end of the text or a blank. */
static bool take_value(const char *text, uint64_t most, int *ret_value)
{
    uint64_t value;
    int used = wtl_scan_u64(text, strlen(text), &value);
    if (used < 0 || (text[used] && text[used] != ' ') || value > most)
        return false;
    *ret_value = (int)value;
    return true;
}

/* Whether each of its parts is within the size limit. */
static bool fits(const struct wtl_answer *answer, char separator)
{
    char out[WTL_DIALOGUE_BYTES];
    for (const char *part = answer->text; part;) {
        const char *end = separator ? strchr(part, separator) : NULL;
        if (wtl_dialogue_decode(part, end ? (size_t)(end - part) : strlen(part), 0, out,
                                sizeof out) < 0)
            return false;
        part = end ? end + 1 : NULL;
    }
    return true;
}

static bool parse_answer(char *text, struct wtl_answer *answer)
{
    answer->text = text;
    if (text[0] != '!')
        return fits(answer, '\0');
    if (strncmp(text, "!ioctl ", 7) == 0) {
        char *result = skip_number(text + 7, &answer->number);
        char *parts = result ? strchr(result, ' ') : NULL;
        answer->kind = WTL_ANSWER_IOCTL;
        answer->text = parts ? parts + 1 : NULL;
        return parts && take_value(result, INT_MAX, &answer->value) && fits(answer, '|');
    }
    answer->kind = WTL_ANSWER_EXIT;
    if (strncmp(text, "!exit ", 6) == 0)
        return take_value(text + 6, 255, &answer->value) && !strchr(text + 6, ' ');
    answer->kind = strcmp(text, "!silent") == 0  ? WTL_ANSWER_SILENT
                   : strcmp(text, "!close") == 0 ? WTL_ANSWER_CLOSE
                                                 : WTL_ANSWER_FAILURE;
    if (answer->kind == WTL_ANSWER_FAILURE)
        answer->value = wtl_dialogue_error(text);
    return answer->kind != WTL_ANSWER_FAILURE || answer->value > 0;
}

static int parse_row(char *line, struct wtl_answer *row, struct wattle_error *err)
{
    enum { TIME, PEER, REQUEST, ANSWER, DELAY, COLUMNS };
    char *columns[COLUMNS + 1] = {NULL};
    size_t count = 0;
    for (char *column; count <= COLUMNS && (column = strsep(&line, "\t"));)
        columns[count++] = column;
    if (count < DELAY || count > COLUMNS)
        return wtl_fail(
            err, -EBADMSG,
            "dialogues: line %u: expected time, peer, request and answer, separated by tabs",
            row->line);
    row->peer = columns[PEER];
    row->request = columns[REQUEST];
    if (wtl_parse_duration(columns[TIME], &row->time_ns) < 0)
        return wtl_fail(err, -EBADMSG, "dialogues: line %u: '%.32s' is not a time", row->line,
                        columns[TIME]);
    if (!row->peer[0] || !wtl_dialogue_is_plain(row->peer, ' '))
        return wtl_fail(err, -EBADMSG, "dialogues: line %u: peer '%.40s' is not understood",
                        row->line, row->peer);
    if (!is_request(columns[REQUEST]))
        return wtl_fail(err, -EBADMSG, "dialogues: line %u: request '%.40s' is not understood",
                        row->line, row->request);
    if (!parse_answer(columns[ANSWER], row))
        return wtl_fail(err, -EBADMSG, "dialogues: line %u: answer '%.40s' is not understood",
                        row->line, columns[ANSWER]);
    if (columns[DELAY] && wtl_parse_duration(columns[DELAY], &row->delay_ns) < 0)
        return wtl_fail(err, -EBADMSG, "dialogues: line %u: '%.32s' is not a delay", row->line,
                        columns[DELAY]);
    return 0;
}

static int compare_keys(const struct wtl_answer *row, const char *peer, const char *request)
{
    int order = strcmp(row->peer, peer);
    return order ? order : strcmp(row->request, request);
}

static int compare_rows(const void *a, const void *b)
{
    const struct wtl_answer *x = a, *y = b;
    int order = compare_keys(x, y->peer, y->request);
    if (order)
        return order;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int parse_lines(struct wtl_dialogue *dialogue, struct wattle_error *err)
{
    unsigned number = 0;
    char *next = dialogue->text;
    for (char *line; (line = strsep(&next, "\n"));) {
        number++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        struct wtl_answer *row = &dialogue->rows[dialogue->count];
        *row = (struct wtl_answer){.line = number};
        int rc = parse_row(line, row, err);
        if (rc < 0)
            return rc;
        dialogue->count++;
    }
    return 0;
}

int wtl_dialogue_parse(const char *text,
                       size_t n,
                       struct wtl_dialogue *ret_dialogue,
                       struct wattle_error *err)
{
    if (memchr(text, '\0', n))
        return wtl_fail(err, -EBADMSG, "dialogues: contains a NUL byte");
    size_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    struct wtl_dialogue dialogue = {.rows = calloc(lines, sizeof *dialogue.rows),
                                    .text = malloc(n + 1)};
    int rc = dialogue.rows && dialogue.text ? 0 : -ENOMEM;
    if (rc == 0) {
        memcpy(dialogue.text, text, n);
        dialogue.text[n] = '\0';
        rc = parse_lines(&dialogue, err);
    }
    if (rc < 0) {
        wtl_dialogue_fini(&dialogue);
        return rc;
    }
    wtl_sort(dialogue.rows, dialogue.count, sizeof *dialogue.rows, compare_rows);
    *ret_dialogue = dialogue;
    return 0;
}

void wtl_dialogue_fini(struct wtl_dialogue *dialogue)
{
    free(dialogue->rows);
    free(dialogue->text);
    *dialogue = (struct wtl_dialogue){0};
}

/* The first row that does not sort before this peer and request. */
static size_t first_of(const struct wtl_dialogue *dialogue, const char *peer, const char *request)
{
    size_t low = 0, high = dialogue->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&dialogue->rows[middle], peer, request) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool wtl_dialogue_has(const struct wtl_dialogue *dialogue, const char *peer)
{
    size_t at = first_of(dialogue, peer, "");
    return at < dialogue->count && strcmp(dialogue->rows[at].peer, peer) == 0;
}

size_t wtl_dialogue_find(const struct wtl_dialogue *dialogue,
                         const char *peer,
                         const char *request,
                         uint64_t time_ns,
                         const struct wtl_answer **ret_rows)
{
    const struct wtl_answer *rows = dialogue->rows;
    size_t first = first_of(dialogue, peer, request), end = first;
    for (; end < dialogue->count && compare_keys(&rows[end], peer, request) == 0; end++) {
        if (rows[end].time_ns == rows[first].time_ns)
            continue;
        if (rows[end].time_ns > time_ns)
            break;
        first = end;
    }
    if (end > first)
        *ret_rows = &rows[first];
    return end - first;
}
