/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Appending blocks: see appender.h. One writev(2) per block, so that readers of a live file, and kill -9,
 * find whole blocks; a block written partially because the disk is full is truncated immediately.
 */
#define _GNU_SOURCE
#include "trace/appender.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fail.h"
#include "trace/blocks/footer_block.h"
#include "trace/regions/region_summary.h"

enum {
    RECORDS_BYTES = 1 << 20
}; /* approximate, of a block: a record is much shorter than a block may be */

int wtl_appender_attach(struct wtl_appender *appender,
                        int fd,
                        const char *path,
                        const struct wtl_tables *tables,
                        wtl_pyramid_block_fn *emit,
                        void *context)
{
    *appender = (struct wtl_appender){.tables = tables};
    appender->fd = wtl_own_file_take(fd, &appender->id);
    if (appender->fd < 0)
        return appender->fd;
    char real[PATH_MAX]; /* a daemon changes its working directory */
    bool has_path = path && realpath(path, real);
    appender->path = has_path ? strdup(real) : NULL;
    appender->index = calloc(1, sizeof *appender->index);
    if (!appender->index || (has_path && !appender->path) ||
        wtl_digest_create(tables, emit, context, &appender->digest) < 0) {
        wtl_appender_fini(appender);
        return -ENOMEM;
    }
    return 0;
}

void wtl_appender_fini(struct wtl_appender *appender)
{
    wtl_own_file_close(appender->fd,
                       &appender->id); /* every block was written, or its failure reported */
    appender->fd = -1;
    free(appender->path);
    appender->path = NULL;
    wtl_region_live_end(&appender->live);
    wtl_own_facts_fini(&appender->own);
    wtl_digest_destroy(appender->digest);
    wtl_packer_destroy(appender->packer);
    wtl_column_work_fini(&appender->work);
    wtl_bytes_fini(&appender->payload);
    free(appender->index);
    appender->digest = NULL;
    appender->packer = NULL;
    appender->index = NULL;
}

void wtl_appender_forget(struct wtl_appender *appender)
{
    wtl_own_file_close(appender->fd, &appender->id); /* written by the parent */
    appender->fd = -1;
}

/* The existing file at the path of a new one: its descriptor; -ENOENT without a message; or the reason why
 * it must not be replaced: not a regular file, or being written. */
static int open_old(const char *path, struct wattle_error *err)
{
    struct stat status;
    int code = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? -ENOENT
                               : wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        code = wtl_fail(err, -EINVAL, "%s: not a regular file; choose another path for the trace",
                        path);
    else if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        code = wtl_fail(
            err, -EBUSY,
            "%s: another process is writing this trace; wait until it ends, or choose another path",
            path);
    if (code == 0)
        return fd;
    (void)close(fd); /* opened for reading */
    return code;
}

/* Remove the old file before creating a new one. Readers of the old one can continue; and some file
 * systems flush a file on close if it was truncated to zero. */
static int remove_old(const char *path, struct wattle_error *err)
{
    int code = 0, fd = open_old(path, err);
    if (fd < 0 && fd != -ENOENT)
        return fd;
    if (unlink(path) < 0 && errno != ENOENT) /* also removes a dangling link */
        code = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    if (fd >= 0)
        (void)close(fd); /* opened for reading */
    return code;
}

/* The reason why no file could be created. */
static int refuse(const char *path, int code, struct wattle_error *err)
{
    struct stat status;
    if (code == -EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return wtl_fail(err, code, "%s is a folder; name a file in it", path);
    if (code == -EEXIST)
        return wtl_fail_exists(err, path);
    return wtl_fail(err, code, "%s: %s; choose another path with --output", path,
                    wtl_strerror(code));
}

int wtl_appender_check(const char *path, bool force, struct wattle_error *err)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    if (lstat(path, &status) == 0 && !force)
        return refuse(path, -EEXIST, err);
    int fd = force ? open_old(path, err) : -ENOENT;
    if (fd < 0 && fd != -ENOENT)
        return fd;
    if (fd >= 0)
        (void)close(fd); /* opened for reading */
    if (slash && (size_t)(slash - path) + 1 < sizeof folder)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0 ||
        (stat(path, &status) < 0 && errno != ENOENT))
        return refuse(path, -errno, err);
    return 0;
}

static int open_file(const char *path, bool force, struct wattle_error *err)
{
    int code = force ? remove_old(path, err) : 0;
    if (code < 0)
        return code;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return refuse(path, -errno, err);
    (void)flock(fd, LOCK_EX | LOCK_NB); /* for repair; not supported by all file systems */
    return fd;
}

static int put_file_block(struct wtl_appender *appender)
{
    struct wtl_bytes *payload = &appender->payload;
    wtl_bytes_put(payload, WTL_TRACE_SIGNATURE, sizeof WTL_TRACE_SIGNATURE - 1);
    wtl_bytes_put_u16(payload, WTL_TRACE_MAJOR);
    wtl_bytes_put_u16(payload, WTL_TRACE_MINOR);
    wtl_bytes_put_text(payload, "wattle " WATTLE_VERSION);
    struct wtl_block_head head = {.type = WTL_BLOCK_FILE};
    return payload->failed ? -ENOMEM
                           : wtl_appender_block(appender, &head, payload->data, payload->length);
}

int wtl_appender_create(struct wtl_appender *appender,
                        const char *path,
                        const struct wtl_trace_options *options,
                        const struct wtl_tables *tables,
                        struct wattle_error *err)
{
    int fd = open_file(path, options->force, err);
    if (fd < 0)
        return fd;
    int code = wtl_appender_attach(appender, fd, path, tables, wtl_appender_pyramid, appender);
    if (code == 0) {
        appender->sync = options->sync;
        code = wtl_packer_create(options->level, &appender->packer);
        if (code == 0)
            code = put_file_block(appender);
        if (code < 0)
            wtl_appender_fini(appender);
    }
    if (code < 0) {
        (void)unlink(path); /* ours, and still empty */
        return wtl_fail(err, code, "%s: %s", path, wtl_strerror(code));
    }
    return 0;
}

/* Append both parts completely to the file. */
static int append(int fd, uint64_t offset, struct iovec parts[2])
{
    size_t left = parts[0].iov_len + parts[1].iov_len;
    if (!wtl_file_may_have(offset + left))
        return -EFBIG;
    while (left > 0) {
        ssize_t n = pwritev(fd, parts, 2, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        left -= (size_t)n;
        offset += (uint64_t)n;
        for (int i = 0; i < 2; i++) {
            size_t part = (size_t)n < parts[i].iov_len ? (size_t)n : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            n -= (ssize_t)part;
        }
    }
    return 0;
}

/* Whether the descriptor still refers to the file. If not, the file is reopened and locked, unless someone
 * else has continued writing it. */
static int hold_file(struct wtl_appender *appender)
{
    struct stat status;
    if (wtl_own_file_is(appender->fd, &appender->id)) /* is the written data still there? */
        return fstat(appender->fd, &status) < 0 || (uint64_t)status.st_size < appender->offset
                   ? -ESTALE
                   : 0;
    int code = 0,
        fd = appender->path ? wtl_own_file_again(appender->path, O_RDWR, &appender->id) : -ESTALE;
    if (fd < 0)
        code = fd;
    else if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        code = -EBUSY;
    else if (fstat(fd, &status) < 0 || (uint64_t)status.st_size != appender->offset)
        code = -ESTALE;
    if (fd >= 0 && code < 0)
        (void)close(fd); /* nothing was written */
    appender->fd = code < 0 ? -1 : fd;
    return code;
}

int wtl_appender_block(struct wtl_appender *appender,
                       struct wtl_block_head *head,
                       const uint8_t *payload,
                       size_t n)
{
    uint8_t bytes[WTL_BLOCK_HEAD];
    if (n > WTL_PAYLOAD_MAX)
        return -EOVERFLOW;
    int code = hold_file(appender);
    if (code < 0)
        return code;
    head->length = (uint32_t)n;
    head->sequence = appender->sequence;
    wtl_block_seal(head, payload, bytes);
    struct iovec parts[2] = {{.iov_base = bytes, .iov_len = sizeof bytes},
                             {.iov_base = (void *)(uintptr_t)payload, .iov_len = n}};
    code = append(appender->fd, appender->offset, parts);
    if (code == 0 && appender->sync && fdatasync(appender->fd) < 0)
        code = -errno;
    if (code < 0) {
        if (ftruncate(appender->fd, (off_t)appender->offset) < 0)
            return code; /* readers handle an unfinished last block */
        return code;
    }
    wtl_index_add(appender->index, appender->offset, head);
    appender->offset += sizeof bytes + n;
    appender->blocks++;
    appender->sequence++;
    appender->types |= head->type < 64 ? (uint64_t)1 << head->type : 0;
    return 0;
}

/* Write one block of whole records. */
static int put_records(struct wtl_appender *appender,
                       unsigned type,
                       const uint8_t *records,
                       size_t n)
{
    struct wtl_bytes *payload = &appender->payload;
    wtl_bytes_reset(payload);
    struct wtl_block_head head = {.type = (uint8_t)type};
    head.flags = wtl_packer_payload(appender->packer, records, n, payload);
    if (payload->failed)
        return -ENOMEM;
    int code = wtl_appender_block(appender, &head, payload->data, payload->length);
    if (code < 0)
        return code;
    struct wtl_cursor cursor = wtl_cursor_init(records, n);
    if (type == WTL_BLOCK_THREADS)
        code = wtl_own_facts_threads(&appender->own, cursor);
    if (code < 0)
        return code;
    if (type == WTL_BLOCK_GAPS)
        wtl_region_live_gaps(&appender->live, cursor);
    return wtl_digest_table(appender->digest, type, cursor);
}

int wtl_appender_records(struct wtl_appender *appender,
                         unsigned type,
                         const struct wtl_bytes *records)
{
    struct wtl_cursor rest = wtl_cursor_init(records->data, records->length), record;
    const uint8_t *begin = records->data;
    int code = 0, more;
    do {
        more = wtl_record_next(&rest, &record);
        size_t n = (size_t)(rest.at - begin);
        if (n > 0 && (more <= 0 || n >= RECORDS_BYTES)) {
            code = put_records(appender, type, begin, n);
            begin = rest.at;
        }
    } while (more > 0 && code == 0);
    return code < 0 || more == 0 ? code : -EINVAL;
}

int wtl_appender_rows(struct wtl_appender *appender, const struct wtl_rows *rows)
{
    struct wtl_bytes *payload = &appender->payload;
    wtl_bytes_reset(payload);
    wtl_samples_encode(rows, &appender->work, appender->packer, payload);
    if (payload->failed)
        return -ENOMEM;
    struct wtl_block_head head = {.type = WTL_BLOCK_SAMPLES,
                                  .first_ns = rows->time_ns[0],
                                  .last_ns = rows->time_ns[rows->rows - 1]};
    int code = wtl_appender_block(appender, &head, payload->data, payload->length);
    if (code < 0)
        return code;
    wtl_region_live_rows(&appender->live, rows);
    return wtl_digest_rows(appender->digest, rows);
}

static int put_marks(struct wtl_appender *appender,
                     unsigned type,
                     const struct wtl_mark *marks,
                     size_t n)
{
    struct wtl_bytes *payload = &appender->payload;
    if (n == 0)
        return 0;
    wtl_bytes_reset(payload);
    wtl_marks_encode(type, marks, n, &appender->work, appender->packer, payload);
    if (payload->failed)
        return -ENOMEM;
    struct wtl_block_head head = {
        .type = (uint8_t)type, .first_ns = marks[0].time_ns, .last_ns = marks[n - 1].time_ns};
    return wtl_appender_block(appender, &head, payload->data, payload->length);
}

int wtl_appender_marks(struct wtl_appender *appender, struct wtl_mark *marks, size_t n)
{
    struct wtl_mark *scratch = malloc(n * sizeof *scratch);
    if (!scratch)
        return -ENOMEM;
    static const unsigned types[] = {WTL_BLOCK_REGIONS, WTL_BLOCK_EVENTS, WTL_BLOCK_TASKS};
    int code = 0;
    wtl_marks_sort(marks, n, scratch);
    for (size_t t = 0; t < sizeof types / sizeof *types && code == 0; t++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (wtl_marks_block_of(marks[i].kind) == types[t])
                scratch[count++] = marks[i];
        code = put_marks(appender, types[t], scratch, count);
        if (code == 0 && types[t] == WTL_BLOCK_EVENTS)
            code = wtl_own_facts_events(&appender->own, scratch, count);
    }
    free(scratch);
    return code;
}

int wtl_appender_pyramid(void *context, struct wtl_pyramid_block *block)
{
    struct wtl_appender *appender = (struct wtl_appender *)context;
    struct wtl_block_head head = {
        .type = WTL_BLOCK_PYRAMID, .first_ns = block->first_ns, .last_ns = block->last_ns};
    uint64_t offset = appender->offset;
    int code = wtl_appender_block(appender, &head, block->payload->data, block->payload->length);
    if (code == 0)
        block->level->offset = offset;
    return code;
}

static int put_payload(struct wtl_appender *appender, uint8_t type)
{
    struct wtl_block_head head = {.type = type};
    if (appender->payload.failed)
        return -ENOMEM;
    return wtl_appender_block(appender, &head, appender->payload.data, appender->payload.length);
}

static const char *name_of(const void *context, uint32_t number)
{
    const struct wtl_string_set *strings = (const struct wtl_string_set *)context;
    return number <= strings->count ? strings->texts[number - 1] : NULL;
}

/* The summaries of regions: computed during the run, else by a pass over the file; none without marks. */
static int make_regions(struct wtl_appender *appender, struct wtl_footer_regions *table)
{
    const uint64_t marks = (uint64_t)1 << WTL_BLOCK_REGIONS | (uint64_t)1 << WTL_BLOCK_EVENTS;
    struct wtl_digest_totals totals;
    uint64_t start_ns, end_ns;
    if (!(appender->types & marks))
        return 0;
    wtl_digest_totals(appender->digest, &totals);
    wtl_region_window(&appender->tables->window, totals.first_ns, totals.last_ns, appender->index,
                      &start_ns, &end_ns);
    if (!appender->tables->window.ended)
        wtl_region_live_window_end(&appender->live, end_ns);
    if (appender->live.feed.table_count == appender->tables->channels.count &&
        wtl_region_live_finish(&appender->live, name_of, appender->strings, table))
        return 0;
    return wtl_region_summaries_of(appender->fd, appender->offset, table);
}

int wtl_appender_own_facts(struct wtl_appender *appender, struct wtl_tables *tables)
{
    struct wtl_bytes records = {0};
    wtl_own_facts_put(&appender->own, tables, &records);
    int code = records.failed ? -ENOMEM : 0;
    if (code == 0 && records.length > 0 && !appender->packer)
        code = wtl_packer_create(0, &appender->packer);
    if (code == 0 && records.length > 0)
        code = wtl_appender_records(appender, WTL_BLOCK_METADATA, &records);
    if (code == 0 && records.length > 0)
        code = wtl_tables_load(tables, WTL_BLOCK_METADATA,
                               wtl_cursor_init(records.data, records.length));
    wtl_bytes_fini(&records);
    return code;
}

int wtl_appender_footer(struct wtl_appender *appender)
{
    struct wtl_footer_source source = {.tables = appender->tables,
                                       .digest = appender->digest,
                                       .damaged = appender->damaged,
                                       .damaged_bytes = appender->damaged_bytes};
    int code = wtl_digest_finish(appender->digest);
    if (code == 0)
        code = make_regions(appender, &source.regions);
    uint64_t end = appender->offset;
    if (code == 0) {
        source.blocks = appender->blocks;
        source.types = appender->types;
        source.needed = appender->needed;
        source.index_offset = end;
        wtl_bytes_reset(&appender->payload);
        wtl_index_put(appender->index, &appender->payload);
        code = put_payload(appender, WTL_BLOCK_INDEX);
    }
    if (code == 0) {
        source.footer_offset = appender->offset;
        wtl_footer_put(&source, WTL_PAYLOAD_MAX, &appender->payload);
        code = put_payload(appender, WTL_BLOCK_FOOTER);
        if (code < 0 && ftruncate(appender->fd, (off_t)end) < 0)
            code = -EIO; /* an index without a footer remains: readers skip it */
    }
    wtl_footer_source_fini(&source);
    return code;
}
