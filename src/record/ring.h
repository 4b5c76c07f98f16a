/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring: records of 64-bit words from one producer thread to one consumer thread, without locks,
 * allocation or system calls. When it is full, a record is dropped; the producer never waits.
 *
 * Two memory orders suffice. The producer stores the words, then head with release; the consumer
 * loads head with acquire, so it sees the words of every record before head. The consumer copies
 * the words, then stores tail with release; the producer loads tail with acquire before it writes
 * there again, so nothing is overwritten while it is being copied. Each side reads its own index
 * relaxed, since only it writes it.
 */
#ifndef WTL_RECORD_RING_H
#define WTL_RECORD_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct wtl_ring {
    uint64_t *words;
    size_t mask;                     /* capacity in words - 1 */
    _Alignas(64) atomic_size_t head; /* written by the producer */
    size_t cached_tail;              /* the producer's view of tail */
    _Alignas(64) atomic_size_t tail; /* written by the consumer */
};

/* capacity_words is rounded up to a power of two. 0 or -ENOMEM. */
int wtl_ring_init(struct wtl_ring *ring, size_t capacity_words);
void wtl_ring_fini(struct wtl_ring *ring);

/* Producer: append one record of n words (n > 0) and leave room for `spare` more words; 0, or
 * -ENOSPC: nothing was appended. A record takes one extra word. */
int wtl_ring_push(struct wtl_ring *ring, const uint64_t *words, size_t n, size_t spare);

/* Consumer: copy the next record to words[0 .. max-1]; returns its length, 0 if the ring is empty.
 * A record longer than max is truncated (producer and consumer use the same limit). */
size_t wtl_ring_pop(struct wtl_ring *ring, uint64_t *words, size_t max);

#endif
