/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a job: see ledger_job.h. */
#include "daemon/ledger_job.h"

#include <math.h>
#include <string.h>

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

const char *wtl_ledger_job_uncounted(const struct wtl_ledger_job *job)
{
    static const char *const reasons[WTL_JOB_UNCOUNTED_REASONS] = {
        [WTL_JOB_COUNTED] = "",
        [WTL_JOB_LEARNING] = "the counters had not yet predicted power better than CPU time",
        [WTL_JOB_SHARED_CPUS] = "it shared CPUs with another job",
        [WTL_JOB_ANYWHERE] = "a job of the node may run on any CPU",
        [WTL_JOB_NO_COUNTERS] = "the node's counters could not be used"};
    const char *rule = wtl_ledger_job_rule(job);
    if (strcmp(rule, "calibrated") != 0 && strcmp(rule, "cpu_time") != 0)
        return "";
    return job->use.uncounted < WTL_JOB_UNCOUNTED_REASONS ? reasons[job->use.uncounted] : "";
}

double wtl_ledger_job_share_half_j(const struct wtl_ledger_job *job)
{
    int64_t sum_uj = 0;
    if (strcmp(wtl_ledger_job_rule(job), "counters") != 0)
        return (double)NAN;
    for (size_t i = 0; i < job->channel_count; i++)
        sum_uj += job->channels[i].in_total ? job->channels[i].share_half_uj : 0;
    return (double)sum_uj * 1e-6;
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
