/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that a command line runs, without its folder: "lu" for "mpirun -n 16 --mca btl self ./lu -i big". Launchers
 * and the like (mpirun, srun, env, numactl, ...) are skipped with their options, interpreters too: a script is its program.
 */
#ifndef WTL_MODEL_PROGRAM_NAME_H
#define WTL_MODEL_PROGRAM_NAME_H

/* command: words as for a shell. malloc'ed; the first word if nothing follows a launcher; "" without one; NULL: no
 * memory. */
char *wtl_program_name(const char *command);

#endif
