/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run: the traces of all its nodes, that is, those with the same run.id, aligned in time. They
 * come from files, folders or run files (docs/format/run.md), in any order: the result does not
 * depend on it.
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
 * Opening reads one footer after the other; no file stays open, and memory is a few numbers for
 * each node. What is not part of the run is refused by name and never silently dropped; nodes that
 * the job had but that have no trace are named. One thread per run.
 */
#ifndef WTL_ANALYSIS_RUN_H
#define WTL_ANALYSIS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run_row.h"
#include "analysis/traces/trace_list.h"
#include "trace/reader.h"
#include "trace/run_file.h"

struct wtl_run;

struct wtl_run_selection {
    const char *run_id; /* run to use; NULL: all traces must be of one run */
    bool ranks;         /* find out which MPI ranks ran where, even if that means walking the
                         * files */
    bool groups;        /* likewise, for traces that request groups of ranks (run.groups) */
    /* Called now and then during the work; may be NULL. */
    void (*progress)(void *context, size_t done, size_t all);
    void *progress_context;
};

struct wtl_run_node {
    const char *name;        /* unique in the run */
    const char *path;        /* path of the file */
    uint64_t offset, length; /* position of the trace in the file */
    struct wtl_run_clock clock;
    int64_t begin_ns, end_ns;      /* window, in reference time */
    const struct wtl_run_row *row; /* its values */
};

struct wtl_run_refused {
    char *path; /* "FILE", or "FILE: NODE" of a run file */
    char why[256];
};

/*
 * Open the traces that the words name. Returns 0, with a list of refused ones; -ENOENT if a word
 * names nothing; -EINVAL if they belong to several runs and none was chosen; -EBADMSG if all were
 * refused; -ENOMEM; with a message.
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
/* Index of the node with that name, or -ENOENT. */
int wtl_run_find(const struct wtl_run *run, const char *name);
/* Open its trace; the caller closes it. Returns what wtl_trace_reader_open() returns. */
int wtl_run_node_open(const struct wtl_run *run,
                      size_t i,
                      struct wtl_trace_reader **ret_reader,
                      struct wattle_error *err);

/* Traces of other runs than the chosen one. */
size_t wtl_run_other_count(const struct wtl_run *run);
size_t wtl_run_refused_count(const struct wtl_run *run);
const struct wtl_run_refused *wtl_run_refused(const struct wtl_run *run, size_t i);

/* Files that have only traces that other files of the run have too ("reduce traces -o traces"): they are neither used
 * nor refused. */
size_t wtl_run_copy_count(const struct wtl_run *run);
const char *wtl_run_copy(const struct wtl_run *run, size_t i);

/* Nodes of the job (job.nodes) that have no trace. */
size_t wtl_run_missing_count(const struct wtl_run *run);
const char *wtl_run_missing(const struct wtl_run *run, size_t i);

const char *wtl_run_id(const struct wtl_run *run); /* "" = unknown */
const char *wtl_run_command_line(
    const struct wtl_run *run); /* "" = unknown, or not the same on all nodes */
/* First begin and last end of a node's window, in reference time; the run lasts from one to the
 * other. */
int64_t wtl_run_begin(const struct wtl_run *run);
int64_t wtl_run_end(const struct wtl_run *run);
/* The weakest kind of alignment of a node, and the largest residual; WTL_RESIDUAL_UNKNOWN. A run of
 * one node needs no alignment: 0. */
enum wtl_run_aligned wtl_run_alignment(const struct wtl_run *run, uint64_t *ret_residual_ns);

/* ---- in steps, for several processes that share the work ---- */

/* Content of a word of the list: one trace, or one for each member of a run file. */
struct wtl_run_parts {
    struct wtl_trace_part *parts; /* paths are borrowed from the list; names are owned */
    size_t count;
};
int wtl_run_parts_of(const struct wtl_trace_list *list,
                     struct wtl_run_parts *ret_parts,
                     struct wattle_error *err);
void wtl_run_parts_fini(struct wtl_run_parts *parts);

/* Read the row of a part; if it cannot be read, that becomes a refusal (ret_refused->path set). 0
 * or -ENOMEM. */
int wtl_run_part_read(const struct wtl_trace_part *part,
                      const struct wtl_run_selection *options,
                      struct wtl_run_row *ret_row,
                      struct wtl_run_refused *ret_refused,
                      struct wattle_error *err);

/* A run of gathered rows and refusals; takes ownership of both, also on failure. As
 * wtl_run_open(). */
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
/* Write into the file's record what it lacks: the group of ranks (NULL = all nodes), and what was
 * refused. 0 or -ENOMEM; the file owns its members. */
int wtl_run_file_note(const struct wtl_run *run, const char *group, struct wtl_run_file *file);

void wtl_run_gathered_fini(struct wtl_run_gathered *gathered);

/* A run of the nodes with keep[i] set; it borrows from `run`, which must outlive it. */
int wtl_run_part(const struct wtl_run *run,
                 const bool *keep,
                 struct wtl_run **ret_run,
                 struct wattle_error *err);

#endif
