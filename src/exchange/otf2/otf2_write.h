/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks as an OTF2 archive (docs/format/otf2.md): a folder with traces.otf2, which libotf2 writes. Threads are locations of
 * their process, each meter is a location for metrics.
 */
#ifndef WTL_EXCHANGE_OTF2_WRITE_H
#define WTL_EXCHANGE_OTF2_WRITE_H

#include <wattle/error.h>

#include "exchange/tracks/track_sort.h"
#include "exchange/tracks/tracks.h"

/*
 * folder: must not exist, or be empty. name: of the folder in messages. Memory: two chunks of 256 KiB for each location.
 * 0; -ENOTSUP without libotf2; -ENODATA without any record; -ENOMEM; the sorter's error; -EIO if the library fails; with a message.
 */
int wtl_otf2_write(const struct wtl_tracks *tracks,
                   struct wtl_track_sort *records,
                   const char *folder,
                   const char *name,
                   struct wattle_error *err);

#endif
