/* SPDX-License-Identifier: BSD-3-Clause */
/* What a GPU of the node shows at an instant: see gpu.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "sim/gpu/gpu.h"

/* NVML's clocksEventReasons: idle, and the software's power cap. */
enum { REASON_IDLE = 1, REASON_POWER_CAP = 4 };
enum { UTILIZATION_NS = 166666667, IDLE_C = 32 };

static const char *const names[WTL_SIM_GPU_FIELDS] = {
    [WTL_SIM_GPU_ENERGY] = "energy_mj",        [WTL_SIM_GPU_POWER] = "power_mw",
    [WTL_SIM_GPU_AVERAGE] = "average_mw",      [WTL_SIM_GPU_INSTANT] = "instant_mw",
    [WTL_SIM_GPU_MODULE] = "module_mw",        [WTL_SIM_GPU_LIMIT] = "limit_mw",
    [WTL_SIM_GPU_UTILIZATION] = "utilization", [WTL_SIM_GPU_MEMORY] = "memory",
    [WTL_SIM_GPU_CLOCKS] = "clocks_mhz",       [WTL_SIM_GPU_TEMPERATURE] = "temperature_c",
    [WTL_SIM_GPU_REASONS] = "reasons",         [WTL_SIM_GPU_MIG] = "mig",
    [WTL_SIM_GPU_PROCESSES] = "processes",
};

const char *wtl_sim_gpu_field_name(enum wtl_sim_gpu_field field)
{
    return names[field];
}

bool wtl_sim_gpu_has(const struct wtl_sim_gpu *gpu, enum wtl_sim_gpu_field field)
{
    return !(gpu->missing & 1u << field);
}

void wtl_sim_gpu_uuid(const struct wtl_sim_gpu *gpu, char uuid[48])
{
    uint64_t a = wtl_random_bits(0x57a771e, 2 * (uint64_t)gpu->index);
    uint64_t b = wtl_random_bits(0x57a771e, 2 * (uint64_t)gpu->index + 1);
    (void)snprintf(uuid, 48, "GPU-%08x-%04x-%04x-%04x-%04x%08x", (unsigned)(a >> 32),
                   (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48),
                   (unsigned)(b >> 32 & 0xffff), (unsigned)(b & 0xffffffff));
}

void wtl_sim_gpu_pci(const struct wtl_sim_gpu *gpu, char pci[16])
{
    (void)snprintf(pci, 16, "0000:%02x:00.0", (unsigned)(0x17 + 0x10 * gpu->index) & 0xff);
}

struct source {
    struct wtl_node *node;
    size_t domain;
};

static double energy_of(void *context, uint64_t time_ns)
{
    const struct source *source = context;
    return wtl_node_energy_j(source->node, source->domain, wtl_node_config(source->node)->start_ns,
                             time_ns);
}

static double gauge_mw(const struct wtl_gpu_gauge *gauge,
                       struct wtl_node *node,
                       size_t domain,
                       uint64_t time_ns)
{
    uint64_t start = wtl_node_config(node)->start_ns;
    struct source source = {node, domain};
    struct wtl_gpu_truth truth = {energy_of, &source, start, wtl_node_power_w(node, domain, start)};
    return wtl_gpu_gauge_w(gauge, &truth, time_ns) * 1e3;
}

/* Share of the time with a kernel, over the last UTILIZATION_NS. */
static double utilization_of(const struct wtl_node *node, int gpu, uint64_t time_ns)
{
    const struct wtl_influences *all = wtl_node_influences(node);
    uint64_t from = time_ns > UTILIZATION_NS ? time_ns - UTILIZATION_NS : 0, end = time_ns;
    double busy = 0;
    for (size_t i = all->count; i-- > 0 && end > from;) {
        uint64_t begin = all->list[i].time_ns > from ? all->list[i].time_ns : from;
        if (begin >= end)
            continue;
        busy += all->list[i].gpu[gpu] > 0 ? (double)(end - begin) : 0;
        end = begin;
    }
    return busy / UTILIZATION_NS;
}

static ssize_t show_energy(const struct wtl_sim_gpu *gpu,
                           struct wtl_node *node,
                           size_t domain,
                           uint64_t units,
                           char *buf,
                           size_t size)
{
    double joules = ldexp((double)units, -(int)wtl_node_domain(node, domain)->unit_exp);
    uint64_t mj = (uint64_t)(joules * 1e3);
    unsigned long long shown = mj / gpu->energy_quantum_mj * gpu->energy_quantum_mj;
    return snprintf(buf, size, "%llu\n", shown);
}

static double module_mw(const struct wtl_sim_gpu *gpu,
                        struct wtl_node *node,
                        size_t domain,
                        uint64_t time_ns)
{
    int package = wtl_node_find(node, WATTLE_DOMAIN_PACKAGE, gpu->index);
    double sum = gauge_mw(&gpu->average, node, domain, time_ns);
    return package < 0 ? sum : sum + gauge_mw(&gpu->average, node, (size_t)package, time_ns);
}

/* MIG is on from the start, or from the fault on. */
static int instances_of(const struct wtl_sim_gpu *gpu,
                        const struct wtl_node *node,
                        uint64_t time_ns)
{
    const struct wtl_node_config *config = wtl_node_config(node);
    bool given = false, active = false;
    for (size_t i = 0; i < config->fault_count; i++) {
        const struct wtl_fault *fault = &config->faults[i];
        if (fault->kind != WTL_FAULT_MIG || !wtl_fault_hits(fault, WATTLE_DOMAIN_GPU, gpu->index))
            continue;
        given = true;
        active |= time_ns >= config->t0_ns && wtl_fault_active(fault, time_ns - config->t0_ns);
    }
    int switched = gpu->mig > 0 ? gpu->mig : 2;
    return !given ? gpu->mig : active ? switched : 0;
}

/* Fields that follow from the power at this instant and its model. */
static ssize_t show_state(const struct wtl_sim_gpu *gpu,
                          struct wtl_node *node,
                          enum wtl_sim_gpu_field field,
                          uint64_t time_ns,
                          char *buf,
                          size_t size)
{
    const struct wtl_sim_gpu_model *model = gpu->model;
    int domain = wtl_node_find(node, WATTLE_DOMAIN_GPU, gpu->index);
    double watts = domain < 0 ? 0 : wtl_node_power_w(node, (size_t)domain, time_ns);
    double busy = utilization_of(node, gpu->index, time_ns);
    bool capped = watts >= gpu->limit_w;
    uint64_t used = (uint64_t)(0.02 * (double)model->memory + 0.5 * busy * (double)model->memory);
    switch (field) {
    case WTL_SIM_GPU_LIMIT:
        return snprintf(buf, size, "%.0f\n", gpu->limit_w * 1e3);
    case WTL_SIM_GPU_UTILIZATION:
        return snprintf(buf, size, "%.0f\n", busy * 100);
    case WTL_SIM_GPU_MEMORY:
        return snprintf(buf, size, "%llu %llu\n", (unsigned long long)model->memory,
                        (unsigned long long)used);
    case WTL_SIM_GPU_CLOCKS:
        return snprintf(buf, size, "%u %u\n", busy > 0 ? model->sm_mhz : model->sm_mhz / 4,
                        model->memory_mhz);
    case WTL_SIM_GPU_TEMPERATURE:
        return snprintf(buf, size, "%.0f\n", IDLE_C + 50 * fmin(watts / gpu->limit_w, 1.2));
    case WTL_SIM_GPU_REASONS:
        return snprintf(buf, size, "%d\n",
                        (busy > 0 ? 0 : REASON_IDLE) | (capped ? REASON_POWER_CAP : 0));
    case WTL_SIM_GPU_PROCESSES:
        return 0; /* known to a live node only */
    case WTL_SIM_GPU_MIG:
        return snprintf(buf, size, "%d\n", instances_of(gpu, node, time_ns));
    default:
        return -ENOENT;
    }
}

ssize_t wtl_sim_gpu_show(const struct wtl_sim_gpu *gpu,
                         struct wtl_node *node,
                         enum wtl_sim_gpu_field field,
                         uint64_t time_ns,
                         char *buf,
                         size_t size)
{
    int at = wtl_node_find(node, WATTLE_DOMAIN_GPU, gpu->index);
    uint64_t units;
    int rc = at < 0 ? -ENODEV : wtl_node_units(node, (size_t)at, time_ns, &units); /* its faults */
    if (rc < 0)
        return rc;
    size_t domain = (size_t)at;
    switch (field) {
    case WTL_SIM_GPU_ENERGY:
        return show_energy(gpu, node, domain, units, buf, size);
    case WTL_SIM_GPU_POWER:
        return snprintf(buf, size, "%.0f\n", gauge_mw(&gpu->gauge, node, domain, time_ns));
    case WTL_SIM_GPU_AVERAGE:
        return snprintf(buf, size, "%.0f\n", gauge_mw(&gpu->average, node, domain, time_ns));
    case WTL_SIM_GPU_INSTANT:
        return snprintf(buf, size, "%.0f\n", gauge_mw(&gpu->instant, node, domain, time_ns));
    case WTL_SIM_GPU_MODULE:
        return snprintf(buf, size, "%.0f\n", module_mw(gpu, node, domain, time_ns));
    default:
        return show_state(gpu, node, field, time_ns, buf, size);
    }
}
