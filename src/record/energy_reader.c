/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The readers' side of the energy page: see energy_page.h. The header and the channels are copied
 * and checked once; no byte of the rest can lead out of the mapping, whose size is sealed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/energy_page.h"
#include "record/energy_slot.h"

/* A past time is looked for again if the writer has come around the rings meanwhile. */
enum { LOOKS_MAX = 64 };

struct wtl_energy_reader {
    struct wattle_page page;
    bool mapped; /* by this reader */
    struct wattle_page_header head;
    struct wattle_page_channel *channels;
};

static bool is_sound(const struct wattle_page_channel *channel)
{
    return channel->domain < WATTLE_DOMAIN_COUNT && channel->quality < WATTLE_QUALITY_COUNT &&
           channel->kind < WATTLE_KIND_COUNT && isfinite(channel->scale) && channel->scale > 0;
}

static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
}

static int copy_channels(struct wtl_energy_reader *reader)
{
    size_t count = reader->head.channel_count;
    reader->channels = calloc(count, sizeof *reader->channels);
    if (!reader->channels)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct wattle_page_channel *channel = &reader->channels[i];
        *channel = *wattle_page_channel_at(&reader->page, i);
        end_text(channel->name, sizeof channel->name);
        end_text(channel->sensor, sizeof channel->sensor);
        end_text(channel->within, sizeof channel->within);
        end_text(channel->location, sizeof channel->location);
        end_text(channel->label, sizeof channel->label);
        end_text(channel->leaks, sizeof channel->leaks);
        if (!is_sound(channel))
            return -EBADMSG;
    }
    return 0;
}

static int attach(const struct wattle_page_header *header,
                  size_t size,
                  bool mapped,
                  struct wtl_energy_reader **ret_reader)
{
    struct wtl_energy_reader *reader = header ? calloc(1, sizeof *reader) : NULL;
    if (!reader)
        return header ? -ENOMEM : -EINVAL;
    reader->page = (struct wattle_page){.header = header, .size = size, .socket = -1};
    reader->head = *header;
    int rc = wattle_page_check_(&reader->head, size);
    rc = rc < 0 ? rc : copy_channels(reader);
    if (rc < 0) {
        wtl_energy_page_close(reader);
        return rc;
    }
    reader->mapped = mapped;
    *ret_reader = reader;
    return 0;
}

int wtl_energy_page_attach(const struct wattle_page_header *header,
                           size_t size,
                           struct wtl_energy_reader **ret_reader)
{
    return attach(header, size, false, ret_reader);
}

int wtl_energy_page_open(const char *folder, struct wtl_energy_reader **ret_reader)
{
    struct wtl_energy_link link;
    int rc = wtl_energy_link_find(folder, false, &link);
    if (rc < 0)
        return rc;
    if (link.size < sizeof(struct wattle_page_header))
        rc = -EBADMSG;
    else
        rc = attach(link.at, link.size, true, ret_reader);
    if (rc < 0)
        wtl_energy_link_close(&link);
    else
        wtl_energy_link_keep(&link); /* the mapping keeps the memory alive */
    return rc;
}

void wtl_energy_page_close(struct wtl_energy_reader *reader)
{
    if (!reader)
        return;
    if (reader->mapped)
        wattle_page_close(&reader->page);
    free(reader->channels);
    free(reader);
}

size_t wtl_energy_page_count(const struct wtl_energy_reader *reader)
{
    return reader->head.channel_count;
}

const struct wattle_page_channel *wtl_energy_page_channel(const struct wtl_energy_reader *reader,
                                                          size_t i)
{
    return &reader->channels[i];
}

uint64_t wtl_energy_page_refresh_ns(const struct wtl_energy_reader *reader, size_t i)
{
    return wattle_page_load_(&wattle_page_channel_at(&reader->page, i)->refresh_ns);
}

uint64_t wtl_energy_page_key(const struct wtl_energy_reader *reader)
{
    return reader->head.key;
}

uint64_t wtl_energy_page_interval_ns(const struct wtl_energy_reader *reader)
{
    return reader->head.interval_ns;
}

uint32_t wtl_energy_page_pid(const struct wtl_energy_reader *reader)
{
    return __atomic_load_n(&reader->page.header->pid, __ATOMIC_RELAXED);
}

bool wtl_energy_page_ended(const struct wtl_energy_reader *reader)
{
    return wattle_page_state(&reader->page) != WATTLE_PAGE_LIVE;
}

int wtl_energy_page_look(const struct wtl_energy_reader *reader,
                         size_t i,
                         struct wtl_energy_view *ret_view)
{
    const struct wattle_page_slot *slot = wattle_page_slot_at(&reader->page, i);
    struct wattle_page_now now;
    int rc = wattle_page_copy_(slot, &now);
    if (rc < 0)
        return rc;
    *ret_view = (struct wtl_energy_view){.newest = {.time_ns = now.time_ns,
                                                    .energy_j = now.energy_j,
                                                    .variance_j2 = now.variance_j2,
                                                    .unknown_ns = now.unknown_ns},
                                         .start = wtl_energy_load_point(&slot->start),
                                         .changed_ns = now.changed_ns,
                                         .unknown = now.status != 0};
    if (ret_view->start.time_ns == 0) /* it may just be stored */
        ret_view->start = (struct wattle_page_point){0};
    return 0;
}

/* Search a level's samples (number `first` to `last`, every 2^level-th) around a time not earlier
 * than the first. Returns the number of the one before. */
static uint64_t search(const struct wattle_page_slot *slot,
                       unsigned level,
                       uint64_t first,
                       uint64_t last,
                       uint64_t time_ns,
                       struct wattle_page_point *ret_before,
                       struct wattle_page_point *ret_behind)
{
    const struct wattle_page_point *ring = slot->rings[level];
    uint64_t low = first, high = last + 1; /* low is not later than time_ns, high is */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (wattle_page_load_(&ring[middle % WATTLE_PAGE_RING].time_ns) <= time_ns)
            low = middle;
        else
            high = middle;
    }
    *ret_before = wtl_energy_load_point(&ring[low % WATTLE_PAGE_RING]);
    if (high <= last)
        *ret_behind = wtl_energy_load_point(&ring[high % WATTLE_PAGE_RING]);
    return low;
}

/* The oldest sample of a level that the writer does not overwrite next. */
static uint64_t oldest_of(uint64_t count, unsigned level)
{
    uint64_t next = count >> level;
    return next < WATTLE_PAGE_RING ? 0 : next - (WATTLE_PAGE_RING - 1);
}

/* What a search has used: samples from this number on, of this level. */
struct found {
    unsigned level;
    uint64_t first;
};

/* Search the finest level that reaches back to a time, of the first `count` samples. */
static struct found find(const struct wattle_page_slot *slot,
                         uint64_t count,
                         uint64_t time_ns,
                         struct wattle_page_point *ret_before,
                         struct wattle_page_point *ret_behind)
{
    for (unsigned level = 0; count > 0 && level < WATTLE_PAGE_LEVELS; level++) {
        uint64_t last = (count - 1) >> level, first = oldest_of(count, level);
        const struct wattle_page_point *oldest = &slot->rings[level][first % WATTLE_PAGE_RING];
        if (wattle_page_load_(&oldest->time_ns) <= time_ns) {
            uint64_t low = search(slot, level, first, last, time_ns, ret_before, ret_behind);
            if (ret_behind->time_ns == 0 && level > 0) /* later than the last one of this level */
                *ret_behind =
                    wtl_energy_load_point(&slot->rings[0][(count - 1) % WATTLE_PAGE_RING]);
            return (struct found){level, low};
        }
        if (first == 0) { /* there is no more */
            *ret_behind = wtl_energy_load_point(oldest);
            return (struct found){level, 0};
        }
    }
    return (struct found){0, UINT64_MAX};
}

/*
 * A sample that was overwritten during the search has a later time, so that the search went on
 * before it: all is well if the earliest one that was used is still there, and the newest one.
 */
int wtl_energy_page_around(const struct wtl_energy_reader *reader,
                           size_t i,
                           uint64_t time_ns,
                           struct wattle_page_point *ret_before,
                           struct wattle_page_point *ret_behind)
{
    const struct wattle_page_slot *slot = wattle_page_slot_at(&reader->page, i);
    struct wattle_page_now now, then;
    int rc = wattle_page_copy_(slot, &now);
    for (unsigned looks = 0; rc == 0 && looks < LOOKS_MAX; looks++) {
        struct wattle_page_point before = {0}, behind = {0};
        struct found found = find(slot, now.count, time_ns, &before, &behind);
        rc = wattle_page_copy_(slot, &then);
        if (rc == 0 && oldest_of(then.count, found.level) <= found.first &&
            (now.count == 0 || oldest_of(then.count, 0) < now.count)) {
            *ret_before = before;
            *ret_behind = behind;
            return 0;
        }
        now = then;
    }
    return rc < 0 ? rc : -EAGAIN;
}
