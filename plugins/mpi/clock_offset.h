/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far the clocks of the nodes are apart. One rank of each node, its leader (the lowest), takes part. They stand in a binomial
 * tree, so that n nodes take log2 n rounds; each asks its parent for the time, again and again. When it asks at t1 and
 * has the answer T at t2, both by its own clock, then the parent's clock was T somewhere between: the offset lies within
 * T - t2 .. T - t1, whatever the ways took (F. Cristian, Probabilistic clock synchronization, 1989). The shortest round says the
 * most. Down the tree offsets and half widths add up.
 */
#ifndef WATTLE_MPI_CLOCK_OFFSET_H
#define WATTLE_MPI_CLOCK_OFFSET_H

#include <stddef.h>
#include <stdint.h>

/* What the algorithm needs of the world; a test has another. */
struct clock_peers {
    void *context;
    uint64_t (*now_ns)(void *context); /* this node's CLOCK_MONOTONIC */
    int (*send)(void *context,
                size_t to,
                const void *bytes,
                size_t size); /* to a node, by its index */
    int (*receive)(void *context, size_t from, void *ret_bytes, size_t size);
};

struct clock_offset {
    int64_t offset_ns; /* the clock of node 0 less this one's */
    uint64_t
        error_ns; /* half width: the truth lies within offset_ns - error_ns .. offset_ns + error_ns */
};

/* To be called on all nodes at once, as node `index` of `count`. Takes some 50 times a message there and back
 * for each round, or 30 ms where messages are slow. Returns 0, or -1 when a message failed. */
int clock_offset_measure(const struct clock_peers *peers,
                         size_t index,
                         size_t count,
                         struct clock_offset *ret);

/*
 * The leaders among `ranks` ranks, whose nodes are given: their ranks, rising, into leaders (room for all ranks). scratch: as
 * many. Returns how many there are.
 */
size_t clock_offset_leaders(const uint64_t *nodes, size_t ranks, uint64_t *scratch, int *leaders);

#endif
