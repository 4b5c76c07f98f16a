/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models of GPUs and how their power is shown. Periods, windows and the filter are those found by Yang, Adamek and Armour,
 * "Part-time Power Measurements: nvidia-smi's Lack of Attention" (2023, arXiv 2312.02741), with the drivers of that time;
 * the step of the counter of energy, power, clocks and temperature are examples.
 */
#include <string.h>

#include "sim/gpu/gpu.h"

#define MS UINT64_C(1000000)
#define GB (UINT64_C(1) << 30)

static const struct wtl_sim_gpu_model models[] = {
    {.name = "h100",
     .text = "NVIDIA H100 80GB HBM3",
     .power = "70+500*gpu",
     .limit_w = 700,
     .memory = 80 * GB,
     .sm_mhz = 1980,
     .memory_mhz = 2619,
     .gauge = {.period_ns = 100 * MS, .window_ns = 1000 * MS, .quantum_w = 0.001},
     .instant = {.period_ns = 100 * MS, .window_ns = 25 * MS, .quantum_w = 0.001},
     .energy = true},
    {.name = "a100",
     .text = "NVIDIA A100-SXM4-40GB",
     .power = "55+300*gpu",
     .limit_w = 400,
     .memory = 40 * GB,
     .sm_mhz = 1410,
     .memory_mhz = 1215,
     .gauge = {.period_ns = 100 * MS, .window_ns = 25 * MS, .quantum_w = 0.001},
     .instant = {.period_ns = 100 * MS, .window_ns = 25 * MS, .quantum_w = 0.001},
     .energy = true},
    {.name = "v100",
     .text = "Tesla V100-SXM2-16GB",
     .power = "40+230*gpu",
     .limit_w = 300,
     .memory = 16 * GB,
     .sm_mhz = 1530,
     .memory_mhz = 877,
     .gauge = {.period_ns = 20 * MS, .window_ns = 10 * MS, .quantum_w = 0.001},
     .energy = true},
    {.name = "gh200",
     .text = "NVIDIA GH200 480GB",
     .power = "90+520*gpu",
     .limit_w = 900,
     .memory = 96 * GB,
     .sm_mhz = 1980,
     .memory_mhz = 2619,
     .gauge = {.period_ns = 100 * MS, .window_ns = 1000 * MS, .quantum_w = 0.001},
     .instant = {.period_ns = 100 * MS, .window_ns = 20 * MS, .quantum_w = 0.001},
     .energy = true,
     .module = true},
    {.name = "p100",
     .text = "Tesla P100-PCIE-16GB",
     .power = "28+170*gpu",
     .limit_w = 250,
     .memory = 16 * GB,
     .sm_mhz = 1328,
     .memory_mhz = 715,
     .gauge = {.period_ns = 20 * MS, .window_ns = 10 * MS, .quantum_w = 0.001}},
    {.name = "k40",
     .text = "Tesla K40m",
     .power = "20+170*gpu",
     .limit_w = 235,
     .memory = 12 * GB,
     .sm_mhz = 745,
     .memory_mhz = 3004,
     .gauge = {.period_ns = 15 * MS, .tau_s = 0.8, .quantum_w = 0.001}},
};

const struct wtl_sim_gpu_model *wtl_sim_gpu_model_row(unsigned i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

const struct wtl_sim_gpu_model *wtl_sim_gpu_model_find(const char *name)
{
    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    }
    return NULL;
}
