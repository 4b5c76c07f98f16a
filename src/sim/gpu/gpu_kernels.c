/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of a live node: see gpu_kernels.h. There are few at a time, so that all are looked at for each event. */
#include "sim/gpu/gpu_kernels.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

void wtl_sim_kernels_fini(struct wtl_sim_kernels *kernels)
{
    free(kernels->list);
    free(kernels->processes);
    *kernels = (struct wtl_sim_kernels){0};
}

int wtl_sim_kernels_add(struct wtl_sim_kernels *kernels,
                        const struct wtl_sim_kernel *kernel,
                        long pid)
{
    size_t i = 0;
    while (i < kernels->process_count &&
           (kernels->processes[i].pid != pid || kernels->processes[i].gpu != kernel->gpu))
        i++;
    if (wtl_reserve(&kernels->list, &kernels->capacity, kernels->count + 1, sizeof *kernels->list) <
            0 ||
        wtl_reserve(&kernels->processes, &kernels->process_capacity, i + 1,
                    sizeof *kernels->processes) < 0)
        return -ENOMEM;
    if (i == kernels->process_count)
        kernels->processes[kernels->process_count++] =
            (struct wtl_sim_gpu_process){.pid = pid, .gpu = kernel->gpu};
    kernels->processes[i].busy_ns += kernel->until_ns - kernel->from_ns;
    if (kernel->until_ns > kernel->from_ns)
        kernels->list[kernels->count++] = *kernel;
    return 0;
}

/* The share used just after time_ns. */
static double level_at(const struct wtl_sim_kernels *kernels, int gpu, uint64_t time_ns)
{
    double sum = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        const struct wtl_sim_kernel *k = &kernels->list[i];
        if (k->gpu == gpu && k->from_ns <= time_ns && time_ns < k->until_ns)
            sum += k->level;
    }
    return fmin(sum, 1);
}

/* The first begin or end after `last` (or at it, for the first), up to now_ns; UINT64_MAX if there is none. */
static uint64_t next_event(const struct wtl_sim_kernels *kernels,
                           uint64_t after_ns,
                           uint64_t now_ns)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < kernels->count; i++) {
        const uint64_t times[] = {kernels->list[i].from_ns, kernels->list[i].until_ns};
        for (size_t k = 0; k < 2; k++) {
            if (times[k] > after_ns && times[k] <= now_ns && times[k] < next)
                next = times[k];
        }
    }
    return next;
}

void wtl_sim_kernels_until(struct wtl_sim_kernels *kernels,
                           uint64_t now_ns,
                           void (*step)(void *context, uint64_t time_ns, int gpu, double level),
                           void *context)
{
    if (kernels->count == 0)
        return;
    for (uint64_t at = kernels->done_ns; (at = next_event(kernels, at, now_ns)) != UINT64_MAX;) {
        bool changed[WTL_SIM_GPUS] = {false};
        for (size_t i = 0; i < kernels->count; i++)
            changed[kernels->list[i].gpu] |=
                kernels->list[i].from_ns == at || kernels->list[i].until_ns == at;
        for (int gpu = 0; gpu < WTL_SIM_GPUS; gpu++) {
            if (changed[gpu])
                step(context, at, gpu, level_at(kernels, gpu, at));
        }
    }
    kernels->done_ns = now_ns;
    size_t kept = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        if (kernels->list[i].until_ns > now_ns)
            kernels->list[kept++] = kernels->list[i];
    }
    kernels->count = kept;
}

ssize_t wtl_sim_kernels_show(const struct wtl_sim_kernels *kernels, int gpu, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < kernels->process_count; i++) {
        const struct wtl_sim_gpu_process *p = &kernels->processes[i];
        if (p->gpu != gpu)
            continue;
        int n =
            snprintf(buf + used, size - used, "%ld %llu\n", p->pid, (unsigned long long)p->busy_ns);
        if (n < 0 || (size_t)n >= size - used)
            break;
        used += (size_t)n;
    }
    return (ssize_t)used;
}
