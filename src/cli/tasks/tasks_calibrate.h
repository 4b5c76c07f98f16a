/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle tasks calibrate": measures the idle machine (P_Y), and with c = 1, 2, 4, ... threads of a load (P(c) = alpha + beta c), for each
 * channel, and stores them in calibration.conf as [tasks HOST CHANNEL].
 */
#ifndef WTL_CLI_TASKS_CALIBRATE_H
#define WTL_CLI_TASKS_CALIBRATE_H

#include "cli/verb.h"

extern const struct wtl_command wtl_tasks_calibrate_command;

#endif
