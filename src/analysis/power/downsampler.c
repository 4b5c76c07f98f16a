/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges stretches until they fit: see downsampler.h. */
#include "analysis/power/downsampler.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int wtl_downsampler_init(struct wtl_downsampler *pool, size_t channels, size_t room)
{
    *pool =
        (struct wtl_downsampler){.channels = channels, .room = room < 2 ? 2 : room, .members = 1};
    pool->begin_ns = calloc(pool->room, sizeof *pool->begin_ns);
    pool->cells = calloc(pool->room, (channels ? channels : 1) * sizeof *pool->cells);
    if (pool->begin_ns && pool->cells)
        return 0;
    wtl_downsampler_fini(pool);
    return -ENOMEM;
}

void wtl_downsampler_fini(struct wtl_downsampler *pool)
{
    free(pool->begin_ns);
    free(pool->cells);
    *pool = (struct wtl_downsampler){0};
}

double wtl_downsampler_mean(const struct wtl_downsampler_cell *cell)
{
    return cell->known_s > 0 ? cell->integral / cell->known_s : (double)NAN;
}

static void join_cell(struct wtl_downsampler_cell *into, const struct wtl_downsampler_cell *cell)
{
    if (cell->known_s <= 0)
        return;
    into->min = into->known_s > 0 ? fminf(into->min, cell->min) : cell->min;
    into->max = into->known_s > 0 ? fmaxf(into->max, cell->max) : cell->max;
    into->integral += cell->integral;
    into->known_s += cell->known_s;
}

static bool is_known(const struct wtl_downsampler *pool, size_t i)
{
    for (size_t c = 0; c < pool->channels; c++)
        if (pool->cells[i * pool->channels + c].known_s > 0)
            return true;
    return false;
}

static uint64_t time_of(const struct wtl_downsampler *pool, size_t i)
{
    return (i + 1 < pool->count ? pool->begin_ns[i + 1] : pool->end_ns) - pool->begin_ns[i];
}

/* May a known and an unknown stretch of these lengths be merged? */
static bool may_join(bool known_a, uint64_t a_ns, bool known_b, uint64_t b_ns)
{
    if (known_a == known_b)
        return true;
    return known_a ? b_ns <= a_ns / 2 : a_ns <= b_ns / 2;
}

static void join_neighbours(struct wtl_downsampler *pool, bool all)
{
    size_t n = pool->channels, out = 0;
    for (size_t i = 0; i < pool->count; out++) {
        bool join =
            i + 1 < pool->count && (all || may_join(is_known(pool, i), time_of(pool, i),
                                                    is_known(pool, i + 1), time_of(pool, i + 1)));
        pool->begin_ns[out] = pool->begin_ns[i];
        if (out != i && n)
            memcpy(&pool->cells[out * n], &pool->cells[i * n], n * sizeof *pool->cells);
        for (size_t c = 0; join && c < n; c++)
            join_cell(&pool->cells[out * n + c], &pool->cells[(i + 1) * n + c]);
        i += join ? 2 : 1;
    }
    pool->count = out;
}

static void make_room(struct wtl_downsampler *pool)
{
    size_t before = pool->count;
    join_neighbours(pool, false);
    if (pool->count > before - before / 4)
        join_neighbours(pool, true); /* too many gaps to show one by one */
    pool->members *= 2;
    pool->open = pool->members;
}

static void add_stretch(struct wtl_downsampler *pool,
                        uint64_t begin_ns,
                        uint64_t end_ns,
                        const double *min,
                        const double *mean,
                        const double *max)
{
    bool known = false;
    double seconds = (double)(end_ns - begin_ns) * 1e-9;
    for (size_t c = 0; mean && c < pool->channels; c++)
        known |= !isnan(mean[c]);
    size_t last = pool->count - 1;
    if (pool->count == 0 || pool->open >= pool->members ||
        !may_join(is_known(pool, last), time_of(pool, last), known, end_ns - begin_ns)) {
        if (pool->count == pool->room)
            make_room(pool);
        last = pool->count++;
        pool->begin_ns[last] = begin_ns;
        memset(&pool->cells[last * pool->channels], 0, pool->channels * sizeof *pool->cells);
        pool->open = 0;
    }
    pool->open++;
    pool->end_ns = end_ns;
    for (size_t c = 0; known && c < pool->channels; c++) {
        if (isnan(mean[c]))
            continue;
        const struct wtl_downsampler_cell cell = {.min = (float)min[c],
                                                  .max = (float)max[c],
                                                  .integral = mean[c] * seconds,
                                                  .known_s = seconds};
        join_cell(&pool->cells[last * pool->channels + c], &cell);
    }
}

void wtl_downsampler_add(struct wtl_downsampler *pool,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         const double *min,
                         const double *mean,
                         const double *max)
{
    if (pool->count > 0 && begin_ns > pool->end_ns)
        add_stretch(pool, pool->end_ns, begin_ns, NULL, NULL, NULL);
    if (pool->count > 0 && begin_ns < pool->end_ns)
        begin_ns = pool->end_ns;
    if (end_ns > begin_ns)
        add_stretch(pool, begin_ns, end_ns, min, mean, max);
}
