/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pmlib server serves: devices with lines, each of which shows the newest value of a channel. A sample of a line is
 * the mean power since the sample before it, from the energies of both; of a line without energy, the newest value.
 * Where anything between the two is unknown, the sample is NaN, never 0 and never the value before.
 */
#ifndef WTL_SERVICE_PM_METER_H
#define WTL_SERVICE_PM_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmlib/wire.h"

/* The newest value of a channel. */
struct wtl_pm_value {
    uint64_t time_ns;              /* of the value, CLOCK_MONOTONIC */
    double energy_j;               /* so far */
    uint64_t unknown_ns, since_ns; /* as in the energy page */
    double power_w;                /* used if instant */
    bool instant;                  /* power_w is the value; there is no energy */
    int status; /* 0, or why nothing is known now: -errno; -ESTALE = the newest value is old */
};

struct wtl_pm_meter_line {
    char name[64];
    char description[WTL_PM_TEXT];
    size_t channel;
};

struct wtl_pm_meter {
    char name[64];
    int max_frequency;    /* Hz */
    uint64_t patience_ns; /* age of the newest value above which it says nothing about now */
    size_t line_count;
    struct wtl_pm_meter_line *lines; /* owned */
};

struct wtl_pm_meters {
    struct wtl_pm_meter *list; /* owned, sorted by name */
    size_t count;
    char computer[64];
    void (*read)(void *context, size_t channel, struct wtl_pm_value *ret_value);
    void *context;
};

void wtl_pm_meters_fini(struct wtl_pm_meters *meters);
/* NULL = unknown. */
const struct wtl_pm_meter *wtl_pm_meters_find(const struct wtl_pm_meters *meters, const char *name);

/* Where a sequence of samples of one line has arrived. */
struct wtl_pm_trail {
    struct wtl_pm_value last; /* with time_ns 0: none yet */
    double shown_w;           /* the sample before */
};

/* Begin a sequence now. */
void wtl_pm_trail_begin(struct wtl_pm_trail *trail, const struct wtl_pm_value *now);

/* The next sample. *ret_fresh: the line has a value that is newer than that of the sample before. */
double wtl_pm_trail_next(struct wtl_pm_trail *trail,
                         const struct wtl_pm_value *now,
                         uint64_t now_ns,
                         uint64_t patience_ns,
                         bool *ret_fresh);

#endif
