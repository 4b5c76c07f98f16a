/* SPDX-License-Identifier: BSD-3-Clause */
/* The normal distribution and Student's t, as far as intervals and tests over runs need them. */
#ifndef WTL_MODEL_STUDENT_H
#define WTL_MODEL_STUDENT_H

/* Probability below x; x with that probability below it. NaN unless 0 < p < 1. */
double wtl_normal_probability(double x);
double wtl_normal_quantile(double p);

/* The same for Student's t with df > 0 degrees of freedom, which need not be an integer; else NaN. */
double wtl_student_probability(double t, double df);
double wtl_student_quantile(double p, double df);

/* Probability of a value at least as far from 0 as t, on either side: the p value of a two-sided test. */
double wtl_student_two_sided(double t, double df);

#endif
