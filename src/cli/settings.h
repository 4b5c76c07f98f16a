/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: the configuration (base/config.h) with all keys of the program: [run] and the
 * settings that the drivers of the registry declare, as [sensor NAME].
 *
 * Keys of [run] are the options of "wattle run" that take an argument, by the same names (empty =
 * not set), and sync and edges, which are yes or no.
 */
#ifndef WTL_CLI_SETTINGS_H
#define WTL_CLI_SETTINGS_H

#include <wattle/error.h>

#include "base/config/config.h"
#include "source/driver.h"
#include "source/driver_keys.h"

struct wtl_cli_settings {
    struct wtl_config *config;
    struct wtl_settings
        drivers; /* settings of drivers, for struct wtl_request; borrowed from config */
    struct wtl_driver_keys keys;
};

/* Load both files and the environment of the world, and print warnings about the system's file. Returns 0, or -EBADMSG and others with a message. */
int wtl_cli_settings_load(struct wtl_cli_settings *settings,
                          const struct wtl_world *world,
                          struct wattle_error *err);
void wtl_cli_settings_fini(struct wtl_cli_settings *settings);

#endif
