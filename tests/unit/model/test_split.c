/* SPDX-License-Identifier: BSD-3-Clause */
/* The split of a step whose true parts are known. Times in ns, energies in J; ticks of 1 ms. */
#include <math.h>

#include "model/split.h"
#include "tap.h"

#define TICK 1000000u

static struct wtl_step step_of(unsigned number, double energy)
{
    return (struct wtl_step){.begin_ns = number * TICK,
                             .end_ns = (number + 1) * TICK,
                             .energy_j = energy,
                             .begin_sd_ns = 10e3f,
                             .end_sd_ns = 10e3f,
                             .common_sd_ns = 5e3f,
                             .flags = WTL_STEP_GRID};
}

/* A step of 100 ms between others of 100 ms at 40 W. Four pieces of it: 40 W outside, then visits
 * of 10 ms to two regions and the time between them. Each one is limited by what the other and the
 * pause in between may take. */
static void check_others(void)
{
    struct wtl_step before = {0, 100 * TICK, 4, 10e3f, 10e3f, 0, 0, 0};
    struct wtl_step step = {100 * TICK, 200 * TICK, 4 - 3 * 0.4 + 0.7, 10e3f, 10e3f, 0, 0, 0};
    struct wtl_step after = {200 * TICK, 300 * TICK, 4, 10e3f, 10e3f, 0, 0, 0};
    struct wtl_split_input one = {.step = &step,
                                  .before = &before,
                                  .after = &after,
                                  .first_ns = 20e6,
                                  .last_ns = 70e6,
                                  .last_apart_ns = 20e6,
                                  .inside_ns = 10e6,
                                  .power = 120e-9};
    struct wtl_split_sum sum = {0};
    double energy, half;

    wtl_split_add(&sum, &one);
    wtl_split_energy(&sum, 120e-9, &energy, &half);
    ok(energy - half <= 1e-3 && energy + half >= 0.699, "all or nothing: %.3f +- %.3f J", energy,
       half);
    ok(half < 0.5, "but no more than what the step has beside the outside: +- %.3f J", half);
    wtl_split_energy(&sum, 60e-9, &energy, &half);
    ok(energy + half <= 0.6 + 0.1, "nor than the greatest power allows for: %.3f +- %.3f J", energy,
       half);
    wtl_split_add(&sum, &one);
    double twice, twice_half;

    wtl_split_energy(&sum, 60e-9, &twice, &twice_half);
    is_double(twice_half, 2 * half, 0.06, "what nobody saw does not average away");
    one.last_apart_ns = 0; /* both together are known: they are everything that is not outside */
    one.last_ns = 50e6;
    one.inside_ns = 30e6;
    sum = (struct wtl_split_sum){0};
    wtl_split_add(&sum, &one);
    wtl_split_energy(&sum, 120e-9, &energy, &half);
    is_double(energy, 0.7, 0.01, "together they have the rest");
    ok(half < 0.15, "and it is known: +- %.3f J", half);
}

/* A step of 1 ms says little about a stretch of 50 ms. */
static void check_far(void)
{
    struct wtl_step before = step_of(99, 0.04);
    struct wtl_step step = {100 * TICK, 200 * TICK, 10, 10e3f, 10e3f, 0, 0, 0};
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .ends_inside = true,
                                    .first_ns = 50e6,
                                    .last_ns = 50e6,
                                    .inside_ns = 50e6,
                                    .power = 150e-9};
    struct wtl_split_sum sum = {0};
    double energy, half;

    before.flags = 0;
    wtl_split_add(&sum, &input);
    wtl_split_energy(&sum, 150e-9, &energy, &half);
    ok(energy - half < 2.8 && energy + half > 7.4, "a short neighbour: %.2f +- %.2f J", energy,
       half);
}

static double half_width(const struct wtl_split_sum *sum)
{
    double energy_j, half_j;

    wtl_split_energy(sum, INFINITY, &energy_j, &half_j);
    return half_j;
}

static const struct row {
    int line;
    const char *what;
    double before_w, after_w; /* power of the neighbours; 0 = they do not help */
    bool begins_inside, ends_inside;
    double first_ns, last_ns, inside_ns;
    double energy_j; /* energy of the step */
    double want_j;
    double half_max; /* maximum half width */
    double half_min;
} rows[] = {
    {__LINE__, "in at the middle", 50, 150, false, true, 5e5, 5e5, 5e5, 0.1, 0.075, 0.01, 1e-4},
    {__LINE__, "out at the middle", 150, 50, true, false, 5e5, 5e5, 5e5, 0.1, 0.075, 0.01, 1e-4},
    {__LINE__, "in late", 50, 150, false, true, 9e5, 1e5, 1e5, 0.06, 0.015, 0.01, 1e-4},
    {__LINE__, "no change of power", 80, 80, false, true, 3e5, 7e5, 7e5, 0.08, 0.056, 0.005, 1e-4},
    {__LINE__, "a short visit", 50, 50, false, false, 4e5, 4e5, 2e5, 0.08, 0.04, 0.015, 1e-4},
    {__LINE__, "a short pause", 150, 150, true, true, 4e5, 4e5, 8e5, 0.13, 0.12, 0.02, 1e-4},
    {__LINE__, "only before is known", 50, 0, false, true, 5e5, 5e5, 5e5, 0.1, 0.075, 0.01, 1e-4},
    {__LINE__, "only after is known", 0, 150, false, true, 5e5, 5e5, 5e5, 0.1, 0.075, 0.01, 1e-4},
    {__LINE__, "nothing is known", 0, 0, false, false, 1e5, 1e5, 2.5e5, 0.1, 0.05, 0.051, 0.049},
    /* the power came 200 us late: the tick has 20 mJ less, the inside pays */
    {__LINE__, "late power", 50, 150, false, true, 5e5, 5e5, 5e5, 0.08, 0.055, 0.025, 0.005},
    /* it was there 200 us early: the outside had more */
    {__LINE__, "early power", 50, 150, false, true, 5e5, 5e5, 5e5, 0.12, 0.075, 0.025, 0.005},
};

static void check(const struct row *row)
{
    struct wtl_step before2 = step_of(0, row->before_w * 1e-3);
    struct wtl_step before = step_of(1, row->before_w * 1e-3);
    struct wtl_step step = step_of(2, row->energy_j);
    struct wtl_step after = step_of(3, row->after_w * 1e-3);
    struct wtl_step after2 = step_of(4, row->after_w * 1e-3);
    struct wtl_split_input input = {.step = &step,
                                    .before = row->before_w > 0 ? &before : NULL,
                                    .before2 = row->before_w > 0 ? &before2 : NULL,
                                    .after = row->after_w > 0 ? &after : NULL,
                                    .after2 = row->after_w > 0 ? &after2 : NULL,
                                    .begins_inside = row->begins_inside,
                                    .ends_inside = row->ends_inside,
                                    .first_ns = row->first_ns,
                                    .last_ns = row->last_ns,
                                    .inside_ns = row->inside_ns};
    struct wtl_split_sum sum = {0};

    wtl_split_add(&sum, &input);
    double energy, half;

    wtl_split_energy(&sum, INFINITY, &energy, &half);
    is_double(energy, row->want_j, 0.0021, "%s: energy", row->what);
    ok(fabs(energy - row->want_j) <= half, "%s: interval holds it", row->what);
    ok(half <= row->half_max && half >= row->half_min, "%s: half width %.5f J", row->what, half);
}

/* Independent errors grow with the square root of the number, systematic ones with the number. */
static void check_sums(void)
{
    struct wtl_step before = step_of(1, 0.08), step = step_of(2, 0.08), after = step_of(3, 0.08);
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .after = &after,
                                    .ends_inside = true,
                                    .first_ns = 5e5,
                                    .last_ns = 5e5,
                                    .inside_ns = 5e5};
    struct wtl_split_sum one = {0}, many = {0}, signs = {0};

    step.common_sd_ns = 0;
    wtl_split_add(&one, &input);
    for (int i = 0; i < 100; i++)
        wtl_split_add(&many, &input);
    is_double(half_width(&many) / half_width(&one), 10, 0.5, "100 ticks: 10 times as wide");
    step.energy_j = 0.07; /* each time 10 mJ less than the neighbours suggest */
    for (int i = 0; i < 100; i++)
        wtl_split_add(&signs, &input);
    ok(half_width(&signs) > 0.3, "what is missing each time does not average away: %.3f J",
       half_width(&signs));
}

/* A drift of the power widens the interval; a gap yields nothing. */
static void check_doubt(void)
{
    struct wtl_step before2 = step_of(0, 0.02), before = step_of(1, 0.05);
    struct wtl_step step = step_of(2, 0.1), after = step_of(3, 0.15), after2 = step_of(4, 0.15);
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .after = &after,
                                    .after2 = &after2,
                                    .ends_inside = true,
                                    .first_ns = 5e5,
                                    .last_ns = 5e5,
                                    .inside_ns = 5e5};
    struct wtl_split steady, drifting, gap;

    wtl_split(&input, &steady);
    input.before2 = &before2;
    wtl_split(&input, &drifting);
    ok(drifting.variance_j2 > steady.variance_j2, "a drift widens the interval");
    step.flags |= WTL_STEP_GAP;
    wtl_split(&input, &gap);
    is_double(gap.middle_j, 0.1, 1e-9, "in a gap the energy may be anywhere");
}

/* A late sample gives a step of high power next to one of little energy. */
static void check_bound(void)
{
    struct wtl_step before = step_of(0, 20), step = step_of(1, 0.001), after = step_of(2, 0.08);
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .after = &after,
                                    .ends_inside = true,
                                    .first_ns = 5e5,
                                    .last_ns = 5e5,
                                    .inside_ns = 5e5};
    struct wtl_split_sum sum = {0};

    wtl_split_add(&sum, &input);
    ok(sum.variance_j2 > 1, "the neighbours say nothing");
    ok(half_width(&sum) <= 0.001, "no wider than the energy of the step");
    wtl_split_add(&sum, &input);
    ok(half_width(&sum) <= 0.002, "nor of two such steps");
}

/* A region begins in a long step: samples were missed. The power rose 0.27 ms before the mark, and
 * the model after it has learned that step as scatter: the interval must contain the truth
 * nevertheless. */
static void check_learned(void)
{
    struct wtl_step before = {0, TICK, 52e-3, 19e3f, 19e3f, 0, 0.009f, WTL_STEP_GRID};
    struct wtl_step step = {TICK,   4 * TICK,     52e-3 * 0.9 + 162e-3 * 2.1, 19e3f, 19e3f, 0,
                            0.009f, WTL_STEP_GRID};
    struct wtl_step after = {4 * TICK, 5 * TICK, 162e-3, 19e3f, 19e3f, 0, 0.053f, WTL_STEP_GRID};
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .after = &after,
                                    .ends_inside = true,
                                    .first_ns = 1.17e6,
                                    .last_ns = 1.83e6,
                                    .inside_ns = 1.83e6};
    struct wtl_split_sum sum = {0};
    double truth = 162e-3 * 1.83;

    wtl_split_add(&sum, &input);
    ok(fabs(sum.energy_j - truth) <= half_width(&sum), "learned: %.4f +- %.4f J holds %.4f",
       sum.energy_j, half_width(&sum), truth);
}

/* The power rose in the step before that of the mark: it may already be at the new level. */
static void check_early(void)
{
    struct wtl_step before2 = step_of(0, 0.052), before = step_of(1, 0.0636);
    struct wtl_step step = step_of(2, 0.162), after = step_of(3, 0.162), after2 = step_of(4, 0.162);
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .before2 = &before2,
                                    .after = &after,
                                    .after2 = &after2,
                                    .ends_inside = true,
                                    .first_ns = 1.5e5,
                                    .last_ns = 8.5e5,
                                    .inside_ns = 8.5e5};
    struct wtl_split_sum sum = {0};
    double truth = 162e-3 * 0.85;

    wtl_split_add(&sum, &input);
    ok(fabs(sum.energy_j - truth) <= half_width(&sum), "early: %.4f +- %.4f J holds %.4f",
       sum.energy_j, half_width(&sum), truth);
}

/* Without a grid a step may show no energy, since its ends are known only to a tick. */
static void check_empty(void)
{
    struct wtl_step before = step_of(0, 0.05), step = step_of(1, 0), after = step_of(2, 0.05);
    struct wtl_split_input input = {.step = &step,
                                    .before = &before,
                                    .after = &after,
                                    .ends_inside = true,
                                    .first_ns = 5e5,
                                    .last_ns = 5e5,
                                    .inside_ns = 5e5};
    struct wtl_split_sum sum = {0};

    before.flags = step.flags = after.flags = 0;
    step.begin_sd_ns = step.end_sd_ns = 282e3f;
    wtl_split_add(&sum, &input);
    ok(half_width(&sum) > 0.01, "empty: +- %.4f J", half_width(&sum));
}

int main(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_line = rows[i].line;
        check(&rows[i]);
    }
    tap_line = 0;
    check_sums();
    check_doubt();
    check_bound();
    check_learned();
    check_early();
    check_empty();
    check_others();
    check_far();
    return done_testing();
}
