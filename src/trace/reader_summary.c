/* SPDX-License-Identifier: BSD-3-Clause */
/* Data read on demand: the tables of marks, summaries, gaps, regions. From the footer if it contains them,
 * else once from the blocks, and afterwards only what was added since. */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "model/reading.h"
#include "trace/reader_state.h"
#include "trace/regions/region_summary.h"

static int visit_table(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    int code = wtl_tables_load((struct wtl_tables *)context, item->head.type, payload);
    return code == -EBADMSG ? 0 : code;
}

int wtl_trace_reader_tables(struct wtl_trace_reader *reader, struct wattle_error *err)
{
    const uint64_t types = (uint64_t)1 << WTL_BLOCK_STRINGS | (uint64_t)1 << WTL_BLOCK_PROCESSES |
                           (uint64_t)1 << WTL_BLOCK_THREADS;
    uint64_t offset = 0;
    if (reader->tables_complete || !(reader->types & types))
        return 0;
    int code = wtl_trace_reader_visit(reader, types, &offset, visit_table, &reader->tables);
    if (code < 0)
        return wtl_trace_reader_fail(reader->path, code, err);
    reader->tables_complete = true;
    return 0;
}

struct digest_visit {
    struct wtl_trace_reader *reader;
    struct wtl_rows_memory memory;
};

static int visit_digest(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct digest_visit *visit = (struct digest_visit *)context;
    struct wtl_trace_reader *reader = visit->reader;
    struct wtl_rows rows;
    int code;
    if (item->head.type == WTL_BLOCK_SAMPLES) {
        code = wtl_samples_decode(&reader->tables, payload, item->head.first_ns, NULL, 0,
                                  reader->unpacker, &visit->memory, &rows);
        if (code == 0)
            code = wtl_digest_rows(reader->digest, &rows);
    } else {
        code = wtl_digest_table(reader->digest, item->head.type, payload);
    }
    return code == -EBADMSG ? 0 : code;
}

/* Advance the digest to the limit. */
static int advance_digest(struct wtl_trace_reader *reader, struct wattle_error *err)
{
    const uint64_t types = (uint64_t)1 << WTL_BLOCK_SAMPLES | (uint64_t)1 << WTL_BLOCK_GAPS |
                           (uint64_t)1 << WTL_BLOCK_WINDOW;
    struct digest_visit visit = {.reader = reader};
    int code = 0;
    if (!reader->digest)
        code = wtl_digest_create(&reader->tables, NULL, NULL, &reader->digest);
    if (code == 0)
        code = wtl_trace_reader_visit(reader, types, &reader->digest_offset, visit_digest, &visit);
    wtl_rows_memory_fini(&visit.memory);
    return code < 0 ? wtl_trace_reader_fail(reader->path, code, err) : 0;
}

static int compare_summary(const void *id, const void *entry)
{
    uint32_t x = *(const uint32_t *)id, y = ((const struct wtl_footer_summary *)entry)->channel;
    return (x > y) - (x < y);
}

int wtl_trace_reader_summary(struct wtl_trace_reader *reader,
                             size_t channel,
                             struct wtl_summary *ret_summary,
                             struct wattle_error *err)
{
    const struct wtl_trace_channel *entry = wtl_tables_channel(&reader->tables, channel);
    if (!entry)
        return wtl_fail(err, -EINVAL, "%s: no channel %zu", reader->path, channel);
    const struct wtl_footer_summary *found = NULL;
    uint32_t id = (uint32_t)channel;
    if (reader->footer.summaries.count > 0)
        found = bsearch(&id, reader->footer.summaries.items, reader->footer.summaries.count,
                        sizeof *found, compare_summary);
    if (found && wtl_channel_is_understood(&entry->channel)) {
        *ret_summary = found->summary;
        return 0;
    }
    int code = advance_digest(reader, err);
    if (code == 0)
        wtl_digest_summary(reader->digest, id, ret_summary);
    return code;
}

static int add_gaps(struct wtl_trace_reader *reader, const struct wtl_list *from)
{
    const struct wtl_gap *gaps = (const struct wtl_gap *)from->items;
    for (size_t i = 0; i < from->count; i++) {
        struct wtl_gap *item = (struct wtl_gap *)wtl_list_add(&reader->gaps, sizeof *item);
        if (!item)
            return -ENOMEM;
        *item = gaps[i];
    }
    return 0;
}

struct lost_group {
    bool seen;
    uint64_t next_ordinal, last_ns;
};

struct lost_visit {
    struct wtl_trace_reader *reader;
    struct wtl_list groups; /* struct lost_group */
};

static int add_lost(struct wtl_trace_reader *reader,
                    const struct wtl_trace_group *group,
                    uint64_t begin_ns,
                    uint64_t end_ns)
{
    for (size_t i = 0; i < group->count; i++) {
        struct wtl_gap *gap = (struct wtl_gap *)wtl_list_add(&reader->gaps, sizeof *gap);
        if (!gap)
            return -ENOMEM;
        *gap = (struct wtl_gap){.channel = group->channels[i],
                                .reason = WTL_GAP_DAMAGED,
                                .begin_ns = begin_ns,
                                .end_ns = end_ns};
    }
    return 0;
}

static int visit_lost(void *context, const struct wtl_walk_item *item, struct wtl_cursor payload)
{
    struct lost_visit *visit = (struct lost_visit *)context;
    uint32_t id;
    uint64_t ordinal;
    int code = 0;
    if (!wtl_block_is_plain(&item->head) || wtl_samples_peek(payload, &id, &ordinal) < 0)
        return 0;
    const struct wtl_trace_group *group = wtl_tables_group(&visit->reader->tables, id);
    if (!group)
        return 0;
    while (visit->groups.count <= id)
        if (!wtl_list_add(&visit->groups, sizeof(struct lost_group)))
            return -ENOMEM;
    struct lost_group *state = (struct lost_group *)visit->groups.items + id;
    uint64_t since_ns = state->seen ? state->last_ns : item->head.first_ns;
    if (ordinal > state->next_ordinal)
        code = add_lost(visit->reader, group, since_ns, item->head.first_ns);
    *state = (struct lost_group){
        .seen = true, .next_ordinal = ordinal + 1, .last_ns = item->head.last_ns};
    return code;
}

/* Find missing blocks of samples: a footer does not know about blocks damaged after it was written. */
static int gather_lost(struct wtl_trace_reader *reader)
{
    struct lost_visit visit = {.reader = reader};
    uint64_t offset = 0;
    int code = wtl_trace_reader_visit(reader, (uint64_t)1 << WTL_BLOCK_SAMPLES, &offset, visit_lost,
                                      &visit);
    free(visit.groups.items);
    return code;
}

static int gather_gaps(struct wtl_trace_reader *reader)
{
    struct wtl_tables all = {.file_bytes = wtl_trace_reader_bytes(reader)};
    const struct wtl_list *table = &reader->tables.gaps;
    uint64_t offset = 0;
    int code = 0;
    reader->gaps.count = 0;
    if (reader->status.has_footer && table->count != reader->footer.totals.gaps) {
        code = wtl_trace_reader_visit(reader, (uint64_t)1 << WTL_BLOCK_GAPS, &offset, visit_table,
                                      &all);
        table = &all.gaps;
    }
    if (code == 0)
        code = add_gaps(reader, table);
    wtl_tables_fini(&all);
    if (code == 0 && (reader->status.has_footer || reader->status.damaged > 0))
        code = gather_lost(reader);
    return code;
}

int wtl_trace_reader_gaps(struct wtl_trace_reader *reader,
                          const struct wtl_gap **ret_gaps,
                          struct wattle_error *err)
{
    if (!reader->gaps_complete) {
        int code = gather_gaps(reader);
        if (code < 0)
            return wtl_trace_reader_fail(reader->path, code, err);
        reader->gaps_complete = true;
    }
    *ret_gaps = (const struct wtl_gap *)reader->gaps.items;
    return (int)reader->gaps.count;
}

int wtl_trace_reader_regions(struct wtl_trace_reader *reader,
                             const struct wtl_region_summary **ret_regions,
                             struct wattle_error *err)
{
    if (reader->status.has_footer && !(reader->footer.left_out & WTL_LEFT_OUT_REGIONS)) {
        *ret_regions = reader->footer.regions.regions;
        return (int)reader->footer.regions.count;
    }
    if (!reader->regions_complete) {
        struct wtl_footer_regions table = {0};
        int code = wtl_region_summaries(reader, &table, err);
        if (code < 0)
            return code;
        wtl_footer_regions_fini(&reader->regions);
        reader->regions = table;
        reader->regions_complete = true;
    }
    *ret_regions = reader->regions.regions;
    return (int)reader->regions.count;
}

int wtl_trace_reader_span(const struct wtl_trace_reader *reader,
                          uint64_t *ret_first_ns,
                          uint64_t *ret_last_ns)
{
    uint64_t first_ns = reader->footer.totals.first_ns, last_ns = reader->footer.totals.last_ns;
    if (!reader->status.has_footer) {
        first_ns = reader->first_ns;
        last_ns = reader->last_ns;
    }
    if (first_ns > last_ns)
        return -ENOENT;
    *ret_first_ns = first_ns;
    *ret_last_ns = last_ns;
    return 0;
}
