/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of test_store.c that need a store with any jobs in it. Each leaves what it found, except test_forgetting(). */
#ifndef WTL_TEST_STORE_RECORDS_H
#define WTL_TEST_STORE_RECORDS_H

#include <math.h>
#include <stdbool.h>

#include "jobs/store.h"

static inline bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

/* Anonymises and purges the jobs that ended before this time. */
void test_forgetting(struct wtl_store *store, int64_t before);
void test_senders(struct wtl_store *store);
void test_hostile(struct wtl_store *store);
void test_boots(struct wtl_store *store);
void test_giving_way(struct wtl_store *store);
/* Wants 400 jobs that are larger than a J. */
void test_largest(struct wtl_store *store);

#endif
