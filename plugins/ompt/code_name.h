/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name of a place in the code: a region name (<wattle/region.h>) of the form
 *
 *     code:WHAT:MODULE:OFFSET:PATH
 *
 * WHAT is a word such as "barrier", or empty; MODULE 16 hexadecimal digits that identify the file (FNV-1a of its
 * program headers and notes); OFFSET the address in the file, hexadecimal; PATH the file. Whoever merges the
 * marks into the trace turns it into function, file and line, outside of the program (docs/format/spool.md).
 */
#ifndef CODE_NAME_H
#define CODE_NAME_H

#include <stdint.h>

/* Words that may stand before a place; the order is that of the table in code_name.c. */
enum code_what {
    CODE_PLAIN = 0, /* a task or a parallel region */
    CODE_LOOP,
    CODE_SECTIONS,
    CODE_SINGLE,
    CODE_WORKSHARE,
    CODE_DISTRIBUTE,
    CODE_TASKLOOP,
    CODE_SCOPE,
    CODE_BARRIER,
    CODE_TASKWAIT,
    CODE_TASKGROUP,
    CODE_LOCK,
    CODE_CRITICAL,
    CODE_ORDERED,
    CODE_JOIN,
    CODE_CONDITION,
    CODE_SEMAPHORE,
    CODE_WHATS
};

/* Id of the name of the call that returns to `address`; NULL: only the word. Costs a look-up in a table once an
 * address is known; safe from any thread, takes no lock of its own. 0 = none. */
uint32_t code_name(enum code_what what, const void *address);

/* The loaded file that contains an address; 0, 0 = none. */
void code_range(uintptr_t address, uintptr_t *ret_begin, uintptr_t *ret_end);

/* Does the address lie in a loaded library whose file name begins with one of the words (the last is NULL)? Asks the
 * loader each time. */
int code_is_of(const void *address, const char *const *names);

/* Is a library whose file name begins with `name` loaded? */
int code_has_library(const char *name);

#endif
