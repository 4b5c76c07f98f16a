/* SPDX-License-Identifier: BSD-3-Clause */
/* What writers and the sender of a spool have in common: its folder, locks, counts and lines; see job_spool.h. */
#ifndef WTL_JOBS_SPOOL_FOLDER_H
#define WTL_JOBS_SPOOL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

enum {
    WTL_SPOOL_SEGMENT = 1 << 20, /* `current` is closed beyond this size */
    WTL_SPOOL_CHECKSUM = 16,     /* hexadecimal digits before the blank of a line */
    WTL_SPOOL_REJECTED = 1 << 20
};

#define WTL_SPOOL_CLOSED ".closed"

/* Open the folder: a descriptor; -EPERM and others with a message. */
int wtl_spool_folder_open(const char *path, bool create, struct wattle_error *err);

/* Take a lock within a time: a descriptor, whose close(2) releases it; -EAGAIN, or an errno. */
int wtl_spool_lock(int folder, const char *name, unsigned patience_ms);

/* Close `current`, under the lock: 0, also if no segment is open. */
int wtl_spool_close_current(int folder);

/* The name of a closed segment, unique. */
void wtl_spool_closed_name(char *buf, size_t size);

struct wtl_spool_counts {
    uint64_t refused, damaged, rejected;
    uint64_t logged_s; /* when a failure was last to be logged, CLOCK_REALTIME */
};
/* Missing or damaged: zeros. */
struct wtl_spool_counts wtl_spool_counts_read(int folder);
/* Add to them, under the lock. 0 or an errno. */
int wtl_spool_counts_add(int folder, const struct wtl_spool_counts *more);

/* Walk over the segments, sizes by name: `current` last, the oldest first. Stops if visit returns other than 0. */
typedef int wtl_spool_visit_fn(void *arg, const char *name, uint64_t size);
int wtl_spool_walk(int folder, wtl_spool_visit_fn *visit, void *arg);

/* The JSON of a line of n bytes without its line break; NULL if its checksum is not right. */
const char *wtl_spool_line_json(const char *line, size_t n, size_t *ret_size);
void wtl_spool_line_checksum(const char *json, size_t n, char text[WTL_SPOOL_CHECKSUM + 2]);

#endif
