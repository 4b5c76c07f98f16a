/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle tasks calibrate": measures the idle machine (P_Y), and with c = 1, 2, 4, ... threads of a load (P(c) = alpha + beta c), for each
 * channel, and stores them in calibration.conf as [tasks HOST CHANNEL].
 */
#ifndef WTL_CLI_TASKS_CALIBRATE_H
#define WTL_CLI_TASKS_CALIBRATE_H

int wtl_cmd_tasks_calibrate(int argc, char **argv);

#endif
