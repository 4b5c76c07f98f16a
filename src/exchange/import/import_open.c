/* SPDX-License-Identifier: BSD-3-Clause */
/* Which format a file has, and who reads it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/formats/format_record.h"
#include "exchange/import/import.h"

enum { HEAD = 100 };

#define NAME(UPPER, lower)  #lower,
#define OPENS(UPPER, lower) wtl_##lower##_table_open,
const char *const wtl_import_format_names[] = {WTL_IMPORT_FORMATS(NAME) NULL};
static wtl_import_table_open *const opens[] = {WTL_IMPORT_FORMATS(OPENS)};

/* What only the readers of likwid and MonEQ can read, by its first lines. */
static const struct {
    const char *pattern;
    enum wtl_import_format reader;
} own_lines[] = {{"# HWThreads: *", WTL_IMPORT_LIKWID},
                 {"TABLE,Group *", WTL_IMPORT_LIKWID},
                 {"Measure for socket * on CPU *", WTL_IMPORT_LIKWID},
                 {"#Paraver (*", WTL_IMPORT_PARAVER}};

const char *wtl_import_format_name(const struct wtl_import_file *file)
{
    return file->format && file->format != &file->split ? file->format->name
                                                        : wtl_import_format_names[file->reader];
}

/* The first lines, and the source at its begin again. *ret_count of them; to be freed. */
static int read_head(struct wtl_text_source *source,
                     char *lines[HEAD],
                     size_t *ret_count,
                     struct wattle_error *err)
{
    char *line;
    size_t n, bytes = 0;
    int rc = 0;
    *ret_count = 0;
    while (*ret_count < HEAD && bytes < (1 << 20) &&
           (rc = wtl_text_source_next(source, &line, &n, err)) > 0) {
        while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t'))
            n--;
        lines[*ret_count] = strndup(line, n < 65536 ? n : 65536);
        if (!lines[*ret_count])
            return wtl_no_memory_for(err, "the import");
        (*ret_count)++;
        bytes += n;
    }
    return rc < 0 ? rc : wtl_text_source_rewind(source, err);
}

/* A format of the columns named by --split. */
static int make_split(struct wtl_import *import,
                      struct wtl_import_file *file,
                      char *const *lines,
                      size_t count,
                      struct wattle_error *err)
{
    struct wtl_file_format *format = &file->split;
    size_t first = 0;
    while (first < count && (!*lines[first] || *lines[first] == '#'))
        first++;
    *format = (struct wtl_file_format){.path = strdup("--split"),
                                       .name = strdup("csv"),
                                       .about = strdup("CSV"),
                                       .rest = true,
                                       .point = import->options->table.point,
                                       .thousands = import->options->table.thousands};
    format->know.items = calloc(1, sizeof(char *));
    format->split.items = calloc(import->options->split_count + 1, sizeof(char *));
    if (!format->know.items || !format->split.items || !format->path || !format->name ||
        !format->about)
        return wtl_no_memory_for(err, "the import");
    format->know.items[0] = strdup(first < count ? lines[first] : "");
    format->know.count = 1;
    for (size_t i = 0; i < import->options->split_count; i++)
        format->split.items[format->split.count++] = strdup(import->options->split[i]);
    if (!import->options->table.time)
        return wtl_fail(err, -EINVAL,
                        "%s: --split needs the time column, such as --time 'timestamp:iso'",
                        file->path);
    file->format = format;
    return 0;
}

/* By its first lines, unless an option says it. */
static int choose_format(struct wtl_import *import,
                         struct wtl_import_file *file,
                         char *const *lines,
                         size_t count,
                         struct wattle_error *err)
{
    const struct wtl_import_options *options = import->options;
    if (options->split_count)
        return make_split(import, file, lines, count, err);
    if (options->from) {
        file->format = options->formats ? wtl_format_find(options->formats, options->from) : NULL;
        return 0;
    }
    int rc = options->formats
                 ? wtl_format_recognise(options->formats, file->path, (const char *const *)lines,
                                        count, &file->format, err)
                 : 0;
    for (size_t k = 0; rc == 0 && !file->format && k < count; k++) {
        for (size_t i = 0; i < sizeof own_lines / sizeof *own_lines; i++) {
            if (wtl_glob(own_lines[i].pattern, lines[k]))
                file->reader = own_lines[i].reader;
        }
    }
    return rc;
}

static int find_format(struct wtl_import *import,
                       struct wtl_import_file *file,
                       struct wtl_text_source *source,
                       struct wattle_error *err)
{
    char *lines[HEAD];
    size_t count = 0;
    const char *from = import->options->from;
    file->reader = WTL_IMPORT_CSV;
    for (int i = 0; from && wtl_import_format_names[i]; i++) {
        if (strcmp(wtl_import_format_names[i], from) == 0)
            file->reader = (enum wtl_import_format)i;
    }
    if (file->reader == WTL_IMPORT_MONEQ)
        return 0;
    int rc = read_head(source, lines, &count, err);
    rc = rc < 0 ? rc : choose_format(import, file, lines, count, err);
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    return rc;
}

/* Each row is one sample of all columns: read as CSV. */
static bool is_wide(const struct wtl_file_format *format)
{
    return format->shape == WTL_SHAPE_TABLE && !format->split.count && !format->key &&
           !format->samples && !format->skip.count && !format->header && !format->first &&
           !format->from_zero;
}

/* Its main file is not text: recognised by its name. */
static bool is_otf2(const struct wtl_import *import, const struct wtl_import_file *file)
{
    const char *from = import->options->from;
    size_t n = strlen(file->path);
    return from ? strcmp(from, "otf2") == 0 : n > 5 && strcmp(file->path + n - 5, ".otf2") == 0;
}

int wtl_import_open(struct wtl_import *import,
                    struct wtl_import_file *file,
                    struct wattle_error *err)
{
    struct wtl_text_source *source = NULL;
    struct wtl_table_options options = import->options->table;
    if (is_otf2(import, file)) {
        file->reader = WTL_IMPORT_OTF2;
        options.part = import->options->node;
        if (!file->compression)
            file->compression = strdup("none");
        return wtl_otf2_table_open(file->path, NULL, &options, &file->table, err);
    }
    int rc = wtl_text_source_open(file->path, &source, err);
    if (rc < 0)
        return rc;
    if (!file->compression) { /* the first time */
        file->compression = strdup(wtl_text_source_compression(source));
        rc = find_format(import, file, source, err);
        if (rc < 0) {
            wtl_text_source_close(source);
            return rc;
        }
    }
    if (import->options->progress)
        wtl_text_source_watch(source, import->options->progress, import->options->progress_context);
    options.format = file->format;
    if (!options.zone && file->format)
        options.zone = file->format->zone;
    if (options.zone && !wtl_time_has_zone(options.zone)) {
        wtl_text_source_close(source);
        return wtl_fail(err, -EINVAL,
                        "--zone: \"%.60s\" is no time zone of this system; zones are called as in "
                        "Europe/Berlin, and come with the package tzdata",
                        options.zone);
    }
    if (file->reader == WTL_IMPORT_PARAVER)
        options.part = import->options->node;
    if (file->format && !is_wide(file->format))
        return wtl_record_table_open(file->path, source, &options, file->format, &file->table, err);
    return opens[file->reader](file->path, source, &options, &file->table, err);
}
