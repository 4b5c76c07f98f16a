/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The coarse page: see coarse.h. It is written by the writer of every page (record/energy_page.h) from readings that
 * are made here: joules since boot, rounded down to whole units, at the site's interval. So nothing in it can be finer.
 */
#define _GNU_SOURCE
#include "daemon/coarse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/version.h>

#include "model/bound.h"
#include "record/energy_page.h"

struct wtl_coarse {
    struct wattle_channel *channels;
    uint64_t *unknown_ns;           /* [count]: as published */
    const struct wattle_page *full; /* while it is created */
    size_t count;
    uint64_t interval_ns;
    struct wtl_energy_writer *writer;
};

/* Of the time of an interval, the part that a gauge sees; 0: all of it. */
static uint64_t seen_ns(const struct wattle_page_channel *from, uint64_t interval_ns)
{
    const struct wattle_channel gauge = {.kind = (enum wattle_kind)from->kind,
                                         .refresh_ns = from->refresh_ns,
                                         .window_ns = from->window_ns};
    double part = wtl_seen_part(&gauge);
    return part < 1 ? (uint64_t)(part * (double)interval_ns) : 0;
}

/* A counter of whole units: of a counter as of a gauge. */
static struct wattle_channel channel_of(const struct wattle_page_channel *from,
                                        double resolution_j,
                                        uint64_t interval_ns)
{
    struct wattle_channel to = {.domain = (enum wattle_domain)from->domain,
                                .index = from->index,
                                .sub = from->sub,
                                .quantity = WATTLE_ENERGY,
                                .kind = WATTLE_COUNTER,
                                .quality = (enum wattle_quality)from->quality,
                                .flags = from->flags,
                                .scale = fmax(resolution_j, from->scale),
                                .refresh_ns = interval_ns,
                                .window_ns = seen_ns(from, interval_ns),
                                .ratio_low = from->ratio_low,
                                .ratio_high = from->ratio_high};
    if (to.window_ns > 0)
        to.max_w = from->max_w; /* bounds what it does not see */
    memcpy(to.name, from->name, sizeof to.name);
    memcpy(to.sensor, from->sensor, sizeof to.sensor);
    memcpy(to.within, from->within, sizeof to.within);
    memcpy(to.location, from->location, sizeof to.location);
    memcpy(to.label, from->label, sizeof to.label);
    return to;
}

static void free_coarse(struct wtl_coarse *coarse)
{
    wtl_energy_page_close_writer(coarse->writer);
    free(coarse->channels);
    free(coarse->unknown_ns);
    free(coarse);
}

/* Up to whole intervals, since the exact time of a gap would be finer than the page. */
static uint64_t round_up(uint64_t ns, uint64_t interval_ns)
{
    return (ns + interval_ns - 1) / interval_ns * interval_ns;
}

/* Where a channel starts: at its whole units since boot. */
static bool rest_of(void *context,
                    const struct wattle_channel *channel,
                    struct wattle_page_now *ret)
{
    struct wtl_coarse *coarse = context;
    size_t i = (size_t)(channel - coarse->channels);
    struct wattle_page_now now;
    int rc = wattle_page_read(coarse->full, i, &now);
    if (rc < 0 && rc != -ESTALE)
        return false;
    uint64_t time_ns = now.time_ns - now.time_ns % coarse->interval_ns;
    uint64_t units = (uint64_t)fmax(floor(now.energy_j / channel->scale), 0);
    coarse->unknown_ns[i] = round_up(now.unknown_ns, coarse->interval_ns);
    *ret = (struct wattle_page_now){.time_ns = time_ns,
                                    .energy_j = (double)units * channel->scale,
                                    .unknown_ns = coarse->unknown_ns[i],
                                    .changed_ns = time_ns,
                                    .raw = units,
                                    .raw_ns = time_ns,
                                    .ticks = units,
                                    .since_ns = now.since_ns,
                                    .quality = (uint32_t)channel->quality};
    return time_ns > 0;
}

int wtl_coarse_create(const struct wattle_page *full,
                      double resolution_j,
                      uint64_t interval_ns,
                      uint64_t generation,
                      struct wtl_coarse **ret_coarse)
{
    struct wtl_coarse *coarse = calloc(1, sizeof *coarse);
    size_t count = wattle_page_count(full);
    if (coarse) {
        coarse->channels = calloc(count + 1, sizeof *coarse->channels);
        coarse->unknown_ns = calloc(count + 1, sizeof *coarse->unknown_ns);
    }
    if (!coarse || !coarse->channels || !coarse->unknown_ns) {
        if (coarse)
            free_coarse(coarse);
        return -ENOMEM;
    }
    coarse->full = full;
    coarse->count = count;
    coarse->interval_ns = interval_ns;
    for (size_t i = 0; i < count; i++)
        coarse->channels[i] =
            channel_of(wattle_page_channel_at(full, i), resolution_j, interval_ns);
    const struct wtl_energy_page_options options = {.channels = coarse->channels,
                                                    .count = count,
                                                    .interval_ns = interval_ns,
                                                    .public = true,
                                                    .coarse = true,
                                                    .generation = generation,
                                                    .writer = "wattled " WATTLE_VERSION,
                                                    .boot_id = full->header->boot_id,
                                                    .rest = rest_of,
                                                    .context = coarse};
    int rc = wtl_energy_page_open_writer(&options, &coarse->writer);
    if (rc < 0) {
        free_coarse(coarse);
        return rc;
    }
    coarse->full = NULL;
    *ret_coarse = coarse;
    return 0;
}

/*
 * A reading from long before is not the value of this time: wattled was stopped, has just continued from the ledger, reads
 * more rarely while no reader is connected, or the sensor hangs. Its energy would look like that of the interval after it.
 */
static bool is_old(const struct wtl_coarse *coarse,
                   const struct wattle_page_now *now,
                   uint64_t time_ns)
{
    return now->raw_ns + coarse->interval_ns + coarse->interval_ns / 4 < time_ns;
}

/* Where reads fail, or energy was lost since the last time, the coarse page has the same gap. */
void wtl_coarse_publish(struct wtl_coarse *coarse, const struct wattle_page *full, uint64_t time_ns)
{
    time_ns -= time_ns % coarse->interval_ns;
    for (size_t i = 0; i < coarse->count; i++) {
        struct wattle_page_now now;
        int rc = wattle_page_read(full, i, &now);
        int status = rc < 0 && rc != -ESTALE ? rc : -(int)now.status;
        if (status == 0 && is_old(coarse, &now, time_ns))
            continue;
        uint64_t unknown_ns = status < 0 ? 0 : round_up(now.unknown_ns, coarse->interval_ns);
        if (unknown_ns > coarse->unknown_ns[i]) {
            wtl_energy_page_lose(coarse->writer, i, unknown_ns - coarse->unknown_ns[i]);
            coarse->unknown_ns[i] = unknown_ns;
        }
        double units = status < 0 ? 0 : floor(now.energy_j / coarse->channels[i].scale);
        wtl_energy_page_publish(coarse->writer, i, time_ns, (uint64_t)fmax(units, 0), status);
    }
}

int wtl_coarse_fd(const struct wtl_coarse *coarse)
{
    bool sealed;
    return wtl_energy_page_fd(coarse->writer, &sealed);
}

void wtl_coarse_retire(struct wtl_coarse *coarse)
{
    if (coarse)
        free_coarse(coarse);
}
