/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors of a recorded world: see recorded_file.h. A descriptor is an index in a table; each read
 * determines the content from the script's rows for its path and the clock, so nothing is ever written to the
 * folder. Perf events are files that hold a count, returned in the kernel's layout.
 */
#define _GNU_SOURCE
#include "base/world/recorded_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"

#define FORMAT_LOST (1u << 4) /* PERF_FORMAT_LOST, missing in headers before Linux 6.0 */

static uint64_t script_time(const struct wtl_recorded *r)
{
    return r->now_ns - WTL_RECORDED_START_NS;
}

/* The present state of the path; a failing parent folder takes precedence. */
struct wtl_script_state wtl_recorded_state(const struct wtl_recorded *r, const char *path)
{
    const struct wtl_script_row *rows;
    char above[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(above, path, (size_t)(slash - path));
        above[slash - path] = '\0';
        size_t n = wtl_recorded_rows(&r->host, above, &rows);
        struct wtl_script_state state = wtl_script_at(rows, n, script_time(r));
        if (state.kind == WTL_SCRIPT_FAILURE)
            return state;
    }
    size_t n = wtl_recorded_rows(&r->host, path, &rows);
    return wtl_script_at(rows, n, script_time(r));
}

/* Failures reported by open; others are reported by read. */
int wtl_recorded_open_failure(struct wtl_script_state state)
{
    if (state.kind != WTL_SCRIPT_FAILURE)
        return 0;
    return state.error == ENOENT || state.error == EACCES || state.error == EPERM ? -state.error
                                                                                  : 0;
}

struct wtl_recorded_file *wtl_recorded_file_of(const struct wtl_recorded *r, int fd)
{
    int at = fd - WTL_RECORDED_FIRST_FD;
    return at >= 0 && at < WTL_RECORDED_FILES ? r->files[at] : NULL;
}

int wtl_recorded_file_add(struct wtl_recorded *r, const char *path, int fd)
{
    int at = 0;
    while (at < WTL_RECORDED_FILES && r->files[at])
        at++;
    if (at == WTL_RECORDED_FILES)
        return -EMFILE;
    struct wtl_recorded_file *file = calloc(1, sizeof *file);
    char *copy = strdup(path);
    if (!file || !copy) {
        free(file);
        free(copy);
        return -ENOMEM;
    }
    file->path = copy;
    file->fd = fd;
    file->opened_ns = r->now_ns;
    r->files[at] = file;
    return WTL_RECORDED_FIRST_FD + at;
}

int wtl_recorded_file_open(struct wtl_recorded *r, const char *path, int flags)
{
    char resolved[PATH_MAX];
    int rc = wtl_recorded_resolve(&r->host, path, 0, resolved);
    if (rc < 0)
        return rc;
    rc = wtl_recorded_open_failure(wtl_recorded_state(r, resolved));
    if (rc < 0)
        return rc;
    const char *name = resolved[1] ? resolved + 1 : ".";
    int fd = wtl_recorded_host_open(r->host.root_fd, name, flags);
    if (fd < 0)
        return fd;
    rc = wtl_recorded_file_add(r, resolved, fd);
    if (rc < 0)
        (void)close(fd); /* read only */
    return rc;
}

void wtl_recorded_file_close(struct wtl_recorded *r, int fd)
{
    struct wtl_recorded_file *file = wtl_recorded_file_of(r, fd);
    if (!file)
        return;
    if (file->fd >= 0)
        (void)close(file->fd); /* read only */
    free(file->peer);
    free(file->path);
    free(file);
    r->files[fd - WTL_RECORDED_FIRST_FD] = NULL;
}

/* n bytes from offset of a text plus a line end. */
static ssize_t copy_line(const char *text, void *buf, size_t n, off_t offset)
{
    size_t length = strlen(text), at = (size_t)offset, used = 0;
    char *out = buf;
    for (; used < n && at <= length; used++, at++)
        out[used] = at < length ? text[at] : '\n';
    return (ssize_t)used;
}

#define STAMP "@us" /* in the text after a number: wall-clock time of its last tick */

/* A number and the text after it. Long text is truncated: a sensor's line is short. */
static void write_ramp(const struct wtl_script_state *state, char *line, size_t n)
{
    const char *text = state->text ? state->text : "", *stamp = strstr(text, STAMP);
    int used = snprintf(line, n, "%llu%s", (unsigned long long)state->number, *text ? " " : "");
    line += used;
    n -= (size_t)used;
    if (stamp)
        (void)snprintf(line, n, "%.*s%llu%s", (int)(stamp - text), text,
                       (unsigned long long)(WTL_RECORDED_REALTIME_NS + state->ticked_ns) / 1000,
                       stamp + strlen(STAMP));
    else
        (void)snprintf(line, n, "%s", text);
}

ssize_t wtl_recorded_file_pread(const struct wtl_recorded *r,
                                const struct wtl_recorded_file *file,
                                void *buf,
                                size_t n,
                                off_t offset)
{
    char line[128];
    struct wtl_script_state state = wtl_recorded_state(r, file->path);
    switch (state.kind) {
    case WTL_SCRIPT_FAILURE: /* reading a removed file gives ENODEV, as in kernfs */
        return state.error == ENOENT ? -ENODEV : -state.error;
    case WTL_SCRIPT_TEXT:
        return copy_line(state.text, buf, n, offset);
    case WTL_SCRIPT_RAMP:
        write_ramp(&state, line, sizeof line);
        return copy_line(line, buf, n, offset);
    default:
        break;
    }
    ssize_t got = pread(file->fd, buf, n, offset);
    return got < 0 ? -errno : got;
}

/* The number that the file holds now, decimal or 0x. */
int wtl_recorded_file_number(const struct wtl_recorded *r,
                             const struct wtl_recorded_file *file,
                             uint64_t *ret)
{
    char text[64];
    ssize_t n = wtl_recorded_file_pread(r, file, text, sizeof text - 1, 0);
    if (n < 0)
        return (int)n;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return wtl_parse_hex_u64(text, ret) < 0 ? -EBADMSG : 0;
}

/* Write the words that follow the value of one event. */
static size_t put_event(uint64_t format, uint64_t value, uint64_t id, uint64_t *words)
{
    size_t used = 0;
    words[used++] = value;
    if (format & PERF_FORMAT_ID)
        words[used++] = id;
    if (format & FORMAT_LOST)
        words[used++] = 0;
    return used;
}

/* How long an event was on its counter: the file "running" beside it, else all the time. */
static uint64_t running_ns(const struct wtl_recorded *r,
                           const struct wtl_recorded_file *event,
                           uint64_t elapsed_ns)
{
    char path[PATH_MAX];
    const char *slash = strrchr(event->path, '/');
    int n = snprintf(path, sizeof path, "%.*s/running", (int)(slash - event->path), event->path);
    struct wtl_recorded_file file = {.path = path, .fd = -1};
    uint64_t value = elapsed_ns;
    if (n > 0 && (size_t)n < sizeof path)
        file.fd = wtl_recorded_host_open(r->host.root_fd, path + 1, O_RDONLY);
    if (file.fd < 0)
        return elapsed_ns;
    (void)wtl_recorded_file_number(r, &file, &value); /* else elapsed_ns */
    (void)close(file.fd);                             /* read only */
    return value;
}

static size_t put_times(const struct wtl_recorded *r,
                        const struct wtl_recorded_file *event,
                        uint64_t *words)
{
    size_t used = 0;
    uint64_t elapsed_ns = r->now_ns - event->opened_ns;
    if (event->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        words[used++] = elapsed_ns;
    if (event->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        words[used++] = running_ns(r, event, elapsed_ns);
    return used;
}

/* nr, times, then each event. Number of words, or the reason why a member cannot be read. */
static int put_group(const struct wtl_recorded *r,
                     const struct wtl_recorded_file *leader,
                     uint64_t *words)
{
    uint64_t format = leader->read_format;
    size_t used = 0;
    words[used++] = leader->member_count;
    used += put_times(r, leader, words + used);
    for (size_t i = 0; i < leader->member_count; i++) {
        const struct wtl_recorded_file *member = r->files[leader->members[i]];
        uint64_t value = 0;
        int rc = member ? wtl_recorded_file_number(r, member, &value) : -EBADF;
        if (rc < 0)
            return rc;
        used += put_event(format, value, 1 + (uint64_t)leader->members[i], words + used);
    }
    return (int)used;
}

/* Value, times, then the words that follow the value in a group. */
static int put_alone(const struct wtl_recorded *r,
                     const struct wtl_recorded_file *event,
                     uint64_t *words)
{
    uint64_t value, behind[3];
    int rc = wtl_recorded_file_number(r, event, &value);
    if (rc < 0)
        return rc;
    size_t used = 0, n = put_event(event->read_format, value, 1, behind);
    words[used++] = behind[0];
    used += put_times(r, event, words + used);
    for (size_t i = 1; i < n; i++)
        words[used++] = behind[i];
    return (int)used;
}

ssize_t wtl_recorded_perf_read(const struct wtl_recorded *r,
                               const struct wtl_recorded_file *leader,
                               void *buf,
                               size_t n)
{
    uint64_t words[3 + 3 * WTL_RECORDED_GROUP];
    int used = leader->read_format & PERF_FORMAT_GROUP ? put_group(r, leader, words)
                                                       : put_alone(r, leader, words);
    if (used < 0)
        return used;
    if (n < (size_t)used * sizeof *words)
        return -ENOSPC;
    memcpy(buf, words, (size_t)used * sizeof *words);
    return (ssize_t)((size_t)used * sizeof *words);
}

/* Turn the newly opened file fd into an event that may join the group of another. */
int wtl_recorded_perf_join(struct wtl_recorded *r, int fd, int group_fd, uint64_t read_format)
{
    struct wtl_recorded_file *file = wtl_recorded_file_of(r, fd);
    file->is_perf = true;
    file->read_format = read_format;
    if (group_fd < 0) {
        file->members[file->member_count++] = fd - WTL_RECORDED_FIRST_FD;
        return 0;
    }
    struct wtl_recorded_file *leader = wtl_recorded_file_of(r, group_fd);
    if (!leader || !leader->is_perf)
        return -EBADF;
    if (leader->member_count == WTL_RECORDED_GROUP)
        return -E2BIG;
    leader->members[leader->member_count++] = fd - WTL_RECORDED_FIRST_FD;
    return 0;
}
