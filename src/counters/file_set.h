/* SPDX-License-Identifier: BSD-3-Clause */
/* Open files of one number each: the state of drivers whose channels are one small file each. */
#ifndef WTL_COUNTERS_FILE_SET_H
#define WTL_COUNTERS_FILE_SET_H

#include "source/driver.h"

struct wtl_file_set {
    int *fds; /* beside the source's channels */
    size_t count;
};

/* Make source->impl an empty set; 0 or -ENOMEM. */
int wtl_file_set_init(struct wtl_source *source);

/* Open `path` and add the channel that it feeds, with the path as its location. Returns 0, the
 * reason why the file cannot be read (nothing was added), or that of wtl_source_add(). */
int wtl_file_set_add(struct wtl_source *source,
                     const char *path,
                     const struct wattle_channel *channel);

/* The driver's read and close. */
void wtl_file_set_read(struct wtl_source *source,
                       size_t first,
                       size_t n,
                       struct wattle_reading *out);
void wtl_file_set_close(struct wtl_source *source);

#endif
