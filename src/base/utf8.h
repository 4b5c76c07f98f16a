/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of unknown origin (arguments, paths, names of processes) as valid UTF-8. */
#ifndef WTL_BASE_UTF8_H
#define WTL_BASE_UTF8_H

#include <stddef.h>

/* Length in bytes of the valid UTF-8 character at text (no overlong forms, no surrogates), where n bytes
 * are available; 0 without one. */
size_t wtl_utf8_length(const char *text, size_t n);

/*
 * Length in bytes of the printable character at text, where n bytes are available; 0 without one: an
 * invalid byte, a control character (including ESC, C1 and NUL), or one that changes the direction or the
 * lines of surrounding text (U+200E, U+200F, U+061C, U+2028 to U+202E, U+2066 to U+2069). *ret_length, also
 * in this case: number of bytes to skip. The single rule for showing foreign text to users.
 */
size_t wtl_utf8_printable(const char *text, size_t n, size_t *ret_length);

/* The code point of a valid character of that length. */
unsigned wtl_utf8_code(const char *text, size_t length);

/* In place: replace each non-printable character of a sentence by "?"; line ends and tabs are kept. */
void wtl_utf8_clean(char *text);

/* A copy in which each byte that is not part of a valid character is replaced by U+FFFD; malloc'ed for the
 * caller to free, NULL on out of memory. */
char *wtl_utf8_dup(const char *text);

/* The number of characters; each byte of invalid UTF-8 counts as one. */
size_t wtl_utf8_columns(const char *text);

#endif
