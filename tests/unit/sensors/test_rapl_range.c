/* SPDX-License-Identifier: BSD-3-Clause */
/* Moduli from ranges: numbers of real machines, and both ways of computing them over many units. */
#include "sensors/rapl_range.h"

#include "tap.h"

static void test_known(void)
{
    static const struct {
        int line;
        uint64_t range, modulus;
    } rows[] = {
        {__LINE__, 262143328850, 262143328911},         /* Intel, 2^-14 J: tests/hosts/kepler */
        {__LINE__, 65532610987, 65532611002},           /* 2^-16 J: AMD packages, server dram */
        {__LINE__, 4294967295000000, 4294967296000000}, /* 1 J */
        {__LINE__, 262143999938, 262144000000},         /* exact 2^-14 J, 32 bits */
        {__LINE__, 1023999938, 1024000000},             /* exact 2^-14 J, 24 bits */
        {__LINE__, 65535999984, 65536000000},           /* exact 2^-16 J, 32 bits */
        {__LINE__, 123456789, 123456790},               /* neither */
        {__LINE__, 0, 0},
        {__LINE__, UINT64_MAX, 0},
        {__LINE__, UINT64_MAX - 1, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        ok(wtl_rapl_modulus_uj(rows[i].range) == rows[i].modulus,
           "range %" PRIu64 " gives %" PRIu64, rows[i].range, wtl_rapl_modulus_uj(rows[i].range));
    }
    tap_line = 0;
}

/* Every unit that the kernel's integer arithmetic can produce: the modulus is the value of 2^32
 * ticks. */
static void test_linux(void)
{
    unsigned wrong = 0, tried = 0;
    for (uint64_t unit = 3; unit < 2000000; unit += 37, tried++) {
        uint64_t range = (uint64_t)((long double)4294967295u * unit / 1000);
        uint64_t want = (uint64_t)((long double)4294967296u * unit / 1000 + 0.5L);
        uint64_t got = wtl_rapl_modulus_uj(range);
        wrong += got > want + 1 || got + 1 < want;
    }
    is_int(wrong, 0, "integer units: %u of %u off by more than 1 uJ", wrong, tried);
}

static void test_exact(void)
{
    unsigned wrong = 0, tried = 0;
    for (unsigned bits = 16; bits <= 43; bits++) {
        for (unsigned exponent = 0; exponent <= 20 && exponent + 6 < bits; exponent++, tried++) {
            uint64_t size = UINT64_C(1) << bits;
            uint64_t got = wtl_rapl_modulus_uj((size - 1) * 1000000 >> exponent);
            long double want = (long double)size * 1e6L / (long double)(UINT64_C(1) << exponent);
            long double off = (long double)got - want;
            wrong += off > 1 || off < -1;
        }
    }
    is_int(wrong, 0, "powers of two: %u of %u off by more than 1 uJ", wrong, tried);
}

int main(void)
{
    test_known();
    test_linux();
    test_exact();
    return done_testing();
}
