/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of a live node: see gpu_kernels.h. There are few at a time, so that all are looked at for each event. */
#define _DEFAULT_SOURCE
#include "sim/gpu/gpu_kernels.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"

int wtl_sim_kernel_parse(char *lines,
                         int gpus,
                         uint64_t now_ns,
                         struct wtl_sim_kernel *ret,
                         long *ret_pid,
                         struct wattle_error *err)
{
    const uint64_t longest_ns = UINT64_C(1000000000000);
    uint64_t numbers[4] = {0}; /* GPU, NS, PID, AFTER */
    double level = -1;
    int word = 0;
    bool bad = false;
    for (const char *next; (next = strsep(&lines, "\n"));) {
        if (!*next)
            continue;
        if (word == 2)
            bad |= wtl_parse_double(next, &level) < 0;
        else
            bad |= word > 4 || wtl_parse_u64(next, &numbers[word > 2 ? word - 1 : word]) < 0;
        word++;
    }
    if (bad || word < 4 || !(level >= 0 && level <= 1) || numbers[1] > longest_ns ||
        numbers[3] > now_ns + longest_ns)
        return wtl_fail(err, -EINVAL,
                        "write kernel, GPU, nanoseconds, share (0 to 1), PID and possibly an "
                        "instant, a line each");
    if (numbers[0] >= (uint64_t)gpus)
        return wtl_fail(err, -EINVAL, "this node has no GPU %llu; see --gpu",
                        (unsigned long long)numbers[0]);
    ret->gpu = (int)numbers[0];
    ret->level = level;
    ret->from_ns = numbers[3] > now_ns ? numbers[3] : now_ns + 1;
    ret->until_ns = ret->from_ns + numbers[1];
    *ret_pid = (long)numbers[2];
    return 0;
}

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

/* The first begin or end after `last` (or at it, for the first), up to now_ns; or UINT64_MAX. */
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
