/* SPDX-License-Identifier: BSD-3-Clause */
/* Ready-made worlds: random letters, and programs as those of clusters, for a node with sixteen cores. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "sim/phases/phase_world.h"

enum {
    CPU_CYCLES,
    CACHE_REFERENCES,
    CACHE_MISSES,
    BRANCH_INSTRUCTIONS,
    SENT_BYTES,
    RECEIVED_BYTES,
    WRITTEN,
    INSTRUCTIONS,
    STALLED,
    BUS_CYCLES,
    BRANCH_MISSES,
    SENT_PACKETS,
    RECEIVED_PACKETS,
    READ,
    PAPER_COLUMNS
};

static const char *const names[WTL_SIM_COUNTERS] = {
    "CPU_CYCLES",
    "CACHE_REFERENCES",
    "CACHE_MISSES",
    "BRANCH_INSTRUCTIONS",
    "netSENTbyte",
    "netRECVbyte",
    "WRITE_IO",
    "INSTRUCTIONS",
    "STALLED_CYCLES_FRONTEND",
    "BUS_CYCLES",
    "BRANCH_MISSES",
    "netSENTpkt",
    "netRECVpkt",
    "READ_IO",
    "COUNTER_14",
    "COUNTER_15",
};

/* Rate at which a counter costs its watts on the reference; also its level in a random world. */
static const double scale[WTL_SIM_COUNTERS] = {4e10, 2e9,   4e8, 4e9, 1e9, 1e9, 2e8, 4e10,
                                               1e10, 1.6e9, 1e8, 1e6, 1e6, 4e8, 1e9, 1e9};
static const double reference_w[WTL_SIM_COUNTERS] = {60, 25, 50, 0, 8, 8, 6, 35,
                                                     0,  0,  0,  0, 0, 4, 0, 0};

/* Behaviour by the figures one knows: of the node's 40e9 cycles per second, and per instruction. */
static const struct behaviour {
    const char *name;
    double busy, ipc, references, miss, branches, mistaken, stalled;
    double sent, received, packet; /* bytes per second, bytes */
    double written, read;
    double memory, network; /* shares of the time */
} behaviours[] = {
    {"idle", 0.01, 0.6, 0.02, 0.10, 0.18, 0.03, 0.3, 2e3, 2e3, 200, 1e4, 0, 0, 0},
    {"init", 0.50, 1.2, 0.03, 0.30, 0.16, 0.02, 0.3, 1e5, 1e6, 900, 1e5, 2.5e8, 0.3, 0},
    {"sweep", 0.95, 1.3, 0.05, 0.18, 0.08, 0.004, 0.15, 6e7, 6e7, 3000, 0, 0, 0.4, 0.1},
    {"rhs", 0.97, 1.8, 0.03, 0.10, 0.06, 0.002, 0.10, 1e7, 1e7, 4000, 0, 0, 0.2, 0},
    {"exchange", 0.60, 0.7, 0.02, 0.10, 0.20, 0.01, 0.20, 9e8, 9e8, 8000, 0, 0, 0.1, 0.8},
    {"norm", 0.90, 1.0, 0.06, 0.35, 0.10, 0.003, 0.20, 5e5, 5e5, 300, 0, 0, 0.7, 0.1},
    {"sort", 0.85, 0.6, 0.08, 0.45, 0.18, 0.06, 0.35, 4e8, 4e8, 9000, 0, 0, 0.6, 0.3},
    {"random", 1.00, 2.1, 0.002, 0.02, 0.10, 0.01, 0.05, 1e3, 1e3, 200, 0, 0, 0, 0},
    {"spmv", 0.92, 0.5, 0.09, 0.50, 0.12, 0.005, 0.25, 8e7, 8e7, 2500, 0, 0, 0.8, 0.1},
    {"dot", 0.80, 0.9, 0.06, 0.40, 0.09, 0.003, 0.20, 3e6, 3e6, 150, 0, 0, 0.5, 0.3},
    {"factor", 1.00, 2.8, 0.01, 0.06, 0.04, 0.001, 0.05, 3e7, 3e7, 6000, 0, 0, 0.1, 0},
    {"copy", 0.15, 0.8, 0.02, 0.15, 0.20, 0.01, 0.30, 1.1e9, 2e7, 8900, 0, 3e8, 0.1, 0.9},
    {"fft", 0.98, 1.6, 0.05, 0.25, 0.05, 0.002, 0.12, 1e6, 1e6, 1500, 0, 0, 0.5, 0},
    {"transpose", 0.55, 0.5, 0.07, 0.55, 0.12, 0.004, 0.30, 8e8, 8e8, 8900, 0, 0, 0.3, 0.6},
    {"force", 0.99, 2.2, 0.02, 0.04, 0.07, 0.006, 0.08, 4e7, 4e7, 2000, 0, 0, 0.05, 0.05},
    {"neighbour", 0.93, 1.1, 0.05, 0.28, 0.17, 0.03, 0.25, 9e7, 9e7, 4000, 0, 0, 0.5, 0.1},
    {"output", 0.20, 0.9, 0.03, 0.20, 0.19, 0.02, 0.30, 2e6, 1e6, 1400, 1.8e8, 0, 0.3, 0},
    {"coarse", 0.70, 1.2, 0.02, 0.05, 0.14, 0.008, 0.20, 1.5e8, 1.5e8, 400, 0, 0, 0.1, 0.5},
};

static const struct {
    const char *name, *script;
} programs[WTL_SIM_PROGRAMS] = {
    {"lu", "idle:8 init:14 (sweep:26 rhs:11 exchange:7)*5 norm:12 (sweep:20 exchange:9)*3 norm:9 "
           "idle:8"},
    {"is-ep", "idle:8 init:7 (sort:16 exchange:10)*5 norm:6 random:110 dot:8 idle:8"},
    {"cg", "idle:8 init:12 ((spmv:18 dot:8)*5 exchange:9 norm:10)*3 output:9 idle:8"},
    {"invert-copy", "idle:8 init:16 (factor:34 norm:8)*3 factor:21 copy:75 idle:8"},
    {"ft", "idle:8 init:15 (fft:22 transpose:15 fft:12 norm:7)*4 output:8 idle:8"},
    {"mg", "idle:8 init:9 ((sweep:14 rhs:9 coarse:11 rhs:9 sweep:12)*2 norm:8)*3 idle:8"},
    {"md", "idle:8 init:10 ((force:24 exchange:7)*3 neighbour:13 output:8)*3 idle:8"},
    {"climate", "idle:8 init:18 ((rhs:17 fft:12 transpose:9)*2 force:15 output:14)*3 copy:20 "
                "idle:8"},
};

static void set_letter(struct wtl_sim_letter *letter, const struct behaviour *b)
{
    double cycles = 4e10 * b->busy, instructions = cycles * b->ipc;
    *letter = (struct wtl_sim_letter){
        .idle = strcmp(b->name, "idle") == 0,
        .duration_s = 30,
        .duration_cv = 0.3,
        .share = {1 - b->memory - b->network, b->memory, b->network},
        .gain_w = 2,
        .relevant_count = WTL_SIM_RELEVANT,
    };
    (void)snprintf(letter->name, sizeof letter->name, "%s", b->name); /* always fits */
    double *rate = letter->rate;
    rate[CPU_CYCLES] = cycles;
    rate[INSTRUCTIONS] = instructions;
    rate[CACHE_REFERENCES] = instructions * b->references;
    rate[CACHE_MISSES] = rate[CACHE_REFERENCES] * b->miss;
    rate[BRANCH_INSTRUCTIONS] = instructions * b->branches;
    rate[BRANCH_MISSES] = rate[BRANCH_INSTRUCTIONS] * b->mistaken;
    rate[STALLED] = cycles * b->stalled;
    rate[BUS_CYCLES] = cycles / 25;
    rate[SENT_BYTES] = b->sent;
    rate[RECEIVED_BYTES] = b->received;
    rate[SENT_PACKETS] = b->sent / b->packet;
    rate[RECEIVED_PACKETS] = b->received / b->packet;
    rate[WRITTEN] = b->written;
    rate[READ] = b->read;
    bool taken[WTL_SIM_COUNTERS] = {false}; /* relevant is what is furthest above its scale */
    for (unsigned k = 0; k < WTL_SIM_RELEVANT; k++) {
        unsigned best = WTL_SIM_COUNTERS;
        for (unsigned i = 0; i < PAPER_COLUMNS; i++) {
            if (!taken[i] &&
                (best == WTL_SIM_COUNTERS || rate[i] / scale[i] > rate[best] / scale[best]))
                best = i;
        }
        taken[best] = true;
        letter->relevant[k] = (uint8_t)best;
    }
}

struct wtl_sim_platform wtl_phase_world_reference(void)
{
    struct wtl_sim_platform p = {.name = "reference", .speed = {1, 1, 1}, .static_w = 90};
    p.tdp_w = 300;
    for (int i = 0; i < WTL_SIM_COUNTERS; i++) {
        p.scale[i] = scale[i];
        p.coef_w[i] = reference_w[i];
        p.events[i] = 1;
    }
    return p;
}

struct wtl_sim_platform wtl_phase_world_platform(uint64_t seed)
{
    struct wtl_sim_platform p = wtl_phase_world_reference();
    uint64_t stream = wtl_random_bits(seed, 77), n = 0;
    (void)snprintf(p.name, sizeof p.name, "platform-%llu", (unsigned long long)(seed % 1000000));
    double cost = 0.5 + 1.2 * wtl_random_uniform(stream, n++);
    p.static_w = 40 + 140 * wtl_random_uniform(stream, n++);
    p.tdp_w = 300 * (0.5 + wtl_random_uniform(stream, n++));
    for (int i = 0; i < WTL_SIM_RESOURCES; i++) {
        double u = wtl_random_uniform(stream, n++);
        p.speed[i] = 0.4 + 2.1 * u * u;
    }
    for (int i = 0; i < WTL_SIM_COUNTERS; i++) {
        p.coef_w[i] *= cost * (0.6 + 0.8 * wtl_random_uniform(stream, n++));
        p.events[i] = 0.8 + 0.4 * wtl_random_uniform(stream, n++);
    }
    return p;
}

const char *wtl_phase_world_program_name(size_t i)
{
    return i < WTL_SIM_PROGRAMS ? programs[i].name : NULL;
}

int wtl_phase_world_program(const char *name, struct wtl_phase_world_config *ret_config)
{
    size_t i = 0, n = sizeof behaviours / sizeof behaviours[0];
    while (i < WTL_SIM_PROGRAMS && strcmp(programs[i].name, name) != 0)
        i++;
    if (i == WTL_SIM_PROGRAMS)
        return -ENOENT;
    *ret_config = (struct wtl_phase_world_config){
        .columns = PAPER_COLUMNS,
        .letter_count = n,
        .program = programs[i].script,
        .platform = wtl_phase_world_reference(),
        .noise = {.relative = 0.02, .power_snr = 30},
        .step_s = 1,
        .run_cv = 0.01,
    };
    memcpy(ret_config->names, names, sizeof names);
    for (size_t l = 0; l < n; l++)
        set_letter(&ret_config->letters[l], &behaviours[l]);
    for (size_t c = 0; c < PAPER_COLUMNS; c++)
        ret_config->signal[c] = scale[c] / 4;
    return 0;
}

struct wtl_phase_world_config wtl_phase_world_random(size_t letters,
                                                     size_t columns,
                                                     size_t high,
                                                     uint64_t seed)
{
    struct wtl_phase_world_config c = {
        .columns = columns,
        .letter_count = letters,
        .platform = wtl_phase_world_reference(),
        .noise = {.snr = 3, .power_snr = 3},
        .step_s = 1,
        .min_rows = 16,
        .seed = seed,
    };
    memcpy(c.names, names, sizeof names);
    uint64_t stream = wtl_random_bits(seed, 78);
    for (size_t i = 0; i < WTL_SIM_COUNTERS; i++) {
        c.signal[i] = scale[i] / 4;
        c.platform.scale[i] = c.signal[i]; /* watts per signal */
        c.platform.coef_w[i] = 2 + 8 * wtl_random_uniform(stream, i);
    }
    for (size_t l = 0; l < letters && l < WTL_SIM_LETTERS; l++) {
        struct wtl_sim_letter *letter = &c.letters[l];
        *letter = (struct wtl_sim_letter){.duration_s = 60, .duration_cv = 0.5, .share = {1}};
        (void)snprintf(letter->name, sizeof letter->name, "L%u", (unsigned)l);
        for (size_t i = 0; i < columns && i < WTL_SIM_COUNTERS; i++)
            letter->rate[i] = scale[i];
        for (size_t k = 0; l > 0 && k < high && columns > 0; k++) {
            size_t place = (l - 1) * high + k, i = place % columns, round = 1 + place / columns;
            if (i < WTL_SIM_COUNTERS) /* once all counters have a letter, by two signals, ... */
                letter->rate[i] += c.signal[i] * (double)round;
            if (k < WTL_SIM_RELEVANT)
                letter->relevant[letter->relevant_count++] = (uint8_t)i;
        }
        letter->gain_w = 3;
    }
    return c;
}
