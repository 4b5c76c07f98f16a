/* SPDX-License-Identifier: BSD-3-Clause */
/* Means over equal intervals of time: see bins.h. */
#include "analysis/power/bins.h"

#include <math.h>
#include <stdbool.h>

#include "base/whole.h"

void wtl_bins_clear(struct wtl_bins *cells)
{
    for (size_t k = 0; k < cells->count; k++)
        cells->integral[k] = cells->known_s[k] = 0;
}

void wtl_bins_add(struct wtl_bins *cells, double begin_s, double end_s, double value)
{
    double whole_s = cells->cell_s * (double)cells->count;
    if (!isfinite(value) || !(end_s > 0) || !(begin_s < whole_s))
        return;
    double begin = fmax(begin_s, 0), end = fmin(end_s, whole_s);
    for (size_t k = wtl_whole_size(begin / cells->cell_s, cells->count);
         k < cells->count && (double)k * cells->cell_s < end; k++) {
        double low = fmax(begin, (double)k * cells->cell_s);
        double part = fmin(end, (double)(k + 1) * cells->cell_s) - low;
        if (!(part > 0))
            continue;
        cells->integral[k] += part * value;
        cells->known_s[k] += part;
    }
}

double wtl_bins_mean(const struct wtl_bins *cells, size_t k, double part)
{
    bool enough = cells->known_s[k] > 0 && cells->known_s[k] >= part * cells->cell_s;
    return enough ? cells->integral[k] / cells->known_s[k] : (double)NAN;
}
