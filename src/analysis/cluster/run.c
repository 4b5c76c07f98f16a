/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds a run from rows: which belong to it, in what order, under what names. See run.h. */
#define _GNU_SOURCE
#include "analysis/cluster/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_state.h"
#include "base/config/host_list.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/natural.h"
#include "base/whole.h"
#include "model/flag.h"

enum { MISSING_MAX = 1 << 20, PROGRESS_EVERY = 16 };

/* ---- refused traces ---- */

static int refuse(struct wtl_run_gathered *gathered, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(struct wtl_run_gathered *gathered, const char *path, const char *format, ...)
{
    va_list args;
    size_t room = gathered->refused_count;
    if (wtl_reserve(&gathered->refused, &room, room + 1, sizeof *gathered->refused) < 0)
        return -ENOMEM;
    struct wtl_run_refused *refused = &gathered->refused[gathered->refused_count];
    refused->path = strdup(path);
    if (!refused->path)
        return -ENOMEM;
    va_start(args, format);
    (void)vsnprintf(refused->why, sizeof refused->why, format, args);
    va_end(args);
    gathered->refused_count++;
    return 0;
}

static int compare_refused(const void *a, const void *b)
{
    const struct wtl_run_refused *x = (const struct wtl_run_refused *)a;
    const struct wtl_run_refused *y = (const struct wtl_run_refused *)b;
    int order = wtl_natural_compare(x->path, y->path);
    return order ? order : strcmp(x->why, y->why);
}

/* ---- which run id ---- */

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int fail_several(const char *const *ids, size_t count, struct wattle_error *err)
{
    enum { SHOWN = 4 };
    char list[200] = "";
    const char *best = ids[0];
    size_t used = 0, runs = 0, most = 0;
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && strcmp(ids[i + n], ids[i]) == 0;)
            n++;
        if (ids[i][0] && n > most) {
            most = n;
            best = ids[i];
        }
        if (runs++ < SHOWN)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.36s (%zu)",
                                     used ? ", " : "", ids[i][0] ? ids[i] : "without an ID", n);
    }
    return wtl_fail(
        err, -EINVAL,
        "the traces are from %zu runs: %s%s; give those of one, or choose it with wattle "
        "reduce --run %.36s",
        runs, list, runs > SHOWN ? ", .." : "", best);
}

/* The id that all rows have; with several runs one must be chosen. */
static int find_id(const struct wtl_run_gathered *gathered,
                   const char **ret_id,
                   struct wattle_error *err)
{
    size_t count = gathered->row_count;
    const char **ids = malloc((count + 1) * sizeof *ids);
    int rc = 0;
    if (!ids)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ids[i] = gathered->rows[i].run_id;
    wtl_sort((void *)ids, count, sizeof *ids, compare_ids);
    *ret_id = count ? ids[0] : "";
    if (count && strcmp(ids[0], ids[count - 1]) != 0)
        rc = fail_several(ids, count, err);
    free((void *)ids);
    return rc;
}

/* ---- order and names ---- */

static int compare_times(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct wtl_run_row *x = ((const struct wtl_run_node *)a)->row;
    const struct wtl_run_row *y = ((const struct wtl_run_node *)b)->row;
    int order = wtl_natural_compare(x->name, y->name);
    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->key, y->key);
    order = order ? order : compare_times(x->begin_ns, y->begin_ns);
    order = order ? order : compare_times(x->end_ns, y->end_ns);
    return order ? order : wtl_natural_compare(x->path, y->path);
}

/* Rows that measured the same node over the same time: its energy must not count twice. Sorted by
 * begin, so that only the last one kept can overlap. */
static bool is_twice(const struct wtl_run_row *before, const struct wtl_run_row *row)
{
    return strcmp(before->name, row->name) == 0 && strcmp(before->key, row->key) == 0 &&
           (!wtl_run_row_has_time(before) || row->begin_ns < before->end_ns ||
            row->begin_ns == before->begin_ns);
}

/* The same trace again. */
static bool is_copy(const struct wtl_run_row *a, const struct wtl_run_row *b)
{
    return a->begin_ns == b->begin_ns && a->end_ns == b->end_ns && a->finished == b->finished &&
           a->length == b->length;
}

/* Of two: the one that was finished, else the longer one. */
static bool is_better(const struct wtl_run_row *row, const struct wtl_run_row *before)
{
    if (wtl_run_row_has_time(row) != wtl_run_row_has_time(before))
        return wtl_run_row_has_time(row);
    if (row->finished != before->finished)
        return row->finished;
    if (is_copy(row, before))
        return row->offset <
               before->offset; /* the trace itself, so that a run file with it can be replaced */
    return row->end_ns - row->begin_ns > before->end_ns - before->begin_ns;
}

static int refuse_twice(struct wtl_run *run,
                        const struct wtl_run_row *kept,
                        const struct wtl_run_row *left)
{
    if (!wtl_run_row_has_time(left) && wtl_run_row_has_time(kept))
        return refuse(&run->own, left->path, "has no samples of node %.64s, which %.120s measures",
                      left->name, kept->path);
    return refuse(&run->own, left->path, "measures node %.64s over the same time as %.120s",
                  left->name, kept->path);
}

/* Each node once. Paths of files with a copy are added to `copies`. */
static int drop_rows(struct wtl_run *run, const char **copies, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct wtl_run_row *row = run->nodes[i].row;
        const struct wtl_run_row *before = kept ? run->nodes[kept - 1].row : NULL;
        if (!before || !is_twice(before, row)) {
            run->nodes[kept++] = run->nodes[i];
            continue;
        }
        bool better = is_better(row, before);
        int rc = 0;
        if (is_copy(row, before))
            copies[(*count)++] = better ? before->path : row->path;
        else
            rc = refuse_twice(run, better ? row : before, better ? before : row);
        if (rc < 0)
            return rc;
        if (better)
            run->nodes[kept - 1] = run->nodes[i];
    }
    run->node_count = kept;
    return 0;
}

static bool uses_file(const struct wtl_run *run, const char *path)
{
    for (size_t i = 0; i < run->node_count; i++)
        if (strcmp(run->nodes[i].path, path) == 0)
            return true;
    return false;
}

/* Of the files with copies, those of which nothing else is used. */
static int note_copies(struct wtl_run *run, const char **paths, size_t count)
{
    if (count)
        wtl_sort((void *)paths, count, sizeof *paths, compare_ids);
    for (size_t i = 0; i < count; i++) {
        if ((i > 0 && strcmp(paths[i], paths[i - 1]) == 0) || uses_file(run, paths[i]))
            continue;
        if (wtl_grow(&run->copies, run->copy_count, sizeof *run->copies) < 0)
            return -ENOMEM;
        run->copies[run->copy_count] = strdup(paths[i]);
        if (!run->copies[run->copy_count])
            return -ENOMEM;
        run->copy_count++;
    }
    return 0;
}

static int drop_duplicates(struct wtl_run *run)
{
    const char **copies = malloc((run->node_count + 1) * sizeof *copies);
    size_t count = 0;
    int rc = copies ? drop_rows(run, copies, &count) : -ENOMEM;
    rc = rc < 0 ? rc : note_copies(run, copies, count);
    free((void *)copies);
    return rc;
}

/* Consecutive traces of one node: its energy in between is unknown. The first one is flagged. */
static int flag_several(struct wtl_run *run)
{
    int rc = 0;
    for (size_t i = 0, n; rc == 0 && i < run->node_count; i += n) {
        const struct wtl_run_row *first = run->nodes[i].row;
        for (n = 1; i + n < run->node_count &&
                    strcmp(run->nodes[i + n].row->name, first->name) == 0 &&
                    strcmp(run->nodes[i + n].row->key, first->key) == 0;)
            n++;
        if (n == 1)
            continue;
        rc = wtl_run_row_flag(
            &run->own.rows[first - run->own.rows], WTL_FLAG_SEVERAL_TRACES,
            "%.64s has %zu consecutive traces; its energy between them is missing from all sums",
            first->name, n);
    }
    return rc;
}

/* With duplicate names the second becomes "name#2". */
static int make_unique(struct wtl_run *run)
{
    size_t same = 1;
    run->names = calloc(run->node_count + 1, sizeof *run->names);
    if (!run->names)
        return -ENOMEM;
    for (size_t i = 0; i < run->node_count; i++) {
        struct wtl_run_node *node = &run->nodes[i];
        same = i > 0 && strcmp(run->nodes[i - 1].row->name, node->row->name) == 0 ? same + 1 : 1;
        node->name = node->row->name;
        if (same == 1)
            continue;
        char **name = &run->names[run->name_count];
        if (asprintf(name, "%s#%zu", node->row->name, same) < 0)
            return -ENOMEM;
        node->name = *name;
        run->name_count++;
    }
    return 0;
}

/* ---- missing nodes ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "n1.cluster.org" is Slurm's "n1". */
static bool has_name(char *const *names, size_t count, char *name)
{
    return bsearch(&name, (const void *)names, count, sizeof *names, compare_names) != NULL;
}

/* The names of the nodes, in order. On failure *ret_names holds those collected so far. */
static int list_present(const struct wtl_run *run, char ***ret_names, size_t *ret_count)
{
    char **names = *ret_names = calloc(3 * run->node_count + 1, sizeof *names);
    size_t count = 0;
    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < run->node_count; i++) {
        const struct wtl_run_row *row = run->nodes[i].row;
        const char *const texts[] = {row->name, row->host};
        for (size_t k = 0; k < 2; k++)
            if ((names[count] = strdup(texts[k])) != NULL)
                *ret_count = ++count;
        if ((names[count] = strndup(row->host, strcspn(row->host, "."))) != NULL)
            *ret_count = ++count;
    }
    if (count < 3 * run->node_count)
        return -ENOMEM;
    wtl_sort((void *)names, count, sizeof *names, compare_names);
    return 0;
}

static int find_missing(struct wtl_run *run)
{
    char **present = NULL, **wanted = NULL;
    size_t present_count = 0, wanted_count = 0;
    const char *list = "";
    for (size_t i = 0; i < run->node_count; i++)
        if (run->nodes[i].row->group[0])
            return 0; /* nodes of other ranks are not missing */
    for (size_t i = 0; i < run->node_count && !list[0]; i++)
        list = run->nodes[i].row->nodes;
    int rc = list[0] ? wtl_host_list_expand(list, MISSING_MAX, &wanted, &wanted_count) : 0;
    rc = rc < 0 || !wanted_count ? rc : list_present(run, &present, &present_count);
    for (size_t i = 0; i < wanted_count; i++) {
        if (rc == 0 && !has_name(present, present_count, wanted[i]))
            wanted[run->missing_count++] = wanted[i];
        else
            free(wanted[i]);
    }
    run->missing = wanted;
    for (size_t i = 0; i < present_count; i++)
        free(present[i]);
    free(present);
    return rc;
}

/* ---- assembly ---- */

static int take_rows(struct wtl_run *run, const char *id)
{
    struct wtl_run_gathered *own = &run->own;
    run->nodes = calloc(own->row_count + 1, sizeof *run->nodes);
    int rc = run->nodes ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < own->row_count; i++) {
        const struct wtl_run_row *row = &own->rows[i];
        if (strcmp(row->run_id, id) != 0) {
            run->other_count++;
            continue;
        }
        /* One node needs no common clock. */
        if (own->row_count > 1 && row->foreign_clock &&
            row->clocks.realtime.aligned == WTL_ALIGNED_NOT) {
            rc = refuse(own, row->path,
                        "its times are from a clock that no other node shares; import it with its "
                        "wall clock");
            continue;
        }
        run->nodes[run->node_count++] = (struct wtl_run_node){
            .path = row->path, .offset = row->offset, .length = row->length, .row = row};
    }
    if (rc == 0 && run->node_count)
        wtl_sort(run->nodes, run->node_count, sizeof *run->nodes, compare_nodes);
    return rc;
}

static void set_command(struct wtl_run *run)
{
    run->command = run->node_count ? run->nodes[0].row->command : "";
    for (size_t i = 1; i < run->node_count; i++)
        if (strcmp(run->command, run->nodes[i].row->command) != 0)
            run->command = "";
}

static int set_up(struct wtl_run *run, const char *id)
{
    int rc = take_rows(run, id);
    rc = rc < 0 ? rc : drop_duplicates(run);
    rc = rc < 0 ? rc : flag_several(run);
    rc = rc < 0 ? rc : make_unique(run);
    rc = rc < 0 ? rc : find_missing(run);
    if (rc < 0)
        return rc;
    run->id = run->node_count ? run->nodes[0].row->run_id : "";
    set_command(run);
    wtl_run_align(run);
    if (run->own.refused_count)
        wtl_sort(run->own.refused, run->own.refused_count, sizeof *run->own.refused,
                 compare_refused);
    return 0;
}

static int fail_empty(const struct wtl_run *run, const char *wanted, struct wattle_error *err)
{
    const struct wtl_run_refused *first = run->own.refused;
    if (run->own.refused_count == 0 || !first)
        return wtl_fail(err, -EBADMSG, "no trace to reduce");
    if (wanted)
        return wtl_fail(err, -EBADMSG, "no trace of run \"%s\" found; %s: %s", wanted, first->path,
                        first->why);
    if (run->own.refused_count == 1)
        return wtl_fail(err, -EBADMSG, "%s: %s", first->path, first->why);
    return wtl_fail(err, -EBADMSG, "none of the %zu files can be used; %s: %s",
                    run->own.refused_count, first->path, first->why);
}

int wtl_run_of(struct wtl_run_gathered *gathered,
               const struct wtl_run_selection *options,
               struct wtl_run **ret_run,
               struct wattle_error *err)
{
    struct wtl_run *run = calloc(1, sizeof *run);
    const char *id = options ? options->run_id : NULL;
    if (!run) {
        wtl_run_gathered_fini(gathered);
        return wtl_no_memory(err);
    }
    run->own = *gathered;
    *gathered = (struct wtl_run_gathered){0};
    run->id = run->command = "";
    int rc = id ? 0 : find_id(&run->own, &id, err);
    rc = rc < 0 ? rc : set_up(run, id);
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "%zu nodes", run->own.row_count);
    else if (rc == 0 && run->node_count == 0)
        rc = fail_empty(run, options ? options->run_id : NULL, err);
    if (rc < 0)
        wtl_run_close(run);
    else
        *ret_run = run;
    return rc;
}

int wtl_run_part(const struct wtl_run *run,
                 const bool *keep,
                 struct wtl_run **ret_run,
                 struct wattle_error *err)
{
    struct wtl_run *part = calloc(1, sizeof *part);
    if (part)
        part->nodes = calloc(run->node_count + 1, sizeof *part->nodes);
    if (!part || !part->nodes) {
        free(part);
        return wtl_no_memory_for(err, "%zu nodes", run->node_count);
    }
    for (size_t i = 0; i < run->node_count; i++)
        if (keep[i])
            part->nodes[part->node_count++] = run->nodes[i];
    part->whole = run->whole ? run->whole : run;
    part->id = run->id;
    set_command(part);
    /* Clocks stay as in the whole run; begin and end are those of the part. */
    wtl_run_span(part);
    *ret_run = part;
    return 0;
}

static int read_parts(const struct wtl_run_parts *parts,
                      const struct wtl_run_selection *options,
                      struct wtl_run_gathered *gathered,
                      struct wattle_error *err)
{
    gathered->rows = calloc(parts->count + 1, sizeof *gathered->rows);
    gathered->refused = calloc(parts->count + 1, sizeof *gathered->refused);
    if (!gathered->rows || !gathered->refused)
        return wtl_no_memory_for(err, "%zu traces", parts->count);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < parts->count; i++) {
        struct wtl_run_refused refused;
        rc = wtl_run_part_read(&parts->parts[i], options, &gathered->rows[gathered->row_count],
                               &refused, err);
        if (rc == 0 && refused.path)
            gathered->refused[gathered->refused_count++] = refused;
        else if (rc == 0)
            gathered->row_count++;
        if (options && options->progress && i % PROGRESS_EVERY == 0)
            options->progress(options->progress_context, i, parts->count);
    }
    return rc;
}

int wtl_run_open(char *const *words,
                 size_t n,
                 const struct wtl_run_selection *options,
                 struct wtl_run **ret_run,
                 struct wattle_error *err)
{
    struct wtl_trace_list list = {0};
    struct wtl_run_parts parts = {0};
    struct wtl_run_gathered gathered = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = wtl_trace_list_add(&list, words[i], err);
    rc = rc < 0 ? rc : wtl_run_parts_of(&list, &parts, err);
    rc = rc < 0 ? rc : read_parts(&parts, options, &gathered, err);
    rc = rc < 0 ? rc : wtl_run_of(&gathered, options, ret_run, err);
    wtl_run_gathered_fini(&gathered);
    wtl_run_parts_fini(&parts);
    wtl_trace_list_fini(&list);
    return rc;
}

void wtl_run_close(struct wtl_run *run)
{
    if (!run)
        return;
    for (size_t i = 0; i < run->name_count; i++)
        free(run->names[i]);
    for (size_t i = 0; i < run->missing_count; i++)
        free(run->missing[i]);
    for (size_t i = 0; i < run->copy_count; i++)
        free(run->copies[i]);
    free(run->copies);
    wtl_run_gathered_fini(&run->own);
    free(run->names);
    free(run->missing);
    free(run->nodes);
    free(run);
}

/* ---- accessors ---- */

size_t wtl_run_node_count(const struct wtl_run *run)
{
    return run->node_count;
}

const struct wtl_run_node *wtl_run_node(const struct wtl_run *run, size_t i)
{
    return i < run->node_count ? &run->nodes[i] : NULL;
}

int wtl_run_find(const struct wtl_run *run, const char *name)
{
    for (size_t i = 0; i < run->node_count; i++)
        if (strcmp(run->nodes[i].name, name) == 0)
            return (int)i;
    return -ENOENT;
}

int wtl_run_node_open(const struct wtl_run *run,
                      size_t i,
                      struct wtl_trace_reader **ret_reader,
                      struct wattle_error *err)
{
    const struct wtl_run_node *node = wtl_run_node(run, i);
    if (!node)
        return wtl_fail(err, -EINVAL, "no node %zu in this run", i);
    const struct wtl_trace_part part = {
        .path = node->path, .offset = node->offset, .length = node->length};
    return wtl_trace_reader_open_part(&part, ret_reader, err);
}

static const struct wtl_run *whole_of(const struct wtl_run *run)
{
    return run->whole ? run->whole : run;
}

size_t wtl_run_other_count(const struct wtl_run *run)
{
    return whole_of(run)->other_count;
}

size_t wtl_run_refused_count(const struct wtl_run *run)
{
    return whole_of(run)->own.refused_count;
}

const struct wtl_run_refused *wtl_run_refused(const struct wtl_run *run, size_t i)
{
    run = whole_of(run);
    return i < run->own.refused_count ? &run->own.refused[i] : NULL;
}

size_t wtl_run_copy_count(const struct wtl_run *run)
{
    return whole_of(run)->copy_count;
}

const char *wtl_run_copy(const struct wtl_run *run, size_t i)
{
    run = whole_of(run);
    return i < run->copy_count ? run->copies[i] : NULL;
}

size_t wtl_run_missing_count(const struct wtl_run *run)
{
    return whole_of(run)->missing_count;
}

const char *wtl_run_missing(const struct wtl_run *run, size_t i)
{
    run = whole_of(run);
    return i < run->missing_count ? run->missing[i] : NULL;
}

const char *wtl_run_id(const struct wtl_run *run)
{
    return run->id;
}

const char *wtl_run_command_line(const struct wtl_run *run)
{
    return run->command;
}

/* ---- writing a run file ---- */

static int add_left(struct wtl_run_file *file, const char *name, const char *why)
{
    size_t room = file->left_count;
    if (wtl_reserve(&file->left, &room, room + 1, sizeof *file->left) < 0)
        return -ENOMEM;
    struct wtl_run_left *left = &file->left[file->left_count++];
    *left = (struct wtl_run_left){strdup(name), strdup(why)};
    return left->name && left->why ? 0 : -ENOMEM;
}

static int add_group(struct wtl_run_file *file, const char *group)
{
    char *both = NULL;
    if (!group[0] || (file->group && strstr(file->group, group)))
        return 0;
    if (asprintf(&both, "%s%s%s", file->group ? file->group : "", file->group ? "," : "", group) <
        0)
        return -ENOMEM;
    free(file->group);
    file->group = both;
    return 0;
}

int wtl_run_file_note(const struct wtl_run *run, const char *group, struct wtl_run_file *file)
{
    int rc = group ? add_group(file, group) : 0;
    for (size_t i = 0; rc == 0 && i < wtl_run_node_count(run); i++) {
        const struct wtl_run_row *row = wtl_run_node(run, i)->row;
        rc = group ? 0 : add_group(file, row->group);
        for (uint32_t k = 0; rc == 0 && k < row->flag_count; k++)
            if (strcmp(row->flags[k].name, WTL_FLAG_LEFT_OUT) == 0)
                rc = add_left(file, row->path, row->flags[k].text);
    }
    for (size_t i = 0; rc == 0 && i < wtl_run_refused_count(run); i++)
        rc = add_left(file, wtl_run_refused(run, i)->path, wtl_run_refused(run, i)->why);
    for (size_t i = 0; rc == 0 && file->group && i < wtl_run_missing_count(run); i++)
        rc = add_left(file, wtl_run_missing(run, i), "this node of the job has no trace");
    return rc;
}
