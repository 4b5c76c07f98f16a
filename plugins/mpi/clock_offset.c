/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock_offset.h"

#include <stdlib.h>

enum { ROUNDS_LEAST = 10, ROUNDS_MOST = 50 };
static const uint64_t GOOD_NS =
    100000; /* a round this short is good enough to stop after TIME_NS */
static const uint64_t TIME_NS = 3000000,
                      TIME_MOST_NS = 30000000; /* after this time ROUNDS_LEAST are enough in any
                                                * case */

enum { ASK = 1, ENOUGH = 2 };

/* The child's side. */
static int ask(const struct clock_peers *peers, size_t parent, struct clock_offset *ret)
{
    const uint64_t request = ASK, end = ENOUGH;
    uint64_t shortest = UINT64_MAX, begin = peers->now_ns(peers->context);

    for (int i = 0; i < ROUNDS_MOST; i++) {
        uint64_t theirs, before = peers->now_ns(peers->context);

        if (i >= ROUNDS_LEAST && before - begin > (shortest < GOOD_NS ? TIME_NS : TIME_MOST_NS))
            break;
        if (peers->send(peers->context, parent, &request, sizeof(request)) < 0 ||
            peers->receive(peers->context, parent, &theirs, sizeof(theirs)) < 0)
            return -1;
        uint64_t after = peers->now_ns(peers->context);

        if (after - before < shortest) {
            shortest = after - before;
            ret->offset_ns = (int64_t)(theirs - before - shortest / 2);
            ret->error_ns = shortest / 2 + 1; /* a clock has a resolution of 1 ns */
        }
    }
    return peers->send(peers->context, parent, &end, sizeof(end));
}

/* The parent's side. */
static int answer(const struct clock_peers *peers, size_t child)
{
    for (;;) {
        uint64_t request;

        if (peers->receive(peers->context, child, &request, sizeof(request)) < 0)
            return -1;
        if (request != ASK)
            return 0;
        uint64_t mine = peers->now_ns(peers->context);

        if (peers->send(peers->context, child, &mine, sizeof(mine)) < 0)
            return -1;
    }
}

/* The distance to the parent of a node: its lowest set bit; for node 0 the first power of 2 beyond
 * all. */
static size_t reach_of(size_t index, size_t count)
{
    size_t reach = 1;

    while (reach < count && !(index & reach))
        reach *= 2;
    return reach;
}

int clock_offset_measure(const struct clock_peers *peers,
                         size_t index,
                         size_t count,
                         struct clock_offset *ret)
{
    struct clock_offset mine = {0, 0}, above;
    size_t reach = reach_of(index, count);

    for (size_t d = 1; d < reach && index + d < count; d *= 2)
        if (answer(peers, index + d) < 0)
            return -1;
    if (index > 0) {
        if (ask(peers, index - reach, &mine) < 0 ||
            peers->receive(peers->context, index - reach, &above, sizeof(above)) < 0)
            return -1;
        mine.offset_ns += above.offset_ns;
        mine.error_ns += above.error_ns;
    }
    for (size_t d = 1; d < reach && index + d < count; d *= 2)
        if (peers->send(peers->context, index + d, &mine, sizeof(mine)) < 0)
            return -1;
    *ret = mine;
    return 0;
}

/* ---- leaders ---- */

/* qsort has no context; the order of equal nodes does not matter. */
static int by_number(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

static size_t position(const uint64_t *sorted, size_t n, uint64_t node)
{
    size_t low = 0;

    while (n > 1) {
        size_t half = n / 2;

        if (sorted[low + half] <= node)
            low += half;
        n -= half;
    }
    return low;
}

size_t clock_offset_leaders(const uint64_t *nodes, size_t ranks, uint64_t *scratch, int *leaders)
{
    size_t kinds = 0, count = 0;

    for (size_t i = 0; i < ranks; i++)
        scratch[i] = nodes[i];
    qsort(scratch, ranks, sizeof(*scratch), by_number);
    for (size_t i = 0; i < ranks; i++)
        if (i == 0 || scratch[i] != scratch[kinds - 1])
            scratch[kinds++] = scratch[i];
    for (size_t i = 0; i < kinds; i++)
        leaders[i] = -1; /* index i is a kind: not seen yet */
    for (size_t i = 0; i < ranks; i++) {
        size_t kind = position(scratch, kinds, nodes[i]);

        if (leaders[kind] < 0)
            leaders[kind] = (int)i;
    }
    /* From order by kind to order by rank. */
    for (size_t i = 0; i < kinds; i++)
        scratch[i] = (uint64_t)leaders[i];
    qsort(scratch, kinds, sizeof(*scratch), by_number);
    for (count = 0; count < kinds; count++)
        leaders[count] = (int)scratch[count];
    return count;
}
