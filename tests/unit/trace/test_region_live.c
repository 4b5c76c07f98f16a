/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Region energies computed during a run: whatever the order of events, the footer has the same
 * bytes as one that is made from the finished file.
 */
#define _GNU_SOURCE
#include "trace/blocks/bytes.h"
#include "trace_fixture.h"

#define PATH "region_live.wtl"
#define ROWS 6000

struct run {
    const char *name;
    size_t first;     /* row at which marks begin */
    size_t lag;       /* rows by which marks come later than the rows of their time */
    bool late;        /* one mark comes later than was promised */
    bool no_window;   /* its borders are not recorded */
    bool after_end;   /* marks continue after the window's end */
    bool edges, gaps; /* there are such */
    bool live;        /* wanted: computed as it went, to the end */
};

static const struct run runs[] = {
    {.name = "at once", .lag = 1, .live = true},
    {.name = "marks lag behind", .lag = 200, .live = true},
    {.name = "regions begin late", .first = 3000, .lag = 50, .live = true},
    {.name = "edges and gaps", .lag = 50, .edges = true, .gaps = true, .live = true},
    {.name = "marks behind the window", .lag = 50, .after_end = true, .live = true},
    {.name = "a mark comes late", .lag = 50, .late = true},
    {.name = "no window", .lag = 50, .no_window = true},
};

static const struct fixture shape = {.period_ns = 1000000, .rows = ROWS};

struct state {
    struct wtl_trace_writer *w;
    const struct run *run;
    uint64_t random, marked_ns;
    uint32_t threads[2], names[3];
    unsigned depth[2];
    int group, edge_group;
    bool good;
};

/* Random regions of two threads, about three per hundred milliseconds, up to a time. */
static void give_marks(struct state *s, uint64_t until_ns)
{
    struct wtl_mark mark = {.time_ns = s->marked_ns};
    while ((mark.time_ns += noise(&s->random) % 33000000) < until_ns) {
        unsigned t = noise(&s->random) % 2;
        bool end = s->depth[t] > 0 && noise(&s->random) % 2;
        mark.thread = s->threads[t];
        mark.name = s->names[noise(&s->random) % 3]; /* they cross, too */
        mark.kind = end ? WTL_MARK_END : WTL_MARK_BEGIN;
        if (noise(&s->random) % 16 == 0)
            mark.kind = WTL_MARK_EVENT;
        s->depth[t] += mark.kind == WTL_MARK_BEGIN ? 1 : end ? -1u : 0;
        s->good = wtl_trace_writer_marks(s->w, &mark, 1) == 0 && s->good;
    }
    s->marked_ns = until_ns;
    wtl_trace_writer_marked(s->w, until_ns);
}

static void make_names(struct state *s)
{
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "a.out"};
    struct wtl_trace_thread thread = {.name = ""};
    static const char *const names[] = {"solve", "exchange", "output"};
    thread.process = (uint32_t)wtl_trace_writer_process(s->w, &process);
    for (unsigned t = 0; t < 2; t++)
        s->threads[t] = (uint32_t)wtl_trace_writer_thread(s->w, &thread);
    for (unsigned n = 0; n < 3; n++)
        s->names[n] = (uint32_t)wtl_trace_writer_string(s->w, names[n]);
}

static void give_row(struct state *s, size_t row)
{
    uint64_t value = truth_value(&shape, 0, row);
    if (s->run->edges && row % 500 < 3)
        s->good = wtl_trace_writer_row(s->w, (uint32_t)s->edge_group,
                                       truth_time(&shape, row) - 1000, &value, NULL) == 0 &&
                  s->good;
    if (s->run->gaps && row % 700 == 699) {
        struct wtl_gap gap = {.channel = (uint32_t)(row % 2),
                              .reason = row % 3 ? WTL_GAP_LOST_WRAP : WTL_GAP_READ_FAILED,
                              .begin_ns = truth_time(&shape, row - 1),
                              .end_ns = truth_time(&shape, row)};
        s->good = wtl_trace_writer_gap(s->w, &gap) == 0 && s->good;
    }
    fixture_row(s->w, &shape, s->group, row);
}

static void give_all(struct state *s)
{
    const struct run *run = s->run;
    size_t last = ROWS - (run->after_end ? 500 : 2);
    for (size_t row = 0; row < ROWS; row++) {
        if (row == 100 && !run->no_window)
            wtl_trace_writer_window_begin(s->w, truth_time(&shape, row) - 1);
        if (row == last && !run->no_window)
            wtl_trace_writer_window_end(s->w, truth_time(&shape, row) - 1);
        give_row(s, row);
        wtl_trace_writer_poll(s->w, truth_time(&shape, row));
        if (row < run->first || row < 100 || row % 50 || row >= last)
            continue;
        if (s->marked_ns == 0) {
            s->marked_ns = truth_time(&shape, row - run->lag);
            wtl_trace_writer_marked(s->w, s->marked_ns);
            make_names(s);
        }
        give_marks(s, truth_time(&shape, row - run->lag));
    }
    if (run->late) {
        struct wtl_mark mark = {.time_ns = truth_time(&shape, 2000),
                                .thread = s->threads[0],
                                .name = s->names[0],
                                .kind = WTL_MARK_END};
        s->good = wtl_trace_writer_marks(s->w, &mark, 1) == 0 && s->good;
    }
    give_marks(s, truth_time(&shape, ROWS));
}

static void check(const struct run *run)
{
    static const struct wtl_trace_options force = {.force = true};
    struct state s = {.run = run, .random = 88172645463325252u, .good = true};
    struct wtl_trace_writer_status status;
    if (!ok(wtl_trace_writer_create(PATH, &force, &s.w, NULL) == 0, "%s", run->name))
        return;
    s.group = fixture_begin(s.w, &shape);
    uint32_t package = 0;
    s.edge_group = wtl_trace_writer_group(s.w, &package, 1, WTL_GROUP_EDGE);
    give_all(&s);
    ok(s.good, "all of it is taken");
    wtl_trace_writer_status(s.w, &status);
    is_int(status.regions_live, run->live, "computed as it went");
    is_int(wtl_trace_writer_finish(s.w, NULL), 0, "finished");

    struct wtl_trace_reader *r;
    const struct wtl_region_summary *regions;
    if (!ok(wtl_trace_reader_open(PATH, &r, NULL) == 0, "opened"))
        return;
    is_int(wtl_trace_reader_regions(r, &regions, NULL), 4, "three regions and untagged");
    ok(regions[1].count > 10 && isfinite(regions[1].inclusive[2].j), "%s has energy",
       regions[1].name);
    wtl_trace_reader_close(r);

    size_t size, again_size;
    uint8_t *data = slurp(PATH, &size);
    uint64_t index = wtl_load_u64(data + size - 16);
    is_int(truncate(PATH, (off_t)index), 0, "its end is cut off");
    is_int(wtl_trace_repair(PATH, NULL, NULL), 0, "and added again");
    uint8_t *again = slurp(PATH, &again_size);
    ok(size == again_size && memcmp(data, again, size) == 0, "%s: the same bytes", run->name);
    free(data);
    free(again);
    unlink(PATH);
}

int main(void)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        check(&runs[i]);
    return done_testing();
}
