/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alignment of a beginning with a stored string, in its run-length form: one cell for each pair of letters, not for each
 * pair of samples. A cell is in one of two states: the stored letter goes on (with the time laid on it so far), or it is
 * over and its difference of durations is paid. Rows are bounded by the cost that would be refused, so that most stored
 * runs are given up after their first letters.
 */
#include "analysis/predict/match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/phases/dna.h"
#include "analysis/predict/match_state.h"
#include "base/grow.h"

/* What a column of the row says. */
struct cell {
    double on, laid_s; /* cost while the stored letter goes on, and the time laid on it */
    double over;       /* cost once it is over */
};

struct wtl_matcher {
    struct wtl_match_options options;
    struct cell *cells; /* [columns + 1]; 0: before the first letter */
    double *length_s,
        *end_s; /* [columns + 1] of the stored letters, at the pace of this platform */
    size_t cell_room, length_room, end_room;
};

struct wtl_match_options wtl_match_options_default(void)
{
    return (struct wtl_match_options){.duration_weight = 0.5, .accept = 0.5, .unknown = 0.1};
}

int wtl_matcher_create(const struct wtl_match_options *options, struct wtl_matcher **ret_matcher)
{
    struct wtl_matcher *m = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    m->options = *options;
    *ret_matcher = m;
    return 0;
}

void wtl_matcher_destroy(struct wtl_matcher *m)
{
    if (!m)
        return;
    free(m->cells);
    free(m->length_s);
    free(m->end_s);
    free(m);
}

static bool make_room(struct wtl_matcher *m, size_t columns)
{
    return wtl_reserve(&m->cells, &m->cell_room, columns, sizeof *m->cells) == 0 &&
           wtl_reserve(&m->length_s, &m->length_room, columns, sizeof *m->length_s) == 0 &&
           wtl_reserve(&m->end_s, &m->end_room, columns, sizeof *m->end_s) == 0;
}

/* Columns start before the stored run: letters of it may be skipped at their full time. */
static void set_up(struct wtl_matcher *m, const struct wtl_dna *stored)
{
    const struct wtl_match_options *o = &m->options;
    m->length_s[0] = m->end_s[0] = 0;
    m->cells[0] = (struct cell){INFINITY, 0, 0};
    for (size_t j = 1; j <= stored->count; j++) {
        const struct wtl_base *base = &stored->list[j - 1];
        double pace = wtl_match_pace(o, base->letter);
        m->length_s[j] = base->duration_s * pace;
        m->end_s[j] = m->end_s[j - 1] + m->length_s[j];
        m->cells[j] = (struct cell){INFINITY, 0, m->end_s[j]};
    }
}

/* The columns that can still be below the bound when `done_s` of the beginning are laid. */
struct band {
    size_t first, last;
};

static struct band band_of(const struct wtl_matcher *m,
                           size_t columns,
                           size_t first,
                           double before_s,
                           double done_s,
                           double bound_s)
{
    double w = m->options.duration_weight, slack = w > 0 ? 2 * bound_s / w : INFINITY;
    struct band band = {first, columns};
    while (band.first < columns && m->end_s[band.first] + slack < before_s)
        band.first++;
    if (!isfinite(slack))
        return band;
    size_t low = band.first, high = columns;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (m->end_s[middle - 1] - slack > done_s)
            high = middle - 1;
        else
            low = middle;
    }
    band.last = low;
    return band;
}

static void keep_less(struct cell *cell, double cost, double laid_s)
{
    if (cost < cell->on) {
        cell->on = cost;
        cell->laid_s = laid_s;
    }
}

/* Lay one letter of the beginning; the least cost of the row. */
static double lay(struct wtl_matcher *m,
                  const struct wtl_base *base,
                  const struct wtl_dna *stored,
                  struct band band)
{
    const struct wtl_match_options *o = &m->options;
    double least = INFINITY, weight = o->duration_weight / 2, a = base->duration_s;
    double over_before = m->cells[band.first - 1].over; /* of the row before */
    m->cells[band.first - 1] = (struct cell){INFINITY, 0, INFINITY};
    for (size_t j = band.first; j <= band.last; j++) {
        struct cell *c = &m->cells[j], *left = &m->cells[j - 1];
        double u = wtl_match_unlike(o, base->letter, stored->list[j - 1].letter), over = c->over;
        struct cell next = {INFINITY, 0, INFINITY};
        keep_less(&next, over_before + u * a, a);
        keep_less(&next, c->on + u * a, c->laid_s + a);
        double rest = fmin(left->laid_s - m->length_s[j - 1], a);
        if (isfinite(left->on) && rest > 0) /* it goes beyond the end of the stored letter before */
            keep_less(&next,
                      left->on +
                          (u - wtl_match_unlike(o, base->letter, stored->list[j - 2].letter)) *
                              rest +
                          weight * fabs(left->laid_s - rest - m->length_s[j - 1]),
                      rest);
        next.over = fmin(next.on + weight * fabs(next.laid_s - m->length_s[j]),
                         left->over + m->length_s[j]);
        over_before = over;
        *c = next;
        least = fmin(least, fmin(next.on, next.over));
    }
    if (band.last < stored->count) /* the next row may be wider by a letter */
        m->cells[band.last + 1] = (struct cell){INFINITY, 0, INFINITY};
    return least;
}

static bool place_of(const struct wtl_matcher *m,
                     struct band band,
                     double bound_s,
                     struct wtl_match_place *place)
{
    bool is = false;
    double nearest = INFINITY;
    place->cost_s = bound_s;
    for (size_t j = band.first; j <= band.last; j++) {
        const struct cell *c = &m->cells[j];
        double beyond = fmax(0, c->laid_s - m->length_s[j]);
        double cost = c->on + m->options.duration_weight / 2 * beyond;
        double at = m->end_s[j - 1] + fmin(c->laid_s, m->length_s[j]);
        double off = fabs(at - place->length_s);
        if (!(cost < place->cost_s || (cost <= place->cost_s && off < nearest)))
            continue;
        is = true;
        nearest = off;
        place->cost_s = cost;
        place->base = j - 1;
        place->into_s = fmin(c->laid_s, m->length_s[j]);
    }
    return is;
}

bool wtl_matcher_align(struct wtl_matcher *m,
                       const struct wtl_dna *beginning,
                       const struct wtl_dna *stored,
                       double bound_s,
                       struct wtl_match_place *ret_place)
{
    struct wtl_match_place place = {.length_s = 0};
    struct band band = {1, stored->count};
    if (beginning->count == 0 || stored->count == 0 || !make_room(m, stored->count + 1))
        return false;
    set_up(m, stored);
    for (size_t i = 0; i < beginning->count; i++) {
        const struct wtl_base *base = &beginning->list[i];
        double before_s = place.length_s;
        size_t last = band.last;
        place.length_s += base->duration_s;
        band = band_of(m, stored->count, band.first, before_s, place.length_s, bound_s);
        for (size_t j = last + 1; i > 0 && j <= band.last; j++) /* not reached by the row before */
            m->cells[j] = (struct cell){INFINITY, 0, INFINITY};
        if (lay(m, base, stored, band) > bound_s)
            return false;
    }
    if (!(place.length_s > 0) || !place_of(m, band, bound_s, &place))
        return false;
    const struct wtl_base *at = &stored->list[place.base];
    double pace = at->duration_s > 0 ? m->length_s[place.base + 1] / at->duration_s : 1;
    place.into_s = pace > 0 ? fmin(place.into_s / pace, at->duration_s) : 0;
    *ret_place = place;
    return true;
}
