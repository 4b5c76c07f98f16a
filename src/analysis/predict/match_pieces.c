/* SPDX-License-Identifier: BSD-3-Clause */
/* The alignment of match_align.c once more, with the way that led to its end: what was laid on what. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/phases/dna.h"
#include "analysis/predict/match.h"
#include "analysis/predict/match_state.h"

enum { CELLS = 1 << 24 };
enum step { BEGUN, GOES_ON, BEYOND };

struct cell {
    double on, laid_s, over;
    unsigned char step; /* how `on` came about */
    bool skipped;       /* `over`: the stored letter was skipped */
};

struct table {
    const struct wtl_match_options *options;
    const struct wtl_dna *beginning, *stored;
    struct cell *cells; /* [(beginning + 1) * (stored + 1)] */
};

static struct cell *at(const struct table *t, size_t i, size_t j)
{
    return &t->cells[i * (t->stored->count + 1) + j];
}

static double length_of(const struct table *t, size_t j)
{
    const struct wtl_base *base = &t->stored->list[j - 1];
    return base->duration_s * wtl_match_pace(t->options, base->letter);
}

static double unlike(const struct table *t, size_t i, size_t j)
{
    return wtl_match_unlike(t->options, t->beginning->list[i - 1].letter,
                            t->stored->list[j - 1].letter);
}

static void keep_less(struct cell *c, double cost, double laid_s, enum step step)
{
    if (cost < c->on) {
        c->on = cost;
        c->laid_s = laid_s;
        c->step = (unsigned char)step;
    }
}

static void fill_cell(const struct table *t, size_t i, size_t j)
{
    struct cell *c = at(t, i, j);
    const struct cell *left = at(t, i, j - 1), *up = at(t, i - 1, j);
    double a = t->beginning->list[i - 1].duration_s, u = unlike(t, i, j), b = length_of(t, j);
    *c = (struct cell){.on = INFINITY, .over = INFINITY};
    keep_less(c, at(t, i - 1, j - 1)->over + u * a, a, BEGUN);
    keep_less(c, up->on + u * a, up->laid_s + a, GOES_ON);
    double rest = j > 1 ? fmin(left->laid_s - length_of(t, j - 1), a) : 0;
    if (rest > 0 && isfinite(left->on))
        keep_less(c,
                  left->on + (u - unlike(t, i, j - 1)) * rest +
                      t->options->duration_weight / 2 *
                          fabs(left->laid_s - rest - length_of(t, j - 1)),
                  rest, BEYOND);
    double ended = c->on + t->options->duration_weight / 2 * fabs(c->laid_s - b);
    double skipped = left->over + b;
    c->over = fmin(ended, skipped);
    c->skipped = skipped < ended;
}

static void fill(const struct table *t)
{
    size_t n = t->beginning->count, m = t->stored->count;
    *at(t, 0, 0) = (struct cell){.on = INFINITY};
    for (size_t j = 1; j <= m; j++)
        *at(t, 0, j) = (struct cell){
            .on = INFINITY, .over = at(t, 0, j - 1)->over + length_of(t, j), .skipped = true};
    for (size_t i = 1; i <= n; i++) {
        *at(t, i, 0) = (struct cell){.on = INFINITY, .over = INFINITY};
        for (size_t j = 1; j <= m; j++)
            fill_cell(t, i, j);
    }
}

/* Where the beginning ends: the stored letter that goes on there. */
static size_t end_of(const struct table *t, double *ret_cost)
{
    size_t n = t->beginning->count, best = 0;
    *ret_cost = INFINITY;
    for (size_t j = 1; j <= t->stored->count; j++) {
        const struct cell *c = at(t, n, j);
        double cost =
            c->on + t->options->duration_weight / 2 * fmax(0, c->laid_s - length_of(t, j));
        if (cost < *ret_cost) {
            *ret_cost = cost;
            best = j;
        }
    }
    return best;
}

/* Back from (i, j), in state on; pieces come out last first. */
static size_t go_back(const struct table *t, size_t i, size_t j, struct wtl_match_piece *pieces)
{
    size_t count = 0;
    double taken_s = 0; /* of letter i, by pieces after this one */
    while (i > 0 && j > 0) {
        const struct cell *c = at(t, i, j);
        double all_s = c->step == BEYOND ? c->laid_s : t->beginning->list[i - 1].duration_s;
        double seconds = all_s - taken_s;
        if (seconds > 0)
            pieces[count++] = (struct wtl_match_piece){i - 1, j - 1, seconds};
        taken_s = c->step == BEYOND ? taken_s + fmax(seconds, 0) : 0;
        i -= c->step != BEYOND;
        j -= c->step != GOES_ON;
        while (c->step == BEGUN && i > 0 && j > 0 && at(t, i, j)->skipped)
            j--;
    }
    return count;
}

static void reverse(struct wtl_match_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct wtl_match_piece piece = pieces[i];
        pieces[i] = pieces[count - 1 - i];
        pieces[count - 1 - i] = piece;
    }
}

static void set_place(const struct table *t, size_t j, double cost_s, struct wtl_match_place *place)
{
    const struct wtl_base *base = &t->stored->list[j - 1];
    double pace = wtl_match_pace(t->options, base->letter);
    place->base = j - 1;
    place->cost_s = cost_s;
    place->length_s = wtl_dna_seconds(t->beginning);
    place->into_s =
        pace > 0 ? fmin(at(t, t->beginning->count, j)->laid_s / pace, base->duration_s) : 0;
}

int wtl_match_pieces(const struct wtl_match_options *options,
                     const struct wtl_dna *beginning,
                     const struct wtl_dna *stored,
                     bool whole,
                     struct wtl_match_piece **ret_pieces,
                     size_t *ret_count,
                     struct wtl_match_place *ret_place)
{
    size_t n = beginning->count, m = stored->count;
    double cost_s;
    if (!(wtl_dna_seconds(beginning) > 0) || !(wtl_dna_seconds(stored) > 0))
        return -ENODATA;
    if (n >= CELLS || m >= CELLS || (n + 1) * (m + 1) > CELLS)
        return -E2BIG;
    struct table t = {options, beginning, stored, calloc((n + 1) * (m + 1), sizeof *t.cells)};
    struct wtl_match_piece *pieces = calloc(n + m, sizeof *pieces);
    if (!t.cells || !pieces) {
        free(t.cells);
        free(pieces);
        return -ENOMEM;
    }
    fill(&t);
    size_t j = end_of(&t, &cost_s);
    if (whole) {
        cost_s = at(&t, n, m)->over;
        for (j = m; j > 1 && at(&t, n, j)->skipped;)
            j--;
    }
    set_place(&t, j, cost_s, ret_place);
    *ret_count = go_back(&t, n, j, pieces);
    reverse(pieces, *ret_count);
    *ret_pieces = pieces;
    free(t.cells);
    return 0;
}
