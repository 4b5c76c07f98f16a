/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a core that the measured program cannot use: see placement.h. */
#define _GNU_SOURCE
#include "record/placement.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

/* A cpuset may forbid a CPU, which only an attempt shows. The affinity is changed if it may be used. */
static int move_to(int cpu)
{
    cpu_set_t trial;
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return -EINVAL;
    CPU_ZERO(&trial);
    CPU_SET((size_t)cpu, &trial);
    return sched_setaffinity(0, sizeof trial, &trial) < 0 ? -errno : 0;
}

int wtl_placement_check(int cpu)
{
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) < 0)
        return -errno;
    int rc = move_to(cpu);
    (void)sched_setaffinity(0, sizeof mine, &mine); /* restore the previous affinity */
    return rc;
}

int wtl_placement_cpu(int wanted)
{
    if (wanted != -1)
        return wanted >= 0 ? wanted : -1;
    cpu_set_t mine;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof mine, &mine) < 0 || CPU_COUNT(&mine) >= online)
        return -1; /* the program may use all of them */
    int found = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 0; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &mine) && move_to(cpu) == 0)
            found = cpu;
    }
    (void)sched_setaffinity(0, sizeof mine, &mine); /* restore the previous affinity */
    return found;
}
