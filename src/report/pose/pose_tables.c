/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as text: tables of metrics, codes, candidates and machines. */
#include "report/pose/pose_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/whole.h"
#include "report/table.h"

enum {
    CELL = 64,
    BESIDE = 4,
    MACHINES = 5,
    RATIO = 7,
    KNOWN = 18, /* with an interval */
    SHOWN = 60,
    LABEL = 16,
    NAME = 20,
    SHORT = 9,
    FIRST = 33,
};

/* A text shortened to so many columns; whole characters. */
static const char *cut(char *buf, size_t n, const char *text, size_t columns)
{
    size_t length = strlen(text), fits = 0;
    if (wtl_utf8_columns(text) <= columns && length < n) {
        (void)snprintf(buf, n, "%s", text);
        return buf;
    }
    for (size_t i = 0; i + 3 < columns && fits < length; i++) {
        size_t step = wtl_utf8_length(text + fits, length - fits);
        fits += step ? step : 1;
    }
    (void)snprintf(buf, n, "%.*s...", (int)(fits < n - 4 ? fits : n - 4), text);
    return buf;
}

/* " Et^3: " above a table. */
static void print_metric(FILE *out, const char *metric)
{
    char text[4 * WTL_PAGE_WIDTH];
    (void)cut(text, sizeof text, metric, NAME);
    (void)fputs("\n ", out);
    wtl_print_clean(out, text, strlen(text));
}

/* "31.30 s  1.17x" of one insight. */
static char *both(char *buf, size_t n, const struct wtl_pose_model *model, int i)
{
    const struct wtl_pose_value *value = &model->pose.insights[i];
    const struct wtl_pose_code *code = &model->pose.code;
    double scale = i == WTL_POSE_ENERGY_SAVED ? code->e_j : code->t_s;
    char absolute[CELL] = "", ratio[CELL];
    const char *nothing = wtl_pose_nothing(model, (enum wtl_pose_insight)i);
    if (nothing) {
        (void)snprintf(buf, n, "%s %7s", nothing,
                       wtl_pose_ratio(ratio, sizeof ratio, value->ratio));
        return buf;
    }
    (void)wtl_pose_ratio(ratio, sizeof ratio, value->ratio);
    if (i != WTL_POSE_METRIC_IMPROVEMENT && isfinite(value->absolute))
        (void)wtl_pose_number(absolute, sizeof absolute, value->absolute, scale);
    const char *unit = !absolute[0] ? "" : i == WTL_POSE_ENERGY_SAVED ? " J" : " s";
    (void)snprintf(buf, n, "%.28s%s %7.28s", absolute, unit, ratio);
    return buf;
}

/* How many metrics, from the first, fit side by side. */
static size_t fitting(const struct wtl_style *style,
                      const struct wtl_pose_study *study,
                      size_t s,
                      size_t first)
{
    size_t used = FIRST, m = first, page = (size_t)wtl_style_width(style);
    for (; m < study->metric_count && m - first < BESIDE; m++) {
        char text[2 * CELL];
        size_t widest = strlen(cut(text, sizeof text, study->metric_names[m], NAME));
        for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
            size_t n = strlen(both(text, sizeof text, wtl_pose_study_model(study, s, m), i));
            widest = n > widest ? n : widest;
        }
        used += 2 + widest;
        if (used > page && m > first)
            break;
    }
    return m - first;
}

static int print_beside(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_pose_study *study,
                        size_t s,
                        size_t first,
                        size_t n)
{
    struct wtl_column columns[1 + BESIDE] = {{"", false}};
    char cells[BESIDE][2 * CELL], names[BESIDE][2 * CELL];
    for (size_t m = 0; m < n; m++)
        columns[1 + m] = (struct wtl_column){
            cut(names[m], sizeof names[m], study->metric_names[first + m], NAME), true};
    struct wtl_table *table = wtl_table_create(columns, 1 + n);
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        const char *row[1 + BESIDE] = {wtl_pose_insight_titles[i]};
        for (size_t m = 0; m < n; m++)
            row[1 + m] =
                both(cells[m], sizeof cells[m], wtl_pose_study_model(study, s, first + m), i);
        wtl_table_row(table, WTL_PLAIN, row);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

int wtl_pose_print_metrics(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_pose_study *study,
                           size_t s)
{
    int rc = 0;
    for (size_t first = 0, n; rc == 0 && first < study->metric_count; first += n) {
        n = fitting(style, study, s, first);
        rc = print_beside(out, style, study, s, first, n);
    }
    (void)fputc('\n', out);
    for (size_t m = 0; m < study->metric_count; m++) {
        const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
        char text[WTL_POSE_SENTENCE], name[4 * LABEL];
        wtl_print_paragraph(out, style, WTL_STRONG, LABEL,
                            cut(name, sizeof name, study->metric_names[m], LABEL - 2),
                            wtl_pose_headline(model, text, sizeof text));
    }
    wtl_pose_print_warnings(out, style, study, s);
    return rc;
}

/* ---- codes ---- */

struct place {
    double scope;
    size_t subject;
};

static int by_scope(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->scope != q->scope)
        return p->scope < q->scope ? 1 : -1;
    return (p->subject > q->subject) - (p->subject < q->subject);
}

static void add_code(struct wtl_table *table,
                     const struct wtl_pose_study *study,
                     size_t s,
                     size_t m)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
    const struct wtl_pose *pose = &model->pose;
    char name[160], label[64], group[64], power[CELL], ratios[WTL_POSE_INSIGHTS][CELL];
    bool outside = pose->warnings & (WTL_POSE_BELOW_FLOOR | WTL_POSE_ABOVE_CEILING);
    (void)cut(label, sizeof label, subject->label ? subject->label : "", NAME - 1);
    (void)cut(group, sizeof group, subject->group ? subject->group : "", NAME / 2);
    (void)snprintf(name, sizeof name, "%s%s%s", label, label[0] ? " " : "", group);
    (void)snprintf(power, sizeof power, "%.2f%s", pose->p_w, outside ? "*" : " ");
    const char *row[2 + WTL_POSE_INSIGHTS] = {name, power};
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++)
        row[2 + i] = wtl_pose_ratio(ratios[i], sizeof ratios[i], pose->insights[i].ratio);
    bool decided;
    (void)wtl_pose_model_stance(model, &decided);
    size_t used = strlen(ratios[WTL_POSE_METRIC_IMPROVEMENT]);
    (void)snprintf(ratios[WTL_POSE_METRIC_IMPROVEMENT] + used, CELL - used, decided ? " " : "?");
    wtl_table_row(table, outside ? WTL_CAUTION : WTL_PLAIN, row);
}

static int print_codes_under(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_pose_study *study,
                             size_t m,
                             struct place *places)
{
    static const struct wtl_column columns[] = {
        {"code", false}, {"P [W] ", true}, {"energy", true}, {"metric ", true},
        {"pays", true},  {"slower", true}, {"beats", true}};
    size_t n = study->subject_count;
    for (size_t s = 0; s < n; s++) {
        double scope = wtl_pose_study_model(study, s, m)->pose.scope;
        places[s] = (struct place){isnan(scope) ? -1 : scope, s};
    }
    wtl_sort(places, n, sizeof *places, by_scope);
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    size_t half = n > SHOWN ? SHOWN / 2 : n;
    wtl_table_spare(table, 5, 3);
    wtl_table_spare(table, 4, 2);
    wtl_table_spare(table, 1, 1);
    for (size_t i = 0; i < half; i++)
        add_code(table, study, places[i].subject, m);
    if (n > SHOWN)
        wtl_table_rule(table);
    for (size_t i = n > SHOWN ? n - SHOWN / 2 : n; i < n; i++)
        add_code(table, study, places[i].subject, m);
    print_metric(out, study->metric_names[m]);
    (void)fprintf(out, ": %zu codes, sorted by potential gain from power%s\n\n", n,
                  n > SHOWN ? "; only the first and last are shown (see --format csv)" : "");
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

int wtl_pose_print_codes(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_pose_study *study)
{
    struct place *places = calloc(study->subject_count, sizeof *places);
    int rc = places ? 0 : -ENOMEM;
    for (size_t m = 0; rc == 0 && m < study->metric_count; m++)
        rc = print_codes_under(out, style, study, m, places);
    free(places);
    (void)fputc('\n', out);
    wtl_wrap_laid_out(out,
                      " energy   maximum saving from lower power\n"
                      " metric   maximum improvement from lower power\n"
                      " pays     speed-up that always pays\n"
                      " slower   maximum slowdown that lower power compensates\n"
                      " beats    speed-up that beats all power optimisation\n"
                      " *        outside Pmin .. Pmax\n"
                      " ?        undecided within the 95 % interval\n"
                      " See --details for each code in full, with advice.\n",
                      wtl_style_width(style));
    if (rc == 0)
        rc = wtl_pose_print_codes_warnings(out, style, study);
    return rc;
}

/* ---- candidates ---- */

static const char *const regions[] = {NULL, "1 strong", "2 weak", "3 power", "4 worse"};

/* Outside 0 .. 100 % the exact value is useless: it is a share of a small gain. */
static void format_share(char *buf, size_t n, double part)
{
    buf[0] = '\0';
    if (part > 1.005)
        (void)snprintf(buf, n, "> 100 %%");
    else if (part < -0.005)
        (void)snprintf(buf, n, "< 0 %%");
    else if (isfinite(part))
        (void)snprintf(buf, n, "%.0f %%", fabs(100 * part));
}

static void add_candidate(struct wtl_table *table,
                          const struct wtl_pose_study *study,
                          size_t i,
                          size_t m)
{
    const struct wtl_pose_candidate *candidate = &study->candidates[i];
    const struct wtl_pose_verdict *verdict = &wtl_pose_study_model(study, 0, m)->verdicts[i];
    const struct wtl_pose_verdict_interval *known =
        &wtl_pose_study_model(study, 0, m)->verdict_intervals[i];
    const struct wtl_pose_code *code = &study->subjects[0].code;
    char label[128], parameter[CELL] = "", t[CELL], e[CELL], gain[CELL], region[CELL];
    char share[CELL];
    double p_w = candidate->at.e_j / candidate->at.t_s;
    bool outside = p_w < code->pmin_w || p_w > code->pmax_w;
    (void)snprintf(region, sizeof region, "%s%s%s", regions[verdict->region], outside ? "*" : "",
                   known->decided ? "" : "?");
    if (isfinite(candidate->parameter))
        (void)snprintf(parameter, sizeof parameter, "%.6g", candidate->parameter);
    format_share(share, sizeof share, verdict->power_part);
    const char *row[] = {
        cut(label, sizeof label, candidate->label, study->parameter_name ? SHORT : NAME),
        parameter,
        wtl_pose_number(t, sizeof t, candidate->at.t_s, code->t_s),
        wtl_pose_number(e, sizeof e, candidate->at.e_j, code->e_j),
        study->parameter_name /* then there is no room */
            ? wtl_pose_ratio(gain, sizeof gain, verdict->gain)
            : wtl_pose_ratio_known(gain, sizeof gain, verdict->gain, known->gain),
        region,
        share,
        candidate->on_front ? "yes" : ""};
    wtl_table_row(table, verdict->region == WTL_POSE_DEGRADATION ? WTL_FAINT : WTL_PLAIN, row);
}

static int print_candidates_under(FILE *out,
                                  const struct wtl_style *style,
                                  const struct wtl_pose_study *study,
                                  size_t m)
{
    char parameter[CELL] = "";
    if (study->parameter_name)
        (void)snprintf(parameter, sizeof parameter,
                       study->parameter_unit ? "%.12s [%.4s]" : "%.14s", study->parameter_name,
                       study->parameter_unit);
    const struct wtl_column columns[] = {
        {"version", false}, {parameter, true}, {"time [s]", true}, {"energy [J]", true},
        {"gain", true},     {"region", false}, {"power", true},    {"front", false}};
    size_t n = study->candidate_count, shown = n > SHOWN ? SHOWN : n;
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    wtl_table_spare(table, 7, 3);
    wtl_table_spare(table, 6, 2);
    wtl_table_spare(table, 3, 1);
    for (size_t i = 0; i < shown; i++)
        add_candidate(table, study, i, m);
    print_metric(out, study->metric_names[m]);
    (void)fputs(": other versions", out);
    if (study->subjects[0].label) {
        char label[4 * NAME];
        (void)cut(label, sizeof label, study->subjects[0].label, NAME);
        (void)fputs(" of ", out);
        wtl_print_clean(out, label, strlen(label));
    }
    (void)fprintf(out, "%s\n\n", n > SHOWN ? ", first ones only; see --format csv for all" : "");
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

int wtl_pose_print_candidates(FILE *out,
                              const struct wtl_style *style,
                              const struct wtl_pose_study *study)
{
    int rc = 0;
    for (size_t m = 0; rc == 0 && m < study->metric_count; m++)
        rc = print_candidates_under(out, style, study, m);
    (void)fputc('\n', out);
    wtl_wrap_laid_out(
        out,
        " gain     metric of the code / metric of the version\n"
        " region   1 strong run-time optimisation, better than any power optimisation;\n"
        "          2 weak run-time optimisation; 3 power optimisation;\n"
        "          4 degradation, no better than the code; * outside Pmin .. Pmax;\n"
        "          ? the 95 % intervals include another region\n"
        " power    share of log(gain) due to power, the rest is due to run time; above\n"
        "          100 % run time lost part of the gain, below 0 power did\n",
        wtl_style_width(style));
    wtl_wrap_laid_out(
        out,
        study->code_on_front
            ? " front    no other version is as good in time and energy; so is the code\n"
            : " front    no other version is as good in time and energy\n",
        wtl_style_width(style));
    return rc;
}

/* ---- machines ---- */

/* The group that all machines belong to, as components of one node do; NULL = none. */
static const char *group_of_all(const struct wtl_pose_study *study)
{
    const char *group = study->systems[0].group;
    for (size_t i = 0; group && i < study->system_count; i++)
        if (!study->systems[i].group || strcmp(study->systems[i].group, group) != 0)
            return NULL;
    return study->system_count > 1 ? group : NULL;
}

const char *wtl_pose_system_name(const struct wtl_pose_study *study, size_t i, char *buf, size_t n)
{
    const struct wtl_pose_system_summary *system = &study->systems[i];
    const char *name = system->name, *group = system->group;
    char both_names[4 * CELL];
    if (!name && !group)
        return "machine";
    if (!name || !group)
        return cut(buf, n, name ? name : group, NAME);
    (void)snprintf(both_names, sizeof both_names, "%.100s %.100s", group, name);
    return cut(buf, n, group_of_all(study) ? name : both_names, NAME);
}

/* NaN: the ratio depends on the run time. */
static char *ratio_of(char *buf, size_t n, const struct wtl_pose_system_summary *system, size_t at)
{
    if (!isnan(system->ratios[at]))
        return wtl_pose_ratio_known(buf, n, system->ratios[at], system->ranges[at]);
    (void)snprintf(buf, n, "varies");
    return buf;
}

/* The title of a column of machines, or of metrics where there is one machine. */
static const char *title_of(const struct wtl_pose_study *study, size_t i, char title[CELL])
{
    return study->system_count == 1 ? cut(title, CELL, study->metric_names[i], NAME)
                                    : wtl_pose_system_name(study, i, title, CELL);
}

/* Machines or metrics as columns, whichever there are several of. */
static int print_block(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_pose_study *study,
                       size_t first,
                       size_t n,
                       size_t metric)
{
    bool metrics = study->system_count == 1;
    struct wtl_column columns[1 + MACHINES] = {{"", false}};
    char names[MACHINES][CELL], cells[MACHINES][CELL];
    const struct wtl_pose_system_summary *systems[MACHINES];
    for (size_t k = 0; k < n; k++) {
        systems[k] = &study->systems[metrics ? 0 : first + k];
        columns[1 + k] = (struct wtl_column){title_of(study, first + k, names[k]), true};
    }
    struct wtl_table *table = wtl_table_create(columns, 1 + n);
    for (int i = -2; i < WTL_POSE_INSIGHTS; i++) {
        const char *row[1 + MACHINES] = {i == -2   ? "Pmin [W]"
                                         : i == -1 ? "Pmax [W]"
                                                   : wtl_pose_insight_titles[i]};
        for (size_t k = 0; k < n; k++) {
            size_t m = metrics ? first + k : metric;
            double watts = i == -2 ? systems[k]->pmin_w : systems[k]->pmax_w;
            double half = i == -2 ? systems[k]->pmin_half_w : systems[k]->pmax_half_w;
            row[1 + k] =
                i < 0 ? wtl_pose_watts(cells[k], CELL, watts, half)
                      : ratio_of(cells[k], CELL, systems[k], m * WTL_POSE_INSIGHTS + (size_t)i);
        }
        if (i == 0)
            wtl_table_rule(table);
        wtl_table_row(table, WTL_PLAIN, row);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static bool is_known(const struct wtl_pose_system_summary *system)
{
    return system->pmin_half_w > 0 || system->pmax_half_w > 0;
}

/* All columns under one metric, as many side by side as fit. */
static int print_across(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_pose_study *study,
                        size_t shown,
                        size_t metric)
{
    bool one = study->system_count == 1;
    int rc = 0;
    for (size_t first = 0, n; rc == 0 && first < shown; first += n) {
        size_t used = FIRST;
        for (n = 0; n < MACHINES && first + n < shown; n++) {
            char title[CELL];
            size_t wide = wtl_utf8_columns(title_of(study, first + n, title));
            size_t cell = is_known(&study->systems[one ? 0 : first + n]) ? KNOWN : RATIO;
            used += 2 + (wide < cell ? cell : wide);
            if (used > (size_t)wtl_style_width(style) && n > 0)
                break;
        }
        rc = print_block(out, style, study, first, n, metric);
    }
    return rc;
}

static bool has_flag(const struct wtl_pose_system_summary *system,
                     const struct wtl_result_flag *flag)
{
    for (size_t i = 0; i < system->flag_count; i++)
        if (strcmp(system->flags[i].name, flag->name) == 0 &&
            strcmp(system->flags[i].text, flag->text) == 0)
            return true;
    return false;
}

/* What the machines have in common, starting from `first`, which is the first one with it. */
static void print_flag(FILE *out,
                       const struct wtl_style *style,
                       const struct wtl_pose_study *study,
                       size_t first,
                       const struct wtl_result_flag *flag)
{
    char names[160] = "", name[CELL], text[sizeof names + sizeof *flag + 8];
    for (size_t i = 0; i < first; i++)
        if (has_flag(&study->systems[i], flag))
            return;
    for (size_t i = first, used = 0; i < study->system_count && used < sizeof names; i++)
        if (has_flag(&study->systems[i], flag))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     wtl_pose_system_name(study, i, name, sizeof name));
    (void)snprintf(text, sizeof text, "%s: %s: %s", flag->name, names, flag->text);
    wtl_print_paragraph(out, style, WTL_CAUTION, LABEL, "warning", text);
}

static void print_flags(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_pose_study *study)
{
    bool any = false;
    for (size_t i = 0; i < study->system_count; i++)
        for (size_t k = 0; k < study->systems[i].flag_count; k++) {
            if (!any)
                (void)fputc('\n', out);
            any = true;
            print_flag(out, style, study, i, &study->systems[i].flags[k]);
        }
}

int wtl_pose_print_systems(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_pose_study *study)
{
    bool one = study->system_count == 1, varies = false;
    size_t across = one ? study->metric_count : study->system_count;
    size_t shown = across > SHOWN ? SHOWN : across;
    int rc = 0;
    (void)fputs("\n What the machine allows, for any code (system summary)\n", out);
    for (size_t m = 0; rc == 0 && m < (one ? 1 : study->metric_count); m++) {
        if (!one) {
            print_metric(out, study->metric_names[m]);
            (void)fputc('\n', out);
        }
        rc = print_across(out, style, study, shown, m);
    }
    for (size_t m = 0; m < study->metric_count; m++)
        varies |= isnan(study->systems[0].ratios[m * WTL_POSE_INSIGHTS]);
    if (varies)
        (void)fputs("\n varies   depends on run time under this metric\n", out);
    if (across > SHOWN)
        (void)fputs("\n Only the first are shown; see --format csv for all.\n", out);
    print_flags(out, style, study);
    return rc;
}
