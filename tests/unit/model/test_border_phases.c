/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter of constant power, over all phases of its ticks at the start and at the end: however a border is found, from
 * ticks or from samples, the mean error is none, so that repeated runs average to the truth.
 */
#include <math.h>

#include "model/tally/tally.h"
#include "tap.h"

enum { PHASES = 40 };

static const double MS = 1e6, WATTS = 100, START_NS = 1e11, UNIT_J = 1.0 / 16384;

enum polls { NONE, BEFORE, BEHIND, BOTH };

/* How it is read: when before the start, how often, when after the end, with polls for ticks on which side. */
static const struct row {
    int line;
    const char *name;
    double tick_ms, ahead_ms, every_ms, behind_ms;
    enum polls polls;
} rows[] = {
    {__LINE__, "a GPU", 20, 0.02, 100, 0.02, NONE},
    {__LINE__, "a GPU, prepared early", 20, 6, 100, 0.02, NONE},
    {__LINE__, "a GPU, read late", 20, 6, 100, 3, NONE},
    {__LINE__, "a GPU at 50 Hz", 20, 6, 20, 0.02, NONE},
    {__LINE__, "a GPU each second", 20, 60, 1000, 3, NONE},
    {__LINE__, "a BMC", 100, 0.02, 100, 0.02, NONE},
    {__LINE__, "a BMC, read late", 100, 6, 100, 15, NONE},
    {__LINE__, "a BMC each second", 100, 60, 1000, 15, NONE},
    {__LINE__, "a package by its ticks", 0.976, 6, 100, 0.02, BOTH},
    {__LINE__, "a package, ticks before", 0.976, 6, 100, 0.02, BEFORE},
    {__LINE__, "a package, ticks behind", 0.976, 0.02, 100, 0.02, BEHIND},
    {__LINE__, "a package without polls", 0.976, 0.02, 100, 0.02, NONE},
    {__LINE__, "a package at 1 kHz", 0.976, 0.02, 1, 0.02, NONE},
};

struct world {
    double tick_ns, phase_ns;
    struct wtl_tally tally;
};

static double last_tick(const struct world *w, double t_ns)
{
    return floor((t_ns - w->phase_ns) / w->tick_ns) * w->tick_ns + w->phase_ns;
}

static void sample(struct world *w, double t_ns, bool edge)
{
    uint64_t units = (uint64_t)(last_tick(w, t_ns) * 1e-9 * WATTS / UNIT_J);
    wtl_tally_sample(&w->tally, (uint64_t)t_ns, units, edge);
}

/* Three ticks from a time on. */
static void poll(struct world *w, double from_ns)
{
    double tick_ns = last_tick(w, from_ns);
    for (int i = 1; i <= 3; i++) {
        sample(w, tick_ns + i * w->tick_ns - 1000, true);
        sample(w, tick_ns + i * w->tick_ns + 1000, true);
    }
}

static struct wtl_summary measure(const struct row *row, double phase, double end_ns)
{
    struct wattle_channel channel = {.name = "test:counter",
                                     .domain = WATTLE_DOMAIN_GPU,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = UNIT_J,
                                     .refresh_ns = (uint64_t)(row->tick_ms * MS)};
    struct world w = {.tick_ns = row->tick_ms * MS, .phase_ns = phase * row->tick_ms * MS};
    struct wtl_summary summary;
    bool before = row->polls == BEFORE || row->polls == BOTH;
    wtl_tally_init(&w.tally, &channel);
    sample(&w, START_NS - row->ahead_ms * MS - 4 * w.tick_ns, false);
    if (before)
        poll(&w, START_NS - 4 * w.tick_ns);
    else
        sample(&w, START_NS - row->ahead_ms * MS, false);
    wtl_tally_begin(&w.tally, (uint64_t)START_NS);
    for (double t = START_NS + row->every_ms * MS; t < end_ns; t += row->every_ms * MS)
        sample(&w, t, false);
    wtl_tally_end(&w.tally, (uint64_t)end_ns);
    double behind_ns = end_ns + row->behind_ms * MS;
    if (row->polls == BEHIND || row->polls == BOTH) {
        poll(&w, end_ns + 3000);
        behind_ns += 4 * w.tick_ns;
    }
    sample(&w, behind_ns, false);
    wtl_tally_summary(&w.tally, &summary);
    return summary;
}

static void test_row(const struct row *row)
{
    double tick_j = WATTS * row->tick_ms * 1e-3, sum_j = 0;
    double length_ms = row->every_ms < 1000 ? 1003 : 3007;
    unsigned outside = 0;
    for (int i = 0; i < PHASES; i++) {
        for (int j = 0; j < PHASES; j++) {
            double end_ns = START_NS + length_ms * MS + row->tick_ms * MS * (j + 0.5) / PHASES;
            struct wtl_summary s = measure(row, (i + 0.5) / PHASES, end_ns);
            double off_j = s.amount - WATTS * (end_ns - START_NS) * 1e-9;
            sum_j += off_j;
            outside += fabs(off_j) > s.amount_half + UNIT_J;
        }
    }
    double mean = sum_j / (PHASES * PHASES) / tick_j;
    tap_line = row->line;
    ok(fabs(mean) < (row->polls == BOTH ? 0.001 : 0.02), "%s: %.4f ticks off on average", row->name,
       mean);
    is_int((long)outside, 0, "%s: each in its interval", row->name);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(&rows[i]);
    return done_testing();
}
