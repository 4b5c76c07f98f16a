/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The actions of "wattle phases". cmd_phases.c chooses one by the first word ("learn", "graph", else a trace) and passes
 * the arguments after it; each reads its own options (struct wtl_command) and returns the exit status.
 */
#ifndef WTL_CLI_PHASES_ACTIONS_H
#define WTL_CLI_PHASES_ACTIONS_H

#include <stdio.h>

#include "analysis/phases/phase.h"
#include "cli/verb.h"

/* wattle phases learn TRACE... -o MODEL [--force] ...; argv[0] is "learn". */
extern const struct wtl_command wtl_phases_learn_command;
int wtl_cmd_phases_learn(int argc, char **argv);

/* wattle phases graph MODEL [-o FILE] [--format svg|dot|json]; argv[0] is "graph". */
extern const struct wtl_command wtl_phases_graph_command;
int wtl_cmd_phases_graph(int argc, char **argv);

/* wattle phases --dna TRACE: one line per node, "HOST: A12 B3 XXX5"; pages calls it with what it has read and found. model:
 * a path whose alphabet is used, NULL = an alphabet of this run alone. */
struct wtl_dna_request {
    double step_s;     /* 0 = of phase length */
    const char *model; /* --model, or NULL */
    double idle_beta;  /* --idle, cache misses per cycle; NaN = none */
    bool sorted;       /* --sorted: letters of the paper with their ids sorted */
    int format;        /* WTL_FORMAT_TEXT, JSON, CSV of report/report.h */
};
int wtl_phases_dna(const struct wtl_dna_request *request,
                   const struct wtl_counter_rows *nodes,
                   struct wtl_phase_list *phases, /* [node_count]; their letters are set */
                   size_t node_count,
                   FILE *out,
                   struct wattle_error *err);

#endif
