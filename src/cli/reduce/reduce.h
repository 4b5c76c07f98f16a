/* SPDX-License-Identifier: BSD-3-Clause */
/* Reducing a run, by one process or by the ranks of an MPI job: "wattle reduce" and wattle-reduce-mpi. */
#ifndef WTL_CLI_REDUCE_H
#define WTL_CLI_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/reduce/team.h"
#include "cli/verb.h"
#include "model/rank_groups.h"

struct wtl_reduce {
    char *const *words; /* files, folders, run files */
    size_t word_count;
    const char *output; /* folder; NULL = only totals are printed */
    bool force, partial;
    const char *run_id; /* NULL = the run with most traces */
    const char *groups; /* of ranks, "1-10,11-32", or "all"; NULL = as set in the traces */
    uint64_t step_ns;   /* of the CSV files; 0 = the longest interval of any node */
    enum wtl_format format;
};

/* Read options and operands into *ret_request. Returns WTL_GO_ON, or the exit status after a message. */
int wtl_reduce_options(const struct wtl_command *command,
                       int argc,
                       char **argv,
                       struct wtl_reduce *ret_request);

/* The table of options, for both programs. */
extern const struct wtl_option wtl_reduce_option_table[];

/* Reduce; all members of the team call it with the same request. Returns the exit status. */
int wtl_reduce_run(const struct wtl_command *command,
                   const struct wtl_reduce *request,
                   const struct wtl_team *team);

/* ---- between the files of reduce ---- */

struct wtl_run;
struct wtl_run_totals;

/* One output: a run, its totals, the folder of its files. */
struct wtl_reduction {
    struct wtl_run *run; /* the part of a group is owned */
    struct wtl_run_totals *totals;
    const char *group;
    char *folder;
    char **written; /* paths */
    size_t written_count;
    char **notes; /* sentences */
    size_t note_count;
};

int wtl_reduction_note(struct wtl_reduction *reduction, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Write run.wtl and the CSV files of a reduction; called by all members of the team. Returns 0 or -errno with a message. */
int wtl_reduce_write(const struct wtl_reduce *request,
                     const struct wtl_team *team,
                     struct wtl_reduction *reduction,
                     struct wattle_error *err);

/* Whether a file holds the rows by region, or overall, of a reduction. */
bool wtl_reduce_is_rows(const char *path, const char *name);

#endif
