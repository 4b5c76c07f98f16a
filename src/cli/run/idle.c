/* SPDX-License-Identifier: BSD-3-Clause */
/* Baselines of the idle machine: see idle.h. */
#define _GNU_SOURCE
#include "cli/run/idle.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "model/gap.h"

double wtl_idle_busy_cpus(const struct wtl_result *result)
{
    return (result->machine_cpu_s - result->own_cpu_s) / result->wall_time_s;
}

static int measure_idle(const struct wtl_measure_options *options,
                        struct wtl_signals *signals,
                        uint64_t ns,
                        double *ret_w,
                        double *ret_cores,
                        struct wattle_error *err)
{
    struct wtl_measure_options idle = *options;
    struct wtl_child child;
    struct wtl_result result = {0};
    struct wtl_run_trace no_trace;
    idle.argv = NULL;
    idle.what.target.pid = 0;
    idle.what.target.counters = NULL;
    idle.what.trace_path = NULL;
    idle.delay_ns = idle.print_ns = 0;
    idle.duration_ns = ns;
    int rc = wtl_measure(&idle, signals, &child, &result, &no_trace, err);
    if (rc < 0)
        return rc;
    wtl_run_trace_fini(&no_trace);
    if (signals->came) {
        wtl_result_fini(&result);
        return -EINTR;
    }
    *ret_w = result.total_w;
    uint64_t unknown_ns = result.total_unknown_ns;
    double unknown_s = (double)unknown_ns * 1e-9, time_s = result.wall_time_s;
    *ret_cores = wtl_idle_busy_cpus(&result);
    wtl_result_fini(&result);
    if (wtl_gap_matters(unknown_ns, time_s))
        return wtl_fail(err, -ENODATA, "the energy of %s s of the idle time is unknown",
                        WTL_IN_FIGURES(unknown_s, 3));
    return 0;
}

int wtl_idle_before(struct wtl_idle *idle,
                    const struct wtl_measure_options *options,
                    struct wtl_signals *signals,
                    uint64_t ns,
                    struct wattle_error *err)
{
    double cores = NAN;
    *idle = (struct wtl_idle){.before_w = NAN, .after_w = NAN};
    int rc = measure_idle(options, signals, ns, &idle->before_w, &cores, err);
    if (rc == 0 && cores > WTL_IDLE_CPUS)
        return wtl_fail(err, -EBUSY,
                        "--idle: other processes use %s cores, so idle power cannot be measured; "
                        "stop them or leave out --idle",
                        WTL_IN_FIGURES(cores, 2));
    return rc;
}

int wtl_idle_after(struct wtl_idle *idle,
                   const struct wtl_measure_options *options,
                   struct wtl_signals *signals,
                   uint64_t ns,
                   struct wattle_error *err)
{
    double cores = NAN;
    char sentence[sizeof err->text + 80] = "";
    struct wattle_error why = {""};
    int rc = measure_idle(options, signals, ns, &idle->after_w, &cores, &why);
    if (rc < 0 && rc != -EINTR)
        (void)snprintf(sentence, sizeof sentence,
                       "--idle: using only the baseline before the command: %s", why.text);
    else if (cores > WTL_IDLE_CPUS)
        (void)snprintf(sentence, sizeof sentence,
                       "--idle: the machine was not idle after the command (%s cores in use); "
                       "using only the baseline before it",
                       WTL_IN_FIGURES(cores, 2));
    if (sentence[0] && options->what.teller.warn)
        options->what.teller.warn(options->what.teller.context, sentence);
    if (rc < 0 || sentence[0])
        idle->after_w = NAN;
    return 0;
}

void wtl_idle_apply(const struct wtl_idle *idle, struct wtl_result *result)
{
    double idle_w = isnan(idle->after_w) ? idle->before_w : (idle->before_w + idle->after_w) / 2;
    result->idle_before_w = idle->before_w;
    result->idle_after_w = idle->after_w;
    if (!wtl_gap_matters(result->total_unknown_ns, result->wall_time_s))
        result->above_idle_j = result->energy.j - idle_w * result->wall_time_s;
}
