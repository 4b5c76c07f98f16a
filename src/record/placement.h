/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the sampler's thread should run: beside the program, not on top of it. */
#ifndef WTL_RECORD_PLACEMENT_H
#define WTL_RECORD_PLACEMENT_H

/*
 * The CPU to pin the sampler to: `wanted` when >= 0; with -1 (automatic) a CPU that is online and
 * outside of the set that this process, and so its children, may use, when there is one and the
 * system allows to go there. -1 = do not pin; the scheduler then finds an idle core by itself.
 */
int wtl_placement_cpu(int wanted);

#endif
