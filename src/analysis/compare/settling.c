/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines through powers and temperatures: see settling.h. */
#include "analysis/compare/settling.h"

#include <math.h>

#include "model/statistics/student.h"

static const double P_WHOLE = 0.1, P_EARLY = 0.001;

/* A straight line by least squares. */
struct line {
    size_t n;
    double mean, slope, p;
    double span_s; /* from the first value to the last */
};

static double value_of(const struct wtl_settling_part *part, bool temperature)
{
    return temperature ? part->temperature_c : part->power_w;
}

static struct line line_of(const struct wtl_settling_part *parts, size_t n, bool temperature)
{
    struct line line = {.mean = 0, .slope = NAN, .p = NAN};
    double time_s = 0, xx = 0, xy = 0, rest = 0, first_s = 0;
    for (size_t i = 0; i < n; i++) {
        double value = value_of(&parts[i], temperature);
        if (isnan(value))
            continue;
        first_s = line.n++ ? first_s : parts[i].time_s;
        line.span_s = parts[i].time_s - first_s;
        line.mean += (value - line.mean) / (double)line.n;
        time_s += (parts[i].time_s - time_s) / (double)line.n;
    }
    for (size_t i = 0; i < n; i++) {
        double value = value_of(&parts[i], temperature), x = parts[i].time_s - time_s;
        xx += isnan(value) ? 0 : x * x;
        xy += isnan(value) ? 0 : x * (value - line.mean);
    }
    if (line.n < WTL_SETTLING_FEWEST || !(xx > 0))
        return line;
    line.slope = xy / xx;
    for (size_t i = 0; i < n; i++) {
        double off =
            value_of(&parts[i], temperature) - line.mean - line.slope * (parts[i].time_s - time_s);
        rest += isnan(off) ? 0 : off * off;
    }
    double df = (double)line.n - 2, error = sqrt(rest / df / xx);
    line.p = error > 0 ? wtl_student_two_sided(line.slope / error, df) : line.slope == 0 ? 1 : 0;
    return line;
}

struct wtl_settling wtl_settling_of(const struct wtl_settling_part *parts, size_t n, bool whole)
{
    struct line power = line_of(parts, n, false), celsius = line_of(parts, n, true);
    struct wtl_settling settling = {.power_per_min = 60 * power.slope / power.mean,
                                    .power_p = power.p,
                                    .celsius_per_min = 60 * celsius.slope,
                                    .celsius_p = celsius.p};
    double least = whole ? P_WHOLE : P_EARLY;
    settling.power_drifts =
        fabs(settling.power_per_min) > WTL_SETTLING_POWER_PER_MIN && power.p < least;
    settling.celsius_drifts = fabs(settling.celsius_per_min) > WTL_SETTLING_CELSIUS_PER_MIN &&
                              fabs(celsius.slope) * celsius.span_s >= WTL_SETTLING_CELSIUS &&
                              celsius.p < least;
    settling.state = isnan(power.slope) ? WTL_SETTLING_OPEN : WTL_SETTLING_STEADY;
    if (settling.power_drifts || settling.celsius_drifts)
        settling.state = WTL_SETTLING_DRIFTED;
    return settling;
}
