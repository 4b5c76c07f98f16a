/* SPDX-License-Identifier: BSD-3-Clause */
/* What wattled may do, as tables: see privilege.h. */
#ifndef WTL_DAEMON_PRIVILEGE_TABLE_H
#define WTL_DAEMON_PRIVILEGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* For builds with a sanitizer: it stops the process with ptrace(2) to look for leaks, has threads, and uses more
 * system calls. They stay dumpable and have no filter. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define WTL_HAS_SANITIZER 1
#else
#    define WTL_HAS_SANITIZER 0
#endif

/* A condition on one argument of a system call, on its low 32 bits. */
enum wtl_call_condition {
    WTL_CALL_ALWAYS,
    WTL_CALL_IF_EQUAL, /* the argument is one of the values */
    WTL_CALL_IF_SET,   /* all bits of values[0] are set */
    WTL_CALL_UNLESS_SET
};

enum { WTL_CALL_VALUES = 3 };

struct wtl_allowed_call {
    int number; /* -1 = not on this processor */
    const char *name, *why;
    enum wtl_call_condition condition;
    unsigned argument;
    uint32_t values[WTL_CALL_VALUES]; /* of WTL_CALL_IF_EQUAL: 0 = no more */
};

/* The system calls that remain, the most frequent first. */
extern const struct wtl_allowed_call wtl_allowed_calls[];
extern const size_t wtl_allowed_call_count;

#endif
