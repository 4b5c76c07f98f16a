/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of unknown origin (arguments, paths, names of processes) as valid UTF-8. */
#ifndef WTL_BASE_UTF8_H
#define WTL_BASE_UTF8_H

#include <stddef.h>

/* Length in bytes of the valid UTF-8 character at text (no overlong forms, no surrogates), at most
 * n bytes being there; 0 when there is none. */
size_t wtl_utf8_length(const char *text, size_t n);

/*
 * Length in bytes of the printable character at text, at most n bytes being there; 0 when there is none: an
 * invalid byte, a control character (ESC, C1 and NUL included), or one that changes the direction or
 * the lines of what surrounds it (U+200E, U+200F, U+061C, U+2028 to U+202E, U+2066 to U+2069).
 * *ret_length, also then: how many bytes to skip. The one rule for foreign text on its way to people.
 */
size_t wtl_utf8_printable(const char *text, size_t n, size_t *ret_length);

/* The code of a valid character of that length. */
unsigned wtl_utf8_code(const char *text, size_t length);

/* In place: each character of a sentence that is not printable becomes "?"; line ends and tabs stay. */
void wtl_utf8_clean(char *text);

/* A copy in which each byte that is part of no valid character is U+FFFD; malloc'ed for the caller
 * to free, NULL without memory. */
char *wtl_utf8_dup(const char *text);

/* The number of characters, each byte of what is no valid UTF-8 counting as one. */
size_t wtl_utf8_columns(const char *text);

#endif
