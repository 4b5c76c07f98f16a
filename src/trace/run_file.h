/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run file: the traces of all nodes of a run, one behind the other as they were, and an index of
 * them; docs/format/run.md. What can be read from a node's trace can be read from its member, byte for
 * byte the same (wtl_trace_reader_open_part()).
 *
 * Writing is in three steps, of which the middle one may be done by several processes at once:
 *
 *     wtl_run_file_place(&file);                           offsets follow from lengths
 *     wtl_run_file_copy(fd, &file.members[i], &part, err)  for each member, in any order
 *     wtl_run_file_finish(fd, path, &file, err);           head, index, trailer, fsync
 *
 * Without its trailer it is no run file: it appears whole or not at all.
 */
#ifndef WTL_TRACE_RUN_FILE_H
#define WTL_TRACE_RUN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"

/* How the time of a node was set against that of the others. */
enum wtl_run_aligned {
    WTL_ALIGNED_NOT = 0,      /* no clock in common: its begin is taken for the run's */
    WTL_ALIGNED_REALTIME = 1, /* by the wall clock: reference = CLOCK_REALTIME */
    WTL_ALIGNED_SYNC = 2      /* by offsets that were measured between the nodes */
};

#define WTL_RESIDUAL_UNKNOWN UINT64_MAX

/* Reference time = t + offset_ns + drift * (t - at_ns), t in the node's own clock. */
struct wtl_run_clock {
    enum wtl_run_aligned aligned;
    uint64_t at_ns; /* of the node */
    int64_t offset_ns;
    double drift;         /* of the offset, per second */
    uint64_t residual_ns; /* half width of what the offset may be wrong; WTL_RESIDUAL_UNKNOWN */
};

/* A time of the node in the run's reference time; the nearest that there is where it does not fit, so that later is never
 * before. */
int64_t wtl_run_clock_time(const struct wtl_run_clock *clock, uint64_t node_ns);
/* And back; 0 for what lies before the node's time 0. */
uint64_t wtl_run_clock_node(const struct wtl_run_clock *clock, int64_t reference_ns);

struct wtl_run_member {
    char *name; /* of the node, unique in the file; owned by the file */
    uint64_t offset, length;
    struct wtl_run_clock clock;
};

/* A trace that was given for the run and is not in it. */
struct wtl_run_left {
    char *name, *why; /* owned */
};

enum { WTL_RUN_FILE_FIRST = 16 }; /* offset of the first member */

struct wtl_run_file {
    char *run_id;                   /* "" = unknown; owned */
    int64_t begin_ns;               /* of the run, in reference time */
    struct wtl_run_member *members; /* owned */
    size_t count;
    char *group;               /* the ranks whose nodes are in it; NULL or "" = all; owned */
    struct wtl_run_left *left; /* owned */
    size_t left_count;
};

void wtl_run_file_fini(struct wtl_run_file *file);

/* Does it begin as a run file? 1, 0 (a trace, another file, a folder, nothing), or -errno of reading. */
int wtl_run_file_is(const char *path);

/* Read head, trailer and index. 0; -EBADMSG when it is none, or is not whole; -ENOTSUP of a newer major
 * version; -ENOMEM; errno of reading; each with a sentence. The members are not looked into. */
int wtl_run_file_read(const char *path, struct wtl_run_file *ret_file, struct wattle_error *err);

/* The trace in a file: itself, or the first member of a run file, for what is the same on all nodes. The caller
 * closes it. What wtl_trace_reader_open() or wtl_run_file_read() says. */
int wtl_run_file_open_first(const char *path,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

/* Offsets of the members, one behind the other, from their lengths. Returns the size of all but index
 * and trailer. */
uint64_t wtl_run_file_place(struct wtl_run_file *file);

/* Copy a trace to its place in the open file. length of the member is copied from the part's begin. 0, -EIO when
 * the part is shorter by now, or errno of reading or writing, with a sentence. */
int wtl_run_file_copy(int fd,
                      const struct wtl_run_member *member,
                      const struct wtl_trace_part *part,
                      struct wattle_error *err);

/* Head, index and trailer, then fsync. path is for messages. 0 or -errno. */
int wtl_run_file_finish(int fd,
                        const char *path,
                        const struct wtl_run_file *file,
                        struct wattle_error *err);

#endif
