/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a tree: see tree_walk.h. */
#include "counters/tree_walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define CHILDREN_SIZE (WTL_TREE_MAX * sizeof "4194304") /* PID_MAX_LIMIT, a space for the NUL */

int wtl_tree_walk_init(struct wtl_tree_walk *walk, const struct wtl_world *world, pid_t pid)
{
    *walk = (struct wtl_tree_walk){.world = world, .pid = pid};
    walk->stack = malloc(WTL_TREE_MAX * sizeof *walk->stack);
    walk->text = malloc(CHILDREN_SIZE);
    if (walk->stack && walk->text)
        return 0;
    wtl_tree_walk_fini(walk);
    return -ENOMEM;
}

void wtl_tree_walk_fini(struct wtl_tree_walk *walk)
{
    free(walk->stack);
    free(walk->text);
    walk->stack = NULL;
    walk->text = NULL;
}

ssize_t wtl_tree_walk_text(const struct wtl_tree_walk *walk,
                           pid_t pid,
                           const char *name,
                           char *text,
                           size_t n)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return wtl_world_text(walk->world, path, text, n);
}

/* Push the children that a thread started; it is an error if they do not fit. */
static int push_of_thread(const struct wtl_tree_walk *walk, pid_t pid, uint64_t tid, size_t *depth)
{
    char name[48];
    (void)snprintf(name, sizeof name, "task/%llu/children", (unsigned long long)tid);
    ssize_t n = wtl_tree_walk_text(walk, pid, name, walk->text, CHILDREN_SIZE);
    if (n < 0)
        return n == -EOVERFLOW ? -EOVERFLOW : 0; /* ended, or the kernel has no such file */
    const char *at = walk->text;
    uint64_t child;
    int used;
    while ((used = wtl_scan_u64(at, strlen(at), &child)) > 0) {
        if (*depth == WTL_TREE_MAX || child > INT32_MAX)
            return -EOVERFLOW;
        walk->stack[(*depth)++] = (pid_t)child;
        at += used;
        at += *at == ' ';
    }
    return 0;
}

static int push_children(const struct wtl_tree_walk *walk, pid_t pid, size_t *depth)
{
    char path[40], **names;
    if (!walk->of_all_threads)
        return push_of_thread(walk, pid, (uint64_t)pid, depth);
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    int count = walk->world->ops->list(walk->world, path, &names), rc = 0;
    if (count < 0)
        return count == -ENOMEM ? -ENOMEM : 0; /* ended */
    for (int i = 0; i < count && rc == 0; i++) {
        uint64_t tid;
        if (wtl_parse_u64(names[i], &tid) == 0)
            rc = push_of_thread(walk, pid, tid, depth);
    }
    free((void *)names);
    return rc;
}

int wtl_tree_walk_all(const struct wtl_tree_walk *walk, wtl_tree_walk_fn *visit, void *context)
{
    size_t depth = 0, seen = 0;
    walk->stack[depth++] = walk->pid;
    while (depth > 0) {
        pid_t pid = walk->stack[--depth];
        int rc = visit(walk, pid, context);
        if (rc < 0 && seen == 0)
            return rc; /* the root itself */
        if (++seen > WTL_TREE_MAX)
            return -EOVERFLOW;
        if (rc < 0)
            continue; /* ended since its parent was read */
        rc = push_children(walk, pid, &depth);
        if (rc < 0)
            return rc;
    }
    return 0;
}
