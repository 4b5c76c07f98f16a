/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the code, as tools in a program name them (docs/format/spool.md), in words: "main (chol.c:42)",
 * "barrier in main (chol.c:50)"; without debug information "main+0x2e"; of a stripped file "chol+0x11e3"; code that the compiler or the linker made of that of several constructs "several in chol.c (main+0x2e)". The
 * same place in a second program, for example after exec, is "main (chol.c:42) of second". Lines need libdw (elfutils), which is loaded if it is installed.
 */
#ifndef WTL_BASE_CODE_PLACE_H
#define WTL_BASE_CODE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct wtl_code_places;

#define WTL_CODE_PLACE_BYTES  256
#define WTL_CODE_PLACE_MERGED 2

/*
 * name: as in the program. *places: NULL at first; keeps the files open that were looked into. Returns 1 with text,
 * WTL_CODE_PLACE_MERGED if it is of several constructs, or 0 if the name is not that of a place. Not thread-safe.
 */
int wtl_code_place(struct wtl_code_places **places, const char *name, char *text, size_t n);
/* Is it the text of a place of several constructs? */
bool wtl_code_place_is_merged(const char *text);

void wtl_code_places_free(struct wtl_code_places *places); /* accepts NULL */

#endif
