/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of wattled: see daemon_settings.h. */
#define _GNU_SOURCE
#include "daemon/daemon_settings.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

#define SECTION "wattled"

/* Where each setting goes, and its limits. */
#define AT(member) offsetof(struct wtl_daemon_settings, member)
static const struct text_rule {
    const char *name;
    size_t at, size;
    bool folder;
} texts[] = {
    {"run-dir", AT(run_dir), sizeof((struct wtl_daemon_settings *)0)->run_dir - 8,
     true}, /* + "/socket" */
    {"state-dir", AT(state_dir), sizeof((struct wtl_daemon_settings *)0)->state_dir, true},
    {"user", AT(user), sizeof((struct wtl_daemon_settings *)0)->user, false},
    {"group", AT(group), sizeof((struct wtl_daemon_settings *)0)->group, false},
    {"batch-cgroup", AT(batch_cgroup), sizeof((struct wtl_daemon_settings *)0)->batch_cgroup,
     false},
    {"sensors", AT(sensors), sizeof((struct wtl_daemon_settings *)0)->sensors, false},
};
enum { COUNT_TEXTS = sizeof texts / sizeof *texts };
#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)
static const struct duration_rule {
    const char *name;
    size_t at;
    uint64_t least_ns, most_ns;
} durations[] = {
    {"interval", AT(interval_ns), MS / 10, SECOND},
    {"idle-interval", AT(idle_interval_ns), 100 * MS, 60 * SECOND},
    {"coarse-interval", AT(coarse_interval_ns), 100 * MS, 3600 * SECOND},
    {"checkpoint", AT(checkpoint_interval_ns), SECOND, 86400 * SECOND},
};
enum { COUNT_DURATIONS = sizeof durations / sizeof *durations };

static int take_text(const struct wtl_config *config,
                     const struct text_rule *rule,
                     char *text,
                     struct wattle_error *err)
{
    const char *value = wtl_config_get(config, SECTION, rule->name);
    if (strlen(value) >= rule->size)
        return wtl_fail(err, -EINVAL, "[wattled] %s: longer than %zu characters", rule->name,
                        rule->size - 1);
    /* A folder is named by its whole path, since a daemon has no working directory of its own. */
    if (rule->folder && value[0] != '/')
        return wtl_fail(err, -EINVAL, "[wattled] %s: \"%s\" is not an absolute path", rule->name,
                        value);
    memcpy(text, value, strlen(value) + 1);
    return 0;
}

static int take_duration(const struct wtl_config *config,
                         const struct duration_rule *rule,
                         uint64_t *ret_ns,
                         struct wattle_error *err)
{
    const char *value = wtl_config_get(config, SECTION, rule->name);
    int rc = wtl_parse_duration(value, ret_ns);
    if (rc < 0 || *ret_ns < rule->least_ns || *ret_ns > rule->most_ns)
        return wtl_fail(err, -EINVAL, "[wattled] %s: \"%s\" is not a duration from %g s to %g s",
                        rule->name, value, (double)rule->least_ns * 1e-9,
                        (double)rule->most_ns * 1e-9);
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

static int take_ended_jobs(const struct wtl_config *config, size_t *ret, struct wattle_error *err)
{
    const uint64_t most = 100000;
    const char *value = wtl_config_get(config, SECTION, "ended-jobs");
    uint64_t count;
    if (wtl_parse_u64(value, &count) < 0 || count > most)
        return wtl_fail(err, -EINVAL, "[wattled] ended-jobs: \"%s\" is not a number from 0 to %llu",
                        value, (unsigned long long)most);
    *ret = (size_t)count;
    return 0;
}

static enum wtl_readers readers_of(const char *word)
{
    return strcmp(word, "all") == 0     ? WTL_READERS_ALL
           : strcmp(word, "group") == 0 ? WTL_READERS_GROUP
                                        : WTL_READERS_JOBS;
}

int wtl_daemon_settings(const struct wtl_config *config,
                        struct wtl_daemon_settings *ret_settings,
                        struct wattle_error *err)
{
    struct wtl_daemon_settings s = {
        .readers = readers_of(wtl_config_get(config, SECTION, "readers")),
        .shared_full = strcmp(wtl_config_get(config, SECTION, "shared"), "full") == 0};
    int rc = take_joules(config, "coarse-resolution", &s.coarse_resolution_j, err);
    rc = rc < 0 ? rc : take_ended_jobs(config, &s.ended_jobs, err);
    for (size_t i = 0; rc == 0 && i < COUNT_TEXTS; i++)
        rc = take_text(config, &texts[i], (char *)&s + texts[i].at, err);
    for (size_t i = 0; rc == 0 && i < COUNT_DURATIONS; i++)
        rc = take_duration(config, &durations[i],
                           (uint64_t *)(void *)((char *)&s + durations[i].at), err);
    if (rc < 0)
        return rc;
    if (s.idle_interval_ns < s.interval_ns)
        s.idle_interval_ns = s.interval_ns;
    *ret_settings = s;
    return 0;
}
