/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of a sweep, as a file: see sweep_file.h. */
#define _GNU_SOURCE
#include "tuning/sweep_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"

enum { LONGEST = 1 << 20 };

const char *const wtl_sweep_turbo_names[] = {"leave", "on", "off", "both", NULL};

/* The members, each a line. */
enum form { U64, UNSIGNED, NUMBER, SWITCH, TEXT, TURBO, WORD };

static const struct row {
    const char *key;
    enum form form;
    size_t at;
    uint64_t least, most;
} rows[] = {
    {"seed", U64, offsetof(struct wtl_sweep_order_form, seed), 0, UINT64_MAX},
    {"blocks", UNSIGNED, offsetof(struct wtl_sweep_order_form, blocks), 1, WTL_SWEEP_BLOCKS},
    {"warmup", UNSIGNED, offsetof(struct wtl_sweep_order_form, warmup), 0, 100000},
    {"ignore-failure", SWITCH, offsetof(struct wtl_sweep_order_form, ignore_failure), 0, 1},
    {"slowdown", NUMBER, offsetof(struct wtl_sweep_order_form, slowdown), 0, 0},
    {"interval-ns", U64, offsetof(struct wtl_sweep_order_form, interval_ns), 1, UINT64_MAX},
    {"cooldown-ns", U64, offsetof(struct wtl_sweep_order_form, cooldown_ns), 0, UINT64_MAX},
    {"freq", TEXT, offsetof(struct wtl_sweep_order_form, frequencies), 0, 0},
    {"threads", TEXT, offsetof(struct wtl_sweep_order_form, threads), 0, 0},
    {"power-limit", TEXT, offsetof(struct wtl_sweep_order_form, limits), 0, 0},
    {"turbo", TURBO, offsetof(struct wtl_sweep_order_form, turbo), 0, 0},
    {"metric", TEXT, offsetof(struct wtl_sweep_order_form, metric), 0, 0},
    {"sensors", TEXT, offsetof(struct wtl_sweep_order_form, sensors), 0, 0},
    {"word", WORD, 0, 0, 0},
};

int wtl_sweep_form_text(char **place, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return -ENOMEM;
    free(*place);
    *place = copy;
    return 0;
}

int wtl_sweep_form_word(struct wtl_sweep_order_form *form, const char *word)
{
    if (form->word_count == WTL_SWEEP_WORDS)
        return -E2BIG;
    int rc = wtl_sweep_form_text(&form->words[form->word_count], word);
    form->word_count += rc == 0;
    return rc;
}

void wtl_sweep_form_fini(struct wtl_sweep_order_form *form)
{
    free(form->frequencies);
    free(form->threads);
    free(form->limits);
    free(form->metric);
    free(form->sensors);
    for (size_t i = 0; i < form->word_count; i++)
        free(form->words[i]);
    *form = (struct wtl_sweep_order_form){0};
}

/* ---- writing ---- */

static void write_text(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, "%s ", key);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        (void)(*at < ' ' || *at == '%' || *at == 127 ? fprintf(out, "%%%02X", *at)
                                                     : fputc(*at, out));
    (void)fputc('\n', out);
}

static void write_row(FILE *out, const struct row *row, const struct wtl_sweep_order_form *form)
{
    const void *at = (const char *)form + row->at;
    switch (row->form) {
    case U64:
        (void)fprintf(out, "%s %llu\n", row->key, (unsigned long long)*(const uint64_t *)at);
        break;
    case UNSIGNED:
        (void)fprintf(out, "%s %u\n", row->key, *(const unsigned *)at);
        break;
    case NUMBER:
        (void)fprintf(out, "%s %.17g\n", row->key, *(const double *)at);
        break;
    case SWITCH:
        (void)fprintf(out, "%s %d\n", row->key, *(const bool *)at);
        break;
    case TURBO:
        (void)fprintf(out, "%s %s\n", row->key, wtl_sweep_turbo_names[form->turbo]);
        break;
    case TEXT:
        if (*(char *const *)at)
            write_text(out, row->key, *(char *const *)at);
        break;
    case WORD:
        for (size_t i = 0; i < form->word_count; i++)
            write_text(out, row->key, form->words[i]);
    }
}

/* Flush to the disk and close. */
static int finish(FILE *out)
{
    int rc = fflush(out) != 0 || fsync(fileno(out)) < 0 ? -errno : ferror(out) ? -EIO : 0;
    return fclose(out) != 0 && rc == 0 ? -errno : rc;
}

int wtl_sweep_file_write(const char *folder,
                         const struct wtl_sweep_order_form *form,
                         struct wattle_error *err)
{
    char path[4096], temporary[4096];
    int n = snprintf(path, sizeof path, "%s/" WTL_SWEEP_FILE, folder);
    int m =
        snprintf(temporary, sizeof temporary, "%s/." WTL_SWEEP_FILE ".%d", folder, (int)getpid());
    if (n < 0 || m < 0 || (size_t)n >= sizeof path || (size_t)m >= sizeof temporary)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    FILE *out = fopen(temporary, "wxe");
    if (!out)
        return wtl_fail(err, -errno, "%s: %s", temporary, wtl_strerror(errno));
    (void)fprintf(out, "wattle-sweep 1\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        write_row(out, &rows[i], form);
    (void)fprintf(out, "end\n");
    int rc = finish(out);
    if (rc == 0 && rename(temporary, path) < 0)
        rc = -errno;
    if (rc < 0)
        (void)unlink(temporary);
    return rc < 0 ? wtl_fail(err, rc, "cannot write %s: %s", path, wtl_strerror(rc)) : 0;
}

/* ---- reading ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undo write_text() in place. */
static int unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = hex(from[1]), low = high < 0 ? -1 : hex(from[2]);
        if (low < 0 || (high == 0 && low == 0))
            return -EBADMSG;
        *to++ = (char)(high * 16 + low);
        from += 2;
    }
    *to = '\0';
    return 0;
}

static int read_number(const struct row *row, const char *value, void *at)
{
    uint64_t number;
    if (wtl_parse_u64(value, &number) < 0 || number < row->least || number > row->most)
        return -EBADMSG;
    if (row->form == U64)
        *(uint64_t *)at = number;
    else if (row->form == UNSIGNED)
        *(unsigned *)at = (unsigned)number;
    else
        *(bool *)at = number == 1;
    return 0;
}

static int read_turbo(const char *value, enum wtl_sweep_turbo *ret)
{
    for (unsigned i = 0; wtl_sweep_turbo_names[i]; i++) {
        if (strcmp(value, wtl_sweep_turbo_names[i]) == 0) {
            *ret = (enum wtl_sweep_turbo)i;
            return 0;
        }
    }
    return -EBADMSG;
}

static int read_row(const struct row *row, char *value, struct wtl_sweep_order_form *form)
{
    void *at = (char *)form + row->at;
    double real;
    switch (row->form) {
    case NUMBER:
        if (wtl_parse_double(value, &real) < 0 || !(real > 0 && real < 100))
            return -EBADMSG;
        *(double *)at = real;
        return 0;
    case TURBO:
        return read_turbo(value, &form->turbo);
    case TEXT:
        return unescape(value) < 0 ? -EBADMSG : wtl_sweep_form_text(at, value);
    case WORD:
        return unescape(value) < 0 ? -EBADMSG : wtl_sweep_form_word(form, value);
    default:
        return read_number(row, value, at);
    }
}

static int read_line(char *line, struct wtl_sweep_order_form *form)
{
    char *value = strchr(line, ' ');
    if (!value)
        return -EBADMSG;
    *value++ = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, line) == 0)
            return read_row(&rows[i], value, form);
    }
    return -EBADMSG;
}

int wtl_sweep_file_parse(const char *text,
                         size_t n,
                         struct wtl_sweep_order_form *ret_form,
                         struct wattle_error *err)
{
    char *copy = malloc(n + 1), *rest = copy, *line;
    int rc = copy ? 0 : -ENOMEM, number = 0;
    bool ended = false;
    *ret_form = (struct wtl_sweep_order_form){.slowdown = 0.05, .interval_ns = 100000000};
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    while (rc == 0 && !ended && (line = strsep(&rest, "\n"))) {
        number++;
        if (number == 1)
            rc = strcmp(line, "wattle-sweep 1") == 0 ? 0 : -EBADMSG;
        else if (strcmp(line, "end") == 0)
            ended = true;
        else
            rc = read_line(line, ret_form);
    }
    free(copy);
    if (rc == 0 && (!ended || ret_form->word_count == 0 || ret_form->blocks == 0))
        rc = -EBADMSG;
    return rc < 0 ? wtl_fail(err, rc, "line %d is not one of a plan of \"wattle sweep\"", number)
                  : 0;
}

int wtl_sweep_file_read(const char *folder,
                        struct wtl_sweep_order_form *ret_form,
                        struct wattle_error *err)
{
    char path[4096];
    struct wattle_error why = {""};
    *ret_form = (struct wtl_sweep_order_form){0};
    int n = snprintf(path, sizeof path, "%s/" WTL_SWEEP_FILE, folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return wtl_fail(err, -errno, "%s: %s; name the folder of a sweep", path,
                        wtl_strerror(errno));
    char *text = malloc(LONGEST);
    ssize_t used = text ? 0 : -ENOMEM, more = 1;
    while (used >= 0 && used < LONGEST && more > 0) {
        more = read(fd, text + used, (size_t)(LONGEST - used));
        used = more < 0 ? -errno : used + more;
    }
    (void)close(fd);
    int rc = used < 0 ? (int)used : wtl_sweep_file_parse(text, (size_t)used, ret_form, &why);
    free(text);
    return rc < 0 ? wtl_fail(err, rc, "%s: %s", path, why.text[0] ? why.text : wtl_strerror(rc))
                  : 0;
}
