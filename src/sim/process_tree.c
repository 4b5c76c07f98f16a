/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes from /proc: see process_tree.h. */
#define _GNU_SOURCE
#include "sim/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/parse.h"

static int read_file(const char *path, char *text, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = read(fd, text, n - 1);
    (void)close(fd);
    if (got < 0)
        return -EIO;
    text[got] = '\0';
    return (int)got;
}

/* Fields 2 to 4, 14 to 17 and 39 of /proc/PID/stat; the name in field 2 may contain anything. */
int wtl_sim_process_look(pid_t pid, struct wtl_sim_process *ret)
{
    char path[48], text[1024];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int rc = read_file(path, text, sizeof text);
    char *name = rc > 0 ? strchr(text, '(') : NULL, *p = name ? strrchr(text, ')') : NULL;
    if (!p)
        return rc < 0 ? rc : -EBADMSG;
    *ret = (struct wtl_sim_process){.pid = pid};
    (void)snprintf(ret->name, sizeof ret->name, "%.*s", (int)(p - name - 1), name + 1);
    ret->stopped = strncmp(p, ") T", 3) == 0 || strncmp(p, ") t", 3) == 0;
    for (int field = 3; p && field <= 39; field++) {
        p = strchr(p + 1, ' ');
        uint64_t value = 0;
        if (p && field >= 4)
            (void)wtl_scan_u64(p + 1, strlen(p + 1), &value); /* negative ones stay 0 */
        if (field == 4)
            ret->parent = (pid_t)value;
        if (field >= 14 && field <= 17)
            ret->ticks += value;
        if (field == 39)
            ret->cpu = (int)value;
    }
    return p ? 0 : -EBADMSG;
}

struct list {
    struct wtl_sim_process *at;
    size_t n, room;
};

static int append(struct list *list, pid_t pid)
{
    if (wtl_reserve(&list->at, &list->room, list->n + 1, sizeof *list->at) < 0)
        return -ENOMEM;
    if (wtl_sim_process_look(pid, &list->at[list->n]) == 0)
        list->n++;
    return 0;
}

/* Append the children of all threads of a process. -ENOENT: the kernel does not list them. */
static int append_children(struct list *list, pid_t pid)
{
    char path[96], text[4096] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    struct dirent *entry;
    int rc = 0;
    while (rc >= 0 && threads && (entry = readdir(threads))) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        (void)snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, entry->d_name);
        rc = read_file(path, text, sizeof text);
        for (char *at = text; rc > 0 && *at;) {
            char *end;
            long child = strtol(at, &end, 10);
            if (end == at)
                break;
            at = end + (*end == ' ');
            if (child > 0)
                rc = append(list, (pid_t)child) < 0 ? -ENOMEM : rc;
        }
    }
    if (threads)
        (void)closedir(threads);
    return rc < 0 ? rc : 0;
}

/* Without the kernel's lists of children: all processes, then those whose parent is ours. */
static void scan_all(struct list *list, pid_t root)
{
    struct list all = {0};
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc && (entry = readdir(proc))) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
            append(&all, (pid_t)strtol(entry->d_name, NULL, 10)) < 0)
            break;
    }
    if (proc)
        (void)closedir(proc);
    list->n = 0;
    (void)append(list, root);
    for (size_t i = 0; i < list->n; i++) {
        for (size_t k = 0; k < all.n; k++) {
            if (all.at[k].parent == list->at[i].pid && append(list, all.at[k].pid) < 0)
                break;
        }
    }
    free(all.at);
}

size_t wtl_sim_process_tree(pid_t pid, struct wtl_sim_process **ret_list)
{
    struct list list = {0};
    int rc = append(&list, pid);
    for (size_t i = 0; rc == 0 && i < list.n; i++) {
        rc = append_children(&list, list.at[i].pid);
        if (rc == -ENOENT && access("/proc/thread-self/children", F_OK) == 0)
            rc = 0; /* a thread has just ended */
    }
    if (rc == -ENOENT)
        scan_all(&list, pid);
    *ret_list = list.at;
    return list.n;
}
