/* SPDX-License-Identifier: BSD-3-Clause */
/* A prediction as text: which run it is, what it takes to its end, what comes next, and reasons for doubt. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/digits.h"
#include "report/predict/predict_report.h"
#include "report/table.h"

enum { CELL = 64, NOTE = 700, SHOWN = 8 };

static void note(FILE *out,
                 const struct wtl_style *style,
                 enum wtl_emphasis emphasis,
                 const char *label,
                 const char *text)
{
    wtl_print_paragraph(out, style, emphasis, WTL_TEXT_LABEL, label, text);
}

/* "99.9": never 100 for what is not certain. */
static const char *percent(char *buf, double share)
{
    (void)snprintf(buf, CELL, share > 0.999 && share < 1 ? "> 99.9 %%" : "%.1f %%", 100 * share);
    return buf;
}

static void describe_run(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_prediction_report *r)
{
    const struct wtl_prediction *p = r->prediction;
    const struct wtl_match *match = &p->match;
    char text[NOTE], share[CELL], progress[CELL];
    if (p->known && p->reference)
        (void)snprintf(text, sizeof text, "%s, from its run on %s; %.0f %% of its time so far fits",
                       p->program, p->reference, 100 * (1 - p->transfer.distance));
    else if (p->known)
        (void)snprintf(text, sizeof text, "%s, probability %s", p->program,
                       percent(share, p->probability));
    else if (wtl_prediction_is_open(p))
        (void)snprintf(text, sizeof text, "cannot be told yet; none of the model, probability %s",
                       percent(share, p->probability));
    else
        (void)snprintf(text, sizeof text, "unknown, probability %s%s%s",
                       percent(share, p->probability),
                       match->program_count > 0 ? "; nearest: " : "",
                       match->program_count > 0 ? match->programs[0].name : "");
    note(out, style, WTL_STRONG, "run", text);
    for (size_t i = p->known ? 1 : 0; i < match->program_count && i < SHOWN; i++) {
        const struct wtl_match_program *program = &match->programs[i];
        if (program->probability < 0.001)
            break;
        (void)snprintf(text, sizeof text, "%s, probability %s", program->name,
                       percent(share, program->probability));
        note(out, style, WTL_FAINT, i == (p->known ? 1 : 0) ? "or" : "", text);
    }
    if (isfinite(p->progress)) {
        (void)snprintf(text, sizeof text, "%s of its run", percent(progress, p->progress));
        note(out, style, WTL_PLAIN, "progress", text);
    }
}

static const char *quality_of(const struct wtl_subject *s)
{
    return s->derived ? "derived from counters" : wattle_quality_name(s->quality);
}

/* What the energies are that the end is predicted from, where they are not simply measured. */
static const char *source_of(const struct wtl_prediction *p, bool own_simulated)
{
    if (p->quality == WATTLE_ESTIMATED)
        return p->simulated ? ", from estimated energies of simulated runs"
                            : ", from estimated energies";
    return p->simulated && !own_simulated ? ", from simulated runs" : "";
}

/* A value without an interval is no better than a few percent, and says so. */
static char *with_interval(char *buf, double value, double low, double high, const char *unit)
{
    char digits[CELL];
    if (isfinite(low) && isfinite(high))
        (void)snprintf(buf, CELL, "%s %s", wtl_digits_range(digits, CELL, value, low, high), unit);
    else
        (void)snprintf(buf, CELL, "%s %s, no interval",
                       wtl_digits_value(digits, CELL, value, 0.005 * fabs(value)), unit);
    return buf;
}

static void add_measured(char *text,
                         size_t used,
                         const char *how,
                         double predicted,
                         double measured,
                         const char *unit)
{
    char digits[CELL];
    if (!isfinite(measured) || used >= NOTE)
        return;
    (void)snprintf(text + used, NOTE - used, "; %s %s %s, predicted/%s %.3f", how,
                   wtl_digits_value(digits, sizeof digits, measured, 0.0005 * measured), unit, how,
                   predicted / measured);
}

/* "87600 (86200..89000) J, 358.5 (352.3..364.7) s". */
static const char *end_of(char *buf, const struct wtl_predicted_candidate *c)
{
    char energy[CELL] = "", time[CELL];
    if (isfinite(c->energy_j))
        (void)with_interval(energy, c->energy_j, c->energy_low_j, c->energy_high_j, "J");
    (void)snprintf(buf, NOTE, "%s%s%s", energy, energy[0] ? "; " : "",
                   with_interval(time, c->time_s, c->time_low_s, c->time_high_s, "s"));
    return buf;
}

/* Several ends have no mean: each program that it may be has its own. */
static void describe_candidates(FILE *out,
                                const struct wtl_style *style,
                                const struct wtl_prediction_report *r)
{
    const struct wtl_prediction *p = r->prediction;
    const struct wtl_subject *s = r->subject;
    char text[2 * NOTE], end[NOTE], share[CELL], joules[CELL];
    bool begun = false;
    if (p->reference || p->candidate_count == 0 || p->candidates[0].probability >= 0.95)
        return;
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct wtl_predicted_candidate *c = &p->candidates[i];
        if (isnan(c->time_s))
            continue;
        (void)snprintf(text, sizeof text, "if it is %s (%s): %s", c->program,
                       percent(share, c->probability), end_of(end, c));
        note(out, style, WTL_STRONG, begun ? "" : "at its end", text);
        begun = true;
    }
    if (!begun || isfinite(p->energy_j) || !isfinite(s->whole_s))
        return;
    (void)snprintf(text, sizeof text, "%s J in %s s",
                   isfinite(s->whole_j)
                       ? wtl_digits_value(joules, sizeof joules, s->whole_j, 0.0005 * s->whole_j)
                       : "unknown",
                   wtl_digits_value(end, CELL, s->whole_s, 0.0005 * s->whole_s));
    note(out, style, WTL_PLAIN, wattle_quality_name(s->quality), text);
}

static void describe_end(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_prediction_report *r)
{
    const struct wtl_prediction *p = r->prediction;
    const struct wtl_subject *s = r->subject;
    char text[NOTE], digits[CELL], time[CELL];
    size_t used;
    if (isfinite(p->done_j))
        (void)snprintf(text, sizeof text, "%s J in %s (%s%s)",
                       wtl_digits_value(digits, sizeof digits, p->done_j, 0.0005 * p->done_j),
                       wtl_digits_time(time, sizeof time, p->done_s), quality_of(s),
                       s->simulated ? ", simulated" : "");
    else
        (void)snprintf(text, sizeof text, "unknown energy in %s",
                       wtl_digits_time(time, sizeof time, p->done_s));
    note(out, style, WTL_PLAIN, "so far", text);
    if (isfinite(p->energy_j)) {
        used = (size_t)snprintf(
            text, sizeof text, "%s predicted%s%s",
            with_interval(digits, p->energy_j, p->energy_low_j, p->energy_high_j, "J"),
            source_of(p, s->simulated), s->derived ? ", its beginning derived from counters" : "");
        add_measured(text, used, wattle_quality_name(s->quality), p->energy_j, s->whole_j, "J");
        note(out, style, WTL_STRONG, "energy at end", text);
    }
    if (isfinite(p->time_s)) {
        used =
            (size_t)snprintf(text, sizeof text, "%s predicted",
                             with_interval(digits, p->time_s, p->time_low_s, p->time_high_s, "s"));
        add_measured(text, used, "measured", p->time_s, s->whole_s, "s");
        note(out, style, WTL_STRONG, "time at end", text);
    }
    describe_candidates(out, style, r);
    if (p->reference && isfinite(p->transfer.paper_j)) {
        used = (size_t)snprintf(text, sizeof text, "%s J by the paper's one ratio",
                                wtl_digits_value(digits, sizeof digits, p->transfer.paper_j,
                                                 0.005 * p->transfer.paper_j));
        add_measured(text, used, wattle_quality_name(s->quality), p->transfer.paper_j, s->whole_j,
                     "J");
        note(out, style, WTL_FAINT, "", text);
    }
    if (isfinite(p->variation_j)) {
        (void)snprintf(
            text, sizeof text, "%s J above the idle system's %.0f W",
            wtl_digits_value(digits, sizeof digits, p->variation_j, 0.005 * fabs(p->variation_j)),
            p->idle_w);
        note(out, style, WTL_PLAIN, "its variation", text);
    }
}

static int print_next(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_prediction_report *r)
{
    static const struct wtl_column columns[] = {
        {"next", false}, {"in [s]", true}, {"for [s]", true}, {"probability", true}};
    const struct wtl_prediction *p = r->prediction;
    size_t shown = style && style->verbose ? p->next_count
                   : p->next_count < SHOWN ? p->next_count
                                           : SHOWN;
    if (shown == 0)
        return 0;
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        char begin[CELL], length[CELL], share[CELL];
        const char *cells[] = {p->next[i].name,
                               wtl_digits_short(begin, sizeof begin, p->next[i].begin_s),
                               wtl_digits_short(length, sizeof length, p->next[i].duration_s),
                               percent(share, p->next[i].probability)};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static int print_platforms(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_prediction_report *r)
{
    static const struct wtl_column columns[] = {
        {"platform", false}, {"energy [J]", true},   {"time [s]", true},
        {"kernels", true},   {"measured [J]", true}, {"estimated/measured", true}};
    const struct wtl_prediction *p = r->prediction;
    if (p->platform_count == 0)
        return 0;
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->platform_count; i++) {
        const struct wtl_predicted_platform *one = &p->platforms[i];
        char energy[CELL] = "", time[CELL] = "", kernels[CELL], measured[CELL] = "",
             ratio[CELL] = "";
        bool known = isfinite(one->energy_j), there = isfinite(one->measured_j);
        (void)snprintf(kernels, sizeof kernels, "%zu", one->kernels);
        if (known && there)
            (void)snprintf(ratio, sizeof ratio, "%.3f", one->energy_j / one->measured_j);
        const char *cells[] = {one->name[0] ? one->name : "?",
                               known ? wtl_digits_range(energy, sizeof energy, one->energy_j,
                                                        one->energy_low_j, one->energy_high_j)
                                     : "unknown",
                               known ? wtl_digits_range(time, sizeof time, one->time_s,
                                                        one->time_low_s, one->time_high_s)
                                     : "",
                               kernels,
                               there ? wtl_digits_value(measured, sizeof measured, one->measured_j,
                                                        0.0005 * one->measured_j)
                                     : "",
                               ratio};
        wtl_table_row(table, i == 0 && known ? WTL_STRONG : WTL_PLAIN, cells);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    for (size_t i = 0; rc == 0 && i < p->platform_count; i++) {
        char text[NOTE];
        if (!p->platforms[i].why.text[0])
            continue;
        (void)snprintf(text, sizeof text, "%s: %s", p->platforms[i].name, p->platforms[i].why.text);
        note(out, style, WTL_CAUTION, "! platform", text);
    }
    return rc;
}

static void describe_doubts(FILE *out,
                            const struct wtl_style *style,
                            const struct wtl_prediction_report *r)
{
    const struct wtl_prediction *p = r->prediction;
    const struct wtl_subject *s = r->subject;
    char text[NOTE], digits[CELL];
    if (p->why.text[0])
        note(out, style, WTL_CAUTION, "! note", p->why.text);
    if (s->derived) {
        const struct wtl_counter_energy_sum *sum = &s->from_counters;
        (void)snprintf(
            text, sizeof text,
            "energy so far is derived from counters%s, not measured: %s J, 95 %% "
            "interval%s",
            s->from_estimates ? " by power that was estimated" : "",
            wtl_digits_range(digits, sizeof digits, sum->energy_j, sum->low_j, sum->high_j),
            sum->missing_s > 0 ? "; some counters are missing for part of the time" : "");
        note(out, style, WTL_CAUTION, "! derived", text);
    }
    if (s->shortest) {
        (void)snprintf(
            text, sizeof text,
            "%s was recorded for only %s; what is predicted assumes that it goes on as in "
            "the stored runs",
            s->shortest, wtl_digits_time(digits, sizeof digits, s->shortest_s));
        note(out, style, WTL_CAUTION, "! short node", text);
    }
    if (s->unknown > 0) {
        (void)snprintf(text, sizeof text,
                       "power is unknown for %.1f %% of the time; there it is taken as in the rest",
                       100 * s->unknown);
        note(out, style, WTL_CAUTION, "! gaps", text);
    }
    if (p->reference && p->transfer.letters_seen < p->transfer.letters) {
        (void)snprintf(
            text, sizeof text,
            "%zu of the %zu letters to come have not run on both platforms; their energy "
            "follows from letters with similar counters",
            p->transfer.letters - p->transfer.letters_seen, p->transfer.letters);
        note(out, style, WTL_CAUTION, "! new letters", text);
    }
    if (p->match.left_out > 0) {
        (void)snprintf(text, sizeof text,
                       "%zu run%s of the model on another number of nodes %s not compared",
                       p->match.left_out, p->match.left_out == 1 ? "" : "s",
                       p->match.left_out == 1 ? "was" : "were");
        note(out, style, WTL_FAINT, "left out", text);
    }
}

int wtl_text_prediction(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_prediction_report *r)
{
    describe_run(out, style, r);
    describe_end(out, style, r);
    describe_doubts(out, style, r);
    int rc = print_next(out, style, r);
    return rc < 0 ? rc : print_platforms(out, style, r);
}

void wtl_line_prediction(FILE *out, const struct wtl_prediction_report *r)
{
    const struct wtl_prediction *p = r->prediction;
    char energy[CELL], time[CELL], share[CELL], now[CELL], end[NOTE];
    wtl_print_sentence(out, "%8s  %s (%s)", wtl_digits_time(now, sizeof now, p->done_s),
                       p->known                    ? p->program
                       : wtl_prediction_is_open(p) ? "not clear yet; unknown run"
                                                   : "unknown run",
                       isfinite(p->probability) ? percent(share, p->probability)
                                                : "from another platform");
    if (isfinite(p->energy_j))
        wtl_print_sentence(
            out, ", %s",
            with_interval(energy, p->energy_j, p->energy_low_j, p->energy_high_j, "J"));
    if (isfinite(p->time_s))
        wtl_print_sentence(out, ", %s at the end",
                           with_interval(time, p->time_s, p->time_low_s, p->time_high_s, "s"));
    for (size_t i = 0; !isfinite(p->time_s) && i < p->candidate_count; i++) {
        if (isfinite(p->candidates[i].time_s))
            wtl_print_sentence(out, ", %s at the end if it is %s", end_of(end, &p->candidates[i]),
                               p->candidates[i].program);
    }
    if (p->next_count > 1)
        wtl_print_sentence(out, ", next %s in %s", p->next[1].name,
                           wtl_digits_time(time, sizeof time, p->next[1].begin_s));
    (void)fputc('\n', out);
}
