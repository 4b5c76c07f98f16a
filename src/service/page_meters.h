/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The channels of wattled's energy page as devices of a pmlib server. The lines of a device never contain each other, so
 * that their sum, which a client may ask for, counts nothing twice:
 *
 *     total              the channels of the node's total
 *     SENSOR:DOMAIN      the channels of a sensor and a domain (powercap:package), or of their parts (msr:core-parts)
 *     NAME               each channel of a domain whose channels contain each other: board, psu, other
 *
 * The page is open only while something measures, since wattled samples fast for its readers. Nothing waits longer than
 * 0.2 s for wattled.
 */
#ifndef WTL_SERVICE_PAGE_METERS_H
#define WTL_SERVICE_PAGE_METERS_H

#include <wattle/error.h>
#include <wattle/page_layout.h>

#include "service/pm_meter.h"

struct wtl_pm_page;

/* Open the page once to see what it has. The caller frees *ret_page with wtl_pm_page_close(), and *ret_meters, which reads
 * through it, with wtl_pm_meters_fini(). 0, or the error of wattle_page_open() with a sentence. */
int wtl_pm_page_open(int max_rate,
                     struct wtl_pm_page **ret_page,
                     struct wtl_pm_meters *ret_meters,
                     struct wattle_error *err);
void wtl_pm_page_close(struct wtl_pm_page *page); /* accepts NULL */

/* Whether its values are needed now. Returns whether it is open. */
bool wtl_pm_page_need(struct wtl_pm_page *page, bool needed, uint64_t now_ns);

/* Whether wattled was started again with channels that make other devices: those that the meters were made of no longer add up
 * to the node. Nothing is known from then on. */
bool wtl_pm_page_changed(const struct wtl_pm_page *page);

/* Whether a table of channels makes other devices, or labels, than the one before. Channels that are missing do not matter. */
bool wtl_pm_channels_differ(const struct wattle_page_channel *before,
                            size_t before_count,
                            const struct wattle_page_channel *rows,
                            size_t count);

/* Devices of a table of channels. interval_ns: between values of the page; 0 = as often as the channels have new ones. 0 or
 * -ENOMEM. */
int wtl_pm_meters_of(const struct wattle_page_channel *rows,
                     size_t count,
                     uint64_t interval_ns,
                     int max_rate,
                     struct wtl_pm_meters *ret_meters);

#endif
