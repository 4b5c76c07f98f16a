/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Study: compares several runs of applications, scales, topologies, builds, repeated or not (as in
 * section 5 of Wallace and others, Application power profiling on Blue Gene/Q, 2013). Runs whose
 * labels agree except for the repeat are repeats of one case: their mean has a 95 % interval over
 * runs. Two cases that differ in one label only are compared (comparison.h), with the verdict that
 * their number of runs allows.
 *
 * All statistics are over runs. Not thread-safe; independent studies may be made at the same time.
 */
#ifndef WTL_ANALYSIS_RUN_STUDY_H
#define WTL_ANALYSIS_RUN_STUDY_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/cluster/run_profile.h"
#include "analysis/compare/comparison.h"
#include "analysis/compare/verdict.h"

enum { WTL_STUDY_KEYS = 12, WTL_STUDY_TEXT = 64 };

struct wtl_study_label {
    char key[WTL_STUDY_TEXT], value[WTL_STUDY_TEXT];
};

/* Data kept for a run; small, whatever its size. */
struct wtl_study_run {
    char name[128];
    struct wtl_study_label
        labels[WTL_STUDY_KEYS]; /* in the order of the study's keys once the study is made */
    size_t label_count;
    size_t nodes;
    double time_s;
    struct wtl_energy energy;
    double node_w;    /* energy / time / nodes: mean power of a node */
    double network_w; /* sum over a node's network parts; NaN = not measured */
    enum wattle_quality quality;
    bool simulated;
    struct wtl_description moments, node_mean_w; /* over all nodes and times; over the nodes'
                                                  * means */
    size_t case_index;
};

enum wtl_study_value {
    WTL_STUDY_TIME,
    WTL_STUDY_ENERGY,
    WTL_STUDY_POWER,
    WTL_STUDY_NETWORK,
    WTL_STUDY_VALUES
};
/* "s", "J", "W", "W". */
const char *wtl_study_value_unit(enum wtl_study_value value);

/* The repeats of one case. */
struct wtl_study_case {
    char name[256];                     /* the values of its labels: "cg, 1024, mesh" */
    const char *values[WTL_STUDY_KEYS]; /* for the study's keys, "" = not set; borrowed */
    size_t *runs, run_count;            /* indices; owned */
    size_t nodes;
    struct wtl_spread spread[WTL_STUDY_VALUES];
    struct wtl_description moments; /* means of each of the numbers over its runs */
};

/* Two cases that differ in one label: B relative to A. */
struct wtl_study_difference {
    size_t a, b; /* indices of cases */
    size_t key;
    struct wtl_comparison comparison[WTL_STUDY_VALUES];
    bool known[WTL_STUDY_VALUES];
    struct wtl_verdict
        verdict[WTL_STUDY_VALUES]; /* time, energy and power share the 5 % by Holm's correction */
};

/* How energy depends on time over the cases: least squares of log energy on log time. */
struct wtl_study_slope {
    size_t n;
    double exponent,
        half; /* 1: energy is proportional to time, power is constant; half of the 95 % interval */
    double correlation;
};

struct wtl_study {
    struct wtl_study_run *runs; /* borrowed */
    size_t run_count;
    char keys[WTL_STUDY_KEYS][WTL_STUDY_TEXT]; /* without that for repeats */
    size_t key_count;
    struct wtl_study_case *cases; /* in natural order of their labels */
    size_t case_count;
    struct wtl_study_difference *differences;
    size_t difference_count;
    struct wtl_study_slope slope;
};

/* Copy the labels of a run's traces (metadata label.KEY of its first node) into run->labels; if
 * there are none, those derived from the run's name: one with the key "run". */
void wtl_study_take_labels(struct wtl_study_run *run, const struct wtl_trace_reader *reader);
/* Take the numbers from its profile. */
void wtl_study_take_profile(struct wtl_study_run *run, const struct wtl_run_profile *profile);

/* resolve: the difference that matters (0.01). 0 or -ENOMEM. The runs are borrowed, and their case
 * is set. */
int wtl_study_make(struct wtl_study_run *runs,
                   size_t count,
                   double resolve,
                   struct wtl_study *ret_study,
                   struct wattle_error *err);
void wtl_study_fini(struct wtl_study *study);

#endif
