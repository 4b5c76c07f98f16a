/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of Slurm: see slurm_program.h. */
#define _GNU_SOURCE
#include "cli/jobs/slurm_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/world/world.h"

static const uint64_t TIMEOUT_NS = 120 * UINT64_C(1000000000), GRACE_NS = UINT64_C(1000000000);

enum { LINE_BYTES = 1 << 20 };

struct output {
    char *text; /* a line that is not complete */
    size_t n, room;
    int (*take)(void *arg, const char *line, size_t n);
    void *arg;
};

/* All complete lines of what has arrived. */
static int take_lines(struct output *output)
{
    size_t at = 0;
    const char *end;
    int rc = 0;
    while (rc == 0 && (end = memchr(output->text + at, '\n', output->n - at)) != NULL) {
        rc = output->take(output->arg, output->text + at, (size_t)(end - (output->text + at)));
        at = (size_t)(end - output->text) + 1;
    }
    memmove(output->text, output->text + at, output->n - at);
    output->n -= at;
    return rc != 0 || output->n < LINE_BYTES ? rc : -EMSGSIZE;
}

static int read_all(struct output *output, int fd, uint64_t deadline_ns)
{
    const struct wtl_world *world = wtl_world_real();
    const size_t step = 65536;
    for (;;) {
        if (wtl_reserve(&output->text, &output->room, output->n + step, 1) < 0)
            return -ENOMEM;
        ssize_t got = world->ops->recv(world, fd, output->text + output->n, step, deadline_ns);
        if (got == 0)
            return output->n > 0 ? output->take(output->arg, output->text, output->n) : 0;
        if (got < 0)
            return (int)got;
        output->n += (size_t)got;
        int rc = take_lines(output);
        if (rc != 0)
            return rc;
    }
}

int wtl_slurm_run(const char *const argv[],
                  int (*take)(void *arg, const char *line, size_t n),
                  void *arg,
                  struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    const uint64_t deadline_ns = wtl_world_monotonic(world) + TIMEOUT_NS;
    struct output output = {.take = take, .arg = arg};
    pid_t child = 0;
    (void)setenv("SLURM_TIME_FORMAT", "%s", 1); /* out of memory: times are in the local zone */
    int fd = world->ops->spawn(world, argv, &child);
    if (fd < 0)
        return wtl_fail(err, fd, "cannot run %s: %s", argv[0],
                        fd == -ENOENT ? "command not found; install Slurm's client programs"
                                      : wtl_strerror(fd));
    int rc = read_all(&output, fd, deadline_ns);
    (void)close(fd);
    free(output.text);
    int status = world->ops->reap(world, child,
                                  rc == 0 ? deadline_ns : wtl_world_monotonic(world) + GRACE_NS);
    if (rc == -ETIMEDOUT || status == -ETIMEDOUT)
        return wtl_fail(err, -ETIMEDOUT, "%s did not end in two minutes", argv[0]);
    if (rc == -EMSGSIZE)
        return wtl_fail(err, rc, "%s printed a line of more than 1 MiB", argv[0]);
    if (rc != 0)
        return rc == -ENOMEM ? wtl_no_memory(err) : rc;
    if (status != 0)
        return wtl_fail(err, -EIO, "%s failed with status %d; run it by hand to see why", argv[0],
                        status);
    return 0;
}

/* "slurm 26.05.5", Debian: "slurm-wlm 22.05.8". */
static int take_version(void *arg, const char *line, size_t n)
{
    struct wtl_slurm_version *version = arg;
    static const char word[] = "slurm";
    const char *at = memchr(line, ' ', n), *const end = line + n;
    uint64_t major, minor;
    if (!at || n < sizeof word || strncmp(line, word, sizeof word - 1) != 0)
        return 0;
    at++;
    int used = wtl_scan_u64(at, (size_t)(end - at), &major);
    if (used <= 0 || at + used >= end || at[used] != '.' || major > 999)
        return 0;
    at += used + 1;
    if (wtl_scan_u64(at, (size_t)(end - at), &minor) <= 0 || minor > 99)
        return 0;
    version->major = (unsigned)major;
    version->minor = (unsigned)minor;
    version->has_sluid = major * 100 + minor >= 2511;
    return 0;
}

int wtl_slurm_version(struct wtl_slurm_version *ret_version, struct wattle_error *err)
{
    const char *const argv[] = {"sacct", "--version", NULL};
    *ret_version = (struct wtl_slurm_version){0, 0, false};
    int rc = wtl_slurm_run(argv, take_version, ret_version, err);
    if (rc == 0 && ret_version->major == 0)
        return wtl_fail(err, -EPROTO, "\"sacct --version\" does not print Slurm's version");
    return rc;
}
