/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text source: the lines of a text file, plain or compressed with gzip or zstd (detected by their
 * first bytes, not by the name), in memory that depends only on the longest line.
 *
 *     wtl_text_source_open(path, &source, err);
 *     while ((rc = wtl_text_source_next(source, &line, &length, err)) > 0)
 *         ...
 *     wtl_text_source_close(source);
 *
 * A line comes without its end (LF or CRLF) and is followed by a NUL. A UTF-8 byte order mark is
 * skipped; other byte order marks and NUL bytes mean that it is not text, which fails with a
 * message. The caller owns the source, and the line until the next call; it may modify the line.
 * One thread at a time.
 */
#ifndef WTL_EXCHANGE_TEXT_SOURCE_H
#define WTL_EXCHANGE_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

/* Longer lines are refused: 10^5 columns take about 2 MB. */
#define WTL_TEXT_LINE_MAX ((size_t)32 << 20)

struct wtl_text_source;

/* Open a file. "-" is standard input, which can be read only once. 0 or -errno with a message. */
int wtl_text_source_open(const char *path,
                         struct wtl_text_source **ret_source,
                         struct wattle_error *err);

/* The same for n bytes of memory, borrowed; name is used in messages. */
int wtl_text_source_memory(const char *name,
                           const void *bytes,
                           size_t n,
                           struct wtl_text_source **ret_source,
                           struct wattle_error *err);

/* 1 and a line; 0 at the end; -EBADMSG if it is not text or is cut off, -EMSGSIZE for a line that
 * is too long, -ENOMEM, or the errno of read(2), with a message that names file and line. */
int wtl_text_source_next(struct wtl_text_source *source,
                         char **ret_line,
                         size_t *ret_length,
                         struct wattle_error *err);

/* Start over with the first line. 0, -ESPIPE if it can be read only once, or -errno. */
int wtl_text_source_rewind(struct wtl_text_source *source, struct wattle_error *err);

/* The number of the line returned last, from 1. */
uint64_t wtl_text_source_line(const struct wtl_text_source *source);

/* Did the line returned last end with the file instead of a line break? */
bool wtl_text_source_is_cut(const struct wtl_text_source *source);

/* "none", "gzip", "zstd". */
const char *wtl_text_source_compression(const struct wtl_text_source *source);

/* Called now and then during reading: how many of all bytes of the file were read, again from 0 after a rewind. Both 0 where the
 * size is unknown. */
void wtl_text_source_watch(struct wtl_text_source *source,
                           void (*watch)(void *context, uint64_t done, uint64_t all),
                           void *context);

void wtl_text_source_close(struct wtl_text_source *source); /* accepts NULL */

#endif
