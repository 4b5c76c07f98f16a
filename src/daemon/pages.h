/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pages of wattled and who holds them. A page that was handed out cannot be taken back, so a page is
 * retired and replaced as soon as one of its holders may no longer read it. The coarse page exists once
 * somebody has needed it.
 *
 * Thread rule: all calls from the daemon's thread.
 */
#ifndef WTL_DAEMON_PAGES_H
#define WTL_DAEMON_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "daemon/ledger.h"
#include "daemon/policy.h"
#include "daemon/sampler.h"
#include "daemon/server.h"

struct wtl_pages;

/* Everything is borrowed until close. 0 or -ENOMEM. */
int wtl_pages_create(struct wtl_sampler *sampler,
                     struct wtl_ledger *ledger,
                     const struct wtl_daemon_settings *settings,
                     struct wtl_pages **ret_pages);

/* Answer a request for a page: the page that this user may read, or the reason for a refusal. */
void wtl_pages_lend(struct wtl_pages *pages,
                    const struct wtl_policy *policy,
                    uid_t uid,
                    struct wtl_reply *reply);

/* Replace each page that somebody holds who may no longer read it. 0, or why the full page is still shown to them:
 * call it again later. */
int wtl_pages_review(struct wtl_pages *pages, const struct wtl_policy *policy);

/* Its settings have changed: the next one who asks for it gets a new coarse page. */
void wtl_pages_replace_coarse(struct wtl_pages *pages);

/* Publish in the coarse page what the full one shows, after reading the sensors if `read`: so the value is that of the
 * time that the page states. Returns when to call it again (CLOCK_MONOTONIC), UINT64_MAX:
 * there is no coarse page. */
uint64_t wtl_pages_publish(struct wtl_pages *pages, uint64_t time_ns, bool read);

/* Publish at the next call, without waiting for the next interval: a reader has come. */
void wtl_pages_hurry(struct wtl_pages *pages);

/* Retire the coarse page. Accepts NULL. */
void wtl_pages_destroy(struct wtl_pages *pages);

#endif
