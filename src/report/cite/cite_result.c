/* SPDX-License-Identifier: BSD-3-Clause */
/* The total, the result and its intervals, its flags, and the cost of measuring. */
#include <math.h>
#include <string.h>

#include "analysis/compare/metric.h"
#include "base/text/figures.h"
#include "report/cite/cite_text.h"
#include "report/digits.h"
#include "report/result/text_result.h"

static void say_total(struct wtl_cite *cite, const struct wtl_result *r)
{
    char parts[WTL_CITE_LIST] = "", inside[WTL_CITE_LIST] = "";
    for (size_t i = 0; i < r->energy_count; i++) {
        const struct wattle_channel *channel = &r->channels[i].channel;
        if (channel->flags & WATTLE_CHANNEL_IN_TOTAL)
            wtl_cite_list(parts, "%.47s", channel->name);
        else if (channel->within[0])
            wtl_cite_list(inside, "%.47s", channel->name);
    }
    if (r->total.count == 0) {
        wtl_cite_say(cite, WTL_CITE_TOTAL, "No total is given because no channels can be summed.");
        return;
    }
    wtl_cite_say(cite, WTL_CITE_TOTAL, "The total contains %s (%s)%s%s.", r->total.contains, parts,
                 r->total.excludes[0] ? "; it leaves out " : "", r->total.excludes);
    if (inside[0])
        wtl_cite_say(cite, WTL_CITE_TOTAL,
                     "Channels contained in another one are not added again (%s).", inside);
}

/* For an estimate: the interval of the true value. */
static bool is_estimate(const struct wtl_result *r)
{
    return r->total.count > 0 && r->total.quality == WATTLE_ESTIMATED;
}

static void say_one(struct wtl_cite *cite, const struct wtl_result *r)
{
    char energy[2 * WTL_CITE_CELL], power[WTL_CITE_CELL], time[WTL_CITE_CELL];
    if (isnan(r->energy.j)) {
        wtl_cite_say(cite, WTL_CITE_RESULT, "The total energy is unknown.");
        return;
    }
    double half_w = wtl_digits_half(&r->energy) / r->wall_time_s;
    (void)wtl_digits_energy(energy, sizeof energy, &r->energy);
    wtl_cite_say(cite, WTL_CITE_RESULT,
                 "Within %s the total energy was %s J, a mean power of %s W.",
                 wtl_digits_time(time, sizeof time, r->wall_time_s), energy,
                 wtl_digits_value(power, sizeof power, r->total_w, half_w));
}

static const char *spread_text(char *buf, size_t n, const struct wtl_spread *spread)
{
    return wtl_digits_interval(buf, n, spread->mean, spread->ci95);
}

/* The same of energy or power, which may be an estimate. */
static const char *energy_text(char *buf,
                               size_t n,
                               const struct wtl_cite_facts *facts,
                               enum wtl_metric metric,
                               const struct wtl_spread *spread)
{
    double range[2];
    wtl_metric_range(facts->results, facts->count, metric, range);
    return is_estimate(&facts->results[0])
               ? wtl_digits_estimate(buf, n, spread->mean, range[0], range[1])
               : wtl_digits_interval(buf, n, spread->mean, spread->ci95);
}

static void say_repeats(struct wtl_cite *cite)
{
    const struct wtl_repeat *repeat = &cite->facts.repeat;
    char energy[2 * WTL_CITE_CELL], power[2 * WTL_CITE_CELL], time[2 * WTL_CITE_CELL];
    char sd[WTL_CITE_CELL];
    const struct wtl_cite_facts *facts = &cite->facts;
    if (isnan(repeat->energy_j.mean)) {
        wtl_cite_say(cite, WTL_CITE_RESULT, "The total energy is unknown in at least one run.");
        return;
    }
    wtl_cite_say(cite, WTL_CITE_RESULT,
                 "Over %zu runs the mean total energy was %s J (standard deviation %s J), the mean "
                 "power %s W and the mean time %s s.",
                 facts->count,
                 energy_text(energy, sizeof energy, facts, WTL_METRIC_ENERGY, &repeat->energy_j),
                 wtl_digits_value(sd, sizeof sd, repeat->energy_j.sd, repeat->energy_j.sd / 4),
                 energy_text(power, sizeof power, facts, WTL_METRIC_POWER, &repeat->power_w),
                 spread_text(time, sizeof time, &repeat->wall_time_s));
}

static void say_intervals(struct wtl_cite *cite, const struct wtl_result *r)
{
    size_t n = cite->facts.count;
    char half[WTL_CITE_CELL];
    if (n >= 3)
        wtl_cite_say(cite, WTL_CITE_INTERVALS,
                     "Intervals (+-) are half widths of the 95 %% interval of the mean over runs "
                     "(Student's t); they cover variation between runs on this node, not the "
                     "calibration of its sensors.");
    if (n >= 3 && isfinite(r->energy.half_j))
        wtl_cite_say(
            cite, WTL_CITE_INTERVALS,
            "The energy resolution of a single run is +- %s J (95 %%: ticks, reading times, gaps).",
            wtl_digits_value(half, sizeof half, r->energy.half_j, r->energy.half_j));
    if (n == 2)
        wtl_cite_say(cite, WTL_CITE_INTERVALS,
                     "No interval is given for two runs because the variation between runs is not "
                     "known well.");
    if (n == 1 && !is_estimate(r))
        wtl_cite_say(cite, WTL_CITE_INTERVALS,
                     "The interval (+-) is the half width of the 95 %% interval from counter "
                     "ticks, reading times and gaps; it covers neither the calibration of the "
                     "sensors nor variation between runs.");
    if (n == 1)
        wtl_cite_say(cite, WTL_CITE_INTERVALS,
                     "There was one run, so the variation between runs is unknown.");
    if (is_estimate(r))
        wtl_cite_say(cite, WTL_CITE_INTERVALS,
                     "The interval of the model contains the true value for 95 %% of such "
                     "machines; it is not suited to compare machines.");
}

static void say_gaps(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    unsigned long long gaps = 0;
    double longest_s = 0, unknown_s = 0;
    uint32_t reasons = 0;
    char list[WTL_CITE_LIST] = "", time[WTL_CITE_CELL], lost[WTL_CITE_CELL];
    for (size_t i = 0; i < facts->count; i++) {
        for (size_t k = 0; k < facts->results[i].energy_count; k++) {
            const struct wtl_summary *s = &facts->results[i].channels[k].summary;
            gaps += s->gaps;
            reasons |= s->gap_reasons;
            longest_s = fmax(longest_s, 1e-9 * (double)s->gap_ns);
            unknown_s = fmax(unknown_s, 1e-9 * (double)s->unknown_ns);
        }
    }
    for (unsigned r = 0; r < WTL_GAP_REASON_COUNT; r++)
        if (reasons >> r & 1)
            wtl_cite_list(list, "%s", wtl_gap_reason_name((enum wtl_gap_reason)r));
    if (gaps == 0)
        wtl_cite_say(cite, WTL_CITE_QUALITY, "The readings have no gaps.");
    else
        wtl_cite_say(cite, WTL_CITE_QUALITY,
                     "The readings have %llu gap%s (%s), up to %s in one channel of a run, of "
                     "which %s are not included in the energy.",
                     gaps, gaps == 1 ? "" : "s", list,
                     wtl_digits_time(time, sizeof time, longest_s),
                     wtl_digits_time(lost, sizeof lost, unknown_s));
}

static void say_flags(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    bool any = false;
    for (size_t i = 0; i < facts->count; i++) {
        for (size_t k = 0; k < facts->results[i].flag_count; k++) {
            const struct wtl_result_flag *flag = &facts->results[i].flags[k];
            size_t runs = 0;
            bool first = true;
            for (size_t j = 0; j < facts->count; j++)
                for (size_t m = 0; m < facts->results[j].flag_count; m++)
                    if (strcmp(facts->results[j].flags[m].name, flag->name) == 0) {
                        runs++;
                        first &= j >= i;
                    }
            any = true;
            if (first && facts->count > 1)
                wtl_cite_say(cite, WTL_CITE_QUALITY, "Flag %s in %zu of %zu runs: %s.", flag->name,
                             runs, facts->count, flag->text);
            else if (first)
                wtl_cite_say(cite, WTL_CITE_QUALITY, "Flag %s: %s.", flag->name, flag->text);
        }
    }
    if (!any)
        wtl_cite_say(cite, WTL_CITE_QUALITY,
                     "wattle raised no flag, as far as throttling, power caps, other processes, "
                     "governor changes and sleep could be observed.");
}

static void say_share(struct wtl_cite *cite, const struct wtl_result *r)
{
    char share[WTL_CITE_CELL], before[WTL_CITE_CELL], after[WTL_CITE_CELL], above[WTL_CITE_CELL];
    bool gpus = r->gpu_share_j > 0;
    const char *by = r->share_rule == WTL_SHARE_COUNTERS
                         ? gpus ? "CPU time weighted by hardware counters, and time on GPUs"
                                : "CPU time weighted by hardware counters"
                     : r->share_rule == WTL_SHARE_CALIBRATED
                         ? gpus ? "CPU time with calibrated idle power, and time on GPUs"
                                : "CPU time with calibrated idle power"
                     : gpus ? "share of CPU time and of time on GPUs"
                            : "share of CPU time";
    if (!isnan(r->energy_share_j))
        wtl_cite_say(cite, WTL_CITE_RESULT,
                     "Of this, %s J are attributed to the command's process tree by its %s "
                     "(%s, not measured).",
                     wtl_digits_interval(share, sizeof share, r->energy_share_j, r->share_half_j),
                     by, wattle_quality_name(r->share_quality));
    if (!isnan(r->idle_before_w) && !isnan(r->idle_after_w) && !isnan(r->above_idle_j))
        wtl_cite_say(cite, WTL_CITE_RESULT,
                     "The idle machine drew %s W before and %s W after; %s J are above idle.",
                     wtl_digits_value(before, sizeof before, r->idle_before_w, NAN),
                     wtl_digits_value(after, sizeof after, r->idle_after_w, NAN),
                     wtl_digits_value(above, sizeof above, r->above_idle_j, NAN));
}

static void say_cost(struct wtl_cite *cite, const struct wtl_result *r)
{
    char cpu[WTL_CITE_CELL], joules[WTL_CITE_CELL], energy[WTL_CITE_CELL + 64] = "";
    if (isnan(r->own_cpu_s)) {
        wtl_cite_miss(cite, "cost of wattle itself");
        return;
    }
    if (!isnan(r->own_j))
        (void)snprintf(energy, sizeof energy,
                       ", or %s J by its share of CPU time, included in the total",
                       wtl_digits_value(joules, sizeof joules, r->own_j, NAN));
    wtl_cite_say(cite, WTL_CITE_COST, "%s, wattle itself took %s of CPU time (%s %% of one CPU)%s.",
                 cite->facts.count > 1 ? "On average over the runs" : "Within the window",
                 wtl_digits_time(cpu, sizeof cpu, r->own_cpu_s),
                 WTL_IN_FIGURES(100 * r->own_cpu_s / r->wall_time_s, 2), energy);
}

void wtl_cite_say_result(struct wtl_cite *cite)
{
    const struct wtl_result *r = wtl_cite_result(cite);
    say_total(cite, &cite->facts.results[0]);
    if (cite->facts.count > 1)
        say_repeats(cite);
    else
        say_one(cite, r);
    say_share(cite, r);
    say_intervals(cite, r);
    say_gaps(cite);
    say_flags(cite);
    say_cost(cite, r);
}
