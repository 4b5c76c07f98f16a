/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter of a pmlib server: samples of some lines of a device, in sets from START or CONTINUE to STOP. Each counter
 * has its own clock, which begins with the set: sample i of a line is the mean power of the i-th period of the set. The
 * rest of a set after its last whole period has no sample, unless the set is shorter than one period. When a value comes
 * late, the mean since the value before it replaces the samples in between. If it comes only after STOP, the set settles then.
 */
#ifndef WTL_SERVICE_PM_COUNTER_H
#define WTL_SERVICE_PM_COUNTER_H

#include "service/pm_budget.h"
#include "service/pm_meter.h"

enum { WTL_PM_SETS_MAX = 1 << 20 };

struct wtl_pm_counter {
    const struct wtl_pm_meters *meters;
    const struct wtl_pm_meter *meter;
    struct wtl_pm_memory *memory;
    int line_count; /* selected lines */
    bool aggregate; /* their sum is served */
    int lines[WTL_PM_LINES];
    struct wtl_pm_trail trails[WTL_PM_LINES];
    size_t
        pending[WTL_PM_LINES];   /* newest rows without a value newer than that of the row before */
    uint64_t period_ns, next_ns; /* next_ns: of the next sample, while active */
    uint64_t
        settle_ns; /* until then the last samples of a set that has ended may still change; 0 = they are settled */
    bool active;
    bool
        overflowed; /* samples were lost for lack of memory: there is no data until the next START */
    double *samples; /* rows of line_count */
    size_t rows, samples_room;
    int32_t *bounds; /* bounds[0] = 0; row after the end of set s is bounds[s + 1] */
    int32_t bound_count;
    size_t bounds_room;
};

/* Frequency 0 = that of the device; others are rounded to a whole fraction of it. 0; -EINVAL: negative or too high; -ENOMEM.
 * Free with wtl_pm_counter_fini() in any case. */
int wtl_pm_counter_init(struct wtl_pm_counter *counter,
                        const struct wtl_pm_meters *meters,
                        const struct wtl_pm_meter *meter,
                        struct wtl_pm_memory *memory,
                        const uint8_t mask[WTL_PM_MASK],
                        bool empty_is_all,
                        bool aggregate,
                        int32_t frequency);
void wtl_pm_counter_fini(struct wtl_pm_counter *counter);

/* 0; -EBUSY: it is active, or, for stop, is not; -ENOMEM: too many sets. */
int wtl_pm_counter_start(struct wtl_pm_counter *counter, bool go_on, uint64_t now_ns);
int wtl_pm_counter_stop(struct wtl_pm_counter *counter, uint64_t now_ns);

/* After a set has ended: take values that come late. Whether all samples are as known as they will be. */
bool wtl_pm_counter_settle(struct wtl_pm_counter *counter, uint64_t now_ns);

/* Take the samples that are due. */
void wtl_pm_counter_tick(struct wtl_pm_counter *counter, uint64_t now_ns);

/* The period of a frequency of a device: 0, -EINVAL (negative), -ERANGE (too high). */
int wtl_pm_period(const struct wtl_pm_meter *meter, int32_t frequency, uint64_t *ret_ns);

#endif
