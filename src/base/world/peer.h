/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers of the machine this process runs on: the calls of world.h as implemented by the real world;
 * world.h has their contracts. No state. */
#ifndef WTL_BASE_PEER_H
#define WTL_BASE_PEER_H

#include "base/world/world.h"

int wtl_peer_connect(const struct wtl_world *world, const char *address, uint64_t deadline_ns);
int wtl_peer_send(const struct wtl_world *world,
                  int fd,
                  const void *data,
                  size_t n,
                  uint64_t deadline_ns);
ssize_t wtl_peer_recv(const struct wtl_world *world,
                      int fd,
                      void *buf,
                      size_t n,
                      uint64_t deadline_ns);
ssize_t wtl_peer_recv_memory(const struct wtl_world *world,
                             int fd,
                             void *buf,
                             size_t n,
                             struct wtl_memory *ret_memory,
                             uint64_t deadline_ns);
void wtl_peer_unmap(const struct wtl_world *world, struct wtl_memory memory);
int wtl_peer_wait(const struct wtl_world *world, int fd, uint64_t deadline_ns);
int wtl_peer_ioctl(const struct wtl_world *world, int fd, const struct wtl_ioctl *call);
int wtl_peer_spawn(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
int wtl_peer_converse(const struct wtl_world *world, const char *const argv[], pid_t *ret_child);
int wtl_peer_reap(const struct wtl_world *world, pid_t child, uint64_t deadline_ns);

/* ---- shared by the implementation files ---- */

uint64_t wtl_peer_now(void); /* CLOCK_MONOTONIC */

/* Wait for one of the events of poll(2), or for a failure that the next call will report: 0, -ETIMEDOUT. */
int wtl_peer_poll(int fd, short events, uint64_t deadline_ns);

/* A socket connected to "tcp:...", "udp:..." or "unix:...", "packet:...": fd or -errno. */
int wtl_peer_socket(const char *address, uint64_t deadline_ns);

#endif
