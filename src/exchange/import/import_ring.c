/* SPDX-License-Identifier: BSD-3-Clause */
/* Shifted columns: see import_ring.h. Without a shift, rows pass through unchanged. */
#include "exchange/import/import_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct wtl_import_ring {
    int *shifts;
    size_t count;         /* number of columns */
    size_t ahead, behind; /* rows needed after and before the returned one */
    size_t depth;
    struct wtl_import_row *rows;   /* [depth] */
    struct wtl_import_cell *cells; /* [depth][count] */
    struct wtl_import_cell *out;   /* [count] */
    uint64_t read, given;          /* rows so far */
    bool ended;
};

struct wtl_import_ring *wtl_import_ring_create(const int *shifts, size_t n)
{
    struct wtl_import_ring *ring = calloc(1, sizeof *ring);
    if (!ring)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (shifts[i] < 0 && (size_t)-shifts[i] > ring->ahead)
            ring->ahead = (size_t)-shifts[i];
        if (shifts[i] > 0 && (size_t)shifts[i] > ring->behind)
            ring->behind = (size_t)shifts[i];
    }
    ring->count = n;
    ring->depth = ring->ahead + ring->behind + 1;
    if (ring->depth == 1)
        return ring;
    ring->shifts = malloc((n + 1) * sizeof *shifts);
    ring->rows = calloc(ring->depth, sizeof *ring->rows);
    ring->cells = calloc(ring->depth * (n + 1), sizeof *ring->cells);
    ring->out = calloc(n + 1, sizeof *ring->out);
    if (!ring->shifts || !ring->rows || !ring->cells || !ring->out) {
        wtl_import_ring_free(ring);
        return NULL;
    }
    memcpy(ring->shifts, shifts, n * sizeof *shifts);
    return ring;
}

void wtl_import_ring_free(struct wtl_import_ring *ring)
{
    if (!ring)
        return;
    free(ring->shifts);
    free(ring->rows);
    free(ring->cells);
    free(ring->out);
    free(ring);
}

static void keep(struct wtl_import_ring *ring, const struct wtl_import_row *row)
{
    size_t slot = (size_t)(ring->read % ring->depth);
    struct wtl_import_cell *cells = ring->cells + slot * (ring->count + 1);
    size_t n = row->count < ring->count ? row->count : ring->count;
    memcpy(cells, row->cells, n * sizeof *cells);
    for (size_t i = n; i < ring->count; i++)
        cells[i].form = WTL_CELL_EMPTY;
    ring->rows[slot] = *row;
    ring->read++;
}

static void give(struct wtl_import_ring *ring, struct wtl_import_row *ret_row)
{
    struct wtl_import_row row = ring->rows[ring->given % ring->depth];
    for (size_t i = 0; i < ring->count; i++) {
        int64_t from = (int64_t)ring->given - ring->shifts[i];
        if (from < 0 || from >= (int64_t)ring->read)
            ring->out[i].form = WTL_CELL_EMPTY;
        else
            ring->out[i] =
                ring->cells[(size_t)((uint64_t)from % ring->depth) * (ring->count + 1) + i];
    }
    row.cells = ring->out;
    row.count = ring->count;
    ring->given++;
    *ret_row = row;
}

int wtl_import_ring_next(struct wtl_import_ring *ring,
                         struct wtl_import_table *table,
                         struct wtl_import_row *ret_row,
                         struct wattle_error *err)
{
    if (ring->depth == 1)
        return table->ops->next(table, ret_row, err);
    while (!ring->ended && ring->read <= ring->given + ring->ahead) {
        struct wtl_import_row row;
        int rc = table->ops->next(table, &row, err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            keep(ring, &row);
        ring->ended = rc == 0;
    }
    if (ring->given == ring->read)
        return 0;
    give(ring, ret_row);
    return 1;
}
