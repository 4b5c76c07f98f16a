/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of --wattle, and the arguments of the plugin in plugstack.conf. */
#ifndef WTL_SLURM_STEP_OPTIONS_H
#define WTL_SLURM_STEP_OPTIONS_H

#include <stdbool.h>

#include "node_energy.h"

enum { SLURM_PATH = 1024 };

/* What a user asks for: "interval=10ms,output=traces,sensor=powercap+hwmon,mpi=off,summary=off". */
struct step_options {
    bool on;                 /* --wattle was given */
    bool mpi, summary;       /* preload libwattle-mpi; print */
    char interval[24];       /* "" = the default */
    char sensor[128];        /* as of wattle run --sensor, separated by commas */
    char output[SLURM_PATH]; /* folder; "" = the working directory */
};

/* What the site has set: "wattle=/usr/bin/wattle mpi=/usr/lib/libwattle-mpi.so". */
struct site_paths {
    char wattle[SLURM_PATH];
    char mpi[SLURM_PATH];
};

/* Parse; text NULL or "" or "(null)": only the defaults. 0, or -EINVAL with one sentence in why[SLURM_WHY];
 * then *ret_options is unchanged. */
int step_options_parse(const char *text, struct step_options *ret_options, char *why);

/* Arguments of plugstack.conf; unknown ones are reported in why[SLURM_WHY] and ignored. */
void site_paths_read(int argc, char **argv, struct site_paths *ret_paths, char *why);

#endif
