/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/tasks/task_spools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/world/world.h"
#include "sim/process_tree.h"

#define VARIABLE "WATTLE_SPOOL="

struct paths {
    char **list;
    size_t count;
};

static void add_folder(struct paths *paths, const char *folder)
{
    char **names = NULL;
    const struct wtl_world *world = wtl_world_real();
    int n = world->ops->list(world, folder, &names);
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (wtl_grow(&paths->list, paths->count, sizeof *paths->list) == 0 &&
            asprintf(&path, "%s/%s", folder, names[i]) >= 0)
            paths->list[paths->count++] = path;
    }
    if (n >= 0)
        free(names);
}

/* The variable in a process's environment: text with a zero after each. */
static const char *folder_in(const char *text, ssize_t size)
{
    for (const char *at = text; at < text + size; at += strlen(at) + 1) {
        if (strncmp(at, VARIABLE, sizeof VARIABLE - 1) == 0)
            return at + sizeof VARIABLE - 1;
    }
    return NULL;
}

size_t wtl_sim_task_spools(pid_t pid, char ***ret_paths)
{
    struct wtl_sim_process *list = NULL;
    struct paths paths = {0};
    char seen[512] = "", path[48];
    size_t n = wtl_sim_process_tree(pid, &list);
    for (size_t i = 0; i < n; i++) {
        char *text = NULL;
        (void)snprintf(path, sizeof path, "/proc/%d/environ", (int)list[i].pid);
        ssize_t size = wtl_world_slurp(wtl_world_real(), path, &text);
        const char *folder = size > 0 ? folder_in(text, size) : NULL;
        if (folder && folder[0] && strcmp(folder, seen) != 0) {
            (void)snprintf(seen, sizeof seen, "%s", folder); /* mostly all have the same */
            add_folder(&paths, folder);
        }
        if (size >= 0)
            free(text);
    }
    free(list);
    *ret_paths = paths.list;
    return paths.count;
}

void wtl_sim_task_spools_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}
