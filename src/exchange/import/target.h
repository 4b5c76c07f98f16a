/* SPDX-License-Identifier: BSD-3-Clause */
/* Target: what a column is, as options and format files write it: "package-0:energy:kWh:delta", with "within PLACE" for a part. */
#ifndef WTL_EXCHANGE_TARGET_H
#define WTL_EXCHANGE_TARGET_H

#include "exchange/import/import_table.h"

/* Parse a target into a meaning. 0 or -EINVAL with a message. */
int wtl_target_take(struct wtl_meaning *meaning, const char *target, struct wattle_error *err);

/* Parse "package-0", "core-0-3", "cpu_load-0" at the beginning of text: place, index and sub;
 * returns the bytes used, 0 if invalid. number: the "-0" is required. */
size_t wtl_target_read_place(struct wtl_meaning *meaning, const char *text, bool number);

/* The opposite; name: of the channel. */
void wtl_target_print(const struct wtl_meaning *meaning, const char *name, char *text, size_t size);

#endif
