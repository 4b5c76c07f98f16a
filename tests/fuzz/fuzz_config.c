/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a configuration file: refused with a message that names file and line, or accepted, and then every value
 * has the form that its key requires. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/parse.h"

static const struct wtl_config_key keys[] = {
    {"run", "interval", "100ms", "", WTL_CONFIG_DURATION, NULL},
    {"run", "repeat", "1", "", WTL_CONFIG_COUNT, NULL},
    {"run", "format", "text", "", WTL_CONFIG_WORD, "text json csv"},
    {"sensor estimate", "curve", "", "", WTL_CONFIG_TEXT, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wtl_config *config;
    struct wattle_error err = {""};
    if (wtl_config_create(keys, KEYS, &config) < 0)
        return 0;
    int rc = wtl_config_text(config, "file", (const char *)data, size, &err);
    if (rc < 0)
        demand(rc == -ENOMEM || strncmp(err.text, "file:", 5) == 0);
    uint64_t number;
    demand(wtl_parse_duration(wtl_config_get(config, "run", "interval"), &number) == 0);
    demand(number > 0);
    demand(wtl_parse_u64(wtl_config_get(config, "run", "repeat"), &number) == 0);
    for (size_t i = 0; i < wtl_config_count(config); i++) {
        struct wtl_config_entry entry = wtl_config_entry(config, i);
        demand(rc == 0 || entry.is_default);
        demand(entry.is_default || strncmp(entry.origin, "file:", 5) == 0);
    }
    wtl_config_destroy(config);
    return 0;
}
