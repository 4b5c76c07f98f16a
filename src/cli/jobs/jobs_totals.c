/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of jobs: see jobs_totals.h. The factors of a job are those of the time when it ended: the database adds up the jobs of
 * each factor's period by itself, and the sums of a key are added here. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "cli/documents.h"
#include "cli/jobs/jobs_items.h"
#include "jobs/job_time.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/noun.h"

const char *const wtl_jobs_group_names[] = {"user",    "account", "program", "partition",
                                            "cluster", "node",    "day",     "week",
                                            "month",   "all",     NULL};

/* ---- adding up ---- */

/* Rows of one factor's period, being added. */
struct adding {
    struct wtl_jobs_totals *totals;
    const struct wtl_factor *factor;
};

/* NaN: nothing yet, or unknown: a part alone is known. */
static double plus(double sum, double part)
{
    return isnan(part) ? sum : isnan(sum) ? part : sum + part;
}

/* A price of which a part is unknown is unknown, as long as that part has energy. */
static double plus_price(double sum, double part, double joules, bool first)
{
    if (isnan(joules) || !(fabs(joules) > 0))
        return sum;
    return first ? part : sum + part;
}

static const struct wtl_jobs_total nothing = {.sum_j = NAN,
                                              .charged_j = NAN,
                                              .measured_j = NAN,
                                              .cpu_s = NAN,
                                              .price = NAN,
                                              .co2_g = NAN,
                                              .part = NAN};

static void add_to(struct wtl_jobs_total *total,
                   const struct wtl_total_row *row,
                   const struct wtl_factor *factor)
{
    bool first = isnan(total->sum_j);
    total->price =
        plus_price(total->price, wtl_jobs_price(factor, row->charged_j), row->charged_j, first);
    total->co2_g =
        plus_price(total->co2_g, wtl_jobs_co2(factor, row->charged_j), row->charged_j, first);
    total->jobs += row->jobs;
    total->jobs_unknown += row->jobs_unknown;
    total->jobs_lower += row->jobs_lower;
    total->sum_j = plus(total->sum_j, row->charged_j);
    total->kinds.estimated_j += row->kinds.estimated_j;
    total->kinds.low_j += row->kinds.low_j;
    total->kinds.high_j += row->kinds.high_j;
    total->kinds.simulated_j += row->kinds.simulated_j;
    total->kinds.half_j += row->kinds.half_j;
    total->kinds.open += row->kinds.open;
    total->gpu_j = plus(total->gpu_j, row->gpu_j);
    total->node_s = plus(total->node_s, row->node_s);
    total->cpu_s = plus(total->cpu_s, row->cpu_s);
    total->simulated |= row->simulated;
    total->estimated |= row->estimated;
    total->lower |= row->jobs_lower + row->jobs_unknown > 0;
}

static int take(void *arg, const struct wtl_total_row *row)
{
    struct adding *adding = arg;
    struct wtl_jobs_totals *totals = adding->totals;
    size_t i = 0;
    while (i < totals->count && strcmp(totals->items[i].key, row->key) != 0)
        i++;
    if (i == totals->count) {
        if (wtl_grow(&totals->items, totals->count, sizeof *totals->items) < 0)
            return -ENOMEM;
        totals->items[i] = nothing;
        if (!(totals->items[i].key = strdup(row->key)))
            return -ENOMEM;
        totals->count++;
    }
    add_to(&totals->items[i], row, adding->factor);
    add_to(&totals->all, row, adding->factor);
    return 0;
}

static bool is_time(enum wtl_store_group group)
{
    return group == WTL_GROUP_DAY || group == WTL_GROUP_WEEK || group == WTL_GROUP_MONTH;
}

static int compare_energy(const void *a, const void *b)
{
    const struct wtl_jobs_total *x = a, *y = b;
    double left = isnan(x->sum_j) ? -1 : x->sum_j, right = isnan(y->sum_j) ? -1 : y->sum_j;
    return left > right ? -1 : left < right ? 1 : strcmp(x->key, y->key);
}

static int compare_key(const void *a, const void *b)
{
    const struct wtl_jobs_total *x = a, *y = b;
    return strcmp(x->key, y->key);
}

/* A sum of one kind is the energy; of several kinds there is none, and no price of it. */
static void settle(struct wtl_jobs_total *total)
{
    const struct wtl_jobs_sum sum = wtl_jobs_sum_of(total->sum_j, &total->kinds);
    total->charged_j = sum.charged_j;
    total->measured_j = sum.measured_j;
    total->kinds = sum.kinds;
    if (wtl_jobs_is_mixed(sum.sum_j, &sum.kinds))
        total->price = total->co2_g = (double)NAN;
}

static void finish(struct wtl_jobs_totals *totals)
{
    settle(&totals->all);
    totals->all.partial = totals->partial;
    wtl_sort(totals->items, totals->count, sizeof *totals->items,
             is_time(totals->group) ? compare_key : compare_energy);
    for (size_t i = 0; i < totals->count; i++) {
        struct wtl_jobs_total *item = &totals->items[i];
        settle(item);
        item->part =
            totals->all.charged_j > 0 ? item->charged_j / totals->all.charged_j : (double)NAN;
        item->partial = totals->partial;
    }
    totals->shown =
        totals->limit > 0 && totals->limit < totals->count ? totals->limit : totals->count;
    totals->left_out = totals->count - totals->shown;
}

int wtl_jobs_totals_read(struct wtl_jobs_totals *totals,
                         struct wtl_store *store,
                         const struct wtl_job_query *query,
                         const struct wtl_factors *factors,
                         struct wattle_error *err)
{
    int rc = 0;
    totals->all = nothing;
    totals->from_ns = query->from_ns;
    totals->to_ns = query->to_ns;
    totals->by = wtl_jobs_group_names[totals->group];
    for (size_t i = 0; rc == 0 && i < factors->count; i++) {
        const int64_t begin = factors->items[i].from_ns;
        const int64_t end = i + 1 < factors->count ? factors->items[i + 1].from_ns : INT64_MAX;
        struct adding adding = {totals, &factors->items[i]};
        struct wtl_job_query part = *query;
        part.from_ns = begin > query->from_ns ? begin : query->from_ns;
        part.to_ns = end < query->to_ns ? end : query->to_ns;
        if (part.from_ns < part.to_ns)
            rc = wtl_store_totals(store, &part, totals->group, take, &adding, err);
        if (rc == -ENOMEM)
            rc = wtl_no_memory(err);
    }
    bool all = true;
    rc = rc < 0 ? rc : wtl_store_sees(store, query->account, &all, err);
    totals->partial = !all;
    finish(totals);
    return rc;
}

void wtl_jobs_totals_fini(struct wtl_jobs_totals *totals)
{
    for (size_t i = 0; i < totals->count; i++)
        free(totals->items[i].key);
    free(totals->items);
    totals->items = NULL;
    totals->count = 0;
}

const struct wtl_jobs_total *wtl_jobs_totals_find(const struct wtl_jobs_totals *totals,
                                                  const char *key)
{
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->items[i].key, key) == 0)
            return &totals->items[i];
    return NULL;
}

/* ---- cells ---- */

static void key_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    (void)snprintf(text, n, "%s", !total->key ? "total" : total->key[0] ? total->key : "(none)");
}

static void count_cell(int64_t count, char *text, size_t n)
{
    (void)snprintf(text, n, "%lld", (long long)count);
}

static void jobs_cell(const void *of, char *text, size_t n)
{
    count_cell(((const struct wtl_jobs_total *)of)->jobs, text, n);
}

/* "": none. */
static void unknown_cell(const void *of, char *text, size_t n)
{
    int64_t count = ((const struct wtl_jobs_total *)of)->jobs_unknown;
    text[0] = '\0';
    if (count)
        count_cell(count, text, n);
}

static void lower_cell(const void *of, char *text, size_t n)
{
    int64_t count = ((const struct wtl_jobs_total *)of)->jobs_lower;
    text[0] = '\0';
    if (count)
        count_cell(count, text, n);
}

static void energy_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    (void)wtl_jobs_kinds_cell(total->sum_j, &total->kinds, total->lower, text, n);
}

/* "": none. */
static void gpu_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    text[0] = '\0';
    if (total->gpu_j > 0)
        (void)wtl_jobs_energy_cell(total->gpu_j, (double)NAN, total->lower, text, n);
}

static void kwh_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    text[0] = '\0';
    if (!isnan(total->charged_j) || isnan(total->sum_j))
        (void)wtl_jobs_kwh_cell(total->charged_j, wtl_jobs_sum_half_j(&total->kinds), total->lower,
                                text, n);
}

static void part_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    text[0] = '\0';
    if (!isnan(total->part))
        (void)snprintf(text, n, "%.1f %%", 100 * total->part);
}

static void hours_cell(const void *of, char *text, size_t n)
{
    char value[40];
    (void)snprintf(text, n, "%s",
                   wtl_digits_value(value, sizeof value,
                                    ((const struct wtl_jobs_total *)of)->node_s / 3600,
                                    (double)NAN));
}

static void price_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    (void)wtl_jobs_price_cell(total->price, total->lower, text, n);
}

static void co2_cell(const void *of, char *text, size_t n)
{
    const struct wtl_jobs_total *total = of;
    (void)wtl_jobs_co2_cell(total->co2_g, total->lower, text, n);
}

/* ---- the tables of members ---- */

WTL_MEMBER_GET(get_kwh)
{
    wtl_value_number(ret, ((const struct wtl_jobs_total *)of)->charged_j / 3.6e6);
}

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define COUNT_OF(field)                                     \
    .type = WTL_MEMBER_INTEGER, .get = wtl_jobs_get_from_0, \
    .offset = offsetof(struct wtl_jobs_total, field)
static const struct wtl_member of_total[] = {
    {"key", WTL_TEXT_OR_NULL(struct wtl_jobs_total, key), .csv = 1, .text = 1, .heading = "",
     .left = true, .cell = key_cell,
     .meaning =
         "the user, account, ...; of a day, week or month its first day in UTC; null: the total"},
    {"jobs", COUNT_OF(jobs), .csv = 2, .text = 2, .heading = "jobs", .cell = jobs_cell,
     .meaning = "number of jobs; of a node, of jobs on it"},
    {"jobs_unknown", COUNT_OF(jobs_unknown), .csv = 3, .text = 3, .heading = "unknown",
     .cell = unknown_cell, .meaning = "jobs whose energy is unknown, and left out"},
    {"jobs_lower", COUNT_OF(jobs_lower), .csv = 4, .text = 4, .heading = "partly",
     .cell = lower_cell, .meaning = "jobs whose energy is a lower bound"},
    {"charged_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, charged_j), .csv = 5, .digits = 15,
     .text = 5, .heading = "energy", .cell = energy_cell,
     .meaning = "energy that they are charged, without the unknown ones; null: all are unknown, or "
                "they are of several kinds, which are not added: see measured_j, estimated_j and "
                "simulated_j"},
    {"measured_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, measured_j), .csv = 17, .digits = 15,
     .meaning = "of it measured or derived; null: none"},
    {"estimated_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, kinds.estimated_j), .csv = 18,
     .digits = 15, .meaning = "of it estimated, of nodes without a sensor; null: none"},
    {"estimated_low_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, kinds.low_j), .csv = 19,
     .digits = 15, .meaning = "lower end of its interval; null: none, or unknown"},
    {"estimated_high_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, kinds.high_j), .csv = 20,
     .digits = 15, .meaning = "its upper end"},
    {"simulated_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, kinds.simulated_j), .csv = 21,
     .digits = 15, .meaning = "of it simulated; null: none"},
    {"half_j", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, kinds.half_j), .csv = 22, .digits = 15,
     .meaning = "half width of the interval of what is measured, or simulated: the sum over the "
                "jobs; null: none, it is of both kinds, or unknown for a job"},
    {"gpu_j", WTL_NUMBER_AT(struct wtl_jobs_total, gpu_j), .csv = 16, .digits = 15, .text = 11,
     .heading = "of it GPUs", .cell = gpu_cell,
     .meaning = "of charged_j: GPUs, as far as they are measured"},
    {"lower_bound", WTL_BOOLEAN_AT(struct wtl_jobs_total, lower), .csv = 6,
     .meaning = "it leaves something out"},
    {"kwh", .type = WTL_MEMBER_NUMBER, .unit = "kWh", .nullable = true, .get = get_kwh, .csv = 7,
     .text = 6, .heading = "kWh", .cell = kwh_cell, .meaning = "the same in kWh"},
    {"part", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, part), .csv = 8, .text = 7,
     .heading = "of all", .cell = part_cell, .meaning = "part of the total"},
    {"node_s", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, node_s), .csv = 9, .text = 8,
     .heading = "node hours", .cell = hours_cell, .meaning = "time x nodes"},
    {"cpu_s", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, cpu_s), .csv = 10,
     .meaning = "CPU time of the jobs in which it is known"},
    {"price", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, price), .csv = 11, .text = 9,
     .heading = "price", .cell = price_cell,
     .meaning = "price of charged_j, of each job with the factor of the time when it ended: as "
                "charged_j, it can be a lower bound; null: a factor is unknown"},
    {"co2_g", WTL_NUMBER_OR_NULL(struct wtl_jobs_total, co2_g), .unit = "g", .csv = 12, .text = 10,
     .heading = "CO2", .cell = co2_cell, .meaning = "CO2 of charged_j, likewise"},
    {"simulated", WTL_BOOLEAN_AT(struct wtl_jobs_total, simulated), .csv = 13,
     .meaning = "some of it is of a simulated sensor"},
    {"estimated", WTL_BOOLEAN_AT(struct wtl_jobs_total, estimated), .csv = 14,
     .meaning = "some of it is an estimate, of nodes without a sensor"},
    {"partial", WTL_BOOLEAN_AT(struct wtl_jobs_total, partial), .csv = 15,
     .meaning = "only your own jobs, and those of accounts that you coordinate, are in it"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_total = {"jobs total", of_total};

static const struct wtl_member of_totals[] = {
    {"by", WTL_TEXT_AT(struct wtl_jobs_totals, by),
     .meaning = "user, account, program, partition, cluster, node, day, week, month or all"},
    {"from_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct wtl_jobs_totals, from_ns),
     .meaning = "jobs that ended then or later, since 1970"},
    {"to_s", .type = WTL_MEMBER_NUMBER, .unit = "s", .get = wtl_jobs_get_time,
     .offset = offsetof(struct wtl_jobs_totals, to_ns), .meaning = "and before then"},
    {"currency", WTL_TEXT_OR_NULL(struct wtl_jobs_totals, currency), .meaning = "of prices"},
    {"rows", WTL_LIST_AT(struct wtl_jobs_totals, items, shown, wtl_noun_jobs_total),
     .meaning = "the largest energy first; of days, weeks, months: by time"},
    {"left_out", WTL_SIZE_AT(struct wtl_jobs_totals, left_out), .meaning = "rows beyond --limit"},
    {"total", WTL_OBJECT_AT(struct wtl_jobs_totals, all, wtl_noun_jobs_total), .meaning = "of all"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_jobs_report = {"jobs report", of_totals};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- printing ---- */

static void print_notes(const struct wtl_jobs_totals *totals, FILE *out)
{
    const struct wtl_jobs_total *all = &totals->all;
    if (totals->left_out)
        (void)fprintf(out, "... and %zu more: see --limit\n", totals->left_out);
    wtl_jobs_sum_notes(all->lower, totals->partial, out);
    wtl_jobs_kinds_notes(all->simulated, all->estimated, isnan(all->charged_j) && all->sum_j > 0,
                         out);
    if (totals->group == WTL_GROUP_NODE && totals->count > 1)
        (void)fputs("Nodes of the same model can differ by 20 % and more for the same work.\n",
                    out);
    if (is_time(totals->group))
        (void)fputs("Days, weeks (from Monday) and months are those of UTC.\n", out);
    if (totals->currency && totals->currency[0] && !isnan(all->price))
        wtl_print_sentence(out, "Prices in %s, with the factor of the time when each job ended.\n",
                           totals->currency);
}

static int print_text(const struct wtl_jobs_totals *totals, FILE *out)
{
    bool none = totals->all.jobs == 0;
    wtl_jobs_period_print(none ? "No jobs ended" : "Jobs that ended", totals->from_ns,
                          totals->to_ns, out);
    (void)fputs(none ? ".\n" : ":\n", out);
    if (none)
        return 0;
    bool one = totals->group == WTL_GROUP_ALL;
    int rc = wtl_jobs_table_print(&wtl_noun_jobs_total, one ? &totals->all : totals->items,
                                  one ? 1 : totals->shown, sizeof *totals->items,
                                  one ? NULL : &totals->all, one ? NULL : totals->by, out);
    print_notes(totals, out);
    return rc;
}

static void print_csv(const struct wtl_jobs_totals *totals, FILE *out)
{
    struct wtl_row_writer sheet;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "jobs report", &wtl_noun_jobs_total);
    for (size_t i = 0; i < totals->shown; i++)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_jobs_total, &totals->items[i]);
}

int wtl_jobs_totals_print(const struct wtl_jobs_totals *totals, enum wtl_format format, FILE *out)
{
    if (format == WTL_FORMAT_JSON)
        return wtl_json_print(
            out, wtl_noun_document("wattle.jobs-report/1", &wtl_noun_jobs_report, totals));
    if (format == WTL_FORMAT_TEXT)
        return print_text(totals, out);
    print_csv(totals, out);
    return 0;
}
