/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of wattled and wattle-pm, which they read and "wattle config" shows. */
#ifndef WTL_OPTIONS_SERVICE_KEYS_H
#define WTL_OPTIONS_SERVICE_KEYS_H

#include <stddef.h>

#include "base/config/config.h"

/* All; section [wattled]; [pm]. */
const struct wtl_config_key *wtl_service_keys(size_t *ret_count);
const struct wtl_config_key *wtl_daemon_keys(size_t *ret_count);
const struct wtl_config_key *wtl_pm_keys(size_t *ret_count);

#endif
