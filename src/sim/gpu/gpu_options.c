/* SPDX-License-Identifier: BSD-3-Clause */
/* "--gpu KEY=VALUE,..." as GPUs of the node: see gpu.h. A comma inside parentheses belongs to an expression. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/random.h"
#include "sim/gpu/gpu.h"

/* ---- models ---- */

/*
 * Models of GPUs and how their power is shown. Periods, windows and the filter are those found by Yang, Adamek and Armour,
 * "Part-time Power Measurements: nvidia-smi's Lack of Attention" (2023, arXiv 2312.02741), with the drivers of that time;
 * the step of the counter of energy, power, clocks and temperature are examples.
 */

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

/* NULL after the last. */
static const struct wtl_sim_gpu_model *sim_gpu_model_row(unsigned i)
{
    return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

static const struct wtl_sim_gpu_model *sim_gpu_model_find(const char *name)
{
    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    }
    return NULL;
}

/* ---- options ---- */

static int scan_number(const char *value, double low, double high, double *ret)
{
    double number;
    if (wtl_parse_double(value, &number) < 0 || !(number >= low && number <= high))
        return -EINVAL;
    *ret = number;
    return 0;
}

static int scan_whole(const char *value, uint64_t most, int *ret)
{
    uint64_t number;
    if (wtl_parse_u64(value, &number) < 0 || number > most)
        return -EINVAL;
    *ret = (int)number;
    return 0;
}

static int scan_missing(const char *value, unsigned *missing)
{
    for (int i = 0; i < WTL_SIM_GPU_FIELDS; i++) {
        const char *name = wtl_sim_gpu_field_name((enum wtl_sim_gpu_field)i);
        size_t n = strcspn(name, "_");
        if (strlen(value) == n && memcmp(name, value, n) == 0) {
            *missing |= 1u << i;
            return 0;
        }
    }
    return -EINVAL;
}

static const char *const library_names[] = {"now", "old", "ancient", "mismatch", "none"};

const char *wtl_sim_gpu_library_name(enum wtl_sim_gpu_library library)
{
    return library_names[library];
}

static int scan_library(const char *value, enum wtl_sim_gpu_library *ret)
{
    for (size_t i = 0; i < sizeof library_names / sizeof *library_names; i++) {
        if (strcmp(value, library_names[i]) == 0) {
            *ret = (enum wtl_sim_gpu_library)i;
            return 0;
        }
    }
    return -EINVAL;
}

/* Settings of the gauge: -ENOENT if the key is none of them. */
static int set_gauge(struct wtl_gpu_gauge *gauge, const char *key, const char *value)
{
    const struct {
        const char *key;
        uint64_t *ns;
        double *number;
        double low, high;
    } rows[] = {
        {"period", &gauge->period_ns, NULL, 0, 0},     {"phase", &gauge->phase_ns, NULL, 0, 0},
        {"window", &gauge->window_ns, NULL, 0, 0},     {"delay", &gauge->delay_ns, NULL, 0, 0},
        {"quantum", NULL, &gauge->quantum_w, 0, 1e3},  {"gain", NULL, &gauge->gain, -0.9, 10},
        {"offset", NULL, &gauge->offset_w, -1e3, 1e3}, {"noise", NULL, &gauge->noise_w, 0, 1e3},
    };
    uint64_t ns;
    bool tau = strcmp(key, "tau") == 0, jitter = strcmp(key, "jitter") == 0;
    if (tau || jitter) {
        if (wtl_parse_duration(value, &ns) < 0)
            return -EINVAL;
        *(tau ? &gauge->tau_s : &gauge->jitter_ns) = (double)ns * (tau ? 1e-9 : 1);
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(key, rows[i].key) != 0)
            continue;
        if (rows[i].number)
            return scan_number(value, rows[i].low, rows[i].high, rows[i].number);
        int rc = wtl_parse_duration(value, rows[i].ns);
        return rc == 0 && rows[i].ns == &gauge->period_ns && gauge->period_ns < 1000 ? -EINVAL : rc;
    }
    return -ENOENT;
}

static void use_model(struct wtl_sim_gpu *gpu, const struct wtl_sim_gpu_model *model)
{
    gpu->model = model;
    gpu->gauge = model->gauge;
    gpu->instant = model->instant;
    gpu->average = (struct wtl_gpu_gauge){
        .period_ns = 100000000, .window_ns = 1000000000, .quantum_w = model->gauge.quantum_w};
    gpu->limit_w = model->limit_w;
    gpu->energy_quantum_mj = 1;
    gpu->missing =
        (model->energy ? 0 : 1u << WTL_SIM_GPU_ENERGY) |
        (model->module ? 0 : 1u << WTL_SIM_GPU_MODULE) |
        (model->instant.period_ns ? 0 : 1u << WTL_SIM_GPU_INSTANT | 1u << WTL_SIM_GPU_AVERAGE);
}

/* What is given is given of the gauge, and of the instant value too: it is the same sensor. */
static int set_key(struct wtl_sim_gpus *gpus,
                   struct wtl_sim_gpu *gpu,
                   int *count,
                   const char *key,
                   const char *value)
{
    double number = 0;
    if (strcmp(key, "count") == 0)
        return scan_whole(value, WTL_SIM_GPUS, count);
    if (strcmp(key, "mig") == 0)
        return scan_whole(value, 7, &gpu->mig);
    if (strcmp(key, "numa") == 0)
        return scan_whole(value, 1023, &gpu->numa);
    if (strcmp(key, "no") == 0)
        return scan_missing(value, &gpu->missing);
    if (strcmp(key, "limit") == 0)
        return scan_number(value, 1, 1e5, &gpu->limit_w);
    if (strcmp(key, "library") == 0)
        return scan_library(value, &gpus->library);
    if (strcmp(key, "energy-quantum") == 0) {
        int rc = scan_number(value, 0.001, 1e6, &number);
        gpu->energy_quantum_mj = (uint64_t)(number * 1000 + 0.5);
        return rc;
    }
    struct wtl_gpu_gauge unused = {0};
    int rc = set_gauge(&gpu->gauge, key, value);
    if (rc == 0 && strcmp(key, "window") != 0 && strcmp(key, "tau") != 0)
        rc = set_gauge(gpu->instant.period_ns ? &gpu->instant : &unused, key, value);
    return rc;
}

/* The next KEY=VALUE; the value ends at a comma outside parentheses. */
static int next_word(const char **at,
                     char key[24],
                     char value[256],
                     const char **ret_value,
                     size_t *ret_n)
{
    size_t n = strcspn(*at, "=,"), length = 0;
    int depth = 0;
    if (n == 0 || n >= 24 || (*at)[n] != '=')
        return -EINVAL;
    memcpy(key, *at, n);
    key[n] = '\0';
    *ret_value = *at + n + 1;
    for (const char *p = *ret_value; *p && (*p != ',' || depth > 0); p++, length++)
        depth += (*p == '(') - (*p == ')');
    if (length == 0 || length >= 256)
        return -EINVAL;
    memcpy(value, *ret_value, length);
    value[length] = '\0';
    *ret_n = length;
    *at = *ret_value + length;
    *at += **at == ',';
    return 0;
}

static int find_model(const char *text, struct wtl_sim_gpu *gpu, struct wattle_error *err)
{
    char key[24], value[256];
    const char *at = text, *where;
    size_t n;
    use_model(gpu, sim_gpu_model_row(0));
    while (*at) {
        if (next_word(&at, key, value, &where, &n) < 0)
            return wtl_fail(err, -EINVAL,
                            "--gpu %s: write KEY=VALUE,..., such as model=h100,power=60+300*gpu",
                            text);
        const struct wtl_sim_gpu_model *model = sim_gpu_model_find(value);
        if (strcmp(key, "model") != 0)
            continue;
        if (!model)
            return wtl_fail(err, -EINVAL,
                            "--gpu model=%s: models are h100, a100, v100, gh200, p100, k40", value);
        use_model(gpu, model);
    }
    return 0;
}

int wtl_sim_gpu_parse(struct wtl_sim_gpus *gpus,
                      const char *text,
                      const char **ret_power,
                      size_t *ret_length,
                      struct wattle_error *err)
{
    struct wtl_sim_gpu gpu = {.numa = -1};
    char key[24], value[256];
    int count = 1, rc = find_model(text, &gpu, err);
    if (rc < 0)
        return rc;
    *ret_power = gpu.model->power;
    *ret_length = strlen(gpu.model->power);
    for (const char *at = text, *where = ""; *at;) {
        size_t n = 0;
        if (next_word(&at, key, value, &where, &n) < 0) /* find_model() would have seen it */
            break;
        if (strcmp(key, "power") == 0) {
            *ret_power = where;
            *ret_length = n;
        } else if (strcmp(key, "model") != 0) {
            rc = set_key(gpus, &gpu, &count, key, value);
        }
        if (rc == -ENOENT)
            return wtl_fail(
                err, -EINVAL,
                "--gpu %s=%s: unknown; keys are model, power, count, period, window, phase, "
                "delay, jitter, tau, quantum, gain, offset, noise, energy-quantum, limit, "
                "mig, numa, no, library",
                key, value);
        if (rc < 0)
            return wtl_fail(err, rc, "--gpu %s=%s: not a value of %s; see wattle-sim(1)", key,
                            value, key);
    }
    if (count < 1 || gpus->count + (size_t)count > WTL_SIM_GPUS)
        return wtl_fail(err, -EINVAL, "--gpu %s: a node has 1 to %d GPUs", text, WTL_SIM_GPUS);
    for (; count > 0; count--) {
        gpu.index = (int)gpus->count;
        gpu.gauge.seed = gpu.instant.seed = gpu.average.seed = (uint64_t)gpu.index + 1;
        gpus->list[gpus->count++] = gpu;
    }
    return 0;
}

struct wtl_node_domain wtl_sim_gpu_domain(const struct wtl_sim_gpu *gpu,
                                          const struct wtl_expression *power,
                                          uint64_t seed)
{
    enum { MICROJOULE_EXP = 20, RANGE_BITS = 48, TICK_NS = 20000000 };
    struct wtl_node_domain domain =
        wtl_node_domain_init(WATTLE_DOMAIN_GPU, gpu->index, power, seed);
    domain.unit_exp = MICROJOULE_EXP;
    domain.range_bits = RANGE_BITS;
    domain.tick_ns = TICK_NS;
    domain.phase_ns = wtl_random_bits(seed, (uint64_t)gpu->index) % TICK_NS;
    domain.raw0 <<= MICROJOULE_EXP - 14; /* as many joules as before */
    return domain;
}
