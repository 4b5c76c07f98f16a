/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a program and of the drivers: see driver_keys.h. */
#define _GNU_SOURCE
#include "source/driver_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/registry.h"

enum { SECTION_SIZE = 64 };

static size_t count_params(void)
{
    size_t count = 0;
    for (size_t i = 0; wtl_drivers[i]; i++) {
        for (const struct wtl_param *p = wtl_drivers[i]->params; p && p->name; p++)
            count++;
    }
    return count;
}

int wtl_driver_keys_make(struct wtl_driver_keys *keys,
                         const struct wtl_config_key *own,
                         size_t own_count)
{
    size_t count = own_count + count_params(), at = own_count;
    *keys = (struct wtl_driver_keys){.keys = calloc(count + 1, sizeof *keys->keys),
                                     .names = malloc((count + 1) * SECTION_SIZE),
                                     .count = count,
                                     .own = own_count};
    if (!keys->keys || !keys->names)
        return -ENOMEM;
    memcpy(keys->keys, own, own_count * sizeof *own);
    for (size_t i = 0; wtl_drivers[i]; i++) {
        for (const struct wtl_param *p = wtl_drivers[i]->params; p && p->name; p++) {
            char *section = keys->names + at * SECTION_SIZE;
            (void)snprintf(section, SECTION_SIZE, "sensor %s", wtl_drivers[i]->name);
            keys->keys[at++] = (struct wtl_config_key){.section = section,
                                                       .name = p->name,
                                                       .default_text = p->default_text,
                                                       .help = p->help,
                                                       .form = WTL_CONFIG_TEXT};
        }
    }
    return 0;
}

void wtl_driver_keys_fini(struct wtl_driver_keys *keys)
{
    free(keys->keys);
    free(keys->names);
    *keys = (struct wtl_driver_keys){0};
}

int wtl_driver_keys_settings(const struct wtl_driver_keys *keys,
                             const struct wtl_config *config,
                             struct wtl_settings *ret_settings)
{
    size_t used = 0;
    struct wtl_setting *list = malloc((keys->count + 1) * sizeof *list);
    if (!list)
        return -ENOMEM;
    for (size_t i = keys->own; i < keys->count; i++) {
        struct wtl_config_entry entry = wtl_config_entry(config, i);
        if (entry.is_default)
            continue;
        list[used++] = (struct wtl_setting){.driver = entry.key->section + strlen("sensor "),
                                            .key = entry.key->name,
                                            .value = entry.value};
    }
    *ret_settings = (struct wtl_settings){.count = used, .list = list};
    return 0;
}
