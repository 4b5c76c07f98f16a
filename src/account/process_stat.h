/* SPDX-License-Identifier: BSD-3-Clause */
/* What /proc/PID/stat and /proc/PID/status say of a process, proc_pid_stat(5). */
#ifndef WTL_ACCOUNT_PROCESS_STAT_H
#define WTL_ACCOUNT_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel shows times of processes in hundredths of a second (USER_HZ). */
#define WTL_PROCESS_TICK_NS 10000000u

#define WTL_UID_UNKNOWN UINT32_MAX

struct wtl_process_stat {
    pid_t pid;
    char name[64];        /* as the process chose it: any bytes but NUL */
    char state;           /* 'R', 'S', ..., 'Z' = ended, not yet waited for */
    bool kernel_thread;   /* it has no program of its own */
    uint64_t cpu_ns;      /* user + system, of all its threads; in steps of WTL_PROCESS_TICK_NS */
    uint64_t start_ticks; /* since the boot, in ticks: with pid the process's identity */
};

/* Parse the text of a stat file. 0, or -EBADMSG; *ret_stat is then as it was. A name that is longer
 * than its array is cut. Pure. */
int wtl_process_stat_parse(const char *text, struct wtl_process_stat *ret_stat);

/* The effective user in the text of a status file; WTL_UID_UNKNOWN when it does not say. Pure. */
uint32_t wtl_process_status_uid(const char *text);

#endif
