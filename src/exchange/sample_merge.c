/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the samples of all groups by time, with gaps: see sample_merge.h. */
#include "exchange/sample_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_wanted(const struct wtl_trace_range *range, uint32_t id)
{
    return !range->channels ||
           bsearch(&id, range->channels, range->channel_count, sizeof id, compare_ids);
}

static int add_strand(struct wtl_sample_merge *merge,
                      struct wtl_trace_reader *reader,
                      const struct wtl_trace_range *range,
                      uint32_t group,
                      struct wattle_error *err)
{
    const struct wtl_trace_group *about = wtl_trace_reader_group(reader, group);
    if (!about || about->flags & WTL_GROUP_EDGE)
        return 0;
    struct wtl_sample_strand strand = {.group = group,
                                       .ids = malloc((about->count + 1) * sizeof *strand.ids)};
    size_t count = 0;
    if (!strand.ids)
        return -ENOMEM;
    for (size_t i = 0; i < about->count; i++) {
        if (is_wanted(range, about->channels[i]))
            strand.ids[count++] = about->channels[i];
    }
    const struct wtl_trace_range of_group = {.begin_ns = range->begin_ns,
                                             .end_ns = range->end_ns,
                                             .channels = strand.ids,
                                             .channel_count = count,
                                             .no_edges = true};
    int rc = count ? wtl_trace_samples_open(reader, &of_group, &strand.samples, err) : 0;
    if (rc < 0 || count == 0) {
        free(strand.ids);
        return rc;
    }
    merge->strands[merge->strand_count++] = strand;
    return 0;
}

/* The next chunk of the strand's own group. 0 or -errno. */
static int fetch(struct wtl_sample_strand *strand, struct wattle_error *err)
{
    int rc;
    do {
        rc = wtl_trace_samples_next(strand->samples, &strand->chunk, err);
    } while (rc > 0 && strand->chunk.group != strand->group);
    strand->row = 0;
    strand->done = rc <= 0;
    return rc < 0 ? rc : 0;
}

int wtl_sample_merge_open(struct wtl_sample_merge *merge,
                          struct wtl_trace_reader *reader,
                          const struct wtl_trace_range *range,
                          struct wattle_error *err)
{
    size_t groups = wtl_trace_reader_group_count(reader);
    *merge = (struct wtl_sample_merge){.strands = calloc(groups + 1, sizeof *merge->strands)};
    int rc = merge->strands ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < groups; i++)
        rc = add_strand(merge, reader, range, (uint32_t)i, err);
    for (size_t i = 0; rc == 0 && i < merge->strand_count; i++)
        rc = fetch(&merge->strands[i], err);
    return rc;
}

int wtl_sample_merge_next(struct wtl_sample_merge *merge,
                          struct wtl_sample_row *ret_row,
                          struct wattle_error *err)
{
    struct wtl_sample_strand *found = NULL, *given = merge->given;
    int rc = given && ++given->row == given->chunk.rows ? fetch(given, err) : 0;
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < merge->strand_count; i++) {
        struct wtl_sample_strand *strand = &merge->strands[i];
        if (!strand->done && (!found || strand->chunk.time_ns[strand->row] < ret_row->time_ns)) {
            found = strand;
            ret_row->time_ns = strand->chunk.time_ns[strand->row];
        }
    }
    merge->given = found;
    if (!found)
        return 0;
    ret_row->columns = found->chunk.columns;
    ret_row->column_count = found->chunk.column_count;
    ret_row->row = found->row;
    return 1;
}

void wtl_sample_merge_close(struct wtl_sample_merge *merge)
{
    for (size_t i = 0; i < merge->strand_count; i++) {
        wtl_trace_samples_close(merge->strands[i].samples);
        free(merge->strands[i].ids);
    }
    free(merge->strands);
    *merge = (struct wtl_sample_merge){.strand_count = 0};
}

/* ---- gaps ---- */

static int compare_gaps(const void *a, const void *b)
{
    const struct wtl_gap *x = a, *y = b;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

int wtl_gap_walk_open(struct wtl_gap_walk *walk,
                      struct wtl_trace_reader *reader,
                      struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    *walk = (struct wtl_gap_walk){.gaps = NULL};
    int count = wtl_trace_reader_gaps(reader, &gaps, err);
    if (count < 0)
        return count;
    size_t n = (size_t)count, channels = wtl_trace_reader_channel_count(reader);
    walk->gaps = malloc((n + 1) * sizeof *walk->gaps);
    walk->channels = calloc(channels + 1, sizeof *walk->channels);
    if (!walk->gaps || !walk->channels)
        return -ENOMEM;
    if (n)
        memcpy(walk->gaps, gaps, n * sizeof *gaps);
    wtl_sort(walk->gaps, n, sizeof *walk->gaps, compare_gaps);
    for (size_t i = 0; i < n; i++) {
        uint32_t id = walk->gaps[i].channel;
        if (id >= channels)
            continue;
        if (walk->channels[id].end == 0)
            walk->channels[id].at = i;
        walk->channels[id].end = i + 1;
    }
    return 0;
}

bool wtl_gap_walk_between(struct wtl_gap_walk *walk,
                          uint32_t channel,
                          uint64_t from_ns,
                          uint64_t to_ns)
{
    struct wtl_gap_reach *reach = &walk->channels[channel];
    while (reach->at < reach->end && walk->gaps[reach->at].end_ns <= from_ns)
        reach->at++;
    return reach->at < reach->end && walk->gaps[reach->at].begin_ns < to_ns;
}

bool wtl_gap_walk_loses(struct wtl_gap_walk *walk,
                        uint32_t channel,
                        enum wattle_kind kind,
                        uint64_t from_ns,
                        uint64_t to_ns)
{
    if (!wtl_gap_walk_between(walk, channel, from_ns, to_ns))
        return false;
    const struct wtl_gap_reach *reach = &walk->channels[channel];
    bool loses = false;
    for (size_t i = reach->at; i < reach->end && walk->gaps[i].begin_ns < to_ns && !loses; i++)
        loses = walk->gaps[i].end_ns > from_ns && wtl_gap_loses_energy(walk->gaps[i].reason, kind);
    return loses;
}

void wtl_gap_walk_close(struct wtl_gap_walk *walk)
{
    free(walk->gaps);
    free(walk->channels);
    *walk = (struct wtl_gap_walk){.gaps = NULL};
}
