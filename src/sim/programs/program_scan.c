/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/programs/program_scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/process_tree.h"

#define ROOT "/sys/fs/cgroup/"

static uint64_t cpu_clock_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) < 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Is it in a group, or below? Lines are "4:cpu,cpuacct:/PATH" or "0::/PATH". */
static bool is_in(const char *text, const char *path)
{
    size_t n = strlen(path);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = memchr(line, '/', strcspn(line, "\n"));
        if (at && strncmp(at + 1, path, n) == 0 && strchr("/\n", at[1 + n]))
            return true;
    }
    return false;
}

static uint32_t groups_of(pid_t pid, const char *const *groups, size_t count)
{
    char path[48], text[4096];
    uint32_t bits = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    int fd = count > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[got < 0 ? 0 : got] = '\0';
    for (size_t i = 0; i < count; i++)
        bits |= is_in(text, groups[i]) ? UINT32_C(1) << i : 0;
    return bits;
}

size_t wtl_sim_program_scan(pid_t pid,
                            const char *const *groups,
                            size_t group_count,
                            struct wtl_sim_seen **ret_list)
{
    struct wtl_sim_process *tree;
    size_t n = wtl_sim_process_tree(pid, &tree), count = 0;
    struct wtl_sim_seen *list = calloc(n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++) {
        struct wtl_sim_seen *seen = &list[count];
        *seen = (struct wtl_sim_seen){.pid = tree[i].pid,
                                      .parent = tree[i].parent,
                                      .cpu = tree[i].cpu,
                                      .used_ns = cpu_clock_ns(tree[i].pid),
                                      .groups = groups_of(tree[i].pid, groups, group_count)};
        memcpy(seen->name, tree[i].name, sizeof seen->name);
        count += seen->used_ns > 0; /* else it has ended, or not begun */
    }
    free(tree);
    *ret_list = list;
    return count;
}

bool wtl_sim_program_group(const char *folder, char *buf, size_t n)
{
    if (strncmp(folder, ROOT, sizeof ROOT - 1) != 0)
        return false;
    const char *path = folder + sizeof ROOT - 1;
    if (access(ROOT "cgroup.controllers", F_OK) < 0) { /* CONTROLLER/PATH */
        path = strchr(path, '/');
        path = path ? path + 1 : "";
    }
    int length = snprintf(buf, n, "%s", path);
    return length > 0 && (size_t)length < n;
}
