/* SPDX-License-Identifier: BSD-3-Clause */
/* The note next to MonEQ files: see moneq_note.h. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_note.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
static bool take(char *line, const char *name, struct wtl_moneq_note *note)
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

int wtl_moneq_note_find(const char *path, struct wtl_moneq_note *ret_note)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *beside = wtl_moneq_beside(path, WTL_MONEQ_NOTE_FILE), *line;
    struct wtl_text_source *source = NULL;
    size_t n;
    bool found = false;
    if (beside && wtl_text_source_open(beside, &source, NULL) == 0 &&
        wtl_text_source_next(source, &line, &n, NULL) > 0 && strcmp(line, FIRST_LINE) == 0) {
        while (!found && wtl_text_source_next(source, &line, &n, NULL) > 0)
            found = take(line, name, ret_note);
    }
    wtl_text_source_close(source);
    free(beside);
    return found;
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
}
