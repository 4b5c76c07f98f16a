/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact regions from their events: two threads, two names, waits skipped, an unknown one, and
 * unrelated events. */
#include "analysis/regions/exact_rows.h"

#include <math.h>

#include "tap.h"
#include "trace/writer.h"

enum { MARKS = 32 };

struct script {
    struct wtl_trace_writer *writer;
    struct wtl_mark marks[MARKS];
    size_t count;
    uint64_t time_ns;
    uint32_t wait;
};

static void put(struct script *s,
                uint32_t thread,
                enum wtl_mark_kind kind,
                uint32_t name,
                uint64_t value)
{
    s->marks[s->count++] = (struct wtl_mark){.time_ns = s->time_ns += 1000,
                                             .thread = thread,
                                             .kind = kind,
                                             .name = name,
                                             .value = value};
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void events(struct script *s,
                   uint32_t thread,
                   uint64_t wait_ns,
                   double energy_j,
                   double half_j)
{
    put(s, thread, WTL_MARK_EVENT, WTL_EVENT_EXACT_WAIT_NS, wait_ns);
    put(s, thread, WTL_MARK_EVENT, WTL_EVENT_EXACT_ENERGY_J, bits_of(energy_j));
    put(s, thread, WTL_MARK_EVENT, WTL_EVENT_EXACT_HALF_J, bits_of(half_j));
}

static void visit(struct script *s, uint32_t thread, uint32_t name, double energy_j, double half_j)
{
    put(s, thread, WTL_MARK_BEGIN, name, 0);
    put(s, thread, WTL_MARK_END, name, 0);
    put(s, thread, WTL_MARK_BEGIN, s->wait, 0);
    put(s, thread, WTL_MARK_END, s->wait, 0);
    events(s, thread, 5000000, energy_j, half_j);
}

static bool write_trace(const char *path)
{
    struct wtl_trace_options force = {.force = true};
    struct script s = {.time_ns = 1000000000};
    if (wtl_trace_writer_create(path, &force, &s.writer, NULL) < 0)
        return false;
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "x"};
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(s.writer, &process), .tid = 1, .name = ""};
    uint32_t one = (uint32_t)wtl_trace_writer_thread(s.writer, &thread);
    thread.tid = 2;
    uint32_t two = (uint32_t)wtl_trace_writer_thread(s.writer, &thread);
    uint32_t solve = (uint32_t)wtl_trace_writer_string(s.writer, "solve");
    uint32_t load = (uint32_t)wtl_trace_writer_string(s.writer, "load");
    s.wait = (uint32_t)wtl_trace_writer_string(s.writer, WTL_EXACT_WAIT);
    events(&s, two, 1, 99, 99); /* before any region has ended there */
    visit(&s, one, solve, 2.5, 0.25);
    visit(&s, two, load, NAN, NAN);
    visit(&s, one, solve, 3.5, 0.5);
    bool good = wtl_trace_writer_marks(s.writer, s.marks, s.count) == 0;
    return wtl_trace_writer_finish(s.writer, NULL) == 0 && good;
}

int main(void)
{
    static const char *const names[] = {"", "load", "solve", WTL_EXACT_WAIT};
    struct wtl_exact_sum sums[4];
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    if (!ok(write_trace("exact_rows.wtl"), "a trace") ||
        !is_int(wtl_trace_reader_open("exact_rows.wtl", &reader, &err), 0, "opens %s", err.text))
        return done_testing();
    is_int(wtl_exact_sums(reader, names, 4, sums, &err), 0, "read %s", err.text);
    is_int((long long)wtl_exact_count(&sums[2]), 2, "solve: two visits");
    is_double(wtl_exact_energy(&sums[2]).j, 6, 0, "their energy");
    is_double(wtl_exact_energy(&sums[2]).half_j, 0.75, 0, "half widths add up whole");
    is_double(sums[2].wait_s, 0.01, 1e-12, "waits, too");
    is_int((long long)wtl_exact_count(&sums[1]), 1, "load: one");
    ok(isnan(wtl_exact_energy(&sums[1]).j), "of unknown energy");
    ok(wtl_exact_count(&sums[0]) == 0 && wtl_exact_count(&sums[3]) == 0, "nothing else");
    is_int(wtl_exact_sums(reader, names, 0, sums, &err), 0, "no names at all");
    wtl_trace_reader_close(reader);
    return done_testing();
}
