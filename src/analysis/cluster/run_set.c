/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that are known already: see run_set.h. */
#define _GNU_SOURCE
#include "analysis/cluster/run_set.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/cluster/run_name.h"
#include "base/grow.h"
#include "model/meta_key.h"
#include "trace/run_file.h"

/* ---- what a run is known by ---- */

static void copy_meta(const struct wtl_trace_reader *reader, const char *key, char *to, size_t n)
{
    const char *value = wtl_trace_reader_meta(reader, key);
    (void)snprintf(to, n, "%s", value ? value : "");
}

static uint64_t begin_of(const struct wtl_trace_reader *reader)
{
    struct wtl_trace_window window;
    uint64_t first = 0, last = 0;
    wtl_trace_reader_window(reader, &window);
    (void)wtl_trace_reader_span(reader, &first, &last);
    return window.started ? window.start_monotonic_ns : first;
}

/* A run of many nodes is known by its first trace and their number: a run file may have some of the nodes only. */
static size_t count_traces(const char *name)
{
    struct wtl_trace_list list = {0};
    struct wtl_run_file file;
    size_t count = 1;
    if (!wtl_run_name_is_run(name))
        return 1;
    if (wtl_run_file_is(name) > 0) {
        if (wtl_run_file_read(name, &file, NULL) < 0)
            return 0;
        count = file.count;
        wtl_run_file_fini(&file);
    } else if (wtl_trace_list_add(&list, name, NULL) == 0) {
        count = list.count;
        wtl_trace_list_fini(&list);
    }
    return count + 1; /* not the same as its single trace */
}

static void read_identity(const char *name, struct wtl_run_identity *run)
{
    struct wtl_trace_reader *reader = NULL;
    *run = (struct wtl_run_identity){.own_cpu_s = NAN, .energy_j = NAN};
    if (wtl_run_name_open_first(name, &reader, NULL) < 0)
        return;
    run->traces = count_traces(name);
    copy_meta(reader, WTL_META_RUN_ID, run->id, sizeof run->id);
    copy_meta(reader, WTL_META_HOST_NAME, run->node, sizeof run->node);
    run->begin_ns = begin_of(reader);
    if (wtl_trace_reader_realtime(reader, run->begin_ns, &run->start_ns) < 0)
        run->start_ns = 0;
    wtl_trace_reader_close(reader);
}

/* ---- is it the same? ---- */

static bool is_same_content(FILE *a, FILE *b)
{
    char blocks[2][16384];
    size_t n;
    do {
        n = fread(blocks[0], 1, sizeof blocks[0], a);
        if (fread(blocks[1], 1, sizeof blocks[1], b) != n || memcmp(blocks[0], blocks[1], n) != 0)
            return false;
    } while (n > 0);
    return !ferror(a) && !ferror(b);
}

/* The same file, or one with the same content. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat of[2];
    if (stat(a, &of[0]) < 0 || stat(b, &of[1]) < 0 || !S_ISREG(of[0].st_mode) ||
        !S_ISREG(of[1].st_mode) || of[0].st_size != of[1].st_size)
        return false;
    if (of[0].st_dev == of[1].st_dev && of[0].st_ino == of[1].st_ino)
        return true;
    FILE *one = fopen(a, "re"), *other = fopen(b, "re");
    bool same = one && other && is_same_content(one, other);
    if (one)
        (void)fclose(one);
    if (other)
        (void)fclose(other);
    return same;
}

/* Results measured at the same time: by the node's own clock, which starts anew with each boot, and by the time of day,
 * which may be rounded. The clocks of recorded hosts all begin at one time; CPU times differ even there. */
static bool is_same_result(const struct wtl_run_identity *a, const struct wtl_run_identity *b)
{
    uint64_t off_ns =
        a->start_ns > b->start_ns ? a->start_ns - b->start_ns : b->start_ns - a->start_ns;
    bool energy = fabs(a->energy_j - b->energy_j) <= 1e-9 * fabs(a->energy_j);
    return a->start_ns && b->start_ns && off_ns < 1000 * 1000 && a->begin_ns == b->begin_ns &&
           fabs(a->own_cpu_s - b->own_cpu_s) < 5e-7 &&
           (energy || (isnan(a->energy_j) && isnan(b->energy_j)));
}

/* A trace of a run that is there as a whole. */
static bool is_part(const struct wtl_run_identity *a, const struct wtl_run_identity *b)
{
    return a->traces != b->traces && (a->traces == 1 || b->traces == 1) && a->id[0] &&
           strcmp(a->id, b->id) == 0;
}

static bool is_same(const struct wtl_run_identity *a, const struct wtl_run_identity *b)
{
    bool ids = a->id[0] && b->id[0];
    if (a->traces == 0 || a->traces != b->traces || a->result != b->result ||
        strcmp(a->node, b->node) != 0 || (ids && strcmp(a->id, b->id) != 0))
        return false;
    if (ids && a->start_ns)
        return a->start_ns == b->start_ns;
    return a->result ? is_same_result(a, b) : is_same_file(a->name, b->name);
}

static const struct wtl_run_identity *find(const struct wtl_run_set *set,
                                           const struct wtl_run_identity *run)
{
    for (size_t i = 0; i < set->count; i++) {
        if (is_same(&set->runs[i], run) || (!set->copies_only && is_part(&set->runs[i], run)))
            return &set->runs[i];
    }
    return NULL;
}

/* ---- the set ---- */

/* Takes ownership of run->name, also on failure. */
static int add_run(struct wtl_run_set *set, const struct wtl_run_identity *run)
{
    if (!run->name || wtl_grow(&set->runs, set->count, sizeof *set->runs) < 0) {
        free(run->name);
        return -ENOMEM;
    }
    assert(set->runs);
    set->runs[set->count++] = *run;
    return 0;
}

int wtl_run_set_leave(struct wtl_trace_list *names, const char *name, const char *first)
{
    char why[300];
    bool part = wtl_run_name_is_run(name) != wtl_run_name_is_run(first);
    if (strcmp(name, first) == 0)
        (void)snprintf(why, sizeof why, "named twice");
    else
        (void)snprintf(why, sizeof why, "%s %.256s", part ? "of the same run as" : "a copy of",
                       first);
    names->copies++;
    return wtl_trace_list_leave(names, name, why);
}

int wtl_run_set_add(struct wtl_run_set *set, struct wtl_trace_list *names, size_t from)
{
    size_t kept = from;
    int rc = 0;
    for (size_t i = from; i < names->count; i++) {
        char *name = names->paths[i];
        struct wtl_run_identity run = {.own_cpu_s = NAN};
        const struct wtl_run_identity *first = NULL;
        if (rc == 0) {
            read_identity(name, &run);
            run.name = name; /* for the comparison */
            first = find(set, &run);
        }
        if (first) {
            rc = wtl_run_set_leave(names, name, first->name);
            free(name);
            continue;
        }
        names->paths[kept++] = name;
        run.name = rc == 0 ? strdup(name) : NULL;
        if (rc == 0)
            rc = add_run(set, &run);
    }
    names->count = kept;
    return rc;
}

const char *wtl_run_set_add_result(struct wtl_run_set *set,
                                   const struct wtl_result *result,
                                   const char *name)
{
    struct wtl_run_identity run = {.start_ns = result->start_realtime_ns,
                                   .begin_ns = result->start_monotonic_ns,
                                   .own_cpu_s = result->own_cpu_s,
                                   .energy_j = result->energy.j,
                                   .traces = 1,
                                   .result = true};
    (void)snprintf(run.node, sizeof run.node, "%s", result->host ? result->host : "");
    run.name = strdup(name);
    const struct wtl_run_identity *first = run.name ? find(set, &run) : NULL;
    if (first) {
        free(run.name);
        return first->name;
    }
    return add_run(set, &run) < 0 ? NULL : "";
}

void wtl_run_set_fini(struct wtl_run_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->runs[i].name);
    free(set->runs);
    *set = (struct wtl_run_set){0};
}
