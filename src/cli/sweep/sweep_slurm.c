/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep as a job array: see sweep_options.h. */
#define _GNU_SOURCE
#include "cli/sweep/sweep_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/world/world.h"

enum { OPTIONS = 64 };
#define WAIT_NS UINT64_C(120000000000)

/* A word for the shell: 'it'\''s'. */
static void quote(FILE *out, const char *word)
{
    (void)fputc('\'', out);
    for (; *word; word++)
        (void)(*word == '\'' ? fputs("'\\''", out) : fputc(*word, out));
    (void)fputc('\'', out);
}

static int write_script(const char *folder, const char *script, struct wattle_error *err)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return wtl_fail(err, -errno, "/proc/self/exe: %s", wtl_strerror(errno));
    self[n] = '\0';
    FILE *out = fopen(script, "we");
    if (!out)
        return wtl_fail(err, -errno, "%s: %s", script, wtl_strerror(errno));
    (void)fputs("#!/bin/sh\nexec ", out);
    quote(out, self);
    (void)fputs(" sweep --resume ", out);
    quote(out, folder);
    (void)fputs(" --quiet --block \"$SLURM_ARRAY_TASK_ID\"\n", out);
    int rc = ferror(out) || fchmod(fileno(out), 0700) < 0 ? -EIO : 0;
    if (fclose(out) != 0)
        rc = -EIO;
    return rc < 0 ? wtl_fail(err, rc, "%s: cannot be written", script) : 0;
}

/* Run sbatch and take the first word that it prints. */
static int submit(const char *const argv[], char ret_job[64], struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    uint64_t deadline = wtl_world_monotonic(world) + WAIT_NS;
    pid_t child;
    size_t used = 0;
    int fd = wtl_world_spawn(world, argv, &child);
    if (fd < 0)
        return wtl_fail(err, fd, "sbatch: %s; is Slurm installed here?", wtl_strerror(fd));
    for (ssize_t n; used < 63; used += (size_t)n) {
        n = world->ops->recv(world, fd, ret_job + used, 63 - used, deadline);
        if (n <= 0)
            break;
    }
    ret_job[used] = '\0';
    world->ops->close(world, fd);
    int status = world->ops->reap(world, child, deadline);
    ret_job[strcspn(ret_job, ";\n ")] = '\0';
    if (status == 0 && ret_job[0])
        return 0;
    return wtl_fail(
        err, -ECANCELED,
        "sbatch did not accept the job (exit status %d); run it by hand to see why: %s %s "
        "%s",
        status, argv[0], argv[1], argv[2]);
}

int wtl_sweep_slurm_submit(const char *folder,
                           const struct wtl_sweep_options *options,
                           char ret_job[64],
                           struct wattle_error *err)
{
    char script[PATH_MAX], array[40], log[PATH_MAX];
    const char *argv[OPTIONS + 12];
    size_t n = 0;
    if (options->sbatch.count > OPTIONS)
        return wtl_fail(err, -E2BIG, "more than %d options for sbatch", OPTIONS);
    char *absolute = realpath(folder, NULL);
    if (!absolute)
        return wtl_fail(err, -errno, "%s: %s", folder, wtl_strerror(errno));
    (void)snprintf(array, sizeof array, "--array=1-%u", options->form.blocks);
    if (strlen(absolute) + 40 > PATH_MAX) {
        free(absolute);
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    }
    (void)snprintf(script, sizeof script, "%.4000s/sweep.sh", absolute);
    (void)snprintf(log, sizeof log, "--output=%.4000s/slurm-%%A_%%a.log", absolute);
    argv[n++] = "sbatch";
    argv[n++] = array;
    argv[n++] = "--nodes=1";
    argv[n++] = "--exclusive";
    argv[n++] = "--parsable";
    argv[n++] = "--job-name=wattle-sweep";
    argv[n++] = log;
    for (size_t i = 0; i < options->sbatch.count; i++)
        argv[n++] = options->sbatch.items[i];
    argv[n++] = script;
    argv[n] = NULL;
    int rc = write_script(absolute, script, err);
    rc = rc < 0 ? rc : submit(argv, ret_job, err);
    free(absolute);
    return rc;
}
