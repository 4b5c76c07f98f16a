/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattle_read_total() over two packages of 100 W, one of which stalls, cannot be read, or is read
 * less often: energy and known time are consistent, and unknown time is reported. And for a slow
 * counter: wattle_read() of windows without a tick.
 */
#define _GNU_SOURCE
#include "profiler/profiler_read.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include <wattle/profiler.h>

#include "tap.h"

static const uint64_t MS = 1000000;

static struct wtl_energy_writer *writer;
static uint64_t t0;

static struct wattle_channel package(int index)
{
    struct wattle_channel c = {.domain = WATTLE_DOMAIN_PACKAGE,
                               .sub = -1,
                               .index = index,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_IN_TOTAL,
                               .scale = 1e-6,
                               .modulus = UINT64_C(262144000000),
                               .refresh_ns = MS};
    (void)snprintf(c.name, sizeof c.name, "powercap:package-%d", index);
    return c;
}

static uint64_t microjoules_at(uint64_t ms)
{
    return 1000 + 100000 * ms;
}

/* Readings of a package from one time to another, one per `every_ms`. */
static void feed(size_t channel, uint64_t from_ms, uint64_t to_ms, uint64_t every_ms)
{
    for (uint64_t ms = from_ms; ms <= to_ms; ms += every_ms)
        wtl_energy_page_publish(writer, channel, t0 + ms * MS, microjoules_at(ms), 0);
}

static void stand(size_t channel, uint64_t at_ms, uint64_t from_ms, uint64_t to_ms)
{
    for (uint64_t ms = from_ms; ms <= to_ms; ms += 10)
        wtl_energy_page_publish(writer, channel, t0 + ms * MS, microjoules_at(at_ms), 0);
}

/* Is the energy that of 200 W in the known time? One package may be known for longer than the
 * other. */
static void is_200_w(const struct wattle_domain_energy *total, const char *what)
{
    double known_s = (double)(total->window_ns - total->unknown_ns) * 1e-9;
    double least_j = 200 * known_s, most_j = least_j + 100 * (double)total->unknown_ns * 1e-9;
    ok(total->energy_j >= least_j - 3 && total->energy_j <= most_j + 3,
       "%s: %.1f J of %.1f to %.1f in %.3f s, of which %.3f unknown", what, total->energy_j,
       least_j, most_j, (double)total->window_ns * 1e-9, (double)total->unknown_ns * 1e-9);
}

/* A channel of 100 W, in updates of 100 ms that come shift_ms before they are due. */
static void feed_slow(size_t channel, uint64_t from_ms, uint64_t to_ms, uint64_t shift_ms)
{
    for (uint64_t ms = from_ms; ms <= to_ms; ms += 5)
        wtl_energy_page_publish(writer, channel, t0 + ms * MS,
                                microjoules_at((ms + shift_ms) / 100 * 100), 0);
}

static struct wattle_domain_energy slow_used(void)
{
    struct wattle_domain_energy used[4] = {{0}};
    is_int(wattle_read(NULL, used, 4), 4, "four channels");
    return used[2];
}

/* A window that begins 15 ms after the counter's first sample. */
static void test_slow(void)
{
    feed_slow(2, 20, 35, 0);
    struct wattle_domain_energy used = slow_used();
    ok(isnan(used.energy_j) && isnan(used.resolution_interval_j) && used.unknown_ns == 15 * MS,
       "no tick in the first 15 ms: %g +- %g J is not known, for %g s", used.energy_j,
       used.resolution_interval_j, (double)used.unknown_ns * 1e-9);
    feed_slow(2, 40, 105, 0);
    used = slow_used();
    ok(fabs(used.energy_j - 8.5) <= 3 * used.resolution_interval_j && used.unknown_ns == 0,
       "with a tick: %g +- %g J of 8.5", used.energy_j, used.resolution_interval_j);
    feed_slow(2, 110, 120, 0);
    used = slow_used();
    ok(fabs(used.energy_j - 10) <= 3 * used.resolution_interval_j, "15 ms later: %g +- %g J of 10",
       used.energy_j, used.resolution_interval_j);
}

static void test_slow_mark(void)
{
    struct wattle_mark mark;
    struct wattle_domain_energy used[4] = {{0}};
    is_int(wattle_mark_now(&mark), 0, "a mark");
    uint64_t marked_ms = (mark.opaque[0] - t0) / MS; /* its time */
    feed_slow(3, marked_ms - 60, marked_ms + 35, 120 - marked_ms % 100);
    is_int(wattle_read(&mark, used, 4), 4, "35 ms later, with a tick 20 ms before it");
    ok(fabs(used[3].energy_j - 3.5) <= 3 * used[3].resolution_interval_j,
       "no tick since: %g +- %g J of 3.5", used[3].energy_j, used[3].resolution_interval_j);
}

int main(void)
{
    struct wattle_channel channels[4] = {package(0), package(1), package(2), package(3)};
    struct wtl_energy_reader *reader;
    struct wattle_domain_energy total = {0};
    struct timespec now;
    size_t size;
    channels[2].flags = channels[3].flags = 0;
    channels[2].refresh_ns = channels[3].refresh_ns = 100 * MS;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    /* In the past, with such a slow sampler that all of it counts as current. */
    t0 = (uint64_t)now.tv_sec * 1000000000u - 10000 * MS;
    is_int(wtl_energy_page_open_writer(&(struct wtl_energy_page_options){.folder = NULL,
                                                                         .held = NULL,
                                                                         .channels = channels,
                                                                         .count = 4,
                                                                         .interval_ns = 2000 * MS},
                                       &writer),
           0, "a page");
    const struct wattle_page_header *header = wtl_energy_page_lend(writer, &size);
    is_int(wtl_energy_page_attach(header, size, &reader), 0, "attached");
    wtl_profiler_read_from(reader);

    feed(0, 0, 1000, 10);
    feed(1, 0, 1000, 10);
    wtl_energy_page_begin(writer, t0 + 5 * MS);
    feed(0, 1010, 2000, 10);
    feed(1, 1010, 1910, 100);
    is_int(wattle_read_total(NULL, &total), 2, "one is read less often");
    is_int(total.window_ns, total.unknown_ns + 900 * MS, "the window ends where both are known");
    is_200_w(&total, "one less often");
    is_int(total.unknown_ns, 0, "all of it is known");

    feed(0, 2010, 2040, 10);
    feed(1, 1920, 2000, 10);
    stand(1, 2000, 2010, 2015);
    wattle_read_total(NULL, &total);
    is_int(total.window_ns, 990 * MS, "one begins to stand still: the window ends before that");
    is_200_w(&total, "one begins to stand still");
    is_int(total.unknown_ns, 0, "all of it is known");
    ok(fabs(total.energy_j - 200 * (double)total.window_ns * 1e-9) <= total.resolution_interval_j,
       "the interval holds: %g +- %g J", total.energy_j, total.resolution_interval_j);

    feed(0, 2050, 2200, 10);
    stand(1, 2000, 2010, 2200);
    wattle_read_total(NULL, &total);
    is_200_w(&total, "one stands still, nobody knows for how long");
    ok(total.unknown_ns >= 170 * MS && total.unknown_ns <= 210 * MS,
       "since then it is unknown: %g s", (double)total.unknown_ns * 1e-9);
    feed(0, 2210, 4000, 10);
    stand(1, 2000, 2210, 4000);
    wattle_read_total(NULL, &total);
    is_200_w(&total, "one has stalled");
    ok(total.unknown_ns >= 1990 * MS && total.unknown_ns <= 2020 * MS, "which is said: %g s",
       (double)total.unknown_ns * 1e-9);
    ok(isnan(total.power_w), "there is no power of now");

    feed(0, 4010, 5000, 10);
    feed(1, 4010, 5000, 10);
    for (uint64_t ms = 5010; ms <= 6000; ms += 10)
        wtl_energy_page_publish(writer, 1, t0 + ms * MS, 0, -EIO);
    feed(0, 5010, 6000, 10);
    wattle_read_total(NULL, &total);
    is_200_w(&total, "and cannot be read later");
    ok(total.unknown_ns >= 2990 * MS && total.unknown_ns <= 3030 * MS, "that time, too: %g s",
       (double)total.unknown_ns * 1e-9);
    feed(0, 6010, 7000, 10);
    feed(1, 6010, 7000, 10);
    wattle_read_total(NULL, &total);
    is_200_w(&total, "a counter counts while nobody looks");
    ok(total.unknown_ns >= 1990 * MS && total.unknown_ns <= 2020 * MS,
       "only the stall remains: %g s", (double)total.unknown_ns * 1e-9);
    test_slow();
    test_slow_mark();
    wtl_energy_page_close_writer(writer);
    return done_testing();
}
