/* SPDX-License-Identifier: BSD-3-Clause */
/* One spool being merged into a trace: its process, threads and names there. */
#ifndef WTL_RECORD_SPOOL_MERGE_SOURCE_H
#define WTL_RECORD_SPOOL_MERGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/code/code_place.h"
#include "trace/reader.h"
#include "trace/spool/spool.h"
#include "trace/writer.h"

struct wtl_spool_merge_source {
    char *path;
    uint64_t created_ns;
    struct wtl_spool *spool; /* NULL while it is not open */
    size_t threads_left;     /* threads started and not finished */
    size_t threads_begun;
    uint32_t process; /* in the trace */
    uint32_t held;    /* name of what it has not told yet (WATTLE_TASK_LABEL_HELD); 0 = nothing */
    int *strings;     /* [string_count] trace ids by the spool's id - 1; 0 = not yet */
    size_t string_count;
    bool good;    /* no read error so far */
    bool foreign; /* its clock differs by an unknown amount */
    bool written; /* the trace has all of it */
};

/* Numbers of marks of a thread by the block that holds them: the last blocks of a trace that was cut off
 * may have those of one kind, and not those of another. */
struct wtl_spool_merge_marks {
    uint64_t regions, events, tasks;
};

/* Whether the next mark of the thread is one of these; it is then counted off. */
bool wtl_spool_merge_is_known(struct wtl_spool_merge_marks *known, const struct wtl_mark *mark);

/* What a trace being repaired already has of the spools, in the order of each thread. */
struct wtl_spool_merge_known {
    const struct wtl_trace_reader *reader; /* NULL: nothing */
    struct wtl_spool_merge_marks *marks;   /* [threads of the trace] */
    bool *claimed;                         /* [threads of the trace] */
};

int wtl_spool_merge_known_init(struct wtl_spool_merge_known *known,
                               struct wtl_trace_reader *reader,
                               struct wattle_error *err);
void wtl_spool_merge_known_fini(struct wtl_spool_merge_known *known);

/* Add the process to the trace. 0 or -errno. */
int wtl_spool_merge_source_begin(struct wtl_spool_merge_source *source,
                                 const struct wtl_spool_merge_known *known,
                                 struct wtl_trace_writer *writer);

/* Likewise a thread. Returns its id; *ret_known: its marks already in the trace. */
int wtl_spool_merge_source_thread(const struct wtl_spool_merge_source *source,
                                  size_t thread,
                                  struct wtl_spool_merge_known *known,
                                  struct wtl_trace_writer *writer,
                                  struct wtl_spool_merge_marks *ret_known);

/* The trace's id of a spool's name. A lost name is replaced by its number, a place in the code by function, file and
 * line. ret_merged: the first time, its text if it is a place of several constructs; else "". */
int wtl_spool_merge_source_string(struct wtl_spool_merge_source *source,
                                  uint32_t name,
                                  struct wtl_code_places **places,
                                  struct wtl_trace_writer *writer,
                                  char ret_merged[WTL_CODE_PLACE_BYTES]);

void wtl_spool_merge_source_close(struct wtl_spool_merge_source *source);

#endif
