/* SPDX-License-Identifier: BSD-3-Clause */
/* Open files that hold one number each: the state of drivers with one small file per channel. */
#ifndef WTL_COUNTERS_FILE_SET_H
#define WTL_COUNTERS_FILE_SET_H

#include "source/driver.h"

struct wtl_file_set {
    int *fds; /* parallel to the source's channels */
    size_t count;
};

/* Make source->impl an empty set; 0 or -ENOMEM. */
int wtl_file_set_init(struct wtl_source *source);

/* Open `path` and add a channel that reads it, with the path as its location. Returns 0, the reason why
 * the file cannot be read (nothing is added), or the error of wtl_source_add(). */
int wtl_file_set_add(struct wtl_source *source,
                     const char *path,
                     const struct wattle_channel *channel);

/* The read and close functions of the driver. */
void wtl_file_set_read(struct wtl_source *source,
                       size_t first,
                       size_t n,
                       struct wattle_reading *out);
void wtl_file_set_close(struct wtl_source *source);

#endif
