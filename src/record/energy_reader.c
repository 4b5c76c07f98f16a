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
#include <sys/mman.h>

#include "record/energy_page.h"
#include "record/energy_slot.h"

/* A writer needs some tens of nanoseconds; if it was preempted in the middle, look this many
 * times. */
enum { LOOKS_MAX = 20000 };

struct wtl_energy_reader {
    const struct wtl_energy_header *header;
    size_t size;
    bool mapped; /* by this reader */
    struct wtl_energy_header head;
    struct wtl_energy_channel *channels;
};

static const struct wtl_energy_slot *slot_at(const struct wtl_energy_reader *reader, size_t i)
{
    return (const struct wtl_energy_slot *)(const void *)(reader->header + 1) + i;
}

/* Is the copied header a page that this code can read, and does its length match the file? */
static int check(const struct wtl_energy_header *head, size_t size)
{
    if (memcmp(head->magic, WTL_ENERGY_MAGIC, sizeof head->magic) != 0 ||
        head->version != WTL_ENERGY_VERSION || head->header_size != sizeof *head ||
        head->slot_size != sizeof(struct wtl_energy_slot) || head->levels != WTL_ENERGY_LEVELS ||
        head->ring != WTL_ENERGY_RING || head->channel_count == 0 ||
        head->channel_count > WTL_ENERGY_CHANNELS_MAX)
        return -EBADMSG;
    return size == sizeof *head + head->channel_count * sizeof(struct wtl_energy_slot) ? 0
                                                                                       : -EBADMSG;
}

static bool is_sound(const struct wtl_energy_channel *channel)
{
    return channel->domain < WATTLE_DOMAIN_COUNT && channel->quality < WATTLE_QUALITY_COUNT &&
           channel->kind < WATTLE_KIND_COUNT && isfinite(channel->scale) && channel->scale > 0;
}

static int copy_channels(struct wtl_energy_reader *reader)
{
    size_t count = reader->head.channel_count;
    reader->channels = calloc(count, sizeof *reader->channels);
    if (!reader->channels)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct wtl_energy_channel *channel = &reader->channels[i];
        *channel = slot_at(reader, i)->channel;
        channel->name[sizeof channel->name - 1] = '\0';
        if (!is_sound(channel))
            return -EBADMSG;
    }
    return 0;
}

static int attach(const struct wtl_energy_header *header,
                  size_t size,
                  bool mapped,
                  struct wtl_energy_reader **ret_reader)
{
    struct wtl_energy_reader *reader = header ? calloc(1, sizeof *reader) : NULL;
    if (!reader)
        return header ? -ENOMEM : -EINVAL;
    *reader = (struct wtl_energy_reader){.header = header, .size = size, .head = *header};
    int rc = check(&reader->head, size);
    rc = rc < 0 ? rc : copy_channels(reader);
    if (rc < 0) {
        wtl_energy_page_close(reader);
        return rc;
    }
    reader->mapped = mapped;
    *ret_reader = reader;
    return 0;
}

int wtl_energy_page_attach(const struct wtl_energy_header *header,
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
    if (link.size < sizeof(struct wtl_energy_header))
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
        (void)munmap((void *)(uintptr_t)reader->header, reader->size);
    free(reader->channels);
    free(reader);
}

size_t wtl_energy_page_count(const struct wtl_energy_reader *reader)
{
    return reader->head.channel_count;
}

const struct wtl_energy_channel *wtl_energy_page_channel(const struct wtl_energy_reader *reader,
                                                         size_t i)
{
    return &reader->channels[i];
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
    return __atomic_load_n(&reader->header->pid, __ATOMIC_RELAXED);
}

bool wtl_energy_page_ended(const struct wtl_energy_reader *reader)
{
    return __atomic_load_n(&reader->header->state, __ATOMIC_RELAXED) != WTL_ENERGY_LIVE;
}

static uint32_t sequence_of(const struct wtl_energy_slot *slot)
{
    return __atomic_load_n(&slot->sequence, __ATOMIC_ACQUIRE);
}

int wtl_energy_page_look(const struct wtl_energy_reader *reader,
                         size_t i,
                         struct wtl_energy_view *ret_view)
{
    const struct wtl_energy_slot *slot = slot_at(reader, i);
    for (unsigned looks = 0; looks < LOOKS_MAX; looks++) {
        uint32_t sequence = sequence_of(slot);
        struct wtl_energy_view view = {.start = wtl_energy_load_point(&slot->start)};
        uint64_t count = wtl_energy_load(&slot->count);
        if (count > 0)
            view.newest = wtl_energy_load_point(&slot->rings[0][(count - 1) % WTL_ENERGY_RING]);
        view.changed_ns = wtl_energy_load(&slot->changed_ns);
        view.unknown = __atomic_load_n(&slot->unknown, __ATOMIC_ACQUIRE) != 0;
        if (sequence % 2 == 0 && sequence_of(slot) == sequence) {
            *ret_view = view;
            return 0;
        }
    }
    return -EAGAIN;
}

/* Search a level's samples (number `first` to `last`, every 2^level-th) around a time later than
 * the first. */
static void search(const struct wtl_energy_slot *slot,
                   unsigned level,
                   uint64_t first,
                   uint64_t last,
                   uint64_t time_ns,
                   struct wtl_energy_point *ret_before,
                   struct wtl_energy_point *ret_behind)
{
    const struct wtl_energy_point *ring = slot->rings[level];
    uint64_t low = first, high = last + 1; /* low is not later than time_ns, high is */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (wtl_energy_load(&ring[middle % WTL_ENERGY_RING].time_ns) <= time_ns)
            low = middle;
        else
            high = middle;
    }
    *ret_before = wtl_energy_load_point(&ring[low % WTL_ENERGY_RING]);
    if (high <= last)
        *ret_behind = wtl_energy_load_point(&ring[high % WTL_ENERGY_RING]);
}

/* The finest level that reaches back to a time. */
static void find(const struct wtl_energy_slot *slot,
                 uint64_t time_ns,
                 struct wtl_energy_point *ret_before,
                 struct wtl_energy_point *ret_behind)
{
    uint64_t count = wtl_energy_load(&slot->count);
    for (unsigned level = 0; count > 0 && level < WTL_ENERGY_LEVELS; level++) {
        uint64_t last = (count - 1) >> level;
        uint64_t first = last < WTL_ENERGY_RING ? 0 : last - (WTL_ENERGY_RING - 1);
        const struct wtl_energy_point *oldest = &slot->rings[level][first % WTL_ENERGY_RING];
        if (wtl_energy_load(&oldest->time_ns) <= time_ns) {
            search(slot, level, first, last, time_ns, ret_before, ret_behind);
            if (ret_behind->time_ns == 0 && level > 0) /* later than the last one of this level */
                *ret_behind = wtl_energy_load_point(&slot->rings[0][(count - 1) % WTL_ENERGY_RING]);
            return;
        }
        if (first == 0) { /* there is no more */
            *ret_behind = wtl_energy_load_point(oldest);
            return;
        }
    }
}

int wtl_energy_page_around(const struct wtl_energy_reader *reader,
                           size_t i,
                           uint64_t time_ns,
                           struct wtl_energy_point *ret_before,
                           struct wtl_energy_point *ret_behind)
{
    const struct wtl_energy_slot *slot = slot_at(reader, i);
    for (unsigned looks = 0; looks < LOOKS_MAX; looks++) {
        struct wtl_energy_point before = {0}, behind = {0};
        uint32_t sequence = sequence_of(slot);
        if (sequence % 2 == 0) {
            find(slot, time_ns, &before, &behind);
            if (sequence_of(slot) == sequence) {
                *ret_before = before;
                *ret_behind = behind;
                return 0;
            }
        }
    }
    return -EAGAIN;
}
