/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/regions/rank_devices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/config/visible_devices.h"
#include "model/meta_key.h"

enum { MOST_DEVICES = 256 };

/* The GPUs of a node. */
struct gpus {
    const struct wtl_result_channel *all[WTL_RANK_GPUS];
    size_t count;
};

size_t wtl_rank_gpus(const struct wtl_result *result,
                     const struct wtl_result_channel *ret[WTL_RANK_GPUS])
{
    size_t count = 0;
    for (size_t i = 0; i < result->energy_count && count < WTL_RANK_GPUS; i++) {
        const struct wattle_channel *channel = &result->channels[i].channel;
        if (channel->domain == WATTLE_DOMAIN_GPU && channel->flags & WATTLE_CHANNEL_IN_TOTAL)
            ret[count++] = &result->channels[i];
    }
    return count;
}

/* The sensor by its name, since a channel may be read by way of wattled. */
static bool is_of(const struct wattle_channel *channel, const char *sensor)
{
    size_t n = strlen(sensor);
    return strncmp(channel->name, sensor, n) == 0 && channel->name[n] == ':';
}

/* The identifier in a location, "pci 0000:65:00.0, node 1, GPU-5f1a, ..."; "" = none. */
static void uuid_of(const struct wattle_channel *channel, char uuid[64])
{
    const char *at = strstr(channel->location, "GPU-");
    (void)snprintf(uuid, 64, "%.*s", at ? (int)strcspn(at, ",") : 0, at ? at : "");
}

static const struct wattle_channel *channel_at(const struct gpus *gpus,
                                               const char *sensor,
                                               int index,
                                               size_t *ret_bit)
{
    for (size_t i = 0; i < gpus->count; i++) {
        *ret_bit = i;
        if (is_of(&gpus->all[i]->channel, sensor) && gpus->all[i]->channel.index == index)
            return &gpus->all[i]->channel;
    }
    return NULL;
}

static bool are_alike(const struct gpus *gpus)
{
    const char *first = NULL;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct wattle_channel *channel = &gpus->all[i]->channel;
        if (!is_of(channel, "nvml"))
            continue;
        if (first && strcmp(first, channel->label) != 0)
            return false;
        first = channel->label;
    }
    return true;
}

/* Those of NVIDIA. False: not known. An instance (MIG) has no channel that would say whose it is. */
static bool see_nvidia(const struct gpus *gpus,
                       const struct wtl_visible_devices *visible,
                       uint64_t *seen)
{
    bool is_hard = (wtl_visible_by_speed(visible) && !are_alike(gpus)) ||
                   (visible->cuda && strstr(visible->cuda, "MIG-"));
    for (size_t i = 0; i < gpus->count; i++) {
        char uuid[64];
        const struct wattle_channel *channel = &gpus->all[i]->channel;
        if (!is_of(channel, "nvml"))
            continue;
        if (is_hard)
            return false;
        uuid_of(channel, uuid);
        if (wtl_visible_in_list(visible->cuda, channel->index, uuid))
            *seen |= UINT64_C(1) << i;
    }
    return true;
}

/* Those of AMD. The second die of a package that reports one energy has no channel: it is that of the first. */
static bool see_amd(const struct gpus *gpus,
                    const struct wtl_visible_devices *visible,
                    uint64_t *seen)
{
    int last = -1, shown_by_rocr = 0;
    for (size_t i = 0; i < gpus->count; i++)
        if (is_of(&gpus->all[i]->channel, "rocm") && gpus->all[i]->channel.index > last)
            last = gpus->all[i]->channel.index;
    for (int index = 0; last >= 0 && index <= last + 1 && index < MOST_DEVICES; index++) {
        char uuid[64] = "";
        size_t bit;
        const struct wattle_channel *channel = channel_at(gpus, "rocm", index, &bit);
        if (channel)
            uuid_of(channel, uuid);
        else if (!(channel = channel_at(gpus, "rocm", index - 1, &bit)) ||
                 !strstr(channel->label, "MI250"))
            continue;
        if (wtl_visible_to_rocm(visible, index, uuid, &shown_by_rocr))
            *seen |= UINT64_C(1) << bit;
    }
    return true;
}

/* Which GPUs an environment shows. False: not known. */
static bool see(const struct gpus *gpus, const struct wtl_visible_devices *visible, uint64_t *seen)
{
    *seen = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct wattle_channel *channel = &gpus->all[i]->channel;
        if (is_of(channel, "levelzero")) {
            if (wtl_visible_to_levelzero(visible, channel->index))
                *seen |= UINT64_C(1) << i;
        } else if (!is_of(channel, "nvml") && !is_of(channel, "rocm")) {
            return false; /* a card of a kernel driver: the vendor's number is not known */
        }
    }
    return see_nvidia(gpus, visible, seen) && see_amd(gpus, visible, seen);
}

static void take_environment(const struct wtl_trace_reader *reader,
                             const struct gpus *gpus,
                             struct wtl_mpi_rank *row)
{
    char key[48], text[WTL_VISIBLE_BYTES];
    struct wtl_visible_devices visible;
    (void)snprintf(key, sizeof key, WTL_META_VISIBLE "%" PRId64, row->process);
    const char *value = row->process >= 0 ? wtl_trace_reader_meta(reader, key) : NULL;
    (void)snprintf(text, sizeof text, "%s", value ? value : "");
    row->gpus_known = wtl_visible_devices_parse(text, &visible) && see(gpus, &visible, &row->gpus);
}

static bool sees(const struct wtl_mpi_rank *row, size_t gpu)
{
    return !row->gpus_known || row->gpus >> gpu & 1;
}

static struct wtl_energy energy_of(const struct gpus *gpus,
                                   const struct wtl_mpi_rank *rows,
                                   size_t count,
                                   const struct wtl_mpi_rank *row)
{
    struct wtl_energy_sum sum = {.known = 0};
    for (size_t i = 0; i < gpus->count; i++) {
        size_t ranks = 0;
        for (size_t k = 0; k < count; k++)
            ranks += sees(&rows[k], i);
        if (!sees(row, i))
            continue;
        struct wtl_energy whole = wtl_result_energy(gpus->all[i]);
        struct wtl_energy part = wtl_energy_scaled(&whole, 1 / (double)ranks);
        wtl_energy_ends(&whole, &part.low_j, &part.high_j);
        if (ranks > 1) { /* any of them may have used all of it, or nothing */
            part.quality = WATTLE_ESTIMATED;
            part.low_j = 0;
        }
        wtl_energy_add(&sum, &part);
    }
    struct wtl_energy energy = wtl_energy_sum_of(&sum, true);
    if (energy.quality != WATTLE_ESTIMATED)
        energy.low_j = energy.high_j = NAN;
    return energy;
}

void wtl_rank_devices(const struct wtl_trace_reader *reader,
                      const struct wtl_result *result,
                      struct wtl_mpi_rank *rows,
                      size_t count)
{
    struct gpus gpus = {.count = 0};
    gpus.count = wtl_rank_gpus(result, gpus.all);
    for (size_t i = 0; gpus.count > 0 && i < count; i++)
        take_environment(reader, &gpus, &rows[i]);
    for (size_t i = 0; gpus.count > 0 && i < count; i++)
        if (rows[i].gpus_known && rows[i].gpus)
            rows[i].gpu_energy = energy_of(&gpus, rows, count, &rows[i]);
        else if (rows[i].gpus_known)
            rows[i].gpu_energy = (struct wtl_energy){.low_j = NAN, .high_j = NAN, .known_j = NAN};
}
