/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors by date: see factors.h. */
#define _GNU_SOURCE
#include "jobs/factors.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "jobs/job_time.h"
#include "jobs/table_file.h"

static int add(struct wtl_factors *factors, const struct wtl_factor *factor)
{
    if (wtl_grow(&factors->items, factors->count, sizeof *factors->items) < 0)
        return -ENOMEM;
    factors->items[factors->count++] = *factor;
    return 0;
}

int wtl_factors_init(struct wtl_factors *factors, double price_per_kwh, double co2_g_per_kwh)
{
    *factors = (struct wtl_factors){NULL, 0};
    return add(factors, &(struct wtl_factor){INT64_MIN, price_per_kwh, co2_g_per_kwh});
}

void wtl_factors_fini(struct wtl_factors *factors)
{
    free(factors->items);
    *factors = (struct wtl_factors){NULL, 0};
}

/* A number that is not negative; "" = unknown. */
static bool parse_factor(const char *text, double *ret)
{
    *ret = (double)NAN;
    return !text[0] || (wtl_parse_double(text, ret) == 0 && *ret >= 0);
}

static int take_row(void *arg, char *cells[WTL_TABLE_CELLS], struct wattle_error *err)
{
    struct wtl_factors *factors = arg;
    struct wtl_factor factor;
    if (wtl_job_time_parse(cells[0], &factor.from_ns) < 0)
        return wtl_fail(err, -EBADMSG, "\"%s\" is not a date such as 2026-01-31", cells[0]);
    if (!parse_factor(cells[1], &factor.price_per_kwh) ||
        !parse_factor(cells[2], &factor.co2_g_per_kwh))
        return wtl_fail(err, -EBADMSG, "price and CO2 must be numbers of 0 or more, or empty");
    if (factors->items[factors->count - 1].from_ns >= factor.from_ns)
        return wtl_fail(err, -EBADMSG, "the dates must increase from line to line");
    return add(factors, &factor) < 0 ? wtl_no_memory(err) : 0;
}

int wtl_factors_read(struct wtl_factors *factors,
                     const char *name,
                     const char *text,
                     size_t size,
                     struct wattle_error *err)
{
    static const char *const columns[] = {"from", "price-per-kwh", "?co2-g-per-kwh", NULL};
    return wtl_table_file_read(name, text, size, columns, take_row, factors, err);
}

const struct wtl_factor *wtl_factors_at(const struct wtl_factors *factors, int64_t ns)
{
    size_t i = factors->count;
    while (i > 1 && factors->items[i - 1].from_ns > ns)
        i--;
    return &factors->items[i - 1];
}
