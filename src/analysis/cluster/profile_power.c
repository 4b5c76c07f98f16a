/* SPDX-License-Identifier: BSD-3-Clause */
/* Second pass of a profile: the power of a node over the cells of the run, and within its regions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/profile_pass.h"
#include "analysis/cluster/run_result.h"
#include "analysis/power/timeline.h"
#include "base/fail.h"
#include "base/whole.h"
#include "trace/regions/nesting.h"

/* A time of the node, in seconds since the begin of the run. */
static double seconds(const struct wtl_profile_pass *pass, size_t i, uint64_t node_ns)
{
    int64_t at = wtl_run_clock_time(&wtl_run_node(pass->run, i)->clock, node_ns);
    return wtl_seconds_between(wtl_run_begin(pass->run), at);
}

static int profile_regions(struct wtl_profile_pass *pass,
                           struct wtl_trace_reader *reader,
                           size_t i);

bool wtl_profile_adds(const struct wtl_run_profile *profile,
                      const struct wtl_profile_node *node,
                      size_t k)
{
    const struct wtl_run_part *part = node->parts[k];
    return part->channels > 0 &&
           (part->energy.quality == WATTLE_ESTIMATED) == profile->parts[k].estimated;
}

/* ---- power ---- */

/* The channels of one part of a node. */
struct members {
    uint32_t *ids;
    size_t count;
};

/* The channels that make up the sum of part k; for part 0, those of the total. */
static size_t find_members(const struct wtl_profile_pass *pass,
                           const struct wtl_trace_reader *reader,
                           const struct wtl_result *result,
                           size_t k,
                           struct members *members)
{
    const struct wtl_profile_part *part = &pass->profile->parts[k];
    char name[WATTLE_NAME_MAX];
    members->count = 0;
    for (size_t c = 0; c < result->energy_count; c++) {
        const struct wattle_channel *channel = &result->channels[c].channel;
        bool member = (channel->flags & WATTLE_CHANNEL_IN_TOTAL) != 0;
        if (k > 0) {
            wtl_run_part_name(channel->name, name);
            member = wtl_run_part_counts(result, c) && strcmp(name, part->name) == 0 &&
                     (channel->quality == WATTLE_ESTIMATED) == part->estimated;
        }
        int id = member ? wtl_trace_reader_find_channel(reader, channel->name) : -1;
        if (id >= 0)
            members->ids[members->count++] = (uint32_t)id;
    }
    return members->count;
}

/* The sum of the members in each fine cell; unknown if one of them is. */
static void add_members(struct wtl_profile_pass *pass,
                        size_t i,
                        const struct wtl_timeline *timeline,
                        const struct members *members)
{
    const struct wtl_profile_node *node = &pass->profile->nodes[i];
    struct wtl_bins *fine = &pass->fine;
    for (size_t k = 0; k < fine->count; k++)
        pass->power[k] = 0;
    for (size_t m = 0; m < members->count; m++) {
        const struct wtl_series *series = wtl_timeline_find(timeline, members->ids[m]);
        const struct wtl_axis *axis = series ? &timeline->axes[series->axis] : NULL;
        wtl_bins_clear(fine);
        double begin = axis && axis->count ? seconds(pass, i, axis->begin_ns[0]) : 0;
        for (size_t s = 0; axis && s < axis->count; s++) {
            double end =
                seconds(pass, i, s + 1 < axis->count ? axis->begin_ns[s + 1] : axis->end_ns);
            wtl_bins_add(fine, fmax(begin, node->begin_s), fmin(end, node->end_s),
                         (double)series->mean[s]);
            begin = end;
        }
        for (size_t k = 0; k < fine->count; k++)
            pass->power[k] += wtl_bins_mean(fine, k, WTL_PROFILE_HALF);
    }
}

/* Convert fine cells to cells of the matrix: known if half of them are. */
static void store(struct wtl_profile_pass *pass, size_t i, size_t part)
{
    const struct wtl_run_profile *p = pass->profile;
    float *row = pass->matrix[part] + i * p->cells;
    for (size_t k = 0; k < p->cells; k++) {
        double sum = 0;
        size_t known = 0;
        for (size_t f = 0; f < WTL_PROFILE_FINE; f++) {
            double w = pass->power[k * WTL_PROFILE_FINE + f];
            known += isnan(w) ? 0 : 1;
            sum += isnan(w) ? 0 : w;
        }
        row[k] = 2 * known >= WTL_PROFILE_FINE ? (float)(sum / (double)known) : NAN;
    }
}

/* Only for the total: the node's box, and its contribution to that of all nodes. */
static void take_total(struct wtl_profile_pass *pass, size_t i)
{
    struct wtl_profile_node *node = &pass->profile->nodes[i];
    if (!(node->marks & WTL_NODE_NOT_ADDED))
        for (size_t k = 0; k < pass->fine.count; k++)
            pass->moments[i * pass->fine.count + k] = (float)pass->power[k];
    memcpy(pass->column, pass->power, pass->fine.count * sizeof *pass->column);
    node->power = wtl_describe(pass->column, pass->fine.count);
}

static int read_timeline(struct wtl_profile_pass *pass,
                         struct wtl_trace_reader *reader,
                         const struct wtl_result *result,
                         struct members *members,
                         struct wtl_timeline *timeline)
{
    struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = members->ids, .no_edges = true};
    for (size_t c = 0; c < result->energy_count; c++) {
        int id = wtl_trace_reader_find_channel(reader, result->channels[c].channel.name);
        if (id >= 0 && (wtl_run_part_counts(result, c) ||
                        result->channels[c].channel.flags & WATTLE_CHANNEL_IN_TOTAL))
            members->ids[range.channel_count++] = (uint32_t)id;
    }
    return wtl_timeline_read(reader, &range, pass->fine.count, WTL_TIMELINE_MEANS, timeline,
                             pass->err);
}

static int read_power(struct wtl_profile_pass *pass,
                      struct wtl_trace_reader *reader,
                      const struct wtl_result *result,
                      size_t i)
{
    const struct wtl_profile_node *node = &pass->profile->nodes[i];
    struct members members = {.ids = malloc((result->energy_count + 1) * sizeof(uint32_t))};
    struct wtl_timeline timeline = {0};
    int rc = members.ids ? read_timeline(pass, reader, result, &members, &timeline) : -ENOMEM;
    for (size_t k = pass->profile->part_count; k-- > 0 && rc == 0;) { /* the total last */
        if (find_members(pass, reader, result, k, &members) == 0) {
            for (size_t f = 0; f < pass->fine.count; f++)
                pass->power[f] = NAN;
        } else {
            add_members(pass, i, &timeline, &members);
        }
        if (wtl_profile_adds(pass->profile, node, k))
            store(pass, i, k);
    }
    if (rc == 0)
        take_total(pass, i);
    wtl_timeline_fini(&timeline);
    free(members.ids);
    return rc;
}

int wtl_profile_power(struct wtl_profile_pass *pass, size_t i)
{
    struct wtl_result result = wtl_result_unknown();
    struct wtl_trace_reader *reader = NULL;
    if (isnan(pass->profile->nodes[i].begin_s)) { /* it is empty */
        pass->profile->nodes[i].power = wtl_describe(NULL, 0);
        return 0;
    }
    int rc = wtl_run_node_open(pass->run, i, &reader, pass->err);
    rc =
        rc < 0 ? rc : wtl_run_result_read(reader, pass->profile->nodes[i].name, &result, pass->err);
    rc = rc < 0 ? rc : read_power(pass, reader, &result, i);
    if (rc == 0 && pass->profile->region_count > 0 &&
        !(pass->profile->nodes[i].marks & WTL_NODE_NOT_ADDED))
        rc = profile_regions(pass, reader, i);
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

/* ---- regions ---- */

/* The time that one node spent inside its regions. */
struct inside {
    const struct wtl_profile_pass *pass;
    const struct wtl_trace_reader *reader;
    struct wtl_nesting *nesting;
    size_t node;
    double *since_s;  /* [regions]: when it was opened */
    double *inside_s; /* [regions * cells] */
    double until_s, outside_since_s;
};

/* The region was open from since to now: add it to the cells. */
static void add_time(const struct inside *in, size_t region, double since_s, double now_s)
{
    const struct wtl_run_profile *p = in->pass->profile;
    double *row = in->inside_s + region * p->cells, begin = fmax(since_s, 0);
    double end = fmin(now_s, p->length_s);
    if (!(end > begin))
        return;
    for (size_t k = wtl_whole_size(begin / p->cell_s, p->cells);
         k < p->cells && (double)k * p->cell_s < end; k++) {
        double low = fmax(begin, (double)k * p->cell_s);
        row[k] += fmax(0, fmin(end, (double)(k + 1) * p->cell_s) - low);
    }
}

static int change_inside(void *context,
                         enum wtl_nesting_set set,
                         size_t name_index,
                         uint64_t ns,
                         bool on)
{
    struct inside *in = (struct inside *)context;
    const struct wtl_run_profile *p = in->pass->profile;
    double now_s = seconds(in->pass, in->node, ns);
    const char *name = "";
    if (set == WTL_SET_INNERMOST)
        return 0;
    if (set == WTL_SET_OPEN) {
        const struct wtl_nesting_name *entry = wtl_nesting_name(in->nesting, name_index);
        name = entry ? wtl_trace_reader_string(in->reader, entry->name) : NULL;
        if (!name || !name[0])
            return 0;
    }
    size_t r = 0;
    while (r < p->region_count && strcmp(p->regions[r].sum->name, name) != 0)
        r++;
    if (r == p->region_count)
        return 0;
    /* Outside means that no region is open. */
    if (set == WTL_SET_TAGGED)
        on = !on;
    if (on)
        in->since_s[r] = now_s;
    else
        add_time(in, r, in->since_s[r], now_s);
    return 0;
}

#define WHOLE 0.999

/* Cells completely inside a region have its power; those at a border also include power from
 * outside, so they count only if the node has no others of the region. */
static double least_inside(const struct wtl_run_profile *p, const double *inside_s)
{
    for (size_t k = 0; k < p->cells; k++)
        if (inside_s[k] >= WHOLE * p->cell_s)
            return WHOLE * p->cell_s;
    return 0;
}

/* Add the node's power while it was inside to the sums over nodes. */
static void add_node(struct wtl_profile_pass *pass, const struct inside *in)
{
    struct wtl_run_profile *p = pass->profile;
    const float *power = p->node_w + in->node * p->cells;
    for (size_t r = 0; r < p->region_count; r++) {
        struct wtl_profile_region *region = &p->regions[r];
        double least_s = least_inside(p, in->inside_s + r * p->cells);
        for (size_t k = 0; k < p->cells; k++) {
            double time_s = in->inside_s[r * p->cells + k];
            if (!(time_s > 0) || isnan(power[k]))
                continue;
            region->inside[k]++;
            if (time_s < least_s)
                continue;
            pass->weight[r * p->cells + k] += time_s;
            pass->weighted[r * p->cells + k] += time_s * (double)power[k];
            if (time_s < WTL_PROFILE_HALF * p->cell_s)
                continue;
            region->min[k] = fminf(region->min[k], power[k]); /* fminf ignores NaN */
            region->max[k] = fmaxf(region->max[k], power[k]);
        }
    }
}

static int read_marks(struct inside *in, struct wattle_error *err)
{
    const struct wtl_profile_node *node = &in->pass->profile->nodes[in->node];
    const struct wtl_run_profile *p = in->pass->profile;
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    int rc =
        wtl_trace_marks_open((struct wtl_trace_reader *)in->reader, WTL_ALL_THREADS, &marks, err);
    for (size_t r = 0; r < p->region_count; r++)
        in->since_s[r] = node->begin_s; /* outside, until a region is opened */
    while (rc >= 0 && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0)
        if (mark.kind != WTL_MARK_EVENT)
            rc = wtl_nesting_mark(in->nesting, &mark);
    rc = rc < 0 ? rc : wtl_nesting_finish(in->nesting);
    for (size_t r = 0; r < p->region_count; r++)
        if (!p->regions[r].sum->name[0])
            add_time(in, r, in->since_s[r], node->end_s);
    wtl_trace_marks_close(marks);
    return rc;
}

static int profile_regions(struct wtl_profile_pass *pass, struct wtl_trace_reader *reader, size_t i)
{
    const struct wtl_run_profile *p = pass->profile;
    struct wtl_trace_window window;
    struct inside in = {.pass = pass, .reader = reader, .node = i};
    wtl_trace_reader_window(reader, &window);
    in.since_s = calloc(p->region_count + 1, sizeof *in.since_s);
    in.inside_s = calloc(p->region_count * p->cells + 1, sizeof *in.inside_s);
    in.nesting =
        wtl_nesting_create(0, window.ended ? window.end_monotonic_ns : 0, change_inside, &in);
    int rc = in.since_s && in.inside_s && in.nesting ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : wtl_trace_reader_tables(reader, pass->err);
    rc = rc < 0 ? rc : read_marks(&in, pass->err);
    if (rc == 0)
        add_node(pass, &in);
    wtl_nesting_destroy(in.nesting);
    free(in.since_s);
    free(in.inside_s);
    return rc;
}
