/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "gpu_metrics" of AMD's driver: made tables of each layout, cut off, and of unknown ones. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "gpu/amd_metrics.h"
#include "tap.h"

enum { SIZE = 128, NOTHING = -1 };

static void put(uint8_t *table, size_t at, uint32_t word)
{
    memcpy(table + at, &word, sizeof word);
}

static void make(uint8_t table[SIZE], uint8_t content)
{
    memset(table, 0xff, SIZE);
    table[2] = 1;
    table[3] = content;
}

static int64_t share(const uint8_t *table,
                     size_t n,
                     enum wtl_amd_reason reason,
                     struct wtl_amd_residency *earlier)
{
    uint64_t got = 0;
    int rc = wtl_amd_slowed(table, n, reason, earlier, &got);
    return rc < 0 ? rc : (int64_t)got;
}

static void test_bits(void)
{
    static const struct {
        int line;
        int bit;
        int want[WTL_AMD_REASONS];
    } row[] = {
        {__LINE__, NOTHING, {0, 0, 0}}, {__LINE__, 0, {1, 0, 0}},  {__LINE__, 7, {1, 0, 0}},
        {__LINE__, 16, {0, 0, 1}},      {__LINE__, 23, {0, 0, 1}}, {__LINE__, 32, {0, 1, 0}},
        {__LINE__, 47, {0, 1, 0}},      {__LINE__, 56, {0, 0, 1}}, {__LINE__, 57, {0, 0, 1}},
    };
    uint8_t table[SIZE];
    struct wtl_amd_residency unused = {0};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t bits = row[i].bit == NOTHING ? 0 : UINT64_C(1) << row[i].bit;
        tap_line = row[i].line;
        make(table, 3);
        put(table, 112, (uint32_t)bits);
        put(table, 116, (uint32_t)(bits >> 32));
        for (int reason = 0; reason < WTL_AMD_REASONS; reason++)
            is_int(share(table, 120, (enum wtl_amd_reason)reason, &unused),
                   1000000 * row[i].want[reason], "bit %d, reason %d", row[i].bit, reason);
    }
    tap_line = 0;
    is_int(share(table, 119, WTL_AMD_REASON_POWER, &unused), -ENOTSUP, "cut off");
    make(table, 3);
    is_int(share(table, 120, WTL_AMD_REASON_HEAT, &unused), -ENOTSUP, "all bits set: not told");
    make(table, 1);
    put(table, 68, 4);
    is_int(share(table, 72, WTL_AMD_REASON_OTHER, &unused), 1000000, "a bit of this device");
    is_int(share(table, 72, WTL_AMD_REASON_POWER, &unused), -ENOTSUP, "whose meaning is unknown");
    is_int(share(table, 71, WTL_AMD_REASON_OTHER, &unused), -ENOTSUP, "cut off");
}

static void test_residencies(void)
{
    static const struct {
        int line;
        uint8_t content;
        size_t at;
    } row[] = {{__LINE__, 6, 32}, {__LINE__, 7, 40}, {__LINE__, 8, 40}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint8_t table[SIZE];
        struct wtl_amd_residency power = {0}, heat = {0};
        size_t at = row[i].at;
        tap_line = row[i].line;
        make(table, row[i].content);
        put(table, at, 0xffffff00);
        for (size_t k = 1; k < 6; k++)
            put(table, at + 4 * k, 100);
        put(table, at + 8, 0xfffffff0);
        is_int(share(table, SIZE, WTL_AMD_REASON_POWER, &power), -ENODATA, "nothing before");
        is_int(share(table, SIZE, WTL_AMD_REASON_POWER, &power), -ENODATA, "no new table");
        is_int(share(table, SIZE, WTL_AMD_REASON_HEAT, &heat), -ENODATA, "nothing before");
        put(table, at, 0xffffff00u + 1000);
        put(table, at + 8, 0xfffffff0u + 250);
        put(table, at + 20, 600);
        is_int(share(table, SIZE, WTL_AMD_REASON_POWER, &power), 250000, "a quarter, with wraps");
        is_int(share(table, SIZE, WTL_AMD_REASON_HEAT, &heat), 500000, "half, of the memory");
        is_int(share(table, SIZE, WTL_AMD_REASON_OTHER, &heat), -ENOTSUP, "no other is counted");
        put(table, at, 0xffffff00u + 2000);
        put(table, at + 12, 500); /* less than the memory has in all */
        is_int(share(table, SIZE, WTL_AMD_REASON_HEAT, &heat), 400000, "now of the socket");
        is_int(share(table, at + 23, WTL_AMD_REASON_POWER, &power), -ENOTSUP, "cut off");
        put(table, at, 0xffffffff);
        is_int(share(table, SIZE, WTL_AMD_REASON_POWER, &power), -ENOTSUP, "not counted here");
    }
    tap_line = 0;
}

static void test_unknown(void)
{
    uint8_t table[SIZE];
    struct wtl_amd_residency unused = {0};
    for (int format = 0; format < 4; format++)
        for (int content = 0; content < 256; content++) {
            memset(table, 0, sizeof table);
            table[2] = (uint8_t)format;
            table[3] = (uint8_t)content;
            bool known = format == 1 && (content == 1 || content == 2 || content == 3);
            int64_t got = share(table, SIZE, WTL_AMD_REASON_OTHER, &unused);
            if (got != (known ? 0 : -ENOTSUP))
                is_int(got, known ? 0 : -ENOTSUP, "table %d.%d", format, content);
        }
    is_int(share(table, 0, WTL_AMD_REASON_OTHER, &unused), -ENOTSUP, "empty");
    is_int(share(table, 3, WTL_AMD_REASON_OTHER, &unused), -ENOTSUP, "shorter than its head");
    uint64_t got;
    is_int(wtl_amd_slowed_now("", WTL_AMD_REASON_HEAT, &unused, &got), -ENOTSUP, "no address");
    is_int(wtl_amd_slowed_now("ffff:ff:1f.7", WTL_AMD_REASON_HEAT, &unused, &got), -ENOTSUP,
           "no table");
}

int main(void)
{
    test_bits();
    test_residencies();
    test_unknown();
    return done_testing();
}
