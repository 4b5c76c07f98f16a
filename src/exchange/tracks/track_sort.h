/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts track records by time in bounded memory: as many as fit are sorted and written to a temporary file, and the parts
 * are merged when they are read.
 *
 *     wtl_track_sort_create(folder, 0, &sort, err);
 *     wtl_track_sort_add(sort, &record, err);              repeatedly, in any order
 *     while ((rc = wtl_track_sort_next(sort, &record, err)) > 0)
 *         ...
 *     wtl_track_sort_destroy(sort);
 *
 * Records of one time come by rank, those of one rank as they were given. The file has no name, so that nothing is left
 * after a crash. One thread.
 */
#ifndef WTL_EXCHANGE_TRACK_SORT_H
#define WTL_EXCHANGE_TRACK_SORT_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "exchange/tracks/tracks.h"

struct wtl_track_sort;

/* folder: for the temporary file, which is only created if needed. records: kept in memory; 0 = 32 MiB of them. */
int wtl_track_sort_create(const char *folder,
                          size_t records,
                          struct wtl_track_sort **ret_sort,
                          struct wattle_error *err);
void wtl_track_sort_destroy(struct wtl_track_sort *sort); /* accepts NULL */

/* 0; -ENOMEM; or the errno of writing the temporary file, with a message. */
int wtl_track_sort_add(struct wtl_track_sort *sort,
                       const struct wtl_track_record *record,
                       struct wattle_error *err);

/* 1 and the next record, 0 at the end, -errno. After the first call nothing can be added. */
int wtl_track_sort_next(struct wtl_track_sort *sort,
                        struct wtl_track_record *ret_record,
                        struct wattle_error *err);

uint64_t wtl_track_sort_count(const struct wtl_track_sort *sort);

#endif
