/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithm 1 of the DNA-like phase profiling: a phase lasts as long as the power follows the same set of counters. Its
 * open points are settled as in docs/papers.md (DN-A to DN-I): the window grows (lower bound fixed) or slides; the
 * boundary is the last row that the old set still explains; equal neighbours are merged; what is left at the end is a
 * phase of its own.
 */
#include <errno.h>
#include <string.h>

#include "analysis/phases/phase_bounds.h"
#include "analysis/phases/relevance.h"
#include "base/fail.h"

struct paper {
    const struct wtl_counter_rows *rows;
    const struct wtl_phase_options *options;
    size_t window;
    struct wtl_phase_bounds *bounds;
};

/* Sums of the window that ends with row `last`. */
static void sum_window(const struct paper *paper,
                       size_t first,
                       size_t last,
                       struct wtl_relevance_sums *sums)
{
    size_t from = first;
    if (paper->options->window == WTL_PHASE_SLIDING && last - first + 1 > paper->window)
        from = last + 1 - paper->window;
    wtl_relevance_begin(sums, paper->rows, paper->options->relevance == WTL_PHASE_REGRESSION);
    for (size_t row = from; row <= last; row++)
        wtl_relevance_add(sums, row);
}

static void set_relevance(struct wtl_phase *phase, const struct wtl_relevance *relevance)
{
    phase->relevant = relevance->set;
    memcpy(phase->rank, relevance->rank, sizeof phase->rank);
    phase->ranked = relevance->ranked;
}

static int emit(struct paper *paper,
                size_t first,
                size_t last,
                const struct wtl_relevance *relevance)
{
    struct wtl_phase_bounds *bounds = paper->bounds;
    struct wtl_phase *before = bounds->count ? &bounds->list[bounds->count - 1] : NULL;
    if (before && !paper->options->keep_equal && before->relevant == relevance->set) {
        struct wtl_relevance both =
            wtl_relevance_between(paper->rows, before->first, last, paper->options);
        both.set = relevance->set;
        before->last = last;
        set_relevance(before, &both);
        return 0;
    }
    int rc = wtl_phase_bounds_add(bounds, first);
    if (rc == 0) {
        bounds->list[bounds->count - 1].last = last;
        set_relevance(&bounds->list[bounds->count - 1], relevance);
    }
    return rc;
}

/* The last row from `end` (which has the set) to `stop` - 1 whose window has the set (DN-B). Sums are those of the
 * window up to `end`. */
static size_t last_with(const struct paper *paper,
                        size_t first,
                        size_t end,
                        size_t stop,
                        struct wtl_relevance_sums *sums,
                        struct wtl_relevance *relevance)
{
    size_t found = end, length = end + 1 - first;
    uint16_t set = relevance->set;
    for (size_t row = end + 1; row < stop; row++) {
        wtl_relevance_add(sums, row);
        if (paper->options->window == WTL_PHASE_SLIDING && ++length > paper->window)
            wtl_relevance_remove(sums, row - paper->window);
        struct wtl_relevance here = wtl_relevance_of(sums, paper->options);
        if (here.set == set) {
            found = row;
            *relevance = here;
        }
    }
    return found;
}

/* One phase from `first` on. Sets *ret_next to the row after it. */
static int find_one(struct paper *paper, size_t first, size_t *ret_next)
{
    size_t rows = paper->rows->rows, end = first + paper->window - 1;
    struct wtl_relevance_sums sums, at_end;
    sum_window(paper, first, end, &sums);
    struct wtl_relevance before = wtl_relevance_of(&sums, paper->options);
    while (end + 1 < rows) {
        size_t next = end + paper->window < rows ? end + paper->window : rows - 1;
        at_end = sums;
        if (paper->options->window == WTL_PHASE_SLIDING)
            sum_window(paper, first, next, &sums);
        for (size_t row = end + 1; paper->options->window == WTL_PHASE_GROWING && row <= next;
             row++)
            wtl_relevance_add(&sums, row);
        struct wtl_relevance now = wtl_relevance_of(&sums, paper->options);
        if (now.set != before.set) {
            end = last_with(paper, first, end, next, &at_end, &before);
            break;
        }
        end = next;
        before = now;
    }
    *ret_next = end + 1;
    return emit(paper, first, end, &before);
}

/* The rows that are left. */
static int flush(struct paper *paper, size_t first)
{
    size_t last = paper->rows->rows - 1;
    struct wtl_relevance relevance =
        wtl_relevance_between(paper->rows, first, last, paper->options);
    bool is_short = last + 1 - first < paper->window;
    int rc;
    if (!is_short)
        return emit(paper, first, last, &relevance);
    rc = wtl_phase_bounds_add(paper->bounds, first);
    if (rc == 0) {
        struct wtl_phase *phase = &paper->bounds->list[paper->bounds->count - 1];
        phase->last = last;
        phase->is_short = true;
        set_relevance(phase, &relevance);
    }
    return rc;
}

static int check_window(const struct paper *paper, struct wattle_error *err)
{
    size_t least = paper->options->relevance == WTL_PHASE_REGRESSION ? paper->rows->columns + 2
                                                                     : WTL_ROW_PHASE_MIN;
    if (paper->window < least)
        return wtl_fail(err, -EINVAL, "a window of %zu rows is too short; choose at least %zu",
                        paper->window, least);
    if (paper->rows->rows < paper->window)
        return wtl_fail(err, -ENODATA,
                        "%zu rows are fewer than the window of %zu; record for longer, or at "
                        "shorter intervals",
                        paper->rows->rows, paper->window);
    return 0;
}

int wtl_phase_find_paper(const struct wtl_counter_rows *rows,
                         const struct wtl_phase_options *options,
                         struct wtl_phase_bounds *bounds,
                         struct wattle_error *err)
{
    struct paper paper = {.rows = rows,
                          .options = options,
                          .window = options->window_rows ? options->window_rows : rows->columns + 2,
                          .bounds = bounds};
    size_t first = 0;
    int rc = check_window(&paper, err);
    while (rc == 0 && rows->rows - first > paper.window)
        if (find_one(&paper, first, &first) < 0)
            return wtl_no_memory_for(err, "the phases of %zu rows", rows->rows);
    if (rc == 0 && first < rows->rows && flush(&paper, first) < 0)
        rc = wtl_no_memory_for(err, "the phases of %zu rows", rows->rows);
    return rc;
}
