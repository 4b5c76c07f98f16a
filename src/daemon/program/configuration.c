/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of wattled: see configuration.h. */
#define _GNU_SOURCE
#include "daemon/program/configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "options/service_keys.h"

static const char *const others[] = {"run",     "jobs", "slurm",
                                     "control", "pm",   NULL}; /* checked by "wattle config" */

/* An option overrides what is configured: under the rules of the key. */
static int override_setting(char *text,
                            size_t n,
                            const char *value,
                            const char *option,
                            struct wattle_error *err)
{
    if (!value)
        return 0;
    if (value[0] != '/' && strcmp(option, "--user") != 0)
        return wtl_fail(err, -EINVAL, "%s %s: expected an absolute path", option, value);
    return (size_t)snprintf(text, n, "%s", value) < n
               ? 0
               : wtl_fail(err, -EINVAL, "%s %s: longer than %zu characters", option, value, n - 1);
}

static int override(struct wtl_daemon_settings *settings,
                    const struct wtl_wattled_options *options,
                    struct wattle_error *err)
{
    int rc = override_setting(settings->run_dir, sizeof settings->run_dir - 8, options->run_dir,
                              "--run-dir", err);
    rc = rc < 0 ? rc
                : override_setting(settings->state_dir, sizeof settings->state_dir,
                                   options->state_dir, "--state-dir", err);
    return rc < 0 ? rc
                  : override_setting(settings->user, sizeof settings->user, options->user, "--user",
                                     err);
}

static int load(struct wtl_configuration *c,
                const struct wtl_world *world,
                const char *path,
                struct wattle_error *err)
{
    size_t count;
    const struct wtl_config_key *own = wtl_daemon_keys(&count);
    int rc = wtl_driver_keys_make(&c->keys, own, count);
    rc = rc < 0 ? rc : wtl_config_create(c->keys.keys, c->keys.count, &c->config);
    if (rc < 0)
        return wtl_no_memory_for(err, "the configuration");
    wtl_config_others(c->config, others);
    rc = wtl_config_load_system(c->config, world, path, err);
    if (rc < 0)
        return rc;
    rc = wtl_driver_keys_settings(&c->keys, c->config, &c->drivers);
    return rc < 0 ? wtl_no_memory_for(err, "the configuration") : 0;
}

int wtl_configuration_read(struct wtl_configuration *configuration,
                           const struct wtl_world *world,
                           const struct wtl_wattled_options *options,
                           struct wattle_error *err)
{
    *configuration = (struct wtl_configuration){.config = NULL};
    if (options->config && !world->ops->exists(world, options->config))
        return wtl_fail(err, -ENOENT, "there is no file \"%s\"", options->config);
    int rc = load(configuration, world, options->config, err);
    rc = rc < 0 ? rc : wtl_daemon_settings(configuration->config, &configuration->settings, err);
    configuration->settings.drivers = &configuration->drivers;
    return rc < 0 ? rc : override(&configuration->settings, options, err);
}

void wtl_configuration_fini(struct wtl_configuration *configuration)
{
    wtl_config_destroy(configuration->config);
    free((void *)configuration->drivers.list); /* made by wtl_driver_keys_settings() */
    wtl_driver_keys_fini(&configuration->keys);
}
