/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that appear completely or not at all: see output.h. */
#define _GNU_SOURCE
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/parse.h"
#include "cli/inputs.h"

static void forget_temporary(struct wtl_output *output)
{
    wtl_leftover_forget(output->leftover);
    output->leftover = NULL;
    free(output->temporary);
    output->temporary = NULL;
}

static int open_stream(struct wtl_output *output,
                       const char *path,
                       int flags,
                       struct wattle_error *err)
{
    /* A FIFO without a reader would block us, with signals blocked. */
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags, 0666);
    bool waits = fd >= 0 && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0;
    output->stream = waits ? fdopen(fd, "w") : NULL;
    if (output->stream)
        return 0;
    if (fd < 0 && errno == ENXIO)
        return wtl_fail(err, -ENXIO, "%s: this FIFO has no reader; start the reader first",
                        output->path);
    int code = errno ? -errno : -ENOMEM;
    if (fd >= 0)
        (void)close(fd); /* nothing was written */
    return wtl_fail(err, code, "cannot write %s: %s; %s", output->path, wtl_strerror(code),
                    code == -ENOENT ? "create its folder or choose another path"
                                    : "choose another path");
}

/* A descriptor of the caller; it stays open after our copy is closed. */
static int open_descriptor(struct wtl_output *output, const char *text, struct wattle_error *err)
{
    uint64_t number;
    int fd = -1;
    if (wtl_parse_u64(text, &number) == 0 && number <= INT_MAX)
        fd = fcntl((int)number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    output->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (output->stream)
        return 0;
    if (fd >= 0)
        (void)close(fd); /* nothing was written */
    return wtl_fail(err, -EBADF,
                    "%s: descriptor is not open; open it in the shell, for example with 3>FILE",
                    output->path);
}

int wtl_output_free(const char *path, bool force, struct wattle_error *err)
{
    struct stat about; /* a link to nothing, too, keeps its name */
    if (force || lstat(path, &about) < 0)
        return 0;
    return wtl_fail_exists(err, path);
}

char *wtl_output_name(const char *path, bool force)
{
    enum { NAMES_MAX = 10000 };
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
    char *name = strdup(path);
    for (int number = 2; name && wtl_output_free(name, force, NULL) < 0 && number < NAMES_MAX;
         number++) {
        free(name);
        if (asprintf(&name, "%.*s-%d%s", (int)stem, path, number, path + stem) < 0)
            name = NULL;
    }
    return name;
}

int wtl_output_open(struct wtl_output *output,
                    const char *path,
                    bool force,
                    struct wattle_error *err)
{
    struct stat about;
    *output = (struct wtl_output){.stream = stdout, .force = force};
    if (!path || strcmp(path, "-") == 0)
        return 0;
    output->path = path;
    output->stream = stderr; /* even if it is closed: losses are reported at the end */
    if (strcmp(path, "fd:2") == 0)
        return 0;
    output->stream = NULL;
    if (strncmp(path, "fd:", 3) == 0)
        return open_descriptor(output, path + 3, err);
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return wtl_fail(err, -EISDIR, "%s is a folder; name a file in it", path);
    if (there && (!S_ISREG(about.st_mode) || strncmp(path, "/dev/", 5) == 0)) /* stdout to a file */
        return open_stream(output, path, 0, err);
    int rc = wtl_output_free(path, force, err);
    rc = rc < 0 ? rc : wtl_input_spare(path, err);
    if (rc < 0)
        return rc;
    if (asprintf(&output->temporary, "%s.part-%d", path, (int)getpid()) < 0) {
        output->temporary = NULL;
        return wtl_no_memory_for(err, "%s", path);
    }
    output->leftover = wtl_leftover_add(output->temporary); /* before: signals come as open ends */
    rc = open_stream(output, output->temporary, O_CREAT | O_EXCL, err);
    if (rc < 0)
        forget_temporary(output);
    return rc;
}

/* Rename the file; without force, a file created meanwhile is kept. */
static int give_name(struct wtl_output *output, struct wattle_error *err)
{
    bool linked = !output->force && link(output->temporary, output->path) == 0;
    if (!output->force && !linked && errno == EEXIST)
        return wtl_fail_exists(err, output->path); /* by now */
    int rc = 0;
    if (linked)
        (void)unlink(output->temporary);                  /* the second name of what is there */
    else if (rename(output->temporary, output->path) < 0) /* or: no hard links here */
        rc = -errno;
    if (rc < 0)
        return wtl_fail(err, rc, "%s: %s", output->path, wtl_strerror(rc));
    forget_temporary(output);
    return 0;
}

int wtl_output_close(struct wtl_output *output, struct wattle_error *err)
{
    struct wattle_error why = {""};
    int rc = wtl_flush(output->stream, &why);
    if (output->path && output->stream != stderr) {
        if (fclose(output->stream) != 0 && rc == 0) {
            rc = -errno;
            (void)wtl_fail(&why, rc, "%s", wtl_strerror(rc));
        }
        output->stream = NULL;
    }
    if (rc < 0) {
        (void)wtl_fail(err, rc, "%s: %s", output->path ? output->path : "standard output",
                       why.text);
        wtl_output_drop(output);
    }
    return rc;
}

int wtl_output_commit(struct wtl_output *output, struct wattle_error *err)
{
    int rc = output->stream ? wtl_output_close(output, err) : 0;
    if (rc == 0 && output->path && output->temporary)
        rc = give_name(output, err);
    wtl_output_drop(output);
    return rc;
}

void wtl_output_drop(struct wtl_output *output)
{
    if (output->path && output->stream && output->stream != stderr)
        (void)fclose(output->stream); /* its contents are discarded */
    output->stream = NULL;
    if (output->temporary)
        (void)unlink(output->temporary);
    forget_temporary(output);
}

int wtl_output_fail(struct wtl_output *output, int rc, struct wattle_error *err)
{
    if (output->stream && ferror(output->stream)) {
        const struct wattle_error why = *err;
        (void)wtl_fail(err, rc, "%s: %s", output->path ? output->path : "standard output",
                       why.text);
    }
    wtl_output_drop(output);
    return rc;
}
