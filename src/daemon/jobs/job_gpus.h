/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which GPUs jobs have reserved, and which jobs use them: where a GPU has no single owner, its vendor's library is asked, look by
 * look, which processes use it. While one job has it, or no job is open, the library is not asked.
 */
#ifndef WTL_DAEMON_JOB_GPUS_H
#define WTL_DAEMON_JOB_GPUS_H

#include "account/device_share.h"
#include "daemon/jobs/job_channels.h"
#include "sensors/gpu/gpu_use.h"
#include "source/select.h"

enum { WTL_GPU_DRIVERS = 3 };

/* Zeroed = the library is not asked. */
struct wtl_job_gpus {
    struct wtl_job_gpu_driver {
        const struct wtl_source *source;
        struct wtl_gpu_use use;
        size_t *owners; /* [use.count]: number of the job of each process; SIZE_MAX = of none */
    } list[WTL_GPU_DRIVERS];
    size_t count;
};

/* The jobs of a look, parallel. */
struct wtl_job_set {
    struct wtl_ledger_job *const *jobs;
    const size_t *job_of; /* that a step is part of; itself; SIZE_MAX = gone */
    const bool *gone;     /* it reserves nothing any more */
    size_t count;
    const struct wtl_ledger_job *alone; /* has the whole node; NULL = none */
};

/* Ask the sources of this selection, which outlives it. */
void wtl_job_gpus_watch(struct wtl_job_gpus *gpus, const struct wtl_selection *selection);
void wtl_job_gpus_rest(struct wtl_job_gpus *gpus); /* do not ask until the next look */
void wtl_job_gpus_fini(struct wtl_job_gpus *gpus);

/* Is this channel's GPU in a list such as "0,1", "nvml:gpu-0", or of UUIDs or PCI addresses? Pure. */
bool wtl_job_gpus_has(const char *list, const struct wattle_page_channel *channel);
/* Is each word of a list a GPU of these values? Pure. */
bool wtl_job_gpus_are_here(const char *list, const struct wtl_page_values *values);

/* Bring up to date what is known of the GPUs of a page, waiting until `until_ns` at most. No memory: nothing is known. */
void wtl_job_gpus_look(struct wtl_job_gpus *gpus,
                       const struct wtl_world *world,
                       const struct wtl_page_values *values,
                       const struct wtl_job_set *set,
                       uint64_t until_ns);

/* What each job claims of a GPU, into claims[set->count]. Returns what others use; NaN: use is not known. *ret_soon: but will
 * soon be, so that it is worth to wait for the next look. */
double wtl_job_gpus_claims(const struct wtl_job_gpus *gpus,
                           const struct wattle_page_channel *channel,
                           const struct wtl_job_set *set,
                           struct wtl_device_claim *claims,
                           bool *ret_soon);

#endif
