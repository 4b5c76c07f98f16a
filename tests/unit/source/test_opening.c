/* SPDX-License-Identifier: BSD-3-Clause */
/* Drivers whose opening may take long are opened at the same time as the others, and cost nothing where they are not there. */
#include "source/select.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "source/silence.h"
#include "tap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int entered, wanted; /* openings that have begun, and how many must have before one ends */
static bool present;
static atomic_int closed;

static int add(struct wtl_source *source, enum wattle_domain domain)
{
    struct wattle_channel channel = wtl_channel_init(domain, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    return wtl_source_add(source, &channel) < 0 ? -ENOMEM : 0;
}

static void enter(bool wait)
{
    (void)pthread_mutex_lock(&lock);
    entered++;
    (void)pthread_cond_broadcast(&changed);
    while (wait && entered < wanted)
        (void)pthread_cond_wait(&changed, &lock);
    (void)pthread_mutex_unlock(&lock);
}

static int open_long(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    enter(true);
    bool is_first = strcmp(source->driver->name, "first") == 0;
    return add(source, is_first ? WATTLE_DOMAIN_GPU : WATTLE_DOMAIN_PACKAGE);
}

static int open_short(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    enter(false);
    return add(source, WATTLE_DOMAIN_DRAM);
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

static bool is_long(const struct wtl_world *world)
{
    (void)world;
    return present;
}

#define LONG(NAME)                                                                  \
    {                                                                               \
        .name = (NAME), .open = open_long, .read = read_zero, .close = count_close, \
        .is_lengthy = is_long                                                       \
    }
static const struct wtl_driver first = LONG("first"), second = LONG("second");
static const struct wtl_driver steady = {.name = "steady", .open = open_short, .read = read_zero};
static const struct wtl_driver *const all[] = {&first, &second, &steady, NULL};

static struct wtl_selection *open_all(unsigned patience)
{
    struct wtl_selection *selection = NULL;
    struct wattle_error err = {""};
    const struct wtl_request request = {.drivers = all, .patience = patience};
    is_int(wtl_selection_open(&request, wtl_world_real(), &selection, &err), 0, "selects %s",
           err.text);
    return selection;
}

/* Each of the long ones ends only once all three have begun. */
static void test_together(void)
{
    entered = 0, wanted = 3, present = true;
    struct wtl_selection *selection = open_all(600);
    if (!selection)
        return;
    is_int((int)selection->recorded_count, 3, "all are open");
    is_str(selection->channels[0].name, "first:gpu-0", "in the order of the list");
    is_str(selection->channels[2].name, "steady:dram-0", "not in that of opening");
    wtl_selection_close(selection);
    is_int(atomic_load(&closed), 2, "and closed");
}

static void test_absent(void)
{
    entered = 0, wanted = 0, present = false;
    struct wtl_selection *selection = open_all(600);
    is_int(selection ? (int)selection->recorded_count : 0, 3, "one after the other as well");
    wtl_selection_close(selection);
}

/* Both hang until later; the other one is opened all the same. */
static void test_hanging(void)
{
    int before = atomic_load(&closed);
    entered = 0, wanted = 100, present = true;
    struct wtl_selection *selection = open_all(1);
    if (!selection)
        return;
    is_int(selection->offers[0].status, -ETIMEDOUT, "the first is left out");
    is_int(selection->offers[1].status, -ETIMEDOUT, "and the second");
    is_int((int)selection->recorded_count, 1, "the other one is there");
    wtl_selection_close(selection);
    selection = open_all(1);
    is_int(selection ? (int)selection->recorded_count : 0, 1, "they are not waited for again");
    wtl_selection_close(selection);
    (void)pthread_mutex_lock(&lock);
    wanted = 0;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    const struct wtl_world *world = wtl_world_real();
    while (wtl_silence_is(&first, world) || wtl_silence_is(&second, world))
        (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + 1000000);
    is_int(atomic_load(&closed), before + 2, "what came back too late is closed");
}

int main(void)
{
    test_together();
    test_absent();
    test_hanging();
    return done_testing();
}
