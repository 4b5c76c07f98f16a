/* SPDX-License-Identifier: BSD-3-Clause */
/* /proc/net/dev, /proc/diskstats and io.stat as sums: see count_file.h. */
#ifndef WTL_COUNTERS_COUNT_TABLE_H
#define WTL_COUNTERS_COUNT_TABLE_H

#include "base/world/world.h"
#include "counters/columns/count_rule.h"

/*
 * The sum of a field over the rows that count. Without a name these are interfaces and disks with a device behind them
 * (/sys/class/net/NAME/device, /sys/block/NAME/device): a bridge, a partition or a RAID would count the same bytes
 * again. If there are none, as in a container, all interfaces except lo, and all disks except loop, ram, zram and those
 * made of others. When the rows of the table change, the sum starts again from 0: how much the others had counted is
 * unknown. 0, -ENODEV, -EBADMSG, -EOVERFLOW.
 */
int wtl_count_table_sum(const struct wtl_world *world,
                        const char *text,
                        const struct wtl_count_rule *rule,
                        struct wtl_count_sum *sum,
                        uint64_t *ret_sum);

/* "WORD=N" summed over the lines; 0 if there are none: a cgroup without I/O. */
uint64_t wtl_count_words_sum(const char *text, const char *word);

#endif
