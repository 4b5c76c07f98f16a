/* SPDX-License-Identifier: BSD-3-Clause */
/* The sender's side of the spool: a segment at a time; see job_spool.h. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "jobs/job_spool.h"
#include "jobs/spool_folder.h"

enum { PATIENCE_MS = 5000 };

struct place {
    size_t offset, size; /* of the JSON of a record in the text */
};

struct wtl_job_sender {
    char *path; /* of the folder, for messages */
    int folder, lock;
    char segment[NAME_MAX + 1]; /* "" = none */
    char *text;
    struct wtl_job_record *records;
    struct place *places;
    struct place *foreign; /* whole lines that are no records of this version */
    size_t count, room, places_room, foreign_count;
    uint64_t damaged, rejected;
};

static int broken(const struct wtl_job_sender *sender, int rc, struct wattle_error *err)
{
    return wtl_fail(err, rc, "the spool %s cannot be read: %s", sender->path, wtl_strerror(rc));
}

int wtl_job_sender_open(const struct wtl_job_spool *spool,
                        struct wtl_job_sender **ret_sender,
                        struct wattle_error *err)
{
    int folder = wtl_spool_folder_open(spool->folder, true, err);
    if (folder < 0)
        return folder;
    struct wtl_job_sender *sender = calloc(1, sizeof *sender);
    char *path = strdup(spool->folder);
    int lock = wtl_spool_lock(folder, "sender", 0), rc = 0;
    if (!sender || !path)
        rc = wtl_no_memory(err);
    else if (lock == -EAGAIN)
        rc = wtl_fail(err, -EBUSY, "another process sends the records of %s", spool->folder);
    else if (lock < 0)
        rc = wtl_fail(err, lock, "the spool %s cannot be written: %s", spool->folder,
                      wtl_strerror(lock));
    if (rc < 0) {
        if (lock >= 0)
            (void)close(lock);
        (void)close(folder);
        free(path);
        free(sender);
        return rc;
    }
    assert(sender);
    sender->path = path;
    sender->folder = folder;
    sender->lock = lock;
    *ret_sender = sender;
    return 0;
}

static void drop(struct wtl_job_sender *sender)
{
    for (size_t i = 0; i < sender->count; i++)
        wtl_job_record_fini(&sender->records[i]);
    free(sender->text);
    sender->text = NULL;
    sender->count = sender->foreign_count = 0;
    sender->damaged = sender->rejected = 0;
    sender->segment[0] = '\0';
}

void wtl_job_sender_close(struct wtl_job_sender *sender)
{
    if (!sender)
        return;
    drop(sender);
    free(sender->records);
    free(sender->places);
    free(sender->foreign);
    (void)close(sender->lock);
    (void)close(sender->folder);
    free(sender->path);
    free(sender);
}

static int first(void *arg, const char *name, uint64_t size)
{
    (void)size;
    (void)snprintf((char *)arg, NAME_MAX + 1, "%s", name);
    return 1;
}

/* The name of the oldest segment, which is closed: 1; 0 = none is closed. */
static int choose(struct wtl_job_sender *sender, struct wattle_error *err)
{
    char name[NAME_MAX + 1];
    int rc = wtl_spool_walk(sender->folder, first, name);
    if (rc == 1 && strcmp(name, "current") == 0) {
        int lock = wtl_spool_lock(sender->folder, "lock", PATIENCE_MS);
        rc = lock < 0 ? lock : wtl_spool_close_current(sender->folder);
        if (lock >= 0)
            (void)close(lock);
        rc = rc < 0 ? rc : wtl_spool_walk(sender->folder, first, name);
        if (rc == 1 && strcmp(name, "current") == 0)
            rc = -EAGAIN; /* cannot be: it has just been renamed */
    }
    if (rc < 0)
        return broken(sender, rc, err);
    if (rc == 1)
        (void)snprintf(sender->segment, sizeof sender->segment, "%s", name);
    return rc;
}

static int load_text(struct wtl_job_sender *sender, size_t *ret_size, struct wattle_error *err)
{
    struct stat about = {.st_size = 0};
    int fd =
        openat(sender->folder, sender->segment, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int rc = fd < 0 || fstat(fd, &about) < 0 ? -errno : 0;
    size_t size = rc == 0 ? (size_t)about.st_size : 0, have = 0;
    if (rc == 0 && !(sender->text = malloc(size + 1)))
        rc = -ENOMEM;
    while (rc == 0 && have < size) {
        ssize_t n = read(fd, sender->text + have, size - have);
        if (n <= 0)
            rc = n < 0 ? -errno : -EIO;
        else
            have += (size_t)n;
    }
    if (fd >= 0)
        (void)close(fd);
    *ret_size = size;
    return rc < 0 ? broken(sender, rc, err) : 0;
}

/* A line with the right checksum was written so, such as by a newer wattle: it is kept. */
static int take_foreign(struct wtl_job_sender *sender, struct place place)
{
    int rc = wtl_grow(&sender->foreign, sender->foreign_count, sizeof *sender->foreign);
    if (rc == 0)
        sender->foreign[sender->foreign_count++] = place;
    return rc;
}

/* 0; -ENOMEM. A damaged line is counted. */
static int take_line(struct wtl_job_sender *sender, const char *line, size_t n)
{
    size_t size = 0;
    const char *json = wtl_spool_line_json(line, n, &size);
    if (n == 0)
        return 0;
    int rc =
        wtl_reserve(&sender->records, &sender->room, sender->count + 1, sizeof *sender->records);
    rc = rc < 0 ? rc
                : wtl_reserve(&sender->places, &sender->places_room, sender->count + 1,
                              sizeof *sender->places);
    if (rc < 0)
        return rc;
    rc = json ? wtl_job_record_parse(json, size, &sender->records[sender->count], NULL) : -EBADMSG;
    const struct place place = {json ? (size_t)(json - sender->text) : 0, size};
    if (rc == 0)
        sender->places[sender->count++] = place;
    else if (rc != -ENOMEM && json)
        rc = take_foreign(sender, place);
    else if (rc != -ENOMEM) {
        sender->damaged++;
        rc = 0;
    }
    return rc;
}

static int take_lines(struct wtl_job_sender *sender, size_t size)
{
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < size;) {
        const char *end = memchr(sender->text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - sender->text) - at : size - at;
        rc = take_line(sender, sender->text + at, n);
        at += n + 1;
    }
    return rc;
}

static int take_segment(struct wtl_job_sender *sender, struct wattle_error *err)
{
    size_t size;
    int rc = load_text(sender, &size, err);
    if (rc < 0)
        return rc;
    rc = take_lines(sender, size);
    return rc < 0 ? wtl_no_memory_for(err, "the records of the spool") : 0;
}

int wtl_job_sender_next(struct wtl_job_sender *sender,
                        const struct wtl_job_record **ret_records,
                        size_t *ret_count,
                        struct wattle_error *err)
{
    int rc = 1;
    while (rc > 0 && sender->count == 0) {
        if (sender->segment[0]) /* nothing in it but damaged lines */
            rc = wtl_job_sender_done(sender, err);
        rc = rc < 0 ? rc : choose(sender, err);
        if (rc == 1) {
            int failed = take_segment(sender, err);
            rc = failed < 0 ? failed : rc;
        }
    }
    if (rc < 0) {
        drop(sender);
        return rc;
    }
    *ret_records = sender->records;
    *ret_count = sender->count;
    return rc;
}

static int keep(struct wtl_job_sender *sender,
                const struct place *place,
                const char *why,
                struct wattle_error *err)
{
    struct stat about = {.st_size = 0};
    int fd = openat(sender->folder, "rejected",
                    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    int rc = fd < 0 || fstat(fd, &about) < 0 ? -errno : S_ISREG(about.st_mode) ? 0 : -EINVAL;
    if (rc == 0 && about.st_size < WTL_SPOOL_REJECTED &&
        dprintf(fd, "# %s\n%.*s\n", why, (int)place->size, sender->text + place->offset) < 0)
        rc = -errno;
    if (fd >= 0)
        (void)close(fd);
    if (rc < 0)
        return wtl_fail(err, rc, "the file \"rejected\" of %s cannot be written: %s", sender->path,
                        wtl_strerror(rc));
    sender->rejected++;
    return 0;
}

int wtl_job_sender_reject(struct wtl_job_sender *sender,
                          size_t i,
                          const char *why,
                          struct wattle_error *err)
{
    return keep(sender, &sender->places[i], why, err);
}

/* Once, when the segment is done with: the reason is found again. */
static int keep_foreign(struct wtl_job_sender *sender, struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sender->foreign_count; i++) {
        const struct place *place = &sender->foreign[i];
        struct wtl_job_record record;
        struct wattle_error why = {""};
        if (wtl_job_record_parse(sender->text + place->offset, place->size, &record, &why) == 0)
            wtl_job_record_fini(&record);
        rc = keep(sender, place, why.text, err);
    }
    sender->foreign_count = 0;
    return rc;
}

int wtl_job_sender_done(struct wtl_job_sender *sender, struct wattle_error *err)
{
    int rc = keep_foreign(sender, err);
    if (rc < 0)
        return rc;
    const struct wtl_spool_counts more = {.damaged = sender->damaged, .rejected = sender->rejected};
    if (sender->segment[0] && unlinkat(sender->folder, sender->segment, 0) < 0 && errno != ENOENT)
        return wtl_fail(err, -errno, "what was sent cannot be removed from %s: %s", sender->path,
                        wtl_strerror(errno));
    if (more.damaged + more.rejected > 0) {
        int lock = wtl_spool_lock(sender->folder, "lock", PATIENCE_MS);
        (void)wtl_spool_counts_add(sender->folder, &more);
        if (lock >= 0)
            (void)close(lock);
    }
    drop(sender);
    return 0;
}
