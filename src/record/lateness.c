/* SPDX-License-Identifier: BSD-3-Clause */
/* A histogram of lateness with logarithmic buckets: see lateness.h. */
#include "record/lateness.h"

/* Buckets 0..7 hold 0..7 ns, then each octave [2^k, 2^(k+1)) has 8 of equal width. */
static unsigned bucket_of(uint64_t late_ns)
{
    if (late_ns < 8)
        return (unsigned)late_ns;
    unsigned octave = 63u - (unsigned)__builtin_clzll(late_ns);
    unsigned bucket = (octave - 2) * 8 + (unsigned)(late_ns >> (octave - 3) & 7);
    return bucket < WTL_LATENESS_BUCKETS ? bucket : WTL_LATENESS_BUCKETS - 1;
}

static uint64_t upper_of(unsigned bucket)
{
    if (bucket < 8)
        return bucket;
    unsigned octave = bucket / 8 + 2;
    return ((uint64_t)(bucket % 8 + 9) << (octave - 3)) - 1;
}

void wtl_lateness_add(struct wtl_lateness *lateness, uint64_t late_ns)
{
    lateness->count++;
    lateness->buckets[bucket_of(late_ns)]++;
    if (late_ns > lateness->max_ns)
        lateness->max_ns = late_ns;
}

uint64_t wtl_lateness_quantile(const struct wtl_lateness *lateness, double q)
{
    uint64_t wanted = (uint64_t)(q * (double)lateness->count), seen = 0;
    for (unsigned i = 0; i < WTL_LATENESS_BUCKETS; i++) {
        seen += lateness->buckets[i];
        if (seen > wanted || (seen == lateness->count && seen > 0))
            return upper_of(i) < lateness->max_ns ? upper_of(i) : lateness->max_ns;
    }
    return 0;
}
