/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in text files of the kernel: read once for all columns, parsed without allocation. */
#ifndef WTL_COUNTERS_COUNT_FILE_H
#define WTL_COUNTERS_COUNT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/world/world.h"
#include "counters/columns/count_rule.h"

enum { WTL_COUNT_FILE_SIZE = 1 << 20 };

struct wtl_count_file {
    char path[300];
    int fd;
    char *text;
    ssize_t size; /* of the text, or -errno */
};

/* Open and read a file: 0 or -errno. wtl_count_file_close() in both cases. */
int wtl_count_file_open(struct wtl_count_file *file,
                        const struct wtl_world *world,
                        const char *path);
void wtl_count_file_close(const struct wtl_world *world, struct wtl_count_file *file);
void wtl_count_file_read(const struct wtl_world *world, struct wtl_count_file *file);

/* The value: 0, -EBADMSG: it is not there, -ENODEV: no interface or disk, -EOVERFLOW: too many, or the error of the file. */
int wtl_count_file_value(const struct wtl_world *world,
                         const struct wtl_count_file *file,
                         const struct wtl_count_rule *rule,
                         struct wtl_count_sum *sum,
                         uint64_t *ret_value);

#endif
