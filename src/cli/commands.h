/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verbs. Each is a file cmd_<verb>.c below this folder with a command (options/options.h), a line here, one in main.c and one
 * in CMakeLists.txt, a page docs/man/wattle-<verb>.1 and its words in completions/.
 */
#ifndef WTL_CLI_COMMANDS_H
#define WTL_CLI_COMMANDS_H

#include "cli/verb.h"

/* Exit statuses. "wattle run" returns that of its command, so its own use the values that shells use. */
enum { WTL_EXIT_OK = 0, WTL_EXIT_FAILED = 1, WTL_EXIT_USAGE = 2, WTL_EXIT_RUN_FAILED = 125 };

extern const struct wtl_command wtl_run_command;
extern const struct wtl_command wtl_start_command;
extern const struct wtl_command wtl_mark_command;
extern const struct wtl_command wtl_stop_command;
extern const struct wtl_command wtl_sensors_command;
extern const struct wtl_command wtl_counters_command;
extern const struct wtl_command wtl_doctor_command;
extern const struct wtl_command wtl_gather_command;
extern const struct wtl_command wtl_top_command;
extern const struct wtl_command wtl_stats_command;
extern const struct wtl_command wtl_report_command;
extern const struct wtl_command wtl_phases_command;
extern const struct wtl_command wtl_predict_command;
extern const struct wtl_command wtl_tasks_command;
extern const struct wtl_command wtl_characterize_command;
extern const struct wtl_command wtl_cite_command;
extern const struct wtl_command wtl_compare_command;
extern const struct wtl_command wtl_reduce_command;
extern const struct wtl_command wtl_export_command;
extern const struct wtl_command wtl_import_command;
extern const struct wtl_command wtl_repair_command;
extern const struct wtl_command wtl_config_command;
extern const struct wtl_command wtl_knobs_command;
extern const struct wtl_command wtl_hold_command;
extern const struct wtl_command wtl_restore_command;
extern const struct wtl_command wtl_jobs_command;
extern const struct wtl_command wtl_allow_command;
extern const struct wtl_command wtl_deny_command;
extern const struct wtl_command wtl_ab_command;
extern const struct wtl_command wtl_check_command;
extern const struct wtl_command wtl_pose_command;
extern const struct wtl_command wtl_sweep_command;
extern const struct wtl_command wtl_pose_calibrate_command;
extern const struct wtl_command wtl_tasks_calibrate_command;

#endif
