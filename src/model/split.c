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

#define BLUR_NS 20e3 /* between a border and the change of power that it stands for */
/* Mean of the positive part of a normal variable: the border's neighbourhood only ever adds to one
 * side, which repeats do not average away. */
#define RECTIFIED 0.4

/* What one end of the step predicts for the stretch that touches it. */
struct side {
    bool known;
    double ns;     /* of the stretch that touches it */
    double power;  /* J per ns */
    double energy; /* of the stretch */
    double variance;
    double drift; /* signed shift of `energy` if the trend went on */
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
    struct side side = {.known = near != NULL, .ns = x};

    if (!near || near->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN))
        return (struct side){0};
    double l = (double)(near->end_ns - near->begin_ns);
    double p = power_of(near);

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

/* Neither side is known: the energy inside is between nothing and all, near its share of the time. */
static void unknown_split(const struct wtl_step *step, double share, struct wtl_split *split)
{
    split->energy_j = step->energy_j * share;
    split->swing_j = step->energy_j * (share > 0.5 ? share : 1 - share);
}

/* The part of the step in the middle, away from both ends, is as the side of the same kind. */
static void add_middle(struct side *side, double ns)
{
    side->energy += side->power * ns;
    side->variance += square(0.1 * side->power * ns);
}

static struct side sum_of(const struct side *a, const struct side *b)
{
    struct side sum = {.known = true};

    sum.power = (a->power + b->power) / 2;
    sum.energy = a->energy + b->energy;
    sum.variance = a->variance + b->variance;
    sum.drift = a->drift + b->drift;
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
    double ticks = in->variance + out->variance;
    double beside = square(BLUR_NS * (in->power - out->power));
    double weight = ticks > 0 ? in->variance / ticks : 0.5;
    double residual = input->step->energy_j - in->energy - out->energy;
    double moved = fmax(beside, square(residual) - ticks);
    double part = moved > 0 ? residual * moved / (moved + ticks) : 0;
    double drift = (1 - weight) * in->drift - weight * out->drift;

    double change = fabs(in->power - out->power);
    bool part_inside = (residual < 0) == (in->power > out->power);
    double other = part_inside ? 1 - weight : weight;

    split->energy_j = in->energy + weight * (residual - part) + (part_inside ? part : 0);
    split->variance_j2 = in->variance * (1 - weight);
    double doubt = beside + early_of(in, out);

    if (doubt > 0)
        split->variance_j2 += square(other) * doubt * ticks / (doubt + ticks);
    /* A residual that all this hardly explains widens the interval by itself. */
    double surprise = square(residual) / (ticks + beside);

    if (surprise > 1)
        split->variance_j2 += square(residual) / 4 * fmin((surprise - 1) / 2, 1);
    split->bias_j = RECTIFIED * BLUR_NS * change;
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

/* One kind of power is known, at one end of the step or at both: the other is what it leaves. */
static void remaining_split(const struct wtl_split_input *input,
                            const struct side *first,
                            const struct side *last,
                            struct wtl_split *split)
{
    bool inside = first->known ? input->begins_inside : input->ends_inside;
    struct side kind = first->known && last->known ? sum_of(first, last)
                       : first->known              ? *first
                                                   : *last;
    double length = (double)(input->step->end_ns - input->step->begin_ns);
    double kind_ns = inside ? input->inside_ns : length - input->inside_ns;
    double other_ns = length - kind_ns;

    add_middle(&kind,
               kind_ns - (first->known ? input->first_ns : 0) - (last->known ? input->last_ns : 0));
    double other_j = input->step->energy_j - kind.energy;
    double other = other_ns > 0 ? other_j / other_ns : kind.power;

    split->energy_j = inside ? kind.energy : other_j;
    split->variance_j2 = kind.variance + square(BLUR_NS * (other - kind.power));
    split->bias_j = 2 * RECTIFIED * BLUR_NS * fabs(other - kind.power);
    split->excess_j = inside ? kind.drift : -kind.drift;
    split->excess_j2 = kind.drift_variance;
}

/* Both kinds are known, one at each end. */
static void two_sided_split(const struct wtl_split_input *input,
                            struct side *first,
                            struct side *last,
                            struct wtl_split *split)
{
    struct side *in = input->begins_inside ? first : last;
    struct side *out = input->begins_inside ? last : first;
    double length = (double)(input->step->end_ns - input->step->begin_ns);
    double in_ns = input->begins_inside ? input->first_ns : input->last_ns;
    double out_ns = input->begins_inside ? input->last_ns : input->first_ns;

    add_middle(in, input->inside_ns - in_ns);
    add_middle(out, length - input->inside_ns - out_ns);
    weighed_split(input, in, out, split);
}

/* The scatter of the power on one side. Between ticks that are known it is the lesser of both: what
 * comes behind a border has learned the border's own step as well. */
static double rough_of(const struct wtl_step *near, const struct wtl_step *other)
{
    if (!near)
        return 0;
    return other && near->flags & WTL_STEP_GRID ? fmin(near->rough, other->rough) : near->rough;
}

void wtl_split(const struct wtl_split_input *input, struct wtl_split *ret_split)
{
    const struct wtl_step *step = input->step;
    struct side first =
        side_of(input->before, input->before2, input->first_ns, (double)step->begin_sd_ns,
                input->before ? (double)input->before->begin_sd_ns : 0,
                rough_of(input->before, input->after), input->restless);
    struct side last = side_of(input->after, input->after2, input->last_ns, (double)step->end_sd_ns,
                               input->after ? (double)input->after->end_sd_ns : 0,
                               rough_of(input->after, input->before), input->restless);

    *ret_split = (struct wtl_split){0};
    if (step->flags & (WTL_STEP_GAP | WTL_STEP_UNKNOWN) || (!first.known && !last.known))
        unknown_split(step, input->inside_ns / (double)(step->end_ns - step->begin_ns), ret_split);
    else if (input->begins_inside != input->ends_inside && first.known && last.known)
        two_sided_split(input, &first, &last, ret_split);
    else
        remaining_split(input, &first, &last, ret_split);
    ret_split->energy_j = fmin(fmax(ret_split->energy_j, 0), step->energy_j);
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

void wtl_split_add(struct wtl_split_sum *sum, const struct wtl_split_input *input)
{
    struct wtl_split split;

    wtl_split(input, &split);
    sum->energy_j += split.energy_j;
    sum->variance_j2 += split.variance_j2;
    sum->swing_j += split.swing_j;
    if (split.swing_j == 0)
        sum->most_j +=
            fmax(split.energy_j, input->step->energy_j - split.energy_j) + edges_of(input);
    sum->bias_j += split.bias_j;
    sum->phase_j += split.phase_j;
    sum->excess_j[input->ends_inside] += split.excess_j;
    sum->excess_j2[input->ends_inside] += split.excess_j2;
    if (split.excess_j2 > 0) {
        sum->test += square(split.excess_j) / split.excess_j2;
        sum->tests++;
    }
}

double wtl_split_half_width(const struct wtl_split_sum *sum)
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
    return fmin(half, sum->most_j) + sum->swing_j;
}
