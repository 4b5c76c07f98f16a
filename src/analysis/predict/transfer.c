/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From one platform to another: see transfer.h. First the kernels and the beginning are laid on the reference, in a few
 * turns: each shows better by which factor each counter differs, so the next turn lays better. Then the pieces become
 * pairs for platform.h.
 */
#include "analysis/predict/transfer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/counter_rows.h"
#include "analysis/phases/dna.h"
#include "analysis/predict/platform.h"
#include "base/fail.h"
#include "base/text/figures.h"

/* Rates below this share of the platform's largest are the same: counters that count nothing have no logarithm. */
static const double rate_floor = 1e-3;
/* Letters this far apart, as the root mean square of logarithms, have nothing in common: much at first, while the factors of the
 * counters are a guess. */
static const double unlike_at[] = {2, 1.2, 0.8, 0.5, 0.5};
enum { TURNS = sizeof unlike_at / sizeof *unlike_at };
/* A beginning farther from the reference than this is another program, or its letters are wrong. */
static const double fits_up_to = 0.45;
static const double pace_weight = 0.1, duration_weight = 0.1;
/* Estimates by letters and by one ratio for all that differ by more than this factor: one of them is wrong, nobody knows which. */
static const double differ_most = 3;

struct work {
    const struct wtl_transfer_question *q;
    size_t known, letters;      /* the larger number of the two platforms: side of `unlike` */
    double *reference, *target; /* logarithms of rates, [letters * columns] */
    double *unlike, *pace;
    double offset[WTL_ROW_COLUMNS], weight_s; /* sums while a turn is made */
    double next[WTL_ROW_COLUMNS];
    double absent_here[WTL_ROW_COLUMNS],
        absent_there[WTL_ROW_COLUMNS]; /* logarithms of as good as no events */
    double *centre;                    /* of the reference, with a row for the unknown: NaN */
    struct wtl_platform_pair *pairs;   /* [letters] of the reference */
    struct wtl_match_place *places;    /* [nodes] of the beginning in the reference */
    double cost_s, length_s;           /* of the beginning */
    double all_cost_s, all_length_s;   /* with the kernels */
};

/* Letters that are not in the alphabet are one more, of unknown counters: its ratio is that of all. */
static size_t letter_of(const struct work *w, const struct wtl_base *reference)
{
    size_t known = w->q->reference_letters.count;
    return reference->letter < known ? reference->letter : known;
}

/* ---- letters ---- */

static void take_logarithms(const struct wtl_transfer_letters *of,
                            size_t columns,
                            double *x,
                            double *absent)
{
    for (size_t c = 0; c < columns; c++) {
        double most = 0;
        for (size_t i = 0; i < of->count; i++) {
            double rate = of->centre[i * columns + c];
            most = isfinite(rate) ? fmax(most, rate) : most;
        }
        absent[c] = log(3 * rate_floor * most);
        for (size_t i = 0; i < of->count; i++) {
            double rate = of->centre[i * columns + c];
            x[i * columns + c] =
                most > 0 && isfinite(rate) ? log(fmax(rate, 0) + rate_floor * most) : NAN;
        }
    }
}

/* The difference of two letters: what all counters share is their speed, what is left is their kind. */
static double unlike_of(const struct work *w, size_t target, size_t reference, double at)
{
    double n = 0, sum = 0, squares = 0;
    for (size_t c = 0; c < w->q->columns; c++) {
        double here = w->target[target * w->q->columns + c];
        double there = w->reference[reference * w->q->columns + c];
        double d = here - there - w->offset[c];
        /* What counts nothing on either side has no speed. */
        if (!isfinite(d) || (here < w->absent_here[c] && there < w->absent_there[c]))
            continue;
        n++;
        sum += d;
        squares += d * d;
    }
    if (n == 0)
        return 1;
    double mean = sum / n, kind = sqrt(fmax(squares / n - mean * mean, 0));
    return fmin((kind + pace_weight * fabs(mean)) / at, 1);
}

static void compare_letters(struct work *w, double at)
{
    for (size_t a = 0; a < w->q->target_letters.count; a++) {
        for (size_t b = 0; b < w->q->reference_letters.count; b++)
            w->unlike[a * w->letters + b] = unlike_of(w, a, b, at);
    }
}

/* Mean logarithms of the counters over the first seconds of a run, each letter as often as it runs. */
static void mean_of(const struct work *w,
                    const struct wtl_match_run *run,
                    const double *x,
                    size_t letters,
                    double part,
                    double mean[WTL_ROW_COLUMNS + 1])
{
    size_t columns = w->q->columns;
    for (size_t i = 0; i < run->node_count; i++) {
        double left_s = part * wtl_dna_seconds(&run->nodes[i]);
        for (size_t k = 0; k < run->nodes[i].count && left_s > 0; k++) {
            const struct wtl_base *base = &run->nodes[i].list[k];
            double seconds = fmin(base->duration_s, left_s);
            left_s -= base->duration_s;
            if (base->letter >= letters)
                continue;
            for (size_t c = 0; c < columns; c++) {
                double value = x[base->letter * columns + c];
                mean[c] += isfinite(value) ? seconds * value : 0;
            }
            mean[WTL_ROW_COLUMNS] += seconds;
        }
    }
}

/* Where to begin: with the kernels if part is 0, else as if the beginning were this part of the reference. */
static bool first_offset(struct work *w, double part)
{
    const struct wtl_transfer_question *q = w->q;
    double here[WTL_ROW_COLUMNS + 1] = {0}, there[WTL_ROW_COLUMNS + 1] = {0};
    for (size_t i = 0; part == 0 && i < q->kernel_count; i++) {
        mean_of(w, q->kernels[i].target, w->target, q->target_letters.count, 1, here);
        mean_of(w, q->kernels[i].reference, w->reference, q->reference_letters.count, 1, there);
    }
    if (part > 0 && q->target) {
        mean_of(w, q->target, w->target, q->target_letters.count, 1, here);
        mean_of(w, q->reference, w->reference, q->reference_letters.count, part, there);
    }
    double here_s = here[WTL_ROW_COLUMNS], there_s = there[WTL_ROW_COLUMNS];
    for (size_t c = 0; c < q->columns && here_s > 0 && there_s > 0; c++)
        w->offset[c] = here[c] / here_s - there[c] / there_s;
    return here_s > 0 && there_s > 0;
}

/* ---- pieces ---- */

static void learn_offset(struct work *w, size_t target, size_t reference, double seconds)
{
    size_t columns = w->q->columns;
    if (target >= w->q->target_letters.count || reference >= w->q->reference_letters.count)
        return;
    seconds *= 1 - w->unlike[target * w->letters + reference];
    for (size_t c = 0; c < columns; c++) {
        double d = w->target[target * columns + c] - w->reference[reference * columns + c];
        w->next[c] += seconds * (isfinite(d) ? d : w->offset[c]);
    }
    w->weight_s += seconds;
}

/* Pairs of the letters up to `ends`: what goes on in the last one is not known of the reference. */
static void learn_pairs(struct work *w,
                        const struct wtl_dna *target,
                        const struct wtl_dna *reference,
                        const struct wtl_match_piece *pieces,
                        size_t count,
                        size_t ends)
{
    for (size_t i = 0; i < count;) {
        size_t to = pieces[i].to;
        const struct wtl_base *there = &reference->list[to];
        struct wtl_platform_pair pair = {.letter = letter_of(w, there)};
        for (; i < count && pieces[i].to == to; i++) {
            const struct wtl_base *here = &target->list[pieces[i].from];
            learn_offset(w, here->letter, there->letter, pieces[i].seconds);
            pair.target_s += pieces[i].seconds;
            pair.target_j +=
                here->known_s > 0 ? here->energy_j / here->known_s * pieces[i].seconds : NAN;
        }
        if (to >= ends || !(there->known_s > 0) || !isfinite(pair.target_j))
            continue;
        struct wtl_platform_pair *sum = &w->pairs[letter_of(w, there)];
        sum->target_s += pair.target_s;
        sum->target_j += pair.target_j;
        sum->reference_s += there->duration_s;
        sum->reference_j += there->energy_j / there->known_s * there->duration_s;
    }
}

/* whole: a kernel; else the beginning. A kernel that does not fit, as one of another size, shows no ratios. */
static int lay(struct work *w,
               const struct wtl_match_run *target,
               const struct wtl_match_run *reference,
               bool whole,
               bool *ret_fits)
{
    struct wtl_match_options options = wtl_match_options_default();
    options.unlike = w->unlike;
    options.letters = w->letters;
    options.pace = w->pace;
    options.duration_weight = duration_weight;
    for (size_t i = 0; i < target->node_count; i++) {
        struct wtl_match_piece *pieces = NULL;
        struct wtl_match_place place = {0};
        size_t count = 0;
        int rc = wtl_match_pieces(&options, &target->nodes[i], &reference->nodes[i], whole, &pieces,
                                  &count, &place);
        if (rc == -ENODATA && whole)
            continue;
        if (rc < 0)
            return rc;
        bool fits = !whole || place.cost_s <= fits_up_to * place.length_s;
        size_t ends = !fits ? 0 : whole ? reference->nodes[i].count : place.base;
        learn_pairs(w, &target->nodes[i], &reference->nodes[i], pieces, count, ends);
        *ret_fits = *ret_fits || fits;
        free(pieces);
        w->all_cost_s += place.cost_s;
        w->all_length_s += place.length_s;
        if (!whole) {
            w->places[i] = place;
            w->cost_s += place.cost_s;
            w->length_s += place.length_s;
        }
    }
    return 0;
}

static bool usable(const struct wtl_transfer_kernel *kernel)
{
    return kernel->reference->node_count == kernel->target->node_count;
}

static int turn(struct work *w, struct wtl_transfer *t, double at)
{
    const struct wtl_transfer_question *q = w->q;
    int rc = 0;
    compare_letters(w, at);
    memset(w->pairs, 0, w->letters * sizeof *w->pairs);
    memset(w->next, 0, sizeof w->next);
    w->weight_s = w->cost_s = w->length_s = w->all_cost_s = w->all_length_s = 0;
    t->kernels = 0;
    for (size_t i = 0; i < w->letters; i++)
        w->pairs[i].letter = i;
    for (size_t i = 0; rc == 0 && i < q->kernel_count; i++) {
        bool fits = false;
        if (!usable(&q->kernels[i]))
            continue;
        rc = lay(w, q->kernels[i].target, q->kernels[i].reference, true, &fits);
        t->kernels += fits;
    }
    if (rc == 0 && q->target)
        rc = lay(w, q->target, q->reference, false, &(bool){false});
    for (size_t c = 0; w->weight_s > 0 && c < q->columns; c++)
        w->offset[c] = w->next[c] / w->weight_s;
    return rc;
}

/* ---- what follows ---- */

/* Without one complete letter on both sides: the beginning as a whole, as in the paper. */
static void pair_of_beginning(struct work *w)
{
    const struct wtl_transfer_question *q = w->q;
    for (size_t i = 0; q->target && i < q->target->node_count; i++) {
        const struct wtl_base *there = &q->reference->nodes[i].list[w->places[i].base];
        double known_s, into_s = w->places[i].into_s;
        double joules = wtl_dna_joules(&q->target->nodes[i], &known_s);
        if (!(there->known_s > 0) || !(known_s > 0))
            continue;
        struct wtl_platform_pair *pair = &w->pairs[letter_of(w, there)];
        pair->target_s += wtl_dna_seconds(&q->target->nodes[i]);
        pair->target_j += joules / known_s * wtl_dna_seconds(&q->target->nodes[i]);
        pair->reference_s += into_s;
        pair->reference_j += there->energy_j / there->known_s * into_s;
    }
}

static int learn_ratios(struct work *w,
                        struct wtl_platform_model **ret_model,
                        struct wattle_error *err)
{
    const struct wtl_transfer_question *q = w->q;
    bool some = false;
    for (size_t i = 0; i < w->letters; i++)
        some = some || (w->pairs[i].reference_j > 0 && w->pairs[i].target_j > 0);
    if (!some)
        pair_of_beginning(w);
    return wtl_platform_learn(w->centre, q->reference_letters.count + 1, q->columns, w->pairs,
                              w->letters, ret_model, err);
}

/* As the pairs are; the others like all of them together. */
static void guess_paces(struct work *w)
{
    double here_s = 0, there_s = 0;
    for (size_t i = 0; i < w->letters; i++) {
        here_s += w->pairs[i].target_s;
        there_s += w->pairs[i].reference_s;
    }
    for (size_t i = 0; i < w->letters; i++) {
        const struct wtl_platform_pair *p = &w->pairs[i];
        bool is = p->reference_s > 0 && p->target_s > 0;
        w->pace[i] = is                          ? p->target_s / p->reference_s
                     : here_s > 0 && there_s > 0 ? here_s / there_s
                                                 : 1;
    }
}

static void set_paces(struct work *w, const struct wtl_platform_model *model)
{
    for (size_t i = 0; i <= w->q->reference_letters.count; i++) {
        struct wtl_platform_ratio ratio = {0};
        if (wtl_platform_ratio(model, i, &ratio) == 0)
            w->pace[i] = exp(ratio.log_time);
    }
}

/* What is left of the reference, by letter, on one node. */
static void rest_of(const struct work *w, size_t node, double *seconds, double *joules)
{
    const struct wtl_dna *dna = &w->q->reference->nodes[node];
    for (size_t k = 0; k < dna->count; k++) {
        const struct wtl_base *base = &dna->list[k];
        double left_s = base->duration_s;
        if (w->q->target && k <= w->places[node].base)
            left_s = k < w->places[node].base ? 0 : fmax(left_s - w->places[node].into_s, 0);
        seconds[letter_of(w, base)] += left_s;
        joules[letter_of(w, base)] +=
            base->known_s > 0 ? base->energy_j / base->known_s * left_s : 0;
    }
}

static void add_done(const struct work *w, size_t node, struct wtl_transfer *t)
{
    const struct wtl_dna *there = &w->q->reference->nodes[node];
    double known_s, all_s = wtl_dna_seconds(there), done_s = 0;
    for (size_t k = 0; k < there->count; k++) {
        const struct wtl_base *base = &there->list[k];
        double watts = base->known_s > 0 ? base->energy_j / base->known_s : 0;
        double part_s = !w->q->target || k > w->places[node].base ? 0
                        : k < w->places[node].base                ? base->duration_s
                                                                  : w->places[node].into_s;
        t->reference_j += watts * base->duration_s;
        t->reference_done_j += watts * part_s;
        done_s += part_s;
    }
    t->reference_s = fmax(t->reference_s, all_s);
    t->reference_done_s = fmax(t->reference_done_s, done_s);
    if (!w->q->target)
        return;
    const struct wtl_dna *here = &w->q->target->nodes[node];
    double joules = wtl_dna_joules(here, &known_s), here_s = wtl_dna_seconds(here);
    t->done_j += known_s > 0 ? joules / known_s * here_s : NAN;
    t->done_s = fmax(t->done_s, here_s);
}

static void count_letters(const struct work *w, const double *seconds, struct wtl_transfer *t)
{
    for (size_t i = 0; i < w->letters; i++) {
        t->letters += seconds[i] > 0;
        t->letters_seen += seconds[i] > 0 && w->pairs[i].target_s > 0;
    }
}

static void take_time_ratio(const struct work *w, struct wtl_transfer *t)
{
    double here_s = 0, there_s = 0;
    for (size_t i = 0; i < w->letters; i++) {
        here_s += w->pairs[i].target_s;
        there_s += w->pairs[i].reference_s;
    }
    t->time_ratio_j = there_s > 0 ? t->reference_j * here_s / there_s : NAN;
}

static int add_up(const struct work *w,
                  const struct wtl_platform_model *model,
                  struct wtl_transfer *t)
{
    size_t nodes = w->q->reference->node_count;
    double *all = calloc(3 * w->letters, sizeof *all);
    double *joules = all ? all + w->letters : NULL, *own = all ? all + 2 * w->letters : NULL;
    struct wtl_platform_sum sum = {0};
    int rc = all ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < nodes; i++) {
        memset(all, 0, w->letters * sizeof *all);
        add_done(w, i, t);
        rest_of(w, i, all, joules);
        for (size_t k = 0; k < w->letters; k++)
            own[k] += all[k];
        rc = wtl_platform_sum(model, all, joules, &sum);
        if (rc == 0 && sum.time_s >= t->time_s) { /* the node that takes longest */
            t->time_s = sum.time_s;
            t->time_low_s = sum.time_low_s;
            t->time_high_s = sum.time_high_s;
        }
    }
    if (rc == 0) {
        count_letters(w, own, t);
        t->energy_j = t->done_j + sum.energy_j; /* joules[] adds up over the nodes */
        t->energy_low_j = t->done_j + sum.energy_low_j;
        t->energy_high_j = t->done_j + sum.energy_high_j;
        t->time_s += t->done_s;
        t->time_low_s += t->done_s;
        t->time_high_s += t->done_s;
    }
    free(all);
    return rc;
}

/* One ratio for everything, as in the paper: not exact, but never far off. */
static int check_one_ratio(const struct work *w,
                           const struct wtl_transfer *t,
                           struct wattle_error *err)
{
    double here_s = t->done_s, there_s = t->reference_done_s, here_j = t->done_j,
           there_j = t->reference_done_j;
    for (size_t i = 0; !w->q->target && i < w->letters; i++) {
        here_s += w->pairs[i].target_s;
        there_s += w->pairs[i].reference_s;
        here_j += w->pairs[i].target_j;
        there_j += w->pairs[i].reference_j;
    }
    if (!(here_s > 0) || !(there_s > 0) || !(here_j > 0) || !(there_j > 0))
        return 0;
    double energy_j = t->reference_j * here_j / there_j, time_s = t->reference_s * here_s / there_s;
    double off = fmax(fabs(log(t->energy_j / energy_j)), fabs(log(t->time_s / time_s)));
    if (off <= log(differ_most))
        return 0;
    return wtl_fail(err, -ERANGE,
                    "by letters it would take %s J in %s s, by one ratio for all of them %s J "
                    "in %s s: these contradict each other, so nothing follows from them",
                    WTL_IN_FIGURES(t->energy_j, 3), WTL_IN_FIGURES(t->time_s, 3),
                    WTL_IN_FIGURES(energy_j, 3), WTL_IN_FIGURES(time_s, 3));
}

static int finish(struct work *w,
                  const struct wtl_platform_model *model,
                  struct wtl_transfer *t,
                  struct wattle_error *err)
{
    int rc = add_up(w, model, t);
    if (rc < 0)
        return wtl_no_memory(err);
    if (!(t->reference_j > 0))
        return wtl_fail(err, -EDOM,
                        "the energy of the reference is not known, so nothing follows "
                        "from it; learn a run with a meter");
    if (!isfinite(t->done_j))
        return wtl_fail(err, -EDOM,
                        "the energy of this run up to now is not known, so it cannot be "
                        "compared with the reference");
    take_time_ratio(w, t);
    t->distance = w->length_s > 0 ? fmin(w->cost_s / w->length_s, 1) : NAN;
    if (t->distance > fits_up_to)
        return wtl_fail(
            err, -ERANGE,
            "this run does not fit the reference (%.0f %% of its time is unlike it), so "
            "nothing follows from it",
            100 * t->distance);
    rc = check_one_ratio(w, t, err);
    t->paper_j = NAN;
    if (rc == 0 && w->q->target && t->reference_done_j > 0)
        rc = wtl_platform_paper(t->done_j, t->reference_done_j, t->reference_j, &t->paper_j, err);
    return rc;
}

static int set_up(struct work *w)
{
    const struct wtl_transfer_question *q = w->q;
    size_t a = q->reference_letters.count, b = q->target_letters.count;
    w->letters = (a > b ? a : b) + 1;
    size_t cells = w->letters * q->columns + 1;
    w->reference = calloc(cells, sizeof *w->reference);
    w->target = calloc(cells, sizeof *w->target);
    w->unlike = calloc(w->letters * w->letters + 1, sizeof *w->unlike);
    w->pace = calloc(w->letters + 1, sizeof *w->pace);
    w->pairs = calloc(w->letters + 1, sizeof *w->pairs);
    w->places = calloc(q->reference->node_count + 1, sizeof *w->places);
    w->centre = calloc((a + 1) * q->columns + 1, sizeof *w->centre);
    if (!w->centre || !w->reference || !w->target || !w->unlike || !w->pace || !w->pairs ||
        !w->places)
        return -ENOMEM;
    for (size_t i = 0; i < w->letters; i++)
        w->pace[i] = 1;
    if (a * q->columns > 0)
        memcpy(w->centre, q->reference_letters.centre, a * q->columns * sizeof *w->centre);
    for (size_t c = 0; c < q->columns; c++)
        w->centre[a * q->columns + c] = NAN;
    take_logarithms(&q->reference_letters, q->columns, w->reference, w->absent_there);
    take_logarithms(&q->target_letters, q->columns, w->target, w->absent_here);
    return 0;
}

static void tear_down(struct work *w)
{
    free(w->centre);
    free(w->reference);
    free(w->target);
    free(w->unlike);
    free(w->pace);
    free(w->pairs);
    free(w->places);
}

/* One turn with its sentence. */
static int take_turn(struct work *w, struct wtl_transfer *t, double at, struct wattle_error *err)
{
    int rc = turn(w, t, at);
    if (rc == -ENODATA)
        return wtl_fail(err, rc, "the run has no phases yet; try again when it is longer");
    return rc < 0
               ? wtl_fail(err, rc, "the run cannot be laid on the reference: %s", wtl_strerror(rc))
               : 0;
}

static int take_turns(struct work *w, struct wtl_transfer *t, struct wattle_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < w->letters; i++)
        w->pace[i] = 1;
    for (int i = 0; rc == 0 && i < TURNS; i++) {
        rc = take_turn(w, t, unlike_at[i], err);
        guess_paces(w);
    }
    return rc;
}

/* From where most of the time fits: the start is a guess, and a wrong one may stay wrong. Then with the paces that follow from
 * the counters. */
static int lay_all(struct work *w,
                   struct wtl_transfer *t,
                   struct wtl_platform_model **model,
                   struct wattle_error *err)
{
    static const double parts[] = {0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1};
    double least = INFINITY, best = -1;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++) {
        if (!first_offset(w, parts[i]))
            continue;
        rc = take_turns(w, t, err);
        double cost = w->all_length_s > 0 ? w->all_cost_s / w->all_length_s : 1;
        if (rc == 0 && cost < least - 1e-9) {
            least = cost;
            best = parts[i];
        }
    }
    if (rc == 0 && best < 0)
        return wtl_fail(
            err, -ENODATA,
            "nothing ran on both platforms, so they cannot be compared; run a kernel on "
            "both and learn it");
    if (rc == 0 && first_offset(w, best))
        rc = take_turns(w, t, err);
    for (int i = 0; rc == 0 && i < 2; i++) {
        wtl_platform_destroy(*model);
        *model = NULL;
        rc = learn_ratios(w, model, err);
        if (rc < 0 || i == 1)
            break;
        set_paces(w, *model);
        rc = take_turn(w, t, unlike_at[TURNS - 1], err);
    }
    return rc;
}

/* One letter becomes any other one by the factors of its counters, which only a kernel shows beforehand. */
static bool has_two_letters(const struct wtl_match_run *run)
{
    for (size_t i = 0; i < run->node_count; i++) {
        const struct wtl_dna *dna = &run->nodes[i];
        for (size_t k = 1; k < dna->count; k++) {
            if (dna->list[k].letter != dna->list[0].letter)
                return true;
        }
    }
    return false;
}

int wtl_transfer(const struct wtl_transfer_question *q,
                 struct wtl_transfer *ret_transfer,
                 struct wattle_error *err)
{
    struct wtl_transfer t = {0};
    struct work w = {.q = q};
    struct wtl_platform_model *model = NULL;
    if (q->target && q->target->node_count != q->reference->node_count)
        return wtl_fail(err, -EINVAL,
                        "the run has %zu nodes and the reference %zu; compare runs on "
                        "equally many nodes",
                        q->target->node_count, q->reference->node_count);
    if (q->target && q->kernel_count == 0 && !has_two_letters(q->target))
        return wtl_fail(err, -ERANGE,
                        "the run shows one letter up to now, which fits any program of another "
                        "platform; try again after its next change");
    int rc = set_up(&w);
    if (rc < 0)
        (void)wtl_no_memory(err);
    rc = rc < 0 ? rc : lay_all(&w, &t, &model, err);
    rc = rc < 0 ? rc : finish(&w, model, &t, err);
    wtl_platform_destroy(model);
    tear_down(&w);
    if (rc == 0)
        *ret_transfer = t;
    return rc;
}
