/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares and the energies of the task model against exact answers (rational arithmetic). */
#include <errno.h>
#include <math.h>

#include "analysis/tasks/task_energy.h"
#include "analysis/tasks/task_fit.h"
#include "tap.h"

enum { ROWS = 8, TERMS = 3 };
#define EXACT 1e-9

static double room[TERMS * TERMS + TERMS];

static struct wtl_fit_sums sums_of(double a[][TERMS], const double *b, size_t rows, size_t terms)
{
    struct wtl_fit_sums sums = {.terms = terms, .products = room};
    memset(room, 0, sizeof room);
    for (size_t i = 0; i < rows; i++)
        wtl_fit_add(&sums, a[i], b[i], 1);
    return sums;
}

static struct wtl_fit solve(double a[][TERMS],
                            const double *b,
                            size_t rows,
                            size_t terms,
                            enum wtl_fit_method method)
{
    struct wtl_fit_sums sums = sums_of(a, b, rows, terms);
    struct wtl_fit fit;
    is_int(wtl_fit_solve(&sums, NULL, method, NULL, false, &fit), 0, "solve");
    return fit;
}

static void is_x(const struct wtl_fit *fit, double x0, double x1, double x2, const char *what)
{
    is_double(fit->x[0], x0, EXACT, "%s: x1", what);
    is_double(fit->x[1], x1, EXACT, "%s: x2", what);
    if (fit->terms > 2)
        is_double(fit->x[2], x2, EXACT, "%s: x3", what);
}

static double a1[ROWS][TERMS] = {{1, 0, 0}, {1, 1, 0}, {0, 2, 1}, {0, 1, 2}, {0, 0, 3}, {2, 1, 1}};
static const double time_s[TERMS] = {4, 5, 7};

static struct wtl_task_energy energies(const struct wtl_fit *fit,
                                       const double *times,
                                       double total_s,
                                       double idle_s,
                                       double energy_j)
{
    struct wtl_task_energy e;
    const struct wtl_task_energy_of of = {80.15, 78.25,  total_s, idle_s, energy_j / total_s,
                                          TERMS, fit->x, times};
    is_int(wtl_task_energy(&of, &e), 0, "energies");
    return e;
}

static void exact_and_idle(void)
{
    static const double b[ROWS] = {8, 14, 17, 16, 15, 27};
    struct wtl_fit fit = solve(a1, b, 6, TERMS, WTL_FIT_OLS);
    is_x(&fit, 8, 6, 5, "E1");
    is_int(fit.rank, 3, "E1: rank");
    is_double(fit.rss, 0, EXACT, "E1: no residual");
    struct wtl_task_energy e = energies(&fit, time_s, 6, 0, 1047.4);
    is_double(e.modelled_j, 1047.4, EXACT, "E1: E_mod");
    is_double(e.modelled_tasks_j, 97, EXACT, "E1: E_mod_D");
    is_double(e.measured_tasks_j, 97, EXACT, "E1: E_mes_D");
    is_double(e.error, 0, EXACT, "E1: error");
    is_double(e.error_tasks, 0, EXACT, "E1: error of the tasks");
    fit = solve(a1, b, 8, TERMS, WTL_FIT_OLS); /* two rows of an idle machine */
    is_x(&fit, 8, 6, 5, "E2");
    e = energies(&fit, time_s, 8, 2, 1047.4 + 2 * 80.15);
    is_double(e.modelled_j, 1207.7, EXACT, "E2: E_mod");
    is_double(e.measured_j, 1207.7, EXACT, "E2: E_mes");
    is_double(e.measured_tasks_j, 97, EXACT, "E2: E_mes_D, aware of idle time");
    is_double(e.printed_tasks_j, -59.5, EXACT, "E2: E_mes_D as printed");
}

static void noise(void)
{
    static const double b[ROWS] = {8.5, 13.5, 17.25, 15.75, 15.5, 26.5};
    struct wtl_fit fit = solve(a1, b, 6, TERMS, WTL_FIT_OLS);
    is_x(&fit, 2963. / 377, 4429. / 754, 7707. / 1508, "E3");
    is_double(fit.rss, 4867. / 6032, EXACT, "E3: residual");
    struct wtl_task_energy e = energies(&fit, time_s, 6, 0, 1047.4);
    is_double(e.modelled_j, 7894251. / 7540, EXACT, "E3: E_mod");
    is_double(e.modelled_tasks_j, 145647. / 1508, EXACT, "E3: E_mod_D");
    is_double(e.error, 3145. / 7897396, EXACT, "E3: error");
    is_double(e.error_tasks, 629. / 146276, EXACT, "E3: error of the tasks");
}

static void rank(void)
{
    static double a[4][TERMS] = {{1, 1, 0}, {2, 2, 1}, {0, 0, 2}, {1, 1, 1}};
    static const double b[4] = {10, 23, 6, 13}, noisy[4] = {11, 22, 6, 14},
                        times[TERMS] = {4, 4, 4};
    struct wtl_fit fit = solve(a, b, 4, TERMS, WTL_FIT_OLS);
    is_x(&fit, 5, 5, 3, "E4");
    is_int(fit.rank, 2, "E4: rank");
    is_int(fit.groups, 1, "E4: one group");
    ok(fit.group[0] == 0 && fit.group[1] == 0 && fit.group[2] < 0, "E4: of the first two");
    ok(isnan(fit.error[0]) && !isnan(fit.error[2]), "E4: they have no error of their own");
    struct wtl_task_energy e = energies(&fit, times, 4, 0, 685.6);
    is_double(e.modelled_tasks_j, 52, EXACT, "E4: E_mod_D");
    fit = solve(a, b, 4, TERMS, WTL_FIT_NNLS);
    is_double(4 * (fit.x[0] + fit.x[1] + fit.x[2]), 52, EXACT, "E4: the same with bounds");
    fit = solve(a, noisy, 4, TERMS, WTL_FIT_OLS);
    is_x(&fit, 5, 5, 3, "E4b");
    e = energies(&fit, times, 4, 0, 686.6);
    is_double(e.measured_tasks_j, 53, EXACT, "E4b: E_mes_D");
    is_double(e.error, 5. / 3433, EXACT, "E4b: error");
    is_double(e.error_tasks, 1. / 53, EXACT, "E4b: error of the tasks");
}

static void bounds(void)
{
    static double a5[3][TERMS] = {{1, 0}, {1, 1}, {0, 1}};
    static const double b5[3] = {2, 1, -1};
    static double a6[5][TERMS] = {{1, 1, 0}, {1, 2, 1}, {0, 1, 2}, {2, 1, 1}, {1, 0, 1}};
    static const double b6[5] = {5, 3, -2, 9, 6};
    struct wtl_fit fit = solve(a5, b5, 3, 2, WTL_FIT_OLS);
    is_x(&fit, 2, -1, 0, "E5: least squares");
    fit = solve(a5, b5, 3, 2, WTL_FIT_NNLS);
    is_x(&fit, 1.5, 0, 0, "E5: bounds");
    is_double(fit.rss, 1.5, EXACT, "E5: residual");
    is_double(fit.gradient[0], 0, EXACT, "E5: gradient");
    is_double(fit.gradient[1], -1.5, EXACT, "E5: gradient at the bound");
    fit = solve(a6, b6, 5, 3, WTL_FIT_OLS);
    is_x(&fit, 152. / 27, -32. / 27, -10. / 27, "E6: least squares");
    is_double(fit.rss, 37. / 27, EXACT, "E6: residual");
    fit = solve(a6, b6, 5, 3, WTL_FIT_NNLS);
    is_x(&fit, 32. / 7, 0, 0, "E6: bounds");
    is_double(fit.rss, 61. / 7, EXACT, "E6: residual with bounds");
    is_double(fit.gradient[1], -34. / 7, EXACT, "E6: gradient");
    is_double(fit.gradient[2], -30. / 7, EXACT, "E6: gradient");
    struct wtl_fit_sums sums = sums_of(a6, b6, 5, 3);
    static const double start[3] = {1, 2, 3};
    is_int(wtl_fit_solve(&sums, NULL, WTL_FIT_NNLS, start, true, &fit), 0, "from elsewhere");
    is_x(&fit, 32. / 7, 0, 0, "E6: from elsewhere");
}

static void others(void)
{
    static double none[2][TERMS] = {{0}};
    static const double b[2] = {0, 0};
    struct wtl_fit fit = solve(none, b, 2, TERMS, WTL_FIT_OLS);
    is_x(&fit, 0, 0, 0, "nothing runs");
    is_int(fit.rank, 0, "nothing runs: rank");
    struct wtl_task_energy e = energies(&fit, time_s, 8, 8, 8 * 80.15);
    is_double(e.modelled_j, 8 * 80.15, EXACT, "nothing runs: E_mod is the idle machine's");
    const struct wtl_task_energy_of of = {80.15, 78.25, 0, 0, NAN, TERMS, fit.x, time_s};
    is_int(wtl_task_energy(&of, &e), -EINVAL, "no time is refused");
    /* One value is known before. */
    static const double b1[ROWS] = {8, 14, 17, 16, 15, 27};
    struct wtl_fit_sums sums = sums_of(a1, b1, 6, TERMS);
    const struct wtl_fit_known known = {{NAN, 6, NAN}};
    is_int(wtl_fit_solve(&sums, &known, WTL_FIT_OLS, NULL, false, &fit), 0, "with one known");
    is_x(&fit, 8, 6, 5, "with one known");
    is_int(fit.rank, 2, "with one known: rank of the rest");
}

int main(void)
{
    exact_and_idle();
    noise();
    rank();
    bounds();
    others();
    return done_testing();
}
