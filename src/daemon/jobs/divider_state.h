/* SPDX-License-Identifier: BSD-3-Clause */
/* What a divider holds (divider.h), for the files that implement it. */
#ifndef WTL_DAEMON_DIVIDER_STATE_H
#define WTL_DAEMON_DIVIDER_STATE_H

#include "account/cpu_times.h"
#include "daemon/jobs/divider.h"
#include "daemon/jobs/job_counters.h"
#include "daemon/jobs/job_gpus.h"
#include "daemon/jobs/job_use.h"

/* A channel of the page when it was divided last. */
struct wtl_divider_base {
    char name[WATTLE_NAME_MAX];
    uint64_t since_ns, sample_ns, unknown_ns; /* as in the page; sample_ns 0 = not yet */
    int64_t energy_uj;
    double busy_s;   /* of the machine, since boot; NaN = unknown */
    uint64_t number; /* of that look; 0 = of another wattled */
};

struct wtl_divider {
    const struct wtl_world *world;
    struct wtl_share_model model;
    struct wtl_node_fit fit;
    struct wtl_cpu_times times; /* world NULL: not readable */
    struct wtl_job_roofs roofs;
    struct wtl_job_gpus gpus;
    struct wtl_job_counters counters;
    uint64_t number;  /* of the look */
    uint64_t look_ns; /* when it was */
    double busy_s;    /* of the machine until then, since boot; NaN = unknown */
    size_t count;
    struct wtl_divider_base *bases; /* as the channels of the page */
};

/* One for each channel of a page, in its order; those that are not there are dropped. 0 or -ENOMEM. */
int wtl_divider_match(struct wtl_divider *divider, const struct wtl_page_values *values);

#endif
