/* SPDX-License-Identifier: BSD-3-Clause */
/* The strings a writer has numbered: each string once, from 1 on. */
#ifndef WTL_TRACE_STRING_SET_H
#define WTL_TRACE_STRING_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_string_set {
    char **texts; /* [count], number i is texts[i - 1] */
    uint32_t count, capacity;
    uint32_t *slots; /* hash table of numbers; 0 = free */
    uint32_t slot_count;
};

void wtl_string_set_fini(struct wtl_string_set *set);

/* The number of a string; *ret_fresh: it is new. -ENOMEM. */
int wtl_string_set_add(struct wtl_string_set *set, const char *text, bool *ret_fresh);

#endif
