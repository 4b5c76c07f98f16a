/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why an AMD GPU is slower than it was asked to be, from the table "gpu_metrics" of its folder in sysfs. AMD's libraries copy this
 * table into structures that change with their versions; the table says which layout it has (docs/dev/gpu-libraries.md).
 */
#ifndef WTL_GPU_AMD_METRICS_H
#define WTL_GPU_AMD_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wtl_amd_reason {
    WTL_AMD_REASON_POWER,
    WTL_AMD_REASON_HEAT,
    WTL_AMD_REASON_OTHER,
    WTL_AMD_REASONS
};

/* What an earlier table had, of one device and reason; zeros: there was none. */
struct wtl_amd_residency {
    bool known;
    uint32_t cycles, slowed[4]; /* those of the reason */
};

/* The share of time in millionths: that since the earlier table where the device counts, else 0 or all, as it is now. 0;
 * -ENOTSUP: the table does not tell; -ENODATA: nothing to compare with yet. */
int wtl_amd_slowed(const uint8_t *table,
                   size_t n,
                   enum wtl_amd_reason reason,
                   struct wtl_amd_residency *earlier,
                   uint64_t *ret_millionths);

/* The same for a device by its PCI address; also -EACCES, -ENODEV, -EIO. */
int wtl_amd_slowed_now(const char *pci,
                       enum wtl_amd_reason reason,
                       struct wtl_amd_residency *earlier,
                       uint64_t *ret_millionths);

#endif
