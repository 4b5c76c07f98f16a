/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of regions as names of MonEQ's tags, over all nodes of a run. Its reducer makes a file "TAG.dat" of each and ends a
 * name at a blank: blanks, control bytes and slashes become "_", long names are cut, and one that would be taken
 * ("original", "untagged", or by another region) gets a number.
 */
#ifndef WTL_EXCHANGE_MONEQ_NAMES_H
#define WTL_EXCHANGE_MONEQ_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/string_set.h"

enum { WTL_MONEQ_TAG_MAX = 200 };

struct wtl_moneq_names {
    struct wtl_string_set regions, tags; /* number i of one is number i of the other */
    uint64_t changed;                    /* names that are not what the region was called */
};

/* The number of a region's name, from 1; -ENOMEM. */
int wtl_moneq_names_number(struct wtl_moneq_names *names, const char *region);
const char *wtl_moneq_names_tag(const struct wtl_moneq_names *names, uint32_t number);

/* MonEQTags.txt: a tag a line, in the order in which they first began. Failures stay in the stream. */
void wtl_moneq_names_print(const struct wtl_moneq_names *names, FILE *out);
void wtl_moneq_names_fini(struct wtl_moneq_names *names);

#endif
