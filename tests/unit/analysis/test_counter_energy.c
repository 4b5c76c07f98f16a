/* SPDX-License-Identifier: BSD-3-Clause */
/* Power from counters: learnt where it is known, stated with its interval, refused where it is not. */
#include <errno.h>
#include <math.h>

#include "analysis/predict/counter_energy.h"
#include "base/random.h"
#include "tap.h"

enum { ROWS = 400, COLUMNS = 3 };

/* 80 W, 30 W per 10^9 of the first, 20 W for the root of the second; the third counts nothing. */
static double power_of(const double *rate)
{
    return 80 + 30e-9 * rate[0] + 20 * sqrt(rate[1] / 1e6);
}

static void fill(struct wtl_counter_rows *rows, uint64_t seed, double scale, bool metered)
{
    static const char *const names[COLUMNS] = {"CPU_CYCLES", "CACHE_MISSES", "READ_BYTES"};
    is_int(wtl_counter_rows_init(rows, ROWS, COLUMNS, 1000000000), 0, "rows");
    rows->end_ns = rows->begin_ns + (uint64_t)ROWS * 1000000000;
    for (size_t c = 0; c < COLUMNS; c++)
        (void)snprintf(rows->names[c], WTL_ROW_NAME_MAX, "%s", names[c]);
    for (size_t k = 0; k < ROWS; k++) {
        double *rate = &rows->rate[k * COLUMNS];
        rate[0] = scale * 1e9 * (1 + 3 * wtl_random_uniform(seed, 2 * (k / 20)));
        rate[1] = scale * 1e6 * (0.2 + 4 * wtl_random_uniform(seed, 2 * (k / 20) + 1));
        rate[2] = 0;
        if (metered)
            wtl_counter_rows_power(rows, k, power_of(rate) + wtl_random_normal(seed + 1, k));
    }
}

static double truth_of(const struct wtl_counter_rows *rows)
{
    double joules = 0;
    for (size_t k = 0; k < rows->rows; k++)
        joules += power_of(&rows->rate[k * COLUMNS]);
    return joules;
}

int main(void)
{
    struct wtl_counter_rows learnt[4], other, far;
    const struct wtl_counter_rows *all[4];
    struct wtl_counter_energy model = {0}, none = {0};
    struct wtl_counter_energy_sum sum;
    struct wattle_error err = {""};
    static double power[ROWS];
    for (size_t i = 0; i < 4; i++) {
        fill(&learnt[i], 10 * i + 1, 1, true);
        all[i] = &learnt[i];
    }
    fill(&other, 99, 1, false);
    fill(&far, 98, 4, false);
    is_int(wtl_counter_energy_learn(all, 4, &model, &err), 0, "%s", err.text);
    ok(model.root[1] > 0, "the root is found");
    is_double(model.row_w, 1, 0.2, "the noise of a row");
    is_int(wtl_counter_energy_estimate(&model, &other, power, &sum, &err), 0, "%s", err.text);
    double truth = truth_of(&other);
    is_double(sum.energy_j, truth, 0.005 * truth, "energy without a meter");
    ok(sum.low_j < truth && truth < sum.high_j, "within its interval");
    is_double(power[7], power_of(&other.rate[7 * COLUMNS]), 2, "of a row");
    other.rate[5 * COLUMNS] = NAN;
    is_int(wtl_counter_energy_estimate(&model, &other, power, &sum, &err), 0,
           "a counter is missing");
    ok(isnan(power[5]), "so its power is");
    is_double(sum.missing_s, 1, 1e-9, "for a second");
    is_int(wtl_counter_energy_estimate(&model, &far, NULL, &sum, &err), -ERANGE, "too far: %s",
           err.text);
    (void)snprintf(far.names[0], WTL_ROW_NAME_MAX, "OTHER");
    is_int(wtl_counter_energy_estimate(&model, &far, NULL, &sum, &err), -EINVAL,
           "other counters: %s", err.text);
    is_int(wtl_counter_energy_estimate(&none, &other, NULL, &sum, &err), -ENODATA,
           "an empty model");
    all[0] = &far;
    is_int(wtl_counter_energy_learn(all, 2, &none, &err), -EINVAL, "two sets: %s", err.text);
    all[0] = &other;
    is_int(wtl_counter_energy_learn(all, 1, &none, &err), -ENODATA, "no meter: %s", err.text);
    is_int(wtl_counter_energy_learn(all, 0, &none, &err), -ENODATA, "no traces: %s", err.text);
    for (size_t k = 0; k < ROWS * COLUMNS; k++)
        learnt[1].rate[k] = 5;
    all[0] = &learnt[1];
    is_int(wtl_counter_energy_learn(all, 1, &none, &err), -ENODATA, "constant counters: %s",
           err.text);
    is_int(none.columns, 0, "nothing was learnt");
    for (size_t i = 0; i < 4; i++)
        wtl_counter_rows_fini(&learnt[i]);
    wtl_counter_rows_fini(&other);
    wtl_counter_rows_fini(&far);
    return done_testing();
}
