/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CPU second's part of the activation energy is E[1 / (1 + other busy CPUs)]. With CPUs busy independently, with
 * probabilities p_i, that is the integral over z from 0 to 1 of the product of (1 - p_i + p_i z) over the others.
 * Gauss-Legendre with 16 points is exact up to 32 CPUs, and closer than 1e-6 beyond.
 */
#include "account/node_share.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { POINTS = 8 }; /* and as many mirrored */

/* Part of the energy below which a difference is due to rounding. */
static const double rounding = 1e-14;

/* Points of Gauss-Legendre of order 16 on -1..1, those above 0, with their weights. */
static const double nodes[POINTS][2] = {
    {0.0950125098376374402, 0.1894506104550684963}, {0.2816035507792589132, 0.1826034150449235889},
    {0.4580167776572273863, 0.1691565193950025382}, {0.6178762444026437484, 0.1495959888165767321},
    {0.7554044083550030339, 0.1246289712555338720}, {0.8656312023878317439, 0.0951585116824927848},
    {0.9445750230732325761, 0.0622535239386478929}, {0.9894009349916499326, 0.0271524594117540949},
};

/* Per CPU of a look. */
struct cpu {
    double taken_s; /* CPU time of everything */
    double busy;    /* part of the time, 0 to 1 */
    double beside;  /* the same for the other thread of its core; 0 = none */
    double power;   /* weight of its frequency */
    double weight;  /* of a CPU second on it */
    double present; /* of a CPU second on it, in the activation energy */
};

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static bool are_amounts(const double *values, size_t n)
{
    bool fine = true;
    for (size_t i = 0; values && i < n; i++)
        fine = fine && is_amount(values[i]);
    return fine;
}

static bool is_valid_model(const struct wtl_node_model *model)
{
    return is_amount(model->idle_w) && is_amount(model->activation_w) &&
           is_amount(model->smt_part) && model->smt_part <= 1 &&
           is_amount(model->frequency_exponent) && model->frequency_exponent <= 4 &&
           is_amount(model->reference_ghz);
}

static bool is_valid_look(const struct wtl_node_look *look)
{
    double reserved = 0;
    if (!is_amount(look->energy_j) || !isfinite(look->seconds) || look->seconds <= 0 ||
        look->cpus == 0)
        return false;
    for (size_t i = 0; i < look->cpus; i++)
        if (look->core_of[i] >= look->cpus)
            return false;
    for (size_t j = 0; look->reserved && j < look->jobs; j++)
        reserved += look->reserved[j];
    return are_amounts(look->busy_s, look->cpus) && are_amounts(look->frequency_ghz, look->cpus) &&
           are_amounts(look->used_s, look->jobs * look->cpus) &&
           are_amounts(look->activity, look->jobs) && are_amounts(look->reserved, look->jobs) &&
           reserved <= 1 + 1e-9;
}

/* Clocks of jobs and CPUs tick independently, so the jobs may have used more than the CPU shows. */
static double taken_s(const struct wtl_node_look *look, size_t cpu)
{
    double used_s = 0;
    for (size_t j = 0; j < look->jobs; j++)
        used_s += look->used_s[j * look->cpus + cpu];
    return fmax(used_s, look->busy_s[cpu]);
}

static int find_siblings(const struct wtl_node_look *look, struct cpu *cpus)
{
    /* Per core: its first CPU + 1; full: both were found. */
    size_t *other = (size_t *)calloc(look->cpus + 1, sizeof *other);
    const size_t full = SIZE_MAX;
    int rc = 0;
    if (!other)
        return -ENOMEM;
    for (size_t i = 0; i < look->cpus && rc == 0; i++) {
        size_t *seen = &other[look->core_of[i]];
        if (*seen == full)
            rc = -EINVAL;
        else if (*seen) {
            cpus[i].beside = cpus[*seen - 1].busy;
            cpus[*seen - 1].beside = cpus[i].busy;
            *seen = full;
        } else
            *seen = i + 1;
    }
    free(other);
    return rc;
}

static void find_presence(const struct wtl_node_look *look, struct cpu *cpus)
{
    for (size_t i = 0; i < look->cpus; i++)
        cpus[i].present = 0;
    for (size_t k = 0; k < 2 * (size_t)POINTS; k++) {
        double at = nodes[k / 2][0], z = (1 + (k % 2 ? -at : at)) / 2, all = 1;
        for (size_t i = 0; i < look->cpus; i++)
            all *= 1 - cpus[i].busy * (1 - z);
        for (size_t i = 0; i < look->cpus; i++)
            cpus[i].present += nodes[k / 2][1] / 2 * all / (1 - cpus[i].busy * (1 - z));
    }
}

static int note_cpus(const struct wtl_node_model *model,
                     const struct wtl_node_look *look,
                     struct cpu *cpus)
{
    double reference_ghz = model->reference_ghz;
    for (size_t i = 0; model->reference_ghz == 0 && look->frequency_ghz && i < look->cpus; i++)
        reference_ghz = fmax(reference_ghz, look->frequency_ghz[i]);
    for (size_t i = 0; i < look->cpus; i++) {
        cpus[i].taken_s = taken_s(look, i);
        cpus[i].busy = fmin(cpus[i].taken_s / look->seconds, 1);
        cpus[i].power = 1;
        if (look->frequency_ghz && reference_ghz > 0)
            cpus[i].power = pow(look->frequency_ghz[i] / reference_ghz, model->frequency_exponent);
    }
    int rc = find_siblings(look, cpus);
    for (size_t i = 0; i < look->cpus; i++)
        cpus[i].weight = cpus[i].power * (1 - cpus[i].beside * (1 - model->smt_part) / 2);
    find_presence(look, cpus);
    return rc;
}

/* Part of the time with at least one CPU busy. */
static double any_busy(const struct cpu *cpus, size_t n)
{
    double none = 1;
    for (size_t i = 0; i < n; i++)
        none *= 1 - cpus[i].busy;
    return 1 - none;
}

/* Divisors of the energy above idle. */
struct sums {
    double weighted_s, present_s; /* of all CPU time */
    double activation_j, rest_j;
};

static double activity_of(const struct wtl_node_look *look, size_t job)
{
    return look->activity ? look->activity[job] : 1;
}

/* Weighted CPU seconds of a job. */
static double weighted_s(const struct wtl_node_look *look, const struct cpu *cpus, size_t job)
{
    double sum = 0;
    for (size_t i = 0; i < look->cpus; i++)
        sum += look->used_s[job * look->cpus + i] * cpus[i].weight;
    return sum;
}

static void share_out(const struct wtl_node_model *model,
                      const struct wtl_node_look *look,
                      const struct cpu *cpus,
                      double active_j,
                      double *shares_j)
{
    struct sums sums = {0};
    double all_s = 0, jobs_s = 0;
    for (size_t j = 0; j < look->jobs; j++) {
        double used_s = weighted_s(look, cpus, j);
        jobs_s += used_s;
        sums.weighted_s += used_s * activity_of(look, j);
    }
    for (size_t i = 0; i < look->cpus; i++) {
        sums.present_s += cpus[i].taken_s * cpus[i].present;
        all_s += cpus[i].taken_s * cpus[i].weight;
    }
    double mean = jobs_s > 0 ? sums.weighted_s / jobs_s : 1;
    sums.weighted_s += fmax(all_s - jobs_s, 0) * mean;
    sums.activation_j =
        fmin(model->activation_w * any_busy(cpus, look->cpus) * look->seconds, active_j);
    sums.rest_j = active_j - sums.activation_j;
    for (size_t j = 0; j < look->jobs; j++) {
        double charged_s = weighted_s(look, cpus, j) * activity_of(look, j), present_s = 0;
        for (size_t i = 0; i < look->cpus; i++)
            present_s += look->used_s[j * look->cpus + i] * cpus[i].present;
        if (sums.weighted_s > 0)
            shares_j[j] += sums.rest_j * charged_s / sums.weighted_s;
        if (sums.present_s > 0)
            shares_j[j] += sums.activation_j * present_s / sums.present_s;
    }
}

int wtl_node_shares(const struct wtl_node_model *model,
                    const struct wtl_node_look *look,
                    double *shares_j,
                    struct wtl_node_rest *ret_rest)
{
    if (!is_valid_model(model) || !is_valid_look(look))
        return -EINVAL;
    struct cpu *cpus = (struct cpu *)calloc(look->cpus, sizeof *cpus);
    if (!cpus)
        return -ENOMEM;
    int rc = note_cpus(model, look, cpus);
    double idle_j = model->idle_w * look->seconds, paid_j = 0;
    *ret_rest = (struct wtl_node_rest){.idle_j = idle_j};
    for (size_t j = 0; j < look->jobs; j++) {
        shares_j[j] = look->reserved ? idle_j * look->reserved[j] : 0;
        ret_rest->idle_j -= shares_j[j];
    }
    ret_rest->idle_j = fmax(ret_rest->idle_j, 0);
    if (look->energy_j > idle_j)
        share_out(model, look, cpus, look->energy_j - idle_j, shares_j);
    for (size_t j = 0; j < look->jobs; j++)
        paid_j += shares_j[j];
    ret_rest->unattributed_j = look->energy_j - ret_rest->idle_j - paid_j;
    if (fabs(ret_rest->unattributed_j) < rounding * look->energy_j)
        ret_rest->unattributed_j = 0;
    free(cpus);
    return rc;
}

int wtl_node_terms(const struct wtl_node_model *model,
                   const struct wtl_node_look *look,
                   const double *ratios,
                   size_t n,
                   double *terms)
{
    if (!is_valid_model(model) || !is_valid_look(look) || n > WTL_NODE_RATIOS ||
        !are_amounts(n ? ratios : NULL, look->jobs * n))
        return -EINVAL;
    struct cpu *cpus = (struct cpu *)calloc(look->cpus, sizeof *cpus);
    if (!cpus)
        return -ENOMEM;
    int rc = note_cpus(model, look, cpus);
    double jobs = 0;
    terms[0] = any_busy(cpus, look->cpus);
    terms[1] = 0;
    for (size_t i = 0; i < look->cpus; i++)
        terms[1] += cpus[i].taken_s * cpus[i].weight / look->seconds;
    for (size_t k = 0; k < n; k++)
        terms[2 + k] = 0;
    for (size_t j = 0; j < look->jobs; j++) {
        double used = weighted_s(look, cpus, j) / look->seconds;
        jobs += used;
        for (size_t k = 0; k < n; k++)
            terms[2 + k] += used * ratios[j * n + k];
    }
    for (size_t k = 0; k < n && jobs > 0; k++)
        terms[2 + k] *= terms[1] / jobs;
    free(cpus);
    return rc;
}
