/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies in the tables of jobs: a bound is true of the whole interval, and an unknown interval is not a negligible one. */
#include <math.h>

#include "cli/jobs/jobs_items.h"
#include "tap.h"

static void energies(void)
{
    static const struct {
        double j, half_j;
        bool lower;
        const char *text;
    } rows[] = {
        {420, 390, false, "420 J +- 390"},
        {420, 1, false, "420 J"},
        {420, 0, false, "420 J"},
        {NAN, NAN, false, "unknown"},
        {130, NAN, false, "130 J +- ?"},
        {130, NAN, true, "130 J +- ?, incomplete"},
        {181.534, 330, true, "at least 0 J"},
        {420, 390, true, "at least 30.0 J"},
        {1239, 5, true, "at least 1.23 kJ"},
        {1239, 0, true, "at least 1.23 kJ"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[WTL_JOBS_CELL];
        is_str(wtl_jobs_interval_cell(rows[i].j, rows[i].half_j, rows[i].lower, text, sizeof text),
               rows[i].text, "%g J +- %g", rows[i].j, rows[i].half_j);
    }
}

static void others(void)
{
    char text[WTL_JOBS_CELL];
    struct wtl_jobs_estimate estimate = {.j = 5.3, .half_j = NAN, .low_j = 2.1, .high_j = 31};
    is_str(wtl_jobs_estimate_cell(&estimate, text, sizeof text), "5 J (2..31) estimated",
           "an estimate");
    estimate.lower = true;
    is_str(wtl_jobs_estimate_cell(&estimate, text, sizeof text), "at least 2.1 J estimated",
           "of which a part is missing");
    is_str(wtl_jobs_kwh_cell(3.6e6, 1.8e6, true, text, sizeof text), "at least 0.500",
           "half a kWh at least");
    is_str(wtl_jobs_energy_cell(130, NAN, true, text, sizeof text), "at least 130 J",
           "of a sum no interval is told");
}

int main(void)
{
    energies();
    others();
    return done_testing();
}
