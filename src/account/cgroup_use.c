/* SPDX-License-Identifier: BSD-3-Clause */
/* See cgroup_use.h. The files of version 2 are tried first; on a machine with both, it may be mounted beside version 1. */
#include "account/cgroup_use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "account/process_stat.h"
#include "base/parse.h"

#define ROOT "/sys/fs/cgroup/"

struct place {
    const char *folder, *file, *key; /* key: before the number in its first line */
    uint64_t unit;
};

static const struct place cpu_places[] = {
    {ROOT, "cpu.stat", "usage_usec ", 1000},
    {ROOT "cpuacct/", "cpuacct.usage", "", 1},
    {ROOT "cpu,cpuacct/", "cpuacct.usage", "", 1},
    {ROOT "unified/", "cpu.stat", "usage_usec ", 1000},
};
static const struct place memory_places[] = {
    {ROOT, "memory.peak", "", 1},
    {ROOT "memory/", "memory.max_usage_in_bytes", "", 1},
    {ROOT "unified/", "memory.peak", "", 1},
};

/* -ENOENT: not there, or removed meanwhile. */
static int read_at(const struct wtl_world *world,
                   const struct place *place,
                   const char *path,
                   uint64_t *ret)
{
    char full[512], text[64];
    uint64_t value;
    int n = snprintf(full, sizeof full, "%s%s/%s", place->folder, path, place->file);
    if (n < 0 || (size_t)n >= sizeof full)
        return -ENAMETOOLONG;
    int fd = world->ops->open(world, full, O_RDONLY);
    if (fd < 0)
        return fd;
    ssize_t got = world->ops->pread(world, fd, text, sizeof text, 0);
    world->ops->close(world, fd);
    if (got < 0)
        return got == -ENODEV ? -ENOENT : (int)got;
    size_t skip = strlen(place->key);
    if ((size_t)got <= skip || memcmp(text, place->key, skip) != 0 ||
        wtl_scan_u64(text + skip, (size_t)got - skip, &value) <= 0 ||
        value > UINT64_MAX / place->unit)
        return -EBADMSG;
    *ret = value * place->unit;
    return 0;
}

/* The first place that has it. */
static int read_first(const struct wtl_world *world,
                      const struct place *places,
                      size_t n,
                      const char *path,
                      uint64_t *ret)
{
    int found = -ENOENT;
    for (size_t i = 0; i < n; i++) {
        int rc = read_at(world, &places[i], path, ret);
        if (rc == 0)
            return 0;
        if (rc != -ENOENT && rc != -ENOTDIR && found == -ENOENT)
            found = rc;
    }
    return found;
}

int wtl_cgroup_cpu_ns(const struct wtl_world *world, const char *path, uint64_t *ret_ns)
{
    return read_first(world, cpu_places, sizeof cpu_places / sizeof *cpu_places, path, ret_ns);
}

int wtl_cgroup_peak_bytes(const struct wtl_world *world, const char *path, uint64_t *ret_bytes)
{
    return read_first(world, memory_places, sizeof memory_places / sizeof *memory_places, path,
                      ret_bytes);
}

int wtl_cgroup_children(const struct wtl_world *world, const char *path, char ***ret_names)
{
    uint64_t value;
    size_t place = 0, n = sizeof cpu_places / sizeof *cpu_places;
    char full[800];
    while (place < n && read_at(world, &cpu_places[place], path, &value) < 0)
        place++;
    if (place == n)
        return -ENOENT;
    int used = snprintf(full, sizeof full, "%s%s", cpu_places[place].folder, path);
    int count = world->ops->list(world, full, ret_names), kept = 0;
    for (int i = 0; i < count; i++) {
        (void)snprintf(full + used, sizeof full - (size_t)used, "/%.255s/cgroup.procs",
                       (*ret_names)[i]);
        if (world->ops->exists(world, full))
            (*ret_names)[kept++] = (*ret_names)[i];
    }
    return count < 0 ? count : kept;
}

bool wtl_cgroup_has(const struct wtl_world *world, const char *path, pid_t pid)
{
    char number[24], text[4096];
    size_t n = strlen(path);
    (void)snprintf(number, sizeof number, "%ld", (long)pid);
    if (n == 0 || wtl_process_read(world, number, "cgroup", text, sizeof text) <= 0)
        return false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at =
            memchr(line, '/', strcspn(line, "\n")); /* "4:cpu,cpuacct:/PATH", "0::/PATH" */
        if (at && strncmp(at + 1, path, n) == 0 && strchr("/\n", at[1 + n]))
            return true;
    }
    return false;
}

bool wtl_cgroup_name(const struct wtl_world *world, const char *folder, char *buf, size_t n)
{
    static const char place[] = "/sys/fs/cgroup/";
    if (strncmp(folder, place, sizeof place - 1) != 0)
        return false;
    const char *path = folder + sizeof place - 1;
    if (!world->ops->exists(world, "/sys/fs/cgroup/cgroup.controllers")) { /* CONTROLLER/PATH */
        path = strchr(path, '/');
        path = path ? path + 1 : "";
    }
    int length = snprintf(buf, n, "%s", path);
    while (length > 0 && (size_t)length < n && buf[length - 1] == '/')
        buf[--length] = '\0';
    return length > 0 && (size_t)length < n;
}
