/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of the tables of jobs: see jobs_items.h. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "base/parse.h"
#include "base/whole.h"
#include "cli/jobs/jobs_items.h"
#include "jobs/job_time.h"
#include "model/energy.h"
#include "report/digits.h"
#include "report/noun.h"

static char *put_unknown(char *text, size_t n, const char *word)
{
    (void)snprintf(text, n, "%s", word);
    return text;
}

/* The unit in which a number of this size has one to three digits before the point. */
static double unit_of(double size, const char **ret_unit)
{
    static const struct {
        double size;
        const char *unit;
    } units[] = {{1e12, "TJ"}, {1e9, "GJ"}, {1e6, "MJ"}, {1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && size < 0.9995 * units[i].size)
        i++;
    if (!(size > 0))
        i = 4;
    *ret_unit = units[i].unit;
    return units[i].size;
}

/* "420 J +- 390", with a space and the unit after the value: half a width that three digits would hide is printed. A lower bound is the
 * lower end of the interval, and has none. */
static void put_joules(double joules, double half, bool lower, char *text, size_t n)
{
    char value[80];
    const char *unit;
    if (lower) {
        joules = wtl_energy_at_least(joules, half);
        half = (double)NAN;
    }
    bool wide = half >= 0.005 * joules && half > 0 && isfinite(half);
    double scale = unit_of(wide ? fmax(joules, half) : joules, &unit);
    double of = joules / scale, known = wide ? half / scale : (double)NAN;
    of = lower ? wtl_digits_lowered(of, known) : of;
    (void)wtl_digits_interval(value, sizeof value, of, known);
    char *interval = strstr(value, " +- ");
    size_t first = interval ? (size_t)(interval - value) : strlen(value);
    (void)snprintf(text, n, "%s%.*s %s%s", lower ? "at least " : "", (int)first, value, unit,
                   interval ? interval : "");
}

char *wtl_jobs_energy_cell(double joules, double resolution_j, bool lower, char *text, size_t n)
{
    if (isnan(joules))
        return put_unknown(text, n, "unknown");
    put_joules(joules, resolution_j, lower, text, n);
    return text;
}

char *wtl_jobs_interval_cell(double joules, double half_j, bool lower, char *text, size_t n)
{
    if (isnan(joules) || !isnan(half_j))
        return wtl_jobs_energy_cell(joules, half_j, lower, text, n);
    put_joules(joules, half_j, false, text, n); /* what has no interval bounds nothing */
    size_t used = strlen(text);
    (void)snprintf(text + used, n - used, " +- ?%s", lower ? ", incomplete" : "");
    return text;
}

char *wtl_jobs_estimate_cell(const struct wtl_jobs_estimate *of, char *text, size_t n)
{
    char value[80], *range = NULL;
    const char *unit, *at_least = of->lower ? "at least " : "";
    if (isnan(of->j))
        return put_unknown(text, n, "unknown");
    bool ranged = of->low_j < of->high_j;
    if (!ranged && of->half_j > 0) {
        put_joules(of->j, of->half_j, of->lower, value, sizeof value);
        (void)snprintf(text, n, "%s estimated", value);
        return text;
    }
    if (ranged && of->lower) /* a bound is the lower end */
        return wtl_jobs_estimate_cell(
            &(struct wtl_jobs_estimate){of->low_j, NAN, NAN, NAN, .lower = true}, text, n);
    double scale = unit_of(of->j, &unit), j = of->j / scale;
    double half = ranged ? (of->high_j - of->low_j) / 2 / scale : j; /* two digits */
    j = of->lower ? wtl_digits_lowered(j, half) : j;
    if (ranged)
        (void)wtl_digits_range(value, sizeof value, j, of->low_j / scale, of->high_j / scale);
    else
        (void)wtl_digits_value(value, sizeof value, j, half);
    if (ranged && (range = strchr(value, ' ')))
        *range++ = '\0';
    (void)snprintf(text, n, "%s%s %s%s%s estimated", at_least, value, unit, range ? " " : "",
                   range ? range : "");
    return text;
}

/* Of a sum, without what is estimated or simulated; a kind that is none may be unknown or 0. */
static double measured_of(double joules, const struct wtl_job_kinds *kinds)
{
    return joules - (kinds->estimated_j > 0 ? kinds->estimated_j : 0) -
           (kinds->simulated_j > 0 ? kinds->simulated_j : 0);
}

bool wtl_jobs_is_mixed(double joules, const struct wtl_job_kinds *kinds)
{
    double least = 1e-9 * joules, measured = measured_of(joules, kinds);
    return (measured > least) + (kinds->estimated_j > least) + (kinds->simulated_j > least) > 1;
}

/* Is measured and simulated energy in it, which have one interval together? */
static bool is_joint(double joules, const struct wtl_job_kinds *kinds)
{
    double least = 1e-9 * joules;
    return kinds->simulated_j > least && measured_of(joules, kinds) > least;
}

/* Half width of the interval of what is not estimated; NaN: none, or unknown. */
static double half_of(double joules, const struct wtl_job_kinds *kinds)
{
    double least = 1e-9 * joules;
    bool some = !(kinds->estimated_j > least) || kinds->simulated_j > least ||
                measured_of(joules, kinds) > least;
    return some && kinds->open == 0 && !is_joint(joules, kinds) ? kinds->half_j : (double)NAN;
}

/* What is measured, or simulated, of a sum. */
static char *kind_cell(double kind_j,
                       double joules,
                       const struct wtl_job_kinds *kinds,
                       bool lower,
                       char *text,
                       size_t n)
{
    return is_joint(joules, kinds)
               ? wtl_jobs_energy_cell(kind_j, (double)NAN, lower, text, n)
               : wtl_jobs_interval_cell(kind_j, half_of(joules, kinds), lower, text, n);
}

struct wtl_jobs_sum wtl_jobs_sum_of(double joules, const struct wtl_job_kinds *kinds)
{
    bool mixed = wtl_jobs_is_mixed(joules, kinds);
    struct wtl_jobs_sum sum = {.sum_j = joules,
                               .charged_j = mixed ? (double)NAN : joules,
                               .measured_j = (double)NAN,
                               .kinds = *kinds};
    if (mixed || !(kinds->estimated_j + kinds->simulated_j > 0))
        sum.measured_j = wtl_not_below_0(measured_of(joules, kinds));
    if (!(kinds->estimated_j > 0) || !(kinds->low_j < kinds->high_j)) /* the sum of no model */
        sum.kinds.low_j = sum.kinds.high_j = (double)NAN;
    sum.kinds.half_j = half_of(joules, kinds);
    if (!(kinds->estimated_j > 0))
        sum.kinds.estimated_j = (double)NAN;
    if (!(kinds->simulated_j > 0))
        sum.kinds.simulated_j = (double)NAN;
    return sum;
}

double wtl_jobs_sum_half_j(const struct wtl_job_kinds *of_sum)
{
    return of_sum->estimated_j > 0 ? (of_sum->high_j - of_sum->low_j) / 2 : of_sum->half_j;
}

char *wtl_jobs_kinds_cell(double joules,
                          const struct wtl_job_kinds *kinds,
                          bool lower,
                          char *text,
                          size_t n)
{
    double least = 1e-9 * joules, measured = measured_of(joules, kinds);
    char part[WTL_JOBS_CELL];
    if (!(kinds->estimated_j > least) && !(kinds->simulated_j > least))
        return wtl_jobs_interval_cell(joules, half_of(joules, kinds), lower, text, n);
    text[0] = '\0';
    if (measured > least)
        (void)snprintf(text, n, "%s", kind_cell(measured, joules, kinds, lower, part, sizeof part));
    size_t used = strlen(text);
    if (kinds->simulated_j > least && used < n)
        (void)snprintf(text + used, n - used, "%s%s simulated", used ? " + " : "",
                       kind_cell(kinds->simulated_j, joules, kinds, lower, part, sizeof part));
    used = strlen(text);
    const struct wtl_jobs_estimate estimate = {.j = kinds->estimated_j,
                                               .half_j = (double)NAN,
                                               .low_j = kinds->low_j,
                                               .high_j = kinds->high_j,
                                               .lower = lower};
    if (kinds->estimated_j > least && used < n)
        (void)snprintf(text + used, n - used, "%s%s", used ? " + " : "",
                       wtl_jobs_estimate_cell(&estimate, part, sizeof part));
    return text;
}

char *wtl_jobs_kwh_cell(double joules, double half_j, bool lower, char *text, size_t n)
{
    char value[40];
    if (isnan(joules))
        return put_unknown(text, n, "unknown");
    if (lower) {
        joules = wtl_energy_at_least(joules, half_j);
        half_j = (double)NAN;
    }
    double half = fmin(half_j, joules) / 3.6e6, kwh = joules / 3.6e6;
    if (!(half_j >= 0.005 * joules))
        half = (double)NAN; /* three digits */
    (void)snprintf(
        text, n, "%s%s", lower ? "at least " : "",
        wtl_digits_value(value, sizeof value, lower ? wtl_digits_lowered(kwh, half) : kwh, half));
    return text;
}

const char *wtl_jobs_quality(const char *quality, bool simulated)
{
    if (simulated && strcmp(quality, "estimated") == 0)
        return "estimated, simulated";
    return simulated ? "simulated" : quality;
}

char *wtl_jobs_elapsed_cell(double seconds, char *text, size_t n)
{
    if (isnan(seconds) || seconds < 0)
        return put_unknown(text, n, "-");
    if (seconds < 60)
        return wtl_digits_time(text, n, seconds);
    uint64_t s = wtl_whole_u64(seconds + 0.5), days = s / 86400;
    if (days > 0)
        (void)snprintf(text, n, "%llu-%02u:%02u:%02u", (unsigned long long)days,
                       (unsigned)(s / 3600 % 24), (unsigned)(s / 60 % 60), (unsigned)(s % 60));
    else
        (void)snprintf(text, n, "%u:%02u:%02u", (unsigned)(s / 3600), (unsigned)(s / 60 % 60),
                       (unsigned)(s % 60));
    return text;
}

char *wtl_jobs_price_cell(double price, bool lower, char *text, size_t n)
{
    const char *at_least = lower ? "at least " : "";
    if (isnan(price))
        return put_unknown(text, n, "-");
    if (lower && price > 0)
        price = price < 0.01 ? wtl_digits_lowered(price, price) : floor(price * 100 + 1e-9) / 100;
    if (price > 0 && price < 0.01)
        (void)snprintf(text, n, "%s%.2g", at_least, price);
    else
        (void)snprintf(text, n, "%s%.2f", at_least, price);
    return text;
}

char *wtl_jobs_co2_cell(double grams, bool lower, char *text, size_t n)
{
    char value[40];
    if (isnan(grams))
        return put_unknown(text, n, "-");
    grams = lower ? wtl_digits_lowered(grams, (double)NAN) : grams;
    (void)snprintf(text, n, "%s%sg", lower ? "at least " : "",
                   wtl_digits_si(value, sizeof value, grams, (double)NAN));
    return text;
}

bool wtl_jobs_is_share(const char *rule)
{
    return rule[0] && strcmp(rule, "exclusive") != 0 && strcmp(rule, "node") != 0;
}

static int64_t int_at(const struct wtl_member *member, const void *of)
{
    int64_t value;
    memcpy(&value, (const char *)of + member->offset, sizeof value);
    return value;
}

/* Nanoseconds as seconds. */
static void give_ns(struct wtl_value *ret, int64_t ns, int64_t least)
{
    wtl_value_number(ret, ns < least ? (double)NAN : 1e-9 * (double)ns);
}

void wtl_jobs_get_time(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    give_ns(ret, int_at(member, of), 1);
}

void wtl_jobs_get_duration(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    give_ns(ret, int_at(member, of), 0);
}

void wtl_jobs_get_from_0(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_integer(ret, int_at(member, of), int_at(member, of) >= 0);
}

void wtl_jobs_get_from_1(const struct wtl_member *member, const void *of, struct wtl_value *ret)
{
    wtl_value_integer(ret, int_at(member, of), int_at(member, of) >= 1);
}

/* The text of a member; only texts, and what has a cell. */
static void render(const struct wtl_member *member, const void *of, char *text, size_t n)
{
    struct wtl_value value = {.known = false};
    text[0] = '\0';
    if (member->cell)
        member->cell(of, text, n);
    else
        member->get(member, of, &value);
    if (value.known && value.text)
        (void)snprintf(text, n, "%s", value.text);
}

struct rows {
    const void *items;
    size_t count, size;
    const void *last; /* NULL = none */
};

static bool says_something(const struct wtl_member *member, const struct rows *rows)
{
    char text[512];
    for (size_t i = 0; i < rows->count; i++) {
        render(member, (const char *)rows->items + i * rows->size, text, sizeof text);
        if (text[0] && strcmp(text, "-") != 0)
            return true;
    }
    if (rows->last)
        render(member, rows->last, text, sizeof text);
    return rows->last && text[0] && strcmp(text, "-") != 0;
}

/* A copy of the members, with the columns that say something. */
static void choose(const struct wtl_noun *noun,
                   const struct rows *rows,
                   const char *first,
                   struct wtl_member members[WTL_NOUN_COLUMNS])
{
    unsigned removed[WTL_NOUN_COLUMNS] = {0};
    size_t n = 0;
    for (; noun->members[n].key && n + 1 < WTL_NOUN_COLUMNS; n++) {
        members[n] = noun->members[n];
        if (members[n].text > 1 && !says_something(&members[n], rows)) {
            removed[members[n].text] = 1;
            members[n].text = 0;
        }
        if (members[n].text == 1 && first)
            members[n].heading = first;
    }
    members[n] = (struct wtl_member){.key = NULL};
    for (size_t i = 0; i < n; i++) {
        unsigned before = 0;
        for (unsigned k = 1; k < members[i].text && k < WTL_NOUN_COLUMNS; k++)
            before += removed[k];
        members[i].text -= before;
    }
}

void wtl_jobs_period_print(const char *what, int64_t from_ns, int64_t to_ns, FILE *out)
{
    char from[WTL_JOB_TIME_TEXT], to[WTL_JOB_TIME_TEXT];
    if (from_ns > 0)
        (void)fprintf(out, "%s from %s to %s", what, wtl_job_time_print(from_ns, from),
                      wtl_job_time_print(to_ns, to));
    else
        (void)fprintf(out, "%s before %s", what, wtl_job_time_print(to_ns, to));
}

void wtl_jobs_sum_notes(bool lower, bool partial, FILE *out)
{
    if (lower)
        (void)fputs("at least: what was not measured is left out.\n", out);
    if (partial)
        (void)fputs("Only your own jobs, and those of accounts that you coordinate, are in it.\n",
                    out);
}

void wtl_jobs_kinds_notes(bool simulated, bool estimated, bool mixed, FILE *out)
{
    if (simulated)
        (void)fputs("Some of the energy is of simulated sensors.\n", out);
    if (estimated)
        (void)fputs("Some of the energy is an estimate, of nodes without a sensor.\n", out);
    if (mixed)
        (void)fputs("Measured, estimated and simulated energy is not added; without a sum there is "
                    "no price of it.\n",
                    out);
}

int wtl_jobs_table_print(const struct wtl_noun *noun,
                         const void *items,
                         size_t count,
                         size_t size,
                         const void *last,
                         const char *first,
                         FILE *out)
{
    struct wtl_member members[WTL_NOUN_COLUMNS];
    const struct wtl_noun chosen = {noun->name, members};
    const struct rows rows = {items, count, size, last};
    struct wtl_column columns[WTL_NOUN_COLUMNS];
    struct wtl_style style = wtl_style_of(out);
    choose(noun, &rows, first, members);
    size_t n = wtl_noun_text_columns(&chosen, columns);
    struct wtl_table *table = wtl_table_create(columns, n);
    for (size_t i = 0; i < count; i++)
        wtl_noun_text_row(table, WTL_PLAIN, &chosen, (const char *)items + i * size);
    if (last)
        wtl_noun_text_row(table, WTL_STRONG, &chosen, last);
    int rc = wtl_table_print(table, out, 0, &style);
    wtl_table_destroy(table);
    return rc;
}
