/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in text files of the kernel: read once for all columns, parsed without allocation. */
#ifndef WTL_COUNTERS_COUNT_FILE_H
#define WTL_COUNTERS_COUNT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/world/world.h"

enum { WTL_COUNT_FILE_SIZE = 1 << 20, WTL_COUNT_WORD = 40 };

enum wtl_count_form {
    WTL_COUNT_NUMBER,  /* the whole file is one number */
    WTL_COUNT_KEY,     /* the number after "WORD " at the start of a line */
    WTL_COUNT_USED,    /* /proc/meminfo: MemTotal minus MemAvailable, in bytes */
    WTL_COUNT_NET,     /* /proc/net/dev: a field, summed over interfaces */
    WTL_COUNT_DISK,    /* /proc/diskstats: a field, summed over disks */
    WTL_COUNT_IO_STAT, /* io.stat of a cgroup: WORD=N, summed over devices */
};

struct wtl_count_file {
    char path[300];
    int fd;
    char *text;
    ssize_t size; /* of the text, or -errno */
};

/* What to take from a file. */
struct wtl_count_rule {
    enum wtl_count_form form;
    char word[WTL_COUNT_WORD]; /* key; interface or disk, "" = all that count */
    unsigned field;            /* of a table, from 0 after the name */
    uint64_t factor;           /* unit of the file in that of the channel */
};

enum { WTL_COUNT_ROWS = 1024 };

/* A sum over interfaces or disks, which may come and go. */
struct wtl_count_sum {
    uint64_t names;                           /* hash of the rows of the table when chosen */
    unsigned char chosen[WTL_COUNT_ROWS / 8]; /* the rows that count */
    size_t chosen_count;
    uint64_t shift; /* so that the sum falls, as after a restart, when others are summed */
    bool started;
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
