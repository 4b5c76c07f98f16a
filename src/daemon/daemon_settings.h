/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings of wattled: section [wattled] of wattle.conf, the environment (WATTLE_WATTLED_*), options.
 */
#ifndef WTL_DAEMON_DAEMON_SETTINGS_H
#define WTL_DAEMON_DAEMON_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/config/config.h"
#include "source/driver.h"

enum wtl_readers {
    WTL_READERS_JOBS, /* users whose processes the batch system has placed here, or that were allowed */
    WTL_READERS_GROUP, /* and the members of a group */
    WTL_READERS_ALL
};

struct wtl_daemon_settings {
    char run_dir[108];   /* of the socket and the ledger: /run/wattle */
    char state_dir[256]; /* of the jobs: /var/lib/wattle; "" = run_dir */
    char user[64];       /* to become after opening the sensors: wattle; "" = stay */
    enum wtl_readers readers;
    char group[64];
    char batch_cgroup[256];    /* below /sys/fs/cgroup: processes in it belong to jobs; "" = none */
    bool shared_full;          /* each of several users on the node gets the full page */
    uint64_t interval_ns;      /* while there are readers: 1 ms */
    uint64_t idle_interval_ns; /* else: 1 s */
    uint64_t coarse_interval_ns;        /* 1 s */
    double coarse_resolution_j;         /* 1 J */
    uint64_t checkpoint_interval_ns;    /* of open jobs: 60 s */
    size_t ended_jobs;                  /* whose files are kept: 1000 */
    char sensors[256];                  /* as for --sensor; "" = what is available */
    const struct wtl_settings *drivers; /* [sensor NAME]; borrowed, NULL = none */
};

/* Take them from a loaded configuration. 0, or -EINVAL with a sentence that names the key. */
int wtl_daemon_settings(const struct wtl_config *config,
                        struct wtl_daemon_settings *ret_settings,
                        struct wattle_error *err);

#endif
