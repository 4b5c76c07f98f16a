/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages of wattled and who holds them: see pages.h. */
#define _GNU_SOURCE
#include "daemon/pages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "daemon/coarse.h"
#include "daemon/log.h"

enum { HOLDERS_MAX = 4096 };

/* The users that a page was handed to, root excepted. */
struct holders {
    uid_t *list;
    size_t count;
};

struct wtl_pages {
    struct wtl_sampler *sampler;
    struct wtl_ledger *ledger;
    const struct wtl_daemon_settings *settings;
    struct wtl_coarse *coarse; /* NULL = not needed so far */
    uint64_t coarse_next_ns;
    struct holders full, rough; /* rough: of the coarse page */
};

int wtl_pages_create(struct wtl_sampler *sampler,
                     struct wtl_ledger *ledger,
                     const struct wtl_daemon_settings *settings,
                     struct wtl_pages **ret_pages)
{
    struct wtl_pages *pages = calloc(1, sizeof *pages);
    if (!pages)
        return -ENOMEM;
    pages->sampler = sampler;
    pages->ledger = ledger;
    pages->settings = settings;
    *ret_pages = pages;
    return 0;
}

void wtl_pages_destroy(struct wtl_pages *pages)
{
    if (!pages)
        return;
    wtl_coarse_retire(pages->coarse);
    free(pages->full.list);
    free(pages->rough.list);
    free(pages);
}

/* Without its entry here, a holder could not be made to lose the page. */
static int hold(struct holders *holders, uid_t uid)
{
    for (size_t i = 0; i < holders->count; i++) {
        if (holders->list[i] == uid)
            return 0;
    }
    if (holders->count == HOLDERS_MAX ||
        wtl_grow(&holders->list, holders->count, sizeof *holders->list) < 0)
        return -ENOSPC;
    holders->list[holders->count++] = uid;
    return 0;
}

static int make_coarse(struct wtl_pages *pages)
{
    const struct wtl_daemon_settings *settings = pages->settings;
    int rc = wtl_coarse_create(wtl_sampler_page(pages->sampler), settings->coarse_resolution_j,
                               settings->coarse_interval_ns, wtl_ledger_generation(pages->ledger),
                               &pages->coarse);
    pages->coarse_next_ns = 0; /* at once */
    return rc;
}

void wtl_pages_replace_coarse(struct wtl_pages *pages)
{
    wtl_coarse_retire(pages->coarse);
    pages->coarse = NULL;
    pages->rough.count = 0;
}

void wtl_pages_lend(struct wtl_pages *pages,
                    const struct wtl_policy *policy,
                    uid_t uid,
                    struct wtl_reply *reply)
{
    enum wtl_grant grant = wtl_policy_grant(policy, uid);
    bool full = grant == WTL_GRANT_FULL, sealed;
    reply->presence = WTL_READS_NOTHING;
    if (grant == WTL_GRANT_NONE) {
        wtl_reply_add(reply, "no denied %s", wtl_policy_refusal(policy));
        return;
    }
    int rc = full || pages->coarse ? 0 : make_coarse(pages);
    if (rc == 0 && uid != 0)
        rc = hold(full ? &pages->full : &pages->rough, uid);
    if (rc < 0) {
        wtl_reply_add(reply, "no failed wattled has no memory for a page; try again later");
        return;
    }
    reply->fd = full ? wtl_sampler_page_fd(pages->sampler, &sealed) : wtl_coarse_fd(pages->coarse);
    reply->presence = full ? WTL_READS_FULL : WTL_READS_COARSE;
    wtl_reply_add(reply, full ? "ok full" : "ok coarse");
}

static bool is_revoked(const struct holders *holders,
                       const struct wtl_policy *policy,
                       enum wtl_grant least)
{
    for (size_t i = 0; i < holders->count; i++) {
        if (wtl_policy_grant(policy, holders->list[i]) < least)
            return true;
    }
    return false;
}

int wtl_pages_review(struct wtl_pages *pages, const struct wtl_policy *policy)
{
    int rc = 0;
    if (is_revoked(&pages->full, policy, WTL_GRANT_FULL)) {
        rc = wtl_sampler_renew(pages->sampler);
        if (rc == 0)
            pages->full.count = 0;
    }
    if (pages->coarse && is_revoked(&pages->rough, policy, WTL_GRANT_COARSE))
        wtl_pages_replace_coarse(pages);
    return rc;
}

void wtl_pages_hurry(struct wtl_pages *pages)
{
    pages->coarse_next_ns = 0;
}

uint64_t wtl_pages_publish(struct wtl_pages *pages, uint64_t time_ns, bool read)
{
    if (!pages->coarse)
        return UINT64_MAX;
    if (time_ns >= pages->coarse_next_ns) {
        uint64_t interval_ns = pages->settings->coarse_interval_ns;
        if (read)
            (void)wtl_sampler_now(pages->sampler); /* else what is known; if it is old, nothing */
        wtl_coarse_publish(pages->coarse, wtl_sampler_page(pages->sampler), time_ns);
        pages->coarse_next_ns = time_ns - time_ns % interval_ns + interval_ns;
    }
    return pages->coarse_next_ns;
}
