/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that slurmstepd or srun starts for us, and its output, within a limit of time. It has none of
 * slurmstepd's descriptors and is not its child, so that Slurm never waits for it by mistake.
 */
#ifndef WTL_SLURM_ERRAND_H
#define WTL_SLURM_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct slurm_errand {
    const char *const *argv; /* argv[0] is a path */
    char *const *envp;
    const char *made; /* a folder to create first, as that user; NULL = none */
    bool become;      /* this user, with these groups */
    uid_t uid;
    gid_t gid;
    const gid_t *groups;
    size_t group_count;
    int limit_ms;
    bool kill_late; /* by SIGKILL at the limit; else it continues alone */
};

/*
 * Run it and keep up to n - 1 bytes of what it writes on both streams, terminated. 0: it has closed them, as
 * it does when it ends; -ETIMEDOUT; -errno. The exit status is not known.
 */
int slurm_errand_run(const struct slurm_errand *errand, char *ret_said, size_t n);

#endif
