/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processors of a machine are, from /proc/cpuinfo and sysfs. */
#ifndef WTL_SOURCE_CPUINFO_H
#define WTL_SOURCE_CPUINFO_H

#include <stdbool.h>

#include "base/world/world.h"

struct wtl_cpuinfo {
    char vendor[16];             /* "GenuineIntel", "AuthenticAMD"; "" on others */
    char name[96];               /* model name as the machine tells it; "" = unknown */
    int family, model, stepping; /* x86; -1 = unknown */
    int implementer, part;       /* ARM MIDR fields; -1 = unknown */
    char microcode[16];
    int threads;      /* logical CPUs online, >= 1 */
    double ghz;       /* nominal; 0 = unknown */
    bool hypervisor;  /* runs on virtual processors */
    bool amx, avx512; /* instruction sets that bound the generation from below */
    /* Of wtl_cpuinfo_count(), 0 before it: */
    int sockets;         /* >= 1 */
    int cores;           /* physical, all sockets, >= 1 */
    bool topology_known; /* sockets and cores were told, not assumed */
};

/* Returns 0, or -errno when /proc/cpuinfo cannot be read or names no processor. */
int wtl_cpuinfo_read(const struct wtl_world *world, struct wtl_cpuinfo *ret_info);

/* Count sockets and cores, which reads some files of each CPU. Where the topology does not tell:
 * one socket, and a core for each thread. Returns 0 or -ENOMEM. */
int wtl_cpuinfo_count(const struct wtl_world *world, struct wtl_cpuinfo *info);

#endif
