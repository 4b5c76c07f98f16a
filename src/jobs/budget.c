/* SPDX-License-Identifier: BSD-3-Clause */
/* Budgets: see budget.h. */
#define _GNU_SOURCE
#include "jobs/budget.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/whole.h"
#include "jobs/job_time.h"
#include "jobs/table_file.h"

static const double AVERAGE_MONTH_S = 365.2425 / 12 * 86400;

int wtl_budget_energy(const char *text, double *ret_j)
{
    static const struct {
        const char *unit;
        double joules;
    } units[] = {{"J", 1},     {"kJ", 1e3},    {"MJ", 1e6},    {"GJ", 1e9},
                 {"Wh", 3600}, {"kWh", 3.6e6}, {"MWh", 3.6e9}, {"GWh", 3.6e12}};
    char number[40];
    size_t n = strspn(text, "0123456789.eE+-");
    const char *unit = text + n + strspn(text + n, " ");
    double value;
    if (n == 0 || n >= sizeof number)
        return -EINVAL;
    memcpy(number, text, n);
    number[n] = '\0';
    if (wtl_parse_double(number, &value) < 0 || !(value > 0))
        return -EINVAL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            *ret_j = value * units[i].joules;
            return isfinite(*ret_j) ? 0 : -EINVAL;
        }
    }
    return -EINVAL;
}

/* Two budgets at one time would be ambiguous. */
static bool overlaps(const struct wtl_budget *a, const struct wtl_budget *b)
{
    if (strcmp(a->account, b->account) != 0)
        return false;
    return a->monthly || b->monthly || (a->from_ns < b->to_ns && b->from_ns < a->to_ns);
}

static int take_period(struct wtl_budget *budget,
                       char *cells[WTL_TABLE_CELLS],
                       struct wattle_error *err)
{
    budget->monthly = strcmp(cells[1], "month") == 0;
    if (budget->monthly && cells[2][0])
        return wtl_fail(err, -EBADMSG, "a monthly budget has no \"to\"; leave it empty");
    if (budget->monthly)
        return 0;
    for (size_t i = 1; i <= 2; i++) {
        if (wtl_job_time_parse(cells[i], i == 1 ? &budget->from_ns : &budget->to_ns) < 0)
            return wtl_fail(err, -EBADMSG, "\"%s\" is not a date such as 2026-01-31%s", cells[i],
                            i == 1 ? ", or \"month\"" : "");
    }
    if (budget->from_ns >= budget->to_ns)
        return wtl_fail(err, -EBADMSG, "the period ends before it begins");
    return 0;
}

static int take_row(void *arg, char *cells[WTL_TABLE_CELLS], struct wattle_error *err)
{
    struct wtl_budgets *budgets = arg;
    struct wtl_budget budget = {.monthly = false};
    if (!cells[0][0] || strlen(cells[0]) >= sizeof budget.account)
        return wtl_fail(err, -EBADMSG, "the name of the account is %s",
                        cells[0][0] ? "too long" : "missing");
    (void)snprintf(budget.account, sizeof budget.account, "%s", cells[0]);
    int rc = take_period(&budget, cells, err);
    if (rc < 0)
        return rc;
    if (wtl_budget_energy(cells[3], &budget.joules) < 0)
        return wtl_fail(err, -EBADMSG, "\"%s\" is not an energy such as 500 kWh or 1.8e9 J",
                        cells[3]);
    budget.shares = budget.monthly
                        ? budget.joules / AVERAGE_MONTH_S
                        : budget.joules / wtl_seconds_between(budget.from_ns, budget.to_ns);
    if (budgets->count > 0 && budgets->has_shares != (cells[4][0] != '\0'))
        return wtl_fail(err, -EBADMSG, "shares must be given for all accounts, or for none");
    budgets->has_shares = cells[4][0] != '\0';
    if (cells[4][0] && (wtl_parse_double(cells[4], &budget.shares) < 0 || !(budget.shares > 0)))
        return wtl_fail(err, -EBADMSG, "\"%s\" is not a number of shares above 0", cells[4]);
    for (size_t i = 0; i < budgets->count; i++)
        if (overlaps(&budgets->items[i], &budget))
            return wtl_fail(err, -EBADMSG, "account %s has another budget at that time",
                            budget.account);
    if (wtl_grow(&budgets->items, budgets->count, sizeof *budgets->items) < 0)
        return wtl_no_memory(err);
    budgets->items[budgets->count++] = budget;
    return 0;
}

int wtl_budgets_read(struct wtl_budgets *ret_budgets,
                     const char *name,
                     const char *text,
                     size_t size,
                     struct wattle_error *err)
{
    static const char *const columns[] = {"account", "from", "to", "budget", "?shares", NULL};
    *ret_budgets = (struct wtl_budgets){.items = NULL};
    return wtl_table_file_read(name, text, size, columns, take_row, ret_budgets, err);
}

void wtl_budgets_fini(struct wtl_budgets *budgets)
{
    free(budgets->items);
    *budgets = (struct wtl_budgets){.items = NULL};
}

void wtl_budgets_at(struct wtl_budgets *budgets, int64_t ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < budgets->count; i++) {
        struct wtl_budget budget = budgets->items[i];
        if (budget.monthly) {
            budget.from_ns = wtl_job_time_first_of_month(ns, 0);
            budget.to_ns = wtl_job_time_first_of_month(ns, 1);
        }
        if (budget.from_ns <= ns && ns < budget.to_ns)
            budgets->items[kept++] = budget;
    }
    budgets->count = kept;
}

double wtl_budget_forecast(const struct wtl_budget *budget, double used_j, int64_t now_ns)
{
    const double least = 0.05;
    double over = wtl_seconds_between(budget->from_ns, now_ns) /
                  wtl_seconds_between(budget->from_ns, budget->to_ns);
    return over >= least ? used_j / fmin(over, 1) : (double)NAN;
}

double wtl_budget_fair_share(double used, double all_used, double shares, double all_shares)
{
    if (!(all_used > 0))
        return 1;
    return shares > 0 && all_shares > 0 ? exp2(-(used / all_used) / (shares / all_shares))
                                        : (double)NAN;
}
