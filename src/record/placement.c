/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a core that the measured program cannot use: see placement.h. */
#define _GNU_SOURCE
#include "record/placement.h"

#include <sched.h>
#include <unistd.h>

int wtl_placement_cpu(int wanted)
{
    if (wanted != -1)
        return wanted >= 0 ? wanted : -1;
    cpu_set_t mine, trial;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof mine, &mine) < 0 || CPU_COUNT(&mine) >= online)
        return -1; /* the program may use all of them */
    int found = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 0; cpu++) {
        if (CPU_ISSET((size_t)cpu, &mine))
            continue;
        CPU_ZERO(&trial);
        CPU_SET((size_t)cpu, &trial);
        /* A cpuset may forbid it, which only an attempt shows. */
        if (sched_setaffinity(0, sizeof trial, &trial) == 0)
            found = cpu;
    }
    (void)sched_setaffinity(0, sizeof mine, &mine); /* restore the previous affinity */
    return found;
}
