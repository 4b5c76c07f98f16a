/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of several nodes: membership, alignment of clocks, run files. */
#define _GNU_SOURCE
#include "analysis/cluster/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "model/flag.h"
#include "run_traces.h"
#include "tap.h"

static const struct run_trace base = {.run_id = "r1",
                                      .package_w = 50,
                                      .dram_w = 10,
                                      .monotonic_ns = 100 * RUN_SECOND,
                                      .seconds = 5,
                                      .rank = -1};

static int write_node(const char *path,
                      const char *node,
                      uint64_t monotonic_s,
                      const struct run_trace *like)
{
    struct run_trace t = *like;
    t.path = path;
    t.node = t.key = node;
    t.monotonic_ns = monotonic_s * RUN_SECOND;
    return run_trace_write(&t);
}

static int try_run(const char *const *words,
                   size_t n,
                   const struct wtl_run_selection *options,
                   struct wtl_run **ret_run,
                   struct wattle_error *err)
{
    return wtl_run_open((char *const *)(uintptr_t)words, n, options, ret_run, err);
}

static struct wtl_run *open_run(const char *const *words,
                                size_t n,
                                const struct wtl_run_selection *options)
{
    struct wtl_run *run = NULL;
    struct wattle_error err = {""};
    is_int(try_run(words, n, options, &run, &err), 0, "opened %s", err.text);
    return run;
}

static void test_order(void)
{
    const char *words[] = {"run-b.wtl", "run-a.wtl,run-c.wtl"},
               *turned[] = {"run-c.wtl", "run-a.wtl", "run-b.wtl"};
    struct run_trace late = base;
    late.late_ns = 250000000;
    if (write_node("run-a.wtl", "n10", 100, &base) < 0 ||
        write_node("run-b.wtl", "n2", 7000, &late) < 0 ||
        write_node("run-c.wtl", "n1", 31, &base) < 0) {
        ok(0, "traces were written");
        return;
    }
    for (int turn = 0; turn < 2; turn++) {
        struct wtl_run *run = turn ? open_run(turned, 3, NULL) : open_run(words, 2, NULL);
        if (!run)
            return;
        uint64_t residual;
        is_int((long long)wtl_run_node_count(run), 3, "three nodes");
        is_str(wtl_run_node(run, 0)->name, "n1", "in natural order");
        is_str(wtl_run_node(run, 1)->name, "n2", "in natural order");
        is_str(wtl_run_node(run, 2)->name, "n10", "in natural order");
        is_str(wtl_run_id(run), "r1", "the run");
        is_str(wtl_run_command_line(run), "./app", "its command");
        is_int(wtl_run_begin(run), (long long)RUN_EPOCH, "begins with the first node");
        is_int(wtl_run_node(run, 1)->begin_ns, (long long)(RUN_EPOCH + 250000000),
               "one began later");
        is_int(wtl_run_end(run), (long long)(RUN_EPOCH + 5250000000), "and ends with the last");
        is_int(wtl_run_alignment(run, &residual), WTL_ALIGNED_REALTIME, "by the wall clock");
        ok(residual == WTL_RESIDUAL_UNKNOWN, "whose error nobody knows");
        is_int((long long)wtl_run_refused_count(run), 0, "nothing is refused");
        struct wtl_trace_reader *reader = NULL;
        if (is_int(wtl_run_node_open(run, 2, &reader, NULL), 0, "the trace of a node opens"))
            is_str(wtl_trace_reader_meta(reader, "node.name"), "n10", "it is its own");
        wtl_trace_reader_close(reader);
        is_int(wtl_run_find(run, "n2"), 1, "found by name");
        is_int(wtl_run_find(run, "n3"), -ENOENT, "not found");
        wtl_run_close(run);
    }
}

static const char *why(const struct wtl_run *run, const char *path)
{
    for (size_t i = 0; i < wtl_run_refused_count(run); i++)
        if (strcmp(wtl_run_refused(run, i)->path, path) == 0)
            return wtl_run_refused(run, i)->why;
    return "";
}

static void test_refused(void)
{
    struct run_trace other = base, listed = base;
    other.run_id = "r2";
    listed.nodes = "n[1-3],m07";
    FILE *text = fopen("run-text.wtl", "w");
    if (!text || fputs("no trace\n", text) < 0 || fclose(text) != 0 ||
        (mkdir("run-folder", 0777) < 0 && errno != EEXIST))
        return;
    int rc = write_node("run-folder/a.wtl", "n1", 100, &listed);
    rc = rc < 0 ? rc : write_node("run-folder/b.wtl", "n2", 100, &listed);
    rc = rc < 0 ? rc : write_node("run-folder/c.wtl", "n2", 102, &listed);
    rc = rc < 0 ? rc : write_node("run-folder/d.wtl", "n4", 102, &other);
    is_int(rc, 0, "traces were written");
    const char *words[] = {"run-folder", "run-text.wtl"}, *none[] = {"run-text.wtl"},
               *lost[] = {"run-gone.wtl"};
    struct wtl_run *run = NULL;
    struct wattle_error err = {""};
    is_int(try_run(words, 2, NULL, &run, &err), -EINVAL, "of two runs one must be chosen");
    ok(strstr(err.text, "the traces are from 2 runs: ") && strstr(err.text, "r2 (1)"), "%s",
       err.text);
    struct wtl_run_selection options = {.run_id = base.run_id};
    run = open_run(words, 2, &options);
    if (!run)
        return;
    is_int((long long)wtl_run_node_count(run), 2, "two nodes are left");
    is_int((long long)wtl_run_refused_count(run), 2, "two files are refused");
    is_int((long long)wtl_run_other_count(run), 1, "one is of another run");
    ok(strstr(why(run, "run-folder/c.wtl"), "same time as run-folder/b.wtl"), "twice: %s",
       why(run, "run-folder/c.wtl"));
    is_str(why(run, "run-text.wtl"), "not a wattle trace", "no trace");
    is_int((long long)wtl_run_missing_count(run), 2, "two nodes of the job are missing");
    is_str(wtl_run_missing(run, 0), "n3", "by name");
    is_str(wtl_run_missing(run, 1), "m07", "by name");
    wtl_run_close(run);
    options.run_id = "r2";
    if ((run = open_run(words, 1, &options)) != NULL)
        is_str(wtl_run_node(run, 0)->name, "n4", "the other run is there when it is asked for");
    wtl_run_close(run);
    is_int(try_run(none, 1, NULL, &run, &err), -EBADMSG, "nothing is left: %s", err.text);
    is_int(try_run(lost, 1, NULL, &run, &err), -EBADMSG, "nothing is there: %s", err.text);
    options.run_id = "r3";
    is_int(try_run(words, 2, &options, &run, &err), -EBADMSG, "no such run: %s", err.text);
}

/* Of traces of one node over the same time the finished, longer one is kept. */
/* Damage can give windows any length: such a node is reported, and the others keep their times. */
static void test_strays(void)
{
    static const struct {
        int64_t strays_ns;
        const char *why;
    } cases[] = {
        {.strays_ns = 5000000000 * (int64_t)RUN_SECOND, .why = "longer than a century"},
        {.strays_ns = INT64_MAX - 10000 * (int64_t)RUN_SECOND, .why = "longer than a century"},
        {.strays_ns = 3000000000 * (int64_t)RUN_SECOND, .why = "years from the start"},
    };
    const char *words[] = {"run-good.wtl", "run-stray.wtl"};
    if (!is_int(write_node("run-good.wtl", "good", 100, &base), 0, "a good one"))
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_trace stray = base;
        stray.strays_ns = cases[i].strays_ns;
        is_int(write_node("run-stray.wtl", "stray", 200, &stray), 0, "one that strays");
        struct wtl_run *run = open_run(words, 2, NULL);
        if (!run)
            continue;
        is_int((long long)wtl_run_node_count(run), 1, "it is no node of the run");
        ok(strstr(why(run, "run-stray.wtl"), cases[i].why), "%s", why(run, "run-stray.wtl"));
        is_int(wtl_run_end(run) - wtl_run_begin(run), 5 * (long long)RUN_SECOND,
               "the others' span");
        wtl_run_close(run);
    }
    struct wtl_run_clock clock = {.offset_ns = INT64_MAX - 10};
    is_int(wtl_run_clock_time(&clock, 10), INT64_MAX, "the last time");
    is_int(wtl_run_clock_time(&clock, 11), INT64_MAX, "nothing is behind it");
    is_int(wtl_run_clock_time(&clock, UINT64_MAX), INT64_MAX, "nothing at all");
    clock = (struct wtl_run_clock){.offset_ns = INT64_MIN + 10, .drift = 0.05, .at_ns = 1000};
    is_int(wtl_run_clock_time(&clock, 0), INT64_MIN, "nor before the first");
}

static void test_twice(void)
{
    struct run_trace cut = base, longer = base, empty = base, later = base;
    cut.cut = 1;
    cut.seconds = 8;
    longer.seconds = 6;
    empty.empty = 1;
    empty.no_wall = 1;
    later.late_ns = 20 * RUN_SECOND;
    if ((mkdir("run-twice", 0777) < 0 && errno != EEXIST) ||
        write_node("run-twice/a.wtl", "n1", 100, &cut) < 0 ||
        write_node("run-twice/b.wtl", "n1", 100, &base) < 0 ||
        write_node("run-twice/c.wtl", "n1", 100, &longer) < 0 ||
        write_node("run-twice/d.wtl", "n1", 100, &empty) < 0 ||
        write_node("run-twice/e.wtl", "n1", 100, &later) < 0 ||
        write_node("run-twice/f.wtl", "n2", 300, &base) < 0) {
        ok(0, "traces were written");
        return;
    }
    const char *words[] = {"run-twice"};
    struct wtl_run *run = open_run(words, 1, NULL), *part = NULL;
    if (!run)
        return;
    is_int((long long)wtl_run_node_count(run), 3, "three are left");
    is_str(wtl_run_node(run, 0)->path, "run-twice/c.wtl", "the finished one, the longer one");
    is_str(wtl_run_node(run, 1)->name, "n1#2", "the second of the same node");
    is_str(wtl_run_node(run, 0)->row->flags[0].name, "SEVERAL_TRACES", "which is told");
    ok(strstr(wtl_run_node(run, 0)->row->flags[0].text, "n1 has 2 consecutive traces"),
       "by the node's name: %s", wtl_run_node(run, 0)->row->flags[0].text);
    ok(strstr(why(run, "run-twice/d.wtl"), "has no samples of node n1"), "empty: %s",
       why(run, "run-twice/d.wtl"));
    is_int((long long)wtl_run_refused_count(run), 3, "three are not");
    const bool keep[] = {false, false, true};
    if (is_int(wtl_run_part(run, keep, &part, NULL), 0, "a part")) {
        is_int((long long)wtl_run_refused_count(part), 3, "says what is refused, too");
        ok(wtl_run_refused(part, 2) == wtl_run_refused(run, 2), "each of them");
        is_int((long long)(wtl_run_end(part) - wtl_run_begin(part)), 5000000000, "its own time");
    }
    wtl_run_close(part);
    wtl_run_close(run);
}

static void test_clocks(void)
{
    /* Measured offsets agree; the wall clocks do not. */
    struct run_trace synced = base;
    synced.sync = 1;
    synced.no_wall = 1;
    const char *words[] = {"run-s1.wtl", "run-s2.wtl"}, *mixed[] = {"run-s1.wtl", "run-a.wtl"};
    uint64_t residual;
    int rc = write_node("run-s1.wtl", "s1", 50, &synced);
    rc = rc < 0 ? rc : write_node("run-s2.wtl", "s2", 90000, &synced);
    is_int(rc, 0, "traces were written");
    struct wtl_run *run = open_run(words, 2, NULL);
    if (!run)
        return;
    is_int(wtl_run_alignment(run, &residual), WTL_ALIGNED_SYNC, "aligned by offsets");
    ok(residual >= 500 && residual < 510, "with their error: %llu ns",
       (unsigned long long)residual);
    is_int(wtl_run_node(run, 1)->begin_ns - wtl_run_node(run, 0)->begin_ns, 0,
           "they began together");
    wtl_run_close(run);
    /* Killed before the second point: 500 ns and 100 ppm of the 5 s to the end. */
    synced.sync = 2;
    is_int(write_node("run-s2.wtl", "s2", 90000, &synced), 0, "one with one offset");
    if (!(run = open_run(words, 2, NULL)))
        return;
    is_int(wtl_run_alignment(run, &residual), WTL_ALIGNED_SYNC, "aligned by one offset");
    ok(residual >= 500500 && residual < 500510, "as good as its crystal: %llu ns",
       (unsigned long long)residual);
    wtl_run_close(run);
    if (!(run = open_run(mixed, 2, NULL)))
        return;
    is_int(wtl_run_alignment(run, &residual), WTL_ALIGNED_NOT, "one has no clock in common");
    is_int(wtl_run_node(run, 1)->begin_ns - wtl_run_node(run, 0)->begin_ns, 0,
           "its begin is taken for that of the run");
    wtl_run_close(run);
}

static void test_fit(void)
{
    struct wtl_run_offset points[] = {{1000 * RUN_SECOND, 500, 10},
                                      {2000 * RUN_SECOND, 20500, 10},
                                      {3000 * RUN_SECOND, 40500, 10}};
    struct wtl_run_clock clock = wtl_run_clock_fit(points, 3);
    is_double(clock.drift, 2e-8, 1e-12, "drift");
    is_int(wtl_run_clock_time(&clock, 1500 * RUN_SECOND), (long long)(1500 * RUN_SECOND + 10500),
           "between");
    is_int((long long)wtl_run_clock_node(&clock, wtl_run_clock_time(&clock, 1234567891234)),
           1234567891234, "there and back");
    ok(clock.residual_ns >= 10 && clock.residual_ns <= 12, "residual %llu",
       (unsigned long long)clock.residual_ns);
    points[1].offset_ns += 3000;
    clock = wtl_run_clock_fit(points, 3);
    ok(clock.residual_ns > 1900 && clock.residual_ns < 2100, "what does not fit is told: %llu",
       (unsigned long long)clock.residual_ns);
    points[1].offset_ns -= 3000;
    points[0].error_ns = 0;
    clock = wtl_run_clock_fit(points, 3);
    ok(clock.residual_ns >= 10 && clock.residual_ns <= 12, "not stated: the greatest stated: %llu",
       (unsigned long long)clock.residual_ns);
    clock = wtl_run_clock_fit(points, 1);
    is_double(clock.drift, 0, 0, "one point is a constant");
    is_int(wtl_run_clock_time(&clock, 0), 500, "everywhere");
    is_int((long long)wtl_hash_text(""), (long long)0xcbf29ce484222325u, "FNV-1a of nothing");
    ok(wtl_hash_text("a") == 0xaf63dc4c8601ec8cu, "FNV-1a of a letter");
}

static int pack(const struct wtl_run *run, const char *path)
{
    struct wtl_run_file file = {.run_id = strdup(wtl_run_id(run)),
                                .begin_ns = wtl_run_begin(run),
                                .count = wtl_run_node_count(run)};
    file.members = calloc(file.count, sizeof *file.members);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc = fd < 0 ? -errno : 0;
    for (size_t i = 0; i < file.count; i++) {
        const struct wtl_run_node *node = wtl_run_node(run, i);
        file.members[i] = (struct wtl_run_member){
            .name = strdup(node->name), .length = node->length, .clock = node->clock};
    }
    wtl_run_file_place(&file);
    for (size_t i = 0; rc == 0 && i < file.count; i++) {
        const struct wtl_run_node *node = wtl_run_node(run, i);
        const struct wtl_trace_part part = {
            .path = node->path, .offset = node->offset, .length = node->length};
        rc = wtl_run_file_copy(fd, &file.members[i], &part, NULL);
    }
    rc = rc < 0 ? rc : wtl_run_file_finish(fd, path, &file, NULL);
    if (fd >= 0)
        (void)close(fd);
    wtl_run_file_fini(&file);
    return rc;
}

static void test_file(void)
{
    const char *words[] = {"run-a.wtl", "run-b.wtl", "run-cut.wtl"}, *packed[] = {"run.wtl"};
    struct run_trace cut = base;
    cut.cut = 1;
    is_int(write_node("run-cut.wtl", "n5", 400, &cut), 0, "one without a footer");
    struct wtl_run *run = open_run(words, 3, NULL);
    if (!run)
        return;
    is_int(pack(run, "run.wtl"), 0, "a run file");
    is_int(wtl_run_file_is("run.wtl"), 1, "is told as one");
    is_int(wtl_run_file_is("run-a.wtl"), 0, "a trace is none");
    ok(wtl_run_file_is("run-gone.wtl") < 0, "nothing is none");
    struct wtl_run *again = open_run(packed, 1, NULL);
    if (again) {
        is_int((long long)wtl_run_node_count(again), 3, "three nodes");
        for (size_t i = 0; i < wtl_run_node_count(again); i++) {
            const struct wtl_run_node *a = wtl_run_node(run, i), *b = wtl_run_node(again, i);
            is_str(b->name, a->name, "the same node");
            is_int((long long)b->length, (long long)a->length, "as long");
            is_int(b->begin_ns, a->begin_ns, "at the same time");
            is_double(b->row->total.energy.j, a->row->total.energy.j, 0, "of the same energy");
            is_int(b->row->region_count, a->row->region_count, "with the same regions");
        }
    }
    wtl_run_close(again);
    wtl_run_close(run);
    /* Cut off anywhere, it is refused. */
    struct stat st;
    struct wtl_run_file file;
    unsigned taken = 0, silent = 0;
    if (stat("run.wtl", &st) < 0)
        return;
    for (off_t size = st.st_size - 1; size > 0; size -= 1 + size / 50) {
        struct wattle_error err = {""};
        if (truncate("run.wtl", size) < 0)
            return;
        if (wtl_run_file_read("run.wtl", &file, &err) == 0) {
            taken++;
            wtl_run_file_fini(&file);
        }
        silent += !err.text[0];
    }
    is_int(taken, 0, "no cut one is taken");
    is_int(silent, 0, "each is told");
}

static void test_bytes(void)
{
    const char *words[] = {"run-a.wtl"};
    struct wtl_run *run = open_run(words, 1, NULL);
    struct wtl_bytes bytes = {0};
    struct wtl_run_row row;
    if (!run)
        return;
    wtl_run_row_put(&bytes, wtl_run_node(run, 0)->row);
    unsigned taken = 0;
    for (size_t n = 0; n < bytes.length; n++) {
        struct wtl_cursor cursor = wtl_cursor_init(bytes.data, n);
        if (wtl_run_row_take(&cursor, &row) == 0) {
            taken++;
            wtl_run_row_fini(&row);
        }
    }
    is_int(taken, 0, "a row that is cut is none");
    struct wtl_cursor cursor = wtl_cursor_init(bytes.data, bytes.length);
    if (is_int(wtl_run_row_take(&cursor, &row), 0, "a whole one is taken")) {
        is_str(row.name, "n10", "its name");
        is_double(row.total.energy.j, wtl_run_node(run, 0)->row->total.energy.j, 0, "its energy");
        is_str(row.regions[1].name, "solve", "its regions");
        wtl_run_row_fini(&row);
    }
    wtl_bytes_fini(&bytes);
    wtl_run_close(run);
}

static void test_nodes(void)
{
    struct run_trace t = base;
    const char *words[] = {"run-l.wtl"};
    static const struct {
        const char *list;
        int missing;
    } cases[] = {{"l", 0}, {"l,m", 1},  {"a[01-03]b,l", 3}, {"x[1,3-4],y[2]", 4},
                 {"[", 0}, {"a[1-", 0}, {"a[9-1]", 0},      {",,l,", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t.nodes = cases[i].list;
        if (write_node("run-l.wtl", "l", 100, &t) < 0)
            return;
        struct wtl_run *run = open_run(words, 1, NULL);
        if (run)
            is_int((long long)wtl_run_missing_count(run), cases[i].missing, "missing of %s",
                   cases[i].list);
        wtl_run_close(run);
    }
}

/* A node that lacks a part of a channel outside its total is a full member of the run. */
static void test_partial_channel(void)
{
    const struct run_trace node = {.path = "partial.wtl",
                                   .node = "n1",
                                   .run_id = "partial",
                                   .package_w = 100,
                                   .dram_w = 20,
                                   .psys_w = 200,
                                   .monotonic_ns = 5000 * RUN_SECOND,
                                   .seconds = 5,
                                   .stalled = 1,
                                   .rank = -1};
    char path[] = "partial.wtl", *words[] = {path};
    struct wtl_run *run = NULL;
    struct wtl_run_file file = {0};
    struct wattle_error err = {""};
    if (!is_int(run_trace_write(&node), 0, "a trace") ||
        !is_int(wtl_run_open(words, 1, NULL, &run, &err), 0, "opened %s", err.text))
        return;
    const struct wtl_run_row *row = wtl_run_node(run, 0)->row;
    is_str(row->flag_count ? row->flags[0].name : "", WTL_FLAG_PARTIAL, "its package is partial");
    is_int(wtl_run_file_note(run, NULL, &file), 0, "what a run file of it notes");
    is_int((int)file.left_count, 0, "no trace is left out");
    wtl_run_file_fini(&file);
    wtl_run_close(run);
}

int main(void)
{
    if ((mkdir("run-test.d", 0777) < 0 && errno != EEXIST) || chdir("run-test.d") < 0)
        return 1;
    test_order();
    test_refused();
    test_strays();
    test_twice();
    test_clocks();
    test_fit();
    test_file();
    test_bytes();
    test_nodes();
    test_partial_channel();
    return done_testing();
}
