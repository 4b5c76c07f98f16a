/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison in pairs as text: the commands, the table of differences, the verdict, then what may
 * be held against it. */
#include "report/compare/report_ab.h"

#include <math.h>
#include <stdarg.h>

#include "model/quality.h"
#include "report/digits.h"
#include "report/result/text_result.h"
#include "report/table.h"

enum { CELL = 96 };

static const char *const sides[] = {"A", "B"};

__attribute__((format(printf, 3, 4))) static void fact(FILE *out,
                                                       const char *label,
                                                       const char *format,
                                                       ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, label, text);
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* Digits behind the point for percentages known to such a half width. */
static int decimals(double half)
{
    return !(half < 10) ? 0 : half >= 0.5 ? 1 : half >= 0.05 ? 2 : 3;
}

char *wtl_digits_change(char *buf, size_t n, const struct wtl_interval *ratio)
{
    double change = 100 * (ratio->value - 1);
    double low = 100 * (ratio->low - 1), high = 100 * (ratio->high - 1);
    if (isnan(change)) {
        (void)snprintf(buf, n, "unknown");
    } else if (!isfinite(low) || !isfinite(high)) {
        (void)snprintf(buf, n, "%+.*f %%", fabs(change) < 1 ? 2 : 1, change);
    } else {
        int digits = decimals((high - low) / 2);
        (void)snprintf(buf, n, "%+.*f %% (%+.*f .. %+.*f %%)", digits, change, digits, low, digits,
                       high);
    }
    return buf;
}

/* How far the model of an estimate may err, as a part of it; 0: it is none. */
static double error_of(const struct wtl_result *run)
{
    bool estimated = run->total.count > 0 && run->total.quality == WATTLE_ESTIMATED;
    return estimated ? wtl_digits_half(&run->energy) / run->energy.j : 0;
}

static int print_table(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    static const struct wtl_column columns[] = {
        {"", false}, {"A", true}, {"B", true}, {"", false}, {"B against A", false}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct wtl_table *table = wtl_table_create(columns, COLUMNS);
    double error = ab->count ? error_of(&ab->runs[0]) : 0;
    for (size_t i = 0; i < ab->row_count; i++) {
        const struct wtl_ab_row *row = &ab->rows[i];
        char a[CELL], b[CELL], change[CELL];
        double half = (row->ratio.high - row->ratio.low) / 2 * row->a;
        bool estimated = error > 0 && i != WTL_METRIC_TIME;
        if (!isfinite(half))
            half = NAN;
        if (estimated)
            half = error * row->a;
        const char *cells[COLUMNS] = {
            row->name, wtl_digits_value(a, sizeof a, row->a, half),
            wtl_digits_value(b, sizeof b, row->b, half), row->unit,
            estimated ? "estimated" : wtl_digits_change(change, sizeof change, &row->ratio)};
        if (row->is_channel && i > 0 && !ab->rows[i - 1].is_channel)
            wtl_table_rule(table);
        wtl_table_row(table, i == (size_t)ab->metric ? WTL_STRONG : WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static void print_floor(FILE *out, const struct wtl_ab *ab)
{
    char change[CELL], varies[CELL] = "";
    const struct wtl_noise_floor *floor = &ab->floor;
    if (floor->pairs == 0) {
        fact(out, "noise floor", "none");
        return;
    }
    double log_sd = floor->of[ab->metric].log_sd;
    const struct wtl_interval *ratio = &floor->of[ab->metric].ratio;
    if (!isnan(log_sd))
        (void)snprintf(varies, sizeof varies, "; a run varies by %.2g %%", 100 * log_sd);
    fact(out, "noise floor", "A against A, %zu pair%s%s%s: %s%s", floor->pairs,
         plural(floor->pairs), ab->floor_file ? ", from " : "",
         ab->floor_file ? ab->floor_file : "", wtl_digits_change(change, sizeof change, ratio),
         varies);
    if (ratio->low > 1 || ratio->high < 1)
        fact(out, "",
             "A differs from itself: the machine changes while it is measured, and so "
             "may what is said of B");
}

static void print_order(FILE *out, const struct wtl_ab *ab)
{
    char change[CELL];
    bool second = ab->second.low > 1 || ab->second.high < 1;
    if (second)
        fact(out, "order", "who runs second in a pair: %s; each of them does so as often",
             wtl_digits_change(change, sizeof change, &ab->second));
    if (ab->drift.p < 0.05)
        fact(out, "drift",
             "%+.2g %% from each run of a side to its next (p %.2g); pairs take it out of the "
             "difference",
             100 * ab->drift.per_run, ab->drift.p);
}

/* What the energies are of, and how far they can be trusted. */
static void print_total(FILE *out, const struct wtl_ab *ab)
{
    const struct wtl_result *run = &ab->runs[0];
    if (run->total.count == 0)
        fact(out, "energy", "unknown: nothing here tells it");
    else
        fact(out, "energy of", "%s (%s)", run->total.contains, wtl_result_quality_word(run));
}

static void print_flags(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    for (size_t i = 0; i < ab->flag_count; i++) {
        const struct wtl_ab_flag *flag = &ab->flags[i];
        char label[32], text[400], floor[48] = "";
        if (flag->runs[2])
            (void)snprintf(floor, sizeof floor, ", %u of %zu of the floor", flag->runs[2],
                           2 * ab->floor_count);
        (void)snprintf(label, sizeof label, "! %s", flag->name);
        (void)snprintf(text, sizeof text, "%u of %zu runs of A, %u of B%s; first: %s",
                       flag->runs[0], ab->count, flag->runs[1], floor, flag->text);
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, label, text);
    }
}

static const char *end_text(const struct wtl_ab *ab)
{
    switch (ab->end) {
    case WTL_AB_ANSWERED:
        return "";
    case WTL_AB_ENOUGH:
        return ab->forbidden[0] ? "" : ", as many as --max-pairs allows";
    case WTL_AB_INTERRUPTED:
        return ", then a signal came";
    default:
        return ", then a run failed";
    }
}

int wtl_text_ab(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    int rc = 0;
    (void)fprintf(out, "\n B against A, by %s:\n\n", wtl_metric_names[ab->metric]);
    for (int side = 0; side < 2; side++)
        fact(out, sides[side], "%s", ab->command[side]);
    fact(out, "pairs", "%zu in random order (seed %llu)%s", ab->count, (unsigned long long)ab->seed,
         end_text(ab));
    (void)fputc('\n', out);
    if (ab->count > 0) {
        rc = print_table(out, style, ab);
        (void)fputc('\n', out);
        wtl_print_paragraph(out, style,
                            ab->verdict.kind == WTL_VERDICT_NONE ? WTL_CAUTION : WTL_STRONG,
                            WTL_TEXT_LABEL, "verdict", ab->verdict.text);
        print_total(out, ab);
    }
    print_floor(out, ab);
    print_order(out, ab);
    print_flags(out, style, ab);
    if (ab->count > 1)
        fact(out, "intervals", "of 95 %%, each valid however often it is looked at");
    (void)fputc('\n', out);
    return rc;
}
