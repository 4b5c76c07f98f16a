/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The site's settings for the plugins, from /etc/wattle/wattle.conf (WATTLE_CONF in the environment of the
 * daemon names another file). All keys are there, none in acct_gather.conf, where a key that is left over
 * stops slurmd once the plugin is removed. What is malformed is left out with a sentence; nothing fails.
 */
#ifndef WTL_SLURM_SITE_SETTINGS_H
#define WTL_SLURM_SITE_SETTINGS_H

#include <stdbool.h>

#include "node_energy.h"

struct site_settings {
    bool estimate;            /* [slurm] estimate: energy also where there is no sensor */
    bool steps;               /* [slurm] steps: each step in wattled's ledger */
    double start_wait_s;      /* [slurm] start-wait: what --wattle may delay a step */
    char frequency_range[64]; /* [control] frequency-range for users; "" = none may */
    char power_range[64];     /* [control] power-range, likewise */
};

/* The settings; why[SLURM_WHY]: "", or what in the file is not used. */
void site_settings_read(struct site_settings *ret_settings, char *why);

#endif
