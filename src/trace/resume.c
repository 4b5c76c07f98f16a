/* SPDX-License-Identifier: BSD-3-Clause */
/* Continuing a file that was cut off: see resume.h. */
#define _GNU_SOURCE
#include "trace/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fail.h"
#include "trace/reader_state.h"
#include "trace/writer_state.h"

struct resume {
    struct wtl_trace_reader *reader;
    struct wtl_trace_writer *writer;
    struct wtl_trace_resumed *state; /* owned by the writer */
    struct wtl_rows_memory memory;
};

static int load_table(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct resume *resume = context;
    int code = wtl_tables_load(&resume->writer->tables, item->head.type, payload);
    return code == -EBADMSG ? 0 : code;
}

/* Lists parallel to the tables of channels and groups. */
static int fill_lists(struct resume *resume)
{
    struct wtl_trace_writer *writer = resume->writer;
    size_t channels = writer->tables.channels.count, groups = writer->tables.groups.count;
    bool fresh;
    for (size_t i = 0; i < channels; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(&writer->tables, i);
        if (!channel)
            return -EBADMSG; /* lost to damage: its number is unknown */
        if (wtl_string_set_add(&writer->names, channel->channel.name, &fresh) < 0 ||
            !wtl_list_add(&writer->last_group, sizeof(uint32_t)))
            return -ENOMEM;
    }
    for (size_t i = 0; i < groups; i++) {
        if (!wtl_tables_group(&writer->tables, i))
            return -EBADMSG;
        if (!wtl_list_add(&writer->rows, sizeof(struct pending_rows)))
            return -ENOMEM;
    }
    resume->state->channels = calloc(channels + 1, sizeof *resume->state->channels);
    if (!resume->state->channels)
        return -ENOMEM;
    resume->state->count = channels;
    for (size_t i = 0; i < channels; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(&writer->tables, i);
        resume->state->channels[i].first_raw = channel->first_raw;
        resume->state->channels[i].raw_known = channel->has_origin;
    }
    return 0;
}

static void take_row(struct wtl_trace_resumed *state, const struct wtl_rows *rows, size_t r)
{
    for (size_t c = 0; c < rows->columns; c++) {
        if (rows->channels[c] >= state->count)
            continue;
        struct wtl_resumed_channel *channel = &state->channels[rows->channels[c]];
        if ((rows->missing && rows->missing[c * rows->stride + r]) ||
            rows->time_ns[r] < channel->last_ns)
            continue;
        uint64_t value = rows->values[c * rows->stride + r];
        if (channel->last_ns == 0)
            channel->first_ns = rows->time_ns[r];
        if (channel->last_ns == 0 || value != channel->value) {
            channel->before_ns = channel->last_ns ? channel->last_ns : rows->time_ns[r];
            channel->changed_ns = rows->time_ns[r];
        }
        channel->last_ns = rows->time_ns[r];
        channel->value = value;
    }
}

static int take_rows(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct resume *resume = context;
    struct wtl_rows rows;
    int code = wtl_samples_decode(&resume->reader->tables, payload, item->head.first_ns, NULL, 0,
                                  resume->reader->unpacker, &resume->memory, &rows);
    if (code < 0 || rows.group >= resume->writer->rows.count)
        return code == -ENOMEM ? code : 0;
    struct pending_rows *pending = (struct pending_rows *)resume->writer->rows.items + rows.group;
    if (rows.ordinal >= pending->ordinal)
        pending->ordinal = rows.ordinal + 1;
    for (size_t r = 0; r < rows.rows; r++)
        take_row(resume->state, &rows, r);
    uint64_t last_ns = rows.time_ns[rows.rows - 1];
    if (last_ns > pending->last_ns)
        pending->last_ns = last_ns;
    if (last_ns > resume->state->last_ns)
        resume->state->last_ns = last_ns;
    return 0;
}

static void take_gaps(struct resume *resume)
{
    const struct wtl_tables *tables = &resume->reader->tables;
    const struct wtl_gap *gaps = (const struct wtl_gap *)tables->gaps.items;
    for (size_t i = 0; i < tables->gaps.count; i++) {
        if (gaps[i].channel < resume->state->count && wtl_gap_stops_ticks(gaps[i].reason))
            resume->state->channels[gaps[i].channel].raw_known = false;
    }
}

static int load(struct resume *resume)
{
    struct wtl_trace_writer *writer = resume->writer;
    uint64_t tables = wtl_record_types(), offset = 0;
    int code = wtl_trace_reader_visit(resume->reader, tables, &offset, load_table, resume);
    if (code == 0)
        code = fill_lists(resume);
    offset = 0;
    if (code == 0)
        code = wtl_trace_reader_visit(resume->reader, (uint64_t)1 << WTL_BLOCK_SAMPLES, &offset,
                                      take_rows, resume);
    if (code == 0)
        code = wtl_writer_continue(writer, &resume->reader->tables);
    take_gaps(resume);
    resume->state->started = writer->tables.window.started;
    return code;
}

/* Open and lock the file, positioned after the last whole block. */
static int attach(struct resume *resume, const char *path, struct wattle_error *err)
{
    struct wtl_trace_reader_status status;
    struct wtl_appender *appender = &resume->writer->appender;
    uint64_t cut;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        (void)close(fd); /* nothing was written */
        return wtl_fail(err, -EBUSY, "%s: still being written", path);
    }
    int code = wtl_appender_attach(appender, fd, path, &resume->writer->tables, NULL, NULL);
    if (code == 0)
        code = wtl_trace_reader_open(path, &resume->reader, err);
    if (code < 0)
        return code;
    wtl_trace_reader_status(resume->reader, &status);
    if (status.has_footer)
        return wtl_fail(err, -EALREADY, "%s: is complete", path);
    code = wtl_packer_create(0, &appender->packer);
    if (code == 0)
        code = wtl_appender_measure(appender, &cut);
    if (code == 0)
        code = load(resume);
    if (code == 0 && ftruncate(appender->fd, (off_t)appender->offset) < 0)
        code = -errno;
    return code < 0
               ? wtl_fail(err, code, "%s: cannot continue the trace: %s", path, wtl_strerror(code))
               : 0;
}

int wtl_trace_resume(const char *path,
                     struct wtl_trace_writer **ret_writer,
                     struct wattle_error *err)
{
    struct resume resume = {.reader = NULL};
    int code = -ENOMEM;
    resume.state = calloc(1, sizeof *resume.state);
    if (resume.state && (resume.writer = wtl_writer_make()))
        code = 0;
    if (code < 0) {
        free(resume.state);
        return wtl_fail(err, code, "%s: out of memory", path);
    }
    resume.writer->resumed = resume.state;
    code = attach(&resume, path, err);
    wtl_rows_memory_fini(&resume.memory);
    wtl_trace_reader_close(resume.reader);
    if (code < 0)
        wtl_trace_writer_abandon(resume.writer);
    else
        *ret_writer = resume.writer;
    return code;
}

const struct wtl_trace_resumed *wtl_trace_writer_resumed(const struct wtl_trace_writer *writer)
{
    return writer->resumed;
}

const struct wattle_channel *wtl_trace_writer_known(const struct wtl_trace_writer *writer, size_t i)
{
    return &wtl_tables_channel(&writer->tables, i)->channel;
}

int wtl_trace_writer_find_channel(const struct wtl_trace_writer *writer,
                                  const struct wattle_channel *channel)
{
    int id = wtl_tables_find_channel(&writer->tables, channel->name);
    if (id < 0)
        return -ENOENT;
    const struct wattle_channel *there = &wtl_tables_channel(&writer->tables, (size_t)id)->channel;
    bool same = there->kind == channel->kind && there->quantity == channel->quantity &&
                there->scale == channel->scale && there->modulus == channel->modulus;
    return same ? id : -EINVAL;
}

int wtl_trace_writer_find_group(const struct wtl_trace_writer *writer,
                                const uint32_t *channels,
                                size_t count,
                                unsigned flags)
{
    for (size_t i = 0; i < writer->tables.groups.count; i++) {
        const struct wtl_trace_group *group = wtl_tables_group(&writer->tables, i);
        if (group && group->count == count && group->flags == flags &&
            memcmp(group->channels, channels, count * sizeof *channels) == 0)
            return (int)i;
    }
    return -ENOENT;
}
