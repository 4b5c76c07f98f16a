/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resume: a writer that continues in the file of one that was killed. Existing data is kept; an unfinished
 * last block is cut off. The writer is like any other, except:
 *   - existing channels and groups of the file are found, not created (wtl_writer_find_channel());
 *   - it has no digest of the earlier data, so it is not finished but abandoned, and the file repaired
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
 * Open to continue. 0; -EALREADY when the trace is complete, -EBUSY when it is still being written; -EBADMSG,
 * -ENOTSUP as wtl_trace_reader_open(); or an errno. Each with a message, and the file unchanged.
 */
int wtl_trace_resume(const char *path,
                     struct wtl_trace_writer **ret_writer,
                     struct wattle_error *err);

/* The state found in the file; NULL for a writer that created its file. Owned by the writer. */
const struct wtl_trace_resumed *wtl_trace_writer_resumed(const struct wtl_trace_writer *writer);

/* Existing channel i, i < count, with name and units as in the file. Owned by the writer, valid until
 * another channel is added. */
const struct wattle_channel *wtl_trace_writer_known(const struct wtl_trace_writer *writer,
                                                    size_t i);

/* The id of an existing channel, or group, in a resumed file; -ENOENT; -EINVAL for a different channel of
 * the same name (other kind, scale or range). */
int wtl_trace_writer_find_channel(const struct wtl_trace_writer *writer,
                                  const struct wattle_channel *channel);
int wtl_trace_writer_find_group(const struct wtl_trace_writer *writer,
                                const uint32_t *channels,
                                size_t count,
                                unsigned flags);

#endif
