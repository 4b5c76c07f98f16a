/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs budget": what accounts have used of their energy, and what is left. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/whole.h"
#include "cli/documents.h"
#include "cli/jobs/jobs.h"
#include "cli/jobs/jobs_filter.h"
#include "cli/jobs/jobs_items.h"
#include "jobs/budget.h"
#include "jobs/job_time.h"
#include "jobs/table_file.h"
#include "report/digits.h"
#include "report/json_value.h"

enum { EXIT_OVER = 3 };

struct request {
    struct wtl_jobs_filter filter;
    const char *budgets, *at;
    bool exit_code;
};

static const struct wtl_option options_table[] = {
    {'b', "budgets", "FILE", "read the budgets of FILE (default: wattle.conf)",
     WTL_TAKES_INPUT(struct request, budgets)},
    {0, "at", "TIME", "as of TIME (default now)", WTL_TAKES_TEXT(struct request, at)},
    {0, "exit-code", NULL, "exit status 3 if an account is over its budget",
     WTL_SETS(struct request, exit_code)},
    WTL_JOBS_OPTION_CLUSTER(struct request, filter),
    WTL_JOBS_OPTION_DATABASE(struct request, filter),
    WTL_OPTION_FORMAT(struct request, filter.format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

enum state { OK, LIKELY, OVER, UNKNOWN };
static const char *const state_names[] = {"ok", "likely over", "over", "unknown", NULL};

struct row {
    const char *account;
    int64_t from_ns, to_ns, jobs, jobs_unknown, jobs_lower;
    struct wtl_jobs_sum used;
    double budget_j, left_j, forecast_j, used_part, fair_share, shares; /* NaN = unknown */
    double half_j;       /* half the interval of what is used; NaN = unknown */
    bool lower, partial; /* partial: jobs of others may have been charged, too */
    enum state state;
};

struct budget {
    struct row *items;
    size_t count;
    int64_t at_ns;
    struct wtl_budgets budgets;
};

/* ---- cells ---- */

static void energy(double joules, double half_j, bool lower, char *text, size_t n)
{
    (void)wtl_jobs_energy_cell(joules, half_j, lower, text, n);
}

static void budget_cell(const void *of, char *text, size_t n)
{
    energy(((const struct row *)of)->budget_j, (double)NAN, false, text, n);
}

static void used_cell(const void *of, char *text, size_t n)
{
    const struct row *row = of;
    (void)wtl_jobs_kinds_cell(row->used.sum_j, &row->used.kinds, row->lower, text, n);
}

static void part_cell(const void *of, char *text, size_t n)
{
    const struct row *row = of;
    char value[40];
    double half = 100 * row->half_j / row->budget_j;
    (void)snprintf(text, n, "-");
    if (half >= 0.05) /* one decimal would hide it */
        (void)snprintf(text, n, "%s %%",
                       wtl_digits_interval(value, sizeof value, 100 * row->used_part, half));
    else if (!isnan(row->used_part))
        (void)snprintf(text, n, "%.1f %%", 100 * row->used_part);
}

static void left_cell(const void *of, char *text, size_t n)
{
    const struct row *row = of;
    char value[WTL_JOBS_CELL];
    energy(fabs(row->left_j), row->half_j, false, value, sizeof value);
    (void)snprintf(text, n, "%s%s%s", row->lower && row->left_j > 0 ? "at most " : "",
                   row->left_j < 0 ? "-" : "", value);
    if (isnan(row->left_j))
        (void)snprintf(text, n, "unknown");
}

static void forecast_cell(const void *of, char *text, size_t n)
{
    const struct row *row = of;
    (void)snprintf(text, n, "-");
    if (!isnan(row->forecast_j))
        energy(row->forecast_j, row->half_j * row->forecast_j / row->used.charged_j, row->lower,
               text, n);
}

static void until_cell(const void *of, char *text, size_t n)
{
    char time[WTL_JOB_TIME_TEXT];
    (void)snprintf(text, n, "%.16s", wtl_job_time_print(((const struct row *)of)->to_ns, time));
}

static void fair_cell(const void *of, char *text, size_t n)
{
    double share = ((const struct row *)of)->fair_share;
    (void)snprintf(text, n, isnan(share) ? "unknown" : "%.3f", share);
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define INT_OF(field, type_, function) \
    .type = (type_), .get = function, .offset = offsetof(struct row, field)
static const struct wtl_member of_row[] = {
    {"account", WTL_TEXT_AT(struct row, account), .csv = 1, .text = 1, .heading = "account",
     .left = true, .meaning = "whose budget it is"},
    {"from_s", INT_OF(from_ns, WTL_MEMBER_NUMBER, wtl_jobs_get_time), .csv = 2, .digits = 19,
     .unit = "s", .meaning = "begin of its period, since 1970"},
    {"to_s", INT_OF(to_ns, WTL_MEMBER_NUMBER, wtl_jobs_get_time), .csv = 3, .digits = 19,
     .unit = "s", .text = 2, .heading = "until", .left = true, .cell = until_cell,
     .meaning = "its end"},
    {"budget_j", WTL_NUMBER_AT(struct row, budget_j), .csv = 4, .digits = 15, .text = 3,
     .heading = "budget", .cell = budget_cell, .meaning = "energy for the period"},
    {"used_j", WTL_NUMBER_OR_NULL(struct row, used.charged_j), .csv = 5, .digits = 15, .text = 4,
     .heading = "used", .cell = used_cell,
     .meaning = "what its jobs that ended in the period so far are charged; null: it is of several "
                "kinds, which are not added: see measured_j, estimated_j and simulated_j"},
    {"measured_j", WTL_NUMBER_OR_NULL(struct row, used.measured_j), .csv = 15, .digits = 15,
     .meaning = "of it measured or derived; null: none"},
    {"estimated_j", WTL_NUMBER_OR_NULL(struct row, used.kinds.estimated_j), .csv = 16, .digits = 15,
     .meaning = "of it estimated, of nodes without a sensor; null: none"},
    {"estimated_low_j", WTL_NUMBER_OR_NULL(struct row, used.kinds.low_j), .csv = 17, .digits = 15,
     .meaning = "lower end of its interval; null: none, or unknown"},
    {"estimated_high_j", WTL_NUMBER_OR_NULL(struct row, used.kinds.high_j), .csv = 18, .digits = 15,
     .meaning = "its upper end"},
    {"half_j", WTL_NUMBER_OR_NULL(struct row, used.kinds.half_j), .csv = 20, .digits = 15,
     .meaning = "half width of the interval of what is measured, or simulated: the sum over the "
                "jobs; null: none, it is of both kinds, or unknown for a job"},
    {"simulated_j", WTL_NUMBER_OR_NULL(struct row, used.kinds.simulated_j), .csv = 19, .digits = 15,
     .meaning = "of it simulated; null: none"},
    {"used_part", WTL_NUMBER_OR_NULL(struct row, used_part), .csv = 6, .text = 5, .heading = "",
     .cell = part_cell, .meaning = "part of the budget; null: used_j is"},
    {"left_j", WTL_NUMBER_OR_NULL(struct row, left_j), .csv = 7, .digits = 15, .text = 6,
     .heading = "left", .cell = left_cell,
     .meaning = "what is left; negative: over; null: used_j is"},
    {"forecast_j", WTL_NUMBER_OR_NULL(struct row, forecast_j), .csv = 8, .digits = 15, .text = 7,
     .heading = "forecast", .cell = forecast_cell,
     .meaning = "expected at the end of the period at the present rate; null: less than 5 % of the "
                "period is over, or "
                "used_j is null"},
    {"lower_bound", WTL_BOOLEAN_AT(struct row, lower), .csv = 9,
     .meaning =
         "more may have been used: jobs are unknown, were measured in part, or are not shown to "
         "who asks"},
    {"jobs", INT_OF(jobs, WTL_MEMBER_INTEGER, wtl_jobs_get_from_0), .csv = 10,
     .meaning = "its jobs"},
    {"jobs_unknown", INT_OF(jobs_unknown, WTL_MEMBER_INTEGER, wtl_jobs_get_from_0), .csv = 11,
     .meaning = "of which have an unknown energy"},
    {"fair_share", WTL_NUMBER_OR_NULL(struct row, fair_share), .csv = 12, .text = 8,
     .heading = "fair share", .cell = fair_cell,
     .meaning = "2^(-U/S): U = its part of the energy used by all these accounts, S = its part of "
                "the shares; null: not all of their jobs are shown to who asks, or their energy is "
                "of several kinds"},
    {"state", WTL_WORD_AT(struct row, state, state_names), .csv = 13, .text = 9, .heading = "",
     .left = true,
     .meaning =
         "ok; over: also with the lower end of an estimate, or by one kind of energy alone; likely "
         "over: by the estimate or the forecast; unknown: what others have used is not shown to "
         "who asks, used_j is null, or the budget is in the interval of an estimate"},
    {"partial", WTL_BOOLEAN_AT(struct row, partial), .csv = 14,
     .meaning = "only your own jobs, and those of accounts that you coordinate, are in it"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_budget_row = {"budget", of_row};

static const struct wtl_member of_budget[] = {
    {"at_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct budget, at_ns), .meaning = "as of this time"},
    {"accounts", WTL_LIST_AT(struct budget, items, count, wtl_noun_jobs_budget_row),
     .meaning = "those with a budget then"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_budget = {"budgets", of_budget};
/* NOLINTEND(bugprone-macro-parentheses) */

static int print_text(const struct budget *budget, FILE *out)
{
    bool lower = false, partial = false, simulated = false, estimated = false, mixed = false;
    char at[WTL_JOB_TIME_TEXT];
    if (budget->count == 0) {
        (void)fprintf(out, "no budget at %s\n", wtl_job_time_print(budget->at_ns, at));
        return 0;
    }
    (void)fprintf(out, "Budgets as of %s:\n", wtl_job_time_print(budget->at_ns, at));
    int rc = wtl_jobs_table_print(&wtl_noun_jobs_budget_row, budget->items, budget->count,
                                  sizeof *budget->items, NULL, NULL, out);
    for (size_t i = 0; i < budget->count; i++) {
        const struct row *row = &budget->items[i];
        lower |= row->jobs_lower + row->jobs_unknown > 0;
        partial |= row->partial;
        simulated |= row->used.kinds.simulated_j > 0;
        estimated |= row->used.kinds.estimated_j > 0;
        mixed |= isnan(row->used.charged_j);
    }
    wtl_jobs_sum_notes(lower, partial, out);
    wtl_jobs_kinds_notes(simulated, estimated, mixed, out);
    (void)fputs("fair share: 1 nothing used, 0.5 exactly its part, towards 0 far more.\n", out);
    return rc;
}

static int print(const struct budget *budget, enum wtl_format format, FILE *out)
{
    struct wtl_row_writer sheet;
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(
            out, wtl_noun_document("wattle.jobs-budget/1", &wtl_noun_jobs_budget, budget));
    if (format == WTL_FORMAT_TEXT)
        return print_text(budget, out);
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs budget", &wtl_noun_jobs_budget_row);
    for (size_t i = 0; i < budget->count; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_budget_row, &budget->items[i]);
    return 0;
}

/* ---- computing ---- */

static int take_total(void *arg, const struct wtl_total_row *total)
{
    struct row *row = arg;
    row->jobs = total->jobs;
    row->jobs_unknown = total->jobs_unknown;
    row->used = wtl_jobs_sum_of(isnan(total->charged_j) ? 0 : total->charged_j, &total->kinds);
    row->jobs_lower = total->jobs_lower;
    return 0;
}

/* What is used at least: of several kinds, which are not added, the largest. */
static double least_used_j(const struct wtl_jobs_sum *used)
{
    double estimated_j = isnan(used->kinds.low_j) ? used->kinds.estimated_j : used->kinds.low_j;
    return fmax(used->measured_j, fmax(estimated_j, used->kinds.simulated_j));
}

/* Why it is not known whether the account is over its budget; NULL: it is. */
static const char *why_unknown(const struct row *row)
{
    if (row->partial)
        return "you do not see all of its jobs";
    if (isnan(row->used.charged_j))
        return "measured, estimated and simulated energy of its jobs is not added";
    return row->used.kinds.low_j <= row->budget_j && row->budget_j < row->used.kinds.high_j
               ? "its energy is an estimate, and the budget is in the interval of it"
               : NULL;
}

static enum state state_of(const struct row *row)
{
    if (least_used_j(&row->used) > row->budget_j)
        return OVER;
    if (row->left_j < 0 || row->forecast_j > row->budget_j)
        return LIKELY;
    return why_unknown(row) ? UNKNOWN : OK;
}

static int compute_row(struct row *row,
                       const struct wtl_budget *of,
                       const struct budget *budget,
                       const char *cluster,
                       struct wtl_store *store,
                       struct wattle_error *err)
{
    const struct wtl_job_query query = {.account = of->account,
                                        .cluster = cluster,
                                        .from_ns = of->from_ns,
                                        .to_ns = budget->at_ns > of->from_ns ? budget->at_ns
                                                                             : of->from_ns + 1};
    *row = (struct row){.account = of->account,
                        .from_ns = of->from_ns,
                        .to_ns = of->to_ns,
                        .budget_j = of->joules,
                        .used = wtl_jobs_sum_of(0, &(struct wtl_job_kinds){0}),
                        .shares = of->shares};
    bool all = false;
    int rc = wtl_store_sees(store, of->account, &all, err);
    rc = rc < 0 ? rc : wtl_store_totals(store, &query, WTL_GROUP_ALL, take_total, row, err);
    row->partial = !all;
    row->lower = row->partial || row->jobs_unknown + row->jobs_lower > 0;
    row->half_j = isnan(row->used.charged_j) ? (double)NAN : wtl_jobs_sum_half_j(&row->used.kinds);
    row->left_j = row->budget_j - row->used.charged_j;
    row->used_part = row->used.charged_j / row->budget_j;
    row->forecast_j = wtl_budget_forecast(of, row->used.charged_j, budget->at_ns);
    row->state = state_of(row);
    return rc;
}

/* Of energy: its mean power since the begin of the period. */
static double power(const struct row *row, int64_t at_ns, double joules)
{
    return joules > 0 ? joules / fmax(wtl_seconds_between(row->from_ns, at_ns), 1) : 0;
}

static void compute_shares(struct budget *budget)
{
    double used = 0, shares = 0;
    struct wtl_job_kinds kinds = {0}; /* of all accounts: these are not added, either */
    bool unknown = false;
    for (size_t i = 0; i < budget->count; i++) {
        const struct row *row = &budget->items[i];
        unknown |= row->partial;
        used += power(row, budget->at_ns, row->used.sum_j);
        kinds.estimated_j += power(row, budget->at_ns, row->used.kinds.estimated_j);
        kinds.simulated_j += power(row, budget->at_ns, row->used.kinds.simulated_j);
        shares += row->shares;
    }
    unknown |= wtl_jobs_is_mixed(used, &kinds);
    for (size_t i = 0; i < budget->count; i++) {
        struct row *row = &budget->items[i];
        row->fair_share = unknown
                              ? (double)NAN
                              : wtl_budget_fair_share(power(row, budget->at_ns, row->used.sum_j),
                                                      used, row->shares, shares);
    }
}

static bool is_wanted(const char *account, const struct wtl_command_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (strcmp(line->words[i], account) == 0)
            return true;
    return line->count == 0;
}

/* Of the accounts that were named; each must have a budget. */
static int choose(struct budget *budget,
                  const struct wtl_command_line *line,
                  struct wattle_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < line->count; i++) {
        bool found = false;
        for (size_t k = 0; k < budget->count; k++)
            found |= strcmp(line->words[i], budget->items[k].account) == 0;
        if (!found)
            return wtl_fail(err, -ENOENT, "account %s has no budget at that time", line->words[i]);
    }
    for (size_t i = 0; i < budget->count; i++)
        if (is_wanted(budget->items[i].account, line))
            budget->items[kept++] = budget->items[i];
    budget->count = kept;
    return 0;
}

static int read_budgets(struct budget *budget,
                        const struct request *request,
                        const struct wtl_config *config,
                        struct wattle_error *err)
{
    const char *path =
        request->budgets ? request->budgets : wtl_config_get(config, "jobs", "budgets");
    char *text = NULL;
    size_t size = 0;
    if (!path[0])
        return wtl_fail(
            err, -ENOENT,
            "no budgets are configured; name a file with --budgets, or in section [jobs] of "
            "wattle.conf(5)");
    int rc = wtl_table_file_load(path, &text, &size, err);
    rc = rc < 0 ? rc : wtl_budgets_read(&budget->budgets, path, text, size, err);
    free(text);
    if (rc == 0)
        wtl_budgets_at(&budget->budgets, budget->at_ns);
    return rc;
}

static int compute(struct budget *budget,
                   struct wtl_jobs_context *context,
                   const struct request *request,
                   const struct wtl_command_line *line,
                   struct wattle_error *err)
{
    int rc = wtl_jobs_context_open(context, request->filter.database, WTL_STORE_READ, err);
    rc = rc < 0 ? rc : read_budgets(budget, request, context->settings.config, err);
    if (rc < 0)
        return rc;
    budget->items = calloc(budget->budgets.count + 1, sizeof *budget->items);
    if (!budget->items)
        return wtl_no_memory(err);
    for (budget->count = 0; rc == 0 && budget->count < budget->budgets.count; budget->count++)
        rc = compute_row(&budget->items[budget->count], &budget->budgets.items[budget->count],
                         budget, request->filter.cluster, context->store, err);
    compute_shares(budget);
    return rc < 0 ? rc : choose(budget, line, err);
}

/* "Over" is known also where the rest is not. */
static int status_of(const struct wtl_command *command, const struct budget *budget)
{
    int status = WTL_EXIT_OK;
    for (size_t i = 0; i < budget->count; i++) {
        const struct row *row = &budget->items[i];
        const char *why = why_unknown(row);
        if (row->state == OVER)
            return EXIT_OVER;
        if (why && status == WTL_EXIT_OK) {
            status = WTL_EXIT_FAILED;
            wtl_complain(command, "whether account %s is over its budget is unknown: %s",
                         row->account, why);
        }
    }
    return status;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_jobs_budget_command;
    struct wtl_command_line line;
    struct request request = {.exit_code = false};
    struct wtl_jobs_context context = {.store = NULL};
    struct budget budget = {.count = 0};
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    budget.at_ns = wtl_jobs_now();
    if (request.at && wtl_job_time_parse_from(request.at, budget.at_ns, &budget.at_ns) < 0)
        return wtl_usage(command, "--at: \"%s\" is not a time such as 2026-11-26 or 7d (ago)",
                         request.at);
    int rc = compute(&budget, &context, &request, &line, &err);
    rc = rc < 0 ? rc : print(&budget, request.filter.format, stdout);
    if (rc < 0)
        wtl_complain(command, "%s", err.text[0] ? err.text : "out of memory");
    status = rc < 0              ? WTL_EXIT_FAILED
             : request.exit_code ? status_of(command, &budget)
                                 : WTL_EXIT_OK;
    free(budget.items);
    wtl_budgets_fini(&budget.budgets);
    wtl_jobs_context_fini(&context);
    return status;
}

const struct wtl_command wtl_jobs_budget_command = {
    .verb = "jobs budget",
    .run = run,
    .operands = "[ACCOUNT...]",
    .summary = "show what is used and left of the budgets of accounts",
    .text = "Budgets are joules or kWh per account and period, in a file of the site. The\n"
            "fair share compares what accounts use with their shares; see \"man\n"
            "wattle-jobs-budget\".\n",
    .options = options_table,
    .examples = "wattle jobs budget\n"
                "wattle jobs budget physics --exit-code || echo over\n",
    .usage_exit = WTL_EXIT_USAGE,
};
