/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POSE, the Power-Optimised Software Envelope (Roberts, Wright, Fahmy, Jarvis 2019): given the run
 * time and energy of a code and the minimum and maximum power of its machine, it shows whether
 * optimising power or run time has more to gain. Input and output are numbers: no trace, no sensor.
 * Part of libwattle-analysis, which does not need libwattle.
 *
 *     struct wattle_pose_code code = {.size = sizeof code, .time_s = 212.91, .energy_j = 38952.89,
 *                                     .pmin_w = 181.14, .pmax_w = 345.57};
 *     struct wattle_pose_metric *metric;
 *     struct wattle_pose *pose;
 *     if (wattle_pose_metric_parse("Et^3", &metric, &err) < 0 ||
 *         wattle_pose_create(metric, &code, &pose, &err) < 0)
 *         ... err.text says why ...
 *     struct wattle_pose_value saved = {.size = sizeof saved};
 *     wattle_pose_insight_value(pose, WATTLE_POSE_ENERGY_SAVED, &saved, &err);
 *     printf("at most %g J, %g times\n", saved.absolute, saved.ratio);
 *
 * A metric is a cost to be minimised: M(E, t), which never falls as energy or run time grows. All
 * results are bounds: an actual optimisation gains less. Unknown doubles are NaN.
 *
 * Thread rule: metrics and models are immutable; any number of threads may use one.
 */
#ifndef WATTLE_POSE_H
#define WATTLE_POSE_H

#include <stddef.h>

#include <wattle/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wattle_pose_metric;
struct wattle_pose;

/* A code and its machine. The caller sets size, and unused members to 0. */
struct wattle_pose_code {
    size_t size;             /* sizeof(struct wattle_pose_code) */
    double time_s, energy_j; /* above 0 */
    double pmin_w, pmax_w;   /* of the machine while computing: 0 <= pmin_w < pmax_w */
    /* Half widths of 95 % intervals; 0 = unknown: of the energy of one run, as far as its
     * sensors resolve it, and of the two powers. */
    double energy_interval_j, pmin_interval_w, pmax_interval_w;
};

/* Points where the bounds meet. */
enum wattle_pose_vertex {
    WATTLE_POSE_A, /* costs the same as C, at pmax: faster than this beats anything power
                      optimisation can achieve */
    WATTLE_POSE_B, /* costs the same as the code, at pmax: faster than this is better in any case */
    WATTLE_POSE_C, /* the best that power optimisation can achieve, at pmin */
    WATTLE_POSE_D, /* the code's run time, at pmin */
    WATTLE_POSE_E  /* costs the same as the code, at pmin: slower than this is worse in any case */
};

/* Results of the model. */
enum wattle_pose_insight {
    WATTLE_POSE_ENERGY_SAVED,       /* at most, by lower power only [J]; E / E_D */
    WATTLE_POSE_METRIC_IMPROVEMENT, /* at most, by power optimisation [of the metric]; M / M(C) */
    WATTLE_POSE_GUARANTEED_SPEEDUP, /* run time saved that always pays [s]; t / t_B */
    WATTLE_POSE_WORST_SLOWDOWN,     /* run time that lower power can compensate for [s]; t_E / t */
    WATTLE_POSE_DOMINATING_SPEEDUP /* run time saved that beats all power optimisation [s]; t / t_A */
};

/* Bits of wattle_pose_warnings(). */
enum wattle_pose_warning {
    WATTLE_POSE_BELOW_FLOOR = 1,   /* the code draws less than pmin: pmin does not apply to it */
    WATTLE_POSE_ABOVE_CEILING = 2, /* more than pmax */
    WATTLE_POSE_TIME_MATTERS = 4   /* the ratios hold for codes of this run time only */
};

/* Position of another version of the code. */
enum wattle_pose_region {
    WATTLE_POSE_STRONG_RUN_TIME = 1, /* better than any power optimisation could be */
    WATTLE_POSE_WEAK_RUN_TIME = 2,   /* better, and not more through power than through run time */
    WATTLE_POSE_POWER = 3,           /* better, and more through power than through run time */
    WATTLE_POSE_DEGRADATION = 4      /* not better than the code */
};

/* Bounds as curves: energy over run time. */
enum wattle_pose_curve {
    WATTLE_POSE_OPTIMISATION_BOUND, /* costs the same as the code: B, code, E */
    WATTLE_POSE_CONTRIBUTION_BOUND, /* power and run time contribute equally: C, code */
    WATTLE_POSE_OPTIMISATION_LIMIT  /* costs the same as C: A, C */
};

/* An insight. The caller sets size. */
struct wattle_pose_value {
    size_t size;     /* sizeof(struct wattle_pose_value) */
    double absolute; /* in the unit of the insight; NaN: beyond the range of doubles */
    double ratio;    /* below 1 outside the envelope */
    /* 95 % intervals of both, from the spread of runs and from the intervals in struct
     * wattle_pose_code; NaN if neither is known. */
    double absolute_low, absolute_high;
    double ratio_low, ratio_high;
};

/* Assessment of another version. The caller sets size. */
struct wattle_pose_verdict {
    size_t size; /* sizeof(struct wattle_pose_verdict) */
    enum wattle_pose_region region;
    double gain;        /* M(code) / M(version); above 1 is better */
    double power_gain;  /* the gain at the version's power, if it had the code's run time */
    double time_gain;   /* the gain with the version's run time, if it had the code's power */
    double power_share; /* share of power in log(gain), the mean over both orders of the two
                           steps. Above 0.5 only in the region of power; below 0 or above 1 where
                           power or run time makes it worse; NaN if there is no gain */
};

/*
 * Parse a metric: "E", "Et", "Et^N" (N >= 0); "EDS:ALPHA,BETA", alpha E + beta t; "EDD:ALPHA,BETA",
 * sqrt((alpha E)^2 + (beta t)^2); or an expression in E [J] and t [s], such as "E*t^2 + 0.1*t". The
 * caller owns *ret_metric and frees it with wattle_pose_metric_free() after the models that use it.
 * Returns 0; -EINVAL for text that is not a metric, with the column; -EOVERFLOW when it is too
 * long; -ENOMEM. Since 0.1.
 */
int wattle_pose_metric_parse(const char *text,
                             struct wattle_pose_metric **ret_metric,
                             struct wattle_error *err);

/* Free. Accepts NULL. Since 0.1. */
void wattle_pose_metric_free(struct wattle_pose_metric *metric);

/* The cost; NaN for NULL, and where an expression has no value. Since 0.1. */
double wattle_pose_metric_value(const struct wattle_pose_metric *metric,
                                double energy_j,
                                double time_s);

/*
 * Create the model of a code. It borrows the metric. The caller owns *ret_pose and frees it with
 * wattle_pose_destroy(). Returns 0; -EINVAL for numbers that do not describe a code and for a size
 * that is not set; -ENOTSUP for the size of a newer libwattle-analysis; -EDOM for an expression
 * that falls with energy or run time, is negative or has no value around this code (with the
 * points), that cannot be shown not to, or that is flat at a result; -ERANGE for numbers that
 * cannot be those of a machine, or beyond 1e-100 and 1e100; -ENOMEM. Since 0.1.
 */
int wattle_pose_create(const struct wattle_pose_metric *metric,
                       const struct wattle_pose_code *code,
                       struct wattle_pose **ret_pose,
                       struct wattle_error *err);

/*
 * The same from n runs of the code: their means are its run time and energy, and from 3 runs on
 * their spread gives intervals for the insights. energy_interval_j is that of each run; for the
 * mean it is divided by sqrt(n), assuming independent errors. time_s and energy_j of *code are not
 * read. The arrays are only read during the call. Returns as wattle_pose_create(), and -EINVAL when
 * a run's time or energy is not above 0. Since 0.1.
 */
int wattle_pose_create_of_runs(const struct wattle_pose_metric *metric,
                               const struct wattle_pose_code *code,
                               const double *times_s,
                               const double *energies_j,
                               size_t n,
                               struct wattle_pose **ret_pose,
                               struct wattle_error *err);

/* Free. Accepts NULL. Since 0.1. */
void wattle_pose_destroy(struct wattle_pose *pose);

/* Run time and energy of a vertex; they may be 0 and infinite if pmin is 0. Returns 0 or
 * -EINVAL. Since 0.1. */
int wattle_pose_vertex_point(const struct wattle_pose *pose,
                             enum wattle_pose_vertex vertex,
                             double *ret_time_s,
                             double *ret_energy_j);

/* An insight. Returns 0; -EINVAL for NULL, an unknown insight or a size that is not set;
 * -ENOTSUP for the size of a newer libwattle-analysis. Since 0.1. */
int wattle_pose_insight_value(const struct wattle_pose *pose,
                              enum wattle_pose_insight insight,
                              struct wattle_pose_value *ret_value,
                              struct wattle_error *err);

/* Bits of enum wattle_pose_warning; 0 for NULL. Since 0.1. */
unsigned wattle_pose_warnings(const struct wattle_pose *pose);

/* The energy [J] of a curve at a run time; NaN where the curve has no point, and for NULL. Since
 * 0.1. */
double wattle_pose_curve_energy(const struct wattle_pose *pose,
                                enum wattle_pose_curve curve,
                                double time_s);

/*
 * Classify another version of the code by its run time and energy, both above 0. Returns as
 * wattle_pose_insight_value(); -ERANGE as wattle_pose_create(); -EDOM where an expression falls, or
 * has no value, between the code and this version. Since 0.1.
 */
int wattle_pose_classify(const struct wattle_pose *pose,
                         double time_s,
                         double energy_j,
                         struct wattle_pose_verdict *ret_verdict,
                         struct wattle_error *err);

/*
 * System summary: the maximum ratio of each insight over all codes between the two powers, in the
 * order of enum wattle_pose_insight. Fills at most n. Returns the number of insights, 5; -EINVAL;
 * -EDOM and -ERANGE as wattle_pose_create(); -ENOTSUP for a metric whose ratios depend on run time.
 * Since 0.1.
 */
int wattle_pose_system(const struct wattle_pose_metric *metric,
                       double pmin_w,
                       double pmax_w,
                       double *ret_ratios,
                       size_t n,
                       struct wattle_error *err);

/*
 * Names: as in JSON, "energy_saved"; for people, "strong run-time optimisation"; and "BELOW_FLOOR".
 * Static storage. To list them, count up from 0, count up from 1, or double from 1, until NULL is
 * returned. Since 0.1.
 */
const char *wattle_pose_insight_name(enum wattle_pose_insight insight);
const char *wattle_pose_region_name(enum wattle_pose_region region);
const char *wattle_pose_warning_name(enum wattle_pose_warning warning);

#ifdef __cplusplus
}
#endif
#endif
