/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPUs of ranks by what their environments show, and their energy. */
#include "analysis/regions/rank_devices.h"

#include <math.h>
#include <stdio.h>

#include "sample_trace.h"
#include "tap.h"

enum { GPUS = 4, RANKS = 3 };

/* A trace that only has what the environments of its processes show. */
static struct wtl_trace_reader *keep(const char *const visible[RANKS])
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_reader *reader = NULL;
    struct wtl_trace_writer *w;
    if (!is_int(wtl_trace_writer_create("rank_devices.wtl", &options, &w, NULL), 0, "a trace"))
        return NULL;
    for (int i = 0; i < RANKS; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "visible.%d", i);
        if (visible[i])
            (void)wtl_trace_writer_meta(w, key, visible[i]);
    }
    (void)wtl_trace_writer_finish(w, NULL);
    (void)wtl_trace_reader_open("rank_devices.wtl", &reader, NULL);
    return reader;
}

/* GPUs of one sensor with 100, 200, 300 and 400 J, each +- 1 J. */
static void gpus_of(struct wtl_result_channel gpus[GPUS],
                    const char *sensor,
                    const char *label,
                    int apart)
{
    for (int i = 0; i < GPUS; i++) {
        struct wattle_channel *channel = &gpus[i].channel;
        gpus[i] = (struct wtl_result_channel){
            .channel = {.domain = WATTLE_DOMAIN_GPU,
                        .quantity = WATTLE_ENERGY,
                        .index = i * apart,
                        .flags = WATTLE_CHANNEL_PRIMARY | WATTLE_CHANNEL_IN_TOTAL},
            .summary = {.amount = 100 * (i + 1), .amount_half = 1}};
        (void)snprintf(channel->name, sizeof channel->name, "%s:gpu-%d", sensor, i * apart);
        (void)snprintf(channel->label, sizeof channel->label, "%s", label);
        (void)snprintf(channel->location, sizeof channel->location,
                       "pci 0000:%d0:00.0, GPU-%d%d%d, call", i, i, i, i);
    }
}

struct row {
    int line;
    const char *sensor, *label;
    int apart;
    const char *visible[RANKS];
    uint64_t gpus[RANKS]; /* ~0 = not known */
    double energy_j[RANKS];
    bool estimated;
};

#define UNKNOWN UINT64_MAX
#define CUDA    "\nCUDA_VISIBLE_DEVICES="

static const struct row rows[] = {
    {__LINE__,
     "nvml",
     "A",
     1,
     {CUDA "0\n", CUDA "GPU-11\n", CUDA "3,2\n"},
     {1, 2, 12},
     {100, 200, 700},
     false},
    {__LINE__, "nvml", "A", 1, {CUDA "0\n", CUDA "0\n", CUDA "\n"}, {1, 1, 0}, {50, 50, 0}, true},
    {__LINE__,
     "nvml",
     "A",
     1,
     {"\n", CUDA "1\n", CUDA "2\n"},
     {15, 2, 4},
     {100 + 100 + 150 + 400, 100, 150},
     true},
    {__LINE__,
     "nvml",
     "A",
     1,
     {NULL, CUDA "1\n", CUDA "2\n"},
     {UNKNOWN, 2, 4},
     {NAN, 100, 150},
     true},
    {__LINE__,
     "nvml",
     "A",
     1,
     {CUDA "MIG-1\n", CUDA "MIG-2\n", CUDA "2\n"},
     {UNKNOWN, UNKNOWN, 4},
     {NAN, NAN, 100},
     true},
    {__LINE__,
     "rocm",
     "B",
     1,
     {"\nROCR_VISIBLE_DEVICES=0,1\nHIP_VISIBLE_DEVICES=1\n", CUDA "2\n",
      "\nHIP_VISIBLE_DEVICES=3\n"},
     {2, 4, 8},
     {200, 300, 400},
     false},
    {__LINE__,
     "rocm",
     "AMD Instinct MI250X",
     2,
     {"\nROCR_VISIBLE_DEVICES=0\n", "\nROCR_VISIBLE_DEVICES=1\n", "\nROCR_VISIBLE_DEVICES=7\n"},
     {1, 1, 8},
     {50, 50, 400},
     true},
    {__LINE__,
     "levelzero",
     "C",
     1,
     {"\nZE_AFFINITY_MASK=0.1\n", "\nZE_AFFINITY_MASK=1\n", "\nZE_AFFINITY_MASK=2,3\n"},
     {1, 2, 12},
     {100, 200, 700},
     false},
    {__LINE__,
     "hwmon",
     "D",
     1,
     {CUDA "0\n", CUDA "1\n", CUDA "2\n"},
     {UNKNOWN, UNKNOWN, UNKNOWN},
     {NAN, NAN, NAN},
     false},
};

static void check_row(const struct row *row, const struct wtl_mpi_rank *rank, int i)
{
    bool known = row->gpus[i] != UNKNOWN;
    is_int(rank->gpus_known, known, "rank %d: its GPUs are %sknown", i, known ? "" : "not ");
    ok(!known || rank->gpus == row->gpus[i], "rank %d: %llx", i, (unsigned long long)rank->gpus);
    if (isnan(row->energy_j[i]))
        ok(isnan(rank->gpu_energy.j), "rank %d: nor is their energy", i);
    else
        is_double(rank->gpu_energy.j, row->energy_j[i], 1e-9, "rank %d: J", i);
    bool estimated = rank->gpu_energy.quality == WATTLE_ESTIMATED;
    ok(!estimated || (row->estimated && rank->gpu_energy.low_j < rank->gpu_energy.j &&
                      rank->gpu_energy.high_j > rank->gpu_energy.j),
       "rank %d: an estimate has a range", i);
    ok(row->estimated || !known || !estimated, "rank %d: alone on its GPUs", i);
}

int main(void)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct wtl_result_channel gpus[GPUS];
        struct wtl_mpi_rank ranks[RANKS];
        const struct wtl_result result = {
            .channels = gpus, .channel_count = GPUS, .energy_count = GPUS};
        tap_line = rows[k].line;
        gpus_of(gpus, rows[k].sensor, rows[k].label, rows[k].apart);
        for (int i = 0; i < RANKS; i++)
            ranks[i] = (struct wtl_mpi_rank){
                .rank = (uint32_t)i, .process = i, .gpu_energy = wtl_energy_unknown()};
        struct wtl_trace_reader *reader = keep(rows[k].visible);
        if (!reader)
            continue;
        wtl_rank_devices(reader, &result, ranks, RANKS);
        for (int i = 0; i < RANKS; i++)
            check_row(&rows[k], &ranks[i], i);
        wtl_trace_reader_close(reader);
    }
    tap_line = 0;
    return done_testing();
}
