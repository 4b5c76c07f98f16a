/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of /proc/PID/stat and /proc/PID/status, proc_pid_stat(5). */
#ifndef WTL_ACCOUNT_PROCESS_STAT_H
#define WTL_ACCOUNT_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/world/world.h"

/* The kernel reports process times in hundredths of a second (USER_HZ). */
#define WTL_PROCESS_TICK_NS 10000000u

#define WTL_UID_UNKNOWN UINT32_MAX

struct wtl_process_stat {
    pid_t pid, parent;
    char name[64];      /* set by the process: any bytes but NUL */
    char state;         /* 'R', 'S', ..., 'Z' = ended, not yet waited for */
    bool kernel_thread; /* has no user program */
    uint64_t cpu_ns;    /* user + system, of all its threads; in steps of WTL_PROCESS_TICK_NS */
    uint64_t
        waited_ns; /* the same of its children that have ended, and of theirs, once waited for */
    uint64_t start_ticks; /* since boot, in ticks: identifies the process together with pid */
};

/* Are numbers of processes those of the first namespace, which drivers know? In a container they are its own. */
bool wtl_process_numbers_are_first(const struct wtl_world *world);

/* The first n - 1 bytes of /proc/PID/FILE into text[n], and a NUL: their number, or -errno. */
ssize_t wtl_process_read(const struct wtl_world *world,
                         const char *pid,
                         const char *file,
                         char *text,
                         size_t n);

/* Parse the text of a stat file. 0, or -EBADMSG with *ret_stat unchanged. A name longer than its array is
 * truncated. Pure. */
int wtl_process_stat_parse(const char *text, struct wtl_process_stat *ret_stat);

/* The effective user in the text of a status file; WTL_UID_UNKNOWN if it is missing. Pure. */
uint32_t wtl_process_status_uid(const char *text);

/* The CPUs on which its first thread may run, "0-3,8", into buf[n]; false if that line is missing, not complete, or does not fit. Pure. */
bool wtl_process_status_cpus(const char *text, char *buf, size_t n);

#endif
