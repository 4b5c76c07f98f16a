/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of marks: see marks.h. The columns are encoded like those of samples, by the same coder. */
#include "trace/blocks/marks.h"

#include <errno.h>
#include <stdlib.h>

enum { COLUMNS = 5 }; /* of tasks; others have one less */

static size_t columns_of(unsigned type)
{
    return type == WTL_BLOCK_TASKS ? COLUMNS : COLUMNS - 1;
}

unsigned wtl_marks_block_of(uint64_t kind)
{
    if (kind == WTL_MARK_EVENT)
        return WTL_BLOCK_EVENTS;
    if (wtl_mark_is_region(kind))
        return WTL_BLOCK_REGIONS;
    return wtl_mark_is_task(kind) ? WTL_BLOCK_TASKS : 0;
}

/* Merge sort, bottom up: stable, and fast if mostly sorted already. */
void wtl_marks_sort(struct wtl_mark *marks, size_t n, struct wtl_mark *scratch)
{
    bool sorted = true;
    for (size_t i = 1; i < n; i++)
        sorted &= marks[i - 1].time_ns <= marks[i].time_ns;
    if (sorted)
        return;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n;
            size_t high = low + 2 * width < n ? low + 2 * width : n;
            size_t a = low, b = middle;
            for (size_t to = low; to < high; to++)
                scratch[to] = b >= high || (a < middle && marks[a].time_ns <= marks[b].time_ns)
                                  ? marks[a++]
                                  : marks[b++];
        }
        memcpy(marks, scratch, n * sizeof *marks);
    }
}

/* The columns after the times and threads: names; then kinds or values, or both. */
static uint64_t field(const struct wtl_mark *mark, unsigned type, size_t column)
{
    switch (column) {
    case 0:
        return mark->time_ns;
    case 1:
        return mark->thread;
    case 2:
        return mark->name;
    case 3:
        return type == WTL_BLOCK_EVENTS ? mark->value : (uint64_t)mark->kind;
    default:
        return mark->value;
    }
}

void wtl_marks_encode(unsigned type,
                      const struct wtl_mark *marks,
                      size_t n,
                      struct wtl_column_work *work,
                      struct wtl_packer *packer,
                      struct wtl_bytes *out)
{
    struct wtl_column_parts *parts = &work->parts;
    uint64_t *numbers = wtl_column_work_numbers(work, 2 * n);
    if (!numbers) {
        out->failed = true;
        return;
    }
    wtl_bytes_reset(&parts->head);
    wtl_bytes_reset(&parts->tokens);
    wtl_bytes_reset(&parts->bits);
    for (size_t column = 0; column < columns_of(type); column++) {
        uint64_t base = column == 0 ? marks[0].time_ns : 0;
        for (size_t i = 0; i < n; i++)
            numbers[i] = field(&marks[i], type, column) - base;
        wtl_column_encode(numbers, n, numbers + n, parts);
    }
    wtl_bytes_put_varint(out, n);
    wtl_columns_put(work, packer, out);
}

static bool good_columns(const uint64_t *columns, size_t n, unsigned type, uint64_t first_ns)
{
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        uint64_t kind = type == WTL_BLOCK_EVENTS ? WTL_MARK_EVENT : columns[3 * n + i];
        good = columns[i] <= UINT64_MAX - first_ns && (i == 0 || columns[i] >= columns[i - 1]) &&
               columns[n + i] < UINT32_MAX && columns[2 * n + i] <= UINT32_MAX &&
               (type == WTL_BLOCK_TASKS ? kind <= UINT32_MAX : wtl_marks_block_of(kind) == type);
    }
    return good;
}

/* Kinds of tasks that a later version has added are left out: returns the number of marks. */
static size_t from_columns(const uint64_t *columns,
                           size_t n,
                           unsigned type,
                           uint64_t first_ns,
                           struct wtl_mark *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t fourth = columns[3 * n + i];
        struct wtl_mark mark = {.time_ns = columns[i] + first_ns,
                                .thread = (uint32_t)columns[n + i],
                                .name = (uint32_t)columns[2 * n + i],
                                .kind = (enum wtl_mark_kind)fourth};
        if (type == WTL_BLOCK_EVENTS) {
            mark.value = fourth;
            mark.kind = WTL_MARK_EVENT;
        } else if (type == WTL_BLOCK_TASKS) {
            mark.value = columns[4 * n + i];
        }
        if (wtl_marks_block_of(mark.kind) == type)
            ret[count++] = mark;
    }
    return count;
}

int wtl_marks_decode(unsigned type,
                     struct wtl_cursor cursor,
                     uint64_t first_ns,
                     struct wtl_unpacker *unpacker,
                     struct wtl_mark **ret_marks)
{
    struct wtl_column_cursors cursors;
    struct wtl_bytes tokens = {0};
    uint64_t count = wtl_cursor_varint(&cursor);
    if (cursor.failed || count < 1 || count > WTL_MARKS_MAX)
        return -EBADMSG;
    size_t n = (size_t)count, width = columns_of(type);
    uint64_t *columns = malloc(width * n * sizeof *columns);
    struct wtl_mark *marks = malloc(n * sizeof *marks);
    int code = columns && marks ? 0 : -ENOMEM;
    if (code == 0)
        code = wtl_columns_take(&cursor, unpacker, width * n, &tokens, &cursors);
    for (size_t c = 0; c < width && code == 0; c++)
        code = wtl_column_decode(&cursors, n, columns + c * n);
    if (code == 0 && !good_columns(columns, n, type, first_ns))
        code = -EBADMSG;
    if (code == 0) {
        n = from_columns(columns, n, type, first_ns, marks);
        *ret_marks = marks;
    } else {
        free(marks);
    }
    wtl_bytes_fini(&tokens);
    free(columns);
    return code < 0 ? code : (int)n;
}
