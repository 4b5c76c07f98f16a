/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks as a Paraver trace: three text files (docs/format/paraver.md). The processes of the run are the tasks of the first
 * application, the meters of a node are the threads of a task of the last one.
 */
#ifndef WTL_EXCHANGE_PARAVER_WRITE_H
#define WTL_EXCHANGE_PARAVER_WRITE_H

#include <stdio.h>

#include <wattle/error.h>

#include "exchange/tracks/track_sort.h"
#include "exchange/tracks/tracks.h"

struct wtl_paraver_files {
    FILE *prv, *pcf, *row;
};

/* 0; -ENODATA without any record; -EOVERFLOW if there are more objects than Paraver can number; -ENOMEM; the sorter's error; or that
 * of a failed write; with a message. */
int wtl_paraver_write(const struct wtl_tracks *tracks,
                      struct wtl_track_sort *records,
                      const struct wtl_paraver_files *files,
                      struct wattle_error *err);

#endif
