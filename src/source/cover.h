/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the total of a selection is that of its machine: a counter of the platform that counts less than what it contains
 * is not the total, and sockets of which nothing, or only the memory, can be read are named.
 */
#ifndef WTL_SOURCE_COVER_H
#define WTL_SOURCE_COVER_H

#include "source/selection.h"

/*
 * Clear PRIMARY of counters of the platform (psys) that count less than the packages, as on machines whose board does not
 * measure it. Reads them and the packages for up to 100 ms, where there are both. PRIMARY must be known, `within` need not.
 */
void wtl_cover_refuse(struct wtl_selection *selection);

/* Whether channel i was refused PRIMARY and no other channel has it instead. */
bool wtl_cover_is_refused(const struct wtl_selection *selection, size_t i);

/* Fill in selection->lacks from what drivers could not read and from the sockets of the machine. 0 or -ENOMEM. */
int wtl_cover_find_lacks(struct wtl_selection *selection, const struct wtl_world *world);

#endif
