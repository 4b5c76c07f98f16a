/* SPDX-License-Identifier: BSD-3-Clause */
/* What a tool reports about its process: see <wattle/process.h>. All of it becomes events
 * (trace/own_event.h). */
#define _GNU_SOURCE
#include <wattle/process.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/hash.h"
#include "record/regions/region_place.h"
#include "trace/own_event.h"

void wattle_process_rank(int rank, int ranks)
{
    if (rank < 0 || rank >= ranks)
        return;
    wtl_region_event(WTL_EVENT_MPI_RANK, (uint64_t)rank);
    wtl_region_event(WTL_EVENT_MPI_RANKS, (uint64_t)ranks);
}

/* "HOST:first 8 digits of the boot id", like the node key of a seat. */
static void node_key(char *key, size_t size)
{
    const char *given = wtl_environment("WATTLE_NODE");
    char host[64] = "", boot[9] = "";
    int error = errno;

    if (given && given[0]) {
        (void)snprintf(key, size, "%s", given);
        return;
    }
    if (gethostname(host, sizeof(host) - 1) < 0)
        host[0] = '\0';
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t got = read(fd, boot, sizeof(boot) - 1);

        boot[got > 0 ? got : 0] = '\0';
        (void)close(fd); /* read only */
    }
    (void)snprintf(key, size, "%s:%s", host, boot);
    errno = error;
}

uint64_t wattle_process_node(void)
{
    char key[256];

    node_key(key, sizeof(key));
    return wtl_hash_text(key);
}

void wattle_process_sync(int64_t offset_ns, uint64_t error_ns, uint64_t reference)
{
    wtl_region_event(WTL_EVENT_SYNC_OFFSET, (uint64_t)offset_ns);
    wtl_region_event(WTL_EVENT_SYNC_ERROR, error_ns);
    wtl_region_event(WTL_EVENT_SYNC_REFERENCE, reference);
}

void wattle_process_mpi(uint64_t calls, uint64_t time_ns)
{
    wtl_region_event(WTL_EVENT_MPI_TIME_NS, time_ns);
    wtl_region_event(WTL_EVENT_MPI_CALLS, calls);
}
