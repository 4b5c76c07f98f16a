/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run file: the unmodified traces of all nodes of a run, one after the other, and an index;
 * docs/format/run.md. Everything that can be read from a node's trace can be read from its member, byte for
 * byte the same (wtl_trace_reader_open_part()).
 *
 * Writing has three steps; several processes may do the second one concurrently:
 *
 *     wtl_run_file_place(&file);                           offsets follow from lengths
 *     wtl_run_file_copy(fd, &file.members[i], &part, err)  for each member, in any order
 *     wtl_run_file_finish(fd, path, &file, err);           head, index, trailer, fsync
 *
 * Without its trailer it is not a run file: it becomes valid as a whole or not at all.
 */
#ifndef WTL_TRACE_RUN_FILE_H
#define WTL_TRACE_RUN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

/* How a node's time was aligned with that of the others. */
enum wtl_run_aligned {
    WTL_ALIGNED_NOT = 0,      /* no common clock: its begin is assumed to be that of the run */
    WTL_ALIGNED_REALTIME = 1, /* by the wall clock: reference = CLOCK_REALTIME */
    WTL_ALIGNED_SYNC = 2      /* by measured offsets between the nodes */
};

#define WTL_RESIDUAL_UNKNOWN UINT64_MAX

/* Reference time = t + offset_ns + drift * (t - at_ns), with t on the node's own clock. */
struct wtl_run_clock {
    enum wtl_run_aligned aligned;
    uint64_t at_ns; /* on the node's clock */
    int64_t offset_ns;
    double drift;         /* of the offset, per second */
    uint64_t residual_ns; /* half width of the offset's uncertainty; WTL_RESIDUAL_UNKNOWN */
};

/* Convert a time of the node to the run's reference time, saturating if it does not fit, so that the order
 * is preserved. */
int64_t wtl_run_clock_time(const struct wtl_run_clock *clock, uint64_t node_ns);
/* The inverse; 0 for times before the node's time 0. */
uint64_t wtl_run_clock_node(const struct wtl_run_clock *clock, int64_t reference_ns);

struct wtl_run_member {
    char *name; /* of the node, unique in the file; owned by the file */
    uint64_t offset, length;
    struct wtl_run_clock clock;
};

/* A trace that was given for the run but is not included. */
struct wtl_run_left {
    char *name, *why; /* owned */
};

enum { WTL_RUN_FILE_FIRST = 16 }; /* offset of the first member */

struct wtl_run_file {
    char *run_id;                   /* "" = unknown; owned */
    int64_t begin_ns;               /* of the run, in reference time */
    struct wtl_run_member *members; /* owned */
    size_t count;
    char *group;               /* the ranks whose nodes are included; NULL or "" = all; owned */
    struct wtl_run_left *left; /* owned */
    size_t left_count;
};

void wtl_run_file_fini(struct wtl_run_file *file);

/* Whether it begins like a run file: 1, 0 (a trace, another file, a folder, nothing), or -errno of reading. */
int wtl_run_file_is(const char *path);

/* Read head, trailer and index. 0; -EBADMSG when it is not a run file or is incomplete; -ENOTSUP for a
 * newer major version; -ENOMEM; errno of reading; each with a message. The members are not read. */
int wtl_run_file_read(const char *path, struct wtl_run_file *ret_file, struct wattle_error *err);

/* The trace in a file: the file itself, or the first member of a run file, for data that is the same on
 * all nodes. The caller closes it. Errors as for wtl_trace_reader_open() or wtl_run_file_read(). */
int wtl_run_file_open_first(const char *path,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

/* Compute offsets of consecutive members from their lengths. Returns the size without index and trailer. */
uint64_t wtl_run_file_place(struct wtl_run_file *file);

/* Copy a trace to its place in the open file. The member's length is copied from the beginning of the
 * part. 0, -EIO when the part has become shorter, or errno of reading or writing, with a message. */
int wtl_run_file_copy(int fd,
                      const struct wtl_run_member *member,
                      const struct wtl_trace_part *part,
                      struct wattle_error *err);

/* Write head, index and trailer, then fsync. path is used in messages. 0 or -errno. */
int wtl_run_file_finish(int fd,
                        const char *path,
                        const struct wtl_run_file *file,
                        struct wattle_error *err);

/* Whether a file begins like a trace or a run file; false if it cannot be read. */
bool wtl_trace_file_is(const char *path);

#endif
