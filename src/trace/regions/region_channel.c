/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of a channel and the shares that sets have in them: see region_channel.h. Where nothing is known,
 * an unknown step is inserted, so that the chain has no holes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/regions/region_channel.h"

#include "base/grow.h"
#include "base/whole.h"
#include "model/bound.h"
#include "model/tally/grain.h"

#define JUMP   0.15 /* relative change of power between steps that scatter does not explain */
#define UNSEEN 0.05 /* squared relative change that may not have been observed yet */
#define MIXED  1.0  /* the same while regions begin and end */
#define STEADY 4    /* minimum refreshes for which a counter's growth gives a power */

void *wtl_region_queue_at(const struct wtl_region_queue *queue, size_t i)
{
    return queue->items + (queue->first + i) % queue->room * queue->size;
}

int wtl_region_queue_push(struct wtl_region_queue *queue, const void *item)
{
    if (queue->count == queue->room) {
        size_t room = queue->room ? 2 * queue->room : 64;
        char *items = malloc(room * queue->size);

        if (!items)
            return -ENOMEM;
        for (size_t i = 0; i < queue->count; i++)
            memcpy(items + i * queue->size, wtl_region_queue_at(queue, i), queue->size);
        free(queue->items);
        queue->items = items;
        queue->room = room;
        queue->first = 0;
    }
    queue->count++;
    memcpy(wtl_region_queue_at(queue, queue->count - 1), item, queue->size);
    return 0;
}

void wtl_region_queue_pop(struct wtl_region_queue *queue)
{
    queue->first = (queue->first + 1) % queue->room;
    queue->count--;
}

static void push_step(struct wtl_region_channel *channel, const struct wtl_step *step)
{
    if (wtl_region_queue_push(&channel->steps, step) < 0)
        channel->error = -ENOMEM;
    channel->end_ns = step->end_ns;
}

/* A hole of up to a few steps can be bridged with the power of the adjacent step: a known energy, all of
 * which is uncertain. A step that spans a gap, however long, only justifies bridging one interval. */
static void push_hole(struct wtl_region_channel *channel,
                      uint64_t end_ns,
                      const struct wtl_step *beside)
{
    struct wtl_step hole = {
        .begin_ns = channel->end_ns, .end_ns = end_ns, .flags = WTL_STEP_UNKNOWN};
    uint64_t interval_ns = wtl_whole_u64(channel->profile->interval_ns);
    uint64_t length = beside ? beside->end_ns - beside->begin_ns : 0;
    bool longer = length > interval_ns && !(beside->flags & WTL_STEP_GAP);
    uint64_t near_ns = 3 * (longer ? length : interval_ns) + channel->profile->channel.refresh_ns;

    if (end_ns <= channel->end_ns)
        return;
    if (beside && !(beside->flags & WTL_STEP_UNKNOWN) && end_ns - channel->end_ns <= near_ns) {
        hole.flags = WTL_STEP_GAP;
        hole.energy_j = beside->energy_j / (double)length * (double)(hole.end_ns - hole.begin_ns);
    }
    push_step(channel, &hole);
}

static void take_step(void *context, const struct wtl_step *step)
{
    struct wtl_region_channel *channel = context;

    if (channel->end_ns == 0 && step->begin_ns > channel->start_ns) {
        /* The window up to the first knot may be bridged if a sample precedes it. */
        bool seen = channel->profile->first_ns <= channel->start_ns;

        channel->end_ns = channel->start_ns;
        push_hole(channel, step->begin_ns, seen ? step : NULL);
    } else if (channel->end_ns && step->begin_ns > channel->end_ns) {
        push_hole(channel, step->begin_ns, NULL);
    }
    push_step(channel, step);
}

static const struct wtl_step *kept(const struct wtl_region_channel *channel, uint64_t number)
{
    return number >= 1 && number < channel->number && channel->number - number < WTL_REGION_KEPT
               ? &channel->kept[number % WTL_REGION_KEPT]
               : NULL;
}

static bool is_touched(const struct wtl_region_share *share, uint64_t number)
{
    uint64_t ago = share->touched_at - number;

    return share->touched_at >= number && ago < 8 && share->touched >> ago & 1;
}

/* A usable neighbour: known, still known now, and the set does not switch in it. */
static const struct wtl_step *clean(const struct wtl_region_channel *channel,
                                    const struct wtl_region_share *share,
                                    uint64_t number)
{
    const struct wtl_step *step = is_touched(share, number) ? NULL : kept(channel, number);

    return step && wtl_region_channel_loses(channel, step->begin_ns, step->end_ns) ? NULL : step;
}

/*
 * How much the power changes without marks: mean squared relative change per step. If samples are far apart,
 * changes in between are not visible, and a change may simply not have been observed yet: among n steps
 * without one, up to 3 / n have it (the rule of three).
 */
static double restless(const struct wtl_region_channel *channel, const struct wtl_step *step)
{
    if (step->flags & WTL_STEP_GRID)
        return channel->jumps / (double)(channel->quiet + 16);
    return (channel->moves + 3 * UNSEEN) / (double)(channel->quiet + 3);
}

/* The maximum power assumed, in J per ns; INFINITY if unknown. */
static double greatest_power(const struct wtl_region_channel *channel)
{
    return 1e-9 * wtl_assumed_power_w(channel->slow ? 0 : channel->most_w, channel->max_w);
}

/* Whether any set switches in the step. Unknown for steps no longer kept. */
static bool is_mixed(const struct wtl_region_channel *channel, uint64_t number)
{
    return channel->marks[number % WTL_REGION_KEPT].any;
}

static double mixed(const struct wtl_region_channel *channel)
{
    return (channel->mixed_moves + 3 * MIXED) / (double)(channel->mixed + 3);
}

/* The same two as squared changes in J per ns: a relative one says little where the power is low, from which it may rise to many times
 * as much. */
static double unmarked_p2(const struct wtl_region_channel *channel, const struct wtl_step *step)
{
    return step->flags & WTL_STEP_GRID ? 0 : channel->unmarked_p2 / (double)(channel->unmarked + 3);
}

static double mixed_p2(const struct wtl_region_channel *channel)
{
    return channel->mixed_p2 / (double)(channel->mixed + 3);
}

/* For a counter that ticks slowly: the energy of the adjacent step if a border at this distance from an
 * end of the step may be beyond that end. sd_ns: of the time of that end. */
static double beyond(const struct wtl_region_channel *channel,
                     uint64_t number,
                     double away_ns,
                     double sd_ns)
{
    const struct wtl_step *step = kept(channel, number);

    return step && away_ns <= sqrt(3) * sd_ns ? step->energy_j : 0;
}

/* Time from the first to the second, if there are marks and it is later. */
static double apart(const struct wtl_region_marks *marks, uint64_t first_ns, uint64_t second_ns)
{
    return marks->any && second_ns > first_ns ? (double)(second_ns - first_ns) : 0;
}

/* The input for dividing a step, for one set. */
static struct wtl_split_input input_of(const struct wtl_region_channel *channel,
                                       const struct wtl_region_share *share,
                                       uint64_t number)
{
    const struct wtl_step *step = kept(channel, number);
    const struct wtl_region_border *border = &share->borders[number % WTL_REGION_WAITING];
    const struct wtl_region_marks *marks = &channel->marks[number % WTL_REGION_KEPT];
    double power = greatest_power(channel);
    struct wtl_split_input input = {.step = step,
                                    .before = clean(channel, share, number - 1),
                                    .after = clean(channel, share, number + 1),
                                    .before_mixed = is_mixed(channel, number - 1),
                                    .after_mixed = is_mixed(channel, number + 1),
                                    .begins_inside = border->begins_inside,
                                    .ends_inside = border->ends_inside,
                                    .first_ns = (double)(border->first_ns - step->begin_ns),
                                    .last_ns = (double)(step->end_ns - border->last_ns),
                                    .first_apart_ns =
                                        apart(marks, marks->first_ns, border->first_ns),
                                    .last_apart_ns = apart(marks, border->last_ns, marks->last_ns),
                                    .inside_ns = (double)border->inside_ns,
                                    .restless = restless(channel, step),
                                    .unmarked_p2 = unmarked_p2(channel, step),
                                    .unseen = 3 * UNSEEN / (double)(channel->unmarked + 3),
                                    .mixed = mixed(channel),
                                    .mixed_p2 = mixed_p2(channel),
                                    .power = isfinite(power) ? power : 0};

    if (input.before && !is_mixed(channel, number - 2))
        input.before2 = clean(channel, share, number - 2);
    if (input.after && !is_mixed(channel, number + 2))
        input.after2 = clean(channel, share, number + 2);
    input.slow = channel->slow;
    if (input.slow) {
        input.before_j = beyond(channel, number - 1, input.first_ns,
                                (double)hypotf(step->begin_sd_ns, step->common_sd_ns));
        input.after_j = beyond(channel, number + 1, input.last_ns,
                               (double)hypotf(step->end_sd_ns, step->common_sd_ns));
    }
    if (channel->profile->channel.kind == WATTLE_COUNTER)
        input.unit_j = wtl_grain_amount(&channel->profile->channel);
    return input;
}

static void add_part(struct wtl_region_share *share,
                     const struct wtl_region_border *border,
                     const struct wtl_split_input *input)
{
    const struct wtl_step *step = input->step;

    wtl_split_add(&share->split, input);
    share->parts_j += step->energy_j;
    share->units_j += input->unit_j;
    share->in_ns += (double)border->inside_ns;
    if (step->flags & WTL_STEP_EARLIER)
        share->out_ns += WTL_SPLIT_EVER_NS;
    share->out_ns += (double)(step->end_ns - step->begin_ns - border->inside_ns);
    *(border->begins_inside ? &share->unsure_in_ns : &share->unsure_out_ns) +=
        2 * (double)(step->begin_sd_ns + step->common_sd_ns);
    *(border->ends_inside ? &share->unsure_in_ns : &share->unsure_out_ns) +=
        2 * (double)(step->end_sd_ns + step->common_sd_ns);
}

/* Give the sets that switched in a step their part of it. */
static void divide(struct wtl_region_channel *channel, uint64_t number)
{
    struct wtl_region_list *list = &channel->lists[number % WTL_REGION_WAITING];
    const struct wtl_step *step = kept(channel, number);

    for (size_t i = 0; step && i < list->count; i++) {
        struct wtl_region_share *share = list->shares[i];
        const struct wtl_region_border *border = &share->borders[number % WTL_REGION_WAITING];
        struct wtl_split_input input = input_of(channel, share, number);

        if (step->flags & WTL_STEP_UNKNOWN)
            share->unknown |= border->inside_ns > 0;
        else
            add_part(share, border, &input);
    }
    list->count = 0;
}

/* Learn how the power changes without marks, and with them. Steps much shorter than others, as at the ends
 * of the window, are not used. */
static void learn_jumps(struct wtl_region_channel *channel, uint64_t number)
{
    const struct wtl_step *now = kept(channel, number), *then = kept(channel, number - 1);
    bool quiet = true;

    for (int i = 0; i < WTL_REGION_WAITING; i++)
        quiet = quiet && channel->lists[i].count == 0;
    if (!now || !then || (now->flags | then->flags) & (WTL_STEP_GAP | WTL_STEP_UNKNOWN))
        return;
    double a_ns = (double)(now->end_ns - now->begin_ns);
    double b_ns = (double)(then->end_ns - then->begin_ns);
    double a = now->energy_j / a_ns, b = then->energy_j / b_ns;
    double jump = a + b > 0 ? 2 * (a - b) / (a + b) : 0;

    if (fmin(a_ns, b_ns) < channel->profile->interval_ns / 2)
        return;
    if (!is_mixed(channel, number) && !is_mixed(channel, number - 1)) {
        channel->unmarked++;
        channel->unmarked_p2 += (a - b) * (a - b);
    }
    if (!quiet) {
        channel->mixed++;
        channel->mixed_moves += jump * jump;
        channel->mixed_p2 += (a - b) * (a - b);
        return;
    }
    channel->quiet++;
    channel->moves += jump * jump;
    /* Smaller changes are scatter or jitter, which the steps already include. */
    if (fabs(jump) > JUMP)
        channel->jumps += jump * jump;
}

/* The maximum mean power. Over few refreshes a counter shows its ticks, not the power. */
static void learn_most(struct wtl_region_channel *channel, const struct wtl_step *step)
{
    if (step->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN)) {
        channel->stretch_j = channel->stretch_ns = 0;
        return;
    }
    channel->stretch_j += step->energy_j;
    channel->stretch_ns += (double)(step->end_ns - step->begin_ns);
    if (channel->stretch_ns < STEADY * (double)channel->profile->channel.refresh_ns)
        return;
    channel->most_w = fmax(channel->most_w, channel->stretch_j / channel->stretch_ns * 1e9);
    channel->stretch_j = channel->stretch_ns = 0;
}

/* The first step of the queue has been passed. */
static void close_step(struct wtl_region_channel *channel)
{
    uint64_t number = channel->number;
    const struct wtl_step *step = wtl_region_queue_at(&channel->steps, 0);
    struct wtl_region_list *list = &channel->lists[number % WTL_REGION_WAITING];

    channel->kept[number % WTL_REGION_KEPT] = *step;
    channel->sum_j += step->energy_j;
    channel->unknown += (step->flags & WTL_STEP_UNKNOWN) != 0;
    if (step->flags & WTL_STEP_EARLIER)
        channel->doubt_j += step->energy_j;
    for (size_t i = 0; i < list->count; i++) {
        struct wtl_region_share *share = list->shares[i];
        struct wtl_region_border *border = &share->borders[number % WTL_REGION_WAITING];

        if (border->ends_inside)
            border->inside_ns += step->end_ns - border->on_since_ns;
        share->from_j = channel->sum_j;
        share->from_doubt_j = channel->doubt_j;
        share->from_unknown = channel->unknown;
    }
    if (!(step->flags & WTL_STEP_UNKNOWN)) {
        double long_ns = (double)(step->end_ns - step->begin_ns);
        channel->known_ns += long_ns;
        channel->missed_ns += wtl_window_missed_ns(&channel->profile->channel, long_ns);
    }
    wtl_region_ends_step(&channel->open, step);
    wtl_region_queue_pop(&channel->steps);
    channel->number++;
    channel->marks[channel->number % WTL_REGION_KEPT].any = false;
    learn_jumps(channel, number);
    learn_most(channel, kept(channel, number));
    if (number > 2)
        divide(channel, number - 2);
}

static void leave_whole(const struct wtl_region_channel *channel, struct wtl_region_share *share)
{
    share->whole_j += channel->sum_j - share->from_j;
    share->doubt_j += channel->doubt_j - share->from_doubt_j;
    share->unknown |= channel->unknown != share->from_unknown;
}

static int remember(struct wtl_region_list *list, struct wtl_region_share *share)
{
    if (wtl_grow(&list->shares, list->count, sizeof(struct wtl_region_share *)) < 0)
        return -ENOMEM;
    list->shares[list->count++] = share;
    return 0;
}

void wtl_region_channel_mark(struct wtl_region_channel *channel, uint64_t time_ns)
{
    struct wtl_region_marks *marks = &channel->marks[channel->number % WTL_REGION_KEPT];

    if (!marks->any)
        *marks = (struct wtl_region_marks){true, time_ns, time_ns};
    marks->last_ns = time_ns;
}

int wtl_region_channel_switch(struct wtl_region_channel *channel,
                              struct wtl_region_share *share,
                              uint64_t time_ns,
                              bool on)
{
    struct wtl_region_border *border = &share->borders[channel->number % WTL_REGION_WAITING];
    uint64_t ago = channel->number - share->touched_at;

    if (channel->steps.count == 0) { /* after all steps: this time is unknown */
        share->unknown |= !on;
        return 0;
    }
    const struct wtl_step *step = wtl_region_queue_at(&channel->steps, 0);

    if (ago > 0) {
        int rc = remember(&channel->lists[channel->number % WTL_REGION_WAITING], share);

        if (rc < 0)
            return rc;
        share->touched = (uint8_t)(ago < 8 ? share->touched << ago | 1 : 1);
        share->touched_at = channel->number;
        if (!on)
            leave_whole(channel, share);
        *border = (struct wtl_region_border){
            .first_ns = time_ns, .begins_inside = !on, .on_since_ns = step->begin_ns};
    }
    if (on)
        border->on_since_ns = time_ns;
    else
        border->inside_ns += time_ns - border->on_since_ns;
    border->last_ns = time_ns;
    border->ends_inside = on;
    return wtl_region_ends_switch(&channel->open, &share->ends, &channel->profile->channel,
                                  kept(channel, channel->number - 1), step, on);
}

int wtl_region_channel_init(struct wtl_region_channel *channel,
                            const struct wattle_channel *description,
                            uint64_t start_ns)
{
    *channel = (struct wtl_region_channel){.start_ns = start_ns, .number = 1};
    channel->steps.size = sizeof(struct wtl_step);
    channel->profile = malloc(sizeof(*channel->profile));
    if (!channel->profile)
        return -ENOMEM;
    channel->max_w = description->max_w;
    channel->slow = wtl_ticks_slowly(description);
    channel->used = wtl_profile_init(channel->profile, description, take_step, channel) == 0;
    return 0;
}

void wtl_region_channel_fini(struct wtl_region_channel *channel)
{
    free(channel->profile);
    free(channel->steps.items);
    free(channel->lost);
    free(channel->open.ends);
    for (int i = 0; i < WTL_REGION_WAITING; i++)
        free(channel->lists[i].shares);
}

int wtl_region_channel_gap(struct wtl_region_channel *channel, const struct wtl_gap *gap)
{
    bool loses = wtl_gap_loses_energy(gap->reason, channel->profile->channel.kind);
    struct wtl_region_span span = {gap->begin_ns, gap->end_ns};

    wtl_profile_gap(channel->profile, !loses);
    if (!loses || span.end_ns <= span.begin_ns)
        return 0;
    for (; channel->lost_count; channel->lost_count--) { /* merge with those that it overlaps */
        const struct wtl_region_span *last = &channel->lost[channel->lost_count - 1];

        if (last->end_ns < span.begin_ns)
            break;
        span.begin_ns = last->begin_ns < span.begin_ns ? last->begin_ns : span.begin_ns;
        span.end_ns = last->end_ns > span.end_ns ? last->end_ns : span.end_ns;
    }
    if (wtl_grow(&channel->lost, channel->lost_count, sizeof *channel->lost) < 0)
        return -ENOMEM;
    channel->lost[channel->lost_count++] = span;
    return 0;
}

bool wtl_region_channel_loses(const struct wtl_region_channel *channel,
                              uint64_t begin_ns,
                              uint64_t end_ns)
{
    size_t low = 0, high = channel->lost_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (channel->lost[middle].end_ns <= begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < channel->lost_count && begin_ns < end_ns && channel->lost[low].begin_ns < end_ns;
}

bool wtl_region_channel_reach(struct wtl_region_channel *channel, uint64_t time_ns)
{
    while (channel->steps.count &&
           ((struct wtl_step *)wtl_region_queue_at(&channel->steps, 0))->end_ns <= time_ns)
        close_step(channel);
    return !channel->used || channel->ended || channel->steps.count;
}

void wtl_region_channel_energy(const struct wtl_region_channel *channel,
                               const struct wtl_region_share *share,
                               double *ret_energy_j,
                               double *ret_half_j)
{
    double power = greatest_power(channel), energy, half;
    double parts = share->parts_j, unit = share->units_j;
    double high = fmin(parts + unit + power * share->unsure_in_ns,
                       power * (share->in_ns + share->unsure_in_ns) + unit);
    double low = fmax(parts - unit - power * (share->out_ns + share->unsure_out_ns), 0);

    wtl_split_energy(&share->split, power, &energy, &half);

    if (isfinite(power) && (energy + half > high || energy - half < low)) {
        /* An estimate entirely outside the bounds gives no information about the position within them. */
        bool apart = energy - half > high || energy + half < low;

        if (low > high) { /* these bounds are not valid either: it may have any part of the steps */
            low = 0;
            high = parts;
        } else if (!apart) {
            high = fmin(energy + half, high);
            low = fmax(energy - half, low);
        }
        energy = (low + high) / 2;
        half = (high - low) / 2;
    }
    *ret_energy_j = share->whole_j + energy;
    half = fmax(half, wtl_split_least_half(&share->split)) + share->doubt_j;
    *ret_half_j = hypot(half, share->ends.half_j);
}

/* The last few steps merged, since the very last may be short; after a gap only the last one. False if
 * unknown. */
static bool last_steps(const struct wtl_region_channel *channel, struct wtl_step *ret_steps)
{
    uint64_t last = channel->number + channel->steps.count; /* number after the last step */
    struct wtl_step sum = {0};

    for (uint64_t number = last - 1; number >= 1 && number + 4 >= last; number--) {
        const struct wtl_step *step =
            number >= channel->number
                ? wtl_region_queue_at(&channel->steps, (size_t)(number - channel->number))
                : kept(channel, number);

        bool gap = step && step->flags & WTL_STEP_GAP;

        if (!step || step->flags & WTL_STEP_UNKNOWN || (gap && sum.end_ns))
            break;
        sum.energy_j += step->energy_j;
        sum.begin_ns = step->begin_ns;
        sum.end_ns = sum.end_ns ? sum.end_ns : step->end_ns;
        sum.flags = step->flags & WTL_STEP_GAP;
        if (gap)
            break;
    }
    if (sum.end_ns == 0)
        return false;
    *ret_steps = sum;
    return true;
}

void wtl_region_channel_end(struct wtl_region_channel *channel, uint64_t end_ns)
{
    if (!channel->used)
        return;
    wtl_profile_flush(channel->profile);
    channel->ended = true;
    struct wtl_step last;
    const struct wtl_step *beside = last_steps(channel, &last) ? &last : NULL;

    if (channel->end_ns == 0)
        channel->end_ns = channel->start_ns;
    if (channel->end_ns > end_ns)
        return;
    /* After the last knot it may be bridged up to the last sample; beyond that nothing is known. */
    if (channel->profile->last_ns < end_ns)
        push_hole(channel, channel->profile->last_ns, beside);
    push_hole(channel, end_ns + 1, channel->profile->last_ns < end_ns ? NULL : beside);
}

void wtl_region_channel_finish(struct wtl_region_channel *channel)
{
    while (channel->steps.count)
        close_step(channel);
    for (uint64_t number = channel->number < 3 ? 1 : channel->number - 2; number < channel->number;
         number++)
        divide(channel, number);
}
