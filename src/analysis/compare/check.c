/* SPDX-License-Identifier: BSD-3-Clause */
/* A limit against a base: see check.h. */
#include "analysis/compare/check.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/matching.h"
#include "base/text/figures.h"
#include "model/statistics/student.h"

static const double alpha = 0.05, power = 0.8;

const char *wtl_check_outcome_name(enum wtl_check_outcome outcome)
{
    static const char *const names[] = {"within", "not above", "above", "unknown"};
    return names[outcome];
}

/* Unknown, and why. */
__attribute__((format(printf, 2, 3))) static void say_unknown(struct wtl_check *check,
                                                              const char *format,
                                                              ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(check->clause, sizeof check->clause, format, args);
    va_end(args);
    (void)snprintf(check->text, sizeof check->text, "cannot tell: %s", check->clause);
    check->outcome = WTL_CHECK_UNKNOWN;
}

/* "energy is above the limit", then the numbers; `more` ends it. */
static void set_outcome(struct wtl_check *check,
                        enum wtl_check_outcome outcome,
                        const char *what,
                        const char *more)
{
    const char *name = wtl_metric_names[check->metric];
    const struct wtl_interval *c = &check->change;
    (void)snprintf(check->clause, sizeof check->clause, "%s %s of %+g %%%s", name, what,
                   100 * check->limit, more);
    (void)snprintf(check->text, sizeof check->text,
                   "%s %s: %+.2f %% (%+.2f .. %+.2f %%) against the base, %+g %% allowed%s", name,
                   what, 100 * c->value, 100 * c->low, 100 * c->high, 100 * check->limit, more);
    check->outcome = outcome;
}

/* Is there a reason why the outcome is unknown, whatever the difference? */
static bool is_unknown(struct wtl_check *check)
{
    char why[200];
    const char *name = wtl_metric_names[check->metric];
    const struct wtl_result *const sides[] = {check->base, check->runs};
    size_t counts[] = {check->base_count, check->run_count};
    if (check->base_count < WTL_COMPARISON_RUNS || check->run_count < WTL_COMPARISON_RUNS) {
        say_unknown(check, "%zu run%s of the base and %zu of now; at least %d of each are needed",
                    check->base_count, check->base_count == 1 ? "" : "s", check->run_count,
                    WTL_COMPARISON_RUNS);
        return true;
    }
    bool forbidden =
        wtl_matching_forbids(check->base, check->base_count, check->metric, why, sizeof why) ||
        wtl_matching_forbids(check->runs, check->run_count, check->metric, why, sizeof why) ||
        wtl_matching_differ(&check->base[0], &check->runs[0], check->metric, why, sizeof why);
    if (forbidden) {
        say_unknown(check, "%s", why);
        return true;
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < counts[side]; i++) {
            if (wtl_metric_of(&sides[side][i], check->metric) > 0)
                continue;
            say_unknown(check, "%s of run %zu of %s is unknown or 0", name, i + 1,
                        side ? "the command" : "the base");
            return true;
        }
    }
    return false;
}

/* The values of both sides in one block, the base first; the caller frees it. */
static double *values_of(const struct wtl_check *check)
{
    size_t n = check->base_count + check->run_count;
    double *values = malloc((n + 1) * sizeof *values);
    for (size_t i = 0; values && i < n; i++)
        values[i] = wtl_metric_of(i < check->base_count ? &check->base[i]
                                                        : &check->runs[i - check->base_count],
                                  check->metric);
    return values;
}

static int compare(struct wtl_check *check, const double *values)
{
    struct wtl_groups groups = {.a = values,
                                .a_n = check->base_count,
                                .b = values + check->base_count,
                                .b_n = check->run_count,
                                .noise = {NAN, NAN}};
    return wtl_compare(&groups, 0, 0, &check->comparison);
}

static void decide(struct wtl_check *check)
{
    const struct wtl_comparison *c = &check->comparison;
    struct wtl_interval ratio = wtl_comparison_ratio(c, 2 * alpha);
    check->change = (struct wtl_interval){ratio.value - 1, ratio.low - 1, ratio.high - 1};
    double beyond = log(ratio.value) - log1p(check->limit), p_within = 0;
    if (c->log_error > 0) {
        check->p = wtl_student_probability(-beyond / c->log_error, c->df);
        p_within = wtl_student_probability(beyond / c->log_error, c->df);
        double quantiles =
            wtl_student_quantile(1 - alpha, c->df) + wtl_student_quantile(power, c->df);
        check->shown = (1 + check->limit) * exp(quantiles * c->log_error) - 1;
    } else { /* no variation at all */
        check->p = beyond > 0 ? 0 : 1;
        p_within = 1 - check->p;
        check->shown = check->limit;
    }
    double resolution = wtl_metric_resolution(check->runs, check->run_count, check->metric);
    char more[120];
    double shown = 100 * check->shown;
    (void)snprintf(more, sizeof more,
                   "; this number of runs would show a true change of %+.*f %% in 4 of 5 cases",
                   fabs(shown) >= 10 ? 0 : 1, shown);
    if (check->p < alpha && fabs(check->change.value) <= resolution)
        say_unknown(check,
                    "%s changed by %+.2g %%, which is below the %s %% that the sensors resolve in "
                    "one run; longer runs are resolved better",
                    wtl_metric_names[check->metric], 100 * check->change.value,
                    WTL_IN_FIGURES(100 * resolution, 2));
    else if (check->p < alpha)
        set_outcome(check, WTL_CHECK_ABOVE, "is above the limit", "");
    else if (p_within < alpha)
        set_outcome(check, WTL_CHECK_WITHIN, "is within the limit", "");
    else
        set_outcome(check, WTL_CHECK_NOT_ABOVE, "is not shown to be above the limit", more);
}

/* Energies of different things have no mean. */
static struct wtl_spread spread_of(const struct wtl_check *check,
                                   const struct wtl_result *runs,
                                   size_t count,
                                   const double *values)
{
    const char *two[2];
    if (check->metric != WTL_METRIC_TIME && wtl_matching_contents_differ(runs, count, NULL, 0, two))
        return (struct wtl_spread){NAN, NAN, NAN};
    struct wtl_spread spread = wtl_spread_of(values, count);
    spread.mean = wtl_mean_of_runs(values, count).value;
    return spread;
}

int wtl_check_judge(struct wtl_check *check)
{
    check->change = (struct wtl_interval){NAN, NAN, NAN};
    check->p = check->shown = NAN;
    check->comparison = (struct wtl_comparison){.a_n = 0};
    double *values = values_of(check);
    if (!values)
        return -ENOMEM;
    check->base_spread = spread_of(check, check->base, check->base_count, values);
    check->run_spread = spread_of(check, check->runs, check->run_count, values + check->base_count);
    int rc = 0;
    if (!is_unknown(check) && (rc = compare(check, values)) == 0)
        decide(check);
    free(values);
    return rc;
}
