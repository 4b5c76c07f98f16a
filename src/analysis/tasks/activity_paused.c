/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that are on no thread, with what they had open: a hash table with open addressing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/activity_state.h"

static size_t home_of(const struct wtl_activities *a, uint32_t process, uint64_t task)
{
    uint64_t hash = (task ^ (uint64_t)process << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 20) & (a->paused_room - 1);
}

/* Its place, or the free one where it belongs; the table is not full. */
static struct wtl_activity_paused *find(const struct wtl_activities *a,
                                        uint32_t process,
                                        uint64_t task)
{
    for (size_t i = home_of(a, process, task);; i = (i + 1) & (a->paused_room - 1)) {
        struct wtl_activity_paused *at = &a->paused[i];
        if (at->count == 0 || (at->key == task && at->process == process))
            return at;
    }
}

static int make_room(struct wtl_activities *a)
{
    struct wtl_activity_paused *before = a->paused;
    size_t room = a->paused_room;
    if (2 * (a->paused_count + 1) <= room)
        return 0;
    struct wtl_activity_paused *larger = calloc(room ? 2 * room : 64, sizeof *larger);
    if (!larger)
        return -ENOMEM;
    a->paused = larger;
    a->paused_room = room ? 2 * room : 64;
    for (size_t i = 0; i < room; i++)
        if (before[i].count > 0)
            *find(a, before[i].process, before[i].key) = before[i];
    free(before);
    return 0;
}

int wtl_activity_pause(struct wtl_activities *a,
                       uint32_t process,
                       uint64_t task,
                       const struct wtl_activity_frame *frames,
                       size_t count)
{
    struct wtl_activity_frame *copy = malloc(count * sizeof *copy);
    if (!copy || make_room(a) < 0) {
        free(copy);
        return -ENOMEM;
    }
    memcpy(copy, frames, count * sizeof *copy);
    struct wtl_activity_paused *at = find(a, process, task);
    if (at->count > 0)
        free(at->frames);
    else
        a->paused_count++;
    *at = (struct wtl_activity_paused){
        .key = task, .process = process, .count = (uint32_t)count, .frames = copy};
    return 0;
}

/* Empty a place, and move those after it that would no longer be found. */
static void drop(struct wtl_activities *a, struct wtl_activity_paused *at)
{
    size_t mask = a->paused_room - 1, hole = (size_t)(at - a->paused);
    a->paused_count--;
    for (size_t i = (hole + 1) & mask; a->paused[i].count > 0; i = (i + 1) & mask) {
        size_t home = home_of(a, a->paused[i].process, a->paused[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            a->paused[hole] = a->paused[i];
            hole = i;
        }
    }
    a->paused[hole] = (struct wtl_activity_paused){0};
}

size_t wtl_activity_resume(struct wtl_activities *a,
                           uint32_t process,
                           uint64_t task,
                           struct wtl_activity_frame **ret_frames)
{
    struct wtl_activity_paused *at = a->paused_room ? find(a, process, task) : NULL;
    if (!at || at->count == 0)
        return 0;
    size_t count = at->count;
    *ret_frames = at->frames;
    drop(a, at);
    return count;
}

void wtl_activity_paused_fini(struct wtl_activities *a)
{
    for (size_t i = 0; i < a->paused_room; i++)
        free(a->paused[i].frames);
    free(a->paused);
}
