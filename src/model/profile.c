/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From samples to steps of known energy. The ring holds samples until it is known which tick they show:
 * WTL_PROFILE_AHEAD later samples if there is a grid, a few hundred while it is being searched for.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/profile.h"

#include "model/bound.h"

#define SEARCH_SAMPLES 256
#define SEARCH_RANGE   0.05  /* of the claimed refresh */
#define AGAIN_RANGE    0.001 /* of a period found before */
#define MISFIT_MAX     4     /* of the last MISFIT_MEMORY samples */
#define MISFIT_MEMORY  128
#define OFTEN          0.9  /* of the refresh: sampled more often than this */
#define JITTER         0.02 /* of the refresh: sd of a tick's time, as assumed by a grid */

int wtl_profile_init(struct wtl_profile *profile,
                     const struct wattle_channel *channel,
                     wtl_step_fn emit,
                     void *context)
{
    if (channel->quantity != WATTLE_ENERGY && channel->quantity != WATTLE_POWER)
        return -EINVAL;
    memset(profile, 0, sizeof(*profile));
    profile->channel = *channel;
    profile->out =
        (struct wtl_catch_up){.emit = emit, .context = context, .channel = &profile->channel};
    return 0;
}

static bool is_counter(const struct wtl_profile *profile)
{
    return profile->channel.kind == WATTLE_COUNTER;
}

static struct wtl_profile_sample *sample_at(struct wtl_profile *profile, uint64_t number)
{
    return &profile->ring[number % WTL_PROFILE_RING];
}

/* ---- knots ---- */

/* Make a knot and emit the step that it ends. */
static void make_knot(struct wtl_profile *profile,
                      uint64_t time_ns,
                      double energy_j,
                      double sd_ns,
                      double common)
{
    if (profile->has_knot && time_ns <= profile->knot_ns)
        return;
    if (profile->has_knot) {
        double jitter, rough;
        struct wtl_step step = {.begin_ns = profile->knot_ns,
                                .end_ns = time_ns,
                                .energy_j = energy_j,
                                .begin_sd_ns = profile->knot_sd_ns,
                                .end_sd_ns = (float)sd_ns,
                                .common_sd_ns = (float)common,
                                .flags = profile->flags};

        if (profile->flags & WTL_STEP_GAP)
            wtl_scatter_break(&profile->scatter);
        else
            wtl_scatter_learn(&profile->scatter, energy_j / (double)(time_ns - profile->knot_ns));
        wtl_scatter_split(&profile->scatter, &jitter, &rough);
        step.rough = (float)rough;
        step.flags |= profile->seen ? 0 : WTL_STEP_FIRST;
        wtl_catch_up_take(&profile->out, &step);
    }
    profile->seen = profile->has_knot;
    profile->has_knot = true;
    profile->knot_ns = time_ns;
    profile->knot_sd_ns = (float)sd_ns;
    profile->flags = 0;
}

static void note_gap(struct wtl_profile *profile, const struct wtl_profile_sample *sample)
{
    if (sample->after_unknown) {
        profile->has_knot = false;
        wtl_scatter_break(&profile->scatter);
        profile->flags = WTL_STEP_UNKNOWN;
    } else if (sample->after_gap) {
        profile->flags |= WTL_STEP_GAP;
    }
}

/* Whether a tick came between this poll and the one before it: its time and accuracy. */
static bool is_edge(struct wtl_profile *profile,
                    uint64_t number,
                    uint64_t *ret_time_ns,
                    double *ret_sd_ns)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);

    if (!sample->edge || number == 0 || profile->filled - number >= WTL_PROFILE_RING)
        return false;
    const struct wtl_profile_sample *last = sample_at(profile, number - 1);
    uint64_t apart_ns = sample->time_ns - last->time_ns;

    if (!last->edge || last->value == sample->value || apart_ns * 4 > profile->channel.refresh_ns)
        return false;
    *ret_time_ns = last->time_ns + apart_ns / 2;
    *ret_sd_ns = (double)apart_ns / sqrt(12);
    return true;
}

/* ---- without a grid ---- */

/* The time of the tick that sample `number` is the first to show: after a sample that saw another value, of fast counters
 * only one that saw it unchanged, and less than a refresh before the last sample that shows no other value. */
static void tick_between(struct wtl_profile *profile,
                         uint64_t number,
                         uint64_t *ret_time_ns,
                         double *ret_sd_ns)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);
    uint64_t low_ns = sample->time_ns > profile->channel.refresh_ns
                          ? sample->time_ns - profile->channel.refresh_ns
                          : 0;

    uint64_t last_ns = profile->shown_ns;

    if (last_ns == 0 && profile->has_knot && wtl_ticks_slowly(&profile->channel))
        last_ns = profile->knot_sample_ns;
    if (last_ns > low_ns)
        low_ns = last_ns;
    for (uint64_t next = number + 1; next < profile->filled; next++) {
        const struct wtl_profile_sample *later = sample_at(profile, next);

        if (later->value != sample->value || later->after_gap ||
            later->time_ns - sample->time_ns >= profile->channel.refresh_ns)
            break;
        if (later->time_ns > low_ns + profile->channel.refresh_ns)
            low_ns = later->time_ns - profile->channel.refresh_ns;
    }
    *ret_time_ns = low_ns + (sample->time_ns - low_ns) / 2;
    *ret_sd_ns = hypot((double)(sample->time_ns - low_ns) / sqrt(12),
                       (double)profile->channel.refresh_ns * JITTER);
}

static void plain_knot(struct wtl_profile *profile, uint64_t number)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);
    double energy = (double)(sample->value - profile->knot_value) * profile->channel.scale;
    bool stands = profile->has_knot && sample->value == profile->knot_value;
    bool slow = wtl_ticks_slowly(&profile->channel);
    double sd = profile->interval_ns / 4;
    uint64_t time = sample->time_ns > (uint64_t)sd ? sample->time_ns - (uint64_t)sd : 0;

    /* It need not have ticked yet; this can only be said if it ticked before. */
    if (stands && (sample->edge || slow ||
                   sample->time_ns - profile->knot_sample_ns < profile->channel.refresh_ns)) {
        profile->shown_ns = sample->time_ns;
        return;
    }
    bool edge = is_edge(profile, number, &time, &sd);
    if (!edge && profile->channel.refresh_ns)
        tick_between(profile, number, &time, &sd);
    profile->shown_ns = 0;
    profile->knot_sample_ns = sample->time_ns;
    if (profile->has_knot && time <= profile->knot_ns)
        return;
    make_knot(profile, time, energy, sd, 0);
    profile->seen |= edge;
    profile->knot_value = sample->value;
}

/* Gauges are interpolated to the next sample by the mean of both, window averages apply back to the
 * previous one. */
static void power_knot(struct wtl_profile *profile, const struct wtl_profile_sample *sample)
{
    double now_w = (double)(int64_t)sample->value * profile->channel.scale;
    double then_w = (double)(int64_t)profile->knot_value * profile->channel.scale;
    double span = profile->has_knot ? (double)(sample->time_ns - profile->knot_ns) * 1e-9 : 0;
    double mean_w = profile->channel.kind == WATTLE_GAUGE ? (now_w + then_w) / 2 : now_w;

    make_knot(profile, sample->time_ns, mean_w * span,
              profile->channel.refresh_ns ? (double)profile->channel.refresh_ns / sqrt(12)
                                          : profile->interval_ns / 4,
              0);
    profile->knot_value = sample->value;
}

/* ---- with a grid ---- */

static double since_origin(const struct wtl_profile *profile, uint64_t time_ns)
{
    return (double)(int64_t)(time_ns - profile->grid_origin_ns);
}

/* Growth per tick just before the knot, and over the following samples; < 0 = unknown. */
static void powers_around(struct wtl_profile *profile,
                          uint64_t number,
                          double *ret_before,
                          double *ret_after)
{
    uint64_t last = profile->filled - 1 < number + 4 ? profile->filled - 1 : number + 4;
    const struct wtl_profile_sample *own = sample_at(profile, number);
    const struct wtl_profile_sample *far = sample_at(profile, last);
    double ticks = (double)(far->time_ns - own->time_ns) / profile->grid.period_ns;

    *ret_before = profile->scatter.has_last
                      ? profile->scatter.last * profile->grid.period_ns / profile->channel.scale
                      : -1;
    *ret_after = ticks > 2 ? (double)(far->value - own->value) / ticks : -1;
}

/* Distance of the growth, in ticks, from what n ticks can have added, each with the power before, the
 * power after, or one in between. */
static double misfit_of(double growth, double n, double before, double after)
{
    if (before <= 0 && after <= 0)
        return HUGE_VAL;
    double low = before <= 0 || (after > 0 && after < before) ? after : before;
    double high = before <= 0 || after > before ? after : before;

    if (growth < n * low)
        return n - growth / low;
    return growth > n * high ? growth / high - n : 0;
}

/* A poll that caught a tick: its number of ticks after the knot, which also updates the grid. */
static bool caught(struct wtl_profile *profile, uint64_t number, double *ret_n)
{
    struct wtl_grid *grid = &profile->grid;
    uint64_t edge_ns;
    double sd_ns;

    if (!is_edge(profile, number, &edge_ns, &sd_ns))
        return false;
    double at = since_origin(profile, edge_ns);

    *ret_n = rint((at - grid->tick_ns) / grid->period_ns);
    wtl_grid_observe_edge(grid, *ret_n, at, sd_ns);
    return true;
}

/* What a sample near a tick may show: n ticks according to the grid, or the other number. */
struct choice {
    double n, other_n;
    double own, other; /* misfits of the growth */
    double distance;   /* to the tick in question */
};

/* Decide by the growth; -1 when that is inconclusive. */
static double decide(struct wtl_profile *profile, const struct choice *choice, double at)
{
    struct wtl_grid *grid = &profile->grid;
    double tick = fmax(choice->n, choice->other_n); /* the tick that may or may not have come */

    if (choice->n > 8 ||
        (choice->own < 0.35) == (choice->other < 0.35)) /* no knot, but not for long */
        return choice->n >= 4 && choice->distance > wtl_grid_sd_ns(grid) ? choice->n : -1;
    double shown = choice->own < choice->other ? choice->n : choice->other_n;

    wtl_grid_observe(grid, tick, at, shown == tick);
    return shown;
}

/* Ticks from the knot to the one that this sample shows; -1 when unknown. */
static double ticks_shown(struct wtl_profile *profile, uint64_t number)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);
    struct wtl_grid *grid = &profile->grid;
    double at = since_origin(profile, sample->time_ns);
    double growth = (double)(sample->value - profile->knot_value);
    double near = fmin(3.5 * wtl_grid_sd_ns(grid), grid->period_ns / 4);
    double age, before, after, edge_n;
    double n = wtl_grid_ticks(grid, at, &age);
    bool more = grid->period_ns - age < age; /* the nearest tick is the next one */
    struct choice choice = {
        .n = n, .other_n = more ? n + 1 : n - 1, .distance = more ? grid->period_ns - age : age};

    if (caught(profile, number, &edge_n))
        return edge_n;
    powers_around(profile, number, &before, &after);
    choice.own = misfit_of(growth, n, before, after);
    choice.other = misfit_of(growth, choice.other_n, before, after);
    bool clearly_other =
        n <= 4 && choice.own >= 0.65 && choice.other <= 0.35 && choice.distance <= 4 * near;

    profile->misfits -= profile->misfits / MISFIT_MEMORY;
    if (choice.distance <= near || clearly_other)
        return decide(profile, &choice, at);
    profile->misfits += choice.own > 0.5 && choice.own < HUGE_VAL && n < 6;
    return n;
}

static void grid_knot(struct wtl_profile *profile, uint64_t number)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);
    struct wtl_grid *grid = &profile->grid;
    double jitter, rough;
    double n = ticks_shown(profile, number);

    if (n < 1)
        return;
    wtl_grid_advance(grid, n);
    wtl_scatter_split(&profile->scatter, &jitter, &rough);
    grid->jitter_ns = jitter * grid->period_ns;
    double time = grid->tick_ns;

    profile->flags |= WTL_STEP_GRID;
    make_knot(profile, profile->grid_origin_ns + (uint64_t)(int64_t)llrint(time),
              (double)(sample->value - profile->knot_value) * profile->channel.scale,
              grid->jitter_ns, wtl_grid_phase_sd_ns(grid));
    profile->knot_value = sample->value;
    profile->knot_sample_ns = sample->time_ns;
    /* Keep times small, so that doubles represent them to a fraction of a nanosecond. */
    int64_t whole = llrint(grid->tick_ns);

    profile->grid_origin_ns += (uint64_t)whole;
    grid->tick_ns -= (double)whole;
}

/* Search for a grid in samples of the ring; times of ret_grid are relative to the first of them. */
static bool search(struct wtl_profile *profile,
                   uint64_t first,
                   uint64_t count,
                   struct wtl_grid *ret_grid)
{
    struct wtl_grid_sample samples[SEARCH_SAMPLES];
    uint64_t origin_ns = sample_at(profile, first)->time_ns;

    for (uint64_t i = 0; i < count; i++) {
        const struct wtl_profile_sample *sample = sample_at(profile, first + i);

        samples[i].time_ns = (double)(sample->time_ns - origin_ns);
        samples[i].growth =
            i ? (double)(sample->value - sample_at(profile, first + i - 1)->value) : 0;
    }
    return (profile->period_found_ns > 0 &&
            wtl_grid_find(samples, (size_t)count, profile->period_found_ns, AGAIN_RANGE,
                          ret_grid)) ||
           wtl_grid_find(samples, (size_t)count, (double)profile->channel.refresh_ns, SEARCH_RANGE,
                         ret_grid);
}

/* Use a grid, whose present tick becomes the one shown by a sample at time_ns. */
static void take_grid(struct wtl_profile *profile,
                      const struct wtl_grid *grid,
                      uint64_t origin_ns,
                      uint64_t time_ns)
{
    double age;

    profile->grid = *grid;
    profile->grid_origin_ns = origin_ns;
    profile->grid.tick_ns += profile->grid.period_ns *
                             wtl_grid_ticks(grid, (double)(int64_t)(time_ns - origin_ns), &age);
    profile->period_found_ns = grid->period_ns;
    profile->locked = true;
    profile->misfits = 0;
}

/* Search for the grid in the waiting samples. */
static void find_grid(struct wtl_profile *profile)
{
    uint64_t count = profile->filled - profile->read;
    uint64_t origin_ns = sample_at(profile, profile->read)->time_ns;
    struct wtl_grid grid;

    if (count > SEARCH_SAMPLES)
        count = SEARCH_SAMPLES;
    profile->failed = !search(profile, profile->read, count, &grid);
    if (!profile->failed)
        take_grid(profile, &grid, origin_ns, origin_ns);
}

/* Too many samples do not fit: check whether the recent samples have a better grid. */
static void doubt_grid(struct wtl_profile *profile)
{
    uint64_t first = profile->filled > SEARCH_SAMPLES ? profile->filled - SEARCH_SAMPLES : 0;
    struct wtl_grid grid;

    profile->misfits = 0;
    if (search(profile, first, profile->filled - first, &grid))
        take_grid(profile, &grid, sample_at(profile, first)->time_ns, profile->knot_sample_ns);
}

/* ---- the stream ---- */

/* Samples more frequent than the counter's ticks show each tick directly. Between the long ticks of a slow
 * counter the power changes too much for a grid to be more accurate, and an update may be left out. */
static bool may_have_grid(const struct wtl_profile *profile)
{
    double refresh_ns = (double)profile->channel.refresh_ns;
    bool told = wtl_ticks_slowly(&profile->channel) && profile->interval_ns < OFTEN * refresh_ns;

    return is_counter(profile) && refresh_ns > 0 && profile->interval_ns < 3 * refresh_ns && !told;
}

/* Whether a counter that always draws power shows the last knot's value for longer than its ticks explain.
 * The energy of that time comes later. */
static bool stands_still(struct wtl_profile *profile, uint64_t number)
{
    uint64_t last_ns = profile->knot_sample_ns;

    if (!profile->has_knot)
        return false;
    for (uint64_t next = number; next < profile->filled && next <= number + WTL_PROFILE_AHEAD;
         next++) {
        if (sample_at(profile, next)->value != profile->knot_value)
            break;
        last_ns = sample_at(profile, next)->time_ns;
    }
    return wtl_stands_still(&profile->channel, last_ns - profile->knot_sample_ns);
}

/*
 * The first knot on a grid, or the first after a gap: there is no growth that shows which of two ticks a sample
 * close to a tick shows. A poll that caught one does, and so does a sample between ticks. Until there is one, which
 * may take long if samples and ticks have nearly the same period, the knot is one without a grid.
 */
static void first_knot(struct wtl_profile *profile, uint64_t number)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);
    struct wtl_grid *grid = &profile->grid;
    double near = fmin(3.5 * wtl_grid_sd_ns(grid), grid->period_ns / 4);
    double age, n;

    if (!caught(profile, number, &n)) {
        n = wtl_grid_ticks(grid, since_origin(profile, sample->time_ns), &age);
        if (fmin(age, grid->period_ns - age) <= near) {
            if (!profile->has_knot)
                plain_knot(profile, number);
            profile->off_grid = profile->has_knot;
            return;
        }
    }
    wtl_grid_advance(grid, n);
    uint64_t time_ns = profile->grid_origin_ns + (uint64_t)(int64_t)llrint(grid->tick_ns);
    profile->off_grid = profile->has_knot && time_ns <= profile->knot_ns;
    if (profile->off_grid) /* the last one was taken for later: the next one will do */
        return;
    make_knot(profile, time_ns,
              (double)(sample->value - profile->knot_value) * profile->channel.scale,
              grid->jitter_ns, wtl_grid_phase_sd_ns(grid));
    profile->knot_value = sample->value;
    profile->knot_sample_ns = sample->time_ns;
}

static void add_sample(struct wtl_profile *profile, uint64_t number)
{
    const struct wtl_profile_sample *sample = sample_at(profile, number);

    note_gap(profile, sample);
    if (!is_counter(profile)) {
        power_knot(profile, sample);
        return;
    }
    if (stands_still(profile, number)) {
        profile->flags |= WTL_STEP_GAP;
        return;
    }
    if (!profile->locked) {
        plain_knot(profile, number);
        return;
    }
    if (!profile->has_knot || profile->off_grid) {
        first_knot(profile, number);
        return;
    }
    grid_knot(profile, number);
    if (wtl_grid_phase_sd_ns(&profile->grid) > profile->grid.period_ns / 12)
        profile->locked = false; /* lost: search again in the following samples */
    else if (profile->misfits > MISFIT_MAX)
        doubt_grid(profile);
}

/* Make all knots that are possible now. */
static void drain(struct wtl_profile *profile, bool flush)
{
    while (profile->read < profile->filled) {
        uint64_t waiting = profile->filled - profile->read;

        if (may_have_grid(profile) && !profile->locked) {
            if (waiting < SEARCH_SAMPLES && !flush)
                return;
            if (!profile->failed)
                find_grid(profile);
        }
        if (profile->locked && waiting <= WTL_PROFILE_AHEAD && !flush)
            return;
        if (wtl_ticks_slowly(&profile->channel) && waiting == 1 && !flush)
            return; /* the next sample tells more of when this one's tick came */
        add_sample(profile, profile->read++);
        /* After a failed search its samples are used without a grid, then the search is repeated. */
        if (profile->failed && profile->read % SEARCH_SAMPLES == 0)
            profile->failed = false;
    }
}

void wtl_profile_sample(struct wtl_profile *profile, uint64_t time_ns, uint64_t value, bool edge)
{
    struct wtl_profile_sample *sample = sample_at(profile, profile->filled);

    if (profile->filled) {
        const struct wtl_profile_sample *last = sample_at(profile, profile->filled - 1);
        double interval = (double)(time_ns - last->time_ns);

        if (time_ns <= last->time_ns)
            return;
        if (is_counter(profile) && !sample->after_unknown && value < last->value)
            return; /* not unwrapped: the order is not reliable */
        if (edge || last->edge)
            interval = profile->interval_ns;
        if (profile->interval_ns == 0)
            profile->interval_ns = interval;
        if (profile->interval_ns > 0 && interval > 1000 * profile->interval_ns &&
            profile->locked) /* much longer than the grid's phase can be extrapolated */
            profile->locked = false;
        profile->interval_ns +=
            (fmin(interval, 4 * profile->interval_ns) - profile->interval_ns) / 16;
    }
    if (profile->filled == 0)
        profile->first_ns = time_ns;
    profile->last_ns = time_ns;
    sample->time_ns = time_ns;
    sample->value = value;
    sample->edge = edge;
    profile->filled++;
    *sample_at(profile, profile->filled) = (struct wtl_profile_sample){0};
    drain(profile, false);
}

void wtl_profile_gap(struct wtl_profile *profile, bool known)
{
    struct wtl_profile_sample *next = sample_at(profile, profile->filled);

    next->after_gap = true;
    next->after_unknown |= !known;
}

void wtl_profile_flush(struct wtl_profile *profile)
{
    drain(profile, true);
    wtl_catch_up_flush(&profile->out);
}
