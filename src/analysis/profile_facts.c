/* SPDX-License-Identifier: BSD-3-Clause */
/* First pass of a profile: what the footers of the nodes tell. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile_pass.h"
#include "analysis/region_rows.h"
#include "analysis/run_result.h"
#include "base/fail.h"
#include "base/parse.h"

/* ---- parts ---- */

static void part_of_name(const char *name, char ret_name[WATTLE_NAME_MAX])
{
    const char *colon = strchr(name, ':');
    const char *from = colon ? colon + 1 : name;
    size_t n = 0;
    while (from[n] && n + 1 < WATTLE_NAME_MAX &&
           !(from[n] == '-' && from[n + 1] >= '0' && from[n + 1] <= '9'))
        n++;
    memcpy(ret_name, from, n);
    ret_name[n] = '\0';
}

void wtl_profile_part_name(const struct wattle_channel *channel, char ret_name[WATTLE_NAME_MAX])
{
    part_of_name(channel->name, ret_name);
}

/* Of "node" and "psys", where each sees all of the machine, the one with the lowest index. */
static bool seen_before(const struct wtl_result *result, size_t at)
{
    const struct wattle_channel *channel = &result->channels[at].channel;
    if (channel->domain != WATTLE_DOMAIN_NODE && channel->domain != WATTLE_DOMAIN_PSYS)
        return false;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wattle_channel *other = &result->channels[i].channel;
        if (other->domain == channel->domain && other->flags & WATTLE_CHANNEL_PRIMARY &&
            other->index < channel->index)
            return true;
    }
    return false;
}

bool wtl_profile_counts(const struct wtl_result *result, size_t at)
{
    const struct wattle_channel *channel = &result->channels[at].channel;
    char own[WATTLE_NAME_MAX], around[WATTLE_NAME_MAX];
    if (!(channel->flags & (WATTLE_CHANNEL_PRIMARY | WATTLE_CHANNEL_IN_TOTAL)))
        return false;
    part_of_name(channel->name, own);
    part_of_name(channel->within, around);
    return strcmp(own, around) != 0 && !seen_before(result, at);
}

/* The number of the part, made where it is new; WTL_PROFILE_PARTS when there is no room. */
static size_t find_part(struct wtl_run_profile *p, const struct wattle_channel *channel)
{
    char name[WATTLE_NAME_MAX];
    size_t k = 1;
    wtl_profile_part_name(channel, name);
    while (k < p->part_count && strcmp(p->parts[k].name, name) != 0)
        k++;
    if (k < p->part_count || k == WTL_PROFILE_PARTS)
        return k;
    struct wtl_profile_part *part = &p->parts[k];
    memcpy(part->name, name, sizeof part->name);
    part_of_name(channel->within, part->within);
    part->domain = channel->domain;
    p->part_count++;
    return k;
}

static void take_parts(struct wtl_run_profile *p,
                       struct wtl_profile_node *node,
                       const struct wtl_result *result)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *channel = &result->channels[i];
        bool in_total = channel->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
        size_t k =
            wtl_profile_counts(result, i) ? find_part(p, &channel->channel) : WTL_PROFILE_PARTS;
        if (in_total)
            node->gap_s = fmax(node->gap_s, 1e-9 * (double)channel->summary.gap_ns);
        if (k >= WTL_PROFILE_PARTS)
            continue;
        wtl_run_part_add(&node->parts[k], channel);
        p->parts[k].in_total |= in_total;
    }
}

/* ---- the node ---- */

static void take_total(struct wtl_run_profile *p,
                       struct wtl_profile_node *node,
                       const struct wtl_result *result)
{
    node->parts[0] = wtl_run_part_total(result);
    if (!p->contains[0] && result->total.count > 0) {
        memcpy(p->contains, result->total.contains, sizeof p->contains);
        memcpy(p->excludes, result->total.excludes, sizeof p->excludes);
    } else if (result->total.count > 0 && strcmp(p->contains, result->total.contains) != 0) {
        p->totals_differ = true;
    }
}

/* The window, or the samples of a trace that has none; on the common clock, in ns. */
static bool take_times(struct wtl_profile_pass *pass,
                       struct wtl_trace_reader *reader,
                       const struct wtl_result *result,
                       size_t i)
{
    struct wtl_profile_node *node = &pass->profile->nodes[i];
    uint64_t begin_ns = result->start_monotonic_ns, end_ns = result->end_monotonic_ns;
    struct wtl_trace_window window;
    wtl_trace_reader_window(reader, &window);
    if (!window.started || !window.ended || end_ns <= begin_ns) {
        uint64_t first_ns, last_ns;
        if (wtl_trace_reader_span(reader, &first_ns, &last_ns) < 0)
            return false;
        begin_ns = window.started ? window.start_monotonic_ns : first_ns;
        end_ns = last_ns;
    }
    if (end_ns <= begin_ns)
        return false;
    int64_t begin = pass->source->reference_ns(pass->source->context, i, begin_ns);
    int64_t end = pass->source->reference_ns(pass->source->context, i, end_ns);
    pass->profile->begin_ns = begin < pass->profile->begin_ns ? begin : pass->profile->begin_ns;
    pass->end_ns = end > pass->end_ns ? end : pass->end_ns;
    node->begin_ns = begin; /* the pass makes seconds of it, when the begin of the run is known */
    node->end_ns = end;
    node->begin_s = node->end_s = 0;
    return true;
}

/* "mpi.rank.R.time_ns" of all ranks on the node. */
static void take_mpi(struct wtl_profile_node *node,
                     const struct wtl_trace_reader *reader,
                     double wall_s)
{
    double inside_s = 0;
    size_t count = wtl_trace_reader_meta_count(reader);
    for (size_t i = 0; i < count; i++) {
        const char *key, *value;
        uint64_t ns;
        size_t length;
        if (wtl_trace_reader_meta_at(reader, i, &key, &value) < 0 ||
            strncmp(key, "mpi.rank.", 9) != 0)
            continue;
        length = strlen(key);
        if (length < 8 || strcmp(key + length - 8, ".time_ns") != 0 ||
            wtl_parse_u64(value, &ns) < 0)
            continue;
        node->ranks++;
        inside_s += 1e-9 * (double)ns;
    }
    if (node->ranks > 0 && wall_s > 0)
        node->mpi_share = inside_s / ((double)node->ranks * wall_s);
}

/* ---- regions ---- */

struct wtl_profile_region *wtl_profile_region_of(struct wtl_profile_pass *pass,
                                                 const char *name,
                                                 bool make,
                                                 int *ret_rc)
{
    struct wtl_run_profile *p = pass->profile;
    for (size_t i = 0; i < p->region_count; i++)
        if (strcmp(p->regions[i].name, name) == 0)
            return &p->regions[i];
    if (!make)
        return NULL;
    if (p->region_count == WTL_PROFILE_REGIONS) {
        p->regions_left_out++;
        return NULL;
    }
    if (!p->regions)
        p->regions = calloc(WTL_PROFILE_REGIONS, sizeof *p->regions);
    struct wtl_profile_region *region = p->regions ? &p->regions[p->region_count] : NULL;
    if (region) {
        p->region_count++;
        region->name = strdup(name);
        region->stays = malloc((p->node_count + 1) * sizeof *region->stays);
    }
    if (!region || !region->name || !region->stays) {
        *ret_rc = -ENOMEM;
        return NULL;
    }
    return region;
}

/* Kept until it is known which nodes are added. */
static void keep_stay(struct wtl_profile_region *region,
                      const struct wtl_region_row *row,
                      size_t node)
{
    region->stays[region->stay_count++] = (struct wtl_profile_stay){
        .node = node, .count = row->count, .union_s = row->union_s, .energy = row->inclusive};
}

static int take_regions(struct wtl_profile_pass *pass,
                        struct wtl_trace_reader *reader,
                        const struct wtl_result *result,
                        size_t i)
{
    struct wtl_region_row *rows = NULL;
    int count = wtl_region_rows(reader, result, &rows, pass->err), rc = 0;
    for (int r = 0; r < count && rc == 0; r++) {
        struct wtl_profile_region *region = wtl_profile_region_of(pass, rows[r].name, true, &rc);
        /* There is room for one stay on a node. */
        if (region && region->stay_count > i)
            rc = wtl_fail(pass->err, -EBADMSG, "%s: region \"%s\" is there twice",
                          pass->profile->nodes[i].name, region->name);
        else if (region)
            keep_stay(region, &rows[r], i);
    }
    free(rows);
    return count < 0 ? count : rc;
}

/* ---- all ---- */

static int take_flags(const struct wtl_profile_source *source,
                      const struct wtl_result *result,
                      size_t i,
                      struct wtl_profile_node *node)
{
    size_t count = result->flag_count;
    const struct wtl_result_flag *flags =
        source->flags ? source->flags(source->context, i, &count) : result->flags;
    node->flags = malloc((count + 1) * sizeof *node->flags);
    if (!node->flags)
        return -ENOMEM;
    for (; node->flag_count < count; node->flag_count++)
        node->flags[node->flag_count] = flags[node->flag_count];
    return 0;
}

static int take(struct wtl_profile_pass *pass,
                struct wtl_trace_reader *reader,
                const struct wtl_result *result,
                size_t i)
{
    static const char *const doubts[] = {"UNFINISHED", "DAMAGED", "NOT_SHOWN"};
    struct wtl_run_profile *p = pass->profile;
    struct wtl_profile_node *node = &p->nodes[i];
    for (size_t f = 0; f < result->flag_count; f++)
        for (size_t k = 0; k < sizeof doubts / sizeof *doubts; k++)
            if (strcmp(result->flags[f].name, doubts[k]) == 0)
                node->marks |= WTL_NODE_UNFINISHED;
    if (take_flags(pass->source, result, i, node) < 0)
        return -ENOMEM;
    p->interval_s = fmax(p->interval_s, 1e-9 * (double)result->interval_ns);
    take_total(p, node, result);
    take_parts(p, node, result);
    if (!take_times(pass, reader, result, i))
        return 0;
    take_mpi(node, reader, result->wall_time_s);
    return take_regions(pass, reader, result, i);
}

int wtl_profile_facts(struct wtl_profile_pass *pass, size_t i)
{
    const struct wtl_profile_source *source = pass->source;
    struct wtl_profile_node *node = &pass->profile->nodes[i];
    struct wtl_result result = wtl_result_unknown();
    struct wtl_trace_reader *reader = NULL;
    const char *name = source->name(source->context, i);
    if (pass->profile->part_count == 0) {
        memcpy(pass->profile->parts[0].name, "total", sizeof "total");
        pass->profile->part_count = 1;
    }
    node->begin_s = node->end_s = node->mpi_share = NAN;
    node->clock = source->clock ? source->clock(source->context, i) : WTL_CLOCK_NONE;
    node->residual_s = source->residual_s ? source->residual_s(source->context, i) : (double)NAN;
    node->name = strdup(name ? name : "?");
    int rc = node->name ? source->open(source->context, i, &reader, pass->err) : -ENOMEM;
    rc = rc < 0 ? rc : wtl_run_result_read(reader, node->name, &result, pass->err);
    rc = rc < 0 ? rc : take(pass, reader, &result, i);
    wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}
