/* SPDX-License-Identifier: BSD-3-Clause */
/* The open descriptors of a recorded world and their contents at the present time of its clock. Callers
 * hold the lock. */
#ifndef WTL_BASE_RECORDED_FILE_H
#define WTL_BASE_RECORDED_FILE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/world/recorded_host.h"
#include "base/world/world.h"

#define WTL_RECORDED_FILES    4096
#define WTL_RECORDED_FIRST_FD 1000000 /* far from real ones: confusing them fails immediately */
#define WTL_RECORDED_GROUP    64
#define WTL_RECORDED_CHILDREN 64

struct wtl_recorded_peer; /* in recorded_peer.c */

struct wtl_recorded_file {
    char *path; /* resolved; for a peer as written in dialogues.tsv */
    int fd;     /* of the underlying file; -1: a peer */
    struct wtl_recorded_peer *peer;
    bool is_perf;
    uint64_t read_format, opened_ns;
    int members[WTL_RECORDED_GROUP]; /* of a perf group: indices in the table, itself first */
    size_t member_count;
};

struct wtl_recorded {
    struct wtl_world world;
    struct wtl_recorded_host host;
    pthread_mutex_t lock;
    struct wtl_recorded_file *files[WTL_RECORDED_FILES];
    uint64_t now_ns, step_ns;
    struct wtl_recorded_child {
        bool is; /* started and not reaped */
        int status;
        uint64_t end_ns;
    } children[WTL_RECORDED_CHILDREN];
    char unanswered[512]; /* the first request that is not in dialogues.tsv; "" = none */
};

/* The present state of a resolved path; a failing parent folder takes precedence. */
struct wtl_script_state wtl_recorded_state(const struct wtl_recorded *r, const char *path);

/* The error with which opening the path fails in this state, or 0: other failures are reported by read. */
int wtl_recorded_open_failure(struct wtl_script_state state);

/* NULL when it is not open. */
struct wtl_recorded_file *wtl_recorded_file_of(const struct wtl_recorded *r, int fd);

/* Add a file: its fd, or -errno; then fd still belongs to the caller. */
int wtl_recorded_file_add(struct wtl_recorded *r, const char *path, int fd);
int wtl_recorded_file_open(struct wtl_recorded *r, const char *path, int flags);
void wtl_recorded_file_close(struct wtl_recorded *r, int fd); /* no effect if not open */

/* Text of a file from offset, like pread(2). Does not allocate. */
ssize_t wtl_recorded_file_pread(const struct wtl_recorded *r,
                                const struct wtl_recorded_file *file,
                                void *buf,
                                size_t n,
                                off_t offset);

/* The number that the file holds, decimal or 0x: 0, -EBADMSG, or the error of the read. */
int wtl_recorded_file_number(const struct wtl_recorded *r,
                             const struct wtl_recorded_file *file,
                             uint64_t *ret_value);

/* Turn the newly opened fd into an event that leads a group (group_fd -1) or joins one. */
int wtl_recorded_perf_join(struct wtl_recorded *r, int fd, int group_fd, uint64_t read_format);

/* Layout as in perf_event_open(2), "Reading results". */
ssize_t wtl_recorded_perf_read(const struct wtl_recorded *r,
                               const struct wtl_recorded_file *leader,
                               void *buf,
                               size_t n);

#endif
