/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A comparison as text: who is who, the table, the verdicts, then everything that speaks against
 * taking them for more than they are.
 */
#include "report/compare/sides_report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/digits.h"
#include "report/table.h"

enum { CELL = 64 };

__attribute__((format(printf, 5, 6))) static void tell(FILE *out,
                                                       const struct wtl_style *style,
                                                       enum wtl_emphasis emphasis,
                                                       const char *label,
                                                       const char *format,
                                                       ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wtl_print_paragraph(out, style, emphasis, WTL_TEXT_LABEL, label, text);
}

/* ---- the table ---- */

/* A change that is only rounding is none. */
static double snap(double value, double scale)
{
    return fabs(value) < 1e-9 * fabs(scale) ? 0 : value;
}

/* A percentage with its sign, rounded as its half width supports. */
static char *percent(char *buf, size_t n, double part, double half)
{
    char number[40];
    if (isnan(part))
        (void)snprintf(buf, n, "unknown");
    else
        (void)snprintf(buf, n, "%s%s", part > 0 ? "+" : "",
                       wtl_digits_value(number, sizeof number, 100 * part, 100 * half));
    return buf;
}

static char *percents(char *buf, size_t n, const struct wtl_interval *ratio)
{
    char low[40], high[40];
    double half = (ratio->high - ratio->low) / 2;
    if (isnan(half))
        (void)snprintf(buf, n, "unknown");
    else if (isinf(half))
        (void)snprintf(buf, n, "unbounded");
    else
        (void)snprintf(buf, n, "%s .. %s", percent(low, sizeof low, snap(ratio->low - 1, 1), half),
                       percent(high, sizeof high, snap(ratio->high - 1, 1), half));
    return buf;
}

/* Half width of an estimate as a part of it: how far its model may err; 1 where that is unknown. */
static double error_of(const double range[2], double mean)
{
    double part = (range[1] - range[0]) / 2 / fabs(mean);
    return isnan(part) ? 1 : part;
}

/* One line; of an estimate with the digits that its model deserves, and without an interval, which would be over runs alone. */
static void add_row(struct wtl_table *table, const struct wtl_side_row *row)
{
    const struct wtl_comparison *c = &row->comparison;
    char name[128], a[CELL], b[CELL], difference[CELL], change[CELL], range[2 * CELL] = "estimated";
    double half = snap((c->difference.high - c->difference.low) / 2, c->a.mean);
    double half_ratio = (c->ratio.high - c->ratio.low) / 2;
    bool headline = row->group == WTL_ROW_HEADLINE, estimated = row->quality == WATTLE_ESTIMATED;
    (void)snprintf(name, sizeof name, "%s [%s]", row->name, row->unit);
    if (row->why[0]) {
        const char *cells[] = {name, NULL, NULL, NULL, NULL, row->why};
        wtl_table_row(table, WTL_FAINT, cells);
        return;
    }
    if (estimated) {
        half_ratio = fmax(error_of(row->a_range, c->a.mean), error_of(row->b_range, c->b.mean));
        half = half_ratio * fmax(fabs(c->a.mean), fabs(c->b.mean));
        (void)wtl_digits_estimate(a, sizeof a, c->a.mean, row->a_range[0], row->a_range[1]);
        (void)wtl_digits_estimate(b, sizeof b, c->b.mean, row->b_range[0], row->b_range[1]);
    } else {
        (void)wtl_digits_value(a, sizeof a, c->a.mean, c->a.ci95);
        (void)wtl_digits_value(b, sizeof b, c->b.mean, c->b.ci95);
        (void)percents(range, sizeof range, &c->ratio);
    }
    (void)wtl_digits_value(difference, sizeof difference, snap(c->difference.value, c->a.mean),
                           half);
    (void)percent(change, sizeof change, snap(c->ratio.value - 1, 1), half_ratio);
    const char *cells[] = {name, a, b, difference, change, range};
    wtl_table_row(table, headline ? WTL_STRONG : WTL_PLAIN, cells);
}

static int print_table(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    static const struct wtl_column columns[] = {{"", false},          {"A", true},
                                                {"B", true},          {"B - A", true},
                                                {"change [%]", true}, {"interval [%]", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    enum wtl_row_group group = WTL_ROW_HEADLINE;
    for (size_t i = 0; i < sides->count; i++) {
        if (sides->rows[i].group != group)
            wtl_table_rule(table);
        group = sides->rows[i].group;
        add_row(table, &sides->rows[i]);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* ---- who is who ---- */

static void print_side(FILE *out, const char *label, const struct wtl_result *results, size_t n)
{
    const struct wtl_result *first = &results[0];
    const char *what = first->command ? first->command : first->target ? first->target : "machine";
    const char *trace = first->trace ? first->trace : "-";
    if (n == 1)
        tell(out, NULL, WTL_PLAIN, label, "%.300s (1 run, %.300s)", what, trace);
    else
        tell(out, NULL, WTL_PLAIN, label, "%.300s (%zu runs, %.300s ..)", what, n, trace);
}

/* ---- verdicts ---- */

static void print_verdicts(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    for (size_t i = 0; i < sides->headline; i++) {
        const struct wtl_side_row *row = &sides->rows[i];
        bool given = row->verdict.kind != WTL_VERDICT_NONE;
        tell(out, style, given ? WTL_STRONG : WTL_CAUTION, row->name, "%s", row->verdict.text);
    }
}

static void print_basis(FILE *out, const struct wtl_sides *sides)
{
    size_t regions = 0, channels = 0;
    bool floor = false;
    for (size_t i = 0; i < sides->count; i++) {
        const struct wtl_side_row *row = &sides->rows[i];
        regions += row->group == WTL_ROW_REGION ? 1 : 0;
        channels += row->group == WTL_ROW_CHANNEL ? 1 : 0;
        floor |= row->group == WTL_ROW_HEADLINE && !row->why[0] &&
                 row->comparison.basis == WTL_COMPARISON_BY_NOISE;
    }
    if (floor)
        tell(out, NULL, WTL_PLAIN, "noise floor",
             "with fewer than %d runs a side the intervals are those of the stored noise floor",
             WTL_COMPARISON_RUNS);
    if (sides->compared > 1)
        tell(out, NULL, WTL_PLAIN, "intervals",
             "the %zu comparisons with a verdict share 5 %% of false alarms (Holm), and their "
             "intervals are wide enough for that; each of the %zu of channels%s stands for itself, "
             "with 95 %%",
             sides->compared, channels + regions, regions ? " and regions" : "");
    if (sides->paired)
        tell(out, NULL, WTL_PLAIN, "pairs", "run i of A with run i of B");
}

/* ---- what speaks against it ---- */

static void print_conditions(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_conditions *conditions)
{
    for (size_t i = 0; conditions && i < conditions->count; i++) {
        const struct wtl_condition_difference *d = &conditions->differences[i];
        char label[24];
        (void)snprintf(label, sizeof label, "! %s", d->forbids ? "DIFFERENT" : "differs");
        tell(out, style, d->forbids ? WTL_CAUTION : WTL_PLAIN, label, "%s: A %s, B %s", d->what,
             d->a, d->b);
    }
}

static void print_flags(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_result *results,
                        size_t n,
                        char side)
{
    const struct wtl_result_flag *flag;
    size_t runs;
    for (size_t cursor = 0; wtl_side_flag_next(results, n, &cursor, &flag, &runs);) {
        char label[40];
        (void)snprintf(label, sizeof label, "! %s", flag->name);
        tell(out, style, WTL_CAUTION, label, "%zu of %zu run%s of %c: %s", runs, n,
             n == 1 ? "" : "s", side, flag->text);
    }
}

static size_t failed_in(const struct wtl_result *results, size_t n)
{
    size_t failed = 0;
    for (size_t i = 0; i < n; i++)
        failed += results[i].exit_code > 0 ? 1 : 0;
    return failed;
}

static void print_order(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    bool several = sides->a_n > 1 || sides->b_n > 1;
    if (!sides->order_known && several)
        tell(out, style, WTL_PLAIN, "! order", "unknown: the traces do not tell when they ran");
    else if (sides->apart && !sides->paired)
        tell(out, style, WTL_PLAIN, "! order",
             "one side ran before the other: a change of the machine in between would look like a "
             "difference, and is not in the intervals; \"wattle ab\" interleaves");
    if (sides->overlap)
        tell(out, style, WTL_CAUTION, "! OVERLAP",
             "runs went on at the same time, or a trace was named twice");
    for (size_t i = 0; i < sides->headline; i++) {
        const struct wtl_side_row *row = &sides->rows[i];
        if (!row->why[0] && row->drift.p < 0.05)
            tell(out, style, WTL_CAUTION, "! DRIFT",
                 "%s changes by %+.2g %% a run over the order of the runs (p = %.2g)", row->name,
                 100 * row->drift.per_run, row->drift.p);
        if (row->a_outliers + row->b_outliers > 0)
            tell(out, style, WTL_PLAIN, "! outliers", "%s: %zu in A, %zu in B; shown, not removed",
                 row->name, row->a_outliers, row->b_outliers);
    }
}

static void print_warm_up(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    if (sides->a_dropped + sides->b_dropped > 0)
        tell(out, style, WTL_PLAIN, "warm-up", "dropped: the first %zu of A, the first %zu of B",
             sides->a_dropped, sides->b_dropped);
    if (sides->a_warm_up + sides->b_warm_up > 0)
        tell(out, style, WTL_PLAIN, "! warm-up",
             "the first %zu of A and %zu of B differ from all behind them: --warm-up auto drops "
             "them",
             sides->a_warm_up, sides->b_warm_up);
}

/* What the energy of both sides is, whatever the verdict. */
static void print_quality(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    const char *a = wtl_side_quality(sides->a, sides->a_n);
    const char *b = wtl_side_quality(sides->b, sides->b_n);
    bool plain = strcmp(a, "measured") == 0 && strcmp(b, "measured") == 0;
    tell(out, style, plain ? WTL_PLAIN : WTL_CAUTION, "energy is", "A %s, B %s", a, b);
}

static void print_failures(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    size_t a = failed_in(sides->a, sides->a_n), b = failed_in(sides->b, sides->b_n);
    if (a + b > 0)
        tell(out, style, WTL_CAUTION, "! FAILED",
             "the command failed in %zu of %zu runs of A and %zu of %zu of B: is it the same work?",
             a, sides->a_n, b, sides->b_n);
}

int wtl_text_sides(FILE *out, const struct wtl_style *style, const struct wtl_sides_report *report)
{
    const struct wtl_sides *sides = report->sides;
    (void)fputc('\n', out);
    print_side(out, "A", sides->a, sides->a_n);
    print_side(out, "B", sides->b, sides->b_n);
    (void)fputc('\n', out);
    int rc = print_table(out, style, sides);
    (void)fputc('\n', out);
    print_verdicts(out, style, sides);
    (void)fputc('\n', out);
    if (sides->a[0].total.count > 0)
        tell(out, NULL, WTL_PLAIN, "total of", "%s", sides->a[0].total.contains);
    print_quality(out, style, sides);
    print_basis(out, sides);
    print_warm_up(out, style, sides);
    if (sides->only_a[0])
        tell(out, NULL, WTL_PLAIN, "only in A", "%s", sides->only_a);
    if (sides->only_b[0])
        tell(out, NULL, WTL_PLAIN, "only in B", "%s", sides->only_b);
    print_conditions(out, style, report->conditions);
    print_order(out, style, sides);
    print_failures(out, style, sides);
    print_flags(out, style, sides->a, sides->a_n, 'A');
    print_flags(out, style, sides->b, sides->b_n, 'B');
    (void)fputc('\n', out);
    return rc;
}
