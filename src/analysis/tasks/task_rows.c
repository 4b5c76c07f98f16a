/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the task model (task_rows.h). The table of types is by columns, which are made when a type first appears. */
#include "analysis/tasks/task_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/task_cover.h"
#include "base/grow.h"

static const double NS = 1e-9;

/* Two rows become one, as long as both and with the mean of their powers. */
static void halve(struct wtl_task_rows *rows)
{
    size_t n = rows->count / 2;
    for (size_t i = 0; i < n; i++) {
        const struct wtl_task_interval a = rows->intervals[2 * i], b = rows->intervals[2 * i + 1];
        double whole_s = a.seconds + b.seconds;
        rows->intervals[i] = (struct wtl_task_interval){
            a.begin_ns < b.begin_ns ? a.begin_ns : b.begin_ns, b.end_ns, whole_s};
        for (size_t c = 0; c < rows->channels; c++) {
            const double *powers = rows->power_w + 2 * i * rows->channels;
            rows->power_w[i * rows->channels + c] =
                whole_s > 0
                    ? (powers[c] * a.seconds + powers[rows->channels + c] * b.seconds) / whole_s
                    : (double)NAN;
        }
    }
    rows->count = n;
    rows->merged *= 2;
}

static int grow(struct wtl_task_rows *rows)
{
    size_t room = rows->room;
    if (wtl_reserve(&rows->power_w, &room, rows->count + 1,
                    rows->channels * sizeof *rows->power_w) < 0)
        return -ENOMEM;
    return wtl_reserve(&rows->intervals, &rows->room, rows->count + 1, sizeof *rows->intervals);
}

int wtl_task_rows_add_interval(struct wtl_task_rows *rows,
                               const struct wtl_task_interval *interval,
                               const double *powers)
{
    if (rows->merged == 0)
        rows->merged = 1;
    if (rows->count == WTL_TASK_ROWS_MAX)
        halve(rows);
    if (rows->count == rows->room && grow(rows) < 0)
        return -ENOMEM;
    rows->intervals[rows->count] = *interval;
    memcpy(rows->power_w + rows->count * rows->channels, powers,
           rows->channels * sizeof *rows->power_w);
    rows->count++;
    return 0;
}

/* ---- what is active ---- */

static void cover_row(struct wtl_task_rows *rows, size_t i, double overlap_s, bool late)
{
    double length_s = NS * (double)(rows->intervals[i].end_ns - rows->intervals[i].begin_ns);
    double before = (double)rows->busy[i];
    double add = late && length_s > 0 ? overlap_s * (1 - before / length_s) : overlap_s;
    rows->busy[i] = (float)fmin(before + add, length_s);
}

/* The first row that ends after time_ns, searched from a hint that is mostly right. */
static size_t first_after(const struct wtl_task_rows *rows, uint64_t time_ns, size_t hint)
{
    const struct wtl_task_interval *in = rows->intervals;
    if (hint < rows->count && in[hint].end_ns > time_ns &&
        (hint == 0 || in[hint - 1].end_ns <= time_ns))
        return hint;
    size_t low = 0, high = rows->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in[middle].end_ns > time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double overlap_s(const struct wtl_task_interval *in, uint64_t begin_ns, uint64_t end_ns)
{
    uint64_t begin = begin_ns > in->begin_ns ? begin_ns : in->begin_ns;
    uint64_t end = end_ns < in->end_ns ? end_ns : in->end_ns;
    return end > begin ? NS * (double)(end - begin) : 0;
}

static void take_cover(void *context, uint64_t begin_ns, uint64_t end_ns, bool late)
{
    struct wtl_task_rows *rows = context;
    rows->hint = first_after(rows, begin_ns, rows->hint);
    for (size_t i = rows->hint; i < rows->count && rows->intervals[i].begin_ns < end_ns; i++)
        cover_row(rows, i, overlap_s(&rows->intervals[i], begin_ns, end_ns), late);
}

int wtl_task_rows_begin(struct wtl_task_rows *rows)
{
    rows->busy = calloc(rows->count + 1, sizeof *rows->busy);
    rows->cover = wtl_task_cover_create(take_cover, rows);
    return rows->busy && rows->cover ? 0 : -ENOMEM;
}

/* Types for which there is room. */
static size_t types_most(const struct wtl_task_rows *rows)
{
    size_t most = WTL_TASK_CELLS_MAX / (rows->count + 1);
    most = most < 2 ? 2 : most;
    return most < WTL_TASK_TYPES_MAX ? most : WTL_TASK_TYPES_MAX;
}

static int add_types(struct wtl_task_rows *rows, size_t count)
{
    size_t room = rows->type_room;
    if (wtl_reserve_zeroed(&rows->active, &room, count, sizeof *rows->active) < 0)
        return -ENOMEM;
    return wtl_reserve_zeroed(&rows->at, &rows->type_room, count, sizeof *rows->at);
}

static int column_of(struct wtl_task_rows *rows, size_t *type)
{
    size_t most = types_most(rows);
    if (*type >= most - 1) {
        *type = most - 1;
        rows->others = true;
    }
    if (add_types(rows, *type + 1) < 0)
        return -ENOMEM;
    if (*type >= rows->types)
        rows->types = *type + 1;
    if (rows->active[*type])
        return 0;
    rows->active[*type] = calloc(rows->count + 1, sizeof **rows->active);
    rows->at[*type] = calloc(rows->count + 1, sizeof **rows->at);
    return rows->active[*type] && rows->at[*type] ? 0 : -ENOMEM;
}

int wtl_task_rows_add(struct wtl_task_rows *rows,
                      size_t type,
                      uint64_t begin_ns,
                      uint64_t end_ns,
                      double share,
                      bool asleep)
{
    if (rows->count == 0 || end_ns <= begin_ns || end_ns <= rows->intervals[0].begin_ns ||
        begin_ns >= rows->intervals[rows->count - 1].end_ns)
        return 0;
    if (column_of(rows, &type) < 0)
        return -ENOMEM;
    size_t first = first_after(rows, begin_ns, rows->hint);
    for (size_t i = first; i < rows->count && rows->intervals[i].begin_ns < end_ns; i++) {
        const struct wtl_task_interval *in = &rows->intervals[i];
        rows->active[type][i] += (float)(share * overlap_s(in, begin_ns, end_ns));
        if (begin_ns <= in->end_ns && in->end_ns < end_ns && share >= 0.5 &&
            rows->at[type][i] < UINT16_MAX)
            rows->at[type][i]++;
    }
    rows->hint = first;
    uint64_t covered_ns = (uint64_t)(fmin(share, 1) * (double)(end_ns - begin_ns));
    if (!asleep)
        wtl_task_cover_add(rows->cover, end_ns - covered_ns, end_ns);
    return 0;
}

void wtl_task_rows_end(struct wtl_task_rows *rows)
{
    wtl_task_cover_finish(rows->cover);
    rows->cover = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const struct wtl_task_interval *in = &rows->intervals[i];
        float per_s =
            in->end_ns > in->begin_ns ? (float)(1 / (NS * (double)(in->end_ns - in->begin_ns))) : 0;
        rows->busy[i] *= per_s;
        for (size_t t = 0; t < rows->types; t++)
            if (rows->active[t])
                rows->active[t][i] *= per_s;
    }
}

void wtl_task_rows_fini(struct wtl_task_rows *rows)
{
    wtl_task_cover_finish(rows->cover);
    for (size_t t = 0; t < rows->types; t++) {
        free(rows->active[t]);
        free(rows->at[t]);
    }
    free(rows->active);
    free(rows->at);
    free(rows->busy);
    free(rows->intervals);
    free(rows->power_w);
    *rows = (struct wtl_task_rows){.channels = 0};
}
