/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Budgets of energy, by account and period, from a file of the site:
 *
 *     account,from,to,budget,shares
 *     physics,2026-10-01,2027-01-01,2500 kWh,
 *     chemistry,month,,900 MJ,2            each calendar month again
 *
 * `to` is the first moment after the period. Shares are relative to those of the other accounts, for all of them or for none; none: the
 * mean power of the budget over its period.
 */
#ifndef WTL_JOBS_BUDGET_H
#define WTL_JOBS_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_budget {
    char account[128];
    bool monthly;           /* from and to are unused */
    int64_t from_ns, to_ns; /* of its period; of a monthly one those of wtl_budgets_at() */
    double joules;          /* > 0 */
    double shares;          /* > 0; by default the mean power of the budget, in W */
};

struct wtl_budgets {
    struct wtl_budget *items;
    size_t count;
    bool has_shares; /* the file has them */
};

/* Read a file's text; its name is for messages. 0; -EBADMSG with file and line: also for two budgets of an account at one time;
 * -ENOMEM. wtl_budgets_fini() in any case. */
int wtl_budgets_read(struct wtl_budgets *ret_budgets,
                     const char *name,
                     const char *text,
                     size_t size,
                     struct wattle_error *err);
void wtl_budgets_fini(struct wtl_budgets *budgets);

/* Keep those whose period contains a time, with its limits. */
void wtl_budgets_at(struct wtl_budgets *budgets, int64_t ns);

/* "2500 kWh", "9e8 J", "1.5MWh": joules. 0 or -EINVAL; must be more than 0. */
int wtl_budget_energy(const char *text, double *ret_j);

/* What is used at the end of the period at the present rate; NaN: less than a twentieth of the period is over. */
double wtl_budget_forecast(const struct wtl_budget *budget, double used_j, int64_t now_ns);

/*
 * Fair share by energy (SL-45), as Slurm's classic formula with energy for CPU time: 2^(-U/S), where U is the account's part of what all
 * accounts have used and S its part of all shares. What accounts have used is their mean power since the begin of their
 * periods, so that periods may differ. 1: nothing used; 0.5: exactly its part; towards 0: far more. NaN if shares are 0.
 */
double wtl_budget_fair_share(double used, double all_used, double shares, double all_shares);

#endif
