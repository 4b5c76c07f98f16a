/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers of a recorded world, answered from its dialogues: the calls of world.h as implemented by the
 * recorded world. Each call takes the lock. */
#ifndef WTL_BASE_RECORDED_PEER_H
#define WTL_BASE_RECORDED_PEER_H

#include "base/world/world.h"

int wtl_recorded_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns);
int wtl_recorded_send(const struct wtl_world *world,
                      int fd,
                      const void *data,
                      size_t n,
                      uint64_t deadline_ns);
ssize_t wtl_recorded_recv(const struct wtl_world *world,
                          int fd,
                          void *buf,
                          size_t n,
                          uint64_t deadline_ns);
int wtl_recorded_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns);
int wtl_recorded_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call);
int wtl_recorded_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
int wtl_recorded_converse(const struct wtl_world *world,
                          const char *const argv[],
                          pid_t *ret_child);
int wtl_recorded_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns);

#endif
