/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader: opening, tables, summaries; see reader.h. A complete trace is opened by one read of its tail.
 * Anything else (cut off, damaged at the end, still growing) is read block by block, which gives the same
 * tables and, through the same digest, the same summaries.
 */
#define _GNU_SOURCE
#include "trace/reader_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

enum { FILE_BLOCK_BYTES = 128 };

/* ---- opening ---- */

static int fail_version(const char *path, unsigned major, struct wattle_error *err)
{
    return wtl_fail(err, -ENOTSUP,
                    "%s: format version %u, but this wattle reads up to %d; use a newer wattle",
                    path, major, WTL_TRACE_MAJOR);
}

static int fail_no_trace(const char *path, struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG, "%s: not a wattle trace", path);
}

/* The first block is not valid: check whether it was a file block, and whether it is whole. */
static bool looks_damaged(const struct wtl_trace_reader *reader)
{
    uint8_t bytes[WTL_BLOCK_HEAD + sizeof WTL_TRACE_SIGNATURE - 1];
    struct wtl_block_head head;
    uint64_t size;
    if (wtl_walk_size(&reader->walk, &size) < 0 ||
        wtl_walk_read(&reader->walk, 0, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
        return false;
    if (wtl_block_parse(bytes, &head) == 0)
        return head.type == WTL_BLOCK_FILE && size >= WTL_BLOCK_HEAD + (uint64_t)head.length;
    return memcmp(bytes, "\xf5WTL", 4) == 0 ||
           memcmp(bytes + WTL_BLOCK_HEAD, WTL_TRACE_SIGNATURE, sizeof bytes - WTL_BLOCK_HEAD) == 0;
}

/* Read the first block. If it is damaged, the trace is still readable, provided it can be recognised as one. */
static int read_file_block(struct wtl_trace_reader *reader, struct wattle_error *err)
{
    struct wtl_walk_item item;
    const uint8_t *payload;
    const size_t n = sizeof WTL_TRACE_SIGNATURE - 1;
    reader->status.major = WTL_TRACE_MAJOR;
    reader->status.minor = WTL_TRACE_MINOR;
    reader->walk.window_bytes = FILE_BLOCK_BYTES; /* sufficient for the beginning */
    int code = wtl_walk_at(&reader->walk, 0, &item, &payload);
    reader->walk.window_bytes = 0;
    if (code < 0 && code != -EBADMSG)
        return wtl_trace_reader_fail(reader->path, code, err);
    if (code == -EBADMSG)
        return looks_damaged(reader) ? 0 : fail_no_trace(reader->path, err);
    struct wtl_cursor cursor = wtl_cursor_init(payload, item.head.length);
    const uint8_t *signature = wtl_cursor_take(&cursor, n);
    uint16_t major = wtl_cursor_u16(&cursor), minor = wtl_cursor_u16(&cursor);
    if (item.head.type != WTL_BLOCK_FILE || !signature || cursor.failed ||
        memcmp(signature, WTL_TRACE_SIGNATURE, n) != 0 || major == 0)
        return fail_no_trace(reader->path, err);
    if (major > WTL_TRACE_MAJOR)
        return fail_version(reader->path, major, err);
    reader->status.major = major;
    reader->status.minor = minor;
    return 0;
}

/* 1 when a footer was loaded, 0 when there is no valid one, or -errno. */
static int read_footer(struct wtl_trace_reader *reader)
{
    struct wtl_walk_item item;
    const uint8_t *bytes, *payload;
    uint64_t size;
    int code = wtl_walk_tail(&reader->walk, WTL_TRAILER, &size, &bytes);
    if (code < 0)
        return code == -EBADMSG ? 0 : code;
    reader->status.bytes = reader->tables.file_bytes = size;
    if (memcmp(bytes + 16, WTL_TRAILER_MAGIC, 8) != 0)
        return 0;
    uint64_t footer_offset = wtl_load_u64(bytes), index_offset = wtl_load_u64(bytes + 8);
    if (footer_offset >= size || index_offset >= footer_offset)
        return 0;
    code = wtl_walk_at(&reader->walk, footer_offset, &item, &payload);
    if (code < 0)
        return code == -EBADMSG ? 0 : code;
    if (item.head.type != WTL_BLOCK_FOOTER || !wtl_block_is_plain(&item.head) ||
        footer_offset + item.bytes != size)
        return 0;
    code = wtl_footer_load(wtl_cursor_init(payload, item.head.length), &reader->footer,
                           &reader->tables);
    if (code < 0) {
        wtl_footer_fini(&reader->footer);
        wtl_tables_fini(&reader->tables);
        return code == -EBADMSG ? 0 : code;
    }
    reader->index_offset = index_offset;
    return 1;
}

static int load_table(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    int code = wtl_tables_load((struct wtl_tables *)context, item->head.type, payload);
    return code == -EBADMSG ? 0 : code;
}

/* Count the blocks with WTL_BLOCK_NEEDED that this version does not know. */
static int count_not_shown(struct wtl_trace_reader *reader)
{
    struct wtl_walk walk;
    struct wtl_walk_item item;
    int found, code = 0;
    wtl_walk_init_like(&walk, &reader->walk, 0, reader->index_offset);
    while (code == 0 && (found = wtl_walk_next(&walk, &item)) != WTL_WALK_END) {
        const uint8_t *payload;
        if (found < 0)
            code = found;
        else if (found == WTL_WALK_BLOCK && item.head.flags & WTL_BLOCK_NEEDED &&
                 !wtl_block_is_known(&item.head)) {
            code = wtl_walk_payload(&walk, &item, &payload);
            reader->status.not_shown += code == 0;
            code = code == -EBADMSG ? 0 : code;
        }
    }
    wtl_walk_fini(&walk);
    return code;
}

/* Read what the footer does not contain from the blocks. */
static int complete_footer(struct wtl_trace_reader *reader)
{
    const uint64_t tables = (uint64_t)1 << WTL_BLOCK_METADATA | (uint64_t)1 << WTL_BLOCK_CHANNELS |
                            (uint64_t)1 << WTL_BLOCK_ORIGINS | (uint64_t)1 << WTL_BLOCK_GROUPS;
    uint64_t offset = 0;
    int code = 0;
    if (reader->footer.left_out & WTL_LEFT_OUT_TABLES)
        code = wtl_trace_reader_visit(reader, tables, &offset, load_table, &reader->tables);
    if (code == 0 && reader->footer.needed > 0)
        code = count_not_shown(reader);
    return code;
}

static void take_footer_status(struct wtl_trace_reader *reader)
{
    struct wtl_trace_reader_status *status = &reader->status;
    status->has_footer = true;
    status->blocks = reader->footer.blocks + 2;
    status->damaged = reader->footer.damaged;
    status->damaged_bytes = reader->footer.damaged_bytes;
    reader->types = reader->footer.types;
    reader->walk.offset = reader->index_offset;
}

static void count_block(struct wtl_trace_reader *reader, const struct wtl_block_head *head)
{
    reader->status.blocks++;
    if (!wtl_block_is_known(head)) {
        reader->status.unknown++;
        reader->status.not_shown += head->flags & WTL_BLOCK_NEEDED ? 1 : 0;
    }
    reader->types |= head->type < 64 ? (uint64_t)1 << head->type : 0;
    if (head->type != WTL_BLOCK_SAMPLES)
        return;
    if (head->first_ns < reader->first_ns)
        reader->first_ns = head->first_ns;
    if (head->last_ns > reader->last_ns)
        reader->last_ns = head->last_ns;
}

/* Process what was appended after walk.offset: tables, counts, index. Returns the number of new blocks. */
static int scan(struct wtl_trace_reader *reader)
{
    struct wtl_trace_reader_status *status = &reader->status;
    struct wtl_walk_item item;
    int found, blocks = 0;
    reader->tables.file_bytes = wtl_trace_reader_bytes(reader);
    while ((found = wtl_walk_next(&reader->walk, &item)) > 0) {
        const uint8_t *payload = NULL;
        struct wtl_cursor cursor;
        int code =
            found == WTL_WALK_BLOCK ? wtl_walk_payload(&reader->walk, &item, &payload) : -EBADMSG;
        if (code == 0 && wtl_record_type(item.head.type) && wtl_block_is_known(&item.head)) {
            code = wtl_unpacker_payload(reader->unpacker, &item.head, payload, &cursor);
            if (code == 0)
                code = wtl_tables_load(&reader->tables, item.head.type, cursor);
        }
        if (code < 0 && code != -EBADMSG)
            return code;
        if (code < 0) {
            status->damaged++;
            status->damaged_bytes += item.bytes;
        } else {
            count_block(reader, &item.head);
            status->footer_came = item.head.type == WTL_BLOCK_FOOTER;
            blocks += blocks < INT32_MAX;
        }
        if (found == WTL_WALK_BLOCK)
            wtl_index_add(reader->index, item.offset, &item.head);
    }
    status->bytes = reader->walk.offset + reader->walk.left;
    status->cut_off = reader->walk.left > 0;
    return found < 0 ? found : blocks;
}

int wtl_trace_reader_fail(const char *path, int code, struct wattle_error *err)
{
    if (code != -EOVERFLOW)
        return wtl_fail(err, code, "%s: %s", path, wtl_strerror(code));
    return wtl_fail(err, code,
                    "%s: damaged or forged: unpacks to more than a file of its size can contain; "
                    "copy it again from its origin",
                    path);
}

uint64_t wtl_trace_reader_bytes(const struct wtl_trace_reader *reader)
{
    uint64_t size;
    return wtl_walk_size(&reader->walk, &size) < 0 ? 0 : size;
}

uint64_t wtl_trace_reader_limit(const struct wtl_trace_reader *reader)
{
    return reader->walk.offset;
}

static int open_blocks(struct wtl_trace_reader *reader, struct wattle_error *err)
{
    reader->index = calloc(1, sizeof *reader->index);
    if (!reader->index)
        return wtl_fail(err, -ENOMEM, "%s: out of memory", reader->path);
    reader->has_index = true;
    reader->tables_complete = true;
    reader->walk.offset = 0;
    int code = scan(reader);
    if (code < 0)
        return wtl_trace_reader_fail(reader->path, code, err);
    return 0;
}

static int attach(int fd,
                  const char *path,
                  const struct wtl_walk *walk,
                  struct wtl_trace_reader **ret_reader,
                  struct wattle_error *err)
{
    struct wtl_trace_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        (void)close(fd); /* opened for reading */
        return wtl_fail(err, -ENOMEM, "%s: out of memory", path);
    }
    reader->fd = fd;
    reader->first_ns = UINT64_MAX;
    reader->walk = *walk;
    reader->path = strdup(path);
    int code = reader->path ? wtl_unpacker_create(&reader->unpacker) : -ENOMEM;
    if (code < 0) {
        wtl_trace_reader_close(reader);
        return wtl_trace_reader_fail(path, code, err);
    }
    /* Tail first: for a short trace it includes the file block. */
    int footer = walk->end == UINT64_MAX ? read_footer(reader) : 0;
    if (footer < 0)
        code = wtl_fail(err, footer, "%s: %s", path, wtl_strerror(footer));
    if (code == 0)
        code = read_file_block(reader, err);
    if (code == 0 && footer) {
        take_footer_status(reader);
        code = complete_footer(reader);
        if (code < 0)
            (void)wtl_trace_reader_fail(path, code, err);
    } else if (code == 0)
        code = open_blocks(reader, err);
    if (code < 0) {
        wtl_trace_reader_close(reader);
        return code;
    }
    *ret_reader = reader;
    return 0;
}

int wtl_trace_reader_attach(int fd,
                            const char *path,
                            uint64_t end,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err)
{
    struct wtl_walk walk;
    wtl_walk_init(&walk, fd, 0, end);
    return attach(fd, path, &walk, ret_reader, err);
}

int wtl_trace_reader_open(const char *path,
                          struct wtl_trace_reader **ret_reader,
                          struct wattle_error *err)
{
    const struct wtl_trace_part all = {.path = path, .length = UINT64_MAX};
    return wtl_trace_reader_open_part(&all, ret_reader, err);
}

int wtl_trace_reader_open_part(const struct wtl_trace_part *part,
                               struct wtl_trace_reader **ret_reader,
                               struct wattle_error *err)
{
    const char *path = part->path;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        int code = -errno;
        return wtl_trace_reader_fail(path, code, err);
    }
    struct stat status;
    int code = 0;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        code = wtl_fail(err, -EBADMSG, "%s: not a regular file, so not a wattle trace", path);
    else if (status.st_size == 0)
        code = wtl_fail(err, -EBADMSG, "%s: empty, not a wattle trace", path);
    if (code < 0) {
        (void)close(fd); /* opened for reading */
        return code;
    }
    struct wtl_walk walk;
    wtl_walk_init(&walk, fd, 0, UINT64_MAX);
    walk.base = part->offset;
    walk.length = part->length;
    return attach(fd, part->name ? part->name : path, &walk, ret_reader, err);
}

void wtl_trace_reader_close(struct wtl_trace_reader *reader)
{
    if (!reader)
        return;
    (void)close(reader->fd); /* opened for reading */
    wtl_walk_fini(&reader->walk);
    wtl_unpacker_destroy(reader->unpacker);
    wtl_digest_destroy(reader->digest);
    wtl_footer_fini(&reader->footer);
    wtl_tables_fini(&reader->tables);
    wtl_footer_regions_fini(&reader->regions);
    free(reader->gaps.items);
    free(reader->lost.slots);
    free(reader->index);
    free(reader->path);
    free(reader);
}

int wtl_trace_reader_refresh(struct wtl_trace_reader *reader, struct wattle_error *err)
{
    if (reader->status.has_footer)
        return 0;
    int blocks = scan(reader);
    if (blocks < 0)
        return wtl_fail(err, blocks, "%s: %s", reader->path, wtl_strerror(blocks));
    if (blocks > 0) {
        reader->gaps_complete = false;
        reader->regions_complete = false;
    }
    return blocks;
}

void wtl_trace_reader_status(const struct wtl_trace_reader *reader,
                             struct wtl_trace_reader_status *ret_status)
{
    *ret_status = reader->status;
}

const struct wtl_index *wtl_trace_reader_index(struct wtl_trace_reader *reader)
{
    if (!reader->has_index && reader->status.has_footer) {
        struct wtl_walk_item item;
        const uint8_t *payload;
        reader->has_index = true; /* try only once */
        reader->index = calloc(1, sizeof *reader->index);
        if (!reader->index ||
            wtl_walk_at(&reader->walk, reader->index_offset, &item, &payload) < 0 ||
            item.head.type != WTL_BLOCK_INDEX ||
            wtl_index_load(wtl_cursor_init(payload, item.head.length), reader->index) < 0) {
            free(reader->index);
            reader->index = NULL;
        }
    }
    return reader->index;
}

enum { LEAST_BYTES = 32 }; /* a block has more, so that the place of each is another number */

int wtl_trace_reader_lost(struct wtl_trace_reader *reader, const struct wtl_walk_item *item)
{
    struct wtl_trace_reader_status *status = &reader->status;
    const uint32_t before = reader->lost.count;
    if (!status->has_footer)
        return 0; /* counted when it was scanned */
    if (wtl_id_map_index(&reader->lost, (uint32_t)(item->offset / LEAST_BYTES)) < 0)
        return -ENOMEM;
    if (reader->lost.count > before)
        reader->lost_bytes += item->bytes;
    /* The footer of a repaired trace knows of some of them. */
    if (reader->lost.count > status->damaged)
        status->damaged = reader->lost.count;
    if (reader->lost_bytes > status->damaged_bytes)
        status->damaged_bytes = reader->lost_bytes;
    return 0;
}

int wtl_trace_reader_visit(struct wtl_trace_reader *reader,
                           uint64_t types,
                           uint64_t *offset,
                           wtl_block_visit_fn *visit,
                           void *context)
{
    struct wtl_walk walk;
    struct wtl_walk_item item;
    int found, result = 0;
    wtl_walk_init_like(&walk, &reader->walk, *offset, wtl_trace_reader_limit(reader));
    while (result >= 0 && (found = wtl_walk_next(&walk, &item)) != WTL_WALK_END) {
        const uint8_t *payload;
        struct wtl_cursor cursor;
        if (found < 0) {
            result = found;
            break;
        }
        if (found != WTL_WALK_BLOCK)
            result = wtl_trace_reader_lost(reader, &item);
        if (found != WTL_WALK_BLOCK || item.head.type >= 64 || !(types >> item.head.type & 1) ||
            !wtl_block_is_known(&item.head))
            continue;
        result = wtl_walk_payload(&walk, &item, &payload);
        if (result == 0)
            result = wtl_unpacker_payload(reader->unpacker, &item.head, payload, &cursor);
        if (result == 0)
            result = visit(context, &item, cursor);
        else if (result == -EBADMSG)
            result = wtl_trace_reader_lost(reader, &item);
    }
    *offset = walk.offset;
    wtl_walk_fini(&walk);
    return result < 0 ? result : 0;
}
