/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of hosts in the files of an administrator: "node[01-16,20],login*,gpu?-[1-4]". Items are separated by commas;
 * in an item, * stands for any text, ? for one character, and [LIST] for one number of a list of numbers
 * and ranges, with as many digits as its first number has at least, as in Slurm: [01-16] is 01 to 16, not 1.
 */
#ifndef WTL_BASE_HOST_LIST_H
#define WTL_BASE_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Is this a list? Safe from any thread. */
bool wtl_host_list_is_valid(const char *list);

/* Does a valid list contain the host, by its whole name or by the part before the first dot? Safe from any thread. */
bool wtl_host_list_has(const char *list, const char *host);

/* The names of a list without * and ?: at most `most`, each malloc'ed, as their list. 0 or -ENOMEM. What cannot be parsed is ignored. */
int wtl_host_list_expand(const char *text, size_t most, char ***ret_names, size_t *ret_count);

#endif
