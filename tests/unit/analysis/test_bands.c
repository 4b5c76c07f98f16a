/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions over time: unchanged if there are few, merged if there are many. */
#include "analysis/regions/bands.h"

#include <math.h>

#include <string.h>

#include "tap.h"
#include "trace/writer.h"

#define SECOND UINT64_C(1000000000)
#define START  (100 * SECOND)

static const struct wtl_band_limits limits = {.rows = 8, .bands = 100, .events = 10};

struct scene {
    struct wtl_trace_writer *writer;
    uint32_t threads[4], names[3]; /* "a", "b", "c" */
};

static bool begin_scene(struct scene *scene, const char *path)
{
    static const char *const names[] = {"a", "b", "c"};
    struct wtl_trace_options force = {.force = true};
    struct wattle_channel channel = {.name = "x:package-0",
                                     .sensor = "x",
                                     .sub = -1,
                                     .scale = 1,
                                     .domain = WATTLE_DOMAIN_PACKAGE};
    if (wtl_trace_writer_create(path, &force, &scene->writer, NULL) < 0)
        return false;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(scene->writer, &channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(scene->writer, &id, 1, 0);
    (void)wtl_trace_writer_window_begin(scene->writer, START);
    for (uint64_t i = 0; i <= 10; i++)
        (void)wtl_trace_writer_row(scene->writer, group, START + i * SECOND, &i, NULL);
    for (uint32_t t = 0; t < 4; t++) {
        struct wtl_trace_process process = {
            .pid = 10 + t / 2, .rank = t < 2 ? -1 : 5, .command = "app"};
        if (t % 2 == 0)
            (void)wtl_trace_writer_process(scene->writer, &process);
        struct wtl_trace_thread thread = {.process = t / 2, .tid = 20 + t, .name = ""};
        scene->threads[t] = (uint32_t)wtl_trace_writer_thread(scene->writer, &thread);
    }
    for (size_t i = 0; i < 3; i++)
        scene->names[i] = (uint32_t)wtl_trace_writer_string(scene->writer, names[i]);
    return true;
}

static void mark(struct scene *scene, double s, int thread, enum wtl_mark_kind kind, int name)
{
    struct wtl_mark m = {.time_ns = START + (uint64_t)(s * 1e9),
                         .thread = scene->threads[thread],
                         .kind = kind,
                         .name = name < 0 ? 0 : scene->names[name]};
    if (kind == WTL_MARK_EVENT) {
        m.name = 7;
        m.value = (uint64_t)(s * 10);
    }
    (void)wtl_trace_writer_marks(scene->writer, &m, 1);
}

static struct wtl_trace_reader *end_scene(struct scene *scene, const char *path)
{
    struct wtl_trace_reader *reader = NULL;
    (void)wtl_trace_writer_window_end(scene->writer, START + 10 * SECOND);
    (void)wtl_trace_writer_finish(scene->writer, NULL);
    is_int(wtl_trace_reader_open(path, &reader, NULL), 0, "a trace");
    return reader;
}

static void check_band(const struct wtl_bands *bands,
                       size_t i,
                       unsigned row,
                       int name,
                       double begin_s,
                       double end_s)
{
    if (!ok(i < bands->band_count, "band %zu is there", i))
        return;
    const struct wtl_band *band = &bands->bands[i];
    is_int(band->row, row, "band %zu: its line", i);
    is_int(band->name, name, "its name");
    is_double((double)(band->begin_ns - START) * 1e-9, begin_s, 1e-9, "its begin");
    is_double((double)(band->end_ns - START) * 1e-9, end_s, 1e-9, "its end");
}

/* Nested, crossing, without an end, of two processes; with events. */
static void test_few(void)
{
    struct scene scene;
    struct wtl_bands bands;
    if (!ok(begin_scene(&scene, "bands-few.wtl"), "written"))
        return;
    mark(&scene, 1, 0, WTL_MARK_BEGIN, 0);
    mark(&scene, 2, 0, WTL_MARK_BEGIN, 1);
    mark(&scene, 3, 0, WTL_MARK_END, 1);
    mark(&scene, 4, 0, WTL_MARK_END, 0);
    mark(&scene, 1, 1, WTL_MARK_BEGIN, 0);
    mark(&scene, 2, 1, WTL_MARK_BEGIN, 1);
    mark(&scene, 3, 1, WTL_MARK_END, 0); /* crossing: c is below b, which is still open */
    mark(&scene, 4, 1, WTL_MARK_BEGIN, 2);
    mark(&scene, 5, 1, WTL_MARK_END, 2);
    mark(&scene, 6, 1, WTL_MARK_END, 1);
    mark(&scene, 7, 3, WTL_MARK_BEGIN, 2); /* ends with the window */
    for (int i = 0; i < 25; i++)
        mark(&scene, i * 0.1, 2, WTL_MARK_EVENT, -1);
    struct wtl_trace_reader *reader = end_scene(&scene, "bands-few.wtl");
    if (!reader || !is_int(wtl_bands_read(reader, &limits, &bands, NULL), 0, "read"))
        return;
    is_int((long)bands.band_count, 6, "a band for each");
    is_int((long)bands.merged_ns, 0, "none joined");
    is_int((long)bands.left_out, 0, "none left out");
    is_int((long)bands.row_count, 6, "lines: two, three, one");
    const struct {
        unsigned pid, tid, depth;
        int rank;
    } rows[] = {{10, 20, 0, -1}, {10, 20, 1, -1}, {10, 21, 0, -1},
                {10, 21, 1, -1}, {10, 21, 2, -1}, {11, 23, 0, 5}};
    for (size_t i = 0; i < 6 && i < bands.row_count; i++)
        ok(bands.rows[i].pid == rows[i].pid && bands.rows[i].tid == rows[i].tid &&
               bands.rows[i].depth == rows[i].depth && bands.rows[i].rank == rows[i].rank,
           "line %zu is %u/%u/%u", i, bands.rows[i].pid, bands.rows[i].tid, bands.rows[i].depth);
    int at[3] = {-1, -1, -1};
    for (size_t i = 0; i < bands.name_count; i++)
        at[bands.names[i][0] - 'a'] = (int)i;
    check_band(&bands, 0, 0, at[0], 1, 4);
    check_band(&bands, 1, 1, at[1], 2, 3);
    check_band(&bands, 2, 2, at[0], 1, 3);
    check_band(&bands, 3, 3, at[1], 2, 6);
    check_band(&bands, 4, 4, at[2], 4, 5);
    check_band(&bands, 5, 5, at[2], 7, 10);

    ok(bands.event_count >= 5 && bands.event_count <= 10, "%zu events", bands.event_count);
    is_int((long)(bands.event_count + bands.events_left_out), 25, "the others are counted");
    is_int((long)bands.events[0].value, 0, "the first is kept");
    uint64_t step = bands.events[1].value;
    for (size_t i = 1; i < bands.event_count; i++)
        ok(bands.events[i].value == step * i && bands.events[i].type == 7, "evenly thinned: %zu",
           i);
    wtl_bands_fini(&bands);
    wtl_trace_reader_close(reader);
}

/* 50000 bands in two bursts with a pause of 4 s in between, on two depths of two threads. */
static void test_many(void)
{
    enum { EACH = 12500 };
    struct scene scene;
    struct wtl_bands bands;
    if (!ok(begin_scene(&scene, "bands-many.wtl"), "written"))
        return;
    for (int burst = 0; burst < 2; burst++) {
        for (int i = 0; i < EACH; i++) {
            double s = burst * 7 + 3.0 * i / EACH;
            for (int t = 0; t < 2; t++)
                mark(&scene, s, t, WTL_MARK_BEGIN, i % 2);
            for (int t = 0; t < 2; t++)
                mark(&scene, s + 0.00015, t, WTL_MARK_END, i % 2);
        }
    }
    struct wtl_trace_reader *reader = end_scene(&scene, "bands-many.wtl");
    if (!reader || !is_int(wtl_bands_read(reader, &limits, &bands, NULL), 0, "read"))
        return;
    ok(bands.band_count <= limits.bands && bands.band_count >= 4, "%zu bands", bands.band_count);
    ok(bands.merged_ns > 0, "joined below %g s", (double)bands.merged_ns * 1e-9);
    is_int((long)bands.row_count, 2, "two lines");
    bool apart = true, in_pause = false, several = true;
    uint64_t last_ns = 0;
    for (size_t i = 0; i < bands.band_count; i++) {
        const struct wtl_band *band = &bands.bands[i];
        bool same = i > 0 && band->row == bands.bands[i - 1].row;
        apart &= !same || band->begin_ns >= bands.bands[i - 1].end_ns;
        in_pause |= band->begin_ns < START + 6 * SECOND && band->end_ns > START + 4 * SECOND;
        several &= band->share > 0.4f && band->share < 0.8f;
        last_ns = band->end_ns > last_ns ? band->end_ns : last_ns;
    }
    ok(apart, "those that are left do not overlap");
    ok(!in_pause, "the pause stays one");
    ok(several, "two names were joined");
    ok(last_ns > START + 9900 * SECOND / 1000, "up to the end");
    wtl_bands_fini(&bands);
    wtl_trace_reader_close(reader);
}

/* 19200 consecutive regions: a stretch is named after the region that fills most of it. */
static void test_most(void)
{
    enum { EACH = 6400 };
    struct scene scene;
    struct wtl_bands bands;
    if (!ok(begin_scene(&scene, "bands-most.wtl"), "written"))
        return;
    for (int i = 0; i < EACH; i++) {
        bool early = i < EACH / 2;
        double s = 10.0 * i / EACH, step = 10.0 / EACH;
        const double ends[] = {0, early ? 0.7 : 0.2, early ? 0.9 : 0.8, 1};
        for (int n = 0; n < 3; n++) {
            mark(&scene, s + ends[n] * step, 0, WTL_MARK_BEGIN, n);
            mark(&scene, s + ends[n + 1] * step, 0, WTL_MARK_END, n);
        }
    }
    struct wtl_trace_reader *reader = end_scene(&scene, "bands-most.wtl");
    if (!reader || !is_int(wtl_bands_read(reader, &limits, &bands, NULL), 0, "read"))
        return;
    ok(bands.band_count <= limits.bands && bands.band_count >= limits.bands / 8, "%zu bands",
       bands.band_count);
    size_t right = 0;
    for (size_t i = 0; i < bands.band_count; i++) {
        const struct wtl_band *band = &bands.bands[i];
        bool early = band->end_ns <= START + 5 * SECOND;
        bool late = band->begin_ns >= START + 5 * SECOND;
        const char *name = bands.names[band->name];
        right += !early && !late;
        right += early && name[0] == 'a' && fabsf(band->share - 0.7f) < 0.05f;
        right += late && name[0] == 'b' && fabsf(band->share - 0.6f) < 0.05f;
    }
    ok(10 * right >= 9 * bands.band_count, "%zu say what they are mostly, and for how much of it",
       right);
    wtl_bands_fini(&bands);
    wtl_trace_reader_close(reader);
}

/* Four threads, five levels each, and room for eight lines: the outer ones are shown completely. */
static void test_rows(void)
{
    struct scene scene;
    struct wtl_bands bands;
    if (!ok(begin_scene(&scene, "bands-rows.wtl"), "written"))
        return;
    for (int round = 0; round < 2; round++)
        for (int t = 0; t < 4; t++) {
            for (int depth = 0; depth < 5; depth++)
                mark(&scene, round * 5 + t + depth * 0.1, t, WTL_MARK_BEGIN, depth % 3);
            for (int depth = 4; depth >= 0; depth--)
                mark(&scene, round * 5 + t + 0.9 - depth * 0.1, t, WTL_MARK_END, depth % 3);
        }
    struct wtl_trace_reader *reader = end_scene(&scene, "bands-rows.wtl");
    if (!reader || !is_int(wtl_bands_read(reader, &limits, &bands, NULL), 0, "read"))
        return;
    is_int((long)bands.row_count, 8, "eight lines");
    is_int((long)bands.left_out, 12, "twelve are left out");
    is_int((long)bands.band_count, 16, "two bands in each that is shown");
    size_t outermost = 0;
    for (size_t i = 0; i < bands.row_count; i++) {
        outermost += bands.rows[i].depth == 0;
        ok(bands.rows[i].depth <= 1, "depth %u", bands.rows[i].depth);
    }
    is_int((long)outermost, 4, "each thread has its outermost");
    wtl_bands_fini(&bands);
    wtl_trace_reader_close(reader);
}

static void test_none(void)
{
    struct scene scene;
    struct wtl_bands bands;
    if (!ok(begin_scene(&scene, "bands-none.wtl"), "written"))
        return;
    struct wtl_trace_reader *reader = end_scene(&scene, "bands-none.wtl");
    if (!reader || !is_int(wtl_bands_read(reader, &limits, &bands, NULL), 0, "read"))
        return;
    ok(bands.band_count == 0 && bands.row_count == 0 && bands.event_count == 0, "no regions");
    wtl_bands_fini(&bands);
    wtl_trace_reader_close(reader);
}

int main(void)
{
    test_few();
    test_many();
    test_most();
    test_rows();
    test_none();
    return done_testing();
}
