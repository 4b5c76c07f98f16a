/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a comparison: see verdict.h. */
#include "analysis/compare/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/figures.h"

const char *wtl_verdict_name(enum wtl_verdict_kind kind)
{
    static const char *const names[] = {"none", "less", "more", "same", "open"};
    return names[kind];
}

/* ---- words ---- */

const struct wtl_verdict_words wtl_verdict_words[] = {
    [WTL_METRIC_ENERGY] = {"uses", "energy"},
    [WTL_METRIC_TIME] = {"takes", "time"},
    [WTL_METRIC_POWER] = {"draws", "power"},
    [WTL_METRIC_EDP] = {"has", "energy x time"},
};

/* Decimals of a percentage with this half width. */
static int decimals(double half_width_percent)
{
    if (!(half_width_percent < 10))
        return 0;
    if (half_width_percent >= 0.5)
        return 1;
    return half_width_percent >= 0.05 ? 2 : 3;
}

__attribute__((format(printf, 2, 3))) static void say(struct wtl_verdict *verdict,
                                                      const char *format,
                                                      ...)
{
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(verdict->text, sizeof verdict->text, format, ap);
    va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void say_clause(struct wtl_verdict *verdict,
                                                             const char *format,
                                                             ...)
{
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(verdict->clause, sizeof verdict->clause, format, ap);
    va_end(ap);
}

/* No verdict, and why. */
__attribute__((format(printf, 2, 3))) static void say_none(struct wtl_verdict *verdict,
                                                           const char *format,
                                                           ...)
{
    va_list ap;
    va_start(ap, format);
    (void)vsnprintf(verdict->clause, sizeof verdict->clause, format, ap);
    va_end(ap);
    say(verdict, "no verdict: %s", verdict->clause);
}

/* "B uses 3.1 % less energy" without its interval, for what has none. */
static void say_difference(struct wtl_verdict *verdict, const struct wtl_verdict_words *words)
{
    double percent = 100 * fabs(verdict->change);
    say_clause(verdict, "run-to-run variation unknown");
    if (verdict->change == 0)
        say(verdict, "B %s the same %s; %s", words->verb, words->noun, verdict->clause);
    else
        say(verdict, "B %s %.*f %% %s %s; %s", words->verb, percent < 1 ? 2 : 1, percent,
            verdict->change < 0 ? "less" : "more", words->noun, verdict->clause);
}

static void say_differs(struct wtl_verdict *verdict, const struct wtl_verdict_words *words)
{
    bool less = verdict->change < 0;
    double low = less ? -verdict->high : verdict->low, high = less ? -verdict->low : verdict->high;
    int digits = decimals(50 * (high - low));
    const char *word = less ? "less" : "more";
    verdict->kind = less ? WTL_VERDICT_LESS : WTL_VERDICT_MORE;
    say_clause(verdict, "B %s %s %s", words->verb, word, words->noun);
    say(verdict, "B %s %.*f %% %s %s (%.*f .. %.*f %%)", words->verb, digits,
        100 * fabs(verdict->change), word, words->noun, digits, 100 * low, digits, 100 * high);
}

static void say_same(struct wtl_verdict *verdict, const struct wtl_verdict_words *words)
{
    int digits = decimals(100 * verdict->at_most);
    double unit = pow(10, -digits);
    char larger[48] = "";
    if (verdict->at_most > 0)
        (void)snprintf(larger, sizeof larger, " larger than %.*f %%", digits,
                       ceil(100 * verdict->at_most / unit) * unit);
    verdict->kind = WTL_VERDICT_SAME;
    say_clause(verdict, "no difference in %s%s", words->noun, larger);
    say(verdict, "%s", verdict->clause);
}

static void say_open(struct wtl_verdict *verdict,
                     const struct wtl_verdict_question *question,
                     bool pairs)
{
    int digits = decimals(50 * (verdict->high - verdict->low));
    char range[64] = "", more[160];
    verdict->kind = WTL_VERDICT_OPEN;
    if (isfinite(verdict->high))
        (void)snprintf(range, sizeof range, " (%+.*f .. %+.*f %%)", digits, 100 * verdict->low,
                       digits, 100 * verdict->high);
    if (isfinite(verdict->more_runs))
        (void)snprintf(more, sizeof more, "%.0f more %s would resolve %g %%", verdict->more_runs,
                       pairs                     ? verdict->more_runs == 1 ? "pair" : "pairs"
                       : verdict->more_runs == 1 ? "run per side"
                                                 : "runs per side",
                       100 * question->resolve);
    else
        (void)snprintf(more, sizeof more,
                       "no reasonable number of %s would resolve %g %% with so much variation",
                       pairs ? "pairs" : "runs", 100 * question->resolve);
    say_clause(verdict, "%s: inconclusive (%s)", question->words.noun, more);
    say(verdict, "inconclusive%s; %s", range, more);
}

/* ---- rules ---- */

/* Told apart, the same, or open: p against alpha, then the interval against what matters. */
static void decide(struct wtl_verdict *verdict,
                   const struct wtl_verdict_question *question,
                   double p,
                   bool pairs)
{
    verdict->at_most = NAN;
    if (p < question->alpha) {
        verdict->more_runs = NAN;
        if (fabs(verdict->change) > question->resolution)
            say_differs(verdict, &question->words);
        else
            say_none(verdict,
                     "the difference of %s %% is below the %s %% that the sensors resolve in "
                     "one run",
                     WTL_IN_FIGURES(100 * fabs(verdict->change), 2),
                     WTL_IN_FIGURES(100 * question->resolution, 2));
        return;
    }
    if (verdict->low >= 1 / (1 + question->resolve) - 1 && verdict->high <= question->resolve) {
        verdict->more_runs = NAN;
        verdict->at_most = fmax(fmax(-verdict->low, verdict->high), question->resolution);
        say_same(verdict, &question->words);
        return;
    }
    say_open(verdict, question, pairs);
}

struct wtl_verdict wtl_verdict_of(struct wtl_comparison *comparison,
                                  const struct wtl_verdict_question *question)
{
    struct wtl_interval ratio = wtl_comparison_ratio(comparison, question->alpha);
    comparison->ratio = ratio;
    struct wtl_verdict verdict = {.kind = WTL_VERDICT_NONE,
                                  .change = ratio.value - 1,
                                  .low = ratio.low - 1,
                                  .high = ratio.high - 1,
                                  .at_most = NAN,
                                  .more_runs = NAN};
    bool few = comparison->a_n < WTL_COMPARISON_RUNS || comparison->b_n < WTL_COMPARISON_RUNS;
    if (question->forbidden) {
        say_none(&verdict, "%s", question->forbidden);
    } else if (isnan(verdict.change)) {
        say_none(&verdict, "a value is not above 0");
    } else if (comparison->basis == WTL_COMPARISON_BY_NOTHING) {
        say_difference(&verdict, &question->words);
    } else if (few && comparison->basis != WTL_COMPARISON_BY_NOISE) {
        say_none(&verdict,
                 "%zu and %zu %s; at least %d per side are needed, or a stored noise floor",
                 comparison->a_n, comparison->b_n, comparison->paired ? "paired runs" : "runs",
                 WTL_COMPARISON_RUNS);
    } else {
        verdict.more_runs =
            wtl_comparison_more_runs(comparison, question->resolve, question->alpha);
        decide(&verdict, question, comparison->p, comparison->paired);
    }
    return verdict;
}

struct wtl_verdict wtl_verdict_of_sequence(const struct wtl_sequence *sequence,
                                           const struct wtl_verdict_question *question)
{
    struct wtl_interval ratio =
        wtl_interval_widened(wtl_sequence_ratio(sequence), question->narrowest);
    struct wtl_verdict verdict = {.kind = WTL_VERDICT_NONE,
                                  .change = ratio.value - 1,
                                  .low = ratio.low - 1,
                                  .high = ratio.high - 1,
                                  .at_most = NAN,
                                  .more_runs = NAN};
    if (question->forbidden) {
        say_none(&verdict, "%s", question->forbidden);
    } else if (isnan(verdict.change)) {
        say_none(&verdict, "a value is not above 0, or there is no pair");
    } else if (sequence->n < 2) {
        say_difference(&verdict, &question->words);
    } else if (sequence->n < WTL_COMPARISON_RUNS) {
        say_none(&verdict, "%zu pairs; at least %d are needed", sequence->n, WTL_COMPARISON_RUNS);
    } else {
        /* By the interval of this look; p of an earlier look does not count. */
        bool apart = ratio.low > 1 || ratio.high < 1;
        verdict.more_runs = wtl_sequence_more_pairs(sequence, question->resolve);
        decide(&verdict, question, apart ? 0 : 1, true);
    }
    return verdict;
}

/* ---- several comparisons ---- */

void wtl_verdict_alphas(const double *p, size_t n, double *ret_alpha)
{
    size_t known = 0;
    bool open = false;
    for (size_t i = 0; i < n; i++)
        known += isnan(p[i]) ? 0 : 1;
    /* The k-th smallest is compared with 0.05 / (known - k + 1); after the first failure all fail. */
    double last = -INFINITY, failed = 0.05;
    for (size_t k = 0; k < known;) {
        double least = INFINITY;
        for (size_t i = 0; i < n; i++) {
            if (p[i] > last && p[i] < least)
                least = p[i];
        }
        double alpha = open ? failed : 0.05 / (double)(known - k);
        if (!open && !(least < alpha)) {
            open = true;
            failed = alpha;
        }
        for (size_t i = 0; i < n; i++) {
            if (p[i] == least) {
                ret_alpha[i] = alpha;
                k++;
            }
        }
        last = least;
    }
    for (size_t i = 0; i < n; i++) {
        if (isnan(p[i]))
            ret_alpha[i] = known ? 0.05 / (double)known : 0.05;
    }
}
