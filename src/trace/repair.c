/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repair: see repair.h. The blocks are read as by the reader, their digest is computed as by the writer, and
 * the same appender then adds what is missing at the end. Blocks of the pyramid that already exist in the
 * file are linked, not written again, so that a truncated footer is restored byte for byte.
 */
#define _GNU_SOURCE
#include "trace/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fail.h"
#include "trace/appender.h"
#include "trace/reader_state.h"
#include "trace/writer_state.h"

/* A block of the pyramid found in the file. */
struct found_block {
    uint32_t group, level;
    uint64_t offset;
};

struct repair {
    const char *path;
    struct wtl_trace_reader *reader;
    struct wtl_tables tables; /* with the limits of a footer, like the writer's */
    struct wtl_appender appender;
    struct wtl_list found; /* struct found_block, in file order */
    size_t at;             /* index in found: earlier ones have been linked */
    struct wtl_rows_memory memory;
    struct wtl_trace_repair report;
    wtl_trace_fill_fn *fill; /* or NULL */
    void *fill_context;
};

static int note_pyramid(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct repair *repair = (struct repair *)context;
    struct found_block block = {.group = wtl_cursor_u32(&payload)};
    block.level = wtl_cursor_u32(&payload);
    block.offset = item->offset;
    if (payload.failed)
        return 0;
    struct found_block *slot = (struct found_block *)wtl_list_add(&repair->found, sizeof block);
    if (!slot)
        return -ENOMEM;
    *slot = block;
    return 0;
}

/* Place the digest's next block of the pyramid. */
static int place_pyramid(void *context, struct wtl_pyramid_block *block)
{
    struct repair *repair = (struct repair *)context;
    const struct found_block *found = (const struct found_block *)repair->found.items;
    for (size_t i = repair->at; i < repair->found.count; i++) {
        if (found[i].group != block->level->group || found[i].level != block->level->level ||
            found[i].offset <= block->level->offset)
            continue;
        block->level->offset = found[i].offset;
        if (i == repair->at)
            repair->at++;
        return 0;
    }
    return wtl_appender_pyramid(&repair->appender, block);
}

static int load_table(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct repair *repair = (struct repair *)context;
    int code = wtl_tables_load(&repair->tables, item->head.type, payload);
    return code == -EBADMSG ? 0 : code;
}

static int feed(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct repair *repair = (struct repair *)context;
    struct wtl_trace_reader *reader = repair->reader;
    struct wtl_rows rows;
    int code;
    if (item->head.type != WTL_BLOCK_SAMPLES) {
        code = wtl_digest_table(repair->appender.digest, item->head.type, payload);
        return code == -EBADMSG ? 0 : code;
    }
    code = wtl_samples_decode(&reader->tables, payload, item->head.first_ns, NULL, 0,
                              reader->unpacker, &repair->memory, &rows);
    if (code == -EBADMSG)
        return 0;
    if (code < 0)
        return code;
    if (repair->report.rows == 0 || rows.time_ns[0] < repair->report.first_ns)
        repair->report.first_ns = rows.time_ns[0];
    if (rows.time_ns[rows.rows - 1] > repair->report.last_ns)
        repair->report.last_ns = rows.time_ns[rows.rows - 1];
    repair->report.rows += rows.rows;
    return wtl_digest_rows(repair->appender.digest, &rows);
}

/* Threads and events already in the file, needed for wattle's own events. */
static int feed_own(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct repair *repair = (struct repair *)context;
    struct wtl_own_facts *own = &repair->appender.own;
    struct wtl_mark *marks;
    if (item->head.type == WTL_BLOCK_THREADS)
        return wtl_own_facts_threads(own, payload);
    int count = wtl_marks_decode(WTL_BLOCK_EVENTS, payload, item->head.first_ns,
                                 repair->reader->unpacker, &marks);
    if (count < 0)
        return count == -EBADMSG ? 0 : count;
    int code = wtl_own_facts_events(own, marks, (size_t)count);
    free(marks);
    return code;
}

/* Metadata that was left beside the file also goes into the footer. */
static int keep_words(struct repair *repair, const struct wtl_tables *tables)
{
    struct wtl_bytes records = {0};
    wtl_tables_put(tables, WTL_BLOCK_METADATA, &records);
    int code = records.failed ? -ENOMEM
                              : wtl_tables_load(&repair->tables, WTL_BLOCK_METADATA,
                                                wtl_cursor_init(records.data, records.length));
    wtl_bytes_fini(&records);
    return code;
}

/* Append the data left beside the file after its blocks. */
static int take_in(struct repair *repair)
{
    const uint64_t marks = (uint64_t)1 << WTL_BLOCK_STRINGS | (uint64_t)1 << WTL_BLOCK_PROCESSES |
                           (uint64_t)1 << WTL_BLOCK_THREADS | (uint64_t)1 << WTL_BLOCK_REGIONS |
                           (uint64_t)1 << WTL_BLOCK_EVENTS | (uint64_t)1 << WTL_BLOCK_TASKS;
    struct wtl_trace_writer *writer;
    if (!repair->fill || (repair->appender.types & marks && repair->appender.damaged > 0))
        return 0;
    int code = wtl_writer_borrow(&repair->appender, &repair->reader->tables, &writer);
    if (code < 0)
        return code == -EBADMSG ? 0 : code;
    repair->report.filled = true;
    code = repair->fill(repair->fill_context, repair->reader, writer);
    code = code < 0 ? code : keep_words(repair, &writer->tables);
    int closed = wtl_writer_give_back(writer, &repair->appender);
    return code < 0 ? code : closed;
}

/* Add marks that were left over, and the information from all of wattle's own events as metadata. */
static int take_marks(struct repair *repair)
{
    const uint64_t own = (uint64_t)1 << WTL_BLOCK_THREADS | (uint64_t)1 << WTL_BLOCK_EVENTS;
    uint64_t offset = 0;
    int code = 0;
    if (repair->appender.types & (uint64_t)1 << WTL_BLOCK_EVENTS)
        code = wtl_trace_reader_visit(repair->reader, own, &offset, feed_own, repair);
    if (code == 0)
        code = take_in(repair);
    return code < 0 ? code : wtl_appender_own_facts(&repair->appender, &repair->tables);
}

static int complete(struct repair *repair)
{
    struct wtl_trace_reader *reader = repair->reader;
    const uint64_t samples = (uint64_t)1 << WTL_BLOCK_SAMPLES | (uint64_t)1 << WTL_BLOCK_GAPS |
                             (uint64_t)1 << WTL_BLOCK_WINDOW;
    uint64_t tables = wtl_record_types(), offset = 0;
    int code = wtl_appender_measure(&repair->appender, &repair->report.cut_bytes);
    repair->report.blocks = repair->appender.blocks;
    repair->report.damaged = repair->appender.damaged;
    uint64_t end = repair->appender.offset;
    if (code == 0)
        code = wtl_trace_reader_visit(reader, tables, &offset, load_table, repair);
    offset = 0;
    if (code == 0)
        code = wtl_trace_reader_visit(reader, (uint64_t)1 << WTL_BLOCK_PYRAMID, &offset,
                                      note_pyramid, repair);
    if (code == 0 && ftruncate(repair->appender.fd, (off_t)end) < 0)
        code = -errno;
    offset = 0;
    if (code == 0)
        code = wtl_trace_reader_visit(reader, samples, &offset, feed, repair);
    if (code == 0)
        code = take_marks(repair);
    if (code == 0)
        code = wtl_appender_footer(&repair->appender);
    if (code < 0 && repair->appender.offset > end && ftruncate(repair->appender.fd, (off_t)end) < 0)
        return code; /* the blocks already added are valid and harmless */
    return code;
}

/* Remove index and footer from a complete file, to append what was left beside it in their place. 0 or
 * -errno. */
static int reopen(struct repair *repair, int fd)
{
    if (ftruncate(fd, (off_t)repair->reader->index_offset) < 0)
        return -errno;
    wtl_trace_reader_close(repair->reader);
    repair->reader = NULL;
    repair->report.reopened = true;
    return wtl_trace_reader_open(repair->path, &repair->reader, NULL);
}

/* Open, lock, check whether there is anything to do: 1, 0, or -errno. */
static int prepare(struct repair *repair, struct wattle_error *err)
{
    int fd = open(repair->path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        int code = -errno;
        return wtl_fail(err, code, "%s: %s", repair->path, wtl_strerror(code));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        (void)close(fd); /* nothing was written */
        return wtl_fail(err, -EBUSY, "%s: still being written; wait until the measurement ends",
                        repair->path);
    }
    int code = wtl_trace_reader_open(repair->path, &repair->reader, err);
    if (code < 0) {
        (void)close(fd); /* nothing was written */
        return code;
    }
    struct wtl_trace_reader_status status;
    wtl_trace_reader_status(repair->reader, &status);
    if (status.has_footer && repair->fill && status.damaged == 0) {
        code = reopen(repair, fd);
        if (code < 0) {
            (void)close(fd);
            return wtl_fail(err, code, "%s: %s", repair->path, wtl_strerror(code));
        }
    } else if (status.has_footer) {
        (void)close(fd); /* nothing was written */
        repair->report.had_footer = true;
        repair->report.blocks = status.blocks;
        repair->report.damaged = status.damaged;
        repair->report.rows = repair->reader->footer.totals.rows;
        if (repair->report.rows > 0)
            (void)wtl_trace_reader_span(repair->reader, &repair->report.first_ns,
                                        &repair->report.last_ns);
        return 0;
    }
    repair->tables.gaps_max = WTL_FOOTER_GAPS;
    repair->tables.clocks_max = WTL_FOOTER_CLOCKS;
    repair->tables.skip_types =
        1u << WTL_BLOCK_STRINGS | 1u << WTL_BLOCK_PROCESSES | 1u << WTL_BLOCK_THREADS;
    code = wtl_appender_attach(&repair->appender, fd, repair->path, &repair->tables, place_pyramid,
                               repair);
    if (code < 0)
        return wtl_fail(err, code, "%s: %s", repair->path, wtl_strerror(code));
    return 1;
}

int wtl_trace_repair(const char *path,
                     struct wtl_trace_repair *ret_report,
                     struct wattle_error *err)
{
    return wtl_trace_repair_with(path, NULL, NULL, ret_report, err);
}

int wtl_trace_repair_with(const char *path,
                          wtl_trace_fill_fn *fill,
                          void *context,
                          struct wtl_trace_repair *ret_report,
                          struct wattle_error *err)
{
    struct repair repair = {
        .path = path, .appender = {.fd = -1}, .fill = fill, .fill_context = context};
    int code = prepare(&repair, err);
    if (code > 0) {
        code = complete(&repair);
        if (code < 0)
            (void)wtl_fail(err, code, "%s: cannot add the footer: %s; the trace stays readable",
                           path, wtl_strerror(code));
    }
    if (code == 0 && ret_report)
        *ret_report = repair.report;
    wtl_appender_fini(&repair.appender);
    wtl_trace_reader_close(repair.reader);
    wtl_rows_memory_fini(&repair.memory);
    wtl_tables_fini(&repair.tables);
    free(repair.found.items);
    return code;
}

bool wtl_trace_has_writer(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool locked = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    (void)close(fd); /* opened for reading */
    return locked;
}
