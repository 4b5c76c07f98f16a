/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of two sides as text: the change, its verdicts, then reasons for doubt. */
#include "base/text/figures.h"
#include "report/compare/sides_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/compare/text_change.h"

enum { LIST = 400 };

static bool is_verbose(const struct wtl_style *style)
{
    return style && style->verbose;
}

static void append(char *list, size_t n, const char *text)
{
    size_t used = strlen(list);
    (void)snprintf(list + used, n - used, "%s%s", used ? ", " : "", text);
}

/* What differs, by name: what forbids a verdict first. In detail, a line for each with its values. */
static void print_conditions(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_conditions *conditions)
{
    for (int forbids = 1; conditions && forbids >= 0; forbids--) {
        const char *label = forbids ? "! DIFFERENT" : "! differs";
        enum wtl_emphasis emphasis = forbids ? WTL_CAUTION : WTL_PLAIN;
        char names[LIST] = "";
        for (size_t i = 0; i < conditions->count; i++) {
            const struct wtl_condition_difference *d = &conditions->differences[i];
            if (d->forbids != forbids)
                continue;
            if (is_verbose(style))
                wtl_text_note(out, style, emphasis, label, "%s: A %s, B %s", d->what, d->a, d->b);
            else
                append(names, sizeof names, d->what);
        }
        if (names[0])
            wtl_text_note(out, style, emphasis, label, "%s", names);
    }
}

/* "2 runs of A and 1 run of B"; first: "the first 2 runs of A and the first run of B" */
static const char *of_sides(bool first, size_t a, size_t b, char *buf, size_t n)
{
    const size_t counts[2] = {a, b};
    buf[0] = '\0';
    for (int side = 0; side < 2; side++) {
        char number[32];
        size_t used = strlen(buf), count = counts[side];
        (void)snprintf(number, sizeof number, first ? "the first %zu" : "%zu", count);
        if (count > 0)
            (void)snprintf(buf + used, n - used, "%s%s run%s of %c", used ? " and " : "",
                           first && count == 1 ? "the first" : number, count == 1 ? "" : "s",
                           side ? 'B' : 'A');
    }
    return buf;
}

static void print_outliers(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    char list[LIST] = "";
    for (size_t i = 0; i < sides->headline; i++) {
        const struct wtl_side_row *row = &sides->rows[i];
        char text[256], counts[80];
        if (row->why[0] || row->a_outliers + row->b_outliers == 0)
            continue;
        (void)snprintf(text, sizeof text, "%s: %s", row->name,
                       of_sides(false, row->a_outliers, row->b_outliers, counts, sizeof counts));
        append(list, sizeof list, text);
    }
    if (list[0])
        wtl_text_note(out, style, WTL_PLAIN, "! outliers", "%s; not removed", list);
}

static void print_order(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    bool several = sides->a_n > 1 || sides->b_n > 1;
    if (!sides->order_known && several)
        wtl_text_note(out, style, WTL_PLAIN, "! order",
                      "unknown: the traces do not say when they ran");
    else if (sides->apart && !sides->paired)
        wtl_text_note(out, style, WTL_PLAIN, "! order",
                      "one side ran before the other; the intervals do not cover changes of the "
                      "machine in between (\"wattle ab\" takes turns)");
    if (sides->overlap)
        wtl_text_note(out, style, WTL_CAUTION, "! OVERLAP", "two runs overlap in time");
    for (size_t i = 0; i < sides->headline; i++) {
        const struct wtl_side_row *row = &sides->rows[i];
        if (!row->why[0] && row->drift.p < 0.05)
            wtl_text_note(out, style, WTL_CAUTION, "! DRIFT",
                          "%s drifts by %+.2g %% per run over the order of the runs (p = %s)",
                          row->name, 100 * row->drift.per_run, WTL_IN_FIGURES(row->drift.p, 2));
    }
    print_outliers(out, style, sides);
}

static void print_warm_up(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    char counts[80];
    size_t found = sides->a_warm_up + sides->b_warm_up;
    if (sides->a_dropped + sides->b_dropped > 0)
        wtl_text_note(out, style, WTL_PLAIN, "warm-up", "dropped %s",
                      of_sides(true, sides->a_dropped, sides->b_dropped, counts, sizeof counts));
    if (found > 0)
        wtl_text_note(out, style, WTL_PLAIN, "! warm-up",
                      "%s %s from all later runs; --warm-up auto drops %s",
                      of_sides(true, sides->a_warm_up, sides->b_warm_up, counts, sizeof counts),
                      found == 1 ? "differs" : "differ", found == 1 ? "it" : "them");
}

static void print_channels(FILE *out, const struct wtl_style *style, const struct wtl_sides *sides)
{
    if (!is_verbose(style))
        return;
    if (sides->only_a[0])
        wtl_text_note(out, style, WTL_PLAIN, "only in A", "%s", sides->only_a);
    if (sides->only_b[0])
        wtl_text_note(out, style, WTL_PLAIN, "only in B", "%s", sides->only_b);
    if (sides->compared > 1)
        wtl_text_note(
            out, style, WTL_PLAIN, "corrected",
            "the %zu verdicts share 5 %% of false alarms (Holm); channels and regions each have "
            "a separate interval of 95 %%, from these runs",
            sides->compared);
}

int wtl_text_sides(FILE *out, const struct wtl_style *style, const struct wtl_sides_report *report)
{
    const struct wtl_sides *sides = report->sides;
    struct wtl_change change;
    if (wtl_change_of_sides(sides, &change) < 0)
        return -ENOMEM;
    int rc = wtl_text_change(out, style, &change);
    wtl_text_change_verdict(out, style, &change);
    wtl_text_change_energy(out, style, &change);
    print_warm_up(out, style, sides);
    print_conditions(out, style, report->conditions);
    print_order(out, style, sides);
    print_channels(out, style, sides);
    rc = rc < 0 ? rc : wtl_text_change_end(out, style, &change);
    wtl_change_fini(&change);
    return rc;
}
