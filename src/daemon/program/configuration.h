/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of wattled: wattle.conf, the environment and its options. */
#ifndef WTL_DAEMON_CONFIGURATION_H
#define WTL_DAEMON_CONFIGURATION_H

#include "base/world/world.h"
#include "daemon/daemon_settings.h"
#include "daemon/program/wattled_options.h"
#include "source/driver_keys.h"

struct wtl_configuration {
    struct wtl_driver_keys keys;
    struct wtl_config *config;
    struct wtl_settings drivers;
    struct wtl_daemon_settings settings; /* borrows from the rest */
};

/* Read it; what is wrong in the file is a warning (wtl_config_warning()). 0, or -EINVAL and others with a sentence;
 * wtl_configuration_fini() in both cases. */
int wtl_configuration_read(struct wtl_configuration *configuration,
                           const struct wtl_world *world,
                           const struct wtl_wattled_options *options,
                           struct wattle_error *err);
void wtl_configuration_fini(struct wtl_configuration *configuration);

#endif
