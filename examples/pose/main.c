/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pose PMIN PMAX SECONDS,JOULES [SECONDS,JOULES ...]: decide whether to optimise power or run time.
 * The first pair is a code, the others are versions of it. Shows how to use <wattle/pose.h> with
 * numbers from any source: it needs only libwattle-analysis.
 *
 *     pose 181.14 345.57 322.65,98593.56 340,78000 290,96000
 */
#include <stdio.h>

#include <wattle/pose.h>

/* Energy puts all weight on power, Et^3 nearly all on run time; with EDS one second costs as much
 * as 900 J. */
static const char *const metrics[] = {"E", "Et^3", "EDS:1,900"};

static int print_insights(const struct wattle_pose *pose, struct wattle_error *err)
{
    const char *name;
    for (unsigned i = 0; (name = wattle_pose_insight_name((enum wattle_pose_insight)i)); i++) {
        struct wattle_pose_value value = {.size = sizeof value};
        int rc = wattle_pose_insight_value(pose, (enum wattle_pose_insight)i, &value, err);
        if (rc < 0)
            return rc;
        const char *unit = i == WATTLE_POSE_ENERGY_SAVED         ? "J"
                           : i == WATTLE_POSE_METRIC_IMPROVEMENT ? ""
                                                                 : "s";
        printf("  %-20s %12.5g %-2s %8.3fx\n", name, value.absolute, unit, value.ratio);
    }
    for (unsigned bit = 1; (name = wattle_pose_warning_name((enum wattle_pose_warning)bit));
         bit *= 2)
        if (wattle_pose_warnings(pose) & bit)
            printf("  warning: %s\n", name);
    return 0;
}

static int print_version(const struct wattle_pose *pose,
                         double time_s,
                         double energy_j,
                         struct wattle_error *err)
{
    struct wattle_pose_verdict verdict = {.size = sizeof verdict};
    int rc = wattle_pose_classify(pose, time_s, energy_j, &verdict, err);
    if (rc < 0)
        return rc;
    printf("  %g s, %g J: %s, %.3fx (its power %.3fx, its run time %.3fx)\n", time_s, energy_j,
           wattle_pose_region_name(verdict.region), verdict.gain, verdict.power_gain,
           verdict.time_gain);
    return 0;
}

static int parse_pair(const char *text, double *ret_time_s, double *ret_energy_j)
{
    char end;
    return sscanf(text, "%lf,%lf%c", ret_time_s, ret_energy_j, &end) == 2 ? 0 : -1;
}

/* One metric: the code's insights and the classification of the versions. */
static int print_model(const char *text,
                       const struct wattle_pose_code *code,
                       char *const *versions,
                       int n,
                       struct wattle_error *err)
{
    struct wattle_pose_metric *metric;
    struct wattle_pose *pose = NULL;
    double time_s = 0, energy_j = 0;
    int rc = wattle_pose_metric_parse(text, &metric, err);
    if (rc < 0)
        return rc;
    printf("%s\n", text);
    rc = wattle_pose_create(metric, code, &pose, err);
    if (rc == 0)
        rc = print_insights(pose, err);
    for (int i = 0; rc == 0 && i < n; i++)
        if (parse_pair(versions[i], &time_s, &energy_j) == 0)
            rc = print_version(pose, time_s, energy_j, err);
    wattle_pose_destroy(pose);
    wattle_pose_metric_free(metric);
    return rc;
}

static int parse_code(int argc, char **argv, struct wattle_pose_code *ret_code)
{
    double unused_s, unused_j;
    char end;
    if (argc < 4 || sscanf(argv[1], "%lf%c", &ret_code->pmin_w, &end) != 1 ||
        sscanf(argv[2], "%lf%c", &ret_code->pmax_w, &end) != 1 ||
        parse_pair(argv[3], &ret_code->time_s, &ret_code->energy_j) < 0)
        return -1;
    for (int i = 4; i < argc; i++)
        if (parse_pair(argv[i], &unused_s, &unused_j) < 0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    struct wattle_error err = {""};
    struct wattle_pose_code code = {.size = sizeof code};
    if (parse_code(argc, argv, &code) < 0) {
        fprintf(stderr, "usage: pose PMIN PMAX SECONDS,JOULES [SECONDS,JOULES ...]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (print_model(metrics[i], &code, argv + 4, argc - 4, &err) < 0) {
            fprintf(stderr, "pose: %s\n", err.text);
            return 1;
        }
    return 0;
}
