/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of an import: see import_options.h. */
#define _GNU_SOURCE
#include "cli/import/import_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "exchange/import/text_source.h"

static int take_start(const struct wtl_command *command, void *place, const char *value)
{
    struct wtl_time_form form = {.unit = WTL_TIME_AUTO};
    struct wtl_import_options *import = &((struct wtl_import_request *)place)->import;
    if (wtl_time_settle(value, strlen(value), &form) < 0 || form.epoch != WTL_EPOCH_1970 ||
        wtl_time_parse(value, strlen(value), &form, &import->start_realtime_ns) < 0 ||
        import->start_realtime_ns <= 0)
        return wtl_usage(
            command,
            "--start: \"%s\" is not a time such as 2026-01-02T03:04:05Z or seconds since "
            "1970",
            value);
    import->has_start = true;
    return 0;
}

static int take_decimal(const struct wtl_command *command, void *place, const char *value)
{
    static const char *const points[] = {"point", "comma", NULL};
    size_t choice = 0;
    int status = wtl_option_choice(command, "--decimal", value, points, &choice);
    ((struct wtl_import_request *)place)->import.table.point = ".,"[choice];
    return status;
}

static int take_separator(const struct wtl_command *command, void *place, const char *value)
{
    static const char *const separators[] = {"comma", "semicolon", "tab", "bar", "blank", NULL};
    struct wtl_table_options *table = &((struct wtl_import_request *)place)->import.table;
    size_t choice = 0;
    if (value[0] && !value[1] && strchr(",;|\t ", value[0])) {
        table->separator = value[0];
        return 0;
    }
    int status = wtl_option_choice(command, "--separator", value, separators, &choice);
    table->separator = ",;\t| "[choice];
    return status;
}

static int take_time_format(const struct wtl_command *command, void *place, const char *value)
{
    size_t choice = 0;
    int status = wtl_option_choice(command, "--time-format", value,
                                   wtl_time_unit_names + WTL_TIME_ISO, &choice);
    ((struct wtl_import_request *)place)->import.table.time_format =
        (enum wtl_time_unit)(WTL_TIME_ISO + choice);
    return status;
}

static int take_zone(const struct wtl_command *command, void *place, const char *value)
{
    if (!wtl_time_has_zone(value))
        return wtl_usage(
            command, "--zone: \"%s\" is no time zone of this system, such as Europe/Berlin", value);
    ((struct wtl_import_request *)place)->import.table.zone = value;
    return 0;
}

static int take_no_header(const struct wtl_command *command, void *place, const char *value)
{
    (void)command, (void)value;
    ((struct wtl_import_request *)place)->import.table.header = 0;
    return 0;
}

static int take_most_lost(const struct wtl_command *command, void *place, const char *value)
{
    double percent;
    if (wtl_parse_double(value, &percent) < 0 || !(percent > 0 && percent <= 100))
        return wtl_usage(command, "--most-lost: \"%s\" is not a percentage", value);
    ((struct wtl_import_request *)place)->import.most_lost = percent / 100;
    return 0;
}

static int take_mapping(const struct wtl_command *command, void *place, const char *path);

static const char *const formats[] = {"text", "json", NULL};

const struct wtl_option wtl_import_table_of_options[] = {
    {0, "from", "FORMAT",
     "a format of --formats, likwid, moneq, or csv: by\nheaders and options (default: recognised)",
     WTL_TAKES_TEXT(struct wtl_import_request, import.from)},
    {0, "formats", NULL, "list the formats that are recognised",
     WTL_SETS(struct wtl_import_request, list_formats)},
    {'o', "output", "TRACE",
     "write this trace, which appears only when it is\ncomplete; for moneq: a folder for several "
     "traces",
     WTL_TAKES_FILE(struct wtl_import_request, output)},
    {0, "force", NULL, "overwrite an existing trace", WTL_SETS(struct wtl_import_request, force)},
    {'n', "dry-run", NULL, "show mapping and faults, write nothing",
     WTL_SETS(struct wtl_import_request, dry_run)},
    {0, "time", "SPEC",
     "time column, as COLUMN[:UNIT[:EPOCH]]; unit s, ms,\nus, ns, min, h or iso, epoch 1970 or "
     "start; or\nevery:1s for rows without a time",
     WTL_TAKES_TEXT(struct wtl_import_request, import.table.time)},
    {'c', "column", "MAP",
     "meaning of a column, as\nCOLUMN=PLACE[:QUANTITY][:UNIT][:KIND], such "
     "as\n\"PkgWatt=package-0:power:W\"; repeatable",
     WTL_TAKES_LIST(struct wtl_import_request, columns)},
    {0, "ignore", "COLUMN", "skip columns with this name or pattern",
     WTL_TAKES_LIST(struct wtl_import_request, ignore)},
    {0, "only", "COLUMN", "use only columns with this name or pattern",
     WTL_TAKES_LIST(struct wtl_import_request, only)},
    {0, "cover", "SPEC",
     "column with the time that the energy of a row\ncovers, as COLUMN[:UNIT], or \"none\"",
     WTL_TAKES_TEXT(struct wtl_import_request, import.table.cover)},
    {0, "split", "COLUMN",
     "a column that names what a row is about, such as\n\"gpu\": a channel for each; repeatable",
     WTL_TAKES_LIST(struct wtl_import_request, split)},
    {0, "shift", "MOVE",
     "shift a column by rows relative to the others, such\nas \"rapl_power=-1row\" if it is one "
     "row late",
     WTL_TAKES_LIST(struct wtl_import_request, shifts)},
    {0, "separator", "CHAR", "separator: comma, semicolon, tab, bar or blank\n(default: guessed)",
     WTL_CALLS_WITH_ALL(take_separator)},
    {0, "decimal", "SIGN", "decimal sign: point or comma (default: guessed)",
     WTL_CALLS_WITH_ALL(take_decimal)},
    {0, "thousands", NULL, "digits are grouped: 1,234.5, or 1.234,5 with\n--decimal comma",
     WTL_SETS(struct wtl_import_request, import.table.thousands)},
    {0, "time-format", "FORMAT",
     "of dates: iso, dmy (31/1/2026), mdy (1/31/2026),\nctime, or clock for a time without a date",
     WTL_CALLS_WITH_ALL(take_time_format)},
    {0, "zone", "NAME", "time zone of dates that have none, such as\nEurope/Berlin (default: UTC)",
     WTL_CALLS_WITH_ALL(take_zone)},
    {0, "spread-times", NULL,
     "the times are coarser than the rows: rows of one time\nare spread evenly up to the next",
     WTL_SETS(struct wtl_import_request, import.spread)},
    {0, "no-header", NULL, "the first row holds values, not column names",
     WTL_CALLS_WITH_ALL(take_no_header)},
    {0, "start", "TIME",
     "date of time 0, such as 2026-01-02T03:04:05Z, for\nfiles with times since their start",
     WTL_CALLS_WITH_ALL(take_start)},
    {'m', "mapping", "FILE",
     "read options from FILE, one per line without\ndashes, such as \"time = t_s:s\"",
     WTL_CALLS_WITH_ALL(take_mapping), .is_input = true},
    {'y', "yes", NULL,
     "assume what is likely where a unit or the like is\nnot stated; results are flagged ASSUMED",
     WTL_SETS(struct wtl_import_request, import.table.assume)},
    {0, "save-format", "FILE", "write the mapping to this file, for --mapping",
     WTL_TAKES_FILE(struct wtl_import_request, save_format)},
    {0, "node", "NAME", "the machine of the recording",
     WTL_TAKES_TEXT(struct wtl_import_request, import.node)},
    {0, "meta", "KEY=VALUE",
     "a fact about the run or the machine, such as\n\"host.cpu_model=EPYC 7742\"; repeatable",
     WTL_TAKES_LIST(struct wtl_import_request, meta)},
    {0, "lenient", NULL, "skip and count unreadable rows; text in a number\ncolumn becomes a gap",
     WTL_SETS(struct wtl_import_request, import.table.lenient)},
    {0, "most-lost", "PERCENT", "that --lenient may leave out (default 5)",
     WTL_CALLS_WITH_ALL(take_most_lost)},
    {0, "strict", NULL, "fail and write nothing if the data has faults",
     WTL_SETS(struct wtl_import_request, strict)},
    {0, "format", "FORMAT", "text or json (default text)",
     WTL_TAKES_CHOICE(struct wtl_import_request, format, formats)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* ---- mapping files ---- */

static char *strip(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = '\0';
    return text;
}

/* "time = t_s:s", "lenient", "[import]", "# comment". */
static int take_line(const struct wtl_command *command,
                     struct wtl_import_request *request,
                     const char *path,
                     uint64_t number,
                     char *line)
{
    char *text = strip(line);
    if (!*text || *text == '#' || *text == ';' || strcmp(text, "[import]") == 0)
        return 0;
    char *value = text + strcspn(text, "=");
    if (*value)
        *value++ = '\0';
    const char *name = strip(text);
    value = strip(value);
    const struct wtl_option *row = wtl_option_find(wtl_import_table_of_options, name);
    if (!row || row->take == take_mapping || row->kind == WTL_OPTION_SHOW ||
        strcmp(name, "output") == 0 || strcmp(name, "save-format") == 0 ||
        strcmp(name, "formats") == 0)
        return wtl_usage(command, "%s:%llu: \"%s\" is not an import option allowed in a mapping",
                         path, (unsigned long long)number, name);
    if (!row->argument != !*value)
        return wtl_usage(command, "%s:%llu: %s %s", path, (unsigned long long)number, name,
                         row->argument ? "requires a value" : "takes no value");
    return wtl_option_store(command, row, request, value);
}

static int take_mapping(const struct wtl_command *command, void *place, const char *path)
{
    struct wtl_import_request *request = place;
    struct wtl_text_source *source = NULL;
    struct wattle_error err = {""};
    char *line;
    size_t length;
    int rc = wtl_text_source_open(path, &source, &err), status = 0;
    while (rc >= 0 && status == 0 &&
           (rc = wtl_text_source_next(source, &line, &length, &err)) > 0) {
        char *copy = strdup(line);
        if (copy && wtl_words_add(&request->texts, copy) == 0) {
            /* The list holds it, which the analyser does not see. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
            status = take_line(command, request, path, wtl_text_source_line(source), copy);
        } else {
            free(copy);
            wtl_complain(command, WTL_NO_MEMORY);
            status = WTL_EXIT_FAILED;
        }
    }
    if (rc < 0)
        status = wtl_usage(command, "--mapping: %s", err.text);
    wtl_text_source_close(source);
    return status;
}

/* ---- all ---- */

int wtl_import_request_parse(struct wtl_import_request *request, int argc, char **argv)
{
    const struct wtl_command *command = &wtl_import_command;
    struct wtl_command_line line;
    *request = (struct wtl_import_request){.import = {.table = {.header = -1}}};
    int status = wtl_command_read(command, argc, argv, request, &line);
    if (status != WTL_GO_ON)
        return status;
    if (request->list_formats)
        return WTL_GO_ON;
    if (line.count == 0)
        return wtl_usage(command, "no file given");
    if (!request->output && !request->dry_run)
        return wtl_usage(command, "no trace given; use -o TRACE, or --dry-run to write nothing");
    struct wtl_import_options *import = &request->import;
    import->paths = (const char *const *)line.words;
    import->path_count = line.count;
    import->columns = request->columns.items;
    import->column_count = request->columns.count;
    import->split = request->split.items;
    import->split_count = request->split.count;
    import->meta = request->meta.items;
    import->meta_count = request->meta.count;
    import->shifts = request->shifts.items;
    import->shift_count = request->shifts.count;
    import->ignore = request->ignore.items;
    import->ignore_count = request->ignore.count;
    import->only = request->only.items;
    import->only_count = request->only.count;
    return WTL_GO_ON;
}

void wtl_import_request_fini(struct wtl_import_request *request)
{
    for (size_t i = 0; i < request->texts.count; i++)
        free((char *)request->texts.items[i]); /* copied by take_mapping */
    free(request->texts.items);
    free(request->columns.items);
    free(request->shifts.items);
    free(request->split.items);
    free(request->meta.items);
    free(request->ignore.items);
    free(request->only.items);
    *request = (struct wtl_import_request){.output = NULL};
}
