/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of administrators: see table_file.h. */
#define _GNU_SOURCE
#include "jobs/table_file.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"

enum { LOAD_MAX = 16 << 20, LOAD_STEP = 65536 };

static char *trim(char *text)
{
    static const char blank[] = " \t\r";
    text += strspn(text, blank);
    size_t n = strlen(text);
    while (n > 0 && strchr(blank, text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* The cells of a line; their number, 0: more than fit. */
static size_t split(char *line, char *cells[WTL_TABLE_CELLS])
{
    size_t n = 0;
    for (size_t i = 0; i < WTL_TABLE_CELLS; i++)
        cells[i] = line + strlen(line);
    for (char *cell; (cell = strsep(&line, ",")) != NULL; n++) {
        if (n == WTL_TABLE_CELLS)
            return 0;
        cells[n] = trim(cell);
    }
    return n;
}

static bool is_header(char *cells[WTL_TABLE_CELLS], size_t n, const char *const columns[])
{
    size_t i = 0;
    for (; columns[i]; i++) {
        bool optional = columns[i][0] == '?';
        if (i >= n && optional)
            continue;
        if (i >= n || strcmp(cells[i], columns[i] + optional) != 0)
            return false;
    }
    return n <= i;
}

/* "from,price-per-kwh" for messages. */
static void header_text(const char *const columns[], char *text, size_t n)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; columns[i] && used < n; i++)
        used += (size_t)snprintf(text + used, n - used, "%s%s", i ? "," : "",
                                 columns[i] + (columns[i][0] == '?'));
}

static int read_lines(char *text,
                      const char *name,
                      const char *const columns[],
                      wtl_table_row_fn *row,
                      void *arg,
                      struct wattle_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some spreadsheets begin so */
    size_t columns_here = 0, number = 0;
    char *line;
    text += strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    while ((line = strsep(&text, "\n")) != NULL) {
        char *cells[WTL_TABLE_CELLS], wanted[160];
        struct wattle_error why = {""};
        number++;
        line = trim(line);
        if (!line[0] || line[0] == '#')
            continue;
        size_t n = split(line, cells);
        if (columns_here == 0) {
            header_text(columns, wanted, sizeof wanted);
            if (!is_header(cells, n, columns))
                return wtl_fail(err, -EBADMSG, "%s:%zu: the first line must be \"%s\"", name,
                                number, wanted);
            columns_here = n;
            continue;
        }
        if (n == 0 || n > columns_here)
            return wtl_fail(err, -EBADMSG, "%s:%zu: more cells than the first line has", name,
                            number);
        int rc = row(arg, cells, &why);
        if (rc < 0)
            return wtl_fail(err, rc, "%s:%zu: %s", name, number, why.text);
    }
    if (columns_here == 0) {
        char wanted[160];
        header_text(columns, wanted, sizeof wanted);
        return wtl_fail(err, -EBADMSG, "%s is empty; its first line must be \"%s\"", name, wanted);
    }
    return 0;
}

int wtl_table_file_read(const char *name,
                        const char *text,
                        size_t size,
                        const char *const columns[],
                        wtl_table_row_fn *row,
                        void *arg,
                        struct wattle_error *err)
{
    if (memchr(text, '\0', size))
        return wtl_fail(err, -EBADMSG, "%s: not a text file", name);
    char *copy = malloc(size + 1);
    if (!copy)
        return wtl_no_memory_for(err, "%s", name);
    memcpy(copy, text, size);
    copy[size] = '\0';
    int rc = read_lines(copy, name, columns, row, arg, err);
    free(copy);
    return rc;
}

int wtl_table_file_load(const char *path,
                        char **ret_text,
                        size_t *ret_size,
                        struct wattle_error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "re");
    size_t size = 0, room = 0, got = 1;
    char *text = NULL;
    if (!file)
        return wtl_fail(err, -errno, "cannot read %s: %s", path, wtl_strerror(errno));
    int rc = 0;
    errno = 0;
    while (rc == 0 && got > 0 && size <= LOAD_MAX) {
        rc = wtl_reserve(&text, &room, size + LOAD_STEP + 1, 1);
        got = rc == 0 ? fread(text + size, 1, LOAD_STEP, file) : 0;
        size += got;
    }
    if (rc == 0 && ferror(file))
        rc = wtl_fail(err, errno ? -errno : -EIO, "cannot read %s: %s", path,
                      wtl_strerror(errno ? errno : EIO));
    else if (rc < 0)
        rc = wtl_no_memory_for(err, "%s", path);
    else if (size > LOAD_MAX)
        rc = wtl_fail(err, -EFBIG, "%s is larger than 16 MiB", path);
    if (!is_input)
        (void)fclose(file);
    if (rc < 0) {
        free(text);
        return rc;
    }
    assert(text);
    text[size] = '\0';
    *ret_text = text;
    *ret_size = size;
    return 0;
}
