/* SPDX-License-Identifier: BSD-3-Clause */
/* Epilogs that wattled has not answered: see kept_end.h. */
#define _GNU_SOURCE
#include "cli/jobs/node/kept_end.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/jobs/node/node_record.h"
#include "jobs/spool_folder.h"

unsigned wtl_kept_end_slot(uint64_t raw_job_id)
{
    return (unsigned)(raw_job_id % WTL_KEPT_ENDS);
}

/* The folder, and the name in it: -1 = it is not there, or not root's alone. */
static int open_folder(unsigned slot, char name[20])
{
    struct wattle_error err;
    (void)snprintf(name, 20, ".end-%u", slot % WTL_KEPT_ENDS);
    return wtl_spool_folder_open(wtl_node_spool().folder, false, &err);
}

static int open_slot(unsigned slot, int flags)
{
    char name[20];
    int folder = open_folder(slot, name);
    if (folder < 0)
        return -1;
    int fd = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    (void)close(folder); /* read only */
    return fd;
}

void wtl_kept_end_put(const struct wtl_job_record *record)
{
    struct wattle_error err;
    char *line = NULL;
    size_t size;
    if (wtl_job_record_line(record, &line, &size, &err) < 0)
        return;
    int fd = open_slot(wtl_kept_end_slot(record->raw_job_id), O_WRONLY | O_CREAT | O_TRUNC);
    if (fd >= 0) {
        (void)!write(fd, line, size); /* a part of a line is no record */
        (void)close(fd);
    }
    free(line);
}

bool wtl_kept_end_get(unsigned slot, struct wtl_job_record *ret_record)
{
    struct wattle_error err;
    int fd = open_slot(slot, O_RDONLY);
    char *line = fd < 0 ? NULL : malloc(WTL_JOB_LINE_MAX);
    ssize_t size = line ? read(fd, line, WTL_JOB_LINE_MAX) : -1;
    bool known = size > 0 && wtl_job_record_parse(line, (size_t)size, ret_record, &err) == 0;
    free(line);
    if (fd < 0)
        return false;
    (void)close(fd); /* read only */
    if (!known)
        wtl_kept_end_drop(slot);
    return known;
}

void wtl_kept_end_drop(unsigned slot)
{
    char name[20];
    int folder = open_folder(slot, name);
    if (folder < 0)
        return;
    (void)unlinkat(folder, name, 0); /* it is not there */
    (void)close(folder);
}
