/* SPDX-License-Identifier: BSD-3-Clause */
/* What a writer that goes on (resume.h) knows of what stands in its file. */
#ifndef WTL_TRACE_RESUMED_H
#define WTL_TRACE_RESUMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the file knows of a channel, by its id. */
struct wtl_resumed_channel {
    uint64_t first_ns;              /* of its first value */
    uint64_t last_ns;               /* of its last value; 0 = it has none */
    uint64_t changed_ns, before_ns; /* the first row that showed it, and the one before that */
    uint64_t value;                 /* that value: ticks of a counter since its first reading */
    uint64_t first_raw;
    bool raw_known; /* first_raw is that of the first reading, and no gap lost the count since */
};

struct wtl_trace_resumed {
    bool started;     /* the window has begun */
    uint64_t last_ns; /* the last row of all */
    size_t count;
    struct wtl_resumed_channel *channels;
};

#endif
