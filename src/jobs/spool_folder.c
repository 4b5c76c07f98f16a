/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a spool; see spool_folder.h. */
#define _GNU_SOURCE
#include "jobs/spool_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/whole.h"

#define COUNTS \
    "refused %020" PRIu64 " damaged %020" PRIu64 " rejected %020" PRIu64 " logged %020" PRIu64 "\n"
enum { COUNTS_MAX = 160 };

int wtl_spool_folder_open(const char *path, bool create, struct wattle_error *err)
{
    struct stat about;
    if (create && mkdir(path, 0700) < 0 && errno != EEXIST && errno != EROFS)
        return wtl_fail(err, -errno, "the spool %s cannot be created: %s", path,
                        wtl_strerror(errno));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return wtl_fail(err, -errno, "the spool %s cannot be opened: %s", path,
                        wtl_strerror(errno));
    int rc = fstat(fd, &about) < 0 ? -errno : 0;
    if (rc == 0 && (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH))))
        rc = -EPERM;
    if (rc == 0)
        return fd;
    (void)close(fd);
    return wtl_fail(
        err, rc,
        "the spool %s is not used, since it belongs to another user or others may write to it; "
        "chown it to root and chmod it to 0700",
        path);
}

int wtl_spool_lock(int folder, const char *name, unsigned patience_ms)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    for (unsigned waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited += 2) {
        int rc = errno == EWOULDBLOCK ? -EAGAIN : -errno;
        if (rc != -EINTR && (rc != -EAGAIN || waited >= patience_ms)) {
            (void)close(fd);
            return rc;
        }
        (void)nanosleep(&pause, NULL);
    }
    return fd;
}

void wtl_spool_closed_name(char *buf, size_t size)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(buf, size, "%020" PRIu64 "-%ld" WTL_SPOOL_CLOSED,
                   (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, (long)getpid());
}

int wtl_spool_close_current(int folder)
{
    char name[80];
    struct stat about;
    if (fstatat(folder, "current", &about, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (about.st_size == 0)
        return 0;
    for (int tries = 0; tries < 100; tries++) {
        wtl_spool_closed_name(name, sizeof name);
        if (renameat2(folder, "current", folder, name, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EEXIST)
            return -errno;
    }
    return -EEXIST;
}

/* "WORD NUMBER " at *text, which moves on. */
static uint64_t take_count(const char **text, const char *word)
{
    size_t n = strlen(word);
    uint64_t value = 0;
    if (strncmp(*text, word, n) != 0 || (*text)[n] != ' ')
        return 0;
    int used = wtl_scan_u64(*text + n + 1, strlen(*text + n + 1), &value);
    if (used < 0)
        return 0;
    *text += n + 1 + (size_t)used;
    *text += **text == ' ';
    return value;
}

static struct wtl_spool_counts read_counts(int fd)
{
    struct wtl_spool_counts counts = {0};
    char text[COUNTS_MAX];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    const char *at = text;
    text[n > 0 ? n : 0] = '\0';
    counts.refused = take_count(&at, "refused");
    counts.damaged = take_count(&at, "damaged");
    counts.rejected = take_count(&at, "rejected");
    counts.logged_s = take_count(&at, "logged");
    return counts;
}

struct wtl_spool_counts wtl_spool_counts_read(int folder)
{
    struct wtl_spool_counts counts = {0};
    int fd = openat(folder, "state", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        counts = read_counts(fd);
        (void)close(fd);
    }
    return counts;
}

int wtl_spool_counts_add(int folder, const struct wtl_spool_counts *more)
{
    char text[COUNTS_MAX];
    int fd = openat(folder, "state", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    struct wtl_spool_counts counts = read_counts(fd);
    /* Of one length always: written in place, which needs no space on a full disk. */
    int n = snprintf(text, sizeof text, COUNTS, counts.refused + more->refused,
                     counts.damaged + more->damaged, counts.rejected + more->rejected,
                     more->logged_s ? more->logged_s : counts.logged_s);
    int rc = pwrite(fd, text, (size_t)n, 0) == n ? 0 : -EIO;
    (void)close(fd);
    return rc;
}

struct names {
    char **list;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    const char *const *x = (const char *const *)a, *const *y = (const char *const *)b;
    return strcmp(*x, *y);
}

static bool is_closed(const char *name)
{
    size_t n = strlen(name), end = strlen(WTL_SPOOL_CLOSED);
    return n > end && strcmp(name + n - end, WTL_SPOOL_CLOSED) == 0;
}

static int find_closed(int folder, struct names *names)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    if (!dir) {
        rc = -errno;
        if (fd >= 0)
            (void)close(fd);
        return rc;
    }
    while (rc == 0 && (entry = readdir(dir)) != NULL) {
        if (!is_closed(entry->d_name))
            continue;
        rc = wtl_grow(&names->list, names->count, sizeof *names->list);
        char *name = rc == 0 ? strdup(entry->d_name) : NULL;
        if (name)
            names->list[names->count++] = name;
        else
            rc = -ENOMEM;
    }
    (void)closedir(dir);
    if (names->count > 1)
        wtl_sort(names->list, names->count, sizeof *names->list, by_name);
    return rc;
}

int wtl_spool_walk(int folder, wtl_spool_visit_fn *visit, void *arg)
{
    struct names names = {NULL, 0};
    struct stat about;
    int rc = find_closed(folder, &names);
    for (size_t i = 0; rc == 0 && i < names.count; i++)
        if (fstatat(folder, names.list[i], &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode))
            rc = visit(arg, names.list[i], (uint64_t)about.st_size);
    if (rc == 0 && fstatat(folder, "current", &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(about.st_mode) && about.st_size > 0)
        rc = visit(arg, "current", (uint64_t)about.st_size);
    for (size_t i = 0; i < names.count; i++)
        free(names.list[i]);
    free(names.list);
    return rc;
}

void wtl_spool_line_checksum(const char *json, size_t n, char text[WTL_SPOOL_CHECKSUM + 2])
{
    (void)snprintf(text, WTL_SPOOL_CHECKSUM + 2, "%0*" PRIx64 " ", WTL_SPOOL_CHECKSUM,
                   wtl_hash_bytes(WTL_HASH_START, json, n));
}

const char *wtl_spool_line_json(const char *line, size_t n, size_t *ret_size)
{
    enum { HEAD = WTL_SPOOL_CHECKSUM + 1 };
    char head[HEAD + 1];
    if (n <= HEAD)
        return NULL;
    wtl_spool_line_checksum(line + HEAD, n - HEAD, head);
    *ret_size = n - HEAD;
    return memcmp(head, line, HEAD) == 0 ? line + HEAD : NULL;
}
