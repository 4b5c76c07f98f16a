/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a kWh costs and how much CO2 it stands for, at each time. A job is counted with the factors of the time when it
 * ended. They come from the settings ([jobs] price-per-kwh, co2-g-per-kwh: at any time), or from a dated file:
 *
 *     from,price-per-kwh,co2-g-per-kwh
 *     2026-01-01,0.31,380
 *     2026-07-01,0.29,            an empty cell: unknown from then on
 */
#ifndef WTL_JOBS_FACTORS_H
#define WTL_JOBS_FACTORS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_factor {
    int64_t from_ns;      /* valid from then until the next one */
    double price_per_kwh; /* NaN = unknown */
    double co2_g_per_kwh;
};

struct wtl_factors {
    struct wtl_factor *items; /* by time; at least one */
    size_t count;
};

/* Those of the settings; NaN = not set. 0 or -ENOMEM; wtl_factors_fini() in any case. */
int wtl_factors_init(struct wtl_factors *factors, double price_per_kwh, double co2_g_per_kwh);
void wtl_factors_fini(struct wtl_factors *factors);

/* Add those of a file's text, whose name is for messages. 0; -EBADMSG with file and line; -ENOMEM. */
int wtl_factors_read(struct wtl_factors *factors,
                     const char *name,
                     const char *text,
                     size_t size,
                     struct wattle_error *err);

/* The ones that are valid at a time. */
const struct wtl_factor *wtl_factors_at(const struct wtl_factors *factors, int64_t ns);

#endif
