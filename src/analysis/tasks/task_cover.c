/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Disjoint pieces in the order of time (task_cover.h). A new one nearly always ends last, and swallows those before it that it
 * touches; bins of a summary may come later.
 */
#include "analysis/tasks/task_cover.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 1 << 16 };

struct wtl_task_cover {
    wtl_task_cover_take *take;
    void *context;
    uint64_t final_ns; /* pieces up to here were given out */
    size_t count;
    struct {
        uint64_t begin_ns, end_ns;
    } pieces[PIECES];
};

struct wtl_task_cover *wtl_task_cover_create(wtl_task_cover_take *take, void *context)
{
    struct wtl_task_cover *cover = malloc(sizeof *cover);
    if (!cover)
        return NULL;
    cover->take = take;
    cover->context = context;
    cover->final_ns = 0;
    cover->count = 0;
    return cover;
}

static void give_out(struct wtl_task_cover *cover, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cover->take(cover->context, cover->pieces[i].begin_ns, cover->pieces[i].end_ns, false);
    if (count > 0)
        cover->final_ns = cover->pieces[count - 1].end_ns;
    cover->count -= count;
    memmove(cover->pieces, cover->pieces + count, cover->count * sizeof *cover->pieces);
}

void wtl_task_cover_add(struct wtl_task_cover *cover, uint64_t begin_ns, uint64_t end_ns)
{
    if (begin_ns < cover->final_ns) {
        uint64_t end = end_ns < cover->final_ns ? end_ns : cover->final_ns;
        cover->take(cover->context, begin_ns, end, true);
        begin_ns = cover->final_ns;
    }
    if (begin_ns >= end_ns)
        return;
    if (cover->count == PIECES)
        give_out(cover, PIECES / 2);
    if (begin_ns < cover->final_ns) {
        wtl_task_cover_add(cover, begin_ns, end_ns); /* once: there is room now */
        return;
    }
    size_t above = cover->count, first;
    while (above > 0 && cover->pieces[above - 1].begin_ns > end_ns)
        above--;
    for (first = above; first > 0 && cover->pieces[first - 1].end_ns >= begin_ns; first--) {
        if (cover->pieces[first - 1].begin_ns < begin_ns)
            begin_ns = cover->pieces[first - 1].begin_ns;
        if (cover->pieces[first - 1].end_ns > end_ns)
            end_ns = cover->pieces[first - 1].end_ns;
    }
    memmove(cover->pieces + first + 1, cover->pieces + above,
            (cover->count - above) * sizeof *cover->pieces);
    cover->count = first + 1 + (cover->count - above);
    cover->pieces[first].begin_ns = begin_ns;
    cover->pieces[first].end_ns = end_ns;
}

void wtl_task_cover_finish(struct wtl_task_cover *cover)
{
    if (!cover)
        return;
    give_out(cover, cover->count);
    free(cover);
}
