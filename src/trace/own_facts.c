/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts wattle's own events to metadata: see own_facts.h. */
#define _GNU_SOURCE
#include "trace/own_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"
#include "model/meta_key.h"
#include "trace/own_event.h"

enum { THREADS_MAX = 1 << 24 };
static const uint32_t NO_PROCESS = UINT32_MAX;

struct sync_point {
    uint64_t time_ns, offset_ns, error_ns, reference;
    uint32_t thread;
    bool has_error, has_reference;
};

struct mpi_process {
    uint32_t process;
    bool has_rank, has_time, has_calls;
    uint64_t rank, time_ns, calls;
};

void wtl_own_facts_fini(struct wtl_own_facts *facts)
{
    free(facts->threads.items);
    free(facts->syncs.items);
    free(facts->processes.items);
    *facts = (struct wtl_own_facts){0};
}

int wtl_own_facts_threads(struct wtl_own_facts *facts, struct wtl_cursor payload)
{
    struct wtl_cursor record;
    while (wtl_record_next(&payload, &record) > 0) {
        uint32_t id = wtl_cursor_u32(&record), process = wtl_cursor_u32(&record);
        if (record.failed || id >= THREADS_MAX)
            continue;
        while (facts->threads.count <= id) {
            uint32_t *slot = (uint32_t *)wtl_list_add(&facts->threads, sizeof *slot);
            if (!slot)
                return -ENOMEM;
            *slot = NO_PROCESS;
        }
        ((uint32_t *)facts->threads.items)[id] = process;
    }
    return 0;
}

/* ---- clocks ---- */

/* The last point of a thread. */
static struct sync_point *last_of(struct wtl_own_facts *facts, uint32_t thread)
{
    struct sync_point *points = (struct sync_point *)facts->syncs.items;
    for (size_t i = facts->syncs.count; i > 0; i--)
        if (points[i - 1].thread == thread)
            return &points[i - 1];
    return NULL;
}

static int take_sync(struct wtl_own_facts *facts, const struct wtl_mark *mark)
{
    struct sync_point *point;
    if (mark->name == WTL_EVENT_SYNC_OFFSET) {
        point = (struct sync_point *)wtl_list_add(&facts->syncs, sizeof *point);
        if (!point)
            return -ENOMEM;
        *point = (struct sync_point){
            .time_ns = mark->time_ns, .offset_ns = mark->value, .thread = mark->thread};
        return 0;
    }
    point = last_of(facts, mark->thread);
    if (point && mark->name == WTL_EVENT_SYNC_ERROR && !point->has_error) {
        point->error_ns = mark->value;
        point->has_error = true;
    } else if (point && mark->name == WTL_EVENT_SYNC_REFERENCE && !point->has_reference) {
        point->reference = mark->value;
        point->has_reference = true;
    }
    return 0;
}

/* ---- MPI ---- */

static struct mpi_process *process_of(struct wtl_own_facts *facts, uint32_t thread)
{
    struct mpi_process *all = (struct mpi_process *)facts->processes.items;
    uint32_t process = thread < facts->threads.count
                           ? ((const uint32_t *)facts->threads.items)[thread]
                           : (uint32_t)NO_PROCESS;
    for (size_t i = 0; i < facts->processes.count; i++)
        if (all[i].process == process)
            return &all[i];
    all = (struct mpi_process *)wtl_list_add(&facts->processes, sizeof *all);
    if (all)
        *all = (struct mpi_process){.process = process};
    return all;
}

static int take_mpi(struct wtl_own_facts *facts, const struct wtl_mark *mark)
{
    struct mpi_process *process = process_of(facts, mark->thread);
    if (!process)
        return -ENOMEM;
    if (mark->name == WTL_EVENT_MPI_RANK) {
        process->rank = mark->value;
        process->has_rank = mark->value <= INT32_MAX;
    } else if (mark->name == WTL_EVENT_MPI_RANKS) {
        facts->ranks = mark->value > facts->ranks ? mark->value : facts->ranks;
    } else if (mark->name == WTL_EVENT_MPI_TIME_NS) {
        process->time_ns = mark->value;
        process->has_time = true;
    } else {
        process->calls = mark->value;
        process->has_calls = true;
    }
    return 0;
}

int wtl_own_facts_events(struct wtl_own_facts *facts, const struct wtl_mark *marks, size_t n)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (marks[i].kind != WTL_MARK_EVENT)
            continue;
        if (marks[i].name >= WTL_EVENT_SYNC_OFFSET && marks[i].name <= WTL_EVENT_SYNC_REFERENCE)
            rc = take_sync(facts, &marks[i]);
        else if (marks[i].name >= WTL_EVENT_MPI_RANK && marks[i].name <= WTL_EVENT_MPI_CALLS)
            rc = take_mpi(facts, &marks[i]);
    }
    return rc;
}

/* ---- metadata ---- */

struct putting {
    const struct wtl_tables *tables;
    struct wtl_bytes *records;
};

static void put_fact(const struct putting *to, const char *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_fact(const struct putting *to, const char *value, const char *format, ...)
{
    char key[64];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(key, sizeof key, format, args);
    va_end(args);
    const struct wtl_meta *meta = wtl_tables_find_meta(to->tables, key);
    if (!meta || strcmp(meta->value, value) != 0)
        wtl_record_put(to->records, WTL_BLOCK_METADATA, 0,
                       &(struct wtl_meta){.key = key, .value = value});
}

static const char *number(char buf[24], uint64_t value)
{
    (void)snprintf(buf, 24, "%" PRIu64, value);
    return buf;
}

static int compare_points(const void *a, const void *b)
{
    const struct sync_point *x = (const struct sync_point *)a;
    const struct sync_point *y = (const struct sync_point *)b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static void put_point(const struct putting *to, size_t n, const struct sync_point *point)
{
    char buf[24];
    put_fact(to, number(buf, point->time_ns), "sync.%zu.time_ns", n);
    (void)snprintf(buf, sizeof buf, "%" PRId64, (int64_t)point->offset_ns);
    put_fact(to, buf, "sync.%zu.offset_ns", n);
    if (point->has_error)
        put_fact(to, number(buf, point->error_ns), "sync.%zu.error_ns", n);
    (void)snprintf(buf, sizeof buf, "%016" PRIx64, point->reference);
    if (point->has_reference)
        put_fact(to, buf, "sync.%zu.reference", n);
}

static void put_syncs(const struct wtl_own_facts *facts, const struct putting *to)
{
    size_t count = facts->syncs.count, written = 0;
    struct sync_point *points = malloc((count + 1) * sizeof *points);
    if (!points) {
        to->records->failed = true;
        return;
    }
    if (count) {
        memcpy(points, facts->syncs.items, count * sizeof *points);
        wtl_sort(points, count, sizeof *points, compare_points);
    }
    for (size_t i = 0; i < count; i++)
        if (i < WTL_OWN_SYNCS_MAX / 2 || count - i <= WTL_OWN_SYNCS_MAX / 2)
            put_point(to, written++, &points[i]);
    free(points);
}

void wtl_own_facts_put(const struct wtl_own_facts *facts,
                       const struct wtl_tables *tables,
                       struct wtl_bytes *records)
{
    const struct putting to = {.tables = tables, .records = records};
    const struct mpi_process *all = (const struct mpi_process *)facts->processes.items;
    char buf[24];
    put_syncs(facts, &to);
    if (facts->ranks > 0)
        put_fact(&to, number(buf, facts->ranks), WTL_META_MPI_RANKS);
    for (size_t i = 0; i < facts->processes.count && i < WTL_OWN_RANKS_MAX; i++) {
        if (!all[i].has_rank)
            continue;
        put_fact(&to, number(buf, all[i].process), WTL_META_RANKS "%" PRIu64 ".process",
                 all[i].rank);
        if (all[i].has_time)
            put_fact(&to, number(buf, all[i].time_ns), WTL_META_RANKS "%" PRIu64 ".time_ns",
                     all[i].rank);
        if (all[i].has_calls)
            put_fact(&to, number(buf, all[i].calls), WTL_META_RANKS "%" PRIu64 ".calls",
                     all[i].rank);
    }
}
