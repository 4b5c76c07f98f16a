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

static const struct row {
    int line;
    const char *what;
    double before_w, after_w; /* of the neighbours; 0 = they do not help */
    bool begins_inside, ends_inside;
    double first_ns, last_ns, inside_ns;
    double energy_j; /* of the step */
    double want_j;
    double half_max; /* of the half width */
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
    {__LINE__, "nothing is known", 0, 0, false, false, 1e5, 1e5, 2.5e5, 0.1, 0.025, 0.076, 0.074},
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
    double half = wtl_split_half_width(&sum);

    is_double(sum.energy_j, row->want_j, 0.0021, "%s: energy", row->what);
    ok(fabs(sum.energy_j - row->want_j) <= half, "%s: interval holds it", row->what);
    ok(half <= row->half_max && half >= row->half_min, "%s: half width %.5f J", row->what, half);
}

/* Independent errors grow by the root, what has a sign with the number. */
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
    is_double(wtl_split_half_width(&many) / wtl_split_half_width(&one), 10, 0.5,
              "100 ticks: 10 times as wide");
    step.energy_j = 0.07; /* each time 10 mJ less than its neighbours say */
    for (int i = 0; i < 100; i++)
        wtl_split_add(&signs, &input);
    ok(wtl_split_half_width(&signs) > 0.3,
       "what is missing each time does not average away: %.3f J", wtl_split_half_width(&signs));
}

/* A drift of the power widens; a gap gives nothing away. */
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
    is_double(gap.swing_j, 0.05, 1e-9, "in a gap the energy may be anywhere");
}

/* A sample that was late makes a step of high power beside one of little energy. */
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
    ok(wtl_split_half_width(&sum) <= 0.001, "no wider than the energy of the step");
    wtl_split_add(&sum, &input);
    ok(wtl_split_half_width(&sum) <= 0.002, "nor of two such steps");
}

/* A region begins in a long step: samples were missed. The power rose 0.27 ms before the mark, and what comes behind
 * has learned that step as scatter: the interval must hold the truth nevertheless. */
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
    ok(fabs(sum.energy_j - truth) <= wtl_split_half_width(&sum),
       "learned: %.4f +- %.4f J holds %.4f", sum.energy_j, wtl_split_half_width(&sum), truth);
}

/* The power rose in the step before that of the mark: it may be there already. */
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
    ok(fabs(sum.energy_j - truth) <= wtl_split_half_width(&sum), "early: %.4f +- %.4f J holds %.4f",
       sum.energy_j, wtl_split_half_width(&sum), truth);
}

/* Without a grid a step may show no energy, since its ends are known to a tick only. */
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
    ok(wtl_split_half_width(&sum) > 0.01, "empty: +- %.4f J", wtl_split_half_width(&sum));
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
    return done_testing();
}
