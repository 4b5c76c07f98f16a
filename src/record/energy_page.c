/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sampler's side of the energy page: see energy_page.h and energy_slot.h.
 */
#define _GNU_SOURCE
#include "record/energy_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <wattle/version.h>

#include "model/bound.h"
#include "model/gauge/quantum.h"
#include "model/pace.h"
#include "model/reading.h"
#include "record/continuity.h"
#include "record/energy_leaks.h"
#include "record/energy_slot.h"

/* The writer's state of a slot. */
struct lane {
    const struct wattle_channel *channel;
    struct wattle_page_header *header; /* its page and slot; used by the lane only, once open */
    struct wattle_page_slot *slot;
    struct wattle_page_channel *row;
    struct wattle_page_header *next; /* atomic: a new page, to which the lane moves; NULL = none */
    struct wtl_continuity continuity;
    struct wattle_page_now now;     /* as published */
    struct wattle_page_point power; /* where the power is counted from */
    double last_w;                  /* last power of a gauge */
    uint64_t unknown_ns;            /* in gaps, so far */
    uint64_t half_ns;               /* by which the time of the next reading may be off */
    uint64_t span_ns;               /* shortest time over which a counter's power is a mean */
    struct wtl_pace pace;           /* of a counter: */
    struct wtl_polled polled;       /* of the polls before the start */
    uint64_t adopted_ns;            /* the refresh that the writer before found; 0 = none */
    uint64_t refresh_ns;            /* that these show, in place of the channel's; 0 = not */
    struct wtl_quantum quantum;     /* of a gauge */
    double too_high_j;              /* that was counted by readings which were too high */
    bool owes;                      /* not all of it is taken back */
    bool lost;                      /* some energy was lost since the newest point */
    bool started;
};

/* A page as the writer has it. */
struct sheet {
    struct wtl_energy_link link;
    struct wattle_page_header *header; /* the mapping */
    int reading_fd;                    /* of a public page; -1 = none */
};

struct wtl_energy_writer {
    struct sheet sheet, old; /* old: retired, while a lane may still write to it */
    struct wtl_energy_page_options options;
    char *folder; /* that says where it is; NULL = this process only */
    size_t size;
    bool lent;   /* the mapping stays */
    bool sealed; /* a public page, by a seal */
    size_t count, channel_count;
    struct lane *lanes; /* one for each slot */
    int *slot_of;       /* by channel; -1 = none */
};

enum { LEARN_REFRESHES = 3 };              /* between readings that show how often it ticks */
enum { POWER_TICKS = 20 };                 /* in a mean power of a counter, at least */
static const uint64_t POWER_NS = 20000000; /* and at least so long */
static const uint64_t MOVE_NS = 200000000; /* that renewing waits for lanes */
static const struct timespec MOVE_STEP = {0, 1000000};

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct wattle_page_channel *table_of(struct wattle_page_header *header)
{
    return (struct wattle_page_channel *)(void *)(header + 1);
}

static struct wattle_page_slot *slot_at(struct wattle_page_header *header, size_t count, size_t i)
{
    return (struct wattle_page_slot *)(void *)(table_of(header) + count) + i;
}

static void describe(struct wattle_page_channel *to, const struct wattle_channel *channel)
{
    *to = (struct wattle_page_channel){.domain = (uint32_t)channel->domain,
                                       .quantity = (uint32_t)channel->quantity,
                                       .kind = (uint32_t)channel->kind,
                                       .quality = (uint32_t)channel->quality,
                                       .flags = channel->flags,
                                       .index = channel->index,
                                       .sub = channel->sub,
                                       .scale = channel->scale,
                                       .refresh_ns = channel->refresh_ns,
                                       .window_ns = channel->window_ns,
                                       .max_w = channel->max_w,
                                       .ratio_low = channel->ratio_low,
                                       .ratio_high = channel->ratio_high};
    (void)snprintf(to->name, sizeof to->name, "%s", channel->name);
    (void)snprintf(to->sensor, sizeof to->sensor, "%s", channel->sensor);
    (void)snprintf(to->within, sizeof to->within, "%s", channel->within);
    (void)snprintf(to->location, sizeof to->location, "%s", channel->location);
    (void)snprintf(to->label, sizeof to->label, "%s", channel->label);
    (void)snprintf(to->leaks, sizeof to->leaks, "%s", wtl_energy_leaks(channel->domain));
}

static bool is_same(const struct wattle_page_channel *a, const struct wattle_page_channel *b)
{
    return strncmp(a->name, b->name, sizeof a->name) == 0 && a->domain == b->domain &&
           a->quantity == b->quantity && a->kind == b->kind && a->index == b->index &&
           a->scale == b->scale && a->window_ns == b->window_ns;
}

/* Does a page left by another process have these channels, in this format? */
static bool fits(const struct wtl_energy_writer *w, struct wattle_page_header *header)
{
    if (wattle_page_check_(header, w->size) < 0 || header->channel_count != w->count ||
        header->state != WATTLE_PAGE_LIVE)
        return false;
    for (size_t i = 0; i < w->count; i++) {
        struct wattle_page_channel want;
        const struct wattle_page_slot *slot = slot_at(header, w->count, i);
        describe(&want, w->lanes[i].channel);
        const struct wattle_page_channel *row = &table_of(header)[i];
        bool paced = row->refresh_ns == want.refresh_ns ||
                     (want.refresh_ns > 0 && row->refresh_ns > want.refresh_ns); /* as it found */
        if (!is_same(row, &want) || !paced || slot->now[slot->sequence & 1].raw_ns > monotonic_ns())
            return false;
    }
    return true;
}

/* Continue from the last values of another writer; from: where its energy is counted from. */
static void resume(struct lane *lane,
                   const struct wattle_page_now *now,
                   const struct wattle_page_point *from)
{
    lane->now = *now;
    lane->unknown_ns = now->unknown_ns;
    lane->now.power_w = NAN;
    if (now->time_ns == 0)
        return;
    if (lane->channel->kind == WATTLE_COUNTER)
        lane->too_high_j = (double)now->ticks * lane->channel->scale - now->energy_j;
    double known_ns = (double)now->changed_ns - (double)from->time_ns;
    double grown = (now->energy_j - from->energy_j) / lane->channel->scale;
    wtl_continuity_resume(&lane->continuity,
                          &(struct wtl_continuity_rest){
                              .rate = from->time_ns && known_ns > 0 ? grown / known_ns : 0,
                              .last_ns = now->raw_ns,
                              .changed_ns = now->changed_ns,
                              .before_ns = now->before_ns ? now->before_ns : now->changed_ns,
                              .ticks = now->ticks,
                              .raw = now->raw,
                              .raw_known = true});
}

static void use_slot(const struct wtl_energy_writer *w,
                     struct lane *lane,
                     struct wattle_page_header *header)
{
    lane->header = header;
    lane->slot = slot_at(header, w->count, (size_t)(lane - w->lanes));
    lane->row = &table_of(header)[lane - w->lanes];
    if (lane->refresh_ns)
        wtl_energy_store(&lane->row->refresh_ns, lane->refresh_ns);
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
    w->sheet.link = link;
    w->sheet.header = link.at;
    w->sheet.header->pid = (uint32_t)getpid();
    for (size_t i = 0; i < w->count; i++) {
        struct lane *lane = &w->lanes[i];
        use_slot(w, lane, w->sheet.header);
        if (lane->row->refresh_ns > lane->channel->refresh_ns)
            lane->adopted_ns = lane->refresh_ns = lane->row->refresh_ns;
        struct wattle_page_now now = wtl_energy_unlatch(lane->slot);
        lane->started = lane->slot->start.time_ns != 0;
        resume(lane, &now, &lane->slot->start);
    }
    return wtl_energy_link_tell(&w->sheet.link, w->folder);
}

/* Fill zeroed memory, the magic last. */
static void fill(const struct wtl_energy_writer *w,
                 struct wattle_page_header *header,
                 uint64_t generation)
{
    const char *program = w->options.writer ? w->options.writer : "wattle " WATTLE_VERSION;
    header->version = WATTLE_PAGE_VERSION;
    header->header_size = sizeof *header;
    header->channel_size = sizeof(struct wattle_page_channel);
    header->slot_size = sizeof(struct wattle_page_slot);
    header->channel_count = (uint32_t)w->count;
    header->levels = WATTLE_PAGE_LEVELS;
    header->ring = WATTLE_PAGE_RING;
    header->state = WATTLE_PAGE_LIVE;
    header->pid = (uint32_t)getpid();
    header->detail = w->options.coarse ? WATTLE_PAGE_COARSE : WATTLE_PAGE_FULL;
    header->interval_ns = w->options.interval_ns;
    header->generation = generation;
    header->beat_ns = header->key = monotonic_ns();
    (void)snprintf(header->writer, sizeof header->writer, "%s", program);
    (void)snprintf(header->boot_id, sizeof header->boot_id, "%s",
                   w->options.boot_id ? w->options.boot_id : "");
    for (size_t i = 0; i < w->count; i++) {
        struct wattle_page_slot *slot = slot_at(header, w->count, i);
        describe(&table_of(header)[i], w->lanes[i].channel);
        if (!w->lanes[i].slot) { /* else the lane, which may run, brings its values when it moves */
            struct wattle_page_now now = w->lanes[i].now;
            now.count = 0;
            now.quality = (uint32_t)w->lanes[i].channel->quality;
            slot->now[0] = slot->now[1] = now;
        }
    }
    uint64_t magic;
    memcpy(&magic, WATTLE_PAGE_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)header->magic, magic, __ATOMIC_RELEASE);
}

/* Memory for a page: public, or of this user. */
static int make_sheet(struct wtl_energy_writer *w, uint64_t generation, struct sheet *ret_sheet)
{
    struct sheet sheet = {.reading_fd = -1};
    int rc = w->options.public
                 ? wtl_energy_link_make_public(w->size, &sheet.link, &sheet.reading_fd, &w->sealed)
                 : wtl_energy_link_make(w->size, &sheet.link);
    if (rc < 0)
        return rc;
    sheet.header = sheet.link.at;
    fill(w, sheet.header, generation);
    *ret_sheet = sheet;
    return 0;
}

static void close_sheet(struct sheet *sheet)
{
    if (sheet->reading_fd >= 0)
        (void)close(sheet->reading_fd); /* read only */
    wtl_energy_link_close(&sheet->link);
    *sheet = (struct sheet){.link = {.fd = -1}, .reading_fd = -1};
}

static void use_slots(struct wtl_energy_writer *w)
{
    for (size_t i = 0; i < w->count; i++)
        use_slot(w, &w->lanes[i], w->sheet.header);
}

/* Filled first, then published: readers never see half a page. */
static int make_shared(struct wtl_energy_writer *w)
{
    int rc = make_sheet(w, w->options.generation, &w->sheet);
    if (rc < 0)
        return rc;
    use_slots(w);
    return w->folder ? wtl_energy_link_tell(&w->sheet.link, w->folder) : 0;
}

static int make_private(struct wtl_energy_writer *w)
{
    void *at = mmap(NULL, w->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return -ENOMEM;
    w->sheet.link = (struct wtl_energy_link){.at = at, .size = w->size, .fd = -1};
    w->sheet.header = at;
    fill(w, w->sheet.header, 0);
    use_slots(w);
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

static int list_lanes(struct wtl_energy_writer *w)
{
    w->slot_of = calloc(w->channel_count + 1, sizeof *w->slot_of);
    w->lanes = calloc(w->channel_count + 1, sizeof *w->lanes);
    w->count = 0;
    if (!w->slot_of || !w->lanes)
        return -ENOMEM;
    for (size_t i = 0; i < w->channel_count; i++) {
        const struct wattle_channel *channel = &w->options.channels[i];
        w->slot_of[i] = -1;
        if (!wtl_channel_is_energy(channel) || w->count == WATTLE_PAGE_CHANNELS_MAX)
            continue;
        struct lane *lane = &w->lanes[w->count];
        lane->channel = channel;
        lane->now.power_w = NAN;
        lane->now.quality = (uint32_t)channel->quality;
        lane->span_ns = POWER_TICKS * channel->refresh_ns;
        lane->span_ns = lane->span_ns > POWER_NS ? lane->span_ns : POWER_NS;
        wtl_continuity_init(&lane->continuity, channel, note_gap, lane);
        w->slot_of[i] = (int)w->count++;
    }
    return w->count > 0 ? 0 : -ENODATA;
}

/* Energies continue from what an earlier writer has left, if it is of the past. */
static void use_rests(struct wtl_energy_writer *w)
{
    struct wattle_page_now now;
    const struct wattle_page_point boot = {.time_ns = 1};
    for (size_t i = 0; w->options.rest && i < w->count; i++) {
        struct lane *lane = &w->lanes[i];
        if (w->options.rest(w->options.context, lane->channel, &now) &&
            now.raw_ns <= monotonic_ns()) {
            now.count = 0;
            resume(lane, &now, &boot);
        }
    }
}

int wtl_energy_page_open_writer(const struct wtl_energy_page_options *options,
                                struct wtl_energy_writer **ret_writer)
{
    struct wtl_energy_writer *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->sheet = w->old = (struct sheet){.link = {.fd = -1}, .reading_fd = -1};
    w->options = *options;
    w->channel_count = options->count;
    int rc = list_lanes(w);
    w->size = sizeof(struct wattle_page_header) +
              w->count * (sizeof(struct wattle_page_channel) + sizeof(struct wattle_page_slot));
    if (rc == 0 && options->folder && !(w->folder = strdup(options->folder)))
        rc = -ENOMEM;
    if (rc == 0)
        use_rests(w);
    if (rc == 0 && !w->folder && !options->public)
        rc = make_private(w);
    else if (rc == 0 && (!w->folder || adopt(w, options->held) < 0))
        rc = w->sheet.header ? -EIO : make_shared(w);
    if (rc < 0) {
        wtl_energy_page_forget_writer(w);
        return rc;
    }
    *ret_writer = w;
    return 0;
}

int wtl_energy_page_fd(const struct wtl_energy_writer *writer, bool *ret_sealed)
{
    *ret_sealed = writer->sealed;
    return writer->sheet.reading_fd;
}

void wtl_energy_page_set_interval(struct wtl_energy_writer *writer, uint64_t interval_ns)
{
    writer->options.interval_ns = interval_ns;
    wtl_energy_store(&writer->sheet.header->interval_ns, interval_ns);
}

/* Have all lanes moved to their new slots? */
static bool have_moved(const struct wtl_energy_writer *w)
{
    for (size_t i = 0; i < w->count; i++) {
        if (__atomic_load_n(&w->lanes[i].next, __ATOMIC_ACQUIRE))
            return false;
    }
    return true;
}

/* A lane that hangs may yet finish a write to this page: its memory is given back, its addresses never. */
static void abandon_sheet(const struct wtl_energy_writer *w, struct sheet *sheet)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (sheet->link.at)
        (void)mmap(sheet->link.at, w->size, PROT_READ | PROT_WRITE, flags, -1, 0);
    sheet->link.at = NULL;
    close_sheet(sheet);
}

int wtl_energy_page_renew(struct wtl_energy_writer *writer, uint64_t generation)
{
    struct sheet fresh;
    int rc = make_sheet(writer, generation, &fresh);
    if (rc < 0)
        return rc;
    if (have_moved(writer))
        close_sheet(&writer->old);
    else
        abandon_sheet(writer, &writer->old);
    writer->old = writer->sheet;
    writer->sheet = fresh;
    for (size_t i = 0; i < writer->count; i++)
        __atomic_store_n(&writer->lanes[i].next, fresh.header, __ATOMIC_RELEASE);
    uint64_t until_ns = monotonic_ns() + MOVE_NS;
    while (!have_moved(writer) && monotonic_ns() < until_ns)
        (void)nanosleep(&MOVE_STEP, NULL);
    __atomic_store_n(&writer->old.header->state, WATTLE_PAGE_RETIRED, __ATOMIC_RELEASE);
    return 0;
}

void wtl_energy_page_begin(struct wtl_energy_writer *writer, uint64_t start_ns)
{
    uint64_t none = 0;
    (void)__atomic_compare_exchange_n(&writer->sheet.header->start_ns, &none, start_ns, false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

const struct wattle_page_header *wtl_energy_page_lend(struct wtl_energy_writer *writer,
                                                      size_t *ret_size)
{
    writer->lent = true;
    *ret_size = writer->size;
    return writer->sheet.header;
}

void wtl_energy_page_forget_writer(struct wtl_energy_writer *writer)
{
    if (!writer)
        return;
    if (writer->lent) {
        writer->sheet.link.at = NULL; /* the mapping stays */
        writer->old.link.at = NULL;
    }
    close_sheet(&writer->sheet);
    close_sheet(&writer->old);
    free(writer->folder);
    free(writer->lanes);
    free(writer->slot_of);
    free(writer);
}

void wtl_energy_page_close_writer(struct wtl_energy_writer *writer)
{
    if (!writer)
        return;
    /* Another wattled continues a public page; that of a run is not continued. */
    uint32_t state = writer->options.public ? WATTLE_PAGE_RETIRED : WATTLE_PAGE_ENDED;
    __atomic_store_n(&writer->sheet.header->state, state, __ATOMIC_RELEASE);
    if (writer->folder)
        wtl_energy_link_remove(writer->folder);
    wtl_energy_page_forget_writer(writer);
}

/* Integrate the energy of a gauge or window average up to a reading, as the tally does. */
static void integrate(struct lane *lane, uint64_t raw, struct wattle_page_now *next)
{
    double power_w = wtl_channel_value(lane->channel, raw);
    if (lane->now.time_ns > 0 && !lane->lost) {
        double seconds = (double)(next->time_ns - lane->now.time_ns) * 1e-9;
        double from_w = lane->channel->kind == WATTLE_WINDOW_AVERAGE ? power_w : lane->last_w;
        double half_j =
            wtl_window_off(lane->channel, seconds * 1e9, power_w - lane->last_w) * seconds;
        next->energy_j += (from_w + power_w) / 2 * seconds;
        next->variance_j2 += half_j * half_j / 3;
    }
    wtl_quantum_add(&lane->quantum, raw);
    lane->last_w = power_w;
    next->power_w = power_w;
    next->power_ns = 0;
    next->off_w = wtl_quantum_half(&lane->quantum, lane->channel);
}

/*
 * What readings counted that turned out to be too high was handed out and is no energy. A page never counts down: it stands still until
 * the counter has counted as much again, and nothing is known of the energy of that time.
 */
static void take_back(struct lane *lane, struct wattle_page_now *next)
{
    double scale = lane->channel->scale;
    lane->too_high_j += (double)lane->continuity.too_high * scale;
    lane->continuity.too_high = 0;
    double counted_j = (double)next->ticks * scale - lane->too_high_j;
    bool owes = counted_j < lane->now.energy_j - scale / 2;
    if (lane->owes && !lane->lost)
        lane->unknown_ns += next->time_ns - lane->now.time_ns;
    lane->owes = owes;
    next->energy_j = owes ? lane->now.energy_j : counted_j;
}

/* The mean power of a counter from one of its ticks to another, over enough of them. */
static void average(struct lane *lane, struct wattle_page_now *next)
{
    struct wattle_page_point *from = &lane->power;
    if (next->changed_ns != next->time_ns || next->before_ns == 0)
        return; /* not at a tick */
    if (from->time_ns > 0 && from->unknown_ns == next->unknown_ns &&
        next->time_ns - from->time_ns < lane->span_ns)
        return;
    bool known = from->time_ns > 0 && from->unknown_ns == next->unknown_ns;
    next->power_ns = known ? next->time_ns - from->time_ns : 0;
    next->power_w =
        known ? (next->energy_j - from->energy_j) / (double)next->power_ns * 1e9 : (double)NAN;
    *from = (struct wattle_page_point){
        .time_ns = next->time_ns, .energy_j = next->energy_j, .unknown_ns = next->unknown_ns};
}

static struct wattle_page_point point_of(const struct wattle_page_now *now)
{
    return (struct wattle_page_point){.time_ns = now->time_ns,
                                      .energy_j = now->energy_j,
                                      .variance_j2 = now->variance_j2,
                                      .unknown_ns = now->unknown_ns};
}

static struct wattle_page_point between(const struct wattle_page_point *a,
                                        const struct wattle_page_point *b,
                                        uint64_t time_ns)
{
    double part = (double)(time_ns - a->time_ns) / (double)(b->time_ns - a->time_ns);
    struct wattle_page_point at = *a;
    at.time_ns = time_ns;
    at.energy_j += part * (b->energy_j - a->energy_j);
    at.variance_j2 += part * (b->variance_j2 - a->variance_j2);
    return at;
}

/* The energy at the start of the window, once a sample after it exists. */
static void find_start(struct lane *lane, const struct wattle_page_point *next)
{
    uint64_t start_ns = __atomic_load_n(&lane->header->start_ns, __ATOMIC_RELAXED);
    struct wattle_page_point last = point_of(&lane->now);
    if (start_ns == 0 || next->time_ns < start_ns)
        return;
    lane->started = true;
    bool spans = last.time_ns > 0 && last.time_ns < start_ns && next->time_ns > last.time_ns;
    struct wattle_page_point start = spans ? between(&last, next, start_ns) : *next;
    wtl_energy_store_point(&lane->slot->start, &start);
}

/* A new sample. */
static void store(struct lane *lane, struct wattle_page_now *next)
{
    struct wattle_page_point point = point_of(next);
    uint64_t number = next->count++;
    if (!lane->started)
        find_start(lane, &point);
    for (unsigned level = 0; level < WATTLE_PAGE_LEVELS; level++) {
        wtl_energy_store_point(&lane->slot->rings[level][(number >> level) % WATTLE_PAGE_RING],
                               &point);
        if (number >> level & 1)
            break;
    }
    lane->lost = false;
}

/* Has the value been unchanged for longer than its ticks explain? It is not known yet whether that
 * is energy that comes later or lost time: the newest point remains the one at which it counted. */
static bool stands(const struct lane *lane, uint64_t time_ns)
{
    return wtl_stands_still(lane->channel, time_ns - lane->continuity.changed_ns);
}

/*
 * A filtered counter ticks more slowly than its driver knows. Readers of a page see too few of its values to find
 * out, and would trust each too much.
 */
static void tell_refresh(struct lane *lane)
{
    const struct wattle_channel *channel = lane->channel;
    uint64_t refresh_ns = wtl_pace_polled_refresh_ns(&lane->pace, &lane->polled, channel);
    if (refresh_ns < lane->adopted_ns)
        refresh_ns = lane->adopted_ns;
    if (refresh_ns == channel->refresh_ns && lane->refresh_ns == 0)
        return;
    lane->refresh_ns = refresh_ns;
    wtl_energy_store(&lane->row->refresh_ns, refresh_ns);
}

static bool has_pace(const struct wtl_energy_writer *w, const struct lane *lane)
{
    return lane->channel->kind == WATTLE_COUNTER && lane->channel->refresh_ns > 0 &&
           !w->options.coarse;
}

/* On a page that is read now often, now rarely, readings far apart do not show how often it ticks. */
static void learn_refresh(const struct wtl_energy_writer *w,
                          struct lane *lane,
                          uint64_t time_ns,
                          uint64_t raw)
{
    if (!has_pace(w, lane))
        return;
    if (w->options.public &&
        time_ns - lane->now.raw_ns > LEARN_REFRESHES * lane->channel->refresh_ns)
        wtl_pace_break(&lane->pace);
    wtl_pace_add(&lane->pace, time_ns, raw);
    tell_refresh(lane);
}

void wtl_energy_page_poll(struct wtl_energy_writer *writer,
                          size_t channel,
                          uint64_t time_ns,
                          uint64_t raw)
{
    if (channel >= writer->channel_count || writer->slot_of[channel] < 0)
        return;
    struct lane *lane = &writer->lanes[writer->slot_of[channel]];
    if (!has_pace(writer, lane))
        return;
    wtl_polled_add(&lane->polled, time_ns, raw);
    tell_refresh(lane);
}

/* The next values after a good reading; false = no sample, while a counter stands still. A counter
 * found to have stalled gets one, which says since when nothing is known. */
static bool next_values(struct lane *lane,
                        uint64_t time_ns,
                        uint64_t raw,
                        struct wattle_page_now *next)
{
    uint64_t value;
    lane->continuity.asked_ns = __atomic_load_n(&lane->header->interval_ns, __ATOMIC_RELAXED);
    bool good = wtl_continuity_read(&lane->continuity, time_ns, raw, &value);
    bool failing = !good || wtl_continuity_stands(&lane->continuity);
    next->status = failing ? ESTALE : 0;
    if (good) {
        next->raw = raw;
        next->raw_ns = time_ns;
    }
    if ((failing || stands(lane, time_ns)) && !lane->lost)
        return false;
    bool first = lane->now.time_ns == 0;
    next->time_ns = time_ns;
    next->changed_ns = lane->continuity.changed_ns;
    next->before_ns = lane->continuity.before_ns;
    next->ticks = lane->continuity.unwrap.ticks;
    next->half_ns = lane->half_ns;
    if (lane->channel->kind == WATTLE_COUNTER)
        take_back(lane, next);
    next->unknown_ns = first ? 0 : lane->unknown_ns;
    next->since_ns = first ? time_ns : next->since_ns;
    lane->unknown_ns = next->unknown_ns;
    if (lane->channel->kind == WATTLE_COUNTER) {
        average(lane, next);
    } else {
        integrate(lane, raw, next);
    }
    return true;
}

/* Move to a new page: its slot gets the values, with empty rings. Yet another may have been made meanwhile. */
static void move(const struct wtl_energy_writer *w,
                 struct lane *lane,
                 struct wattle_page_header *next)
{
    do {
        use_slot(w, lane, next);
        lane->now.count = 0;
        wtl_energy_latch(lane->slot, &lane->now);
    } while (!__atomic_compare_exchange_n(&lane->next, &next, NULL, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
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
    struct wattle_page_header *moved = __atomic_load_n(&lane->next, __ATOMIC_ACQUIRE);
    if (moved)
        move(writer, lane, moved);
    struct wattle_page_now next = lane->now;
    if (status == 0 && time_ns <= lane->now.raw_ns)
        return; /* same time again */
    if (status == 0)
        learn_refresh(writer, lane, time_ns, raw);
    if (status == 0 && next_values(lane, time_ns, raw, &next)) {
        store(lane, &next);
    } else if (status != 0) {
        wtl_continuity_miss(&lane->continuity, time_ns, WTL_GAP_READ_FAILED, -status);
        next.status = (uint32_t)-status;
    }
    wtl_energy_latch(lane->slot, &next);
    lane->now = next;
    wtl_energy_store(&lane->header->beat_ns, time_ns);
}

void wtl_energy_page_blur(struct wtl_energy_writer *writer, size_t channel, uint64_t half_ns)
{
    if (channel < writer->channel_count && writer->slot_of[channel] >= 0)
        writer->lanes[writer->slot_of[channel]].half_ns = half_ns;
}

void wtl_energy_page_lose(struct wtl_energy_writer *writer, size_t channel, uint64_t unknown_ns)
{
    if (channel >= writer->channel_count || writer->slot_of[channel] < 0)
        return;
    struct lane *lane = &writer->lanes[writer->slot_of[channel]];
    lane->unknown_ns += unknown_ns;
    lane->lost = true;
}
