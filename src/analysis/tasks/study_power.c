/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a study of tasks: which channels, how long each of their readings holds, and what the calibration says about them. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/power/stretches.h"
#include "analysis/tasks/study_parts.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "model/card/card.h"
#include "model/meta_key.h"

/* ---- GPUs ---- */

/* Which GPU a lane belongs to, and which channels it explains: by the PCI address in the name of the lane ("gpu 0000:65:00.0 stream 7") and
 * in the location of the channel. */

static const char prefix[] = "gpu ";

static int card_of(const struct wtl_task_study *study, const char *address, size_t n)
{
    for (size_t i = 0; i < study->card_count; i++)
        if (strlen(study->cards[i]) == n && strncasecmp(study->cards[i], address, n) == 0)
            return (int)i;
    return WTL_TASK_NOBODY;
}

/* A lane without an address belongs to no card: it explains nothing. */
static int add_lane(struct wtl_task_study *study, const char *name)
{
    const char *address = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : "";
    size_t n = strcspn(address, " ,");
    int known = card_of(study, address, n);
    if (known >= 0 || n == 0 || n >= sizeof study->cards[0])
        return known;
    if (wtl_reserve(&study->cards, &study->card_room, study->card_count + 1, sizeof *study->cards) <
        0)
        return -ENOMEM;
    memcpy(study->cards[study->card_count], address, n);
    study->cards[study->card_count][n] = '\0';
    return (int)study->card_count++;
}

int wtl_study_cards(struct wtl_task_study *study)
{
    size_t count = wtl_trace_reader_thread_count(study->reader);
    study->card_of = calloc(count + 1, sizeof *study->card_of);
    if (!study->card_of)
        return -ENOMEM;
    study->thread_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_trace_thread *thread = wtl_trace_reader_thread(study->reader, i);
        study->card_of[i] = WTL_TASK_THREADS;
        if (thread && wtl_thread_is_lane(thread))
            study->card_of[i] = add_lane(study, thread->name);
        if (study->card_of[i] == -ENOMEM)
            return -ENOMEM;
    }
    return 0;
}

/* Who explains a channel: a card, or enum wtl_task_card. */
static int study_card_of_channel(const struct wtl_task_study *study,
                                 const struct wattle_channel *channel)
{
    size_t n = 0;
    const char *address = wtl_card_address(channel, &n);
    if (channel->domain == WATTLE_DOMAIN_BOARD || channel->domain == WATTLE_DOMAIN_NODE)
        return WTL_TASK_EVERYBODY;
    if (study->card_count == 0 || !address)
        return WTL_TASK_THREADS;
    return card_of(study, address, n);
}

bool wtl_study_is_lane(const struct wtl_task_study *study, uint32_t thread)
{
    return thread < study->thread_count && study->card_of[thread] != WTL_TASK_THREADS;
}

bool wtl_study_card_fits(const struct wtl_task_study *study, uint32_t thread, int card)
{
    int own = thread < study->thread_count ? study->card_of[thread] : WTL_TASK_THREADS;
    return card == WTL_TASK_EVERYBODY || (own == card && card != WTL_TASK_NOBODY);
}

enum { CHANNELS = 256 };

/* ---- sockets ---- */

bool wtl_study_sockets(const struct wtl_trace_reader *reader, int *sockets)
{
    const char *count = wtl_trace_reader_meta(reader, WTL_META_CPU_SOCKETS);
    const char *nodes = wtl_trace_reader_meta(reader, WTL_META_NUMA_NODES);
    uint64_t n = 0;
    for (size_t i = 0; i < WTL_TASK_CPUS; i++)
        sockets[i] = -1;
    if (!count || !nodes || strcmp(count, nodes) != 0 || wtl_parse_u64(count, &n) < 0 || n < 2 ||
        n > 64)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "numa.cpus.%u", (unsigned)i);
        const char *cpus = wtl_trace_reader_meta(reader, key);
        if (!cpus)
            return false;
        uint8_t set[WTL_TASK_CPUS / 8] = {0};
        if (wtl_parse_cpulist(cpus, set, WTL_TASK_CPUS) < 0)
            return false;
        for (size_t cpu = 0; cpu < WTL_TASK_CPUS; cpu++)
            if (set[cpu / 8] >> cpu % 8 & 1)
                sockets[cpu] = (int)i;
    }
    return true;
}

static int socket_of(const struct wattle_channel *channel)
{
    switch (channel->domain) {
    case WATTLE_DOMAIN_PACKAGE:
    case WATTLE_DOMAIN_DRAM:
        return channel->index;
    default:
        return -1;
    }
}

/* ---- channels ---- */

/* Ids of the channels that are to be explained. */
static size_t choose(struct wtl_task_study *study, uint32_t *ids, struct wattle_error *err)
{
    const char *name = study->request.channel;
    size_t count = 0;
    for (size_t i = 0; i < study->result.energy_count && count < CHANNELS; i++) {
        const struct wattle_channel *channel = &study->result.channels[i].channel;
        bool wanted = name ? strcmp(channel->name, name) == 0
                           : (channel->flags & WATTLE_CHANNEL_IN_TOTAL) != 0;
        int id = wanted ? wtl_trace_reader_find_channel(study->reader, channel->name) : -ENOENT;
        if (id >= 0)
            ids[count++] = (uint32_t)id;
    }
    if (count == 0 && name)
        (void)wtl_fail(err, -ENODATA, "%s has no power channel %s", study->result.trace, name);
    else if (count == 0)
        (void)wtl_fail(err, -ENODATA, "%s has no power to divide: no energy was measured",
                       study->result.trace);
    return count;
}

static struct wtl_task_set *set_of(struct wtl_task_study *study,
                                   size_t stretch_set,
                                   int socket,
                                   int card)
{
    for (size_t i = 0; i < study->set_count; i++)
        if (study->sets[i].stretch_set == stretch_set && study->sets[i].socket == socket &&
            study->sets[i].card == card)
            return &study->sets[i];
    struct wtl_task_set *set = &study->sets[study->set_count++];
    *set = (struct wtl_task_set){.stretch_set = stretch_set, .socket = socket, .card = card};
    return set;
}

/* ---- calibration ---- */

static struct wtl_task_platform calibrated(const struct wtl_calibration_section *section,
                                           const char *power,
                                           const char *half)
{
    double value = section ? wtl_calibration_number(section, power) : (double)NAN;
    double half_w = section ? wtl_calibration_number(section, half) : (double)NAN;
    return (struct wtl_task_platform){value, isnan(half_w) ? 0 : half_w,
                                      isnan(value) ? WTL_TASK_FITTED : WTL_TASK_CALIBRATED};
}

static unsigned part_of(const struct wtl_task_set *set)
{
    if (set->card >= 0)
        return 1 + WTL_TASK_CPUS + (unsigned)set->card;
    return set->card == WTL_TASK_THREADS && set->socket >= 0 ? 1 + (unsigned)set->socket : 0;
}

static void add_channel(struct wtl_task_study *study,
                        const struct wattle_channel *channel,
                        size_t set,
                        size_t column)
{
    struct wtl_task_model *model = &study->model;
    const struct wtl_task_request *request = &study->request;
    struct wtl_task_channel *ch = &model->channels[model->channel_count++];
    const char *host = study->result.node   ? study->result.node
                       : study->result.host ? study->result.host
                                            : "";
    const struct wtl_calibration_section *section =
        request->calibration
            ? wtl_calibration_find(request->calibration, "tasks", host, channel->name)
            : NULL;
    (void)snprintf(ch->name, sizeof ch->name, "%s", channel->name);
    ch->quality = channel->quality;
    ch->rows = &study->sets[set].rows;
    ch->lag = &study->sets[set].lag;
    ch->column = column;
    ch->part = part_of(&study->sets[set]);
    ch->idle = calibrated(section, "idle_w", "idle_half_w");
    ch->statics = calibrated(section, "static_w", "static_half_w");
    if (!isnan(request->idle_w))
        ch->idle = (struct wtl_task_platform){request->idle_w, 0, WTL_TASK_GIVEN};
    if (!isnan(request->static_w))
        ch->statics = (struct wtl_task_platform){request->static_w, 0, WTL_TASK_GIVEN};
}

/* ---- rows ---- */

struct load {
    struct wtl_task_study *study;
    const struct wtl_stretch_set *stretch_sets;
    /* Of each channel of each stretch set: its set and column. */
    struct place {
        size_t set, column;
    } places[CHANNELS];
    size_t first[CHANNELS]; /* of a stretch set */
};

static void place_channel(struct load *load, size_t s, size_t c, bool sockets, uint64_t tick_ns)
{
    struct wtl_task_study *study = load->study;
    const struct wattle_channel *channel =
        &wtl_trace_reader_channel(study->reader, load->stretch_sets[s].channels[c])->channel;
    struct wtl_task_set *set =
        set_of(study, s, sockets ? socket_of(channel) : -1, study_card_of_channel(study, channel));
    set->gauge = channel->kind != WATTLE_COUNTER && channel->window_ns == 0;
    set->window_ns = channel->kind != WATTLE_COUNTER ? (double)channel->window_ns : 0;
    set->stale_ns =
        channel->kind == WATTLE_COUNTER && channel->refresh_ns > 0 ? (double)tick_ns / 2 : 0;
    load->places[load->first[s] + c] =
        (struct place){(size_t)(set - study->sets), set->rows.channels++};
}

static int take_stretch(struct load *load, const struct wtl_stretch *stretch, size_t which)
{
    const struct wtl_stretch_set *from = &load->stretch_sets[stretch->set];
    struct wtl_task_set *set = &load->study->sets[which];
    double powers[CHANNELS];
    bool any = false;
    for (size_t c = 0; c < from->count; c++) {
        const struct place *place = &load->places[load->first[stretch->set] + c];
        if (place->set != which)
            continue;
        powers[place->column] = stretch->mean[c];
        any |= !isnan(stretch->mean[c]);
    }
    if (!any || stretch->end_ns <= stretch->begin_ns)
        return 0;
    struct wtl_task_interval in = {stretch->begin_ns, stretch->end_ns,
                                   1e-9 * (double)(stretch->end_ns - stretch->begin_ns)};
    uint64_t stale = (uint64_t)set->stale_ns;
    if (set->window_ns > 0 && (double)in.end_ns > set->window_ns)
        in.begin_ns = in.end_ns - (uint64_t)set->window_ns;
    in.begin_ns -= in.begin_ns > stale ? stale : 0;
    in.end_ns -= in.end_ns > stale ? stale : 0;
    return wtl_task_rows_add_interval(&set->rows, &in, powers);
}

static int read_rows(struct load *load, struct wtl_stretches *stretches, struct wattle_error *err)
{
    struct wtl_stretch stretch;
    int rc;
    while ((rc = wtl_stretches_next(stretches, &stretch, err)) > 0)
        for (size_t i = 0; i < load->study->set_count; i++)
            if (load->study->sets[i].stretch_set == stretch.set &&
                take_stretch(load, &stretch, i) < 0)
                return wtl_no_memory(err);
    return rc;
}

int wtl_study_power(struct wtl_task_study *study, struct wattle_error *err)
{
    struct load load = {.study = study};
    int sockets[WTL_TASK_CPUS];
    uint32_t ids[CHANNELS];
    struct wtl_stretches *stretches;
    size_t count = choose(study, ids, err), at = 0;
    if (count == 0)
        return -ENODATA;
    if (count > 1 && (!isnan(study->request.idle_w) || !isnan(study->request.static_w)))
        return wtl_fail(
            err, -EINVAL,
            "the power of %s is that of %zu channels: choose one with --channel to give "
            "its idle or static power",
            study->result.trace, count);
    bool apart = study->by_core && wtl_study_sockets(study->reader, sockets);
    struct wtl_trace_range range = {study->result.start_monotonic_ns,
                                    study->result.end_monotonic_ns, ids, count, false};
    int rc = wtl_stretches_open(study->reader, &range, &stretches, err);
    if (rc < 0)
        return rc;
    size_t sets = wtl_stretches_sets(stretches, &load.stretch_sets);
    study->sets = calloc(count, sizeof *study->sets);
    study->model.channels = calloc(count, sizeof *study->model.channels);
    if (!study->sets || !study->model.channels) {
        wtl_stretches_close(stretches);
        return wtl_no_memory(err);
    }
    for (size_t s = 0; s < sets; s++) {
        load.first[s] = at;
        for (size_t c = 0; c < load.stretch_sets[s].count; c++)
            place_channel(&load, s, c, apart,
                          wtl_stretches_tick_ns(stretches, load.stretch_sets[s].channels[c]));
        at += load.stretch_sets[s].count;
    }
    for (size_t s = 0; s < sets; s++)
        for (size_t c = 0; c < load.stretch_sets[s].count; c++)
            add_channel(
                study,
                &wtl_trace_reader_channel(study->reader, load.stretch_sets[s].channels[c])->channel,
                load.places[load.first[s] + c].set, load.places[load.first[s] + c].column);
    rc = read_rows(&load, stretches, err);
    wtl_stretches_close(stretches);
    return rc;
}
