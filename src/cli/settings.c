/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all keys: a constant part and the settings declared by drivers. */
#define _GNU_SOURCE
#include "cli/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "report/table.h"

static const struct wtl_config_key fixed[] = {
    {"run", "interval", "100ms", "time between samples", WTL_CONFIG_DURATION, NULL},
    {"run", "sensor", "", "sensors to use, as for --sensor; empty = all available", WTL_CONFIG_TEXT,
     NULL},
    {"run", "sync", "no", "sync the trace to disk, so that it survives a power failure",
     WTL_CONFIG_WORD, "yes no"},
    {"run", "counters", "", "counter set to record with every run; empty = none", WTL_CONFIG_TEXT,
     NULL},
    {"run", "counters-interval", "100ms", "time between readings of counters", WTL_CONFIG_DURATION,
     NULL},
    {"run", "edges", "yes", "wait for counter updates at start and end", WTL_CONFIG_WORD, "yes no"},
    {"run", "sampler-cpu", "", "CPU for the sampler; empty = one that the command cannot use",
     WTL_CONFIG_TEXT, NULL},
    {"run", "trace-dir", "", "folder of traces without --output; empty = the working directory",
     WTL_CONFIG_TEXT, NULL},
    {"control", "frequency-range", "", "frequencies that may be set: 1.2-2.3GHz; empty = any",
     WTL_CONFIG_TEXT, NULL},
    {"control", "power-range", "",
     "power limits that may be set, per package: 80-150W; empty = any", WTL_CONFIG_TEXT, NULL},
    {"run", "format", "text", "output format of results", WTL_CONFIG_WORD, "text json csv"},
    {"jobs", "database", "", "the site's database: sqlite:PATH or postgresql://HOST/NAME",
     WTL_CONFIG_TEXT, NULL},
    {"jobs", "spool", "/var/spool/wattle", "folder of records that wait for the database",
     WTL_CONFIG_TEXT, NULL},
    {"jobs", "spool-limit", "64", "largest size of the spool in MiB", WTL_CONFIG_COUNT, NULL},
    {"jobs", "retention", "",
     "age of jobs that \"wattle jobs purge\" and \"anonymise\" take, such as 730d; empty = none",
     WTL_CONFIG_TEXT, NULL},
    {"jobs", "user-database", "",
     "SQLite file of a user's own runs; empty = ~/.local/share/wattle/jobs.db", WTL_CONFIG_TEXT,
     NULL},
    {"jobs", "record-runs", "no", "record each \"wattle run\" in user-database", WTL_CONFIG_WORD,
     "yes no"},
    {"jobs", "arguments", "no", "record the arguments of programs, too", WTL_CONFIG_WORD, "yes no"},
    {"jobs", "price-per-kwh", "", "price of a kWh", WTL_CONFIG_TEXT, NULL},
    {"jobs", "currency", "", "currency of the price, such as EUR", WTL_CONFIG_TEXT, NULL},
    {"jobs", "co2-g-per-kwh", "", "grams of CO2 of a kWh", WTL_CONFIG_TEXT, NULL},
    {"jobs", "factors", "", "file of prices and CO2 by date", WTL_CONFIG_TEXT, NULL},
    {"jobs", "budgets", "", "file of budgets by account", WTL_CONFIG_TEXT, NULL},
    {"slurm", "cluster", "", "name of the cluster in records; empty = that of Slurm",
     WTL_CONFIG_TEXT, NULL},
    {"slurm", "estimate", "no", "Slurm's plugin also gives energy that is only estimated",
     WTL_CONFIG_WORD, "yes no"},
    {"slurm", "steps", "yes", "Slurm's plugin enters each step in the ledger of wattled",
     WTL_CONFIG_WORD, "yes no"},
    {"slurm", "start-wait", "5s", "time by which \"srun --wattle\" may delay a step",
     WTL_CONFIG_DURATION, NULL},
    {"slurm", "post", "no", "\"wattle jobs post\" writes joules into Slurm's accounting",
     WTL_CONFIG_WORD, "yes no"},
};
static const char *const others[] = {"wattled", "pm",
                                     NULL}; /* checked by "wattled --test" and wattle-pm */

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
    *settings = (struct wtl_cli_settings){0};
    int rc = wtl_driver_keys_make(&settings->keys, fixed, sizeof fixed / sizeof *fixed);
    rc = rc < 0 ? rc
                : wtl_config_create(settings->keys.keys, settings->keys.count, &settings->config);
    if (rc == 0) {
        wtl_config_others(settings->config, others);
        rc = wtl_config_load(settings->config, world, err);
        warn(settings->config);
        rc = rc < 0
                 ? rc
                 : wtl_driver_keys_settings(&settings->keys, settings->config, &settings->drivers);
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
    free((void *)settings->drivers.list); /* made by wtl_driver_keys_settings() */
    wtl_driver_keys_fini(&settings->keys);
    *settings = (struct wtl_cli_settings){0};
}
