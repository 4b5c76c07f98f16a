/* SPDX-License-Identifier: BSD-3-Clause */
/* See step_ledger.h; the requests are those of docs/format/page.md. */
#define _GNU_SOURCE
#include "step_ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "node_energy.h"

enum { TEXT = 4096, REPLY = 4096, PATH = 256 };

/* The hierarchies in which wattled reads CPU time: v1's cpuacct, alone or with others, and v2. */
static bool has_time(const char *line, const char *colon)
{
    const char *word = strstr(line, "cpuacct");
    return strncmp(line, "0::", 3) == 0 || (word && word < colon);
}

void step_ledger_cgroup(const char *text, char *ret_path, size_t n)
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

static void cgroup_of(pid_t task, char path[PATH])
{
    char name[40], text[TEXT];
    (void)snprintf(name, sizeof name, "/proc/%d/cgroup", (int)task);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd);
    text[got > 0 ? got : 0] = '\0';
    step_ledger_cgroup(text, path, PATH);
}

/* Where there is no wattled, nobody needs a line for each step. */
static void log_failure(const char *name, const char *what, int rc, char *reply)
{
    reply[strcspn(reply, "\n")] = '\0';
    if (rc == -ENOENT || rc == -ECONNREFUSED)
        slurm_verbose("wattle: step %s: wattled is not running on this node", name);
    else
        slurm_info("wattle: step %s does not %s in wattled's ledger: %s", name, what,
                   rc == -ECANCELED ? reply : strerror(-rc));
}

bool step_ledger_begin(const char *name, pid_t task)
{
    char request[PATH + 200], reply[REPLY], cgroup[PATH];
    cgroup_of(task, cgroup);
    (void)snprintf(request, sizeof request, "begin %s\nparent=%.*s\npid=%d%s%s\n", name,
                   (int)strcspn(name, "."), name, (int)getpid(), cgroup[0] ? "\ncgroup=" : "",
                   cgroup);
    int rc = slurm_wattled_ask(request, reply, sizeof reply);
    if (rc < 0)
        log_failure(name, "begin", rc, reply);
    return rc == 0;
}

void step_ledger_end(const char *name)
{
    char request[80], reply[REPLY];
    (void)snprintf(request, sizeof request, "end %.64s", name);
    int rc = slurm_wattled_ask(request, reply, sizeof reply);
    if (rc < 0)
        log_failure(name, "end", rc, reply);
}
