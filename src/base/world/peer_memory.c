/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a peer passes: see world.h. The rules of what is safe to map are those of <wattle/page.h>. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <wattle/page.h>

#include "base/world/peer.h"

ssize_t wtl_peer_recv_memory(const struct wtl_world *world,
                             int fd,
                             void *buf,
                             size_t n,
                             struct wtl_memory *ret_memory,
                             uint64_t deadline_ns)
{
    (void)world;
    int passed;
    *ret_memory = (struct wtl_memory){0};
    int rc = wtl_peer_poll(fd, POLLIN, deadline_ns);
    if (rc < 0)
        return rc;
    ssize_t got = wattle_page_receive_(fd, buf, n, &passed);
    if (passed >= 0) {
        if (wattle_page_map_(passed, &ret_memory->at, &ret_memory->size) < 0)
            *ret_memory = (struct wtl_memory){0};
        (void)close(passed); /* the mapping stays */
    }
    return got;
}

void wtl_peer_unmap(const struct wtl_world *world, struct wtl_memory memory)
{
    (void)world;
    if (memory.at)
        (void)munmap((void *)(uintptr_t)memory.at, memory.size); /* mapped above */
}
