/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Study: everything that one call of `wattle pose` shows: codes (from options, a table, traces)
 * under metrics, other versions of a code as candidates, the system's summary. Text, JSON, CSV, the
 * figure and the page are all made from this struct.
 */
#ifndef WTL_ANALYSIS_POSE_STUDY_H
#define WTL_ANALYSIS_POSE_STUDY_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

#include "analysis/pose/pose.h"
#include "analysis/pose/pose_interval.h"
#include "model/result.h"

/* Where numbers come from. */
enum wtl_pose_origin {
    WTL_POSE_GIVEN,      /* an option or a table */
    WTL_POSE_TRACE,      /* traces */
    WTL_POSE_CALIBRATION /* calibration.conf (bounds only) */
};

struct wtl_pose_subject {
    char *label; /* "PathFinder OpenMP"; NULL = none. Owned, like all texts here */
    char *group; /* platform in a table, host of a trace; NULL = none */
    struct wtl_pose_code code;
    struct wtl_pose_doubt doubt;

    enum wtl_pose_origin origin;
    enum wattle_quality
        quality; /* quality of run time and energy; given: measured by the user, not by wattle */
    bool simulated;
    char *
        contains; /* what the energy contains: "package + dram of 2 sockets", a channel's name; NULL
                   * = given */
    char *region; /* the subject is this region of the traces; NULL = the whole run */
    char **traces; /* paths */
    size_t trace_count;
    struct wtl_result
        *results; /* results of the traces, for the power plot below the chart; [trace_count];
                   * owned */

    struct wtl_result_flag *flags; /* remarks about run time and energy; owned */
    size_t flag_count;

    enum wtl_pose_origin bounds_origin;
    enum wattle_quality bounds_quality;
    bool bounds_simulated;
    char *pmin_name, *pmax_name; /* "omp_parallel", "firestarter"; NULL = given */
};

struct wtl_pose_candidate {
    char *label; /* never NULL */
    struct wtl_pose_point at;
    struct wtl_pose_doubt doubt;
    double parameter; /* frequency, threads, cap; NaN = none */
    bool on_front; /* neither the code nor another candidate is as good in both time and energy and
                   * better in one */
};

/* One subject under one metric. */
struct wtl_pose_model {
    struct wtl_pose pose;
    struct wtl_pose_intervals intervals;
    struct wtl_pose_verdict *verdicts; /* [candidate_count]; for subject 0 only; owned */
    struct wtl_pose_verdict_interval *verdict_intervals; /* the same */
};

struct wtl_pose_system_summary {
    double pmin_w, pmax_w;
    double *ratios; /* [metric_count][WTL_POSE_INSIGHTS]; owned; NaN if not separable */
    struct wtl_pose_range *ranges; /* likewise, of the ratios; owned */
    char *name;                    /* "node", "package"; NULL */
    char *group;                   /* platform; NULL */

    /* For a machine from calibration.conf; else given (for a code's machine, see the code). */
    enum wtl_pose_origin bounds_origin;
    enum wattle_quality bounds_quality;
    bool bounds_simulated;
    char *pmin_name, *pmax_name;
    double pmin_half_w, pmax_half_w; /* NaN = unknown */
    struct wtl_result_flag *flags;   /* remarks about the bounds; owned */
    size_t flag_count;
};

/* A machine in sorted order. */
struct wtl_pose_ordered {
    const struct wtl_pose_system_summary *system;
};

struct wtl_pose_study {
    struct wtl_pose_subject *subjects;
    size_t subject_count;
    struct wtl_pose_metric *metrics;
    char **metric_names; /* as given: "Et^3" */
    size_t metric_count;
    struct wtl_pose_candidate *candidates; /* candidates for subject 0 */
    size_t candidate_count;
    char *parameter_name, *parameter_unit; /* "frequency", "GHz"; NULL = none */
    bool code_on_front;
    bool redacted; /* names of people and machines were left out */

    /* Filled by wtl_pose_study_compute(). */
    struct wtl_pose_model *models; /* [subject_count][metric_count] */

    struct wtl_pose_system_summary *systems;
    size_t system_count;
    struct wtl_pose_ordered *systems_by_group; /* sorted, filled with the models; owned */
};

/* Compute models, verdicts, the Pareto front, and the ratios of the systems. 0; the errors of
 * wtl_pose_of() and wtl_pose_system(), with the subject's name in the message if there are several;
 * -ENOMEM. */
int wtl_pose_study_compute(struct wtl_pose_study *study, struct wattle_error *err);

const struct wtl_pose_model *wtl_pose_study_model(const struct wtl_pose_study *study,
                                                  size_t subject,
                                                  size_t metric);

/* The summary of the machine that a code ran on: that of its group, the one without a group if the
 * code has none, or the only one; NULL = none, or the study was not computed. */
const struct wtl_pose_system_summary *wtl_pose_study_system(const struct wtl_pose_study *study,
                                                            size_t subject);

/* The classification of a code under a metric. *ret_decided: the whole interval of the scope gives
 * the same answer to whether power or run time comes first. */
enum wtl_pose_stance wtl_pose_model_stance(const struct wtl_pose_model *model, bool *ret_decided);

/* "given", "trace", "calibration". */
extern const char *const wtl_pose_origin_names[];

/* Add a remark to a subject, once per name. 0 or -ENOMEM. */
int wtl_pose_subject_flag(struct wtl_pose_subject *subject,
                          const char *name,
                          const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* Free all that it owns, and clear it. */
void wtl_pose_subject_fini(struct wtl_pose_subject *subject);
void wtl_pose_study_fini(struct wtl_pose_study *study);

#endif
