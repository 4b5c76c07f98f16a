/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures how far the clocks of the nodes are apart. One rank of each node, its leader (the
 * lowest), takes part. The leaders form a binomial tree, so that n nodes take log2 n rounds; each
 * asks its parent for the time, repeatedly. If it asks at t1 and receives the answer T at t2, both
 * on its own clock, then the parent's clock was T at some point in between: the offset is within T
 * - t2 .. T - t1, whatever the message delays (F. Cristian, Probabilistic clock synchronization,
 * 1989). The shortest round gives the tightest bound. Down the tree offsets and half widths add up.
 */
#ifndef WATTLE_MPI_CLOCK_OFFSET_H
#define WATTLE_MPI_CLOCK_OFFSET_H

#include <stddef.h>
#include <stdint.h>

/* The interface to messages and clocks; a test has its own. */
struct clock_peers {
    void *context;
    uint64_t (*now_ns)(void *context); /* this node's CLOCK_MONOTONIC */
    int (*send)(void *context,
                size_t to,
                const void *bytes,
                size_t size); /* to a node, given by index */
    int (*receive)(void *context, size_t from, void *ret_bytes, size_t size);
};

struct clock_offset {
    int64_t offset_ns; /* the clock of node 0 minus this one */
    uint64_t
        error_ns; /* half width: the truth is within offset_ns - error_ns .. offset_ns + error_ns */
};

/* Call it on all nodes at the same time, as node `index` of `count`. Takes about 50 round trips per
 * round, or 30 ms if messages are slow. Returns 0, or -1 if a message failed. */
int clock_offset_measure(const struct clock_peers *peers,
                         size_t index,
                         size_t count,
                         struct clock_offset *ret);

/*
 * The leaders among `ranks` ranks whose nodes are given: stores their ranks, ascending, in leaders
 * (room for all ranks). scratch: same size. Returns the number of leaders.
 */
size_t clock_offset_leaders(const uint64_t *nodes, size_t ranks, uint64_t *scratch, int *leaders);

#endif
