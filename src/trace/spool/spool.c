/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of a spool: its file, header and clock. spool_index.c stores which thread's records are where,
 * and cursors (spool_cursor.c) then read them. Files are read, never mapped: a file truncated in the meantime
 * gives fewer records, not a SIGBUS.
 */
#define _GNU_SOURCE
#include "trace/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/own_file.h"
#include "trace/spool/spool_index.h"

void wtl_spool_brief(struct wtl_spool *spool)
{
    spool->brief = true;
    wtl_spool_let_file_go(spool);
}

/* Determine the rate over the longest base line available from the file and the reader's own pair. */
static void find_rate(struct wtl_spool *spool, const struct wtl_spool_now *now)
{
    const struct wtl_spool_header *header = &spool->info.header;
    struct wtl_spool_pair first = {header->pair_time, header->pair_ns}, last = spool->last;

    if (header->clock == WTL_SPOOL_MONOTONIC) {
        spool->rate = 1;
        return;
    }
    spool->has_now = now && header->boot_id[0] && !strcmp(now->boot_id, header->boot_id) &&
                     now->pair.monotonic_ns > last.monotonic_ns && now->pair.time > last.time;
    if (spool->has_now)
        spool->now = last = now->pair;
    if (last.time > first.time && last.monotonic_ns > first.monotonic_ns)
        spool->rate =
            (double)(last.monotonic_ns - first.monotonic_ns) / (double)(last.time - first.time);
}

static int check_header(struct wtl_spool *spool, const char *what, struct wattle_error *err)
{
    struct wtl_spool_header *header = &spool->info.header;
    ssize_t got = wtl_spool_read_at(spool, 0, header, sizeof(*header));

    if (got < 0)
        return wtl_fail(err, (int)got, "%s: %s", what, wtl_strerror((int)got));
    if ((size_t)got < sizeof(*header) || memcmp(header->magic, WTL_SPOOL_MAGIC, 8) != 0)
        return wtl_fail(err, -EBADMSG, "%s: not a spool of regions; it can be removed", what);
    if (header->version != WTL_SPOOL_VERSION)
        return wtl_fail(err, -EBADMSG,
                        "%s: spool version %u, but this wattle reads version %d; use the wattle "
                        "that recorded it",
                        what, header->version, WTL_SPOOL_VERSION);
    if (header->header_size != WTL_SPOOL_HEADER || header->chunk_size != WTL_SPOOL_CHUNK ||
        header->clock > WTL_SPOOL_TSC)
        return wtl_fail(err, -EBADMSG, "%s: the header is damaged; its records are lost", what);
    spool->shift_ns = wtl_spool_shift_ns(header);
    header->pair_ns += spool->shift_ns;
    header->boot_id[sizeof(header->boot_id) - 1] = '\0';
    header->command[sizeof(header->command) - 1] = '\0';
    header->host[sizeof(header->host) - 1] = '\0';
    header->visible[sizeof(header->visible) - 1] = '\0';
    return 0;
}

/* On the spool's clock: twice WTL_SPOOL_MAYBE_NS before the reader's own pair, which was taken before
 * anything is read. 0 = unknown. */
static uint64_t settled_time(const struct wtl_spool *spool, const struct wtl_spool_now *now)
{
    const struct wtl_spool_header *header = &spool->info.header;
    const uint64_t wait_ns = UINT64_C(2) * WTL_SPOOL_MAYBE_NS;

    if (!now || strcmp(now->boot_id, header->boot_id) != 0 ||
        now->pair.monotonic_ns < header->pair_ns + wait_ns)
        return 0;
    if (header->clock == WTL_SPOOL_MONOTONIC)
        return now->pair.monotonic_ns - wait_ns - spool->shift_ns;
    double cycles = (double)(now->pair.time - header->pair_time) * (double)wait_ns /
                    (double)(now->pair.monotonic_ns - header->pair_ns);

    return now->pair.time > header->pair_time && cycles < (double)now->pair.time
               ? now->pair.time - (uint64_t)cycles
               : 0;
}

static int refresh(struct wtl_spool *spool, const struct wtl_spool_now *now, bool ended)
{
    struct stat st = {0};
    int rc = 0;

    if (spool->path)
        rc = wtl_spool_hold_file(spool);
    if (rc == 0 && spool->path && fstat(spool->fd, &st) < 0)
        rc = -errno;
    if (rc < 0)
        return rc;
    if (spool->path)
        spool->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    if (ended && spool->path) {
        struct wtl_spool_header header;

        if (wtl_spool_read_at(spool, 0, &header, sizeof(header)) == (ssize_t)sizeof(header)) {
            spool->info.header.drops = header.drops;
            spool->info.header.refused = header.refused;
            spool->info.header.full = header.full;
            spool->info.header.nested = header.nested;
            spool->info.header.why = header.why;
        }
    }
    spool->live = !ended;
    spool->settled = settled_time(spool, now);
    rc = wtl_spool_index_refresh(spool, ended);
    if (rc == 0)
        find_rate(spool, now);
    return rc;
}

int wtl_spool_refresh(struct wtl_spool *spool, const struct wtl_spool_now *now, bool ended)
{
    spool->held = true;
    int rc = refresh(spool, now, ended);

    spool->held = false;
    wtl_spool_let_file_go(spool);
    return rc;
}

/* `made` belongs to the caller: closed when this fails. */
static int open_indexed(struct wtl_spool *made,
                        const char *what,
                        const struct wtl_spool_now *now,
                        bool ended,
                        struct wtl_spool **ret_spool,
                        struct wattle_error *err)
{
    struct wtl_spool *spool = malloc(sizeof(*spool));
    int rc;

    if (!spool) {
        wtl_own_file_close(made->fd, &made->id);
        free(made->path);
        return wtl_fail(err, -ENOMEM, "%s: out of memory", what);
    }
    *spool = *made;
    rc = check_header(spool, what, err);
    if (rc < 0) {
        wtl_spool_close(spool);
        return rc;
    }
    spool->next_chunk = WTL_SPOOL_HEADER;
    spool->last = (struct wtl_spool_pair){spool->info.header.pair_time, spool->info.header.pair_ns};
    rc = wtl_spool_refresh(spool, now, ended);
    if (rc < 0) {
        wtl_spool_close(spool);
        return wtl_fail(err, rc, "%s: %s", what, wtl_strerror(rc));
    }
    *ret_spool = spool;
    return 0;
}

int wtl_spool_open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st = {0};

    if (fd < 0)
        return errno == ELOOP || errno == ENXIO ? -EPERM : -errno; /* a link; a socket */
    bool good =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || geteuid() == 0);

    if (!good)
        (void)close(fd); /* read only */
    return good ? fd : -EPERM;
}

int wtl_spool_open(const char *path,
                   const struct wtl_spool_now *now,
                   bool ended,
                   struct wtl_spool **ret_spool,
                   struct wattle_error *err)
{
    struct wtl_spool made = {.fd = -1};
    struct stat st = {0};

    made.fd = wtl_own_file_take(wtl_spool_open_file(path), &made.id);
    if (made.fd < 0)
        return wtl_fail(err, made.fd, "%s: %s", path,
                        made.fd == -EPERM ? "not a file of this user; it can be removed"
                                          : wtl_strerror(made.fd));
    made.path = strdup(path);
    if (!made.path) {
        wtl_own_file_close(made.fd, &made.id);
        return wtl_fail(err, -ENOMEM, "%s: out of memory", path);
    }
    (void)fstat(made.fd, &st); /* on a descriptor that was just opened */
    made.size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    return open_indexed(&made, path, now, ended, ret_spool, err);
}

int wtl_spool_open_bytes(const void *bytes,
                         size_t size,
                         const struct wtl_spool_now *now,
                         struct wtl_spool **ret_spool,
                         struct wattle_error *err)
{
    struct wtl_spool made = {.fd = -1, .bytes = bytes, .size = size};

    return open_indexed(&made, "spool", now, true, ret_spool, err);
}

void wtl_spool_close(struct wtl_spool *spool)
{
    if (!spool)
        return;
    wtl_own_file_close(spool->fd, &spool->id);
    wtl_spool_index_fini(spool);
    free(spool->path);
    free(spool);
}

const struct wtl_spool_info *wtl_spool_info(const struct wtl_spool *spool)
{
    return &spool->info;
}

const struct wtl_spool_thread *wtl_spool_thread(const struct wtl_spool *spool, size_t i)
{
    return i < spool->thread_count ? &spool->threads[i].seen : NULL;
}

const char *wtl_spool_name(const struct wtl_spool *spool, uint32_t id)
{
    return id - 1 < spool->name_count ? spool->names[id - 1] : NULL;
}
