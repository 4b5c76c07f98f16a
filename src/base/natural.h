/* SPDX-License-Identifier: BSD-3-Clause */
/* Natural order of names: runs of digits compare as numbers, so that "cpu2" < "cpu10". */
#ifndef WTL_BASE_NATURAL_H
#define WTL_BASE_NATURAL_H

/* < 0, 0, > 0 as strcmp. */
int wtl_natural_compare(const char *a, const char *b);

/* A sorted copy of count names in one malloc'ed block (pointers, then text) that the caller frees; NULL on
 * out of memory. */
char **wtl_natural_sorted(char *const *names, int count);

#endif
