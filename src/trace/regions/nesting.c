/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks which regions are open on which threads. Each thread has a stack of its open regions; for each name,
 * the threads that have it on the stack, and on top of it, are counted. Marks are not assumed to be balanced:
 * they come from programs that may have bugs, or may have been killed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/id_map.h"
#include "trace/regions/nesting.h"

struct entry {
    uint32_t name;  /* index */
    uint32_t depth; /* that of the one below + 1, which may already be closed */
    uint64_t begin_ns;
    uint64_t own_begin_ns; /* the same, except for a recursion whose outermost instance was
                              closed first */
};

struct thread {
    uint32_t number; /* as in the marks */
    struct entry *stack;
    size_t depth, room;
};

struct wtl_nesting {
    uint64_t start_ns, end_ns, last_ns;
    wtl_nesting_fn tell;
    wtl_nesting_instance_fn tell_instance;
    void *context;
    struct wtl_nesting_name *names;
    size_t name_room;
    struct thread *threads;
    size_t thread_room;
    struct wtl_id_map name_ids, thread_ids;
    size_t tagged; /* threads with an open region */
    size_t open;   /* entries in all stacks */
};

struct wtl_nesting *wtl_nesting_create(uint64_t start_ns,
                                       uint64_t end_ns,
                                       wtl_nesting_fn tell,
                                       void *context)
{
    struct wtl_nesting *nesting = calloc(1, sizeof(*nesting));

    if (!nesting)
        return NULL;
    nesting->start_ns = start_ns;
    nesting->end_ns = end_ns;
    nesting->tell = tell;
    nesting->context = context;
    return nesting;
}

void wtl_nesting_tell_instances(struct wtl_nesting *nesting, wtl_nesting_instance_fn tell_instance)
{
    nesting->tell_instance = tell_instance;
}

void wtl_nesting_window_end(struct wtl_nesting *nesting, uint64_t end_ns)
{
    nesting->end_ns = end_ns;
}

void wtl_nesting_destroy(struct wtl_nesting *nesting)
{
    if (!nesting)
        return;
    for (size_t i = 0; i < nesting->thread_room; i++)
        free(nesting->threads[i].stack);
    free(nesting->threads);
    free(nesting->names);
    free(nesting->name_ids.slots);
    free(nesting->thread_ids.slots);
    free(nesting);
}

static uint64_t clip(const struct wtl_nesting *nesting, uint64_t time_ns)
{
    if (time_ns < nesting->start_ns)
        return nesting->start_ns;
    return time_ns > nesting->end_ns ? nesting->end_ns : time_ns;
}

/* An instance counts if it has time, or at least its begin, within the window. */
static void count_instance(struct wtl_nesting *nesting, const struct entry *entry, uint64_t end_ns)
{
    if (end_ns >= nesting->start_ns && entry->begin_ns <= nesting->end_ns)
        nesting->names[entry->name].count++;
}

static int report_set(struct wtl_nesting *nesting,
                      enum wtl_nesting_set set,
                      uint32_t name,
                      uint64_t time_ns,
                      bool on)
{
    return nesting->tell ? nesting->tell(nesting->context, set, name, time_ns, on) : 0;
}

static int tell_instance(const struct wtl_nesting *nesting,
                         const struct thread *thread,
                         const struct entry *entry,
                         uint64_t end_ns)
{
    const struct wtl_nesting_instance instance = {.thread = thread->number,
                                                  .name = nesting->names[entry->name].name,
                                                  .depth = entry->depth,
                                                  .begin_ns = entry->own_begin_ns,
                                                  .end_ns = end_ns};
    return nesting->tell_instance ? nesting->tell_instance(nesting->context, &instance) : 0;
}

static int innermost(struct wtl_nesting *nesting, uint32_t name, uint64_t time_ns, bool on)
{
    struct wtl_nesting_name *of = &nesting->names[name];

    if (on ? of->innermost++ == 0 : --of->innermost == 0)
        return report_set(nesting, WTL_SET_INNERMOST, name, time_ns, on);
    return 0;
}

static int open_name(struct wtl_nesting *nesting, uint32_t name, uint64_t time_ns, bool on)
{
    struct wtl_nesting_name *of = &nesting->names[name];

    if (on ? of->open++ == 0 : --of->open == 0)
        return report_set(nesting, WTL_SET_OPEN, name, time_ns, on);
    return 0;
}

static int tagged(struct wtl_nesting *nesting, uint64_t time_ns, bool on)
{
    if (on ? nesting->tagged++ == 0 : --nesting->tagged == 0)
        return report_set(nesting, WTL_SET_TAGGED, 0, time_ns, on);
    return 0;
}

/* Position + 1 of the innermost instance of the name below `depth`, or 0. */
static size_t find(const struct wtl_nesting *nesting,
                   const struct thread *thread,
                   uint32_t name,
                   size_t depth)
{
    if (nesting->names[name].instances == 0)
        return 0; /* otherwise a deep stack of many names would be searched at every mark */
    while (depth > 0 && thread->stack[depth - 1].name != name)
        depth--;
    return depth;
}

static int begin(struct wtl_nesting *nesting,
                 struct thread *thread,
                 uint32_t name,
                 uint64_t time_ns)
{
    int rc;

    if (thread->depth >= WTL_NESTING_DEPTH || nesting->open >= WTL_NESTING_OPEN) {
        nesting->names[name].unbalanced++;
        return 0;
    }
    rc = wtl_reserve_zeroed(&thread->stack, &thread->room, thread->depth + 1,
                            sizeof(*thread->stack));
    if (rc < 0)
        return rc;
    bool inside = find(nesting, thread, name, thread->depth) > 0;
    bool first = thread->depth == 0;
    uint32_t outer = first ? name : thread->stack[thread->depth - 1].name;

    thread->stack[thread->depth] =
        (struct entry){.name = name,
                       .depth = first ? 0 : thread->stack[thread->depth - 1].depth + 1,
                       .begin_ns = time_ns,
                       .own_begin_ns = time_ns};
    thread->depth++;
    nesting->open++;
    nesting->names[name].instances++;
    if (first)
        rc = tagged(nesting, time_ns, true);
    if (rc == 0 && !inside)
        rc = open_name(nesting, name, time_ns, true);
    if (rc == 0 && (first || outer != name))
        rc = innermost(nesting, name, time_ns, true);
    if (rc == 0 && !first && outer != name)
        rc = innermost(nesting, outer, time_ns, false);
    return rc;
}

/* End the instance at a position of the stack. */
static int end_at(struct wtl_nesting *nesting, struct thread *thread, size_t at, uint64_t time_ns)
{
    struct entry gone = thread->stack[at];
    uint32_t top = thread->stack[thread->depth - 1].name;
    int rc = tell_instance(nesting, thread, &gone, time_ns);

    if (rc < 0)
        return rc;
    memmove(&thread->stack[at], &thread->stack[at + 1],
            (thread->depth - at - 1) * sizeof(*thread->stack));
    thread->depth--;
    nesting->open--;
    nesting->names[gone.name].instances--;
    count_instance(nesting, &gone, time_ns);
    if (find(nesting, thread, gone.name, thread->depth) == 0) {
        nesting->names[gone.name].thread_time_ns +=
            clip(nesting, time_ns) - clip(nesting, gone.begin_ns);
        rc = open_name(nesting, gone.name, time_ns, false);
    } else if (find(nesting, thread, gone.name, at) == 0) {
        /* The outermost instance of a recursion was closed first: the inner ones count from its begin. */
        thread->stack[find(nesting, thread, gone.name, thread->depth) - 1].begin_ns = gone.begin_ns;
    }
    if (rc == 0 && (thread->depth == 0 || thread->stack[thread->depth - 1].name != top)) {
        if (thread->depth)
            rc = innermost(nesting, thread->stack[thread->depth - 1].name, time_ns, true);
        if (rc == 0)
            rc = innermost(nesting, top, time_ns, false);
    }
    if (rc == 0 && thread->depth == 0)
        rc = tagged(nesting, time_ns, false);
    return rc;
}

static int end_all(struct wtl_nesting *nesting, struct thread *thread, uint64_t time_ns)
{
    int rc = 0;

    while (rc == 0 && thread->depth > 0) {
        nesting->names[thread->stack[thread->depth - 1].name].unbalanced++;
        rc = end_at(nesting, thread, thread->depth - 1, time_ns);
    }
    return rc;
}

static int end(struct wtl_nesting *nesting, struct thread *thread, uint32_t name, uint64_t time_ns)
{
    size_t at = find(nesting, thread, name, thread->depth);

    if (at == 0) {
        nesting->names[name].unbalanced++;
        return 0;
    }
    nesting->names[name].crossing += at != thread->depth;
    return end_at(nesting, thread, at - 1, time_ns);
}

int wtl_nesting_mark(struct wtl_nesting *nesting, const struct wtl_mark *mark)
{
    if (mark->time_ns < nesting->last_ns)
        return -EBADMSG;
    nesting->last_ns = mark->time_ns;
    if (mark->kind != WTL_MARK_BEGIN && mark->kind != WTL_MARK_END &&
        mark->kind != WTL_MARK_THREAD_END)
        return 0;
    int64_t at = wtl_id_map_index(&nesting->thread_ids, mark->thread);

    if (at < 0 || wtl_reserve_zeroed(&nesting->threads, &nesting->thread_room, (size_t)at + 1,
                                     sizeof(*nesting->threads)) < 0)
        return -ENOMEM;
    struct thread *thread = &nesting->threads[at];

    thread->number = mark->thread;
    if (mark->kind == WTL_MARK_THREAD_END)
        return end_all(nesting, thread, mark->time_ns);
    int64_t name = wtl_id_map_index(&nesting->name_ids, mark->name);

    if (name < 0 || wtl_reserve_zeroed(&nesting->names, &nesting->name_room, (size_t)name + 1,
                                       sizeof(*nesting->names)) < 0)
        return -ENOMEM;
    nesting->names[name].name = mark->name;
    return mark->kind == WTL_MARK_BEGIN ? begin(nesting, thread, (uint32_t)name, mark->time_ns)
                                        : end(nesting, thread, (uint32_t)name, mark->time_ns);
}

int wtl_nesting_finish(struct wtl_nesting *nesting)
{
    uint64_t time_ns = nesting->end_ns > nesting->last_ns ? nesting->end_ns : nesting->last_ns;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < nesting->thread_ids.count && i < nesting->thread_room; i++)
        rc = end_all(nesting, &nesting->threads[i], time_ns);
    return rc;
}

size_t wtl_nesting_count(const struct wtl_nesting *nesting)
{
    return nesting->name_ids.count;
}

const struct wtl_nesting_name *wtl_nesting_name(const struct wtl_nesting *nesting, size_t index)
{
    return index < nesting->name_ids.count ? &nesting->names[index] : NULL;
}
