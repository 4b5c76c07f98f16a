/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison in pairs as text: the change, the verdict, then reasons for doubt. */
#include "base/text/figures.h"
#include "report/compare/report_ab.h"

#include <errno.h>
#include <math.h>

#include "report/compare/text_change.h"

enum { CELL = 96 };

/* The noise floor; without --details only if it is a reason for doubt. */
static void print_floor(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    char change[CELL], varies[CELL] = "";
    const struct wtl_noise_floor *floor = &ab->floor;
    bool verbose = style && style->verbose;
    if (floor->pairs == 0)
        return;
    double log_sd = floor->of[ab->metric].log_sd;
    const struct wtl_interval *ratio = &floor->of[ab->metric].ratio;
    bool differs = ratio->low > 1 || ratio->high < 1;
    if (!isnan(log_sd))
        (void)snprintf(varies, sizeof varies, "; a run varies by %s %%",
                       WTL_IN_FIGURES(100 * log_sd, 2));
    if (verbose || differs || ab->count == 0)
        wtl_text_note(out, style, differs ? WTL_CAUTION : WTL_PLAIN,
                      differs ? "! noise floor" : "noise floor",
                      "A against A: %s in %zu pair%s%s%s%s%s",
                      wtl_digits_change(change, sizeof change, ratio), floor->pairs,
                      floor->pairs == 1 ? "" : "s", ab->floor_file ? ", from " : "",
                      ab->floor_file ? ab->floor_file : "", varies,
                      differs ? "; the machine changed during the measurement" : "");
}

static void print_order(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    char change[CELL];
    bool second = ab->second.low > 1 || ab->second.high < 1;
    if (!style || !style->verbose)
        return;
    wtl_text_note(out, style, WTL_PLAIN, "pairs", "%zu in random order (seed %llu)", ab->count,
                  (unsigned long long)ab->seed);
    if (second)
        wtl_text_note(out, style, WTL_PLAIN, "order",
                      "the second run of a pair against the first: %s; A and B were second equally "
                      "often",
                      wtl_digits_change(change, sizeof change, &ab->second));
    if (ab->drift.p < 0.05)
        wtl_text_note(out, style, WTL_PLAIN, "drift",
                      "%+.2g %% from each run of a side to its next (p = %s); pairs remove it from "
                      "the difference",
                      100 * ab->drift.per_run, WTL_IN_FIGURES(ab->drift.p, 2));
    for (size_t i = 0; i < ab->flag_count; i++) {
        if (ab->flags[i].runs[2] > 0)
            wtl_text_note(out, style, WTL_PLAIN, "noise floor", "%s in %u of %zu runs",
                          ab->flags[i].name, ab->flags[i].runs[2], 2 * ab->floor_count);
    }
}

static void print_end(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    const char *why = ab->end == WTL_AB_INTERRUPTED ? "interrupted by a signal"
                      : ab->end == WTL_AB_FAILED    ? "a run failed"
                                                    : NULL;
    if (why)
        wtl_text_note(out, style, WTL_CAUTION, "! ended early", "after %zu pair%s: %s", ab->count,
                      ab->count == 1 ? "" : "s", why);
    else if (ab->end == WTL_AB_ENOUGH && !ab->forbidden[0] && ab->verdict.kind == WTL_VERDICT_OPEN)
        wtl_text_note(out, style, WTL_PLAIN, "ended", "after %zu pairs, the limit of --max-pairs",
                      ab->count);
}

static int print_change(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    struct wtl_change change;
    if (wtl_change_of_ab(ab, &change) < 0)
        return -ENOMEM;
    int rc = wtl_text_change(out, style, &change);
    wtl_text_change_verdict(out, style, &change);
    print_end(out, style, ab);
    wtl_text_change_energy(out, style, &change);
    print_floor(out, style, ab);
    print_order(out, style, ab);
    rc = rc < 0 ? rc : wtl_text_change_end(out, style, &change);
    wtl_change_fini(&change);
    return rc;
}

int wtl_text_ab(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab)
{
    if (ab->count > 0)
        return print_change(out, style, ab);
    /* It ended before the first pair: there is only the noise floor. */
    print_end(out, style, ab);
    print_floor(out, style, ab);
    return 0;
}
