/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pyramid: see pyramid.h. Buckets contain a number of stretches and are not aligned to a time grid, so
 * that the size of a level depends on the number of rows at any rate; each bucket stores its own time.
 */
#include "trace/pyramid.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/whole.h"
#include "model/reading.h"

enum { BLOCK_BYTES = 4096, ROWS_AT = 28 };

/* Stretches that a gap may still invalidate: a stalled counter is detected only after several stretches. */
enum { HELD = 16 };

static const uint64_t DEFAULT_STRETCH_NS = 20000000;
static const uint64_t TICKS_PER_STRETCH = 20;

/* The power of one channel in a bucket being filled. */
struct sums {
    double energy_j, seconds;
    float min_w, max_w;
};

struct level {
    struct wtl_pyramid_level info;
    struct sums *sums; /* [channels]; NULL = never used */
    uint64_t begin_ns, end_ns;
    unsigned members; /* stretches, or buckets of the level below */
    uint64_t rows;    /* level 0: rows of samples */
    struct wtl_bytes payload;
    uint32_t payload_rows;
    uint64_t payload_first_ns, payload_last_ns;
};

/* A channel's part of the present stretch. */
struct part {
    double scale;
    bool counter, valid; /* the value at the start is known */
    size_t column;
    uint32_t channel;
    uint64_t start; /* counter: ticks at the start of the stretch */
    double sum;     /* others: sum of the values after it */
    unsigned count;
    uint64_t gap_begin_ns, gap_end_ns; /* the last gap, or several merged */
};

/* A completed stretch that has not yet been added to its bucket. */
struct held {
    uint64_t begin_ns, end_ns;
    unsigned rows;
    double *power_w; /* [parts]; NaN = unknown */
};

struct wtl_pyramid {
    uint32_t group;
    uint64_t stretch_ns;
    wtl_pyramid_block_fn *emit;
    void *context;
    size_t count; /* of parts */
    struct part *parts;
    struct part **by_channel; /* the same, indexed by channel */
    bool begun;
    uint64_t start_ns;
    unsigned stretch_rows;
    struct held held[HELD]; /* a ring buffer */
    double *held_w;         /* their memory */
    size_t held_at, held_count;
    struct level levels[WTL_PYRAMID_LEVELS];
};

bool wtl_pyramid_takes(const struct wattle_channel *channel)
{
    if (!wtl_channel_is_energy(channel))
        return false;
    return channel->quantity == WATTLE_ENERGY ? channel->kind == WATTLE_COUNTER
                                              : channel->kind != WATTLE_COUNTER;
}

uint64_t wtl_pyramid_stretch_ns(const struct wtl_tables *tables,
                                const uint32_t *channels,
                                size_t count)
{
    uint64_t stretch_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(tables, channels[i]);
        if (!channel || !wtl_pyramid_takes(&channel->channel))
            continue;
        uint64_t refresh_ns = channel->channel.refresh_ns;
        uint64_t own_ns = refresh_ns > 0 && refresh_ns < UINT64_MAX / TICKS_PER_STRETCH
                              ? TICKS_PER_STRETCH * refresh_ns
                              : DEFAULT_STRETCH_NS;
        if (own_ns > stretch_ns)
            stretch_ns = own_ns;
    }
    return stretch_ns;
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

int wtl_pyramid_create(const struct wtl_tables *tables,
                       uint32_t group,
                       wtl_pyramid_block_fn *emit,
                       void *context,
                       struct wtl_pyramid **ret_pyramid)
{
    const struct wtl_trace_group *members = wtl_tables_group(tables, group);
    if (!members || members->flags & WTL_GROUP_EDGE)
        return -ENOTSUP;
    uint64_t stretch_ns = wtl_pyramid_stretch_ns(tables, members->channels, members->count);
    if (stretch_ns == 0)
        return -ENOTSUP;
    struct wtl_pyramid *pyramid = calloc(1, sizeof *pyramid);
    if (!pyramid)
        return -ENOMEM;
    pyramid->parts = calloc(members->count, sizeof *pyramid->parts);
    pyramid->by_channel = calloc(members->count, sizeof(struct part *));
    pyramid->held_w = calloc(HELD * members->count, sizeof *pyramid->held_w);
    if (!pyramid->parts || !pyramid->by_channel || !pyramid->held_w) {
        wtl_pyramid_destroy(pyramid);
        return -ENOMEM;
    }
    for (size_t i = 0; i < HELD; i++)
        pyramid->held[i].power_w = pyramid->held_w + i * members->count;
    pyramid->group = group;
    pyramid->stretch_ns = stretch_ns;
    pyramid->emit = emit;
    pyramid->context = context;
    for (size_t i = 0; i < members->count; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(tables, members->channels[i]);
        if (channel && wtl_pyramid_takes(&channel->channel))
            pyramid->parts[pyramid->count++] =
                (struct part){.scale = channel->channel.scale,
                              .counter = channel->channel.kind == WATTLE_COUNTER,
                              .column = i,
                              .channel = members->channels[i]};
    }
    for (size_t i = 0; i < pyramid->count; i++)
        pyramid->by_channel[i] = &pyramid->parts[i];
    wtl_sort(pyramid->by_channel, pyramid->count, sizeof(struct part *), compare_parts);
    for (uint32_t l = 0; l < WTL_PYRAMID_LEVELS; l++)
        pyramid->levels[l].info =
            (struct wtl_pyramid_level){.group = group, .level = l, .stretch_ns = stretch_ns};
    *ret_pyramid = pyramid;
    return 0;
}

void wtl_pyramid_destroy(struct wtl_pyramid *pyramid)
{
    if (!pyramid)
        return;
    for (int l = 0; l < WTL_PYRAMID_LEVELS; l++) {
        free(pyramid->levels[l].sums);
        wtl_bytes_fini(&pyramid->levels[l].payload);
    }
    free(pyramid->held_w);
    free(pyramid->by_channel);
    free(pyramid->parts);
    free(pyramid);
}

static int emit_block(struct wtl_pyramid *pyramid, struct level *level)
{
    if (level->payload.failed)
        return -ENOMEM;
    if (level->payload_rows == 0)
        return 0;
    wtl_store_u32(level->payload.data + ROWS_AT, level->payload_rows);
    struct wtl_pyramid_block block = {.level = &level->info,
                                      .first_ns = level->payload_first_ns,
                                      .last_ns = level->payload_last_ns,
                                      .payload = &level->payload};
    wtl_store_u64(level->payload.data + WTL_PYRAMID_LINK_AT, level->info.offset);
    int code = pyramid->emit(pyramid->context, &block);
    level->info.rows += level->payload_rows;
    level->payload_rows = 0;
    wtl_bytes_reset(&level->payload);
    return code;
}

static void begin_block(const struct wtl_pyramid *pyramid, struct level *level)
{
    struct wtl_bytes *payload = &level->payload;
    wtl_bytes_put_u32(payload, level->info.group);
    wtl_bytes_put_u32(payload, level->info.level);
    wtl_bytes_put_u64(payload, level->info.stretch_ns);
    wtl_bytes_put_u64(payload, 0);
    wtl_bytes_put_u32(payload, (uint32_t)pyramid->count);
    wtl_bytes_put_u32(payload, 0);
    for (size_t i = 0; i < pyramid->count; i++)
        wtl_bytes_put_u32(payload, pyramid->parts[i].channel);
    level->payload_first_ns = level->begin_ns;
}

/* Append the level's bucket to its block. */
static int put_bucket(struct wtl_pyramid *pyramid, struct level *level)
{
    struct wtl_bytes *payload = &level->payload;
    size_t row = 16 + 12 * pyramid->count;
    int code = 0;
    if (level->payload_rows > 0 && payload->length + row > BLOCK_BYTES)
        code = emit_block(pyramid, level);
    if (level->payload_rows == 0)
        begin_block(pyramid, level);
    wtl_bytes_put_u64(payload, level->begin_ns);
    wtl_bytes_put_u64(payload, level->end_ns);
    for (size_t i = 0; i < pyramid->count; i++) {
        const struct sums *sums = &level->sums[i];
        bool known = sums->seconds > 0;
        wtl_bytes_put_f32(payload, known ? sums->min_w : NAN);
        wtl_bytes_put_f32(payload, known ? sums->max_w : NAN);
        wtl_bytes_put_f32(payload, known ? (float)(sums->energy_j / sums->seconds) : NAN);
    }
    level->payload_last_ns = level->end_ns;
    level->payload_rows++;
    return code;
}

static void add_sums(struct sums *to, const struct sums *from)
{
    if (!(from->seconds > 0))
        return;
    to->min_w = to->seconds > 0 ? fminf(to->min_w, from->min_w) : from->min_w;
    to->max_w = to->seconds > 0 ? fmaxf(to->max_w, from->max_w) : from->max_w;
    to->energy_j += from->energy_j;
    to->seconds += from->seconds;
}

static struct sums *sums_of(const struct wtl_pyramid *pyramid, struct level *level)
{
    assert(pyramid->count > 0); /* without parts there are no stretches and no pyramid */
    if (!level->sums)
        level->sums = calloc(pyramid->count, sizeof *level->sums);
    return level->sums;
}

/* The bucket of level l is full: store it, and pass it to the next level. */
static int close_bucket(struct wtl_pyramid *pyramid, unsigned l)
{
    int result = 0;
    for (; l < WTL_PYRAMID_LEVELS; l++) {
        struct level *level = &pyramid->levels[l], *above = level + 1;
        bool known = false;
        for (size_t i = 0; i < pyramid->count; i++)
            known |= level->sums[i].seconds > 0;
        int code = known ? put_bucket(pyramid, level) : 0;
        result = code < 0 ? code : result;
        bool has_above = l + 1 < WTL_PYRAMID_LEVELS;
        if (has_above && !sums_of(pyramid, above))
            return -ENOMEM;
        for (size_t i = 0; has_above && i < pyramid->count; i++)
            add_sums(&above->sums[i], &level->sums[i]);
        if (has_above) {
            if (above->members++ == 0)
                above->begin_ns = level->begin_ns;
            above->end_ns = level->end_ns;
        }
        memset(level->sums, 0, pyramid->count * sizeof *level->sums);
        level->members = 0;
        level->rows = 0;
        if (!has_above || above->members < WTL_PYRAMID_FACTOR)
            break;
    }
    return result;
}

static void begin_stretch(struct wtl_pyramid *pyramid, const struct wtl_rows *rows, size_t r)
{
    pyramid->begun = true;
    pyramid->start_ns = rows->time_ns[r];
    pyramid->stretch_rows = 0;
    for (size_t i = 0; i < pyramid->count; i++) {
        struct part *part = &pyramid->parts[i];
        size_t at = part->column * rows->stride + r;
        part->valid = !rows->missing || !rows->missing[at];
        part->start = rows->values[at];
        part->sum = 0;
        part->count = 0;
    }
}

static void add_row(struct wtl_pyramid *pyramid, const struct wtl_rows *rows, size_t r)
{
    pyramid->stretch_rows++;
    for (size_t i = 0; i < pyramid->count; i++) {
        struct part *part = &pyramid->parts[i];
        size_t at = part->column * rows->stride + r;
        if (part->counter || (rows->missing && rows->missing[at]))
            continue;
        part->sum += (double)(int64_t)rows->values[at] * part->scale;
        part->count++;
    }
}

/* Add the oldest held stretch to its bucket. */
static int release(struct wtl_pyramid *pyramid)
{
    struct level *level = &pyramid->levels[0];
    const struct held *held = &pyramid->held[pyramid->held_at];
    if (!sums_of(pyramid, level))
        return -ENOMEM;
    pyramid->held_at = (pyramid->held_at + 1) % HELD;
    pyramid->held_count--;
    double seconds = (double)(held->end_ns - held->begin_ns) * 1e-9;
    for (size_t i = 0; i < pyramid->count; i++) {
        double power_w = held->power_w[i];
        struct sums one = {.energy_j = power_w * seconds,
                           .seconds = isnan(power_w) ? 0 : seconds,
                           .min_w = (float)power_w,
                           .max_w = (float)power_w};
        add_sums(&level->sums[i], &one);
    }
    if (level->members++ == 0)
        level->begin_ns = held->begin_ns;
    level->end_ns = held->end_ns;
    level->rows += held->rows;
    if (level->members >= WTL_PYRAMID_STRETCHES && level->rows >= WTL_PYRAMID_ROWS)
        return close_bucket(pyramid, 0);
    return 0;
}

/* Power of a part over the stretch that ends with a row; NaN = unknown. */
static double part_power_w(const struct wtl_pyramid *pyramid,
                           const struct part *part,
                           const struct wtl_rows *rows,
                           size_t r)
{
    size_t at = part->column * rows->stride + r;
    bool here = !rows->missing || !rows->missing[at];
    bool spoilt = part->gap_end_ns > pyramid->start_ns && part->gap_begin_ns < rows->time_ns[r];
    if (!part->valid || !here || spoilt)
        return NAN;
    if (!part->counter)
        return part->sum / part->count;
    double seconds = (double)(rows->time_ns[r] - pyramid->start_ns) * 1e-9;
    return (double)(int64_t)(rows->values[at] - part->start) * part->scale / seconds;
}

static int end_stretch(struct wtl_pyramid *pyramid, const struct wtl_rows *rows, size_t r)
{
    int code = pyramid->held_count == HELD ? release(pyramid) : 0;
    if (pyramid->held_count == HELD)
        return code; /* out of memory */
    struct held *held = &pyramid->held[(pyramid->held_at + pyramid->held_count++) % HELD];
    held->begin_ns = pyramid->start_ns;
    held->end_ns = rows->time_ns[r];
    held->rows = pyramid->stretch_rows;
    for (size_t i = 0; i < pyramid->count; i++)
        held->power_w[i] = part_power_w(pyramid, &pyramid->parts[i], rows, r);
    return code;
}

int wtl_pyramid_rows(struct wtl_pyramid *pyramid, const struct wtl_rows *rows)
{
    int result = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        if (!pyramid->begun) {
            begin_stretch(pyramid, rows, r);
            continue;
        }
        add_row(pyramid, rows, r);
        if (rows->time_ns[r] - pyramid->start_ns < pyramid->stretch_ns)
            continue;
        int code = end_stretch(pyramid, rows, r);
        result = code < 0 ? code : result;
        begin_stretch(pyramid, rows, r);
    }
    return result;
}

/* A gap that began before it was detected. */
static void spoil_held(struct wtl_pyramid *pyramid, size_t part, const struct wtl_gap *gap)
{
    for (size_t i = 0; i < pyramid->held_count; i++) {
        struct held *held = &pyramid->held[(pyramid->held_at + i) % HELD];
        if (gap->end_ns > held->begin_ns && gap->begin_ns < held->end_ns)
            held->power_w[part] = NAN;
    }
}

void wtl_pyramid_gap(struct wtl_pyramid *pyramid, const struct wtl_gap *gap)
{
    size_t low = 0, high = pyramid->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pyramid->by_channel[middle]->channel < gap->channel)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < pyramid->count && pyramid->by_channel[low]->channel == gap->channel; low++) {
        struct part *part = pyramid->by_channel[low];
        if (part->gap_end_ns <= pyramid->start_ns)
            part->gap_begin_ns = gap->begin_ns;
        if (gap->end_ns > part->gap_end_ns)
            part->gap_end_ns = gap->end_ns;
        spoil_held(pyramid, (size_t)(part - pyramid->parts), gap);
    }
}

int wtl_pyramid_finish(struct wtl_pyramid *pyramid)
{
    int result = 0;
    while (pyramid->held_count > 0) {
        int code = release(pyramid);
        if (code == -ENOMEM)
            return code;
        result = code < 0 ? code : result;
    }
    for (unsigned l = 0; l < WTL_PYRAMID_LEVELS; l++) {
        struct level *level = &pyramid->levels[l];
        int code = level->members > 0 ? close_bucket(pyramid, l) : 0;
        result = code < 0 ? code : result;
        uint64_t buckets = level->info.rows + level->payload_rows;
        code = emit_block(pyramid, level);
        result = code < 0 ? code : result;
        if (buckets <= 1)
            break; /* the levels above would only repeat it */
    }
    return result;
}

const struct wtl_pyramid_level *wtl_pyramid_level(const struct wtl_pyramid *pyramid, unsigned l)
{
    return l < WTL_PYRAMID_LEVELS && pyramid->levels[l].info.rows > 0 ? &pyramid->levels[l].info
                                                                      : NULL;
}
