/* SPDX-License-Identifier: BSD-3-Clause */
/* Repair: a footer that is removed and added again has the same bytes. */
#define _GNU_SOURCE
#include "trace/blocks/block.h"
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
        {__LINE__, {.period_ns = 1000000, .rows = 150000, .regions = true}}, /* index, pyramid */
        {__LINE__, {.period_ns = 50000, .rows = 200000, .missing_every = 1000}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t size, again;
        struct wtl_trace_repair report;
        tap_line = table[i].line;
        fixture_write("same.wtl", &table[i].f);
        uint8_t *want = slurp("same.wtl", &size);
        size_t at = index_offset(want, size);
        /* Without index and footer; with only the index; with half a footer. */
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

/* kill -9 at some moment: what has been written and flushed is there, with half the pyramid. */
static void test_crash(void)
{
    const struct fixture f = {
        .period_ns = 1000000, .rows = 100000, .regions = true, .abandon = true};
    const struct fixture whole = {.period_ns = 1000000, .rows = 100000, .regions = true};
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
    ok(memcmp(&x.amount, &y.amount, 8) == 0, "the energy of a run that was not killed");
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

/* kill -9 while a channel has no values: after its last one its energy is unknown, before and after
 * the repair. */
static void test_killed_in_a_gap(void)
{
    static const struct {
        bool stalled; /* a known stall is in the file at once */
        enum wtl_gap_reason reason;
    } rows[] = {{false, WTL_GAP_READ_FAILED}, {true, WTL_GAP_STALLED}};
    const uint64_t ms = 1000000, failed_ns = 400 * ms, killed_ns = 1000 * ms;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_channel channels[2] = {
            fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 1e-3),
            fixture_channel("fake:dram-0", WATTLE_COUNTER, WATTLE_ENERGY, 1e-3)};
        uint32_t ids[2];
        struct wtl_trace_writer *w;
        is_int(wtl_trace_writer_create("gap.wtl", &(struct wtl_trace_options){.force = true}, &w,
                                       NULL),
               0, "a trace");
        for (unsigned c = 0; c < 2; c++)
            ids[c] = (uint32_t)wtl_trace_writer_channel(w, &channels[c]);
        uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, 2, 0);
        for (uint64_t t = 0; t <= killed_ns; t += 10 * ms) {
            const uint64_t values[2] = {t / 1000, t / 1000};
            const uint8_t missing[2] = {t > failed_ns, false};
            if (t == 10 * ms)
                wtl_trace_writer_window_begin(w, 0);
            if (t == 700 * ms && rows[i].stalled)
                wtl_trace_writer_gap(w, &(struct wtl_gap){.channel = ids[0],
                                                          .reason = WTL_GAP_STALLED,
                                                          .begin_ns = failed_ns,
                                                          .end_ns = t});
            wtl_trace_writer_row(w, group, t, values, missing);
        }
        wtl_trace_writer_flush(w);
        wtl_trace_writer_abandon(w);
        for (unsigned repaired = 0; repaired < 2; repaired++) {
            struct wtl_trace_reader *r;
            struct wtl_summary s;
            if (repaired)
                is_int(wtl_trace_repair("gap.wtl", NULL, NULL), 0, "repaired");
            wtl_trace_reader_open("gap.wtl", &r, NULL);
            wtl_trace_reader_summary(r, ids[0], &s, NULL);
            is_int((intmax_t)s.unknown_ns, (intmax_t)(killed_ns - failed_ns), "unknown time");
            is_int((intmax_t)s.gap_ns, (intmax_t)s.unknown_ns, "in a gap");
            is_int((intmax_t)s.gaps, 1, "in one");
            is_int((intmax_t)s.gap_reasons, 1 << rows[i].reason, "its reason");
            is_double(s.amount, (double)failed_ns / 1000 * channels[0].scale,
                      channels[0].scale * 2000, "the energy before");
            wtl_trace_reader_summary(r, ids[1], &s, NULL);
            is_int((intmax_t)s.unknown_ns, 0, "of the other all is known");
            wtl_trace_reader_close(r);
        }
    }
}

/* kill -9 of a run whose counter never ticked: nothing is known about it, before and after the
 * repair. Cores may sleep, and in a time too short for some ticks it may not have ticked yet. */
static void test_killed_unticked(void)
{
    static const struct {
        int line;
        uint64_t killed_ms, failed_ms, ticks; /* failed: when its reads begin to fail */
        bool known;
    } rows[] = {
        {__LINE__, 1000, UINT64_MAX, 0, false},
        {__LINE__, 1000, 600, 0, false},
        {__LINE__, 1000, UINT64_MAX, 1, true},
        {__LINE__, 15, UINT64_MAX, 0, true},
    };
    const uint64_t ms = 1000000;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_channel channels[2] = {
            fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 1e-3),
            fixture_channel("fake:core-0", WATTLE_COUNTER, WATTLE_ENERGY, 1e-3)};
        uint32_t ids[2];
        struct wtl_trace_writer *w;
        tap_line = rows[i].line;
        channels[0].domain = WATTLE_DOMAIN_PACKAGE;
        channels[1].domain = WATTLE_DOMAIN_CORE;
        is_int(wtl_trace_writer_create("unticked.wtl", &(struct wtl_trace_options){.force = true},
                                       &w, NULL),
               0, "a trace");
        for (unsigned c = 0; c < 2; c++)
            ids[c] = (uint32_t)wtl_trace_writer_channel(w, &channels[c]);
        uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, 2, 0);
        for (uint64_t t = 1; t <= rows[i].killed_ms; t++) {
            const uint64_t values[2] = {t > 3 ? 5000 + rows[i].ticks : 5000, 5000};
            const uint8_t missing[2] = {t > rows[i].failed_ms, false};
            if (t == 3)
                wtl_trace_writer_window_begin(w, 2 * ms);
            wtl_trace_writer_row(w, group, t * ms, values, missing);
        }
        wtl_trace_writer_flush(w);
        wtl_trace_writer_abandon(w);
        for (unsigned repaired = 0; repaired < 2; repaired++) {
            struct wtl_trace_reader *r;
            struct wtl_summary s;
            uint64_t window_ns = (rows[i].killed_ms - 2) * ms;
            if (repaired)
                is_int(wtl_trace_repair("unticked.wtl", NULL, NULL), 0, "repaired");
            wtl_trace_reader_open("unticked.wtl", &r, NULL);
            wtl_trace_reader_summary(r, ids[0], &s, NULL);
            is_int((intmax_t)s.unknown_ns, rows[i].known ? 0 : (intmax_t)window_ns, "unknown time");
            is_int((intmax_t)s.gap_reasons, rows[i].known ? 0 : 1 << WTL_GAP_STALLED, "its reason");
            is_int(isfinite(s.amount), rows[i].known, "its energy");
            wtl_trace_reader_summary(r, ids[1], &s, NULL);
            is_int((intmax_t)s.unknown_ns, 0, "of cores all is known");
            wtl_trace_reader_close(r);
        }
    }
    tap_line = 0;
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

static int say(void *context, struct wtl_trace_reader *reader, struct wtl_trace_writer *writer)
{
    (void)reader;
    return wtl_trace_writer_meta(writer, "flag.REGIONS LOST", context);
}

/* What the fill writes is in the footer for which it is called: no later block has it. */
static void test_words(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 100, .abandon = true};
    struct wtl_trace_repair report;
    struct wtl_trace_reader *r;
    char first[] = "one", second[] = "two";
    fixture_write("words.wtl", &f);
    is_int(wtl_trace_repair_with("words.wtl", say, first, &report, NULL), 0, "repaired");
    ok(report.filled, "what was left was asked for");
    wtl_trace_reader_open("words.wtl", &r, NULL);
    size_t count = wtl_trace_reader_meta_count(r);
    const char *said = wtl_trace_reader_meta(r, "flag.REGIONS LOST");
    ok(said && strcmp(said, "one") == 0, "its words are in the trace: %s", said ? said : "none");
    ok(wtl_trace_reader_meta(r, "flag.UNFINISHED") == NULL, "and no others");
    wtl_trace_reader_close(r);
    is_int(wtl_trace_repair_with("words.wtl", say, second, &report, NULL), 0, "again");
    wtl_trace_reader_open("words.wtl", &r, NULL);
    said = wtl_trace_reader_meta(r, "flag.REGIONS LOST");
    ok(said && strcmp(said, "two") == 0, "the newest stands: %s", said ? said : "none");
    is_int(wtl_trace_reader_meta_count(r), count, "once");
    wtl_trace_reader_close(r);
}

int main(void)
{
    test_same_bytes();
    test_crash();
    test_killed_in_a_gap();
    test_killed_unticked();
    test_failed();
    test_words();
    return done_testing();
}
