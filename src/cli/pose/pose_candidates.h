/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates of "wattle pose": other versions of the code, from options, tables and traces. */
#ifndef WTL_CLI_POSE_CANDIDATES_H
#define WTL_CLI_POSE_CANDIDATES_H

#include <wattle/error.h>

#include "analysis/pose/pose_interval.h"
#include "analysis/pose/pose_study.h"
#include "cli/pose/pose_options.h"
#include "exchange/import/code_table.h"

/* A code of a table. */
struct wtl_pose_repeats {
    struct wtl_code_row *first; /* its first run; borrowed */
    struct wtl_pose_code code;  /* means; no bounds */
    struct wtl_pose_doubt doubt;
};

/* The codes of a table, [table->code_count] for free(). Returns 0 or -ENOMEM. */
int wtl_pose_repeats_of(struct wtl_code_table *table, struct wtl_pose_repeats **ret_codes);

enum wtl_pose_candidate_form {
    WTL_POSE_CANDIDATE_GIVEN, /* "TIME,ENERGY[,LABEL]" */
    WTL_POSE_CANDIDATE_TABLE, /* "FILE.csv", also .csv.gz, .csv.zst */
    WTL_POSE_CANDIDATE_TRACES /* "[LABEL=]TRACES" */
};
enum wtl_pose_candidate_form wtl_pose_candidate_form(const char *word);

/* Parse the first form; the label points into the argument, NULL = none. Returns 0, or -EINVAL with a message. */
int wtl_pose_candidate_given(const char *word,
                             struct wtl_pose_point *ret_at,
                             const char **ret_label,
                             struct wattle_error *err);

/* The label of an argument that names traces: "O3" for "runs/O3.wtl", "runs/O3/" and "runs/O3/1.wtl,..";
 * malloc'ed, NULL if out of memory. instead: "code 1" for number 0 and "code"; NULL = the name itself. */
char *wtl_pose_name_of(const char *word, const char *instead, size_t number);

/* Add all candidates to the study, which already has its codes. Returns 0 or -errno with a message. */
int wtl_pose_candidates_add(struct wtl_pose_study *study,
                            const struct wtl_pose_options *options,
                            struct wattle_error *err);

#endif
