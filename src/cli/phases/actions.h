/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The actions of "wattle phases". cmd_phases.c chooses one by the first word ("learn", "graph", else a trace) and passes
 * the arguments after it; each reads its own options (struct wtl_command) and returns the exit status.
 */
#ifndef WTL_CLI_PHASES_ACTIONS_H
#define WTL_CLI_PHASES_ACTIONS_H

#include "cli/verb.h"

/* wattle phases learn TRACE... -o MODEL [--force] ...; argv[0] is "learn". */
extern const struct wtl_command wtl_phases_learn_command;
int wtl_cmd_phases_learn(int argc, char **argv);

/* wattle phases graph MODEL [-o FILE] [--format svg|dot|json]; argv[0] is "graph". */
extern const struct wtl_command wtl_phases_graph_command;
int wtl_cmd_phases_graph(int argc, char **argv);

#endif
