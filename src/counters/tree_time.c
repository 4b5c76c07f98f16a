/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time of a process tree: see tree_time.h. */
#include "counters/tree_time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

#define JIFFY_NS 10000000u

static int open_perf(const struct wtl_world *world, pid_t pid)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .inherit = 1,
        /* Permitted for everyone by perf_event_paranoid 2. The clock still counts time in the kernel: it
         * is not stopped on kernel entry. */
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return world->ops->perf_event_open(world, &attr, pid, -1, -1, 0);
}

/* utime + stime + cutime + cstime: fields 14 to 17, counted after the last ')' of the name. */
static int add_process(const struct wtl_tree_walk *walk, pid_t pid, void *context)
{
    char text[1024];
    uint64_t *ns = context;
    ssize_t n = wtl_tree_walk_text(walk, pid, "stat", text, sizeof text);
    if (n < 0)
        return (int)n;
    const char *at = strrchr(text, ')');
    if (!at)
        return -EBADMSG;
    for (int field = 2; field < 14; field++) {
        at = strchr(at + 1, ' ');
        if (!at)
            return -EBADMSG;
    }
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t value;
        at += *at == ' ';
        int used = wtl_scan_u64(at, strlen(at), &value);
        if (used <= 0)
            return -EBADMSG;
        sum += value;
        at += used;
    }
    *ns += sum * JIFFY_NS;
    return 0;
}

int wtl_tree_time_read(struct wtl_tree_time *tree, uint64_t *ret_ns)
{
    uint64_t value;
    if (tree->fd >= 0) {
        ssize_t n = tree->world->ops->read(tree->world, tree->fd, &value, sizeof value);
        if (n != (ssize_t)sizeof value)
            return n < 0 ? (int)n : -EIO;
    } else {
        value = 0;
        int rc = wtl_tree_walk_all(&tree->walk, add_process, &value);
        if (rc == -ENOENT || rc == -ESRCH)
            value = tree->last_ns;
        else if (rc < 0)
            return rc;
    }
    if (value > tree->last_ns)
        tree->last_ns = value;
    *ret_ns = tree->last_ns;
    return 0;
}

int wtl_tree_time_open(struct wtl_tree_time *tree,
                       const struct wtl_world *world,
                       pid_t pid,
                       bool inherit,
                       struct wattle_error *err)
{
    *tree = (struct wtl_tree_time){.world = world, .pid = pid, .fd = -1};
    if (inherit) {
        int fd = open_perf(world, pid);
        if (fd >= 0) {
            tree->fd = fd;
            (void)snprintf(tree->where, sizeof tree->where, "perf task-clock of pid %d, inherited",
                           (int)pid);
            return 0;
        }
    }
    int rc = wtl_tree_walk_init(&tree->walk, world, pid);
    if (rc < 0)
        return rc;
    uint64_t first = 0;
    rc = wtl_tree_walk_all(&tree->walk, add_process, &first);
    if (rc < 0) {
        wtl_tree_time_close(tree);
        return wtl_fail(err, rc, "/proc/%d/stat: %s", (int)pid, wtl_strerror(rc));
    }
    (void)snprintf(tree->where, sizeof tree->where, "/proc/%d/stat and those of its children",
                   (int)pid);
    return 0;
}

void wtl_tree_time_close(struct wtl_tree_time *tree)
{
    if (tree->world && tree->fd >= 0)
        tree->world->ops->close(tree->world, tree->fd);
    wtl_tree_walk_fini(&tree->walk);
    tree->fd = -1;
}
