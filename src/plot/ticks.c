/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nice numbers: the step is the smallest of 1, 2, 5 times a power of ten (or of a clock's steps for
 * long times) that gives no more ticks than wanted. Ticks are integer multiples of the step, so
 * that 0.3 is not 0.30000000000000004.
 */
#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <wattle/quantity.h>

#include "base/whole.h"

/* The step for at most `wanted` + 1 ticks over that span, and the number of parts into which minor
 * ticks divide it. */
static double nice_step(double span, size_t wanted, int *ret_parts)
{
    static const struct {
        double factor;
        int parts;
    } steps[] = {{1, 5}, {2, 4}, {5, 5}, {10, 5}};
    double rough = span / (double)wanted, power = pow(10, floor(log10(rough)));
    for (size_t i = 0;; i++) {
        if (steps[i].factor * power >= rough * (1 - 1e-9) || i == 3) {
            *ret_parts = steps[i].parts;
            return steps[i].factor * power;
        }
    }
}

/* The same with the steps of a clock that are a quarter of the unit or more. */
static double clock_step(double span_s, double unit_s, size_t wanted, int *ret_parts)
{
    static const struct {
        double step_s;
        int parts;
    } steps[] = {{15, 3},    {30, 3},    {60, 6},    {120, 4},   {300, 5},
                 {600, 5},   {900, 3},   {1800, 3},  {3600, 6},  {7200, 4},
                 {10800, 3}, {21600, 6}, {43200, 4}, {86400, 4}, {172800, 2}};
    double rough = span_s / (double)wanted;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bool readable = fmod(4 * steps[i].step_s, unit_s) == 0;
        if (readable && steps[i].step_s >= rough * (1 - 1e-9)) {
            *ret_parts = steps[i].parts;
            return steps[i].step_s;
        }
    }
    return 86400 * nice_step(span_s / 86400, wanted, ret_parts);
}

/* Correct ends that do not form an axis. */
static void mend(double *low, double *high)
{
    if (!isfinite(*low) || !isfinite(*high)) {
        *low = 0;
        *high = 1;
    } else if (*low > *high) {
        double other = *low;
        *low = *high;
        *high = other;
    }
    double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low <= size * 1e-12) {
        double room = size > 0 ? size / 2 : 0.5;
        *low -= *low > 0 && *low == room * 2 ? *low : room;
        *high += room;
    }
}

/* Put ticks at the multiples of step, written as multiples of unit_size. */
static void fill(struct wtl_ticks *ticks, double step, int parts, double unit_size)
{
    double first = ceil(ticks->low / step - 1e-9), last = floor(ticks->high / step + 1e-9);
    double shown = step / unit_size;
    int decimals = 0;
    while (decimals < 9 && fabs(shown - round(shown)) > 1e-9 * shown) {
        shown *= 10;
        decimals++;
    }
    ticks->count = 0;
    ticks->minor = step / parts;
    for (double k = first; k <= last && ticks->count < WTL_TICKS_MAX; k++) {
        struct wtl_tick *tick = &ticks->ticks[ticks->count++];
        tick->value = k * step;
        (void)snprintf(tick->text, sizeof tick->text, "%.*f", decimals,
                       k == 0 ? 0 : tick->value / unit_size);
        if (tick->text[0] == '-') { /* a typographic minus is longer than a hyphen */
            char digits[sizeof tick->text];
            (void)snprintf(digits, sizeof digits, "%s", tick->text + 1);
            (void)snprintf(tick->text, sizeof tick->text, "\xE2\x88\x92%.20s", digits);
        }
    }
}

static bool takes_prefix(const char *unit)
{
    static const char *const units[] = {"W", "J", "Hz", "s", "B", "J s", "Wh", "B/s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return true;
    return false;
}

/* The power of 1000 with which the largest number of the axis has one to three digits before the
 * point; up to 9999 no prefix is used. */
static int prefix_of(double largest)
{
    if (largest >= 1 && largest < 10000)
        return 0;
    int power = wtl_whole_int(floor(log10(largest) / 3 + 1e-9));
    return power < -4 ? -4 : power > 4 ? 4 : power;
}

void wtl_ticks_numbers(struct wtl_ticks *ticks,
                       double low,
                       double high,
                       size_t wanted,
                       const char *unit,
                       bool widen)
{
    static const char *const prefixes[] = {"p", "n", "\xC2\xB5", "m", "", "k", "M", "G", "T"};
    int parts, power = 0;
    mend(&low, &high);
    double step = nice_step(high - low, wanted > 0 ? wanted : 1, &parts);
    if (widen) {
        low = step * floor(low / step + 1e-9);
        high = step * ceil(high / step - 1e-9);
    }
    ticks->low = low;
    ticks->high = high;
    if (takes_prefix(unit))
        power = prefix_of(fmax(fabs(low), fabs(high)));
    (void)snprintf(ticks->unit, sizeof ticks->unit, "%s%.12s", prefixes[power + 4], unit);
    fill(ticks, step, parts, pow(1000, power));
}

void wtl_ticks_time(struct wtl_ticks *ticks, double low_s, double high_s, size_t wanted)
{
    static const struct {
        double above_s, size_s; /* limit for the whole axis; size of its unit */
        const char *unit;
    } units[] = {{2 * 86400, 86400, "d"}, {2 * 3600, 3600, "h"}, {180, 60, "min"}};
    int parts;
    mend(&low_s, &high_s);
    double span = high_s - low_s;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (span < units[i].above_s)
            continue;
        double step = clock_step(span, units[i].size_s, wanted > 0 ? wanted : 1, &parts);
        ticks->low = low_s;
        ticks->high = high_s;
        (void)snprintf(ticks->unit, sizeof ticks->unit, "%s", units[i].unit);
        fill(ticks, step, parts, units[i].size_s);
        return;
    }
    wtl_ticks_numbers(ticks, low_s, high_s, wanted, "s", false);
}
