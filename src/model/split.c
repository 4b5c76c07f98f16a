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

#define BLUR_NS 20e3 /* between a border and the change of power that it stands for */
/* Mean of the positive part of a normal variable: the border's neighbourhood only ever adds to one
 * side, which repeats do not average away. */
#define RECTIFIED 0.4

#define LITTLE 0.02 /* of the energy of the middle: not worth to be left open */
#define SMALL  0.05 /* of the energy of the step, likewise, where it goes with a side */
#define REACH  2    /* lengths of itself for which a step speaks */
#define TICKS  32   /* the same where its ends are ticks */

/* What one end of the step predicts for the stretch that touches it. */
struct side {
    bool known;
    double ns;     /* of the stretch that it speaks for */
    double power;  /* J per ns */
    double energy; /* of the stretch */
    double variance;
    double hidden; /* half width of what nobody saw: the same in each repeat */
    double drift;  /* signed shift of `energy` if the trend went on */
    double change; /* variance if the power, on its way, may have become that of the step */
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

/* near_sd is the tick that touches the step, far_sd the one at the neighbour's other end. */
static struct side side_of(const struct wtl_step *near,
                           const struct wtl_step *far,
                           double x,
                           double near_sd,
                           double far_sd,
                           double rough,
                           double restless)
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

        if (square(trend) < 4 * scatter) { /* both are the same: their mean is better known */
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
    /* Between ticks that are known the scatter is mostly a slow one. */
    double span = near->flags & WTL_STEP_GRID ? (double)(near->end_ns - near->begin_ns) : 2 * l;

    side.variance += square(p) * (square((1 + x / l) * near_sd) + square(x / l * far_sd) +
                                  square(rough) * x * (x + span));
    /* Power that moves between samples that are far apart did so anywhere between them. */
    double reach = near->flags & WTL_STEP_GRID ? x : fmax(x, span / 2);

    side.variance += restless * square(power_of(near)) * x * reach;
    return side;
}

/* The greatest power that is allowed for, as far as it matters here, J per ns. */
static double greatest_of(const struct wtl_split_input *input)
{
    return input->power > 0 ? input->power : 10 * power_of(input->step);
}

/* What a stretch that nobody saw may have, around the power of a side; its half width. */
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

/* Variance of the energy beside a mark that the power's own way there makes doubtful: where the power
 * of a side moves towards that of the other before the border is reached, it may be there already. */
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
 * Both kinds of power are known. What the step has more or less than they predict is due to the ticks
 * (dealt out by the variances) or to power that changed beside the border: then less means that the
 * higher power came late or left early, more that it was already or still there.
 */
static void weighed_split(const struct wtl_split_input *input,
                          const struct side *in,
                          const struct side *out,
                          struct wtl_split *split)
{
    double in_variance = in->variance + square(in->hidden / 1.96);
    double out_variance = out->variance + square(out->hidden / 1.96);
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
    split->variance_j2 = square(1 - weight) * in->variance + square(weight) * out->variance;
    double doubt = beside + early_of(in, out);

    if (doubt > 0)
        split->variance_j2 += square(other) * doubt * ticks / (doubt + ticks);
    /* A residual that all this hardly explains widens the interval by itself. */
    double surprise = square(residual) / (ticks + beside);

    if (surprise > 1)
        split->variance_j2 += square(residual) / 4 * fmin((surprise - 1) / 2, 1);
    split->bias_j = RECTIFIED * BLUR_NS * change + (1 - weight) * in->hidden + weight * out->hidden;
    /* Ticks whose times are not known err alike for many steps. */
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
 * What is known of the time inside and of that outside, each at one end of the step, at both, or not at all: the rest of
 * the energy is the middle's. Where all the middle is of one kind it has that energy; else any part of it, but for a time
 * so short that it hardly has any.
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
    /* Less than nothing in the middle: by so much the sides had less. */
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

/* Both kinds are known, one at each end: what the middle may have goes with the side of its kind. Returns whether that
 * is good: nobody else has borders there, or one of the kinds hardly has any of the middle. */
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
    /* A neighbour that is too short to be trusted here may be right, and the power not have changed at the mark. */
    if (in_hidden > 0)
        split->bias_j += fabs(split->energy_j - in.energy);
    if (out_hidden > 0)
        split->bias_j += fabs(input->step->energy_j - split->energy_j - out.energy);
    return true;
}

/* The scatter of the power on one side. Between ticks that are known it is the lesser of both: what
 * comes behind a border has learned the border's own step as well. */
static double rough_of(const struct wtl_step *near, const struct wtl_step *other)
{
    if (!near)
        return 0;
    return other && near->flags & WTL_STEP_GRID ? fmin(near->rough, other->rough) : near->rough;
}

/* What speaks against a side: power that was on its way and may have become that of the step. And beside a stretch where
 * others have borders, or in such a neighbour, it is the power of what was open in all: how much that moves from step to
 * step says how far it may be off, in the same way each time. mixed: of such a neighbour, else 0. */
static void doubt_side(struct side *side,
                       const struct wtl_step *step,
                       const struct wtl_step *near,
                       double mixed)
{
    if (side->drift != 0)
        side->change = square((side->power - power_of(step)) * side->ns) / 3;
    if (side->known && mixed > 0) {
        double length = (double)(near->end_ns - near->begin_ns);

        side->hidden = 1.96 * side->power * sqrt(mixed * side->ns * fmax(side->ns, length));
    }
}

/* The stretch at the begin of the step (or at its end) by the neighbour there; mixed: even where others have borders. */
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
    struct side side =
        side_of(near, far, ns, own_sd, far_sd, rough_of(near, last ? input->before : input->after),
                input->restless);

    doubt_side(&side, step, near, near_mixed ? input->mixed : 0);
    return side;
}

/* Half width of one step's part, to choose by. */
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

/* Half width of the step's own energy where its ends are not ticks: it may show none at all. */
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

/* The least half width of a step's part on a counter that ticks slowly: whatever the power does, that has what was counted between the
 * ticks around each border, or nothing of it. */
static double least_of(const struct wtl_split_input *input, const struct wtl_split *split)
{
    double below = input->unit_j, above = input->unit_j;

    *(input->begins_inside ? &below : &above) += input->before_j;
    *(input->ends_inside ? &below : &above) += input->after_j;
    return wtl_least_half(split->energy_j + split->middle_j / 2, -below,
                          input->step->energy_j + above);
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
    /* Of each end of the step the value is cut to a unit. */
    sum->variance_j2 += square(input->unit_j) / 6;
    sum->most_j +=
        fmax(split.energy_j, input->step->energy_j - split.energy_j) + edges + input->unit_j;
    sum->bias_j += split.bias_j;
    if (input->slow)
        sum->least_j2 += square(least_of(input, &split));
    sum->phase_j += split.phase_j;
    sum->excess_j[input->ends_inside] += split.excess_j;
    sum->excess_j2[input->ends_inside] += split.excess_j2;
    if (split.excess_j2 > 0) {
        sum->test += square(split.excess_j) / split.excess_j2;
        sum->tests++;
    }
}

/* Half width, 95 %, of what is known of the sum. */
static double known_half(const struct wtl_split_sum *sum)
{
    double signs = 0;
    double wider = 1;

    /* Over many borders the residuals show by how much the variances are too small ... */
    if (sum->tests >= 8)
        wider = fmax(sum->test / sum->tests / 1.5, 1);
    /* ... and whether they have a sign, which repeats do not average away. */
    for (int way = 0; way < 2; way++)
        signs += fmax(fabs(sum->excess_j[way]) - 2 * sqrt(sum->excess_j2[way]), 0);
    double half = sqrt(square(1.96) * (wider * sum->variance_j2 + square(sum->phase_j)) +
                       square(sum->bias_j) + square(signs));
    /* Each step has its part between nothing and all: a late sample must not claim more. */
    return fmin(half, sum->most_j);
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
    if (low > high) { /* more than all of the middle can draw: these bounds do not hold */
        low = 0;
        high = middle;
    }
    *ret_energy_j = sum->energy_j + (low + high) / 2;
    *ret_half_j = known_half(sum) + (high - low) / 2;
}

double wtl_split_least_half(const struct wtl_split_sum *sum)
{
    /* Of two borders both may be wrong in the same way; of many, not all. */
    return sqrt(2 * sum->least_j2);
}
