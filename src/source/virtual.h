/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this process runs in a virtual machine or in a container, and how much CPU it may use. */
#ifndef WTL_SOURCE_VIRTUAL_H
#define WTL_SOURCE_VIRTUAL_H

#include "base/world/world.h"

struct wtl_virtual {
    char machine[32];   /* hypervisor: "kvm", "vmware", "xen", ...; "" = none detected */
    char container[32]; /* "docker", "podman", "lxc", ...; "" = none detected */
    double cpu_limit;   /* CPUs that the cgroup may use; 0 = no limit */
};

void wtl_virtual_detect(const struct wtl_world *world, struct wtl_virtual *ret_virtual);

#endif
