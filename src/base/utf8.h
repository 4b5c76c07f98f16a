/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of unknown origin (arguments, paths, names of processes) as valid UTF-8. */
#ifndef WTL_BASE_UTF8_H
#define WTL_BASE_UTF8_H

#include <stddef.h>

/* Length in bytes of the valid UTF-8 character at text (no overlong forms, no surrogates), at most
 * n bytes being there; 0 when there is none. */
size_t wtl_utf8_length(const char *text, size_t n);

/* A copy in which each byte that is part of no valid character is U+FFFD; malloc'ed for the caller
 * to free, NULL without memory. */
char *wtl_utf8_dup(const char *text);

/* The number of characters, each byte of what is no valid UTF-8 counting as one. */
size_t wtl_utf8_columns(const char *text);

#endif
