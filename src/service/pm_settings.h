/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of wattle-pm: section [pm] of wattle.conf, the environment (WATTLE_PM_*), options. */
#ifndef WTL_SERVICE_PM_SETTINGS_H
#define WTL_SERVICE_PM_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "base/config/config.h"
#include "pmlib/wire.h"

enum { WTL_PM_LISTENERS = 8, WTL_PM_RATE_MAX = 1000 };

struct wtl_pm_address {
    uint32_t ip;   /* IPv4, network byte order */
    uint16_t port; /* host byte order; 0 = any free one */
};

struct wtl_pm_settings {
    struct wtl_pm_address listen[WTL_PM_LISTENERS];
    size_t listen_count; /* 0 = off */
    enum wtl_pm_dialect dialect;
    int max_rate;      /* Hz: 100 */
    size_t clients;    /* connections in all: 64 */
    size_t per_client; /* of one address: 16 */
    size_t memory;     /* bytes of samples and replies: 64 MiB */
};

/* Take them from a loaded configuration. listen: replaces the setting; NULL = do not. 0, or -EINVAL with a sentence that
 * names the key. */
int wtl_pm_settings(const struct wtl_config *config,
                    const char *listen,
                    struct wtl_pm_settings *ret_settings,
                    struct wattle_error *err);

#endif
