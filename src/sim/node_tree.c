/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the tree of names: see node_tree.h; node_content.c provides the contents. Entries are
 * added by path, with parent folders created as needed. Folders, links and names are those of the
 * kernel's powercap, hwmon, cpufreq and of Cray's pm_counters, so that programs written for them
 * work unchanged.
 */
#define _GNU_SOURCE
#include "sim/node_tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "sim/tree_parts.h"

struct wtl_tree_config wtl_tree_config_init(void)
{
    return (struct wtl_tree_config){
        .views = WTL_VIEW_POWERCAP | WTL_VIEW_MSR | WTL_VIEW_CPUINFO | WTL_VIEW_TOPOLOGY,
        .cpus = 2,
        .sockets = 1,
    };
}

/* Append a new entry to the children of `folder`. Returns its index, or -ENOMEM. */
static int append(struct wtl_tree *tree, int folder, const char *name, size_t n)
{
    if (wtl_grow(&tree->entries, (size_t)tree->count, sizeof *tree->entries) < 0)
        return -ENOMEM;
    char *copy = strndup(name, n);
    if (!copy)
        return -ENOMEM;
    int entry = tree->count++;
    tree->entries[entry] = (struct wtl_entry){
        .name = copy, .parent = folder, .child = -1, .next = -1, .domain = -1, .cpu = -1};
    if (folder != entry) {
        int *link = &tree->entries[folder].child;
        while (*link >= 0)
            link = &tree->entries[*link].next;
        *link = entry;
    }
    return entry;
}

static int child_of(const struct wtl_tree *tree, int folder, const char *name, size_t n)
{
    for (int i = tree->entries[folder].child; i >= 0; i = tree->entries[i].next) {
        if (strlen(tree->entries[i].name) == n && memcmp(tree->entries[i].name, name, n) == 0)
            return i;
    }
    return -ENOENT;
}

int wtl_tree_child(const struct wtl_tree *tree, int folder, const char *name)
{
    return child_of(tree, folder, name, strlen(name));
}

/* Add an entry at `path` (relative to the root), with its folders. After the first failure nothing
 * is added any more, so that callers need to check only once, at the end. */
static int add_entry(struct wtl_tree *tree, struct wtl_entry what, const char *path)
{
    int folder = 0;
    for (const char *p = path; tree->rc == 0; p += strcspn(p, "/") + 1) {
        size_t n = strcspn(p, "/");
        int entry = child_of(tree, folder, p, n);
        if (entry < 0)
            entry = append(tree, folder, p, n);
        if (entry < 0) {
            tree->rc = entry;
            break;
        }
        folder = entry;
        if (p[n])
            continue;
        struct wtl_entry *last = &tree->entries[entry];
        last->kind = what.kind;
        last->content = what.content;
        last->domain = what.domain;
        last->cpu = what.cpu;
        last->text = what.text;
        last->knob = what.knob;
        last->gpu_field = what.gpu_field;
        return entry;
    }
    return tree->rc;
}

/* Add a file or link with its own text; `format` is for the path. */
static __attribute__((format(printf, 4, 5))) void add_text(struct wtl_tree *tree,
                                                           enum wtl_entry_kind kind,
                                                           char *text,
                                                           const char *format,
                                                           ...)
{
    char path[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(path, sizeof path, format, args); /* paths are short: see the callers */
    va_end(args);
    if (!text)
        tree->rc = -ENOMEM;
    int entry = add_entry(
        tree, (struct wtl_entry){.kind = kind, .domain = -1, .cpu = -1, .text = text}, path);
    if (entry < 0)
        free(text);
}

static __attribute__((format(printf, 5, 6))) void add_live(struct wtl_tree *tree,
                                                           enum wtl_content content,
                                                           int domain,
                                                           int cpu,
                                                           const char *format,
                                                           ...)
{
    char path[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(path, sizeof path, format, args); /* paths are short: see the callers */
    va_end(args);
    (void)add_entry(tree,
                    (struct wtl_entry){
                        .kind = WTL_ENTRY_FILE, .content = content, .domain = domain, .cpu = cpu},
                    path); /* a failure stays in tree->rc */
}

/* printf to allocated memory; NULL if out of memory. */
static __attribute__((format(printf, 1, 2))) char *text_of(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    return n < 0 ? NULL : text;
}

#define POWERCAP "sys/class/powercap/"

/* Add a file that shows a knob, and can be written; `zone` also makes it share the faults of the counter. */
static __attribute__((format(printf, 5, 6))) void add_knob(struct wtl_tree *tree,
                                                           enum wtl_sim_knob knob,
                                                           int index,
                                                           int zone,
                                                           const char *format,
                                                           ...)
{
    char path[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(path, sizeof path, format, args); /* paths are short: see the callers */
    va_end(args);
    (void)add_entry(tree,
                    (struct wtl_entry){.kind = WTL_ENTRY_FILE,
                                       .content = WTL_CONTENT_KNOB,
                                       .domain = zone,
                                       .cpu = index,
                                       .knob = knob},
                    path); /* a failure stays in tree->rc */
}

/* A constraint of a zone, which can be written in a package. */
static void add_limit(struct wtl_tree *tree,
                      const char *zone,
                      int package,
                      int i,
                      const char *name,
                      double watts)
{
    enum wtl_entry_kind file = WTL_ENTRY_FILE;
    unsigned long uw = (unsigned long)(watts * 1e6);
    add_text(tree, file, text_of("%s\n", name), POWERCAP "%s/constraint_%d_name", zone, i);
    add_text(tree, file, text_of("%lu\n", uw), POWERCAP "%s/constraint_%d_max_power_uw", zone, i);
    if (package < 0) {
        add_text(tree, file, text_of("0\n"), POWERCAP "%s/constraint_%d_power_limit_uw", zone, i);
        add_text(tree, file, text_of("999424\n"), POWERCAP "%s/constraint_%d_time_window_us", zone,
                 i);
        return;
    }
    add_knob(tree, i ? WTL_SIM_KNOB_LIMIT_SHORT : WTL_SIM_KNOB_LIMIT_LONG, package, package,
             POWERCAP "%s/constraint_%d_power_limit_uw", zone, i);
    add_knob(tree, i ? WTL_SIM_KNOB_WINDOW_SHORT : WTL_SIM_KNOB_WINDOW_LONG, package, package,
             POWERCAP "%s/constraint_%d_time_window_us", zone, i);
}

/* Add one zone; `link` is its name in the class folder. */
static void add_zone(struct wtl_tree *tree,
                     const struct wtl_node_config *node,
                     int domain,
                     const char *zone,
                     const char *link)
{
    const struct wtl_node_domain *d = &node->domains[domain];
    const char *name = wattle_domain_name(d->domain);
    bool package = d->domain == WATTLE_DOMAIN_PACKAGE;
    uint64_t range = wtl_units_to_uj((UINT64_C(1) << d->range_bits) - 1, d->unit_exp);
    enum wtl_entry_kind file = WTL_ENTRY_FILE;
    add_text(tree, file, package ? text_of("package-%d\n", d->index) : text_of("%s\n", name),
             POWERCAP "%s/name", zone);
    add_live(tree, WTL_CONTENT_ENERGY_UJ, domain, -1, POWERCAP "%s/energy_uj", zone);
    add_text(tree, file, text_of("%llu\n", (unsigned long long)range),
             POWERCAP "%s/max_energy_range_uj", zone);
    if (package)
        add_knob(tree, WTL_SIM_KNOB_ENABLED, domain, domain, POWERCAP "%s/enabled", zone);
    else
        add_text(tree, file, text_of("1\n"), POWERCAP "%s/enabled", zone);
    add_limit(tree, zone, package ? domain : -1, 0, "long_term", package ? node->knobs.tdp_w : 0);
    if (package)
        add_limit(tree, zone, domain, 1, "short_term", node->knobs.tdp_w * 1.2);
    add_text(tree, WTL_ENTRY_LINK, text_of("%s", zone), POWERCAP "%s", link);
}

/* Packages with their subzones, then the platform; subzones without a package are at the top
 * level. */
static void add_powercap(struct wtl_tree *tree, const struct wtl_node_config *node)
{
    static const enum wattle_domain parts[] = {WATTLE_DOMAIN_CORE, WATTLE_DOMAIN_UNCORE,
                                               WATTLE_DOMAIN_DRAM};
    bool done[WTL_NODE_DOMAINS] = {false};
    char zone[96], link[40];
    int top = 0;
    add_text(tree, WTL_ENTRY_FILE, text_of("1\n"), POWERCAP "intel-rapl/enabled");
    for (int i = 0; i < (int)node->domain_count; i++) {
        if (node->domains[i].domain != WATTLE_DOMAIN_PACKAGE)
            continue;
        int sub = 0;
        (void)snprintf(link, sizeof link, "intel-rapl:%d", top);
        (void)snprintf(zone, sizeof zone, "intel-rapl/%s", link);
        add_zone(tree, node, i, zone, link);
        for (int k = 0; k < 3 * (int)node->domain_count; k++) { /* in the kernel's order of parts */
            int part = k % (int)node->domain_count;
            if (node->domains[part].domain != parts[k / (int)node->domain_count] ||
                node->domains[part].index != node->domains[i].index)
                continue;
            (void)snprintf(link, sizeof link, "intel-rapl:%d:%d", top, sub++);
            (void)snprintf(zone, sizeof zone, "intel-rapl/intel-rapl:%d/%s", top, link);
            add_zone(tree, node, part, zone, link);
            done[part] = true;
        }
        top++;
    }
    for (int i = 0; i < (int)node->domain_count; i++) {
        enum wattle_domain domain = node->domains[i].domain;
        if (done[i] || (domain != WATTLE_DOMAIN_PSYS && domain != parts[0] && domain != parts[1] &&
                        domain != parts[2]))
            continue;
        (void)snprintf(link, sizeof link, "intel-rapl:%d", top++);
        (void)snprintf(zone, sizeof zone, "intel-rapl/%s", link);
        add_zone(tree, node, i, zone, link);
    }
}

/* Is it the domain of a GPU with a vendor library? That has no hwmon device. */
static bool is_gpu(const struct wtl_tree *tree, const struct wtl_node_domain *d)
{
    const struct wtl_sim_gpus *gpus = tree->config.gpus;
    return gpus && d->domain == WATTLE_DOMAIN_GPU && d->index < (int)gpus->count;
}

/* One device with a power and an energy for each domain that a board would measure. */
static void add_hwmon(struct wtl_tree *tree, const struct wtl_node_config *node)
{
    static const char folder[] = "sys/class/hwmon/hwmon0";
    enum wtl_entry_kind file = WTL_ENTRY_FILE;
    int n = 0;
    uint64_t tick_ns = 0;
    for (int i = 0; i < (int)node->domain_count; i++)
        if (!is_gpu(tree, &node->domains[i]) && node->domains[i].tick_ns > tick_ns)
            tick_ns = node->domains[i].tick_ns;
    add_text(tree, file, text_of("wattle_sim\n"), "%s/name", folder);
    add_text(tree, file, text_of("%llu\n", (unsigned long long)(tick_ns + 999999) / 1000000),
             "%s/update_interval", folder);
    for (int i = 0; i < (int)node->domain_count; i++) {
        const struct wtl_node_domain *d = &node->domains[i];
        if (d->domain == WATTLE_DOMAIN_CORE || d->domain == WATTLE_DOMAIN_UNCORE || is_gpu(tree, d))
            continue;
        const char *name = wattle_domain_name(d->domain);
        n++;
        add_live(tree, WTL_CONTENT_POWER_UW, i, -1, "%s/power%d_input", folder, n);
        add_text(tree, file, text_of("%s-%d\n", name, d->index), "%s/power%d_label", folder, n);
        add_live(tree, WTL_CONTENT_TOTAL_UJ, i, -1, "%s/energy%d_input", folder, n);
        add_text(tree, file, text_of("%s-%d\n", name, d->index), "%s/energy%d_label", folder, n);
    }
}

static void add_cray(struct wtl_tree *tree)
{
    static const char *const live[] = {"power",     "energy",       "cpu_power",    "cpu_energy",
                                       "freshness", "memory_power", "memory_energy"};
    static const char *const fixed[][2] = {
        {"generation", "1"}, {"version", "2"}, {"raw_scan_hz", "10"}, {"power_cap", "0 W"}};
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        char path[64];
        char *text = text_of("%s", live[i]);
        (void)snprintf(path, sizeof path, "sys/cray/pm_counters/%s", live[i]);
        if (!text)
            tree->rc = -ENOMEM;
        if (add_entry(tree,
                      (struct wtl_entry){.kind = WTL_ENTRY_FILE,
                                         .content = WTL_CONTENT_CRAY,
                                         .domain = -1,
                                         .cpu = -1,
                                         .text = text},
                      path) < 0)
            free(text);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_text(tree, WTL_ENTRY_FILE, text_of("%s\n", fixed[i][1]), "sys/cray/pm_counters/%s",
                 fixed[i][0]);
}

#define CPUS "sys/devices/system/cpu/"

/* The states of acpi-cpufreq, highest first, as text; NULL if out of memory. */
static char *states_of(const struct wtl_sim_knobs_config *knobs, double nominal_ghz)
{
    uint32_t low = wtl_sim_knobs_low_khz(knobs, nominal_ghz);
    uint32_t nominal = wtl_sim_knobs_nominal_khz(nominal_ghz);
    uint32_t high = wtl_sim_knobs_high_khz(knobs, nominal_ghz);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (high > nominal)
        (void)fprintf(out, "%lu ", (unsigned long)high);
    for (int i = 0;; i++) {
        double khz = nominal - i * knobs->step_ghz * 1e6;
        if (khz < low + 0.5 * knobs->step_ghz * 1e6)
            break;
        (void)fprintf(out, "%.0f ", khz);
    }
    (void)fprintf(out, "%lu \n", (unsigned long)low);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* "0 1" of affected_cpus. */
static char *cpus_of(const struct wtl_sim_knobs_config *knobs, int policy)
{
    int first, last;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    wtl_sim_knobs_cpus(knobs, policy, &first, &last);
    if (!out)
        return NULL;
    for (int cpu = first; cpu <= last; cpu++)
        (void)fprintf(out, "%s%d", cpu > first ? " " : "", cpu);
    (void)fputc('\n', out);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

static void add_policy(struct wtl_tree *tree, const struct wtl_node_config *node, int policy)
{
    static const struct {
        const char *name;
        enum wtl_sim_knob knob;
    } live[] = {
        {"scaling_cur_freq", WTL_SIM_KNOB_CUR},      {"cpuinfo_cur_freq", WTL_SIM_KNOB_CUR},
        {"scaling_governor", WTL_SIM_KNOB_GOVERNOR}, {"scaling_min_freq", WTL_SIM_KNOB_MIN},
        {"scaling_max_freq", WTL_SIM_KNOB_MAX},      {"scaling_setspeed", WTL_SIM_KNOB_SETSPEED},
    };
    const struct wtl_sim_knobs_config *knobs = &node->knobs;
    bool acpi = knobs->driver == WTL_SCALING_ACPI;
    char folder[64];
    (void)snprintf(folder, sizeof folder, CPUS "cpufreq/policy%d", policy * knobs->cpus_per_policy);
    for (size_t i = 0; i < sizeof live / sizeof *live; i++)
        add_knob(tree, live[i].knob, policy, -1, "%s/%s", folder, live[i].name);
    if (!acpi)
        add_knob(tree, WTL_SIM_KNOB_EPP, policy, -1, "%s/energy_performance_preference", folder);
    const struct {
        const char *name;
        char *text;
    } fixed[] = {
        {"cpuinfo_max_freq",
         text_of("%lu\n", (unsigned long)wtl_sim_knobs_high_khz(knobs, node->f))},
        {"cpuinfo_min_freq",
         text_of("%lu\n", (unsigned long)wtl_sim_knobs_low_khz(knobs, node->f))},
        {"cpuinfo_transition_latency", text_of("10000\n")},
        {"scaling_driver", text_of("%s\n", wtl_sim_knobs_driver_name(knobs->driver))},
        {"scaling_available_governors", text_of("%s\n", wtl_sim_knobs_governors(knobs->driver))},
        {"affected_cpus", cpus_of(knobs, policy)},
        {"related_cpus", cpus_of(knobs, policy)},
        {acpi ? "scaling_available_frequencies" : "base_frequency",
         acpi ? states_of(knobs, node->f)
              : text_of("%lu\n", (unsigned long)wtl_sim_knobs_nominal_khz(node->f))},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_text(tree, WTL_ENTRY_FILE, fixed[i].text, "%s/%s", folder, fixed[i].name);
    if (!acpi)
        add_text(tree, WTL_ENTRY_FILE, text_of("%s\n", wtl_sim_knobs_preferences()),
                 "%s/energy_performance_available_preferences", folder);
}

static void add_cpufreq(struct wtl_tree *tree, const struct wtl_node_config *node)
{
    const struct wtl_sim_knobs_config *knobs = &node->knobs;
    bool turbo = wtl_sim_knobs_high_khz(knobs, node->f) > wtl_sim_knobs_nominal_khz(node->f);
    for (int policy = 0; policy < wtl_sim_knobs_policies(knobs); policy++)
        add_policy(tree, node, policy);
    for (int cpu = 0; cpu < tree->config.cpus; cpu++)
        add_text(
            tree, WTL_ENTRY_LINK,
            text_of("../cpufreq/policy%d", cpu / knobs->cpus_per_policy * knobs->cpus_per_policy),
            CPUS "cpu%d/cpufreq", cpu);
    if (knobs->driver == WTL_SCALING_INTEL) {
        add_text(tree, WTL_ENTRY_FILE, text_of("active\n"), CPUS "intel_pstate/status");
        add_knob(tree, WTL_SIM_KNOB_NO_TURBO, 0, -1, CPUS "intel_pstate/no_turbo");
    } else if (turbo) {
        add_knob(tree, WTL_SIM_KNOB_BOOST, 0, -1, CPUS "cpufreq/boost");
    }
}

static void add_topology(struct wtl_tree *tree)
{
    static const char *const lists[] = {"online", "possible", "present"};
    static const char cpus[] = "sys/devices/system/cpu";
    int n = tree->config.cpus;
    enum wtl_entry_kind file = WTL_ENTRY_FILE;
    for (size_t i = 0; i < 3; i++)
        add_text(tree, file, n > 1 ? text_of("0-%d\n", n - 1) : text_of("0\n"), "%s/%s", cpus,
                 lists[i]);
    for (int cpu = 0; cpu < n; cpu++) {
        add_text(tree, file, text_of("%d\n", wtl_tree_socket(tree, cpu)),
                 "%s/cpu%d/topology/physical_package_id", cpus, cpu);
        add_text(tree, file, text_of("%d\n", cpu), "%s/cpu%d/topology/core_id", cpus, cpu);
        add_text(tree, file, text_of("0\n"), "%s/cpu%d/topology/die_id", cpus, cpu);
        add_text(tree, file, text_of("%d\n", cpu), "%s/cpu%d/topology/thread_siblings_list", cpus,
                 cpu);
    }
}

/* The node's one interface and one disk. The rest of /proc/net stays the machine's: it is another folder in each process. */
static void add_counters(struct wtl_tree *tree)
{
    static const char *const others[] = {
        "arp",     "dev_mcast", "fib_trie",  "if_inet6", "igmp",      "ipv6_route", "netlink",
        "netstat", "packet",    "protocols", "ptype",    "raw",       "raw6",       "route",
        "rpc",     "snmp",      "snmp6",     "sockstat", "sockstat6", "stat",       "softnet_stat",
        "tcp",     "tcp6",      "udp",       "udp6",     "unix",      "wireless"};
    add_live(tree, WTL_CONTENT_NETWORK, -1, -1, "proc/net/dev");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_text(tree, WTL_ENTRY_LINK, text_of("/proc/self/net/%s", others[i]), "proc/net/%s",
                 others[i]);
    add_live(tree, WTL_CONTENT_DISKS, -1, -1, "proc/diskstats");
    add_text(tree, WTL_ENTRY_FILE, text_of("976773168\n"), "sys/block/sda/size");
    add_text(tree, WTL_ENTRY_FILE, text_of("0\n"), "sys/block/sda/removable");
    add_text(tree, WTL_ENTRY_FILE, text_of("simulated\n"), "sys/block/sda/device/model");
}

/* Of those of the machine, its own is hidden where it has them. */
static void add_cpu_time(struct wtl_tree *tree)
{
    add_live(tree, WTL_CONTENT_STAT, -1, -1, "proc/stat");
    add_live(tree, WTL_CONTENT_CPUACCT, -1, -1, "sys/fs/cgroup/cpuacct/cpuacct.usage");
    add_live(tree, WTL_CONTENT_CPUACCT, -1, -1, "sys/fs/cgroup/cpu,cpuacct/cpuacct.usage");
}

static int gpu_domain_of(const struct wtl_node_config *node, int index)
{
    for (int i = 0; i < (int)node->domain_count; i++) {
        if (node->domains[i].domain == WATTLE_DOMAIN_GPU && node->domains[i].index == index)
            return i;
    }
    return -1;
}

/* What the fake vendor libraries read, beside the files that a kernel shows. */
static void add_gpu(struct wtl_tree *tree, const struct wtl_node_config *node, int i)
{
    const struct wtl_sim_gpu *gpu = &tree->config.gpus->list[i];
    char uuid[48], pci[16];
    wtl_sim_gpu_uuid(gpu, uuid);
    wtl_sim_gpu_pci(gpu, pci);
    const struct {
        const char *name;
        char *text;
    } fixed[] = {{"name", text_of("%s\n", gpu->model->text)},
                 {"uuid", text_of("%s\n", uuid)},
                 {"pci", text_of("%s\n", pci)},
                 {"numa", text_of("%d\n", gpu->numa)}};
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        add_text(tree, WTL_ENTRY_FILE, fixed[k].text, "gpu/%d/%s", i, fixed[k].name);
    for (int field = 0; field < WTL_SIM_GPU_FIELDS; field++) {
        struct wtl_entry entry = {.kind = WTL_ENTRY_FILE,
                                  .content = WTL_CONTENT_GPU,
                                  .domain = gpu_domain_of(node, gpu->index),
                                  .cpu = i,
                                  .gpu_field = (enum wtl_sim_gpu_field)field};
        char path[64];
        (void)snprintf(path, sizeof path, "gpu/%d/%s", i, wtl_sim_gpu_field_name(entry.gpu_field));
        if (wtl_sim_gpu_has(gpu, entry.gpu_field))
            (void)add_entry(tree, entry, path); /* a failure stays in tree->rc */
    }
}

static void add_gpus(struct wtl_tree *tree, const struct wtl_node_config *node)
{
    const struct wtl_sim_gpus *gpus = tree->config.gpus;
    add_text(tree, WTL_ENTRY_FILE, text_of("%s\n", wtl_sim_gpu_library_name(gpus->library)),
             "gpu/library");
    for (int i = 0; i < (int)gpus->count; i++)
        add_gpu(tree, node, i);
    static const char *const nvml[] = {[WTL_SIM_GPU_LIBRARY_NOW] = "nvml",
                                       [WTL_SIM_GPU_LIBRARY_OLD] = "nvml-old",
                                       [WTL_SIM_GPU_LIBRARY_ANCIENT] = "nvml-ancient",
                                       [WTL_SIM_GPU_LIBRARY_MISMATCH] = "nvml"};
    if (!gpus->folder || gpus->library == WTL_SIM_GPU_LIBRARY_NONE)
        return;
    add_text(tree, WTL_ENTRY_LINK, text_of("%s/%s.so", gpus->folder, nvml[gpus->library]),
             "lib/libnvidia-ml.so.1");
    add_text(tree, WTL_ENTRY_LINK, text_of("%s/cuda.so", gpus->folder), "lib/libcuda.so.1");
    add_text(tree, WTL_ENTRY_LINK, text_of("%s/cupti.so", gpus->folder), "lib/libcupti.so.12");
}

static void build(struct wtl_tree *tree, const struct wtl_node_config *node)
{
    unsigned views = tree->config.views;
    if (views & WTL_VIEW_POWERCAP)
        add_powercap(tree, node);
    for (int cpu = 0; views & WTL_VIEW_MSR && cpu < tree->config.cpus; cpu++)
        add_live(tree, WTL_CONTENT_MSR, -1, cpu, "dev/cpu/%d/msr", cpu);
    if (views & WTL_VIEW_HWMON)
        add_hwmon(tree, node);
    if (views & WTL_VIEW_CRAY)
        add_cray(tree);
    if (views & WTL_VIEW_CPUFREQ)
        add_cpufreq(tree, node);
    if (views & WTL_VIEW_TOPOLOGY)
        add_topology(tree);
    if (views & WTL_VIEW_COUNTERS && node->track)
        add_counters(tree);
    if (tree->config.stat)
        add_cpu_time(tree);
    if (tree->config.gpus)
        add_gpus(tree, node);
    if (views & WTL_VIEW_CPUINFO && tree->config.model)
        add_text(tree, WTL_ENTRY_FILE, wtl_tree_cpuinfo(tree, node), "proc/cpuinfo");
}

int wtl_tree_create(const struct wtl_tree_config *config,
                    const struct wtl_node_config *node,
                    struct wtl_tree **ret_tree,
                    struct wattle_error *err)
{
    if (config->cpus < 1 || config->cpus > 4096 || config->sockets < 1 ||
        config->sockets > config->cpus)
        return wtl_fail(err, -EINVAL,
                        "a node has 1 to 4096 CPUs and at most as many sockets as CPUs");
    if (config->views & WTL_VIEW_CPUFREQ && config->cpus != node->knobs.cpus)
        return wtl_fail(err, -EINVAL, "%d CPUs have knobs, not %d", node->knobs.cpus, config->cpus);
    struct wtl_tree *tree = calloc(1, sizeof *tree);
    if (!tree)
        return wtl_fail(err, -ENOMEM, "out of memory");
    tree->config = *config;
    tree->rc = append(tree, 0, "", 0);
    build(tree, node);
    if (tree->rc < 0) {
        int rc = tree->rc;
        wtl_tree_destroy(tree);
        return wtl_fail(err, rc, "out of memory");
    }
    *ret_tree = tree;
    return 0;
}

void wtl_tree_destroy(struct wtl_tree *tree)
{
    if (!tree)
        return;
    for (int i = 0; i < tree->count; i++) {
        free((char *)tree->entries[i].name);
        free((char *)tree->entries[i].text);
    }
    free(tree->entries);
    free(tree);
}

const struct wtl_tree_config *wtl_tree_config(const struct wtl_tree *tree)
{
    return &tree->config;
}

const struct wtl_entry *wtl_tree_entry(const struct wtl_tree *tree, int entry)
{
    return &tree->entries[entry];
}

int wtl_tree_count(const struct wtl_tree *tree)
{
    return tree->count;
}

/* Walk from `folder` along `path`. */
static int walk(const struct wtl_tree *tree, int folder, const char *path, bool follow, int links)
{
    while (folder >= 0) {
        path += strspn(path, "/");
        size_t n = strcspn(path, "/");
        if (n == 0)
            return folder;
        if (tree->entries[folder].kind != WTL_ENTRY_FOLDER)
            return -ENOTDIR;
        int entry = n == 2 && path[0] == '.' && path[1] == '.' ? tree->entries[folder].parent
                                                               : child_of(tree, folder, path, n);
        bool last = path[n + strspn(path + n, "/")] == '\0';
        if (entry >= 0 && tree->entries[entry].kind == WTL_ENTRY_LINK && (follow || !last))
            entry =
                links > 0 ? walk(tree, folder, tree->entries[entry].text, true, links - 1) : -ELOOP;
        folder = entry;
        path += n;
    }
    return folder;
}

int wtl_tree_find(const struct wtl_tree *tree, const char *path, bool follow)
{
    return walk(tree, 0, path, follow, 8);
}
