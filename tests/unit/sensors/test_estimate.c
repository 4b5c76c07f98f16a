/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimate on machines whose load is known: its choices, and its counter. */
#include "sensors/estimate.h"

#include <errno.h>
#include <math.h>

#include "base/world/world_recorded.h"
#include "tap.h"

extern const struct wtl_driver wtl_driver_estimate;

#define HOSTS  WATTLE_SOURCE_DIR "/tests/hosts/"
#define SECOND UINT64_C(1000000000)

static struct wtl_world *world_of(const char *host)
{
    char path[512];
    struct wtl_world *world = NULL;
    struct wattle_error err = {0};
    (void)snprintf(path, sizeof path, HOSTS "%s", host);
    if (wtl_world_recorded(path, &world, &err) < 0) {
        ok(false, "%s: %s", host, err.text);
        exit(done_testing());
    }
    return world;
}

static void advance_to(const struct wtl_world *world, double seconds)
{
    /* A microsecond late: the rows of the script are at exactly these instants. */
    world->ops->sleep_until(world, WTL_RECORDED_START_NS + (uint64_t)(seconds * 1e9) + 1000);
}

static double joules(struct wtl_source *source, int *ret_status)
{
    struct wattle_reading reading;
    source->driver->read(source, 0, 1, &reading);
    *ret_status = reading.status;
    return wtl_channel_value(&source->channels[0], reading.raw);
}

/* Energy over [from, to] read every 100 ms. */
static double energy(struct wtl_source *source, double from, double to)
{
    int status;
    advance_to(source->world, from);
    double start = joules(source, &status), end = start;
    for (double t = from + 0.1; t < to + 0.05; t += 0.1) {
        advance_to(source->world, t);
        end = joules(source, &status);
    }
    return end - start;
}

static void test_server(void)
{
    struct wtl_world *world = world_of("xeon-2s-loaded");
    struct wtl_source source;
    struct wattle_error err = {0};
    is_int(wtl_source_open(&source, &wtl_driver_estimate, world, NULL, NULL, &err), 0, "opens: %s",
           err.text);
    const struct wattle_channel *channel = &source.channels[0];
    is_str(channel->name, "estimate:node-0", "name");
    is_int(channel->quality, WATTLE_ESTIMATED, "estimated");
    is_str(channel->label, "SPECpower e5-2609", "chosen by the processor");
    ok(strstr(channel->location, "/proc/stat") != NULL, "source named: %s", channel->location);
    ok(channel->ratio_low > 0 && channel->ratio_low < 1 && channel->ratio_high > 1, "interval");
    double idle_w;
    unsigned cpus;
    is_int(wtl_estimate_idle(&source, &idle_w, &cpus), 0, "idle power is told");
    is_int(cpus, 8, "eight CPUs");

    double idle = energy(&source, 1, 9), half = energy(&source, 11, 19);
    double full = energy(&source, 21, 29), again = energy(&source, 31, 39);
    is_double(idle, 8 * idle_w, 0.05, "idle machine: idle power");
    is_double(again, idle, 0.05, "idle again");
    is_double(full, 8 * channel->max_w, 0.05, "busy machine: full power");
    /* The mean of the measured shapes at half load. */
    is_double((half - idle) / (full - idle), 0.759, 0.002, "half load: above the straight line");
    wtl_source_close(&source);
    is_int(wtl_world_recorded_open_fds(world), 0, "nothing left open");
    wtl_world_close(world);
}

static void test_steps(void)
{
    struct wtl_world *world = world_of("xeon-2s-loaded");
    struct wtl_setting list[] = {{"estimate", "idle_w", "100"}, {"estimate", "full_w", "200"}};
    struct wtl_settings settings = {.count = 2, .list = list};
    struct wtl_source source;
    struct wattle_error err = {0};
    is_int(wtl_source_open(&source, &wtl_driver_estimate, world, &settings, NULL, &err), 0, "%s",
           err.text);
    int status, fell = 0;
    double before = joules(&source, &status), first = before;
    for (int ms = 1; ms <= 32000; ms += 7) { /* reads that do not align with the clock */
        advance_to(world, ms / 1000.0);
        double now = joules(&source, &status);
        fell += now < before;
        before = now;
    }
    is_int(fell, 0, "the counter never falls");
    /* 12 s idle, 10 s half, 10 s full: windows affect the borders, not the sum. */
    is_double(before - first, 12 * 100 + 10 * 175.9 + 10 * 200, 15, "energy of 32 s");
    is_str(source.channels[0].label, "idle_w and full_w set", "says so");
    wtl_source_close(&source);
    wtl_world_close(world);
}

static void test_guest(void)
{
    struct wtl_world *world = world_of("guest-2cpu");
    struct wtl_source source;
    struct wattle_error err = {0};
    is_int(wtl_source_open(&source, &wtl_driver_estimate, world, NULL, NULL, &err), 0, "%s",
           err.text);
    is_str(source.channels[0].label, "part of a sapphirerapids host",
           "instruction sets tell more than the model number");
    ok(strstr(source.notes[0].text, "virtual machine (kvm)") != NULL, "note: %s",
       source.notes[0].text);
    ok(source.channels[0].ratio_high > 3, "a wide interval");
    ok(strstr(source.channels[0].location, "cpuacct.usage") != NULL, "nanoseconds");
    double one_busy_w = energy(&source, 1, 11) / 10;
    double idle_w;
    unsigned cpus;
    (void)wtl_estimate_idle(&source, &idle_w, &cpus);
    is_double(one_busy_w, idle_w + (source.channels[0].max_w - idle_w) / 2, 0.01,
              "a guest's power is straight in its load");
    int status;
    advance_to(world, 20.5);
    (void)joules(&source, &status);
    is_int(status, -EIO, "a failed read has its reason");
    advance_to(world, 22);
    is_double(joules(&source, &status), 22 * one_busy_w, 0.2,
              "the pause is filled by what the counter says after it");
    is_int(status, 0, "and works again");
    wtl_source_close(&source);
    wtl_world_close(world);
}

static void test_settings(void)
{
    static const struct row {
        int line;
        const char *key, *value;
        int rc;
        const char *label; /* or a part of the message */
    } rows[] = {
        {__LINE__, "curve", "0:50,0.5:80,1:120", 0, "curve set"},
        {__LINE__, "curve", "linear", 0, "SPECpower e5-2609"},
        {__LINE__, "curve", "steep", -EINVAL, "use one of mean,"},
        {__LINE__, "curve", "0:50,x:80", -EINVAL, "is not a point"},
        {__LINE__, "idle_w", "30", 0, "SPECpower e5-2609"},
        {__LINE__, "idle_w", "-3", -EINVAL, "above 0"},
        {__LINE__, "full_w", "lots", -EINVAL, "above 0"},
        {__LINE__, "full_w", "1", 0, "SPECpower e5-2609"},
        {__LINE__, "tdp_w", "95", 0, "SPECpower e5-2609"},
        {__LINE__, "busy", "stat", 0, "SPECpower e5-2609"},
        {__LINE__, "busy", "cpuacct", -ENOENT, "cpuacct"},
        {__LINE__, "busy", "guess", -EINVAL, "use auto"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct wtl_world *world = world_of("xeon-2s-loaded");
        struct wtl_setting setting = {"estimate", row->key, row->value};
        struct wtl_settings settings = {.count = 1, .list = &setting};
        struct wtl_source source;
        struct wattle_error err = {0};
        tap_line = row->line;
        int rc = wtl_source_open(&source, &wtl_driver_estimate, world, &settings, NULL, &err);
        is_int(rc, row->rc, "%s=%s", row->key, row->value);
        const char *said = rc == 0 ? source.channels[0].label : err.text;
        ok(strstr(said, row->label) != NULL, "says '%s'", said);
        if (rc == 0)
            wtl_source_close(&source);
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing left open");
        wtl_world_close(world);
    }
    tap_line = 0;
}

int main(void)
{
    test_server();
    test_steps();
    test_guest();
    test_settings();
    return done_testing();
}
