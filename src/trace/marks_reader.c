/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iteration over marks in time order: see reader.h. Each block is sorted, but blocks overlap: the marks of
 * one process come after those of another that ran at the same time. So the blocks are listed first (offset
 * and times, about 30 bytes each); each is decoded when the merge reaches its first time, and freed after its
 * last.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/whole.h"
#include "trace/blocks/marks.h"
#include "trace/reader_state.h"

_Static_assert(WTL_MARKS_REGIONS == 1u << WTL_BLOCK_REGIONS &&
                   WTL_MARKS_EVENTS == 1u << WTL_BLOCK_EVENTS &&
                   WTL_MARKS_TASKS == UINT64_C(1) << WTL_BLOCK_TASKS,
               "which marks = types of blocks");

/* Plausibility limits for a file, as in tables.c: marks in simultaneously open blocks, names and threads. */
enum { OPEN_FREE = 1 << 21, OPEN_A_BYTE = 2, IDS_FREE = 1 << 16, ID_BYTES = 8 };

struct source {
    uint64_t offset, first_ns;
    struct wtl_mark *marks; /* NULL = not decoded */
    size_t count, at;
};

struct wtl_trace_marks {
    struct wtl_trace_reader *reader;
    uint32_t thread;
    uint64_t types; /* bits of the types of blocks */
    struct wtl_walk walk;
    struct wtl_list sources;  /* struct source, by first time, then offset */
    size_t next;              /* the first not yet decoded */
    struct wtl_list heap;     /* size_t, indices of open sources, the one with the earliest mark
                                 on top */
    uint64_t open, most_open; /* marks of open sources */
    uint64_t most_ids;
};

static int compare_sources(const void *a, const void *b)
{
    const struct source *x = (const struct source *)a, *y = (const struct source *)b;
    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int list_sources(struct wtl_trace_marks *marks)
{
    struct wtl_walk_item item;
    int found;
    if (!(marks->reader->types & marks->types))
        return 0;
    while ((found = wtl_walk_next(&marks->walk, &item)) > 0) {
        if (found != WTL_WALK_BLOCK && wtl_trace_reader_lost(marks->reader, &item) < 0)
            return -ENOMEM;
        if (found != WTL_WALK_BLOCK || !wtl_block_is_plain(&item.head) || item.head.type >= 64 ||
            !(marks->types >> item.head.type & 1))
            continue;
        struct source *source = (struct source *)wtl_list_add(&marks->sources, sizeof *source);
        if (!source)
            return -ENOMEM;
        source->offset = item.offset;
        source->first_ns = item.head.first_ns;
    }
    if (marks->sources.count > 1)
        wtl_sort(marks->sources.items, marks->sources.count, sizeof(struct source),
                 compare_sources);
    return found;
}

int wtl_trace_marks_open(struct wtl_trace_reader *reader,
                         uint32_t thread,
                         struct wtl_trace_marks **ret_marks,
                         struct wattle_error *err)
{
    return wtl_trace_marks_open_of(reader, WTL_MARKS_REGIONS | WTL_MARKS_EVENTS, thread, ret_marks,
                                   err);
}

int wtl_trace_marks_open_of(struct wtl_trace_reader *reader,
                            uint64_t which,
                            uint32_t thread,
                            struct wtl_trace_marks **ret_marks,
                            struct wattle_error *err)
{
    struct wtl_trace_marks *marks = calloc(1, sizeof *marks);
    if (!marks)
        return wtl_fail(err, -ENOMEM, "%s: out of memory", reader->path);
    marks->reader = reader;
    marks->thread = thread;
    marks->types = which;
    uint64_t bytes = wtl_trace_reader_bytes(reader);
    marks->most_open = OPEN_FREE + OPEN_A_BYTE * bytes;
    marks->most_ids = IDS_FREE + bytes / ID_BYTES;
    wtl_walk_init_like(&marks->walk, &reader->walk, 0, wtl_trace_reader_limit(reader));
    int code = list_sources(marks);
    if (code < 0) {
        wtl_trace_marks_close(marks);
        return wtl_trace_reader_fail(reader->path, code, err);
    }
    *ret_marks = marks;
    return 0;
}

bool wtl_trace_marks_any(const struct wtl_trace_reader *reader, uint64_t which)
{
    return (reader->types & which) != 0;
}

void wtl_trace_marks_close(struct wtl_trace_marks *marks)
{
    if (!marks)
        return;
    struct source *sources = (struct source *)marks->sources.items;
    for (size_t i = 0; i < marks->sources.count; i++)
        free(sources[i].marks);
    free(sources);
    free(marks->heap.items);
    wtl_walk_fini(&marks->walk);
    free(marks);
}

/* Whether open source a comes before open source b. */
static bool comes_before(const struct wtl_trace_marks *marks, size_t a, size_t b)
{
    const struct source *all = (const struct source *)marks->sources.items;
    uint64_t ta = all[a].marks[all[a].at].time_ns, tb = all[b].marks[all[b].at].time_ns;
    return ta != tb ? ta < tb : all[a].offset < all[b].offset;
}

static void sift_down(struct wtl_trace_marks *marks, size_t at)
{
    size_t *heap = (size_t *)marks->heap.items, count = marks->heap.count;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && comes_before(marks, heap[child + 1], heap[child]))
            child++;
        if (!comes_before(marks, heap[child], heap[at]))
            return;
        size_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static int push(struct wtl_trace_marks *marks, size_t source)
{
    size_t *slot = (size_t *)wtl_list_add(&marks->heap, sizeof *slot);
    if (!slot)
        return -ENOMEM;
    size_t *heap = (size_t *)marks->heap.items, at = marks->heap.count - 1;
    heap[at] = source;
    for (; at > 0 && comes_before(marks, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2) {
        size_t swap = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = swap;
    }
    return 0;
}

/* The name of an event is its type, that of a detail its key: these may be any number. */
static bool is_told(const struct wtl_trace_marks *marks, const struct source *source)
{
    bool told = marks->open <= marks->most_open;
    for (size_t i = 0; i < source->count && told; i++) {
        const struct wtl_mark *mark = &source->marks[i];
        told = mark->thread <= marks->most_ids &&
               (!wtl_mark_is_named(mark->kind) || mark->name <= marks->most_ids);
    }
    return told;
}

/* Decode a source and add it to the heap; a damaged one is skipped. */
static int open_source(struct wtl_trace_marks *marks, size_t number)
{
    struct source *source = (struct source *)marks->sources.items + number;
    struct wtl_walk_item item = {.offset = source->offset};
    const uint8_t *payload;
    int count = wtl_walk_at(&marks->walk, source->offset, &item, &payload);
    if (count == 0)
        count = wtl_marks_decode(item.head.type, wtl_cursor_init(payload, item.head.length),
                                 item.head.first_ns, marks->reader->unpacker, &source->marks);
    if (count < 0)
        return count == -EBADMSG ? wtl_trace_reader_lost(marks->reader, &item) : count;
    source->count = (size_t)count;
    marks->open += source->count;
    if (count == 0) {
        free(source->marks);
        source->marks = NULL;
        return 0; /* only kinds that are not known here */
    }
    return is_told(marks, source) ? push(marks, number) : -EOVERFLOW;
}

/* Advance the source on top by one mark. */
static void advance_top(struct wtl_trace_marks *marks)
{
    size_t *heap = (size_t *)marks->heap.items;
    struct source *source = (struct source *)marks->sources.items + heap[0];
    if (++source->at == source->count) {
        free(source->marks);
        source->marks = NULL;
        marks->open -= source->count;
        heap[0] = heap[--marks->heap.count];
    }
    sift_down(marks, 0);
}

int wtl_trace_marks_next(struct wtl_trace_marks *marks,
                         struct wtl_mark *ret_mark,
                         struct wattle_error *err)
{
    struct source *all = (struct source *)marks->sources.items;
    for (;;) {
        const size_t *heap = (const size_t *)marks->heap.items;
        while (marks->next < marks->sources.count &&
               (marks->heap.count == 0 ||
                all[marks->next].first_ns <= all[heap[0]].marks[all[heap[0]].at].time_ns)) {
            int code = open_source(marks, marks->next++);
            if (code < 0)
                return wtl_trace_reader_fail(marks->reader->path, code, err);
            heap = (const size_t *)marks->heap.items;
        }
        if (marks->heap.count == 0)
            return 0;
        const struct source *top = &all[heap[0]];
        struct wtl_mark mark = top->marks[top->at];
        advance_top(marks);
        if (marks->thread == WTL_ALL_THREADS || mark.thread == marks->thread) {
            *ret_mark = mark;
            return 1;
        }
    }
}
