/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of wattled: defaults, limits, and the sentence for each that is not valid. */
#define _GNU_SOURCE
#include "daemon/daemon_settings.h"
#include "options/service_keys.h"

#include <errno.h>

#include "tap.h"

static int read_text(const char *text, struct wtl_daemon_settings *ret, struct wattle_error *err)
{
    size_t count;
    char file[600];
    struct wtl_config *config;
    const struct wtl_config_key *keys = wtl_daemon_keys(&count);
    if (wtl_config_create(keys, count, &config) < 0)
        return -ENOMEM;
    int n = snprintf(file, sizeof file, "[wattled]\n%s\n", text);
    int rc = wtl_config_text(config, "wattle.conf", file, (size_t)n, err);
    rc = rc < 0 ? rc : wtl_daemon_settings(config, ret, err);
    wtl_config_destroy(config);
    return rc;
}

static void test_defaults(void)
{
    struct wtl_daemon_settings s;
    struct wattle_error err = {""};
    is_int(read_text("", &s, &err), 0, "defaults");
    is_str(s.run_dir, "/run/wattle", "run-dir");
    is_str(s.user, "wattle", "user");
    is_int(s.readers, WTL_READERS_JOBS, "readers");
    ok(!s.shared_full, "coarse while several users share the node");
    is_int((int)(s.interval_ns / 1000), 1000, "1 ms");
    is_int((int)(s.idle_interval_ns / 1000000), 1000, "1 s");
    is_int(read_text("interval = 500ms\nidle-interval = 100ms", &s, &err), 0,
           "idle faster than not");
    ok(s.idle_interval_ns == s.interval_ns, "is as fast");
    is_int(read_text("readers = group\ngroup = hpc\nshared = full\nuser =", &s, &err), 0, "others");
    ok(s.readers == WTL_READERS_GROUP && s.shared_full && strcmp(s.group, "hpc") == 0 && !s.user[0],
       "taken");
}

static void test_invalid(void)
{
    static const char *const texts[] = {
        "interval = 1us",          "interval = 2s",         "idle-interval = 99ms",
        "idle-interval = 61s",     "coarse-interval = 0",   "checkpoint = 2d",
        "run-dir = run",           "state-dir = x",         "coarse-resolution = 0",
        "coarse-resolution = nan", "coarse-resolution = x", "readers = some"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wtl_daemon_settings s;
        struct wattle_error err = {""};
        char key[32];
        int rc = read_text(texts[i], &s, &err);
        (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(texts[i], " "), texts[i]);
        ok(rc < 0 && strstr(err.text, key), "%s: %s", texts[i], err.text);
    }
    char text[300] = "run-dir = /";
    struct wtl_daemon_settings s;
    struct wattle_error err = {""};
    memset(text + 11, 'x', 120);
    ok(read_text(text, &s, &err) < 0, "a path that is no path of a socket: %s", err.text);
}

int main(void)
{
    test_defaults();
    test_invalid();
    return done_testing();
}
