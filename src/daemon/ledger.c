/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger: see ledger.h. The file is read and written, never mapped: it is in a folder that others can
 * only read, but a disk that fails must cost an entry, not the process. A lock (flock(2)) on the open file ends
 * with the process, so that a killed wattled never blocks the next one.
 */
#define _GNU_SOURCE
#include "daemon/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"

#define MAGIC "WTLLEDGR"

enum { VERSION = 1, HEAD_SIZE = 128, COPY_SIZE = 256, ENTRIES_MAX = WATTLE_PAGE_CHANNELS_MAX };

/* The head of the file, in the machine's byte order. */
struct head {
    char magic[8];
    uint32_t version, copy_size;
    char boot_id[40];
    uint64_t generation, check; /* check: hash of what is before it */
};

/* An entry is two of these; the valid one with the greater sequence counts. */
struct copy {
    uint64_t sequence; /* 0 = empty */
    struct wtl_ledger_entry entry;
    uint64_t check;
};

_Static_assert(sizeof(struct head) <= HEAD_SIZE, "layout of the ledger");
_Static_assert(sizeof(struct copy) <= COPY_SIZE, "layout of the ledger");

struct wtl_ledger {
    int fd;
    struct head head;
    size_t count;
    struct copy entries[ENTRIES_MAX];
};

static uint64_t check_of(const void *data, size_t n)
{
    return wtl_hash_bytes(WTL_HASH_START, data, n);
}

static off_t place_of(size_t entry, uint64_t sequence)
{
    return HEAD_SIZE + (off_t)(2 * entry + (size_t)(sequence % 2)) * COPY_SIZE;
}

static int write_at(int fd, const void *data, size_t n, off_t at)
{
    ssize_t done = pwrite(fd, data, n, at);
    return done == (ssize_t)n ? 0 : done < 0 ? -errno : -ENOSPC;
}

static int put_head(struct wtl_ledger *ledger)
{
    ledger->head.check = check_of(&ledger->head, offsetof(struct head, check));
    return write_at(ledger->fd, &ledger->head, sizeof ledger->head, 0);
}

static bool is_whole(const struct copy *copy)
{
    return copy->sequence > 0 && copy->check == check_of(copy, offsetof(struct copy, check)) &&
           memchr(copy->entry.name, '\0', sizeof copy->entry.name) && copy->entry.scale > 0;
}

/* Read the entries, as far as they are whole: false if some are not. */
static bool read_entries(struct wtl_ledger *ledger)
{
    bool whole = true;
    for (size_t i = 0; i < ENTRIES_MAX; i++) {
        struct copy copies[2], *newest = NULL;
        size_t there = 0;
        for (size_t k = 0; k < 2; k++) {
            memset(&copies[k], 0, sizeof copies[k]);
            there += pread(ledger->fd, &copies[k], sizeof copies[k], place_of(i, k)) > 0;
            if (is_whole(&copies[k]) && (!newest || copies[k].sequence > newest->sequence))
                newest = &copies[k];
        }
        if (there == 0)
            break;
        whole = whole && newest;
        if (newest)
            ledger->entries[ledger->count++] = *newest;
    }
    return whole;
}

/* Is the file a ledger of this boot? Then its entries are read. */
static bool use(struct wtl_ledger *ledger, const char *boot_id, struct wattle_error *err)
{
    struct head *head = &ledger->head;
    struct stat about;
    bool is_new = fstat(ledger->fd, &about) == 0 && about.st_size == 0;
    ssize_t got = is_new ? 0 : pread(ledger->fd, head, sizeof *head, 0);
    bool is_ledger = got == (ssize_t)sizeof *head &&
                     memcmp(head->magic, MAGIC, sizeof head->magic) == 0 &&
                     head->version == VERSION && head->copy_size == COPY_SIZE &&
                     head->check == check_of(head, offsetof(struct head, check));
    if (is_ledger && strncmp(head->boot_id, boot_id, sizeof head->boot_id) == 0) {
        if (read_entries(ledger))
            return true;
        (void)wtl_fail(err, 0, "part of the ledger is damaged; those energies count from now");
        return true;
    }
    if (!is_new)
        (void)wtl_fail(err, 0, "the ledger is %s; energies count from now",
                       is_ledger ? "of an earlier boot" : "damaged");
    return false;
}

/* Start anew: entries of channels are written where the next ones go. */
static int clear(struct wtl_ledger *ledger, const char *boot_id)
{
    if (ftruncate(ledger->fd, 0) < 0)
        return -errno;
    ledger->head = (struct head){.version = VERSION, .copy_size = COPY_SIZE};
    memcpy(ledger->head.magic, MAGIC, sizeof ledger->head.magic);
    (void)snprintf(ledger->head.boot_id, sizeof ledger->head.boot_id, "%s", boot_id);
    return put_head(ledger);
}

/* Entries were read densely: write them densely, so that one damaged does not end the list. */
static int rewrite(struct wtl_ledger *ledger)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < ledger->count; i++)
        rc = write_at(ledger->fd, &ledger->entries[i], sizeof ledger->entries[i],
                      place_of(i, ledger->entries[i].sequence));
    return rc;
}

static int open_file(const char *path, struct wattle_error *err)
{
    struct stat about;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0640);
    if (fd < 0)
        return wtl_fail(err, -errno,
                        "cannot open the ledger \"%s\": %s; check the owner of its folder", path,
                        strerror(errno));
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_nlink != 1) {
        (void)close(fd); /* not ours */
        return wtl_fail(err, -EINVAL, "the ledger \"%s\" is not a regular file; remove it", path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
        (void)close(fd); /* nothing was written */
        return wtl_fail(
            err, rc,
            rc == -EBUSY
                ? "another wattled is running on this node (it holds \"%s\"); stop it first"
                : "cannot lock the ledger \"%s\"",
            path);
    }
    return fd;
}

int wtl_ledger_open(const char *run_dir,
                    const char *boot_id,
                    struct wtl_ledger **ret_ledger,
                    bool *ret_created,
                    struct wattle_error *err)
{
    char path[300];
    struct wtl_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return wtl_no_memory_for(err, "the ledger");
    if (err)
        err->text[0] = '\0';
    (void)snprintf(path, sizeof path, "%s/ledger", run_dir);
    ledger->fd = open_file(path, err);
    if (ledger->fd < 0) {
        int rc = ledger->fd;
        free(ledger);
        return rc;
    }
    *ret_created = !use(ledger, boot_id, err);
    int rc = *ret_created ? clear(ledger, boot_id) : err && err->text[0] ? rewrite(ledger) : 0;
    if (rc < 0) {
        wtl_ledger_close(ledger);
        return wtl_fail(err, rc, "cannot write the ledger \"%s\": %s", path, strerror(-rc));
    }
    *ret_ledger = ledger;
    return 0;
}

void wtl_ledger_close(struct wtl_ledger *ledger)
{
    if (!ledger)
        return;
    (void)close(ledger->fd); /* each write was checked */
    free(ledger);
}

static struct copy *entry_of(struct wtl_ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (strcmp(ledger->entries[i].entry.name, name) == 0)
            return &ledger->entries[i];
    }
    return NULL;
}

bool wtl_ledger_find(const struct wtl_ledger *ledger,
                     const char *name,
                     double scale,
                     struct wtl_ledger_entry *ret_entry)
{
    const struct copy *copy = entry_of((struct wtl_ledger *)ledger, name);
    if (!copy || copy->entry.scale < scale || copy->entry.scale > scale)
        return false;
    *ret_entry = copy->entry;
    return true;
}

static bool shows(const struct wattle_page *page, const char *name)
{
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        if (strcmp(wattle_page_channel_at(page, i)->name, name) == 0)
            return true;
    }
    return false;
}

size_t wtl_ledger_missing(const struct wtl_ledger *ledger, const struct wattle_page *page)
{
    size_t missing = 0;
    for (size_t i = 0; i < ledger->count; i++)
        missing += !shows(page, ledger->entries[i].entry.name);
    return missing;
}

int wtl_ledger_store(struct wtl_ledger *ledger, const struct wtl_ledger_entry *entry)
{
    struct copy next;
    struct copy *copy = entry_of(ledger, entry->name);
    if (!copy && ledger->count == ENTRIES_MAX)
        return -ENOSPC;
    size_t number = copy ? (size_t)(copy - ledger->entries) : ledger->count;
    memset(&next, 0, sizeof next); /* padding is part of the check */
    next.sequence = copy ? copy->sequence + 1 : 1;
    memcpy(next.entry.name, entry->name, sizeof next.entry.name);
    next.entry.scale = entry->scale;
    next.entry.now = entry->now;
    next.check = check_of(&next, offsetof(struct copy, check));
    int rc = write_at(ledger->fd, &next, sizeof next, place_of(number, next.sequence));
    if (rc < 0)
        return rc;
    ledger->entries[number] = next;
    ledger->count += !copy;
    return 0;
}

uint64_t wtl_ledger_generation(struct wtl_ledger *ledger)
{
    ledger->head.generation++;
    (void)put_head(ledger); /* a number that is used again only costs a reader one more look */
    return ledger->head.generation;
}
