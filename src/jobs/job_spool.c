/* SPDX-License-Identifier: BSD-3-Clause */
/* Appending to the spool, and what it contains; see job_spool.h. */
#define _GNU_SOURCE
#include "jobs/job_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/own_file.h"
#include "jobs/spool_folder.h"

enum { PATIENCE_MS = 300, LOG_EVERY_S = 3600 };

static int add_size(void *arg, const char *name, uint64_t size)
{
    (void)name;
    *(uint64_t *)arg += size;
    return 0;
}

/* One write(2); what was written of it when the disk became full is taken back. */
static int write_whole(int fd, const char *text, size_t n, off_t before)
{
    if (!wtl_file_may_have((uint64_t)before + n))
        return -EFBIG;
    ssize_t written = write(fd, text, n);
    if (written == (ssize_t)n)
        return 0;
    int rc = written < 0 ? -errno : -ENOSPC;
    if (written > 0 && ftruncate(fd, before) < 0)
        rc = -errno;
    return rc;
}

/* To the disk: what was written, and its name. Some file systems have nothing to flush. */
static int flush(int fd, int folder)
{
    if ((fdatasync(fd) < 0 || fsync(folder) < 0) && errno != EINVAL && errno != EROFS)
        return -errno;
    return 0;
}

/* Something else than a file, such as a FIFO or a device, would swallow it. */
static bool is_file(int folder, const char *name)
{
    struct stat about;
    return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) < 0 ? errno == ENOENT
                                                                  : S_ISREG(about.st_mode);
}

/* The line before may be torn: a writer was killed. text starts with a line break for that case. *ret_fd: of what was
 * written to. */
static int append_current(int folder, const char *text, size_t n, int *ret_fd)
{
    struct stat about;
    char last = '\n';
    int fd = openat(folder, "current", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &about) < 0 ? -errno : S_ISREG(about.st_mode) ? 0 : -EINVAL;
    if (rc == 0 && about.st_size > 0 && pread(fd, &last, 1, about.st_size - 1) != 1)
        rc = -EIO;
    if (rc == 0)
        rc = last == '\n' ? write_whole(fd, text + 1, n - 1, about.st_size)
                          : write_whole(fd, text, n, about.st_size);
    *ret_fd = fd;
    if (rc == 0 && (uint64_t)about.st_size + n > WTL_SPOOL_SEGMENT)
        (void)wtl_spool_close_current(folder); /* the next one tries again */
    return rc;
}

/* Without the lock, which somebody holds for long, or where the usual name is no file: a segment of its own, visible when it is whole. */
static int append_alone(int folder, const char *text, size_t n, int *ret_fd)
{
    char name[80], link[64];
    int fd = openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd < 0)
        return -EAGAIN;
    int rc = write_whole(fd, text + 1, n - 1, 0);
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    for (int tries = 0; rc == 0 && tries < 100; tries++) {
        wtl_spool_closed_name(name, sizeof name);
        if (linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW) == 0)
            break;
        rc = errno == EEXIST && tries < 99 ? 0 : -errno;
    }
    *ret_fd = fd;
    return rc;
}

/* n bytes of text: a line break, and the line. */
static int append(const struct wtl_job_spool *spool, int folder, const char *text, size_t n)
{
    uint64_t limit = spool->limit_bytes ? spool->limit_bytes : WTL_JOB_SPOOL_LIMIT, used = 0;
    int fd = -1;
    int lock = wtl_spool_lock(folder, "lock", PATIENCE_MS);
    if (lock < 0 && lock != -EAGAIN)
        return lock;
    int rc = wtl_spool_walk(folder, add_size, &used);
    if (rc == 0 && used + n > limit)
        rc = -EDQUOT;
    if (rc == 0)
        rc = lock >= 0 && is_file(folder, "current") ? append_current(folder, text, n, &fd)
                                                     : append_alone(folder, text, n, &fd);
    if (lock >= 0)
        (void)close(lock);
    if (rc == 0 && spool->flushed)
        rc = flush(fd, folder);
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

/* Count the refusal. Whether to log it: not within an hour after the last one, as far as that can be known. */
static bool note_refusal(int folder)
{
    uint64_t now = (uint64_t)time(NULL);
    struct wtl_spool_counts counts = wtl_spool_counts_read(folder), more = {.refused = 1};
    uint64_t age = now > counts.logged_s ? now - counts.logged_s : counts.logged_s - now;
    bool due = age >= LOG_EVERY_S;
    if (due)
        more.logged_s = now;
    int lock = wtl_spool_lock(folder, "lock", PATIENCE_MS);
    (void)wtl_spool_counts_add(folder, &more); /* best effort without the lock */
    if (lock >= 0)
        (void)close(lock);
    return due;
}

static int fail(const struct wtl_job_spool *spool, int rc, struct wattle_error *err)
{
    if (rc == -EDQUOT)
        return wtl_fail(
            err, -ENOSPC,
            "the spool %s is full, so a job's record is lost; see \"wattle jobs health\"",
            spool->folder);
    return wtl_fail(err, rc, "a job's record is lost, since the spool %s cannot be written: %s",
                    spool->folder, wtl_strerror(rc));
}

/* A line break, the checksum and the line. */
static int make_text(const struct wtl_job_record *record,
                     char **ret_text,
                     size_t *ret_size,
                     struct wattle_error *err)
{
    enum { HEAD = WTL_SPOOL_CHECKSUM + 1 };
    char *line;
    size_t n;
    int rc = wtl_job_record_line(record, &line, &n, err);
    if (rc < 0)
        return rc;
    char *text = malloc(n + HEAD + 2);
    if (text) {
        text[0] = '\n';
        wtl_spool_line_checksum(line, n - 1, text + 1);
        memcpy(text + 1 + HEAD, line, n);
    }
    free(line);
    if (!text)
        return wtl_no_memory_for(err, "a record of a job");
    *ret_text = text;
    *ret_size = n + 1 + HEAD;
    return 0;
}

int wtl_job_spool_append(const struct wtl_job_spool *spool,
                         const struct wtl_job_record *record,
                         bool *ret_log,
                         struct wattle_error *err)
{
    char *text = NULL;
    size_t n = 0;
    bool log = true;
    int folder = -1, rc = make_text(record, &text, &n, err);
    if (rc == 0) {
        folder = wtl_spool_folder_open(spool->folder, true, err);
        rc = folder < 0 ? folder : append(spool, folder, text, n);
        free(text);
    }
    if (folder >= 0 && rc < 0) {
        log = note_refusal(folder);
        rc = fail(spool, rc, err);
    }
    if (folder >= 0)
        (void)close(folder);
    if (ret_log && rc < 0)
        *ret_log = log;
    return rc;
}

int wtl_job_spool_turn(const struct wtl_job_spool *spool, unsigned patience_ms)
{
    struct wattle_error err;
    int folder = wtl_spool_folder_open(spool->folder, true, &err);
    if (folder < 0)
        return folder;
    int turn = wtl_spool_lock(folder, ".turn", patience_ms);
    (void)close(folder);
    return turn;
}

struct survey {
    int folder;
    struct wtl_job_spool_status *status;
};

/* When the first record of a segment ended; otherwise when the segment was written. */
static int64_t oldest(int fd, const char *text, size_t n)
{
    const char *end = memchr(text, '\n', n);
    size_t size;
    const char *json = end ? wtl_spool_line_json(text, (size_t)(end - text), &size) : NULL;
    struct wtl_job_record record;
    struct stat about;
    int64_t ns = 0;
    if (json && wtl_job_record_parse(json, size, &record, NULL) == 0) {
        ns = record.end_ns;
        wtl_job_record_fini(&record);
    }
    if (ns == 0 && fstat(fd, &about) == 0)
        ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec;
    return ns;
}

static int survey_record(void *arg, const char *name, uint64_t size)
{
    struct survey *survey = (struct survey *)arg;
    static const size_t room = WTL_JOB_LINE_MAX + 64;
    char *text = malloc(room);
    int fd = openat(survey->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = !text ? -ENOMEM : fd < 0 && errno != ENOENT ? -errno : 0;
    ssize_t n;
    bool first = survey->status->oldest_ns == 0;
    survey->status->bytes += size;
    while (rc == 0 && fd >= 0 && (n = read(fd, text, room)) != 0) {
        if (n < 0) {
            rc = -errno;
            break;
        }
        if (first)
            survey->status->oldest_ns = oldest(fd, text, (size_t)n);
        first = false;
        for (ssize_t i = 0; i < n; i++)
            survey->status->records += text[i] == '\n';
    }
    if (fd >= 0)
        (void)close(fd);
    free(text);
    return rc;
}

int wtl_job_spool_status(const struct wtl_job_spool *spool,
                         struct wtl_job_spool_status *ret_status,
                         struct wattle_error *err)
{
    struct wtl_job_spool_status status = {0};
    int folder = wtl_spool_folder_open(spool->folder, false, err);
    if (folder < 0)
        return folder;
    struct survey survey = {folder, &status};
    int rc = wtl_spool_walk(folder, survey_record, &survey);
    struct wtl_spool_counts counts = wtl_spool_counts_read(folder);
    (void)close(folder);
    if (rc < 0)
        return wtl_fail(err, rc, "the spool %s cannot be read: %s", spool->folder,
                        wtl_strerror(rc));
    status.refused = counts.refused;
    status.damaged = counts.damaged;
    status.rejected = counts.rejected;
    *ret_status = status;
    return 0;
}
