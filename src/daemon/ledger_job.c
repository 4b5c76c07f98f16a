/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a job: see ledger_job.h. */
#include "daemon/ledger_job.h"

#include <math.h>

#include "account/device_share.h"

int64_t wtl_ledger_microjoules(double joules)
{
    const double most = 9e18;
    return (int64_t)llround(fmin(fmax(joules * 1e6, -most), most));
}

const char *wtl_ledger_job_rule(const struct wtl_ledger_job *job)
{
    const struct wtl_job_use *use = &job->use;
    bool shared = use->rules & ~(unsigned)WTL_JOB_RULE_EXCLUSIVE;
    if (use->rules == 0 || (shared && use->seen_ns == 0))
        return "none";
    return use->rules & (WTL_JOB_RULE_CPU_TIME | WTL_JOB_RULE_NONE) ? "cpu_time"
           : use->rules & WTL_JOB_RULE_CALIBRATED                   ? "calibrated"
           : shared                                                 ? "counters"
                                                                    : "exclusive";
}

uint64_t wtl_ledger_job_unknown_ns(const struct wtl_ledger_job *job,
                                   const struct wtl_ledger_job_channel *channel)
{
    uint64_t elapsed_ns = job->until_ns > job->begin_ns ? job->until_ns - job->begin_ns : 0;
    uint64_t unknown_ns = channel->until_unknown_ns - channel->begin_unknown_ns;
    bool known = isfinite(channel->begin_j) && isfinite(channel->until_j) &&
                 channel->until_unknown_ns >= channel->begin_unknown_ns;
    return known && unknown_ns < elapsed_ns ? unknown_ns
           : known && unknown_ns == 0       ? 0
                                            : elapsed_ns;
}

double wtl_ledger_job_energy_j(const struct wtl_ledger_job *job,
                               const struct wtl_ledger_job_channel *channel)
{
    uint64_t unknown_ns = wtl_ledger_job_unknown_ns(job, channel);
    return unknown_ns > 0 && unknown_ns >= job->until_ns - job->begin_ns
               ? (double)NAN
               : (double)(wtl_ledger_microjoules(channel->until_j) -
                          wtl_ledger_microjoules(channel->begin_j)) *
                     1e-6;
}

const char *wtl_ledger_job_device_rule(const struct wtl_ledger_job_channel *channel)
{
    static const char *const words[] = {[WTL_DEVICE_EMPTY] = "",
                                        [WTL_DEVICE_RESERVED] = "reserved",
                                        [WTL_DEVICE_USE] = "use",
                                        [WTL_DEVICE_UNKNOWN] = "none"};
    return channel->device_rule < sizeof words / sizeof *words ? words[channel->device_rule] : "";
}
