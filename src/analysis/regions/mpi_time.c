/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/regions/mpi_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/regions/rank_devices.h"
#include "analysis/traces/results.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "model/meta_key.h"
#include "trace/own_event.h"
#include "trace/reader.h"

/* State of a rank so far; ranks are looked up by number. */
struct gather {
    struct wtl_mpi_time *mpi;
};

static struct wtl_mpi_rank *row_of(struct gather *gather, uint32_t rank)
{
    struct wtl_mpi_time *mpi = gather->mpi;
    /* Ranks are usually consecutive and in order. */
    for (size_t i = mpi->count; i > 0; i--)
        if (mpi->rows[i - 1].rank == rank)
            return &mpi->rows[i - 1];
    if (wtl_grow(&mpi->rows, mpi->count, sizeof *mpi->rows) < 0)
        return NULL;
    mpi->rows[mpi->count] = (struct wtl_mpi_rank){
        .rank = rank, .energy_j = NAN, .process = -1, .gpu_energy = wtl_energy_unknown()};
    return &mpi->rows[mpi->count++];
}

/* ---- from metadata: mpi.ranks, mpi.rank.R.time_ns, mpi.rank.R.calls ---- */

/* The part after "mpi.rank.R."; NULL = another key. */
static const char *rank_key(const char *key, uint32_t *ret_rank)
{
    char digits[12];
    uint64_t rank;
    const char *after = wtl_meta_after(key, WTL_META_RANKS);
    size_t n = after ? strspn(after, "0123456789") : 0;
    if (n == 0 || n >= sizeof digits || after[n] != '.')
        return NULL;
    (void)snprintf(digits, sizeof digits, "%.*s", (int)n, after);
    if (wtl_parse_u64(digits, &rank) < 0 || rank > INT32_MAX)
        return NULL;
    *ret_rank = (uint32_t)rank;
    return after + n + 1;
}

static int take_metadata(const struct wtl_trace_reader *reader, struct gather *gather)
{
    for (size_t i = 0; i < wtl_trace_reader_meta_count(reader); i++) {
        const char *key, *value, *what;
        uint64_t number;
        uint32_t rank;
        if (wtl_trace_reader_meta_at(reader, i, &key, &value) < 0 ||
            wtl_parse_u64(value, &number) < 0)
            continue;
        if (strcmp(key, WTL_META_MPI_RANKS) == 0 && number <= INT32_MAX)
            gather->mpi->ranks = (uint32_t)number;
        if (!(what = rank_key(key, &rank)))
            continue;
        struct wtl_mpi_rank *row = row_of(gather, rank);
        if (!row)
            return -ENOMEM;
        if (strcmp(what, "time_ns") == 0)
            row->time_s = (double)number * 1e-9;
        if (strcmp(what, "calls") == 0)
            row->calls = number;
        if (strcmp(what, "process") == 0)
            row->process = (int64_t)number;
    }
    return 0;
}

/* ---- from events ---- */

/* State of a process until all its events are read. */
struct process {
    uint64_t rank, time_ns, calls;
};

static void take_event(const struct wtl_trace_reader *reader,
                       const struct wtl_mark *mark,
                       struct process *processes,
                       struct wtl_mpi_time *mpi)
{
    const struct wtl_trace_thread *thread = wtl_trace_reader_thread(reader, mark->thread);
    if (!thread || thread->process >= wtl_trace_reader_process_count(reader))
        return;
    struct process *process = &processes[thread->process];
    if (mark->name == WTL_EVENT_MPI_RANK && mark->value <= INT32_MAX)
        process->rank = mark->value;
    else if (mark->name == WTL_EVENT_MPI_RANKS && mark->value <= INT32_MAX)
        mpi->ranks = (uint32_t)mark->value;
    else if (mark->name == WTL_EVENT_MPI_TIME_NS)
        process->time_ns = mark->value;
    else if (mark->name == WTL_EVENT_MPI_CALLS)
        process->calls = mark->value;
}

static int take_events(struct wtl_trace_reader *reader,
                       struct gather *gather,
                       struct wattle_error *err)
{
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    int rc = wtl_trace_reader_tables(reader, err);
    if (rc < 0)
        return rc;
    size_t count = wtl_trace_reader_process_count(reader);
    struct process *processes = malloc((count + 1) * sizeof *processes);
    if (!processes)
        return wtl_no_memory_for(err, "%zu processes", count);
    for (size_t i = 0; i < count; i++)
        processes[i] = (struct process){.rank = UINT64_MAX};
    rc = wtl_trace_marks_open(reader, WTL_ALL_THREADS, &marks, err);
    while (rc >= 0 && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0)
        if (mark.kind == WTL_MARK_EVENT && mark.name >= WTL_EVENT_OWN)
            take_event(reader, &mark, processes, gather->mpi);
    wtl_trace_marks_close(marks);
    for (size_t i = 0; rc >= 0 && i < count; i++) {
        struct wtl_mpi_rank *row;
        if (processes[i].rank == UINT64_MAX)
            continue;
        if (!(row = row_of(gather, (uint32_t)processes[i].rank))) {
            rc = wtl_no_memory_for(err, "%zu ranks", count);
            break;
        }
        row->time_s += (double)processes[i].time_ns * 1e-9; /* a rank that called exec has two */
        row->calls += processes[i].calls;
        row->process = (int64_t)i;
    }
    free(processes);
    return rc < 0 ? rc : 0;
}

/* ---- both sources ---- */

static int by_rank(const void *a, const void *b)
{
    const struct wtl_mpi_rank *one = a, *other = b;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

static void finish(struct wtl_mpi_time *mpi, const struct wtl_result *result)
{
    double window_s = result->wall_time_s;
    if (mpi->count)
        wtl_sort(mpi->rows, mpi->count, sizeof *mpi->rows, by_rank);
    for (size_t i = 0; i < mpi->count; i++) {
        struct wtl_mpi_rank *row = &mpi->rows[i];
        row->share = window_s > 0 ? row->time_s / window_s : NAN;
        row->energy_j = result->energy.j / (double)mpi->count * row->share;
        mpi->mean_share += row->share / (double)mpi->count;
    }
}

int wtl_mpi_time_read(const struct wtl_result *result,
                      struct wtl_mpi_time *ret,
                      struct wattle_error *err)
{
    struct wtl_mpi_time mpi = {.union_s = NAN, .energy = wtl_energy_unknown()};
    struct gather gather = {.mpi = &mpi};
    struct wtl_region_table table = {0};
    bool known = false;
    int rc = wtl_region_table_open(result, &table, err);
    for (size_t i = 0; rc == 0 && i < table.count; i++) {
        if (strcmp(table.rows[i].name, "MPI") != 0)
            continue;
        mpi.union_s = table.rows[i].union_s;
        mpi.energy = table.rows[i].inclusive;
        known = true;
    }
    if (rc == 0 && take_metadata(table.reader, &gather) < 0)
        rc = wtl_no_memory_for(err, "the ranks");
    if (rc == 0 && mpi.count == 0 && known)
        rc = take_events(table.reader, &gather, err);
    if (rc == 0)
        wtl_rank_devices(table.reader, result, mpi.rows, mpi.count);
    wtl_region_table_close(&table);
    if (rc < 0) {
        wtl_mpi_time_fini(&mpi);
        return rc;
    }
    finish(&mpi, result);
    *ret = mpi;
    return 0;
}

void wtl_mpi_time_fini(struct wtl_mpi_time *mpi)
{
    free(mpi->rows);
    *mpi = (struct wtl_mpi_time){0};
}
