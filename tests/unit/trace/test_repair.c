/* SPDX-License-Identifier: BSD-3-Clause */
/* Repair: the footer that is lost and added again has the same bytes. */
#define _GNU_SOURCE
#include "trace/block.h"
#include "trace_fixture.h"

/* The offset of the index block: where the footer's part begins. */
static size_t index_offset(const uint8_t *data, size_t size)
{
    return (size_t)wtl_load_u64(data + size - 16);
}

static void test_same_bytes(void)
{
    static const struct {
        int line;
        struct fixture f;
    } table[] = {
        {__LINE__, {.period_ns = 100000000, .rows = 40}},
        {__LINE__, {.period_ns = 1000000, .rows = 4000, .missing_every = 11}},
        {__LINE__, {.period_ns = 1000000, .rows = 4000, .regions = true}},
        {__LINE__, {.period_ns = 1000000, .rows = 400000, .regions = true}}, /* index, pyramid */
        {__LINE__, {.period_ns = 50000, .rows = 600000, .missing_every = 1000}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size, again;
        struct wtl_trace_repair report;
        tap_line = table[i].line;
        fixture_write("same.wtl", &table[i].f);
        uint8_t *want = slurp("same.wtl", &size);
        size_t at = index_offset(want, size);
        /* Without index and footer; with the index alone; with half a footer. */
        const size_t cuts[] = {at, size - 1, at + 50, at + 10};
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            spill("same.wtl", want, cuts[k]);
            is_int(wtl_trace_repair("same.wtl", &report, NULL), 0, "cut at %zu: repaired", cuts[k]);
            uint8_t *got = slurp("same.wtl", &again);
            ok(again == size && memcmp(got, want, size) == 0,
               "the same %zu bytes as the writer's (%zu)", size, again);
            is_int(report.rows, table[i].f.rows, "all rows");
            is_int(report.cut_bytes, cuts[k] - at, "cut bytes");
            free(got);
        }
        is_int(wtl_trace_repair("same.wtl", &report, NULL), 0, "again");
        ok(report.had_footer, "nothing to do");
        uint8_t *got = slurp("same.wtl", &again);
        ok(again == size && memcmp(got, want, size) == 0, "and nothing done");
        free(got);
        free(want);
    }
    tap_line = 0;
}

/* kill -9 at some moment: what has been written and flushed is there, pyramid half done. */
static void test_crash(void)
{
    const struct fixture f = {
        .period_ns = 1000000, .rows = 300000, .regions = true, .abandon = true};
    const struct fixture whole = {.period_ns = 1000000, .rows = 300000, .regions = true};
    struct wtl_trace_repair report;
    struct wtl_trace_reader *a, *b;
    struct wtl_summary x, y;
    fixture_write("crash.wtl", &f);
    fixture_write("whole.wtl", &whole);
    is_int(wtl_trace_repair("crash.wtl", &report, NULL), 0, "repaired");
    is_int(report.rows, f.rows, "all rows");
    ok(!report.had_footer && report.cut_bytes == 0 && report.damaged == 0, "a clean cut");
    wtl_trace_reader_open("crash.wtl", &a, NULL);
    wtl_trace_reader_open("whole.wtl", &b, NULL);
    wtl_trace_reader_summary(a, 0, &x, NULL);
    wtl_trace_reader_summary(b, 0, &y, NULL);
    ok(memcmp(&x.energy_j, &y.energy_j, 8) == 0, "the energy of a run that was not killed");
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    struct wtl_power_point *p, *q;
    int np = wtl_trace_reader_power(a, 0, &all, 50, &p, NULL, NULL);
    int nq = wtl_trace_reader_power(b, 0, &all, 50, &q, NULL, NULL);
    is_int(np, nq, "and its picture");
    int same = 0;
    for (int i = 0; np == nq && i < np; i++) /* up to the padding, which may be anything */
        same += memcmp(&p[i], &q[i], offsetof(struct wtl_power_point, mean_w) + sizeof(float)) == 0;
    ok(np > 0 && same == np, "point by point");
    free(p);
    free(q);
    wtl_trace_reader_close(a);
    wtl_trace_reader_close(b);
}

static void test_failed(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 3000, .abandon = true};
    struct wattle_error err = {""};
    is_int(wtl_trace_repair("nothing.wtl", NULL, &err), -ENOENT, "no such file: %s", err.text);
    spill("text.wtl", "hello, world: this is no trace at all, but long enough to be one.", 60);
    is_int(wtl_trace_repair("text.wtl", NULL, &err), -EBADMSG, "no trace: %s", err.text);
    fixture_write("garbage.wtl", &f);
    size_t size, again;
    uint8_t *data = slurp("garbage.wtl", &size);
    data = realloc(data, size + 1000);
    memset(data + size, 0, 1000); /* what a file system leaves after a power loss */
    spill("garbage.wtl", data, size + 1000);
    struct wtl_trace_repair report;
    is_int(wtl_trace_repair("garbage.wtl", &report, &err), 0, "zeros at the end");
    is_int(report.damaged, 1, "are damage");
    is_int(report.rows, f.rows, "and cost no row");
    struct wtl_trace_reader *r;
    wtl_trace_reader_open("garbage.wtl", &r, NULL);
    struct reading got = read_rows(r, &f);
    is_int(got.right, f.rows, "it reads");
    wtl_trace_reader_close(r);
    uint8_t *after = slurp("garbage.wtl", &again);
    ok(again > size + 1000 && memcmp(after, data, size + 1000) == 0, "what was there stayed");
    free(after);
    free(data);
}

int main(void)
{
    test_same_bytes();
    test_crash();
    test_failed();
    return done_testing();
}
