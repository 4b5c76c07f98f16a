/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of regions. nesting.c converts marks to sets (a name is open, is innermost, anything is open)
 * that switch on and off; profile.c converts samples to steps of known energy. A set that is on during whole
 * steps gets their energy, taken from a running sum; a step in which it switches is divided by split.c, once
 * the two following steps are known.
 *
 * Marks wait until every channel has steps up to them. The steps of a channel form one chain without holes:
 * where nothing is known, an unknown step is inserted.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "model/bound.h"
#include "trace/regions/nesting.h"
#include "trace/regions/region_channel.h"
#include "trace/regions/region_energy.h"

#define TRUSTED 4 /* energy / half width: below this only the interval is reported */

struct set {
    bool wanted, on;              /* wanted: on, apart from the window */
    bool behind;                  /* it is, or was, on after a truncated window */
    uint64_t on_since_ns, off_ns; /* of the last time it was on */
    uint64_t union_ns, stretches;
    struct wtl_region_share *shares; /* [channels] */
};

struct wtl_region_energy {
    uint64_t start_ns, end_ns, last_ns;
    uint64_t marked_ns; /* all marks before this time have been added */
    uint64_t off_ns;    /* when any set was last switched off */
    bool started, stopped, finished;
    bool cut; /* the end of the window was not recorded: what continues after it is unknown */
    struct wtl_region_channel *channels;
    size_t channel_count;
    struct wtl_nesting *nesting;
    struct wtl_region_queue marks;
    struct set *sets; /* 0 = untagged, then two per name: open, innermost */
    size_t set_count;
    struct wtl_region_result *results;
    struct wtl_energy *joules;
    size_t result_count;
};

/* ---- sets ---- */

static int switch_set(struct wtl_region_energy *energy, uint32_t number, uint64_t time_ns, bool on)
{
    struct set *set = &energy->sets[number];
    int rc = 0;

    if (on == set->on)
        return 0;
    set->on = on;
    if (on) {
        set->on_since_ns = time_ns;
    } else {
        set->union_ns += time_ns - set->on_since_ns;
        if (time_ns > set->on_since_ns)
            set->off_ns = energy->off_ns = time_ns;
    }
    set->stretches += on;
    for (size_t i = 0; rc == 0 && i < energy->channel_count; i++) {
        if (!energy->channels[i].used)
            continue;
        rc = wtl_region_channel_switch(&energy->channels[i], &set->shares[i], time_ns, on);
        if (!on)
            set->shares[i].unknown |=
                wtl_region_channel_loses(&energy->channels[i], set->on_since_ns, time_ns);
    }
    return rc;
}

static int make_sets(struct wtl_region_energy *energy, size_t count)
{
    while (energy->set_count < count) {
        if (wtl_grow(&energy->sets, energy->set_count, sizeof *energy->sets) < 0)
            return -ENOMEM;
        struct set *set = &energy->sets[energy->set_count];

        *set = (struct set){.shares = calloc(energy->channel_count + 1, sizeof(*set->shares))};
        if (!set->shares)
            return -ENOMEM;
        energy->set_count++;
    }
    return 0;
}

/* Called by nesting.c. */
static int on_set_change(void *context,
                         enum wtl_nesting_set kind,
                         size_t name_index,
                         uint64_t time_ns,
                         bool on)
{
    struct wtl_region_energy *energy = context;
    size_t number = kind == WTL_SET_TAGGED ? 0 : 1 + 2 * name_index + (kind == WTL_SET_INNERMOST);
    int rc = make_sets(energy, number + 1);

    if (rc < 0)
        return rc;
    if (kind == WTL_SET_TAGGED)
        on = !on; /* set 0 is the time outside all regions */
    energy->sets[number].wanted = on;
    energy->sets[number].behind |= energy->stopped && energy->cut && on;
    if (!energy->started || energy->stopped)
        return 0;
    for (size_t i = 0; i < energy->channel_count; i++)
        if (energy->channels[i].used)
            wtl_region_channel_mark(&energy->channels[i], time_ns);
    return switch_set(energy, (uint32_t)number, time_ns, on);
}

/* ---- the stream ---- */

/* Whether all channels have steps beyond the time. */
static bool reach(struct wtl_region_energy *energy, uint64_t time_ns)
{
    bool all = true;

    for (size_t i = 0; i < energy->channel_count; i++)
        all = wtl_region_channel_reach(&energy->channels[i], time_ns) && all;
    return all;
}

static int failure_of(const struct wtl_region_energy *energy)
{
    for (size_t i = 0; i < energy->channel_count; i++)
        if (energy->channels[i].error)
            return energy->channels[i].error;
    return 0;
}

/* The window begins or ends: all wanted sets switch together. */
static int border_of_window(struct wtl_region_energy *energy, uint64_t time_ns, bool on)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < energy->set_count; i++) {
        energy->sets[i].behind |= !on && energy->cut && energy->sets[i].wanted;
        rc = switch_set(energy, (uint32_t)i, time_ns, on && energy->sets[i].wanted);
    }
    return rc;
}

/* Pass a border of the window that is due before time_ns: 1 when passed, 0 without one, -EAGAIN
 * when it waits for steps, or another negative errno. */
static int pass_border(struct wtl_region_energy *energy, uint64_t time_ns)
{
    bool begins = !energy->started;
    uint64_t border_ns = begins ? energy->start_ns : energy->end_ns;

    if (energy->stopped || time_ns < border_ns)
        return 0;
    if (!reach(energy, border_ns))
        return -EAGAIN;
    energy->started = true;
    energy->stopped = !begins;
    int rc = border_of_window(energy, border_ns, begins);
    return rc < 0 ? rc : 1;
}

/* Process the next item in time order: a border of the window, a mark or, with neither, the end of the
 * available data. Returns 1 when done, 0 when it waits for steps or nothing is left, or -errno. */
static int advance_once(struct wtl_region_energy *energy)
{
    bool any = energy->marks.count > 0;
    struct wtl_mark mark = {.time_ns = energy->marked_ns};

    if (any)
        mark = *(const struct wtl_mark *)wtl_region_queue_at(&energy->marks, 0);
    int rc = pass_border(energy, mark.time_ns);

    if (rc != 0)
        return rc == -EAGAIN ? 0 : rc;
    if (!any) {
        (void)reach(energy, mark.time_ns); /* nothing before it will switch any more */
        return 0;
    }
    if (energy->started && !energy->stopped && !reach(energy, mark.time_ns))
        return 0;
    wtl_region_queue_pop(&energy->marks);
    rc = wtl_nesting_mark(energy->nesting, &mark);
    return rc < 0 ? rc : 1;
}

/* Process everything possible with the available steps. */
static int advance(struct wtl_region_energy *energy)
{
    int rc = failure_of(energy);

    if (rc == 0)
        do
            rc = advance_once(energy);
        while (rc > 0);
    return rc;
}

int wtl_region_energy_create(const struct wattle_channel *channels,
                             size_t count,
                             uint64_t start_ns,
                             uint64_t end_ns,
                             struct wtl_region_energy **ret_energy,
                             struct wattle_error *err)
{
    if (start_ns > end_ns || start_ns == 0)
        return wtl_fail(err, -EINVAL, "region energies: the window has no length");
    struct wtl_region_energy *energy = calloc(1, sizeof(*energy));
    bool whole = energy != NULL;

    if (energy) {
        energy->start_ns = start_ns;
        energy->end_ns = end_ns;
        energy->marks.size = sizeof(struct wtl_mark);
        energy->nesting = wtl_nesting_create(start_ns, end_ns, on_set_change, energy);
        energy->channels = calloc(count + 1, sizeof(*energy->channels));
        energy->channel_count = energy->channels ? count : 0;
        whole = energy->nesting && energy->channels && make_sets(energy, 1) == 0;
    }
    for (size_t i = 0; whole && i < count; i++)
        whole = wtl_region_channel_init(&energy->channels[i], &channels[i], start_ns) == 0;
    if (!whole) {
        wtl_region_energy_destroy(energy);
        return wtl_fail(err, -ENOMEM, "region energies: out of memory");
    }
    energy->sets[0].wanted = true;
    *ret_energy = energy;
    return 0;
}

void wtl_region_energy_destroy(struct wtl_region_energy *energy)
{
    if (!energy)
        return;
    for (size_t i = 0; i < energy->channel_count; i++)
        wtl_region_channel_fini(&energy->channels[i]);
    for (size_t i = 0; i < energy->set_count; i++)
        free(energy->sets[i].shares);
    wtl_nesting_destroy(energy->nesting);
    free(energy->sets);
    free(energy->channels);
    free(energy->marks.items);
    free(energy->results);
    free(energy->joules);
    free(energy);
}

int wtl_region_energy_sample(struct wtl_region_energy *energy,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t value,
                             bool edge)
{
    if (channel >= energy->channel_count || energy->finished)
        return -EINVAL;
    if (energy->channels[channel].used) {
        struct wtl_region_channel *to = &energy->channels[channel];
        wtl_profile_sample(to->profile, time_ns, value, edge);
        if (to->profile->channel.kind != WATTLE_COUNTER)
            wtl_quantum_add(&to->quantum, value);
    }
    return 0;
}

int wtl_region_energy_advance(struct wtl_region_energy *energy)
{
    return energy->finished ? -EINVAL : advance(energy);
}

int wtl_region_energy_gap(struct wtl_region_energy *energy, const struct wtl_gap *gap)
{
    if (gap->channel >= energy->channel_count || energy->finished)
        return -EINVAL;
    struct wtl_region_channel *channel = &energy->channels[gap->channel];

    if (!channel->used)
        return 0;
    /* It may begin long before the marks already processed: a stall is detected only after a while. Sets
     * that are on take it into account when they are switched off. */
    if (wtl_gap_loses_energy(gap->reason, channel->profile->channel.kind) &&
        energy->off_ns > gap->begin_ns)
        for (size_t i = 0; i < energy->set_count; i++)
            energy->sets[i].shares[gap->channel].unknown |= energy->sets[i].off_ns > gap->begin_ns;
    return wtl_region_channel_gap(channel, gap);
}

int wtl_region_energy_mark(struct wtl_region_energy *energy, const struct wtl_mark *mark)
{
    if (energy->finished)
        return -EINVAL;
    if (mark->time_ns < energy->last_ns || mark->time_ns < energy->marked_ns)
        return -EBADMSG;
    energy->last_ns = mark->time_ns;
    return wtl_region_queue_push(&energy->marks, mark);
}

void wtl_region_energy_marked(struct wtl_region_energy *energy, uint64_t time_ns)
{
    if (time_ns > energy->marked_ns)
        energy->marked_ns = time_ns;
}

int wtl_region_energy_window_end(struct wtl_region_energy *energy, uint64_t end_ns)
{
    if (end_ns < energy->start_ns || energy->last_ns > end_ns || energy->marked_ns > end_ns)
        return -ERANGE;
    energy->end_ns = end_ns;
    wtl_nesting_window_end(energy->nesting, end_ns);
    return 0;
}

void wtl_region_energy_cut(struct wtl_region_energy *energy)
{
    energy->cut = true;
}

bool wtl_region_energy_wants_sample(const struct wtl_region_energy *energy)
{
    return energy->marks.count > 0;
}

/* ---- results ---- */

static void fill_joules(const struct wtl_region_channel *channel,
                        const struct wtl_region_share *share,
                        const struct set *set,
                        struct wtl_energy *ret)
{
    double energy, half;

    *ret = wtl_energy_unknown();
    bool empty = set->union_ns == 0;

    if (!channel->used || share->unknown || (empty && set->behind))
        return;
    wtl_region_channel_energy(channel, share, &energy, &half);
    double seconds = (double)set->union_ns * 1e-9;
    half = fmax(half, wtl_window_half_j(&channel->profile->channel, energy / seconds, seconds,
                                        set->stretches));
    double missed_s = channel->missed_ns > 0 ? channel->missed_ns / channel->known_ns * seconds : 0;
    half = hypot(half, wtl_window_missed_j(&channel->profile->channel, energy / seconds,
                                           channel->most_w, seconds, missed_s));
    if (channel->profile->channel.kind != WATTLE_COUNTER)
        half =
            hypot(half, wtl_quantum_half(&channel->quantum, &channel->profile->channel) * seconds);
    if (isinf(half))
        return;
    ret->j = energy;
    ret->half_j = half;
    ret->interval_only = half * TRUSTED > energy;
}

static void fill_result(struct wtl_region_energy *energy, size_t i)
{
    struct wtl_region_result *result = &energy->results[i];
    struct wtl_energy *joules = &energy->joules[2 * i * energy->channel_count];
    const struct set *open = &energy->sets[i ? 2 * i - 1 : 0];
    const struct set *innermost = &energy->sets[i ? 2 * i : 0];

    *result = (struct wtl_region_result){.count = open->stretches,
                                         .union_ns = open->union_ns,
                                         .exclusive_union_ns = innermost->union_ns,
                                         .inclusive = joules,
                                         .exclusive = joules + energy->channel_count};
    if (i) {
        const struct wtl_nesting_name *name = wtl_nesting_name(energy->nesting, i - 1);

        result->name = name->name;
        result->count = name->count;
        result->thread_time_ns = name->thread_time_ns;
        result->unbalanced = name->unbalanced;
        result->crossing = name->crossing;
    }
    for (size_t c = 0; c < energy->channel_count; c++) {
        const struct wtl_region_channel *channel = &energy->channels[c];

        fill_joules(channel, &open->shares[c], open, &joules[c]);
        fill_joules(channel, &innermost->shares[c], innermost, &joules[energy->channel_count + c]);
    }
}

static int make_results(struct wtl_region_energy *energy)
{
    size_t count = 1 + wtl_nesting_count(energy->nesting);

    if (make_sets(energy, 2 * count - 1) < 0)
        return -ENOMEM;
    energy->results = calloc(count, sizeof(*energy->results));
    energy->joules = calloc(2 * count * energy->channel_count + 1, sizeof(*energy->joules));
    if (!energy->results || !energy->joules)
        return -ENOMEM;
    energy->result_count = count;
    for (size_t i = 0; i < count; i++)
        fill_result(energy, i);
    return 0;
}

int wtl_region_energy_finish(struct wtl_region_energy *energy)
{
    if (energy->finished)
        return -EINVAL;
    energy->finished = true;
    for (size_t i = 0; i < energy->channel_count; i++)
        wtl_region_channel_end(&energy->channels[i], energy->end_ns);
    energy->marked_ns = UINT64_MAX;
    int rc = advance(energy);

    if (rc == 0)
        rc = wtl_nesting_finish(energy->nesting);
    for (size_t i = 0; rc == 0 && i < energy->channel_count; i++)
        wtl_region_channel_finish(&energy->channels[i]);
    return rc < 0 ? rc : make_results(energy);
}

size_t wtl_region_energy_count(const struct wtl_region_energy *energy)
{
    return energy->result_count;
}

const struct wtl_region_result *wtl_region_energy_result(const struct wtl_region_energy *energy,
                                                         size_t i)
{
    return i < energy->result_count ? &energy->results[i] : NULL;
}
