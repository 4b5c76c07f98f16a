/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The actions of "wattle phases". cmd_phases.c chooses one by the first word ("learn", "graph", else a trace) and passes
 * the arguments after it; each reads its own options (struct wtl_command) and returns the exit status.
 */
#ifndef WTL_CLI_PHASES_ACTIONS_H
#define WTL_CLI_PHASES_ACTIONS_H

#include <stdio.h>

#include "analysis/phases/phase_study.h"
#include "cli/verb.h"

/* wattle phases learn TRACE... -o MODEL [--force] ...; argv[0] is "learn". */
extern const struct wtl_command wtl_phases_learn_command;
int wtl_cmd_phases_learn(int argc, char **argv);

/* wattle phases graph MODEL [-o FILE] [--format svg|dot|json]; argv[0] is "graph". */
extern const struct wtl_command wtl_phases_graph_command;
int wtl_cmd_phases_graph(int argc, char **argv);

/* wattle phases --dna: one line for each node that has phases, "HOST: A12 B3 XXX5"; JSON; or CSV with a row for each
 * letter. */
struct wtl_dna_request {
    double step_s; /* 0 = of phase length */
    bool sorted;   /* letters of the paper with their ids sorted */
    enum wtl_format format;
    const struct wtl_alphabet *alphabet; /* the one that the letters of the study are of */
};
int wtl_phases_dna(const struct wtl_dna_request *request,
                   const struct wtl_phase_study *study,
                   FILE *out,
                   struct wattle_error *err);

#endif
