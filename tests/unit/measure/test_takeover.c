/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Continuing a trace whose writer was killed: a node of known power is sampled by one collector,
 * nothing samples for a while, another collector continues in the same file. The energy of the
 * whole window is the node's if it can be known, and never more if it cannot.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "measure/takeover.h"
#include "record/collector.h"
#include "source/driver.h"
#include "tap.h"
#include "trace/reader.h"
#include "trace/repair.h"
#include "trace/resume.h"

#define MS   UINT64_C(1000000)
#define UJ   61e-6 /* joules in a tick */
#define PATH "t.wtl"

enum { PACKAGE, ESTIMATE, GAUGE, CHANNELS };

/* Joules since time 0: 100 W up to 1 s, then 150 W. */
static double energy_at(uint64_t time_ns)
{
    double s = (double)time_ns * 1e-9;
    return s <= 1 ? 100 * s : 100 + 150 * (s - 1);
}

static uint64_t modulus; /* modulus of the package's counter */

static void describe(struct wattle_channel channels[CHANNELS])
{
    channels[PACKAGE] = wtl_channel_init(WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    channels[ESTIMATE] = wtl_channel_init(WATTLE_DOMAIN_CORE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    channels[GAUGE] = wtl_channel_init(WATTLE_DOMAIN_NODE, 0, WATTLE_POWER, WATTLE_GAUGE);
    for (int i = 0; i < CHANNELS; i++) {
        channels[i].scale = i == GAUGE ? 1 : UJ;
        (void)snprintf(channels[i].name, sizeof channels[i].name, "fake:%d", i);
        (void)snprintf(channels[i].sensor, sizeof channels[i].sensor, "fake");
    }
    channels[PACKAGE].max_w = 200;
    channels[PACKAGE].modulus = modulus;
    channels[PACKAGE].refresh_ns = MS;
    channels[ESTIMATE].quality = WATTLE_ESTIMATED;
}

/* Sample every 10 ms from one instant to another, into the file, with any borders in between. */
static int sample(struct wtl_trace_writer *writer, uint64_t from, uint64_t to, bool begin, bool end)
{
    struct wattle_channel channels[CHANNELS];
    struct wtl_source source = {.channels = channels, .count = CHANNELS};
    struct wtl_batch run = {.source = &source, .n = CHANNELS};
    const struct wtl_batch *runs[] = {&run};
    struct wtl_lane lane = {.interval_ns = MS, .runs = &run, .run_count = 1};
    struct wtl_collector collector;
    describe(channels);
    int rc = wtl_lane_init(&lane);
    rc = rc < 0 ? rc : wtl_collector_init(&collector, channels, CHANNELS, runs, 1, writer);
    if (rc < 0)
        return rc;
    if (begin)
        wtl_lane_mark(&lane, WTL_RECORD_BEGIN, from);
    for (uint64_t t = from; t <= to; t += 10 * MS) {
        uint64_t ticks = 4000000000U + (uint64_t)(energy_at(t - MS / 2) / UJ); /* its last tick */
        uint64_t record[] = {WTL_RECORD_ROW,
                             t,
                             0,
                             ticks % modulus,
                             (uint64_t)((energy_at(t) - energy_at(from)) / UJ),
                             t <= 1000 * MS ? 100 : 150};
        wtl_lane_push(&lane, record, 6);
        wtl_collector_drain(&collector, &lane, UINT64_MAX);
    }
    if (end)
        wtl_lane_mark(&lane, WTL_RECORD_END, to);
    wtl_collector_drain(&collector, &lane, UINT64_MAX);
    wtl_collector_finish(&collector, to);
    rc = collector.writer_error;
    wtl_collector_fini(&collector);
    wtl_lane_fini(&lane);
    return rc;
}

static struct wtl_trace_writer *go_on(void)
{
    struct wattle_error err = {""};
    struct wtl_trace_writer *writer = NULL;
    is_int(wtl_trace_resume(PATH, &writer, &err), 0, "goes on %s", err.text);
    return writer;
}

static void killed_at(uint64_t begin, uint64_t kill)
{
    struct wtl_trace_writer *writer = NULL;
    (void)unlink(PATH);
    is_int(wtl_trace_writer_create(PATH, NULL, &writer, NULL), 0, "a trace");
    is_int(sample(writer, begin, kill, true, false), 0, "is written");
    wtl_trace_writer_abandon(writer);
}

static void summaries(struct wtl_summary got[CHANNELS])
{
    struct wtl_trace_reader *reader = NULL;
    is_int(wtl_trace_repair(PATH, NULL, NULL), 0, "repaired");
    is_int(wtl_trace_reader_open(PATH, &reader, NULL), 0, "it reads");
    is_int(wtl_trace_reader_channel_count(reader), CHANNELS, "no channel twice");
    for (uint32_t i = 0; reader && i < CHANNELS; i++)
        is_int(wtl_trace_reader_summary(reader, i, &got[i], NULL), 0, "summary of channel %u", i);
    wtl_trace_reader_close(reader);
}

static void test_counter_goes_on(void)
{
    struct wtl_summary got[CHANNELS] = {{.samples = 0}};
    modulus = UINT64_C(1) << 32;
    killed_at(100 * MS, 900 * MS);
    struct wtl_trace_writer *writer = go_on();
    const struct wtl_trace_resumed *was = wtl_trace_writer_resumed(writer);
    ok(was && was->started && was->last_ns == 900 * MS,
       "the window has begun, the last row is known");
    is_int(sample(writer, 1600 * MS, 3000 * MS, false, true), 0, "another one samples");
    wtl_trace_writer_abandon(writer);
    summaries(got);
    double true_j = energy_at(3000 * MS) - energy_at(100 * MS);
    is_double(got[PACKAGE].amount, true_j, 2 * UJ, "the power stepped unseen, no joule is missing");
    is_int((intmax_t)got[PACKAGE].gaps, 1, "there is a gap");
    is_double((double)got[PACKAGE].gap_ns, 700e6, 1, "from the last row to the first");
    is_double(got[ESTIMATE].amount, 80 + energy_at(3000 * MS) - energy_at(1600 * MS), 2 * UJ,
              "an estimate begins anew: what lies between is not guessed");
    is_int((intmax_t)got[ESTIMATE].gaps, 1, "and is a gap");
    is_double(got[GAUGE].amount, 80 + 150 * 1.4, 2.5, "a gauge, likewise");
}

/* The counter's range is 61 J: a second may contain more than one wrap. */
static void test_wraps(void)
{
    struct wtl_summary got[CHANNELS] = {{.samples = 0}};
    modulus = 1000000;
    killed_at(100 * MS, 900 * MS);
    struct wtl_trace_writer *writer = go_on();
    is_int(sample(writer, 1100 * MS, 2000 * MS, false, true), 0,
           "a pause of 0.2 s: one wrap at most");
    wtl_trace_writer_abandon(writer);
    summaries(got);
    is_double(got[PACKAGE].amount, energy_at(2000 * MS) - energy_at(100 * MS), 2 * UJ,
              "which is certain");
    killed_at(100 * MS, 900 * MS);
    writer = go_on();
    is_int(sample(writer, 1900 * MS, 2500 * MS, false, true), 0, "a pause of 1 s: more than one");
    wtl_trace_writer_abandon(writer);
    summaries(got);
    /* What was lost is from one tick to another. */
    double seen_j = energy_at(890 * MS - MS / 2) - energy_at(100 * MS) + energy_at(2500 * MS) -
                    energy_at(1900 * MS - MS / 2);
    is_double(got[PACKAGE].amount, seen_j, 2 * UJ, "which is not guessed: that of the rest");
    is_double((double)got[PACKAGE].gap_ns, 1.01e9, 1,
              "and is unknown time, from the last row before which it was seen to count");
}

static void test_again_and_again(void)
{
    struct wtl_summary got[CHANNELS] = {{.samples = 0}};
    modulus = UINT64_C(1) << 32;
    killed_at(100 * MS, 500 * MS);
    for (uint64_t at = 600; at <= 2600; at += 500) {
        struct wtl_trace_writer *writer = go_on();
        is_int(sample(writer, at * MS, (at + 400) * MS, false, at == 2600), 0, "from %d ms",
               (int)at);
        wtl_trace_writer_abandon(writer);
        /* A block that was being written. */
        int fd = open(PATH, O_WRONLY | O_APPEND | O_CLOEXEC);
        is_int(at < 2600 ? write(fd, "WTLB\0\0\0", 7) : 7, 7, "and is killed, too");
        (void)close(fd);
    }
    summaries(got);
    is_double(got[PACKAGE].amount, energy_at(3000 * MS) - energy_at(100 * MS), 2 * UJ,
              "five deaths, no joule lost");
    is_int((intmax_t)got[PACKAGE].gaps, 5, "five gaps");
}

static void test_refused(void)
{
    struct wattle_error err = {""};
    struct wtl_trace_writer *writer = NULL, *other = NULL;
    struct wtl_takeover *takeover = NULL;
    modulus = UINT64_C(1) << 32;
    (void)unlink(PATH);
    is_int(wtl_trace_resume(PATH, &other, &err), -ENOENT, "no file: %s", err.text);
    is_int(wtl_trace_writer_create(PATH, NULL, &writer, NULL), 0, "a trace");
    is_int(wtl_trace_resume(PATH, &other, &err), -EBUSY, "one that is being written: %s", err.text);
    is_int(sample(writer, 100 * MS, 300 * MS, true, true), 0, "written");
    is_int(wtl_trace_writer_finish(writer, NULL), 0, "finished");
    is_int(wtl_trace_resume(PATH, &other, &err), -EALREADY, "one that is complete: %s", err.text);
    struct wtl_takeover_options options = {.world = wtl_world_real(),
                                           .trace = PATH,
                                           .sensors = "none-of-this-name",
                                           .interval_ns = 10 * MS};
    ok(wtl_takeover_begin(&options, &takeover, &err) < 0 && err.text[0],
       "sensors that are not there: %s", err.text);
    FILE *file = fopen(PATH, "w");
    (void)fputs("this is no trace at all, but it is long enough to be one, or so it seems", file);
    (void)fclose(file);
    is_int(wtl_trace_resume(PATH, &other, &err), -EBADMSG, "no trace: %s", err.text);
}

int main(void)
{
    char folder[] = "/tmp/wattle-test-takeover-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 77;
    test_counter_goes_on();
    test_wraps();
    test_again_and_again();
    test_refused();
    (void)unlink(PATH);
    (void)rmdir(folder);
    return done_testing();
}
