/* SPDX-License-Identifier: BSD-3-Clause */
/* The public reading of traces. */
#define _GNU_SOURCE
#include <wattle/trace.h>

#include "trace_fixture.h"

/* Refused, with a message. */
static void refused(int rc, struct wattle_error *err, const char *what)
{
    is_int(rc, -EINVAL, "%s: %s", what, err->text);
    ok(strlen(err->text) > 10, "and the sentence says why");
    err->text[0] = '\0';
}

/* A program's mistakes are reported, and do not crash. */
static void test_null(void)
{
    struct wattle_error err = {""};
    struct wattle_trace_sample sample;
    struct wattle_trace_samples *samples;
    struct wattle_summary energy = {.size = sizeof energy};
    struct wattle_region_summary region = {.size = sizeof region};
    struct wattle_region_energy joules = {.size = sizeof joules};
    const char *key, *value;
    uint64_t start_ns, end_ns;
    is_int(wattle_trace_is_complete(NULL), 0, "no trace is not complete");
    is_int((intmax_t)wattle_trace_damage_count(NULL), 0, "nor damaged");
    is_int((intmax_t)wattle_trace_not_shown_count(NULL), 0, "nor of a newer version");
    ok(wattle_trace_metadata(NULL, "host.name") == NULL, "and has no metadata");
    is_int(wattle_trace_metadata_at(NULL, 0, &key, &value), -EINVAL, "none at all");
    is_int((intmax_t)wattle_trace_channel_count(NULL), 0, "no channels");
    ok(wattle_trace_channel(NULL, 0) == NULL, "not one");
    is_int(wattle_trace_window(NULL, &start_ns, &end_ns), -EINVAL, "no window");
    refused(wattle_trace_summary(NULL, 0, &energy, &err), &err, "no summary");
    refused(wattle_trace_total(NULL, &energy, NULL, NULL, &err), &err, "no total");
    refused(wattle_trace_region_count(NULL, &err), &err, "no regions");
    refused(wattle_trace_region(NULL, 0, &region, &err), &err, "no region");
    refused(wattle_trace_region_energy(NULL, 0, 0, &joules, &err), &err, "no energy of it");
    refused(wattle_trace_region_total(NULL, 0, &joules, &err), &err, "no total of it");
    refused(wattle_trace_samples_open(NULL, 0, 0, 1, &samples, &err), &err, "no samples");
    refused(wattle_trace_samples_next(NULL, &sample, 1, &err), &err, "none next");
    wattle_trace_samples_close(NULL);
}

static void test_no_marks(void)
{
    struct wattle_error err = {""};
    struct wattle_gap gap = {.size = sizeof gap};
    struct wattle_trace_mark mark;
    struct wattle_trace_marks *marks;
    refused(wattle_trace_refresh(NULL, &err), &err, "nothing to refresh");
    refused(wattle_trace_gap_count(NULL, &err), &err, "no gaps");
    refused(wattle_trace_gap(NULL, 0, &gap, &err), &err, "not one");
    refused(wattle_trace_marks_open(NULL, &marks, &err), &err, "no marks");
    refused(wattle_trace_marks_next(NULL, &mark, 1, &err), &err, "none next");
    wattle_trace_marks_close(NULL);
}

/* The begins and ends of fixture_marks(), in time order, with their names. */
static void check_marks(struct wattle_trace *trace)
{
    struct wattle_error err = {""};
    struct wattle_trace_marks *marks = NULL;
    struct wattle_trace_mark buffer[7];
    struct wattle_region_summary region = {.size = sizeof region};
    uint64_t begins = 0, counted = 0, last_ns = 0;
    size_t events = 0, backwards = 0, nameless = 0, foreign = 0;
    int n;
    refused(wattle_trace_marks_open(trace, NULL, &err), &err, "no place for the marks");
    is_int(wattle_trace_marks_open(trace, &marks, &err), 0, "marks %s", err.text);
    refused(wattle_trace_marks_next(marks, buffer, 0, &err), &err, "no room");
    while ((n = wattle_trace_marks_next(marks, buffer, 7, &err)) > 0) {
        for (int i = 0; i < n; i++) {
            backwards += buffer[i].time_ns < last_ns;
            last_ns = buffer[i].time_ns;
            begins += buffer[i].kind == WATTLE_MARK_BEGIN;
            events += buffer[i].kind == WATTLE_MARK_EVENT;
            nameless += (buffer[i].kind <= WATTLE_MARK_END) != (buffer[i].name != NULL);
            foreign += buffer[i].pid == 0 || buffer[i].tid == 0;
        }
    }
    is_int(n, 0, "to the end");
    is_int((intmax_t)backwards, 0, "in the order of time");
    is_int((intmax_t)nameless, 0, "regions have names, events have none");
    is_int((intmax_t)foreign, 0, "each has its process and thread");
    ok(events > 0, "%zu events", events);
    for (size_t i = 1; wattle_trace_region(trace, i, &region, &err) == 0; i++)
        counted += region.count;
    is_int((intmax_t)begins, (intmax_t)counted, "as many begins as the regions count");
    wattle_trace_marks_close(marks);
}

/* A growing trace; then one with a hole in it. */
static void test_growing(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 3000};
    struct wattle_error err = {""};
    struct wattle_trace *trace = NULL;
    struct wattle_trace_samples *samples = NULL;
    struct wattle_trace_sample sample;
    struct wattle_gap gap = {.size = sizeof gap};
    size_t size = 0, seen = 0;
    fixture_write("whole.wtl", &f);
    uint8_t *bytes = slurp("whole.wtl", &size);
    spill("growing.wtl", bytes, size / 2);
    is_int(wattle_trace_open("growing.wtl", &trace, &err), 0, "half a trace opens");
    is_int(wattle_trace_is_complete(trace), 0, "it is not complete");
    is_int(wattle_trace_samples_open(trace, 0, 0, UINT64_MAX, &samples, &err), 0, "samples");
    while (wattle_trace_samples_next(samples, &sample, 1, &err) == 1)
        seen++;
    ok(seen > 0 && seen < f.rows, "%zu of them so far", seen);
    is_int(wattle_trace_refresh(trace, &err), 0, "nothing has come");
    spill("growing.wtl", bytes, size);
    ok(wattle_trace_refresh(trace, &err) > 0, "now it has");
    while (wattle_trace_samples_next(samples, &sample, 1, &err) == 1)
        seen++;
    is_int((intmax_t)seen, (intmax_t)f.rows, "each sample once");
    is_int(wattle_trace_is_complete(trace), 1, "and it is complete");
    wattle_trace_samples_close(samples);
    wattle_trace_close(trace);

    memset(bytes + size / 2, 0xaa, 64);
    spill("damaged.wtl", bytes, size);
    is_int(wattle_trace_open("damaged.wtl", &trace, &err), 0, "a damaged one opens");
    int gaps = wattle_trace_gap_count(trace, &err);
    ok(gaps > 0, "%d gaps", gaps);
    is_int(wattle_trace_gap(trace, 0, &gap, &err), 0, "the first");
    is_str(gap.reason, "damaged", "its reason");
    ok(gap.channel < 3 && gap.end_ns > gap.begin_ns, "its channel and its time");
    is_int(wattle_trace_gap(trace, (size_t)gaps, &gap, &err), -EINVAL, "%s", err.text);
    gap.size = 4;
    is_int(wattle_trace_gap(trace, 0, &gap, &err), -EINVAL, "a wrong size");
    wattle_trace_close(trace);
    free(bytes);
}

/* Package and memory of a socket; the gauge is not primary. */
static void check_total(struct wattle_trace *trace)
{
    struct wattle_error err = {""};
    struct wattle_summary total = {.size = sizeof total}, sum = {.size = sizeof sum};
    const char *contains = NULL, *excludes = NULL;
    double sum_j = 0, squares = 0;
    is_int(wattle_trace_total(trace, &total, &contains, &excludes, &err), 0, "total %s", err.text);
    for (size_t i = 0; i < 2; i++) {
        is_int(wattle_trace_summary(trace, i, &sum, &err), 0, "of channel %zu", i);
        sum_j += sum.energy_j;
        squares += sum.resolution_interval_j * sum.resolution_interval_j;
    }
    is_double(total.energy_j, sum_j, 1e-9, "is the sum");
    is_double(total.resolution_interval_j, sqrt(squares), 1e-9, "with the interval of a sum");
    is_double(total.low_j, sum_j - sqrt(squares), 1e-9, "from");
    is_double(total.high_j, sum_j + sqrt(squares), 1e-9, "to");
    is_str(contains, "package + dram of 1 socket", "what it contains");
    ok(strstr(excludes, "GPUs") != NULL, "what it leaves out");
    total.size = 8;
    is_int(wattle_trace_total(trace, &total, NULL, NULL, &err), -EINVAL, "a wrong size");
    ok(strstr(err.text, "sizeof(struct wattle_summary)") != NULL, "%s", err.text);
}

static void check_regions(struct wattle_trace *trace)
{
    struct wattle_error err = {""};
    struct wattle_region_summary region = {.size = sizeof region};
    struct wattle_region_energy joules = {.size = sizeof joules}, total = {.size = sizeof total};
    double sum_j = 0;
    is_int(wattle_trace_region(trace, 0, &region, &err), 0, "the first, without counting before");
    is_int(wattle_trace_region_count(trace, &err), 4, "regions");
    is_str(region.name, "", "is untagged");
    is_int(wattle_trace_region(trace, 1, &region, &err), 0, "the second");
    is_double(1e-9 * (double)region.union_ns, 1.6, 1e-9, "\"%s\" was open for 1.6 s", region.name);
    is_int(wattle_trace_region_energy(trace, 1, 0, &joules, &err), 0, "its energy");
    is_double(joules.inclusive_j, 160, 8, "at 100 W");
    is_int(joules.inclusive_unresolved, 0, "long enough for the sampling");
    for (size_t i = 0; i < 2; i++) {
        is_int(wattle_trace_region_energy(trace, 1, i, &joules, &err), 0, "on channel %zu", i);
        sum_j += joules.inclusive_j;
    }
    is_int(wattle_trace_region_total(trace, 1, &total, &err), 0, "its total");
    is_double(total.inclusive_j, sum_j, 1e-9, "is the sum over the channels of the total");
    is_int(wattle_trace_region(trace, 4, &region, &err), -EINVAL, "no more: %s", err.text);
    is_int(wattle_trace_region_total(trace, 4, &total, &err), -EINVAL, "nor its total");
    is_int(wattle_trace_region_energy(trace, 1, 9, &joules, &err), -EINVAL, "no such channel");
    joules.size = 0;
    is_int(wattle_trace_region_energy(trace, 1, 0, &joules, &err), -EINVAL, "%s", err.text);
}

int main(void)
{
    const struct fixture f = {
        .period_ns = 1000000, .rows = 4000, .missing_every = 7, .regions = true};
    struct wattle_trace *trace = NULL;
    struct wattle_error err = {""};
    const char *key, *value;
    uint64_t start_ns = 0, end_ns = 0;
    is_int(wattle_trace_open("none.wtl", &trace, &err), -ENOENT, "not there: %s", err.text);
    is_int(wattle_trace_open(NULL, &trace, &err), -EINVAL, "no path");
    fixture_write("public.wtl", &f);
    is_int(wattle_trace_open("public.wtl", &trace, &err), 0, "opens");
    is_int(wattle_trace_is_complete(trace), 1, "complete");
    is_int((intmax_t)wattle_trace_damage_count(trace), 0, "undamaged");
    is_int((intmax_t)wattle_trace_not_shown_count(trace), 0, "all of it is shown");
    is_str(wattle_trace_metadata(trace, "host.name"), "n1", "metadata");
    ok(wattle_trace_metadata(trace, "no.such") == NULL, "a key that is not there");
    is_int(wattle_trace_metadata_at(trace, 0, &key, &value), 0, "the first key");
    is_str(key, "host.name", "its name");
    is_int(wattle_trace_metadata_at(trace, 99, &key, &value), -EINVAL, "there are not so many");
    is_int(wattle_trace_channel_count(trace), 3, "channels");
    is_str(wattle_trace_channel(trace, 1)->name, "fake:dram-0", "a channel");
    ok(wattle_trace_channel(trace, 3) == NULL, "out of range");
    is_int(wattle_trace_window(trace, &start_ns, &end_ns), 0, "window");
    ok(start_ns == truth_time(&f, 2) + 1 && end_ns == truth_time(&f, f.rows - 2) - 1,
       "its borders");

    struct wattle_summary energy = {.size = sizeof energy};
    is_int(wattle_trace_summary(trace, 0, &energy, &err), 0, "energy");
    is_double(energy.energy_j, 100 * 3.996, 4, "of 100 W for 4 s");
    is_double(1e-9 * (double)energy.stat_window_ns, 128 * 976e-6, 1e-6,
              "statistics over 128 ticks");
    energy.size = 8;
    is_int(wattle_trace_summary(trace, 0, &energy, &err), -EINVAL, "a wrong size");

    check_total(trace);
    check_regions(trace);
    check_marks(trace);
    is_int(wattle_trace_gap_count(trace, &err), f.rows / f.missing_every,
           "a gap for each reading that failed");

    struct wattle_trace_samples *samples = NULL;
    struct wattle_trace_sample buffer[333];
    is_int(wattle_trace_samples_open(trace, 9, 0, UINT64_MAX, &samples, &err), -EINVAL,
           "samples of no channel");
    is_int(wattle_trace_samples_open(trace, 0, 2, 1, &samples, &err), -EINVAL, "%s", err.text);
    is_int(wattle_trace_samples_open(trace, 2, 0, UINT64_MAX, &samples, &err), 0, "samples");
    is_int(wattle_trace_samples_next(samples, buffer, 0, &err), -EINVAL, "no room is not the end");
    size_t row = 0, count = 0, wrong = 0;
    int n;
    while ((n = wattle_trace_samples_next(samples, buffer, 333, &err)) > 0) {
        for (int i = 0; i < n; i++, row++, count++) {
            while (truth_missing(&f, 2, row))
                row++;
            wrong += buffer[i].time_ns != truth_time(&f, row);
            wrong += buffer[i].raw != truth_value(&f, 2, row);
            wrong += fabs(buffer[i].value - 1e-6 * (double)(int64_t)buffer[i].raw) > 1e-12;
        }
    }
    is_int(count, f.rows - f.rows / 7, "those that are there");
    is_int(wrong, 0, "as they were written");
    wattle_trace_samples_close(samples);
    wattle_trace_close(trace);
    wattle_trace_close(NULL);
    test_null();
    test_no_marks();
    test_growing();
    return done_testing();
}
