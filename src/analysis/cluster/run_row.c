/* SPDX-License-Identifier: BSD-3-Clause */
/* Summary of one node for a run: see run_row.h. */
#define _GNU_SOURCE
#include "analysis/cluster/run_row.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_result.h"
#include "analysis/regions/region_rows.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "base/text/figures.h"
#include "base/whole.h"
#include "model/card/card.h"
#include "model/flag.h"
#include "model/meta_key.h"
#include "model/reading.h"

/* No measurement is longer, and no time is later, so differences of two times fit into 64 bits. */
static const uint64_t CENTURY_NS = UINT64_C(36525) * 86400 * 1000000000;
static const int64_t TIME_MAX_NS = INT64_MAX / 2;

void wtl_run_row_fini(struct wtl_run_row *row)
{
    for (uint32_t i = 0; i < row->region_count; i++)
        free(row->regions[i].name);
    free(row->path);
    free(row->run_id);
    free(row->name);
    free(row->key);
    free(row->host);
    free(row->nodes);
    free(row->groups);
    free(row->command);
    free(row->domains);
    free(row->parts);
    free(row->regions);
    free(row->flags);
    free(row->ranks);
    *row = (struct wtl_run_row){0};
}

int wtl_run_row_flag(struct wtl_run_row *row, const char *name, const char *format, ...)
{
    va_list args;
    size_t count = row->flag_count;
    va_start(args, format);
    int rc = wtl_result_flags_add(&row->flags, &count, name, format, args);
    va_end(args);
    row->flag_count = (uint32_t)count;
    return rc;
}

/* ---- texts ---- */

static char *meta_copy(const struct wtl_trace_reader *reader, const char *key, const char *other)
{
    const char *text = wtl_trace_reader_meta(reader, key);
    if ((!text || !text[0]) && other)
        text = wtl_trace_reader_meta(reader, other);
    return strdup(text ? text : "");
}

/* The file's name without folder and ".wtl", for a trace that does not say where it was made. */
static char *name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    if (n > 4 && strcmp(base + n - 4, ".wtl") == 0)
        n -= 4;
    return strndup(base, n);
}

static int fill_texts(const struct wtl_trace_reader *reader,
                      const struct wtl_trace_part *part,
                      struct wtl_run_row *row)
{
    row->path = strdup(part->path);
    row->run_id = meta_copy(reader, WTL_META_RUN_ID, NULL);
    row->name = meta_copy(reader, WTL_META_NODE_NAME, WTL_META_HOST_NAME);
    row->host = meta_copy(reader, WTL_META_HOST_NAME, NULL);
    row->nodes = meta_copy(reader, WTL_META_JOB_NODES, NULL);
    row->groups = meta_copy(reader, WTL_META_RUN_GROUPS, NULL);
    row->command = meta_copy(reader, WTL_META_RUN_COMMAND, NULL);
    if (row->name && !row->name[0]) {
        free(row->name);
        row->name = name_of_path(part->path);
    }
    row->key = meta_copy(reader, WTL_META_NODE_KEY, NULL);
    if (row->key && !row->key[0]) {
        free(row->key);
        row->key = row->name ? strdup(row->name) : NULL;
    }
    return row->path && row->run_id && row->name && row->host && row->nodes && row->command &&
                   row->key && row->groups
               ? 0
               : -ENOMEM;
}

/* ---- energies ---- */

/* Of several "node" and "psys" channels, each of which covers the whole machine, only the one with
 * the lowest index counts. */
static bool seen_before(const struct wtl_result *result, size_t at)
{
    const struct wattle_channel *channel = &result->channels[at].channel;
    if ((channel->domain != WATTLE_DOMAIN_NODE && channel->domain != WATTLE_DOMAIN_PSYS) ||
        wtl_is_module(channel))
        return false;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wattle_channel *other = &result->channels[i].channel;
        if (other->domain == channel->domain && other->flags & WATTLE_CHANNEL_PRIMARY &&
            other->index < channel->index)
            return true;
    }
    return false;
}

void wtl_run_part_name(const char *channel, char ret_name[WATTLE_NAME_MAX])
{
    const char *colon = strchr(channel, ':');
    const char *from = colon ? colon + 1 : channel;
    size_t n = 0;
    while (from[n] && n + 1 < WATTLE_NAME_MAX &&
           !(from[n] == '-' && from[n + 1] >= '0' && from[n + 1] <= '9'))
        n++;
    memcpy(ret_name, from, n);
    ret_name[n] = '\0';
}

bool wtl_run_part_counts(const struct wtl_result *result, size_t channel)
{
    const struct wattle_channel *c = &result->channels[channel].channel;
    char own[WATTLE_NAME_MAX], around[WATTLE_NAME_MAX];
    if (!(c->flags & (WATTLE_CHANNEL_PRIMARY | WATTLE_CHANNEL_IN_TOTAL)))
        return false;
    wtl_run_part_name(c->name, own);
    wtl_run_part_name(c->within, around);
    return strcmp(own, around) != 0 && !seen_before(result, channel);
}

bool wtl_run_domain_counts(const struct wtl_result *result, size_t channel)
{
    const struct wattle_channel *c = &result->channels[channel].channel;
    const struct wtl_result_channel *around =
        c->within[0] ? wtl_result_find(result, c->within) : NULL;
    return c->flags & WATTLE_CHANNEL_PRIMARY && wtl_run_part_counts(result, channel) &&
           (!around || around->channel.domain != c->domain);
}

bool wtl_run_row_has_time(const struct wtl_run_row *row)
{
    return row->begin_ns > 0 || row->end_ns > 0;
}

/* Add to the list's item for the channel's domain (or part) and kind, created if missing. */
static void add_channel(const struct wtl_result_channel *c,
                        bool by_part,
                        struct wtl_run_domain *list,
                        uint32_t *count)
{
    struct wtl_run_domain like = {.domain = c->channel.domain,
                                  .estimated = c->channel.quality == WATTLE_ESTIMATED};
    uint32_t i = 0;
    wtl_run_part_name(c->channel.name, like.name);
    wtl_run_part_name(c->channel.within, like.within);
    while (i < *count &&
           (list[i].estimated != like.estimated ||
            (by_part ? strcmp(list[i].name, like.name) != 0 : list[i].domain != like.domain)))
        i++;
    if (i == *count)
        list[(*count)++] = like;
    wtl_run_part_add(&list[i].part, c);
}

static int fill_energies(const struct wtl_result *result, struct wtl_run_row *row)
{
    row->domains = calloc(result->energy_count + 1, sizeof *row->domains);
    row->parts = calloc(result->energy_count + 1, sizeof *row->parts);
    if (!row->domains || !row->parts)
        return -ENOMEM;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (c->channel.flags & WATTLE_CHANNEL_IN_TOTAL)
            row->gap_s = fmax(row->gap_s, 1e-9 * (double)c->summary.gap_ns);
        if (wtl_run_domain_counts(result, i))
            add_channel(c, false, row->domains, &row->domain_count);
        if (wtl_run_part_counts(result, i))
            add_channel(c, true, row->parts, &row->part_count);
    }
    row->total = wtl_run_part_total(result);
    memcpy(row->contains, result->total.contains, sizeof row->contains);
    memcpy(row->excludes, result->total.excludes, sizeof row->excludes);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A duplicate region would count twice. */
static int check_names(const struct wtl_trace_part *part,
                       const struct wtl_region_row *rows,
                       size_t count,
                       struct wattle_error *err)
{
    const char **names = malloc((count + 1) * sizeof *names);
    int rc = names ? 0 : -ENOMEM;
    for (size_t i = 0; names && i < count; i++)
        names[i] = rows[i].name;
    if (names && count)
        wtl_sort((void *)names, count, sizeof *names, compare_names);
    for (size_t i = 1; rc == 0 && i < count; i++)
        if (strcmp(names[i], names[i - 1]) == 0)
            rc = wtl_fail(err, -EBADMSG, "%s: region \"%s\" is listed twice",
                          part->name ? part->name : part->path, names[i]);
    free((void *)names);
    return rc;
}

static int fill_regions(struct wtl_trace_reader *reader,
                        const struct wtl_trace_part *part,
                        const struct wtl_result *result,
                        struct wtl_run_row *row,
                        struct wattle_error *err)
{
    struct wtl_region_row *rows = NULL;
    int count = wtl_region_rows(reader, result, &rows, err);
    if (count <= 0)
        return count;
    row->regions = calloc((size_t)count, sizeof *row->regions);
    int rc = row->regions ? check_names(part, rows, (size_t)count, err) : -ENOMEM;
    for (int i = 0; rc == 0 && i < count; i++) {
        struct wtl_run_region *region = &row->regions[row->region_count++];
        *region = (struct wtl_run_region){
            .name = strdup(rows[i].name),
            .count = rows[i].count,
            .thread_time_ns = wtl_whole_u64(rint(rows[i].thread_s * 1e9)),
            .union_ns = wtl_whole_u64(rint(rows[i].union_s * 1e9)),
            .exclusive_ns = wtl_whole_u64(rint(rows[i].exclusive_s * 1e9)),
            .unbalanced = rows[i].unbalanced,
            .crossing = rows[i].crossing,
            .inclusive = rows[i].inclusive,
            .exclusive = rows[i].exclusive,
        };
        rc = region->name ? 0 : -ENOMEM;
    }
    free(rows);
    return rc;
}

/* ---- MPI ---- */

static int compare_ranks(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int add_rank(struct wtl_run_row *row, int32_t rank)
{
    if (wtl_grow(&row->ranks, row->rank_count, sizeof *row->ranks) < 0)
        return -ENOMEM;
    row->ranks[row->rank_count++] = rank;
    return 0;
}

/* "mpi.rank.7.time_ns" and similar keys. */
static int take_mpi(struct wtl_run_row *row, const char *key, const char *value)
{
    uint64_t number;
    char *end;
    if (strcmp(key, WTL_META_MPI_RANKS) == 0) {
        if (wtl_parse_u64(value, &number) == 0 && number <= INT32_MAX)
            row->mpi_ranks = (uint32_t)number;
        return 0;
    }
    const char *after = wtl_meta_after(key, WTL_META_RANKS);
    if (!after || *after < '0' || *after > '9')
        return 0;
    unsigned long rank = strtoul(after, &end, 10);
    if (*end != '.' || rank > INT32_MAX)
        return 0;
    if (strcmp(end, ".time_ns") == 0 && wtl_parse_u64(value, &number) == 0)
        row->mpi_s = (isnan(row->mpi_s) ? 0 : row->mpi_s) + (double)number * 1e-9;
    return add_rank(row, (int32_t)rank);
}

static void sort_ranks(struct wtl_run_row *row)
{
    uint32_t kept = 0;
    if (row->rank_count)
        wtl_sort(row->ranks, row->rank_count, sizeof *row->ranks, compare_ranks);
    for (uint32_t i = 0; i < row->rank_count; i++)
        if (kept == 0 || row->ranks[kept - 1] != row->ranks[i])
            row->ranks[kept++] = row->ranks[i];
    row->rank_count = kept;
}

static int fill_mpi(struct wtl_trace_reader *reader,
                    bool processes,
                    struct wtl_run_row *row,
                    struct wattle_error *err)
{
    const char *key, *value;
    int rc = 0;
    row->mpi_s = NAN;
    for (size_t i = 0; rc == 0 && wtl_trace_reader_meta_at(reader, i, &key, &value) == 0; i++)
        if (key[0] == 'm' && key[1] == 'p')
            rc = take_mpi(row, key, value);
    if (rc == 0 && processes && row->rank_count == 0) {
        rc = wtl_trace_reader_tables(reader, err);
        for (size_t i = 0; rc == 0 && i < wtl_trace_reader_process_count(reader); i++) {
            const struct wtl_trace_process *process = wtl_trace_reader_process(reader, i);
            if (process && process->rank >= 0)
                rc = add_rank(row, process->rank);
        }
    }
    sort_ranks(row);
    return rc;
}

/* ---- the row ---- */

/* If no sampling interval is recorded (imports): the mean time between the samples of the channel
 * with the most. */
static uint64_t interval_of(const struct wtl_result *result)
{
    uint64_t interval_ns = result->interval_ns;
    for (size_t i = 0; i < result->energy_count && result->interval_ns == 0; i++) {
        const struct wtl_summary *summary = &result->channels[i].summary;
        if (summary->samples < 2 || summary->last_ns <= summary->first_ns)
            continue;
        uint64_t mean_ns = (summary->last_ns - summary->first_ns) / (summary->samples - 1);
        interval_ns = interval_ns == 0 || mean_ns < interval_ns ? mean_ns : interval_ns;
    }
    return interval_ns;
}

static void fill_times(const struct wtl_trace_reader *reader,
                       const struct wtl_trace_part *part,
                       const struct wtl_result *result,
                       struct wtl_run_row *row)
{
    struct wtl_trace_reader_status status;
    uint64_t first_ns = 0, last_ns = 0;
    wtl_trace_reader_status(reader, &status);
    wtl_run_clocks_read(reader, &row->clocks);
    struct wtl_trace_window window;
    wtl_trace_reader_window(reader, &window);
    row->finished = status.has_footer && window.ended;
    row->foreign_clock = wtl_trace_reader_meta(reader, WTL_META_CLOCK_NAME) != NULL;
    row->offset = part->offset;
    row->length = status.bytes;
    row->begin_ns = result->start_monotonic_ns;
    row->end_ns = result->end_monotonic_ns;
    wtl_run_clocks_stretch(&row->clocks, row->begin_ns, row->end_ns);
    row->interval_ns = interval_of(result);
    row->start_ns =
        wtl_trace_reader_span(reader, &first_ns, &last_ns) == 0 && first_ns < row->begin_ns
            ? first_ns
            : row->begin_ns;
}

/* ---- impossible times ---- */

static bool is_time(const struct wtl_run_clock *clock, uint64_t node_ns)
{
    int64_t time = wtl_run_clock_time(clock, node_ns);
    return clock->aligned == WTL_ALIGNED_NOT || (time > -TIME_MAX_NS && time < TIME_MAX_NS);
}

/* The window determines everything that follows (steps, sums, pages), so one corrupted by damage is
 * rejected. */
static int check_times(const struct wtl_trace_reader *reader,
                       const struct wtl_run_row *row,
                       struct wattle_error *err)
{
    const struct wtl_run_clocks *clocks = &row->clocks;
    struct wtl_trace_window window;
    wtl_trace_reader_window(reader, &window);
    if (window.started && window.ended && window.end_monotonic_ns < window.start_monotonic_ns)
        return wtl_fail(
            err, -EBADMSG, "damaged: its window ends %s s before it begins",
            WTL_IN_FIGURES((double)(window.start_monotonic_ns - window.end_monotonic_ns) * 1e-9,
                           3));
    if (row->end_ns - row->begin_ns > CENTURY_NS)
        return wtl_fail(err, -EBADMSG, "damaged: its window of %s s is longer than a century",
                        WTL_IN_FIGURES((double)(row->end_ns - row->begin_ns) * 1e-9, 3));
    if (row->end_ns >= (uint64_t)TIME_MAX_NS || !is_time(&clocks->sync, row->begin_ns) ||
        !is_time(&clocks->sync, row->end_ns) || !is_time(&clocks->realtime, row->begin_ns) ||
        !is_time(&clocks->realtime, row->end_ns))
        return wtl_fail(err, -EBADMSG,
                        "damaged: its window is more than %d years from the start of its clock",
                        (int)(TIME_MAX_NS / (int64_t)(CENTURY_NS / 100)));
    return 0;
}

/* Do not suggest what cannot be done with a member of a run file. */
static void take_flags(struct wtl_result *result,
                       const struct wtl_trace_part *part,
                       struct wtl_run_row *row)
{
    row->flags = result->flags;
    row->flag_count = (uint32_t)result->flag_count;
    result->flags = NULL;
    for (uint32_t i = 0; part->offset > 0 && i < row->flag_count; i++) {
        char *advice = strstr(row->flags[i].text, ". \"wattle repair\"");
        if (advice && strcmp(row->flags[i].name, WTL_FLAG_UNFINISHED) == 0)
            *advice = '\0';
    }
}

int wtl_run_row_read(struct wtl_trace_reader *reader,
                     const struct wtl_trace_part *part,
                     bool ranks,
                     struct wtl_run_row *ret_row,
                     struct wattle_error *err)
{
    struct wtl_run_row row = {0};
    struct wtl_result result;
    int rc = wtl_run_result_read(reader, part->name ? part->name : part->path, &result, err);
    if (rc < 0)
        return rc;
    rc = fill_texts(reader, part, &row);
    rc = rc < 0 ? rc : fill_energies(&result, &row);
    rc = rc < 0 ? rc : fill_regions(reader, part, &result, &row, err);
    rc = rc < 0 ? rc : fill_mpi(reader, ranks, &row, err);
    if (rc == 0) {
        fill_times(reader, part, &result, &row);
        rc = check_times(reader, &row, err);
    }
    if (rc == 0) {
        take_flags(&result, part, &row);
        *ret_row = row;
    } else {
        wtl_run_row_fini(&row);
        if (rc == -ENOMEM)
            (void)wtl_no_memory_for(err, "%s", part->path);
    }
    wtl_result_fini(&result);
    return rc;
}
