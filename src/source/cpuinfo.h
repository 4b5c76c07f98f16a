/* SPDX-License-Identifier: BSD-3-Clause */
/* Identity of a machine's processors, from /proc/cpuinfo and sysfs. */
#ifndef WTL_SOURCE_CPUINFO_H
#define WTL_SOURCE_CPUINFO_H

#include <stdbool.h>

#include "base/world/world.h"

struct wtl_cpuinfo {
    char vendor[16];             /* "GenuineIntel", "AuthenticAMD"; "" on others */
    char name[96];               /* model name as reported; "" = unknown */
    int family, model, stepping; /* x86; -1 = unknown */
    int implementer, part;       /* ARM MIDR fields; -1 = unknown */
    char microcode[16];
    int threads;      /* logical CPUs online, >= 1 */
    double ghz;       /* nominal; 0 = unknown */
    bool hypervisor;  /* runs on virtual processors */
    bool amx, avx512; /* instruction sets that give a lower bound for the generation */
    /* Set by wtl_cpuinfo_count(), 0 before: */
    int sockets;         /* >= 1 */
    int cores;           /* physical, all sockets, >= 1 */
    bool topology_known; /* sockets and cores were read, not assumed */
};

/* Returns 0, or -errno when /proc/cpuinfo cannot be read or lists no processor. */
int wtl_cpuinfo_read(const struct wtl_world *world, struct wtl_cpuinfo *ret_info);

/* Count sockets and cores, which reads several files per CPU. If the topology is unknown: one socket, and
 * one core per thread. Returns 0 or -ENOMEM. */
int wtl_cpuinfo_count(const struct wtl_world *world, struct wtl_cpuinfo *info);

#endif
