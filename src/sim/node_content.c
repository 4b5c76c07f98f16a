/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contents of the tree's files at an instant. Powercap and the energy registers are two
 * representations of the same raw counter (node_registers.c has the registers).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/node_tree.h"
#include "sim/tree_parts.h"

#define CRAY_SCAN_NS UINT64_C(100000000) /* pm_counters are updated at 10 Hz */

/* A number and a line end; returns the length. printf would dominate the cost of a simulated
 * read. */
static ssize_t write_number(uint64_t value, char buf[WTL_TREE_TEXT])
{
    char digits[20];
    ssize_t n = 0, length = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (n > 0)
        buf[length++] = digits[--n];
    buf[length++] = '\n';
    return length;
}

static uint64_t round_up(double value)
{
    return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* Joules from the start to the update, of the whole node ("energy"), its packages or its memory. */
static double cray_energy(struct wtl_node *node, const char *which, uint64_t scan_ns)
{
    uint64_t start = wtl_node_config(node)->start_ns;
    bool cpu = which[0] == 'c', memory = which[0] == 'm';
    int whole = wtl_node_find(node, WATTLE_DOMAIN_NODE, 0);
    if (!cpu && !memory && whole >= 0)
        return wtl_node_energy_j(node, (size_t)whole, start, scan_ns);
    double sum = 0;
    for (size_t i = 0; i < wtl_node_count(node); i++) {
        enum wattle_domain domain = wtl_node_domain(node, i)->domain;
        if ((domain == WATTLE_DOMAIN_PACKAGE && !memory) || (domain == WATTLE_DOMAIN_DRAM && !cpu))
            sum += wtl_node_energy_j(node, i, start, scan_ns);
    }
    return sum;
}

static ssize_t write_cray(struct wtl_node *node,
                          const char *which,
                          uint64_t time_ns,
                          char buf[WTL_TREE_TEXT])
{
    uint64_t start = wtl_node_config(node)->start_ns;
    uint64_t scan = time_ns > start ? (time_ns - start) / CRAY_SCAN_NS : 0;
    uint64_t at = start + scan * CRAY_SCAN_NS;
    unsigned long long us = at / 1000;
    if (strcmp(which, "freshness") == 0)
        return write_number(scan, buf);
    double now = cray_energy(node, which, at);
    if (strstr(which, "energy"))
        return snprintf(buf, WTL_TREE_TEXT, "%llu J %llu us\n", (unsigned long long)now, us);
    double before = scan > 0 ? cray_energy(node, which, at - CRAY_SCAN_NS) : 0;
    double watts = (now - before) / ((double)CRAY_SCAN_NS * 1e-9);
    return snprintf(buf, WTL_TREE_TEXT, "%llu W %llu us\n", (unsigned long long)round_up(watts),
                    us);
}

static ssize_t write_counter(struct wtl_node *node,
                             const struct wtl_entry *entry,
                             uint64_t time_ns,
                             char buf[WTL_TREE_TEXT])
{
    uint64_t units;
    size_t i = (size_t)entry->domain;
    int rc = entry->content == WTL_CONTENT_ENERGY_UJ ? wtl_node_raw(node, i, time_ns, &units)
                                                     : wtl_node_units(node, i, time_ns, &units);
    if (rc < 0)
        return rc;
    if (entry->content == WTL_CONTENT_POWER_UW)
        return write_number(round_up(wtl_node_power_w(node, i, time_ns) * 1e6), buf);
    return write_number(wtl_units_to_uj(units, wtl_node_domain(node, i)->unit_exp), buf);
}

/* What the track has counted in a column until now; 0 if it has no such column. */
static unsigned long long counted(struct wtl_node *node, const char *column, uint64_t time_ns)
{
    const struct wtl_node_config *config = wtl_node_config(node);
    int i = wtl_sim_track_column(config->track, column);
    return i < 0
               ? 0
               : wtl_sim_track_count(config->track, (size_t)i, (int64_t)(time_ns - config->t0_ns));
}

/* As the kernel's dev_seq_printf_stats() and diskstats_show(); one interface and one disk do everything. */
static ssize_t write_network(struct wtl_node *node, uint64_t time_ns, char buf[WTL_TREE_TEXT])
{
    return snprintf(
        buf, WTL_TREE_TEXT,
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs "
        "drop fifo colls carrier compressed\n"
        "    lo:       0       0    0    0    0     0          0         0        0       0    0   "
        " "
        "0    0     0       0          0\n"
        "  eth0: %7llu %7llu    0    0    0     0          0         0 %8llu %7llu    0    0    0  "
        "   "
        "0       0          0\n",
        counted(node, "netRECVbyte", time_ns), counted(node, "netRECVpkt", time_ns),
        counted(node, "netSENTbyte", time_ns), counted(node, "netSENTpkt", time_ns));
}

static ssize_t write_disks(struct wtl_node *node, uint64_t time_ns, char buf[WTL_TREE_TEXT])
{
    const unsigned sector = 512, request = 65536;
    unsigned long long read = counted(node, "READ_IO", time_ns);
    unsigned long long written = counted(node, "WRITE_IO", time_ns);
    return snprintf(buf, WTL_TREE_TEXT,
                    "   8       0 sda %llu 0 %llu 0 %llu 0 %llu 0 0 0 0 0 0 0 0 0 0\n",
                    read / request, read / sector, written / request, written / sector);
}

ssize_t wtl_tree_text(const struct wtl_tree *tree,
                      struct wtl_node *node,
                      int entry,
                      uint64_t time_ns,
                      char buf[WTL_TREE_TEXT],
                      const char **ret_text)
{
    const struct wtl_entry *e = &tree->entries[entry];
    ssize_t n;
    switch (e->content) {
    case WTL_CONTENT_TEXT:
        *ret_text = e->text;
        return (ssize_t)strlen(e->text);
    case WTL_CONTENT_ENERGY_UJ:
    case WTL_CONTENT_TOTAL_UJ:
    case WTL_CONTENT_POWER_UW:
        n = write_counter(node, e, time_ns, buf);
        break;
    case WTL_CONTENT_CRAY:
        n = write_cray(node, e->text, time_ns, buf);
        break;
    case WTL_CONTENT_KNOB:
        n = wtl_sim_knobs_show(wtl_node_knobs(node), e->knob, e->cpu, buf, WTL_TREE_TEXT);
        break;
    case WTL_CONTENT_NETWORK:
        n = write_network(node, time_ns, buf);
        break;
    case WTL_CONTENT_DISKS:
        n = write_disks(node, time_ns, buf);
        break;
    case WTL_CONTENT_STAT: /* live_node.c */
    case WTL_CONTENT_CPUACCT:
        n = 0;
        break;
    case WTL_CONTENT_GPU:
        n = wtl_sim_gpu_show(&tree->config.gpus->list[e->cpu], node, e->gpu_field, time_ns, buf,
                             WTL_TREE_TEXT);
        break;
    default: /* registers are not text */
        return -EIO;
    }
    if (n >= 0)
        *ret_text = buf;
    return n;
}

bool wtl_tree_writable(const struct wtl_entry *entry)
{
    return entry->content == WTL_CONTENT_MSR ||
           (entry->content == WTL_CONTENT_KNOB && entry->knob != WTL_SIM_KNOB_CUR);
}

int wtl_tree_write(const struct wtl_tree *tree,
                   struct wtl_node *node,
                   int entry,
                   uint64_t time_ns,
                   const char *text,
                   size_t n)
{
    const struct wtl_entry *e = &tree->entries[entry];
    int rc = wtl_tree_open(tree, node, entry, time_ns);
    if (rc < 0)
        return rc == -ENOENT ? -ENODEV : rc;
    if (e->content != WTL_CONTENT_KNOB)
        return e->content == WTL_CONTENT_MSR ? -EIO : -EACCES;
    return wtl_node_write_knob(node, time_ns, e->knob, e->cpu, text, n);
}

int wtl_tree_open(const struct wtl_tree *tree,
                  const struct wtl_node *node,
                  int entry,
                  uint64_t time_ns)
{
    const struct wtl_entry *e = &tree->entries[entry];
    if (e->domain >= 0)
        return wtl_node_open(node, (size_t)e->domain, time_ns);
    if (e->content != WTL_CONTENT_MSR)
        return 0;
    /* The register file serves all domains: forbidden or gone only if all of them are. */
    int rc = 0;
    for (size_t i = 0; i < wtl_node_count(node); i++) {
        rc = wtl_node_open(node, i, time_ns);
        if (rc == 0)
            return 0;
    }
    return rc;
}

char *wtl_tree_cpuinfo(const struct wtl_tree *tree, const struct wtl_node_config *node)
{
    static const char flags[] =
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr "
        "sse sse2 ht syscall nx pdpe1gb rdtscp lm constant_tsc rep_good nopl nonstop_tsc cpuid "
        "aperfmperf pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c "
        "rdrand lahf_lm abm avx2 bmi1 bmi2";
    const struct wtl_cpu_model *model = tree->config.model;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    int per_socket = tree->config.cpus / tree->config.sockets;
    for (int cpu = 0; cpu < tree->config.cpus; cpu++) {
        (void)fprintf(out,
                      "processor\t: %d\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n"
                      "model name\t: %s\nstepping\t: %u\nmicrocode\t: 0x1\ncpu MHz\t\t: %.3f\n"
                      "cache size\t: 16384 KB\nphysical id\t: %d\nsiblings\t: %d\ncore id\t\t: %d\n"
                      "cpu cores\t: %d\napicid\t\t: %d\ninitial apicid\t: %d\nfpu\t\t: yes\n"
                      "fpu_exception\t: yes\ncpuid level\t: 22\nwp\t\t: yes\nflags\t\t: %s\n"
                      "bogomips\t: %.2f\nclflush size\t: 64\ncache_alignment\t: 64\n"
                      "address sizes\t: 46 bits physical, 48 bits virtual\n\n",
                      cpu, model->vendor, model->family, model->model, model->text, model->stepping,
                      node->f * 1000, wtl_tree_socket(tree, cpu), per_socket, cpu % per_socket,
                      per_socket, cpu, cpu, flags, node->f * 2000);
    }
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
