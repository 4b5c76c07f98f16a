/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stack of disjoint pieces (task_cover.h). The newest one has the latest end, so a new piece swallows those at the top that it
 * touches: each is put on and taken off once.
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
    while (cover->count > 0 && cover->pieces[cover->count - 1].end_ns >= begin_ns) {
        cover->count--;
        if (cover->pieces[cover->count].begin_ns < begin_ns)
            begin_ns = cover->pieces[cover->count].begin_ns;
        if (cover->pieces[cover->count].end_ns > end_ns)
            end_ns = cover->pieces[cover->count].end_ns;
    }
    if (cover->count == PIECES)
        give_out(cover, PIECES / 2);
    cover->pieces[cover->count].begin_ns = begin_ns;
    cover->pieces[cover->count++].end_ns = end_ns;
}

void wtl_task_cover_finish(struct wtl_task_cover *cover)
{
    if (!cover)
        return;
    give_out(cover, cover->count);
    free(cover);
}
