/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a table with single columns moved by some rows against the others, as --shift asks for. */
#ifndef WTL_EXCHANGE_IMPORT_RING_H
#define WTL_EXCHANGE_IMPORT_RING_H

#include "exchange/import/import_table.h"

/* Columns are moved by at most so many rows. */
enum { WTL_IMPORT_SHIFT_MAX = 64 };

struct wtl_import_ring;

/* shifts[0 .. n-1], by column: -1 = a row's value is that of the row behind it. NULL without memory. */
struct wtl_import_ring *wtl_import_ring_create(const int *shifts, size_t n);
void wtl_import_ring_free(struct wtl_import_ring *ring); /* accepts NULL */

/* The next row, as of the table's own function. A value from in front of the first row or behind the
 * last is empty. */
int wtl_import_ring_next(struct wtl_import_ring *ring,
                         struct wtl_import_table *table,
                         struct wtl_import_row *ret_row,
                         struct wattle_error *err);

#endif
