/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter rows of a trace whose content is known: 100 s of 50 W and three counters, one of which restarts, one has a
 * failed read, one belongs to the set and was not counted. The energies add up to the run's.
 */
#define _GNU_SOURCE
#include "analysis/phases/counter_rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run_result.h"
#include "analysis/phases/phase.h"
#include "model/meta_key.h"
#include "tap.h"
#include "trace/writer.h"

#define SECOND UINT64_C(1000000000)
#define BEGIN  (1000 * SECOND)

enum { WITH_SET = 1, WITH_COUNTERS = 2, LIVE = 4, ROWS = 1000 /* of 100 ms */ };

static struct wattle_channel counter_channel(const char *name, const char *label)
{
    struct wattle_channel c = {.sub = -1,
                               .domain = WATTLE_DOMAIN_OTHER,
                               .quantity = WATTLE_EVENTS,
                               .kind = WATTLE_COUNTER,
                               .scale = 1};
    (void)snprintf(c.name, sizeof c.name, "counters:%s-0", name);
    (void)snprintf(c.sensor, sizeof c.sensor, "counters");
    (void)snprintf(c.label, sizeof c.label, "%s", label);
    return c;
}

static void write_gap(struct wtl_trace_writer *w,
                      uint32_t channel,
                      enum wtl_gap_reason reason,
                      uint64_t from_row,
                      uint64_t to_row)
{
    struct wtl_gap gap = {.channel = channel,
                          .reason = reason,
                          .begin_ns = BEGIN + from_row * SECOND / 10,
                          .end_ns = BEGIN + to_row * SECOND / 10};
    (void)wtl_trace_writer_gap(w, &gap);
}

/* 2 GHz, 1 G events/s before 50 s and 3 G after, and a counter whose read fails for 2 s. */
static void write_rows(struct wtl_trace_writer *w,
                       uint32_t energy,
                       uint32_t group,
                       unsigned what,
                       const uint32_t *ids)
{
    uint64_t joule = 0;
    for (uint64_t i = 0; i <= ROWS; i++) {
        uint64_t now = BEGIN + i * SECOND / 10, values[3] = {i * 200000000, 0, i * 1000};
        uint8_t missing[3] = {0, 0, i > 300 && i < 320};
        values[1] = i <= 500 ? i * 100000000 : 500 * UINT64_C(100000000) + (i - 500) * 300000000;
        joule = i * 5000; /* 1 mJ: 50 W */
        (void)wtl_trace_writer_row(w, energy, now, &joule, NULL);
        if (what & WITH_COUNTERS && !(what & LIVE && i > 900)) {
            if (i == 320)
                write_gap(w, ids[2], WTL_GAP_READ_FAILED, 300, 320);
            if (i == 703)
                write_gap(w, ids[1], WTL_GAP_RESET, 700, 703);
            (void)wtl_trace_writer_row(w, group, now, values, missing);
        }
        (void)wtl_trace_writer_poll(w, now);
    }
}

static int write_trace(const char *path, unsigned what)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel power = {.name = "powercap:package-0",
                                   .sensor = "powercap",
                                   .domain = WATTLE_DOMAIN_PACKAGE,
                                   .sub = -1,
                                   .quantity = WATTLE_ENERGY,
                                   .kind = WATTLE_COUNTER,
                                   .flags = WATTLE_CHANNEL_PRIMARY,
                                   .scale = 1e-3};
    struct wattle_channel channels[3] = {counter_channel("cpu_cycles", "CPU_CYCLES"),
                                         counter_channel("instructions", "INSTRUCTIONS"),
                                         counter_channel("page_faults", "FAULTS")};
    struct wtl_trace_writer *w;
    uint32_t ids[3], group = 0;
    int rc = wtl_trace_writer_create(path, &options, &w, NULL);
    if (rc < 0)
        return rc;
    (void)wtl_trace_writer_meta(w, WTL_META_HOST_NAME, "n1");
    if (what & WITH_SET) {
        (void)wtl_trace_writer_meta(w, WTL_META_COUNTERS_SET, "mine");
        (void)wtl_trace_writer_meta(w, WTL_META_COUNTERS_COLUMNS,
                                    "INSTRUCTIONS=perf:instructions;LOST=perf:lost;CPU_CYCLES=perf:"
                                    "cycles;FAULTS=cpu:faults");
    }
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &power);
    uint32_t energy = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    for (int i = 0; i < 3 && (what & WITH_COUNTERS); i++)
        ids[i] = (uint32_t)wtl_trace_writer_channel(w, &channels[i]);
    if (what & WITH_COUNTERS)
        group = (uint32_t)wtl_trace_writer_group(w, ids, 3, 0);
    struct wtl_clock_pair pair = {BEGIN, BEGIN, 1700000000 * SECOND};
    (void)wtl_trace_writer_clocks(w, &pair);
    (void)wtl_trace_writer_window_begin(w, BEGIN + SECOND / 20);
    write_rows(w, energy, group, what, ids);
    if (what & LIVE) {
        (void)wtl_trace_writer_flush(w);
        wtl_trace_writer_abandon(w);
        return 0;
    }
    (void)wtl_trace_writer_window_end(w, BEGIN + 99 * SECOND + SECOND / 20);
    return wtl_trace_writer_finish(w, NULL);
}

static int read_rows(const char *path,
                     uint64_t step_ns,
                     struct wtl_counter_rows *rows,
                     struct wattle_error *err,
                     double *ret_energy)
{
    struct wtl_trace_reader *reader;
    struct wtl_result result;
    int rc = wtl_trace_reader_open(path, &reader, err);
    if (rc < 0)
        return rc;
    if (ret_energy && wtl_run_result_read(reader, path, &result, NULL) == 0) {
        *ret_energy = result.energy.j;
        wtl_result_fini(&result);
    }
    rc = wtl_counter_rows_read(reader, step_ns, rows, err);
    wtl_trace_reader_close(reader);
    return rc;
}

static void test_set(const char *path)
{
    struct wtl_counter_rows rows;
    struct wattle_error err = {0};
    double energy = 0, sum = 0;
    is_int(read_rows(path, 0, &rows, &err, &energy), 0, "rows of a set %s", err.text);
    is_int(rows.step_ns, SECOND / 10, "of the interval of its counters");
    is_int(rows.rows, 990, "over the run");
    is_int(rows.columns, 4, "with all columns of the set");
    is_str(rows.names[0], "INSTRUCTIONS", "in its order");
    is_str(rows.set, "mine", "its name");
    is_str(rows.host, "n1", "the node");
    for (size_t k = 0; k < rows.rows; k++)
        sum += rows.energy_j[k];
    ok(fabs(sum - energy) < 1e-9 * energy && fabs(energy - 4950) < 1,
       "energy %.9g J, of the run %.9g", sum, energy);
    ok(fabs(rows.power_w[10] - 50) < 1e-6, "power");
    ok(fabs(rows.rate[2] - 2e9) < 1 && fabs(rows.rate[10 * 4] - 1e9) < 1 &&
           fabs(rows.rate[800 * 4] - 3e9) < 1,
       "rates");
    is_int(rows.missing_of[1], 990, "the column that was not counted");
    ok(isnan(rows.rate[1]), "is unknown");
    ok(rows.missing_of[0] >= 2 && rows.missing_of[0] <= 4 && rows.missing[WTL_ROW_RESTARTED] >= 1,
       "the restart is %zu missing rows", rows.missing_of[0]);
    ok(fabs(rows.rate[310 * 4 + 3] - 1e4) < 1, "a counter counts on while it is not read");
    is_int(rows.missing[WTL_ROW_NOT_SAMPLED], 990, "nothing else is missing");
    struct wtl_phase_options options = wtl_phase_options_default();
    struct wtl_phase_list phases;
    is_int(wtl_phases_find(&rows, &options, &phases, &err), 0, "its phases %s", err.text);
    ok(phases.count == 2 && phases.list[1].first >= 499 && phases.list[1].first <= 501, "two, %zu",
       phases.count);
    wtl_phases_fini(&phases);
    wtl_counter_rows_fini(&rows);
    is_int(read_rows(path, 7 * SECOND, &rows, &err, NULL), 0, "rows of 7 s");
    ok(rows.rows == 15 && wtl_counter_rows_end(&rows, 14) == rows.end_ns,
       "the last one is shorter");
    wtl_counter_rows_fini(&rows);
    is_int(read_rows(path, 1000, &rows, &err, NULL), -ERANGE, "too many rows");
    ok(strstr(err.text, "longer step") != NULL, "says so: %s", err.text);
}

static void test_without_set(const char *path)
{
    struct wtl_counter_rows rows;
    struct wattle_error err = {0};
    is_int(read_rows(path, 0, &rows, &err, NULL), 0, "a trace that does not name its counters %s",
           err.text);
    is_int(rows.columns, 3, "has those that count events");
    is_str(rows.names[0], "CPU_CYCLES", "by label");
    is_int(rows.step_ns, SECOND / 10, "in rows of their usual distance");
    wtl_counter_rows_fini(&rows);
}

static void test_without_counters(const char *path)
{
    struct wtl_counter_rows rows;
    struct wattle_error err = {0};
    is_int(read_rows(path, 0, &rows, &err, NULL), -ENODATA, "no counters");
    ok(strstr(err.text, "--counters") != NULL, "and how to record them: %s", err.text);
}

/* While a trace is written, its last blocks end at different times: what is not there yet is unknown, not 0. */
static void test_live(const char *path)
{
    struct wtl_counter_rows rows;
    struct wattle_error err = {0};
    size_t zeros = 0, unknown = 0;
    is_int(read_rows(path, 0, &rows, &err, NULL), 0, "a trace that is not finished %s", err.text);
    is_int(rows.rows, 1000, "to its last sample");
    for (size_t k = 0; k < rows.rows; k++) {
        zeros += rows.rate[k * 4 + 2] < 1e9 ? 1 : 0;
        unknown += isnan(rows.rate[k * 4 + 2]) ? 1 : 0;
    }
    is_int(zeros, 0, "no counter is 0 after its last sample");
    ok(unknown >= 99 && unknown <= 101, "it is unknown in %zu rows", unknown);
    ok(fabs(rows.power_w[950] - 50) < 1e-6, "power is known there");
    wtl_counter_rows_fini(&rows);
}

int main(void)
{
    const char path[] = "counter_rows.wtl";
    if (write_trace(path, WITH_SET | WITH_COUNTERS) < 0)
        skip_all("cannot write a trace here");
    test_set(path);
    (void)write_trace(path, WITH_COUNTERS);
    test_without_set(path);
    (void)write_trace(path, 0);
    test_without_counters(path);
    (void)write_trace(path, WITH_SET | WITH_COUNTERS | LIVE);
    test_live(path);
    (void)unlink(path);
    is_str(wtl_row_reason_name(WTL_ROW_RESTARTED), "counter restarted", "a reason");
    is_str(wtl_row_reason_name((enum wtl_row_reason)9), "?", "or none");
    return done_testing();
}
