/* SPDX-License-Identifier: BSD-3-Clause */
/* A single-producer single-consumer ring: see ring.h. Each record is its length and its words. */
#include "record/ring.h"

#include <errno.h>
#include <stdlib.h>

int wtl_ring_init(struct wtl_ring *ring, size_t capacity_words)
{
    size_t capacity = 64;
    while (capacity < capacity_words)
        capacity *= 2;
    uint64_t *words = calloc(capacity, sizeof *words);
    if (!words)
        return -ENOMEM;
    ring->words = words;
    ring->mask = capacity - 1;
    ring->cached_tail = 0;
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    return 0;
}

void wtl_ring_fini(struct wtl_ring *ring)
{
    free(ring->words);
    ring->words = NULL;
}

int wtl_ring_push(struct wtl_ring *ring, const uint64_t *words, size_t n, size_t spare)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    size_t end = head + n + 1 + spare;
    if (end - ring->cached_tail > ring->mask + 1) {
        ring->cached_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (end - ring->cached_tail > ring->mask + 1)
            return -ENOSPC;
    }
    ring->words[head & ring->mask] = n;
    for (size_t i = 0; i < n; i++)
        ring->words[(head + 1 + i) & ring->mask] = words[i];
    atomic_store_explicit(&ring->head, head + n + 1, memory_order_release);
    return 0;
}

size_t wtl_ring_pop(struct wtl_ring *ring, uint64_t *words, size_t max)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (atomic_load_explicit(&ring->head, memory_order_acquire) == tail)
        return 0;
    size_t n = (size_t)ring->words[tail & ring->mask];
    size_t taken = n < max ? n : max;
    for (size_t i = 0; i < taken; i++)
        words[i] = ring->words[(tail + 1 + i) & ring->mask];
    atomic_store_explicit(&ring->tail, tail + n + 1, memory_order_release);
    return taken;
}
