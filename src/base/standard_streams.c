/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/standard_streams.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void wtl_hold_standard_streams(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
        continue;
    if (fd > STDERR_FILENO)
        (void)close(fd);
}

void wtl_close_others(int kept)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd > STDERR_FILENO && fd != kept && fd != dirfd(folder))
            (void)close(fd);
    }
    if (folder) {
        (void)closedir(folder);
        return;
    }
    const long most = sysconf(_SC_OPEN_MAX) < 65536 ? sysconf(_SC_OPEN_MAX) : 65536;
    for (int fd = STDERR_FILENO + 1; fd < most; fd++)
        if (fd != kept)
            (void)close(fd);
}
