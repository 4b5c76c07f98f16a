/* SPDX-License-Identifier: BSD-3-Clause */
/* Any number of stretches fits into a small pool: energy, extremes and gaps are kept. */
#include "analysis/power/downsampler.h"

#include <math.h>
#include <stdbool.h>

#include "tap.h"

#define MS UINT64_C(1000000)

struct facts {
    double integral, known_s, least, greatest;
    uint64_t span_ns;
};

static struct facts facts_of(const struct wtl_downsampler *pool, size_t channel)
{
    struct facts f = {.least = INFINITY, .greatest = -INFINITY};
    for (size_t i = 0; i < pool->count; i++) {
        const struct wtl_downsampler_cell *cell = &pool->cells[i * pool->channels + channel];
        uint64_t end_ns = i + 1 < pool->count ? pool->begin_ns[i + 1] : pool->end_ns;
        f.span_ns += end_ns - pool->begin_ns[i];
        if (isnan(wtl_downsampler_mean(cell)))
            continue;
        f.integral += wtl_downsampler_mean(cell) * (double)(end_ns - pool->begin_ns[i]) * 1e-9;
        f.known_s += (double)(end_ns - pool->begin_ns[i]) * 1e-9;
        f.least = fmin(f.least, cell->min);
        f.greatest = fmax(f.greatest, cell->max);
    }
    return f;
}

/* Stretch i of 1 ms, 10 W and 20 W, one of them 500 W; unknown if i % 100 < holes; and a long
 * hole. */
static void test_stream(size_t count, size_t room, size_t holes, size_t long_hole_at)
{
    struct wtl_downsampler pool;
    if (!is_int(wtl_downsampler_init(&pool, 2, room), 0, "%zu stretches, room %zu, %zu %% holes",
                count, room, holes))
        return;
    uint64_t now_ns = 0, known = 0;
    size_t spike = 2 * count / 3;
    while (spike % 100 < holes)
        spike++;
    bool bounded = true;
    for (size_t i = 0; i < count; i++) {
        bool hole = i % 100 < holes;
        double one = i == spike ? 500 : 10;
        const double values[2] = {hole ? (double)NAN : one, hole ? (double)NAN : 20};
        if (i == long_hole_at && i > 0)
            now_ns += 10 * count * MS; /* nothing is added: that is a hole, too */
        wtl_downsampler_add(&pool, now_ns, now_ns + MS, values, values, values);
        now_ns += MS;
        known += !hole;
        bounded &= pool.count <= pool.room;
    }
    struct facts one = facts_of(&pool, 0), two = facts_of(&pool, 1);
    ok(bounded && pool.count <= room, "%zu are left", pool.count);
    size_t few = holes ? 2 : count <= room ? count : room / 2;
    ok(pool.count >= few, "and not too few");
    ok(one.span_ns == now_ns, "without holes in time");
    is_double(one.least, 10, 1e-6, "the least");
    is_double(one.greatest, 500, 1e-6, "the spike");
    is_double(two.least, 20, 1e-6, "the other channel");
    if (holes == 0)
        is_double(one.integral, (double)(count - 1) * 0.01 + 0.5, 1e-3, "the integral");
    /* A short hole is merged into its neighbours, a long one never. */
    ok(one.known_s <= 2 * (double)known * 1e-3, "known: %g s of %g s", one.known_s,
       (double)known * 1e-3);
    wtl_downsampler_fini(&pool);
}

/* If known and unknown alternate at every scale, room runs out before the gaps do. */
static void test_cantor(void)
{
    struct wtl_downsampler pool;
    uint64_t now_ns = 0;
    if (!is_int(wtl_downsampler_init(&pool, 1, 16), 0, "takes turns"))
        return;
    for (int i = 0; i < 10000; i++) {
        bool hole = i % 2 != 0;
        uint64_t length_ns = (hole ? 3 : 1) * MS << i % 5;
        const double value = hole ? (double)NAN : 7;
        wtl_downsampler_add(&pool, now_ns, now_ns + length_ns, &value, &value, &value);
        now_ns += length_ns;
        if (pool.count > 16)
            break;
    }
    ok(pool.count <= 16 && pool.count > 2, "%zu are left", pool.count);
    is_double(facts_of(&pool, 0).greatest, 7, 0, "with their value");
    wtl_downsampler_fini(&pool);
}

int main(void)
{
    test_stream(10, 16, 0, 0);
    test_stream(16, 16, 0, 0);
    test_stream(17, 16, 0, 0);
    test_stream(100000, 100, 0, 0);
    test_stream(100000, 100, 30, 0);
    test_stream(100000, 100, 0, 50000);
    test_stream(3001, 2, 0, 0);
    test_cantor();
    return done_testing();
}
