/* SPDX-License-Identifier: BSD-3-Clause */
/* Hypotheses of where a run stands: see run_beam.h. There are few, so all searches are linear. */
#include "analysis/predict/run_beam.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/random.h"

struct wtl_run_beam {
    size_t most, count;
    bool fair;
    uint64_t draws;
    struct wtl_hypothesis list[];
};

int wtl_run_beam_create(size_t most, bool fair, struct wtl_run_beam **ret_beam)
{
    struct wtl_run_beam *beam = calloc(1, sizeof *beam + most * sizeof beam->list[0]);
    if (!beam)
        return -ENOMEM;
    beam->most = most;
    beam->fair = fair;
    *ret_beam = beam;
    return 0;
}

void wtl_run_beam_destroy(struct wtl_run_beam *beam)
{
    free(beam);
}

void wtl_run_beam_clear(struct wtl_run_beam *beam)
{
    beam->count = 0;
}

size_t wtl_run_beam_count(const struct wtl_run_beam *beam)
{
    return beam->count;
}

const struct wtl_hypothesis *wtl_run_beam_at(const struct wtl_run_beam *beam, size_t i)
{
    return &beam->list[i];
}

size_t wtl_run_beam_best(const struct wtl_run_beam *beam)
{
    size_t best = 0;
    for (size_t i = 1; i < beam->count; i++)
        best = beam->list[i].weight > beam->list[best].weight ? i : best;
    return best;
}

static size_t least_of(const struct wtl_run_beam *beam)
{
    size_t least = 0;
    for (size_t i = 1; i < beam->count; i++)
        least = beam->list[i].weight < beam->list[least].weight ? i : least;
    return least;
}

double wtl_run_beam_least(const struct wtl_run_beam *beam)
{
    return beam->fair || beam->count < beam->most ? 0 : beam->list[least_of(beam)].weight;
}

void wtl_run_beam_add(struct wtl_run_beam *beam,
                      const struct wtl_run_state *state,
                      double weight,
                      uint16_t letter,
                      uint8_t from)
{
    uint64_t hash = wtl_hash_bytes(WTL_HASH_START, &state->elapsed, sizeof state->elapsed);
    hash = wtl_hash_bytes(hash, state->letter, sizeof state->letter);
    hash = wtl_hash_bytes(hash, state->length, sizeof state->length);
    struct wtl_hypothesis added = {*state, weight, hash, weight, letter, from};
    for (size_t i = 0; i < beam->count; i++) {
        struct wtl_hypothesis *same = &beam->list[i];
        if (same->hash != hash)
            continue;
        added.weight += same->weight;
        if (same->largest >= weight) {
            added.largest = same->largest;
            added.letter = same->letter;
            added.from = same->from;
        }
        *same = added;
        return;
    }
    if (beam->count < beam->most) {
        beam->list[beam->count++] = added;
        return;
    }
    struct wtl_hypothesis *least = &beam->list[least_of(beam)];
    double both = least->weight + weight;
    if (!beam->fair || wtl_random_uniform(0, beam->draws++) * both < weight)
        *least = added;
    if (beam->fair)
        least->weight = both;
}

double wtl_run_beam_scale(struct wtl_run_beam *beam, double share, double sum)
{
    double before = 0, after = 0, best = 0;
    size_t kept = 0;
    for (size_t i = 0; i < beam->count; i++) {
        before += beam->list[i].weight;
        best = beam->list[i].weight > best ? beam->list[i].weight : best;
    }
    for (size_t i = 0; i < beam->count; i++) {
        if (!(beam->list[i].weight >= share * best))
            continue;
        beam->list[kept++] = beam->list[i];
        after += beam->list[kept - 1].weight;
    }
    beam->count = kept;
    for (size_t i = 0; i < kept && after > 0; i++)
        beam->list[i].weight *= sum / after;
    return before;
}
