/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metric plugin for Score-P:
 *
 *     SCOREP_METRIC_PLUGINS=wattle_plugin SCOREP_METRIC_WATTLE_PLUGIN='*'
 *
 * A token is the name of a channel or a pattern ("powercap:package-*"): its power in watts, the mean since the value before. With "/J"
 * after it, the energy in joules since the begin. Channels are those that "wattle sensors" shows. Values are read by a thread of the first
 * process of each node, every WATTLE_SCOREP_INTERVAL ("10ms"; at least 1ms). What could not be read is NaN.
 */
#ifndef WATTLE_METRIC_PLUGIN_H
#define WATTLE_METRIC_PLUGIN_H

#include "metric_abi.h"

struct metric_plugin_info SCOREP_MetricPlugin_wattle_plugin_get_info(void);

#endif
