/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The texts of a POSE model: one sentence for each insight, a headline, warnings: see pose_forms.h. Power
 * optimisation is expressed as the speed-up that would gain as much at unchanged power, which is comparable
 * under every metric.
 */
#include "report/pose/pose_forms.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/pose/pose_text.h"

/* Ratios below this are negligible. */
#define LITTLE 1.05

/* The headline if the outcome is undecided. */
static void say_undecided(const struct wtl_pose_model *model, char *text, size_t n)
{
    (void)snprintf(text, n,
                   "Undecided: lower power is worth a speed-up of at most %.2fx, but the 95 %% "
                   "interval of that is %.2fx to %.2fx; measure more runs, or calibrate again.",
                   model->pose.scope, model->intervals.scope.low, model->intervals.scope.high);
}

char *wtl_pose_headline(const struct wtl_pose_model *model, char *text, size_t n)
{
    const struct wtl_pose *pose = &model->pose;
    double scope = pose->scope, beats = pose->insights[WTL_POSE_DOMINATING_SPEEDUP].ratio;
    bool decided;
    enum wtl_pose_stance stance = wtl_pose_model_stance(model, &decided);
    if (pose->warnings & WTL_POSE_BELOW_FLOOR)
        (void)snprintf(text, n,
                       "Look at run time: the code draws less than Pmin, so part of the machine "
                       "seems to be idle, and lower power cannot help.");
    else if (!decided)
        say_undecided(model, text, n);
    else if (stance == WTL_POSE_RUN_TIME_ONLY)
        (void)snprintf(text, n, "Look at run time: lower power can save next to nothing.");
    else if (stance == WTL_POSE_RUN_TIME_MOSTLY)
        (void)snprintf(
            text, n,
            "Look at run time: all that lower power can save is worth a speed-up of only %.2fx.",
            scope);
    else if (stance == WTL_POSE_POWER_UNLIMITED)
        (void)snprintf(text, n, "Power could save any amount because Pmin is 0 W.");
    else if (pose->warnings & WTL_POSE_ABOVE_CEILING)
        (void)snprintf(text, n,
                       "%s: lower power is worth a speed-up of at most %.2fx at the code's power, "
                       "which is above Pmax; at Pmax or less, a speed-up of %.2fx always beats it.",
                       stance == WTL_POSE_RUN_TIME_FIRST ? "Run time first"
                                                         : "Power is worth a look",
                       scope, beats);
    else if (stance == WTL_POSE_RUN_TIME_FIRST)
        (void)snprintf(text, n,
                       "Run time first: lower power is worth a speed-up of at most %.2fx, and a "
                       "speed-up of %.2fx always beats it.",
                       scope, beats);
    else
        (void)snprintf(text, n,
                       "Power is worth a look: lower power is worth a speed-up of up to %.2fx, and "
                       "only a speed-up of %.2fx always beats it.",
                       scope, beats);
    return text;
}

/* Advice consistent with the headline. */
static void advise_energy(const struct wtl_pose_model *model, char *text, size_t n)
{
    const struct wtl_pose *pose = &model->pose;
    double ratio = pose->insights[WTL_POSE_ENERGY_SAVED].ratio, share = 100 * (1 - 1 / ratio);
    bool decided;
    bool power = wtl_pose_model_stance(model, &decided) >= WTL_POSE_POWER_TOO;
    if (pose->warnings & WTL_POSE_BELOW_FLOOR)
        (void)snprintf(text, n,
                       "The code already draws less than Pmin, so look for missing parallelism, or "
                       "use a --floor load similar to this code.");
    else if (!decided)
        (void)snprintf(text, n, "Lower power saves %.0f %% of the energy at best.", fmax(share, 0));
    else if (ratio < LITTLE)
        (void)snprintf(text, n, "Lower power saves %.1f %% of the energy at best%s", fmax(share, 0),
                       power ? "."
                             : ", so reduce run time instead, starting with missing parallelism.");
    else if (!power)
        (void)snprintf(text, n,
                       "Lower power saves up to %.0f %% of the energy, but under this metric that "
                       "is worth a speed-up of at most %.2fx, so reduce run time first.",
                       share, pose->scope);
    else
        (void)snprintf(text, n,
                       "Lower power saves up to %.0f %% of the energy: check whether processor and "
                       "memory are balanced, and whether cores wait at full clock speed.",
                       share);
}

static void advise_metric(const struct wtl_pose *pose, char *text, size_t n)
{
    if (pose->insights[WTL_POSE_METRIC_IMPROVEMENT].ratio <= 1)
        (void)snprintf(text, n, "No version at Pmin can be better through lower power.");
    else if (!isfinite(pose->scope))
        (void)snprintf(text, n, "At 0 W there is no limit to what lower power can save.");
    else
        (void)snprintf(text, n,
                       "This is the best combination of lower power and its run time; a speed-up "
                       "of %.2fx at the same power gains as much.",
                       pose->scope);
}

/* A run time in an advice, rounded so that the advice stays true: down for what a version must reach, up
 * for what it must not exceed. */
static char *run_time(char *buf, size_t n, const struct wtl_pose *pose, double t_s, bool up)
{
    int decimals = wtl_pose_decimals(pose->code.t_s);
    double unit = pow(10, decimals), steps = t_s * unit;
    (void)snprintf(buf, n, "%.*f s", decimals, (up ? ceil(steps) : floor(steps)) / unit);
    return buf;
}

static void advise_guaranteed(const struct wtl_pose *pose, char *text, size_t n)
{
    char b[64];
    (void)run_time(b, sizeof b, pose, pose->vertices[WTL_POSE_B].t_s, false);
    if (pose->warnings & WTL_POSE_ABOVE_CEILING)
        (void)snprintf(text, n,
                       "The code draws more than Pmax, so even a slower version that takes %s is "
                       "better at any power up to Pmax.",
                       b);
    else
        (void)snprintf(text, n,
                       "A version that takes %s or less is better at any power up to Pmax.", b);
}

static void advise_slowdown(const struct wtl_pose *pose, char *text, size_t n)
{
    double ratio = pose->insights[WTL_POSE_WORST_SLOWDOWN].ratio;
    char e[64];
    (void)run_time(e, sizeof e, pose, pose->vertices[WTL_POSE_E].t_s, ratio >= 1);
    if (!isfinite(ratio))
        (void)snprintf(text, n, "At 0 W any slowdown could be compensated.");
    else if (ratio < 1)
        (void)snprintf(text, n,
                       "Lower power cannot compensate any slowdown; even at Pmin a version must "
                       "take less than %s.",
                       e);
    else if (ratio < 1.01)
        (void)snprintf(text, n,
                       "No run time can be traded for power: a version that takes longer than %s "
                       "is worse, however little it draws.",
                       e);
    else
        (void)snprintf(text, n,
                       "Trade no more run time than this for power: a version that takes longer "
                       "than %s is worse, however little it draws.",
                       e);
}

static void advise_dominating(const struct wtl_pose_model *model, char *text, size_t n)
{
    const struct wtl_pose *pose = &model->pose;
    bool decided;
    bool power = wtl_pose_model_stance(model, &decided) >= WTL_POSE_POWER_TOO;
    double ratio = pose->insights[WTL_POSE_DOMINATING_SPEEDUP].ratio;
    char a[64];
    (void)run_time(a, sizeof a, pose, pose->vertices[WTL_POSE_A].t_s, false);
    if (!isfinite(ratio))
        (void)snprintf(text, n, "With Pmin at 0 W no speed-up beats all power optimisation.");
    else if (pose->warnings & WTL_POSE_BELOW_FLOOR)
        (void)snprintf(text, n,
                       "A speed-up has nothing to beat: no version at Pmin can be better through "
                       "lower power.");
    else if (!decided)
        (void)snprintf(text, n, "A version that takes %s beats all power optimisation.", a);
    else if (!power)
        (void)snprintf(text, n,
                       "A version that takes %s beats all power optimisation: try to reach that "
                       "before any work on power.",
                       a);
    else
        (void)snprintf(text, n,
                       "A version that takes %s beats all power optimisation; if that is out of "
                       "reach, look at power.",
                       a);
}

char *wtl_pose_advice(const struct wtl_pose_model *model,
                      enum wtl_pose_insight insight,
                      char *text,
                      size_t n)
{
    const struct wtl_pose *pose = &model->pose;
    if (insight == WTL_POSE_ENERGY_SAVED)
        advise_energy(model, text, n);
    else if (insight == WTL_POSE_METRIC_IMPROVEMENT)
        advise_metric(pose, text, n);
    else if (insight == WTL_POSE_GUARANTEED_SPEEDUP)
        advise_guaranteed(pose, text, n);
    else if (insight == WTL_POSE_WORST_SLOWDOWN)
        advise_slowdown(pose, text, n);
    else
        advise_dominating(model, text, n);
    return text;
}

/* ---- warnings ---- */

bool wtl_pose_warning_at(const struct wtl_pose_subject *subject,
                         const struct wtl_pose_model *model,
                         size_t i,
                         struct wtl_pose_warning_text *ret)
{
    const struct wtl_pose *pose = &model->pose;
    enum { BELOW, ABOVE, TIME, ESTIMATED, BOUNDS, WARNINGS };
    const bool there[WARNINGS] = {
        [BELOW] = pose->warnings & WTL_POSE_BELOW_FLOOR,
        [ABOVE] = pose->warnings & WTL_POSE_ABOVE_CEILING,
        [TIME] = pose->warnings & WTL_POSE_TIME_MATTERS,
        [ESTIMATED] = subject->quality == WATTLE_ESTIMATED,
        [BOUNDS] = subject->bounds_quality == WATTLE_ESTIMATED,
    };
    static const char *const names[WARNINGS] = {"BELOW_FLOOR", "ABOVE_CEILING", "TIME_MATTERS",
                                                "ESTIMATED", "BOUNDS_ESTIMATED"};
    int which = 0;
    size_t seen = 0;
    for (; which < WARNINGS; which++) {
        if (there[which] && seen++ == i)
            break;
    }
    if (which == WARNINGS && i - seen >= subject->flag_count)
        return false;
    if (which == WARNINGS) { /* the reader's message */
        ret->name = subject->flags[i - seen].name;
        (void)snprintf(ret->text, sizeof ret->text, "%s", subject->flags[i - seen].text);
        return true;
    }
    ret->name = names[which];
    char *text = ret->text;
    size_t n = sizeof ret->text;
    if (which == BELOW)
        (void)snprintf(
            text, n,
            "the code draws %.2f W, less than Pmin (%.2f W): this floor is not valid for it",
            pose->p_w, pose->code.pmin_w);
    else if (which == ABOVE)
        (void)snprintf(text, n,
                       "the code draws %.2f W, more than Pmax (%.2f W): the load measured for Pmax "
                       "is not the highest possible",
                       pose->p_w, pose->code.pmax_w);
    else if (which == TIME)
        (void)snprintf(text, n,
                       "under this metric the ratios depend on run time and do not hold for "
                       "shorter or longer runs");
    else if (which == ESTIMATED)
        (void)snprintf(text, n, "the energy is estimated by a model, not measured");
    else
        (void)snprintf(text, n, "%s estimated by a model, not measured",
                       !subject->pmin_name   ? "Pmax is"
                       : !subject->pmax_name ? "Pmin is"
                                             : "Pmin and Pmax are");
    return true;
}
