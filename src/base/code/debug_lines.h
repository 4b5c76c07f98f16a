/* SPDX-License-Identifier: BSD-3-Clause */
/* Function and line of an address from the debug information of an ELF file, by libdw, if it is installed. */
#ifndef WTL_BASE_DEBUG_LINES_H
#define WTL_BASE_DEBUG_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct wtl_debug_lines;

/* The file, or the one with its debug information. NULL: no libdw, no debug information. fd must stay open. */
struct wtl_debug_lines *wtl_debug_lines_open(int fd);
void wtl_debug_lines_close(struct wtl_debug_lines *lines); /* accepts NULL */

/* *ret_function: the innermost function, also an inlined one; NULL = unknown. *ret_file: base name. Both are valid
 * until close. false: the line is unknown. */
bool wtl_debug_lines_find(struct wtl_debug_lines *lines,
                          uint64_t address,
                          const char **ret_function,
                          const char **ret_file,
                          int *ret_line);

/* Is the address in code that a compiler made of several lines, which it then gives the line 0? *ret_file: as above. */
bool wtl_debug_lines_is_merged(struct wtl_debug_lines *lines,
                               uint64_t address,
                               const char **ret_file);

/* Is libdw installed? */
bool wtl_debug_lines_available(void);

#endif
