/* SPDX-License-Identifier: BSD-3-Clause */
/* See share_looks.h. Looks are stored as sums, so that two of them are merged by adding. */
#include "account/share_looks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = WTL_SHARE_LOOKS_JOBS, FEWEST = 20 };

struct look {
    double energy_j, seconds, used_s[JOBS]; /* energy without that of devices */
    struct wtl_share_events events[JOBS];
};

struct wtl_share_looks {
    struct wtl_share_model model;
    struct wtl_node_fit fit;
    size_t cpus;
    const uint32_t *core_of;
    size_t all;
    size_t count;  /* stored */
    size_t length; /* looks that are merged in each, but for the last */
    size_t last;   /* and in the last */
    struct look list[WTL_SHARE_LOOKS];
    double busy_s[]; /* [WTL_SHARE_LOOKS][cpus] */
};

struct wtl_share_looks *wtl_share_looks_create(const struct wtl_share_model *model,
                                               size_t cpus,
                                               const uint32_t *core_of)
{
    struct wtl_share_looks *looks =
        calloc(1, sizeof *looks + WTL_SHARE_LOOKS * cpus * sizeof *looks->busy_s);
    if (!looks)
        return NULL;
    looks->model = *model;
    wtl_share_count(&looks->model);
    looks->cpus = cpus;
    looks->core_of = core_of;
    looks->length = 1;
    return looks;
}

void wtl_share_looks_destroy(struct wtl_share_looks *looks)
{
    free(looks);
}

size_t wtl_share_looks_count(const struct wtl_share_looks *looks)
{
    return looks->all;
}

static double *busy_of(struct wtl_share_looks *looks, size_t at)
{
    return looks->busy_s + at * looks->cpus;
}

static void add_look(struct wtl_share_looks *looks,
                     size_t at,
                     const struct look *one,
                     const double *busy_s)
{
    struct look *sum = &looks->list[at];
    sum->energy_j += one->energy_j;
    sum->seconds += one->seconds;
    for (size_t j = 0; j < JOBS; j++) {
        sum->used_s[j] += one->used_s[j];
        sum->events[j].cycles += one->events[j].cycles;
        sum->events[j].instructions += one->events[j].instructions;
        sum->events[j].misses += one->events[j].misses;
    }
    for (size_t c = 0; c < looks->cpus; c++)
        busy_of(looks, at)[c] += busy_s[c];
}

/* Half as many, twice as long. */
static void halve(struct wtl_share_looks *looks)
{
    for (size_t i = 0; i < WTL_SHARE_LOOKS / 2; i++) {
        looks->list[i] = looks->list[2 * i];
        memmove(busy_of(looks, i), busy_of(looks, 2 * i), looks->cpus * sizeof *looks->busy_s);
        add_look(looks, i, &looks->list[2 * i + 1], busy_of(looks, 2 * i + 1));
    }
    looks->count = WTL_SHARE_LOOKS / 2;
    looks->length *= 2;
    looks->last = looks->length;
}

int wtl_share_looks_add(struct wtl_share_looks *looks,
                        const struct wtl_share_interval *interval,
                        const struct wtl_share_job *jobs)
{
    struct look one = {.energy_j = fmax(interval->energy_j - interval->devices_j, 0),
                       .seconds = interval->seconds};
    int rc = wtl_share_learn(&looks->model, &looks->fit, interval, jobs, JOBS);
    if (rc < 0)
        return rc;
    for (size_t j = 0; j < JOBS; j++) {
        one.used_s[j] = jobs[j].used_s;
        one.events[j] = *jobs[j].events;
    }
    bool joins = looks->count > 0 && looks->last < looks->length;
    if (!joins && looks->count == WTL_SHARE_LOOKS)
        halve(looks);
    if (!joins) {
        looks->list[looks->count] = (struct look){.seconds = 0};
        memset(busy_of(looks, looks->count), 0, looks->cpus * sizeof *looks->busy_s);
        looks->count++;
        looks->last = 0;
    }
    add_look(looks, looks->count - 1, &one, interval->cpus->busy_s);
    looks->last++;
    looks->all++;
    return 0;
}

static int divide_look(const struct wtl_share_looks *looks,
                       size_t at,
                       const struct wtl_share_interval *part,
                       const bool *const *may_on,
                       double *shares_j,
                       double *halves_j,
                       struct wtl_share_rest *ret_rest)
{
    const struct look *one = &looks->list[at];
    const struct wtl_share_cpus cpus = {.count = looks->cpus,
                                        .core_of = looks->core_of,
                                        .busy_s = looks->busy_s + at * looks->cpus};
    struct wtl_share_interval interval = *part;
    struct wtl_share_job jobs[JOBS];
    for (size_t j = 0; j < JOBS; j++)
        jobs[j] = (struct wtl_share_job){
            .used_s = one->used_s[j], .events = &one->events[j], .may_on = may_on[j]};
    interval.cpus = &cpus;
    interval.machine_s = 0;
    for (size_t c = 0; c < cpus.count; c++)
        interval.machine_s += cpus.busy_s[c];
    int rc = wtl_shares(&looks->model, &interval, jobs, JOBS, shares_j, ret_rest);
    return rc < 0 ? rc
                  : wtl_share_halves(&looks->model, &interval, jobs, JOBS, shares_j, ret_rest,
                                     halves_j);
}

int wtl_share_looks_divide(const struct wtl_share_looks *looks,
                           const struct wtl_share_interval *whole,
                           const bool *const *may_on,
                           double *shares_j,
                           double *halves_j,
                           struct wtl_share_rest *ret_rest)
{
    double energy_j = 0, seconds = 0;
    struct wtl_share_rest sum = {.rule = WTL_SHARE_COUNTERS, .quality = WATTLE_ESTIMATED};
    if (looks->all < FEWEST)
        return -ENODATA;
    if (!looks->model.counts)
        return -ENOENT;
    for (size_t i = 0; i < looks->count; i++) {
        energy_j += looks->list[i].energy_j;
        seconds += looks->list[i].seconds;
    }
    if (!(energy_j > 0) || !(seconds > 0))
        return -ENODATA;
    for (size_t j = 0; j < JOBS; j++)
        shares_j[j] = halves_j[j] = 0;
    for (size_t i = 0; i < looks->count; i++) {
        const struct look *one = &looks->list[i];
        struct wtl_share_interval part = *whole;
        struct wtl_share_rest rest;
        double part_j[JOBS], half_j[JOBS];
        part.energy_j = (whole->energy_j - whole->devices_j) * one->energy_j / energy_j;
        part.devices_j = 0;
        part.seconds = whole->seconds * one->seconds / seconds;
        int rc = divide_look(looks, i, &part, may_on, part_j, half_j, &rest);
        if (rc < 0)
            return rc;
        for (size_t j = 0; j < JOBS; j++)
            shares_j[j] += part_j[j];
        for (size_t j = 0; j < JOBS && rest.rule == WTL_SHARE_COUNTERS; j++)
            halves_j[j] += half_j[j];
        sum.idle_j += rest.idle_j;
        if (rest.rule == WTL_SHARE_COUNTERS)
            sum.quality = rest.quality;
    }
    for (size_t j = 0; j < JOBS; j++)
        sum.jobs_j += shares_j[j];
    sum.unattributed_j = whole->energy_j - sum.jobs_j - sum.idle_j;
    *ret_rest = sum;
    return 0;
}
