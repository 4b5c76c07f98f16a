/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwrapping of counters: see unwrap.h. */
#include "record/unwrap.h"

#include <math.h>

#include "model/bound.h"

void wtl_unwrap_init(struct wtl_unwrap *unwrap, const struct wattle_channel *channel)
{
    *unwrap = (struct wtl_unwrap){.modulus = channel->modulus};
    unwrap->slack_ns = channel->refresh_ns ? 2.0 * (double)channel->refresh_ns : 2e9;
    if (channel->quantity == WATTLE_ENERGY)
        unwrap->ticks_per_ns_max = wtl_greatest_power_w(channel) / channel->scale * 1e-9;
}

/* A wrap must not require more than this many times the highest rate so far, taken over that many
 * refreshes. */
static const double SURGE = 2.5;
static const double PACE_REFRESHES = 10;

/* What a counter shows after a reset must last this long, and as long as a reading may lag: the
 * wrong value of a glitch may be read more than once, most of all while polling. */
static const uint64_t COURSE_NS = 25 * 1000 * 1000;

/* Measured from one reading that shows a new value to another: while polling, a tick is a large
 * part of the time between. */
static void take_pace(struct wtl_unwrap *unwrap, uint64_t time_ns)
{
    double dt = (double)(time_ns - unwrap->paced_ns);
    double pace = dt > 0 ? (double)(unwrap->ticks - unwrap->paced_ticks) / dt : 0;
    bool enough = dt >= PACE_REFRESHES / 2 * unwrap->slack_ns;
    bool moves = !unwrap->paced_at_tick && dt < unwrap->slack_ns;
    if (!moves && (enough || unwrap->fastest == 0))
        unwrap->latest = pace;
    if (!enough && !moves)
        return;
    if (enough)
        unwrap->fastest = fmax(unwrap->fastest, pace);
    unwrap->paced_at_tick = true;
    unwrap->paced_ns = time_ns;
    unwrap->paced_ticks = unwrap->ticks;
}

void wtl_unwrap_skip(struct wtl_unwrap *unwrap, uint64_t raw, uint64_t time_ns)
{
    unwrap->started = true;
    unwrap->last_raw = raw;
    unwrap->last_ns = unwrap->paced_ns = time_ns;
    unwrap->paced_ticks = unwrap->ticks;
    unwrap->paced_at_tick = false;
    unwrap->course.waits = false;
    unwrap->trail.count = 0;
    wtl_course_note(&unwrap->trail, (int64_t)unwrap->ticks, time_ns);
}

/* The highest rate in ticks per ns, even if observed only briefly. */
static double pace(const struct wtl_unwrap *unwrap)
{
    double dt = (double)(unwrap->last_ns - unwrap->paced_ns);
    if (unwrap->fastest > 0 || dt < unwrap->slack_ns)
        return unwrap->fastest;
    return (double)(unwrap->ticks - unwrap->paced_ticks) / dt;
}

/* Judge a counter whose maximum power is known. */
static enum wtl_unwrapped unwrap_bounded(const struct wtl_unwrap *unwrap,
                                         double delta,
                                         double pause_ns,
                                         bool wrapped)
{
    /* The value may lag by the refresh, and changes in whole ticks. */
    double time_ns = pause_ns + unwrap->slack_ns + (wrapped ? 0 : unwrap->late_ns);
    double lag_ns = fmin(pause_ns, unwrap->slack_ns);
    double modulus = unwrap->modulus ? (double)unwrap->modulus : 0x1p64;
    if ((pause_ns + lag_ns) * unwrap->ticks_per_ns_max >= modulus)
        return WTL_UNWRAP_LOST_WRAP;
    if (delta > time_ns * unwrap->ticks_per_ns_max + 2)
        return WTL_UNWRAP_OPEN;
    if (wrapped && delta > time_ns * SURGE * pace(unwrap) + 2)
        return WTL_UNWRAP_OPEN;
    return WTL_UNWRAP_OK;
}

/* Growth from one raw value to another, taking a fall for a wrap. */
static uint64_t growth(const struct wtl_unwrap *unwrap, uint64_t from, uint64_t to)
{
    uint64_t delta = to - from;
    return to < from && unwrap->modulus ? delta + unwrap->modulus : delta;
}

/* The same of a counter that may have fallen: what is more than half of its range is no wrap. */
static double change(const struct wtl_unwrap *unwrap, uint64_t from, uint64_t to)
{
    uint64_t delta = growth(unwrap, from, to);
    bool fell = to < from && (unwrap->modulus == 0 || delta > unwrap->modulus / 2);
    return fell ? -(double)(from - to) : (double)delta;
}

static enum wtl_unwrapped verdict_on(const struct wtl_unwrap *unwrap,
                                     uint64_t raw,
                                     uint64_t time_ns)
{
    bool fell = raw < unwrap->last_raw;
    if (unwrap->ticks_per_ns_max > 0)
        return unwrap_bounded(unwrap, (double)growth(unwrap, unwrap->last_raw, raw),
                              (double)(time_ns - unwrap->last_ns), fell);
    /* a 64-bit count of anything else does not wrap */
    return fell && !unwrap->modulus ? WTL_UNWRAP_OPEN : WTL_UNWRAP_OK;
}

/* Whether a counter can count so much in this time, with what readings may lag. */
static bool can_count(const struct wtl_unwrap *unwrap, uint64_t ticks, uint64_t time_ns)
{
    return (double)ticks <= ((double)time_ns + unwrap->slack_ns) * unwrap->ticks_per_ns_max + 2;
}

/* How long the new course of a counter whose maximum power is known must last. */
static uint64_t least_ns(const struct wtl_unwrap *unwrap, bool is_restart)
{
    uint64_t lag_ns = (uint64_t)unwrap->slack_ns;
    uint64_t least_ns = lag_ns > COURSE_NS && lag_ns < 1000000000 ? lag_ns : COURSE_NS;
    bool is_back = unwrap->course.back.rate > 0;
    bool low = unwrap->course.raw < unwrap->last_raw && unwrap->latest > 0 && !is_back;
    return low && !is_restart && least_ns < WTL_COURSE_LASTS_NS ? WTL_COURSE_LASTS_NS : least_ns;
}

/* A reading after one that was off the course; verdict: what it is on the old one. */
static enum wtl_unwrapped return_or_reset(struct wtl_unwrap *unwrap,
                                          enum wtl_unwrapped verdict,
                                          uint64_t raw,
                                          uint64_t time_ns)
{
    struct wtl_course *course = &unwrap->course;
    bool bounded = unwrap->ticks_per_ns_max > 0;
    uint64_t old_ns = time_ns - unwrap->last_ns, new_ns = time_ns - course->begin_ns;
    bool is_restart = bounded && can_count(unwrap, course->raw, course->begin_ns - unwrap->last_ns);
    const struct wtl_course_reading reading = {
        .raw = raw,
        .time_ns = time_ns,
        .from_old = {.is_possible = verdict == WTL_UNWRAP_OK,
                     .rate = change(unwrap, unwrap->last_raw, raw) / (double)old_ns},
        .from_new = {.is_possible = raw >= course->raw &&
                                    (!bounded || can_count(unwrap, raw - course->raw, new_ns)),
                     .rate = new_ns ? (double)(raw - course->raw) / (double)new_ns : 0},
        .usual_rate = bounded ? unwrap->latest : 0,
        .is_restart = is_restart,
        .least_ns = bounded ? least_ns(unwrap, is_restart) : COURSE_NS,
    };
    switch (wtl_course_judge(course, &reading)) {
    case WTL_COURSE_KEPT:
        return WTL_UNWRAP_OK;
    case WTL_COURSE_NEW:
        if (course->back.rate > 0)
            unwrap->latest = course->back.rate;
        return WTL_UNWRAP_RESET;
    case WTL_COURSE_OPEN:
        break;
    }
    return WTL_UNWRAP_OPEN;
}

/* A reading that counting does not explain waits. It may be behind the last one also where that was beyond the end of the range. */
static void leave(struct wtl_unwrap *unwrap, uint64_t raw, uint64_t time_ns)
{
    uint64_t fall = unwrap->last_raw - raw;
    if (raw > unwrap->last_raw)
        fall += unwrap->modulus;
    uint64_t range = unwrap->modulus ? unwrap->modulus : UINT64_MAX;
    struct wtl_course_back back = {0};
    if (fall <= range / 2 && unwrap->ticks_per_ns_max > 0)
        back = wtl_course_fall(&unwrap->trail, (int64_t)(unwrap->ticks - fall), time_ns);
    const struct wtl_course_seen at = {.ticks = (int64_t)raw, .time_ns = time_ns},
                                 last = {.ticks = (int64_t)unwrap->last_raw,
                                         .time_ns = unwrap->last_ns};
    wtl_course_leave(&unwrap->course, &at, &last, &back);
}

/* Back on the course that was given up. */
static bool is_back(struct wtl_unwrap *unwrap, uint64_t raw, uint64_t time_ns)
{
    struct wtl_course *course = &unwrap->course;
    double since_ns = (double)(int64_t)(time_ns - course->left_ns);
    return wtl_course_returns(course, change(unwrap, course->left_raw, raw) / since_ns, time_ns);
}

enum wtl_unwrapped wtl_unwrap_feed(struct wtl_unwrap *unwrap,
                                   uint64_t raw,
                                   uint64_t time_ns,
                                   uint64_t *ret_ticks)
{
    enum wtl_unwrapped verdict =
        unwrap->started ? verdict_on(unwrap, raw, time_ns) : WTL_UNWRAP_FIRST;
    bool told =
        unwrap->started && unwrap->modulus == 0 && (raw ^ unwrap->last_raw) & WTL_ANOTHER_RUN;
    bool on_some = verdict == WTL_UNWRAP_OK || verdict == WTL_UNWRAP_OPEN;
    if (told || (on_some && is_back(unwrap, raw, time_ns)))
        verdict = WTL_UNWRAP_RESET;
    else if (unwrap->course.waits && verdict != WTL_UNWRAP_LOST_WRAP)
        verdict = return_or_reset(unwrap, verdict, raw, time_ns);
    else if (verdict == WTL_UNWRAP_OPEN)
        leave(unwrap, raw, time_ns);

    if (verdict == WTL_UNWRAP_OK) {
        uint64_t delta = growth(unwrap, unwrap->last_raw, raw);
        unwrap->ticks += delta;
        unwrap->last_raw = raw;
        unwrap->last_ns = time_ns;
        if (delta > 0) {
            take_pace(unwrap, time_ns);
            wtl_course_note(&unwrap->trail, (int64_t)unwrap->ticks, time_ns);
        }
    } else if (verdict != WTL_UNWRAP_OPEN) {
        wtl_unwrap_skip(unwrap, raw, time_ns);
    }
    *ret_ticks = unwrap->ticks;
    return verdict;
}
