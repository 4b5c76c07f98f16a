/* SPDX-License-Identifier: BSD-3-Clause */
/* What a resumed writer (resume.h) knows about the contents of its file. */
#ifndef WTL_TRACE_RESUMED_H
#define WTL_TRACE_RESUMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A channel in the file, by its id. */
struct wtl_resumed_channel {
    uint64_t first_ns;              /* of its first value */
    uint64_t last_ns;               /* of its last value; 0 = no values */
    uint64_t changed_ns, before_ns; /* the first row with that value, and the row before it */
    uint64_t value;                 /* its last value: ticks of a counter since its first reading */
    uint64_t first_raw;
    bool raw_known; /* first_raw belongs to the first reading, and no gap has lost the count
                       since */
};

struct wtl_trace_resumed {
    bool started;     /* the window has begun */
    uint64_t last_ns; /* last row of all channels */
    size_t count;
    struct wtl_resumed_channel *channels;
};

#endif
