/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the traces of a run are, and which of them cannot be read. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_state.h"
#include "base/fail.h"
#include "base/grow.h"
#include "model/flag.h"
#include "model/meta_key.h"

void wtl_run_parts_fini(struct wtl_run_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free((char *)(uintptr_t)parts->parts[i].name);
    free(parts->parts);
    *parts = (struct wtl_run_parts){0};
}

static int add_part(struct wtl_run_parts *parts, const struct wtl_trace_part *part)
{
    if (wtl_grow(&parts->parts, parts->count, sizeof *parts->parts) < 0)
        return -ENOMEM;
    parts->parts[parts->count++] = *part;
    return 0;
}

/* A run file with an unreadable index is kept as one item: reading it as a trace will report the
 * error. */
static int add_path(struct wtl_run_parts *parts, const char *path)
{
    struct wtl_run_file file;
    struct wtl_trace_part part = {.path = path, .length = UINT64_MAX};
    if (wtl_run_file_is(path) <= 0 || wtl_run_file_read(path, &file, NULL) < 0)
        return add_part(parts, &part);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < file.count; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s: %s", path, file.members[i].name) < 0)
            name = NULL;
        part.name = name;
        part.offset = file.members[i].offset;
        part.length = file.members[i].length;
        rc = name ? add_part(parts, &part) : -ENOMEM;
        if (rc < 0)
            free(name);
    }
    wtl_run_file_fini(&file);
    return rc;
}

int wtl_run_parts_of(const struct wtl_trace_list *list,
                     struct wtl_run_parts *ret_parts,
                     struct wattle_error *err)
{
    struct wtl_run_parts parts = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        rc = add_path(&parts, list->paths[i]);
    if (rc < 0) {
        wtl_run_parts_fini(&parts);
        return wtl_no_memory_for(err, "%zu traces", list->count);
    }
    *ret_parts = parts;
    return 0;
}

/* A message without the path it begins with: the path is stored separately. */
static void take_why(struct wtl_run_refused *refused, const char *text)
{
    size_t n = strlen(refused->path);
    if (strncmp(text, refused->path, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        text += n + 2;
    (void)snprintf(refused->why, sizeof refused->why, "%.*s", (int)sizeof refused->why - 1, text);
}

static int open_part(const struct wtl_trace_part *part,
                     struct wtl_trace_reader **ret_reader,
                     struct wattle_error *err)
{
    struct wtl_run_file file;
    int rc = wtl_trace_reader_open_part(part, ret_reader, err);
    if (rc == -EBADMSG && part->length == UINT64_MAX && wtl_run_file_is(part->path) > 0 &&
        wtl_run_file_read(part->path, &file, err) == 0)
        wtl_run_file_fini(&file); /* repaired in the meantime: not in this call */
    return rc;
}

/* What the run file says is missing is recorded on its first member, so that it travels with the
 * rows. */
static int take_index(const struct wtl_trace_part *part, struct wtl_run_row *row)
{
    struct wtl_run_file file;
    int rc = 0;
    if (part->offset != WTL_RUN_FILE_FIRST || wtl_run_file_is(part->path) <= 0 ||
        wtl_run_file_read(part->path, &file, NULL) < 0)
        return 0;
    if (file.group && file.group[0]) {
        (void)snprintf(row->group, sizeof row->group, "%.63s", file.group);
        rc = wtl_run_row_flag(row, WTL_FLAG_RANKS, "only the nodes that ran ranks %s", row->group);
    }
    if (rc == 0 && file.left_count > 0)
        rc = wtl_run_row_flag(row, WTL_FLAG_LEFT_OUT, "created without %zu trace%s: %.60s: %.90s%s",
                              file.left_count, file.left_count == 1 ? "" : "s", file.left[0].name,
                              file.left[0].why, file.left_count == 1 ? "" : " ..");
    wtl_run_file_fini(&file);
    return rc;
}

int wtl_run_part_read(const struct wtl_trace_part *part,
                      const struct wtl_run_selection *options,
                      struct wtl_run_row *ret_row,
                      struct wtl_run_refused *ret_refused,
                      struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wattle_error why = {""};
    *ret_refused = (struct wtl_run_refused){0};
    int rc = open_part(part, &reader, &why);
    bool ranks =
        options && (options->ranks || (options->groups && rc == 0 &&
                                       wtl_trace_reader_meta(reader, WTL_META_RUN_GROUPS)));
    rc = rc < 0 ? rc : wtl_run_row_read(reader, part, ranks, ret_row, &why);
    wtl_trace_reader_close(reader);
    if (rc == 0 && (rc = take_index(part, ret_row)) < 0)
        wtl_run_row_fini(ret_row);
    if (rc == 0)
        return 0;
    const char *name = part->name ? part->name : part->path;
    if (rc != -ENOMEM)
        ret_refused->path = strdup(name);
    if (!ret_refused->path)
        return wtl_no_memory(err);
    take_why(ret_refused, why.text);
    return 0;
}

void wtl_run_gathered_fini(struct wtl_run_gathered *gathered)
{
    for (size_t i = 0; i < gathered->row_count; i++)
        wtl_run_row_fini(&gathered->rows[i]);
    for (size_t i = 0; i < gathered->refused_count; i++)
        free(gathered->refused[i].path);
    free(gathered->rows);
    free(gathered->refused);
    *gathered = (struct wtl_run_gathered){0};
}
