/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Divides the energy of the node among its open jobs, in looks: at least once a second, and whenever a job begins or ends. In
 * each look, for each channel, in microjoules,
 *
 *     charged to the jobs + idle + unattributed = what the counter has counted since the last look
 *
 * by the rule of account/share.h, with hardware counters (job_counters.h). A job that has reserved all of the node and is alone gets the counter itself, and so does each of its
 * steps while it runs. A step is part of its job, and never added to it. Energy of GPUs is divided by the rule of account/device_share.h. What a channel shows late (its sensor hung, or is slow) is divided by
 * the CPU time since its last value.
 *
 * What the next look needs is in a file after each one, so that a wattled that was killed continues from there.
 *
 * Thread rule: all calls from the daemon's thread.
 */
#ifndef WTL_DAEMON_DIVIDER_H
#define WTL_DAEMON_DIVIDER_H

#include <stddef.h>

#include <wattle/error.h>

#include "account/share.h"
#include "base/world/world.h"
#include "counters/columns/work_counter.h"
#include "daemon/jobs/job_channels.h"
#include "source/select.h"

struct wtl_divider;

/* The jobs are those of a list, which the caller changes between looks. -ENOMEM. */
int wtl_divider_create(const struct wtl_world *world,
                       const struct wtl_share_model *model,
                       struct wtl_divider **ret_divider);
void wtl_divider_set_model(struct wtl_divider *divider, const struct wtl_share_model *model);
void wtl_divider_destroy(struct wtl_divider *divider); /* accepts NULL */

/* Have the vendors' libraries asked who uses the GPUs of this selection, which outlives the divider. */
void wtl_divider_watch(struct wtl_divider *divider, const struct wtl_selection *selection);

/* Use hardware counters of the machine, which are at rest, and outlive the divider; NULL = none. */
void wtl_divider_count(struct wtl_divider *divider, struct wtl_work_counter *machine);

/* There is nothing to divide: let go of what is only needed for that. */
void wtl_divider_rest(struct wtl_divider *divider);

/* Take the jobs to these values, and divide what the channels have counted. `final`: a job begins or ends at this instant;
 * otherwise what cannot be divided yet may wait for the next look. */
void wtl_divider_look(struct wtl_divider *divider,
                      const struct wtl_page_values *values,
                      struct wtl_ledger_job *const *jobs,
                      size_t count,
                      bool final);

/* A job begins after a look at this instant: what it has used so far is not its own. */
void wtl_divider_begin(struct wtl_divider *divider, struct wtl_ledger_job *job);

/* Write what the next look needs, as a whole. 0 or -errno. */
int wtl_divider_save(const struct wtl_divider *divider,
                     const char *path,
                     const char *boot_id,
                     struct wtl_ledger_job *const *jobs,
                     size_t count);

/* Take it from that file, for the jobs in it that are still open. A file that is not whole, or of another boot: nothing. */
void wtl_divider_load(struct wtl_divider *divider,
                      const char *path,
                      const char *boot_id,
                      struct wtl_ledger_job *const *jobs,
                      size_t count);

#endif
