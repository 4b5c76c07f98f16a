/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

void wtl_hold_standard_streams(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
        continue;
    if (fd > STDERR_FILENO)
        (void)close(fd);
}
