/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The split of a step at a border. Notation: x is the time of one side within the step, p its power
 * taken from the neighbouring step of length l, s the sd of a tick's time, r the relative scatter of
 * the power. The side's energy p x is off by
 *     p ((1 + x/l) d1 - x/l d2)     d1 d2 = shifts of the ticks at the neighbour's ends
 *     p r sqrt(x (x + l))           scatter of the power, white from step to step
 *     p w                           the power changes w = 20 us before or after the border
 * and, when the power drifts, by the trend of the two steps on that side where jitter and scatter do
 * not explain it.
 */
#include <math.h>
#include <stddef.h>

#include "model/split.h"

#include "model/bound.h"

#define BLUR_NS 20e3 /* time between a border and the change of power that it causes */
/* Mean of the positive part of a normal variable: the energy near the border only ever adds to
 * one side, so repetitions do not average it out. */
#define RECTIFIED 0.4

#define LITTLE 0.02 /* of the energy of the middle: not worth leaving open */
#define SMALL  0.05 /* of the energy of the step, likewise, if it is assigned to a side */
#define REACH  2    /* a step is valid for this many times its own length */
#define TICKS  32   /* the same if its ends are ticks */

/* Of a power that jumps in fewer than one of 50 steps without a mark, a jump is taken to be at the mark. */
#define RARE 0.02

/* So many visits show how near to the inside a burst outside can always be; those count that have more than this part of the usual energy
 * beyond that of the power outside. */
#define VISITS 8
#define USUAL  0.5

/* Prediction from one end of the step for the adjacent part. */
struct side {
    bool known;
    double ns;     /* length of the part it is valid for */
    double power;  /* J per ns */
    double energy; /* of that part */
    double variance;
    double hidden; /* half width of the unobserved part: the same in each repetition */
    double drift;  /* signed shift of `energy` if the trend continued */
    double change; /* variance if the power was changing and may have reached that of the step */
    double drift_variance;
};

static double power_of(const struct wtl_step *step)
{
    return step->energy_j / (double)(step->end_ns - step->begin_ns);
}

static double square(double x)
{
    return x * x;
}

/* near_sd is for the tick that touches the step, far_sd for the one at the neighbour's other end. */
static struct side side_of(const struct wtl_step *near,
                           const struct wtl_step *far,
                           double x,
                           double near_sd,
                           double far_sd,
                           double rough,
                           const struct wtl_split_input *input)
{
    struct side side = {.known = near != NULL};

    if (!near || near->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN))
        return (struct side){0};
    double l = (double)(near->end_ns - near->begin_ns);
    double p = power_of(near);

    x = fmin(x, (near->flags & WTL_STEP_GRID ? TICKS : REACH) * l);
    if (far && !(far->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN))) {
        double m = (double)(far->end_ns - far->begin_ns);
        double trend = p - power_of(far);
        double scatter = square(p) * (6 * square(far_sd / fmin(l, m)) + 2 * square(rough));

        if (square(trend) < 4 * scatter) { /* no difference: their mean is more accurate */
            p = (near->energy_j + far->energy_j) / (l + m);
            l += m;
        } else {
            side.drift = trend * x * (l + x) / (l + m);
            side.variance = square(side.drift);
        }
        side.drift_variance = scatter * square(x * (l + x) / (l + m));
    }
    side.ns = x;
    side.power = p;
    side.energy = p * x;
    /* Between known ticks the scatter is mostly slow. */
    double span = near->flags & WTL_STEP_GRID ? (double)(near->end_ns - near->begin_ns) : 2 * l;

    side.variance += square(p) * (square((1 + x / l) * near_sd) + square(x / l * far_sd) +
                                  square(rough) * x * (x + span));
    /* A change of power between widely spaced samples may have happened anywhere between them. */
    double reach = near->flags & WTL_STEP_GRID ? x : fmax(x, span / 2);

    side.variance += fmax(input->restless * square(power_of(near)), input->unmarked_p2) * x * reach;
    return side;
}

/* The maximum power assumed, or a large enough value, J per ns. */
static double greatest_of(const struct wtl_split_input *input)
{
    return input->power > 0 ? input->power : 10 * power_of(input->step);
}

/* Half width of the energy that an unobserved interval may have, around the power of a side. */
static double hidden_of(double ns, double power, double greatest)
{
    return ns > 0 ? ns * fmax(power, greatest - power) : 0;
}

static struct side sum_of(const struct side *a, const struct side *b)
{
    struct side sum = {.known = true};

    sum.power = (a->power + b->power) / 2;
    sum.ns = a->ns + b->ns;
    sum.hidden = a->hidden + b->hidden;
    sum.energy = a->energy + b->energy;
    sum.variance = a->variance + b->variance;
    sum.drift = a->drift + b->drift;
    sum.change = a->change + b->change;
    sum.drift_variance = a->drift_variance + b->drift_variance;
    return sum;
}

/* Variance of the energy next to a mark due to a change of power towards it: where the power of a side
 * moves towards that of the other before the border is reached, it may already have arrived there. */
static double early_of(const struct side *in, const struct side *out)
{
    double change = in->power - out->power, early = 0;

    if (out->drift * change > 0)
        early += square(change * out->ns) / 3;
    if (in->drift * change < 0)
        early += square(change * in->ns) / 3;
    return early;
}

/*
 * The power of both kinds is known. The difference between the step and their prediction is due to the ticks
 * (distributed by the variances) or to power that changed near the border: if the step has less, the higher
 * power came late or left early; if more, it was already or still present.
 */
static void weighed_split(const struct wtl_split_input *input,
                          const struct side *in,
                          const struct side *out,
                          struct wtl_split *split)
{
    /* A change of power before the mark is in the residual, unless that is of a power that was not seen. */
    double in_own = in->variance + (out->hidden > 0 ? in->change : 0);
    double out_own = out->variance + (in->hidden > 0 ? out->change : 0);
    double in_variance = in_own + square(in->hidden / 1.96);
    double out_variance = out_own + square(out->hidden / 1.96);
    double ticks = in_variance + out_variance;
    double beside = square(BLUR_NS * (in->power - out->power));
    double weight = ticks > 0 ? in_variance / ticks : 0.5;
    double residual = input->step->energy_j - in->energy - out->energy;
    double moved = fmax(beside, square(residual) - ticks);
    double part = moved > 0 ? residual * moved / (moved + ticks) : 0;
    double drift = (1 - weight) * in->drift - weight * out->drift;

    double change = fabs(in->power - out->power);
    bool part_inside = (residual < 0) == (in->power > out->power);
    double other = part_inside ? 1 - weight : weight;

    split->energy_j = in->energy + weight * (residual - part) + (part_inside ? part : 0);
    split->variance_j2 = square(1 - weight) * in_own + square(weight) * out_own;
    double doubt = beside + early_of(in, out);

    if (doubt > 0)
        split->variance_j2 += square(other) * doubt * ticks / (doubt + ticks);
    /* A residual that these effects hardly explain widens the interval. */
    double surprise = square(residual) / (ticks + beside);

    if (surprise > 1)
        split->variance_j2 += square(residual) / 4 * fmin((surprise - 1) / 2, 1);
    split->bias_j = RECTIFIED * BLUR_NS * change + (1 - weight) * in->hidden + weight * out->hidden;
    /* Ticks at unknown times have similar errors for many steps. */
    if (!(input->step->flags & WTL_STEP_GRID))
        split->bias_j +=
            0.15 * change * (double)(input->step->begin_sd_ns + input->step->end_sd_ns);
    split->excess_j = residual / 2 + drift;
    split->excess_j2 = (ticks + beside) / 4 + square(1 - weight) * in->drift_variance +
                       square(weight) * out->drift_variance;
    if (input->begins_inside != input->ends_inside) {
        double blend = (1 - weight) * in->power + weight * out->power;

        split->phase_j = (input->ends_inside ? blend : -blend) * (double)input->step->common_sd_ns;
    }
}

/*
 * The power inside and outside is known at one end of the step each, at both, or not at all: the rest of the
 * energy belongs to the middle. If the whole middle is of one kind, it gets that energy; otherwise it may
 * have any part of it, unless its time is so short that it can hardly have any.
 */
static void middle_split(const struct wtl_split_input *input,
                         const struct side *in,
                         const struct side *out,
                         struct wtl_split *split)
{
    double length = (double)(input->step->end_ns - input->step->begin_ns);
    double in_ns = input->inside_ns - in->ns, out_ns = length - input->inside_ns - out->ns;
    if (input->step->flags & WTL_STEP_EARLIER)
        out_ns = WTL_SPLIT_EVER_NS;
    double middle = input->step->energy_j - in->energy - out->energy;
    double sides = in->variance + in->change + out->variance + out->change;
    /* A negative middle: the sides had that much less. */
    double surprise = fmax(square(fmin(middle, 0)) - sides, 0);
    double least_in = in_ns > 0.5 ? in_ns * greatest_of(input) : 0;
    double least_out = out_ns > 0.5 ? out_ns * greatest_of(input) : 0;

    if (least_out <= LITTLE * middle || least_out == 0) {
        double other = (input->step->energy_j - out->energy) / input->inside_ns;

        split->energy_j = input->step->energy_j - out->energy - least_out / 2;
        split->variance_j2 =
            out->variance + out->change + surprise + square(BLUR_NS * (other - out->power));
        split->bias_j =
            2 * RECTIFIED * BLUR_NS * fabs(other - out->power) + out->hidden + least_out / 2;
        split->excess_j = -out->drift;
        split->excess_j2 = out->drift_variance;
    } else if (least_in <= LITTLE * middle || least_in == 0) {
        double other = (input->step->energy_j - in->energy) / (length - input->inside_ns);

        split->energy_j = in->energy + least_in / 2;
        split->variance_j2 =
            in->variance + in->change + surprise + square(BLUR_NS * (other - in->power));
        split->bias_j =
            2 * RECTIFIED * BLUR_NS * fabs(other - in->power) + in->hidden + least_in / 2;
        split->excess_j = in->drift;
        split->excess_j2 = in->drift_variance;
    } else {
        split->energy_j = in->energy;
        split->variance_j2 =
            fmax(in->variance + in->change, out->variance + out->change) + surprise;
        split->bias_j = fmax(in->hidden, out->hidden);
        split->middle_j = middle;
        split->middle_in_ns = in_ns;
        split->middle_out_ns = out_ns;
    }
}

/*
 * Both kinds are known, one at each end: the possible energy of the middle is assigned to the side of the
 * same kind. Returns whether this is acceptable: no other region has borders there, or one of the kinds has
 * almost none of the middle.
 */
static bool two_sided_split(const struct wtl_split_input *input,
                            struct side in,
                            struct side out,
                            struct wtl_split *split)
{
    double length = (double)(input->step->end_ns - input->step->begin_ns);
    double in_ns = input->inside_ns - in.ns, out_ns = length - input->inside_ns - out.ns;
    double in_hidden = hidden_of(in_ns, in.power, greatest_of(input));
    double out_hidden = hidden_of(out_ns, out.power, greatest_of(input));

    in.hidden += in_hidden;
    out.hidden += out_hidden;
    in.energy += in.power * fmax(in_ns, 0);
    out.energy += out.power * fmax(out_ns, 0);
    weighed_split(input, &in, &out, split);
    if (input->first_apart_ns > 0 || input->last_apart_ns > 0)
        return fmin(in_hidden, out_hidden) <= SMALL * input->step->energy_j;
    /* A neighbour too short to be trusted here may be right, and the power may not have changed at the mark. */
    if (in_hidden > 0)
        split->bias_j += fabs(split->energy_j - in.energy);
    if (out_hidden > 0)
        split->bias_j += fabs(input->step->energy_j - split->energy_j - out.energy);
    return true;
}

/* The scatter of the power on one side. Between known ticks it is the lesser of the two: the value after a
 * border already includes the step at the border. */
static double rough_of(const struct wtl_step *near, const struct wtl_step *other)
{
    if (!near)
        return 0;
    return other && near->flags & WTL_STEP_GRID ? fmin(near->rough, other->rough) : near->rough;
}

/*
 * Next to an interval in which other regions have borders, or in such a neighbour, the power is that of all open regions together: its
 * variation from step to step gives the possible error, which is the same each time.
 */
static void doubt_mixed(struct side *side,
                        const struct wtl_step *near,
                        const struct wtl_split_input *input)
{
    if (!side->known || !near)
        return;
    double length = (double)(near->end_ns - near->begin_ns);
    double mixed_p2 = fmax(input->mixed * square(side->power), input->mixed_p2);
    side->hidden = 1.96 * sqrt(mixed_p2 * side->ns * fmax(side->ns, length));
}

/*
 * Variance of a side because a change of power that the step shows may have come without its mark. Ticks at known times show when it
 * came. Else, if such changes happen without marks, the power on this side may have been anything that was seen around.
 */
static double unmarked_of(const struct wtl_split_input *input, const struct side *side)
{
    if (input->step->flags & WTL_STEP_GRID || !side->known)
        return 0;
    double low = power_of(input->step), high = low;
    if (input->before) {
        low = fmin(low, power_of(input->before));
        high = fmax(high, power_of(input->before));
    }
    if (input->after) {
        low = fmin(low, power_of(input->after));
        high = fmax(high, power_of(input->after));
    }
    double range2 = square(high - low);
    if (range2 <= 0)
        return 0;
    double part = fmin((input->unmarked_p2 / range2 + input->unseen) / RARE, 1);
    return part * range2 * square(side->ns) / 3;
}

/* What the inside of a step has beyond the power outside, if only that is known, as far as the time outside can have had it. Of a counter that
 * ticks slowly all of it is open anyway: wtl_split_least_half(). */
static double beyond_of(const struct wtl_split_input *input,
                        const struct side *in,
                        const struct side *out,
                        double inside_j)
{
    double out_ns = (double)(input->step->end_ns - input->step->begin_ns) - input->inside_ns;
    if (in->known || !out->known || input->slow || input->step->flags & WTL_STEP_GRID)
        return 0;
    return fmin(fmax(inside_j - out->power * input->inside_ns, 0), greatest_of(input) * out_ns);
}

/* The part at the begin of the step (or at its end) according to the neighbour there; mixed: even if other
 * regions have borders in it. */
static struct side end_of(const struct wtl_split_input *input, bool last, bool mixed)
{
    const struct wtl_step *step = input->step;
    const struct wtl_step *near = last ? input->after : input->before;
    const struct wtl_step *far = last ? input->after2 : input->before2;
    bool near_mixed = last ? input->after_mixed : input->before_mixed;
    double apart = last ? input->last_apart_ns : input->first_apart_ns;
    double ns = last ? input->last_ns : input->first_ns;
    double own_sd = (double)(last ? step->end_sd_ns : step->begin_sd_ns);
    double far_sd = near ? (double)(last ? near->end_sd_ns : near->begin_sd_ns) : 0;

    if (near_mixed && !mixed)
        near = NULL;
    if (!near_mixed)
        ns -= apart;
    struct side side = side_of(near, far, ns, own_sd, far_sd,
                               rough_of(near, last ? input->before : input->after), input);

    if (near_mixed)
        doubt_mixed(&side, near, input);
    if (side.drift != 0) /* power that was changing may have reached that of the step */
        side.change = square((side.power - power_of(step)) * side.ns) / 3;
    side.change = fmax(side.change, unmarked_of(input, &side));
    return side;
}

/* Half width of one step's part, used to choose. */
static double width_of(const struct wtl_split *split, double power)
{
    double most_in = split->middle_in_ns * power, most_out = split->middle_out_ns * power;
    double middle = fmax(split->middle_j, 0);
    double high = fmin(middle, most_in), low = fmax(middle - most_out, 0);

    return 1.96 * sqrt(split->variance_j2) + split->bias_j + fmax(high - low, 0) / 2;
}

static void split_by(const struct wtl_split_input *input, bool mixed, struct wtl_split *split)
{
    struct side first = end_of(input, false, mixed), last = end_of(input, true, mixed);
    struct side in = {0}, out = {0}, both = sum_of(&first, &last);
    bool two_sided = input->begins_inside != input->ends_inside && first.known && last.known;

    double power = greatest_of(input);

    *split = (struct wtl_split){0};
    if (input->step->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN))
        first.known = last.known = two_sided = false;
    if (first.known)
        *(input->begins_inside ? &in : &out) = first;
    if (last.known)
        *(input->ends_inside ? &in : &out) = last;
    if (first.known && last.known && !two_sided)
        *(input->begins_inside ? &in : &out) = both;
    middle_split(input, &in, &out, split);
    split->beyond_j = beyond_of(input, &in, &out, split->energy_j);
    if (two_sided) {
        struct wtl_split other = {0};
        bool seen = two_sided_split(input, in, out, &other);

        if (seen || width_of(&other, power) < width_of(split, power))
            *split = other;
    }
}

void wtl_split(const struct wtl_split_input *input, struct wtl_split *ret_split)
{
    bool mixed = (input->before && input->before_mixed) || (input->after && input->after_mixed);
    struct wtl_split other;

    split_by(input, false, ret_split);
    if (mixed) {
        split_by(input, true, &other);
        if (width_of(&other, greatest_of(input)) < width_of(ret_split, greatest_of(input)))
            *ret_split = other;
    }
    ret_split->energy_j = fmin(fmax(ret_split->energy_j, 0), input->step->energy_j);
}

/* Half width of the step's own energy if its ends are not ticks: it may show none at all. */
static double edges_of(const struct wtl_split_input *input)
{
    const struct wtl_step *step = input->step;
    double power = power_of(step);

    if (step->flags & WTL_STEP_GRID)
        return 0;
    if (input->before)
        power = fmax(power, power_of(input->before));
    if (input->after)
        power = fmax(power, power_of(input->after));
    return 1.96 * power * sqrt(square(step->begin_sd_ns) + square(step->end_sd_ns));
}

/* The minimum half width of a step's part on a counter that ticks slowly: whatever the power does, the
 * part has between all and none of the energy counted between the ticks around each border. */
static double least_of(const struct wtl_split_input *input, const struct wtl_split *split)
{
    double below = input->unit_j, above = input->unit_j;

    *(input->begins_inside ? &below : &above) += input->before_j;
    *(input->ends_inside ? &below : &above) += input->after_j;
    return wtl_least_half(split->energy_j + split->middle_j / 2, -below,
                          input->step->energy_j + above);
}

/* Of visits that have little of it, a burst outside is in another step: they do not show how near to the inside one can be. */
static void add_beyond(struct wtl_split_sum *sum,
                       const struct wtl_split_input *input,
                       double beyond_j)
{
    if (beyond_j <= 0)
        return;
    if (sum->beyond++ == 0)
        sum->before_ns = sum->after_ns = INFINITY;
    sum->beyond_j += beyond_j;
    if (beyond_j * sum->beyond <= USUAL * sum->beyond_j)
        return;
    if (!input->begins_inside)
        sum->before_ns = fmin(sum->before_ns, input->first_ns);
    if (!input->ends_inside)
        sum->after_ns = fmin(sum->after_ns, input->last_ns);
}

void wtl_split_add(struct wtl_split_sum *sum, const struct wtl_split_input *input)
{
    struct wtl_split split;
    double edges = edges_of(input);

    wtl_split(input, &split);
    sum->energy_j += split.energy_j;
    sum->variance_j2 += split.variance_j2;
    sum->middle_j += split.middle_j;
    sum->middle_in_ns += split.middle_in_ns;
    sum->middle_out_ns += split.middle_out_ns;
    /* At each end of the step the value is truncated to a unit. */
    sum->variance_j2 += square(input->unit_j) / 6;
    sum->most_j +=
        fmax(split.energy_j, input->step->energy_j - split.energy_j) + edges + input->unit_j;
    sum->bias_j += split.bias_j;
    if (input->slow)
        sum->least_j2 += square(least_of(input, &split));
    add_beyond(sum, input, split.beyond_j);
    sum->phase_j += split.phase_j;
    sum->excess_j[input->ends_inside] += split.excess_j;
    sum->excess_j2[input->ends_inside] += split.excess_j2;
    if (split.excess_j2 > 0) {
        sum->test += square(split.excess_j) / split.excess_j2;
        sum->tests++;
    }
}

/* Half width, 95 %, of the known part of the sum. */
static double known_half(const struct wtl_split_sum *sum)
{
    double signs = 0;
    double wider = 1;

    /* Over many borders the residuals show by which factor the variances are too small ... */
    if (sum->tests >= 8)
        wider = fmax(sum->test / sum->tests / 1.5, 1);
    /* ... and whether they have a sign, which repetitions do not average out. */
    for (int way = 0; way < 2; way++)
        signs += fmax(fabs(sum->excess_j[way]) - 2 * sqrt(sum->excess_j2[way]), 0);
    double half = sqrt(square(1.96) * (wider * sum->variance_j2 + square(sum->phase_j)) +
                       square(sum->bias_j) + square(signs));
    /* Each step's part is between nothing and all: a late sample must not claim more. */
    return fmin(half, sum->most_j);
}

/*
 * How much of what was found beyond the power outside a burst there may have had. One that always has the same distance from the inside is
 * in no step without a mark if it is nearer than the ends of the steps ever were: many visits leave little time for it.
 */
static double beyond_in_sum(const struct wtl_split_sum *sum, double power)
{
    if (sum->beyond < VISITS || !isfinite(power))
        return sum->beyond_j;
    return fmin(sum->beyond_j, power * (sum->before_ns + sum->after_ns) * sum->beyond);
}

void wtl_split_energy(const struct wtl_split_sum *sum,
                      double power,
                      double *ret_energy_j,
                      double *ret_half_j)
{
    double middle = fmax(sum->middle_j, 0), low = 0, high = middle;

    if (isfinite(power)) {
        low = fmax(middle - power * sum->middle_out_ns, 0);
        high = fmin(middle, power * sum->middle_in_ns);
    }
    if (low > high) { /* more than the whole middle can draw: these bounds are not valid */
        low = 0;
        high = middle;
    }
    double beyond_j = beyond_in_sum(sum, power);
    *ret_energy_j = sum->energy_j + (low + high - beyond_j) / 2;
    *ret_half_j = known_half(sum) + (high - low + beyond_j) / 2;
}

double wtl_split_least_half(const struct wtl_split_sum *sum)
{
    /* With two borders, both may be wrong in the same way; with many, not all. */
    return sqrt(2 * sum->least_j2);
}
