/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for the edge of a counter that ticks with the clock, and of one that does not tick. The
 * clock advances when it is read. The public object is opaque, so the file under test is included
 * in this program. */
#include "profiler/sensors.c" /* NOLINT: see above */

#include "tap.h"

#define TICK_NS 1000000u

static int failure;
static uint64_t polls, clock_ns = 1000000000;

static uint64_t fake_now_ns(const struct wtl_world *world, clockid_t clock)
{
    (void)world;
    (void)clock;
    return clock_ns += 40000;
}

static void fake_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    (void)source;
    (void)n;
    polls++;
    out->status = failure;
    out->raw = first == 0 ? clock_ns / TICK_NS : 7;
}

static const struct wtl_driver driver = {.name = "fake", .read = fake_read};

int main(void)
{
    struct wattle_channel channels[] = {
        {.name = "fake:package-0", .kind = WATTLE_COUNTER, .scale = 1},
        {.name = "fake:package-1", .kind = WATTLE_COUNTER, .scale = 1},
        {.name = "fake:node-0", .kind = WATTLE_GAUGE, .scale = 1},
    };
    struct wtl_source source = {.driver = &driver, .channels = channels, .count = 3};
    struct wtl_pick picks[] = {
        {.source = &source, .at = 0}, {.source = &source, .at = 1}, {.source = &source, .at = 2}};
    struct wtl_selection selection = {.channels = channels, .picks = picks, .recorded_count = 3};
    const struct wtl_world_ops ops = {.now_ns = fake_now_ns};
    const struct wtl_world world = {.ops = &ops};
    struct wattle_sensors sensors = {.world = &world, .selection = &selection};
    struct wattle_reading first = {0}, second = {0}, untouched = {.raw = 4711};

    is_int(wattle_sensors_edge(&sensors, 0, 1000000000, &first, NULL), 0, "an edge");
    is_int(wattle_sensors_edge(&sensors, 0, 1000000000, &second, NULL), 0, "and another");
    ok(second.raw > first.raw && second.time_ns > first.time_ns, "later");
    ok(first.time_ns < first.raw * TICK_NS + 40000 && first.time_ns + 40000 > first.raw * TICK_NS,
       "the first one's time is that of its tick");
    ok(second.time_ns < second.raw * TICK_NS + 40000 &&
           second.time_ns + 40000 > second.raw * TICK_NS,
       "the second one's, too");
    is_int(wattle_sensors_edge(&sensors, 1, 2000000, &untouched, NULL), -ETIMEDOUT,
           "it stands still");
    ok(polls > 4, "polled meanwhile");
    is_int(wattle_sensors_edge(&sensors, 2, 2000000, &untouched, NULL), -EINVAL,
           "a gauge has no edges");
    is_int(wattle_sensors_edge(&sensors, 3, 2000000, &untouched, NULL), -EINVAL, "no such channel");
    is_int(wattle_sensors_edge(NULL, 0, 2000000, &untouched, NULL), -EINVAL, "no object");
    failure = -EIO;
    is_int(wattle_sensors_edge(&sensors, 0, 2000000, &untouched, NULL), -EIO,
           "a failed read says why");
    is_int(untouched.raw, 4711, "nothing touched on failure");
    return done_testing();
}
