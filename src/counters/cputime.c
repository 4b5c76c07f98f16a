/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `cputime`: CPU time of the machine, and of the measured process tree and cgroup, each from the
 * finest readable source.
 */
#include "counters/cputime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "counters/tree_time.h"
#include "source/busy.h"
#include "source/driver.h"

enum what { MACHINE, TREE, CGROUP };

struct cputime {
    struct wtl_busy busy;
    struct wtl_tree_time tree;
    int cgroup_fd;
    bool cgroup_v2; /* usage_usec of cpu.stat, else cpuacct.usage */
    enum what channels[3];
    size_t count;
};

/* First line of cpu.stat: "usage_usec 123". */
static int read_cgroup(const struct cputime *c, const struct wtl_world *world, uint64_t *ret_ns)
{
    if (!c->cgroup_v2)
        return wtl_world_pread_u64(world, c->cgroup_fd, ret_ns);
    char text[64];
    static const char key[] = "usage_usec ";
    size_t skip = sizeof key - 1;
    ssize_t n = world->ops->pread(world, c->cgroup_fd, text, sizeof text, 0);
    if (n < 0)
        return (int)n;
    uint64_t usec;
    if ((size_t)n <= skip || memcmp(text, key, skip) != 0 ||
        wtl_scan_u64(text + skip, (size_t)n - skip, &usec) <= 0)
        return -EBADMSG;
    *ret_ns = usec * 1000;
    return 0;
}

static void cputime_read(struct wtl_source *source,
                         size_t first,
                         size_t n,
                         struct wattle_reading *out)
{
    struct cputime *c = source->impl;
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct wattle_reading){0};
        switch (c->channels[first + i]) {
        case MACHINE:
            out[i].status = wtl_busy_read(&c->busy, &out[i].raw);
            break;
        case TREE:
            out[i].status = wtl_tree_time_read(&c->tree, &out[i].raw);
            break;
        default:
            out[i].status = read_cgroup(c, source->world, &out[i].raw);
            break;
        }
    }
}

static int add(struct wtl_source *source, enum what what, const char *where)
{
    static const char *const words[] = {"", "tree", "cgroup"}; /* WTL_CPUTIME_MACHINE, ... */
    static const char *const labels[] = {"machine", "process tree", "cgroup"};
    struct cputime *c = source->impl;
    enum wattle_domain domain = what == MACHINE ? WATTLE_DOMAIN_NODE : WATTLE_DOMAIN_OTHER;
    struct wattle_channel channel = wtl_channel_init(domain, 0, WATTLE_CPU_TIME, WATTLE_COUNTER);
    channel.scale = 1e-9;
    (void)snprintf(channel.name, sizeof channel.name, "%s", words[what]);
    (void)snprintf(channel.label, sizeof channel.label, "%s", labels[what]);
    (void)snprintf(channel.location, sizeof channel.location, "%s", where);
    int rc = wtl_source_add(source, &channel);
    if (rc < 0)
        return rc;
    c->channels[c->count++] = what;
    return 0;
}

static int open_tree(struct wtl_source *source)
{
    struct cputime *c = source->impl;
    struct wattle_error why = {0};
    int rc = wtl_tree_time_open(&c->tree, source->world, source->target.pid, source->target.inherit,
                                &why);
    if (rc == 0)
        return add(source, TREE, c->tree.where);
    wtl_source_note(source, "%s", why.text);
    return rc;
}

static int open_cgroup(struct wtl_source *source)
{
    struct cputime *c = source->impl;
    const struct wtl_world *world = source->world;
    char path[4096]; /* paths of containers are long */
    static const char *const files[] = {"cpu.stat", "cpuacct.usage"};
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", source->target.cgroup, files[i]);
        int fd = world->ops->open(world, path, O_RDONLY);
        if (fd < 0)
            continue;
        c->cgroup_fd = fd;
        c->cgroup_v2 = i == 0;
        uint64_t value;
        /* cpu.stat of a v1 cgroup only describes throttling. */
        if (read_cgroup(c, world, &value) == 0)
            return add(source, CGROUP, path);
        world->ops->close(world, fd);
        c->cgroup_fd = -1;
    }
    wtl_source_note(source, "%s: neither cpu.stat with usage_usec nor cpuacct.usage found",
                    source->target.cgroup);
    return 0;
}

static int cputime_open(struct wtl_source *source, struct wattle_error *err)
{
    struct cputime *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    source->impl = c;
    c->busy.fd = c->tree.fd = c->cgroup_fd = -1;
    struct wattle_error why = {0};
    int rc = wtl_busy_open(&c->busy, source->world, wtl_source_param(source, "busy"), &why);
    if (rc == -EINVAL)
        return wtl_fail(err, rc, "cputime: %s", why.text);
    if (rc == 0)
        rc = add(source, MACHINE, c->busy.where);
    else
        wtl_source_note(source, "%s", why.text);
    if (rc != -ENOMEM && source->target.pid > 0)
        rc = open_tree(source);
    if (rc != -ENOMEM && source->target.cgroup)
        rc = open_cgroup(source);
    if (source->count == 0 && (rc == -EACCES || rc == -EPERM))
        source->forbidden = true;
    return rc == -ENOMEM ? rc : 0; /* missing sources are noted */
}

static void cputime_close(struct wtl_source *source)
{
    struct cputime *c = source->impl;
    if (!c)
        return;
    wtl_busy_close(&c->busy);
    wtl_tree_time_close(&c->tree);
    if (c->cgroup_fd >= 0)
        source->world->ops->close(source->world, c->cgroup_fd);
    free(c);
    source->impl = NULL;
}

static const struct wtl_param params[] = {
    {"busy", "auto", "source of the machine's busy time: auto, cpuacct, stat or schedstat"},
    {0},
};

extern const struct wtl_driver wtl_driver_cputime;
const struct wtl_driver wtl_driver_cputime = {
    .name = "cputime",
    .summary = "CPU time of the machine, the process tree and the cgroup",
    .flags = WTL_DRIVER_ACTIVITY,
    .params = params,
    .open = cputime_open,
    .read = cputime_read,
    .close = cputime_close,
};
