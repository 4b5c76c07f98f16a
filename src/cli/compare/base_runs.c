/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a base: see base_runs.h. */
#define _GNU_SOURCE
#include "cli/compare/base_runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_set.h"
#include "analysis/results.h"
#include "base/fail.h"
#include "base/grow.h"
#include "cli/commands.h"
#include "cli/run_words.h"
#include "report/json_read.h"

struct runs {
    struct wtl_result *list;
    size_t count;
};

/* Move the results to the base and free the array. */
static int append(struct runs *runs,
                  struct wtl_result *more,
                  size_t count,
                  struct wattle_error *err)
{
    size_t room = runs->count;
    if (wtl_reserve(&runs->list, &room, runs->count + count, sizeof *runs->list) < 0) {
        wtl_run_results_free(more, count);
        return wtl_no_memory_for(err, "the base");
    }
    if (count)
        memcpy(runs->list + runs->count, more, count * sizeof *more);
    runs->count += count;
    free(more);
    return 0;
}

/* A trace begins with its own mark, a document with a brace. */
static bool is_json(const char *path)
{
    FILE *file = fopen(path, "re");
    int first = ' ';
    while (file && (first == ' ' || first == '\n' || first == '\t' || first == '\r'))
        first = fgetc(file);
    if (file)
        (void)fclose(file);
    return first == '{' || first == '[';
}

/* Results keep copies of their texts, so the path can be freed. */
static int read_file(struct runs *runs, char *path, struct wattle_error *err)
{
    struct wtl_result *more = NULL;
    size_t count = 1;
    int rc = is_json(path) ? wtl_json_results_read(path, &more, &count, err)
                           : wtl_run_results_read(&path, 1, &more, err);
    return rc < 0 ? rc : append(runs, more, count, err);
}

/* Leave out the runs that are there twice: a document may have the results of traces beside it. */
static int leave_copies(struct runs *runs, struct wtl_trace_list *left)
{
    struct wtl_run_set seen = {0};
    size_t kept = 0;
    int rc = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct wtl_result *run = &runs->list[i];
        const char *name = run->trace ? run->trace : "a run without a trace";
        const char *first = rc == 0 ? wtl_run_set_add_result(&seen, run, name) : "";
        rc = first ? rc : -ENOMEM;
        if (!first || !first[0]) {
            runs->list[kept++] = *run;
            continue;
        }
        rc = wtl_run_set_leave(left, name, first);
        wtl_result_fini(run);
    }
    runs->count = kept;
    wtl_run_set_fini(&seen);
    return rc;
}

static int read_all(struct runs *runs,
                    const char *const *words,
                    size_t count,
                    struct wattle_error *err)
{
    struct wtl_trace_list paths = {0};
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = wtl_run_names_add(&paths, words[i], err);
    rc = rc < 0 ? rc : wtl_run_words_once(&paths, err);
    for (size_t i = 0; i < paths.count && rc == 0; i++)
        rc = read_file(runs, paths.paths[i], err);
    if (rc == 0 && leave_copies(runs, &paths) < 0)
        rc = wtl_no_memory_for(err, "the base");
    if (rc == 0)
        wtl_say_left_out(&wtl_check_command, &paths);
    wtl_trace_list_fini(&paths);
    return rc;
}

int wtl_base_runs_read(const char *const *words,
                       size_t count,
                       struct wtl_result **ret_results,
                       size_t *ret_count,
                       struct wattle_error *err)
{
    struct runs runs = {NULL, 0};
    int rc = read_all(&runs, words, count, err);
    if (rc < 0) {
        wtl_run_results_free(runs.list, runs.count);
        return rc;
    }
    *ret_results = runs.list;
    *ret_count = runs.count;
    return 0;
}
