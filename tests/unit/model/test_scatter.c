/* SPDX-License-Identifier: BSD-3-Clause */
/* Jitter of ticks and scatter of power, mixed in known proportions and separated again. */
#include <math.h>

#include "model/statistics/scatter.h"
#include "tap.h"

#define STEPS 20000

static uint64_t state = 1;

/* Approximately normal: a sum of twelve. */
static double normal(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 11) * 0x1p-53;
    }
    return sum;
}

static const struct row {
    int line;
    double jitter, rough, walk; /* relative; walk: from step to step */
    double jumps_every;         /* steps of the power by 2; 0 = none */
} rows[] = {
    {__LINE__, 0.02, 0, 0, 0},    {__LINE__, 0.02, 0.05, 0, 0}, {__LINE__, 0.05, 0.01, 0, 0},
    {__LINE__, 0.02, 0, 0.01, 0}, {__LINE__, 0.04, 0, 0, 50},   {__LINE__, 0.02, 0.02, 0.005, 100},
};

static void check(const struct row *row)
{
    struct wtl_scatter scatter = {0};
    double level = 100, before = 0, jitter, rough;

    for (int i = 0; i < STEPS; i++) {
        double tick = row->jitter * normal();

        level *= 1 + row->walk * normal();
        level = fmin(fmax(level, 50), 200);
        double power = level * (row->jumps_every > 0 && fmod(i / row->jumps_every, 2) >= 1 ? 2 : 1);

        wtl_scatter_learn(&scatter, power * (1 + row->rough * normal()) * (1 + tick - before));
        before = tick;
    }
    wtl_scatter_split(&scatter, &jitter, &rough);
    is_double(jitter, row->jitter, 0.3 * row->jitter + 0.002, "jitter");
    /* bounded steps leave a small error */
    is_double(rough, row->rough + row->walk / sqrt(2),
              0.3 * row->rough + (row->jumps_every > 0 ? 0.02 : 0.008), "scatter");
}

int main(void)
{
    struct wtl_scatter none = {0};
    double jitter, rough;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tap_line = rows[i].line;
        check(&rows[i]);
    }
    tap_line = 0;
    wtl_scatter_split(&none, &jitter, &rough);
    ok(jitter > 0.005 && jitter < 0.05 && rough >= 0, "before anything is known: a first idea");
    wtl_scatter_learn(&none, 0);
    wtl_scatter_learn(&none, 0);
    wtl_scatter_split(&none, &jitter, &rough);
    ok(isfinite(jitter) && isfinite(rough), "no power at all");
    return done_testing();
}
