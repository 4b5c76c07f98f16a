/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A MonEQ file as a table: a row for each sample, eight columns of power in watts. The file is read
 * once beforehand for its tags and its time 0.
 *
 * Time: a sample has its seconds since MonEQ_Initialize() in microseconds, and the truncated
 * seconds since 1970. Each sample thus limits time 0 to a range of one second; it is in the
 * intersection of all of them. A file written by wattle has time 0 in a note (moneq_note.h). Files
 * without dates (the reducer's .dat) count from their start.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/moneq/moneq_line.h"
#include "exchange/moneq/moneq_note.h"
#include "exchange/moneq/moneq_tags.h"

enum { SECOND = 1000000000, QUARTER = 900 };

struct own {
    struct wtl_text_source *source;
    struct wtl_import_cell cells[WTL_MONEQ_POWERS];
    struct wtl_moneq_tags tags;
    struct wtl_string_set listed; /* in MonEQTags.txt */
    bool has_list;
    const char *part; /* from options */
    bool lenient;
    struct wtl_moneq_note note; /* if wattle wrote the file */
    bool begun;                 /* rows have been read */
    struct wtl_moneq_line held; /* a line whose row comes next */
    bool is_held;
    int64_t start_ns; /* time 0, since 1970; 0 = times count from the start */
};

/* What the first pass finds. */
struct scan {
    uint64_t samples, zones, invalid, invalid_line;
    bool has_place, any;
    struct wtl_moneq_place place;
    int64_t last_ns, earliest_ns, latest_ns; /* time 0 is between these */
    int64_t zone_s, first_start_ns;
};

static struct own *own_of(struct wtl_import_table *table)
{
    return table->own;
}

/* The next line that is a sample of the requested part, or a marker. 1, 0 at the end, -errno. */
static int next_line(struct wtl_import_table *table,
                     struct wtl_moneq_line *ret_line,
                     struct wattle_error *err)
{
    struct own *own = own_of(table);
    const char *why;
    char *text, place[48];
    size_t n;
    int rc;
    while ((rc = wtl_text_source_next(own->source, &text, &n, err)) > 0) {
        uint64_t line = wtl_text_source_line(own->source);
        if (wtl_moneq_line_parse(text, n, ret_line, &why) < 0) {
            if (!own->lenient)
                return wtl_fail(err, -EBADMSG,
                                "%s:%" PRIu64
                                ": not a MonEQ line: %s; skip such lines with --lenient",
                                table->path, line, why);
            if (table->losses.short_rows++ == 0)
                table->losses.first_line = line;
            continue;
        }
        if (ret_line->what == WTL_MONEQ_NOTHING)
            continue;
        if (ret_line->what == WTL_MONEQ_SAMPLE && own->part && ret_line->has_place) {
            wtl_moneq_place_print(&ret_line->place, place);
            if (strcmp(place, own->part) != 0)
                continue;
        }
        return 1;
    }
    return rc;
}

/* A node card always draws power. MonEQ's reducer reports "Invalid line!" for a card at 0 W, and
 * drops the line. */
static bool is_invalid(const struct wtl_moneq_line *line)
{
    return line->power[0].form == WTL_CELL_GOOD && line->power[0].value.digits == 0;
}

/* ---- first pass ---- */

static int learn_place(const struct wtl_import_table *table,
                       struct scan *scan,
                       const struct wtl_moneq_line *line,
                       struct wattle_error *err)
{
    char one[48], other[48];
    if (scan->samples == 0) {
        scan->has_place = line->has_place;
        scan->place = line->place;
    }
    if (line->has_place != scan->has_place)
        return wtl_fail(err, -EBADMSG, "%s: contains lines with a date and lines without one",
                        table->path);
    if (memcmp(&line->place, &scan->place, sizeof line->place) == 0)
        return 0;
    wtl_moneq_place_print(&scan->place, one);
    wtl_moneq_place_print(&line->place, other);
    return wtl_fail(err, -EBADMSG,
                    "%s contains several node cards (%s, %s); use -o FOLDER/ for one trace each",
                    table->path, one, other);
}

static void learn_time(struct scan *scan, const struct wtl_moneq_line *line)
{
    int64_t least_ns = line->epoch_s * SECOND - line->elapsed_ns;
    if (!scan->any)
        scan->first_start_ns = least_ns;
    if (!scan->any || least_ns > scan->earliest_ns)
        scan->earliest_ns = least_ns;
    if (!scan->any || least_ns + SECOND < scan->latest_ns)
        scan->latest_ns = least_ns + SECOND;
    scan->any = true;
    int64_t zone_s = line->date_s == INT64_MIN ? 1 : line->date_s - line->epoch_s;
    scan->zone_s = scan->zones == 0 ? zone_s : scan->zone_s;
    scan->zones += zone_s % QUARTER == 0 && zone_s == scan->zone_s;
}

static int learn_sample(struct wtl_import_table *table,
                        struct scan *scan,
                        const struct wtl_moneq_line *line,
                        struct wattle_error *err)
{
    int rc = learn_place(table, scan, line, err);
    bool back = scan->samples > 0 && line->elapsed_ns <= scan->last_ns;
    if (rc < 0 || back) /* the import reports rows that go back */
        return rc;
    if (line->has_place)
        learn_time(scan, line);
    scan->last_ns = line->elapsed_ns;
    scan->samples++;
    if (is_invalid(line) && scan->invalid++ == 0)
        scan->invalid_line = wtl_text_source_line(own_of(table)->source);
    return wtl_moneq_tags_sample(&own_of(table)->tags, line->elapsed_ns) < 0
               ? wtl_no_memory_for(err, "%s", table->path)
               : 0;
}

static int read_list(struct wtl_import_table *table, struct wattle_error *err)
{
    struct own *own = own_of(table);
    char *path = wtl_moneq_beside(table->path, WTL_MONEQ_TAGS_FILE), *line;
    struct wtl_text_source *source = NULL;
    bool fresh;
    size_t n;
    int rc = path ? 0 : -ENOMEM;
    own->has_list = path && wtl_text_source_open(path, &source, NULL) == 0;
    while (rc == 0 && own->has_list && wtl_text_source_next(source, &line, &n, NULL) > 0) {
        if (n > 0 && wtl_string_set_add(&own->listed, line, &fresh) < 0)
            rc = -ENOMEM;
    }
    wtl_text_source_close(source);
    free(path);
    return rc < 0 ? wtl_no_memory_for(err, "%s", table->path) : 0;
}

/* ---- anomalies ---- */

static void note(struct wtl_import_table *table,
                 const char *kind,
                 uint64_t count,
                 uint64_t line,
                 const char *words)
{
    if (count == 0)
        return;
    struct wtl_import_note *entry = wtl_import_table_note(table, kind);
    entry->count = count;
    entry->line = line;
    (void)snprintf(entry->text, sizeof entry->text, "%" PRIu64 " %s", count, words);
}

/* The number of names in one set that are missing from the other. */
static uint64_t missing(const struct wtl_string_set *in,
                        const struct wtl_string_set *from,
                        const char **ret_first)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < in->count && !found; k++)
            found = strcmp(from->texts[i], in->texts[k]) == 0;
        if (!found && count++ == 0)
            *ret_first = from->texts[i];
    }
    return count;
}

static void note_list(struct wtl_import_table *table)
{
    const struct own *own = own_of(table);
    const char *first = NULL;
    char words[256];
    /* In files written by wattle the list is that of all nodes. */
    if (!own->has_list || own->tags.ends_behind || own->tags.names.count > 4096 ||
        own->listed.count > 4096)
        return;
    uint64_t count = missing(&own->tags.names, &own->listed, &first);
    (void)snprintf(words, sizeof words,
                   "of the tags in " WTL_MONEQ_TAGS_FILE
                   " (first \"%.60s\") without a marker here: began and ended together with "
                   "another one, or outside the samples",
                   first ? first : "");
    note(table, "tag without marker", count, 0, words);
    count = missing(&own->listed, &own->tags.names, &first);
    (void)snprintf(words, sizeof words,
                   "of the tags here (first \"%.60s\") not in " WTL_MONEQ_TAGS_FILE
                   ", which makes MonEQ's reducer fail",
                   first ? first : "");
    note(table, "tag not listed", count, 0, words);
}

/* The times that wattle's note names as unknown, of all powers. */
static int take_gaps(struct wtl_import_table *table, struct wattle_error *err)
{
    struct wtl_moneq_gap *gaps = NULL;
    size_t count = 0;
    int rc = wtl_moneq_note_gaps(table->path, &gaps, &count);
    for (size_t i = 0; i < count * WTL_MONEQ_POWERS && rc == 0; i++) {
        const struct wtl_moneq_gap *gap = &gaps[i / WTL_MONEQ_POWERS];
        rc = wtl_import_table_gap(
            table, (struct wtl_import_gap){.column = i % WTL_MONEQ_POWERS,
                                           .reason = WTL_GAP_NOT_SAMPLED,
                                           .begin_ns = own_of(table)->start_ns + gap->begin_ns,
                                           .end_ns = own_of(table)->start_ns + gap->end_ns});
    }
    free(gaps);
    wtl_import_table_gaps_end(table);
    return rc < 0 ? wtl_no_memory_for(err, "%s", table->path) : 0;
}

static void note_tags(struct wtl_import_table *table)
{
    const struct wtl_moneq_tags *tags = &own_of(table)->tags;
    note(table, "tag without end", tags->without_end, tags->without_end_line,
         "not ended: MonEQ marks only one END per sample; assumed to last to the end of the file, "
         "and counted as unbalanced");
    note(table, "tag without begin", tags->without_start, tags->without_start_line,
         "not begun: MonEQ marks only one START per sample; counted as unbalanced, without time");
    note(table, "tag begun again", tags->again, tags->again_line,
         "begun while open: for a reused name MonEQ keeps only the last end");
    note_list(table);
}

static void settle_time(struct wtl_import_table *table, const struct scan *scan)
{
    struct own *own = own_of(table);
    struct wtl_moneq_note known;
    if (!scan->has_place)
        return;
    table->time.epoch = WTL_EPOCH_1970;
    own->start_ns = scan->earliest_ns + (scan->latest_ns - scan->earliest_ns) / 2;
    if (scan->latest_ns <= scan->earliest_ns) {
        own->start_ns = scan->first_start_ns;
        struct wtl_import_note *entry = wtl_import_table_note(table, "clock set");
        entry->count = 1;
        (void)snprintf(entry->text, sizeof entry->text,
                       "seconds since 1970 and seconds since the start differ by up to %.3f s; the "
                       "latter are used, from the first sample on",
                       (double)(scan->earliest_ns - scan->latest_ns) * 1e-9 + 1);
    }
    if (wtl_moneq_note_find(table->path, &known) &&
        llabs(known.start_realtime_ns - own->start_ns) <= SECOND)
        own->start_ns = known.start_realtime_ns;
    if (own->start_ns <= 0) /* such files were not written in 1970 */
        own->start_ns = 1;
    if (scan->zones == scan->samples)
        (void)snprintf(table->time_text, sizeof table->time_text,
                       "fixed by the program, at UTC%+03d:%02d", (int)(scan->zone_s / 3600),
                       (int)(llabs(scan->zone_s) % 3600 / 60));
}

static int settle(struct wtl_import_table *table, const struct scan *scan, struct wattle_error *err)
{
    struct own *own = own_of(table);
    char place[48];
    if (scan->samples == 0)
        return wtl_fail(err, -EBADMSG,
                        "%s: not a MonEQ file, or without samples; give its format with --from",
                        table->path);
    settle_time(table, scan);
    for (size_t i = 0; i < own->tags.count; i++)
        own->tags.marks[i].time_ns += own->start_ns;
    table->has_zero = true;
    table->zero_ns = own->start_ns;
    table->marks = own->tags.marks;
    table->mark_count = own->tags.count;
    table->mark_names = own->tags.names.texts;
    struct wtl_moneq_note known = {.node = ""};
    (void)wtl_moneq_note_find(table->path, &known);
    wtl_moneq_place_print(&scan->place, place);
    (void)snprintf(table->machine, sizeof table->machine, "%.63s",
                   known.node[0]     ? known.node
                   : scan->has_place ? place
                                     : "");
    note(table, "invalid line", scan->invalid, scan->invalid_line,
         "with a node card of 0 W, which MonEQ's reducer drops as invalid: unknown there");
    note_tags(table);
    return take_gaps(table, err);
}

static int scan_file(struct wtl_import_table *table, struct wattle_error *err)
{
    struct own *own = own_of(table);
    struct scan scan = {.samples = 0};
    struct wtl_moneq_line line;
    struct wtl_moneq_note known = {.ends_behind = false};
    (void)wtl_moneq_note_find(table->path, &known);
    own->tags.ends_behind = known.ends_behind;
    int rc = read_list(table, err);
    while (rc >= 0 && (rc = next_line(table, &line, err)) > 0) {
        if (line.what == WTL_MONEQ_SAMPLE)
            rc = learn_sample(table, &scan, &line, err);
        else if (wtl_moneq_tags_marker(&own->tags, line.what == WTL_MONEQ_TAG_START, line.tag,
                                       line.tag_length, wtl_text_source_line(own->source)) < 0)
            rc = wtl_no_memory_for(err, "%s", table->path);
    }
    if (rc == 0 && wtl_moneq_tags_end(&own->tags) < 0)
        rc = wtl_no_memory_for(err, "%s", table->path);
    rc = rc < 0 ? rc : settle(table, &scan, err);
    table->losses = (struct wtl_table_losses){0};
    return rc < 0 ? rc : wtl_text_source_rewind(own->source, err);
}

/* ---- rows ---- */

/* The next sample. The first mean covers the time since time 0, where a separate row is added. 1, 0
 * at the end, -errno. */
static int next_sample(struct wtl_import_table *table,
                       struct wtl_moneq_line *ret_line,
                       struct wattle_error *err)
{
    struct own *own = own_of(table);
    int rc;
    if (own->is_held) {
        *ret_line = own->held;
        own->is_held = false;
        return 1;
    }
    do {
        rc = next_line(table, ret_line, err);
    } while (rc > 0 && ret_line->what != WTL_MONEQ_SAMPLE);
    if (rc > 0 && !own->begun && own->note.means && ret_line->elapsed_ns > 0) {
        own->held = *ret_line;
        own->is_held = true;
        ret_line->elapsed_ns = 0;
    }
    own->begun = own->begun || rc > 0;
    return rc;
}

static int next_row(struct wtl_import_table *table,
                    struct wtl_import_row *ret_row,
                    struct wattle_error *err)
{
    struct own *own = own_of(table);
    struct wtl_moneq_line line;
    int rc = next_sample(table, &line, err);
    if (rc <= 0)
        return rc;
    memcpy(own->cells, line.power, sizeof own->cells);
    for (size_t i = 0; i < WTL_MONEQ_POWERS && is_invalid(&line); i++)
        own->cells[i].form = WTL_CELL_NAN;
    *ret_row = (struct wtl_import_row){.time_ns = own->start_ns + line.elapsed_ns,
                                       .line = wtl_text_source_line(own->source),
                                       .cells = own->cells,
                                       .count = WTL_MONEQ_POWERS};
    return 1;
}

static void close_moneq(struct wtl_import_table *table)
{
    struct own *own = own_of(table);
    if (!own)
        return;
    wtl_text_source_close(own->source);
    wtl_moneq_tags_fini(&own->tags);
    wtl_string_set_fini(&own->listed);
    free(own);
    table->own = NULL;
}

static const struct wtl_table_ops ops = {next_row, close_moneq};

static int add_columns(struct wtl_import_table *table, struct wattle_error *err)
{
    const struct wtl_moneq_note *note = &own_of(table)->note;
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
        const struct wtl_moneq_power *power = &wtl_moneq_powers[i];
        int rc = wtl_import_table_add(table, power->name, strlen(power->name), err);
        if (rc < 0)
            return rc;
        table->headers[rc].any_value = true;
        table->headers[rc].meaning =
            (struct wtl_meaning){.has_domain = true,
                                 .has_quantity = true,
                                 .has_unit = true,
                                 .has_index = true,
                                 .domain = power->domain,
                                 .quantity = WATTLE_POWER,
                                 .index = power->index,
                                 .sub = -1,
                                 .kind = note->means ? WTL_IMPORT_AVERAGE : WTL_IMPORT_GAUGE,
                                 .quality = note->quality,
                                 .simulated = note->simulated,
                                 .traits = note->traits[i],
                                 .unit = "W"};
    }
    return 0;
}

int wtl_moneq_table_open(const char *path,
                         struct wtl_text_source *source,
                         const struct wtl_table_options *options,
                         struct wtl_import_table **ret_table,
                         struct wattle_error *err)
{
    struct wtl_import_table *table = calloc(1, sizeof *table);
    struct own *own = calloc(1, sizeof *own);
    if (!table || !own) {
        free(table);
        free(own);
        wtl_text_source_close(source);
        return wtl_no_memory_for(err, "%s", path);
    }
    *table = (struct wtl_import_table){
        .ops = &ops,
        .path = path,
        .sensor = "moneq",
        .own = own,
        .time = {.unit = WTL_TIME_S, .epoch = WTL_EPOCH_START, .point = '.'}};
    *own = (struct own){.source = source, .part = options->part, .lenient = options->lenient};
    (void)wtl_moneq_note_find(path, &own->note); /* else it is MonEQ's own */
    (void)snprintf(table->program, sizeof table->program, "MonEQ");
    (void)snprintf(table->time_text, sizeof table->time_text, "fixed by the program");
    int rc = options->time
                 ? wtl_fail(err, -EINVAL,
                            "--time cannot be used: MonEQ files contain the time of each sample")
                 : 0;
    rc = rc < 0 ? rc : add_columns(table, err);
    rc = rc < 0 ? rc : scan_file(table, err);
    if (rc < 0)
        wtl_import_table_close(table);
    else
        *ret_table = table;
    return rc;
}
