/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Split: how much of a step's energy (profile.h) belongs to the time inside something, a region or a window,
 * whose borders are within the step.
 *
 * The power just inside a border is taken from the neighbouring step if that is entirely inside, and likewise
 * the power outside; the step's own energy is known, so the difference from the two predictions is
 * distributed according to their accuracy. The steps before and after thus divide the tick. A neighbour is
 * valid for the part of the step that it touches, up to the next mark of any region, and not for much longer
 * than its own length. The part in between, as with other visits in the same step, is the middle: any amount
 * of its energy may be inside that the time inside allows.
 */
#ifndef WTL_MODEL_SPLIT_H
#define WTL_MODEL_SPLIT_H

#include <stdbool.h>

#include "model/profile.h"

/* Used as the time outside for a step whose energy may partly be of any earlier time. */
#define WTL_SPLIT_EVER_NS 1e18

/* A step that contains borders, and its neighbours. The neighbours are NULL if they are unknown or contain
 * borders themselves. */
struct wtl_split_input {
    const struct wtl_step *step;
    const struct wtl_step *before, *before2; /* the previous step, and the one before that */
    const struct wtl_step *after, *after2;
    bool before_mixed, after_mixed;  /* other regions have borders in it, or in the next one
                                        beyond */
    bool begins_inside, ends_inside; /* state at the ends of the step */
    double first_ns, last_ns; /* from its begin to the first border, from the last border to its
                                 end */
    double first_apart_ns, last_apart_ns; /* part of these that borders of other regions separate
                                             from the end of the step */
    double inside_ns;                     /* total */
    double restless; /* mean squared relative change of the power per step, away from borders; if
                        the ends of steps are not ticks, including what so few steps may not have
                        shown */
    double mixed;    /* the same where there are borders of any region */
    /* Mean squared changes in J per ns, since a relative one says little of a low power; the larger one counts. */
    double mixed_p2;
    double unmarked_p2; /* between steps without borders; 0 for steps whose ends are ticks */
    double
        unseen; /* part of these that may have had a change of any size which so few did not show */
    double power; /* maximum power assumed, J per ns; 0 = unknown */
    bool slow;    /* a counter that ticks slowly (bound.h): only the ticks on both sides of a border
                  are certain */
    double before_j, after_j; /* for such a counter: energy of the steps before and after, if a
                                 border may be in these */
    double unit_j;            /* for a counter: resolution of the displayed value */
};

struct wtl_split {
    double energy_j;    /* inside, without the middle */
    double variance_j2; /* of energy_j, from jitter, scatter of the power and rounding:
                           independent between steps */
    double middle_j;    /* energy of which any part may be inside: not independent between steps */
    double middle_in_ns, middle_out_ns; /* time in which it may have been drawn, inside and
                                           outside */
    double bias_j;                      /* half width of the error that has the same sign in each
                                           repetition */
    double phase_j;   /* its signed shift when all knots are late by their common sd */
    double excess_j;  /* signed shift that a wrong assumption about the power at the border would
                         cause */
    double excess_j2; /* its variance if the assumption is correct */
    double
        beyond_j; /* if only the power outside is known: what the inside has beyond it. It may be of a burst outside, for which
                         there is no mark */
};

void wtl_split(const struct wtl_split_input *input, struct wtl_split *ret_split);

/* Sums over steps. */
struct wtl_split_sum {
    double energy_j, variance_j2, bias_j, phase_j;
    double middle_j, middle_in_ns, middle_out_ns;
    double excess_j[2], excess_j2[2]; /* of borders entering, leaving */
    double most_j;      /* half width permitted by the energies of the steps themselves, without
                           the middle */
    double test, tests; /* squared residuals relative to their expected value, and their number */
    double least_j2;    /* for slowly ticking counters: squares of the minimum half widths */
    double beyond_j;
    unsigned beyond; /* number of steps that have some of it */
    double before_ns,
        after_ns; /* least time outside of such a step before the inside, and after it */
};

void wtl_split_add(struct wtl_split_sum *sum, const struct wtl_split_input *input);

/* The sum's energy inside and its half width, 95 %; power: the maximum power assumed, J per ns, or INFINITY. */
void wtl_split_energy(const struct wtl_split_sum *sum,
                      double power,
                      double *ret_energy_j,
                      double *ret_half_j);

/* For a counter that ticks slowly: lower bound of the half width, whatever else is known. */
double wtl_split_least_half(const struct wtl_split_sum *sum);

#endif
