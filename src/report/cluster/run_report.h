/* SPDX-License-Identifier: BSD-3-Clause */
/* The totals of a run as text, JSON "wattle.reduce/1" (docs/format/reduce.md) or CSV. */
#ifndef WTL_REPORT_RUN_REPORT_H
#define WTL_REPORT_RUN_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_totals.h"
#include "report/report.h"
#include "report/result/run_nouns.h"

struct wtl_run_report {
    const struct wtl_run *run;
    const struct wtl_run_totals *totals;
    const char *group;          /* ranks of an output group; NULL = all */
    const char *const *written; /* files written; [written_count] */
    size_t written_count;
    const char *const *notes; /* notes on what is missing in the files; [note_count] */
    size_t note_count;
};

/* Write one per group, at least one, and flush. Returns 0, -ENOMEM, or the negative errno of the failed
 * write with a message. */
int wtl_report_runs(FILE *out,
                    enum wtl_format format,
                    const struct wtl_run_report *reports,
                    size_t count,
                    const struct wtl_style *style,
                    struct wattle_error *err);

/* How the clocks of the nodes are aligned, and how well. */
void wtl_run_alignment_text(enum wtl_run_aligned aligned,
                            uint64_t residual_ns,
                            char *text,
                            size_t size);

/* Its parts. The table of nodes, each with its total; returns 0 or -ENOMEM. */
int wtl_text_run_nodes(FILE *out, const struct wtl_style *style, const struct wtl_run *run);
/* The document of a run and the list of its nodes; new references, NULL if out of memory. */
json_t *wtl_json_run(const struct wtl_run_report *report);
json_t *wtl_json_run_nodes(const struct wtl_run *run);
void wtl_csv_runs(FILE *out, const struct wtl_run_report *reports, size_t count);

/* Its nouns: struct wtl_run_report, its rows in CSV. */
extern const struct wtl_noun wtl_noun_reduce, wtl_noun_reduce_groups, wtl_noun_reduce_row;
extern const struct wtl_noun wtl_noun_run_of_nodes,
    wtl_noun_stats; /* wattle.run/1, wattle.stats/1 */
extern const struct wtl_noun wtl_noun_run_known,
    wtl_noun_run_partial;                       /* parts of a struct wtl_run_sum */
extern const struct wtl_noun wtl_noun_run_flag; /* struct wtl_run_flag: of every document of runs */
extern const struct wtl_noun wtl_noun_run_node; /* as wtl_json_run_nodes() lists them */

#endif
