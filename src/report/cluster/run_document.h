/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a report of runs of many nodes, schema "wattle.run-report/1": docs/format/run-report.md. */
#ifndef WTL_REPORT_RUN_DOCUMENT_H
#define WTL_REPORT_RUN_DOCUMENT_H

#include <jansson.h>

#include <wattle/error.h>

#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_study.h"
#include "report/cluster/run_shares.h"
#include "report/noun.h"
#include "report/result/report_phases.h"

/* Rows of the table of nodes; runs with all their curves. */
enum { WTL_RUN_NODE_ROWS = 2048 };

/* Why a trace was left out, or which node has none. Borrowed. */
struct wtl_run_absent {
    const char *name, *why; /* why NULL: the node has no trace */
};

/* The data of a run in addition to its profile. All borrowed; texts may be NULL. */
struct wtl_run_facts {
    const char *run_id, *command;
    const struct wtl_study_run *study; /* its labels and numbers */
    const struct wtl_run_absent *absent;
    size_t absent_count;
    double residual_s;                      /* maximum over the nodes; NaN = unknown */
    uint64_t begin_realtime_ns;             /* 0 = unknown */
    const struct wtl_report_phases *phases; /* NULL = none, and no reason why not */
};

/* Its nouns: the document, a run in it, a struct wtl_description. */
extern const struct wtl_noun wtl_noun_run_report, wtl_noun_report_run, wtl_noun_description;

/* A run as an object; details: with nodes, heat map and regions over time, which a comparison of many runs
 * leaves out. NULL if out of memory. */
json_t *wtl_run_value(const struct wtl_run_profile *profile,
                      const struct wtl_run_facts *facts,
                      bool details);

/* The document of runs (an array of such objects, whose reference is taken); study NULL = a single run.
 * reference_w NaN = no line. NULL if out of memory. */
json_t *wtl_run_document(json_t *runs,
                         const char *title,
                         const struct wtl_study *study,
                         double reference_w);

#endif
