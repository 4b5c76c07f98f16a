/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts region names to MonEQ tag names, over all nodes of a run. Its reducer creates a file
 * "TAG.dat" for each and ends a name at a blank: blanks, control bytes and slashes become "_", long
 * names are truncated, and one that would collide ("original", "untagged", or another region) gets
 * a number.
 */
#ifndef WTL_EXCHANGE_MONEQ_NAMES_H
#define WTL_EXCHANGE_MONEQ_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/string_set.h"

enum { WTL_MONEQ_TAG_MAX = 200 };

struct wtl_moneq_names {
    struct wtl_string_set regions, tags; /* entry i of one corresponds to entry i of the other */
    uint64_t changed;                    /* names that differ from the region's name */
};

/* The number of a region's name, from 1; -ENOMEM. */
int wtl_moneq_names_number(struct wtl_moneq_names *names, const char *region);
const char *wtl_moneq_names_tag(const struct wtl_moneq_names *names, uint32_t number);

/* MonEQTags.txt: one tag per line, in the order in which they first began. Errors stay in the
 * stream. */
void wtl_moneq_names_print(const struct wtl_moneq_names *names, FILE *out);
void wtl_moneq_names_fini(struct wtl_moneq_names *names);

#endif
