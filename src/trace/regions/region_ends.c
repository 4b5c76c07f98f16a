/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of stretches on a window average: see region_ends.h. */
#include "trace/regions/region_ends.h"

#include <errno.h>
#include <math.h>

#include "base/grow.h"
#include "model/bound.h"

/* The power of a step, or NaN, which fmin() and fmax() ignore. */
static double watts_of(const struct wtl_step *step)
{
    return step && !(step->flags & WTL_STEP_UNKNOWN) && step->end_ns > step->begin_ns
               ? step->energy_j / (double)(step->end_ns - step->begin_ns) * 1e9
               : NAN;
}

static int add(struct wtl_region_open *open, struct wtl_region_ends *ends)
{
    if (wtl_grow(&open->ends, open->count, sizeof(struct wtl_region_ends *)) < 0)
        return -ENOMEM;
    open->ends[open->count++] = ends;
    return 0;
}

/* Whether it was there. */
static bool take_out(struct wtl_region_open *open, const struct wtl_region_ends *ends)
{
    for (size_t i = open->count; i-- > 0;) {
        if (open->ends[i] == ends) {
            open->ends[i] = open->ends[--open->count];
            return true;
        }
    }
    return false;
}

int wtl_region_ends_switch(struct wtl_region_open *open,
                           struct wtl_region_ends *ends,
                           const struct wattle_channel *channel,
                           const struct wtl_step *before,
                           const struct wtl_step *step,
                           bool on)
{
    if (channel->kind != WATTLE_WINDOW_AVERAGE)
        return 0;
    double power_w = fmax(watts_of(before), watts_of(step));
    double least_w = fmin(watts_of(before), watts_of(step));
    if (on) {
        ends->first_w = power_w;
        ends->least_w = least_w;
        return add(open, ends);
    }
    if (!take_out(open, ends))
        return 0;
    double half_j =
        wtl_window_ends_j(channel, ends->first_w, power_w, fmin(ends->least_w, least_w));
    if (half_j > 0) /* not where nothing is known: then the energy is not, either */
        ends->half_j += half_j;
    return 0;
}

void wtl_region_ends_step(const struct wtl_region_open *open, const struct wtl_step *step)
{
    double power_w = open->count > 0 ? watts_of(step) : NAN;
    for (size_t i = 0; i < open->count; i++)
        open->ends[i]->least_w = fmin(open->ends[i]->least_w, power_w);
}
