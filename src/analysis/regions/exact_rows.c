/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact regions of a trace by name: see exact_rows.h. On each thread the events come after the end
 * of the region and that of the wait. */
#include "analysis/regions/exact_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "trace/own_event.h"

/* A thread: the region that ended last (except waits), and what events have reported since. */
struct told {
    uint32_t name; /* 0 = none */
    double wait_s, energy_j;
};

struct sums {
    struct wtl_trace_reader *reader;
    const char *const *names;
    size_t count;
    struct wtl_exact_sum *sums;
    struct told *threads;
    size_t thread_count;
};

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct told *thread_of(struct sums *s, uint32_t thread)
{
    return thread < s->thread_count ? &s->threads[thread] : NULL;
}

static void add_visit(struct sums *s, const struct told *told, double half_j)
{
    struct wtl_energy visit = wtl_energy_unknown();
    visit.j = told->energy_j;
    visit.half_j = half_j;
    const char *name = told->name ? wtl_trace_reader_string(s->reader, told->name) : NULL;
    for (size_t i = 0; name && i < s->count; i++) {
        if (strcmp(s->names[i], name) != 0)
            continue;
        wtl_energy_add(&s->sums[i].visits, &visit);
        s->sums[i].wait_s += told->wait_s;
        return;
    }
}

static void read_mark(struct sums *s, const struct wtl_mark *mark)
{
    struct told *told = thread_of(s, mark->thread);
    if (!told)
        return; /* a thread missing from the table: damage */
    if (mark->kind == WTL_MARK_END) {
        const char *name = wtl_trace_reader_string(s->reader, mark->name);
        if (name && strcmp(name, WTL_EXACT_WAIT) != 0)
            told->name = mark->name;
    } else if (mark->kind == WTL_MARK_EVENT && mark->name == WTL_EVENT_EXACT_WAIT_NS) {
        told->wait_s = (double)mark->value * 1e-9;
    } else if (mark->kind == WTL_MARK_EVENT && mark->name == WTL_EVENT_EXACT_ENERGY_J) {
        told->energy_j = double_of(mark->value);
    } else if (mark->kind == WTL_MARK_EVENT && mark->name == WTL_EVENT_EXACT_HALF_J) {
        add_visit(s, told, double_of(mark->value));
        *told = (struct told){0};
    }
}

static int take_all(struct sums *s, struct wattle_error *err)
{
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    int rc = wtl_trace_marks_open(s->reader, WTL_ALL_THREADS, &marks, err);
    if (rc < 0)
        return rc;
    while ((rc = wtl_trace_marks_next(marks, &mark, err)) == 1)
        read_mark(s, &mark);
    wtl_trace_marks_close(marks);
    return rc;
}

size_t wtl_exact_count(const struct wtl_exact_sum *sum)
{
    return sum->visits.known + sum->visits.unknown;
}

struct wtl_energy wtl_exact_energy(const struct wtl_exact_sum *sum)
{
    return wtl_energy_sum_of(&sum->visits, true);
}

int wtl_exact_sums(struct wtl_trace_reader *reader,
                   const char *const *names,
                   size_t count,
                   struct wtl_exact_sum *ret_sums,
                   struct wattle_error *err)
{
    struct sums s = {.reader = reader, .names = names, .count = count, .sums = ret_sums};
    memset(ret_sums, 0, count * sizeof *ret_sums);
    int rc = wtl_trace_reader_tables(reader, err);
    if (rc < 0)
        return rc;
    s.thread_count = wtl_trace_reader_thread_count(reader);
    struct told *threads = calloc(s.thread_count + 1, sizeof *threads);
    if (!threads)
        return wtl_no_memory_for(err, "%zu threads", s.thread_count);
    s.threads = threads;
    rc = take_all(&s, err);
    free(threads);
    return rc;
}
