/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the code, as tools in a program name them (docs/format/spool.md), in words: "main (chol.c:42)",
 * "barrier in main (chol.c:50)"; without debug information "main+0x2e"; of a stripped file "chol+0x11e3". The
 * same place in a second program, for example after exec, is "main (chol.c:42) of second". Lines need libdw (elfutils), which is loaded if it is installed.
 */
#ifndef WTL_BASE_CODE_PLACE_H
#define WTL_BASE_CODE_PLACE_H

#include <stddef.h>

struct wtl_code_places;

#define WTL_CODE_PLACE_BYTES 256

/*
 * name: as in the program. *places: NULL at first; keeps the files open that were looked into. Returns 1 with text,
 * or 0 if the name is not that of a place. Not thread-safe.
 */
int wtl_code_place(struct wtl_code_places **places, const char *name, char *text, size_t n);
void wtl_code_places_free(struct wtl_code_places *places); /* accepts NULL */

#endif
