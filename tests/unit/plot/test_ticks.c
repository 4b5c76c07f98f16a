/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of axes, compared with those that a person would choose. */
#include "plot/ticks.h"

#include <math.h>

#include "tap.h"

/* "0 20 40 [W]" */
static const char *shown(const struct wtl_ticks *ticks)
{
    static char text[WTL_TICKS_MAX * 24 + 32];
    text[0] = '\0';
    for (size_t i = 0; i < ticks->count; i++) {
        size_t n = strlen(text);
        (void)snprintf(text + n, sizeof text - n, "%s ", ticks->ticks[i].text);
    }
    size_t n = strlen(text);
    (void)snprintf(text + n, sizeof text - n, "[%s]", ticks->unit);
    return text;
}

static void test_numbers(void)
{
    static const struct {
        int line;
        double low, high;
        size_t wanted;
        const char *unit, *want;
    } rows[] = {
        {__LINE__, 0, 93, 5, "W", "0 20 40 60 80 [W]"},
        {__LINE__, 0, 104, 4, "W", "0 50 100 [W]"},
        {__LINE__, 0, 0.9, 5, "", "0.0 0.2 0.4 0.6 0.8 []"},
        {__LINE__, 0, 0.035, 4, "W", "0 10 20 30 [mW]"},
        {__LINE__, 0, 4200, 5, "W", "0 1000 2000 3000 4000 [W]"},
        {__LINE__, 0, 42000, 5, "J", "0 10 20 30 40 [kJ]"},
        {__LINE__, 0, 3e9, 4, "J", "0 1 2 3 [GJ]"},
        {__LINE__, 0, 12000, 3, "C", "0 5000 10000 [C]"},
        {__LINE__, -1, 1, 2, "W",
         "\xE2\x88\x92"
         "1 0 1 [W]"},
        {__LINE__, 0, 0, 4, "C",
         "\xE2\x88\x92"
         "0.5 0.0 0.5 [C]"},
        {__LINE__, NAN, 3, 4, "", "0.0 0.5 1.0 []"},
        {__LINE__, 99.5, 100.25, 5, "", "99.6 99.8 100.0 100.2 []"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_ticks ticks;
        tap_line = rows[i].line;
        wtl_ticks_numbers(&ticks, rows[i].low, rows[i].high, rows[i].wanted, rows[i].unit, false);
        is_str(shown(&ticks), rows[i].want, "%g to %g", rows[i].low, rows[i].high);
        ok(ticks.high > ticks.low && ticks.minor > 0, "an axis of some length");
    }
    tap_line = 0;
    struct wtl_ticks ticks;
    wtl_ticks_numbers(&ticks, 3, 93, 5, "W", true);
    is_double(ticks.low, 0, 0, "widened down");
    is_double(ticks.high, 100, 1e-12, "and up");
    is_str(shown(&ticks), "0 20 40 60 80 100 [W]", "to ticks");
    wtl_ticks_numbers(&ticks, 0, 0.3, 3, "", false);
    is_double(ticks.ticks[3].value, 0.3, 1e-15, "no sum of errors");
    is_double(ticks.minor, 0.02, 1e-12, "five small ones in between");
}

static void test_time(void)
{
    static const struct {
        int line;
        double low, high;
        size_t wanted;
        const char *want;
    } rows[] = {
        {__LINE__, 0, 12, 5, "0 5 10 [s]"},
        {__LINE__, 0, 0.004, 4, "0 1 2 3 4 [ms]"},
        {__LINE__, 0, 2e-6, 4, "0.0 0.5 1.0 1.5 2.0 [\xC2\xB5s]"},
        {__LINE__, 0, 170, 4, "0 50 100 150 [s]"},
        {__LINE__, 0, 600, 5, "0 2 4 6 8 10 [min]"},
        {__LINE__, 0, 200, 8, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 [min]"},
        {__LINE__, 0, 3600, 4, "0 15 30 45 60 [min]"},
        {__LINE__, 0, 8 * 3600, 4, "0 2 4 6 8 [h]"},
        {__LINE__, 0, 24 * 3600, 8, "0 3 6 9 12 15 18 21 24 [h]"},
        {__LINE__, 0, 10 * 86400, 5, "0 2 4 6 8 10 [d]"},
        {__LINE__, 0, 4 * 86400, 8, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0 [d]"},
        {__LINE__, 0, 1000.0 * 86400, 5, "0 200 400 600 800 1000 [d]"},
        {__LINE__, -1.5, 12, 5, "0 5 10 [s]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_ticks ticks;
        tap_line = rows[i].line;
        wtl_ticks_time(&ticks, rows[i].low, rows[i].high, rows[i].wanted);
        is_str(shown(&ticks), rows[i].want, "%g to %g s", rows[i].low, rows[i].high);
        is_double(ticks.low, rows[i].low, 0, "time is not widened");
    }
    tap_line = 0;
}

int main(void)
{
    test_numbers();
    test_time();
    return done_testing();
}
