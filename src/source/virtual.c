/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual machine: the signature of CPUID leaf 0x40000000 if the hypervisor bit (leaf 1, ECX bit 31; Intel
 * SDM vol. 2, AMD APM vol. 3) is set, else DMI, else the flag in /proc/cpuinfo. Container: the marks left by
 * container engines (/.dockerenv, /run/.containerenv, container= of PID 1, the cgroup's path). None of these
 * is reliable by itself; each one only adds evidence.
 */
#include "source/virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"

struct mark {
    const char *mark, *name;
};

static const char *find_mark(const struct mark *marks, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        if (strstr(text, marks[i].mark))
            return marks[i].name;
    }
    return NULL;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void set(char out[32], const char *name)
{
    (void)snprintf(out, 32, "%.31s", name);
}

static bool machine_from_cpuid(const struct wtl_world *world, char out[32])
{
    static const struct mark signatures[] = {
        {"KVMKVMKVM", "kvm"},        {"VMwareVMware", "vmware"},     {"XenVMMXenVMM", "xen"},
        {"Microsoft Hv", "hyper-v"}, {"TCGTCGTCGTCG", "qemu"},       {"bhyve bhyve", "bhyve"},
        {"ACRNACRNACRN", "acrn"},    {"VBoxVBoxVBox", "virtualbox"}, {"prl hyperv", "parallels"},
    };
    uint32_t regs[4];
    if (world->ops->cpuid(world, 1, 0, regs) < 0 || !(regs[2] >> 31))
        return false;
    char text[13] = "";
    if (world->ops->cpuid(world, 0x40000000, 0, regs) == 0)
        memcpy(text, &regs[1], 12);
    text[12] = '\0';
    const char *name = find_mark(signatures, COUNT(signatures), text);
    set(out, name ? name : "unknown hypervisor");
    return true;
}

static bool machine_from_dmi(const struct wtl_world *world, char out[32])
{
    static const struct mark vendors[] = {
        {"QEMU", "qemu"},
        {"VMware", "vmware"},
        {"Xen", "xen"},
        {"innotek", "virtualbox"},
        {"Amazon EC2", "amazon ec2"},
        {"Google Compute", "google cloud"},
        {"OpenStack", "openstack"},
        {"Virtual Machine", "hyper-v"},
        {"KVM", "kvm"},
    };
    static const char *const files[] = {"/sys/class/dmi/id/product_name",
                                        "/sys/class/dmi/id/sys_vendor"};
    for (size_t i = 0; i < COUNT(files); i++) {
        char text[128];
        if (wtl_world_text(world, files[i], text, sizeof text) < 0)
            continue;
        if (strstr(text, ".metal"))
            return false; /* EC2 bare metal: "c5.metal" made by "Amazon EC2" */
        const char *name = find_mark(vendors, COUNT(vendors), text);
        if (name) {
            set(out, name);
            return true;
        }
    }
    return false;
}

static void find_container(const struct wtl_world *world, char out[32])
{
    static const struct mark paths[] = {
        {"/docker", "docker"}, {"/kubepods", "kubernetes"},  {"/lxc", "lxc"},
        {"libpod", "podman"},  {"containerd", "containerd"}, {"/machine.slice", "machined"},
    };
    if (world->ops->exists(world, "/.dockerenv")) {
        set(out, "docker");
        return;
    }
    if (world->ops->exists(world, "/run/.containerenv")) {
        set(out, "podman");
        return;
    }
    char text[64];
    if (wtl_world_text(world, "/run/systemd/container", text, sizeof text) > 0) {
        set(out, text);
        return;
    }
    /* Apptainer and Singularity set their name in the environment only. */
    if (world->ops->getenv(world, "APPTAINER_NAME") ||
        world->ops->getenv(world, "SINGULARITY_NAME")) {
        set(out, "apptainer");
        return;
    }
    char *cgroups; /* one line per hierarchy: their paths may be long */
    if (wtl_world_slurp(world, "/proc/self/cgroup", &cgroups) < 0)
        return;
    const char *name = find_mark(paths, COUNT(paths), cgroups);
    if (name)
        set(out, name);
    free(cgroups);
}

/* Quota of the cgroup mounted as the root here: "max 100000" or "200000 100000". */
static double cpu_limit(const struct wtl_world *world)
{
    char text[64];
    if (wtl_world_text(world, "/sys/fs/cgroup/cpu.max", text, sizeof text) > 0) {
        char *space = strchr(text, ' ');
        uint64_t quota, period;
        if (!space)
            return 0;
        *space = '\0';
        if (wtl_parse_u64(text, &quota) < 0 || wtl_parse_u64(space + 1, &period) < 0 || !period)
            return 0;
        return (double)quota / (double)period;
    }
    uint64_t quota, period;
    if (wtl_world_u64(world, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota) == 0 &&
        wtl_world_u64(world, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period) == 0 && period)
        return (double)quota / (double)period;
    return 0;
}

void wtl_virtual_detect(const struct wtl_world *world, struct wtl_virtual *ret_virtual)
{
    *ret_virtual = (struct wtl_virtual){0};
    if (!machine_from_cpuid(world, ret_virtual->machine))
        (void)machine_from_dmi(world, ret_virtual->machine);
    find_container(world, ret_virtual->container);
    ret_virtual->cpu_limit = cpu_limit(world);
}
