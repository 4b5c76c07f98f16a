/* SPDX-License-Identifier: BSD-3-Clause */
/* New settings for a wattled that runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "daemon/log.h"
#include "daemon/program/daemon_state.h"

static bool is_same(const struct wtl_settings *a, const struct wtl_settings *b)
{
    bool same = (a ? a->count : 0) == (b ? b->count : 0);
    for (size_t i = 0; same && a && i < a->count; i++)
        same = strcmp(a->list[i].driver, b->list[i].driver) == 0 &&
               strcmp(a->list[i].key, b->list[i].key) == 0 &&
               strcmp(a->list[i].value, b->list[i].value) == 0;
    return same;
}

/* Keep what was decided with privileges, and name what differs. */
static void keep_fixed(const struct wtl_daemon_settings *old,
                       struct wtl_daemon_settings *settings,
                       char *ret_names,
                       size_t n)
{
    const struct {
        const char *name, *before;
        char *now;
        size_t size;
    } fixed[] = {{"run-dir", old->run_dir, settings->run_dir, sizeof settings->run_dir},
                 {"state-dir", old->state_dir, settings->state_dir, sizeof settings->state_dir},
                 {"user", old->user, settings->user, sizeof settings->user},
                 {"sensors", old->sensors, settings->sensors, sizeof settings->sensors}};
    ret_names[0] = '\0';
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (strcmp(fixed[i].before, fixed[i].now) == 0)
            continue;
        size_t used = strlen(ret_names);
        (void)snprintf(ret_names + used, n - used, "%s%s", used ? ", " : "", fixed[i].name);
        memcpy(fixed[i].now, fixed[i].before, fixed[i].size);
    }
    if (!is_same(old->drivers, settings->drivers)) {
        size_t used = strlen(ret_names);
        (void)snprintf(ret_names + used, n - used, "%s[sensor NAME]", used ? ", " : "");
    }
    settings->drivers = old->drivers;
}

int wtl_daemon_use(struct wtl_daemon *daemon,
                   const struct wtl_daemon_settings *wanted,
                   struct wattle_error *err)
{
    struct wtl_daemon_settings settings = *wanted;
    struct wtl_policy *policy;
    char changed[sizeof daemon->restart_for];
    keep_fixed(&daemon->settings, &settings, changed, sizeof changed);
    if (settings.interval_ns < daemon->options.settings->interval_ns) {
        size_t used = strlen(changed); /* buffers were made for the interval at the start */
        (void)snprintf(changed + used, sizeof changed - used, "%sinterval", used ? ", " : "");
        settings.interval_ns = daemon->options.settings->interval_ns;
    }
    if (wtl_policy_create(daemon->options.world, &settings, &policy) < 0)
        return wtl_no_memory_for(err, "the policy");
    wtl_policy_destroy(daemon->policy);
    daemon->policy = policy;
    bool coarse_changed = daemon->settings.coarse_interval_ns != settings.coarse_interval_ns ||
                          daemon->settings.coarse_resolution_j > settings.coarse_resolution_j ||
                          daemon->settings.coarse_resolution_j < settings.coarse_resolution_j;
    daemon->settings = settings;
    memcpy(daemon->restart_for, changed, sizeof changed);
    wtl_ledger_jobs_keep(daemon->jobs, settings.ended_jobs);
    if (coarse_changed)
        wtl_pages_replace_coarse(daemon->pages);
    wtl_daemon_review(daemon);
    wtl_daemon_adapt(daemon);
    wtl_log(WTL_LOG_INFO, "settings reloaded; readers: %s", wtl_policy_text(policy));
    if (changed[0])
        wtl_log(WTL_LOG_WARNING, "restart wattled for new values of: %s", changed);
    return 0;
}
