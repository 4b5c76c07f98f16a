/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes: see lane.h. The loop sleeps to absolute deadlines on a futex, so that a stop wakes it at
 * once; a missed deadline is counted and not made up for.
 */
#define _GNU_SOURCE
#include "record/lane.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the ring, each record takes one extra word. */
enum {
    MARK_WORDS = 2 + 1,
    LOST_WORDS = 2 + 1,
    CLOCK_WORDS = 4 + 1,
    EDGE_WORDS = 5 + 1,
    EDGES_KEPT = 54 /* per channel: the patience of wtl_edges_poll() in ticks of 1 ms */
};

/* Threads that were stopped together all run again within this time. */
static const uint64_t AT_ONCE_NS = 10 * 1000 * 1000;

/* Time of the looks after the start, in tenths of a refresh: if one comes too close to a tick, the
 * other does not. */
enum { LOOKS = 2, FIRST_LOOK = 14, SECOND_LOOK = 19, LATE_LOOK = 40 };

/* Looks at slow counters: this many, the first at the start, each later one a fraction of a refresh
 * after the previous. */
enum { SLOW_LOOKS = 28, SLOW_PARTS = 12, SLOW_ROWS = 4 };

enum { READS_MAX = 3, FAST_READ_NS = 1000 * 1000, INTERRUPTION_NS = 200 * 1000 };

int wtl_lane_init(struct wtl_lane *lane)
{
    size_t row_words = lane->keeps_clocks ? CLOCK_WORDS : 0, channels = 0;
    for (size_t i = 0; i < lane->run_count; i++) {
        row_words += lane->runs[i].n + 3 + 1;
        channels += lane->runs[i].n;
    }
    /* Rows for 0.75 s, rounded up; the consumer drains five times a second. */
    uint64_t rows = lane->interval_ns ? 750000000u / lane->interval_ns + 8 : 8;
    if (rows > 8192)
        rows = 8192;
    lane->edge_words = LOST_WORDS + channels * EDGES_KEPT * EDGE_WORDS;
    lane->border_words = 2 * (LOST_WORDS + MARK_WORDS) + LOST_WORDS + row_words;
    atomic_init(&lane->state, WTL_LANE_WAITING);
    atomic_init(&lane->calls, 0);
    return wtl_ring_init(&lane->ring, row_words * rows + lane->edge_words + lane->border_words);
}

void wtl_lane_fini(struct wtl_lane *lane)
{
    wtl_ring_fini(&lane->ring);
}

/* Words that a record of this kind leaves free for more important ones. Rows after the end are the
 * last and may use everything. */
static size_t words_left_free(const struct wtl_lane *lane, enum wtl_record_kind kind)
{
    if (lane->ended || kind == WTL_RECORD_BEGIN || kind == WTL_RECORD_END)
        return 0;
    return lane->border_words + (kind == WTL_RECORD_EDGE ? 0 : lane->edge_words);
}

void wtl_lane_push(struct wtl_lane *lane, const uint64_t *record, size_t n)
{
    size_t spare = words_left_free(lane, (enum wtl_record_kind)(record[0] & 0xff));
    uint64_t lost[2] = {WTL_RECORD_LOST, lane->lost};
    if (lane->lost > 0 && wtl_ring_push(&lane->ring, lost, 2, spare + n + 1) == 0)
        lane->lost = 0;
    if (lane->lost > 0 || wtl_ring_push(&lane->ring, record, n, spare) < 0)
        lane->lost++;
}

void wtl_lane_mark(struct wtl_lane *lane, enum wtl_record_kind kind, uint64_t time_ns)
{
    uint64_t record[2] = {kind, time_ns};
    wtl_lane_push(lane, record, 2);
    lane->border_ns = time_ns;
    lane->ended = kind == WTL_RECORD_END;
}

/* Was a normally fast read interrupted? A first one that takes long may have been, so it is repeated, which tells. */
static bool was_interrupted(struct wtl_batch *run, uint64_t took_ns)
{
    bool first = run->shortest_ns == 0;
    if (first || took_ns < run->shortest_ns)
        run->shortest_ns = took_ns;
    return first ? took_ns > FAST_READ_NS
                 : run->shortest_ns < FAST_READ_NS &&
                       took_ns > 2 * run->shortest_ns + INTERRUPTION_NS;
}

static bool is_timed(const struct wtl_batch *run)
{
    return run->source->driver->flags & WTL_DRIVER_TIMED;
}

/* Has a reading with its own time been taken before, or does it come too late? */
static bool is_old(const struct wtl_lane *lane, struct wtl_batch *run, uint64_t time_ns)
{
    uint64_t newest_ns = run->time_ns;
    if (!is_timed(run) || time_ns == 0)
        return false;
    if (time_ns > newest_ns)
        run->time_ns = time_ns;
    return time_ns <= newest_ns || time_ns <= lane->border_ns;
}

static void publish(const struct wtl_lane *lane,
                    const struct wtl_batch *run,
                    uint64_t time_ns,
                    uint64_t half_ns,
                    const struct wattle_reading readings[])
{
    for (size_t i = 0; lane->energy && i < run->n; i++) {
        wtl_energy_page_blur(lane->energy, run->channel + i, half_ns);
        wtl_energy_page_publish(lane->energy, run->channel + i, time_ns, readings[i].raw,
                                readings[i].status);
    }
}

static uint64_t collect_run(struct wtl_lane *lane,
                            struct wtl_batch *run,
                            enum wtl_record_kind kind,
                            uint64_t before_ns)
{
    struct wattle_reading readings[WTL_RUN_MAX];
    uint64_t record[WTL_RECORD_WORDS], after_ns = before_ns, failed = 0;
    bool again = true;
    for (int reads = 0; again && reads < READS_MAX; reads++) {
        before_ns = after_ns;
        for (size_t i = 0; i < run->n; i++)
            readings[i].time_ns = 0;
        run->source->driver->read(run->source, run->first, run->n, readings);
        after_ns = wtl_world_monotonic(lane->world);
        again = was_interrupted(run, after_ns - before_ns) && readings[0].time_ns == 0;
    }
    if (atomic_load_explicit(&lane->abandoned, memory_order_acquire))
        return after_ns; /* no longer needed */
    if (is_old(lane, run, readings[0].time_ns))
        return after_ns;
    for (size_t i = 0; i < run->n; i++) {
        bool good = readings[i].status == 0;
        failed |= (uint64_t)!good << i;
        record[3 + i] = good ? readings[i].raw : (uint64_t)-readings[i].status;
    }
    record[0] = kind | (uint64_t)run->number << 8;
    uint64_t half_ns = readings[0].time_ns ? 0 : (after_ns - before_ns) / 2;
    record[1] = readings[0].time_ns ? readings[0].time_ns : before_ns + half_ns;
    record[2] = failed | (half_ns < UINT32_MAX ? half_ns : UINT32_MAX) << 32;
    wtl_lane_push(lane, record, 3 + run->n);
    /* Of an interrupted read, little is known of its time: the next one will do. */
    if (!again || half_ns <= FAST_READ_NS)
        publish(lane, run, record[1], half_ns, readings);
    return after_ns;
}

/* Returns the time at which it finished. */
static uint64_t collect(struct wtl_lane *lane, uint64_t now_ns)
{
    if (lane->keeps_clocks) {
        uint64_t record[4] = {WTL_RECORD_CLOCKS, now_ns,
                              lane->world->ops->now_ns(lane->world, CLOCK_BOOTTIME),
                              lane->world->ops->now_ns(lane->world, CLOCK_REALTIME)};
        wtl_lane_push(lane, record, 4);
    }
    for (size_t i = 0; i < lane->run_count; i++) {
        atomic_store_explicit(&lane->reading, i, memory_order_relaxed);
        now_ns = collect_run(lane, &lane->runs[i], WTL_RECORD_ROW, now_ns);
    }
    lane->collections++;
    return now_ns;
}

void wtl_lane_collect(struct wtl_lane *lane)
{
    (void)collect(lane, wtl_world_monotonic(lane->world));
}

bool wtl_lane_follow(struct wtl_lane *lane)
{
    uint64_t now_ns = wtl_world_monotonic(lane->world);
    bool all = true;
    for (size_t i = 0; i < lane->run_count; i++) {
        struct wtl_batch *run = &lane->runs[i];
        if (!is_timed(run))
            continue;
        atomic_store_explicit(&lane->reading, i, memory_order_relaxed);
        now_ns = collect_run(lane, run, WTL_RECORD_ROW, now_ns);
        all = all && run->time_ns > lane->border_ns;
    }
    return all;
}

/* When the next look is due: at the counters that tick fast, or at the slow ones. */
static uint64_t look_at_ns(const struct wtl_lane *lane, bool slowly)
{
    if (slowly ? lane->slow_looks == 0 : lane->looks == 0)
        return UINT64_MAX;
    if (slowly)
        return lane->start_ns + (SLOW_LOOKS - lane->slow_looks) * lane->slow_ns / SLOW_PARTS;
    return lane->start_ns + (lane->looks == LOOKS ? FIRST_LOOK : SECOND_LOOK) * lane->look_ns / 10;
}

static void set_deadline(struct wtl_lane *lane)
{
    uint64_t fast_ns = look_at_ns(lane, false), slow_ns = look_at_ns(lane, true);
    uint64_t look_ns = fast_ns < slow_ns ? fast_ns : slow_ns;
    lane->next_ns = look_ns < lane->row_ns ? look_ns : lane->row_ns;
}

static void read_run_ticks(struct wtl_lane *lane, uint64_t now_ns, bool slowly)
{
    bool late =
        !slowly && now_ns - lane->start_ns > LATE_LOOK * lane->look_ns / 10; /* it shows nothing */
    for (size_t i = 0; i < lane->run_count; i++) {
        bool wanted = slowly ? lane->runs[i].ticks_slowly : lane->runs[i].ticks;
        if (!wanted || (late && !is_timed(&lane->runs[i])))
            continue;
        atomic_store_explicit(&lane->reading, i, memory_order_relaxed);
        bool relayed =
            !slowly && is_timed(&lane->runs[i]); /* its page is read: a row like the others */
        now_ns =
            collect_run(lane, &lane->runs[i], relayed ? WTL_RECORD_ROW : WTL_RECORD_LOOK, now_ns);
    }
    if (!slowly)
        lane->looks--;
    while (slowly && look_at_ns(lane, true) <= now_ns)
        lane->slow_looks--;
}

static void take_row(struct wtl_lane *lane, uint64_t now_ns)
{
    wtl_lateness_add(&lane->lateness, now_ns > lane->row_ns ? now_ns - lane->row_ns : 0);
    lane->due_ns = lane->row_ns;
    lane->began_ns = now_ns;
    uint64_t done_ns = collect(lane, now_ns);
    lane->row_ns += lane->interval_ns;
    if (lane->row_ns <= done_ns) {
        uint64_t missed = (done_ns - lane->row_ns) / lane->interval_ns + 1;
        lane->lateness.missed += missed;
        lane->row_ns += missed * lane->interval_ns;
    }
}

void wtl_lane_tick(struct wtl_lane *lane, uint64_t now_ns)
{
    if (lane->row_ns <= lane->next_ns)
        take_row(lane, now_ns);
    else
        read_run_ticks(lane, now_ns, look_at_ns(lane, true) <= lane->next_ns);
    set_deadline(lane);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
    struct timespec when = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                            .tv_nsec = (long)(deadline_ns % 1000000000u)};
    /* Whatever the reason for returning (woken, timeout, a signal, no longer `expected`), the
     * caller checks. */
    (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                  deadline_ns == UINT64_MAX ? NULL : &when, NULL, FUTEX_BITSET_MATCH_ANY);
}

/* Wake the other side that waits for a state: the thread, or its owner. */
static void wake(struct wtl_lane *lane)
{
    (void)atomic_fetch_add_explicit(&lane->calls, 1, memory_order_acq_rel);
    (void)syscall(SYS_futex, &lane->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    (void)syscall(SYS_futex, &lane->calls, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void set_state(struct wtl_lane *lane, enum wtl_lane_state state)
{
    atomic_store_explicit(&lane->state, state, memory_order_release);
    wake(lane);
}

/* Acquire: makes the first deadline, set by wtl_lane_go() before the state, visible. */
static uint32_t state_of(struct wtl_lane *lane)
{
    return atomic_load_explicit(&lane->state, memory_order_acquire);
}

/* Acquire and release: whoever stops a lane that is not reading sees everything it has read. */
static bool change_state(struct wtl_lane *lane, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(&lane->state, &from, to, memory_order_acq_rel,
                                                   memory_order_acquire);
}

static void pin_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set); /* best effort: sampling works on any CPU */
}

/* Until the first deadline is set. */
static void wait_for_go(struct wtl_lane *lane)
{
    for (uint32_t state;
         (state = state_of(lane)) == WTL_LANE_WAITING || state == WTL_LANE_PREPARING;) {
        if (state == WTL_LANE_WAITING) {
            futex_wait(&lane->state, WTL_LANE_WAITING, UINT64_MAX);
            continue;
        }
        wtl_lane_collect(lane);
        if (change_state(lane, WTL_LANE_PREPARING, WTL_LANE_WAITING))
            wake(lane);
    }
}

/* Sampling is over: wait for instructions how to end. */
static void wait_for_end(struct wtl_lane *lane)
{
    uint32_t state;
    if (change_state(lane, WTL_LANE_STOPPED, WTL_LANE_PARKED))
        wake(lane);
    while ((state = state_of(lane)) == WTL_LANE_STOPPED || state == WTL_LANE_PARKED)
        futex_wait(&lane->state, state, UINT64_MAX);
    if (state == WTL_LANE_ENDING) {
        wtl_lane_mark(lane, WTL_RECORD_END, lane->end_ns);
        wtl_lane_collect(lane);
    }
}

bool wtl_lane_pace(struct wtl_lane *lane, uint64_t interval_ns)
{
    if (interval_ns)
        atomic_store_explicit(&lane->wanted_ns, interval_ns, memory_order_release);
    bool done = atomic_load_explicit(&lane->wanted_ns, memory_order_acquire) == 0;
    if (!done)
        wake(lane);
    return done;
}

/* A collection or look if it is due, or a collection at once at a new interval. */
static void run_once(struct wtl_lane *lane)
{
    uint64_t now_ns = wtl_world_monotonic(lane->world);
    uint64_t wanted_ns = atomic_load_explicit(&lane->wanted_ns, memory_order_acquire);
    if (wanted_ns) {
        lane->interval_ns = wanted_ns;
        lane->row_ns = lane->next_ns = now_ns;
        lane->looks = lane->slow_looks = 0;
    }
    if (now_ns >= lane->next_ns)
        wtl_lane_tick(lane, now_ns);
    /* Unless yet another one is wanted. */
    if (wanted_ns)
        (void)atomic_compare_exchange_strong_explicit(&lane->wanted_ns, &wanted_ns, 0,
                                                      memory_order_acq_rel, memory_order_acquire);
}

/* Until the next deadline or a call. The number of calls is loaded before what they are about, so that none is missed
 * that comes while the thread reads. */
static void sleep_between(struct wtl_lane *lane)
{
    uint32_t calls = atomic_load_explicit(&lane->calls, memory_order_acquire);
    if (state_of(lane) == WTL_LANE_RUNNING &&
        atomic_load_explicit(&lane->wanted_ns, memory_order_acquire) == 0)
        futex_wait(&lane->calls, calls, lane->next_ns);
}

static void *lane_main(void *arg)
{
    struct wtl_lane *lane = arg;
    (void)prctl(PR_SET_TIMERSLACK, 1ul); /* else the kernel may wake us 50 us late */
    (void)prctl(PR_SET_NAME, "wattle-sampler");
    if (lane->cpu >= 0)
        pin_to(lane->cpu);
    wait_for_go(lane);
    while (state_of(lane) == WTL_LANE_RUNNING) {
        sleep_between(lane);
        if (!change_state(lane, WTL_LANE_RUNNING, WTL_LANE_READING))
            break;
        run_once(lane);
        (void)change_state(lane, WTL_LANE_READING, WTL_LANE_RUNNING);
    }
    wait_for_end(lane);
    lane->cpu_ns = lane->world->ops->now_ns(lane->world, CLOCK_THREAD_CPUTIME_ID);
    if (atomic_load_explicit(&lane->abandoned, memory_order_acquire))
        atomic_store_explicit(&lane->silence.is_over, true, memory_order_release);
    set_state(lane, WTL_LANE_GONE);
    return NULL;
}

int wtl_lane_start(struct wtl_lane *lane)
{
    int rc = -pthread_create(&lane->thread, NULL, lane_main, lane);
    lane->has_thread = rc == 0;
    return rc;
}

void wtl_lane_go(struct wtl_lane *lane, uint64_t now_ns)
{
    lane->start_ns = now_ns;
    lane->looks = lane->look_ns && 10 * lane->interval_ns > LATE_LOOK * lane->look_ns ? LOOKS : 0;
    lane->slow_looks =
        lane->slow_ns && SLOW_ROWS * lane->interval_ns > lane->slow_ns ? SLOW_LOOKS : 0;
    lane->row_ns = now_ns + lane->interval_ns;
    set_deadline(lane);
    set_state(lane, WTL_LANE_RUNNING);
}

static void leave(struct wtl_lane *lane)
{
    const struct wtl_batch *run =
        &lane->runs[atomic_load_explicit(&lane->reading, memory_order_relaxed)];
    wtl_silence_begin(&lane->silence, run->source->driver, lane->world);
    atomic_store_explicit(&lane->abandoned, true, memory_order_release);
}

static void abandon(struct wtl_lane *lane)
{
    leave(lane);
    set_state(lane, WTL_LANE_DONE); /* if it ever returns */
    (void)pthread_detach(lane->thread);
    lane->has_thread = false;
}

static bool prepares(uint32_t state)
{
    return state == WTL_LANE_PREPARING;
}

void wtl_lane_prepare(struct wtl_lane *lane, unsigned *patience)
{
    if (!lane->has_thread) {
        wtl_lane_collect(lane);
        return;
    }
    set_state(lane, WTL_LANE_PREPARING);
    if (!wtl_patience_wait(&lane->state, prepares, patience))
        abandon(lane);
}

void wtl_lane_stop(struct wtl_lane *lane)
{
    if (atomic_load_explicit(&lane->abandoned, memory_order_relaxed))
        return; /* its thread has been told to end */
    uint32_t was = atomic_exchange_explicit(&lane->state, WTL_LANE_STOPPED, memory_order_acq_rel);
    if (was != WTL_LANE_STOPPED)
        lane->asleep = was != WTL_LANE_READING;
}

static bool may_read(uint32_t state)
{
    return state == WTL_LANE_STOPPED;
}

void wtl_lane_seize(struct wtl_lane *lane, unsigned *patience)
{
    if (lane->has_thread && !lane->asleep && !wtl_patience_wait(&lane->state, may_read, patience))
        abandon(lane);
}

void wtl_lane_finish(struct wtl_lane *lane, uint64_t end_ns)
{
    if (lane->has_thread) {
        lane->end_ns = end_ns;
        set_state(lane, WTL_LANE_ENDING);
    } else if (!lane->abandoned) {
        wtl_lane_mark(lane, WTL_RECORD_END, end_ns);
        wtl_lane_collect(lane);
    }
}

uint64_t wtl_lane_overdue_ns(const struct wtl_lane *lane, uint64_t end_ns)
{
    if (lane->asleep && lane->row_ns < end_ns)
        return end_ns - lane->row_ns;
    /* Both started to run again at once, and this thread was first. */
    if (lane->began_ns > lane->due_ns && end_ns < lane->began_ns + AT_ONCE_NS)
        return end_ns > lane->due_ns ? end_ns - lane->due_ns : 0;
    return 0;
}

static bool is_there(uint32_t state)
{
    return state != WTL_LANE_GONE;
}

void wtl_lane_join(struct wtl_lane *lane, unsigned *patience)
{
    if (!lane->has_thread)
        return;
    uint32_t state = state_of(lane);
    if (state != WTL_LANE_ENDING && state != WTL_LANE_GONE)
        set_state(lane, WTL_LANE_DONE);
    if (!wtl_patience_wait(&lane->state, is_there, patience)) {
        abandon(lane);
        return;
    }
    (void)pthread_join(lane->thread, NULL); /* joinable, ours and ending: cannot fail */
    lane->has_thread = false;
}

void wtl_lane_abandon(struct wtl_lane *lane, unsigned *patience)
{
    wtl_lane_join(lane, patience);
    if (!lane->abandoned)
        leave(lane);
}
