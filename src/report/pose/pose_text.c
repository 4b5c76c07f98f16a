/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as text: one code in full; the tables are in pose_tables.c. */
#include "report/pose/pose_text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/whole.h"
#include "model/quality.h"
#include "report/digits.h"
#include "report/table.h"

enum {
    LABEL = 10,
    NAME = 33,
    ABSOLUTE = 23,
    RATIO = 20,
    INDENT = 4,
    CELL = 64,
    ENDS = 18,
    SHORT = 8
};

#define ROUNDING 1e-12 /* a ratio so near to 1 is 1 */

const char *const wtl_pose_insight_titles[WTL_POSE_INSIGHTS] = {
    "Energy saved, at most",         "Metric improved, at most",        "Speed-up that always pays",
    "Slowdown compensated, at most", "Speed-up that beats lower power",
};

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
    wtl_print_paragraph(out, style, emphasis, LABEL, label, text);
}

/* ---- numbers ---- */

int wtl_pose_decimals(double scale)
{
    int magnitude = scale > 0 && isfinite(scale) ? wtl_whole_int(floor(log10(scale))) : 0;
    return magnitude >= 8 ? 0 : magnitude >= 1 ? 2 : magnitude < -5 ? 8 : 3 - magnitude;
}

char *wtl_pose_number(char *buf, size_t n, double value, double scale)
{
    if (isnan(value))
        (void)snprintf(buf, n, "unknown");
    else if (isinf(value))
        (void)snprintf(buf, n, "no limit");
    else if (fabs(value) >= 1e9)
        (void)snprintf(buf, n, "%.6g", value);
    else
        (void)snprintf(buf, n, "%.*f", wtl_pose_decimals(scale), value);
    if (buf[0] == '-' && strspn(buf + 1, "0.") == strlen(buf + 1))
        memmove(buf, buf + 1, strlen(buf)); /* no sign before 0 */
    return buf;
}

char *wtl_pose_ratio(char *buf, size_t n, double ratio)
{
    if (isnan(ratio))
        (void)snprintf(buf, n, "unknown");
    else if (isinf(ratio))
        (void)snprintf(buf, n, "no limit");
    else
        (void)snprintf(buf, n, ratio < 1e5 ? "%.2fx" : "%.3gx", ratio);
    return buf;
}

/* "12 (-1..199)": a value with the ends of an asymmetric interval, with as many digits as its
 * shorter side supports and fit; at least two. */
static bool format_ends(char *buf, size_t n, double value, struct wtl_pose_range range)
{
    double shorter = fmin(value - range.low, range.high - value);
    double step = fmax(shorter, (range.high - range.low) / 200);
    for (; shorter > 0 && step <= fmax(shorter, fabs(value)); step *= 10) {
        char middle[32], low[32], high[32];
        (void)snprintf(buf, n, "%.16s (%.16s..%.16s)",
                       wtl_digits_value(middle, sizeof middle, value, step),
                       wtl_digits_value(low, sizeof low, range.low, step),
                       wtl_digits_value(high, sizeof high, range.high, step));
        if (strlen(buf) <= ENDS)
            return true;
    }
    return false;
}

/* A value with its interval; if this is asymmetric, with its ends rather than its half width, if
 * they fit. False: it has none. */
static bool format_interval(char *buf, size_t n, double value, struct wtl_pose_range range)
{
    double half = (range.high - range.low) / 2;
    if (!(half > 0) || !isfinite(half) || !isfinite(value))
        return false;
    bool lopsided = fabs(range.low + half - value) > half / 5;
    if (!lopsided || !format_ends(buf, n, value, range))
        (void)wtl_digits_interval(buf, n, value, half);
    return true;
}

/* A negative amount is saved, compensated or needed; with an interval, in all of it. */
const char *wtl_pose_nothing(const struct wtl_pose_model *model, enum wtl_pose_insight i)
{
    double ratio = model->pose.insights[i].ratio;
    double high = isnan(model->intervals.ratio[i].high) ? ratio : model->intervals.ratio[i].high;
    if (!(high < 1 - ROUNDING))
        return NULL;
    return i == WTL_POSE_GUARANTEED_SPEEDUP || i == WTL_POSE_DOMINATING_SPEEDUP ? "none needed"
                                                                                : "nothing";
}

static char *absolute_cell(char *buf,
                           size_t n,
                           const struct wtl_pose_model *model,
                           enum wtl_pose_insight i)
{
    const struct wtl_pose_code *code = &model->pose.code;
    double value = model->pose.insights[i].absolute, ratio = model->pose.insights[i].ratio;
    double scale = i == WTL_POSE_ENERGY_SAVED ? code->e_j : code->t_s;
    const char *unit = i == WTL_POSE_ENERGY_SAVED         ? " J"
                       : i == WTL_POSE_METRIC_IMPROVEMENT ? ""
                                                          : " s";
    char number[CELL];
    if (wtl_pose_nothing(model, i)) {
        (void)snprintf(buf, n, "%s", wtl_pose_nothing(model, i));
        return buf;
    }
    bool known = format_interval(number, sizeof number, value, model->intervals.absolute[i]);
    if (!known && i == WTL_POSE_METRIC_IMPROVEMENT && isfinite(value))
        (void)snprintf(number, sizeof number, "%.4g", fabs(ratio - 1) < ROUNDING ? 0 : value);
    else if (!known)
        (void)wtl_pose_number(number, sizeof number, value, scale);
    (void)snprintf(buf, n, "%s%s", number, isfinite(value) ? unit : "");
    return buf;
}

char *wtl_pose_ratio_known(char *buf, size_t n, double ratio, struct wtl_pose_range range)
{
    char number[CELL];
    bool coarse = range.high - range.low > 2 * ratio; /* more noise than number */
    if (coarse || !format_interval(number, sizeof number, ratio, range)) {
        (void)wtl_pose_ratio(buf, n, ratio);
        (void)snprintf(buf + strlen(buf), n - strlen(buf), "%s", coarse ? " ?" : "");
        return buf;
    }
    (void)snprintf(buf, n, "%s x", number);
    return buf;
}

static char *ratio_cell(char *buf,
                        size_t n,
                        const struct wtl_pose_model *model,
                        enum wtl_pose_insight i)
{
    return wtl_pose_ratio_known(buf, n, model->pose.insights[i].ratio, model->intervals.ratio[i]);
}

/* ---- who ---- */

static void print_source(FILE *out, const struct wtl_pose_subject *subject)
{
    char runs[64] = "1 run";
    if (subject->doubt.runs > 1)
        (void)snprintf(runs, sizeof runs, "mean of %zu runs", subject->doubt.runs);
    else if (subject->origin == WTL_POSE_GIVEN)
        return;
    if (subject->origin == WTL_POSE_GIVEN) {
        tell(out, NULL, WTL_PLAIN, "from", "%s", runs);
        return;
    }
    tell(out, NULL, WTL_PLAIN, "from", "%s%s%.100s, %s%s%.200s", runs,
         subject->region ? ", region " : "", subject->region ? subject->region : "",
         wtl_quality_word(subject->quality, subject->simulated), subject->contains ? ": " : "",
         subject->contains ? subject->contains : "");
}

static const char *bound_name(const char *name)
{
    return name ? name : "given";
}

char *wtl_pose_watts(char *buf, size_t n, double power_w, double half_w)
{
    return half_w > 0 ? wtl_digits_interval(buf, n, power_w, half_w)
                      : wtl_pose_number(buf, n, power_w, fmax(power_w, 10));
}

static void print_bounds(FILE *out, const struct wtl_pose_subject *subject)
{
    const struct wtl_pose_code *code = &subject->code;
    bool calibrated = subject->bounds_origin == WTL_POSE_CALIBRATION;
    char low[CELL], high[CELL];
    tell(out, NULL, WTL_PLAIN, "machine", "Pmin %s W (%.60s), Pmax %s W (%.60s)%s%s",
         wtl_pose_watts(low, sizeof low, code->pmin_w, subject->doubt.pmin_half_w),
         bound_name(subject->pmin_name),
         wtl_pose_watts(high, sizeof high, code->pmax_w, subject->doubt.pmax_half_w),
         bound_name(subject->pmax_name), calibrated ? ", " : "",
         calibrated ? wtl_quality_word(subject->bounds_quality, subject->bounds_simulated) : "");
}

void wtl_pose_print_code(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_pose_study *study,
                         size_t s)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    const struct wtl_pose_code *code = &subject->code;
    char t[CELL], e[CELL], p[CELL];
    (void)fputc('\n', out);
    bool named = subject->label || subject->group;
    if (named)
        tell(out, style, WTL_STRONG, "code", "%.200s%s%.200s", subject->label ? subject->label : "",
             subject->label && subject->group ? " on " : "", subject->group ? subject->group : "");
    tell(out, NULL, WTL_PLAIN, named ? "" : "code", "%s s, %s J, %s W%s",
         wtl_pose_number(t, sizeof t, code->t_s, code->t_s),
         wtl_pose_number(e, sizeof e, code->e_j, code->e_j),
         wtl_pose_number(p, sizeof p, code->e_j / code->t_s, code->e_j / code->t_s),
         subject->origin == WTL_POSE_GIVEN ? " (given)" : "");
    print_source(out, subject);
    print_bounds(out, subject);
}

/* ---- what ---- */

static void print_insights(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_pose_model *model)
{
    char absolute[2 * CELL], ratio[2 * CELL], numbers[4 * CELL], advice[WTL_POSE_SENTENCE];
    int room = wtl_style_width(style) - WTL_TEXT_INDENT - NAME, beside = ABSOLUTE + 2 + RATIO;
    bool wide = room >= beside;
    for (int k = 0; k < WTL_POSE_INSIGHTS; k++) {
        enum wtl_pose_insight i = (enum wtl_pose_insight)k;
        (void)snprintf(numbers, sizeof numbers, "%*s  %*s", wide ? ABSOLUTE : room - 2 - SHORT,
                       absolute_cell(absolute, sizeof absolute, model, i), wide ? RATIO : SHORT,
                       ratio_cell(ratio, sizeof ratio, model, i));
        const char *figures = numbers + strspn(numbers, " ");
        if (strlen(numbers) <= (size_t)room)
            (void)fprintf(out, " %-*s%s\n", NAME, wtl_pose_insight_titles[i], numbers);
        else if (strlen(figures) <= (size_t)room)
            (void)fprintf(out, " %-*s%*s\n", NAME, wtl_pose_insight_titles[i], room, figures);
        else
            (void)fprintf(out, " %s\n%*s\n", wtl_pose_insight_titles[i],
                          WTL_TEXT_INDENT + NAME + room, figures);
        wtl_print_paragraph(out, style, WTL_FAINT, INDENT, "",
                            wtl_pose_advice(model, i, advice, sizeof advice));
    }
}

static char *with_unit(char *buf, size_t n, double value, double scale, const char *unit)
{
    char number[CELL];
    (void)snprintf(buf, n, "%s%s%s", wtl_pose_number(number, sizeof number, value, scale),
                   isfinite(value) ? " " : "", isfinite(value) ? unit : "");
    return buf;
}

/* What +- refers to. */
static void print_interval_of(FILE *out, const struct wtl_pose_intervals *of)
{
    static const char *const parts[] = {"run-to-run variation", "the sensors' resolution",
                                        "Pmin and Pmax"};
    const bool there[] = {of->of_runs, of->of_resolution, of->of_bounds};
    char text[160] = "";
    for (size_t i = 0; i < 3; i++) {
        size_t used = strlen(text);
        if (there[i])
            (void)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", parts[i]);
    }
    if (!text[0])
        return;
    char sentence[256];
    (void)snprintf(sentence, sizeof sentence,
                   "half width of the 95 %% interval, (a..b) its ends; from %s", text);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, INDENT, "+-", sentence);
}

static void print_borders(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_pose_model *model)
{
    static const char *const names[WTL_POSE_VERTICES] = {
        "as good as C, at Pmax", "as good as the code, at Pmax", "best power optimisation, at Pmin",
        "as long as the code, at Pmin", "as good as the code, at Pmin"};
    const struct wtl_pose_code *code = &model->pose.code;
    char t[CELL], e[CELL];
    bool wide = wtl_style_width(style) >= WTL_PAGE_WIDTH;
    int name = wide ? 44 : 32, time = wide ? 13 : 10, energy = wide ? 15 : 11;
    (void)fprintf(out, " %-*s %*s  %*s\n", name + 3, "Region borders", time, "run time", energy,
                  "energy");
    for (int i = 0; i < WTL_POSE_VERTICES; i++)
        (void)fprintf(out, " %c  %-*s %*s  %*s\n", 'A' + i, name, names[i], time,
                      with_unit(t, sizeof t, model->pose.vertices[i].t_s, code->t_s, "s"), energy,
                      with_unit(e, sizeof e, model->pose.vertices[i].e_j, code->e_j, "J"));
    wtl_wrap_laid_out(out,
                      " 1  strong run-time optimisation: costs less than the line from A to C\n"
                      " 2  weak run-time optimisation: between that and the line from B to E\n"
                      " 3  power optimisation: the same, but below the line from C to the code\n"
                      " 4  degradation: costs more than the line from B to E\n",
                      wtl_style_width(style));
}

/* The warnings of the model, without those already given for earlier metrics. */
static void print_warnings(FILE *out,
                           const struct wtl_style *style,
                           const struct wtl_pose_subject *subject,
                           const struct wtl_pose_model *model,
                           unsigned seen)
{
    struct wtl_pose_warning_text warning;
    for (size_t i = 0; wtl_pose_warning_at(subject, model, i, &warning); i++)
        if (!seen || (strcmp(warning.name, "TIME_MATTERS") == 0 &&
                      !(seen & (unsigned)WTL_POSE_TIME_MATTERS)))
            tell(out, style, WTL_CAUTION, "warning", "%s: %s", warning.name, warning.text);
}

void wtl_pose_print_warnings(FILE *out,
                             const struct wtl_style *style,
                             const struct wtl_pose_study *study,
                             size_t s)
{
    unsigned seen = 0;
    for (size_t m = 0; m < study->metric_count; m++) {
        const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
        print_warnings(out, style, &study->subjects[s], model, seen);
        seen |= model->pose.warnings | 1u << 31;
    }
}

void wtl_pose_print_model(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_pose_study *study,
                          size_t s,
                          size_t m)
{
    const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
    char headline[WTL_POSE_SENTENCE];
    tell(out, NULL, WTL_PLAIN, "metric", "%.200s", study->metric_names[m]);
    tell(out, style, WTL_STRONG, "verdict", "%s",
         wtl_pose_headline(model, headline, sizeof headline));
    print_warnings(out, style, &study->subjects[s], model, 0);
    (void)fputc('\n', out);
    print_insights(out, style, model);
    print_interval_of(out, &model->intervals);
    (void)fputc('\n', out);
    print_borders(out, style, model);
}

/* One code: in full under each metric, or one table with all metrics side by side. */
static int print_one(FILE *out,
                     const struct wtl_style *style,
                     const struct wtl_pose_study *study,
                     size_t s,
                     bool details)
{
    wtl_pose_print_code(out, style, study, s);
    if (study->metric_count > 1 && !details)
        return wtl_pose_print_metrics(out, style, study, s);
    for (size_t m = 0; m < study->metric_count; m++)
        wtl_pose_print_model(out, style, study, s, m);
    return 0;
}

int wtl_text_pose(FILE *out,
                  const struct wtl_pose_study *study,
                  bool details,
                  const struct wtl_style *style)
{
    bool table = study->subject_count > 1 && !details;
    int rc = table ? wtl_pose_print_codes(out, style, study) : 0;
    for (size_t s = 0; rc == 0 && !table && s < study->subject_count; s++)
        rc = print_one(out, style, study, s, details);
    if (rc == 0 && study->candidate_count > 0)
        rc = wtl_pose_print_candidates(out, style, study);
    if (rc == 0 && study->system_count > 0)
        rc = wtl_pose_print_systems(out, style, study);
    (void)fputs("\n These are bounds: actual optimisations gain less.\n", out);
    return rc;
}
