/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep as text: the settings, what is best for what, and reasons for doubt. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text/figures.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/sweep/sweep_report.h"

enum { CELL = 64, LIST = 400 };

static void note(FILE *out,
                 const struct wtl_style *style,
                 enum wtl_emphasis emphasis,
                 const char *label,
                 const char *text)
{
    wtl_print_paragraph(out, style, emphasis, WTL_TEXT_LABEL, label, text);
}

static double half_of(double low, double high)
{
    return (high - low) / 2;
}

/* "package-0, simulated, partial": a curve's heading. */
static void head_curve(FILE *out,
                       const struct wtl_sweep *sweep,
                       const struct wtl_sweep_curve *curve)
{
    bool total = curve->is_total && curve->contains[0];
    wtl_print_sentence(out, "\n %s%s%s (%s%s), %zu of %zu block%s\n", curve->name,
                       total ? ": " : "", total ? curve->contains : "",
                       wattle_quality_name(curve->quality), curve->simulated ? ", simulated" : "",
                       curve->blocks, sweep->blocks, sweep->blocks == 1 ? "" : "s");
}

static void note_lacking(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_sweep_curve *curve)
{
    char text[160];
    if (curve->lacking == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "the energy of %zu run%s leaves out time (INCOMPLETE); blocks with such runs do "
                   "not count",
                   curve->lacking, curve->lacking == 1 ? "" : "s");
    note(out, style, WTL_CAUTION, "! incomplete", text);
}

static int print_points(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_sweep *sweep,
                        const struct wtl_sweep_curve *curve)
{
    static const struct wtl_column columns[] = {{"setting", false},   {"time [s]", true},
                                                {"energy [J]", true}, {"power [W]", true},
                                                {"on front", false},  {"least energy", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    const struct wtl_sweep_goal *least = curve->goal_count > 0 ? &curve->goals[0] : NULL;
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const struct wtl_sweep_setting *s = &sweep->settings[i];
        const struct wtl_sweep_point *p = &curve->points[i];
        char time[CELL], energy[CELL], power[CELL];
        bool estimated = curve->quality == WATTLE_ESTIMATED;
        if (s->refused[0])
            continue;
        bool in = least && least->known && least->group.in[i];
        bool best = in && least->group.best == i;
        const char *cells[] = {
            s->label,
            wtl_digits_interval(time, sizeof time, s->time_s,
                                half_of(s->time_low_s, s->time_high_s)),
            estimated ? wtl_digits_estimate(energy, sizeof energy, p->energy_j, p->low_j, p->high_j)
                      : wtl_digits_interval(energy, sizeof energy, p->energy_j,
                                            half_of(p->low_j, p->high_j)),
            estimated ? wtl_digits_estimate(power, sizeof power, p->power_w, p->low_j / s->time_s,
                                            p->high_j / s->time_s)
                      : wtl_digits_short(power, sizeof power, p->power_w),
            p->pareto ? "front" : "",
            best ? "least"
            : in ? "cannot be told"
                 : ""};
        wtl_table_row(table, best ? WTL_STRONG : WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* The group without the best one: "2.0 GHz, 1.9 GHz"; cut where it is long. */
static void list_group(const struct wtl_sweep *sweep,
                       const struct wtl_best_group *group,
                       char text[LIST])
{
    size_t used = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const char *label = sweep->settings[i].label;
        if (!group->in[i] || i == group->best)
            continue;
        if (more > 0 || used + strlen(label) + 20 > LIST) {
            more++;
            continue;
        }
        used += (size_t)snprintf(text + used, LIST - used, "%s%s", used ? ", " : "", label);
    }
    if (more > 0)
        (void)snprintf(text + used, LIST - used, " and %zu more", more);
}

static int print_goals(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_sweep *sweep,
                       const struct wtl_sweep_curve *curve)
{
    static const struct wtl_column columns[] = {{"best for", false},
                                                {"setting", false},
                                                {"time", true},
                                                {"energy", true},
                                                {"cannot be told from it", false}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < curve->goal_count; i++) {
        const struct wtl_sweep_goal *goal = &curve->goals[i];
        char time[CELL], energy[CELL], group[LIST];
        if (!goal->known)
            continue;
        (void)snprintf(time, sizeof time, "%+.1f %%", 100 * goal->slower);
        (void)snprintf(energy, sizeof energy, "%+.1f %%", 0.0 - 100 * goal->saves);
        list_group(sweep, &goal->group, group);
        const char *cells[] = {goal->name, sweep->settings[goal->group.best].label, time, energy,
                               goal->group.size == sweep->measured && sweep->measured > 1
                                   ? "any of the others"
                                   : group};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* What a partial counter would have chosen, and from which unmeasured power on it is wrong. */
static void print_stages(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_sweep *sweep,
                         const struct wtl_sweep_curve *curve)
{
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "it does not measure the whole node%s%s%s, so its least energy "
                                   "leans to slow settings. With "
                                   "the power that it does not measure, the least energy is at ",
                                   curve->excludes[0] ? " (without " : "", curve->excludes,
                                   curve->excludes[0] ? ")" : "");
    for (size_t i = 0; i < curve->stage_count && used + 160 < sizeof text; i++) {
        const struct wtl_sweep_stage *stage = &curve->stages[i];
        const char *label = sweep->settings[stage->setting].label;
        used += (size_t)(i == 0 ? snprintf(text + used, sizeof text - used, "%s", label)
                                : snprintf(text + used, sizeof text - used, ", from %s W on at %s",
                                           WTL_IN_FIGURES(stage->from_w, 3), label));
    }
    note(out, style, WTL_CAUTION, "! partial", text);
}

static void print_doubts(FILE *out, const struct wtl_style *style, const struct wtl_sweep *sweep)
{
    char text[512];
    for (size_t i = 0; i < sweep->setting_count; i++) {
        if (!sweep->settings[i].refused[0])
            continue;
        (void)snprintf(text, sizeof text, "%s: %s", sweep->settings[i].label,
                       sweep->settings[i].refused);
        note(out, style, WTL_CAUTION, "! left out", text);
    }
    if (sweep->whole < sweep->blocks) {
        (void)snprintf(text, sizeof text, "%zu of %zu blocks are whole%s; the others are left out",
                       sweep->whole, sweep->blocks,
                       sweep->interrupted ? ", the sweep was interrupted" : "");
        note(out, style, WTL_CAUTION, "! incomplete", text);
    }
    if (sweep->other_totals > 0) {
        (void)snprintf(
            text, sizeof text,
            "in %zu run%s, sensors were missing or added, so that the total was not of %s; the "
            "blocks with them do not count",
            sweep->other_totals, sweep->other_totals == 1 ? "" : "s", sweep->curves[0].contains);
        note(out, style, WTL_CAUTION, "! sensors", text);
    }
    size_t used = 0;
    for (size_t i = 0; i < sweep->flag_count && used + 64 < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%zu run%s)", i ? ", " : "",
                                 sweep->flags[i].name, sweep->flags[i].runs,
                                 sweep->flags[i].runs == 1 ? "" : "s");
    if (used > 0) {
        (void)snprintf(text + used, sizeof text - used, "; wattle stats on the traces tells more");
        note(out, style, WTL_CAUTION, "! flags", text);
    }
    if (sweep->whole < 2)
        note(out, style, WTL_CAUTION, "! one block",
             "how much runs vary is unknown, so that nothing can be told apart; --repeat 5 or so");
}

int wtl_text_sweep(FILE *out, const struct wtl_style *style, const struct wtl_sweep *sweep)
{
    int rc = 0;
    wtl_print_sentence(out, "%s: %zu setting%s in %zu block%s in random order (seed %llu)\n",
                       sweep->command ? sweep->command : "sweep", sweep->setting_count,
                       sweep->setting_count == 1 ? "" : "s", sweep->blocks,
                       sweep->blocks == 1 ? "" : "s", (unsigned long long)sweep->seed);
    for (size_t i = 0; rc == 0 && i < sweep->curve_count; i++) {
        const struct wtl_sweep_curve *curve = &sweep->curves[i];
        head_curve(out, sweep, curve);
        note_lacking(out, style, curve);
        if (curve->blocks == 0) {
            note(out, style, WTL_CAUTION, "! no energy",
                 "a gap in each block, or nothing measured: the traces show where");
            continue;
        }
        rc = print_points(out, style, sweep, curve);
        if (curve->quality == WATTLE_ESTIMATED) {
            note(
                out, style, WTL_CAUTION, "! estimated",
                "an estimate from the load does not know the frequency, so no setting is named the "
                "best");
            continue;
        }
        if (curve->open[0]) {
            char text[256];
            (void)snprintf(text, sizeof text, "no setting is named the best: %s", curve->open);
            note(out, style, WTL_CAUTION, "! cannot tell", text);
            continue;
        }
        rc = rc < 0 ? rc : print_goals(out, style, sweep, curve);
        if (curve->partial && rc == 0)
            print_stages(out, style, sweep, curve);
        if (!style || !style->verbose)
            break; /* the total; the others with --details */
    }
    (void)fputc('\n', out);
    print_doubts(out, style, sweep);
    return rc;
}
