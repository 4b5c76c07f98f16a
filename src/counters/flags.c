/* SPDX-License-Identifier: BSD-3-Clause */
/* From what was seen to flags: see flags.h. An unknown number raises none. */
#include "counters/flags.h"

#include <math.h>

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

static int judge_throttled(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (!(in->throttle_events > 0))
        return 0;
    return wtl_result_flag(result, "THROTTLED",
                           "processors throttled %.0f times because of heat: frequencies and power "
                           "were lower than the program asked for",
                           in->throttle_events);
}

static int judge_capped(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (in->limit_w < in->limit_start_w)
        return wtl_result_flag(result, "CAPPED",
                               "the power limit of a package was lowered from %.4g to %.4g W "
                               "during the run",
                               in->limit_start_w, in->limit_w);
    if (!(in->limit_w > 0 && in->package_w >= WTL_FLAG_CAPPED_PART * in->limit_w))
        return 0;
    return wtl_result_flag(result, "CAPPED",
                           "a package drew %.4g W on average, %.0f %% of its power limit of %.4g "
                           "W: the limit, not the program, set the speed",
                           in->package_w, 100 * in->package_w / in->limit_w, in->limit_w);
}

static int judge_alone(const struct wtl_flag_input *in, struct wtl_result *result)
{
    double others_s = in->machine_cpu_s - in->tree_cpu_s - or_zero(in->own_cpu_s);
    /* What the machine's clock cannot resolve is nobody's. */
    double cpus = (others_s - or_zero(in->machine_step_s)) / in->window_s;
    if (!(in->window_s > 0 && cpus > WTL_FLAG_OTHERS_CPUS))
        return 0;
    return wtl_result_flag(result, "NOT ALONE",
                           "other processes used %.2f CPUs on average (%.3g s): the machine's "
                           "energy contains theirs",
                           others_s / in->window_s, others_s);
}

static int judge_governor(const struct wtl_flag_input *in, struct wtl_result *result)
{
    char what[128];
    if (!in->before || !in->after ||
        !wtl_governor_changed(in->before, in->after, what, sizeof what))
        return 0;
    return wtl_result_flag(result, "GOVERNOR CHANGED",
                           "frequency control changed during the run (%.120s): do not compare",
                           what);
}

static int judge_suspended(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (in->suspended_ns <= WTL_FLAG_SUSPEND_NS)
        return 0;
    return wtl_result_flag(result, "SUSPENDED",
                           "the machine slept for %.3g s during the run: counters may have been "
                           "reset",
                           (double)in->suspended_ns * 1e-9);
}

static int judge_edges(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (!(in->edges_lost > 0 && in->interval_part > WTL_FLAG_EDGES_PART))
        return 0;
    return wtl_result_flag(
        result, "EDGES LOST",
        "the machine was too busy to see the ticks of %.0f counters at the start or "
        "the end: the energy is no better known than to %.2g %%",
        in->edges_lost, 100 * in->interval_part);
}

int wtl_flags_judge(const struct wtl_flag_input *input, struct wtl_result *result)
{
    static int (*const judges[])(const struct wtl_flag_input *, struct wtl_result *) = {
        judge_throttled, judge_capped, judge_alone, judge_governor, judge_suspended, judge_edges};
    int rc = 0;
    for (size_t i = 0; i < sizeof judges / sizeof *judges && rc == 0; i++)
        rc = judges[i](input, result);
    return rc;
}
