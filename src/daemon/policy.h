/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may read which page. Root always gets the full page. Other users get one if the site allows it: users
 * whose processes are on the node by the batch system (its cgroup has processes of theirs, or root said
 * `allow UID`), members of a group, or everybody. While several users have jobs on the node, each of them gets
 * the coarse page, unless the site has decided otherwise; so they do while there are more processes and cgroups than one
 * look takes, since others may be among them. No user learns anything about another.
 */
#ifndef WTL_DAEMON_POLICY_H
#define WTL_DAEMON_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"
#include "daemon/daemon_settings.h"

enum wtl_grant { WTL_GRANT_NONE, WTL_GRANT_COARSE, WTL_GRANT_FULL };

struct wtl_policy;

int wtl_policy_create(const struct wtl_world *world,
                      const struct wtl_daemon_settings *settings,
                      struct wtl_policy **ret_policy);
void wtl_policy_destroy(struct wtl_policy *policy); /* accepts NULL */

/* What a user may read now. */
enum wtl_grant wtl_policy_grant(const struct wtl_policy *policy, uid_t uid);

/* One sentence for a user that may not: why, and what to ask for. */
const char *wtl_policy_refusal(const struct wtl_policy *policy);

/* Of root: 0, -ENOSPC (4096 users). Survives a restart of wattled, in run_dir/allowed. */
int wtl_policy_allow(struct wtl_policy *policy, uid_t uid);
int wtl_policy_deny(struct wtl_policy *policy, uid_t uid);

/* Look at the batch system's cgroup again: true if what somebody may read may have changed, so that
 * pages must be renewed. */
bool wtl_policy_refresh(struct wtl_policy *policy);

/* Number of users with jobs on the node. */
size_t wtl_policy_users(const struct wtl_policy *policy);

/* The policy in a few words: "users with jobs on this node". */
const char *wtl_policy_text(const struct wtl_policy *policy);

#endif
