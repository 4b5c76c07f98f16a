/* SPDX-License-Identifier: BSD-3-Clause */
/* What to take from a text file of the kernel: see count_file.h. */
#ifndef WTL_COUNTERS_COUNT_RULE_H
#define WTL_COUNTERS_COUNT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WTL_COUNT_WORD = 40 };

enum wtl_count_form {
    WTL_COUNT_NUMBER,  /* the whole file is one number */
    WTL_COUNT_KEY,     /* the number after "WORD " at the start of a line */
    WTL_COUNT_USED,    /* /proc/meminfo: MemTotal minus MemAvailable, in bytes */
    WTL_COUNT_NET,     /* /proc/net/dev: a field, summed over interfaces */
    WTL_COUNT_DISK,    /* /proc/diskstats: a field, summed over disks */
    WTL_COUNT_IO_STAT, /* io.stat of a cgroup: WORD=N, summed over devices */
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

#endif
