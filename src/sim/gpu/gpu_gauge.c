/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gauge of a GPU: see gpu_gauge.h. The filter y' = (P - y) / tau is exact if P is constant within the cells of a grid of
 * tau/16, and is that of the mean power of each cell otherwise; it begins 20 tau earlier (e^-20 = 2e-9 of a step is lost)
 * on a line of that grid, so that a value does not depend on what was asked before. The average of y over a window
 * follows from the energy and y at both ends: integral of y = energy - tau * (y(end) - y(begin)).
 */
#include "sim/gpu/gpu_gauge.h"

#include <math.h>

#include "base/random.h"

enum { FILTER_CELLS = 16, FILTER_TAUS = 20 };
/* An average of this is "one instant" of a power known by its energy. */
enum { INSTANT_NS = 1000 };

/* Joules from the start to time_ns, negative before it. */
static double energy_at(const struct wtl_gpu_truth *truth, int64_t time_ns)
{
    int64_t after = time_ns - (int64_t)truth->start_ns;
    return after <= 0 ? truth->before_w * (double)after * 1e-9
                      : truth->energy_j(truth->context, (uint64_t)time_ns);
}

/* The filtered power at time_ns. */
static double filtered_w(const struct wtl_gpu_truth *truth, double tau_s, int64_t time_ns)
{
    int64_t cell = (int64_t)(tau_s * 1e9 / FILTER_CELLS);
    cell = cell > 0 ? cell : 1;
    int64_t begin = time_ns / cell * cell - FILTER_TAUS * FILTER_CELLS * cell;
    double before = energy_at(truth, begin), y = NAN;
    while (begin < time_ns) {
        int64_t end = begin + cell < time_ns ? begin + cell : time_ns;
        double now = energy_at(truth, end), seconds = (double)(end - begin) * 1e-9;
        double power = (now - before) / seconds;
        y = isnan(y) ? power : power + (y - power) * exp(-seconds / tau_s);
        before = now;
        begin = end;
    }
    return y;
}

int64_t wtl_gpu_gauge_update_ns(const struct wtl_gpu_gauge *gauge, uint64_t start_ns, int64_t k)
{
    int64_t plain = (int64_t)(start_ns + gauge->phase_ns) + k * (int64_t)gauge->period_ns;
    double most = fmin(gauge->jitter_ns, 0.49 * (double)gauge->period_ns);
    if (!(most > 0))
        return plain;
    double share = 2 * wtl_random_uniform(wtl_random_bits(gauge->seed, 1), (uint64_t)k) - 1;
    return plain + (int64_t)(most * share);
}

int64_t wtl_gpu_gauge_update(const struct wtl_gpu_gauge *gauge,
                             uint64_t start_ns,
                             uint64_t time_ns,
                             int64_t *ret_ns)
{
    int64_t period = (int64_t)gauge->period_ns;
    int64_t after = (int64_t)time_ns - (int64_t)(start_ns + gauge->phase_ns);
    int64_t k = after / period + 1; /* the jitter is less than half a period */
    *ret_ns = wtl_gpu_gauge_update_ns(gauge, start_ns, k);
    while (*ret_ns > (int64_t)time_ns)
        *ret_ns = wtl_gpu_gauge_update_ns(gauge, start_ns, --k);
    return k;
}

double wtl_gpu_gauge_value_w(const struct wtl_gpu_gauge *gauge,
                             const struct wtl_gpu_truth *truth,
                             int64_t k)
{
    int64_t window = gauge->window_ns > 0 ? (int64_t)gauge->window_ns : INSTANT_NS;
    int64_t end = wtl_gpu_gauge_update_ns(gauge, truth->start_ns, k) - (int64_t)gauge->delay_ns;
    int64_t begin = end - window;
    double joules = energy_at(truth, end) - energy_at(truth, begin);
    if (gauge->tau_s > 0)
        joules -= gauge->tau_s *
                  (filtered_w(truth, gauge->tau_s, end) - filtered_w(truth, gauge->tau_s, begin));
    double watts = joules / ((double)window * 1e-9) * (1 + gauge->gain) + gauge->offset_w;
    if (gauge->noise_w > 0)
        watts += gauge->noise_w * wtl_random_normal(wtl_random_bits(gauge->seed, 2), (uint64_t)k);
    if (gauge->quantum_w > 0)
        watts = floor(watts / gauge->quantum_w + 0.5) * gauge->quantum_w;
    return watts > 0 ? watts : 0;
}

double wtl_gpu_gauge_w(const struct wtl_gpu_gauge *gauge,
                       const struct wtl_gpu_truth *truth,
                       uint64_t time_ns)
{
    int64_t published;
    return wtl_gpu_gauge_value_w(gauge, truth,
                                 wtl_gpu_gauge_update(gauge, truth->start_ns, time_ns, &published));
}
