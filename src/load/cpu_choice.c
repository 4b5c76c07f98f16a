/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/cpu_choice.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

/* cpu_set_t is limited to 1024 CPUs. */
union mask {
    cpu_set_t set;
    unsigned char bytes[WTL_LOAD_CPUS / 8];
};

int wtl_cpu_choice_allowed(struct wtl_cpu_choice *ret_choice, struct wattle_error *err)
{
    union mask mask;
    memset(&mask, 0, sizeof mask);
    if (sched_getaffinity(0, sizeof mask, &mask.set) < 0)
        return wtl_fail(err, -errno, "cannot read the CPUs this process may use: %s",
                        wtl_strerror(errno));
    ret_choice->count = 0;
    for (int cpu = 0; cpu < WTL_LOAD_CPUS; cpu++) {
        if (CPU_ISSET_S((size_t)cpu, sizeof mask, &mask.set))
            ret_choice->cpu[ret_choice->count++] = cpu;
    }
    return 0;
}

struct bits {
    unsigned char bytes[WTL_LOAD_CPUS / 8];
};

static bool has(const struct bits *bits, int cpu)
{
    return bits->bytes[cpu / 8] & 1u << cpu % 8;
}

/* All CPUs of a list, each of which must be in the choice. */
static int parse_list(const struct wtl_cpu_choice *choice,
                      const char *list,
                      const char *have,
                      struct bits *ret_wanted,
                      struct wattle_error *err)
{
    struct bits wanted = {{0}}, allowed = {{0}};
    if (wtl_parse_cpulist(list, wanted.bytes, WTL_LOAD_CPUS) <= 0)
        return wtl_fail(err, -EINVAL, "--cpus %s: expected CPU numbers such as 0-3,8", list);
    for (size_t i = 0; i < choice->count; i++)
        allowed.bytes[choice->cpu[i] / 8] |= (unsigned char)(1u << choice->cpu[i] % 8);
    for (int cpu = 0; cpu < WTL_LOAD_CPUS; cpu++) {
        if (has(&wanted, cpu) && !has(&allowed, cpu))
            return wtl_fail(err, -EINVAL, "--cpus %s: CPU %d cannot be used, only %s", list, cpu,
                            have);
    }
    *ret_wanted = wanted;
    return 0;
}

int wtl_cpu_choice_narrow(struct wtl_cpu_choice *choice,
                          const char *list,
                          size_t n,
                          struct wattle_error *err)
{
    struct bits wanted;
    char have[80];
    size_t kept = 0, at = 0;
    wtl_cpu_choice_text(choice, have, sizeof have);
    memset(&wanted, 0xff, sizeof wanted);
    int rc = list ? parse_list(choice, list, have, &wanted, err) : 0;
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < choice->count; i++)
        kept += has(&wanted, choice->cpu[i]);
    if (n > kept)
        return wtl_fail(err, -EINVAL,
                        "--threads %zu: more threads than the %zu usable CPUs (%s); use fewer", n,
                        kept, list ? list : have);
    kept = n ? n : kept;
    for (size_t i = 0; at < kept; i++) {
        if (has(&wanted, choice->cpu[i]))
            choice->cpu[at++] = choice->cpu[i];
    }
    choice->count = kept;
    return 0;
}

void wtl_cpu_choice_text(const struct wtl_cpu_choice *choice, char *text, size_t n)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0, last; i < choice->count; i = last + 1) {
        char part[40];
        for (last = i; last + 1 < choice->count && choice->cpu[last + 1] == choice->cpu[last] + 1;)
            last++;
        int length = last > i ? snprintf(part, sizeof part, "%s%d-%d", i ? "," : "", choice->cpu[i],
                                         choice->cpu[last])
                              : snprintf(part, sizeof part, "%s%d", i ? "," : "", choice->cpu[i]);
        bool end = last + 1 == choice->count;
        if (used + (size_t)length + (end ? 1 : 4) > n) {
            (void)snprintf(text + used, n - used, "...");
            return;
        }
        memcpy(text + used, part, (size_t)length + 1);
        used += (size_t)length;
    }
}

int wtl_cpu_choice_of_rank(const struct wtl_cpu_choice *choice, int local, int locals)
{
    if (choice->count == 1)
        return choice->cpu[0];
    bool common = local >= 0 && local < locals && (size_t)locals <= choice->count;
    return common ? choice->cpu[local] : -1;
}

int wtl_cpu_pin(int cpu)
{
    union mask mask;
    memset(&mask, 0, sizeof mask);
    CPU_SET_S((size_t)cpu, sizeof mask, &mask.set);
    return sched_setaffinity(0, sizeof mask, &mask.set) < 0 ? -errno : 0;
}
