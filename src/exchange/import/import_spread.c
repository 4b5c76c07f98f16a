/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of one time, kept until the next time is known: see import_spread.h. */
#include "exchange/import/import_spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"

/* Rows of one time; more are not a coarse clock. */
enum { ROWS_MAX = 100000 };

struct wtl_import_spread {
    size_t width;
    struct wtl_import_row *rows;   /* of one time, and at the end the first of the next */
    struct wtl_import_cell *cells; /* width of each */
    size_t count, rows_room, cells_room;
    size_t ready, given; /* rows with one time; how many of them were returned */
    int64_t step_ns;
    bool ended;
};

struct wtl_import_spread *wtl_import_spread_create(size_t n)
{
    struct wtl_import_spread *spread = calloc(1, sizeof *spread);
    if (spread)
        spread->width = n;
    return spread;
}

void wtl_import_spread_free(struct wtl_import_spread *spread)
{
    if (!spread)
        return;
    free(spread->rows);
    free(spread->cells);
    free(spread);
}

static int keep(struct wtl_import_spread *spread,
                const struct wtl_import_table *table,
                const struct wtl_import_row *row,
                struct wattle_error *err)
{
    if (spread->count > ROWS_MAX)
        return wtl_fail(err, -E2BIG, "%s:%llu: more than %d rows have the same time", table->path,
                        (unsigned long long)row->line, ROWS_MAX);
    if (wtl_reserve(&spread->rows, &spread->rows_room, spread->count + 1, sizeof *spread->rows) <
            0 ||
        wtl_reserve(&spread->cells, &spread->cells_room, (spread->count + 1) * spread->width,
                    sizeof *spread->cells) < 0)
        return wtl_no_memory_for(err, "%s", table->path);
    struct wtl_import_cell *to = spread->cells + spread->count * spread->width;
    memset(to, 0, spread->width * sizeof *to);
    for (size_t i = 0; i < spread->width; i++)
        to[i] = i < row->count ? row->cells[i] : (struct wtl_import_cell){.form = WTL_CELL_EMPTY};
    spread->rows[spread->count++] = *row;
    return 0;
}

/* Read the rows of one time and the first of the next. */
static int fill(struct wtl_import_spread *spread,
                struct wtl_import_ring *ring,
                struct wtl_import_table *table,
                struct wattle_error *err)
{
    struct wtl_import_row row;
    int rc = 0;
    if (spread->ready < spread->count) { /* the first of this time is there already */
        memmove(spread->cells, spread->cells + spread->ready * spread->width,
                spread->width * sizeof *spread->cells);
        spread->rows[0] = spread->rows[spread->ready];
        spread->count = 1;
    } else {
        spread->count = 0;
    }
    spread->given = spread->ready = 0;
    while (!spread->ended && spread->ready == 0) {
        rc = wtl_import_ring_next(ring, table, &row, err);
        spread->ended = rc <= 0;
        rc = rc > 0 ? keep(spread, table, &row, err) : rc;
        if (rc < 0)
            return rc;
        if (!spread->ended && spread->count > 1 && row.time_ns != spread->rows[0].time_ns)
            spread->ready = spread->count - 1;
    }
    if (spread->ready)
        spread->step_ns = (spread->rows[spread->ready].time_ns - spread->rows[0].time_ns) /
                          (int64_t)spread->ready;
    else
        spread->ready = spread->count;
    return 0;
}

int wtl_import_spread_next(struct wtl_import_spread *spread,
                           struct wtl_import_ring *ring,
                           struct wtl_import_table *table,
                           struct wtl_import_row *ret_row,
                           struct wattle_error *err)
{
    int rc = spread->given == spread->ready ? fill(spread, ring, table, err) : 0;
    if (rc < 0 || spread->ready == 0)
        return rc;
    *ret_row = spread->rows[spread->given];
    ret_row->cells = spread->cells + spread->given * spread->width;
    ret_row->count = spread->width;
    if (spread->step_ns > 0) /* else time goes back, which the import refuses */
        ret_row->time_ns += (int64_t)spread->given * spread->step_ns;
    spread->given++;
    return 1;
}
