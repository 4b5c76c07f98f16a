/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples blocks: see samples.h. A column stores only existing values, so that a channel that failed for a
 * while costs only its bitmap; decoding distributes them over the rows.
 */
#include "trace/samples.h"

#include <errno.h>

void wtl_column_work_fini(struct wtl_column_work *work)
{
    wtl_bytes_fini(&work->parts.head);
    wtl_bytes_fini(&work->parts.tokens);
    wtl_bytes_fini(&work->parts.bits);
    wtl_bytes_fini(&work->numbers);
    wtl_bytes_fini(&work->frame);
}

uint64_t *wtl_column_work_numbers(struct wtl_column_work *work, size_t n)
{
    wtl_bytes_reset(&work->numbers);
    return (uint64_t *)(void *)wtl_bytes_reserve(&work->numbers, n * sizeof(uint64_t));
}

void wtl_columns_put(struct wtl_column_work *work, struct wtl_packer *packer, struct wtl_bytes *out)
{
    const struct wtl_column_parts *parts = &work->parts;
    struct wtl_bytes *frame = &work->frame; /* separate, since its length precedes it */
    size_t n = parts->tokens.length;
    wtl_bytes_reset(frame);
    size_t length = wtl_packer_frame(packer, parts->tokens.data, n, frame);
    wtl_bytes_put_varint(out, (uint64_t)parts->head.length << 1 | (n > 0));
    if (n > 0) {
        wtl_bytes_put_varint(out, n);
        wtl_bytes_put_varint(out, length ? length : n);
    }
    wtl_bytes_put(out, parts->head.data, parts->head.length);
    wtl_bytes_put(out, length ? frame->data : parts->tokens.data, length ? length : n);
    wtl_bytes_put(out, parts->bits.data, parts->bits.length);
    if (parts->head.failed || parts->tokens.failed || parts->bits.failed)
        out->failed = true;
}

int wtl_columns_take(struct wtl_cursor *cursor,
                     struct wtl_unpacker *unpacker,
                     size_t max,
                     struct wtl_bytes *tokens,
                     struct wtl_column_cursors *ret_cursors)
{
    uint64_t heads = wtl_cursor_varint(cursor);
    uint64_t count = heads & 1 ? wtl_cursor_varint(cursor) : 0;
    uint64_t length = heads & 1 ? wtl_cursor_varint(cursor) : 0;
    heads >>= 1;
    if (cursor->failed || count > max || length > count || heads > wtl_cursor_left(cursor))
        return -EBADMSG;
    const uint8_t *head = wtl_cursor_take(cursor, (size_t)heads);
    const uint8_t *stored = wtl_cursor_take(cursor, (size_t)length);
    if (!head || !stored)
        return -EBADMSG;
    if (length < count) {
        wtl_bytes_reset(tokens);
        uint8_t *room = wtl_bytes_reserve(tokens, (size_t)count);
        if (!room)
            return -ENOMEM;
        if (wtl_unpacker_frame(unpacker, stored, (size_t)length, room, (size_t)count) < 0)
            return -EBADMSG;
        stored = room;
    }
    ret_cursors->head = wtl_cursor_init(head, (size_t)heads);
    ret_cursors->tokens = wtl_cursor_init(stored, (size_t)count);
    ret_cursors->bits = *cursor;
    return 0;
}

static bool column_has_gaps(const struct wtl_rows *rows, size_t c)
{
    return rows->missing && memchr(rows->missing + c * rows->stride, 1, rows->rows);
}

/* The number of rows, and a bitmap of missing values. */
static void put_presence(const struct wtl_rows *rows, struct wtl_bytes *out)
{
    bool any = false;
    for (size_t c = 0; c < rows->columns; c++)
        any |= column_has_gaps(rows, c);
    wtl_bytes_put_varint(out, (uint64_t)rows->rows << 1 | any);
    if (!any)
        return;
    for (size_t c = 0; c < rows->columns; c += 8) {
        unsigned map = 0;
        for (size_t b = 0; b < 8 && c + b < rows->columns; b++)
            map |= (unsigned)column_has_gaps(rows, c + b) << b;
        wtl_bytes_put_u8(out, (uint8_t)map);
    }
    for (size_t c = 0; c < rows->columns; c++) {
        if (!column_has_gaps(rows, c))
            continue;
        const uint8_t *missing = rows->missing + c * rows->stride;
        for (size_t r = 0; r < rows->rows; r += 8) {
            unsigned map = 0;
            for (size_t b = 0; b < 8 && r + b < rows->rows; b++)
                map |= (unsigned)!missing[r + b] << b;
            wtl_bytes_put_u8(out, (uint8_t)map);
        }
    }
}

/* The existing values of a column, packed into numbers if some are missing. */
static const uint64_t *packed_column(const struct wtl_rows *rows,
                                     size_t c,
                                     uint64_t *numbers,
                                     size_t *ret_count)
{
    const uint64_t *values = rows->values + c * rows->stride;
    *ret_count = rows->rows;
    if (!column_has_gaps(rows, c))
        return values;
    const uint8_t *missing = rows->missing + c * rows->stride;
    size_t count = 0;
    for (size_t r = 0; r < rows->rows; r++)
        if (!missing[r])
            numbers[count++] = values[r];
    *ret_count = count;
    return numbers;
}

void wtl_samples_encode(const struct wtl_rows *rows,
                        struct wtl_column_work *work,
                        struct wtl_packer *packer,
                        struct wtl_bytes *out)
{
    struct wtl_column_parts *parts = &work->parts;
    size_t n = rows->rows;
    uint64_t *numbers = wtl_column_work_numbers(work, 2 * n);
    if (!numbers) {
        out->failed = true;
        return;
    }
    wtl_bytes_put_varint(out, rows->group);
    wtl_bytes_put_varint(out, rows->ordinal);
    put_presence(rows, out);
    wtl_bytes_reset(&parts->head);
    wtl_bytes_reset(&parts->tokens);
    wtl_bytes_reset(&parts->bits);
    for (size_t r = 0; r < n; r++)
        numbers[r] = rows->time_ns[r] - rows->time_ns[0];
    wtl_column_encode(numbers, n, numbers + n, parts);
    for (size_t c = 0; c < rows->columns; c++) {
        size_t count;
        const uint64_t *values = packed_column(rows, c, numbers, &count);
        wtl_column_encode(values, count, numbers + n, parts);
    }
    wtl_columns_put(work, packer, out);
}

void wtl_rows_memory_fini(struct wtl_rows_memory *memory)
{
    wtl_bytes_fini(&memory->values);
    wtl_bytes_fini(&memory->missing);
    wtl_bytes_fini(&memory->tokens);
}

int wtl_samples_peek(struct wtl_cursor cursor, uint32_t *ret_group, uint64_t *ret_ordinal)
{
    uint64_t group = wtl_cursor_varint(&cursor), ordinal = wtl_cursor_varint(&cursor);
    if (cursor.failed || group >= WTL_TRACE_GROUPS_MAX)
        return -EBADMSG;
    *ret_group = (uint32_t)group;
    *ret_ordinal = ordinal;
    return 0;
}

/* Parse group, ordinal, rows; and allocate memory for the times, then the columns. */
static int take_shape(const struct wtl_tables *tables,
                      struct wtl_cursor *cursor,
                      struct wtl_rows_memory *memory,
                      struct wtl_rows *rows,
                      bool *ret_gaps)
{
    uint64_t id = wtl_cursor_varint(cursor);
    rows->ordinal = wtl_cursor_varint(cursor);
    uint64_t n = wtl_cursor_varint(cursor);
    *ret_gaps = n & 1;
    n >>= 1;
    const struct wtl_trace_group *group = wtl_tables_group(tables, (size_t)id);
    if (cursor->failed || !group || id >= WTL_TRACE_GROUPS_MAX || n < 1 || n > WTL_COLUMN_MAX)
        return -EBADMSG;
    rows->group = (uint32_t)id;
    rows->rows = rows->stride = (size_t)n;
    rows->columns = group->count;
    rows->channels = group->channels;
    rows->flags = group->flags;
    /* A constant column takes three bytes for any number of rows: only this limits the memory. */
    if ((group->count + 1) * n > WTL_ROWS_VALUES_MAX)
        return -EBADMSG;
    wtl_bytes_reset(&memory->values);
    uint8_t *room = wtl_bytes_reserve(&memory->values, (group->count + 1) * n * sizeof(uint64_t));
    if (!room)
        return -ENOMEM;
    rows->time_ns = (const uint64_t *)(const void *)room;
    rows->values = rows->time_ns + n;
    rows->missing = NULL;
    return 0;
}

static int take_presence(struct wtl_cursor *cursor,
                         struct wtl_rows_memory *memory,
                         struct wtl_rows *rows)
{
    const uint8_t *which = wtl_cursor_take(cursor, (rows->columns + 7) / 8);
    if (!which)
        return -EBADMSG;
    size_t n = rows->columns * rows->stride;
    wtl_bytes_reset(&memory->missing);
    uint8_t *missing = wtl_bytes_reserve(&memory->missing, n);
    if (!missing)
        return -ENOMEM;
    memset(missing, 0, n);
    for (size_t c = 0; c < rows->columns; c++) {
        if (!(which[c / 8] >> c % 8 & 1))
            continue;
        const uint8_t *map = wtl_cursor_take(cursor, (rows->rows + 7) / 8);
        if (!map)
            return -EBADMSG;
        for (size_t r = 0; r < rows->rows; r++)
            missing[c * rows->stride + r] = !(map[r / 8] >> r % 8 & 1);
    }
    rows->missing = missing;
    return 0;
}

/* Distribute the existing values over all rows, starting from the end; the others become 0. */
static void spread(uint64_t *values, const uint8_t *missing, size_t rows, size_t count)
{
    for (size_t r = rows; r > 0; r--)
        values[r - 1] = missing[r - 1] ? 0 : values[--count];
}

static int take_column(struct wtl_column_cursors *cursors,
                       struct wtl_rows *rows,
                       size_t c,
                       bool wanted)
{
    uint64_t *values = (uint64_t *)(uintptr_t)rows->values + c * rows->stride;
    size_t count = rows->rows;
    if (column_has_gaps(rows, c))
        for (size_t r = 0; r < rows->rows; r++)
            count -= rows->missing[c * rows->stride + r];
    if (wtl_column_decode(cursors, count, wanted ? values : NULL) < 0)
        return -EBADMSG;
    if (wanted && count < rows->rows)
        spread(values, rows->missing + c * rows->stride, rows->rows, count);
    return 0;
}

int wtl_samples_decode(const struct wtl_tables *tables,
                       struct wtl_cursor cursor,
                       uint64_t first_ns,
                       const uint8_t *wanted,
                       size_t wanted_count,
                       struct wtl_unpacker *unpacker,
                       struct wtl_rows_memory *memory,
                       struct wtl_rows *ret_rows)
{
    struct wtl_rows rows = {0};
    struct wtl_column_cursors cursors;
    bool gaps = false;
    int code = take_shape(tables, &cursor, memory, &rows, &gaps);
    if (code == 0 && gaps)
        code = take_presence(&cursor, memory, &rows);
    if (code == 0)
        code = wtl_columns_take(&cursor, unpacker, (rows.columns + 1) * rows.rows, &memory->tokens,
                                &cursors);
    if (code < 0)
        return code;
    uint64_t *time_ns = (uint64_t *)(uintptr_t)rows.time_ns;
    if (wtl_column_decode(&cursors, rows.rows, time_ns) < 0)
        return -EBADMSG;
    uint64_t last_ns = 0;
    for (size_t r = 0; r < rows.rows; r++) {
        time_ns[r] += first_ns;
        if (time_ns[r] < last_ns)
            return -EBADMSG;
        last_ns = time_ns[r];
    }
    for (size_t c = 0; c < rows.columns && code == 0; c++) {
        bool want = !wanted || (rows.channels[c] < wanted_count && wanted[rows.channels[c]]);
        code = take_column(&cursors, &rows, c, want);
    }
    if (code == 0)
        *ret_rows = rows;
    return code;
}
