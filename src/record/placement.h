/* SPDX-License-Identifier: BSD-3-Clause */
/* Where to run the sampler's thread: not on a CPU of the program. */
#ifndef WTL_RECORD_PLACEMENT_H
#define WTL_RECORD_PLACEMENT_H

/*
 * The CPU to pin the sampler to: `wanted` if >= 0; with -1 (automatic) an online CPU outside the
 * set that this process, and so its children, may use, if there is one and the system permits it.
 * -1 = do not pin; the scheduler then finds an idle core.
 */
int wtl_placement_cpu(int wanted);

/* May this process run on a CPU? 0 or -errno. */
int wtl_placement_check(int cpu);

#endif
