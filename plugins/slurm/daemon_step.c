/* SPDX-License-Identifier: BSD-3-Clause */
/* See daemon_step.h. slurmstepd's title is "slurmstepd: [24.0]" in all versions seen, 22.05 to 26.05. */
#define _GNU_SOURCE
#include "daemon_step.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long read_file(const char *path, char *text, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, n - 1);
    if (fd >= 0)
        (void)close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

/* "24.0]" to an id of the letters that ids have. */
static void take_id(struct daemon_step *step, const char *at)
{
    static const char ok[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._+-";
    size_t n = strspn(at, ok);
    const char *dot = memchr(at, '.', n);
    if (at[n] != ']' || n >= sizeof step->id || !dot || dot == at ||
        (size_t)(dot - at) >= sizeof step->job)
        return;
    memcpy(step->id, at, n);
    step->id[n] = '\0';
    memcpy(step->job, at, (size_t)(dot - at));
    step->job[dot - at] = '\0';
    step->extern_ = strcmp(step->id + (dot - at), ".extern") == 0;
}

void daemon_step_parse(struct daemon_step *step, const char *name, const char *line, long n)
{
    step->kind = strcmp(name, "slurmd") == 0       ? DAEMON_SLURMD
                 : strcmp(name, "slurmstepd") == 0 ? DAEMON_STEPD
                                                   : DAEMON_OTHER;
    if (step->kind != DAEMON_STEPD || n <= 0)
        return;
    const char *bracket = memchr(line, '[', (size_t)n);
    if (bracket)
        take_id(step, bracket + 1);
}

void daemon_step_look(struct daemon_step *step)
{
    char name[32], line[256];
    if (step->id[0] || step->kind == DAEMON_SLURMD)
        return;
    (void)read_file("/proc/self/comm", name, sizeof name);
    name[strcspn(name, "\n")] = '\0';
    long n = read_file("/proc/self/cmdline", line, sizeof line);
    daemon_step_parse(step, name, line, n);
}

/* The hierarchies in which wattled reads CPU time: v1's cpuacct, alone or with others, and v2. */
static bool has_time(const char *line, const char *colon)
{
    const char *word = strstr(line, "cpuacct");
    return strncmp(line, "0::", 3) == 0 || (word && word < colon);
}

void daemon_step_cgroup(const char *text, char *ret_path, size_t n)
{
    ret_path[0] = '\0';
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        size_t length = strcspn(line, "\n");
        const char *first = memchr(line, ':', length);
        const char *path =
            first ? memchr(first + 1, ':', length - (size_t)(first + 1 - line)) : NULL;
        if (!path || !has_time(line, path))
            continue;
        const char *end = line + length, *step = strstr(++path, "/step_");
        if (!step || step >= end || !memmem(path, (size_t)(step - path), "/job_", 5))
            continue;
        size_t used = (size_t)(step - path) + 1;
        used += strcspn(path + used, "/\n");
        if (used < n) {
            memcpy(ret_path, path, used);
            ret_path[used] = '\0';
        }
        return;
    }
}
