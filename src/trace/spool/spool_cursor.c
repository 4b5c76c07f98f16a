/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the marks of one thread of a spool: run by run, in blocks, with times converted to CLOCK_MONOTONIC
 * using the clock pairs recorded by the thread. The file's contents are not trusted: unknown kinds are
 * skipped, and times are prevented from decreasing.
 */
#include "trace/spool/spool.h"

#include <errno.h>

#include "trace/spool/spool_index.h"

void wtl_spool_cursor_init(struct wtl_spool_cursor *cursor, struct wtl_spool *spool, size_t thread)
{
    cursor->spool = spool;
    cursor->thread = thread;
    cursor->run = 0;
    cursor->slot = 0;
    cursor->pair = 0;
    cursor->last_ns = 0;
    cursor->block_slot = cursor->block_count = 0;
}

/* The pair after pair i of a run: in the run, else the first of the thread's next run, else the reader's own. */
static const struct wtl_spool_pair *pair_after(const struct wtl_spool *spool,
                                               const struct wtl_spool_index_thread *thread,
                                               size_t run,
                                               size_t i)
{
    const struct wtl_spool_run *at = thread->runs[run];

    if (i + 1 < at->pair_count)
        return &at->pairs[i + 1].at;
    if (run + 1 < thread->run_count)
        return &thread->runs[run + 1]->pairs[0].at;
    return spool->has_now ? &spool->now : NULL;
}

static uint64_t to_ns(const struct wtl_spool_cursor *cursor,
                      const struct wtl_spool_index_thread *thread,
                      uint64_t t)
{
    const struct wtl_spool *spool = cursor->spool;
    const struct wtl_spool_pair *pair = &thread->runs[cursor->run]->pairs[cursor->pair].at;
    const struct wtl_spool_pair *next = pair_after(spool, thread, cursor->run, cursor->pair);
    double rate = spool->rate;
    double ns;

    if (spool->info.header.clock == WTL_SPOOL_MONOTONIC)
        return t + spool->shift_ns;
    if (next && next->time > pair->time && next->monotonic_ns >= pair->monotonic_ns)
        rate =
            (double)(next->monotonic_ns - pair->monotonic_ns) / (double)(next->time - pair->time);
    if (t <= pair->time) /* a record overtaken by a signal handler */
        return pair->monotonic_ns;
    ns = (double)(t - pair->time) * rate;
    /* Limit the effect of a bad time. */
    return ns < 0x1p62 ? pair->monotonic_ns + (uint64_t)ns : pair->monotonic_ns;
}

/* Read the record in a slot of the run, through the buffer: 1, 0 when the file ends before it, -errno. */
static int fetch(struct wtl_spool_cursor *cursor,
                 const struct wtl_spool_run *run,
                 uint32_t slot,
                 struct wtl_spool_record *ret)
{
    const size_t most = sizeof(cursor->block) / sizeof(cursor->block[0]);

    if (slot < cursor->block_slot || slot >= cursor->block_slot + cursor->block_count) {
        size_t wanted =
            run->end - slot < most ? run->end - slot : most; /* later ones may still change */
        ssize_t got = wtl_spool_read_at(cursor->spool, run->offset + slot * sizeof(*ret),
                                        cursor->block, wanted * sizeof(*ret));

        if (got < 0)
            return (int)got;
        cursor->block_slot = slot;
        cursor->block_count = (uint32_t)((size_t)got / sizeof(*ret));
        if (cursor->block_count == 0)
            return 0;
    }
    *ret = cursor->block[slot - cursor->block_slot];
    return 1;
}

/* The next written record of the thread's runs; 1, 0 at the end, -errno. */
static int next_record(struct wtl_spool_cursor *cursor,
                       const struct wtl_spool_index_thread *thread,
                       struct wtl_spool_record *ret,
                       struct wtl_spool_record *ret_value)
{
    while (cursor->run < thread->run_count) {
        const struct wtl_spool_run *run = thread->runs[cursor->run];
        struct wtl_spool_record record, value = {0, 0};
        int rc;

        if (cursor->slot < run->begin)
            cursor->slot = run->begin;
        if (cursor->slot >= run->end) {
            if (cursor->run + 1 == thread->run_count)
                break; /* it may be continued */
            cursor->run++;
            cursor->slot = 0;
            cursor->pair = 0;
            cursor->block_count = 0;
            continue;
        }
        rc = fetch(cursor, run, cursor->slot, &record);
        if (rc > 0 && cursor->slot + 1 < run->end)
            rc = fetch(cursor, run, cursor->slot + 1, &value);
        if (rc < 0)
            return rc;
        if (rc == 0) { /* the file has been truncated since it was opened */
            cursor->slot = run->end;
            continue;
        }
        if (wtl_spool_kind_of(&record) == 0 && cursor->spool->live) {
            cursor->block_count = 0; /* a stretch that is just becoming a region */
            return 0;
        }
        cursor->slot++;
        if (wtl_spool_kind_of(&record) == 0)
            continue;
        *ret = record;
        *ret_value = value;
        return 1;
    }
    return 0;
}

/* A clock pair has been passed: use the run's last one at or before this slot. */
static void pass_pair(struct wtl_spool_cursor *cursor, const struct wtl_spool_index_thread *thread)
{
    const struct wtl_spool_run *run = thread->runs[cursor->run];

    while (cursor->pair + 1 < run->pair_count && run->pairs[cursor->pair + 1].slot < cursor->slot)
        cursor->pair++;
}

/* Of a record that is a mark. */
static enum wtl_mark_kind mark_kind(enum wtl_spool_kind kind)
{
    static const enum wtl_mark_kind marks[] = {
        [WTL_SPOOL_BEGIN] = WTL_MARK_BEGIN,
        [WTL_SPOOL_END] = WTL_MARK_END,
        [WTL_SPOOL_EVENT] = WTL_MARK_EVENT,
        [WTL_SPOOL_MAYBE] = WTL_MARK_BEGIN,
        [WTL_SPOOL_DETAIL] = (enum wtl_mark_kind)WATTLE_TASK_DETAIL,
        [WTL_SPOOL_COUNTER] = (enum wtl_mark_kind)WATTLE_TASK_COUNTER,
        [WTL_SPOOL_THREAD_END] = WTL_MARK_THREAD_END};
    return wtl_mark_is_task(kind) ? (enum wtl_mark_kind)kind : marks[kind];
}

static bool has_value(enum wtl_spool_kind kind)
{
    return wtl_spool_is_short(kind) || (wtl_spool_is_two(kind) && !wtl_spool_is_pair(kind));
}

/* When it was; 0 = a detail of no mark. */
static uint64_t time_of(struct wtl_spool_cursor *cursor,
                        const struct wtl_spool_index_thread *thread,
                        const struct wtl_spool_record *record,
                        const struct wtl_spool_record *value)
{
    enum wtl_spool_kind kind = wtl_spool_kind_of(record);

    if (wtl_spool_is_short(kind))
        return cursor->last_ns;
    return kind == WTL_SPOOL_THREAD_END ? value->time + cursor->spool->shift_ns
                                        : to_ns(cursor, thread, record->time);
}

int wtl_spool_next(struct wtl_spool_cursor *cursor, struct wtl_mark *ret_mark)
{
    const struct wtl_spool_index_thread *thread = &cursor->spool->threads[cursor->thread];
    struct wtl_spool_record record, value;
    int rc;

    if (cursor->thread >= cursor->spool->thread_count)
        return 0;
    while ((rc = next_record(cursor, thread, &record, &value)) > 0) {
        enum wtl_spool_kind kind = wtl_spool_kind_of(&record);
        bool whole = wtl_spool_kind_of(&value) == WTL_SPOOL_VALUE;

        if (wtl_spool_is_pair(kind) && whole)
            pass_pair(cursor, thread);
        cursor->slot += wtl_spool_is_two(kind) && whole;
        if (wtl_spool_is_two(kind) && !whole)
            continue;
        if (!wtl_spool_is_mark(kind) && kind != WTL_SPOOL_THREAD_END)
            continue;
        uint64_t ns = time_of(cursor, thread, &record, &value);

        if (wtl_spool_is_short(kind) && ns == 0)
            continue;
        if (wtl_spool_is_short(kind))
            value = record;
        cursor->last_ns = ns > cursor->last_ns ? ns : cursor->last_ns;
        *ret_mark = (struct wtl_mark){.time_ns = cursor->last_ns,
                                      .value = has_value(kind) ? value.time : 0,
                                      .thread = (uint32_t)cursor->thread,
                                      .name = (uint32_t)record.what,
                                      .kind = mark_kind(kind)};
        return 1;
    }
    return rc;
}
