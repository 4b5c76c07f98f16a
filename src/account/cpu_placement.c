/* SPDX-License-Identifier: BSD-3-Clause */
/* See cpu_placement.h. Rows are the jobs and, last, everything else. */
#include "account/cpu_placement.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 100 };

/* Weight of a CPU on which a job may not run: used only if the others do not suffice. */
static const double elsewhere = 1e-6;

static const double converged = 1e-9;

static bool is_valid(const double *values, size_t n)
{
    bool fine = true;
    for (size_t i = 0; i < n; i++)
        fine = fine && isfinite(values[i]) && values[i] >= 0;
    return fine;
}

/* Multiply a row so that its sum is used_s. */
static void scale_row(double *row, size_t cpus, double used_s)
{
    double sum = 0;
    for (size_t i = 0; i < cpus; i++)
        sum += row[i];
    for (size_t i = 0; i < cpus; i++)
        row[i] = sum > 0 ? row[i] * (used_s / sum) : used_s / (double)cpus;
}

/* Multiply the columns so that they have the sums of the CPUs; returns the greatest relative deviation there was. */
static double scale_columns(double *const rows[2], size_t n, const double *target_s, size_t cpus)
{
    double worst = 0;
    for (size_t i = 0; i < cpus; i++) {
        double sum = rows[1][i];
        for (size_t j = 0; j < n; j++)
            sum += rows[0][j * cpus + i];
        double factor = sum > 0 ? target_s[i] / sum : 1;
        for (size_t j = 0; j < n; j++)
            rows[0][j * cpus + i] *= factor;
        rows[1][i] *= factor;
        worst = fmax(worst, fabs(factor - 1));
    }
    return worst;
}

static void fit(const struct wtl_share_job *jobs,
                size_t n,
                double rest_s,
                const double *target_s,
                size_t cpus,
                double *const rows[2])
{
    for (size_t i = 0; i < cpus; i++) {
        for (size_t j = 0; j < n; j++)
            rows[0][j * cpus + i] =
                target_s[i] * (jobs[j].may_on && !jobs[j].may_on[i] ? elsewhere : 1);
        rows[1][i] = target_s[i];
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t j = 0; j < n; j++)
            scale_row(rows[0] + j * cpus, cpus, jobs[j].used_s);
        scale_row(rows[1], cpus, rest_s);
        if (round + 1 == ROUNDS || scale_columns(rows, n, target_s, cpus) < converged)
            break;
    }
    for (size_t j = 0; j < n; j++)
        scale_row(rows[0] + j * cpus, cpus, jobs[j].used_s);
}

int wtl_placement(const struct wtl_share_cpus *cpus,
                  const struct wtl_share_job *jobs,
                  size_t n,
                  double *used_s)
{
    double all_s = 0, busy_s = 0;
    for (size_t j = 0; j < n; j++) {
        if (!is_valid(&jobs[j].used_s, 1))
            return -EINVAL;
        all_s += jobs[j].used_s;
    }
    if (cpus->count == 0 || !is_valid(cpus->busy_s, cpus->count))
        return -EINVAL;
    double *room = (double *)calloc(2 * cpus->count, sizeof *room);
    if (!room)
        return -ENOMEM;
    for (size_t i = 0; i < cpus->count; i++)
        busy_s += cpus->busy_s[i];
    double *target_s = room + cpus->count, total_s = fmax(all_s, busy_s);
    for (size_t i = 0; i < cpus->count; i++)
        target_s[i] =
            busy_s > 0 ? cpus->busy_s[i] * (total_s / busy_s) : total_s / (double)cpus->count;
    double *const rows[2] = {used_s, room};
    fit(jobs, n, total_s - all_s, target_s, cpus->count, rows);
    free(room);
    return 0;
}
