/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frequency and power limits of a step: --wattle-freq and --wattle-power, by "wattle hold" as root, which keeps to the
 * ranges of [control] in wattle.conf and restores when slurmstepd has ended, however it ends.
 */
#ifndef WTL_SLURM_STEP_KNOBS_H
#define WTL_SLURM_STEP_KNOBS_H

#include "site_settings.h"
#include "step_options.h"

struct step_knobs {
    char frequency[40], power[40]; /* "" = leave */
};

/* A value of an option; false: it has other letters than such values have. */
bool step_knobs_take(char value[40], const char *text);

/* Set them for the step ("12.0") of this slurmstepd. As root. why[SLURM_WHY]: "", or why they stay as they are. */
void step_knobs_hold(const struct step_knobs *knobs,
                     const struct site_paths *paths,
                     const struct site_settings *site,
                     const char *name,
                     char *why);

#endif
