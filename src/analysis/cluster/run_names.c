/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups traces into runs by name: see run_names.h. */
#define _GNU_SOURCE
#include "analysis/cluster/run_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_set.h"
#include "base/fail.h"
#include "model/meta_key.h"
#include "trace/run_file.h"

/* Traces that belong together, in the order in which their first one was found. */
struct group {
    char *id;      /* "" = unknown: always a separate group */
    size_t length; /* length of their paths with commas */
    size_t first, count;
};

struct grouping {
    struct group *groups;
    size_t count;
    size_t *of; /* the group of each path; SIZE_MAX = skipped */
};

/* ---- grouping ---- */

/* The run.id of a trace or run file, malloc'ed; NULL with the reason. */
static char *read_id(const char *path, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_run_file file;
    char *id = NULL;
    if (wtl_run_file_is(path) > 0) {
        if (wtl_run_file_read(path, &file, err) < 0)
            return NULL;
        id = strdup(file.run_id ? file.run_id : "");
        wtl_run_file_fini(&file);
    } else if (wtl_trace_reader_open(path, &reader, err) == 0) {
        const char *value = wtl_trace_reader_meta(reader, WTL_META_RUN_ID);
        id = strdup(value ? value : "");
        wtl_trace_reader_close(reader);
    } else {
        return NULL;
    }
    if (!id)
        (void)wtl_no_memory(err);
    return id;
}

static size_t find_group(const struct grouping *grouping, const char *id)
{
    size_t g = 0;
    while (g < grouping->count && (!id[0] || strcmp(grouping->groups[g].id, id) != 0))
        g++;
    return g;
}

/* Takes ownership of the id. */
static void add_to_group(struct grouping *grouping, size_t i, const char *path, char *id)
{
    size_t g = find_group(grouping, id);
    struct group *group = &grouping->groups[g];
    if (g == grouping->count) {
        *group = (struct group){.id = id, .first = i};
        grouping->count++;
    } else {
        free(id);
    }
    group->count++;
    group->length += strlen(path) + 1;
    grouping->of[i] = g;
}

/* The reason without the path at its beginning. */
static int leave(struct wtl_trace_list *names, const char *path, const struct wattle_error *why)
{
    const char *text = why->text;
    size_t n = strlen(path);
    if (strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        text += n + 2;
    return wtl_trace_list_leave(names, path, text);
}

/* strict: include unreadable traces, so that reading them fails with the reason. */
static int group_paths(const struct wtl_trace_list *paths,
                       bool strict,
                       struct wtl_trace_list *names,
                       struct grouping *grouping)
{
    grouping->groups = calloc(paths->count + 1, sizeof *grouping->groups);
    grouping->of = calloc(paths->count + 1, sizeof *grouping->of);
    if (!grouping->groups || !grouping->of)
        return -ENOMEM;
    for (size_t i = 0; i < paths->count; i++) {
        struct wattle_error why = {""};
        char *id = read_id(paths->paths[i], &why);
        grouping->of[i] = SIZE_MAX;
        if (!id && strict && !(id = strdup("")))
            return -ENOMEM;
        if (id)
            add_to_group(grouping, i, paths->paths[i], id);
        else if (leave(names, paths->paths[i], &why) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* ---- names ---- */

/* The traces of a group joined by commas; NULL if out of memory. */
static char *join(const struct wtl_trace_list *paths, const struct grouping *grouping, size_t g)
{
    char *name = malloc(grouping->groups[g].length + 1), *end = name;
    for (size_t i = 0; name && i < paths->count; i++) {
        if (grouping->of[i] != g)
            continue;
        if (end > name)
            *end++ = ',';
        end = stpcpy(end, paths->paths[i]);
    }
    return name;
}

static int check_commas(const struct wtl_trace_list *paths,
                        const struct grouping *grouping,
                        size_t g,
                        struct wattle_error *err)
{
    for (size_t i = 0; i < paths->count; i++)
        if (grouping->of[i] == g && strchr(paths->paths[i], ','))
            return wtl_fail(err, -EINVAL,
                            "%s: a trace of a multi-trace run has a comma in its name and shares a "
                            "folder with another run; move the run to its own folder",
                            paths->paths[i]);
    return 0;
}

static int name_group(const struct wtl_trace_list *paths,
                      const struct grouping *grouping,
                      size_t g,
                      const char *word,
                      struct wtl_trace_list *names,
                      struct wattle_error *err)
{
    const struct group *group = &grouping->groups[g];
    bool joined = group->count > 1 && grouping->count > 1;
    int rc = joined ? check_commas(paths, grouping, g, err) : 0;
    if (rc < 0)
        return rc;
    char *name = joined             ? join(paths, grouping, g)
                 : group->count > 1 ? strdup(word)
                                    : strdup(paths->paths[group->first]);
    return wtl_trace_list_append(names, name) < 0 ? wtl_no_memory(err) : 0;
}

/* Add the number of skipped entries to the names. */
static void take_left(struct wtl_trace_list *names, struct wtl_trace_list *from)
{
    if (names->left_count == 0 && from->left_count > 0) {
        names->left = from->left;
        from->left = NULL;
    }
    names->left_count += from->left_count;
    names->copies += from->copies;
}

static int name_all(const struct wtl_trace_list *paths,
                    const char *word,
                    struct wtl_trace_list *names,
                    struct wattle_error *err)
{
    struct grouping grouping = {0};
    struct wtl_trace_list unread = {0};
    int rc = group_paths(paths, !wtl_run_name_is_folder(word), &unread, &grouping);
    if (rc < 0)
        (void)wtl_no_memory_for(err, "%zu traces", paths->count);
    else if (grouping.count == 0)
        rc = wtl_fail(err, -ENOENT, "%s: no trace in this folder can be read; %s", word,
                      unread.left ? unread.left : "");
    for (size_t g = 0; rc == 0 && g < grouping.count; g++)
        rc = name_group(paths, &grouping, g, word, names, err);
    /* The run of a whole folder is read from the folder: what is missing is then reported with
     * it. */
    if (rc == 0 && (grouping.count > 1 || grouping.groups[0].count == 1))
        take_left(names, &unread);
    wtl_trace_list_fini(&unread);
    for (size_t g = 0; g < grouping.count; g++)
        free(grouping.groups[g].id);
    free(grouping.groups);
    free(grouping.of);
    return rc;
}

int wtl_run_names_add(struct wtl_trace_list *names, const char *word, struct wattle_error *err)
{
    struct wtl_trace_list paths = {0};
    if (!wtl_run_name_is_folder(word) && !wtl_run_name_is_list(word))
        return wtl_trace_list_append(names, strdup(word)) < 0 ? wtl_no_memory(err) : 0;
    struct wtl_run_set seen = {.copies_only = true}; /* a copy is not another node of its run */
    int rc = wtl_trace_list_add(&paths, word, err);
    if (rc == 0 && wtl_run_set_add(&seen, &paths, 0) < 0)
        rc = wtl_no_memory(err);
    if (rc == 0 && paths.left_count > 0)
        take_left(names, &paths);
    rc = rc < 0 ? rc : name_all(&paths, word, names, err);
    wtl_run_set_fini(&seen);
    wtl_trace_list_fini(&paths);
    return rc;
}

int wtl_run_name_single(struct wtl_trace_list *names, const char *word, struct wattle_error *err)
{
    enum { SHOWN = 3 };
    char list[160] = "";
    size_t used = 0, before = names->count;
    int rc = wtl_run_names_add(names, word, err);
    size_t count = names->count - before;
    if (rc < 0 || count == 1)
        return rc;
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const char *name = names->paths[before + i];
        int n = snprintf(list + used, sizeof list - used, "%s%.*s%s", i ? " or " : "", 40, name,
                         strlen(name) > 40 ? ".." : "");
        used += n > 0 ? (size_t)n : 0;
    }
    return wtl_fail(err, -EINVAL, "%s contains %zu runs; choose one: %s%s", word, count, list,
                    count > SHOWN ? " or .." : "");
}
