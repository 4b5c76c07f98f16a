/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distribution of power over time: see distribution.h. The range is unknown until the end of the
 * pass, so a fine histogram of fixed size doubles the width of its bins whenever a value is
 * outside; percentiles and the coarser bins that are shown are derived from it.
 */
#include "analysis/power/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/smooth_stretches.h"
#include "base/fail.h"
#include "base/whole.h"
#include "model/reading.h"

enum { FINE = 16384, HALF = FINE / 2, BINS_MAX = 500, BINS_MOST = 400, BINS_LEAST = 40 };

static const double FIRST_WIDTH = 1e-6; /* bin width for the first value */

struct histogram {
    double *seconds; /* [FINE]; NULL = nothing yet */
    double low, width;
    double min, max, integral, known_s;
    uint64_t stretches;
};

struct pass {
    struct wtl_trace_reader *reader;
    struct histogram *histograms; /* by channel id */
    size_t channels;
};

/* ---- the fine histogram ---- */

/* Double the bin width, downwards or upwards. */
static void widen(struct histogram *h, bool down)
{
    double *s = h->seconds;
    if (down) {
        for (size_t i = FINE; i-- > HALF;)
            s[i] = s[2 * i - FINE] + s[2 * i - FINE + 1];
        memset(s, 0, HALF * sizeof *s);
        h->low -= FINE * h->width;
    } else {
        for (size_t i = 0; i < HALF; i++)
            s[i] = s[2 * i] + s[2 * i + 1];
        memset(s + HALF, 0, HALF * sizeof *s);
    }
    h->width *= 2;
}

static int add_power(struct histogram *h, double power_w, double seconds)
{
    if (!isfinite(power_w) || fabs(power_w) > 1e30)
        return 0; /* not a power: an invalid channel */
    if (!h->seconds) {
        h->seconds = calloc(FINE, sizeof *h->seconds);
        if (!h->seconds)
            return -ENOMEM;
        h->width = fmax(fabs(power_w) * FIRST_WIDTH, FIRST_WIDTH);
        h->low = power_w - h->width * (HALF);
        h->min = h->max = power_w;
    }
    while (power_w < h->low)
        widen(h, true);
    while (power_w >= h->low + FINE * h->width)
        widen(h, false);
    size_t bin = wtl_whole_size((power_w - h->low) / h->width, FINE - 1);
    h->seconds[bin] += seconds;
    h->min = fmin(h->min, power_w);
    h->max = fmax(h->max, power_w);
    h->integral += power_w * seconds;
    h->known_s += seconds;
    h->stretches++;
    return 0;
}

static double percentile(const struct histogram *h, double part)
{
    double wanted_s = part * h->known_s, sum_s = 0;
    for (size_t i = 0; i < FINE; i++) {
        double in_s = h->seconds[i];
        if (in_s > 0 && sum_s + in_s >= wanted_s) {
            double power_w = h->low + ((double)i + (wanted_s - sum_s) / in_s) * h->width;
            return fmin(fmax(power_w, h->min), h->max);
        }
        sum_s += in_s;
    }
    return h->max;
}

/* ---- output bins ---- */

/* The next of 1, 2, 5 x 10^k. */
static double round_step(double step)
{
    double power = pow(10, floor(log10(step))), part = step / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* Freedman and Diaconis 1981: 2 x (p75 - p25) / n^(1/3), within what can be drawn. */
static double step_of(const struct histogram *h, const struct wtl_distribution *d)
{
    double range = h->max - h->min, least = fmax(fabs(h->max), 1e-6) * 1e-3;
    double step =
        2 * (d->percentile_w[WTL_P75] - d->percentile_w[WTL_P25]) / cbrt((double)h->stretches);
    step = fmin(fmax(step, range / BINS_MOST), range / BINS_LEAST);
    return round_step(fmax(step, least));
}

/* Distribute the time of each fine bin over the output bins. */
static void fill_share(const struct histogram *h, struct wtl_distribution *d)
{
    for (size_t i = 0; i < FINE; i++) {
        if (h->seconds[i] <= 0)
            continue;
        double from = fmax(h->low + (double)i * h->width, h->min),
               to = fmin(h->low + (double)(i + 1) * h->width, h->max);
        double a = (from - d->low_w) / d->step_w, b = (fmax(to, from) - d->low_w) / d->step_w;
        size_t first = wtl_whole_size(a, d->bins - 1), last = wtl_whole_size(b, d->bins - 1);
        double share = h->seconds[i] / h->known_s;
        for (size_t k = first; k <= last; k++) {
            double part =
                first == last ? 1 : (fmin(b, (double)k + 1) - fmax(a, (double)k)) / (b - a);
            d->share[k] += share * (part > 0 ? part : 0);
        }
    }
}

static int describe(const struct histogram *h, uint32_t channel, struct wtl_distribution *d)
{
    static const double parts[WTL_PERCENTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    *d = (struct wtl_distribution){.channel = channel,
                                   .stretch_s = h->known_s / (double)h->stretches,
                                   .known_s = h->known_s,
                                   .min_w = h->min,
                                   .max_w = h->max,
                                   .mean_w = h->integral / h->known_s};
    for (int i = 0; i < WTL_PERCENTILES; i++)
        d->percentile_w[i] = percentile(h, parts[i]);
    d->step_w = step_of(h, d);
    d->low_w = floor(h->min / d->step_w) * d->step_w;
    double bins = floor((h->max - d->low_w) / d->step_w) + 1;
    d->bins = bins >= 1 ? wtl_whole_size(bins, BINS_MAX) : 1;
    d->share = calloc(d->bins, sizeof *d->share);
    if (!d->share)
        return -ENOMEM;
    fill_share(h, d);
    return 0;
}

/* ---- the pass ---- */

static int read_stretches(struct pass *pass,
                          const struct wtl_trace_range *range,
                          struct wattle_error *err)
{
    struct wtl_smooth_stretches *stretches;
    const struct wtl_stretch_set *sets;
    struct wtl_stretch stretch;
    int rc = wtl_smooth_stretches_open(pass->reader, range, &stretches, err);
    if (rc < 0)
        return rc;
    (void)wtl_smooth_stretches_sets(stretches, &sets);
    while ((rc = wtl_smooth_stretches_next(stretches, &stretch, err)) > 0) {
        const struct wtl_stretch_set *set = &sets[stretch.set];
        double seconds = (double)(stretch.end_ns - stretch.begin_ns) * 1e-9;
        for (size_t i = 0; rc > 0 && i < set->count; i++)
            if (!isnan(stretch.mean[i]) &&
                add_power(&pass->histograms[set->channels[i]], stretch.mean[i], seconds) < 0)
                rc = -ENOMEM;
        if (rc < 0)
            break;
    }
    wtl_smooth_stretches_close(stretches);
    return rc;
}

/* The channels in the order of the range, each once: their number, or -ENOMEM. */
static int describe_all(struct pass *pass,
                        const struct wtl_trace_range *range,
                        struct wtl_distribution **ret_distributions)
{
    struct wtl_distribution *all = calloc(range->channel_count + 1, sizeof *all);
    int rc = all ? 0 : -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; rc == 0 && i < range->channel_count; i++) {
        uint32_t id = range->channels[i];
        struct histogram *h = id < pass->channels ? &pass->histograms[id] : NULL;
        if (!h || !h->seconds || h->known_s <= 0)
            continue;
        rc = describe(h, id, &all[count++]);
        free(h->seconds);
        h->seconds = NULL;
    }
    if (rc < 0) {
        wtl_distributions_free(all, count);
        return rc;
    }
    *ret_distributions = all;
    return (int)count;
}

int wtl_distributions_read(struct wtl_trace_reader *reader,
                           const struct wtl_trace_range *range,
                           struct wtl_distribution **ret_distributions,
                           struct wattle_error *err)
{
    struct pass pass = {.reader = reader, .channels = wtl_trace_reader_channel_count(reader)};
    struct wtl_trace_range of_power = *range;
    uint32_t *ids = calloc(range->channel_count + 1, sizeof *ids);
    pass.histograms = calloc(pass.channels + 1, sizeof *pass.histograms);
    int rc = ids && pass.histograms ? 0 : -ENOMEM;
    of_power.channels = ids;
    of_power.channel_count = 0;
    for (size_t i = 0; rc == 0 && i < range->channel_count; i++) {
        const struct wtl_trace_channel *entry =
            wtl_trace_reader_channel(reader, range->channels[i]);
        if (entry && wtl_channel_is_energy(&entry->channel))
            ids[of_power.channel_count++] = range->channels[i];
    }
    rc = rc < 0 ? rc : read_stretches(&pass, &of_power, err);
    rc = rc < 0 ? rc : describe_all(&pass, &of_power, ret_distributions);
    for (size_t i = 0; pass.histograms && i < pass.channels; i++)
        free(pass.histograms[i].seconds);
    free(pass.histograms);
    free(ids);
    return rc == -ENOMEM ? wtl_no_memory_for(err, "distributions") : rc;
}

void wtl_distributions_free(struct wtl_distribution *distributions, size_t count)
{
    for (size_t i = 0; distributions && i < count; i++)
        free(distributions[i].share);
    free(distributions);
}
