/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings of a synthetic node for benchmarks: 8 channels of RAPL-like counters, counters without
 * ticks, or gauges, sampled by a thread that is late by about 35 us. */
#ifndef WATTLE_BENCH_NODE_H
#define WATTLE_BENCH_NODE_H

#include <stddef.h>
#include <stdint.h>

#define BENCH_NODE_CHANNELS 8
#define BENCH_NODE_UNIT_J   (1.0 / 16384)

enum bench_kind { BENCH_TICKING, BENCH_SMOOTH, BENCH_GAUGE };

struct bench_family {
    const char *name;
    enum bench_kind kind;
    double rate_hz,
        noise;       /* relative, white, of the power from tick to tick (smooth: per sample) */
    double wander_w; /* sd of a slow wander */
};

struct bench_recording {
    size_t rows;
    uint64_t *time_ns;
    uint64_t *values[BENCH_NODE_CHANNELS];
};

struct bench_recording bench_recording_make(const struct bench_family *f, size_t rows);
void bench_recording_free(struct bench_recording *rec);

#endif
