/* SPDX-License-Identifier: BSD-3-Clause */
/* See device_share.h. */
#include "account/device_share.h"

#include <math.h>
#include <stdint.h>

/* The job that alone has reserved it, itself or by its steps; SIZE_MAX = none has, or several. */
static size_t owner_of(const struct wtl_device_claim *claims, size_t n)
{
    size_t owner = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!claims[i].reserved)
            continue;
        if (owner != SIZE_MAX && claims[i].job != owner)
            return SIZE_MAX;
        owner = claims[i].job;
    }
    return owner;
}

/* The step of this job that alone has reserved it, or the job. */
static size_t owner_within(const struct wtl_device_claim *claims, size_t n, size_t job)
{
    size_t owner = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (i == job || claims[i].job != job || !claims[i].reserved)
            continue;
        if (owner != SIZE_MAX)
            return job;
        owner = i;
    }
    return owner == SIZE_MAX ? job : owner;
}

bool wtl_device_has_owner(const struct wtl_device_claim *claims, size_t n)
{
    return owner_of(claims, n) != SIZE_MAX;
}

enum wtl_device_rule wtl_device_parts(const struct wtl_device_claim *claims,
                                      size_t n,
                                      double others,
                                      double *parts,
                                      double *ret_idle)
{
    size_t owner = owner_of(claims, n);
    double sum = others;
    *ret_idle = 0;
    for (size_t i = 0; i < n; i++) {
        parts[i] = 0;
        sum += claims[i].used;
    }
    if (owner != SIZE_MAX && owner < n) {
        parts[owner_within(claims, n, owner)] = 1;
        return WTL_DEVICE_RESERVED;
    }
    if (!isfinite(sum))
        return WTL_DEVICE_UNKNOWN;
    *ret_idle = sum > 0 ? 0 : 1;
    for (size_t i = 0; sum > 0 && i < n; i++)
        parts[i] = claims[i].used / sum;
    return WTL_DEVICE_USE;
}
