/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all keys: a constant part and the settings declared by drivers. */
#define _GNU_SOURCE
#include "cli/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/table.h"
#include "source/registry.h"

static const struct wtl_config_key fixed[] = {
    {"run", "interval", "100ms", "time between samples", WTL_CONFIG_DURATION, NULL},
    {"run", "sensor", "", "sensors to use, as for --sensor; empty = all available", WTL_CONFIG_TEXT,
     NULL},
    {"run", "sync", "no", "sync the trace to disk, so that it survives a power failure",
     WTL_CONFIG_WORD, "yes no"},
    {"run", "edges", "yes", "wait for counter updates at start and end", WTL_CONFIG_WORD, "yes no"},
    {"run", "sampler-cpu", "", "CPU for the sampler; empty = one that the command cannot use",
     WTL_CONFIG_TEXT, NULL},
    {"run", "trace-dir", "", "folder of traces without --output; empty = the working directory",
     WTL_CONFIG_TEXT, NULL},
    {"run", "format", "text", "output format of results", WTL_CONFIG_WORD, "text json csv"},
};
static const char *const others[] = {"wattled", NULL}; /* checked by "wattled --test" */
enum { FIXED = sizeof fixed / sizeof *fixed, SECTION_SIZE = 64 };

static size_t count_params(void)
{
    size_t count = 0;
    for (size_t i = 0; wtl_drivers[i]; i++) {
        for (const struct wtl_param *p = wtl_drivers[i]->params; p && p->name; p++)
            count++;
    }
    return count;
}

static int make_keys(struct wtl_cli_settings *settings, size_t *ret_count)
{
    size_t count = FIXED + count_params(), at = FIXED;
    settings->keys = malloc(count * sizeof *settings->keys);
    settings->names = malloc(count * SECTION_SIZE);
    if (!settings->keys || !settings->names)
        return -ENOMEM;
    memcpy(settings->keys, fixed, sizeof fixed);
    for (size_t i = 0; wtl_drivers[i]; i++) {
        for (const struct wtl_param *p = wtl_drivers[i]->params; p && p->name; p++) {
            char *section = settings->names + at * SECTION_SIZE;
            (void)snprintf(section, SECTION_SIZE, "sensor %s", wtl_drivers[i]->name);
            settings->keys[at++] = (struct wtl_config_key){.section = section,
                                                           .name = p->name,
                                                           .default_text = p->default_text,
                                                           .help = p->help,
                                                           .form = WTL_CONFIG_TEXT};
        }
    }
    *ret_count = count;
    return 0;
}

/* The settings in the form that drivers use. */
static int make_list(struct wtl_cli_settings *settings)
{
    size_t count = wtl_config_count(settings->config), used = 0;
    struct wtl_setting *list = malloc(count * sizeof *list);
    if (!list)
        return -ENOMEM;
    for (size_t i = FIXED; i < count; i++) {
        struct wtl_config_entry entry = wtl_config_entry(settings->config, i);
        if (entry.is_default)
            continue;
        list[used++] = (struct wtl_setting){.driver = entry.key->section + strlen("sensor "),
                                            .key = entry.key->name,
                                            .value = entry.value};
    }
    settings->drivers = (struct wtl_settings){.count = used, .list = list};
    return 0;
}

/* What is wrong in the system's file stops nobody. */
static void warn(const struct wtl_config *config)
{
    const char *text;
    for (size_t i = 0; (text = wtl_config_warning(config, i)) != NULL; i++)
        wtl_print_sentence(stderr, "wattle: warning: %s; ignored\n", text);
}

int wtl_cli_settings_load(struct wtl_cli_settings *settings,
                          const struct wtl_world *world,
                          struct wattle_error *err)
{
    size_t count = 0;
    *settings = (struct wtl_cli_settings){0};
    int rc = make_keys(settings, &count);
    rc = rc < 0 ? rc : wtl_config_create(settings->keys, count, &settings->config);
    if (rc == 0) {
        wtl_config_others(settings->config, others);
        rc = wtl_config_load(settings->config, world, err);
        warn(settings->config);
        rc = rc < 0 ? rc : make_list(settings);
    }
    if (rc == -ENOMEM)
        (void)wtl_no_memory_for(err, "the configuration");
    if (rc < 0)
        wtl_cli_settings_fini(settings);
    return rc;
}

void wtl_cli_settings_fini(struct wtl_cli_settings *settings)
{
    wtl_config_destroy(settings->config);
    free((void *)settings->drivers.list); /* allocated by make_list */
    free(settings->keys);
    free(settings->names);
    *settings = (struct wtl_cli_settings){0};
}
