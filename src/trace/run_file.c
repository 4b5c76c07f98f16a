/* SPDX-License-Identifier: BSD-3-Clause */
/* The run file: see run_file.h and docs/format/run.md. */
#define _GNU_SOURCE
#include "trace/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/whole.h"
#include "trace/blocks/block.h"
#include "trace/blocks/bytes.h"
#include "trace/blocks/crc32c.h"

static const uint8_t head_magic[8] = {0xf5, 'W', 'R', 'U', 'N', '\r', '\n', 0x1a};
static const uint8_t tail_magic[8] = {'w', 't', 'l', '-', 'r', 'u', 'n', '\n'};

enum {
    MAJOR = 1,
    MINOR = 1,
    HEAD = WTL_RUN_FILE_FIRST,
    TRAILER = 32,
    RECORD_LEAST = 8 + 8 + 2 + 1 + 8 + 8 + 8 + 8, /* minimum size of a member, without its name */
    INDEX_MAX = 1 << 28,
    PART = 1 << 20
};

/* ---- clocks ---- */

int64_t wtl_run_clock_time(const struct wtl_run_clock *clock, uint64_t node_ns)
{
    int64_t shown, time;
    double away = node_ns >= clock->at_ns ? (double)(node_ns - clock->at_ns)
                                          : -(double)(clock->at_ns - node_ns);
    double drift = clock->drift * away;
    if (__builtin_add_overflow(node_ns, clock->offset_ns, &shown))
        return INT64_MAX; /* neither sorts before the smallest value */
    if (__builtin_add_overflow(shown, wtl_whole_i64(rint(drift)), &time))
        return drift < 0 ? INT64_MIN : INT64_MAX;
    return time;
}

uint64_t wtl_run_clock_node(const struct wtl_run_clock *clock, int64_t reference_ns)
{
    /* At at_ns the clock shows `shown`; relative to that, node time is slower by the factor 1 + drift. */
    int64_t shown = (int64_t)(clock->at_ns + (uint64_t)clock->offset_ns);
    double away = (double)(int64_t)((uint64_t)reference_ns - (uint64_t)shown);
    int64_t slower = wtl_whole_i64(rint(away * (clock->drift / (1 + clock->drift))));
    int64_t node =
        (int64_t)((uint64_t)reference_ns - (uint64_t)clock->offset_ns - (uint64_t)slower);
    return node > 0 ? (uint64_t)node : 0;
}

/* ---- reading ---- */

void wtl_run_file_fini(struct wtl_run_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free(file->members[i].name);
    for (size_t i = 0; i < file->left_count; i++) {
        free(file->left[i].name);
        free(file->left[i].why);
    }
    free(file->members);
    free(file->left);
    free(file->group);
    free(file->run_id);
    *file = (struct wtl_run_file){0};
}

/* Read n bytes at offset, or -EBADMSG when there are fewer. */
static int read_all(int fd, uint64_t offset, void *buf, size_t n)
{
    uint8_t *to = (uint8_t *)buf;
    while (n > 0) {
        ssize_t got = pread(fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EBADMSG;
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

static int open_regular(const char *path, uint64_t *ret_size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        (void)close(fd); /* opened for reading */
        return -EBADMSG;
    }
    *ret_size = (uint64_t)status.st_size;
    return fd;
}

/* The first bytes of a file: 0, or -errno of reading. */
static int read_first(const char *path, uint8_t bytes[sizeof head_magic])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int rc = read_all(fd, 0, bytes, sizeof head_magic);
    (void)close(fd); /* opened for reading */
    return rc;
}

int wtl_run_file_is(const char *path)
{
    uint8_t bytes[sizeof head_magic];
    int rc = read_first(path, bytes);
    if (rc == -EBADMSG || rc == -EISDIR || rc == -ESPIPE || rc == -EINVAL)
        return 0; /* too short, a folder, a pipe, a device */
    if (rc < 0)
        return rc;
    return memcmp(bytes, head_magic, sizeof bytes) == 0;
}

bool wtl_trace_file_is(const char *path)
{
    uint8_t bytes[sizeof head_magic];
    return read_first(path, bytes) == 0 &&
           (memcmp(bytes, head_magic, sizeof head_magic) == 0 ||
            memcmp(bytes, wtl_block_magic, sizeof wtl_block_magic) == 0);
}

static char *take_text(struct wtl_cursor *cursor)
{
    const char *text;
    size_t n = wtl_cursor_text(cursor, &text);
    return cursor->failed ? NULL : strndup(text, n);
}

/* The next record of the cursor: its fields. False at the end, or when it is malformed. */
static bool next_record(struct wtl_cursor *cursor, struct wtl_cursor *ret_record)
{
    if (wtl_cursor_left(cursor) == 0)
        return false;
    uint32_t n = wtl_cursor_u32(cursor);
    const uint8_t *bytes = wtl_cursor_take(cursor, n);
    *ret_record = wtl_cursor_init(bytes, bytes ? n : 0);
    return bytes != NULL;
}

static bool good_clock(const struct wtl_run_clock *clock)
{
    return isfinite(clock->drift) && fabs(clock->drift) < 0.1;
}

static int take_member(struct wtl_cursor record, uint64_t end, struct wtl_run_member *member)
{
    member->offset = wtl_cursor_u64(&record);
    member->length = wtl_cursor_u64(&record);
    member->name = take_text(&record);
    member->clock.aligned = (enum wtl_run_aligned)wtl_cursor_u8(&record);
    member->clock.at_ns = wtl_cursor_u64(&record);
    member->clock.offset_ns = (int64_t)wtl_cursor_u64(&record);
    member->clock.drift = wtl_cursor_f64(&record);
    member->clock.residual_ns = wtl_cursor_u64(&record);
    if (!member->name && !record.failed)
        return -ENOMEM;
    if (record.failed || member->offset < HEAD || member->offset > end ||
        member->length > end - member->offset || !member->name[0] || !good_clock(&member->clock))
        return -EBADMSG;
    if (member->clock.aligned > WTL_ALIGNED_SYNC) /* of a newer version: its numbers are still
                                                     valid */
        member->clock.aligned = WTL_ALIGNED_SYNC;
    return 0;
}

/* Fields added to a run record in version 1.1: the group of ranks, and what was left out. */
static int take_left(struct wtl_cursor *record, struct wtl_run_file *file)
{
    if (wtl_cursor_left(record) == 0)
        return 0;
    file->group = take_text(record);
    uint32_t count = wtl_cursor_u32(record);
    if (record->failed || count > wtl_cursor_left(record) / 4)
        return -EBADMSG;
    file->left = calloc((size_t)count + 1, sizeof *file->left);
    if (!file->group || !file->left)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct wtl_run_left *left = &file->left[file->left_count++];
        left->name = take_text(record);
        left->why = take_text(record);
        if (!left->name || !left->why)
            return record->failed ? -EBADMSG : -ENOMEM;
    }
    return 0;
}

static int load_index(struct wtl_cursor cursor, uint64_t end, struct wtl_run_file *file)
{
    struct wtl_cursor record;
    size_t most = wtl_cursor_left(&cursor) / (4 + RECORD_LEAST) + 1;
    if (!next_record(&cursor, &record))
        return -EBADMSG;
    file->run_id = take_text(&record);
    file->begin_ns = (int64_t)wtl_cursor_u64(&record);
    file->members = calloc(most, sizeof *file->members);
    if (record.failed)
        return -EBADMSG;
    if (!file->run_id || !file->members)
        return -ENOMEM;
    int rc = take_left(&record, file);
    if (rc < 0)
        return rc;
    while (next_record(&cursor, &record)) {
        if (file->count == most)
            return -EBADMSG;
        rc = take_member(record, end, &file->members[file->count++]);
        if (rc < 0)
            return rc;
    }
    return cursor.failed || file->count == 0 ? -EBADMSG : 0;
}

static int read_index(int fd, uint64_t size, struct wtl_run_file *file)
{
    uint8_t trailer[TRAILER];
    if (size < HEAD + TRAILER)
        return -EBADMSG;
    int rc = read_all(fd, size - TRAILER, trailer, sizeof trailer);
    if (rc < 0)
        return rc;
    uint64_t offset = wtl_load_u64(trailer), length = wtl_load_u64(trailer + 8);
    if (memcmp(trailer + 24, tail_magic, sizeof tail_magic) != 0 ||
        wtl_load_u32(trailer + 20) != wtl_crc32c(trailer, 20) || length > INDEX_MAX ||
        offset < HEAD || offset > size - TRAILER || length != size - TRAILER - offset)
        return -EBADMSG;
    uint8_t *bytes = malloc(length + 1);
    if (!bytes)
        return -ENOMEM;
    rc = read_all(fd, offset, bytes, length);
    if (rc == 0 && wtl_crc32c(bytes, length) != wtl_load_u32(trailer + 16))
        rc = -EBADMSG;
    if (rc == 0)
        rc = load_index(wtl_cursor_init(bytes, length), offset, file);
    free(bytes);
    return rc;
}

static int read_head(int fd, const char *path, struct wattle_error *err)
{
    uint8_t head[HEAD];
    int rc = read_all(fd, 0, head, sizeof head);
    if (rc < 0 && rc != -EBADMSG)
        return wtl_fail(err, rc, "%s: %s", path, wtl_strerror(rc));
    if (rc < 0 || memcmp(head, head_magic, sizeof head_magic) != 0)
        return wtl_fail(err, -EBADMSG, "%s: not a run file of wattle", path);
    unsigned major = head[8] | (unsigned)head[9] << 8;
    if (major > MAJOR)
        return wtl_fail(
            err, -ENOTSUP,
            "%s: run file version %u, but this wattle reads up to %d; use a newer wattle", path,
            major, MAJOR);
    if (wtl_load_u32(head + 12) != wtl_crc32c(head, 12))
        return wtl_fail(err, -EBADMSG, "%s: the head of this run file is damaged", path);
    return 0;
}

int wtl_run_file_read(const char *path, struct wtl_run_file *ret_file, struct wattle_error *err)
{
    struct wtl_run_file file = {0};
    uint64_t size = 0;
    int fd = open_regular(path, &size);
    if (fd < 0)
        return wtl_fail(err, fd, "%s: %s", path,
                        fd == -EBADMSG ? "not a regular file, so not a run file"
                                       : wtl_strerror(fd));
    int rc = read_head(fd, path, err);
    if (rc == 0 && (rc = read_index(fd, size, &file)) < 0)
        (void)wtl_fail(err, rc, "%s: %s", path,
                       rc == -EBADMSG ? "this run file is incomplete or its index is damaged; "
                                        "create it again from the traces with \"wattle reduce\""
                                      : wtl_strerror(rc));
    (void)close(fd); /* opened for reading */
    if (rc < 0)
        wtl_run_file_fini(&file);
    else
        *ret_file = file;
    return rc;
}

int wtl_run_file_open_first(const char *path,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err)
{
    struct wtl_run_file file = {0};
    if (wtl_run_file_is(path) <= 0)
        return wtl_trace_reader_open(path, ret_reader, err);
    int rc = wtl_run_file_read(path, &file, err);
    if (rc < 0)
        return rc;
    if (file.count == 0)
        return wtl_fail(err, -EBADMSG, "%s: this run file contains no trace", path);
    const struct wtl_trace_part part = {
        .path = path, .offset = file.members[0].offset, .length = file.members[0].length};
    rc = wtl_trace_reader_open_part(&part, ret_reader, err);
    wtl_run_file_fini(&file);
    return rc;
}

/* ---- writing ---- */

uint64_t wtl_run_file_place(struct wtl_run_file *file)
{
    uint64_t offset = HEAD;
    for (size_t i = 0; i < file->count; i++) {
        file->members[i].offset = offset;
        offset += file->members[i].length;
    }
    return offset;
}

static int write_all(int fd, uint64_t offset, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        ssize_t put = pwrite(fd, bytes, n, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? -errno : -EIO;
        bytes += put;
        offset += (uint64_t)put;
        n -= (size_t)put;
    }
    return 0;
}

/* Fallback where copy_file_range(2) does not work. */
static int copy_bytes(int in, uint64_t from, int out, uint64_t to, uint64_t n)
{
    uint8_t *bytes = malloc(PART);
    int rc = bytes ? 0 : -ENOMEM;
    while (rc == 0 && n > 0) {
        size_t part = n < PART ? (size_t)n : PART;
        rc = read_all(in, from, bytes, part);
        rc = rc < 0 ? rc : write_all(out, to, bytes, part);
        from += part;
        to += part;
        n -= part;
    }
    free(bytes);
    return rc == -EBADMSG ? -EIO : rc;
}

static int copy_range(int in, uint64_t from, int out, uint64_t to, uint64_t n)
{
    while (n > 0) {
        off_t in_at = (off_t)from, out_at = (off_t)to;
        ssize_t moved = copy_file_range(in, &in_at, out, &out_at, n > PART ? PART : (size_t)n, 0);
        if (moved <= 0)
            return copy_bytes(in, from, out, to, n);
        from += (uint64_t)moved;
        to += (uint64_t)moved;
        n -= (uint64_t)moved;
    }
    return 0;
}

int wtl_run_file_copy(int fd,
                      const struct wtl_run_member *member,
                      const struct wtl_trace_part *part,
                      struct wattle_error *err)
{
    uint64_t size = 0;
    int in = open_regular(part->path, &size);
    int rc = in;
    if (in >= 0) {
        bool whole = part->offset <= size && member->length <= size - part->offset;
        rc = whole ? copy_range(in, part->offset, fd, member->offset, member->length) : -EIO;
        (void)close(in); /* opened for reading */
    }
    if (rc < 0)
        return wtl_fail(err, rc, "cannot copy the trace of %s (%s): %s", member->name, part->path,
                        wtl_strerror(rc));
    return 0;
}

static void put_member(struct wtl_bytes *bytes, const struct wtl_run_member *member)
{
    struct wtl_bytes record = {0};
    wtl_bytes_put_u64(&record, member->offset);
    wtl_bytes_put_u64(&record, member->length);
    wtl_bytes_put_text(&record, member->name);
    wtl_bytes_put_u8(&record, (uint8_t)member->clock.aligned);
    wtl_bytes_put_u64(&record, member->clock.at_ns);
    wtl_bytes_put_u64(&record, (uint64_t)member->clock.offset_ns);
    wtl_bytes_put_f64(&record, member->clock.drift);
    wtl_bytes_put_u64(&record, member->clock.residual_ns);
    wtl_bytes_put_u32(bytes, (uint32_t)record.length);
    wtl_bytes_put(bytes, record.data, record.length);
    bytes->failed |= record.failed;
    wtl_bytes_fini(&record);
}

static void put_index(struct wtl_bytes *bytes, const struct wtl_run_file *file)
{
    struct wtl_bytes record = {0};
    wtl_bytes_put_text(&record, file->run_id ? file->run_id : "");
    wtl_bytes_put_u64(&record, (uint64_t)file->begin_ns);
    if ((file->group && file->group[0]) || file->left_count > 0) {
        wtl_bytes_put_text(&record, file->group ? file->group : "");
        wtl_bytes_put_u32(&record, (uint32_t)file->left_count);
        for (size_t i = 0; i < file->left_count; i++) {
            wtl_bytes_put_text(&record, file->left[i].name);
            wtl_bytes_put_text(&record, file->left[i].why);
        }
    }
    wtl_bytes_put_u32(bytes, (uint32_t)record.length);
    wtl_bytes_put(bytes, record.data, record.length);
    bytes->failed |= record.failed;
    wtl_bytes_fini(&record);
    for (size_t i = 0; i < file->count; i++)
        put_member(bytes, &file->members[i]);
}

static void make_head(uint8_t head[HEAD])
{
    memcpy(head, head_magic, sizeof head_magic);
    head[8] = MAJOR;
    head[9] = 0;
    head[10] = MINOR;
    head[11] = 0;
    wtl_store_u32(head + 12, wtl_crc32c(head, 12));
}

int wtl_run_file_finish(int fd,
                        const char *path,
                        const struct wtl_run_file *file,
                        struct wattle_error *err)
{
    uint8_t head[HEAD], trailer[TRAILER];
    struct wtl_bytes index = {0};
    uint64_t end = HEAD;
    for (size_t i = 0; i < file->count; i++) {
        const struct wtl_run_member *member = &file->members[i];
        end = member->offset + member->length > end ? member->offset + member->length : end;
    }
    put_index(&index, file);
    int rc = index.failed ? -ENOMEM : 0;
    if (rc == 0 && index.length > INDEX_MAX)
        rc = -EOVERFLOW;
    if (rc == 0) {
        wtl_store_u64(trailer, end);
        wtl_store_u64(trailer + 8, index.length);
        wtl_store_u32(trailer + 16, wtl_crc32c(index.data, index.length));
        wtl_store_u32(trailer + 20, wtl_crc32c(trailer, 20));
        memcpy(trailer + 24, tail_magic, sizeof tail_magic);
        make_head(head);
        rc = write_all(fd, 0, head, sizeof head);
    }
    rc = rc < 0 ? rc : write_all(fd, end, index.data, index.length);
    rc = rc < 0 ? rc : write_all(fd, end + index.length, trailer, sizeof trailer);
    if (rc == 0 && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
        rc = -errno;
    wtl_bytes_fini(&index);
    return rc < 0 ? wtl_fail(err, rc, "%s: %s", path, wtl_strerror(rc)) : 0;
}
