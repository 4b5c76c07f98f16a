/* SPDX-License-Identifier: BSD-3-Clause */
/* Shifts single columns of a table by some rows relative to the others, as requested by --shift. */
#ifndef WTL_EXCHANGE_IMPORT_RING_H
#define WTL_EXCHANGE_IMPORT_RING_H

#include "exchange/import/import_table.h"

/* Maximum shift in rows. */
enum { WTL_IMPORT_SHIFT_MAX = 64 };

struct wtl_import_ring;

/* shifts[0 .. n-1], by column: -1 = use the value of the following row. NULL if out of memory. */
struct wtl_import_ring *wtl_import_ring_create(const int *shifts, size_t n);
void wtl_import_ring_free(struct wtl_import_ring *ring); /* accepts NULL */

/* The next row, as from the table's own function. Values from before the first row or after the
 * last are empty. */
int wtl_import_ring_next(struct wtl_import_ring *ring,
                         struct wtl_import_table *table,
                         struct wtl_import_row *ret_row,
                         struct wattle_error *err);

#endif
