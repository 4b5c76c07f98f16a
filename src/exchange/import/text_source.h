/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text source: the lines of a text file, plain or compressed by gzip or zstd (known by their first
 * bytes, not by the name), in memory that depends on the longest line only.
 *
 *     wtl_text_source_open(path, &source, err);
 *     while ((rc = wtl_text_source_next(source, &line, &length, err)) > 0)
 *         ...
 *     wtl_text_source_close(source);
 *
 * A line comes without its end (LF or CRLF) and is followed by a NUL. A byte order mark of UTF-8 is left
 * out; other marks, and bytes that are NUL, are no text and fail with a sentence. The caller owns the
 * source; a line is his until the next call and may be written into. One thread at a time.
 */
#ifndef WTL_EXCHANGE_TEXT_SOURCE_H
#define WTL_EXCHANGE_TEXT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

/* A longer line is refused: 10^5 columns take some 2 MB. */
#define WTL_TEXT_LINE_MAX ((size_t)32 << 20)

struct wtl_text_source;

/* Open a file. "-" is standard input, which can be read once. 0 or -errno with a sentence. */
int wtl_text_source_open(const char *path,
                         struct wtl_text_source **ret_source,
                         struct wattle_error *err);

/* The same from n bytes of memory, borrowed; name is how messages call it. */
int wtl_text_source_memory(const char *name,
                           const void *bytes,
                           size_t n,
                           struct wtl_text_source **ret_source,
                           struct wattle_error *err);

/* 1 and a line; 0 at the end; -EBADMSG for what is no text or is cut off, -EMSGSIZE for a line that
 * is too long, -ENOMEM, or the errno of read(2), with a sentence that names file and line. */
int wtl_text_source_next(struct wtl_text_source *source,
                         char **ret_line,
                         size_t *ret_length,
                         struct wattle_error *err);

/* Begin again with the first line. 0, -ESPIPE for what can be read only once, or -errno. */
int wtl_text_source_rewind(struct wtl_text_source *source, struct wattle_error *err);

/* The number of the line that came last, from 1. */
uint64_t wtl_text_source_line(const struct wtl_text_source *source);

/* "none", "gzip", "zstd". */
const char *wtl_text_source_compression(const struct wtl_text_source *source);

void wtl_text_source_close(struct wtl_text_source *source); /* accepts NULL */

#endif
