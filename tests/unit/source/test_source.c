/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of an opened driver: channels are checked and named, settings found, notes kept. */
#include "source/driver.h"

#include "../sensors/host.h"

static int open_result;
static struct wattle_channel to_add[4];
static size_t add_count;
static int added[4];
static unsigned closed;

static int fake_open(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    for (size_t i = 0; i < add_count; i++)
        added[i] = wtl_source_add(source, &to_add[i]);
    return open_result;
}

static void fake_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    (void)source, (void)first, (void)n, (void)out;
}

static void fake_close(struct wtl_source *source)
{
    (void)source;
    closed++;
}

static const struct wtl_param params[] = {{"pmu", "power", "which"}, {NULL, NULL, NULL}};
static const struct wtl_driver fake = {.name = "perf",
                                       .flags = WTL_DRIVER_SLOW,
                                       .params = params,
                                       .open = fake_open,
                                       .read = fake_read,
                                       .close = fake_close};

static struct wattle_channel channel(int index, int sub, double scale)
{
    struct wattle_channel one =
        wtl_channel_init(WATTLE_DOMAIN_CORE, index, WATTLE_ENERGY, WATTLE_COUNTER);
    one.sub = sub;
    one.scale = scale;
    return one;
}

static void test_add(struct wtl_world *world)
{
    struct wtl_source source;
    to_add[0] = channel(1, 5, 0.5);
    to_add[1] = channel(1, 5, 0.5);
    to_add[2] = channel(1, -1, 0);
    to_add[3] = channel(-1, -1, 1);
    add_count = 4;
    is_int(wtl_source_open(&source, &fake, world, NULL, NULL, NULL), 0, "opens");
    is_int(added[0], 0, "the first channel");
    is_int(added[1], -EINVAL, "its name is taken");
    is_int(added[2], -EINVAL, "no scale of 0");
    is_int(added[3], -EINVAL, "no negative index");
    is_str(source.channels[0].name, "perf:core-1-5", "name");
    is_str(source.channels[0].sensor, "perf", "sensor");
    ok(source.channels[0].flags & WATTLE_CHANNEL_SLOW, "slow as its driver");
    ok(!(source.channels[0].flags & WATTLE_CHANNEL_SIMULATED), "not simulated");
    wtl_source_note(&source, "first %d", 1);
    wtl_source_note(&source, "second");
    wtl_source_note(&source, "first 1");
    is_int(source.note_count, 2, "each note is kept, once");
    is_str(source.notes[0].text, "first 1", "in their order");
    is_str(source.notes[1].text, "second", "in their order");
    wtl_source_close(&source);
    is_int(closed, 1, "closed");
    wtl_source_close(&source);
    is_int(closed, 1, "once");
    world->simulated = true;
    add_count = 1;
    is_int(wtl_source_open(&source, &fake, world, NULL, NULL, NULL), 0, "opens");
    ok(source.channels[0].flags & WATTLE_CHANNEL_SIMULATED, "simulated as its world");
    wtl_source_close(&source);
    world->simulated = false;
}

/* A word in place of the domain; the rest of the name is generated. */
static void test_words(struct wtl_world *world)
{
    static const struct {
        int line;
        const char *word;
        int rc;
        const char *name;
    } rows[] = {
        {__LINE__, "tree", 0, "perf:tree-1-5"},
        {__LINE__, "core_throttle", 0, "perf:core_throttle-1-5"},
        {__LINE__, "perf:tree-0", -EINVAL, ""},
        {__LINE__, "zone/0", -EINVAL, ""},
        {__LINE__, "a_word_that_is_much_too_long", -EINVAL, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_source source;
        tap_line = rows[i].line;
        to_add[0] = channel(0, -1, 1);
        to_add[1] = channel(1, 5, 1);
        (void)snprintf(to_add[1].name, sizeof to_add[1].name, "%s", rows[i].word);
        add_count = 2;
        is_int(wtl_source_open(&source, &fake, world, NULL, NULL, NULL), 0, "opens");
        is_int(added[1], rows[i].rc ? rows[i].rc : 1, "'%s'", rows[i].word);
        if (rows[i].rc == 0)
            is_str(source.channels[1].name, rows[i].name, "name");
        wtl_source_close(&source);
    }
    tap_line = 0;
}

static void test_failures(struct wtl_world *world)
{
    struct wtl_source source;
    struct wattle_error err = {{0}};
    add_count = 0;
    closed = 0;
    is_int(wtl_source_open(&source, &fake, world, NULL, NULL, &err), -ENODEV, "no channel");
    is_str(err.text, "perf: no channel found", "says so");
    is_int(closed, 1, "and was closed");
    add_count = 1;
    open_result = -EACCES;
    is_int(wtl_source_open(&source, &fake, world, NULL, NULL, &err), -EACCES, "forbidden");
    is_int(closed, 2, "and was closed");
    ok(source.channels == NULL && source.count == 0, "nothing is left");
    open_result = 0;
}

/* The host's environment says WATTLE_PERF_PMU=msr. */
static void test_params(struct wtl_world *world)
{
    static const struct wtl_setting list[] = {
        {"perf", "pmu", "one"}, {"powercap", "pmu", "other"}, {"perf", "pmu", "two"}};
    static const struct wtl_settings settings = {3, list};
    struct wtl_source source;
    struct wtl_world *bare = host_world("container");
    add_count = 1;
    is_int(wtl_source_open(&source, &fake, world, &settings, NULL, NULL), 0, "opens");
    is_str(wtl_source_param(&source, "pmu"), "two", "the last setting wins");
    is_str(wtl_source_param(&source, "none"), "", "what is not declared is empty");
    wtl_source_close(&source);
    is_int(wtl_source_open(&source, &fake, world, NULL, NULL, NULL), 0, "opens");
    is_str(wtl_source_param(&source, "pmu"), "msr", "then the environment");
    wtl_source_close(&source);
    is_int(wtl_source_open(&source, &fake, bare, NULL, NULL, NULL), 0, "opens");
    is_str(wtl_source_param(&source, "pmu"), "power", "then the default");
    wtl_source_close(&source);
    wtl_world_close(bare);
}

int main(void)
{
    struct wtl_world *world = host_world("links");
    test_add(world);
    test_words(world);
    test_failures(world);
    test_params(world);
    wtl_world_close(world);
    return done_testing();
}
