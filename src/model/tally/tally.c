/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns one channel's samples into its summary: see tally.h for the method. All values are relative to the
 * first sample, stored as doubles: exact to a tick up to 2^53 ticks (5e11 J for a 61 uJ counter).
 */
#include "model/tally/tally.h"

#include <math.h>
#include <string.h>

#include "model/bound.h"
#include "model/reading.h"
#include "model/tally/tally_border.h"

static const struct wtl_tally_power NO_POWER = {.min = INFINITY, .max = -INFINITY};

void wtl_tally_init(struct wtl_tally *tally, const struct wattle_channel *channel)
{
    memset(tally, 0, sizeof *tally);
    tally->channel = *channel;
    tally->stat_window_ns = wtl_channel_stretch_ns(channel);
    tally->counted_from = -INFINITY;
    tally->counted_to = INFINITY;
    tally->power = tally->power_before = tally->power_grown = NO_POWER;
}

static bool is_counter(const struct wtl_tally *tally)
{
    return tally->channel.kind == WATTLE_COUNTER;
}

static void add_stretch(struct wtl_tally_power *power, double value)
{
    power->count++;
    power->last = value;
    power->sum += value;
    power->square += value * value;
    power->min = fmin(power->min, value);
    power->max = fmax(power->max, value);
}

/* Integral of a gauge from a to b, inside the window. */
static void integrate(struct wtl_tally *tally, struct wtl_point a, struct wtl_point b)
{
    double apart_ns = (double)(b.time_ns - a.time_ns);
    double off = wtl_window_off(&tally->channel, apart_ns, b.value - a.value);
    if (tally->channel.kind == WATTLE_WINDOW_AVERAGE)
        a.value = b.value;
    uint64_t from = a.time_ns < tally->start_ns ? tally->start_ns : a.time_ns;
    uint64_t to = tally->ended && b.time_ns > tally->end_ns ? tally->end_ns : b.time_ns;
    if (to <= from)
        return;
    double seconds = (double)(to - from) * 1e-9;
    double part = (wtl_line_at(a, b, from) + wtl_line_at(a, b, to)) / 2 * seconds;
    double half = off * seconds;
    tally->integral += part;
    tally->integral_last = part;
    tally->variance += half * half / 3;
    tally->weight_ns += to - from;
    tally->missed_last_ns =
        wtl_window_missed_ns(&tally->channel, apart_ns) * (double)(to - from) / apart_ns;
    tally->missed_ns += tally->missed_last_ns;
}

/*
 * Edges far apart although the counter was polled all the time: it ticks more slowly than it claims (RAPL
 * filtering shows every 8th tick, with the value of some moment before it), so the value at an edge may be as
 * old as the distance to the next edge.
 */
static void note_spacing(struct wtl_tally *tally, const struct wtl_edge *edge)
{
    double apart_ns = edge->time_ns - tally->spaced_from_ns;
    if (tally->spaced_from_ns > 0 && apart_ns > SPACED * (double)tally->channel.refresh_ns)
        tally->slow_ns = fmax(tally->slow_ns, apart_ns);
    tally->spaced_from_ns = edge->time_ns;
}

/* Two polls that differ enclose a tick. */
static void note_edge(struct wtl_tally *tally, struct wtl_point a, struct wtl_point b)
{
    double ta = (double)(int64_t)(a.time_ns - tally->origin_ns);
    double tb = (double)(int64_t)(b.time_ns - tally->origin_ns);
    struct wtl_edge edge = {.time_ns = (ta + tb) / 2, .value = b.value, .width_ns = (tb - ta) / 2};
    if (edge.width_ns * WTL_TALLY_SHARP > (double)tally->channel.refresh_ns) {
        tally->spaced_from_ns = 0;
        return; /* the poll was interrupted: the tick may have been at any time in between */
    }
    note_spacing(tally, &edge);
    if (!tally->started) {
        if (tally->before_count == WTL_TALLY_EDGES) {
            memmove(tally->before, tally->before + 1, sizeof edge * (WTL_TALLY_EDGES - 1));
            tally->before_count--;
        }
        tally->before[tally->before_count++] = edge;
    } else if (tally->ended && tally->after_count < WTL_TALLY_EDGES) {
        if (tally->after_count == 0)
            tally->tick_value = a.value;
        tally->after[tally->after_count++] = edge;
    }
}

static void begin_stretch(struct wtl_tally *tally, struct wtl_point now, bool grown)
{
    tally->segment = now;
    tally->renewed = grown ? now : (struct wtl_point){0};
    tally->has |= HAS_SEGMENT;
}

static void end_stretch(struct wtl_tally *tally,
                        struct wtl_point from,
                        struct wtl_point now,
                        bool grown)
{
    double seconds = (double)(now.time_ns - from.time_ns) * 1e-9;
    if (tally->power.count == 0 && from.time_ns == tally->first_in.time_ns)
        tally->power.opened = now;
    tally->power.closed_from = from;
    add_stretch(&tally->power, (now.value - from.value) * tally->channel.scale / seconds);
    begin_stretch(tally, now, grown);
}

uint64_t wtl_tally_stretch_ns(const struct wtl_tally *tally)
{
    struct wattle_channel real = tally->channel;
    real.refresh_ns = wtl_tally_stretch_refresh_ns(tally);
    return real.refresh_ns > tally->channel.refresh_ns && tally->channel.refresh_ns > 0
               ? wtl_channel_stretch_ns(&real)
               : tally->stat_window_ns;
}

/* What is taken back to before one of the steps from `first` on has the present stretches. */
static void keep_power_since(struct wtl_tally *tally, unsigned first)
{
    for (unsigned i = first; i < WTL_TALLY_STEPS; i++)
        tally->power_until[i] = tally->power;
}

/* That it updates more slowly than it claims shows only after some time: stretches up to then were too short. */
static bool note_slow(struct wtl_tally *tally)
{
    uint64_t refresh_ns = wtl_tally_stretch_refresh_ns(tally);
    bool slow = tally->channel.refresh_ns > 0 && refresh_ns > tally->channel.refresh_ns;
    if (slow && !tally->was_slow) {
        tally->power = tally->power_before = tally->power_grown = NO_POWER;
        keep_power_since(tally, 0);
    }
    tally->was_slow = slow;
    return slow;
}

/*
 * While a counter that always counts stands still, its energy of this time may show later: do not end a
 * stretch, nor before it is known how often it updates. A stretch of one that updates slowly extends from one new value to
 * another.
 */
static void take_stretch(struct wtl_tally *tally, struct wtl_point now, bool grown)
{
    bool slow = note_slow(tally);
    if (tally->has & HAS_SEGMENT && wtl_tally_stands(tally, &tally->stand))
        return;
    if (!(tally->has & HAS_SEGMENT)) {
        begin_stretch(tally, now, grown);
        tally->power.closed_from = (struct wtl_point){0};
        return;
    }
    if (grown && tally->renewed.time_ns == 0)
        tally->renewed = now;
    struct wtl_point from = slow ? tally->renewed : tally->segment;
    uint64_t least_ns = wtl_tally_stretch_ns(tally);
    bool over =
        from.time_ns && now.time_ns > from.time_ns && now.time_ns - from.time_ns >= least_ns;
    bool open = wtl_counts_always(&tally->channel) && wtl_pace_is_open(&tally->pace);
    if (over && !open && (grown || !slow))
        end_stretch(tally, from, now, grown);
}

/* Used for the power up to the end. */
static void keep_recent(struct wtl_tally *tally, struct wtl_point now)
{
    uint64_t least_ns = WTL_TALLY_FAR * tally->channel.refresh_ns;
    if (tally->recent[1].time_ns && now.time_ns - tally->recent[1].time_ns < least_ns)
        return;
    tally->recent[0] = tally->recent[1];
    tally->recent[1] = now;
}

/* Used for the power from the start. */
static void keep_early(struct wtl_tally *tally, struct wtl_point now)
{
    uint64_t since_ns = now.time_ns - tally->start_ns, refresh_ns = tally->channel.refresh_ns;
    if (since_ns <= WTL_TALLY_EARLY * refresh_ns && tally->early_count < WTL_TALLY_EARLY)
        tally->early[tally->early_count++] = now;
    if (tally->later.time_ns == 0 && since_ns >= WTL_TALLY_FAR * refresh_ns)
        tally->later = now;
}

static void place_in_window(struct wtl_tally *tally, struct wtl_point now, bool edge)
{
    if (!tally->started) {
        tally->ahead_samples += !edge;
        tally->ahead = now;
        tally->stopped_ns = tally->stops_ns = 0;
        tally->has |= HAS_AHEAD;
        return;
    }
    if (tally->ended && now.time_ns > tally->end_ns) {
        if (!(tally->has & HAS_BEHIND))
            tally->behind = now;
        tally->has |= HAS_BEHIND;
        return;
    }
    if (is_counter(tally))
        keep_early(tally, now);
    if (edge)
        return; /* a poll of a counter just after the start */
    if (!(tally->has & HAS_FIRST_IN))
        tally->first_in = now;
    tally->last_in = now;
    tally->has |= HAS_FIRST_IN | HAS_LAST_IN;
    tally->samples++;
    bool grown = tally->has & HAS_LAST && now.value > tally->last.value;
    if (grown)
        tally->power_before = tally->power;
    if (is_counter(tally)) {
        keep_recent(tally, now);
        take_stretch(tally, now, grown);
    } else {
        add_stretch(&tally->power, now.value);
    }
    if (grown)
        tally->power_grown = tally->power;
}

/* Two consecutive growths, for unknown refresh: it ticks at least once in that time. A growth after a
 * standstill may be a single step of a counter that is sampled more often than it ticks. */
static void note_growth(struct wtl_tally *tally, struct wtl_point now)
{
    uint64_t both_ns = now.time_ns - tally->grown_from_ns;
    bool grown = now.value > tally->last.value;
    if (grown && tally->grown_from_ns && (tally->grows_in_ns == 0 || both_ns < tally->grows_in_ns))
        tally->grows_in_ns = both_ns;
    tally->grown_from_ns = grown ? tally->last.time_ns : 0;
    if (grown && tally->has & HAS_PREVIOUS && tally->last.value <= tally->previous.value)
        tally->step = fmax(tally->step, now.value - tally->last.value);
}

/*
 * The minimum power, in ticks per ns, with which it can have grown this much since the first sample of the
 * previous value, which may be up to a refresh old. The maximum of these is a lower bound of the power like
 * that of a stretch, but needs only two samples. For a counter that ticks slowly, polls see each tick, which
 * took one refresh.
 */
static void note_surge(struct wtl_tally *tally, struct wtl_point now, bool edge)
{
    if (tally->ended || (edge && !wtl_ticks_slowly(&tally->channel)))
        return;
    double refresh_ns = (double)tally->channel.refresh_ns;
    double since_ns = (double)(now.time_ns - tally->stand.from.time_ns) + refresh_ns;
    if (wtl_ticks_slowly(&tally->channel) &&
        now.time_ns - tally->last.time_ns < tally->channel.refresh_ns)
        since_ns = refresh_ns;
    if (refresh_ns > 0 && now.time_ns > tally->stand.from.time_ns && !tally->stand.lost)
        tally->surge = fmax(tally->surge, (now.value - tally->last.value) / since_ns);
}

/*
 * Result of two polls next to a border: the value of the last tick, which came at most one refresh before the
 * second poll, and not between the two if they agree. Before the start the last two polls count, after the
 * end the first two.
 */
static void note_shown(struct wtl_tally *tally, struct wtl_point a, struct wtl_point b)
{
    bool ahead = !tally->started;
    if (!ahead && (!tally->ended || tally->has & HAS_SHOWN_END))
        return;
    double ta = (double)(int64_t)(a.time_ns - tally->origin_ns);
    double tb = (double)(int64_t)(b.time_ns - tally->origin_ns);
    double refresh_ns = (double)tally->channel.refresh_ns;
    bool stood = a.value == b.value;
    if (stood && b.time_ns - a.time_ns > tally->poll_stood_ns)
        tally->poll_stood_ns = b.time_ns - a.time_ns;
    double latest = stood ? ta : tb, earliest = fmax(tb - refresh_ns, stood ? 0 : ta);
    /* Unchanged for longer than claimed: between ticks of a slower period. */
    if (stood && earliest > ta - refresh_ns / 8)
        earliest = ta - refresh_ns;
    tally->shown[!ahead] = (struct wtl_edge){
        .time_ns = (earliest + latest) / 2, .value = b.value, .width_ns = (latest - earliest) / 2};
    tally->has |= ahead ? HAS_SHOWN_START : HAS_SHOWN_END;
    if (!ahead) {
        tally->shown_from_ns = stood ? ta : tb;
        tally->shown_until_ns = tb;
    }
}

/* Evaluate two successive samples together. */
static void take_pair(struct wtl_tally *tally, struct wtl_point now, bool edge)
{
    bool inside = tally->started && !tally->ended;
    if (is_counter(tally))
        note_growth(tally, now);
    if (is_counter(tally))
        note_surge(tally, now, edge);
    if (!is_counter(tally)) {
        if (tally->started)
            integrate(tally, tally->last, now);
    } else if (edge && tally->last_is_edge && !inside) {
        note_shown(tally, tally->last, now);
        if (now.value != tally->last.value)
            note_edge(tally, tally->last, now);
    } else if (inside && !edge && now.value <= tally->last.value) {
        tally->stale++;
    }
}

/* Whether what it shows after this stand may belong to the time before. Next to a loss, and at the first
 * sample of a window without polls, it is not certain that it was counting. */
static bool is_doubtful(const struct wtl_tally *tally, const struct wtl_stand *stand)
{
    bool polled = tally->before_count > 0 || tally->has & HAS_SHOWN_START;
    return stand->lost || tally->broken ||
           (tally->has & HAS_AHEAD && tally->has & HAS_FIRST_IN && !polled &&
            stand->from.time_ns == tally->first_in.time_ns);
}

/* The first new value that tells the power after the tick next to the start. */
static void note_beyond(struct wtl_tally *tally, struct wtl_update *update, struct wtl_point now)
{
    struct wtl_between next = wtl_tick_between(tally, update->last_ns, update->next.time_ns);
    struct wtl_between this = wtl_tick_between(tally, tally->last.time_ns, now.time_ns);
    if (tally->ended || update->beyond.at.time_ns || !wtl_are_timed(next, this))
        return;
    update->beyond = (struct wtl_grown){.at = now, .before_ns = tally->last.time_ns};
}

/*
 * The present stand is over: use it if it gives the value at a border, or the next one. The next one is certainly of a later
 * tick at the end, where that is awaited; at the start it may be of a tick between the last sample before it and the first one
 * after it.
 */
static void note_update(struct wtl_tally *tally,
                        struct wtl_update *update,
                        uint64_t at_ns,
                        struct wtl_point now)
{
    uint64_t close_ns = tally->channel.refresh_ns / WTL_TALLY_CLOSE;
    const struct wtl_stand *stand = &tally->stand;
    bool ahead = update == &tally->update_in;
    if (update->next.time_ns) {
        if (ahead)
            note_beyond(tally, update, now);
        return;
    }
    if (stand->from.time_ns <= at_ns + close_ns)
        update->shown = *stand;
    update->last_ns = stand->to.time_ns;
    update->shown.lost |= tally->broken || stand->lost;
    if (tally->broken || stand->to.time_ns + close_ns >= at_ns || (ahead && now.time_ns > at_ns))
        update->next = now;
}

/* The same, and remember the stand at that border. */
static void note_border(struct wtl_tally *tally,
                        struct wtl_update *update,
                        struct wtl_stand *at_border,
                        uint64_t at_ns,
                        struct wtl_point now)
{
    note_update(tally, update, at_ns, now);
    if (at_border->to.time_ns == 0)
        *at_border = tally->stand;
}

/* The present stand is over, or the channel lost count. */
static void end_stand(struct wtl_tally *tally, struct wtl_point now)
{
    struct wtl_stand *stand = &tally->stand;
    if (!tally->broken)
        stand->next = now;
    stand->failed = tally->failed_until_ns && tally->failed_until_ns == now.time_ns;
    if (tally->started && now.value > stand->from.value && is_doubtful(tally, stand) &&
        (wtl_tally_stands(tally, stand) || wtl_tally_leaps(tally, stand, now)))
        tally->leaps += pow(now.value - stand->from.value, 2);
    if (tally->started)
        note_border(tally, &tally->update_in, &tally->stand_in, tally->start_ns, now);
    if (tally->ended && now.time_ns > tally->end_ns)
        note_border(tally, &tally->update_out, &tally->stand_out, tally->end_ns, now);
}

/* Track which samples show the same value, especially around the borders of the window. */
static void note_stand(struct wtl_tally *tally, struct wtl_point now, bool first)
{
    struct wtl_stand *stand = &tally->stand;
    bool grown = !first && now.value > tally->last.value;
    if (!first && !grown && !tally->broken) {
        stand->to = now;
        return;
    }
    if (!first)
        end_stand(tally, now);
    *stand = (struct wtl_stand){.from = now, .to = now, .lost = tally->broken};
    if (!first)
        stand->before_ns = tally->last.time_ns;
    if (grown)
        stand->grown = now.value - tally->last.value;
    struct wtl_grown *newest = &tally->steps[WTL_TALLY_STEPS - 1];
    if (tally->ended && tally->step_count && newest->at.time_ns > tally->end_ns)
        return; /* polls, which would displace those of the window */
    memmove(tally->steps, tally->steps + 1, sizeof *newest * (WTL_TALLY_STEPS - 1));
    *newest = (struct wtl_grown){.at = now, .before_ns = stand->before_ns};
    memmove(tally->power_until, tally->power_until + 1,
            sizeof *tally->power_until * (WTL_TALLY_STEPS - 1));
    keep_power_since(tally, WTL_TALLY_STEPS - 1);
    tally->step_count += tally->step_count < WTL_TALLY_STEPS;
}

/*
 * The first of the steps whose growth was counted, completely or partly, after time_ns; WTL_TALLY_STEPS:
 * none. How much was counted after it is unknown if time_ns is between two samples, as when the rows around
 * it are damaged.
 */
static unsigned first_step_since(const struct wtl_tally *tally, uint64_t time_ns)
{
    unsigned first = WTL_TALLY_STEPS;
    while (first > WTL_TALLY_STEPS - tally->step_count + 1 &&
           time_ns < tally->steps[first - 1].at.time_ns)
        first--;
    return first;
}

/* The amount counted from one value to another, since begin_ns, was used at an unknown time. True if it
 * was added to `unplaced`. */
static bool leave_out(struct wtl_tally *tally, uint64_t begin_ns, double from, double to)
{
    if (!tally->started || to <= from || tally->last.time_ns <= tally->start_ns ||
        (tally->ended && begin_ns >= tally->end_ns))
        return false;
    if (begin_ns <= tally->start_ns) {
        tally->counted_from = fmax(tally->counted_from, to);
        return false;
    }
    if (tally->ended && tally->last.time_ns > tally->end_ns) {
        tally->counted_to = fmin(tally->counted_to, from);
        return false;
    }
    tally->unplaced += to - from;
    return true;
}

/* The same for the growth of the steps from `first` to the newest. Amounts already left out are not
 * counted twice. */
static void leave_out_steps(struct wtl_tally *tally, uint64_t begin_ns, unsigned first)
{
    struct wtl_grown *steps = tally->steps;
    double was = tally->unplaced;
    for (unsigned i = first; i < WTL_TALLY_STEPS; i++) {
        tally->unplaced -= steps[i].left_out;
        steps[i].left_out = 0;
    }
    if (first == WTL_TALLY_STEPS ||
        !leave_out(tally, begin_ns, steps[first - 1].at.value, steps[WTL_TALLY_STEPS - 1].at.value))
        return;
    tally->taken_back += fmax(0, tally->unplaced - was);
    for (unsigned i = first; i < WTL_TALLY_STEPS; i++)
        steps[i].left_out = steps[i].at.value - steps[i - 1].at.value;
}

/* Time between two samples with a gap that loses energy is lost, even where it overlaps a gap that does
 * not lose energy. */
static void lose_pair(struct wtl_tally *tally, uint64_t time_ns)
{
    uint64_t begin = tally->last.time_ns, end = time_ns;
    if (begin < tally->start_ns)
        begin = tally->start_ns;
    if (tally->ended && end > tally->end_ns)
        end = tally->end_ns;
    if (!tally->started || end <= begin)
        return;
    uint64_t more_ns = wtl_cover_add(&tally->lost, begin, end);
    if (!(tally->has & HAS_FIRST_IN))
        tally->lost_ahead_ns += more_ns;
}

/* The amount counted between them is left out as well. */
static void lose_growth(struct wtl_tally *tally, struct wtl_point before)
{
    struct wtl_grown *newest = &tally->steps[WTL_TALLY_STEPS - 1];
    if (leave_out(tally, before.time_ns, before.value, tally->last.value) &&
        newest->at.time_ns == tally->last.time_ns)
        newest->left_out = tally->last.value - before.value;
}

/* Polls near a border see more of the values there than the samples do. */
static void note_pace(struct wtl_tally *tally, struct wtl_point now, bool edge)
{
    if (tally->broken)
        wtl_pace_break(&tally->pace);
    if (!edge)
        wtl_pace_add(&tally->pace, now.time_ns, (uint64_t)(int64_t)now.value);
}

/* A gauge that averages leaves open at both ends of a gap what it does at those of the window: see wtl_window_ends_j(). */
static void leave_open(struct wtl_tally *tally, struct wtl_point now)
{
    double least_w = fmin(fmin(tally->last.value, now.value), tally->power.min);
    double half_j = tally->channel.quantity == WATTLE_POWER && tally->started
                        ? wtl_window_ends_j(&tally->channel, now.value, tally->last.value, least_w)
                        : 0;
    tally->variance += half_j * half_j / (Z95 * Z95);
}

void wtl_tally_sample(struct wtl_tally *tally, uint64_t time_ns, uint64_t value, bool edge)
{
    bool first = !(tally->has & HAS_LAST);
    if (first) {
        tally->origin_ns = tally->first_ns = time_ns;
        tally->origin_value = value;
    } else if (time_ns < tally->last.time_ns) {
        return; /* with an older time stamp: the newer value has already been used */
    }
    struct wtl_point now = {.time_ns = time_ns};
    if (is_counter(tally))
        now.value = (double)(int64_t)(value - tally->origin_value);
    else
        now.value = wtl_channel_value(&tally->channel, value);
    if (!is_counter(tally))
        wtl_quantum_add(&tally->quantum, value);

    if (!first && !tally->broken)
        take_pair(tally, now, edge);
    else if (!first)
        leave_open(tally, now);
    tally->stopped_ns += tally->stops_ns;
    tally->stops_ns = 0;
    if (is_counter(tally)) {
        if (tally->broken && !first)
            lose_pair(tally, time_ns);
        note_stand(tally, now, first);
        note_pace(tally, now, edge);
    }
    place_in_window(tally, now, edge);
    tally->previous = tally->last;
    tally->has |= first ? HAS_LAST : HAS_PREVIOUS;
    struct wtl_point before = tally->last;
    tally->last = now;
    if (tally->broken && is_counter(tally) && !first)
        lose_growth(tally, before);
    tally->last_is_edge = edge;
    tally->broken = false;
}

/*
 * The counter had stopped, or showed wrong values, before this was noticed: stretches that ended since then are discarded. If it was
 * seen to grow after the gap began, it stopped some time before that sample, the first of the steps since.
 */
static void take_back_stretches(struct wtl_tally *tally, const struct wtl_gap *gap, unsigned first)
{
    if (first < WTL_TALLY_STEPS - 1)
        tally->power = tally->power_until[first];
    else if (gap->begin_ns < tally->stand.from.time_ns)
        tally->power = tally->power_before;
    else
        tally->power = tally->power_grown;
    tally->power_before = tally->power_grown = tally->power;
    keep_power_since(tally, first);
}

/*
 * The amount counted since the gap began cannot be assigned to a time. Returns the begin of that time: if the
 * gap began between two samples, as when the rows around its beginning are damaged, the amount counted before
 * it is unknown, so the time since the first of them is unknown as well.
 */
static uint64_t lose_count(struct wtl_tally *tally, const struct wtl_gap *gap, bool goes_on)
{
    uint64_t since_ns = gap->begin_ns;
    if (!is_counter(tally))
        return since_ns;
    unsigned first = first_step_since(tally, since_ns);
    take_back_stretches(tally, gap, first);
    tally->losses += !goes_on;
    if (first < WTL_TALLY_STEPS && tally->steps[first].before_ns < since_ns)
        since_ns = tally->steps[first].before_ns;
    leave_out_steps(tally, since_ns, first);
    return since_ns;
}

static void lose(struct wtl_tally *tally, uint64_t begin, uint64_t end)
{
    uint64_t more_ns = wtl_cover_add(&tally->lost, begin, end);
    if (!(tally->has & HAS_FIRST_IN))
        tally->lost_ahead_ns += more_ns;
    if (end > tally->lost_until_ns)
        tally->lost_until_ns = end;
}

/* Whether its ticks stand still across a border of the window, and continue after the gap from the same
 * value. */
static void note_stopped_ticks(struct wtl_tally *tally, const struct wtl_gap *gap)
{
    if (!wtl_gap_stops_ticks(gap->reason))
        return;
    tally->start_lost |=
        tally->started && gap->begin_ns < tally->start_ns && gap->end_ns > tally->start_ns;
    tally->end_lost |= tally->ended && gap->begin_ns < tally->end_ns && gap->end_ns > tally->end_ns;
}

/* Whether it continues a gap with the same reason. */
static bool is_part(const struct wtl_tally *tally, const struct wtl_gap *gap)
{
    return gap->begin_ns > tally->start_ns && gap->begin_ns == tally->lost_until_ns &&
           tally->gap_reasons >> gap->reason & 1;
}

/* Reads failed, or ticks stood still: the part of this after the last sample counts once another sample
 * arrives. */
static void note_stop(struct wtl_tally *tally, const struct wtl_gap *gap, bool loses)
{
    uint64_t last_ns = tally->last.time_ns, begin = gap->begin_ns;
    if (!loses) {
        tally->failed_until_ns = gap->end_ns;
        return;
    }
    tally->broken = true;
    if (tally->has & HAS_BEHIND || gap->end_ns <= begin)
        return;
    uint64_t split = last_ns > gap->end_ns ? gap->end_ns : last_ns > begin ? last_ns : begin;
    tally->stopped_ns += split - begin;
    tally->stops_ns += gap->end_ns - split;
}

/* After a loss counting continues from another value: earlier ticks give no information about the power at
 * the start. */
static void forget_edges(struct wtl_tally *tally, const struct wtl_gap *gap)
{
    double until_ns = (double)(int64_t)(gap->end_ns - tally->origin_ns);
    unsigned old = 0;
    if (tally->started && gap->end_ns > tally->start_ns)
        return;
    while (old < tally->before_count && tally->before[old].time_ns <= until_ns)
        old++;
    tally->before_count -= old;
    memmove(tally->before, tally->before + old, sizeof *tally->before * tally->before_count);
    if (tally->shown[0].time_ns <= until_ns)
        tally->has &= ~(unsigned)HAS_SHOWN_START;
}

void wtl_tally_gap(struct wtl_tally *tally, const struct wtl_gap *gap)
{
    uint64_t begin = gap->begin_ns, end = gap->end_ns;
    bool loses = wtl_gap_loses_energy(gap->reason, tally->channel.kind);
    if (tally->started && begin < tally->start_ns)
        begin = tally->start_ns;
    if (tally->ended && end > tally->end_ns)
        end = tally->end_ns;
    tally->has &= ~(unsigned)HAS_SEGMENT;
    tally->last_is_edge = false;
    note_stopped_ticks(tally, gap);
    note_stop(tally, gap, loses);
    if (loses)
        forget_edges(tally, gap);
    if (!tally->started || gap->end_ns <= tally->start_ns || (tally->ended && begin >= end))
        return; /* outside the window */
    bool goes_on = loses && is_part(tally, gap);
    tally->gaps += !goes_on;
    tally->gap_reasons |= 1u << gap->reason;
    if (end <= begin)
        return;
    (void)wtl_cover_add(&tally->in_gaps, begin, end);
    if (loses) {
        uint64_t since_ns = lose_count(tally, gap, goes_on);
        if (since_ns < begin)
            begin = since_ns > tally->start_ns ? since_ns : tally->start_ns;
        lose(tally, begin, end);
    }
}

void wtl_tally_begin(struct wtl_tally *tally, uint64_t start_ns)
{
    tally->polled.whole_ns = (uint64_t)(int64_t)tally->slow_ns;
    tally->polled.stood_ns = tally->poll_stood_ns > tally->polled.whole_ns ? tally->poll_stood_ns
                                                                           : tally->polled.whole_ns;
    tally->started = true;
    tally->start_ns = start_ns;
    tally->last_is_edge = false;
    tally->spaced_from_ns = 0;
    tally->has &= ~(unsigned)HAS_SEGMENT;
    if (!is_counter(tally) && tally->has & HAS_LAST && tally->last.time_ns == start_ns)
        place_in_window(tally, tally->last, false); /* a recording begins with its first sample */
}

void wtl_tally_end(struct wtl_tally *tally, uint64_t end_ns)
{
    tally->ended = true;
    tally->end_ns = end_ns;
    tally->last_is_edge = false;
    /* A channel with its own lane may have been ahead when the end of the window was reported. */
    if (!is_counter(tally) && (tally->has & HAS_PREVIOUS) && tally->last.time_ns > end_ns &&
        tally->integral_last != 0) {
        uint64_t from = tally->previous.time_ns;
        from = from < tally->start_ns ? tally->start_ns : from;
        tally->integral -= tally->integral_last;
        tally->missed_ns -= tally->missed_last_ns;
        tally->weight_ns -= tally->last.time_ns - from;
        integrate(tally, tally->previous, tally->last);
    }
    if ((tally->has & HAS_LAST_IN) && tally->last.time_ns > end_ns) {
        tally->behind = tally->last;
        tally->last_in = tally->previous;
        tally->has |= HAS_BEHIND;
    }
}
