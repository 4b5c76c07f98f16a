/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the readings of a channel into values and gaps: see continuity.h. */
#include "record/continuity.h"

#include <errno.h>
#include <math.h>

#include "model/bound.h"
#include "model/reading.h"

/* A counter that has not moved for this long since it was opened does not count; emulated ones may
 * need up to 1 s. At the end of a recording fewer ticks suffice (bound.h): either way nothing is
 * known about them. */
static const double NEVER_MOVED_NS = 3e9;
static const double NEVER_MOVED_TICKS = 100;

/* At the end there is no time to wait for more readings: a counter whose domain always draws power,
 * that ticks every millisecond and has shown no tick for this many periods, has stalled. Up to that
 * point the interval allows for it. */
static const double END_TICKS = 20;

/* Slow counters need fewer: no filter delays their ticks, and 20 would take seconds. */
static const double END_SLOW_TICKS = 5;

void wtl_continuity_init(struct wtl_continuity *c,
                         const struct wattle_channel *channel,
                         wtl_continuity_gap_fn *report,
                         void *context)
{
    *c = (struct wtl_continuity){.channel = channel, .report = report, .context = context};
    wtl_unwrap_init(&c->unwrap, channel);
}

static bool loses(const struct wtl_continuity *c, enum wtl_gap_reason reason)
{
    return wtl_gap_loses_energy(reason, c->channel->kind);
}

static void report(struct wtl_continuity *c, uint64_t end_ns)
{
    struct wtl_gap *gap = &c->gap;
    if (loses(c, gap->reason)) {
        if (gap->begin_ns < c->lost_until_ns)
            gap->begin_ns = c->lost_until_ns;
        c->lost_until_ns = end_ns;
    }
    gap->end_ns = end_ns > gap->begin_ns ? end_ns : gap->begin_ns;
    if (c->report)
        c->report(c->context, gap);
}

static void close_gap(struct wtl_continuity *c, uint64_t end_ns)
{
    if (c->open)
        report(c, end_ns);
    c->open = false;
}

/* Open a gap, or extend the open one and worsen its reason. */
static void open_gap(struct wtl_continuity *c,
                     enum wtl_gap_reason reason,
                     int error,
                     uint64_t begin_ns)
{
    struct wtl_gap gap = {.channel = c->id, .reason = reason, .error = error, .begin_ns = begin_ns};
    if (c->open && c->gap.begin_ns < begin_ns)
        gap.begin_ns = c->gap.begin_ns;
    if (c->open && (loses(c, c->gap.reason) || !loses(c, reason))) {
        c->gap.begin_ns = gap.begin_ns;
        return;
    }
    c->gap = gap;
    c->open = true;
}

/* Did the counter grow less up to its last reading than its earlier pace explains, by more than a
 * reading may lag? Then it may have stopped after the reading before that. */
static bool slowed_down(const struct wtl_continuity *c)
{
    double every_ns = (double)(c->changed_ns - c->before_ns) - 1.5 * (double)c->channel->refresh_ns;
    return c->last_ns != c->changed_ns || c->rate_before == 0 || c->channel->refresh_ns == 0 ||
           (double)c->grown < c->rate_before * every_ns;
}

/* The last reading at which the counter is known to have been counting. */
static uint64_t trusted_ns(const struct wtl_continuity *c)
{
    return wtl_counts_always(c->channel) && slowed_down(c) ? c->before_ns : c->last_ns;
}

/* Has the value been unchanged, up to this reading, for longer than the refresh explains? */
static bool has_stood(const struct wtl_continuity *c, uint64_t time_ns)
{
    return wtl_counts_always(c->channel) && (double)(time_ns - c->changed_ns) > c->unwrap.slack_ns;
}

/* Is a gap open that loses energy and continues while the value stays the same? What the counter
 * adds when it moves again may belong to the earlier time. */
static bool waits(const struct wtl_continuity *c, uint64_t time_ns)
{
    return c->open &&
           (c->gap.reason == WTL_GAP_STALLED || (loses(c, c->gap.reason) && has_stood(c, time_ns)));
}

/* Does it count the energy of more than a single core, which may be switched off? All cores
 * together and graphics may also sleep at 0 W: then the gap loses no energy, which cannot be
 * distinguished from a stopped counter. */
static bool may_stall(const struct wtl_continuity *c)
{
    return wtl_counts_always(c->channel) ||
           (c->channel->quantity == WATTLE_ENERGY && c->channel->sub < 0 &&
            c->channel->refresh_ns > 0 && c->channel->quality != WATTLE_ESTIMATED);
}

/* Has a counter whose value is unchanged at time_ns stalled? */
static bool is_stalled(const struct wtl_continuity *c, uint64_t time_ns)
{
    double still_ns = (double)(time_ns - c->changed_ns);
    if (!may_stall(c))
        return false;
    if (c->change_rate == 0)
        return c->channel->refresh_ns > 0 &&
               still_ns > fmax(NEVER_MOVED_NS, NEVER_MOVED_TICKS * (double)c->channel->refresh_ns);
    double refresh_ns = fmax(100.0 * (double)c->channel->refresh_ns, 10.0 * c->still_ns);
    return still_ns > fmax(refresh_ns, 2.5e8) && still_ns * c->change_rate > 50;
}

/* The same at the end of the recording, where no reading follows. */
static bool stands_at(const struct wtl_continuity *c, uint64_t time_ns)
{
    double still_ns = (double)(time_ns - c->changed_ns);
    if (c->channel->kind != WATTLE_COUNTER || !wtl_counts_always(c->channel) || c->last_ns == 0)
        return false;
    if (c->change_rate == 0)
        return wtl_never_ticked(c->channel, c->last_ns - c->changed_ns);
    double ticks = wtl_ticks_slowly(c->channel) ? END_SLOW_TICKS : END_TICKS;
    double patience_ns = fmax(ticks * (double)c->channel->refresh_ns, 3.0 * c->still_ns);
    double rate =
        fmax(c->change_rate, (double)c->unwrap.ticks / (double)(c->last_ns - c->first_ns));
    return c->channel->refresh_ns > 0 && still_ns > patience_ns && still_ns * rate > END_TICKS;
}

bool wtl_continuity_stands(const struct wtl_continuity *c)
{
    return stands_at(c, c->last_ns);
}

/* The value at time_ns is the one from before the stall. What is known is written to the trace at
 * once in case this process is killed. */
static void stall(struct wtl_continuity *c, uint64_t time_ns)
{
    open_gap(c, WTL_GAP_STALLED, 0, c->before_ns);
    report(c, time_ns);
    c->gap.begin_ns = time_ns;
    c->last_ns = time_ns;
}

/* Since when nothing is known, after an impossible difference. A domain that may sleep and stood
 * still before the jump was not counting during that time. */
static uint64_t leaped_since_ns(const struct wtl_continuity *c)
{
    double still_ns = (double)(c->last_ns - c->changed_ns);
    bool stood = c->channel->quantity == WATTLE_ENERGY && still_ns > c->unwrap.slack_ns;
    return stood ? c->before_ns : trusted_ns(c);
}

/* The same where the last readings were too high: they are wrong, too. */
static uint64_t wrong_since_ns(const struct wtl_course *course, uint64_t since_ns)
{
    uint64_t last_ns = course->waits ? course->back.last.time_ns : 0;
    return last_ns && last_ns < since_ns ? last_ns : since_ns;
}

/* And what they counted, of so many ticks. */
static void note_too_high(struct wtl_continuity *c,
                          const struct wtl_course *course,
                          uint64_t since_ns,
                          uint64_t ticks)
{
    if (wrong_since_ns(course, since_ns) < since_ns)
        c->too_high += ticks - (uint64_t)course->back.last.ticks;
}

static void note_change(struct wtl_continuity *c,
                        uint64_t time_ns,
                        uint64_t grown,
                        double rate_before)
{
    double every_ns = (double)(time_ns - c->changed_ns);
    /* If the refresh is known, the time between two looks says nothing about the counter. */
    double still_ns = c->channel->refresh_ns ? (double)(c->last_ns - c->changed_ns) : every_ns;
    c->still_ns = fmax(c->still_ns, still_ns);
    c->grown = grown;
    c->rate_before = rate_before;
    if (grown > 0 && every_ns > 0)
        c->change_rate = (double)grown / every_ns;
}

/* After a reset: the first reading of the value that it shows now, and the one before. */
static void note_restart(struct wtl_continuity *c,
                         const struct wtl_course *course,
                         uint64_t time_ns,
                         uint64_t raw)
{
    bool same = course->waits && raw == course->raw;
    c->before_ns = same || !course->waits ? c->last_ns : course->begin_ns;
    c->changed_ns = same ? course->begin_ns : time_ns;
}

/* The value differs from the previous one, or is the first. False: it is off the course, and the next
 * ones tell whether it was a glitch. */
static bool change(struct wtl_continuity *c, uint64_t time_ns, uint64_t raw, uint64_t *ret_value)
{
    const struct wtl_course course = c->unwrap.course;
    bool first = !c->unwrap.started, stood = has_stood(c, c->last_ns);
    /* After an unusually long standstill, one step does not prove that it counts again. */
    bool odd = stood && (double)(c->last_ns - c->changed_ns) > 3 * c->still_ns;
    if (stood) {
        c->stood_from_ns = c->before_ns;
        c->stood_until_ns = time_ns;
    }
    if (waits(c, c->last_ns) && wtl_gap_stops_ticks(c->gap.reason)) {
        /* It is unknown how much of the growth belongs to the stall: ticks continue from here. */
        wtl_unwrap_skip(&c->unwrap, raw, time_ns);
    } else if (!first) {
        uint64_t trusted = trusted_ns(c), since = leaped_since_ns(c), was = c->unwrap.ticks;
        double rate_before = c->unwrap.latest;
        if (stood)
            c->unwrap.last_ns = c->before_ns;
        c->unwrap.late_ns = (double)(c->last_ns - trusted);
        enum wtl_unwrapped verdict = wtl_unwrap_feed(&c->unwrap, raw, time_ns, ret_value);
        if (verdict == WTL_UNWRAP_OPEN) {
            open_gap(c, WTL_GAP_READ_FAILED, ENODATA, c->last_ns);
            return false;
        }
        if (verdict == WTL_UNWRAP_RESET) {
            note_too_high(c, &course, since, was);
            open_gap(c, WTL_GAP_RESET, 0, wrong_since_ns(&course, since));
            note_restart(c, &course, time_ns, raw);
            return true;
        }
        if (verdict == WTL_UNWRAP_LOST_WRAP)
            open_gap(c, WTL_GAP_LOST_WRAP, 0, since);
        else
            note_change(c, time_ns, c->unwrap.ticks - was, rate_before);
    }
    if (first)
        (void)wtl_unwrap_feed(&c->unwrap, raw, time_ns, ret_value);
    *ret_value = c->unwrap.ticks;
    if (first || !odd)
        c->before_ns = first ? time_ns : c->last_ns;
    c->changed_ns = time_ns;
    if (first)
        c->first_ns = time_ns;
    return true;
}

static bool read_counter(struct wtl_continuity *c,
                         uint64_t time_ns,
                         uint64_t raw,
                         uint64_t *ret_value)
{
    if (!c->unwrap.started || raw != c->unwrap.last_raw) {
        if (c->rejoined_ns && waits(c, c->last_ns))
            c->change_rate = 0; /* how long it stands still while counting is unknown */
        if (!change(c, time_ns, raw, ret_value))
            return false;
        if (c->rejoined_ns != time_ns)
            c->rejoined_ns = 0;
        return true;
    }
    if (waits(c, time_ns)) {
        c->last_ns = time_ns;
        return false;
    }
    if (is_stalled(c, time_ns) || (c->rejoined_ns && stands_at(c, time_ns))) {
        stall(c, time_ns);
        return false;
    }
    if (wtl_unwrap_feed(&c->unwrap, raw, time_ns, ret_value) == WTL_UNWRAP_LOST_WRAP)
        open_gap(c, WTL_GAP_LOST_WRAP, 0, trusted_ns(c));
    if (waits(c, time_ns))
        c->last_ns = time_ns;
    return !waits(c, time_ns);
}

void wtl_continuity_resume(struct wtl_continuity *c, const struct wtl_continuity_rest *rest)
{
    c->rejoins = true;
    c->last_ns = rest->last_ns;
    c->changed_ns = rest->changed_ns;
    c->before_ns = rest->before_ns;
    c->raw_known = rest->raw_known && c->channel->quantity == WATTLE_ENERGY &&
                   c->channel->quality != WATTLE_ESTIMATED;
    c->change_rate = rest->rate;
    c->unwrap.started = true;
    c->unwrap.ticks = c->unwrap.paced_ticks = rest->ticks;
    c->unwrap.last_ns = c->unwrap.paced_ns = rest->last_ns;
    c->unwrap.last_raw = rest->raw;
}

/* The first reading after those of a process that was killed: the time in between was not
 * sampled. */
static void rejoin(struct wtl_continuity *c, uint64_t time_ns, uint64_t raw)
{
    c->rejoins = false;
    c->rejoined_ns = time_ns;
    if (c->channel->kind == WATTLE_COUNTER && !c->raw_known) {
        open_gap(c, WTL_GAP_RESET, 0, trusted_ns(c));
        wtl_unwrap_skip(&c->unwrap, raw, time_ns);
        c->before_ns = c->changed_ns = time_ns;
        return;
    }
    /* The other process ended here: what the counter adds when it moves again may belong to any
     * time since it last moved. */
    if (c->channel->kind == WATTLE_COUNTER && raw != c->unwrap.last_raw && wtl_continuity_stands(c))
        open_gap(c, WTL_GAP_STALLED, 0, c->before_ns);
    else
        open_gap(c, WTL_GAP_NOT_SAMPLED, 0, c->last_ns);
}

bool wtl_continuity_read(struct wtl_continuity *c,
                         uint64_t time_ns,
                         uint64_t raw,
                         uint64_t *ret_value)
{
    if (c->rejoins)
        rejoin(c, time_ns, raw);
    *ret_value = raw;
    if (c->channel->kind == WATTLE_COUNTER) {
        if (!read_counter(c, time_ns, raw, ret_value))
            return false;
    } else if (!wtl_is_plausible(c->channel, raw)) {
        wtl_continuity_miss(c, time_ns, WTL_GAP_IMPLAUSIBLE_VALUE, 0);
        return false;
    }
    if (!c->open && c->last_ns &&
        wtl_pause_between(&c->pause, c->channel, c->asked_ns, c->last_ns, time_ns))
        open_gap(c, WTL_GAP_NOT_SAMPLED, 0, c->last_ns);
    close_gap(c, time_ns);
    c->last_ns = time_ns;
    return true;
}

void wtl_continuity_miss(struct wtl_continuity *c,
                         uint64_t time_ns,
                         enum wtl_gap_reason reason,
                         int error)
{
    if (reason == WTL_GAP_READ_FAILED && error == ENODEV)
        reason = WTL_GAP_DEVICE_LOST;
    if (!c->open)
        open_gap(c, reason, error, c->last_ns ? c->last_ns : time_ns);
}

void wtl_continuity_sleep(struct wtl_continuity *c, uint64_t begin_ns, uint64_t end_ns)
{
    bool goes_on = c->open;
    /* The counter may have stopped before the suspend already, and may have been read since. */
    if (c->channel->kind == WATTLE_COUNTER && trusted_ns(c) < begin_ns)
        begin_ns = trusted_ns(c);
    if (c->stood_until_ns > begin_ns && c->stood_from_ns < begin_ns)
        begin_ns = c->stood_from_ns;
    open_gap(c, WTL_GAP_SUSPENDED, 0, begin_ns);
    if (!goes_on && !waits(c, c->last_ns))
        close_gap(c, end_ns);
}

void wtl_continuity_end(struct wtl_continuity *c, uint64_t now_ns)
{
    bool stalled = c->open && c->gap.reason == WTL_GAP_STALLED;
    if (c->unwrap.course.waits) /* nothing follows that could tell a glitch from a reset */
        open_gap(c, WTL_GAP_RESET, 0, wrong_since_ns(&c->unwrap.course, leaped_since_ns(c)));
    if (!stalled && wtl_continuity_stands(c))
        open_gap(c, WTL_GAP_STALLED, 0, c->before_ns);
    close_gap(c, now_ns);
}
