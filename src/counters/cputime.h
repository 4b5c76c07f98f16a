/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the channels of driver `cputime`: CPU time since an arbitrary origin, in nanoseconds. The load
 * of other processes is that of the machine minus that of the tree. */
#ifndef WTL_COUNTERS_CPUTIME_H
#define WTL_COUNTERS_CPUTIME_H

#define WTL_CPUTIME_MACHINE "cputime:node-0"
#define WTL_CPUTIME_TREE    "cputime:tree-0"
#define WTL_CPUTIME_CGROUP  "cputime:cgroup-0"

#endif
