/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energies of the task model, of a run or of one channel of it:
 *
 *     E_mod   = P_Y T_idle + (P_Y + P_S) T_busy + sum of P_j T_j
 *     E_mod_D = sum of P_j T_j
 *     E_mes   = (mean of the samples) T_tot
 *     E_mes_D = E_mes less the platform's part, P_Y T_tot + P_S T_busy
 *
 * P_Y is the power of the idle machine, P_S what it takes more as soon as any task runs, P_j that of a core that runs a task of
 * type j, T_j core seconds. With P_S over all of the time, as the slides print it, E_mes_D is too small by P_S T_idle; that is
 * `printed`.
 */
#ifndef WTL_ANALYSIS_TASK_ENERGY_H
#define WTL_ANALYSIS_TASK_ENERGY_H

#include <stddef.h>

struct wtl_task_energy_of {
    double idle_w, static_w;
    double total_s, idle_s;
    double mean_w; /* of the samples */
    size_t types;
    const double *power_w, *time_s; /* [types] */
};

struct wtl_task_energy {
    double modelled_j, modelled_tasks_j, measured_j, measured_tasks_j;
    double printed_tasks_j;    /* E_mes_D with P_S over all of the time */
    double error, error_tasks; /* |measured - modelled| / |measured|; NaN: 0 was measured */
};

/* Returns 0; -EINVAL: the time is 0, or idle_s is not within it. */
int wtl_task_energy(const struct wtl_task_energy_of *of, struct wtl_task_energy *ret_energy);

#endif
