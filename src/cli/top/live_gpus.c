/* SPDX-License-Identifier: BSD-3-Clause */
/* See live_gpus.h. */
#include "cli/top/live_gpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/device_share.h"
#include "account/process_stat.h"

enum { DEVICES = 64 };

static const uint64_t PERIOD_NS = 1000000000, HOLDS_NS = 3000000000, WAIT_NS = 50000000;

void wtl_live_gpus_open(struct wtl_live_gpus *gpus,
                        const struct wtl_world *world,
                        const struct wtl_selection *selection)
{
    *gpus =
        (struct wtl_live_gpus){.world = world, .own_pids = !wtl_process_numbers_are_first(world)};
    for (size_t i = 0; i < selection->recorded_count && gpus->count < WTL_LIVE_GPUS; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        const struct wtl_source *source = selection->picks[i].source;
        size_t d = 0;
        if (!(channel->flags & WATTLE_CHANNEL_IN_TOTAL) || !wtl_share_is_of_device(channel) ||
            !wtl_gpu_use_is_of(source->driver->name) || channel->index < 0 ||
            channel->index >= DEVICES)
            continue;
        while (d < gpus->driver_count && gpus->drivers[d].source != source)
            d++;
        if (d == WTL_LIVE_GPU_DRIVERS)
            continue;
        if (d == gpus->driver_count)
            gpus->drivers[gpus->driver_count++].source = source;
        gpus->drivers[d].devices |= UINT64_C(1) << channel->index;
        gpus->list[gpus->count++] =
            (struct wtl_live_gpu){.name = channel->name, .driver = d, .device = channel->index};
    }
}

void wtl_live_gpus_close(struct wtl_live_gpus *gpus)
{
    for (size_t d = 0; d < gpus->driver_count; d++) {
        wtl_gpu_use_fini(&gpus->drivers[d].use);
        free(gpus->drivers[d].users);
    }
    *gpus = (struct wtl_live_gpus){.count = 0};
}

void wtl_live_gpus_look(struct wtl_live_gpus *gpus, const struct wtl_result *result)
{
    uint64_t until_ns = wtl_world_monotonic(gpus->world) + WAIT_NS;
    gpus->now_ns = until_ns - WAIT_NS;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct wtl_result_channel *c = wtl_result_find(result, gpus->list[i].name);
        double joules = c ? wtl_result_energy(c).j : (double)NAN;
        if (isfinite(joules))
            gpus->list[i].now_j = joules;
    }
    if (gpus->asked_ns != 0 && gpus->now_ns < gpus->asked_ns + PERIOD_NS)
        return;
    gpus->asked_ns = gpus->now_ns;
    for (size_t d = 0; d < gpus->driver_count; d++) {
        struct wtl_live_gpu_driver *driver = &gpus->drivers[d];
        wtl_gpu_use_look(&driver->use, driver->source, driver->devices, until_ns);
        if (driver->use.known == 0)
            continue;
        free(driver->users);
        driver->users = driver->use.users;
        driver->count = driver->use.count;
        driver->known = driver->use.known;
        driver->known_ns = gpus->now_ns;
        driver->use.users = NULL;
        driver->use.count = 0;
    }
}

/* The place of a process in the table; its count = it is not there. */
static size_t find(const struct wtl_process_table *table, pid_t pid)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->items[middle].stat.pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && table->items[low].stat.pid == pid ? low : table->count;
}

/* Those that use one GPU. */
struct users {
    struct wtl_device_claim *claims;
    size_t *places;
    double *parts;
    size_t count;
    double others; /* used by processes that are not in the table */
};

static void find_users(const struct wtl_live_gpus *gpus,
                       const struct wtl_live_gpu *gpu,
                       const struct wtl_process_table *table,
                       struct users *users)
{
    const struct wtl_live_gpu_driver *driver = &gpus->drivers[gpu->driver];
    bool told = driver->known >> gpu->device & 1 && gpus->now_ns <= driver->known_ns + HOLDS_NS;
    users->count = 0;
    users->others = 0;
    for (size_t k = 0; told && k < driver->count; k++) {
        size_t place = find(table, driver->users[k].pid);
        if (driver->users[k].device != gpu->device)
            continue;
        if (place == table->count) {
            users->others += driver->users[k].used;
            continue;
        }
        users->places[users->count] = place;
        users->claims[users->count] =
            (struct wtl_device_claim){.job = users->count, .used = driver->users[k].used};
        users->count++;
    }
    if (!told || (gpus->own_pids && users->count == 0))
        users->others = NAN;
}

static void give(const struct users *users,
                 struct wtl_process_table *table,
                 double gained_j,
                 double seconds,
                 struct wtl_share_rest *rest)
{
    double idle;
    if (wtl_device_parts(users->claims, users->count, users->others, users->parts, &idle) !=
        WTL_DEVICE_USE)
        return;
    rest->idle_j += idle * gained_j;
    rest->unattributed_j -= idle * gained_j;
    for (size_t k = 0; k < users->count; k++) {
        double joules = users->parts[k] * gained_j;
        struct wtl_process *process = &table->items[users->places[k]];
        process->power_w += joules / seconds;
        process->gpu_w += joules / seconds;
        process->energy_j += joules;
        rest->jobs_j += joules;
        rest->unattributed_j -= joules;
    }
}

void wtl_live_gpus_give(const struct wtl_live_gpus *gpus,
                        struct wtl_process_table *table,
                        double seconds,
                        struct wtl_share_rest *rest)
{
    size_t most = 1;
    for (size_t d = 0; d < gpus->driver_count; d++)
        most += gpus->drivers[d].count;
    struct users users = {.claims = (struct wtl_device_claim *)calloc(most, sizeof *users.claims),
                          .places = (size_t *)calloc(most, sizeof *users.places),
                          .parts = (double *)calloc(most, sizeof *users.parts)};
    bool room = users.claims && users.places && users.parts; /* else it stays unattributed */
    for (size_t i = 0; room && i < gpus->count; i++) {
        double gained_j = gpus->list[i].now_j - gpus->list[i].settled_j;
        find_users(gpus, &gpus->list[i], table, &users);
        if (gained_j > 0)
            give(&users, table, gained_j, seconds, rest);
    }
    free(users.claims);
    free(users.places);
    free(users.parts);
}

void wtl_live_gpus_settle(struct wtl_live_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++)
        gpus->list[i].settled_j = gpus->list[i].now_j;
}
