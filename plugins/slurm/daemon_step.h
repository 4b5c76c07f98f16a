/* SPDX-License-Identifier: BSD-3-Clause */
/* Which daemon of Slurm this process is, and of which step: from its name and title, without Slurm's structs. */
#ifndef WTL_SLURM_DAEMON_STEP_H
#define WTL_SLURM_DAEMON_STEP_H

#include <stdbool.h>
#include <stddef.h>

enum daemon_kind { DAEMON_OTHER, DAEMON_SLURMD, DAEMON_STEPD };

struct daemon_step {
    enum daemon_kind kind;
    char id[48];  /* "24.0", "24.batch"; "" = not known yet */
    char job[24]; /* "24" */
    bool extern_; /* the step that lasts as long as the job */
};

/* Of a process name ("slurmstepd") and its command line as in /proc/PID/cmdline, n bytes. */
void daemon_step_parse(struct daemon_step *step, const char *name, const char *line, long n);

/* Of this process. A title that slurmstepd has not set yet is looked for again at the next call. */
void daemon_step_look(struct daemon_step *step);

/* The cgroup of a step from the text of /proc/PID/cgroup of one of its tasks, where its CPU time is accounted; "" if
 * Slurm has made none. */
void daemon_step_cgroup(const char *text, char *ret_path, size_t n);

#endif
