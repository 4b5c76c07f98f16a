/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring with one producer and one consumer: nothing is lost uncounted, nothing torn, in
 * order. */
#include "record/ring.h"

#include <errno.h>
#include <pthread.h>

#include "tap.h"

enum { RECORDS = 300000 };

static struct wtl_ring ring;
static uint64_t pushed, refused;

static void *produce(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t record[9];
        size_t n = 1 + i % 9;
        for (size_t k = 0; k < n; k++)
            record[k] = i * 10 + k;
        int rc = wtl_ring_push(&ring, record, n, 0);
        pushed += rc == 0;
        refused += rc == -ENOSPC;
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t thread;
    uint64_t taken = 0, torn = 0, last = 0, disorder = 0;
    ok(wtl_ring_init(&ring, 1000) == 0, "a ring");
    pthread_create(&thread, NULL, produce, NULL);
    for (int done = 0; done < 2;) {
        uint64_t record[9];
        size_t n = wtl_ring_pop(&ring, record, 9);
        if (n == 0) {
            if (done++ == 0)
                pthread_join(thread, NULL);
            continue;
        }
        done = done == 2 ? 2 : done;
        uint64_t i = record[0] / 10;
        torn += n != 1 + i % 9;
        for (size_t k = 1; k < n; k++)
            torn += record[k] != i * 10 + k;
        disorder += taken > 0 && i <= last;
        last = i;
        taken++;
        done = done == 1 ? 0 : done;
        if (done == 0 && taken == RECORDS)
            break;
    }
    while (taken < pushed) {
        uint64_t record[9];
        if (wtl_ring_pop(&ring, record, 9) == 0)
            break;
        taken++;
    }
    is_int(taken, pushed, "what was pushed arrives");
    is_int(pushed + refused, RECORDS, "what was not is refused");
    is_int(torn, 0, "no record is torn");
    is_int(disorder, 0, "the order is kept");
    wtl_ring_fini(&ring);
}

int main(void)
{
    uint64_t record[40] = {1, 2, 3};
    ok(wtl_ring_init(&ring, 64) == 0, "a small ring");
    is_int(wtl_ring_pop(&ring, record, 40), 0, "is empty");
    is_int(wtl_ring_push(&ring, record, 40, 24), -ENOSPC,
           "does not take what leaves too little room");
    is_int(wtl_ring_push(&ring, record, 40, 23), 0, "takes a record that leaves just enough");
    is_int(wtl_ring_push(&ring, record, 40, 0), -ENOSPC, "refuses what does not fit");
    is_int(wtl_ring_push(&ring, record, 22, 0), 0, "takes what fills it");
    is_int(wtl_ring_pop(&ring, record, 40), 40, "gives the record back");
    is_int(record[1], 2, "as it was");
    is_int(wtl_ring_push(&ring, record, 40, 0), 0, "and has room again");
    wtl_ring_fini(&ring);
    test_threads();
    return done_testing();
}
