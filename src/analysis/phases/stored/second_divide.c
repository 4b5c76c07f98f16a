/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The division of least cost (R. Killick, P. Fearnhead, I. Eckley, JASA 107 (2012), 1590-1598), in AR(1) noise: the first row
 * of a phase is compared with the level of the best phase before it, since in strongly autocorrelated noise the jump itself
 * says most.
 */
#include <math.h>

#include "analysis/phases/stored/second_pass.h"

/* Candidates that cost so much more than the best division are dropped. */
#define SLACK 10.0
/* Candidates of which all are kept; older ones are thinned, so that a long phase takes no time. */
#define RECENT 512

static void sum_up(struct wtl_second_pass *pass)
{
    for (size_t i = 0; i < pass->series; i++)
        pass->sum[i] = 0;
    for (size_t i = 0; i < pass->rows * pass->series; i++)
        pass->sum[i + pass->series] = pass->sum[i] + pass->white[i];
}

/* 1 / what is known of the level of each series from a first row and `more` others. */
static void invert(const struct wtl_second_pass *pass, double more, double *inverse)
{
    for (size_t c = 0; c < pass->series; c++)
        inverse[c] = 1 / (1 + more * (1 - pass->phi[c]) * (1 - pass->phi[c]));
}

/* What rows first .. end - 1 cost as a phase with a level of its own, without what all divisions have in common. */
static double cost(const struct wtl_second_pass *pass, size_t first, size_t end)
{
    const double *from = pass->sum + (first + 1) * pass->series;
    const double *to = pass->sum + end * pass->series, *start = pass->start + first * pass->series;
    double squares = 0, more = (double)(end - first - 1), room[WTL_SECOND_SERIES];
    const double *inverse = pass->inverse + (end - first) * pass->series;
    if (end - first >= WTL_SECOND_INVERSES) {
        invert(pass, more, room);
        inverse = room;
    }
    for (size_t c = 0; c < pass->series; c++) {
        double value = (1 - pass->phi[c]) * (to[c] - from[c]) + start[c];
        squares += value * value * inverse[c];
    }
    return pass->fixed[first] - squares;
}

/* A phase may begin with this row: what the row says about the new level, given that of the best phase before. */
static void open_phase(struct wtl_second_pass *pass, size_t row)
{
    const double *white = pass->white + row * pass->series;
    double *start = pass->start + row * pass->series;
    pass->fixed[row] = 0;
    for (size_t c = 0; c < pass->series; c++) {
        double own = 1 - pass->phi[c], level = 0;
        if (row > 0) {
            size_t first = pass->from[row];
            double more = (double)(row - first - 1);
            level = own * (pass->sum[row * pass->series + c] -
                           pass->sum[(first + 1) * pass->series + c]) +
                    pass->start[first * pass->series + c];
            level /= 1 + more * own * own;
        }
        start[c] = white[c] + pass->phi[c] * level;
        pass->fixed[row] += start[c] * start[c] - white[c] * white[c];
    }
}

/* Whether a candidate of this age is kept when others near it are not: one of 16, of 32, ... */
static bool is_kept(size_t row, size_t age)
{
    size_t apart = 1;
    for (size_t limit = RECENT; age > limit; limit *= 2)
        apart = apart == 1 ? 16 : 2 * apart;
    return row % apart == 0;
}

static bool is_begin(const struct wtl_second_pass *pass, size_t row, size_t *at)
{
    while (*at < pass->count && pass->begin[*at] < row)
        ++*at;
    return *at < pass->count && pass->begin[*at] == row;
}

/* The candidates that may still be best. */
static size_t prune(struct wtl_second_pass *pass, size_t count, size_t end)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t row = pass->open[i];
        bool near = is_kept(row, end - row) || is_begin(pass, row, &at);
        if (near && pass->room[i] <= pass->least[end] + SLACK)
            pass->open[kept++] = row;
    }
    return kept;
}

static void list_begins(struct wtl_second_pass *pass)
{
    size_t count = 0, end = pass->rows;
    for (; end > 0; end = pass->from[end])
        count++;
    pass->count = count;
    pass->begin[count] = pass->rows;
    for (end = pass->rows; end > 0; end = pass->from[end])
        pass->begin[--count] = pass->from[end];
}

void wtl_second_divide(struct wtl_second_pass *pass)
{
    size_t count = 1;
    sum_up(pass);
    for (size_t rows = 1; rows <= pass->rows && rows < WTL_SECOND_INVERSES; rows++)
        invert(pass, (double)(rows - 1), pass->inverse + rows * pass->series);
    pass->open[0] = 0;
    pass->least[0] = -pass->penalty;
    open_phase(pass, 0);
    for (size_t end = pass->min_rows; end <= pass->rows; end++) {
        pass->least[end] = INFINITY;
        for (size_t i = 0; i < count; i++) {
            size_t row = pass->open[i];
            pass->room[i] = pass->least[row] + cost(pass, row, end);
            if (pass->room[i] + pass->penalty < pass->least[end]) {
                pass->least[end] = pass->room[i] + pass->penalty;
                pass->from[end] = row;
            }
        }
        count = prune(pass, count, end);
        size_t next = end - pass->min_rows + 1;
        if (next >= pass->min_rows && next < end + 1) {
            open_phase(pass, next);
            pass->open[count++] = next;
        }
    }
    list_begins(pass);
}
