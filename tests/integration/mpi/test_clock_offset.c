/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock offsets between threads that act as nodes, whose clocks are this machine's plus a known number. */
#define _GNU_SOURCE
#include "../../../plugins/mpi/clock_offset.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

enum { NODES = 17 };

struct node {
    size_t index, count;
    int64_t shift_ns; /* shift of its clock */
    long
        one_way_ns; /* sleep before each message to the parent: that direction takes longer than the other */
    bool broken; /* its messages fail after a few */
    unsigned messages;
    int rc;
    struct clock_offset found;
};

static int pipes[NODES][NODES][2]; /* [from][to]: sockets */

static uint64_t now_ns(void *context)
{
    const struct node *node = context;
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec + (uint64_t)node->shift_ns;
}

static int send_to(void *context, size_t to, const void *bytes, size_t size)
{
    struct node *node = context;
    struct timespec pause = {.tv_nsec = node->one_way_ns};

    if (node->broken && node->messages++ > 3)
        return -1;
    if (pause.tv_nsec && to < node->index)
        (void)nanosleep(&pause, NULL);
    return write(pipes[node->index][to][0], bytes, size) == (ssize_t)size ? 0 : -1;
}

static int receive_from(void *context, size_t from, void *bytes, size_t size)
{
    const struct node *node = context;

    return read(pipes[from][node->index][1], bytes, size) == (ssize_t)size ? 0 : -1;
}

static void *play(void *data)
{
    struct node *node = data;
    const struct clock_peers peers = {node, now_ns, send_to, receive_from};

    node->rc = clock_offset_measure(&peers, node->index, node->count, &node->found);
    for (size_t to = 0; node->rc < 0 && to < node->count; to++)
        (void)shutdown(pipes[node->index][to][0], SHUT_WR); /* like a rank that dies */
    return NULL;
}

static void measure(struct node *nodes, size_t count)
{
    pthread_t threads[NODES];

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            (void)socketpair(AF_UNIX, SOCK_STREAM, 0, pipes[i][j]);
    for (size_t i = 0; i < count; i++)
        (void)pthread_create(&threads[i], NULL, play, &nodes[i]);
    for (size_t i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            (void)close(pipes[i][j][0]);
            (void)close(pipes[i][j][1]);
        }
}

static void test_offsets(size_t count, long one_way_ns)
{
    struct node nodes[NODES] = {0};
    uint64_t widest = 0;
    size_t inside = 0, good = 0;

    for (size_t i = 0; i < count; i++)
        nodes[i] =
            (struct node){.index = i,
                          .count = count,
                          .shift_ns = (int64_t)(i * i) * -7000000123 + 4000000000 * (int64_t)i,
                          .one_way_ns = one_way_ns};
    measure(nodes, count);
    for (size_t i = 0; i < count; i++) {
        int64_t off = nodes[i].found.offset_ns - (nodes[0].shift_ns - nodes[i].shift_ns);
        uint64_t miss = (uint64_t)(off < 0 ? -off : off);

        good += nodes[i].rc == 0;
        inside += miss <= nodes[i].found.error_ns;
        widest = nodes[i].found.error_ns > widest ? nodes[i].found.error_ns : widest;
        if (one_way_ns && i > 0)
            good -= miss <
                    (uint64_t)one_way_ns / 4; /* the bias exists, and is within the stated error */
    }
    is_int((int)good, (int)count, "%zu nodes, %ld ns longer one way: all have measured", count,
           one_way_ns);
    is_int((int)inside, (int)count, "the truth is within the error on all (widest %llu ns)",
           (unsigned long long)widest);
    ok(nodes[0].found.offset_ns == 0 && nodes[0].found.error_ns == 0, "node 0 is the reference");
}

static void test_failure(void)
{
    struct node nodes[4] = {0};

    for (size_t i = 0; i < 4; i++)
        nodes[i] = (struct node){.index = i, .count = 4, .broken = i == 3};
    measure(nodes, 4);
    ok(nodes[3].rc == -1 && nodes[2].rc == -1,
       "who cannot speak to its parent fails, and its parent");
}

static void test_leaders(void)
{
    const uint64_t nodes[] = {9, 9, 4, 9, 1, 4, UINT64_MAX, 1, 0};
    uint64_t scratch[9];
    int leaders[9];
    const int expected[] = {0, 2, 4, 6, 8};
    size_t n = clock_offset_leaders(nodes, 9, scratch, leaders);

    is_int((int)n, 5, "five nodes");
    for (size_t i = 0; i < 5 && i < n; i++)
        is_int(leaders[i], expected[i], "leader %zu is the node's lowest rank", i);
    is_int((int)clock_offset_leaders(nodes, 2, scratch, leaders), 1, "ranks of one node");
    is_int(leaders[0], 0, "have rank 0");
    is_int((int)clock_offset_leaders(nodes, 1, scratch, leaders), 1, "one rank");
}

int main(void)
{
    test_leaders();
    for (size_t count = 1; count <= NODES; count += count < 5 ? 1 : 6)
        test_offsets(count, 0);
    test_offsets(3, 200000);
    test_failure();
    return done_testing();
}
