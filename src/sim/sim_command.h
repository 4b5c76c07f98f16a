/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs of wattle-sim. Each takes the arguments after its verb and returns the exit status. */
#ifndef WTL_SIM_SIM_COMMAND_H
#define WTL_SIM_SIM_COMMAND_H

enum { WTL_SIM_FAILED = 125, WTL_SIM_NOT_EXECUTABLE = 126, WTL_SIM_NOT_FOUND = 127 };

/* Environment variable of the command: the file to which requests are written. */
#define WTL_SIM_NODE_VARIABLE "WATTLE_SIM_NODE"

int wtl_sim_run(int argc, char **argv);
int wtl_sim_set(int argc, char **argv);
int wtl_sim_energy(int argc, char **argv);
int wtl_sim_log(int argc, char **argv);
int wtl_sim_counts(int argc, char **argv);
int wtl_sim_phases(int argc, char **argv);
int wtl_sim_tasks(int argc, char **argv);
int wtl_sim_programs(int argc, char **argv);

#endif
