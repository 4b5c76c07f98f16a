/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of the GPUs in the total, divided among the processes that use them (account/device_share.h), look by look. What a
 * vendor's library last told holds for 3 s; without it, a GPU's energy stays unattributed.
 */
#ifndef WTL_CLI_LIVE_GPUS_H
#define WTL_CLI_LIVE_GPUS_H

#include "account/process_table.h"
#include "account/share.h"
#include "model/result.h"
#include "sensors/gpu/gpu_use.h"
#include "source/select.h"

enum { WTL_LIVE_GPU_DRIVERS = 3, WTL_LIVE_GPUS = 64 };

/* Zeroed = none. */
struct wtl_live_gpus {
    const struct wtl_world *world;
    bool own_pids; /* the library's numbers of processes may be others */
    struct wtl_live_gpu_driver {
        const struct wtl_source *source;
        struct wtl_gpu_use use;
        uint64_t devices;
        struct wtl_gpu_user *users; /* by the last answer that told something */
        size_t count;
        uint64_t known, known_ns;
    } drivers[WTL_LIVE_GPU_DRIVERS];
    size_t driver_count;
    struct wtl_live_gpu {
        const char *name; /* of the channel */
        size_t driver;
        int device;
        double now_j, settled_j;
    } list[WTL_LIVE_GPUS];
    size_t count;
    uint64_t asked_ns, now_ns;
};

/* Find those of a selection, which outlives it, that can be asked about. */
void wtl_live_gpus_open(struct wtl_live_gpus *gpus,
                        const struct wtl_world *world,
                        const struct wtl_selection *selection);
void wtl_live_gpus_close(struct wtl_live_gpus *gpus);

/* Take their energies, and ask who uses them, once a second; waits at most 50 ms. */
void wtl_live_gpus_look(struct wtl_live_gpus *gpus, const struct wtl_result *result);

/* Give what was gained in `seconds` to the processes of a table, and to idle, out of what is unattributed. */
void wtl_live_gpus_give(const struct wtl_live_gpus *gpus,
                        struct wtl_process_table *table,
                        double seconds,
                        struct wtl_share_rest *rest);
void wtl_live_gpus_settle(struct wtl_live_gpus *gpus); /* what was gained so far is divided */

#endif
