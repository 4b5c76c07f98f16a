/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files through which a machine exposes its node: powercap, MSR, hwmon, Cray, cpufreq,
 * /proc/cpuinfo. One tree of names and contents, served to tests by the memory world and to
 * programs by FUSE. It never changes once created; the contents come from a node at an instant.
 */
#ifndef WTL_SIM_NODE_TREE_H
#define WTL_SIM_NODE_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/cpu_model_table.h"
#include "sim/gpu/gpu.h"
#include "sim/node.h"

enum wtl_view {
    WTL_VIEW_POWERCAP = 1u << 0, /* /sys/class/powercap */
    WTL_VIEW_MSR = 1u << 1,      /* /dev/cpu/N/msr */
    WTL_VIEW_HWMON = 1u << 2,    /* /sys/class/hwmon */
    WTL_VIEW_CRAY = 1u << 3,     /* /sys/cray/pm_counters */
    WTL_VIEW_CPUFREQ = 1u << 4,  /* /sys/devices/system/cpu/{cpufreq,intel_pstate}, cpuN/cpufreq */
    WTL_VIEW_CPUINFO = 1u << 5,  /* /proc/cpuinfo */
    WTL_VIEW_COUNTERS = 1u << 7, /* /proc/net/dev, /proc/diskstats; a node with a track */
    WTL_VIEW_TOPOLOGY = 1u << 6, /* /sys/devices/system/cpu/{online,...}, cpuN/topology */
};

enum wtl_entry_kind { WTL_ENTRY_FOLDER, WTL_ENTRY_LINK, WTL_ENTRY_FILE };

/* Content of a file. */
enum wtl_content {
    WTL_CONTENT_TEXT,      /* `text` */
    WTL_CONTENT_ENERGY_UJ, /* powercap: wraps */
    WTL_CONTENT_TOTAL_UJ,  /* hwmon: does not wrap */
    WTL_CONTENT_POWER_UW,  /* at this instant */
    WTL_CONTENT_CRAY,      /* `text` says which: power, cpu_energy, freshness, ... */
    WTL_CONTENT_KNOB,      /* `knob` of policy or zone `cpu`; can be written */
    WTL_CONTENT_NETWORK,   /* /proc/net/dev */
    WTL_CONTENT_DISKS,     /* /proc/diskstats */
    WTL_CONTENT_STAT,      /* /proc/stat; of a live node with programs */
    WTL_CONTENT_CPUACCT,   /* CPU time of all CPUs in ns, of such a node */
    WTL_CONTENT_GPU,       /* `gpu_field` of GPU `cpu` */
    WTL_CONTENT_MSR,       /* register file of `cpu`: 8 bytes at the register's number */
};

struct wtl_entry {
    const char *name;
    enum wtl_entry_kind kind;
    int parent, child, next; /* indices of entries; -1 = none. The root is 0 */
    enum wtl_content content;
    int domain; /* index in the node; -1 = none */
    int cpu;    /* -1 = none; of a knob: its index */
    enum wtl_sim_knob knob;
    enum wtl_sim_gpu_field gpu_field;
    const char *text; /* contents, or target of a link */
};

struct wtl_tree_config {
    unsigned views; /* enum wtl_view */
    int cpus, sockets;
    const struct wtl_cpu_model *model; /* NULL = none: no cpuinfo, registers of both vendors */
    const struct wtl_sim_gpus *gpus;   /* borrowed; NULL = none */
    bool stat;                         /* CPU time of the machine is the node's */
    bool msr_zero;                     /* unknown registers read as 0 instead of failing */
};

struct wtl_tree;

/* Defaults: 2 CPUs, 1 socket, powercap + msr + cpuinfo + topology. */
struct wtl_tree_config wtl_tree_config_init(void);

/* The tree for a node of this configuration. Returns 0, -EINVAL, -ENOMEM. */
int wtl_tree_create(const struct wtl_tree_config *config,
                    const struct wtl_node_config *node,
                    struct wtl_tree **ret_tree,
                    struct wattle_error *err);
void wtl_tree_destroy(struct wtl_tree *tree); /* accepts NULL */

const struct wtl_tree_config *wtl_tree_config(const struct wtl_tree *tree);
const struct wtl_entry *wtl_tree_entry(const struct wtl_tree *tree, int entry);
int wtl_tree_count(const struct wtl_tree *tree);
/* Number of the child of that name, or -ENOENT. */
int wtl_tree_child(const struct wtl_tree *tree, int folder, const char *name);
/* Index of the entry at an absolute path; links in the path are followed, the last one only if
 * `follow`. -ENOENT, -ENOTDIR, -ELOOP. */
int wtl_tree_find(const struct wtl_tree *tree, const char *path, bool follow);
/* Maximum length of generated content. */
enum { WTL_TREE_TEXT = 16384, WTL_TREE_STAT_CPUS = 256 };

/*
 * The content of a file other than MSR at time_ns: *ret_text is either the entry's own text or buf.
 * Returns its length, or -ENODEV, -EIO if the counter fails.
 */
ssize_t wtl_tree_text(const struct wtl_tree *tree,
                      struct wtl_node *node,
                      int entry,
                      uint64_t time_ns,
                      char buf[WTL_TREE_TEXT],
                      const char **ret_text);
/* Can it be written, permissions aside? Registers can only be opened for writing. */
bool wtl_tree_writable(const struct wtl_entry *entry);
/* Write what a program wrote to a file: 0, or a negative errno as of the kernel. */
int wtl_tree_write(const struct wtl_tree *tree,
                   struct wtl_node *node,
                   int entry,
                   uint64_t time_ns,
                   const char *text,
                   size_t n);
/* Can the file be opened at time_ns? 0, -ENOENT, -EACCES. */
int wtl_tree_open(const struct wtl_tree *tree,
                  const struct wtl_node *node,
                  int entry,
                  uint64_t time_ns);
/* Read a register: 0, or -EIO if it does not exist or its counter fails. */
int wtl_tree_msr(const struct wtl_tree *tree,
                 struct wtl_node *node,
                 int cpu,
                 uint32_t reg,
                 uint64_t time_ns,
                 uint64_t *ret_value);

#endif
