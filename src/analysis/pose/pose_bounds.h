/* SPDX-License-Identifier: BSD-3-Clause */
/* Pmin and Pmax of a machine from its calibration (section [pose HOST ITEM], docs/format/calibration.md). */
#ifndef WTL_ANALYSIS_POSE_BOUNDS_H
#define WTL_ANALYSIS_POSE_BOUNDS_H

#include <stdbool.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

#include "model/calibration/calibration.h"
#include "model/result.h"

struct wtl_pose_bound {
    char name[32];  /* "omp_parallel", "fma", "firestarter" */
    double power_w; /* mean over runs */
    double half_w;  /* half width of its 95 % interval, including an estimate's model; NaN =
                     * unknown */
};

struct wtl_pose_bounds {
    struct wtl_pose_bound pmin, pmax;
    enum wattle_quality quality; /* quality of the bounds; derived if the calibration does not
                                  * say */
    bool simulated;
    char
        contains[128]; /* what their power contains, as in a total's text; "" = unknown, or a sum */
    bool settled;      /* false: power was still drifting when one of the two was measured */
    char cpu[128], governor[32], epp[32], turbo[8]; /* conditions of the measurement; "" =
                                                     * unknown */
    char min_khz[24], max_khz[24];                  /* the same */
    double busy_cpus; /* CPUs used by other processes before the loads; NaN = unknown */
};

/* The micro-benchmarks of Pmin (Roberts and others 2019, section 5.1), and "auto". */
extern const char
    *const wtl_pose_floor_names[]; /* "auto" omp_serial omp_parallel mpi_parallel mpi_serial NULL */

/* The loads whose maximum power is Pmax. */
extern const char *const wtl_pose_ceiling_names[]; /* fma stress_ng firestarter command NULL */

/*
 * Choose: pmin by name ("auto" or NULL = the lower of omp_parallel and mpi_parallel: the paper's
 * choice for a system), pmax = the highest measured load. 0; -EINVAL: unknown benchmark; -ENOENT:
 * it was not measured here (the message names those that were), or no load for Pmax was; -EBADMSG:
 * numbers that are not valid bounds.
 */
int wtl_pose_bounds_of(const struct wtl_calibration_section *section,
                       const char *pmin_name,
                       struct wtl_pose_bounds *ret_bounds,
                       struct wattle_error *err);

enum { WTL_POSE_WANT_PMIN = 1, WTL_POSE_WANT_PMAX = 2, WTL_POSE_WANT_BOTH = 3 };

/* The same for several channels that are added up, such as the packages of a node: only loads
 * measured on all of them count, and the intervals add linearly, since the runs are the same. For a
 * bound that is not wanted, the name is "" and the numbers are NaN, and nothing is looked up or
 * refused. */
int wtl_pose_bounds_of_sum(const struct wtl_calibration_section *const *sections,
                           size_t count,
                           unsigned wanted,
                           const char *pmin_name,
                           struct wtl_pose_bounds *ret_bounds,
                           struct wattle_error *err);

/* How the conditions of a run differ from those of the calibration, such as "governor powersave
 * instead of performance"; false: no known condition differs. */
bool wtl_pose_bounds_differ(const struct wtl_pose_bounds *bounds,
                            const struct wtl_result *run,
                            char *buf,
                            size_t n);

#endif
