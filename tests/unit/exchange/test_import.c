/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of known content converted to traces: values, gaps, energy, clocks; each fault of the data
 * reported with its column and line, and none for good data; invalid input refused with file and
 * line.
 */
#define _GNU_SOURCE
#include "exchange/import/import.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "tap.h"
#include "trace/reader.h"

static char folder[] = "/tmp/wattle-import.XXXXXX";
static char text[1 << 20];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, ap);
    va_end(ap);
}

/* Write the buffered text as file number n, and clear it. */
static const char *save(int n)
{
    static char paths[4][64];
    (void)snprintf(paths[n], sizeof paths[n], "%s/%d.csv", folder, n);
    FILE *f = fopen(paths[n], "w");
    (void)fwrite(text, 1, used, f);
    (void)fclose(f);
    used = 0;
    text[0] = '\0';
    return paths[n];
}

/* Read the text as one file in both passes. *ret_import for wtl_import_destroy(), NULL on
 * failure. */
static int import_with(struct wtl_import_options options,
                       struct wtl_import **ret_import,
                       struct wtl_trace_reader **ret_reader,
                       struct wattle_error *err)
{
    static struct wtl_import_options kept;
    static const char *paths[1];
    char trace[64];
    struct wtl_trace_writer *writer = NULL;
    *ret_import = NULL;
    if (ret_reader)
        *ret_reader = NULL;
    if (!options.paths) {
        paths[0] = save(0);
        options.paths = paths;
        options.path_count = 1;
    }
    kept = options;
    (void)snprintf(trace, sizeof trace, "%s/t.wtl", folder);
    int rc = wtl_import_create(&kept, ret_import, err);
    rc = rc < 0 ? rc : wtl_import_survey(*ret_import, err);
    if (rc == 0 && ret_reader)
        rc = wtl_trace_writer_create(trace, &(struct wtl_trace_options){.force = true}, &writer,
                                     err);
    rc = rc < 0 ? rc : wtl_import_write(*ret_import, writer, err);
    if (writer && rc == 0) {
        wtl_import_put_meta(*ret_import, writer);
        rc = wtl_trace_writer_finish(writer, err);
        rc = rc < 0 ? rc : wtl_trace_reader_open(trace, ret_reader, err);
    } else {
        wtl_trace_writer_abandon(writer);
    }
    if (rc < 0) {
        wtl_import_destroy(*ret_import);
        *ret_import = NULL;
    }
    return rc;
}

static const struct wtl_import_options plain = {.table = {.header = -1}};

static const struct wtl_import_fault *find_fault(const struct wtl_import *import,
                                                 const char *kind,
                                                 const char *header)
{
    for (size_t i = 0; import && i < import->fault_count; i++) {
        const struct wtl_import_fault *fault = &import->faults[i];
        const char *name = fault->column < 0 ? "" : import->columns[fault->column].header;
        if (strcmp(fault->kind, kind) == 0 && strcmp(name, header) == 0)
            return fault;
    }
    return NULL;
}

static double energy_of(struct wtl_trace_reader *reader, const char *name)
{
    struct wtl_summary summary;
    struct wattle_error err = {""};
    int id = wtl_trace_reader_find_channel(reader, name);
    if (id < 0 || wtl_trace_reader_summary(reader, (size_t)id, &summary, &err) < 0)
        return (double)NAN;
    return summary.amount;
}

static double unknown_of(struct wtl_trace_reader *reader, const char *name)
{
    struct wtl_summary summary;
    struct wattle_error err = {""};
    int id = wtl_trace_reader_find_channel(reader, name);
    if (id < 0 || wtl_trace_reader_summary(reader, (size_t)id, &summary, &err) < 0)
        return (double)NAN;
    return (double)summary.unknown_ns * 1e-9;
}

/* Reproducible noise. */
static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static void test_values(void)
{
    struct wtl_import *import;
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    say("\xEF\xBB\xBFTime;\"PkgWatt\";dram_energy_uj;note\r\n");
    for (int i = 0; i < 100; i++)
        say("%d,5;%s;%d;run\r\n", 1767225600 + i,
            i == 10   ? "NaN"
            : i == 20 ? ""
            : i % 2   ? "40,25"
                      : "40,75",
            i * 2500000);
    is_int(import_with(plain, &import, &reader, &err), 0, "a semicolon file %s", err.text);
    if (!import)
        return;
    is_double(energy_of(reader, "csv:package-0"), 40.5 * 95, 1e-6,
              "power x time, but for the gaps");
    is_double(energy_of(reader, "csv:dram-0"), 2.5 * 99, 1e-9, "energy of the counter in uJ");
    int package = wtl_trace_reader_find_channel(reader, "csv:package-0");
    int dram = wtl_trace_reader_find_channel(reader, "csv:dram-0");
    ok(package >= 0 && dram >= 0 &&
           wtl_trace_reader_channel(reader, (size_t)package)->channel.flags &
               WATTLE_CHANNEL_IN_TOTAL &&
           wtl_trace_reader_channel(reader, (size_t)dram)->channel.flags & WATTLE_CHANNEL_IN_TOTAL,
       "the trace says that the total adds both up");
    uint64_t ns = 0;
    is_int(wtl_trace_reader_realtime(reader, 1767225610500000000, &ns), 0, "it has a wall clock");
    is_int(ns, 1767225610500000000, "which is the file's");
    ok(find_fault(import, "cells without a value", "PkgWatt"), "the NaN is named");
    is_int(find_fault(import, "cells without a value", "PkgWatt")->line, 12, "by its line");
    is_int(import->fault_count, 1, "and nothing else");
    is_int(import->gaps, 2, "two gaps");
    is_str(wtl_trace_reader_meta(reader, "clock.name"), "CLOCK_REALTIME of the recording", "clock");
    ok(wtl_trace_reader_meta(reader, "import.fault.1"), "the fault is in the trace");
    ok(wtl_trace_reader_meta(reader, "flag.IMPORT_FAULTS"), "and flags its results");
    is_str(import->columns[3].why, "text", "the note is left out");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);
}

/* Two sockets and a meter with phases; one thing is wrong. */
static void say_node(int rows, int late, bool twice, int missing, double factor)
{
    unsigned state = 7;
    double joules = 0, power[2] = {0, 0}, before[3] = {0, 0, 0};
    say("time_s,package-0 [W],package-1 [W],package-0 energy [J],node [W]\n");
    for (int i = 0; i < rows; i++) {
        double base = i / 37 % 2 ? 150 : 60;
        power[0] = base + 30 * noise(&state);
        power[1] = twice ? power[0] : 0.7 * base + 30 * noise(&state);
        joules += i ? power[0] : 0;
        double node = 1.1 * (power[0] + power[1]) + 90 + 2 * noise(&state);
        double shown = late == 1 ? before[0] : late == 2 ? before[1] : node;
        before[2] = before[1];
        before[1] = before[0];
        before[0] = node;
        if (i < late || (missing && i > 50 && i <= 50 + missing))
            continue;
        say("%d,%.3f,%.3f,%.6f,%.2f\n", i, power[0] * (i > 100 && i < 110 ? factor : 1), power[1],
            joules, shown);
    }
}

static void test_late(void)
{
    struct wtl_import *import;
    struct wattle_error err = {""};
    say_node(400, 0, false, 0, 1);
    is_int(import_with(plain, &import, NULL, &err), 0, "a good file %s", err.text);
    is_int(import ? import->fault_count : 99, 0, "has no fault%s%s",
           import && import->fault_count ? ": " : "",
           import && import->fault_count ? import->faults[0].text : "");
    wtl_import_destroy(import);
    for (int late = 1; late <= 2; late++) {
        say_node(400, late, false, 0, 1);
        is_int(import_with(plain, &import, NULL, &err), 0, "late by %d %s", late, err.text);
        const struct wtl_import_fault *fault = find_fault(import, "late column", "node [W]");
        ok(fault && fault->count == (uint64_t)late && fault->confidence > 0.99, "is named: %s",
           fault ? fault->text : "no");
        is_int(import->fault_count, 1, "and nothing else");
        wtl_import_destroy(import);
    }
    const char *shifts[] = {"node [W]=-1row"};
    struct wtl_import_options options = plain;
    options.shifts = shifts;
    options.shift_count = 1;
    say_node(400, 1, false, 0, 1);
    is_int(import_with(options, &import, NULL, &err), 0, "moved back %s", err.text);
    is_int(import ? import->fault_count : 99, 0, "it agrees");
    wtl_import_destroy(import);

    for (int gpus = 3; gpus <= 8; gpus += 5) {
        unsigned state = 7;
        const char *split = "gpu";
        options = plain;
        options.split = &split;
        options.split_count = 1;
        options.table.time = "time [ms]:ms";
        say("time [ms],gpu,power [W]\n");
        for (int i = 0; i < 120 * gpus; i++)
            say("%d,%d,%.2f\n", i / gpus * 1000 + i % gpus * 2, i % gpus,
                (i / gpus / 11 % 2 ? 300 : 100) + 5 * noise(&state));
        is_int(import_with(options, &import, NULL, &err), 0, "%d GPUs in turn %s", gpus, err.text);
        is_int(import ? import->fault_count : 99, 0, "with the same load are not late");
        wtl_import_destroy(import);
    }
}

static void test_faults(void)
{
    struct wtl_import *import;
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    say_node(400, 0, true, 0, 1);
    is_int(import_with(plain, &import, NULL, &err), 0, "a package twice %s", err.text);
    ok(find_fault(import, "duplicate", "package-1 [W]"), "is named");
    is_int(import->fault_count, 1, "and nothing else");
    wtl_import_destroy(import);

    say_node(400, 0, false, 7, 1);
    is_int(import_with(plain, &import, &reader, &err), 0, "rows are missing %s", err.text);
    const struct wtl_import_fault *fault = find_fault(import, "missing rows", "");
    ok(fault && fault->count == 7 && fault->line == 53, "7 of them, before line 53");
    is_int(import->gaps, 4, "a gap of each channel");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    say_node(400, 0, false, 0, 1000);
    is_int(import_with(plain, &import, NULL, &err), 0, "mW among W %s", err.text);
    fault = find_fault(import, "mixed units", "package-0 [W]");
    ok(fault && fault->count == 9 && fault->line == 103, "9 rows from line 103: %s",
       fault ? fault->text : "no");
    wtl_import_destroy(import);

    say("t_s,power_w,core_power_w,gpu [degC],tsc [MHz]\n");
    for (int i = 0; i < 30; i++)
        say("%d,50,0,41,2400\n", i);
    is_int(import_with(plain, &import, NULL, &err), 0, "constant columns %s", err.text);
    ok(find_fault(import, "constant column", "power_w"), "one that stands still");
    fault = find_fault(import, "constant column", "core_power_w");
    ok(fault && strstr(fault->text, "no such sensor"), "one that is 0");
    is_int(import ? import->fault_count : 99, 2, "temperature and clock may stand still");
    wtl_import_destroy(import);
}

static void test_counters(void)
{
    struct wtl_import *import;
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    say("t_s,package_energy_j\n");
    for (int i = 0; i < 50; i++)
        say("%d,%.6f\n", i, fmod(262000 + 100.0 * i, 262143.328850));
    is_int(import_with(plain, &import, &reader, &err), 0, "a wrap %s", err.text);
    ok(find_fault(import, "counter wraps", "package_energy_j"), "is named");
    is_double(energy_of(reader, "csv:package-0"), 4900, 1e-6, "and counted");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    say("t_s,package_energy_j\n");
    for (int i = 0; i < 50; i++)
        say("%d,%d\n", i, i < 30 ? 5000 + 100 * i : 100 * (i - 30));
    is_int(import_with(plain, &import, &reader, &err), 0, "a reset %s", err.text);
    const struct wtl_import_fault *fault = find_fault(import, "counter reset", "package_energy_j");
    ok(fault && fault->line == 32, "is named by its line");
    is_double(energy_of(reader, "csv:package-0"), 4700, 1e-6,
              "what was counted before it and from the second value after it");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    for (int kind = 0; kind < 2; kind++) {
        say("t_s,package_energy_j\n");
        for (int i = 0; i < 50; i++)
            say("%d,%.3f\n", i, i != 30 ? 5000 + 100.0 * i : kind ? 0.001 : 9e7);
        is_int(import_with(plain, &import, &reader, &err), 0, "a glitch %s", err.text);
        fault = find_fault(import, "counter glitch", "package_energy_j");
        ok(fault, "is named");
        is_double(energy_of(reader, "csv:package-0"), 4900, 1e-6, "and the counter goes on");
        is_int(import ? import->gaps : 0, 1, "after a gap");
        wtl_trace_reader_close(reader);
        wtl_import_destroy(import);
    }

    /* 90 J low, and near the last value again after two rows: the rate tells which course it is on. */
    say("t_s,package_energy_j\n");
    for (int i = 0; i < 50; i++)
        say("%d,%d\n", i, 5000 + 50 * i - (i == 30 ? 90 : 0));
    is_int(import_with(plain, &import, &reader, &err), 0, "a small glitch %s", err.text);
    is_double(energy_of(reader, "csv:package-0"), 2450, 1e-6, "costs nothing");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    for (int rows = 3; rows <= 12; rows += 9) {
        say("t_s,package_energy_j\n");
        for (int i = 0; i < 50; i++)
            say("%.1f,%d\n", i / 10.0, 5000 + 10 * i - (i >= 30 && i < 30 + rows ? 25 : 0));
        is_int(import_with(plain, &import, &reader, &err), 0, "%d low values %s", rows, err.text);
        if (rows == 3)
            is_double(energy_of(reader, "csv:package-0"), 490, 1e-6, "cost nothing");
        else
            is_double(energy_of(reader, "csv:package-0"), 420, 1e-6,
                      "of 1.2 s: 0.6 s are unknown, and 0.1 s when they end");
        wtl_trace_reader_close(reader);
        wtl_import_destroy(import);
    }

    say("t_s,package_energy_j\n");
    for (int i = 0; i < 50; i++)
        say("%d,%d\n", i, 5000 + 50 * i - (i >= 30 ? 90 : 0));
    is_int(import_with(plain, &import, &reader, &err), 0, "lower for good %s", err.text);
    is_double(energy_of(reader, "csv:package-0"), 2350, 1e-6, "is a reset: two rows are unknown");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    /* Too high, by what could have been counted: what that counted is no energy. */
    static const int high[] = {60, 500, 3000};
    for (size_t k = 0; k < sizeof high / sizeof *high; k++) {
        say("t_s,package_energy_j\n");
        for (int i = 0; i < 50; i++)
            say("%d,%d\n", i, 5000 + 50 * i + (i == 30 ? high[k] : 0));
        is_int(import_with(plain, &import, &reader, &err), 0, "%d J high %s", high[k], err.text);
        is_double(energy_of(reader, "csv:package-0"), 2300, 1e-6, "three rows are unknown");
        is_double(import ? import->columns[1].amount : 0, 2350, 1e-6, "and the report knows that");
        wtl_trace_reader_close(reader);
        wtl_import_destroy(import);
    }

    /* Another known range would explain the fall from it, but is not that of the counter. */
    for (int at = 31; at <= 32; at++) {
        say("t_s,package_energy_j\n");
        for (int i = 0; i < 100; i++)
            say("%d,%.6f\n", 10 * i,
                fmod(262143.328850 - 14750 + 500.0 * i, 262143.328850) + (i == at ? 1500 : 0));
        is_int(import_with(plain, &import, &reader, &err), 0, "a wrap, then a high value %s",
               err.text);
        is_double(energy_of(reader, "csv:package-0"), 48000, 2, "one wrap is counted");
        is_int(import ? import->gaps : 0, 1, "one gap");
        wtl_trace_reader_close(reader);
        wtl_import_destroy(import);
    }

    say("t_s,package_energy_j\n");
    for (int i = 0; i < 50; i++)
        say("%d,%d\n", i, i == 49 ? 7 : 5000 + 50 * i);
    is_int(import_with(plain, &import, &reader, &err), 0, "a glitch at the end %s", err.text);
    is_double(energy_of(reader, "csv:package-0"), 2400, 1e-6, "the rest is known");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    /* Cores are parts of their package. */
    say("t_s,package_energy_j,core0_energy_j,core1_energy_j\n");
    for (int i = 0; i < 20; i++)
        say("%d,%d,%d,%d\n", i, 5000 + 100 * i, 10 * i, 20 * i);
    is_int(import_with(plain, &import, &reader, &err), 0, "cores %s", err.text);
    int core = wtl_trace_reader_find_channel(reader, "csv:core-0-1");
    ok(core >= 0 && !(wtl_trace_reader_channel(reader, (size_t)core)->channel.flags &
                      WATTLE_CHANNEL_IN_TOTAL),
       "are not added to it");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    /* Counted per row: what rows that are missing counted is lost, in all columns that do. */
    say("t_s,a_energy_delta_j,b_energy_delta_j,b_power_w\n");
    for (int i = 0; i < 30; i++) {
        if (i < 10 || i > 14)
            say("%d,%d,%d,%d\n", i, 49 + i % 3, 99 + i % 3, 100 + i % 3);
    }
    struct wtl_import_options by_row = plain;
    static const char *const targets[] = {"a_energy_delta_j=package-0:energy:J:delta",
                                          "b_energy_delta_j=package-1:energy:J:delta"};
    by_row.columns = targets;
    by_row.column_count = 2;
    is_int(import_with(by_row, &import, &reader, &err), 0, "missing rows %s", err.text);
    ok(find_fault(import, "missing rows", ""), "are named");
    is_int(import ? import->gaps : 0, 3, "and are gaps of all columns");
    is_double(energy_of(reader, "csv:package-0"), 1200, 1e-6, "with what is known");
    is_double(unknown_of(reader, "csv:package-0"), 5, 1e-9, "and what is not");
    is_double(unknown_of(reader, "csv:package-1"), 5, 1e-9, "of each of them");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    /* Rows that are irregular count since the row before. */
    say("t_s,a_energy_delta_j\n");
    for (int i = 0, at = 0; i < 30; at += 1 + i++ % 3)
        say("%d,%d\n", at, 50 * (1 + (i + 2) % 3));
    by_row.column_count = 1;
    is_int(import_with(by_row, &import, &reader, &err), 0, "irregular rows %s", err.text);
    is_double(energy_of(reader, "csv:package-0"), 50 * 57, 1e-6,
              "have the energy since the row before");
    is_int(import ? import->gaps : 99, 0, "and no gaps");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    /* Counted per row, with the time that a row covers. */
    say("timestamp,rapl_power_w,rapl_energy_delta_kwh,duration_s\n");
    for (int i = 0; i < 20; i++)
        say("%d,%d,%.12f,1.5\n", 1767225600 + 2 * i, 100 + i % 3, (100 + i % 3) * 1.5 / 3.6e6);
    is_int(import_with(plain, &import, &reader, &err), 0, "counted by row %s", err.text);
    is_str(import->columns[2].meaning.unit, "kWh", "its unit is in the header");
    is_double(energy_of(reader, "csv:package-0"), 1.5 * (20 * 100 + 19), 1e-3,
              "all rows are counted");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);

    /* Likewise, although nothing is counted yet in the first row: what no row covers is unknown. */
    say("t_s,a_energy_delta_j,duration_s\n0,0,0\n");
    for (int i = 1; i <= 13; i++)
        say("%d,5,1\n", 3 * i);
    is_int(import_with(by_row, &import, &reader, &err), 0, "a first row without a time %s",
           err.text);
    is_double(energy_of(reader, "csv:package-0"), 65, 1e-6, "has what the rows cover");
    is_double(unknown_of(reader, "csv:package-0"), 26, 0.01, "and the rest of the time is unknown");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);
}

/* A counter read before and after: how old its values were is not known, so neither is how much of the last step is missing. */
static void test_two_rows(void)
{
    struct wtl_import *import;
    struct wtl_trace_reader *reader = NULL;
    struct wtl_summary summary = {0};
    struct wattle_error err = {""};
    say("t_s,package-0_energy_total [J]\n0,1000\n10,1500\n");
    is_int(import_with(plain, &import, &reader, &err), 0, "two rows %s", err.text);
    if (!reader)
        return;
    is_int(wtl_trace_reader_summary(reader, 0, &summary, &err), 0, "a summary");
    is_double(summary.amount, 500, 1e-6, "what was counted between them");
    ok(summary.amount_half > 400 && summary.amount_half < 1700, "+- %g, not the unit of the file",
       summary.amount_half);
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);
}

/* A channel that could not be read: its energy is unknown, and so is the total. In other tables it is what a machine does not have. */
static void test_without_values(void)
{
    static const struct {
        int line;
        const char *head;
        uint32_t channels;
    } rows[] = {{__LINE__, "# wattle export, samples\n", 2}, {__LINE__, "", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_import *import;
        struct wtl_trace_reader *reader = NULL;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        say("%stime_s,package-0 [W],dram-0 [W]\n", rows[i].head);
        for (int k = 0; k < 20; k++)
            say("%d,%d,nan\n", k, 50 + k % 2);
        is_int(import_with(plain, &import, &reader, &err), 0, "imported %s", err.text);
        if (!reader)
            continue;
        is_int(wtl_trace_reader_channel_count(reader), rows[i].channels, "channels");
        for (uint32_t c = 0; c < rows[i].channels; c++)
            ok(wtl_trace_reader_channel(reader, c)->channel.flags & WATTLE_CHANNEL_IN_TOTAL,
               "in the total");
        wtl_trace_reader_close(reader);
        wtl_import_destroy(import);
    }
    tap_line = 0;
}

static void test_several(void)
{
    struct wtl_import *import;
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    say("t_s,package_power_w\n");
    for (int i = 0; i <= 100; i++)
        say("%d.5,%d\n", i, 40 + i % 2);
    const char *paths[2] = {save(0), NULL};
    say("t_s,node_power_w\n");
    for (int i = 0; i <= 20; i++)
        say("%d,%d\n", 5 * i, 100 + i % 2);
    paths[1] = save(1);
    struct wtl_import_options options = plain;
    options.paths = paths;
    options.path_count = 2;
    is_int(import_with(options, &import, &reader, &err), 0, "two rates %s", err.text);
    is_int(import->fault_count, 0, "without a fault");
    is_int(wtl_trace_reader_group_count(reader), 2, "two groups");
    is_double(energy_of(reader, "csv:package-0"), 40.5 * 100.5, 30, "one");
    is_double(energy_of(reader, "csv:node-0"), 100.5 * 100.5, 60, "the other");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);
    say("timestamp,node_power_w\n1767225600,1\n1767225601,2\n");
    paths[1] = save(1);
    is_int(import_with(options, &import, NULL, &err), -EBADMSG, "two clocks");
    ok(strstr(err.text, "cannot be aligned"), "says: %s", err.text);
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *text;
        int rc;
        const char *says;
        bool lenient; /* then it works */
    } rows[] = {
        {__LINE__, "", -ENODATA, "no rows", false},
        {__LINE__, "# only a comment\n", -ENODATA, "no rows", false},
        {__LINE__, "t_s,power_w\n", -ENODATA, "no rows", false},
        {__LINE__, "t_s,power_w\n1,2\n2\n3,4\n", -EBADMSG, "0.csv:3: the row has 1 cells", true},
        {__LINE__, "t_s,power_w\n1,2\n2,3,4\n3,4\n", -EBADMSG, "0.csv:3: the row has 3 cells",
         true},
        {__LINE__, "t_s,power_w\n1,2\n2,x\n3,4\n", -EBADMSG, "\"power_w\": \"x\" is not a number",
         true},
        {__LINE__, "t_s,power_w\n1,2\nsoon,3\n3,4\n", -EBADMSG, "\"soon\" is not a time", true},
        {__LINE__, "t_s,power_w\n1,2\n3,3\n2,4\n", -EBADMSG, "0.csv:4: the time is earlier", true},
        {__LINE__, "t_s,power_w\n1,2\n1,3\n2,4\n", -EBADMSG, "is the same as", true},
        {__LINE__, "power,energy\n1,2\n3,4\n", -EBADMSG, "--time", false},
        {__LINE__, "time,power_w\n1,2\n3,4\n", -EBADMSG,
         "\"1\" has no unit; state it, such as --time 'time:s'", false},
        {__LINE__, "t_s,energy_kwh_total\n1,2\n3,4\n", -EBADMSG, "its unit is neither in brackets",
         false},
        {__LINE__, "time [ms],power_w\n1767225600000000,2\n", -EBADMSG, "after the year 2100",
         false},
        {__LINE__, "date,power_w\n3/4/2026 10:00,2\n", -EBADMSG, "may be 2026-04-03 or 2026-03-04",
         false},
        {__LINE__, "t_s,power\n1,2\n3,4\n", -EBADMSG, "column \"power\": it has no unit", false},
        {__LINE__, "t_s,power [dBm]\n1,2\n3,4\n", -EBADMSG, "its unit is not known", false},
        {__LINE__, "t_s,power [J]\n1,2\n3,4\n", -EBADMSG, "of different quantities", false},
        {__LINE__, "t_s,energy_j\n1,20\n2,24\n3,28\n", -EBADMSG, "(counter) or in each row (delta)",
         false},
        {__LINE__, "t_s,energy_total_j\n1,2\n2,1\n3,3\n4,1\n", -EBADMSG,
         "it would be a counter, but it decreases", false},
        {__LINE__, "t_s;power_w\n1;1,234\n2;2,345\n", -EBADMSG, "--decimal comma or --thousands",
         false},
        {__LINE__, "t_s,power_w\n1,2 W\n2,2 mW\n", -EBADMSG, "is not in W", false},
        {__LINE__,
         "t_s,power_w\n1,5\n1.001,50\n2,5\n2.001,50\n3,5\n3.001,50\n4,5\n4.001,50\n5,5\n5.001,50\n",
         -EBADMSG, "in bursts", false},
        {__LINE__, "t_s,gpu,power_w\n1,0,5\n2,1,6\n3,0,5\n", -EBADMSG, "--split", false},
        {__LINE__, "t_s,name\n1,a\n2,b\n", -ENODATA, "no numeric column", false},
        {__LINE__, "t_s,power_w\n1,\"2\n", -EBADMSG, "quote", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_import *import;
        struct wattle_error err = {""};
        struct wtl_import_options options = plain;
        tap_line = rows[i].line;
        say("%s", rows[i].text);
        is_int(import_with(options, &import, NULL, &err), rows[i].rc, "refused");
        ok(strstr(err.text, rows[i].says), "says: %s", err.text);
        wtl_import_destroy(import);
        if (!rows[i].lenient)
            continue;
        options.table.lenient = true;
        say("%s", rows[i].text);
        is_int(import_with(options, &import, NULL, &err), 0, "taken with --lenient %s", err.text);
        ok(import && import->fault_count > 0, "and told as a fault");
        wtl_import_destroy(import);
    }
    tap_line = 0;
}

static void test_options(void)
{
    struct wtl_import *import;
    struct wtl_trace_reader *reader;
    struct wattle_error err = {""};
    const char *columns[] = {"a=rapl/package-1:power:mW:average", "#3=fan_speed-0:count"};
    struct wtl_import_options options = plain;
    options.columns = columns;
    options.column_count = 2;
    say("x,a,b,c\n0,1000,5,1\n100,1500,6,2\n200,1000,7,3\n");
    options.table.time = "x:ms";
    is_int(import_with(options, &import, &reader, &err), 0, "columns told %s", err.text);
    ok(wtl_trace_reader_find_channel(reader, "rapl:package-1") >= 0, "sensor and place");
    ok(wtl_trace_reader_find_channel(reader, "csv:fan_speed-0") >= 0, "a word of one's own");
    is_double(import->columns[1].stats.most, 1500, 0, "as in the file");
    wtl_trace_reader_close(reader);
    wtl_import_destroy(import);
    static const struct {
        const char *column, *says;
    } bad[] = {{"a", "has no \"=\""},
               {"nosuch=package-0", "no column \"nosuch\""},
               {"a=Package 0", "is not a place"},
               {"a=package-0:furlong", "is not a quantity"},
               {"a=package-0:power:J", "is not a unit of power"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        columns[0] = bad[i].column;
        options.column_count = 1;
        say("x,a\n0,1\n1,2\n");
        is_int(import_with(options, &import, NULL, &err), -EINVAL, "--column %s", bad[i].column);
        ok(strstr(err.text, bad[i].says), "says: %s", err.text);
    }
}

int main(void)
{
    char command[64];
    if (!mkdtemp(folder))
        return 77;
    test_values();
    test_late();
    test_faults();
    test_counters();
    test_two_rows();
    test_without_values();
    test_several();
    test_refused();
    test_options();
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    ok(system(command) == 0, "cleared up");
    return done_testing();
}
