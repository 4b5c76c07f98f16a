/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver that does not answer while it is opened: it is left out with a message, it is not waited
 * for twice, it may return, and a recording of it that is continued has its channels all the same.
 */
#include "source/select.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "source/silence.h"
#include "tap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool let_go;
static atomic_int closed;
static char seen[64]; /* settings, seen by the hanging driver when it returns */

static int add(struct wtl_source *source, enum wattle_domain domain)
{
    struct wattle_channel channel = wtl_channel_init(domain, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    return wtl_source_add(source, &channel) < 0 ? -ENOMEM : 0;
}

static int open_hanging(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    (void)pthread_mutex_lock(&lock);
    while (!let_go)
        (void)pthread_cond_wait(&changed, &lock);
    (void)snprintf(seen, sizeof seen, "%.30s %.30s", wtl_source_param(source, "path"),
                   source->target.cgroup ? source->target.cgroup : "-");
    (void)pthread_mutex_unlock(&lock);
    return add(source, WATTLE_DOMAIN_PACKAGE);
}

static int open_steady(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    return add(source, WATTLE_DOMAIN_DRAM);
}

static int open_guess(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    return add(source, WATTLE_DOMAIN_NODE);
}

static void read_zero(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    (void)source, (void)first;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.status = 0};
}

static void count_close(struct wtl_source *source)
{
    (void)source;
    atomic_fetch_add(&closed, 1);
}

static const struct wtl_param params[] = {{"path", "", "where"}, {NULL, NULL, NULL}};
static const struct wtl_driver hanging = {.name = "hanging",
                                          .params = params,
                                          .open = open_hanging,
                                          .read = read_zero,
                                          .close = count_close};
static const struct wtl_driver steady = {.name = "steady", .open = open_steady, .read = read_zero};
static const struct wtl_driver guess = {.name = "guess",
                                        .flags = WTL_DRIVER_FALLBACK,
                                        .open = open_guess,
                                        .read = read_zero};

static const struct wtl_driver *const both[] = {&hanging, &steady, NULL};
static const struct wtl_driver *const guessed[] = {&hanging, &guess, NULL};

static struct wtl_selection *open_with(const struct wtl_request *request)
{
    struct wtl_selection *selection = NULL;
    struct wattle_error err = {""};
    is_int(wtl_selection_open(request, wtl_world_real(), &selection, &err), 0, "selects %s",
           err.text);
    return selection;
}

/* Its setting and its cgroup are freed before its thread ends. */
static void test_left_out(void)
{
    char cgroup[] = "/sys/fs/cgroup/x", path[] = "/a/b";
    const struct wtl_setting list[] = {{"hanging", "path", path}};
    const struct wtl_settings settings = {.count = 1, .list = list};
    const struct wtl_target target = {.cgroup = cgroup};
    const struct wtl_request request = {
        .drivers = both, .settings = &settings, .target = &target, .patience = 1};
    struct wtl_selection *selection = open_with(&request);
    size_t at = 0;
    if (!selection)
        return;
    is_int(selection->offers[0].status, -ETIMEDOUT, "a driver that does not answer is left out");
    const char *why = wtl_selection_silent(selection, &at);
    ok(why && strstr(why, "skipped hanging: ") == why, "with a sentence (%s)", why ? why : "");
    ok(!wtl_selection_silent(selection, &at), "and no other one is");
    is_int((int)selection->recorded_count, 1, "the other one is there");
    is_str(selection->channels[0].name, "steady:dram-0", "with its channel");
    ok(wtl_silence_is(&hanging, wtl_world_real()), "this process knows");
    ok(!wtl_silence_is(&steady, wtl_world_real()), "of that one only");
    wtl_selection_close(selection);
    memset(cgroup, '!', sizeof cgroup - 1);
    memset(path, '!', sizeof path - 1);
}

/* Only an estimate, and its reason. */
static void test_nothing_else(void)
{
    static const struct wtl_driver *const alone[] = {&hanging, NULL};
    struct wtl_request request = {.drivers = guessed, .patience = 1};
    struct wattle_error err = {""};
    struct wtl_selection *selection = open_with(&request);
    is_str(selection ? selection->channels[0].name : "", "guess:node-0", "the fallback is taken");
    wtl_selection_close(selection);
    request.drivers = alone;
    selection = open_with(&request);
    is_int(selection ? wtl_selection_check(selection, &err) : 0, -ENODEV, "nothing can be read");
    ok(strstr(err.text, "hanging: ") != NULL, "%s", err.text);
    wtl_selection_close(selection);
}

/* What a trace knows of it stays in the selection, and nothing is guessed in its place. */
static void test_known(void)
{
    struct wattle_channel known[2] = {
        wtl_channel_init(WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_COUNTER),
        wtl_channel_init(WATTLE_DOMAIN_DRAM, 0, WATTLE_ENERGY, WATTLE_COUNTER)};
    struct wattle_reading reading = {0};
    (void)snprintf(known[0].sensor, sizeof known[0].sensor, "hanging");
    (void)snprintf(known[0].name, sizeof known[0].name, "hanging:package-0");
    (void)snprintf(known[1].sensor, sizeof known[1].sensor, "other");
    (void)snprintf(known[1].name, sizeof known[1].name, "other:dram-0");
    const struct wtl_request request = {
        .drivers = guessed, .patience = 1, .known = known, .known_count = 2};
    struct wtl_selection *selection = open_with(&request);
    size_t at = 0;
    if (!selection)
        return;
    is_int((int)selection->recorded_count, 1, "one channel stands in");
    is_str(selection->channels[0].name, "hanging:package-0", "that of the sensor");
    ok(selection->channels[0].flags & WATTLE_CHANNEL_IN_TOTAL, "the total still asks for it");
    ok(wtl_selection_silent(selection, &at) != NULL, "it is told");
    selection->picks[0].source->driver->read(selection->picks[0].source, 0, 1, &reading);
    is_int(reading.status, -ETIMEDOUT, "and has no value");
    wtl_selection_close(selection);
}

static void test_back(void)
{
    const struct wtl_request request = {.drivers = both, .patience = 1};
    is_int(atomic_load(&closed), 0, "so far nothing of it was closed");
    (void)pthread_mutex_lock(&lock);
    let_go = true;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    while (wtl_silence_is(&hanging, wtl_world_real()))
        (void)wtl_world_real()->ops->sleep_until(wtl_world_real(),
                                                 wtl_world_monotonic(wtl_world_real()) + 1000000);
    is_int(atomic_load(&closed), 1, "what came back too late is closed");
    is_str(seen, "/a/b /sys/fs/cgroup/x", "it has seen what it was given");
    struct wtl_selection *selection = open_with(&request);
    is_int(selection ? (int)selection->recorded_count : 0, 2, "and it can be opened again");
    wtl_selection_close(selection);
    is_int(atomic_load(&closed), 2, "and closed");
}

int main(void)
{
    test_left_out();
    test_nothing_else();
    test_known();
    test_back();
    return done_testing();
}
