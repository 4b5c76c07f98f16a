/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of wattled: see daemon_settings.h. */
#define _GNU_SOURCE
#include "daemon/daemon_settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

#define SECTION "wattled"

static const struct wtl_config_key keys[] = {
    {SECTION, "run-dir", "/run/wattle", "folder of the socket and the ledger", WTL_CONFIG_TEXT,
     NULL},
    {SECTION, "state-dir", "/var/lib/wattle", "folder of the jobs", WTL_CONFIG_TEXT, NULL},
    {SECTION, "user", "wattle", "user to become once the sensors are open", WTL_CONFIG_TEXT, NULL},
    {SECTION, "readers", "jobs", "who may read: users with jobs here, and a group, or everybody",
     WTL_CONFIG_WORD, "jobs group all"},
    {SECTION, "group", "wattle", "the group that may read, with readers = group", WTL_CONFIG_TEXT,
     NULL},
    {SECTION, "batch-cgroup", "system.slice/slurmstepd.scope",
     "cgroup below /sys/fs/cgroup whose processes belong to jobs", WTL_CONFIG_TEXT, NULL},
    {SECTION, "shared", "coarse", "what users get while several of them have jobs here",
     WTL_CONFIG_WORD, "coarse full"},
    {SECTION, "interval", "1ms", "between samples, while somebody reads", WTL_CONFIG_DURATION,
     NULL},
    {SECTION, "idle-interval", "1s", "between samples, while nobody reads", WTL_CONFIG_DURATION,
     NULL},
    {SECTION, "coarse-interval", "1s", "between values of the coarse page", WTL_CONFIG_DURATION,
     NULL},
    {SECTION, "coarse-resolution", "1", "unit of the coarse page, in joules", WTL_CONFIG_TEXT,
     NULL},
    {SECTION, "checkpoint", "60s", "between checkpoints of open jobs", WTL_CONFIG_DURATION, NULL},
    {SECTION, "sensors", "", "as for --sensor; empty = what is available", WTL_CONFIG_TEXT, NULL},
};

const struct wtl_config_key *wtl_daemon_keys(size_t *ret_count)
{
    *ret_count = sizeof keys / sizeof *keys;
    return keys;
}

static int take_text(const struct wtl_config *config,
                     const char *name,
                     char *text,
                     size_t n,
                     struct wattle_error *err)
{
    const char *value = wtl_config_get(config, SECTION, name);
    if (strlen(value) >= n)
        return wtl_fail(err, -EINVAL, "[wattled] %s: longer than %zu characters", name, n - 1);
    memcpy(text, value, strlen(value) + 1);
    return 0;
}

static int take_duration(const struct wtl_config *config,
                         const char *name,
                         uint64_t least_ns,
                         uint64_t most_ns,
                         uint64_t *ret_ns,
                         struct wattle_error *err)
{
    const char *value = wtl_config_get(config, SECTION, name);
    int rc = wtl_parse_duration(value, ret_ns);
    if (rc < 0 || *ret_ns < least_ns || *ret_ns > most_ns)
        return wtl_fail(err, -EINVAL, "[wattled] %s: \"%s\" is not a duration from %g s to %g s",
                        name, value, (double)least_ns * 1e-9, (double)most_ns * 1e-9);
    return 0;
}

static int take_joules(const struct wtl_config *config,
                       const char *name,
                       double *ret_j,
                       struct wattle_error *err)
{
    const char *value = wtl_config_get(config, SECTION, name);
    if (wtl_parse_double(value, ret_j) < 0 || !(*ret_j >= 1e-6 && *ret_j <= 1e6))
        return wtl_fail(err, -EINVAL,
                        "[wattled] %s: \"%s\" is not a number of joules from 1e-6 to 1e6", name,
                        value);
    return 0;
}

static enum wtl_readers readers_of(const char *word)
{
    return strcmp(word, "all") == 0     ? WTL_READERS_ALL
           : strcmp(word, "group") == 0 ? WTL_READERS_GROUP
                                        : WTL_READERS_JOBS;
}

/* A folder is named by its whole path, since the daemon has no working directory of a user's. */
static int check_folder(const char *name, const char *path, struct wattle_error *err)
{
    if (path[0] != '/')
        return wtl_fail(err, -EINVAL, "[wattled] %s: \"%s\" is not an absolute path", name, path);
    return 0;
}

int wtl_daemon_settings(const struct wtl_config *config,
                        struct wtl_daemon_settings *ret_settings,
                        struct wattle_error *err)
{
    const uint64_t MS = 1000000, SECOND = 1000 * MS;
    struct wtl_daemon_settings s = {
        .readers = readers_of(wtl_config_get(config, SECTION, "readers")),
        .shared_full = strcmp(wtl_config_get(config, SECTION, "shared"), "full") == 0};
    int rc = take_text(config, "run-dir", s.run_dir, sizeof s.run_dir - 8, err);
    rc = rc < 0 ? rc : take_text(config, "state-dir", s.state_dir, sizeof s.state_dir, err);
    rc = rc < 0 ? rc : take_text(config, "user", s.user, sizeof s.user, err);
    rc = rc < 0 ? rc : take_text(config, "group", s.group, sizeof s.group, err);
    rc =
        rc < 0 ? rc : take_text(config, "batch-cgroup", s.batch_cgroup, sizeof s.batch_cgroup, err);
    rc = rc < 0 ? rc : take_text(config, "sensors", s.sensors, sizeof s.sensors, err);
    rc = rc < 0 ? rc : take_duration(config, "interval", MS / 10, SECOND, &s.interval_ns, err);
    rc = rc < 0 ? rc
                : take_duration(config, "idle-interval", 100 * MS, 60 * SECOND, &s.idle_interval_ns,
                                err);
    rc = rc < 0 ? rc
                : take_duration(config, "coarse-interval", 100 * MS, 3600 * SECOND,
                                &s.coarse_interval_ns, err);
    rc = rc < 0 ? rc : take_joules(config, "coarse-resolution", &s.coarse_resolution_j, err);
    rc = rc < 0 ? rc
                : take_duration(config, "checkpoint", SECOND, 86400 * SECOND,
                                &s.checkpoint_interval_ns, err);
    rc = rc < 0 ? rc : check_folder("run-dir", s.run_dir, err);
    rc = rc < 0 ? rc : check_folder("state-dir", s.state_dir, err);
    if (rc == 0 && s.idle_interval_ns < s.interval_ns)
        s.idle_interval_ns = s.interval_ns;
    if (rc == 0)
        *ret_settings = s;
    return rc;
}
