/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time of a process tree: see tree_time.h. */
#include "counters/tree_time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

#define JIFFY_NS      10000000u
#define CHILDREN_SIZE (WTL_TREE_MAX * sizeof "4194304") /* PID_MAX_LIMIT, a space for the NUL */

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

/* Read a small file of a process into text. */
static ssize_t proc_file(const struct wtl_tree_time *tree,
                         pid_t pid,
                         const char *name,
                         char *text,
                         size_t n)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return wtl_world_text(tree->world, path, text, n);
}

/* utime + stime + cutime + cstime: fields 14 to 17, counted after the last ')' of the name. */
static int process_ns(const struct wtl_tree_time *tree, pid_t pid, uint64_t *ret_ns)
{
    char text[1024];
    ssize_t n = proc_file(tree, pid, "stat", text, sizeof text);
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
    *ret_ns = sum * JIFFY_NS;
    return 0;
}

/* Push the children of a process; it is an error if they do not fit. */
static int push_children(const struct wtl_tree_time *tree, pid_t pid, size_t *depth)
{
    char name[40];
    (void)snprintf(name, sizeof name, "task/%d/children", (int)pid);
    ssize_t n = proc_file(tree, pid, name, tree->text, CHILDREN_SIZE);
    if (n < 0)
        return n == -EOVERFLOW ? -EOVERFLOW : 0; /* ended, or the kernel has no such file */
    const char *at = tree->text;
    uint64_t child;
    int used;
    while ((used = wtl_scan_u64(at, strlen(at), &child)) > 0) {
        if (*depth == WTL_TREE_MAX || child > INT32_MAX)
            return -EOVERFLOW;
        tree->stack[(*depth)++] = (pid_t)child;
        at += used;
        at += *at == ' ';
    }
    return 0;
}

static int walk(const struct wtl_tree_time *tree, uint64_t *ret_ns)
{
    size_t depth = 0, seen = 0;
    uint64_t sum = 0;
    tree->stack[depth++] = tree->pid;
    while (depth > 0) {
        pid_t pid = tree->stack[--depth];
        uint64_t own;
        int rc = process_ns(tree, pid, &own);
        if (rc < 0 && seen == 0)
            return rc; /* the root itself */
        if (++seen > WTL_TREE_MAX)
            return -EOVERFLOW;
        if (rc < 0)
            continue; /* ended since its parent was read */
        sum += own;
        rc = push_children(tree, pid, &depth);
        if (rc < 0)
            return rc;
    }
    *ret_ns = sum;
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
        int rc = walk(tree, &value);
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
    tree->stack = malloc(WTL_TREE_MAX * sizeof *tree->stack);
    tree->text = malloc(CHILDREN_SIZE);
    if (!tree->stack || !tree->text) {
        wtl_tree_time_close(tree);
        return -ENOMEM;
    }
    uint64_t first;
    int rc = walk(tree, &first);
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
    free(tree->stack);
    free(tree->text);
    tree->stack = NULL;
    tree->text = NULL;
    tree->fd = -1;
}
