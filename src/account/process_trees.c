/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See process_trees.h. A child that has ended is in the waited time of its parent as a whole, of which the last scan has seen
 * a part already: that part is taken off its nearest ancestor that still runs, but never more than what that one waited for.
 */
#define _GNU_SOURCE
#include "account/process_trees.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/process_stat.h"
#include "base/parse.h"

struct process {
    pid_t pid, parent;
    uint64_t start, cpu_ns, waited_ns;
    uint32_t slurm; /* slurmstepd of this job; 0 = it is none */
    bool is_extern; /* of its step extern, which is there as long as the job has the node */
};

struct wtl_process_scan {
    size_t count;
    struct process list[]; /* by pid */
};

struct wtl_tree_member {
    struct process process;
    uint64_t ended_ns; /* what the last scan saw of those below it that have ended since */
    bool alive;        /* in the next scan as well */
};

/* ---- scanning ---- */

/* "slurmstepd: [12.batch]", of root: anybody can name a process so. */
static uint32_t job_of_stepd(const struct wtl_world *world, const char *pid, bool *ret_extern)
{
    static const char title[] = "slurmstepd: [";
    char text[4096];
    uint64_t job;
    if (wtl_process_read(world, pid, "cmdline", text, sizeof text) <= 0 ||
        strncmp(text, title, sizeof title - 1) != 0)
        return 0;
    const char *number = text + sizeof title - 1;
    int used = wtl_scan_u64(number, strlen(number), &job);
    *ret_extern = used > 0 && strncmp(number + used, ".extern]", 8) == 0;
    if (used <= 0 || job > UINT32_MAX || (number[used] != '.' && number[used] != ']'))
        return 0;
    return wtl_process_read(world, pid, "status", text, sizeof text) > 0 &&
                   wtl_process_status_uid(text) == 0
               ? (uint32_t)job
               : 0;
}

int wtl_process_scan(const struct wtl_world *world, struct wtl_process_scan **ret_scan)
{
    char **names = NULL, text[1024];
    int count = world->ops->list(world, "/proc", &names); /* sorted by number */
    if (count < 0)
        return count;
    struct wtl_process_scan *scan = calloc(1, sizeof *scan + (size_t)count * sizeof *scan->list);
    for (int i = 0; scan && i < count; i++) {
        struct wtl_process_stat stat;
        if (!isdigit((unsigned char)names[i][0]) ||
            wtl_process_read(world, names[i], "stat", text, sizeof text) <= 0 ||
            wtl_process_stat_parse(text, &stat) < 0)
            continue; /* not a process, or one that has just ended */
        struct process *process = &scan->list[scan->count++];
        *process = (struct process){.pid = stat.pid,
                                    .parent = stat.parent,
                                    .start = stat.start_ticks,
                                    .cpu_ns = stat.cpu_ns,
                                    .waited_ns = stat.waited_ns};
        if (strcmp(stat.name, "slurmstepd") == 0)
            process->slurm = job_of_stepd(world, names[i], &process->is_extern);
    }
    free(names);
    *ret_scan = scan;
    return scan ? 0 : -ENOMEM;
}

void wtl_process_scan_free(struct wtl_process_scan *scan)
{
    free(scan);
}

/* ---- trees ---- */

static int by_pid(const void *key, const void *item)
{
    pid_t a = *(const pid_t *)key, b = ((const struct process *)item)->pid;
    return (a > b) - (a < b);
}

static size_t number_of(const struct wtl_process_scan *scan, pid_t pid)
{
    const struct process *found =
        bsearch(&pid, scan->list, scan->count, sizeof *scan->list, by_pid);
    return found ? (size_t)(found - scan->list) : scan->count;
}

static struct wtl_tree_member *member_of(const struct wtl_process_tree *tree, pid_t pid)
{
    size_t low = 0, high = tree->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->members[middle].process.pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->count && tree->members[low].process.pid == pid ? &tree->members[low] : NULL;
}

static bool is_root(const struct process *process,
                    const struct wtl_tree_root *root,
                    struct wtl_process_tree *tree)
{
    if (root->slurm && process->slurm == root->slurm)
        return true;
    if (!root->pid || process->pid != (pid_t)root->pid)
        return false;
    if (tree->root_start == 0)
        tree->root_start = process->start;
    return process->start == tree->root_start;
}

/* Which processes of the scan belong to it; their number. */
static size_t mark(const struct wtl_process_scan *scan,
                   const struct wtl_tree_root *root,
                   struct wtl_process_tree *tree,
                   bool *marks)
{
    size_t count = 0;
    bool more = true;
    for (size_t i = 0; i < scan->count; i++) {
        struct wtl_tree_member *member = member_of(tree, scan->list[i].pid);
        bool before = member && member->process.start == scan->list[i].start;
        if (before)
            member->alive = true;
        marks[i] = before || is_root(&scan->list[i], root, tree);
        count += marks[i];
    }
    while (more && count > 0) { /* a parent is mostly before its children: few rounds */
        more = false;
        for (size_t i = 0; i < scan->count; i++) {
            size_t parent = marks[i] ? scan->count : number_of(scan, scan->list[i].parent);
            if (parent == scan->count || !marks[parent])
                continue;
            marks[i] = more = true;
            count++;
        }
    }
    return count;
}

/* Give what was seen of those that have ended to the nearest ancestor that has not. */
static void settle_ended(struct wtl_process_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct wtl_tree_member *member = &tree->members[i];
        struct wtl_tree_member *above = member->alive ? NULL : &tree->members[i];
        for (size_t steps = 0; above && !above->alive; steps++)
            above = steps < tree->count ? member_of(tree, above->process.parent) : NULL;
        if (above)
            above->ended_ns += member->process.cpu_ns + member->process.waited_ns;
    }
}

static uint64_t above_zero(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t used_by(const struct process *now, const struct wtl_tree_member *before)
{
    if (!before || before->process.start != now->start)
        return now->cpu_ns + now->waited_ns;
    uint64_t waited_ns = above_zero(now->waited_ns, before->process.waited_ns);
    return above_zero(now->cpu_ns, before->process.cpu_ns) +
           above_zero(waited_ns, before->ended_ns);
}

int wtl_tree_used_ns(const struct wtl_process_scan *scan,
                     const struct wtl_tree_root *root,
                     struct wtl_process_tree *tree,
                     uint64_t *ret_used_ns)
{
    bool *marks = calloc(scan->count + 1, sizeof *marks);
    size_t count = marks ? mark(scan, root, tree, marks) : 0, n = 0;
    struct wtl_tree_member *members = calloc(count + 1, sizeof *members);
    *ret_used_ns = 0;
    if (!marks || !members) {
        free(marks);
        free(members);
        return -ENOMEM;
    }
    settle_ended(tree);
    for (size_t i = 0; i < scan->count; i++) {
        if (!marks[i])
            continue;
        *ret_used_ns += used_by(&scan->list[i], member_of(tree, scan->list[i].pid));
        members[n++].process = scan->list[i];
    }
    free(marks);
    free(tree->members);
    tree->members = members;
    tree->count = count;
    return count > 0 ? 0 : -ENOENT;
}

uint64_t wtl_tree_total_ns(const struct wtl_process_tree *tree)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < tree->count; i++)
        sum_ns += tree->members[i].process.cpu_ns + tree->members[i].process.waited_ns;
    return sum_ns;
}

bool wtl_tree_has(const struct wtl_process_tree *tree, pid_t pid)
{
    size_t i = 0;
    while (i < tree->count && tree->members[i].process.pid != pid)
        i++;
    return i < tree->count;
}

bool wtl_tree_is_extern(const struct wtl_process_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct wtl_tree_member *member = &tree->members[i];
        for (size_t steps = 0; member && member->process.slurm == 0; steps++)
            member = steps < tree->count ? member_of(tree, member->process.parent) : NULL;
        if (!member || !member->process.is_extern)
            return false;
    }
    return tree->count > 0;
}

void wtl_tree_fini(struct wtl_process_tree *tree)
{
    free(tree->members);
    *tree = (struct wtl_process_tree){.count = 0};
}
