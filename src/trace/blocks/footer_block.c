/* SPDX-License-Identifier: BSD-3-Clause */
/* The footer: see footer_block.h. Sections are tables as in blocks, so both are read by the same code;
 * only totals, summaries, regions and pyramids are handled here. */
#include "trace/blocks/footer_block.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/reading.h"
#include "trace/string_set.h"

enum { INCLUSIVE_INTERVAL = 1, EXCLUSIVE_INTERVAL = 2, REGION_ENERGY_BYTES = 4 + 1 + 4 * 8 };

void wtl_footer_regions_fini(struct wtl_footer_regions *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free((void *)(uintptr_t)table->regions[i].name);
        free((void *)(uintptr_t)table->regions[i].inclusive);
    }
    free(table->regions);
    memset(table, 0, sizeof *table);
}

struct wtl_region_summary *wtl_region_table_add(struct wtl_footer_regions *table,
                                                const char *name,
                                                size_t name_length,
                                                size_t count,
                                                struct wtl_region_room *ret_room)
{
    if (wtl_grow(&table->regions, table->count, sizeof *table->regions) < 0)
        return NULL;
    char *copy = malloc(name_length + 1);
    struct wtl_energy *joules = calloc(count + 1, 2 * sizeof *joules + sizeof *ret_room->channels);
    if (!copy || !joules) {
        free(copy);
        free(joules);
        return NULL;
    }
    memcpy(copy, name, name_length);
    copy[name_length] = 0;
    *ret_room = (struct wtl_region_room){.channels = (uint32_t *)(void *)(joules + 2 * count),
                                         .inclusive = joules,
                                         .exclusive = joules + count};
    struct wtl_region_summary *summary = &table->regions[table->count++];
    *summary = (struct wtl_region_summary){.name = copy,
                                           .energy_count = count,
                                           .channels = ret_room->channels,
                                           .inclusive = ret_room->inclusive,
                                           .exclusive = ret_room->exclusive};
    return summary;
}

/* The text followed by a number; owned. */
static char *numbered(const char *text, size_t number)
{
    size_t room = strlen(text) + 32;
    char *name = malloc(room);
    if (name)
        (void)snprintf(name, room, "%s (%zu)", text[0] ? text : "?", number);
    return name;
}

int wtl_region_table_tell_apart(struct wtl_footer_regions *table)
{
    struct wtl_string_set names = {0};
    int code = 0;
    for (size_t i = 0; i < table->count && code >= 0; i++) {
        struct wtl_region_summary *region = &table->regions[i];
        bool fresh = false;
        code = wtl_string_set_add(&names, region->name, &fresh);
        while (code >= 0 && (!fresh || (i > 0 && !region->name[0]))) {
            char *name = numbered(region->name, i);
            if (!name) {
                code = -ENOMEM;
                break;
            }
            free((void *)(uintptr_t)region->name);
            region->name = name;
            code = wtl_string_set_add(&names, name, &fresh);
        }
    }
    wtl_string_set_fini(&names);
    return code < 0 ? code : 0;
}

void wtl_footer_source_fini(struct wtl_footer_source *source)
{
    wtl_footer_regions_fini(&source->regions);
}

/* ---- writing ---- */

static size_t section_begin(struct wtl_bytes *payload, unsigned type)
{
    wtl_bytes_put_u16(payload, (uint16_t)type);
    wtl_bytes_put_u16(payload, 0);
    return wtl_record_begin(payload); /* a u32 length, as for a record */
}

static void put_totals(const struct wtl_footer_source *source,
                       unsigned left_out,
                       struct wtl_bytes *payload)
{
    struct wtl_digest_totals totals;
    wtl_digest_totals(source->digest, &totals);
    size_t section = section_begin(payload, WTL_SECTION_TOTALS);
    size_t record = wtl_record_begin(payload);
    wtl_bytes_put_u64(payload, source->blocks);
    wtl_bytes_put_u64(payload, source->damaged);
    wtl_bytes_put_u64(payload, source->damaged_bytes);
    wtl_bytes_put_u64(payload, totals.rows);
    wtl_bytes_put_u64(payload, totals.first_ns);
    wtl_bytes_put_u64(payload, totals.last_ns);
    wtl_bytes_put_u64(payload, totals.gaps);
    wtl_bytes_put_u64(payload, source->types);
    wtl_bytes_put_u64(payload, source->needed);
    wtl_bytes_put_u64(payload, left_out);
    wtl_record_end(payload, record);
    wtl_record_end(payload, section);
}

static void put_summary(uint32_t channel, const struct wtl_summary *s, struct wtl_bytes *payload)
{
    const double reals[] = {s->amount, s->amount_half, s->mean_w, s->min_w, s->max_w, s->sd_w};
    const uint64_t numbers[] = {s->stat_window_ns, s->samples,    s->stale,    s->gaps,
                                s->gap_ns,         s->unknown_ns, s->first_ns, s->last_ns,
                                s->first_value,    s->last_value};
    size_t record = wtl_record_begin(payload);
    wtl_bytes_put_u32(payload, channel);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        wtl_bytes_put_f64(payload, isnan(reals[i]) ? (double)NAN : reals[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        wtl_bytes_put_u64(payload, numbers[i]);
    wtl_bytes_put_u32(payload, s->gap_reasons);
    wtl_record_end(payload, record);
}

static void put_summaries(const struct wtl_footer_source *source, struct wtl_bytes *payload)
{
    size_t section = section_begin(payload, WTL_SECTION_SUMMARIES);
    for (uint32_t i = 0; i < source->tables->channels.count; i++) {
        struct wtl_summary summary;
        const struct wtl_trace_channel *channel = wtl_tables_channel(source->tables, i);
        if (!channel || !wtl_channel_is_understood(&channel->channel))
            continue;
        wtl_digest_summary(source->digest, i, &summary);
        put_summary(i, &summary, payload);
    }
    wtl_record_end(payload, section);
}

static void put_region(const struct wtl_region_summary *region, struct wtl_bytes *payload)
{
    size_t record = wtl_record_begin(payload);
    wtl_bytes_put_text(payload, region->name);
    wtl_bytes_put_u64(payload, region->count);
    wtl_bytes_put_u64(payload, region->thread_time_ns);
    wtl_bytes_put_u64(payload, region->union_ns);
    wtl_bytes_put_u64(payload, region->exclusive_union_ns);
    wtl_bytes_put_u64(payload, region->unbalanced);
    wtl_bytes_put_u64(payload, region->crossing);
    wtl_bytes_put_u32(payload, (uint32_t)region->energy_count);
    for (size_t i = 0; i < region->energy_count; i++) {
        const struct wtl_energy *in = &region->inclusive[i], *ex = &region->exclusive[i];
        wtl_bytes_put_u32(payload, region->channels[i]);
        wtl_bytes_put_u8(payload, (uint8_t)((in->interval_only ? INCLUSIVE_INTERVAL : 0) |
                                            (ex->interval_only ? EXCLUSIVE_INTERVAL : 0)));
        wtl_bytes_put_f64(payload, in->j);
        wtl_bytes_put_f64(payload, in->half_j);
        wtl_bytes_put_f64(payload, ex->j);
        wtl_bytes_put_f64(payload, ex->half_j);
    }
    wtl_record_end(payload, record);
}

static void put_regions(const struct wtl_footer_source *source, struct wtl_bytes *payload)
{
    size_t section = section_begin(payload, WTL_SECTION_REGIONS);
    for (size_t i = 0; i < source->regions.count; i++)
        put_region(&source->regions.regions[i], payload);
    wtl_record_end(payload, section);
}

static void put_levels(const struct wtl_footer_source *source, struct wtl_bytes *payload)
{
    size_t section = section_begin(payload, WTL_SECTION_PYRAMIDS);
    for (uint32_t g = 0; g < source->tables->groups.count; g++) {
        for (unsigned l = 0; l < WTL_PYRAMID_LEVELS; l++) {
            const struct wtl_pyramid_level *level = wtl_digest_level(source->digest, g, l);
            if (!level)
                continue;
            size_t record = wtl_record_begin(payload);
            wtl_bytes_put_u32(payload, level->group);
            wtl_bytes_put_u32(payload, level->level);
            wtl_bytes_put_u64(payload, level->stretch_ns);
            wtl_bytes_put_u64(payload, level->offset);
            wtl_bytes_put_u64(payload, level->rows);
            wtl_record_end(payload, record);
        }
    }
    wtl_record_end(payload, section);
}

static void put_all(const struct wtl_footer_source *source,
                    unsigned left_out,
                    struct wtl_bytes *payload)
{
    static const struct {
        unsigned type, part;
    } tables[] = {{WTL_BLOCK_METADATA, WTL_LEFT_OUT_TABLES},
                  {WTL_BLOCK_CHANNELS, WTL_LEFT_OUT_TABLES},
                  {WTL_BLOCK_ORIGINS, WTL_LEFT_OUT_TABLES},
                  {WTL_BLOCK_GROUPS, WTL_LEFT_OUT_TABLES},
                  {WTL_BLOCK_CLOCKS, 0},
                  {WTL_BLOCK_WINDOW, 0},
                  {WTL_BLOCK_GAPS, 0}};
    put_totals(source, left_out, payload);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (left_out & tables[i].part)
            continue;
        size_t section = section_begin(payload, tables[i].type);
        wtl_tables_put(source->tables, tables[i].type, payload);
        wtl_record_end(payload, section);
    }
    if (!(left_out & WTL_LEFT_OUT_SUMMARIES))
        put_summaries(source, payload);
    if (!(left_out & WTL_LEFT_OUT_REGIONS))
        put_regions(source, payload);
    if (!(left_out & WTL_LEFT_OUT_PYRAMIDS))
        put_levels(source, payload);
    wtl_bytes_put_u64(payload, source->footer_offset);
    wtl_bytes_put_u64(payload, source->index_offset);
    wtl_bytes_put(payload, WTL_TRAILER_MAGIC, sizeof WTL_TRAILER_MAGIC - 1);
}

void wtl_footer_put(const struct wtl_footer_source *source, size_t most, struct wtl_bytes *payload)
{
    for (unsigned next = 1; next <= WTL_LEFT_OUT_END; next <<= 1) {
        wtl_bytes_reset(payload);
        put_all(source, next - 1, payload);
        if (payload->failed || payload->length <= most)
            break;
    }
}

/* ---- reading ---- */

void wtl_footer_fini(struct wtl_footer *footer)
{
    free(footer->summaries.items);
    free(footer->levels.items);
    wtl_footer_regions_fini(&footer->regions);
    memset(footer, 0, sizeof *footer);
}

static int load_totals(struct wtl_cursor *record, struct wtl_footer *footer)
{
    footer->blocks = wtl_cursor_u64(record);
    footer->damaged = wtl_cursor_u64(record);
    footer->damaged_bytes = wtl_cursor_u64(record);
    footer->totals.rows = wtl_cursor_u64(record);
    footer->totals.first_ns = wtl_cursor_u64(record);
    footer->totals.last_ns = wtl_cursor_u64(record);
    footer->totals.gaps = wtl_cursor_u64(record);
    footer->types = wtl_cursor_u64(record);
    footer->needed = wtl_cursor_u64(record);
    footer->left_out = wtl_cursor_u64(record);
    return record->failed ? -EBADMSG : 0;
}

static int load_summary(struct wtl_cursor *record, struct wtl_footer *footer)
{
    struct wtl_footer_summary entry = {.channel = wtl_cursor_u32(record)};
    struct wtl_summary *s = &entry.summary;
    double *const reals[] = {&s->amount, &s->amount_half, &s->mean_w,
                             &s->min_w,  &s->max_w,       &s->sd_w};
    uint64_t *const numbers[] = {&s->stat_window_ns, &s->samples,    &s->stale,    &s->gaps,
                                 &s->gap_ns,         &s->unknown_ns, &s->first_ns, &s->last_ns,
                                 &s->first_value,    &s->last_value};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        *reals[i] = wtl_cursor_f64(record);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = wtl_cursor_u64(record);
    s->gap_reasons = wtl_cursor_u32(record);
    s->last_w = NAN;
    if (record->failed)
        return -EBADMSG;
    struct wtl_footer_summary *item =
        (struct wtl_footer_summary *)wtl_list_add(&footer->summaries, sizeof entry);
    if (!item)
        return -ENOMEM;
    *item = entry;
    return 0;
}

static struct wtl_energy load_energy(struct wtl_cursor *record, bool interval_only)
{
    struct wtl_energy energy = wtl_energy_unknown();
    energy.j = wtl_cursor_f64(record);
    energy.half_j = wtl_cursor_f64(record);
    energy.interval_only = interval_only;
    return energy;
}

static void load_energies(struct wtl_cursor *record, size_t i, const struct wtl_region_room *room)
{
    room->channels[i] = wtl_cursor_u32(record);
    uint8_t flags = wtl_cursor_u8(record);
    room->inclusive[i] = load_energy(record, flags & INCLUSIVE_INTERVAL);
    room->exclusive[i] = load_energy(record, flags & EXCLUSIVE_INTERVAL);
}

static int load_region(struct wtl_cursor *record, struct wtl_footer *footer)
{
    struct wtl_region_summary region = {0};
    struct wtl_region_room room;
    const char *name;
    size_t length = wtl_cursor_text(record, &name);
    region.count = wtl_cursor_u64(record);
    region.thread_time_ns = wtl_cursor_u64(record);
    region.union_ns = wtl_cursor_u64(record);
    region.exclusive_union_ns = wtl_cursor_u64(record);
    region.unbalanced = wtl_cursor_u64(record);
    region.crossing = wtl_cursor_u64(record);
    size_t n = wtl_cursor_u32(record);
    if (record->failed || n > wtl_cursor_left(record) / REGION_ENERGY_BYTES)
        return -EBADMSG;
    struct wtl_region_summary *added =
        wtl_region_table_add(&footer->regions, name, length, n, &room);
    if (!added)
        return -ENOMEM;
    added->count = region.count;
    added->thread_time_ns = region.thread_time_ns;
    added->union_ns = region.union_ns;
    added->exclusive_union_ns = region.exclusive_union_ns;
    added->unbalanced = region.unbalanced;
    added->crossing = region.crossing;
    for (size_t i = 0; i < n; i++) {
        load_energies(record, i, &room);
        if (i > 0 && room.channels[i] <= room.channels[i - 1])
            return -EBADMSG;
    }
    return 0;
}

static int load_level(struct wtl_cursor *record, struct wtl_footer *footer)
{
    struct wtl_pyramid_level level = {.group = wtl_cursor_u32(record)};
    level.level = wtl_cursor_u32(record);
    level.stretch_ns = wtl_cursor_u64(record);
    level.offset = wtl_cursor_u64(record);
    level.rows = wtl_cursor_u64(record);
    if (record->failed)
        return -EBADMSG;
    struct wtl_pyramid_level *item =
        (struct wtl_pyramid_level *)wtl_list_add(&footer->levels, sizeof level);
    if (!item)
        return -ENOMEM;
    *item = level;
    return 0;
}

static int load_section(unsigned type,
                        struct wtl_cursor cursor,
                        struct wtl_footer *footer,
                        struct wtl_tables *tables)
{
    struct wtl_cursor record;
    int code;
    if (wtl_record_type(type))
        return wtl_tables_load(tables, type, cursor);
    if (type < WTL_SECTION_TOTALS || type > WTL_SECTION_PYRAMIDS)
        return 0;
    while ((code = wtl_record_next(&cursor, &record)) > 0) {
        if (type == WTL_SECTION_TOTALS)
            code = load_totals(&record, footer);
        else if (type == WTL_SECTION_SUMMARIES)
            code = load_summary(&record, footer);
        else if (type == WTL_SECTION_REGIONS)
            code = load_region(&record, footer);
        else
            code = load_level(&record, footer);
        if (code < 0)
            return code;
    }
    return code;
}

int wtl_footer_load(struct wtl_cursor cursor, struct wtl_footer *footer, struct wtl_tables *tables)
{
    if (wtl_cursor_left(&cursor) < WTL_TRAILER)
        return -EBADMSG;
    cursor.end -= WTL_TRAILER;
    while (wtl_cursor_left(&cursor) > 0) {
        unsigned type = wtl_cursor_u16(&cursor);
        (void)wtl_cursor_u16(&cursor);
        size_t n = wtl_cursor_u32(&cursor);
        const uint8_t *p = wtl_cursor_take(&cursor, n);
        if (!p)
            return -EBADMSG;
        int code = load_section(type, wtl_cursor_init(p, n), footer, tables);
        if (code < 0)
            return code;
    }
    return wtl_region_table_tell_apart(&footer->regions);
}
