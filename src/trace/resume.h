/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resume: a writer that goes on where another one was killed, in the same file. What is there stays; an
 * unfinished last block is cut off. The writer is as any other, but:
 *   - channels and groups that the file has are found again, not made (wtl_writer_find_channel());
 *   - it has no digest of what came before, so it is not finished but abandoned, and the file repaired
 *     (trace/repair.h), which adds the footer.
 */
#ifndef WTL_TRACE_RESUME_H
#define WTL_TRACE_RESUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/resumed.h"
#include "trace/writer.h"

/*
 * Open for going on. 0; -EALREADY when the trace is complete, -EBUSY when somebody still writes it; -EBADMSG,
 * -ENOTSUP as wtl_trace_reader_open(); or an errno. Each with a sentence; the file is then as it was.
 */
int wtl_trace_resume(const char *path,
                     struct wtl_trace_writer **ret_writer,
                     struct wattle_error *err);

/* What was there; NULL for a writer that began its file. The writer's. */
const struct wtl_trace_resumed *wtl_trace_writer_resumed(const struct wtl_trace_writer *writer);

/* Channel i of what was there, i < count; its name and units as in the file. The writer's, until it gets another channel. */
const struct wattle_channel *wtl_trace_writer_known(const struct wtl_trace_writer *writer,
                                                    size_t i);

/* The id of a channel, or of a group, that a resumed file has; -ENOENT; -EINVAL for a channel of that name
 * which is another (its kind, scale or range). */
int wtl_trace_writer_find_channel(const struct wtl_trace_writer *writer,
                                  const struct wattle_channel *channel);
int wtl_trace_writer_find_group(const struct wtl_trace_writer *writer,
                                const uint32_t *channels,
                                size_t count,
                                unsigned flags);

#endif
