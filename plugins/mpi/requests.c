/* SPDX-License-Identifier: BSD-3-Clause */
#include "requests.h"

#include <pthread.h>
#include <stddef.h>

enum { SETS = 2048, WAYS = 8 };

static struct receive table[SETS][WAYS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t count; /* in the table: most waits are for sends */

static struct receive *find(mpi_word request, mpi_word key)
{
    struct receive *set = table[((uint64_t)request * UINT64_C(0x9e3779b97f4a7c15)) >> 53];

    for (size_t i = 0; i < WAYS; i++)
        if (set[i].request == key)
            return &set[i];
    return NULL;
}

void requests_put(const struct receive *receive)
{
    (void)pthread_mutex_lock(&lock);
    struct receive *at = find(receive->request, receive->request);

    if (!at && (at = find(receive->request, 0)))
        __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
    if (at)
        *at = *receive;
    (void)pthread_mutex_unlock(&lock);
}

bool requests_take(mpi_word request, struct receive *ret)
{
    if (request == 0 || __atomic_load_n(&count, __ATOMIC_RELAXED) == 0)
        return false;
    (void)pthread_mutex_lock(&lock);
    struct receive *at = find(request, request);

    if (at) {
        *ret = *at;
        at->request = 0;
        __atomic_store_n(&count, count - 1, __ATOMIC_RELAXED);
    }
    (void)pthread_mutex_unlock(&lock);
    return at != NULL;
}
