/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keys of a configuration (base/config/config.h) of a program that opens sensors: its own, and the settings that
 * the drivers of the registry declare, as [sensor NAME].
 */
#ifndef WTL_SOURCE_DRIVER_KEYS_H
#define WTL_SOURCE_DRIVER_KEYS_H

#include <stddef.h>

#include "base/config/config.h"
#include "source/driver.h"

struct wtl_driver_keys {
    struct wtl_config_key *keys; /* the program's, then the drivers'; owned */
    size_t count, own;
    char *names; /* owned: "sensor NAME" texts */
};

/* 0 or -ENOMEM; wtl_driver_keys_fini() in both cases. */
int wtl_driver_keys_make(struct wtl_driver_keys *keys,
                         const struct wtl_config_key *own,
                         size_t own_count);
void wtl_driver_keys_fini(struct wtl_driver_keys *keys);

/* Those settings of drivers that a configuration of these keys sets, for struct wtl_request: the list is owned by the
 * caller (free()), the texts are borrowed from config. 0 or -ENOMEM. */
int wtl_driver_keys_settings(const struct wtl_driver_keys *keys,
                             const struct wtl_config *config,
                             struct wtl_settings *ret_settings);

#endif
