/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter that answers until its ticks around the window are waited for, and then never again:
 * the session continues, whether its own thread reads those ticks or that of a watched errand. The
 * channel has a gap, the other sensor is complete, and the hanging thread only touches what is kept
 * for it.
 */
#include "record/session.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/errand.h"
#include "source/select.h"
#include "source/silence.h"
#include "tap.h"

#define MS UINT64_C(1000000)

enum { PLENTY = 1 << 30 };

/* The counter answers this many times; then its reads wait to be released. */
static atomic_int answers, waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static bool let_go;

static int open_steady(struct wtl_source *source, struct wattle_error *err)
{
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_DRAM, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    (void)err;
    channel.scale = 1e-8; /* 10 W, at a tick each ns */
    channel.flags |= WATTLE_CHANNEL_SLOW;
    return wtl_source_add(source, &channel) < 0 ? -ENOMEM : 0;
}

static int open_ticking(struct wtl_source *source, struct wattle_error *err)
{
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_PACKAGE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    (void)err;
    channel.scale = 1e-2; /* 10 W, at a tick each ms */
    channel.refresh_ns = MS;
    return wtl_source_add(source, &channel) < 0 ? -ENOMEM : 0;
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

static void read_ticking(struct wtl_source *source,
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
    }
    read_steady(source, first, n, out);
    for (size_t i = 0; i < n; i++)
        out[i].raw /= MS;
}

static const struct wtl_driver steady = {.name = "steady",
                                         .flags = WTL_DRIVER_SLOW,
                                         .open = open_steady,
                                         .read = read_steady};
/* One for each case: no driver with a hanging thread is waited for twice. */
#define TICKING                                                       \
    {                                                                 \
        .name = "ticking", .open = open_ticking, .read = read_ticking \
    }
static const struct wtl_driver ticking[] = {TICKING, TICKING, TICKING, TICKING, TICKING};

static const struct setting {
    const char *name;
    unsigned edges;
    bool watched;
    int before, behind; /* reads that return: from the first one on; from the end on */
} settings[] = {
    {"before the start", 2, false, 3, PLENTY},
    {"behind the end", 2, false, PLENTY, 1},
    {"in the last read, without ticks", 0, false, PLENTY, 0},
    {"before the start, watched", 2, true, 3, PLENTY},
    {"behind the end, watched", 2, true, PLENTY, 1},
};
enum { CASES = sizeof settings / sizeof *settings };

/* On the stack of the thread that continues, as in wattle run. */
struct measurement {
    const struct setting *setting;
    struct wtl_session *session;
    uint64_t start_ns, end_ns;
};

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

static void pause_ms(uint64_t ms)
{
    const struct wtl_world *world = wtl_world_real();
    (void)world->ops->sleep_until(world, now_ns() + ms * MS);
}

static void measure_window(struct measurement *m)
{
    m->start_ns = now_ns();
    wtl_session_begin(m->session, m->start_ns);
    pause_ms(20);
    m->end_ns = now_ns();
    if (m->setting->before == PLENTY)
        atomic_store(&answers, m->setting->behind);
    (void)wtl_session_stop(m->session, m->end_ns);
}

static void measure(void *context)
{
    struct measurement *m = context;
    if (wtl_session_prepare(m->session))
        measure_window(m);
}

static void come_late(void *context)
{
    (void)context;
}

static void measure_watched(struct measurement *m)
{
    static const struct wtl_errand_work work = {measure, come_late};
    struct wtl_errand *errand = NULL;
    unsigned patience = 1;
    ok(!wtl_errand_watch(&errand, &work, m, wtl_session_watch(m->session), &patience),
       "%s: it is given up", m->setting->name);
    ok(errand == NULL, "with its thread");
    wtl_session_leave(m->session);
    if (m->start_ns == 0)
        measure_window(m);
}

static void check(struct wtl_session *session,
                  const struct wtl_selection *selection,
                  uint64_t window_ns)
{
    for (size_t i = 0; i < selection->recorded_count; i++) {
        struct wtl_summary s;
        double truth_j = 1e-8 * (double)window_ns;
        bool hung = strcmp(selection->channels[i].name, "steady:dram-0") != 0;
        wtl_session_summary(session, i, &s);
        is_int(s.gaps, hung, "%s: gaps", selection->channels[i].name);
        is_int(s.gap_reasons, hung ? 1u << WTL_GAP_READ_FAILED : 0, "and their reason");
        ok(hung == (s.unknown_ns > 0) && s.unknown_ns <= window_ns,
           "its time is known to be unknown");
        if (hung)
            ok(isnan(s.amount) || s.amount <= truth_j, "no joule too many (%g)", s.amount);
        else
            ok(s.amount > 0, "its energy is known (%g of %g J)", s.amount, truth_j);
    }
}

/* The selections are kept: threads use them. In the window the lanes read only the slow sensor. */
static void test_case(size_t at, struct wtl_selection **ret_selection)
{
    const struct wtl_driver *const drivers[] = {&steady, &ticking[at], NULL};
    const struct wtl_world *world = wtl_world_real();
    const struct wtl_request request = {.drivers = drivers};
    struct measurement m = {.setting = &settings[at]};
    struct wattle_error err = {""};
    int were = atomic_load(&waiting);
    atomic_store(&answers, settings[at].before);
    if (wtl_selection_open(&request, world, ret_selection, &err) < 0) {
        ok(false, "%s", err.text);
        return;
    }
    const struct wtl_session_options options = {.world = world,
                                                .selection = *ret_selection,
                                                .interval_ns = 600000 * MS,
                                                .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                                .edges_before = settings[at].edges,
                                                .edges_after = settings[at].edges,
                                                .patience = 1};
    is_int(wtl_session_create(&options, &m.session, &err), 0, "%s", settings[at].name);
    if (settings[at].watched)
        measure_watched(&m);
    else
        measure(&m);
    wtl_session_end(m.session, m.end_ns);
    is_int(atomic_load(&waiting), were + 1, "a read hangs");
    check(m.session, *ret_selection, m.end_ns - m.start_ns);
    wtl_session_destroy(m.session);
    wtl_selection_close(*ret_selection);
    ok(wtl_silence_is(&ticking[at], world), "nobody waits for that driver a second time");
    ok(!wtl_silence_is(&steady, world), "for the other one they do");
}

/* A thread that has returned in time ends as if unwatched. */
static void test_none(void)
{
    const struct wtl_driver *const drivers[] = {&steady, &ticking[0], NULL};
    const struct wtl_request request = {.drivers = drivers};
    const struct setting none = {.name = "none hangs", .before = PLENTY, .behind = PLENTY};
    static const struct wtl_errand_work work = {measure, come_late};
    struct measurement m = {.setting = &none};
    struct wtl_selection *selection = NULL;
    struct wtl_errand *errand = NULL;
    struct wattle_error err = {""};
    struct wtl_summary s;
    unsigned patience = WTL_PATIENCE;
    atomic_store(&answers, PLENTY);
    if (wtl_selection_open(&request, wtl_world_real(), &selection, &err) < 0) {
        ok(false, "%s", err.text);
        return;
    }
    const struct wtl_session_options options = {.world = wtl_world_real(),
                                                .selection = selection,
                                                .interval_ns = 50 * MS,
                                                .sampler_cpu = WTL_SAMPLER_CPU_ANY,
                                                .edges_before = 2,
                                                .edges_after = 2};
    is_int(wtl_session_create(&options, &m.session, &err), 0, "none hangs");
    ok(wtl_errand_watch(&errand, &work, &m, wtl_session_watch(m.session), &patience), "it is done");
    wtl_errand_end(errand);
    wtl_session_end(m.session, m.end_ns);
    for (size_t i = 0; i < selection->recorded_count; i++) {
        wtl_session_summary(m.session, i, &s);
        is_int(s.gaps, 0, "%s has no gap", selection->channels[i].name);
    }
    wtl_session_destroy(m.session);
    wtl_selection_close(selection);
}

int main(void)
{
    static struct wtl_selection *selections[CASES];
    test_none();
    for (size_t i = 0; i < CASES; i++)
        test_case(i, &selections[i]);
    (void)pthread_mutex_lock(&lock);
    let_go = true;
    (void)pthread_cond_broadcast(&go);
    (void)pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < CASES; i++) {
        while (wtl_silence_is(&ticking[i], wtl_world_real()))
            pause_ms(5);
    }
    pause_ms(50); /* a sanitizer would detect any access now */
    return done_testing();
}
