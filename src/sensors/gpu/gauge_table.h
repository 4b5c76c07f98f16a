/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the power gauges of GPUs are said to do, and what was found: by model and call, with source and date. A calibration of
 * this machine ("wattle characterize gpu") comes before it. docs/guide/gpu-sensors.md explains period and window.
 */
#ifndef WTL_SENSORS_GAUGE_TABLE_H
#define WTL_SENSORS_GAUGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "source/driver.h"

/* 0 and NULL: not known. */
struct wtl_gauge_fact {
    const char *
        device; /* part of the device's name, followed by no digit and at most one letter: "K40" is "K40m", too */
    const char *call;    /* part of the channel's location; NULL = any power */
    const char *claimed; /* what the vendor documents */
    uint64_t period_ns;  /* found: between two values */
    uint64_t window_ns;  /* found: that a value averages */
    uint64_t filter_ns;  /* found: it follows the power with this time constant, or this late */
    const char *found;   /* what else was found */
    const char *source;  /* of what was found, with its date, and how far we could check it */
};

extern const struct wtl_gauge_fact wtl_gauge_facts[];
extern const size_t wtl_gauge_fact_count;

/* The first row that fits, or NULL. */
const struct wtl_gauge_fact *wtl_gauge_fact(const char *device, const char *location);

#define WTL_GAUGE_CALIBRATION "gpu" /* [gpu HOST CHANNEL] of calibration.conf */

/*
 * Channel number i of the source shows the power of this device: fill in its period and window, from a calibration of
 * this host or else from the table. A gauge whose window is known becomes a window average. A filter is as a window of its time
 * constant: what it leaves open at the ends of a measurement is at most that of such a window. One of which nothing is known may see
 * a part of the time only, as those of other models do: it is taken for the worst of them.
 */
void wtl_gauge_known(struct wtl_source *source, size_t i, const char *device);

#endif
