/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs checked as they arrive: see sequence.h. */
#include "analysis/compare/sequence.h"

#include <math.h>

static const double most_pairs = 1e6;

/* The half width is the least at n pairs for about n g = 10, flat around it. */
struct wtl_sequence wtl_sequence_start(double planned, double alpha)
{
    return (struct wtl_sequence){
        .g = 10 / (planned > 1 ? planned : 1), .alpha = alpha, .least_p = 1};
}

/* Half width at n pairs of standard deviation sd: BF = 1/alpha solved for t. */
static double half_width(const struct wtl_sequence *sequence, double n, double sd)
{
    double grown = 1 + n * sequence->g;
    double bound = pow(sqrt(grown) / sequence->alpha, 2 / n);
    if (!(n >= 2) || isnan(sd))
        return NAN;
    if (bound >= grown)
        return INFINITY;
    double t_squared = (n - 1) * (bound - 1) / (1 - bound / grown);
    return sqrt(t_squared / n) * sd;
}

double wtl_sequence_sd(const struct wtl_sequence *sequence)
{
    return sequence->n < 2 ? (double)NAN : sqrt(sequence->squares / (double)(sequence->n - 1));
}

/* 1 / BF of mean 0, at most 1. Without any variation a mean other than 0 is certain. */
static double p_now(const struct wtl_sequence *sequence)
{
    double n = (double)sequence->n, grown = 1 + n * sequence->g;
    if (sequence->n < 2 || sequence->mean == 0)
        return 1;
    double t_by_df = n * sequence->mean * sequence->mean / sequence->squares; /* t^2 / (n - 1) */
    double ratio = isinf(t_by_df) ? grown : (1 + t_by_df) / (1 + t_by_df / grown);
    return fmin(1, exp(0.5 * log(grown) - n / 2 * log(ratio)));
}

void wtl_sequence_add(struct wtl_sequence *sequence, double log_ratio)
{
    double off = log_ratio - sequence->mean;
    sequence->n++;
    sequence->mean += off / (double)sequence->n;
    sequence->squares += off * (log_ratio - sequence->mean);
    sequence->least_p = fmin(sequence->least_p, p_now(sequence));
}

struct wtl_interval wtl_sequence_ratio(const struct wtl_sequence *sequence)
{
    double mean = sequence->n ? sequence->mean : (double)NAN;
    double half = half_width(sequence, (double)sequence->n, wtl_sequence_sd(sequence));
    return (struct wtl_interval){exp(mean), exp(mean - half), exp(mean + half)};
}

double wtl_sequence_p(const struct wtl_sequence *sequence)
{
    return sequence->n ? sequence->least_p : (double)NAN;
}

/* The least n beyond `have` at which an interval of that sd is narrow enough: see more_pairs. */
static double pairs_until(const struct wtl_sequence *sequence,
                          double have,
                          double sd,
                          double mean,
                          double resolve)
{
    double wanted = fmax(fabs(mean), log1p(resolve) - fabs(mean));
    double low = fmax(have, WTL_COMPARISON_RUNS - 1), high = low + 1;
    if (have >= WTL_COMPARISON_RUNS && half_width(sequence, have, sd) < wanted)
        return have;
    while (high <= most_pairs && !(half_width(sequence, high, sd) < wanted)) {
        low = high;
        high *= 2;
    }
    if (high > most_pairs)
        return INFINITY;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (half_width(sequence, middle, sd) < wanted)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double wtl_sequence_more_pairs(const struct wtl_sequence *sequence, double resolve)
{
    double n = (double)sequence->n;
    if (sequence->n < 2 || !(resolve > 0))
        return NAN;
    return pairs_until(sequence, n, wtl_sequence_sd(sequence), sequence->mean, resolve) - n;
}

/* The plan depends on the number and the number on the plan: iterate a few times. The mean of that
 * many pairs is not exactly 0: a quarter of the resolution is allowed for it. */
double wtl_sequence_pairs(double log_sd, double resolve, double alpha)
{
    double pairs = 10;
    if (!(log_sd >= 0) || !(resolve > 0))
        return NAN;
    for (int i = 0; i < 8 && isfinite(pairs); i++) {
        struct wtl_sequence sequence = wtl_sequence_start(pairs, alpha);
        pairs = pairs_until(&sequence, 0, log_sd * sqrt(2), log1p(resolve) / 4, resolve);
    }
    return pairs;
}
