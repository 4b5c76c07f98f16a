/* SPDX-License-Identifier: BSD-3-Clause */
/* The note next to MonEQ files: see moneq_note.h. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_note.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/parse.h"
#include "exchange/import/text_source.h"

#define FIRST_LINE "# wattle moneq 1"

char *wtl_moneq_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *beside = NULL;
    int folder = slash ? (int)(slash - path) + 1 : 0;
    return asprintf(&beside, "%.*s%s", folder, path, name) < 0 ? NULL : beside;
}

static void keep(char *text, size_t size, const char *field)
{
    (void)snprintf(text, size, "%s", strcmp(field, "-") == 0 ? "" : field);
}

/* What the powers are; in older files: samples, and measured as far as known. */
static void take_powers(struct wtl_moneq_note *note, char *rest)
{
    const char *how = strsep(&rest, "\t"), *quality = strsep(&rest, "\t");
    const char *simulated = strsep(&rest, "\t");
    note->means = how && strcmp(how, "mean") == 0;
    note->simulated = simulated && strcmp(simulated, "simulated") == 0;
    note->quality = WATTLE_MEASURED;
    for (int i = WATTLE_MEASURED; quality && i <= WATTLE_ESTIMATED; i++) {
        if (strcmp(quality, wattle_quality_name((enum wattle_quality)i)) == 0)
            note->quality = (enum wattle_quality)i;
    }
}

/* Use the line if it is for the requested file, and complete. */
static bool parse_note(char *line, const char *name, struct wtl_moneq_note *note)
{
    char *field[5] = {NULL}, *rest = line, *end;
    for (size_t i = 0; i < 5; i++) {
        if (!(field[i] = strsep(&rest, "\t")))
            return false;
    }
    if (strcmp(field[0], name) != 0)
        return false;
    note->start_realtime_ns = strtoll(field[1], &end, 10);
    if (*end || note->start_realtime_ns <= 0 || note->start_realtime_ns > INT64_MAX / 4)
        return false;
    note->ends_behind = strcmp(field[2], "behind") == 0;
    keep(note->run_id, sizeof note->run_id, field[3]);
    keep(note->node, sizeof note->node, field[4]);
    take_powers(note, rest);
    return true;
}

/* "FILE<tab>power<tab>COLUMN<tab>TRAITS" */
static void take_traits(char *line, const char *name, struct wtl_moneq_note *note)
{
    char *rest = line;
    const char *file = strsep(&rest, "\t"), *what = strsep(&rest, "\t");
    const char *column = strsep(&rest, "\t");
    if (!rest || strcmp(file, name) != 0 || strcmp(what, "power") != 0)
        return;
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
        if (strcmp(wtl_moneq_powers[i].name, column) == 0)
            wtl_channel_traits_read(rest, &note->traits[i]);
    }
}

/* Open the notes next to a file, and read their first line. NULL = there are none. */
static struct wtl_text_source *open_notes(const char *path)
{
    char *beside = wtl_moneq_beside(path, WTL_MONEQ_NOTE_FILE), *line;
    struct wtl_text_source *source = NULL;
    size_t n;
    bool good = beside && wtl_text_source_open(beside, &source, NULL) == 0 &&
                wtl_text_source_next(source, &line, &n, NULL) > 0 && strcmp(line, FIRST_LINE) == 0;
    free(beside);
    if (good)
        return source;
    wtl_text_source_close(source);
    return NULL;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int wtl_moneq_note_find(const char *path, struct wtl_moneq_note *ret_note)
{
    struct wtl_text_source *source = open_notes(path);
    char *line;
    size_t n;
    bool found = false;
    while (source && wtl_text_source_next(source, &line, &n, NULL) > 0) {
        if (found)
            take_traits(line, name_of(path), ret_note);
        else
            found = parse_note(line, name_of(path), ret_note);
    }
    wtl_text_source_close(source);
    return found;
}

/* Seconds since time 0 as printed; false if they are not. */
static bool take_seconds(const char *text, int64_t *ret_ns)
{
    double value;
    if (!text || wtl_parse_double(text, &value) < 0 || !(value >= 0) || value > 9e9)
        return false;
    *ret_ns = llround(value * 1e6) * 1000;
    return true;
}

int wtl_moneq_note_gaps(const char *path, struct wtl_moneq_gap **ret_gaps, size_t *ret_count)
{
    struct wtl_text_source *source = open_notes(path);
    struct wtl_moneq_gap gap, *gaps = NULL;
    char *line;
    size_t n, count = 0;
    int rc = 0;
    while (source && rc == 0 && wtl_text_source_next(source, &line, &n, NULL) > 0) {
        char *rest = line;
        const char *file = strsep(&rest, "\t"), *what = strsep(&rest, "\t");
        const char *begin = strsep(&rest, "\t");
        if (!rest || strcmp(file, name_of(path)) != 0 || strcmp(what, "gap") != 0 ||
            !take_seconds(begin, &gap.begin_ns) || !take_seconds(rest, &gap.end_ns))
            continue;
        rc = wtl_grow(&gaps, count, sizeof *gaps);
        if (rc == 0)
            gaps[count++] = gap;
    }
    wtl_text_source_close(source);
    if (rc < 0) {
        free(gaps);
        return -ENOMEM;
    }
    *ret_gaps = gaps;
    *ret_count = count;
    return 0;
}

void wtl_moneq_note_begin(FILE *out)
{
    (void)fprintf(out, "%s\n", FIRST_LINE);
}

static void print_field(FILE *out, const char *text)
{
    (void)fputc('\t', out);
    if (!*text)
        (void)fputc('-', out);
    for (; *text; text++)
        (void)fputc((unsigned char)*text < 0x20 || *text == 0x7F ? '_' : *text, out);
}

void wtl_moneq_note_print(FILE *out, const char *name, const struct wtl_moneq_note *note)
{
    (void)fprintf(out, "%s\t%" PRId64 "\t%s", name, note->start_realtime_ns,
                  note->ends_behind ? "behind" : "before");
    print_field(out, note->run_id);
    print_field(out, note->node);
    print_field(out, note->means ? "mean" : "sample");
    print_field(out, wattle_quality_name(note->quality));
    print_field(out, note->simulated ? "simulated" : "");
    (void)fputc('\n', out);
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
        char words[WTL_TRAITS_SIZE];
        if (*wtl_channel_traits_print(&note->traits[i], words, sizeof words))
            (void)fprintf(out, "%s\tpower\t%s\t%s\n", name, wtl_moneq_powers[i].name, words);
    }
}

void wtl_moneq_note_print_gap(FILE *out, const char *name, const struct wtl_moneq_gap *gap)
{
    (void)fprintf(out, "%s\tgap\t%.6f\t%.6f\n", name, (double)gap->begin_ns * 1e-9,
                  (double)gap->end_ns * 1e-9);
}
