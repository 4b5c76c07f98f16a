/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer: what is written is read back, misuse is refused, a full disk loses only what comes
 * after it, memory stays constant. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>

#include "trace_fixture.h"

static void test_round_trip(void)
{
    static const struct {
        int line;
        struct fixture f;
    } table[] = {
        {__LINE__, {.period_ns = 1000000, .rows = 5000}},
        {__LINE__, {.period_ns = 100000000, .rows = 60}},
        {__LINE__, {.period_ns = 1000000, .rows = 3000, .missing_every = 10}},
        {__LINE__, {.period_ns = 1000000, .rows = 3000, .missing_every = 2, .regions = true}},
        {__LINE__, {.period_ns = 100000, .rows = 20000, .regions = true}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct fixture *f = &table[i].f;
        struct wtl_trace_reader *r = NULL;
        struct wtl_trace_reader_status status;
        tap_line = table[i].line;
        is_int(fixture_write("round.wtl", f), 0, "written");
        if (!is_int(wtl_trace_reader_open("round.wtl", &r, NULL), 0, "opens"))
            continue;
        wtl_trace_reader_status(r, &status);
        ok(status.has_footer, "has a footer");
        is_int(status.damaged, 0, "nothing damaged");
        struct reading got = read_rows(r, f);
        is_int(got.right, f->rows, "every row comes out as it went in");
        is_int(got.wrong, 0, "and none otherwise");
        wtl_trace_reader_close(r);
    }
    tap_line = 0;
}

static void test_create(void)
{
    struct wtl_trace_writer *w = NULL;
    struct wattle_error err = {""};
    spill("there.wtl", "x", 1);
    is_int(wtl_trace_writer_create("there.wtl", NULL, &w, &err), -EEXIST, "nothing is overwritten");
    ok(strstr(err.text, "--force") != NULL, "and the remedy is named: %s", err.text);
    is_int(wtl_trace_writer_create("no/such/folder.wtl", NULL, &w, &err), -ENOENT, "no folder");
    ok(w == NULL, "no writer is returned");
    struct wtl_trace_options force = {.force = true};
    is_int(wtl_trace_writer_create("/dev/full", &force, &w, &err), -EINVAL, "not a regular file");
    is_int(wtl_trace_writer_create("there.wtl", &force, &w, &err), 0, "force replaces");
    struct wtl_trace_writer *second = NULL;
    is_int(wtl_trace_writer_create("there.wtl", &force, &second, &err), -EBUSY,
           "but not under another writer");
    is_int(wtl_trace_repair("there.wtl", NULL, &err), -EBUSY, "nor is a live trace repaired");
    wtl_trace_writer_abandon(w);
}

static void test_misuse(void)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    const struct fixture f = {.period_ns = 1000000, .rows = 10};
    struct wattle_channel channel =
        fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 61e-6);
    uint64_t values[3] = {1, 2, 3};
    uint32_t ids[3] = {0, 1, 99};
    wtl_trace_writer_create("misuse.wtl", &force, &w, NULL);
    int group = fixture_begin(w, &f);
    is_int(wtl_trace_writer_channel(w, &channel), -EINVAL, "a channel's name is taken once");
    channel.name[0] = 'g';
    channel.scale = 0;
    is_int(wtl_trace_writer_channel(w, &channel), -EINVAL, "scale must be above 0");
    is_int(wtl_trace_writer_group(w, ids, 3, 0), -EINVAL, "a group of unknown channels");
    is_int(wtl_trace_writer_group(w, ids, 2, WTL_GROUP_EDGE), -EINVAL, "edges of two channels");
    is_int(wtl_trace_writer_group(w, ids, 0, 0), -EINVAL, "an empty group");
    is_int(wtl_trace_writer_row(w, 7, START_NS, values, NULL), -EINVAL, "an unknown group");
    is_int(wtl_trace_writer_row(w, (uint32_t)group, START_NS, values, NULL), 0, "a row");
    is_int(wtl_trace_writer_row(w, (uint32_t)group, START_NS - 1, values, NULL), -EINVAL,
           "a row back in time");
    is_int(wtl_trace_writer_origin(w, 0, 5), -EINVAL, "an origin twice");
    is_int(wtl_trace_writer_window_end(w, START_NS), -EINVAL, "an end without a start");
    is_int(wtl_trace_writer_window_begin(w, START_NS), 0, "a start");
    is_int(wtl_trace_writer_window_begin(w, START_NS), -EINVAL, "and a second one");
    struct wtl_gap gap = {.channel = 50};
    is_int(wtl_trace_writer_gap(w, &gap), -EINVAL, "a gap of an unknown channel");
    struct wtl_mark mark = {.time_ns = START_NS, .thread = 3, .name = 1};
    is_int(wtl_trace_writer_marks(w, &mark, 1), -EINVAL, "a mark of an unknown thread");
    is_int(wtl_trace_writer_string(w, "a"), 1, "strings are numbered from 1");
    is_int(wtl_trace_writer_string(w, "b"), 2, "each anew");
    is_int(wtl_trace_writer_string(w, "a"), 1, "the same text the same");
    is_int(wtl_trace_writer_finish(w, NULL), 0, "and it finishes");
}

/* RLIMIT_FSIZE makes write(2) fail in the middle of a block, like a full disk. */
static void test_full_disk(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 20000};
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_trace_writer_status status;
    struct wattle_error err = {""};
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    wtl_trace_writer_create("full.wtl", &force, &w, NULL);
    limit = before;
    limit.rlim_cur = 20000;
    setrlimit(RLIMIT_FSIZE, &limit);
    int group = fixture_begin(w, &f), failures = 0;
    for (size_t row = 0; row < f.rows; row++) {
        uint64_t values[3] = {truth_value(&f, 0, row), truth_value(&f, 1, row),
                              truth_value(&f, 2, row)};
        failures += wtl_trace_writer_row(w, (uint32_t)group, truth_time(&f, row), values, NULL) < 0;
    }
    wtl_trace_writer_status(w, &status);
    is_int(failures, 1, "a failed write is told once");
    is_int(status.error, -EFBIG, "and kept");
    ok(status.rows > 0 && status.rows + status.dropped_rows == f.rows,
       "each row is either written or counted as dropped: %" PRIu64 " + %" PRIu64, status.rows,
       status.dropped_rows);
    uint64_t written = status.rows;
    is_int(wtl_trace_writer_finish(w, &err), -EFBIG, "finish says it again");
    ok(strstr(err.text, "wattle repair") != NULL, "with the remedy: %s", err.text);
    setrlimit(RLIMIT_FSIZE, &before);
    struct wtl_trace_reader *r;
    if (is_int(wtl_trace_reader_open("full.wtl", &r, NULL), 0, "what is there opens")) {
        struct wtl_trace_reader_status read;
        wtl_trace_reader_status(r, &read);
        ok(!read.cut_off && read.damaged == 0, "no half block is left");
        struct reading got = read_rows(r, &f);
        is_int(got.right, written, "and holds the rows that were written");
        wtl_trace_reader_close(r);
    }
    is_int(wtl_trace_repair("full.wtl", NULL, &err), 0, "with space it is repaired");
}

/* Polls of a counter between its common rows must be written in time order. */
static void test_edges(void)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wattle_channel channel =
        fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 61e-6);
    wtl_trace_writer_create("edges.wtl", &force, &w, NULL);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    uint32_t common = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    uint32_t edges = (uint32_t)wtl_trace_writer_group(w, &id, 1, WTL_GROUP_EDGE);
    for (uint64_t i = 0; i < 300; i++) {
        uint64_t value = 1000 * i;
        wtl_trace_writer_row(w, i / 100 == 1 ? common : edges, START_NS + 1000000 * i, &value,
                             NULL);
    }
    is_int(wtl_trace_writer_finish(w, NULL), 0, "finished");
    struct wtl_trace_reader *r;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    wtl_trace_reader_open("edges.wtl", &r, NULL);
    wtl_trace_samples_open(r, &all, &samples, NULL);
    uint64_t last_ns = 0, rows = 0;
    bool ordered = true;
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0) {
        ordered &= chunk.time_ns[0] > last_ns;
        last_ns = chunk.time_ns[chunk.rows - 1];
        rows += chunk.rows;
    }
    is_int(rows, 300, "all rows");
    ok(ordered, "in the order of time over both groups");
    wtl_trace_samples_close(samples);
    all.no_edges = true;
    wtl_trace_samples_open(r, &all, &samples, NULL);
    rows = 0;
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0)
        rows += chunk.rows;
    is_int(rows, 100, "edges can be left out");
    wtl_trace_samples_close(samples);
    wtl_trace_reader_close(r);
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void test_memory(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 0};
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    uint64_t state = 88172645463325252u, value[3] = {0, 0, 35000000};
    long early = 0;
    wtl_trace_writer_create("long.wtl", &force, &w, NULL);
    int group = fixture_begin(w, &f);
    for (size_t row = 0; row < 10000000 / 3; row++) {
        value[0] += 1639 + noise(&state) % 128;
        value[1] += 655 + noise(&state) % 32;
        value[2] = 35000000 + noise(&state) % 1000;
        wtl_trace_writer_row(w, (uint32_t)group, START_NS + row * f.period_ns, value, NULL);
        if (row == 200000)
            early = resident_kib();
    }
    long late = resident_kib();
    diag("resident after 6e5 samples: %ld KiB, after 1e7: %ld KiB", early, late);
#if defined(__SANITIZE_ADDRESS__)
    skip("memory under the address sanitizer, which keeps what was freed");
#else
    /* The kernel counts resident pages in batches; a leak of one bit per sample would be 1 MiB. */
    ok(late - early <= 256, "memory does not grow over 1e7 samples");
#endif
    is_int(wtl_trace_writer_finish(w, NULL), 0, "finished");
    unlink("long.wtl");
}

int main(void)
{
    test_create();
    test_misuse();
    test_round_trip();
    test_edges();
    test_full_disk();
    test_memory();
    return done_testing();
}
