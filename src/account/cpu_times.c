/* SPDX-License-Identifier: BSD-3-Clause */
/* See cpu_times.h. The lines of the CPUs are the first of /proc/stat. */
#include "account/cpu_times.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/world/topology.h"

enum { LINE_MOST = 4 + 11 * 21, FIRST_IDLE = 3, IOWAIT = 4, STEAL = 7 };

static void find_cores(struct wtl_cpu_times *times, const struct wtl_topology *topology)
{
    bool crowded = false;
    for (size_t i = 0; i < times->count; i++) {
        const struct wtl_cpu *cpu = &topology->cpus[i];
        size_t beside = 0;
        times->numbers[i] = cpu->number;
        times->core_of[i] = (uint32_t)i;
        for (size_t k = 0; k < i && cpu->core >= 0; k++) {
            const struct wtl_cpu *other = &topology->cpus[k];
            if (other->core != cpu->core || other->die != cpu->die ||
                other->package != cpu->package)
                continue;
            times->core_of[i] = times->core_of[k];
            crowded |= ++beside > 1;
        }
    }
    for (size_t i = 0; crowded && i < times->count; i++)
        times->core_of[i] = (uint32_t)i;
}

static bool take_memory(struct wtl_cpu_times *times, bool with_frequency)
{
    size_t n = times->count;
    times->size = (n + 2) * LINE_MOST;
    times->text = (char *)malloc(times->size);
    times->numbers = (int *)calloc(n, sizeof *times->numbers);
    times->core_of = (uint32_t *)calloc(n, sizeof *times->core_of);
    times->busy_s = (double *)calloc(n, sizeof *times->busy_s);
    times->spared = (uint64_t *)calloc(2 * n, sizeof *times->spared);
    times->mark_spared = times->spared ? times->spared + n : NULL;
    if (with_frequency)
        times->frequency_ghz = (double *)calloc(3 * n, sizeof *times->frequency_ghz);
    if (times->frequency_ghz) {
        times->now_ghz = times->frequency_ghz + n;
        times->mark_ghz = times->now_ghz + n;
    }
    return times->text && times->numbers && times->core_of && times->busy_s && times->spared &&
           (!with_frequency || times->frequency_ghz);
}

static void drop_frequency(struct wtl_cpu_times *times)
{
    free(times->frequency_ghz);
    times->frequency_ghz = times->now_ghz = times->mark_ghz = NULL;
}

/* Of each CPU; where one is missing, none is used. */
static void read_frequency(struct wtl_cpu_times *times)
{
    for (size_t i = 0; i < times->count && times->frequency_ghz; i++) {
        char path[80];
        uint64_t khz;
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
                       times->numbers[i]);
        if (wtl_world_u64(times->world, path, &khz) < 0 || khz == 0) {
            drop_frequency(times);
            return;
        }
        times->now_ghz[i] = (double)khz * 1e-6;
        times->frequency_ghz[i] = (times->now_ghz[i] + times->mark_ghz[i]) / 2;
    }
}

/* Ticks that a line "N user nice system idle iowait irq softirq steal" counts as not busy; false if it is not one. */
static bool take_line(const char *at, const char *end, uint64_t *ret_number, uint64_t *ret_spared)
{
    int used = wtl_scan_u64(at, (size_t)(end - at), ret_number);
    *ret_spared = 0;
    for (unsigned field = 0; used > 0 && field <= STEAL; field++) {
        uint64_t value;
        at += used;
        while (at < end && *at == ' ')
            at++;
        used = wtl_scan_u64(at, (size_t)(end - at), &value);
        if (used > 0 && (field == FIRST_IDLE || field == IOWAIT || field == STEAL))
            *ret_spared += value;
        if (used <= 0)
            return field > IOWAIT; /* old kernels have fewer */
    }
    return used > 0;
}

static size_t take_lines(struct wtl_cpu_times *times, const char *text)
{
    size_t found = 0, i = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        uint64_t number, spared;
        line += *line == '\n';
        if (strncmp(line, "cpu", 3) != 0 ||
            !take_line(line + 3, line + strcspn(line, "\n"), &number, &spared))
            continue;
        while (i < times->count && (uint64_t)times->numbers[i] < number)
            i++;
        if (i == times->count || (uint64_t)times->numbers[i] != number)
            continue;
        times->spared[i] = spared;
        found++;
    }
    return found;
}

int wtl_cpu_times_look(struct wtl_cpu_times *times)
{
    const struct wtl_world *world = times->world;
    size_t used = 0;
    ssize_t n;
    do {
        n = world->ops->pread(world, times->fd, times->text + used, times->size - 1 - used,
                              (off_t)used);
        if (n < 0)
            return (int)n;
        used += (size_t)n;
    } while (n > 0 && used + 1 < times->size);
    times->text[used] = '\0';
    times->now_ns = wtl_world_monotonic(world);
    if (take_lines(times, times->text) == 0)
        return -ENODATA;
    double elapsed_s = (double)(times->now_ns - times->mark_ns) * 1e-9;
    for (size_t i = 0; i < times->count; i++) {
        double spared_s =
            (double)(int64_t)(times->spared[i] - times->mark_spared[i]) * WTL_CPU_TICK_S;
        times->busy_s[i] = fmin(fmax(elapsed_s - spared_s, 0), elapsed_s);
    }
    read_frequency(times);
    return 0;
}

void wtl_cpu_times_mark(struct wtl_cpu_times *times)
{
    times->mark_ns = times->now_ns;
    for (size_t i = 0; i < times->count; i++) {
        times->mark_spared[i] = times->spared[i];
        times->busy_s[i] = 0;
        if (times->frequency_ghz)
            times->mark_ghz[i] = times->frequency_ghz[i] = times->now_ghz[i];
    }
}

int wtl_cpu_times_open(struct wtl_cpu_times *times,
                       const struct wtl_world *world,
                       bool with_frequency,
                       struct wattle_error *err)
{
    struct wtl_topology topology = {0};
    *times = (struct wtl_cpu_times){.world = world, .fd = -1};
    int rc = wtl_topology_load(world, &topology);
    times->count = topology.count;
    if (rc == 0 && !take_memory(times, with_frequency))
        rc = -ENOMEM;
    if (rc == 0)
        find_cores(times, &topology);
    wtl_topology_fini(&topology);
    if (rc == 0)
        rc = times->fd = world->ops->open(world, "/proc/stat", O_RDONLY);
    rc = rc < 0 ? rc : wtl_cpu_times_look(times);
    if (rc < 0) {
        wtl_cpu_times_close(times);
        return wtl_fail(err, rc, "cannot read the busy time of each CPU from /proc/stat: %s",
                        wtl_strerror(rc));
    }
    wtl_cpu_times_mark(times);
    return 0;
}

void wtl_cpu_times_close(struct wtl_cpu_times *times)
{
    if (!times->world)
        return;
    if (times->fd >= 0)
        times->world->ops->close(times->world, times->fd);
    free(times->text);
    free(times->numbers);
    free(times->core_of);
    free(times->busy_s);
    free(times->spared);
    drop_frequency(times);
    *times = (struct wtl_cpu_times){.fd = -1};
}

struct wtl_share_cpus wtl_cpu_times_cpus(const struct wtl_cpu_times *times)
{
    return (struct wtl_share_cpus){.count = times->count,
                                   .core_of = times->core_of,
                                   .busy_s = times->busy_s,
                                   .frequency_ghz = times->frequency_ghz};
}

bool wtl_cpu_times_are_some(const struct wtl_cpu_times *times, const char *list, bool *may_on)
{
    uint8_t set[WTL_CPUS_MAX / 8] = {0};
    size_t some = 0;
    if (!list || wtl_parse_cpulist(list, set, WTL_CPUS_MAX) <= 0)
        return false;
    for (size_t i = 0; i < times->count; i++) {
        unsigned number = (unsigned)times->numbers[i];
        may_on[i] = set[number / 8] >> number % 8 & 1;
        some += may_on[i];
    }
    return some > 0 && some < times->count;
}
