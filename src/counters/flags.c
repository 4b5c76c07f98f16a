/* SPDX-License-Identifier: BSD-3-Clause */
/* Derives flags from observations: see flags.h. An unknown number raises no flag. */
#include "counters/flags.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "counters/cputime.h"
#include "model/flag.h"

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

/* "a GPU was ...", or "" if none was. */
static void say_gpu(double part, const char *why, char *buf, size_t n)
{
    buf[0] = '\0';
    if (part > 0)
        (void)snprintf(buf, n, "a GPU was slowed down by %s in %s %% of the samples of its state",
                       why, WTL_IN_FIGURES(100 * part, 2));
}

static int judge_throttled(const struct wtl_flag_input *in, struct wtl_result *result)
{
    char gpu[128];
    say_gpu(in->gpu_hot_part, "heat", gpu, sizeof gpu);
    if (!(in->throttle_events > 0))
        return gpu[0] ? wtl_result_flag(result, WTL_FLAG_THROTTLED, "%s", gpu) : 0;
    return wtl_result_flag(result, WTL_FLAG_THROTTLED,
                           "processors throttled %.0f times because of heat: frequency and power "
                           "were lower than requested%s%s",
                           in->throttle_events, gpu[0] ? "; " : "", gpu);
}

/* Is limit a below limit b, by more than rounding? Unknown: no. */
static bool is_lower(double a_w, double b_w)
{
    return a_w < (1 - WTL_FLAG_LOWERED_PART) * b_w;
}

static int judge_capped(const struct wtl_flag_input *in, struct wtl_result *result)
{
    char gpu[128];
    say_gpu(in->gpu_power_part, "its power limit", gpu, sizeof gpu);
    const char *joint = gpu[0] ? "; " : "";
    if (is_lower(in->limit_w, in->limit_start_w))
        return wtl_result_flag(result, WTL_FLAG_CAPPED,
                               "the power limit of a package was lowered from %s to %s W "
                               "during the run%s%s",
                               WTL_IN_FIGURES(in->limit_start_w, 4), WTL_IN_FIGURES(in->limit_w, 4),
                               joint, gpu);
    if (!(in->limit_w > 0 && in->package_w >= WTL_FLAG_CAPPED_PART * in->limit_w))
        return gpu[0] ? wtl_result_flag(result, WTL_FLAG_CAPPED, "%s", gpu) : 0;
    return wtl_result_flag(result, WTL_FLAG_CAPPED,
                           "a package drew %s W on average, %.0f %% of its power limit of %s "
                           "W: the limit determined the speed%s%s",
                           WTL_IN_FIGURES(in->package_w, 4), 100 * in->package_w / in->limit_w,
                           WTL_IN_FIGURES(in->limit_w, 4), joint, gpu);
}

static int judge_alone(const struct wtl_flag_input *in, struct wtl_result *result)
{
    double others_s = in->machine_cpu_s - in->tree_cpu_s - or_zero(in->own_cpu_s);
    /* Less than the resolution of the machine's clock cannot be attributed to other processes. */
    double cpus = (others_s - or_zero(in->machine_step_s)) / in->window_s;
    if (!(in->window_s > 0 && cpus > WTL_FLAG_OTHERS_CPUS))
        return 0;
    return wtl_result_flag(result, WTL_FLAG_NOT_ALONE,
                           "the energy includes other processes: %.2f CPUs on average (%s s)",
                           others_s / in->window_s, WTL_IN_FIGURES(others_s, 3));
}

static int judge_governor(const struct wtl_flag_input *in, struct wtl_result *result)
{
    char what[128];
    if (!in->before || !in->after)
        return 0;
    int unread = in->before->unread ? in->before->unread : in->after->unread;
    if (unread)
        return wtl_result_flag(
            result, WTL_FLAG_NOT_CHECKED,
            "cannot read frequency settings at the %s (%s): they may have changed",
            in->before->unread ? "start" : "end", wtl_strerror(unread));
    if (!wtl_governor_changed(in->before, in->after, what, sizeof what))
        return 0;
    return wtl_result_flag(result, WTL_FLAG_GOVERNOR_CHANGED,
                           "frequency settings changed during the run (%.120s): do not compare",
                           what);
}

static int judge_suspended(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (in->suspended_ns <= WTL_FLAG_SUSPEND_NS)
        return 0;
    return wtl_result_flag(
        result, WTL_FLAG_SUSPENDED,
        "the machine was suspended for %s s during the run: counters may have been reset",
        WTL_IN_FIGURES((double)in->suspended_ns * 1e-9, 3));
}

static void say_known(const struct wtl_flag_input *in, char *buf, size_t n)
{
    (void)snprintf(buf, n, "known only within its interval"); /* a percentage of 0 J is undefined */
    if (isfinite(in->interval_part))
        (void)snprintf(buf, n, "known only to %s %%", WTL_IN_FIGURES(100 * in->interval_part, 2));
}

static int judge_edges(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (!(in->edges_lost > 0 && in->interval_part > WTL_FLAG_EDGES_PART))
        return 0;
    char known[48];
    say_known(in, known, sizeof known);
    return wtl_result_flag(result, WTL_FLAG_EDGES_LOST,
                           "the machine was too busy to catch the updates of %.0f counter%s at the "
                           "start or end: the energy is %s",
                           in->edges_lost, in->edges_lost == 1 ? "" : "s", known);
}

static int judge_slow(const struct wtl_flag_input *in, struct wtl_result *result)
{
    const struct wtl_slow_counter *slow = in->slow;
    char known[48];
    if (!slow)
        return 0;
    if (slow->found_s > 0)
        return wtl_result_flag(result, WTL_FLAG_SLOW_UPDATES,
                               "%.80s updates every %s ms instead of every %s ms: power "
                               "over less than %s s is unknown",
                               slow->name, WTL_IN_FIGURES(1e3 * slow->found_s, 2),
                               WTL_IN_FIGURES(1e3 * slow->claimed_s, 2),
                               WTL_IN_FIGURES(slow->window_s, 2));
    if (!(slow->stood_s > 0 && in->interval_part > WTL_FLAG_EDGES_PART))
        return 0;
    say_known(in, known, sizeof known);
    return wtl_result_flag(result, WTL_FLAG_SLOW_UPDATES,
                           "%.80s did not update for %s ms at the start or end, though it should "
                           "every %s ms: the energy is %s",
                           slow->name, WTL_IN_FIGURES(1e3 * slow->stood_s, 3),
                           WTL_IN_FIGURES(1e3 * slow->claimed_s, 3), known);
}

static int judge_end(const struct wtl_flag_input *in, struct wtl_result *result)
{
    if (!(in->end_late_s > WTL_FLAG_END_S && in->end_late_s > WTL_FLAG_END_PART * in->window_s))
        return 0;
    return wtl_result_flag(
        result, WTL_FLAG_END_LATE,
        "wattle was not scheduled in the last %s s (stopped, or machine too busy): the command "
        "may have ended that much earlier, and time and energy include the rest",
        WTL_IN_FIGURES(in->end_late_s, 3));
}

int wtl_flags_judge(const struct wtl_flag_input *input, struct wtl_result *result)
{
    static int (*const judges[])(const struct wtl_flag_input *, struct wtl_result *) = {
        judge_throttled, judge_capped, judge_alone, judge_governor,
        judge_suspended, judge_edges,  judge_slow,  judge_end};
    int rc = 0;
    for (size_t i = 0; i < sizeof judges / sizeof *judges && rc == 0; i++)
        rc = judges[i](input, result);
    return rc;
}

/* ---- from the channels of a result ---- */

/* Does a package say more about limits than the one chosen so far? By its lower limit; of two with the same,
 * the one whose limit was lowered, then the one that drew more. */
static bool tells_more(const struct wtl_flag_input *a, const struct wtl_flag_input *b)
{
    bool a_lowered = is_lower(a->limit_w, a->limit_start_w);
    bool b_lowered = is_lower(b->limit_w, b->limit_start_w);
    if (is_lower(a->limit_w, b->limit_w) || is_lower(b->limit_w, a->limit_w))
        return a->limit_w < b->limit_w;
    return a_lowered == b_lowered ? !(a->package_w <= b->package_w) : a_lowered;
}

/* The power limit that takes effect first: the lowest of a package's long-term limits, with the package's
 * power. */
static void fill_limit(const struct wtl_result *result, struct wtl_flag_input *input)
{
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wtl_result_channel *limit = &result->channels[i];
        if (limit->channel.quantity != WATTLE_POWER_LIMIT ||
            limit->channel.domain != WATTLE_DOMAIN_PACKAGE ||
            !strstr(limit->channel.label, "long_term") || isnan(limit->summary.min_w))
            continue;
        for (size_t k = 0; k < result->energy_count; k++) {
            const struct wtl_result_channel *package = &result->channels[k];
            if (package->channel.domain != WATTLE_DOMAIN_PACKAGE ||
                package->channel.index != limit->channel.index ||
                !(package->channel.flags & WATTLE_CHANNEL_PRIMARY))
                continue;
            struct wtl_flag_input other = *input;
            other.limit_w = limit->summary.min_w;
            other.limit_start_w =
                (double)(int64_t)limit->summary.first_value * limit->channel.scale;
            other.package_w = package->summary.mean_w;
            if (tells_more(&other, input))
                *input = other;
        }
    }
}

static double throttle_events(const struct wtl_result *result)
{
    double events = NAN;
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.quantity != WATTLE_EVENTS || strcmp(c->channel.sensor, "thermal") != 0 ||
            isnan(c->summary.amount))
            continue;
        events = (isnan(events) ? 0 : events) + c->summary.amount;
    }
    return events;
}

/* The largest mean of the channels of GPUs with this word, which are 0 to 1; NaN: there are none. */
static double slowed_part(const struct wtl_result *result, const char *word)
{
    double largest = NAN;
    for (size_t i = 0; i < result->channel_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        const char *name = strchr(c->channel.name, ':');
        size_t n = strlen(word);
        if (c->channel.quantity == WATTLE_RATIO && c->channel.domain == WATTLE_DOMAIN_GPU && name &&
            strncmp(name + 1, word, n) == 0 && name[1 + n] == '-')
            largest = fmax(largest, c->summary.mean_w);
    }
    return largest;
}

static double step_of_machine_time(const struct wtl_result *result)
{
    const struct wtl_result_channel *found = wtl_result_find(result, WTL_CPUTIME_MACHINE);
    return found ? (double)found->channel.refresh_ns * 1e-9 : (double)NAN;
}

/* Half width of the counters in the total: what a gauge leaves open is not for want of an update. */
static double counted_half_j(const struct wtl_result *result)
{
    double squares = 0;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.kind == WATTLE_COUNTER && c->channel.flags & WATTLE_CHANNEL_IN_TOTAL)
            squares += c->summary.amount_half * c->summary.amount_half;
    }
    return sqrt(squares);
}

int wtl_flags_judge_result(const struct wtl_flag_window *window, struct wtl_result *result)
{
    struct wtl_flag_input input = {.window_s = result->wall_time_s,
                                   .throttle_events = throttle_events(result),
                                   .gpu_hot_part = slowed_part(result, "slowed_heat"),
                                   .gpu_power_part = slowed_part(result, "slowed_power"),
                                   .limit_w = INFINITY,
                                   .limit_start_w = NAN,
                                   .package_w = NAN,
                                   .machine_cpu_s = result->machine_cpu_s,
                                   .tree_cpu_s = window->tree_cpu_s,
                                   .own_cpu_s = window->own_cpu_s,
                                   .machine_step_s = isnan(window->machine_step_s)
                                                         ? step_of_machine_time(result)
                                                         : window->machine_step_s,
                                   .edges_lost = window->edges_lost,
                                   .slow = window->slow,
                                   .end_late_s = window->end_late_s,
                                   .interval_part = counted_half_j(result) / result->energy.j,
                                   .suspended_ns = window->suspended_ns,
                                   .before = window->before,
                                   .after = window->after};
    fill_limit(result, &input);
    if (isinf(input.limit_w))
        input.limit_w = NAN;
    return wtl_flags_judge(&input, result);
}
