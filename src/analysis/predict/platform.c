/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ratios of two platforms by letter: see platform.h. Gaussian processes over the letters, for the logarithm of the ratio of
 * times and for that of energies. Their covariance is a common part, a linear and a smooth part in the counters' logarithms,
 * and one of the letter's own. How large each is, is not known: some combinations are tried, and all count by the likelihood of
 * the pairs. With one pair it is a common ratio with a wide interval, with many the letters' own ratios. A pair that the others
 * contradict was laid wrongly: it is left out if it is short, else nothing follows. No letter is believed to differ from all
 * pairs by more than a factor, since a straight line through a few of them leads anywhere.
 */
#include "analysis/predict/platform.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Standard deviations of logarithms; those in the table are tried. */
static const double common_sd = 2, smooth_length = 1;
static const double linear_tried[] = {0.05, 0.2, 0.5, 1}, smooth_tried[] = {0.02, 0.1, 0.3},
                    own_tried[] = {0.01, 0.05, 0.2}, noise_tried[] = {0.005, 0.03, 0.1};
enum { TRIED = 4 * 3 * 3 * 3 };
/* A ratio measured over t seconds has this / sqrt(t) more. */
static const double noise_second = 0.05;
/* Runs of one program on one platform differ by about this much, which no ratio explains. */
static const double run_sd = 0.01;
/* A pair that is so many standard deviations from what the others say contradicts them; one with less of the time is left out. */
static const double contradicts = 5, short_share = 0.1;
/* Ratios of letters that ran on one platform only: at most this much, as a logarithm, beyond all that were seen. */
static const double beyond = 0.7; /* a factor of two */
/* Combinations less likely than this, relative to the best, do not count. */
static const double least_weight = 1e-3;

struct scale {
    double linear, smooth, own;
    double noise; /* of one letter from run to run */
};

struct process {
    struct scale scale;
    double *factor;   /* Cholesky factor of the covariance of the pairs, [count * count] */
    double *weights;  /* covariance^-1 of the pairs' deviations */
    double low, high; /* of the pairs' values */
    double weight;    /* 0: it does not count */
};

struct wtl_platform_model {
    size_t letters, columns, count;
    double *x;      /* [letters * columns]: logarithms, standardised */
    size_t *letter; /* [count] of the pairs, one per letter */
    double *noise;  /* [count]: variance of each pair */
    struct process time[TRIED], energy[TRIED];
};

int wtl_platform_paper(double target_j,
                       double reference_j,
                       double reference_total_j,
                       double *ret_j,
                       struct wattle_error *err)
{
    if (!(reference_j > 0) || !isfinite(reference_j))
        return wtl_fail(err, -EDOM,
                        "the reference has used no energy up to where this run is, so there is no "
                        "ratio; wait until it has got farther");
    if (!isfinite(target_j) || !isfinite(reference_total_j) || target_j < 0 ||
        reference_total_j < reference_j)
        return wtl_fail(err, -EDOM, "the energy of the reference or of this run is not known");
    *ret_j = target_j + target_j / reference_j * (reference_total_j - reference_j);
    return 0;
}

/* ---- counters as coordinates ---- */

static int make_coordinates(struct wtl_platform_model *m, const double *centres)
{
    m->x = calloc(m->letters * m->columns + 1, sizeof *m->x);
    if (!m->x)
        return -ENOMEM;
    for (size_t c = 0; c < m->columns; c++) {
        double n = 0, sum = 0, squares = 0, most = 0;
        for (size_t i = 0; i < m->letters; i++) {
            double rate = centres[i * m->columns + c];
            most = isfinite(rate) ? fmax(most, rate) : most;
        }
        for (size_t i = 0; i < m->letters && most > 0; i++) {
            double rate = centres[i * m->columns + c];
            /* A rate of 0 has no logarithm: what is below a thousandth of the largest is the same. */
            double x = isfinite(rate) ? log(fmax(rate, 0) + 1e-3 * most) : NAN;
            m->x[i * m->columns + c] = x;
            if (isnan(x))
                continue;
            n++;
            sum += x;
            squares += x * x;
        }
        double mean = n > 0 ? sum / n : 0,
               sd = n > 1 ? sqrt(fmax(squares / n - mean * mean, 0)) : 0;
        for (size_t i = 0; i < m->letters; i++) {
            double *x = &m->x[i * m->columns + c];
            *x = sd > 1e-6 && isfinite(*x) ? (*x - mean) / sd : 0;
        }
    }
    return 0;
}

/* ---- the process ---- */

/* How alike two letters are: the parts of their covariance, before they are scaled. */
struct likeness {
    double linear, smooth;
};

static struct likeness likeness_of(const struct wtl_platform_model *m, size_t a, size_t b)
{
    double dot = 0, square = 0, columns = m->columns ? (double)m->columns : 1;
    for (size_t c = 0; c < m->columns; c++) {
        double x = m->x[a * m->columns + c], y = m->x[b * m->columns + c];
        dot += x * y;
        square += (x - y) * (x - y);
    }
    return (struct likeness){dot / columns,
                             exp(-square / columns / (2 * smooth_length * smooth_length))};
}

static double scaled(const struct likeness *l, const struct scale *scale, bool same)
{
    return common_sd * common_sd + scale->linear * scale->linear * l->linear +
           scale->smooth * scale->smooth * l->smooth + (same ? scale->own * scale->own : 0);
}

static double covariance(const struct wtl_platform_model *m,
                         const struct scale *scale,
                         size_t a,
                         size_t b)
{
    const struct likeness l = likeness_of(m, a, b);
    return scaled(&l, scale, a == b);
}

/* Cholesky, in place in the lower triangle; false: not positive. */
static bool factorise(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = a[i * n + k];
            for (size_t j = 0; j < k; j++)
                sum -= a[i * n + j] * a[k * n + j];
            if (i == k && !(sum > 0))
                return false;
            a[i * n + k] = i == k ? sqrt(sum) : sum / a[k * n + k];
        }
    }
    return true;
}

static void solve_lower(const double *l, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= l[i * n + k] * b[k];
        b[i] /= l[i * n + i];
    }
}

static void solve_upper(const double *l, size_t n, double *b)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= l[k * n + i] * b[k];
        b[i] /= l[i * n + i];
    }
}

/* Factor and weights for this scale, and the logarithm of the likelihood. */
static double condition(const struct wtl_platform_model *m,
                        struct process *p,
                        const struct scale *scale,
                        const struct likeness *alike,
                        const double *y)
{
    size_t n = m->count;
    p->scale = *scale;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++)
            p->factor[i * n + k] = scaled(&alike[i * n + k], scale, i == k) +
                                   (i == k ? m->noise[i] + scale->noise * scale->noise : 0);
        p->weights[i] = y[i];
        p->low = i == 0 ? y[i] : fmin(p->low, y[i]);
        p->high = i == 0 ? y[i] : fmax(p->high, y[i]);
    }
    if (!factorise(p->factor, n))
        return -INFINITY;
    double likelihood = 0;
    solve_lower(p->factor, n, p->weights);
    for (size_t i = 0; i < n; i++)
        likelihood -= p->weights[i] * p->weights[i] / 2 + log(p->factor[i * n + i]);
    solve_upper(p->factor, n, p->weights);
    return likelihood;
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

static int fit(const struct wtl_platform_model *m,
               struct process p[TRIED],
               const struct likeness *alike,
               const double *y)
{
    double best = -INFINITY, sum = 0;
    assert(m->count > 0);
    for (size_t i = 0; i < TRIED; i++) {
        size_t k = i;
        struct scale scale = {.linear = linear_tried[k % COUNT(linear_tried)]};
        scale.smooth = smooth_tried[(k /= COUNT(linear_tried)) % COUNT(smooth_tried)];
        scale.own = own_tried[(k /= COUNT(smooth_tried)) % COUNT(own_tried)];
        scale.noise = noise_tried[k / COUNT(own_tried)];
        p[i].factor = calloc(m->count * m->count, sizeof *p[i].factor);
        p[i].weights = calloc(m->count, sizeof *p[i].weights);
        if (!p[i].factor || !p[i].weights)
            return -ENOMEM;
        p[i].weight = condition(m, &p[i], &scale, alike, y); /* its logarithm, for now */
        best = fmax(best, p[i].weight);
    }
    if (!isfinite(best))
        return -EDOM;
    for (size_t i = 0; i < TRIED; i++) {
        p[i].weight = exp(p[i].weight - best);
        p[i].weight = p[i].weight < least_weight ? 0 : p[i].weight;
        sum += p[i].weight;
    }
    for (size_t i = 0; i < TRIED; i++)
        p[i].weight /= sum;
    return 0;
}

/* Pairs of one letter are one pair. */
static size_t join(const struct wtl_platform_pair *pairs,
                   size_t count,
                   size_t letters,
                   struct wtl_platform_pair *joined)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_platform_pair *p = &pairs[i];
        size_t k = 0;
        bool is = p->letter < letters && p->reference_s > 0 && p->target_s > 0 &&
                  p->reference_j > 0 && p->target_j > 0;
        if (!is || !isfinite(p->reference_s + p->target_s + p->reference_j + p->target_j))
            continue;
        while (k < n && joined[k].letter != p->letter)
            k++;
        if (k == n)
            joined[n++] = (struct wtl_platform_pair){.letter = p->letter};
        joined[k].reference_s += p->reference_s;
        joined[k].reference_j += p->reference_j;
        joined[k].target_s += p->target_s;
        joined[k].target_j += p->target_j;
    }
    return n;
}

static double seconds_of(const struct wtl_platform_pair *pair)
{
    return pair->reference_s + pair->target_s;
}

/* The shortest of the pairs that contradict what the others say, and of `pair`; count: none. */
static size_t contradicting(const struct wtl_platform_model *m,
                            const struct process p[TRIED],
                            const struct wtl_platform_pair *joined,
                            double *v,
                            size_t pair)
{
    const struct process *best = &p[0];
    for (size_t i = 1; i < TRIED; i++)
        best = p[i].weight > best->weight ? &p[i] : best;
    for (size_t i = 0; i < m->count; i++) {
        double precision = 0; /* of the value, given the others */
        memset(v, 0, m->count * sizeof *v);
        v[i] = 1;
        solve_lower(best->factor, m->count, v);
        for (size_t k = i; k < m->count; k++)
            precision += v[k] * v[k];
        bool is = fabs(best->weights[i]) > contradicts * sqrt(precision);
        if (is && (pair == m->count || seconds_of(&joined[i]) < seconds_of(&joined[pair])))
            pair = i;
    }
    return pair;
}

static void processes_fini(struct process p[TRIED])
{
    for (size_t i = 0; i < TRIED; i++) {
        free(p[i].factor);
        free(p[i].weights);
        p[i] = (struct process){.factor = NULL};
    }
}

static int learn_once(struct wtl_platform_model *m, const struct wtl_platform_pair *joined)
{
    assert(m->count > 0);
    double *time = calloc(2 * m->count, sizeof *time), *energy = time ? time + m->count : NULL;
    struct likeness *alike = calloc(m->count * m->count, sizeof *alike);
    int rc = time && alike ? 0 : -ENOMEM;
    processes_fini(m->time);
    processes_fini(m->energy);
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        const struct wtl_platform_pair *p = &joined[i];
        double seconds = fmin(p->reference_s, p->target_s);
        m->letter[i] = p->letter;
        m->noise[i] = noise_second * noise_second / seconds;
        time[i] = log(p->target_s / p->reference_s);
        energy[i] = log(p->target_j / p->reference_j);
    }
    for (size_t i = 0; rc == 0 && i < m->count * m->count; i++)
        alike[i] = likeness_of(m, m->letter[i / m->count], m->letter[i % m->count]);
    rc = rc < 0 ? rc : fit(m, m->time, alike, time);
    rc = rc < 0 ? rc : fit(m, m->energy, alike, energy);
    free(alike);
    free(time);
    return rc;
}

/* Until no pair contradicts the others. */
static int learn(struct wtl_platform_model *m, struct wtl_platform_pair *joined)
{
    assert(m->count > 0);
    double all_s = 0, *v = calloc(m->count, sizeof *v);
    m->letter = calloc(m->count, sizeof *m->letter);
    m->noise = calloc(m->count, sizeof *m->noise);
    int rc = v && m->letter && m->noise ? learn_once(m, joined) : -ENOMEM;
    for (size_t i = 0; i < m->count; i++)
        all_s += seconds_of(&joined[i]);
    while (rc == 0 && m->count > 1) {
        size_t pair = contradicting(m, m->time, joined, v, m->count);
        pair = contradicting(m, m->energy, joined, v, pair);
        if (pair == m->count)
            break;
        if (seconds_of(&joined[pair]) > short_share * all_s) {
            rc = -EDOM;
            break;
        }
        joined[pair] = joined[--m->count];
        rc = learn_once(m, joined);
    }
    free(v);
    return rc;
}

int wtl_platform_learn(const double *centres,
                       size_t letters,
                       size_t columns,
                       const struct wtl_platform_pair *pairs,
                       size_t count,
                       struct wtl_platform_model **ret_model,
                       struct wattle_error *err)
{
    struct wtl_platform_model *m = calloc(1, sizeof *m);
    struct wtl_platform_pair *joined = calloc(count ? count : 1, sizeof *joined);
    int rc = -ENOMEM;
    if (!m || !joined) {
        (void)wtl_no_memory(err);
    } else {
        m->letters = letters;
        m->columns = columns;
        m->count = join(pairs, count, letters, joined);
        rc = m->count == 0
                 ? wtl_fail(err, -ENODATA,
                            "nothing ran on both platforms, so they cannot be compared; run a "
                            "kernel on both and learn it")
                 : make_coordinates(m, centres);
        rc = rc < 0 ? rc : learn(m, joined);
        if (rc == -ENOMEM)
            (void)wtl_no_memory(err);
        else if (rc == -EDOM)
            (void)wtl_fail(err, rc, "the ratios of the two platforms contradict each other");
    }
    free(joined);
    if (rc < 0)
        wtl_platform_destroy(m);
    else
        *ret_model = m;
    return rc;
}

void wtl_platform_destroy(struct wtl_platform_model *m)
{
    if (!m)
        return;
    processes_fini(m->time);
    processes_fini(m->energy);
    free(m->x);
    free(m->letter);
    free(m->noise);
    free(m);
}

/* ---- what follows ---- */

/* Mean of letter a; v gets the half-solved covariances with the pairs, for variances. */
static double mean_of(const struct wtl_platform_model *m,
                      const struct process *p,
                      size_t a,
                      double *v)
{
    double mean = 0;
    for (size_t i = 0; i < m->count; i++) {
        v[i] = covariance(m, &p->scale, a, m->letter[i]);
        mean += v[i] * p->weights[i];
    }
    solve_lower(p->factor, m->count, v);
    return fmin(fmax(mean, p->low - beyond), p->high + beyond);
}

static double left_of(const struct wtl_platform_model *m,
                      const struct process *p,
                      size_t a,
                      size_t b,
                      const double *va,
                      const double *vb)
{
    double left = covariance(m, &p->scale, a, b);
    for (size_t i = 0; i < m->count; i++)
        left -= va[i] * vb[i];
    return left;
}

/* What is being summed, and room for it. */
struct sum {
    const double *amount;  /* [letters] */
    double *part, *halves; /* [letters], [letters * count] */
};

/* Sum of amount[letter] times its ratio as one process has it, and the variance of that. */
static void sum_one(const struct wtl_platform_model *m,
                    const struct process *p,
                    const struct sum *s,
                    double *ret_sum,
                    double *ret_variance)
{
    double sum = 0, variance = 0, *v = s->halves;
    for (size_t a = 0; a < m->letters; a++) {
        s->part[a] = 0;
        if (s->amount[a] > 0)
            s->part[a] = s->amount[a] * exp(mean_of(m, p, a, &v[a * m->count]));
        sum += s->part[a];
    }
    for (size_t a = 0; a < m->letters; a++) {
        for (size_t b = 0; s->part[a] > 0 && b <= a; b++) {
            if (s->part[b] > 0)
                variance += (a == b ? 1 : 2) * s->part[a] * s->part[b] *
                            left_of(m, p, a, b, &v[a * m->count], &v[b * m->count]);
        }
        variance += s->part[a] * s->part[a] * p->scale.noise * p->scale.noise;
    }
    *ret_sum = sum;
    *ret_variance = fmax(variance, 0) + run_sd * run_sd * sum * sum;
}

/* Over all processes that count: their means, their variances and the variance between them. */
static int sum_of(const struct wtl_platform_model *m,
                  const struct process p[TRIED],
                  const double *amount,
                  double *ret_sum,
                  double *ret_sd)
{
    struct sum s = {amount, calloc(m->letters + 1, sizeof *s.part),
                    calloc(m->letters * m->count + 1, sizeof *s.halves)};
    double mean = 0, squares = 0;
    int rc = s.part && s.halves ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < TRIED; i++) {
        double sum, variance;
        if (!(p[i].weight > 0))
            continue;
        sum_one(m, &p[i], &s, &sum, &variance);
        mean += p[i].weight * sum;
        squares += p[i].weight * (variance + sum * sum);
    }
    free(s.part);
    free(s.halves);
    *ret_sum = mean;
    *ret_sd = sqrt(fmax(squares - mean * mean, 0));
    return rc;
}

static void mix(const struct wtl_platform_model *m,
                const struct process p[TRIED],
                size_t letter,
                double *v,
                double *ret_log,
                double *ret_sd)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < TRIED; i++) {
        if (!(p[i].weight > 0))
            continue;
        double one = mean_of(m, &p[i], letter, v);
        mean += p[i].weight * one;
        squares += p[i].weight * (one * one + fmax(left_of(m, &p[i], letter, letter, v, v), 0));
    }
    *ret_log = mean;
    *ret_sd = sqrt(fmax(squares - mean * mean, 0));
}

int wtl_platform_ratio(const struct wtl_platform_model *m,
                       size_t letter,
                       struct wtl_platform_ratio *ret_ratio)
{
    double *v = calloc(m->count, sizeof *v);
    if (!v)
        return -ENOMEM;
    mix(m, m->time, letter, v, &ret_ratio->log_time, &ret_ratio->sd_time);
    mix(m, m->energy, letter, v, &ret_ratio->log_energy, &ret_ratio->sd_energy);
    free(v);
    return 0;
}

/* 95 % on the scale of logarithms: a sum of positive numbers is not below 0. */
static void interval(double sum, double sd, double *low, double *high)
{
    double half = sum > 0 ? 1.96 * sd / sum : 0;
    *low = sum * exp(-half);
    *high = sum * exp(half);
}

int wtl_platform_sum(const struct wtl_platform_model *m,
                     const double *seconds,
                     const double *joules,
                     struct wtl_platform_sum *ret_sum)
{
    struct wtl_platform_sum s = {0};
    double sd_s, sd_j;
    int rc = sum_of(m, m->time, seconds, &s.time_s, &sd_s);
    rc = rc < 0 ? rc : sum_of(m, m->energy, joules, &s.energy_j, &sd_j);
    if (rc < 0)
        return rc;
    interval(s.time_s, sd_s, &s.time_low_s, &s.time_high_s);
    interval(s.energy_j, sd_j, &s.energy_low_j, &s.energy_high_j);
    *ret_sum = s;
    return 0;
}
