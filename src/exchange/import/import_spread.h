/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a recording whose times are coarser than its rows, as of a logger that writes ten values in each second with stamps in whole
 * seconds: rows of one time are spread evenly up to the next one, if an option says so. The last ones are as far apart as those before.
 */
#ifndef WTL_EXCHANGE_IMPORT_SPREAD_H
#define WTL_EXCHANGE_IMPORT_SPREAD_H

#include "exchange/import/import_ring.h"

struct wtl_import_spread;

/* n: columns. NULL if out of memory. */
struct wtl_import_spread *wtl_import_spread_create(size_t n);
void wtl_import_spread_free(struct wtl_import_spread *spread); /* accepts NULL */

/* The next row: 1, 0 at the end, -errno with a message. */
int wtl_import_spread_next(struct wtl_import_spread *spread,
                           struct wtl_import_ring *ring,
                           struct wtl_import_table *table,
                           struct wtl_import_row *ret_row,
                           struct wattle_error *err);

#endif
