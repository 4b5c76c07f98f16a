/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of services: see service_keys.h. */
#include "options/service_keys.h"

#include <string.h>

static const struct wtl_config_key keys[] = {
    {"wattled", "run-dir", "/run/wattle", "folder of the socket and the ledger", WTL_CONFIG_TEXT,
     NULL},
    {"wattled", "state-dir", "/var/lib/wattle", "folder of the jobs", WTL_CONFIG_TEXT, NULL},
    {"wattled", "user", "wattle", "user to become once the sensors are open", WTL_CONFIG_TEXT,
     NULL},
    {"wattled", "readers", "jobs",
     "who may read: users with jobs on this node, and a group, or everybody", WTL_CONFIG_WORD,
     "jobs group all"},
    {"wattled", "group", "wattle", "the group that may read, with readers = group", WTL_CONFIG_TEXT,
     NULL},
    {"wattled", "batch-cgroup", "system.slice/slurmstepd.scope",
     "cgroup below /sys/fs/cgroup whose processes belong to jobs", WTL_CONFIG_TEXT, NULL},
    {"wattled", "shared", "coarse", "what users get while several of them have jobs on this node",
     WTL_CONFIG_WORD, "coarse full"},
    {"wattled", "interval", "1ms", "between samples while there are readers", WTL_CONFIG_DURATION,
     NULL},
    {"wattled", "idle-interval", "1s", "between samples while there are none", WTL_CONFIG_DURATION,
     NULL},
    {"wattled", "coarse-interval", "1s", "between values of the coarse page", WTL_CONFIG_DURATION,
     NULL},
    {"wattled", "coarse-resolution", "1", "unit of the coarse page, in joules", WTL_CONFIG_TEXT,
     NULL},
    {"wattled", "checkpoint", "60s", "between checkpoints of open jobs", WTL_CONFIG_DURATION, NULL},
    {"wattled", "ended-jobs", "1000", "files of jobs that have ended, to keep", WTL_CONFIG_COUNT,
     NULL},
    {"wattled", "sensors", "", "as for --sensor; empty = what is available", WTL_CONFIG_TEXT, NULL},
    {"pm", "listen", "", "addresses to serve on, IPV4[:PORT], ...; empty = none", WTL_CONFIG_TEXT,
     NULL},
    {"pm", "dialect", "g2", "generation of pmlib whose clients are served", WTL_CONFIG_WORD,
     "g2 g1 cpp"},
    {"pm", "max-rate", "100", "samples per second of a device, at most", WTL_CONFIG_COUNT, NULL},
    {"pm", "clients", "64", "connections, at most", WTL_CONFIG_COUNT, NULL},
    {"pm", "clients-per-address", "16", "connections from one address, at most", WTL_CONFIG_COUNT,
     NULL},
    {"pm", "memory", "64", "MiB for samples that have not been fetched, at most", WTL_CONFIG_COUNT,
     NULL},
};

enum { KEYS = sizeof keys / sizeof *keys };

static const struct wtl_config_key *keys_of(const char *section, size_t *ret_count)
{
    size_t first = 0, end;
    while (first < KEYS && strcmp(keys[first].section, section) != 0)
        first++;
    for (end = first; end < KEYS && strcmp(keys[end].section, section) == 0;)
        end++;
    *ret_count = end - first;
    return keys + first;
}

const struct wtl_config_key *wtl_service_keys(size_t *ret_count)
{
    *ret_count = KEYS;
    return keys;
}

const struct wtl_config_key *wtl_daemon_keys(size_t *ret_count)
{
    return keys_of("wattled", ret_count);
}

const struct wtl_config_key *wtl_pm_keys(size_t *ret_count)
{
    return keys_of("pm", ret_count);
}
