/* SPDX-License-Identifier: BSD-3-Clause */
/* The logical CPUs that a load runs on, and pinning of threads to them. */
#ifndef WTL_LOAD_CPU_CHOICE_H
#define WTL_LOAD_CPU_CHOICE_H

#include <stddef.h>

#include <wattle/error.h>

enum { WTL_LOAD_CPUS = 8192 };

struct wtl_cpu_choice {
    size_t count;
    int cpu[WTL_LOAD_CPUS]; /* ascending; or in the order of the given list */
};

/* The CPUs that the calling thread may use: its affinity mask, which a cpuset limits. 0, or
 * -errno. */
int wtl_cpu_choice_allowed(struct wtl_cpu_choice *ret_choice, struct wattle_error *err);

/*
 * Keep of the allowed CPUs those in `list` ("0-3,8"; NULL = all), and of these the first n (0 =
 * all). -EINVAL with a message, and the choice unchanged, if the list is invalid, a CPU is not
 * allowed, or there are fewer than n.
 */
int wtl_cpu_choice_narrow(struct wtl_cpu_choice *choice,
                          const char *list,
                          size_t n,
                          struct wattle_error *err);

/* The choice as "0-3,8"; truncated to fit, with "..." at the end. */
void wtl_cpu_choice_text(const struct wtl_cpu_choice *choice, char *text, size_t n);

/*
 * The CPU for the rank with the number `local` (from 0) of `locals` on this node, among those it
 * may use; -1: stay where the launcher has bound it. A mask with at least one CPU for each rank is
 * taken as common to all, and is dealt out. A smaller one was narrowed by the launcher, which
 * spread the ranks; which CPUs others share is then unknown.
 */
int wtl_cpu_choice_of_rank(const struct wtl_cpu_choice *choice, int local, int locals);

/* Pin the calling thread. 0, or -errno. */
int wtl_cpu_pin(int cpu);

#endif
