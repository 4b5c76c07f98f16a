/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run: the traces of all its nodes, that is those with one run.id, set against each other in time. They
 * come from files, folders or run files (docs/format/run.md), in any order: what is made of them does not depend on it.
 *
 *     wtl_run_open(words, n, NULL, &run, err);
 *     for (size_t i = 0; i < wtl_run_node_count(run); i++) {
 *         const struct wtl_run_node *node = wtl_run_node(run, i);
 *         wtl_run_node_open(run, i, &reader, err);
 *         ... wtl_run_clock_time(&node->clock, t) is t in the run's time ...
 *         wtl_trace_reader_close(reader);
 *     }
 *     wtl_run_close(run);
 *
 * Opening reads one footer after the other; no file stays open, and memory is that of some numbers for each
 * node. What is no part of the run is refused by name and never silently left out; nodes that the job had and that
 * have no trace are named. One thread for each run.
 */
#ifndef WTL_ANALYSIS_RUN_H
#define WTL_ANALYSIS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run_row.h"
#include "analysis/trace_list.h"
#include "trace/reader.h"
#include "trace/run_file.h"

struct wtl_run;

struct wtl_run_selection {
    const char *run_id; /* which run; NULL: the one of most traces */
    bool ranks;         /* find out which ranks of MPI ran where, even where that walks the files */
    bool groups;        /* likewise, of traces that ask for groups of them (run.groups) */
    /* Called now and then while it goes on; NULL = not. */
    void (*progress)(void *context, size_t done, size_t all);
    void *progress_context;
};

struct wtl_run_node {
    const char *name;        /* unique in the run */
    const char *path;        /* of the file */
    uint64_t offset, length; /* of the trace in it */
    struct wtl_run_clock clock;
    int64_t begin_ns, end_ns;      /* of its window, in reference time */
    const struct wtl_run_row *row; /* its numbers */
};

struct wtl_run_refused {
    char *path; /* "FILE", or "FILE: NODE" of a run file */
    char why[256];
};

/*
 * Open what the words name. Returns 0, with those that were refused beside; -ENOENT when a word names nothing; -EBADMSG
 * when none of them is left; -ENOMEM; with a sentence.
 */
int wtl_run_open(char *const *words,
                 size_t n,
                 const struct wtl_run_selection *options,
                 struct wtl_run **ret_run,
                 struct wattle_error *err);
void wtl_run_close(struct wtl_run *run); /* accepts NULL */

/* Nodes in the natural order of their names. */
size_t wtl_run_node_count(const struct wtl_run *run);
const struct wtl_run_node *wtl_run_node(const struct wtl_run *run, size_t i);
/* Number of the node of that name, or -ENOENT. */
int wtl_run_find(const struct wtl_run *run, const char *name);
/* Its trace; the caller closes it. What wtl_trace_reader_open() says. */
int wtl_run_node_open(const struct wtl_run *run,
                      size_t i,
                      struct wtl_trace_reader **ret_reader,
                      struct wattle_error *err);

size_t wtl_run_refused_count(const struct wtl_run *run);
const struct wtl_run_refused *wtl_run_refused(const struct wtl_run *run, size_t i);

/* Nodes of the job (job.nodes) that have no trace. */
size_t wtl_run_missing_count(const struct wtl_run *run);
const char *wtl_run_missing(const struct wtl_run *run, size_t i);

const char *wtl_run_id(const struct wtl_run *run); /* "" = unknown */
const char *wtl_run_command_line(
    const struct wtl_run *run); /* "" = unknown, or not the same everywhere */
/* First begin and last end of a node's window, in reference time; the time between is that of the run. */
int64_t wtl_run_begin(const struct wtl_run *run);
int64_t wtl_run_end(const struct wtl_run *run);
/* The weakest way in which a node was aligned, and the greatest residual; WTL_RESIDUAL_UNKNOWN. A run of one node has
 * nothing to be aligned with: 0. */
enum wtl_run_aligned wtl_run_alignment(const struct wtl_run *run, uint64_t *ret_residual_ns);

/* ---- in steps, for several processes that share the work ---- */

/* What a word of the list holds: one trace, or one for each member of a run file. */
struct wtl_run_parts {
    struct wtl_trace_part *parts; /* paths borrowed from the list; names owned */
    size_t count;
};
int wtl_run_parts_of(const struct wtl_trace_list *list,
                     struct wtl_run_parts *ret_parts,
                     struct wattle_error *err);
void wtl_run_parts_fini(struct wtl_run_parts *parts);

/* The row of a part; what cannot be read becomes the refusal (ret_refused->path set). 0 or -ENOMEM. */
int wtl_run_part_read(const struct wtl_trace_part *part,
                      const struct wtl_run_selection *options,
                      struct wtl_run_row *ret_row,
                      struct wtl_run_refused *ret_refused,
                      struct wattle_error *err);

/* A run of rows and refusals that were gathered; both are taken over, also on failure. As wtl_run_open(). */
struct wtl_run_gathered {
    struct wtl_run_row *rows;
    size_t row_count;
    struct wtl_run_refused *refused;
    size_t refused_count;
};
int wtl_run_of(struct wtl_run_gathered *gathered,
               const struct wtl_run_selection *options,
               struct wtl_run **ret_run,
               struct wattle_error *err);
/* Write into the file's record what is not in it: the group of ranks (NULL = all nodes), and what was refused. 0 or -ENOMEM;
 * the file owns what it has. */
int wtl_run_file_note(const struct wtl_run *run, const char *group, struct wtl_run_file *file);

void wtl_run_gathered_fini(struct wtl_run_gathered *gathered);

/* A run of those nodes for which keep[i] is set; it borrows from `run`, which must outlive it. */
int wtl_run_part(const struct wtl_run *run,
                 const bool *keep,
                 struct wtl_run **ret_run,
                 struct wattle_error *err);

#endif
