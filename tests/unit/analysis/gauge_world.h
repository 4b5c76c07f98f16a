/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated gauge over a power that is constant between steps, and what reading it shows. */
#ifndef WATTLE_TESTS_GAUGE_WORLD_H
#define WATTLE_TESTS_GAUGE_WORLD_H

#include <math.h>
#include <stdlib.h>

#include "analysis/gauge/gauge.h"
#include "base/random.h"
#include "sim/gpu/gpu_gauge.h"

/* joules: from the first step on; shown: what the filter makes of watts, at the step, and its joules. */
struct power_step {
    double time_s, watts, joules, shown_w, shown_j;
};

struct gauge_world {
    struct wtl_gpu_gauge gauge;
    struct wtl_gpu_truth truth;
    double tau_rise_s, tau_fall_s; /* of a filter, exact for these steps; 0 = none */
    struct power_step *steps;
    size_t count, most;
    struct wtl_gauge_reading *readings;
    size_t reading_count;
};

static const uint64_t WORLD_START_NS = UINT64_C(1000000000000);

static inline const struct power_step *world_at(const struct gauge_world *w, double time_s)
{
    size_t low = 0, high = w->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (w->steps[middle].time_s <= time_s)
            low = middle;
        else
            high = middle;
    }
    return &w->steps[low];
}

static inline double world_joules(const struct gauge_world *w, double time_s)
{
    const struct power_step *step = world_at(w, time_s);
    return step->joules + step->watts * (time_s - step->time_s);
}

/* Behind the filter, after a time since a step: watts, and joules since then. */
static inline double world_filtered(const struct gauge_world *w,
                                    const struct power_step *step,
                                    double after_s,
                                    double *ret_joules)
{
    double tau = step->watts > step->shown_w ? w->tau_rise_s : w->tau_fall_s;
    double watts =
        tau > 0 ? step->watts + (step->shown_w - step->watts) * exp(-after_s / tau) : step->watts;
    *ret_joules = step->watts * after_s - tau * (watts - (tau > 0 ? step->shown_w : watts));
    return watts;
}

static inline double world_energy(void *context, uint64_t time_ns)
{
    const struct gauge_world *w = context;
    double time_s = (double)(int64_t)(time_ns - WORLD_START_NS) * 1e-9, joules;
    const struct power_step *step = world_at(w, time_s);
    (void)world_filtered(w, step, time_s - step->time_s, &joules);
    return step->shown_j + joules;
}

static inline void world_step(struct gauge_world *w, double time_s, double watts)
{
    if (w->count == w->most) {
        w->most = w->most ? 2 * w->most : 64;
        w->steps = realloc(w->steps, w->most * sizeof *w->steps);
        if (!w->steps)
            exit(1);
    }
    struct power_step *step = &w->steps[w->count];
    *step = (struct power_step){time_s, watts, 0, watts, 0};
    if (w->count > 0) {
        double joules;
        step->joules = step[-1].joules + step[-1].watts * (time_s - step[-1].time_s);
        step->shown_w = world_filtered(w, &step[-1], time_s - step[-1].time_s, &joules);
        step->shown_j = step[-1].shown_j + joules;
    }
    w->count++;
}

/* Read it over [from, to], about every `every`, each reading late by up to a quarter of that. */
static inline void world_read(struct gauge_world *w, double from, double to, double every)
{
    size_t n = (size_t)((to - from) / every) + 1;
    int64_t shown = INT64_MIN;
    double watts = 0;
    w->truth = (struct wtl_gpu_truth){.energy_j = world_energy,
                                      .context = w,
                                      .start_ns = WORLD_START_NS,
                                      .before_w = w->steps[0].watts};
    free(w->readings);
    w->readings = malloc(n * sizeof *w->readings);
    if (!w->readings)
        exit(1);
    for (size_t i = 0; i < n; i++) {
        double late = 0.25 * every * wtl_random_uniform(w->gauge.seed + 77, i);
        double time_s = from + (double)i * every + late;
        int64_t published, k;
        uint64_t time_ns = WORLD_START_NS + (uint64_t)(int64_t)(time_s * 1e9);
        k = wtl_gpu_gauge_update(&w->gauge, WORLD_START_NS, time_ns, &published);
        if (k != shown)
            watts = wtl_gpu_gauge_value_w(&w->gauge, &w->truth, k);
        shown = k;
        w->readings[i] = (struct wtl_gauge_reading){time_s, watts};
    }
    w->reading_count = n;
}

static inline void world_fini(struct gauge_world *w)
{
    free(w->steps);
    free(w->readings);
    *w = (struct gauge_world){.count = 0};
}

#endif
