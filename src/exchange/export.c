/* SPDX-License-Identifier: BSD-3-Clause */
/* Export: selects channels and times, and writes the notes at the top and the small tables. */
#define _GNU_SOURCE
#include "exchange/export.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/nearest.h"
#include "exchange/channel_traits.h"
#include "exchange/sample_merge.h"
#include "model/meta_key.h"
#include "model/quality.h"

const char *const wtl_export_names[] = {"samples",  "regions", "events", "gaps",
                                        "metadata", "tasks",   NULL};

double wtl_export_seconds(const struct wtl_export_run *run, uint64_t time_ns)
{
    return (double)(int64_t)(time_ns - run->zero_ns) * 1e-9;
}

bool wtl_export_broken(const struct wtl_export_run *run)
{
    return ferror(run->sheet.out);
}

/* ---- channels ---- */

static int no_such_channel(const struct wtl_trace_reader *reader,
                           const char *pattern,
                           struct wattle_error *err)
{
    size_t count = wtl_trace_reader_channel_count(reader);
    const char **names = malloc((count + 1) * sizeof *names);
    const char *near = NULL;
    for (size_t i = 0; names && i < count; i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, i);
        names[i] = channel ? channel->channel.name : NULL;
    }
    if (names)
        near = wtl_nearest(pattern, names, count);
    int rc = wtl_fail(err, -EINVAL, "no channel \"%s\" in this trace%s%s%s", pattern,
                      near ? "; did you mean \"" : "; \"wattle stats\" lists them",
                      near ? near : "", near ? "\"?" : "");
    free(names);
    return rc;
}

/* Mark the channels that match a pattern; -EINVAL if none does. */
static int mark_matches(const struct wtl_trace_reader *reader,
                        const char *pattern,
                        bool *wanted,
                        struct wattle_error *err)
{
    bool any = false;
    assert(wanted);
    for (size_t i = 0; i < wtl_trace_reader_channel_count(reader); i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, i);
        if (channel && fnmatch(pattern, channel->channel.name, 0) == 0)
            any = wanted[i] = true;
    }
    return any ? 0 : no_such_channel(reader, pattern, err);
}

int wtl_export_choose(const struct wtl_trace_reader *reader,
                      const char *list,
                      uint32_t **ret_ids,
                      size_t *ret_count,
                      struct wattle_error *err)
{
    size_t count = wtl_trace_reader_channel_count(reader), chosen = 0;
    bool *wanted = calloc(count + 1, sizeof *wanted);
    char *copy = strdup(list ? list : "*");
    uint32_t *ids = malloc((count + 1) * sizeof *ids);
    int rc = wanted && copy && ids ? 0 : -ENOMEM;
    if (rc < 0)
        (void)wtl_no_memory(err);
    char *rest = copy;
    for (char *pattern; rc == 0 && list && (pattern = strsep(&rest, ",")) != NULL;)
        rc = mark_matches(reader, pattern, wanted, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        /* The description of a channel may be lost to damage. */
        if ((wanted[i] || !list) && wtl_trace_reader_channel(reader, i))
            ids[chosen++] = (uint32_t)i;
    }
    free(wanted);
    free(copy);
    if (rc < 0) {
        free(ids);
        return rc;
    }
    *ret_ids = ids;
    *ret_count = chosen;
    return 0;
}

/* ---- time ---- */

static uint64_t limit(uint64_t zero_ns, int64_t offset_ns)
{
    if (offset_ns < 0 && (uint64_t)-offset_ns > zero_ns)
        return 0;
    return zero_ns + (uint64_t)offset_ns;
}

static void choose_time(struct wtl_export_run *run)
{
    struct wtl_trace_window window;
    uint64_t first = 0, last = 0;
    wtl_trace_reader_window(run->reader, &window);
    (void)wtl_trace_reader_span(run->reader, &first, &last); /* 0 0 without samples */
    run->zero_ns = window.started ? window.start_monotonic_ns : first;
    run->begin_ns = run->options->has_from ? limit(run->zero_ns, run->options->from_ns) : 0;
    run->end_ns =
        run->options->has_until ? limit(run->zero_ns, run->options->until_ns) : UINT64_MAX;
}

static bool is_estimated(const struct wattle_channel *channel)
{
    return channel->quality == WATTLE_ESTIMATED;
}

static bool is_derived(const struct wattle_channel *channel)
{
    return channel->quality == WATTLE_DERIVED;
}

/* The names of the channels with this property, so that an import of the file does not label them
 * measured. */
static void note_channels(struct wtl_export_run *run,
                          const char *key,
                          bool (*are)(const struct wattle_channel *channel))
{
    char *names = NULL;
    size_t length;
    FILE *text = open_memstream(&names, &length);
    if (!text)
        return;
    for (size_t i = 0; i < wtl_trace_reader_channel_count(run->reader); i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(run->reader, i);
        if (channel && are(&channel->channel)) /* a damaged trace lacks some */
            (void)fprintf(text, "%s%s", ftell(text) > 0 ? ", " : "", channel->channel.name);
    }
    if (fclose(text) == 0 && length > 0)
        wtl_row_writer_note(&run->sheet, key, names);
    free(names);
}

/* What each selected channel is, and what its interval depends on. */
static void note_traits(struct wtl_export_run *run)
{
    for (size_t i = 0; i < run->channel_count; i++) {
        const struct wattle_channel *channel =
            &wtl_trace_reader_channel(run->reader, run->channels[i])->channel;
        const struct wtl_channel_traits traits = wtl_channel_traits_of(channel);
        char words[WTL_TRAITS_SIZE], text[WTL_TRAITS_SIZE + 128];
        (void)wtl_channel_traits_print(&traits, words, sizeof words);
        (void)snprintf(text, sizeof text, "%s, %s, %s%s%s", channel->name,
                       wattle_quantity_name(channel->quantity), wattle_kind_name(channel->kind),
                       *words ? ", " : "", words);
        wtl_row_writer_note(&run->sheet, "channel", text);
    }
}

/* One note for each channel, so that the notes stay few: of too many gaps neighbours are joined. */
enum { GAPS_NOTED = 20000 };

static void print_gaps(const struct wtl_export_run *run,
                       const struct wtl_gap *gaps,
                       size_t count,
                       size_t joined,
                       FILE *text)
{
    for (size_t i = 0; i < count; i += joined) {
        struct wtl_gap gap = gaps[i];
        for (size_t k = i + 1; k < count && k < i + joined; k++) {
            gap.end_ns = gaps[k].end_ns > gap.end_ns ? gaps[k].end_ns : gap.end_ns;
            if (wtl_gap_loses_energy(gaps[k].reason, WATTLE_COUNTER))
                gap.reason = gaps[k].reason;
        }
        gap.begin_ns = gap.begin_ns > run->begin_ns ? gap.begin_ns : run->begin_ns;
        gap.end_ns = gap.end_ns < run->end_ns ? gap.end_ns : run->end_ns;
        if (gap.end_ns <= gap.begin_ns)
            continue;
        (void)fprintf(text, "; %.9f %.9f %s", wtl_export_seconds(run, gap.begin_ns),
                      wtl_export_seconds(run, gap.end_ns), wtl_gap_reason_name(gap.reason));
    }
}

/* Times without a value, which empty cells alone do not tell: a counter that stood still has values. */
static int note_gaps(struct wtl_export_run *run, struct wattle_error *err)
{
    struct wtl_gap_walk walk;
    int rc = wtl_gap_walk_open(&walk, run->reader, err);
    size_t all = 0;
    for (size_t i = 0; rc == 0 && i < run->channel_count; i++)
        all += walk.channels[run->channels[i]].end - walk.channels[run->channels[i]].at;
    for (size_t i = 0; rc == 0 && i < run->channel_count; i++) {
        const struct wtl_gap_reach *reach = &walk.channels[run->channels[i]];
        const char *name = wtl_trace_reader_channel(run->reader, run->channels[i])->channel.name;
        char *note = NULL;
        size_t length = 0;
        FILE *text = open_memstream(&note, &length);
        if (!text) {
            rc = -ENOMEM;
            break;
        }
        (void)fputs(name, text);
        print_gaps(run, walk.gaps + reach->at, reach->end - reach->at, all / GAPS_NOTED + 1, text);
        if (fclose(text) != 0)
            rc = -ENOMEM;
        else if (length > strlen(name))
            wtl_row_writer_note(&run->sheet, "gaps", note);
        free(note);
    }
    wtl_gap_walk_close(&walk);
    return rc;
}

/* The notes of which there is one for each channel: for an import, which reads CSV. */
static int print_channel_notes(struct wtl_export_run *run, struct wattle_error *err)
{
    if (run->options->what != WTL_EXPORT_SAMPLES || !run->options->comments ||
        run->options->form != WTL_ROW_WRITER_CSV)
        return 0;
    note_traits(run);
    return note_gaps(run, err);
}

static void print_notes(struct wtl_export_run *run)
{
    static const char *const keys[] = {WTL_META_RUN_COMMAND, WTL_META_HOST_NAME, WTL_META_RUN_ID};
    struct wtl_trace_window window;
    uint64_t realtime_ns;
    char text[64];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = wtl_trace_reader_meta(run->reader, keys[i]);
        if (value)
            wtl_row_writer_note(&run->sheet, keys[i], value);
    }
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)run->zero_ns);
    wtl_row_writer_note(&run->sheet, "zero_monotonic_ns", text);
    if (wtl_trace_reader_realtime(run->reader, run->zero_ns, &realtime_ns) == 0) {
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)realtime_ns);
        wtl_row_writer_note(&run->sheet, "zero_realtime_ns", text);
    }
    if (run->options->what == WTL_EXPORT_SAMPLES) {
        note_channels(run, "simulated", wtl_channel_is_simulated);
        note_channels(run, "estimated", is_estimated);
        note_channels(run, "derived", is_derived);
    }
    wtl_trace_reader_window(run->reader, &window);
    if (window.ended) {
        (void)snprintf(text, sizeof text, "%.9f", wtl_export_seconds(run, window.end_monotonic_ns));
        wtl_row_writer_note(&run->sheet, "window_s", text);
    }
}

/* ---- small tables ---- */

const char *const wtl_gap_columns[] = {"begin_s", "end_s", "channel", "reason", "error", NULL};
const char *const wtl_metadata_columns[] = {"key", "value", NULL};

int wtl_export_gaps(struct wtl_export_run *run, struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    int count = wtl_trace_reader_gaps(run->reader, &gaps, err);
    if (count < 0)
        return count;
    wtl_row_writer_columns(&run->sheet, wtl_gap_columns, 5);
    for (int i = 0; i < count; i++) {
        const struct wtl_gap *gap = &gaps[i];
        const struct wtl_trace_channel *channel =
            wtl_trace_reader_channel(run->reader, gap->channel);
        if (gap->end_ns < run->begin_ns || gap->begin_ns > run->end_ns ||
            !bsearch(&gap->channel, run->channels, run->channel_count, sizeof *run->channels,
                     wtl_export_compare_ids))
            continue;
        const struct wtl_cell cells[] = {
            wtl_cell_number(wtl_export_seconds(run, gap->begin_ns), -9),
            wtl_cell_number(wtl_export_seconds(run, gap->end_ns), -9),
            wtl_cell_text(channel ? channel->channel.name : NULL),
            wtl_cell_text(wtl_gap_reason_name(gap->reason)),
            wtl_cell_text(gap->error ? wtl_strerror(gap->error) : NULL)};
        wtl_row_writer_row(&run->sheet, cells, 5);
    }
    return 0;
}

int wtl_export_metadata(struct wtl_export_run *run, struct wattle_error *err)
{
    (void)err;
    wtl_row_writer_columns(&run->sheet, wtl_metadata_columns, 2);
    for (size_t i = 0; i < wtl_trace_reader_meta_count(run->reader); i++) {
        const char *key, *value;
        if (wtl_trace_reader_meta_at(run->reader, i, &key, &value) < 0)
            continue;
        const struct wtl_cell cells[] = {wtl_cell_text(key), wtl_cell_text(value)};
        wtl_row_writer_row(&run->sheet, cells, 2);
    }
    return 0;
}

int wtl_export_compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int wtl_export_write(struct wtl_trace_reader *reader,
                     const struct wtl_export *options,
                     FILE *out,
                     struct wattle_error *err)
{
    static int (*const writers[])(struct wtl_export_run *, struct wattle_error *) = {
        [WTL_EXPORT_SAMPLES] = wtl_export_samples, [WTL_EXPORT_REGIONS] = wtl_export_marks,
        [WTL_EXPORT_EVENTS] = wtl_export_marks,    [WTL_EXPORT_TASKS] = wtl_export_marks,
        [WTL_EXPORT_GAPS] = wtl_export_gaps,       [WTL_EXPORT_METADATA] = wtl_export_metadata};
    struct wtl_export_run run = {.reader = reader, .options = options};
    int rc = wtl_export_choose(reader, options->channels, &run.channels, &run.channel_count, err);
    if (rc == 0) {
        choose_time(&run);
        wtl_row_writer_begin(&run.sheet, out, options->form, options->comments,
                             wtl_export_names[options->what]);
        print_notes(&run);
        rc = print_channel_notes(&run, err);
        rc = rc < 0 ? rc : writers[options->what](&run, err);
        wtl_row_writer_end(&run.sheet);
    }
    if (rc == -ENOMEM)
        (void)wtl_no_memory(err);
    free(run.channels);
    return rc < 0 ? rc : wtl_flush(out, err);
}
