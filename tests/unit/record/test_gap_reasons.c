/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A gap of each reason, on a counter and on a power sensor, for all consumers of samples: 100 W
 * from 0.5 to 5.5 s, the window from 1 to 5 s, the gap from 2 to 3 s. All must know the same energy
 * and leave the same time unknown.
 */
#define _GNU_SOURCE
#include <math.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "analysis/cluster/run_cells.h"
#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_result.h"
#include "analysis/cluster/run_totals.h"
#include "base/world/world_recorded.h"
#include "model/gap.h"
#include "record/replay.h"
#include "source/registry.h"
#include "tap.h"
#include "trace/reader.h"
#include "trace/resume.h"
#include "trace/writer.h"

#define PATH "gap_reasons.wtl"
#define MS   UINT64_C(1000000)
#define ZERO (1000 * MS) /* clock time of 0 s */

struct sort {
    enum wtl_gap_reason reason;
    enum wattle_kind kind;
};

static bool loses(const struct sort *sort)
{
    return wtl_gap_loses_energy(sort->reason, sort->kind);
}

static void write_marks(struct wtl_trace_writer *w)
{
    static const struct {
        const char *name;
        unsigned begin_ms, end_ms, thread;
    } rows[] = {{"before", 1200, 1800, 0},
                {"into", 1950, 2050, 0},
                {"over", 1500, 3500, 1},
                {"behind", 3200, 4000, 0}};
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "a.out"};
    struct wtl_trace_thread thread = {.name = ""};
    uint32_t threads[2];

    thread.process = (uint32_t)wtl_trace_writer_process(w, &process);
    for (int i = 0; i < 2; i++) {
        thread.tid = 1 + (uint32_t)i;
        threads[i] = (uint32_t)wtl_trace_writer_thread(w, &thread);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_mark marks[2] = {
            {.kind = WTL_MARK_BEGIN, .time_ns = ZERO + rows[i].begin_ms * MS},
            {.kind = WTL_MARK_END, .time_ns = ZERO + rows[i].end_ms * MS}};
        for (int k = 0; k < 2; k++) {
            marks[k].thread = threads[rows[i].thread];
            marks[k].name = (uint32_t)wtl_trace_writer_string(w, rows[i].name);
        }
        (void)wtl_trace_writer_marks(w, marks, 2);
    }
}

/* The value at a time, as passed on by the recorder: over a gap that loses energy ticks do not
 * change. */
static uint64_t value_at(const struct sort *sort, uint64_t ms)
{
    uint64_t lost_ms = 0;

    if (sort->kind != WATTLE_COUNTER)
        return 100000;
    if (loses(sort) && ms > 2000)
        lost_ms = ms < 3000 ? ms - 2000 : 1000;
    return (ms - 500 - lost_ms) * 100000;
}

static void write_rows(struct wtl_trace_writer *w, const struct sort *sort, uint32_t group)
{
    for (uint64_t ms = 500; ms <= 5500; ms += 10) {
        struct wtl_gap gap = {
            .reason = sort->reason, .begin_ns = ZERO + 2000 * MS, .end_ns = ZERO + 3000 * MS};
        bool inside = ms > 2000 && ms < 3000;
        /* A stall is not noticed at once: its first samples look good. Power sensors do not
         * stall. */
        bool early = sort->reason == WTL_GAP_STALLED && sort->kind == WATTLE_COUNTER && ms < 2250;
        bool missing = inside && !early;
        uint64_t value = value_at(sort, ms);
        uint8_t absent = 1;

        if (ms == 1000)
            (void)wtl_trace_writer_window_begin(w, ZERO + ms * MS);
        if (ms == 5000)
            (void)wtl_trace_writer_window_end(w, ZERO + ms * MS);
        if (ms == 3000)
            (void)wtl_trace_writer_gap(w, &gap);
        if (!missing)
            (void)wtl_trace_writer_row(w, group, ZERO + ms * MS, &value, NULL);
        else if (sort->reason == WTL_GAP_READ_FAILED || sort->reason == WTL_GAP_STALLED)
            (void)wtl_trace_writer_row(w, group, ZERO + ms * MS, &value, &absent);
        (void)wtl_trace_writer_poll(w, ZERO + ms * MS);
    }
}

static bool make_trace(const struct sort *sort, bool finish)
{
    bool counter = sort->kind == WATTLE_COUNTER;
    struct wattle_channel channel = {.name = "known:node-0",
                                     .sensor = "known",
                                     .domain = WATTLE_DOMAIN_NODE,
                                     .sub = -1,
                                     .quantity = counter ? WATTLE_ENERGY : WATTLE_POWER,
                                     .kind = sort->kind,
                                     .flags = WATTLE_CHANNEL_PRIMARY,
                                     .scale = counter ? 1e-6 : 1e-3,
                                     .refresh_ns = MS};
    static const struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_clock_pair pair = {ZERO, ZERO, ZERO};

    if (wtl_trace_writer_create(PATH, &options, &w, NULL) < 0)
        return false;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);

    (void)wtl_trace_writer_meta(w, "run.command", "./app");
    (void)wtl_trace_writer_meta(w, "sampler.interval_ns", "10000000");
    if (counter)
        (void)wtl_trace_writer_origin(w, id, 7);
    (void)wtl_trace_writer_clocks(w, &pair);
    write_rows(w, sort, group);
    write_marks(w);
    if (finish)
        return wtl_trace_writer_finish(w, NULL) == 0;
    (void)wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    return true;
}

static void check_total(const struct sort *sort)
{
    struct wtl_trace_reader *reader;
    struct wtl_summary summary;
    struct wtl_result result;

    if (!ok(wtl_trace_reader_open(PATH, &reader, NULL) == 0, "opened"))
        return;
    is_int(wtl_trace_reader_summary(reader, 0, &summary, NULL), 0, "summary");
    is_double(summary.amount, loses(sort) ? 300 : 400, 0.5, "its energy");
    is_double((double)summary.unknown_ns * 1e-9, loses(sort) ? 1 : 0, 1e-6, "its unknown time");
    is_double(summary.mean_w, 100, 0.2, "its power");
    is_int(wtl_run_result_read(reader, PATH, &result, NULL), 0, "result");
    is_double(result.energy.j, loses(sort) ? 300 : 400, 0.5, "total");
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
}

static void check_joules(double got_j, const char *name, const struct sort *sort)
{
    if (strcmp(name, "before") == 0)
        is_double(got_j, 60, 0.5, "region before");
    if (strcmp(name, "behind") == 0)
        is_double(got_j, 80, 0.5, "region behind");
    if (loses(sort) && (strcmp(name, "into") == 0 || strcmp(name, "over") == 0))
        ok(isnan(got_j), "region %s is not known: %g", name, got_j);
    else if (strcmp(name, "over") == 0)
        is_double(got_j, 200, 0.5, "region over");
}

static void check_regions(const struct sort *sort)
{
    struct wtl_trace_reader *reader;
    const struct wtl_region_summary *regions;

    if (!ok(wtl_trace_reader_open(PATH, &reader, NULL) == 0, "opened"))
        return;
    int count = wtl_trace_reader_regions(reader, &regions, NULL);

    is_int(count, 5, "regions");
    for (int i = 0; i < count; i++)
        check_joules(regions[i].inclusive[0].j, regions[i].name, sort);
    wtl_trace_reader_close(reader);
}

/* Power over time, from the pyramid: lost time has none, and no cell has a power that did not
 * occur. */
static void check_cells(const struct sort *sort,
                        const struct wtl_run *run,
                        const struct wtl_run_totals *totals)
{
    struct wtl_run_cells cells;
    struct wtl_run_cells_node place;
    uint64_t offset = 0, wrong = 0, lost = 0;
    FILE *file = tmpfile();

    if (!ok(file && wtl_run_cells_init(&cells, run, totals, 100 * MS, NULL) == 0, "cells"))
        return;
    is_int(wtl_run_cells_write(&cells, 0, fileno(file), &offset, &place, NULL), 0, "written");
    size_t columns = cells.column_count;
    double *power = calloc(place.count * columns + 1, sizeof *power),
           *room = calloc(place.count + 1, sizeof *room);
    uint8_t *tags = calloc(place.count * cells.tag_bytes + 1, 1);

    is_int(wtl_run_cells_read(&cells, &place, fileno(file), place.first, place.count, room, power,
                              tags),
           0, "read");
    for (uint64_t i = 0; i < place.count; i++) {
        double got = power[i * columns + WTL_CELLS_TOTAL];

        lost += isnan(got) ? 1 : 0;
        wrong += !isnan(got) && fabs(got - 100) > 1;
    }
    is_int(wrong, 0, "no cell shows another power");
    is_int(lost, loses(sort) ? 10 : 0, "cells without one");
    free(power);
    free(room);
    free(tags);
    (void)fclose(file);
    wtl_run_cells_node_fini(&place);
    wtl_run_cells_fini(&cells);
}

/* Plots leave each gap open. */
static void check_report(const struct sort *sort, const struct wtl_run *run)
{
    static const struct wtl_profile_options options = {.cells = 100};
    struct wtl_run_profile profile;
    uint64_t shown = 0, known = 0;

    if (!ok(wtl_run_profile_read(run, &options, &profile, NULL) == 0, "a report of it"))
        return;
    is_double(profile.parts[0].sum.energy.j, loses(sort) ? 300 : 400, 0.5, "energy of the report");
    for (size_t i = 0; i < profile.region_count; i++)
        check_joules(profile.regions[i].sum->inclusive.energy.j, profile.regions[i].sum->name,
                     sort);
    for (size_t k = 0; k < profile.cells; k++) {
        double at_s = ((double)k + 0.5) * profile.cell_s;
        double power = (double)profile.node_w[k];

        shown += at_s > 1.3 && at_s < 1.97 && !isnan(power) && fabs(power - 100) > 1;
        known += (at_s < 0.9 || at_s > 2.1) && fabs(power - 100) < 1;
    }
    is_int(shown, 0, "no other power in the gap");
    ok(known > 60, "power beside it: %d of 100 cells", (int)known);
    wtl_run_profile_fini(&profile);
}

static void check_reduce(const struct sort *sort)
{
    char path[] = PATH, *const paths[] = {path};
    struct wtl_run *run;
    struct wtl_run_totals totals;

    if (!ok(wtl_run_open(paths, 1, NULL, &run, NULL) == 0, "a run of it"))
        return;
    is_int(wtl_run_totals_of(run, &totals, NULL), 0, "added up");
    is_double(totals.measured.energy.j, loses(sort) ? 300 : 400, 0.5, "energy of the run");
    for (size_t i = 0; i < totals.region_count; i++)
        check_joules(totals.regions[i].inclusive.energy.j, totals.regions[i].name, sort);
    check_cells(sort, run, &totals);
    check_report(sort, run);
    wtl_run_totals_fini(&totals);
    wtl_run_close(run);
}

static void check_resume(const struct sort *sort)
{
    struct wtl_trace_writer *w;

    if (!ok(make_trace(sort, false) && wtl_trace_resume(PATH, &w, NULL) == 0, "resumed"))
        return;
    const struct wtl_trace_resumed *was = wtl_trace_writer_resumed(w);

    if (sort->kind == WATTLE_COUNTER)
        is_int(was->channels[0].raw_known, !wtl_gap_stops_ticks(sort->reason),
               "its raw reading follows");
    wtl_trace_writer_abandon(w);
}

/* As if it were live: in the gap nothing is read; after one that lost energy the counter was
 * reset. */
static void check_replay(const struct sort *sort)
{
    struct wtl_request request = {
        .drivers = wtl_drivers, .which = "replay:" PATH, .activity = true};
    struct wtl_selection *selection = NULL;
    struct wtl_world *world = NULL;
    struct wattle_reading reading;
    uint64_t last = 0, resets = 0, failed = 0;

    if (!ok(wtl_world_recorded(WATTLE_SOURCE_DIR "/tests/hosts/container", &world, NULL) == 0 &&
                wtl_replay_or_select(&request, world, &selection, NULL) == 0,
            "replayed"))
        return;
    uint64_t start_ns = wtl_world_monotonic(world);
    struct wtl_source *source = selection->picks[0].source;

    for (uint64_t ms = 500; ms < 5500; ms += 10) {
        (void)world->ops->sleep_until(world, start_ns + (ms - 500) * MS + MS / 2);
        source->driver->read(source, selection->picks[0].at, 1, &reading);
        failed += reading.status != 0;
        if (reading.status == 0 && sort->kind == WATTLE_COUNTER) {
            resets += last && (reading.raw ^ last) >> 63;
            last = reading.raw;
        }
    }
    is_int(failed, 100, "reads that fail: those of the gap");
    is_int(resets, sort->kind == WATTLE_COUNTER && loses(sort), "resets");
    wtl_selection_close(selection);
    wtl_world_close(world);
}

int main(void)
{
    static const enum wattle_kind kinds[] = {WATTLE_COUNTER, WATTLE_GAUGE};

    for (int r = 0; r < WTL_GAP_REASON_COUNT; r++) {
        for (size_t k = 0; k < 2; k++) {
            struct sort sort = {(enum wtl_gap_reason)r, kinds[k]};

            if (!ok(make_trace(&sort, true), "%s, %s", wtl_gap_reason_name(sort.reason),
                    wattle_kind_name(sort.kind)))
                continue;
            check_total(&sort);
            check_regions(&sort);
            check_reduce(&sort);
            check_replay(&sort);
            check_resume(&sort);
        }
    }
    (void)unlink(PATH);
    return done_testing();
}
