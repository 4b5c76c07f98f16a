/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns samples into stretches: see stretches.h. Counters are read only where a stretch ends, so
 * that a pass costs little more than decoding the samples.
 */
#include "analysis/power/stretches.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/paces.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/whole.h"
#include "model/reading.h"

static const uint64_t DEFAULT_TICK_NS = 1000000;
static const uint64_t TICKS_OF_ENERGY = 5, TICKS_OF_RATE = 20;

/* How a channel's values are turned into values of stretches. */
enum rule { RULE_NONE, RULE_ENERGY, RULE_RATE, RULE_VALUE };

/* A channel and its state in the current stretch. */
struct member {
    const struct wattle_channel *channel;
    const struct wtl_trace_column *column; /* in the current chunk; NULL = none */
    bool counter;
    bool valid;      /* counter: the value at the start is known; others: none was missing */
    uint64_t start;  /* counter: ticks at the start */
    bool last_there; /* counters, before the first stretch: the last row so far */
    uint64_t last;
    double sum, min, max; /* others: over the values so far */
    size_t n;
    size_t gap, gap_end; /* its gaps that may still matter, in the sorted list */
};

struct set {
    struct wtl_stretch_set shown;
    struct member *members; /* [shown.count] */
    double *values;         /* [3 * shown.count]: min, mean, max */
    bool begun, sums;       /* sums: the members are not counters */
    bool energy;            /* they are energy counters */
    bool shown_any;         /* a stretch has ended */
    uint64_t start_ns, last_ns;
    uint64_t chunk; /* the last chunk that it was in */
};

/* A requested channel, before it is assigned to a set. */
struct wanted {
    uint32_t id;
    size_t position;
    uint64_t groups_hash; /* over the ids of its groups */
    uint32_t groups;
    enum rule rule;
};

struct place {
    bool used;
    size_t set, member;
};

struct wtl_stretches {
    struct wtl_trace_reader *reader;
    struct wtl_trace_samples *samples;
    struct wtl_gap *gaps; /* sorted by channel, then begin */
    struct set *sets;
    struct wtl_stretch_set *shown; /* the same, for the caller */
    size_t set_count;
    uint32_t *ids;          /* [channels], grouped by set */
    struct member *members; /* [channels] */
    double *values;         /* [3 * channels] */
    struct place *places;   /* by channel id */
    uint64_t *refresh_ns;   /* by channel id: as seen in the trace */
    struct wtl_trace_chunk chunk;
    uint64_t chunks;
    size_t *active; /* sets with rows in the chunk */
    size_t active_count, at, row;
};

/* ---- grouping channels into sets ---- */

static enum rule rule_of(const struct wattle_channel *channel)
{
    bool counter = channel->kind == WATTLE_COUNTER;
    if (!wtl_channel_is_understood(channel))
        return RULE_NONE;
    if (!counter)
        return channel->quantity == WATTLE_ENERGY ? RULE_NONE : RULE_VALUE;
    if (channel->quantity == WATTLE_POWER)
        return RULE_NONE; /* a counter in watts, or a gauge in joules, is not power */
    return channel->quantity == WATTLE_ENERGY ? RULE_ENERGY : RULE_RATE;
}

static uint64_t tick_of(uint64_t refresh_ns)
{
    return refresh_ns > 0 && refresh_ns < UINT64_MAX / TICKS_OF_RATE ? refresh_ns : DEFAULT_TICK_NS;
}

static uint64_t stretch_of(const struct wattle_channel *channel, uint64_t refresh_ns)
{
    if (rule_of(channel) == RULE_VALUE)
        return 0;
    if (rule_of(channel) != RULE_ENERGY)
        return TICKS_OF_RATE * tick_of(refresh_ns);
    uint64_t stated_ns = TICKS_OF_ENERGY * tick_of(channel->refresh_ns);
    return tick_of(refresh_ns) > stated_ns ? tick_of(refresh_ns) : stated_ns;
}

uint64_t wtl_stretches_tick_ns(const struct wtl_stretches *stretches, uint32_t channel)
{
    const struct wtl_trace_channel *entry = wtl_trace_reader_channel(stretches->reader, channel);
    return entry && rule_of(&entry->channel) == RULE_ENERGY
               ? tick_of(stretches->refresh_ns[channel])
               : 0;
}

static int compare_wanted(const void *a, const void *b)
{
    const struct wanted *x = (const struct wanted *)a, *y = (const struct wanted *)b;
    if (x->groups_hash != y->groups_hash)
        return x->groups_hash < y->groups_hash ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Over the ids of the groups in which each channel has samples. */
static void hash_groups(const struct wtl_trace_reader *reader,
                        struct wanted *wanted,
                        struct place *places)
{
    size_t groups = wtl_trace_reader_group_count(reader),
           channels = wtl_trace_reader_channel_count(reader);
    for (size_t g = 0; g < groups; g++) {
        const struct wtl_trace_group *group = wtl_trace_reader_group(reader, g);
        for (size_t i = 0; group && !(group->flags & WTL_GROUP_EDGE) && i < group->count; i++) {
            if (group->channels[i] >= channels || !places[group->channels[i]].used)
                continue;
            struct wanted *w = &wanted[places[group->channels[i]].member];
            const uint8_t number[] = {(uint8_t)(g + 1), (uint8_t)((g + 1) >> 8),
                                      (uint8_t)((g + 1) >> 16), (uint8_t)((g + 1) >> 24)};
            w->groups_hash = wtl_hash_bytes(w->groups_hash, number, g < 255 ? 1 : sizeof number);
            w->groups++;
        }
    }
}

/* The channels of the range that can be shown, each once: their number. */
static size_t list_wanted(struct wtl_stretches *s,
                          const struct wtl_trace_range *range,
                          struct wanted *wanted)
{
    size_t count = 0, channels = wtl_trace_reader_channel_count(s->reader);
    for (size_t i = 0; i < range->channel_count; i++) {
        uint32_t id = range->channels[i];
        const struct wtl_trace_channel *entry = wtl_trace_reader_channel(s->reader, id);
        if (id >= channels || !entry || s->places[id].used || rule_of(&entry->channel) == RULE_NONE)
            continue;
        s->places[id] = (struct place){.used = true, .member = count};
        wanted[count++] = (struct wanted){.id = id,
                                          .position = i,
                                          .groups_hash = WTL_HASH_START,
                                          .rule = rule_of(&entry->channel)};
    }
    return count;
}

static void make_sets(struct wtl_stretches *s, const struct wanted *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && wanted[i].groups_hash == wanted[i - 1].groups_hash &&
                    wanted[i].rule == wanted[i - 1].rule;
        if (!same)
            s->sets[s->set_count++] =
                (struct set){.shown = {.channels = &s->ids[i], .one_group = wanted[i].groups == 1},
                             .members = &s->members[i],
                             .values = &s->values[3 * i]};
        struct set *set = &s->sets[s->set_count - 1];
        const struct wattle_channel *channel =
            &wtl_trace_reader_channel(s->reader, wanted[i].id)->channel;
        bool counter = channel->kind == WATTLE_COUNTER;
        uint64_t stretch_ns = stretch_of(channel, s->refresh_ns[wanted[i].id]);
        s->places[wanted[i].id].set = s->set_count - 1;
        s->places[wanted[i].id].member = set->shown.count;
        s->ids[i] = wanted[i].id;
        set->members[set->shown.count++] = (struct member){.channel = channel, .counter = counter};
        set->sums |= !counter;
        set->energy = rule_of(channel) == RULE_ENERGY;
        set->shown.slow |= s->refresh_ns[wanted[i].id] > channel->refresh_ns;
        if (stretch_ns > set->shown.stretch_ns)
            set->shown.stretch_ns = stretch_ns;
    }
    for (size_t i = 0; i < s->set_count; i++)
        s->shown[i] = s->sets[i].shown;
}

/* ---- gaps ---- */

static int compare_gaps(const void *a, const void *b)
{
    const struct wtl_gap *x = (const struct wtl_gap *)a, *y = (const struct wtl_gap *)b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int load_gaps(struct wtl_stretches *s, struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    int found = wtl_trace_reader_gaps(s->reader, &gaps, err);
    if (found < 0)
        return found;
    size_t count = 0, channels = wtl_trace_reader_channel_count(s->reader);
    s->gaps = malloc(((size_t)found + 1) * sizeof *s->gaps);
    if (!s->gaps)
        return -ENOMEM;
    for (int i = 0; i < found; i++)
        if (gaps[i].channel < channels && s->places[gaps[i].channel].used)
            s->gaps[count++] = gaps[i];
    wtl_sort(s->gaps, count, sizeof *s->gaps, compare_gaps);
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &s->places[s->gaps[i].channel];
        struct member *member = &s->sets[place->set].members[place->member];
        if (member->gap_end == 0)
            member->gap = i;
        member->gap_end = i + 1;
    }
    return 0;
}

static bool has_gap(const struct wtl_stretches *s,
                    struct member *member,
                    uint64_t begin_ns,
                    uint64_t end_ns)
{
    while (member->gap < member->gap_end && s->gaps[member->gap].end_ns <= begin_ns)
        member->gap++;
    return member->gap < member->gap_end && s->gaps[member->gap].begin_ns < end_ns;
}

/* ---- open and close ---- */

static int make(struct wtl_stretches *s,
                const struct wtl_trace_range *range,
                struct wattle_error *err)
{
    size_t n = range->channel_count, channels = wtl_trace_reader_channel_count(s->reader);
    struct wanted *wanted = calloc(n + 1, sizeof *wanted);
    s->places = calloc(channels + 1, sizeof *s->places);
    s->refresh_ns = calloc(channels + 1, sizeof *s->refresh_ns);
    s->sets = calloc(n + 1, sizeof *s->sets);
    s->shown = calloc(n + 1, sizeof *s->shown);
    s->ids = calloc(n + 1, sizeof *s->ids);
    s->members = calloc(n + 1, sizeof *s->members);
    s->values = calloc(3 * n + 1, sizeof *s->values);
    s->active = calloc(n + 1, sizeof *s->active);
    bool room = wanted && s->places && s->refresh_ns && s->sets && s->shown && s->ids &&
                s->members && s->values && s->active;
    int rc = room ? wtl_paces_read(s->reader, range, s->refresh_ns, NULL, err) : -ENOMEM;
    if (rc == 0) {
        size_t count = list_wanted(s, range, wanted);
        hash_groups(s->reader, wanted, s->places);
        wtl_sort(wanted, count, sizeof *wanted, compare_wanted);
        make_sets(s, wanted, count);
        rc = load_gaps(s, err);
    }
    free(wanted);
    if (rc < 0)
        return rc;
    struct wtl_trace_range of_sets = *range;
    of_sets.no_edges = true;
    return wtl_trace_samples_open(s->reader, &of_sets, &s->samples, err);
}

int wtl_stretches_open(struct wtl_trace_reader *reader,
                       const struct wtl_trace_range *range,
                       struct wtl_stretches **ret_stretches,
                       struct wattle_error *err)
{
    struct wtl_stretches *s = calloc(1, sizeof *s);
    int rc = -ENOMEM;
    if (s) {
        s->reader = reader;
        rc = make(s, range, err);
    }
    if (rc < 0) {
        wtl_stretches_close(s);
        return rc == -ENOMEM ? wtl_no_memory_for(err, "the samples") : rc;
    }
    *ret_stretches = s;
    return 0;
}

void wtl_stretches_close(struct wtl_stretches *s)
{
    if (!s)
        return;
    wtl_trace_samples_close(s->samples);
    free(s->gaps);
    free(s->sets);
    free(s->shown);
    free(s->ids);
    free(s->members);
    free(s->values);
    free(s->places);
    free(s->refresh_ns);
    free(s->active);
    free(s);
}

size_t wtl_stretches_sets(const struct wtl_stretches *stretches,
                          const struct wtl_stretch_set **ret_sets)
{
    *ret_sets = stretches->shown;
    return stretches->set_count;
}

/* ---- rows ---- */

static bool is_there(const struct member *member, size_t row)
{
    return member->column && !(member->column->missing && member->column->missing[row]);
}

static void add_value(struct member *member, size_t row)
{
    double value = wtl_channel_value(member->channel, member->column->values[row]);
    member->min = member->n == 0 ? value : fmin(member->min, value);
    member->max = member->n == 0 ? value : fmax(member->max, value);
    member->sum += value;
    member->n++;
}

/* A stretch begins at the row. shown: its value is already part of the one that ends there. */
static void begin_member(struct member *member, size_t row, bool shown)
{
    member->valid = is_there(member, row);
    member->sum = 0;
    member->n = 0;
    if (member->counter && member->valid)
        member->start = member->column->values[row];
    else if (member->valid && !shown)
        add_value(member, row);
}

/* One row after the begin, for members that are not counters. */
static void add_row(struct set *set, size_t row)
{
    for (size_t i = 0; i < set->shown.count; i++) {
        struct member *member = &set->members[i];
        if (member->counter)
            continue;
        if (is_there(member, row))
            add_value(member, row);
        else
            member->valid = false;
    }
}

/* min, mean, max of a stretch that ends with this value; NaN = unknown. */
static void end_member(const struct member *member,
                       bool there,
                       uint64_t value,
                       double seconds,
                       double values[3])
{
    double mean = NAN;
    bool known = member->valid && there;
    if (known && member->counter)
        mean = (double)(int64_t)(value - member->start) * member->channel->scale / seconds;
    else if (known && member->n > 0)
        mean = member->sum / (double)member->n;
    bool single = !member->counter && !isnan(mean);
    values[0] = single ? member->min : mean;
    values[1] = mean;
    values[2] = single ? member->max : mean;
}

/* Advance to the next row that ends a stretch; false if there is none. */
static bool find_end(struct set *set, const struct wtl_trace_chunk *chunk, size_t *row)
{
    uint64_t least_ns = set->shown.stretch_ns ? set->shown.stretch_ns : 1;
    for (; *row < chunk->rows; (*row)++) {
        if (set->sums)
            add_row(set, *row);
        uint64_t time_ns = chunk->time_ns[*row]; /* with several groups, time may go backwards */
        if (time_ns > set->start_ns && time_ns - set->start_ns >= least_ns)
            return true;
    }
    return false;
}

/* The stretch of a set up to end_ns, at `row` of the chunk or the last row kept. */
static void end_stretch(struct wtl_stretches *s,
                        struct set *set,
                        uint64_t end_ns,
                        const size_t *row,
                        struct wtl_stretch *ret_stretch)
{
    size_t n = set->shown.count;
    double *min = set->values, *mean = min + n, *max = mean + n;
    for (size_t i = 0; i < n; i++) {
        struct member *member = &set->members[i];
        bool there = row ? is_there(member, *row) : member->last_there;
        uint64_t value = !there ? 0 : row ? member->column->values[*row] : member->last;
        double values[3];
        end_member(member, there, value, (double)(end_ns - set->start_ns) * 1e-9, values);
        bool gap = has_gap(s, member, set->start_ns, end_ns);
        min[i] = gap ? (double)NAN : values[0];
        mean[i] = gap ? (double)NAN : values[1];
        max[i] = gap ? (double)NAN : values[2];
    }
    *ret_stretch = (struct wtl_stretch){.set = (size_t)(set - s->sets),
                                        .begin_ns = set->start_ns,
                                        .end_ns = end_ns,
                                        .min = min,
                                        .mean = mean,
                                        .max = max};
    set->shown_any = true;
}

static void begin_stretch(struct set *set, uint64_t start_ns, size_t row, bool after_known)
{
    size_t n = set->shown.count;
    set->start_ns = start_ns;
    for (size_t i = 0; i < n; i++)
        begin_member(&set->members[i], row, after_known && !isnan(set->values[n + i]));
}

/* Keep the chunk's last row: nothing may follow it, and it is less than a stretch after the start. */
static void keep_last(struct set *set, const struct wtl_trace_chunk *chunk)
{
    size_t row = chunk->rows - 1;
    if (chunk->time_ns[row] <= set->start_ns)
        return;
    set->last_ns = chunk->time_ns[row];
    for (size_t i = 0; i < set->shown.count; i++) {
        struct member *member = &set->members[i];
        member->last_there = is_there(member, row);
        member->last = member->last_there ? member->column->values[row] : 0;
    }
}

/* The next stretch of a set in the chunk, from s->row on; false if there is none. */
static bool cut(struct wtl_stretches *s, struct set *set, struct wtl_stretch *ret_stretch)
{
    if (!set->begun) {
        set->begun = true;
        begin_stretch(set, s->chunk.time_ns[s->row], s->row, false);
        s->row++;
    }
    if (!find_end(set, &s->chunk, &s->row)) {
        if (!set->shown_any || set->energy)
            keep_last(set, &s->chunk);
        return false;
    }
    uint64_t end_ns = s->chunk.time_ns[s->row];
    end_stretch(s, set, end_ns, &s->row, ret_stretch);
    begin_stretch(set, end_ns, s->row, true);
    s->row++;
    return true;
}

/* After the last sample: what is shorter than one stretch, of energy counters the rest of the samples, else
 * all of them; false if there is none. */
static bool cut_short(struct wtl_stretches *s, struct wtl_stretch *ret_stretch)
{
    for (size_t i = 0; i < s->set_count; i++) {
        struct set *set = &s->sets[i];
        if ((set->shown_any && !set->energy) || set->last_ns <= set->start_ns)
            continue;
        end_stretch(s, set, set->last_ns, NULL, ret_stretch);
        set->start_ns = set->last_ns;
        return true;
    }
    return false;
}

/* Find which sets have rows in the chunk, and where their columns are. */
static void take_chunk(struct wtl_stretches *s)
{
    s->chunks++;
    s->active_count = s->at = s->row = 0;
    for (size_t c = 0; c < s->chunk.column_count; c++) {
        const struct wtl_trace_column *column = &s->chunk.columns[c];
        const struct place *place = &s->places[column->channel];
        if (!place->used)
            continue;
        struct set *set = &s->sets[place->set];
        if (set->chunk != s->chunks) {
            set->chunk = s->chunks;
            s->active[s->active_count++] = place->set;
            for (size_t i = 0; i < set->shown.count; i++)
                set->members[i].column = NULL;
        }
        set->members[place->member].column = column;
    }
}

int wtl_stretches_next(struct wtl_stretches *stretches,
                       struct wtl_stretch *ret_stretch,
                       struct wattle_error *err)
{
    struct wtl_stretches *s = stretches;
    for (;;) {
        for (; s->at < s->active_count; s->at++, s->row = 0)
            if (cut(s, &s->sets[s->active[s->at]], ret_stretch))
                return 1;
        int rc = wtl_trace_samples_next(s->samples, &s->chunk, err);
        if (rc < 0)
            return rc;
        if (rc == 0)
            return cut_short(s, ret_stretch);
        take_chunk(s);
    }
}
