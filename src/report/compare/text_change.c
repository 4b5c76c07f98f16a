/* SPDX-License-Identifier: BSD-3-Clause */
/* A change as text: see text_change.h. */
#include "report/compare/text_change.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text/figures.h"
#include "model/quality.h"
#include "report/compare/sides_report.h"
#include "report/digits.h"

enum { CELL = 96, NAME = 160 };

void wtl_text_note(FILE *out,
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

/* ---- changes ---- */

/* What differs only by rounding is the same. */
static double snap(double value, double scale)
{
    return fabs(value) < 1e-9 * fabs(scale) ? 0 : value;
}

/* A percentage with its sign, rounded as its half width supports: "+2.9". */
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

/* Half the width of an interval; of one that is longer on one side, the shorter part, which rounds neither end to nothing. */
static double half_of(const struct wtl_interval *interval)
{
    return fmin(interval->value - interval->low, interval->high - interval->value);
}

char *wtl_digits_change_range(char *buf, size_t n, const struct wtl_interval *ratio)
{
    char low[40], high[40];
    double half = half_of(ratio);
    if (isnan(ratio->low) || isnan(ratio->high))
        (void)snprintf(buf, n, "unknown");
    else if (isinf(ratio->high))
        (void)snprintf(buf, n, "unbounded");
    else
        (void)snprintf(buf, n, "%s .. %s %%",
                       percent(low, sizeof low, snap(ratio->low - 1, 1), half),
                       percent(high, sizeof high, snap(ratio->high - 1, 1), half));
    return buf;
}

/* "+2.9 %" */
static char *change_cell(char *buf, size_t n, const struct wtl_interval *ratio, double half)
{
    char number[40];
    (void)snprintf(buf, n, "%s%s", percent(number, sizeof number, snap(ratio->value - 1, 1), half),
                   isnan(ratio->value) ? "" : " %");
    return buf;
}

char *wtl_digits_change(char *buf, size_t n, const struct wtl_interval *ratio)
{
    char change[40], range[CELL];
    bool bounded = isfinite(ratio->high) && isfinite(ratio->low);
    (void)change_cell(change, sizeof change, ratio, bounded ? half_of(ratio) : NAN);
    (void)wtl_digits_change_range(range, sizeof range, ratio);
    if (bounded)
        (void)snprintf(buf, n, "%s (%s)", change, range);
    else
        (void)snprintf(buf, n, "%s", change);
    return buf;
}

/* ---- the table ---- */

/* Half width of an estimate as a part of it: the error of its model; 1 if that is unknown. */
static double error_of(const double range[2], double mean)
{
    double part = (range[1] - range[0]) / 2 / fabs(mean);
    return isnan(part) ? 1 : part;
}

/* The cells of a row. An estimate has the digits that its model deserves and no interval, which would be over runs only. */
struct cells {
    char name[NAME], mean[2][CELL], change[CELL], interval[CELL];
};

static void fill_cells(const struct wtl_change_row *row, struct cells *cells)
{
    const struct wtl_comparison *c = &row->other;
    const double means[] = {c->a_mean.value, c->b_mean.value}, halves[] = {c->a.ci95, c->b.ci95};
    bool estimated = row->quality == WATTLE_ESTIMATED;
    double half = isinf(row->ratio.high) ? NAN : half_of(&row->ratio);
    *cells = (struct cells){.name = ""};
    (void)snprintf(cells->name, sizeof cells->name, "%s [%s]", row->name, row->unit);
    for (int side = 0; side < 2; side++) {
        const double *range = row->range[side];
        char *cell = cells->mean[side];
        if (estimated)
            (void)wtl_digits_estimate(cell, CELL, means[side], range[0], range[1]);
        else
            (void)wtl_digits_value(cell, CELL, means[side], halves[side]);
    }
    if (estimated) {
        half = fmax(error_of(row->range[0], means[0]), error_of(row->range[1], means[1]));
        (void)snprintf(cells->interval, sizeof cells->interval, "estimated");
    } else {
        (void)wtl_digits_change_range(cells->interval, sizeof cells->interval, &row->ratio);
    }
    (void)change_cell(cells->change, sizeof cells->change, &row->ratio, half);
}

/* The same where the table is wider than the line: a paragraph. */
static void print_as_text(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_change *change,
                          const struct wtl_change_row *row,
                          enum wtl_emphasis emphasis)
{
    struct cells c;
    fill_cells(row, &c);
    wtl_text_note(out, style, emphasis, c.name, "%s %s, %s %s, change %s (%s)",
                  change->sides[0].name, c.mean[0], change->sides[1].name, c.mean[1], c.change,
                  c.interval);
}

static bool is_wanted(const struct wtl_style *style,
                      const struct wtl_change *change,
                      const struct wtl_change_row *row)
{
    return (style && style->verbose) || wtl_change_is_short(change, row);
}

static enum wtl_emphasis emphasis_of(const struct wtl_change_row *row)
{
    return row->decides ? WTL_STRONG : WTL_PLAIN;
}

static int print_table(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    const struct wtl_column columns[] = {{"", false},
                                         {change->sides[0].name, true},
                                         {change->sides[1].name, true},
                                         {"change", true},
                                         {"interval", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    const struct wtl_change_row *last = NULL;
    for (size_t i = 0; i < change->count; i++) {
        const struct wtl_change_row *row = &change->rows[i];
        struct cells c;
        if (row->why[0] || !is_wanted(style, change, row))
            continue;
        fill_cells(row, &c);
        const char *cells[] = {c.name, c.mean[0], c.mean[1], c.change, c.interval};
        if (last && last->group != row->group)
            wtl_table_rule(table);
        wtl_table_row(table, emphasis_of(row), cells);
        last = row;
    }
    int rc = 0;
    if (wtl_table_fits(table, WTL_TEXT_INDENT, style)) {
        rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    } else {
        for (size_t i = 0; i < change->count; i++) {
            const struct wtl_change_row *row = &change->rows[i];
            if (!row->why[0] && is_wanted(style, change, row))
                print_as_text(out, style, change, row, emphasis_of(row));
        }
    }
    wtl_table_destroy(table);
    return rc;
}

/* ---- sides ---- */

/* The end of a path, where all of it would be wider than the line. */
static const char *shorten(char *buf, size_t n, const char *path, int room)
{
    size_t length = strlen(path);
    if (length <= (size_t)room)
        return path;
    (void)snprintf(buf, n, "...%s", path + length - (size_t)room + 3);
    return buf;
}

static const char *subject_of(const struct wtl_result *run)
{
    return run->command ? run->command : run->target ? run->target : "machine";
}

/* Different commands of a side; runs of none count as one. */
static size_t count_commands(const struct wtl_change_side *side)
{
    size_t count = 0;
    for (size_t i = 0; i < side->n; i++) {
        const char *command = side->runs[i].command;
        size_t k = 0;
        while (k < i && strcmp(side->runs[k].command ? side->runs[k].command : "",
                               command ? command : "") != 0)
            k++;
        count += k == i ? 1 : 0;
    }
    return count;
}

static void print_side(FILE *out, const struct wtl_style *style, const struct wtl_change_side *side)
{
    const struct wtl_result *first = &side->runs[0];
    const char *what = side->command ? side->command : subject_of(first);
    char path[256], trace[300] = "", several[700];
    size_t kinds = count_commands(side);
    if (kinds > 1) {
        (void)snprintf(several, sizeof several, "%zu different commands, the first is %.600s",
                       kinds, what);
        what = several;
    }
    int room = wtl_style_width(style) - WTL_TEXT_LABEL - 8;
    if (first->trace)
        (void)snprintf(trace, sizeof trace, ", %s%s",
                       shorten(path, sizeof path, first->trace, room), side->n == 1 ? "" : " ..");
    wtl_text_note(out, style, WTL_PLAIN, side->name, "%.660s (%zu run%s%s)", what, side->n,
                  side->n == 1 ? "" : "s", trace);
}

/* Rows that could not be compared, by reason; a verdict says its own. */
static void print_not_compared(FILE *out,
                               const struct wtl_style *style,
                               const struct wtl_change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        const char *why = change->rows[i].why, *last = "";
        char names[400] = "";
        bool said =
            !why[0] || change->rows[i].verdict || !is_wanted(style, change, &change->rows[i]);
        for (size_t k = 0; k < i; k++)
            said |= strcmp(change->rows[k].why, why) == 0;
        for (size_t k = i; k < change->count && !said; k++) {
            size_t used = strlen(names);
            const struct wtl_change_row *row = &change->rows[k];
            if (!is_wanted(style, change, row) || strcmp(row->why, why) != 0 ||
                strcmp(row->name, last) == 0)
                continue;
            (void)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", row->name);
            last = row->name;
        }
        if (!said)
            wtl_text_note(out, style, WTL_CAUTION, "not compared", "%s: %s", names, why);
    }
}

int wtl_text_change(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    for (int side = 0; side < 2; side++)
        print_side(out, style, &change->sides[side]);
    (void)fputc('\n', out);
    int rc = print_table(out, style, change);
    (void)fputc('\n', out);
    print_not_compared(out, style, change);
    return rc;
}

void wtl_text_change_verdict(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_change *change)
{
    static const char none[] = "no verdict";
    char verdicts[1000];
    bool given = wtl_change_verdicts(change, style && style->verbose, verdicts, sizeof verdicts);
    bool only = !given && strncmp(verdicts, "no verdict: ", sizeof none + 1) == 0;
    wtl_text_note(out, style, given ? WTL_STRONG : WTL_CAUTION, only ? none : "verdict", "%s",
                  verdicts + (only ? sizeof none + 1 : 0));
}

/* ---- the end ---- */

static const char *one_look_name(const struct wtl_change *change)
{
    for (size_t i = 0; i < change->count; i++) {
        if (!change->rows[i].why[0] && change->rows[i].other.basis == WTL_COMPARISON_BY_NOISE)
            return "one look"; /* some rows by the noise floor, others by these runs */
    }
    return change->paired ? "Student's t" : "Welch's t";
}

/* The results of the methods that do not decide. */
static int print_methods(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    char welch[48], difference[48];
    (void)snprintf(difference, sizeof difference, "%s - %s, 95 %%", change->sides[1].name,
                   change->sides[0].name);
    (void)snprintf(welch, sizeof welch, "%s, 95 %%", one_look_name(change));
    const struct wtl_column columns[] = {{"", false},
                                         {difference, false},
                                         {welch, false},
                                         {"bootstrap, 95 %", false},
                                         {"detectable", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    bool any = false;
    wtl_table_spare(table, 4, 3);
    wtl_table_spare(table, 1, 2);
    wtl_table_spare(table, 3, 1);
    for (size_t i = 0; i < change->count; i++) {
        const struct wtl_change_row *row = &change->rows[i];
        const struct wtl_comparison *c = &row->other;
        char name[NAME], unit[CELL], low[40], high[40], look[CELL], bootstrap[CELL], found[CELL];
        double half = snap(half_of(&c->difference), c->a.mean);
        if (row->why[0] || row->quality == WATTLE_ESTIMATED || isnan(half))
            continue;
        (void)snprintf(name, sizeof name, "%s [%s]", row->name, row->unit);
        (void)snprintf(
            unit, sizeof unit, "%s .. %s",
            wtl_digits_value(low, sizeof low, snap(c->difference.low, c->a.mean), half),
            wtl_digits_value(high, sizeof high, snap(c->difference.high, c->a.mean), half));
        (void)snprintf(found, sizeof found, "%s%s",
                       isnan(c->detectable) ? "unknown" : WTL_IN_FIGURES(100 * c->detectable, 2),
                       isnan(c->detectable) ? "" : " %");
        const char *cells[] = {name, unit, wtl_digits_change_range(look, sizeof look, &c->ratio),
                               wtl_digits_change_range(bootstrap, sizeof bootstrap, &c->bootstrap),
                               found};
        wtl_table_row(table, WTL_PLAIN, cells);
        any = true;
    }
    int rc = 0;
    if (any) {
        (void)fputc('\n', out);
        wtl_text_note(out, style, WTL_PLAIN, "other methods",
                      "each for one look at these runs, %s - %s of arithmetic means%s",
                      change->sides[1].name, change->sides[0].name,
                      wtl_table_shows(table, 4, WTL_TEXT_INDENT, style)
                          ? "; a change as large as \"detectable\" would be found with a power "
                            "of 80 %"
                          : "");
        rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    }
    wtl_table_destroy(table);
    return rc;
}

static int print_runs(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    static const struct wtl_column columns[] = {{"run", false},
                                                {"time [s]", true},
                                                {"energy [J]", true},
                                                {"power [W]", true},
                                                {"trace", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    wtl_table_spare(table, 4, 1);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < change->sides[side].n; i++) {
            const struct wtl_result *run = &change->sides[side].runs[i];
            char name[48], time[40], energy[40], power[40];
            double part = run->energy.half_j / run->energy.j;
            (void)snprintf(name, sizeof name, "%s %zu", change->sides[side].name, i + 1);
            const char *cells[] = {
                name, wtl_digits_value(time, sizeof time, run->wall_time_s, NAN),
                wtl_digits_value(energy, sizeof energy, run->energy.j,
                                 wtl_digits_half(&run->energy)),
                wtl_digits_value(power, sizeof power, run->total_w, part * run->total_w),
                run->trace};
            wtl_table_row(table, WTL_PLAIN, cells);
        }
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

int wtl_text_change_end(FILE *out, const struct wtl_style *style, const struct wtl_change *change)
{
    bool verbose = style && style->verbose;
    bool several = change->sides[0].n > 1 || change->sides[1].n > 1;
    wtl_text_note(out, style, WTL_PLAIN, "intervals", "%s%s%s%s%s",
                  change->method ? change->method : "none, since a side has one run",
                  change->method ? ", " : "", change->method ? change->coverage : "",
                  several ? "; means are geometric" : "", verbose ? "" : "; more with --details");
    int rc = verbose ? print_methods(out, style, change) : 0;
    return verbose && rc == 0 ? print_runs(out, style, change) : rc;
}
