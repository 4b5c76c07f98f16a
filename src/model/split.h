/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Split: how much of a step's energy (profile.h) belongs to the time inside of something, a region
 * or a window, whose borders lie within the step.
 *
 * The power just inside a border is taken from the neighbouring step when that lies wholly inside,
 * the power outside likewise; the step's own energy is known, so what the two predict too much or
 * too little is dealt out by how well each is known. The step before and after thus split the tick.
 * A neighbour speaks for the stretch that it touches, up to the next mark of any region, and not for much longer than
 * it is itself. What lies between, as other visits in the same step do, is the middle: of its energy anything may be
 * inside that its time there allows for.
 */
#ifndef WTL_MODEL_SPLIT_H
#define WTL_MODEL_SPLIT_H

#include <stdbool.h>

#include "model/profile.h"

/* Time outside of a step some of whose energy may be of any time before. */
#define WTL_SPLIT_EVER_NS 1e18

/* A step with borders in it and its neighbours. The neighbours are NULL when they are not known or
 * have borders themselves. */
struct wtl_split_input {
    const struct wtl_step *step;
    const struct wtl_step *before, *before2; /* the step before, and the one before that */
    const struct wtl_step *after, *after2;
    bool before_mixed, after_mixed;  /* others have borders in it, or in the one beyond it */
    bool begins_inside, ends_inside; /* at the ends of the step */
    double first_ns, last_ns; /* from its begin to the first border, the last border to its end */
    double first_apart_ns,
        last_apart_ns; /* of these, what borders of others part from the end of the step */
    double inside_ns;  /* in all */
    double
        restless; /* mean squared relative jump of the power per step, away from borders; where the
                        ends of steps are no ticks, with what so few of them may not have shown */
    double mixed; /* the same where there are borders of any */
    double power; /* the greatest that is allowed for, J per ns; 0 = not known */
    bool
        slow; /* a counter that ticks slowly (bound.h): of a border only the ticks on both sides are certain */
    double before_j,
        after_j; /* of such a one: of the steps before and after, where a border may lie in these */
    double unit_j; /* of a counter: by so much what is shown is cut */
};

struct wtl_split {
    double energy_j;    /* inside, but for the middle */
    double variance_j2; /* of it, by jitter, scatter of the power and rounding: independent from one
                           step to the next */
    double middle_j; /* energy of which any part may be inside: not independent from step to step */
    double middle_in_ns, middle_out_ns; /* time that it may have been drawn in, inside and not */
    double bias_j;                      /* half width of what has the same sign in each repeat */
    double phase_j;   /* its shift, signed, when all knots are late by their common sd */
    double excess_j;  /* signed shift that a wrong idea of the power at the border would make */
    double excess_j2; /* the variance of that when the idea is right */
};

void wtl_split(const struct wtl_split_input *input, struct wtl_split *ret_split);

/* Sums over steps. */
struct wtl_split_sum {
    double energy_j, variance_j2, bias_j, phase_j;
    double middle_j, middle_in_ns, middle_out_ns;
    double excess_j[2], excess_j2[2]; /* of borders inwards, outwards */
    double
        most_j; /* half width that the energies of the steps themselves allow, the middle apart */
    double test, tests; /* squared residuals over their expected value, and their number */
    double least_j2;    /* of counters that tick slowly: squares of the least half widths */
};

void wtl_split_add(struct wtl_split_sum *sum, const struct wtl_split_input *input);

/* The sum's energy inside and its half width, 95 %; power: the greatest that is allowed for, J per ns, or
 * INFINITY. */
void wtl_split_energy(const struct wtl_split_sum *sum,
                      double power,
                      double *ret_energy_j,
                      double *ret_half_j);

/* Of a counter that ticks slowly: no half width is less, whatever else is certain. */
double wtl_split_least_half(const struct wtl_split_sum *sum);

#endif
