/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattled's measurement: the sensors of the node, opened once, and the full page in which their
 * energies since boot are published. Built on measure/measurement.h. The sensors are opened with
 * privileges; sampling starts after they have been given up.
 *
 * Thread rule: all calls from the daemon's thread.
 */
#ifndef WTL_DAEMON_SAMPLER_H
#define WTL_DAEMON_SAMPLER_H

#include <stdint.h>

#include <wattle/error.h>
#include <wattle/page.h>

#include "account/share.h"
#include "base/world/world.h"
#include "daemon/daemon_settings.h"
#include "daemon/ledger.h"
#include "source/select.h"

struct wtl_sampler;

/* Open the sensors. 0; -ENODEV, -EACCES with a sentence when none can be read; -ENOMEM. */
int wtl_sampler_open(const struct wtl_world *world,
                     const struct wtl_daemon_settings *settings,
                     struct wtl_sampler **ret_sampler,
                     struct wattle_error *err);

/* Create the page, whose joules continue from the ledger (borrowed until close), and start to
 * sample at the shortest interval. 0, -ENODEV, -ENOMEM, -EAGAIN, with a sentence. */
int wtl_sampler_start(struct wtl_sampler *sampler,
                      struct wtl_ledger *ledger,
                      const char *boot_id,
                      struct wattle_error *err);

/* The idle interval that was asked for, or a quarter of the shortest wrap of a counter. */
uint64_t wtl_sampler_idle_ns(const struct wtl_sampler *sampler, uint64_t wanted_ns);

/* Sample at once, and then at this interval, which is not shorter than the one of the settings at the start. Does not
 * wait. */
void wtl_sampler_pace(struct wtl_sampler *sampler, uint64_t interval_ns);

/* Take a sample now and wait for it, at most 1 s; while a sensor does not answer, 20 ms. 0, or -ETIMEDOUT: the others
 * have answered. */
int wtl_sampler_now(struct wtl_sampler *sampler);

/* The same where a job begins or ends: also see whether the counters still count, which takes a few of their ticks. */
int wtl_sampler_border(struct wtl_sampler *sampler);

/* Its sources, open until it is closed. */
const struct wtl_selection *wtl_sampler_selection(const struct wtl_sampler *sampler);

/* How energy of the node is divided: wtl_measurement_share_model(). */
int wtl_sampler_share_model(const struct wtl_sampler *sampler,
                            struct wtl_share_model *ret_model,
                            struct wattle_error *err);

/* The page, for reading in this process; and a descriptor of it, open for reading only, borrowed
 * until the page is renewed; *ret_sealed as wtl_energy_page_fd(). */
const struct wattle_page *wtl_sampler_page(const struct wtl_sampler *sampler);
int wtl_sampler_page_fd(const struct wtl_sampler *sampler, bool *ret_sealed);

/* Publish in a new page, and retire the old one: whoever may still read asks for the new one. As
 * wtl_energy_page_renew(). */
int wtl_sampler_renew(struct wtl_sampler *sampler);

/* Bring the ledger up to date with the page. 0, or the first error of wtl_ledger_store(). */
int wtl_sampler_save(struct wtl_sampler *sampler);

/* Save, retire the page, stop. Accepts NULL. */
void wtl_sampler_close(struct wtl_sampler *sampler);

#endif
