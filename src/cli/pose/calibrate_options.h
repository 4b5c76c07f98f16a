/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of "wattle pose calibrate": its command line, checked. */
#ifndef WTL_CLI_CALIBRATE_OPTIONS_H
#define WTL_CLI_CALIBRATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/run_options.h"

extern const struct wtl_option wtl_calibrate_option_table[];

/* The loads, Pmin's first (docs/format/calibration.md). */
enum wtl_calibrate_name {
    WTL_CALIBRATE_OMP_SERIAL,
    WTL_CALIBRATE_OMP_PARALLEL,
    WTL_CALIBRATE_MPI_PARALLEL,
    WTL_CALIBRATE_MPI_SERIAL,
    WTL_CALIBRATE_FMA, /* the first of Pmax */
    WTL_CALIBRATE_STRESS_NG,
    WTL_CALIBRATE_FIRESTARTER,
    WTL_CALIBRATE_COMMAND,
    WTL_CALIBRATE_LOADS
};
extern const char *const wtl_calibrate_names[]; /* ended by NULL */

enum wtl_calibrate_wait { WTL_CALIBRATE_PASSIVE, WTL_CALIBRATE_ACTIVE };

struct wtl_calibrate_options {
    struct wtl_run_options run;     /* sensors, quiet, require_measured, cooldown_ns, force */
    unsigned loads;                 /* bit n = the load n; with named false: all of them */
    bool named;                     /* requested by name: one that cannot run is an error */
    unsigned runs;                  /* of each load */
    uint64_t time_ns, settle_ns;    /* of one measurement; maximum before it */
    unsigned threads;               /* 0 = one for each CPU that may be used */
    enum wtl_calibrate_wait wait;   /* of omp_serial */
    const char *launcher, *command; /* NULL = not given */
    const char *output;             /* NULL = the usual file */
    uint64_t seed;
    bool dry_run;
    enum wtl_format format;
};

/* Returns WTL_GO_ON, or the exit status after a message. */
int wtl_calibrate_options_parse(struct wtl_calibrate_options *options,
                                const struct wtl_config *config,
                                int argc,
                                char **argv);

#endif
