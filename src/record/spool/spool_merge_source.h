/* SPDX-License-Identifier: BSD-3-Clause */
/* One spool on its way into a trace: its process, threads and names there. */
#ifndef WTL_RECORD_SPOOL_MERGE_SOURCE_H
#define WTL_RECORD_SPOOL_MERGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"
#include "trace/spool/spool.h"
#include "trace/writer.h"

struct wtl_spool_merge_source {
    char *path;
    uint64_t created_ns;
    struct wtl_spool *spool; /* NULL while it is not open */
    size_t threads_left;     /* of those that were begun */
    size_t threads_begun;
    uint32_t process; /* in the trace */
    int *strings;     /* [string_count] ids in the trace by the spool's id - 1; 0 = not yet */
    size_t string_count;
    bool good;    /* all of it so far could be read */
    bool foreign; /* its clock is another, by an unknown amount */
    bool written; /* it is whole in the trace */
};

/* What a trace that is repaired has of the spools already, in the order of each thread. */
struct wtl_spool_merge_known {
    const struct wtl_trace_reader *reader; /* NULL: nothing */
    uint64_t *marks;                       /* [threads of the trace] */
    bool *claimed;                         /* [threads of the trace] */
};

int wtl_spool_merge_known_init(struct wtl_spool_merge_known *known,
                               struct wtl_trace_reader *reader,
                               struct wattle_error *err);
void wtl_spool_merge_known_fini(struct wtl_spool_merge_known *known);

/* Give the process a place in the trace. 0 or -errno. */
int wtl_spool_merge_source_begin(struct wtl_spool_merge_source *source,
                                 const struct wtl_spool_merge_known *known,
                                 struct wtl_trace_writer *writer);

/* Likewise a thread. Its id; *ret_skip: so many of its marks are there. */
int wtl_spool_merge_source_thread(const struct wtl_spool_merge_source *source,
                                  size_t thread,
                                  struct wtl_spool_merge_known *known,
                                  struct wtl_trace_writer *writer,
                                  uint64_t *ret_skip);

/* The trace's id of a spool's name. A name that was lost is called by its number. */
int wtl_spool_merge_source_string(struct wtl_spool_merge_source *source,
                                  uint32_t name,
                                  struct wtl_trace_writer *writer);

void wtl_spool_merge_source_close(struct wtl_spool_merge_source *source);

#endif
