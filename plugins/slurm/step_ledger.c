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

#include "daemon_step.h"
#include "node_energy.h"

enum { TEXT = 4096, REPLY = 4096, PATH = 256, NOTE = 1400, REQUEST = 2048 };

static void cgroup_of(pid_t task, char path[PATH])
{
    char name[40], text[TEXT];
    (void)snprintf(name, sizeof name, "/proc/%d/cgroup", (int)task);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)close(fd);
    text[got > 0 ? got : 0] = '\0';
    daemon_step_cgroup(text, path, PATH);
}

/* Without a wattled, a line for each step would be noise. */
static void log_failure(const char *name, const char *what, int rc, char *reply)
{
    reply[strcspn(reply, "\n")] = '\0';
    if (rc == -ENOENT || rc == -ECONNREFUSED)
        slurm_verbose("wattle: step %s: wattled is not running on this node", name);
    else
        slurm_info("wattle: step %s does not %s in wattled's ledger: %s", name, what,
                   rc == -ECANCELED ? reply : strerror(-rc));
}

/* The note of the job, which says who it is, as that of this step; "" without one (docs/format/page.md). */
static void note_of(const char *name, uint64_t until_ns, char note[NOTE + 1])
{
    static const char none[] = "\"step\":\"\"";
    char request[80], reply[REPLY];
    int job = (int)strcspn(name, ".");
    note[0] = '\0';
    (void)snprintf(request, sizeof request, "job %.*s", job, name);
    char *found = slurm_wattled_wait(request, reply, sizeof reply, until_ns) == 0
                      ? strstr(reply, "\nnote = ")
                      : NULL;
    if (!found)
        return;
    found += strlen("\nnote = ");
    found[strcspn(found, "\n")] = '\0';
    const char *step = strstr(found, none);
    int n = step ? snprintf(note, NOTE + 1, "%.*s\"step\":\"%s\"%s", (int)(step - found), found,
                            name + job + 1, step + sizeof none - 1)
                 : 0;
    if (n > NOTE)
        note[0] = '\0';
}

bool step_ledger_begin(const char *name, pid_t task)
{
    char request[REQUEST], reply[REPLY], cgroup[PATH], note[NOTE + 1];
    const uint64_t until_ns = slurm_wattled_until();
    cgroup_of(task, cgroup);
    note_of(name, until_ns, note);
    (void)snprintf(request, sizeof request, "begin %s\nparent=%.*s\npid=%d%s%s%s%s\n", name,
                   (int)strcspn(name, "."), name, (int)getpid(), cgroup[0] ? "\ncgroup=" : "",
                   cgroup, note[0] ? "\nnote=" : "", note);
    int rc = slurm_wattled_wait(request, reply, sizeof reply, until_ns);
    if (rc < 0)
        log_failure(name, "begin", rc, reply);
    return rc == 0;
}

void step_ledger_end(const char *name)
{
    char request[80], reply[REPLY];
    (void)snprintf(request, sizeof request, "end %.64s", name);
    int rc = slurm_wattled_wait(request, reply, sizeof reply, slurm_wattled_until());
    if (rc < 0)
        log_failure(name, "end", rc, reply);
}
