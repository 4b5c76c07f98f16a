/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "gpu/amd_metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT_AT = 2, CONTENT_AT = 3, FORMAT = 1, ALL = 1000000 };

/*
 * What the tables of format 1 have, by content. Bits that mean another thing on each device say only that there is a reason.
 * Contents 4 and 5 are left out: the driver writes 0 there always.
 */
enum kind { BITS_OF_DEVICE, BITS, RESIDENCIES };
static const struct layout {
    uint8_t content;
    enum kind kind;
    uint8_t at; /* of the bits; of the counter of cycles, which those of the reasons follow */
} layouts[] = {
    {1, BITS_OF_DEVICE, 68}, {2, BITS_OF_DEVICE, 68}, {3, BITS, 112},
    {6, RESIDENCIES, 32},    {7, RESIDENCIES, 40},    {8, RESIDENCIES, 40},
};

/* Counters after that of cycles, by number: processor hot, power, heat of socket, regulators and memory. */
enum { HOT = 1, POWER, SOCKET, REGULATORS, MEMORY, COUNTERS };

static const struct layout *layout_of(const uint8_t *table, size_t n)
{
    if (n <= CONTENT_AT || table[FORMAT_AT] != FORMAT)
        return NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        size_t size = layouts[i].kind == BITS_OF_DEVICE ? sizeof(uint32_t)
                      : layouts[i].kind == BITS         ? sizeof(uint64_t)
                                                        : COUNTERS * sizeof(uint32_t);
        if (layouts[i].content == table[CONTENT_AT])
            return layouts[i].at + size <= n ? &layouts[i] : NULL;
    }
    return NULL;
}

static uint32_t word_at(const uint8_t *table, size_t at)
{
    uint32_t word;
    memcpy(&word, table + at, sizeof word); /* little endian, as all machines with these devices */
    return word;
}

static int slowed_by_bits(const struct layout *layout,
                          const uint8_t *table,
                          enum wtl_amd_reason reason,
                          uint64_t *ret_millionths)
{
    /* of the bits that mean the same on all devices: from 0 power, 16 current, 32 heat, 56 others */
    const uint64_t power = 0xffff, heat = UINT64_C(0xffffff) << 32;
    uint64_t bits = word_at(table, layout->at), none = UINT32_MAX, wanted = UINT32_MAX;
    if (layout->kind == BITS) {
        bits |= (uint64_t)word_at(table, layout->at + sizeof(uint32_t)) << 32;
        none = UINT64_MAX;
        wanted = reason == WTL_AMD_REASON_POWER  ? power
                 : reason == WTL_AMD_REASON_HEAT ? heat
                                                 : ~(power | heat);
    } else if (reason != WTL_AMD_REASON_OTHER) {
        return -ENOTSUP;
    }
    if (bits == none)
        return -ENOTSUP;
    *ret_millionths = (bits & wanted) != 0 ? ALL : 0;
    return 0;
}

/* Counters of cycles with a reason, which wrap at 32 bits. Reasons for heat may hold at once: the one that held longest since the
 * earlier table is a lower bound. */
static int slowed_by_residency(const struct layout *layout,
                               const uint8_t *table,
                               enum wtl_amd_reason reason,
                               struct wtl_amd_residency *earlier,
                               uint64_t *ret_millionths)
{
    static const uint8_t of_power[] = {POWER}, of_heat[] = {HOT, SOCKET, REGULATORS, MEMORY};
    const uint8_t *counters = reason == WTL_AMD_REASON_HEAT ? of_heat : of_power;
    size_t count = reason == WTL_AMD_REASON_HEAT ? sizeof of_heat : sizeof of_power;
    struct wtl_amd_residency now = {.known = true, .cycles = word_at(table, layout->at)};
    uint32_t cycles = now.cycles - earlier->cycles, slowed = 0;

    if (reason == WTL_AMD_REASON_OTHER || now.cycles == 0 || now.cycles == UINT32_MAX)
        return -ENOTSUP;
    for (size_t i = 0; i < count; i++) {
        now.slowed[i] = word_at(table, layout->at + counters[i] * sizeof(uint32_t));
        if (now.slowed[i] == UINT32_MAX)
            now.slowed[i] = 0; /* a reason that the device does not count */
        if (now.slowed[i] - earlier->slowed[i] > slowed)
            slowed = now.slowed[i] - earlier->slowed[i];
    }
    bool known = earlier->known;
    *earlier = now;
    if (!known || cycles == 0)
        return -ENODATA;
    *ret_millionths = slowed >= cycles ? ALL : (uint64_t)ALL * slowed / cycles;
    return 0;
}

int wtl_amd_slowed(const uint8_t *table,
                   size_t n,
                   enum wtl_amd_reason reason,
                   struct wtl_amd_residency *earlier,
                   uint64_t *ret_millionths)
{
    const struct layout *layout = layout_of(table, n);
    if (!layout)
        return -ENOTSUP;
    return layout->kind == RESIDENCIES
               ? slowed_by_residency(layout, table, reason, earlier, ret_millionths)
               : slowed_by_bits(layout, table, reason, ret_millionths);
}

int wtl_amd_slowed_now(const char *pci,
                       enum wtl_amd_reason reason,
                       struct wtl_amd_residency *earlier,
                       uint64_t *ret_millionths)
{
    enum { BYTES = 128 }; /* the beginning of the table is enough */
    char path[128];
    uint8_t table[BYTES];
    (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/gpu_metrics", pci);
    int fd = pci[0] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return errno == EACCES ? -EACCES : -ENOTSUP; /* older drivers and devices have no table */
    ssize_t n = read(fd, table, sizeof table);
    int rc = n < 0 ? -errno : 0;
    (void)close(fd); /* read only */
    if (rc == -EOPNOTSUPP || rc == -EINVAL)
        rc = -ENOTSUP;
    return rc < 0 ? rc : wtl_amd_slowed(table, (size_t)n, reason, earlier, ret_millionths);
}
