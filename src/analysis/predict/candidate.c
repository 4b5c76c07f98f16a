/* SPDX-License-Identifier: BSD-3-Clause */
/* What another platform would take for a program that ran here, from the programs that ran on both. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/predict/prediction.h"
#include "base/fail.h"

enum { KERNELS = 64 };

/* With less of its time known, an energy is no energy of the run. */
static const double known_least = 0.9;

static bool ran_at(const struct wtl_model_run *run, const char *platform)
{
    return !platform || strcmp(run->platform, platform) == 0;
}

/* Programs that ran on both: the first run of each. */
static size_t find_kernels(const struct wtl_phase_model *here,
                           const struct wtl_match_run *reference,
                           const struct wtl_phase_model *there,
                           const char *platform,
                           struct wtl_match_run pairs[KERNELS][2])
{
    size_t n = 0;
    for (size_t i = 0; i < there->run_count && n < KERNELS; i++) {
        const struct wtl_model_run *run = &there->runs[i];
        bool is = ran_at(run, platform) && strcmp(run->name, reference->name) != 0;
        for (size_t k = 0; is && k < n; k++)
            is = strcmp(pairs[k][1].name, run->name) != 0;
        for (size_t k = 0; is && k < here->run_count; k++) {
            const struct wtl_model_run *other = &here->runs[k];
            if (strcmp(other->name, run->name) != 0 || other->node_count != run->node_count ||
                !ran_at(other, reference->platform))
                continue;
            pairs[n][0] = wtl_match_run_of(other);
            pairs[n++][1] = wtl_match_run_of(run);
            is = false;
        }
    }
    return n;
}

/* Of all its nodes together: time with unknown power counts like the rest. */
static double seconds_of(const struct wtl_model_run *run)
{
    double seconds = 0;
    for (size_t i = 0; i < run->node_count; i++)
        seconds += wtl_dna_seconds(&run->nodes[i]);
    return seconds;
}

static void count_measured(const struct wtl_phase_model *there,
                           const struct wtl_match_run *reference,
                           const char *platform,
                           struct wtl_predicted_platform *p)
{
    double sum = 0;
    for (size_t i = 0; i < there->run_count; i++) {
        const struct wtl_model_run *run = &there->runs[i];
        if (!ran_at(run, platform) || strcmp(run->name, reference->name) != 0 ||
            run->known_s < known_least * seconds_of(run) || !(run->known_s > 0))
            continue;
        p->runs++;
        sum += run->energy_j / run->known_s * seconds_of(run);
    }
    p->measured_j = p->runs > 0 ? sum / (double)p->runs : NAN;
}

static double rank_of(const struct wtl_predicted_platform *p)
{
    return !isnan(p->energy_j) ? p->energy_j : !isnan(p->measured_j) ? p->measured_j : INFINITY;
}

static void insert(struct wtl_prediction *prediction, const struct wtl_predicted_platform *p)
{
    size_t place = prediction->platform_count++;
    for (; place > 0 && rank_of(&prediction->platforms[place - 1]) > rank_of(p); place--)
        prediction->platforms[place] = prediction->platforms[place - 1];
    prediction->platforms[place] = *p;
}

int wtl_predict_platform(const struct wtl_phase_model *here,
                         const struct wtl_match_run *reference,
                         const struct wtl_phase_model *there,
                         const char *platform,
                         struct wtl_prediction *prediction,
                         struct wattle_error *err)
{
    struct wtl_match_run pairs[KERNELS][2];
    struct wtl_transfer_kernel kernels[KERNELS];
    struct wtl_predicted_platform p = {.energy_j = NAN,
                                       .energy_low_j = NAN,
                                       .energy_high_j = NAN,
                                       .time_s = NAN,
                                       .time_low_s = NAN,
                                       .time_high_s = NAN};
    const char *name = platform ? platform : there->run_count > 0 ? there->runs[0].platform : "";
    if (prediction->platform_count == WTL_PREDICTED_PLATFORMS)
        return wtl_fail(err, -E2BIG, "more than %d platforms", WTL_PREDICTED_PLATFORMS);
    (void)snprintf(p.name, sizeof p.name, "%s", name);
    size_t n = find_kernels(here, reference, there, platform, pairs);
    for (size_t i = 0; i < n; i++)
        kernels[i] = (struct wtl_transfer_kernel){&pairs[i][0], &pairs[i][1]};
    count_measured(there, reference, platform, &p);
    double *from = wtl_transfer_centres(&here->alphabet, &here->alphabet);
    double *to = wtl_transfer_centres(&there->alphabet, &here->alphabet);
    struct wtl_transfer_question q = {.columns = here->alphabet.columns,
                                      .reference_letters = {from, here->alphabet.count},
                                      .target_letters = {to, there->alphabet.count},
                                      .kernels = kernels,
                                      .kernel_count = n,
                                      .reference = reference};
    struct wtl_transfer t = {.energy_j = NAN};
    int rc = !from || !to ? wtl_no_memory(err) : wtl_transfer(&q, &t, &p.why);
    free(from);
    free(to);
    if (rc == -ENOMEM)
        return rc;
    p.kernels = n;
    if (rc == 0) {
        p.energy_j = t.energy_j;
        p.energy_low_j = t.energy_low_j;
        p.energy_high_j = t.energy_high_j;
        p.time_s = t.time_s;
        p.time_low_s = t.time_low_s;
        p.time_high_s = t.time_high_s;
    }
    insert(prediction, &p);
    return 0;
}
