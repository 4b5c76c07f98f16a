/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each level that runs here gives the same result as plain C, to the last bit, over more rounds
 * than the streams are long, so that they wrap around. And the counts of operations are correct.
 */
#include "load/fma_kernel.h"

#include <math.h>

#include "load/fma_data.h"
#include "load/isa.h"
#include "tap.h"

/* Odd, and none a multiple of another: 67, 33 and 31 lines. */
static const struct wtl_fma_sizes sizes = {.l2 = 67 * 128, .l3 = 33 * 128, .memory = 31 * 128};

static uint64_t by(const struct wtl_isa *isa, bool reference, uint64_t rounds, bool *ret_sound)
{
    struct wtl_fma_data data;
    if (wtl_fma_data_make(&data, &sizes) != 0)
        return 0;
    if (reference)
        wtl_fma_reference(&data.work, rounds, isa->groups, isa->fused);
    else
        isa->run(&data.work, rounds);
    uint64_t sum = wtl_fma_data_checksum(&data, isa->groups);
    *ret_sound = wtl_fma_data_sound(&data, isa->groups);
    is_int(data.work.l2.at, rounds * WTL_FMA_UNITS % 67, "%s: the second cache's place", isa->name);
    is_int(data.work.l3.at, rounds * WTL_FMA_L3 % 33, "%s: the third cache's place", isa->name);
    is_int(data.work.memory.at, rounds % 31, "%s: the memory's place", isa->name);
    wtl_fma_data_fini(&data);
    return sum;
}

static void check_level(const struct wtl_isa *isa)
{
    static const uint64_t rounds[] = {1, 2, 30, 100};
    uint64_t before = 0;
    bool sound = false;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        uint64_t want = by(isa, true, rounds[i], &sound);
        ok(sound, "%s: plain C stays within bounds", isa->name);
        ok(want != before, "%s: each round changes what is there", isa->name);
        ok(by(isa, false, rounds[i], &sound) == want, "%s: %d rounds as plain C", isa->name,
           (int)rounds[i]);
        ok(sound, "%s: within bounds", isa->name);
        before = want;
    }
}

/* The worst case: all addends 2, and a multiplication that gives the largest value. */
static void check_bound(unsigned groups)
{
    double worst = 2, most = 0;
    for (int round = 0; round < 200; round++) {
        for (unsigned unit = 0; unit < WTL_FMA_UNITS; unit++) {
            for (unsigned lines = 0; lines < WTL_FMA_UNIT; lines += groups)
                worst = (worst * WTL_FMA_M1 + 2) * -WTL_FMA_M2 + WTL_FMA_C;
            worst = worst * WTL_FMA_M1 + 2;
        }
        for (int i = 0; i < WTL_FMA_L3 + 1; i++)
            worst = worst * WTL_FMA_M1 + 2;
        most = worst > most ? worst : most;
    }
    ok(most < WTL_FMA_BOUND && most > WTL_FMA_BOUND / 2, "groups of %u: %g at most", groups, most);
}

int main(void)
{
    struct wtl_isa_machine machine = wtl_isa_machine();
    for (size_t i = 0; wtl_isa_at(i); i++) {
        const char *refusal = wtl_isa_refusal(wtl_isa_at(i), &machine);
        if (refusal)
            skip("%s: %s", wtl_isa_at(i)->name, refusal);
        else
            check_level(wtl_isa_at(i));
        check_bound(wtl_isa_at(i)->groups);
    }
    is_int(WTL_FMA_FLOPS, 4048, "operations of a round, as the header has it");
    ok(fabs(WTL_FMA_M1) < 1 && fabs(WTL_FMA_M2) < 1, "nothing grows for ever");
    return done_testing();
}
