/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps at a standstill: see catch_up.h. */
#include "model/catch_up.h"

#include <math.h>

#include "model/bound.h"

/* Over fewer refreshes than this, a counter's growth does not give a power. */
static const double STEADY = 4;

static double length_of(const struct wtl_step *step)
{
    return (double)(step->end_ns - step->begin_ns);
}

/* The power of a step if it shows one, else 0. */
static double power_of(const struct wtl_catch_up *c, const struct wtl_step *step)
{
    bool shows = !(step->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN)) &&
                 length_of(step) >= STEADY * (double)c->channel->refresh_ns;
    return shows ? step->energy_j / length_of(step) : 0;
}

/* The lesser of two powers, or the known one. */
static double lesser(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* Whether the counter stood still in the first of two steps, and caught up in the second. */
static bool stood(const struct wtl_catch_up *c,
                  const struct wtl_step *first,
                  const struct wtl_step *second,
                  double power)
{
    const struct wtl_growth slow = {length_of(first), first->energy_j};
    const struct wtl_growth fast = {length_of(second), second->energy_j};
    return first->end_ns == second->begin_ns &&
           !((first->flags | second->flags) & (WTL_STEP_GRID | WTL_STEP_UNKNOWN)) &&
           wtl_caught_up(c->channel, slow, fast, power, second->flags & WTL_STEP_GAP);
}

static void merge(struct wtl_step *first, const struct wtl_step *second)
{
    first->flags |= second->flags | WTL_STEP_GAP;
    first->end_ns = second->end_ns;
    first->end_sd_ns = second->end_sd_ns;
    first->common_sd_ns = fmaxf(first->common_sd_ns, second->common_sd_ns);
    first->energy_j += second->energy_j;
}

/* Emit the first of the steps held: nothing can change it any more. */
static void let_go(struct wtl_catch_up *c, double after)
{
    struct wtl_step *step = &c->held[0];
    double most = WTL_LEAP * after * (length_of(step) + (double)c->channel->refresh_ns);
    bool leaps = after > 0 && step->energy_j > most + 2 * c->channel->scale;
    if (step->flags & WTL_STEP_FIRST && (leaps || step->flags & WTL_STEP_GAP))
        step->flags |= WTL_STEP_EARLIER | WTL_STEP_GAP;
    if (power_of(c, step) > 0)
        c->power = power_of(c, step);
    c->emit(c->context, step);
    c->held[0] = c->held[1];
    c->count--;
}

void wtl_catch_up_take(struct wtl_catch_up *c, const struct wtl_step *step)
{
    if (!wtl_counts_always(c->channel) || c->channel->refresh_ns == 0) {
        c->emit(c->context, step);
        return;
    }
    double after = power_of(c, step);
    if (c->count == 2 && stood(c, &c->held[0], &c->held[1], lesser(c->power, after))) {
        merge(&c->held[0], &c->held[1]);
        c->count--;
    }
    while (c->count == 2 || (c->count > 0 && step->flags & (WTL_STEP_GRID | WTL_STEP_UNKNOWN)))
        let_go(c, c->count == 2 ? power_of(c, &c->held[1]) : after);
    c->held[c->count++] = *step;
    if (step->flags & (WTL_STEP_GRID | WTL_STEP_UNKNOWN))
        let_go(c, 0);
}

/* The last step, in which the counter stood still: it may have used as much as before. */
static void bridge(const struct wtl_catch_up *c, struct wtl_step *last)
{
    double most = c->power * length_of(last), lack = most - last->energy_j;
    if (last->flags & WTL_STEP_GAP && lack > 0 &&
        wtl_stands_still(c->channel, (uint64_t)(lack / c->power))) {
        last->energy_j = most;
        last->flags |= WTL_STEP_EARLIER;
    }
}

void wtl_catch_up_flush(struct wtl_catch_up *c)
{
    if (c->count == 2 && stood(c, &c->held[0], &c->held[1], c->power)) {
        merge(&c->held[0], &c->held[1]);
        c->count--;
    }
    if (c->count == 2 && power_of(c, &c->held[0]) > 0)
        let_go(c, 0);
    if (c->count > 0)
        bridge(c, &c->held[c->count - 1]);
    while (c->count > 0)
        let_go(c, c->count == 2 ? power_of(c, &c->held[1]) : 0);
}
