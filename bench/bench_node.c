/* SPDX-License-Identifier: BSD-3-Clause */
/* A synthetic node: see bench_node.h. The same numbers in each run. */
#include "bench_node.h"

#include <math.h>
#include <stdlib.h>

#define TICK_S 976.5625e-6

static uint64_t seed = 1;

static uint64_t draw(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(void)
{
    return ((double)(draw() >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

struct meter {
    double power_w, wander_w, ticks_j, next_tick_s, shown_j;
};

static uint64_t read_meter(const struct bench_family *f,
                           struct meter *m,
                           double now_s,
                           double step_s)
{
    double pull = step_s / 2; /* the wander has a correlation time of 2 s */
    m->wander_w += -m->wander_w * pull + f->wander_w * sqrt(2 * pull) * normal();
    double level_w = m->power_w + m->wander_w;
    if (f->kind == BENCH_GAUGE)
        return (uint64_t)llround(level_w * (1 + f->noise * normal()) * 1000);
    if (f->kind == BENCH_SMOOTH) {
        m->shown_j += level_w * (1 + f->noise * normal()) * step_s;
        return (uint64_t)(m->shown_j / BENCH_NODE_UNIT_J);
    }
    while (m->next_tick_s <= now_s) {
        m->ticks_j += level_w * (1 + f->noise * normal()) * TICK_S;
        if (m->next_tick_s + 20e-6 * fabs(normal()) <= now_s)
            m->shown_j = m->ticks_j;
        m->next_tick_s += TICK_S;
    }
    return (uint64_t)(m->shown_j / BENCH_NODE_UNIT_J);
}

struct bench_recording bench_recording_make(const struct bench_family *f, size_t rows)
{
    struct bench_recording rec = {.rows = rows, .time_ns = calloc(rows, sizeof(uint64_t))};
    struct meter meters[BENCH_NODE_CHANNELS];
    for (int c = 0; c < BENCH_NODE_CHANNELS; c++) {
        rec.values[c] = calloc(rows, sizeof(uint64_t));
        meters[c] = (struct meter){.power_w = 15 + 18 * c, .next_tick_s = uniform() * TICK_S};
    }
    double step_s = 1 / f->rate_hz;
    for (size_t r = 0; r < rows; r++) {
        double late_s = 15e-6 - 20e-6 * log(uniform()), now_s = 1000 + (double)r * step_s + late_s;
        rec.time_ns[r] = UINT64_C(1000000000000) + (uint64_t)(now_s * 1e9);
        for (int c = 0; c < BENCH_NODE_CHANNELS; c++)
            rec.values[c][r] = read_meter(f, &meters[c], now_s - 1000 + 1, step_s);
    }
    return rec;
}

void bench_recording_free(struct bench_recording *rec)
{
    free(rec->time_ns);
    for (int c = 0; c < BENCH_NODE_CHANNELS; c++)
        free(rec->values[c]);
}
