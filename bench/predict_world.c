/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) {
        (void)fprintf(stderr, "bench_predict: out of memory\n");
        exit(1);
    }
    return p;
}

double predict_run(const struct wtl_phase_world_config *config,
                   struct wtl_dna *ret_dna,
                   struct predict_letters *letters)
{
    struct wattle_error err = {""};
    struct wtl_phase_world *world;
    double rates[WTL_SIM_COUNTERS], watts;
    size_t count;
    if (wtl_phase_world_create(config, &world, &err) < 0) {
        (void)fprintf(stderr, "bench_predict: %s\n", err.text);
        exit(1);
    }
    const struct wtl_sim_segment *segments = wtl_phase_world_segments(world, &count);
    struct wtl_base *list = room(count, sizeof *list);
    double joules = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t letter = wtl_phase_world_letter(world, i);
        if (n == 0 || list[n - 1].letter != letter)
            list[n++].letter = letter;
        struct wtl_base *base = &list[n - 1];
        for (uint64_t k = 0; k < segments[i].rows && wtl_phase_world_next(world, rates, &watts);
             k++) {
            base->duration_s += config->step_s;
            base->known_s += config->step_s;
            base->energy_j += watts * config->step_s;
            joules += watts * config->step_s;
            for (size_t c = 0; letters && c < config->columns; c++)
                letters->sum[letter][c] += rates[c] * config->step_s;
            if (letters)
                letters->seconds[letter] += config->step_s;
        }
    }
    wtl_phase_world_destroy(world);
    *ret_dna = (struct wtl_dna){.list = list, .count = n};
    return joules;
}

void predict_centres(struct predict_letters *letters, size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < columns; c++)
            letters->centre[i * columns + c] =
                letters->seconds[i] > 0 ? letters->sum[i][c] / letters->seconds[i] : NAN;
    }
}

struct wtl_dna predict_cut(const struct wtl_dna *dna, double seconds)
{
    struct wtl_dna cut = {.list = room(dna->count, sizeof *cut.list)};
    for (size_t i = 0; i < dna->count && seconds > 0; i++) {
        struct wtl_base *base = &cut.list[cut.count++];
        *base = dna->list[i];
        double part = fmin(1, seconds / base->duration_s);
        base->duration_s *= part;
        base->known_s *= part;
        base->energy_j *= part;
        seconds -= dna->list[i].duration_s;
    }
    return cut;
}
