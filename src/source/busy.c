/* SPDX-License-Identifier: BSD-3-Clause */
/* Busy time of the machine: see busy.h for the sources and their order. */
#include "source/busy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/world/topology.h"

/* USER_HZ is 100 in the ABI of every architecture that wattle knows. */
#define JIFFY_NS 10000000u

/* Field n (from 0) of a line of numbers after its first word; n_text bounds the text. */
static int field(const char *text, size_t n_text, unsigned n, uint64_t *ret)
{
    size_t at = 0;
    while (at < n_text && text[at] != ' ')
        at++;
    for (unsigned i = 0;; i++) {
        while (at < n_text && text[at] == ' ')
            at++;
        uint64_t value;
        int used = wtl_scan_u64(text + at, n_text - at, &value);
        if (used <= 0)
            return -EBADMSG;
        at += (size_t)used;
        if (i == n) {
            *ret = value;
            return 0;
        }
    }
}

static int read_stat(struct wtl_busy *busy, uint64_t *ret_ns)
{
    char text[256]; /* the first line is at most 4 + 10 x 21 bytes */
    ssize_t n = busy->world->ops->pread(busy->world, busy->fd, text, sizeof text, 0);
    if (n < 0)
        return (int)n;
    uint64_t now = wtl_world_monotonic(busy->world);
    uint64_t idle, iowait, steal = 0;
    if (field(text, (size_t)n, 3, &idle) < 0 || field(text, (size_t)n, 4, &iowait) < 0)
        return -EBADMSG;
    (void)field(text, (size_t)n, 7, &steal); /* missing in Linux < 2.6.11: 0 */
    uint64_t spared = (idle + iowait + steal) * JIFFY_NS;
    /* The sums overflow 64 bits on large machines; their differences do not. */
    *ret_ns = now * busy->cpus - spared;
    return 0;
}

static int read_schedstat(struct wtl_busy *busy, uint64_t *ret_ns)
{
    size_t used = 0;
    ssize_t n;
    do {
        n = busy->world->ops->pread(busy->world, busy->fd, busy->buf + used,
                                    busy->buf_size - 1 - used, (off_t)used);
        if (n < 0)
            return (int)n;
        used += (size_t)n;
    } while (n > 0 && used + 1 < busy->buf_size);
    busy->buf[used] = '\0';
    if (used + 1 == busy->buf_size)
        return -EOVERFLOW; /* the following CPUs would be missing */
    uint64_t sum = 0;
    unsigned lines = 0;
    for (char *line = busy->buf; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "cpu", 3) != 0)
            continue;
        /* Documentation/scheduler/sched-stats.rst: the seventh number is the run time in ns. */
        uint64_t run;
        if (field(line, strcspn(line, "\n"), 6, &run) < 0)
            return -EBADMSG;
        sum += run;
        lines++;
    }
    if (lines == 0)
        return -EBADMSG;
    *ret_ns = sum;
    return 0;
}

int wtl_busy_read(struct wtl_busy *busy, uint64_t *ret_ns)
{
    uint64_t value;
    int rc;
    if (busy->kind == WTL_BUSY_CPUACCT)
        rc = wtl_world_pread_u64(busy->world, busy->fd, &value);
    else if (busy->kind == WTL_BUSY_STAT)
        rc = read_stat(busy, &value);
    else
        rc = read_schedstat(busy, &value);
    if (rc < 0)
        return rc;
    if (!busy->has_origin) {
        busy->has_origin = true;
        busy->origin_ns = value;
    }
    /* Rounded idle time may decrease by two jiffies; busy time must not. */
    value -= busy->origin_ns;
    if ((int64_t)(value - busy->last_ns) > 0)
        busy->last_ns = value;
    *ret_ns = busy->last_ns;
    return 0;
}

static int try_cpuacct(struct wtl_busy *busy)
{
    static const char *const folders[] = {"/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        /* Only the root of a v1 hierarchy has a release_agent: in a container the same path is the
         * container's own cgroup. */
        char path[64];
        (void)snprintf(path, sizeof path, "%s/release_agent", folders[i]);
        if (!busy->world->ops->exists(busy->world, path))
            continue;
        (void)snprintf(path, sizeof path, "%s/cpuacct.usage", folders[i]);
        int fd = busy->world->ops->open(busy->world, path, O_RDONLY);
        if (fd < 0)
            continue;
        busy->fd = fd;
        busy->kind = WTL_BUSY_CPUACCT;
        busy->resolution_ns = UINT64_C(4000000) * busy->cpus; /* one tick of 250 Hz on each CPU */
        (void)snprintf(busy->where, sizeof busy->where, "%s", path);
        return 0;
    }
    return -ENOENT;
}

static int try_stat(struct wtl_busy *busy)
{
    int fd = busy->world->ops->open(busy->world, "/proc/stat", O_RDONLY);
    if (fd < 0)
        return fd;
    busy->fd = fd;
    busy->kind = WTL_BUSY_STAT;
    busy->resolution_ns = 3 * JIFFY_NS;
    (void)snprintf(busy->where, sizeof busy->where, "/proc/stat, idle time of %u CPUs", busy->cpus);
    return 0;
}

static int try_schedstat(struct wtl_busy *busy)
{
    int fd = busy->world->ops->open(busy->world, "/proc/schedstat", O_RDONLY);
    if (fd < 0)
        return fd;
    busy->buf_size =
        8192 + (size_t)busy->cpus * 2048; /* the line of a CPU and those of its domains */
    busy->buf = malloc(busy->buf_size);
    if (!busy->buf) {
        busy->world->ops->close(busy->world, fd);
        return -ENOMEM;
    }
    busy->fd = fd;
    busy->kind = WTL_BUSY_SCHEDSTAT;
    busy->resolution_ns = 1000000;
    (void)snprintf(busy->where, sizeof busy->where, "/proc/schedstat, run time of %u CPUs",
                   busy->cpus);
    return 0;
}

int wtl_busy_open(struct wtl_busy *busy,
                  const struct wtl_world *world,
                  const char *prefer,
                  struct wattle_error *err)
{
    static const struct {
        const char *name;
        int (*open)(struct wtl_busy *);
        bool automatic;
    } sources[] = {
        {"cpuacct", try_cpuacct, true},
        {"stat", try_stat, true},
        {"schedstat", try_schedstat, false},
    };
    uint8_t online[WTL_CPUS_MAX / 8];
    int cpus = wtl_cpus_online(world, online);
    *busy = (struct wtl_busy){.world = world, .fd = -1, .cpus = cpus > 0 ? (unsigned)cpus : 0};
    if (cpus < 0)
        return wtl_fail(err, cpus, "no CPU is listed in /sys or /proc/stat; is /proc mounted?");
    bool automatic = strcmp(prefer, "auto") == 0, known = automatic;
    int rc = -ENODEV;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (automatic ? !sources[i].automatic : strcmp(prefer, sources[i].name) != 0)
            continue;
        known = true;
        rc = sources[i].open(busy);
        uint64_t value;
        if (rc == 0 && (rc = wtl_busy_read(busy, &value)) < 0)
            wtl_busy_close(busy);
        if (rc == 0)
            return 0;
    }
    if (!known)
        return wtl_fail(err, -EINVAL,
                        "busy time source '%s' is unknown; use auto, cpuacct, stat or schedstat",
                        prefer);
    return wtl_fail(err, rc, "busy time of the machine (%s): %s; %s", prefer, wtl_strerror(rc),
                    automatic ? "is /proc mounted?" : "use auto");
}

void wtl_busy_close(struct wtl_busy *busy)
{
    if (busy->world && busy->fd >= 0)
        busy->world->ops->close(busy->world, busy->fd);
    free(busy->buf);
    busy->buf = NULL;
    busy->fd = -1;
}
