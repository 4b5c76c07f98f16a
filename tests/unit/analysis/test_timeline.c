/* SPDX-License-Identifier: BSD-3-Clause */
/* A few points that keep energy, extremes, spikes and gaps, from the pyramid and from samples. */
#include "analysis/power/timeline.h"

#include <math.h>

#include "analysis/power/stretches.h"
#include "known_power.h"
#include "tap.h"

static const uint32_t all[KNOWN_CHANNELS] = {KNOWN_PACKAGE, KNOWN_DRAM, KNOWN_HEAT, KNOWN_CPU};
static const struct wtl_trace_range range = {.end_ns = UINT64_MAX,
                                             .channels = all,
                                             .channel_count = KNOWN_CHANNELS};

/* Of the known part of a series. */
struct facts {
    double integral, known_s, least, greatest;
};

static struct facts facts_of(const struct wtl_timeline *timeline, uint32_t channel)
{
    struct facts facts = {.least = INFINITY, .greatest = -INFINITY};
    const struct wtl_series *s = wtl_timeline_find(timeline, channel);
    if (!ok(s != NULL, "channel %u has a series", channel))
        return facts;
    const struct wtl_axis *axis = &timeline->axes[s->axis];
    bool ordered = true;
    for (size_t i = 0; i < axis->count; i++) {
        uint64_t end_ns = i + 1 < axis->count ? axis->begin_ns[i + 1] : axis->end_ns;
        double seconds = (double)(end_ns - axis->begin_ns[i]) * 1e-9;
        ordered &= end_ns > axis->begin_ns[i] && isnan(s->min[i]) == isnan(s->mean[i]) &&
                   isnan(s->max[i]) == isnan(s->mean[i]);
        if (isnan(s->mean[i]))
            continue;
        ordered &= s->min[i] <= s->mean[i] * 1.000001f && s->mean[i] <= s->max[i] * 1.000001f;
        facts.integral += s->mean[i] * seconds;
        facts.known_s += seconds;
        facts.least = fmin(facts.least, s->min[i]);
        facts.greatest = fmax(facts.greatest, s->max[i]);
    }
    ok(ordered, "channel %u: stretches rise, least <= mean <= greatest", channel);
    return facts;
}

/* The maximum mean power over any 20 ms, by exhaustive search. */
static double greatest_stretch(struct wtl_trace_reader *reader)
{
    struct wtl_stretches *stretches;
    struct wtl_stretch stretch;
    double greatest = -INFINITY;
    if (wtl_stretches_open(reader, &range, &stretches, NULL) < 0)
        return NAN;
    const struct wtl_stretch_set *sets;
    (void)wtl_stretches_sets(stretches, &sets);
    while (wtl_stretches_next(stretches, &stretch, NULL) > 0)
        if (sets[stretch.set].channels[0] == KNOWN_PACKAGE && !isnan(stretch.max[0]))
            greatest = fmax(greatest, stretch.max[0]);
    wtl_stretches_close(stretches);
    return greatest;
}

static void check(struct wtl_trace_reader *reader,
                  size_t points,
                  enum wtl_timeline_use use,
                  const char *how)
{
    struct wtl_timeline timeline;
    struct wattle_error err = {""};
    if (!is_int(wtl_timeline_read(reader, &range, points, use, &timeline, &err), 0, "%s%s", how,
                err.text))
        return;
    is_int((long)timeline.series_count, KNOWN_CHANNELS, "a series for each channel");
    const struct wtl_series *package = wtl_timeline_find(&timeline, KNOWN_PACKAGE);
    const struct wtl_series *dram = wtl_timeline_find(&timeline, KNOWN_DRAM);
    ok(package->axis == dram->axis, "what is read together shares an axis");
    ok(package->stretch_ns == 20000000 || package->stretch_ns == 5000000,
       "means over 20 ticks (pyramid) or 5 (samples)");
    size_t count = timeline.axes[package->axis].count;
    ok(count <= 2 * points && (count >= points || count >= 4400), "%zu points of %zu", count,
       points);

    struct facts power = facts_of(&timeline, KNOWN_PACKAGE);
    double energy_j = 50 * 90 + 100 * 20 + 850 * 0.05;
    is_double(power.integral, energy_j, 1, "the means keep the energy");
    is_double(power.known_s, 90, 0.02, "of all the time");
    is_double(power.least, 50, 0.01, "the least");
    is_double(power.greatest, greatest_stretch(reader), 0.01, "no spike is lost");
    is_double(power.greatest, 900, 0.01, "and it is the true one");
    is_double(facts_of(&timeline, KNOWN_DRAM).integral, energy_j / 10, 0.1, "dram");

    struct facts heat = facts_of(&timeline, KNOWN_HEAT);
    is_int((long)wtl_timeline_find(&timeline, KNOWN_HEAT)->stretch_ns, 0, "single temperatures");
    is_double(heat.least, 40, 0.0001, "the first sample counts, too");
    is_double(heat.greatest, 90, 0.0001, "a single hot sample stays");
    struct facts cpu = facts_of(&timeline, KNOWN_CPU);
    is_double(cpu.integral / cpu.known_s, 3.5, 1e-5, "processor time is CPUs");
    is_double(cpu.greatest, 3.5, 1e-5, "at any time");
    wtl_timeline_fini(&timeline);
}

static void test_known(void)
{
    const struct known whole = {.path = "known.wtl", .seconds = 90, .footer = true};
    const struct known cut = {.path = "known-cut.wtl", .seconds = 90};
    struct wtl_trace_reader *reader;
    is_int(known_write(&whole), 0, "a trace");
    if (!is_int(wtl_trace_reader_open("known.wtl", &reader, NULL), 0, "opened"))
        return;
    ok(wtl_trace_reader_power_rows(reader, KNOWN_PACKAGE, &range, 30) >= 30, "in the pyramid");
    ok(wtl_trace_reader_power_rows(reader, KNOWN_PACKAGE, &range, 1000) == 0, "too fine for it");
    ok(wtl_trace_reader_power_rows(reader, KNOWN_HEAT, &range, 3) == 0, "no power at all");
    check(reader, 5, WTL_TIMELINE_MEANS, "5 points, pyramid");
    check(reader, 30, WTL_TIMELINE_MEANS, "30 points, pyramid");
    check(reader, 30, WTL_TIMELINE_BANDS, "30 points, samples");
    check(reader, 1000, WTL_TIMELINE_MEANS, "1000 points, samples");
    check(reader, 100000, WTL_TIMELINE_BANDS, "each stretch");
    wtl_trace_reader_close(reader);
    is_int(known_write(&cut), 0, "one without footer");
    if (is_int(wtl_trace_reader_open("known-cut.wtl", &reader, NULL), 0, "opened"))
        check(reader, 30, WTL_TIMELINE_MEANS, "30 points, no footer");
    wtl_trace_reader_close(reader);
}

/* A machine that was suspended: the gap stays visible, however few the points are. */
static void test_sleep(void)
{
    const struct known known = {
        .path = "known-sleep.wtl", .seconds = 90, .sleep_s = 600, .footer = true};
    struct wtl_trace_reader *reader;
    struct wtl_timeline timeline;
    is_int(known_write(&known), 0, "a trace with a sleep");
    if (!is_int(wtl_trace_reader_open("known-sleep.wtl", &reader, NULL), 0, "opened"))
        return;
    for (size_t points = 3; points < 4000; points *= 9) {
        if (!is_int(wtl_timeline_read(reader, &range, points, WTL_TIMELINE_BANDS, &timeline, NULL),
                    0, "%zu points", points))
            continue;
        struct facts power = facts_of(&timeline, KNOWN_PACKAGE);
        is_double(power.known_s, 90, 1, "what is known is what was sampled");
        is_double(power.greatest, 900, 0.01, "with its spike");
        struct facts heat = facts_of(&timeline, KNOWN_HEAT);
        is_double(heat.known_s, 90, 1, "of the temperature, too");
        wtl_timeline_fini(&timeline);
    }
    wtl_trace_reader_close(reader);
}

int main(void)
{
    test_known();
    test_sleep();
    return done_testing();
}
