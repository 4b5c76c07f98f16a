/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer: see writer.h. All data waits in memory, rows by group, records by table, marks together, until
 * a block is full or almost a second old. Then it is written: tables first, since blocks refer to them, each
 * block by one write(2). At that moment the block is also added to the digest, in file order, as repair will
 * do.
 */
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "trace/writer_state.h"

enum {
    ROWS_BYTES = 65536, /* approximate size of a group's waiting rows */
    ROWS_MIN = 64,
    ROWS_MAX = 4096,
    EDGE_ROWS = 512,
    MARKS_MAX = 1024,    /* waiting */
    REPEAT_BLOCKS = 1024 /* channels and groups are written again, so that one flipped bit does
                            not lose everything */
};

/* Maximum age of a block from its first entry; maximum assumed time between polls. */
static const uint64_t LIMIT_NS = 1000000000;
static const uint64_t POLL_NS = 250000000;

struct wtl_trace_writer *wtl_writer_make(void)
{
    struct wtl_trace_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    /* The footer's tables; strings and the like are only in the file. */
    writer->tables.gaps_max = WTL_FOOTER_GAPS;
    writer->tables.clocks_max = WTL_FOOTER_CLOCKS;
    writer->tables.skip_types =
        1u << WTL_BLOCK_STRINGS | 1u << WTL_BLOCK_PROCESSES | 1u << WTL_BLOCK_THREADS;
    writer->repeat_at = REPEAT_BLOCKS;
    writer->appender.fd = -1;
    return writer;
}

int wtl_trace_writer_create(const char *path,
                            const struct wtl_trace_options *options,
                            struct wtl_trace_writer **ret_writer,
                            struct wattle_error *err)
{
    static const struct wtl_trace_options defaults = {0};
    if (!options)
        options = &defaults;
    struct wtl_trace_writer *writer = wtl_writer_make();
    if (!writer)
        return wtl_fail(err, -ENOMEM, "%s: out of memory", path);
    int code = wtl_appender_create(&writer->appender, path, options, &writer->tables, err);
    if (code < 0) {
        free(writer);
        return code;
    }
    writer->appender.strings = &writer->strings;
    *ret_writer = writer;
    return 0;
}

int wtl_trace_writer_check(const char *path, bool force, struct wattle_error *err)
{
    return wtl_appender_check(path, force, err);
}

static void destroy(struct wtl_trace_writer *writer)
{
    struct pending_rows *rows = (struct pending_rows *)writer->rows.items;
    for (size_t i = 0; i < writer->rows.count; i++) {
        free(rows[i].time_ns);
        free(rows[i].missing);
    }
    for (int t = 0; t < WTL_BLOCK_TYPES; t++)
        wtl_bytes_fini(&writer->records[t]);
    free(writer->rows.items);
    free(writer->last_group.items);
    free(writer->marks);
    wtl_string_set_fini(&writer->strings);
    wtl_string_set_fini(&writer->names);
    wtl_appender_fini(&writer->appender);
    wtl_tables_fini(&writer->tables);
    if (writer->resumed)
        free(writer->resumed->channels);
    free(writer->resumed);
    free(writer);
}

/* Continue numbering after those of the tables. */
int wtl_writer_continue(struct wtl_trace_writer *writer, const struct wtl_tables *tables)
{
    const char **strings = (const char **)tables->strings.items;
    bool fresh;
    for (size_t i = 0; i < tables->strings.count; i++) {
        if (!strings[i])
            return -EBADMSG;
        int id = wtl_string_set_add(&writer->strings, strings[i], &fresh);
        if (id < 0 || !fresh)
            return id < 0 ? id : -EBADMSG;
    }
    writer->process_count = (uint32_t)tables->processes.count;
    writer->thread_count = (uint32_t)tables->threads.count;
    return 0;
}

int wtl_writer_borrow(struct wtl_appender *appender,
                      const struct wtl_tables *tables,
                      struct wtl_trace_writer **ret_writer)
{
    struct wtl_trace_writer *writer = calloc(1, sizeof *writer);
    int code = writer ? wtl_writer_continue(writer, tables) : -ENOMEM;
    if (code == 0 && !appender->packer)
        code = wtl_packer_create(0, &appender->packer);
    if (code < 0) {
        if (writer)
            wtl_string_set_fini(&writer->strings);
        free(writer);
        return code;
    }
    writer->tables.skip_types =
        1u << WTL_BLOCK_STRINGS | 1u << WTL_BLOCK_PROCESSES | 1u << WTL_BLOCK_THREADS;
    writer->repeat_at = UINT64_MAX;
    writer->appender = *appender;
    *appender = (struct wtl_appender){.fd = -1};
    *ret_writer = writer;
    return 0;
}

int wtl_writer_give_back(struct wtl_trace_writer *writer, struct wtl_appender *appender)
{
    (void)wtl_trace_writer_flush(writer); /* a failure is stored in the status */
    int code = writer->status.error;
    *appender = writer->appender;
    writer->appender = (struct wtl_appender){.fd = -1};
    destroy(writer);
    return code;
}

int wtl_writer_settle(struct wtl_trace_writer *writer, int code)
{
    if (code < 0 && writer->status.error == 0) {
        writer->status.error = code;
        return code;
    }
    return 0;
}

static bool broken(const struct wtl_trace_writer *writer)
{
    return writer->status.error != 0;
}

/* ---- rows ---- */

static int repeat_tables(struct wtl_trace_writer *writer)
{
    static const unsigned types[] = {WTL_BLOCK_CHANNELS, WTL_BLOCK_ORIGINS, WTL_BLOCK_GROUPS,
                                     WTL_BLOCK_METADATA};
    struct wtl_bytes all = {0};
    int code = 0;
    writer->repeat_at = writer->appender.blocks + REPEAT_BLOCKS;
    for (size_t i = 0; i < sizeof types / sizeof *types && code == 0; i++) {
        wtl_bytes_reset(&all);
        wtl_tables_put(&writer->tables, types[i], &all);
        if (all.failed)
            code = -ENOMEM;
        else if (all.length > 0)
            code = wtl_appender_records(&writer->appender, types[i], &all);
    }
    wtl_bytes_fini(&all);
    return code;
}

static int flush_rows(struct wtl_trace_writer *writer, uint32_t id)
{
    struct pending_rows *pending = (struct pending_rows *)writer->rows.items + id;
    if (pending->count == 0)
        return 0;
    int code = wtl_writer_flush_records(writer);
    if (code == 0 && writer->appender.blocks >= writer->repeat_at)
        code = repeat_tables(writer);
    const struct wtl_trace_group *group = wtl_tables_group(&writer->tables, id);
    struct wtl_rows rows = {.group = id,
                            .ordinal = pending->ordinal,
                            .rows = pending->count,
                            .columns = group->count,
                            .stride = pending->capacity,
                            .time_ns = pending->time_ns,
                            .values = pending->values,
                            .missing = pending->any_missing ? pending->missing : NULL,
                            .channels = group->channels,
                            .flags = group->flags};
    if (code == 0)
        code = wtl_appender_rows(&writer->appender, &rows);
    if (code == 0)
        writer->status.rows += pending->count;
    else
        writer->status.dropped_rows += pending->count;
    pending->ordinal++;
    pending->count = 0;
    pending->any_missing = false;
    return code;
}

static int prepare_rows(struct pending_rows *pending, const struct wtl_trace_group *group)
{
    size_t row = (group->count + 1) * sizeof(uint64_t), capacity = ROWS_BYTES / row;
    if (capacity > ROWS_MAX)
        capacity = ROWS_MAX;
    if (group->flags & WTL_GROUP_EDGE)
        capacity = EDGE_ROWS;
    if (capacity < ROWS_MIN)
        capacity = ROWS_MIN;
    if (capacity > WTL_ROWS_VALUES_MAX / (group->count + 1))
        capacity = WTL_ROWS_VALUES_MAX / (group->count + 1);
    uint64_t *numbers = malloc(capacity * row);
    uint8_t *missing = calloc(capacity, group->count);
    if (!numbers || !missing) {
        free(numbers);
        free(missing);
        return -ENOMEM;
    }
    pending->time_ns = numbers;
    pending->values = numbers + capacity;
    pending->missing = missing;
    pending->capacity = capacity;
    return 0;
}

/* A channel's rows are written in time order, even if it is polled for an edge in between. */
static int change_group(struct wtl_trace_writer *writer,
                        uint32_t id,
                        const struct wtl_trace_group *group)
{
    uint32_t *last = (uint32_t *)writer->last_group.items;
    int code = 0;
    for (size_t i = 0; i < group->count; i++) {
        uint32_t *mine = &last[group->channels[i]];
        if (*mine != id + 1 && *mine != 0 && code == 0)
            code = flush_rows(writer, *mine - 1);
        *mine = id + 1;
    }
    return code;
}

int wtl_trace_writer_row(struct wtl_trace_writer *writer,
                         uint32_t group_id,
                         uint64_t time_ns,
                         const uint64_t *values,
                         const uint8_t *missing)
{
    const struct wtl_trace_group *group = wtl_tables_group(&writer->tables, group_id);
    if (!group)
        return -EINVAL;
    struct pending_rows *pending = (struct pending_rows *)writer->rows.items + group_id;
    if (time_ns < pending->last_ns)
        return -EINVAL;
    pending->last_ns = time_ns;
    int code = 0;
    if (!broken(writer) && !pending->time_ns)
        code = prepare_rows(pending, group);
    if (!broken(writer) && code == 0)
        code = change_group(writer, group_id, group);
    if (broken(writer) || code < 0) {
        writer->status.dropped_rows++;
        return wtl_writer_settle(writer, code);
    }
    size_t r = pending->count++;
    pending->time_ns[r] = time_ns;
    for (size_t i = 0; i < group->count; i++) {
        bool none = missing && missing[i];
        pending->values[i * pending->capacity + r] = none ? 0 : values[i];
        pending->missing[i * pending->capacity + r] = none;
        pending->any_missing |= none;
    }
    return pending->count == pending->capacity
               ? wtl_writer_settle(writer, flush_rows(writer, group_id))
               : 0;
}

/* ---- marks ---- */

static int flush_marks(struct wtl_trace_writer *writer)
{
    if (writer->mark_count == 0)
        return 0;
    int code = wtl_writer_flush_records(writer);
    if (code == 0)
        code = wtl_appender_marks(&writer->appender, writer->marks, writer->mark_count);
    if (code < 0)
        writer->status.dropped_marks += writer->mark_count;
    writer->mark_count = 0;
    writer->marks_since_ns = 0;
    return code;
}

static bool good_mark(const struct wtl_trace_writer *writer, const struct wtl_mark *mark)
{
    bool named = wtl_mark_is_named(mark->kind);
    bool optional = wtl_mark_is_task(mark->kind);
    return wtl_marks_block_of(mark->kind) != 0 && mark->thread < writer->thread_count &&
           (!named || ((optional || mark->name > 0) && mark->name <= writer->strings.count));
}

int wtl_trace_writer_marks(struct wtl_trace_writer *writer, const struct wtl_mark *marks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!broken(writer) && !good_mark(writer, &marks[i]))
            return -EINVAL;
    int result = 0;
    writer->marked = true;
    wtl_region_live_marks(&writer->appender.live, marks, n);
    if (!writer->marks && !broken(writer)) {
        writer->marks = malloc(MARKS_MAX * sizeof *writer->marks);
        result = writer->marks ? 0 : wtl_writer_settle(writer, -ENOMEM);
    }
    for (size_t i = 0; i < n; i++) {
        if (broken(writer)) {
            writer->status.dropped_marks += n - i;
            break;
        }
        if (writer->mark_count == 0)
            writer->marks_since_ns = writer->polled_ns;
        writer->marks[writer->mark_count++] = marks[i];
        if (writer->mark_count == MARKS_MAX)
            result = wtl_writer_settle(writer, flush_marks(writer));
    }
    return result;
}

void wtl_trace_writer_marked(struct wtl_trace_writer *writer, uint64_t time_ns)
{
    struct wtl_appender *appender = &writer->appender;
    if (broken(writer))
        return;
    if (!writer->marked)
        wtl_region_live_begin(&appender->live, &writer->tables, appender->fd, appender->offset,
                              writer->status.rows * writer->tables.channels.count, time_ns);
    writer->marked = true;
    wtl_region_live_marked(&appender->live, time_ns);
}

/* ---- time ---- */

/* Whether data waiting since *since_ns must be written now because the next poll would be too late. */
static bool is_due(const struct wtl_trace_writer *writer, uint64_t *since_ns, uint64_t now_ns)
{
    if (*since_ns == 0)
        *since_ns = now_ns;
    return now_ns >= *since_ns && now_ns - *since_ns + writer->poll_ns >= LIMIT_NS;
}

/* Maximum assumed time until the next poll: as long as until the last one, plus a quarter. */
static void note_poll(struct wtl_trace_writer *writer, uint64_t now_ns)
{
    uint64_t away_ns = POLL_NS;
    if (writer->polled_ns > 0 && now_ns > writer->polled_ns)
        away_ns = (now_ns - writer->polled_ns) + (now_ns - writer->polled_ns) / 4;
    writer->poll_ns = away_ns < POLL_NS ? away_ns : POLL_NS;
    writer->polled_ns = now_ns;
}

int wtl_trace_writer_poll(struct wtl_trace_writer *writer, uint64_t now_ns)
{
    struct pending_rows *rows = (struct pending_rows *)writer->rows.items;
    int code = 0;
    if (broken(writer))
        return 0;
    note_poll(writer, now_ns);
    for (uint32_t i = 0; i < writer->rows.count && code == 0; i++)
        if (rows[i].count > 0 && is_due(writer, &rows[i].time_ns[0], now_ns))
            code = flush_rows(writer, i);
    /* Marks and records may be of any time; only how long they have been waiting matters. */
    if (code == 0 && writer->mark_count > 0 && is_due(writer, &writer->marks_since_ns, now_ns))
        code = flush_marks(writer);
    if (code == 0 && wtl_writer_has_records(writer) &&
        is_due(writer, &writer->records_since_ns, now_ns))
        code = wtl_writer_flush_records(writer);
    return wtl_writer_settle(writer, code);
}

int wtl_trace_writer_flush(struct wtl_trace_writer *writer)
{
    if (broken(writer))
        return 0;
    int code = wtl_writer_flush_records(writer);
    for (uint32_t i = 0; i < writer->rows.count && code == 0; i++)
        code = flush_rows(writer, i);
    if (code == 0)
        code = flush_marks(writer);
    return wtl_writer_settle(writer, code);
}

void wtl_trace_writer_status(const struct wtl_trace_writer *writer,
                             struct wtl_trace_writer_status *ret_status)
{
    *ret_status = writer->status;
    ret_status->bytes = writer->appender.offset;
    ret_status->blocks = writer->appender.blocks;
    ret_status->regions_live = wtl_region_live_is_on(&writer->appender.live);
}

int wtl_trace_writer_finish(struct wtl_trace_writer *writer, struct wattle_error *err)
{
    (void)wtl_trace_writer_flush(writer); /* a failure is stored in the status */
    if (!broken(writer))
        (void)wtl_writer_settle(writer, wtl_appender_own_facts(&writer->appender, &writer->tables));
    if (!broken(writer))
        (void)wtl_writer_settle(writer, wtl_appender_footer(&writer->appender));
    int code = writer->status.error;
    if (code < 0)
        (void)wtl_fail(err, code,
                       "trace: %s; %llu rows and %llu marks were not written, the rest stays "
                       "readable; free space, then run \"wattle repair\" on it",
                       wtl_strerror(code), (unsigned long long)writer->status.dropped_rows,
                       (unsigned long long)writer->status.dropped_marks);
    destroy(writer);
    return code;
}

struct wtl_file_id wtl_trace_writer_file(const struct wtl_trace_writer *writer)
{
    return writer->appender.id;
}

void wtl_trace_writer_abandon(struct wtl_trace_writer *writer)
{
    if (writer)
        destroy(writer);
}

void wtl_trace_writer_forget(struct wtl_trace_writer *writer)
{
    wtl_appender_forget(&writer->appender);
}
