/* SPDX-License-Identifier: BSD-3-Clause */
/* Export of a trace as tables: see export.h. */
#define _GNU_SOURCE
#include "exchange/export.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
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
#include "model/reading.h"

/* An export being written. */
struct export_run {
    struct wtl_trace_reader *reader;
    const struct wtl_export *options;
    struct wtl_row_writer sheet;
    uint64_t zero_ns;          /* time 0 of the export */
    uint64_t begin_ns, end_ns; /* time range to write */
    uint32_t *channels;        /* ids of the selected channels, ascending */
    size_t channel_count;
    struct wtl_event_labels labels; /* of exported events */
};

/* ---- regions, events, tasks ---- */

/* Export of regions (each begin and end), of events, and of marks of tasks and states, in time order over
 * all threads. */

/* Process and thread of a mark. */
struct maker {
    const struct wtl_trace_thread *thread;
    const struct wtl_trace_process *process;
};

static struct maker maker_of(const struct wtl_trace_reader *reader, const struct wtl_mark *mark)
{
    struct maker maker = {.thread = wtl_trace_reader_thread(reader, mark->thread)};
    if (maker.thread)
        maker.process = wtl_trace_reader_process(reader, maker.thread->process);
    return maker;
}

/* A time of the trace in seconds relative to zero. */
static double export_seconds(const struct export_run *run, uint64_t time_ns)
{
    return (double)(int64_t)(time_ns - run->zero_ns) * 1e-9;
}

/* time_s, pid, rank, tid: the same in all rows. */
static void who_and_when(const struct export_run *run,
                         const struct wtl_mark *mark,
                         struct wtl_cell cells[4])
{
    struct maker maker = maker_of(run->reader, mark);
    cells[0] = wtl_cell_number(export_seconds(run, mark->time_ns), -9);
    cells[1] = maker.process ? wtl_cell_count(maker.process->pid) : wtl_cell_text(NULL);
    cells[2] = maker.process && maker.process->rank >= 0
                   ? wtl_cell_count((uint64_t)maker.process->rank)
                   : wtl_cell_text(NULL);
    cells[3] = maker.thread ? wtl_cell_count(maker.thread->tid) : wtl_cell_text(NULL);
}

/* "enter MPI": the state after a word of its own. */
static const char *task_word(uint32_t kind, char *text, size_t n)
{
    static const char *const words[] = {"create", "run",        "pause",       "done",
                                        "after",  "detail",     "counter",     "summary",
                                        "type",   "type value", "not recorded"};
    static const char *const states[] = {"parallel", "work", "sync", "idle",     "mpi",  "io",
                                         "lock",     "join", "gpu",  "function", "other"};
    _Static_assert(sizeof words / sizeof *words == WATTLE_TASK_CUT - WATTLE_TASK_CREATE + 1 &&
                       sizeof states / sizeof *states == WATTLE_STATE_OTHER + 1,
                   "a word for each");
    if (kind < WATTLE_STATE_ENTER)
        return words[kind - WATTLE_TASK_CREATE];
    (void)snprintf(
        text, n, "%s %s", kind < WATTLE_STATE_LEAVE ? "enter" : "leave",
        states[kind < WATTLE_STATE_LEAVE ? kind - WATTLE_STATE_ENTER : kind - WATTLE_STATE_LEAVE]);
    return text;
}

static const char *key_word(uint32_t key, char *text, size_t n)
{
    static const char *const words[] = {
        NULL,      "task",    "peer",     "tag",   "bytes", "comm", "bin_ns", "threads",
        "address", "request", "received", "count", "core",  "over", "cut",    "ago_ns"};
    if (key > 0 && key < sizeof words / sizeof *words)
        return words[key];
    (void)snprintf(text, n, "%u", key);
    return text;
}

static void print_task(struct export_run *run, const struct wtl_mark *mark)
{
    struct wtl_cell cells[9];
    const struct maker maker = maker_of(run->reader, mark);
    char kind[32], key[16];
    uint32_t name = mark->name;
    bool detail = (uint32_t)mark->kind == WATTLE_TASK_DETAIL;
    who_and_when(run, mark, cells);
    cells[4] = wtl_cell_text(task_word((uint32_t)mark->kind, kind, sizeof kind));
    if (detail)
        cells[5] = wtl_cell_text(key_word(name, key, sizeof key));
    else
        cells[5] = wtl_cell_text(name ? wtl_trace_reader_string(run->reader, name) : NULL);
    cells[6] = detail && (name == WATTLE_TASK_KEY_PEER || name == WATTLE_TASK_KEY_TAG)
                   ? wtl_cell_number((double)(int64_t)mark->value, 17)
                   : wtl_cell_count(mark->value);
    /* A process that calls exec keeps its id, and is another one in the trace. */
    cells[7] = maker.thread ? wtl_cell_count(maker.thread->process) : wtl_cell_text(NULL);
    cells[8] = wtl_cell_text(maker.process ? maker.process->command : NULL);
    wtl_row_writer_row(&run->sheet, cells, 9);
}

static void print_mark(struct export_run *run, const struct wtl_mark *mark)
{
    static const char *const kinds[] = {
        [WTL_MARK_BEGIN] = "begin", [WTL_MARK_END] = "end", [WTL_MARK_THREAD_END] = "thread end"};
    struct wtl_cell cells[6];
    who_and_when(run, mark, cells);
    cells[4] = wtl_cell_text(kinds[mark->kind]);
    cells[5] = wtl_cell_text(wtl_trace_reader_string(run->reader, mark->name));
    wtl_row_writer_row(&run->sheet, cells, 6);
}

static void print_event(struct export_run *run, const struct wtl_mark *mark)
{
    struct wtl_cell cells[8];
    who_and_when(run, mark, cells);
    cells[4] = wtl_cell_count(mark->name);
    cells[5] = wtl_cell_count(mark->value);
    cells[6] = wtl_cell_text(wtl_event_labels_type(&run->labels, mark->name));
    cells[7] = wtl_cell_text(wtl_event_labels_value(&run->labels, mark->name, mark->value));
    wtl_row_writer_row(&run->sheet, cells, 8);
}

const char *const wtl_region_columns[] = {"time_s", "pid", "rank", "tid", "mark", "region", NULL};
const char *const wtl_event_columns[] = {"time_s", "pid",       "rank",       "tid", "type",
                                         "value",  "type_text", "value_text", NULL};

const char *const wtl_task_columns[] = {"time_s", "pid",   "rank",    "tid",     "mark",
                                        "name",   "value", "process", "program", NULL};

/* Has writing failed? Then further rows are useless. */
static bool export_broken(const struct export_run *run)
{
    return ferror(run->sheet.out);
}

static int export_marks(struct export_run *run, struct wattle_error *err)
{
    static const struct {
        uint64_t which;
        const char *const *columns;
        size_t count;
        void (*print)(struct export_run *run, const struct wtl_mark *mark);
    } kinds[] = {[WTL_EXPORT_REGIONS] = {WTL_MARKS_REGIONS, wtl_region_columns, 6, print_mark},
                 [WTL_EXPORT_EVENTS] = {WTL_MARKS_EVENTS, wtl_event_columns, 8, print_event},
                 [WTL_EXPORT_TASKS] = {WTL_MARKS_TASKS, wtl_task_columns, 9, print_task}};
    enum wtl_export_what what = run->options->what;
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    int rc = wtl_trace_reader_tables(run->reader, err);
    if (rc == 0 && what == WTL_EXPORT_EVENTS)
        rc = wtl_event_labels_read(&run->labels, run->reader, err);
    rc = rc < 0 ? rc
                : wtl_trace_marks_open_of(run->reader, kinds[what].which, WTL_ALL_THREADS, &marks,
                                          err);
    if (rc < 0) {
        wtl_event_labels_fini(&run->labels);
        return rc;
    }
    wtl_row_writer_columns(&run->sheet, kinds[what].columns, kinds[what].count);
    assert(kinds[what].print);
    while (!export_broken(run) && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0)
        if (mark.time_ns >= run->begin_ns && mark.time_ns <= run->end_ns)
            kinds[what].print(run, &mark);
    wtl_trace_marks_close(marks);
    wtl_event_labels_fini(&run->labels);
    return rc < 0 ? rc : 0;
}

/* ---- samples ---- */

/*
 * Export of samples: the rows of all groups merged by time. An energy counter gives two columns,
 * joules since its first exported sample and the mean power since the previous one; all others give
 * one. Rows of edge polls are skipped. Across a gap the power is unknown.
 */

/* A channel of the export. */
struct lane {
    const struct wattle_channel *channel;
    size_t column; /* its first cell */
    bool counter;  /* energy counter: two cells */
    bool started;
    bool absent; /* a value was missing since the last one: no power across it */
    uint64_t first, last, last_ns;
};

struct merge {
    struct export_run *run;
    struct lane *lanes; /* by channel id */
    size_t column_count;
    struct wtl_gap_walk gaps;
    struct wtl_cell *cells;
};

/* ---- columns ---- */

/* Values of a kind from a newer version have no unit. */
static const char *unit_of(const struct wattle_channel *channel)
{
    return wtl_channel_is_understood(channel) ? wattle_quantity_unit(channel->quantity) : "?";
}

const char *const wtl_sample_columns[] = {"time_s", "channel", "value", "unit", "power_w", NULL};

static int print_columns(struct merge *merge)
{
    struct export_run *run = merge->run;
    bool wide = !run->options->long_form;
    size_t most = 2 * run->channel_count + 5;
    char(*texts)[96] = calloc(most, sizeof *texts);
    const char **names = calloc(most, sizeof *names);
    size_t at = 1;
    if (!texts || !names) {
        free(texts);
        free(names);
        return -ENOMEM;
    }
    names[0] = "time_s";
    for (size_t i = 0; i < run->channel_count; i++) {
        struct lane *lane = &merge->lanes[run->channels[i]];
        lane->channel = &wtl_trace_reader_channel(run->reader, run->channels[i])->channel;
        lane->counter = lane->channel->kind == WATTLE_COUNTER &&
                        lane->channel->quantity == WATTLE_ENERGY &&
                        wtl_channel_is_understood(lane->channel);
        lane->column = at;
        const char *unit = unit_of(lane->channel);
        (void)snprintf(texts[at], sizeof *texts, unit[0] ? "%s [%s]" : "%s", lane->channel->name,
                       unit);
        names[at] = texts[at];
        at++;
        if (lane->counter) {
            (void)snprintf(texts[at], sizeof *texts, "%s [W]", lane->channel->name);
            names[at] = texts[at];
            at++;
        }
    }
    merge->column_count = wide ? at : 5;
    wtl_row_writer_note(&run->sheet, "time_s", "seconds since the start of the window");
    wtl_row_writer_note(&run->sheet, "J", "energy since the first row of the channel");
    wtl_row_writer_note(&run->sheet, "W",
                        "for energy: mean power since the previous row of the channel");
    wtl_row_writer_columns(&run->sheet, wide ? names : wtl_sample_columns, merge->column_count);
    free(texts);
    free(names);
    return 0;
}

/* ---- rows ---- */

/* Write the value of a channel to its one or two cells. */
static void make_cells(struct merge *merge,
                       uint32_t id,
                       uint64_t time_ns,
                       uint64_t value,
                       struct wtl_cell cells[2])
{
    struct lane *lane = &merge->lanes[id];
    const struct wattle_channel *channel = lane->channel;
    double power = NAN;
    if (!lane->started) {
        lane->first = value;
        lane->started = true;
    } else if (lane->counter && !lane->absent && time_ns > lane->last_ns &&
               !wtl_gap_walk_between(&merge->gaps, id, lane->last_ns, time_ns)) {
        double ticks = (double)(int64_t)(value - lane->last);
        power = ticks * channel->scale / (double)(time_ns - lane->last_ns) * 1e9;
    }
    if (!wtl_channel_is_understood(channel))
        cells[0] = wtl_cell_count(value); /* the raw value in the file */
    else if (channel->kind == WATTLE_COUNTER)
        cells[0] = wtl_cell_number((double)(int64_t)(value - lane->first) * channel->scale, 12);
    else
        cells[0] = wtl_cell_number(wtl_channel_value(channel, value), 12);
    cells[1] = wtl_cell_number(power, 6);
    lane->last = value;
    lane->last_ns = time_ns;
    lane->absent = false;
}

static void print_wide(struct merge *merge, const struct wtl_sample_row *row)
{
    uint64_t time_ns = row->time_ns;
    bool any = false;
    memset(merge->cells, 0, merge->column_count * sizeof *merge->cells);
    merge->cells[0] = wtl_cell_number(export_seconds(merge->run, time_ns), -9);
    for (size_t i = 0; i < row->column_count; i++) {
        const struct wtl_trace_column *column = &row->columns[i];
        struct lane *lane = &merge->lanes[column->channel];
        struct wtl_cell cells[2];
        if (!lane->channel)
            continue;
        any = true;
        if (column->missing && column->missing[row->row]) {
            lane->absent = true;
            continue;
        }
        make_cells(merge, column->channel, time_ns, column->values[row->row], cells);
        merge->cells[lane->column] = cells[0];
        if (lane->counter)
            merge->cells[lane->column + 1] = cells[1];
    }
    if (any)
        wtl_row_writer_row(&merge->run->sheet, merge->cells, merge->column_count);
}

static void print_long(struct merge *merge, const struct wtl_sample_row *row)
{
    uint64_t time_ns = row->time_ns;
    for (size_t i = 0; i < row->column_count; i++) {
        const struct wtl_trace_column *column = &row->columns[i];
        struct lane *lane = &merge->lanes[column->channel];
        struct wtl_cell value[2] = {{0}, {0}};
        if (!lane->channel)
            continue;
        if (column->missing && column->missing[row->row])
            lane->absent = true;
        else
            make_cells(merge, column->channel, time_ns, column->values[row->row], value);
        const struct wtl_cell cells[] = {wtl_cell_number(export_seconds(merge->run, time_ns), -9),
                                         wtl_cell_text(lane->channel->name), value[0],
                                         wtl_cell_text(unit_of(lane->channel)), value[1]};
        wtl_row_writer_row(&merge->run->sheet, cells, 5);
    }
}

static int print_rows(struct merge *merge, struct wattle_error *err)
{
    const struct export_run *run = merge->run;
    const struct wtl_trace_range range = {.begin_ns = run->begin_ns,
                                          .end_ns = run->end_ns,
                                          .channels = run->channels,
                                          .channel_count = run->channel_count};
    struct wtl_sample_merge samples;
    struct wtl_sample_row row;
    int rc = wtl_sample_merge_open(&samples, run->reader, &range, err);
    while (rc >= 0 && !export_broken(run) &&
           (rc = wtl_sample_merge_next(&samples, &row, err)) > 0) {
        if (run->options->long_form)
            print_long(merge, &row);
        else
            print_wide(merge, &row);
    }
    wtl_sample_merge_close(&samples);
    return rc < 0 ? rc : 0;
}

static int export_samples(struct export_run *run, struct wattle_error *err)
{
    size_t channels = wtl_trace_reader_channel_count(run->reader);
    struct merge merge = {.run = run, .lanes = calloc(channels + 1, sizeof *merge.lanes)};
    int rc = merge.lanes ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : wtl_gap_walk_open(&merge.gaps, run->reader, err);
    rc = rc < 0 ? rc : print_columns(&merge);
    if (rc == 0 && !(merge.cells = calloc(merge.column_count, sizeof *merge.cells)))
        rc = -ENOMEM;
    rc = rc < 0 ? rc : print_rows(&merge, err);
    wtl_gap_walk_close(&merge.gaps);
    free(merge.cells);
    free(merge.lanes);
    return rc;
}

/* ---- names ---- */

const char *const wtl_export_names[] = {"samples",  "regions", "events", "gaps",
                                        "metadata", "tasks",   NULL};

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

static void choose_time(struct export_run *run)
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
static void note_channels(struct export_run *run,
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
static void note_traits(struct export_run *run)
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

static void print_gaps(const struct export_run *run,
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
        (void)fprintf(text, "; %.9f %.9f %s", export_seconds(run, gap.begin_ns),
                      export_seconds(run, gap.end_ns), wtl_gap_reason_name(gap.reason));
    }
}

/* Times without a value, which empty cells alone do not tell: a counter that stood still has values. */
static int note_gaps(struct export_run *run, struct wattle_error *err)
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
static int print_channel_notes(struct export_run *run, struct wattle_error *err)
{
    if (run->options->what != WTL_EXPORT_SAMPLES || !run->options->comments ||
        run->options->form != WTL_ROW_WRITER_CSV)
        return 0;
    note_traits(run);
    return note_gaps(run, err);
}

static void print_notes(struct export_run *run)
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
        (void)snprintf(text, sizeof text, "%.9f", export_seconds(run, window.end_monotonic_ns));
        wtl_row_writer_note(&run->sheet, "window_s", text);
    }
}

/* ---- small tables ---- */

const char *const wtl_gap_columns[] = {"begin_s", "end_s", "channel", "reason", "error", NULL};
const char *const wtl_metadata_columns[] = {"key", "value", NULL};

/* For bsearch over channel ids. */
static int export_compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int export_gaps(struct export_run *run, struct wattle_error *err)
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
                     export_compare_ids))
            continue;
        const struct wtl_cell cells[] = {
            wtl_cell_number(export_seconds(run, gap->begin_ns), -9),
            wtl_cell_number(export_seconds(run, gap->end_ns), -9),
            wtl_cell_text(channel ? channel->channel.name : NULL),
            wtl_cell_text(wtl_gap_reason_name(gap->reason)),
            wtl_cell_text(gap->error ? wtl_strerror(gap->error) : NULL)};
        wtl_row_writer_row(&run->sheet, cells, 5);
    }
    return 0;
}

static int export_metadata(struct export_run *run, struct wattle_error *err)
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

int wtl_export_write(struct wtl_trace_reader *reader,
                     const struct wtl_export *options,
                     FILE *out,
                     struct wattle_error *err)
{
    static int (*const writers[])(struct export_run *, struct wattle_error *) = {
        [WTL_EXPORT_SAMPLES] = export_samples, [WTL_EXPORT_REGIONS] = export_marks,
        [WTL_EXPORT_EVENTS] = export_marks,    [WTL_EXPORT_TASKS] = export_marks,
        [WTL_EXPORT_GAPS] = export_gaps,       [WTL_EXPORT_METADATA] = export_metadata};
    struct export_run run = {.reader = reader, .options = options};
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
