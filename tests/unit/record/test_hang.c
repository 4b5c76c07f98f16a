/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sensors that never answer: before the start, in the window, at its end. The measurement ends all
 * the same; their missing values are a gap with its reason, the other sensors are complete, and
 * nothing is freed that their thread may still use.
 */
#include "record/session.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "source/select.h"
#include "source/silence.h"
#include "tap.h"

#define MS UINT64_C(1000000)

/* The reads of a slow sensor return until this many have been made; then they wait to be
 * released. */
static atomic_int answers, waiting, returned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static bool let_go;

static int add(struct wtl_source *source, unsigned flags)
{
    struct wattle_channel channel = wtl_channel_init(
        flags ? WATTLE_DOMAIN_DRAM : WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    channel.scale = 1e-8; /* 10 W, at a tick each ns */
    channel.flags |= flags;
    return wtl_source_add(source, &channel) < 0 ? -ENOMEM : 0;
}

static int open_steady(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    return add(source, 0);
}

static int open_hanging(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    return add(source, WATTLE_CHANNEL_SLOW);
}

static void read_steady(struct wtl_source *source,
                        size_t first,
                        size_t n,
                        struct wattle_reading *out)
{
    (void)first;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct wattle_reading){.raw = wtl_world_monotonic(source->world)};
}

static void read_hanging(struct wtl_source *source,
                         size_t first,
                         size_t n,
                         struct wattle_reading *out)
{
    if (atomic_fetch_sub(&answers, 1) <= 0) {
        (void)pthread_mutex_lock(&lock);
        atomic_fetch_add(&waiting, 1);
        while (!let_go)
            (void)pthread_cond_wait(&go, &lock);
        (void)pthread_mutex_unlock(&lock);
        read_steady(source, first, n, out);
        atomic_fetch_add(&returned, 1);
        return;
    }
    read_steady(source, first, n, out);
}

static const struct wtl_driver steady = {.name = "steady",
                                         .open = open_steady,
                                         .read = read_steady};
/* One for each case: no driver with a hanging thread is waited for twice. */
#define HANGING                                                                                 \
    {                                                                                           \
        .name = "hanging", .flags = WTL_DRIVER_SLOW, .open = open_hanging, .read = read_hanging \
    }
static const struct wtl_driver hanging[] = {HANGING, HANGING, HANGING, HANGING};
enum { CASES = sizeof hanging / sizeof *hanging };

static void pause_ms(uint64_t ms)
{
    const struct wtl_world *world = wtl_world_real();
    (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + ms * MS);
}

static size_t number_of(const struct wtl_selection *selection, const char *name)
{
    size_t i = 0;
    while (i < selection->recorded_count && strcmp(selection->channels[i].name, name) != 0)
        i++;
    return i;
}

static void check_both(struct wtl_session *session,
                       const struct wtl_selection *selection,
                       uint64_t window_ns,
                       bool never)
{
    struct wtl_summary good, hung;
    wtl_session_summary(session, number_of(selection, "steady:package-0"), &good);
    wtl_session_summary(session, number_of(selection, "hanging:dram-0"), &hung);
    is_int(good.gaps, 0, "the other sensor has no gap");
    ok(fabs(good.amount - 1e-8 * (double)window_ns) <= 3 * good.amount_half + 1e-9,
       "and all its energy (%g of %g J)", good.amount, 1e-8 * (double)window_ns);
    is_int(hung.gaps, 1, "the one that does not answer has a gap");
    is_int(hung.gap_reasons, 1u << WTL_GAP_READ_FAILED, "of its reason");
    ok(hung.unknown_ns > 0 && hung.unknown_ns <= window_ns, "its time is known to be unknown");
    if (never)
        ok(isnan(hung.amount), "and nothing of its energy is known");
    else
        ok(hung.amount >= 0 && hung.amount <= 1e-8 * (double)window_ns + 1e-9,
           "and only what was counted (%g J)", hung.amount);
}

/* reads: number that return, including the one before the start. The selections are kept: threads
 * use them. */
static void test_hang(const struct wtl_driver *hangs,
                      int reads,
                      bool in_window,
                      struct wtl_selection **ret_selection)
{
    const struct wtl_driver *const drivers[] = {&steady, hangs, NULL};
    const struct wtl_world *world = wtl_world_real();
    const struct wtl_request request = {.drivers = drivers};
    struct wtl_session *session = NULL;
    struct wattle_error err = {""};
    int were = atomic_load(&waiting);
    atomic_store(&answers, reads);
    if (wtl_selection_open(&request, world, ret_selection, &err) < 0) {
        ok(false, "%s", err.text);
        return;
    }
    const struct wtl_session_options options = {.world = world,
                                                .selection = *ret_selection,
                                                .interval_ns = 5 * MS,
                                                .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                                .patience = 1};
    is_int(wtl_session_create(&options, &session, &err), 0, "%d reads return", reads);
    wtl_session_prepare(session);
    uint64_t start_ns = wtl_world_monotonic(world);
    wtl_session_begin(session, start_ns);
    while (in_window && atomic_load(&waiting) == were)
        pause_ms(5);
    pause_ms(20);
    uint64_t end_ns = wtl_world_monotonic(world);
    wtl_session_end(session, end_ns);
    is_int(atomic_load(&waiting), were + 1, "a read hangs");
    check_both(session, *ret_selection, end_ns - start_ns, reads < 2);
    wtl_session_destroy(session);
    wtl_selection_close(*ret_selection);
    ok((*ret_selection)->held != NULL, "the thread may come back");
    ok(wtl_silence_is(hangs, world), "nobody waits for that driver a second time");
    ok(!wtl_silence_is(&steady, world), "for the other one they do");
}

int main(void)
{
    static struct wtl_selection *selections[CASES];
    test_hang(&hanging[0], 0, false, &selections[0]); /* before the start */
    test_hang(&hanging[1], 1, true,
              &selections[1]); /* in the window: a slow sensor is asked every 100 ms */
    test_hang(&hanging[2], 1, false, &selections[2]); /* at its end */
    test_hang(&hanging[3], 3, true, &selections[3]);
    (void)pthread_mutex_lock(&lock);
    let_go = true;
    (void)pthread_cond_broadcast(&go);
    (void)pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < CASES; i++) {
        while (wtl_silence_is(&hanging[i], wtl_world_real()))
            pause_ms(5);
    }
    ok(atomic_load(&returned) >= CASES, "all have come back");
    pause_ms(50); /* a sanitizer would detect any access now */
    return done_testing();
}
