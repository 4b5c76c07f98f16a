/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequence: pairs of runs checked as they arrive. After each pair there is an interval that covers the
 * true ratio at all looks together with 95 %: the series may stop at any of them, for whatever reason, and
 * false alarms stay at 5 %. (Student's interval is valid for one look that was fixed before; checked
 * after each of two hundred pairs, it excludes 1 by chance in four cases out of ten.)
 *
 * The sequence is the t test's Bayes factor with Jeffreys' prior on the standard deviation and a
 * normal one, of mean 0 and variance g, on the true mean in standard deviations. Under any mean m
 * and any standard deviation it is a martingale that begins with 1, and by Ville's inequality ever
 * reaches 1/alpha with a probability of alpha at most:
 *   BF_n(m) = (1 + n g)^(-1/2) ((1 + t^2/(n-1)) / (1 + t^2/((n-1)(1 + n g))))^(n/2),
 *   t = (mean - m) sqrt(n) / sd.
 * The interval is all m that it has not reached, and has a closed form. Sources: M. Goenen, W. O.
 * Johnson, Y. Lu, P. H. Westfall, The Bayesian Two-Sample t Test, American Statistician 59 (2005), for
 * the factor; A. Hendriksen, R. de Heide, P. Gruenwald, Optional Stopping with Bayes Factors, Bayesian
 * Analysis 16 (2021), and H. Wang, A. Ramdas, Anytime-valid t-tests and confidence sequences for
 * Gaussian means with unknown variance, Sequential Analysis 44 (2025), for its use at any time.
 */
#ifndef WTL_ANALYSIS_SEQUENCE_H
#define WTL_ANALYSIS_SEQUENCE_H

#include <stddef.h>

#include "analysis/compare/comparison.h"

struct wtl_sequence {
    size_t n;
    double mean, squares; /* of the log ratios: their mean, and the squares around it, summed */
    double g;             /* set once, before the first pair */
    double alpha;
    double least_p;
};

/* planned: about how many pairs will be needed (10 or so when nothing is known). The interval is the
 * narrowest there, some 5 % wider at half or double of it, and valid in any case. alpha: 0.05; divided by
 * the number of quantities that decide together. Not to be chosen by the pairs themselves. */
struct wtl_sequence wtl_sequence_start(double planned, double alpha);

/* Add a pair: log(b / a), known. Must be added in the order in which they ran, all of them. */
void wtl_sequence_add(struct wtl_sequence *sequence, double log_ratio);

/* B / A with its interval; low and high are 0 and INFINITY until there is enough, NaN before the second
 * pair's variation is known. */
struct wtl_interval wtl_sequence_ratio(const struct wtl_sequence *sequence);

/* Standard deviation of the log ratios; NaN below two. */
double wtl_sequence_sd(const struct wtl_sequence *sequence);

/* p of ratio 1, valid at any look: at most alpha has ever been reached with probability alpha. */
double wtl_sequence_p(const struct wtl_sequence *sequence);

/*
 * How many more pairs until the question is answered, if mean and variation stay: the interval
 * either leaves 1 outside or lies within 1 / (1 + resolve) .. 1 + resolve. 0: it is, INFINITY: not
 * within a million, NaN: below two pairs.
 */
double wtl_sequence_more_pairs(const struct wtl_sequence *sequence, double resolve);

/* The same before the first pair: how many in all, from a noise floor (standard deviation of single
 * runs' logarithms; a pair's ratio has sqrt(2) of it) and for a true ratio of 1. */
double wtl_sequence_pairs(double log_sd, double resolve, double alpha);

#endif
