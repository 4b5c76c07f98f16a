/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies with intervals, and their sums: see energy.h. */
#include "model/energy.h"

#include <math.h>

#include "model/quality.h"

struct wtl_energy wtl_energy_unknown(void)
{
    return (struct wtl_energy){
        .j = NAN, .half_j = NAN, .low_j = NAN, .high_j = NAN, .known_j = NAN, .known_half_j = NAN};
}

struct wtl_energy wtl_energy_on(const struct wattle_channel *channel, double j, double half_j)
{
    bool model = channel->quality == WATTLE_ESTIMATED && channel->ratio_high > 0;
    return (struct wtl_energy){.j = j,
                               .half_j = half_j,
                               .low_j = model ? wtl_not_below_0((j - half_j) * channel->ratio_low)
                                              : (double)NAN,
                               .high_j = model ? (j + half_j) * channel->ratio_high : (double)NAN,
                               .known_j = NAN,
                               .known_half_j = NAN,
                               .alike = channel->kind == WATTLE_COUNTER ? 0 : 1,
                               .simulated = wtl_channel_is_simulated(channel),
                               .quality = channel->quality};
}

struct wtl_energy wtl_energy_scaled(const struct wtl_energy *energy, double factor)
{
    struct wtl_energy scaled = *energy;
    scaled.j *= factor;
    scaled.half_j *= factor;
    scaled.low_j *= factor;
    scaled.high_j *= factor;
    scaled.known_j *= factor;
    scaled.known_half_j *= factor;
    return scaled;
}

double wtl_energy_half(const struct wtl_energy *energy)
{
    return energy->quality == WATTLE_ESTIMATED ? (energy->high_j - energy->low_j) / 2
                                               : energy->half_j;
}

void wtl_energy_ends(const struct wtl_energy *energy, double *ret_low, double *ret_high)
{
    bool model = energy->quality == WATTLE_ESTIMATED;
    *ret_low = wtl_not_below_0(model ? energy->low_j : energy->j - energy->half_j);
    *ret_high = model ? energy->high_j : energy->j + energy->half_j;
}

void wtl_energy_range_as(struct wtl_energy *part, const struct wtl_energy *whole)
{
    if (part->quality != WATTLE_ESTIMATED)
        return;
    bool ticks = part->interval_only;
    part->low_j =
        ticks ? wtl_not_below_0(part->j - part->half_j) : part->j * (whole->low_j / whole->j);
    part->high_j = ticks ? part->j + part->half_j : part->j * (whole->high_j / whole->j);
}

void wtl_energy_add(struct wtl_energy_sum *sum, const struct wtl_energy *part)
{
    /* These properties of a part apply even if its energy is unknown. */
    sum->simulated |= part->simulated;
    if (part->quality > sum->quality)
        sum->quality = part->quality;
    if (isnan(part->j)) {
        sum->unknown++;
        return;
    }
    sum->known++;
    sum->interval_only |= part->interval_only;
    sum->j += part->j;
    sum->whole += part->half_j;
    double alike_j = part->alike * part->half_j;
    sum->alike += alike_j;
    sum->squares += part->half_j * part->half_j - alike_j * alike_j;
    sum->low += part->low_j;
    sum->high += part->high_j;
}

struct wtl_energy wtl_energy_sum_of(const struct wtl_energy_sum *sum, bool whole)
{
    struct wtl_energy all = wtl_energy_unknown();
    all.simulated = sum->simulated;
    all.quality = sum->quality;
    all.interval_only = sum->interval_only;
    double half_j = whole ? sum->whole : sqrt(sum->squares + sum->alike * sum->alike);
    all.alike = half_j > 0 ? fmin(sum->alike / half_j, 1) : 0;
    if (sum->known > 0) {
        bool model = sum->quality == WATTLE_ESTIMATED && sum->low <= sum->j;
        all.known_j = sum->j;
        all.known_half_j = model ? sum->j - sum->low : half_j;
    }
    if (sum->known == 0 || sum->unknown > 0)
        return all;
    all.j = sum->j;
    all.half_j = half_j;
    all.low_j = sum->low;
    all.high_j = sum->high;
    return all;
}
