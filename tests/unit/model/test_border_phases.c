/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters over all phases of their ticks at the start and at the end. At constant power the mean error is none, however a
 * border is found, from ticks or from samples: repeated runs average to the truth. Where the power changes with the window or
 * shortly after its start, the error is not above that of two plain reads, one before the start and one after the end.
 */
#include <math.h>

#include "model/tally/tally.h"
#include "tap.h"

enum { PHASES = 40 };

#define WATTS 100.0

static const double MS = 1e6, START_NS = 1e11, UNIT_J = 1.0 / 16384;

enum polls { NONE, BEFORE, BEHIND, BOTH };

/* How it is read: when before the start, how often, when after the end, with polls for ticks on which side. */
static const struct row {
    int line;
    const char *name;
    double tick_ms, ahead_ms, every_ms, behind_ms;
    enum polls polls;
    bool looks; /* and often just after the start */
} rows[] = {
    {__LINE__, "a GPU", 20, 0.02, 100, 0.02, NONE, false},
    {__LINE__, "a GPU, prepared early", 20, 6, 100, 0.02, NONE, false},
    {__LINE__, "a GPU, read late", 20, 6, 100, 3, NONE, false},
    {__LINE__, "a GPU at 50 Hz", 20, 6, 20, 0.02, NONE, false},
    {__LINE__, "a GPU each second", 20, 60, 1000, 3, NONE, false},
    {__LINE__, "a GPU with looks", 20, 6, 100, 0.02, NONE, true},
    {__LINE__, "a BMC", 100, 0.02, 100, 0.02, NONE, false},
    {__LINE__, "a BMC, read late", 100, 6, 100, 15, NONE, false},
    {__LINE__, "a BMC each second", 100, 60, 1000, 15, NONE, false},
    {__LINE__, "a package by its ticks", 0.976, 6, 100, 0.02, BOTH, false},
    {__LINE__, "a package, ticks before", 0.976, 6, 100, 0.02, BEFORE, false},
    {__LINE__, "a package, ticks behind", 0.976, 0.02, 100, 0.02, BEHIND, false},
    {__LINE__, "a package without polls", 0.976, 0.02, 100, 0.02, NONE, false},
    {__LINE__, "a package at 1 kHz", 0.976, 0.02, 1, 0.02, NONE, false},
};

/* Power that depends on the time since the start: idle, but busy up to some time. Constant if both are the same. */
struct course {
    double idle_w, busy_w, busy_ms;
    bool before; /* busy also before the start */
};

static const struct course constant = {WATTS, WATTS, 0, false};

struct world {
    struct course course;
    double tick_ns, phase_ns;
    struct wtl_tally tally;
};

static double energy_j(const struct course *course, double t_ns)
{
    double busy_ns = fmin(t_ns - START_NS, course->busy_ms * MS);
    if (!course->before)
        busy_ns = fmax(busy_ns, 0);
    return (course->idle_w * t_ns + (course->busy_w - course->idle_w) * busy_ns) * 1e-9;
}

static double last_tick(const struct world *w, double t_ns)
{
    return floor((t_ns - w->phase_ns) / w->tick_ns) * w->tick_ns + w->phase_ns;
}

static void sample(struct world *w, double t_ns, bool edge)
{
    uint64_t units = (uint64_t)(energy_j(&w->course, last_tick(w, t_ns)) / UNIT_J);
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

static struct wtl_summary measure(const struct row *row,
                                  const struct course *course,
                                  double phase,
                                  double end_ns)
{
    struct wattle_channel channel = {.name = "test:counter",
                                     .domain = WATTLE_DOMAIN_GPU,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = UNIT_J,
                                     .refresh_ns = (uint64_t)(row->tick_ms * MS)};
    struct world w = {
        .course = *course, .tick_ns = row->tick_ms * MS, .phase_ns = phase * row->tick_ms * MS};
    struct wtl_summary summary;
    bool before = row->polls == BEFORE || row->polls == BOTH;
    wtl_tally_init(&w.tally, &channel);
    sample(&w, START_NS - row->ahead_ms * MS - 4 * w.tick_ns, false);
    if (before)
        poll(&w, START_NS - 4 * w.tick_ns);
    else
        sample(&w, START_NS - row->ahead_ms * MS, false);
    wtl_tally_begin(&w.tally, (uint64_t)START_NS);
    for (unsigned i = 0; row->looks && i < 28; i++)
        sample(&w, START_NS + 200000 + i * w.tick_ns / 12, true);
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
            struct wtl_summary s = measure(row, &constant, (i + 0.5) / PHASES, end_ns);
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

/* The error of two plain reads: each shows the last tick. */
static double plain_off_j(const struct row *row,
                          const struct course *course,
                          double phase,
                          double end_ns)
{
    struct world w = {.tick_ns = row->tick_ms * MS, .phase_ns = phase * row->tick_ms * MS};
    double from_j = energy_j(course, last_tick(&w, START_NS - row->ahead_ms * MS));
    double to_j = energy_j(course, last_tick(&w, end_ns + row->behind_ms * MS));
    return to_j - from_j - (energy_j(course, end_ns) - energy_j(course, START_NS));
}

/* How a GPU and a BMC are read, and what their programs do. */
static const struct change {
    int line;
    const char *name;
    struct row row;
    struct course course;
    double length_ms;
} changes[] = {
    {__LINE__,
     "a GPU, busy for 0.3 s of 1 s",
     {0, "", 20, 6, 100, 0.3, NONE, true},
     {55, 400, 300, false},
     1003},
    {__LINE__,
     "the same, read just before",
     {0, "", 20, 0.1, 100, 0.3, NONE, true},
     {55, 400, 300, false},
     1003},
    {__LINE__,
     "the same at 50 Hz",
     {0, "", 20, 6, 20, 0.3, NONE, true},
     {55, 400, 300, false},
     1003},
    {__LINE__,
     "a GPU, busy for 0.05 s of 0.17 s",
     {0, "", 20, 6, 100, 0.3, NONE, true},
     {55, 400, 50, false},
     173},
    {__LINE__,
     "a GPU, busy throughout",
     {0, "", 20, 6, 100, 0.3, NONE, true},
     {55, 400, 1100, true},
     1003},
    {__LINE__,
     "a GPU, busy already and for 0.3 s",
     {0, "", 20, 6, 100, 0.3, NONE, true},
     {55, 400, 300, true},
     1003},
    {__LINE__,
     "a BMC, busy for 1 s of 3 s",
     {0, "", 100, 6, 100, 15, NONE, true},
     {55, 400, 1000, false},
     3003},
};

static void test_change(const struct change *change)
{
    const struct row *row = &change->row;
    double square = 0, plain = 0, mean = 0;
    unsigned within = 0, outside = 0;
    for (int i = 0; i < PHASES; i++) {
        for (int j = 0; j < PHASES; j++) {
            double phase = (i + 0.5) / PHASES;
            double end_ns =
                START_NS + change->length_ms * MS + row->tick_ms * MS * (j + 0.5) / PHASES;
            struct wtl_summary s = measure(row, &change->course, phase, end_ns);
            double truth_j =
                energy_j(&change->course, end_ns) - energy_j(&change->course, START_NS);
            double off_j = s.amount - truth_j;
            square += off_j * off_j;
            mean += off_j;
            plain += pow(plain_off_j(row, &change->course, phase, end_ns), 2);
            within += fabs(off_j) <= s.amount_half + UNIT_J;
            outside += fabs(off_j) > 3 * s.amount_half + UNIT_J;
        }
    }
    double n = PHASES * PHASES;
    tap_line = change->line;
    ok(sqrt(square / n) <= sqrt(plain / n),
       "%s: %.2f J off (rms), %.2f J on average; two plain reads %.2f J", change->name,
       sqrt(square / n), mean / n, sqrt(plain / n));
    ok(within >= 0.93 * n, "%s: %.1f %% in their intervals", change->name, 100 * within / n);
    is_int((long)outside, 0, "%s: none is beyond three half widths", change->name);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_row(&rows[i]);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        test_change(&changes[i]);
    return done_testing();
}
