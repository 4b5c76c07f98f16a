/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes according to the caches, and the numbers in them. */
#include "load/fma_data.h"

#include <math.h>

#include "tap.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static const struct {
    const char *name;
    struct wtl_caches caches;
    size_t threads;
    uint64_t available;
    struct wtl_fma_sizes want;
} rows[] = {
    {"24 cores of a Haswell server",
     {256 * KIB, 2560 * KIB},
     24,
     60ull << 30,
     {128 * KIB, 1280 * KIB, 32 * MIB}},
    {"a third cache smaller than the second",
     {2048 * KIB, 1920 * KIB},
     48,
     200ull << 30,
     {1024 * KIB, 3072 * KIB, 32 * MIB}},
    {"no third cache", {512 * KIB, 0}, 4, 4ull << 30, {256 * KIB, 768 * KIB, 32 * MIB}},
    {"a large third cache", {512 * KIB, 12 * MIB}, 8, 60ull << 30, {256 * KIB, 6 * MIB, 48 * MIB}},
    {"a giant one", {2 * MIB, 150 * MIB}, 2, 20ull << 30, {1 * MIB, 75 * MIB, 256 * MIB}},
    {"little memory", {512 * KIB, 4 * MIB}, 64, 1ull << 30, {256 * KIB, 2 * MIB, 4 * MIB}},
    {"hardly any", {512 * KIB, 0}, 64, 1 << 20, {256 * KIB, 768 * KIB, 64 * KIB}},
};

static void check_sizes(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_fma_sizes got =
            wtl_fma_sizes_for(&rows[i].caches, rows[i].threads, rows[i].available);
        is_int(got.l2, rows[i].want.l2, "%s: second cache", rows[i].name);
        is_int(got.l3, rows[i].want.l3, "%s: third cache", rows[i].name);
        is_int(got.memory, rows[i].want.memory, "%s: memory", rows[i].name);
    }
}

/* Each bit of the mantissa, and the sign, is set in about half of the addends. */
static void check_bits(const double *numbers, size_t count)
{
    for (int bit = 0; bit < 64; bit++) {
        size_t set = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, &numbers[i], sizeof bits);
            set += bits >> bit & 1;
        }
        if (bit >= 52 && bit < 63)
            ok(set == count || bit == 62, "bit %d of the exponent is that of [1,2)", bit);
        else
            ok(set > count * 2 / 5 && set < count * 3 / 5, "bit %d varies (%zu of %zu)", bit, set,
               count);
    }
}

int main(void)
{
    const struct wtl_fma_sizes sizes = {.l2 = 64 * KIB, .l3 = 128 * KIB, .memory = 256 * KIB};
    struct wtl_fma_data data;
    check_sizes();
    is_int(wtl_fma_data_make(&data, &sizes), 0, "made");
    is_int(data.work.l2.lines, 512, "half of a stream is read, half written");
    is_int((uintptr_t)data.work.state % 64, 0, "on a line");
    is_int((uintptr_t)data.work.l2.in % 64 + (uintptr_t)data.work.memory.out % 64, 0,
           "streams, too");
    check_bits(data.work.memory.in, data.work.memory.lines * WTL_FMA_LINE);
    ok(wtl_fma_data_sound(&data, WTL_FMA_GROUPS), "sound at first");
    uint64_t before = wtl_fma_data_checksum(&data, 3);
    data.work.memory.out[8] = 1;
    ok(wtl_fma_data_checksum(&data, 3) != before, "the checksum sees what was written");
    data.work.state[5] = NAN;
    ok(!wtl_fma_data_sound(&data, 3), "not a number is not sound");
    data.work.state[5] = 1e3;
    ok(!wtl_fma_data_sound(&data, 3), "nor is what the kernel cannot give");
    wtl_fma_data_fini(&data);
    wtl_fma_data_fini(&data);
    const struct wtl_fma_sizes too_much = {.l2 = 64 * KIB, .l3 = 64 * KIB, .memory = SIZE_MAX / 4};
    ok(wtl_fma_data_make(&data, &too_much) < 0, "memory that is not there is an error");
    return done_testing();
}
