/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sampler's side of the energy page: see energy_page.h. Everything that readers see is stored
 * word by word between two changes of the slot's sequence.
 */
#define _GNU_SOURCE
#include "record/energy_page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "model/bound.h"
#include "model/reading.h"
#include "record/continuity.h"
#include "record/energy_slot.h"

/* The writer's state of a slot that is not in the slot itself. */
struct lane {
    const struct wattle_channel *channel;
    struct wtl_energy_slot *slot;
    struct wtl_continuity continuity;
    struct wtl_energy_point last; /* the newest point */
    double last_w;                /* last power of a gauge */
    uint64_t count, unknown_ns;   /* in gaps, so far */
    bool lost;                    /* some energy was lost since the newest point */
    bool failing, started;
};

struct wtl_energy_writer {
    struct wtl_energy_link link;
    struct wtl_energy_header *header; /* the mapping */
    size_t size;
    char *folder; /* that says where it is; NULL = this process only */
    bool lent;    /* the mapping stays */
    size_t count, channel_count;
    struct lane *lanes; /* one for each slot */
    int *slot_of;       /* by channel; -1 = none */
};

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct wtl_energy_slot *slot_at(struct wtl_energy_header *header, size_t i)
{
    return (struct wtl_energy_slot *)(void *)((char *)header + sizeof *header) + i;
}

static void describe(struct wtl_energy_channel *to, const struct wattle_channel *channel)
{
    *to = (struct wtl_energy_channel){.domain = (uint32_t)channel->domain,
                                      .quantity = (uint32_t)channel->quantity,
                                      .kind = (uint32_t)channel->kind,
                                      .quality = (uint32_t)channel->quality,
                                      .flags = channel->flags,
                                      .index = channel->index,
                                      .scale = channel->scale,
                                      .refresh_ns = channel->refresh_ns,
                                      .window_ns = channel->window_ns};
    (void)snprintf(to->name, sizeof to->name, "%s", channel->name);
}

static bool is_same(const struct wtl_energy_channel *a, const struct wtl_energy_channel *b)
{
    return strncmp(a->name, b->name, sizeof a->name) == 0 && a->domain == b->domain &&
           a->quantity == b->quantity && a->kind == b->kind && a->index == b->index &&
           a->scale == b->scale && a->refresh_ns == b->refresh_ns && a->window_ns == b->window_ns;
}

/* Does a page left by another process have these channels, in this format? */
static bool fits(const struct wtl_energy_writer *w, const struct wtl_energy_header *header)
{
    if (memcmp(header->magic, WTL_ENERGY_MAGIC, sizeof header->magic) != 0 ||
        header->version != WTL_ENERGY_VERSION || header->header_size != sizeof *header ||
        header->slot_size != sizeof(struct wtl_energy_slot) || header->channel_count != w->count ||
        header->levels != WTL_ENERGY_LEVELS || header->ring != WTL_ENERGY_RING ||
        header->state != WTL_ENERGY_LIVE)
        return false;
    for (size_t i = 0; i < w->count; i++) {
        struct wtl_energy_channel want;
        const struct wtl_energy_slot *slot =
            (const struct wtl_energy_slot *)(const void *)(header + 1) + i;
        describe(&want, w->lanes[i].channel);
        if (!is_same(&slot->channel, &want) || slot->raw_ns > monotonic_ns())
            return false;
    }
    return true;
}

/* Continue where another process was killed, possibly in the middle of a sample. */
static void resume(struct lane *lane)
{
    struct wtl_energy_slot *slot = lane->slot;
    uint32_t sequence = slot->sequence;
    __atomic_store_n(&slot->sequence, (sequence + 1) & ~1u, __ATOMIC_RELEASE);
    lane->count = slot->count;
    lane->started = slot->start.time_ns != 0;
    if (lane->count == 0)
        return;
    lane->last = slot->rings[0][(lane->count - 1) % WTL_ENERGY_RING];
    lane->unknown_ns = lane->last.unknown_ns;
    double known_ns = (double)slot->changed_ns - (double)slot->start.time_ns;
    double grown = (lane->last.energy_j - slot->start.energy_j) / lane->channel->scale;
    wtl_continuity_resume(
        &lane->continuity,
        &(struct wtl_continuity_rest){.rate = lane->started && known_ns > 0 ? grown / known_ns : 0,
                                      .last_ns = slot->raw_ns,
                                      .changed_ns = slot->changed_ns,
                                      .before_ns = slot->changed_ns,
                                      .ticks = slot->ticks,
                                      .raw = slot->raw,
                                      .raw_known = true});
}

/* Adopt the page of the previous sampler: held by the caller, or of a living process. */
static int adopt(struct wtl_energy_writer *w, const struct wtl_energy_link *held)
{
    struct wtl_energy_link link;
    int rc = held && held->at ? wtl_energy_link_again(held, &link)
                              : wtl_energy_link_find(w->folder, true, &link);
    if (rc < 0)
        return rc;
    if (link.size != w->size || !fits(w, link.at)) {
        wtl_energy_link_close(&link);
        return -EBADMSG;
    }
    w->link = link;
    w->header = link.at;
    w->header->pid = (uint32_t)getpid();
    for (size_t i = 0; i < w->count; i++) {
        w->lanes[i].slot = slot_at(w->header, i);
        resume(&w->lanes[i]);
    }
    return wtl_energy_link_tell(&w->link, w->folder);
}

static void fill(struct wtl_energy_writer *w, uint64_t interval_ns)
{
    struct wtl_energy_header *header = w->header;
    header->version = WTL_ENERGY_VERSION;
    header->header_size = sizeof *header;
    header->slot_size = sizeof(struct wtl_energy_slot);
    header->channel_count = (uint32_t)w->count;
    header->levels = WTL_ENERGY_LEVELS;
    header->ring = WTL_ENERGY_RING;
    header->state = WTL_ENERGY_LIVE;
    header->pid = (uint32_t)getpid();
    header->interval_ns = interval_ns;
    header->key = monotonic_ns();
    for (size_t i = 0; i < w->count; i++) {
        w->lanes[i].slot = slot_at(header, i);
        describe(&w->lanes[i].slot->channel, w->lanes[i].channel);
    }
    uint64_t magic;
    memcpy(&magic, WTL_ENERGY_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)header->magic, magic, __ATOMIC_RELEASE);
}

/* Filled first, then published: nobody sees half a page. */
static int make_shared(struct wtl_energy_writer *w, uint64_t interval_ns)
{
    int rc = wtl_energy_link_make(w->size, &w->link);
    if (rc < 0)
        return rc;
    w->header = w->link.at;
    fill(w, interval_ns);
    return wtl_energy_link_tell(&w->link, w->folder);
}

static int make_private(struct wtl_energy_writer *w, uint64_t interval_ns)
{
    void *at = mmap(NULL, w->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return -ENOMEM;
    w->link = (struct wtl_energy_link){.at = at, .size = w->size, .fd = -1};
    w->header = at;
    fill(w, interval_ns);
    return 0;
}

/* A channel has the same gaps as in its trace. */
static void note_gap(void *context, const struct wtl_gap *gap)
{
    struct lane *lane = context;
    if (!wtl_gap_loses_energy(gap->reason, lane->channel->kind))
        return;
    lane->unknown_ns += gap->end_ns - gap->begin_ns;
    lane->lost = true;
}

static int list_lanes(struct wtl_energy_writer *w, const struct wattle_channel *channels)
{
    w->slot_of = calloc(w->channel_count + 1, sizeof *w->slot_of);
    w->lanes = calloc(w->channel_count + 1, sizeof *w->lanes);
    if (!w->slot_of || !w->lanes)
        return -ENOMEM;
    for (size_t i = 0; i < w->channel_count; i++) {
        w->slot_of[i] = -1;
        if (!wtl_channel_is_energy(&channels[i]) || w->count == WTL_ENERGY_CHANNELS_MAX)
            continue;
        struct lane *lane = &w->lanes[w->count];
        lane->channel = &channels[i];
        wtl_continuity_init(&lane->continuity, &channels[i], note_gap, lane);
        w->slot_of[i] = (int)w->count++;
    }
    return w->count > 0 ? 0 : -ENODATA;
}

int wtl_energy_page_open_writer(const char *folder,
                                const struct wtl_energy_link *held,
                                const struct wattle_channel *channels,
                                size_t count,
                                uint64_t interval_ns,
                                struct wtl_energy_writer **ret_writer)
{
    struct wtl_energy_writer *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->link.fd = -1;
    w->channel_count = count;
    int rc = list_lanes(w, channels);
    w->size = sizeof(struct wtl_energy_header) + w->count * sizeof(struct wtl_energy_slot);
    if (rc == 0 && folder && !(w->folder = strdup(folder)))
        rc = -ENOMEM;
    if (rc == 0 && !folder)
        rc = make_private(w, interval_ns);
    else if (rc == 0 && adopt(w, held) < 0)
        rc = w->header ? -EIO : make_shared(w, interval_ns);
    if (rc < 0) {
        wtl_energy_page_forget_writer(w);
        return rc;
    }
    *ret_writer = w;
    return 0;
}

void wtl_energy_page_begin(struct wtl_energy_writer *writer, uint64_t start_ns)
{
    uint64_t none = 0;
    (void)__atomic_compare_exchange_n(&writer->header->start_ns, &none, start_ns, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

const struct wtl_energy_header *wtl_energy_page_lend(struct wtl_energy_writer *writer,
                                                     size_t *ret_size)
{
    writer->lent = true;
    *ret_size = writer->size;
    return writer->header;
}

void wtl_energy_page_forget_writer(struct wtl_energy_writer *writer)
{
    if (!writer)
        return;
    if (writer->lent)
        wtl_energy_link_keep(&writer->link);
    else
        wtl_energy_link_close(&writer->link);
    free(writer->folder);
    free(writer->lanes);
    free(writer->slot_of);
    free(writer);
}

void wtl_energy_page_close_writer(struct wtl_energy_writer *writer)
{
    if (!writer)
        return;
    __atomic_store_n(&writer->header->state, WTL_ENERGY_ENDED, __ATOMIC_RELAXED);
    if (writer->folder)
        wtl_energy_link_remove(writer->folder);
    wtl_energy_page_forget_writer(writer);
}

/* Integrate the energy of a gauge or window average up to a reading, as the tally does. */
static void integrate(struct lane *lane, uint64_t raw, struct wtl_energy_point *next)
{
    double power_w = wtl_channel_value(lane->channel, raw);
    if (lane->count > 0 && !lane->lost) {
        double seconds = (double)(next->time_ns - lane->last.time_ns) * 1e-9;
        double from_w = lane->channel->kind == WATTLE_WINDOW_AVERAGE ? power_w : lane->last_w;
        double half_j = (power_w - lane->last_w) / 2 * seconds;
        next->energy_j += (from_w + power_w) / 2 * seconds;
        next->variance_j2 += half_j * half_j / 3;
    }
    lane->last_w = power_w;
}

static struct wtl_energy_point between(const struct wtl_energy_point *a,
                                       const struct wtl_energy_point *b,
                                       uint64_t time_ns)
{
    double part = (double)(time_ns - a->time_ns) / (double)(b->time_ns - a->time_ns);
    struct wtl_energy_point at = *a;
    at.time_ns = time_ns;
    at.energy_j += part * (b->energy_j - a->energy_j);
    at.variance_j2 += part * (b->variance_j2 - a->variance_j2);
    return at;
}

/* The energy at the start of the window, once a sample after it exists. */
static void find_start(struct wtl_energy_writer *w,
                       struct lane *lane,
                       const struct wtl_energy_point *next)
{
    uint64_t start_ns = __atomic_load_n(&w->header->start_ns, __ATOMIC_RELAXED);
    if (lane->started || start_ns == 0 || next->time_ns < start_ns)
        return;
    lane->started = true;
    bool spans =
        lane->count > 0 && lane->last.time_ns < start_ns && next->time_ns > lane->last.time_ns;
    struct wtl_energy_point start = spans ? between(&lane->last, next, start_ns) : *next;
    wtl_energy_store_point(&lane->slot->start, &start);
}

static void store(struct wtl_energy_writer *w,
                  struct lane *lane,
                  uint64_t raw,
                  const struct wtl_energy_point *next)
{
    struct wtl_energy_slot *slot = lane->slot;
    uint64_t number = lane->count;
    wtl_energy_slot_open(slot);
    find_start(w, lane, next);
    for (unsigned level = 0; level < WTL_ENERGY_LEVELS; level++) {
        wtl_energy_store_point(&slot->rings[level][(number >> level) % WTL_ENERGY_RING], next);
        if (number >> level & 1)
            break;
    }
    wtl_energy_store(&slot->count, number + 1);
    wtl_energy_store(&slot->raw, raw);
    wtl_energy_store(&slot->raw_ns, next->time_ns);
    wtl_energy_store(&slot->ticks, lane->continuity.unwrap.ticks);
    wtl_energy_store(&slot->changed_ns, lane->continuity.changed_ns);
    __atomic_store_n(&slot->unknown, lane->failing, __ATOMIC_RELAXED);
    wtl_energy_slot_shut(slot);
    lane->last = *next;
    lane->count = number + 1;
    lane->lost = false;
}

/* Has the value been unchanged for longer than its ticks explain? It is not known yet whether that
 * is energy that comes later or lost time: the newest point remains the one at which it counted. */
static bool stands(const struct lane *lane, uint64_t time_ns)
{
    return wtl_stands_still(lane->channel, time_ns - lane->continuity.changed_ns);
}

/* The next point after a good reading; false = none, while a counter stands still. A counter found
 * to have stalled gets one, which says since when nothing is known. */
static bool take(struct lane *lane, uint64_t raw, struct wtl_energy_point *next)
{
    uint64_t value;
    lane->failing = !wtl_continuity_read(&lane->continuity, next->time_ns, raw, &value);
    lane->failing = lane->failing || wtl_continuity_stands(&lane->continuity);
    if ((lane->failing || stands(lane, next->time_ns)) && !lane->lost)
        return false;
    if (lane->channel->kind == WATTLE_COUNTER)
        next->energy_j = (double)lane->continuity.unwrap.ticks * lane->channel->scale;
    else
        integrate(lane, raw, next);
    next->unknown_ns = lane->count > 0 ? lane->unknown_ns : 0;
    lane->unknown_ns = next->unknown_ns;
    return true;
}

void wtl_energy_page_publish(struct wtl_energy_writer *writer,
                             size_t channel,
                             uint64_t time_ns,
                             uint64_t raw,
                             int status)
{
    if (channel >= writer->channel_count || writer->slot_of[channel] < 0)
        return;
    struct lane *lane = &writer->lanes[writer->slot_of[channel]];
    struct wtl_energy_point next = lane->last;
    bool was_failing = lane->failing;
    if (status == 0 && time_ns <= lane->last.time_ns)
        return; /* same time again */
    next.time_ns = time_ns;
    if (status == 0 && take(lane, raw, &next)) {
        store(writer, lane, raw, &next);
        return;
    }
    if (status != 0) {
        wtl_continuity_miss(&lane->continuity, time_ns, WTL_GAP_READ_FAILED, -status);
        lane->failing = true;
    }
    if (lane->failing && !was_failing)
        __atomic_store_n(&lane->slot->unknown, 1, __ATOMIC_RELAXED);
}
