/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a stretch: its length, its rows, and when it is unknown. */
#include "analysis/power/stretches.h"

#include <math.h>
#include <string.h>

#include "known_power.h"
#include "tap.h"

enum { ROWS = 50 };

/* One channel in a separate group, a row every 10 ms; values and gaps as given. */
struct one {
    struct wattle_channel channel;
    uint64_t values[ROWS];
    uint8_t missing[ROWS];
    size_t rows;
    struct wtl_gap gap; /* end_ns 0 = none */
};

static uint64_t at_ms(uint64_t ms)
{
    return KNOWN_START + ms * KNOWN_MS;
}

static struct wtl_trace_reader *write_one(const struct one *one)
{
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_trace_reader *reader = NULL;
    if (wtl_trace_writer_create("stretches.wtl", &force, &w, NULL) < 0)
        return NULL;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &one->channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    if (one->gap.end_ns)
        (void)wtl_trace_writer_gap(w, &one->gap);
    for (size_t i = 0; i < one->rows; i++)
        (void)wtl_trace_writer_row(w, group, at_ms(10 * i), &one->values[i], &one->missing[i]);
    (void)wtl_trace_writer_finish(w, NULL);
    (void)wtl_trace_reader_open("stretches.wtl", &reader, NULL);
    return reader;
}

/* The stretches of the trace as text: "0-20:50 20-40:? ", in ms and mean value. */
static char *said(const struct one *one)
{
    static char text[2000];
    const uint32_t id = 0;
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &id, .channel_count = 1};
    struct wtl_trace_reader *reader = write_one(one);
    struct wtl_stretches *stretches;
    struct wtl_stretch s;
    size_t n = 0;
    text[0] = '\0';
    if (!reader || wtl_stretches_open(reader, &range, &stretches, NULL) < 0)
        return text;
    while (wtl_stretches_next(stretches, &s, NULL) > 0) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u-%u:", n ? " " : "",
                              (unsigned)((s.begin_ns - KNOWN_START) / KNOWN_MS),
                              (unsigned)((s.end_ns - KNOWN_START) / KNOWN_MS));
        if (isnan(s.mean[0]))
            n += (size_t)snprintf(text + n, sizeof text - n, "?");
        else if (s.min[0] == s.max[0])
            n += (size_t)snprintf(text + n, sizeof text - n, "%g", s.mean[0]);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%g/%g/%g", s.min[0], s.mean[0],
                                  s.max[0]);
    }
    wtl_stretches_close(stretches);
    wtl_trace_reader_close(reader);
    return text;
}

static struct one counter(uint64_t refresh_ms, size_t rows)
{
    struct one one = {.channel = known_channel("x:package-0", WATTLE_DOMAIN_PACKAGE, WATTLE_ENERGY,
                                               WATTLE_COUNTER, 1e-3),
                      .rows = rows};
    one.channel.refresh_ns = refresh_ms * KNOWN_MS;
    for (size_t i = 0; i < rows; i++)
        one.values[i] = i * 500; /* 50 W */
    return one;
}

static struct one gauge(size_t rows)
{
    struct one one = {.channel = known_channel("x:core-0", WATTLE_DOMAIN_CORE, WATTLE_TEMPERATURE,
                                               WATTLE_GAUGE, 1),
                      .rows = rows};
    for (size_t i = 0; i < rows; i++)
        one.values[i] = 10 * (i + 1);
    return one;
}

static void test_counters(void)
{
    struct one one = counter(4, 7);
    is_str(said(&one), "0-20:50 20-40:50 40-60:50", "5 ticks of 4 ms");
    one = counter(0, 3);
    is_str(said(&one), "0-10:50 10-20:50", "5 ms where the refresh is not known");
    one = counter(8, 8);
    is_str(said(&one), "0-40:50 40-70:50", "40 ms for 8 ms; then the rest");
    one = counter(50, 8);
    is_str(said(&one), "0-70:50", "but where it is all there is");
    one = counter(4, 1);
    is_str(said(&one), "", "one sample has no power");
    one = counter(50, 8);
    one.missing[7] = 1;
    is_str(said(&one), "0-70:?", "all there is, its end missing");

    one = counter(4, 9);
    one.missing[3] = 1; /* inside of a stretch: the trace says so by a gap */
    one.gap = (struct wtl_gap){
        .reason = WTL_GAP_READ_FAILED, .error = 5, .begin_ns = at_ms(20), .end_ns = at_ms(40)};
    is_str(said(&one), "0-20:50 20-40:? 40-60:50 60-80:50", "a gap");
    one = counter(4, 7);
    for (size_t i = 4; i < 7; i++)
        one.values[i] = one.values[3] + (i - 4) * 500;
    one.gap = (struct wtl_gap){.reason = WTL_GAP_RESET, .begin_ns = at_ms(30), .end_ns = at_ms(40)};
    is_str(said(&one), "0-20:50 20-40:? 40-60:50", "a reset between two samples is no low power");
    one = counter(4, 5);
    one.channel.quantity = WATTLE_POWER;
    is_str(said(&one), "", "a counter of watts is nothing");
    one = counter(1, 5);
    one.channel.flags = 1u << 20;
    is_str(said(&one), "", "values that are not understood are not shown");
}

static void test_gauges(void)
{
    struct one one = gauge(4);
    is_str(said(&one), "0-10:10/15/20 10-20:30 20-30:40", "each row, the first one, too");
    one = gauge(1);
    is_str(said(&one), "", "one sample lasts no time");
    one = gauge(6);
    one.missing[2] = 1;
    one.gap = (struct wtl_gap){
        .reason = WTL_GAP_READ_FAILED, .error = 5, .begin_ns = at_ms(10), .end_ns = at_ms(30)};
    is_str(said(&one), "0-10:10/15/20 10-20:? 20-30:? 30-40:40/45/50 40-50:60",
           "behind a gap its first row counts again");
    one = gauge(3);
    one.channel.quantity = WATTLE_POWER;
    one.channel.refresh_ns = 1000 * KNOWN_MS;
    is_str(said(&one), "0-10:10/15/20 10-20:30", "a power is what was read");
}

/* Sets: by group and kind; unknown ids and duplicates are skipped. */
static void test_sets(void)
{
    const struct known known = {.path = "stretches-sets.wtl", .seconds = 1, .footer = true};
    const uint32_t ids[] = {KNOWN_CPU, KNOWN_HEAT, 99, KNOWN_DRAM, KNOWN_PACKAGE, KNOWN_DRAM};
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = ids, .channel_count = 6};
    struct wtl_trace_reader *reader;
    struct wtl_stretches *stretches;
    const struct wtl_stretch_set *sets;
    is_int(known_write(&known), 0, "a trace");
    if (!is_int(wtl_trace_reader_open(known.path, &reader, NULL), 0, "opened") ||
        !is_int(wtl_stretches_open(reader, &range, &stretches, NULL), 0, "stretches"))
        return;
    size_t count = wtl_stretches_sets(stretches, &sets), channels = 0;
    is_int((long)count, 3, "energy; processor time; temperature");
    for (size_t i = 0; i < count; i++) {
        channels += sets[i].count;
        ok(sets[i].one_group, "in one group");
        if (sets[i].count == 2)
            ok(sets[i].channels[0] == KNOWN_DRAM && sets[i].channels[1] == KNOWN_PACKAGE,
               "energy in the order asked for");
    }
    is_int((long)channels, 4, "each channel once");
    wtl_stretches_close(stretches);
    wtl_trace_reader_close(reader);
}

int main(void)
{
    test_counters();
    test_gauges();
    test_sets();
    return done_testing();
}
